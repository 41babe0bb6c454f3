"""Events: points in a stream's work that can be waited for and timed."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from driver_ctypes.errors import ArgumentError, ArgumentTypeError
from driver_ctypes.session.handle import Handle

if TYPE_CHECKING:
    from driver_ctypes.session.session import Session

_BLOCKING_SYNC = 1
_DISABLE_TIMING = 2
_INTERPROCESS = 4
_NOT_READY = 600
_INVALID_HANDLE = 400


class Event(Handle):
    """An event, made by `Context.event`."""

    kind = "event"
    _destroy = "cuEventDestroy_v2"

    def __init__(self, context: Session, handle: int, timing: bool) -> None:
        super().__init__(context, handle)
        self.timing = timing
        self.bound = False
        """Whether bound launchers record it."""

    @property
    def handle(self) -> int:
        """The CUevent."""
        return self._handle

    def close(self) -> None:
        """Destroy it now; what waits for it still does. Bound launchers that record it refuse from then on."""
        if self.bound and not self._closed:
            self.context.launches.revoke()
        super().close()

    def record(self, stream: Any = None) -> Event:
        """Mark the work queued on *stream* (None: the default one) so far. Returns itself."""
        self.check_open()
        stream = self.context.stream_from(stream)
        stream.check_open()
        self.context.call("cuEventRecord", self._handle, stream.handle)
        capture = stream.active_capture
        if capture is not None:
            capture.retain(self)
        return self

    def synchronize(self) -> None:
        """Wait for the marked work. Faults of that work are raised here."""
        self.check_open()
        self.context.call("cuEventSynchronize", self._handle)

    def query(self) -> bool:
        """Whether the marked work is done; an event never recorded counts as done."""
        self.check_open()
        code = self.context.try_call("cuEventQuery", self._handle)
        if code not in (0, _NOT_READY):
            raise self.context.error("cuEventQuery", code, (self._handle,))
        return code == 0

    def elapsed_ms(self, start: Event) -> float:
        """Milliseconds from *start* to this event, to about 0.5 us. Raises NotReadyError before both have happened."""
        for event in (self, start):
            check_event(event)
            if not event.timing:
                raise ArgumentError("an event made with timing=False has no time", hint="use context.event()")
        elapsed = ctypes.c_float()
        args = ctypes.byref(elapsed), start._handle, self._handle
        code = self.context.try_call("cuEventElapsedTime_v2", *args)
        if code:
            hint = "record both events first" if code == _INVALID_HANDLE else None
            raise self.context.error("cuEventElapsedTime_v2", code, args, hint=hint)
        return elapsed.value

    def ipc_handle(self) -> bytes:
        """What `open_event` of another process needs. Raises InvalidHandleError where it was not made for that."""
        from driver_ctypes.abi.structs import CUipcEventHandle

        handle = CUipcEventHandle()
        self.check_open()
        self.context.call("cuIpcGetEventHandle", ctypes.byref(handle), self._handle)
        return bytes(handle)


def check_event(event: Any) -> None:
    """Raises ArgumentTypeError for what is not an event, ClosedError for a closed one."""
    if not isinstance(event, Event):
        hint = "stream.record() makes one" if hasattr(event, "__cuda_stream__") else "context.event() makes one"
        raise ArgumentTypeError(
            f"an event is needed, not {type(event).__name__} {event!r:.60}", name="event", hint=hint
        )
    event.check_open()


def create_event(context: Session, timing: bool, blocking: bool, interprocess: bool = False) -> Event:
    """A new event of *context*. Raises ArgumentError for one of several processes that has timing."""
    handle = ctypes.c_void_p()
    if interprocess and timing:
        raise ArgumentError("an event for other processes has no timing", hint="context.event(timing=False, ...)")
    flags = (0 if timing else _DISABLE_TIMING) | (_BLOCKING_SYNC if blocking else 0)
    flags |= _INTERPROCESS if interprocess else 0
    context.call("cuEventCreate", ctypes.byref(handle), flags)
    return Event(context, handle.value or 0, timing)
