"""Which values may differ between the threads of a warp, and which between those of a CTA.

Answered on demand, for the slice of the body that a register depends on: from %tid, %laneid, atomics, loads at addresses that
differ, and shuffles forwards; and through control: a register with several definitions differs where threads choose
differently among them. What is not known to differ counts as uniform (parameters of a `.func`, results of a call, contents
of local memory): a warning must be sure of its ground.
"""

from __future__ import annotations

from collections import deque
from enum import IntEnum
from math import prod

from driver_ctypes.typing import TYPE_CHECKING, NamedTuple
from ptxgen.dataflow.bodies.launch_bounds import cta_extents
from ptxgen.dataflow.bodies.special_registers import variation
from ptxgen.dataflow.graph.algorithms import bits, members
from ptxgen.dataflow.threads.warp_multiples import WarpMultiples
from ptxgen.ir import Immediate, Operand, Register, Special
from ptxgen.isa.forms import opcodes_with

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.dataflow.bodies.body import Body
    from ptxgen.ir import Instruction

__all__ = ["Level", "Uniformity", "Value"]

WARP_SIZE = 32


class Level(IntEnum):
    """How far a value is the same."""

    CTA = 0
    """One value in the whole CTA."""
    WARP = 1
    """One in each warp."""
    LANES = 2
    """The thread's number, plus what is the same in the CTA: it differs in a warp, but its multiples of 32 do not.

    Taken for granted where nothing says otherwise: a CTA's first dimension is a multiple of the warp.
    """
    THREAD = 3
    """Each thread may have its own."""


Value = tuple[int, int]
"""A register and what of its values is meant (graph/merges.py): the write at a position, or -1 - b, the merge in block b."""

_BRANCH = -1
"""As a register in a Value: the answer of the branch that ends a block."""


class Read(NamedTuple):
    """A register as an instruction reads it: its value, and the branches by which threads leave the loop it is written in.

    Threads that leave a loop in different iterations take different values out of it. The value is None before the first write.
    """

    value: Value | None
    loop_exits: tuple[Value, ...] = ()


class _Needs(NamedTuple):
    """What the level of a value depends on: `values` are all of them."""

    inputs: list[Read]
    merged: list[Value]
    choosers: list[Value]
    values: list[Value]


