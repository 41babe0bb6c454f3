"""Rows of several columns, sorted, and the runs of equal ones: what dedup, group-by and sets are built from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder import u8, u32
from ptxgen.errors import BuildError
from ptxgen.kernels.arrays import gather, segments
from ptxgen.ops.arguments import check_count, check_same_types, value_type
from ptxgen.ops.arrays.argsort import ArgSort, as_columns
from ptxgen.ops.arrays.select import Select
from ptxgen.ops.arrays.sort import Sort

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.host import Array, Device

__all__ = ["Runs"]


class Runs:
    """`runs = Runs(device, columns, most)`, then `runs(columns)`: `order` has the row numbers in order of the rows, and
    `starts` the places in it where a new row begins, as many as `total` (one u32 on the device) says; `marks` is 1 at those
    places of all.

    Columns and their order are as in `ArgSort`; rows are equal when their bits are. `most` rows a call, fewer than 2^30.
    `presorted`: equal rows are neighbours, and stay where they are. `total` may be given.
    """

    def __init__(
        self, device: Device, columns: Array | Sequence[Array], most: int | None = None, *, presorted: bool = False,
        total: Array | None = None,
    ) -> None:  # fmt: skip
        arrays = as_columns(columns, device)
        self.device, self.presorted = device, presorted
        self.most = arrays[0].size if most is None else check_count("most", most)
        self._types = tuple(each.type for each in arrays)
        self._argsort = None if presorted or len(arrays) == 1 else ArgSort(device, arrays, most=self.most)
        self._sort: Sort | None = None
        if len(arrays) == 1 and not presorted:
            element = value_type("a column", arrays[0])
            self._sort = Sort(device, element, self.most, pairs=True)
            self._lead = device.empty(self.most, element)
        self.numbers: Array | None = None
        """0, 1, 2, ...; of several columns, the sort has its own."""
        if self._argsort is None:
            self.numbers = device.empty(self.most, u32)
            gather.count_up_plan(self.most, self.numbers).launch()
        self._order, self.starts = (device.empty(self.most, u32) for _ in range(2))
        self.order = self._order if self.numbers is None or not presorted else self.numbers
        self.marks = device.empty(self.most, u8)
        self._select = Select(device, u8, self.most, total=total)
        self.total = self._select.total
        self.rows = 0

    def sorted(self, column: Array, payload: Array, moved: Array) -> Array:
        """The one column, sorted, with a payload of 4 bytes a row; where it is sorted already, the column as it is."""
        if self._sort is None:
            return column
        if column.size > self.most:
            raise BuildError(f"{column.size} rows, this operation was made for at most {self.most}")
        self._sort(column, self._lead, payload, moved)
        return self._lead[: column.size]

    def __call__(self, columns: Array | Sequence[Array]) -> None:
        """Launch on the current stream."""
        first, *others = arrays = as_columns(columns, self.device)
        check_same_types("a table", arrays, self._types)
        n = self.rows = first.size
        if n > self.most:
            raise BuildError(f"{n} rows, this operation was made for at most {self.most}")
        lead = first
        if self._argsort is not None:
            self._argsort(arrays, self.order)
            lead = self._argsort.lead
        elif self._sort is not None:
            assert self.numbers is not None
            lead = self.sorted(first, self.numbers[:n], self.order)
        segments.mark_plan(n, self.order, lead, self.marks, first=True).launch()
        for column in others:
            segments.mark_plan(n, self.order, column, self.marks, first=False).launch()
        self._select(self.marks[:n], self.starts)

    def count(self) -> int:
        """How many different rows the last call found; waits for it."""
        return self._select.count()

    def close(self) -> None:
        """Free the scratch memory."""
        owned: list[Any] = [self._order, self.starts, self.marks, self._select, self._argsort, self._sort, self.numbers]
        if self._sort is not None:
            owned.append(self._lead)
        for each in owned:
            if each is not None:
                each.close()
