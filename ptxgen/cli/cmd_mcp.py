"""`ptxgen mcp`: the tools for coding agents, on standard input and output."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec

import click

from ptxgen import __version__

__all__ = ["mcp"]


@click.command()
@click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False),
    help="The folder below which programs may be read. [default: the working folder]",
)
def mcp(root: str | None) -> None:
    """Serve check, explain, run, diff, hunt, emit and stat to coding agents by the Model Context Protocol, on standard input and
    output. Nothing is written, and no file outside the folder is read.

    \b
    claude mcp add ptxgen -- ptxgen mcp
    """
    if find_spec("mcp") is None:
        raise click.ClickException(
            f"`ptxgen mcp` needs the package mcp, which {sys.executable} does not have: pip install 'ptxgen[mcp]'"
        )
    from ptxgen.mcp import serve

    if root is not None:
        os.chdir(root)
    serve(__version__)
