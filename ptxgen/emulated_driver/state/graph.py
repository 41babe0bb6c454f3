"""What a graph is: nodes with work, edges between them, and an order that respects the edges.

Callers synchronise access to one graph, as with the real driver.
"""

from __future__ import annotations

from driver_ctypes.abi import enums, numbers
from driver_ctypes.typing import TYPE_CHECKING, ClassVar, Protocol
from ptxgen.emulated_driver.errors.refusal import Refusal, invalid_value
from ptxgen.emulated_driver.state.callers import calling_lines, is_watched
from ptxgen.emulated_driver.state.edges import PLAIN, Edge, check_edge
from ptxgen.emulated_driver.state.handles import Handles

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ptxgen.errors import Location

Kind = numbers.CUgraphNodeType
_IN_BODIES = frozenset((Kind.KERNEL, Kind.MEMCPY, Kind.MEMSET, Kind.GRAPH, Kind.EMPTY, Kind.CONDITIONAL))
"""What a conditional body may hold."""
_ON_DEVICE = frozenset((Kind.KERNEL, Kind.MEMCPY, Kind.MEMSET, Kind.GRAPH))
"""What a graph that the device launches may hold."""
_MAX_NESTING = 200  # of graphs in nodes of graphs: half of what Python's stack has room for


class ExecutionContext(Protocol):
    """What work may do to the context that it runs in."""

    fault: int
    """The code of the fault after which nothing runs any more; 0 before."""

    def fail(self, code: int, cause: str) -> None: ...


class NodeWork:
    """What a stream runs and what a node of a graph holds: the same object, so that a capture only puts it aside.

    `kind` is the CUgraphNodeType of its node. `unique`: there is one of it, so that its graph can be neither cloned nor
    instantiated twice.
    """

    __slots__ = ()
    kind: ClassVar[int]
    unique: ClassVar[bool] = False

    def check(self) -> None:
        """Refuses what cannot run; called when the work is made, and again when a graph with it is launched."""

    def run(self, context: ExecutionContext) -> None:
        """Does it, in the calling thread."""
        raise AssertionError(f"{type(self).__name__} does not say how it runs")

    def inner_graphs(self) -> Sequence[Graph]:
        """The graphs that a node with this work owns: its child, or its bodies."""
        return ()

    def clone(self) -> NodeWork:
        """The work of a cloned node, which is the same object unless the work owns something."""
        return self

    def close(self) -> None:
        """The node with it is removed."""
        for graph in self.inner_graphs():
            graph.close()


class Counted(Protocol):
    """A user object, as graphs know it."""

    def retain(self, times: int = 1) -> None: ...

    def release(self, times: int = 1) -> None: ...


class GraphCondition(Protocol):
    """A condition, as graphs know it."""

    used: bool
    """By a conditional node."""

    def begin(self) -> None: ...

    def retain(self) -> None: ...

    def release(self) -> None: ...


class Uninstantiable(Refusal):
    """A graph cannot be made executable: `node` is why, `result` the CUgraphInstantiateResult."""

    def __init__(self, node: Node | None, result: int, text: str, code: int | None = None) -> None:
        super().__init__(enums.CUresult.ERROR_INVALID_VALUE if code is None else code, text)
        self.node = node
        self.result = result


class Node:
    """A node. `needs` and `feeds` are its neighbours in the order the edges were made; `origin` is what it was
    cloned from, `made` the user's line that asked for it, while racecheck watches.
    """

    __slots__ = ("attributes", "feeds", "graph", "handle", "kept_alive", "made", "needs", "origin", "work")

    def __init__(self, graph: Graph, work: NodeWork, origin: int = 0) -> None:
        self.graph = graph
        self.work = work
        self.needs: dict[Node, Edge] = {}
        self.feeds: dict[Node, None] = {}
        self.attributes: dict[int, bytes] = {}
        self.handle = nodes.add(self)
        self.origin = origin
        self.made: tuple[Location, ...] = calling_lines() if is_watched() else ()
        self.kept_alive: object = None  # what a caller was given pointers into

    def link(self, other: Node, data: Edge = PLAIN) -> None:
        """An edge from `other` to this node."""
        check_edge(other.work.kind, self.work.kind, data)
        self.needs[other] = data
        other.feeds[self] = None


