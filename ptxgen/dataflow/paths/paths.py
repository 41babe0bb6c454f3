"""Every path through a function, as one thread takes it, with the state of a protocol along it.

A state is any hashable value; a protocol says how an event changes it. Ways that contradict themselves are not walked: a
branch on `%tid.x == 0` that was taken once is taken again. What settles a debt (a wait, a commit, a deallocation) is believed
to run where the text skips it under a condition that nothing is known about, so that a finding is about a path that really
misses it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeVar

from ptxgen.dataflow.values.value_numbers import ValueNumbers

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable

    from ptxgen.dataflow.bodies.body import Body
    from ptxgen.dataflow.values.value_numbers import Fact

__all__ = ["PathEvent", "Paths"]

S = TypeVar("S", bound="Hashable")

Facts = frozenset["Fact"]

_NOTHING: Facts = frozenset()
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


class _Edge(NamedTuple):
    """An edge out of a block: the facts it implies, and the debts settled there on credit."""

    to: int
    facts: tuple[Fact, ...]
    credit: tuple[PathEvent, ...]


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


class _PathWalk:
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
        self.guards: dict[int, tuple[tuple[Fact, ...], tuple[Fact, ...]]] = {}
        tested = dict(paths._tested)
        for event in ordered:
            guard = self.instructions[event.position].pred
            if guard is not None and event.position not in self.guards:
                when = paths.values.facts(guard, event.position, True)
                self.guards[event.position] = (when, paths.values.facts(guard, event.position, False))
                for number, _ in when:
                    tested[number] = tested.get(number, 0) + 1
        self.guarded = {self.flow.block_at(position).index for position in self.guards}
        self.followed = frozenset(number for number, count in tested.items() if count > 1)
        self.edges = self._edges([event for event in ordered if event.settles])
        self.useful = self._useful()
        self.forgets = self._forgets()

    def _edges(self, settling: list[PathEvent]) -> list[list[_Edge]]:
        flow, branches = self.flow, self.paths._branches
        credit: dict[tuple[int, int], list[PathEvent]] = {}
        for event in settling:
            for skipped in _skips(self.paths, event.position):
                credit.setdefault(skipped, []).append(event._replace(credited=True))
        edges: list[list[_Edge]] = []
        for block in flow.blocks:
            falls, goes = branches.get(block.index, ((), ()))
            own = []
            last = self.instructions[block.end - 1] if block.end > block.start else None
            for place, successor in enumerate(block.successors):
                facts = (falls if place == 0 else goes) if last is not None and last.pred is not None else ()
                if len(block.successors) == 1 and not block.leaves:
                    facts = ()
                own.append(_Edge(successor, facts, tuple(credit.get((block.index, successor), ()))))
            edges.append(own)
        return edges

    def _useful(self) -> list[frozenset[int]]:
        """The conditions that are still asked at or behind a block: what is known of others need not be remembered."""
        flow = self.flow
        asked: list[set[int]] = [set() for _ in flow.blocks]
        for index, (falls, goes) in self.paths._branches.items():
            asked[index].update(number for number, _ in (*falls, *goes) if number in self.followed)
        for index, events in enumerate(self.events):
            for event in events:
                if event.position in self.guards:
                    asked[index].update(n for n, _ in self.guards[event.position][0] if n in self.followed)
        changed = True
        while changed:
            changed = False
            for index in reversed(flow.order):
                before = len(asked[index])
                for successor in flow.blocks[index].successors:
                    asked[index] |= asked[successor]
                changed |= len(asked[index]) != before
        return [frozenset(numbers) for numbers in asked]

    def _forgets(self) -> dict[int, list[tuple[int, int]]]:
        """By block, (position, condition) where a register that the condition depends on is written anew."""
        values, body = self.paths.values, self.paths.body
        found: dict[int, list[tuple[int, int]]] = {}
        for number in self.followed:
            for register in _registers(values, number):
                for position in values.definitions.get(register, ()):
                    found.setdefault(body.flow.block_at(position).index, []).append((position, number))
        return found

    def run(self, start: Hashable) -> bool:
        flow = self.flow
        seen: list[set[tuple[Hashable, Facts]]] = [set() for _ in flow.blocks]
        work: list[tuple[int, Hashable, Facts]] = [(0, start, _NOTHING)]
        seen[0].add((start, _NOTHING))
        visits = 0
        self.paths.visits += 3 * len(flow.blocks)
        while work:
            index, state, facts = work.pop()
            visits += 1
            self.paths.visits += 1
            if visits > _VISITS:
                return False
            block = flow.blocks[index]
            ends = self._through(index, state, facts)
            if ends is None:
                return False
            for after, known in ends:
                if block.leaves:
                    self._leaves(index, after, known)
                for edge in self.edges[index]:
                    asked = known or edge.facts or edge.credit
                    then = self._follow(edge, after, known) if asked else (after, known)
                    if then is not None and then not in seen[edge.to]:
                        seen[edge.to].add(then)
                        work.append((edge.to, *then))
        return True

    def _leaves(self, index: int, state: Hashable, facts: Facts) -> None:
        block = self.flow.blocks[index]
        if self.leave is None or (block.end > block.start and self.instructions[block.end - 1].op == "trap"):
            return
        goes = self.paths._branches.get(index, ((), ()))[1]
        if not any((number, not holds) in facts for number, holds in goes):
            self.leave(state, max(block.end - 1, 0))

    def _follow(self, edge: _Edge, state: Hashable, facts: Facts) -> tuple[Hashable, Facts] | None:
        new = []
        for number, holds in edge.facts:
            if (number, not holds) in facts:
                return None
            if number in self.followed and (number, holds) not in facts:
                new.append((number, holds))
        if edge.credit and not (edge.facts and edge.facts[0] in facts):
            for event in edge.credit:
                state = self.step(state, event)
        if new:
            facts |= frozenset(new)
        if facts:
            useful = self.useful[edge.to]
            facts = frozenset([fact for fact in facts if fact[0] in useful]) if useful else _NOTHING
        return state, facts

    def _through(self, index: int, state: Hashable, facts: Facts) -> list[tuple[Hashable, Facts]] | None:
        """The states at a block's end: one, or more where guarded events may or may not have happened; None for too many."""
        forgets = self.forgets.get(index)
        if forgets is None and index not in self.guarded:
            for event in self.events[index]:
                state = self.step(state, event)
            return [(state, facts)]
        states = [(state, facts)]
        marks: list[tuple[int, PathEvent | int]] = [(event.position, event) for event in self.events[index]]
        marks += forgets or []
        for position, mark in sorted(marks, key=lambda mark: mark[0]):
            if isinstance(mark, int):
                states = [(s, frozenset(f for f in known if f[0] != mark)) for s, known in states]
            elif position not in self.guards:
                states = [(self.step(s, mark), known) for s, known in states]
            else:
                states = self._guarded(mark, states)
                if len(states) > _VISITS:  # guards that are asked twice double them
                    return None
        return list(dict.fromkeys(states))

    def _guarded(self, event: PathEvent, states: list[tuple[Hashable, Facts]]) -> list[tuple[Hashable, Facts]]:
        """A guarded event: it happens unless its guard is known to fail; a guard that is asked again makes two paths."""
        when, unless = self.guards[event.position]
        found: list[tuple[Hashable, Facts]] = []
        for state, known in states:
            if any((number, not holds) in known for number, holds in when):
                found.append((state, known))
                continue
            new = frozenset(fact for fact in when if fact[0] in self.followed)
            found.append((self.step(state, event), known | new))
            if event.either and not new and any(fact not in known for fact in when):
                found.append((state, known))
            if new and not new <= known:
                found.append((state, known | frozenset(f for f in unless if f[0] in self.followed)))
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
        if not _reaches(paths, current, above):
            meet = flow.post_dominators[above]
            if meet in flow.blocks[above].successors and not _reaches(paths, meet, current):
                found.append((above, meet))
        current = above
    return found


def _reaches(paths: Paths, first: int, second: int) -> bool:
    """May control come from the end of one block to another?"""
    blocks = paths.body.flow.blocks
    seen: set[int] = set()
    work = list(blocks[first].successors)
    while work:
        index = work.pop()
        if index == second:
            return True
        if index not in seen:
            seen.add(index)
            work += blocks[index].successors
    return False
