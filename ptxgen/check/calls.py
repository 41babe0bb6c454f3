"""Do calls agree with the functions they call (manual 9.7.12.5)?"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ptxgen.check.operands import describe
from ptxgen.ir import Arguments, CallPrototype, Function, Instruction, Operand, Register, Symbol, Variable

if TYPE_CHECKING:
    from ptxgen.check.context import Site

__all__ = ["Call", "call_parts", "check_call"]


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


def check_call(site: Site) -> None:
    """Report a call of what is no device function, and results and arguments that do not match it."""
    call = call_parts(site.instruction)
    if call.callee is None:
        site.report("PTX306", "a call names no function", expected="call (results), name, (arguments)")
        return
    if isinstance(call.callee, Symbol):
        callee = site.scope.find(call.callee.name)
        if not isinstance(callee, Function) or callee.is_entry:
            site.report("PTX306", f"{call.callee.name} is not a device function", expected="the name of a .func")
            return
    else:
        callee = site.scope.find(call.prototype.name) if call.prototype is not None else None
        if not isinstance(callee, CallPrototype):
            return  # a list of targets: they share one signature, which the assembler checks
    _check_list(site, call.results, callee.results, "result")
    _check_list(site, call.arguments, callee.parameters, "argument")


def _check_list(site: Site, given: tuple[Operand, ...], formals: tuple[Variable, ...], what: str) -> None:
    if len(given) != len(formals):
        site.report("PTX306", f"the call passes {len(given)} {what}s, the function has {len(formals)}")
        return
    for operand, formal in zip(given, formals):
        if isinstance(operand, Register) and formal.space == "reg" and not _passes(operand, formal):
            site.report(
                "PTX306",
                f"{describe(operand)} does not match the {what} {formal.name}",
                expected=f"a .{formal.type.name} register",
            )


def _passes(operand: Register, formal: Variable) -> bool:
    given, wanted = operand.type, formal.type
    return given.bits == wanted.bits and ("b" in (given.kind, wanted.kind) or given.is_float == wanted.is_float)
