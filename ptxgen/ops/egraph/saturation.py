"""Equality saturation of a host e-graph: rewrite rules, rounds of matching and merging, and the cheapest term of a class.

A pattern is a nested tuple of an operator and patterns; a string that begins with "?" stands for any e-class, a tuple of an
operator alone for a node without children: `("add", "?a", ("zero",))`. Matching is on the host; congruence is restored after
each round, on the host or, where a device is given, there (`rebuild_on`).
"""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

from ptxgen.ops.egraph.bridge import rebuild_on
from ptxgen.ops.egraph.errors import RunError, expect_count

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ptxgen.host import Device
    from ptxgen.ops.egraph.host import EGraph

__all__ = ["BUDGET", "Best", "Family", "Rule", "Saturated", "extract_best", "saturate"]

BUDGET = 1024
"""Rounds of a saturation, and of an extraction's relaxation, at most."""

Pattern = Any
"""A tuple (operator, pattern, ...), or "?name"."""

Bound = dict[str, int]


class Rule:
    """`Rule(name, left, right)`: wherever `left` matches, `right` is the same. RunError for what is not a pattern, and where the
    right side has a variable that the left side does not bind."""

    def __init__(self, name: str, left: Pattern, right: Pattern) -> None:
        self.name, self.left, self.right = name, left, right
        if not isinstance(left, tuple):
            raise RunError(
                "WrongArgument", name=f"rule {name!r}", found=f"of the left side {left!r}", expected="a tuple"
            )
        free = set(_variables(right)) - set(_variables(left))
        if free:
            found = f"with {', '.join(sorted(free))} on the right alone"
            raise RunError("WrongArgument", name=f"rule {name!r}", found=found, expected="variables of the left side")

    def __repr__(self) -> str:
        return f"<rule {self.name}: {self.left} = {self.right}>"


class Family(NamedTuple):
    """Rules under one name, applied together."""

    name: str
    rules: tuple[Rule, ...]


def _variables(pattern: Pattern) -> Iterator[str]:
    if isinstance(pattern, str) and pattern.startswith("?"):
        yield pattern
    elif isinstance(pattern, tuple) and pattern and isinstance(pattern[0], str):
        for part in pattern[1:]:
            yield from _variables(part)
    else:
        raise RunError("WrongArgument", name="a pattern", found=repr(pattern), expected='("op", ...) or "?name"')


class _Matcher:
    """The nodes of one moment, by class and by operator; of equal ones the first."""

    def __init__(self, egraph: EGraph) -> None:
        self.of_class: dict[int, list[tuple[str, tuple[int, ...]]]] = defaultdict(list)
        self.with_op: dict[str, set[int]] = defaultdict(set)
        find = egraph.find
        seen: set[tuple[int, str, tuple[int, ...]]] = set()
        for eclass, op, children in egraph.nodes():
            root, canonical = find(eclass), tuple(map(find, children))
            if (root, op, canonical) not in seen:
                seen.add((root, op, canonical))
                self.of_class[root].append((op, canonical))
                self.with_op[op].add(root)

    def everywhere(self, pattern: Pattern) -> Iterator[tuple[int, Bound]]:
        """(e-class, variables) of every place where the pattern matches, in order of the classes."""
        for eclass in sorted(self.with_op[pattern[0]]):
            for bound in self.at(pattern, eclass, {}):
                yield eclass, bound

    def at(self, pattern: Pattern, eclass: int, bound: Bound) -> Iterator[Bound]:
        if isinstance(pattern, str):
            if bound.setdefault(pattern, eclass) == eclass:
                yield bound
            return
        op, *parts = pattern
        for node_op, children in self.of_class[eclass]:
            if node_op == op and len(children) == len(parts):
                yield from self._all(parts, children, dict(bound))

    def _all(self, parts: Sequence[Pattern], children: Sequence[int], bound: Bound) -> Iterator[Bound]:
        if not parts:
            yield bound
            return
        for found in self.at(parts[0], children[0], dict(bound)):
            yield from self._all(parts[1:], children[1:], found)


