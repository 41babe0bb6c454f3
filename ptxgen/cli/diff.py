"""`ptxgen diff`: what differs between two programs, whatever they look like."""

from __future__ import annotations

import difflib

import click

from ptxgen.cli import show
from ptxgen.cli.find import find
from ptxgen.cli.options import settings_option, target_option

__all__ = ["diff"]

_COLOUR = {"+": "green", "-": "red", "@": "cyan"}


@click.command()
@click.argument("first")
@click.argument("second")
@settings_option
@target_option
@click.option("--comments/--no-comments", default=False, help="Compare comments, .loc and .file too.  [default: no]")
@click.option("--json", "json_", is_flag=True, help="Whether they are the same, and the difference, as JSON.")
def diff(
    first: str, second: str, settings: dict[str, str], target: str | None, version: str, comments: bool, json_: bool
) -> None:
    """Compare the PTX of two programs, FIRST and SECOND, as ptxgen prints it: layout makes no difference.

    \b
    ptxgen diff old.ptx new.ptx
    ptxgen diff saxpy.py:saxpy golden/saxpy.ptx

    Exit status 1 when they differ.
    """
    one, other = (_lines(program, settings, target, version, comments) for program in (first, second))
    found = list(difflib.unified_diff(one, other, fromfile=first, tofile=second, lineterm=""))
    if json_:
        show.as_json({"same": not found, "diff": found})
    else:
        for line in found:
            click.echo(click.style(line, fg=_COLOUR.get(line[:1])) if line[:3] not in ("---", "+++") else line)
    if found:
        raise SystemExit(1)


def _lines(program: str, settings: dict[str, str], target: str | None, version: str, comments: bool) -> list[str]:
    """The program's PTX; a file keeps its own target."""
    given = None if program.endswith(".ptx") else target
    module = find(program, {} if program.endswith(".ptx") else settings).build(given, version)
    lines = str(module).split("\n")
    if comments:
        return lines
    return [line for line in lines if not line.lstrip().startswith(("//", ".loc ", ".file "))]
