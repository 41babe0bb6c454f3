"""Graph algorithms against their definitions, on random graphs."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ptxgen.dataflow.graph.algorithms import (
    TreeIntervals,
    bits,
    immediate_dominators,
    members,
    reachable_from,
    reverse_postorder,
    strongly_connected_components,
)

Graph = list[list[int]]


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    count = draw(st.integers(1, 9))
    return [draw(st.lists(st.integers(0, count - 1), max_size=3, unique=True)) for _ in range(count)]


def reach(graph: Graph, start: int, without: int = -1) -> set[int]:
    """What can be reached from a node on ways that avoid another."""
    return reachable_from([start], lambda n: [s for s in graph[n] if s != without]) if start != without else set()


@given(graphs())
def test_reverse_postorder_names_each_reachable_node_once(graph: Graph) -> None:
    order = reverse_postorder(0, graph)
    assert order[0] == 0
    assert sorted(order) == sorted(reach(graph, 0))


@given(graphs())
def test_a_dominator_is_on_every_way_from_the_root(graph: Graph) -> None:
    order = reverse_postorder(0, graph)
    predecessors: Graph = [[] for _ in graph]
    for node in order:
        for successor in graph[node]:
            predecessors[successor].append(node)
    above = immediate_dominators(order, predecessors)
    tree = TreeIntervals(above)
    for node in order:
        for other in order:
            assert tree.above(other, node) is (node == other or node not in reach(graph, 0, other))
    assert all((above[node] < 0) is (node not in order) for node in range(len(graph)))


@given(graphs())
def test_components_are_the_nodes_that_reach_each_other_sinks_first(graph: Graph) -> None:
    components = strongly_connected_components(range(len(graph)), graph.__getitem__)
    assert sorted(node for component in components for node in component) == list(range(len(graph)))
    for place, component in enumerate(components):
        for node in component:
            assert {n for n in reach(graph, node) if node in reach(graph, n)} == set(component)
            assert reach(graph, node) <= {n for earlier in components[: place + 1] for n in earlier}


@given(st.sets(st.integers(0, 2_000)))
def test_a_set_as_an_integer_has_its_members_in_order(nodes: set[int]) -> None:
    assert members(bits(nodes)) == sorted(nodes)
    assert bits(nodes).bit_count() == len(nodes)
