"""Common subexpressions: what was computed on every path here, and still stands in a register, is read there."""

from __future__ import annotations

from ptxgen.ir import Register, Special, Vector
from ptxgen.isa.forms import opcodes_with
from ptxgen.isa.types import TYPES
from ptxgen.passes.editing import Edit, is_legal, move_into
from ptxgen.passes.facts import rewrite_by_facts
from ptxgen.passes.latency import LATENCY, latency
from ptxgen.passes.pressure import Room

__all__ = ["share_common"]

_COMMUTES = opcodes_with("commutes")

Facts = dict[int, int]
"""Number of an expression -> the register that has its value."""


def share_common(edit: Edit) -> None:
    """Reads a value where it was computed before, in this block or in one on every path to it."""
    rewrite_by_facts(edit.body.flow, _Expressions(edit))


def _is_integer(op: str) -> bool:
    type_ = TYPES.get(op.rpartition(".")[2])
    return type_ is not None and type_.kind in "usb"


class _Expressions:
    """The expressions of a body by number, and which of them a write to a register ends."""

    def __init__(self, edit: Edit) -> None:
        self.edit = edit
        self.of: list[int | None] = []
        """By position: the number of the expression that the instruction computes."""
        self.ended: dict[int, set[int]] = {}
        """Register -> the expressions that read it, or that it may hold."""
        self.sources: list[frozenset[int]] = []
        """By the number of an expression: the registers that it reads."""
        self.room = Room(edit)
        numbers: dict[object, int] = {}
        body = edit.body
        for position in range(len(body.instructions)):
            key = self._key(position)
            number = None if key is None else numbers.setdefault(key, len(numbers))
            self.of.append(number)
            if number is not None:
                guarded = body.instructions[position].pred is not None
                if number == len(self.sources):
                    self.sources.append(frozenset(body.reads[position][guarded:]))
                for register in (*body.reads[position][guarded:], *body.writes[position]):
                    self.ended.setdefault(register, set()).add(number)

    def _key(self, position: int) -> object:
        """Equal for instructions that compute the same from the same registers; None for what is not worth it, or does more."""
        edit, body = self.edit, self.edit.body
        instruction = body.instructions[position]
        if edit.destination(position) is None or not edit.computes(position):
            return None
        if instruction.opcode == "mov" and type(instruction.operands[1]) not in (Special, Vector):
            return None  # a constant or a copy costs nothing
        guarded = instruction.pred is not None
        operands, registers = instruction.operands[1:], tuple(body.reads[position][guarded:])
        if any(edit.pinned >> register & 1 for register in registers):
            return None
        if instruction.opcode in _COMMUTES and len(operands) == 2 and _is_integer(instruction.op):
            operands = tuple(sorted(operands, key=repr))
            registers = tuple(sorted(registers))
        return instruction.op, operands, registers

    def step(self, position: int, facts: Facts) -> None:
        """What is at hand behind an instruction."""
        body = self.edit.body
        for written in body.writes[position]:
            for ended in self.ended.get(written, ()):
                if facts.get(ended) == written or written in self.sources[ended]:
                    facts.pop(ended, None)
        number, to = self.of[position], self.edit.destination(position)
        if number is None or to is None or body.instructions[position].pred is not None:
            return
        if to not in body.reads[position]:
            facts.setdefault(number, to)

    def rewrite(self, position: int, facts: Facts) -> None:
        """A copy in place of a second computation."""
        number = self.of[position]
        holder = None if number is None else facts.get(number)
        if holder is None or holder == self.edit.destination(position):
            return
        instruction = self.edit.body.instructions[position]
        to, source = instruction.operands[0], self.edit.names(holder, position)
        if not isinstance(to, Register) or source is None or source.type.bits != to.type.bits:
            return
        better = move_into(to, source, instruction)
        if is_legal(better) and self._pays(position, holder):
            self.edit.replace(position, better)

    def _pays(self, position: int, holder: int) -> bool:
        """Keeping a value costs a register for as long. Where these are few, a cheap one is made again."""
        made = self.edit.body.chains.definitions[holder]
        if latency(self.edit.body.instructions[position]) > LATENCY["wide"] or len(made) != 1:
            return True
        return self.room.keep(holder, made[0], position)
