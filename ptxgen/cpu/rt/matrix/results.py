"""C and D of sums that are made sixteen at a time: words of fragments, half a register each, as f32 and from f32."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Protocol

from ptxgen.cpu.rt.matrix.numerals import f16_bits, widened_f16
from ptxgen.cpu.rt.matrix.quads import LANES
from ptxgen.cpu.rt.matrix.sides import HALF
from ptxgen.cpu.rt.matrix.vectors import LlvmVector, load, splat

if TYPE_CHECKING:
    from ptxgen.cpu.emit import Emitter, LlvmValue
    from ptxgen.cpu.rt.matrix.fragments import Fragments

__all__ = ["Place", "Results"]


class Place(Protocol):
    """Where the words of a register of D go: of eight rows the first, the second."""

    def __call__(self, block: LlvmValue, register: LlvmValue) -> LlvmValue: ...


class Results(ABC):
    """How sums are made, a subclass says."""

    def __init__(self, f: Fragments) -> None:
        self.f = f
        self.e: Emitter = f.e
        self._type_d = f.layouts["d"].type
        self._type_c = f.layouts["c"].type if "c" in f.layouts else self._type_d

    @abstractmethod
    def tile(self, c: LlvmValue, write: Place, kept: LlvmValue | None = None) -> None:
        """Eight columns of all rows. `c`: the words of C's registers, those of eight rows after those of the eight before.
        `kept`: an i32, 0 where C is not added."""

    def addend(
        self, c: LlvmValue, block: LlvmValue, half: LlvmValue, odd: LlvmValue, kept: LlvmValue | None
    ) -> LlvmVector:
        """Sixteen elements of C as f32: of the block, from word `half` of a register on, of the even or odd columns."""
        e = self.e
        if self._type_c == "f16":
            words = load(e, "i32", e.element("i32", c, block * LANES + half), HALF)
            bits = widened_f16(words >> splat(e, odd * 16, HALF) & 0xFFFF)
        else:
            bits = load(e, "i32", e.element("i32", c, (block * 2 + odd) * LANES + half), HALF)
        return (bits if kept is None else bits & splat(e, kept, HALF)).bitcast("float")

    def put(self, even: LlvmVector, odd: LlvmVector, block: LlvmValue, half: LlvmValue, write: Place) -> None:
        """Writes the elements of D."""
        e = self.e
        if self._type_d == "f16":
            low, high = (f16_bits(x) for x in (even, odd))
            words = [low | high << 16]
        else:
            words = [x.bitcast("i32") for x in (even, odd)]
        for number, word in enumerate(words):
            word.store(e.element("i32", write(block, e.const("i32", number)), half))
