"""Memory and events of other processes of the same machine, by handles of 64 bytes.

The handle may be sent as it is. The process that made it keeps memory and event alive; a process that opens it must
close it before that. Memory of pools and of virtual memory management is shared by file descriptors instead (`MemoryPool.export`,
`PhysicalMemory.export`).
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from driver_ctypes.errors import ArgumentError, ArgumentTypeError
from driver_ctypes.memory.buffer import Buffer, size_of
from driver_ctypes.streams.event import Event
from driver_ctypes.validate import instance

if TYPE_CHECKING:
    from driver_ctypes.session.session import Session

HANDLE_BYTES = 64
_LAZY_PEER_ACCESS = 1  # the one flag there is, and it must be given
_INVALID_CONTEXT = 201


class OpenedBuffer(Buffer):
    """Another process's memory, made by `open_memory`. ``close()`` leaves the memory there."""

    kind = "opened buffer"
    _destroy = "cuIpcCloseMemHandle"


def memory_handle(buffer: Buffer) -> bytes:
    """What `open_memory` of another process needs. The handle is the whole allocation's. Raises CudaError for memory that
    was not made by `Context.alloc`.
    """
    from driver_ctypes.abi.structs import CUipcMemHandle

    instance(buffer, Buffer, "memory_handle", "what context.alloc gave")
    handle = CUipcMemHandle()
    buffer.context.call("cuIpcGetMemHandle", ctypes.byref(handle), buffer.pointer)
    return bytes(handle)


def open_memory(context: Session, handle: bytes, nbytes: int) -> OpenedBuffer:
    """Another process's buffer of *nbytes* bytes. Raises ArgumentError for a handle of this very process."""
    from driver_ctypes.abi.structs import CUipcMemHandle

    address = ctypes.c_uint64()
    made = CUipcMemHandle.from_buffer_copy(_checked(handle))
    code = context.try_call("cuIpcOpenMemHandle_v2", ctypes.byref(address), made, _LAZY_PEER_ACCESS)
    _raise(context, "cuIpcOpenMemHandle_v2", code)
    return OpenedBuffer(context, address.value, size_of(nbytes))


def open_event(context: Session, handle: bytes) -> Event:
    """Another process's event. Raises ArgumentError for a handle of this very process."""
    from driver_ctypes.abi.structs import CUipcEventHandle

    event = ctypes.c_void_p()
    made = CUipcEventHandle.from_buffer_copy(_checked(handle))
    _raise(context, "cuIpcOpenEventHandle", context.try_call("cuIpcOpenEventHandle", ctypes.byref(event), made))
    return Event(context, event.value or 0, timing=False)


def _checked(handle: Any) -> bytes:
    if not isinstance(handle, (bytes, bytearray, memoryview)):
        raise ArgumentTypeError(f"a handle is bytes, not {type(handle).__name__} {handle!r:.60}")
    data = bytes(handle)
    if len(data) != HANDLE_BYTES:
        raise ArgumentError(
            f"a handle has {HANDLE_BYTES} bytes, not {len(data)}", hint="pass what the other process sent"
        )
    return data


def _raise(context: Session, symbol: str, code: int) -> None:
    if code == _INVALID_CONTEXT:
        context.driver.new_log()
        raise ArgumentError(
            "the handle is this process's own, which the driver does not open",
            hint="use the object that it was made of",
        )
    if code:
        raise context.error(symbol, code)
