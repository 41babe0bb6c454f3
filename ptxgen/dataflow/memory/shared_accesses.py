"""Plain and atomic accesses to shared memory, and the paths between them on which nothing orders memory.

Only plain accesses count: .volatile, .relaxed and stronger ones, and anything that orders memory in between, are how one does
without barriers. Atomics are relaxed unless they say more, and are looked at against plain accesses.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cache

from driver_ctypes.typing import TYPE_CHECKING, NamedTuple
from ptxgen.dataflow.bodies.launch_bounds import product
from ptxgen.dataflow.calls.participation import takes_part_in
from ptxgen.dataflow.threads.uniformity import WARP_SIZE
from ptxgen.isa.forms import opcodes_with

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ptxgen.dataflow.bodies.body import Body
    from ptxgen.dataflow.graph.loops import Loop
    from ptxgen.isa.notation import Form

__all__ = ["SharedAccess", "SharedAccessPaths", "is_walked", "shared_accesses"]

_ATOMICS = opcodes_with("atomic")
_ACCESSES = opcodes_with("load", "store", "atomic")
_STRONG = frozenset({"volatile", "relaxed", "acquire", "release", "acq_rel", "mmio", "async"})
_STOPS = frozenset({"orders", "barrier"})


class SharedAccess(NamedTuple):
    """An access to shared memory: `kind` is "read", "write" or "atomic", `size` in bytes a thread."""

    position: int
    kind: str
    size: int


@cache
def _kind(op: str) -> str:
    """The kind of a plain or relaxed atomic access to shared memory; "" for others."""
    opcode, *words = op.split(".")
    if opcode not in _ACCESSES or not any(word in ("shared", "shared::cta") for word in words):
        return ""
    atomic = opcode in _ATOMICS
    if _STRONG.intersection(words) - ({"relaxed"} if atomic else frozenset()):
        return ""
    return "atomic" if atomic else "read" if opcode == "ld" else "write"


def shared_accesses(body: Body) -> dict[int, SharedAccess]:
    """The accesses of a body, by position."""
    found = {}
    for position in body.memory:
        kind, form = _kind(body.instructions[position].op), body.forms[position]
        if kind and form is not None and form.type is not None:
            lanes = max(operand.lanes for operand in form.operands)
            found[position] = SharedAccess(position, kind, form.type.bytes * max(lanes, 1))
    return found


class SharedAccessPaths:
    """What matters to shared memory on the paths through a body: accesses, and what orders those of a warp or of the CTA."""

    def __init__(self, body: Body, accesses: dict[int, SharedAccess]) -> None:
        self.body = body
        self.steps = 0
        """How much has been walked so far."""
        of_warp = _of_warps(body)
        self.stops: list[int] = [p for p in range(len(body.instructions)) if _stops(body, p) and p not in of_warp]
        self.blocks: list[list[tuple[int, SharedAccess | bool]]] = []
        """By block, (position, what is there): an access, True for what orders a warp's accesses, False for the CTA's."""
        stops = frozenset(self.stops)
        for block in body.flow.blocks:
            events: list[tuple[int, SharedAccess | bool]] = []
            for position in range(block.start, block.end):
                if position in stops:
                    events.append((position, False))
                elif position in accesses:
                    events.append((position, accesses[position]))
                elif position in of_warp:
                    events.append((position, True))
            self.blocks.append(events)

    def stretches(self) -> dict[int, int]:
        """By the position of an access, a number that it shares with all those that it may meet, and with others perhaps."""
        above: list[int] = []

        def root(number: int) -> int:
            while above[number] != number:
                above[number] = number = above[above[number]]
            return number

        found: dict[int, int] = {}
        ends: list[tuple[int, int]] = []
        for events in self.blocks:
            first = len(above)
            above.append(first)
            for position, event in events:
                if event is False:
                    above.append(len(above))
                elif event is not True:
                    found[position] = len(above) - 1
            ends.append((first, len(above) - 1))
        for block, (_, last) in zip(self.body.flow.blocks, ends):
            for successor in block.successors:
                above[root(last)] = root(ends[successor][0])
        return {position: root(number) for position, number in found.items()}

    def leave_out(self, positions: set[int]) -> None:
        """Accesses that need not be looked at."""
        self.blocks = [[(p, event) for p, event in events if p not in positions] for events in self.blocks]

    def met(self, first: SharedAccess) -> Iterator[tuple[SharedAccess, bool]]:
        """The accesses that control may come to behind one before the CTA's are ordered, and whether a warp's were."""
        blocks = self.body.flow.blocks
        start = self.body.flow.block_at(first.position).index
        work = [(start, first.position, False)]
        seen: set[tuple[int, bool]] = set()
        while work:
            index, behind, synced = work.pop()
            events = self.blocks[index]
            self.steps += 1
            for _, event in events[bisect_right(events, behind, key=_position) :] if behind >= 0 else events:
                self.steps += 1
                if event is False:
                    break
                if event is True:
                    synced = True
                else:
                    yield event, synced
            else:
                for successor in blocks[index].successors:
                    if (successor, synced) not in seen:
                        seen.add((successor, synced))
                        work.append((successor, -1, synced))

    def lead(self, first: SharedAccess, second: SharedAccess, loop: Loop, later: bool) -> bool:
        """Does a path within a loop lead from one access to the other, in the same iteration or the next, unordered?"""
        blocks, flow = self.body.flow.blocks, self.body.flow
        end = flow.block_at(second.position).index
        work = [(flow.block_at(first.position).index, first.position, False)]
        seen: set[tuple[int, bool]] = set()
        while work:
            index, behind, round_ = work.pop()
            events = [(position, event) for position, event in self.blocks[index] if position > behind]
            stop = next((position for position, event in events if event is False), 1 << 60)
            if round_ is later and index == end and behind < second.position < stop:
                return True
            for successor in blocks[index].successors if stop == 1 << 60 else ():
                state = successor, round_ or successor == loop.head
                crosses = successor == loop.head and (round_ or not later)
                if successor in loop.blocks and state not in seen and not crosses:
                    seen.add(state)
                    work.append((successor, -1, state[1]))
        return False

    def is_free(self, loop: Loop) -> bool:
        """Is there nothing in a loop that orders memory, so that its iterations are one stretch?"""
        return all(isinstance(event, SharedAccess) for index in loop.blocks for _, event in self.blocks[index])


def _position(event: tuple[int, SharedAccess | bool]) -> int:
    return event[0]


def _stops(body: Body, position: int) -> bool:
    """May the instruction there order what threads do to shared memory? Plain atomics on shared memory do not."""
    form = body.forms[position]
    if form is None or form.form.opcode == "mbarrier":
        return True
    if form.form.opcode == "call":
        return takes_part_in(body, position)
    return _orders(form.form) and not _kind(body.instructions[position].op)


@cache
def _orders(form: Form) -> bool:
    return bool(form.effects & _STOPS)


def _of_warps(body: Body) -> frozenset[int]:
    """The bar.warp.sync that order the accesses of one warp of several (manual 9.7.13.2): other warps have not come there.

    Shuffles, votes and what else the lanes of a warp execute together order no memory: the manual says so of bar.warp.sync
    alone, and compute-sanitizer's racecheck agrees.
    """
    if (product(body.function, "reqntid") or 0) <= WARP_SIZE:
        return frozenset()
    return frozenset(p for p in body.at.get("bar", ()) if body.instructions[p].op.startswith("bar.warp."))


def is_walked(body: Body, stopping: list[int], first: SharedAccess, second: SharedAccess) -> bool:
    """Is there a path from the one to the other that does not contradict itself, past everything that orders memory?"""
    from ptxgen.dataflow.paths.path_walk import walk
    from ptxgen.dataflow.paths.paths import PathEvent, Paths

    stops = [PathEvent(position, "stop", settles=True) for position in stopping]
    met: list[int] = []

    def step(pending: bool, event: PathEvent) -> bool:
        if event.kind == "second" and pending:
            met.append(event.position)
        return event.kind == "first" or (pending and event.kind != "stop")

    ends = [PathEvent(second.position, "second", either=True), PathEvent(first.position, "first", either=True)]
    return walk(body.analysis(Paths), [*ends, *stops], False, step) and bool(met)
