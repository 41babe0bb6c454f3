"""Rows of several columns, sorted, and the runs of equal ones: what dedup, group-by and sets are built from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.builder import u8, u32
from ptxgen.kernels.arrays import segments
from ptxgen.ops.arrays.argsort import ArgSort, as_columns
from ptxgen.ops.arrays.select import Select

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.host import Array, Device

__all__ = ["Runs"]


class Runs:
    """`runs = Runs(device, columns, most)`, then `runs(columns)`: `order` has the row numbers in order of the rows, and
    `starts` the places in it where a new row begins, as many as `total` (one u32 on the device) says.

    Columns and their order are as in `ArgSort`; rows are equal when their bits are. `most` rows a call, fewer than 2^30.
    """

    def __init__(self, device: Device, columns: Array | Sequence[Array], most: int | None = None) -> None:
        self._argsort = ArgSort(device, columns, most=most)
        self.device, self.most = device, self._argsort.most
        self.order, self.starts = (device.empty(self.most, u32) for _ in range(2))
        self._flags = device.empty(self.most, u8)
        self._select = Select(device, u8, self.most)
        self.total = self._select.total
        self.rows = 0

    def __call__(self, columns: Array | Sequence[Array]) -> None:
        """Launch on the current stream."""
        first, *others = arrays = as_columns(columns, self.device)
        self._argsort(arrays, self.order)
        n = self.rows = first.size
        segments.mark_plan(n, self.order, self._argsort.lead, self._flags, first=True).launch()
        for column in others:
            segments.mark_plan(n, self.order, column, self._flags, first=False).launch()
        self._select(self._flags[:n], self.starts)

    def count(self) -> int:
        """How many different rows the last call found; waits for it."""
        return self._select.count()

    def close(self) -> None:
        """Free the scratch memory."""
        for each in (self._argsort, self.order, self.starts, self._flags, self._select):
            each.close()
