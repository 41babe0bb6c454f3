"""Stream capture: work recorded into a graph instead of being run."""

from __future__ import annotations

import ctypes
import threading
from typing import TYPE_CHECKING, Any

from driver_ctypes.errors import CaptureError, Error
from driver_ctypes.lifetime import Handle

if TYPE_CHECKING:
    from driver_ctypes.event import Event
    from driver_ctypes.graph import Graph
    from driver_ctypes.stream import Stream

# CU_STREAM_CAPTURE_MODE: whose unsafe calls break the capture: any thread's, this thread's, nobody's
MODES = {"global": 0, "thread_local": 1, "relaxed": 2}

_WRONG_THREAD = 908


class Capture:
    """A context manager: work that the body queues on the stream becomes ``capture.graph``.

    The capture ends in any case. Where the body raises, its exception goes on, nothing is kept, and the stream is
    usable. Buffers, functions, events and host arrays that the work uses live as long as the graph.

        with stream.capture() as capture:
            kernel.launch(grid, block, x, y, n, stream=stream)
        capture.graph.instantiate().launch(stream)

    Raises CaptureError: on entry for the default stream, for a stream that captures already, and where the driver
    refuses; at the end where a call broke the capture, which the message names.
    """

    def __init__(self, stream: Stream, mode: str = "thread_local") -> None:
        if mode not in MODES:
            raise CaptureError(f"no capture mode {mode!r}", hint=f"use one of {', '.join(MODES)}")
        self.stream = stream
        self.mode = mode
        self.active = False
        self._thread = 0
        self._streams: list[Stream] = []
        self._events: list[Event] = []
        self._owners: dict[int, Any] = {}
        self._failure: tuple[str, int] | None = None
        self._graph: Graph | None = None

    @property
    def graph(self) -> Graph:
        """What was captured. Raises CaptureError before the body's end, and after a body that raised."""
        if self._graph is None:
            state = "the capture still runs" if self.active else "nothing was captured"
            raise CaptureError(f"no graph: {state}", hint="read capture.graph after the `with` block")
        return self._graph

    def __enter__(self) -> Capture:
        stream = self.stream
        context = stream.context
        stream._check_open()
        if not stream.handle:
            raise CaptureError("the default stream cannot be captured", hint="capture a stream of context.stream()")
        if stream._capture is not None or self._graph is not None:
            raise CaptureError(
                f"{stream!r} is captured already",
                hint="end the first capture, or let another stream join it by an event",
            )
        context.call("cuStreamBeginCapture_v2", stream.handle, MODES[self.mode])
        self.active = True
        self._thread = threading.get_ident()
        context._captures.append(self)
        self._join(stream)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if not self.active:
            return  # the context or the stream was closed in the body
        code, handle = self._end()
        if kind is not None:
            self._discard(handle)
        elif code or not handle:
            self._discard(handle)
            self.stream.context.check()  # a fork or a fault in the body says more than the capture's end
            raise self._broken(code)
        else:
            from driver_ctypes.graph import Graph

            self._graph = Graph(self.stream.context, handle, self._owners)
            self._owners = {}

    def retain(self, *owners: Any) -> None:
        """Keep *owners* alive as long as the graph lives, and their memory allocated even where they are closed.

        An array that is a view of a `Buffer` says so by an attribute ``buffer``.
        """
        for owner in owners:
            for kept in (owner, getattr(owner, "buffer", None)):
                if kept is not None and id(kept) not in self._owners:
                    self._owners[id(kept)] = kept
                    if isinstance(kept, Handle):
                        kept._pin()

    def _join(self, stream: Stream) -> None:
        """*stream* belongs to this capture from now on; its bound launchers must take the path that retains."""
        if stream._capture is None:
            stream._capture = self
            self._streams.append(stream)
            stream.context._revoke_plans(stream=stream)

    def _recorded(self, event: Event) -> None:
        """*event* marks a point of this capture: a stream that waits for it joins."""
        event._capture = self
        self._events.append(event)
        self.retain(event)

    def _end(self) -> tuple[int, int]:
        """End the capture in the driver, whatever state the context is in. Returns (code, graph or 0)."""
        context = self.stream.context
        self.active = False
        context._captures.remove(self)
        for stream in self._streams:
            stream._capture = None
        for event in self._events:
            event._capture = None
        self._streams.clear()
        self._events.clear()
        if context.closed:  # by a fork: the driver's capture is the parent's
            return 0, 0
        graph = ctypes.c_void_p()
        previous = context._enter()
        try:
            code: int = context._functions["cuStreamEndCapture"](self.stream.handle, ctypes.byref(graph))
        finally:
            if previous:
                context._leave(previous)
        return code, graph.value or 0

    def _discard(self, graph: int) -> None:
        """Nothing was captured: let go of the owners, and of what the driver may have made."""
        context = self.stream.context
        if graph:
            context._adopt("graph", "cuGraphDestroy", graph)
            context._destroy_handle("graph", "cuGraphDestroy", graph)
        owners, self._owners = self._owners, {}
        release(owners)

    def _abort(self) -> None:
        """End because the stream or the context closes."""
        if self.active:
            self._discard(self._end()[1])

    def _note_failure(self, symbol: str, code: int) -> None:
        """Remember the first call that failed on the capturing thread: the likely cause, should the capture break."""
        if self._failure is None and (threading.get_ident() == self._thread or self.mode == "global"):
            self._failure = (symbol, code)

    def _broken(self, code: int) -> Error:
        if self._failure is not None and code != _WRONG_THREAD:
            symbol, cause = self._failure
            name = self.stream.context.driver._describe(cause)[0]
            detail = f"the first call that failed inside the capture was {symbol}: {name} ({cause})"
        elif code == _WRONG_THREAD:
            detail = "the body ended on another thread than it began on"
        else:
            detail = "no call of this package failed inside the capture; look for calls of other libraries"
        return self.stream.context._error("cuStreamEndCapture", code or 901, (self.stream.handle,), detail)


def release(owners: dict[int, Any]) -> None:
    """Unpin what a capture or a graph has kept."""
    for owner in owners.values():
        if isinstance(owner, Handle):
            owner._unpin()
    owners.clear()
