"""tcgen05.mma at run time (manual 9.7.16.10): D = A B + D in tensor memory, with B, and A unless it is in tensor memory, in
shared memory.

The sums are those of aligned_sums.py. No device that has the instruction was at hand to compare them with.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu import record_layout
from ptxgen.cpu.rt.half import f16_to_f32, f32_to_f16
from ptxgen.cpu.rt.matrix.aligned_sums import GROUPED, Sum, aligned_sum, to_f16, to_f32
from ptxgen.cpu.rt.matrix.floats import LEAST
from ptxgen.cpu.rt.matrix.pairs import ctas_of
from ptxgen.cpu.rt.matrix.tcgen05_operands import Elements, OperandA, OperandB, positions
from ptxgen.cpu.rt.matrix.tcgen05_parameters import Parameter
from ptxgen.cpu.rt.matrix.tcgen05_request import LANES, Request
from ptxgen.cpu.rt.matrix.tensor_copies import shift_rows
from ptxgen.cpu.rt.matrix.vectors import WIDTH, LlvmVector, constant, held, load, splat, variable
from ptxgen.cpu.rt.memory import FaultKind
from ptxgen.cpu.rt.records import MemoryRecord
from ptxgen.cpu.rt.tensor_memory import column_pointer, not_allocated, tensor_memory

if TYPE_CHECKING:
    from ptxgen.cpu.emit import LlvmValue
    from ptxgen.cpu.rt.matrix.fragments import Fragments

__all__ = ["write"]

PRECISION = 23
COLUMNS = 256
"""Of D, at most."""


def write(f: Fragments) -> None:
    """The body of such an instruction's function."""
    e, r = f.e, Request(f)
    r.check()
    if r.ws:
        _check_zero_columns(r)
    ctas = ctas_of(MemoryRecord(e, record_layout.Warp, f.warp), f.words, r.refuse)
    a = Elements(f.matrix(r.element, LANES * r.depth), f.matrix("double", LANES * r.depth))
    b = Elements(f.matrix(r.element, WIDTH * r.k), f.matrix("double", WIDTH * r.k))
    for number, cta in enumerate(ctas):
        _Part(r, number, cta, a, b).write(ctas)
    if r.shifts:
        for cta in ctas:
            shift_rows(e, cta, e.const("i32", 0), r.word(Parameter.A) & 0xFFFF)
    e.jump("out")
    e.label("out")


