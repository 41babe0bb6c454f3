"""Graphs as callers see them: making, cloning, asking for nodes and edges, changing edges."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driver_ctypes.abi import enums
from ptxgen.emulated_driver.calls.registry import INIT, entry
from ptxgen.emulated_driver.errors.refusal import Refusal, invalid_value
from ptxgen.emulated_driver.pointers import get_u64, need, put_i32, put_list, put_u64, u64_array
from ptxgen.emulated_driver.state.edges import check_edge, edge_data, put_edges, refuse_lossy
from ptxgen.emulated_driver.state.graph import Graph, Node, graph_of, graphs, nodes

if TYPE_CHECKING:
    from collections.abc import Sequence


@entry("cuGraphCreate", needs=INIT)
def graph_create(out: int | None, flags: int) -> None:
    need(out)
    if flags:
        raise invalid_value("cuGraphCreate takes flags 0")
    put_u64(out, Graph().handle)


@entry("cuGraphDestroy", needs=INIT)
def graph_destroy(handle: int | None) -> None:
    graph = graph_of(handle)
    if graph.under_capture:
        raise Refusal(enums.CUresult.ERROR_ILLEGAL_STATE, "a stream is capturing into the graph")
    if graph.owned:
        raise invalid_value("the graph belongs to a child node")
    graphs.remove(handle)
    graph.close()


@entry("cuGraphClone", needs=INIT)
def graph_clone(out: int | None, original: int | None) -> None:
    need(out)
    put_u64(out, graph_of(original).clone().handle)


@entry("cuGraphNodeFindInClone", needs=INIT)
def graph_node_find_in_clone(out: int | None, original: int | None, clone: int | None) -> None:
    node, graph = nodes.named(original), graph_of(clone)
    found = next((other for other in graph.nodes if other.origin == node.handle), None)
    if graph.origin != node.graph.handle or found is None:
        raise invalid_value("the graph is not a clone of the node's graph")
    put_u64(out, found.handle)


@entry("cuGraphDestroyNode", needs=INIT)
def graph_destroy_node(handle: int | None) -> None:
    node = nodes.named(handle)
    if node.work.kind in (10, 11):
        raise Refusal(enums.CUresult.ERROR_NOT_SUPPORTED, "memory nodes cannot be taken out of a graph")
    node.graph.remove(node)


@entry("cuGraphNodeGetType", needs=INIT)
def graph_node_get_type(handle: int | None, out: int | None) -> None:
    put_i32(out, nodes.named(handle).work.kind)


# --- nodes and edges --------------------------------------------------------------------------------------------------


def _handles(found: Sequence[Node]) -> list[int]:
    return [node.handle for node in found]


@entry("cuGraphGetNodes", needs=INIT)
def graph_get_nodes(handle: int | None, array: int | None, number: int | None) -> None:
    put_list(array, number, _handles(list(graph_of(handle).nodes)))


@entry("cuGraphGetRootNodes", needs=INIT)
def graph_get_root_nodes(handle: int | None, array: int | None, number: int | None) -> None:
    put_list(array, number, _handles(graph_of(handle).roots()))


@entry("cuGraphGetEdges_v2", needs=INIT)
def graph_get_edges_v2(
    handle: int | None, sources: int | None, targets: int | None, data: int | None, number: int | None
) -> None:
    edges = graph_of(handle).edges()
    need(number)
    assert number is not None
    if bool(sources) != bool(targets):
        raise invalid_value("both arrays or none")
    room = get_u64(number)
    if sources:
        reported = [edge for _source, _target, edge in edges]
        refuse_lossy(reported, reported=bool(data))
        put_edges(data, room, reported)
        put_list(sources, number, _handles([source for source, _target, _data in edges]))
        put_u64(number, room)
    put_list(targets, number, _handles([target for _source, target, _data in edges]))


@entry("cuGraphGetEdges", needs=INIT)
def graph_get_edges(handle: int | None, sources: int | None, targets: int | None, number: int | None) -> None:
    graph_get_edges_v2(handle, sources, targets, None, number)


@entry("cuGraphNodeGetDependencies_v2", needs=INIT)
def graph_node_get_dependencies_v2(handle: int | None, array: int | None, data: int | None, number: int | None) -> None:
    node = nodes.named(handle)
    need(number)
    assert number is not None
    if array:
        refuse_lossy(list(node.needs.values()), reported=bool(data))
        put_edges(data, get_u64(number), list(node.needs.values()))
    put_list(array, number, _handles(list(node.needs)))


@entry("cuGraphNodeGetDependencies", needs=INIT)
def graph_node_get_dependencies(handle: int | None, array: int | None, number: int | None) -> None:
    graph_node_get_dependencies_v2(handle, array, None, number)


@entry("cuGraphNodeGetDependentNodes_v2", needs=INIT)
def graph_node_get_dependent_nodes_v2(
    handle: int | None, array: int | None, data: int | None, number: int | None
) -> None:
    node = nodes.named(handle)
    need(number)
    assert number is not None
    if array:
        edges = [other.needs[node] for other in node.feeds]
        refuse_lossy(edges, reported=bool(data))
        put_edges(data, get_u64(number), edges)
    put_list(array, number, _handles(list(node.feeds)))


@entry("cuGraphNodeGetDependentNodes", needs=INIT)
def graph_node_get_dependent_nodes(handle: int | None, array: int | None, number: int | None) -> None:
    graph_node_get_dependent_nodes_v2(handle, array, None, number)


def _pairs(handle: int | None, sources: int | None, targets: int | None, number: int) -> list[tuple[Node, Node]]:
    graph = graph_of(handle)
    pairs = [
        (nodes.named(source), nodes.named(target))
        for source, target in zip(u64_array(sources, number), u64_array(targets, number))
    ]
    if any(source.graph is not graph or target.graph is not graph or source is target for source, target in pairs):
        raise invalid_value("an edge joins two different nodes of the graph")
    return pairs


@entry("cuGraphAddDependencies_v2", needs=INIT)
def graph_add_dependencies_v2(
    handle: int | None, sources: int | None, targets: int | None, data: int | None, number: int
) -> None:
    """A cycle is found when the graph is instantiated."""
    pairs = _pairs(handle, sources, targets, number)
    edges = edge_data(data, number)
    if any(source in target.needs for source, target in pairs) or len(set(pairs)) < len(pairs):
        raise invalid_value("the edge is there already")
    for (source, target), edge in zip(pairs, edges):
        check_edge(source.work.kind, target.work.kind, edge)
    for (source, target), edge in zip(pairs, edges):
        target.link(source, edge)


@entry("cuGraphAddDependencies", needs=INIT)
def graph_add_dependencies(handle: int | None, sources: int | None, targets: int | None, number: int) -> None:
    graph_add_dependencies_v2(handle, sources, targets, None, number)


@entry("cuGraphRemoveDependencies_v2", needs=INIT)
def graph_remove_dependencies_v2(
    handle: int | None, sources: int | None, targets: int | None, data: int | None, number: int
) -> None:
    """Two nodes have one edge at most, so that its data need not be reported."""
    pairs = _pairs(handle, sources, targets, number)
    edge_data(data, number)
    if any(source not in target.needs for source, target in pairs):
        raise invalid_value("there is no such edge")
    for source, target in pairs:
        del target.needs[source]
        del source.feeds[target]


@entry("cuGraphRemoveDependencies", needs=INIT)
def graph_remove_dependencies(handle: int | None, sources: int | None, targets: int | None, number: int) -> None:
    graph_remove_dependencies_v2(handle, sources, targets, None, number)
