"""The CUDA driver API over the CPU executor: a table of C function pointers, like libcuda's.

Callers cannot tell the two apart: same symbols, versions, structures, result codes, rules. A device has the limits of its
product (`ptxgen.isa.products`), an H200 where nothing else is said. Where a rule was in doubt, what driver 580 does on an H200
was recorded and is repeated here (tests/ptxgen/emulated_driver/scenarios.py).

How work runs: at once, in the calling thread, when it is enqueued. That is one of the orders CUDA allows; so events are
always complete, and a stream is busy only while another thread's work runs in it. Work of one stream never overlaps,
the legacy default stream excludes the blocking streams of its context, and everything else runs concurrently. The
consequence: a kernel or host function that waits for something which is enqueued or written *after* it waits for ever;
the executor reports a kernel that cannot go on.

A fault shows as on hardware: the launch that caused it succeeds, and every later call of the context answers its
code until the context is gone. Unlike hardware, a new primary context after `cuDevicePrimaryCtxReset` (or the last
release) works.

Not offered, so their address is 0: graphics interop, checkpoints.

Environment, read by the first cuInit: PTXGEN_CPU_DEVICES (how many devices, 1, or their targets), PTXGEN_CPU_MEMORY (bytes
of each, with K, M, G; the machine's memory, or the largest half, quarter, ... that may be reserved), PTXGEN_CPU_CAPABILITY
(what a device without a target is, 9.0),
PTXGEN_CPU_COPIES (when asynchronous copies are done: late or early; late), PTXGEN_CPU_PRODUCTS (of the tensor
cores: exact or fast; exact), PTXGEN_CPU_BOUNDS (what kernels may touch of a block: its bytes, exact, or whole units
of 512, as a GPU lets pass; exact), PTXGEN_CPU_WAITS (what waits for wgmma: what the program states, stated, or touched
registers too, as assemblers have it, injected; stated), PTXGEN_CPU_WATCHDOG and PTXGEN_CPU_TIME_LIMIT
(seconds after which a kernel without progress, or any kernel, is ended; 30 and none; 0 is none), PTXGEN_CPU_DRIVER (the CUDA
version that the driver states, without the functions of later ones; 13.0), PTXGEN_SANITIZE (tools that watch every launch, with
commas between; none. What they find is in the driver's log).

The rooms, from the ground up; those that driver_ctypes has too are its other side, under the same names:

    errors       how a call fails: refusals, result codes, the log
    pointers, interrupts    the caller's memory; exceptions of signal handlers
    state        the objects: handles, graphs, captures, contexts, streams, the machine
    calls        C callbacks, the checks of every call
    contexts, logs_api    devices and contexts; the log's functions
    streams      streams, events, captures
    memory       allocation, copies, pools, virtual memory, tensor maps
    modules, interop    programs, the linker; other processes
    launch       launches, occupancy
    graphs       nodes, executable graphs, updates
    legacy, export_tables    old forms of functions; what the CUDA runtime asks for
    table        the symbols and their addresses
    fault_injection, leaks    calls that fail on purpose; what was not destroyed

What a start of the CPU device loads is small, and stays so (CONTRIBUTING.md, "A module that a start loads").

To offer one more function: write it in the file of its area, with the decorator `calls.registry.entry` and the exported
symbol's name, and run tools/index_driver.py, so that starts stay quick; a new file is named in `table`. A file imports only rooms
below its own, for types too. From ptxgen the emulated driver may import ptxgen.cpu and what is below; from driver_ctypes `abi`,
`lifetime`, `caches` and `errors` alone: client and driver share the ABI and no formula, so that each checks the other.
"""

from __future__ import annotations

from driver_ctypes.typing import TYPE_CHECKING
from ptxgen.lazy import exports

if TYPE_CHECKING:
    from ptxgen.emulated_driver.fault_injection import counting, device_lost, inject, memory_full
    from ptxgen.emulated_driver.leaks import live_handles
    from ptxgen.emulated_driver.table import open_driver

__all__ = ["counting", "device_lost", "inject", "live_handles", "memory_full", "open_driver"]

_EXPORTS = {
    "fault_injection": "counting device_lost inject memory_full",
    "leaks": "live_handles",
    "table": "open_driver",
}

if not TYPE_CHECKING:  # a type checker would take any name
    __getattr__, __dir__ = exports(__name__, _EXPORTS)
