"""Who frees what, and when: handles, pins, the end of the interpreter, and fork.

A handle closes in one of three ways. ``close()`` frees it at once. Garbage collection only notes it, because a
finalizer may run on any thread, inside any driver call or capture; the next call on its context frees it. At
interpreter exit nothing is freed: the end of the process does that, and the driver may be gone before our finalizers.

What a graph uses is *pinned* by it: ``close()`` on a pinned handle forbids further use, and the last graph's close
frees it.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import threading
import weakref
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, TypeVar

from driver_ctypes.errors import ArgumentTypeError, ClosedError, SubinterpreterError

if TYPE_CHECKING:
    from collections.abc import Callable

    from driver_ctypes.contexts.context import Context
    from driver_ctypes.loading.table import Driver
    from driver_ctypes.memory.accounting import MemoryAccount

_H = TypeVar("_H", bound="Handle")

ACCOUNTS: list[MemoryAccount] = []
"""The accounts of device memory that want to be told; see accounting.py."""


class _Process:
    """State of this process: whether it ends, and which drivers a fork would kill."""

    closing = False
    drivers: ClassVar[weakref.WeakSet[Driver]] = weakref.WeakSet()


def require_main_interpreter() -> None:
    """Raise SubinterpreterError in a sub-interpreter: driver handles, callbacks and machine code are the process's, and
    nothing would keep two interpreters from freeing them under each other.
    """
    api = ctypes.pythonapi
    api.PyInterpreterState_Get.restype = ctypes.c_void_p
    api.PyInterpreterState_GetID.restype = ctypes.c_int64
    number = api.PyInterpreterState_GetID(ctypes.c_void_p(api.PyInterpreterState_Get()))
    if number != 0:
        raise SubinterpreterError(
            f"a driver cannot be opened in sub-interpreter {number}",
            hint="use the main interpreter's threads, or another process",
        )


def watch(driver: Driver) -> None:
    """Count *driver* among the opened ones, and mark it dead in every forked child from now on."""
    _Process.drivers.add(driver)


def opened_drivers() -> list[Driver]:
    """Every driver that this process has opened and still holds, by name."""
    return sorted(_Process.drivers, key=lambda driver: driver.name)


def _at_exit() -> None:
    _Process.closing = True


def _after_fork_in_child() -> None:
    Pinned._lock = threading.Lock()  # a thread that is gone now may have held it
    ACCOUNTS.clear()
    for driver in list(_Process.drivers):
        driver._die_in_child()


def renew_in_child(namespace: dict[str, Any], name: str, make: Callable[[], Any] = threading.Lock) -> None:
    """In a forked child the lock *name* of a module is a new one: the thread that may have held it is gone."""

    def renew() -> None:
        namespace[name] = make()

    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=renew)


atexit.register(_at_exit)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)


class Life:
    """Whether device memory may still be used, and where: shared by an allocation and every array that lies in it.

    *context* is the context of the memory, and None once the memory was closed. Memory that has a slot ``_life`` with
    one, and a slot ``_address`` with its address, goes into a launch by two comparisons.
    """

    __slots__ = ("context",)

    def __init__(self, context: Context | None) -> None:
        self.context = context


class Single:
    """What there is once, because it stands for one thing of the driver: a copy would be a second owner of it."""

    __slots__ = ()

    def __reduce_ex__(self, protocol: object) -> NoReturn:  # what `copy`, `deepcopy` and `pickle` ask
        raise ArgumentTypeError(
            f"{self!r} stands for one thing of the driver, which cannot be copied or pickled",
            hint="use the object itself, which threads may share; make another one of its kind for another copy or process",
        )


class Pinned(Single):
    """What living graphs may use: when it is closed meanwhile, the last of them frees it."""

    _lock: ClassVar[threading.Lock] = threading.Lock()  # for the pins of all; never taken by a finalizer
    _pins = 0
    _closed = False

    def close(self) -> None:
        """Free it now. Closing twice does nothing; what a living graph uses is freed when that graph closes."""
        with Pinned._lock:
            self._closed = True
            if self._pins:
                return
        self._release()

    def _release(self) -> None:
        """Free it; once."""

    def _pin(self) -> None:
        """One graph more uses it."""
        with Pinned._lock:
            self._pins += 1

    def _unpin(self) -> None:
        """One graph less uses it. The last one frees it where ``close()`` was asked for meanwhile."""
        with Pinned._lock:
            self._pins -= 1
            if self._pins:
                return
        if self._closed:
            self._release()
        else:
            self._unused()

    def _unused(self) -> None:
        """No graph uses it any more, and it stays open."""


class Handle(Pinned):
    """Base of every object that owns one driver handle of a context."""

    context: Context
    """The context it lives in."""
    kind: ClassVar[str]  # its name in messages and in live_handles()
    _destroy: ClassVar[str]  # the driver function that frees it
    _handle = 0

    def __init__(self, context: Context, handle: int, *, nbytes: int = 0, more: tuple[int, ...] = ()) -> None:
        self.context = context
        if handle:
            context._adopt(self.kind, self._destroy, handle, nbytes, more)
            self._handle = handle

    @property
    def closed(self) -> bool:
        """Whether it can no longer be used."""
        return self._closed or self.context.closed

    def _release(self) -> None:
        handle, self._handle = self._handle, 0
        if handle:
            self.context._destroy_handle(self.kind, self._destroy, handle)

    def _check_open(self) -> None:
        if self._closed or self.context.closed:
            self.context.check()  # a dead driver or a lost context says more than "closed"
            raise ClosedError(
                f"this {self.kind} is closed", hint="keep it open, or its `with` block running, while it is used"
            )

    def __del__(self, _process: type[_Process] = _Process) -> None:  # a default outlives the module's names
        if self._handle and not _process.closing:
            self.context._defer(self.kind, self._destroy, self._handle)
            self._let_go()

    def _let_go(self) -> None:
        """What else a collected object leaves for the next call to do; called by the finalizer."""

    def __enter__(self: _H) -> _H:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        state = " closed" if self.closed else ""
        return f"<{type(self).__name__} {self._handle:#x} on {self.context.device!r}{state}>"
