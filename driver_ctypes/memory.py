"""Device memory, page-locked host memory, copies and fills.

Copies without a stream are synchronous. With a stream they are queued on it; host memory then stays alive as CUDA
demands by the caller's care: pageable memory has been read (or written) when the call returns, page-locked memory not
before the stream has come so far. Inside a capture the graph keeps the host object.
"""

from __future__ import annotations

import ctypes
import weakref
from typing import TYPE_CHECKING, Any

from driver_ctypes.errors import ArgumentError, ArgumentRangeError, ArgumentTypeError, Error
from driver_ctypes.lifetime import Handle
from driver_ctypes.signature import as_pointer

if TYPE_CHECKING:
    from driver_ctypes.context import Context
    from driver_ctypes.stream import Stream

_PORTABLE = 1  # CU_MEMHOSTALLOC_PORTABLE: page-locked for every context

_BUFFER_SIMPLE, _BUFFER_WRITABLE = 0, 1  # PyBUF_SIMPLE (contiguous), PyBUF_WRITABLE


class Buffer(Handle):
    """Device memory, made by `Context.alloc`. Passes as a pointer argument and wherever a device address is wanted."""

    kind = "buffer"
    _destroy = "cuMemFree_v2"

    def __init__(self, context: Context, address: int, nbytes: int) -> None:
        super().__init__(context, address)
        self._address = address
        self.nbytes = nbytes

    @property
    def pointer(self) -> int:
        """The device address. Raises ClosedError after close()."""
        if self._closed or self.context._closed:
            self._check_open()
        return self._address


class PinnedBuffer(Handle):
    """Page-locked host memory, made by `Context.alloc_pinned`."""

    kind = "pinned buffer"
    _destroy = "cuMemFreeHost"

    def __init__(self, context: Context, address: int, nbytes: int) -> None:
        super().__init__(context, address)
        self._address = address
        self.nbytes = nbytes
        self._leases: weakref.WeakSet[_Lease] = weakref.WeakSet()

    @property
    def address(self) -> int:
        """The host address. Raises ClosedError after close()."""
        self._check_open()
        return self._address

    @property
    def view(self) -> memoryview:
        """The memory as writable bytes; ``numpy.frombuffer`` takes it. It keeps the buffer open, but closing the whole
        context takes the memory away from under it.
        """
        array: Any = (ctypes.c_ubyte * self.nbytes).from_address(self.address)
        array.lease = lease = _Lease(self)
        self._leases.add(lease)
        return memoryview(array).cast("B")

    def close(self) -> None:
        """Free it now. Raises Error while a `view`, or an array made from one, is still in use."""
        if self._leases and not self._closed:
            raise Error(
                "the pinned buffer's memory is still in use", hint="drop the views and arrays made from it first"
            )
        super().close()


class _Lease:
    """Held by every view of a pinned buffer: keeps the buffer, and is gone when the view is."""

    def __init__(self, buffer: PinnedBuffer) -> None:
        self.buffer = buffer


def allocate(context: Context, nbytes: int) -> Buffer:
    """A new buffer; one of 0 bytes has address 0 and costs nothing."""
    size = _size(nbytes)
    address = ctypes.c_uint64()
    if size:
        context.call("cuMemAlloc_v2", ctypes.byref(address), size)
    else:
        context.check()
    return Buffer(context, address.value, size)


def allocate_pinned(context: Context, nbytes: int) -> PinnedBuffer:
    """A new page-locked buffer of at least one byte."""
    size = _size(nbytes)
    address = ctypes.c_void_p()
    context.call("cuMemHostAlloc", ctypes.byref(address), max(size, 1), _PORTABLE)
    return PinnedBuffer(context, address.value or 0, size)


def copy_to_device(context: Context, dst: Any, src: Any, nbytes: int | None, stream: Any) -> None:
    """Host to device. *dst* is a `Buffer` or address; *src* a C-contiguous buffer, a `PinnedBuffer`, or an address."""
    with HostMemory(src, writable=False) as host:
        _transfer(context, "cuMemcpyHtoD", (dst, host), host, dst, nbytes, stream)


def copy_to_host(context: Context, dst: Any, src: Any, nbytes: int | None, stream: Any) -> None:
    """Device to host. *dst* must be writable and C-contiguous."""
    with HostMemory(dst, writable=True) as host:
        _transfer(context, "cuMemcpyDtoH", (host, src), host, src, nbytes, stream)


def copy_on_device(context: Context, dst: Any, src: Any, nbytes: int, stream: Any) -> None:
    """Device to device, on one device."""
    size = _size(nbytes)
    for side in (dst, src):
        _check_fits(side, size)
    if size:
        _queue(context, "cuMemcpyDtoD", stream, (as_pointer(dst, context), as_pointer(src, context), size), (dst, src))


