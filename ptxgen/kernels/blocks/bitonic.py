"""Sorting a list in shared memory by one CTA: K. Batcher, "Sorting networks and their applications" (1968), three strides of the
network a visit.

A thread takes eight entries that differ in three bits of their places, so that a visit costs one reading, one writing and one
barrier; where fewer than three strides are left, those that are done are done again, which changes nothing. Where the order is
to be turned, it takes the eight the other way round: what is compared is always put in descending order.
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

    __slots__ = ("_shift", "pointer")

    def __init__(self, pointer: Any, element: type[u32] | type[u64]) -> None:
        self.pointer = pointer
        self._shift = 4 if element is u64 else 5  # as many entries are in all banks

    def __getitem__(self, index: Any) -> Any:
        return self.pointer[self.place(index)]

    def __setitem__(self, index: Any, value: Any) -> None:
        self.pointer[self.place(index)] = value

    def place(self, index: Any) -> Any:
        """Which element of the memory at `pointer` has entry `index`."""
        return index ^ ((index >> self._shift) & (EACH - 1))

    def eight(self, k: Builder, first: Any, low: Any, turned: Any) -> list[Any]:
        """Pointers to the entries at `first`, whose bits `low` to `low` + 2 are 0, with each value in these bits; the last one
        first where it is `turned`. Places are linear over exclusive or, and so are those of single bits all that is needed."""
        bits = [self.place(k.const(u32, 1 << b) << low) for b in range(3)]
        own = self.place(first)
        places = [k.select(turned, own ^ bits[0] ^ bits[1] ^ bits[2], own)]
        for bit in bits:
            places += [place ^ bit for place in places]
        return [self.pointer.at(place) for place in places]


def sort_descending(k: Builder, entries: Entries, size: u32, threads: int) -> None:
    """entries[0], entries[1]... in descending order; `size` is a power of two, 8 or more, and the same in all
    threads of the CTA. All of them call it, with a barrier behind their writes; at its end there is one."""
    levels = 31 - k.clz(size)
    for t in k.range(k.tid.x, size // EACH, threads):
        where = entries.eight(k, t * EACH, k.const(u32, 0), (t & 1) == 1)
        found = [pointer[0] for pointer in where]
        for level in (1, 2, 3):
            for stride in (4, 2, 1)[3 - level :]:
                for e in (e for e in range(EACH) if not e & stride):
                    _exchange(k, found, e, e + stride, turned=level < 3 and bool(e >> level & 1))
        for pointer, value in zip(where, found):
            pointer[0] = value
    for level in k.range(4, levels + 1):
        low = k.var(u32, level)
        with k.while_():
            low.set(k.select(low > 3, low - 3, k.const(u32, 0)))
            k.barrier()
            for t in k.range(k.tid.x, size // EACH, threads):
                first = ((t >> low) << (low + 3)) | (t & ((k.const(u32, 1) << low) - 1))
                where = entries.eight(k, first, low, ((first >> level) & 1) == 1)
                found = [pointer[0] for pointer in where]
                for stride in (4, 2, 1):
                    for e in (e for e in range(EACH) if not e & stride):
                        _exchange(k, found, e, e + stride)
                for pointer, value in zip(where, found):
                    pointer[0] = value
            with k.if_(low == 0):
                k.break_()
    k.barrier()


def _exchange(k: Builder, found: list[Any], one: int, other: int, *, turned: bool = False) -> None:
    """The larger to place `one` and the smaller to `other`, or where it is `turned` the other way round."""
    if turned:
        one, other = other, one
    a, b = found[one], found[other]
    if a.isa.bits == 32:
        found[one], found[other] = k.max(a, b), k.min(a, b)
    else:
        # as a number: ptxas makes a max and a min of it otherwise, which compare 64 bits twice
        less = k.select(a < b, k.const(u32, 1), k.const(u32, 0)) != 0
        found[one], found[other] = k.select(less, b, a), k.select(less, a, b)
