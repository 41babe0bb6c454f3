"""The process that judges: requests are pickled (what, job), answers pickled reports. `judge.py` has the other end.

SIGUSR1 breaks off what it is doing; the answer is then None.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
from typing import TYPE_CHECKING

from ptxgen.assembler.worker import serve
from ptxgen.lsp.background.judging import Judge

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]


class _Cancelled(BaseException):
    """The request is no longer wanted."""


class _Answer:
    def __init__(self) -> None:
        self.judge = Judge()
        self.busy = False
        signal.signal(signal.SIGUSR1, self._cancel)

    def _cancel(self, *_: object) -> None:
        if self.busy:
            self.busy = False
            raise _Cancelled

    def __call__(self, request: list[bytes]) -> Sequence[bytes]:
        what, job = pickle.loads(request[0])
        try:
            self.busy = True
            found = getattr(self.judge, what)(job)
            self.busy = False
        except _Cancelled:
            found = None
        except (RecursionError, MemoryError) as error:
            found = error
        finally:
            self.busy = False
        return [pickle.dumps(found, pickle.HIGHEST_PROTOCOL)]


def main() -> None:
    """Answer until the other side closes. Whoever types comes first."""
    os.nice(10)
    sys.setrecursionlimit(10_000)
    serve(_Answer())


if __name__ == "__main__":
    main()
