"""The process in which tools run: one that crashes, or never ends, ends alone, and the agent is told."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ptxgen.assembler.pool import WorkerDied, WorkerHung, WorkerPool
from ptxgen.assembler.worker import serve

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["MOST_CHARACTERS", "ToolFailed", "ToolProcess"]

MOST_CHARACTERS = 400_000
"""Of one answer, as JSON."""
_ROOT = str(Path(__file__).resolve().parents[2])
_START = "import sys; sys.path.insert(0, sys.argv[1]); from ptxgen.mcp.worker import main; main()"


class ToolFailed(Exception):
    """What an agent is told in place of a result."""


class ToolProcess:
    """Processes for so many calls at a time."""

    def __init__(self, size: int = 2) -> None:
        self._pool = WorkerPool([sys.executable, "-c", _START, _ROOT], size)

    def call(self, name: str, arguments: dict[str, Any], limit: float) -> str:
        """The result as JSON. Raises ToolFailed with what went wrong, in words."""
        try:
            status, answer = self._pool.ask([name.encode(), json.dumps(arguments).encode()], limit)
        except WorkerHung:
            raise ToolFailed(f"{name} gave no answer within {limit:g} seconds and was ended") from None
        except WorkerDied as died:
            raise ToolFailed(f"the process that ran {name} ended: {died.cause}") from None
        if status == b"error":
            raise ToolFailed(answer.decode())
        if len(answer) > MOST_CHARACTERS:
            raise ToolFailed(
                f"the answer of {name} has {len(answer)} characters, and {MOST_CHARACTERS} is the most\n"
                "  Fix: ask for less: one kernel, fewer arrays or cases"
            )
        return answer.decode()

    def close(self) -> None:
        """Ends the processes."""
        self._pool.close()


def main() -> None:
    """Serves until the server closes its pipe."""
    import warnings

    warnings.simplefilter("ignore")  # findings come back as values

    def answer(request: Sequence[bytes]) -> list[bytes]:
        from ptxgen.errors import Error
        from ptxgen.mcp.tools import TOOLS

        name, given = request
        try:
            result = TOOLS[name.decode()][0](**json.loads(given))
        except (Error, OSError, MemoryError, RecursionError) as error:
            return [b"error", (str(error) or type(error).__name__).encode()]
        return [b"ok", result.model_dump_json().encode()]

    serve(answer)
