"""Faults on purpose: what a caller does when a driver call fails, memory is full, or the device is lost.

    with inject("cuMemAlloc_v2", nth=2, code=2): ...     # this call fails the second time
    with inject("*", nth=17, code=304): ...              # whichever call is the seventeenth
    with memory_full(): ...                              # every allocation fails
    with device_lost(after=5): ...                       # from the sixth call on, nothing works any more
    with counting() as calls: ...                        # which calls there are to fail

A call that is made to fail does nothing. Several may be in force at once, in every thread of the process.
"""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING

from driver_ctypes.abi.functions import FUNCTIONS
from driver_ctypes.lifetime import renew_in_child
from ptxgen.emulated_driver.refusal import FATAL, CUresult, Refusal
from ptxgen.emulated_driver.state import contexts, thread

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["counting", "device_lost", "inject", "memory_full"]

ANY = "*"

ALLOCATIONS = tuple(
    symbol
    for symbol, spec in FUNCTIONS.items()
    if spec.name.startswith(("cuMemAlloc", "cuMemHostAlloc", "cuMemCreate", "cuArrayCreate", "cuMemPoolCreate"))
)
"""Functions that answer OUT_OF_MEMORY where memory is full."""

# How a caller finds out what went wrong: these never fail, and are not counted.
_QUIET = frozenset({"cuGetErrorName", "cuGetErrorString", "cuLogsCurrent", "cuLogsDumpToMemory", "cuGetProcAddress_v2"})

_SWEEP_CODE = int(CUresult.ERROR_OPERATING_SYSTEM)


class Fault:
    """What happens to some calls: `code` from the first one that counts, for as many as `times` says (None: for ever)."""

    __slots__ = ("code", "first", "seen", "struck", "symbols", "times")

    def __init__(self, symbols: frozenset[str], first: int, code: int, times: int | None) -> None:
        self.symbols = symbols
        self.first = first
        self.code = int(code)
        self.times = times
        self.seen = 0
        self.struck: list[str] = []
        """Functions that were made to fail, in order."""

    def strikes(self, symbol: str) -> bool:
        """Counts a call that is about to be made."""
        if symbol not in self.symbols and ANY not in self.symbols:
            return False
        self.seen += 1
        due = self.seen >= self.first and (self.times is None or self.seen < self.first + self.times)
        if due:
            self.struck.append(symbol)
        return due


active: list[Fault] = []
counts: list[list[str]] = []
_lock = threading.Lock()
renew_in_child(globals(), "_lock")


def strike(symbol: str) -> None:
    """Called before each call while anything is in force: raises its Refusal where one of the faults is due."""
    if symbol in _QUIET:
        return
    with _lock:
        for calls in counts:
            calls.append(symbol)
        struck = [fault for fault in active if fault.strikes(symbol)]
    if not struck:
        return
    code = struck[0].code
    if code in FATAL and thread.stack:
        _lose(code, symbol)
    raise Refusal(code, "injected")


def _lose(code: int, symbol: str) -> None:
    """A fatal code: no context of the current one's device works any more."""
    device = thread.stack[-1].device
    for context in contexts:
        if context.device is device and context.alive:
            context.fail(code, f"injected into {symbol}")


@contextlib.contextmanager
def inject(symbol: str, nth: int = 1, code: int = _SWEEP_CODE, *, times: int | None = 1) -> Iterator[Fault]:
    """Within the `with` body, the nth call (from 1) of a driver function does nothing and returns `code`; and the calls after
    it, as many as `times` says (None: all). The symbol "*" means any function.

    A code that is fatal on hardware (700, 719, ...) also makes the device's contexts unusable, as there. Raises KeyError for
    a symbol that the driver does not have.
    """
    from ptxgen.emulated_driver.table import address_of

    if nth < 1 or (times is not None and times < 1):
        raise ValueError(f"calls are counted from 1: nth={nth}, times={times} never happens")
    if symbol != ANY and not address_of(symbol):
        raise KeyError(f"the emulated driver has no function {symbol!r}")
    with _in_force(Fault(frozenset({symbol}), nth, code, times)) as fault:
        yield fault


@contextlib.contextmanager
def memory_full(after: int = 0) -> Iterator[Fault]:
    """Within the body, every allocation fails with OUT_OF_MEMORY, but for the first `after` ones."""
    with _in_force(Fault(frozenset(ALLOCATIONS), after + 1, CUresult.ERROR_OUT_OF_MEMORY, None)) as fault:
        yield fault


@contextlib.contextmanager
def device_lost(after: int = 0, code: int = CUresult.ERROR_LAUNCH_FAILED) -> Iterator[Fault]:
    """Within the body, the device is lost after so many calls: that call answers `code`, and so does every later one that
    needs a context, until `cuDevicePrimaryCtxReset` or the last release gives a new one.
    """
    if code not in FATAL:
        raise ValueError(f"code {code} does not end a context; {int(CUresult.ERROR_LAUNCH_FAILED)} does")
    with _in_force(Fault(frozenset({ANY}), after + 1, code, 1)) as fault:
        yield fault


@contextlib.contextmanager
def counting() -> Iterator[list[str]]:
    """The driver functions that are called within the body, in order, but for those that only explain an error."""
    calls: list[str] = []
    with _lock:
        counts.append(calls)
    try:
        yield calls
    finally:
        with _lock:
            counts[:] = [each for each in counts if each is not calls]


@contextlib.contextmanager
def _in_force(fault: Fault) -> Iterator[Fault]:
    with _lock:
        active.append(fault)
    try:
        yield fault
    finally:
        with _lock:
            active.remove(fault)
