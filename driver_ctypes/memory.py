"""Device memory, copies and fills.

Copies without a stream are synchronous. With a stream they are queued on it; host memory then stays alive as CUDA
demands by the caller's care: pageable memory has been read (or written) when the call returns, page-locked memory not
before the stream has come so far. Inside a capture the graph keeps the host object.
"""

from __future__ import annotations

import ctypes
import gc
from typing import TYPE_CHECKING, Any

from driver_ctypes.errors import ArgumentError, ArgumentRangeError, ArgumentTypeError
from driver_ctypes.lifetime import ACCOUNTS, Handle, Life
from driver_ctypes.signature import as_pointer

if TYPE_CHECKING:
    from driver_ctypes.context import Context
    from driver_ctypes.stream import Stream

_OUT_OF_MEMORY = 2

_BUFFER_SIMPLE, _BUFFER_WRITABLE = 0, 1  # PyBUF_SIMPLE (contiguous), PyBUF_WRITABLE


class Buffer(Handle):
    """Device memory, made by `Context.alloc`. Passes as a pointer argument and wherever a device address is wanted."""

    __slots__ = ("_address", "_life")  # where a native launcher finds them
    kind = "buffer"
    _destroy = "cuMemFree_v2"

    pitch = 0
    """Bytes from row to row, where it was made of rows."""

    def __init__(self, context: Context, address: int, nbytes: int, *, more: tuple[int, ...] = ()) -> None:
        super().__init__(context, address, nbytes=nbytes, more=more)
        self._address = address
        self._life = Life(context)
        self.nbytes = nbytes

    def close(self) -> None:
        """Free it now; arrays that lie in it are closed with it."""
        self._life.context = None
        super().close()

    @property
    def pointer(self) -> int:
        """The device address. Raises ClosedError after close()."""
        if self._closed or self.context._closed:
            self._check_open()
        return self._address


# --- allocation ------------------------------------------------------------------------------------------------------


def allocate(context: Context, nbytes: int) -> Buffer:
    """A new buffer; one of 0 bytes has address 0 and costs nothing."""
    size = size_of(nbytes)
    address = ctypes.c_uint64()
    if size:
        demand(context, size, "cuMemAlloc_v2", ctypes.byref(address), size)
    else:
        context.check()
    return Buffer(context, address.value, size)


def allocate_pitched(context: Context, width: int, height: int, element: int) -> Buffer:
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


def demand(context: Context, nbytes: int, symbol: str, *args: Any) -> None:
    """Call a function that allocates *nbytes* bytes of device memory.

    Where there is not enough, what nobody uses is freed (deferred frees, garbage in reference cycles, what pools and
    graphs keep), and the call is made once more. The error then says how much was asked for, is free, and who holds what.
    """
    code = context._try(symbol, *args)
    if code == _OUT_OF_MEMORY and not context._captures:
        context.driver.new_log()  # it speaks of the first attempt
        reclaim(context)
        code = context._try(symbol, *args)
    if code == _OUT_OF_MEMORY:
        raise context._error(symbol, code, args, detail=_holders(context, nbytes))
    if code:
        raise context._error(symbol, code, args)


def reclaim(context: Context) -> None:
    """Give back to the device what this process keeps and does not use. Waits for the context's work."""
    gc.collect()
    context.collect()
    device, functions = context.device, context.driver
    previous = context._enter()
    try:
        functions.raw("cuCtxSynchronize")()  # frees in stream order come to their end; a fault shows in the next call
        if functions.has("cuDeviceGetMemPool") and functions.has("cuMemPoolTrimTo"):
            handles = set(context._live["memory pool"])
            for symbol in ("cuDeviceGetMemPool", "cuDeviceGetDefaultMemPool"):
                pool = ctypes.c_void_p()
                if functions.raw(symbol)(ctypes.byref(pool), device._handle) == 0 and pool.value:
                    handles.add(pool.value)
            for handle in sorted(handles):
                functions.raw("cuMemPoolTrimTo")(handle, 0)
        if functions.has("cuDeviceGraphMemTrim"):
            functions.raw("cuDeviceGraphMemTrim")(device._handle)
    finally:
        if previous:
            context._leave(previous)


