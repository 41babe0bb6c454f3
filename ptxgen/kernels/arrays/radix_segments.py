"""Many short arrays, one behind the other, each sorted by a CTA of its own.

A segment that fits into a tile is sorted in shared memory (see radix_tile.py). A longer one goes through global memory: for
each digit the CTA counts the segment, then moves it tile by tile, each digit's keys behind those of the tiles before.

Shapes and order as in radix_sort.py; segment s is keys[offsets[s] : offsets[s + 1]], offsets[segments + 1] in u32. An offset
beyond the keys counts as their end, a segment that would end before it begins is empty. What is in no segment is not written.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ptxgen.builder import Builder, f32, kernel, ptr, u32, u64
from ptxgen.builder.values import Value
from ptxgen.kernels.arrays.radix_keys import digit_of, original, passes_of, random_keys, reference_order
from ptxgen.kernels.arrays.radix_tile import ITEMS, THREADS, TileSort, shared_bytes
from ptxgen.kernels.blocks.digits import BITS, DIGITS
from ptxgen.kernels.cases import EXACT, Case, HostArray, Variant
from ptxgen.kernels.plan import KernelPlan, ceil_div, using

if TYPE_CHECKING:
    import numpy as np

__all__ = ["KERNEL", "VARIANTS", "plan"]

K = TypeVar("K", bound=Value)


@kernel(threads=THREADS)
def radix_segments(
    k: Builder, n: u32, segments: u32, keys: ptr[K], sorted_: ptr[K], spare: ptr[K], payload: ptr[u32],
    moved: ptr[u32], spare_payload: ptr[u32], offsets: ptr[u32],
    *, element: type[K], passes: int, items: int, descending: bool, pairs: bool,
) -> None:  # fmt: skip
    """A CTA a segment. `spare` arrays are as long as the keys; they are used where a segment is longer than a tile."""
    tile = TileSort.of(k, element=element, passes=passes, items=items, descending=descending, pairs=pairs)
    with k.if_(k.ctaid.x >= segments):
        k.return_()
    begin = k.min(offsets[k.ctaid.x], n)
    end = k.min(offsets[k.ctaid.x + 1], n)
    count = k.select(end > begin, end - begin, k.const(u32, 0))
    arrays = [each.at(begin) for each in (keys, sorted_, spare)]
    others = [each.at(begin) for each in (payload, moved, spare_payload)] if pairs else [payload] * 3
    with k.if_else(count <= THREADS * items) as (short, long):
        with short, k.if_(count > 0):
            tile.sort(arrays[0], arrays[1], others[0], others[1], count)
        with long:
            _sort_long(tile, arrays, others, count)


KERNEL = radix_segments


def _sort_long(tile: TileSort, arrays: list[Any], others: list[Any], count: u32) -> None:
    k, last = tile.k, tile.passes - 1
    bases, places = (k.shared(u32, DIGITS, name=name).pointer for name in ("bases", "places"))
    for number in k.range(tile.passes):
        to_result = ((last - number) & 1) == 0
        (read, write), (read_payload, write_payload) = (
            (
                k.select(number == 0, first, k.select(to_result, spare, result)),
                k.select(to_result, result, spare),
            )
            for first, result, spare in (arrays, others)
        )
        shift = number * BITS
        _count(tile, read, count, shift, bases)
        for start in k.range(0, count, THREADS * tile.items):
            _move(
                tile, read.at(start), write, read_payload.at(start), write_payload, count - start, shift, bases, places
            )


def _count(tile: TileSort, read: Any, count: u32, shift: u32, bases: Any) -> None:
    """bases[digit]: where the segment's first key of each digit goes."""
    k, ranks = tile.k, tile.ranks
    ranks.clear()
    for i in k.range(k.tid.x, count, THREADS):
        ranks.count([digit_of(tile.bits_of(read[i]), shift)])
    k.barrier()
    total = ranks.totals()[1]
    start = ranks.starts(total)
    with k.if_(k.tid.x < DIGITS):
        bases[k.tid.x] = start
    k.barrier()


