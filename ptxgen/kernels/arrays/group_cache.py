"""Groups of equal keys by hashing, where their order does not matter: four launches, for few groups and for many.

`group_cache`: each CTA takes a share of the rows into a table in shared memory (group_table.py) for as long as there is room.
What it has at the end, a row and the accumulators of each group, is a list of *parts*. Rows that found no room are *missed*, a
bit each; a warp of which nearly all rows are missed looks for no more. With few groups, or few that have most rows, the parts
are few and nothing or little is missed. `group_spread` brings parts and missed rows together, as *entries*, by ranges of their
hashes, *bins*, where `group_offsets` has said how many of each come from the CTAs before (claims of places by all CTAs at once
took several times as long); `group_merge` makes one table of each range, and writes what it has. So the device decides, and the
host need not know how many groups there are.

An entry, like a part, is a tag as in joins/hash_join.py, the first and the last of its rows where they are wanted, and its
accumulators: what comes later reads nothing at random. A group's results do not depend on timing, sums of floats excepted; the
order of the groups does.

Shapes: keys[n] of u32 or u64, or the tags of packed[n, words]; columns[c][n]; missed[512 * ceil(n / 4096)] of u8, and
left[ctas, 2] of u32; parts: tags[room], rows[room], lasts[room], accumulators[a, room] of u64; entries: the same of n + room;
counts[ctas, bins] and totals[bins] -> firsts[bins + 1]; total[1].

Floor, n rows of b bytes a key and v of values: (b + v)*n bytes while groups are few; where all are different, b*n to count the
bins, and the entries e, of b + 8 an accumulator, written and read again with the result: (2b + v + 3e)*n.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from driver_ctypes.typing import NamedTuple
from ptxgen.builder import Builder, f32, f64, kernel, ptr, u8, u32, u64
from ptxgen.builder.values import Integer, Value
from ptxgen.host.formats import numpy_name
from ptxgen.kernels.arrays.group_accumulators import Accumulator, accumulated, accumulator_of, word_of
from ptxgen.kernels.arrays.group_table import NONE, GroupTable, Keys, slot_bytes, slots_for, table_bytes
from ptxgen.kernels.blocks.collectives import WARP
from ptxgen.kernels.blocks.counters import THREADS, clear, words_for
from ptxgen.kernels.cases import EXACT, Case, HostArray, Variant
from ptxgen.kernels.joins.hash_join import buckets_of, element_of, zeros
from ptxgen.kernels.plan import KernelPlan, ceil_div, grid_for, using

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

__all__ = [
    "CASE", "CTAS", "KERNEL", "VARIANTS", "Layout", "Records", "cache_plan", "drawn_keys", "hashes_of", "inside", "layout_of",
    "missed_size", "records_of",
]  # fmt: skip

C = TypeVar("C", bound=Integer)
T = TypeVar("T", bound=Value)

CTAS = 132 * 2
ROWS = 8
"""Rows of a thread at a time: the bits of a byte say which of them are missed."""
TILE = THREADS * ROWS
"""Rows that shares are made of."""
MOST_BINS = 8192
TRIES = 4
"""Slots that are looked at."""
SHARED = 112 << 10
"""Bytes of shared memory of a CTA, so that two are on a multiprocessor."""
MOST_TILE = 12 << 10
"""Entries that a CTA spreads at a time."""
EARLY = 8
"""Bytes of a row's values that are read before its group is looked for; more, and registers spill."""
SAMPLES = 64
"""Pieces of a warp's width in a share of which the groups are counted beforehand."""
MOST_COPIES = 64
GOLDEN = 0x9E3779B97F4A7C15
"""2^64 divided by the golden ratio: a product's upper bits are where a key is looked for first (Knuth 6.4)."""

MOST_CLAIMED = 4096
"""Groups that a CTA looks for beside the others of its rows."""


class Layout(NamedTuple):
    """How at most `most` rows are shared out: rows a CTA, CTAs, slots of their tables and of those of bins, bins, how many parts
    a CTA can have, and rows or parts that it spreads at a time."""

    share: int
    ctas: int
    slots: int
    merged: int
    bins: int
    parts: int
    tile: int

    @property
    def shift(self) -> int:
        """A hash's bits below its bin."""
        return 33 - self.bins.bit_length()

    @property
    def room(self) -> int:
        """Parts of all CTAs."""
        return self.ctas * self.parts


