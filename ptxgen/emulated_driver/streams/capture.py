"""Stream capture: streams whose work becomes nodes of a graph, and all that may not be done meanwhile.

The rules are those an H200 with driver 580 showed, call by call (tests/ptxgen/cpu/data/h200.json). In short:

- what would wait for captured work, or ask about it, is refused with 900, and the capture is broken;
- the legacy stream is refused with 906 while a blocking stream captures, and breaks that capture;
- "potentially unsafe" calls (allocation, freeing, synchronising, unloading, instantiating) are refused with 900 by
  the modes of the capture and of the calling thread; a relaxed capture allows them, and so does a thread that has
  exchanged its mode;
- a broken capture answers 901 to everything, until it is ended.
"""

from __future__ import annotations

import threading
from itertools import count
from typing import TYPE_CHECKING, NoReturn

from driver_ctypes.abi.structs import CUgraphEdgeData
from ptxgen.emulated_driver.graphs.edges import PLAIN, PROGRAMMATIC, Edge, edge_data, put_edges, refuse_lossy
from ptxgen.emulated_driver.graphs.graph import Graph, Node, graphs, inner_graphs
from ptxgen.emulated_driver.graphs.graph import nodes as node_table
from ptxgen.emulated_driver.graphs.node_work import Alloc, Free, GraphMemory, freed_memory
from ptxgen.emulated_driver.pointers import get_i32, need, put_i32, put_u64, u64_array
from ptxgen.emulated_driver.refusal import CUresult, Refusal, invalid_value
from ptxgen.emulated_driver.rules import GLOBAL, RELAXED, THREAD_LOCAL
from ptxgen.emulated_driver.state import Context, machine, thread
from ptxgen.emulated_driver.streams.stream import LEGACY, Stream, Work, stream_of
from ptxgen.emulated_driver.table import INIT, entry

if TYPE_CHECKING:
    from ptxgen.emulated_driver.memory.pools import Pool

NONE, ACTIVE, INVALIDATED = 0, 1, 2
_ids = count(1)


class Capture:
    """One capture: its graph, the streams that take part, and whether it is still whole."""

    def __init__(
        self, stream: Stream, mode: int, graph: Graph | None = None, needs: dict[Node, Edge] | None = None
    ) -> None:
        self.id = next(_ids)
        self.mode = mode
        self.thread = threading.get_ident()
        self.context = stream.context
        self.origin = stream
        self.graph = graph or Graph()
        self.graph.under_capture = True
        self.status = ACTIVE
        self.cause = ""
        self.open = True
        self.streams: dict[Stream, None] = {stream: None}
        self.lock = threading.Lock()
        stream.capture, stream.tail = self, dict(needs or {})
        self.context.captures.append(self)
        machine.captures.append(self)

    def check(self) -> None:
        if self.status == INVALIDATED:
            raise Refusal(CUresult.ERROR_STREAM_CAPTURE_INVALIDATED, f"the capture was broken before: {self.cause}")

    def spoil(self, cause: str = "") -> None:
        if self.status == ACTIVE:
            self.status, self.cause = INVALIDATED, cause or "a call that a capture does not allow"

    def refuse(self, why: str, code: int = CUresult.ERROR_STREAM_CAPTURE_UNSUPPORTED) -> NoReturn:
        """The call that is going on breaks the capture."""
        self.spoil(why)
        raise Refusal(code, why)

    def add(self, stream: Stream, work: Work, *, overlap: bool = False) -> Node:
        """A node after the stream's last ones; with `overlap` it may begin before those that are kernels have ended."""
        with self.lock:
            self.check()
            edges = dict(stream.tail)
            if overlap:
                edges = {node: PROGRAMMATIC if node.work.kind == 0 else data for node, data in edges.items()}
            node = self.graph.add(work, edges, list(edges.values()))
            stream.tail = {node: PLAIN}
            return node

    def join(self, stream: Stream, nodes: dict[Node, Edge]) -> None:
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
                stream.capture.spoil("it would have merged with another capture")
                self.spoil("it would have merged with another capture")
                raise Refusal(
                    CUresult.ERROR_STREAM_CAPTURE_MERGE, "the event belongs to another capture than the stream"
                )

    def lose(self, stream: Stream) -> None:
        """A stream that takes part was destroyed."""
        self.spoil("a stream that took part was destroyed")
        self.streams.pop(stream, None)
        if stream is self.origin:
            self.close()

    def joined(self) -> bool:
        """Has the work of every stream come back to the one that began?"""
        seen: set[Node] = set()
        todo = list(self.origin.tail)
        while todo:
            node = todo.pop()
            if node not in seen:
                seen.add(node)
                todo.extend(node.needs)
        return all(node in seen for stream in self.streams for node in stream.tail)

    def close(self) -> None:
        """No stream takes part any longer. The graph of a broken capture goes, even one that the caller had made."""
        if not self.open:
            return
        self.open = False
        for stream in self.streams:
            stream.capture, stream.tail = None, {}
        self.context.captures.remove(self)
        machine.captures.remove(self)
        self.graph.under_capture = False
        if self.status == INVALIDATED:
            self.graph.close()

    def end(self, stream: Stream) -> Graph:
        if self.status == ACTIVE and self.mode != RELAXED and threading.get_ident() != self.thread:
            self.spoil("another thread ended it")
            self.close()
            raise Refusal(
                CUresult.ERROR_STREAM_CAPTURE_WRONG_THREAD,
                "a capture ends in the thread that began it, unless it is relaxed",
            )
        if stream is not self.origin:
            self.refuse("a capture ends in the stream that began it", CUresult.ERROR_STREAM_CAPTURE_UNMATCHED)
        with self.lock:
            whole, joined = self.status == ACTIVE, self.joined()
            if not joined:
                self.spoil("work of another stream was not joined")
            self.close()
        if not whole:
            raise Refusal(CUresult.ERROR_STREAM_CAPTURE_INVALIDATED, f"the capture was broken before: {self.cause}")
        if not joined:
            raise Refusal(
                CUresult.ERROR_STREAM_CAPTURE_UNJOINED,
                "a stream that joined the capture was not waited for: record an event there and wait for it here",
            )
        return self.graph


