"""The threads on which several workers run a launch.

They belong to the process, and all launches draw on them, so that launches from several threads of the host do not take more
cores than there are. A thread that nobody has asked for a while ends. A child of a fork begins with none.
"""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from queue import Empty, SimpleQueue

from driver_ctypes.typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["crew"]

_PATIENCE = 1.0
"""Seconds after which a thread without work ends."""


class Crew:
    """Threads that do jobs. Whoever hires some may have as many jobs under way."""

    def __init__(self) -> None:
        self.after_fork()

    def after_fork(self) -> None:
        """Begins without threads."""
        self._lock = threading.Lock()
        self._jobs: SimpleQueue[Callable[[], object]] = SimpleQueue()
        self.do = self._jobs.put
        """Has one of the threads do this, a function that raises nothing."""
        self._threads = self._hired = 0

    def hire(self, wanted: int, limit: int) -> int:
        """So many threads are there for the caller, at most `wanted`, with no more than `limit` hired by all. `dismiss` is to
        follow."""
        with self._lock:
            granted = max(0, min(wanted, limit - self._hired))
            with suppress(RuntimeError):  # the system lets no more threads be made
                while self._threads < self._hired + granted:
                    threading.Thread(target=self._serve, name="ptxgen-cpu-worker", daemon=True).start()
                    self._threads += 1
            granted = min(granted, self._threads - self._hired)
            self._hired += granted
            return granted

    def dismiss(self, number: int) -> None:
        """The caller's threads are free again."""
        with self._lock:
            self._hired -= number

    def _serve(self) -> None:
        jobs = self._jobs
        while True:
            try:
                job = jobs.get(timeout=_PATIENCE)
            except Empty:
                with self._lock:
                    if self._threads > self._hired:
                        self._threads -= 1
                        return
                continue
            job()
            del job  # it keeps a launch's memory


crew = Crew()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=crew.after_fork)
