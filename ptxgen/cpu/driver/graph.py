"""What a graph is: nodes with work, edges between them, and an order that respects the edges.

Callers synchronise access to one graph, as with the real driver.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu.driver.refusal import CUresult, Refusal
from ptxgen.cpu.driver.state import Handles
from ptxgen.cpu.driver.works import Alloc, Child, ChildSteps

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ptxgen.cpu.driver.streams import Stream, Work
    from ptxgen.cpu.driver.userobjects import UserObject

_MEMORY = (10, 11)  # MEM_ALLOC, MEM_FREE
PLAIN = (0, 0, 0)
"""An edge's data: from_port, to_port, type (CUgraphEdgeData)."""


class Cycle(Refusal):
    """A graph cannot be put in order; `node` is one that waits for itself."""

    def __init__(self, node: Node) -> None:
        super().__init__(CUresult.ERROR_INVALID_VALUE, "the graph has a cycle")
        self.node = node


class Node:
    """A node. `needs` and `feeds` are its neighbours in the order the edges were made; `origin` is what it was
    cloned from.
    """

    __slots__ = ("attributes", "feeds", "graph", "handle", "needs", "origin", "told", "work")

    def __init__(self, graph: Graph, work: Work, origin: int = 0) -> None:
        self.graph = graph
        self.work = work
        self.needs: dict[Node, tuple[int, int, int]] = {}
        self.feeds: dict[Node, None] = {}
        self.attributes: dict[int, bytes] = {}
        self.handle = nodes.add(self)
        self.origin = origin
        self.told: object = None  # what a caller was given pointers into

    def link(self, other: Node, data: tuple[int, int, int] = PLAIN) -> None:
        """An edge from `other` to this node."""
        self.needs[other] = data
        other.feeds[self] = None


class Graph:
    """A graph; `capture` says that a stream is still writing it. `owned` graphs belong to a node and have no handle
    of the caller.
    """

    def __init__(self, *, owned: bool = False, origin: int = 0) -> None:
        self.nodes: dict[Node, None] = {}
        self.under_capture = False
        self.instantiated = False
        self.owned = owned
        self.origin = origin
        self.user_objects: dict[UserObject, int] = {}
        self.table = inner_graphs if owned else graphs
        self.handle = self.table.add(self)

    def add(
        self, work: Work, needs: Iterable[Node] = (), data: Sequence[tuple[int, int, int]] = (), origin: int = 0
    ) -> Node:
        node = Node(self, work, origin)
        self.nodes[node] = None
        for index, other in enumerate(needs):
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

    def edges(self) -> list[tuple[Node, Node, tuple[int, int, int]]]:
        """(from, to, data), in the order of their targets."""
        return [(other, node, data) for node in self.nodes for other, data in node.needs.items()]

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
            raise Cycle(next(node for node in self.nodes if waiting[node]))
        return done

    def clone(self, *, owned: bool = False) -> Graph:
        """A copy with its own nodes, which share the work until somebody sets it anew."""
        self.refuse_memory("cloned")
        copy = Graph(owned=owned, origin=self.handle)
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

    def refuse_memory(self, what: str) -> None:
        """Addresses of memory nodes are fixed, so such a graph is one of a kind."""
        if any(node.work.kind in _MEMORY for node in self.nodes):
            raise Refusal(CUresult.ERROR_NOT_SUPPORTED, f"a graph with memory nodes cannot be {what}")

    def close(self) -> None:
        for node in self.nodes:
            nodes.discard(node.handle)
            _release(node.work)
        self.nodes.clear()
        self.table.discard(self.handle)
        for thing, times in self.user_objects.items():
            thing.release(times)
        self.user_objects.clear()


def _retain(work: Work) -> None:
    if isinstance(work, Alloc):
        work.memory.retain()


def _release(work: Work) -> None:
    if isinstance(work, Alloc):
        work.memory.release()
    elif isinstance(work, Child):
        work.graph.close()


class Step:
    """A node of an executable graph: work of its own, which may be updated and switched off."""

    __slots__ = ("enabled", "handle", "needs", "work")

    def __init__(self, handle: int, work: Work) -> None:
        self.handle = handle
        self.work = work
        self.enabled = True
        self.needs: list[int] = []


class Executable:
    """An instantiated graph: its steps in the order they run. It does not need the graph it was made from."""

    def __init__(self, graph: Graph, flags: int = 0) -> None:
        ordered = graph.order()
        if graph.instantiated:
            graph.refuse_memory("instantiated twice")
        graph.instantiated = True
        position = {node: index for index, node in enumerate(ordered)}
        self.flags = flags
        self.steps: dict[int, Step] = {}
        for node in ordered:
            step = self.steps[node.handle] = Step(node.handle, self._own(node.work))
            step.needs = sorted(position[other] for other in node.needs)
        self.user_objects = dict(graph.user_objects)
        for thing, times in self.user_objects.items():
            thing.retain(times)
        self.handle = executables.add(self)

    @staticmethod
    def _own(work: Work) -> Work:
        if isinstance(work, Child):
            return ChildSteps(Executable.inner(work.graph))
        _retain(work)
        return work

    @classmethod
    def inner(cls, graph: Graph) -> Executable:
        """A child graph's steps, under the caller's executable: not counted as one of its own."""
        made = cls(graph)
        executables.discard(made.handle)
        return made

    def run(self, stream: Stream) -> None:
        for step in self.steps.values():
            if step.enabled and not stream.context.fault:
                step.work.run(stream)

    def check(self) -> None:
        for step in self.steps.values():
            if step.enabled:
                step.work.check()

    def close(self) -> None:
        executables.discard(self.handle)
        for step in self.steps.values():
            if isinstance(step.work, ChildSteps):
                step.work.steps.close()
            else:
                _release(step.work)
        for thing, times in self.user_objects.items():
            thing.release(times)


graphs: Handles[Graph] = Handles("graph")
inner_graphs: Handles[Graph] = Handles("child graph", counted=False)
nodes: Handles[Node] = Handles("graph node", counted=False)
executables: Handles[Executable] = Handles("executable graph")
