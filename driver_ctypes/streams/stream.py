"""Streams: queues of work on a device. Events: points in a stream's work that can be waited for and timed.

Which capture records a stream is found by its CUstream (`capture_of`): the driver reports it for every stream that joined,
whichever call made it join and whichever object names it now.
"""

from __future__ import annotations

import ctypes

from driver_ctypes.errors import ArgumentError, ArgumentTypeError
from driver_ctypes.interop.arrays import LEGACY, checked_handle, stream_handle
from driver_ctypes.lifetime import in_child
from driver_ctypes.session.handle import Handle
from driver_ctypes.streams.hostcalls import tell_of_graphs
from driver_ctypes.typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from driver_ctypes.abi.enums import CUlaunchAttributeID
    from driver_ctypes.abi.structs import CUlaunchAttributeValue
    from driver_ctypes.session.launches import ActiveCapture
    from driver_ctypes.session.session import Session
    from driver_ctypes.streams.hostqueue import HostCalls
    from driver_ctypes.streams.memory_operations import MemoryOperation


_ACTIVE = 1  # CU_STREAM_CAPTURE_STATUS_ACTIVE
_NEVER_CAPTURED = (0, LEGACY)

running_captures: list[ActiveCapture] = []  # of every context: streams of one may join the capture of another
in_child(running_captures.clear)


def begun(capture: ActiveCapture) -> None:
    """*capture* records from now on. No launch of its context takes the fast path meanwhile, so that each checks whether
    it is recorded.
    """
    running_captures.append(capture)
    capture.stream.context.launches.revoke()


def ended(capture: ActiveCapture) -> None:
    """It does so no longer."""
    if capture in running_captures:
        running_captures.remove(capture)


def anything_captures() -> bool:
    """Whether a capture of this package runs, in a context that is still there."""
    return any(not capture.stream.context.closed for capture in tuple(running_captures))


def capture_of(context: Session, stream: int) -> ActiveCapture | None:
    """The capture of this package that records what is queued on a CUstream. Costs nothing while there is none."""
    if not running_captures or stream in _NEVER_CAPTURED:
        return None
    identity = capture_state(context, stream)[0]
    if not identity:
        return None
    found = [
        one
        for one in tuple(running_captures)
        if one.identity == identity and one.stream.context.driver is context.driver
    ]
    return found[0] if found else None


def capture_state(context: Session, stream: int) -> tuple[int, int]:
    """(the number of the capture that a stream takes part in, the CUgraph it is recorded into); 0 where there is none, or
    one that is broken.
    """
    status, identity, graph = ctypes.c_int(), ctypes.c_uint64(), ctypes.c_void_p()
    out = ctypes.byref(status), ctypes.byref(identity), ctypes.byref(graph), None
    rest = (None, None) if context.driver.has("cuStreamGetCaptureInfo_v3") else (None,)
    context.call(f"cuStreamGetCaptureInfo_v{len(rest) + 1}", stream, *out, *rest)
    return (identity.value, graph.value or 0) if status.value == _ACTIVE else (0, 0)


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


_NON_BLOCKING = 1


