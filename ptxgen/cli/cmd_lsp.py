"""`ptxgen lsp`: the server that editors talk to."""

from __future__ import annotations

import click

__all__ = ["lsp"]


@click.command()
@click.option("--stdio", is_flag=True, help="Taken for editors that pass it: there is no other way.")
@click.option("-v", "--verbose", is_flag=True, help="Log more to standard error.")
def lsp(stdio: bool, verbose: bool) -> None:
    """Serve an editor over standard input and output (Language Server Protocol): diagnostics, hover, completion, rename and
    more for PTX, also in templates, Python strings and asm statements of CUDA C++. docs/editors.md says how to set up an editor.
    """
    try:
        from ptxgen.lsp.server import serve
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] not in ("pygls", "lsprotocol", "cattrs", "attrs"):
            raise
        raise click.UsageError(f"the editor server needs {missing.name}: pip install 'ptxgen[lsp]'") from None
    serve(verbose=verbose)
