"""A graph: what a capture recorded, or what is built node by node; and the nodes that are more than a name: of memory, and
with graphs inside, which are filled like any other graph.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from driver_ctypes.abi import structs
from driver_ctypes.errors import ArgumentError, ArgumentRangeError, ArgumentTypeError
from driver_ctypes.graphs import kernels, parameters
from driver_ctypes.graphs.base import GraphBase
from driver_ctypes.graphs.conditional import Condition
from driver_ctypes.graphs.host import ADDRESS, HostFunction
from driver_ctypes.graphs.inventory import Record
from driver_ctypes.graphs.node import Node
from driver_ctypes.launch.attributes import attribute_value
from driver_ctypes.memory.buffer import size_of
from driver_ctypes.streams.memory_operations import batch_params
from driver_ctypes.streams.stream import check_event

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from driver_ctypes.graphs.executable import GraphExec
    from driver_ctypes.modules.module import Function
    from driver_ctypes.session.session import Session
    from driver_ctypes.streams.memory_operations import MemoryOperation
    from driver_ctypes.streams.stream import Event


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


class Graph(GraphBase):
    """A CUgraph and everything that its nodes use: buffers, functions, events and host memory live as long as it does.

    Nodes are added by the methods below, each of which takes ``after=``, what must come first (see
    `driver_ctypes.Dependency`), and ``label=``, a name of your own. To name a node, pass it, its label, or its
    kernel's name where one node alone runs that kernel. Graphs of several threads may be used at the same time, and one
    graph by several threads.
    """

    def inner(self, handle: int) -> Graph:
        """A body or a child of this graph, by its CUgraph."""
        return Graph(self.context, handle, outer=self)

    def _node(self, handle: int, kind: str) -> Node:
        return node_from(self, handle, self._records.get(handle) or Record(kind))

    # --- adding nodes -------------------------------------------------------------------------------------------------

    def kernel(
        self,
        function: Function,
        grid: Any,
        block: Any,
        *args: Any,
        shared: int = 0,
        cluster: Any = None,
        cooperative: bool = False,
        after: Any = None,
        label: str | None = None,
        **attributes: Any,
    ) -> Node:
        """A launch of *function*, checked like `Function.launch`. *attributes* are the same, except those about the work
        before and after, for which a graph has edges; and ``updatable`` (by the device).
        """
        work = kernels.kernel_work(function, grid, block, shared, args, cluster, cooperative)
        launch_attributes = {
            **({"cluster": cluster} if cluster is not None else {}),
            **({"cooperative": True} if cooperative else {}),
        }
        values = [
            attribute_value(name, value, self.context, "node")
            for name, value in {**launch_attributes, **attributes}.items()
        ]
        owners = (*work.owners, *[owner for _number, _value, owner in values])
        params, kept = work.params()
        with self._mutex:
            node = self._add("cuGraphAddKernelNode_v2", "kernel", after, label, owners, ctypes.byref(params))
            try:
                for number, value, _owner in values:
                    self.context.call("cuGraphKernelNodeSetAttribute", node.handle, number, ctypes.byref(value))
            except BaseException:
                self.remove(node)
                raise
        del kept
        return node

    def memcpy(
        self,
        dst: Any,
        src: Any,
        nbytes: int | None = None,
        *,
        rows: int = 1,
        dst_pitch: int = 0,
        src_pitch: int = 0,
        after: Any = None,
        label: str | None = None,
    ) -> Node:
        """A copy between device and host memory in any direction: *rows* rows of *nbytes* bytes, one unless asked
        otherwise. An int is a device address. Host memory stays locked in place as long as the graph lives.
        """
        params, owners = parameters.copy_params(self.context, dst, src, nbytes, rows, dst_pitch, src_pitch)
        parameters.check_sides(params)
        return self._add(
            "cuGraphAddMemcpyNode", "memcpy", after, label, owners, ctypes.byref(params), self.context.handle
        )

    def memset(
        self,
        dst: Any,
        value: int,
        count: int,
        width: int = 1,
        *,
        rows: int = 1,
        pitch: int = 0,
        after: Any = None,
        label: str | None = None,
    ) -> Node:
        """A fill of *count* elements of *width* (1, 2, 4) bytes, in each of *rows* rows that are *pitch* bytes apart."""
        params = parameters.fill_params(self.context, dst, value, count, width, rows, pitch)
        return self._add(
            "cuGraphAddMemsetNode", "memset", after, label, (dst,), ctypes.byref(params), self.context.handle
        )

    def host(self, function: Callable[[], Any], *, after: Any = None, label: str | None = None) -> Node:
        """A call of a Python function on a thread of the driver. It must not call the driver or wait for its work.

        What it raises is raised as HostFunctionError by the next launch, `GraphExec.check` or `GraphExec.close`, or by the
        next synchronisation of the stream or the context, whichever comes first.
        """
        kept = HostFunction(self.context, function)
        params = structs.CUDA_HOST_NODE_PARAMS_v1(ADDRESS, kept.number)
        return self._add("cuGraphAddHostNode", "host", after, label, (kept,), ctypes.byref(params))

    def empty(self, *, after: Any = None, label: str | None = None) -> Node:
        """A node that only orders others."""
        return self._add("cuGraphAddEmptyNode", "empty", after, label, ())

    def record(self, event: Event, *, after: Any = None, label: str | None = None) -> Node:
        """Record *event* whenever the graph gets here."""
        check_event(event)
        return self._add("cuGraphAddEventRecordNode", "event_record", after, label, (event,), event.handle)

    def wait(self, event: Event, *, after: Any = None, label: str | None = None) -> Node:
        """Wait for *event* as it was last recorded before the launch."""
        check_event(event)
        return self._add("cuGraphAddEventWaitNode", "wait_event", after, label, (event,), event.handle)

    def child(self, graph: Graph, *, move: bool = False, after: Any = None, label: str | None = None) -> ChildNode:
        """A copy of *graph* as one node. With *move* (CUDA 12.9) the graph itself goes into the node, which it must where
        it has memory or conditional nodes; it is then reached through the node's `child`.
        """
        if not isinstance(graph, Graph):
            raise ArgumentTypeError(f"a child is a graph, not {type(graph).__name__} {graph!r:.60}", name="graph")
        graph.check_open()
        owners = graph.owners
        with self._mutex:
            if not move:
                node = self._add("cuGraphAddChildGraphNode", "graph", after, label, owners, graph.handle)
                inner = ctypes.c_void_p()
                self.context.call("cuGraphChildGraphNodeGetGraph", node.handle, ctypes.byref(inner))
                self._record(node.handle, Record("graph", label, inner=(inner.value or 0,)))
                self._name_alike(graph, self.inner(inner.value or 0))
            else:
                params = structs.CUgraphNodeParams(type=4)
                params.graph.graph, params.graph.ownership = graph.handle, 1
                node = self._add_generic("graph", after, label, owners, params)
                self._record(node.handle, Record("graph", label, inner=(graph.handle,)))
                self._records.update(graph._records)
                graph._give_away(self)
            made = self._node(node.handle, "graph")
        assert isinstance(made, ChildNode)
        return made

    def alloc(self, nbytes: int, *, after: Any = None, label: str | None = None) -> MemoryNode:
        """Memory of *nbytes* bytes for the nodes after this one; the node passes as a pointer argument. It is free again
        after a `free` node, or when the launch's caller frees its address, or with ``instantiate(auto_free=True)``.
        """
        size = size_of(nbytes)
        if not size:
            raise ArgumentRangeError("an allocation node of 0 bytes", hint="leave the node out")
        params = structs.CUDA_MEM_ALLOC_NODE_PARAMS_v1(bytesize=size)
        params.poolProps.allocType = 1  # pinned, that is: device memory proper
        params.poolProps.location.type, params.poolProps.location.id = 1, self.context.device.ordinal
        with self._mutex:
            node = self._add("cuGraphAddMemAllocNode", "mem_alloc", after, label, (), ctypes.byref(params))
            self._record(node.handle, Record("mem_alloc", label, pointer=params.dptr, nbytes=size))
        return MemoryNode(self, node.handle, params.dptr, size, label)

    def free(self, memory: MemoryNode | int, *, after: Any = None, label: str | None = None) -> Node:
        """Free what an `alloc` node allocated: pass the node, or the address."""
        pointer = memory if isinstance(memory, int) else memory.pointer
        return self._add("cuGraphAddMemFreeNode", "mem_free", after, label, (), pointer)

    def batch(self, operations: Sequence[MemoryOperation], *, after: Any = None, label: str | None = None) -> Node:
        """Words written and waited for, in order: `driver_ctypes.write_value` and `wait_value` (CUDA 11.7)."""
        params, kept, owners = batch_params(self.context, operations)
        node = self._add("cuGraphAddBatchMemOpNode", "batch_mem_op", after, label, owners, ctypes.byref(params))
        del kept
        return node

    def signal(self, *fences: tuple[Any, int], after: Any = None, label: str | None = None) -> Node:
        """Signal external semaphores: (semaphore, value) pairs."""
        return self._semaphores("Signal", fences, after, label)

    def wait_for(self, *fences: tuple[Any, int], after: Any = None, label: str | None = None) -> Node:
        """Wait until external semaphores have reached their values: (semaphore, value) pairs."""
        return self._semaphores("Wait", fences, after, label)

    def _semaphores(self, word: str, fences: Sequence[tuple[Any, int]], after: Any, label: str | None) -> Node:
        params, kept, owners = parameters.semaphore_params(fences, signal=word == "Signal")
        symbol, kind = f"cuGraphAddExternalSemaphores{word}Node", f"semaphore_{word.lower()}"
        node = self._add(symbol, kind, after, label, owners, ctypes.byref(params))
        del kept
        return node

    # --- conditions ---------------------------------------------------------------------------------------------------

    def condition(self, default: int | None = None) -> Condition:
        """A 32-bit value that one conditional node of this graph looks at, and that kernels set. With *default* it has
        that value again whenever the graph is launched. See `conditional` for the setter (CUDA 12.3).
        """
        from driver_ctypes.graphs.conditional import create_condition

        self.check_open()
        return create_condition(self, default)

    def if_(
        self, condition: Condition, *, otherwise: bool = False, after: Any = None, label: str | None = None
    ) -> ConditionalNode:
        """Run ``node.body`` where the condition is not 0; with *otherwise* (CUDA 12.8) ``node.otherwise`` where it is."""
        return self._conditional("if", 0, condition, 1 + otherwise, after, label)

    def while_(self, condition: Condition, *, after: Any = None, label: str | None = None) -> ConditionalNode:
        """Run ``node.body`` again and again as long as the condition is not 0, which its kernels have to change."""
        return self._conditional("while", 1, condition, 1, after, label)

    def switch(
        self, condition: Condition, cases: int, *, after: Any = None, label: str | None = None
    ) -> ConditionalNode:
        """Run ``node.bodies[value]``; nothing where the value is *cases* or more (CUDA 12.8)."""
        return self._conditional("switch", 2, condition, cases, after, label)

    def _conditional(
        self, form: str, number: int, condition: Condition, size: int, after: Any, label: str | None
    ) -> ConditionalNode:
        if not isinstance(condition, Condition):
            raise ArgumentTypeError(
                f"a condition is needed, not {type(condition).__name__} {condition!r:.60}",
                name="condition",
                hint="graph.condition(default=...) makes one",
            )
        if size < 1:
            raise ArgumentRangeError(f"a {form} node of {size} cases", hint="leave the node out")
        params = structs.CUgraphNodeParams(type=13)
        params.conditional.handle, params.conditional.type = condition.handle, number
        params.conditional.size, params.conditional.ctx = size, self.context.handle
        with self._mutex:
            node = self._add_generic("conditional", after, label, (), params)
            handles = tuple((ctypes.c_uint64 * size).from_address(params.conditional.phGraph_out))
            self._record(node.handle, Record("conditional", label, form, handles))
            made = self._node(node.handle, "conditional")
        assert isinstance(made, ConditionalNode)
        return made

    # --- using it -----------------------------------------------------------------------------------------------------

    def clone(self) -> Graph:
        """A deep copy with nodes of its own, and the same labels. It keeps alive what this graph keeps."""
        self.check_open()
        handle = ctypes.c_void_p()
        with self._mutex:
            self._check_idle("cloned")
            self.context.call("cuGraphClone", ctypes.byref(handle), self.handle)
            copy = Graph(self.context, handle.value or 0)
            copy._owners.adopt(self._owners)
            copy._name_alike(self, copy)
        return copy

    def instantiate(
        self,
        *,
        auto_free: bool = False,
        use_node_priority: bool = False,
        device_launch: bool = False,
        upload: Any = None,
    ) -> GraphExec:
        """Make the executable form.

        With *auto_free* a launch first frees what the graph's allocation nodes left. With *device_launch* kernels of
        another graph may launch it, after it was uploaded: to the stream *upload*, or by `GraphExec.upload`. Raises
        CudaError naming the node that cannot be instantiated, where the driver says which (CUDA 12).
        """
        from driver_ctypes.graphs.executable import instantiate

        self.check_open()
        flags = 1 * auto_free | 4 * device_launch | 8 * use_node_priority
        with self._mutex:
            self._check_idle("instantiated")
            return instantiate(self, flags, upload)


def create_graph(context: Session) -> Graph:
    """A new graph without nodes."""
    handle = ctypes.c_void_p()
    context.call("cuGraphCreate", ctypes.byref(handle), 0)
    return Graph(context, handle.value or 0)