class StreamBase(Handle):
    """A `Stream` without its capture into a graph."""

    kind = "stream"
    _destroy = "cuStreamDestroy_v2"

    def __init__(self, context: Session, value: int, *, owned: bool = True) -> None:
        super().__init__(context, value if owned else 0)
        self.handle = value
        """The CUstream; 0 is the default stream."""
        self._owned = owned
        self._calls: HostCalls | None = None
        self.owner: Any = None  # another library's stream object, which must live as long as this
        self.launchers: dict[Any, Any] = {}  # bound kernels that others keep for launches on it; gone with it

    @property
    def owned(self) -> bool:
        """Whether it was made here, and goes when it is closed; not the default stream, nor another library's."""
        return self._owned

    @property
    def capturing(self) -> bool:
        """Whether a `capture` of this package records its work, by whichever object or number it was begun or joined."""
        return self.active_capture is not None

    @property
    def active_capture(self) -> ActiveCapture | None:
        """That capture."""
        return capture_of(self.context, self.handle)

    def __cuda_stream__(self) -> tuple[int, int]:
        """The protocol by which libraries take each other's streams: (version, CUstream)."""
        self.check_open()
        return 0, self.handle

    def close(self) -> None:
        """Destroy the stream. Work already queued on it finishes. A foreign or default stream is left alone."""
        if not self._owned:
            return
        for capture in list(self.context.captures):
            if capture.stream.handle == self.handle:
                capture.abort()
        self.context.launches.end(stream=self)
        self.launchers.clear()
        super().close()

    def synchronize(self) -> None:
        """Wait for all its work, and for the Python functions that it has called. Faults of that work are raised here,
        and what the functions raised, those of graphs too (HostFunctionError).
        """
        self.check_open()
        self.context.call("cuStreamSynchronize", self.handle)
        if self._calls is not None:
            self._calls.finish()
        tell_of_graphs(self.context, self.handle)

    def call(self, function: Callable[[], Any]) -> None:
        """Call a Python function of no arguments after the work queued so far, on a thread of its own: it may call CUDA,
        and later work of the stream does not wait for it. In a capture it becomes a host node, which may not call CUDA.
        """
        self.check_open()
        capture = self.active_capture
        if capture is not None:
            capture.host_function(self, function)
            return
        if self._calls is None:
            from driver_ctypes.streams.hostqueue import HostCalls

            self._calls = HostCalls(self.context)
        self._calls.queue(self.context, self.handle, function)

    def memory_operations(self, *operations: MemoryOperation) -> None:
        """Write words of device memory, or wait for them, in the order of the stream's work: `write_value`,
        `wait_value`. Several go to the device as one.
        """
        from driver_ctypes.streams.memory_operations import batch_params

        self.check_open()
        params, kept, owners = batch_params(self.context, operations)
        self.context.call("cuStreamBatchMemOp_v2", self.handle, params.count, params.paramArray, 0)
        del kept
        capture = self.active_capture
        if capture is not None:
            capture.retain(*owners)

    @property
    def priority(self) -> int:
        """Its priority; lower numbers come first."""
        return self._ask("cuStreamGetPriority", ctypes.c_int())

    @property
    def non_blocking(self) -> bool:
        """Whether it does not wait for the default stream. Asking a capturing stream breaks its capture."""
        return bool(self._ask("cuStreamGetFlags", ctypes.c_uint32()) & _NON_BLOCKING)

    @property
    def id(self) -> int:
        """A number that no other stream of the process has (CUDA 12.0)."""
        return self._ask("cuStreamGetId", ctypes.c_uint64())

    def _ask(self, symbol: str, out: Any) -> int:
        self.check_open()
        self.context.call(symbol, self.handle, ctypes.byref(out))
        return int(out.value)

    def attribute(self, attribute: CUlaunchAttributeID | int) -> CUlaunchAttributeValue:
        """An attribute that launches on it have: ACCESS_POLICY_WINDOW, SYNCHRONIZATION_POLICY, PRIORITY,
        MEM_SYNC_DOMAIN_MAP or MEM_SYNC_DOMAIN.
        """
        from driver_ctypes.abi.structs import CUlaunchAttributeValue

        value = CUlaunchAttributeValue()
        self.check_open()
        self.context.call("cuStreamGetAttribute", self.handle, int(attribute), ctypes.byref(value))
        return value

    def set_attribute(self, attribute: CUlaunchAttributeID | int, value: CUlaunchAttributeValue) -> None:
        """Set one of them."""
        self.check_open()
        self.context.call("cuStreamSetAttribute", self.handle, int(attribute), ctypes.byref(value))

    def query(self) -> bool:
        """Whether all its work is done."""
        self.check_open()
        code = self.context.try_call("cuStreamQuery", self.handle)
        if code not in (0, _NOT_READY):
            raise self.context.error("cuStreamQuery", code, (self.handle,))
        return code == 0

    def wait(self, event: Event) -> None:
        """Let later work wait for *event*. An event recorded in a capture draws this stream into that capture."""
        self.check_open()
        check_event(event)
        self.context.call("cuStreamWaitEvent", self.handle, event._handle, 0)
        capture = self.active_capture
        if capture is not None:
            capture.joined(self)
            capture.retain(event)

    def record(self, event: Event | None = None) -> Event:
        """Record *event* (or a new one) after the work queued so far, and return it."""
        if event is None:
            return create_event(self.context, timing=True, blocking=False).record(self)
        check_event(event)
        return event.record(self)

    def __repr__(self) -> str:
        name = f"{self.handle:#x}" if self.handle else "default"
        return f"<Stream {name} on {self.context.device!r}{' closed' if self.closed else ''}>"


def stream_priorities(context: Session) -> tuple[int, int]:
    """(least, greatest) stream priority of *context*; the greatest is the lower number."""
    least, greatest = ctypes.c_int(), ctypes.c_int()
    context.call("cuCtxGetStreamPriorityRange", ctypes.byref(least), ctypes.byref(greatest))
    return least.value, greatest.value


def create_stream(context: Session, priority: int, non_blocking: bool) -> Any:
    """A new stream of *context*."""
    handle = ctypes.c_void_p()
    flags = _NON_BLOCKING if non_blocking else 0
    context.call("cuStreamCreateWithPriority", ctypes.byref(handle), flags, priority)
    return context.stream_of(handle.value or 0, owned=True)


def as_stream(context: Session, stream: Any) -> Any:
    """The stream of *context* that *stream* names. Raises ArgumentTypeError, and ArgumentError for another context's stream."""
    if stream is None:
        return context.default_stream
    if isinstance(stream, StreamBase):
        if stream.context is not context:
            raise ArgumentError(
                f"{stream!r} belongs to another context than {context!r}", hint="make it by context.stream()"
            )
        return stream
    if hasattr(type(stream), "__index__"):
        number = checked_handle(stream)
        return context.stream_of(number, owned=False) if number else context.default_stream
    handle = stream_handle(stream)
    if handle is None:
        raise ArgumentTypeError(
            f"{type(stream).__name__} is not a stream",
            hint="pass a Stream, None, a CUstream as int, or a framework's stream",
        )
    made = as_stream(context, handle)
    if made is not context.default_stream:
        made.owner = stream
    return made


_IMPLICIT = 906  # CUDA_ERROR_STREAM_CAPTURE_IMPLICIT: the default stream waits for a stream that captures


def order(context: Session, first: int, then: int) -> None:
    """Let what is queued on stream *then* from now on wait for what is queued on stream *first*: an event between."""
    with create_event(context, timing=False, blocking=False) as event:
        context.call("cuEventRecord", event.handle, first)
        context.call("cuStreamWaitEvent", then, event.handle, 0)


def captures(context: Session, handle: int) -> bool:
    """Whether anybody, perhaps another library, records a graph from this stream."""
    status = ctypes.c_int()
    code = context.try_call("cuStreamIsCapturing", handle, ctypes.byref(status))
    return code == _IMPLICIT if code else status.value != 0
