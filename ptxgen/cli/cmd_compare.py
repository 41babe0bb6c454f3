"""`ptxgen compare`: which of several programs has the better number, metric by metric."""

from __future__ import annotations

import click

from ptxgen.cli import show
from ptxgen.cli.find import find
from ptxgen.cli.options import launch_options, settings_option, target_option

__all__ = ["compare"]


@click.command()
@click.argument("programs", nargs=-1, required=True, metavar="PROGRAM PROGRAM...")
@settings_option
@target_option
@launch_options
@click.option("--json", "json_", is_flag=True, help="The same as JSON.")
def compare(
    programs: tuple[str, ...],
    settings: dict[str, str],
    target: str | None,
    version: str,
    threads: int | None,
    shared: int,
    tool: str,
    assembled: bool,
    json_: bool,
) -> None:
    """Put programs with one kernel each side by side, and mark the best number of each metric; equal ones share it. What is
    not known of a program is "unknown" (null in JSON), and then none is best.

    \b
    ptxgen compare saxpy/f32 saxpy/f32.scalar
    ptxgen compare old.ptx new.ptx --threads 128

    FILE.ptx:KERNEL names one of several kernels. `ptxgen diff --metrics` says whether a change is too much.
    """
    from ptxgen.resources import analyze
    from ptxgen.resources.changes import METRICS, best, metrics

    if len(programs) < 2:
        raise click.UsageError("name two programs or more")
    found, reports = [], []
    for program in programs:
        source = find(program, {} if program.endswith(".ptx") else settings)
        module, _ = source.module(None if program.endswith(".ptx") else target, version)
        report = analyze(module, threads=threads, shared=shared, assembled=assembled, tool=tool)
        reports.append(report)
        found.append(metrics(report, report.kernel(source.entry_of(module))))
    rows = []
    for metric in METRICS:
        values = [numbers.get(metric) for numbers in found]
        known = [value for value in values if value is not None]
        rows.append((metric, values, best(metric, known) if len(known) == len(values) else []))
    if json_:
        show.as_json(
            [
                {"metric": metric, "values": dict(zip(programs, values)), "best": [programs[place] for place in top]}
                for metric, values, top in rows
            ]
        )
        return
    show.table(
        ("metric", *programs, "best"),
        [
            (
                metric,
                *("unknown" if value is None else f"{value:.4g}" for value in values),
                "equal" if len(top) == len(values) else ", ".join(programs[p] for p in top) or "unknown",
            )
            for metric, values, top in rows
        ],
        right=programs,
    )
    show.whose_registers(reports)
