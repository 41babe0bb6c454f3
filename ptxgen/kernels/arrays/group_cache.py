"""Groups of equal keys by hashing, where their order does not matter: three launches, for few groups and for many.

`group_cache`: each CTA takes a share of the rows into a table in shared memory (group_table.py) for as long as there is room. What
it has at the end, a row and the accumulators of each group, is a list of *parts*. Rows that found no room are *missed*, a bit each.
With few groups, or few that have most rows, the parts are few and nothing or little is missed. `group_spread` brings parts and
missed rows together by ranges of their hashes, *bins*; `group_merge` makes one table of each range, and writes what it has. So the
device decides, and the host need not know how many groups there are.

Rows that were missed and parts alike are entries (tag, number) as in joins/hash_join.py; a number from n on is that of a part. A
group's results do not depend on timing, sums of floats excepted; the order of the groups does.

Shapes: keys[n] of u32 or u64, or the tags of packed[n, words]; columns[c][n]; missed[ceil(n / 32)] of u32; rows[room],
lasts[room], parts[accumulators, room]; pairs[n + room] of entries; state[3], which is zero before, counts[bins], which are too;
firsts[bins + 1], next_[bins].

Floor, n rows of b bytes a key and v of values: (b + v)*n bytes while groups are few; where all are different, 2b*n to spread them, an
entry e written and read again, a sector of each value and the result: (3b + 2e + 36)*n for u32 in 32-byte sectors.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from ptxgen.builder import Builder, kernel, ptr, u32, u64
from ptxgen.builder.values import Integer, Value
from ptxgen.kernels.arrays.group_table import (
    NONE,
    Accumulator,
    GroupTable,
    Keys,
    accumulated,
    each_chosen,
    slot_bytes,
    table_bytes,
)
from ptxgen.kernels.blocks.counters import THREADS, clear, scan, words_for
from ptxgen.kernels.joins.hash_join import element_of
from ptxgen.kernels.plan import KernelPlan, ceil_div, grid_for, using

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["KERNEL", "Layout", "cache_plan", "layout_of", "loaded", "slots_for", "value_of"]

C = TypeVar("C", bound=Integer)
T = TypeVar("T", bound=Value)

CTAS = 132 * 2
ITEMS = 8
TILE = THREADS * ITEMS
PROBES = 16
SHARED = 96 << 10
"""Bytes of a CTA's table, so that two are on a multiprocessor."""

PARTS, ENDED, TOTAL = range(3)
"""Places in the state: parts so far, CTAs that have ended, groups so far."""


class Layout(NamedTuple):
    """How the rows of at most `most` are shared out: rows a CTA, slots of its table, bins, and how many parts there can be."""

    share: int
    ctas: int
    slots: int
    bins: int
    room: int

    @property
    def shift(self) -> int:
        return 33 - self.bins.bit_length()


def slots_for(slot: int, room: int) -> int:
    """Slots of so many bytes that a table has in so much room."""
    slots = 4096
    while slots > 256 and slots * slot > room:
        slots //= 2
    return slots


def layout_of(most: int, slot: int) -> Layout:
    """For slots of so many bytes."""
    share = ceil_div(max(1, ceil_div(most, CTAS)), TILE) * TILE
    ctas = grid_for(most, share)
    bins = 2048
    while bins < 8192 and bins * 2500 < most:
        bins *= 2
    slots = slots_for(slot, SHARED - 4 * words_for(bins))
    return Layout(share, ctas, slots, bins, ctas * (slots + 1))


def word_of(how: Accumulator, value: Any) -> Any:
    """An accumulator as 64 bits."""
    return value.bits(u64) if how.element.isa.bits == 64 else value.bits(u32).to(u64)


def value_of(how: Accumulator, word: Any) -> Any:
    """And back."""
    isa = how.element.isa
    narrow = word if isa.bits == 64 else word.to(u32)
    return narrow if isa.kind == "u" else narrow.bits(how.element)


def loaded(k: Builder, pointer: Any, at: Any, here: Any) -> Any:
    """An element, where it is there."""
    found = k.var(pointer.element, 0)
    with k.pred(here):
        found.set(pointer[at])
    return found


