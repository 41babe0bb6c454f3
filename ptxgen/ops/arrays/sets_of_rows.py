"""Distinct rows, groups and sets in one call. Rows are columns, one array or several; two are equal when their bits are."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from ptxgen.builder import SCALARS
from ptxgen.ops.arrays.argsort import as_columns
from ptxgen.ops.arrays.dedup import Dedup
from ptxgen.ops.arrays.gather import gathered
from ptxgen.ops.arrays.groupby import GroupBy
from ptxgen.ops.arrays.sets import RowSets
from ptxgen.ops.calls import Call, launched_before, read_again, sized_again
from ptxgen.ops.results import Results

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ptxgen.ops.arrays.equality import Equal

__all__ = ["difference", "intersection", "union", "unique"]


def unique(
    columns: Any, *, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False,
    sorted: bool = True, equal: Equal = "bits",
) -> Any:  # fmt: skip
    """The different elements in order, as `numpy.unique`; of several columns the different rows, as a list of columns.

    A tuple where more is asked for: then `return_index`, the first row of each; `return_inverse`, of each row the number of its
    element; `return_counts`, how many rows it has; u32 (s32 in PyTorch). Elements are equal when their bits are, or with
    `equal="numbers"` as numpy has it: 0.0 is -0.0, and a NaN any other. Their order is that of `sort`; with `sorted=False` any,
    which takes no sort where neither inverse nor counts are asked for. It waits for their number. BuildError for arrays that it
    cannot have.
    """
    alone = not isinstance(columns, (list, tuple))
    wanted = (return_index, return_inverse, return_counts)
    if return_inverse or return_counts:
        return _grouped(columns, wanted, equal, alone)
    values = alone and not return_index
    key: Any = None
    if values:
        key, again, found = launched_before(("unique", sorted, equal), (columns,), (None,))
        if again is not None:
            return sized_again(again, columns, found[0])
    with Call(columns=columns) as call:
        call.waits("unique")
        arrays = as_columns(call["columns"], call.device)
        types = tuple(column.type for column in arrays)
        dedup = call.operation(
            Dedup, arrays[0].size, types, sorted, equal, values,
            make=lambda most: Dedup(
                call.device, arrays, most=most, ordered=sorted, equal=equal, values=values, host_total=values
            ),
        )  # fmt: skip
        if values:
            made, ours = call.result(arrays[0].size, SCALARS[arrays[0].type.name])
            dedup(arrays, ours)
            return call.sized(key, made, dedup.count)
        dedup(arrays)
        rows = dedup.rows()
        extras = [call.copied_numbers(rows)] if return_index else []
        return _results([gathered(call, rows, column) for column in arrays], extras, alone)


def _grouped(columns: Any, wanted: tuple[bool, bool, bool], equal: Equal, alone: bool) -> Any:
    """`unique` where its rows are asked for: `wanted` are index, inverse and counts. All is launched before the number of rows is
    waited for, into results with room for every row."""
    width = 1 if alone else len(columns)
    key, again, made = launched_before(("groups", wanted, equal), (columns,), (None,) * (width + sum(wanted)))
    if again is not None:
        return read_again(again, columns if alone else columns[0])(made)
    with Call(columns=columns) as call:
        call.waits("unique")
        arrays = as_columns(call["columns"], call.device)
        n, types = arrays[0].size, tuple(column.type for column in arrays)
        by = call.operation(
            GroupBy, n, types, equal, make=lambda most: GroupBy(call.device, arrays, most=most, equal=equal)
        )
        by(arrays)
        results: list[Any] = []
        for column in arrays:
            made, ours = call.result(n, SCALARS[column.type.name])
            by.first(column, ours)
            results.append(made)
        for asked, fill in zip(wanted, (by.firsts, by.ids, by.sizes)):
            if asked:
                made, ours = call.numbers(n)
                fill(ours)
                results.append(made)

        def read(found: Results) -> Callable[[Sequence[Any]], Any]:
            return partial(_cut, found, by.count(), wanted, alone)

        call.remember(key, *results, read=read)
        return read(call)(results)


def _cut(results: Results, count: int, wanted: tuple[bool, bool, bool], alone: bool, made: Sequence[Any]) -> Any:
    """What `_grouped` has made, of which all but the inverse has an element for each of `count` rows."""
    width = len(made) - sum(wanted)
    inverse = width + wanted[0] if wanted[1] else -1
    cut = [each if place == inverse else results.cut(each, count) for place, each in enumerate(made)]
    return _results(cut[:width], cut[width:], alone)


def union(left: Any, right: Any, *, sorted: bool = True, equal: Equal = "bits") -> Any:
    """The rows of either side, sorted, none twice, as `numpy.union1d`: an array, or a list of columns. See `unique`."""
    return _set("union", left, right, sorted, equal)


def intersection(left: Any, right: Any, *, sorted: bool = True, equal: Equal = "bits") -> Any:
    """The rows of both sides, as `numpy.intersect1d`."""
    return _set("intersection", left, right, sorted, equal)


def difference(left: Any, right: Any, *, sorted: bool = True, equal: Equal = "bits") -> Any:
    """The rows of the left side that the right one does not have, as `numpy.setdiff1d`."""
    return _set("difference", left, right, sorted, equal)


def _set(kind: str, left: Any, right: Any, ordered: bool, equal: Equal) -> Any:
    alone = not isinstance(left, (list, tuple))
    key, again, _ = launched_before((kind, ordered, equal, alone), (left, right))
    if again is not None:
        return read_again(again, left if alone else left[0])
    with Call(left=left, right=right) as call:
        call.waits(kind)
        sides = [as_columns(call[side], call.device) for side in ("left", "right")]
        types = tuple(column.type for column in sides[0])
        n = sides[0][0].size + sides[1][0].size
        sets = call.operation(
            RowSets, n, types, ordered, equal,
            make=lambda most: RowSets(call.device, sides[0], most, ordered=ordered, equal=equal),
        )  # fmt: skip
        getattr(sets, kind)(*sides)

        def read(results: Results) -> Any:
            return _results([results.copied(column) for column in sets.rows()], [], alone)

        call.remember(key, read=read)
        return read(call)


def _results(found: list[Any], extras: list[Any], alone: bool) -> Any:
    """One array, or a list of columns, with what else was asked for behind."""
    columns = found[0] if alone else found
    return (columns, *extras) if extras else columns
