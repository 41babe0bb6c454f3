"""out[c] = the sum over the rows of x[r, c]: what groups of rows have added up.

Shapes: x[rows, columns] -> out[columns], f32, row-major and dense. The order of the additions depends on the shape alone, so that
every run gives the same bits.

Floor: the rows are read once. A CTA has 32 columns, which its warps read by rows, 128 bytes each; the warps' sums meet in shared
memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder import Builder, f32, kernel, ptr, u32, u64
from ptxgen.kernels.cases import Case, Tolerance, Variant, normal
from ptxgen.kernels.collectives import WARP, fold
from ptxgen.kernels.plan import KernelPlan, ceil_div

if TYPE_CHECKING:
    import numpy as np

__all__ = ["KERNEL", "VARIANTS", "column_sums", "plan"]

WARPS = 16
UNROLL = 4


@kernel(max_threads=WARP * WARPS)
def column_sums(k: Builder, rows: u32, columns: u32, x: ptr[f32], out: ptr[f32]) -> None:
    lane, warp = k.tid.x % WARP, k.tid.x // WARP
    column = k.ctaid.x * WARP + lane
    shared = k.shared(f32, (WARPS, WARP))
    total = k.var(f32, 0.0)
    with k.if_(column < columns):
        for row in k.range(warp, rows, WARPS, unroll=UNROLL):
            total += x[k.fma(row.to(u64), columns.to(u64), column.to(u64))]
    shared[warp, lane] = total
    k.barrier()
    with k.if_((warp == 0) & (column < columns)):
        out[column] = fold(k, "sum", [shared[w, lane] for w in range(WARPS)])


KERNEL = column_sums


def plan(rows: int, columns: int, x: Any, out: Any) -> KernelPlan:
    """out = the sums of x's columns."""
    return KernelPlan(column_sums, max(1, ceil_div(columns, WARP)), WARP * WARPS, (rows, columns, x, out))


def _case(size: tuple[int, int], rng: np.random.Generator) -> Case:
    import numpy as np

    rows, columns = size
    x = normal(rng, size, f32)
    wide = x.values.astype(np.float64)
    limit = abs(wide).sum(axis=0) * (rows / WARPS + 5) * 2.0**-24
    return Case(
        arrays={"x": x, "out": normal(rng, columns, f32)},
        plan=lambda on: plan(rows, columns, on["x"], on["out"]),
        expected={"out": wide.sum(axis=0)},
        tolerance=Tolerance(limit, "a rounding an addition: rows/16 in a thread, then a tree"),
    )


VARIANTS = (Variant("column_sums", "f32", column_sums, _case, ((0, 5), (1, 1), (17, 33), (100, 70))),)
