"""A hand-written binding of the CUDA driver (libcuda), usable alone: ctypes, no compiler, nothing else to install.

    import driver_ctypes as dc

    device = dc.driver("cuda").device(0)
    context = device.primary_context()
    module = context.load(ptx, signatures={"saxpy": dc.Signature([dc.Parameter("n", "u32"), ...])})
    with context.stream() as stream, context.alloc(4 * n) as x:
        launch = module.function("saxpy").bind(grid, block, stream=stream)
        launch(n, 2.0, x, y)
        stream.synchronize()

A driver is a table of C function pointers. NVIDIA's fills it from libcuda, another one (`register_driver`, or an entry
point of the group ``driver_ctypes.drivers``) with callbacks, and nothing here can tell them apart.

The rooms. ``abi`` is the driver's interface as data. `loader` finds libcuda, `drivers` holds the table, `diagnosis`
says what is missing. `errors` and `jitlog` turn result codes and compiler logs into exceptions and data. `lifetime`
decides who frees what and when, `context` is the one way by which any thread calls the driver. On that stand `memory`,
`stream`, `event`, `module`, `signature` with `limits` and `launch`, and `capture`, `graph`, `nodes`.

Importing this package costs nothing: each name below is loaded on first use. It imports nothing of ptxgen.
"""

# ruff: noqa: F403 (star imports for the type checker only: the names stand once, below)

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # typing's own costs 9 ms, more than everything else here
if TYPE_CHECKING:
    from typing import Any

    from driver_ctypes.capture import *
    from driver_ctypes.context import *
    from driver_ctypes.device import *
    from driver_ctypes.diagnosis import *
    from driver_ctypes.drivers import *
    from driver_ctypes.errors import *
    from driver_ctypes.event import *
    from driver_ctypes.graph import *
    from driver_ctypes.jitlog import *
    from driver_ctypes.memory import *
    from driver_ctypes.module import *
    from driver_ctypes.nodes import *
    from driver_ctypes.signature import *
    from driver_ctypes.stream import *

_ROOMS = {
    "capture": "Capture",
    "context": "Context",
    "device": "Device",
    "diagnosis": "Diagnosis diagnose",
    "drivers": "Driver driver driver_names live_handles register_driver",
    "errors": (
        "Error DriverNotFoundError NotAvailableError DeviceNotFoundError ClosedError ForkedProcessError "
        "ArgumentError ArgumentCountError ArgumentTypeError ArgumentRangeError LaunchConfigError "
        "CleanupWarning CudaError InitializationError OutOfMemoryError InvalidHandleError NotFoundError "
        "NotReadyError NotSupportedError GraphUpdateError CaptureError LaunchError FatalError "
        "IllegalAddressError MisalignedAddressError IllegalInstructionError LaunchTimeoutError "
        "DeviceAssertError LaunchFailedError ContextLostError JitError"
    ),
    "event": "Event",
    "graph": "Graph GraphExec",
    "jitlog": "JitMessage Resources",
    "memory": "Buffer PinnedBuffer",
    "module": "Function FunctionAttributes Module",
    "nodes": "GraphEdge GraphNode",
    "signature": "Parameter Signature",
    "stream": "Stream",
}
_ROOM_OF = {name: room for room, names in _ROOMS.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name not in _ROOM_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"{__name__}.{_ROOM_OF[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_ROOM_OF])
