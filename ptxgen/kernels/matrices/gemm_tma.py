"""C = A B^T on sm_120: tensor copies, a ring of stages in its 99 KB of shared memory, and mma.sync by warps that do nothing else.

One thread loads; the warps of the other warpgroups read fragments by ldmatrix, multiply, and store their sums straight from
registers, since the ring takes all of the memory. Two warps of each scheduler with 64 x 32 sums each are faster than one with
64 x 64: one multiplies where the other waits. Nothing but the products of fp8 is of sm_120 alone, and no such device was at hand:
it was measured on an H200 (`tools/bench/gemm_sm120.py`), 1.35 to 3 times as fast there as cp.async in as much shared memory.

Floor: 2*m*n*depth operations at what a datasheet has, of an RTX 5090 210 TFLOP/s of bf16 and f16, 419 of fp8, 838 of integers
of 8 bits and of fp8 with factors of scale, all with f32 (s32) sums; or the bytes of A, B and C at 1.8 TB/s. A plain product of
fp8 takes the instruction with factors, which are 1 (`k.warp_sums`).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from driver_ctypes.typing import NamedTuple
from ptxgen.builder import Builder, TensorMap, bf16, e4m3, e5m2, f16, f32, kernel, ptr, s8, s64, u32
from ptxgen.builder.values import Value
from ptxgen.errors import BuildError
from ptxgen.kernels.cases import Variant
from ptxgen.kernels.matrices.epilogues import applied, passed
from ptxgen.kernels.matrices.gemm import in_order
from ptxgen.kernels.matrices.gemm_blackwell import dense_case
from ptxgen.kernels.matrices.gemm_mma import store_sums
from ptxgen.kernels.plan import KernelPlan, ceil_div, using

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["KERNEL", "VARIANTS", "Tiling", "choose", "plan"]

R = TypeVar("R", bound=Value)
T = TypeVar("T", bound=Value)


@kernel
def gemm_tma(
    k: Builder, m: u32, n: u32, depth: u32, batch: u32, a: TensorMap, b: TensorMap,
    c: ptr[R], c_row: s64, c_batch: s64, *arguments: T,
    element: type[Value] = bf16, result: type[R] = bf16,  # type: ignore[assignment]  # unless stated
    bm: int = 128, bn: int = 128, bk: int = 64, stages: int = 3,
    warps: tuple[int, int] = (2, 4), group: int = 8, major_a: str = "K", major_b: str = "K", aligned: bool = True,
    epilogue: Any = None, argument_types: tuple[type[T], ...] = (),
) -> None:  # fmt: skip
    """C (batch, m, n) = A (batch, m, depth) B (batch, n, depth)^T; rows of C are `c_row` elements apart, matrices `c_batch`.

    A CTA computes tiles of bm x bn, each of `warps` a part of bm / warps[0] rows and bn / warps[1] columns. An operand whose
    `major` is "MN", of 16 bits, is given as (depth, m) or (depth, n). `aligned`: C and its rows are at multiples of 16 bytes.
    `epilogue` and `arguments` as in `gemm`.
    """
    consumers, (wm, wn) = warps[0] * warps[1] // 4, (bm // warps[0], bn // warps[1])
    tile_a = k.tile(element, (bm, bk), stages=stages, major=major_a)
    tile_b = k.tile(element, (bn, bk), stages=stages, major=major_b)
    pipe = k.pipeline(stages, consumers=4 * consumers)
    down, across, steps = (m + bm - 1) // bm, (n + bn - 1) // bn, (depth + bk - 1) // bk
    tiles = partial(k.persistent_tiles, down, across, group=group, batch=batch)

    with k.if_(k.tid.x == 0):
        a.prefetch()
        b.prefetch()
    k.launch_dependents()
    with k.roles(load=1, multiply=consumers) as (load, multiply):
        k.wait_for_dependencies()
        with load, k.if_(k.tid.x == 0):
            for row, column, matrix in tiles():
                for stage in pipe.produce(steps):
                    at = stage.step * bk
                    a.load(tile_a[stage.index], (*in_order(major_a, at, row * bm), matrix), stage.barrier)
                    b.load(tile_b[stage.index], (*in_order(major_b, at, column * bn), matrix), stage.barrier)
        with multiply:
            total = k.warp_sums(wm, wn, element)
            warp = k.tid.x // 32 - 4
            my_row, my_column = warp // warps[1] * wm, warp % warps[1] * wn
            left, right = total.left(tile_a, my_row), total.right(tile_b, my_column)
            for row, column, matrix in tiles():
                total.clear()
                for stage in pipe.consume(steps):
                    total.add_product(left[stage.index], right[stage.index])
                corner = (row * bm + my_row, column * bn + my_column)
                found = total if epilogue is None else total.map(applied(k, epilogue, arguments, matrix), *corner)
                place = c.at(matrix.to(s64) * c_batch)
                store_sums(k, place, found, result, corner, (m, n), (c_row, k.const(s64, 1)), aligned)


KERNEL = gemm_tma


class Tiling(NamedTuple):
    """How a GEMM is cut: the compile-time parameters of `gemm_tma` that its shape decides; lines are of 128 bytes."""

    bm: int = 128
    bn: int = 128
    warps: tuple[int, int] = (2, 4)
    stages: int = 3

    @property
    def threads(self) -> int:
        """Of a CTA: the warpgroup that loads, and the warps that multiply."""
        return 128 + 32 * self.warps[0] * self.warps[1]

    def tiles(self, m: int, n: int, batch: int) -> int:
        """Of all products."""
        return ceil_div(m, self.bm) * ceil_div(n, self.bn) * batch


LARGE, MIDDLE, SMALL = Tiling(), Tiling(128, 64, (4, 2), 4), Tiling(64, 64, (4, 2), 6)
"""96 KB of stages each: what a CTA of sm_120 has room for."""

TIMES = {LARGE: 1.0, MIDDLE: 0.83, SMALL: 0.57}
"""Time of a tile beside that of the largest (measured, H200)."""

LINE = 128
"""Bytes of a tile's line: the widest swizzle."""


