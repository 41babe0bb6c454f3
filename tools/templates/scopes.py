"""The names of a template, and Python's for them."""

from __future__ import annotations

import keyword
from collections.abc import Iterable, Iterator

from jinja2 import nodes

from ptxgen.text.template_helpers import GLOBALS

__all__ = ["Needs", "Refused", "Scope", "spelled", "stored", "targets"]

BUILTINS = ("dict", "enumerate", "max", "min", "range", "zip")
"""Names that mean the same in a template and in Python."""


class Refused(Exception):
    """A template has something that is not translated."""


class Needs:
    """What a template takes from elsewhere."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.given: dict[str, str] = {}  # names from outside, and Python's for them
        self.helpers: set[str] = set()  # of ptxgen.text.template_helpers
        self.support: set[str] = set()  # of ptxgen.kernels.template_functions
        self.namespaces = False
        self.blocks = 0  # bodies of calls, so far

    def refuse(self, node: nodes.Node, what: str) -> Refused:
        return Refused(f"{self.name}:{getattr(node, 'lineno', '?')}: {what}: no template has used that so far")

    def outside(self, name: str) -> str:
        """A name that no scope has: of Python, of every template, or given."""
        if name in BUILTINS:
            return name
        if name == "namespace":
            self.namespaces = True
            return "SimpleNamespace"
        if name in GLOBALS:
            self.helpers.add(name)
            return f"_{name}"
        return self.given.setdefault(name, spelled(name))


class Scope:
    """Names that are known in a template, a macro, or a loop's body."""

    def __init__(self, needs: Needs, outer: Scope | None = None, names: Iterable[str] = ()) -> None:
        self.needs = needs
        self.outer = outer
        self.names: dict[str, str] = {}
        for name in names:
            self.add(name)

    def _outwards(self) -> Iterator[Scope]:
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.outer

    def add(self, name: str) -> str:
        """Python's name of a name that this scope has."""
        if name not in self.names:
            level = sum(name in scope.names for scope in self._outwards())
            self.names[name] = f"{name}_{level + 1}" if level else spelled(name)
        return self.names[name]

    def known(self, name: str) -> str | None:
        """Python's name of it; None where no scope has it."""
        return next((scope.names[name] for scope in self._outwards() if name in scope.names), None)

    def find(self, name: str) -> str:
        """Python's name of it."""
        return self.known(name) or self.needs.outside(name)

    def begin(self, body: list[nodes.Node]) -> list[str]:
        """The names that a body sets are of its scope; one that it asks for first has the value of an outer scope."""
        lines = []
        for name in stored(body):
            outer, inner = self.known(name), self.add(name)
            if outer not in (None, inner) and not _is_set_first(name, body):
                lines.append(f"{inner}: Any = {outer}")
        return lines


def spelled(name: str) -> str:
    """The name that Python can have."""
    return f"{name}_" if keyword.iskeyword(name) else name


def stored(body: Iterable[nodes.Node]) -> list[str]:
    """The names that statements set in their own scope, in order."""
    found: list[str] = []
    for node in body:
        if isinstance(node, nodes.Assign):
            found += targets(node.target)
        elif isinstance(node, nodes.Macro):
            found.append(node.name)
        elif isinstance(node, nodes.FromImport):
            found += [name if isinstance(name, str) else name[1] for name in node.names]
        elif isinstance(node, nodes.If):
            found += stored([*node.body, *node.elif_, *node.else_])
    return list(dict.fromkeys(found))


def targets(node: nodes.Node) -> list[str]:
    """The names that a loop or an assignment sets."""
    if isinstance(node, nodes.Name):
        return [node.name]
    return [name for item in node.items for name in targets(item)] if isinstance(node, nodes.Tuple) else []


def _is_set_first(name: str, body: list[nodes.Node]) -> bool:
    """Does a body set a name before it can ask for it, whatever happens?"""
    for node in body:
        if isinstance(node, nodes.Assign) and name in targets(node.target):
            return not _asks(name, node.node)
        if _asks(name, node):
            return False
    return False


def _asks(name: str, node: nodes.Node) -> bool:
    names = [node] if isinstance(node, nodes.Name) else node.find_all(nodes.Name)
    return any(each.name == name for each in names)
