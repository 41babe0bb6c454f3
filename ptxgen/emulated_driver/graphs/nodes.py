"""Adding nodes to graphs, kind by kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from driver_ctypes.abi import enums
from driver_ctypes.abi.structs import (
    CUDA_MEMCPY3D,
    CUDA_BATCH_MEM_OP_NODE_PARAMS_v2,
    CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v1,
    CUDA_HOST_NODE_PARAMS_v1,
    CUDA_KERNEL_NODE_PARAMS_v1,
    CUDA_KERNEL_NODE_PARAMS_v2,
    CUDA_MEM_ALLOC_NODE_PARAMS_v1,
    CUDA_MEMSET_NODE_PARAMS_v1,
    CUgraphNodeParams,
)
from ptxgen.emulated_driver.calls.registry import INIT, entry
from ptxgen.emulated_driver.errors.refusal import invalid_handle, invalid_value
from ptxgen.emulated_driver.graphs.conditionals import conditional_of
from ptxgen.emulated_driver.graphs.node_work import Child, Conditional, Empty
from ptxgen.emulated_driver.interop.semaphores import SemaphoreSignal, SemaphoreWait, semaphore_node
from ptxgen.emulated_driver.launch.kernels import Launch, arguments_of
from ptxgen.emulated_driver.launch.shapes import check
from ptxgen.emulated_driver.memory.copies import Copy, fill_of, pitched
from ptxgen.emulated_driver.memory.graph_memory import Alloc, Free, GraphMemory, freed_memory
from ptxgen.emulated_driver.memory.memops import batch_of
from ptxgen.emulated_driver.modules.libraries import function_of
from ptxgen.emulated_driver.pointers import need, put_u64, struct, u64_array
from ptxgen.emulated_driver.state.context import Context, contexts
from ptxgen.emulated_driver.state.edges import edge_data
from ptxgen.emulated_driver.state.graph import Graph, Node, NodeWork, graph_of, graphs, inner_graphs, nodes
from ptxgen.emulated_driver.state.shape import NO_CLUSTER, Shape
from ptxgen.emulated_driver.state.thread import thread
from ptxgen.emulated_driver.streams.events import EventRecord, Wait, events
from ptxgen.emulated_driver.streams.stream import Host

if TYPE_CHECKING:
    from collections.abc import Callable


def neighbours(graph: Graph, array: int | None, number: int) -> list[Node]:
    found = [nodes.named(handle) for handle in u64_array(array, number)]
    if any(node.graph is not graph for node in found):
        raise invalid_value("a dependency is not in the graph")
    if len(set(found)) < len(found):
        raise invalid_value("a dependency is named twice")
    return found


def add(
    out: int | None,
    graph: int | None,
    array: int | None,
    number: int,
    make: Callable[[], NodeWork],
    edges: int | None = None,
) -> Node:
    """Everything is checked before the node is made."""
    need(out)
    where = graph_of(graph)
    needs = neighbours(where, array, number)
    data = edge_data(edges, number)
    node = where.add(make(), needs, data)
    put_u64(out, node.handle)
    return node


def _context(handle: int | None) -> Context:
    return contexts.get(handle).check() if handle else thread.current()


def launch_of(params: CUDA_KERNEL_NODE_PARAMS_v1 | CUDA_KERNEL_NODE_PARAMS_v2, like: Shape | None = None) -> Launch:
    """A launch from node parameters; `like` has the cluster and cooperation, which those do not say."""
    kernel = getattr(params, "kern", None)
    if bool(params.func) == bool(kernel):
        raise invalid_handle("function (exactly one of func and kern)", params.func)
    function = function_of(_context(getattr(params, "ctx", None)), kernel or params.func)
    shape = Shape(
        (params.gridDimX, params.gridDimY, params.gridDimZ), (params.blockDimX, params.blockDimY, params.blockDimZ),
        params.sharedMemBytes, like.cluster if like else NO_CLUSTER, like.cooperative if like else False,
    )  # fmt: skip
    check(function, shape)
    return Launch(function, shape, arguments_of(function, params.kernelParams, params.extra))


@entry("cuGraphAddKernelNode_v2", needs=INIT)
def add_kernel_node_v2(out: int | None, graph: int | None, array: int | None, number: int, params: int | None) -> None:
    add(out, graph, array, number, lambda: launch_of(struct(CUDA_KERNEL_NODE_PARAMS_v2, params)))


@entry("cuGraphAddKernelNode", needs=INIT)
def add_kernel_node(out: int | None, graph: int | None, array: int | None, number: int, params: int | None) -> None:
    add(out, graph, array, number, lambda: launch_of(struct(CUDA_KERNEL_NODE_PARAMS_v1, params)))


def copy_of(params: CUDA_MEMCPY3D) -> Copy:
    work = pitched(params)
    if work is None:
        raise invalid_value("a copy of nothing")
    return work


@entry("cuGraphAddMemcpyNode", needs=INIT)
def add_memcpy_node(
    out: int | None, graph: int | None, array: int | None, number: int, params: int | None, ctx: int | None
) -> None:
    _context(ctx)
    add(out, graph, array, number, lambda: copy_of(struct(CUDA_MEMCPY3D, params)))


@entry("cuGraphAddMemsetNode", needs=INIT)
def add_memset_node(
    out: int | None, graph: int | None, array: int | None, number: int, params: int | None, ctx: int | None
) -> None:
    _context(ctx)
    add(out, graph, array, number, lambda: fill_of(struct(CUDA_MEMSET_NODE_PARAMS_v1, params)))


@entry("cuGraphAddHostNode", needs=INIT)
def add_host_node(out: int | None, graph: int | None, array: int | None, number: int, params: int | None) -> None:
    add(out, graph, array, number, lambda: host_of(struct(CUDA_HOST_NODE_PARAMS_v1, params)))


def host_of(params: CUDA_HOST_NODE_PARAMS_v1) -> Host:
    return Host(params.fn, params.userData)


@entry("cuGraphAddChildGraphNode", needs=INIT)
def add_child_graph_node(out: int | None, graph: int | None, array: int | None, number: int, child: int | None) -> None:
    """The child is cloned: later changes of the original do not show."""
    add(out, graph, array, number, lambda: _child(child))


@entry("cuGraphAddEmptyNode", needs=INIT)
def add_empty_node(out: int | None, graph: int | None, array: int | None, number: int) -> None:
    add(out, graph, array, number, Empty)


@entry("cuGraphAddEventRecordNode", needs=INIT)
def add_event_record_node(
    out: int | None, graph: int | None, array: int | None, number: int, event: int | None
) -> None:
    add(out, graph, array, number, lambda: EventRecord(events.named(event)))


@entry("cuGraphAddEventWaitNode", needs=INIT)
def add_event_wait_node(out: int | None, graph: int | None, array: int | None, number: int, event: int | None) -> None:
    add(out, graph, array, number, lambda: Wait(events.named(event)))


@entry("cuGraphAddMemAllocNode", needs=INIT)
def add_mem_alloc_node(out: int | None, graph: int | None, array: int | None, number: int, params: int | None) -> None:
    need(params)
    assert params is not None
    node = add(out, graph, array, number, lambda: _alloc(struct(CUDA_MEM_ALLOC_NODE_PARAMS_v1, params)))
    assert isinstance(node.work, Alloc)
    struct(CUDA_MEM_ALLOC_NODE_PARAMS_v1, params).dptr = node.work.memory.address


def _alloc(params: CUDA_MEM_ALLOC_NODE_PARAMS_v1) -> Alloc:
    if not params.bytesize or params.poolProps.location.type != enums.CUmemLocationType.DEVICE:
        raise invalid_value("an allocation node needs a size and a device")
    return Alloc(GraphMemory(_context(None), params.bytesize))


@entry("cuGraphAddMemFreeNode", needs=INIT)
def add_mem_free_node(out: int | None, graph: int | None, array: int | None, number: int, address: int) -> None:
    add(out, graph, array, number, lambda: _free(address))


def _free(address: int) -> Free:
    return Free(freed_memory(address))


@entry("cuGraphAddBatchMemOpNode", needs=INIT)
def add_batch_mem_op_node(
    out: int | None, graph: int | None, array: int | None, number: int, params: int | None
) -> None:
    add(out, graph, array, number, lambda: batch_of(struct(CUDA_BATCH_MEM_OP_NODE_PARAMS_v2, params)))


@entry("cuGraphAddExternalSemaphoresSignalNode", needs=INIT)
def add_signal_node(out: int | None, graph: int | None, array: int | None, number: int, params: int | None) -> None:
    add(
        out,
        graph,
        array,
        number,
        lambda: semaphore_node(SemaphoreSignal, struct(CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v1, params)),
    )


@entry("cuGraphAddExternalSemaphoresWaitNode", needs=INIT)
def add_await_node(out: int | None, graph: int | None, array: int | None, number: int, params: int | None) -> None:
    add(
        out,
        graph,
        array,
        number,
        lambda: semaphore_node(SemaphoreWait, struct(CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v1, params)),
    )


Ownership = enums.CUgraphChildGraphNodeOwnership


def _child(handle: int | None, ownership: int = Ownership.CLONE) -> Child:
    """The child is cloned, or with MOVE it becomes the node's own: so graphs that cannot be cloned become children."""
    graph = graph_of(handle)
    if ownership != Ownership.MOVE:
        return Child(graph.clone(owned=True))
    if graph.owned or graph.under_capture or graph.executables:
        raise invalid_value("a graph that is captured into, instantiated or another node's cannot be moved into a node")
    graphs.move(graph.handle, inner_graphs)
    graph.owned, graph.table = True, inner_graphs
    return Child(graph)


