"""Memory and streams of other libraries: PyTorch, CuPy, Numba, JAX, and whoever speaks one of the protocols.

Read here: ``__cuda_array_interface__`` (version 3 with its stream), DLPack (capsules of either generation, and the C
exchange table of version 1.3), PyTorch's tensors by their own methods, ``__cuda_stream__``. Nothing here imports a
framework: whoever has an array of one, has imported it.

Which stream an array is used on is part of what it is. A reader therefore tells the address, the device, the elements,
and the stream on which its framework works now.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from driver_ctypes import dlpack
from driver_ctypes.errors import ArgumentError, ArgumentTypeError

if TYPE_CHECKING:
    from driver_ctypes.context import Context
    from driver_ctypes.signature import ElementType

_IMPLICIT = 906  # CUDA_ERROR_STREAM_CAPTURE_IMPLICIT: the default stream waits for a stream that captures
_LEGACY = 1  # CU_STREAM_LEGACY: another name of the default stream


class Element(NamedTuple):
    """A type of array elements, where the array belongs to a framework."""

    name: str
    kind: str
    bits: int


class Foreign(NamedTuple):
    """An array of another library in device memory. What is not known is None."""

    address: int
    ordinal: int | None
    element: ElementType | None
    stream: int | None
    """The stream on which its library works; None where the library says that nothing is pending."""
    keep: Any = None
    """What must live until the work that uses the address is queued."""


class ForeignArgument(Exception):
    """Raised inside a launch: an argument belongs to another library, so its stream matters too."""


Reader = Callable[[Any, int], "Foreign | None"]
"""``reader(array, stream)``: the array, ready to be used on *stream*; None where it is not in device memory."""

_readers: dict[type, Reader | None] = {}
_tables: dict[type, tuple[int, int] | None] = {}
_elements: dict[Any, Element | None] = {}  # by dtype; libraries have few of them
_MANY_TYPES = 512  # more than any program has; a program that makes types forgets the old ones


def reader_of(value: Any) -> Reader | None:
    """How to read *value*; None for what is no array of another library. Chosen once a type."""
    kind = type(value)
    try:
        return _readers[kind]
    except KeyError:
        if len(_readers) >= _MANY_TYPES:
            _readers.clear()
        reader = _readers[kind] = _choose(kind, value)
        return reader


def _choose(kind: type, value: Any) -> Reader | None:
    if hasattr(kind, "_life"):
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


def foreign_element(value: Any) -> ElementType | None:
    """What the elements of another library's array are, where it can be told without touching the memory."""
    dtype = getattr(value, "dtype", None)
    try:
        return _elements[dtype]
    except KeyError:
        found = _elements[dtype] = element_named(str(getattr(dtype, "name", dtype)).rpartition(".")[2])
        return found
    except TypeError:  # no library's type, since it cannot be hashed
        return None


def foreign_address(value: Any, context: Context) -> int | None:
    """The device address of another library's array, for work on *context*; None where *value* is no such array.

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


def on_device_of(context: Context, found: Foreign, value: Any) -> Foreign:
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
    ordinal = value.get_device()
    current = sys.modules["torch"].cuda.current_stream(ordinal).cuda_stream
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
    pending = interface.get("stream")
    return Foreign(
        int(interface["data"][0] or 0),
        _ordinal(value),
        element_of_typestr(interface.get("typestr", "")),
        None if pending is None else same_stream(int(pending)),
    )


def read_dlpack(value: Any, stream: int) -> Foreign | None:
    if not _on_gpu(value):
        return None
    tensor = dlpack.take(value, stream=stream or _LEGACY)
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


# --- elements ---------------------------------------------------------------------------------------------------------

# numpy's, PyTorch's and JAX's names -> the names that PTX has
_NAMES = {
    "bool": Element("u8", "u", 8), "half": Element("f16", "f", 16), "float16": Element("f16", "f", 16),
    "bfloat16": Element("bf16", "f", 16), "float": Element("f32", "f", 32), "float32": Element("f32", "f", 32),
    "double": Element("f64", "f", 64), "float64": Element("f64", "f", 64), "complex32": Element("complex32", "c", 32),
    "complex64": Element("complex64", "c", 64),
    "complex128": Element("complex128", "c", 128), "float8_e4m3fn": Element("e4m3", "f", 8),
    "float8_e5m2": Element("e5m2", "f", 8),
    **{f"{long}{bits}": Element(f"{short}{bits}", short, bits)
       for long, short in (("int", "s"), ("uint", "u")) for bits in (8, 16, 32, 64)},
}  # fmt: skip

# DLDataTypeCode (dlpack.h): int, uint, float, bfloat, complex, bool, and the fp8 formats that PTX has
_CODES = {0: "s", 1: "u", 2: "f", 4: "bf", 5: "complex", 6: "u", 10: "e4m3", 12: "e5m2"}
_TYPESTR = {"i": "s", "u": "u", "f": "f", "b": "u", "c": "complex"}


def element_named(name: str) -> Element | None:
    """The element type that a framework calls *name*."""
    return _NAMES.get(name)


@cache
def element_of_dtype(code: int, bits: int) -> Element | None:
    """The element type of a DLDataType; None for one that PTX does not know."""
    stem = _CODES.get(code)
    if stem is None:
        return None
    if stem in ("e4m3", "e5m2"):
        return Element(stem, "f", bits)
    return Element(f"{stem}{bits}", {"bf": "f", "complex": "c"}.get(stem, stem), bits)


@cache
def element_of_typestr(typestr: str) -> Element | None:
    """The element type of numpy's ``<f4`` notation, which bf16 and fp8 do not have."""
    stem = _TYPESTR.get(typestr[1:2])
    if stem is None or not typestr[2:].isdigit():
        return None
    bits = 8 * int(typestr[2:])
    return Element(f"{stem}{bits}", "c" if stem == "complex" else stem, bits)


