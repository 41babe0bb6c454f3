"""Memory of this package as other libraries take it, without a copy: bytes by DLPack and by ``__cuda_array_interface__``.

A consumer holds the memory: it stays allocated until the last consumer has released it, even if it was closed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from driver_ctypes.interop import dlpack
from driver_ctypes.interop.streams import same_stream
from driver_ctypes.streams.ordering import order

if TYPE_CHECKING:
    from driver_ctypes.session.handle import Handle
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
    return dlpack.CUDA, memory.context.device.ordinal


def host_place(context: Session, kind: int) -> tuple[int, int]:
    """The same for host memory that is *kind* to the driver; for an emulated one it is plain memory."""
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
    versioned = max_version is not None and max_version[0] >= 1
    shape = (memory.nbytes,)
    return dlpack.give(Lease(memory, retained), address if memory.nbytes else 0, shape, _BYTES, place, versioned)
