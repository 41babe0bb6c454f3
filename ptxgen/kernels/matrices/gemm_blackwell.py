"""C = A B^T with the tensor cores of sm_100a: TMA, a ring of stages, tcgen05, sums in tensor memory.

One thread loads, one multiplies, and a warpgroup takes the sums out of tensor memory while the next tile's are computed in
other columns. Floor: 2*m*n*depth operations at the 2.25 PFLOP/s of bf16 that a B200's datasheet has, or the bytes of A, B and C
at 8 TB/s. No such device was at hand: it is assembled, and run on the CPU device.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ptxgen.builder import Builder, TensorMap, bf16, e4m3, e5m2, f16, f32, kernel, s8, u32
from ptxgen.builder.values import Value
from ptxgen.errors import BuildError
from ptxgen.kernels.cases import Case, HostArray, Variant, integers, normal
from ptxgen.kernels.matrices.epilogues import applied, passed
from ptxgen.kernels.matrices.gemm import SUMS, tolerance
from ptxgen.kernels.matrices.pieces import PIECE, Pieces
from ptxgen.kernels.plan import KernelPlan, ceil_div, using

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np

__all__ = ["KERNEL", "VARIANTS", "dense_case", "plan"]

ROWS = 128
"""Of a tile: the lanes of tensor memory."""

THREADS = 256
"""Two warpgroups."""

WIDTHS = (256, 128, 64)
"""Columns of a tile."""

T = TypeVar("T", bound=Value)


@kernel
def gemm_blackwell(
    k: Builder, m: u32, n: u32, depth: u32, batch: u32, a: TensorMap, b: TensorMap, c: TensorMap, *arguments: T,
    element: type[Value] = bf16, result: type[Value] = bf16, bn: int = 256, bk: int = 64, stages: int = 4,
    group: int = 8, major_a: str = "K", major_b: str = "K", epilogue: Any = None,
    argument_types: tuple[type[T], ...] = (),
) -> None:  # fmt: skip
    """C (batch, m, n) = A (batch, m, depth) B (batch, n, depth)^T.

    A CTA computes tiles of 128 x bn. An operand whose `major` is "MN" is given as (depth, m) or (depth, n).
    `epilogue` and `arguments` as in `gemm`.
    """
    tile_a = k.tile(element, (ROWS, bk), stages=stages, major=major_a)
    tile_b = k.tile(element, (bn, bk), stages=stages, major=major_b)
    pieces = Pieces(k, c, result, ROWS, bn)
    pipe, summed = k.pipeline(stages, products="use"), k.pipeline(2, consumers=4, products="fill")
    down, across, steps = (m + ROWS - 1) // ROWS, (n + bn - 1) // bn, (depth + bk - 1) // bk
    tiles = partial(k.persistent_tiles, down, across, group=group, batch=batch)

    with k.if_(k.tid.x == 0):
        for tensor in (a, b, c):
            tensor.prefetch()
    k.launch_dependents()
    with k.tensor_memory(2 * bn) as memory, k.roles(issue=1, finish=1) as (issue, finish):
        total = memory.sums(ROWS, bn, SUMS.get(element.isa.name, f32), stages=2)
        k.wait_for_dependencies()
        with issue:
            with k.if_(k.tid.x == 0):
                for row, column, matrix in tiles():
                    for stage in pipe.produce(steps):
                        at = stage.step * bk
                        place_a = (at, row * ROWS) if major_a == "K" else (row * ROWS, at)
                        place_b = (at, column * bn) if major_b == "K" else (column * bn, at)
                        a.load(tile_a[stage.index], (*place_a, matrix), stage.barrier)
                        b.load(tile_b[stage.index], (*place_b, matrix), stage.barrier)
            with k.if_(k.tid.x == 32):
                for _ in tiles():
                    for sums in summed.produce(1):
                        for stage in pipe.consume(steps):
                            left, right = tile_a[stage.index], tile_b[stage.index]
                            total[sums.index].add_product(left, right, keep=stage.step > 0)
        with finish:
            one = k.tid.x % 128 == 0
            for row, column, matrix in tiles():
                finish_sum = None if epilogue is None else applied(k, epilogue, arguments, matrix)
                for sums in summed.consume(1):
                    pieces.store(total[sums.index], 0, one, (row * ROWS, column * bn), matrix, finish_sum)
            pieces.end(one)


KERNEL = gemm_blackwell


def plan(
    a: Any, b: Any, c: Any, *, m: int, n: int, depth: int, batch: int = 1, element: type[Value] = bf16,
    result: type[Value] = bf16, bn: int | None = None, bk: int | None = None, stages: int = 4,
    major_a: str = "K", major_b: str = "K", processors: int = 148, epilogue: Any = None, arguments: Sequence[Any] = (),
) -> KernelPlan:  # fmt: skip
    """C = A B^T, A (batch, m, depth) and B (batch, n, depth) unless their `major` is "MN". The tiles are the widest of
    which there are enough for the multiprocessors, unless stated. BuildError for elements that it does not have."""
    if element not in (bf16, f16, f32, e4m3, e5m2, s8):
        raise BuildError(f"no GEMM of .{element.isa.name}", hint="bf16, f16, f32 (as tf32), e4m3, e5m2 or s8")
    down = ceil_div(m, ROWS) * batch
    bn = bn or next((each for each in WIDTHS if down * ceil_div(n, each) >= processors), WIDTHS[-1])
    types, further = passed(arguments)
    kernel = using(
        gemm_blackwell, element=element, result=result, bn=bn, bk=bk or PIECE * 8 // element.isa.bits, stages=stages,
        major_a=major_a, major_b=major_b, epilogue=epilogue, **({"argument_types": types} if types else {}),
    )  # fmt: skip
    grid = max(1, min(down * ceil_div(n, bn), processors))
    return KernelPlan(kernel, grid, THREADS, (m, n, depth, batch, a, b, c, *further), programmatic=True)


def dense_case(
    planned: Callable[..., KernelPlan], size: tuple[int, int, int, int], rng: np.random.Generator, **options: Any
) -> Case:  # fmt: skip
    """A problem of (batch, m, n, depth) for a `plan` such as this file's, which takes the options."""
    import numpy as np

    batch, m, n, depth = size
    element, result = options.get("element", bf16), options.get("result", bf16)
    shapes = [
        (batch, *((rows, depth) if options.get(f"major_{name}", "K") == "K" else (depth, rows)))
        for rows, name in ((m, "a"), (n, "b"))
    ]
    if element is s8:
        a, b = (integers(rng, shape, element, -128, 128) for shape in shapes)
    else:
        a, b = (normal(rng, shape, element) for shape in shapes)
    x, y = (each.values.astype(np.float64) for each in (a, b))
    x = x if options.get("major_a", "K") == "K" else x.swapaxes(1, 2)
    y = y if options.get("major_b", "K") == "K" else y.swapaxes(1, 2)
    expected = x @ y.swapaxes(1, 2)
    zeros = HostArray(np.zeros((batch, m, n), np.int32 if element is s8 else np.float32), result)
    return Case(
        {"a": a, "b": b, "c": zeros},
        lambda given: planned(
            given["a"], given["b"], given["c"], m=m, n=n, depth=depth, batch=batch, processors=2, **options
        ),
        {"c": expected},
        tolerance(x, y, expected, element, result),
    )


_ABSENT = dict.fromkeys(("sm_75", "sm_80", "sm_90a", "sm_120"), "tcgen05 is an instruction of sm_100a")


def _variant(name: str, sizes: tuple[Any, ...], **options: Any) -> Variant:
    element = options.get("element", bf16)
    fixed = {**options, "bk": PIECE * 8 // element.isa.bits}
    return Variant(
        "gemm_blackwell", name, using(gemm_blackwell, **fixed), partial(dense_case, plan, **options), sizes, _ABSENT
    )


VARIANTS = (
    _variant("bf16", ((1, 200, 264, 136), (2, 128, 256, 64), (1, 1, 8, 8))),
    _variant("tf32", ((1, 136, 136, 68),), element=f32, result=f32, bn=128),
)
