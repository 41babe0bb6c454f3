"""Events: marks in a stream, with the time of a monotonic clock."""

from __future__ import annotations

import time

from driver_ctypes.abi import enums, numbers
from driver_ctypes.abi.constants import CU_STREAM_LEGACY
from driver_ctypes.typing import TYPE_CHECKING, NoReturn
from ptxgen.emulated_driver.calls.capture_rules import refuse_unsafe
from ptxgen.emulated_driver.calls.registry import INIT, entry
from ptxgen.emulated_driver.errors.refusal import Refusal, invalid_handle, invalid_value
from ptxgen.emulated_driver.pointers import need, put_f32, put_u64
from ptxgen.emulated_driver.state.context import Context, Stream, contexts
from ptxgen.emulated_driver.state.graph import ExecutionContext, NodeWork
from ptxgen.emulated_driver.state.handles import Handles
from ptxgen.emulated_driver.state.machine import machine
from ptxgen.emulated_driver.state.order import Moment, host_waited_until, join, moment_of, moment_of_all, running
from ptxgen.emulated_driver.state.thread import thread
from ptxgen.emulated_driver.streams.stream import stream_of

if TYPE_CHECKING:
    from ptxgen.emulated_driver.state.capture import Capture
    from ptxgen.emulated_driver.state.edges import Edge
    from ptxgen.emulated_driver.state.graph import Node

DISABLE_TIMING, INTERPROCESS = numbers.CUevent_flags.DISABLE_TIMING, numbers.CUevent_flags.INTERPROCESS
_GONE = 709  # ERROR_CONTEXT_IS_DESTROYED
EXTERNAL = numbers.CUevent_record_flags.EXTERNAL
_FLAGS = numbers.CUevent_flags.BLOCKING_SYNC | DISABLE_TIMING | INTERPROCESS


class Event:
    """`time` is when it was recorded, in ns; 0 before. While it was last recorded in a capture, `captured` says in
    which and where.
    """

    __slots__ = ("__weakref__", "captured", "context", "flags", "handle", "moment", "nodes", "time")

    def __init__(self, context: Context, flags: int) -> None:
        self.context = context
        self.flags = flags
        self.time = 0
        self.moment: Moment = {}
        self.captured: Capture | None = None
        self.nodes: dict[Node, Edge] = {}
        self.handle = context.own(events, events.add(self))

    def refuse_captured(self) -> NoReturn:
        raise Refusal(
            enums.CUresult.ERROR_CAPTURED_EVENT, "the event was last recorded in a capture: it has no state outside it"
        )


events: Handles[Event] = Handles("event", stale=_GONE)


class EventRecord(NodeWork):
    """Records an event: of a stream, or a node of a graph."""

    __slots__ = ("event",)
    kind = numbers.CUgraphNodeType.EVENT_RECORD

    def __init__(self, event: Event) -> None:
        self.event = event

    def run(self, context: ExecutionContext) -> None:
        self.event.captured = None
        self.event.time = time.perf_counter_ns()
        if running.stream is not None:
            self.event.moment = moment_of(running.stream)


class Wait(NodeWork):
    """Waits for an event: everything before has run already, so what is left is to say that it comes after."""

    __slots__ = ("event",)
    kind = numbers.CUgraphNodeType.WAIT_EVENT

    def __init__(self, event: Event) -> None:
        self.event = event

    def run(self, context: ExecutionContext) -> None:
        if running.stream is not None:
            join(running.stream.line.moment, self.event.moment)


@entry("cuEventCreate")
def event_create(context: Context, out: int | None, flags: int) -> None:
    need(out)
    if flags & ~_FLAGS or (flags & INTERPROCESS and not flags & DISABLE_TIMING):
        raise invalid_value(f"event flags {flags}: 1 blocking, 2 no timing, 4 interprocess (with 2)")
    put_u64(out, Event(context, flags).handle)


@entry("cuEventDestroy_v2", needs=INIT)
def event_destroy(handle: int | None) -> None:
    events.get(handle).context.check()
    event = events.remove(handle)
    event.context.disown(event.handle)


