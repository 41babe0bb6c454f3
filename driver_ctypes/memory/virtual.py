"""Virtual memory management (CUDA 10.2): address ranges are reserved separately from the memory that is mapped there.

So a buffer can grow without moving (`GrowableBuffer`), one allocation can be mapped at two addresses, and allocations can be
shared with other processes.
"""

from __future__ import annotations

import ctypes
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from driver_ctypes.errors import ArgumentError, ArgumentRangeError, ClosedError, NotSupportedError
from driver_ctypes.lifetime import Life, Process
from driver_ctypes.memory.buffer import demand, in_units, size_of
from driver_ctypes.session.handle import Handle, Retained

if TYPE_CHECKING:
    from collections.abc import Iterable

    from driver_ctypes.abi.structs import CUmemAllocationProp
    from driver_ctypes.session.device import DeviceBase
    from driver_ctypes.session.session import Session

_PINNED, _DEVICE, _DESCRIPTOR = 1, 1, 1  # allocation, location and handle type
_RIGHTS = {"": 0, "r": 1, "rw": 3}  # CUmemAccess_flags
_SUPPORTED = 102  # VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED
_NOT_SUPPORTED = 801


def _properties(context: Session, shareable: bool) -> CUmemAllocationProp:
    from driver_ctypes.abi.structs import CUmemAllocationProp, CUmemLocation

    if not context.device.attribute(_SUPPORTED):
        raise NotSupportedError(
            f"{context.device!r} has no virtual memory management (VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED is 0)",
            code=_NOT_SUPPORTED, name="CUDA_ERROR_NOT_SUPPORTED", hint="use alloc",
        )  # fmt: skip
    return CUmemAllocationProp(
        type=_PINNED, requestedHandleTypes=_DESCRIPTOR if shareable else 0,
        location=CUmemLocation(_DEVICE, context.device.handle),
    )  # fmt: skip


def memory_granularity(context: Session, *, shareable: bool = False) -> int:
    """Bytes that sizes of memory and reserved ranges must be multiples of."""
    size = ctypes.c_size_t()
    properties = _properties(context, shareable)
    context.call("cuMemGetAllocationGranularity", ctypes.byref(size), ctypes.byref(properties), 1)
    return size.value


def _whole(context: Session, nbytes: int) -> int:
    size, unit = size_of(nbytes), memory_granularity(context)
    if not size or size % unit:
        raise ArgumentRangeError(
            f"{size} bytes are not a multiple of the granularity, {unit}",
            hint="round up; driver_ctypes.memory_granularity(context) returns it",
        )
    return size


class PhysicalMemory(Handle):
    """An allocation of physical device memory without an address, made by `create_memory`. It lives until it is closed
    and unmapped everywhere.
    """

    kind = "physical memory"
    _destroy = "cuMemRelease"

    def __init__(self, context: Session, handle: int, nbytes: int) -> None:
        super().__init__(context, handle, nbytes=nbytes)
        self.nbytes = nbytes

    @property
    def handle(self) -> int:
        """The CUmemGenericAllocationHandle."""
        self.check_open()
        return self._handle

    def export(self) -> int:
        """A file descriptor for another process (`import_memory`), the caller's to close. The memory must have been made
        with ``shareable=True``.
        """
        descriptor = ctypes.c_int(-1)
        self.context.call("cuMemExportToShareableHandle", ctypes.byref(descriptor), self.handle, _DESCRIPTOR, 0)
        return descriptor.value


def create_memory(context: Session, nbytes: int, *, shareable: bool = False) -> PhysicalMemory:
    """A new piece of *nbytes* bytes, a multiple of `memory_granularity`. Raises OutOfMemoryError, ArgumentRangeError."""
    size, handle = _whole(context, nbytes), ctypes.c_uint64()
    properties = _properties(context, shareable)
    demand(context, size, "cuMemCreate", ctypes.byref(handle), size, ctypes.byref(properties), 0)
    return PhysicalMemory(context, handle.value, size)


def import_memory(context: Session, descriptor: int, nbytes: int) -> PhysicalMemory:
    """A piece of *nbytes* bytes that another process has exported. The descriptor stays the caller's."""
    handle = ctypes.c_uint64()
    context.call("cuMemImportFromShareableHandle", ctypes.byref(handle), descriptor, _DESCRIPTOR)
    return PhysicalMemory(context, handle.value, _whole(context, nbytes))


