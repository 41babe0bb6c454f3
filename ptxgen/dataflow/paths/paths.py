"""Every path through a function, as one thread takes it, with the state of a protocol along it.

A state is any hashable value; a protocol says how an event changes it. Ways that contradict themselves are not walked: a
branch on `%tid.x == 0` that was taken once is taken again. What settles a debt (a wait, a commit, a deallocation) is believed
to run where the text skips it under a condition that nothing is known about, so that a finding is about a path that really
misses it.
"""

from __future__ import annotations

from heapq import heappop, heappush
from operator import or_
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from ptxgen.dataflow.graph.algorithms import bits, members
from ptxgen.dataflow.graph.regions import Region
from ptxgen.dataflow.graph.solver import solve
from ptxgen.dataflow.lazy import lazy
from ptxgen.dataflow.values.value_numbers import ValueNumbers

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping

    from ptxgen.dataflow.bodies.body import Body
    from ptxgen.dataflow.graph.cfg import BasicBlock
    from ptxgen.dataflow.values.value_numbers import Fact

__all__ = ["PathEvent", "PathWalk", "Paths", "stretches"]

S = TypeVar("S", bound="Hashable")
T = TypeVar("T")

_VISITS = 4000  # of blocks; a search that needs more is given up
_FEW = 5
"""Conditions; to remember more of them at once doubles the visits too often."""
_OFTEN = 3
"""Branches that ask for a condition."""


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

    edge: tuple[int, int]
    """(block, successor)"""
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
        self.conditions: dict[int, int] = {}
        """By condition, the bit that says that it holds; the next says that it does not."""
        self.forgets: dict[int, list[tuple[int, int]]] = {}
        """By block, (position, facts that are kept) where a register that a condition depends on is written anew."""
        self.kept: list[int] = [-1] * len(body.flow.blocks)
        """By block, the facts that none of these takes away."""
        self.edges: list[list[_Edge]] = [self._edges(block) for block in body.flow.blocks]
        self.asking: dict[int, int] = {
            index: self.bits(falls) | self.against(falls) | self.bits(goes) | self.against(goes)
            for index, (falls, goes) in self._branches.items()
        }
        """By block that ends in a guarded branch or exit, the facts that it asks for."""
        self._asked: dict[frozenset[int], list[int]] = {}
        self._places: dict[tuple[tuple[int, ...], int, bool], _Places] = {}

    def places(self, useful: tuple[int, ...], eventful: int, *, guarded: bool) -> _Places:
        """The places of walks that remember these facts at the starts of blocks, and look into these blocks, as bits.

        Guards of events may lead to more of them.
        """
        stops = eventful | self._telling(useful)
        known = self._places.get((useful, stops, guarded))
        if known is None:
            known = self._places[useful, stops, guarded] = _Places(self, useful, stops)
        return known

    def _telling(self, useful: tuple[int, ...]) -> int:
        """The first block, and those at whose end anything is learned, asked or forgotten of these facts, as bits."""
        found = 1
        for index, edges in enumerate(self.edges):
            behind = _union(useful[each.edge[1]] for each in edges)
            asks = _union(each.against for each in edges) & useful[index]
            if asks or behind & ~self.kept[index] or any(each.facts & useful[each.edge[1]] for each in edges):
                found |= 1 << index
        return found

    @lazy
    def leaving(self) -> dict[int, int]:
        """The blocks at whose end threads leave in a way that somebody asks for, and the facts by which they do not."""
        found = {}
        for block in self.body.flow.blocks:
            if block.leaves and not (block.end > block.start and self.body.instructions[block.end - 1].op == "trap"):
                found[block.index] = self.against(self._branches.get(block.index, ((), ()))[1])
        return found

    def _edges(self, block: BasicBlock) -> list[_Edge]:
        found = []
        falls, goes = self._branches.get(block.index, ((), ()))
        for place, successor in enumerate(block.successors):
            facts = falls if place == 0 else goes
            found.append(_Edge((block.index, successor), self.bits(facts), self.against(facts), self.bits(facts[:1])))
        return found

    def asked(self, deciding: frozenset[int]) -> list[int]:
        """By block, the facts that a branch at the end of one of these, at its end or behind it, asks for before they change."""
        found = self._asked.get(deciding)
        if found is None:
            kept, asking = self.kept, {index: self.asking.get(index, 0) for index in deciding}
            behind = solve(
                self.body.flow,
                lambda index, behind: (asking.get(index, 0) | behind) & kept[index],
                or_,
                0,
                forward=False,
            )
            found = [(asking.get(index, 0) | (each or 0)) & kept[index] for index, each in enumerate(behind)]
            self._asked[deciding] = found
        return found

    @lazy
    def learned(self) -> list[int | None]:
        """By block, the facts that branches on the way there may say."""
        says = [_union(each.facts for each in edges) for edges in self.edges]
        return solve(self.body.flow, lambda index, before: before & self.kept[index] | says[index], or_, 0)

    def bits(self, facts: Iterable[Fact]) -> int:
        """Facts as the bits of an integer."""
        found = 0
        for number, holds in facts:
            bit = self.conditions.get(number) or self._enter(number)
            found |= bit if holds else bit << 1
        return found

    def either(self, numbers: Iterable[int]) -> int:
        """All that can be known of some conditions."""
        return self.bits([(number, holds) for number in numbers for holds in (True, False)])

    def against(self, facts: Iterable[Fact]) -> int:
        """What contradicts one of these."""
        return self.bits([(number, not holds) for number, holds in facts])

    def _enter(self, number: int) -> int:
        bit = self.conditions[number] = 1 << 2 * len(self.conditions)
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
        return PathWalk(self, events, step, leave).run(start)

    def skips(self, position: int) -> list[tuple[int, int]]:
        """The edges (block, successor) that go around the instruction there."""
        known = self._skips.get(position)
        if known is None:
            known = self._skips[position] = _skips(self, position)
        return known


