"""Loops whose sum is begun anew in every iteration, so that only the last one counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.ir import Immediate, Operand, Register

if TYPE_CHECKING:
    from ptxgen.dataflow.graph.loops import Loop
    from ptxgen.verifier.program.checked_body import CheckedBody

__all__ = ["check_accumulation"]

_NEUTRAL = {"add": (0,), "or": (0,), "xor": (0,), "fma": (0,), "mad": (0,), "mul": (1,), "min": (), "max": (0,)}
"""Opcode -> the integers that a sum, a product, ... of that kind begins with. `mul` of 0 and `min` begin elsewhere."""
_ONE = {16: 0x3C00, 32: 0x3F800000, 64: 0x3FF0000000000000}
"""The bits of 1.0."""
_ADDEND = {"fma": 3, "mad": 3}
"""Where the operand stands that is added to; elsewhere both sources are."""


def check_accumulation(body: CheckedBody) -> None:
    """PTX605: an addition in a loop to a register that is only ever its neutral element. Only when style is asked for."""
    reported: set[int] = set()
    for loop in body.loops:
        for index in sorted(loop.blocks):
            block = body.flow.blocks[index]
            for position in range(block.start, block.end):
                if position not in reported and _begins_anew(body, loop, position):
                    reported.add(position)
                    instruction = body.instructions[position]
                    result = body.registers[body.writes[position][0]].name
                    body.report(
                        "PTX605",
                        f"each iteration begins {result} anew: behind the loop it has what the last iteration brought",
                        position,
                        expected=f"{instruction.op} into the register that it adds to",
                    )


def _begins_anew(body: CheckedBody, loop: Loop, position: int) -> bool:
    instruction, written = body.instructions[position], body.writes[position]
    opcode = instruction.opcode
    if opcode not in _NEUTRAL or len(written) != 1 or instruction.pred is not None or ".cc" in instruction.op:
        return False
    if len(body.chains.definitions[written[0]]) != 1 or _is_read_inside(body, loop, written[0]):
        return False
    place = _ADDEND.get(opcode)
    sources = instruction.operands[1:3] if place is None else instruction.operands[place : place + 1]
    return any(_is_neutral(body, loop, source, position) for source in sources)


def _is_read_inside(body: CheckedBody, loop: Loop, register: int) -> bool:
    """Is the result read in the loop, or nowhere?"""
    uses = body.chains.uses.get(register, ())
    return not uses or any(body.flow.block_at(where).index in loop.blocks for where in uses)


def _is_neutral(body: CheckedBody, loop: Loop, source: Operand, position: int) -> bool:
    """Is it a register that is set once, before the loop, to what changes nothing?"""
    number = body.number(source, position) if type(source) is Register else None
    where = [] if number is None else body.chains.definitions.get(number, ())
    if len(where) != 1 or body.flow.block_at(where[0]).index in loop.blocks:
        return False
    set_to = body.instructions[where[0]]
    if set_to.opcode != "mov" or type(set_to.operands[1]) is not Immediate:
        return False
    opcode = body.instructions[position].opcode
    value = set_to.operands[1].value
    if body.instructions[position].op.rpartition(".")[2].startswith(("f", "bf")):
        return opcode != "max" and value == (_ONE.get(set_to.operands[0].type.bits) if opcode == "mul" else 0)  # type: ignore[union-attr]
    return value in _NEUTRAL[opcode]
