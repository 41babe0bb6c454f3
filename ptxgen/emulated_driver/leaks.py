"""What callers have made and not destroyed."""

from __future__ import annotations

from ptxgen.emulated_driver.memory.addresses import mappings, registrations
from ptxgen.emulated_driver.memory.allocation import allocations
from ptxgen.emulated_driver.state.context import contexts
from ptxgen.emulated_driver.state.handles import tables
from ptxgen.emulated_driver.state.machine import machine


def live_handles() -> dict[str, int]:
    """How many objects of each kind callers have made and not destroyed; {} when nothing leaks.

    Kinds: "primary context" (retained), "context", "stream", "event", "external semaphore", "module", "library", "linker",
    "memory", "host memory", "registered memory", "memory pool", "piece of memory" (of cuMemCreate), "reserved range",
    "imported memory" (a pool's), "opened memory" (of cuIpcOpenMemHandle), "graph", "executable graph", "user object".
    """
    counts = {table.kind: len(table) for table in tables if table.counted}
    counts["primary context"] = sum(device.retained for device in machine.devices)
    counts["registered memory"] = len(registrations)
    counts["context"] = sum(1 for context in contexts if not context.primary)
    held = [allocation.kind for allocation in list(allocations.values())]
    for kind in [*held, *[mapping.kind for mapping in list(mappings.values())]]:
        if kind:
            counts[kind] = counts.get(kind, 0) + 1
    return {kind: number for kind, number in sorted(counts.items()) if number}
