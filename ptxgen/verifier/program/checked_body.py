"""A body under check: what is known of it, and the run that findings about it go to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.dataflow.bodies.body import Body
from ptxgen.dataflow.calls.participation import callees_of
from ptxgen.dataflow.lazy import lazy
from ptxgen.ir import resolve
from ptxgen.verifier.program.allowance import allowances

if TYPE_CHECKING:
    from ptxgen.ir import Function, Variable
    from ptxgen.verifier.program.allowance import Allowance
    from ptxgen.verifier.program.context import VerifierContext

__all__ = ["CheckedBody"]


class CheckedBody(Body):
    """`ordinal` counts the bodies of a run; `parameter_uses` are the ld and st of the .param variables of calls."""

    def __init__(self, context: VerifierContext, function: Function) -> None:
        super().__init__(context.module, context.names, function)
        self.context = context
        self.ordinal: int = len(context.bodies)
        self._analyses[callees_of] = context.callees  # all bodies of a run share them
        self.parameter_uses: list[tuple[int, Variable]] = []

    @lazy
    def allowances(self) -> list[Allowance]:
        """The warnings that its remarks take back."""
        return allowances(self.remarks)

    def line_of(self, position: int) -> str:
        """An instruction and its line, to name it in a finding about another."""
        instruction = self.instructions[position]
        places = resolve(instruction.source)
        return f"{instruction.op} at {places[0]}" if places else instruction.op

    def report(
        self,
        code: str,
        message: str,
        position: int,
        *,
        expected: str | None = None,
        hint: str | None = None,
        severity: str = "warning",
    ) -> None:
        """A finding at the instruction with that position; unlike elsewhere, a warning unless said otherwise."""
        self.context.report(
            code,
            message,
            self.instructions[position].source,
            expected=expected,
            hint=hint,
            severity=severity,
            body=self,
            position=position,
        )
