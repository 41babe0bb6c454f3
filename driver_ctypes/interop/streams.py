"""Streams of other libraries: their handles."""

from __future__ import annotations

from typing import Any

from driver_ctypes.errors import ArgumentTypeError
from driver_ctypes.validate import whole

LEGACY = 1  # CU_STREAM_LEGACY: another name of the default stream


def same_stream(handle: int) -> int:
    """*handle*, with one number for the default stream, which has two (0 and CU_STREAM_LEGACY)."""
    return 0 if handle == LEGACY else handle


def stream_handle(stream: Any) -> int | None:
    """The CUstream of another library's stream; None for what is not a stream.

    ``__cuda_stream__`` first; then what older PyTorch (``cuda_stream``), CuPy (``ptr``) and Numba (``handle``) have.
    Raises ArgumentTypeError for a version of the protocol that is not known, and for what is none of its answers,
    ArgumentRangeError for a handle of more than 64 bits.
    """
    protocol = getattr(stream, "__cuda_stream__", None)
    if protocol is not None:
        said = protocol() if callable(protocol) else protocol
        if not isinstance(said, (tuple, list)) or len(said) != 2:
            raise ArgumentTypeError(
                f"{type(stream).__name__}.__cuda_stream__ gave {said!r:.60}, which is not a pair (0, CUstream)",
                hint="update the library whose stream it is, or pass the CUstream as int",
            )
        version, handle = said
        if version != 0:
            raise ArgumentTypeError(
                f"{type(stream).__name__} speaks version {version} of __cuda_stream__; 0 is known",
                hint="update this package, or pass the CUstream as int",
            )
        return checked_handle(handle)
    home = type(stream).__module__.partition(".")[0]
    name = {"torch": "cuda_stream", "cupy": "ptr", "cupy_backends": "ptr", "numba": "handle"}.get(home)
    handle = getattr(stream, name, None) if name else None
    handle = getattr(handle, "value", handle)  # Numba's is a ctypes pointer
    if handle is None:
        return 0 if name == "handle" and hasattr(stream, "handle") else None
    return checked_handle(handle)


def checked_handle(handle: Any) -> int:
    """A CUstream as an int. Raises ArgumentTypeError, ArgumentRangeError."""
    return whole(handle, "stream", 0, (1 << 64) - 1)