class Uniformity:
    """How far a body's registers and branches are the same. `threads` is the CTA's size as its directives state it, or ()."""

    def __init__(self, body: Body) -> None:
        self.body = body
        self.threads: tuple[int, ...] = cta_extents(body.function)
        self._levels: dict[Value, Level] = {}
        self._reasons: dict[Value, str] = {}
        self._reads: dict[tuple[int, int], Read] = {}
        self._stretches: dict[tuple[int, ...], int] = {}
        self._written: dict[int, int] = {}
        self._merged: dict[Value, list[Value]] = {}
        self._choosers: dict[Value, list[Value]] = {}
        self._thread_indices = _thread_index_levels(self.threads)

    @property
    def one_warp(self) -> bool:
        """Is the CTA known to be no more than one warp?"""
        return bool(self.threads) and prod(self.threads) <= WARP_SIZE

    def register(self, number: int, position: int) -> Level:
        """How far a register is the same where the instruction at that position reads it."""
        read = self.read(number, position)
        for value in read.loop_exits:
            self.level(value)
        if read.value is not None:
            self.level(read.value)
        return _seen(read, self._levels)

    def branch(self, block: int) -> Level:
        """How far the threads at the end of a block agree on where to go."""
        return self.level((_BRANCH, block))

    def reason(self, number: int, position: int) -> str:
        """What makes a register differ there, for a message: "%tid.x", "the result of atom.global.add.u32"."""
        onward = _values([self.read(number, position)])
        trail: dict[Value, None] = {}
        last, found = -1, ""
        while onward and not found:
            value = max(onward, key=self.level)
            if value in self._reasons:
                found = self._reasons[value]
                break
            trail[value] = None
            register, where = value
            if register != _BRANCH and where >= 0:
                last = where
                found = self._own_reason(where)
            onward = [v for v in self._needs(value).values if v not in trail and self.level(v) > Level.CTA]
        if not found:
            found = (
                f"the result of {self.body.instructions[last].op}" if last >= 0 else self.body.registers[number].name
            )
        self._reasons.update(dict.fromkeys(trail, found))
        return found

    def _own_reason(self, position: int) -> str:
        """The special register that an instruction reads and that differs."""
        for operand in self.body.instructions[position].operands:
            if type(operand) is Special and self._special(operand.name) > Level.CTA:
                return operand.name
        return ""

    # -- what a value depends on -----------------------------------------------------------------------------------

    def read(self, number: int, position: int) -> Read:
        """A register as the instruction at that position reads it."""
        key = number, position
        read = self._reads.get(key)
        if read is None:
            where = self.body.merges.at(number, position)
            if where is None:
                read = Read(None)
            else:
                flow = self.body.flow
                iterations = self._iterations((number, where), flow.block_at(position).index)
                read = Read((number, where), tuple([(_BRANCH, branch) for branch in flow.branches_of(iterations)]))
            self._reads[key] = read
        return read

    def _iterations(self, value: Value, block: int) -> int:
        """The choices, as bits, that decide how often a loop is gone round that makes a value anew and that a block is not in."""
        register, where = value
        flow = self.body.flow
        iterations = flow.controllers[self._block(where)] & flow.repeated & ~flow.controllers[block]
        if iterations and where < 0:
            iterations &= ~sum(
                1 << bit for bit in members(iterations) if self._stays(register, -1 - where, *flow.choices[bit])
            )
        return iterations

    def _stays(self, register: int, merge: int, branch: int, side: int) -> bool:
        """Does a register keep the value that it has in block `merge` while threads come back there by a side of a branch?

        So it does in a loop that waits (`L: try_wait p; @!p bra L;`) and begins where another one begins.
        """
        written = self._written_in(register)
        return not (
            written & (1 << merge | 1 << branch | 1 << side)
            or (branch != merge and written & self._between(merge, branch))
            or (side != merge and written & self._between(side, merge, branch))
        )

    def _written_in(self, register: int) -> int:
        """The blocks that write a register, as bits."""
        found = self._written.get(register)
        if found is None:
            found = 0
            for position in self.body.merges.definitions[register]:
                found |= 1 << self.body.flow.block_at(position).index
            self._written[register] = found
        return found

    def _between(self, *ends: int) -> int:
        """The blocks, as bits, on paths from the first block to the second that pass neither again, nor the third."""
        found = self._stretches.get(ends)
        if found is None:
            start, end = ends[:2]
            around = ~bits(ends)
            found = self._reached(start, "successors", around) & self._reached(end, "predecessors", around)
            self._stretches[ends] = found
        return found

    def _reached(self, start: int, onward: str, within: int) -> int:
        """The blocks, as bits, that edges lead to from one, all of them `within` some."""
        found, work, blocks = 0, [start], self.body.flow.blocks
        while work:
            new = bits(getattr(blocks[work.pop()], onward)) & within & ~found
            found |= new
            work += members(new)
        return found

    def _block(self, where: int) -> int:
        """The block that a value comes from."""
        return self.body.flow.block_at(where).index if where >= 0 else -1 - where

    def _inputs(self, value: Value) -> list[Read]:
        """What the write of a value reads, or its branch; not the guard of a write."""
        register, where = value
        body = self.body
        if register == _BRANCH:
            where = body.flow.blocks[where].end - 1
        elif where < 0 or self._differs(where):
            return []
        reads = body.reads[where]
        if register != _BRANCH and body.instructions[where].pred is not None:
            reads = reads[1:]
        return [self.read(number, where) for number in reads]

    def _differs(self, position: int) -> bool:
        form = self.body.forms[position]
        return form is None or form.form.opcode in _DIFFERENT

    def merged(self, value: Value) -> list[Value]:
        """The values that meet in one: where paths meet, or under a guard, which may leave the value from before."""
        found = self._merged.get(value)
        if found is None:
            found = self._merged[value] = self._find_merged(value)
        return found

    def _find_merged(self, value: Value) -> list[Value]:
        register, where = value
        if register == _BRANCH:
            return []
        merges = self.body.merges
        if where < 0:
            forwards, around = merges.merged(register, -1 - where)
            return [(register, each) for each in dict.fromkeys((*forwards, *around))]
        if self.body.instructions[where].pred is None or len(merges.definitions[register]) < 2:
            return []
        before = merges.before(register, where)
        return [] if before is None else [(register, before)]

    def choosers(self, value: Value) -> list[Value]:
        """What decides which of the values that meet in one a thread has got, or from which iteration of a loop.

        Threads that come to where they meet agree on the branches of which one edge alone leads there, and go round a loop
        together.
        """
        found = self._choosers.get(value)
        if found is None:
            found = self._choosers[value] = self._find_choosers(value)
        return found

    def _find_choosers(self, value: Value) -> list[Value]:
        register, where = value
        if register == _BRANCH or not self.merged(value):
            return []
        if where >= 0:
            return _values([self.read(self.body.reads[where][0], where)])
        flow, block = self.body.flow, -1 - where
        choices = 0
        for group in self.body.merges.merged(register, block):
            every, common = 0, -1
            for other in group:
                over = flow.controllers[self._block(other)]
                every |= over
                common &= over
                choices |= self._iterations((register, other), block)
            choices |= every & ~common & ~flow.certain(block)
        return [(_BRANCH, branch) for branch in flow.branches_of(choices)]

    def _needs(self, value: Value) -> _Needs:
        inputs, merged, choosers = self._inputs(value), self.merged(value), self.choosers(value)
        return _Needs(inputs, merged, choosers, [*_values(inputs), *merged, *choosers])

    # -- levels ----------------------------------------------------------------------------------------------------

    def level(self, value: Value) -> Level:
        """How far a value is the same where it is made, or how far threads agree on a branch."""
        level = self._levels.get(value)
        if level is None:
            self._find(value)
            level = self._levels[value]
        return level

    def _find(self, wanted: Value) -> None:
        """The level of a value: behind those of what it is computed from, or, where values meet, by the fixpoint."""
        levels, work, open_ = self._levels, [wanted], {wanted}
        read: dict[Value, list[Read]] = {}
        while work:
            value = work[-1]
            if value in levels:
                work.pop()
                continue
            inputs = read.get(value)
            if inputs is None:
                inputs = read[value] = self._inputs(value)
            if value[1] < 0 or self.merged(value) or any(each.loop_exits for each in inputs):
                self._solve(value)
                continue
            known = [levels.get(each.value) for each in inputs if each.value is not None]
            if None not in known or Level.THREAD in known:
                level = self._computed(value, inputs)
                if None not in known or level is Level.THREAD:
                    levels[value] = level
                    continue
            missing = next(each.value for each in inputs if each.value is not None and each.value not in levels)
            if missing in open_:  # it depends on itself
                self._solve(value)
                continue
            open_.add(missing)
            work.append(missing)

    def _solve(self, wanted: Value) -> None:
        """The least fixpoint over the values that `wanted` depends on, each looked at behind those it needs.

        Of what reads a value that differs in each thread the level is known at once: nothing else that it reads is asked for.
        """
        levels = self._levels
        parts: dict[Value, _Needs] = {}
        users: dict[Value, list[Value]] = {}
        order: list[Value] = []
        work: list[tuple[Value, bool]] = [(wanted, False)]
        while work and wanted not in levels:
            value, finished = work.pop()
            if value in levels:
                continue
            if finished:
                order.append(value)
                continue
            if value in parts or (value in users and all(user in levels for user in users[value])):
                continue
            needs = parts[value] = self._needs(value)
            work.append((value, True))
            known = [levels.get(need) for need in needs.values]
            if None not in known or Level.THREAD in known:
                self._settle(value, parts, users)
            if value not in levels:
                for need in needs.values:
                    users.setdefault(need, []).append(value)
                    work.append((need, False))
        if wanted not in levels:
            self._iterate([value for value in order if value not in levels], parts, users)

    def _settle(self, value: Value, parts: dict[Value, _Needs], users: dict[Value, list[Value]]) -> None:
        """Notes the levels that do not depend on what is not known yet: of this value, and of those that read it."""
        levels = self._levels
        work = [value]
        while work:
            value = work.pop()
            needs = parts.get(value)
            if needs is None or value in levels:
                continue
            level = self._level(value, needs)
            certain = level is Level.THREAD or not (needs.merged or needs.choosers)
            if certain or all(need in levels for need in needs.values):
                levels[value] = level
                if level is Level.THREAD:
                    work += users.get(value, ())

    def _iterate(self, order: list[Value], parts: dict[Value, _Needs], users: dict[Value, list[Value]]) -> None:
        """The levels of values that depend on one another, from the lowest up."""
        levels = self._levels
        levels.update(dict.fromkeys(order, Level.CTA))
        waiting = set(order)
        queue = deque(order)
        while queue:
            value = queue.popleft()
            waiting.discard(value)
            level = self._level(value, parts[value])
            if level > levels[value]:
                levels[value] = level
                for user in users.get(value, ()):
                    if user not in waiting:
                        waiting.add(user)
                        queue.append(user)

    def _level(self, value: Value, needs: _Needs) -> Level:
        """The level of a value, given those of what it depends on; what is not known counts as one for the whole CTA."""
        levels = self._levels
        level = self._computed(value, needs.inputs)
        for other in needs.merged:
            level = max(level, levels.get(other, Level.CTA))
        for chooser in needs.choosers:
            level = max(level, _pinned(levels.get(chooser, Level.CTA)))
        return level

    def _computed(self, value: Value, inputs: list[Read]) -> Level:
        """The level of what an instruction writes into a register, or of a branch, given those of what it reads."""
        register, where = value
        levels = [_seen(read, self._levels) for read in inputs]
        if register == _BRANCH:
            return max(levels, default=Level.CTA)
        if where < 0:
            return Level.CTA
        body = self.body
        instruction, form = body.instructions[where], body.forms[where]
        if form is None:
            return Level.CTA
        opcode = form.form.opcode
        if opcode in _DIFFERENT:
            return Level.THREAD
        levels += [self._special(o.name) for o in instruction.operands if type(o) is Special]
        rule = _RULES.get(opcode)
        if rule is None:
            return _pinned(max(levels, default=Level.CTA))
        if opcode == "elect" and body.registers[register].type.kind == "p":
            return Level.THREAD
        if Level.WARP in levels and Level.LANES in levels and opcode in ("add", "mad"):
            levels = self._in_row(where, inputs, levels)
        return rule(_Inputs(instruction, instruction.operands, levels, max(levels, default=Level.CTA)))

    def _in_row(self, position: int, inputs: list[Read], levels: list[Level]) -> list[Level]:
        """The levels of a sum's inputs, those of a warp's own as of the CTA where they come to a multiple of 32: so a row of
        threads begins, to which `tid.x` is added."""
        instruction, multiples = self.body.instructions[position], self.body.analysis(WarpMultiples)
        if instruction.opcode == "add":
            values = [read.value for read in inputs] + [None] * (len(levels) - len(inputs))
            return [
                Level.CTA if level is Level.WARP and multiples.of(value) else level
                for value, level in zip(values, levels)
            ]
        factors = levels[:-1]
        whole = instruction.pred is None and levels[-1] is Level.LANES and max(factors) is Level.WARP
        return [Level.CTA] * len(factors) + levels[-1:] if whole and multiples.product(position) else levels

    def _special(self, name: str) -> Level:
        level = self._thread_indices.get(name)
        return _SAME_IN[variation(name).same_in] if level is None else level


