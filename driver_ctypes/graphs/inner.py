"""Nodes that are more than a name: of memory, and with graphs inside, which are filled like any other graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driver_ctypes.errors import ArgumentError
from driver_ctypes.graphs.node import Node

if TYPE_CHECKING:
    from driver_ctypes.graphs.definition import Graph
    from driver_ctypes.graphs.records import Record
    from driver_ctypes.session.session import Session


class MemoryNode(Node):
    """A node that allocates. It passes as a pointer argument: its address is fixed when it is made, and holds memory
    between the allocating node and the one that frees it.
    """

    __slots__ = ("context", "nbytes", "pointer")

    def __init__(self, graph: Graph, handle: int, pointer: int, nbytes: int, label: str | None) -> None:
        super().__init__(graph, handle, "mem_alloc", label)
        self.context: Session = graph.context
        self.pointer: int = pointer
        self.nbytes: int = nbytes


class ChildNode(Node):
    """A node that is a graph; `child` is the copy (or the moved graph) that it owns."""

    __slots__ = ("child",)

    def __init__(self, graph: Graph, handle: int, child: Graph, label: str | None) -> None:
        super().__init__(graph, handle, "graph", label)
        self.child: Graph = child


class ConditionalNode(Node):
    """A node that chooses among graphs, its `bodies`. They belong to it, and are filled like any other graph."""

    __slots__ = ("bodies", "form")

    def __init__(self, graph: Graph, handle: int, form: str, bodies: tuple[Graph, ...], label: str | None) -> None:
        super().__init__(graph, handle, "conditional", label)
        self.form: str = form
        """``if``, ``while`` or ``switch``."""
        self.bodies: tuple[Graph, ...] = bodies

    @property
    def body(self) -> Graph:
        """The first body: what runs where the condition holds."""
        return self.bodies[0]

    @property
    def otherwise(self) -> Graph:
        """The second body of an if node. Raises ArgumentError where there is none."""
        if self.form != "if" or len(self.bodies) < 2:
            raise ArgumentError(f"this {self.form} node has no else body", hint="graph.if_(..., otherwise=True)")
        return self.bodies[1]


def node_from(graph: Graph, handle: int, record: Record) -> Node:
    """The node that a record is about."""
    if record.kind == "mem_alloc":
        return MemoryNode(graph, handle, record.pointer, record.nbytes, record.label)
    if record.form:
        bodies = tuple([graph.inner(body) for body in record.inner])
        return ConditionalNode(graph, handle, record.form, bodies, record.label)
    if record.inner:
        return ChildNode(graph, handle, graph.inner(record.inner[0]), record.label)
    return Node(graph, handle, record.kind, record.label)
