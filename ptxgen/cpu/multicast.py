"""Multicast addresses: each stands for a place in the memory of several devices; `multimem` reaches all (manual 9.7.9.14)."""

from __future__ import annotations

import ctypes
import threading
from typing import TYPE_CHECKING

from ptxgen.cpu.record_layout import U64

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["MOST_RANGES", "MOST_REPLICAS", "MulticastRange", "MulticastTable"]

MOST_RANGES, MOST_REPLICAS = 64, 16


class MulticastRange(ctypes.Structure):
    """A range of multicast addresses, and where this process has the memory of each device."""

    _fields_ = [
        ("base", U64),
        ("bytes", U64),
        ("count", U64),
        ("replicas", U64 * MOST_REPLICAS),
    ]


class MulticastTable:
    """The ranges of a device, in memory that generated code searches; those without bytes are none."""

    def __init__(self, address: int) -> None:
        """address: of so many zeros."""
        self.address = address
        self._rows = (MulticastRange * MOST_RANGES).from_address(self.address)
        self._lock = threading.Lock()

    def add(self, base: int, nbytes: int, replicas: Sequence[int]) -> None:
        """From now on the range is there. Raises MemoryError when there are too many."""
        with self._lock:
            row = next((row for row in self._rows if not row.bytes), None)
            if row is None or len(replicas) > MOST_REPLICAS:
                raise MemoryError(f"more than {MOST_RANGES} multicast ranges, or than {MOST_REPLICAS} devices in one")
            row.base, row.count = base, len(replicas)
            row.replicas[: len(replicas)] = list(replicas)
            row.bytes = nbytes

    def remove(self, base: int) -> None:
        """Takes the range back; nothing where there is none."""
        with self._lock:
            for row in self._rows:
                if row.base == base:
                    row.bytes = 0
