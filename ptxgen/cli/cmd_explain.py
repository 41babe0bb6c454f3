"""`ptxgen explain`: what a name of PTX, or a diagnostic code, is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ptxgen.cli import show
from ptxgen.cli.layout_pages import draw, layout_options

if TYPE_CHECKING:
    from rich.text import Text

    from ptxgen.verifier.explanation import Explanation

__all__ = ["explain"]


@click.command()
@click.argument("names", nargs=-1, metavar="NAME...")
@click.option("--json", "json_", is_flag=True, help="The same as JSON.")
@layout_options
def explain(names: tuple[str, ...], json_: bool, layout: str | None, **drawing: Any) -> None:
    """Explain each NAME: an instruction or its beginning, a directive, a special register, a target, a type, a
    code with the functions that report it, a name of CUDA C++, a file of ptxgen with the codes that it reports.

    \b
    ptxgen explain cp.async.bulk
    ptxgen explain ld.global.v4.f32 %tid .maxntid sm_90a PTX412
    ptxgen explain "mbarrier.*" mma.m16n8k16.bf16
    ptxgen explain __syncthreads threadIdx.x
    ptxgen explain protocols/wgmma.py
    ptxgen explain --layout mma.m16n8k16.bf16 --operand a

    Exit status 1 when a NAME is nothing of PTX or ptxgen; the nearest that are come instead.
    """
    if layout is not None:
        draw(layout, json=json_, **drawing)
        return
    if not names:
        raise click.UsageError("say what to explain, such as: ptxgen explain cp.async.bulk")
    from ptxgen.verifier.explanation import explain as look_up

    found = [look_up(name) for name in names]
    if json_:
        show.as_json([each.to_dict() for each in found])
    else:
        for index, each in enumerate(found):
            if index:
                click.echo()
            _print(each)
    if not all(each.found for each in found):
        raise SystemExit(1)


def _print(explanation: Explanation) -> None:
    """In colour and folded to its width on a terminal, as it is elsewhere."""
    import sys

    if not sys.stdout.isatty():
        click.echo(str(explanation))
        return
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    console = Console(highlight=False)
    console.print(Text.assemble((explanation.name, "bold cyan"), "   ", (explanation.title, "dim")))
    for topic in explanation.topics:
        console.print()
        if topic.heading:
            console.print(Text(topic.heading, "bold"))
        if topic.code:
            console.print(Padding(_ptx(topic.rows[0][0].rstrip("\n")), (0, 4)))
        else:
            _grid(console, topic.rows)


def _grid(console: Any, rows: tuple[tuple[str, ...], ...]) -> None:
    from rich.table import Table

    grid = Table.grid(padding=(0, 2))
    for index in range(max(map(len, rows))):
        grid.add_column(style="cyan" if index == 0 else "", overflow="fold")
    for row in rows:
        grid.add_row(*("  " * (index == 0) + cell for index, cell in enumerate(row)))
    console.print(grid)


def _ptx(text: str) -> Text:
    from rich.text import Text

    shown = Text(text.expandtabs(4))
    shown.highlight_regex(r"(?m)^\s*\.\w+", "magenta")
    shown.highlight_regex(r"%[\w.]+", "green")
    return shown