class MappedMemory(Handle):
    """A piece of memory that shows in a reserved range, made by `Reservation.map`. The range stays as long as it does."""

    kind = "mapping"
    _destroy = "cuMemUnmap"

    def __init__(self, reservation: Reservation, address: int, memory: PhysicalMemory) -> None:
        super().__init__(reservation.context, address, more=(memory.nbytes,))
        self.reservation = reservation
        reservation._mapped(address)
        self.memory = memory
        self.nbytes: int = memory.nbytes

    @property
    def pointer(self) -> int:
        """Where it shows. Raises ClosedError."""
        self.check_open()
        return self._handle

    def _release(self) -> None:
        address = self._handle
        super()._release()
        if address:
            self.reservation._unmapped(address)

    def _let_go(self) -> None:
        self.context.defer_call(partial(self.reservation._unmapped, self._handle))

    def set_access(self, rights: str = "rw", devices: Iterable[DeviceBase] = ()) -> None:
        """Let kernels of *devices* (default: the context's own) read (``r``) or read and write (``rw``) it, or neither
        (an empty text). Without access rights nothing can use it, copies included.
        """
        from driver_ctypes.abi.structs import CUmemAccessDesc, CUmemLocation

        if rights not in _RIGHTS:
            raise ArgumentError(f"no rights {rights!r}", hint="use 'rw', 'r' or ''")
        wanted = [
            CUmemAccessDesc(CUmemLocation(_DEVICE, device.handle), _RIGHTS[rights])
            for device in (tuple(devices) or (self.context.device,))
        ]
        array = (CUmemAccessDesc * len(wanted))(*wanted)
        self.context.call("cuMemSetAccess", self.pointer, self.nbytes, array, len(wanted))

    def access(self, device: DeviceBase | None = None) -> str:
        """What kernels of *device* (default: the context's own) may do with it."""
        from driver_ctypes.abi.structs import CUmemLocation

        flags, where = ctypes.c_uint64(), CUmemLocation(_DEVICE, (device or self.context.device).handle)
        self.context.call("cuMemGetAccess", ctypes.byref(flags), ctypes.byref(where), self.pointer)
        return next(name for name, value in _RIGHTS.items() if value == flags.value)


class Reservation(Handle):
    """A reserved range of addresses, made by `reserve_addresses`. If it is closed while memory is mapped in it, it is freed
    when the last mapping is closed.
    """

    kind = "reserved range"
    _destroy = "cuMemAddressFree"

    def __init__(self, context: Session, address: int, nbytes: int) -> None:
        super().__init__(context, address, more=(nbytes,))
        self.nbytes = nbytes
        self._address = address
        self._mappings: set[int] = set()  # where something shows in it

    def _mapped(self, address: int) -> None:
        self._mappings.add(address)
        self.graph_retain()

    def _unmapped(self, address: int) -> None:
        self._mappings.discard(address)
        self.graph_release()

    def __del__(self, _process: type[Process] = Process) -> None:
        if self._handle and not _process.closing:
            self.context.defer_call(partial(_free_range, self.context, self._handle, self._mappings))

    @property
    def pointer(self) -> int:
        """Its first address. Raises ClosedError."""
        self.check_open()
        return self._address

    def map(self, memory: PhysicalMemory, offset: int = 0, rights: str = "rw") -> MappedMemory:
        """Map *memory* at *offset* bytes into the range, for this context's device with *rights*. Raises
        ArgumentRangeError if it does not fit, CudaError if memory is mapped there already.
        """
        address = self.pointer + size_of(offset)
        if offset + memory.nbytes > self.nbytes:
            raise ArgumentRangeError(
                f"{memory.nbytes} bytes at {offset} do not fit a range of {self.nbytes}", hint="reserve more addresses"
            )
        self.context.call("cuMemMap", address, memory.nbytes, 0, memory.handle, 0)
        mapping = MappedMemory(self, address, memory)
        try:
            if rights:
                mapping.set_access(rights)
        except BaseException:
            mapping.close()
            raise
        return mapping


def _free_range(context: Session, address: int, mappings: set[int]) -> None:
    """A range that was collected: what was collected with it and shows there still goes first."""
    for mapping in tuple(mappings):
        with suppress(ValueError):
            context.deferred.remove((MappedMemory.kind, MappedMemory._destroy, mapping))
        context.destroy(MappedMemory.kind, MappedMemory._destroy, mapping)
    context.destroy(Reservation.kind, Reservation._destroy, address)


