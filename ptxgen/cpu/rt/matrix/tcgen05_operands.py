"""A and B of tcgen05.mma as numbers, from shared or tensor memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ptxgen.cpu.rt.matrix.aligned_sums import GROUPED, power_of
from ptxgen.cpu.rt.matrix.floats import LEAST, LEAST_FACTOR, factor, widened
from ptxgen.cpu.rt.matrix.shared_tiles import SharedMatrix
from ptxgen.cpu.rt.matrix.tcgen05_parameters import Flag, Parameter
from ptxgen.cpu.rt.matrix.tcgen05_request import LANES, Request
from ptxgen.cpu.rt.memory import FaultKind
from ptxgen.cpu.rt.tensor_memory import column_pointer, not_allocated, tensor_memory

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.cpu.emit import Emitter, LlvmValue
    from ptxgen.cpu.rt.records import MemoryRecord

__all__ = ["Elements", "OperandA", "OperandB", "positions"]

_WIDTHS = {"f16": 16, "bf16": 16, "tf32": 32, "e2m3": 6, "e3m2": 6, "e2m1": 4}
"""Bits of an element; of others 8."""


class Elements(NamedTuple):
    """The numbers of a matrix, and the power of two of each."""

    numbers: LlvmValue
    powers: LlvmValue


class Operand:
    """A or B of one CTA."""

    def __init__(self, r: Request, operand: str, cta: MemoryRecord) -> None:
        self.r = r
        self.e: Emitter = r.e
        self.operand = operand
        self.cta = cta
        a = operand == "a"
        self.code = r.code(operand)
        self.negates = (r.bits >> (13 if a else 14) & 1).ne(0)
        self.transposed = (r.bits >> (15 if a else 16) & 1).ne(0)
        self.types = {code: name for name, code in r.kind.inputs.items()}
        self.width = self._by_type(lambda name: self.e.const("i32", _WIDTHS.get(name, 8)))

    def _by_type(self, made: Callable[[str], LlvmValue]) -> LlvmValue:
        """What the type has, of what each type of the kind would have."""
        (_, name), *others = self.types.items()
        found = made(name)
        for code, name in others:
            found = self.code.eq(code).select(made(name), found)
        return found

    def shared(self) -> Callable[[LlvmValue, LlvmValue], LlvmValue]:
        """What gives the bits of element (row, index along K) in shared memory, where the descriptor leads."""
        r, e = self.r, self.e
        word = r.wide(Parameter.A if self.operand == "a" else Parameter.B)
        matrix = SharedMatrix(e, self.cta, word, self.transposed, r.refuse)
        each = {"f16": 8, "tf32": 4, "mxf4": 32, "mxf4nvf4": 32}.get(r.name, 16)  # elements in 16 bytes

        def bits(row: LlvmValue, k: LlvmValue) -> LlvmValue:
            line, along = self.transposed.select(k, row), self.transposed.select(row, k)
            bit = along.urem(each) * self.width
            pointer = matrix.pointer(line, (along.udiv(each) << 4) + (bit >> 3))
            word = e.load("i32" if r.name == "tf32" else "i16", pointer).zext("i32") >> (bit & 7)
            return word & self.ones()

        return bits

    def ones(self) -> LlvmValue:
        """As many as an element has bits."""
        return self.e.const("i32", -1) >> (self.e.const("i32", 32) - self.width)

    def put(
        self,
        target: Elements,
        at: LlvmValue,
        bits: LlvmValue,
        place: tuple[MemoryRecord, LlvmValue, LlvmValue, LlvmValue],
    ) -> None:
        """Stores an element; `place` is where its factor of scale is: CTA, lane, column, position along K."""
        r, e = self.r, self.e
        if r.element == "i32":
            value = self.code.ne(0).select((bits << 24).sra(24), bits)
            e.store(value, e.element("i32", target.numbers, at))
            return
        number = self._by_type(lambda name: widened(e, bits, name)).cast("fpext", "double")
        number = self.negates.select(-number, number)
        found = power_of(number, self._by_type(lambda name: e.double(2.0 ** LEAST[name])))
        if r.vector:
            factor, power = self._factor(*place)
            number, found = number * factor, power if r.name in GROUPED else found * power
        e.store(number, e.element("double", target.numbers, at))
        e.store(found, e.element("double", target.powers, at))

    def _factor(
        self, cta: MemoryRecord, lane: LlvmValue, column: LlvmValue, position: LlvmValue
    ) -> tuple[LlvmValue, LlvmValue]:
        """The factor of scale there, and its power of two; the column is counted from the operand's address."""
        r, e = self.r, self.e
        a = self.operand == "a"
        address = r.word(Parameter.SCALE_A if a else Parameter.SCALE_B)
        at = (address & 0xFFFF) + column
        r.refuse(not_allocated(cta, at, e.const("i32", 1)), FaultKind.TENSOR_MEMORY_COLUMNS, at)
        word = e.load("i32", column_pointer(e, tensor_memory(cta), lane, at))
        byte = (r.bits >> (29 if a else 4) & 3) + position.udiv(r.k // r.vector)
        bits = word >> ((byte & 3) << 3)
        found = scaled = factor(e, bits, "ue8m0")
        power = power_of(found, e.double(2.0 ** LEAST_FACTOR["ue8m0"]))
        if r.name == "mxf4nvf4":
            ue8m0, found = (r.bits >> 23 & 1).ne(0), factor(e, bits, "ue4m3")
            power = ue8m0.select(power, power_of(found, e.double(2.0 ** LEAST_FACTOR["ue4m3"])))
            found = ue8m0.select(scaled, found)
        return found, power


class OperandA(Operand):
    """All of a CTA's A: what slot i multiplies is in `target` from element i * depth on."""

    def __init__(self, r: Request, cta: MemoryRecord, places: LlvmValue | None) -> None:
        super().__init__(r, "a", cta)
        self._places = places

    def read(self, target: Elements) -> None:
        r, e = self.r, self.e
        from_tensor, from_shared, end = e.fresh("tensor"), e.fresh("shared"), e.fresh("read")
        e.branch((r.flags & int(Flag.A_IN_TENSOR_MEMORY)).ne(0), from_tensor, from_shared)
        for label, source in ((from_tensor, self._in_tensor_memory), (from_shared, self._in_shared_memory)):
            e.label(label)
            bits = source()
            with e.count(0, r.slots) as slot:
                with e.count(0, e.const("i32", r.depth)) as k:
                    row, at = slot & (r.rows - 1), slot * r.depth + k
                    position = k if self._places is None else e.load("i32", e.element("i32", self._places, at))
                    self.put(target, at, bits(slot, k), (self.cta, row & 31, row >> 5, position))
            e.jump(end)
        e.label(end)

    def _in_shared_memory(self) -> Callable[[LlvmValue, LlvmValue], LlvmValue]:
        bits = self.shared()
        return lambda slot, k: bits(slot & (self.r.rows - 1), k)

    def _in_tensor_memory(self) -> Callable[[LlvmValue, LlvmValue], LlvmValue]:
        """Neighbours along K share a column; elements of 4 and 6 bits have a byte but for the kinds of 4 bits alone. A lane's
        part of D is made from the same lane's A, so where D is in segments, A is there several times."""
        r, e = self.r, self.e
        address = r.word(Parameter.A)
        size = {"f16": 16, "tf32": 32, "mxf4": 4, "mxf4nvf4": 4}.get(r.name, 8)
        first, lane = address & 0xFFFF, address >> 16
        columns = e.const("i32", r.depth * size // 32)
        r.refuse(not_allocated(self.cta, first, columns), FaultKind.TENSOR_MEMORY_COLUMNS, first)
        _same_lanes(r, address)
        memory = tensor_memory(self.cta)

        def bits(slot: LlvmValue, k: LlvmValue) -> LlvmValue:
            at = r.lane(slot) + lane
            bit = k * size
            word = e.load("i32", column_pointer(e, memory, at, first + (bit >> 5))) >> (bit & 31)
            if size == 8:  # elements of fewer bits are in the middle
                word = word >> ((e.const("i32", 8) - self.width) >> 1)
            return word & self.ones()

        return bits


class OperandB(Operand):
    """Eight columns of B at a time. `owner` is the CTA that has them, `before` how many columns others have before it;
    the factors of scale are in the tensor memory of `cta`, that of D. `zeros` says which columns are zero."""

    def __init__(
        self, r: Request, owner: MemoryRecord, cta: MemoryRecord, before: LlvmValue, zeros: LlvmValue | None
    ) -> None:
        super().__init__(r, "b", owner)
        self._scales, self._before, self._zeros = cta, before, zeros

    def read(self, target: Elements, first: LlvmValue, count: int) -> None:
        """Columns from `first` of the owner's on, to `target` row by row of K."""
        r, e = self.r, self.e
        bits = self.shared()
        moved = r.word(Parameter.MASK + 1) >> 24 & 63 if r.ws else e.const("i32", 0)
        with e.count(0, e.const("i32", count)) as i:
            with e.count(0, e.const("i32", r.k)) as k:
                at = k * count + i
                found = bits(first + i + moved, k)
                if self._zeros is not None:
                    column = first + i + self._before
                    found = e.load("i32", e.element("i32", self._zeros, column)).ne(0).select(e.const("i32", 0), found)
                self.put(target, at, found, (self._scales, *self._scale_of(first + i + self._before), k))

    def _scale_of(self, column: LlvmValue) -> tuple[LlvmValue, LlvmValue]:
        """(lane, column of tensor memory): where D is in two halves, those of the second are in the second half of the lanes."""
        r = self.r
        upper = r.segment_bits.ne(0) & column.uge(r.width)
        within = column - upper.select(r.width, 0)
        return upper.select(self.e.const("i32", 64), 0) + (within & 31), within >> 5


def positions(r: Request, cta: MemoryRecord) -> LlvmValue | None:
    """Where in K each stored element of A stands, an i32 for each slot and element; None where A is dense.

    A lane's word has the fields of 8 elements for itself and for the lane 8 further, which has the rest of both; with 8 bits or
    less of an element a lane has its own, in one column or two (9.7.16.10.8).
    """
    if not r.sparse:
        return None
    e = r.e
    places = r.f.matrix("i32", LANES * r.depth)
    memory, address = tensor_memory(cta), r.word(Parameter.METADATA)
    wide = r.name in ("f16", "tf32")
    selector = r.bits & 3 if wide else e.const("i32", 0)
    first = (address & 0xFFFF) + selector
    r.refuse(not_allocated(cta, first, e.const("i32", 1 if wide else 2)), FaultKind.TENSOR_MEMORY_COLUMNS, first)
    _same_lanes(r, address)
    size = 4 if r.name == "tf32" else 2
    paired = r.name in ("mxf4", "mxf4nvf4")
    with e.count(0, r.slots) as slot:
        lane = r.lane(slot) + (address >> 16)
        with e.count(0, e.const("i32", r.depth)) as k:
            number = k >> 1 if paired else k
            if wide:
                half = r.depth // 2
                holder = (lane & ~8) + (number.udiv(half) << 3)
                bit = ((lane >> 3 & 1) << 4) + number.urem(half) * size
                column = first
            else:
                holder, bit, column = lane, (number & 15) * size, first + (number >> 4)
            field = e.load("i32", column_pointer(e, memory, holder & LANES - 1, column)) >> bit & (1 << size) - 1
            if paired:
                place = (k >> 2 << 3) + (field << 1) + (k & 1)
            else:
                place = (k << 1) + (field >> 3) if size == 4 else (k >> 1 << 2) + field
            e.store(place, e.element("i32", places, slot * r.depth + k))
    return places


def _same_lanes(r: Request, address: LlvmValue) -> None:
    """What lies in tensor memory beside D begins at the same lane (9.7.16.10.5)."""
    r.refuse((address >> 16).ne(r.word(Parameter.D) >> 16), FaultKind.TENSOR_MEMORY_LANES, address)
