"""The order of rows of one column or several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ptxgen.builder import u32
from ptxgen.errors import BuildError
from ptxgen.kernels.arrays import gather as gathering
from ptxgen.ops.arguments import (
    check_all_apart,
    check_array,
    check_columns,
    check_count,
    check_device,
    check_same_types,
    value_type,
)
from ptxgen.ops.arrays.sort import Sort
from ptxgen.ops.borrowing import Launches, takes_any_array

if TYPE_CHECKING:
    from ptxgen.builder.values import Value
    from ptxgen.host import Array, Device
    from ptxgen.ops.launches import Plan, Plans

__all__ = ["ArgSort", "as_columns"]


def as_columns(columns: Array | Sequence[Array], device: Device) -> list[Array]:
    """The columns of a table: one array or several of equal length, of types that have an order. BuildError for anything
    else."""
    arrays = check_columns("a table", columns, device=device)
    for number, column in enumerate(arrays):
        value_type(f"column {number} of a table", column)
    return arrays


class _ColumnSort:
    """The sort of one type of column: with the keys as the order so far has them, and where they go."""

    def __init__(self, device: Device, element: type[Value], most: int, *, descending: bool) -> None:
        self.keys, self.sorted = device.empty(most, element), device.empty(most, element)
        self.sort = Sort(device, element, most, pairs=True, descending=descending)

    def close(self) -> None:
        for each in (self.keys, self.sorted, self.sort):
            each.close()


class ArgSort:
    """`ArgSort(device, columns)(columns, out)`: out[i] = the number of the row that is at place i when rows are sorted.

    Rows of several columns are ordered as tuples are, and equal ones keep their order. `columns` give the types: integers of 8
    to 64 bits, f16, f32 or f64, which follow IEEE 754's totalOrder. `descending`: one for all columns, or one for each. `most`
    rows a call, fewer than 2^30, by default as many as `columns` have. Columns are sorted from the last to the first.
    """

    @takes_any_array
    def __init__(
        self, device: Device, columns: Array | Sequence[Array], *,
        most: int | None = None, descending: bool | Sequence[bool] = False,
    ) -> None:  # fmt: skip
        arrays = as_columns(columns, check_device(device))
        falling = list(descending) if isinstance(descending, Sequence) else [descending] * len(arrays)
        if len(falling) != len(arrays):
            raise BuildError(f"descending has {len(falling)} elements for {len(arrays)} columns")
        self.device = device
        self.most = arrays[0].size if most is None else check_count("most", most)
        self.types = tuple(column.type for column in arrays)
        self._ways = [(value_type("a column", column), bool(down)) for column, down in zip(arrays, falling)]
        self._sorts = {
            way: _ColumnSort(device, way[0], self.most, descending=way[1]) for way in dict.fromkeys(self._ways)
        }
        self._numbers = device.empty(self.most, u32)  # 0, 1, 2, ...: nobody writes it again
        gathering.count_up_plan(self.most, self._numbers).launch()
        self._orders = [device.empty(self.most, u32) for _ in range(min(2, len(arrays) - 1))]
        self.launches = Launches(device)

    @property
    def lead(self) -> Array:
        """The keys of column 0, which is sorted last, as the last call ordered them."""
        return self._sorts[self._ways[0]].sorted

    def __call__(self, columns: Any, out: Any) -> None:
        """Launch on the current stream, or on the arrays'."""
        self.launches.run(self.plans, (), columns, out)

    def plans(self, columns: Array | Sequence[Array], out: Array) -> Plans:
        """The launches."""
        arrays = as_columns(columns, self.device)
        check_same_types("a table", arrays, self.types)
        n = arrays[0].size
        if n > self.most:
            raise BuildError(f"{n} rows, this operation was made for at most {self.most}")
        check_array("out", out, u32, device=self.device, least=n)
        check_all_apart({"out": out}, {f"column {number}": column for number, column in enumerate(arrays)})
        order = self._numbers
        plans: list[Plan] = []
        for number in reversed(range(len(arrays))):
            by, keys = self._sorts[self._ways[number]], arrays[number]
            if order is not self._numbers:
                keys = by.keys[:n]
                plans.append(gathering.plan(n, order, arrays[number], keys))
            moved = self._orders[number % 2 if len(self._orders) > 1 else 0] if number else out
            plans += by.sort.plans(keys, by.sorted, order[:n], moved)
            order = moved
        return plans

    def close(self) -> None:
        """Free the scratch memory."""
        self.launches.close()
        for sort in self._sorts.values():
            sort.close()
        for array in (*self._orders, self._numbers):
            array.close()

    def __enter__(self) -> ArgSort:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
