"""Graphs: what a capture recorded, and its executable form."""

from __future__ import annotations

import ctypes
import threading
from typing import TYPE_CHECKING, Any

from driver_ctypes.abi import structs
from driver_ctypes.capture import release
from driver_ctypes.lifetime import Handle
from driver_ctypes.nodes import GraphEdge, GraphNode, describe_node, read_edges, read_nodes

if TYPE_CHECKING:
    from driver_ctypes.context import Context

_AUTO_FREE_ON_LAUNCH = 1  # CUgraphInstantiate_flags
_USE_NODE_PRIORITY = 8

# CUgraphInstantiateResult
_RESULTS = {
    1: "an error without further explanation",
    2: "the structure is invalid, such as a cycle",
    3: "a node's operation is not supported",
    4: "the nodes belong to several contexts",
    5: "a conditional handle is not used by any conditional node",
}


class Graph(Handle):
    """A CUgraph and all that its nodes use: buffers, functions, events and host arrays live as long as it does."""

    kind = "graph"
    _destroy = "cuGraphDestroy"

    def __init__(self, context: Context, handle: int, owners: dict[int, Any]) -> None:
        super().__init__(context, handle)
        self._owners = owners  # pinned by the capture
        self._mutex = threading.Lock()  # the driver does not synchronise graph objects

    @property
    def handle(self) -> int:
        """The CUgraph."""
        return self._handle

    @property
    def owners(self) -> tuple[Any, ...]:
        """What the graph keeps alive."""
        return tuple(self._owners.values())

    def nodes(self) -> tuple[GraphNode, ...]:
        """Every node, with a kernel's name, grid, block and, where its signature is known, its arguments."""
        self._check_open()
        with self._mutex:
            return read_nodes(self.context, self._handle)

    def edges(self) -> tuple[GraphEdge, ...]:
        """Every dependency between nodes, by their handles."""
        self._check_open()
        with self._mutex:
            return read_edges(self.context, self._handle)

    def instantiate(self, *, auto_free: bool = False, use_node_priority: bool = False) -> GraphExec:
        """Make the executable form. With *auto_free* a launch first frees what the graph's allocation nodes left.

        Raises CudaError naming the node that cannot be instantiated, where the driver says which (CUDA 12).
        """
        self._check_open()
        flags = _AUTO_FREE_ON_LAUNCH * auto_free | _USE_NODE_PRIORITY * use_node_priority
        handle = ctypes.c_void_p()
        with self._mutex:
            if self.context.driver.has("cuGraphInstantiateWithParams"):
                self._instantiate_with_params(handle, flags)
            else:
                self.context.call("cuGraphInstantiateWithFlags", ctypes.byref(handle), self._handle, flags)
        return GraphExec(self, handle.value or 0)

    def _instantiate_with_params(self, handle: ctypes.c_void_p, flags: int) -> None:
        symbol = "cuGraphInstantiateWithParams"
        params = structs.CUDA_GRAPH_INSTANTIATE_PARAMS(flags=flags)
        code = self.context._try(symbol, ctypes.byref(handle), self._handle, ctypes.byref(params))
        if code:
            where = describe_node(self.context, params.hErrNode_out or 0)
            why = _RESULTS.get(params.result_out, f"result {params.result_out}")
            raise self.context._error(symbol, code, (None, self._handle), f"{where}: {why}")

    def _release(self) -> None:
        super()._release()
        release(self._owners)

    def _let_go(self) -> None:
        owners = self._owners
        self.context._defer_call(lambda: release(owners))


class GraphExec(Handle):
    """A graph that can be launched. It keeps its `Graph`, whose nodes identify the places to update."""

    kind = "graph exec"
    _destroy = "cuGraphExecDestroy"

    def __init__(self, graph: Graph, handle: int) -> None:
        super().__init__(graph.context, handle)
        self.graph = graph
        graph._pin()
        self._name = f"graph {graph.handle:#x}"
        self._mutex = threading.Lock()

    @property
    def handle(self) -> int:
        """The CUgraphExec."""
        return self._handle

    def launch(self, stream: Any = None) -> None:
        """Queue one run of the whole graph on *stream* (None: the default one). Runs of one exec never overlap."""
        self._check_open()
        context = self.context
        stream = context.stream_from(stream)
        stream._check_open()
        context._last_launch = self._name
        with self._mutex:
            context.call("cuGraphLaunch", self._handle, stream.handle)

    def upload(self, stream: Any = None) -> None:
        """Move the graph to the device now, so that the first launch is as quick as the others."""
        self._check_open()
        stream = self.context.stream_from(stream)
        with self._mutex:
            self.context.call("cuGraphUpload", self._handle, stream.handle)

    def _release(self) -> None:
        handle = self._handle
        super()._release()
        if handle:
            self.graph._unpin()

    def _let_go(self) -> None:
        self.context._defer_call(self.graph._unpin)
