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

from driver_ctypes.abi import enums
from driver_ctypes.primitives import local
from ptxgen.emulated_driver import numbers
from ptxgen.emulated_driver.calls.capture_rules import GLOBAL, RELAXED, THREAD_LOCAL
from ptxgen.emulated_driver.calls.registry import INIT, entry
from ptxgen.emulated_driver.errors.refusal import Refusal, invalid_value
from ptxgen.emulated_driver.pointers import get_i32, need, put_i32, put_u64, u64_array
from ptxgen.emulated_driver.state.capture import Capture
from ptxgen.emulated_driver.state.context import Context, Stream
from ptxgen.emulated_driver.state.edges import Edge, edge_data, put_edges, refuse_lossy
from ptxgen.emulated_driver.state.graph import Graph, Node, graphs, inner_graphs
from ptxgen.emulated_driver.state.graph import nodes as node_table
from ptxgen.emulated_driver.state.machine import machine
from ptxgen.emulated_driver.state.thread import thread
from ptxgen.emulated_driver.streams.stream import LEGACY, stream_of

Status = numbers.CUstreamCaptureStatus
Update = numbers.CUstreamUpdateCaptureDependencies_flags


# --- entries ----------------------------------------------------------------------------------------------------------


def _begin(
    context: Context, handle: int | None, mode: int, graph: Graph | None = None, needs: dict[Node, Edge] | None = None
) -> None:
    if mode not in (GLOBAL, THREAD_LOCAL, RELAXED):
        raise invalid_value(f"capture mode {mode}: 0 global, 1 thread-local, 2 relaxed")
    stream = stream_of(context, handle)
    if stream.is_legacy:
        raise Refusal(enums.CUresult.ERROR_STREAM_CAPTURE_UNSUPPORTED, "the legacy default stream cannot capture")
    if stream.capture is not None:
        raise Refusal(enums.CUresult.ERROR_ILLEGAL_STATE, "the stream is capturing already")
    Capture(stream, mode, (stream.context.captures, machine.captures), graph=graph, needs=needs)


@entry("cuStreamBeginCapture_v2")
def stream_begin_capture(context: Context, handle: int | None, mode: int) -> None:
    _begin(context, handle, mode)


@entry("cuStreamBeginCapture")
def stream_begin_capture_v1(context: Context, handle: int | None) -> None:
    _begin(context, handle, GLOBAL)


@entry("cuStreamBeginCaptureToGraph")
def stream_begin_capture_to_graph(
    context: Context, handle: int | None, graph: int | None, needs: int | None, data: int | None, number: int, mode: int
) -> None:
    target = graphs.find(graph) or inner_graphs.find(graph)
    if target is None:
        raise invalid_value(f"{graph or 0:#x} is not a live graph")
    if target.under_capture:
        raise Refusal(enums.CUresult.ERROR_ILLEGAL_STATE, "another capture is writing that graph")
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
        raise Refusal(enums.CUresult.ERROR_ILLEGAL_STATE, "the stream is not capturing")
    graph = stream.capture.end(stream)
    if out:
        put_u64(out, graph.handle)
    else:
        graph.close()


@entry("cuStreamIsCapturing")
def stream_is_capturing(context: Context, handle: int | None, out: int | None) -> None:
    need(out)
    capture = _asked(context, handle).capture
    put_i32(out, capture.status if capture else Status.NONE)


def _asked(context: Context, handle: int | None) -> Stream:
    """Asking about the legacy stream is refused with 906 while a blocking stream captures, but breaks nothing."""
    asked_legacy = handle == LEGACY or (not handle and not thread.own_stream)
    if asked_legacy and any(s.blocking for c in context.captures for s in c.streams):
        raise Refusal(enums.CUresult.ERROR_STREAM_CAPTURE_IMPLICIT, "a blocking stream is capturing")
    return context.legacy if asked_legacy else stream_of(context, handle)


class _Answers:
    """Arrays whose address a caller was given; the next question of the same thread replaces them."""

    def __init__(self) -> None:
        self._kept = local()

    def array(self, values: list[int]) -> int:
        import ctypes

        self._kept.array = (ctypes.c_uint64 * max(len(values), 1))(*values)
        return ctypes.addressof(self._kept.array)

    def edges(self, data: list[Edge]) -> int:
        import ctypes

        from driver_ctypes.abi.structs import CUgraphEdgeData

        self._kept.edges = (CUgraphEdgeData * max(len(data), 1))()
        put_edges(ctypes.addressof(self._kept.edges), len(data), data)
        return ctypes.addressof(self._kept.edges)


_answers = _Answers()


def _info(
    context: Context, handle: int | None, status: int | None, id_: int | None, graph: int | None, nodes: int | None,
    edges: int | None, number: int | None,
) -> None:  # fmt: skip
    need(status)
    if edges and not nodes:
        raise invalid_value("edge data is reported only with the nodes")
    stream = _asked(context, handle)
    capture = stream.capture
    if nodes:
        refuse_lossy(list(stream.tail.values()), reported=bool(edges))
    put_i32(status, capture.status if capture else Status.NONE)
    if capture is None or capture.status != Status.ACTIVE:
        return
    if id_:
        put_u64(id_, capture.id)
    if graph:
        put_u64(graph, capture.graph.handle)
    if nodes:
        put_u64(nodes, _answers.array([node.handle for node in stream.tail]))
    if edges:
        put_u64(edges, _answers.edges(list(stream.tail.values())))
    if number:
        put_u64(number, len(stream.tail))


@entry("cuStreamGetCaptureInfo")
def stream_get_capture_info(context: Context, handle: int | None, status: int | None, id_: int | None) -> None:
    _info(context, handle, status, id_, None, None, None, None)


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
        raise Refusal(enums.CUresult.ERROR_ILLEGAL_STATE, "the stream is not capturing")
    if flags not in (Update.ADD_CAPTURE_DEPENDENCIES, Update.SET_CAPTURE_DEPENDENCIES):
        raise invalid_value(f"flags {flags}: 0 add, 1 set")
    capture.check()
    wanted = [node_table.get(node) for node in u64_array(array, number)]
    if any(node.graph is not capture.graph for node in wanted):
        raise invalid_value("a node is not in the graph that is captured")
    edges = dict(zip(wanted, edge_data(data, number)))
    stream.tail = edges if flags == Update.SET_CAPTURE_DEPENDENCIES else {**stream.tail, **edges}


@entry("cuThreadExchangeStreamCaptureMode", needs=INIT)
def thread_exchange_stream_capture_mode(mode: int | None) -> None:
    need(mode)
    assert mode is not None
    wanted = get_i32(mode)
    if wanted not in (GLOBAL, THREAD_LOCAL, RELAXED):
        raise invalid_value(f"capture mode {wanted}: 0 global, 1 thread-local, 2 relaxed")
    put_i32(mode, thread.capture_mode)
    thread.capture_mode = wanted
