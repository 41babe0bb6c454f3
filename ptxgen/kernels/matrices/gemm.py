"""C = A B^T with the tensor cores of sm_90a: TMA, a ring of stages, wgmma, one producing and one to three consuming warpgroups.

Floor: 2*m*n*depth operations at the 989 TFLOP/s of bf16 that an H200's datasheet has (some 800 at the clocks that its power
allows with random data), or the bytes of A, B and C at 4.2 TB/s. 4,096 cubed are 137 GFLOP: 139 us at the peak; 16 x 4,096 x
4,096 are 33.6 MB, 8 us. What is between depends on the tile: a multiprocessor takes some 75 GB/s from L2 where all do, which
128 x 256 tiles need least of; fewer rows or columns than a tile leave parts of it empty. Where the tiles are fewer than the
multiprocessors, several CTAs of a cluster share a tile's depth (`split`); a C of few rows is computed as C^T = B A^T
(`transposed`), because an instruction has 64 rows and as few as 8 columns.
"""

from __future__ import annotations

import math
from functools import cache, partial
from typing import TYPE_CHECKING, Any, TypeVar

from driver_ctypes.typing import NamedTuple
from ptxgen.builder import Builder, TensorMap, bf16, e4m3, e5m2, f16, f32, kernel, s8, s32, u32
from ptxgen.builder.tiles.partial_sums import shared_columns
from ptxgen.builder.values import Value
from ptxgen.errors import BuildError
from ptxgen.kernels.cases import NEEDS_WGMMA, Case, HostArray, Tolerance, Variant, integers, normal, unit_roundoff
from ptxgen.kernels.matrices.epilogues import applied, passed
from ptxgen.kernels.matrices.pieces import PIECE, Pieces, piece_buffers, piece_starts, piece_width
from ptxgen.kernels.plan import KernelPlan, ceil_div, using

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np


__all__ = ["KERNEL", "VARIANTS", "Tiling", "choose", "plan"]

T = TypeVar("T", bound=Value)

REGISTERS = {1: (232, 232), 2: (40, 232), 3: (32, 160)}
"""Registers of the producer and of the consumers by the number of consuming warpgroups. With one, each has enough; said all the
same, because only then does ptxas keep what a warp's lanes agree on in uniform registers, as descriptors are to be."""

SUMS: dict[str, type[Value]] = {"s8": s32, "u8": s32}
"""Types of the sums by that of the elements, where it is not f32."""


