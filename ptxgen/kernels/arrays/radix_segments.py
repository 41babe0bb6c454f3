"""Short arrays, one behind the other, each sorted for itself: many of them by a CTA at a time (see segment_lists.py).

`short_segments`: a CTA sorts all near segments of a chunk at once, in shared memory (see radix_tile.py): by their keys, and then
by where their segments begin, stably. A key brings its place along, which has its segment and its payload. `middle_segments`: a
CTA sorts one segment.

Shapes and order as in radix_sort.py; segment s is keys[offsets[s] : offsets[s + 1]], offsets[segments + 1] in u32. An offset
beyond the keys counts as their end, a segment that would end before it begins is empty. What is in no segment is not written.

Floor: keys and payloads are read and written once, 2^24 u32 in 0.03 ms at an H200's 4.3 TB/s.
"""

from __future__ import annotations

import itertools
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from driver_ctypes.typing import NamedTuple
from ptxgen.builder import Builder, f32, kernel, ptr, u16, u32
from ptxgen.builder.values import Value
from ptxgen.kernels.arrays.radix_keys import digit_of, original, passes_of, random_keys, reference_order
from ptxgen.kernels.arrays.radix_tile import ITEMS, MOST, THREADS, TileSort, shared_bytes
from ptxgen.kernels.arrays.segment_lists import MIDDLE, Work, listed, step_for
from ptxgen.kernels.blocks.collectives import WARP, warp_scan
from ptxgen.kernels.blocks.digits import BITS
from ptxgen.kernels.cases import EXACT, Case, HostArray, Variant
from ptxgen.kernels.plan import KernelPlan, ceil_div, using

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

__all__ = ["KERNEL", "VARIANTS", "alone_plan", "least_room", "longest_for", "middle_plan", "short_plan"]

K = TypeVar("K", bound=Value)

FEW = 48
"""Keys of a segment that are ranked by comparing them all, in less time than by digits."""
MIDDLE_ITEMS = (1, ITEMS[-1], 10, 16)
"""Keys of a thread, of tiles for middle segments."""
STATIC = 20 << 10
"""Bytes of shared memory for counters, beside the keys, or fewer."""
MARKS = 26 << 10
"""The same of what sorts near segments, with the bits and numbers of their places."""
CTAS = 132 * 3
"""That sort middle segments: three for each of an H200's SMs."""
WORDS = MOST // WARP
"""Of a bit for each place of a tile."""


@kernel(threads=THREADS, min_ctas=2)
def short_segments(
    k: Builder, n: u32, segments: u32, step: u32, keys: ptr[K], sorted_: ptr[K], payload: ptr[u32], moved: ptr[u32],
    begins: ptr[u32], ends: ptr[u32],
    *, element: type[K], passes: int, items: int, descending: bool, pairs: bool, alone: bool,
) -> None:  # fmt: skip
    """A CTA a chunk: the tile of keys from `step` times its number on. `begins` and `ends` are bits of where near segments begin
    and end; or `alone`, where all keys are in one tile, `begins` are the offsets."""
    tile = TileSort.of(k, element=element, passes=passes, items=items, descending=descending, pairs=True)
    begin = k.ctaid.x * step
    count = k.min(n - begin, THREADS * items)
    bounds = _Bounds(k, *(k.shared(u32, WORDS, name=name).pointer for name in ("marks", "owned", "before")))
    if alone:
        bounds.of_offsets(begins, segments, n)
    else:
        with k.if_(~bounds.of_bits(begins.at(begin >> 5), ends.at(begin >> 5), step)):
            k.return_()
    bounds.scan()

    first, source = tile.first, keys.at(begin)
    bits, places = tile.fetch(source, None, count)
    segment_of = k.shared(u16, THREADS * items, name="segment_of").pointer
    for i, place in enumerate(places):
        place.set(first + i * WARP)
        segment_of[first + i * WARP] = bounds.last(first + i * WARP).to(u16)
    longer = k.var(u32, 0)
    for i, place in enumerate(places):
        mark = segment_of[place].to(u32)
        longer |= k.select(bounds.owns(mark) & (place - mark >= FEW), k.const(u32, 1), 0)
        tile.staged[place] = bits[i]
    outs: list[tuple[Any, Any]] = [(sorted_.at(begin), None), (moved.at(begin), payload.at(begin))][: 1 + pairs]

    def write(target: Any, key: Any, place: Any) -> None:
        for out, given in outs:
            out[target] = original(k, key, element, descending) if given is None else given[place]

    with k.if_else(k.barrier_any(longer != 0)) as (some_long, all_few):
        with some_long:
            _sort_by_digits(tile, bits, places, segment_of)
            for i, (each, place) in enumerate(zip(bits, places)):
                target = first + i * WARP
                with k.if_((target < count) & bounds.owns(segment_of[target].to(u32))):
                    write(target, each, place)
        with all_few:
            for each, place in zip(bits, places):
                mark = segment_of[place].to(u32)
                with k.if_((place < count) & bounds.owns(mark)):
                    write(mark + _rank(tile, each, place, mark, segment_of), each, place)


