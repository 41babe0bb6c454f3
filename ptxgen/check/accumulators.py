"""Registers that one instruction both reads and writes: the accumulators of wgmma.mma_async (manual 9.7.15.5.2).

`D = A*B + D` reads D unless `scale-d` is false, which is how the first product of a chain sets its accumulators. That predicate
is often computed (`k != 0` in a loop over k), so whether accumulators that nothing has written are read is decided by walking
the ways that lead there with what the predicate depends on.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, NamedTuple

from ptxgen.ir import Immediate, Not, Register, Special

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ptxgen.check.body import Body
    from ptxgen.ir import Instruction, Operand

__all__ = ["is_read_unwritten", "note_accumulators"]

Value = int | bool | tuple[object, ...]
"""A constant (bool for a predicate), or a term that stands for what is not known; equal terms are equal values."""

_MOST_STATES = 2_000
"""How many states are tried before the search gives up, in silence."""

_MOST_PARTS = 6
"""Terms with more parts than this are cut to one that says where they were made."""


def note_accumulators(body: Body) -> None:
    """Add the accumulators of each wgmma.mma_async to what it reads, but for those whose scale-d is the constant false."""
    for position in body.at.get("wgmma", ()):
        form = body.forms[position]
        if form is None or not body.writes[position]:
            continue
        for spec, operand in zip(form.form.operands, body.instructions[position].operands):
            if spec.name == "scale_d" and not (isinstance(operand, Immediate) and operand.value == 0):
                body.reads[position] = body.reads[position] + body.writes[position]
                body.accumulators[position] = operand


def is_read_unwritten(body: Body, register: int, position: int) -> bool:
    """Does a way lead to the instruction there on which nothing writes this accumulator and scale-d is not certainly false?"""
    return _Ways(body, register, position).lead()


class _State(NamedTuple):
    block: int
    values: frozenset[tuple[int, Value]]


class _Ways:
    """The ways from the entry to an accumulating instruction on which its accumulator is not written."""

    def __init__(self, body: Body, register: int, position: int) -> None:
        self.body, self.position = body, position
        self.scale = body.accumulators[position]
        self.writes = frozenset(body.chains.definitions.get(register, ()))
        self.slice = self._depends()
        self.guards = {block.index: body.guard(block.end - 1) for block in body.flow.blocks if block.end > block.start}

    def _depends(self) -> dict[int, list[int]]:
        """By block, the positions of the writes that the predicate may depend on, and of those of the accumulator."""
        body = self.body
        definitions, reads = body.chains.definitions, body.reads
        operand = self.scale.operand if isinstance(self.scale, Not) else self.scale
        first = body.number(operand, self.position) if isinstance(operand, Register) else None
        self.tracked: set[int] = set()
        positions = {self.position, *self.writes}
        work = [] if first is None else [first]
        while work:
            register = work.pop()
            if register in self.tracked:
                continue
            self.tracked.add(register)
            for where in definitions.get(register, ()):
                positions.add(where)
                if _known(body.instructions[where]):
                    work += reads[where]
                elif body.instructions[where].pred is not None:
                    work.append(reads[where][0])
        found: dict[int, list[int]] = {}
        for where in sorted(positions):
            found.setdefault(body.flow.block_at(where).index, []).append(where)
        return found

    def lead(self) -> bool:
        start = _State(0, frozenset())
        work, seen = [start], {start}
        while work and len(seen) < _MOST_STATES:
            state = work.pop()
            for values in self._through(state.block, dict(state.values)):
                if values is None:
                    return True
                for successor, known in self._onward(state.block, values):
                    following = _State(successor, frozenset(known.items()))
                    if following not in seen:
                        seen.add(following)
                        work.append(following)
        return False

    def _through(self, block: int, start: dict[int, Value]) -> Iterator[dict[int, Value] | None]:
        """The values at a block's end; none where the accumulator is written, None where it is read before that."""
        ways = [(start, 0)]
        positions = self.slice.get(block, ())
        while ways:
            values, place = ways.pop()
            for index in range(place, len(positions)):
                position = positions[index]
                guard = self.body.guard(position)
                if guard is not None:
                    holds = values.get(guard[0])
                    if holds is (not guard[1]):
                        continue
                    if guard[0] in self.tracked and not isinstance(holds, bool):
                        ways.append(({**values, guard[0]: not guard[1]}, index + 1))
                        values[guard[0]] = guard[1]
                if position == self.position and self._scale(values) is not False:
                    yield None
                    return
                if position in self.writes:
                    break
                self._execute(position, values)
            else:
                yield values

    def _scale(self, values: dict[int, Value]) -> Value:
        return True if isinstance(self.scale, Immediate) else self._value(self.scale, self.position, values)

    def _onward(self, block: int, values: dict[int, Value]) -> Iterator[tuple[int, dict[int, Value]]]:
        """The ways out of a block that its guard does not rule out."""
        found, guard = self.body.flow.blocks[block], self.guards.get(block)
        if guard is None or guard[0] not in self.tracked or len(found.successors) + found.leaves < 2:
            for successor in found.successors:
                yield successor, values
            return
        goes = values.get(guard[0])
        for successor in found.successors:
            holds = guard[1] if successor != block + 1 else not guard[1]
            if goes is not (not holds):
                yield successor, {**values, guard[0]: holds}

    # -- values ----------------------------------------------------------------------------------------------------

    def _execute(self, position: int, values: dict[int, Value]) -> None:
        instruction = self.body.instructions[position]
        written = self.body.writes[position]
        made: Value = ("at", position)
        if _known(instruction):
            inputs = [self._value(operand, position, values) for operand in instruction.operands[1:]]
            result = _compute(instruction.op, inputs)
            made = result if result is not None else _term(instruction.op, inputs, position)
        for place, register in enumerate(written):
            if register in self.tracked:
                if place == 0:
                    values[register] = made
                else:  # the second result of setp is the opposite of the first
                    values[register] = (not made) if isinstance(made, bool) else ("not", made)

    def _value(self, operand: Operand, position: int, values: dict[int, Value]) -> Value:
        if isinstance(operand, Not):
            inner = self._value(operand.operand, position, values)
            return (not inner) if isinstance(inner, bool) else ("not", inner)
        if isinstance(operand, Immediate):
            return operand.value if operand.kind == "int" else ("bits", operand)
        if isinstance(operand, Register):
            number = self.body.number(operand, position)
            return values.get(number, ("start", number)) if number is not None else ("name", operand)
        return ("special", operand.name) if isinstance(operand, Special) else ("operand", position, operand)