Kind = enums.CUgraphNodeType
_MAKERS: dict[int, Callable[[Any], NodeWork]] = {
    Kind.KERNEL: lambda p: launch_of(p.kernel),
    Kind.MEMCPY: lambda p: copy_of(p.memcpy.copyParams),
    Kind.MEMSET: lambda p: fill_of(p.memset),
    Kind.HOST: lambda p: Host(p.host.fn, p.host.userData),
    Kind.GRAPH: lambda p: _child(p.graph.graph, p.graph.ownership),
    Kind.EMPTY: lambda p: Empty(),
    Kind.WAIT_EVENT: lambda p: Wait(events.named(p.eventWait.event)),
    Kind.EVENT_RECORD: lambda p: EventRecord(events.named(p.eventRecord.event)),
    Kind.EXT_SEMAS_SIGNAL: lambda p: semaphore_node(SemaphoreSignal, p.extSemSignal),
    Kind.EXT_SEMAS_WAIT: lambda p: semaphore_node(SemaphoreWait, p.extSemWait),
    Kind.MEM_ALLOC: lambda p: _alloc(p.alloc),
    Kind.MEM_FREE: lambda p: _free(p.free.dptr),
    Kind.BATCH_MEM_OP: lambda p: batch_of(p.memOp),
}


def work_of(params: CUgraphNodeParams) -> NodeWork:
    """The work of generic node parameters."""
    if any(params.reserved0) or params.reserved2:
        raise invalid_value("reserved fields of CUgraphNodeParams are not 0")
    if params.type not in _MAKERS:
        raise invalid_value(f"nodes of type {params.type} are unknown")
    return _MAKERS[params.type](params)


def _new_work(params: CUgraphNodeParams, graph: int | None) -> NodeWork:
    """The same for a node that is being added: a condition belongs to the graph."""
    if params.type == Conditional.kind:
        return conditional_of(params.conditional, graph_of(graph))
    return work_of(params)


@entry("cuGraphAddNode_v2", needs=INIT)
def add_node_v2(
    out: int | None, graph: int | None, array: int | None, edges: int | None, number: int, params: int | None
) -> None:
    generic = struct(CUgraphNodeParams, params)
    node = add(out, graph, array, number, lambda: _new_work(generic, graph), edges)
    if isinstance(node.work, Alloc):
        generic.alloc.dptr = node.work.memory.address


@entry("cuGraphAddNode", needs=INIT)
def add_node(out: int | None, graph: int | None, array: int | None, number: int, params: int | None) -> None:
    add_node_v2(out, graph, array, None, number, params)