def _sort_by_digits(tile: TileSort, bits: list[Any], places: list[Any], segment_of: Any) -> None:
    """All keys of a tile, and where they come from, by their segments and by their bits."""
    k, whole = tile.k, THREADS * tile.items

    def digit_of_segment(place: Any, shift: Any) -> u32:
        return digit_of(segment_of[place].to(u32), shift)

    tile.order(bits, places, lambda: k.const(u32, whole))
    for number in k.range(2):
        tile.order_by(bits, places, places, partial(digit_of_segment, shift=number * BITS), lambda: k.const(u32, whole))


def _rank(tile: TileSort, key: Any, place: Any, mark: Any, segment_of: Any) -> Any:
    """How many of a segment of few keys come before one of them: by looking at each."""
    k, rank, other = tile.k, tile.k.var(u32, 0), tile.k.var(u32, mark)
    there = k.var(u32, 1)
    with k.while_(lambda: there != 0):
        seen = tile.staged[other]
        before = (seen < key) | ((seen == key) & (other < place))
        rank += k.select(before, k.const(u32, 1), 0)
        other += 1
        inside = other < THREADS * tile.items
        there.set(0)
        with k.if_(inside):
            there.set(k.select(segment_of[other].to(u32) == mark, k.const(u32, 1), 0))
    return rank


class _Bounds(NamedTuple):
    """Where segments begin and end in a tile, in bits of shared memory: `marks` of both, `owned` of where those begin that are
    the chunk's; and by word of them, the last mark `before` it, or 0."""

    k: Builder
    marks: Any
    owned: Any
    before: Any

    def of_bits(self, begins: Any, ends: Any, step: Any) -> Any:
        """From the bits of all chunks: those of this one begin within a step. Are there any?"""
        k, own = self.k, self.k.var(u32, 0)
        with k.if_(k.tid.x < WORDS):
            begun = begins[k.tid.x]
            self.marks[k.tid.x] = begun | ends[k.tid.x]
            own.set(k.select(k.tid.x * WARP < step, begun, 0))
            self.owned[k.tid.x] = own
        return k.barrier_any(own != 0)

    def of_offsets(self, offsets: Any, segments: Any, n: Any) -> None:
        """From the offsets of n keys."""
        k = self.k
        with k.if_(k.tid.x < WORDS):
            self.marks[k.tid.x] = 0
            self.owned[k.tid.x] = 0
        k.barrier()
        for s in k.range(k.tid.x, segments, THREADS):
            begin, end = (k.min(offsets.at(s)[i], n) for i in range(2))
            with k.if_(begin < end):
                for array, place in ((self.marks, begin), (self.owned, begin), (self.marks, end)):
                    with k.if_(place < MOST):
                        k.atomic_or(array, place >> 5, k.const(u32, 1) << (place & 31), scope="cta", order="relaxed")
        k.barrier()

    def scan(self) -> None:
        """Find the last marks before each word; with a barrier behind."""
        k, each = self.k, WORDS // WARP
        with k.if_(k.tid.x < WARP):
            words = [self.marks[k.lane * each + j] for j in range(each)]
            last = [
                k.select(word != 0, (k.lane * each + j) * WARP + 31 - k.clz(word), 0) for j, word in enumerate(words)
            ]
            own = last[0]
            for other in last[1:]:
                own = k.max(own, other)
            upto = warp_scan(k, own, WARP, "max")
            below = k.shfl_up(upto, 1)
            run = k.select(k.lane == 0, k.const(u32, 0), below)
            for j, place in enumerate(last):
                self.before[k.lane * each + j] = run
                run = k.max(run, place)
        k.barrier()

    def last(self, place: Any) -> Any:
        """The last mark up to a place, or 0: the places between two of them are one segment, or in none."""
        k = self.k
        word = place >> 5
        upto = self.marks[word] & (k.const(u32, 0xFFFFFFFF) >> (31 - (place & 31)))
        return k.select(upto != 0, word * WARP + 31 - k.clz(upto), self.before[word])

    def owns(self, mark: Any) -> Any:
        """Is what begins at a mark a segment of the chunk?"""
        return (self.owned[mark >> 5] >> (mark & 31)) & 1 != 0


