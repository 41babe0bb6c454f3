"""What a check gets: the run over the module, and the instruction at hand with the names it sees."""

from __future__ import annotations

from driver_ctypes.typing import TYPE_CHECKING, NamedTuple
from ptxgen.dataflow.bodies.scope import NameScope
from ptxgen.dataflow.calls.participation import Callees
from ptxgen.dataflow.lazy import lazy
from ptxgen.errors import Diagnostic
from ptxgen.ir import Function, Instruction, resolve

if TYPE_CHECKING:
    from ptxgen.ir import Module, Source
    from ptxgen.isa.forms import Resolved
    from ptxgen.isa.targets import Target
    from ptxgen.verifier.program.checked_body import CheckedBody

__all__ = ["Finding", "Site", "VerifierContext"]

_MOST_HINTS = 100
"""So many findings of a run say what is nearest to a name that does not exist."""


class Finding(NamedTuple):
    """A diagnostic and where in the module it stands: the body's ordinal and the position in it, -1 for what is outside."""

    ordinal: int
    position: int
    diagnostic: Diagnostic
    body: CheckedBody | None


class VerifierContext:
    """One run of the verifier over a module: the target, the names of the module and the findings so far.

    `names` are those of the module as far as it has been read: a name is declared before it is used. `style`: findings of
    style (6xx) are wanted as well. `hints`: so are the names and forms nearest to those that do not exist.
    """

    def __init__(self, module: Module, target: Target, *, style: bool = False, hints: bool = True) -> None:
        self.module = module
        self.target = target
        self.style = style
        self._hints = _MOST_HINTS if hints else 0
        self.names: NameScope = NameScope()
        self.findings: list[Finding] = []
        self.bodies: list[CheckedBody] = []
        self.available: dict[int, tuple[Resolved, bool]] = {}
        """By the id of a form that was met: it, and whether the module's target and version have it."""

    @lazy
    def callees(self) -> Callees:
        """The module's functions as calls name them."""
        return Callees(self.module)

    def release(self) -> None:
        """Let go of all that is known of the bodies, which name each other: nothing is left then for the collector of cycles."""
        for body in self.bodies:
            vars(body).clear()
        vars(self).clear()

    def wants_hint(self) -> bool:
        """Is what is nearest to a wrong name to be looked for? It costs milliseconds; the first findings have it."""
        self._hints -= 1
        return self._hints >= 0

    def report(
        self,
        code: str,
        message: str,
        source: Source | None = None,
        *,
        expected: str | None = None,
        hint: str | None = None,
        severity: str = "error",
        body: CheckedBody | None = None,
        position: int = -1,
    ) -> None:
        """A finding; `body` and `position` say where in the text it belongs."""
        diagnostic = Diagnostic(
            code, message, severity=severity, locations=resolve(source), expected=expected, hint=hint
        )
        self.findings.append(Finding(-1 if body is None else body.ordinal, position, diagnostic, body))


class Site:
    """An instruction under check, in its function, with the names visible there. One object is moved along a body."""

    __slots__ = ("body", "context", "function", "instruction", "scope")

    def __init__(self, body: CheckedBody) -> None:
        self.body: CheckedBody = body
        self.context: VerifierContext = body.context
        self.function: Function = body.function
        self.scope: NameScope
        self.instruction: Instruction

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
        self.context.report(
            code,
            message,
            self.instruction.source,
            expected=expected,
            hint=hint,
            severity=severity,
            body=self.body,
            position=len(self.body.instructions),
        )
