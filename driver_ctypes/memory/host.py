"""Host memory of the driver: page-locked (pinned), registered, managed."""

from __future__ import annotations

import ctypes
import weakref
from typing import TYPE_CHECKING, Any

from driver_ctypes.errors import ArgumentTypeError, Error, NotSupportedError
from driver_ctypes.interop import dlpack
from driver_ctypes.memory.buffer import Buffer, demand, give_bytes, host_place, size_of
from driver_ctypes.memory.copies import HostMemory
from driver_ctypes.session.handle import Handle
from driver_ctypes.validate import instance, member

if TYPE_CHECKING:
    from driver_ctypes.abi.enums import CUmem_advise
    from driver_ctypes.abi.structs import CUmemLocation
    from driver_ctypes.session.device import DeviceBase
    from driver_ctypes.session.session import Session

_PORTABLE, _MAPPED, _WRITE_COMBINED, _READ_ONLY = 1, 2, 4, 8  # CU_MEMHOSTALLOC_..., CU_MEMHOSTREGISTER_...
_ATTACH_GLOBAL, _ATTACH_HOST = 1, 2
_MANAGED_MEMORY, _CONCURRENT_MANAGED_ACCESS = 83, 89  # CUdevice_attribute
_NOT_SUPPORTED = 801
_LOCATION_DEVICE, _LOCATION_HOST = 1, 2


class _Lease:
    """Held by every view of a buffer: keeps the buffer, and is gone when the view is."""

    def __init__(self, buffer: Any) -> None:
        self.buffer = buffer


class _Viewed:
    """Memory that hands out views of itself, and does not close while one is in use."""

    if TYPE_CHECKING:

        @property
        def view(self) -> memoryview: ...

    nbytes: int
    _leases: weakref.WeakSet[_Lease]

    def _view_at(self, address: int) -> memoryview:
        array: Any = (ctypes.c_ubyte * self.nbytes).from_address(address)
        array.lease = lease = _Lease(self)
        self._leases.add(lease)
        return memoryview(array).cast("B")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        """Its bytes for numpy, without a copy unless one is asked for: ``numpy.asarray(buffer).view(numpy.float32)``."""
        import numpy

        array = numpy.frombuffer(self.view, numpy.uint8)
        return array.astype(dtype) if dtype not in (None, array.dtype) else array.copy() if copy else array

    def __buffer__(self, flags: int, /) -> memoryview:  # asked by Python 3.12 and newer
        return self.view

    def _check_unused(self, what: str) -> None:
        if self._leases:
            raise Error(f"the {what}'s memory is still in use", hint="drop the views and arrays made from it first")


class _PageLocked(Handle):
    """Host memory that cannot be paged out."""

    _address: int

    @property
    def address(self) -> int:
        """The host address. Raises ClosedError after close()."""
        self.check_open()
        return self._address

    @property
    def device_pointer(self) -> int:
        """Its address for kernels. Raises CudaError if it was not mapped."""
        found = ctypes.c_uint64()
        self.context.call("cuMemHostGetDevicePointer_v2", ctypes.byref(found), self.address, 0)
        return found.value


class PinnedBuffer(_PageLocked, _Viewed):
    """Page-locked host memory, made by `Context.alloc_pinned`."""

    kind = "pinned buffer"
    _destroy = "cuMemFreeHost"

    def __init__(self, context: Session, address: int, nbytes: int) -> None:
        super().__init__(context, address)
        self._address = address
        self.nbytes = nbytes
        self._leases = weakref.WeakSet()

    @property
    def view(self) -> memoryview:
        """The memory as writable bytes; ``numpy.frombuffer`` takes it. It keeps the buffer open, but closing the
        context frees the memory all the same.
        """
        return self._view_at(self.address)

    def __dlpack_device__(self) -> tuple[int, int]:
        return host_place(self.context, dlpack.CUDA_HOST)

    def __dlpack__(
        self, *, stream: int | None = None, max_version: Any = None, dl_device: Any = None, copy: bool | None = None
    ) -> Any:
        """A DLPack capsule of the bytes, as page-locked memory. Work that reads or writes them is the caller's to wait for."""
        asked = max_version, dl_device, copy
        return give_bytes(self, self, self.address, self.__dlpack_device__(), stream, asked)

    def close(self) -> None:
        """Free it now. Raises Error while a `view`, or an array made from one, is still in use."""
        if not self._closed:
            self._check_unused("pinned buffer")
        super().close()


def allocate_pinned(
    context: Session, nbytes: int, portable: bool = True, mapped: bool = False, write_combined: bool = False
) -> PinnedBuffer:
    """A new page-locked buffer of at least one byte."""
    size = size_of(nbytes)
    address = ctypes.c_void_p()
    flags = _PORTABLE * portable | _MAPPED * mapped | _WRITE_COMBINED * write_combined
    demand(context, size, "cuMemHostAlloc", ctypes.byref(address), max(size, 1), flags)
    return PinnedBuffer(context, address.value or 0, size)


# --- memory that is there already -------------------------------------------------------------------------------------


