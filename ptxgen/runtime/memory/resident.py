"""Buffers that stay on the device between dispatches: who owns them, where they are, and what may still use them.

A store gives handles with numbers that never come again. A handle of another store, or of a buffer that is gone, is refused;
so is freeing one that a dispatch or an upload may still use.
"""

from __future__ import annotations

import itertools
import threading
from math import prod
from typing import TYPE_CHECKING, Any

from ptxgen.host.arrays import Array
from ptxgen.host.formats import as_scalar_type
from ptxgen.runtime.errors import BackendError, InvalidProgramError, translated
from ptxgen.runtime.memory.adopted import Adopted
from ptxgen.runtime.memory.buffers import ResidentBuffer, ResidentRange, as_bytes, runs_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from driver_ctypes.contexts.context import Stream
    from driver_ctypes.memory.buffer import Buffer
    from driver_ctypes.memory.host import PinnedBuffer, RegisteredMemory
    from driver_ctypes.streams.stream import Event
    from ptxgen.host import Device
    from ptxgen.runtime.memory.buffers import Run
    from ptxgen.runtime.memory.leases import LaunchResources
    from ptxgen.runtime.memory.pools import SizeClassPool
    from ptxgen.runtime.telemetry import Telemetry

__all__ = ["ResidentStore", "Tickets", "check_size"]

_stores = itertools.count(1)


def check_size(nbytes: object) -> None:
    """InvalidProgramError for anything but a positive number of bytes."""
    if not isinstance(nbytes, int) or isinstance(nbytes, bool) or nbytes <= 0:
        raise InvalidProgramError(f"a resident buffer of {nbytes!r} bytes", fix="pass a positive number of bytes")


class Tickets:
    """Counts the work queued on the backend's stream, and how much of it is complete."""

    __slots__ = ("done", "issued", "lock", "stream", "unordered")

    def __init__(self, stream: Stream) -> None:
        self.stream = stream
        self.issued = self.done = 0
        self.unordered = False
        """Whether uploads were begun on another stream that dispatches would not wait for; see
        `ResidentStore.order_uploads`."""
        self.lock = threading.Lock()

    def passed(self, ticket: int) -> bool:
        """Whether the work of a ticket is done."""
        if ticket > self.done:
            issued = self.issued
            if self.stream.query():
                self.done = max(self.done, issued)
        return ticket <= self.done

    def synchronize(self) -> None:
        """Wait for everything queued so far."""
        issued = self.issued
        self.stream.synchronize()
        self.done = max(self.done, issued)


