"""`ptxgen diff`: what differs in meaning between two programs, or in their texts; are they equal; is the second one worse."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ptxgen.cli import show
from ptxgen.cli.find import find
from ptxgen.cli.options import launch_options, pairs, settings_option, target_option

if TYPE_CHECKING:
    from ptxgen.ir import Module
    from ptxgen.resources import Change, Comparison, Limit, Report

__all__ = ["diff", "in_colour"]

_COLOUR = {"+": "green", "-": "red", "@": "cyan", "~": "yellow"}
_STATUS = {"different": 1, "unknown": 3}
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
@click.argument("second", required=False)
@settings_option
@click.option(
    "--first-set",
    metavar="NAME=VALUE",
    multiple=True,
    callback=pairs,
    help="A parameter of FIRST alone. May be repeated.",
)
@click.option(
    "--second-set",
    metavar="NAME=VALUE",
    multiple=True,
    callback=pairs,
    help="A parameter of SECOND alone. May be repeated.",
)
@target_option
@click.option("--text", is_flag=True, help="Compare the texts, as ptxgen prints them.")
@click.option(
    "--comments/--no-comments", default=False, help="With --text: comments, .loc and .file too.  [default: no]"
)
@click.option(
    "--equivalent",
    is_flag=True,
    help="Try to prove that both compute the same, or to find an input that tells them apart.",
)
@click.option(
    "--tries",
    type=click.IntRange(1),
    default=24,
    show_default=True,
    help="With --equivalent: how many inputs are tried.",
)
@click.option(
    "--seed", type=int, default=0, show_default=True, help="With --equivalent: what the inputs are drawn from."
)
@click.option("--metrics", is_flag=True, help="Compare numbers: is SECOND worse than a limit allows?")
@click.option(
    "--limit", "limits", metavar="METRIC=WARN:CRITICAL", multiple=True, callback=_limits,
    help="By how much a metric may become worse, in per cent (occupancy, efficiency: percentage points; spills, stack, warnings: "
    "their number). May be repeated.",
)  # fmt: skip
@click.option("--strict", is_flag=True, help="With --metrics: a warning fails too.")
@launch_options
@click.option("--json", "json_", is_flag=True, help="The answer as JSON.")
def diff(
    first: str,
    second: str | None,
    settings: dict[str, str],
    first_set: dict[str, str],
    second_set: dict[str, str],
    target: str | None,
    version: str,
    text: bool,
    comments: bool,
    equivalent: bool,
    tries: int,
    seed: int,
    metrics: bool,
    limits: dict[str, Limit],
    strict: bool,
    threads: int | None,
    shared: int,
    tool: str,
    assembled: bool,
    json_: bool,
) -> None:
    """Say what differs in meaning between two programs, FIRST and SECOND: names of registers and labels, the order of independent
    instructions, where declarations stand and how constants are written make no difference.

    \b
    ptxgen diff old.ptx new.ptx
    ptxgen diff old.ptx:one new.ptx:one
    ptxgen diff HEAD~1:kernel.ptx kernel.ptx
    ptxgen diff saxpy.py:saxpy saxpy.ptx
    ptxgen diff saxpy.py:saxpy --first-set unroll=1 --second-set unroll=4
    ptxgen diff old.ptx new.ptx --equivalent
    ptxgen diff old.ptx new.ptx --metrics --limit registers=5:20 --limit warnings=:

    SECOND is FIRST where only parameters differ. Exit status 1 when they differ; with --equivalent, 0 when they are proved equal,
    1 when an input tells them apart, 3 when neither is known; with --metrics, 1 when a change is critical. Limits, unless others
    are given: registers 10:25, instructions 15:50, occupancy 10:25, spills 1:, warnings 2: (new ones).
    """
    if sum((text or comments, equivalent, metrics)) > 1:
        raise click.UsageError("one of --text, --equivalent, --metrics")
    if second is None and not (first_set or second_set):
        raise click.UsageError("name a second program, or parameters of one side: --first-set, --second-set")
    names = (first, second or first)
    own = ({**settings, **first_set}, {**settings, **second_set})
    old, new = (_module(name, given, target, version) for name, given in zip(names, own))
    if metrics:
        _judge(
            [old, new],
            limits,
            strict=strict,
            threads=threads,
            shared=shared,
            tool=tool,
            assembled=assembled,
            json_=json_,
        )
    elif equivalent:
        _equivalence(old, new, tries, seed, json_)
    elif text or comments:
        _text(old, new, names, comments, json_)
    else:
        _semantic(old, new, json_)


def _module(program: str, settings: dict[str, str], target: str | None, version: str) -> Module:
    """The program's module, of which other kernels are left out where one is named; a file keeps its own target."""
    own_target = None if program.endswith(".ptx") else target
    source = find(program, {} if program.endswith(".ptx") else settings)
    module = source.build(own_target, version)
    if source.entry is None:
        return module
    return _alone(module, source.entry_of(module))


def _alone(module: Module, kernel: str) -> Module:
    """The module without its other kernels."""
    from ptxgen.ir import Function
    from ptxgen.ir import Module as Made

    return Made(
        module.version,
        module.target,
        [item for item in module.items if not (isinstance(item, Function) and item.is_entry and item.name != kernel)],
        target_options=module.target_options,
        address_size=module.address_size,
        name=module.name,
    )


def _semantic(old: Module, new: Module, json_: bool) -> None:
    from ptxgen.compare import difference

    found = difference(old, new)
    if json_:
        show.as_json(found.to_dict())
    elif not found.same:
        for line in str(found).split("\n"):
            click.echo(in_colour(line))
    if not found.same:
        raise SystemExit(1)


def _equivalence(old: Module, new: Module, tries: int, seed: int, json_: bool) -> None:
    from ptxgen.compare import equivalent

    found = equivalent(old, new, tries=tries, seed=seed)
    if json_:
        show.as_json(found.to_dict())
    else:
        click.echo(str(found))
    if found.verdict != "equal":
        raise SystemExit(_STATUS[found.verdict])


def _text(old: Module, new: Module, names: tuple[str, str], comments: bool, json_: bool) -> None:
    from ptxgen.compare import text_difference

    one, other = (_printed(module, comments) for module in (old, new))
    found = text_difference(one, other, *names)
    if json_:
        show.as_json({"same": not found, "diff": found})
    else:
        for line in found:
            click.echo(in_colour(line))
    if found:
        raise SystemExit(1)


def in_colour(line: str) -> str:
    """A line of a difference, after its sign."""
    if line[:3] in ("---", "+++"):
        return line
    return click.style(line, fg=_COLOUR.get(line[:1]))


def _printed(module: Module, comments: bool) -> str:
    text = str(module)
    if comments:
        return text
    return "\n".join(line for line in text.split("\n") if not line.lstrip().startswith(("//", ".loc ", ".file ")))


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