def memset(context: Context, dst: Any, value: int, count: int, width: int, stream: Any) -> None:
    """Fill *count* elements of *width* bytes. *value* may be signed or unsigned of that width."""
    if width not in (1, 2, 4):
        raise ArgumentRangeError(f"memset: an element has 1, 2 or 4 bytes, not {width}")
    bits = 8 * width
    value = _index(value)
    if not -(1 << bits - 1) <= value < 1 << bits:
        raise ArgumentRangeError(f"memset: {value} does not fit {width} byte(s)")
    size = _size(count)
    _check_fits(dst, size * width)
    pointer = as_pointer(dst, context)
    if pointer % width:
        raise ArgumentRangeError(f"memset: address {pointer:#x} is not aligned to {width} bytes")
    if size:
        _queue(context, f"cuMemsetD{bits}", stream, (pointer, value % (1 << bits), size), (dst,))


def _transfer(
    context: Context,
    function: str,
    sides: tuple[Any, Any],
    host: HostMemory,
    device: Any,
    nbytes: int | None,
    stream: Any,
) -> None:
    """One copy between host and device: *sides* are (destination, source), one of them *host*, the other *device*."""
    if nbytes is None:
        nbytes = host.nbytes if host.nbytes is not None else getattr(device, "nbytes", None)
        if nbytes is None:
            raise ArgumentTypeError("both sides are bare addresses", hint="pass nbytes")
    size = _size(nbytes)
    if host.nbytes is not None and size > host.nbytes:
        raise ArgumentRangeError(f"copy of {size} bytes, but the host side has {host.nbytes}")
    _check_fits(device, size)
    addresses = [side.address if side is host else as_pointer(side, context) for side in sides]
    if size:
        _queue(context, function, stream, (*addresses, size), (device, host.owner))


def _queue(context: Context, function: str, stream: Any, args: tuple[int, ...], owners: tuple[Any, ...]) -> None:
    """Call a copy or fill in its synchronous or asynchronous form; inside a capture its operands live on."""
    if stream is None:
        context.call(f"{function}_v2", *args)
        return
    target: Stream = context.stream_from(stream)
    target._check_open()
    suffix = "" if function.startswith("cuMemset") else "_v2"
    context.call(f"{function}Async{suffix}", *args, target.handle)
    if target._capture is not None:
        target._capture.retain(*[owner for owner in owners if not isinstance(owner, int)])


def _index(value: Any) -> int:
    try:
        return int(value.__index__())
    except (AttributeError, TypeError):
        raise ArgumentTypeError(f"expected an integer, found {type(value).__name__} {value!r:.60}") from None


def _size(nbytes: Any) -> int:
    size = _index(nbytes)
    if not 0 <= size < 1 << 64:
        raise ArgumentRangeError(f"a size cannot be {size}")
    return size


def _check_fits(device: Any, nbytes: int) -> None:
    """Where the device side knows its size, the operation must fit it."""
    have = getattr(device, "nbytes", None)
    if isinstance(have, int) and nbytes > have:
        raise ArgumentRangeError(
            f"{nbytes} bytes do not fit the {type(device).__name__} of {have} bytes",
            hint="pass the address (buffer.pointer + offset) for a part of an array",
        )


class _PyBuffer(ctypes.Structure):
    """CPython's Py_buffer, part of its stable ABI."""

    _fields_ = (
        ("buf", ctypes.c_void_p),
        ("obj", ctypes.c_void_p),
        ("len", ctypes.c_ssize_t),
        ("itemsize", ctypes.c_ssize_t),
        ("readonly", ctypes.c_int),
        ("ndim", ctypes.c_int),
        ("format", ctypes.c_void_p),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("suboffsets", ctypes.c_void_p),
        ("internal", ctypes.c_void_p),
    )


class HostMemory:
    """The address of host memory while a copy reads or writes it: a buffer's (held open meanwhile) or a bare address.

    ctypes' own ``from_buffer`` refuses read-only buffers such as bytes, so this asks CPython's buffer protocol.
    """

    def __init__(self, source: Any, *, writable: bool) -> None:
        self.owner = source
        self.nbytes: int | None = None
        self.address = 0
        self._buffer: _PyBuffer | None = None
        if isinstance(source, int) and not isinstance(source, bool):
            self.address = source
        elif isinstance(source, PinnedBuffer):
            self.address, self.nbytes = source.address, source.nbytes
        else:
            self._open(source, writable)

    def _open(self, source: Any, writable: bool) -> None:
        buffer = _PyBuffer()
        flags = _BUFFER_WRITABLE if writable else _BUFFER_SIMPLE
        try:
            ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(source), ctypes.byref(buffer), flags)
        except TypeError:
            raise ArgumentTypeError(
                f"{type(source).__name__} is no host memory", hint="pass an object with a buffer, or an address as int"
            ) from None
        except (BufferError, ValueError) as error:  # numpy says ValueError
            raise ArgumentError(
                f"the {type(source).__name__}'s memory cannot be used as it is: {error}",
                hint="make it C-contiguous (numpy.ascontiguousarray)" + (" and writable" if writable else ""),
            ) from None
        self._buffer = buffer
        self.address, self.nbytes = buffer.buf or 0, buffer.len

    def __enter__(self) -> HostMemory:
        return self

    def __exit__(self, *_: object) -> None:
        if self._buffer is not None:
            ctypes.pythonapi.PyBuffer_Release(ctypes.byref(self._buffer))
            self._buffer = None
