"""Shared memory that two threads use with no barrier on a path between the two (manual 8.10, 9.7.13.1).

Which threads touch which bytes is taken from their addresses (`dataflow/memory/accessed_bytes.py`); a finding names two
threads. An atomic at an index that is not known (a histogram's) is taken to meet what is read or written plainly in the same
array.
"""

from __future__ import annotations

from math import gcd

from driver_ctypes.typing import TYPE_CHECKING, NamedTuple
from ptxgen.dataflow.memory.accessed_bytes import AccessedBytes, Visit, address_of
from ptxgen.dataflow.memory.own_bytes import keep_to_their_own
from ptxgen.dataflow.memory.shared_accesses import SharedAccess, SharedAccessPaths, is_walked, shared_accesses
from ptxgen.dataflow.paths.paths import Paths
from ptxgen.dataflow.threads.loop_iterations import two_iterations
from ptxgen.dataflow.threads.thread_rules import rule_of
from ptxgen.dataflow.threads.uniformity import WARP_SIZE
from ptxgen.dataflow.values.value_numbers import ValueNumbers
from ptxgen.ir import Immediate, Register, Symbol

if TYPE_CHECKING:
    from ptxgen.dataflow.graph.loops import Loop
    from ptxgen.ir import Operand
    from ptxgen.verifier.program.checked_body import CheckedBody

__all__ = ["check_races"]


class Conflict(NamedTuple):
    """Thread `one` comes first with its access, thread `other` with the later one, and they meet at a byte; -1: any thread."""

    one: int
    other: int


def check_races(body: CheckedBody) -> None:
    """PTX507: two threads at the same bytes, one of them writing, and a path from one access to the other without a barrier."""
    accesses = shared_accesses(body)
    if all(access.kind == "read" for access in accesses.values()):
        return
    races = _Races(body, accesses)
    for first in accesses.values():
        if first.kind == "write":
            races.look_at_one(first)
    apart = races.kept_apart(accesses)
    races.ways.leave_out(apart)
    for first in accesses.values():
        if first.position in apart or races.is_settled(first):
            continue
        for second, synced in races.ways.met(first):
            if races.has_worked_enough():
                return
            if races.are_of_one_family(first, second):
                continue
            if first.kind != second.kind or (first.kind == "write" and races.may_differ(first, second)):
                races.look_at(first, second, across_warps=synced)


_STEPS, _STEPS_EACH = 200_000, 100
"""The check of a body takes at most so many steps, and so many for each of its instructions."""

_COMPARING, _VISIT = 30, 20
"""Two accesses compared, thread by thread, and a block visited to see whether a way leads through it, in steps."""

_SAID = {"read": ("read", "reads"), "write": ("wrote", "overwrites"), "atomic": ("changed", "changes")}
"""By kind of an access, what a thread did that came first, and what it does that comes later."""


