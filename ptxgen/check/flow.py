"""Registers on their way through the control-flow graph: used before any path has written them (a warning)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.check.operands import match
from ptxgen.ir import Address, Arguments, Element, Function, Instruction, Not, Operand, Pair, Register, Vector
from ptxgen.ir.cfg import basic_blocks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ptxgen.check.context import Context

__all__ = ["check_definitions", "reads_and_writes"]


def reads_and_writes(instruction: Instruction) -> tuple[list[Register], list[Register]]:
    """The registers an instruction reads (its guard included) and those it writes."""
    reads: list[Register] = []
    writes: list[Register] = []
    if instruction.pred is not None:
        reads += _registers(instruction.pred)
    if instruction.opcode == "call":
        operands = instruction.operands
        if len(operands) > 1 and isinstance(operands[0], Arguments):
            writes += _registers(operands[0])
            operands = operands[1:]
        for operand in operands:
            reads += _registers(operand)
        return reads, writes
    form = match(instruction.op, instruction.operands).resolved
    for index, operand in enumerate(instruction.operands):
        written = form is not None and index < len(form.operands) and form.operands[index].spec.written
        (writes if written else reads).extend(_registers(operand))
    return reads, writes


def _registers(operand: Operand) -> Iterator[Register]:
    kind = type(operand)
    if kind is Register:
        yield operand  # type: ignore[misc]
    elif isinstance(operand, (Vector, Arguments)):
        for part in operand.elements:
            yield from _registers(part)
    elif isinstance(operand, Address):
        yield from _registers(operand.base)
        for part in operand.coordinates:
            yield from _registers(part)
    elif isinstance(operand, Pair):
        yield from _registers(operand.first)
        yield from _registers(operand.second)
    elif isinstance(operand, Not):
        yield from _registers(operand.operand)
    elif isinstance(operand, Element):
        yield operand.base


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
            reads, writes = reads_and_writes(instruction)
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
