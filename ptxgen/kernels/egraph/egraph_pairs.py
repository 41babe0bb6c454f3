"""Pairs of equal e-graph rows in different e-classes, appended to a list that never overflows its memory.

Two ways to the same pairs. `structural_pairs` takes buckets of equal signatures as the reference system plans them and
compares rows: one launch over all buckets, a thread a candidate pair. A pair's bucket is found by binary search, its places
in the bucket by a triangular root, in constant time. `emit_pairs` takes rows that `egraph.match_rows` has grouped and that
are sorted by group: tiles of TILE x TILE sorted places are staged through shared memory, and since equality is transitive a
pair of places needs one comparison of group numbers. `count_tiles` counts the tiles of each block of places (a block meets
all blocks back to where its first group begins), a scan numbers them, and CTAs take equal shares.

A slot is given out to every pair, but only slots below the capacity are written, so the counter says how much room was
wanted. egraph_runs.py makes the sorted
list unique.

Floor of `emit_pairs`: 8 bytes a pair written, 8 bytes a row read for each tile of its block; 2^25 pairs are 268 MB, 63 us at
an H200's 4.3 TB/s, and 2^25 comparisons of six instructions at 132 * 128 lanes and 1.98 GHz are 6 us.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from ptxgen.builder import Builder, f64, kernel, pred, ptr, u32, u64
from ptxgen.kernels.blocks.collectives import WARP, warp_reduce
from ptxgen.kernels.cases import EXACT, Case, HostArray, Variant
from ptxgen.kernels.egraph.egraph import differ, random_rows
from ptxgen.kernels.plan import KernelPlan, ceil_div, grid_for

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

__all__ = [
    "KERNEL", "TILE", "VARIANTS", "blocks_of", "count_plan", "emit_plan", "pair_at", "structural_plan",
]  # fmt: skip

TILE = 256
"""Places of a block, and threads of a CTA that works on a pair of blocks."""

CTAS = 132 * 8
"""Eight CTAs of 256 threads fill an H200's 132 SMs. On other devices a matter of speed alone."""

RECORD = 5
"""Words of a bucket: signature, first place in the row table, rows, pairs (low word, high word)."""

NO_GROUP, NO_PLACE = 0xFFFFFFFE, 0xFFFFFFFF
"""Groups that no row is in: of a thread without a row, and of a place after the last one, which sorts behind all."""


def pair_at(k: Builder, n: Any, pairs: Any, ordinal: Any) -> tuple[Any, Any]:
    """(i, j) of an ordinal among the n(n-1)/2 pairs (0,1), (0,2), ..., (1,2), ...; exact for every n of 32 bits.

    Counted from the end the triangle's rows have 1, 2, 3, ... pairs, so a row's number r is the largest with
    r(r+1)/2 <= b. sqrt(2b) lies between r + 1/2 - 1/8r and r + 3/2, which 53 bits tell from r and from r + 2: its floor is
    r or r + 1, and integers of 64 bits say which.
    """
    back = pairs - 1 - ordinal
    row = k.var(u64, k.sqrt((back + back).to(f64)).to(u64))
    with k.pred((row * (row + 1)) >> 1 > back):
        row -= 1
    return n - 2 - row.to(u32), n - 1 - (back - ((row * (row + 1)) >> 1)).to(u32)


def _append(k: Builder, wanted: pred, low: Any, high: Any, pairs: Any, count: Any, capacity: Any) -> None:
    """Put a pair of every lane that wants to at the list's end, if there is room. One atomic a warp; all lanes call."""
    votes = k.ballot(wanted)
    base = k.var(u64, 0)
    with k.if_((k.lane == 0) & (votes != 0)):
        base.set(k.atomic_add(count, 0, k.popc(votes).to(u64)))
    slot = k.shfl_idx(base, 0) + k.popc(votes & k.special("%lanemask_lt")).to(u64)
    with k.if_(wanted & (slot < capacity)):
        pairs.vectors(2)[slot] = (low, high)


def _first_above(k: Builder, ends: Any, count: Any, value: Any) -> Any:
    """The first place of ascending `ends` that is greater than the value."""
    low, high = k.var(u32, 0), k.var(u32, count)
    with k.while_(lambda: low < high):
        middle = (low + high) >> 1
        above = ends[middle] > value
        high.set(k.select(above, middle, high))
        low.set(k.select(above, low, middle + 1))
    return low