@kernel(threads=THREADS)
def middle_segments(
    k: Builder, n: u32, keys: ptr[K], sorted_: ptr[K], payload: ptr[u32], moved: ptr[u32], offsets: ptr[u32],
    work: ptr[u32], middle: ptr[u32], most: u32,
    *, element: type[K], passes: int, items: tuple[int, ...], descending: bool, pairs: bool,
) -> None:  # fmt: skip
    """The segments that are listed in `middle`, as many as `work` says, or `most`; one after the other, each in the smallest tile
    of so many `items` a thread that it fits into."""
    largest = TileSort.of(k, element=element, passes=passes, items=items[-1], descending=descending, pairs=pairs)
    for number in k.range(k.ctaid.x, k.min(work[MIDDLE], most), k.nctaid.x):
        bounds = offsets.at(middle[number])
        begin, end = (k.min(bounds[i], n) for i in range(2))
        given, out = (each.at(begin) if pairs else each for each in (payload, moved))
        for less, each in zip((0, *items), items):
            with k.if_((end - begin > less * THREADS) & (end - begin <= each * THREADS)):
                tile = largest._replace(items=each)
                tile.sort(keys.at(begin), sorted_.at(begin), given, out, end - begin)
        k.barrier()


KERNEL = short_segments


def least_room(element: type[Value]) -> int:
    """Bytes of shared memory that a CTA must have."""
    return shared_bytes(element, ITEMS[-1], True) + MARKS


def longest_for(element: type[Value], room: int, *, pairs: bool) -> int:
    """Keys of a middle segment where a CTA may have so many bytes of shared memory."""
    items = MIDDLE_ITEMS[-1]
    return THREADS * (items if shared_bytes(element, items, pairs) + STATIC <= room else ITEMS[-1])


def middle_items(longest: int) -> tuple[int, ...]:
    """The tiles for segments of up to so many keys."""
    return tuple(each for each in MIDDLE_ITEMS if THREADS * each <= longest)


def short_plan(
    layout: Work, keys: Any, sorted_: Any, work: Any, payload: Any = None, moved: Any = None, *, element: type[Value],
    descending: bool = False,
) -> KernelPlan:  # fmt: skip
    """Sort the near segments."""
    bits = (work[layout.begins :], work[layout.ends :])
    how: dict[str, Any] = {"element": element, "passes": layout.passes, "descending": descending}
    return _short(
        layout.n, layout.segments, layout.step, keys, sorted_, payload, moved, bits, items=ITEMS[-1], alone=False, **how
    )


def alone_plan(
    n: int, segments: int, keys: Any, sorted_: Any, offsets: Any, payload: Any = None, moved: Any = None, *,
    element: type[Value], passes: int | None = None, descending: bool = False,
) -> KernelPlan:  # fmt: skip
    """Sort all segments of keys[:n], no more than a tile, in one launch."""
    items = next(each for each in ITEMS if n <= THREADS * each)
    how: dict[str, Any] = {"element": element, "passes": passes or passes_of(element), "descending": descending}
    return _short(n, segments, MOST, keys, sorted_, payload, moved, (offsets, offsets), items=items, alone=True, **how)


def _short(
    n: int, segments: int, step: int, keys: Any, sorted_: Any, payload: Any, moved: Any, bits: tuple[Any, Any], *,
    element: type[Value], items: int, alone: bool, **how: Any,
) -> KernelPlan:  # fmt: skip
    pairs = payload is not None
    launch = using(short_segments, element=element, items=items, pairs=pairs, alone=alone, **how)
    others = (payload, moved) if pairs else (0, 0)
    arguments = (n, segments, step, keys, sorted_, *others, *bits)
    return KernelPlan(launch, max(1, ceil_div(n, step)), THREADS, arguments, shared_bytes(element, items, True))


