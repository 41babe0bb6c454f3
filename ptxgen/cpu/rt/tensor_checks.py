"""What a tensor copy may not do: the rules of maps and coordinates, as an H200 has them, and the memory that it touches.

The manual is silent about most of these; there they are illegal instructions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu.rt.memory import FaultKind
from ptxgen.cpu.rt.spans import Span
from ptxgen.cpu.rt.tensor import CHUNK, LARGEST_BOX, RANK, TYPE_CODES, Box, MapFault

if TYPE_CHECKING:
    from ptxgen.cpu.emit import Emitter, LlvmValue

__all__ = ["write_tensor_check"]


def write_tensor_check(e: Emitter, *arguments: LlvmValue) -> None:
    """`i64 tensor_check(map, numbers, rank, mode, access, warp, lane, instruction)`: the bytes of the box, and in the upper
    half those that it takes in shared memory; 0 when the map, the coordinates or the part of the box that lies in the tensor
    is a fault. `mode` is a MapMode, `access` a Span."""
    map_, numbers, rank, mode, access, *who = arguments
    box = Box(e, map_, numbers)
    for wrong, why in (
        (box.mode.ne(mode), MapFault.MODE),
        (box.rank.ne(rank), MapFault.RANK),
        (box.interleave.eq(3) | (box.interleaves & (box.rank.ult(3) | box.wide)), MapFault.INTERLEAVE),
        (box.code.ugt(max(TYPE_CODES.values())), MapFault.TYPE),
        ((box.base & (CHUNK - 1)).ne(0), MapFault.ADDRESS),
        ((box.inner * box.rows).ugt(LARGEST_BOX), MapFault.SIZE),
    ):
        _refuse(e, who, wrong, FaultKind.TENSOR_MAP, e.const("i64", int(why)))
    writes = (access & Span.WRITE).ne(0)
    _refuse(e, who, (box.begin & (CHUNK - 1)).ne(0), FaultKind.TENSOR_ROW, box.begin)
    moved = box.interleaves.select(e.const("i32", 1), 0)  # the dimensions of an interleaved tensor stand one further on
    for axis, d in enumerate(box.dimensions):
        negative = d.first.slt(0) & ~box.gathers if axis else d.first.slt(0)  # rows that are scattered may lie anywhere
        _refuse(e, who, writes & negative, FaultKind.TENSOR_NEGATIVE, d.first, e.const("i32", axis) - moved)
    _refuse(e, who, writes & box.slice_at.slt(0), FaultKind.TENSOR_NEGATIVE, box.slice_at, box.rank - 2)
    for axis in range(1, RANK - 1):
        d, spatial = box.dimensions[axis], box.spatial(axis)
        before = (
            d.first.slt(d.restart) & ~box.wide if axis == 1 else d.first.slt(d.restart)
        )  # im2col::w may begin before it
        _refuse(
            e,
            who,
            spatial & (before | d.first.sgt(d.last)),
            FaultKind.TENSOR_PIXEL,
            d.first,
            e.const("i32", axis) - moved,
        )
        outside = d.restart.slt(0) | d.last.sge(d.extent)
        _refuse(e, who, spatial & writes & outside, FaultKind.TENSOR_CORNER, d.restart, e.const("i32", axis) - moved)
    with e.if_((access & Span.PREFETCH).eq(0)):
        _check_memory(e, box, access, who)
    copied, taken = box.inner * box.rows, box.pitch * box.rows
    e.line(f"ret i64 {(copied | (taken << 32)).text}")
    e.label("bad")
    e.line("ret i64 0")


def _refuse(
    e: Emitter,
    who: list[LlvmValue],
    condition: LlvmValue,
    kind: FaultKind,
    number: LlvmValue,
    axis: int | LlvmValue = 0,
) -> None:
    """Notes a fault of (warp, lane, instruction) and leaves."""
    warp, lane, instruction = who
    with e.if_(condition):
        place = e.const("i32", axis) if isinstance(axis, int) else axis
        e.invoke("fault", warp, e.const("i32", int(kind)), instruction, lane, number, place)
        e.leave("bad")


def _check_memory(e: Emitter, box: Box, access: LlvmValue, who: list[LlvmValue]) -> None:
    """The part of the box that lies in the tensor must be memory that the access may touch; what writes goes by whole
    chunks."""
    begin = e.intrinsic("llvm.smax", box.begin, e.const("i64", 0))
    end = e.intrinsic("llvm.smin", box.begin + box.inner, box.end)
    end = (access & Span.WRITE).ne(0).select((end + (CHUNK - 1)) & -CHUNK, end)
    low, high = e.var("i64", -1), e.var("i64", 0)
    with box.each_row() as (_, address, inside):
        with e.if_(inside & begin.slt(end)):
            first, past = address + begin, address + end
            low.set(e.intrinsic("llvm.umin", low.get(), first))
            past = past.ule(first).select(
                e.const("i64", -1), past
            )  # a row that goes on beyond 2^64, of a map that is forged
            high.set(e.intrinsic("llvm.umax", high.get(), past))
    with e.if_(low.get().ult(high.get())):
        nbytes = high.get() - low.get()
        found = e.call("span", "i64", low.get(), nbytes, e.const("i64", 1), access, *who)
        e.break_if(found.eq(0), "bad")
