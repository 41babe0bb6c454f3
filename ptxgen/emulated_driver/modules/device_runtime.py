"""The device runtime: functions that programs declare and do not define, linked in when a module is loaded.

NVIDIA's lie in libcudadevrt. Here each is a definition in PTX that takes the place of the declaration: to offer another, write it
below. Names, parameters and results are those of cuda_device_runtime_api.h.
"""

from __future__ import annotations

import re
from functools import cache

from driver_ctypes.typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ptxgen.ir import Function, Module

_SOURCE = """
.version 8.0
.target sm_75
.address_size 64

// A condition's handle is the address of its value: see `conditionals`.
.func cudaGraphSetConditional(.param .b64 handle, .param .b32 value)
{
    .reg .b32 %value;
    .reg .b64 %handle;
    ld.param.b64 %handle, [handle];
    ld.param.b32 %value, [value];
    st.global.b32 [%handle], %value;
    ret;
}

// The handle of a grid (scope 1) is the workspace of its launch; 0 where the launch is not cooperative, and for what is no grid.
.func (.param .b64 result) cudaCGGetIntrinsicHandle(.param .b32 scope)
{
    .reg .b32 %scope, %low, %high;
    .reg .b64 %handle;
    .reg .pred %other;
    ld.param.b32 %scope, [scope];
    mov.b32 %high, %envreg1;
    mov.b32 %low, %envreg2;
    mov.b64 %handle, {%low, %high};
    setp.ne.u32 %other, %scope, 1;
    @%other mov.b64 %handle, 0;
    st.param.b64 [result], %handle;
    ret;
}

// Waits for every thread of the grid: 0, or cudaErrorInvalidValue without a handle. One thread of a CTA adds to the word behind
// the size, as the barrier of nvcc's header does, so that both may be used: the CTAs together add 0x80000000, whose bit says
// which turn it is.
.func (.param .b32 result) cudaCGSynchronize(.param .b64 handle, .param .b32 flags)
{
    .reg .b32 %x, %y, %z, %count, %old, %now, %code;
    .reg .b64 %handle;
    .reg .pred %none, %other, %again;
    ld.param.b64 %handle, [handle];
    mov.u32 %code, 1;
    setp.eq.u64 %none, %handle, 0;
    @%none bra END;
    mov.u32 %code, 0;
    barrier.sync 0;
    mov.u32 %x, %tid.x;
    mov.u32 %y, %tid.y;
    mov.u32 %z, %tid.z;
    or.b32 %x, %x, %y;
    or.b32 %x, %x, %z;
    setp.ne.u32 %other, %x, 0;
    @%other bra MET;
    mov.u32 %x, %nctaid.x;
    mov.u32 %y, %nctaid.y;
    mov.u32 %z, %nctaid.z;
    mul.lo.u32 %count, %x, %y;
    mul.lo.u32 %count, %count, %z;
    sub.u32 %count, 0x80000001, %count;
    mov.u32 %x, %ctaid.x;
    mov.u32 %y, %ctaid.y;
    mov.u32 %z, %ctaid.z;
    or.b32 %x, %x, %y;
    or.b32 %x, %x, %z;
    setp.ne.u32 %other, %x, 0;
    selp.b32 %count, 1, %count, %other;
    fence.acq_rel.gpu;
    atom.acq_rel.gpu.add.u32 %old, [%handle+4], %count;
WAIT:
    ld.acquire.gpu.u32 %now, [%handle+4];
    xor.b32 %now, %now, %old;
    setp.ge.s32 %again, %now, 0;
    @%again bra WAIT;
    fence.acq_rel.gpu;
MET:
    barrier.sync 0;
END:
    st.param.b32 [result], %code;
    ret;
}

// Threads and grids; a place that is null is not written.
.func (.param .b32 result) cudaCGGetSize(.param .b64 threads, .param .b64 grids, .param .b64 handle)
{
    .reg .b32 %n, %e;
    .reg .b64 %threads, %grids;
    .reg .pred %some;
    ld.param.b64 %threads, [threads];
    ld.param.b64 %grids, [grids];
    mov.u32 %n, %ntid.x;
    mov.u32 %e, %ntid.y;
    mul.lo.u32 %n, %n, %e;
    mov.u32 %e, %ntid.z;
    mul.lo.u32 %n, %n, %e;
    mov.u32 %e, %nctaid.x;
    mul.lo.u32 %n, %n, %e;
    mov.u32 %e, %nctaid.y;
    mul.lo.u32 %n, %n, %e;
    mov.u32 %e, %nctaid.z;
    mul.lo.u32 %n, %n, %e;
    setp.ne.u64 %some, %threads, 0;
    @%some st.u32 [%threads], %n;
    mov.u32 %n, 1;
    setp.ne.u64 %some, %grids, 0;
    @%some st.u32 [%grids], %n;
    mov.u32 %n, 0;
    st.param.b32 [result], %n;
    ret;
}

// Of the calling thread in its grid, x first, and of the grid.
.func (.param .b32 result) cudaCGGetRank(.param .b64 thread, .param .b64 grid, .param .b64 handle)
{
    .reg .b32 %cta, %rank, %n, %e;
    .reg .b64 %thread, %grid;
    .reg .pred %some;
    ld.param.b64 %thread, [thread];
    ld.param.b64 %grid, [grid];
    mov.u32 %cta, %ctaid.z;
    mov.u32 %n, %nctaid.y;
    mov.u32 %e, %ctaid.y;
    mad.lo.u32 %cta, %cta, %n, %e;
    mov.u32 %n, %nctaid.x;
    mov.u32 %e, %ctaid.x;
    mad.lo.u32 %cta, %cta, %n, %e;
    mov.u32 %n, %ntid.z;
    mov.u32 %e, %tid.z;
    mad.lo.u32 %rank, %cta, %n, %e;
    mov.u32 %n, %ntid.y;
    mov.u32 %e, %tid.y;
    mad.lo.u32 %rank, %rank, %n, %e;
    mov.u32 %n, %ntid.x;
    mov.u32 %e, %tid.x;
    mad.lo.u32 %rank, %rank, %n, %e;
    setp.ne.u64 %some, %thread, 0;
    @%some st.u32 [%thread], %rank;
    mov.u32 %n, 0;
    setp.ne.u64 %some, %grid, 0;
    @%some st.u32 [%grid], %n;
    st.param.b32 [result], %n;
    ret;
}
"""
_ALIASES = {"cudaCGSynchronizeGrid": "cudaCGSynchronize"}
"""Functions that do the same here, where there is one grid."""
NAMES = (*re.findall(r"\.func (?:\([^)]*\) )?(\w+)", _SOURCE), *_ALIASES)


@cache
def _definition(name: str) -> Function:
    from ptxgen.text.parser import parse

    known = _ALIASES.get(name, name)
    return parse(re.sub(rf"\b{known}\b", name, _SOURCE), "device runtime").function(name)


def link_runtime(module: Module) -> None:
    """Every declared function of the device runtime gets its body."""
    from ptxgen.ir import Function

    for index, item in enumerate(module.items):
        if isinstance(item, Function) and item.name in NAMES and module.function(item.name).body is None:
            module.items[index] = _definition(item.name)
