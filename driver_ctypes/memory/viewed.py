"""Host memory that a copy reads or writes: where it is, and how large."""

from __future__ import annotations

import ctypes
import re
from typing import Any

from driver_ctypes.errors import ArgumentError, ArgumentTypeError

_SIMPLE, _WRITABLE, _WITH_FORMAT = 0, 1, 4 | 8  # PyBUF_SIMPLE (contiguous); PyBUF_WRITABLE; PyBUF_FORMAT and PyBUF_ND
_FIELD_NAME = re.compile(rb":[^:]*:")  # in a format of the buffer protocol


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
        flags = _WRITABLE if writable else _SIMPLE
        try:
            try:
                _get_buffer(source, buffer, flags | _WITH_FORMAT)
            except (BufferError, ValueError):  # perhaps a type without a format, such as numpy's dates
                _get_buffer(source, buffer, flags)
        except TypeError:
            raise ArgumentTypeError(
                f"{type(source).__name__} is no host memory", hint="pass an object with a buffer, or an address as int"
            ) from None
        except (BufferError, ValueError) as error:  # numpy says ValueError
            raise ArgumentError(
                f"the {type(source).__name__}'s memory cannot be used as it is: {error}",
                hint="copy into a C-contiguous and writable array, and that one into this"
                if writable
                else "make it C-contiguous (numpy.ascontiguousarray)",
            ) from None
        self._buffer = buffer
        if buffer.format and b"O" in _FIELD_NAME.sub(b"", buffer.format):
            self.__exit__()
            raise ArgumentTypeError(
                f"the {type(source).__name__} holds Python objects: its bytes are their addresses in this process",
                hint="make it an array of numbers first: array.astype(numpy.float32), for example",
            )
        self.address, self.nbytes = buffer.buf or 0, buffer.len

    def __enter__(self) -> HostMemory:
        return self

    def __exit__(self, *_: object) -> None:
        if self._buffer is not None:
            ctypes.pythonapi.PyBuffer_Release(ctypes.byref(self._buffer))
            self._buffer = None


def _get_buffer(source: Any, buffer: _PyBuffer, flags: int) -> None:
    ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(source), ctypes.byref(buffer), flags)
