"""`ptxgen dap`: the debugger for editors."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from ptxgen.debugger import Session

__all__ = ["dap"]


@click.command()
def dap() -> None:
    """Serve an editor the debugger, by the Debug Adapter Protocol on standard input and output.

    A launch configuration has what `ptxgen debug` takes: program, arguments (a list), grid, block, shared, device, set
    (parameters of the program), ptx, history, stopOnEntry.
    """
    from ptxgen.debugger.adapter.server import serve

    serve(sys.stdin.buffer, sys.stdout.buffer, started)


def started(arguments: dict[str, Any]) -> Session:
    """The session of a launch configuration. Raises an Error where there is none to start."""
    from ptxgen.cli.cmd_debug import start
    from ptxgen.errors import DebugError
    from ptxgen.host.argument_text import extents

    grid = extents(str(arguments.get("grid") or 1))
    block = extents(str(arguments["block"])) if arguments.get("block") else None
    if "program" not in arguments or grid is None or (arguments.get("block") and block is None):
        hint = '"program": "saxpy.py", "grid": "4x2", "block": 256'
        raise DebugError("a launch configuration has a program, a grid and a block", hint=hint)
    settings = {str(name): str(value) for name, value in dict(arguments.get("set") or {}).items()}
    texts = tuple(str(each) for each in arguments.get("arguments") or ())
    try:
        return start(
            str(arguments["program"]), texts, settings, grid, block,
            int(arguments.get("shared") or 0), str(arguments.get("device") or "cpu"), arguments.get("history"),
        )  # fmt: skip
    except click.ClickException as wrong:
        raise DebugError(wrong.format_message()) from None
