"""A context as what threads enter, and its health.

Each call makes the context current on the calling thread if it is not, and puts back another library's context
afterwards. A fault poisons the context: the first one is remembered, and every later call names it.
"""

from __future__ import annotations

import ctypes
import re
import threading
import time
from copy import copy
from typing import TYPE_CHECKING, Any
from weakref import WeakSet, WeakValueDictionary

from driver_ctypes.errors import ClosedError, ContextLostError, CudaError, source_place
from driver_ctypes.lifetime import Single
from driver_ctypes.results import FATAL_CODES

if TYPE_CHECKING:
    from collections.abc import Callable

    from driver_ctypes.contexts.device import Device
    from driver_ctypes.graphs.capture import Capture
    from driver_ctypes.graphs.launching import Replay
    from driver_ctypes.launch.plan import Plan
    from driver_ctypes.loading.table import Driver
    from driver_ctypes.modules.module import Module
    from driver_ctypes.streams.stream import Stream

# How the emulated driver's fault texts name the kernel and the PTX line.
_FAULT_KERNEL = re.compile(r"\bkernel ([\w$%]+),")
_FAULT_LINE = re.compile(r"^\s*PTX:(\d+).*$", re.MULTILINE)


_PATIENCE = 1.0  # seconds: a call from a function that the driver calls, which closes the context, does not end before


def _wait_while(busy: Callable[[], bool]) -> None:
    until = time.monotonic() + _PATIENCE
    while busy() and time.monotonic() < until:
        time.sleep(0)


