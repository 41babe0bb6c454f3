"""Fragments as quads of lanes: the four lanes of a quad hold one row of a matrix, or one column, in neighbouring elements.

So are all fragments of mma, wgmma and wmma for types up to 32 bits: lane i of an operand's register holds elements of line
i / 4, and the registers are blocks of eight lines. A and B are divided along K, where four words, each with as many elements
as 32 bits have, are a chunk. C and D are divided across, in tiles of eight lines of the other operand.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu.rt.matrix.vectors import load, splat

if TYPE_CHECKING:
    from ptxgen.cpu.emit import LlvmValue
    from ptxgen.cpu.rt.matrix.fragments import Fragments
    from ptxgen.isa.layouts import Layout

__all__ = ["LANES", "LINES", "QUAD", "Quads", "goes_along"]

LANES = 32
QUAD = 4
LINES = LANES // QUAD
"""Of a register."""


class Quads:
    """An operand whose registers are copied to buffers of 32 words each, and from there. `lines` is the axis of the matrix, 0 for
    rows or 1 for columns, along which lane, quad by quad, goes."""

    def __init__(self, f: Fragments, operand: str, lines: int) -> None:
        self.f = f
        self.operand = operand
        self.layout = one = f.layouts[operand]
        self.step = step = 1 if operand in "ab" else 2
        self.each = one.slices
        """Elements of a word."""
        across = one.shape[1 - lines]
        width = QUAD * (self.each if operand in "ab" else step)
        self.blocks = (one.shape[lines] if one.lanes == LANES else one.shape[lines] // (one.lanes // LANES)) // LINES
        self.divisions = across // width
        """Chunks or tiles."""
        self.registers = 1 if operand in "ab" else step // self.each
        """Of a block and division."""
        found: dict[tuple[int, int, int], int] = {}
        for register in range(one.registers):
            place = _place(one, lines, 0, register, 0)
            found.setdefault((place[0] // LINES, place[1] // width, place[1] % width), register)
        self._holds = found
        for lane in range(LANES):
            for piece in range(one.slices):
                line, at = _place(one, lines, lane, 0, piece)
                stride = self.each if operand in "ab" else step
                assert (line, at) == (lane // QUAD, lane % QUAD * stride + piece), (one, lane, piece)

    def order(self, *, by_division: bool) -> list[int]:
        """The registers block by block, or division by division, those of one division of a block side by side."""
        places = [(block, division) for block in range(self.blocks) for division in range(self.divisions)]
        if by_division:
            places.sort(key=lambda place: place[1])
        return [self._holds[block, division, i] for block, division in places for i in range(self.registers)]

    def pulled(self, *, by_division: bool) -> LlvmValue:
        """The words of all registers in this order, 32 of each."""
        f, order = self.f, self.order(by_division=by_division)
        target = f.matrix("i32", LANES * len(order))
        self.pull(f.table_of(self.operand, order), f.e.const("i32", 0), len(order), target)
        return target

    def pull(self, order: LlvmValue, start: LlvmValue, count: int, target: LlvmValue) -> None:
        """Copies the words of some registers, `count` of the order's from `start` on."""
        f, e = self.f, self.f.e
        with e.count(0, e.const("i32", count)) as i:
            values, step = f.register(self.operand, e.load("i32", e.element("i32", order, start + i)))
            buffer = e.element(f"[{LANES} x i32]", target, i)
            with e.if_(step.eq(0)):
                splat(e, e.load("i32", values), LANES).store(buffer)
            with e.if_(step.ne(0)):
                load(e, "i32", values, LANES).store(buffer)

    def pointer(self, order: LlvmValue, number: LlvmValue, unused: LlvmValue) -> LlvmValue:
        """Where the 32 words of a register of the order lie, to write them: in `unused` when nobody reads them."""
        f, e = self.f, self.f.e
        values, step = f.register(self.operand, e.load("i32", e.element("i32", order, number)))
        return step.eq(0).select(unused, values)


def goes_along(layout: Layout) -> int:
    """The axis along which lane, quad by quad, goes: 0 for rows."""
    first, second = layout.element(0, 0, 0), layout.element(QUAD, 0, 0)
    assert first is not None
    assert second is not None
    return 0 if second.row > first.row else 1


def _place(layout: Layout, lines: int, *place: int) -> tuple[int, int]:
    """(line, number within the line) of what a place holds."""
    found = layout.element(*place)
    assert found is not None, (layout, place)
    return (found.row, found.column) if lines == 0 else (found.column, found.row)
