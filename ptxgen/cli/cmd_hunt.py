"""`ptxgen hunt`: look for races, missing waits, deadlocks and accesses out of bounds in a kernel, whoever wrote its PTX."""

from __future__ import annotations

import json
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ptxgen import __version__
from ptxgen.cli import show
from ptxgen.cli.find import find
from ptxgen.cli.options import settings_option
from ptxgen.cli.programs import LibraryKernel, PtxFile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.hunt import Finding, Report
    from ptxgen.hunt.subjects import Subject

__all__ = ["hunt"]

_COLOUR = {"error": "red", "warning": "yellow", "note": "blue"}

_EXAMPLES = """\
ARGUMENTS are those of `ptxgen run`, one for each parameter, with or without a name in front, and more:

\b
  n=1..4096                   a number: each case draws one, the ends and what is near powers of two more often
  k=32,64,128                 one of these
  x=random:f32:n              a new array; its extent may be arithmetic over the names: n*4, (n+31)//32
  _                           guessed from the PTX, as what is left out at the end is; the report says what was

--grid, --block, --shared and --cluster take the same: --grid "(n+255)//256" --block 64,256

\b
ptxgen hunt saxpy.ptx --entry saxpy --arguments "n=1..4096 a=2.0 x=random:f32:n y=random:f32:n" --grid "(n+255)//256"
ptxgen hunt kernels.ptx --entry scan --seconds 20 --sarif scan.sarif
ptxgen hunt softmax/f16 --cases 10"""


@click.command(epilog=_EXAMPLES)
@click.argument("program")
@settings_option
@click.option("--entry", help="The kernel, where the program has several.")
@click.option("--arguments", default="", metavar="TEXT", help="What the arguments may be; see below.")
@click.option("--grid", metavar="CTAS", help="CTAs along x, y and z. [default: a guess]")
@click.option("--block", metavar="THREADS", help="Threads of a CTA. [default: the kernel's directives, else a guess]")
@click.option("--shared", metavar="BYTES", help="Dynamic shared memory. [default: 32768 where the kernel has some]")
@click.option("--cluster", metavar="CTAS", help="CTAs of a cluster. [default: the kernel's directives]")
@click.option("--target", metavar="SM", help="What to build for, where the program is no PTX. [default: sm_90a]")
@click.option(
    "--seconds", type=click.FloatRange(0, min_open=True), default=60.0, show_default=True, help="The most time."
)
@click.option("--cases", type=click.IntRange(1), default=100, show_default=True, help="The most cases.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Draws the same cases again.")
@click.option(
    "--time-limit",
    type=click.FloatRange(0, min_open=True),
    default=10.0,
    show_default=True,
    help="Seconds of one launch.",
)
@click.option(
    "--executor",
    metavar="WORKERS",
    help="Who tries the cases: processes:N, threads:N, dask:ADDRESS or MODULE:FUNCTION. [default: one process]",
)
@click.option(
    "--sarif",
    "sarif_file",
    metavar="FILE",
    type=click.Path(dir_okay=False),
    help="Write the report there as SARIF 2.1.0.",
)
@click.option("--quiet", is_flag=True, help="No progress on stderr.")
@click.option("--json", "json_", is_flag=True, help="The report as JSON.")
def hunt(
    program: str,
    settings: dict[str, str],
    entry: str | None,
    arguments: str,
    grid: str | None,
    block: str | None,
    shared: str | None,
    cluster: str | None,
    target: str | None,
    seconds: float,
    cases: int,
    seed: int,
    time_limit: float,
    executor: str | None,
    sarif_file: str | None,
    quiet: bool,
    json_: bool,
) -> None:
    """Launch the kernel of PROGRAM on drawn inputs on the CPU device, and tell of races, missing waits and fences, deadlocks,
    accesses out of bounds, uninitialised reads, and results that depend on the schedule.

    Each finding is told once, with the smallest input that shows it, both accesses, and the command that finds it again. Exit
    status 1 for an error or a warning; a note, such as an access out of bounds of an array whose size is a guess, is none.
    """
    from ptxgen.executors import executor_named
    from ptxgen.hunt import Budget, find_bugs
    from ptxgen.hunt.domains import SpecificationError
    from ptxgen.hunt.sarif import sarif

    shape = {"grid": grid, "block": block, "shared": shared, "cluster": cluster}
    try:
        subject = _subject(program, settings, entry, arguments, shape, target)
        with executor_named(executor) if executor else nullcontext() as workers:
            report = find_bugs(
                subject,
                program=program,
                budget=Budget(seconds, cases, time_limit),
                seed=seed,
                tell=lambda said: None if quiet else click.echo(said, err=True),
                executor=workers,
            )
    except (SpecificationError, ValueError) as wrong:
        raise click.UsageError(str(wrong)) from None
    if sarif_file is not None:
        Path(sarif_file).write_text(json.dumps(sarif([report], __version__), indent=1) + "\n", encoding="utf-8")
    if json_:
        show.as_json(report.to_dict())
    else:
        _print(report)
    if report.bugs:
        raise SystemExit(1)


def _subject(
    program: str,
    settings: dict[str, str],
    entry: str | None,
    arguments: str,
    shape: dict[str, str | None],
    target: str | None,
) -> Subject:
    from ptxgen.hunt import LibrarySubject, PtxSubject
    from ptxgen.hunt.arguments import split_statements

    found = find(program, settings)
    statements = split_statements(arguments)
    if isinstance(found, LibraryKernel):
        given = [f"--{name}" for name, text in {**shape, "entry": entry}.items() if text is not None]
        if given:
            raise click.UsageError(f"{program} is launched on its own problems: it takes no {', '.join(given)}")
        return LibrarySubject(program, target, arguments=statements)
    if isinstance(found, PtxFile):
        if target is not None:
            raise click.UsageError(f"{program} states its own .target; --target is for other programs")
        from ptxgen.text.files import read_source

        text, name, words = read_source(found.reference), found.reference, [found.reference]
        written: Sequence[object] = ()
    else:
        from ptxgen.text.printer import print_with_lines

        (text, written), name = print_with_lines(found.build(target, "auto")), "PTX"
        words = [program, *(word for pair in settings.items() for word in ("--set", "=".join(pair)))]
        words += ["--target", target] if target is not None else []
    return PtxSubject(text, name, entry or found.entry, arguments=statements, reference=words, written=written, **shape)


def _print(report: Report) -> None:
    for found in report.findings:
        _show(found)
        click.echo("")
    if report.guesses:
        click.echo("not stated, and guessed:")
        for guess in report.guesses:
            click.echo(f"  {guess}")
    for why, times in report.skipped:
        click.echo(f"{_counted(times, 'case')} left out: {why}")
    notes = len(report.findings) - len(report.bugs)
    told = (
        ", ".join(_counted(n, what) for n, what in ((len(report.bugs), "bug"), (notes, "note")) if n) or "nothing found"
    )
    end = "" if report.complete else ", when the time was up"
    click.echo(
        f"{report.program}: {report.kernel}: {told} in {_counted(report.cases, 'case')}, {report.seconds:.1f} s{end}"
    )


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


def _show(found: Finding) -> None:
    head, space, rest = str(found).partition(" ")
    click.echo(f"{click.style(head, fg=_COLOUR.get(head), bold=True)}{space}{rest}")
