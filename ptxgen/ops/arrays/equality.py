"""When rows of a table are equal: when their bits are, or when their numbers are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from ptxgen.builder.values import Float
from ptxgen.errors import BuildError
from ptxgen.kernels.arrays import canonical
from ptxgen.ops.arguments import check_count, value_type
from ptxgen.ops.arrays.argsort import as_columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.host import Array, Device
    from ptxgen.ops.launches import Plan

__all__ = ["Equal", "Equality"]

Equal = Literal["bits", "numbers"]


class Equality:
    """`Equality(device, columns, most, "numbers").plans(columns)`: columns that are equal in their bits where these are equal
    numbers, and what makes them.

    By "bits" these are the columns themselves. By "numbers" floats are copied in one form, 0.0 for -0.0 too, and one NaN.
    """

    def __init__(self, device: Device, columns: Array | Sequence[Array], most: int | None, equal: Equal) -> None:
        if equal not in ("bits", "numbers"):
            raise BuildError(f"no equality by {equal!r}", hint='equal="bits" or "numbers"')
        arrays = as_columns(columns, device)
        most = arrays[0].size if most is None else check_count("most", most)
        floats = [issubclass(value_type("a column", each), Float) for each in arrays] if equal == "numbers" else []
        self._copies = [device.empty(most, each.type) if real else None for each, real in zip(arrays, floats)]
        self._device = device

    def plans(self, columns: Array | Sequence[Array]) -> tuple[list[Array], list[Plan]]:
        """(the columns, the launches that copy)."""
        arrays = as_columns(columns, self._device)
        plans: list[Plan] = []
        for number, (copy, column) in enumerate(zip(self._copies, arrays)):
            element = value_type("a column", column)
            if (
                copy is not None
                and copy.type is column.type
                and column.size <= copy.size
                and issubclass(element, Float)
            ):
                arrays[number] = copy[: column.size]
                plans.append(canonical.plan(column.size, column, arrays[number], element=element))
        return arrays, plans

    def close(self) -> None:
        for copy in self._copies:
            if copy is not None:
                copy.close()
