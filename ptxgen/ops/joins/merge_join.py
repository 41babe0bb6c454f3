"""Joins by a sorted build side: pairs in order, the same in every run (ptxgen.kernels.joins.merge_join)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder import u32
from ptxgen.errors import BuildError
from ptxgen.kernels.arrays import gather as gathering
from ptxgen.kernels.joins import merge_join
from ptxgen.ops.arguments import check_array, check_count, check_device, value_type
from ptxgen.ops.arrays.sort import Sort
from ptxgen.ops.borrowing import Launches, takes_any_array
from ptxgen.ops.joins.pairs import PairJoin
from ptxgen.ops.launches import Copy, Fill

if TYPE_CHECKING:
    from ptxgen.host import Array, Device
    from ptxgen.ops.launches import Plans

__all__ = ["MergeJoin", "SortedTable"]


class SortedTable:
    """The build side of sort-merge joins: `SortedTable(device, column)` of integers of 8 to 64 bits, f16, f32 or f64; `keys` are
    sorted, `order` says which row each was. `build(column)` fills it anew, with at most `most` rows, fewer than 2^30.

    `presorted`: the column is sorted already, and is copied as it is; BuildError when it is not, which takes waiting.
    """

    @takes_any_array
    def __init__(self, device: Device, column: Array, *, most: int | None = None, presorted: bool = False) -> None:
        self.element = value_type("the column", column)
        self.device, self.presorted = check_device(device), presorted
        self.most = column.size if most is None else check_count("most", most)
        self.rows = 0
        self._sort = Sort(device, self.element, self.most, pairs=True)
        self._numbers = device.empty(self.most, u32)
        gathering.count_up_plan(self.most, self._numbers).launch()
        self.launches = Launches(device)
        self.keys = device.empty(self.most, self.element)
        self.order = self._numbers if presorted else device.empty(self.most, u32)
        self._descents = device.zeros(1, u32)
        self.build(column)

    def build(self, column: Any) -> None:
        """Fill the table, on the current stream, or on the array's."""
        self.launches.run(self.plans, (), column)
        if self.presorted:
            found = int.from_bytes(self._descents.bytes(), "little")
            if found:
                raise BuildError(
                    f"the column is not sorted: {found} keys are before their neighbour", hint="presorted=False"
                )
        self.rows = int(column.shape[0])

    def plans(self, column: Array) -> Plans:
        """The launches."""
        n = check_array("the column", column, self.element, device=self.device, most=self.most)
        if not self.presorted:
            return self._sort.plans(column, self.keys, self._numbers[:n], self.order)
        return (
            Fill(self._descents),
            merge_join.descents_plan(n, column, self._descents, element=self.element),
            Copy(self.keys[:n], column),
        )

    def close(self) -> None:
        """Free the table."""
        self.launches.close()
        for each in (self._sort, self._numbers, self.keys, self.order, self._descents):
            each.close()

    def __enter__(self) -> SortedTable:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class MergeJoin(PairJoin):
    """The probe side: `join = MergeJoin(table, most, most_pairs)`, then `join(column)` and `join.pairs()`, as with `Join`.

    Pairs are in order of the probe rows, and those of a row in order of the build rows: the same in every run. A key with many
    matches costs no more than many keys with one. Keys are equal when their bits are; `outer` keeps probe rows without a match,
    with NO_ROW on the right.
    """

    def __init__(self, table: SortedTable, most: int, most_pairs: int, *, outer: bool = False) -> None:
        if not isinstance(table, SortedTable):
            raise BuildError(f"{table!r} is not a SortedTable", hint="SortedTable(device, column) of the build side")
        super().__init__(table.device, check_count("most", most, most=1 << 31), most_pairs)
        self.table, self.outer = table, outer
        self.firsts = self.device.empty(self.most, u32)

    def __call__(self, column: Any) -> None:
        """Launch on the current stream, or on the array's."""
        self._launch((self.table, self.table.rows), (column,))

    def plans(self, column: Array, table: SortedTable, rows: int) -> Plans:
        n = check_array("the column", column, table.element, device=self.device, most=self.most)
        return (
            Fill(self.total),
            merge_join.bounds_plan(
                n, column, rows, table.keys, self.counts, self.firsts, self.total, element=table.element, outer=self.outer
            ),
            self.scan_plan(n),
            merge_join.emit_plan(
                n, self.firsts, self.places, table.order, self.total, self.capacity, self.left, self.right
            ),
        )  # fmt: skip

    def close(self) -> None:
        """Free the scratch memory and the results."""
        super().close()
        self.firsts.close()