_Way = tuple[bool, list[tuple[int, tuple[int, int] | None]]]
"""How control goes on from the end of a block: may a thread leave the function there; the places that it comes to, each with
the edge where debts may be settled on it."""


class _Places:
    """The places of a body: a block, and what is known at its start of the conditions that a walk follows.

    Walks that follow the same conditions share them, so that what an edge rules out is worked out once for all. Only blocks among
    `stops` are places: in those between them nothing changes.
    """

    def __init__(self, paths: Paths, useful: tuple[int, ...], stops: int) -> None:
        self.useful, self._rank = useful, paths.body.flow.rank
        self._edges, self._kept, self._leaving = paths.edges, paths.kept, paths.leaving
        self.blocks: list[int] = []
        self.facts: list[int] = []
        self.order: list[int] = []
        """By place, what sorts it: the rank of its block, and in the low bits the place."""
        self.ways: dict[int, _Way] = {}
        """The way on from a place through its block, where it was asked for."""
        self._stretches = Region(paths.body.flow, -1, stops)
        self._numbers: dict[tuple[int, int], int] = {}
        self._enter(0, 0)

    def _enter(self, block: int, facts: int) -> int:
        number = self._numbers[block, facts] = len(self.blocks)
        self.blocks.append(block)
        self.facts.append(facts)
        self.order.append(self._rank[block] << 32 | number)
        return number

    def onward(self, place: int) -> _Way:
        """The way on from a place."""
        block = self.blocks[place]
        found = self.ways[place] = self.way(block, self.facts[place] & self._kept[block])
        return found

    def way(self, block: int, known: int) -> _Way:
        """The way on from the end of a block."""
        edges: list[tuple[int, tuple[int, int] | None]] = []
        for edge, facts, against, first in self._edges[block]:
            if not known & against:
                credited = None if known & first else edge
                for to in self._stretches.next(edge[1]):
                    then = (known | facts) & self.useful[to]
                    number = self._numbers.get((to, then))
                    if number is None:
                        number = self._enter(to, then)
                    edges.append((number, credited))
        leaving = self._leaving.get(block)
        return leaving is not None and not known & leaving, edges


_PLACE = (1 << 32) - 1


