"""`ptxgen fmt`: PTX in the one form that the printer gives it."""

from __future__ import annotations

from pathlib import Path

import click

from ptxgen.cli import show

__all__ = ["fmt"]


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE.ptx...", type=click.Path(exists=True, dir_okay=False))
@click.option("-w", "--write", is_flag=True, help="Write the files instead of printing them.")
@click.option("--check", is_flag=True, help="Change nothing; exit status 1 when a file would change.")
@click.option("--json", "json_", is_flag=True, help="Which files change, as JSON; with --write they do.")
def fmt(files: tuple[str, ...], write: bool, check: bool, json_: bool) -> None:
    """Print PTX files as ptxgen prints them: one statement a line, indented, comments kept.

    \b
    ptxgen fmt kernel.ptx
    ptxgen fmt --write *.ptx
    ptxgen fmt --check kernels/*.ptx
    """
    changed = []
    for file in files:
        before = Path(file).read_bytes()
        after = _formatted(before.decode("utf-8"), file).encode()
        if after != before:
            changed.append(file)
        if write and not check and after != before:
            Path(file).write_bytes(after)
        if not (write or check or json_):
            click.echo(after.decode(), nl=False)
    if json_:
        show.as_json([{"file": file, "changed": file in changed} for file in files])
    elif write or check:
        for file in changed:
            click.echo(f"{file}: {'would change' if check else 'written'}")
    if check and changed:
        raise SystemExit(1)


def _formatted(text: str, name: str) -> str:
    from ptxgen.text import parse

    printed = str(parse(text, name=name))
    return printed if printed.endswith("\n") else printed + "\n"
