"""Immediate offsets: `[a]` where a = b + constant is `[b+constant]`, which costs nothing.

Only for 64-bit addresses, whose sum wraps as the register's does, and offsets of 24 bits, which instructions hold.
"""

from __future__ import annotations

from typing import NamedTuple

from ptxgen.ir import Address, Immediate, Instruction, Operand
from ptxgen.isa.forms import opcodes_with
from ptxgen.passes.arithmetic import signed
from ptxgen.passes.editing import Edit, is_legal
from ptxgen.passes.facts import rewrite_by_facts

__all__ = ["fold_offsets"]

_LIMIT = 1 << 23
_TAKERS = opcodes_with("load", "store", "atomic")


class Sum(NamedTuple):
    """The register with that number, plus a constant."""

    number: int
    offset: int


def fold_offsets(edit: Edit) -> None:
    """Turns the address of a register plus a constant into a register and an immediate offset."""
    rewrite_by_facts(edit.body.flow, _Sums(edit))


class _Sums:
    """Which registers are now another one plus a constant."""

    def __init__(self, edit: Edit) -> None:
        self.edit = edit
        self.sums: list[tuple[int, Sum] | None] = [self._sum(p) for p in range(len(edit.body.instructions))]
        self.from_base: dict[int, list[int]] = {}
        for found in self.sums:
            if found is not None and found[0] not in self.from_base.setdefault(found[1].number, []):
                self.from_base[found[1].number].append(found[0])

    def _sum(self, position: int) -> tuple[int, Sum] | None:
        instruction = self.edit.body.instructions[position]
        to = self.edit.destination(position)
        if to is None or instruction.pred is not None:
            return None
        if instruction.op not in ("add.u64", "add.s64", "sub.u64", "sub.s64"):
            return None
        a, b = instruction.operands[1:]
        if instruction.opcode == "add" and isinstance(a, Immediate):
            a, b = b, a
        number = self.edit.number(a, position)
        if number is None or number == to or not isinstance(b, Immediate):
            return None
        return to, Sum(number, signed(b.value if instruction.opcode == "add" else -b.value, 64))

    def step(self, position: int, facts: dict[int, Sum]) -> None:
        """What holds behind an instruction."""
        for written in self.edit.body.writes[position]:
            facts.pop(written, None)
            for other in self.from_base.get(written, ()):
                if other in facts and facts[other].number == written:
                    del facts[other]
        found = self.sums[position]
        if found is not None:
            facts[found[0]] = found[1]

    def rewrite(self, position: int, facts: dict[int, Sum]) -> None:
        """The addresses of a plain access, each from as far back as is known."""
        instruction, form = self.edit.body.instructions[position], self.edit.body.forms[position]
        if form is None or form.form.opcode not in _TAKERS or "async" in instruction.op:
            return
        operands = tuple(self._address(operand, position, facts) for operand in instruction.operands)
        better = Instruction(instruction.op, operands, instruction.pred)
        if better != instruction and is_legal(better):
            self.edit.replace(position, better)

    def _address(self, operand: Operand, position: int, facts: dict[int, Sum]) -> Operand:
        if not isinstance(operand, Address) or operand.coordinates:
            return operand
        number, offset = self.edit.number(operand.base, position), operand.offset
        best = operand
        while number is not None and number in facts:
            number, more = facts[number]
            offset += more
            base = self.edit.names(number, position)
            if base is not None and -_LIMIT <= offset < _LIMIT:
                best = Address(base, offset)
        return best
