"""Sorting and shuffling in one call: of an array, and of the rows of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder import u32
from ptxgen.ops.arguments import MOST_ROWS, check_array, check_column, check_count, check_device, value_type
from ptxgen.ops.arrays.argsort import ArgSort, as_columns
from ptxgen.ops.arrays.gather import gathered
from ptxgen.ops.arrays.permutations import random_rows
from ptxgen.ops.arrays.sort import Sort
from ptxgen.ops.calls import Call, launched_before

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.host import Device

__all__ = ["argsort", "permutation", "sort"]


def sort(x: Any, out: Any = None, *, descending: bool = False) -> Any:
    """The elements of x in order, as `numpy.sort` gives them: x has one dimension, of integers of 8 to 64 bits, f16, f32 or f64,
    fewer than 2^30. Floating-point numbers follow IEEE 754's totalOrder: -0.0 stands before 0.0, NaN at the end of its sign.

    Returns `out`, by default a new array of x's library, which must not overlap x. BuildError for arrays that it cannot have.
    """
    key, again, (out,) = launched_before(("sort", descending), (x,), (out,))
    if again is not None:
        return out
    with Call(x=x, out=out) as call:
        keys = call["x"]
        element = value_type("x", keys)
        n = check_array("x", keys, element, device=call.device)
        made, target = (out, call["out"]) if out is not None else call.result(n, element)
        found = call.operation(
            Sort, n, element, descending, make=lambda most: Sort(call.device, element, most, descending=descending)
        )
        found(keys, target)
        call.remember(key, made)
        return made


def argsort(columns: Any, out: Any = None, *, descending: bool | Sequence[bool] = False) -> Any:
    """The numbers of the rows in order, as `numpy.argsort(x, kind="stable")` gives them: u32 (s32 in PyTorch).

    `columns` is an array, or several of equal length, whose rows are ordered as tuples are; `descending` is one for all, or one
    for each. The rest as of `sort`.
    """
    falling = tuple(map(bool, descending)) if isinstance(descending, (list, tuple)) else bool(descending)
    key, again, (out,) = launched_before(("argsort", falling), (columns,), (out,))
    if again is not None:
        return out
    with Call(columns=columns, out=out) as call:
        arrays = as_columns(call["columns"], call.device)
        n, types = arrays[0].size, tuple(column.type for column in arrays)
        made, target = (out, call.as_numbers("out")) if out is not None else call.numbers(n)
        order = call.operation(
            ArgSort, n, types, falling,
            make=lambda most: ArgSort(call.device, arrays, most=most, descending=falling),
        )  # fmt: skip
        order(arrays, target)
        call.remember(key, made)
        return made


def permutation(x: Any, seed: int, *, device: Device | None = None) -> Any:
    """The elements of x in random order, as numpy's `permutation`; of an integer, the numbers below it, as an array of u32 of a
    `device` of ours. The order follows from the seed, 64 bits, and the number of elements alone (see `random_rows`).

    x has one dimension, of elements of 1, 2, 4 or 8 bytes. BuildError for others.
    """
    if isinstance(x, int):
        numbers = check_device(device).empty(check_count("x", x, most=MOST_ROWS), u32)
        random_rows(numbers, seed=seed)
        return numbers
    with Call(x=x) as call:
        column = check_column("x", call["x"], device=call.device)
        rows = call.scratch(column.size)
        random_rows(rows, seed=seed)
        return gathered(call, rows, column)