# --- memory in captures -----------------------------------------------------------------------------------------------


def capture_alloc(stream: Stream, size: int, pool: Pool) -> int:
    """cuMemAllocAsync in a capture: a node; its address is fixed now."""
    assert stream.capture is not None
    stream.capture.check()
    memory = GraphMemory(stream.context, size, pool.handle)
    stream.capture.add(stream, Alloc(memory))
    return memory.address


def capture_free(stream: Stream, address: int) -> None:
    """cuMemFreeAsync in a capture: a node, for memory of a graph only."""
    assert stream.capture is not None
    stream.capture.check()
    stream.capture.add(stream, Free(freed_memory(address)))


# --- entries ----------------------------------------------------------------------------------------------------------


def _begin(
    context: Context, handle: int | None, mode: int, graph: Graph | None = None, needs: dict[Node, Edge] | None = None
) -> None:
    if mode not in (GLOBAL, THREAD_LOCAL, RELAXED):
        raise invalid_value(f"capture mode {mode}: 0 global, 1 thread-local, 2 relaxed")
    stream = stream_of(context, handle)
    if stream.is_legacy:
        raise Refusal(CUresult.ERROR_STREAM_CAPTURE_UNSUPPORTED, "the legacy default stream cannot capture")
    if stream.capture is not None:
        raise Refusal(CUresult.ERROR_ILLEGAL_STATE, "the stream is capturing already")
    Capture(stream, mode, graph, needs)


@entry("cuStreamBeginCapture_v2")
def stream_begin_capture(context: Context, handle: int | None, mode: int) -> None:
    _begin(context, handle, mode)


@entry("cuStreamBeginCaptureToGraph")
def stream_begin_capture_to_graph(
    context: Context, handle: int | None, graph: int | None, needs: int | None, data: int | None, number: int, mode: int
) -> None:
    target = graphs.find(graph) or inner_graphs.find(graph)
    if target is None:
        raise invalid_value(f"{graph or 0:#x} is no live graph")
    if target.under_capture:
        raise Refusal(CUresult.ERROR_ILLEGAL_STATE, "another capture is writing that graph")
    found = [node_table.get(node) for node in u64_array(needs, number)]
    if any(node.graph is not target for node in found):
        raise invalid_value("a dependency is not in the graph")
    _begin(context, handle, mode, target, dict(zip(found, edge_data(data, number))))


@entry("cuStreamEndCapture")
def stream_end_capture(context: Context, handle: int | None, out: int | None) -> None:
    """The graph is NULL after any failure. The caller may do without it: then it is gone."""
    if out:
        put_u64(out, 0)
    stream = stream_of(context, handle)
    if stream.capture is None:
        raise Refusal(CUresult.ERROR_ILLEGAL_STATE, "the stream is not capturing")
    graph = stream.capture.end(stream)
    if out:
        put_u64(out, graph.handle)
    else:
        graph.close()


