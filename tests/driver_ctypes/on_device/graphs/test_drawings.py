"""Drawings of graphs: DOT and SVG."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

import driver_ctypes as dc
from tests.driver_ctypes.kit import filled, words


def test_drawings_show_kernels_arguments_and_bodies(context, put, tmp_path):
    x, graph = context.alloc(64), context.graph()
    first = graph.kernel(put, 1, 32, x, 0, 11, label="first")
    node = graph.if_(graph.condition(default=1), after=first, label="maybe")
    node.body.memset(x, 3, 4)
    dot, svg = graph.dot(), graph.svg()
    assert dot.startswith('digraph "graph" {')
    assert f"first: put\\n1 x 32\\nx = {x.pointer:#x}\\nslot = 0\\nvalue = 11" in dot
    assert "n0 -> n1;" in dot
    assert "subgraph cluster_n1_0" in dot
    assert svg.startswith("<svg")
    assert "value = 11" in svg
    assert svg.count("<rect") == 3
    assert svg.count("<path d") - 1 == 1  # one edge beside the arrow's head
    path = tmp_path / "graph.dot"
    graph.debug_dot(str(path))
    assert path.read_text().startswith("digraph")
    graph.close()


def test_layers_of_a_drawing(context, put):
    x, graph = context.alloc(64), context.graph()
    a = graph.empty(label="a")
    b, c = graph.empty(after=a, label="b"), graph.empty(after=a, label="c")
    graph.empty(after=[b, c], label="d")
    tops = [float(y) for y in re.findall(r'<rect x="[\d.]+" y="([\d.]+)"', graph.svg())]
    assert tops[1] == tops[2]
    assert all(upper < lower for upper, lower in pairwise([tops[0], tops[1], tops[3]]))
    graph.close()
    del x


def nested(context, graph, depth):
    """*graph* in a node, of a graph in a node, and so on."""
    for level in range(depth):
        outer = context.graph()
        outer.child(graph, move=True, label=f"level {level}")
        graph = outer
    return graph


@pytest.mark.cpu_only  # it is about Python's stack; what a GPU's driver makes of such graphs is not known
def test_graphs_nest_deeper_than_python_s_stack(context, put):
    """Every way of looking into them."""
    depth, inner = 450, context.graph()
    inner.kernel(put, 1, 1, 0, 0, 7, label="innermost")
    graph = nested(context, inner, depth)
    (node,), levels = graph.nodes(), 0
    while node.children:
        (node,), levels = node.children, levels + 1
    assert (levels, node.label, dict(node.arguments)["value"]) == (depth, "innermost", 7)
    assert graph.svg().count("<rect") == graph.dot().count("fillcolor") == depth + 1
    assert graph.find("innermost").read().name == "put"
    with pytest.raises(dc.NotSupportedError, match="nest more than 200 deep"):
        graph.instantiate()
    graph.find(f"level {depth - 1}").remove()
    assert len(graph) == 0
    graph.close()


@pytest.mark.cpu_only  # as above
def test_graphs_that_nest_deep_run(context, put, stream):
    x, inner = filled(context, [0]), context.graph()
    inner.kernel(put, 1, 1, x, 0, 7, label="innermost")
    graph = nested(context, inner, 190)
    with graph.instantiate() as execution:
        execution.update("innermost", value=9)
        execution.launch(stream)
        assert words(context, x, 1) == [9]
        assert "value = 9" in execution.svg()
    graph.close()
    x.close()
