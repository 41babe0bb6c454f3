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
    import numpy as np

__all__ = ["ELEMENTS", "KERNEL", "VARIANTS", "column_sums", "plan"]

E = TypeVar("E", bound=Float)

WARPS = 16
UNROLL = 4
ELEMENTS: tuple[type[Float], ...] = (f32, bf16, f16)


@kernel(max_threads=WARP * WARPS)
def column_sums(k: Builder, rows: u32, columns: u32, x: ptr[E], out: ptr[f32], *, element: type[E]) -> None:
    lane, warp = k.tid.x % WARP, k.tid.x // WARP
    column = k.ctaid.x * WARP + lane
    shared = k.shared(f32, (WARPS, WARP))
    total = k.var(f32, 0.0)
    with k.if_(column < columns):
        for row in k.range(warp, rows, WARPS, unroll=UNROLL):
            total += x[k.fma(row.to(u64), columns.to(u64), column.to(u64))].to(f32)
    shared[warp, lane] = total
    k.barrier()
    with k.if_((warp == 0) & (column < columns)):
        out[column] = fold(k, "sum", [shared[w, lane] for w in range(WARPS)])


KERNEL = column_sums


def plan(rows: int, columns: int, x: Any, out: Any, *, element: type[Float] = f32) -> KernelPlan:
    """out = the sums of x's columns."""
    launch = using(column_sums, element=element)
    return KernelPlan(launch, max(1, ceil_div(columns, WARP)), WARP * WARPS, (rows, columns, x, out))


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


VARIANTS = tuple(
    Variant(
        "column_sums", element.isa.name, using(column_sums, element=element), partial(_case, element=element),
        ((0, 5), (1, 1), (17, 33), (100, 70)),
    )
    for element in (f32, bf16)
)  # fmt: skip
