"""Which segments of an array are sorted how: the first kernel of a segmented sort, and its work memory.

Chunks of a CTA's tile overlap: one begins every `step` keys, and a segment that begins before the next one and ends in the tile
is *near*. Bits say where near segments begin and end, and `short_segments` (radix_segments.py) sorts all of a chunk together. Or,
where segments are so short that lanes of a warp sort them (segment_networks.py), those of so few keys are near, without chunks.
Of the others, then, those of up to FEWEST keys are listed for a warp each. Of the rest those of up to `longest` keys are *middle*
ones, listed for `middle_segments`, a CTA each; the *long* ones go through the passes of radix_long_segments.py, for which their
tiles are listed, one behind the other.

Work memory, in u32: a head, of how many tiles and long segments there are, the passes' tickets, how many middle segments there
are, and how many for a warp each, which are listed from the end of middle[m] on; a bit for each place, and one behind the last,
for where near segments begin, and as many for where they end: that much is zero before; tiles[t] of four, where a tile begins,
how many keys of the segment there are from there on, its number in it, and the segment's among the long ones; middle[m];
counts[long, pass, digit]; two halves of states[tile, digit], which passes use in turn.
"""

from __future__ import annotations

import itertools
from functools import partial

from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple
from ptxgen.builder import Builder, kernel, ptr, u32, u64
from ptxgen.kernels.arrays.radix_tile import MOST
from ptxgen.kernels.blocks.collectives import WARP
from ptxgen.kernels.blocks.digits import DIGITS
from ptxgen.kernels.cases import EXACT, Case, HostArray, Variant
from ptxgen.kernels.plan import KernelPlan, ceil_div, grid_for, using

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

__all__ = [
    "FEW", "FEWEST", "KERNEL", "LONGEST", "MIDDLE", "NONE", "TICKETS", "VARIANTS", "Work", "lists_plan", "step_for",
]  # fmt: skip

LONGEST = MOST
"""Keys of a chunk, which one CTA sorts: a tile."""
LISTERS = 256
TICKETS, MIDDLE, FEW, HEAD = 2, 10, 11, 12
FEWEST = 256
"""Keys of a segment that a warp sorts."""
NONE = 0xFFFFFFFF
"""No segment."""


