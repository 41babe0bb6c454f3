"""Do addresses lie in the state space that their instruction works on (manual 6.4.1, 9.7.9)?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.ir import Address, Immediate, Symbol, Variable
from ptxgen.isa.spaces import ADDRESSABLE, WINDOW

if TYPE_CHECKING:
    from ptxgen.check.context import Site
    from ptxgen.isa.forms import Resolved

__all__ = ["check_addresses"]


def check_addresses(site: Site, form: Resolved) -> None:
    """Report constant addresses and variables in a space that the form does not take."""
    for index, operand in enumerate(site.instruction.operands):
        if not isinstance(operand, Address):
            continue
        space = _space_of(form, index)
        if isinstance(operand.base, Immediate):
            if space != "local":
                site.report("PTX204", "a constant address is only for .local", expected="a register or a name")
        elif isinstance(operand.base, Symbol):
            _check_variable(site, operand.base, WINDOW.get(space, space))


def _check_variable(site: Site, base: Symbol, space: str) -> None:
    declaration = site.scope.find(base.name)
    if not isinstance(declaration, Variable):
        site.report("PTX204", f"{base.name} is not a variable", expected="a variable's name in []")
        return
    if site.instruction.opcode == "st" and declaration in site.function.parameters:
        site.report("PTX307", f"{base.name} is an input parameter and cannot be written")
    if space and declaration.space != space:
        site.report(
            "PTX207",
            f"{base.name} is in .{declaration.space}, the instruction works on .{space}",
            hint=f".{declaration.space} in place of .{space}",
        )
    elif not space and declaration.space == "param":
        site.report("PTX207", f"{base.name} is in .param, which has no generic address here", hint="ld.param")


def _space_of(form: Resolved, index: int) -> str:
    """The state space that the form's modifiers name; "" for generic. cp.async writes shared and reads global."""
    if form.form.opcode == "cp":
        return "shared" if index == 0 else "global"
    for segment in form.form.segments:
        chosen = form.bindings.get(segment.name, "")
        if WINDOW.get(chosen, chosen) in ADDRESSABLE:
            return chosen
    return ""
