"""Sorting a list in shared memory by one CTA: K. Batcher, "Sorting networks and their applications" (1968), three strides of the
network a visit.

A thread takes eight entries that differ in three bits of their places, so that a visit costs one reading, one writing and one
barrier; where fewer than three strides are left, those that are done are done again, which changes nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder import u32, u64

if TYPE_CHECKING:
    from ptxgen.builder import Builder

__all__ = ["EACH", "Entries", "sort_descending"]

EACH = 8
"""Entries that a thread takes at once: the shortest list."""


class Entries:
    """A list of u32 or u64 in shared memory, by index. It lies so that eight neighbours of each thread are in different banks."""

    __slots__ = ("_pointer", "_shift")

    def __init__(self, pointer: Any, element: type[u32] | type[u64]) -> None:
        self._pointer = pointer
        self._shift = 4 if element is u64 else 5  # as many entries are in all banks

    def __getitem__(self, index: Any) -> Any:
        return self._pointer[self._place(index)]

    def __setitem__(self, index: Any, value: Any) -> None:
        self._pointer[self._place(index)] = value

    def _place(self, index: Any) -> Any:
        return index ^ ((index >> self._shift) & (EACH - 1))


def sort_descending(k: Builder, entries: Entries, size: u32, threads: int) -> None:
    """entries[0], entries[1]... in descending order; `size` is a power of two, 8 or more, and the same in all
    threads of the CTA. All of them call it, with a barrier behind their writes; at its end there is one."""
    levels = 31 - k.clz(size)
    for t in k.range(k.tid.x, size // EACH, threads):
        places = [t * EACH + e for e in range(EACH)]
        found = [entries[place] for place in places]
        for level in (1, 2, 3):
            for stride in (4, 2, 1)[3 - level :]:
                for e in (e for e in range(EACH) if not e & stride):
                    turned = (t & 1) == 1 if level == 3 else bool(e >> level & 1)
                    found[e], found[e + stride] = _exchanged(k, found[e], found[e + stride], turned)
        for place, value in zip(places, found):
            entries[place] = value
    for level in k.range(4, levels + 1):
        low = k.var(u32, level)
        with k.while_():
            low.set(k.select(low > 3, low - 3, k.const(u32, 0)))
            k.barrier()
            for t in k.range(k.tid.x, size // EACH, threads):
                first = ((t >> low) << (low + 3)) | (t & ((k.const(u32, 1) << low) - 1))
                places = [first + (k.const(u32, e) << low) for e in range(EACH)]
                found = [entries[place] for place in places]
                turned = ((first >> level) & 1) == 1
                for stride in (4, 2, 1):
                    for e in (e for e in range(EACH) if not e & stride):
                        found[e], found[e + stride] = _exchanged(k, found[e], found[e + stride], turned)
                for place, value in zip(places, found):
                    entries[place] = value
            with k.if_(low == 0):
                k.break_()
    k.barrier()


def _exchanged(k: Builder, one: Any, other: Any, turned: Any) -> tuple[Any, Any]:
    """(the larger, the smaller), or where it is `turned` (a bool, or a predicate) the other way round."""
    if isinstance(turned, bool):
        if one.isa.bits == 32:
            return (k.min(one, other), k.max(one, other)) if turned else (k.max(one, other), k.min(one, other))
        swap = one > other if turned else one < other
    else:
        swap = (one < other) ^ turned
    return k.select(swap, other, one), k.select(swap, one, other)
