"""Patterns of rules: what they are, and where in an e-graph they match.

A pattern is a nested tuple of an operator and patterns; a string that begins with "?" stands for any e-class, a tuple of an
operator alone for a node without children: `("add", "?a", ("zero",))`.

A pattern becomes a list of steps over registers, as in L. de Moura and N. Bjorner, "Efficient E-Matching for SMT Solvers" (CADE
2007): try each node of the class in a register, and put its children into the next registers; or compare two registers.
"""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from ptxgen.ops.egraph.errors import RunError

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator

    from ptxgen.ops.egraph.host import EGraph

__all__ = ["Left", "Moment", "Pattern", "Right", "is_variable", "variables_of"]

Pattern = Any
"""A tuple (operator, pattern, ...), or "?name"."""

Form = tuple[str, int]
"""An operator and the number of its children."""

Tables = dict[Form, dict[int, list[tuple[int, ...]]]]
"""The children of the nodes of each form, by e-class."""

Nodes = list[tuple[int, tuple[int, ...]]]
"""E-class and children."""


def is_variable(pattern: Pattern) -> bool:
    return isinstance(pattern, str) and pattern.startswith("?")


def variables_of(pattern: Pattern) -> Iterator[str]:
    """In their order, as often as they occur. RunError for what is not a pattern."""
    if is_variable(pattern):
        yield pattern
    elif isinstance(pattern, tuple) and pattern and isinstance(pattern[0], str):
        for part in pattern[1:]:
            yield from variables_of(part)
    else:
        raise RunError("WrongArgument", name="a pattern", found=repr(pattern), expected='("op", ...) or "?name"')


class Moment:
    """The nodes of this moment, by form and e-class; later changes of the e-graph do not show. With what changed since the moment
    before (`EGraph.changes`), it tells which matches are new (semi-naive evaluation)."""

    def __init__(self, egraph: EGraph, new: Container[int] = (), grown: Iterable[int] = ()) -> None:
        self.tables: Tables = {}
        self._forms: dict[Form, list[tuple[bool, int, tuple[int, ...]]]] = {}
        find = egraph.find
        for node, op, below in egraph.nodes():
            eclass, children = find(node), tuple(map(find, below))
            form = op, len(children)
            self._forms.setdefault(form, []).append((node in new, eclass, children))
            self.tables.setdefault(form, {}).setdefault(eclass, []).append(children)
        self._grown = [set(), set(map(find, grown))]
        self._roots: dict[tuple[Form, int], Nodes] = {}

    def all_of(self, form: Form) -> Nodes:
        """(e-class, children) of the nodes of a form."""
        return [node[1:] for node in self._forms.get(form, ())]

    def recent(self, form: Form, depth: int) -> Nodes:
        """Those below which, up to a depth, something is new: each match that was not there before begins at one of them."""
        if (form, depth) not in self._roots:
            grown = self._grown_within(depth - 1)
            self._roots[form, depth] = [
                (eclass, children)
                for new, eclass, children in self._forms.get(form, ())
                if new or not grown.isdisjoint(children)
            ]
        return self._roots[form, depth]

    def _grown_within(self, depth: int) -> set[int]:
        """Classes that have something new among their nodes (depth 1), or among their children's (2), and so on."""
        while len(self._grown) <= depth:
            below = self._grown[-1]
            nodes = (node for nodes in self._forms.values() for node in nodes)
            self._grown.append(below | {eclass for _, eclass, children in nodes if not below.isdisjoint(children)})
        return self._grown[depth]


class _Try(NamedTuple):
    """Each node of this form of the class in a register; its children go to the registers from `into` on."""

    form: Form
    register: int
    into: int


class _Same(NamedTuple):
    """Two registers hold one class."""

    one: int
    other: int


