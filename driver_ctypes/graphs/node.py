"""A node by name: what graphs give back when one is added, and what names it afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from driver_ctypes.errors import ArgumentError, ArgumentTypeError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from driver_ctypes.graphs.definition import Graph
    from driver_ctypes.graphs.inventory import GraphNode
    from driver_ctypes.session.session import Session

EDGES: dict[str, tuple[int, int]] = {"ended": (0, 0), "triggered": (1, 1), "started": (2, 1)}
"""What of a node is waited for -> (from_port, type) of the edge (CUgraphEdgeData)."""


class Dependency(NamedTuple):
    """A node and what of it is waited for: that it has ``ended``; or of a kernel, and by a kernel, that all its CTAs have
    ``triggered`` (PTX griddepcontrol.launch_dependents) or ended, or that all of them have ``started``.

    The waiting kernel has to call griddepcontrol.wait before it touches what the other one writes.
    """

    node: Node
    when: str = "ended"


class Record(NamedTuple):
    """What a graph remembers of a node that was added here; the driver does not tell all of it."""

    kind: str
    label: str | None = None
    form: str = ""
    """Of a conditional node: ``if``, ``while`` or ``switch``."""
    inner: tuple[int, ...] = ()
    """The CUgraphs of its bodies, or of its child."""
    pointer: int = 0
    nbytes: int = 0


class Node:
    """A node of a graph. It is a name, and keeps nothing alive but its graph's object."""

    __slots__ = ("graph", "handle", "kind", "label")

    def __init__(self, graph: Graph, handle: int, kind: str, label: str | None = None) -> None:
        self.graph = graph
        self.handle = handle
        self.kind = kind
        self.label = label

    def __repr__(self) -> str:
        return f"<{self.kind} node {self.label or hex(self.handle)}>"

    def __eq__(self, other: object) -> bool:
        return self.handle == other.handle if isinstance(other, Node) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.handle)

    def read(self) -> GraphNode:
        """What it holds now, in its graph."""
        return self.graph.read(self)

    def triggered(self) -> Dependency:
        """To be passed as ``after=``: the other kernel may begin when this one's CTAs have triggered."""
        return Dependency(self, "triggered")

    def started(self) -> Dependency:
        """To be passed as ``after=``: the other kernel may begin when this one's CTAs have begun."""
        return Dependency(self, "started")

    def update(self, arguments: Mapping[str, Any] | None = None, **changes: Any) -> None:
        """Change its parameters in the graph; see `Graph.update`."""
        self.graph.update(self, arguments, **changes)

    def set_attributes(self, **attributes: Any) -> None:
        """Change a kernel node's attributes; see `Graph.set_attributes`."""
        self.graph.set_attributes(self, **attributes)

    def remove(self) -> None:
        """Take it out of its graph."""
        self.graph.remove(self)


class MemoryNode(Node):
    """A node that allocates. It passes as a pointer argument: its address is fixed when it is made, and holds memory
    between the allocating node and the one that frees it.
    """

    __slots__ = ("context", "nbytes", "pointer")

    def __init__(self, graph: Graph, handle: int, pointer: int, nbytes: int, label: str | None) -> None:
        super().__init__(graph, handle, "mem_alloc", label)
        self.context: Session = graph.context
        self.pointer = pointer
        self.nbytes = nbytes


class ChildNode(Node):
    """A node that is a graph; `child` is the copy (or the moved graph) that it owns."""

    __slots__ = ("child",)

    def __init__(self, graph: Graph, handle: int, child: Graph, label: str | None) -> None:
        super().__init__(graph, handle, "graph", label)
        self.child = child


class ConditionalNode(Node):
    """A node that chooses among graphs, its `bodies`. They belong to it, and are filled like any other graph."""

    __slots__ = ("bodies", "form")

    def __init__(self, graph: Graph, handle: int, form: str, bodies: tuple[Graph, ...], label: str | None) -> None:
        super().__init__(graph, handle, "conditional", label)
        self.form = form
        """``if``, ``while`` or ``switch``."""
        self.bodies = bodies

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
        bodies = tuple([graph._inner(body) for body in record.inner])
        return ConditionalNode(graph, handle, record.form, bodies, record.label)
    if record.inner:
        return ChildNode(graph, handle, graph._inner(record.inner[0]), record.label)
    return Node(graph, handle, record.kind, record.label)


def dependencies(after: Any) -> list[Dependency]:
    """What ``after=`` means: a node, a `Dependency`, or any number of them; the last word on a node counts."""
    if after is None:
        return []
    if isinstance(after, Dependency):
        given = [after]
    elif isinstance(after, Node):
        given = [Dependency(after)]
    elif isinstance(after, (list, tuple, set, frozenset)):
        given = [one for several in after for one in dependencies(several)]
    else:
        raise ArgumentTypeError(
            f"after={after!r:.60} is no node", hint="pass the nodes that must come first, as adding them returned them"
        )
    for dependency in given:
        if dependency.when not in EDGES:
            raise ArgumentError(f"no dependency {dependency.when!r}", hint=f"use one of {', '.join(EDGES)}")
    return list({dependency.node: dependency for dependency in given}.values())
