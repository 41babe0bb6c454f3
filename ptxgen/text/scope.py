"""What names stand for while text is parsed: registers, variables and literals, with the shadowing of nested scopes.

One dictionary answers for all scopes, so that an operand costs one look-up; a journal restores it when a scope ends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ptxgen.ir import Register, Sink, Special, Symbol
from ptxgen.isa.specials import is_special

if TYPE_CHECKING:
    from ptxgen.ir import Operand, Variable
    from ptxgen.isa.types import ScalarType

__all__ = ["ParserScope"]

_DIGITS = "0123456789"

_LONGEST_INDEX = 10
"""The digits of 2**32, the largest count of a family."""


class _Family(NamedTuple):
    """`.reg .type prefix<count>;`, the depth of its scope, and what the same prefix means in the scopes around."""

    type: ScalarType
    lanes: int
    size: int
    level: int
    outer: _Family | None


def _is_below(index: str, count: int) -> bool:
    return len(index) <= _LONGEST_INDEX and int(index) < count


class ParserScope:
    """`known` maps the text of a token to its operand; a miss goes to `resolve`."""

    __slots__ = ("_families", "_journal", "_sizes", "_stems", "known")

    def __init__(self) -> None:
        self.known: dict[str, Operand] = {"_": Sink()}
        self._families: dict[str, _Family] = {}
        self._stems: dict[str, dict[str, None]] = {}
        """By what stands before the digits at their end, the names in `known`."""
        self._sizes: dict[str, int] = {}
        self._journal: list[list[tuple[dict[str, Any], str, Any]]] = [[]]

    def enter(self) -> None:
        self._journal.append([])

    def leave(self) -> None:
        for table, name, old in reversed(self._journal.pop()):
            if old is None:
                table.pop(name, None)
                if table is self.known:
                    self._stems.get(name.rstrip(_DIGITS), {}).pop(name, None)
            elif table is self.known:
                self._know(name, old)
            else:
                table[name] = old

    def _know(self, name: str, operand: Operand) -> None:
        self.known[name] = operand
        if name[-1] in _DIGITS:
            self._stems.setdefault(name.rstrip(_DIGITS), {})[name] = None

    def _bind(self, table: dict[str, Any], name: str, value: object, level: int = -1) -> None:
        self._journal[level].append((table, name, table.get(name)))
        if table is self.known:
            self._know(name, value)  # type: ignore[arg-type]
        else:
            table[name] = value

    def register(self, name: str, type: ScalarType, lanes: int) -> None:
        """`.reg .f32 name;`"""
        self._bind(self.known, name, Register(name, type, lanes))

    def family(self, prefix: str, type: ScalarType, lanes: int, count: int) -> None:
        """`.reg .f32 prefix<count>;`: its registers are made when they are first used."""
        size = len(prefix)
        for name in self._stems.get(prefix.rstrip(_DIGITS), ()):
            index = name[size:]
            if name in self.known and name.startswith(prefix) and index and _is_below(index, count):
                self._journal[-1].append((self.known, name, self.known.pop(name)))
        family = _Family(type, lanes, count, len(self._journal) - 1, self._families.get(prefix))
        self._bind(self._families, prefix, family)

    def variable(self, variable: Variable) -> None:
        """A variable or a parameter; one in the register space is a register."""
        if variable.space == "reg":
            self.register(variable.name, variable.type, variable.vector)
            return
        self.symbol(variable.name)
        self._bind(self._sizes, variable.name, variable.type.bytes * variable.vector)

    def symbol(self, name: str) -> None:
        """A name that stands for an address: variable, function."""
        self._bind(self.known, name, Symbol(name))

    def element_size(self, name: str) -> int | None:
        """Bytes from one element of a declared array to the next; None for any other name."""
        return self._sizes.get(name)

    def resolve(self, name: str) -> Operand | None:
        """The member of a register family or the special register of that name; None when nobody declared it.

        `%tid` without component is the whole vector (manual 10.1).
        """
        prefix = name.rstrip(_DIGITS)
        for end in range(max(len(prefix), len(name) - _LONGEST_INDEX), len(name)):
            family = self._families.get(name[:end])
            while family is not None and int(name[end:]) >= family.size:
                family = family.outer
            if family is not None:
                register = Register(name, family.type, family.lanes)
                self._bind(self.known, name, register, family.level)
                return register
        if name[0] == "%" and (is_special(name) or is_special(name + ".x")):
            return self.known.setdefault(name, Special(name))
        return None
