"""Graphs as callers see them: making, cloning, asking for nodes and edges, changing edges, and a drawing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driver_ctypes.abi.structs import CUgraphEdgeData
from ptxgen.cpu.driver.capture import edge_data
from ptxgen.cpu.driver.graph import PLAIN, Graph, Node, graphs
from ptxgen.cpu.driver.launch import Launch
from ptxgen.cpu.driver.nodes import graph_of, node_of
from ptxgen.cpu.driver.pointers import get_u64, need, put_i32, put_list, put_struct, put_u64, u64_array
from ptxgen.cpu.driver.refusal import CUresult, Refusal, invalid_value
from ptxgen.cpu.driver.table import INIT, entry

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
        raise Refusal(CUresult.ERROR_ILLEGAL_STATE, "a stream is capturing into the graph")
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
    node, graph = node_of(original), graph_of(clone)
    found = next((other for other in graph.nodes if other.origin == node.handle), None)
    if graph.origin != node.graph.handle or found is None:
        raise invalid_value("the graph is no clone of the node's graph")
    put_u64(out, found.handle)


@entry("cuGraphDestroyNode", needs=INIT)
def graph_destroy_node(handle: int | None) -> None:
    node = node_of(handle)
    node.graph.remove(node)


@entry("cuGraphNodeGetType", needs=INIT)
def graph_node_get_type(handle: int | None, out: int | None) -> None:
    put_i32(out, node_of(handle).work.kind)


# --- nodes and edges --------------------------------------------------------------------------------------------------


def _handles(found: Sequence[Node]) -> list[int]:
    return [node.handle for node in found]


@entry("cuGraphGetNodes", needs=INIT)
def graph_get_nodes(handle: int | None, array: int | None, number: int | None) -> None:
    put_list(array, number, _handles(list(graph_of(handle).nodes)))


@entry("cuGraphGetRootNodes", needs=INIT)
def graph_get_root_nodes(handle: int | None, array: int | None, number: int | None) -> None:
    put_list(array, number, _handles(graph_of(handle).roots()))


def _put_data(array: int | None, room: int, data: Sequence[tuple[int, int, int]]) -> None:
    if array:
        for index, edge in enumerate(data[:room]):
            put_struct(array + 8 * index, CUgraphEdgeData(*edge))


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
        _put_data(data, room, [edge for _source, _target, edge in edges])
        put_list(sources, number, _handles([source for source, _target, _data in edges]))
        put_u64(number, room)
    put_list(targets, number, _handles([target for _source, target, _data in edges]))


@entry("cuGraphGetEdges", needs=INIT)
def graph_get_edges(handle: int | None, sources: int | None, targets: int | None, number: int | None) -> None:
    graph_get_edges_v2(handle, sources, targets, None, number)


@entry("cuGraphNodeGetDependencies_v2", needs=INIT)
def graph_node_get_dependencies_v2(handle: int | None, array: int | None, data: int | None, number: int | None) -> None:
    node = node_of(handle)
    need(number)
    assert number is not None
    _put_data(data if array else None, get_u64(number), list(node.needs.values()))
    put_list(array, number, _handles(list(node.needs)))


@entry("cuGraphNodeGetDependencies", needs=INIT)
def graph_node_get_dependencies(handle: int | None, array: int | None, number: int | None) -> None:
    graph_node_get_dependencies_v2(handle, array, None, number)


@entry("cuGraphNodeGetDependentNodes_v2", needs=INIT)
def graph_node_get_dependent_nodes_v2(
    handle: int | None, array: int | None, data: int | None, number: int | None
) -> None:
    node = node_of(handle)
    need(number)
    assert number is not None
    _put_data(data if array else None, get_u64(number), [other.needs[node] for other in node.feeds])
    put_list(array, number, _handles(list(node.feeds)))


def _pairs(handle: int | None, sources: int | None, targets: int | None, number: int) -> list[tuple[Node, Node]]:
    graph = graph_of(handle)
    pairs = [
        (node_of(source), node_of(target))
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
    if any(edge != PLAIN for edge in edge_data(data, number)):
        raise Refusal(CUresult.ERROR_NOT_SUPPORTED, "programmatic edges are not offered")
    if any(source in target.needs for source, target in pairs) or len(set(pairs)) < len(pairs):
        raise invalid_value("the edge is there already")
    for source, target in pairs:
        target.link(source)


@entry("cuGraphAddDependencies", needs=INIT)
def graph_add_dependencies(handle: int | None, sources: int | None, targets: int | None, number: int) -> None:
    graph_add_dependencies_v2(handle, sources, targets, None, number)


@entry("cuGraphRemoveDependencies_v2", needs=INIT)
def graph_remove_dependencies_v2(
    handle: int | None, sources: int | None, targets: int | None, data: int | None, number: int
) -> None:
    pairs = _pairs(handle, sources, targets, number)
    if any(source not in target.needs for source, target in pairs):
        raise invalid_value("there is no such edge")
    for source, target in pairs:
        del target.needs[source]
        del source.feeds[target]


@entry("cuGraphRemoveDependencies", needs=INIT)
def graph_remove_dependencies(handle: int | None, sources: int | None, targets: int | None, number: int) -> None:
    graph_remove_dependencies_v2(handle, sources, targets, None, number)


# --- a drawing --------------------------------------------------------------------------------------------------------

_KINDS = {
    0: "kernel", 1: "memcpy", 2: "memset", 3: "host", 4: "child graph", 5: "empty", 6: "event wait", 7: "event record",
    10: "alloc", 11: "free",
}  # fmt: skip


@entry("cuGraphDebugDotPrint", needs=INIT)
def graph_debug_dot_print(handle: int | None, path: bytes | None, flags: int) -> None:
    graph = graph_of(handle)
    if not path:
        raise invalid_value("no file name")
    names = {node: f"n{index}" for index, node in enumerate(graph.nodes)}
    lines = [f'  {name} [label="{_label(node)}"];' for node, name in names.items()]
    lines += [f"  {names[source]} -> {names[target]};" for source, target, _data in graph.edges()]
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(["digraph graph_ {", *lines, "}", ""]))
    except OSError as error:
        raise Refusal(CUresult.ERROR_OPERATING_SYSTEM, str(error)) from None


def _label(node: Node) -> str:
    work = node.work
    detail = f"\\n{work.function.name} {work.shape.grid} {work.shape.block}" if isinstance(work, Launch) else ""
    return _KINDS[work.kind] + detail
