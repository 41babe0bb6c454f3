"""Parts of groups and rows that were missed, brought together by ranges of their hashes: see group_cache.py."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ptxgen.builder import Builder, kernel, ptr, u32, u64
from ptxgen.builder.values import Integer
from ptxgen.host.formats import numpy_name
from ptxgen.kernels.arrays.group_cache import CASE, PARTS, Layout, hashes_of, loaded
from ptxgen.kernels.arrays.group_table import Keys
from ptxgen.kernels.blocks.counters import THREADS, clear, scan, words_for
from ptxgen.kernels.cases import EXACT, Case, HostArray, Variant
from ptxgen.kernels.joins.hash_join import element_of, entries_of, entry_bytes, entry_of, tag_of, zeros
from ptxgen.kernels.plan import KernelPlan, grid_for, using

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

__all__ = ["KERNEL", "VARIANTS", "spread_plan"]

C = TypeVar("C", bound=Integer)

ITEMS = 4
"""Entries that a thread has in flight."""


@kernel(threads=THREADS, min_ctas=2)
def group_spread(
    k: Builder, n: u32, share: u32, keys: ptr[C], missed: ptr[u32], lost: ptr[u32], tags: ptr[C], rows: ptr[u32], tile: u32,
    bins: u32, shift: u32, padded: u32, state: ptr[u32], next_: ptr[u32], pairs: ptr[u32], *, element: type[C], hashed: bool,
) -> None:  # fmt: skip
    """The entries, bin by bin. Dynamic shared memory: 2*padded words, at least `bins` each, then a tile's entries.

    A CTA takes the missed rows of its share, and then its share of the parts, a tile at a time: it counts the entries of each bin,
    claims places for them, brings them together in shared memory, and writes them in runs.
    """
    of = Keys(keys, keys, element, int(hashed))
    words = entry_bytes(element) // 4
    counts = k.dynamic_shared(u32).pointer
    moves, staged = counts.at(padded), counts.at(2 * padded).vectors(words)
    entries = pairs.vectors(words)

    def each(first: Any, last: Any, visit: Callable[[Any, Any, Any], None]) -> None:
        """`visit(tag, number, is there one)` of the places from `first` to `last`."""
        for base in k.range(first + k.tid.x, last, THREADS * ITEMS):
            places = [base + i * THREADS for i in range(ITEMS)]
            for place, (tag, here) in [(place, read(place, place < last)) for place in places]:
                visit(tag, place + offset, here)

    def read(place: Any, inside: Any) -> tuple[Any, Any]:
        is_row = inside & (offset == 0)
        bits = loaded(k, missed, place // 32, is_row)
        is_row = is_row & (((bits >> (place % 32)) & 1) != 0)
        tag = loaded(k, keys, place, is_row)
        is_part = inside & (offset != 0)
        if hashed:
            row = loaded(k, rows, place, is_part)
        with k.pred(is_part):
            tag.set(keys[row] if hashed else tags[place])
        return tag, is_row | is_part

    def count(tag: Any, _: Any, here: Any) -> None:
        with k.pred(here):
            k.reduce_add(counts, of.hash(k, tag) >> shift, 1)

    def stage(tag: Any, number: Any, here: Any) -> None:
        with k.if_(here):
            staged[k.atomic_add(counts, of.hash(k, tag) >> shift, 1)] = entry_of(k, tag, number)

    parts = state[PARTS]
    each_parts = (parts + k.nctaid.x - 1) // k.nctaid.x
    begin, end, offset = k.var(u32, k.ctaid.x * share), k.var(u32, 0), k.var(u32, 0)
    with k.if_((lost[k.ctaid.x] != 0) & (n != 0)):
        end.set(begin + k.min(n - begin, share))
    for source in k.range(2):
        with k.if_(source == 1):
            offset.set(n)
            begin.set(k.min(k.ctaid.x * each_parts, parts))
            end.set(begin + k.min(parts - begin, each_parts))
        for first in k.range(begin, end, tile):
            last = first + k.min(end - first, tile)
            clear(k, counts, padded)
            each(first, last, count)
            k.barrier()
            for b in k.range(k.tid.x, bins, THREADS):
                claimed = counts[b]
                with k.if_(claimed != 0):
                    moves[b] = k.atomic_add(next_, b, claimed)
            k.barrier()
            scan(k, counts, padded)
            for b in k.range(k.tid.x, bins, THREADS):
                moves[b] -= counts[b]
            k.barrier()
            with k.allow("PTX507"):  # the entries lie behind the counts
                each(first, last, stage)
            k.barrier()
            for at in k.range(k.tid.x, counts[bins - 1], THREADS):
                entry = list(staged[at])
                entries[moves[of.hash(k, tag_of(entry, element)) >> shift] + at] = tuple(entry)
            k.barrier()


KERNEL = group_spread


def spread_plan(
    n: int, layout: Layout, keys: Any, missed: Any, lost: Any, tags: Any, rows: Any, state: Any, next_: Any, pairs: Any, *,
    hashed: bool,
) -> KernelPlan:  # fmt: skip
    """The entries of n rows."""
    padded, element = words_for(layout.bins), element_of(keys)
    arguments = (
        n, layout.share, keys, missed, lost, tags, rows, layout.spread, layout.bins, layout.shift, padded, state, next_, pairs,
    )  # fmt: skip
    kernel_ = using(group_spread, element=element, hashed=hashed)
    shared = 8 * padded + layout.spread * entry_bytes(element)
    return KernelPlan(kernel_, grid_for(n, layout.share), THREADS, arguments, shared=shared)


def _case(size: tuple[int, int], rng: np.random.Generator, *, element: type[Integer]) -> Case:
    """(rows, parts), each in a bin of its own, so that no place depends on timing. A third of the rows are missed."""
    import numpy as np

    n, parts = size
    kind: Any = np.dtype(numpy_name(element.isa))
    drawn = np.unique(rng.integers(0, np.iinfo(kind).max, 20 * (n + parts), dtype=kind))
    _, first = np.unique(hashes_of(drawn) >> CASE.shift, return_index=True)
    tags = rng.permutation(drawn[first])[: n + parts]
    n, missed = len(tags) - parts, rng.random(len(tags) - parts) < 1 / 3
    lost = [missed[begin : begin + CASE.share].any() for begin in range(0, max(1, n), CASE.share)]
    numbers = np.concatenate([np.nonzero(missed)[0], np.arange(n, n + parts)]).astype(np.uint32)
    bins = hashes_of(tags[numbers]) >> CASE.shift
    order = np.argsort(bins)
    entries = entries_of(tags[numbers][order], numbers[order], element)
    starts = np.cumsum(np.bincount(bins, minlength=CASE.bins)) - np.bincount(bins, minlength=CASE.bins)
    bits = np.packbits(np.pad(missed, (0, -n % 32)), bitorder="little").view(np.uint32)
    state = np.array([parts, 0, 0], np.uint32)
    return Case(
        arrays={
            "keys": HostArray(tags[:n], element), "missed": HostArray(np.append(bits, np.uint32(0)), u32),
            "lost": HostArray(np.array(lost, np.uint32), u32), "tags": HostArray(tags[n:], element), "rows": zeros(1),
            "state": HostArray(state, u32), "next": HostArray(starts.astype(np.uint32), u32), "pairs": zeros(len(entries)),
        },
        plan=lambda on: spread_plan(
            n, CASE, on["keys"], on["missed"], on["lost"], on["tags"], on["rows"], on["state"], on["next"], on["pairs"],
            hashed=False,
        ),
        expected={"pairs": entries},
        tolerance=EXACT,
    )  # fmt: skip


VARIANTS = tuple(
    Variant(
        "group_spread", element.isa.name, using(group_spread, element=element, hashed=False), partial(_case, element=element),
        ((0, 0), (1, 0), (1, 30), (500, 200)),
    )
    for element in (u32, u64)
)  # fmt: skip