# --- streams ----------------------------------------------------------------------------------------------------------


def same_stream(handle: int) -> int:
    """*handle*, with one number for the default stream, which has two (0 and CU_STREAM_LEGACY)."""
    return 0 if handle == _LEGACY else handle


def stream_handle(stream: Any) -> int | None:
    """The CUstream of another library's stream; None for what is no stream.

    ``__cuda_stream__`` first; then what older PyTorch (``cuda_stream``), CuPy (``ptr``) and Numba (``handle``) have.
    Raises ArgumentTypeError for a version of the protocol that is not known.
    """
    protocol = getattr(stream, "__cuda_stream__", None)
    if protocol is not None:
        version, handle = protocol() if callable(protocol) else protocol
        if version != 0:
            raise ArgumentTypeError(
                f"{type(stream).__name__} speaks version {version} of __cuda_stream__; 0 is known",
                hint="update this package, or pass the CUstream as int",
            )
        return int(handle)
    home = type(stream).__module__.partition(".")[0]
    name = {"torch": "cuda_stream", "cupy": "ptr", "cupy_backends": "ptr", "numba": "handle"}.get(home)
    handle = getattr(stream, name, None) if name else None
    handle = getattr(handle, "value", handle)  # Numba's is a ctypes pointer
    if handle is None:
        return 0 if name == "handle" and hasattr(stream, "handle") else None
    return int(handle)


def order(context: Context, first: int, then: int) -> None:
    """Let what is queued on stream *then* from now on wait for what is queued on stream *first*: an event between."""
    with context.event(timing=False) as event:
        context.call("cuEventRecord", event.handle, first)
        context.call("cuStreamWaitEvent", then, event.handle, 0)


def captures(context: Context, handle: int) -> bool:
    """Whether anybody, perhaps another library, records a graph from this stream."""
    status = ctypes.c_int()
    code = context._try("cuStreamIsCapturing", handle, ctypes.byref(status))
    return code == _IMPLICIT if code else status.value != 0


# --- DLPack's C exchange table ----------------------------------------------------------------------------------------


class _Table(ctypes.Structure):
    """DLPackExchangeAPI (dlpack.h 1.3)."""

    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("previous", ctypes.c_void_p),
        ("managed_tensor_allocator", ctypes.c_void_p),
        ("managed_tensor_from_py_object_no_sync", ctypes.c_void_p),
        ("managed_tensor_to_py_object_no_sync", ctypes.c_void_p),
        ("dltensor_from_py_object_no_sync", ctypes.c_void_p),
        ("current_work_stream", ctypes.c_void_p),
    )


_tell_tensor = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_void_p)


def exchange_table(kind: type) -> tuple[int, int] | None:
    """(dltensor_from_py_object_no_sync, current_work_stream) of a type of tensors, where it has both for DLPack 1."""
    try:
        return _tables[kind]
    except KeyError:
        if len(_tables) >= _MANY_TYPES:
            _tables.clear()
        found = _tables[kind] = _read_table(kind)
        return found


def _read_table(kind: type) -> tuple[int, int] | None:
    capsule = getattr(kind, "__dlpack_c_exchange_api__", None)
    address = dlpack.capsule_pointer(capsule, b"dlpack_exchange_api")
    while address:
        table = _Table.from_address(address)
        if table.major == 1:
            found = (table.dltensor_from_py_object_no_sync or 0, table.current_work_stream or 0)
            return found if all(found) else None
        address = table.previous or 0
    return None


def exchanged_dtype(value: Any, function: int) -> int | None:
    """The DLDataType of a tensor as one number, told by its exchange table; None where the table does not tell."""
    tensor = dlpack.Tensor()
    try:
        if _tell_tensor(function)(value, ctypes.addressof(tensor)):
            return None
    except Exception:  # the library's own refusal, such as of tensors that need gradients
        return None
    return int(tensor.dtype.code | tensor.dtype.bits << 8 | tensor.dtype.lanes << 16)
