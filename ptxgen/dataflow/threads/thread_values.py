"""The integers that each thread of a warp, or of a CTA, computes from indices, parameters and constants.

So the addresses of a warp are known relative to each other, whatever the launch: which of them share a sector, a bank, a word
of another thread. What cannot be followed is None. Answered on demand, for the slice of the body that an operand depends on.
"""

from __future__ import annotations

from math import prod
from operator import not_

from driver_ctypes.typing import TYPE_CHECKING, NamedTuple
from ptxgen.dataflow.threads.thread_indices import Indices, extents
from ptxgen.dataflow.threads.thread_integers import ThreadArithmetic, ThreadIntegers, Threads, power_of_two
from ptxgen.dataflow.threads.thread_rules import RuleInputs, rule_of
from ptxgen.dataflow.threads.uniformity import WARP_SIZE, Level, Uniformity, Value
from ptxgen.dataflow.values.alignment import Alignments
from ptxgen.ir import Address, Immediate, Operand, Pair, Register, Special, Symbol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ptxgen.dataflow.bodies.body import Body
    from ptxgen.dataflow.threads.thread_integers import Leaf

    _Found = dict[Value, "ThreadIntegers | _Open | None"]

__all__ = ["FIRST_THREADS", "LoopIteration", "ThreadValues", "counted_threads", "first_threads"]

FIRST_THREADS = 4 * WARP_SIZE
"""So many threads of a CTA are enough to see how warps meet."""

_ALL_LANES = 0xFFFFFFFF

_MOST_LEAVES = 8
"""A sum of more is one leaf of its own."""


class _Open:
    """A value that a loop has not yet given: it stands for any."""


_OPEN = _Open()

_NOTHING: _Found = {}


class LoopIteration(NamedTuple):
    """The threads' values in an iteration of a loop, and which of those that come to the loop at all go into that iteration."""

    threads: ThreadValues
    enters: Threads


