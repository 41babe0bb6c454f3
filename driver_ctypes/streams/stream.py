"""Streams: queues of work on a device."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from driver_ctypes.errors import ArgumentError, ArgumentTypeError
from driver_ctypes.interop.streams import checked_handle, stream_handle
from driver_ctypes.session.handle import Handle
from driver_ctypes.streams.capturing import capture_of
from driver_ctypes.streams.event import check_event, create_event
from driver_ctypes.streams.hostcalls import HostCalls, tell_of_graphs

if TYPE_CHECKING:
    from collections.abc import Callable

    from driver_ctypes.abi.enums import CUlaunchAttributeID
    from driver_ctypes.abi.structs import CUlaunchAttributeValue
    from driver_ctypes.session.capture import ActiveCapture
    from driver_ctypes.session.session import Session
    from driver_ctypes.streams.event import Event
    from driver_ctypes.streams.memory_operations import MemoryOperation

_NON_BLOCKING = 1
_NOT_READY = 600


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
