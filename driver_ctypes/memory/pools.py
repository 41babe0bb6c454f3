"""Stream-ordered memory: pools of a device, and buffers that are allocated and freed in stream order."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from driver_ctypes.errors import ArgumentError, CaptureError, CudaError
from driver_ctypes.memory.buffer import Buffer, demand, size_of
from driver_ctypes.session.handle import Handle
from driver_ctypes.validate import instance

if TYPE_CHECKING:
    from collections.abc import Iterable

    from driver_ctypes.session.device import DeviceBase
    from driver_ctypes.session.session import Session
    from driver_ctypes.streams.stream import StreamBase

_REUSE = {"follow_event_dependencies": 1, "allow_opportunistic": 2, "allow_internal_dependencies": 3}
_THRESHOLD, _RESERVED, _RESERVED_HIGH, _USED, _USED_HIGH = range(4, 9)  # CUmemPool_attribute
_PINNED, _DEVICE, _DESCRIPTOR = 1, 1, 1  # allocation, location and handle type
_LEGACY = 1  # CU_STREAM_LEGACY
_RIGHTS = {"": 0, "r": 1, "rw": 3}  # CUmemAccess_flags


class AsyncBuffer(Buffer):
    """Device memory of a pool, made by `Context.alloc_async` or `MemoryPool.alloc`.

    ``close()`` frees it in stream order; garbage collection waits for all work on it, as for `Buffer`.
    """

    kind = "async buffer"

    def __init__(self, context: Session, address: int, nbytes: int, stream: StreamBase) -> None:
        super().__init__(context, address, nbytes)
        self.stream = stream
        """The stream that it was allocated on."""

    def close(self, stream: Any = None) -> None:
        """Free it after the work queued so far on *stream* (default: the one that it was allocated on). Raises
        CaptureError while that stream captures.
        """
        if self._closed or self._retained or not self._handle:
            super().close()
            return
        target = self.stream if stream is None else self.context.stream_from(stream)
        if target.closed:
            target = self.context.default_stream
        if target.active_capture is not None:
            raise _captured("free")
        if self.context.captures:  # of other streams, which any free would break: it waits for their end
            super().close()
            return
        self._life.context = None
        self._closed = True
        handle, self._handle = self._handle, 0
        if not self.context.forget(self.kind, handle) or self.context.poisoned:
            return
        try:
            self.context.call("cuMemFreeAsync", handle, target.handle)
        except CudaError:  # it is still there: the next call frees it
            self.context.adopt(self.kind, self._destroy, handle, self.nbytes)
            self.context.defer(self.kind, self._destroy, handle)
            raise


def _captured(what: str) -> CaptureError:
    return CaptureError(
        f"a capturing stream cannot {what} a buffer of this kind",
        hint="allocate before the capture, or use a graph's own allocation nodes (Graph.alloc)",
    )


def allocate_async(context: Session, nbytes: int, stream: Any, pool: MemoryPool | None) -> AsyncBuffer:
    """A new buffer in the order of *stream*'s work; one of 0 bytes has address 0."""
    size = size_of(nbytes)
    target = context.stream_from(stream)
    target.check_open()
    if target.active_capture is not None:
        raise _captured("allocate")
    address = ctypes.c_uint64()
    if not size:
        context.check()
    elif pool is None:
        demand(context, size, "cuMemAllocAsync", ctypes.byref(address), size, target.handle)
    else:
        pool.check_open()
        place = ctypes.byref(address)
        demand(context, size, "cuMemAllocFromPoolAsync", place, size, pool.handle, target.handle)
    return AsyncBuffer(context, address.value, size, target)


