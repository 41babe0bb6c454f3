"""The table of a hash join (see hash_join.py), built in partitions so small that their buckets fit into shared memory.

A partition is a range of buckets. `partition_count` counts the rows of each and, in the CTA that ends last, scans the counts;
`partition_rows` brings the rows' entries together by partition, a tile at a time: ordered in shared memory, then written in
runs; `build_buckets`, a CTA a partition, counts its buckets, scans them, and puts the entries to their places. A small table
is one partition, which the last kernel takes from the tags alone.

Shapes: tags[n] -> starts[buckets + 1], entries[n], see hash_join.py; counts[partitions + 1] are zero before; firsts[partitions
+ 1] and next_[partitions] are places in pairs[n], which has the form of the entries.

Many rows with one key meet in one counter: a warp counts those of a crowd with one atomic. They are all in one partition, on
which one CTA works, twenty times as long for 10^7 rows of one key as all CTAs for different ones.

Floor, n rows with u32 keys: the keys read twice, 8-byte entries written twice and read once, 4 bytes a bucket: 32n + 4*buckets
bytes; 10^7 rows and 2^23 buckets at an H200's 4.3 TB/s: 0.08 ms.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from ptxgen.build import Builder, kernel, ptr, u32, u64
from ptxgen.build.values import Integer
from ptxgen.kernels.cases import EXACT, Case, Host, Variant
from ptxgen.kernels.collectives import WARP
from ptxgen.kernels.hash_join import (
    bucket_of,
    buckets_for,
    buckets_of,
    element_of,
    entries_of,
    entry_bytes,
    entry_of,
    load_entry,
    random_tags,
    table_of,
    tag_of,
    zeros,
)
from ptxgen.kernels.plan import Plan, ceil_div, grid_for, using

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

__all__ = ["KERNEL", "VARIANTS", "Division", "build_plan", "count_plan", "divide", "partition_plan"]

T = TypeVar("T", bound=Integer)

THREADS = 512
WARPS = THREADS // WARP
COUNT_CTAS = 132 * 2
COUNTED = 8
"""Rows that a thread of `partition_count` has in flight."""
READ = 8
"""Entries that a thread of `build_buckets` has in flight."""
CROWD = 8
"""Lanes with one counter from which on a warp adds for all of them at once."""

SCANNED = WARPS * WARP * 4
"""Words that a CTA scans at a time; what it scans is padded to a multiple of them."""


def _padded(words: int) -> int:
    return ceil_div(words, SCANNED) * SCANNED


def _clear(k: Builder, words: Any, size: Any) -> None:
    for i in k.range(k.tid.x, size // 4, THREADS):
        words.vectors(4)[i] = (0, 0, 0, 0)
    k.barrier()


def _scan_shared(k: Builder, words: Any, size: Any) -> None:
    """Exclusive sums of `size` shared words, a multiple of SCANNED, in place. The CTA is in step before and after."""
    lane, warp = k.tid.x % WARP, k.tid.x // WARP
    rounds = size // SCANNED
    mine = words.vectors(4).at(warp * rounds * WARP + lane)
    carry = k.var(u32, 0)
    for r in k.range(rounds):
        values = list(mine.load(r * WARP))
        sums = [values[0]]
        for value in values[1:]:
            sums.append(sums[-1] + value)
        upto = _scan_lanes(k, sums[-1], WARP)
        before = carry + upto - sums[-1]
        mine.store(r * WARP, (before, *(before + each for each in sums[:-1])))
        carry += k.shfl_idx(upto, WARP - 1)
    totals = k.shared(u32, WARPS, name="warp_totals")
    with k.if_(lane == 0):
        totals[warp] = carry
    k.barrier()
    total = totals[lane % WARPS]
    before_warp = k.shfl_idx(_scan_lanes(k, total, WARPS) - total, warp)
    for r in k.range(rounds):
        mine.store(r * WARP, tuple(value + before_warp for value in mine.load(r * WARP)))
    k.barrier()


def _scan_lanes(k: Builder, value: Any, width: int) -> Any:
    """Inclusive sum over segments of `width` lanes, by doubling distances."""
    distance = 1
    while distance < width:
        below, exists = k.shfl_up(value, distance, width=width, valid=True)
        value = k.select(exists, value + below, value)
        distance *= 2
    return value


def _take_place(k: Builder, counters: Any, index: Any, here: Any) -> Any:
    """counters[index] before this lane added one to it, for lanes that are `here`. The whole warp calls it."""
    place = k.var(u32, 0)
    lowest = k.clz(k.brev(k.ballot(here))) % WARP
    chosen = here & (index == k.shfl_idx(index, lowest))
    crowd = k.ballot(chosen)
    with k.if_else(k.popc(crowd) >= CROWD) as (together, alone):
        with together:
            before = k.popc(crowd & k.special("%lanemask_lt"))
            with k.if_(chosen & (before == 0)):
                place.set(k.atomic_add(counters, index, k.popc(crowd)))
            place.set(k.select(chosen, k.shfl_idx(place, lowest) + before, place))
            with k.if_(here & ~chosen):
                place.set(k.atomic_add(counters, index, 1))
        with alone, k.if_(here):
            place.set(k.atomic_add(counters, index, 1))
    return place


@kernel(threads=THREADS, min_ctas=2)
def partition_count(
    k: Builder, n: u32, tags: ptr[T], mask: u32, shift: u32, partitions: u32, padded: u32, counts: ptr[u32],
    firsts: ptr[u32], next_: ptr[u32], *, element: type[T], hashed: bool,
) -> None:  # fmt: skip
    """firsts[p] and next_[p]: rows whose partition, bucket >> shift, is below p; firsts[partitions] = n.

    Dynamic shared memory: `padded` words, at least `partitions`. The counter after the counts tells who ends last.
    """
    mine = k.dynamic_shared(u32).pointer
    _clear(k, mine, padded)
    tile = THREADS * COUNTED
    for begin in k.range(k.ctaid.x * tile + k.tid.x, n, k.nctaid.x * tile):
        found = [k.var(element, 0) for _ in range(COUNTED)]
        for i, tag in enumerate(found):
            with k.pred(begin + i * THREADS < n):
                tag.set(tags.at(begin)[i * THREADS])
        for i, tag in enumerate(found):
            part = bucket_of(k, tag, mask, hashed=hashed) >> shift
            with k.pred(begin + i * THREADS < n):
                k.reduce_add(mine, part, 1)
    k.barrier()
    for p in k.range(k.tid.x, partitions, THREADS):
        total = mine[p]
        with k.if_(total != 0):
            k.reduce_add(counts, p, total)

    is_last = k.shared(u32, 1, name="is_last")
    k.barrier()
    with k.if_(k.tid.x == 0):
        k.fence("gpu", "acq_rel")
        ended = k.atomic_add(counts, partitions, 1, order="acq_rel")
        is_last[0] = (ended == k.nctaid.x - 1).to(u32)
        k.fence("gpu", "acq_rel")
    k.barrier()
    with k.if_(is_last[0] == 0):
        k.return_()
    for p in k.range(k.tid.x, partitions, THREADS):
        mine[p] = counts.load(p, "relaxed.gpu")
    k.barrier()
    _scan_shared(k, mine, padded)
    for p in k.range(k.tid.x, partitions, THREADS):
        first = mine[p]
        firsts[p] = first
        next_[p] = first
    with k.if_(k.tid.x == 0):
        firsts[partitions] = n


@kernel(threads=THREADS, min_ctas=2)
def partition_rows(
    k: Builder, n: u32, tags: ptr[T], mask: u32, shift: u32, partitions: u32, padded: u32, next_: ptr[u32],
    pairs: ptr[u32], *, element: type[T], hashed: bool, items: int,
) -> None:  # fmt: skip
    """The rows' entries, partition by partition. A CTA a tile of THREADS*items rows; next_[p] is where p's next entry goes.

    Dynamic shared memory: 2*padded words, then the tile's entries.
    """
    size, lanes = THREADS * items, entry_bytes(element) // 4
    begin = k.ctaid.x * size
    left = n - begin
    counts = k.dynamic_shared(u32).pointer
    moves = counts.at(padded)
    staged = counts.at(2 * padded).vectors(lanes)
    found = [k.var(element, 0) for _ in range(items)]
    inside = [k.tid.x + i * THREADS < left for i in range(items)]
    for i, (tag, here) in enumerate(zip(found, inside)):
        with k.pred(here):
            tag.set(tags.at(begin + k.tid.x)[i * THREADS])
    _clear(k, counts, padded)

    def part_of(tag: Any) -> Any:
        return bucket_of(k, tag, mask, hashed=hashed) >> shift

    ranks = [_take_place(k, counts, part_of(tag), here) for tag, here in zip(found, inside)]
    k.barrier()
    for p in k.range(k.tid.x, partitions, THREADS):
        count = counts[p]
        with k.if_(count != 0):
            moves[p] = k.atomic_add(next_, p, count)
    k.barrier()
    _scan_shared(k, counts, padded)
    for i, (tag, rank, here) in enumerate(zip(found, ranks, inside)):
        with k.if_(here):
            staged[counts[part_of(tag)] + rank] = entry_of(k, tag, begin + k.tid.x + i * THREADS)
    for p in k.range(k.tid.x, partitions, THREADS):
        moves[p] -= counts[p]
    k.barrier()
    for i in range(items):
        at = k.tid.x + i * THREADS
        with k.if_(at < left):
            entry = list(staged[at])
            pairs.vectors(lanes)[moves[part_of(tag_of(entry, element))] + at] = tuple(entry)


@kernel(threads=THREADS, min_ctas=2)
def build_buckets(
    k: Builder, n: u32, tags: ptr[T], pairs: ptr[u32], firsts: ptr[u32], mask: u32, bits: u32, padded: u32,
    room: u32, starts: ptr[u32], entries: ptr[u32], *, element: type[T], hashed: bool, whole: bool,
) -> None:  # fmt: skip
    """starts and entries of the 2^bits buckets of a partition, a CTA each. `whole`: one partition, of the tags themselves.

    Dynamic shared memory: `padded` words, at least 2^bits, then `room` entries. A partition of no more entries is put in order
    there, and written as it lies; of a larger one each entry is written to its place.
    """
    lanes = entry_bytes(element) // 4
    counters = k.dynamic_shared(u32).pointer
    begin, end = k.var(u32, 0), k.var(u32, n)
    if not whole:
        begin.set(firsts[k.ctaid.x])
        end.set(firsts[k.ctaid.x + 1])
    buckets = k.const(u32, 1) << bits
    first_bucket = k.ctaid.x * buckets
    _clear(k, counters, padded)

    def each(visit: Callable[[Any, Any, Any, Any], None]) -> None:
        """`visit(tag, row, bucket of the partition, is there one)`; warps stay together."""
        for base in k.range(begin, end, THREADS * READ):
            read = []
            for i in range(READ):
                at = base + k.tid.x + i * THREADS
                words = [k.var(element if whole else u32, 0) for _ in range(1 if whole else element.isa.bytes // 4 + 1)]
                here = at < end
                with k.pred(here):
                    loaded = [tags[at]] if whole else load_entry(pairs, at, element)
                    for variable, word in zip(words, loaded):
                        variable.set(word)
                read.append((words, at, here))
            for words, at, here in read:
                if whole:
                    tag, row = words[0], at
                else:
                    tag, row = tag_of(words, element), words[-1]
                visit(tag, row, bucket_of(k, tag, mask, hashed=hashed) - first_bucket, here)

    def count(tag: Any, row: Any, bucket: Any, here: Any) -> None:
        with k.pred(here):
            k.reduce_add(counters, bucket, 1)

    def put_into(entries: Any) -> Callable[[Any, Any, Any, Any], None]:
        def put(tag: Any, row: Any, bucket: Any, here: Any) -> None:
            place = _take_place(k, counters, bucket, here)
            with k.if_(here):
                entries[place] = entry_of(k, tag, row)

        return put

    each(count)
    k.barrier()
    _scan_shared(k, counters, padded)
    for b in k.range(k.tid.x, buckets, THREADS):
        starts[first_bucket + b] = begin + counters[b]
    with k.if_((k.ctaid.x == k.nctaid.x - 1) & (k.tid.x == 0)):
        starts[mask + 1] = n
    k.barrier()
    target = entries.vectors(lanes).at(begin)
    with k.if_else(end - begin <= room) as (fits, too_large):
        with fits:
            staged = counters.at(padded).vectors(lanes)
            each(put_into(staged))
            k.barrier()
            for i in k.range(k.tid.x, end - begin, THREADS):
                target[i] = tuple(staged[i])
        with too_large:
            each(put_into(target))


KERNEL = build_buckets


class Division(NamedTuple):
    """How a table is divided: 2^`parts` partitions of 2^`bits` buckets."""

    parts: int
    bits: int

    @property
    def partitions(self) -> int:
        return 1 << self.parts

    @property
    def buckets(self) -> int:
        return 1 << (self.parts + self.bits)

    @property
    def mask(self) -> int:
        """A hash's bits that choose the bucket."""
        return self.buckets - 1


