"""`ptxgen check`: every finding about a program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ptxgen.cli import show
from ptxgen.cli.find import find_all
from ptxgen.cli.options import settings_option, target_option, tool_option
from ptxgen.errors import PtxError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.cli.programs import ProgramArgument
    from ptxgen.errors import Diagnostic
    from ptxgen.ir import Module

__all__ = ["check"]


@click.command()
@click.argument("programs", nargs=-1, required=True, metavar="PROGRAM...")
@settings_option
@target_option
@click.option("--strict", is_flag=True, help="A warning fails too.")
@click.option("--style", is_flag=True, help="Give advice (6xx) as well; asks an assembler where there is one.")
@tool_option
@click.option("--json", "json_", is_flag=True, help="The findings as JSON.")
def check(
    programs: tuple[str, ...],
    settings: dict[str, str],
    target: str | None,
    version: str,
    strict: bool,
    style: bool,
    tool: str,
    json_: bool,
) -> None:
    """Parse or build each PROGRAM and verify it; exit status 1 when one has an error (with --strict, a warning). Of a Python
    file each kernel is checked.

    \b
    ptxgen check kernel.ptx kernels.py
    ptxgen check saxpy.py:saxpy --target sm_75
    """
    reports = []
    for reference in programs:
        named = find_all(reference, settings)
        for each in named:
            label = reference if len(named) == 1 else each.reference
            reports.append((label, *_report(each, target, version, style, tool)))
    bad = any(_is_bad(error, found, strict) for _, error, found in reports)
    if json_:
        show.as_json([_plain(*report, strict=strict) for report in reports])
    else:
        for program, error, found in reports:
            show.findings(found)
            if error and not found:
                click.echo(f"{click.style('error', fg='red', bold=True)}: {error}")
            click.echo(f"{program}: {_summary(error, found)}")
    if bad:
        raise SystemExit(1)


def _report(
    program: ProgramArgument, target: str | None, version: str, style: bool, tool: str
) -> tuple[PtxError | None, Sequence[Diagnostic]]:
    try:
        module, found = program.module(target, version)
        return None, _advise(module, tool) if style else found
    except PtxError as error:
        return error, error.diagnostics


def _advise(module: Module, tool: str) -> list[Diagnostic]:
    from ptxgen.resources import advise

    return advise(module, tool=tool)


def _is_bad(error: PtxError | None, found: Sequence[Diagnostic], strict: bool) -> bool:
    return error is not None or (strict and bool(found))


def _summary(error: PtxError | None, found: Sequence[Diagnostic]) -> str:
    errors = sum(finding.count for finding in found if finding.is_error) or int(error is not None)
    warned = sum(finding.count for finding in found if finding.severity == "warning")
    counts = [f"{n} {what}{'s' * (n > 1)}" for n, what in ((errors, "error"), (warned, "warning")) if n]
    return ", ".join(counts) or "ok"


def _plain(program: str, error: PtxError | None, found: Sequence[Diagnostic], *, strict: bool) -> dict[str, Any]:
    return {
        "program": program,
        "ok": not _is_bad(error, found, strict),
        "error": None if error is None else str(error),
        "diagnostics": [finding.to_dict() for finding in found],
    }
