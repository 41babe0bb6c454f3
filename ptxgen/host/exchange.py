"""Arrays shared with the frameworks, without a copy: taken from PyTorch, CuPy, Numba and JAX, and given to them."""

from __future__ import annotations

import ctypes
import sys
from typing import TYPE_CHECKING, Any

from driver_ctypes.errors import ArgumentError, ArgumentTypeError
from driver_ctypes.interop import dlpack
from driver_ctypes.interop.arrays import foreign_address, foreign_ordinal, is_foreign, same_stream
from driver_ctypes.interop.elements import element_of_typestr, foreign_element
from driver_ctypes.lifetime import Life
from driver_ctypes.memory.buffer import Lease
from driver_ctypes.session.handle import Handle
from driver_ctypes.streams.stream import order
from ptxgen.host.formats import ENCODED, dlpack_type, numpy_module, numpy_name, scalar_of_dlpack
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from driver_ctypes.contexts.context import Context
    from ptxgen.host.arrays import Array
    from ptxgen.host.machine import Device
    from ptxgen.isa.types import ScalarType

__all__ = ["borrow", "device_of", "give", "host_array"]


# --- taking -----------------------------------------------------------------------------------------------------------


class Borrowed:
    """A framework's memory that an array lies in. It is given back by `close`, or when nobody uses it any more. `owner` is
    what keeps it."""

    __slots__ = ("_life", "context", "owner", "pointer")

    def __init__(self, context: Context, pointer: int, owner: Any) -> None:
        self.context: Context = context
        self.pointer: int = pointer
        self._life = Life(context)
        self.owner: Any = owner

    def close(self) -> None:
        """Give it back. The framework's array stays what it is."""
        self._life.context = None
        owner, self.owner = self.owner, None
        if isinstance(owner, dlpack.Taken):
            owner.release()


def borrow(device: Device, data: Any) -> Array | None:
    """A framework's GPU array as an array of *device* over the same memory; None for host data.

    The framework's pending work on it comes before what the device's current stream does from now on. Raises
    ArgumentTypeError on the CPU device, ArgumentError for an array of another GPU or one with gaps between its elements.
    """
    if isinstance(data, _HOST) or not is_foreign(data):
        return None
    context = device.context
    if foreign_ordinal(data) is None:
        return None
    foreign_address(data, context)  # refuses what the device cannot reach
    current = device.current_stream.handle
    if hasattr(data, "__dlpack__"):
        return _borrowed_by_dlpack(device, data, current)
    return _borrowed_by_interface(device, data, current)


_HOST = (list, tuple, int, float, bytes, bytearray, memoryview)


def _borrowed_by_dlpack(device: Device, data: Any, stream: int) -> Array:
    from ptxgen.host.arrays import Array

    taken = dlpack.take(data, stream=stream or 1)
    if not taken.contiguous:
        raise _gaps(data)
    fields = taken.fields
    type = scalar_of_dlpack(fields.dtype.code, fields.dtype.bits)
    memory = Borrowed(device.context, (fields.data or 0) + fields.byte_offset, taken)
    return Array(device, memory, type, taken.shape)


def _borrowed_by_interface(device: Device, data: Any, stream: int) -> Array:
    from ptxgen.host.arrays import Array

    interface = data.__cuda_array_interface__
    element = element_of_typestr(interface["typestr"])
    if element is None or element.name not in TYPES:
        raise ArgumentTypeError(f"no device type for {interface['typestr']!r}", hint="view its bits as integers first")
    type, shape = TYPES[element.name], tuple(interface["shape"])
    if interface.get("strides") not in (None, _strides(shape, type)):
        raise _gaps(data)
    pending = interface.get("stream")
    if pending is not None and same_stream(int(pending)) != stream:
        order(device.context, first=same_stream(int(pending)), then=stream)
    return Array(device, Borrowed(device.context, int(interface["data"][0] or 0), data), type, shape)


def _strides(shape: tuple[int, ...], type: ScalarType) -> tuple[int, ...]:
    strides = [type.bytes] * len(shape)
    for axis in reversed(range(len(shape) - 1)):
        strides[axis] = strides[axis + 1] * shape[axis + 1]
    return tuple(strides)


def _gaps(data: Any) -> ArgumentError:
    return ArgumentError(
        f"the {type(data).__name__}'s elements do not lie in C order without gaps",
        hint="make it contiguous first: tensor.contiguous(), cupy.ascontiguousarray(array)",
    )


def host_array(data: Any) -> tuple[Any, ScalarType | None]:
    """Host data for numpy: bf16 and fp8 of a framework or of ml_dtypes, which numpy does not know, as their bit patterns and
    their type; anything else as it is, and None. What PyTorch notes of a tensor's gradient does not matter to a copy."""
    if getattr(data, "requires_grad", False):
        data = data.detach()
    element = foreign_element(data)
    if element is None or element.name not in ENCODED or not hasattr(data, "__dlpack__"):
        return data, None
    np, type = numpy_module(), TYPES[element.name]
    if isinstance(data, np.ndarray):
        return np.ascontiguousarray(data).view(numpy_name(type)).reshape(data.shape), type
    try:
        taken = dlpack.take(data)
    except BufferError:  # PyTorch before 2.8 gives no capsule of fp8
        if type.bits != 8 or not hasattr(data, "view") or "torch" not in sys.modules:
            raise
        data = data.view(sys.modules["torch"].uint8)
        taken = dlpack.take(data)
    if not taken.contiguous and hasattr(data, "contiguous"):
        taken = dlpack.take(data.contiguous())
    if not taken.contiguous:
        raise _gaps(data)
    fields = taken.fields
    size = (element.bits // 8) * int(np.prod(taken.shape, dtype=np.int64))
    raw = ctypes.string_at((fields.data or 0) + fields.byte_offset, size)
    return np.frombuffer(raw, dtype=numpy_name(type)).reshape(taken.shape), type


# --- giving -----------------------------------------------------------------------------------------------------------


def device_of(array: Array) -> tuple[int, int]:
    """(DLDeviceType, ordinal) of an array of ours."""
    if array.device.kind != "cuda":
        raise BufferError("an array of the CPU device lies in the device's own arena; array.numpy() copies it")
    return dlpack.CUDA, array.device.handle.ordinal


def give(array: Array, stream: int | None, max_version: Any, dl_device: Any, copy: bool | None) -> Any:
    """A capsule; see `Array.__dlpack__`."""
    place = device_of(array)
    if dl_device is not None and tuple(map(int, dl_device)) != place:
        raise BufferError(f"the array lives on DLPack device {place}, and is not copied to {tuple(dl_device)}")
    if stream == 0:
        raise ValueError("stream 0 is ambiguous in DLPack: 1 is the legacy default stream, 2 the per-thread one")
    source = array.device.array(array) if copy else array
    if stream != -1:
        current, receiver = array.device.current_stream.handle, same_stream(stream or 1)
        if current != receiver:
            order(array.context, first=current, then=receiver)
    versioned = max_version is not None and max_version[0] >= 1
    address = source.pointer if source.size else 0
    lease = Lease(source, source.buffer if isinstance(source.buffer, Handle) else None)
    return dlpack.give(lease, address, source.shape, dlpack_type(source.type), place, versioned)
