"""The drawing side of `ptxgen explain --layout`: where the elements of an instruction's matrices lie."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ptxgen.cli import show
from ptxgen.isa.layouts import Layout, LayoutError, layout, layout_names

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["draw", "layout_options"]


def layout_options(command: Any) -> Any:
    """`--layout NAME`, `--operand`, `--view`, `--colour` and `--svg` of `ptxgen explain`; `draw` takes what they give."""
    options: tuple[Callable[[Any], Any], ...] = (
        click.option(
            "--layout", "layout", metavar="NAME", is_flag=False, flag_value="",
            help="Draw the layouts of mma.m16n8k16.bf16, ldmatrix.m8n8.x4, ...; without a NAME, say which there are.",
        ),
        click.option("--operand", help="With --layout: this operand alone (a, b, c, d, metadata, ...)."),
        click.option(
            "--view", type=click.Choice(["matrix", "lanes"]), default="matrix", show_default=True,
            help="With --layout: who holds each element, or what each lane holds.",
        ),
        click.option("--svg", type=click.Path(dir_okay=False), metavar="FILE", help="With --layout: write a picture."),
        click.option(
            "--colour", type=click.Choice(["lane", "register"]), default="lane", show_default=True,
            help="With --svg: what cells are coloured by.",
        ),
    )  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return command


def draw(name: str, *, operand: str | None, view: str, svg: str | None, colour: str, json: bool) -> None:
    """Print the layouts of an instruction, or of one operand; with `svg`, write the one operand's picture to that file.

    Without a name, the families. Raises LayoutError for a name or an operand that does not exist, and for a picture of several
    operands.
    """
    if not name:
        _families(json=json)
        return
    found = layout(name)
    if operand is not None:
        if isinstance(found, Layout):
            raise LayoutError(f"{name} names an operand already", hint="leave out --operand")
        found = found[operand.lower()]
    chosen = [found] if isinstance(found, Layout) else list(found)
    if svg is not None:
        if len(chosen) != 1:
            raise LayoutError(
                f"{name} has {len(chosen)} operands; a picture shows one",
                hint=f"--operand {' or '.join(one.operand for one in chosen)}",
            )
        Path(svg).write_text(chosen[0].svg(colour=colour), encoding="utf-8")
        click.echo(f"{svg}: {chosen[0].name}, operand {chosen[0].operand}")
    elif json:
        show.as_json([one.to_dict() for one in chosen])
    else:
        click.echo("\n".join(one.text(view=view) for one in chosen), nl=False)


_SHORT = {
    "mma": "mma.m16n8k16.bf16", "wgmma": "wgmma.m64n128k16.bf16", "wmma": "wmma.mma.m16n16k16.f16.f32",
    "ldmatrix": "ldmatrix.m8n8.x4", "stmatrix": "stmatrix.m8n8.x2", "movmatrix": "movmatrix.m8n8",
    "tcgen05": "tcgen05.ld.32x32b.x8",
}  # fmt: skip


def _families(*, json: bool) -> None:
    """What has layouts: how many instructions, which operands, and a short name to begin with."""
    rows = [
        (opcode, len(layout_names(opcode)), [one.operand for one in layout(short)], short)
        for opcode, short in _SHORT.items()
    ]
    if json:
        show.as_json([dict(zip(("family", "instructions", "operands", "for_example"), row)) for row in rows])
        return
    cells = [(family, str(count), " ".join(operands), short) for family, count, operands, short in rows]
    show.table(("family", "instructions", "operands", "for example: --layout"), cells, right=("instructions",))
    click.echo(
        "A name is some words of an instruction in their order; tcgen05.a.n256 to tcgen05.g.n256 are data paths."
    )
