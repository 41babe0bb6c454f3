"""The order between the legacy default stream of a context and its blocking streams."""

from __future__ import annotations

from driver_ctypes.primitives import Lock
from driver_ctypes.typing import TYPE_CHECKING

if TYPE_CHECKING:
    from threading import Condition


class Gate:
    """The legacy default stream excludes all blocking streams of its context; those do not exclude one another."""

    __slots__ = ("_changed", "_inside", "_legacy", "_lock", "_waiting")

    def __init__(self) -> None:
        self._lock = Lock()
        self._changed: Condition | None = None  # made by the first that waits
        self._inside = 0
        self._legacy = False
        self._waiting = 0

    def enter(self, legacy: bool) -> None:
        with self._lock:
            while self._legacy:
                self._wait()
            if not legacy:
                self._inside += 1
                return
            self._legacy = True  # no new work of blocking streams from here on
            while self._inside:
                self._wait()

    def _wait(self) -> None:
        if self._changed is None:
            from threading import Condition

            self._changed = Condition(self._lock)
        self._waiting += 1
        self._changed.wait()
        self._waiting -= 1

    def leave(self, legacy: bool) -> None:
        with self._lock:
            if legacy:
                self._legacy = False
            else:
                self._inside -= 1
            if self._changed is not None:
                self._changed.notify_all()