class MemoryPool(Handle):
    """A pool of device memory; `create_pool`, `default_pool`, `current_pool` and `import_pool` give one.

    Freed memory stays in the pool up to `release_threshold`, so that allocating again costs nothing.
    """

    kind = "memory pool"
    _destroy = "cuMemPoolDestroy"

    def __init__(self, context: Session, handle: int, *, owned: bool = True) -> None:
        super().__init__(context, handle if owned else 0)
        self._value = handle

    @property
    def handle(self) -> int:
        """The CUmemoryPool."""
        self.check_open()
        return self._value

    def alloc(self, nbytes: int, stream: Any = None) -> AsyncBuffer:
        """Device memory from this pool, in the order of *stream*'s work. Raises OutOfMemoryError beyond its limit."""
        return allocate_async(self.context, nbytes, stream, self)

    # --- what it holds ------------------------------------------------------------------------------------------------

    def _get(self, attribute: int) -> int:
        value = ctypes.c_uint64()
        self.context.call("cuMemPoolGetAttribute", self.handle, attribute, ctypes.byref(value))
        return value.value

    def _set(self, attribute: int, value: int) -> None:
        self.context.call("cuMemPoolSetAttribute", self.handle, attribute, ctypes.byref(ctypes.c_uint64(value)))

    @property
    def used(self) -> int:
        """Bytes that are allocated."""
        return self._get(_USED)

    @property
    def used_high(self) -> int:
        """The most of them since `reset_high`."""
        return self._get(_USED_HIGH)

    @property
    def reserved(self) -> int:
        """Bytes that the pool has taken from the device."""
        return self._get(_RESERVED)

    @property
    def reserved_high(self) -> int:
        """The most of them since `reset_high`."""
        return self._get(_RESERVED_HIGH)

    def reset_high(self) -> None:
        """Let the high marks begin anew."""
        self._set(_USED_HIGH, 0)
        self._set(_RESERVED_HIGH, 0)

    @property
    def release_threshold(self) -> int:
        """Bytes that the pool keeps when a stream is synchronized; 0 at first, so that it keeps nothing."""
        return self._get(_THRESHOLD)

    @release_threshold.setter
    def release_threshold(self, nbytes: int) -> None:
        self._set(_THRESHOLD, size_of(nbytes))

    @property
    def reuse(self) -> dict[str, bool]:
        """How freed memory may be used by other streams: ``follow_event_dependencies``, ``allow_opportunistic``,
        ``allow_internal_dependencies``.
        """
        return {name: bool(self._get(number) & 0xFFFFFFFF) for name, number in _REUSE.items()}

    def set_reuse(self, **ways: bool) -> None:
        """Allow or forbid each of the ways of `reuse`."""
        for name, allowed in ways.items():
            if name not in _REUSE:
                raise ArgumentError(f"no way of reuse is called {name!r}", hint=f"use {', '.join(_REUSE)}")
            self._set(_REUSE[name], int(allowed))

    def trim(self, keep: int = 0) -> None:
        """Give back to the device what is not used, down to *keep* bytes."""
        self.context.call("cuMemPoolTrimTo", self.handle, size_of(keep))

    # --- other devices and processes ----------------------------------------------------------------------------------

    def access(self, device: DeviceBase) -> str:
        """What kernels of *device* may do with its memory: ``rw``, ``r`` or nothing."""
        from driver_ctypes.abi.structs import CUmemLocation

        flags, where = ctypes.c_int(), CUmemLocation(_DEVICE, device.handle)
        self.context.call("cuMemPoolGetAccess", ctypes.byref(flags), self.handle, ctypes.byref(where))
        return next(name for name, value in _RIGHTS.items() if value == flags.value)

    def set_access(self, rights: str = "rw", devices: Iterable[DeviceBase] = ()) -> None:
        """Let kernels of *devices* (default: the pool's own, which has all rights anyway) read (``r``) or read and write
        (``rw``) its memory, or neither (an empty text); as `MappedMemory.set_access`.
        """
        from driver_ctypes.abi.structs import CUmemAccessDesc, CUmemLocation

        if rights not in _RIGHTS:
            raise ArgumentError(f"no rights {rights!r}", hint="set_access('rw', [device]); rights are 'rw', 'r' or ''")
        own = self.context.device
        chosen = [instance(device, type(own), "devices", "set_access('rw', [device])") for device in devices] or [own]
        array = (CUmemAccessDesc * len(chosen))(
            *[CUmemAccessDesc(CUmemLocation(_DEVICE, device.handle), _RIGHTS[rights]) for device in chosen]
        )
        self.context.call("cuMemPoolSetAccess", self.handle, array, len(chosen))

    def export(self) -> int:
        """A file descriptor of the pool for another process (`import_pool`), the caller's to close. The pool must have
        been made with ``shareable=True``.
        """
        descriptor = ctypes.c_int(-1)
        args = ctypes.byref(descriptor), self.handle, _DESCRIPTOR, 0
        code = self.context.try_call("cuMemPoolExportToShareableHandle", *args)
        if code:
            hint = "make the pool with create_pool(context, shareable=True)" if code == 1 else None
            raise self.context.error("cuMemPoolExportToShareableHandle", code, args, hint=hint)
        return descriptor.value

    def import_buffer(self, data: bytes, nbytes: int) -> ImportedBuffer:
        """A buffer that another process has exported with `export_buffer`. Close it before that process frees it."""
        from driver_ctypes.abi.structs import CUmemPoolPtrExportData

        if len(data) != ctypes.sizeof(CUmemPoolPtrExportData):
            raise ArgumentError(f"{len(data)} bytes are not an exported buffer", hint="pass what export_buffer gave")
        shared, address = CUmemPoolPtrExportData.from_buffer_copy(data), ctypes.c_uint64()
        self.context.call("cuMemPoolImportPointer", ctypes.byref(address), self.handle, ctypes.byref(shared))
        return ImportedBuffer(self.context, address.value, size_of(nbytes), self)