@kernel(threads=THREADS, min_ctas=2)
def group_cache(
    k: Builder, n: u32, share: u32, keys: ptr[C], packed: ptr[u32], missed: ptr[u32], rows: ptr[u32], lasts: ptr[u32],
    parts: ptr[u64], room: u32, bins: u32, shift: u32, padded: u32, state: ptr[u32], counts: ptr[u32], firsts: ptr[u32],
    next_: ptr[u32], *columns: T, element: type[C], words: int, slots: int,
    accumulators: tuple[Accumulator, ...], sided: bool, types: tuple[type[T], ...],
) -> None:  # fmt: skip
    """Parts and missed rows, and how many of both are in each bin; the CTA that ends last adds these up.

    Dynamic shared memory: `padded` words, at least `bins`, and the table.
    """
    of = Keys(keys, packed, element, words)
    counted = k.dynamic_shared(u32).pointer
    clear(k, counted, padded)
    table = GroupTable(k, counted.at(padded), slots, of, accumulators, sided=sided)
    table.clear(k.const(u32, slots))
    begin = k.ctaid.x * share
    end = begin + k.min(n - begin, share)
    for base in k.range(begin, end, TILE):
        places = [base + k.tid.x + i * THREADS for i in range(ITEMS)]
        inside = [place < end for place in places]
        tags = [loaded(k, keys, place, here) for place, here in zip(places, inside)]
        found = []
        for place, tag, here in zip(places, tags, inside):
            hash_ = of.hash(k, tag)
            slot = table.find(tag, place, here, hash_ & (slots - 1), k.const(u32, slots - 1), slots // 2, PROBES)
            lost = here & (slot == NONE)
            lanes = k.ballot(lost)
            with k.if_((k.lane == 0) & here):
                missed[place // 32] = lanes
            with k.pred(lost):
                k.reduce_add(counted, hash_ >> shift, 1)
            hit = slot != NONE
            together = k.all(hit & (slot == k.shfl_idx(slot, 0))) if accumulators else None
            table.note_row(slot, place, place, hit)
            found.append((place, slot, hit, together))
        _take(k, table, columns, found)
    k.barrier()
    _write_parts(k, table, of, rows, lasts, parts, room, counted, shift, state)
    _add_up(k, counted, padded, bins, state, counts, firsts, next_)


def _take(k: Builder, table: GroupTable, columns: Sequence[Any], found: list[Any]) -> None:
    """Take the values of a thread's rows into its table, a column at a time."""
    for number, how in enumerate(table.accumulators):
        if how.op == "count":
            for _, slot, hit, together in found:
                table.add(number, slot, k.const(u32, 1), hit, together)
    for c, values in enumerate(columns):
        read = [loaded(k, values, place, hit) for place, _, hit, _ in found]
        for number, how in enumerate(table.accumulators):
            if how.column == c:
                for value, (_, slot, hit, together) in zip(read, found):
                    table.add(number, slot, accumulated(k, how, value), hit, together)


def _write_parts(
    k: Builder, table: GroupTable, of: Keys, rows: Any, lasts: Any, parts: Any, room: Any, counted: Any, shift: Any, state: Any
) -> None:  # fmt: skip
    def write(place: Any, slot: Any) -> None:
        row = table.first[slot]
        rows[place] = row
        if table.last is not None:
            lasts[place] = table.last[slot]
        for number, how in enumerate(table.accumulators):
            parts[k.mul_wide(room, number) + place.to(u64)] = word_of(how, table.read(number, slot))
        k.reduce_add(counted, of.hash(k, of.tag(row)) >> shift, 1)

    slots = k.const(u32, table.slots)
    each_chosen(k, slots, table.slots, lambda slot: table.first[slot] != NONE, state.at(PARTS), write)
    k.barrier()


def _add_up(
    k: Builder, counted: Any, padded: Any, bins: Any, state: Any, counts: Any, firsts: Any, next_: Any
) -> None:  # fmt: skip
    """The counts of all CTAs, and by the one that ends last the sums of those before each."""
    for b in k.range(k.tid.x, bins, THREADS):
        count = counted[b]
        with k.if_(count != 0):
            k.reduce_add(counts, b, count)
    is_last = k.shared(u32, 1, name="is_last")
    k.barrier()
    with k.if_(k.tid.x == 0):
        k.fence("gpu", "acq_rel")
        ended = k.atomic_add(state, ENDED, 1, order="acq_rel")
        is_last[0] = (ended == k.nctaid.x - 1).to(u32)
        k.fence("gpu", "acq_rel")
    k.barrier()
    with k.if_(is_last[0] == 0):
        k.return_()
    for b in k.range(k.tid.x, bins, THREADS):
        counted[b] = counts.load(b, "relaxed.gpu")
    k.barrier()
    last = counted[bins - 1]
    k.barrier()
    scan(k, counted, padded)
    for b in k.range(k.tid.x, bins, THREADS):
        first = counted[b]
        firsts[b] = first
        next_[b] = first
    with k.if_(k.tid.x == 0):
        firsts[bins] = counted[bins - 1] + last


KERNEL = group_cache


def cache_plan(
    n: int, layout: Layout, keys: Any, packed: Any, missed: Any, rows: Any, lasts: Any, parts: Any, state: Any, counts: Any,
    firsts: Any, next_: Any, columns: Sequence[Any], *, words: int, accumulators: tuple[Accumulator, ...], sided: bool,
    types: tuple[type[Value], ...],
) -> KernelPlan:  # fmt: skip
    """Parts and missed rows of n rows; `types` are those of the columns."""
    element, padded = element_of(keys), words_for(layout.bins)
    kernel_ = using(
        group_cache, element=element, words=words, slots=layout.slots, accumulators=accumulators, sided=sided,
        types=tuple(ptr[each] for each in types),
    )  # fmt: skip
    arguments = (
        n, layout.share, keys, packed, missed, rows, lasts, parts, layout.room, layout.bins, layout.shift, padded, state, counts,
        firsts, next_, *columns,
    )  # fmt: skip
    slot = slot_bytes(element, accumulators, hashed=words > 0, sided=sided)
    grid = grid_for(n, layout.share)
    return KernelPlan(kernel_, grid, THREADS, arguments, shared=4 * padded + table_bytes(layout.slots, slot))
