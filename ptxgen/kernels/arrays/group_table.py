"""A hash table of groups in a CTA's shared memory, and what is accumulated of each group: see group_cache.py.

Open addressing by buckets. A slot is claimed by its key: the tag of one of at most eight bytes, by compare-and-swap; of a
wider key, whose tag is a hash, the number of a row that has it, and equal tags are compared by their packed keys (see
joins/hash_join.py). The tag of all ones, which marks a free slot, has a slot of its own behind the others.

Shared memory has compare-and-swap of 64 bits but no addition, so a sum of integers is two words, with a carry from the lower one.
The smallest and largest of floats are those of integers in their order; NaN is before or behind all of them, and so counts only
where there is nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ptxgen.builder import f32, f64, s32, s64, u32, u64
from ptxgen.kernels.blocks.counters import THREADS
from ptxgen.kernels.joins.hash_join import NO_ROW, hash_of, key_at

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ptxgen.builder import Builder
    from ptxgen.builder.values import Integer, Value

__all__ = [
    "NONE", "Accumulator", "GroupTable", "Keys", "accumulated", "accumulator_of", "each_chosen", "result_of",
    "slot_bytes", "slots_for", "table_bytes",
]  # fmt: skip

NONE = 0xFFFFFFFF
"""No slot."""
SPARE = 4
"""Slots behind the others: that of the tag of all ones, and more, for the alignment of what follows."""


class Accumulator(NamedTuple):
    """What is kept of a group: the "sum", "min" or "max" of a column of values as `element`, or the "count" of rows. `nonzero`:
    of a value, whether it is not 0."""

    op: str
    column: int
    element: type[Value]
    nonzero: bool = False

    @property
    def halves(self) -> bool:
        """Is it kept as two words?"""
        return self.op == "sum" and self.element is not f64

    @property
    def nothing(self) -> int:
        """The accumulator of no row."""
        isa = self.element.isa
        if self.op not in ("min", "max"):
            return 0
        low = -(1 << isa.bits - 1) if isa.is_signed else 0
        return low + (1 << isa.bits) - 1 if self.op == "min" else low


def accumulator_of(op: str, column: int, element: type[Value]) -> Accumulator:
    """Of a column of a type, by "sum", "min", "max", "any", "all", "count", or "mean": its sum, in f64 where the sum of integers
    might not fit into 64 bits."""
    isa = element.isa
    if op == "count":
        return Accumulator("count", -1, u32)
    if op in ("any", "all"):
        return Accumulator("max" if op == "any" else "min", column, u32, nonzero=True)
    if op in ("sum", "mean"):
        real = isa.is_float or (op == "mean" and isa.bits == 64)
        return Accumulator("sum", column, f64 if real else s64 if isa.is_signed else u64)
    signed = isa.is_signed or isa.is_float
    return Accumulator(op, column, (s64 if signed else u64) if isa.bits == 64 else s32 if signed else u32)


def accumulated(k: Builder, how: Accumulator, value: Any) -> Any:
    """A value as what its accumulator adds up or compares."""
    if how.nonzero:
        return k.select(value != 0, k.const(u32, 1), 0)
    if how.op == "sum" or not value.isa.is_float:
        return value.to(how.element) if type(value) is not how.element else value
    real = value if value.isa.bits >= 32 else value.to(f32)
    return k.select(k.is_nan(real), k.const(how.element, how.nothing), _ordered(real.bits(how.element)))


def result_of(k: Builder, how: Accumulator, found: Any, element: type[Value]) -> Any:
    """An accumulator as a number of the type of a result."""
    if how.op in ("min", "max") and element.isa.is_float:
        real = _ordered(found).bits(f64 if found.isa.bits == 64 else f32)
        return real if real.isa is element.isa else real.to(element)
    return found if type(found) is element else found.to(element)


def _ordered(bits: Any) -> Any:
    """Bits of a float as an integer in the same order, and back."""
    return bits ^ ((bits >> bits.isa.bits - 1) & ((1 << bits.isa.bits - 1) - 1))


class Keys(NamedTuple):
    """The keys of all rows: `column` has them, or their tags, and `packed` those that are `hashed`, of `words` words."""

    column: Any
    packed: Any
    element: type[Integer]
    words: int

    def tag(self, row: Any) -> Any:
        """The tag of a row."""
        return self.column[row]

    def hash(self, k: Builder, tag: Any) -> Any:
        """32 bits of a tag that are as good as random."""
        return hash_of(k, tag, hashed=self.words > 0)

    def equal(self, k: Builder, row: Any, other: Any) -> Any:
        """Are the hashed keys of two rows equal?"""
        same = self.column[row] == self.column[other]
        mine, its = key_at(k, self.packed, row, self.words), key_at(k, self.packed, other, self.words)
        for w in range(self.words):
            same = same & (mine[w] == its[w])
        return same


def slot_bytes(
    element: type[Value], accumulators: Sequence[Accumulator], *, hashed: bool, rowed: bool, sided: bool
) -> int:
    """Bytes of a slot."""
    claim = 4 if hashed else element.isa.bytes
    return claim + 4 * rowed + 4 * sided + sum(each.element.isa.bytes for each in accumulators)


def slots_for(slot: int, room: int, most: int) -> int:
    """Slots of so many bytes that a table has in so much room: a power of two, at most `most`."""
    slots = most
    while slots > 64 and table_bytes(slots, slot) > room:
        slots //= 2
    return slots


def table_bytes(slots: int, slot: int) -> int:
    """Shared memory of a table of so many slots of so many bytes."""
    return (slots + SPARE) * slot


class GroupTable:
    """The table in shared memory from `base` on, with room for `slots` groups and that of the tag of all ones.

    A bucket is 16 bytes of tags, which one load reads; of rows, whose keys are compared in global memory, it is one. `rowed`: `first`
    has the smallest row of each group; `sided`: `last` the largest.
    """

    def __init__(
        self, k: Builder, base: Any, slots: int, keys: Keys, accumulators: Sequence[Accumulator], *, rowed: bool, sided: bool
    ) -> None:  # fmt: skip
        self.k, self.keys, self.slots, self.accumulators = k, keys, slots, tuple(accumulators)
        self.hashed = keys.words > 0
        self._at, self._base, self._room = 0, base, slots + SPARE
        self._fills: list[tuple[Any, int]] = []
        claim = u32 if self.hashed else keys.element
        self.free = (1 << claim.isa.bits) - 1
        self.claims = self._array(claim, self.free)
        self.bucket = 1 if self.hashed else 16 // claim.isa.bytes
        self.first = self._array(u32, NO_ROW) if rowed else None
        self.last = self._array(u32, 0) if sided else None
        self.values: list[Any] = [
            (self._array(u32, 0), self._array(u32, 0)) if each.halves else self._array(each.element, each.nothing)
            for each in accumulators
        ]
        self._flags = k.shared(u32, 2, name="flags")  # slots that are claimed; whether the last one is

    def _array(self, element: type[Value], nothing: int) -> Any:
        """An array of the slots; its size is a multiple of 16 bytes."""
        found = self._base.at(self._at).cast(element)
        self._at += self._room * element.isa.bytes // 4
        self._fills.append((found, nothing))
        return found

    def clear(self, slots: Any) -> None:
        """Nothing in the first `slots`, a multiple of SPARE, and in the last one; a barrier behind."""
        k = self.k
        for array, nothing in self._fills:
            lanes = 16 // array.element.isa.bytes
            fill = (nothing,) * lanes
            for i in k.range(k.tid.x, slots // lanes, THREADS):
                array.vectors(lanes)[i] = fill
            with k.pred(k.tid.x == 0):
                array[self.slots] = nothing
        with k.if_(k.tid.x == 0):
            self._flags[0] = 0
            self._flags[1] = 0
        k.barrier()

    def occupied(self, slot: Any) -> Any:
        """Is there a group?"""
        k = self.k
        return (self.claims[slot] != self.free) | ((slot == self.slots) & (self._flags[1] != 0))

    def key(self, slot: Any) -> Any:
        """The tag of a group, or the row that claimed the slot. In the last one is the tag that marks free slots."""
        return self.claims[slot]

    def look(self, tag: Any, here: Any, start: Any) -> Any:
        """The slot of a key in the first bucket that it may be in, or NONE: without a branch, so that several are in flight."""
        k = self.k
        slot = k.var(u32, NONE)
        if not self.hashed:
            here = here & (tag != self.free)
            for i, word in enumerate(self._bucket(start)):
                with k.pred(here & (word == tag)):
                    slot.set(start * self.bucket + i)
        return slot

    def _bucket(self, at: Any) -> list[Any]:
        if self.bucket == 1:
            return [self.claims.load(at, "relaxed.cta")]
        return list(self.claims.vectors(self.bucket).load(at, "relaxed.cta"))

    def find(
        self, slot: Any, tag: Any, row: Any, here: Any, at: Any, mask: Any, limit: Any, tries: int | None = None
    ) -> None:
        """Set `slot` to that of a key, which is claimed where it has none and fewer than `limit` are; it stays as it is where that is
        not so, or after so many `tries`. The key is looked for from bucket `at` on, of `mask` + 1."""
        k = self.k
        at, tried = k.var(u32, at), k.var(u32, 0)
        if not self.hashed:
            is_free = here & (tag == self.free)
            with k.if_(is_free):
                slot.set(self.slots)
                self._flags.pointer.store(1, 1, "relaxed.cta")
            here = here & (tag != self.free)
        mine = row if self.hashed else tag
        with k.if_(here), k.while_():
            words = self._bucket(at)
            place = k.var(u32, NONE)  # the first one that is free
            for i, word in reversed(list(enumerate(words))):
                with k.pred(word == self.free):
                    place.set(at * self.bucket + i)
            if self.hashed:
                with k.if_(place == NONE), k.if_(self.keys.equal(k, row, words[0])):
                    slot.set(at)
            else:
                for i, word in enumerate(words):
                    with k.pred(word == tag):
                        slot.set(at * self.bucket + i)
            with k.if_(slot != NONE):
                k.break_()
            with k.if_else(place != NONE) as (claims, goes_on):
                with claims:
                    with k.if_(self._flags.pointer.load(0, "relaxed.cta") >= limit):
                        k.break_()
                    seen = k.atomic_cas(self.claims, place, self.free, mine, scope="cta", order="relaxed")
                    with k.if_(seen == self.free):
                        k.reduce_add(self._flags, 0, 1)
                        slot.set(place)
                        k.break_()
                with goes_on:
                    at.set((at + 1) & mask)
                    if tries is not None:
                        tried += 1
                        with k.if_(tried == tries):
                            k.break_()

    def note_row(self, slot: Any, first: Any, last: Any, here: Any) -> None:
        """The group has rows from `first` to `last`."""
        k = self.k
        if self.first is not None:
            with k.if_(here), k.if_(first < self.first.load(slot, "relaxed.cta")):
                k.reduce_min(self.first, slot, first)
        if self.last is not None:
            with k.if_(here), k.if_(last > self.last.load(slot, "relaxed.cta")):
                k.reduce_max(self.last, slot, last)

    def add(self, number: int, slot: Any, value: Any, here: Any) -> None:
        """Take a value, as `accumulated` gives it, into an accumulator. Guards, not branches, where there is no loop."""
        k, how, array = self.k, self.accumulators[number], self.values[number]
        if how.halves:
            bits, before = value.bits(u64), k.var(u32, 0)
            low, high = bits.to(u32), (bits >> 32).to(u32)
            with k.pred(here):
                before.set(k.atomic_add(array[0], slot, low))
            high = high + k.select(before + low < low, k.const(u32, 1), 0)
            with k.pred(here & (high != 0)):
                k.reduce_add(array[1], slot, high)
        elif how.op in ("sum", "count"):
            with k.pred(here):
                k.reduce_add(array, slot, value)
        else:
            with k.if_(here):
                seen = array.load(slot, "relaxed.cta")
                with k.if_(value < seen if how.op == "min" else value > seen):
                    (k.reduce_min if how.op == "min" else k.reduce_max)(array, slot, value)

    def read(self, number: int, slot: Any) -> Any:
        """An accumulator's value, once nobody adds to it."""
        how, array = self.accumulators[number], self.values[number]
        if not how.halves:
            return array[slot]
        bits = (array[1][slot].to(u64) << 32) | array[0][slot].to(u64)
        return bits if how.element is u64 else bits.bits(how.element)


