"""Do addresses lie in the state space that their instruction works on (manual 6.4.1, 9.7.9)?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.dataflow.matching.operands import assign
from ptxgen.ir import Address, Function, Immediate, Symbol, Variable
from ptxgen.isa.spaces import WINDOW

if TYPE_CHECKING:
    from ptxgen.isa.forms import Resolved
    from ptxgen.verifier.program.context import Site

__all__ = ["check_addresses"]


def check_addresses(site: Site, form: Resolved) -> None:
    """Report constant addresses and variables in a space that the form does not take."""
    operands = site.instruction.operands
    entries = form.operands if len(form.operands) == len(operands) else assign(form.operands, len(operands)) or ()
    for operand, entry in zip(operands, entries):
        if not isinstance(operand, Address):
            if isinstance(operand, Symbol) and operand.is_sum and entry.spec.kind in ("value", "symbol"):
                _check_constant(site, operand, entry.spec.kind)
            continue
        space = entry.space
        if isinstance(operand.base, Immediate):
            if space != "local":
                site.report("PTX204", "a constant address is only for .local", expected="a register or a name")
        elif isinstance(operand.base, Symbol):
            _check_variable(site, operand.base, WINDOW.get(space, space))
        elif space == "param::func" and site.function.is_entry:
            site.report(
                "PTX207",
                f"{site.instruction.op} works on parameters of a device function, this is a kernel",
                hint=".param",
            )


def _check_constant(site: Site, symbol: Symbol, kind: str) -> None:
    """`name+4` where a constant or an address may stand: of variables and parameters."""
    found = site.scope.find(symbol.name)
    if isinstance(found, Function) or (kind == "value" and not isinstance(found, Variable)):
        site.report(
            "PTX204",
            f"{symbol.name}{symbol.offset:+} is no constant: {symbol.name} is not a variable",
            expected="a register, a constant, or a variable's name plus a number",
        )


def _check_variable(site: Site, base: Symbol, space: str) -> None:
    declaration = site.scope.find(base.name)
    if not isinstance(declaration, Variable):
        site.report("PTX204", f"{base.name} is not a variable", expected="a variable's name in []")
        return
    if declaration.space == "param":
        _check_parameter(site, declaration)
    if space and declaration.space != space:
        site.report(
            "PTX207",
            f"{base.name} is in .{declaration.space}, the instruction works on .{space}",
            hint=f".{declaration.space} in place of .{space}",
        )
    elif (
        not space and declaration.space in ("param", "const") and declaration.type.kind != "o"
    ):  # textures have their names
        hint = f"{site.instruction.opcode}.{declaration.space}" if site.instruction.opcode == "ld" else None
        site.report(
            "PTX207",
            f"{base.name} is in .{declaration.space}, which has no generic address here",
            expected="a name in .global, .shared or .local, or an address from cvta",
            hint=hint,
        )


def _check_parameter(site: Site, variable: Variable) -> None:
    """Inputs are read, results are written; any other .param variable belongs to a call."""
    function = site.function
    own = id(variable) in map(id, function.parameters)
    if own and site.instruction.op.startswith("ld.param."):
        return
    opcode = site.instruction.opcode
    if own and opcode == "st":
        site.report("PTX307", f"{variable.name} is an input parameter and cannot be written")
    elif not own and any(variable is result for result in function.results):
        if opcode == "ld":
            site.report("PTX308", f"{variable.name} is a result of {function.name} and cannot be read")
    elif not own:
        site.body.parameter_uses.append((len(site.body.instructions), variable))
    wrong = "::func" if own and function.is_entry else "::entry" if not own else None
    if wrong is not None and f".param{wrong}" in site.instruction.op:
        right = "a parameter of the kernel" if own else "a parameter of a call"
        site.report("PTX207", f"{variable.name} is {right}, .param{wrong} is not where it lies", hint=".param")