class _Races:
    """What is known of a body's races, each variable reported once."""

    def __init__(self, body: CheckedBody, accesses: dict[int, SharedAccess]) -> None:
        self.body = body
        self.ways = SharedAccessPaths(body, accesses)
        self.accessed = AccessedBytes(body)
        self.reported: set[str] = set()
        self._steps = 0
        """What comparing has taken so far, in steps of walking from one access to the next."""
        self._families: dict[int, int] = {}
        self._classes: dict[int, str] = {}
        self._places: dict[tuple[int, ...], dict[int, list[tuple[int, Visit]]]] = {}

    # --- what need not be looked at -----------------------------------------------------------------------------------

    def kept_apart(self, accesses: dict[int, SharedAccess]) -> set[int]:
        """The positions of accesses that meet no other thread's, whatever their order."""
        variables = {position: self.accessed.variable(access) for position, access in accesses.items()}
        if any(variables[access.position] is None and access.kind == "atomic" for access in accesses.values()):
            return set()
        found = {position for position, variable in variables.items() if variable is None}
        groups: dict[tuple[str | None, int], list[SharedAccess]] = {}
        for position, stretch in self.ways.stretches().items():
            groups.setdefault((variables[position], stretch), []).append(accesses[position])
        for (variable, _), those in groups.items():
            if variable is None:
                continue
            if keep_to_their_own(self.accessed, those):
                found.update(access.position for access in those)
            else:
                self._note_families(those)
        return found

    def _note_families(self, accesses: list[SharedAccess]) -> None:
        """Those through one register may keep apart, where all of a variable do not."""
        families: dict[int, list[SharedAccess]] = {}
        for access in accesses:
            families.setdefault(id(self.accessed.place(access)[0]), []).append(access)
        for number, those in families.items():
            if keep_to_their_own(self.accessed, those):
                self._families.update((access.position, number) for access in those)

    def are_of_one_family(self, first: SharedAccess, second: SharedAccess) -> bool:
        """Do two accesses keep to each thread's own bytes, as is known?"""
        family = self._families.get(first.position)
        return family is not None and family == self._families.get(second.position)

    def is_settled(self, access: SharedAccess) -> bool:
        """Is all said of the variable that an access lies in?"""
        return self.accessed.variable(access) in self.reported

    def has_worked_enough(self) -> bool:
        """Pairs grow with the square of the accesses: what is not found in a time that grows with the body is let go."""
        return self.ways.steps + self._steps > _STEPS + _STEPS_EACH * len(self.body.instructions)

    # --- pairs of accesses --------------------------------------------------------------------------------------------

    def look_at_one(self, store: SharedAccess) -> None:
        """A store by which several threads write different numbers to one place."""
        value = self.body.instructions[store.position].operands[-1]
        if self._class(store) != "integer" or not self._is_constant(address_of(self.body, store.position).base, store):
            return
        variable = self.accessed.variable(store)
        if variable is None or variable in self.reported:
            return
        for visit in self.accessed.visits(store):
            numbers = visit.values.of(value, store.position) if not visit.own else None
            if numbers is None or numbers.uniform:
                continue
            met: dict[int, int] = {}
            for thread, (part, runs) in enumerate(zip(visit.address.parts, visit.active or ())):
                other = met.setdefault(part, thread) if runs else thread
                if numbers.parts[other] != numbers.parts[thread]:
                    self.reported.add(variable)
                    self._report_one(store, variable, other, thread)
                    return

    def may_differ(self, first: SharedAccess, second: SharedAccess) -> bool:
        """May it show that two stores store different values: is one a constant, or are both numbers that can be followed?"""
        classes = self._class(first), self._class(second)
        return "constant" in classes or classes == ("integer", "integer")

    def _class(self, store: SharedAccess) -> str:
        """What a store stores: a "constant", an "integer" that is computed, or "other"."""
        known = self._classes.get(store.position)
        if known is None:
            value, known = self.body.instructions[store.position].operands[-1], "other"
            if isinstance(value, (Immediate, Register)) and self._is_constant(value, store):
                known = "constant"
            elif isinstance(value, Register):
                number = self.body.number(value, store.position)
                where = self.body.chains.definitions.get(number, ()) if number is not None else ()
                if where and all(rule_of(self.body.instructions[p].op) is not None for p in where):
                    known = "integer"
            self._classes[store.position] = known
        return known

    def _is_constant(self, operand: Operand, access: SharedAccess) -> bool:
        """Is it a constant or a symbol, or a register that is only ever set to one?"""
        if not isinstance(operand, Register):
            return isinstance(operand, (Immediate, Symbol))
        number = self.body.number(operand, access.position)
        where = () if number is None else self.body.chains.definitions.get(number, ())
        if len(where) != 1 or not self.body.instructions[where[0]].op.startswith("mov."):
            return False
        return isinstance(self.body.instructions[where[0]].operands[1], (Immediate, Symbol))

    def look_at(self, first: SharedAccess, second: SharedAccess, *, across_warps: bool) -> None:
        """Two accesses of which one comes before the other with nothing that orders them in between."""
        variable, other = self.accessed.variable(first), self.accessed.variable(second)
        if variable is None or other is None:
            if "atomic" in (first.kind, second.kind):
                self._look_at_atomic(first, second, across_warps=across_warps)
            return
        if variable in self.reported or variable != other:
            return
        self._steps += _COMPARING
        conflict = self._conflict(first, second, across_warps=across_warps)
        if conflict is None:
            conflict = self._in_iterations(first, second, across_warps=across_warps)
        if conflict is not None and not self._depends(first, second) and self._is_walked(first, second):
            self.reported.add(variable)
            self._report(first, second, conflict, variable)

    def _is_walked(self, first: SharedAccess, second: SharedAccess) -> bool:
        paths = self.body.analysis(Paths)
        before = paths.visits
        walked = is_walked(self.body, self.ways.stops, first, second)
        self._steps += _VISIT * (paths.visits - before)
        return walked

    def _in_iterations(self, first: SharedAccess, second: SharedAccess, *, across_warps: bool) -> Conflict | None:
        """Two threads that meet in one iteration of a loop, or one an iteration behind, where the loop's counters are known."""
        flow, accessed = self.body.flow, self.accessed
        here, there = flow.block_at(first.position).index, flow.block_at(second.position).index
        loop = next((loop for loop in self.body.loops if loop.blocks.issuperset((here, there))), None)
        if loop is None or (accessed.is_steady(first) and accessed.is_steady(second)):
            return None
        later = second.position <= first.position
        iterations = (
            two_iterations(accessed.threads, loop, there) if self.ways.lead(first, second, loop, later) else None
        )
        if iterations is None:
            return None
        one = accessed.in_iteration(iterations[0])
        other = accessed.in_iteration(iterations[1]) if later else one
        return self._meeting(first, one.visits(first), second, other.visits(second), across_warps=across_warps)

    def _conflict(self, first: SharedAccess, second: SharedAccess, *, across_warps: bool) -> Conflict | None:
        """Two threads that meet, in whatever iteration of the loops that only one of the accesses stands in."""
        before, behind = self._own_loops(first, second), self._own_loops(second, first)
        return self._meeting(
            first,
            self.accessed.visits(first, before),
            second,
            self.accessed.visits(second, behind),
            across_warps=across_warps,
        )

    def _own_loops(self, access: SharedAccess, other: SharedAccess) -> tuple[Loop, ...]:
        """The loops around an access, outermost first, that the other does not stand in and whose iterations nothing orders."""
        flow = self.body.flow
        block, elsewhere = flow.block_at(access.position).index, flow.block_at(other.position).index
        around = [loop for loop in self.body.loops if block in loop.blocks and elsewhere not in loop.blocks]
        return tuple(around[::-1]) if all(self.ways.is_free(loop) for loop in around) else ()

    # --- threads that meet --------------------------------------------------------------------------------------------

    def _meeting(
        self, first: SharedAccess, before: list[Visit], second: SharedAccess, behind: list[Visit], *, across_warps: bool
    ) -> Conflict | None:
        """Two threads that touch a byte, the one before the other, and for which that matters."""
        if _keep_apart(first, before, second, behind):
            return None
        before, behind = ([visit for visit in visits if visit.active is not None] for visits in (before, behind))
        if _keep_apart(first, before, second, behind):
            return None
        base = before[0].address.base
        sides = [[visit for visit in visits if visit.address.base == base] for visits in (before, behind)]
        if not sides[1] or _lie_apart(first, sides[0], second, sides[1]):
            return None
        parts = [part for visits in sides for visit in visits for part in visit.address.parts]
        unit = gcd(first.size, second.size, *{part - parts[0] for part in parts})
        owners, users = self._users(first, sides[0], unit), self._users(second, sides[1], unit)
        back = _stores_back(self.body, first, second)
        for place, those in users.items():
            earlier = owners.get(place, ())
            before_too, behind_too = {thread for thread, _ in earlier}, {thread for thread, _ in those}
            for owner, one in earlier:
                for user, other in those:
                    if owner == user or (across_warps and owner // WARP_SIZE == user // WARP_SIZE):
                        continue
                    if _is_settled(first, second, user in before_too, owner in behind_too):
                        continue
                    if back and one.address.parts[user] == other.address.parts[user]:
                        continue
                    if first.kind == second.kind and not self._differ(first, one, owner, second, other, user):
                        continue
                    return Conflict(owner, user)
        return None

    def _differ(
        self, first: SharedAccess, one: Visit, owner: int, second: SharedAccess, other: Visit, user: int
    ) -> bool:
        """Do two stores surely put different values there? A constant and what is computed are taken to differ."""
        left, right = self._stored(first, one, owner), self._stored(second, other, user)
        if left is not None and right is not None:
            return left != right
        return "constant" in (self._class(first), self._class(second))

    def _stored(self, store: SharedAccess, visit: Visit, thread: int) -> object:
        """What a thread stores, if equal answers are equal values and others are not; None where that is not known."""
        value = self.body.instructions[store.position].operands[-1]
        if self._class(store) == "constant" and isinstance(value, Register):
            number = self.body.number(value, store.position)
            where = self.body.chains.definitions[number][0] if number is not None else -1
            value = self.body.instructions[where].operands[1]
        if isinstance(value, Immediate):
            return (frozenset[object](), value.value) if value.kind == "int" else value
        found = visit.values.of(value, store.position)
        return None if found is None else (found.base, found.parts[thread])

    def _users(self, access: SharedAccess, visits: list[Visit], unit: int) -> dict[int, list[tuple[int, Visit]]]:
        """By place (of `unit` bytes), the threads that touch it, each once, and in which visit."""
        key = access.position, unit, *map(id, visits)
        if key not in self._places:
            found: dict[int, dict[int, Visit]] = {}
            for visit in visits:
                for thread, (part, runs) in enumerate(zip(visit.address.parts, visit.active or ())):
                    for place in range(part, part + access.size, unit) if runs else ():
                        found.setdefault(place, {}).setdefault(thread, visit)
            self._places[key] = {place: list(threads.items()) for place, threads in found.items()}
        return self._places[key]

    # --- atomics at indices that are not known --------------------------------------------------------------------------

    def _look_at_atomic(self, first: SharedAccess, second: SharedAccess, *, across_warps: bool) -> None:
        """An atomic at an index that nothing is known of, and a plain access to the same array by other threads, perhaps."""
        atomic, plain = (first, second) if first.kind == "atomic" else (second, first)
        if across_warps or atomic.kind != "atomic" or plain.kind == "atomic":
            return
        if self.accessed.variable(atomic) is not None or ".cas." in self.body.instructions[atomic.position].op:
            return
        values = self.body.analysis(ValueNumbers)
        one = values.place(address_of(self.body, atomic.position), atomic.position)
        if one.symbol is None or one.symbol in self.reported:
            return
        other = values.place(address_of(self.body, plain.position), plain.position)
        if (
            one.symbol != other.symbol
            or one.offset != other.offset
            or values.shared_terms(one) != values.shared_terms(other)
        ):
            return
        if first is plain and plain.kind == "read" and one.terms == other.terms:
            return  # a look before the atomic, which judges anew
        if self._are_one_thread(first, second) or self._depends(first, second) or not self._is_walked(first, second):
            return
        self.reported.add(one.symbol)
        self._report(first, second, Conflict(-1, -1), one.symbol)

    def _are_one_thread(self, first: SharedAccess, second: SharedAccess) -> bool:
        """Is it certain that one thread alone makes both accesses?"""
        active = self.accessed.active
        who = [active.at(access.position) for access in (first, second)]
        return any(threads is not None and sum(threads) < 2 for threads in who) and who[0] == who[1]

    def _depends(self, first: SharedAccess, second: SharedAccess) -> bool:
        """Is the second access made, or its place chosen, by what an atomic has given (the last to come)?"""
        if "atomic" not in (first.kind, second.kind):
            return False
        body, flow = self.body, self.body.flow
        block = flow.block_at(second.position).index
        ends = [flow.blocks[branch].end - 1 for branch in flow.branches_of(flow.controllers[block])]
        work = [number for position in (second.position, *ends) for number in body.reads[position]]
        seen = set(work)
        while work:
            for position in body.chains.definitions.get(work.pop(), ()):
                if body.instructions[position].opcode == "atom":
                    return True
                new = [number for number in body.reads[position] if number not in seen]
                seen.update(new)
                work += new
        return False

    # --- the findings --------------------------------------------------------------------------------------------------

    def _report(self, first: SharedAccess, second: SharedAccess, conflict: Conflict, variable: str) -> None:
        earlier, later = self.body.instructions[first.position], self.body.instructions[second.position]
        where = self.body.line_of(first.position)
        known = conflict.one >= 0
        one, other = (f"thread {conflict.one}", f"thread {conflict.other}") if known else ("another", "a thread")
        of_one_warp = known and conflict.one // WARP_SIZE == conflict.other // WARP_SIZE
        self.body.report(
            "PTX507",
            f"{variable}: {other} {_SAID[second.kind][1]} what {one} {_SAID[first.kind][0]} ({where}), with no barrier between",
            second.position,
            expected=f"bar.sync between {earlier.op} and {later.op}",
            hint="bar.sync 0; (or bar.warp.sync, where the threads are of one warp)" if of_one_warp else "bar.sync 0;",
        )

    def _report_one(self, store: SharedAccess, variable: str, one: int, other: int) -> None:
        self.body.report(
            "PTX507",
            f"{variable}: threads {one} and {other} store different values to one place: which of them stays is not said",
            store.position,
            expected="a place for each thread, or one thread that stores",
            hint="@p in front of it, with a condition that holds for one thread",
        )


def _keep_apart(first: SharedAccess, before: list[Visit], second: SharedAccess, behind: list[Visit]) -> bool:
    """Is it seen by the addresses alone, whichever threads make the accesses, that none meets another?"""
    if not before or not behind:
        return True
    if len(before) == len(behind) == 1 and first.size == second.size:
        one, other = before[0], behind[0]
        if one.address.parts == other.address.parts and one.own:
            return True  # each thread has its own
    bases = {visit.address.base for visits in (before, behind) for visit in visits}
    return len(bases) == 1 and _lie_apart(first, before, second, behind)


def _lie_apart(first: SharedAccess, before: list[Visit], second: SharedAccess, behind: list[Visit]) -> bool:
    """Do all bytes of the one access lie below all of the other, or above?"""
    low, high = min(visit.low for visit in before), max(visit.high for visit in before) + first.size
    return min(visit.low for visit in behind) >= high or max(visit.high for visit in behind) + second.size <= low


def _stores_back(body: CheckedBody, first: SharedAccess, second: SharedAccess) -> bool:
    """Does the second store what the first has loaded? Where it lay, that changes nothing."""
    value = body.instructions[second.position].operands[-1]
    number = body.number(value, second.position) if type(value) is Register else None
    return number is not None and body.chains.reaching(number, second.position) == [first.position]


def _is_settled(first: SharedAccess, second: SharedAccess, user_did_first: bool, owner_does_second: bool) -> bool:
    """Does a thread do itself what the other does as well, so that it matters little who comes first?"""
    if first.kind == "write" and second.kind == "read":
        return user_did_first
    if second.kind == "atomic" and first.kind == "write":
        return False
    return first.kind != "atomic" and owner_does_second
