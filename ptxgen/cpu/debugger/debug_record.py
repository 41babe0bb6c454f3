"""What a paused launch and Python tell each other (byte offsets)."""

from __future__ import annotations

import ctypes
from enum import IntFlag

from ptxgen.cpu.record_layout import U32, U64

__all__ = ["MBARRIERS", "DebugRecord", "Reason", "WatchRecord"]

MBARRIERS = 4096
"""So many are remembered."""


class Reason(IntFlag):
    """Why a launch has paused; several may hold at once."""

    LIMIT = 1
    """As many instructions are executed as were asked for."""
    BREAK = 2
    """A warp is at a block with a breakpoint."""
    STEP = 4
    """The lanes that are followed are at a block where they were to pause."""
    WATCH = 8
    """Watched bytes have changed."""


class WatchRecord(ctypes.Structure):
    """Bytes that are watched, and where a copy of them lies."""

    _fields_ = [("address", U64), ("copy", U64), ("bytes", U64)]


class DebugRecord(ctypes.Structure):
    """Of one launch. A step is an instruction that a warp has begun: their count tells a moment of the launch."""

    _fields_ = [
        ("steps", U64),
        ("limit", U64),  # pause before that step
        ("breaks", U64),  # address of a byte for each block: pause there
        ("step_warp", U64),  # the record of a warp, these lanes of it, and a byte for each block: pause there
        ("step_blocks", U64),
        ("step_cta", U64),  # the number of the warp's CTA in the grid: another may come to its record
        ("step_lanes", U32),
        ("watch_count", U32),
        ("noting", U32),  # do not pause there: note the step
        ("pad", U32),
        ("noted", U64),  # the last one
        ("watches", U64),  # address of the first WatchRecord
        # where it has paused; `resuming`: the block, and 1, where it goes on; 0 once it has
        ("resuming", U32),
        ("budget", U32),
        ("reason", U32),
        ("block", U32),
        ("warp", U64),
        ("lanes", U32),
        # who has executed what last
        ("last_lanes", U32),
        ("last_warp", U64),
        ("last_block", U32),
        ("mbarrier_count", U32),
        ("mbarriers", U64),  # address of the first of MBARRIERS words: where some were initialised
    ]
