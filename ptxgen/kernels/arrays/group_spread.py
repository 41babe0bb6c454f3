"""Parts of groups and rows that were missed, brought together by ranges of their hashes: see group_cache.py."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from ptxgen.builder import Builder, kernel, ptr, u32
from ptxgen.builder.values import Integer
from ptxgen.kernels.arrays.group_cache import ITEMS, PARTS, TILE, Layout, loaded
from ptxgen.kernels.arrays.group_table import Keys
from ptxgen.kernels.blocks.counters import THREADS, clear, words_for
from ptxgen.kernels.joins.hash_join import element_of, entry_bytes, entry_of
from ptxgen.kernels.plan import KernelPlan, grid_for, using

if TYPE_CHECKING:
    from collections.abc import Callable

C = TypeVar("C", bound=Integer)


@kernel(threads=THREADS, min_ctas=2)
def group_spread(
    k: Builder, n: u32, share: u32, keys: ptr[C], missed: ptr[u32], rows: ptr[u32], bins: u32, shift: u32, padded: u32,
    state: ptr[u32], next_: ptr[u32], pairs: ptr[u32], *, element: type[C], hashed: bool,
) -> None:  # fmt: skip
    """The entries, bin by bin. Dynamic shared memory: `padded` words, at least `bins`.

    A CTA counts its entries of each bin, claims places for them, and reads its rows once more to write them there.
    """
    of = Keys(keys, keys, element, int(hashed))
    places = k.dynamic_shared(u32).pointer
    clear(k, places, padded)
    begin = k.ctaid.x * share
    end = begin + k.min(n - begin, share)
    parts = state[PARTS]
    each_parts = (parts + k.nctaid.x - 1) // k.nctaid.x
    first = k.ctaid.x * each_parts

    def each(visit: Callable[[Any, Any, Any], None]) -> None:
        """`visit(tag, number, is there one)`"""
        for base in k.range(begin, end, TILE):
            at = [base + k.tid.x + i * THREADS for i in range(ITEMS)]
            bits = [loaded(k, missed, place // 32, place < end) for place in at]
            here = [((word >> (place % 32)) & 1) != 0 for word, place in zip(bits, at)]
            tags = [loaded(k, keys, place, there) for place, there in zip(at, here)]
            for place, tag, there in zip(at, tags, here):
                visit(tag, place, there)
        for offset in k.range(k.tid.x, each_parts, THREADS):
            number = first + offset
            there = number < parts
            tag = loaded(k, keys, loaded(k, rows, number, there), there)
            visit(tag, n + number, there)

    def count(tag: Any, _: Any, here: Any) -> None:
        with k.pred(here):
            k.reduce_add(places, of.hash(k, tag) >> shift, 1)

    def put(tag: Any, number: Any, here: Any) -> None:
        with k.if_(here):
            entries[k.atomic_add(places, of.hash(k, tag) >> shift, 1)] = entry_of(k, tag, number)

    entries = pairs.vectors(entry_bytes(element) // 4)
    each(count)
    k.barrier()
    for b in k.range(k.tid.x, bins, THREADS):
        claimed = places[b]
        with k.if_(claimed != 0):
            places[b] = k.atomic_add(next_, b, claimed)
    k.barrier()
    each(put)


KERNEL = group_spread


def spread_plan(
    n: int, layout: Layout, keys: Any, missed: Any, rows: Any, state: Any, next_: Any, pairs: Any, *, hashed: bool
) -> KernelPlan:  # fmt: skip
    """The entries of n rows."""
    padded = words_for(layout.bins)
    arguments = (n, layout.share, keys, missed, rows, layout.bins, layout.shift, padded, state, next_, pairs)
    kernel_ = using(group_spread, element=element_of(keys), hashed=hashed)
    return KernelPlan(kernel_, grid_for(n, layout.share), THREADS, arguments, shared=4 * padded)
