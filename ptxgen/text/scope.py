"""What names stand for while text is parsed: registers, variables and literals, with the shadowing of nested scopes.

One dictionary answers for all scopes, so that an operand costs one look-up; a journal restores it when a scope ends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.ir import Register, Sink, Special, Symbol
from ptxgen.isa.specials import is_special
from ptxgen.text.common_operands import DIGITS, LONGEST_INDEX, CommonOperands, Family

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ptxgen.ir import Operand, Variable
    from ptxgen.isa.types import ScalarType

__all__ = ["ParserScope"]


def _is_below(index: str, count: int) -> bool:
    return len(index) <= LONGEST_INDEX and int(index) < count


class ParserScope:
    """`known` maps the text of a token to its operand; a miss goes to `resolve`.

    `log` has every scope and every declaration so far. `common` holds the operands that `CommonOperands` recognises, as
    long as names mean the same: a scope has its own, and a declaration empties it.
    """

    __slots__ = ("_journal", "_outer", "_sizes", "_stems", "common", "families", "known", "log")

    def __init__(self) -> None:
        self.known: dict[str, Operand] = {"_": Sink()}
        self.families: dict[str, Family] = {}
        self._stems: dict[str, dict[str, None]] = {}
        """By what stands before the digits at their end, the names in `known`."""
        self._sizes: dict[str, int] = {}
        self._journal: list[list[tuple[dict[str, Any], str, Any]]] = [[]]
        self.log: list[tuple[Any, ...]] = []
        self.common: CommonOperands = self._no_operands()
        self._outer: list[CommonOperands] = []

    def _no_operands(self) -> CommonOperands:
        return CommonOperands(self.known, self.families, self.resolve)

    def enter(self) -> None:
        self.log.append(("enter",))
        self._journal.append([])
        self._outer.append(self.common)
        self.common = self._no_operands()

    def leave(self) -> None:
        self.log.append(("leave",))
        self.common = self._outer.pop()
        for table, name, old in reversed(self._journal.pop()):
            if old is None:
                table.pop(name, None)
                if table is self.known:
                    self._stems.get(name.rstrip(DIGITS), {}).pop(name, None)
            elif table is self.known:
                self._know(name, old)
            else:
                table[name] = old

    def _know(self, name: str, operand: Operand) -> None:
        self.known[name] = operand
        if name[-1] in DIGITS:
            self._stems.setdefault(name.rstrip(DIGITS), {})[name] = None

    def _bind(self, table: dict[str, Any], name: str, value: object, level: int = -1) -> None:
        self._journal[level].append((table, name, table.get(name)))
        if table is self.known:
            self._know(name, value)  # type: ignore[arg-type]
        else:
            table[name] = value

    def register(self, name: str, type: ScalarType, lanes: int) -> None:
        """`.reg .f32 name;`"""
        self._declares("register", name, type, lanes)
        self._bind(self.known, name, Register(name, type, lanes))

    def family(self, prefix: str, type: ScalarType, lanes: int, count: int) -> None:
        """`.reg .f32 prefix<count>;`: its registers are made when they are first used. A prefix that ends in a digit has none:
        all digits at the end of a name are its number."""
        self._declares("family", prefix, type, lanes, count)
        if prefix[-1] in DIGITS:
            return
        for name in self._stems.get(prefix, ()):
            if name in self.known and _is_below(name[len(prefix) :], count):
                self._journal[-1].append((self.known, name, self.known.pop(name)))
        family = Family(type, lanes, count, len(self._journal) - 1, self.families.get(prefix))
        self._bind(self.families, prefix, family)

    def variable(self, variable: Variable) -> None:
        """A variable or a parameter; one in the register space is a register."""
        if variable.space == "reg":
            self.register(variable.name, variable.type, variable.vector)
            return
        self._array(variable.name, variable.type.bytes * variable.vector)

    def _array(self, name: str, size: int) -> None:
        self._declares("array", name, size)
        self._bind(self.known, name, Symbol(name))
        self._bind(self._sizes, name, size)

    def symbol(self, name: str) -> None:
        """The name of a function."""
        self._declares("symbol", name)
        self._bind(self.known, name, Symbol(name))

    def _declares(self, *what: object) -> None:
        self.log.append(what)
        self.common.clear()

    def replay(self, log: Iterable[tuple[Any, ...]]) -> None:
        """The scopes and declarations that another one has logged."""
        does: dict[str, Callable[..., None]] = {
            "enter": self.enter, "leave": self.leave, "register": self.register, "family": self.family,
            "array": self._array, "symbol": self.symbol,
        }  # fmt: skip
        for what, *arguments in log:
            does[what](*arguments)

    def element_size(self, name: str) -> int | None:
        """Bytes from one element of a declared array to the next; None for any other name."""
        return self._sizes.get(name)

    def resolve(self, name: str) -> Operand | None:
        """The member of a register family or the special register of that name; None when nobody declared it.

        `%tid` without component is the whole vector (manual 10.1).
        """
        prefix = name.rstrip(DIGITS)
        index = name[len(prefix) :]
        family = self.families.get(prefix) if 0 < len(index) <= LONGEST_INDEX else None
        while family is not None and int(index) >= family.size:
            family = family.outer
        if family is not None:
            register = Register(f"{prefix}{int(index)}", family.type, family.lanes)  # %r02 is %r2
            self._bind(self.known, name, register, family.level)
            return register
        if name[0] == "%" and (is_special(name) or is_special(name + ".x")):
            self._know(name, Special(name))
            return self.known[name]
        return None
