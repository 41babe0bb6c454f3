"""The CUDA driver API over the CPU executor: a table of C function pointers, like libcuda's.

Callers cannot tell the two apart: same symbols, versions, structures, result codes, rules. The stated device has the
limits of an H200 (compute capability 9.0, driver 13.0), and where a rule was in doubt, what that driver does was
recorded and is repeated here (tests/ptxgen/emulated_driver/scenarios.py).

How work runs: at once, in the calling thread, when it is enqueued. That is one of the orders CUDA allows; so events are
always complete, and a stream is busy only while another thread's work runs in it. Work of one stream never overlaps,
the legacy default stream excludes the blocking streams of its context, and everything else runs concurrently. The
consequence: a kernel or host function that waits for something which is enqueued or written *after* it waits for ever;
the executor reports a kernel that cannot go on.

A fault shows as on hardware: the launch that caused it succeeds, and every later call of the context answers its
code until the context is gone. Unlike hardware, a new primary context after `cuDevicePrimaryCtxReset` (or the last
release) works.

Not offered, so their address is 0: arrays, textures and surfaces, multicast, graphics
interop, green contexts, checkpoints.

Environment, read by the first cuInit: PTXGEN_CPU_DEVICES (how many devices, 1), PTXGEN_CPU_MEMORY (bytes of each,
with K, M, G; the machine's memory), PTXGEN_CPU_CAPABILITY (9.0), PTXGEN_CPU_COPIES (when asynchronous copies are done:
late or early; late).

The map: `table` has the symbols and makes C callbacks of them; `state` is the machine with all that callers have
made; `refusal`, `results`, `logs` and `logs_api` are how a call fails and what is said of it, `faults` makes it fail
on purpose, `rules` refuses what captures forbid, `pointers` reads and writes the caller's memory, `interrupts` hands
on what signal handlers raise. The rooms are named as those of driver_ctypes, their other side: `contexts`, `memory`,
`streams`, `modules`, `launch`, `graphs`, `interop`; `legacy` has old forms of their functions.

To offer one more function: write it in the file of its area, with the decorator `entry` and the exported symbol's
name; a new file is named in `table`. May import the rest of ptxgen.cpu, the floors below, and driver_ctypes.abi.
"""

from __future__ import annotations

from ptxgen.emulated_driver.fault_injection import counting, device_lost, inject, memory_full
from ptxgen.emulated_driver.table import open_driver

__all__ = ["counting", "device_lost", "inject", "live_handles", "memory_full", "open_driver"]


def live_handles() -> dict[str, int]:
    """How many objects of each kind callers have made and not destroyed; {} when nothing leaks.

    Kinds: "primary context" (retained), "context", "stream", "event", "module", "library", "linker",
    "memory", "host memory",
    "registered memory", "memory pool", "piece of memory", "reserved range", "imported memory" (a pool's),
    "opened memory" (of cuIpcOpenMemHandle), "graph", "executable graph", "user object".
    """
    from ptxgen.emulated_driver.state import machine

    return machine.live_handles()
