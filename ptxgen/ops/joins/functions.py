"""Joins and memberships in one call: rows of two tables with equal keys, one column or several, equal when their bits are."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from ptxgen.builder import u8, u32
from ptxgen.errors import BuildError
from ptxgen.ops.arguments import check_columns, check_same_types
from ptxgen.ops.arrays.filter import invert as inverted
from ptxgen.ops.calls import Call, launched_before, read_again
from ptxgen.ops.joins.join import HashTable, Join, SemiJoin
from ptxgen.ops.joins.pairs import MOST_PAIRS
from ptxgen.ops.results import Results, as_mask

if TYPE_CHECKING:
    from ptxgen.host import Array

__all__ = ["isin", "join"]

HOW = ("inner", "left", "right", "full", "semi", "anti")
_ROOM = 4
"""Pairs a row for which memory is kept from call to call."""


def join(left: Any, right: Any, *, how: str = "inner") -> Any:
    """(rows of the left side, rows of the right side) of all pairs with equal keys, u32 (s32 in PyTorch), in order of the left
    rows; those of one left row in any order. It waits for their number.

    `how`: "inner"; "left" keeps left rows without a match, with 2^32 - 1 (-1 in PyTorch) on the right; "right" is that with the
    sides exchanged, in order of the right rows; "full" is "left", and behind it the right rows without a match; "semi" gives the
    left rows alone that have a match, and "anti" those that have none. A side is an array or several, of 1, 2, 4 or 8 bytes an
    element; both may be the same. BuildError for arrays that it cannot have; JoinOverflowError for 2^32 pairs and more.
    """
    if how not in HOW:
        raise BuildError(f"no join {how!r}", hint=", ".join(HOW))
    if how == "right":
        return join(right, left, how="left")[::-1]
    if how == "full":
        return _full(left, right)
    key, again, _ = launched_before(("join", how), (left, right))
    if again is not None:
        rows = read_again(again, left[0] if isinstance(left, (list, tuple)) else left)
        if rows is not None:
            return rows
    with Call(left=left, right=right) as call:
        call.waits("join")
        probe, table = _sides(call, "left", "right")
        options = tuple(column.type for column in probe)
        if how in ("semi", "anti"):
            found = call.operation(
                SemiJoin, probe[0].size, options, how,
                make=lambda most: SemiJoin(table, probe, most=most, anti=how == "anti"),
            )  # fmt: skip
            found.table = table
            found(probe)
            call.remember(key, read=lambda results: results.copied_numbers(found.rows()))
            return call.copied_numbers(found.rows())
        found = call.operation(
            Join, probe[0].size, options, how,
            make=lambda most: Join(
                table, probe, min(most, MOST_PAIRS), most=most, outer=how == "left", host_total=True
            ),
        )  # fmt: skip
        found.table = table
        found(probe)
        pairs = found.pairs(grow=True)
        found.let_go()
        if found.capacity > _ROOM * found.keys.most:
            call.discard(found)
        else:
            call.remember(key, read=partial(_read_pairs, found))
        return call.copied_numbers(pairs.left), call.copied_numbers(pairs.right)


def _full(left: Any, right: Any) -> tuple[Any, Any]:
    """The pairs of "left", and behind them the right rows that have none."""
    pairs, alone = join(left, right, how="left"), join(right, left, how="anti")
    with Call(left=pairs[0], right=pairs[1], alone=alone) as call:
        found, others = call["left"].size, call["alone"].size
        sides = []
        for side, more in (("left", None), ("right", call["alone"])):
            made, ours = call.numbers(found + others)
            ours[:found].copy_from(call[side].view(u32))
            if more is None:
                ours[found:].view(u8).fill(0xFF)  # NO_ROW
            else:
                ours[found:].copy_from(more.view(u32))
            sides.append(made)
        return sides[0], sides[1]


def _read_pairs(join: Join, results: Results) -> Any:
    """The pairs of a join that was launched again; None where there was no room for all."""
    pairs = join.pairs()
    if pairs.overflowed:
        return None
    return results.copied_numbers(pairs.left), results.copied_numbers(pairs.right)


def isin(x: Any, values: Any, *, invert: bool = False) -> Any:
    """A mask: which elements of x, or rows of its columns, are among the `values`, as `numpy.isin`; with `invert` which are not.
    bool in PyTorch and CuPy, u8 in arrays of ours. BuildError for arrays that it cannot have."""
    key, again, (made,) = launched_before(("isin", invert), (x, values), (None,))
    if again is not None:
        return as_mask(made)
    with Call(x=x, values=values) as call:
        probe, table = _sides(call, "x", "values")
        options = tuple(column.type for column in probe)
        found = call.operation(SemiJoin, probe[0].size, options, make=lambda most: SemiJoin(table, probe, most=most))
        found.table = table
        made, marks = call.result(probe[0].size, u8)
        found.mark(probe, marks)
        if invert:
            inverted(marks, marks)
        call.remember(key, made)
        return as_mask(made)


def _sides(call: Call, probe: str, build: str) -> tuple[list[Array], HashTable]:
    """(the probe side's columns, the table of the build side)."""
    asked, columns = (check_columns(f"the {name} side", call[name], device=call.device) for name in (probe, build))
    types = tuple(column.type for column in columns)
    check_same_types(f"the {probe} side", asked, types)
    table = call.operation(
        HashTable, columns[0].size, types, make=lambda most: HashTable(call.device, columns, most=most)
    )  # fmt: skip
    table.build(columns)
    return asked, table
