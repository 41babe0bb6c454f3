"""ldmatrix, stmatrix and movmatrix at run time (manual 9.7.14.5.15 to 9.7.14.5.17): only layouts differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ptxgen.cpu.emit import LlvmValue
    from ptxgen.cpu.rt.matrix.fragments import Fragments

__all__ = ["ROW", "write"]

ROW = 16
"""Bytes of a row in shared memory."""
PACKED = {"b6x16_p32": 6, "b4x16_p64": 4}
"""How 16 elements lie at the start of a row -> bits of one; each comes to the low bits of a byte (manual 9.7.14.5.15)."""


def write(f: Fragments) -> None:
    """The body of such an instruction's function."""
    if f.words[0] == "movmatrix":
        moved = f.matrix("i16", 64)
        f.gather("a", moved, "i16", lambda bits: bits.trunc("i16"))
        f.scatter("d", moved, "i16", _unchanged)
        return
    (operand,) = f.layouts.values()
    element = f"i{operand.bits}"
    matrix = f.matrix("i64", operand.shape[0] * ROW // 8)
    if operand.operand == "d":
        _copy_rows(f, operand.shape[0], matrix, load=True)
        packed = next((PACKED[word] for word in f.words if word in PACKED), None)
        if packed is not None:
            _unpack(f, operand.shape[0], matrix, packed)
        f.scatter("d", matrix, element, _unchanged)
    else:
        f.gather("r", matrix, element, lambda bits: bits.trunc(element))
        _copy_rows(f, operand.shape[0], matrix, load=False)


def _unpack(f: Fragments, rows: int, matrix: LlvmValue, bits: int) -> None:
    """Rows of elements of fewer bits become rows of bytes."""
    e = f.e
    with e.count(0, e.const("i32", rows)) as row:
        place = e.element(f"[{ROW} x i8]", matrix, row)
        packed = e.load("i128", place)
        for i in range(ROW):
            e.store((packed >> bits * i).trunc("i8") & (1 << bits) - 1, e.offset(place, i))


def _unchanged(bits: LlvmValue) -> LlvmValue:
    return bits


def _copy_rows(f: Fragments, rows: int, matrix: LlvmValue, *, load: bool) -> None:
    """Between the rows that the instruction's addresses lead to and a matrix of them all."""
    e = f.e
    with e.count(0, e.const("i32", rows)) as row:
        outside = e.load("ptr", e.element("ptr", f.rows, row))
        inside = e.element(f"[{ROW} x i8]", matrix, row)
        for half in (0, 8):
            source, target = (outside, inside) if load else (inside, outside)
            e.store(e.load("i64", e.offset(source, half)), e.offset(target, half))
