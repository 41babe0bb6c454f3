"""Segments that are too long for a CTA's shared memory, sorted together: the passes of radix_sort.py over the tiles of each.

`segment_counts` counts the digits of every pass in one reading of the tiles that segment_lists.py has listed; `segment_pass`,
once for each 8-bit digit, moves the keys as `radix_pass` does, but the tiles that a CTA looks back at are those of its segment.
How many segments are long only the device knows: CTAs without a tile end at once.

Shapes and order as in radix_segments.py.

Floor: as of a radix sort, (1 + 2*passes) * bytes * n.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from driver_ctypes.typing import NamedTuple
from ptxgen.builder import Builder, Kernel, f32, kernel, ptr, u32
from ptxgen.builder.values import Value
from ptxgen.kernels.arrays.radix_keys import (
    digit_of,
    ordered_bits,
    passes_of,
    random_keys,
    reference_bits,
    reference_order,
)
from ptxgen.kernels.arrays.radix_sort import Arrays, Share, Tiles, Tiling, move_tile, tilings_of
from ptxgen.kernels.arrays.segment_lists import LONGEST, NONE, TICKETS, Work, listed
from ptxgen.kernels.blocks.digits import BITS, DIGITS, DigitRows
from ptxgen.kernels.blocks.lookback import take_ticket
from ptxgen.kernels.cases import EXACT, Case, HostArray, Variant
from ptxgen.kernels.plan import KernelPlan, using

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np

__all__ = ["KERNEL", "VARIANTS", "plans", "tiling_of"]

K = TypeVar("K", bound=Value)

COUNTERS = 512
"""Threads of a CTA that counts digits."""
CTAS = 528
"""That count: four for each of an H200's 132 SMs."""
COPIES = 4
"""Of the counters, which neighbouring lanes share out among them."""


@kernel(threads=COUNTERS)
def segment_counts(
    k: Builder, keys: ptr[K], work: ptr[u32], listed: ptr[u32], counts: ptr[u32], states: ptr[u32], most: u32,
    *, element: type[K], passes: int, size: int, descending: bool,
) -> None:  # fmt: skip
    """counts[segment, pass, digit]; clears the states of the first pass. A CTA neighbouring tiles: it adds what it has counted
    to the counts where a segment ends."""
    counters = passes * DIGITS
    mine = k.shared(u32, (counters, COPIES), name="counters", align=16).pointer

    def flush(segment: Any) -> None:
        """The counts of a segment, and zeros for the next one."""
        k.barrier()
        for digit in k.range(k.tid.x, counters, COUNTERS):
            copies = mine.vectors(COPIES).at(digit)
            total = k.var(u32, 0)
            for each in copies[0]:
                total += each
            copies[0] = (k.const(u32, 0),) * COPIES
            with k.if_((total != 0) & (segment != NONE)):
                k.reduce_add(counts, segment * counters + digit, total)
        k.barrier()

    for i in k.range(k.tid.x, counters, COUNTERS):
        mine.vectors(COPIES)[i] = (k.const(u32, 0),) * COPIES
    tiles = k.min(work[0], most)
    each = (tiles + k.nctaid.x - 1) // k.nctaid.x
    first = k.min(k.ctaid.x * each, tiles)
    current = k.var(u32, NONE)
    k.barrier()
    lane = mine.at(k.lane % COPIES)
    for tile in k.range(first, k.min(first + each, tiles)):
        begin, left, _, segment = listed.vectors(4)[tile]
        with k.if_(segment != current):
            flush(current)
            current.set(segment)
        with k.if_(k.tid.x < DIGITS):
            states[tile * DIGITS + k.tid.x] = 0
        with k.if_(segment != NONE):
            for i in k.range(k.tid.x, k.min(left, size), COUNTERS, unroll=4):
                bits = ordered_bits(k, keys[begin + i], descending)
                for p in range(passes):
                    k.reduce_add(lane.at(p * DIGITS * COPIES), digit_of(bits, p * BITS) * COPIES, 1)
    flush(current)


