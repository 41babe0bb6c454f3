"""Device memory: buffers, how they are allocated, and what is done if memory is exhausted. Other libraries take them without a
copy: bytes by DLPack and by ``__cuda_array_interface__``.

A consumer holds the memory: it stays allocated until the last consumer has released it, even if it was closed.
"""

from __future__ import annotations

import ctypes
import gc

from driver_ctypes.errors import ArgumentRangeError, ArgumentTypeError
from driver_ctypes.interop.arrays import same_stream
from driver_ctypes.lifetime import Life
from driver_ctypes.session.handle import Handle
from driver_ctypes.streams.stream import order
from driver_ctypes.typing import TYPE_CHECKING, Any
from driver_ctypes.validate import index

if TYPE_CHECKING:
    from driver_ctypes.session.session import Session


_BYTES = (1, 8)  # (DLDataTypeCode of unsigned integers, bits)


class Lease:
    """Held by a consumer of memory: keeps its *owner* alive, and the memory's handle allocated."""

    def __init__(self, owner: Any, retained: Handle | None) -> None:
        self.owner = owner
        self.retained = retained
        if retained is not None:
            retained.graph_retain()

    def __del__(self) -> None:
        if self.retained is not None:  # any thread, any moment: only noted, and done by the next call
            self.retained.context.defer_call(self.retained.graph_release)


def cuda_interface(memory: Any, stream: int) -> dict[str, Any]:
    """``__cuda_array_interface__`` (version 3) of bytes that *stream* uses. AttributeError on an emulated device."""
    if not memory.context.driver.foreign_pointers:
        raise AttributeError(f"the {type(memory).__name__} is not in a GPU's memory")
    return {
        "shape": (memory.nbytes,), "typestr": "|u1", "data": (memory.pointer, False), "version": 3, "strides": None,
        "stream": stream or 1,
    }  # fmt: skip


def device_place(memory: Any) -> tuple[int, int]:
    """(DLDeviceType, ordinal) of device memory. BufferError on an emulated device."""
    if not memory.context.driver.foreign_pointers:
        raise BufferError("the memory is in an emulated device's own arena; context.copy_to_host copies it")
    from driver_ctypes.interop import dlpack

    return dlpack.CUDA, memory.context.device.ordinal


def host_place(context: Session, kind: int) -> tuple[int, int]:
    """The same for host memory that is *kind* to the driver; for an emulated one it is plain memory."""
    from driver_ctypes.interop import dlpack

    return (kind if context.driver.foreign_pointers else dlpack.CPU), 0


def give_bytes(
    memory: Any,
    retained: Handle,
    address: int,
    place: tuple[int, int],
    stream: int | None,
    asked: tuple[Any, Any, bool | None],
    pending: int | None = None,
) -> Any:
    """A capsule of all bytes of *memory* at *address*. *stream* is the consumer's, which first waits for the work on
    *pending*, this package's stream; *asked* is (max_version, dl_device, copy) of the protocol. Raises BufferError for a
    request that cannot be met."""
    max_version, dl_device, copy = asked
    if dl_device is not None and tuple(map(int, dl_device)) != place:
        raise BufferError(f"the memory lives on DLPack device {place}, and is not copied to {tuple(dl_device)}")
    if copy:
        raise BufferError("a copy is not made: copy what was taken")
    if pending is not None and stream != -1:
        receiver = same_stream(stream or 1)
        if pending != receiver:
            order(memory.context, first=pending, then=receiver)
    from driver_ctypes.interop import dlpack

    versioned = max_version is not None and max_version[0] >= 1
    shape = (memory.nbytes,)
    return dlpack.give(Lease(memory, retained), address if memory.nbytes else 0, shape, _BYTES, place, versioned)


_OUT_OF_MEMORY = 2


