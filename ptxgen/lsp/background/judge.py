"""This process's side of the worker: one request at a time, broken off when nobody wants the answer any more."""

from __future__ import annotations

import logging
import os
import pickle
import signal
import sys
import threading
from typing import TYPE_CHECKING, Any

import ptxgen
from ptxgen.assembler.pool import Worker, WorkerDied, WorkerHung

if TYPE_CHECKING:
    from ptxgen.lsp.background.judging import Job

__all__ = ["BackgroundJudge"]

_LIMIT = 120.0
"""Seconds: what takes longer is given up."""
_START = "import sys; sys.path[:0] = sys.argv[1:]; from ptxgen.lsp.background.worker import main; main()"
_log = logging.getLogger(__name__)


class BackgroundJudge:
    """A worker, started when it is first asked and again when it has died. One thread may ask; any may cancel."""

    def __init__(self) -> None:
        self._worker: Worker | None = None
        self._lock = threading.Lock()
        self._asking = False

    def ask(self, what: str, job: Job) -> Any:
        """`what` of `Judge` for a job: "syntax", "all" or "formatted". None where it was cancelled, or cannot be answered."""
        with self._lock:
            if self._worker is None or not self._worker.alive():
                self._start()
            worker = self._worker
            self._asking = True
        assert worker is not None
        try:
            (answer,) = worker.ask([pickle.dumps((what, job), pickle.HIGHEST_PROTOCOL)], _LIMIT)
            found = pickle.loads(answer)
        except (WorkerDied, WorkerHung) as error:
            _log.error("%s: the check of version %d ended: %r", job.name, job.version, error)
            self.close()
            return None
        finally:
            with self._lock:
                self._asking = False
        if isinstance(found, BaseException):
            _log.error("%s: the check of version %d ended: %r", job.name, job.version, found)
            return None
        return found

    def cancel(self) -> None:
        """Break off what is being asked."""
        with self._lock:
            if self._asking and self._worker is not None and self._worker.ready and self._worker.alive():
                os.kill(self._worker.process.pid, signal.SIGUSR1)

    def close(self) -> None:
        """End the worker."""
        with self._lock:
            if self._worker is not None:
                self._worker.close()
                self._worker = None

    def _start(self) -> None:
        if self._worker is not None:
            self._worker.close()
        package = os.path.dirname(os.path.dirname(os.path.abspath(ptxgen.__file__)))
        self._worker = Worker([sys.executable, "-c", _START, package])