class Graph:
    """A graph; `under_capture` says that a stream is still writing it. `owned` graphs belong to a node and have no
    handle of the caller; `outer` is the graph around a conditional node's body.
    """

    def __init__(self, *, owned: bool = False, origin: int = 0, outer: Graph | None = None) -> None:
        self.nodes: dict[Node, None] = {}
        self.under_capture = False
        self.executables = 0  # that live
        self.conditions: list[GraphCondition] = []
        self.outer = outer
        self.owned = owned
        self.origin = origin
        self.user_objects: dict[Counted, int] = {}
        self.table = inner_graphs if owned else graphs
        self.handle = self.table.add(self)

    def add(self, work: NodeWork, needs: Iterable[Node] = (), data: Sequence[Edge] = (), origin: int = 0) -> Node:
        neighbours = list(needs)
        for index, other in enumerate(neighbours):
            check_edge(other.work.kind, work.kind, data[index] if data else PLAIN)
        node = Node(self, work, origin)
        self.nodes[node] = None
        for index, other in enumerate(neighbours):
            node.link(other, data[index] if data else PLAIN)
        return node

    def remove(self, node: Node) -> None:
        for other in node.needs:
            del other.feeds[node]
        for other in node.feeds:
            del other.needs[node]
        del self.nodes[node]
        nodes.discard(node.handle)
        node.work.close()

    def roots(self) -> list[Node]:
        return [node for node in self.nodes if not node.needs]

    def edges(self) -> list[tuple[Node, Node, Edge]]:
        """(from, to, data), in the order of their targets."""
        return [(other, node, data) for node in self.nodes for other, data in node.needs.items()]

    def around(self) -> Iterator[Graph]:
        """This graph and those it is a conditional body of, from the inside out."""
        graph: Graph | None = self
        while graph is not None:
            yield graph
            graph = graph.outer

    def order(self) -> list[Node]:
        """The nodes, each after those it needs, else in the order they were made. Refuses a graph with a cycle."""
        waiting = {node: len(node.needs) for node in self.nodes}
        ready = [node for node, missing in waiting.items() if not missing]
        done: list[Node] = []
        for node in ready:  # grows while it is walked
            done.append(node)
            for after in node.feeds:
                waiting[after] -= 1
                if not waiting[after]:
                    ready.append(after)
        if len(done) < len(self.nodes):
            raise Uninstantiable(
                next(node for node in self.nodes if waiting[node]),
                enums.CUgraphInstantiateResult.INVALID_STRUCTURE,
                "the graph has a cycle",
            )
        return done

    def clone(self, *, owned: bool = False) -> Graph:
        """A copy with its own nodes, which share the work until somebody sets it anew."""
        self.refuse_unique("cloned")
        copy = Graph(owned=owned, origin=self.handle)
        copy.user_objects = dict(self.user_objects)
        for thing, times in copy.user_objects.items():
            thing.retain(times)
        twins: dict[Node, Node] = {}
        for node in self.nodes:
            twin = twins[node] = copy.add(node.work.clone(), origin=node.handle)
            twin.made = node.made
            twin.attributes = dict(node.attributes)
        for source, target, data in self.edges():
            twins[target].link(twins[source], data)
        return copy

    def refuse_unique(self, what: str) -> None:
        """Addresses of memory nodes are fixed, and so are conditions: such a graph is one of a kind."""
        if any(node.work.unique for node in self.everything()):
            raise Refusal(
                enums.CUresult.ERROR_NOT_SUPPORTED, f"a graph with memory or conditional nodes cannot be {what}"
            )

    def everything(self) -> Iterator[Node]:
        """The nodes of this graph, its children and its bodies."""
        graphs = [self]
        while graphs:
            graph = graphs.pop()
            yield from graph.nodes
            for node in graph.nodes:
                graphs += node.work.inner_graphs()

    def check_depth(self) -> None:
        """Refuses graphs that nest deeper than one that runs its children by calling itself can follow."""
        level: list[Graph] = [self]
        for _ in range(_MAX_NESTING):
            level = [inner for graph in level for node in graph.nodes for inner in node.work.inner_graphs()]
            if not level:
                return
        why = f"children and bodies nest more than {_MAX_NESTING} deep, which this device does not run"
        raise Uninstantiable(
            None, enums.CUgraphInstantiateResult.NODE_OPERATION_NOT_SUPPORTED, why, enums.CUresult.ERROR_NOT_SUPPORTED
        )

    def check_instantiable(self, *, on_device: bool = False, in_body: bool = False) -> None:
        """Refuses what cannot be made executable, naming the node."""
        for node in self.order():
            kind = node.work.kind
            if (in_body and kind not in _IN_BODIES) or (on_device and kind not in _ON_DEVICE):
                where = "a conditional body" if in_body else "a graph that the device launches"
                raise Uninstantiable(
                    node,
                    enums.CUgraphInstantiateResult.NODE_OPERATION_NOT_SUPPORTED,
                    f"a node of type {kind} cannot be in {where}",
                )
            for inner in node.work.inner_graphs():
                inner.check_instantiable(on_device=on_device, in_body=in_body or kind == Kind.CONDITIONAL)
        if any(not condition.used for condition in self.conditions):
            raise Uninstantiable(
                None,
                enums.CUgraphInstantiateResult.CONDITIONAL_HANDLE_UNUSED,
                "a conditional handle is not used by any conditional node",
            )

    def close(self) -> None:
        for node in self.nodes:
            nodes.discard(node.handle)
            node.work.close()
        self.nodes.clear()
        self.table.discard(self.handle)
        for thing, times in self.user_objects.items():
            thing.release(times)
        self.user_objects.clear()
        for condition in self.conditions:
            condition.release()
        self.conditions.clear()


graphs: Handles[Graph] = Handles("graph")
inner_graphs: Handles[Graph] = Handles("child graph", counted=False)
nodes: Handles[Node] = Handles("graph node", counted=False)


def graph_of(handle: int | None) -> Graph:
    """A graph of the caller, or the one inside a child node; wrong handles are INVALID_VALUE, as with the real
    driver.
    """
    found = graphs.find(handle) or inner_graphs.find(handle)
    if found is None:
        raise invalid_value(f"{handle or 0:#x} is not a live graph")
    return found
