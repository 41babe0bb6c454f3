"""The driver's log: what cuLogsDumpToMemory gives (CUDA 12.9), in the shape of the real driver's lines.

[11:10:26.435][140450104291648][CUDA][E] Returning 1 (CUDA_ERROR_INVALID_VALUE) from cuMemFree_v2
"""

from __future__ import annotations

import time
from itertools import islice

from driver_ctypes.primitives import Lock, deque, get_ident

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

ROOM = 512
"""Entries that are kept; older ones are dropped."""


class Log:
    """Entries are numbered from 0 for ever; an iterator is the number of the next entry."""

    def __init__(self) -> None:
        self._entries: deque[str] = deque(maxlen=ROOM)
        self._lock = Lock()
        self.next = 0
        self.listeners: dict[int, Callable[[bytes], None]] = {}  # by their handle

    def after_fork(self) -> None:
        """Another thread may have held the lock, and is not there to give it back."""
        self._lock = Lock()

    def error(self, text: str) -> None:
        """One entry; a text of several lines stays one entry."""
        now = time.time()
        clock = time.strftime("%H:%M:%S", time.localtime(now))
        with self._lock:
            self._entries.append(f"[{clock}.{int(now * 1000) % 1000:03}][{get_ident()}][CUDA][E] {text}\n")
            self.next += 1
        for tell in list(self.listeners.values()):
            tell(text.encode())

    def refused(self, symbol: str, code: int, text: str = "") -> None:
        if text:
            self.error(text)
        from ptxgen.emulated_driver.errors.results import name_of

        self.error(f"Returning {code} ({name_of(code)}) from {symbol}")

    def since(self, number: int) -> tuple[list[str], int]:
        """The entries from that number on that are still there, and the number after the last."""
        with self._lock:
            first = self.next - len(self._entries)
            return list(islice(self._entries, max(number - first, 0), None)), self.next


log = Log()