class ResidentStore:
    """The resident buffers of one backend."""

    def __init__(
        self, device: Device, tickets: Tickets, resources: LaunchResources, pinned: SizeClassPool[PinnedBuffer],
        telemetry: Telemetry, backend: str, refuse_capture: Callable[[str], None] = lambda what: None,
    ) -> None:  # fmt: skip
        """*refuse_capture* raises where this thread records a graph, which would not contain what is done here."""
        self._refuse_capture = refuse_capture
        self.owner = next(_stores)
        self._device = device
        self._context, self._tickets, self._resources = device.context, tickets, resources
        self._pinned, self._telemetry, self._backend = pinned, telemetry, backend
        self._buffers: dict[int, ResidentBuffer] = {}
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._upload_stream: Stream | None = None  # made by the first asynchronous upload
        self._upload_event: Event | None = None
        self._order_event: Event | None = None  # made by the first use of a shared buffer
        self._order_lock = threading.Lock()
        self._staged: list[tuple[PinnedBuffer, ResidentBuffer]] = []  # until synchronize_uploads()
        self.generation = 0
        """Grows when a buffer is freed: what was checked before it did must be checked again."""
        self._registered: dict[int, RegisteredMemory] = {}
        self._doomed: list[ResidentBuffer] = []  # freed as soon as they are idle

    def __len__(self) -> int:
        return len(self._buffers)

    def __contains__(self, handle: ResidentBuffer) -> bool:
        """Whether a handle is ours and alive."""
        return handle.owner == self.owner and handle.id in self._buffers

    @property
    def nbytes(self) -> int:
        """Bytes of all buffers but those that lie in arrays."""
        with self._lock:
            return sum(b.byte_len for b in self._buffers.values() if not isinstance(b.memory, Adopted))

    # --- their lives --------------------------------------------------------------------------------------------------

    def allocate(self, nbytes: int) -> ResidentBuffer:
        """A buffer, not initialised. InvalidProgramError for none or negative bytes."""
        check_size(nbytes)
        self._refuse_capture("allocating a resident buffer")
        if self._doomed:
            self.free_later(())
        with translated(f"allocating {nbytes} resident bytes", self._backend):
            memory = self._context.alloc(nbytes)
        self._telemetry.add(resident_allocation_bytes_requested=nbytes)
        return self._enter(memory, nbytes)

    def _enter(self, memory: Buffer | Adopted, nbytes: int) -> ResidentBuffer:
        with self._lock:
            buffer = ResidentBuffer(self, next(self._numbers), memory, nbytes)
            self._buffers[buffer.id] = buffer
        return buffer

    # --- arrays in the same memory ------------------------------------------------------------------------------------

    def adopt(self, array: Array) -> ResidentBuffer:
        """A buffer in an array's memory. It holds the array; freeing it lets the array go, and frees no memory but
        that of an array that was closed meanwhile."""
        self._refuse_capture("taking an array as a resident buffer")
        check_size(array.nbytes)
        return self._enter(Adopted(array), array.nbytes)

    def array_of(self, handle: ResidentBuffer, type: Any, shape: tuple[int, ...] | None) -> Array:
        """See `ResidentBuffer.array`."""
        buffer = self.view(handle)
        scalar = as_scalar_type(type)
        extents = (buffer.byte_len // scalar.bytes,) if shape is None else shape
        if prod(extents) * scalar.bytes != buffer.byte_len:
            raise InvalidProgramError(
                f"{buffer!r} as an array of {extents} {scalar.name}", fix="pass a type and a shape of as many bytes"
            )
        memory = buffer.memory
        if not isinstance(memory, Adopted):
            found = Array(self._device, memory, scalar, extents)
        else:
            found = memory.array.reshape(-1).view(scalar).reshape(*extents)
        if not buffer.shared:
            if buffer.in_flight:
                raise InvalidProgramError(
                    f"{buffer!r} is in flight",
                    fix="make arrays of it before it is bound or uploaded to without waiting",
                )
            self._refuse_capture("the first array of a resident buffer")
            buffer.shared = True
            with self._lock:
                self.generation += 1  # what was prepared without order is prepared anew
        with self._tickets.lock:
            self.lead()
        return found

    def follow(self, stream: Stream | None = None) -> None:
        """What is queued on *stream* (default: the backend's) from now on comes after what the device's current stream has to
        do."""
        with self._order_lock:
            (stream or self._tickets.stream).wait(self._device.current_stream.record(self._event_of_order()))

    def lead(self, stream: Stream | None = None) -> None:
        """And what the current stream does from now on after it."""
        with self._order_lock:
            self._device.current_stream.wait((stream or self._tickets.stream).record(self._event_of_order()))

    def _event_of_order(self) -> Event:
        if self._order_event is None:
            self._order_event = self._resources.events.acquire()
        return self._order_event

    # --- the end of their lives ---------------------------------------------------------------------------------------

    def view(self, handle: ResidentBuffer) -> ResidentBuffer:
        """The buffer of a handle that is ours and alive, and of the length that it had."""
        if not isinstance(handle, ResidentBuffer):
            raise InvalidProgramError(
                f"{type(handle).__name__} is not a resident buffer", fix="pass what allocate_resident or upload gave"
            )
        if handle.owner != self.owner:
            raise InvalidProgramError(
                f"{handle!r} belongs to another backend", fix="allocate it on the backend that dispatches"
            )
        known = self._buffers.get(handle.id)
        if known is None:
            raise InvalidProgramError(f"{handle!r} was freed", fix="keep it until the last dispatch that uses it")
        if known.byte_len != known.memory.nbytes:
            raise InvalidProgramError(
                f"{handle!r} lies in {known.memory.nbytes} bytes of memory", fix="leave byte_len as the store set it"
            )
        return known

    def busy(self, handle: ResidentBuffer) -> bool:
        """Whether something queued may still use it. A dispatch counts until the backend was waited for, or its stream was
        seen idle."""
        return bool(handle.in_flight) or not self._tickets.passed(handle.used)

    def free(self, handle: ResidentBuffer) -> None:
        """Free it. InvalidProgramError while it is in flight."""
        buffer = self.view(handle)
        if self.busy(buffer):
            raise InvalidProgramError(
                f"{buffer!r} is in flight", fix="wait for the dispatch or upload that uses it, then free it"
            )
        with self._lock:
            if self._buffers.pop(buffer.id, None) is None:
                return
            self.generation += 1
        buffer.memory.close()

    def free_later(self, handles: Sequence[ResidentBuffer]) -> None:
        """Free them when nothing uses them; the caller no longer owns them."""
        with self._lock:
            self._doomed += handles
            doomed, self._doomed = self._doomed, []
        waiting = []
        for buffer in doomed:
            if self.busy(buffer):
                waiting.append(buffer)
            else:
                self.free(buffer)
        with self._lock:
            self._doomed += waiting

    def clear(self) -> None:
        """Free all. InvalidProgramError, and nothing is freed, while one is in flight."""
        if self._staged:
            self.synchronize_uploads()
        self.free_later(())
        busy = [buffer for buffer in self._buffers.values() if self.busy(buffer)]
        if busy:
            raise InvalidProgramError(
                f"{len(busy)} resident buffers are in flight, first {busy[0]!r}",
                fix="await the pending dispatches and close what is bound, then clear",
            )
        with self._lock:
            gone = list(self._buffers.values())
            self._buffers.clear()
            self.generation += 1
        for buffer in gone:
            buffer.memory.close()
        for address in list(self._registered):
            self._registered.pop(address).close()
        stream, self._upload_stream = self._upload_stream, None
        if stream is not None:
            self._resources.streams.release(stream)
        for event in (self._upload_event, self._order_event):
            if event is not None:
                self._resources.events.release(event)
        self._upload_event = self._order_event = None

    # --- to the device ------------------------------------------------------------------------------------------------

    def _range(self, part: ResidentRange) -> ResidentRange:
        buffer = self.view(part.buffer)
        if part.offset < 0 or part.nbytes < 0 or part.offset + part.nbytes > buffer.byte_len:
            raise InvalidProgramError(
                f"bytes {part.offset}..{part.offset + part.nbytes} of {buffer!r}",
                fix=f"stay within 0..{buffer.byte_len}",
            )
        return part

    def upload(self, handle: ResidentBuffer, data: Any) -> None:
        """Overwrite a whole buffer. InvalidProgramError where the data is of another length."""
        host = as_bytes(data)
        if host.nbytes != self.view(handle).byte_len:
            raise InvalidProgramError(
                f"{host.nbytes} bytes for {handle!r}", fix="pass as many bytes as it has, or use upload_at"
            )
        self.upload_at_many([(handle, 0, host)])

    def upload_many(self, pairs: Sequence[tuple[ResidentBuffer, Any]]) -> None:
        """Overwrite several whole buffers under one fence."""
        rows = [(handle, 0, as_bytes(data)) for handle, data in pairs]
        for handle, _, host in rows:
            if host.nbytes != self.view(handle).byte_len:
                raise InvalidProgramError(f"{host.nbytes} bytes for {handle!r}", fix="pass as many bytes as it has")
        self.upload_at_many(rows)

    def upload_at(self, handle: ResidentBuffer, offset: int, data: Any) -> None:
        """Overwrite part of a buffer, from a byte on."""
        self.upload_at_many([(handle, offset, data)])

    def upload_at_many(self, rows: Sequence[tuple[ResidentBuffer, int, Any]]) -> None:
        """Overwrite parts of buffers under one fence; nothing is copied where one of them does not fit."""
        self._refuse_capture("an upload")
        parts = []
        for handle, offset, data in rows:
            host = as_bytes(data)
            parts.append((self._range(ResidentRange(handle, offset, host.nbytes)), host))
        with translated("uploading", self._backend):
            self._follow_shared([part.buffer for part, _ in parts])
            for run in runs_of([part for part, _ in parts]):
                self._upload_run(run, [host for _, host in parts])
            self._tickets.synchronize()
        self._telemetry.add(sync_points=1)

    def _follow_shared(self, buffers: Sequence[ResidentBuffer]) -> None:
        if any(buffer.shared for buffer in buffers):
            self.follow()

    def _upload_run(self, run: Run, hosts: Sequence[memoryview]) -> None:
        """One copy: of a part as it is, of several that lie side by side on the device through page-locked memory."""
        stream, target = self._tickets.stream, run.buffer.memory.pointer + run.offset
        if len(run.members) == 1:
            self._context.copy_to_device(target, hosts[run.members[0]], run.nbytes, stream=stream)
        else:
            with self._pinned.lease(run.nbytes) as staging:
                assert staging is not None  # a run is not empty
                staging.view[: run.nbytes] = b"".join(hosts[member] for member in run.members)
                self._context.copy_to_device(target, staging.address, run.nbytes, stream=stream)
                self._tickets.synchronize()
        self._telemetry.add(host_to_device_bytes=run.nbytes, host_upload_operations=1)

    def zero(self, handle: ResidentBuffer) -> None:
        """Queue zeros for a whole buffer, before what is dispatched from now on."""
        self._refuse_capture("filling a resident buffer")
        buffer = self.view(handle)
        with translated("filling", self._backend), self._tickets.lock:
            self._follow_shared([buffer])
            self._context.memset(buffer.memory.pointer, 0, buffer.byte_len, stream=self._tickets.stream)
            self._tickets.issued = buffer.used = self._tickets.issued + 1
            if buffer.shared:
                self.lead()

    def upload_async(self, handle: ResidentBuffer, data: Any) -> None:
        """Begin to overwrite a whole buffer on a stream of its own; the data is staged, and may change at once. Later
        dispatches come after it. Until `synchronize_uploads` the buffer cannot be freed."""
        self._refuse_capture("an upload")
        buffer, host = self.view(handle), as_bytes(data)
        if host.nbytes != buffer.byte_len:
            raise InvalidProgramError(f"{host.nbytes} bytes for {handle!r}", fix="pass as many bytes as it has")
        if self.busy(buffer):
            raise InvalidProgramError(
                f"{handle!r} is in flight", fix="wait for what uses it before it is overwritten on another stream"
            )
        with translated("uploading", self._backend):
            staging = self._pinned.acquire(host.nbytes)
            assert staging is not None  # a resident buffer is not empty
            staging.view[: host.nbytes] = host
            with self._lock:
                if self._upload_stream is None:
                    self._upload_stream = self._resources.streams.acquire()
                stream = self._upload_stream
                buffer.in_flight += 1
                self._staged.append((staging, buffer))
            if buffer.shared:
                self.follow(stream)
            self._context.copy_to_device(buffer.memory.pointer, staging.address, host.nbytes, stream=stream)
            if buffer.shared:
                self.lead(stream)
            self._tickets.unordered = True
        self._telemetry.add(host_to_device_bytes=host.nbytes, host_upload_operations=1)

    def order_uploads(self) -> None:
        """Let what is dispatched from now on come after the uploads that were begun."""
        self._tickets.unordered = False
        stream = self._upload_stream
        if stream is None:
            return
        if self._upload_event is None:
            self._upload_event = self._resources.events.acquire()
        self._tickets.stream.wait(stream.record(self._upload_event))

    def synchronize_uploads(self) -> None:
        """Wait for all asynchronous uploads."""
        stream = self._upload_stream
        if stream is None:
            return
        with translated("waiting for uploads", self._backend):
            stream.synchronize()
        with self._lock:
            staged, self._staged = self._staged, []
            for _, buffer in staged:
                buffer.in_flight -= 1
        for staging, _ in staged:
            self._pinned.release(staging)
        self._telemetry.add(sync_points=1)

    # --- to the host --------------------------------------------------------------------------------------------------

    def download(self, handle: ResidentBuffer) -> bytes:
        """The whole buffer, after everything that was dispatched."""
        return self.download_ranges([ResidentRange(handle, 0, self.view(handle).byte_len)])[0]

    def download_range(self, handle: ResidentBuffer, offset: int, nbytes: int) -> bytes:
        """Part of it."""
        return self.download_ranges([ResidentRange(handle, offset, nbytes)])[0]

    def download_ranges(self, ranges: Sequence[ResidentRange]) -> list[bytes]:
        """Parts of buffers, through one staging block and under one fence."""
        self._refuse_capture("a download")
        parts = [self._range(ResidentRange(*part)) for part in ranges]
        total, runs = sum(part.nbytes for part in parts), runs_of(parts)
        with self._pinned.lease(total) as staging, translated("downloading", self._backend):
            place, stream = 0, self._tickets.stream
            self._follow_shared([part.buffer for part in parts])
            for run in runs:
                assert staging is not None  # a run is not empty
                source = run.buffer.memory.pointer + run.offset
                self._context.copy_to_host(staging.address + place, source, run.nbytes, stream=stream)
                place += run.nbytes
            self._tickets.synchronize()
            whole = bytes(staging.view[:total]) if staging is not None else b""
        self._telemetry.add(
            device_to_host_bytes=total, readback_bytes=total, device_readback_operations=len(runs), sync_points=1
        )  # fmt: skip
        found, place = [], 0
        for part in parts:
            found.append(whole[place : place + part.nbytes])
            place += part.nbytes
        return found

    # --- host memory --------------------------------------------------------------------------------------------------

    def pin(self, data: Any) -> int:
        """Page-lock host memory that is there already; `unpin` takes the address that is returned."""
        with translated("page-locking host memory", self._backend):
            memory = self._context.register(data)
        self._registered[memory.address] = memory
        return memory.address

    def unpin(self, address: int) -> None:
        """Let it move again. BackendError for memory that `pin` did not lock."""
        memory = self._registered.pop(address, None)
        if memory is None:
            raise BackendError(f"host memory at {address:#x} is not pinned by this backend", fix="pin it first")
        memory.close()
