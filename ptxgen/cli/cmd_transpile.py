"""`ptxgen transpile`: PTX as a Python program of the builder."""

from __future__ import annotations

from pathlib import Path

import click

from ptxgen.errors import TranspileError

__all__ = ["transpile"]


@click.command()
@click.argument("file", metavar="FILE.ptx", type=click.Path(exists=True, dir_okay=False))
@click.option(
    "-o", "--output", metavar="FILE.py", type=click.Path(dir_okay=False), help="Write there, not to the screen."
)
@click.option(
    "--lines/--no-lines",
    default=None,
    help="With .loc, .file and debugging data. By default only of programs for `.target ..., debug`, whose code depends on them.",
)
@click.option("--original", is_flag=True, help="Each instruction of the PTX as a comment above what became of it.")
@click.option("--check", is_flag=True, help="Run what was written, and compare the module that it builds.")
def transpile(file: str, output: str | None, lines: bool | None, original: bool, check: bool) -> None:
    """Write PTX as a Python program of ptxgen, whose module() assembles to the same machine code.

    \b
    ptxgen transpile kernel.ptx
    ptxgen transpile kernel.ptx -o kernel.py --check
    """
    from ptxgen.text import parse
    from ptxgen.text.files import read_source
    from ptxgen.transpile import differences, rebuilt
    from ptxgen.transpile import transpile as written

    module = parse(read_source(file), name=file)
    program = written(module, name=Path(file).name, keep_lines=lines, original=original)
    if output is None:
        click.echo(program, nl=False)
    else:
        Path(output).write_text(program, "utf-8")
    if check:
        found = differences(module, rebuilt(program, output or "<transpiled>"))
        if found:
            raise TranspileError(f"{file}: what was written builds another program\n" + "\n".join(found))
        click.echo(
            f"{file}: the same instructions, {sum(1 for f in module.functions for _ in f.instructions())}", err=True
        )
