"""Sort-merge join: which rows of a sorted column each row of another one equals, in order, by binary search.

`search_bounds` finds each probe row's run of equal keys in the sorted build side; a scan of the runs' lengths gives each row
its place; `emit_matches` writes the pairs, a thread a pair, which finds its row by binary search of the places: a row with a
million matches is written as quickly as a million rows with one. Pairs are in order of the probe rows, and those of a row in
the order of the build side: the same in every run. `count_descents` says whether a column is sorted.

Shapes: keys[n] and sorted[m] of integers of 8 to 64 bits, f16, f32 or f64; order[m], counts[n], firsts[n], places[n], left and
right of u32; total[1] of u64. Keys are compared by the order that radix_sort sorts by, IEEE 754's totalOrder for floats; so they
are equal when their bits are.

Floor: keys are read and counts and firsts written in order, (b + 8)*n bytes for keys of b bytes; a search reads log2(m) keys,
of which the first ten or so are in the L1 cache and 2^24 of 4 bytes in the L2 cache; pairs are written in order, 8 bytes each.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ptxgen.builder import Builder, f32, kernel, ptr, s64, u32, u64
from ptxgen.builder.values import Value
from ptxgen.host.formats import numpy_name
from ptxgen.kernels.arrays.radix_keys import ordered_bits
from ptxgen.kernels.blocks.collectives import WARP, group_reduce
from ptxgen.kernels.cases import EXACT, Case, HostArray, Variant
from ptxgen.kernels.joins.hash_join import NO_ROW
from ptxgen.kernels.plan import KernelPlan, grid_for, using

if TYPE_CHECKING:
    import numpy as np

__all__ = ["KERNEL", "VARIANTS", "bounds_plan", "descents_plan", "emit_plan"]

K = TypeVar("K", bound=Value)

THREADS = 256
CTAS = 132 * 8
"""Eight CTAs of 256 threads fill an H200's 132 SMs. On other devices a matter of speed alone."""


def _first_place(k: Builder, sorted_: Any, low: Any, high: Any, key: Any, *, above: bool) -> Any:
    """The first place from `low` to `high` whose key is not below `key`, or (`above`) is above it; `high` if there is none."""
    first, last = k.var(u32, low), k.var(u32, high)
    with k.while_(lambda: first < last):
        middle = first + ((last - first) >> 1)
        there = ordered_bits(k, sorted_[middle], False)
        with k.if_else(there <= key if above else there < key) as (behind, before):
            with behind:
                first.set(middle + 1)
            with before:
                last.set(middle)
    return first


