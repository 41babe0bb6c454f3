"""A backend: one device with everything that makes dispatching programs again and again cheap."""

from __future__ import annotations

import logging
import threading
from collections import deque
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakSet

from driver_ctypes.caches.jit import configure_jit_cache
from driver_ctypes.errors import DeviceNotFoundError
from ptxgen.host import Device, device
from ptxgen.runtime.capabilities import Capabilities, probe
from ptxgen.runtime.code import disk
from ptxgen.runtime.code.compiler import Compiler
from ptxgen.runtime.dispatch.arrays import device_array
from ptxgen.runtime.dispatch.tuning import TunedWorkgroups
from ptxgen.runtime.environment import flag
from ptxgen.runtime.errors import (
    BackendError,
    DeviceMemoryError,
    DispatchError,
    KernelCompileError,
    ValidationError,
    translated,
)
from ptxgen.runtime.memory.leases import LaunchResources, ResourceCounts
from ptxgen.runtime.memory.pools import DEVICE_BUDGET, PINNED_BUDGET, PoolStatistics, SizeClassPool, size_class
from ptxgen.runtime.memory.ranges import Range
from ptxgen.runtime.memory.resident import ResidentBuffer, ResidentStore, Tickets, check_size
from ptxgen.runtime.programs.plans import DispatchConfig
from ptxgen.runtime.programs.program import Program
from ptxgen.runtime.telemetry import Telemetry, TelemetrySnapshot
from ptxgen.runtime.trace import StageTrace, ranges

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from driver_ctypes.memory.buffer import Buffer
    from driver_ctypes.memory.host import PinnedBuffer
    from ptxgen.runtime.code.caches import CacheSnapshot
    from ptxgen.runtime.dispatch.pipeline import CompiledPipeline

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


