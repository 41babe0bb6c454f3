"""Stream capture: work recorded into a graph instead of being run.

Each capture has a lease. A global capture forbids what every other thread does (allocating, freeing, synchronising), so
it has its context alone, and so has each capture that asks for it. The others share: each has its own stream.
"""

from __future__ import annotations

import ctypes
import sys
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from driver_ctypes.abi import structs
from driver_ctypes.errors import ArgumentError, ArgumentTypeError, CaptureError, Error
from driver_ctypes.graphs.host import ADDRESS, HostFunction
from driver_ctypes.graphs.owners import CAPTURED, HeldHost, Owners
from driver_ctypes.lifetime import renew_in_child
from driver_ctypes.streams.stream import begun, capture_state, create_event, ended

if TYPE_CHECKING:
    from types import FrameType

    from driver_ctypes.session.launches import ActiveCapture


_changed = threading.Condition()
renew_in_child(globals(), "_changed", threading.Condition)
_OURS = ("driver_ctypes", "ptxgen", "contextlib")  # modules whose frames are not the caller's


def acquire(capture: ActiveCapture, wait: float) -> None:
    """Enter *capture* among its context's. Raises CaptureError naming the holder where one is in the way for *wait*
    seconds; a capture of the same thread is not waited for.
    """
    captures = capture.stream.context.captures
    until = time.monotonic() + wait
    with _changed:
        while True:
            holder = next((other for other in captures if other.exclusive or capture.exclusive), None)
            if holder is None:
                captures.append(capture)
                return
            left = until - time.monotonic()
            if left <= 0 or holder.thread is threading.current_thread():
                raise _refused(capture, holder)
            _changed.wait(left)


def release(capture: ActiveCapture) -> None:
    """*capture* has ended."""
    with _changed:
        capture.stream.context.captures.remove(capture)
        _changed.notify_all()


def _refused(capture: ActiveCapture, holder: ActiveCapture) -> CaptureError:
    who = "this capture" if capture.exclusive and not holder.exclusive else "the other one"
    return CaptureError(
        f"thread {holder.thread.name!r} is capturing {holder.stream!r} in mode {holder.mode}, since {holder.place}; {who} "
        "needs the context alone",
        hint="let it end, pass wait=seconds, or capture both in mode 'thread_local' without exclusive=True",
    )


