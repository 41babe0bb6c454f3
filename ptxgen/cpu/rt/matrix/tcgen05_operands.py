"""What tcgen05.mma is asked to do, and its A and B as numbers."""

from __future__ import annotations

from enum import IntEnum, IntFlag
from typing import TYPE_CHECKING, NamedTuple

from ptxgen.cpu.rt.formats import widen, widen_scale
from ptxgen.cpu.rt.matrix.floats import LEAST, widened
from ptxgen.cpu.rt.matrix.shared_tiles import SharedMatrix
from ptxgen.cpu.rt.memory import FaultKind
from ptxgen.cpu.rt.tensor_memory import column_pointer, not_allocated, tensor_memory
from ptxgen.isa.layouts.instruction import KINDS

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.cpu.emit import Emitter, LlvmValue
    from ptxgen.cpu.rt.matrix.fragments import Fragments
    from ptxgen.cpu.rt.records import MemoryRecord

__all__ = ["Elements", "Flag", "Operand", "Parameter", "Request"]

_LEAST = {**LEAST, "e2m3": 0, "e3m2": -2, "e2m1": 0}
_WIDTHS = {"f16": 16, "bf16": 16, "tf32": 32, "e2m3": 6, "e3m2": 6, "e2m1": 4}
"""Bits of an element; of others 8."""


class Parameter(IntEnum):
    """The 64-bit words that the function gets in place of pointers to rows."""

    D = 0
    """Addresses in tensor memory and descriptors, as the operands have them."""
    A = 1
    B = 2
    DESCRIPTOR = 3
    FLAGS = 4
    SCALE_D = 5
    """D is multiplied by 2 to the minus that."""
    SCALE_A = 6
    SCALE_B = 7
    MASK = 8
    """Eight words of 32 bits: the lanes of D that are left out, of a pair's first CTA first."""
    FAULT = 16
    """Set by the function: a FaultKind, or 0; and its number."""
    NUMBER = 17


class Flag(IntFlag):
    ADD = 1
    """D is added to, not set."""
    A_IN_TENSOR_MEMORY = 2


class Elements(NamedTuple):
    """The numbers of a matrix, and the power of two of each."""

    request: Request
    numbers: LlvmValue
    powers: LlvmValue


class Request:
    """The instruction: its parameters, and the fields of its descriptor."""

    def __init__(self, f: Fragments) -> None:
        self.f = f
        self.e = e = f.e
        self.name = next(word.partition("::")[2] for word in f.words if word.startswith("kind::"))
        self.kind = KINDS[self.name]
        self.group = 2 if "cta_group::2" in f.words else 1
        self.depth = self.kind.k
        self.element = "i32" if self.name == "i8" else "double"
        self.vector = self._vector() if self.kind.scales else 0
        self.bits = bits = self.word(Parameter.DESCRIPTOR).trunc("i32")
        self.flags = self.word(Parameter.FLAGS)
        self.m = (bits >> 27 & 3) << 7 if self.vector else (bits >> 24 & 31) << 4
        self.n = (bits >> 17 & 63) << 3
        self.rows = self.m >> self.group - 1
        self.spread = self.rows.eq(64) if self.group == 1 else e.const("i1", 0)
        """Every other 16 lanes are used: layout F."""
        self.halved = self.rows.eq(64) if self.group == 2 else e.const("i1", 0)
        """The second half of the columns is in the second half of the lanes: layout B."""
        self.narrow = (bits >> 4 & 3).eq(0) if len(self.kind.sums) == 2 else e.const("i1", 0)
        self.saturates = (bits >> 3 & 1).ne(0)
        self.adds = (self.flags & int(Flag.ADD)).ne(0)
        self.scale_d = ((e.const("i64", 1023) - self.word(Parameter.SCALE_D)) << 52).bitcast("double")

    def _vector(self) -> int:
        """Factors of scale in a row of A or a column of B."""
        given = next((w for w in self.f.words if w.startswith(("scale_vec", "block1", "block3"))), "")
        count = {"scale_vec::1X": 1, "scale_vec::2X": 2, "scale_vec::4X": 4}.get(given)
        block = {"block16": 16, "block32": 32}.get(given, 32)
        return count or self.depth // block

    def word(self, parameter: int) -> LlvmValue:
        return self.e.load("i64", self.e.offset(self.f.rows, 8 * parameter))

    def refuse(self, condition: LlvmValue, kind: FaultKind, number: LlvmValue) -> None:
        """Leaves the function with a fault."""
        e = self.e
        with e.if_(condition):
            e.store(e.const("i64", int(kind)), e.offset(self.f.rows, 8 * Parameter.FAULT))
            e.store(number.zext("i64"), e.offset(self.f.rows, 8 * Parameter.NUMBER))
            e.leave("out")

    def lane(self, row: LlvmValue) -> LlvmValue:
        """Of D's row, and of A's."""
        return self.spread.select((row & ~15) << 1 | row & 15, row)

    def code(self, operand: str) -> LlvmValue:
        """Of the type of "a" or "b"."""
        return self.bits >> (7 if operand == "a" else 10) & 7

    def check(self) -> None:
        """Refuses descriptors that the instruction does not take; InstructionDescriptor says in words why."""
        e, bits = self.e, self.bits
        rows = (64, 128) if self.group == 1 else (128, 256)
        good = self._one_of(self.m, rows[self.vector > 0 :])
        step = 16 * self.group if self.name == "i8" else 8 * self.group
        small = self.n.eq(8) | self.n.eq(24) if (self.name, self.group) == ("i8", 1) else e.const("i1", 0)
        good = good & self.n.ne(0) & self.n.ule(256) & (small | (self.n & step - 1).eq(0))
        for operand in "ab":
            good = good & self._one_of(self.code(operand), tuple(self.kind.inputs.values()))
        reserved = 0x8700_004F if self.vector else 0x2080_0047 | (0 if self.name == "i8" else 8)
        good = good & (bits & reserved).eq(0)
        if not self.vector:
            sums = {"f16": 0, "f32": 1, "s32": 2}
            good = good & self._one_of(bits >> 4 & 3, tuple(sums[name] for name in self.kind.sums))
        if self.name == "f16":
            good = good & (~self.narrow | (self.code("a") | self.code("b")).eq(0))
        if not self.kind.transpose:
            good = good & (bits >> 15 & 3).eq(0)
        if not self.kind.negate:
            good = good & (bits >> 13 & 3).eq(0)
        if self.name == "mxf4":
            good = good & (bits >> 23 & 1).ne(0)
        if self.vector > 1:  # the first byte of two is the first or the third, of four the first
            for first in (4, 29):
                good = good & (bits >> first & (1 if self.vector == 2 else 3)).eq(0)
        self.refuse(~good, FaultKind.INSTRUCTION_DESCRIPTOR, bits)

    def _one_of(self, value: LlvmValue, numbers: tuple[int, ...]) -> LlvmValue:
        found = self.e.const("i1", 0)
        for number in numbers:
            found = found | value.eq(number)
        return found


