"""tcgen05.mma at run time (manual 9.7.16.10): D = A B + D in tensor memory, with B, and A unless it is in tensor memory, in
shared memory. The instruction descriptor says M, N, types and signs when it runs; its K is the kind's.

The sums are those of floats.py with the numbers of sm_90. No device that has the instruction was at hand to compare them
with. Factors of scale are multiplied with the elements before that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu import record_layout
from ptxgen.cpu.rt.half import f16_to_f32, f32_to_f16
from ptxgen.cpu.rt.matrix.floats import LEAST, larger, power, to_f16, to_f32
from ptxgen.cpu.rt.matrix.pairs import ctas_of
from ptxgen.cpu.rt.matrix.tcgen05_operands import Elements, Operand, Parameter, Request
from ptxgen.cpu.rt.matrix.vectors import WIDTH, LlvmVector, constant, held, load, splat, variable
from ptxgen.cpu.rt.memory import FaultKind
from ptxgen.cpu.rt.records import MemoryRecord
from ptxgen.cpu.rt.tensor_memory import column_pointer, not_allocated, tensor_memory

if TYPE_CHECKING:
    from ptxgen.cpu.emit import LlvmValue
    from ptxgen.cpu.rt.matrix.fragments import Fragments

__all__ = ["write"]

ROWS = 128
"""Of D in a CTA, at most."""
FRACTION = 25
PRECISION = 23


def write(f: Fragments) -> None:
    """The body of such an instruction's function."""
    e, r = f.e, Request(f)
    r.check()
    ctas = ctas_of(MemoryRecord(e, record_layout.Warp, f.warp), f.words, r.refuse)
    a = Elements(r, f.matrix(r.element, ROWS * r.depth), f.matrix("double", ROWS * r.depth))
    b = Elements(r, f.matrix(r.element, WIDTH * r.depth), f.matrix("double", WIDTH * r.depth))
    for number, cta in enumerate(ctas):
        _Part(r, number, cta, a, b).write(ctas)
    e.jump("out")
    e.label("out")


