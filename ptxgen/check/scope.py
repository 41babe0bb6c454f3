"""Names: what is declared where, and what a name in an operand means there (manual 4.4, 5.1, 7.1)."""

from __future__ import annotations

from ptxgen.ir import (
    Block,
    BranchTargets,
    CallPrototype,
    CallTargets,
    Function,
    Label,
    Module,
    RegisterDeclaration,
    Source,
    Variable,
)
from ptxgen.ir.operands import numbered

__all__ = ["Declaration", "Scope", "body_scope", "declared", "module_scope"]

Declaration = Variable | Function | RegisterDeclaration | Label | BranchTargets | CallTargets | CallPrototype


class Scope:
    """Names of one `{}`; `parent` is the scope around it. Registers given as `%r<4>` are kept as a prefix and a count."""

    __slots__ = ("duplicates", "names", "parent", "ranges")

    def __init__(self, parent: Scope | None = None) -> None:
        self.parent = parent
        self.names: dict[str, Declaration] = {}
        self.ranges: dict[str, RegisterDeclaration] = {}
        self.duplicates: list[tuple[str, Source | None]] = []

    def add(self, name: str, declaration: Declaration) -> None:
        """Declare; a second declaration of a name in one scope is noted in `duplicates`."""
        if self.here(name) is not None:
            self.duplicates.append((name, declaration.source))
        else:
            self.names[name] = declaration

    def add_range(self, prefix: str, declaration: RegisterDeclaration) -> None:
        """Declare `prefix0` to `prefix<count-1>`."""
        count = declaration.count or 0
        if prefix in self.ranges:
            self.duplicates.append((f"{prefix}<{count}>", declaration.source))
            return
        self.ranges[prefix] = declaration
        spelled_names = numbered(prefix)
        if count <= len(spelled_names):  # entered name by name, which makes finding one a single look-up
            spelled = dict.fromkeys(spelled_names[:count], declaration)
            for name in spelled.keys() & self.names.keys():
                self.duplicates.append((name, declaration.source))
            self.names |= {**spelled, **self.names}

    def here(self, name: str) -> Declaration | None:
        """The declaration of a name in this very scope."""
        found = self.names.get(name)
        if found is not None or not name[-1:].isdigit():
            return found
        for cut in range(len(name.rstrip("0123456789")), len(name)):  # "%r1<3>" declares %r10 to %r12
            declaration, index = self.ranges.get(name[:cut]), name[cut:]
            if declaration is not None and (index == "0" or index[0] != "0") and int(index) < (declaration.count or 0):
                return declaration
        return None

    def find(self, name: str) -> Declaration | None:
        """The declaration that a use of the name means: the innermost one."""
        scope: Scope | None = self
        while scope is not None:
            found = scope.here(name)
            if found is not None:
                return found
            scope = scope.parent
        return None


def declared(statement: object, scope: Scope) -> None:
    """Enter what a statement declares."""
    if isinstance(statement, RegisterDeclaration):
        for name in statement.names:
            if statement.count is None:
                scope.add(name, statement)
            else:
                scope.add_range(name, statement)
    elif isinstance(statement, (Variable, Label, BranchTargets, CallTargets, CallPrototype)):
        scope.add(statement.name, statement)


def module_scope(module: Module) -> Scope:
    """The names of the module itself. A function may be declared before it is defined."""
    scope = Scope()
    for item in module:
        if isinstance(item, Function):
            known = scope.names.get(item.name)
            if isinstance(known, Function) and (known.body is None or item.body is None):
                scope.names[item.name] = item if item.body is not None else known
            else:
                scope.add(item.name, item)
        elif isinstance(item, Variable):
            known = scope.names.get(item.name)
            if isinstance(known, Variable) and "extern" in (known.linkage, item.linkage):
                continue
            scope.add(item.name, item)
    return scope


def body_scope(body: Block, parent: Scope) -> Scope:
    """The names of one `{}`: registers and variables as well as labels, which may be used before their line."""
    scope = Scope(parent)
    for statement in body:
        declared(statement, scope)
    return scope
