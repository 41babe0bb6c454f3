"""The work of nodes that only graphs have: empty, child and conditional nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driver_ctypes.abi import enums
from ptxgen.emulated_driver.state.graph import ExecutionContext, Graph, NodeWork

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.emulated_driver.graphs.conditions import Condition


class Empty(NodeWork):
    """A node that only orders others."""

    __slots__ = ()
    kind = enums.CUgraphNodeType.EMPTY

    def run(self, context: ExecutionContext) -> None:
        pass


class Child(NodeWork):
    """A graph inside a graph: the node owns it."""

    __slots__ = ("graph",)
    kind = enums.CUgraphNodeType.GRAPH

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    def inner_graphs(self) -> Sequence[Graph]:
        return (self.graph,)

    def clone(self) -> Child:
        return Child(self.graph.clone(owned=True))


class Conditional(NodeWork):
    """Bodies of which a condition's value chooses; the node owns them."""

    __slots__ = ("bodies", "condition", "kept_alive", "type")
    kind = enums.CUgraphNodeType.CONDITIONAL
    unique = True

    def __init__(self, condition: Condition, type_: int, bodies: list[Graph]) -> None:
        self.condition = condition
        self.type = type_
        self.bodies = bodies
        self.kept_alive: object = None

    def inner_graphs(self) -> Sequence[Graph]:
        return self.bodies
