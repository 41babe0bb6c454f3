"""Accesses by which each thread keeps to bytes of its own: whatever their order, no two threads meet there.

That is found out for all accesses of a variable at once, so that an unrolled loop over a thread's own part of an array costs what
it is long, and not the number of its pairs. Stretches of bytes that are only ever touched whole are the digits of an integer.
"""

from __future__ import annotations

from math import gcd
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ptxgen.dataflow.memory.accessed_bytes import AccessedBytes
    from ptxgen.dataflow.memory.shared_accesses import SharedAccess
    from ptxgen.dataflow.threads.thread_integers import ThreadIntegers

__all__ = ["keep_to_their_own"]

_MOST_BYTES = 1 << 20
"""Addresses that lie further apart are not looked at."""

_MOST_SHAPES = 64
"""Nor are more registers that addresses are made of."""


def keep_to_their_own(accessed: AccessedBytes, accesses: Iterable[SharedAccess]) -> bool:
    """Does each thread stay within bytes that no other thread touches, or that none writes? False where that is not known.

    Each access lies in one place as long as the kernel runs; which threads make it is not asked.
    """
    by_base: dict[object, list[tuple[SharedAccess, ThreadIntegers, int]]] = {}
    for access in accesses:
        place, offset = accessed.place(access)
        if place is None or not accessed.is_steady(access):
            return False
        by_base.setdefault(place.base, []).append((access, place, offset))
    return all(_apart(those) for those in by_base.values())


def _apart(accesses: list[tuple[SharedAccess, ThreadIntegers, int]]) -> bool:
    """The same for addresses that differ by numbers alone."""
    places = {id(place): place.parts for _, place, _ in accesses}
    if len(places) > _MOST_SHAPES:
        return False
    ends = {key: (min(parts), max(parts)) for key, parts in places.items()}
    low = min(ends[id(place)][0] + offset for _, place, offset in accesses)
    high = max(ends[id(place)][1] + offset + access.size for access, place, offset in accesses)
    if high - low > _MOST_BYTES:
        return False
    shapes = {key: tuple([part - parts[0] for part in parts]) for key, parts in places.items()}
    firsts = [place.parts[0] + offset - low for _, place, offset in accesses]
    unit = gcd(*firsts, *{access.size for access, _, _ in accesses}, *set[int]().union(*shapes.values()))
    length = -(-(high - low) // unit)
    touched = {key: (bytearray(length), bytearray(length)) for key in places}
    """What the first thread touches, and writes."""
    for (access, place, _), first in zip(accesses, firsts):
        start, size = first // unit, access.size // unit
        for marks in touched[id(place)][: 1 + (access.kind != "read")]:
            marks[start : start + size] = b"\1" * size
    masks: list[tuple[tuple[int, ...], int, int]] = []
    for key, shape in shapes.items():
        used, stored = (int.from_bytes(marks, "little") for marks in touched[key])
        masks.append((tuple([8 * move // unit for move in shape]), used, stored))
    threads = len(accesses[0][1].parts)
    everything = written = 0
    for thread in range(threads):
        own = stores = 0
        for moves, used, stored in masks:
            own |= _moved(used, moves[thread])
            stores |= _moved(stored, moves[thread])
        if own & written or stores & everything:
            return False
        everything |= own
        written |= stores
    return True


def _moved(bits: int, by: int) -> int:
    return bits << by if by >= 0 else bits >> -by
