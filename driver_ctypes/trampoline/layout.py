"""The structures that machine code and Python share: the memory behind a launcher, field by field.

A launcher's self object is a ctypes structure, whose data pointer is right behind the object header. Everything that
distinguishes two launchers of one signature is in that structure, so one machine function serves them all.

Each pointer parameter has a *cache* of the kind of its last array: the offset of the address in such
an object, or the C function of its framework that returns it. The slow path fills it; see `learn`.
"""

from __future__ import annotations

import ctypes
from functools import cache

from driver_ctypes.abi.structs import CUlaunchConfig
from driver_ctypes.typing import Any

DATA_POINTER = 16
"""Offset of a ctypes object's data pointer (the first field behind the object header, CPython's ctypes.h)."""

TYPE_POINTER = 8
"""Offset of every object's type (CPython's object.h, builds with a GIL)."""

DLPACK_CUDA = 2  # kDLCUDA (dlpack.h)


class Cache(ctypes.Structure):
    """The last array, other than an address, of one pointer parameter."""

    _fields_ = (
        ("type", ctypes.c_void_p),  # the argument's type; nothing is known while this is 0
        ("exchange", ctypes.c_void_p),  # dltensor_from_py_object_no_sync of a framework's type; 0 for memory of ours
        ("work_stream", ctypes.c_void_p),  # current_work_stream, from the same table
        ("address", ctypes.c_int64),  # offsets of slots in an object of ours: its address,
        ("life", ctypes.c_int64),  # its `Life`,
        ("element", ctypes.c_int64),  # its element type, or 0 where that does not matter
        ("wanted", ctypes.c_void_p),  # the element type object that fits
        ("dtype", ctypes.c_uint32),  # the DLDataType that fits,
        ("dtype_mask", ctypes.c_uint32),  # and 0 where it does not matter
        ("misaligned", ctypes.c_uint64),  # address bits that must be 0
    )


class Frame(ctypes.Structure):
    """What one launch reads from its arrays, on the machine's stack."""

    _fields_ = (
        ("source", ctypes.c_void_p),  # the framework's function that returned it
        ("stream", ctypes.c_uint64),  # its current stream
        ("own", ctypes.c_uint64),  # whether memory of this package is among the arguments
    )


class State(ctypes.Structure):
    """The part that all launchers have."""

    _fields_ = (
        ("guard", ctypes.c_uint64),  # not 0: take the slow path
        ("ended", ctypes.c_uint64),  # not 0: for ever
        ("under_way", ctypes.c_uint64),  # launches that have begun; written with the GIL held
        ("slow", ctypes.c_void_p),  # slow(code, *args): code is 0, or the driver's result
        ("function", ctypes.c_void_p),  # CUfunction
        ("launch", ctypes.c_void_p),  # cuLaunchKernelEx
        ("ask_context", ctypes.c_void_p),  # cuCtxGetCurrent
        ("context_handle", ctypes.c_void_p),  # CUcontext
        ("context", ctypes.c_void_p),  # the Context object
        ("last", ctypes.c_void_p),  # where the context notes whose launch was the last
        ("serial", ctypes.c_uint64),  # this launcher's number there
        ("stream", ctypes.c_uint64),  # CUstream
        ("follows", ctypes.c_uint64),  # whether a framework's array brings its own stream
        ("dl_device", ctypes.c_uint64),  # DLDevice: kDLCUDA and the ordinal
        ("config", CUlaunchConfig),
    )


CACHES = ctypes.sizeof(State)
"""Offset of the first cache."""


@cache
def state_type(params: int) -> Any:
    """The structure for that many parameters. Its instances take attributes: what the launcher keeps alive."""
    return type("Launcher", (State,), {"__module__": "driver_ctypes", "_fields_": (("caches", Cache * params),)})


class _MemberDef(ctypes.Structure):
    """CPython's PyMemberDef (descrobject.h)."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("type", ctypes.c_int),
        ("offset", ctypes.c_ssize_t),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


_MEMBER = 40  # offset of d_member in PyMemberDescrObject: object header, d_type, d_name, d_qualname

_SlotDescriptor = type(type("_", (), {"__slots__": ("x",)}).__dict__["x"])


def slot_offset(value: Any, name: str) -> int:
    """The offset of the slot *name* in the object *value*; 0 if *name* is not a slot, or is at another place than expected."""
    descriptor = getattr(type(value), name, None)
    if type(descriptor) is not _SlotDescriptor:
        return 0
    member = ctypes.c_void_p.from_address(id(descriptor) + _MEMBER).value
    if not member:
        return 0
    offset = int(_MemberDef.from_address(member).offset)
    if not TYPE_POINTER < offset <= type(value).__basicsize__ - 8:
        return 0
    found = ctypes.c_void_p.from_address(id(value) + offset).value
    return offset if found == id(getattr(value, name)) else 0
