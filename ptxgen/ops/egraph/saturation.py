"""Equality saturation of a host e-graph: rewrite rules, rounds of matching and merging, and limits that hold within a round.

A round matches every rule against the nodes that there were when it began, looks only for matches that the round before did not
have, and applies each as soon as it is found; so a limit ends the search in the middle of a round, and no list of matches is
kept. Congruence is restored after each round, on the host or, where a device is given, there (`rebuild_on`).
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple

from ptxgen.ops.egraph.bridge import rebuild_on
from ptxgen.ops.egraph.errors import RunError, expect_count
from ptxgen.ops.egraph.patterns import Left, Moment, Pattern, Right, variables_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ptxgen.host import Device
    from ptxgen.ops.egraph.host import EGraph

    Condition = Callable[[EGraph, dict[str, int]], Any]

__all__ = ["BUDGET", "Backoff", "Family", "Rule", "Saturated", "saturate"]

BUDGET = 1024
"""Rounds of a saturation at most."""
GLANCE = 1000
"""Nodes that are tried between two looks at the clock: a fraction of a millisecond."""


class Rule:
    """`Rule(name, left, right)`: wherever `left` matches, `right` is the same.

    `when(egraph, classes)`: a condition, of the e-graph and the e-class of each variable ("?a" and so on); the match counts where
    it is true. RunError for what is not a pattern, and where the right side has a variable that the left side does not bind.
    """

    def __init__(self, name: str, left: Pattern, right: Pattern, *, when: Condition | None = None) -> None:
        self.name, self.left, self.right, self.when = name, left, right, when
        if not isinstance(left, tuple):
            raise RunError(
                "WrongArgument", name=f"rule {name!r}", found=f"of the left side {left!r}", expected="a tuple"
            )
        free = set(variables_of(right)) - set(variables_of(left))
        if free:
            found = f"with {', '.join(sorted(free))} on the right alone"
            raise RunError("WrongArgument", name=f"rule {name!r}", found=found, expected="variables of the left side")
        if when is not None and not callable(when):
            raise RunError(
                "WrongArgument", name=f"rule {name!r}", found=f"with the condition {when!r}",
                expected="a function of the e-graph and the e-classes of the variables",
            )  # fmt: skip
        self._left = Left(left)
        self._right = Right(right, self._left)

    def __repr__(self) -> str:
        return f"<rule {self.name}: {self.left} = {self.right}>"


class Family(NamedTuple):
    """Rules under one name, applied together."""

    name: str
    rules: tuple[Rule, ...]


class Backoff(NamedTuple):
    """A rule with more than `matches` matches in a round is not tried for the next `rounds` rounds; both double each time (as
    egg's BackoffScheduler does). What a rule matched up to then is applied."""

    matches: int = 1000
    rounds: int = 5


class Saturated(NamedTuple):
    """How a saturation went.

    `unions` that each round made; `saturated`, whether the last round found nothing new; `stopped`, why there was no further
    round: "saturated", "rounds", "nodes", "matches" or "seconds"; `matches` that each rule had, by its name, and `seconds`.
    """

    unions: tuple[int, ...]
    saturated: bool
    stopped: str
    matches: dict[str, int]
    seconds: float

    @property
    def rounds(self) -> int:
        return len(self.unions)


class _LimitReached(Exception):
    """Ends a round; the argument is which limit it was."""


class _RuleFull(Exception):
    """Ends a rule's search of a round."""


class _Held:
    """Of a rule: how often a Backoff held it back, until which round, and which round's matches it has had all, or -1."""

    def __init__(self) -> None:
        self.times = self.until = 0
        self.complete = -1


def saturate(
    egraph: EGraph, rules: Iterable[Rule | Family], *, budget: int = BUDGET, most_nodes: int | None = None,
    most_matches: int | None = None, seconds: float | None = None, backoff: Backoff | None = None,
    device: Device | None = None,
) -> Saturated:  # fmt: skip
    """Apply rules until nothing changes, for `budget` rounds at most.

    Limits hold at every match, not after a round: there are never more than `most_nodes` nodes (where there are more already,
    nothing is added), nor more than `most_matches` matches in all; after `seconds` matching ends, and congruence is restored
    once more. `backoff` keeps rules that match very often from crowding out the others.
    """
    run = _Run(egraph, rules, most_nodes, most_matches, seconds, backoff)
    budget = expect_count("budget", budget, least=1)
    unions: list[int] = []
    stopped = ""
    while not stopped:
        before = egraph.class_count
        stopped = run.round(len(unions))
        made = run.made + (rebuild_on(device, egraph) if device is not None else egraph.rebuild())
        unions.append(made)
        if not stopped and not made and egraph.class_count == before and not run.release(len(unions)):
            stopped = "saturated"
        if not stopped and len(unions) == budget:
            stopped = "rounds"
    matches = {rule.name: 0 for rule in run.rules}
    for rule, count in zip(run.rules, run.matches):
        matches[rule.name] += count
    return Saturated(tuple(unions), stopped == "saturated", stopped, matches, time.monotonic() - run.begin)


class _Run:
    """A saturation under way: what counts towards its limits."""

    def __init__(
        self, egraph: EGraph, rules: Iterable[Rule | Family], most_nodes: int | None, most_matches: int | None,
        seconds: float | None, backoff: Backoff | None,
    ) -> None:  # fmt: skip
        self.egraph, self.backoff = egraph, backoff
        self.rules = [rule for member in rules for rule in (member.rules if isinstance(member, Family) else (member,))]
        self.most_nodes = None if most_nodes is None else expect_count("most_nodes", most_nodes)
        self.left = None if most_matches is None else expect_count("most_matches", most_matches)
        if backoff is not None:
            expect_count("matches of a Backoff", backoff.matches, least=1)
            expect_count("rounds of a Backoff", backoff.rounds)
        if seconds is not None and (not isinstance(seconds, (int, float)) or not seconds >= 0):
            raise RunError("WrongArgument", name="seconds", found=repr(seconds), expected="a number, 0 or more")
        self.begin = time.monotonic()
        self.deadline = None if seconds is None else self.begin + seconds
        self.matches = [0] * len(self.rules)
        self.held = [_Held() for _ in self.rules]
        self.made = self._tried = 0

    def round(self, number: int) -> str:
        """Match and apply every rule that is not held back; `made` unions that way. The limit that ended it, or ""."""
        moment, self.made = Moment(self.egraph, *self.egraph.changes()), 0
        try:
            self.look_at_the_clock()
            for index, held in enumerate(self.held):
                if held.until <= number:
                    self._apply(index, moment, number)
        except _LimitReached as limit:
            return str(limit)
        return ""

    def release(self, number: int) -> bool:
        """Nothing changed: let the rules that have not had all their matches begin in this round; False when there are none."""
        waiting = [held for held in self.held if held.complete != number - 1]
        for held in waiting:
            held.until = min(held.until, number)
        return bool(waiting)

    def _apply(self, index: int, moment: Moment, number: int) -> None:
        """All matches of a rule, or as many as a Backoff gives it."""
        rule, egraph, held = self.rules[index], self.egraph, self.held[index]
        right, most_nodes = rule._right, self.most_nodes
        allowed = self.backoff.matches << held.times if self.backoff is not None else None
        build, union = right.builder(egraph), egraph.union
        variables, count = rule._left.registers.items(), 0
        recent = rule.when is None and held.complete == number - 1 >= 0

        def found(registers: list[int]) -> None:
            nonlocal count
            if rule.when is not None and not rule.when(egraph, {name: registers[at] for name, at in variables}):
                return
            if count == allowed:
                raise _RuleFull
            if self.left is not None:
                if not self.left:
                    raise _LimitReached("matches")
                self.left -= 1
            room = None if most_nodes is None else most_nodes - egraph.node_count
            if room is not None and room < right.size and room < right.missing(egraph, registers):
                raise _LimitReached("nodes")
            count += 1
            self.made += union(registers[0], build(registers))

        try:
            rule._left.match(moment, found, self._spend, recent=recent)
            held.complete = number
        except _RuleFull:
            assert self.backoff is not None
            held.until = number + 1 + (self.backoff.rounds << held.times)
            held.times += 1
        finally:
            self.matches[index] += count

    def _spend(self, nodes: int) -> None:
        self._tried += nodes
        if self._tried >= GLANCE:
            self._tried = 0
            self.look_at_the_clock()

    def look_at_the_clock(self) -> None:
        if self.deadline is not None and time.monotonic() > self.deadline:
            raise _LimitReached("seconds")
