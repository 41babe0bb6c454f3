"""Every path through a function, as one thread takes it, with the state of a protocol along it.

A state is any hashable value; a protocol says how an event changes it. Ways that contradict themselves are not walked: a
branch on `%tid.x == 0` that was taken once is taken again. What settles a debt (a wait, a commit, a deallocation) is believed
to run where the text skips it under a condition that nothing is known about, so that a finding is about a path that really
misses it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeVar

from ptxgen.dataflow.graph.algorithms import members
from ptxgen.dataflow.values.value_numbers import ValueNumbers

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping

    from ptxgen.dataflow.bodies.body import Body
    from ptxgen.dataflow.graph.cfg import BasicBlock
    from ptxgen.dataflow.values.value_numbers import Fact

__all__ = ["PathEvent", "Paths", "stretches"]

S = TypeVar("S", bound="Hashable")
T = TypeVar("T")

_VISITS = 4000  # of blocks; a search that needs more is given up


class PathEvent(NamedTuple):
    """Something that matters to a protocol: `kind` and `data` are its own.

    `settles`: it pays a debt (see above). `either`: where it has a guard, both outcomes are walked; others are taken to happen.
    `credited`: it stands for one that the text skips here, and says nothing about a debt that there is not.
    """

    position: int
    kind: str
    data: object = None
    settles: bool = False
    either: bool = False
    credited: bool = False


def stretches(body: Body, parts: Mapping[int, T], events: Iterable[PathEvent]) -> list[tuple[int, list[T]]]:
    """What stands at some positions, by stretches of a block that no event and no guard cuts, each with its first position.

    A walk is quicker with one event for a stretch than with one for each of its instructions.
    """
    others = {event.position for event in events}
    found: list[tuple[int, list[T]]] = []
    block, whole = -1, False
    """Of the last stretch; may it go on?"""
    for position in sorted({*parts, *others}):
        index = body.flow.block_at(position).index
        alone = position in others or body.instructions[position].pred is not None
        if position in parts:
            if whole and not alone and index == block:
                found[-1][1].append(parts[position])
            else:
                found.append((position, [parts[position]]))
        block, whole = index, position in parts and not alone
    return found


class _Edge(NamedTuple):
    """An edge out of a block, and what it says, as bits."""

    to: int
    facts: int
    against: int
    """The facts that rule it out."""
    first: int
    """The fact about its guard."""


class _Guard(NamedTuple):
    """The guard of an event, as bits: the facts by which it holds, those by which it fails, and those that rule it out."""

    when: int
    unless: int
    against: int
    asks: bool
    """Is it a condition at all?"""


class Paths:
    """The paths through one body."""

    def __init__(self, body: Body) -> None:
        self.body = body
        self.visits = 0
        """Of blocks, by all the walks so far, their preparation with them."""
        self.values = values = body.analysis(ValueNumbers)
        self._branches: dict[int, tuple[tuple[Fact, ...], tuple[Fact, ...]]] = {}
        """By block that ends in a guarded branch or exit: what holds where it falls through, and where it goes."""
        self._tested: dict[int, int] = {}
        for block in body.flow.blocks:
            last = block.end - 1
            if block.start <= last and body.instructions[last].pred is not None:
                if len(block.successors) + block.leaves < 2:
                    continue
                guard = body.instructions[last].pred
                assert guard is not None
                falls, goes = values.facts(guard, last, False), values.facts(guard, last, True)
                self._branches[block.index] = (falls, goes)
                for number in {number for number, _ in (*falls, *goes)}:
                    self._tested[number] = self._tested.get(number, 0) + 1
        self._skips: dict[int, list[tuple[int, int]]] = {}
        self._bits: dict[int, int] = {}
        """By condition, the bit that says that it holds; the next says that it does not."""
        self.forgets: dict[int, list[tuple[int, int]]] = {}
        """By block, (position, facts that are kept) where a register that a condition depends on is written anew."""
        self.kept: list[int] = [-1] * len(body.flow.blocks)
        """By block, the facts that none of these takes away."""
        self.edges: list[list[_Edge]] = [self._edges(block) for block in body.flow.blocks]
        self.asked: list[int] = self._asked()

    def _edges(self, block: BasicBlock) -> list[_Edge]:
        found = []
        falls, goes = self._branches.get(block.index, ((), ()))
        for place, successor in enumerate(block.successors):
            facts = falls if place == 0 else goes
            found.append(_Edge(successor, self.bits(facts), self.against(facts), self.bits(facts[:1])))
        return found

    def _asked(self) -> list[int]:
        """By block, the facts that a branch at its end or behind it asks for."""
        flow = self.body.flow
        asked = [0] * len(flow.blocks)
        for index, (falls, goes) in self._branches.items():
            asked[index] = self.bits(falls) | self.against(falls) | self.bits(goes) | self.against(goes)
        changed = True
        while changed:
            changed = False
            for index in reversed(flow.order):
                bits = asked[index]
                for successor in flow.blocks[index].successors:
                    bits |= asked[successor]
                if bits != asked[index]:
                    asked[index], changed = bits, True
        return asked

    def bits(self, facts: Iterable[Fact]) -> int:
        """Facts as the bits of an integer."""
        found = 0
        for number, holds in facts:
            bit = self._bits.get(number) or self._enter(number)
            found |= bit if holds else bit << 1
        return found

    def against(self, facts: Iterable[Fact]) -> int:
        """What contradicts one of these."""
        return self.bits([(number, not holds) for number, holds in facts])

    def _enter(self, number: int) -> int:
        bit = self._bits[number] = 1 << 2 * len(self._bits)
        block_at, definitions = self.body.flow.block_at, self.values.definitions
        for register in _registers(self.values, number):
            for position in definitions.get(register, ()):
                index = block_at(position).index
                self.forgets.setdefault(index, []).append((position, ~(3 * bit)))
                self.kept[index] &= ~(3 * bit)
        return bit

    def walk(
        self,
        events: Iterable[PathEvent],
        start: S,
        step: Callable[[S, PathEvent], S],
        leave: Callable[[S, int], None] | None = None,
    ) -> bool:
        """Take `start` along every path: `step(state, event)` at each event, `leave(state, position)` where a thread exits.

        False when there were too many paths to walk; what was found by then says nothing.
        """
        return _PathWalk(self, events, step, leave).run(start)

    def skips(self, position: int) -> list[tuple[int, int]]:
        """The edges (block, successor) that go around the instruction there."""
        known = self._skips.get(position)
        if known is None:
            known = self._skips[position] = _skips(self, position)
        return known


class _PathWalk:
    """One walk. What is known of conditions on the way is an integer: two bits for each that is followed."""

    def __init__(
        self,
        paths: Paths,
        events: Iterable[PathEvent],
        step: Callable[..., Hashable],
        leave: Callable[..., None] | None,
    ) -> None:
        self.paths, self.step, self.leave = paths, step, leave
        self.flow, self.instructions = paths.body.flow, paths.body.instructions
        ordered = sorted(events, key=lambda event: event.position)
        self.events: list[list[PathEvent]] = [[] for _ in self.flow.blocks]
        for event in ordered:
            self.events[self.flow.block_at(event.position).index].append(event)
        tested = dict(paths._tested)
        self.guards: dict[int, _Guard] = {}
        for event in ordered:
            guard = self.instructions[event.position].pred
            if guard is not None and event.position not in self.guards:
                when = paths.values.facts(guard, event.position, True)
                unless = paths.values.facts(guard, event.position, False)
                self.guards[event.position] = _Guard(
                    paths.bits(when), paths.bits(unless), paths.against(when), bool(when)
                )
                for number, _ in when:
                    tested[number] = tested.get(number, 0) + 1
        once = [(number, True) for number, count in tested.items() if count < 2]
        self.followed = ~(paths.bits(once) | paths.against(once))
        """The conditions that are asked more than once: what is known of others tells nothing."""
        self.guarded = {self.flow.block_at(position).index for position in self.guards}
        self.useful = self._useful()
        self.credit: dict[tuple[int, int], list[PathEvent]] = {}
        """By edge, the debts settled there on credit."""
        for event in ordered:
            for skipped in paths.skips(event.position) if event.settles else ():
                self.credit.setdefault(skipped, []).append(event._replace(credited=True))

    def _useful(self) -> list[int]:
        """What is still asked at or behind a block: what is known of other conditions need not be remembered."""
        useful = list(self.paths.asked)
        for position, guard in self.guards.items():
            for index in members(self.flow.leading(self.flow.block_at(position).index)):
                useful[index] |= guard.when | guard.against
        return [facts & self.followed for facts in useful]

    def run(self, start: Hashable) -> bool:
        flow, step, leave, leaving = self.flow, self.step, self.leave, self._leaving()
        seen: list[set[tuple[Hashable, int]]] = [set() for _ in flow.blocks]
        work: list[tuple[int, Hashable, int]] = [(0, start, 0)]
        seen[0].add((start, 0))
        edges, kept, useful, credit = self.paths.edges, self.paths.kept, self.useful, self.credit
        visits = 0
        self.paths.visits += 3 * len(flow.blocks)
        while work:
            index, state, facts = work.pop()
            visits += 1
            self.paths.visits += 1
            if visits > _VISITS:
                return False
            if index in self.guarded:
                ends = self._through(index, state, facts)
                if ends is None:
                    return False
            else:
                for event in self.events[index]:
                    state = step(state, event)
                ends = [(state, facts & kept[index])]
            for after, known in ends:
                if index in leaving and leave is not None and not known & leaving[index]:
                    leave(after, max(flow.blocks[index].end - 1, 0))
                for to, facts, against, first in edges[index]:
                    if known & against:
                        continue
                    onward = after
                    if (index, to) in credit and not known & first:
                        for event in credit[index, to]:
                            onward = step(onward, event)
                    then = onward, (known | facts) & useful[to]
                    if then not in seen[to]:
                        seen[to].add(then)
                        work.append((to, *then))
        return True

    def _leaving(self) -> dict[int, int]:
        """The blocks at whose end threads leave in a way that somebody asks for, and the facts by which they do not."""
        found = {}
        for block in self.flow.blocks if self.leave is not None else ():
            if block.leaves and not (block.end > block.start and self.instructions[block.end - 1].op == "trap"):
                found[block.index] = self.paths.against(self.paths._branches.get(block.index, ((), ()))[1])
        return found

    def _through(self, index: int, state: Hashable, facts: int) -> list[tuple[Hashable, int]] | None:
        """The states at the end of a block whose guarded events may or may not have happened; None for too many."""
        states = [(state, facts)]
        marks: list[tuple[int, PathEvent | int]] = [(event.position, event) for event in self.events[index]]
        marks += self.paths.forgets.get(index, ())
        for position, mark in sorted(marks, key=lambda mark: mark[0]):
            if isinstance(mark, int):
                states = [(s, known & mark) for s, known in states]
            elif position not in self.guards:
                states = [(self.step(s, mark), known) for s, known in states]
            else:
                states = self._guarded(mark, states)
                if len(states) > _VISITS:  # guards that are asked twice double them
                    return None
        return list(dict.fromkeys(states))

    def _guarded(self, event: PathEvent, states: list[tuple[Hashable, int]]) -> list[tuple[Hashable, int]]:
        """A guarded event: it happens unless its guard is known to fail; a guard that is asked again makes two paths."""
        when, unless, against, asks = self.guards[event.position]
        when, unless = when & self.followed, unless & self.followed
        found: list[tuple[Hashable, int]] = []
        for state, known in states:
            if known & against:
                found.append((state, known))
                continue
            found.append((self.step(state, event), known | when))
            if event.either and asks and not when:
                found.append((state, known))
            if when & ~known:
                found.append((state, known | unless))
        return found


def _registers(values: ValueNumbers, number: int) -> set[int]:
    """The registers that a value depends on and that are values of their own."""
    found: set[int] = set()
    seen: set[int] = set()
    work = [number]
    while work:
        current = work.pop()
        if current in seen:
            continue
        seen.add(current)
        key = values.keys[current]
        if key[0] == "reg" and isinstance(key[1], int):
            found.add(key[1])
        work += values.inputs(current)
    return found


def _skips(paths: Paths, position: int) -> list[tuple[int, int]]:
    """The edges (block, successor) that go around an event, straight to where the paths meet again: of an `if` without else.

    Neither an exit of a loop around the event nor a branch with other work to do is a path around it.
    """
    flow = paths.body.flow
    found = []
    index = flow.block_at(position).index
    if index not in flow.reachable:
        return []
    current = index
    while flow.dominators[current] != current:
        above = flow.dominators[current]
        if flow.post_dominates(current, above):
            current = above
            continue
        if above not in flow.behind(current):
            meet = flow.post_dominators[above]
            if meet in flow.blocks[above].successors and current not in flow.behind(meet):
                found.append((above, meet))
        current = above
    return found