def layout_of(most: int, slot: int, staged: int, shared: int) -> Layout:
    """For slots of so many bytes, and entries of which a spread stages so many, where a CTA may have `shared` bytes."""
    shared = min(SHARED, shared - (1 << 10))
    share = ceil_div(max(1, ceil_div(most, CTAS)), TILE) * TILE
    ctas = grid_for(most, share)
    merged = slots_for(slot, shared, 8192)
    bins = 2048
    while bins < MOST_BINS and bins * merged * 5 < most * 8:
        bins *= 2
    slots = slots_for(slot, shared - 4 * words_for(bins), 16384)
    step = 4 * THREADS
    tile = max(step, min((shared - 8 * words_for(bins)) // staged, MOST_TILE) // step * step)
    return Layout(share, ctas, slots, merged, bins, min(slots, claimed_of(slots) + THREADS) + 1, tile)


def claimed_of(slots: int) -> int:
    """Groups of a CTA's table."""
    return min(slots // 2, MOST_CLAIMED)


class Records(NamedTuple):
    """Parts, or entries: their tags, first and last rows, and accumulators, one array of `room` behind the other."""

    tags: Any
    rows: Any
    lasts: Any
    words: Any
    room: Any

    def word(self, k: Builder, number: int) -> Any:
        """The accumulators of a number."""
        return self.words.at(k.mul_wide(self.room, number)) if number else self.words


def records_of(table: GroupTable, records: Records) -> list[tuple[str, Any]]:
    """The arrays of tags and rows that there are."""
    rowed = table.hashed or table.first is not None
    found = [("tag", records.tags), *[("row", records.rows)] * rowed]
    return [*found, *[("last", records.lasts)] * (table.last is not None)]


def inside(k: Builder, places: Sequence[Any], end: Any) -> list[tuple[Any, Any]]:
    """Places, each with whether it is before the end. Those that are not stand for the last one: what is loaded under a guard
    takes registers all around a loop, so nothing is."""
    return [(k.min(place, end - 1), place < end) for place in places]


def missed_size(n: int) -> int:
    """Bytes of missed rows."""
    return ceil_div(max(n, 1), TILE) * THREADS


@kernel(threads=THREADS, min_ctas=2)
def group_cache(
    k: Builder, n: u32, share: u32, keys: ptr[C], packed: ptr[u32], missed: ptr[u8], left: ptr[u32], tags: ptr[C],
    rows: ptr[u32], lasts: ptr[u32], parts: ptr[u64], room: u32, each: u32, bins: u32, shift: u32, padded: u32,
    counts: ptr[u32], total: ptr[u32], *columns: T, element: type[C], words: int, slots: int,
    accumulators: tuple[Accumulator, ...], rowed: bool, sided: bool, types: tuple[type[T], ...],
) -> None:  # fmt: skip
    """Parts and missed rows, and how many of both are in each bin. left[cta]: whether the CTA has missed any rows, and how many
    parts it has, from place cta*each on. The total becomes 0.

    Dynamic shared memory: `padded` words, at least `bins`, and the table.
    """
    with k.if_((k.ctaid.x == 0) & (k.tid.x == 0)):
        total[0] = 0
    of = Keys(keys, packed, element, words)
    counted = k.dynamic_shared(u32).pointer
    clear(k, counted, padded)
    copied = bool(accumulators)
    table = GroupTable(k, counted.at(padded), slots, of, accumulators, rowed=rowed, sided=sided, copied=copied)
    table.clear(k.const(u32, slots))
    begin = k.ctaid.x * share
    end = begin + k.min(n - begin, share)
    size = k.var(u32, slots)
    if copied:
        _choose_size(k, table, of, begin, end, share, size)
    mask, drop = size - 1, k.clz(size) + 1
    start_of = _starts(element, drop)
    misses, bypass = k.var(u32, 0), k.var(u32, 0)
    ahead = _Ahead(k, of, end, taken_together(element, bool(accumulators)))
    with k.if_(begin < end):
        ahead.read(begin)
    for base in k.range(begin, end, TILE):
        bits = k.var(u32, 0)
        with k.if_else(bypass == 0) as (looks, passes):
            with looks:
                _take_rows(k, table, ahead, columns, base, start_of, mask, bits, counted, shift)
                nearly_all = k.popc(k.ballot(k.popc(bits) >= ROWS - 1)) >= 28
                bypass.set(k.select(nearly_all, k.const(u32, 1), 0))
            with passes:
                rows_ = inside(k, [base + k.tid.x + i * THREADS for i in range(ROWS)], end)
                read = [of.tag(place) for place, _ in rows_]
                for i, (tag, (_, here)) in enumerate(zip(read, rows_)):
                    with k.pred(here):
                        k.reduce_add(counted, of.hash(k, tag) >> shift, 1)
                        bits |= 1 << i
        missed[base // ROWS + k.tid.x] = bits.to(u8)
        misses |= bits
    any_missed = k.barrier_any(misses != 0)
    with k.if_(k.tid.x == 0):
        left[k.ctaid.x * 2] = any_missed.to(u32)
        left[k.ctaid.x * 2 + 1] = table.groups

    def write(place: Any, slot: Any) -> None:
        _write_part(k, table, Records(tags, rows, lasts, parts, room), place, slot, counted, shift)

    with k.allow("PTX507"):  # the table lies behind the counts
        table.each(k.ctaid.x * each, write)
    k.barrier()
    for b in k.range(k.tid.x, bins, THREADS):
        counts[k.ctaid.x * bins + b] = counted[b]


def _starts(element: type[Any], drop: Any) -> Any:
    """From tags to where they are looked for: the upper bits of a product."""
    factor = GOLDEN >> 64 - element.isa.bits | 1
    down = drop + (element.isa.bits - 32)
    return lambda tag: ((tag * factor) >> down).to(u32)


def _choose_size(
    k: Builder, table: GroupTable, of: Keys, begin: Any, end: Any, share: Any, size: Any
) -> None:  # fmt: skip
    """Count the groups of a sample of the share's rows, and use as few slots as leave three of four free, for more copies."""
    every = share // SAMPLES
    start_of, mask = _starts(of.element, k.clz(size) + 1), size - 1
    for piece in k.range(k.tid.x // WARP, k.select(begin < end, k.const(u32, SAMPLES), 0), THREADS // WARP):
        ((place, here),) = inside(k, [begin + piece * every + k.lane], end)
        tag, slot, fresh = of.tag(place), k.var(u32, NONE), k.var(u32, 0)
        table.find(slot, fresh, tag, place, here, start_of(tag), mask, claimed_of(table.slots), k.const(u32, TRIES))
        table.enlist([slot], [fresh])
    k.barrier()
    groups = table.groups
    k.barrier()
    wanted = k.max(groups * 4, table.slots // MOST_COPIES)
    with k.while_(lambda: size >= wanted * 2):
        size.set(size >> 1)
    table.copy(size)
    table.clear_claims(size)


def taken_together(element: type[Any], accumulated_: bool) -> int:
    """Rows of a thread that are looked for together; more, and they spill."""
    return ROWS // (1 + accumulated_) * 4 // int(element.isa.bytes)


class _Ahead:
    """The tags of rows that come next, which are read while those before are looked for: `count` of a thread."""

    def __init__(self, k: Builder, of: Keys, end: Any, count: int) -> None:
        self.k, self.of, self.end, self.count = k, of, end, count
        self._tags = [k.var(of.element, 0) for _ in range(count)]

    def places(self, first: Any) -> list[tuple[Any, Any]]:
        """A thread's rows from `first` on, each with whether there is one."""
        return inside(self.k, [first + self.k.tid.x + i * THREADS for i in range(self.count)], self.end)

    def read(self, first: Any) -> None:
        for i, tag in enumerate(self._tags):
            tag.set(self.of.tag(self.k.min(first + self.k.tid.x + i * THREADS, self.end - 1)))

    def take(self, first: Any) -> list[Any]:
        """Their tags, which have been read; those of the next ones are on the way."""
        found = [self.k.var(self.of.element, tag) for tag in self._tags]
        self.read(first + self.count * THREADS)
        return found


def _take_rows(
    k: Builder, table: GroupTable, ahead: _Ahead, columns: Any, base: Any, start_of: Any, mask: Any, bits: Any, counted: Any,
    shift: Any,
) -> None:  # fmt: skip
    """A thread's rows into the table; `bits` are those that are missed."""
    limit, of, items = k.min((mask + 1) // 2, MOST_CLAIMED), ahead.of, ahead.count
    early = sum(column.element.isa.bytes for column in columns) <= EARLY
    for group in k.range(ROWS // items):
        first = base + group * (items * THREADS)
        places, read = ahead.places(first), ahead.take(first)
        values_of = partial(_values, k, table, columns, [place for place, _ in places])
        values = values_of() if early else []
        starts = [start_of(tag) for tag in read]
        found = table.look(read, [here for _, here in places], starts, mask)
        own, new = k.var(u32, 0), [k.var(u32, 0) for _ in found]
        lost = [here & (slot == NONE) for (_, here), slot in zip(places, found)]
        any_lost = lost[0]
        for each in lost[1:]:
            any_lost = any_lost | each
        with k.if_(k.any(any_lost)):
            for i, ((place, _), tag, start, slot, fresh, each) in enumerate(
                zip(places, read, starts, found, new, lost)
            ):
                with k.if_(each):
                    table.find(slot, fresh, tag, place, k.const(u32, 0) == 0, start, mask, limit, k.const(u32, TRIES))
                    with k.if_(slot == NONE):
                        k.reduce_add(counted, of.hash(k, tag) >> shift, 1)
                        own |= 1 << i
            table.enlist(found, new)
        bits |= own << group * items
        if not table.keeps:
            continue
        hits = [slot != NONE for slot in found]
        for (place, _), slot, hit in zip(places, found, hits):
            table.note_row(slot, place, place, hit)
        if table.accumulators:
            table.take(found, hits, values if early else values_of())


def _values(k: Builder, table: GroupTable, columns: Any, places: list[Any]) -> list[list[Any]]:
    """What each accumulator takes of a thread's rows; a column is read once."""
    values = [[k.const(u32, 1)] * len(places) for _ in table.accumulators]
    for c, column in enumerate(columns):
        read = [column[place] for place in places]
        for number, how in enumerate(table.accumulators):
            if how.column == c:
                values[number] = [accumulated(k, how, value) for value in read]
    return values


def _write_part(
    k: Builder, table: GroupTable, parts: Records, place: Any, slot: Any, counted: Any, shift: Any
) -> None:  # fmt: skip
    """A group of the table, as a part that is counted."""
    key = table.key(slot)
    tag = table.keys.tag(key) if table.hashed else key
    written = {"tag": tag, "row": key if table.first is None else table.first[slot]}
    if table.last is not None:
        written["last"] = table.last[slot]
    for name, array in records_of(table, parts):
        array[place] = written[name]
    for number, how in enumerate(table.accumulators):
        parts.word(k, number)[place] = word_of(how, table.read(number, slot))
    k.reduce_add(counted, table.keys.hash(k, tag) >> shift, 1)


KERNEL = group_cache


def cache_plan(
    n: int, layout: Layout, keys: Any, packed: Any, missed: Any, left: Any, parts: Records, counts: Any, total: Any,
    columns: Sequence[Any], *, words: int, accumulators: tuple[Accumulator, ...], rowed: bool, sided: bool,
    types: tuple[type[Value], ...],
) -> KernelPlan:  # fmt: skip
    """Parts and missed rows of n rows; `types` are those of the columns."""
    element, padded = element_of(keys), words_for(layout.bins)
    kernel_ = using(
        group_cache, element=element, words=words, slots=layout.slots, accumulators=accumulators, rowed=rowed, sided=sided,
        types=tuple(map(ptr.__class_getitem__, types)),
    )  # fmt: skip
    arguments = (
        n, layout.share, keys, packed, missed, left, *parts, layout.parts, layout.bins, layout.shift, padded, counts, total,
        *columns,
    )  # fmt: skip
    slot = slot_bytes(element, accumulators, hashed=words > 0, rowed=rowed, sided=sided)
    shared = 4 * padded + table_bytes(layout.slots, slot)
    return KernelPlan(kernel_, grid_for(n, layout.share), THREADS, arguments, shared=shared)


CASE = layout_of(20_000, 18, 18, 64 << 10)
"""Several CTAs, with as much shared memory as sm_75 has."""


def hashes_of(keys: Any) -> Any:
    """What `Keys.hash` gives for tags that are keys."""
    return buckets_of(keys, 0xFFFFFFFF)


def drawn_keys(rng: np.random.Generator, n: int, groups: int, element: type[Integer]) -> Any:
    """Keys of so many groups, that of all ones among them."""
    import numpy as np

    kind: Any = np.dtype(numpy_name(element.isa))
    return np.iinfo(kind).max - rng.integers(0, groups, n).astype(kind)


def missed_bytes(missed: Any, n: int) -> Any:
    """Of rows' booleans the bytes that a CTA leaves."""
    import numpy as np

    padded = np.zeros(missed_size(n) * ROWS, bool)
    padded[:n] = missed
    return np.packbits(padded.reshape(-1, ROWS, THREADS), axis=1, bitorder="little").reshape(-1)


def _case(
    size: tuple[int, int], rng: np.random.Generator, *, element: type[Integer], value: type[Value], op: str
) -> Case:
    """(rows, groups), few enough for the tables. Where the parts lie depends on timing, unless each CTA has one."""
    import numpy as np

    (n, groups), bins = size, CASE.bins
    keys, values = drawn_keys(rng, n, groups, element), rng.integers(0, 50, n).astype(numpy_name(value.isa))
    shares = [slice(begin, begin + CASE.share) for begin in range(0, max(n, 1), CASE.share)]
    parts = [np.unique(keys[share]) for share in shares]
    counts = np.zeros((CASE.ctas, bins), np.uint32)
    for row, tags in zip(counts, parts):
        row += np.bincount(hashes_of(tags) >> CASE.shift, minlength=bins).astype(np.uint32)
    left = np.zeros(2 * CASE.ctas, np.uint32)
    left[1 : 2 * len(parts) : 2] = list(map(len, parts))
    how = accumulator_of(op, 0, value)
    words, room, missed = np.zeros(CASE.room, np.uint64), CASE.room, missed_bytes(np.zeros(n, bool), n)
    expected: dict[str, Any] = {
        "counts": counts.reshape(-1), "left": left, "missed": missed, "total": np.zeros(1, np.uint32),
    }  # fmt: skip
    if groups == 1 and n:
        for cta, share in enumerate(shares):
            mine = values[share]
            found = np.array(mine.sum(dtype=numpy_name(how.element.isa)) if op == "sum" else mine.max())
            words[cta * CASE.parts] = found.view(np.uint64)  # of a positive float, its bits are in order
        expected["parts"] = words
    return Case(
        arrays={
            "keys": HostArray(keys, element), "values": HostArray(values, value),
            "missed": HostArray(np.zeros_like(missed), u8), "left": zeros(2 * CASE.ctas),
            "tags": HostArray(np.zeros(room, keys.dtype), element), "rows": zeros(room),
            "parts": HostArray(np.zeros(room, np.uint64), u64), "counts": zeros(CASE.ctas * bins),
            "total": HostArray(np.ones(1, np.uint32), u32),
        },
        plan=lambda on: cache_plan(
            n, CASE, on["keys"], on["rows"], on["missed"], on["left"],
            Records(on["tags"], on["rows"], on["rows"], on["parts"], room), on["counts"], on["total"], [on["values"]], words=0,
            accumulators=(how,), rowed=True, sided=False, types=(value,),
        ),
        expected=expected,
        tolerance=EXACT,
    )  # fmt: skip


def _variant(element: type[Integer], value: type[Value], op: str) -> Variant:
    kernel_ = using(
        group_cache, element=element, words=0, slots=CASE.slots, accumulators=(accumulator_of(op, 0, value),), rowed=True,
        sided=False, types=(ptr.__class_getitem__(value),),
    )  # fmt: skip
    sizes = ((0, 1), (1, 1), (3000, 1), (20_000, 50), (9000, 400))
    case = partial(_case, element=element, value=value, op=op)
    return Variant("group_cache", f"{element.isa.name}.{op}.{value.isa.name}", kernel_, case, sizes)


VARIANTS = (_variant(u32, f32, "sum"), _variant(u64, f64, "max"))
