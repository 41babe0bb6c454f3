"""A and B of the sums of tensor_cores.py: numbers and exponents, in the order in which those need them.

What is called rows and columns here, "left" and "right", are columns and rows where an instruction computes the transposed
product (wmma m8n32k16).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu.rt.matrix.numerals import NONE, is_narrow, numerals, widened
from ptxgen.cpu.rt.matrix.product import place_in_k
from ptxgen.cpu.rt.matrix.quads import LANES, LINES, QUAD
from ptxgen.cpu.rt.matrix.vectors import LlvmVector, constant, load, splat

if TYPE_CHECKING:
    from ptxgen.cpu.emit import Emitter, LlvmValue
    from ptxgen.cpu.rt.matrix.fragments import Fragments

__all__ = ["ABSENT", "HALF", "ROWS", "Left", "Right"]

HALF = 16
"""Results at once: of half a warp."""
ROWS = HALF // QUAD
ABSENT = 2 * NONE
"""The exponent of what a sparse matrix does not have; zeros have another."""


class Side:
    """A or B: what the other is multiplied with, as numbers and exponents, in an order that suits the sums.

    `depth` is how many elements a line stores, `each` how many of them a word has.
    """

    def __init__(self, f: Fragments, type: str, least: int, *, lines: int, depth: int, width: int) -> None:
        self.f = f
        self.e: Emitter = f.e
        self.type = type
        self.least = least
        self.lines = lines
        self.depth = depth
        self.narrow = is_narrow(type)
        self.bits = {"tf32": 32, "f16": 16, "bf16": 16}.get(type, 8)
        self.each = 32 // self.bits
        self.chunk = QUAD * self.each
        self.chunks = depth // self.chunk
        self.values = f.matrix("float", width)
        self.exponents = None if f.fused else f.matrix("i32", width)
        self.special = self.e.var("i32", 0)
        """Not zero when one of the numbers is infinite or NaN."""
        self.sign: LlvmValue | None = None
        """An i32 that flips signs, where the instruction may."""

    def words(self, blocks: int) -> LlvmValue:
        """Room for the words of so many blocks of eight lines: a chunk's one behind the other, those of a line side by side."""
        return self.f.matrix("i32", blocks * self.chunks * LANES)

    def _store(self, bits: LlvmVector, piece: int, places: list[tuple[list[int], LlvmValue]]) -> None:
        """Numbers whose elements are one piece of each of these words; `places`: which of them lie where."""
        size = self.bits
        if self.type == "bf16":  # they are the high bits of f32
            bits = bits << 16 if piece == 0 else bits & -(1 << 16)
        elif size < 32:
            bits = bits >> piece * size if piece else bits
            bits = bits & ((1 << size) - 1) if (piece + 1) * size < 32 else bits
        if self.exponents is None:
            self._scatter(self._signed(widened(bits, self.type)), "float", self.values, places)
            return
        found = numerals(bits, self.type, self.least)
        self._scatter(self._signed(found.values), "float", self.values, places)
        self._scatter(found.exponents, "i32", self.exponents, places)
        self.special.set(self.special.get() | found.special.any().zext("i32"))

    def _signed(self, value: LlvmVector) -> LlvmVector:
        if self.sign is None:
            return value
        return (value.bitcast("i32") ^ splat(self.e, self.sign, value.width)).bitcast("float")

    def _scatter(
        self, v: LlvmVector, element: str, target: LlvmValue, places: list[tuple[list[int], LlvmValue]]
    ) -> None:
        for chosen, number in places:
            v.shuffled(chosen).store(self.e.element(element, target, number))


