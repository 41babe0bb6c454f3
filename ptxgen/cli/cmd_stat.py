"""`ptxgen stat`: what a program is made of, what it takes of the machine, and how it uses it."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import click

from ptxgen.cli import show
from ptxgen.cli.find import find
from ptxgen.cli.launching import block_of, counted_launch, shape_options
from ptxgen.cli.options import launch_options, settings_option, target_option
from ptxgen.cli.programs import LibraryKernel

if TYPE_CHECKING:
    from ptxgen.cli.programs import ProgramArgument
    from ptxgen.cpu.profiler.counts import LaunchCounts
    from ptxgen.ir import Module
    from ptxgen.resources import KernelReport, Report

__all__ = ["stat"]


@click.command()
@click.argument("programs", nargs=-1, required=True, metavar="PROGRAM...")
@settings_option
@target_option
@launch_options
@click.option("--accesses", is_flag=True, help="Every access to global and shared memory, as a warp makes it.")
@click.option(
    "--arguments",
    metavar="TEXT",
    help="Launch each kernel on the CPU device on these, as `ptxgen run` takes them, and count what it does.",
)
@click.option("--counts", is_flag=True, help="The same on a kernel's own problem: for kernels of the library.")
@shape_options
@click.option("--json", "json_", is_flag=True, help="The same as JSON, with every opcode and access.")
def stat(
    programs: tuple[str, ...],
    settings: dict[str, str],
    target: str | None,
    version: str,
    threads: int | None,
    shared: int,
    tool: str,
    assembled: bool,
    accesses: bool,
    arguments: str | None,
    counts: bool,
    grid: tuple[int, ...],
    block: tuple[int, ...] | None,
    json_: bool,
) -> None:
    """Say what each kernel and function of each PROGRAM is made of, what it takes of the machine and how it uses it.

    \b
    ptxgen stat kernel.ptx
    ptxgen stat saxpy/f32 matmul/bf16 --target sm_90a --threads 128
    ptxgen stat saxpy.py --arguments "1000 2.0 arange:f32:1000 zeros:f32:1000" --grid 4

    Registers, spills and stack are those of --tool, which the last line names; occupancy is that of a multiprocessor of the
    target. Sectors: the used part of what warps move of global memory; banks: how many times longer shared memory works than it
    must; flop/B: of the hottest loop. With --arguments or --counts a last table has what a launch was counted
    to do, on the CPU device. A dash stands for what is not known, "unknown" for spills of which the tool wrote nothing.
    """
    from ptxgen.resources import analyze

    reports = []
    launches: list[tuple[str, LaunchCounts]] = []
    for program in programs:
        found = find(program, settings)
        module, _ = found.module(target, version)
        if arguments is not None or counts:
            launches.append((program, _counted(found, module, arguments, grid, block, shared)))
        reports.append((program, analyze(module, threads=threads, shared=shared, assembled=assembled, tool=tool)))
    if json_:
        counted = {program: {"counts": launch.to_dict()} for program, launch in launches}
        rows = [{"program": program, **report.to_dict(), **counted.get(program, {})} for program, report in reports]
        show.as_json(rows)
        return
    for program, report in reports:
        click.echo(f"{program}: PTX {report.version}, {report.target}, {report.lines} lines")
    _made_of(reports)
    _takes(reports)
    if launches:
        _does(launches)
    for program, report in reports if accesses else ():
        _accesses(program, report)
    if assembled:
        show.whose_registers([report for _, report in reports])


def _made_of(reports: list[tuple[str, Report]]) -> None:
    from ptxgen.resources.mix import GROUPS

    columns = ("function", "instructions", *GROUPS, "other", "blocks", "loops", "shared B", "parameters B")
    rows = []
    for _, report in reports:
        for f in report.functions:
            counts = [str(f.groups.get(group, 0)) for group in (*GROUPS, "other")]
            sizes = [str(size) for size in (f.basic_blocks, f.loops, f.shared, f.parameters)]
            rows.append((f.name, str(f.instructions), *counts, *sizes))
    show.table(columns, rows, right=columns[1:])


def _takes(reports: list[tuple[str, Report]]) -> None:
    columns = (
        "function",
        "registers",
        "spills B",
        "stack B",
        "occupancy",
        "limited by",
        "sectors",
        "banks",
        "flop/B",
        "bound by",
    )
    rows = [_row(f) for _, report in reports for f in report.functions]
    show.table(columns, rows, right=("registers", "spills B", "stack B", "sectors", "banks", "flop/B"))


def _row(f: KernelReport) -> tuple[str, ...]:
    from ptxgen.resources.changes import spilled

    used, held, work = f.resources, f.occupancy, f.intensity
    ratio = work.flops_per_byte if work is not None else None
    return (
        f.name,
        _known(None if used is None else used.registers),
        "-" if used is None else _known(spilled(used), "unknown"),
        _known(None if used is None else used.stack),
        "-" if held is None else f"{100 * held.fraction:.3g} % ({held.ctas} CTAs of {held.threads})",
        "-" if held is None else held.limited_by,
        "-" if f.memory.efficiency is None else f"{100 * f.memory.efficiency:.0f} %",
        "-" if f.memory.conflicts is None else f"{f.memory.conflicts:.2g} x",
        "-" if ratio is None else f"{ratio:.3g}",
        "-" if work is None or not work.bound else f"{work.bound} ({work.machine}: {work.ridge:.3g})",
    )


def _counted(
    program: ProgramArgument, module: Module, arguments: str | None, grid: tuple[int, ...], block: tuple[int, ...] | None,
    shared: int,
) -> LaunchCounts:  # fmt: skip
    """What one launch does on the CPU device. Raises click.UsageError."""
    from ptxgen.host import device
    from ptxgen.host.profiling import profile

    if arguments is not None:
        entry, texts = program.entry_of(module), tuple(shlex.split(arguments))
        block = block_of(module.function(entry), block)
        return counted_launch(program, module, entry, texts, grid, block, shared)[0]
    if not isinstance(program, LibraryKernel):
        raise click.UsageError(
            f"{program.reference} has no problem of its own: --arguments, --grid and --block say one"
        )
    dev = device(f"cpu:{module.target}")
    with profile() as counts:
        program.variant.case().on(dev)[1].launch()
    return counts.launches[0]


def _does(launches: list[tuple[str, LaunchCounts]]) -> None:
    """What each launch was counted to do."""
    columns = (
        "launch", "warps", "lanes", "divergent", "requests", "sectors/request", "used", "global B", "shared B", "conflicts",
        "flops", "flop/B",
    )  # fmt: skip
    rows = []
    for _, launch in launches:
        c = launch.total
        used = f"{100 * c.global_fewest / c.global_sectors:.0f} %" if c.global_sectors else "-"
        sizes = (c.global_bytes, c.shared_bytes, c.conflicts)
        each = _number(c.all_flops / c.global_bytes if c.global_bytes else None)
        rows.append(
            (
                str(launch), f"{c.warps:,}", _number(c.lanes), f"{c.divergent:,}", f"{c.global_requests:,}",
                _number(c.sectors_per_request), used, *(f"{n:,}" for n in sizes), f"{c.all_flops:,.15g}", each,
            )
        )  # fmt: skip
    show.table(columns, rows, right=columns[1:])


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}"


def _known(number: int | None, otherwise: str = "-") -> str:
    return otherwise if number is None else str(number)


def _accesses(program: str, report: Report) -> None:
    columns = ("access", "where", "bytes", "stride", "sectors", "banks", "fewest")
    for f in report.functions:
        rows = [
            (a["instruction"], a["where"], *(_known(a[key]) for key in ("size", "stride", "sectors", "ways", "fewest")))
            for a in f.memory.accesses
        ]
        if rows:
            click.echo(f"{program}: {f.name}")
            show.table(columns, rows, right=columns[2:])
