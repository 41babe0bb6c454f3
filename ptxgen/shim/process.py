"""The Python side of the libraries: which function of ours an entry leads to."""

from __future__ import annotations

import ctypes
import os
import sys
import threading  # noqa: F401  # by the thread that has loaded Python: the first that imports it is Python's main thread
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ptxgen.emulated_driver.calls.stubs import stub_for
from ptxgen.emulated_driver.state.record import record_into
from ptxgen.emulated_driver.table import address_of, answer_exports
from ptxgen.shim import exports, nvjitlink, nvrtc
from ptxgen.shim.exports import LIBRARY

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["REPORT", "fill"]

REPORT = "PTXGEN_EXEC_REPORT"
"""The variable with the folder that each process records into: what it launched."""


def _keep(callback: Any) -> None:
    """For ever: C code may call it after everything of Python is gone."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(callback))


def fill(library: str, place: int) -> None:
    """Set the pointer at an address to a function (number of an entry, where its address goes) -> 0, for a library of ours.

    Called by the library, once in a process. The address is 0 for what is not offered.
    """
    names, address = _offered(library)

    def resolve(number: int, into: int) -> int:
        try:
            ctypes.c_uint64.from_address(into).value = address(names[number])
        except Exception:
            sys.stderr.write(f"{library}: {names[number]} cannot be made:\n{traceback.format_exc()}")
        return 0

    answer = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_uint64, ctypes.c_void_p)(resolve)
    _keep(answer)
    if library == LIBRARY:
        answer_exports(_exports_of(place))
    if REPORT in os.environ and library == LIBRARY:
        record_into(Path(os.environ[REPORT]))
    ctypes.c_uint64.from_address(place).value = stub_for(answer)


class _Place(ctypes.Structure):
    """Dl_info."""

    _fields_ = (
        ("file", ctypes.c_char_p),
        ("base", ctypes.c_void_p),
        ("name", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
    )


def _exports_of(place: int) -> Callable[[str], int]:
    """A function from names to the addresses that a library has for them; `place` is anywhere in its memory."""
    found = _Place()
    ctypes.CDLL(None)["dladdr"](ctypes.c_void_p(place), ctypes.byref(found))
    library, exported = ctypes.CDLL(os.fsdecode(found.file)), frozenset(exports.FUNCTIONS)

    def address(name: str) -> int:
        return ctypes.cast(library[name], ctypes.c_void_p).value or 0 if name in exported else 0

    return address


def _offered(library: str) -> tuple[tuple[str, ...], Callable[[str], int]]:
    """The names that a library exports, in order, and what gives the address of each."""
    if library in nvjitlink.LIBRARIES:
        return nvjitlink.LIBRARIES[library], nvjitlink.address_of
    if library in nvrtc.LIBRARIES:
        return nvrtc.LIBRARIES[library], lambda symbol: nvrtc.address_of(library, symbol)
    return exports.FUNCTIONS, address_of
