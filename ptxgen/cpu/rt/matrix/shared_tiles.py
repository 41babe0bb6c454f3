"""Matrices in shared memory as the descriptors of tcgen05 have them (manual 9.7.16.4.1).

Byte `byte` of line `line` lies at start + (byte / span) * s + (line / lines) * l + (line % lines) * span + byte % span, where
lines are rows along M (columns along N) and bytes go along K, or the other way round when the matrix is transposed; `span` is
the swizzle's, 16 without one. `lines` is 8, or 4 where 32 bytes stay together. Then bits of the address are flipped by higher
ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu.rt.memory import FaultKind
from ptxgen.cpu.rt.records import launch_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.cpu.emit import Emitter, LlvmValue
    from ptxgen.cpu.rt.records import MemoryRecord

__all__ = ["SharedMatrix"]


class SharedMatrix:
    """A matrix of one descriptor. `refuse(condition, kind, number)` leaves the function with a fault."""

    def __init__(
        self,
        e: Emitter,
        cta: MemoryRecord,
        word: LlvmValue,
        transposed: LlvmValue,
        refuse: Callable[[LlvmValue, FaultKind, LlvmValue], None],
    ) -> None:
        self.e = e
        self._refuse = refuse
        swizzle = word >> 61  # 0 none, 1 of 128 bytes with atoms of 32, 2 of 128, 4 of 64, 6 of 32
        odd = swizzle.eq(3) | swizzle.eq(5) | swizzle.eq(7)
        refuse(odd | (word & 0x0011_C000_C000_C000 | word >> 53 & 0xFF).ne(1 << 46), FaultKind.MATRIX_DESCRIPTOR, word)
        self._start, leading, stride = ((word >> first & 0x3FFF) << 4 for first in (0, 16, 32))
        self._base = word >> 49 & 7
        plain, wide = swizzle.eq(0), swizzle.eq(1)
        bits, four = e.const("i64", 8), e.const("i64", 4)
        self._span_bits = plain.select(four, wide.select(e.const("i64", 7), bits - (swizzle >> 1)))
        flips = plain.select(e.const("i64", 0), (e.const("i64", 1) << (self._span_bits - 4)) - 1)
        self._flips = wide.select(e.const("i64", 3), flips)
        self._atom_bits = wide.select(e.const("i64", 5), four)
        self._line_bits = (wide & transposed).select(e.const("i64", 2), 3)
        crossed = plain & transposed
        self._next_span = crossed.select(stride, leading)
        self._next_lines = (plain ^ crossed).select(stride, crossed.select(leading, stride))
        self._limit = launch_of(cta).get("shared_bytes").zext("i64")
        self._shared = cta.get("shared")

    def pointer(self, line: LlvmValue, byte: LlvmValue) -> LlvmValue:
        """The pointer to a byte of a line, both i32; what is read there lies within 16 bytes."""
        e = self.e
        one = e.const("i64", 1)
        line, byte = line.zext("i64"), byte.zext("i64")
        span, lines = one << self._span_bits, one << self._line_bits
        address = self._start + (byte >> self._span_bits) * self._next_span
        address = address + (line >> self._line_bits) * self._next_lines
        address = address + (line & lines - one) * span + (byte & span - one)
        address = address ^ ((address >> 7) - self._base & self._flips) << self._atom_bits
        self._refuse(((address & -16) + 16).ugt(self._limit), FaultKind.MATRIX_ADDRESS, address)
        return e.ptr(self._shared + address)