@kernel(threads=lambda threads, **_: threads, max_registers=lambda registers, **_: registers)
def segment_pass(
    k: Builder, read: ptr[K], write: ptr[K], payload: ptr[u32], moved: ptr[u32], work: ptr[u32], listed: ptr[u32],
    counts: ptr[u32], states: ptr[u32], following: ptr[u32], most: u32, number: u32,
    *, element: type[K], passes: int, threads: int, items: int, registers: int, window: int, descending: bool, pairs: bool,
    several: bool,
) -> None:  # fmt: skip
    """Pass `number`: each key to its digit's next place in its segment. A CTA a tile, or `several`: where there are seldom any,
    few CTAs end sooner. Shared memory as of `radix_pass`."""
    kept_shift = k.shared(u32, 1, name="shift").pointer
    ranks = DigitRows.of(k, threads)
    k.wait_for_dependencies()
    with k.if_(work[0] == 0):
        k.return_()
    with k.if_(k.tid.x == 0):
        kept_shift[0] = number * BITS

    def move(tile: Any) -> None:
        begin, left, place, segment = listed.vectors(4)[tile]
        with k.if_(segment != NONE):
            start = begin - place * (threads * items)
            count = k.var(u32, 0)
            with k.if_(k.tid.x < DIGITS):
                count.set(counts[(segment * passes + number) * DIGITS + k.tid.x])
            first = k.var(u32, start + ranks.starts(count))
            arrays = [(read.at(begin), write)] + [(payload.at(begin), moved)] * pairs
            tiles = Tiles(states.at((tile - place) * DIGITS), place, following.at(tile * DIGITS), window)
            my = Share(k, threads, items, left, None)
            move_tile(
                my,
                ranks,
                arrays,
                tiles,
                lambda: first,
                number * BITS,
                kept_shift,
                element=element,
                descending=descending,
            )

    if several:
        with k.while_():
            ranks.clear()
            tile = take_ticket(k, work.at(TICKETS + number))
            with k.if_(tile >= k.min(work[0], most)):
                k.break_()
            move(tile)
            k.barrier()
        return
    ranks.clear()
    tile = take_ticket(k, work.at(TICKETS + number))
    k.launch_dependents()
    with k.if_(tile < k.min(work[0], most)):
        move(tile)


KERNEL = segment_pass


def tiling_of(element: type[Value], n: int, segments: int, *, pairs: bool, room: int) -> Tiling:
    """Large tiles for segments of many, where a CTA may have so many bytes of shared memory."""
    large, small = tilings_of(element, pairs=pairs, room=room)
    return large if n > 4 * large.size * segments else small


