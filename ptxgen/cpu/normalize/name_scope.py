"""Names of PTX: what a register, variable or label stands for in nested `{ }` (manual 4.4, 4.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen import ir
    from ptxgen.cpu.flat import FlatAddress, Reg

__all__ = ["SymbolScope"]


class SymbolScope:
    """The names of one `{ }`."""

    __slots__ = ("callees", "labels", "names", "parent", "ranges", "tables")

    def __init__(self, parent: SymbolScope | None) -> None:
        self.parent = parent
        self.names: dict[str, Reg | tuple[Reg, ...] | FlatAddress | ir.Function] = {}
        self.labels: dict[str, int] = {}
        self.tables: dict[str, tuple[str, ...]] = {}
        self.callees: dict[str, ir.CallTargets | ir.CallPrototype] = {}
        self.ranges: list[tuple[str, int, Callable[[str], Reg | tuple[Reg, ...]]]] = []
        """Long lists of registers, `%r<1000000>`, as (stem, count, what declares one): each comes to `names` when it is used."""

    def find(self, name: str) -> Reg | tuple[Reg, ...] | FlatAddress | ir.Function | None:
        scope: SymbolScope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            for stem, count, declare in scope.ranges:
                number = name[len(stem) :]
                if name.startswith(stem) and _is_index(number, count):
                    scope.names[name] = declare(name)
                    return scope.names[name]
            scope = scope.parent
        return None

    def label(self, name: str) -> int | None:
        scope: SymbolScope | None = self
        while scope is not None:
            if name in scope.labels:
                return scope.labels[name]
            scope = scope.parent
        return None

    def table(self, name: str) -> tuple[str, ...] | None:
        scope: SymbolScope | None = self
        while scope is not None:
            if name in scope.tables:
                return scope.tables[name]
            scope = scope.parent
        return None

    def callee(self, name: str) -> ir.CallTargets | ir.CallPrototype | None:
        """What a call through a register names."""
        scope: SymbolScope | None = self
        while scope is not None:
            if name in scope.callees:
                return scope.callees[name]
            scope = scope.parent
        return None


def _is_index(text: str, count: int) -> bool:
    """Is the text a number below `count`, written as a list of registers writes it?"""
    return (
        text.isascii()
        and text.isdecimal()
        and len(text) <= len(str(count))
        and str(int(text)) == text
        and int(text) < count
    )