@kernel(min_ctas=1)  # else ptxas ignores setmaxnreg where few registers are used (C7508)
def gemm_hopper(
    k: Builder, m: u32, n: u32, depth: u32, batch: u32, a: TensorMap, b: TensorMap, c: TensorMap, *arguments: T,
    element: type[Value] = bf16, result: type[Value] = bf16, bm: int = 128, bn: int = 256, bk: int = 64,
    stages: int = 4, group: int = 8, consumers: int = 2, multicast: tuple[int, int] = (1, 1), major_a: str = "K",
    major_b: str = "K", split: int = 1, transposed: bool = False, pingpong: bool = False, late: bool = False,
    order: str = "grouped", epilogue: Any = None, argument_types: tuple[type[T], ...] = (),
) -> None:  # fmt: skip
    """C (batch, m, n) = A (batch, m, depth) B (batch, n, depth)^T; with `transposed` C is (batch, n, m): for an n of few rows.

    A CTA computes tiles of bm x bn, `consumers` warpgroups rows of each. An operand whose `major` is "MN" is given as (depth,
    m) or (depth, n). `split` CTAs of a cluster share the depth of a tile; a launch then has as many clusters as there are
    tiles. `multicast` rows by columns of tiles are a cluster too, whose CTAs load for each other. With `pingpong` a warpgroup
    computes a tile of its own, and stores it while the next warpgroup computes the next one; with `late` they store a tile's
    sums beside the next one's products (`Pieces`). `order` and `group` are those of `k.persistent_tiles`. `epilogue(k, value,
    row, column, ...)` is applied to each sum before it is rounded; `arguments` are those behind the column (`epilogues.passed`).
    """
    if pingpong and split > 1:
        raise BuildError(
            f"split={split} and pingpong", hint="the warpgroups of one tile share its parts: one or the other"
        )
    rows = bm if pingpong else bm // consumers
    tile_a = k.tile(element, (bm, bk), stages=stages, major=major_a)
    tile_b = k.tile(element, (bn, bk), stages=stages, major=major_b)
    near = k.tile_cluster(*multicast, split)
    depths = k.partial_sums(near, 128 * consumers, rows, bn, least=8 if transposed else 16)
    pieces = Pieces(k, c, result, rows, depths.columns, consumers, transposed=transposed, late=late)
    pipe = k.pipeline(stages, consumers=4 if pingpong else 4 * consumers, cluster=near)
    down, across, steps = (m + bm - 1) // bm, (n + bn - 1) // bn, pieces.steps((depth + bk - 1) // bk)
    first, last = near.part * steps // split, (near.part + 1) * steps // split
    tiles = partial(k.persistent_tiles, down, across, group=group, order=order, cluster=near, batch=batch)

    with k.if_(k.tid.x == 0):
        for tensor in (a, b, c):
            tensor.prefetch()
    k.launch_dependents()
    producer, consumer = REGISTERS[consumers]
    with k.roles(cluster=near, load=(1, producer), multiply=(consumers, consumer)) as (load, multiply):
        k.wait_for_dependencies()
        with load, k.if_(k.tid.x == 0):
            for row, column, matrix in tiles():
                for stage in pipe.produce(last - first):
                    at = (first + stage.step) * bk
                    place_a = (*in_order(major_a, at, row * bm), matrix)
                    place_b = (*in_order(major_b, at, column * bn), matrix)
                    a.load(tile_a[stage.index], place_a, stage.barrier, among=near.in_row)
                    b.load(tile_b[stage.index], place_b, stage.barrier, among=near.in_column)
        with multiply as mine:
            one = k.tid.x % 128 == 0
            total = k.sums(rows, bn, SUMS.get(element.isa.name, f32))
            top = 0 if pingpong else mine * rows
            pieces.begin()
            turns = pipe.in_turns(mine, consumers) if pingpong else pipe
            for row, column, matrix in tiles(turn=(mine, consumers) if pingpong else None):
                for stage in turns.consume(last - first, in_flight=1):
                    left = tile_a[stage.index].part(top, rows=rows)
                    total.add_product(left, tile_b[stage.index], keep=stage.step > 0)
                    pieces.store_kept(stage.step, mine, one)
                with depths.shares(total, k.tid.x - 128) as (share, start):
                    finish = None if epilogue is None else applied(k, epilogue, arguments, matrix)
                    if finish is not None and transposed:
                        finish = exchanged(finish)
                    pieces.store(share, mine, one, (row * bm + top, column * bn + start), matrix, finish)
            pieces.end(mine, one)
    near.sync()  # no CTA ends while another one still writes to it


