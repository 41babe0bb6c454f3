"""Failures that are in force: `fault_injection` puts them here, and every call asks."""

from __future__ import annotations

from driver_ctypes.lifetime import renew_in_child
from driver_ctypes.primitives import Lock
from ptxgen.emulated_driver.errors.refusal import Refusal, is_fatal
from ptxgen.emulated_driver.state.thread import thread

ANY = "*"

# How a caller finds out what went wrong: these never fail, and are not counted.
_QUIET = frozenset({"cuGetErrorName", "cuGetErrorString", "cuLogsCurrent", "cuLogsDumpToMemory", "cuGetProcAddress_v2"})


class InjectedFault:
    """What happens to some calls: `code` from the first one that counts, for as many as `times` says (None: for ever)."""

    __slots__ = ("code", "failed", "first", "seen", "symbols", "times")

    def __init__(self, symbols: frozenset[str], first: int, code: int, times: int | None) -> None:
        self.symbols = symbols
        self.first = first
        self.code = int(code)
        self.times = times
        self.seen = 0
        self.failed: list[str] = []
        """Functions that were made to fail, in order."""

    def is_due(self, symbol: str) -> bool:
        """Counts a call that is about to be made, and says whether it fails."""
        if symbol not in self.symbols and ANY not in self.symbols:
            return False
        self.seen += 1
        fails = self.seen >= self.first and (self.times is None or self.seen < self.first + self.times)
        if fails:
            self.failed.append(symbol)
        return fails


active: list[InjectedFault] = []
counts: list[list[str]] = []
lock = Lock()
renew_in_child(globals(), "lock")


def fail_if_due(symbol: str) -> None:
    """Called before each call while anything is in force: raises its Refusal where one of the faults is due."""
    if symbol in _QUIET:
        return
    with lock:
        for calls in counts:
            calls.append(symbol)
        due = [fault for fault in active if fault.is_due(symbol)]
    if not due:
        return
    code = due[0].code
    if is_fatal(code) and thread.stack:
        _lose(code, symbol)
    raise Refusal(code, "injected")


def _lose(code: int, symbol: str) -> None:
    """A fatal code: no context of the current one's device works any more."""
    from ptxgen.emulated_driver.state.context import contexts

    device = thread.stack[-1].device
    for context in contexts:
        if context.device is device and context.alive:
            context.fail(code, f"injected into {symbol}")
