"""Shared memory that one thread writes and another reads, with no barrier on a way between the two (manual 8.10, 9.7.13.1).

Which threads touch which bytes is taken from their addresses (`thread_values.py`); a finding names two threads. Only plain
accesses count: .volatile, .relaxed and stronger ones, and anything that orders memory in between, are how one does without
barriers.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from math import gcd
from typing import TYPE_CHECKING, NamedTuple

from ptxgen.check.program.launch_bounds import product
from ptxgen.check.threads.active_threads import ActiveThreads
from ptxgen.check.threads.loop_rounds import two_rounds
from ptxgen.check.threads.spread import Spread
from ptxgen.check.threads.thread_values import first_threads
from ptxgen.check.threads.uniformity import WARP_SIZE
from ptxgen.ir import Address, Register, resolve

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ptxgen.check.program.body import Body
    from ptxgen.check.threads.spread import Leaf
    from ptxgen.check.threads.thread_values import ThreadValues
    from ptxgen.ir.loops import Loop

__all__ = ["check_races"]

_STRONG = frozenset({"volatile", "relaxed", "acquire", "release", "acq_rel", "mmio", "async"})
_STOPS = frozenset({"orders", "barrier"})


class Access(NamedTuple):
    """An access to shared memory; `size` in bytes a thread."""

    position: int
    writes: bool
    size: int


class Conflict(NamedTuple):
    """Thread `one` comes first with its access, thread `other` with the later one, and they meet at a byte."""

    one: int
    other: int


def check_races(body: Body) -> None:
    """PTX507: two threads at the same bytes, one of them writing, and a way from one access to the other without a barrier."""
    accesses = {a.position: a for p in body.memory if (a := _access_at(body, p)) is not None}
    if len({access.writes for access in accesses.values()}) < 2:
        return
    touched: _Touched | None = None
    told: set[str] = set()
    ways = _Ways(body, accesses)
    for first in accesses.values():
        for second, synced in ways.met(first):
            if first.writes == second.writes:
                continue
            touched = touched or _Touched(body)
            variable = touched.variable(first)
            if variable is None or variable in told or variable != touched.variable(second):
                continue
            conflict = touched.conflict(first, second, across_warps=synced)
            if conflict is None:
                conflict = _in_rounds(touched, ways, first, second, across_warps=synced)
            if conflict is not None and _is_walked(body, ways.stops, first, second):
                told.add(variable)
                _report(body, first, second, conflict, variable)


def _report(body: Body, first: Access, second: Access, conflict: Conflict, variable: str) -> None:
    earlier, later = body.instructions[first.position], body.instructions[second.position]
    places = resolve(earlier.source)
    where = f"{earlier.op} at {places[0]}" if places else earlier.op
    of_one_warp = conflict.one // WARP_SIZE == conflict.other // WARP_SIZE
    did, does = ("wrote", "reads") if first.writes else ("read", "overwrites")
    body.report(
        "PTX507",
        f"{variable}: thread {conflict.other} {does} what thread {conflict.one} {did} ({where}), with no barrier between",
        second.position,
        expected=f"bar.sync between {earlier.op} and {later.op}",
        hint="bar.sync 0; (or bar.warp.sync, where the threads are of one warp)" if of_one_warp else "bar.sync 0;",
    )


def _in_rounds(touched: _Touched, ways: _Ways, first: Access, second: Access, *, across_warps: bool) -> Conflict | None:
    """Two threads that meet in a round of a loop, or one a round behind, where the loop's counters say where each is."""
    flow = touched.body.flow
    here, there = flow.block_at(first.position).index, flow.block_at(second.position).index
    loop = next((loop for loop in touched.body.loops if loop.blocks.issuperset((here, there))), None)
    if loop is None or (touched.is_steady(first) and touched.is_steady(second)):
        return None
    later = second.position <= first.position
    rounds = two_rounds(touched.threads, loop, there) if ways.lead(first, second, loop, later) else None
    if rounds is None:
        return None
    one = touched.in_round(rounds[0])
    return one.conflict(first, second, touched.in_round(rounds[1]) if later else one, across_warps=across_warps)


