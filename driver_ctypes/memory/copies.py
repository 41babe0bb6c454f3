"""Copies and fills of device memory, and the host memory that they read or write.

Copies without a stream are synchronous. With a stream they are queued on it; the caller must then keep host memory alive
as CUDA demands: pageable memory has been read (or written) when the call returns, page-locked memory only when the
stream has executed the copy. Inside a capture the graph keeps the host object, with its memory where it is.
"""

from __future__ import annotations

import ctypes
import math

from driver_ctypes.arguments.parameter import as_pointer
from driver_ctypes.errors import ArgumentError, ArgumentRangeError, ArgumentTypeError
from driver_ctypes.interop import dlpack
from driver_ctypes.interop.elements import FILL_OR_DATA, is_masked
from driver_ctypes.lifetime import ACCOUNTS
from driver_ctypes.memory.buffer import size_of
from driver_ctypes.primitives import partial
from driver_ctypes.streams.stream import running_captures
from driver_ctypes.typing import TYPE_CHECKING, Any
from driver_ctypes.validate import index

if TYPE_CHECKING:
    from driver_ctypes.session.session import Session
    from driver_ctypes.streams.stream import StreamBase


_SIMPLE, _WRITABLE, _WITH_FORMAT = 0, 1, 4 | 8  # PyBUF_SIMPLE (contiguous); PyBUF_WRITABLE; PyBUF_FORMAT and PyBUF_ND
_FIELD_NAME = rb":[^:]*:"  # in a format of the buffer protocol


class _PyBuffer(ctypes.Structure):
    """CPython's Py_buffer, part of its stable ABI."""

    _fields_ = (
        ("buf", ctypes.c_void_p),
        ("obj", ctypes.c_void_p),
        ("len", ctypes.c_ssize_t),
        ("itemsize", ctypes.c_ssize_t),
        ("readonly", ctypes.c_int),
        ("ndim", ctypes.c_int),
        ("format", ctypes.c_char_p),
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
        self.address: int = 0
        self._buffer: _PyBuffer | None = None
        self._taken: dlpack.Taken | None = None
        if isinstance(source, int) and not isinstance(source, bool):
            self.address = source
        elif isinstance(getattr(source, "address", None), int) and isinstance(getattr(source, "nbytes", None), int):
            self.address, self.nbytes = source.address, source.nbytes  # page-locked or managed memory
        else:
            self._open(source, writable)

    def _open(self, source: Any, writable: bool) -> None:
        if is_masked(type(source)):
            raise ArgumentTypeError("a copy of a masked array loses its mask", hint=FILL_OR_DATA)
        buffer = _PyBuffer()
        flags = _WRITABLE if writable else _SIMPLE
        try:
            try:
                _get_buffer(source, buffer, flags | _WITH_FORMAT)
            except (BufferError, ValueError):  # perhaps a type without a format, such as numpy's dates
                _get_buffer(source, buffer, flags)
        except TypeError:
            if self._take(source, writable):
                return
            raise ArgumentTypeError(
                f"{type(source).__name__} is not host memory",
                hint="the device's memory is the other argument"
                if hasattr(source, "__dlpack_device__")
                else "pass an object with a buffer, or an address as int",
            ) from None
        except (BufferError, ValueError) as error:  # numpy says ValueError
            raise ArgumentError(
                f"the {type(source).__name__}'s memory cannot be used as it is: {error}",
                hint="copy into a C-contiguous and writable array, and that one into this"
                if writable
                else "make it C-contiguous (numpy.ascontiguousarray)",
            ) from None
        self._buffer = buffer
        import re

        if buffer.format and b"O" in buffer.format and b"O" in re.sub(_FIELD_NAME, b"", buffer.format):
            self.__exit__()
            raise ArgumentTypeError(
                f"the {type(source).__name__} holds Python objects: its bytes are their addresses in this process",
                hint="make it an array of numbers first: array.astype(numpy.float32), for example",
            )
        self.address, self.nbytes = buffer.buf or 0, buffer.len

    def _take(self, source: Any, writable: bool) -> bool:
        """Whether *source* is host memory by DLPack, as PyTorch's tensors of the processor are; it is held from then on."""
        place = getattr(source, "__dlpack_device__", None)
        try:
            if place is None or int(place()[0]) not in (dlpack.CPU, dlpack.CUDA_HOST):
                return False
        except BufferError:  # an emulated device's own
            return False
        taken = dlpack.take(source)
        if not taken.contiguous or (writable and taken.read_only):
            why = "it is read-only" if taken.contiguous else "its elements do not lie in C order without gaps"
            raise ArgumentError(
                f"the {type(source).__name__}'s memory cannot be used as it is: {why}",
                hint="copy it first: tensor.contiguous()",
            )
        fields = taken.fields
        self._taken = taken
        self.address = (fields.data or 0) + fields.byte_offset
        self.nbytes = math.prod(taken.shape) * (fields.dtype.bits * fields.dtype.lanes + 7 >> 3)
        return True

    def __enter__(self) -> HostMemory:
        return self

    def __exit__(self, *_: object) -> None:
        if self._buffer is not None:
            ctypes.pythonapi.PyBuffer_Release(ctypes.byref(self._buffer))
            self._buffer = None
        if self._taken is not None:
            self._taken.release()
            self._taken = None


def _get_buffer(source: Any, buffer: _PyBuffer, flags: int) -> None:
    ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(source), ctypes.byref(buffer), flags)


def copy_to_device(context: Session, dst: Any, src: Any, nbytes: int | None, stream: Any) -> None:
    """Host to device. *dst* is a `Buffer` or address; *src* a C-contiguous buffer, a `PinnedBuffer`, or an address."""
    with HostMemory(src, writable=False) as host:
        _transfer(context, "cuMemcpyHtoD", (dst, host), host, dst, nbytes, stream, writable=False)


