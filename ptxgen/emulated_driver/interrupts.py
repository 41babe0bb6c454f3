"""Exceptions that end a driver call: those of signal handlers (Ctrl-C among them) and of `sys.exit`, which no C function
can hand on. The call answers UNKNOWN, and the exception is raised in its caller's place, before anything else there.

CPython's pending calls do that: they run in the main thread between two steps of a Python program, as signal handlers
do, and what they raise is raised there. One that comes while the callback itself is still ending waits for the next step.
"""

from __future__ import annotations

import ctypes
import sys

from driver_ctypes.typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import CodeType, TracebackType

_ends: set[CodeType] = set()
"""Python code that runs at the end of a callback: an exception raised there would be lost."""


def is_end_of_callback(function: Any) -> None:
    """*function* belongs to a callback, or is called by one that ends."""
    _ends.add(function.__code__)


class _Late:
    """An exception that waits for its caller. C asks whether it is true, and gets the exception."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def __bool__(self) -> bool:
        if sys._getframe(1).f_code in _ends:
            _raise_later(self)
            return False  # 0 is success
        waiting.remove(self)
        raise self.error


waiting: list[_Late] = []  # what C will ask


def deliver(error: BaseException) -> None:
    """Raise *error* where the main thread's Python program goes on. Elsewhere no handler runs, and nothing is done."""
    import threading

    if threading.current_thread() is threading.main_thread():
        late = _Late(error)
        waiting.append(late)
        _raise_later(late)


def of_a_handler(error: BaseException) -> bool:
    """Whether a signal handler has raised *error*: such a function is called with the very frame that it interrupts."""
    step: TracebackType | None = error.__traceback__
    while step is not None:
        frame = step.tb_frame
        interrupted = frame.f_back
        if interrupted is not None and any(
            value is interrupted or (type(value) is tuple and interrupted in value) for value in frame.f_locals.values()
        ):
            return True
        step = step.tb_next
    return False


def _raise_later(late: _Late) -> None:
    ctypes.pythonapi.Py_AddPendingCall(_IS_TRUE, ctypes.py_object(late))


_IS_TRUE = ctypes.cast(ctypes.pythonapi.PyObject_IsTrue, ctypes.c_void_p)
for _function in (_Late.__init__, deliver, _raise_later):
    is_end_of_callback(_function)
