"""Group-by where groups are too many for one launch: keys and values as columns, then sorted runs (ptxgen.ops.arrays.groupby)."""

from __future__ import annotations

from typing import TYPE_CHECKING

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

__all__ = ["groups_by_key"]


def groups_by_key(
    steps: Steps, frame: Frame, keys: Mapping[str, Expr], aggregates: Mapping[str, Aggregate]
) -> dict[str, Array]:
    """The groups of a frame's rows, in the order of their keys: keys and aggregates by name. Waits for the number of groups."""
    device, rows = frame.device, frame.rows
    values = {name: each.value.number() for name, each in aggregates.items() if each.value is not None}
    arrays = steps.columns(frame, [*keys.values(), *values.values()])
    columns, inputs = arrays[: len(keys)], dict(zip(values, arrays[len(keys) :]))
    results = {name: device.empty(rows, stored(each.stored)) for name, each in keys.items()}
    results |= {name: device.empty(rows, _result(each)) for name, each in aggregates.items()}
    if not rows:
        return results
    with GroupBy(device, columns) as by:
        by(columns)
        for name, key in zip(keys, columns):
            by.first(key, results[name])
        for name, each in aggregates.items():
            if each.value is None:
                by.sizes(results[name])
            else:
                getattr(by, each.op)(inputs[name], results[name])
        groups = by.count()
    found = {name: device.empty(groups, array.type).copy_from(array[:groups]) for name, array in results.items()}
    for array in results.values():
        array.close()
    return found


def _result(each: Aggregate) -> type[Value]:
    if each.value is None:
        return u32
    if each.op == "mean":
        return f64
    number = each.value.number()
    return Accumulator("sum", number.tree).element if each.op == "sum" else stored(number.stored)
