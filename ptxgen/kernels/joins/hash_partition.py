"""Rows of a hash join's build side brought together by ranges of buckets (see hash_join.py), ahead of hash_build.py.

A partition is a range of buckets, so few that they fit into shared memory, or a run: the rows of one frequent key (see
hash_frequent.py). The runs come after the ranges. `partition_count` counts the rows of each and, in
the CTA that ends last, scans the counts; `partition_rows` writes the rows' entries partition by partition, a tile at a time:
ordered in shared memory, then written in runs.

Shapes: tags[n] -> pairs[n], of the form of the table's entries, in no certain order within a partition; counts[partitions + 1]
are zero before; firsts[partitions + 1] and next_[partitions] are places in the pairs.

Floor, n rows with u32 keys: the keys read twice and entries of 8 bytes written: 16n bytes; 10^7 rows at an H200's 4.3 TB/s:
0.04 ms.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from driver_ctypes.typing import NamedTuple
from ptxgen.builder import Builder, kernel, ptr, u32, u64
from ptxgen.builder.values import Integer
from ptxgen.kernels.blocks.counters import THREADS, clear, scan, take_place, words_for
from ptxgen.kernels.cases import EXACT, Case, HostArray, Variant
from ptxgen.kernels.joins.hash_frequent import MOST as MOST_RUNS
from ptxgen.kernels.joins.hash_frequent import NONE, WORDS, frequent_at, only_frequent
from ptxgen.kernels.joins.hash_join import (
    bucket_of,
    buckets_for,
    buckets_of,
    element_of,
    entries_of,
    entry_bytes,
    entry_of,
    random_tags,
    tag_of,
    zeros,
)
from ptxgen.kernels.plan import KernelPlan, grid_for, using

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

__all__ = [
    "KERNEL", "RESERVED", "SHARED", "VARIANTS", "Division", "apart", "count_plan", "divide", "firsts_of", "partition_plan",
]  # fmt: skip

T = TypeVar("T", bound=Integer)

COUNT_CTAS = 132 * 2
COUNTED = 32
"""Bytes of keys that a thread of `partition_count` has in flight: as many for u64 as for u32, or they spill."""


@kernel(threads=THREADS, min_ctas=2)
def partition_count(
    k: Builder, n: u32, tags: ptr[T], frequent: ptr[u32], mask: u32, shift: u32, partitions: u32, padded: u32,
    counts: ptr[u32], firsts: ptr[u32], next_: ptr[u32], *, element: type[T], hashed: bool, runs: bool,
) -> None:  # fmt: skip
    """firsts[p] and next_[p]: rows whose partition is below p; firsts[partitions] = n.

    Dynamic shared memory: `padded` words, at least `partitions`. The counter after the counts tells who ends last.
    """
    mine = k.dynamic_shared(u32).pointer
    clear(k, mine, padded)
    parts_of = _parts_of(k, mask, shift, frequent, hashed=hashed, runs=runs)
    items = COUNTED // element.isa.bytes
    tile = THREADS * items
    for begin in k.range(k.ctaid.x * tile + k.tid.x, n, k.nctaid.x * tile):
        found = [k.var(element, 0) for _ in range(items)]
        for i, tag in enumerate(found):
            with k.pred(begin + i * THREADS < n):
                tag.set(tags.at(begin)[i * THREADS])
        for i, part in enumerate(parts_of(found)):
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
    scan(k, mine, padded)
    for p in k.range(k.tid.x, partitions, THREADS):
        first = mine[p]
        firsts[p] = first
        next_[p] = first
    with k.if_(k.tid.x == 0):
        firsts[partitions] = n


@kernel(threads=THREADS, min_ctas=2)
def partition_rows(
    k: Builder, n: u32, tags: ptr[T], frequent: ptr[u32], mask: u32, shift: u32, partitions: u32, padded: u32,
    next_: ptr[u32], pairs: ptr[u32], *, element: type[T], hashed: bool, runs: bool, items: int,
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
    clear(k, counts, padded)
    parts_of = _parts_of(k, mask, shift, frequent, hashed=hashed, runs=runs)
    ranks = [take_place(k, counts, part, here) for part, here in zip(parts_of(found), inside)]
    k.barrier()
    for p in k.range(k.tid.x, partitions, THREADS):
        count, place = counts[p], k.var(u32, 0)
        with k.if_(count != 0):
            place.set(k.atomic_add(next_, p, count))
        moves[p] = place
    k.barrier()
    scan(k, counts, padded)
    for i, (tag, part, rank, here) in enumerate(zip(found, parts_of(found), ranks, inside)):
        with k.if_(here):
            staged[counts[part] + rank] = entry_of(k, tag, begin + k.tid.x + i * THREADS)
    for p in k.range(k.tid.x, partitions, THREADS):
        moves[p] -= counts[p]
    k.barrier()
    for i in range(items):
        at = k.tid.x + i * THREADS
        with k.if_(at < left):
            entry = list(staged[at])
            (part,) = parts_of([tag_of(entry, element)])
            pairs.vectors(lanes)[moves[part] + at] = tuple(entry)


def _parts_of(
    k: Builder, mask: Any, shift: Any, frequent: Any, *, hashed: bool, runs: bool
) -> Callable[[list[Any]], list[Any]]:
    """A function from tags to their partitions: bucket >> shift, or, with `runs`, behind all of those that of a frequent tag."""
    some = frequent[0] if runs else None

    def parts_of(tags: list[Any]) -> list[Any]:
        parts = [bucket_of(k, tag, mask, hashed=hashed) >> shift for tag in tags]
        if some is None:
            return parts
        found = [k.var(u32, part) for part in parts]
        with k.if_(some != 0):
            for tag, part in zip(tags, found):
                number = frequent_at(k, frequent, tag)
                with k.if_(number != NONE):
                    part.set(((mask + 1) >> shift) + number)
        return found

    return parts_of


KERNEL = partition_rows


class Division(NamedTuple):
    """How a table is divided: 2^`parts` partitions of 2^`bits` buckets, and behind them as many `runs`."""

    parts: int
    bits: int
    runs: int = 0

    @property
    def partitions(self) -> int:
        return 1 << self.parts

    @property
    def all_partitions(self) -> int:
        """With the runs."""
        return self.partitions + self.runs

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
RESERVED = 1 << 10
"""Bytes of shared memory that are not for a kernel's dynamic arrays: its own static ones."""


