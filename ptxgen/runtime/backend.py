"""A backend: one device with everything that makes dispatching programs again and again cheap."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections import deque
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakSet

from driver_ctypes import (
    CubinCache,
    Parameter,
    Signature,
    configure_jit_cache,
    max_active_blocks,
)
from driver_ctypes.errors import DeviceNotFoundError
from ptxgen.device import Device, device
from ptxgen.runtime import disk, keys
from ptxgen.runtime.barrier import BARRIER_VARIABLE
from ptxgen.runtime.caches import CacheSnapshot, CountedCache, ValidationCache
from ptxgen.runtime.capabilities import Capabilities, probe
from ptxgen.runtime.errors import (
    BackendError,
    CooperativeResidencyError,
    DeviceMemoryError,
    ValidationError,
    translated,
)
from ptxgen.runtime.leases import LaunchResources, ResourceCounts
from ptxgen.runtime.plans import DispatchConfig, DispatchPlan, plan_dispatch
from ptxgen.runtime.pools import DEVICE_BUDGET, PINNED_BUDGET, PoolStatistics, SizeClassPool, size_class
from ptxgen.runtime.programs import PARAMS, Program
from ptxgen.runtime.resident import Range, ResidentBuffer, ResidentStore, Tickets
from ptxgen.runtime.telemetry import Telemetry, TelemetrySnapshot

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from driver_ctypes import Buffer, Function, Module, PinnedBuffer
    from ptxgen.runtime.pipeline import CompiledPipeline

__all__ = ["Backend", "Loaded", "Observability"]

log = logging.getLogger("ptxgen.runtime")

SOURCES, SOURCES_KEPT, SOURCE_BYTES = 512, 256, 256 << 20
MODULES, MODULES_KEPT = 2048, 1024


class Loaded(NamedTuple):
    """A program's code on the device. `barrier`: (address, bytes) of its grid barrier's counter."""

    module: Module
    function: Function
    barrier: tuple[int, int] | None


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
            self.context, self.tickets, self.resources, self.pinned_pool, self.telemetry, place.name
        )
        self.sources: CountedCache[str] = CountedCache(SOURCES, SOURCES_KEPT, SOURCE_BYTES)
        self.modules: CountedCache[Loaded] = CountedCache(MODULES, MODULES_KEPT)  # pipelines keep what they use alive
        self.validation = ValidationCache()
        self.disk = _disk_cache()
        self._cubins = CubinCache(self.ptx_disk_cache_dir()) if os.environ.get("PTXGEN_PTX_CACHE_DIR") else None
        self._pipelines: WeakSet[CompiledPipeline] = WeakSet()
        self._abandoned: deque[Any] = deque()  # what holds leases, and was dropped
        self._lock = threading.RLock()
        self.closed = False

    @classmethod
    def acquire(cls, which: int | str | Device | None = None) -> Backend:
        """The backend of a device: by ordinal among those of the default device's kind, by name ("cpu", "cuda:1"), or the
        default one. Raises BackendError for one that is not there.
        """
        configure_jit_cache()
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
        if nbytes > 0:
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

    def features(self) -> tuple[str, ...]:
        """What the device has that programs may be lowered to (PTX manual, notes on targets)."""
        major = self.capabilities.compute_capability[0]
        found = {"SUBGROUP_OPS": True, "F16": major >= 6, "BF16": major >= 8, "TENSOR_CORES": major >= 7}
        found["ASYNC_COMPUTE"] = self.capabilities.async_engine_count > 0
        return tuple([name for name, there in found.items() if there])

    def compile(self, program: Program, config: DispatchConfig | None = None) -> CompiledPipeline:
        """Everything that can be done before the first dispatch: check, build or find the PTX, load it.

        Raises ValidationError, UnsupportedFeatureError, KernelCompileError.
        """
        from ptxgen.runtime.pipeline import CompiledPipeline

        self.check_open()
        self.sweep()
        began = time.perf_counter()
        if not isinstance(program, Program):
            raise ValidationError(
                f"{type(program).__name__} is no program",
                fix="decorate the kernel function with ptxgen.runtime.program",
            )
        config = config or DispatchConfig()
        self.validate(program, config)
        ptx, source = self.ptx_for(program, config)
        log.debug("compile %s: %d bytes of PTX, %s", program.name, len(ptx), source)
        module = keys.module_key(keys.SOURCE_DOMAIN, source, self.capabilities.compute_capability)
        self.warm_up()
        pipeline = CompiledPipeline(self, program, config, ptx, source, module)
        log.debug("compile %s: ready after %.1f ms", program.name, (time.perf_counter() - began) * 1e3)
        self._pipelines.add(pipeline)
        return pipeline

    def validate(self, program: Program, config: DispatchConfig) -> None:
        """Check a program and a configuration against the device, once each (`PTXGEN_VALIDATE_DISPATCH=0`: never). Where the
        program's counts are open, they are checked by each dispatch."""
        if os.environ.get("PTXGEN_VALIDATE_DISPATCH", "1") == "0":
            return
        some = [(b.elements or 1) * b.size for b in program.bindings if b.takes_input]
        checked = config._replace(element_count=config.element_count or (None if any(some) else 1))
        self.validation.check(
            (program.key, config), lambda: void(plan_dispatch(program, checked, self.capabilities, some))
        )

    def ptx_for(self, program: Program, config: DispatchConfig) -> tuple[str, str]:
        """(PTX, its key): from memory, from disk, or built now."""
        policy = f"cooperative={config.cooperative}"
        key = keys.source_key(program.key, self.target, self.capabilities.warp_size, policy, self.features())
        text = self.sources.get(key)
        if text is not None:
            return text, key
        stored = self.disk if program.portable else None
        text = stored.get(key) if stored is not None else None
        if text is None:
            text = program.ptx(self.target)
            if stored is not None:
                stored.put(key, text)
        return self.sources.put(key, text, len(text)), key

    def load(self, ptx: str, key: str, name: str, pointers: int) -> Loaded:
        """The loaded kernel *name* of PTX text, with so many pointer parameters; loaded once. KernelCompileError."""
        known = self.modules.get(key)
        if known is not None and not known.module.closed:
            return known
        rows = [Parameter(f"binding_{n}", "pointer") for n in range(pointers - 1)] + [Parameter(PARAMS, "pointer")]
        try:
            with translated(f"loading {name}", self.name):
                module = self.context.load(ptx, signatures={name: Signature(tuple(rows))}, cache=self._cubins)
                function = module.function(name)
                barrier = module.global_(BARRIER_VARIABLE) if BARRIER_VARIABLE in ptx else None
        except BackendError:
            disk.dump(ptx, key, failed=True)
            raise
        disk.dump(ptx, key, failed=False)
        return self.modules.put(key, Loaded(module, function, barrier))

    def load_ptx(self, ptx: str, name: str, pointers: int) -> Loaded:
        """The same for PTX that is at hand as text: its key is the text's own."""
        self.check_open()
        key = keys.module_key(keys.RAW_PTX_DOMAIN, ptx, self.capabilities.compute_capability)
        return self.load(ptx, key, name, pointers)

    def check_residency(self, name: str, function: Function, plan: DispatchPlan) -> None:
        """CooperativeResidencyError where a cooperative grid would not be resident at once."""
        if not plan.cooperative:
            return
        x, y, z = plan.launch.workgroup
        gx, gy, gz = plan.launch.grid
        resident = max_active_blocks(function, x * y * z) * self.capabilities.multi_processor_count
        if gx * gy * gz > resident:
            raise CooperativeResidencyError(name, gx * gy * gz, resident)

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
        return len(self.modules)

    def pipeline_cache_snapshot(self) -> CacheSnapshot:
        """What the cache of loaded code did."""
        return self.modules.snapshot()

    def ptx_source_cache_snapshot(self) -> CacheSnapshot:
        """What the cache of PTX did."""
        return self.sources.snapshot()

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
            self.telemetry.snapshot(), self.sources.snapshot(), self.modules.snapshot(), self.device_pool.statistics(),
            self.pinned_pool.statistics(), self.resources.counts(), len(self.resident), self.resident.nbytes,
        )  # fmt: skip

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
            self.sources.clear()
            loaded = self.modules.values()
            self.modules.clear()
            for entry in loaded:
                entry.module.close()
            self.resident.clear()
            self.device_pool.clear()
            self.pinned_pool.clear()
            with translated("cleaning up", self.name):
                self.context.synchronize()  # streams and events that were put aside are done now
            self.resources.clear()
            self.validation.clear()

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


def void(_: object) -> None:
    """For a call whose answer is only whether it raises."""


def _disk_cache() -> disk.DiskCache | None:
    """The cache of PTX on disk; None where `PTXGEN_CACHE=0` turned caches off."""
    if os.environ.get("PTXGEN_CACHE", "1").lower() in ("0", "off", "no", "false"):
        return None
    return disk.DiskCache(disk.ptx_source_cache_dir())
