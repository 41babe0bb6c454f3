"""What the tests on a device work with: a driver by name, kernels, and memory read back."""

from __future__ import annotations

import array
from typing import Any

import driver_ctypes as dc

PTX = """.version 7.8
.target sm_75
.address_size 64

.extern .shared .align 16 .b8 dynamic[];
.visible .global .align 4 .u32 counter = 5;

.visible .entry add(.param .u64 x, .param .u32 n, .param .u32 k)
{
    .reg .pred %p<2>; .reg .u32 %r<6>; .reg .u64 %d<4>;
    ld.param.u64 %d1, [x];
    ld.param.u32 %r1, [n];
    ld.param.u32 %r2, [k];
    mov.u32 %r3, %ctaid.x;
    mov.u32 %r4, %ntid.x;
    mov.u32 %r5, %tid.x;
    mad.lo.u32 %r3, %r3, %r4, %r5;
    setp.ge.u32 %p1, %r3, %r1;
    @%p1 bra DONE;
    mul.wide.u32 %d2, %r3, 4;
    add.u64 %d3, %d1, %d2;
    ld.global.u32 %r4, [%d3];
    add.u32 %r4, %r4, %r2;
    st.global.u32 [%d3], %r4;
DONE:
    ret;
}

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

.visible .entry put_long(.param .u64 x, .param .u32 slot, .param .u64 value)
{
    .reg .u32 %r<2>; .reg .u64 %d<5>;
    ld.param.u64 %d1, [x];
    ld.param.u32 %r1, [slot];
    ld.param.u64 %d2, [value];
    mul.wide.u32 %d3, %r1, 8;
    add.u64 %d4, %d1, %d3;
    st.global.u64 [%d4], %d2;
    ret;
}

.visible .entry echo(.param .u64 out, .param .u8 a, .param .s16 b, .param .u32 c, .param .s64 d, .param .b16 e,
                     .param .b16 f, .param .f32 g, .param .f64 h, .param .align 8 .b8 i[16])
{
    .reg .b16 %h<6>; .reg .b32 %r<3>; .reg .b64 %d<6>;
    ld.param.u64 %d1, [out];
    ld.param.u8 %h1, [a];
    ld.param.u16 %h2, [b];
    ld.param.u32 %r1, [c];
    ld.param.u64 %d2, [d];
    ld.param.b16 %h3, [e];
    ld.param.b16 %h4, [f];
    ld.param.b32 %r2, [g];
    ld.param.b64 %d3, [h];
    ld.param.b64 %d4, [i];
    ld.param.b64 %d5, [i+8];
    st.global.u8 [%d1], %h1;
    st.global.u16 [%d1+8], %h2;
    st.global.u32 [%d1+16], %r1;
    st.global.u64 [%d1+24], %d2;
    st.global.b16 [%d1+32], %h3;
    st.global.b16 [%d1+40], %h4;
    st.global.b32 [%d1+48], %r2;
    st.global.b64 [%d1+56], %d3;
    st.global.b64 [%d1+64], %d4;
    st.global.b64 [%d1+72], %d5;
    ret;
}

.visible .entry through_shared(.param .u64 x, .param .u32 last)
{
    .reg .u32 %r<5>; .reg .u64 %d<2>;
    ld.param.u64 %d1, [x];
    ld.param.u32 %r1, [last];
    mov.u32 %r2, dynamic;
    add.u32 %r3, %r2, %r1;
    mov.u32 %r4, 77;
    st.shared.u32 [%r3], %r4;
    ld.shared.u32 %r4, [%r3];
    st.global.u32 [%d1], %r4;
    ret;
}

.visible .entry first_word(.param .align 64 .b8 map[128], .param .u64 out)
{
    .reg .b64 %d<3>;
    ld.param.u64 %d1, [map];
    ld.param.u64 %d2, [out];
    st.global.u64 [%d2], %d1;
    ret;
}

.visible .entry nothing()
{
    ret;
}
"""

POINTER = dc.Parameter("x", "pointer")
SIGNATURES = {
    "add": dc.Signature([POINTER, dc.Parameter("n", "u32"), dc.Parameter("k", "u32")]),
    "add_one": dc.Signature([POINTER, dc.Parameter("n", "u32")]),
    "put": dc.Signature([POINTER, dc.Parameter("slot", "u32"), dc.Parameter("value", "u32")]),
    "put_long": dc.Signature([POINTER, dc.Parameter("slot", "u32"), dc.Parameter("value", "u64")]),
    "bump": dc.Signature([POINTER, dc.Parameter("slot", "u32"), dc.Parameter("by", "u32")]),
    "echo": dc.Signature(
        [dc.Parameter("out", "pointer")]
        + [dc.Parameter(*p) for p in zip("abcdefgh", ("u8", "s16", "u32", "s64", "f16", "bf16", "f32", "f64"))]
        + [dc.Parameter("i", "bytes", 16, 8)]
    ),
    "through_shared": dc.Signature([POINTER, dc.Parameter("last", "u32")]),
    "first_word": dc.Signature([dc.Parameter("map", "bytes", 128, 64), dc.Parameter("out", "pointer")]),
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


START = """
import ctypes, gc, os, sys, time
import driver_ctypes as dc
from tests.driver_ctypes.kit import PTX, SIGNATURES, open_driver, words, filled
driver = open_driver({name!r})
"""
"""How a program of its own begins, with `driver` opened by name."""


def open_driver(name: str) -> dc.Driver:
    if name == "cpu":
        from ptxgen.emulated_driver import open_driver

        dc.register_driver("cpu", open_driver, foreign_pointers=False)
    return dc.driver(name)


def words(context: dc.Context, memory: Any, count: int, kind: str = "I", *, offset: int = 0) -> list[Any]:
    """*count* elements of device memory, *offset* bytes into it; all work before is waited for."""
    context.synchronize()
    back = array.array(kind, bytes(count * array.array(kind).itemsize))
    context.copy_to_host(back, memory.pointer + offset if offset else memory)
    return back.tolist()


def filled(context: dc.Context, values: Any, kind: str = "I") -> dc.Buffer:
    """A buffer with these elements."""
    data = array.array(kind, values)
    buffer = context.alloc(len(data) * data.itemsize)
    context.copy_to_device(buffer, data)
    context.synchronize()
    return buffer
