"""cuGraphDebugDotPrint: a graph as a drawing in the DOT language."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driver_ctypes.abi import enums
from ptxgen.emulated_driver.calls.registry import INIT, entry
from ptxgen.emulated_driver.errors.refusal import Refusal, invalid_value
from ptxgen.emulated_driver.launch.kernels import Launch
from ptxgen.emulated_driver.state.edges import PLAIN
from ptxgen.emulated_driver.state.graph import graph_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ptxgen.emulated_driver.state.graph import Graph, Node


@entry("cuGraphDebugDotPrint", needs=INIT)
def graph_debug_dot_print(handle: int | None, path: bytes | None, flags: int) -> None:
    """Flags ask for more or less detail; the drawing is always the same."""
    graph = graph_of(handle)
    if not path:
        raise invalid_value("no file name")
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(["digraph dot {", *_lines(graph, "graph_1"), "}", ""]))
    except OSError as error:
        raise Refusal(enums.CUresult.ERROR_OPERATING_SYSTEM, str(error)) from None


def _lines(graph: Graph, name: str) -> Iterator[str]:
    """A cluster for the graph, and one for each graph inside it."""
    yield f'  subgraph cluster_{name} {{ label="{name}";'
    names = {node: f"{name}_node_{index}" for index, node in enumerate(graph.nodes)}
    for node, own in names.items():
        yield f'    "{own}" [shape="record" label="{_label(node)}"];'
        for index, inner in enumerate(node.work.inner_graphs()):
            yield from _lines(inner, f"{own}_{index}")
    for source, target, data in graph.edges():
        style = "" if data == PLAIN else ' [style="dashed"]'
        yield f'    "{names[source]}" -> "{names[target]}"{style};'
    yield "  }"


def _label(node: Node) -> str:
    work = node.work
    detail = f"\\n{work.function.name} {work.shape.grid} {work.shape.block}" if isinstance(work, Launch) else ""
    return enums.CUgraphNodeType(work.kind).name + detail
