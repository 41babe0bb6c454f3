"""Rows of several columns, sorted, and the runs of equal ones: what dedup, group-by and sets are built from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder import u8, u32, u64
from ptxgen.errors import BuildError
from ptxgen.kernels.arrays import gather, segments
from ptxgen.ops.arguments import check_count, check_same_types, value_type
from ptxgen.ops.arrays.argsort import ArgSort, as_columns
from ptxgen.ops.arrays.select import Select
from ptxgen.ops.arrays.sort import Sort

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.host import Array, Device
    from ptxgen.ops.launches import Plan, Plans

__all__ = ["Runs"]


class Runs:
    """`runs = Runs(device, columns, most)`, then what `runs.plans(columns)` launches: `order` has the row numbers in order of
    the rows, and `starts` the places in it where a new row begins, as many as `total` (one u32 on the device) says; `marks` is 1
    at those places of all.

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
        self._wide: Sort | None = None
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

    def check(self, columns: Array | Sequence[Array]) -> list[Array]:
        """The columns of a call. BuildError for others than the object was made for."""
        arrays = as_columns(columns, self.device)
        check_same_types("a table", arrays, self._types)
        if arrays[0].size > self.most:
            raise BuildError(f"{arrays[0].size} rows, this operation was made for at most {self.most}")
        return arrays

    def sorted(self, column: Array, payload: Array, moved: Array) -> tuple[Array, Plans]:
        """(the one column, sorted, with a payload of 4 bytes a row; the launches); where it is sorted already, as it is."""
        if self._sort is None:
            return column, ()
        return self._lead[: column.size], self._sort.plans(column, self._lead, payload, moved)

    def sorted_wide(self, column: Array, payload: Array) -> tuple[Array, Array, Plans]:
        """The same with a payload of 8 bytes a row, and where that is moved to; the first call makes the memory."""
        if self._sort is None:
            return column, payload, ()
        if self._wide is None:
            self._wide = Sort(self.device, self._sort.element, self.most, pairs=True, payload=u64)
            self._moved = self.device.empty(self.most, u64)
        return self._lead[: column.size], self._moved, self._wide.plans(column, self._lead, payload, self._moved)

    def plans(self, columns: Array | Sequence[Array]) -> list[Plan]:
        """The launches."""
        first, *others = arrays = self.check(columns)
        n, lead = first.size, first
        plans: list[Plan] = []
        if self._argsort is not None:
            plans += self._argsort.plans(arrays, self.order)
            lead = self._argsort.lead
        elif self._sort is not None:
            assert self.numbers is not None
            lead, sorting = self.sorted(first, self.numbers[:n], self.order)
            plans += sorting
        plans.append(segments.mark_plan(n, self.order, lead, self.marks, first=True))
        plans += [segments.mark_plan(n, self.order, column, self.marks, first=False) for column in others]
        return [*plans, *self._select.plans(self.marks[:n], self.starts, None, 0)]

    def count(self) -> int:
        """How many different rows the last call found; waits for it."""
        return self._select.count()

    def close(self) -> None:
        """Free the scratch memory."""
        owned: list[Any] = [self._order, self.starts, self.marks, self._select, self._argsort, self._sort, self.numbers]
        if self._sort is not None:
            owned.append(self._lead)
        if self._wide is not None:
            owned += [self._wide, self._moved]
        for each in owned:
            if each is not None:
                each.close()
