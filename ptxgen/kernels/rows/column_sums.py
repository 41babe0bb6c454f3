"""out[c] = the sum over the rows of x[r, c]: what groups of rows have added up.

Shapes: x[rows, columns] of f32, bf16 or f16 -> out[columns] of f32, row-major and dense. The order of the additions depends on
the shape alone, so that every run gives the same bits.

Floor: the rows are read once. What a norm's backward adds up is small and in the L2 cache, so that its time is that of the
loads that wait for one another: a CTA has `parts` groups of threads, each with every `parts`-th row, and a thread has eight loads
on their way. Few rows take one part and wide rows of threads; many rows of few columns take 64 parts of 32 bytes.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ptxgen.builder import Builder, bf16, f16, f32, kernel, ptr, u32, u64
from ptxgen.builder.values import Float
from ptxgen.kernels.blocks.collectives import fold
from ptxgen.kernels.blocks.tiles import load_where
from ptxgen.kernels.cases import Case, Tolerance, Variant, normal
from ptxgen.kernels.plan import KernelPlan, ceil_div, using

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

__all__ = ["ELEMENTS", "KERNEL", "VARIANTS", "column_sums", "column_sums_of_two", "plan", "plan_all"]

E = TypeVar("E", bound=Float)

THREADS = 512
UNROLL = 8
ELEMENTS: tuple[type[Float], ...] = (f32, bf16, f16)


@kernel(max_threads=THREADS)
def column_sums(k: Builder, rows: u32, columns: u32, x: ptr[E], out: ptr[f32], *, element: type[E], parts: int) -> None:
    k.wait_for_dependencies()
    _sums(k, k.ctaid.x, rows, columns, x, out, element, parts)


KERNEL = column_sums


@kernel(max_threads=THREADS)
def column_sums_of_two(
    k: Builder, rows: u32, columns: u32, x: ptr[f32], out: ptr[f32], other: ptr[f32], other_out: ptr[f32], *, parts: int
) -> None:
    """As many CTAs again for the other array, of the same shape: what a norm's backward adds up takes one launch."""
    k.wait_for_dependencies()
    width = THREADS // parts
    tiles = (columns + (width - 1)) // width
    with k.if_else(k.ctaid.x < tiles) as (first, second):
        with first:
            _sums(k, k.ctaid.x, rows, columns, x, out, f32, parts)
        with second:
            _sums(k, k.ctaid.x - tiles, rows, columns, other, other_out, f32, parts)


def _sums(
    k: Builder, tile: u32, rows: u32, columns: u32, x: ptr[Any], out: ptr[f32], element: type[Any], parts: int
) -> None:
    width = THREADS // parts
    lane, part = k.tid.x % width, k.tid.x // width
    column = tile * width + lane
    total = k.var(f32, 0.0)
    with k.if_(column < columns):
        step = columns.to(u64) * parts
        for first in k.range(part, rows, parts * UNROLL):
            source = x.at(k.fma(first.to(u64), columns.to(u64), column.to(u64)))
            values = [k.var(element, 0.0) for _ in range(UNROLL)]
            for i, value in enumerate(values):
                load_where(k, first + i * parts < rows, source.at(step * i), 0, [value])
            total += fold(k, "sum", [value.to(f32) for value in values])
        if parts == 1:
            out[column] = total
    if parts == 1:
        return
    shared = k.shared(f32, (parts, width))
    shared[part, lane] = total
    k.barrier()
    with k.if_((part == 0) & (column < columns)):
        found = k.var(f32, 0.0)
        for each in k.range(0, parts, unroll=UNROLL):
            found += shared[each, lane]
        out[column] = found


def _parts(rows: int, columns: int) -> int:
    if rows <= 4 * UNROLL:
        return 1
    return 64 if rows > 32 * UNROLL and columns <= 4096 else 16


def plan(
    rows: int, columns: int, x: Any, out: Any, *, element: type[Float] = f32, parts: int | None = None
) -> KernelPlan:
    """out = the sums of x's columns."""
    parts = parts or _parts(rows, columns)
    launch = using(column_sums, element=element, parts=parts)
    grid = max(1, ceil_div(columns, THREADS // parts))
    return KernelPlan(launch, grid, THREADS, (rows, columns, x, out), programmatic=True)


def plan_all(rows: int, columns: int, pairs: Sequence[tuple[Any, Any]], *, parts: int | None = None) -> KernelPlan:
    """The same for one or two pairs (x, out) of f32."""
    if len(pairs) == 1:
        return plan(rows, columns, *pairs[0], parts=parts)
    parts = parts or _parts(rows, columns)
    arguments, grid = (rows, columns, *pairs[0], *pairs[1]), 2 * max(1, ceil_div(columns, THREADS // parts))
    return KernelPlan(using(column_sums_of_two, parts=parts), grid, THREADS, arguments, programmatic=True)


def _case(size: tuple[int, int], rng: np.random.Generator, *, element: type[Float], parts: int) -> Case:
    import numpy as np

    rows, columns = size
    x = normal(rng, size, element)
    wide = x.values.astype(np.float64)
    limit = abs(wide).sum(axis=0) * (rows / parts / UNROLL + 4 + parts) * 2.0**-24
    return Case(
        arrays={"x": x, "out": normal(rng, columns, f32)},
        plan=lambda on: plan(rows, columns, on["x"], on["out"], element=element, parts=parts),
        expected={"out": wide.sum(axis=0)},
        tolerance=Tolerance(limit, "a rounding an addition: a tree of eight rows, then the eights, then the parts"),
    )


def _case_of_two(size: tuple[int, int], rng: np.random.Generator, *, parts: int) -> Case:
    one, other = (_case(size, rng, element=f32, parts=parts) for _ in range(2))
    names = {"x": "other", "out": "other_out"}
    limit: Any = {"out": one.tolerance.limit, "other_out": other.tolerance.limit}
    return Case(
        arrays={**one.arrays, **{names[name]: host for name, host in other.arrays.items()}},
        plan=lambda on: plan_all(*size, ((on["x"], on["out"]), (on["other"], on["other_out"])), parts=parts),
        expected={"out": one.expected["out"], "other_out": other.expected["out"]},
        tolerance=one.tolerance._replace(limit=limit),
    )


_SIZES = ((0, 5), (1, 1), (17, 33), (100, 70))


def _variant(name: str, launch: Any, case: Any, **fixed: Any) -> Variant:
    return Variant("column_sums", name, using(launch, **fixed), partial(case, **fixed), _SIZES)


VARIANTS = (
    _variant("f32", column_sums, _case, element=f32, parts=16),
    _variant("bf16", column_sums, _case, element=bf16, parts=64),
    _variant("two.f32", column_sums_of_two, _case_of_two, parts=1),
)
