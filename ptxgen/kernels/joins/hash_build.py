"""The table of a hash join (see hash_join.py) from its partitions (see hash_partition.py), each in shared memory.

A CTA a partition counts its buckets, scans the counts, which are the buckets' first places, and puts the entries there. A small
table is one partition, which is taken from the tags alone.

Shapes: pairs[n], firsts[partitions + 1] -> starts[buckets + 1], entries[n].

Many rows with one key meet in one counter: a warp counts those of a crowd with one atomic. They are all in one partition, on
which one CTA works: 10^7 rows of one key take 6.5 ms on an H200, different ones 0.17, partitions included.

Floor, n rows with u32 keys: entries of 8 bytes read and written, 4 bytes a bucket: 16n + 4*buckets bytes; 10^7 rows and 2^22
buckets at an H200's 4.3 TB/s: 0.04 ms.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ptxgen.builder import Builder, kernel, ptr, u32, u64
from ptxgen.builder.values import Integer
from ptxgen.kernels.blocks.counters import THREADS, clear, scan, take_place, words_for
from ptxgen.kernels.cases import EXACT, Case, HostArray, Variant
from ptxgen.kernels.joins.hash_join import (
    bucket_of,
    buckets_of,
    element_of,
    entries_of,
    entry_bytes,
    entry_of,
    load_entry,
    table_of,
    tag_of,
    zeros,
)
from ptxgen.kernels.joins.hash_partition import RESERVED, SHARED, Division, apart, firsts_of
from ptxgen.kernels.plan import KernelPlan, ceil_div, using

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

__all__ = ["KERNEL", "VARIANTS", "build_plan", "room_of"]

T = TypeVar("T", bound=Integer)

READ = 4
"""Entries that a thread has in flight; with eight, u64 tags spill and take 172 us instead of 114 for 10^7 rows on an H200."""


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
    clear(k, counters, padded)

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
            place = take_place(k, counters, bucket, here)
            with k.if_(here):
                entries[place] = entry_of(k, tag, row)

        return put

    each(count)
    k.barrier()
    scan(k, counters, padded)
    for b in k.range(k.tid.x, buckets, THREADS):
        starts[first_bucket + b] = begin + counters[b]
    with k.if_((k.ctaid.x == k.nctaid.x - 1) & (k.tid.x == 0)):
        starts[mask + 1] = end  # what runs hold comes behind
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


def room_of(rows: int, division: Division, entry: int, shared: int) -> int:
    """Entries of a partition that `build_buckets` puts in order in shared memory: some more than an even share, as far as they
    fit; of counts that fall at random one in 10^9 is 6 standard deviations above."""
    fits = (shared - RESERVED - 4 * words_for(1 << division.bits)) // entry
    share = ceil_div(rows, division.partitions)
    return max(0, min(share + 6 * math.isqrt(share) + 16, fits))


def build_plan(
    n: int, tags: Any, pairs: Any, firsts: Any, division: Division, starts: Any, entries: Any, *, hashed: bool,
    shared: int,
) -> KernelPlan:  # fmt: skip
    """The table. Of a table that is one partition, pairs and firsts are not read."""
    padded = words_for(1 << division.bits)
    element = element_of(tags)
    kernel_ = using(build_buckets, element=element, hashed=hashed, whole=division.parts == 0)
    room = room_of(n, division, entry_bytes(element), shared)
    arguments = (n, tags, pairs, firsts, division.mask, division.bits, padded, room, starts, entries)
    return KernelPlan(kernel_, division.partitions, THREADS, arguments, shared=4 * padded + room * entry_bytes(element))


def _build_case(size: tuple[int, bool], rng: np.random.Generator, *, element: type[Integer], parts: int) -> Case:
    """(rows, whether there is room to put a partition in order)."""
    import numpy as np

    n, staged = size
    division = Division(parts, 12 - parts)
    tags = apart(rng, n, element, division.mask, 0)
    table = table_of(tags, element, division.mask)
    order = np.argsort(buckets_of(tags, division.mask) >> division.bits, kind="stable").astype(np.uint32)
    shared = SHARED if staged else RESERVED + 4 * words_for(1 << division.bits)
    return Case(
        arrays={
            "tags": HostArray(tags, element), "pairs": HostArray(entries_of(tags[order], order, element), u32),
            "firsts": HostArray(firsts_of(tags, division), u32), "starts": zeros(division.buckets + 1),
            "entries": zeros(len(table.entries)),
        },
        plan=lambda on: build_plan(
            len(tags), on["tags"], on["pairs"], on["firsts"], division, on["starts"], on["entries"], hashed=False,
            shared=shared,
        ),
        expected={"starts": table.starts, "entries": table.entries},
        tolerance=EXACT,
    )  # fmt: skip


def _variant(name: str, element: type[Integer], parts: int) -> Variant:
    kernel_ = using(build_buckets, element=element, hashed=False, whole=parts == 0)
    case = partial(_build_case, element=element, parts=parts)
    return Variant("hash_build", name, kernel_, case, ((0, True), (1, False), (1000, True), (1000, False)))


VARIANTS = (
    _variant("u32", u32, 2),
    _variant("u64", u64, 2),
    _variant("u32.whole", u32, 0),
    _variant("u64.whole", u64, 0),
)
