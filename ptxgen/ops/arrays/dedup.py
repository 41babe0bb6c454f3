"""The different rows of a table, or the different elements of a column."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder import SCALARS, u32
from ptxgen.errors import BuildError
from ptxgen.kernels.arrays import gather as gathering
from ptxgen.kernels.arrays.group_merge import Output
from ptxgen.ops.arguments import check_all_apart, check_array, check_device, value_type
from ptxgen.ops.arrays.argsort import as_columns
from ptxgen.ops.arrays.equality import Equality
from ptxgen.ops.arrays.hash_groups import HashGroups, ManyGroups
from ptxgen.ops.arrays.runs import Runs
from ptxgen.ops.arrays.select import Select
from ptxgen.ops.arrays.sort import Sort
from ptxgen.ops.borrowing import Launches, takes_any_array

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.host import Array, Device
    from ptxgen.ops.arrays.equality import Equal
    from ptxgen.ops.launches import Plans

__all__ = ["Dedup", "SortedValues"]


class Dedup:
    """`Dedup(device, columns)(columns)`: `out` has the number of the first of all rows that are equal, in order of the rows.

    A row has one column or several, of integers of 8 to 64 bits, f16, f32 or f64; rows are equal when their bits are, or with
    `equal="numbers"` when their numbers are: 0.0 is -0.0, and a NaN any other. `ordered=False`: the rows come in any order,
    another in each call, by hashing, or by sorting where many are different: the host has read of that (`rows()`), or the
    device finds out. With `values`, `out` has the different elements of the one column instead of row numbers; of sorted ones,
    `host_total` is as of `Select`.

    A call only launches; `total` is a device array of one u32, and `rows()` waits and cuts `out` to size. `most` rows a call, by
    default as many as `columns` have.
    """

    @takes_any_array
    def __init__(
        self, device: Device, columns: Array | Sequence[Array], *, most: int | None = None, ordered: bool = True,
        equal: Equal = "bits", values: bool = False, host_total: bool = False,
    ) -> None:  # fmt: skip
        arrays = as_columns(columns, check_device(device))
        if values and len(arrays) > 1:
            raise BuildError(f"the values of {len(arrays)} columns", hint="values=False, which gives row numbers")
        self._equality = Equality(device, arrays, most, equal)
        self.device = device
        self._way: _Hashed | SortedValues | _SortedRows
        self._many: ManyGroups[SortedValues | _SortedRows] | None = None
        if ordered:
            self._way = _sorting(device, arrays, most, values=values, host_total=host_total)
        else:
            self._way = _Hashed(device, arrays, most, values=values)
            self._many = ManyGroups(
                device, self._way.most,
                lambda columns: _sorting(device, columns, self.most, values=values, total=self.total),
            )  # fmt: skip
        self.most, self.total = self._way.most, self._way.total
        self.out = device.empty(self.most, arrays[0].type if values else u32)
        self.launches = Launches(device)

    def __call__(self, columns: Any, out: Any = None) -> None:
        """Launch on the current stream, or on the arrays'. `out`, with room for every row, takes the result in place of that of
        the object."""
        self.launches.run(self.plans, (self._many is not None and self._many.expected,), columns, out)

    def plans(self, columns: Array | Sequence[Array], out: Array | None, many: bool | None) -> Plans:
        """The launches; `many` different rows are expected, None where that is not known."""
        arrays, copies = self._equality.plans(columns)
        if out is not None:
            check_array("out", out, SCALARS[self.out.type.name], device=self.device, least=arrays[0].size)
            check_all_apart({"out": out}, {f"column {number}": column for number, column in enumerate(arrays)})
        target = self.out if out is None else out
        if self._many is None:
            return [*copies, *self._way.plans(arrays, target)]
        found = self._many.plans(
            arrays, many, lambda: self._way.plans(arrays, target), lambda way: way.plans(arrays, target)
        )
        return [*copies, *found]

    def rows(self) -> Array:
        """What the last call found; waits for it."""
        return self.out[: self.count()]

    def count(self) -> int:
        """How many the last call found; waits for it."""
        found = self._way.count()
        if self._many is not None:
            self._many.found = found
        return found

    def close(self) -> None:
        """Free the scratch memory and the result."""
        self.launches.close()
        for each in (self._equality, self._way, self._many, self.out):
            if each is not None:
                each.close()

    def __enter__(self) -> Dedup:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _sorting(
    device: Device, columns: list[Array], most: int | None, *, values: bool, total: Array | None = None, host_total: bool = False
) -> SortedValues | _SortedRows:  # fmt: skip
    if values:
        return SortedValues(device, columns[0], most, total, host_total=host_total)
    return _SortedRows(device, columns, most, total)


class _SortedRows:
    """Row numbers, by sorting them."""

    def __init__(self, device: Device, columns: list[Array], most: int | None, total: Array | None) -> None:
        self._runs = Runs(device, columns, most, total=total)
        self.most, self.total = self._runs.most, self._runs.total
        self.close, self.count = self._runs.close, self._runs.count

    def plans(self, columns: list[Array], out: Array) -> Plans:
        runs, n = self._runs, columns[0].size
        return [*runs.plans(columns), gathering.plan(n, runs.starts, runs.order, out, limit=self.total)]


class SortedValues:
    """The different elements of a column, by sorting them alone; how many there are goes to `total`, by default an array of its
    own."""

    def __init__(
        self, device: Device, column: Array, most: int | None, total: Array | None = None, *, host_total: bool = False
    ) -> None:  # fmt: skip
        element = value_type("the column", column)
        self.most = column.size if most is None else most
        self._sort = Sort(device, element, self.most)
        self._sorted = device.empty(self.most, element)
        self._select = Select(device, element, self.most, op="change", values=True, total=total, host_total=host_total)
        self.total, self.count = self._select.total, self._select.count

    def plans(self, columns: list[Array], out: Array) -> Plans:
        (column,) = columns
        sort = self._sort.plans(column, self._sorted, None, None)
        return [*sort, *self._select.plans(self._sorted[: column.size], out, None, 0)]

    def joined_plans(self, column: Array, more: Array, out: Array) -> Plans | None:
        """The different elements of two columns; None where these are few."""
        sort = self._sort.joined_plans(column, more, self._sorted)
        n = column.size + more.size
        return None if sort is None else [*sort, *self._select.plans(self._sorted[:n], out, None, 0)]

    def close(self) -> None:
        for each in (self._sort, self._sorted, self._select):
            each.close()


class _Hashed:
    """Row numbers or elements, by hashing."""

    def __init__(self, device: Device, columns: list[Array], most: int | None, *, values: bool) -> None:
        self._groups = HashGroups(device, columns, most)
        self.most, self.total = self._groups.most, self._groups.total
        self._output = Output("key", self._groups.element) if values else Output("row", u32)
        self.close, self.count = self._groups.close, self._groups.count

    def plans(self, columns: list[Array], out: Array) -> Plans:
        return self._groups.plans(columns, outputs=(self._output,), outs=(out.view(self._output.element),))
