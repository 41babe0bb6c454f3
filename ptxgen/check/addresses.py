"""Do addresses lie in the state space that their instruction works on (manual 6.4.1, 9.7.9)?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.check.operands import assign
from ptxgen.ir import Address, Immediate, Symbol, Variable
from ptxgen.isa.spaces import WINDOW

if TYPE_CHECKING:
    from ptxgen.check.context import Site
    from ptxgen.isa.forms import Resolved

__all__ = ["check_addresses"]


def check_addresses(site: Site, form: Resolved) -> None:
    """Report constant addresses and variables in a space that the form does not take."""
    operands = site.instruction.operands
    for operand, entry in zip(operands, assign(form.operands, len(operands)) or ()):
        if not isinstance(operand, Address):
            continue
        space = entry.space
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
    elif not space and declaration.space == "param" and declaration.type.kind != "o":  # textures are named as they are
        site.report("PTX207", f"{base.name} is in .param, which has no generic address here", hint="ld.param")