def record(stream: Stream, event: Event, flags: int) -> None:
    if flags not in (0, EXTERNAL):
        raise invalid_value(f"record flags {flags}: 0 or 1 (external)")
    capture = stream.capture
    if capture is None:
        if flags:
            raise Refusal(enums.CUresult.ERROR_ILLEGAL_STATE, "an external record is one of a capturing stream")
        if event.context is not stream.context:
            raise invalid_handle("event of the stream's context", event.handle)
        stream.do(EventRecord(event))
    elif flags:
        capture.add(stream, EventRecord(event))
    else:
        capture.check()
        event.captured, event.nodes = capture, dict(stream.tail)


def wait(stream: Stream, event: Event, flags: int) -> None:
    """A capturing stream may wait for events of its own capture; a stream that waits for one joins that capture."""
    if flags not in (0, EXTERNAL):
        raise invalid_value(f"wait flags {flags}: 0 or 1 (external)")
    capture, theirs = stream.capture, event.captured
    if capture is not None:
        capture.check()
    if flags and capture is not None:
        capture.add(stream, Wait(event))
    elif theirs is not None:
        if not theirs.open:
            raise invalid_value("the event was last recorded in a capture that has ended")
        theirs.join(stream, event.nodes)
    elif capture is not None and event.time:
        capture.refuse(
            "the event was recorded outside the capture: wait for it before, or with the external flag",
            enums.CUresult.ERROR_STREAM_CAPTURE_ISOLATION,
        )
    elif capture is None:
        stream.do(Wait(event))


@entry("cuEventRecord")
def event_record(context: Context, handle: int | None, stream: int | None) -> None:
    record(stream_of(context, stream), events.get(handle), 0)


@entry("cuEventRecordWithFlags")
def event_record_with_flags(context: Context, handle: int | None, stream: int | None, flags: int) -> None:
    record(stream_of(context, stream), events.get(handle), flags)


@entry("cuStreamWaitEvent")
def stream_wait_event(context: Context, stream: int | None, handle: int | None, flags: int) -> None:
    event = events.get(handle)
    legacy = stream == CU_STREAM_LEGACY or (not stream and not thread.own_stream)
    if event.captured is not None and event.captured.open and legacy:
        event.captured.refuse("the legacy stream cannot join a capture", enums.CUresult.ERROR_STREAM_CAPTURE_IMPLICIT)
    wait(stream_of(context, stream), event, flags)


@entry("cuCtxRecordEvent", needs=INIT)
def ctx_record_event(context: int | None, handle: int | None) -> None:
    """Marks the end of everything in the context so far, which has run already."""
    _outside_capture(context)
    event = events.get(handle)
    event.captured, event.time, event.moment = None, time.perf_counter_ns(), moment_of_all(event.context)


@entry("cuCtxWaitEvent", needs=INIT)
def ctx_wait_event(context: int | None, handle: int | None) -> None:
    """All that comes later in the context waits for the event: as if the host did."""
    _outside_capture(context)
    host_waited_until(events.get(handle).moment)


def _outside_capture(handle: int | None) -> None:
    context = contexts.get(handle).check()
    for capture in context.captures[:1]:
        capture.refuse("a stream of the context is capturing")


def _finished(handle: int | None) -> None:
    event = events.get(handle)
    event.context.check()
    if event.captured is not None:
        if not event.captured.open:
            raise invalid_value("the event was last recorded in a capture that has ended")
        event.captured.invalidate("an event recorded in it was asked about")
        event.refuse_captured()
    if machine.captures:
        refuse_unsafe()
    host_waited_until(event.moment)


@entry("cuEventQuery", needs=INIT)
def event_query(handle: int | None) -> None:
    _finished(handle)


@entry("cuEventSynchronize", needs=INIT)
def event_synchronize(handle: int | None) -> None:
    _finished(handle)


@entry("cuEventElapsedTime_v2", needs=INIT)
def event_elapsed_time(out: int | None, start: int | None, end: int | None) -> None:
    first, last = events.get(start), events.get(end)
    for event in (first, last):
        event.context.check()
        if event.captured is not None and not event.captured.open:
            raise invalid_value("an event was last recorded in a capture that has ended")
        if event.captured is not None:
            event.refuse_captured()
        if not event.time or event.flags & DISABLE_TIMING:
            raise invalid_handle("recorded event with timing", event.handle)
    if not out:
        raise invalid_handle("place for the time", out)
    put_f32(out, (last.time - first.time) / 1e6)


@entry("cuEventElapsedTime", needs=INIT)
def event_elapsed_time_v1(out: int | None, start: int | None, end: int | None) -> None:
    event_elapsed_time(out, start, end)
