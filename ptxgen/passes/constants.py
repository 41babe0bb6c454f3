"""Constants and copies: what is known of registers where they are read, over the whole control flow.

Known integers are folded into results, guards, branches and operands; a copy is read where it comes from. Registers of a
floating type take part as copies only.
"""

from __future__ import annotations

from ptxgen.dataflow.matching.operands import assign
from ptxgen.ir import Address, Immediate, Instruction, Not, Operand, Register, Vector
from ptxgen.isa.forms import opcodes_with
from ptxgen.isa.types import ScalarType
from ptxgen.passes.arithmetic import evaluate, read
from ptxgen.passes.editing import Edit, is_legal, move_into
from ptxgen.passes.facts import rewrite_by_facts
from ptxgen.passes.identities import Known, OperandIdentity, simplified

__all__ = ["propagate_constants"]

Facts = dict[int, Known]

_TAKERS = opcodes_with("load", "store", "atomic", "warp", "branch")
"""Beside what computes: what reads its operands when it is issued. Asynchronous ones keep their registers."""


def propagate_constants(edit: Edit) -> None:
    """Folds integer constants and reads copies at their source."""
    rewrite_by_facts(edit.body.flow, _Propagation(edit))


class _Propagation:
    """Takes facts past instructions. A fact is: this register has those bits, or the same as that register."""

    def __init__(self, edit: Edit) -> None:
        self.edit = edit
        self.body = edit.body
        self.copies: dict[int, list[int]] = {}
        """Register -> those that may be its copies."""
        for position, instruction in enumerate(self.body.instructions):
            to = edit.destination(position)
            if to is not None and edit.computes(position):
                for operand in instruction.operands[1:]:
                    source = edit.number(operand, position)
                    if source is not None and to not in self.copies.setdefault(source, []):
                        self.copies[source].append(to)

    def step(self, position: int, facts: Facts) -> None:
        """What holds behind an instruction."""
        found = self.result(position, facts) if self.body.instructions[position].pred is None else None
        for written in self.body.writes[position]:
            facts.pop(written, None)
            for copy in self.copies.get(written, ()):
                if facts.get(copy) == (written,):
                    del facts[copy]
        if found is not None:
            to = self.edit.destination(position)
            assert to is not None
            if isinstance(found, int) or found.number != to:
                facts[to] = found

    def known(self, operand: Operand, position: int, facts: Facts) -> Known | None:
        """What is known of a source: its bits, or the register at the end of a chain of copies."""
        if isinstance(operand, Immediate):
            return operand.value if operand.kind == "int" else None
        number = self.edit.number(operand, position)
        if number is None:
            return None
        value: Known = OperandIdentity(number)
        while isinstance(value, OperandIdentity) and value.number in facts:
            value = facts[value.number]
        return value

    def _direct(self, operand: Operand, position: int, facts: Facts) -> Known | None:
        """The same, but a register as itself: `copies` knows who is a copy of whom by the text alone."""
        value = self.known(operand, position, facts)
        number = self.edit.number(operand, position) if isinstance(value, OperandIdentity) else None
        return value if number is None else OperandIdentity(number)

    def result(self, position: int, facts: Facts) -> Known | None:
        """What an instruction computes: the bits, or a register that has them already."""
        to = self.edit.destination(position)
        if to is None or not self.edit.computes(position):
            return None
        instruction, type_ = self.body.instructions[position], self.body.registers[to].type
        if instruction.operands[1:] == () or instruction.op.startswith("ld."):
            return None
        values = [self._direct(operand, position, facts) for operand in instruction.operands[1:]]
        numbers = [value for value in values if isinstance(value, int)]
        if _is_move(instruction):
            found = values[0]
        elif len(numbers) == len(values):
            found = evaluate(instruction.op, numbers)
        else:
            found = simplified(instruction.op, values)
        if isinstance(found, OperandIdentity):
            source = self.body.registers[found.number].type
            return found if source.bits == type_.bits and (source.kind == "p") == (type_.kind == "p") else None
        if found is None or type_.kind not in "usbp" or type_.bits > 64:
            return None
        return found & ((1 << type_.bits) - 1)

    def rewrite(self, position: int, facts: Facts) -> None:
        """Puts a better instruction there when something is known."""
        instruction = self.body.instructions[position]
        guarded = self._guard(position, facts)
        if guarded is None:
            self.edit.delete(position)
            return
        found = self.result(position, facts)
        if _is_move(instruction) and type(instruction.operands[1]) is Immediate:
            better = guarded
        elif isinstance(found, int):
            to = instruction.operands[0]
            assert isinstance(to, Register)
            better = move_into(to, Immediate(read(found, to.type)), guarded)
        elif found is not None and not _is_move(instruction):
            to, source = instruction.operands[0], self.edit.names(found.number, position)
            assert isinstance(to, Register)
            better = guarded if source is None else move_into(to, source, guarded)
        else:
            better = self._substituted(position, guarded, facts)
        if better != instruction and (is_legal(better) or better.op == instruction.op == "bra"):
            self.edit.replace(position, better)

    def _guard(self, position: int, facts: Facts) -> Instruction | None:
        """The instruction without a guard that always holds; None when it never does."""
        instruction = self.body.instructions[position]
        guard = instruction.pred
        if guard is None:
            return instruction
        register = guard.operand if isinstance(guard, Not) else guard
        value = self.known(register, position, facts) if isinstance(register, Register) else None
        if isinstance(value, OperandIdentity):
            other = self.edit.names(value.number, position)
            if other is None or other == register:
                return instruction
            new = Not(other) if isinstance(guard, Not) else other
            return Instruction(instruction.op, instruction.operands, new, instruction.source)
        if value is None:
            return instruction
        if bool(value & 1) == isinstance(guard, Not):
            return None
        return Instruction(instruction.op, instruction.operands, None, instruction.source)

    def _substituted(self, position: int, instruction: Instruction, facts: Facts) -> Instruction:
        """With known operands in place of registers, as far as the table takes them."""
        form = self.body.forms[position]
        if form is None or not (form.form.opcode in _TAKERS or self.edit.may_drop(position)):
            return instruction
        operands = list(instruction.operands)
        wanted = assign(form.operands, len(operands))
        if wanted is None:
            return instruction
        for index, operand in enumerate(instruction.operands):
            if wanted[index].spec.written:
                continue
            new = self._operand(operand, wanted[index].type, position, facts)
            if new != operand:
                operands[index] = new
                if not is_legal(Instruction(instruction.op, tuple(operands))):
                    operands[index] = operand
        return Instruction(instruction.op, tuple(operands), instruction.pred, instruction.source)

    def _operand(self, operand: Operand, wanted: ScalarType | None, position: int, facts: Facts) -> Operand:
        if isinstance(operand, Address) and not operand.coordinates:
            base = self._operand(operand.base, None, position, facts)
            return Address(base, operand.offset) if isinstance(base, Register) else operand
        if isinstance(operand, Vector):
            return Vector(tuple(self._operand(part, None, position, facts) for part in operand))
        if isinstance(operand, Not):
            inner = self._operand(operand.operand, None, position, facts)
            return Not(inner) if isinstance(inner, Register) else operand
        if not isinstance(operand, Register):
            return operand
        value = self.known(operand, position, facts)
        if isinstance(value, int):
            # An integer in the place of a float would be converted, and a packed one has no spelling.
            if wanted is None or wanted.kind not in "usb" or wanted.lanes != 1 or wanted.bits > 64:
                return operand
            return Immediate(read(value, wanted))
        if value is None:
            return operand
        found = self.edit.names(value.number, position)
        return operand if found is None or found.type.is_float != operand.type.is_float else found


def _is_move(instruction: Instruction) -> bool:
    """One register, or number, into another of the same size."""
    return instruction.opcode == "mov" and type(instruction.operands[1]) in (Register, Immediate)
