"""Distinct rows, groups and sets in one call. Rows are columns, one array or several; two are equal when their bits are."""

from __future__ import annotations

from typing import Any

from ptxgen.ops.arrays.argsort import as_columns
from ptxgen.ops.arrays.dedup import Dedup
from ptxgen.ops.arrays.gather import gather, gathered
from ptxgen.ops.arrays.groupby import GroupBy
from ptxgen.ops.arrays.sets import RowSets
from ptxgen.ops.calls import Call

__all__ = ["difference", "intersection", "union", "unique"]


def unique(
    columns: Any, *, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False
) -> Any:
    """The different elements in order, as `numpy.unique`; of several columns the different rows, as a list of columns.

    A tuple where more is asked for: then `return_index`, the first row of each; `return_inverse`, of each row the number of its
    element; `return_counts`, how many rows it has; u32 (s32 in PyTorch). Elements are equal when their bits are, and their order
    is that of `sort`: -0.0 and 0.0 are two. It waits for their number. BuildError for arrays that it cannot have.
    """
    with Call(columns=columns) as call:
        call.waits("unique")
        arrays = as_columns(call["columns"], call.device)
        n, types = arrays[0].size, tuple(column.type for column in arrays)
        if not (return_inverse or return_counts):
            dedup = call.operation(Dedup, n, types, make=lambda most: Dedup(call.device, arrays, most=most))
            dedup(arrays)
            rows = dedup.rows()
            extras = [call.copied_numbers(rows)] if return_index else []
            return _results(columns, [gathered(call, rows, column) for column in arrays], extras)
        by = call.operation(GroupBy, n, types, make=lambda most: GroupBy(call.device, arrays, most=most))
        by(arrays)
        count = by.count()
        rows = call.scratch(count)
        gather(by.starts[:count], by.order, rows)
        extras = [call.copied_numbers(rows)] if return_index else []
        if return_inverse:
            made, ours = call.numbers(n)
            by.ids(ours)
            extras.append(made)
        if return_counts:
            sizes = call.scratch(n)
            by.sizes(sizes)
            extras.append(call.copied_numbers(sizes[:count]))
        return _results(columns, [gathered(call, rows, column) for column in arrays], extras)


def union(left: Any, right: Any) -> Any:
    """The rows of either side, sorted, none twice, as `numpy.union1d`: an array, or a list of columns. See `unique`."""
    return _set("union", left, right)


def intersection(left: Any, right: Any) -> Any:
    """The rows of both sides, as `numpy.intersect1d`."""
    return _set("intersection", left, right)


def difference(left: Any, right: Any) -> Any:
    """The rows of the left side that the right one does not have, as `numpy.setdiff1d`."""
    return _set("difference", left, right)


def _set(kind: str, left: Any, right: Any) -> Any:
    with Call(left=left, right=right) as call:
        call.waits(kind)
        sides = [as_columns(call[side], call.device) for side in ("left", "right")]
        types = tuple(column.type for column in sides[0])
        n = sides[0][0].size + sides[1][0].size
        sets = call.operation(RowSets, n, types, make=lambda most: RowSets(call.device, sides[0], most))
        getattr(sets, kind)(*sides)
        return _results(left, [call.copied(column) for column in sets.rows()], [])


def _results(given: Any, found: list[Any], extras: list[Any]) -> Any:
    """Columns as they were given, one array or a list, with what else was asked for behind them."""
    columns = found if isinstance(given, (list, tuple)) else found[0]
    return (columns, *extras) if extras else columns
