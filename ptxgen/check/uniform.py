"""Which values may differ between the threads of a warp, and which between those of a CTA.

Answered on demand, for the slice of the body that a register depends on: from %tid, %laneid, atomics, loads at addresses that
differ, and shuffles forwards; and through control: a register with several definitions differs where threads choose
differently among them. What is not known to differ counts as uniform (parameters of a `.func`, results of a call, contents
of local memory): a warning must be sure of its ground.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple

from ptxgen.ir import Immediate, Operand, Register, Special
from ptxgen.ir.lazy import lazy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.check.body import Body
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


Value = tuple[int, tuple[int, ...], int]
"""A register, the positions of the writes that may have given it its value, and the block of its use.

The block is -1 where it does not matter: one write, in the block of the use or where every thread comes once.
"""


class Uniformity:
    """How far a body's registers and branches are the same. `threads` is the CTA's size as its directives state it, or ()."""

    def __init__(self, body: Body) -> None:
        self.body = body
        self.threads = _stated_size(body)
        self._levels: dict[Value, Level] = {}
        self._branches: dict[int, Level] = {}
        self._values: dict[tuple[int, int], Value] = {}
        self._specials = _special_levels(self.threads)

    @property
    def one_warp(self) -> bool:
        """Is the CTA known to be no more than one warp?"""
        size = 1
        for extent in self.threads:
            size *= extent
        return bool(self.threads) and size <= WARP_SIZE

    def register(self, number: int, position: int) -> Level:
        """How far a register is the same where the instruction at that position reads it."""
        value = self.value(number, position)
        level = self._levels.get(value)
        return self._solve(value) if level is None else level

    def branch(self, block: int) -> Level:
        """How far the threads at the end of a block agree on where to go."""
        level = self._branches.get(block)
        if level is None:
            end = self.body.flow.blocks[block].end - 1
            level = max((self.register(number, end) for number in self.body.reads[end]), default=Level.CTA)
            self._branches[block] = level
        return level

    def reason(self, number: int, position: int) -> str:
        """What makes a register differ there, for a message: "%tid.x", "the result of atom.global.add.u32"."""
        body = self.body
        value = self.value(number, position)
        seen: set[Value] = set()
        while value not in seen:
            seen.add(value)
            onward: list[Value] = []
            for where in value[1]:
                for operand in body.instructions[where].operands:
                    if type(operand) is Special and self._special(operand.name) > Level.CTA:
                        return operand.name
                form = body.forms[where]
                if form is not None and form.form.opcode not in _DIFFERENT:
                    onward += [self.value(register, where) for register in body.reads[where]]
            onward = [v for v in (*onward, *self.choosers(value)) if v not in seen and self.level(v) > Level.CTA]
            if onward:
                value = max(onward, key=self.level)
        return f"the result of {body.instructions[value[1][-1]].op}" if value[1] else body.registers[value[0]].name

    def value(self, number: int, position: int) -> Value:
        """A register as the instruction at that position reads it."""
        found = self._values.get((number, position))
        if found is None:
            found = self._values[number, position] = self._value(number, position)
        return found

    def _value(self, number: int, position: int) -> Value:
        flow = self.body.flow
        written = tuple(self.body.chains.reaching(number, position))
        block = flow.block_at(position).index
        together = len(written) < 2 and all(self._blocks[where] in (block, -1) for where in written)
        return number, written, -1 if together else block

    @lazy
    def _blocks(self) -> list[int]:
        """The block of each instruction, -1 where nothing decides over it."""
        flow = self.body.flow
        found = []
        for block in flow.blocks:
            found += [block.index if flow.controllers[block.index] else -1] * (block.end - block.start)
        return found

    def level(self, value: Value) -> Level:
        """How far a value is the same."""
        level = self._levels.get(value)
        return self._solve(value) if level is None else level

    def choosers(self, value: Value) -> list[Value]:
        """The values that decide which of several writes, or which round of a loop, a thread has got its value from.

        Threads that come to the use of the value agree on the branches that lead there.
        """
        _, written, block = value
        if block < 0:
            return []
        body, flow = self.body, self.body.flow
        over = [flow.controllers[flow.block_at(position).index] for position in written]
        every = frozenset[tuple[int, int]]().union(*over)
        rounds = {branch for branch in every if branch in flow.controllers[branch[0]]}
        branches = (every - frozenset.intersection(*over)) | rounds
        ends = sorted({flow.blocks[index].end - 1 for index, _ in branches - flow.controllers[block]})
        found = [self.value(number, end) for end in ends for number in body.reads[end]]
        for position in written if len(written) > 1 else ():
            guard = body.guard(position)
            if guard is not None:
                found.append(self.value(guard[0], position))
        return found

    def _solve(self, wanted: Value) -> Level:
        """The least fixpoint over the values that `wanted` depends on."""
        body, levels = self.body, self._levels
        choosers: dict[Value, list[Value]] = {}
        users: dict[Value, list[Value]] = {}
        work = [wanted]
        while work:
            value = work.pop()
            if value in choosers or value in levels:
                continue
            needs = choosers[value] = self.choosers(value)
            for position in value[1]:
                needs = needs + [self.value(register, position) for register in body.reads[position]]
            for need in needs:
                users.setdefault(need, []).append(value)
            work += needs
        found = dict.fromkeys(choosers, Level.CTA)
        work = list(choosers)
        while work:
            value = work.pop()
            level = found[value]
            for chooser in choosers[value]:
                level = max(level, _pinned(found[chooser] if chooser in found else levels[chooser]))
            for position in value[1]:
                level = max(level, self._written(position, value[0], found))
            if level > found[value]:
                found[value] = level
                work += [user for user in users.get(value, ()) if user in found]
        levels.update(found)
        return levels[wanted]

    def _written(self, position: int, register: int, found: dict[Value, Level]) -> Level:
        """The level of what an instruction writes into a register, given those of what it reads."""
        body = self.body
        instruction, form = body.instructions[position], body.forms[position]
        if form is None:
            return Level.CTA
        opcode = form.form.opcode
        if opcode in _DIFFERENT:
            return Level.THREAD
        reads = body.reads[position]
        values = [self.value(number, position) for number in (reads if instruction.pred is None else reads[1:])]
        inputs = [found[value] if value in found else self._levels[value] for value in values]
        inputs += [self._special(o.name) for o in instruction.operands if type(o) is Special]
        rule = _RULES.get(opcode)
        if rule is None:
            return _pinned(max(inputs, default=Level.CTA))
        if opcode == "elect" and body.registers[register].type.kind == "p":
            return Level.THREAD
        return rule(_Inputs(instruction, instruction.operands, inputs, max(inputs, default=Level.CTA)))

    def _special(self, name: str) -> Level:
        return self._specials.get(name, Level.CTA)


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
    """What becomes of a level by an operation that knows nothing of warps."""
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
    if facts.highest is Level.LANES and masks and masks[0] % WARP_SIZE == 0:
        return Level.WARP
    return _pinned(facts.highest)


def _quotient(facts: _Inputs) -> Level:
    divisor = facts.constant(2)
    if facts.highest is Level.LANES and divisor and divisor % WARP_SIZE == 0:
        return Level.WARP
    return _pinned(facts.highest)


def _field(facts: _Inputs) -> Level:
    start = facts.constant(2)
    if facts.highest is Level.LANES and start is not None and start >= 5:
        return Level.WARP
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


_DIFFERENT = frozenset("atom ldmatrix mma wmma wgmma movmatrix tcgen05".split())
"""Opcodes whose results differ from lane to lane whatever they read."""

_RULES = {
    "mov": _moved, "cvt": _moved, "cvta": _moved, "add": _sum, "sub": _difference, "mad": _product_sum,
    "shr": _right_shift, "and": _and, "div": _quotient, "bfe": _field, "setp": _comparison, "shfl": _shuffled,
    "vote": _agreed, "redux": _agreed, "match": _match, "activemask": _per_warp, "elect": _per_warp, "bar": _per_cta,
    "barrier": _per_cta, "mbarrier": _waited, "call": _per_cta,
}  # fmt: skip


def _stated_size(body: Body) -> tuple[int, ...]:
    for name in ("reqntid", "maxntid"):
        directive = body.function.directive(name)
        if directive is not None:
            return tuple(extent for extent in directive.arguments if isinstance(extent, int))
    return ()


def _special_levels(threads: tuple[int, ...]) -> dict[str, Level]:
    """The special registers that differ within a CTA."""
    ragged = len(threads) > 1 and any(extent > 1 for extent in threads[1:]) and threads[0] % WARP_SIZE != 0
    levels = {"%tid.x": Level.THREAD if ragged else Level.LANES, "%warpid": Level.WARP, "%laneid": Level.THREAD}
    levels |= dict.fromkeys(("%tid.y", "%tid.z"), Level.THREAD if ragged else Level.WARP)
    levels |= {f"%lanemask_{which}": Level.THREAD for which in ("eq", "le", "lt", "ge", "gt")}
    levels |= dict.fromkeys(("%clock", "%clock_hi", "%clock64"), Level.WARP)
    levels |= dict.fromkeys(("%globaltimer", "%globaltimer_lo", "%globaltimer_hi"), Level.WARP)
    return levels
