"""Products of fp8 with a factor for each block, as DeepSeek-V3 (2024, 3.3.2) and DeepGEMM have them, on sm_90a; also by groups.

A row of A has a factor for each 128 elements along the depth, B one for each 128 x 128. The products of 128 are summed by wgmma,
whose sums of fp8 keep some 14 bits; those sums, times their factors, are added up in f32. So a warpgroup has three sets of 64 x
128 sums: the total, and two that the products of a step go to in turn, so that one step's are under way while those of the
step before are added up. A step of a tile is 32 KB from L2 in the time in which a multiprocessor gets about as much: two CTAs
load the rows of A for each other.

Floor: as of `gemm` with fp8, 2 * m * n * depth operations at 1,979 TFLOP/s, or the bytes. The additions are 2 * m * n * depth /
128 at the 67 TFLOP/s of f32: a fifth of the time of the products, beside them.
"""

from __future__ import annotations

from functools import partial

from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple
from ptxgen.builder import Builder, TensorMap, bf16, e4m3, f32, kernel, ptr, s32, u32, u64
from ptxgen.errors import BuildError
from ptxgen.kernels.cases import NEEDS_WGMMA, Case, HostArray, Tolerance, Variant, normal, unit_roundoff
from ptxgen.kernels.matrices.gemm import REGISTERS
from ptxgen.kernels.matrices.gemm_grouped import GroupTile, GroupTiles, store_rows
from ptxgen.kernels.plan import KernelPlan, ceil_div, using

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np

    from ptxgen.builder.tiles.clusters import TileCluster
    from ptxgen.builder.tiles.pipeline import Stage

__all__ = ["BLOCK", "KERNEL", "LAYOUTS", "VARIANTS", "Strides", "gemm_scaled", "plan"]

BLOCK = 128
"""Elements along the depth, and columns of C, that share a factor: those of a step of the ring, and of a tile."""

LAYOUTS = ("dense", "contiguous", "masked")

STAGES = 6
"""Stages of the ring that there is room for: 32 KB each, beside 32 KB of C."""

AHEAD = 4
"""Steps that a thread loads its factors ahead: one takes less time than a load from L2."""

PIECE = 64
"""Columns of C that a warpgroup stores at a time: rows of 128 bytes."""

FITS = 0.9
"""Part of the multiprocessors that clusters of four find room on at once (estimated)."""

DEEP = 16 * BLOCK
"""A depth from which on two CTAs share that of a tile, where the tiles are few."""

Strides = tuple[int, int, int]
"""Elements from one matrix's factors to the next one's, from one row's (or block of columns'), from one block's of the depth."""


