"""Thread and CTA indices, one axis at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.build import arithmetic

if TYPE_CHECKING:
    from ptxgen.build.builder import Builder
    from ptxgen.build.values import u32

__all__ = ["Dimensions", "GlobalIndex", "GridSize"]


class Dimensions:
    """The x, y and z of a special register."""

    __slots__ = ("_builder", "_name")

    def __init__(self, builder: Builder, name: str) -> None:
        self._builder = builder
        self._name = name

    @property
    def x(self) -> u32:
        return self._builder.special(f"{self._name}.x")  # type: ignore[no-any-return]

    @property
    def y(self) -> u32:
        return self._builder.special(f"{self._name}.y")  # type: ignore[no-any-return]

    @property
    def z(self) -> u32:
        return self._builder.special(f"{self._name}.z")  # type: ignore[no-any-return]


def _once(k: Builder, what: str, axis: str) -> u32:
    """ctaid*ntid+tid, or nctaid*ntid, of an axis: computed once a scope."""
    found = k.find_cached((what, axis))
    if found is None:
        ntid = k.special(f"%ntid.{axis}")
        if what == "global_id":
            found = arithmetic.fma(k, k.special(f"%ctaid.{axis}"), ntid, k.special(f"%tid.{axis}"))
        else:
            found = k.special(f"%nctaid.{axis}") * ntid
        if k.guard is None:
            k.scope.cache[what, axis] = found
    return found  # type: ignore[no-any-return]


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
