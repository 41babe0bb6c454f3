"""The Model Context Protocol server, `ptxgen mcp`: check, explain, run, diff, hunt, emit and stat as tools of coding agents.

    tools     one function for each tool; its signature and docstring are what an agent reads
    results   what the tools give, as pydantic models
    programs  PTX that an agent gives, inline or as a path below the working folder
    worker    the process in which a tool runs: it has a time limit, and may crash
    server    the server on standard input and output

To add a tool, write its function in tools.py with a model in results.py, and name it in `TOOLS`. A tool writes no file, reads
none outside of the working folder, and runs no Python of the agent's. Needs the extra `mcp`. May import every room but `cli`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.lazy import exports

if TYPE_CHECKING:
    from ptxgen.mcp.server import make_server, serve

__all__ = ["make_server", "serve"]

_EXPORTS = {"server": "make_server serve"}

if not TYPE_CHECKING:  # a type checker would take any name
    __getattr__, __dir__ = exports(__name__, _EXPORTS)