class Work(NamedTuple):
    """Where in the work memory everything begins, for n keys in so many segments, chunks and tiles of such sizes, and passes;
    `longest` are the keys of a middle segment. Without chunks, near segments have at most LONGEST - step keys."""

    n: int
    segments: int
    step: int
    size: int
    passes: int
    longest: int = LONGEST
    chunked: bool = True

    @property
    def bits(self) -> int:
        """Words of the bits of each kind; a chunk reads those of a whole tile."""
        return ceil_div(self.n + LONGEST, 128) * 4 + 4 if self.chunked else 0

    @property
    def most_long(self) -> int:
        return min(self.segments, self.n // (self.longest + 1))

    @property
    def most_middle(self) -> int:
        return min(self.segments, self.n // (LONGEST - self.step + 1))

    @property
    def most_tiles(self) -> int:
        return self.n // self.size + self.most_long

    @property
    def begins(self) -> int:
        return HEAD

    @property
    def ends(self) -> int:
        return HEAD + self.bits

    @property
    def cleared(self) -> int:
        """u32 that are zero before: all before the tiles."""
        return HEAD + 2 * self.bits

    @property
    def tiles(self) -> int:
        return self.cleared

    @property
    def middle(self) -> int:
        return self.tiles + 4 * self.most_tiles

    @property
    def counts(self) -> int:
        return ceil_div(self.middle + self.most_middle, 4) * 4

    @property
    def states(self) -> int:
        return self.counts + self.most_long * self.passes * DIGITS

    @property
    def whole(self) -> int:
        """u32 in all."""
        return self.states + 2 * self.most_tiles * DIGITS


def step_for(n: int, segments: int) -> int:
    """Keys from a chunk to the next, a multiple of 32: shorter by some segments' length than a tile."""
    return LONGEST - max(128, min(LONGEST // 4, ceil_div(4 * n, 32 * max(1, segments)) * 32))


@kernel(threads=LISTERS)
def segment_lists(
    k: Builder, n: u32, segments: u32, offsets: ptr[u32], step: u32, work: ptr[u32], begins: ptr[u32], ends: ptr[u32],
    listed: ptr[u32], middle: ptr[u32], counts: ptr[u32], most_tiles: u32, most_middle: u32, most_long: u32,
    longest: u32, *, size: int, passes: int, chunked: bool,
) -> None:  # fmt: skip
    """A thread a segment. Tiles are of `size` keys. What there is no room for, of segments that share keys, is left out: a tile
    without a segment is one of NONE."""
    number = k.global_id.x
    begin, end = k.var(u32, 0), k.var(u32, 0)
    with k.if_(number < segments):
        begin.set(k.min(offsets[number], n))
        end.set(k.min(offsets[number + 1], n))
    there = end > begin
    if chunked:
        near = there & (end - begin // step * step <= LONGEST)
        with k.if_(near):
            k.atomic_or(begins, begin >> 5, k.const(u32, 1) << (begin & 31))
            k.atomic_or(ends, end >> 5, k.const(u32, 1) << (end & 31))
    else:
        near = there & (end - begin <= LONGEST - step)
    is_long = there & ~near & (end - begin > longest)
    others = there & ~near & ~is_long
    few = others & (end - begin <= FEWEST)
    for chosen, counter in [(others & ~few, MIDDLE), (few, FEW)] if not chunked else [(others, MIDDLE)]:
        lanes = k.ballot(chosen)
        with k.if_(lanes != 0):
            place = k.var(u32, 0)
            with k.if_(k.lane == 0):
                place.set(k.atomic_add(work, counter, k.popc(lanes)))
            mine = k.shfl_idx(place, 0) + k.popc(lanes & k.special("%lanemask_lt"))
            with k.if_(((lanes >> k.lane) & 1 != 0) & (mine < most_middle)):
                middle[most_middle - 1 - mine if counter == FEW else mine] = number
    rest = k.var(u32, k.ballot(is_long))
    with k.while_(lambda: rest != 0):
        lane = k.clz(k.brev(rest))
        rest.set(rest & (rest - 1))
        first, behind = k.shfl_idx(begin, lane), k.shfl_idx(end, lane)
        tiles = (behind - first + (size - 1)) // size
        taken = k.var(u64, 0)
        with k.if_(k.lane == 0):
            taken.set(k.atomic_add(work.cast(u64), 0, tiles.to(u64) | 1 << 32))
        both = k.shfl_idx(taken, 0)
        place, segment = both.to(u32), (both >> 32).to(u32)
        fits = (place + tiles <= most_tiles) & (segment < most_long)
        named = k.select(fits, segment, NONE)
        for j in k.range(k.lane, k.min(tiles, most_tiles - k.min(place, most_tiles)), WARP):
            listed.vectors(4)[place + j] = (first + j * size, behind - first - j * size, j, named)
        with k.if_(fits):
            own = counts.at(segment * (passes * DIGITS))
            for i in k.range(k.lane, passes * DIGITS, WARP):
                own[i] = 0


KERNEL = segment_lists


def lists_plan(layout: Work, offsets: Any, work: Any) -> KernelPlan:
    """The bits and lists of all segments, in work memory of which the first words have been cleared."""
    launch = using(segment_lists, size=layout.size, passes=layout.passes, chunked=layout.chunked)
    places = [work[place:] for place in (layout.begins, layout.ends, layout.tiles, layout.middle, layout.counts)]
    most = (layout.most_tiles, layout.most_middle, layout.most_long, layout.longest)
    arguments = (layout.n, layout.segments, offsets, layout.step, work, *places, *most)
    return KernelPlan(launch, grid_for(layout.segments, LISTERS), LISTERS, arguments)


def listed(layout: Work, offsets: Any) -> Any:
    """The work memory by numpy; in order of the segments, as one warp lists them."""
    import numpy as np

    work = np.zeros(layout.whole, np.uint32)
    tiles: list[tuple[int, ...]] = []
    middle: list[int] = []
    few: list[int] = []
    for number, (begin, end) in enumerate(itertools.pairwise(offsets.clip(0, layout.n).tolist())):
        if end <= begin:
            continue
        if not layout.chunked and end - begin <= LONGEST - layout.step:
            continue
        if layout.chunked and end - begin // layout.step * layout.step <= LONGEST:
            work[layout.begins + begin // 32] |= np.uint32(1 << begin % 32)
            work[layout.ends + end // 32] |= np.uint32(1 << end % 32)
        elif end - begin <= layout.longest:
            (middle if layout.chunked or end - begin > FEWEST else few).append(number)
        else:
            firsts = range(begin, end, layout.size)
            tiles += [(first, end - first, j, work[1]) for j, first in enumerate(firsts)]
            work[1] += 1
    work[0], work[MIDDLE], work[FEW] = len(tiles), len(middle), len(few)
    work[layout.tiles :][: 4 * len(tiles)] = np.array(tiles, np.uint32).reshape(-1)
    work[layout.middle :][: len(middle)] = middle
    work[layout.middle : layout.middle + layout.most_middle][::-1][: len(few)] = few
    return work


def _case(lengths: Sequence[int], _: np.random.Generator, *, chunked: bool) -> Case:
    import numpy as np

    offsets = np.concatenate([[2], 2 + np.cumsum(lengths)]).astype(np.uint32)
    layout = Work(int(offsets[-1]) + 3, len(lengths), 3072 if chunked else LONGEST - 8, 1024, 2, LONGEST, chunked)
    expected = listed(layout, offsets)
    given = np.zeros_like(expected)
    given[layout.counts : layout.states] = 7
    expected[layout.counts + int(expected[1]) * layout.passes * DIGITS : layout.states] = 7
    return Case(
        arrays={"offsets": HostArray(offsets, u32), "work": HostArray(given, u32)},
        plan=lambda on: lists_plan(layout, on["offsets"], on["work"]),
        expected={"work": expected},
        tolerance=EXACT,
    )


def _variant(name: str, *, chunked: bool) -> Variant:
    launch = using(segment_lists, size=1024, passes=2, chunked=chunked)
    sizes = ((0,), (1, 0, 3071, 5, 4000, 4096, 4097, 12_000, 2000, 30))
    return Variant("segment_lists", name, launch, partial(_case, chunked=chunked), sizes)


VARIANTS = (_variant("u32", chunked=True), _variant("u32.apart", chunked=False))
