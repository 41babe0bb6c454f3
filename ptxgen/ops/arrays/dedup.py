"""The different rows of a table, or the different elements of a column."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.builder import u32
from ptxgen.errors import BuildError
from ptxgen.kernels.arrays.group_merge import Output
from ptxgen.ops.arguments import check_device, value_type
from ptxgen.ops.arrays.argsort import as_columns
from ptxgen.ops.arrays.equality import Equality
from ptxgen.ops.arrays.gather import gather
from ptxgen.ops.arrays.hash_groups import HashGroups, ManyGroups
from ptxgen.ops.arrays.runs import Runs
from ptxgen.ops.arrays.select import Select
from ptxgen.ops.arrays.sort import Sort
from ptxgen.ops.borrowing import takes_any_array

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.host import Array, Device
    from ptxgen.ops.arrays.equality import Equal

__all__ = ["Dedup", "SortedValues"]


class Dedup:
    """`Dedup(device, columns)(columns)`: `out` has the number of the first of all rows that are equal, in order of the rows.

    A row has one column or several, of integers of 8 to 64 bits, f16, f32 or f64; rows are equal when their bits are, or with
    `equal="numbers"` when their numbers are: 0.0 is -0.0, and a NaN any other. `ordered=False`: the rows come in any order,
    another in each call, which takes no sort as long as the host has read of no more than some thousand different rows
    (`rows()`). With `values`, `out` has the different elements of the one column instead of row numbers.

    A call only launches; `total` is a device array of one u32, and `rows()` waits and cuts `out` to size. `most` rows a call, by
    default as many as `columns` have.
    """

    @takes_any_array
    def __init__(
        self, device: Device, columns: Array | Sequence[Array], *, most: int | None = None, ordered: bool = True,
        equal: Equal = "bits", values: bool = False,
    ) -> None:  # fmt: skip
        arrays = as_columns(columns, check_device(device))
        if values and len(arrays) > 1:
            raise BuildError(f"the values of {len(arrays)} columns", hint="values=False, which gives row numbers")
        self._equality = Equality(device, arrays, most, equal)
        self.device = device
        self._way: _Hashed | SortedValues | _SortedRows
        self._many: ManyGroups[SortedValues | _SortedRows] | None = None
        if ordered:
            self._way = _sorting(device, arrays, most, values=values)
        else:
            self._way = _Hashed(device, arrays, most, values=values)
            self._many = ManyGroups(
                device, lambda columns: _sorting(device, columns, self.most, values=values, total=self.total)
            )
        self.most, self.total = self._way.most, self._way.total
        self.out = device.empty(self.most, arrays[0].type if values else u32)

    @takes_any_array
    def __call__(self, columns: Array | Sequence[Array]) -> None:
        """Launch on the current stream."""
        arrays = self._equality(columns)
        sorting = None if self._many is None else self._many.way(arrays)
        (sorting or self._way)(arrays, self.out)

    def rows(self) -> Array:
        """What the last call found; waits for it."""
        found = int.from_bytes(self.total.bytes(), "little")
        if self._many is not None:
            self._many.found = found
        return self.out[:found]

    def close(self) -> None:
        """Free the scratch memory and the result."""
        for each in (self._equality, self._way, self._many, self.out):
            if each is not None:
                each.close()

    def __enter__(self) -> Dedup:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _sorting(
    device: Device, columns: list[Array], most: int | None, *, values: bool, total: Array | None = None
) -> SortedValues | _SortedRows:
    return SortedValues(device, columns[0], most, total) if values else _SortedRows(device, columns, most, total)


class _SortedRows:
    """Row numbers, by sorting them."""

    def __init__(self, device: Device, columns: list[Array], most: int | None, total: Array | None) -> None:
        self._runs = Runs(device, columns, most, total=total)
        self.most, self.total = self._runs.most, self._runs.total
        self.close = self._runs.close

    def __call__(self, columns: list[Array], out: Array) -> None:
        runs = self._runs
        runs(columns)
        gather(runs.starts[: runs.rows], runs.order, out, limit=self.total)


class SortedValues:
    """The different elements of a column, by sorting them alone; how many there are goes to `total`, by default an array of its
    own."""

    def __init__(self, device: Device, column: Array, most: int | None, total: Array | None = None) -> None:
        element = value_type("the column", column)
        self.most = column.size if most is None else most
        self._sort = Sort(device, element, self.most)
        self._sorted = device.empty(self.most, element)
        self._select = Select(device, element, self.most, op="change", values=True, total=total)
        self.total = self._select.total

    def __call__(self, columns: list[Array], out: Array) -> None:
        (column,) = columns
        n = column.size
        self._sort(column, self._sorted)
        self._select(self._sorted[:n], out)

    def close(self) -> None:
        for each in (self._sort, self._sorted, self._select):
            each.close()


class _Hashed:
    """Row numbers or elements, by hashing."""

    def __init__(self, device: Device, columns: list[Array], most: int | None, *, values: bool) -> None:
        self._groups = HashGroups(device, columns, most)
        self.most, self.total = self._groups.most, self._groups.total
        self._output = Output("key", self._groups.element) if values else Output("row", u32)
        self.close = self._groups.close

    def __call__(self, columns: list[Array], out: Array) -> None:
        self._groups(columns, outputs=(self._output,), outs=(out.view(self._output.element),))