def divide(rows: int, entry: int, shared: int) -> Division:
    """The division of a table of so many rows, with entries of so many bytes, on a device whose CTAs have `shared` bytes.

    A partition's buckets and entries fit into shared memory: on an H200 10^7 rows of 16 bytes take 259 us in partitions of which
    one fits into an SM, 283 in twice as many of which two do. Where shared memory is too small for the buckets of a large table,
    each has more rows.
    """
    staged = (shared - RESERVED) * 4 // 5  # the buckets take at most a quarter as much as the entries
    bits = buckets_for(rows).bit_length() - 1
    parts = min(MANY, (max(0, rows * entry - 1) // PARTITION).bit_length())
    while parts < MOST and rows * entry >> parts > staged:
        parts += 1
    most = ((shared - RESERVED) // 4).bit_length() - 1
    return Division(parts, max(0, min(bits - parts, most)))


def items_of(element: type[Integer], shared: int, division: Division) -> int:
    """Rows a thread of `partition_rows` holds: a tile of 64 KiB, less where there is not so much shared memory."""
    items, entry = (64 << 10) // (THREADS * entry_bytes(element)), entry_bytes(element)
    while items > 1 and 8 * words_for(division.all_partitions) + THREADS * items * entry > shared - RESERVED:
        items //= 2
    return items


def count_plan(
    n: int, tags: Any, frequent: Any, division: Division, counts: Any, firsts: Any, next_: Any, *, hashed: bool
) -> KernelPlan:
    """Where the partitions begin; counts[all partitions + 1] are zero before. `frequent` is read where there are runs."""
    padded, element = words_for(division.all_partitions), element_of(tags)
    return KernelPlan(
        using(partition_count, element=element, hashed=hashed, runs=division.runs > 0),
        grid_for(n, THREADS * COUNTED // element.isa.bytes, COUNT_CTAS), THREADS,
        (n, tags, frequent, division.mask, division.bits, division.all_partitions, padded, counts, firsts, next_),
        shared=4 * padded,
    )  # fmt: skip


def partition_plan(
    n: int, tags: Any, frequent: Any, division: Division, next_: Any, pairs: Any, *, hashed: bool, shared: int
) -> KernelPlan:
    """The entries by partition; `shared` as for `divide`."""
    element = element_of(tags)
    items, padded = items_of(element, shared, division), words_for(division.all_partitions)
    size = THREADS * items
    return KernelPlan(
        using(partition_rows, element=element, hashed=hashed, runs=division.runs > 0, items=items), grid_for(n, size),
        THREADS, (n, tags, frequent, division.mask, division.bits, division.all_partitions, padded, next_, pairs),
        shared=8 * padded + size * entry_bytes(element),
    )  # fmt: skip


SHARED = 64 << 10
"""Bytes of shared memory of a CTA in the cases: all that sm_75 has."""


def apart(rng: np.random.Generator, n: int, element: type[Integer], mask: int, shift: int) -> Any:
    """At most n tags of which no two share a range of 2^shift buckets, so that no place depends on timing."""
    import numpy as np

    tags = random_tags(rng, n, element)
    _, firsts = np.unique(buckets_of(tags, mask) >> shift, return_index=True)
    return tags[np.sort(firsts)]


def partitions_of(tags: Any, division: Division) -> Any:
    """By numpy, where the first of the tags is the frequent one if there are runs."""
    found = buckets_of(tags, division.mask) >> division.bits
    if division.runs:
        found[tags == tags[:1]] = division.partitions
    return found


def firsts_of(tags: Any, division: Division) -> Any:
    """Where partitions begin, and the end of the last."""
    import numpy as np

    counts = np.bincount(partitions_of(tags, division), minlength=division.all_partitions)
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.uint32)


def _frequent(tags: Any, division: Division) -> HostArray:
    """The first of the tags, where there are runs."""
    return HostArray(only_frequent(tags[0]), u32) if division.runs and len(tags) else zeros(WORDS)


def _count_case(n: int, rng: np.random.Generator, *, element: type[Integer], runs: int) -> Case:
    division = Division(6, 3, runs)
    tags = random_tags(rng, n, element)
    firsts = firsts_of(tags, division)
    return Case(
        arrays={
            "tags": HostArray(tags, element), "frequent": _frequent(tags, division),
            "counts": zeros(division.all_partitions + 1), "firsts": zeros(len(firsts)),
            "next": zeros(division.all_partitions),
        },
        plan=lambda on: count_plan(
            n, on["tags"], on["frequent"], division, on["counts"], on["firsts"], on["next"], hashed=False
        ),
        expected={"firsts": firsts, "next": firsts[:-1]},
        tolerance=EXACT,
    )  # fmt: skip


def _partition_case(n: int, rng: np.random.Generator, *, element: type[Integer], runs: int) -> Case:
    import numpy as np

    division = Division(10, 3, runs)
    tags = apart(rng, n, element, division.mask, division.bits)
    firsts = firsts_of(tags, division)
    order = np.argsort(partitions_of(tags, division), kind="stable").astype(np.uint32)
    pairs = entries_of(tags[order], order, element)
    return Case(
        arrays={
            "tags": HostArray(tags, element), "frequent": _frequent(tags, division), "next": HostArray(firsts[:-1], u32),
            "pairs": zeros(len(pairs)),
        },
        plan=lambda on: partition_plan(
            len(tags), on["tags"], on["frequent"], division, on["next"], on["pairs"], hashed=False, shared=SHARED
        ),
        expected={"pairs": pairs, "next": firsts[1:]},
        tolerance=EXACT,
    )  # fmt: skip


_SIZES = (0, 1, 100, 1000)


def _variants(element: type[Integer], runs: int) -> tuple[Variant, ...]:
    name = element.isa.name + ".runs" * (runs > 0)
    items = items_of(element, SHARED, Division(10, 3, runs))
    how: Any = {"element": element, "hashed": False, "runs": runs > 0}
    return (
        Variant(
            "hash_partition", f"count.{name}", using(partition_count, **how),
            partial(_count_case, element=element, runs=runs), (*_SIZES, 9000),
        ),
        Variant(
            "hash_partition", f"rows.{name}", using(partition_rows, **how, items=items),
            partial(_partition_case, element=element, runs=runs), (*_SIZES, 5000),
        ),
    )  # fmt: skip


VARIANTS = (*_variants(u32, 0), *_variants(u64, 0), *_variants(u32, MOST_RUNS), *_variants(u64, MOST_RUNS))
