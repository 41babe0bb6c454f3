"""Results that are one of the operands, or a number, whatever the operand is: x + 0, x & x, x * 0, x - x."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ptxgen.isa.types import TYPES
from ptxgen.passes.arithmetic import read

__all__ = ["Known", "OperandIdentity", "simplified"]


class OperandIdentity(NamedTuple):
    """The same bits as the register with that number."""

    number: int


Known = int | OperandIdentity
"""What is known of a value: its bits, or where else they are."""

_ALWAYS_EQUAL = {"eq": 1, "le": 1, "ge": 1, "ls": 1, "hs": 1, "ne": 0, "lt": 0, "gt": 0, "lo": 0, "hi": 0}


def simplified(op: str, values: Sequence[Known | None]) -> Known | None:
    """What an integer instruction of these operands gives, when one known operand or two equal ones decide it."""
    opcode, *modifiers = op.split(".")
    type_ = TYPES.get(modifiers[-1]) if modifiers else None
    if type_ is None or type_.kind not in "usbp" or type_.lanes != 1:
        return None
    mode = ".".join(modifiers[:-1])
    if opcode == "selp" and not mode and len(values) == 3:
        chosen = values[2]
        if isinstance(chosen, int):
            return values[0 if chosen & 1 else 1]
        return values[0] if values[0] == values[1] else None
    if len(values) != 2:
        return values[0] if opcode == "mov" and len(values) == 1 and not mode else None
    a, b = values
    if a is not None and a == b:
        return _of_equals(opcode, mode, a)
    if opcode in ("add", "mul", "and", "or", "xor") and isinstance(a, int):
        a, b = b, a
    if not isinstance(b, int):
        return None
    if opcode in ("shl", "shr"):
        return a if not mode and read(b, TYPES["u32"]) == 0 else None  # a count has 32 bits, whatever is shifted
    number, ones = read(b, type_), read(-1, type_)
    if opcode in ("add", "sub", "or", "xor") and not mode and number == 0:
        return a
    if (opcode == "mul" and mode == "lo" and number == 0) or (opcode == "and" and not mode and number == 0):
        return 0
    if (opcode == "mul" and mode == "lo" and number == 1) or (opcode == "and" and not mode and number == ones):
        return a
    if opcode == "or" and not mode and number == ones:
        return ones
    if not mode and number == 1 and opcode in ("div", "rem"):
        return a if opcode == "div" else 0
    return None


def _of_equals(opcode: str, mode: str, value: Known) -> Known | None:
    """The same register, or number, twice."""
    if opcode == "setp":
        return _ALWAYS_EQUAL.get(mode)
    if mode:
        return None
    if opcode in ("and", "or", "min", "max"):
        return value
    return 0 if opcode in ("sub", "xor") else None
