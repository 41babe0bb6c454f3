"""Columns by row numbers (ptxgen.kernels.arrays.gather)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder import SCALARS, u32
from ptxgen.kernels.arrays import gather as kernels
from ptxgen.ops.arguments import check_apart, check_array, check_bits, check_column, check_result, check_rows
from ptxgen.ops.borrowing import Launches

if TYPE_CHECKING:
    from ptxgen.host import Array
    from ptxgen.ops.calls import Call
    from ptxgen.ops.launches import Plans

__all__ = ["gather", "gathered"]


_launches = Launches()


def gather(rows: Any, column: Any, out: Any, *, limit: Any = None, fill: int | float = 0) -> None:
    """out[i] = column[rows[i]] for every row number; launches on the current stream, or on the arrays'.

    Elements have 1, 2, 4 or 8 bytes and are moved as their bits. The row number 2^32-1, which an outer join gives where there
    is no row, brings `fill`, a number of the column's type (bits: gather `column.view(u32)`). `limit`: a device array of one u32
    that says how many rows there are, at most as many as `rows` has. Row numbers are not checked.
    """
    _launches.run(_plans, (fill, str(fill)), rows, column, out, limit)  # the text tells 0.0 from -0.0, which is equal


def _plans(rows: Array, column: Array, out: Array, limit: Array | None, fill: int | float, text: str) -> Plans:
    n = check_rows("rows", rows, u32)
    check_column("column", column, device=rows.device)
    check_result("out", out, column, n)
    check_apart("out", out, "rows", rows)
    if limit is not None:
        check_array("limit", limit, u32, device=rows.device, least=1)
    return (kernels.plan(n, rows, column, out, limit=limit, fill=check_bits("fill", fill, column.type)),)


def gathered(call: Call, rows: Array, column: Array) -> Any:
    """A column's elements of these rows, as a new array of the library of a call's arrays."""
    made, ours = call.result(rows.size, SCALARS[column.type.name])
    gather(rows, column, ours)
    return made
