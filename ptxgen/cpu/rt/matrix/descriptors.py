"""Where a matrix of wgmma lies in shared memory (manual 9.7.15.5.1.2), by its descriptor.

Element (line, byte) lies at start + (byte / span) * c + (line / 8) * l + (line % 8) * span + byte % span, where lines are rows
along M (columns along N) and bytes go along K, or the other way round when the matrix is transposed; `span` is the swizzle's, 16
without one. Then address bits 4 to 6 are flipped by bits 7 to 9, as many as the swizzle has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ptxgen.cpu.emit import Emitter, LlvmValue

__all__ = ["CHUNK", "Descriptor"]

CHUNK = 16
"""Bytes that lie together whatever the swizzle."""


class Descriptor:
    """`word` is an i64, `transposed` an i1."""

    def __init__(self, e: Emitter, word: LlvmValue, transposed: LlvmValue) -> None:
        self._start, leading, stride = ((word >> first & 0x3FFF) << 4 for first in (0, 16, 32))
        self._base = word >> 49 & 7
        self.swizzle = swizzle = word >> 62  # 0 none, 1 of 128 bytes, 2 of 64, 3 of 32
        plain = swizzle.eq(0)
        self._span_bits = plain.select(e.const("i64", 4), e.const("i64", 8) - swizzle)
        self.span = e.const("i64", 1) << self._span_bits
        self._flips = plain.select(e.const("i64", 0), (e.const("i64", 8) >> (swizzle - 1 & 3)) - 1)
        crossed = plain & transposed
        self._next_span = crossed.select(stride, leading)
        self._next_lines = (plain ^ crossed).select(stride, crossed.select(leading, stride))

    def address(self, line: LlvmValue, byte: LlvmValue) -> LlvmValue:
        """Of a byte of a line, both i64, before the swizzle; seven more lines follow after `span` bytes each, if the line's
        number is a multiple of eight."""
        address = self._start + (byte >> self._span_bits) * self._next_span + (line >> 3) * self._next_lines
        return address + (line & 7) * self.span + (byte & self.span - 1)

    def swizzled(self, address: LlvmValue) -> LlvmValue:
        """Where in shared memory the 16 bytes at an address lie."""
        return address ^ ((address >> 7) - self._base & self._flips) << 4
