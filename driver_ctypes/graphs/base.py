"""What every graph has: its nodes and edges, how nodes are added and changed, and how it is closed."""

from __future__ import annotations

import ctypes
import threading
from typing import TYPE_CHECKING, Any, Protocol
from weakref import WeakSet

from driver_ctypes.abi import structs
from driver_ctypes.errors import ArgumentError, ArgumentTypeError, CaptureError, ClosedError
from driver_ctypes.graphs.inventory import (
    EDGES,
    GraphEdge,
    GraphNode,
    Record,
    describe_node,
    named_nodes,
    node_handles,
    read_edges,
    read_node,
    read_nodes,
)
from driver_ctypes.graphs.node import Dependency, Node, change_definition, dependencies
from driver_ctypes.graphs.owners import Owners, let_go
from driver_ctypes.launch.attributes import attribute_value
from driver_ctypes.session.handle import Handle

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from driver_ctypes.modules.module import Function
    from driver_ctypes.session.launches import ActiveCapture
    from driver_ctypes.session.session import Session


class Heir(Protocol):
    """An executable graph, which keeps what its graph releases."""

    def inherit(self, held: list[dict[int, Any]]) -> None: ...

    def remember(self, node: Node, kind: str) -> None: ...


class GraphBase(Handle):
    """The part of a `Graph` that is the same whatever its nodes do. The files of this room use it, so that they do not
    import all of `Graph`.
    """

    kind = "graph"
    _destroy = "cuGraphDestroy"

    def __init__(
        self, context: Session, handle: int, owners: Owners | None = None, *, outer: GraphBase | None = None
    ) -> None:
        super().__init__(context, 0 if outer is not None else handle)
        self._value = handle
        self._outer = outer  # of a body or a child: the graph that the node with this one is in
        self._moved: GraphBase | None = None  # into whose node
        self._owners: Owners = outer._owners if outer is not None else owners or Owners()
        self._mutex: threading.RLock = outer._mutex if outer is not None else threading.RLock()
        self._records: dict[int, Record] = outer._records if outer is not None else {}  # of nodes added here
        self._removed: set[int] = outer._removed if outer is not None else set()  # handles the driver no longer has
        self._capture: ActiveCapture | None = None  # that writes it
        self._mover: Function | None = None  # sets conditions from memory
        self._executables: WeakSet[Heir] = WeakSet()  # that have their parameters from it

    def check_open(self) -> None:
        """A body is open as long as its graph."""
        if self._outer is not None:
            self._outer.check_open()
            if self._value in self._removed:
                raise ClosedError("the node that this graph was in is removed")
        super().check_open()

    @property
    def handle(self) -> int:
        """The CUgraph."""
        return self._value if self._outer is not None or self._handle else 0

    @property
    def owners(self) -> tuple[Any, ...]:
        """What the graph keeps alive."""
        return tuple(self._owners)

    # --- what is in it ------------------------------------------------------------------------------------------------

    def nodes(self) -> tuple[GraphNode, ...]:
        """Every node: its kind, label, dependencies and parameters; a kernel's name, grid, block, attributes and, where
        its signature is known, its arguments by name.
        """
        self.check_open()
        return self._nodes()

    def _nodes(self) -> tuple[GraphNode, ...]:
        """The same of a graph that was closed, but that an executable still needs."""
        with self._mutex:
            return read_nodes(self.context, self.handle, self._records)

    def edges(self) -> tuple[GraphEdge, ...]:
        """Every dependency between nodes, by their handles."""
        self.check_open()
        with self._mutex:
            return read_edges(self.context, self.handle)

    def read(self, node: Node | GraphNode | str | int) -> GraphNode:
        """One node as it is now, without its dependencies."""
        return self._read(self.find(node))

    def _read(self, node: Node) -> GraphNode:
        with self._mutex:
            return read_node(self.context, node.handle, self._records)

    def __len__(self) -> int:
        self.check_open()
        with self._mutex:
            return len(node_handles(self.context, self.handle))

    def find(self, node: Node | GraphNode | str | int) -> Node:
        """The node with that label or, where one alone has it, that kernel name; in this graph or one inside it.

        Raises ArgumentError listing the candidates where there is none, or more than one.
        """
        self.check_open()
        return self._lookup(node)

    def _lookup(self, node: Node | GraphNode | str | int) -> Node:
        """The same of a graph that was closed, but that an executable still needs."""
        if isinstance(node, str):
            with self._mutex:
                return self._find(node)
        if not isinstance(node, (Node, GraphNode, int)):
            raise self._misnamed(node)
        handle = node if isinstance(node, int) else node.handle
        if handle in self._removed or (isinstance(node, Node) and handle in node.graph._removed):
            raise ClosedError(f"node {handle:#x} was removed from its graph")
        if not self._has(node, handle):
            raise self._misnamed(node) if isinstance(node, int) else _foreign(node)
        return node if isinstance(node, Node) else self._node(handle, getattr(node, "kind", ""))

    def _has(self, node: Node | GraphNode | int, handle: int) -> bool:
        """Whether a node is of this graph, or of one that shares its records: those around it and inside it."""
        if isinstance(node, Node):
            return node.graph._root() is self._root()
        return handle in self._records or any(one.handle == handle for one in _everything(self._nodes()))

    def _root(self) -> GraphBase:
        """The graph that this one is in, however deep; itself where it is in none."""
        graph: GraphBase = self
        while (around := graph._outer or graph._moved) is not None:
            graph = around
        return graph

    def _misnamed(self, node: object) -> ArgumentError:
        """The error for a value that is neither a node nor the name of one: a position, a kernel, ..."""
        name = getattr(node, "__name__", None) or getattr(node, "name", None)
        known = sorted({one.label or one.name or "" for one in _everything(self._nodes())} - {""})
        hint = f"pass {name!r}" if name in known else f"there are: {', '.join(known[:20]) or 'none with a name'}"
        found = type(node).__name__ if name else repr(node)
        return ArgumentTypeError(f"nodes are named by label or kernel, not by {found}", hint=hint)

    def _node(self, handle: int, kind: str) -> Node:
        """The node with that handle, which need not have been added here."""
        return Node(self, handle, kind)

    def _find(self, name: str) -> Node:
        labelled = [handle for handle, record in self._records.items() if record.label == name]
        if len(labelled) == 1 and self._outer is None:
            return self._node(labelled[0], "")
        if not labelled:
            named = [one for one in named_nodes(self.context, self.handle, self._records) if one[2] == name]
            if len(named) == 1:
                return self._node(*named[0][:2])
        everything = list(_everything(self.nodes()))
        found = [node for node in everything if node.label == name] or [
            node for node in everything if node.name == name and node.kind in ("kernel", "host")
        ]
        if len(found) == 1:
            return self._node(found[0].handle, found[0].kind)
        names = sorted({node.label or node.name or "" for node in everything} - {""})
        if found:
            listed = "; ".join([node.describe() for node in found[:8]])
            raise ArgumentError(
                f"{len(found)} nodes are called {name!r}: {listed}", name=name, hint="give each a label, and use that"
            )
        raise ArgumentError(
            f"no node of this graph is called {name!r}",
            name=name,
            hint=f"it has: {', '.join(names) or 'no named nodes'}",
        )

    # --- showing it ------------------------------------------------------------------------------------------------------

    def dot(self, name: str = "graph") -> str:
        """The graph in the DOT language: kernels with their arguments, labels, bodies and children as clusters."""
        from driver_ctypes.graphs.drawing import to_dot

        return to_dot(self.nodes(), name)

    def svg(self) -> str:
        """The graph as a drawing (SVG), in layers from first to last."""
        from driver_ctypes.graphs.drawing import to_svg

        return to_svg(self.nodes())

    def debug_dot(self, path: str, verbose: bool = True) -> None:
        """Let the driver write its own drawing to a file."""
        self.check_open()
        with self._mutex:
            self.context.call("cuGraphDebugDotPrint", self.handle, str(path).encode(), int(verbose))

    def describe(self, node: int) -> str:
        """A node in words, for an error about it."""
        return describe_node(self.context, node, self._records)

    # --- adding nodes -------------------------------------------------------------------------------------------------

    def _add(self, symbol: str, kind: str, after: Any, label: str | None, owners: Sequence[Any], *params: Any) -> Node:
        """A node with its own function of the driver; edges with data are added afterwards (CUDA 12.3)."""
        self.check_open()
        handle = ctypes.c_void_p()
        with self._mutex:
            needs = self._needs(after)
            plain = [dependency.node.handle for dependency in needs if dependency.when == "ended"]
            array = (ctypes.c_void_p * max(len(plain), 1))(*plain)
            self._check_label(label)
            self.context.call(symbol, ctypes.byref(handle), self.handle, array, len(plain), *params)
            node = self._named(handle.value or 0, kind, label, owners)
            try:
                for dependency in needs:
                    if dependency.when != "ended":
                        self.add_edge(dependency, node)
            except BaseException:
                self.remove(node)
                raise
        return node

    def _add_generic(
        self, kind: str, after: Any, label: str | None, owners: Sequence[Any], params: structs.CUgraphNodeParams
    ) -> Node:
        """A node of a kind that only cuGraphAddNode makes."""
        self.check_open()
        handle = ctypes.c_void_p()
        with self._mutex:
            needs = self._needs(after)
            array = (ctypes.c_void_p * max(len(needs), 1))(*[dependency.node.handle for dependency in needs])
            data = (structs.CUgraphEdgeData * max(len(needs), 1))(*[edge_data(one.when) for one in needs])
            self._check_label(label)
            self.context.call(
                "cuGraphAddNode_v2", ctypes.byref(handle), self.handle, array, data, len(needs), ctypes.byref(params)
            )
            return self._named(handle.value or 0, kind, label, owners)

    def _named(self, handle: int, kind: str, label: str | None, owners: Sequence[Any]) -> Node:
        self._record(handle, Record(kind, label))
        self._owners.add(handle, *owners)
        return Node(self, handle, kind, label)

    def _record(self, handle: int, record: Record) -> None:
        self._records[handle] = record
        if self._removed:
            self._removed.difference_update((handle, *record.inner))

    def _needs(self, after: Any) -> list[Dependency]:
        needs = dependencies(after)
        for dependency in needs:
            self.find(dependency.node)
            if dependency.node.graph.handle != self.handle:
                raise _foreign(dependency.node, "a node comes after nodes of its own graph or body")
        return needs

    def _check_label(self, label: str | None) -> None:
        if label is not None and not isinstance(label, str):
            raise ArgumentTypeError(f"a label is text, not {type(label).__name__} {label!r:.60}", name="label")
        if label is not None and any(record.label == label for record in self._records.values()):
            raise ArgumentError(f"a node of this graph has the label {label!r} already", name=label)

    # --- changing it --------------------------------------------------------------------------------------------------

    def add_edge(self, source: Any, target: Node) -> None:
        """Let *target* come after *source* too: a node or a `Dependency`."""
        self._edge("cuGraphAddDependencies", source, target)

    def remove_edge(self, source: Any, target: Node) -> None:
        """Let *target* no longer come after *source*."""
        self._edge("cuGraphRemoveDependencies", source, target)

    def _edge(self, symbol: str, source: Any, target: Node) -> None:
        self.check_open()
        with self._mutex:
            self._needs(target)
            for dependency in self._needs(source):
                first, second = ctypes.c_void_p(dependency.node.handle), ctypes.c_void_p(target.handle)
                args: tuple[Any, ...] = (self.handle, ctypes.byref(first), ctypes.byref(second), 1)
                if self.context.driver.has(f"{symbol}_v2") or dependency.when != "ended":
                    symbol, args = f"{symbol}_v2", (*args[:3], ctypes.byref(edge_data(dependency.when)), 1)
                code = self.context.try_call(symbol, *args)
                if code:
                    edge = f"the edge from {dependency.node!r} to {target!r}"
                    raise self.context.error(symbol, code, (self.handle,), edge)

    def update(self, node: Node | GraphNode | str, arguments: Mapping[str, Any] | None = None, **changes: Any) -> None:
        """Change a node's parameters, for executables made later. What can be changed is as with `GraphExec.update`."""
        found = self.find(node)
        with self._mutex:
            change_definition(self, found, arguments, changes)

    def set_attributes(self, node: Node | GraphNode | str, **attributes: Any) -> None:
        """Set a kernel node's attributes: ``cluster``, ``cooperative`` and those that `kernel` lists."""
        found = self.find(node)
        values = [attribute_value(name, value, self.context, "node") for name, value in attributes.items()]
        with self._mutex:
            for number, value, owner in values:
                self.context.call("cuGraphKernelNodeSetAttribute", found.handle, number, ctypes.byref(value))
                self._owners.add(found.handle, owner)

    def remove(self, node: Node | GraphNode | str) -> None:
        """Remove a node and release what it kept alive. Executables made before are unchanged."""
        found = self.find(node)
        with self._mutex:
            gone = [found.handle, *self._inside(found.handle)]
            self.context.call("cuGraphDestroyNode", found.handle)
            self._removed.update(gone)
            for handle in gone:
                self._records.pop(handle, None)
                self._give_up(self._owners.take_of(handle))

    def _give_up(self, held: list[dict[int, Any]]) -> None:
        """Release what nodes used; executables that were made before keep it."""
        for executable in tuple(self._root()._executables) if held else ():
            executable.inherit(held)
        for owners in held:
            let_go(owners)

    def _inside(self, node: int) -> list[int]:
        """Handles of the graphs in a node, and of their nodes: they go with it."""
        pending, found = [node], []
        while pending:
            record = self._records.get(pending.pop())
            for graph in record.inner if record is not None else ():
                handles = node_handles(self.context, graph)
                found += [graph, *handles]
                pending += handles
        return found

    def _name_alike(self, original: GraphBase, copy: GraphBase) -> None:
        """Nodes of a copy get the labels of those they were copied from, in children too, except labels that are in use.
        Both are in the same order.
        """
        taken = {one.label for one in self._records.values() if one.label is not None}
        pairs = [(original.handle, copy.handle)]
        while pairs:
            theirs, ours = (node_handles(self.context, graph) for graph in pairs.pop())
            for old, new in zip(theirs, ours):
                record = original._records.get(old)
                if record is None:
                    continue
                label = record.label if record.label not in taken else None
                if label is not None:
                    taken.add(label)
                inner: tuple[int, ...] = ()
                if record.kind == "graph":
                    child = ctypes.c_void_p()
                    self.context.call("cuGraphChildGraphNodeGetGraph", new, ctypes.byref(child))
                    inner = (child.value or 0,)
                    pairs.append((record.inner[0], inner[0]))
                self._record(new, Record(record.kind, label, inner=inner, pointer=record.pointer, nbytes=record.nbytes))

    def _give_away(self, to: GraphBase | None = None) -> None:
        """The driver's graph belongs to a node of *to* now; or the driver has destroyed it."""
        self._give_up(self._owners.take())
        self._moved = to
        handle, self._handle = self._handle, 0
        self._closed = True
        self.context.forget(self.kind, handle)

    # --- its end ------------------------------------------------------------------------------------------------------

    def _check_idle(self, what: str) -> None:
        if self._capture is not None:
            raise CaptureError(
                f"the graph cannot be {what}: {self._capture.stream!r} is being captured into it, since "
                f"{self._capture.place}",
                hint="end that capture first",
            )

    def close(self) -> None:
        """Free the graph now, and release what it keeps. Executables keep what they use; bodies are freed with their graph."""
        if self._outer is None:
            super().close()

    def _release(self) -> None:
        super()._release()
        self._owners.clear()

    def _let_go(self) -> None:
        owners = self._owners
        self.context.defer_call(owners.clear)


def _foreign(
    node: Node | GraphNode, hint: str = "name a node of this graph, or of a child or body in it"
) -> ArgumentError:
    return ArgumentError(f"{node if isinstance(node, Node) else node.describe()} is in another graph", hint=hint)


def edge_data(when: str) -> structs.CUgraphEdgeData:
    port, kind = EDGES[when]
    return structs.CUgraphEdgeData(port, 0, kind)


def _everything(nodes: Sequence[GraphNode]) -> Iterator[GraphNode]:
    """Nodes, with those of children and bodies after each."""
    pending = list(reversed(nodes))
    while pending:
        node = pending.pop()
        yield node
        for inner in (*reversed(node.bodies), node.children):
            pending += reversed(inner)