class _Part:
    """The rows of D that one CTA has."""

    def __init__(self, r: Request, number: int, cta: MemoryRecord, a: Elements, b: Elements) -> None:
        self.r = r
        self.e = r.e
        self.number = number
        self.cta = cta
        self.a, self.b = a, b
        self.memory = tensor_memory(cta)
        self.address = r.word(Parameter.D).trunc("i32")

    def write(self, ctas: list[MemoryRecord]) -> None:
        r, e = self.r, self.e
        width = r.halved.select(r.n >> 1, r.n)  # columns of tensor memory
        first = self.address & 0xFFFF
        r.refuse(not_allocated(self.cta, first, width), FaultKind.TENSOR_MEMORY_COLUMNS, first)
        lane = self.address >> 16
        r.refuse((lane & ~r.spread.select(e.const("i32", 16), 0)).ne(0), FaultKind.TENSOR_MEMORY_LANES, self.address)
        Operand(r, "a", self.cta).read(self.a, e.const("i32", 0), r.rows, lambda row, k: row * r.depth + k)
        share = r.n if len(ctas) == 1 else r.n >> 1  # columns of B in a CTA
        for owner, cta in enumerate(ctas):
            other = Operand(r, "b", cta, scales=self.cta, before=share * owner)
            with e.count(0, share >> 3) as tile:
                other.read(self.b, tile << 3, e.const("i32", WIDTH), lambda column, k: k * WIDTH + column)
                with e.count(0, r.rows) as row:
                    self._eight(row, (tile << 3) + share * owner)

    def _eight(self, row: LlvmValue, column: LlvmValue) -> None:
        """Eight neighbours in a row of D."""
        r, e = self.r, self.e
        lane = r.lane(row) + (self.address >> 16)
        upper = r.halved & column.uge(r.n >> 1)  # these columns lie in the upper half of the lanes
        lane = lane + upper.select(e.const("i32", 64), 0)
        at = column - upper.select(r.n >> 1, 0) + (self.address & 0xFFFF)
        place = column_pointer(e, self.memory, lane, at)
        matrix = e.var(f"[{WIDTH} x {r.element}]").pointer
        with e.count(0, e.const("i32", WIDTH)) as i:
            e.store(self._before(place, i), e.element(r.element, matrix, i))
        c = load(e, r.element, matrix)
        (self._integers(row, c) if r.element == "i32" else self._floats(row, c)).store(matrix)
        mask = e.load("i64", self._mask(lane))
        with e.if_((mask.trunc("i32") >> (lane & 31) & 1).eq(0)):
            with e.count(0, e.const("i32", WIDTH)) as i:
                e.store(self._encoded(e.load(r.element, e.element(r.element, matrix, i))), e.element("i32", place, i))

    def _mask(self, lane: LlvmValue) -> LlvmValue:
        """Where the word of the mask of lanes that are left out lies."""
        word = (lane >> 5) + (Parameter.MASK + 4 * self.number)
        return self.e.element("i64", self.r.f.rows, word.zext("i64"))

    def _before(self, place: LlvmValue, i: LlvmValue) -> LlvmValue:
        """An element of D as it was; zero where nothing is added to it."""
        r, e = self.r, self.e
        bits = e.load("i32", e.element("i32", place, i))
        bits = r.adds.select(bits, 0)
        if r.element == "i32":
            return bits
        number = r.narrow.select(e.use(f16_to_f32, bits.trunc("i16")), bits.bitcast("float"))
        return number.cast("fpext", "double") * r.scale_d

    def _encoded(self, number: LlvmValue) -> LlvmValue:
        r = self.r
        if r.element == "i32":
            return number
        found = number.cast("fptrunc", "float").soiled()
        return r.narrow.select(self.e.use(f32_to_f16, found).zext("i32"), found.bitcast("i32"))

    def _pair(self, row: LlvmValue, k: LlvmValue) -> tuple[LlvmVector, LlvmVector, LlvmVector]:
        """An element of A eight times, the eight of B, and the powers of two of their products."""
        r, e = self.r, self.e
        at = row * r.depth + k
        one = splat(e, e.load(r.element, e.element(r.element, self.a.numbers, at)))
        eight = load(e, r.element, e.element(r.element, self.b.numbers, k * WIDTH))
        if r.element == "i32":
            return one, eight, eight
        left = splat(e, e.load("double", e.element("double", self.a.powers, at)))
        return one, eight, left * load(e, "double", e.element("double", self.b.powers, k * WIDTH))

    def _integers(self, row: LlvmValue, c: LlvmVector) -> LlvmVector:
        r, e = self.r, self.e
        total = variable(e, constant(e, "i32", 0))
        with e.count(0, e.const("i32", r.depth)) as k:
            x, y, _ = self._pair(row, k)
            (held(total) + x * y).put(total)
        return splat(e, r.saturates).select(c.intrinsic("sadd.sat", held(total)), c + held(total))

    def _floats(self, row: LlvmValue, c: LlvmVector) -> LlvmVector:
        r, e = self.r, self.e
        narrow = splat(e, r.narrow)
        least = narrow.select(power(c, LEAST["f16"]), power(c, LEAST["f32"]))
        largest = variable(e, larger(least, constant(e, "double", 2.0**-400)))
        with e.count(0, e.const("i32", r.depth)) as k:
            larger(held(largest), self._pair(row, k)[2]).put(largest)
        scale = constant(e, "double", 2.0**FRACTION).binary("fdiv", held(largest))
        terms = variable(e, (c * scale).intrinsic("trunc"))
        with e.count(0, e.const("i32", r.depth)) as k:
            x, y, _ = self._pair(row, k)
            (held(terms) + (x * y * scale).intrinsic("trunc")).put(terms)
        exact = held(terms) * (held(largest) * constant(e, "double", 2.0**-FRACTION))
        return narrow.select(to_f16(exact), to_f32(exact, PRECISION))
