"""The backend: what compiles a program once and dispatches it many times, and what makes several launches one.

    backend = runtime.Backend.acquire()
    pipeline = backend.compile(program)
    outputs = pipeline.dispatch(inputs)

`backend` holds a device with its caches, pools and resident buffers; `programs` are kernels whose parameters have roles,
`plans` what a dispatch of one will do, `pipeline` the compiled program. `fusion` plans which launches become one, `fused`
makes the kernels. May import everything up to `kernels`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ptxgen.runtime.backend import Backend
    from ptxgen.runtime.barrier import grid_barrier
    from ptxgen.runtime.capabilities import Capabilities
    from ptxgen.runtime.errors import BackendError
    from ptxgen.runtime.pending import PendingDispatch, TimedResult
    from ptxgen.runtime.persistent import PersistentDispatch
    from ptxgen.runtime.pipeline import CompiledPipeline
    from ptxgen.runtime.plans import DispatchConfig
    from ptxgen.runtime.programs import Params, Program, inout, input_, output, program, shared, uniform
    from ptxgen.runtime.replay import GraphReplay
    from ptxgen.runtime.resident import Range, ResidentBuffer
    from ptxgen.runtime.telemetry import TelemetrySnapshot

_ROOMS = {
    "backend": "Backend",
    "barrier": "grid_barrier",
    "capabilities": "Capabilities",
    "errors": "BackendError",
    "pending": "PendingDispatch TimedResult",
    "persistent": "PersistentDispatch",
    "pipeline": "CompiledPipeline",
    "plans": "DispatchConfig",
    "programs": "Params Program inout input_ output program shared uniform",
    "replay": "GraphReplay",
    "resident": "Range ResidentBuffer",
    "telemetry": "TelemetrySnapshot",
}
_ROOM_OF = {name: room for room, names in _ROOMS.items() for name in names.split()}

__all__ = [
    "Backend",
    "BackendError",
    "Capabilities",
    "CompiledPipeline",
    "DispatchConfig",
    "GraphReplay",
    "Params",
    "PendingDispatch",
    "PersistentDispatch",
    "Program",
    "Range",
    "ResidentBuffer",
    "TelemetrySnapshot",
    "TimedResult",
    "grid_barrier",
    "inout",
    "input_",
    "output",
    "program",
    "shared",
    "uniform",
]


def __getattr__(name: str) -> Any:
    if name not in _ROOM_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"ptxgen.runtime.{_ROOM_OF[name]}"), name)
    return value
