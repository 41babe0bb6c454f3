"""What the tests of graphs on a device work with: kernels, and memory read back."""

from __future__ import annotations

import array
from typing import Any

import driver_ctypes as dc

PTX = """.version 7.8
.target sm_75
.address_size 64

.visible .entry add_one(.param .u64 x, .param .u32 n)
{
    .reg .pred %p<2>; .reg .u32 %r<6>; .reg .u64 %d<4>; .reg .f32 %f<2>;
    ld.param.u64 %d1, [x];
    ld.param.u32 %r1, [n];
    mov.u32 %r3, %ctaid.x;
    mov.u32 %r4, %ntid.x;
    mov.u32 %r5, %tid.x;
    mad.lo.u32 %r3, %r3, %r4, %r5;
    setp.ge.u32 %p1, %r3, %r1;
    @%p1 bra DONE;
    mul.wide.u32 %d2, %r3, 4;
    add.u64 %d3, %d1, %d2;
    ld.global.f32 %f1, [%d3];
    add.f32 %f1, %f1, 0f3F800000;
    st.global.f32 [%d3], %f1;
DONE:
    ret;
}

.visible .entry put(.param .u64 x, .param .u32 slot, .param .u32 value)
{
    .reg .u32 %r<3>; .reg .u64 %d<4>;
    ld.param.u64 %d1, [x];
    ld.param.u32 %r1, [slot];
    ld.param.u32 %r2, [value];
    mul.wide.u32 %d2, %r1, 4;
    add.u64 %d3, %d1, %d2;
    st.global.u32 [%d3], %r2;
    ret;
}

.visible .entry bump(.param .u64 x, .param .u32 slot, .param .u32 by)
{
    .reg .u32 %r<4>; .reg .u64 %d<4>;
    ld.param.u64 %d1, [x];
    ld.param.u32 %r1, [slot];
    ld.param.u32 %r2, [by];
    mul.wide.u32 %d2, %r1, 4;
    add.u64 %d3, %d1, %d2;
    ld.global.u32 %r3, [%d3];
    add.u32 %r3, %r3, %r2;
    st.global.u32 [%d3], %r3;
    ret;
}

.visible .entry nothing()
{
    ret;
}
"""

POINTER = dc.Parameter("x", "pointer")
SIGNATURES = {
    "add_one": dc.Signature([POINTER, dc.Parameter("n", "u32")]),
    "put": dc.Signature([POINTER, dc.Parameter("slot", "u32"), dc.Parameter("value", "u32")]),
    "bump": dc.Signature([POINTER, dc.Parameter("slot", "u32"), dc.Parameter("by", "u32")]),
    "nothing": dc.Signature([]),
}

# A kernel that counts down a word and keeps a while node going until it is 0.
COUNTDOWN = """.version 7.8
.target sm_75
.address_size 64
.extern .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value);
.visible .entry countdown(.param .u64 condition, .param .u64 word)
{
    .reg .b32 %v<3>; .reg .b64 %d<3>; .reg .pred %p<2>;
    ld.param.u64 %d1, [condition];
    ld.param.u64 %d2, [word];
    ld.global.u32 %v1, [%d2];
    sub.u32 %v1, %v1, 1;
    st.global.u32 [%d2], %v1;
    setp.ne.u32 %p1, %v1, 0;
    selp.u32 %v2, 1, 0, %p1;
    {
        .param .b64 handle; .param .b32 value;
        st.param.b64 [handle], %d1;
        st.param.b32 [value], %v2;
        call.uni cudaGraphSetConditional, (handle, value);
    }
    ret;
}
"""
COUNTDOWN_SIGNATURE = dc.Signature([dc.Parameter("condition", "u64"), dc.Parameter("word", "pointer")])


def open_driver(name: str) -> dc.Driver:
    if name == "cpu":
        from ptxgen.cpu.driver import open_driver

        dc.register_driver("cpu", open_driver, foreign_pointers=False)
    return dc.driver(name)


def words(context: dc.Context, buffer: Any, count: int, kind: str = "I") -> list[Any]:
    """The buffer's contents; all work before is waited for."""
    context.synchronize()
    back = array.array(kind, bytes(count * array.array(kind).itemsize))
    context.copy_to_host(back, buffer)
    return back.tolist()


def filled(context: dc.Context, values: Any, kind: str = "I") -> dc.Buffer:
    data = array.array(kind, values)
    buffer = context.alloc(len(data) * data.itemsize)
    context.copy_to_device(buffer, data)
    context.synchronize()
    return buffer
