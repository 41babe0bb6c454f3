"""How commands print: tables (rich), diagnostics, JSON."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from ptxgen.errors import grouped

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.text import Text

    from ptxgen.errors import Diagnostic
    from ptxgen.resources import Report

__all__ = ["as_json", "findings", "table", "whose_registers"]

_COLOUR = {"error": "red", "warning": "yellow"}


def as_json(value: Any) -> None:
    """One JSON document on stdout."""
    import json

    click.echo(json.dumps(value, indent=1))


def findings(diagnostics: Iterable[Diagnostic], *, err: bool = False) -> None:
    """Each finding with its places, its severity in colour on a terminal; those that one line makes once."""
    for finding in grouped(diagnostics):
        head, space, rest = str(finding).partition(" ")
        click.echo(f"{click.style(head, fg=_COLOUR.get(head), bold=True)}{space}{rest}", err=err)


def whose_registers(reports: Sequence[Report]) -> None:
    """What assemblers give up, and whose registers, spills and stack the reports have, or why they have none."""
    for report in reports:
        findings(report.losses)
    for who in dict.fromkeys(report.assembler for report in reports):
        kernels = [f for report in reports if report.assembler == who for f in report.functions if f.kernel]
        if any(kernel.resources is None for kernel in kernels):
            click.echo(f"registers are not known: {who}")
        elif kernels:
            click.echo(f"registers, spills and stack: {who}")


def table(columns: Sequence[str], rows: Iterable[Sequence[str | Text]], *, right: Sequence[str] = ()) -> None:
    """A table on stdout; the columns named in `right` are aligned to the right."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    made = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for column in columns:
        made.add_column(column, justify="right" if column in right else "left", overflow="fold")
    for row in rows:
        made.add_row(*(Text(cell) if isinstance(cell, str) else cell for cell in row))
    # What goes into a file or a pipe is not folded to a terminal's width.
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 160)
    console.print()
    console.print(made)
    console.print()
