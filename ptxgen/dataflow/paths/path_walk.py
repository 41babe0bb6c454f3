"""One walk along every path through a body: the events that matter to it, the places it comes to, and its states there."""

from __future__ import annotations

from heapq import heappop, heappush

from driver_ctypes.typing import TYPE_CHECKING, NamedTuple, TypeVar
from ptxgen.dataflow.graph.algorithms import bits, members
from ptxgen.dataflow.graph.regions import Region
from ptxgen.dataflow.lazy import lazy

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable

    from ptxgen.dataflow.paths.paths import PathEvent, Paths

__all__ = ["PathWalk", "WalkEvents", "walk"]

_VISITS = 4000  # of blocks; a search that needs more is given up
_FEW = 5
"""Conditions; to remember more of them at once doubles the visits too often."""
_OFTEN = 3
"""Branches that ask for a condition."""


class _Guard(NamedTuple):
    """The guard of an event, as bits: the facts by which it holds, those by which it fails, and those that rule it out."""

    when: int
    unless: int
    against: int
    asks: bool
    """Is it a condition at all?"""


S = TypeVar("S", bound="Hashable")


def walk(
    paths: Paths,
    events: Iterable[PathEvent],
    start: S,
    step: Callable[[S, PathEvent], S],
    leave: Callable[[S, int], None] | None = None,
) -> bool:
    """Take `start` along every path: `step(state, event)` at each event, `leave(state, position)` where a thread exits.

    False when there were too many paths to walk; what was found by then says nothing.
    """
    return PathWalk(WalkEvents(paths, events, leaving=leave is not None), step, leave).run(start)


_Way = tuple[bool, list[tuple[int, tuple[int, int] | None]]]
"""How control goes on from the end of a block: may a thread leave the function there; the places that it comes to, each with
the edge where debts may be settled on it."""


class Places:
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


class WalkEvents:
    """The events of walks: in which blocks and on which edges they happen, and which branches decide over them.

    `leaving`: it matters as well where threads exit.
    """

    def __init__(self, paths: Paths, events: Iterable[PathEvent], *, leaving: bool) -> None:
        self.paths, self.flow = paths, paths.body.flow
        ordered = sorted(events, key=lambda event: event.position)
        self.by_block: dict[int, list[PathEvent]] = {}
        for event in ordered:
            self.by_block.setdefault(self.flow.block_at(event.position).index, []).append(event)
        self.guards: dict[int, _Guard] = {}
        self.tested: dict[int, int] = dict(paths.tested)
        """By condition, how many branches and guards ask for it."""
        for event in ordered:
            self._enter_guard(event.position)
        self.guarded = {self.flow.block_at(position).index for position in self.guards}
        """The blocks with guarded events."""
        self.credit: dict[tuple[int, int] | None, list[PathEvent]] = {}
        """By edge, the debts settled there on credit."""
        for event in ordered:
            for skipped in paths.skips(event.position) if event.settles else ():
                self.credit.setdefault(skipped, []).append(event._replace(credited=True))
        skipping = [edge[0] for edge in self.credit if edge is not None]
        exits = tuple(paths.leaving) if leaving else ()
        self.eventful: int = bits((*self.by_block, *skipping, *exits))
        choices = 0
        for index in (*self.by_block, *exits):
            choices |= self.flow.controllers[index]
        self.deciding = frozenset([*self.flow.branches_of(choices), *exits, *skipping])
        """The blocks that end in a branch on which it depends what happens: whichever way another goes, it comes to the same."""

    def _enter_guard(self, position: int) -> None:
        paths, guard = self.paths, self.paths.body.instructions[position].pred
        if guard is None or position in self.guards:
            return
        when, unless = paths.values.facts(guard, position, True), paths.values.facts(guard, position, False)
        self.guards[position] = _Guard(paths.bits(when), paths.bits(unless), paths.against(when), bool(when))
        for number, _ in when:
            self.tested[number] = self.tested.get(number, 0) + 1

    def useful(self, followed: int) -> list[int]:
        """What is still asked at or behind a block: what is known of other conditions need not be remembered."""
        useful = self.paths.asked(bits(self.deciding), followed)
        for position, guard in self.guards.items():
            asked = (guard.when | guard.against) & followed
            for index in members(self.flow.leading(self.flow.block_at(position).index)) if asked else ():
                useful[index] |= asked
        return useful

    def seldom(self) -> list[int]:
        """The conditions that few of the deciding branches ask for."""
        asking = [self.paths.asking[index] for index in self.deciding if index in self.paths.asking]
        asking += [guard.when | guard.against for guard in self.guards.values()]
        return [n for n, bit in self.paths.conditions.items() if sum([asks & 3 * bit > 0 for asks in asking]) < _OFTEN]

    def may_know(self, edge: tuple[int, int]) -> int:
        """What a walk may know of the condition that the branch of an edge asks, where it takes that edge."""
        first = next(each.first for each in self.paths.edges[edge[0]] if each.edge == edge)
        if any(first & (guard.when | guard.unless) for guard in self.guards.values()):
            return first
        return first if self.paths.told(first) >> edge[0] & 1 else 0


