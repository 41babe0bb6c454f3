"""Functions of the host in graphs. The driver calls them on a thread of its own, where no driver call is allowed.

One C function serves all of them, and lives as long as the process: a node carries a number, under which the Python
function is found. What a function raises is kept, and raised by the next call: a launch or the end of the
executable, or a synchronisation of the stream or the context.
"""

from __future__ import annotations

import atexit
import ctypes
from contextlib import suppress
from itertools import count
from typing import TYPE_CHECKING, Any
from weakref import WeakSet, WeakValueDictionary

from driver_ctypes.errors import ArgumentTypeError, Error
from driver_ctypes.lifetime import Process
from driver_ctypes.streams.hostcalls import untold
from driver_ctypes.streams.hostqueue import raise_first

if TYPE_CHECKING:
    from collections.abc import Callable

    from driver_ctypes.session.session import Session

_numbers = count(1)
_functions: WeakValueDictionary[int, HostFunction] = WeakValueDictionary()
_contexts: WeakSet[Session] = WeakSet()  # that may call


class HostFunction:
    """A Python function of no arguments, as a node may call it, for as long as somebody keeps this object."""

    def __init__(self, context: Session, function: Callable[[], Any]) -> None:
        if not callable(function):
            raise ArgumentTypeError(
                f"{type(function).__name__} is not callable", hint="pass a function that takes no arguments"
            )
        self.context = context
        self.function = function
        self.streams: set[int] = set()  # that it was launched on
        self.number: int = next(_numbers)
        self.errors: list[BaseException] = []
        _functions[self.number] = self
        _contexts.add(context)

    @property
    def name(self) -> str:
        """The function's own name."""
        return getattr(self.function, "__qualname__", None) or type(self.function).__name__

    def __repr__(self) -> str:
        return f"<HostFunction {self.name}>"

    def raise_kept(self) -> None:
        """Raise HostFunctionError for the first exception since the last look, which is its cause."""
        errors, self.errors = self.errors, []
        with suppress(ValueError):
            untold.remove(self)
        if errors:
            raise_first(errors, f"host function {self.name}", "calls", "the graph's other nodes")


def _call(number: int | None) -> None:
    function = _functions.get(number or 0)
    if function is None or Process.closing:
        return
    try:
        function.function()
    except BaseException as error:  # nothing may cross into the driver; the next call raises it
        function.errors.append(error)
        untold.append(function)


TRAMPOLINE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(_call)
ADDRESS: int = ctypes.cast(TRAMPOLINE, ctypes.c_void_p).value or 0


def host_function_of(number: int) -> HostFunction | None:
    """The function of a node's user data."""
    return _functions.get(number)


def _finish() -> None:
    """Before the interpreter ends: calls that are under way come to their end, so that none arrives afterwards."""
    for context in list(_contexts):
        if not context.closed and context.poisoned is None and not context.driver.dead and _functions:
            with suppress(Error):
                context.try_call("cuCtxSynchronize")


atexit.register(_finish)
