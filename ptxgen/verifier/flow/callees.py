"""Kernels with their device functions in place of the calls, for the checks of what threads do one after the other.

A kernel that calls functions which take part in its protocols is checked once more as one body (dataflow/calls/inlining.py).
Findings are reported at the instructions in the function itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.dataflow.calls.inlining import inlined
from ptxgen.errors import Diagnostic
from ptxgen.verifier.instruction.checks import check_instructions
from ptxgen.verifier.program.context import Finding, VerifierContext

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ptxgen.dataflow.bodies.body import Body
    from ptxgen.dataflow.calls.inlining import Inlined
    from ptxgen.ir import Function, Instruction
    from ptxgen.verifier.body_checks import BodyCheck

__all__ = ["check_with_callees"]


def check_with_callees(context: VerifierContext, checks: Sequence[BodyCheck]) -> None:
    """Run checks over the kernels that call functions which take part; findings are reported in the functions' own bodies."""
    known = {(f.diagnostic.code, f.ordinal, f.position) for f in context.findings}
    bodies = {id(body.function): body for body in context.bodies}
    faulty = {f.ordinal for f in context.findings if f.diagnostic.is_error}
    for body in list(context.bodies):
        if not body.function.is_entry or "call" not in body.at or faulty:
            continue
        called = [context.callees.of(body.instructions[position]) for position in body.at["call"]]
        if not any(callee is None or context.callees.take_part(callee) for callee in called):
            continue
        whole = inlined(context.module, body.function, context.callees)
        if whole is None:
            continue
        for code, function, instruction, diagnostic in _findings(context, whole, checks):
            own = bodies[id(function)]
            position = own.analysis(_positions)[id(instruction)]
            if (code, own.ordinal, position) not in known:
                known.add((code, own.ordinal, position))
                if own is not body:
                    diagnostic = _said_of(diagnostic, body.function.name)
                context.findings.append(Finding(own.ordinal, position, diagnostic, own))


def _positions(body: Body) -> dict[int, int]:
    """Where each instruction stands, by identity."""
    return {id(body.instructions[position]): position for position in reversed(range(len(body.instructions)))}


def _findings(
    context: VerifierContext, whole: Inlined, checks: Sequence[BodyCheck]
) -> Iterator[tuple[str, Function, Instruction, Diagnostic]]:
    """What the checks find in the whole, at the instructions that it was made of."""
    apart = VerifierContext(context.module, context.target, style=context.style)
    apart.names = context.names
    body = check_instructions(apart, whole.function)
    if apart.findings:
        return
    for check in checks:
        check.run(body)
    for finding in apart.findings:
        if finding.position >= 0:
            function, instruction = whole.origins[id(body.instructions[finding.position])]
            yield finding.diagnostic.code, function, instruction, finding.diagnostic


def _said_of(found: Diagnostic, kernel: str) -> Diagnostic:
    """A finding in a device function that is one of the kernel that calls it."""
    return Diagnostic(
        found.code, f"{found.message} (called by {kernel})", severity=found.severity, locations=found.locations,
        expected=found.expected, hint=found.hint,
    )  # fmt: skip