class PathWalk:
    """One walk. What is known of conditions on the way is an integer: two bits for each that is followed. States are bits, too.

    Where control comes to a block again in the same state, its events are not looked at again: `step` depends on nothing else.
    `roughly`: only conditions that many branches ask for are followed. Ways that contradict themselves are walked, too, and debts
    under other conditions are settled and are not: what is on no such way is on none.
    """

    def __init__(
        self,
        events: WalkEvents,
        step: Callable[..., Hashable],
        leave: Callable[..., None] | None = None,
        *,
        roughly: bool = False,
    ) -> None:
        self.paths, self.flow, self.step, self.leave, self.roughly = events.paths, events.flow, step, leave, roughly
        self.events = events
        seldom = events.seldom() if roughly else [number for number, count in events.tested.items() if count < 2]
        self.followed = ~self.paths.either(seldom)
        """The conditions that are asked more than once: what is known of others tells nothing."""
        self.doubtful = frozenset(
            [edge for edge in events.credit if roughly and edge is not None and events.may_know(edge) & ~self.followed]
        )
        """The edges of which it is not believed either that debts are settled there."""
        self.useful = events.useful(self.followed)
        self.states: list[Hashable] = []
        self._numbers: dict[Hashable, int] = {}
        self._after: dict[tuple[object, int], int] = {}
        """By block or edge and state, the state behind its events, as a bit."""

    @property
    def tangled(self) -> bool:
        """Are so many conditions to be remembered at once that the walk may well be given up?"""
        return max([facts.bit_count() for facts in self.useful]) > 2 * _FEW

    @lazy
    def places(self) -> Places:
        """They are those of all walks that remember the same facts and look into the same blocks."""
        useful, guarded = tuple(self.useful), bool(self.events.guards)
        stops = self.events.eventful | self.paths.telling(useful, self.followed)
        found = self.paths.known.get((useful, stops, guarded))
        if found is None:
            found = self.paths.known[useful, stops, guarded] = Places(self.paths, useful, stops)
        assert isinstance(found, Places)
        return found

    def run(self, start: Hashable) -> bool:
        """Whether all paths were walked. A place is visited with all the states that have come to it by then."""
        flow, places, leave, doubtful = self.flow, self.places, self.leave, self.doubtful
        events, credit, guarded = self.events.by_block, self.events.credit, self.events.guarded
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
        marks: list[tuple[int, PathEvent | int]] = [(event.position, event) for event in self.events.by_block[index]]
        marks += self.paths.forgets.get(index, ())
        marks.sort(key=lambda mark: mark[0])
        found: dict[int, int] = {}
        for state in members(states):
            outcomes = [(self.states[state], facts)]
            for position, mark in marks:
                if isinstance(mark, int):
                    outcomes = [(s, known & mark) for s, known in outcomes]
                elif position not in self.events.guards:
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
        when, unless, against, asks = self.events.guards[event.position]
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
