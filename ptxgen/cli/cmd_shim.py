"""`ptxgen shim`: write our own libcuda.so.1."""

from __future__ import annotations

from pathlib import Path

import click

__all__ = ["shim"]


@click.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
def shim(folder: Path) -> None:
    """Write libcuda.so.1, and the ptxas that goes with it, into FOLDER.

    \b
    ptxgen shim cuda
    LD_LIBRARY_PATH=cuda ./program

    A program that loads it runs on the CPU device. `ptxgen exec` does both, and sets what else clients read.
    """
    from ptxgen.shim.library import TOOLS, shared_python, write_library

    library = write_library(folder.absolute())
    click.echo(f"{library}: for programs with LD_LIBRARY_PATH={library.parent}")
    click.echo(f"beside it: {', '.join(TOOLS)}")
    if shared_python() is None:
        click.echo(
            "note: this Python has no shared library: hosts that are not Python themselves need one (libpython)",
            err=True,
        )
