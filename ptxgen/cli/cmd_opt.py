"""`ptxgen opt`: passes over a program."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ptxgen.cli import show
from ptxgen.cli.find import find
from ptxgen.cli.options import settings_option, target_option

if TYPE_CHECKING:
    from ptxgen.passes import PassStep

__all__ = ["opt"]


@click.command()
@click.argument("program", required=False)
@click.option(
    "--pass", "names", metavar="NAME", multiple=True,
    help="A pass to apply; may be repeated, in the order given. `default` stands for those that run when none is named.",
)  # fmt: skip
@click.option(
    "--read-only", metavar="NAME", multiple=True,
    help="A parameter whose memory nobody writes while the kernel runs: x, or KERNEL.x. May be repeated.",
)  # fmt: skip
@click.option("-o", "--output", type=click.Path(dir_okay=False), help="Write here instead of to stdout.")
@click.option("--stats", is_flag=True, help="Print what each pass did, instead of the PTX.")
@click.option("--diff", "differs", is_flag=True, help="Print what differs, instead of the PTX.")
@click.option("--remarks", is_flag=True, help="Say on stderr what the passes left undone, and why.")
@click.option("--list", "lists", is_flag=True, help="Print the passes, and which run when none is named.")
@click.option("--json", "json_", is_flag=True, help="The steps, the remarks and the PTX, as JSON.")
@settings_option
@target_option
def opt(
    program: str | None,
    names: tuple[str, ...],
    read_only: tuple[str, ...],
    output: str | None,
    stats: bool,
    differs: bool,
    remarks: bool,
    lists: bool,
    json_: bool,
    settings: dict[str, str],
    target: str | None,
    version: str,
) -> None:
    """Rewrite PROGRAM by passes and print its PTX, verified before and after. Only `fma` changes results.

    \b
    ptxgen opt kernel.ptx -o better.ptx
    ptxgen opt kernel.ptx --pass default --pass fma --stats
    ptxgen opt kernel.ptx --read-only x --remarks
    ptxgen opt --list
    """
    if lists:
        _print_passes(json_)
        return
    if program is None:
        raise click.UsageError("no program; ptxgen opt --list prints the passes")
    from ptxgen import passes
    from ptxgen.verifier import assert_valid

    module, _ = find(program, settings).module(target, version)
    steps: list[passes.PassStep] = []
    left: list[passes.Remark] = []
    try:
        changed = passes.run(module, _chosen(names), read_only=read_only, statistics=steps, remarks=left)
    except ValueError as wrong:
        raise click.UsageError(str(wrong)) from None
    assert_valid(changed)
    text = str(changed)
    if output is not None:
        Path(output).write_bytes(text.encode())
    if remarks:
        for remark in left:
            click.echo(f"{click.style('remark', fg='blue', bold=True)}: {remark}", err=True)
    if json_:
        said = [{"pass": r.name, "function": r.function, "instruction": r.instruction.op, "text": r.text} for r in left]
        show.as_json(
            {"program": program, "steps": [s._asdict() for s in steps], "remarks": said, "output": output, "ptx": text}
        )
    elif stats:
        _print_steps(steps)
    elif differs:
        from ptxgen.compare import text_difference

        for line in text_difference(str(module), text, program, "after"):
            click.echo(line)
    elif output is None:
        click.echo(text, nl=not text.endswith("\n"))


def _chosen(names: tuple[str, ...]) -> list[str]:
    from ptxgen.passes import DEFAULT

    return [each for name in names or ("default",) for each in (DEFAULT if name == "default" else (name,))]


def _print_passes(json_: bool) -> None:
    from ptxgen.passes import DEFAULT, PASSES

    said = {name: (function.__doc__ or "").strip().splitlines()[0] for name, function in PASSES.items()}
    if json_:
        show.as_json({"passes": said, "default": DEFAULT})
        return
    show.table(
        ("pass", "what it does", "by default"), [(n, t, "yes" if n in DEFAULT else "no") for n, t in said.items()]
    )
    click.echo(f"default: {' '.join(DEFAULT)}")


def _print_steps(steps: list[PassStep]) -> None:
    columns = ("pass", "replaced", "instructions", "")
    rows = [
        (s.name, str(s.changes), str(s.after), f"{s.after - s.before:+}" if s.after != s.before else "") for s in steps
    ]
    if steps:
        before, after = steps[0].before, steps[-1].after
        rows.append(("all", str(sum(s.changes for s in steps)), str(after), f"{after - before:+}"))
    show.table(columns, rows, right=columns[1:])
