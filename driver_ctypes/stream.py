"""Streams: queues of work on a device."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from driver_ctypes.capture import Capture
from driver_ctypes.errors import ArgumentError, ArgumentTypeError
from driver_ctypes.lifetime import Handle

if TYPE_CHECKING:
    from driver_ctypes.context import Context
    from driver_ctypes.event import Event

_NON_BLOCKING = 1
_NOT_READY = 600


class Stream(Handle):
    """A stream, made by `Context.stream`; or one that another library owns."""

    kind = "stream"
    _destroy = "cuStreamDestroy_v2"

    def __init__(self, context: Context, value: int, *, owned: bool = True) -> None:
        super().__init__(context, value if owned else 0)
        self._value = value
        self._owned = owned
        self._capture: Capture | None = None

    @property
    def handle(self) -> int:
        """The CUstream; 0 is the default stream."""
        return self._value

    @property
    def capturing(self) -> bool:
        """Whether a `capture` of this package records its work."""
        return self._capture is not None

    def __cuda_stream__(self) -> tuple[int, int]:
        """The protocol by which libraries take each other's streams: (version, CUstream)."""
        self._check_open()
        return 0, self._value

    def close(self) -> None:
        """Destroy the stream. Work already queued on it finishes. A foreign or default stream is left alone."""
        if not self._owned:
            return
        if self._capture is not None and self._capture.stream is self:
            self._capture._abort()
        self.context._revoke_plans(stream=self)
        super().close()

    def synchronize(self) -> None:
        """Wait for all its work. Faults of that work are raised here."""
        self._check_open()
        self.context.call("cuStreamSynchronize", self._value)

    def query(self) -> bool:
        """Whether all its work is done."""
        self._check_open()
        code = self.context._try("cuStreamQuery", self._value)
        if code not in (0, _NOT_READY):
            raise self.context._error("cuStreamQuery", code, (self._value,))
        return code == 0

    def wait(self, event: Event) -> None:
        """Let later work wait for *event*. An event recorded in a capture draws this stream into that capture."""
        self._check_open()
        event._check_open()
        self.context.call("cuStreamWaitEvent", self._value, event._handle, 0)
        if event._capture is not None:
            event._capture._join(self)
        if self._capture is not None:
            self._capture.retain(event)

    def record(self, event: Event | None = None) -> Event:
        """Record *event* (or a new one) after the work queued so far, and return it."""
        event = event if event is not None else self.context.event()
        event.record(self)
        return event

    def capture(self, mode: str = "thread_local") -> Capture:
        """``with stream.capture() as capture:`` records the body's work instead of running it; see `Capture`."""
        return Capture(self, mode)

    def __repr__(self) -> str:
        name = f"{self._value:#x}" if self._value else "default"
        return f"<Stream {name} on {self.context.device!r}{' closed' if self.closed else ''}>"


def create_stream(context: Context, priority: int, non_blocking: bool) -> Stream:
    """A new stream of *context*."""
    handle = ctypes.c_void_p()
    flags = _NON_BLOCKING if non_blocking else 0
    context.call("cuStreamCreateWithPriority", ctypes.byref(handle), flags, priority)
    return Stream(context, handle.value or 0)


def as_stream(context: Context, stream: Any) -> Stream:
    """What *stream* means to *context*. Raises ArgumentTypeError, and ArgumentError for another context's stream."""
    if stream is None:
        return context.default_stream
    if isinstance(stream, Stream):
        if stream.context is not context:
            raise ArgumentError(
                f"{stream!r} belongs to another context than {context!r}", hint="use a stream of the same device"
            )
        return stream
    if isinstance(stream, int):
        return Stream(context, stream, owned=False) if stream else context.default_stream
    protocol = getattr(stream, "__cuda_stream__", None)
    if protocol is None:
        raise ArgumentTypeError(
            f"{type(stream).__name__} is no stream",
            hint="pass a Stream, None, a CUstream as int, or a framework's stream",
        )
    version, handle = protocol() if callable(protocol) else protocol
    if version != 0:
        raise ArgumentTypeError(f"{type(stream).__name__} speaks version {version} of __cuda_stream__; 0 is known")
    return as_stream(context, int(handle))