class Backend:
    """Compiles programs and keeps what their dispatches use; made by `Backend.acquire`. Close it, or use it in a `with`."""

    def __init__(self, place: Device) -> None:
        self.device = place
        self.name = place.name
        with translated(f"acquiring {place.name}", place.name):
            self.context = place.context
            self.capabilities: Capabilities = probe(place.handle)
            self.target: str = place.handle.loadable_target()
        self.telemetry = Telemetry()
        self.resources = LaunchResources(self.context)
        self.device_pool: SizeClassPool[Buffer] = SizeClassPool(self._allocate, DEVICE_BUDGET)
        self.pinned_pool: SizeClassPool[PinnedBuffer] = SizeClassPool(self._allocate_pinned, PINNED_BUDGET)
        self.tickets = Tickets(self.resources.streams.acquire())
        self.resident = ResidentStore(
            place,
            self.tickets,
            self.resources,
            self.pinned_pool,
            self.telemetry,
            place.name,
            self.refuse_capture,
        )
        self.compiler = Compiler(self.context, self.capabilities, self.target, self.resources, place.name)
        self.range = ranges(flag("PTXGEN_NVTX_RANGES", False))
        """A context manager of a name, which a profiler shows where PTXGEN_NVTX_RANGES asks for that."""
        self.marked = flag("PTXGEN_NVTX_RANGES", False)
        self.trace_stages = flag("PTXGEN_STAGE_TRACE", False)
        self.sync_before_launch = flag("PTXGEN_RESIDENT_SYNC_BEFORE_LAUNCH", False)
        self.autotunes = flag("PTXGEN_AUTOTUNER", False)
        self.tuned = TunedWorkgroups(disk.tuned_store())
        self.takes_borrowed = flag("PTXGEN_RESIDENT_BORROWED_FALLBACK", True)
        self._pipelines: WeakSet[CompiledPipeline] = WeakSet()
        self._held: dict[int, tuple[Any, ...]] = {}
        self._abandoned: deque[Any] = deque()  # what holds leases, and was dropped
        self._lock = threading.RLock()
        self.closed = False

    @classmethod
    def acquire(cls, which: int | str | Device | None = None) -> Backend:
        """The backend of a device: by ordinal among those of the default device's kind, by name ("cpu", "cuda:1"), or the
        default one. Raises BackendError for one that is not there, and for settings of the driver's cache that mean nothing.
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

    def check_open(self) -> None:
        """Raises BackendError once it was closed."""
        if self.closed:
            raise BackendError(f"the backend of {self.name} is closed", fix="acquire it anew")

    def refuse_capture(self, what: str) -> None:
        """DispatchError where this thread is recording a graph: what a backend does by itself runs at once, on streams of its
        own, and would not be in it."""
        stream = self.device.chosen_stream
        if stream is not None and stream.capturing:
            raise DispatchError(
                f"{what} inside dev.capture() would not be recorded",
                fix="do it outside; pipeline.dispatch_arrays is recorded, pipeline.record and bind(handles).batch(n) make "
                "graphs of dispatches",
            )

    # --- memory -------------------------------------------------------------------------------------------------------

    def _allocate(self, nbytes: int) -> Buffer:
        self.preflight(nbytes)
        with translated(f"allocating {nbytes} transient bytes", self.name):
            return self.context.alloc(nbytes)

    def _allocate_pinned(self, nbytes: int) -> PinnedBuffer:
        with translated(f"allocating {nbytes} page-locked bytes", self.name):
            return self.context.alloc_pinned(nbytes)

    def preflight(self, nbytes: int) -> None:
        """Whether *nbytes* more bytes fit: nine tenths of the device's memory without what is resident and in the pool, and
        of what is free. What the pool keeps is given back first. DeviceMemoryError where they do not."""
        wanted = size_class(nbytes)
        if wanted <= self._room() or (self.device_pool.clear() and wanted <= self._room()):
            return
        available = max(0, self._room())
        raise DeviceMemoryError(
            f"a dispatch needs {wanted} bytes of device memory, {available} are within the budget",
            fix="free resident buffers, or dispatch smaller parts",
            requested=wanted,
            available=available,
        )

    def _room(self) -> int:
        with translated("asking for free memory", self.name):
            free, total = self.context.memory_info()
        held = self.resident.nbytes + self.device_pool.statistics().allocated_bytes
        return min(total * 9 // 10 - held, free * 9 // 10)

    def take(self, nbytes: int) -> Buffer | None:
        """Transient device memory from the pool, counted."""
        before = self.device_pool.statistics().hits
        block = self.device_pool.acquire(nbytes)
        hit = int(self.device_pool.statistics().hits > before)
        self.telemetry.add(
            transient_allocation_bytes_requested=nbytes, device_pool_hits=hit, device_pool_misses=1 - hit
        )  # fmt: skip
        return block

    # Resident buffers, under the names that callers know

    def allocate_resident(self, nbytes: int) -> ResidentBuffer:
        """Device memory that stays until it is freed. DeviceMemoryError where it is over the budget."""
        self.check_open()
        check_size(nbytes)
        self.preflight(nbytes)
        return self.resident.allocate(nbytes)

    def upload_resident(self, data: Any) -> ResidentBuffer:
        """A new resident buffer with a copy of host data; nothing is left where the copy fails."""
        host = memoryview(data)
        buffer = self.allocate_resident(host.nbytes)
        try:
            self.resident.upload(buffer, data)
        except BaseException:
            self.resident.free(buffer)
            raise
        return buffer

    def adopt(self, array: Any) -> ResidentBuffer:
        """A resident buffer that lies in the memory of an array on this device, ours or a framework's, without a copy. The array
        is held until the buffer is freed; that leaves the array as it is. Dispatches on it come in order with the device's
        current stream. `ResidentBuffer.array` is the way back.

        InvalidProgramError for host data, an array of another device, and one without elements.
        """
        self.check_open()
        return self.resident.adopt(device_array(self, "the array", array))

    def free_resident(self, handle: ResidentBuffer) -> None:
        """Free it. InvalidProgramError while it is in flight."""
        self.resident.free(handle)

    def download(self, handle: ResidentBuffer) -> bytes:
        """A resident buffer's bytes, after all that was dispatched."""
        return self.resident.download(handle)

    def download_ranges(self, ranges: Sequence[Range]) -> list[bytes]:
        """Parts of resident buffers under one fence."""
        return self.resident.download_ranges(ranges)

    # --- programs -----------------------------------------------------------------------------------------------------

    def compile(self, program: Program, config: DispatchConfig | None = None) -> CompiledPipeline:
        """Everything that can be done before the first dispatch: check, build or find the PTX, load it.

        Raises ValidationError, UnsupportedFeatureError, KernelCompileError.
        """
        from ptxgen.runtime.dispatch.pipeline import CompiledPipeline

        self.check_open()
        self.sweep()
        if not isinstance(program, Program):
            raise ValidationError(
                f"{type(program).__name__} is no program",
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
        """See that the context works. DeviceLostError where a fault has taken it."""
        self.check_open()
        with translated("warming up", self.name):
            self.context.check()

    def synchronize(self) -> None:
        """Wait for all that was dispatched on resident buffers; faults surface here."""
        with translated("waiting for dispatches", self.name):
            self.tickets.synchronize()
        self.telemetry.add(sync_points=1)

    def hold(self, holder: object, *leases: Any) -> None:
        """Keep what a pending dispatch, a recorded graph or a bound dispatch uses until `let_go`: where the garbage collector
        finds the holder and its stream in one cycle, the stream would be destroyed before the holder gives it back."""
        self._held[id(holder)] = leases

    def let_go(self, holder: object) -> None:
        """The holder has given everything back."""
        self._held.pop(id(holder), None)

    def abandon(self, dropped: Any) -> None:
        """A pending dispatch, a recorded graph or a bound dispatch was dropped: what it holds is taken back once it is done.
        Called by finalizers: only notes it."""
        self._abandoned.append(dropped)

    def sweep(self, *, wait: bool = False) -> None:
        """Take back what was dropped and is done; with *wait*, all that was dropped."""
        for _ in range(len(self._abandoned)):
            try:
                dropped = self._abandoned.popleft()
            except IndexError:  # another thread was quicker
                return
            if wait or dropped.is_ready():
                dropped.close()
            else:
                self._abandoned.append(dropped)

    @property
    def cached_module_count(self) -> int:
        """Loaded modules that are kept."""
        return len(self.compiler.modules)

    def pipeline_cache_snapshot(self) -> CacheSnapshot:
        """What the cache of loaded code did."""
        return self.compiler.modules.snapshot()

    def ptx_source_cache_snapshot(self) -> CacheSnapshot:
        """What the cache of PTX did."""
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
        """Wait for the device, and give back everything that is kept: recorded graphs of pipelines, PTX, modules, resident
        buffers, device and page-locked memory, streams and events, in this order. Pipelines stay usable, and load anew.

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
        self.device_pool.budget = self.pinned_pool.budget = 0  # what comes back from now on is not kept
        self.resources.capacity = 0
        self.closed = True


def _configure_jit_cache() -> None:
    """Settle the driver's cache of compiled PTX before the driver is loaded. BackendError for values that mean nothing."""
    for problem in configure_jit_cache().problems:
        if problem.startswith(("CUDA_CACHE_DISABLE", "CUDA_CACHE_MAXSIZE")):
            what, _, fix = problem.partition(": ")
            raise BackendError(what, fix=fix or "unset it")
        log.warning("%s", problem)
