"""The values of expressions as columns, in one launch: rows as they lie, or read through row numbers.

Shapes: columns[c][n] -> outputs[o][n]; conditions are u8, 0 or 1. Rows that are none, because they are not `valid` or behind what
the device counted, give a `fill` for each output, so that whoever reads on knows them.

Floor: every column is read and every output written once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from ptxgen.builder import Builder, kernel, pred, ptr, u8, u32, u64
from ptxgen.builder.values import Value
from ptxgen.kernels.plan import KernelPlan, grid_for, using
from ptxgen.kernels.queries.expressions import Expression, code_of
from ptxgen.kernels.queries.reading import Source, Tiling, each_row

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["KERNEL", "SPREAD", "plan", "project", "stored"]

T = TypeVar("T", bound=Value)

THREADS = 256
CTAS = 132 * 8
"""Eight CTAs of 256 threads fill an H200's 132 SMs. On other devices a matter of speed alone."""


SPREAD = 1 << 40
"""Of rows that are none, fills from here on have the row's number added to them: keys that no other row has."""


def stored(kind: type[Value]) -> type[Value]:
    """The type of a column of such values: conditions are u8, 0 or 1."""
    return u8 if kind is pred else kind


@kernel(max_threads=THREADS)
def project(
    k: Builder, n: u64, limit: ptr[u32], *pointers: T, types: tuple[type[T], ...], sources: tuple[Source, ...],
    expressions: tuple[Expression, ...], valid: Expression | None, fills: tuple[int, ...], tiling: Tiling, counted: bool,
) -> None:  # fmt: skip
    """`pointers`: the columns, then the outputs."""
    columns: Sequence[Any] = pointers[: len(sources)]
    outputs: Sequence[Any] = pointers[len(sources) :]
    count = limit[0].to(u64) if counted else None
    for rows, _ in each_row(k, n, columns, sources, tiling, THREADS):
        for row, found in rows:
            there, *values = code_of(k, [valid, *expressions], found)
            if count is not None:
                there = row < count if there is None else there & (row < count)
            for out, value, fill in zip(outputs, values, fills):
                number = k.select(value, k.const(u32, 1), 0) if value.isa.kind == "p" else value
                chosen = number
                if there is not None:
                    nothing = k.const(type(number), fill)
                    chosen = k.select(there, number, nothing + row.to(type(number)) if fill >= SPREAD else nothing)
                out[row] = chosen if chosen.isa is out.element.isa else chosen.to(out.element)


KERNEL = project


def plan(
    n: int, limit: Any, columns: Sequence[Any], outputs: Sequence[Any],
    *, sources: tuple[Source, ...], expressions: tuple[Expression, ...], kinds: tuple[type[Value], ...], tiling: Tiling,
    valid: Expression | None = None, fills: tuple[int, ...] | None = None, counted: bool = False,
) -> KernelPlan:  # fmt: skip
    """outputs = expressions of the first n rows of the columns, as numbers of these `kinds`; of rows that are not `valid`, or
    behind limit[0] where they are `counted`, the fills."""
    types = tuple([ptr.__class_getitem__(kind) for kind in (*(source.type for source in sources), *kinds)])
    launch = using(
        project, types=types, sources=sources, expressions=expressions, valid=valid, fills=fills or (0,) * len(kinds),
        tiling=tiling, counted=counted,
    )  # fmt: skip
    grid = grid_for(n, THREADS * tiling.rows, CTAS)
    return KernelPlan(launch, grid, THREADS, (n, limit, *columns, *outputs))