class DeviceBytes:
    """Device memory as bytes: what a `Buffer` and a part of one have in common. GPU frameworks take it without a copy
    (``torch.as_tensor``, ``cupy.asarray``, ``from_dlpack``); the user of the memory must wait for other streams than its own.
    """

    __slots__ = ()

    if TYPE_CHECKING:
        nbytes: int
        context: Session

        @property
        def pointer(self) -> int: ...

        @property
        def _whole(self) -> Buffer: ...

    def __getitem__(self, part: slice) -> BufferPart:
        """A part, in bytes: ``buffer[256:512]``. It shares the memory, keeps it, and closes with it."""
        if not isinstance(part, slice):
            raise ArgumentTypeError(
                f"device memory has no element [{part!r:.40}]", hint="buffer[256:512] is a part of it, in bytes"
            )
        where = slice(*[None if each is None else index(each, "a part") for each in (part.start, part.stop, part.step)])
        if where.step not in (None, 1):
            raise ArgumentRangeError("a part of device memory has no gaps: its step is 1")
        start, stop, _step = where.indices(self.nbytes)
        return BufferPart(self._whole, self.pointer + start, max(stop - start, 0))

    def _stream(self) -> int:
        """The stream that its work is queued on, as far as is known; the default one waits for all blocking ones."""
        return int(getattr(getattr(self._whole, "stream", None), "handle", 0))

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return cuda_interface(self, self._stream())

    def __dlpack_device__(self) -> tuple[int, int]:
        return device_place(self)

    def __dlpack__(
        self, *, stream: int | None = None, max_version: Any = None, dl_device: Any = None, copy: bool | None = None
    ) -> Any:
        """A DLPack capsule of the bytes, ready for work on the receiver's *stream*. BufferError on an emulated device."""
        asked = max_version, dl_device, copy
        place = self.__dlpack_device__()
        return give_bytes(self, self._whole, self.pointer, place, stream, asked, self._stream())

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise ArgumentTypeError(
            f"{self!r} is device memory, which numpy cannot see", hint="context.copy_to_host(array, buffer) copies it"
        )


class Buffer(DeviceBytes, Handle):
    """Device memory, made by `Context.alloc`. Passes as a pointer argument and wherever a device address is wanted."""

    __slots__ = ("_address", "_life")  # where a native launcher finds them
    kind = "buffer"
    _destroy = "cuMemFree_v2"

    pitch = 0
    """Bytes from row to row, where it was made of rows."""

    def __init__(self, context: Session, address: int, nbytes: int, *, more: tuple[int, ...] = ()) -> None:
        super().__init__(context, address, nbytes=nbytes, more=more)
        self._address = address
        self._life = Life(context)
        self.nbytes: int = nbytes

    def close(self) -> None:
        """Free it now; arrays that lie in it are closed with it."""
        self._life.context = None
        super().close()

    @property
    def pointer(self) -> int:
        """The device address. Raises ClosedError after close()."""
        if self._closed or self.context.closed:
            self.check_open()
        return self._address

    @property
    def _whole(self) -> Buffer:
        return self


class BufferPart(DeviceBytes):
    """A part of a `Buffer`, made by ``buffer[start:stop]``. It owns nothing, and keeps its *buffer*."""

    __slots__ = ("__weakref__", "_address", "_life", "buffer", "context", "nbytes")

    def __init__(self, buffer: Buffer, address: int, nbytes: int) -> None:
        self.buffer: Buffer = buffer
        """The whole."""
        self.context: Session = buffer.context
        self._address = address
        self._life = buffer._life
        self.nbytes: int = nbytes

    @property
    def _whole(self) -> Buffer:
        return self.buffer

    @property
    def closed(self) -> bool:
        """Whether its buffer can no longer be used."""
        return self.buffer.closed

    @property
    def pointer(self) -> int:
        """The device address. Raises ClosedError after the buffer's close()."""
        self.buffer.check_open()
        return self._address

    def __repr__(self) -> str:
        return f"<BufferPart of {self.nbytes} bytes at {self._address - self.buffer._address} of {self.buffer!r}>"


# --- allocation ------------------------------------------------------------------------------------------------------


def allocate(context: Session, nbytes: int) -> Buffer:
    """A new buffer; one of 0 bytes has address 0 and costs nothing."""
    size = size_of(nbytes)
    address = ctypes.c_uint64()
    if size:
        demand(context, size, "cuMemAlloc_v2", ctypes.byref(address), size)
    else:
        context.check()
    return Buffer(context, address.value, size)


