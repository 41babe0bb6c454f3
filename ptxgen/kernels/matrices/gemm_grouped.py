"""Products of many matrices whose rows a device array counts, as experts of a mixture have them: C_g = A_g B_g^T on sm_90a.

"Contiguous": the rows of all groups follow each other in one A and one C, and `rows` says where each group ends (PyTorch's
`_grouped_mm`, DeepGEMM's contiguous layout, without its padding). "Masked": each group has a matrix of its own with room for
`height` rows, and `rows` says how many of them there are. The host needs no number: the CTAs go through the groups by
themselves, so that a captured graph serves counts that change. Rows of no group, and those behind a group's last one, stay as
they were.

Floor: as of a GEMM, 2 * rows * n * depth operations at the peak of the tensor cores, or the bytes of A, C and of the B of the
groups that have rows; a group's last tile is as long as any where groups are large.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from driver_ctypes.typing import NamedTuple
from ptxgen.builder import Builder, TensorMap, bf16, e4m3, f16, f32, kernel, pred, ptr, s32, u32, u64
from ptxgen.builder.tiles.tile_order import TileOrder
from ptxgen.builder.values import Value
from ptxgen.errors import BuildError
from ptxgen.kernels.cases import NEEDS_WGMMA, Case, HostArray, Tolerance, Variant, normal, unit_roundoff
from ptxgen.kernels.matrices.epilogues import applied, passed
from ptxgen.kernels.matrices.gemm import REGISTERS, Tiling, exchanged
from ptxgen.kernels.matrices.pieces import Pieces
from ptxgen.kernels.plan import KernelPlan, using

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np

    from ptxgen.builder.tiles.clusters import TileCluster
    from ptxgen.builder.tiles.device_tile import DeviceTile

__all__ = ["KERNEL", "VARIANTS", "GroupTile", "GroupTiles", "default_tiling", "gemm_grouped", "plan", "store_rows"]

STEP, SMALL = 32, 128
"""Rows in steps of which tiles are as high as they need to be, in groups of at most so many on average, or with so much room."""

FINE, LARGE = 16, 512
"""Rows in steps of which a group's tiles are alike, in groups of fewer than so many on average, and two CTAs load rows for each
other: lower tiles take more from L2 for each operation. In larger groups few of the tiles are not whole (measured, H200)."""

BOX = 32
"""Rows of A that one tensor copy brings, where tiles are of different heights."""

R = TypeVar("R", bound=Value)
T = TypeVar("T", bound=Value)


@kernel(min_ctas=1)  # else ptxas ignores setmaxnreg where few registers are used (C7508)
def gemm_grouped(
    k: Builder, groups: u32, n: u32, depth: u32, height: u32, rows: ptr[s32], a: TensorMap, b: TensorMap, c: TensorMap,
    out: ptr[R], *arguments: T, element: type[Value] = bf16, result: type[R] = bf16, masked: bool = False,  # type: ignore[assignment]
    bm: int = 128, bn: int = 128, bk: int = 64, stages: int = 5, step: int = STEP, alike: bool = False, multicast: int = 1,
    major_b: str = "K", group: int = 8, epilogue: Any = None, argument_types: tuple[type[T], ...] = (),
) -> None:  # fmt: skip
    """C_g = A_g B_g^T for B (groups, n, depth), or with `major_b` "MN" (groups, depth, n).

    A is (1, height, depth) and C (1, height, n), group g ending at rows[g]; or, `masked`, A (groups, height, depth) and C
    (groups, height, n), of which group g has rows[g] rows. `out` is C again, whose rows lie without gaps. Two warpgroups
    compute tiles in turn, of bn columns and up to bm rows: as C^T = B A^T, because an instruction has 64 rows but any multiple
    of 8 columns, so that a tile has no more rows than there are, in steps of `step`; with `alike` all tiles of a group have as
    many. `multicast` CTAs of a cluster have tiles beside each other and load the rows of A for each other. `epilogue` and
    `arguments` as in `gemm`; a matrix is a group.
    """
    tile_a, tile_b = k.tile(element, (bm, bk), stages=stages), k.tile(element, (bn, bk), stages=stages, major=major_b)

    def put(one: pred, piece: DeviceTile, corner: tuple[u32, u32], matrix: u32, left: u32) -> None:
        """A piece to C: where fewer rows are left than it has, those behind are the next group's."""
        column, row = corner
        with k.if_else(left >= piece.rows) as (all_of_it, some):
            with all_of_it, k.if_(one):
                c.store(piece, (column, row, matrix))
            with some:
                line = matrix.to(u64) * height.to(u64) + row.to(u64)
                store_rows(k, piece, out, k.tid.x % 128, line, left, column, n)

    pieces = Pieces(k, c, result, bn, bm, 2, transposed=True, put=put)
    near = k.tile_cluster(1, multicast)
    pipe = k.pipeline(stages, consumers=4, cluster=near)
    across, steps = (n + bn - 1) // bn, (depth + bk - 1) // bk
    tiles = GroupTiles(
        k, rows, groups, height, across, bm, masked, group=group, cluster=near, alike=step if alike else None
    )
    box = bm if step == bm else BOX if bm % BOX == 0 else step
    worker, workers = k.ctaid.x // near.size, k.nctaid.x // near.size
    with k.if_(k.tid.x == 0):
        for tensor in (a, b, c):
            tensor.prefetch()
    k.launch_dependents()
    producer, consumer = REGISTERS[2]
    with k.roles(cluster=near, load=(1, producer), multiply=(2, consumer)) as (load, multiply):
        k.wait_for_dependencies()
        with load, k.if_(k.tid.x == 0):
            for tile in tiles.from_(worker, workers):
                for most in tiles.heights(tile, box):
                    for stage in pipe.produce(steps):
                        at = stage.step * bk
                        for top in range(0, most, box):
                            part = tile_a[stage.index].part(top, rows=box)
                            a.load(part, (at, tile.row + top, tile.matrix), stage.barrier, among=near.in_row)
                        place = (at, tile.column * bn) if major_b == "K" else (tile.column * bn, at)
                        b.load(tile_b[stage.index], (*place, tile.group), stage.barrier)
        with multiply as mine:
            one = k.tid.x % 128 == 0
            total = k.sums(bn, bm)
            turns = pipe.in_turns(mine, 2)
            for tile in tiles.from_(worker + mine * workers, 2 * workers):
                for most in tiles.heights(tile, step):
                    sums = total.cut(0, most)
                    for stage in turns.consume(steps, in_flight=1):
                        right = tile_a[stage.index].part(0, rows=most)
                        sums.add_product(tile_b[stage.index], right, keep=stage.step > 0)
                finish = None if epilogue is None else exchanged(applied(k, epilogue, arguments, tile.group))
                corner = (tile.column * bn, tile.row)
                pieces.store(total, mine, one, corner, tile.matrix, finish, count=tile.rows)
            pieces.end(mine, one)
    near.sync()  # no CTA ends while another one still writes to it