class ImportedBuffer(Buffer):
    """Another process's memory of a pool, made by `MemoryPool.import_buffer`; closing it leaves the memory there."""

    kind = "imported buffer"
    _destroy = "cuMemFreeAsync"

    def __init__(self, context: Session, address: int, nbytes: int, pool: MemoryPool) -> None:
        super().__init__(context, address, nbytes, more=(_LEGACY,))
        self.pool = pool


def export_buffer(buffer: Buffer) -> bytes:
    """What `MemoryPool.import_buffer` of another process needs beside the pool itself, for memory of a shareable pool."""
    from driver_ctypes.abi.structs import CUmemPoolPtrExportData

    data = CUmemPoolPtrExportData()
    buffer.context.call("cuMemPoolExportPointer", ctypes.byref(data), buffer.pointer)
    return bytes(data)


# --- which pools there are --------------------------------------------------------------------------------------------


def create_pool(context: Session, *, limit: int = 0, shareable: bool = False) -> MemoryPool:
    """A new pool on the context's device, of at most *limit* bytes (0: no limit; CUDA 12.2). A *shareable* one
    can be exported to other processes.
    """
    from driver_ctypes.abi.structs import CUmemLocation, CUmemPoolProps

    properties = CUmemPoolProps(
        allocType=_PINNED, handleTypes=_DESCRIPTOR if shareable else 0, maxSize=size_of(limit),
        location=CUmemLocation(_DEVICE, context.device.handle),
    )  # fmt: skip
    handle = ctypes.c_void_p()
    context.call("cuMemPoolCreate", ctypes.byref(handle), ctypes.byref(properties))
    return MemoryPool(context, handle.value or 0)


def default_pool(context: Session) -> MemoryPool:
    """The device's default pool."""
    return _of_device(context, "cuDeviceGetDefaultMemPool")


def current_pool(context: Session) -> MemoryPool:
    """The pool that `Context.alloc_async` takes memory from."""
    return _of_device(context, "cuDeviceGetMemPool")


def _of_device(context: Session, symbol: str) -> MemoryPool:
    handle = ctypes.c_void_p()
    context.call(symbol, ctypes.byref(handle), context.device.handle)
    return MemoryPool(context, handle.value or 0, owned=False)


def set_current_pool(pool: MemoryPool) -> None:
    """Let `Context.alloc_async`, and every other library of this process, take memory from *pool*."""
    pool.context.call("cuDeviceSetMemPool", pool.context.device.handle, pool.handle)


def import_pool(context: Session, descriptor: int) -> MemoryPool:
    """A pool that another process has exported. It gives no memory of its own, only `MemoryPool.import_buffer`."""
    handle = ctypes.c_void_p()
    context.call("cuMemPoolImportFromShareableHandle", ctypes.byref(handle), descriptor, _DESCRIPTOR, 0)
    return MemoryPool(context, handle.value or 0)