class Operand:
    """A or B of one CTA. `scales` is the CTA whose tensor memory has the factors of scale, `before` how many columns of B come
    before those of this CTA."""

    def __init__(
        self,
        r: Request,
        operand: str,
        cta: MemoryRecord,
        scales: MemoryRecord | None = None,
        before: LlvmValue | None = None,
    ) -> None:
        self.r = r
        self.e = e = r.e
        self.operand = operand
        self.cta = cta
        self.scales = scales or cta
        self.before = before or e.const("i32", 0)
        self.code = r.code(operand)
        self.negates = (r.bits >> (13 if operand == "a" else 14) & 1).ne(0)
        self.transposed = (r.bits >> (15 if operand == "a" else 16) & 1).ne(0)
        self.types = {code: name for name, code in r.kind.inputs.items()}
        self.width = self._by_type(lambda name: e.const("i32", _WIDTHS.get(name, 8)))

    def _by_type(self, made: Callable[[str], LlvmValue]) -> LlvmValue:
        """What the type has, of what each type of the kind would have."""
        (_, name), *others = self.types.items()
        found = made(name)
        for code, name in others:
            found = self.code.eq(code).select(made(name), found)
        return found

    def read(
        self, target: Elements, first: LlvmValue, count: LlvmValue, number: Callable[[LlvmValue, LlvmValue], LlvmValue]
    ) -> None:
        """`count` rows (columns of B) from `first` on, all K of them: to element `number(row, index along K)`."""
        r, e = self.r, self.e
        in_tensor = (r.flags & int(Flag.A_IN_TENSOR_MEMORY)).ne(0) if self.operand == "a" else e.const("i1", 0)
        from_tensor, from_shared, end = e.fresh("tensor"), e.fresh("shared"), e.fresh("read")
        e.branch(in_tensor, from_tensor, from_shared)
        e.label(from_tensor)
        if self.operand == "a":
            self._from_tensor_memory(target, count, number)
        e.jump(end)
        e.label(from_shared)
        self._from_shared(target, first, count, number)
        e.jump(end)
        e.label(end)

    def _from_shared(
        self, target: Elements, first: LlvmValue, count: LlvmValue, number: Callable[[LlvmValue, LlvmValue], LlvmValue]
    ) -> None:
        r, e = self.r, self.e
        word = r.word(Parameter.A if self.operand == "a" else Parameter.B)
        matrix = SharedMatrix(e, self.cta, word, self.transposed, r.refuse)
        each = {"f16": 8, "tf32": 4, "mxf4": 32, "mxf4nvf4": 32}.get(r.name, 16)  # elements in 16 bytes
        with e.count(0, count) as i:
            with e.count(0, e.const("i32", r.depth)) as k:
                row = first + i
                line, along = self.transposed.select(k, row), self.transposed.select(row, k)
                bit = along.urem(each) * self.width
                pointer = matrix.pointer(line, (along.udiv(each) << 4) + (bit >> 3))
                word_ = e.load("i32" if r.name == "tf32" else "i16", pointer).zext("i32") >> (bit & 7)
                self._put(target, number(i, k), word_ & self._ones(), row, k)

    def _ones(self) -> LlvmValue:
        """As many as an element has bits."""
        return self.e.const("i32", -1) >> (self.e.const("i32", 32) - self.width)

    def _from_tensor_memory(
        self, target: Elements, count: LlvmValue, number: Callable[[LlvmValue, LlvmValue], LlvmValue]
    ) -> None:
        """Neighbours along K share a column; elements of 4 and 6 bits have a byte but for the kinds of 4 bits alone."""
        r, e = self.r, self.e
        address = r.word(Parameter.A).trunc("i32")
        size = {"f16": 16, "tf32": 32, "mxf4": 4, "mxf4nvf4": 4}.get(r.name, 8)
        first, lane = address & 0xFFFF, address >> 16
        r.refuse(
            not_allocated(self.cta, first, e.const("i32", r.depth * size // 32)), FaultKind.TENSOR_MEMORY_COLUMNS, first
        )
        r.refuse(
            (lane & ~r.spread.select(e.const("i32", 16), 0)).ne(0) | r.halved, FaultKind.TENSOR_MEMORY_LANES, address
        )
        memory = tensor_memory(self.cta)
        with e.count(0, count) as row:
            with e.count(0, e.const("i32", r.depth)) as k:
                bit = k * size
                word = e.load("i32", column_pointer(e, memory, r.lane(row) + lane, first + (bit >> 5))) >> (bit & 31)
                if size == 8:  # the four bits of e2m1 are in the middle
                    word = word >> self.width.eq(4).select(e.const("i32", 2), 0)
                self._put(target, number(row, k), word & self._ones(), row, k)

    def _put(self, target: Elements, at: LlvmValue, bits: LlvmValue, row: LlvmValue, k: LlvmValue) -> None:
        r, e = self.r, self.e
        if r.element == "i32":
            signed = self.code.ne(0)
            value = signed.select((bits << 24).sra(24), bits)
            e.store(value, e.element("i32", target.numbers, at))
            return
        number = self._by_type(lambda name: _number(e, bits, name)).cast("fpext", "double")
        number = self.negates.select(-number, number)
        least = self._by_type(lambda name: e.double(2.0 ** _LEAST[name]))
        found = _power(number, least)
        if r.vector:
            scale = self._scale(row, k)
            number, found = number * scale, found * _power(scale, e.double(2.0**-200))
        e.store(number, e.element("double", target.numbers, at))
        e.store(found, e.element("double", target.powers, at))

    def _scale(self, row: LlvmValue, k: LlvmValue) -> LlvmValue:
        """The factor of an element: of row or column `row` the byte in lane row % 32 and column row / 32."""
        r, e = self.r, self.e
        address = r.word(Parameter.SCALE_A if self.operand == "a" else Parameter.SCALE_B).trunc("i32")
        at = row + self.before
        column = (address & 0xFFFF) + (at >> 5)
        r.refuse(not_allocated(self.scales, column, e.const("i32", 1)), FaultKind.TENSOR_MEMORY_COLUMNS, column)
        word = e.load("i32", column_pointer(e, tensor_memory(self.scales), at & 31, column))
        byte = (r.bits >> (29 if self.operand == "a" else 4) & 3) + k.udiv(r.depth // r.vector)
        bits = word >> (byte << 3) & 0xFF
        found = e.use(widen_scale, bits)
        if r.name == "mxf4nvf4":
            found = (r.bits >> 23 & 1).ne(0).select(found, e.use(widen, bits & 0x7F, format="e4m3"))
        return found.cast("fpext", "double")


def _number(e: Emitter, bits: LlvmValue, type: str) -> LlvmValue:
    """An element as f32."""
    return e.use(widen, bits, format=type) if type in ("e2m3", "e3m2", "e2m1") else widened(e, bits, type)


def _power(number: LlvmValue, least: LlvmValue) -> LlvmValue:
    """floats.power of one number."""
    e = number.emitter
    found = (number.bitcast("i64") & 0x7FF << 52).bitcast("double")
    top = e.const("double", 1 << 200)
    small = found.fcmp("olt", top).select(found, top)
    limited = small.fcmp("ogt", least).select(small, least)
    return found.fcmp("oeq", e.const("double", 0)).select(found, limited)