def _move(
    tile: TileSort, read: Any, write: Any, read_payload: Any, write_payload: Any, left: u32, shift: u32, bases: Any, places: Any
) -> None:  # fmt: skip
    """The keys of one tile to their digits' next places."""
    k, ranks = tile.k, tile.ranks
    bits, taken = tile.fetch(read, read_payload, left)
    ranks.clear()
    ranks.count(digit_of(each, shift) for each in bits)
    k.barrier()
    counts, total = ranks.totals()
    start = ranks.spread(counts, total)
    with k.if_(k.tid.x < DIGITS):
        places[k.tid.x] = bases[k.tid.x] - start
        bases[k.tid.x] += total
    k.barrier()
    tile.stage(bits, taken, shift)
    k.barrier()
    for i in range(tile.items):
        place = k.tid.x + i * THREADS
        with k.if_(place < left):
            each = tile.staged[place]
            target = places[digit_of(each, shift)] + place
            write[target] = original(k, each, tile.element, tile.descending)
            if tile.pairs:
                write_payload[target] = tile.beside[place]
    k.barrier()


def plan(
    n: int, segments: int, keys: Any, sorted_: Any, spare: Any, offsets: Any, payload: Any = None, moved: Any = None,
    spare_payload: Any = None, *, element: type[Value], passes: int | None = None, descending: bool = False,
) -> KernelPlan:  # fmt: skip
    """Sort each segment of keys[:n], and of payload[:n] with them if there is one."""
    mean = ceil_div(n, max(1, segments))
    items = next((each for each in ITEMS if 2 * mean <= THREADS * each), ITEMS[-1])
    pairs = payload is not None
    launch = using(
        radix_segments, element=element, passes=passes or passes_of(element), items=items, descending=descending, pairs=pairs
    )
    others = (payload, moved, spare_payload) if pairs else (0, 0, 0)
    arguments = (n, segments, keys, sorted_, spare, *others, offsets)
    return KernelPlan(launch, max(1, segments), THREADS, arguments, shared_bytes(element, items, pairs))


def _case(
    sizes: tuple[int, ...], rng: np.random.Generator, *, element: type[Value], descending: bool, pairs: bool
) -> Case:
    """Segments of these sizes, and some keys behind them that are in none."""
    import numpy as np

    n = sum(sizes) + 5
    keys, payload = random_keys(rng, n, element), np.arange(n, dtype=np.uint32)
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.uint32)
    sorted_, moved = np.zeros_like(keys), np.zeros_like(payload)
    for begin, end in zip(offsets[:-1], offsets[1:]):
        order = begin + reference_order(keys[begin:end], element, descending)
        sorted_[begin:end], moved[begin:end] = keys[order], order
    zeros = HostArray(np.zeros(n, keys.dtype), element)
    words = HostArray(np.zeros(n, np.uint32), u32)
    more = {"payload": HostArray(payload, u32), "moved": words, "spare_payload": words} if pairs else {}
    return Case(
        arrays={
            "keys": HostArray(keys, element), "sorted": zeros, "spare": zeros, "offsets": HostArray(offsets, u32), **more,
        },
        plan=lambda on: plan(
            n, len(sizes), on["keys"], on["sorted"], on["spare"], on["offsets"], on.get("payload"), on.get("moved"),
            on.get("spare_payload"), element=element, descending=descending,
        ),
        expected={"sorted": sorted_, **({"moved": moved} if pairs else {})},
        tolerance=EXACT,
    )  # fmt: skip


def _variant(
    name: str, element: type[Value], sizes: tuple[Any, ...], *, descending: bool = False, pairs: bool = False
) -> Variant:
    n, segments = sum(sizes[0]) + 5, len(sizes[0])
    given = (0, 0, 0) if pairs else ()
    launch = plan(n, segments, 0, 0, 0, 0, *given, element=element, descending=descending).kernel
    make = partial(_case, element=element, descending=descending, pairs=pairs)
    return Variant("radix_segments", name, launch, make, sizes)


VARIANTS = (
    _variant("u32", u32, ((0, 1, 1500, 300, 0, 40),)),
    _variant("f32.pairs.descending", f32, ((700, 2, 0, 5000),), descending=True, pairs=True),
    _variant("u64", u64, ((513, 100), (0, 600))),
)
