"""What a graph is: nodes with work, edges between them, and an order that respects the edges.

Callers synchronise access to one graph, as with the real driver.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.emulated_driver.graphs.edges import PLAIN, Edge, check_edge
from ptxgen.emulated_driver.graphs.node_work import Alloc, Child, ChildSteps, Conditional, ConditionalSteps
from ptxgen.emulated_driver.refusal import CUresult, Refusal, invalid_value
from ptxgen.emulated_driver.state import Handles

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ptxgen.emulated_driver.graphs.conditionals import Condition
    from ptxgen.emulated_driver.graphs.userobjects import UserObject
    from ptxgen.emulated_driver.streams.stream import Stream, Work

_MEMORY = (10, 11)  # MEM_ALLOC, MEM_FREE
_IN_BODIES = (0, 1, 2, 4, 5, 13)  # what a conditional body may hold: kernel, memcpy, memset, child, empty, conditional
_MOST_LEVELS = 200  # of graphs in nodes of graphs: half of what Python's stack has room for
_ON_DEVICE = (0, 1, 2, 4)  # what a graph that the device launches may hold


class Uninstantiable(Refusal):
    """A graph cannot be made executable: `node` is why, `result` the CUgraphInstantiateResult."""

    def __init__(self, node: Node | None, result: int, text: str, code: int = CUresult.ERROR_INVALID_VALUE) -> None:
        super().__init__(code, text)
        self.node = node
        self.result = result


class Node:
    """A node. `needs` and `feeds` are its neighbours in the order the edges were made; `origin` is what it was
    cloned from.
    """

    __slots__ = ("attributes", "feeds", "graph", "handle", "needs", "origin", "told", "work")

    def __init__(self, graph: Graph, work: Work, origin: int = 0) -> None:
        self.graph = graph
        self.work = work
        self.needs: dict[Node, Edge] = {}
        self.feeds: dict[Node, None] = {}
        self.attributes: dict[int, bytes] = {}
        self.handle = nodes.add(self)
        self.origin = origin
        self.told: object = None  # what a caller was given pointers into

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
        self.conditions: list[Condition] = []
        self.outer = outer
        self.owned = owned
        self.origin = origin
        self.user_objects: dict[UserObject, int] = {}
        self.table = inner_graphs if owned else graphs
        self.handle = self.table.add(self)

    def add(self, work: Work, needs: Iterable[Node] = (), data: Sequence[Edge] = (), origin: int = 0) -> Node:
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
        _release(node.work)

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
            raise Uninstantiable(next(node for node in self.nodes if waiting[node]), 2, "the graph has a cycle")
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
            work = node.work
            if isinstance(work, Child):
                work = Child(work.graph.clone(owned=True))
            twin = twins[node] = copy.add(work, origin=node.handle)
            twin.attributes = dict(node.attributes)
        for source, target, data in self.edges():
            twins[target].link(twins[source], data)
        return copy

    def refuse_unique(self, what: str) -> None:
        """Addresses of memory nodes are fixed, and so are conditions: such a graph is one of a kind."""
        if any(node.work.kind in (*_MEMORY, Conditional.kind) for node in self.everything()):
            raise Refusal(CUresult.ERROR_NOT_SUPPORTED, f"a graph with memory or conditional nodes cannot be {what}")

    def everything(self) -> Iterator[Node]:
        """The nodes of this graph, its children and its bodies."""
        graphs = [self]
        while graphs:
            graph = graphs.pop()
            yield from graph.nodes
            for node in graph.nodes:
                graphs += inner_graphs_of(node.work)

    def check_depth(self) -> None:
        """Refuses graphs that nest deeper than one that runs its children by calling itself can follow."""
        level: list[Graph] = [self]
        for _ in range(_MOST_LEVELS):
            level = [inner for graph in level for node in graph.nodes for inner in inner_graphs_of(node.work)]
            if not level:
                return
        why = f"children and bodies nest more than {_MOST_LEVELS} deep, which this device does not run"
        raise Uninstantiable(None, 3, why, CUresult.ERROR_NOT_SUPPORTED)

    def check_instantiable(self, *, on_device: bool = False, in_body: bool = False) -> None:
        """Refuses what cannot be made executable, naming the node."""
        for node in self.order():
            kind, work = node.work.kind, node.work
            if (in_body and kind not in _IN_BODIES) or (on_device and kind not in _ON_DEVICE):
                where = "a conditional body" if in_body else "a graph that the device launches"
                raise Uninstantiable(node, 3, f"a node of type {kind} cannot be in {where}")
            for inner in inner_graphs_of(work):
                inner.check_instantiable(on_device=on_device, in_body=in_body or isinstance(work, Conditional))
        if any(not condition.used for condition in self.conditions):
            raise Uninstantiable(None, 5, "a conditional handle is not used by any conditional node")

    def close(self) -> None:
        for node in self.nodes:
            nodes.discard(node.handle)
            _release(node.work)
        self.nodes.clear()
        self.table.discard(self.handle)
        for thing, times in self.user_objects.items():
            thing.release(times)
        self.user_objects.clear()
        for condition in self.conditions:
            condition.release()
        self.conditions.clear()


def inner_graphs_of(work: Work) -> list[Graph]:
    """The graphs that a node owns: its child, or its bodies."""
    if isinstance(work, Child):
        return [work.graph]
    return list(work.bodies) if isinstance(work, Conditional) else []


def _release(work: Work) -> None:
    if isinstance(work, Alloc):
        work.memory.release()
    for graph in inner_graphs_of(work):
        graph.close()


class Step:
    """A node of an executable graph: work of its own, which may be updated and switched off. `handle` is the node's of
    the graph that the executable was made from.
    """

    __slots__ = ("enabled", "handle", "needs", "work")

    def __init__(self, handle: int, work: Work) -> None:
        self.handle = handle
        self.work = work
        self.enabled = True
        self.needs: list[tuple[int, Edge]] = []

    def inner(self) -> list[Executable]:
        if isinstance(self.work, ChildSteps):
            return [self.work.steps]
        return list(self.work.bodies) if isinstance(self.work, ConditionalSteps) else []


class Executable:
    """An instantiated graph: its steps in the order they run. It does not need the graph it was made from."""

    def __init__(self, graph: Graph, flags: int = 0, *, inner: bool = False) -> None:
        if not inner:
            graph.check_depth()
            graph.check_instantiable(on_device=bool(flags & 4))
        if graph.executables:
            graph.refuse_unique("instantiated twice")
        ordered = graph.order()
        self.graph = graph
        graph.executables += 1
        position = {node: index for index, node in enumerate(ordered)}
        self.flags = flags
        self.steps: dict[int, Step] = {}
        self.conditions = list(graph.conditions)
        for condition in self.conditions:
            condition.retain()
        for node in ordered:
            step = self.steps[node.handle] = Step(node.handle, own(node.work))
            step.needs = sorted((position[other], data) for other, data in node.needs.items())
        self.user_objects = dict(graph.user_objects)
        for thing, times in self.user_objects.items():
            thing.retain(times)
        self.handle = 0 if inner else executables.add(self)

    def find(self, handle: int) -> Step | None:
        """The step of a node, also of one in a child or a body."""
        found = self.steps.get(handle)
        if found is None:
            inside = (inner.find(handle) for step in self.steps.values() for inner in step.inner())
            found = next((step for step in inside if step is not None), None)
        return found

    def run(self, stream: Stream) -> None:
        for condition in self.conditions:
            condition.begin()
        for step in self.steps.values():
            if step.enabled and not stream.context.fault:
                step.work.run(stream)

    def check(self) -> None:
        """Refuses a launch that cannot run; memory that an earlier launch left is in the way, unless it is freed."""
        for step in self.steps.values():
            if step.enabled:
                step.work.check()
            if isinstance(step.work, Alloc) and step.work.memory.live and not self.flags & 1:
                raise Refusal(
                    CUresult.ERROR_INVALID_VALUE,
                    "memory of the graph's last launch is not freed: free it, or auto-free",
                )

    def close(self) -> None:
        executables.discard(self.handle)
        self.graph.executables -= 1
        for step in self.steps.values():
            disown(step.work)
        for condition in self.conditions:
            condition.release()
        for thing, times in self.user_objects.items():
            thing.release(times)


def own(work: Work) -> Work:
    """A node's work as an executable has it: its inner graphs are executable too, its memory is kept."""
    if isinstance(work, Child):
        return ChildSteps(Executable(work.graph, inner=True))
    if isinstance(work, Conditional):
        work.condition.retain()
        return ConditionalSteps(work, [Executable(body, inner=True) for body in work.bodies])
    if isinstance(work, Alloc):
        work.memory.retain()
    return work


def disown(work: Work) -> None:
    """The end of what `own` gave."""
    if isinstance(work, ChildSteps):
        work.steps.close()
    elif isinstance(work, ConditionalSteps):
        work.condition.release()
        for body in work.bodies:
            body.close()
    elif isinstance(work, Alloc):
        work.memory.release()


graphs: Handles[Graph] = Handles("graph")
inner_graphs: Handles[Graph] = Handles("child graph", counted=False)
nodes: Handles[Node] = Handles("graph node", counted=False)
executables: Handles[Executable] = Handles("executable graph")


def graph_of(handle: int | None) -> Graph:
    """A graph of the caller, or the one inside a child node; wrong handles are INVALID_VALUE, as with the real
    driver.
    """
    found = graphs.find(handle) or inner_graphs.find(handle)
    if found is None:
        raise invalid_value(f"{handle or 0:#x} is no live graph")
    return found


def node_of(handle: int | None) -> Node:
    found = nodes.find(handle)
    if found is None:
        raise invalid_value(f"{handle or 0:#x} is no live graph node")
    return found
