"""The server: it announces the tools of tools.py, and has a process run what is called."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations

from ptxgen.mcp.tools import TOOLS
from ptxgen.mcp.worker import ToolFailed, ToolProcess

if TYPE_CHECKING:
    from collections.abc import Callable

    from pydantic import BaseModel

__all__ = ["make_server", "serve"]

_INSTRUCTIONS = """\
NVIDIA PTX without a GPU: check verifies it, explain knows every instruction and diagnostic code, run launches a kernel on the CPU
under a sanitizer, hunt looks for races and deadlocks over drawn inputs, diff compares two programs by meaning, stat counts, emit
has the PTX of a kernel library. Programs are given as text, or as a path below the working folder. Nothing is written."""


def make_server(version: str, process: ToolProcess) -> MCPServer[Any]:
    """The server, whose tools run in that process."""
    server: MCPServer[Any] = MCPServer("ptxgen", version=version, instructions=_INSTRUCTIONS, log_level="ERROR")
    read_only = ToolAnnotations(
        read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
    )
    for name, (function, model, limit) in TOOLS.items():
        server.add_tool(_called(name, function, model, limit, process), name=name, annotations=read_only)
    return server


def _called(
    name: str,
    function: Callable[..., BaseModel],
    model: type[BaseModel],
    limit: Callable[[dict[str, Any]], float],
    process: ToolProcess,
) -> Callable[..., BaseModel]:
    @functools.wraps(function)  # its signature and docstring are announced
    def call(**arguments: Any) -> BaseModel:
        try:
            return model.model_validate_json(process.call(name, arguments, limit(arguments)))
        except ToolFailed as failed:
            raise ToolError(str(failed)) from None

    return call


def serve(version: str) -> None:
    """Serves on standard input and output until the client closes them."""
    process = ToolProcess()
    try:
        make_server(version, process).run("stdio")
    finally:
        process.close()
