"""tcgen05.ld and tcgen05.st at run time (manual 9.7.16.8): between the registers of a warp and its quarter of tensor memory."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

from ptxgen.cpu import record_layout
from ptxgen.cpu.rt.memory import FaultKind
from ptxgen.cpu.rt.records import MemoryRecord, cta_of
from ptxgen.cpu.rt.tensor_memory import column_pointer, not_allocated, tensor_memory

if TYPE_CHECKING:
    from ptxgen.cpu.emit import LlvmValue
    from ptxgen.cpu.rt.matrix.fragments import Fragments

__all__ = ["Parameter", "write"]


class Parameter(IntEnum):
    """The 64-bit words that the function gets in place of pointers to rows."""

    ADDRESS = 0
    HALF = 1
    """Of .16x32bx2: columns from the first half to the second."""
    FAULT = 2
    """Set by the function: a FaultKind, or 0; and its number."""
    NUMBER = 3


def write(f: Fragments) -> None:
    """The body of such an instruction's function."""
    e = f.e
    (one,) = f.layouts.values()
    rows, columns = one.shape
    warp = MemoryRecord(e, record_layout.Warp, f.warp)
    cta = cta_of(warp)
    address, half = (e.load("i64", e.offset(f.rows, 8 * n)).trunc("i32") for n in (Parameter.ADDRESS, Parameter.HALF))
    lane, first = address >> 16, address & 0xFFFF
    within = lane - ((warp.get("index") & 3) << 5)
    _refuse(f, (within & ~(32 - rows)).ne(0), FaultKind.TENSOR_MEMORY_LANES, address)
    split = columns // 2 if "16x32bx2" in f.words else columns
    parts = [first] if split == columns else [first, first + half]
    for part in parts:
        _refuse(f, not_allocated(cta, part, e.const("i32", split)), FaultKind.TENSOR_MEMORY_COLUMNS, part)
    element, memory = f"i{one.bits}", tensor_memory(cta)
    matrix = f.matrix(element, rows * columns)
    stores = one.operand == "r"
    if stores:
        f.gather("r", matrix, element, lambda bits: bits.trunc(element))
    with e.count(0, e.const("i32", rows)) as row:
        for number, part in enumerate(parts):
            with e.count(0, e.const("i32", split)) as column:
                inside = e.element(element, matrix, row * columns + column + number * split)
                outside = column_pointer(e, memory, lane + row, part + column)
                if stores:
                    e.store(e.load(element, inside).zext("i32"), outside)
                else:
                    e.store(e.load("i32", outside).trunc(element), inside)
    if not stores:
        f.scatter("d", matrix, element, lambda bits: bits)
    e.jump("out")
    e.label("out")


def _refuse(f: Fragments, condition: LlvmValue, kind: FaultKind, number: LlvmValue) -> None:
    e = f.e
    with e.if_(condition):
        e.store(e.const("i64", int(kind)), e.offset(f.rows, 8 * Parameter.FAULT))
        e.store(number.zext("i64"), e.offset(f.rows, 8 * Parameter.NUMBER))
        e.leave("out")
