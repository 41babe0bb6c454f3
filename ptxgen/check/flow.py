"""Registers on their way through the control-flow graph: used before any path has written them (a warning)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.ir import Address, Arguments, Element, Function, Instruction, Not, Operand, Pair, Register, Vector
from ptxgen.ir.cfg import basic_blocks

if TYPE_CHECKING:
    from ptxgen.check.context import Context
    from ptxgen.isa.forms import Resolved

__all__ = ["check_definitions", "reads_and_writes"]


def reads_and_writes(instruction: Instruction, form: Resolved | None) -> tuple[list[Register], list[Register]]:
    """The registers an instruction reads (its guard included) and those it writes."""
    reads: list[Register] = []
    writes: list[Register] = []
    operands = instruction.operands
    if instruction.pred is not None:
        _collect(instruction.pred, reads)
    if instruction.opcode == "call":
        if len(operands) > 1 and isinstance(operands[0], Arguments):
            _collect(operands[0], writes)
            operands = operands[1:]
        for operand in operands:
            _collect(operand, reads)
        return reads, writes
    specs = form.operands if form is not None else ()
    for index, operand in enumerate(operands):
        written = index < len(specs) and specs[index].spec.written
        _collect(operand, writes if written else reads)
    return reads, writes


def _collect(operand: Operand, into: list[Register]) -> None:
    kind = type(operand)
    if kind is Register:
        into.append(operand)  # type: ignore[arg-type]
    elif kind is Address:
        _collect(operand.base, into)  # type: ignore[union-attr]
        for part in operand.coordinates:  # type: ignore[union-attr]
            _collect(part, into)
    elif isinstance(operand, (Vector, Arguments)):
        for part in operand.elements:
            _collect(part, into)
    elif isinstance(operand, Pair):
        _collect(operand.first, into)
        _collect(operand.second, into)
    elif isinstance(operand, Not):
        _collect(operand.operand, into)
    elif isinstance(operand, Element):
        into.append(operand.base)


def check_definitions(context: Context, function: Function) -> None:
    """Warn of registers that some path from the entry reaches unwritten. A guarded write counts as a write."""
    blocks = basic_blocks(function)
    bits: dict[str, int] = {p.name: 1 << i for i, p in enumerate((*function.parameters, *function.results))}
    known_at_entry = (1 << len(bits)) - 1
    effects: list[list[tuple[Instruction, int]]] = []
    writes_of: list[int] = []
    for block in blocks:
        rows: list[tuple[Instruction, int]] = []
        written = 0
        for instruction in block.instructions:
            reads, writes = reads_and_writes(instruction, context.forms.get(id(instruction)))
            exposed = 0
            for register in reads:
                exposed |= bits.setdefault(register.name, 1 << len(bits))
            exposed &= ~written
            if exposed:
                rows.append((instruction, exposed))
            for register in writes:
                written |= bits.setdefault(register.name, 1 << len(bits))
        effects.append(rows)
        writes_of.append(written)
    everything = (1 << len(bits)) - 1
    defined = [everything] * len(blocks)
    defined[0] = known_at_entry
    work = [0]
    reached = {0}
    while work:
        index = work.pop()
        out = defined[index] | writes_of[index]
        for successor in blocks[index].successors:
            merged = defined[successor] & out
            if merged != defined[successor] or successor not in reached:
                reached.add(successor)
                defined[successor] = merged
                work.append(successor)
    _report(context, bits, effects, defined, reached)


def _report(
    context: Context,
    bits: dict[str, int],
    effects: list[list[tuple[Instruction, int]]],
    defined: list[int],
    reached: set[int],
) -> None:
    seen = 0
    for index, rows in enumerate(effects):
        if index not in reached:
            continue
        for instruction, exposed in rows:
            missing = exposed & ~defined[index] & ~seen
            if not missing:
                continue
            seen |= missing
            names = ", ".join(name for name, bit in bits.items() if bit & missing)
            context.report(
                "PTX303",
                f"{names} may be read before it is written",
                instruction.source,
                hint="give it a value on every path to here",
                severity="warning",
            )
