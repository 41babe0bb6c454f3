"""`ptxgen report`: a page of everything that is known of a kernel."""

from __future__ import annotations

from math import prod
from pathlib import Path

import click

from ptxgen.cli.find import find
from ptxgen.cli.launching import block_of, counted_launch, shape_options, shared_option
from ptxgen.cli.options import settings_option, target_option, tool_option
from ptxgen.host.argument_text import FORMS

__all__ = ["report"]

_LONGEST = 100
"""Characters of a kernel's name that name a file: mangled ones have many."""


@click.command(
    context_settings={"ignore_unknown_options": True},  # -1 is a number
    epilog="\b\nWith ARGUMENTS the kernel is launched on the CPU device. They are\n" + FORMS + "\n\n\b\n"
    "ptxgen report saxpy.py:saxpy 1000 2.0 arange:f32:1000 zeros:f32:1000 --grid 4 -o saxpy.html",
)
@click.argument("program")
@click.argument("arguments", nargs=-1)
@click.option(
    "-o", "--out", "path", type=click.Path(dir_okay=False, path_type=Path), help="The file.  [default: KERNEL.html]"
)
@settings_option
@target_option
@shape_options
@shared_option
@tool_option
@click.option("--sanitize", "tools", metavar="TOOLS", help="Watch the launch with tools of the sanitizer, or all.")
@click.option(
    "--sources", "folders", multiple=True, metavar="DIR", type=click.Path(exists=True, file_okay=False),
    help="Show files from this folder too that .loc names in PTX. [default: the working directory and that of PROGRAM]",
)  # fmt: skip
def report(
    program: str,
    arguments: tuple[str, ...],
    path: Path | None,
    settings: dict[str, str],
    target: str | None,
    version: str,
    grid: tuple[int, ...],
    block: tuple[int, ...] | None,
    shared: int,
    tool: str,
    tools: str | None,
    folders: tuple[str, ...],
) -> None:
    """Write an HTML page about the kernel of PROGRAM: its source beside its PTX, control flow, live registers, instruction mix,
    roofline, occupancy by target, findings; and with ARGUMENTS what a launch on the CPU device counts, line by line.

    The page is one file and needs nothing else. Of files that `.loc` names, only those in the working directory, beside
    PROGRAM or in --sources are copied into it.
    """
    from ptxgen.report import html_report

    found = find(program, settings)
    module, _ = found.module(target, version)
    entry = found.entry_of(module)
    launch, findings, threads = None, None, None
    if arguments or tools is not None:
        block = block_of(module.function(entry), block)
        threads = prod(block)
        launch, findings = counted_launch(found, module, entry, arguments, grid, block, shared, tools)
    text = html_report(
        module, entry, launch=launch, findings=findings, tool=tool, folders=(".", str(Path(program).parent), *folders),
        shared=shared, threads=threads,
    )  # fmt: skip
    written = path if path is not None else Path(f"{entry[:_LONGEST]}.html")
    written.write_text(text, "utf-8")
    click.echo(f"{written}: {len(text.encode()):,} bytes")