def exchanged(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of a value, its row and its column, for the transposed matrix."""
    return lambda value, row, column: function(value, column, row)


def in_order(major: str, along_k: u32, across: u32) -> tuple[u32, u32]:
    """Coordinates, innermost first."""
    return (along_k, across) if major == "K" else (across, along_k)


class Tiling(NamedTuple):
    """How a GEMM is cut: the compile-time parameters of `gemm_hopper` that its shape decides. `bk` counts 2-byte elements."""

    bm: int
    bn: int
    bk: int
    consumers: int
    stages: int = 4
    split: int = 1
    transposed: bool = False
    multicast: tuple[int, int] = (1, 1)
    pingpong: bool = False
    late: bool = False
    order: str = "grouped"

    def shared(self, result_bytes: int) -> int:
        """Bytes of shared memory."""
        share = shared_columns(self.bn, self.split, 8 if self.transposed else 16)
        width = piece_width(share, result_bytes)
        rows = self.bm * (self.consumers if self.pingpong else 1)
        pieces = piece_buffers(len(piece_starts(share, width))) * rows * width * result_bytes
        parts = 4 * (self.split - 1) * self.bm * share
        return self.stages * (self.bm + self.bn) * self.bk * 2 + pieces + parts + 2048

    def can_be_late(self, result_bytes: int) -> bool:
        """Whether a warpgroup has registers for the rounded sums of one tile beside the sums of the next."""
        return result_bytes == 2 and self.consumers == 2 and not self.pingpong

    def without_overlap(self, result_bytes: int) -> Tiling:
        """The same with a width that pieces divide: what an epilogue reads in the result's place is then read once, before it is
        written."""
        width = min(self.bn, PIECE // result_bytes)
        return self._replace(bn=self.bn // width * width)

    def fitted(self, result_bytes: int) -> Tiling | None:
        """The same with as many stages as there is room for, at most 16; None for fewer than 3."""
        return _fitted(self, result_bytes)

    def tiles(self, m: int, n: int) -> int:
        """Tiles of an m x n result, those that fill clusters up among them."""
        down, across = ceil_div(m, self.bm), ceil_div(n, self.bn)
        rows, columns = self.multicast
        return ceil_div(down, rows) * rows * ceil_div(across, columns) * columns


@cache
def _fitted(tiling: Tiling, result_bytes: int) -> Tiling | None:
    """What `Tiling.fitted` gives, kept: `choose` asks for some hundred."""
    found = tiling._replace(stages=16)
    while found.stages >= 3 and found.shared(result_bytes) > SHARED:
        found = found._replace(stages=found.stages - 1)
    return found if found.stages >= 3 else None


SHARED = 232_448
"""Bytes of shared memory that a CTA of sm_90 may have."""

SHAPES = (
    Tiling(128, 256, 64, 2), Tiling(128, 192, 64, 2), Tiling(128, 128, 64, 2), Tiling(256, 128, 64, 2), Tiling(64, 256, 64, 1),
    Tiling(64, 128, 128, 1), Tiling(64, 64, 128, 1), *(Tiling(128, n, 64, 2) for n in range(240, 64, -16) if n not in (128, 192)),
)  # fmt: skip
"""Tiles of a result of many rows, those of powers of two first; the others fill the last wave where those do not."""

PINGPONG = (
    Tiling(128, 128, 64, 2, pingpong=True), Tiling(128, 112, 64, 2, pingpong=True), Tiling(64, 128, 64, 2, pingpong=True),
    Tiling(64, 64, 128, 2, pingpong=True),
)  # fmt: skip
"""Tiles of one warpgroup each: it stores one while the other computes the next."""

THIN = tuple(
    Tiling(rows, columns, deep, rows // 64, transposed=True)
    for rows in (64, 128) for columns in (16, 32, 64, 128) for deep in (128, 64)
)  # fmt: skip
"""Tiles of the transposed result of few rows."""

RATE = ((256, 6.3e12), (224, 6.2e12), (192, 5.95e12), (128, 5.6e12), (0, 4.4e12))
"""(a tile's columns, operations a second of one multiprocessor from there on), with random data (measured, H200)."""

INGRESS, DRAM = 85e9, 3.9e12
"""Bytes a second that a multiprocessor takes from L2 where all do, and that all take from memory (measured, H200)."""

PINGPONG_INGRESS = 101.5e9
"""The same with tiles that warpgroups take in turn (measured, H200)."""

FEW = 1.4
"""Times that a multiprocessor takes from L2, at most, where a quarter of them or more but not all do, of tiles that warpgroups
take in turn (measured, H200: 64 x 64 tiles of a depth of 4,096 on half of them)."""

ALTERNATING, ALONE = 1.015, 1.15
"""Times of a step where warpgroups take 128 x 128 tiles in turn, and where there is one tile for each two of them, beside that of
a step of 128 x 256 (measured, H200: these read a quarter more from shared memory, which the power limit makes time)."""

SHALLOW = 1024
"""Bytes of a depth up to which CTAs load for each other in pairs: 2 % less time with 512 of bf16 (measured, H200)."""

STORE = {1: 0.7e-6, 2: 0.7e-6, 4: 3e-6}
"""Seconds of a fill of the pipeline and a tile's store, by the bytes of a result (measured, H200)."""

LATE = 4
"""Steps from which on a tile's sums are stored beside the next tile's products: its pieces."""

RESIDENT = {1: 1.0, 2: 1.0, 3: 0.9, 4: 0.9, 6: 0.8, 8: 0.75}
"""CTAs of a cluster that share a depth -> part of the multiprocessors that such clusters find room on at once (estimated)."""

EXCHANGE = 60e9
"""Bytes a second that a multiprocessor takes from others of its cluster (assumed)."""

UNDER_WAY = 184 * 1024
"""Bytes of loads that a multiprocessor has under way where memory is as fast as that (measured, H200)."""

CACHE = 40e6
"""Bytes of operands that stay in L2 from one launch to the next."""


def choose(
    m: int,
    n: int,
    depth: int,
    batch: int = 1,
    *,
    major_a: str = "K",
    major_b: str = "K",
    element_bytes: int = 2,
    result_bytes: int = 2,
    processors: int = 132,
) -> Tiling:
    """The tiling that should take the least time, of those that fit: the larger of the times of arithmetic, of L2 and of memory,
    by waves of tiles; what splitting the depth costs is added."""
    best, least = SHAPES[0], float("inf")
    operands, results = (m + n) * depth * batch * element_bytes, m * n * batch * result_bytes
    for shape in (*PINGPONG, *SHAPES, *(THIN if m <= 128 else ())):
        if (major_a if shape.transposed else major_b) == "MN" and shape.bn % 64:
            continue  # its columns are blocks of the swizzle
        count = shape.tiles(*((n, m) if shape.transposed else (m, n))) * batch
        steps = ceil_div(depth * element_bytes, shape.bk * 2)
        for split in RESIDENT:
            late = split == 1 and steps >= LATE and count > processors and shape.can_be_late(result_bytes)
            tiling = shape._replace(split=split, late=late).fitted(result_bytes)
            resident = processors * RESIDENT[split]
            if tiling is None or (split > 1 and (tiling.pingpong or count * split > resident or steps < 4 * split)):
                continue
            loading = min(count * split, processors) * tiling.stages * (tiling.bm + tiling.bn) * tiling.bk * 2
            slower = max(1.0, UNDER_WAY * processors / loading)
            memory = (operands * slower + results) / DRAM if operands > CACHE else 0.0
            computing = _time(tiling, count, ceil_div(steps, split), processors, element_bytes, result_bytes)
            time = math.hypot(computing, memory)
            if split > 1:  # the sums go to another multiprocessor, behind everything else
                time += 0.4e-6 * split + 4 * (split - 1) * tiling.bm * tiling.bn / split / EXCHANGE
            if time < least:
                best, least = tiling, time
    if best.late and best.bn == 256 and depth * element_bytes <= SHALLOW and ceil_div(m, best.bm) % 2 == 0:
        return best._replace(multicast=(2, 1))
    return best


def _time(
    tiling: Tiling, count: int, steps: int, processors: int, element_bytes: int, result_bytes: int
) -> float:  # fmt: skip
    """Seconds that the tiles take: their waves, a fill of the pipeline and a store each; once in all where tiles overlap."""
    bm, bn = tiling.bm, tiling.bn
    work = 2 * bm * bn * tiling.bk * 2 // element_bytes
    wide = 2 * bn if tiling.pingpong and bm == 128 else bn if bm <= 128 else 128
    rate = next(each for side, each in RATE if max(min(bm, 128), wide) >= side) * min(1.0, min(bm, bn) / 64)
    ingress = PINGPONG_INGRESS if tiling.pingpong else INGRESS
    if tiling.pingpong and processors <= 4 * count:
        ingress *= min(FEW, max(1.0, processors / count))
    step = max(work / (rate * 2 / element_bytes), (bm + bn) * tiling.bk * 2 / ingress)
    waves = float(ceil_div(count * tiling.split, processors))
    if waves > 2:  # where some have nothing to do in the last one, the power limit lets the others run faster
        waves = (waves + count / processors) / 2
    if tiling.pingpong and bm == 128:
        step *= ALTERNATING if count > processors else ALONE
    ends = 1.0 if tiling.pingpong else 2.0 if tiling.late else waves + 1
    return waves * steps * step + ends * STORE[result_bytes]


def plan(
    a: Any, b: Any, c: Any, *, m: int, n: int, depth: int, batch: int = 1, element: type[Value] = bf16,
    result: type[Value] = bf16, major_a: str = "K", major_b: str = "K", tiling: Tiling | None = None, processors: int = 132,
    epilogue: Any = None, arguments: Sequence[Any] = (),
) -> KernelPlan:  # fmt: skip
    """C = A B^T, A (batch, m, depth) and B (batch, n, depth) unless their `major` is "MN". BuildError for elements that the
    tensor cores of sm_90 do not have."""
    if element not in (bf16, f16, f32, e4m3, e5m2, s8):
        raise BuildError(f"no GEMM of .{element.isa.name}", hint="bf16, f16, f32 (as tf32), e4m3, e5m2 or s8")
    if tiling is None:
        found = choose(
            m, n, depth, batch, element_bytes=element.isa.bytes, result_bytes=result.isa.bytes, processors=processors,
            major_a=major_a, major_b=major_b,
        )  # fmt: skip
    else:
        found = tiling
    options = found._asdict()
    options["bk"] = found.bk * 2 // element.isa.bytes
    few = depth * element.isa.bytes < LATE * 2 * found.bk  # then the results' places decide: along C's rows
    options["group"] = 1 if few else 16 if element.isa.bytes == 1 or found.late else 8  # measured, H200
    if arguments:
        options["argument_types"], further = passed(arguments)
    else:
        further = ()
    kernel = using(
        gemm_hopper, element=element, result=result, epilogue=epilogue,
        major_a=major_b if found.transposed else major_a, major_b=major_a if found.transposed else major_b, **options,
    )  # fmt: skip
    sizes, operands = ((n, m), (b, a)) if found.transposed else ((m, n), (a, b))
    ctas = found.multicast[0] * found.multicast[1]
    work = found.tiles(*sizes) * batch * found.split
    grid = work if found.split > 1 else max(ctas, min(work, processors // ctas * ctas))
    given = (*sizes, depth, batch, *operands, c, *further)
    return KernelPlan(kernel, grid, 128 * (1 + found.consumers), given, programmatic=True)


KERNEL = gemm_hopper


def _case(
    size: tuple[int, int, int, int], rng: np.random.Generator, *, element: type[Value] = bf16, result: type[Value] = bf16,
    tiling: Tiling, major_a: str = "K", major_b: str = "K",
) -> Case:  # fmt: skip
    import numpy as np

    batch, m, n, depth = size
    shapes = [
        (batch, *((rows, depth) if major == "K" else (depth, rows))) for rows, major in ((m, major_a), (n, major_b))
    ]
    if element is s8:
        a, b = (integers(rng, shape, element, -128, 128) for shape in shapes)
    else:
        a, b = (normal(rng, shape, element) for shape in shapes)
    x, y = (each.values.astype(np.float64) for each in (a, b))
    x, y = x if major_a == "K" else x.swapaxes(1, 2), y if major_b == "K" else y.swapaxes(1, 2)
    expected = x @ y.swapaxes(1, 2)
    zeros = HostArray(np.zeros((batch, m, n), np.int32 if element is s8 else np.float32), result)
    return Case(
        {"a": a, "b": b, "c": zeros},
        lambda given: plan(
            given["a"], given["b"], given["c"], m=m, n=n, depth=depth, batch=batch, element=element,
            result=result, major_a=major_a, major_b=major_b, tiling=tiling, processors=3,
        ),
        {"c": expected},
        tolerance(x, y, expected, element, result),
    )  # fmt: skip


def tolerance(x: Any, y: Any, expected: Any, element: type[Value], result: type[Value]) -> Tolerance:
    """The bound of a sum of `depth` products in f32, each of which may be truncated, and of the rounding to the result."""
    import numpy as np

    if element is s8:
        return Tolerance(0.0, "exact: integers")
    magnitude = np.abs(x) @ np.abs(y).swapaxes(1, 2)
    depth = x.shape[2]
    inputs = {"f32": 2.0**-9, "e4m3": 2.0**-12, "e5m2": 2.0**-12}.get(element.isa.name, 0.0)
    limit = magnitude * (inputs + (depth + 2) * 2.0**-23) + np.abs(expected) * unit_roundoff(result) * 1.01 + 1e-30
    return Tolerance(limit, "Higham, Accuracy and Stability, 3.1; wgmma truncates tf32 inputs and sums of fp8 (2^-13)")


def _variant(name: str, sizes: tuple[Any, ...], **options: Any) -> Variant:
    tiling: Tiling = options["tiling"]
    chosen = {key: value for key, value in options.items() if key != "tiling"}
    element = chosen.get("element", bf16)
    fixed = {**tiling._asdict(), "bk": tiling.bk * 2 // element.isa.bytes, **chosen}
    if tiling.transposed:
        fixed["major_a"], fixed["major_b"] = chosen.get("major_b", "K"), chosen.get("major_a", "K")
    return Variant("gemm", name, using(gemm_hopper, **fixed), partial(_case, **options), sizes, NEEDS_WGMMA)


VARIANTS = (
    _variant("bf16", ((1, 200, 264, 136), (2, 128, 520, 328), (1, 1, 8, 8)), tiling=SHAPES[0]._replace(late=True)),
    _variant("f16.mn", ((1, 136, 264, 72),), tiling=SHAPES[2], element=f16, result=f16, major_a="MN", major_b="MN"),
    _variant("bf16.thin", ((1, 5, 264, 520),), tiling=Tiling(64, 16, 128, 1, split=3, transposed=True)),
    _variant("bf16.split", ((2, 72, 72, 392),), tiling=Tiling(64, 32, 64, 1, split=2)),
    _variant("bf16.192", ((1, 130, 200, 72),), tiling=SHAPES[1]),
    _variant("bf16.pingpong", ((2, 136, 264, 72), (1, 8, 520, 392)), tiling=PINGPONG[0]),
    _variant("e4m3", ((1, 136, 272, 144),), tiling=SHAPES[2], element=e4m3),
    _variant("tf32", ((1, 136, 136, 68),), tiling=SHAPES[2], element=f32, result=f32),
    _variant("s8", ((1, 136, 136, 144),), tiling=SHAPES[2], element=s8, result=s32),
)
