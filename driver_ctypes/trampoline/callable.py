"""Native launchers: the machine function of a signature made a Python callable, with its own state."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Sequence
from typing import Any

from driver_ctypes.lifetime import renew_in_child
from driver_ctypes.trampoline.code import Shape, machine_function
from driver_ctypes.trampoline.engine import compile_functions, fresh_name
from driver_ctypes.trampoline.layout import state_type

_METH_FASTCALL = 0x80  # CPython's methodobject.h


class MethodDef(ctypes.Structure):
    """CPython's PyMethodDef, part of its stable ABI."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


new_function: Callable[..., Any] = ctypes.PYFUNCTYPE(
    ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p
)(("PyCFunction_NewEx", ctypes.pythonapi))

_functions: dict[tuple[Shape, ...], int] = {}
_lock = threading.Lock()
renew_in_child(globals(), "_lock")


def function_address(shapes: Sequence[Shape]) -> int:
    """The machine function for parameters of these shapes; compiled once (about 5 ms)."""
    key = tuple(shapes)
    with _lock:
        address = _functions.get(key)
        if address is None:
            name = fresh_name()
            address = _functions[key] = compile_functions(machine_function(name, key), name)[name]
    return address


def new_state(shapes: Sequence[Shape]) -> Any:
    """A launcher's memory, guarded: every call is slow until somebody clears ``guard``."""
    return state_type(len(shapes))(guard=1)


def native_callable(
    state: Any, shapes: Sequence[Shape], name: str, doc: str, slow: Callable[..., Any]
) -> Callable[..., None]:
    """The callable over *state*. It keeps *state* and *slow* alive; nothing keeps it but its users."""
    address = function_address(shapes)
    owner = type(state).from_buffer(
        state
    )  # the same memory under another object, so that *state* is not an owner of *slow*
    owner.method = MethodDef(name.encode(), address, _METH_FASTCALL, doc.encode())
    owner.slow_path = slow
    owner.slow = id(slow)
    function: Callable[..., None] = new_function(ctypes.addressof(owner.method), owner, None)
    return function
