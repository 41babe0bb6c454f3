"""A hash table of groups in a CTA's shared memory, with what is accumulated of each group: see group_cache.py.

Open addressing. A slot is claimed by its key: the tag of one of at most eight bytes, by compare-and-swap; of a wider key, whose
tag is a hash, the number of a row that has it, and equal tags are compared by their packed keys (see joins/hash_join.py). The tag
of all ones, which marks a free slot, has a slot of its own behind the others. The slots are listed in the order in which they
were claimed.
"""

from __future__ import annotations

from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple
from ptxgen.builder import u16, u32, u64
from ptxgen.kernels.blocks.collectives import combine, fold, warp_reduce
from ptxgen.kernels.blocks.counters import THREADS
from ptxgen.kernels.joins.hash_join import NO_ROW, hash_of, key_at
from ptxgen.kernels.plan import ceil_div

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ptxgen.builder import Builder
    from ptxgen.builder.values import Integer, Value
    from ptxgen.kernels.arrays.group_accumulators import Accumulator

__all__ = ["AT_ONCE", "NONE", "GroupTable", "Keys", "most_groups", "slot_bytes", "slots_for", "table_bytes"]

NONE = 0xFFFFFFFF
"""No slot."""
SPARE = 4
"""Slots behind the others: that of the tag of all ones, and more, for the alignment of what follows."""
AT_ONCE = 2
"""Slots that a thread may claim before they are listed."""
CLAIMED, LISTED, HAS_LAST, FLAGS = range(4)
"""Places in the flags: how many slots are claimed, how many are listed, whether that of the tag of all ones is there."""


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
    """Bytes of a slot, with its place in the list."""
    claim = 4 if hashed else element.isa.bytes
    return claim + 2 + 4 * rowed + 4 * sided + sum(each.element.isa.bytes for each in accumulators)


def slots_for(slot: int, room: int, most: int) -> int:
    """Slots of so many bytes that a table has in so much room: a power of two, at most `most`."""
    slots = most
    while slots > 64 and table_bytes(slots, slot) > room:
        slots //= 2
    return slots


def table_bytes(slots: int, slot: int) -> int:
    """Shared memory of a table of so many slots of so many bytes."""
    return (slots + SPARE) * (slot - 2) + ceil_div(2 * _listed(slots), 16) * 16


def most_groups(size: Any) -> Any:
    """Of a table of so many slots; beyond, threads that look at the same time may claim AT_ONCE slots each."""
    return size - (size >> 4) * 3


def _listed(slots: int) -> int:
    """Groups that the list has room for."""
    return slots - slots // 16 * 3 + AT_ONCE * THREADS + 1 if slots >= 4096 else slots + 1


