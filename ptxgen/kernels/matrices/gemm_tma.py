"""C = A B^T on sm_120: tensor copies, a ring of stages in its 99 KB of shared memory, and mma.sync by warps that do nothing else.

One thread loads; the warps of `consumers` warpgroups read fragments by ldmatrix, multiply, and store their sums straight from
registers, since the ring takes all of the memory. Nothing of it but the products of fp8 is of sm_120 alone: it is assembled for
sm_90 too, and was measured there.

Floor: 2*m*n*depth operations at what a datasheet has, of an RTX 5090 210 TFLOP/s of bf16 and f16, 419 of fp8, 838 of integers
of 8 bits and of fp8 with factors of scale, all with f32 (s32) sums; or the bytes of A, B and C at 1.8 TB/s. A plain product of
fp8 takes the instruction with factors, which are 1 (`k.warp_sums`).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from ptxgen.builder import Builder, TensorMap, bf16, e4m3, e5m2, f16, f32, kernel, ptr, s8, s32, s64, u32
from ptxgen.builder.values import Value
from ptxgen.errors import BuildError
from ptxgen.kernels.cases import Case, HostArray, Variant, integers, normal
from ptxgen.kernels.matrices.epilogues import applied, passed
from ptxgen.kernels.matrices.gemm import in_order, tolerance
from ptxgen.kernels.matrices.gemm_mma import store_sums
from ptxgen.kernels.plan import KernelPlan, ceil_div, using

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

__all__ = ["KERNEL", "VARIANTS", "Tiling", "choose", "plan"]

R = TypeVar("R", bound=Value)
T = TypeVar("T", bound=Value)


@kernel
def gemm_tma(
    k: Builder, m: u32, n: u32, depth: u32, batch: u32, a: TensorMap, b: TensorMap,
    c: ptr[R], c_row: s64, c_batch: s64, *arguments: T,
    element: type[Value] = bf16, result: type[R] = bf16,  # type: ignore[assignment]  # unless stated
    bm: int = 128, bn: int = 128, bk: int = 64, stages: int = 3,
    warps: tuple[int, int] = (2, 4), registers: tuple[int | None, int | None] = (None, None), group: int = 8,
    major_a: str = "K", major_b: str = "K", pingpong: bool = False, aligned: bool = True, epilogue: Any = None,
    argument_types: tuple[type[T], ...] = (),
) -> None:  # fmt: skip
    consumers = warps[0] * warps[1] // 4
    shape = (2, 2) if pingpong else warps
    wm, wn = bm // shape[0], bn // shape[1]
    tile_a = k.tile(element, (bm, bk), stages=stages, major=major_a, swizzle=f"{min(128, bk * element.isa.bytes)}B" if major_a == "K" else "128B")
    tile_b = k.tile(element, (bn, bk), stages=stages, major=major_b, swizzle=f"{min(128, bk * element.isa.bytes)}B" if major_b == "K" else "128B")
    pipe = k.pipeline(stages, consumers=4 if pingpong else 4 * consumers)
    down, across, steps = (m + bm - 1) // bm, (n + bn - 1) // bn, (depth + bk - 1) // bk
    tiles = partial(k.persistent_tiles, down, across, group=group, batch=batch)

    with k.if_(k.tid.x == 0):
        a.prefetch()
        b.prefetch()
    k.launch_dependents()
    with k.roles(load=(1, registers[0]), multiply=(consumers, registers[1])) as (load, multiply):
        k.wait_for_dependencies()
        with load, k.if_(k.tid.x == 0):
            for row, column, matrix in tiles():
                for stage in pipe.produce(steps):
                    at = stage.step * bk
                    a.load(tile_a[stage.index], (*in_order(major_a, at, row * bm), matrix), stage.barrier)
                    b.load(tile_b[stage.index], (*in_order(major_b, at, column * bn), matrix), stage.barrier)
        with multiply as mine:
            total = k.warp_sums(wm, wn, element)
            number = k.tid.x // 32 % 4 if pingpong else k.tid.x // 32 - 4
            my_row, my_column = number // shape[1] * wm, number % shape[1] * wn
            left, right = total.left(tile_a, my_row), total.right(tile_b, my_column)
            turns = pipe.in_turns(mine, consumers) if pingpong else pipe
            for row, column, matrix in tiles(turn=(mine, consumers) if pingpong else None):
                total.clear()
                for stage in turns.consume(steps):
                    total.add_product(left[stage.index], right[stage.index])
                corner = (row * bm + my_row, column * bn + my_column)
                found = total if epilogue is None else total.map(applied(k, epilogue, arguments, matrix), *corner)
                place = c.at(matrix.to(s64) * c_batch)
                store_sums(k, place, found, result, corner, (m, n), (c_row, k.const(s64, 1)), aligned)


KERNEL = gemm_tma


class Tiling(NamedTuple):
    """How a GEMM is cut: the compile-time parameters of `gemm_tma`. `bk` counts 2-byte elements."""

    bm: int = 128
    bn: int = 128
    bk: int = 64
    warps: tuple[int, int] = (2, 4)
    stages: int = 3
    registers: tuple[int | None, int | None] = (None, None)
    pingpong: bool = False


def plan(
    a: Any, b: Any, c: Any, *, m: int, n: int, depth: int, c_row: int, c_batch: int = 0, batch: int = 1, element: type[Value] = bf16,
    result: type[Value] = bf16, major_a: str = "K", major_b: str = "K", tiling: Tiling | None = None, aligned: bool = True,
    processors: int = 170, epilogue: Any = None, arguments: Sequence[Any] = (),
) -> KernelPlan:  # fmt: skip
    tiling = tiling or Tiling()
    types, further = passed(arguments)
    options = tiling._asdict()
    options["bk"] = tiling.bk * 2 // element.isa.bytes
    kernel = using(
        gemm_tma, element=element, result=result, major_a=major_a, major_b=major_b, epilogue=epilogue, aligned=aligned,
        **options, **({"argument_types": types} if types else {}),
    )  # fmt: skip
    tiles = ceil_div(m, tiling.bm) * ceil_div(n, tiling.bn) * batch
    threads = 128 + 32 * tiling.warps[0] * tiling.warps[1]
    grid = max(1, min(tiles, processors))
    return KernelPlan(kernel, grid, threads, (m, n, depth, batch, a, b, c, c_row, c_batch, *further), programmatic=True)
VARIANTS = ()