class Left:
    """The left side of a rule, ready to be matched. `registers` leads from each variable to its register; the class that
    matches is in register 0."""

    def __init__(self, pattern: Pattern) -> None:
        self.registers: dict[str, int] = {}
        self.steps: list[_Try | _Same] = []
        self.size, self.depth = 1, 0
        waiting: list[tuple[Pattern, int, int]] = [(pattern, 0, 1)]
        while waiting:  # breadth first, so that what fails early is tried early
            part, register, depth = waiting.pop(0)
            if not is_variable(part):
                op, *parts = part
                self.steps.append(_Try((op, len(parts)), register, self.size))
                waiting += [(each, self.size + at, depth + 1) for at, each in enumerate(parts)]
                self.size, self.depth = self.size + len(parts), depth
            elif part in self.registers:
                self.steps.append(_Same(self.registers[part], register))
            else:
                self.registers[part] = register

    def match(
        self, moment: Moment, found: Callable[[list[int]], None], spend: Callable[[int], None], *, recent: bool
    ) -> None:
        """`found(registers)` of every place where the pattern matches, with `recent` of every one that is new; `spend(nodes)`
        whenever nodes have been tried. Either may raise, to end the search."""
        registers = [0] * self.size
        then: Callable[[], None] = lambda: found(registers)  # noqa: E731
        for step in reversed(self.steps[1:]):
            then = self._linked(step, moment.tables, registers, spend, then)
        first = self.steps[0]
        assert isinstance(first, _Try)
        begin, end = first.into, first.into + first.form[1]
        for eclass, children in moment.recent(first.form, self.depth) if recent else moment.all_of(first.form):
            spend(1)
            registers[0] = eclass
            registers[begin:end] = children
            then()

    @staticmethod
    def _linked(
        step: _Try | _Same, tables: Tables, registers: list[int], spend: Callable[[int], None], then: Callable[[], None]
    ) -> Callable[[], None]:
        """One step, with the steps after it."""
        if isinstance(step, _Same):
            one, other = step

            def compare() -> None:
                if registers[one] == registers[other]:
                    then()

            return compare
        by_class = tables.get(step.form, {})
        register, begin, end = step.register, step.into, step.into + step.form[1]

        def try_each() -> None:
            nodes = by_class.get(registers[register])
            if nodes is not None:
                spend(len(nodes))
                for children in nodes:
                    registers[begin:end] = children
                    then()

        return try_each


class Right:
    """The right side of a rule, ready to be built from the registers of its left side. `size`: nodes that it has at most."""

    def __init__(self, pattern: Pattern, left: Left) -> None:
        self.size = 0
        self._root = self._numbered(pattern, left)

    def _numbered(self, pattern: Pattern, left: Left) -> Any:
        """The pattern, with registers in the place of variables."""
        if is_variable(pattern):
            return left.registers[pattern]
        self.size += 1
        op, *parts = pattern
        return op, [self._numbered(part, left) for part in parts]

    def builder(self, egraph: EGraph) -> Callable[[list[int]], int]:
        """A function of the registers: the right side's e-class, with nodes added where there are none."""
        return _builder(self._root, egraph.add)

    def missing(self, egraph: EGraph, registers: list[int]) -> int:
        """How many nodes the builder would add."""
        missing: set[Any] = set()

        def known(part: Any) -> Any:
            """The class of a part, or what tells apart parts that have none."""
            if isinstance(part, int):
                return egraph.find(registers[part])
            below = tuple(known(each) for each in part[1])
            found = egraph.lookup(part[0], below) if all(isinstance(each, int) for each in below) else None
            if found is None:
                missing.add((part[0], below))
                return part[0], below
            return found

        known(self._root)
        return len(missing)


def _builder(part: Any, add: Callable[[str, tuple[int, ...]], int]) -> Callable[[list[int]], int]:
    if isinstance(part, int):
        return itemgetter(part)
    op, parts = part
    if len(parts) > 1 and all(isinstance(each, int) for each in parts):
        children = itemgetter(*parts)
        return lambda registers: add(op, children(registers))
    below = [_builder(each, add) for each in parts]
    return lambda registers: add(op, tuple([each(registers) for each in below]))
