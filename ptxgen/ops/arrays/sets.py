"""Union, intersection and difference of two sets of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.builder import u8, u32
from ptxgen.errors import BuildError
from ptxgen.kernels.arrays import segments
from ptxgen.ops.arguments import check_count, check_device, check_same_types
from ptxgen.ops.arrays.argsort import as_columns
from ptxgen.ops.arrays.gather import gather
from ptxgen.ops.arrays.runs import Runs
from ptxgen.ops.arrays.select import Select
from ptxgen.ops.borrowing import takes_any_array

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.host import Array, Device

__all__ = ["RowSets"]


class RowSets:
    """`sets = RowSets(device, columns, most)`, then `sets.union(left, right)`, `intersection` or `difference` (left without
    right), and `sets.rows()`: the columns of the result, sorted, no row twice.

    `columns` give the types, as in `Dedup`; the sides may have repeated rows, and together at most `most`. A call only
    launches; the result lies in `out`, a column each, and its size in `total`, one u32 on the device.
    """

    @takes_any_array
    def __init__(self, device: Device, columns: Array | Sequence[Array], most: int) -> None:
        arrays = as_columns(columns, check_device(device))
        most = check_count("most", most)
        self.device, self.most = device, most
        self._both = [device.empty(most, column.type) for column in arrays]
        self.out = [device.empty(most, column.type) for column in arrays]
        self._runs = Runs(device, self._both)
        self._flags = device.empty(most, u8)
        self._select = Select(device, u8, most)
        self.total = self._select.total
        self._rows = [device.empty(most, u32) for _ in range(2)]

    @takes_any_array
    def union(self, left: Array | Sequence[Array], right: Array | Sequence[Array]) -> None:
        """Rows of either side."""
        self._find("union", left, right)

    @takes_any_array
    def intersection(self, left: Array | Sequence[Array], right: Array | Sequence[Array]) -> None:
        """Rows of both sides."""
        self._find("intersection", left, right)

    @takes_any_array
    def difference(self, left: Array | Sequence[Array], right: Array | Sequence[Array]) -> None:
        """Rows of the left side that the right one does not have."""
        self._find("difference", left, right)

    def _find(self, kind: str, left: Array | Sequence[Array], right: Array | Sequence[Array]) -> None:
        sides = as_columns(left, self.device), as_columns(right, self.device)
        types = tuple(column.type for column in self._both)
        for side, columns in zip(("left", "right"), sides):
            check_same_types(f"the {side} side", columns, types)
        split, more = (columns[0].size for columns in sides)
        n, runs = split + more, self._runs
        if n > self.most:
            raise BuildError(f"{split} and {more} rows, this operation was made for at most {self.most}")
        for both, first, second in zip(self._both, *sides):
            both[:split].copy_from(first)
            both[split:n].copy_from(second)
        runs([both[:n] for both in self._both])
        segments.choose_plan(n, runs.total, runs.starts, runs.order, split, self._flags, kind=kind).launch()
        chosen, rows = (each[:n] for each in self._rows)
        self._select(self._flags[:n], chosen)
        gather(chosen, runs.starts, rows, limit=self.total)
        gather(rows, runs.order, chosen, limit=self.total)
        for both, out in zip(self._both, self.out):
            gather(chosen, both, out, limit=self.total)

    def rows(self) -> list[Array]:
        """The columns that the last call found; waits for it."""
        count = self._select.count()
        return [column[:count] for column in self.out]

    def close(self) -> None:
        """Free the scratch memory and the result."""
        for array in (*self._both, *self.out, self._flags, *self._rows):
            array.close()
        self._runs.close()
        self._select.close()

    def __enter__(self) -> RowSets:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