def reserve_addresses(context: Session, nbytes: int, alignment: int = 0) -> Reservation:
    """*nbytes* bytes of addresses, a multiple of `memory_granularity`; *alignment* is a power of two, 0 for any."""
    if alignment & (alignment - 1):
        raise ArgumentRangeError(f"alignment {alignment} is not a power of two")
    size, address = _whole(context, nbytes), ctypes.c_uint64()
    context.call("cuMemAddressReserve", ctypes.byref(address), size, alignment, 0, 0)
    return Reservation(context, address.value, size)


class GrowableBuffer(Retained):
    """Device memory that grows without moving: *room* bytes of addresses, and memory for as much as is requested.

    Pointers into it stay valid when it grows; nothing is copied. It is a pointer argument, like a `Buffer`. Memory that a
    graph uses is kept until that graph closes, even if the buffer is closed or shrunk meanwhile.
    """

    __slots__ = (  # _address, _life: for launches
        "_address", "_life", "_parts", "_reservation", "_unit", "context", "nbytes",
    )  # fmt: skip

    def __init__(self, context: Session, nbytes: int = 0, *, room: int) -> None:
        """*nbytes* bytes at first, *room* at most; both are rounded up to the granularity."""
        self.context: Session = context
        self._unit = memory_granularity(context)
        self._parts: list[tuple[PhysicalMemory, MappedMemory]] = []
        self._reservation = reserve_addresses(context, -(-max(size_of(room), 1) // self._unit) * self._unit)
        self._address = self._reservation.pointer
        self._life = Life(context)
        self.nbytes: int = 0
        try:
            self.resize(nbytes)
        except BaseException:
            self.close()
            raise

    @property
    def pointer(self) -> int:
        """The device address, which never changes. Raises ClosedError after close()."""
        self.check_open()
        return self._reservation.pointer

    def check_open(self) -> None:
        if self._closed:
            raise ClosedError("this growable buffer is closed", hint="keep it open while it is used")

    @property
    def room(self) -> int:
        """Bytes that it can grow to."""
        return self._reservation.nbytes

    @property
    def capacity(self) -> int:
        """Bytes of memory that it has now."""
        return sum(memory.nbytes for memory, _ in self._parts)

    def resize(self, nbytes: int) -> None:
        """Have memory for *nbytes* bytes: missing memory is mapped, unneeded memory is unmapped and freed.

        Work that uses the freed part must have ended; while a graph uses the buffer, nothing is freed. Raises
        ArgumentRangeError beyond `room`, OutOfMemoryError.
        """
        self.check_open()
        size = size_of(nbytes)
        if size > self._reservation.nbytes:
            raise ArgumentRangeError(
                f"{in_units(size)} are more than the room of {in_units(self._reservation.nbytes)}",
                hint="make the buffer with a larger room; addresses cost nothing",
            )
        missing = -(-size // self._unit) * self._unit - self.capacity
        if missing > 0:
            self._add(missing)
        self.nbytes = size
        self._trim()

    def _unused(self) -> None:
        self._trim()

    def _trim(self) -> None:
        """Give back what is not needed."""
        while not self._retained and self._parts and self.capacity - self._parts[-1][0].nbytes >= self.nbytes:
            self._drop()

    def _add(self, nbytes: int) -> None:
        memory = create_memory(self.context, nbytes)
        try:
            mapping = self._reservation.map(memory, self.capacity)
        except BaseException:
            memory.close()
            raise
        self._parts.append((memory, mapping))

    def _drop(self) -> None:
        memory, mapping = self._parts.pop()
        mapping.close()
        memory.close()

    @property
    def closed(self) -> bool:
        """Whether it can no longer be used."""
        return self._closed or self._reservation.closed

    def close(self) -> None:
        """Give memory and addresses back; where a living graph uses them, when that graph closes."""
        self._life.context = None
        super().close()

    def _release(self) -> None:
        while self._parts:
            self._drop()
        self._reservation.close()

    def __enter__(self) -> GrowableBuffer:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        state = " closed" if self.closed else ""
        return f"<GrowableBuffer {in_units(self.nbytes)} of {in_units(self.room)} on {self.context.device!r}{state}>"
