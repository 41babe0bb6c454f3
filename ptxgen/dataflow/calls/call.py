"""The parts of a call instruction (manual 9.7.12.5)."""

from __future__ import annotations

from driver_ctypes.typing import TYPE_CHECKING, NamedTuple
from ptxgen.ir import Arguments, Register, Symbol

if TYPE_CHECKING:
    from ptxgen.ir import Instruction, Operand

__all__ = ["Call", "call_parts"]


class Call(NamedTuple):
    """The parts of a call. `prototype` is the .callprototype or .calltargets of an indirect one."""

    results: tuple[Operand, ...]
    callee: Symbol | Register | None
    arguments: tuple[Operand, ...]
    prototype: Symbol | None


def call_parts(instruction: Instruction) -> Call:
    """Take a call instruction apart: `call (results), callee, (arguments), prototype`."""
    rest = list(instruction.operands)
    results: tuple[Operand, ...] = ()
    arguments: tuple[Operand, ...] = ()
    callee: Symbol | Register | None = None
    if len(rest) > 1 and isinstance(rest[0], Arguments):
        results, rest = rest[0].elements, rest[1:]
    if rest and isinstance(rest[0], (Symbol, Register)):
        callee, rest = rest[0], rest[1:]
    if rest and isinstance(rest[0], Arguments):
        arguments, rest = rest[0].elements, rest[1:]
    return Call(results, callee, arguments, rest[0] if rest and isinstance(rest[0], Symbol) else None)