KERNEL = gemm_grouped


class GroupTile(NamedTuple):
    """A tile of a group: its first row in A's and C's matrix, how many it has, and which column of tiles."""

    group: u32
    matrix: u32
    row: u32
    rows: u32
    column: u32


class GroupTiles:
    """The tiles of all groups, numbered one group after the other, of bm rows but for a group's last ones.

    What `rows` says is bounded: a group ends where it begins or later, and within the `height` rows of its matrix. `group` as of
    `k.persistent_tiles`. The CTAs of a `cluster`, of one row of tiles, have tiles beside each other, of which the last ones may
    lie behind the matrix. `alike`: the tiles of a group have equally many rows, as few as their number allows, in such steps.
    """

    def __init__(
        self, k: Builder, rows: ptr[s32], groups: u32, height: u32, across: u32, bm: int, masked: bool, *, group: int = 8,
        cluster: TileCluster | None = None, alike: int | None = None,
    ) -> None:  # fmt: skip
        self.k, self.rows, self.groups, self.height = k, rows, groups, height
        self.across, self.bm, self.masked, self.alike = across, bm, masked, alike
        self.group = group
        self.cluster = cluster if cluster is not None and cluster.size > 1 else None

    def from_(self, start: u32, step: u32) -> Iterator[GroupTile]:
        """Every `step`-th tile, or row of tiles of a cluster."""
        k = self.k
        number, group, first = k.var(u32, start), k.var(u32, 0), k.var(u32, 0)
        begin, end = k.var(u32, 0), k.var(u32, 0)
        across = self.across if self.cluster is None else (self.across - 1) // self.cluster.columns + 1
        self._enter(group, begin, end)
        with k.while_(lambda: group < self.groups):
            down = (end - begin + (self.bm - 1)) // self.bm
            count = down * across
            with k.if_else(number < first + count) as (inside, behind):
                with inside:
                    order = TileOrder(k, down, self.across, "grouped", self.group, self.cluster, None)
                    row, column = order.place(number - first)
                    most: Any = self.bm if self.alike is None else self._most(begin, end, down)
                    row = begin + row * most
                    matrix = group if self.masked else k.const(u32, 0)
                    yield GroupTile(group, matrix, row, k.min(end - row, most), column)
                    number += step
                with behind:
                    first += count
                    group += 1
                    if not self.masked:
                        begin.set(end)
                    self._enter(group, begin, end)

    def _most(self, begin: u32, end: u32, count: u32) -> u32:
        """Rows of each of so many tiles of a group that are alike, but for the last ones."""
        assert self.alike is not None
        return ((end - begin - 1) // count + self.alike) // self.alike * self.alike

    def heights(self, tile: GroupTile, step: int) -> Iterator[int]:
        """The rows that a tile's products have, in steps of so many: the body is emitted for each number and runs for one."""
        k = self.k
        found = (tile.rows + (step - 1)) // step * step
        for height in range(step, self.bm + 1, step):
            with k.if_(found == height):
                yield height

    def _enter(self, group: u32, begin: u32, end: u32) -> None:
        k = self.k
        with k.if_(group < self.groups):
            end.set(k.min(k.max(k.max(self.rows[group], 0).to(u32), begin), self.height))


def store_rows(
    k: Builder, piece: DeviceTile, out: ptr[Any], thread: u32, line: u64, count: u32, column: u32, n: u32
) -> None:  # fmt: skip
    """The first `count` rows of a piece to C, from its row `line` on: 16 bytes of a thread."""
    each = 128 // piece.element.isa.bits
    quads = piece.columns // each
    place = thread % quads * each
    with k.if_(column + place < n):
        for row in k.range(thread // quads, k.min(count, piece.rows), 128 // quads):
            index = (line + row.to(u64)) * n.to(u64) + (column + place).to(u64)
            out.at(index).vectors(each)[0] = piece.at(row, place).vectors(each)[0]


def default_tiling(element_bytes: int = 2, result_bytes: int = 2) -> Tiling:
    """The tiling of C^T: with fewer rows it is slower for groups of any size (measured, H200)."""
    found = Tiling(128, 128, 64, 2, pingpong=True, transposed=True).fitted(result_bytes)
    assert found is not None  # of 2 x 32 KB of pieces at most
    return found._replace(bk=found.bk * 2 // element_bytes)


def plan(
    a: Any, b: Any, c: Any, rows: Any, *, masked: bool = False, element: type[Value] = bf16, result: type[Value] = bf16,
    major_b: str = "K", tiling: Tiling | None = None, step: int | None = None, processors: int = 132, epilogue: Any = None,
    arguments: Sequence[Any] = (),
) -> KernelPlan:  # fmt: skip
    """The launch for A, B and C of three dimensions (`gemm_grouped`). Unless `step` states the rows in steps of which a tile has
    fewer, the groups' sizes on average decide on it, and whether a group's tiles are alike. BuildError for elements without a
    tensor core's product."""
    if element not in (bf16, f16, e4m3) or result not in (bf16, f16, f32):
        raise BuildError(
            f"a grouped GEMM of .{element.isa.name} with results of .{result.isa.name}",
            hint="bf16, f16 or e4m3; results of bf16, f16 or f32",
        )
    groups, (n, depth) = b.shape[0], b.shape[1:] if major_b == "K" else reversed(b.shape[1:])
    height = a.shape[1]
    found = tiling or default_tiling(element.isa.bytes, result.isa.bytes)
    average = height if masked else height // max(1, groups)
    alike = step is None and average > SMALL and (masked or average < LARGE)
    if step is None:
        step = STEP if average <= SMALL else FINE if alike else found.bn
    multicast = 2 if alike and n > found.bm and processors > 1 else 1
    types, further = passed(arguments)
    chosen = using(
        gemm_grouped, element=element, result=result, masked=masked, bm=found.bn, bn=found.bm, bk=found.bk,
        stages=found.stages, step=step, major_b=major_b, epilogue=epilogue,
        **({"argument_types": types} if types else {}), **({"alike": True, "multicast": multicast} if alike else {}),
    )  # fmt: skip
    given = (groups, n, depth, height, rows, a, b, c, c, *further)
    return KernelPlan(chosen, processors // multicast * multicast, 384, given, programmatic=True)


class Problem(NamedTuple):
    """Rows of the groups, n and depth; masked groups have room for `height` rows."""

    rows: tuple[int, ...]
    n: int
    depth: int
    height: int = 0


def case(
    problem: Problem, rng: np.random.Generator, *, element: type[Value], result: type[Value], major_b: str, tiling: Tiling,
    step: int | None,
) -> Case:  # fmt: skip
    import numpy as np

    counts, n, depth, height = problem
    groups, spare = len(counts), 3  # rows of no group
    shape = (groups, height) if height else (1, sum(counts) + spare)
    a = normal(rng, (*shape, depth), element)
    b = normal(rng, (groups, n, depth) if major_b == "K" else (groups, depth, n), element)
    before = normal(rng, (*shape, n), result)
    expected, limit = before.values.astype(np.float64), np.zeros(before.values.shape)
    ends = np.cumsum(counts)
    for g, count in enumerate(counts):
        matrix, its = (g, slice(0, count)) if height else (0, slice(ends[g] - count, ends[g]))
        left, right = a.values[matrix, its].astype(np.float64), b.values[g].astype(np.float64)
        right = right if major_b == "MN" else right.T
        expected[matrix, its] = left @ right
        sums = np.abs(left) @ np.abs(right) * ((depth + 2) * 2.0**-23 + (2.0**-12 if element is e4m3 else 0))
        limit[matrix, its] = sums + np.abs(expected[matrix, its]) * unit_roundoff(result) * 1.01 + 1e-30
    rows = HostArray(np.array(counts if height else ends, np.int32), s32)
    return Case(
        {"a": a, "b": b, "c": before, "rows": rows},
        lambda given: plan(
            given["a"], given["b"], given["c"], given["rows"], masked=bool(height), element=element, result=result,
            major_b=major_b, tiling=tiling, step=step, processors=3,
        ),
        {"c": expected},
        Tolerance(limit, "Higham, Accuracy and Stability, 3.1; wgmma truncates sums of fp8 (2^-13)"),
    )  # fmt: skip


def _variant(
    name: str, *problems: Problem, element: type[Value] = bf16, result: type[Value] = bf16, major_b: str = "K",
    bm: int = 128, step: int | None = STEP, stages: int = 3,
) -> Variant:  # fmt: skip
    tiling = Tiling(128, bm, 128 // element.isa.bytes, 2, stages=stages, pingpong=True, transposed=True)
    chosen: dict[str, Any] = {"element": element, "result": result, "major_b": major_b}
    fixed = {
        **chosen,
        "masked": bool(problems[0].height),
        "bm": bm,
        "bk": tiling.bk,
        "step": step or FINE,
        "stages": stages,
    }
    if step is None:
        fixed |= {"alike": True, "multicast": 2}
    return Variant(
        "gemm_grouped",
        name,
        using(gemm_grouped, **fixed),
        partial(case, **chosen, tiling=tiling, step=step),
        problems,
        NEEDS_WGMMA,
    )


VARIANTS = (
    _variant("bf16", Problem((0,), 8, 8), Problem((5, 0, 130, 128, 70), 136, 72), Problem((0, 0, 40), 264, 200)),
    _variant("bf16.masked", Problem((5, 0, 130), 136, 72, 130), Problem((64,), 264, 64, 200), bm=64, step=None),
    _variant("f16.mn", Problem((70, 3), 72, 40), element=f16, result=f32, major_b="MN", bm=64),
    _variant("e4m3", Problem((70, 131), 136, 144), element=e4m3, bm=64, step=64),
)
