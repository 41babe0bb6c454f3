"""One run of the verifier over a module: its checks, in their order.

Each check takes a Site (an instruction), a CheckedBody (a function's) or the VerifierContext (the module) and reports into it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.dataflow.bodies.scope import enter
from ptxgen.errors import Diagnostic, grouped
from ptxgen.ir import Function, Module, Variable
from ptxgen.isa.targets import VERSIONS, find_target
from ptxgen.verifier.addresses.alignment import check_alignment
from ptxgen.verifier.addresses.widths import check_widths
from ptxgen.verifier.addresses.windows import check_windows
from ptxgen.verifier.findings.declarations import with_declarations
from ptxgen.verifier.findings.ptx_lines import with_ptx_lines
from ptxgen.verifier.findings.silence import silenced
from ptxgen.verifier.flow.call_sequences import check_call_sequences
from ptxgen.verifier.flow.carries import check_carries
from ptxgen.verifier.flow.constant_operands import check_constant_operands
from ptxgen.verifier.flow.definitions import check_definitions
from ptxgen.verifier.flow.destinations import check_destinations
from ptxgen.verifier.flow.reachability import check_conditions, check_reach
from ptxgen.verifier.flow.results import check_results
from ptxgen.verifier.instruction.checks import check_instructions
from ptxgen.verifier.module_level.declarations import check_declarations, check_initializer
from ptxgen.verifier.module_level.directives import check_directives
from ptxgen.verifier.module_level.launch import check_launch
from ptxgen.verifier.module_level.limits import check_limits, check_shared
from ptxgen.verifier.module_level.unfinished import check_unfinished
from ptxgen.verifier.module_level.variables import check_variable, check_variables
from ptxgen.verifier.program.collector import uncollected
from ptxgen.verifier.program.context import VerifierContext
from ptxgen.verifier.protocols import check_protocols
from ptxgen.verifier.style.access_patterns import check_access_patterns
from ptxgen.verifier.style.accumulation import check_accumulation
from ptxgen.verifier.style.bounds import check_bounds
from ptxgen.verifier.style.copies import check_copies
from ptxgen.verifier.style.dead_code import check_dead_code
from ptxgen.verifier.style.register_pressure import check_predicates, check_pressure
from ptxgen.verifier.style.unused_values import check_unused_values
from ptxgen.verifier.threads.barrier_counts import check_barrier_counts
from ptxgen.verifier.threads.barriers import check_barriers
from ptxgen.verifier.threads.divergence import check_divergence
from ptxgen.verifier.threads.exits import check_exits
from ptxgen.verifier.threads.races import check_races
from ptxgen.verifier.threads.shared_bounds import check_shared_bounds

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.verifier.program.checked_body import CheckedBody

    _Checks = tuple[Callable[[CheckedBody], None], ...]

__all__ = ["BODY_CHECKS", "ERROR_CHECKS", "run_checks"]

BODY_CHECKS: _Checks = (
    check_reach,
    check_definitions,
    check_conditions,
    check_constant_operands,
    check_carries,
    check_results,
    check_destinations,
    check_barriers,
    check_barrier_counts,
    check_call_sequences,
    check_alignment,
    check_widths,
    check_windows,
    check_dead_code,
    check_unused_values,
    check_copies,
    check_pressure,
    check_predicates,
    check_accumulation,
    check_bounds,
    check_access_patterns,
    check_divergence,
    check_exits,
    check_races,
    check_shared_bounds,
    check_protocols,
)
"""The checks of whole bodies whose instructions are legal, in order; each looks first whether there is anything for it."""

ERROR_CHECKS: _Checks = (check_barriers, check_call_sequences, check_widths, check_protocols)
"""Those of them that report errors, too."""

CALLEE_CHECKS: _Checks = (check_barriers, check_barrier_counts, check_divergence, check_races, check_protocols)
"""Those that look at a kernel and the functions that it calls as one body, once more."""


def run_checks(module: Module, *, style: bool = False, errors_only: bool = False) -> list[Diagnostic]:
    """Every finding about the module as it stands, in text order; with `style`, those of style (6xx) as well.

    With `errors_only`, what a driver asks: whether the module is legal. Every error is there, and few warnings.
    """
    try:
        context = VerifierContext(module, find_target(module.target), style=style)
    except ValueError as unknown:
        return [Diagnostic("PTX402", str(unknown))]
    with uncollected():
        _check_module(context, ERROR_CHECKS if errors_only else BODY_CHECKS)
        findings = with_ptx_lines(module, [with_declarations(finding) for finding in silenced(context)])
        context.release()
    return grouped(findings) if findings else []


def _check_module(context: VerifierContext, checks: _Checks) -> None:
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
        _check_with_callees(context, tuple(check for check in CALLEE_CHECKS if check in checks))
    check_shared(context)
    check_unfinished(context)


_ONLY_WIDE = 90
"""From this target on addresses have 64 bits."""


def _check_function(context: VerifierContext, function: Function, checks: _Checks) -> None:
    body = None
    if function.body is not None:
        before = len(context.findings)
        body = check_instructions(context, function)
        if not any(finding.diagnostic.is_error for finding in context.findings[before:]):
            for check in checks:
                check(body)
    check_variables(context, function, body)
    check_limits(context, function, body)
    check_launch(context, function)


def _check_with_callees(context: VerifierContext, checks: _Checks) -> None:
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
