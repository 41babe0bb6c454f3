"""The checks of single instructions, run along the walk over a body."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.dataflow.bodies.walk import walk
from ptxgen.verifier.instruction.calls import check_call
from ptxgen.verifier.instruction.forms import check_form, is_available
from ptxgen.verifier.instruction.names import (
    check_special,
    report_not_a_target,
    report_other_type,
    report_unknown_name,
)
from ptxgen.verifier.instruction.state_spaces import check_addresses
from ptxgen.verifier.program.checked_body import CheckedBody
from ptxgen.verifier.program.context import Site

if TYPE_CHECKING:
    from ptxgen.dataflow.bodies.scope import NameScope
    from ptxgen.ir import Function, Instruction, Register, Special
    from ptxgen.isa.forms import Resolved
    from ptxgen.isa.types import ScalarType
    from ptxgen.verifier.program.context import VerifierContext

__all__ = ["check_instructions"]


def check_instructions(context: VerifierContext, function: Function) -> CheckedBody:
    """Check each instruction of a function with a body by itself; the body, for the checks of the whole."""
    body = CheckedBody(context, function)
    context.bodies.append(body)
    walk(body, InstructionChecks(body))
    return body


class InstructionChecks:
    """What the walk over one body calls (dataflow/bodies/listener.py): each turns into a check of the instruction at hand."""

    __slots__ = ("_site",)

    def __init__(self, body: CheckedBody) -> None:
        self._site = Site(body)

    def _at(self, scope: NameScope, instruction: Instruction) -> Site:
        site = self._site
        site.scope = scope
        site.instruction = instruction
        return site

    def unknown_name(self, scope: NameScope, instruction: Instruction, name: str, /) -> None:
        report_unknown_name(self._at(scope, instruction), name)

    def not_a_target(self, scope: NameScope, instruction: Instruction, name: str, /) -> None:
        report_not_a_target(self._at(scope, instruction), name)

    def other_type(
        self, scope: NameScope, instruction: Instruction, register: Register, declared: ScalarType, /
    ) -> None:
        report_other_type(self._at(scope, instruction), register, declared)

    def special(self, scope: NameScope, instruction: Instruction, operand: Special, /) -> bool:
        return check_special(self._at(scope, instruction), operand)

    def exists(self, form: Resolved, /) -> bool:
        return is_available(self._site.context, form)

    def form(self, scope: NameScope, instruction: Instruction, /) -> Resolved | None:
        return check_form(self._at(scope, instruction))

    def addresses(self, scope: NameScope, instruction: Instruction, form: Resolved, /) -> None:
        check_addresses(self._at(scope, instruction), form)

    def call(self, scope: NameScope, instruction: Instruction, /) -> None:
        check_call(self._at(scope, instruction))

    def duplicates(self, scope: NameScope, /) -> None:
        body = self._site.body
        for name, source in scope.duplicates:
            message = f"{name} is declared twice in this scope"
            body.context.report("PTX302", message, source, body=body, position=len(body.instructions))