# --- accesses and the ways between them -------------------------------------------------------------------------------


@cache
def _kind(op: str) -> str:
    """ "read" or "write" for a plain access to shared memory; "" for others."""
    opcode, *words = op.split(".")
    if opcode not in ("ld", "st", "atom", "red") or not any(word in ("shared", "shared::cta") for word in words):
        return ""
    atomic = opcode in ("atom", "red")
    if _STRONG.intersection(words) - ({"relaxed"} if atomic else frozenset()):
        return ""
    return "read" if opcode == "ld" else "write"


def _access_at(body: Body, position: int) -> Access | None:
    kind = _kind(body.instructions[position].op)
    form = body.forms[position]
    if not kind or form is None or form.type is None:
        return None
    lanes = max(operand.lanes for operand in form.operands)
    return Access(position, kind == "write", form.type.bytes * max(lanes, 1))


class _Ways:
    """What matters to shared memory on the ways through a body: accesses, where lanes meet, what orders memory."""

    def __init__(self, body: Body, accesses: dict[int, Access]) -> None:
        self.body = body
        of_warp = _of_warps(body)
        self.stops = [p for p in range(len(body.instructions)) if _stops(body, p) and p not in of_warp]
        self.blocks: list[list[tuple[int, Access | bool]]] = []
        """By block, (position, what is there): an access, True where lanes meet, False for what orders memory."""
        stops = frozenset(self.stops)
        for block in body.flow.blocks:
            events: list[tuple[int, Access | bool]] = []
            for position in range(block.start, block.end):
                form = body.forms[position]
                if position in stops:
                    events.append((position, False))
                elif position in accesses:
                    events.append((position, accesses[position]))
                elif position in of_warp or (form is not None and "converged" in form.form.effects):
                    events.append((position, True))
            self.blocks.append(events)

    def met(self, first: Access) -> Iterator[tuple[Access, bool]]:
        """The accesses that control may come to behind one before anything orders memory, and whether lanes met before."""
        blocks = self.body.flow.blocks
        start = self.body.flow.block_at(first.position).index
        work = [(start, first.position, False)]
        seen: set[tuple[int, bool]] = set()
        while work:
            index, behind, synced = work.pop()
            for position, event in self.blocks[index]:
                if position <= behind:
                    continue
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

    def lead(self, first: Access, second: Access, loop: Loop, later: bool) -> bool:
        """Does a way within a loop lead from one access to the other, in the same round or the next, unordered?"""
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


def _stops(body: Body, position: int) -> bool:
    """May the instruction there order what threads do to shared memory? Plain atomics on shared memory do not."""
    form = body.forms[position]
    if form is None or form.form.opcode in ("call", "mbarrier"):
        return True
    return bool(form.form.effects & _STOPS) and not _kind(body.instructions[position].op)


def _of_warps(body: Body) -> frozenset[int]:
    """The bar.warp.sync that order the accesses of one warp of several (manual 9.7.13.2): other warps have not come there."""
    if (product(body.function, "reqntid") or 0) <= WARP_SIZE:
        return frozenset()
    return frozenset(p for p in body.at.get("bar", ()) if body.instructions[p].op.startswith("bar.warp."))


def _is_walked(body: Body, stopping: list[int], first: Access, second: Access) -> bool:
    """Is there a way from the one to the other that does not contradict itself, past everything that orders memory?"""
    from ptxgen.check.flow.paths import Event, Paths

    stops = [Event(position, "stop", settles=True) for position in stopping]
    met: list[int] = []

    def step(pending: bool, event: Event) -> bool:
        if event.kind == "second" and pending:
            met.append(event.position)
        return event.kind == "first" or (pending and event.kind != "stop")

    ends = [Event(second.position, "second", either=True), Event(first.position, "first", either=True)]
    return body.analysis(Paths).walk([*ends, *stops], False, step) and bool(met)


# --- who touches what -------------------------------------------------------------------------------------------------


