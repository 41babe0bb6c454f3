"""Rows of several columns, sorted, and the runs of equal ones: what dedup, group-by and sets are built from.

Columns are sorted from the last to the first, each time stably, so the order is that of tuples; equal rows keep theirs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.build import u8, u32
from ptxgen.errors import BuildError
from ptxgen.kernels import gather as gathering
from ptxgen.kernels import segments
from ptxgen.ops.arguments import check_columns, check_count, check_device, check_same_types, value_type
from ptxgen.ops.select import Select
from ptxgen.ops.sort import Sort

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.build.values import Value
    from ptxgen.device import Array, Device

__all__ = ["Runs", "as_columns"]


def as_columns(columns: Array | Sequence[Array], device: Device) -> list[Array]:
    """The columns of a table: one array or several of equal length, of types that have an order. BuildError for anything
    else."""
    given = check_columns("a table", columns, device=device)
    for number, column in enumerate(given):
        value_type(f"column {number} of a table", column)
    return given


class _ColumnSort:
    """The sort of one type of column: with the keys as the order so far has them, and where they go."""

    def __init__(self, device: Device, element: type[Value], most: int) -> None:
        self.keys, self.sorted = device.empty(most, element), device.empty(most, element)
        self.sort = Sort(device, element, most, pairs=True)

    def close(self) -> None:
        for each in (self.keys, self.sorted, self.sort):
            each.close()


class Runs:
    """`runs = Runs(device, columns, most)`, then `runs(columns)`: `order` has the row numbers in order of the rows, and
    `starts` the places in it where a new row begins, as many as `total` (one u32 on the device) says.

    `columns` give the types: integers of 8 to 64 bits, f16, f32 or f64. Floating-point numbers are ordered as IEEE 754's
    totalOrder has it, and are equal when their bits are. `most` rows a call, fewer than 2^30.
    """

    def __init__(self, device: Device, columns: Array | Sequence[Array], most: int | None = None) -> None:
        given = as_columns(columns, check_device(device))
        self.device = device
        self.most = given[0].size if most is None else check_count("most", most)
        self.types = tuple(column.type for column in given)
        kinds = [value_type("a column", column) for column in given]
        self._sorts = {kind.isa: _ColumnSort(device, kind, self.most) for kind in dict.fromkeys(kinds)}
        self._orders = [device.empty(self.most, u32) for _ in range(3)]
        gathering.count_up_plan(self.most, self._orders[2]).launch()
        self._flags = device.empty(self.most, u8)
        self._select = Select(device, u8, self.most)
        self.total = self._select.total
        self.starts = device.empty(self.most, u32)
        self.order = self._orders[len(given) % 2]
        self.rows = 0

    def __call__(self, columns: Array | Sequence[Array]) -> None:
        """Launch on the current stream."""
        given = as_columns(columns, self.device)
        check_same_types("a table", given, self.types)
        n = given[0].size
        if n > self.most:
            raise BuildError(f"{n} rows, this operation was made for at most {self.most}")
        self.rows = n
        self._sort(n, given)
        lead = self._sorts[given[0].type].sorted  # column 0 was sorted last, so its keys are there
        segments.mark_plan(n, self.order, lead, self._flags, first=True).launch()
        for column in given[1:]:
            segments.mark_plan(n, self.order, column, self._flags, first=False).launch()
        self._select(self._flags[:n], self.starts)

    def _sort(self, n: int, columns: list[Array]) -> None:
        order = self._orders[2]  # 0, 1, 2, ...: nobody writes it again
        for number, column in enumerate(reversed(columns)):
            by, moved = self._sorts[column.type], self._orders[(number + 1) % 2]
            keys: Any = column
            if number:
                keys = by.keys[:n]
                gathering.plan(n, order, column, keys).launch()
            by.sort(keys, by.sorted, order[:n], moved)
            order = moved

    def count(self) -> int:
        """How many different rows the last call found; waits for it."""
        return self._select.count()

    def close(self) -> None:
        """Free the scratch memory."""
        for sort in self._sorts.values():
            sort.close()
        for array in (*self._orders, self._flags, self.starts):
            array.close()
        self._select.close()