def _values(reads: list[Read]) -> list[Value]:
    """The values that these reads name."""
    return [value for read in reads for value in (read.value, *read.loop_exits) if value is not None]


def _seen(read: Read, levels: dict[Value, Level]) -> Level:
    """The level of a register where it is read; what is not known counts as one for the whole CTA."""
    level = Level.CTA if read.value is None else levels.get(read.value, Level.CTA)
    for branch in read.loop_exits:
        level = max(level, _pinned(levels.get(branch, Level.CTA)))
    return level


class _Inputs(NamedTuple):
    """An instruction, and the levels of what it reads (in the order of its operands), of special registers too."""

    instruction: Instruction
    operands: tuple[Operand, ...]
    levels: Sequence[Level]
    highest: Level

    def constant(self, index: int) -> int | None:
        """The value of an integer constant operand."""
        operand = self.operands[index] if index < len(self.operands) else None
        return operand.value if isinstance(operand, Immediate) and operand.kind == "int" else None


def _pinned(level: Level) -> Level:
    """The level of the result of an operation that is independent of the warp."""
    return Level.THREAD if level is Level.LANES else level


def _moved(facts: _Inputs) -> Level:
    return facts.highest if len(facts.levels) <= 1 else _pinned(facts.highest)


def _sum(facts: _Inputs) -> Level:
    """A thread's number plus something keeps to warps when that is the same in the CTA and no odd constant."""
    if facts.highest is not Level.LANES:
        return facts.highest
    others = [level for level in facts.levels if level is not Level.LANES]
    constants = [facts.constant(index) for index in range(1, len(facts.operands))]
    alone = len(others) == len(facts.levels) - 1 and all(level is Level.CTA for level in others)
    return Level.LANES if alone and not any(c is not None and c % WARP_SIZE for c in constants) else Level.THREAD


