"""Thread and CTA indices, one axis at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.build import arithmetic
from ptxgen.build.values import u32

if TYPE_CHECKING:
    from ptxgen.build.builder import Builder

__all__ = ["Dimensions", "GlobalIndex", "GridSize"]


class Dimensions:
    """The x, y and z of a special register."""

    __slots__ = ("_builder", "_name")

    def __init__(self, builder: Builder, name: str) -> None:
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


def _once(k: Builder, what: str, axis: str) -> u32:
    """ctaid*ntid+tid, or nctaid*ntid, of an axis: computed once a scope."""
    found: u32 | None = k.find_cached((what, axis))
    if found is None:
        ntid = k.read_special(u32, f"%ntid.{axis}")
        if what == "global_id":
            ctaid, tid = k.read_special(u32, f"%ctaid.{axis}"), k.read_special(u32, f"%tid.{axis}")
            found = arithmetic.fma(k, ctaid, ntid, tid)
        else:
            found = k.read_special(u32, f"%nctaid.{axis}") * ntid
        if k.guard is None:
            k.scope.cache[what, axis] = found
    return found


class GlobalIndex:
    """ctaid * ntid + tid."""

    __slots__ = ("_builder",)

    def __init__(self, builder: Builder) -> None:
        self._builder = builder

    @property
    def x(self) -> u32:
        return _once(self._builder, "global_id", "x")

    @property
    def y(self) -> u32:
        return _once(self._builder, "global_id", "y")

    @property
    def z(self) -> u32:
        return _once(self._builder, "global_id", "z")


class GridSize:
    """nctaid * ntid."""

    __slots__ = ("_builder",)

    def __init__(self, builder: Builder) -> None:
        self._builder = builder

    @property
    def x(self) -> u32:
        return _once(self._builder, "grid_size", "x")

    @property
    def y(self) -> u32:
        return _once(self._builder, "grid_size", "y")

    @property
    def z(self) -> u32:
        return _once(self._builder, "grid_size", "z")
