"""A backend: one device with everything that makes dispatching programs again and again cheap."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakSet

from driver_ctypes.caches.jit import configure_jit_cache
from driver_ctypes.errors import DeviceNotFoundError
from ptxgen.host import Device, device
from ptxgen.runtime.code import disk
from ptxgen.runtime.dispatch.arrays import device_array
from ptxgen.runtime.dispatch.pipeline import CompiledPipeline
from ptxgen.runtime.dispatch.session import Session
from ptxgen.runtime.errors import (
    BackendError,
    KernelCompileError,
    ValidationError,
    translated,
)
from ptxgen.runtime.memory.buffers import ResidentBuffer, ResidentRange
from ptxgen.runtime.memory.forms import shown
from ptxgen.runtime.memory.leases import ResourceCounts
from ptxgen.runtime.memory.pools import PoolStatistics
from ptxgen.runtime.programs.plans import DispatchConfig
from ptxgen.runtime.programs.program import Program
from ptxgen.runtime.telemetry import TelemetrySnapshot
from ptxgen.runtime.trace import StageTrace

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ptxgen.runtime.code.caches import CacheSnapshot

__all__ = ["Backend", "Observability"]

log = logging.getLogger("ptxgen.runtime")


class Observability(NamedTuple):
    """Everything that an operator may want to see of a backend at once."""

    telemetry: TelemetrySnapshot
    sources: CacheSnapshot
    modules: CacheSnapshot
    device_pool: PoolStatistics
    pinned_pool: PoolStatistics
    resources: ResourceCounts
    resident_buffers: int
    resident_bytes: int


class Backend(Session):
    """Compiles programs and keeps what their dispatches use; made by `Backend.acquire`. Close it, or use it in a `with`."""

    def __init__(self, place: Device) -> None:
        super().__init__(place)
        self._pipelines: WeakSet[CompiledPipeline] = WeakSet()
        self._lock = threading.RLock()

    @classmethod
    def acquire(cls, which: int | str | Device | None = None) -> Backend:
        """The backend of a device: by ordinal among those of the default device's kind, by name ("cpu", "cuda:1"), or the
        default one. Raises BackendError for one that does not exist, and for invalid settings of the driver's cache.
        """
        _configure_jit_cache()
        if isinstance(which, int):
            which = f"{device().kind}:{which}"
        try:
            return cls(device(which))
        except DeviceNotFoundError as error:
            raise BackendError(
                f"no device {which!r}: {error.args[0]}", fix="ptxgen info shows which devices there are"
            ) from error

    def __repr__(self) -> str:
        return f"<backend {self.name}, {self.target}{', closed' if self.closed else ''}>"

    def __enter__(self) -> Backend:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def adopt(self, array: Any) -> ResidentBuffer:
        """A resident buffer in the memory of an array on this device, a px array or a framework's, without a copy. The array
        is held until the buffer is freed; that leaves the array as it is. Dispatches on it are ordered with the device's
        current stream. `ResidentBuffer.array` is the inverse.

        InvalidProgramError for host data, an array of another device, and one without elements.
        """
        self.check_open()
        return self.resident.adopt(device_array(self, "the array", array))

    def download(self, handle: ResidentBuffer) -> Any:
        """What a resident buffer holds after everything that was dispatched: a numpy array of the type and shape that it was
        uploaded, allocated or written in, or bytes."""
        data = self.resident.download(handle)
        return shown(data, handle.form)

    def download_ranges(self, ranges: Sequence[ResidentRange]) -> list[bytes]:
        """Parts of resident buffers under one fence."""
        return self.resident.download_ranges(ranges)

    # --- programs -----------------------------------------------------------------------------------------------------

    def compile(self, program: Program, config: DispatchConfig | None = None) -> CompiledPipeline:
        """Everything that can be done before the first dispatch: check, build or find the PTX, load it.

        Raises ValidationError, UnsupportedFeatureError, KernelCompileError.
        """
        self.check_open()
        self.sweep()
        if not isinstance(program, Program):
            raise ValidationError(
                f"{type(program).__name__} is not a program",
                fix="decorate the kernel function with ptxgen.runtime.program",
            )
        config = config or DispatchConfig()
        with self.range(f"compile {program.name}"):
            trace = StageTrace(program.name, loud=self.trace_stages)
            self.compiler.validate(program, config)
            trace.mark("plan", bindings=len(program.bindings), workgroup=config.threads or program.workgroup)
            source = self.compiler.source_for(program, config)
            trace.mark("ptx", bytes=len(source.built.ptx), key=source.key[:16])
            self.warm_up()
            trace.mark("warm up")
            try:
                pipeline = CompiledPipeline(self, program, config, source)
            except KernelCompileError:
                if source.stored is None:
                    raise
                pipeline = CompiledPipeline(self, program, config, self.compiler.rebuild(program, config, source))
            trace.mark("module", loaded=len(self.compiler.modules))
        pipeline.stages = tuple(trace.stages)
        self._pipelines.add(pipeline)
        return pipeline

    # --- its state ----------------------------------------------------------------------------------------------------

    def warm_up(self) -> None:
        """Check that the context is usable. DeviceLostError if a fault made it unusable."""
        self.check_open()
        with translated("warming up", self.name):
            self.context.check()

    @property
    def cached_module_count(self) -> int:
        """Loaded modules that are kept."""
        return len(self.compiler.modules)

    def pipeline_cache_snapshot(self) -> CacheSnapshot:
        """Statistics of the cache of loaded code."""
        return self.compiler.modules.snapshot()

    def ptx_source_cache_snapshot(self) -> CacheSnapshot:
        """Statistics of the cache of PTX."""
        return self.compiler.sources.snapshot()

    def telemetry_snapshot(self) -> TelemetrySnapshot:
        """Every counter now."""
        return self.telemetry.snapshot()

    def reset_telemetry(self) -> None:
        """Start the counters at 0; caches and buffers stay."""
        self.telemetry.reset()

    @property
    def cached_transient_allocation_bytes(self) -> int:
        """Bytes of device memory that the pool keeps."""
        return self.device_pool.statistics().cached_bytes

    @property
    def allocated_transient_allocation_bytes(self) -> int:
        """Bytes of device memory that it keeps and has lent."""
        return self.device_pool.statistics().allocated_bytes

    def cached_launch_resource_counts(self) -> tuple[int, int]:
        """(streams, completion events) that are kept."""
        return self.resources.counts()[:2]

    def cached_launch_resource_counts_detailed(self) -> ResourceCounts:
        """The same with timing events, and what was put aside."""
        return self.resources.counts()

    def observability_snapshot(self) -> Observability:
        """All of it."""
        return Observability(
            self.telemetry.snapshot(),
            self.compiler.sources.snapshot(),
            self.compiler.modules.snapshot(),
            self.device_pool.statistics(),
            self.pinned_pool.statistics(),
            self.resources.counts(),
            len(self.resident),
            self.resident.nbytes,
        )

    def prometheus(self) -> str:
        """The counters as the text that Prometheus reads, labelled with the device."""
        return self.telemetry.snapshot().prometheus(device=self.name)

    @staticmethod
    def ptx_disk_cache_dir() -> Path:
        """Where compiled code is kept; see `disk.ptx_disk_cache_dir`."""
        return disk.ptx_disk_cache_dir()

    # --- its end ------------------------------------------------------------------------------------------------------

    def cleanup(self) -> None:
        """Wait for the device, and free everything that is kept: recorded graphs of pipelines, PTX, modules, resident
        buffers, device and page-locked memory, streams and events, in this order. Pipelines stay usable, and load again.

        Raises InvalidProgramError where resident buffers are still in flight.
        """
        self.warm_up()
        with self._lock:
            self.sweep(wait=True)
            self.synchronize()
            self.resident.synchronize_uploads()
            for pipeline in list(self._pipelines):
                pipeline.release()
            self.compiler.clear()
            self.tuned.clear()
            self.resident.clear()
            self.device_pool.clear()
            self.pinned_pool.clear()
            with translated("cleaning up", self.name):
                self.context.synchronize()  # streams and events that were put aside are done now
            self.resources.clear()

    def close(self) -> None:
        """`cleanup`, and the end of its own stream. A lost context takes everything with it."""
        if self.closed:
            return
        if self.context.poisoned is None and not self.context.closed:
            for pipeline in list(self._pipelines):
                pipeline.close()
            self.cleanup()
            self.tickets.stream.close()
        self.device_pool.budget = self.pinned_pool.budget = 0  # blocks that are returned from now on are not kept
        self.resources.capacity = 0
        self.closed = True


def _configure_jit_cache() -> None:
    """Settle the driver's cache of compiled PTX before the driver is loaded. BackendError for values that mean nothing."""
    for problem in configure_jit_cache().problems:
        if problem.startswith(("CUDA_CACHE_DISABLE", "CUDA_CACHE_MAXSIZE")):
            what, _, fix = problem.partition(": ")
            raise BackendError(what, fix=fix or "unset it")
        log.warning("%s", problem)