def each_chosen(
    k: Builder, slots: Any, last: int, chosen: Callable[[Any], Any], total: Any, write: Callable[[Any, Any], None]
) -> None:
    """`write(place, slot)` for the slots below `slots`, and slot `last`, that are `chosen`, at places that `total` counts."""
    claim = k.shared(u32, 2, name="claim")
    with k.if_(k.tid.x == 0):
        claim[0] = 0
    k.barrier()

    def each(visit: Callable[[Any, Any, Any], None]) -> None:
        for begin in k.range(0, slots + 1, THREADS):
            number = begin + k.tid.x
            slot = k.select(number == slots, k.const(u32, last), number)
            inside = k.var(u32, 0)
            with k.if_(number <= slots):
                inside.set(k.select(chosen(slot), k.const(u32, 1), 0))
            there = inside != 0
            visit(slot, there, k.ballot(there))

    def count(slot: Any, inside: Any, lanes: Any) -> None:
        place.set(place + k.popc(lanes))

    def put(slot: Any, inside: Any, lanes: Any) -> None:
        with k.if_(inside):
            write(place + k.popc(lanes & k.special("%lanemask_lt")), slot)
        place.set(place + k.popc(lanes))

    place = k.var(u32, 0)  # of the warp's next one
    each(count)
    with k.if_(k.lane == 0):
        place.set(k.atomic_add(claim, 0, place))
    k.barrier()
    with k.if_(k.tid.x == 0):
        claim[1] = k.atomic_add(total, 0, claim[0])
    k.barrier()
    place.set(k.shfl_idx(place, 0) + claim[1])
    each(put)
