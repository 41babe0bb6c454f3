"""Names of PTX: what a register, variable or label stands for in nested `{ }` (manual 4.4, 4.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen import ir
    from ptxgen.cpu.flat import FlatAddress, Reg

__all__ = ["NameScope"]


_LONGEST_INDEX = 10
"""The digits of 2**32, the largest N."""


class NameScope:
    """The names of one `{ }`."""

    __slots__ = ("labels", "names", "parent", "ranges", "tables")

    def __init__(self, parent: NameScope | None) -> None:
        self.parent = parent
        self.names: dict[str, Reg | tuple[Reg, ...] | FlatAddress | ir.Function] = {}
        self.ranges: dict[str, Callable[[str], Reg | tuple[Reg, ...]]] = {}
        """By the prefix of a long `.reg %r<N>`, what makes a register of it: those are made when they are used."""
        self.labels: dict[str, int] = {}
        self.tables: dict[str, tuple[str, ...]] = {}

    def find(self, name: str) -> Reg | tuple[Reg, ...] | FlatAddress | ir.Function | None:
        scope: NameScope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            if scope.ranges:
                for cut in range(max(len(name) - _LONGEST_INDEX, 0), len(name)):
                    make = scope.ranges.get(name[:cut])
                    if make is not None and name[cut:].isdigit():
                        made = scope.names[name] = make(name)
                        return made
            scope = scope.parent
        return None

    def label(self, name: str) -> int | None:
        scope: NameScope | None = self
        while scope is not None:
            if name in scope.labels:
                return scope.labels[name]
            scope = scope.parent
        return None

    def table(self, name: str) -> tuple[str, ...] | None:
        scope: NameScope | None = self
        while scope is not None:
            if name in scope.tables:
                return scope.tables[name]
            scope = scope.parent
        return None