class Entry(Single):
    """The part of a `Context` that every call goes through: which context it is, how a thread enters it, and what a failed
    call becomes.
    """

    def __init__(self, device: Device, handle: int, *, primary: bool) -> None:
        self._device = device
        self._primary = primary
        self._driver = device.driver
        self._handle = handle
        self._functions = device.driver.functions
        self._threads = device.driver.threads
        self._closed = False
        self._ending = 0  # the thread that closes it
        self._poison: CudaError | None = None
        self._peers: WeakSet[Entry] = WeakSet()  # whose memory it reaches
        self._captures: list[Capture] = []
        self._plans: WeakSet[Plan | Replay] = WeakSet()
        self._modules: WeakValueDictionary[int, Module] = WeakValueDictionary()  # by CUmodule, in order of loading
        self._last: object = None  # launched last; its str() goes into a fault's message
        self._launched = ctypes.c_uint64()  # the number of the plan whose native launch was the last, or 0
        self._inside: list[None] = []  # as many as calls of the driver are under way

    def __repr__(self) -> str:
        state = " closed" if self._closed else " poisoned" if self._poison else ""
        which = "" if self._primary else f" {self._handle:#x}"
        return f"<Context{which} of {self._device!r}{state}>"

    # --- what it is ---------------------------------------------------------------------------------------------------

    @property
    def device(self) -> Device:
        """Its device."""
        return self._device

    @property
    def driver(self) -> Driver:
        """The driver it lives on."""
        return self._driver

    @property
    def handle(self) -> int:
        """The CUcontext."""
        return self._handle

    @property
    def primary(self) -> bool:
        """Whether it is its device's primary context."""
        return self._primary

    @property
    def closed(self) -> bool:
        """Whether it was closed or reset, or belongs to the parent of this forked process."""
        return self._closed

    @property
    def poisoned(self) -> CudaError | None:
        """The first fault on this context, or None while it is well."""
        return self._poison

    def check(self) -> None:
        """Raise what any call would raise: ForkedProcessError, ClosedError, or ContextLostError after a fault."""
        if self._driver.dead:
            raise self._driver._forked()
        if self._closed:
            again = "primary_context" if self._primary else "create_context"
            raise ClosedError(
                f"the context of {self._device!r} is closed",
                hint=f"device.{again}() opens a new one; make the array, stream or kernel again there",
            )
        if self._ending not in (0, threading.get_ident()):
            raise ClosedError(
                f"the context of {self._device!r} is being closed by another thread",
                hint="close it when the threads that use it have ended",
            )
        if self._poison is not None:
            raise self._lost(self._poison)

    # --- entering it --------------------------------------------------------------------------------------------------

    def _enter(self) -> int:
        """Make it current on this thread. Returns the other context to put back, or 0."""
        thread = self._threads
        code = thread.ask()
        current = thread.slot.value or 0
        if current == self._handle and not code:
            return 0
        if code:
            raise self._error("cuCtxGetCurrent", code)
        code = self._functions["cuCtxSetCurrent"](self._handle)
        if code:
            raise self._error("cuCtxSetCurrent", code, (self._handle,))
        return current

    def _leave(self, previous: int) -> None:
        self._functions["cuCtxSetCurrent"](previous)

    def _quiesce(self) -> None:
        """Wait for the calls of other threads that have begun."""
        _wait_while(lambda: bool(self._inside))

    # --- its health ---------------------------------------------------------------------------------------------------

    def _error(self, symbol: str, code: int, args: tuple[Any, ...] = (), detail: str = "", **more: Any) -> CudaError:
        """The exception for a failed call. Remembers the first fault, and what broke a capture."""
        for capture in self._captures:
            capture._note_failure(symbol, code)
        if self._ending not in (0, threading.get_ident()):
            self._driver.new_log()
            raise ClosedError(
                f"the context of {self._device!r} was closed by another thread while {symbol} was called",
                hint="close it when the threads that use it have ended",
            )
        if code not in FATAL_CODES:
            return self._driver.error(symbol, code, args, detail=detail, **more)
        if self._poison is not None:
            return self._lost(self._poison)
        detail = self._fault_detail(detail)
        error = self._driver.error(symbol, code, args, detail=detail, explain=self._with_source, **more)
        self._poison = copy(error)  # a copy has no traceback, which would keep the frames' buffers alive
        self._revoke_plans()
        return error

    @property
    def _last_launch(self) -> object:
        """What was launched last. A native launcher only leaves its plan's number."""
        number = self._launched.value
        launched = [plan.launched for plan in list(self._plans) if plan.number == number] if number else []
        return launched[0] if launched else self._last

    @_last_launch.setter
    def _last_launch(self, launched: object) -> None:
        self._last = launched
        self._launched.value = 0

    def _fault_detail(self, detail: str) -> str:
        lost = "the context is lost; device.reset() opens a new one where the driver allows it"
        if not detail and self._last_launch:
            detail = f"last launch on this context: {self._last_launch}"
        return f"{detail}\n  {lost}" if detail else lost

    def _with_source(self, log: str) -> str:
        """A fault's text, with the source place of the PTX line that it names, where the kernel's module has a line map."""
        kernel, line = _FAULT_KERNEL.search(log), _FAULT_LINE.search(log)
        if kernel is None or line is None:
            return log
        for module in reversed(list(self._modules.values())):
            place = source_place(module.line_map, int(line[1])) if kernel[1] in module.signatures else None
            if place:
                return f"{log[: line.end()]}\n{line[0].partition('PTX:')[0]}{place}{log[line.end() :]}"
        return log

    def _lost(self, first: CudaError) -> ContextLostError:
        return ContextLostError(
            f"the context of {self._device!r} died earlier: {first.args[0]}",
            first=first,
            function=first.function,
            code=first.code,
            name=first.name,
            text=first.text,
            hint="correct the first fault; then device.reset() on an emulated device, a new process on a GPU",
        )

    # --- bound launchers ----------------------------------------------------------------------------------------------

    def _revoke_plans(self, stream: Stream | None = None, module: Module | None = None) -> None:
        """Send the next launch of every bound launcher (of that stream, of that module) through the checked path."""
        for plan in self._plans_of(stream, module):
            plan.revoke()

    def _end_plans(self, stream: Stream | None = None, module: Module | None = None) -> None:
        """No quick launch (on the stream, of the module) begins any more, and those of other threads that have begun are over:
        the driver must not lose what they use.
        """
        ended = self._plans_of(stream, module)
        for plan in ended:
            plan.end()
        _wait_while(lambda: any(plan.under_way for plan in ended))

    def _plans_of(self, stream: Stream | None, module: Module | None) -> list[Plan | Replay]:
        return [
            plan
            for plan in list(self._plans)
            if (stream is None or plan.stream is stream) and (module is None or plan.function.module is module)
        ]