class Left(Side):
    """The lines are rows of sums: each number stands four times, for four columns, beside those of three more rows."""

    def __init__(self, f: Fragments, type: str, least: int, *, lines: int, depth: int) -> None:
        super().__init__(f, type, least, lines=lines, depth=depth, width=lines * depth * QUAD)

    def fill(self, words: LlvmValue) -> None:
        """From all its words."""
        e = self.e
        with e.count(0, e.const("i32", self.lines // ROWS)) as group:
            with e.count(0, e.const("i32", self.chunks)) as chunk:
                block, half = group >> 1, group & 1
                number = (block * self.chunks + chunk) * LANES + half * HALF
                bits = load(e, "i32", e.element("i32", words, number), HALF)
                first = (group * self.depth + chunk * self.chunk) * HALF
                for piece in range(self.each):
                    places = []
                    for q in range(QUAD):
                        chosen = [lane // QUAD * QUAD + q for lane in range(HALF)]
                        places.append((chosen, first + (q * self.each + piece) * HALF))
                    self._store(bits, piece, places)

    def spread(self, fields: LlvmValue) -> Left:
        """The same as a matrix that is not sparse: `fields` say where in K each element stands. Others are zero, and have an
        exponent that zeros do not have."""
        e, f = self.e, self.f
        assert self.exponents is not None
        whole = Left(f, self.type, self.least, lines=self.lines, depth=2 * self.depth)
        assert whole.exponents is not None
        whole.special = self.special
        groups, stored = self.lines // ROWS, self.depth
        with e.count(0, e.const("i32", groups * 2 * stored)) as n:
            constant(e, "float", 0.0, HALF).store(e.element("float", whole.values, n * HALF))
            constant(e, "i32", ABSENT, HALF).store(e.element("i32", whole.exponents, n * HALF))
        with e.count(0, e.const("i32", self.lines)) as row:
            with e.count(0, e.const("i32", stored)) as k:
                place = place_in_k(e, self.bits, fields, k, row * stored + k)
                lane, group = (row & ROWS - 1) * QUAD, row >> 2
                source, target = (group * stored + k) * HALF + lane, (group * 2 * stored + place) * HALF + lane
                for element, old, new in (
                    ("float", self.values, whole.values),
                    ("i32", self.exponents, whole.exponents),
                ):
                    load(e, element, e.element(element, old, source), QUAD).store(e.element(element, new, target))
        return whole


class Right(Side):
    """Eight lines at a time, which are columns of sums: the even ones, then the odd ones, of each index along K."""

    def __init__(self, f: Fragments, type: str, least: int, *, depth: int) -> None:
        super().__init__(f, type, least, lines=LINES, depth=depth, width=LINES * depth)
        self._columns = self.words(1)

    def fill(self, words: LlvmValue) -> None:
        """From the words of one block."""
        e = self.e
        self.special.set(0)
        with e.count(0, e.const("i32", self.chunks)) as chunk:
            start = chunk * LANES
            pairs = [
                load(e, "i32", e.element("i32", words, start + LINES * i)) for i in range(QUAD)
            ]  # of two lines each
            for q, bits in enumerate(_transposed(pairs)):
                bits.store(e.element("i32", self._columns, (chunk * QUAD + q) * LINES))
        with e.count(0, e.const("i32", self.chunks * QUAD)) as word:
            bits = load(e, "i32", e.element("i32", self._columns, word * LINES))
            for piece in range(self.each):
                self._store(bits, piece, [(list(range(LINES)), (word * self.each + piece) * LINES)])

    def fill_across(self, lines: LlvmValue) -> None:
        """From 16-bit elements in the other order: for each index along K those of eight lines."""
        e = self.e
        self.special.set(0)
        with e.count(0, e.const("i32", self.depth)) as k:
            start = k * LINES
            bits = load(e, "i16", e.element("i16", lines, start)).cast("zext", "i32")
            self._store(bits, 0, [([0, 2, 4, 6, 1, 3, 5, 7], start)])


def _transposed(pairs: list[LlvmVector]) -> list[LlvmVector]:
    """Of lines 0 and 1, 2 and 3, ... with four words each: the first words of lines 0, 2, 4, 6, 1, 3, 5, 7, then the second."""
    low, high = [0, 8, 1, 9, 4, 12, 5, 13], [2, 10, 3, 11, 6, 14, 7, 15]
    first, second = [0, 1, 8, 9, 4, 5, 12, 13], [2, 3, 10, 11, 6, 7, 14, 15]
    found = []
    for mask in (low, high):
        a, b = pairs[0].shuffled(mask, pairs[1]), pairs[2].shuffled(mask, pairs[3])
        found += [a.shuffled(first, b), a.shuffled(second, b)]
    return found
