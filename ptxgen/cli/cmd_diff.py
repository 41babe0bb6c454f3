"""`ptxgen diff`: what differs between two programs, whatever they look like; or whether the second one is worse."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

import click

from ptxgen.cli import show
from ptxgen.cli.find import find
from ptxgen.cli.options import launch_options, settings_option, target_option

if TYPE_CHECKING:
    from ptxgen.ir import Module
    from ptxgen.resources import Change, Comparison, Limit, Report

__all__ = ["diff"]

_COLOUR = {"+": "green", "-": "red", "@": "cyan"}
_VERDICTS = {"warn": "yellow", "critical": "red"}


def _limits(ctx: click.Context, option: click.Parameter, value: tuple[str, ...]) -> dict[str, Limit]:
    """`METRIC=WARN:CRITICAL`, either of which may be empty, over the usual limits."""
    from driver_ctypes.errors import ArgumentRangeError
    from ptxgen.resources import LIMITS, METRICS
    from ptxgen.resources import Limit as Bound

    limits = dict(LIMITS)
    for text in value:
        metric, equals, bounds = text.partition("=")
        warn, colon, critical = bounds.partition(":")
        try:
            bound = Bound(float(warn) if warn else None, float(critical) if critical else None)
        except ArgumentRangeError as wrong:
            raise click.BadParameter(f"{text!r}: {wrong}", ctx, option) from None
        except ValueError:
            equals = ""
        if not equals or metric not in METRICS or (bounds and not colon):
            raise click.BadParameter(
                f"{text!r} is not METRIC=WARN:CRITICAL; metrics are {', '.join(METRICS)}", ctx, option
            )
        limits[metric] = bound
    return limits


@click.command()
@click.argument("first")
@click.argument("second")
@settings_option
@target_option
@click.option("--comments/--no-comments", default=False, help="Compare comments, .loc and .file too.  [default: no]")
@click.option("--metrics", is_flag=True, help="Compare numbers in place of texts: is SECOND worse than a limit allows?")
@click.option(
    "--limit", "limits", metavar="METRIC=WARN:CRITICAL", multiple=True, callback=_limits,
    help="By how much a metric may become worse, in per cent (occupancy, efficiency: percentage points; spills, stack, warnings: "
    "their number). May be repeated.",
)  # fmt: skip
@click.option("--strict", is_flag=True, help="With --metrics: a warning fails too.")
@launch_options
@click.option("--json", "json_", is_flag=True, help="Whether they are the same, and the difference, as JSON.")
def diff(
    first: str,
    second: str,
    settings: dict[str, str],
    target: str | None,
    version: str,
    comments: bool,
    metrics: bool,
    limits: dict[str, Limit],
    strict: bool,
    threads: int | None,
    shared: int,
    tool: str,
    assembled: bool,
    json_: bool,
) -> None:
    """Compare the PTX of two programs, FIRST and SECOND, as ptxgen prints it: layout makes no difference.

    \b
    ptxgen diff old.ptx new.ptx
    ptxgen diff saxpy.py:saxpy saxpy.ptx
    ptxgen diff old.ptx new.ptx --metrics --limit registers=5:20 --limit warnings=:

    Exit status 1 when they differ; with --metrics, when a change is critical. Limits, unless others are given: registers 10:25,
    instructions 15:50, occupancy 10:25, spills 1:, warnings 2: (new ones).
    """
    modules = [_module(program, settings, target, version) for program in (first, second)]
    if metrics:
        _judge(
            modules, limits, strict=strict, threads=threads, shared=shared, tool=tool, assembled=assembled, json_=json_
        )
        return
    one, other = (_lines(module, comments) for module in modules)
    found = list(difflib.unified_diff(one, other, fromfile=first, tofile=second, lineterm=""))
    if json_:
        show.as_json({"same": not found, "diff": found})
    else:
        for line in found:
            click.echo(click.style(line, fg=_COLOUR.get(line[:1])) if line[:3] not in ("---", "+++") else line)
    if found:
        raise SystemExit(1)


def _module(program: str, settings: dict[str, str], target: str | None, version: str) -> Module:
    """The program's module; a file keeps its own target."""
    own_target = None if program.endswith(".ptx") else target
    return find(program, {} if program.endswith(".ptx") else settings).build(own_target, version)


def _lines(module: Module, comments: bool) -> list[str]:
    lines = str(module).split("\n")
    if comments:
        return lines
    return [line for line in lines if not line.lstrip().startswith(("//", ".loc ", ".file "))]


# --- numbers ----------------------------------------------------------------------------------------------------------


def _judge(
    modules: list[Module],
    limits: dict[str, Limit],
    *,
    strict: bool,
    threads: int | None,
    shared: int,
    tool: str,
    assembled: bool,
    json_: bool,
) -> None:
    from ptxgen.resources import analyze, compare

    reports = [analyze(module, threads=threads, shared=shared, assembled=assembled, tool=tool) for module in modules]
    found = compare(reports[0], reports[1], limits)
    if json_:
        show.as_json(found.to_dict())
    else:
        _print(found, reports)
    if found.verdict == "critical" or (strict and found.verdict):
        raise SystemExit(1)


def _print(found: Comparison, reports: list[Report]) -> None:
    from rich.text import Text

    rows = []
    for change in found.changes:
        verdict = Text(
            change.verdict or ("better" if change.better == 2 else ""), style=_VERDICTS.get(change.verdict, "green")
        )
        rows.append(
            (change.kernel, change.metric, f"{change.before:.4g}", f"{change.after:.4g}", _difference(change), verdict)
        )
    show.table(("kernel", "metric", "first", "second", "change", ""), rows, right=("first", "second", "change"))
    for which, names in (("FIRST", found.only_first), ("SECOND", found.only_second)):
        if names:
            click.echo(f"only in {which}: {', '.join(names)}")
    show.whose_registers(reports)


def _difference(change: Change) -> str:
    from ptxgen.resources import METRICS

    metric = METRICS[change.metric]
    if change.before == change.after:
        return ""
    grown = -change.worse if metric.more_is_better else change.worse
    return f"{grown:+.3g} {metric.unit}".rstrip() if metric.unit else f"{change.after - change.before:+.4g}"
