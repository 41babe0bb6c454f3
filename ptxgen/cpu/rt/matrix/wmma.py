"""wmma.load and wmma.store at run time (manual 9.7.14.4.3 and 9.7.14.4.4): fragments from and to the lines of a matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu.rt.matrix import products

if TYPE_CHECKING:
    from ptxgen.cpu.emit import LlvmValue
    from ptxgen.cpu.rt.matrix.fragments import Fragments
    from ptxgen.isa.layouts import Layout

__all__ = ["Lines", "write"]


class Lines:
    """How a matrix lies in memory: `count` lines of `length` elements, rows or columns of it.

    `bytes` is what a line has, `piece` what of it is checked at once.
    """

    def __init__(self, of: Layout, *, by_row: bool) -> None:
        self.by_row = by_row
        self.count, self.length = of.shape if by_row else of.shape[::-1]
        self.bytes = self.length * of.bits // 8
        self.piece = min(self.bytes, 16)


def write(f: Fragments) -> None:
    """The body of such an instruction's function."""
    if f.words[1] == "mma":
        products.write(f)
        return
    (of,) = f.layouts.values()
    element = f"i{max(of.bits, 8)}"
    matrix = f.matrix(element, of.shape[0] * of.shape[1])
    lines = Lines(of, by_row="row" in f.words)
    if f.words[1] == "load":
        _read(f, of, lines, matrix, element)
        f.scatter(of.operand, matrix, element, lambda bits: bits)
    else:
        f.gather(of.operand, matrix, element, lambda bits: bits.trunc(element))
        _write(f, of, lines, matrix, element)


def _read(f: Fragments, of: Layout, lines: Lines, matrix: LlvmValue, element: str) -> None:
    e = f.e
    with e.count(0, e.const("i32", lines.count)) as line:
        pointer = e.load("ptr", e.element("ptr", f.rows, line))
        with e.count(0, e.const("i32", lines.length)) as i:
            if of.bits >= 8:
                bits = e.load(element, e.element(element, pointer, i))
            else:
                byte = e.load("i8", e.element("i8", pointer, i * of.bits >> 3))
                bits = byte >> (i * of.bits & 7).trunc("i8") & ((1 << of.bits) - 1)
            e.store(bits, e.element(element, matrix, _number(of, lines, line, i)))


def _write(f: Fragments, of: Layout, lines: Lines, matrix: LlvmValue, element: str) -> None:
    """The results that are stored have 16 bits at least."""
    e = f.e
    with e.count(0, e.const("i32", lines.count)) as line:
        pointer = e.load("ptr", e.element("ptr", f.rows, line))
        with e.count(0, e.const("i32", lines.length)) as i:
            bits = e.load(element, e.element(element, matrix, _number(of, lines, line, i)))
            e.store(bits, e.element(element, pointer, i))


def _number(of: Layout, lines: Lines, line: LlvmValue, i: LlvmValue) -> LlvmValue:
    """Of an element of a line, in the matrix."""
    return line * of.shape[1] + i if lines.by_row else i * of.shape[1] + line
