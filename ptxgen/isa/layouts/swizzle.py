"""Swizzles: where tensor copies and the tensor cores put bytes in shared memory, and what that saves in bank conflicts.

A swizzle exchanges chunks within a span of bytes by the number of the 128-byte line that they are in (manual 5.5.7): bits of the
address are flipped by higher bits, so that applying it twice gives the address again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from driver_ctypes.typing import NamedTuple
from ptxgen.isa.layouts.mixed_radix import LayoutError

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["SWIZZLES", "Swizzle", "bank_conflicts", "find_swizzle"]

A = TypeVar("A", int, Any)
"""A Python integer, or an integer of a builder."""

LINE = 128
"""Bytes of one row of the 32 banks."""


class Swizzle(NamedTuple):
    """`span` bytes within which chunks of `atom` bytes change places; `flip` also exchanges 8-byte halves in odd lines."""

    name: str
    span: int
    atom: int
    flip: bool = False

    @property
    def pattern(self) -> int:
        """Bytes that its pattern starts at a multiple of (manual 5.5.7): 1024 for 128B, 512 for 64B, 256 for 32B; 16 without."""
        return 8 * self.span if self.span > self.atom else self.atom

    def apply(self, address: A) -> A:
        """Where the byte that lies at `address` without a swizzle lies with it. Its own inverse. For a builder's integer the
        instructions are emitted: and, shr, xor."""
        chunks = self.span // self.atom
        moved = address ^ (address & (chunks - 1) * LINE) // (LINE // self.atom) if chunks > 1 else address
        return moved ^ (address & LINE) // (LINE // 8) if self.flip else moved

    def base_offset(self, address: int) -> int:
        """The matrix base offset of a pattern that starts at `address` (manual 9.7.15.5.1.2.2): 0 if that is a multiple of
        `pattern`.
        """
        return (address >> 7) & 7 if address % self.pattern else 0


SWIZZLES: dict[str, Swizzle] = {
    found.name: found
    for found in (
        Swizzle("none", 16, 16),
        Swizzle("32B", 32, 16),
        Swizzle("64B", 64, 16),
        Swizzle("128B", 128, 16),
        Swizzle("128B_ATOM_32B", 128, 32),
        Swizzle("128B_ATOM_32B_FLIP_8B", 128, 32, flip=True),
        Swizzle("128B_ATOM_64B", 128, 64),
    )
}
"""Every swizzle by the driver's name of it, without CU_TENSOR_MAP_SWIZZLE_."""


def find_swizzle(swizzle: str | int | Swizzle | None) -> Swizzle:
    """A swizzle from its name, from its span in bytes (0 or None for no swizzle), or itself. Raises LayoutError."""
    if isinstance(swizzle, Swizzle):
        return swizzle
    name = "none" if not swizzle else f"{swizzle}B" if isinstance(swizzle, int) else swizzle
    found = SWIZZLES.get(name) or SWIZZLES.get(name.lower()) or SWIZZLES.get(name.upper())
    if found is None:
        raise LayoutError(f"no swizzle {swizzle!r}", hint=f"one of {', '.join(SWIZZLES)}")
    return found


def bank_conflicts(addresses: Iterable[int], size: int = 4) -> int:
    """How often a warp's access of shared memory is repeated because of banks: 0 if it is free of conflicts.

    `addresses` are byte addresses, one a lane, of accesses of `size` bytes (1 to 16). Accesses of 8 bytes go by half warps, of
    16 by quarters; within each, lanes that want different words of one bank wait for each other.
    """
    if size not in (1, 2, 4, 8, 16):
        raise LayoutError(f"an access of {size} bytes", hint="1, 2, 4, 8 or 16")
    lanes = list(addresses)
    together = max(32 * 4 // max(size, 4), 1)
    repeated = 0
    for start in range(0, len(lanes), together):
        words = {word for a in lanes[start : start + together] for word in range(a // 4, (a + size - 1) // 4 + 1)}
        banks = [0] * 32
        for word in words:
            banks[word % 32] += 1
        repeated += max(max(banks) - 1, 0)
    return repeated
