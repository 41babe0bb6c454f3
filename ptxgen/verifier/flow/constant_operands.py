"""Constants with which an instruction does nothing sensible: shifts by the width, division by zero, empty masks (warnings)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.isa.forms import opcodes_with
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from ptxgen.verifier.program.checked_body import CheckedBody

__all__ = ["check_constant_operands"]

_SHIFTS = sorted(opcodes_with("shift"))
_DIVISIONS = sorted(opcodes_with("division"))
_BARRIERS = opcodes_with("barrier")
_MASKED = sorted(opcodes_with("barrier", "warp"))


def check_constant_operands(body: CheckedBody) -> None:
    """PTX313: shifts by the width and more, fields behind it, integers divided by zero. PTX503: masks that name no lane."""
    for opcode in (*_SHIFTS, "bfe"):
        for position in body.at.get(opcode, ()):
            _check_shift(body, position)
    for opcode in _DIVISIONS:
        for position in body.at.get(opcode, ()):
            words = body.instructions[position].op.split(".")
            if words[-1][0] in "us" and body.constant(body.instructions[position].operands[-1], position) == 0:
                body.report(
                    "PTX313", f"{body.instructions[position].op} divides by zero", position, hint="another divisor"
                )
    for opcode in _MASKED:
        for position in body.at.get(opcode, ()):
            _check_mask(body, position)


def _check_shift(body: CheckedBody, position: int) -> None:
    instruction = body.instructions[position]
    type_ = TYPES.get(instruction.op.rpartition(".")[2])
    amount = body.constant(instruction.operands[2], position)
    if type_ is None or amount is None or 0 <= amount < type_.bits:
        return
    what = "takes a field from bit" if instruction.opcode == "bfe" else "shifts by"
    body.report(
        "PTX313",
        f"{instruction.op} {what} {amount}, and the value has {type_.bits} bits: nothing of it is left",
        position,
        expected=f"0 to {type_.bits - 1}",
    )


def _check_mask(body: CheckedBody, position: int) -> None:
    instruction = body.instructions[position]
    words = instruction.op.split(".")
    if words[0] in _BARRIERS and "warp" not in words:
        return
    if "sync" in words and instruction.operands and body.constant(instruction.operands[-1], position) == 0:
        body.report(
            "PTX503",
            f"the mask of {instruction.op} names no lane, not even this one",
            position,
            expected="a mask with a bit for each lane that comes",
            hint="0xffffffff",
        )
