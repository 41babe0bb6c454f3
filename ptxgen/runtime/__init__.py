"""The backend: what compiles a program once and dispatches it many times, and what makes several launches one.

    backend = runtime.Backend.acquire()
    pipeline = backend.compile(program)
    outputs = pipeline.dispatch(inputs)

`backend` holds a device with its pools and resident buffers, `compiler` its caches of code; `programs` are kernels whose
parameters have roles (`bindings`), `plans` what a dispatch of one will do, `pipeline` the compiled program. `fusion` plans which
launches become one, `chains` joins programs, `fused` runs a chain of them. May import everything up to `kernels`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ptxgen.runtime.backend import Backend
    from ptxgen.runtime.barrier import grid_barrier
    from ptxgen.runtime.bindings import inout, input_, output, persistent, shared, uniform
    from ptxgen.runtime.bound import BoundDispatch
    from ptxgen.runtime.capabilities import Capabilities
    from ptxgen.runtime.chains import fuse
    from ptxgen.runtime.errors import BackendError
    from ptxgen.runtime.fused import FusedPipeline
    from ptxgen.runtime.pending import PendingDispatch, TimedResult
    from ptxgen.runtime.pipeline import CompiledPipeline
    from ptxgen.runtime.plans import DispatchConfig
    from ptxgen.runtime.programs import Params, Program, program
    from ptxgen.runtime.ranges import Range
    from ptxgen.runtime.replay import GraphReplay
    from ptxgen.runtime.resident import ResidentBuffer
    from ptxgen.runtime.rows import Row
    from ptxgen.runtime.state import PipelineState
    from ptxgen.runtime.telemetry import TelemetrySnapshot

_ROOMS = {
    "backend": "Backend",
    "barrier": "grid_barrier",
    "bindings": "inout input_ output persistent shared uniform",
    "bound": "BoundDispatch",
    "capabilities": "Capabilities",
    "chains": "fuse",
    "errors": "BackendError",
    "fused": "FusedPipeline",
    "pending": "PendingDispatch TimedResult",
    "pipeline": "CompiledPipeline",
    "plans": "DispatchConfig",
    "programs": "Params Program program",
    "replay": "GraphReplay",
    "ranges": "Range",
    "resident": "ResidentBuffer",
    "rows": "Row",
    "state": "PipelineState",
    "telemetry": "TelemetrySnapshot",
}
_ROOM_OF = {name: room for room, names in _ROOMS.items() for name in names.split()}

__all__ = [
    "Backend",
    "BackendError",
    "BoundDispatch",
    "Capabilities",
    "CompiledPipeline",
    "DispatchConfig",
    "FusedPipeline",
    "GraphReplay",
    "Params",
    "PendingDispatch",
    "PipelineState",
    "Program",
    "Range",
    "ResidentBuffer",
    "Row",
    "TelemetrySnapshot",
    "TimedResult",
    "fuse",
    "grid_barrier",
    "inout",
    "input_",
    "output",
    "persistent",
    "program",
    "shared",
    "uniform",
]


def __getattr__(name: str) -> Any:
    if name not in _ROOM_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"ptxgen.runtime.{_ROOM_OF[name]}"), name)
    return value
