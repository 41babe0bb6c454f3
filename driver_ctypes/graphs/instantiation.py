"""Making the driver's executable of a graph, and updating it to another graph: which node pairs with which, and which is in
the way where the driver refuses.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from driver_ctypes.abi import structs
from driver_ctypes.errors import ArgumentError

if TYPE_CHECKING:
    from driver_ctypes.graphs.base import GraphBase
    from driver_ctypes.graphs.executable import GraphExec
    from driver_ctypes.graphs.inventory import GraphNode
    from driver_ctypes.graphs.node import Node


# CUgraphInstantiateResult
_RESULTS = {
    1: "an error without further explanation",
    2: "the structure is invalid, such as a cycle",
    3: "a node's operation is not supported",
    4: "the nodes belong to several contexts",
    5: "a conditional handle is not used by any conditional node",
}


def create_executable(graph: GraphBase, flags: int, upload: Any) -> int:
    """The CUgraphExec of *graph*. Raises CudaError that names the node which is in the way."""
    context, handle = graph.context, ctypes.c_void_p()
    if not context.driver.has("cuGraphInstantiateWithParams"):
        context.call("cuGraphInstantiateWithFlags", ctypes.byref(handle), graph.handle, flags)
        return handle.value or 0
    symbol = "cuGraphInstantiateWithParams"
    params = structs.CUDA_GRAPH_INSTANTIATE_PARAMS(flags=flags)
    if upload is not None:
        params.flags, params.hUploadStream = flags | 2, context.stream_from(upload).handle or None
    code = context.try_call(symbol, ctypes.byref(handle), graph.handle, ctypes.byref(params))
    if code:
        where = [graph.describe(params.hErrNode_out)] if params.hErrNode_out else []
        why = [_RESULTS.get(params.result_out, f"result {params.result_out}")] if params.result_out else []
        raise context.error(symbol, code, (None, graph.handle), ": ".join([*where, *why]))
    return handle.value or 0


# CUgraphExecUpdateResult -> its meaning
RESULTS = {
    1: "an error without further explanation",
    2: "the topology changed: nodes or edges were added, removed or are in another order",
    3: "a node has another kind",
    4: "a kernel changed where this driver does not allow it",
    5: "a parameter changed that an executable cannot take over (memory of another kind or device, a condition)",
    6: "a node cannot be updated at all",
    7: "a kernel was replaced by one of another context, or by one that launches or updates graphs",
    8: "an attribute changed that an executable cannot take over, such as cooperative",
}


def explain_update(executable: GraphExec, graph: GraphBase, result: int, node: int, origin: int) -> str:
    """Which node failed, and why. *node* is of the new graph, *origin* (where the driver says it) of the old one."""
    why = RESULTS.get(result, f"result {result}")
    places = []
    if node:
        places.append(f"the new graph's {graph.describe(node)}")
    if origin:
        places.append(f"against the old graph's {executable.graph.describe(origin)}")
    if not places or result == 2:
        places += _differences(executable._source, graph)
    return f"{why}: {'; '.join(places)}" if places else why


def _differences(old: GraphBase, new: GraphBase) -> list[str]:
    """What the driver does not report about two graphs: how many nodes they have, and the first that differ in order. (The old
    one may be closed, but the executable still has it.)"""
    before, after = old._nodes(), new._nodes()
    found = []
    if len(before) != len(after):
        found.append(f"{len(before)} nodes before, {len(after)} now")
    pair = next((pair for pair in zip(before, after) if _signature(pair[0]) != _signature(pair[1])), None)
    if pair is not None:
        found.append(f"{_short(pair[0])} before, {_short(pair[1])} now")
    return found


def _signature(node: GraphNode) -> tuple[object, ...]:
    return node.kind, node.name, len(node.dependencies)


def _short(node: GraphNode) -> str:
    return f"{node.kind} node {node.label or node.name or hex(node.handle)} after {len(node.dependencies)} other(s)"


class UnpairedError(ArgumentError):
    """The nodes of two graphs cannot be paired."""


class Pairing:
    """Which node of the graph that an executable has its parameters from stands for a node of the graph it was made from.

    The driver pairs nodes by the topology of the graphs, and does not report the pairs. If both were built in the same order,
    which is checked here, the order gives them.
    """

    def __init__(self, base: GraphBase, source: GraphBase) -> None:
        self._base = base
        self._source = source
        self._partners: dict[int, int] | None = None

    def partner(self, node: Node) -> Node:
        """The node of the source. Raises UnpairedError where the graphs were built in different orders."""
        if self._partners is None:
            self._partners = self._pair()
        return self._source._node(self._partners[node.handle], "")

    def origin(self, node: Node) -> int | None:
        """The inverse: the handle of the node for a node of the source; None if it cannot be determined."""
        try:
            self._partners = self._partners or self._pair()
        except UnpairedError:
            return None
        return next((ours for ours, theirs in self._partners.items() if theirs == node.handle), None)

    def _pair(self) -> dict[int, int]:
        ours, theirs = self._base._nodes(), self._source._nodes()
        partners: dict[int, int] = {}
        if not _walk(ours, theirs, partners):
            raise UnpairedError(
                "the executable was updated from a graph whose nodes were made in another order, so that one node's "
                "parameters cannot be distinguished",
                hint="update that graph's node and call update_from again, or build both graphs in the same order",
            )
        return partners


def _walk(ours: tuple[GraphNode, ...], theirs: tuple[GraphNode, ...], partners: dict[int, int]) -> bool:
    """Pair by position; False where kinds or dependencies differ."""
    graphs = [(ours, theirs)]
    while graphs:
        one, two = graphs.pop()
        if len(one) != len(two):
            return False
        partners.update({a.handle: b.handle for a, b in zip(one, two)})
        for a, b in zip(one, two):
            same = {(partners.get(source), when) for source, when in a.dependencies} == set(b.dependencies)
            if a.kind != b.kind or not same or len(a.bodies) != len(b.bodies):
                return False
            graphs += [(a.children, b.children), *zip(a.bodies, b.bodies)]
    return True
