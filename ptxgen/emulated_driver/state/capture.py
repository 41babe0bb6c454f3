"""A capture: the graph that it writes, the streams that take part, and whether it is still valid."""

from __future__ import annotations

from itertools import count

from driver_ctypes.abi import enums
from driver_ctypes.primitives import Lock, get_ident
from driver_ctypes.typing import TYPE_CHECKING, NoReturn
from ptxgen.emulated_driver import numbers
from ptxgen.emulated_driver.errors.refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ptxgen.emulated_driver.state.edges import Edge
    from ptxgen.emulated_driver.state.graph import Graph, Node, NodeWork

Mode = numbers.CUstreamCaptureMode
Status = numbers.CUstreamCaptureStatus
_ids = count(1)


class CapturingStream:
    """A stream as captures see it. `capture` is the one it takes part in, `tail` the nodes its next node will depend on."""

    __slots__ = ("blocking", "capture", "tail")

    def __init__(self, *, blocking: bool) -> None:
        self.blocking = blocking
        self.capture: Capture | None = None
        self.tail: dict[Node, Edge] = {}


class Capture:
    """One capture. It stands in the registers (of its context, of the machine) until it is closed."""

    def __init__(
        self, stream: CapturingStream, mode: int, registers: Sequence[list[Capture]], *, graph: Graph | None = None,
        needs: dict[Node, Edge] | None = None,
    ) -> None:  # fmt: skip
        self.id = next(_ids)
        self.mode = mode
        self.thread = get_ident()
        self.origin = stream
        if graph is None:
            from ptxgen.emulated_driver.state.graph import Graph

            graph = Graph()
        self.graph = graph
        self.graph.under_capture = True
        self.status = Status.ACTIVE
        self.cause = ""
        self.open = True
        self.streams: dict[CapturingStream, None] = {stream: None}
        self.lock = Lock()
        stream.capture, stream.tail = self, dict(needs or {})
        self._registers = registers
        for captures in registers:
            captures.append(self)

    def check(self) -> None:
        if self.status == Status.INVALIDATED:
            raise Refusal(
                enums.CUresult.ERROR_STREAM_CAPTURE_INVALIDATED, f"the capture was broken before: {self.cause}"
            )

    def invalidate(self, cause: str = "") -> None:
        if self.status == Status.ACTIVE:
            self.status, self.cause = Status.INVALIDATED, cause or "a call that a capture does not allow"

    def refuse(self, why: str, code: int | None = None) -> NoReturn:
        """The call that is going on breaks the capture."""
        self.invalidate(why)
        raise Refusal(enums.CUresult.ERROR_STREAM_CAPTURE_UNSUPPORTED if code is None else code, why)

    def add(self, stream: CapturingStream, work: NodeWork, *, overlap: bool = False) -> Node:
        """A node after the stream's last ones; with `overlap` it may begin before those that are kernels have ended."""
        from ptxgen.emulated_driver.state.edges import PLAIN, PROGRAMMATIC

        with self.lock:
            self.check()
            edges = dict(stream.tail)
            if overlap:
                edges = {
                    node: PROGRAMMATIC if node.work.kind == numbers.CUgraphNodeType.KERNEL else data
                    for node, data in edges.items()
                }
            node = self.graph.add(work, edges, list(edges.values()))
            stream.tail = {node: PLAIN}
            return node

    def join(self, stream: CapturingStream, nodes: dict[Node, Edge]) -> None:
        """The stream waits for an event that was recorded after `nodes`."""
        with self.lock:
            if stream.capture is None:
                self.check()
                stream.capture, stream.tail = self, dict(nodes)
                self.streams[stream] = None
            elif stream.capture is self:
                self.check()
                stream.tail = {**stream.tail, **nodes}
            else:
                stream.capture.invalidate("it would have merged with another capture")
                self.invalidate("it would have merged with another capture")
                raise Refusal(
                    enums.CUresult.ERROR_STREAM_CAPTURE_MERGE, "the event belongs to another capture than the stream"
                )

    def stream_destroyed(self, stream: CapturingStream) -> None:
        """A stream that takes part was destroyed: nothing is lost of one whose work other streams have waited for."""
        with self.lock:
            self.streams.pop(stream, None)
            if stream is self.origin or not self._before(self.streams).issuperset(stream.tail):
                self.invalidate("a stream that took part was destroyed")
            stream.capture, stream.tail = None, {}
            if stream is self.origin:
                self.close()

    def joined(self) -> bool:
        """Has the work of every stream come back to the one that began?"""
        seen = self._before((self.origin,))
        return all(node in seen for stream in self.streams for node in stream.tail)

    @staticmethod
    def _before(streams: Iterable[CapturingStream]) -> set[Node]:
        """What the next nodes of these streams come after."""
        seen: set[Node] = set()
        todo = [node for stream in streams for node in stream.tail]
        while todo:
            node = todo.pop()
            if node not in seen:
                seen.add(node)
                todo.extend(node.needs)
        return seen

    def close(self) -> None:
        """No stream takes part any longer. The graph of a broken capture goes, even one that the caller had made."""
        if not self.open:
            return
        self.open = False
        for stream in self.streams:
            stream.capture, stream.tail = None, {}
        for captures in self._registers:
            captures.remove(self)
        self.graph.under_capture = False
        if self.status == Status.INVALIDATED:
            self.graph.close()

    def end(self, stream: CapturingStream) -> Graph:
        if self.status == Status.ACTIVE and self.mode != Mode.RELAXED and get_ident() != self.thread:
            self.invalidate("another thread ended it")
            self.close()
            raise Refusal(
                enums.CUresult.ERROR_STREAM_CAPTURE_WRONG_THREAD,
                "a capture ends in the thread that began it, unless it is relaxed",
            )
        if stream is not self.origin:
            self.refuse("a capture ends in the stream that began it", enums.CUresult.ERROR_STREAM_CAPTURE_UNMATCHED)
        with self.lock:
            whole, joined = self.status == Status.ACTIVE, self.joined()
            if not joined:
                self.invalidate("work of another stream was not joined")
            self.close()
        if not whole:
            raise Refusal(
                enums.CUresult.ERROR_STREAM_CAPTURE_INVALIDATED, f"the capture was broken before: {self.cause}"
            )
        if not joined:
            raise Refusal(
                enums.CUresult.ERROR_STREAM_CAPTURE_UNJOINED,
                "a stream that joined the capture was not waited for: record an event there and wait for it here",
            )
        return self.graph
