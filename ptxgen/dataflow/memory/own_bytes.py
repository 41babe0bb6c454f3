"""Accesses by which each thread keeps to bytes of its own: whatever their order, no two threads meet there.

That is found out for all accesses of a variable at once, so that an unrolled loop over a thread's own part of an array costs what
it is long, and not the number of its pairs. Bytes are the bits of an integer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ptxgen.dataflow.memory.accessed_bytes import AccessedBytes
    from ptxgen.dataflow.memory.shared_accesses import SharedAccess

__all__ = ["keep_to_their_own"]

_MOST_BYTES = 1 << 20
"""Addresses that lie further apart are not looked at."""

_MOST_SHAPES = 64
"""Nor are more ways in which threads lie beside each other."""


def keep_to_their_own(accessed: AccessedBytes, accesses: Iterable[SharedAccess]) -> bool:
    """Does each thread stay within bytes that no other thread touches, or that none writes? False where that is not known.

    Each access lies in one place as long as the kernel runs; which threads make it is not asked.
    """
    by_base: dict[object, list[tuple[SharedAccess, tuple[int, ...]]]] = {}
    for access in accesses:
        address = accessed.address(access)
        if address is None or not accessed.is_steady(access):
            return False
        by_base.setdefault(address.base, []).append((access, address.parts))
    return all(_apart(those) for those in by_base.values())


def _apart(accesses: list[tuple[SharedAccess, tuple[int, ...]]]) -> bool:
    """The same for addresses that differ by numbers alone."""
    low = min(min(parts) for _, parts in accesses)
    high = max(max(parts) + access.size for access, parts in accesses)
    if high - low > _MOST_BYTES:
        return False
    shapes: dict[tuple[int, ...], tuple[bytearray, bytearray]] = {}
    """By the distances of the threads' addresses from the first thread's: what that one touches, and writes."""
    seen: set[tuple[tuple[int, ...], int, bool]] = set()
    for access, parts in accesses:
        writes = access.kind != "read"
        if (parts, access.size, writes) in seen:
            continue
        seen.add((parts, access.size, writes))
        first = parts[0]
        shape = tuple([part - first for part in parts])
        if shape not in shapes:
            if len(shapes) == _MOST_SHAPES:
                return False
            shapes[shape] = bytearray(high - low), bytearray(high - low)
        for touched in shapes[shape][: 1 + writes]:
            touched[first - low : first - low + access.size] = b"\1" * access.size
    masks = [(shape, *(int.from_bytes(touched, "little") for touched in both)) for shape, both in shapes.items()]
    threads = len(accesses[0][1])
    everything = written = 0
    for thread in range(threads):
        own = stores = 0
        for shape, touched, stored in masks:
            own |= _moved(touched, 8 * shape[thread])
            stores |= _moved(stored, 8 * shape[thread])
        if own & written or stores & everything:
            return False
        everything |= own
        written |= stores
    return True


def _moved(bits: int, by: int) -> int:
    return bits << by if by >= 0 else bits >> -by
