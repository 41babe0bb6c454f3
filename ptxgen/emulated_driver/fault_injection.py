"""InjectedFault injection: what a caller does when a driver call fails, memory is full, or the device is lost.

    with inject("cuMemAlloc_v2", nth=2, code=CUresult.ERROR_OUT_OF_MEMORY): ...  # this call fails the second time
    with inject("*", nth=17, code=CUresult.ERROR_OPERATING_SYSTEM): ...         # whichever call is the seventeenth
    with memory_full(): ...                                                      # every allocation fails
    with device_lost(after=5): ...                                               # from the sixth call on, nothing works any more
    with counting() as calls: ...                                                # which calls there are to fail

A call that is made to fail does nothing. Several may be in force at once, in every thread of the process.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from driver_ctypes.abi import enums
from driver_ctypes.abi.functions import FUNCTIONS
from ptxgen.emulated_driver.calls.injection import ANY, InjectedFault, active, counts, lock
from ptxgen.emulated_driver.errors.refusal import is_fatal
from ptxgen.emulated_driver.state.epoch import keep_nothing
from ptxgen.emulated_driver.table import address_of

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["counting", "device_lost", "inject", "memory_full"]

ALLOCATIONS = tuple(
    symbol
    for symbol, spec in FUNCTIONS.items()
    if spec.name.startswith(("cuMemAlloc", "cuMemHostAlloc", "cuMemCreate", "cuArrayCreate", "cuMemPoolCreate"))
)
"""Functions that answer OUT_OF_MEMORY where memory is full."""

_SWEEP_CODE = int(enums.CUresult.ERROR_OPERATING_SYSTEM)


@contextlib.contextmanager
def inject(symbol: str, nth: int = 1, code: int = _SWEEP_CODE, *, times: int | None = 1) -> Iterator[InjectedFault]:
    """Within the `with` body, the nth call (from 1) of a driver function does nothing and returns `code`; and the calls after
    it, as many as `times` says (None: all). The symbol "*" means any function.

    A code that is fatal on hardware (700, 719, ...) also makes the device's contexts unusable, as there. Raises KeyError for
    a symbol that the driver does not have.
    """
    if nth < 1 or (times is not None and times < 1):
        raise ValueError(f"calls are counted from 1: nth={nth}, times={times} never happens")
    if symbol != ANY and not address_of(symbol):
        raise KeyError(f"the emulated driver has no function {symbol!r}")
    with _in_force(InjectedFault(frozenset({symbol}), nth, code, times)) as fault:
        yield fault


@contextlib.contextmanager
def memory_full(after: int = 0) -> Iterator[InjectedFault]:
    """Within the body, every allocation fails with OUT_OF_MEMORY, but for the first `after` ones."""
    with _in_force(InjectedFault(frozenset(ALLOCATIONS), after + 1, enums.CUresult.ERROR_OUT_OF_MEMORY, None)) as fault:
        yield fault


@contextlib.contextmanager
def device_lost(after: int = 0, code: int = enums.CUresult.ERROR_LAUNCH_FAILED) -> Iterator[InjectedFault]:
    """Within the body, the device is lost after so many calls: that call answers `code`, and so does every later one that
    needs a context, until `cuDevicePrimaryCtxReset` or the last release gives a new one.
    """
    if not is_fatal(code):
        raise ValueError(f"code {code} does not end a context; {int(enums.CUresult.ERROR_LAUNCH_FAILED)} does")
    with _in_force(InjectedFault(frozenset({ANY}), after + 1, code, 1)) as fault:
        yield fault


@contextlib.contextmanager
def counting() -> Iterator[list[str]]:
    """The driver functions that are called within the body, in order, but for those that only explain an error."""
    calls: list[str] = []
    with lock:
        counts.append(calls)
        keep_nothing(True)
    try:
        yield calls
    finally:
        with lock:
            counts[:] = [each for each in counts if each is not calls]
            keep_nothing(bool(active or counts))


@contextlib.contextmanager
def _in_force(fault: InjectedFault) -> Iterator[InjectedFault]:
    with lock:
        active.append(fault)
        keep_nothing(True)
    try:
        yield fault
    finally:
        with lock:
            active.remove(fault)
            keep_nothing(bool(active or counts))