@kernel(max_threads=1024)
def structural_pairs(
    k: Builder, row_eclass_ids: ptr[u32], row_language_op_ids: ptr[u32], row_children_offsets: ptr[u32],
    row_children_lens: ptr[u32], row_signatures: ptr[u32], children: ptr[u32], bucket_words: ptr[u32],
    bucket_rows: ptr[u32], bucket_ends: ptr[u64], output_pairs: ptr[u32], output_count: ptr[u64], bucket_count: u32,
    first_pair: u64, end_pair: u64, capacity: u64,
) -> None:  # fmt: skip
    """Compare the candidate pairs `first_pair` to `end_pair` of all buckets; `bucket_ends` is the sum of pairs up to and with
    each bucket."""
    heads = (row_language_op_ids, row_signatures)
    start = first_pair + (k.global_id.x - k.lane).to(u64)
    for base in k.range(start, end_pair, k.grid_size.x.to(u64)):
        ordinal = base + k.lane.to(u64)
        left, right = k.var(u32, 0), k.var(u32, 0)
        with k.if_(ordinal < end_pair):
            bucket = _first_above(k, bucket_ends, bucket_count, ordinal)
            record = bucket_words.at(bucket * RECORD)
            pairs = record[3].to(u64) | (record[4].to(u64) << 32)
            i, j = pair_at(k, record[2], pairs, ordinal - (bucket_ends[bucket] - pairs))
            rows = bucket_rows.at(record[1])
            a, b = rows[i], rows[j]
            mismatch = differ(k, a, b, heads, row_children_offsets, row_children_lens, children)
            with k.if_(mismatch == 0):
                left.set(row_eclass_ids[a])
                right.set(row_eclass_ids[b])
        _append(k, left != right, k.min(left, right), k.max(left, right), output_pairs, output_count, capacity)


