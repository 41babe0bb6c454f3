"""Group-by where groups are too many for one launch: keys and values as columns, then ptxgen.ops.arrays.groupby."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder import f64, u32
from ptxgen.kernels.queries.described import Accumulator
from ptxgen.kernels.queries.project import stored
from ptxgen.ops.arrays.groupby import GroupBy

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ptxgen.builder.values import Value
    from ptxgen.host import Array
    from ptxgen.ops.queries.expressions import Aggregate, Expr
    from ptxgen.ops.queries.frames import Frame, Steps

__all__ = ["Grouped"]


class Grouped:
    """The groups of a frame's rows: keys and aggregates by name, with memory of its own for them."""

    def __init__(
        self, steps: Steps, frame: Frame, keys: Mapping[str, Expr], aggregates: Mapping[str, Aggregate], *, ordered: bool
    ) -> None:  # fmt: skip
        values = {name: each.value.number() for name, each in aggregates.items() if each.value is not None}
        arrays = steps.columns(frame, [*keys.values(), *values.values()])
        self._columns, inputs = arrays[: len(keys)], dict(zip(values, arrays[len(keys) :]))
        self._names, self._device = list(keys), frame.device
        self._wanted = {
            name: ("count",) if each.value is None else (each.op, inputs[name]) for name, each in aggregates.items()
        }
        self._by: GroupBy | None = None
        self._nothing: dict[str, Any] = {}
        if frame.rows:
            self._by = GroupBy(frame.device, self._columns, ordered=ordered)
        else:
            self._nothing = {name: stored(each.stored) for name, each in keys.items()}
            self._nothing |= {name: _result(each) for name, each in aggregates.items()}

    def launch(self) -> None:
        """Queue it on the current stream."""
        if self._by is not None:
            self._by.aggregate(self._columns, self._wanted)

    def results(self) -> dict[str, Array]:
        """Copies of the results, after the launch; waits for the number of groups."""
        if self._by is None:
            return {name: self._device.empty(0, kind) for name, kind in self._nothing.items()}
        places, results = self._by.rows()
        found = dict(zip(self._names, places)) | results
        return {name: self._device.empty(array.size, array.type).copy_from(array) for name, array in found.items()}

    def close(self) -> None:
        """Free its memory."""
        if self._by is not None:
            self._by.close()


def _result(each: Aggregate) -> type[Value]:
    if each.value is None:
        return u32
    if each.op == "mean":
        return f64
    number = each.value.number()
    return Accumulator("sum", number.tree).element if each.op == "sum" else stored(number.stored)