@kernel
def gemm_scaled(
    k: Builder, groups: u32, n: u32, depth: u32, height: u32, rows: ptr[s32], a: TensorMap, b: TensorMap, out: ptr[bf16],
    scale_a: ptr[f32], a_matrix: u32, a_row: u32, a_block: u32, scale_b: ptr[f32], b_matrix: u32, b_column: u32, b_block: u32,
    *, layout: str = "dense", stages: int = STAGES, multicast: int = 1, split: int = 1,
) -> None:  # fmt: skip
    """C_g = A_g B_g^T of e4m3 for B (groups, n, depth), each block of products times its factors.

    "dense": A (groups, height, depth) and C (groups, height, n); `rows` is not read. "contiguous": A (1, height, depth), group g
    ending at rows[g]. "masked": as dense, with rows[g] rows of group g; both as in `gemm_grouped`. What `rows` says beyond
    `height` is left out. The numbers behind `scale_a` and `scale_b` are their `Strides`. `multicast` CTAs of a cluster have
    tiles beside each other and load the rows of A for each other; `split` of them share a tile's depth, and a launch then has as
    many clusters as there are tiles.
    """
    if layout not in LAYOUTS:
        raise BuildError(f"layout={layout!r}", hint=" or ".join(LAYOUTS))
    tile_a, tile_b = (k.tile(e4m3, (BLOCK, BLOCK), stages=stages) for _ in range(2))
    pieces = k.tile(bf16, (64, PIECE), stages=(2, 2))
    near = k.tile_cluster(1, multicast, split)
    pipe, stored = k.pipeline(stages, consumers=8, cluster=near), k.named_barrier(128, 2)
    depths = k.partial_sums(near, 256, 64, BLOCK, least=PIECE)
    across, deep = (n + BLOCK - 1) // BLOCK, (depth + BLOCK - 1) // BLOCK
    begins, ends = near.part * deep // split, (near.part + 1) * deep // split
    steps = (ends - begins + 1) // 2 * 2  # products are under way two by two
    tiles = partial(_tiles, k, rows, groups, across, height, layout, near)
    with k.if_(k.tid.x == 0):
        for tensor in (a, b):
            tensor.prefetch()
    k.launch_dependents()
    producer, consumer = REGISTERS[2]
    with k.roles(cluster=near, load=(1, producer), multiply=(2, consumer)) as (load, multiply):
        k.wait_for_dependencies()
        with load, k.if_(k.tid.x == 0):
            for tile in tiles():
                for stage in pipe.produce(steps):
                    at = (begins + stage.step) * BLOCK
                    a.load(tile_a[stage.index], (at, tile.row, tile.matrix), stage.barrier, among=near.in_row)
                    b.load(tile_b[stage.index], (at, tile.column * BLOCK, tile.group), stage.barrier)
        with multiply as mine:
            parts, total = [k.sums(64, BLOCK) for _ in range(2)], k.sums(64, BLOCK)
            top = mine * 64

            def begin(number: int) -> Stage:
                """The products of a step are under way."""
                stage = pipe.take()
                left = tile_a[stage.index].part(top, rows=64)
                parts[number % 2].add_product(left, tile_b[stage.index], keep=False)
                return stage

            def several(start: u32, count: int, factors: Factors) -> None:
                """So many steps: the products of one while those of the one before are added up. None is under way behind
                them: the assembler would wait for each where sums that are read may still be written to (C7514)."""
                stages = [begin(0)]
                for number in range(count):
                    if number + 1 < count:
                        stages.append(begin(number + 1))
                        k.wgmma_wait(1)
                    else:
                        k.wgmma_wait(0)
                    pipe.release(stages[number])
                    of_row = factors.of_step(number, start)
                    for index, (value, product) in enumerate(zip(total.values, parts[number % 2].values)):
                        value.set(k.fma(product, of_row[total.half(index)], value))

            for tile in tiles():
                first, end = tile.row + top, k.min(tile.row + tile.rows, height)
                places = [k.min(first + total.row(half), end - 1) for half in range(2)]
                column = k.min(tile.column, across - 1)  # of a cluster's last tiles one may have none
                lines = [_at(scale_b, tile.group, b_matrix, column, b_column).at(begins * b_block)]
                lines += [_at(scale_a, tile.matrix, a_matrix, place, a_row).at(begins * a_block) for place in places]
                factors = Factors(k, lines, (b_block, a_block, a_block), ends - begins)
                for value in total.values:
                    value.set(0)
                for start in k.range(0, steps // AHEAD * AHEAD, AHEAD):
                    several(start, AHEAD, factors)
                with k.if_(steps % AHEAD != 0):
                    several(steps, 2, factors)
                with depths.shares(total, k.tid.x - 128) as (share, start):
                    line = tile.matrix.to(u64) * height.to(u64) + first.to(u64)
                    left = k.max(end, first) - first
                    for number in range(depths.columns // PIECE):
                        piece, column = pieces[mine, number], tile.column * BLOCK + (start + number * PIECE)
                        share.cut(number * PIECE, PIECE).to(bf16).store(piece)
                        stored[mine].sync()  # a piece has been read when the other one's barrier is passed
                        store_rows(k, piece, out, k.tid.x % 128, line, left, column, n)
    near.sync()  # no CTA ends while another one still writes to it


class Factors:
    """What the products of a step are multiplied by in a thread's two rows, loaded `AHEAD` steps before."""

    def __init__(self, k: Builder, lines: list[ptr[f32]], blocks: tuple[u32, ...], count: u32) -> None:
        """`lines`: of B's block of columns and of the rows, from the first step on, whose factors are `blocks` apart."""
        self.k, self.lines, self.blocks, self.count = k, lines, blocks, count
        self.known = [[k.var(f32, 0) for _ in lines] for _ in range(AHEAD)]
        for number in range(AHEAD):
            self._load(number, k.const(u32, number))

    def of_step(self, number: int, start: u32) -> list[f32]:
        """Those of step `start + number`; where there is none, 0."""
        shared, *rows = self.known[number]
        found = [row * shared for row in rows]
        self._load(number, start + (number + AHEAD))
        return found

    def _load(self, number: int, step: u32) -> None:
        k = self.k
        inside = step < self.count
        at = k.select(inside, step, 0)
        for value, line, block in zip(self.known[number], self.lines, self.blocks):
            value.set(k.select(inside, line[at * block], 0.0))


KERNEL = gemm_scaled


def _at(factors: ptr[f32], matrix: u32, of_matrix: u32, line: u32, of_line: u32) -> ptr[f32]:
    """A pointer to the first factor of a line of a matrix."""
    return factors.at(matrix.to(u64) * of_matrix.to(u64) + line.to(u64) * of_line.to(u64))


def _tiles(
    k: Builder, rows: ptr[s32], groups: u32, across: u32, height: u32, layout: str, near: TileCluster
) -> Iterator[GroupTile]:  # fmt: skip
    """The tiles of this CTA."""
    if layout != "dense":
        found = GroupTiles(k, rows, groups, height, across, BLOCK, layout == "masked", cluster=near)
        yield from found.from_(k.ctaid.x // near.size, k.nctaid.x // near.size)
        return
    for row, column, matrix in k.persistent_tiles((height + BLOCK - 1) // BLOCK, across, batch=groups, cluster=near):
        first = row * BLOCK
        yield GroupTile(matrix, matrix, first, height - first, column)


def plan(
    a: Any, b: Any, c: Any, scale_a: Any, scale_b: Any, rows: Any = 0, *, groups: int, n: int, depth: int, height: int,
    strides_a: Strides, strides_b: Strides, layout: str = "dense", stages: int | None = None,
    multicast: int | None = None, split: int | None = None, processors: int = 132,
) -> KernelPlan:  # fmt: skip
    """The launch for A, B and C of three dimensions (`gemm_scaled`), C without gaps; `height` counts the rows of a matrix."""
    across = ceil_div(n, BLOCK)
    tiles = across * ceil_div(height, BLOCK) * groups
    if multicast is None:
        multicast = 1 if across % 2 else 2
    if split is None:
        split = 2 if layout == "dense" and tiles * 2 <= processors * FITS and depth >= DEEP else 1
    stages = stages or (STAGES if split == 1 else 5)
    chosen = using(gemm_scaled, layout=layout, stages=stages, multicast=multicast, split=split)
    arguments = (groups, n, depth, height, rows, a, b, c, scale_a, *strides_a, scale_b, *strides_b)
    ctas = multicast * split
    clusters = ceil_div(across, multicast) * (processors if layout == "contiguous" else tiles // across)
    grid = ctas * (clusters if split > 1 else max(1, min(clusters, processors // ctas)))
    return KernelPlan(chosen, grid, 384, arguments, programmatic=True)


class Problem(NamedTuple):
    """Rows of each group, n and depth; of the others than contiguous groups `height` rows of each matrix."""

    rows: tuple[int, ...]
    n: int
    depth: int
    height: int = 0


def _case(problem: Problem, rng: np.random.Generator, *, layout: str, multicast: int, split: int) -> Case:
    import numpy as np

    counts, n, depth, height = problem
    groups, ends, own = len(counts), np.cumsum(counts), layout != "contiguous"
    shape = (groups, height) if own else (1, sum(counts) + 3)  # three rows of no group
    deep = ceil_div(depth, BLOCK)
    a, b = normal(rng, (*shape, depth), e4m3), normal(rng, (groups, n, depth), e4m3)
    of_a, of_b = (
        np.exp2(rng.uniform(-3, 3, each)).astype(np.float32)
        for each in ((*shape, deep), (groups, ceil_div(n, BLOCK), deep))
    )
    before = normal(rng, (*shape, n), bf16)
    expected, limit = before.values.astype(np.float64), np.zeros(before.values.shape)
    x = a.values.astype(np.float64) * np.repeat(of_a, BLOCK, 2)[..., :depth]
    y = b.values.astype(np.float64) * np.repeat(np.repeat(of_b, BLOCK, 1), BLOCK, 2)[:, :n, :depth]
    for g, count in enumerate(counts):
        its = (g, slice(0, count)) if own else (0, slice(ends[g] - count, ends[g]))
        expected[its] = x[its] @ y[g].T
        sums = np.abs(x[its]) @ np.abs(y[g]).T * ((depth + 6) * 2.0**-23 + 2.0**-12)
        limit[its] = sums + np.abs(expected[its]) * unit_roundoff(bf16) * 1.01 + 1e-30
    return Case(
        {
            "a": a, "b": b, "c": before, "scale_a": HostArray(of_a, f32), "scale_b": HostArray(of_b, f32),
            "rows": HostArray(np.array(counts if own else ends, np.int32), s32),
        },
        lambda given: plan(
            *(given[name] for name in ("a", "b", "c", "scale_a", "scale_b", "rows")), groups=groups, n=n, depth=depth,
            height=shape[1], strides_a=(shape[1] * deep, deep, 1), strides_b=(of_b.shape[1] * deep, deep, 1), layout=layout,
            stages=3, multicast=multicast, split=split, processors=multicast * split,
        ),
        {"c": expected},
        Tolerance(limit, "Higham, Accuracy and Stability, 3.1; wgmma truncates sums of fp8 (2^-13)"),
    )  # fmt: skip


def _variant(layout: str, *problems: Problem, multicast: int = 1, split: int = 1) -> Variant:
    chosen: dict[str, Any] = {"layout": layout, "multicast": multicast, "split": split}
    kernel = using(gemm_scaled, stages=3, **chosen)
    return Variant("gemm_scaled", layout, kernel, partial(_case, **chosen), problems, NEEDS_WGMMA)


VARIANTS = (
    _variant("dense", Problem((1, 1), 8, 16, 1), Problem((130,), 136, 272, 130), split=2),
    _variant("contiguous", Problem((0,), 8, 16), Problem((5, 0, 130), 136, 272), multicast=2),
)