def _difference(facts: _Inputs) -> Level:
    return _pinned(facts.highest) if _is_last(facts) else _sum(facts)


def _product_sum(facts: _Inputs) -> Level:
    return _sum(facts) if _is_last(facts) else _pinned(facts.highest)


def _is_last(facts: _Inputs) -> bool:
    """Is the thread's number the last operand?"""
    return bool(facts.levels) and facts.levels[-1] is Level.LANES and isinstance(facts.operands[-1], Register)


def _right_shift(facts: _Inputs) -> Level:
    amount = facts.constant(2)
    if facts.highest is not Level.LANES or amount is None or amount < 5:
        return _pinned(facts.highest)
    return Level.CTA if ".s" in facts.instruction.op and amount >= 31 else Level.WARP  # the sign of a thread's number


def _and(facts: _Inputs) -> Level:
    masks = [mask for mask in (facts.constant(1), facts.constant(2)) if mask is not None]
    if facts.highest is not Level.LANES or not masks:
        return _pinned(facts.highest)
    lanes = masks[0] % WARP_SIZE
    if lanes == 0:
        return Level.WARP
    return (
        Level.LANES if lanes == WARP_SIZE - 1 else Level.THREAD
    )  # `tid & 127`: a lane, and a multiple of 32 of its warp


