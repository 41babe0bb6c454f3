"""What is refused to a thread while captures go on, anywhere in the machine."""

from __future__ import annotations

from driver_ctypes.abi import enums
from driver_ctypes.primitives import get_ident
from driver_ctypes.typing import TYPE_CHECKING
from ptxgen.emulated_driver import numbers
from ptxgen.emulated_driver.errors.refusal import Refusal
from ptxgen.emulated_driver.state.machine import machine
from ptxgen.emulated_driver.state.thread import thread

if TYPE_CHECKING:
    from ptxgen.emulated_driver.state.context import Context

GLOBAL = numbers.CUstreamCaptureMode.GLOBAL
THREAD_LOCAL = numbers.CUstreamCaptureMode.THREAD_LOCAL
RELAXED = numbers.CUstreamCaptureMode.RELAXED


def refuse_unsafe() -> None:
    """For a potentially unsafe call in this thread: refused by the modes of the captures that go on, which it
    breaks.
    """
    if not machine.captures or thread.capture_mode == RELAXED:
        return
    me = get_ident()
    broken = [
        capture
        for capture in machine.captures
        if (capture.thread == me and capture.mode != RELAXED)
        or (capture.mode == GLOBAL and thread.capture_mode == GLOBAL)
    ]
    why = (
        "this call is not allowed while a stream captures in this mode: make it before, or capture in the relaxed mode"
    )
    for capture in broken:
        capture.invalidate(why)
    if broken:
        raise Refusal(enums.CUresult.ERROR_STREAM_CAPTURE_UNSUPPORTED, why)


def refuse_implicit(context: Context) -> None:
    """For a use of the legacy stream: it would depend on every blocking stream, so none of those may be capturing."""
    broken = [capture for capture in context.captures if any(stream.blocking for stream in capture.streams)]
    why = "the legacy default stream would depend on a blocking stream that is capturing"
    for capture in broken:
        capture.invalidate(why)
    if broken:
        raise Refusal(enums.CUresult.ERROR_STREAM_CAPTURE_IMPLICIT, why)
