"""out[c] = the sum over the rows of x[r, c]: what groups of rows have added up.

Shapes: x[rows, columns] of f32, bf16 or f16 -> out[columns] of f32, row-major and dense. The order of the additions depends on
the shape alone, so that every run gives the same bits.

Floor: the rows are read once. A CTA has 32 columns, which its warps read by rows, 128 bytes each; the warps' sums meet in shared
memory.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ptxgen.builder import Builder, bf16, f16, f32, kernel, ptr, u32, u64
from ptxgen.builder.values import Float
from ptxgen.kernels.blocks.collectives import WARP, fold
from ptxgen.kernels.cases import Case, Tolerance, Variant, normal
from ptxgen.kernels.plan import KernelPlan, ceil_div, using

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

__all__ = ["ELEMENTS", "KERNEL", "VARIANTS", "column_sums", "column_sums_of_two", "plan", "plan_all"]

E = TypeVar("E", bound=Float)

WARPS = 16
UNROLL = 8
ELEMENTS: tuple[type[Float], ...] = (f32, bf16, f16)


@kernel(max_threads=WARP * WARPS)
def column_sums(k: Builder, rows: u32, columns: u32, x: ptr[E], out: ptr[f32], *, element: type[E]) -> None:
    _sums(k, k.ctaid.x, rows, columns, x, out)


KERNEL = column_sums


@kernel(max_threads=WARP * WARPS)
def column_sums_of_two(
    k: Builder, rows: u32, columns: u32, x: ptr[f32], out: ptr[f32], other: ptr[f32], other_out: ptr[f32]
) -> None:
    """As many CTAs again for the other array, of the same shape: what a norm's backward adds up takes one launch."""
    k.wait_for_dependencies()
    tiles = (columns + (WARP - 1)) // WARP
    with k.if_else(k.ctaid.x < tiles) as (first, second):
        with first:
            _sums(k, k.ctaid.x, rows, columns, x, out)
        with second:
            _sums(k, k.ctaid.x - tiles, rows, columns, other, other_out)


def _sums(k: Builder, tile: u32, rows: u32, columns: u32, x: ptr[Any], out: ptr[f32]) -> None:
    lane, warp = k.tid.x % WARP, k.tid.x // WARP
    column = tile * WARP + lane
    shared = k.shared(f32, (WARPS, WARP))
    total = k.var(f32, 0.0)
    with k.if_(column < columns):
        for row in k.range(warp, rows, WARPS, unroll=UNROLL):
            total += x[k.fma(row.to(u64), columns.to(u64), column.to(u64))].to(f32)
    shared[warp, lane] = total
    k.barrier()
    with k.if_((warp == 0) & (column < columns)):
        out[column] = fold(k, "sum", [shared[w, lane] for w in range(WARPS)])


def plan(rows: int, columns: int, x: Any, out: Any, *, element: type[Float] = f32) -> KernelPlan:
    """out = the sums of x's columns."""
    launch = using(column_sums, element=element)
    return KernelPlan(launch, max(1, ceil_div(columns, WARP)), WARP * WARPS, (rows, columns, x, out))


def plan_all(rows: int, columns: int, pairs: Sequence[tuple[Any, Any]]) -> KernelPlan:
    """The same for one or two pairs (x, out) of f32."""
    if len(pairs) == 1:
        return plan(rows, columns, *pairs[0])
    arguments, grid = (rows, columns, *pairs[0], *pairs[1]), 2 * max(1, ceil_div(columns, WARP))
    return KernelPlan(column_sums_of_two, grid, WARP * WARPS, arguments, programmatic=True)


def _case(size: tuple[int, int], rng: np.random.Generator, *, element: type[Float]) -> Case:
    import numpy as np

    rows, columns = size
    x = normal(rng, size, element)
    wide = x.values.astype(np.float64)
    limit = abs(wide).sum(axis=0) * (rows / WARPS + 5) * 2.0**-24
    return Case(
        arrays={"x": x, "out": normal(rng, columns, f32)},
        plan=lambda on: plan(rows, columns, on["x"], on["out"], element=element),
        expected={"out": wide.sum(axis=0)},
        tolerance=Tolerance(limit, "a rounding an addition: rows/16 in a thread, then a tree"),
    )


def _case_of_two(size: tuple[int, int], rng: np.random.Generator) -> Case:
    one, other = _case(size, rng, element=f32), _case(size, rng, element=f32)
    names = {"x": "other", "out": "other_out"}
    limit: Any = {"out": one.tolerance.limit, "other_out": other.tolerance.limit}
    return Case(
        arrays={**one.arrays, **{names[name]: host for name, host in other.arrays.items()}},
        plan=lambda on: plan_all(*size, ((on["x"], on["out"]), (on["other"], on["other_out"]))),
        expected={"out": one.expected["out"], "other_out": other.expected["out"]},
        tolerance=one.tolerance._replace(limit=limit),
    )


_SIZES = ((0, 5), (1, 1), (17, 33), (100, 70))

VARIANTS = (
    *(
        Variant(
            "column_sums",
            element.isa.name,
            using(column_sums, element=element),
            partial(_case, element=element),
            _SIZES,
        )
        for element in (f32, bf16)
    ),
    Variant("column_sums", "two.f32", column_sums_of_two, _case_of_two, _SIZES),
)