PARTITION = 16 << 10
"""Bytes of a partition's entries that make enough work for a CTA; more of them in at most 2^MANY partitions."""
MANY, MOST = 10, 12
STAGED = 96 << 10
"""Bytes of a partition's entries of which two fit into an H200's SM, in at most 2^MOST partitions."""
RESERVED = 1 << 10
"""Bytes of shared memory that are not for a kernel's dynamic arrays: its own static ones."""


def divide(rows: int, entry: int, shared: int) -> Division:
    """The division of a table of so many rows, with entries of so many bytes, on a device whose CTAs have `shared` bytes.

    A partition's buckets are in shared memory. Where that is too small for the buckets of a large table, each has more rows.
    """
    bits = buckets_for(rows).bit_length() - 1
    parts = min(MANY, (max(0, rows * entry - 1) // PARTITION).bit_length())
    while parts < MOST and rows * entry >> parts > STAGED:
        parts += 1
    most = ((shared - RESERVED) // 4).bit_length() - 1
    return Division(parts, max(0, min(bits - parts, most)))


def room_of(rows: int, division: Division, entry: int, shared: int) -> int:
    """Entries of a partition that `build_buckets` puts in order in shared memory: some more than an even share, as far as they
    fit; of counts that fall at random one in 10^9 is 6 standard deviations above."""
    fits = (shared - RESERVED - 4 * _padded(1 << division.bits)) // entry
    share = ceil_div(rows, division.partitions)
    return max(0, min(share + 6 * math.isqrt(share) + 16, fits))


def items_of(element: type[Integer], shared: int, division: Division) -> int:
    """Rows a thread of `partition_rows` holds: a tile of 64 KiB, less where there is not so much shared memory."""
    items, entry = (64 << 10) // (THREADS * entry_bytes(element)), entry_bytes(element)
    while items > 1 and 8 * _padded(division.partitions) + THREADS * items * entry > shared - RESERVED:
        items //= 2
    return items


def count_plan(n: int, tags: Any, division: Division, counts: Any, firsts: Any, next_: Any, *, hashed: bool) -> Plan:
    """Where the partitions begin; counts[partitions + 1] are zero before."""
    padded = _padded(division.partitions)
    return Plan(
        using(partition_count, element=element_of(tags), hashed=hashed), grid_for(n, THREADS * COUNTED, COUNT_CTAS), THREADS,
        (n, tags, division.mask, division.bits, division.partitions, padded, counts, firsts, next_), shared=4 * padded,
    )  # fmt: skip


def partition_plan(n: int, tags: Any, division: Division, next_: Any, pairs: Any, *, hashed: bool, shared: int) -> Plan:
    """The entries by partition; `shared` as for `divide`."""
    element = element_of(tags)
    items, padded = items_of(element, shared, division), _padded(division.partitions)
    size = THREADS * items
    return Plan(
        using(partition_rows, element=element, hashed=hashed, items=items), grid_for(n, size), THREADS,
        (n, tags, division.mask, division.bits, division.partitions, padded, next_, pairs),
        shared=8 * padded + size * entry_bytes(element),
    )  # fmt: skip


def build_plan(
    n: int, tags: Any, pairs: Any, firsts: Any, division: Division, starts: Any, entries: Any, *, hashed: bool,
    shared: int,
) -> Plan:  # fmt: skip
    """The table. Of a table that is one partition, pairs and firsts are not read."""
    padded = _padded(1 << division.bits)
    element = element_of(tags)
    kernel_ = using(build_buckets, element=element, hashed=hashed, whole=division.parts == 0)
    room = room_of(n, division, entry_bytes(element), shared)
    arguments = (n, tags, pairs, firsts, division.mask, division.bits, padded, room, starts, entries)
    return Plan(kernel_, division.partitions, THREADS, arguments, shared=4 * padded + room * entry_bytes(element))


SHARED = 64 << 10
"""Bytes of shared memory of a CTA in the cases: all that sm_75 has."""


def _apart(rng: np.random.Generator, n: int, element: type[Integer], mask: int, shift: int) -> Any:
    """At most n tags of which no two share a range of 2^shift buckets, so that no place depends on timing."""
    import numpy as np

    tags = random_tags(rng, n, element)
    _, firsts = np.unique(buckets_of(tags, mask) >> shift, return_index=True)
    return tags[np.sort(firsts)]


def _firsts(tags: Any, division: Division) -> Any:
    """Where partitions begin, and the end of the last."""
    import numpy as np

    counts = np.bincount(buckets_of(tags, division.mask) >> division.bits, minlength=division.partitions)
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.uint32)


def _count_case(n: int, rng: np.random.Generator, *, element: type[Integer]) -> Case:
    division = Division(6, 3)
    tags = random_tags(rng, n, element)
    firsts = _firsts(tags, division)
    return Case(
        arrays={
            "tags": Host(tags, element), "counts": zeros(division.partitions + 1), "firsts": zeros(len(firsts)),
            "next": zeros(division.partitions),
        },
        plan=lambda on: count_plan(n, on["tags"], division, on["counts"], on["firsts"], on["next"], hashed=False),
        expected={"firsts": firsts, "next": firsts[:-1]},
        tolerance=EXACT,
    )  # fmt: skip


def _partition_case(n: int, rng: np.random.Generator, *, element: type[Integer]) -> Case:
    import numpy as np

    division = Division(10, 3)
    tags = _apart(rng, n, element, division.mask, division.bits)
    firsts = _firsts(tags, division)
    order = np.argsort(buckets_of(tags, division.mask) >> division.bits, kind="stable").astype(np.uint32)
    pairs = entries_of(tags[order], order, element)
    return Case(
        arrays={"tags": Host(tags, element), "next": Host(firsts[:-1], u32), "pairs": zeros(len(pairs))},
        plan=lambda on: partition_plan(
            len(tags), on["tags"], division, on["next"], on["pairs"], hashed=False, shared=SHARED
        ),
        expected={"pairs": pairs, "next": firsts[1:]},
        tolerance=EXACT,
    )


def _build_case(size: tuple[int, bool], rng: np.random.Generator, *, element: type[Integer], parts: int) -> Case:
    """(rows, whether there is room to put a partition in order)."""
    import numpy as np

    n, staged = size
    division = Division(parts, 12 - parts)
    tags = _apart(rng, n, element, division.mask, 0)
    table = table_of(tags, element, division.mask)
    order = np.argsort(buckets_of(tags, division.mask) >> division.bits, kind="stable").astype(np.uint32)
    shared = SHARED if staged else RESERVED + 4 * _padded(1 << division.bits)
    return Case(
        arrays={
            "tags": Host(tags, element), "pairs": Host(entries_of(tags[order], order, element), u32),
            "firsts": Host(_firsts(tags, division), u32), "starts": zeros(division.buckets + 1),
            "entries": zeros(len(table.entries)),
        },
        plan=lambda on: build_plan(
            len(tags), on["tags"], on["pairs"], on["firsts"], division, on["starts"], on["entries"], hashed=False,
            shared=shared,
        ),
        expected={"starts": table.starts, "entries": table.entries},
        tolerance=EXACT,
    )  # fmt: skip


_SIZES = (0, 1, 100, 1000)


def _variants(element: type[Integer]) -> tuple[Variant, ...]:
    name = element.isa.name
    items = items_of(element, SHARED, Division(10, 3))
    how: Any = {"element": element, "hashed": False}
    some = ((0, True), (1, False), (1000, True), (1000, False))
    return (
        Variant(
            "hash_build", f"count.{name}", using(partition_count, **how), partial(_count_case, element=element), (*_SIZES, 9000)
        ),
        Variant(
            "hash_build", f"partition.{name}", using(partition_rows, **how, items=items),
            partial(_partition_case, element=element), (*_SIZES, 5000),
        ),
        Variant(
            "hash_build", f"build.{name}", using(build_buckets, **how, whole=False),
            partial(_build_case, element=element, parts=2), some,
        ),
        Variant(
            "hash_build", f"build.{name}.whole", using(build_buckets, **how, whole=True),
            partial(_build_case, element=element, parts=0), some,
        ),
    )  # fmt: skip


VARIANTS = (*_variants(u32), *_variants(u64))
