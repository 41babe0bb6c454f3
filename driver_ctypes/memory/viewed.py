"""Host memory that a copy reads or writes: where it is, and how large."""

from __future__ import annotations

import ctypes
import math
import re
from typing import Any

from driver_ctypes.errors import ArgumentError, ArgumentTypeError
from driver_ctypes.interop import dlpack
from driver_ctypes.interop.masked import FILL_OR_DATA, is_masked

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
                f"{type(source).__name__} is not host memory", hint="pass an object with a buffer, or an address as int"
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

    def _take(self, source: Any, writable: bool) -> bool:
        """Whether *source* is host memory by DLPack, as PyTorch's tensors of the processor are; it is held from then on."""
        place = getattr(source, "__dlpack_device__", None)
        if place is None or int(place()[0]) not in (dlpack.CPU, dlpack.CUDA_HOST):
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
