"""Do calls agree with the functions they call (manual 7.1, 9.7.12.5)?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.dataflow.calls.call import call_parts
from ptxgen.dataflow.matching.operands import describe
from ptxgen.ir import (
    CallPrototype,
    CallTargets,
    Function,
    Immediate,
    Module,
    Operand,
    Register,
    Sink,
    Symbol,
    Variable,
)

if TYPE_CHECKING:
    from ptxgen.dataflow.calls.call import Call
    from ptxgen.verifier.program.context import Site

__all__ = ["check_call", "is_passable"]


_UNPASSABLE = frozenset({"pred", "u8", "s8", "u16", "s16"})
"""Types of parameters that assemblers do not pass ("In ABI compilation, ... is not supported"); .b16 they do."""

_FIRST_ABI = (2, 0)
"""Up to PTX 1.x there is no ABI: parameters are in registers, of any base type (manual of .func)."""


def is_passable(parameter: Variable, module: Module) -> bool:
    """Can functions of that module be called with such a parameter, or give such a result?"""
    if parameter.vector > 1 and parameter.type.kind != "p":  # in registers of 32 bits together
        return True
    if parameter.shape or parameter.type.name not in _UNPASSABLE:
        return True
    return parameter.space == "reg" and not _has_abi(module)


def _has_abi(module: Module) -> bool:
    """Assemblers do without it in old modules, and where a function has several results, which are in registers."""
    return module.version >= _FIRST_ABI and all(len(function.results) < 2 for function in module.functions)


def check_call(site: Site) -> None:
    """Report a call of what is not a device function, and results and arguments that do not match it."""
    call = call_parts(site.instruction)
    if call.callee is None:
        site.report("PTX306", "a call names no function", expected="call (results), name, (arguments)")
        return
    for callee in _callees(site, call):
        if not (
            _check_list(site, call.results, callee.results, "result")
            and _check_list(site, call.arguments, callee.parameters, "argument")
        ):
            return


def _callees(site: Site, call: Call) -> list[Function | CallPrototype]:
    """What the call may call; [] and a finding where that is nothing callable."""
    if isinstance(call.callee, Symbol):
        if call.prototype is not None:
            site.report(
                "PTX306", "a call by name with a prototype", expected="a prototype only where a register is called"
            )
            return []
        return _device_function(site, call.callee.name)
    if call.prototype is None:
        site.report(
            "PTX306",
            "a call through a register says neither its prototype nor its targets",
            expected="call (results), %rd1, (arguments), name, where name: .callprototype ... or .calltargets ...",
        )
        return []
    named = site.scope.find(call.prototype.name)
    if isinstance(named, CallPrototype):
        return [named]
    if isinstance(named, CallTargets):
        return [function for name in named.functions for function in _device_function(site, name, listed=True)]
    site.report(
        "PTX306", f"{call.prototype.name} is not a prototype", expected="the name of a .callprototype or .calltargets"
    )
    return []


def _device_function(site: Site, name: str, *, listed: bool = False) -> list[Function | CallPrototype]:
    """The function of that name. Assemblers let kernels stand in a list of targets."""
    found = site.scope.find(name)
    if isinstance(found, Function) and (listed or not found.is_entry):
        return [found]
    site.report("PTX306", f"{name} is not a device function", expected="the name of a .func")
    return []


def _check_list(site: Site, operands: tuple[Operand, ...], formals: tuple[Variable, ...], what: str) -> bool:
    if len(operands) != len(formals):
        listed = ", ".join(f"{_wanted(formal)} for {formal.name}" for formal in formals) or "none"
        number = f"{len(operands)} {what}" + "s" * (len(operands) != 1)
        site.report("PTX306", f"the call passes {number}, the function has {len(formals)}", expected=listed)
        return False
    for operand, formal in zip(operands, formals):
        if not is_passable(formal, site.context.module):
            message = f"the {what} {formal.name} is a .{formal.type.name}, which cannot be passed"
            site.report("PTX305", message, expected="an untyped parameter, or one of 32 bits and more")
            return False
        problem = _problem(site, operand, formal)
        if problem is not None:
            site.report("PTX306", f"{problem} does not match the {what} {formal.name}", expected=_wanted(formal))
            return False
    return True


def _problem(site: Site, operand: Operand, formal: Variable) -> str | None:
    """What is wrong with an argument or a result, None for nothing."""
    if isinstance(operand, Register):
        return None if not formal.shape and _passes(operand, formal) else describe(operand)
    if isinstance(operand, Immediate):
        fits = not formal.type.is_float if operand.kind == "int" else formal.type.bits == int(operand.kind[1:])
        return None if fits and not formal.shape else describe(operand)
    if isinstance(operand, Symbol):
        variable = site.scope.find(operand.name)
        if not isinstance(variable, Variable) or variable.space not in ("param", "reg"):
            return f"{operand.name}, which is not a .param variable of the body,"
        if variable.space == "param" and any(
            variable is p for p in (*site.function.parameters, *site.function.results)
        ):
            return f"{operand.name}, a parameter of {site.function.name} itself,"
        same = variable.size == formal.size and bool(variable.shape) == bool(formal.shape)
        if not same or variable.alignment != formal.alignment:
            return f"{operand.name} ({_describe(variable)})"
        return None
    return None if isinstance(operand, Sink) else describe(operand)


def _passes(operand: Register, formal: Variable) -> bool:
    actual, wanted = operand.type, formal.type
    if actual.bits != wanted.bits:
        return False
    return formal.space == "param" or "b" in (actual.kind, wanted.kind) or actual.is_float == wanted.is_float


def _wanted(formal: Variable) -> str:
    if formal.space == "reg":
        return f"a .{formal.type.name} register"
    return f"{_describe(formal)} in .param" + ("" if formal.shape else f", or a {formal.type.bits}-bit register")


def _describe(variable: Variable) -> str:
    if not variable.shape:
        aligned = f".align {variable.align} " if variable.align not in (None, variable.type.bytes) else ""
        return f"{aligned}.{variable.type.name}"
    return f"{variable.size} bytes aligned to {variable.alignment}"