class _Part:
    """What one CTA has of D."""

    def __init__(self, r: Request, number: int, cta: MemoryRecord, a: Elements, b: Elements) -> None:
        self.r = r
        self.e = r.e
        self.number = number
        self.cta = cta
        self.a, self.b = a, b
        self.memory = tensor_memory(cta)
        self.address = r.word(Parameter.D)
        self.places: LlvmValue | None = None

    def write(self, ctas: list[MemoryRecord]) -> None:
        r, e = self.r, self.e
        first, lane = self.address & 0xFFFF, self.address >> 16
        r.refuse(not_allocated(self.cta, first, r.width), FaultKind.TENSOR_MEMORY_COLUMNS, first)
        r.refuse((lane & ~r.spread.select(e.const("i32", 16), 0)).ne(0), FaultKind.TENSOR_MEMORY_LANES, self.address)
        self.places = positions(r, self.cta)
        OperandA(r, self.cta, self.places).read(self.a)
        zeros = _zero_columns(r) if r.ws else None
        share = r.n if len(ctas) == 1 else r.n >> 1  # columns of B in a CTA
        for number, owner in enumerate(ctas):
            other = OperandB(r, owner, self.cta, share * number, zeros)
            with e.count(0, share >> 3) as tile:
                other.read(self.b, tile << 3, WIDTH)
                column = (tile << 3) + share * number
                segment = column.udiv(r.width)
                with e.count(0, r.rows) as row:
                    self._eight(segment * r.rows + row, column - segment * r.width)

    def _eight(self, slot: LlvmValue, column: LlvmValue) -> None:
        """Eight neighbours in a row of D."""
        r, e = self.r, self.e
        lane = r.lane(slot) + (self.address >> 16)
        place = column_pointer(e, self.memory, lane, column + (self.address & 0xFFFF))
        matrix = e.var(f"[{WIDTH} x {r.element}]").pointer
        with e.count(0, e.const("i32", WIDTH)) as i:
            e.store(self._before(place, i), e.element(r.element, matrix, i))
        c = load(e, r.element, matrix)
        (self._integers(slot, c) if r.element == "i32" else self._floats(slot, c)).store(matrix)
        with e.if_(self._kept(lane)):
            with e.count(0, e.const("i32", WIDTH)) as i:
                e.store(self._encoded(e.load(r.element, e.element(r.element, matrix, i))), e.element("i32", place, i))

    def _kept(self, lane: LlvmValue) -> LlvmValue:
        """Is the lane written, by the mask of lanes that are left out?"""
        r, e = self.r, self.e
        if r.ws:
            return e.const("i1", 1)
        number = (lane >> 5) + (Parameter.MASK + 4 * self.number)
        word = e.load("i32", e.element("i32", r.f.rows, number))
        return (word >> (lane & 31) & 1).eq(0)

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

    def _pair(self, slot: LlvmValue, k: LlvmValue) -> tuple[LlvmVector, LlvmVector, LlvmVector]:
        """A stored element of A eight times, the eight of B, and the powers of two of their products."""
        r, e = self.r, self.e
        at = slot * r.depth + k
        row = k if self.places is None else e.load("i32", e.element("i32", self.places, at))
        one = splat(e, e.load(r.element, e.element(r.element, self.a.numbers, at)))
        eight = load(e, r.element, e.element(r.element, self.b.numbers, row * WIDTH))
        if r.element == "i32":
            return one, eight, eight
        left = splat(e, e.load("double", e.element("double", self.a.powers, at)))
        return one, eight, left * load(e, "double", e.element("double", self.b.powers, row * WIDTH))

    def _integers(self, slot: LlvmValue, c: LlvmVector) -> LlvmVector:
        r, e = self.r, self.e
        total = variable(e, constant(e, "i32", 0))
        with e.count(0, e.const("i32", r.depth)) as k:
            x, y, _ = self._pair(slot, k)
            (held(total) + x * y).put(total)
        return splat(e, r.saturates).select(c.intrinsic("sadd.sat", held(total)), c + held(total))

    def _floats(self, slot: LlvmValue, c: LlvmVector) -> LlvmVector:
        r, e = self.r, self.e
        narrow = splat(e, r.narrow)
        least = narrow.select(constant(e, "double", 2.0 ** LEAST["f16"]), 2.0 ** LEAST["f32"])
        total = aligned_sum(e, c, least, Sum(r.depth, *GROUPED.get(r.name, ())), lambda k: self._pair(slot, k))
        return narrow.select(to_f16(total), to_f32(total, PRECISION))


def _check_zero_columns(r: Request) -> None:
    """The zero-column mask moves B by no more columns than the descriptor says, with M = 32 at most by 16; some bits are 0."""
    e, spans = r.e, r.word(Parameter.MASK + 1)
    most = (e.const("i32", 4) << (r.bits >> 30)) & ~7
    most = e.intrinsic("llvm.umin", most, r.rows.eq(32).select(e.const("i32", 16), 32))
    wrong = (spans >> 24 & 63).ugt(most) | (spans & 0xC000_0070).ne(0)
    r.refuse(wrong, FaultKind.INSTRUCTION_DESCRIPTOR, r.bits)


def _zero_columns(r: Request) -> LlvmValue:
    """Of each column of B an i32: is it taken as zero? Spans that are skipped and used follow each other, and each segment of
    the columns begins anew, somewhere in a span (manual 9.7.16.4.3)."""
    e = r.e
    zeros = r.f.matrix("i32", COLUMNS)
    starts, spans = r.word(Parameter.MASK), r.word(Parameter.MASK + 1)
    enabled = (spans >> 7 & 1).ne(0)
    skipped, used = ((spans >> bit & 0xFF) + 1 for bit in (8, 16))
    skipping, passed = e.var("i32"), e.var("i32")
    with e.count(0, r.n) as column:
        segment = column.udiv(r.width)
        with e.if_((segment * r.width).eq(column)):
            first = spans >> segment & 1
            skipping.set(first)
            last = first.ne(0).select(skipped, used) - 1  # of the span
            passed.set(e.intrinsic("llvm.umin", starts >> (segment << 3) & 0xFF, last))
        skips = skipping.get().ne(0)
        length = skips.select(skipped, used)
        with e.if_(passed.get().uge(length)):
            skipping.set(skipping.get() ^ 1)
            passed.set(0)
        e.store((enabled & skipping.get().ne(0)).zext("i32"), e.element("i32", zeros, column))
        passed.set(passed.get() + 1)
    return zeros
