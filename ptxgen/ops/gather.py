"""Columns by row numbers (ptxgen.kernels.gather)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.build import u32
from ptxgen.errors import BuildError
from ptxgen.kernels import gather as kernels
from ptxgen.ops.arguments import check_array

if TYPE_CHECKING:
    from ptxgen.device import Array

__all__ = ["gather"]


def gather(rows: Array, column: Array, out: Array, *, limit: Array | None = None, fill: int = 0) -> None:
    """out[i] = column[rows[i]] for every row number; launches on the current stream.

    Elements have 1, 2, 4 or 8 bytes and are moved as their bits. The row number 2^32-1, which an outer join gives where there
    is no row, brings `fill` (bits). `limit`: a device array of one u32 that says how many rows there are, at most as many as
    `rows` has. Row numbers are not checked.
    """
    n = check_array("rows", rows, u32)
    for name, array in (("column", column), ("out", out)):
        if getattr(getattr(array, "type", None), "bytes", None) not in kernels.COLUMN:
            raise BuildError(f"{name} is {array!r}", hint="a device array of 1-, 2-, 4- or 8-byte elements")
    if out.type is not column.type:
        raise BuildError(f"out is an array of .{out.type.name}, the column one of .{column.type.name}")
    if out.size < n:
        raise BuildError(f"out has {out.size} elements, expected at least {n}")
    given: dict[str, Any] = {"limit": limit, "fill": fill}
    kernels.plan(n, rows, column, out, **given).launch()