def caller() -> str:
    """Where the program called this package: "file.py:12, in main"."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _OURS:
        frame = frame.f_back
    if frame is None:
        return "an unknown place"
    return f"{frame.f_code.co_filename}:{frame.f_lineno}, in {frame.f_code.co_name}"


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from driver_ctypes.graphs.definition import Graph
    from driver_ctypes.streams.stream import StreamBase

    Mode = Literal["global", "thread_local", "relaxed"]
    _S = TypeVar("_S", bound=StreamBase)

# CU_STREAM_CAPTURE_MODE: whose unsafe calls break the capture: any thread's, this thread's, nobody's
MODES = {"global": 0, "thread_local": 1, "relaxed": 2}

_WRONG_THREAD, _UNJOINED = 908, 904
_OF_CAPTURES = range(900, 909)  # CUresult: what is refused because of a capture


class Capture:
    """A context manager: work that the body queues on the stream becomes ``capture.graph``.

    The capture ends in any case. If the body raises, its exception is passed on, nothing is kept, and the stream is
    usable. Buffers, functions, events and host arrays that the work uses live as long as the graph.

        with stream.capture() as capture:
            kernel.launch(grid, block, x, y, n, stream=stream)
        capture.graph.instantiate().launch(stream)

    With *into*, the work is added to an existing graph, after its nodes *after*. A body that raises leaves that graph as
    it was; a capture that is invalidated closes it (the driver destroys it). *exclusive* excludes every other capture of
    the context; a capture in mode ``global`` is always exclusive. *wait* is the number of seconds to wait for a conflicting one.

    Raises CaptureError: on entry for the default stream, for a stream that captures already, where another capture is in
    the way (named, with its thread and place), and where the driver refuses; at the end where a call broke the capture,
    which the message names with its place in the program.
    """

    def __init__(
        self,
        stream: StreamBase,
        mode: Mode = "thread_local",
        *,
        into: Graph | None = None,
        after: Any = None,
        exclusive: bool = False,
        wait: float = 0.0,
    ) -> None:
        if mode not in MODES:
            raise CaptureError(f"no capture mode {mode!r}", hint=f"use one of {', '.join(MODES)}")
        self.stream = stream
        self.mode = mode
        self.exclusive: bool = exclusive or mode == "global"
        self.active: bool = False
        self.thread: threading.Thread = threading.current_thread()
        self.place: str = ""
        self.identity: int = 0
        """The driver's number of it, which it has in every stream that takes part."""
        self._wait = wait
        self._into = into
        self._after = after
        self._before: frozenset[int] = frozenset()
        self._labels: dict[int, str] = {}
        self._taken: set[str] = set()
        self._streams: list[tuple[StreamBase, str]] = []
        self._owners = Owners()
        self._failure: tuple[str, int, str] | None = None
        self._elsewhere: tuple[str, int, str] | None = None
        self._graph: Graph | None = None

    def __repr__(self) -> str:
        done = "captured" if self._graph is not None else "without a graph"
        return f"<Capture of {self.stream!r}: {'going on' if self.active else done}>"

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
        stream.check_open()
        if not stream.handle:
            raise CaptureError("the default stream cannot be captured", hint="capture a stream of context.stream()")
        if stream.active_capture is not None or self._graph is not None or self.active:
            raise CaptureError(
                f"{stream!r} is captured already",
                hint="end the first capture, or let another stream join it by an event",
            )
        if context.deferred:
            context.collect()  # while it still may
        self.thread, self.place = threading.current_thread(), caller()
        acquire(self, self._wait)
        try:
            self._begin()
        except BaseException:
            release(self)
            raise
        self.active = True
        try:
            self.identity = capture_state(context, stream.handle)[0]
        except BaseException:
            self.abort()
            raise
        begun(self)
        self.joined(stream)
        return self

    def _begin(self) -> None:
        context, stream = self.stream.context, self.stream
        if self._into is None:
            context.call("cuStreamBeginCapture_v2", stream.handle, MODES[self.mode])
        else:
            self._begin_into(self._into)

    def _begin_into(self, into: Graph) -> None:
        context, stream = self.stream.context, self.stream
        from driver_ctypes.graphs.base import edge_data

        into.check_open()
        with into._mutex:
            into._check_idle("captured into")
            needs = into._needs(self._after)
            nodes = (ctypes.c_void_p * max(len(needs), 1))(*[one.node.handle for one in needs])
            data = (structs.CUgraphEdgeData * max(len(needs), 1))(*[edge_data(one.when) for one in needs])
            self._before = frozenset(self._nodes_of(into.handle))
            args = (into.handle, nodes, data, len(needs), MODES[self.mode])
            context.call("cuStreamBeginCaptureToGraph", stream.handle, *args)
            into._capture = self
            into.graph_retain()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if not self.active:
            return  # the context or the stream was closed in the body
        code, handle = self._end()
        if kind is not None:
            self._discard(handle)
            if code and not self.stream.context.closed:
                self.stream.context.driver.new_log()  # of a capture that has ended
        elif code or not handle:
            self._discard(handle)
            self.stream.context.check()  # a fork or a fault in the body says more than the capture's end
            raise self._broken(code)
        else:
            self._finish(handle)

    def _finish(self, handle: int) -> None:
        """The graph with what its work uses."""
        from driver_ctypes.graphs.definition import Graph
        from driver_ctypes.graphs.inventory import Record

        graph, owners = self._into, self._owners
        self._owners = Owners()
        if graph is None:
            graph = Graph(self.stream.context, handle, owners)
        else:
            graph._owners.adopt(owners)
            graph._removed.difference_update(self._nodes_of(handle))
            owners.clear()
            self._release_into()
        for node, label in self._labels.items():
            graph._record(node, Record(graph.read(node).kind, label))
        self._graph = graph

    def _nodes_of(self, graph: int) -> tuple[int, ...]:
        from driver_ctypes.graphs.inventory import node_handles

        return node_handles(self.stream.context, graph)

    # --- in the body --------------------------------------------------------------------------------------------------

    @contextmanager
    def named(self, label: str) -> Iterator[None]:
        """Give a name to what the body adds: one node gets *label*, several get ``label.0``, ``label.1``, ... What a
        `named` inside the body has named keeps that name, and does not count. Raises ArgumentError for a label that is
        taken, ArgumentTypeError for what is not text.
        """
        if not isinstance(label, str):
            raise ArgumentTypeError(f"a label is text, not {type(label).__name__} {label!r:.60}", name="label")
        self._take_label(label)
        before = set(self._nodes_so_far())
        yield
        added = [node for node in self._nodes_so_far() if node not in before and node not in self._labels]
        for index, node in enumerate(added):
            self._labels[node] = label if len(added) == 1 else f"{label}.{index}"
            if len(added) > 1:
                self._take_label(self._labels[node])

    def _take_label(self, label: str) -> None:
        """Raises ArgumentError where another node has it, or will have it."""
        if self._into is not None:
            self._into._check_label(label)
        if label in self._taken:
            raise ArgumentError(f"a node of this capture has the label {label!r} already", name=label)
        self._taken.add(label)

    def _nodes_so_far(self) -> tuple[int, ...]:
        """Every node of the graph that is being captured."""
        graph = capture_state(self.stream.context, self.stream.handle)[1]
        return self._nodes_of(graph) if graph else ()

    @contextmanager
    def fork(self, *streams: _S) -> Iterator[tuple[_S, ...]]:
        """Let *streams* take part from here on, beside the capturing one, and come back at the body's end."""
        event = self.stream.record(create_event(self.stream.context, timing=False, blocking=False))
        for stream in streams:
            stream.wait(event)
        yield streams
        for stream in streams:
            self.stream.wait(stream.record(create_event(stream.context, timing=False, blocking=False)))

    def retain(self, *owners: Any) -> None:
        """Keep *owners* alive as long as the graph lives, and their memory allocated even where they are closed.

        An array that is a view of a `Buffer` says so by an attribute ``buffer``.
        """
        self._owners.add(CAPTURED, *owners)

    def retain_host(self, source: Any, *, writable: bool) -> None:
        """The same of host memory that a captured copy reads or writes: it stays where it is."""
        if not isinstance(source, int):
            self.retain(source if hasattr(source, "graph_retain") else HeldHost(source, writable=writable))

    def joined(self, stream: StreamBase) -> None:
        """*stream* takes part from here on, if it did not before; an error about it names the place."""
        if all(other.handle != stream.handle for other, _place in self._streams):
            self._streams.append((stream, caller()))
            if stream.context is not self.stream.context:
                stream.context.launches.revoke()

    # --- its end ------------------------------------------------------------------------------------------------------

    def _end(self) -> tuple[int, int]:
        """End the capture in the driver, whatever state the context is in. Returns (code, graph or 0)."""
        context = self.stream.context
        self.active = False
        ended(self)
        release(self)
        if context.closed:  # by a fork: the driver's capture is the parent's
            return 0, 0
        graph = ctypes.c_void_p()
        previous = context.enter()
        try:
            code: int = context.functions["cuStreamEndCapture"](self.stream.handle, ctypes.byref(graph))
        finally:
            if previous:
                context.leave(previous)
        return code, graph.value or 0

    def _discard(self, graph: int) -> None:
        """Nothing was captured: release the owners, and what the driver may have created."""
        context, into = self.stream.context, self._into
        if into is not None:
            self._take_back(graph)
        elif graph:
            context.adopt("graph", "cuGraphDestroy", graph)
            context.destroy("graph", "cuGraphDestroy", graph)
        self._owners.clear()

    def _take_back(self, graph: int) -> None:
        """Remove what was added to an existing graph; where the capture broke, the driver has destroyed that graph."""
        into, context = self._into, self.stream.context
        assert into is not None
        if graph and not context.closed and context.poisoned is None:
            for node in reversed(self._nodes_of(graph)):
                if node not in self._before:
                    context.try_call("cuGraphDestroyNode", node)
        elif not graph:
            into._give_away()
        self._release_into()

    def _release_into(self) -> None:
        if self._into is not None:
            self._into._capture = None
            self._into.graph_release()

    def abort(self) -> None:
        """End because the stream or the context closes."""
        if self.active:
            self._discard(self._end()[1])

    def host_function(self, stream: StreamBase, function: Callable[[], Any]) -> None:
        """Capture a call of a Python function on *stream*; see `StreamBase.call`."""
        kept = HostFunction(stream.context, function)
        stream.context.call("cuLaunchHostFunc", stream.handle, ADDRESS, kept.number)
        self.retain(kept)

    def note_failure(self, symbol: str, code: int) -> None:
        """Remember the first call that failed on the capturing thread: the likely cause, should the capture break. Else it
        is the first that was refused on another thread because something captures.
        """
        thread = threading.current_thread()
        if self._failure is None and (thread is self.thread or self.mode == "global"):
            self._failure = (symbol, code, caller())
        elif self._elsewhere is None and code in _OF_CAPTURES:
            self._elsewhere = (symbol, code, f"{caller()}, on thread {thread.name!r}")

    def _broken(self, code: int) -> Error:
        context = self.stream.context
        failure = self._failure or (self._elsewhere if code != _UNJOINED else None)
        if failure is not None and code != _WRONG_THREAD:
            symbol, cause, place = failure
            name = context.driver.describe(cause)[0]
            where = "inside" if self._failure is not None else "beside"
            detail = f"the first call that failed {where} the capture was {symbol}: {name} ({cause}), at {place}"
        elif code == _WRONG_THREAD:
            detail = "the body ended on another thread than it began on"
        elif code == _UNJOINED:
            joined = [f"{stream!r} (joined at {place})" for stream, place in self._streams[1:]]
            detail = f"one of these was not waited for at the end: {', '.join(joined) or 'a stream of another library'}"
        else:
            detail = "no call of this package failed inside the capture; look for calls of other libraries"
        detail += f"\n  the capture began at {self.place}"
        return context.error("cuStreamEndCapture", code or 901, (self.stream.handle,), detail)