@kernel(threads=THREADS)
def search_bounds(
    k: Builder, n: u32, keys: ptr[K], m: u32, sorted_: ptr[K], counts: ptr[u32], firsts: ptr[u32], total: ptr[u64], *,
    element: type[K], outer: bool,
) -> None:  # fmt: skip
    """counts[row] of the places with the row's key, firsts[row] the first of them (NO_ROW without), total += all counts, in 64
    bits. `outer`: a row without a match counts once."""
    own = k.var(u64, 0)
    for row in k.range(k.global_id.x, n, k.grid_size.x):
        key = ordered_bits(k, keys[row], False)
        first = _first_place(k, sorted_, 0, m, key, above=False)
        count = k.var(u32, _first_place(k, sorted_, first, m, key, above=True) - first)
        firsts[row] = k.select(count != 0, first, k.const(u32, NO_ROW))
        if outer:
            count.set(k.max(count, 1))
        counts[row] = count
        own += count.to(u64)
    sums = k.shared(u64, THREADS // WARP, name="sums")
    whole = group_reduce(k, "sum", own, THREADS, lambda: sums)
    with k.if_((k.tid.x == 0) & (whole != 0)):
        k.reduce_add(total, 0, whole)


@kernel(max_threads=THREADS)
def emit_matches(
    k: Builder, n: u32, firsts: ptr[u32], places: ptr[u32], order: ptr[u32], total: ptr[u64], capacity: u32, left: ptr[u32],
    right: ptr[u32],
) -> None:  # fmt: skip
    """left[i], right[i] = the pair at place i, below `capacity`. Of 2^32 pairs and more nothing is written: the places, of 32
    bits, mean nothing then."""
    wanted = total[0]
    with k.if_(wanted > NO_ROW):
        k.return_()
    for place in k.range(k.global_id.x.to(u64), k.min(wanted, capacity.to(u64)), k.grid_size.x.to(u64)):
        at = place.to(u32)
        low, high = k.var(u32, 0), k.var(u32, n)
        with k.while_(lambda high=high, low=low: high - low > 1):  # type: ignore[misc]
            middle = low + ((high - low) >> 1)
            with k.if_else(places[middle] <= at) as (after, before):
                with after:
                    low.set(middle)
                with before:
                    high.set(middle)
        first = firsts[low]
        found = k.var(u32, NO_ROW)
        with k.if_(first != NO_ROW):
            found.set(order[first + (at - places[low])])
        left[at] = low
        right[at] = found


@kernel(max_threads=THREADS)
def count_descents(k: Builder, n: u32, keys: ptr[K], total: ptr[u32], *, element: type[K]) -> None:
    """total += how many keys come before the one in front of them: 0 of a sorted column."""
    own = k.var(u32, 0)
    for i in k.range(k.global_id.x + 1, n, k.grid_size.x):
        here = keys.at(i)
        with k.pred(ordered_bits(k, here[0], False) < ordered_bits(k, here[-1], False)):
            own += 1
    with k.if_(own != 0):
        k.reduce_add(total, 0, own)


KERNEL = search_bounds


def bounds_plan(
    n: int, keys: Any, m: int, sorted_: Any, counts: Any, firsts: Any, total: Any, *, element: type[Value], outer: bool = False
) -> KernelPlan:  # fmt: skip
    """The matches of n keys among m sorted ones; `total`, one u64, is zero before."""
    launch = using(search_bounds, element=element, outer=outer)
    return KernelPlan(launch, grid_for(n, THREADS, CTAS), THREADS, (n, keys, m, sorted_, counts, firsts, total))


def emit_plan(
    n: int, firsts: Any, places: Any, order: Any, total: Any, capacity: int, left: Any, right: Any
) -> KernelPlan:  # fmt: skip
    """The pairs; `places` is the exclusive scan of the counts."""
    arguments = (n, firsts, places, order, total, capacity, left, right)
    return KernelPlan(emit_matches, grid_for(capacity, THREADS, CTAS), THREADS, arguments)


def descents_plan(n: int, keys: Any, total: Any, *, element: type[Value]) -> KernelPlan:
    """How far n keys are from sorted; `total`, one u32, is zero before."""
    return KernelPlan(using(count_descents, element=element), grid_for(n, THREADS, CTAS), THREADS, (n, keys, total))


def _keys(rng: np.random.Generator, n: int, element: type[Value]) -> Any:
    """Of few different values, negative ones too where there are any."""
    low = -3 if element.isa.is_signed or element.isa.is_float else 0
    return rng.integers(low, 9, n).astype(numpy_name(element.isa))


def _ordered(values: Any) -> Any:
    """What numpy sorts as the kernel does: -0.0 does not occur here."""
    import numpy as np

    return np.sort(values)


def _search_case(n: int, rng: np.random.Generator, *, element: type[Value], outer: bool) -> Case:
    import numpy as np

    keys, build = _keys(rng, n, element), _ordered(_keys(rng, n // 2, element))
    lows, highs = np.searchsorted(build, keys), np.searchsorted(build, keys, side="right")
    counts = (highs - lows).astype(np.uint32)
    firsts = np.where(counts > 0, lows, NO_ROW).astype(np.uint32)
    counts = np.maximum(counts, 1) if outer else counts
    return Case(
        arrays={
            "keys": HostArray(keys, element), "sorted": HostArray(build, element),
            "counts": HostArray(np.full(n, 7, np.uint32), u32),
            "firsts": HostArray(np.full(n, 7, np.uint32), u32), "total": HostArray(np.zeros(1, np.uint64), u64),
        },
        plan=lambda on: bounds_plan(
            n, on["keys"], len(build), on["sorted"], on["counts"], on["firsts"], on["total"], element=element, outer=outer
        ),
        expected={"counts": counts, "firsts": firsts, "total": np.array([counts.sum()], np.uint64)},
        tolerance=EXACT,
    )  # fmt: skip


def _emit_case(n: int, rng: np.random.Generator) -> Case:
    """Rows without a match, an outer join's, and one with most of them; the last quarter does not fit."""
    import numpy as np

    counts = rng.integers(0, 4, n).astype(np.uint32)
    firsts = rng.integers(0, n + 1, n).astype(np.uint32)
    if n:
        counts[n // 2] = n
        counts[0], firsts[0] = 1, NO_ROW
    places = (np.cumsum(counts) - counts).astype(np.uint32)
    order = rng.permutation(3 * n + 4).astype(np.uint32)
    rows = np.repeat(np.arange(n), counts)
    total = len(rows)
    capacity = total - total // 4
    steps = np.arange(total) - places[rows]
    found = np.where(firsts[rows] == NO_ROW, NO_ROW, order[np.where(firsts[rows] == NO_ROW, 0, firsts[rows] + steps)])
    written = np.arange(total) < capacity
    return Case(
        arrays={
            "firsts": HostArray(firsts, u32), "places": HostArray(places, u32), "order": HostArray(order, u32),
            "total": HostArray(np.array([total], np.uint64), u64), "left": HostArray(np.full(total, 7, np.uint32), u32),
            "right": HostArray(np.full(total, 7, np.uint32), u32),
        },
        plan=lambda on: emit_plan(
            n, on["firsts"], on["places"], on["order"], on["total"], capacity, on["left"], on["right"]
        ),
        expected={
            "left": np.where(written, rows, 7).astype(np.uint32), "right": np.where(written, found, 7).astype(np.uint32),
        },
        tolerance=EXACT,
    )  # fmt: skip


def _descents_case(n: int, rng: np.random.Generator, *, element: type[Value]) -> Case:
    import numpy as np

    keys = _keys(rng, n, element)
    return Case(
        arrays={"keys": HostArray(keys, element), "total": HostArray(np.zeros(1, np.uint32), u32)},
        plan=lambda on: descents_plan(n, on["keys"], on["total"], element=element),
        expected={"total": np.array([np.count_nonzero(keys[1:] < keys[:-1])], np.uint32)},
        tolerance=EXACT,
    )


_SIZES = (0, 1, 100, 3 * THREADS + 7)


def _search(element: type[Value], *, outer: bool) -> Variant:
    how: dict[str, Any] = {"element": element, "outer": outer}
    name = f"search.{element.isa.name}" + ".outer" * outer
    return Variant("merge_join", name, using(search_bounds, **how), partial(_search_case, **how), _SIZES)


VARIANTS = (
    _search(u32, outer=False),
    _search(f32, outer=True),
    _search(s64, outer=False),
    Variant("merge_join", "emit", emit_matches, _emit_case, _SIZES),
    Variant(
        "merge_join", "descents.f32", using(count_descents, element=f32), partial(_descents_case, element=f32), _SIZES
    ),
)
