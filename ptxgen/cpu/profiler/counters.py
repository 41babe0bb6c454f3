"""What is counted of one operation: a record of 64-bit counters, the launch's operations one after the other."""

from __future__ import annotations

__all__ = ["FIELDS", "RECORD_BYTES", "TOOL", "offset_of"]

TOOL = "profile"
"""Its name among the tools that a kernel is compiled for."""

FIELDS = (
    "warps",  # executions by a warp
    "threads",  # by a thread
    "active",  # by a thread whose guard holds; counted of guarded operations alone
    "divergent",  # by a warp whose threads go different ways afterwards
    "global_requests",  # by a warp that accesses global memory in it; of a bulk copy, by a thread
    "global_sectors",  # of 32 bytes, that these touch
    "global_fewest",  # sectors that would hold the bytes
    "global_bytes",  # that threads ask for
    "shared_requests",
    "shared_wavefronts",  # turns of the banks
    "shared_fewest",  # turns that would do
    "shared_bytes",
    "local_bytes",
)
RECORD_BYTES = 8 * len(FIELDS)

_OFFSETS = {name: 8 * place for place, name in enumerate(FIELDS)}


def offset_of(field: str) -> int:
    """The byte of a record at which a counter lies."""
    return _OFFSETS[field]
