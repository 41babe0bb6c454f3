"""What holds for the whole process: its end, forks, which drivers are open, who keeps an account of memory.

At interpreter exit nothing is freed: the end of the process does that, and the driver may be gone before our
finalizers run. After a fork every open driver is unusable in the child. docs/lifetimes.md says who frees what, and when.
"""

from __future__ import annotations

import atexit
import ctypes
import os

from driver_ctypes.errors import ArgumentTypeError, SubinterpreterError
from driver_ctypes.primitives import Lock, WeakSet
from driver_ctypes.typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable


class Account(Protocol):
    """What is notified of allocations of device memory: the class of ``memory.accounting``."""

    def note_allocation(self, context: Any, kind: str, address: int, nbytes: int) -> None: ...

    def note_free(self, context: Any, kind: str, address: int) -> None: ...

    def note_end(self, context: Any) -> None: ...

    def note_copy(self, context: Any, way: str, nbytes: int) -> None: ...


class OpenDriver(Protocol):
    """A driver that a fork makes unusable."""

    name: str
    dead: bool

    def live_handles(self) -> dict[str, int]: ...

    def die_in_child(self) -> None: ...


ACCOUNTS: list[Account] = []
"""The accounts of device memory that are open."""


class Process:
    """State of this process: whether it ends, and which drivers a fork makes unusable."""

    closing = False
    drivers: ClassVar[WeakSet[Any]] = WeakSet()  # OpenDriver


def require_main_interpreter() -> None:
    """Raise SubinterpreterError in a sub-interpreter: driver handles, callbacks and machine code are the process's, and
    two interpreters could free each other's handles.
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


def note_open(driver: OpenDriver) -> None:
    """Count *driver* among the opened ones, and mark it unusable in every child forked from now on."""
    Process.drivers.add(driver)


def opened_drivers() -> list[OpenDriver]:
    """Every driver that this process has opened and still holds, by name."""
    return sorted(Process.drivers, key=lambda driver: driver.name)


def _at_exit() -> None:
    Process.closing = True


def _after_fork_in_child() -> None:
    ACCOUNTS.clear()
    for driver in list(Process.drivers):
        driver.die_in_child()


def in_child(action: Callable[[], object]) -> None:
    """Call *action* in every forked child from now on, before anything else runs there."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=action)


def renew_in_child(namespace: dict[str, Any], name: str, make: Callable[[], Any] = Lock) -> None:
    """Replace the lock *name* of a module in a forked child: a thread that does not exist there may have held it."""

    def renew() -> None:
        namespace[name] = make()

    in_child(renew)


atexit.register(_at_exit)
in_child(_after_fork_in_child)


class Life:
    """Whether device memory may still be used, and where: shared by an allocation and every array in it.

    *context* is the context of the memory, and None once the memory was closed. Memory that has a slot ``_life`` with
    one, and a slot ``_address`` with its address, is passed to a launch after two comparisons.
    """

    __slots__ = ("context",)

    def __init__(self, context: object | None) -> None:
        self.context: object | None = context


class Single:
    """An object that owns one object of the driver: a copy would be a second owner."""

    __slots__ = ()

    def __reduce_ex__(self, protocol: object) -> NoReturn:  # what `copy`, `deepcopy` and `pickle` ask
        raise ArgumentTypeError(
            f"{self!r} owns an object of the driver, and cannot be copied or pickled",
            hint="use the object itself, which threads may share; make another one of its kind for another copy or process",
        )
