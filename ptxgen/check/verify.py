"""The verifier: every finding about a module, in text order.

Its *errors* are what an assembler refuses, no more and no less; what an assembler accepts but the manual forbids, or a wise
reader would not write, is a *warning*. Each check is one function that takes a Site (an instruction) or the Context (the
module) and reports into it; this file is the order in which they run.
"""

from __future__ import annotations

from ptxgen.check.addresses import check_addresses
from ptxgen.check.calls import check_call
from ptxgen.check.context import Context, Site
from ptxgen.check.flow import check_definitions
from ptxgen.check.forms import check_form
from ptxgen.check.limits import check_limits
from ptxgen.check.names import check_names
from ptxgen.check.scope import Scope, body_scope
from ptxgen.errors import Diagnostic, VerifyError
from ptxgen.ir import Address, Block, Function, Instruction, Module
from ptxgen.isa.targets import VERSIONS, find_target

__all__ = ["assert_valid", "verify"]


def verify(module: Module) -> list[Diagnostic]:
    """Every error and warning about the module, in text order; [] when there is nothing to say."""
    try:
        target = find_target(module.target)
    except ValueError as unknown:
        return [Diagnostic("PTX402", str(unknown))]
    context = Context(module, target)
    _check_header(context)
    for name, source in context.names.duplicates:
        context.report("PTX302", f"{name} is declared twice in this module", source)
    for function in module.functions:
        check_limits(context, function)
        if function.body is not None:
            _check_body(context, function, function.body)
            check_definitions(context, function)
    return context.findings


def assert_valid(module: Module, *, strict: bool = False) -> list[Diagnostic]:
    """The warnings of a module; VerifyError with every finding when there is an error (or, `strict`, a warning)."""
    findings = verify(module)
    errors = [finding for finding in findings if finding.is_error]
    if errors or (strict and findings):
        count = len(errors or findings)
        raise VerifyError(f"{module.name}: {count} {'error' if errors else 'warning'}{'s' * (count > 1)}", findings)
    return findings


def _check_header(context: Context) -> None:
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
    if module.address_size != 64:
        context.report("PTX404", f".address_size {module.address_size} is not supported", expected="64")


def _check_body(context: Context, function: Function, body: Block) -> None:
    """The body's names; its parameters share them, as the assembler has it."""
    outer = Scope(context.names)
    scope = body_scope(body, outer)
    for parameter in (*function.parameters, *function.results):
        outer.add(parameter.name, parameter)
        again = scope.here(parameter.name)
        if again is not None:
            scope.duplicates.append((parameter.name, again.source))
    _check_scope(context, function, body, scope)


def _check_scope(context: Context, function: Function, block: Block, scope: Scope) -> None:
    for name, source in scope.duplicates:
        context.report("PTX302", f"{name} is declared twice in this scope", source)
    for statement in block:
        if isinstance(statement, Instruction):
            _check_instruction(Site(context, function, statement, scope))
        elif isinstance(statement, Block):
            _check_scope(context, function, statement, body_scope(statement, scope))


def _check_instruction(site: Site) -> None:
    """Names first: a form cannot be judged by operands that mean nothing."""
    if not check_names(site):
        return
    form = check_form(site)
    if form is None:
        return
    if Address in map(type, site.instruction.operands):
        check_addresses(site, form)
    if site.instruction.op.startswith("call"):
        check_call(site)
