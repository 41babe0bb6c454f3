"""Registers on their way through the control-flow graph: used before any path has written them (a warning)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.ir import Address, Arguments, Element, Function, Instruction, Negated, Not, Operand, Pair, Register, Vector
from ptxgen.ir.cfg import BasicBlock, basic_blocks

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
    if instruction.op.startswith("call"):
        if len(operands) > 1 and isinstance(operands[0], Arguments):
            _collect(operands[0], writes)
            operands = operands[1:]
        for operand in operands:
            _collect(operand, reads)
        return reads, writes
    if form is None:  # an illegal instruction has its own finding: what it was to write counts as written
        for operand in operands:
            _collect(operand, writes)
        return reads, writes
    for operand, entry in zip(operands, form.operands):
        into = writes if entry.spec.written else reads
        if type(operand) is Register:
            into.append(operand)
        else:
            _collect(operand, into)
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
    elif isinstance(operand, (Not, Negated)):
        _collect(operand.operand, into)
    elif isinstance(operand, Element):
        into.append(operand.base)


def check_definitions(context: Context, function: Function) -> None:
    """Warn of registers that some path from the entry reaches unwritten. A guarded write counts as a write."""
    blocks = basic_blocks(function)
    bits: dict[str, int] = {p.name: 1 << i for i, p in enumerate((*function.parameters, *function.results))}
    at_entry = (1 << len(bits)) - 1
    exposed_of: list[list[tuple[Instruction, int]]] = []
    writes_of: list[int] = []
    for block in blocks:
        exposed, written = _effects(context, block, bits)
        exposed_of.append(exposed)
        writes_of.append(written)
    defined = [(1 << len(bits)) - 1] * len(blocks)
    defined[0] = at_entry
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
    _report(context, bits, exposed_of, defined, reached)


def _effects(context: Context, block: BasicBlock, bits: dict[str, int]) -> tuple[list[tuple[Instruction, int]], int]:
    """(instructions that read what the block has not written before, what the block writes), as sets of bits."""
    rows: list[tuple[Instruction, int]] = []
    written = 0
    for instruction in block.instructions:
        reads, writes = reads_and_writes(instruction, context.forms.get(id(instruction)))
        exposed = _mask(reads, bits) & ~written
        if exposed:
            rows.append((instruction, exposed))
        written |= _mask(writes, bits)
    return rows, written


def _mask(registers: list[Register], bits: dict[str, int]) -> int:
    mask = 0
    for register in registers:
        bit = bits.get(register.name)
        if bit is None:
            bit = bits[register.name] = 1 << len(bits)
        mask |= bit
    return mask


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
