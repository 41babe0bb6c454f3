"""C callbacks of driver functions. All checks that are the same everywhere are here, and no exception crosses into C."""

from __future__ import annotations

import ctypes

from driver_ctypes.abi import enums
from driver_ctypes.abi.functions import prototype
from driver_ctypes.typing import Any
from ptxgen.emulated_driver.calls import injection
from ptxgen.emulated_driver.calls.registry import CONTEXT, ENTRIES
from ptxgen.emulated_driver.errors.log import log
from ptxgen.emulated_driver.errors.refusal import Refusal
from ptxgen.emulated_driver.interrupts import deliver, is_end_of_callback, of_a_handler
from ptxgen.emulated_driver.state.machine import machine
from ptxgen.emulated_driver.state.thread import thread

_UNKNOWN = 999  # CUresult
_NO_ROOM = 304  # ERROR_OPERATING_SYSTEM: what a call answers that Python has no stack for


def callback(symbol: str) -> Any:
    """A C function pointer for an entry. All checks that are the same everywhere are here."""
    function, needs, unsafe = ENTRIES[symbol]

    def call(*args: Any) -> int:
        try:
            try:
                if injection.active or injection.counts:
                    injection.fail_if_due(symbol)
                if needs:
                    if not machine.ready:
                        raise Refusal(enums.CUresult.ERROR_NOT_INITIALIZED, machine.why_not_ready)
                    if thread.in_host_function:
                        raise Refusal(enums.CUresult.ERROR_NOT_PERMITTED, "a host function may not call the driver")
                if unsafe and machine.captures:
                    from ptxgen.emulated_driver.calls.capture_rules import refuse_unsafe

                    refuse_unsafe()
                if needs == CONTEXT:
                    stack = thread.stack
                    context = stack[-1] if stack else None
                    if context is None or context.fault or not context.alive:
                        context = thread.current()  # refuses, and says why
                    function(context, *args)
                else:
                    function(*args)
            except Refusal as refusal:
                return _refused(symbol, refusal)
            except Exception as error:
                if of_a_handler(error):
                    raise
                return _failed(symbol, error)
            return 0
        except RecursionError:  # there is no room for a word about it, nor for any other call
            return _NO_ROOM
        except BaseException as error:
            try:
                return _left(symbol, error)
            except RecursionError:
                return _NO_ROOM

    is_end_of_callback(call)
    return prototype(symbol)(call)


def _refused(symbol: str, refusal: Refusal) -> int:
    if refusal.code != enums.CUresult.ERROR_NOT_READY:
        log.refused(symbol, refusal.code, refusal.text)
    return refusal.code


def _failed(symbol: str, error: Exception) -> int:
    """An exception that no driver function should raise: it goes to the log."""
    if isinstance(error, MemoryError):
        return _refused(symbol, Refusal(enums.CUresult.ERROR_OUT_OF_MEMORY, str(error)))
    from ptxgen.errors import UnsupportedError

    if isinstance(error, UnsupportedError):  # of a kernel that turns out not to run when it is first needed
        return _refused(symbol, Refusal(enums.CUresult.ERROR_NOT_SUPPORTED, str(error)))
    import traceback

    text = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    return _refused(symbol, Refusal(enums.CUresult.ERROR_UNKNOWN, f"the emulated driver failed:\n{text}"))


def _left(symbol: str, error: BaseException) -> int:
    """What a signal handler has raised, KeyboardInterrupt and SystemExit cannot cross C; the caller gets them all the same."""
    log.refused(symbol, _UNKNOWN, f"the call was ended by {type(error).__name__}")
    deliver(error)
    return _UNKNOWN


def unsupported_callback(symbol: str) -> Any:
    """The C function pointer of a function that the CPU device does not offer. It reads no arguments, so it takes any."""

    def call() -> int:
        return _refused(symbol, Refusal(enums.CUresult.ERROR_NOT_SUPPORTED, f"the CPU device does not offer {symbol}"))

    is_end_of_callback(call)
    return ctypes.CFUNCTYPE(ctypes.c_int)(call)


def per_thread_callback(symbol: str) -> Any:
    """The same for the form of a function for which a null stream is the calling thread's own."""
    plain = callback(symbol)

    def call(*args: Any) -> int:
        before, thread.own_stream = thread.own_stream, True
        try:
            code: int = plain(*args)
            return code
        finally:
            thread.own_stream = before

    is_end_of_callback(call)
    return prototype(symbol)(call)


is_end_of_callback(_left)