_OPCODES = frozenset({"mov", "setp", "add", "sub", "and", "or", "xor", "not", "selp", "cvt"})
_TYPES = frozenset({"pred", *(f"{kind}{bits}" for kind in "bus" for bits in (8, 16, 32, 64))})


def _known(instruction: Instruction) -> bool:
    """Is it one whose result follows from what it reads, and which the search computes?"""
    opcode, *words = instruction.op.split(".")
    if opcode not in _OPCODES or not _TYPES.issuperset(words[1 if opcode == "setp" else 0 :]):
        return False
    return len(instruction.operands) == 3 if opcode == "setp" else isinstance(instruction.operands[0], Register)


def _term(op: str, inputs: list[Value], position: int) -> Value:
    term = (op, *inputs)
    return ("at", position) if _parts(term) > _MOST_PARTS else term


def _parts(value: object) -> int:
    return sum(map(_parts, value)) if isinstance(value, tuple) else 1


_RELATIONS: dict[str, Callable[[int, int], bool]] = {
    "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge,
    "lo": operator.lt, "ls": operator.le, "hi": operator.gt, "hs": operator.ge,
}  # fmt: skip
_OF_EQUALS = {"eq": True, "ne": False, "lt": False, "le": True, "gt": False, "ge": True}
_ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "add": operator.add, "sub": operator.sub, "and": operator.and_, "or": operator.or_, "xor": operator.xor,
}  # fmt: skip


def _compute(op: str, inputs: list[Value]) -> Value | None:
    """The result where it is certain; None otherwise."""
    words = op.split(".")
    opcode, type_ = words[0], words[-1]
    if opcode == "mov":
        source = inputs[0]
        return bool(source) if type_ == "pred" and isinstance(source, int) else source
    if opcode == "cvt":
        return _wrap(_wrap(inputs[0], type_), words[1]) if isinstance(inputs[0], int) else None
    if opcode == "setp":
        left, right = inputs
        if isinstance(left, int) and isinstance(right, int):
            return _RELATIONS[words[1]](_wrap(left, type_), _wrap(right, type_))
        return _OF_EQUALS.get(words[1]) if left == right else None
    if opcode == "selp":
        chooser = inputs[2]
        if isinstance(chooser, bool):
            return inputs[0] if chooser else inputs[1]
        return inputs[0] if inputs[0] == inputs[1] else None
    if opcode == "not":
        if type_ == "pred":
            return (not inputs[0]) if isinstance(inputs[0], bool) else None
        return _wrap(~inputs[0], type_) if isinstance(inputs[0], int) else None
    if type_ == "pred":
        return _logic(opcode, *inputs)
    left, right = inputs
    if isinstance(left, int) and isinstance(right, int):
        return _wrap(_ARITHMETIC[opcode](left, right), type_)
    return 0 if opcode == "and" and 0 in (left, right) else None


def _logic(opcode: str, left: Value, right: Value) -> Value | None:
    if isinstance(left, bool) and isinstance(right, bool):
        return bool(_ARITHMETIC[opcode](left, right))
    deciding = opcode == "or"  # true decides an or, false an and
    if opcode != "xor" and (left is deciding or right is deciding):
        return deciding
    return None


def _wrap(value: int, type_: str) -> int:
    """The number that a register of the type holds."""
    bits = int(type_[1:])
    value &= (1 << bits) - 1
    return value - (1 << bits) if type_[0] == "s" and value >> (bits - 1) else value
