"""Groups of equal keys by hashing, where their order does not matter: three launches, for few groups and for many.

`group_cache`: each CTA takes a share of the rows into a table in shared memory (group_table.py) for as long as there is room. What
it has at the end, a row and the accumulators of each group, is a list of *parts*. Rows that found no room are *missed*, a bit each.
With few groups, or few that have most rows, the parts are few and nothing or little is missed. `group_spread` brings parts and
missed rows together by ranges of their hashes, *bins*; `group_merge` makes one table of each range, and writes what it has. So the
device decides, and the host need not know how many groups there are.

Rows that were missed and parts alike are entries (tag, number) as in joins/hash_join.py; a number from n on is that of a part. A
group's results do not depend on timing, sums of floats excepted; the order of the groups does.

Shapes: keys[n] of u32 or u64, or the tags of packed[n, words]; columns[c][n]; missed[ceil(n / 32)] and lost[ctas] of u32;
tags[room], rows[room], lasts[room], parts[accumulators, room] of u64; pairs[n + room] of entries; state[3] and counts[bins], which
are zero before; firsts[bins + 1], next_[bins].

Floor, n rows of b bytes a key and v of values: (b + v)*n bytes while groups are few; where all are different, 2b*n to spread them, an
entry e written and read again, a sector of each value and the result: (3b + 2e + 36)*n for u32 in 32-byte sectors.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from ptxgen.builder import Builder, f32, f64, kernel, ptr, u32, u64
from ptxgen.builder.values import Integer, Value
from ptxgen.host.formats import numpy_name
from ptxgen.kernels.arrays.group_table import (
    NONE,
    Accumulator,
    GroupTable,
    Keys,
    accumulated,
    accumulator_of,
    each_chosen,
    slot_bytes,
    slots_for,
    table_bytes,
)
from ptxgen.kernels.blocks.collectives import fold, warp_reduce
from ptxgen.kernels.blocks.counters import THREADS, clear, scan, words_for
from ptxgen.kernels.cases import EXACT, Case, HostArray, Variant
from ptxgen.kernels.joins.hash_join import buckets_of, element_of, zeros
from ptxgen.kernels.plan import KernelPlan, ceil_div, grid_for, using

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

__all__ = [
    "CASE", "KERNEL", "VARIANTS", "Layout", "cache_plan", "drawn_keys", "hashes_of", "layout_of", "loaded", "value_of",
]  # fmt: skip

C = TypeVar("C", bound=Integer)
T = TypeVar("T", bound=Value)

CTAS = 132 * 2
TILE = THREADS * 8
"""Rows that shares are made of."""
MOST_BINS = 8192
TRIES = 4
"""Buckets that are looked at."""
SHARED = 112 << 10
"""Bytes of shared memory of a CTA, so that two are on a multiprocessor."""

PARTS, ENDED, TOTAL, STATES = range(4)
"""Places in the state: parts so far, CTAs that have ended, groups so far; and how many there are."""


class Layout(NamedTuple):
    """How at most `most` rows are shared out: rows a CTA, CTAs, slots of their tables and of those of bins, bins, how many parts
    there can be, and rows or parts that a CTA spreads at a time."""

    share: int
    ctas: int
    slots: int
    merged: int
    bins: int
    room: int
    spread: int

    @property
    def shift(self) -> int:
        """A hash's bits below its bin."""
        return 33 - self.bins.bit_length()