@kernel(threads=TILE)
def count_tiles(
    k: Builder, n: u32, groups: ptr[u32], rows: ptr[u32], eclasses: ptr[u32], classes: ptr[u32], tiles: ptr[u64]
) -> None:
    """A CTA a block: classes[place] = the e-class of the row there, tiles[block] = how many blocks hold its groups, up to
    itself."""
    block = k.ctaid.x
    place = block * TILE + k.tid.x
    with k.if_(place < n):
        classes[place] = eclasses[rows[place]]
        with k.if_(k.tid.x == 0):
            group = groups[place]
            low, high = k.var(u32, 0), k.var(u32, place)
            with k.while_(lambda: low < high):
                middle = (low + high) >> 1
                below = groups[middle] < group
                low.set(k.select(below, middle + 1, low))
                high.set(k.select(below, high, middle))
            tiles[block] = (block - low // TILE + 1).to(u64)


@kernel(threads=TILE)
def emit_pairs(
    k: Builder, n: u32, groups: ptr[u32], classes: ptr[u32], ends: ptr[u64], pairs: ptr[u64], count: ptr[u64],
    capacity: u64,
) -> None:  # fmt: skip
    """A pair (e-class, larger e-class) as one word, the first above, of every two places of one group and two classes.

    `ends` is the inclusive scan of the blocks' tiles. A CTA takes neighbouring tiles; a thread holds one place and meets
    those of the tile that stand before it: once to count, and once more to write if the tile has pairs.
    """
    blocks = (n + (TILE - 1)) // TILE
    staged = k.shared(u32, (TILE, 2), name="staged", align=8).pointer.vectors(2)
    totals = k.shared(u32, TILE // WARP, name="totals")
    place_of_cta = k.shared(u64, 1, name="place_of_cta")
    total = ends[blocks - 1]
    share = (total + (k.nctaid.x - 1).to(u64)) // k.nctaid.x.to(u64)
    first = k.ctaid.x.to(u64) * share
    block = k.var(u32, _first_above(k, ends, blocks, first))
    lane, warp = k.tid.x % WARP, k.tid.x // WARP
    for tile in k.range(first, k.min(first + share, total)):
        with k.while_(partial(_ended, ends, block, tile)):
            block += 1
        other = block - (ends[block] - 1 - tile).to(u32)
        own, met = block * TILE + k.tid.x, other * TILE + k.tid.x
        group, eclass = k.var(u32, NO_GROUP), k.var(u32, 0)
        met_group, met_class = k.var(u32, NO_PLACE), k.var(u32, 0)
        with k.if_(own < n):
            group.set(groups[own])
            eclass.set(classes[own])
        with k.if_(met < n):
            met_group.set(groups[met])
            met_class.set(classes[met])
        k.barrier()
        staged[k.tid.x] = (met_group, met_class)
        k.barrier()
        last = k.select(other == block, k.tid.x, k.const(u32, TILE))
        start = _first_of(k, staged, k.shfl_idx(group, 0))
        stop = k.select(other == block, (warp + 1) * WARP, k.const(u32, TILE))
        found = k.var(u32, 0)
        for i in k.range(start, stop, unroll=4):
            there = staged[i]
            with k.pred((there.x == group) & (there.y != eclass) & (i < last)):
                found += 1
        mine = warp_reduce(k, "sum", found)
        with k.if_(lane == 0):
            totals[warp] = mine
        k.barrier()
        whole, before = k.var(u32, 0), k.var(u32, 0)
        for w in range(TILE // WARP):
            with k.pred(warp == w):
                before.set(whole)
            whole += totals[w]
        with k.if_(whole != 0):
            with k.if_(k.tid.x == 0):
                place_of_cta[0] = k.atomic_add(count, 0, whole.to(u64))
            k.barrier()
            slot = k.var(u64, place_of_cta[0] + before.to(u64))
            with k.if_(k.any(found != 0)):
                for i in k.range(start, stop):
                    there = staged[i]
                    wanted = (there.x == group) & (there.y != eclass) & (i < last)
                    votes = k.ballot(wanted)
                    at = slot + k.popc(votes & k.special("%lanemask_lt")).to(u64)
                    low, high = k.min(there.y, eclass), k.max(there.y, eclass)
                    with k.if_(wanted & (at < capacity)):
                        pairs[at] = (low.to(u64) << 32) | high.to(u64)
                    slot += k.popc(votes).to(u64)


def _ended(ends: Any, block: Any, tile: Any) -> Any:
    return ends[block] <= tile


def _first_of(k: Builder, staged: Any, group: Any) -> Any:
    """The first of TILE staged places whose group is not below; TILE if there is none."""
    low = k.var(u32, 0)
    step = TILE // 2
    while step:
        with k.pred(staged[low + (step - 1)].x < group):
            low += step
        step //= 2
    with k.pred(staged[low].x < group):
        low += 1
    return low


KERNEL = emit_pairs


def blocks_of(n: int) -> int:
    """Blocks of n places."""
    return ceil_div(n, TILE)


def structural_plan(
    columns: tuple[Any, ...], words: Any, rows: Any, ends: Any, pairs: Any, count: Any, *, buckets: int, first: int,
    end: int, capacity: int, blocks: int, threads: int = 256,
) -> KernelPlan:  # fmt: skip
    """Candidate pairs `first` to `end` of all buckets; `columns` are the image's first six."""
    arguments = (*columns, words, rows, ends, pairs, count, buckets, first, end, capacity)
    return KernelPlan(structural_pairs, blocks, threads, arguments)


def count_plan(n: int, groups: Any, rows: Any, eclasses: Any, classes: Any, tiles: Any) -> KernelPlan:
    """E-classes and tiles of n places in the order of their groups."""
    return KernelPlan(count_tiles, max(1, blocks_of(n)), TILE, (n, groups, rows, eclasses, classes, tiles))


def emit_plan(n: int, groups: Any, classes: Any, ends: Any, pairs: Any, count: Any, capacity: int) -> KernelPlan:
    """The pairs of n places, n at least 1."""
    grid = grid_for(n, TILE, CTAS)
    return KernelPlan(
        emit_pairs, max(grid, min(CTAS, blocks_of(n) ** 2)), TILE, (n, groups, classes, ends, pairs, count, capacity)
    )


# Cases


def _zeros(n: int, kind: str = "uint32") -> HostArray:
    import numpy as np

    return HostArray(np.zeros(n, kind), u32 if kind == "uint32" else u64)


def _structural_case(n: int, rng: np.random.Generator) -> Case:
    """One bucket of n rows, all in one e-class but a row and its copy; so there is one pair, if there is any."""
    import numpy as np

    rows = random_rows(rng, max(2, n))
    count = len(rows.eclasses)
    for column in (rows.ops, rows.offsets, rows.lens):
        column[-1] = column[0]
    contents = rows.contents
    rows.eclasses[:] = 7
    same = [row for row, content in enumerate(contents) if content == contents[0]]
    rows.eclasses[same[0]], expected = 3, [[3, 7]] * (len(same) - 1)
    pairs = count * (count - 1) // 2
    record = np.array([5, 0, count, pairs & 0xFFFFFFFF, pairs >> 32], np.uint32)
    names = ("eclasses", "ops", "offsets", "lens", "signatures", "children")
    capacity = len(expected)
    return Case(
        arrays={
            **rows.hosts("eclasses", "ops", "offsets", "lens", "children"),
            "signatures": HostArray(np.full(count, 5, np.uint32), u32), "words": HostArray(record, u32),
            "rows": HostArray(np.arange(count, dtype=np.uint32), u32), "ends": HostArray(np.array([pairs], np.uint64), u64),
            "pairs": _zeros(2 * capacity), "total": _zeros(1, "uint64"),
        },
        plan=lambda on: structural_plan(
            tuple(on[name] for name in names), on["words"], on["rows"], on["ends"], on["pairs"], on["total"],
            buckets=1, first=0, end=pairs, capacity=capacity, blocks=grid_for(pairs, 256, CTAS),
        ),
        expected={
            "pairs": np.array(expected, np.uint32).reshape(-1), "total": np.array([capacity], np.uint64),
        },
        tolerance=EXACT,
    )  # fmt: skip


def _grouped(rng: np.random.Generator, n: int) -> tuple[Any, Any, Any]:
    """(sorted groups, their rows, e-classes of rows): one group of n/3 places, the others small."""
    import numpy as np

    groups = np.sort(np.where(rng.random(n) < 1 / 3, n // 2, rng.integers(0, max(1, n), n))).astype(np.uint32)
    return groups, rng.permutation(n).astype(np.uint32), rng.integers(0, 3, n).astype(np.uint32)


def _tiles(groups: Any) -> Any:
    import numpy as np

    begins = np.arange(0, len(groups), TILE)
    firsts = np.searchsorted(groups, groups[begins]) // TILE
    return (begins // TILE - firsts + 1).astype(np.uint64)


def _count_case(n: int, rng: np.random.Generator) -> Case:
    groups, rows, eclasses = _grouped(rng, n)
    arrays = {"groups": HostArray(groups, u32), "rows": HostArray(rows, u32), "eclasses": HostArray(eclasses, u32)}
    return Case(
        arrays={**arrays, "classes": _zeros(n), "tiles": _zeros(blocks_of(n), "uint64")},
        plan=lambda on: count_plan(n, on["groups"], on["rows"], on["eclasses"], on["classes"], on["tiles"]),
        expected={"classes": eclasses[rows], "tiles": _tiles(groups)},
        tolerance=EXACT,
    )


def _emit_case(n: int, rng: np.random.Generator) -> Case:
    """The large group has one place of another e-class, so its pairs are all the same, in whatever order; room for half."""
    import numpy as np

    groups = np.sort(np.where(rng.random(n) < 0.9, n // 2, np.arange(n))).astype(np.uint32)
    members = np.flatnonzero(groups == n // 2)
    classes = np.full(n, 9, np.uint32)
    if len(members):
        classes[members[len(members) // 2]] = 4
    total = max(0, len(members) - 1)
    capacity = total // 2
    return Case(
        arrays={
            "groups": HostArray(groups, u32), "classes": HostArray(classes, u32),
            "ends": HostArray(np.cumsum(_tiles(groups)), u64),
            "pairs": _zeros(total, "uint64"), "count": _zeros(1, "uint64"),
        },
        plan=lambda on: emit_plan(n, on["groups"], on["classes"], on["ends"], on["pairs"], on["count"], capacity),
        expected={
            "pairs": np.where(np.arange(total) < capacity, (4 << 32) | 9, 0).astype(np.uint64),
            "count": np.array([total], np.uint64),
        },
        tolerance=EXACT,
    )  # fmt: skip


def _variant(name: str, kernel_: Any, case: Callable[..., Case], sizes: tuple[int, ...]) -> Variant:
    return Variant("egraph_pairs", name, kernel_, case, sizes)


VARIANTS = (
    _variant("structural", structural_pairs, _structural_case, (2, 3, 40, 200)),
    _variant("count", count_tiles, _count_case, (1, TILE, 5 * TILE + 3)),
    _variant("emit", emit_pairs, _emit_case, (1, 2, TILE - 1, TILE, 3 * TILE + 77)),
)