def plans(
    layout: Work, keys: Arrays, work: Any, payload: Arrays | None = None, *, element: type[Value], tiling: Tiling,
    descending: bool = False,
) -> list[KernelPlan]:  # fmt: skip
    """The launches that sort the long segments, in tiles of the layout's size."""
    if not layout.most_long:
        return []
    pairs, passes = payload is not None, layout.passes
    tiles, counts, one = (work[place:] for place in (layout.tiles, layout.counts, layout.states))
    other = one[layout.most_tiles * DIGITS :]
    how: dict[str, Any] = {"element": element, "passes": passes, "descending": descending}
    counting = using(segment_counts, size=layout.size, **how)
    most = layout.most_tiles
    found = [KernelPlan(counting, min(most, CTAS), COUNTERS, (keys.given, work, tiles, counts, one, most))]
    moving = _launch(**how, tiling=tiling, pairs=pairs, several=not layout.chunked)
    grid = most if layout.chunked else min(most, CTAS // 2)
    shared = tiling.size * (element.isa.bytes + 4 * pairs)
    for number in range(passes):
        ends = [_ends(each, number, passes) for each in (keys, payload) if each is not None] + [(0, 0)] * (not pairs)
        halves = (one, other) if number % 2 == 0 else (other, one)
        arguments = (*ends[0], *ends[1], work, tiles, counts, *halves, most, number)
        found.append(KernelPlan(moving, grid, tiling.threads, arguments, shared, programmatic=True))
    return found


def _ends(arrays: Arrays, number: int, passes: int) -> tuple[Any, Any]:
    """What a pass reads and writes: the last one writes the result, those before the array between and the result in turn."""
    between = (arrays.result, arrays.two)
    after = passes - 1 - number
    return arrays.given if number == 0 else between[(after + 1) % 2], between[after % 2]


def _launch(
    *, element: type[Value], passes: int, tiling: Tiling, descending: bool, pairs: bool, several: bool = False
) -> Kernel:
    how = tiling._asdict() | {"descending": descending, "pairs": pairs, "several": several}
    return using(segment_pass, element=element, passes=passes, **how)


SMALL = Tiling(256, 4, 64, 2)
"""Of the cases: tiles so small that a segment has several."""
SIZES = (LONGEST + 1, 3, 0, LONGEST + 3000, LONGEST)
"""Of segments: the first and the fourth are long."""


class _Problem(NamedTuple):
    """Keys, the long segments among them, and the work memory once these are listed and counted."""

    keys: Any
    long: list[slice]
    layout: Work
    work: Any


def _problem(sizes: tuple[int, ...], rng: np.random.Generator, element: type[Value], descending: bool) -> _Problem:
    import numpy as np

    n, passes = sum(sizes) + 2, passes_of(element)
    keys, offsets = random_keys(rng, n, element), np.concatenate([[2], 2 + np.cumsum(sizes)]).astype(np.uint32)
    layout = Work(n, len(sizes), LONGEST // 2, SMALL.size, passes)
    work = listed(layout, offsets)
    long = [slice(a, a + size) for a, size in zip(offsets.tolist(), sizes) if size > LONGEST]
    for number, segment in enumerate(long):
        bits = reference_bits(keys[segment], element, descending)
        for p in range(passes):
            digits = (bits >> np.array(p * BITS, bits.dtype) & np.array(DIGITS - 1, bits.dtype)).astype(np.int64)
            work[layout.counts + (number * passes + p) * DIGITS :][:DIGITS] = np.bincount(digits, minlength=DIGITS)
    return _Problem(keys, long, layout, work)


def _plan_of(layout: Work, on: Mapping[str, Any], which: int, *, element: type[Value], descending: bool) -> KernelPlan:
    """One of the launches."""
    keys = Arrays(on["keys"], on["sorted"], on["sorted"], on["sorted"])
    payload = Arrays(on["payload"], on["moved"], on["moved"], on["moved"]) if "moved" in on else None
    return plans(layout, keys, on["work"], payload, element=element, descending=descending, tiling=SMALL)[which]


def _counts_case(sizes: tuple[int, ...], rng: np.random.Generator, *, element: type[Value], descending: bool) -> Case:
    problem = _problem(sizes, rng, element, descending)
    layout, given, expected = problem.layout, problem.work.copy(), problem.work
    given[layout.counts : layout.states] = 0
    given[layout.states :] = 9
    expected[layout.states :] = 9
    expected[layout.states :][: expected[0] * DIGITS] = 0
    return Case(
        arrays={
            "keys": HostArray(problem.keys, element), "sorted": HostArray(problem.keys, element),
            "work": HostArray(given, u32),
        },
        plan=lambda on: _plan_of(layout, on, 0, element=element, descending=descending),
        expected={"work": expected},
        tolerance=EXACT,
    )  # fmt: skip


def _pass_case(sizes: tuple[int, ...], rng: np.random.Generator, *, element: type[Value], descending: bool) -> Case:
    """The first pass."""
    import numpy as np

    problem = _problem(sizes, rng, element, descending)
    keys, payload = problem.keys, np.arange(len(problem.keys), dtype=np.uint32)
    sorted_, moved = np.zeros_like(keys), np.zeros_like(payload)
    for each in problem.long:
        order = each.start + reference_order(keys[each], element, descending, 0, BITS)
        sorted_[each], moved[each] = keys[order], order
    return Case(
        arrays={
            "keys": HostArray(keys, element), "sorted": HostArray(np.zeros_like(keys), element),
            "payload": HostArray(payload, u32), "moved": HostArray(np.zeros_like(payload), u32),
            "work": HostArray(problem.work, u32),
        },
        plan=lambda on: _plan_of(problem.layout, on, 1, element=element, descending=descending),
        expected={"sorted": sorted_, "moved": moved},
        tolerance=EXACT,
    )  # fmt: skip


def _variants() -> tuple[Variant, ...]:
    how: dict[str, Any] = {"element": u32, "descending": False}
    floats: dict[str, Any] = {"element": f32, "descending": True}
    counting = using(segment_counts, size=SMALL.size, passes=passes_of(u32), **how)
    moving = _launch(**floats, passes=passes_of(f32), tiling=SMALL, pairs=True)
    family, sizes = "radix_long_segments", (SIZES,)
    return (
        Variant(family, "counts.u32", counting, partial(_counts_case, **how), sizes),
        Variant(family, "f32.pairs.descending", moving, partial(_pass_case, **floats), sizes),
    )


VARIANTS = _variants()