def _make(egraph: EGraph, pattern: Pattern, bound: Bound) -> int:
    if isinstance(pattern, str):
        return bound[pattern]
    op, *parts = pattern
    return egraph.add(op, [_make(egraph, part, bound) for part in parts])


class Saturated(NamedTuple):
    """How many rounds there were, what each merged, and whether the last one found nothing new (or the budget ran out)."""

    unions: tuple[int, ...]
    saturated: bool

    @property
    def rounds(self) -> int:
        return len(self.unions)


def saturate(
    egraph: EGraph, rules: Iterable[Rule | Family], *, budget: int = BUDGET, most_nodes: int | None = None,
    device: Device | None = None,
) -> Saturated:  # fmt: skip
    """Apply rules until nothing changes, for `budget` rounds at most, or until there are `most_nodes` nodes: the last match may
    add what its right side has beyond them."""
    budget = expect_count("budget", budget, least=1)
    flat = [rule for member in rules for rule in (member.rules if isinstance(member, Family) else (member,))]
    unions: list[int] = []
    while len(unions) < budget:
        matcher, before, made = _Matcher(egraph), egraph.class_count, 0
        matches = ((rule, *found) for rule in flat for found in matcher.everywhere(rule.left))
        for rule, eclass, bound in matches:
            made += egraph.union(eclass, _make(egraph, rule.right, bound))
            if most_nodes is not None and egraph.node_count >= most_nodes:
                break
        made += rebuild_on(device, egraph) if device is not None else egraph.rebuild()
        unions.append(made)
        if not made and egraph.class_count == before:
            return Saturated(tuple(unions), True)
        if most_nodes is not None and egraph.node_count >= most_nodes:
            break
    return Saturated(tuple(unions), False)


class Best(NamedTuple):
    """A cheapest term: a nested tuple like a pattern without variables."""

    cost: float
    term: tuple[Any, ...]


def extract_best(egraph: EGraph, eclass: int, cost: Callable[[str], float] = lambda op: 1.0) -> Best:
    """The cheapest term of an e-class: `cost(op)` and those of the children are added up. Of equal ones, the node that was
    added first. RunError for a class without a finite term, and for costs that are not positive."""
    matcher = _Matcher(egraph)
    best: dict[int, float] = {}

    def total_of(own: float, children: tuple[int, ...]) -> float:
        return own + sum([best.get(child, math.inf) for child in children])

    changed, rounds = True, 0
    while changed and rounds < max(BUDGET, egraph.class_count):
        changed, rounds = False, rounds + 1
        for root, nodes in matcher.of_class.items():
            for op, children in nodes:
                own = cost(op)
                if not own > 0:
                    raise RunError(
                        "WrongArgument", name=f"the cost of {op!r}", found=repr(own), expected="a positive cost"
                    )
                total = total_of(own, children)
                if total < best.get(root, math.inf):
                    best[root], changed = total, True
    root = egraph.find(eclass)
    if root not in best:
        raise RunError(
            "WrongArgument", name=f"e-class {eclass}", found="without a finite term", expected="another class"
        )

    def chosen(of: int) -> tuple[str, tuple[int, ...]]:
        return min(matcher.of_class[of], key=lambda node: total_of(cost(node[0]), node[1]))  # the first of equal ones

    terms: dict[int, tuple[Any, ...]] = {}  # one of each class, however often it is used
    waiting = [(root, *chosen(root))]
    while waiting:
        of, op, children = waiting[-1]
        missing = [child for child in dict.fromkeys(children) if child not in terms]
        if missing:
            waiting += [(child, *chosen(child)) for child in missing]
        else:
            terms[of] = (op, *[terms[child] for child in children])
            waiting.pop()
    return Best(best[root], terms[root])
