"""`ptxgen setup-git`: a diff driver for PTX in a repository's own configuration."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import sysconfig
from pathlib import Path

import click

from ptxgen.cli.git import git

__all__ = ["setup_git"]

_DRIVER = "diff.ptxgen"
_LINE = "*.ptx diff=ptxgen"
_HEADS = r"^[ \t]*((\.(visible|weak|extern)[ \t]+)?\.(entry|func)[ \t(].*)$"
"""Where git does not call the driver (`git log -p`): the line that stands behind `@@`."""


@click.command()
@click.option(
    "--gitattributes",
    is_flag=True,
    help="Write the line for *.ptx into .gitattributes, for everybody who clones, in place of .git/info/attributes.",
)
@click.option("--command", "called", metavar="COMMAND", help="What git calls.  [default: this ptxgen, with git-diff]")
@click.option("--undo", is_flag=True, help="Take out what this command has written.")
def setup_git(gitattributes: bool, called: str | None, undo: bool) -> None:
    """Have `git diff` show what differs in meaning between PTX files, in the repository of the working directory.

    It writes `diff.ptxgen` into the repository's own configuration and a line into .git/info/attributes; nothing that is
    committed, unless --gitattributes is given. `git log -p` and `git show` keep to the text, unless with --ext-diff;
    `git diff --no-ext-diff` shows the text too.
    """
    own = _path("--git-path", "info/attributes")
    shared = _path("--show-toplevel") / ".gitattributes"
    if undo:
        if git("config", "--local", "--get-regexp", r"^diff\.ptxgen\.", missing=True):
            git("config", "--local", "--remove-section", _DRIVER)
        removed = [str(path) for path in (own, shared) if _without_line(path)]
        click.echo(
            f"{_DRIVER} is gone from the repository's configuration{''.join(f', its line from {p}' for p in removed)}"
        )
        return
    git("config", "--local", f"{_DRIVER}.command", called or _this_command())
    git("config", "--local", f"{_DRIVER}.xfuncname", _HEADS)
    path = shared if gitattributes else own
    _with_line(path)
    click.echo(
        f"git diff shows what differs in meaning between *.ptx: {_DRIVER} in the configuration, a line in {path}"
    )
    click.echo("undo: ptxgen setup-git --undo")


def _path(*words: str) -> Path:
    return Path(os.fsdecode(git("rev-parse", *words).rstrip(b"\n")))


def _this_command() -> str:
    """This ptxgen as a line for a shell. Without its script, Python runs isolated: not a folder `ptxgen` of the repository."""
    script = shutil.which("ptxgen", path=sysconfig.get_path("scripts"))
    words = [script] if script else [sys.executable, "-I", "-m", "ptxgen"]
    return shlex.join([*words, "git-diff"])


def _with_line(path: Path) -> None:
    text = path.read_text() if path.exists() else ""
    if _LINE in text.splitlines():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{text}{'' if not text or text.endswith(chr(10)) else chr(10)}{_LINE}\n")


def _without_line(path: Path) -> bool:
    """Takes the line out; was it there? A file of nothing else goes with it."""
    lines = path.read_text().splitlines(keepends=True) if path.exists() else []
    kept = [line for line in lines if line.strip() != _LINE]
    if len(kept) == len(lines):
        return False
    if kept:
        path.write_text("".join(kept))
    else:
        path.unlink()
    return True