def allocate_pitched(context: Session, width: int, height: int, element: int) -> Buffer:
    """A new buffer of rows. Raises ArgumentRangeError for no rows, or a strange element."""
    if element not in (4, 8, 16) or size_of(width) == 0 or size_of(height) == 0:
        raise ArgumentRangeError(
            f"{height} rows of {width} bytes in elements of {element}: elements have 4, 8 or 16 bytes, rows at least one"
        )
    address, pitch = ctypes.c_uint64(), ctypes.c_size_t()
    places = ctypes.byref(address), ctypes.byref(pitch)
    demand(context, width * height, "cuMemAllocPitch_v2", *places, width, height, element)
    buffer = Buffer(context, address.value, pitch.value * height)
    buffer.pitch = pitch.value
    return buffer


def demand(context: Session, nbytes: int, symbol: str, *args: Any) -> None:
    """Call a function that allocates *nbytes* bytes of device memory.

    Where there is not enough, unused memory is freed (deferred frees, garbage in reference cycles, what pools and
    graphs keep), and the call is made once more. The error says how much was requested, how much is free, and what holds memory.
    """
    code = context.try_call(symbol, *args)
    if code == _OUT_OF_MEMORY and not context.captures:
        context.driver.new_log()  # it speaks of the first attempt
        reclaim(context)
        code = context.try_call(symbol, *args)
    if code == _OUT_OF_MEMORY:
        raise context.error(symbol, code, args, detail=_holders(context, nbytes))
    if code:
        raise context.error(symbol, code, args)


def reclaim(context: Session) -> None:
    """Give back to the device what this process keeps and does not use. Waits for the context's work."""
    gc.collect()
    context.collect()
    device, functions = context.device, context.driver
    previous = context.enter()
    try:
        functions.raw("cuCtxSynchronize")()  # frees in stream order come to their end; a fault shows in the next call
        for session in device.sessions():
            if session.block_cache is not None and not session.closed:
                session.block_cache.trim()
        if functions.has("cuDeviceGetMemPool") and functions.has("cuMemPoolTrimTo"):
            handles = set(context.live("memory pool"))
            for symbol in ("cuDeviceGetMemPool", "cuDeviceGetDefaultMemPool"):
                pool = ctypes.c_void_p()
                if functions.raw(symbol)(ctypes.byref(pool), device.handle) == 0 and pool.value:
                    handles.add(pool.value)
            for handle in sorted(handles):
                functions.raw("cuMemPoolTrimTo")(handle, 0)
        if functions.has("cuDeviceGraphMemTrim"):
            functions.raw("cuDeviceGraphMemTrim")(device.handle)
    finally:
        if previous:
            context.leave(previous)


def _holders(context: Session, nbytes: int) -> str:
    """What holds the device's memory, as far as this process can determine."""
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    known = context.try_call("cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(total)) == 0
    said = f"{in_units(nbytes)} asked for; " + (
        f"{in_units(free.value)} of {in_units(total.value)} are free, perhaps in pieces"
        if known
        else "what is free is not known"
    )
    counts = context.live_handles()
    held = [f"{counts.get(kind, 0)} {kind}(s) of {in_units(size)}" for kind, size in context.live_bytes().items()]
    return f"{said}\n  this context holds {', '.join(held) if held else 'nothing'}; the rest is other contexts' and processes'"


def in_units(nbytes: int) -> str:
    """A number of bytes for people."""
    for unit, size in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if nbytes >= size:
            return f"{nbytes / size:.1f} {unit}"
    return f"{nbytes} bytes"


def size_of(nbytes: Any) -> int:
    """A number of bytes or elements. Raises ArgumentTypeError for no integer, ArgumentRangeError for one below 0."""
    size = index(nbytes)
    if not 0 <= size < 1 << 64:
        raise ArgumentRangeError(f"a size cannot be {size}", hint="0 or more, below 2**64")
    return size
