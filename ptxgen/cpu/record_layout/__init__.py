"""Where generated code and Python find things: the launch record, CTA records, warp records (byte offsets).

All of it lies in memory between calls of generated code, so a launch can stop at any block boundary and go on later, with
other code if need be. The parts are the same for every kernel; masks and registers of a kernel follow its warp header.
Records of the debugger and of the sanitizer are made of the same words. `records` has what every launch needs, `queues` what
a warp has under way, `words` the numbers that have names. May import nothing of ptxgen.
"""

from __future__ import annotations

from driver_ctypes.typing import TYPE_CHECKING
from ptxgen.lazy import exports

if TYPE_CHECKING:
    from ptxgen.cpu.record_layout.queues import BulkCopy, Copies, CopyRecord, LaneCopies, WgmmaCall, WgmmaQueue
    from ptxgen.cpu.record_layout.records import (
        CLAIMS,
        LAUNCH_HEAD,
        NOWHERE,
        RANK_SHIFT,
        TENSOR_COLUMNS,
        TENSOR_MEMORY_BYTES,
        U32,
        U64,
        Barrier,
        Cta,
        LaunchRecord,
        Warp,
    )
    from ptxgen.cpu.record_layout.words import BulkKind, Status, WarpStatus, Window

__all__ = [
    "CLAIMS", "LAUNCH_HEAD", "NOWHERE", "RANK_SHIFT", "TENSOR_COLUMNS", "TENSOR_MEMORY_BYTES", "U32", "U64", "Barrier",
    "BulkCopy", "BulkKind", "Copies", "CopyRecord", "Cta", "LaneCopies", "LaunchRecord", "Status", "Warp", "WarpStatus",
    "WgmmaCall", "WgmmaQueue", "Window",
]  # fmt: skip

_EXPORTS = {
    "records": "CLAIMS LAUNCH_HEAD NOWHERE RANK_SHIFT TENSOR_COLUMNS TENSOR_MEMORY_BYTES U32 U64 Barrier Cta LaunchRecord Warp",
    "queues": "BulkCopy Copies CopyRecord LaneCopies WgmmaCall WgmmaQueue",
    "words": "BulkKind Status WarpStatus Window",
}

if not TYPE_CHECKING:  # a type checker would take any name
    __getattr__, __dir__ = exports(__name__, _EXPORTS)