def layout_of(most: int, slot: int, entry: int, shared: int) -> Layout:
    """For slots and entries of so many bytes, where a CTA may have `shared` bytes."""
    shared = min(SHARED, shared - (1 << 10))
    share = ceil_div(max(1, ceil_div(most, CTAS)), TILE) * TILE
    ctas = grid_for(most, share)
    merged = slots_for(slot, shared, 8192)
    bins = 2048
    while bins < MOST_BINS and bins * merged * 5 < most * 8:
        bins *= 2
    slots = slots_for(slot, shared - 4 * words_for(bins), 4096)
    spread = max(1, (shared - 8 * words_for(bins)) // (entry * TILE)) * TILE
    while 8 * words_for(bins) + spread * entry > shared:
        spread //= 2
    return Layout(share, ctas, slots, merged, bins, ctas * (slots + 1), spread)


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
    k: Builder, n: u32, share: u32, keys: ptr[C], packed: ptr[u32], missed: ptr[u32], lost: ptr[u32], tags: ptr[C],
    rows: ptr[u32], lasts: ptr[u32], parts: ptr[u64], room: u32, bins: u32, shift: u32, padded: u32, state: ptr[u32],
    counts: ptr[u32], firsts: ptr[u32], next_: ptr[u32], *columns: T, element: type[C], words: int, slots: int,
    accumulators: tuple[Accumulator, ...], rowed: bool, sided: bool, types: tuple[type[T], ...],
) -> None:  # fmt: skip
    """Parts and missed rows, and how many of both are in each bin; the CTA that ends last adds these up. lost[cta]: whether the CTA
    has missed any.

    Dynamic shared memory: `padded` words, at least `bins`, and the table.
    """
    of = Keys(keys, packed, element, words)
    counted = k.dynamic_shared(u32).pointer
    clear(k, counted, padded)
    table = GroupTable(k, counted.at(padded), slots, of, accumulators, rowed=rowed, sided=sided)
    table.clear(k.const(u32, slots))
    mask, misses = slots // table.bucket - 1, k.var(u32, 0)
    begin = k.ctaid.x * share
    end = begin + k.min(n - begin, share)
    items = 8 if element is u32 and not accumulators else 4  # in flight; more, and they spill
    for base in k.range(begin, end, THREADS * items):
        places = [base + k.tid.x + i * THREADS for i in range(items)]
        inside = [place < end for place in places]
        read = [loaded(k, keys, place, here) for place, here in zip(places, inside)]
        hashes = [of.hash(k, tag) for tag in read]
        found = [table.look(tag, here, hash_ & mask) for tag, here, hash_ in zip(read, inside, hashes)]
        for place, tag, here, hash_, slot in zip(places, read, inside, hashes, found):
            with k.if_(here & (slot == NONE)):
                table.find(slot, tag, place, k.const(u32, 0) == 0, hash_ & mask, k.const(u32, mask), slots // 2, TRIES)
            miss = here & (slot == NONE)
            lanes = k.ballot(miss)
            with k.pred((k.lane == 0) & here):
                missed[place // 32] = lanes
            with k.pred(miss):
                k.reduce_add(counted, hash_ >> shift, 1)
            misses |= lanes
        if rowed or sided or accumulators:
            hits = [slot != NONE for slot in found]
            for place, slot, hit in zip(places, found, hits):
                table.note_row(slot, place, place, hit)
            if accumulators:
                _take(k, table, columns, places, found, hits)
    any_missed = k.barrier_any(misses != 0)
    with k.if_(k.tid.x == 0):
        lost[k.ctaid.x] = any_missed.to(u32)
    _write_parts(k, table, of, tags, rows, lasts, parts, room, counted, shift, state)
    _add_up(k, counted, padded, bins, state, counts, firsts, next_)


def _take(k: Builder, table: GroupTable, columns: Any, places: list[Any], found: list[Any], hits: list[Any]) -> None:
    """Take the values of a thread's rows into its table, a column at a time. Where all of a warp's rows are of one group, they are
    combined before."""
    values: list[list[Any]] = [[] for _ in table.accumulators]
    for number, how in enumerate(table.accumulators):
        if how.op == "count":
            values[number] = [k.const(u32, 1)] * len(places)
    for c, column in enumerate(columns):
        read = [loaded(k, column, place, hit) for place, hit in zip(places, hits)]
        for number, how in enumerate(table.accumulators):
            if how.column == c:
                values[number] = [accumulated(k, how, value) for value in read]
    slot = k.shfl_idx(found[0], 0)
    alike = hits[0]
    for other in found:
        alike = alike & (other == slot)
    with k.if_else(k.all(alike)) as (one, several):
        with one:
            for number, how in enumerate(table.accumulators):
                op = "sum" if how.op == "count" else how.op
                whole = warp_reduce(k, op, fold(k, op, values[number]))
                table.add(number, slot, whole, k.lane == 0)
        with several:
            for number in range(len(table.accumulators)):
                for each, value, hit in zip(found, values[number], hits):
                    table.add(number, each, value, hit)


def _write_parts(
    k: Builder, table: GroupTable, of: Keys, tags: Any, rows: Any, lasts: Any, parts: Any, room: Any, counted: Any, shift: Any,
    state: Any,
) -> None:  # fmt: skip
    def write(place: Any, slot: Any) -> None:
        key = table.key(slot)
        if table.hashed:
            tag = of.tag(key)
            rows[place] = key if table.first is None else table.first[slot]
        else:
            tag = tags[place] = key
            if table.first is not None:
                rows[place] = table.first[slot]
        if table.last is not None:
            lasts[place] = table.last[slot]
        for number, how in enumerate(table.accumulators):
            parts[k.mul_wide(room, number) + place.to(u64)] = word_of(how, table.read(number, slot))
        k.reduce_add(counted, of.hash(k, tag) >> shift, 1)

    each_chosen(k, k.const(u32, table.slots), table.slots, table.occupied, state.at(PARTS), write)
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
    n: int, layout: Layout, keys: Any, packed: Any, missed: Any, lost: Any, tags: Any, rows: Any, lasts: Any, parts: Any,
    state: Any, counts: Any, firsts: Any, next_: Any, columns: Sequence[Any], *, words: int,
    accumulators: tuple[Accumulator, ...], rowed: bool, sided: bool, types: tuple[type[Value], ...],
) -> KernelPlan:  # fmt: skip
    """Parts and missed rows of n rows; `types` are those of the columns."""
    element, padded = element_of(keys), words_for(layout.bins)
    kernel_ = using(
        group_cache, element=element, words=words, slots=layout.slots, accumulators=accumulators, rowed=rowed, sided=sided,
        types=tuple(ptr[each] for each in types),
    )  # fmt: skip
    arguments = (
        n, layout.share, keys, packed, missed, lost, tags, rows, lasts, parts, layout.room, layout.bins, layout.shift, padded,
        state, counts, firsts, next_, *columns,
    )  # fmt: skip
    slot = slot_bytes(element, accumulators, hashed=words > 0, rowed=rowed, sided=sided)
    shared = 4 * padded + table_bytes(layout.slots, slot)
    return KernelPlan(kernel_, grid_for(n, layout.share), THREADS, arguments, shared=shared)


CASE = layout_of(20_000, 16, 8, 64 << 10)
"""Several CTAs, with as much shared memory as sm_75 has."""


def hashes_of(keys: Any) -> Any:
    """What `Keys.hash` gives for tags that are keys."""
    return buckets_of(keys, 0xFFFFFFFF)


def drawn_keys(rng: np.random.Generator, n: int, groups: int, element: type[Integer]) -> Any:
    """Keys of so many groups, that of all ones among them."""
    import numpy as np

    kind: Any = np.dtype(numpy_name(element.isa))
    return np.iinfo(kind).max - rng.integers(0, groups, n).astype(kind)


def _case(
    size: tuple[int, int], rng: np.random.Generator, *, element: type[Integer], value: type[Value], op: str
) -> Case:
    """(rows, groups), few enough for the tables. Where the parts lie depends on timing, unless each CTA has one."""
    import numpy as np

    (n, groups), bins = size, CASE.bins
    keys, values = drawn_keys(rng, n, groups, element), rng.integers(0, 50, n).astype(numpy_name(value.isa))
    shares = [slice(begin, begin + CASE.share) for begin in range(0, n, CASE.share)]
    firsts = np.zeros(bins + 1, np.uint32)
    parts = [hashes_of(np.unique(keys[share])) >> CASE.shift for share in shares]
    firsts[1:] = np.cumsum(np.bincount(np.concatenate([np.zeros(0, np.int64), *parts]), minlength=bins))
    how = accumulator_of(op, 0, value)
    state = np.array([sum(map(len, parts)), grid_for(n, CASE.share), 0], np.uint32)
    words, room = np.zeros(CASE.room, np.uint64), CASE.room
    expected = {"firsts": firsts, "state": state, "missed": np.zeros(n // 32 + 1, np.uint32)}
    if groups == 1 and len(shares) == 1:
        found = np.array(values.sum(dtype=numpy_name(how.element.isa)) if op == "sum" else values.max())
        words[0] = found.view(np.uint64)  # of a positive float, its bits are in order
        expected["parts"] = words
    return Case(
        arrays={
            "keys": HostArray(keys, element), "values": HostArray(values, value), "missed": zeros(n // 32 + 1),
            "lost": zeros(CASE.ctas), "tags": HostArray(np.zeros(room, keys.dtype), element), "rows": zeros(room),
            "parts": HostArray(np.zeros(room, np.uint64), u64), "state": zeros(STATES), "counts": zeros(bins),
            "firsts": zeros(bins + 1), "next": zeros(bins),
        },
        plan=lambda on: cache_plan(
            n, CASE, on["keys"], on["rows"], on["missed"], on["lost"], on["tags"], on["rows"], on["rows"], on["parts"],
            on["state"], on["counts"], on["firsts"], on["next"], [on["values"]], words=0, accumulators=(how,), rowed=True,
            sided=False, types=(value,),
        ),
        expected=expected,
        tolerance=EXACT,
    )  # fmt: skip


def _variant(element: type[Integer], value: type[Value], op: str) -> Variant:
    kernel_ = using(
        group_cache, element=element, words=0, slots=CASE.slots, accumulators=(accumulator_of(op, 0, value),), rowed=True,
        sided=False, types=(ptr[value],),
    )  # fmt: skip
    case = partial(_case, element=element, value=value, op=op)
    sizes = ((0, 1), (1, 1), (3000, 1), (9000, 100))
    return Variant("group_cache", f"{element.isa.name}.{op}.{value.isa.name}", kernel_, case, sizes)


VARIANTS = (_variant(u32, u32, "sum"), _variant(u64, f64, "max"), _variant(u32, f32, "sum"))
