"""What dispatches use of a backend: its device, memory, streams, code and counters."""

from __future__ import annotations

from collections import deque
from math import prod
from typing import TYPE_CHECKING, Any

from ptxgen.host.formats import as_scalar_type, numpy_module, numpy_name
from ptxgen.runtime.capabilities import Capabilities, probe
from ptxgen.runtime.code import disk
from ptxgen.runtime.code.caches import TunedWorkgroups
from ptxgen.runtime.code.compiler import Compiler
from ptxgen.runtime.environment import flag
from ptxgen.runtime.errors import BackendError, DeviceMemoryError, DispatchError, translated
from ptxgen.runtime.memory.buffers import as_bytes
from ptxgen.runtime.memory.forms import Form, form_of
from ptxgen.runtime.memory.leases import LaunchResources
from ptxgen.runtime.memory.pools import DEVICE_BUDGET, PINNED_BUDGET, SizeClassPool, size_class
from ptxgen.runtime.memory.resident import ResidentStore, Tickets, check_size
from ptxgen.runtime.telemetry import Telemetry
from ptxgen.runtime.trace import ranges

if TYPE_CHECKING:
    from driver_ctypes import Buffer, PinnedBuffer
    from ptxgen.host import Device
    from ptxgen.runtime.memory.buffers import ResidentBuffer

__all__ = ["Session"]


class Session:
    """The part of a `Backend` that the rooms below it use and name: what a device holds for dispatches, and for how long."""

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
        self._held: dict[int, tuple[Any, ...]] = {}
        self._abandoned: deque[Any] = deque()  # what holds leases, and was dropped
        self.closed = False

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
                fix="do it outside; a dispatch of arrays with out= is recorded, pipeline.record and "
                "bind(inputs, out).batch(n) make graphs of dispatches",
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
        of what is free. Memory that the pool keeps is freed first. DeviceMemoryError where they do not."""
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

    def allocate_resident(self, extent: int | tuple[int, ...], type: Any = None) -> ResidentBuffer:
        """Device memory that stays until it is freed: *extent* elements of *type*, a number or a shape; without a type, bytes.
        DeviceMemoryError where it is over the budget."""
        self.check_open()
        scalar = None if type is None else as_scalar_type(type)
        shape = extent if isinstance(extent, tuple) else (extent,)
        for size in shape:
            check_size(size)
        nbytes = prod(shape) * (1 if scalar is None else scalar.bytes)
        self.preflight(nbytes)
        buffer = self.resident.allocate(nbytes)
        if scalar is not None:
            buffer.form = Form(numpy_module().dtype(numpy_name(scalar)), shape)
        return buffer

    def upload_resident(self, data: Any) -> ResidentBuffer:
        """A new resident buffer with a copy of host data, whose type and shape it keeps; nothing is left where the copy fails."""
        buffer = self.allocate_resident(as_bytes(data).nbytes)
        buffer.form = form_of(data)
        try:
            self.resident.upload(buffer, data)
        except BaseException:
            self.resident.free(buffer)
            raise
        return buffer

    def free_resident(self, handle: ResidentBuffer) -> None:
        """Free it. InvalidProgramError while it is in flight."""
        self.resident.free(handle)

    def synchronize(self) -> None:
        """Wait for everything that was dispatched on resident buffers; faults surface here."""
        with translated("waiting for dispatches", self.name):
            self.tickets.synchronize()
        self.telemetry.add(sync_points=1)

    def hold(self, holder: object, *leases: Any) -> None:
        """Keep what a pending dispatch, a recorded graph or a bound dispatch uses until `let_go`: where the garbage collector
        finds the holder and its stream in one cycle, the stream would be destroyed before the holder gives it back."""
        self._held[id(holder)] = leases

    def let_go(self, holder: object) -> None:
        """The holder has returned everything."""
        self._held.pop(id(holder), None)

    def abandon(self, dropped: Any) -> None:
        """A pending dispatch, a recorded graph or a bound dispatch was dropped: what it holds is taken back once it is done.
        Called by finalizers: only notes it."""
        self._abandoned.append(dropped)

    def sweep(self, *, wait: bool = False) -> None:
        """Take back dropped dispatches that are done; with *wait*, all dropped dispatches."""
        for _ in range(len(self._abandoned)):
            try:
                dropped = self._abandoned.popleft()
            except IndexError:  # another thread was quicker
                return
            if wait or dropped.is_ready():
                dropped.close()
            else:
                self._abandoned.append(dropped)