class RegisteredMemory(_PageLocked):
    """Host memory of another owner, page-locked by `Context.register`. Its owner's buffer stays exported meanwhile, so
    that it can be neither moved nor freed.
    """

    kind = "registered memory"
    _destroy = "cuMemHostUnregister"

    def __init__(self, context: Session, host: HostMemory) -> None:
        super().__init__(context, host.address)
        self._host: HostMemory | None = host
        self._address = host.address
        self.nbytes: int = host.nbytes or 0

    def _release(self) -> None:
        super()._release()
        self._give_back()

    def _give_back(self) -> None:
        host, self._host = self._host, None
        if host is not None:
            host.__exit__()

    def _let_go(self) -> None:
        host, self._host = self._host, None
        if host is not None:
            self.context.defer_call(host.__exit__)  # after the unregistering, which was noted before


def register(context: Session, source: Any, mapped: bool, read_only: bool) -> RegisteredMemory:
    """Page-lock *source*. Raises ArgumentTypeError for what has no memory, ArgumentError where it is not contiguous."""
    host = HostMemory(source, writable=not read_only)
    if not host.nbytes:
        host.__exit__()
        raise ArgumentTypeError(
            f"{type(source).__name__} has no memory of a known size", hint="pass a buffer that is not empty"
        )
    flags = _PORTABLE | _MAPPED * mapped | _READ_ONLY * read_only
    try:
        context.call("cuMemHostRegister_v2", host.address, host.nbytes, flags)
    except BaseException:
        host.__exit__()
        raise
    return RegisteredMemory(context, host)


# --- managed memory ---------------------------------------------------------------------------------------------------


class ManagedBuffer(_Viewed, Buffer):
    """Memory that moves between host and device, made by `Context.alloc_managed`. Its address is the same on both."""

    def __init__(self, context: Session, address: int, nbytes: int) -> None:
        super().__init__(context, address, nbytes)
        self._leases = weakref.WeakSet()

    @property
    def view(self) -> memoryview:
        """The memory as the host's bytes. Synchronize before the host accesses what a kernel writes."""
        return self._view_at(self.pointer)

    def close(self) -> None:
        """Free it now. Raises Error while a `view`, or an array made from one, is still in use."""
        if not self._closed:
            self._check_unused("managed buffer")
        super().close()

    def __dlpack_device__(self) -> tuple[int, int]:
        return host_place(self.context, dlpack.CUDA_MANAGED)

    def __dlpack__(
        self, *, stream: int | None = None, max_version: Any = None, dl_device: Any = None, copy: bool | None = None
    ) -> Any:
        """A DLPack capsule of the bytes, as managed memory. Work that reads or writes them is the caller's to wait for."""
        asked = max_version, dl_device, copy
        return give_bytes(self, self, self.pointer, self.__dlpack_device__(), stream, asked)

    def advise(self, advice: CUmem_advise | int, where: DeviceBase | None = None) -> None:
        """Advise the driver how it will be used; *where* is a device, or None for the host. Raises NotSupportedError where
        the device and the host cannot use managed memory at the same time.
        """
        self._check_concurrent()
        self.context.call(
            "cuMemAdvise_v2", self.pointer, self.nbytes, member(advice, "CUmem_advise", "advice"), self._location(where)
        )

    def prefetch(self, where: DeviceBase | None = None, stream: Any = None) -> None:
        """Move it to a device, or to the host (None), in the order of *stream*'s work. Raises as `advise` does."""
        self._check_concurrent()
        target = self.context.stream_from(stream)
        self.context.call("cuMemPrefetchAsync_v2", self.pointer, self.nbytes, self._location(where), 0, target.handle)

    def _location(self, where: DeviceBase | None) -> CUmemLocation:
        from driver_ctypes.abi.structs import CUmemLocation

        if where is None:
            return CUmemLocation(_LOCATION_HOST, 0)
        device = instance(where, type(self.context.device), "where", "a device, or None for the host")
        return CUmemLocation(_LOCATION_DEVICE, device.handle)

    def _check_concurrent(self) -> None:
        if not self.context.device.attribute(_CONCURRENT_MANAGED_ACCESS):
            raise NotSupportedError(
                f"{self.context.device!r} has no concurrent managed access (CONCURRENT_MANAGED_ACCESS is 0)",
                code=_NOT_SUPPORTED, name="CUDA_ERROR_NOT_SUPPORTED",
                hint="leave advice and prefetching out, or copy between a Buffer and a PinnedBuffer",
            )  # fmt: skip


def allocate_managed(context: Session, nbytes: int, host: bool) -> ManagedBuffer:
    """A new managed buffer of at least one byte."""
    if not context.device.attribute(_MANAGED_MEMORY):
        raise NotSupportedError(
            f"{context.device!r} has no managed memory (MANAGED_MEMORY is 0)",
            code=_NOT_SUPPORTED, name="CUDA_ERROR_NOT_SUPPORTED", hint="use alloc and alloc_pinned",
        )  # fmt: skip
    size = size_of(nbytes)
    address = ctypes.c_uint64()
    flags = _ATTACH_HOST if host else _ATTACH_GLOBAL
    demand(context, size, "cuMemAllocManaged", ctypes.byref(address), max(size, 1), flags)
    return ManagedBuffer(context, address.value, size)
