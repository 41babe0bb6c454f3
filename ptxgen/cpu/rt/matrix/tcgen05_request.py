"""What tcgen05.mma, .cp and .shift are asked to do: their parameters, the fields of the instruction descriptor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu.rt.matrix.tcgen05_parameters import Flag, Parameter
from ptxgen.cpu.rt.memory import FaultKind
from ptxgen.isa.layouts.instruction import KINDS

if TYPE_CHECKING:
    from ptxgen.cpu.emit import Emitter, LlvmValue
    from ptxgen.cpu.rt.matrix.fragments import Fragments

__all__ = ["LANES", "Parameters", "Request"]

LANES = 128
"""Of tensor memory."""


class Parameters:
    """The parameters as a function sees them."""

    def __init__(self, f: Fragments) -> None:
        self.f = f
        self.e: Emitter = f.e

    def wide(self, parameter: Parameter) -> LlvmValue:
        """A descriptor, an i64."""
        return self.e.load("i64", self.e.offset(self.f.rows, 4 * parameter))

    def word(self, parameter: int) -> LlvmValue:
        return self.e.load("i32", self.e.offset(self.f.rows, 4 * parameter))

    def refuse(self, condition: LlvmValue, kind: FaultKind, number: LlvmValue) -> None:
        """Leaves the function with a fault."""
        e = self.e
        with e.if_(condition):
            e.store(e.const("i32", int(kind)), e.offset(self.f.rows, 4 * Parameter.FAULT))
            e.store(number.zext("i64"), e.offset(self.f.rows, 4 * Parameter.NUMBER))
            e.leave("out")


class Request(Parameters):
    """A tcgen05.mma. The descriptor says M, N, types and signs when it runs; K is the kind's.

    Its work is cut into `slots`, one for each lane of a CTA's tensor memory that has a part of D: a row, and a `segment` of N's
    columns (layouts A to G of manual 9.7.16.10.5). The slots of a segment follow each other in the order of their rows.
    """

    def __init__(self, f: Fragments) -> None:
        super().__init__(f)
        e = f.e
        self.name = next(word.partition("::")[2] for word in f.words if word.startswith("kind::"))
        self.kind = KINDS[self.name]
        self.group = 2 if "cta_group::2" in f.words else 1
        self.ws, self.sparse, self.shifts = ("ws" in f.words), ("sp" in f.words), ("ashift" in f.words)
        self.depth = self.kind.k
        """Elements of a row of A that are stored."""
        self.k = self.depth * (1 + self.sparse)
        self.element = "i32" if self.name == "i8" else "double"
        self.vector = self._vector() if self.kind.scales else 0
        """Factors of scale in a row of A or a column of B."""
        self.bits = bits = self.word(Parameter.DESCRIPTOR)
        self.flags = self.word(Parameter.FLAGS)
        self.m = (bits >> 27 & 3) << 7 if self.vector else (bits >> 24 & 31) << 4
        self.n = (bits >> 17 & 63) << 3
        self.rows = self.m >> self.group - 1
        half = self.rows.eq(64)
        never = e.const("i1", 0)
        self.spread = half if not self.ws and (self.group == 1 or self.sparse) else never
        """Every other 16 lanes are used: layouts C and F."""
        self.slots = self.spread.select(self.rows, LANES)
        quarter = self.rows.eq(32).select(e.const("i32", 2), half.select(e.const("i32", 1), 0))
        self.segment_bits = self.spread.select(e.const("i32", 0), quarter)
        """The logarithm of how many segments there are: layouts B and E have two, G has four."""
        self.width = self.n >> self.segment_bits
        """Columns of a segment, and of tensor memory."""
        self.narrow = (bits >> 4 & 3).eq(0) if len(self.kind.sums) == 2 else never
        self.saturates = (bits >> 3 & 1).ne(0)
        self.adds = (self.flags & int(Flag.ADD)).ne(0)
        self.scale_d = ((e.const("i64", 1023) - self.word(Parameter.SCALE_D).zext("i64")) << 52).bitcast("double")

    def _vector(self) -> int:
        given = next((w for w in self.f.words if w.startswith(("scale_vec", "block1", "block3"))), "")
        count = {"scale_vec::1X": 1, "scale_vec::2X": 2, "scale_vec::4X": 4}.get(given)
        block = {"block16": 16, "block32": 32}.get(given, 32)
        return count or self.depth // block

    def lane(self, slot: LlvmValue) -> LlvmValue:
        """Of tensor memory, without what the address adds."""
        return self.spread.select((slot & ~15) << 1 | slot & 15, slot)

    def code(self, operand: str) -> LlvmValue:
        """Of the type of "a" or "b"."""
        return self.bits >> (7 if operand == "a" else 10) & 7

    def check(self) -> None:
        """Refuses descriptors that the instruction does not take; InstructionDescriptor says in words why."""
        bits, sparse_bit = self.bits, 4 * self.sparse
        good = self._good_shape() & (bits & 4).eq(sparse_bit)
        if self.shifts:
            good = good & self.rows.eq(LANES)
        for operand in "ab":
            good = good & self._one_of(self.code(operand), tuple(self.kind.inputs.values()))
        reserved = 0x8700_0048 if self.vector else 0x2080_0040 | (0 if self.name == "i8" else 8)
        if not (self.sparse and self.name in ("f16", "tf32")):
            reserved |= 3  # the sparsity selector
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
        if self.name == "mxf8f6f4":
            good = good & (bits >> 23 & 1).ne(0)
        if self.vector > 1:  # the first byte of two is the first or the third, of four the first
            for first in (4, 29):
                good = good & (bits >> first & (1 if self.vector == 2 else 3)).eq(0)
        self.refuse(~good, FaultKind.INSTRUCTION_DESCRIPTOR, bits)

    def _good_shape(self) -> LlvmValue:
        """M and N (table 39)."""
        if self.ws:
            return self._one_of(self.m, (32, 64, 128)) & self._one_of(self.n, (64, 128) + (256,) * (not self.sparse))
        rows = (64, 128)[self.vector > 0 :] if self.group == 1 else (128, 256)[self.vector > 0 and self.sparse :]
        step = 16 * self.group if self.name == "i8" else 8 * self.group
        small = self.n.eq(8) | self.n.eq(24) if (self.name, self.group) == ("i8", 1) else self.e.const("i1", 0)
        return self._one_of(self.m, rows) & self.n.ne(0) & self.n.ule(256) & (small | (self.n & step - 1).eq(0))

    def _one_of(self, value: LlvmValue, numbers: tuple[int, ...]) -> LlvmValue:
        found = self.e.const("i1", 0)
        for number in numbers:
            found = found | value.eq(number)
        return found