class ThreadValues:
    """The values of a body in the first `count` threads of a CTA, or, for 32 or fewer, in any one warp.

    Without `unfollowed`, only what is computed from indices, parameters and constants is known, and nothing of what was loaded:
    that is found much sooner. `assumed` are values that are taken to be these.
    """

    def __init__(
        self,
        body: Body,
        count: int = WARP_SIZE,
        *,
        unfollowed: bool = True,
        assumed: Mapping[Value, ThreadIntegers] | None = None,
    ) -> None:
        self.body = body
        self.unfollowed = unfollowed
        self.uniformity: Uniformity = body.analysis(Uniformity)
        stated = extents(body)
        self.count: int = min(count, prod(stated)) if stated else count
        self.level = Level.WARP if count <= WARP_SIZE else Level.CTA
        self.everyone: Threads = b"\1" * self.count
        self.arithmetic: ThreadArithmetic = ThreadArithmetic(self.count)
        self.indices: Indices = Indices(body, self.arithmetic, warp=count <= WARP_SIZE)
        self.alignments: Alignments = body.analysis(Alignments)
        self._known: dict[Value, ThreadIntegers | None] = dict(assumed or {})
        self._endless: set[Value] = set()
        """Those that depend on nothing but themselves: no path has ever written them."""
        self._holds: dict[tuple[Value, bool], Threads | None] = {}
        self.iterations: dict[tuple[int, int], list[LoopIteration]] = {}
        """What `first_iterations` found, by a loop's head and the most that were asked for."""

    def where(self, assumed: Mapping[Value, ThreadIntegers]) -> ThreadValues:
        """The same threads, where these values are these."""
        return ThreadValues(self.body, self.count, unfollowed=self.unfollowed, assumed=assumed)

    def of(self, operand: Operand, position: int) -> ThreadIntegers | None:
        """An operand of the instruction at that position, or the address that one stands for."""
        if isinstance(operand, Address):
            base = None if operand.coordinates else self.of(operand.base, position)
            return base if base is None or not operand.offset else base.plus(operand.offset)
        if isinstance(operand, Register):
            number = self.body.number(operand, position)
            if number is None or operand.lanes > 1:
                return None
            value = self._read(number, position)
            if value is None:
                return None
            integers = self.of_value(value)
            return None if self._differs(number, position, integers) else integers
        return self._plain(operand, position)

    def of_value(self, value: Value) -> ThreadIntegers | None:
        """What a write puts into a register, or what merges in it."""
        if value not in self._known:
            self._find(value)
        return self._known[value]

    def holds(self, position: int) -> Threads | None:
        """The threads for which the guard of the instruction there holds; None where that is not known."""
        guard = self.body.guard(position)
        if guard is None:
            return self.everyone if self.body.instructions[position].pred is None else None
        number, positive = guard
        value = self._read(number, position)
        if value is None:
            return None
        key = value, positive
        if key not in self._holds:
            found = self.of_value(value)
            known = found is not None and found.exact
            self._holds[key] = bytes(map(bool if positive else not_, found.parts)) if found and known else None
        return self._holds[key]

    def _plain(self, operand: Operand, position: int) -> ThreadIntegers | None:
        """An operand that is not a register."""
        if isinstance(operand, Immediate):
            return self.arithmetic.number(operand.value) if operand.kind == "int" else None
        if isinstance(operand, Special):
            return self.indices.of(operand.name)
        if isinstance(operand, Symbol):
            known = self.alignments.of(operand, position)
            if known.variable is None:
                return None
            base = self.arithmetic.leaf(("symbol", operand.name), known.variable.alignment)
            return self.arithmetic.sum(base, self.arithmetic.number(operand.offset))
        return None

    def _find(self, wanted: Value) -> None:
        """A value behind what it is computed from, or, where values meet, by the fixpoint."""
        known, work, open_ = self._known, [wanted], {wanted}
        read: dict[Value, list[Value]] = {}
        while work:
            value = work[-1]
            if value in known:
                work.pop()
            elif self._is_loaded(value[1]):
                known[value] = None
            elif value[1] < 0 or self.uniformity.merged(value):
                self._solve(value)
            else:
                inputs = read.get(value)
                if inputs is None:
                    inputs = read[value] = self._inputs(value[1])
                if not self.unfollowed and any(each in known and known[each] is None for each in inputs):
                    known[value] = None  # nor is what is made of it
                    continue
                if self._endless and not self._endless.isdisjoint(inputs):
                    known[value] = None
                    self._endless.add(value)
                    continue
                missing = next((each for each in inputs if each not in known), None)
                if missing is None:
                    made = self._value(value, _NOTHING)
                    known[value] = None if isinstance(made, _Open) else made
                elif missing in open_:  # it depends on itself
                    self._solve(value)
                else:
                    open_.add(missing)
                    work.append(missing)

    # --- the fixpoint -------------------------------------------------------------------------------------------------

    def _solve(self, wanted: Value) -> None:
        """All that `wanted` depends on; loops start from what enters them."""
        needs: dict[Value, list[Value]] = {}
        users: dict[Value, list[Value]] = {}
        work = [wanted]
        while work:
            value = work.pop()
            if value in needs:
                continue
            if value not in self._known:
                if value in users and all(user in self._known for user in users[value]):
                    continue  # nobody asks any more
                if not self._is_loaded(value[1]):
                    needs[value] = [*self._inputs(value[1]), *self.uniformity.merged(value)]
                    for need in needs[value]:
                        users.setdefault(need, []).append(value)
                    work += needs[value]
                    continue
                self._known[value] = None
            if self._known[value] is None and not self.unfollowed:
                self._lose(value, needs, users)
                if wanted in self._known:
                    return
        found: _Found = dict.fromkeys(needs, _OPEN)
        work = list(needs)[::-1]
        waiting = set(work)
        while work:
            value = work.pop()
            waiting.discard(value)
            new = self._value(value, found)
            if new != found[value]:
                found[value] = new
                for user in users.get(value, ()):
                    if user in found and user not in waiting:
                        waiting.add(user)
                        work.append(user)
        for value, integers in found.items():
            self._known[value] = None if isinstance(integers, _Open) else integers
            if isinstance(integers, _Open):
                self._endless.add(value)

    def _is_loaded(self, position: int) -> bool:
        """Is what the instruction there writes certainly not known: not computed, and what is loaded is not followed?"""
        if self.unfollowed or position < 0:
            return False
        instruction = self.body.instructions[position]
        return rule_of(instruction.op) is None and not (
            instruction.opcode == "elect" or instruction.op.startswith("ld.param")
        )

    def _lose(self, value: Value, needs: dict[Value, list[Value]], users: dict[Value, list[Value]]) -> None:
        """What is made of a value that is not known is not known either, where what is loaded is not followed."""
        work = [value]
        while work:
            for user in users.get(work.pop(), ()):
                if user in needs:
                    del needs[user]
                    self._known[user] = None
                    work.append(user)

    def _inputs(self, position: int) -> list[Value]:
        """The values that the instruction there makes its result of, where it is one that is followed."""
        if position < 0 or rule_of(self.body.instructions[position].op) is None:
            return []
        reads = self.body.reads[position]
        values = [self._read(number, position) for number in reads[self.body.instructions[position].pred is not None :]]
        return [value for value in values if value is not None]

    def _read(self, number: int, position: int) -> Value | None:
        """The value of a register that the instruction there reads."""
        where = self.body.merges.at(number, position)
        return None if where is None else (number, where)

    def _differs(self, number: int, position: int, value: ThreadIntegers | _Open | None) -> bool:
        """Have threads a register's value from different iterations of the loop that it is made in?"""
        if not isinstance(value, ThreadIntegers) or value.exact:
            return False
        exits = self.uniformity.read(number, position).loop_exits
        return any(self.uniformity.level(branch) > self.level for branch in exits)

    def _value(self, value: Value, found: _Found) -> ThreadIntegers | _Open | None:
        where, merged = value[1], self.uniformity.merged(value)
        made = [found[other] if other in found else self._known[other] for other in merged]
        if where >= 0:
            made.append(self._made(where, value, found))
        known = [integers for integers in made if not isinstance(integers, _Open)]
        if not known:
            return _OPEN if made else None
        if merged:
            return self._joined(value, [integers for integers in known if integers is not None], None in known)
        return known[0] if self.body.instructions[where].pred is None else self._alone(value)

    def _parted(self, value: Value) -> bool:
        """Do threads choose differently among the values that meet in it?"""
        return any(self.uniformity.level(chooser) > self.level for chooser in self.uniformity.choosers(value))

    def _joined(self, value: Value, made: list[ThreadIntegers], unknown: bool) -> ThreadIntegers | None:
        """A register that several instructions write: one sum where they agree except for what is the same in all threads."""
        if not unknown and made[0].exact and all(integers == made[0] for integers in made[1:]):
            return made[0]
        shapes = {self._shape(parts) for parts in {id(integers.parts): integers.parts for integers in made}.values()}
        apart = unknown or len(shapes) > 1
        if (apart and not self.unfollowed) or self._parted(value):
            return None
        if apart:
            return self._alone(value)
        if all(integers == made[0] for integers in made[1:]):
            return made[0]
        leaf: Leaf = ("value", value[0], value[1])
        step = min((power_of_two(integers.parts[0], integers.step) for integers in made), default=1)
        return self.arithmetic.narrowed(leaf, step, shapes.pop())

    def _shape(self, parts: tuple[int, ...]) -> tuple[int, ...]:
        """The numbers of the threads, less the first one's."""
        first = parts[0]
        if self.arithmetic.is_same(parts):
            return self.arithmetic.same(0)
        return tuple([part - first for part in parts]) if first else parts

    def _alone(self, value: Value) -> ThreadIntegers | None:
        """What is not followed: a leaf, if it is the same for all."""
        if not self.unfollowed or self.uniformity.level(value) > self.level:
            return None
        known = self.alignments.of_register(value[0])
        return self.arithmetic.leaf(("value", value[0], value[1]), power_of_two(known.residue, known.modulus))

    def _made(self, position: int, value: Value, found: _Found) -> ThreadIntegers | _Open | None:
        """What the instruction there puts into the register."""
        instruction = self.body.instructions[position]
        rule = rule_of(instruction.op)
        operands = instruction.operands
        if instruction.op.startswith("ld.param"):
            return self._parameter(position, value)
        if instruction.opcode == "elect" and self.body.registers[value[0]].type.kind == "p":
            return self._elected(position)
        if rule is None or not operands or not self._is_first(operands[0], value, position):
            return self._alone(value)
        inputs: list[ThreadIntegers] = []
        for operand in operands[1:]:
            integers: ThreadIntegers | _Open | None
            if isinstance(operand, Register):
                number = self.body.number(operand, position)
                if number is None:
                    return None
                source = self._read(number, position)
                if source is None:
                    return self._alone(value)
                integers = found[source] if source in found else self._known[source]
                if self._differs(number, position, integers):
                    return self._alone(value)
            else:
                integers = self._plain(operand, position)
            if isinstance(integers, _Open):
                return _OPEN
            if integers is None:
                return self._alone(value)
            inputs.append(integers)
        made = rule(RuleInputs(self.arithmetic, position, instruction.op, inputs))
        if made is None:
            return self._alone(value)
        if len(made.base) > _MOST_LEAVES:
            return self.arithmetic.leaf(("at", position), made.step, made.parts)
        return made

    def _is_first(self, destination: Operand, value: Value, position: int) -> bool:
        """Is a value the destination that rules are about: the register, or the d of `d|p`?"""
        if isinstance(destination, Pair):
            first = destination.first
            return isinstance(first, Register) and self.body.number(first, position) == value[0]
        return type(destination) is Register

    def _elected(self, position: int) -> ThreadIntegers | None:
        """One thread of each warp, taken to be its first; None where the mask is not all of it (manual 9.7.13.14)."""
        mask = self.body.constant(self.body.instructions[position].operands[-1], position)
        if mask is None or mask & _ALL_LANES != _ALL_LANES:
            return None
        return self.arithmetic.exact(tuple(int(thread % WARP_SIZE == 0) for thread in range(self.count)))

    def _parameter(self, position: int, value: Value) -> ThreadIntegers | None:
        address = self.body.instructions[position].operands[1]
        if (
            not isinstance(address, Address)
            or not isinstance(address.base, Symbol)
            or value[0] not in self.body.writes[position]
        ):
            return self._alone(value)
        part = self.body.writes[position].index(value[0])
        known = self.alignments.of_register(value[0])
        step = power_of_two(known.residue, known.modulus)
        return self.arithmetic.leaf(("param", f"{address.base.name}+{address.offset}.{part}"), step)


def first_threads(body: Body) -> ThreadValues:
    """The first threads of a CTA: no more than FIRST_THREADS, and two warps where no directive says how many there are.

    To be asked for with `body.analysis`, so that several checks share what is found out.
    """
    return ThreadValues(body, FIRST_THREADS if body.analysis(Uniformity).threads else 2 * WARP_SIZE, unfollowed=False)


class _ByCount:
    def __init__(self, body: Body) -> None:
        self.known: dict[int, ThreadValues] = {}


def counted_threads(body: Body, count: int) -> ThreadValues:
    """The values of a body in the first `count` threads, found out once for all who ask."""
    known = body.analysis(_ByCount).known
    if count not in known:
        known[count] = ThreadValues(body, count)
    return known[count]
