"""DLPack: arrays handed from library to library, by capsules of both generations (dlpack.h 1.3, its Python specification),
and read by machine code without calling Python, through the C exchange table (DLPackExchangeAPI).

A capsule holds a managed tensor: where the memory is, what it looks like, and how to give it back. The consumer renames the
capsule; the one whose name nobody changed gives the tensor back itself.
"""

from __future__ import annotations

import ctypes
import weakref

from driver_ctypes.errors import ArgumentTypeError
from driver_ctypes.primitives import cache
from driver_ctypes.typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

CPU, CUDA, CUDA_HOST, CUDA_MANAGED = 1, 2, 3, 13  # DLDeviceType

_VERSION = (1, 0)  # of the capsules that are made here: nothing younger is used
_READ_ONLY = 1  # DLPACK_FLAG_BITMASK_READ_ONLY
_NAMES = {True: b"dltensor_versioned", False: b"dltensor"}
_USED = {True: b"used_dltensor_versioned", False: b"used_dltensor"}


class DataType(ctypes.Structure):
    """DLDataType."""

    _fields_ = (("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16))


class Tensor(ctypes.Structure):
    """DLTensor. Strides are in elements; none at all means C-contiguous."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("dtype", DataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


class _Managed(ctypes.Structure):
    """DLManagedTensor."""

    _fields_ = (("tensor", Tensor), ("manager", ctypes.c_void_p), ("deleter", ctypes.c_void_p))


class _ManagedVersioned(ctypes.Structure):
    """DLManagedTensorVersioned."""

    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("manager", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", Tensor),
    )


_KINDS: dict[bool, Any] = {True: _ManagedVersioned, False: _Managed}

_new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
    ("PyCapsule_New", ctypes.pythonapi)
)
_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)
_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_IsValid", ctypes.pythonapi))
_rename = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_SetName", ctypes.pythonapi))


def capsule_pointer(capsule: Any, name: bytes) -> int:
    """The contents of a capsule of that name; 0 for anything else."""
    return _pointer(capsule, name) or 0 if capsule is not None and _is_valid(capsule, name) else 0


# --- taking -----------------------------------------------------------------------------------------------------------


class Taken:
    """A tensor of another library, taken over: it lives until `release`, or until this is collected."""

    def __init__(self, managed: Any) -> None:
        self.fields: Tensor = managed.tensor
        self.read_only: bool = bool(getattr(managed, "flags", 0) & _READ_ONLY)
        self.release: weakref.finalize[..., Taken] = weakref.finalize(
            self, _give_back, ctypes.addressof(managed), managed.deleter or 0
        )
        self.release.atexit = False  # the library may be gone by then

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.fields.shape[: self.fields.ndim])

    @property
    def contiguous(self) -> bool:
        """Whether the elements lie in C order without gaps. An extent of 1 may have any stride, nothing any strides."""
        if not self.fields.strides or 0 in self.shape:
            return True
        expected = 1
        for extent, stride in zip(reversed(self.shape), reversed(self.fields.strides[: self.fields.ndim])):
            if extent > 1 and stride != expected:
                return False
            expected *= extent
        return True


def _give_back(managed: int, deleter: int) -> None:
    if deleter:
        ctypes.CFUNCTYPE(None, ctypes.c_void_p)(deleter)(managed)


def take(array: Any, *, stream: int | None = None) -> Taken:
    """Take over what *array* offers by ``__dlpack__``, ready for work on *stream* (1 is the default stream; none is
    given for host memory). Raises what the library raises, and ArgumentTypeError for a capsule that is none of DLPack's.
    """
    options = {} if stream is None else {"stream": stream}
    try:
        capsule = array.__dlpack__(max_version=_VERSION, **options)
    except TypeError:  # a library that supports unversioned capsules only
        capsule = array.__dlpack__(**options)
    for versioned, name in _NAMES.items():
        address = capsule_pointer(capsule, name)
        if address:
            managed = _KINDS[versioned].from_address(address)
            _rename(capsule, _USED[versioned])
            if versioned and managed.major != _VERSION[0]:
                _give_back(address, managed.deleter or 0)
                break
            return Taken(managed)
    raise ArgumentTypeError(
        f"{type(array).__name__}.__dlpack__ gave {capsule!r}, no tensor of DLPack {_VERSION[0]}",
        hint="a capsule can be taken once, and only of a version that both sides support",
    )


# --- giving -----------------------------------------------------------------------------------------------------------


class _Exported:
    """An exported tensor and its owner. It lives while the consumer holds it: its deleter releases it."""

    def __init__(self, owner: Any, versioned: bool, extents: Sequence[int]) -> None:
        self.owner = owner
        self.managed = _KINDS[versioned]()
        self.shape = (ctypes.c_int64 * max(len(extents), 1))(*extents)


def give(
    owner: Any, address: int, shape: Sequence[int], dtype: tuple[int, int], device: tuple[int, int], versioned: bool
) -> Any:
    """A capsule with the C-contiguous tensor at *address*; *owner* lives as long as the receiver uses it.

    *dtype* is (DLDataTypeCode, bits), *device* (DLDeviceType, ordinal).
    """
    exported = _Exported(owner, versioned, shape)
    managed = exported.managed
    deleter, destructor = _callbacks()[versioned]
    if versioned:
        managed.major, managed.minor = _VERSION
    managed.manager, managed.deleter = id(exported), deleter
    tensor = managed.tensor
    tensor.data, (tensor.device_type, tensor.device_id) = address, device
    tensor.ndim, tensor.dtype = len(shape), DataType(*dtype, 1)
    tensor.shape = ctypes.cast(exported.shape, ctypes.POINTER(ctypes.c_int64))
    capsule = _new(ctypes.addressof(managed), _NAMES[versioned], destructor)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(exported))
    return capsule


@cache
def _callbacks() -> dict[bool, tuple[int, int]]:
    """versioned -> addresses of (the tensor's deleter, the capsule's destructor).

    A deleter may be called from any thread; a destructor while an exception is on its way, where no Python code may
    run. Machine code is up to both; without llvmlite, functions of Python must do. They live as long as the process.
    """
    from driver_ctypes.trampoline.choice import is_native

    if is_native():
        from driver_ctypes.trampoline.shared import release_functions

        return {
            versioned: release_functions(_KINDS[versioned].manager.offset, name) for versioned, name in _NAMES.items()
        }
    return {versioned: _python_callbacks(versioned) for versioned in _NAMES}


_let_go = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(("Py_DecRef", ctypes.pythonapi))
_valid_at = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_IsValid", ctypes.pythonapi))
_pointer_at = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)


def _python_callbacks(versioned: bool) -> tuple[int, int]:
    kind, name = _KINDS[versioned], _NAMES[versioned]

    def delete(managed: int) -> None:
        _let_go(kind.from_address(managed).manager)

    def destroy(capsule: int) -> None:
        if _valid_at(capsule, name):
            delete(_pointer_at(capsule, name))

    deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(delete)
    destructor = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(destroy)
    for function in (deleter, destructor):
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(function))  # for ever: a receiver may be the last to go
    return ctypes.cast(deleter, ctypes.c_void_p).value or 0, ctypes.cast(destructor, ctypes.c_void_p).value or 0


_tables: dict[type, tuple[int, int] | None] = {}
_MANY_TYPES = 512  # more than any program has; a program that makes types forgets the old ones


class Table(ctypes.Structure):
    """DLPackExchangeAPI (h 1.3)."""

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
    address = capsule_pointer(capsule, b"dlpack_exchange_api")
    while address:
        table = Table.from_address(address)
        if table.major == 1:
            found = (table.dltensor_from_py_object_no_sync or 0, table.current_work_stream or 0)
            return found if all(found) else None
        address = table.previous or 0
    return None


def exchanged_dtype(value: Any, function: int) -> int | None:
    """The DLDataType of a tensor as one number, as its exchange table reports it; None if it does not."""
    tensor = Tensor()
    try:
        if _tell_tensor(function)(value, ctypes.addressof(tensor)):
            return None
    except Exception:  # the library's own refusal, such as of tensors that need gradients
        return None
    return int(tensor.dtype.code | tensor.dtype.bits << 8 | tensor.dtype.lanes << 16)