def _or(facts: _Inputs) -> Level:
    """`tid | 128` keeps the lane, and what is above it is the same in the warp; xor alike."""
    others = [other for other in (facts.constant(1), facts.constant(2)) if other is not None]
    if facts.highest is Level.LANES and others and others[0] % WARP_SIZE == 0:
        return Level.LANES
    return _pinned(facts.highest)


def _remainder(facts: _Inputs) -> Level:
    """`tid % 128`, unsigned: what is below 0 has lanes in the other order."""
    divisor = facts.constant(2)
    if facts.highest is Level.LANES and divisor and divisor % WARP_SIZE == 0 and ".u" in facts.instruction.op:
        return Level.LANES
    return _pinned(facts.highest)


def _quotient(facts: _Inputs) -> Level:
    divisor = facts.constant(2)
    if facts.highest is Level.LANES and divisor and divisor % WARP_SIZE == 0:
        return Level.WARP
    return _pinned(facts.highest)


def _field(facts: _Inputs) -> Level:
    start, length = facts.constant(2), facts.constant(3)
    if facts.highest is Level.LANES and start is not None and start >= 5:
        return Level.WARP
    if (
        facts.highest is Level.LANES
        and start == 0
        and length is not None
        and length >= 5
        and ".u" in facts.instruction.op
    ):
        return Level.LANES
    return _pinned(facts.highest)