class _Touched:
    """Which bytes of which variable each thread touches, worked out once an access."""

    def __init__(self, body: Body, threads: ThreadValues | None = None) -> None:
        self.body = body
        self.threads = threads or body.analysis(first_threads)
        self._addresses: dict[int, Spread | None] = {}
        self._active = ActiveThreads(body, self.threads)
        self._places: dict[tuple[int, int], dict[int, list[int]]] = {}

    def address(self, access: Access) -> Spread | None:
        """Its address."""
        position = access.position
        if position not in self._addresses:
            operand = next(o for o in self.body.instructions[position].operands if type(o) is Address)
            self._addresses[position] = self.threads.of(operand, position)
        return self._addresses[position]

    def is_steady(self, access: Access) -> bool:
        """Is all that is not known of its address the same for the CTA and as long as the kernel runs?"""
        address = self.address(access)
        return address is not None and all(_is_steady(self.body, leaf) for leaf, _ in address.base)

    def in_round(self, threads: ThreadValues) -> _Touched:
        """The same where threads have these values."""
        return _Touched(self.body, threads)

    def variable(self, access: Access) -> str | None:
        """The one variable that an access lies in."""
        address = self.address(access)
        named = [leaf[1] for leaf, _ in address.base if leaf[0] == "symbol"] if address is not None else []
        return str(named[0]) if len(named) == 1 else None

    def conflict(
        self, first: Access, second: Access, later: _Touched | None = None, *, across_warps: bool
    ) -> Conflict | None:
        """Two threads that meet, where the one that reads does not write the byte itself. `later`: where the second is made."""
        later = later or self
        one, other = self.address(first), later.address(second)
        if one is None or other is None or one.base != other.base:
            return None
        if not self.is_steady(first) or not later.is_steady(second):
            return None
        if one.parts == other.parts and first.size == second.size and _are_apart(one.parts, first.size):
            return None  # each thread has its own
        before, behind = self._active.at(first.position), later._active.at(second.position)
        if before is None or behind is None:
            return None
        unit = gcd(first.size, second.size, *{part - one.parts[0] for part in (*one.parts, *other.parts)})
        owners, users = self._users(first, before, unit), later._users(second, behind, unit)
        back = _stores_back(self.body, first, second)
        for place, those in users.items():
            earlier = owners.get(place, ())
            for owner in earlier:
                for user in those:
                    itself = user in earlier if first.writes else owner in those
                    apart = owner // WARP_SIZE != user // WARP_SIZE
                    unchanged = back and one.parts[user] == other.parts[user]
                    if owner != user and not itself and not unchanged and (apart or not across_warps):
                        return Conflict(owner, user)
        return None

    def _users(self, access: Access, active: tuple[bool, ...], unit: int) -> dict[int, list[int]]:
        """By place (of `unit` bytes), the threads that touch it."""
        key = access.position, unit
        if key not in self._places:
            found = self._places[key] = {}
            address = self.address(access)
            assert address is not None
            for thread, (part, runs) in enumerate(zip(address.parts, active)):
                for place in range(part, part + access.size, unit) if runs else ():
                    found.setdefault(place, []).append(thread)
        return self._places[key]


def _is_steady(body: Body, leaf: Leaf) -> bool:
    """Has it one value as long as the kernel runs: no loop computes it anew?"""
    if leaf[0] not in ("value", "at"):
        return True
    where = leaf[2] if leaf[0] == "value" else leaf[1]
    assert isinstance(where, int)
    if where < 0:
        return False
    block = body.flow.block_at(where).index
    return all(block not in loop.blocks for loop in body.loops)


def _are_apart(parts: tuple[int, ...], size: int) -> bool:
    """Do accesses of that size at these addresses touch nothing twice?"""
    ordered = sorted(parts)
    return all(b - a >= size for a, b in pairwise(ordered))


def _stores_back(body: Body, first: Access, second: Access) -> bool:
    """Does the second store what the first has loaded? Where it lay, that changes nothing."""
    value = body.instructions[second.position].operands[-1]
    number = body.number(value, second.position) if type(value) is Register else None
    return number is not None and body.chains.reaching(number, second.position) == [first.position]
