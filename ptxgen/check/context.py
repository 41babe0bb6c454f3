"""What a check gets: the run over the module, and the instruction at hand with the names it sees."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ptxgen.check.scope import Scope, module_scope
from ptxgen.errors import Diagnostic
from ptxgen.ir import Function, Instruction, resolve

if TYPE_CHECKING:
    from ptxgen.ir import Module, Source
    from ptxgen.isa.forms import Resolved
    from ptxgen.isa.targets import Target

__all__ = ["Context", "Site"]


class Context:
    """One run of the verifier over a module: the target, the names of the module and the findings so far."""

    __slots__ = ("findings", "forms", "module", "names", "target")

    def __init__(self, module: Module, target: Target) -> None:
        self.module = module
        self.target = target
        self.names = module_scope(module)
        self.findings: list[Diagnostic] = []
        self.forms: dict[int, Resolved] = {}
        """The form of each legal instruction, by the instruction's id()."""

    def report(
        self,
        code: str,
        message: str,
        source: Source | None = None,
        *,
        expected: str | None = None,
        hint: str | None = None,
        severity: str = "error",
    ) -> None:
        self.findings.append(
            Diagnostic(code, message, severity=severity, locations=resolve(source), expected=expected, hint=hint)
        )


class Site(NamedTuple):
    """An instruction under check, in its function, with the names visible there."""

    context: Context
    function: Function
    instruction: Instruction
    scope: Scope

    def report(
        self,
        code: str,
        message: str,
        *,
        expected: str | None = None,
        hint: str | None = None,
        severity: str = "error",
    ) -> None:
        """A finding at the instruction's place."""
        source = self.instruction.source
        self.context.report(code, message, source, expected=expected, hint=hint, severity=severity)