class PathWalk:
    """One walk. What is known of conditions on the way is an integer: two bits for each that is followed. States are bits, too.

    Where control comes to a block again in the same state, its events are not looked at again: `step` depends on nothing else.
    `roughly`: only conditions that many branches ask for are followed. Ways that contradict themselves are walked, too, and debts
    under other conditions are settled and are not: what is on no such way is on none.
    """

    def __init__(
        self,
        paths: Paths,
        events: Iterable[PathEvent],
        step: Callable[..., Hashable],
        leave: Callable[..., None] | None = None,
        *,
        roughly: bool = False,
    ) -> None:
        self.paths, self.step, self.leave, self.roughly = paths, step, leave, roughly
        self.flow, self.instructions = paths.body.flow, paths.body.instructions
        ordered = sorted(events, key=lambda event: event.position)
        self.events: dict[int, list[PathEvent]] = {}
        for event in ordered:
            self.events.setdefault(self.flow.block_at(event.position).index, []).append(event)
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
        self.guarded = {self.flow.block_at(position).index for position in self.guards}
        self.credit: dict[tuple[int, int] | None, list[PathEvent]] = {}
        """By edge, the debts settled there on credit."""
        for event in ordered:
            for skipped in paths.skips(event.position) if event.settles else ():
                self.credit.setdefault(skipped, []).append(event._replace(credited=True))
        deciding = self._deciding()
        seldom = self._seldom(deciding) if roughly else [number for number, count in tested.items() if count < 2]
        self.followed = ~paths.either(seldom)
        """The conditions that are asked more than once: what is known of others tells nothing."""
        self.doubtful = {edge for edge in self.credit if edge is not None and roughly and self._is_doubtful(edge)}
        """The edges of which it is not believed either that debts are settled there."""
        self.useful = self._useful(deciding)
        eventful = bits((*self.events, *(edge[0] for edge in self.credit if edge is not None)))
        if leave is not None:
            eventful |= bits(paths.leaving)
        self.places = paths.places(tuple(self.useful), eventful, guarded=bool(self.guards))
        self.states: list[Hashable] = []
        self._numbers: dict[Hashable, int] = {}
        self._after: dict[tuple[object, int], int] = {}
        """By block or edge and state, the state behind its events, as a bit."""

    @property
    def tangled(self) -> bool:
        """Are so many conditions to be remembered at once that the walk may well be given up?"""
        return max(self.useful).bit_count() > 2 * _FEW

    def _deciding(self) -> frozenset[int]:
        """The blocks that end in a branch on which it depends what happens: whichever way another goes, it comes to the same."""
        leaving = () if self.leave is None else self.paths.leaving
        choices = 0
        for index in (*self.events, *leaving):
            choices |= self.flow.controllers[index]
        skipping = [edge[0] for edge in self.credit if edge is not None]
        return frozenset([*self.flow.branches_of(choices), *leaving, *skipping])

    def _is_doubtful(self, edge: tuple[int, int]) -> bool:
        """May a walk that is not rough know the condition of the branch, on which this edge goes around an event?"""
        first = next(each.first for each in self.paths.edges[edge[0]] if each.edge == edge)
        learned = self.paths.learned[edge[0]] or 0
        for guard in self.guards.values():
            learned |= guard.when | guard.unless
        return bool(first & learned & ~self.followed)

    def _seldom(self, deciding: frozenset[int]) -> list[int]:
        """The conditions that few of the deciding branches ask for."""
        asking = [self.paths.asking[index] for index in deciding if index in self.paths.asking]
        asking += [guard.when | guard.against for guard in self.guards.values()]
        return [n for n, bit in self.paths.conditions.items() if sum([asks & 3 * bit > 0 for asks in asking]) < _OFTEN]

    def _useful(self, deciding: frozenset[int]) -> list[int]:
        """What is still asked at or behind a block: what is known of other conditions need not be remembered."""
        useful = list(self.paths.asked(deciding))
        for position, guard in self.guards.items():
            for index in members(self.flow.leading(self.flow.block_at(position).index)):
                useful[index] |= guard.when | guard.against
        return [facts & self.followed for facts in useful]

    def run(self, start: Hashable) -> bool:
        """Whether all paths were walked. A place is visited with all the states that have come to it by then."""
        flow, places, credit, doubtful, leave, events, guarded = (
            self.flow, self.places, self.credit, self.doubtful, self.leave, self.events, self.guarded,
        )  # fmt: skip
        ways, order = places.ways, places.order
        pending = {0: 1 << self._number(start)}
        seen = dict(pending)
        work = [0]
        visits = 1
        """Those found so far: each comes, so that it is known at once when there are too many."""
        if not guarded and len(order) > _VISITS:  # all of them can be reached
            visits = len(order)
        while work and visits <= _VISITS:
            place = heappop(work) & _PLACE
            states = pending.pop(place)
            index = places.blocks[place]
            ends: Iterable[tuple[int, _Way]] | None
            if index in guarded:
                ends = self._through(index, states, places.facts[place])
                if ends is None:
                    visits = _VISITS + 1
                    break
            else:
                if index in events:
                    states = self._behind(states, index, events[index])
                ends = ((states, ways.get(place) or places.onward(place)),)
            for after, (leaves, edges) in ends:
                if leaves and leave is not None:
                    for state in members(after):
                        leave(self.states[state], max(flow.blocks[index].end - 1, 0))
                for to, edge in edges:
                    come = self._behind(after, edge, credit[edge]) if edge in credit else after
                    if edge in doubtful:
                        come |= after
                    if to not in seen:
                        seen[to] = pending[to] = come
                        heappush(work, order[to])
                        visits += come.bit_count()
                        continue
                    new = come & ~seen[to]
                    if new:
                        seen[to] |= new
                        visits += new.bit_count()
                        if to in pending:
                            pending[to] |= new
                        else:
                            pending[to] = new
                            heappush(work, order[to])
        self.paths.visits += min(visits, _VISITS + 1) + 3 * len(flow.blocks)
        return visits <= _VISITS

    def _number(self, state: Hashable) -> int:
        known = self._numbers.get(state)
        if known is None:
            known = self._numbers[state] = len(self.states)
            self.states.append(state)
        return known

    def _behind(self, states: int, where: object, events: list[PathEvent]) -> int:
        """The states, as bits, behind the events of a block or an edge."""
        found = 0
        for state in members(states):
            after = self._after.get((where, state))
            if after is None:
                current = self.states[state]
                for event in events:
                    current = self.step(current, event)
                after = self._after[where, state] = 1 << self._number(current)
            found |= after
        return found

    def _through(self, index: int, states: int, facts: int) -> list[tuple[int, _Way]] | None:
        """The states at the end of a block whose guarded events may or may not have happened; None for too many."""
        marks: list[tuple[int, PathEvent | int]] = [(event.position, event) for event in self.events[index]]
        marks += self.paths.forgets.get(index, ())
        marks.sort(key=lambda mark: mark[0])
        found: dict[int, int] = {}
        for state in members(states):
            outcomes = [(self.states[state], facts)]
            for position, mark in marks:
                if isinstance(mark, int):
                    outcomes = [(s, known & mark) for s, known in outcomes]
                elif position not in self.guards:
                    outcomes = [(self.step(s, mark), known) for s, known in outcomes]
                else:
                    outcomes = self._guarded(mark, outcomes)
                    if len(outcomes) > _VISITS:  # guards that are asked twice double them
                        return None
            for s, known in outcomes:
                found[known] = found.get(known, 0) | 1 << self._number(s)
        return [(those, self.places.way(index, known)) for known, those in found.items()]

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
            if (event.either or self.roughly) and asks and not when:
                found.append((state, known))
            if when & ~known:
                found.append((state, known | unless))
        return found


def _union(bits: Iterable[int]) -> int:
    found = 0
    for each in bits:
        found |= each
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
        if not flow.behind(current) >> above & 1:
            meet = flow.post_dominators[above]
            if meet in flow.blocks[above].successors and not flow.behind(meet) >> current & 1:
                found.append((above, meet))
        current = above
    return found
