"""Is the instruction a form of the table, with operands that fit, on this target and PTX version?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.dataflow.matching.operands import Mismatch, describe, expected_operands, match
from ptxgen.ir import Not, Register
from ptxgen.isa.forms import Resolved, opcodes

if TYPE_CHECKING:
    from ptxgen.dataflow.matching.operands import Reason
    from ptxgen.verifier.program.context import Site, VerifierContext

__all__ = ["check_form", "is_available", "mismatch_code", "unknown_form"]


def mismatch_code(reason: Reason) -> str:
    """The code of each reason for which operands do not fit a form."""
    return {"count": "PTX202", "type": "PTX203", "kind": "PTX204", "value": "PTX205", "order": "PTX208"}[reason]


def check_form(site: Site) -> Resolved | None:
    """The form that the instruction is; None, and a finding, when it is none."""
    instruction = site.instruction
    guard = instruction.pred.operand if isinstance(instruction.pred, Not) else instruction.pred
    if guard is not None and (not isinstance(guard, Register) or guard.type.kind != "p"):
        site.report("PTX206", f"the guard {describe(guard)} is not a predicate", expected="a .pred register")
    found = match(instruction.op, instruction.operands)
    if found.resolved is None:
        _unknown(site)
        return None
    if found.mismatch is not None:
        _misfit(site, found.resolved, found.mismatch, "error")
        return None
    if found.warning is not None and (found.warning.reason != "order" or site.context.style):
        _misfit(site, found.resolved, found.warning, "warning")
    if found.resolved.since or found.resolved.form.until:
        _check_availability(site, found.resolved)
    return found.resolved


def is_available(context: VerifierContext, form: Resolved) -> bool:
    """Is the form there for the module's target and version? Found out once for each."""
    known = context.available.get(id(form))
    if known is not None and known[0] is form:
        return known[1]
    version, target, until = context.module.version, context.target, form.form.until
    ended = until is not None and target.provides(until.sm, until.suffix) and version > until.version
    there = not ended and all(
        any(target.provides(choice.sm, choice.suffix) and version >= choice.version for choice in choices)
        for choices in form.since
    )
    context.available[id(form)] = form, there
    return there


def _unknown(site: Site) -> None:
    from ptxgen.dataflow.matching.nearest import nearest_instruction

    op = site.instruction.op
    code, message = unknown_form(op)
    hint = nearest_instruction(op, site.instruction.operands) if site.context.wants_hint() else None
    site.report(code, message, hint=hint)


def unknown_form(op: str) -> tuple[str, str]:
    """(code, message) for a name that spells no form of the table."""
    opcode = op.partition(".")[0]
    return (
        ("PTX201", f"{op} is not a form of {opcode}")
        if opcode in opcodes()
        else ("PTX200", f"unknown instruction {opcode!r}")
    )


def _misfit(site: Site, form: Resolved, problem: Mismatch, severity: str) -> None:
    op = site.instruction.op
    if problem.position < 0:
        message, hint = f"{op} has {problem.found}", None
    else:
        message = f"operand {problem.position + 1} of {op} is {problem.found}"
        hint = (
            f"{op} {expected_operands(form)}" if problem.reason != "value" else None
        )  # the operand is right except for its value
    site.report(mismatch_code(problem.reason), message, expected=problem.expected, hint=hint, severity=severity)


def _check_availability(site: Site, form: Resolved) -> None:
    op, version, target = site.instruction.op, site.context.module.version, site.context.target
    until = form.form.until
    if until is not None and target.provides(until.sm, until.suffix) and version > until.version:
        from ptxgen.dataflow.matching.nearest import nearest_form

        last = f"{until.version[0]}.{until.version[1]}"
        site.report(
            "PTX413",
            f"{op} ended with PTX {last} on {target.name}, this module says {version[0]}.{version[1]}",
            expected=f".version {last} or older" + (f", or a target before sm_{until.sm}" if until.sm > 10 else ""),
            hint=nearest_form(op) if site.context.wants_hint() else None,
        )
    for choices in form.since:
        on_target = [c.version for c in choices if target.provides(c.sm, c.suffix)]
        if not on_target:
            names = [f"sm_{c.sm}{c.suffix}" for c in choices]
            site.report(
                "PTX412",
                f"{op} needs target {' or '.join(names)}, this module is for {target.name}",
                expected=" or ".join(map(str, choices)),
                hint=f'target="{names[0]}"',
            )
            return
        needed = min(on_target)
        if version < needed:
            site.report(
                "PTX411",
                f"{op} needs PTX {needed[0]}.{needed[1]}, this module says {version[0]}.{version[1]}",
                expected=f".version {needed[0]}.{needed[1]} or newer on {target.name}",
                hint='version="auto"',
            )
            return
