"""Names: what is declared where, and what a name in an operand means there (manual 4.4, 5.1, 7.1)."""

from __future__ import annotations

from ptxgen.ir import (
    Block,
    BranchTargets,
    CallPrototype,
    CallTargets,
    Function,
    Label,
    RegisterDeclaration,
    Source,
    Variable,
)
from ptxgen.ir.operands import numbered
from ptxgen.isa.types import ScalarType

__all__ = ["Declaration", "NameScope", "body_scope", "declared", "enter"]

Declaration = Variable | Function | RegisterDeclaration | Label | BranchTargets | CallTargets | CallPrototype


_LONGEST_INDEX = 10
"""The digits of 2**32, the largest count of a range."""


_MOST_SPELLED = 1 << 14
"""Longer ranges of registers are kept as what they say."""


class NameScope:
    """Names of one `{}`; `parent` is the scope around it. Registers given as `%r<4>` are kept as a prefix and a count.

    `registers` has, for the registers used here so far, the number in the body and the declared type.
    """

    __slots__ = ("duplicates", "names", "parent", "ranges", "registers")

    def __init__(self, parent: NameScope | None = None) -> None:
        self.parent: NameScope | None = parent
        self.names: dict[str, Declaration] = {}
        self.ranges: dict[str, RegisterDeclaration] = {}
        self.duplicates: list[tuple[str, Source | None]] = []
        self.registers: dict[str, tuple[int, ScalarType]] = {}

    def add(self, name: str, declaration: Declaration) -> None:
        """Declare; a second declaration of a name in one scope is noted in `duplicates`."""
        if self.here(name) is not None:
            self.duplicates.append((name, declaration.source))
        else:
            self.names[name] = declaration

    def add_range(self, prefix: str, declaration: RegisterDeclaration) -> None:
        """Declare `prefix0` to `prefix<count-1>`. An assembler takes all digits at a name's end for the number, so a prefix that
        ends in one declares nothing that could be named."""
        count = declaration.count or 0
        if prefix in self.ranges:
            self.duplicates.append((f"{prefix}<{count}>", declaration.source))
            return
        self.ranges[prefix] = declaration
        if prefix[-1:].isdigit():
            return
        if count <= _MOST_SPELLED:  # entered name by name, which makes finding one a single look-up
            names = numbered(prefix)[:count]
            spelled = dict.fromkeys(names, declaration)
            spelled.update({f"{prefix}{index}": declaration for index in range(len(names), count)})
            if self.names.keys().isdisjoint(spelled):
                self.names.update(spelled)
                return
            self.duplicates += [(name, declaration.source) for name in spelled if name in self.names]
            self.names.update({name: each for name, each in spelled.items() if name not in self.names})

    def here(self, name: str) -> Declaration | None:
        """The declaration of a name in this very scope."""
        found = self.names.get(name)
        if found is not None or not name[-1:].isdigit():
            return found
        prefix = name.rstrip("0123456789")
        declaration, index = self.ranges.get(prefix), name[len(prefix) :]
        if declaration is None or len(index) > _LONGEST_INDEX or (index[0] == "0" and index != "0"):
            return None
        return declaration if int(index) < (declaration.count or 0) else None

    def find(self, name: str) -> Declaration | None:
        """The declaration that a use of the name means: the innermost one."""
        scope: NameScope | None = self
        while scope is not None:
            found = scope.names.get(name)
            if found is None and scope.ranges:
                found = scope.here(name)
            if found is not None:
                return found
            scope = scope.parent
        return None

    def find_with_scope(self, name: str) -> tuple[Declaration | None, NameScope]:
        """The declaration that a use of the name means, and the scope that it stands in."""
        scope = self
        while True:
            found = scope.here(name)
            if found is not None or scope.parent is None:
                return found, scope
            scope = scope.parent


def declared(statement: object, scope: NameScope) -> None:
    """Enter what a statement declares; labels are there already."""
    if isinstance(statement, RegisterDeclaration):
        for name in statement.names:
            if statement.count is None:
                scope.add(name, statement)
            else:
                scope.add_range(name, statement)
    elif isinstance(statement, (Variable, BranchTargets, CallTargets, CallPrototype)):
        scope.add(statement.name, statement)


def enter(item: object, scope: NameScope) -> None:
    """Enter an item of a module. A function may be declared before it is defined."""
    if isinstance(item, Function):
        known = scope.names.get(item.name)
        if isinstance(known, Function) and (known.body is None or item.body is None):
            scope.names[item.name] = item if item.body is not None else known
        else:
            scope.add(item.name, item)
    elif isinstance(item, Variable):
        known = scope.names.get(item.name)
        if not (isinstance(known, Variable) and "extern" in (known.linkage, item.linkage)):
            scope.add(item.name, item)


def body_scope(body: Block, parent: NameScope) -> NameScope:
    """The scope of one `{}`, with its labels: they alone may be used before their line (manual 4.4)."""
    scope = NameScope(parent)
    for statement in body.statements:
        if type(statement) is Label:
            scope.add(statement.name, statement)
    return scope
