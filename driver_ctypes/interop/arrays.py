"""Memory and streams of other libraries: PyTorch, CuPy, Numba, JAX, and any library with one of the protocols.

Read here: ``__cuda_array_interface__`` (version 3 with its stream), DLPack (capsules of either generation, and the C
exchange table of version 1.3), PyTorch's tensors by their own methods, ``__cuda_stream__``. Nothing here imports a
framework: a program with an array of a framework has imported it.

The stream on which an array is used belongs to the array. A reader therefore returns the address, the device, the elements,
and the stream that its framework uses now.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from driver_ctypes.errors import ArgumentError, ArgumentTypeError
from driver_ctypes.interop import dlpack
from driver_ctypes.interop.elements import element_of_dtype, element_of_typestr, foreign_element
from driver_ctypes.interop.streams import LEGACY, same_stream
from driver_ctypes.session.handle import Handle

if TYPE_CHECKING:
    from driver_ctypes.interop.elements import ElementType
    from driver_ctypes.session.session import Session


class Foreign(NamedTuple):
    """An array of another library in device memory. Unknown fields are None."""

    address: int
    ordinal: int | None
    element: ElementType | None
    stream: int | None
    """The stream that its library uses; None if the library reports no pending work."""
    keep: Any = None
    """What must live until the work that uses the address is queued."""


class ForeignArgument(Exception):
    """Raised inside a launch: an argument belongs to another library, so its stream matters too."""


Reader = Callable[[Any, int], "Foreign | None"]
"""``reader(array, stream)``: the array, ready to be used on *stream*; None where it is not in device memory."""

_readers: dict[type, Reader | None] = {}
_MANY_TYPES = 512  # more than any program has; a program that makes types forgets the old ones


def reader_of(value: Any) -> Reader | None:
    """How to read *value*; None for what is not an array of another library. Chosen once a type."""
    kind = type(value)
    try:
        return _readers[kind]
    except KeyError:
        if len(_readers) >= _MANY_TYPES:
            _readers.clear()
        reader = _readers[kind] = _choose(kind, value)
        return reader


def _choose(kind: type, value: Any) -> Reader | None:
    if hasattr(kind, "_life") or issubclass(kind, Handle):
        return None  # memory of this package, which others may read by the same protocols
    homes = {base.__module__.partition(".")[0] for base in kind.__mro__}
    if "torch" in homes and hasattr(kind, "data_ptr"):
        return _read_torch
    if "cupy" in homes and hasattr(kind, "data"):
        return read_cupy
    if not homes.isdisjoint(("jax", "jaxlib")) and hasattr(kind, "__dlpack__"):
        return read_dlpack  # its interface dictionary has no stream, its capsule is ordered on ours
    if hasattr(kind, "__cuda_array_interface__") or _interface(value) is not None:
        return _read_interface
    return read_dlpack if hasattr(kind, "__dlpack_device__") else None


def is_foreign(value: Any) -> bool:
    """Whether *value* may be an array of another library."""
    return reader_of(value) is not None


def foreign_address(value: Any, context: Session) -> int | None:
    """The device address of another library's array, for work on *context*; None where *value* is not such an array.

    Raises ArgumentTypeError where the driver cannot reach it, ArgumentError where it is on another device.
    """
    reader = reader_of(value)
    if reader is None:
        return None
    if not context.driver.foreign_pointers:
        if _interface(value) is None and not _on_gpu(value):
            return None
        raise ArgumentTypeError(
            f"{type(value).__name__} is another library's CUDA memory, out of reach of {context.driver!r}",
            hint="copy it into a buffer of this device (through host memory)",
        )
    found = reader(value, 0)
    return None if found is None else on_device_of(context, found, value).address


def foreign_ordinal(value: Any) -> int | None:
    """The number of the CUDA device that another library's array lives on; None for what is in no GPU's memory."""
    reader = reader_of(value)
    if reader is _read_torch:
        number = int(value.get_device())  # -1 for host memory
        return number if number >= 0 else None
    if reader is read_cupy:
        return int(value.data.device_id)
    if hasattr(value, "__dlpack_device__"):
        kind, ordinal = value.__dlpack_device__()
        return int(ordinal) if int(kind) in (dlpack.CUDA, dlpack.CUDA_MANAGED) else None
    return (_ordinal(value) or 0) if _interface(value) is not None else None


def on_device_of(context: Session, found: Foreign, value: Any) -> Foreign:
    """*found* itself. Raises ArgumentError where it is on another device than *context*."""
    if found.ordinal is not None and found.ordinal != context.device.ordinal:
        raise ArgumentError(
            f"the {type(value).__name__} lives on CUDA device {found.ordinal}, the kernel on {context!r}",
            hint="copy it to the kernel's device first",
        )
    return found


# --- readers ----------------------------------------------------------------------------------------------------------


def _read_torch(value: Any, stream: int) -> Foreign | None:
    if not value.is_cuda:
        return None
    ordinal, torch = value.get_device(), sys.modules["torch"]
    quick = getattr(torch._C, "_cuda_getCurrentRawStream", None)  # a tenth of the time
    current = torch.cuda.current_stream(ordinal).cuda_stream if quick is None else quick(ordinal)
    return Foreign(value.data_ptr(), ordinal, foreign_element(value), same_stream(current))


def read_cupy(value: Any, stream: int) -> Foreign | None:
    current = sys.modules["cupy"].cuda.get_current_stream().ptr
    memory = value.data
    return Foreign(memory.ptr, memory.device_id, foreign_element(value), same_stream(current))


def _interface(value: Any) -> Any:
    return getattr(value, "__cuda_array_interface__", None)


def _read_interface(value: Any, stream: int) -> Foreign | None:
    interface = _interface(value)
    if interface is None:
        return None
    try:
        address, pending = int(interface["data"][0] or 0), interface.get("stream")
        pending = None if pending is None else same_stream(int(pending))
    except (AttributeError, KeyError, IndexError, TypeError, ValueError):
        raise ArgumentTypeError(
            f"{type(value).__name__}.__cuda_array_interface__ is {interface!r:.80}: it has no data=(address, read-only)",
            hint="version 3 of the protocol has shape, typestr, data and version",
        ) from None
    return Foreign(
        address,
        _ordinal(value),
        element_of_typestr(str(interface.get("typestr", ""))),
        pending,
    )


def read_dlpack(value: Any, stream: int) -> Foreign | None:
    if not _on_gpu(value):
        return None
    tensor = dlpack.take(value, stream=stream or LEGACY)
    address = (tensor.fields.data or 0) + tensor.fields.byte_offset
    dtype = tensor.fields.dtype
    return Foreign(address, tensor.fields.device_id, element_of_dtype(dtype.code, dtype.bits), None, tensor)


def _on_gpu(value: Any) -> bool:
    device = getattr(value, "__dlpack_device__", None)
    return device is not None and int(device()[0]) in (dlpack.CUDA, dlpack.CUDA_MANAGED)


def _ordinal(value: Any) -> int | None:
    """The device number of an array, which every library calls by another name."""
    place = getattr(value, "device", None)
    for name in ("id", "index"):
        number = getattr(place, name, None)
        if isinstance(number, int):
            return number
    return None
