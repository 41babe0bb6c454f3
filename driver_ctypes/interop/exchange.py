"""DLPack's C exchange table (DLPackExchangeAPI, dlpack.h 1.3): how machine code reads a tensor without calling Python."""

from __future__ import annotations

import ctypes
from typing import Any

from driver_ctypes.interop import dlpack

_tables: dict[type, tuple[int, int] | None] = {}
_MANY_TYPES = 512  # more than any program has; a program that makes types forgets the old ones


class Table(ctypes.Structure):
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
        table = Table.from_address(address)
        if table.major == 1:
            found = (table.dltensor_from_py_object_no_sync or 0, table.current_work_stream or 0)
            return found if all(found) else None
        address = table.previous or 0
    return None


def exchanged_dtype(value: Any, function: int) -> int | None:
    """The DLDataType of a tensor as one number, as its exchange table reports it; None if it does not."""
    tensor = dlpack.Tensor()
    try:
        if _tell_tensor(function)(value, ctypes.addressof(tensor)):
            return None
    except Exception:  # the library's own refusal, such as of tensors that need gradients
        return None
    return int(tensor.dtype.code | tensor.dtype.bits << 8 | tensor.dtype.lanes << 16)