@entry("cuStreamIsCapturing")
def stream_is_capturing(context: Context, handle: int | None, out: int | None) -> None:
    need(out)
    capture = _asked(context, handle).capture
    put_i32(out, capture.status if capture else NONE)


def _asked(context: Context, handle: int | None) -> Stream:
    """Asking about the legacy stream is refused with 906 while a blocking stream captures, but breaks nothing."""
    asked_legacy = handle == LEGACY or (not handle and not thread.own_stream)
    if asked_legacy and any(s.blocking for c in context.captures for s in c.streams):
        raise Refusal(CUresult.ERROR_STREAM_CAPTURE_IMPLICIT, "a blocking stream is capturing")
    return context.legacy if asked_legacy else stream_of(context, handle)


class _Told:
    """Arrays whose address a caller was given; the next question of the same thread replaces them."""

    def __init__(self) -> None:
        self._kept = threading.local()

    def array(self, values: list[int]) -> int:
        import ctypes

        self._kept.array = (ctypes.c_uint64 * max(len(values), 1))(*values)
        return ctypes.addressof(self._kept.array)

    def edges(self, data: list[Edge]) -> int:
        import ctypes

        self._kept.edges = (CUgraphEdgeData * max(len(data), 1))()
        put_edges(ctypes.addressof(self._kept.edges), len(data), data)
        return ctypes.addressof(self._kept.edges)


_told = _Told()


def _info(
    context: Context, handle: int | None, status: int | None, id_: int | None, graph: int | None, nodes: int | None,
    edges: int | None, number: int | None,
) -> None:  # fmt: skip
    need(status)
    if edges and not nodes:
        raise invalid_value("edge data is told only with the nodes")
    stream = _asked(context, handle)
    capture = stream.capture
    if nodes:
        refuse_lossy(list(stream.tail.values()), told=bool(edges))
    put_i32(status, capture.status if capture else NONE)
    if capture is None or capture.status != ACTIVE:
        return
    if id_:
        put_u64(id_, capture.id)
    if graph:
        put_u64(graph, capture.graph.handle)
    if nodes:
        put_u64(nodes, _told.array([node.handle for node in stream.tail]))
    if edges:
        put_u64(edges, _told.edges(list(stream.tail.values())))
    if number:
        put_u64(number, len(stream.tail))


@entry("cuStreamGetCaptureInfo_v2")
def stream_get_capture_info_v2(
    context: Context,
    handle: int | None,
    status: int | None,
    id_: int | None,
    graph: int | None,
    nodes: int | None,
    number: int | None,
) -> None:
    _info(context, handle, status, id_, graph, nodes, None, number)


@entry("cuStreamGetCaptureInfo_v3")
def stream_get_capture_info_v3(
    context: Context, handle: int | None, status: int | None, id_: int | None, graph: int | None, nodes: int | None,
    edges: int | None, number: int | None,
) -> None:  # fmt: skip
    _info(context, handle, status, id_, graph, nodes, edges, number)


@entry("cuStreamUpdateCaptureDependencies")
def stream_update_capture_dependencies(
    context: Context, handle: int | None, array: int | None, number: int, flags: int
) -> None:
    stream_update_capture_dependencies_v2(context, handle, array, None, number, flags)


@entry("cuStreamUpdateCaptureDependencies_v2")
def stream_update_capture_dependencies_v2(
    context: Context, handle: int | None, array: int | None, data: int | None, number: int, flags: int
) -> None:
    """flags 0 adds to the nodes the stream's next node depends on, 1 replaces them."""
    stream = stream_of(context, handle)
    capture = stream.capture
    if capture is None:
        raise Refusal(CUresult.ERROR_ILLEGAL_STATE, "the stream is not capturing")
    if flags not in (0, 1):
        raise invalid_value(f"flags {flags}: 0 add, 1 set")
    capture.check()
    wanted = [node_table.get(node) for node in u64_array(array, number)]
    if any(node.graph is not capture.graph for node in wanted):
        raise invalid_value("a node is not in the graph that is captured")
    edges = dict(zip(wanted, edge_data(data, number)))
    stream.tail = edges if flags else {**stream.tail, **edges}


@entry("cuThreadExchangeStreamCaptureMode", needs=INIT)
def thread_exchange_stream_capture_mode(mode: int | None) -> None:
    need(mode)
    assert mode is not None
    wanted = get_i32(mode)
    if wanted not in (GLOBAL, THREAD_LOCAL, RELAXED):
        raise invalid_value(f"capture mode {wanted}: 0 global, 1 thread-local, 2 relaxed")
    put_i32(mode, thread.capture_mode)
    thread.capture_mode = wanted