class GroupTable:
    """The table in shared memory from `base` on, with room for `slots` groups and that of the tag of all ones; a power of two
    of them that is no more may be used.

    A bucket is as many tags as one load reads, `wide` 16 bytes; of rows, whose keys are compared in global memory, it is one.
    `rowed`: `first` has the smallest row of each group; `sided`: `last` the largest. `copied`: where few slots are used, each has
    several copies of its accumulators, so that threads seldom meet at one. `bounded`: the limit of `find` holds for slots that
    are claimed, each of which is counted; else for those that are listed, which costs less.
    """

    def __init__(
        self, k: Builder, base: Any, slots: int, keys: Keys, accumulators: Sequence[Accumulator], *, rowed: bool, sided: bool,
        wide: bool = False, copied: bool = False, bounded: bool = True,
    ) -> None:  # fmt: skip
        self.bounded = bounded
        self.k, self.keys, self.slots, self.accumulators = k, keys, slots, tuple(accumulators)
        self.hashed = keys.words > 0
        self._at, self._base, self._room = 0, base, slots + SPARE
        claim = u32 if self.hashed else keys.element
        self.free = (1 << claim.isa.bits) - 1
        self.claims = self._array(claim)
        self.bucket = 16 // claim.isa.bytes if wide and not self.hashed else 1
        self.first = self._array(u32) if rowed else None
        self.last = self._array(u32) if sided else None
        self.values: list[Any] = [
            (self._array(u32), self._array(u32)) if each.halves else self._array(each.element) for each in accumulators
        ]
        self._list = self._array(u16)
        self._flags = k.shared(u32, FLAGS, name="flags")
        self._copies = k.var(u32, 0) if copied else None  # their number's logarithm

    def _array(self, element: type[Value]) -> Any:
        """An array of the slots, the last one that of the list; its size is a multiple of 16 bytes."""
        found = self._base.at(self._at).cast(element)
        self._at += ceil_div(self._room * element.isa.bytes, 16) * 4
        return found

    def clear(self, slots: Any) -> None:
        """Nothing in the first `slots`, a multiple of SPARE, and in the last one; a barrier behind."""
        self._fill(self.first, NO_ROW, slots)
        self._fill(self.last, 0, slots)
        for how, array in zip(self.accumulators, self.values):
            for each in array if how.halves else (array,):
                self._fill(each, 0 if how.halves else how.nothing, slots)
        self.clear_claims(slots)

    def clear_claims(self, slots: Any) -> None:
        """No group in the first `slots`, a multiple of SPARE, and in the last one; a barrier behind."""
        k = self.k
        self._fill(self.claims, self.free, slots)
        with k.if_(k.tid.x == 0):
            for flag in range(FLAGS):
                self._flags[flag] = 0
        k.barrier()

    def _fill(self, array: Any, nothing: int, slots: Any) -> None:
        k = self.k
        if array is None:
            return
        lanes = 16 // array.element.isa.bytes
        for i in k.range(k.tid.x, slots // lanes, THREADS):
            array.vectors(lanes)[i] = (nothing,) * lanes
        with k.pred(k.tid.x == 0):
            array[self.slots] = nothing

    def copy(self, size: Any) -> None:
        """Use `size` slots, a power of two: as many copies as there is room for. All accumulators have been cleared."""
        assert self._copies is not None
        self._copies.set(self.k.clz(size) - (31 - (self.slots.bit_length() - 1)))

    @property
    def keeps(self) -> bool:
        """Is anything kept of a group but its key?"""
        return self.first is not None or bool(self.accumulators)

    @property
    def groups(self) -> Any:
        """How many there are, between barriers."""
        return self._flags[LISTED]

    def slot(self, number: Any) -> Any:
        """The slot that is listed as the number-th."""
        return self._list[number].to(u32)

    def key(self, slot: Any) -> Any:
        """The tag of a group, or the row that claimed the slot. In the last one is the tag that marks free slots."""
        return self.claims[slot]

    def look(self, tags: Sequence[Any], here: Sequence[Any], starts: Sequence[Any], mask: Any) -> list[Any]:
        """The slots of keys if each is the first that it may have, or the one behind, else NONE: without a branch, and all of the
        first ones before the others, so that they are in flight together."""
        k = self.k
        slots = [k.var(u32, NONE) for _ in tags]
        if self.hashed:
            return slots
        wanted = [each & (tag != self.free) for tag, each in zip(tags, here)]
        firsts = [self.claims.load(start, "relaxed.cta") for start in starts]
        behind = [(start + 1) & mask for start in starts]
        seconds = [k.var(self.keys.element, self.free) for _ in tags]
        hits = [each & (first == tag) for tag, each, first in zip(tags, wanted, firsts)]
        for second, place, each, hit in zip(seconds, behind, wanted, hits):
            with k.pred(each & ~hit):
                second.set(self.claims.load(place, "relaxed.cta"))
        for slot, start, hit in zip(slots, starts, hits):
            with k.pred(hit):
                slot.set(start)
        for slot, place, tag, each, second in zip(slots, behind, tags, wanted, seconds):
            with k.pred(each & (second == tag)):
                slot.set(place)
        return slots

    def _bucket(self, at: Any) -> list[Any]:
        if self.bucket == 1:
            return [self.claims.load(at, "relaxed.cta")]
        return list(self.claims.vectors(self.bucket).load(at, "relaxed.cta"))

    def find(
        self, slot: Any, fresh: Any, tag: Any, row: Any, here: Any, at: Any, mask: Any, limit: Any, tries: Any = None
    ) -> None:
        """Set `slot` to that of a key, which is claimed where it has none and fewer than `limit` are, and then is `fresh`; it
        stays as it is where that is not so, or after so many `tries`, by default as many as there are buckets: the key is looked
        for from bucket `at` on, of `mask` + 1."""
        k = self.k
        at, tried = k.var(u32, at), k.var(u32, 0)
        if not self.hashed:
            with k.if_(here & (tag == self.free)):
                slot.set(self.slots)
                with k.if_(self._flags.pointer.load(HAS_LAST, "relaxed.cta") == 0):
                    with k.if_(k.atomic_cas(self._flags, HAS_LAST, 0, 1, scope="cta", order="relaxed") == 0):
                        fresh.set(1)
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
                    with k.if_(self._flags.pointer.load(CLAIMED if self.bounded else LISTED, "relaxed.cta") >= limit):
                        k.break_()
                    seen = k.atomic_cas(self.claims, place, self.free, mine, scope="cta", order="relaxed")
                    with k.if_(seen == self.free):
                        if self.bounded:
                            k.reduce_add(self._flags, CLAIMED, 1)
                        slot.set(place)
                        fresh.set(1)
                        k.break_()
                with goes_on:
                    at.set((at + 1) & mask)
                    tried += 1
                    with k.if_(tried > mask if tries is None else tried == tries):
                        k.break_()

    def enlist(self, found: Sequence[Any], fresh: Sequence[Any]) -> None:
        """List the slots that are fresh, a warp's together. The whole warp calls it."""
        k = self.k
        lanes = [k.ballot(new != 0) for new in fresh]
        counts = [k.popc(each) for each in lanes]
        whole = counts[0]
        for count in counts[1:]:
            whole = whole + count
        with k.if_(whole != 0):
            number = k.var(u32, 0)
            with k.if_(k.lane == 0):
                number.set(k.atomic_add(self._flags, LISTED, whole, scope="cta", order="relaxed"))
            first = k.shfl_idx(number, 0)
            for slot, new, each, count in zip(found, fresh, lanes, counts):
                with k.if_(new != 0):
                    self._list[first + k.popc(each & k.special("%lanemask_lt"))] = slot.to(u16)
                first = first + count

    def note_row(self, slot: Any, first: Any, last: Any, here: Any) -> None:
        """The group has rows from `first` to `last`."""
        k = self.k
        if self.first is not None:
            with k.if_(here), k.if_(first < self.first.load(slot, "relaxed.cta")):
                k.reduce_min(self.first, slot, first)
        if self.last is not None:
            with k.if_(here), k.if_(last > self.last.load(slot, "relaxed.cta")):
                k.reduce_max(self.last, slot, last)

    def take(self, found: Sequence[Any], hits: Sequence[Any], values: Sequence[Sequence[Any]]) -> None:
        """Take the values of a thread's rows into their slots, those that are `hits`: values[a] are accumulator a's, as
        `accumulated` gives them. Where all of a warp's rows are of one group, they are combined before."""
        k = self.k
        slot = k.shfl_idx(found[0], 0)
        alike = hits[0]
        for other in found:
            alike = alike & (other == slot)
        with k.if_else(k.all(alike)) as (one, several):
            with one:
                for number, how in enumerate(self.accumulators):
                    op = "sum" if how.op == "count" else how.op
                    self._add(number, slot, warp_reduce(k, op, fold(k, op, values[number])), k.lane == 0)
            with several:
                for number in range(len(self.accumulators)):
                    for each, value, hit in zip(found, values[number], hits):
                        self._add(number, each, value, hit)

    def _index(self, slot: Any) -> Any:
        """Where a thread's accumulators of a slot are. There is one copy of the last slot's."""
        if self._copies is None:
            return slot
        mine = self.k.tid.x & ((self.k.const(u32, 1) << self._copies) - 1)
        return self.k.min((slot << self._copies) + mine, self.slots)

    def _add(self, number: int, slot: Any, value: Any, here: Any) -> None:
        """Take a value into an accumulator. Guards, not branches, where there is no loop."""
        k, how, array, at = self.k, self.accumulators[number], self.values[number], self._index(slot)
        if how.halves:
            bits, before = value.bits(u64), k.var(u32, 0)
            low, high = bits.to(u32), (bits >> 32).to(u32)
            with k.pred(here):
                before.set(k.atomic_add(array[0], at, low))
            high = high + k.select(before + low < low, k.const(u32, 1), 0)
            with k.pred(here & (high != 0)):
                k.reduce_add(array[1], at, high)
        elif how.op in ("sum", "count"):
            with k.pred(here):
                k.reduce_add(array, at, value)
        else:
            with k.if_(here):
                seen = array.load(at, "relaxed.cta")
                with k.if_(value < seen if how.op == "min" else value > seen):
                    (k.reduce_min if how.op == "min" else k.reduce_max)(array, at, value)

    def read(self, number: int, slot: Any) -> Any:
        """An accumulator's value, once nobody adds to it."""
        if self._copies is None:
            return self._read(number, slot)
        k, how = self.k, self.accumulators[number]
        found = k.var(how.element, how.nothing)
        copies = k.select(slot == self.slots, k.const(u32, 1), k.const(u32, 1) << self._copies)
        first = k.min(slot << self._copies, self.slots)
        for copy in k.range(copies):
            found.set(combine(k, "sum" if how.op == "count" else how.op, found, self._read(number, first + copy)))
        return found

    def _read(self, number: int, at: Any) -> Any:
        how, array = self.accumulators[number], self.values[number]
        if not how.halves:
            return array[at]
        bits = (array[1][at].to(u64) << 32) | array[0][at].to(u64)
        return bits if how.element is u64 else bits.bits(how.element)

    def each(self, first: Any, write: Callable[[Any, Any], None]) -> None:
        """`write(place, slot)` for all groups, at places from `first` on; a barrier ahead."""
        for number in self.k.range(self.k.tid.x, self.groups, THREADS):
            write(first + number, self.slot(number))

    def each_chosen(self, chosen: Callable[[Any], Any] | None, total: Any, write: Callable[[Any, Any], None]) -> None:
        """The same for the groups that are `chosen`, or all, at places that `total` counts; a barrier ahead."""
        k, count = self.k, self.groups
        claim = k.shared(u32, 2, name="claim")
        if chosen is None:
            with k.if_(k.tid.x == 0):
                claim[1] = k.atomic_add(total, 0, count)
            k.barrier()
            self.each(claim[1], write)
            return
        with k.if_(k.tid.x == 0):
            claim[0] = 0
        k.barrier()
        place = k.var(u32, 0)  # of the warp's next one
        for _, _, lanes in self._chosen(chosen, count):
            place.set(place + k.popc(lanes))
        with k.if_(k.lane == 0):
            place.set(k.atomic_add(claim, 0, place))
        k.barrier()
        with k.if_(k.tid.x == 0):
            claim[1] = k.atomic_add(total, 0, claim[0])
        k.barrier()
        place.set(k.shfl_idx(place, 0) + claim[1])
        for slot, inside, lanes in self._chosen(chosen, count):
            with k.if_(inside):
                write(place + k.popc(lanes & k.special("%lanemask_lt")), slot)
            place.set(place + k.popc(lanes))

    def _chosen(self, chosen: Callable[[Any], Any], count: Any) -> Any:
        """A loop over (slot, whether it is chosen, the lanes of the warp for which it is)."""
        k = self.k
        for begin in k.range(0, count, THREADS):
            slot, inside = k.var(u32, 0), k.var(u32, 0)
            with k.if_(begin + k.tid.x < count):
                slot.set(self.slot(begin + k.tid.x))
                inside.set(k.select(chosen(slot), k.const(u32, 1), 0))
            there = inside != 0
            yield slot, there, k.ballot(there)