def middle_plan(
    layout: Work, keys: Any, sorted_: Any, offsets: Any, work: Any, payload: Any = None, moved: Any = None, *,
    element: type[Value], descending: bool = False,
) -> KernelPlan:  # fmt: skip
    """Sort the middle segments."""
    pairs, items = payload is not None, middle_items(layout.longest)
    launch = using(
        middle_segments, element=element, passes=layout.passes, items=items, descending=descending, pairs=pairs
    )
    others = (payload, moved) if pairs else (0, 0)
    arguments = (layout.n, keys, sorted_, *others, offsets, work, work[layout.middle :], layout.most_middle)
    return KernelPlan(
        launch, max(1, min(layout.most_middle, CTAS)), THREADS, arguments, shared_bytes(element, items[-1], pairs)
    )


def _case(
    sizes: Sequence[int],
    rng: np.random.Generator,
    *,
    way: str,
    element: type[Value],
    descending: bool,
    pairs: bool,
) -> Case:
    """Segments of these sizes, and some keys before and behind them that are in none. `way`: of those of a chunk, of the middle
    ones, or of all, alone."""
    import numpy as np

    n = sum(sizes) + 8
    keys, payload = random_keys(rng, n, element), np.arange(n, dtype=np.uint32)
    offsets = np.concatenate([[3], 3 + np.cumsum(sizes)]).astype(np.uint32)
    layout = Work(n, len(sizes), step_for(n, len(sizes)), 1024, passes_of(element))
    sorted_, moved = np.zeros_like(keys), np.zeros_like(payload)
    for begin, end in itertools.pairwise(offsets.tolist()):
        near = end - begin // layout.step * layout.step <= MOST
        if way == "alone" or (near if way == "short" else not near and end - begin <= MOST):
            order = begin + reference_order(keys[begin:end], element, descending)
            sorted_[begin:end], moved[begin:end] = keys[order], order
    zeros = HostArray(np.zeros(n, keys.dtype), element)
    more = {"payload": HostArray(payload, u32), "moved": HostArray(np.zeros(n, np.uint32), u32)} if pairs else {}
    how: dict[str, Any] = {"element": element, "descending": descending}

    def plan(on: Any) -> KernelPlan:
        given, others = (on["keys"], on["sorted"]), (on.get("payload"), on.get("moved"))
        if way == "alone":
            return alone_plan(n, len(sizes), *given, on["offsets"], *others, **how)
        if way == "short":
            return short_plan(layout, *given, on["work"], *others, **how)
        return middle_plan(layout, *given, on["offsets"], on["work"], *others, **how)

    return Case(
        arrays={
            "keys": HostArray(keys, element), "sorted": zeros, "offsets": HostArray(offsets, u32),
            "work": HostArray(listed(layout, offsets), u32), **more,
        },
        plan=plan,
        expected={"sorted": sorted_, **({"moved": moved} if pairs else {})},
        tolerance=EXACT,
    )  # fmt: skip


def _variant(
    name: str, way: str, element: type[Value], sizes: tuple[Any, ...], *, descending: bool = False, pairs: bool = False,
    longest: int = MOST,
) -> Variant:  # fmt: skip
    how: dict[str, Any] = {"element": element, "descending": descending, "pairs": pairs}
    kernel_, more = (middle_segments, {}) if way == "middle" else (short_segments, {"alone": way == "alone"})
    items: Any = next(each for each in ITEMS if sum(sizes[0]) + 8 <= THREADS * each) if way == "alone" else ITEMS[-1]
    if way == "middle":
        items = middle_items(MOST)
    launch = using(kernel_, passes=passes_of(element), items=items, **more, **how)
    return Variant("radix_segments", name, launch, partial(_case, way=way, **how), sizes)


VARIANTS = (
    _variant("alone.u32", "alone", u32, ((0, 1, 300, 0, 40),)),
    _variant(
        "short.f32.pairs.descending", "short", f32, ((700, 2, 0, 5000, *[30] * 200),), descending=True, pairs=True
    ),
    _variant("middle.f32.descending", "middle", f32, ((3000, 3000, 100, 3000),), descending=True),
)