def choose(m: int, n: int, batch: int, processors: int, times: dict[Tiling, float] = TIMES) -> Tiling:
    """The tiles whose waves take the least time."""

    def time(tiling: Tiling) -> float:
        return ceil_div(tiling.tiles(m, n, batch), processors) * times[tiling]

    return min(times, key=time)


def plan(
    a: Any, b: Any, c: Any, *, m: int, n: int, depth: int, batch: int = 1, strides: tuple[int, int] | None = None,
    element: type[Value] = bf16, result: type[Value] = bf16, major_a: str = "K", major_b: str = "K", aligned: bool = True,
    tiling: Tiling | None = None, processors: int = 170, epilogue: Any = None, arguments: Sequence[Any] = (),
) -> KernelPlan:  # fmt: skip
    """C = A B^T, A (batch, m, depth) and B (batch, n, depth) unless their `major` is "MN"; `strides`: how many elements C's rows
    and matrices are apart, where they have gaps. BuildError for elements that it does not have."""
    if element not in (bf16, f16, f32, e4m3, e5m2, s8):
        raise BuildError(f"no GEMM of .{element.isa.name}", hint="bf16, f16, f32 (as tf32), e4m3, e5m2 or s8")
    found = tiling or choose(m, n, batch, processors)
    types, further = passed(arguments)
    kernel = using(
        gemm_tma, element=element, result=result, bk=LINE // element.isa.bytes, major_a=major_a, major_b=major_b,
        aligned=aligned, epilogue=epilogue, **found._asdict(), **({"argument_types": types} if types else {}),
    )  # fmt: skip
    grid = max(1, min(found.tiles(m, n, batch), processors))
    given = (m, n, depth, batch, a, b, c, *(strides or (n, m * n)), *further)
    return KernelPlan(kernel, grid, found.threads, given, programmatic=True)


_ABSENT = {
    **dict.fromkeys(("sm_75", "sm_80"), "tensor copies are instructions of sm_90"),
    "sm_90a": "wgmma is faster: `gemm`",
    "sm_100a": "tcgen05 is faster: `gemm_blackwell`",
}


def _variant(name: str, *sizes: Any, tiling: Tiling, **options: Any) -> Variant:
    bk = LINE // options.get("element", bf16).isa.bytes
    kernel = using(gemm_tma, bk=bk, **tiling._asdict(), **options)
    made = partial(dense_case, plan, tiling=tiling, **options)
    return Variant("gemm_tma", name, kernel, made, sizes, _ABSENT)


VARIANTS = (_variant("bf16", (1, 136, 72, 136), (2, 8, 64, 64), (1, 1, 8, 8), tiling=MIDDLE),)
