"""Memory and streams of other libraries: PyTorch, CuPy, Numba, JAX, and any library with one of the protocols.

Read here: ``__cuda_array_interface__`` (version 3 with its stream), DLPack (capsules of either generation, and the C
exchange table of version 1.3), PyTorch's tensors by their own methods, ``__cuda_stream__``. Nothing here imports a
framework: a program with an array of a framework has imported it.

The stream on which an array is used belongs to the array. A reader therefore returns the address, the device, the elements,
and the stream that its framework uses now.
"""

from __future__ import annotations

import sys

from driver_ctypes.errors import ArgumentError, ArgumentTypeError
from driver_ctypes.interop.elements import element_of_dtype, element_of_typestr, foreign_element
from driver_ctypes.session.handle import Handle
from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple
from driver_ctypes.validate import whole

if TYPE_CHECKING:
    from collections.abc import Callable

    from driver_ctypes.interop.elements import ElementType
    from driver_ctypes.session.session import Session

    Reader = Callable[[Any, int], "Foreign | None"]
    """``reader(array, stream)``: the array, ready to be used on *stream*; None where it is not in device memory."""


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


def extents_of(array: Any, found: Foreign | None = None) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """(shape in elements, strides in bytes) of an array of ours, PyTorch's, CuPy's, or one with an interface dictionary or
    DLPack; *found* is what `interop.arrays` read of it. Raises ArgumentTypeError for what has no shape."""
    shape = getattr(array, "shape", None)
    if shape is None:
        raise ArgumentTypeError(
            f"{type(array).__name__} has no shape", hint="pass an array, or a view of the buffer: dev.asarray(...)"
        )
    shape = tuple([int(n) for n in shape])
    strides = getattr(array, "strides", None)
    if strides is not None:
        return shape, tuple([int(n) for n in strides])
    stride, size = getattr(array, "stride", None), getattr(array, "element_size", None)
    if callable(stride) and callable(size):  # PyTorch
        bytes_ = int(size())
        return shape, tuple([int(n) * bytes_ for n in stride()])
    interface = getattr(array, "__cuda_array_interface__", None)
    if interface is not None and interface.get("strides") is not None:
        return shape, tuple([int(n) for n in interface["strides"]])
    return shape, _contiguous(shape, _itemsize(array, found))


def _itemsize(array: Any, found: Foreign | None) -> int:
    if found is not None and found.element is not None:
        return found.element.bits // 8
    size = getattr(getattr(array, "dtype", None), "itemsize", None) or getattr(array, "itemsize", None)
    if not isinstance(size, int):
        raise ArgumentTypeError(f"{type(array).__name__} does not say how large its elements are", hint="pass an array")
    return size


def _contiguous(shape: tuple[int, ...], size: int) -> tuple[int, ...]:
    strides = [size] * len(shape)
    for axis in reversed(range(len(shape) - 1)):
        strides[axis] = strides[axis + 1] * shape[axis + 1]
    return tuple(strides)


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
    if "cuda" in homes and hasattr(kind, "memory_resource"):
        return _read_cuda_core
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
    if reader is _read_cuda_core:
        return int(value.device_id) if value.is_device_accessible and value.device_id >= 0 else None
    if hasattr(value, "__dlpack_device__"):
        from driver_ctypes.interop import dlpack

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


def _read_cuda_core(value: Any, stream: int) -> Foreign | None:
    """A Buffer of cuda-core: memory without a type of elements, which its capsules call bytes."""
    if not value.is_device_accessible:
        return None
    return Foreign(int(value.handle), value.device_id if value.device_id >= 0 else None, None, None)


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
    from driver_ctypes.interop import dlpack

    tensor = dlpack.take(value, stream=stream or LEGACY)
    address = (tensor.fields.data or 0) + tensor.fields.byte_offset
    dtype = tensor.fields.dtype
    return Foreign(address, tensor.fields.device_id, element_of_dtype(dtype.code, dtype.bits), None, tensor)


def _on_gpu(value: Any) -> bool:
    device = getattr(value, "__dlpack_device__", None)
    from driver_ctypes.interop import dlpack

    return device is not None and int(device()[0]) in (dlpack.CUDA, dlpack.CUDA_MANAGED)


def _ordinal(value: Any) -> int | None:
    """The device number of an array, which every library calls by another name."""
    place = getattr(value, "device", None)
    for name in ("id", "index"):
        number = getattr(place, name, None)
        if isinstance(number, int):
            return number
    return None