def _holders(context: Context, nbytes: int) -> str:
    """Who has the device's memory, as far as this process knows."""
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    known = context._try("cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(total)) == 0
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


# --- copies and fills -------------------------------------------------------------------------------------------------


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
    size = size_of(nbytes)
    for side in (dst, src):
        _check_fits(side, size)
    if size:
        _queue(context, "cuMemcpyDtoD", stream, (as_pointer(dst, context), as_pointer(src, context), size), (dst, src))


def memset(context: Context, dst: Any, value: int, count: int, width: int, stream: Any) -> None:
    """Fill *count* elements of *width* bytes. *value* may be signed or unsigned of that width."""
    size = size_of(count)
    pattern = _pattern(value, width)
    pointer = _fill_target(context, dst, size * width, width)
    if size:
        _queue(context, f"cuMemsetD{8 * width}", stream, (pointer, pattern, size), (dst,))


def memset_rows(
    context: Context, dst: Any, value: int, count: int, rows: int, pitch: int, width: int, stream: Any
) -> None:
    """The same in rows. Raises ArgumentRangeError where they would overlap or not lie on elements."""
    size, pattern = size_of(count), _pattern(value, width)
    if rows > 1 and (pitch < size * width or pitch % width):
        raise ArgumentRangeError(
            f"memset: pitch {pitch} must be a multiple of {width}, and a row has {size * width} bytes"
        )
    pointer = _fill_target(context, dst, (size_of(rows) - 1) * pitch + size * width if rows else 0, width)
    if size and rows:
        _queue(context, f"cuMemsetD2D{8 * width}", stream, (pointer, pitch, pattern, size, rows), (dst,))


def _pattern(value: int, width: int) -> int:
    """The bits of one element."""
    if width not in (1, 2, 4):
        raise ArgumentRangeError(f"memset: an element has 1, 2 or 4 bytes, not {width}")
    bits = 8 * width
    value = _index(value)
    if not -(1 << bits - 1) <= value < 1 << bits:
        raise ArgumentRangeError(f"memset: {value} does not fit {width} byte(s)")
    return value % (1 << bits)


def _fill_target(context: Context, dst: Any, span: int, width: int) -> int:
    _check_fits(dst, span)
    pointer = as_pointer(dst, context)
    if pointer % width:
        raise ArgumentRangeError(f"memset: address {pointer:#x} is not aligned to {width} bytes")
    return pointer


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
    size = size_of(nbytes)
    if host.nbytes is not None and size > host.nbytes:
        raise ArgumentRangeError(f"copy of {size} bytes, but the host side has {host.nbytes}")
    _check_fits(device, size)
    addresses = [side.address if side is host else as_pointer(side, context) for side in sides]
    if size:
        _queue(context, function, stream, (*addresses, size), (device, host.owner))


def _queue(context: Context, function: str, stream: Any, args: tuple[int, ...], owners: tuple[Any, ...]) -> None:
    """Call a copy or fill in its synchronous or asynchronous form; inside a capture its operands live on."""
    if not all(args[: 2 if function.startswith("cuMemcpy") else 1]):
        raise ArgumentRangeError(
            f"{function} at a null pointer",
            hint="a Buffer of 0 bytes has address 0, and so has memory that was never allocated",
        )
    if stream is None:
        context.call(f"{function}_v2", *args)
        _note_copy(context, function, args[-1])
        return
    target: Stream = context.stream_from(stream)
    target._check_open()
    suffix = "" if function.startswith("cuMemset") else "_v2"
    context.call(f"{function}Async{suffix}", *args, target.handle)
    if target._capture is not None:
        target._capture.retain(*[owner for owner in owners if not isinstance(owner, int)])
    else:
        _note_copy(context, function, args[-1])


def _note_copy(context: Context, function: str, nbytes: int) -> None:
    """Tell those who keep an account of it."""
    for account in tuple(ACCOUNTS):
        if function.startswith("cuMemcpy"):
            account.note_copy(context, function.removeprefix("cuMemcpy"), nbytes)


def _index(value: Any) -> int:
    try:
        return int(value.__index__())
    except (AttributeError, TypeError):
        raise ArgumentTypeError(f"expected an integer, found {type(value).__name__} {value!r:.60}") from None


def size_of(nbytes: Any) -> int:
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
        elif isinstance(getattr(source, "address", None), int) and isinstance(getattr(source, "nbytes", None), int):
            self.address, self.nbytes = source.address, source.nbytes  # page-locked or managed memory
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
