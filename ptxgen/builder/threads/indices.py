"""Thread and CTA indices, one axis at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.builder.values import arithmetic
from ptxgen.builder.values.scalars import u32

if TYPE_CHECKING:
    from ptxgen.builder.core.function_builder import FunctionBuilder

__all__ = ["Dimensions", "GlobalIndex", "GridSize"]


class Dimensions:
    """The x, y and z of a special register."""

    __slots__ = ("_builder", "_name")

    def __init__(self, builder: FunctionBuilder, name: str) -> None:
        self._builder = builder
        self._name = name

    @property
    def x(self) -> u32:
        return self._builder.read_special(u32, f"{self._name}.x")

    @property
    def y(self) -> u32:
        return self._builder.read_special(u32, f"{self._name}.y")

    @property
    def z(self) -> u32:
        return self._builder.read_special(u32, f"{self._name}.z")


def _global_index(k: FunctionBuilder, axis: str) -> u32:
    ntid, ctaid, tid = (k.read_special(u32, f"{name}.{axis}") for name in ("%ntid", "%ctaid", "%tid"))
    return arithmetic.fma(k, ctaid, ntid, tid)


def _grid_size(k: FunctionBuilder, axis: str) -> u32:
    ntid, nctaid = (k.read_special(u32, f"{name}.{axis}") for name in ("%ntid", "%nctaid"))
    return nctaid * ntid


class GlobalIndex:
    """ctaid * ntid + tid."""

    __slots__ = ("_builder",)

    def __init__(self, builder: FunctionBuilder) -> None:
        self._builder = builder

    @property
    def x(self) -> u32:
        return self._builder.once(("global_id", "x"), _global_index, self._builder, "x")

    @property
    def y(self) -> u32:
        return self._builder.once(("global_id", "y"), _global_index, self._builder, "y")

    @property
    def z(self) -> u32:
        return self._builder.once(("global_id", "z"), _global_index, self._builder, "z")


class GridSize:
    """nctaid * ntid."""

    __slots__ = ("_builder",)

    def __init__(self, builder: FunctionBuilder) -> None:
        self._builder = builder

    @property
    def x(self) -> u32:
        return self._builder.once(("grid_size", "x"), _grid_size, self._builder, "x")

    @property
    def y(self) -> u32:
        return self._builder.once(("grid_size", "y"), _grid_size, self._builder, "y")

    @property
    def z(self) -> u32:
        return self._builder.once(("grid_size", "z"), _grid_size, self._builder, "z")