def copy_to_host(context: Session, dst: Any, src: Any, nbytes: int | None, stream: Any) -> None:
    """Device to host. *dst* must be writable and C-contiguous."""
    with HostMemory(dst, writable=True) as host:
        _transfer(context, "cuMemcpyDtoH", (host, src), host, src, nbytes, stream, writable=True)


def copy_on_device(context: Session, dst: Any, src: Any, nbytes: int, stream: Any) -> None:
    """Device to device, on one device."""
    plain = type(dst) is type(src) is type(nbytes) is int and dst and src and nbytes > 0
    if plain and not running_captures and not ACCOUNTS and getattr(stream, "context", None) is context:
        _copy_soon(context, dst, src, nbytes, stream)
        return
    size = size_of(nbytes)
    for side in (dst, src):
        check_fits(side, size)
    if size:
        _queue(context, "cuMemcpyDtoD", stream, (as_pointer(dst, context), as_pointer(src, context), size), (dst, src))


def memset(context: Session, dst: Any, value: int, count: int, width: int, stream: Any) -> None:
    """Fill *count* elements of *width* bytes. *value* may be signed or unsigned of that width."""
    size = size_of(count)
    pattern = _pattern(value, width)
    pointer = _fill_target(context, dst, size * width, width)
    if size:
        _queue(context, f"cuMemsetD{8 * width}", stream, (pointer, pattern, size), (dst,))


def memset_rows(
    context: Session, dst: Any, value: int, count: int, rows: int, pitch: int, width: int, stream: Any
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
    value = index(value)
    if not -(1 << bits - 1) <= value < 1 << bits:
        raise ArgumentRangeError(f"memset: {value} does not fit {width} byte(s)")
    return value % (1 << bits)


def _fill_target(context: Session, dst: Any, span: int, width: int) -> int:
    check_fits(dst, span)
    pointer = as_pointer(dst, context)
    if pointer % width:
        raise ArgumentRangeError(f"memset: address {pointer:#x} is not aligned to {width} bytes")
    return pointer


def _transfer(
    context: Session,
    function: str,
    sides: tuple[Any, Any],
    host: HostMemory,
    device: Any,
    nbytes: int | None,
    stream: Any,
    *,
    writable: bool,
) -> None:
    """One copy between host and device: *sides* are (destination, source), one of them *host*, the other *device*. The
    host's is *writable* where it is the destination.
    """
    if nbytes is None:
        nbytes = host.nbytes if host.nbytes is not None else getattr(device, "nbytes", None)
        if nbytes is None:
            raise ArgumentTypeError("both sides are bare addresses", hint="pass nbytes")
    size = size_of(nbytes)
    if host.nbytes is not None and size > host.nbytes:
        raise ArgumentRangeError(f"copy of {size} bytes, but the host side has {host.nbytes}")
    check_fits(device, size)
    addresses = [side.address if side is host else as_pointer(side, context) for side in sides]
    if size:
        _queue(context, function, stream, (*addresses, size), (device,), (host.owner, writable))


def _copy_soon(context: Session, dst: int, src: int, nbytes: int, stream: StreamBase) -> None:
    """The same of addresses, in a third of the time: nothing is recorded, counted or converted by ctypes."""
    stream.check_open()
    if context.poisoned is not None:
        context.check()
    symbol = "cuMemcpyDtoDAsync_v2"
    queue = ctypes.c_void_p(stream.handle)
    places = ctypes.c_uint64(dst), ctypes.c_uint64(src), ctypes.c_size_t(nbytes), queue
    code = context.run(partial(context.driver.untyped(symbol), *places))
    if code:
        raise context.error(symbol, code, (dst, src, nbytes, stream.handle))


def _queue(
    context: Session,
    function: str,
    stream: Any,
    args: tuple[int, ...],
    owners: tuple[Any, ...],
    host: tuple[Any, bool] | None = None,
) -> None:
    """Call a copy or fill in its synchronous or asynchronous form; inside a capture its operands live on: *owners* on the
    device, and (memory, whether it is written) on the *host*.
    """
    if not all(args[: 2 if function.startswith("cuMemcpy") else 1]):
        raise ArgumentRangeError(
            f"{function} at a null pointer",
            hint="a Buffer of 0 bytes has address 0, and so has memory that was never allocated",
        )
    if stream is None:
        context.call(f"{function}_v2", *args)
        _note_copy(context, function, args[-1])
        return
    target: StreamBase = context.stream_from(stream)
    target.check_open()
    suffix = "" if function.startswith("cuMemset") else "_v2"
    context.call(f"{function}Async{suffix}", *args, target.handle)
    capture = target.active_capture
    if capture is not None:
        capture.retain(*owners)
        if host is not None:
            capture.retain_host(host[0], writable=host[1])
    else:
        _note_copy(context, function, args[-1])


def _note_copy(context: Session, function: str, nbytes: int) -> None:
    """Notify the memory accounts."""
    for account in tuple(ACCOUNTS):
        if function.startswith("cuMemcpy"):
            account.note_copy(context, function.removeprefix("cuMemcpy"), nbytes)


def check_fits(device: Any, nbytes: int) -> None:
    """If the size of the device side is known, the operation must fit it."""
    have = getattr(device, "nbytes", None)
    if isinstance(have, int) and nbytes > have:
        raise ArgumentRangeError(
            f"{nbytes} bytes do not fit the {type(device).__name__} of {have} bytes",
            hint="pass the address (buffer.pointer + offset) for a part of an array",
        )