def _comparison(facts: _Inputs) -> Level:
    """A thread's number compared with a multiple of 32 has one answer a warp."""
    if facts.highest is not Level.LANES:
        return facts.highest
    order = facts.instruction.op.split(".")[1]
    bound = facts.constant(2)
    others = [level for level in facts.levels if level is not Level.LANES]
    if bound is not None and len(others) == len(facts.levels) - 1:
        edge = {"lt": 0, "ge": 0, "lo": 0, "hs": 0, "gt": 31, "le": 31, "hi": 31, "ls": 31}.get(order)
        if edge is not None and bound % WARP_SIZE == edge:
            return max([Level.WARP, *others])
    return Level.THREAD


def _shuffled(facts: _Inputs) -> Level:
    """One lane's value handed to all lanes is the same in the warp."""
    if facts.highest <= Level.WARP:
        return facts.highest
    everyone = ".idx" in facts.instruction.op and facts.constant(3) == 31 and facts.constant(2) is not None
    return Level.WARP if everyone else Level.THREAD


def _agreed(facts: _Inputs) -> Level:
    return Level.CTA if facts.highest is Level.CTA else Level.WARP


def _per_warp(facts: _Inputs) -> Level:
    return Level.WARP


def _per_cta(facts: _Inputs) -> Level:
    return Level.CTA


def _match(facts: _Inputs) -> Level:
    return _agreed(facts) if facts.instruction.op.startswith("match.all") else _pinned(facts.highest)


def _waited(facts: _Inputs) -> Level:
    return _per_warp(facts) if facts.highest <= Level.WARP else Level.THREAD


_DIFFERENT = opcodes_with("atomic", "matrix")
"""Opcodes whose results differ from lane to lane whatever they read."""

_RULES = {
    "mov": _moved, "cvt": _moved, "cvta": _moved, "add": _sum, "sub": _difference, "mad": _product_sum,
    "shr": _right_shift, "and": _and, "or": _or, "xor": _or, "rem": _remainder, "div": _quotient,
    "bfe": _field, "setp": _comparison, "shfl": _shuffled,
    "vote": _agreed, "redux": _agreed, "match": _match, "activemask": _per_warp, "elect": _per_warp, "bar": _per_cta,
    "barrier": _per_cta, "mbarrier": _waited, "call": _per_cta,
}  # fmt: skip


_SAME_IN = {"thread": Level.THREAD, "warp": Level.WARP, "cta": Level.CTA}


def _thread_index_levels(threads: tuple[int, ...]) -> dict[str, Level]:
    """How %tid differs in a CTA of these extents. In a ragged one a warp begins anywhere in a row."""
    ragged = len(threads) > 1 and any(extent > 1 for extent in threads[1:]) and threads[0] % WARP_SIZE != 0
    rows = Level.THREAD if ragged else Level.WARP
    return {"%tid.x": Level.THREAD if ragged else Level.LANES, "%tid.y": rows, "%tid.z": rows}
