"""`ptxgen git-diff`: what git calls for a PTX file, after `ptxgen setup-git` (git's external driver: `diff.<driver>.command`)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from ptxgen.errors import PtxSyntaxError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["git_diff"]


@click.command(hidden=True, context_settings={"ignore_unknown_options": True})
@click.argument("given", nargs=-1)
def git_diff(given: tuple[str, ...]) -> None:
    """PATH OLD-FILE OLD-HEX OLD-MODE NEW-FILE NEW-HEX NEW-MODE, and for a file that was renamed NEW-PATH and what git says of it;
    PATH alone for one that is not merged."""
    if len(given) == 1:
        click.echo(f"* Unmerged path {given[0]}")
        return
    if len(given) not in (7, 9):
        raise click.UsageError("git calls this with 7 or 9 arguments; `ptxgen setup-git` makes it do so")
    path, old_file, _, old_mode, new_file, _, new_mode, *renamed = given
    new_path = renamed[0] if renamed else path
    click.secho(f"diff --ptxgen a/{path} b/{new_path}", bold=True)
    if renamed:
        click.secho(renamed[1].rstrip("\n"), bold=True)
    if "." in (old_mode, new_mode):
        click.secho("new file" if old_mode == "." else "deleted file", bold=True)
    elif old_mode != new_mode:
        click.secho(f"old mode {old_mode}\nnew mode {new_mode}", bold=True)
    for line in _lines(old_file, new_file, path, new_path):
        click.echo(line)


def _lines(old_file: str, new_file: str, path: str, new_path: str) -> Iterator[str]:
    """The difference in meaning; of what is no PTX on either side, and of a whole file, that of the texts."""
    from ptxgen.cli.cmd_diff import in_colour
    from ptxgen.compare import difference, text_difference
    from ptxgen.text import parse
    from ptxgen.text.files import read_source

    old, new = ("" if file == os.devnull else read_source(file) for file in (old_file, new_file))
    if old and new:
        try:
            found = difference(parse(old, name=path), parse(new, name=new_path))
        except PtxSyntaxError as wrong:
            yield f"not compared by meaning: {str(wrong).splitlines()[0]}"
        else:
            yield from (in_colour(line) for line in str(found).split("\n"))
            return
    yield from (in_colour(line) for line in text_difference(old, new, f"a/{path}", f"b/{new_path}"))
