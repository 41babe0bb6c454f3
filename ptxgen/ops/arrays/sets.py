"""Union, intersection and difference of two sets of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder import u8, u32
from ptxgen.errors import BuildError
from ptxgen.kernels.arrays import gather as gathering
from ptxgen.kernels.arrays import segments
from ptxgen.kernels.arrays.group_merge import Output
from ptxgen.ops.arguments import check_count, check_device, check_same_types
from ptxgen.ops.arrays.argsort import as_columns
from ptxgen.ops.arrays.dedup import SortedValues
from ptxgen.ops.arrays.equality import Equality
from ptxgen.ops.arrays.hash_groups import HashGroups, ManyGroups
from ptxgen.ops.arrays.runs import Runs
from ptxgen.ops.arrays.select import Select
from ptxgen.ops.borrowing import Launches, takes_any_array
from ptxgen.ops.launches import Copy
from ptxgen.ops.scratch import read_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.host import Array, Device
    from ptxgen.ops.arrays.equality import Equal
    from ptxgen.ops.launches import Plans

__all__ = ["RowSets"]


class RowSets:
    """`sets = RowSets(device, columns, most)`, then `sets.union(left, right)`, `intersection` or `difference` (left without
    right), and `sets.rows()`: the columns of the result, sorted, no row twice.

    `columns` give the types, as in `Dedup`, and `equal` and `ordered=False`, with which the result comes in any order, mean what
    they mean there. The sides may have repeated rows, and together at most `most`. A call only launches; the result lies in
    `out`, a column each, and its size in `total`, one u32 on the device.
    """

    @takes_any_array
    def __init__(
        self, device: Device, columns: Array | Sequence[Array], most: int, *, ordered: bool = True, equal: Equal = "bits"
    ) -> None:  # fmt: skip
        arrays = as_columns(columns, check_device(device))
        most = check_count("most", most)
        self.device, self.most = device, most
        self._both = [device.empty(most, column.type) for column in arrays]
        self.out = [device.empty(most, column.type) for column in arrays]
        self._equality = Equality(device, self._both, most, equal)
        self._way: _Sorted | _Hashed
        self._many = ManyGroups(device, most, lambda _: _Sorted(device, self._both, self.total))
        self._way = _Sorted(device, self._both) if ordered else _Hashed(device, self._both)
        self.total: Array = self._way.total
        self.launches = Launches(device)

    def union(self, left: Any, right: Any) -> None:
        """Rows of either side; launches on the current stream, or on the arrays'."""
        self._find("union", left, right)

    def intersection(self, left: Any, right: Any) -> None:
        """Rows of both sides."""
        self._find("intersection", left, right)

    def difference(self, left: Any, right: Any) -> None:
        """Rows of the left side that the right one does not have."""
        self._find("difference", left, right)

    def _find(self, kind: str, left: Any, right: Any) -> None:
        self.launches.run(self.plans, (kind, isinstance(self._way, _Hashed) and self._many.expected), left, right)

    def plans(
        self, left: Array | Sequence[Array], right: Array | Sequence[Array], kind: str, many: bool | None
    ) -> Plans:
        """The launches; `many` different rows are expected, None where that is not known."""
        sides = as_columns(left, self.device), as_columns(right, self.device)
        types = tuple(column.type for column in self._both)
        for side, columns in zip(("left", "right"), sides):
            check_same_types(f"the {side} side", columns, types)
        split, more = (columns[0].size for columns in sides)
        n = split + more
        if n > self.most:
            raise BuildError(f"{split} and {more} rows, this operation was made for at most {self.most}")
        columns, copies = self._equality.plans([both[:n] for both in self._both])
        joined = [
            Copy(both[begin:end], column)
            for both, *pair in zip(self._both, *sides)
            for column, begin, end in zip(pair, (0, split), (split, n))
        ]
        ahead = [*joined, *copies]

        def found_by(way: _Sorted | _Hashed) -> Plans:
            return way.plans(kind, columns, split, self.out)

        def by_sort(way: _Sorted) -> Plans:
            """From where the sides lie, if the sort takes two."""
            united = way.united(*sides, self.out) if kind == "union" and not copies else None
            return [*ahead, *found_by(way)] if united is None else united

        if isinstance(self._way, _Sorted):
            return by_sort(self._way)
        if many is None:
            return [*ahead, *self._many.plans(columns, many, lambda: found_by(self._way), found_by)]
        return self._many.plans(columns, many, lambda: [*ahead, *found_by(self._way)], by_sort)

    def rows(self) -> list[Array]:
        """The columns that the last call found; waits for it."""
        count = self._many.found = read_number(self.total)
        return [column[:count] for column in self.out]

    def close(self) -> None:
        """Free the scratch memory and the result."""
        self.launches.close()
        for each in (*self._both, *self.out, self._equality, self._way, self._many):
            each.close()

    def __enter__(self) -> RowSets:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Sorted:
    """The rows of both sides are sorted; the first and the last of equal ones tell which sides they are from. For a union of
    one column that need not be known: its elements are sorted alone."""

    def __init__(self, device: Device, columns: list[Array], total: Array | None = None) -> None:
        self._runs = Runs(device, columns)
        most = self._runs.most
        self._flags = device.empty(most, u8)
        self._select = Select(device, u8, most, total=total)
        self.total = self._select.total
        self._rows = [device.empty(most, u32) for _ in range(2)]
        self._values = SortedValues(device, columns[0], most, total=self.total) if len(columns) == 1 else None

    def united(self, left: list[Array], right: list[Array], outs: list[Array]) -> Plans | None:
        """The union of two columns that need not lie one behind the other; None where they must."""
        return None if self._values is None else self._values.joined_plans(left[0], right[0], outs[0])

    def plans(self, kind: str, columns: list[Array], split: int, outs: list[Array]) -> Plans:
        if kind == "union" and self._values is not None:
            return self._values.plans(columns, outs[0])
        runs, n = self._runs, columns[0].size
        chosen, rows = (each[:n] for each in self._rows)
        return [
            *runs.plans(columns),
            segments.choose_plan(n, runs.total, runs.starts, runs.order, split, self._flags, kind=kind),
            *self._select.plans(self._flags[:n], chosen, None, 0),
            gathering.plan(n, chosen, runs.starts, rows, limit=self.total),
            gathering.plan(n, rows, runs.order, chosen, limit=self.total),
            *(gathering.plan(n, chosen, column, out, limit=self.total) for column, out in zip(columns, outs)),
        ]

    def close(self) -> None:
        self._runs.close()
        self._select.close()
        if self._values is not None:
            self._values.close()
        for each in (self._flags, *self._rows):
            each.close()


_SIDES = {"union": "", "intersection": "both", "difference": "left"}


class _Hashed:
    """The rows of both sides are one table, and the sides of each group are kept."""

    def __init__(self, device: Device, columns: list[Array]) -> None:
        self._groups = HashGroups(device, columns)
        self.total = self._groups.total
        self._rows = device.empty(self._groups.most if len(columns) > 1 else 0, u32)

    def plans(self, kind: str, columns: list[Array], split: int, outs: list[Array]) -> Plans:
        groups, side = self._groups, _SIDES[kind]
        if len(columns) == 1:
            key = Output("key", groups.element)
            return groups.plans(columns, outputs=(key,), outs=(outs[0].view(key.element),), side=side, split=split)
        found = groups.plans(columns, outputs=(Output("row", u32),), outs=(self._rows,), side=side, split=split)
        n = columns[0].size
        gathers = [gathering.plan(n, self._rows, column, out, limit=self.total) for column, out in zip(columns, outs)]
        return [*found, *gathers]

    def close(self) -> None:
        for each in (self._groups, self._rows):
            each.close()
