"""One run of the verifier over a module: its checks, in their order.

Each check takes a Site (an instruction), a CheckedBody (a function's) or the VerifierContext (the module) and reports into it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.collector import rarely_collected
from ptxgen.dataflow.bodies.scope import enter
from ptxgen.errors import Diagnostic, grouped
from ptxgen.ir import Function, Module, Variable
from ptxgen.isa.targets import VERSIONS, find_target
from ptxgen.verifier.body_checks import BODY_CHECKS, BodyCheck
from ptxgen.verifier.findings.silence import silenced
from ptxgen.verifier.instruction.checks import check_instructions
from ptxgen.verifier.module_level.declarations import check_declarations, check_initializer
from ptxgen.verifier.module_level.directives import check_directives
from ptxgen.verifier.module_level.launch import check_launch
from ptxgen.verifier.module_level.limits import check_limits, check_shared
from ptxgen.verifier.module_level.unfinished import check_unfinished
from ptxgen.verifier.module_level.variables import check_variable, check_variables
from ptxgen.verifier.program.context import VerifierContext

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.verifier.program.context import Finding

__all__ = ["run_checks"]


def run_checks(module: Module, *, style: bool = False, errors_only: bool = False) -> list[Diagnostic]:
    """Every finding about the module as it stands, in text order; with `style`, those of style (6xx) as well.

    With `errors_only`, what a driver asks: whether the module is legal. Every error is there, and few warnings.
    """
    try:
        context = VerifierContext(module, find_target(module.target), style=style)
    except ValueError as unknown:
        return [Diagnostic("PTX402", str(unknown))]
    with rarely_collected():
        _check_module(context, [check for check in BODY_CHECKS if check.errors or not errors_only])
        findings = silenced(context)
        placed = _placed(module, findings) if findings else []
        context.release()
    return grouped(placed) if placed else []


def _placed(module: Module, findings: Sequence[Finding]) -> list[Diagnostic]:
    """The findings with all that is known of where they are."""
    from ptxgen.verifier.findings.declarations import with_declarations
    from ptxgen.verifier.findings.ptx_lines import with_ptx_lines

    return with_ptx_lines(module, [with_declarations(finding) for finding in findings])


def _check_module(context: VerifierContext, checks: Sequence[BodyCheck]) -> None:
    module = context.module
    _check_header(context)
    check_directives(context)
    check_declarations(context)
    for item in module:
        enter(item, context.names)
        if isinstance(item, Function):
            _check_function(context, item, checks)
        elif isinstance(item, Variable):
            check_variable(context, item)
            if item.init is not None:
                check_initializer(context, item)
    for name, source in context.names.duplicates:
        context.report("PTX302", f"{name} is declared twice in this module", source)
    if any("call" in body.at for body in context.bodies):
        _check_with_callees(context, [check for check in checks if check.callees])
    check_shared(context)
    check_unfinished(context)


_ONLY_WIDE = 90
"""From this target on addresses have 64 bits."""


def _check_function(context: VerifierContext, function: Function, checks: Sequence[BodyCheck]) -> None:
    body = None
    if function.body is not None:
        before = len(context.findings)
        body = check_instructions(context, function)
        if not any(finding.diagnostic.is_error for finding in context.findings[before:]):
            for check in checks:
                check.run(body)
    check_variables(context, function, body)
    check_limits(context, function, body)
    check_launch(context, function)


def _check_with_callees(context: VerifierContext, checks: Sequence[BodyCheck]) -> None:
    """Kernels that call functions which take part in what they do, once more as one body."""
    from ptxgen.verifier.flow.callees import check_with_callees

    check_with_callees(context, checks)


def _check_header(context: VerifierContext) -> None:
    module, target = context.module, context.target
    version = f"{module.version[0]}.{module.version[1]}"
    if module.version not in VERSIONS and module.version >= VERSIONS[0]:
        newest = ".".join(map(str, VERSIONS[-1]))
        context.report("PTX401", f"PTX version {version} is unknown", expected=f"{newest} or older")
    elif module.version < target.since:
        needed = f"{target.since[0]}.{target.since[1]}"
        context.report(
            "PTX403",
            f"target {target.name} needs PTX {needed}, this module says {version}",
            expected=f".version {needed} or newer",
            hint=f'version="{needed}" or version="auto"',
        )
    if module.address_size != 64 and target.sm >= _ONLY_WIDE:
        context.report("PTX404", f".address_size {module.address_size} is not there for {target.name}", expected="64")
