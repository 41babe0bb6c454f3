"""The counters of one launch."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from ptxgen.cpu.profiler.counters import FIELDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.cpu.record_layout import LaunchRecord

__all__ = ["CountedLaunch"]


class CountedLaunch:
    """What a frame of a kernel that counts has beside its own memory; belongs to one frame. `leaders` are KernelCode's."""

    def __init__(self, leaders: Sequence[int]) -> None:
        self._leaders = leaders
        self._counters = (ctypes.c_uint64 * (len(FIELDS) * len(leaders)))()

    def prepare(self, launch: LaunchRecord) -> None:
        """For a launch that begins."""
        ctypes.memset(self._counters, 0, ctypes.sizeof(self._counters))
        launch.profile = ctypes.addressof(self._counters)

    def counted(self) -> list[tuple[int, ...]]:
        """Of each operation its counters, in the order of `counters.FIELDS`, after the launch has ended."""
        width = len(FIELDS)
        flat = self._counters[:]
        rows = [tuple(flat[at : at + width]) for at in range(0, len(flat), width)]
        return [
            (*rows[leader][:2], *row[2:]) if leader >= 0 else (0,) * width for leader, row in zip(self._leaders, rows)
        ]
