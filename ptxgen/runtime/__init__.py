"""The backend, which compiles a program once and dispatches it many times, and the fusion of several launches into one.

    backend = runtime.Backend.acquire()
    pipeline = backend.compile(program)
    outputs = pipeline.dispatch(inputs)

The map: `backend` holds a device with its pools, caches and pipelines, and `errors`, `telemetry`, `trace`, `environment`,
`capabilities` and `keys` are for all rooms. The rooms, each of which imports only those named before it:

    memory     what a backend keeps, lends and shares: pools, leases, resident buffers, the order of streams
    programs   kernels whose parameters have roles, and the plan of a dispatch, without a device
    code       from a program to a loaded kernel, through the caches
    dispatch   running a compiled program on data: on slabs, on resident buffers, as a replayed graph
    fusion     which programs become one launch, how, and chains of them

Public names are imported from here, and loaded on first use; a new name is a line in `_EXPORTS`, in `__all__`
and in the block for type checkers. May import everything up to `kernels`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.lazy import exports

if TYPE_CHECKING:
    from ptxgen.runtime.backend import Backend
    from ptxgen.runtime.capabilities import Capabilities
    from ptxgen.runtime.dispatch.bound import BoundDispatch
    from ptxgen.runtime.dispatch.pending import PendingDispatch, TimedResult
    from ptxgen.runtime.dispatch.pipeline import CompiledPipeline
    from ptxgen.runtime.dispatch.replay import GraphReplay
    from ptxgen.runtime.dispatch.state import PipelineState
    from ptxgen.runtime.errors import BackendError
    from ptxgen.runtime.fusion.chains import fuse
    from ptxgen.runtime.fusion.fused import FusedPipeline
    from ptxgen.runtime.memory.buffers import ResidentBuffer, ResidentRange
    from ptxgen.runtime.programs.barrier import grid_barrier
    from ptxgen.runtime.programs.bindings import inout, input_, output, persistent, shared, uniform
    from ptxgen.runtime.programs.plans import DispatchConfig
    from ptxgen.runtime.programs.program import Params, Program, program
    from ptxgen.runtime.programs.rows import Row
    from ptxgen.runtime.telemetry import TelemetrySnapshot

_EXPORTS = {
    "backend": "Backend",
    "capabilities": "Capabilities",
    "dispatch.bound": "BoundDispatch",
    "dispatch.pending": "PendingDispatch TimedResult",
    "dispatch.pipeline": "CompiledPipeline",
    "dispatch.replay": "GraphReplay",
    "dispatch.state": "PipelineState",
    "errors": "BackendError",
    "fusion.chains": "fuse",
    "fusion.fused": "FusedPipeline",
    "memory.buffers": "ResidentRange ResidentBuffer",
    "programs.barrier": "grid_barrier",
    "programs.bindings": "inout input_ output persistent shared uniform",
    "programs.plans": "DispatchConfig",
    "programs.program": "Params Program program",
    "programs.rows": "Row",
    "telemetry": "TelemetrySnapshot",
}
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
    "ResidentBuffer",
    "ResidentRange",
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

if not TYPE_CHECKING:  # a type checker would take any name
    __getattr__, __dir__ = exports(__name__, _EXPORTS)
