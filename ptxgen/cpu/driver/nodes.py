"""The kinds of graph nodes: adding them, and reading and setting their parameters."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, TypeVar

from driver_ctypes.abi.enums import CUlaunchAttributeID
from driver_ctypes.abi.structs import (
    CUDA_MEMCPY3D,
    CUDA_HOST_NODE_PARAMS_v1,
    CUDA_KERNEL_NODE_PARAMS_v1,
    CUDA_KERNEL_NODE_PARAMS_v2,
    CUDA_MEM_ALLOC_NODE_PARAMS_v1,
    CUDA_MEMSET_NODE_PARAMS_v1,
    CUgraphNodeParams,
    CUlaunchAttributeValue,
)
from ptxgen.cpu.driver.capture import edge_data
from ptxgen.cpu.driver.copies import Copy, Fill, fill_of, pitched
from ptxgen.cpu.driver.events import Record, Wait, events
from ptxgen.cpu.driver.graph import PLAIN, Executable, Graph, Node, graphs, inner_graphs, nodes
from ptxgen.cpu.driver.launch import NO_CLUSTER, Launch, Shape, arguments_of, check
from ptxgen.cpu.driver.libraries import function_of
from ptxgen.cpu.driver.memory import Allocation
from ptxgen.cpu.driver.pointers import copy_struct, need, put_struct, put_u64, struct, u64_array
from ptxgen.cpu.driver.refusal import CUresult, Refusal, invalid_handle, invalid_value
from ptxgen.cpu.driver.state import Context, contexts, thread
from ptxgen.cpu.driver.streams import Host, Stream, Work
from ptxgen.cpu.driver.table import INIT, entry

if TYPE_CHECKING:
    from collections.abc import Callable

W = TypeVar("W", bound=Work)


class Empty(Work):
    """A node that only orders others."""

    __slots__ = ()
    kind = 5

    def run(self, stream: Stream) -> None:
        pass


class Child(Work):
    """A graph inside a graph: the node owns it."""

    __slots__ = ("graph",)
    kind = 4

    def __init__(self, graph: Graph) -> None:
        self.graph = graph


class ChildSteps(Work):
    """A child graph in an executable."""

    __slots__ = ("steps",)
    kind = 4

    def __init__(self, steps: Executable) -> None:
        self.steps = steps

    def check(self) -> None:
        self.steps.check()

    def run(self, stream: Stream) -> None:
        self.steps.run(stream)


class GraphMemory:
    """Memory that an allocation node gives: its address is fixed when the node is made. Shared by the node, its
    clones and executables.
    """

    def __init__(self, context: Context, size: int, pool: int = 0) -> None:
        self._allocation = Allocation(context, size, "", pool=pool)
        self._users = 1
        self.address = self._allocation.base
        self.size = size
        graph_memory[self.address] = self

    def retain(self) -> None:
        self._users += 1

    def release(self) -> None:
        self._users -= 1
        if not self._users:
            graph_memory.pop(self.address, None)
            if self._allocation.context.alive:
                self._allocation.release()


graph_memory: dict[int, GraphMemory] = {}


class Alloc(Work):
    """Memory for the nodes after it."""

    __slots__ = ("memory",)
    kind = 10

    def __init__(self, memory: GraphMemory) -> None:
        self.memory = memory

    def run(self, stream: Stream) -> None:
        pass


class Free(Work):
    """The end of a graph's memory; the address stays reserved for the next launch."""

    __slots__ = ("address",)
    kind = 11

    def __init__(self, address: int) -> None:
        self.address = address

    def run(self, stream: Stream) -> None:
        pass


# --- adding -----------------------------------------------------------------------------------------------------------


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


def neighbours(graph: Graph, array: int | None, number: int) -> list[Node]:
    found = [node_of(handle) for handle in u64_array(array, number)]
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
    make: Callable[[], Work],
    edges: int | None = None,
) -> Node:
    """Everything is checked before the node is made."""
    need(out)
    where = graph_of(graph)
    needs = neighbours(where, array, number)
    data = edge_data(edges, number)
    if any(edge != PLAIN for edge in data):
        raise Refusal(CUresult.ERROR_NOT_SUPPORTED, "programmatic edges are not offered")
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
    add(out, graph, array, number, lambda: _host(struct(CUDA_HOST_NODE_PARAMS_v1, params)))


def _host(params: CUDA_HOST_NODE_PARAMS_v1) -> Host:
    return Host(params.fn, params.userData)


@entry("cuGraphAddChildGraphNode", needs=INIT)
def add_child_graph_node(out: int | None, graph: int | None, array: int | None, number: int, child: int | None) -> None:
    """The child is cloned: later changes of the original do not show."""
    add(out, graph, array, number, lambda: Child(graph_of(child).clone(owned=True)))


@entry("cuGraphAddEmptyNode", needs=INIT)
def add_empty_node(out: int | None, graph: int | None, array: int | None, number: int) -> None:
    add(out, graph, array, number, Empty)


def _event(handle: int | None) -> Any:
    found = events.find(handle)
    if found is None:
        raise invalid_value(f"{handle or 0:#x} is no live event")
    return found


@entry("cuGraphAddEventRecordNode", needs=INIT)
def add_event_record_node(
    out: int | None, graph: int | None, array: int | None, number: int, event: int | None
) -> None:
    add(out, graph, array, number, lambda: Record(_event(event)))


@entry("cuGraphAddEventWaitNode", needs=INIT)
def add_event_wait_node(out: int | None, graph: int | None, array: int | None, number: int, event: int | None) -> None:
    add(out, graph, array, number, lambda: Wait(_event(event)))


@entry("cuGraphAddMemAllocNode", needs=INIT)
def add_mem_alloc_node(out: int | None, graph: int | None, array: int | None, number: int, params: int | None) -> None:
    need(params)
    assert params is not None
    node = add(out, graph, array, number, lambda: _alloc(struct(CUDA_MEM_ALLOC_NODE_PARAMS_v1, params)))
    assert isinstance(node.work, Alloc)
    struct(CUDA_MEM_ALLOC_NODE_PARAMS_v1, params).dptr = node.work.memory.address


def _alloc(params: CUDA_MEM_ALLOC_NODE_PARAMS_v1) -> Alloc:
    if not params.bytesize or params.poolProps.location.type != 1:
        raise invalid_value("an allocation node needs a size and a device")
    return Alloc(GraphMemory(_context(None), params.bytesize))


@entry("cuGraphAddMemFreeNode", needs=INIT)
def add_mem_free_node(out: int | None, graph: int | None, array: int | None, number: int, address: int) -> None:
    add(out, graph, array, number, lambda: _free(address))


def _free(address: int) -> Free:
    if address not in graph_memory:
        raise invalid_value(f"{address:#x} is not memory of a graph")
    return Free(address)


_MAKERS: dict[int, Callable[[Any], Work]] = {
    0: lambda p: launch_of(p.kernel),
    1: lambda p: copy_of(p.memcpy.copyParams),
    2: lambda p: fill_of(p.memset),
    3: lambda p: Host(p.host.fn, p.host.userData),
    4: lambda p: Child(graph_of(p.graph.graph).clone(owned=True)),
    5: lambda p: Empty(),
    6: lambda p: Wait(_event(p.eventWait.event)),
    7: lambda p: Record(_event(p.eventRecord.event)),
    10: lambda p: _alloc(p.alloc),
    11: lambda p: _free(p.free.dptr),
}


def work_of(params: CUgraphNodeParams) -> Work:
    """The work of generic node parameters."""
    if any(params.reserved0) or params.reserved2:
        raise invalid_value("reserved fields of CUgraphNodeParams are not 0")
    if params.type not in _MAKERS:
        known = params.type in range(14)
        raise Refusal(
            CUresult.ERROR_NOT_SUPPORTED if known else CUresult.ERROR_INVALID_VALUE,
            f"nodes of type {params.type} are not offered",
        )
    return _MAKERS[params.type](params)


@entry("cuGraphAddNode_v2", needs=INIT)
def add_node_v2(
    out: int | None, graph: int | None, array: int | None, edges: int | None, number: int, params: int | None
) -> None:
    generic = struct(CUgraphNodeParams, params)
    node = add(out, graph, array, number, lambda: work_of(generic), edges)
    if isinstance(node.work, Alloc):
        generic.alloc.dptr = node.work.memory.address


@entry("cuGraphAddNode", needs=INIT)
def add_node(out: int | None, graph: int | None, array: int | None, number: int, params: int | None) -> None:
    add_node_v2(out, graph, array, None, number, params)


# --- parameters -------------------------------------------------------------------------------------------------------


def work_in(handle: int | None, kind: type[W]) -> tuple[Node, W]:
    node = node_of(handle)
    if not isinstance(node.work, kind):
        raise invalid_value(f"the node's type is {node.work.kind}, not {kind.kind}")
    return node, node.work


class Block:
    """A kernel node's arguments where a caller may read them: the parameter block, and the array of pointers into
    it.
    """

    def __init__(self, work: Launch) -> None:
        self.bytes = ctypes.create_string_buffer(work.arguments, max(len(work.arguments), 1))
        base = ctypes.addressof(self.bytes)
        offsets = [offset for _name, offset, _size in work.function.kernel.parameters]
        self.slots = (ctypes.c_uint64 * max(len(offsets), 1))(*[base + offset for offset in offsets])


def kernel_params(node: Node, work: Launch) -> CUDA_KERNEL_NODE_PARAMS_v2:
    node.told = block = Block(work)
    (gx, gy, gz), (bx, by, bz) = work.shape.grid, work.shape.block
    slots = ctypes.addressof(block.slots) if work.function.layout else None
    return CUDA_KERNEL_NODE_PARAMS_v2(work.function.handle, gx, gy, gz, bx, by, bz, work.shape.shared, slots)


@entry("cuGraphKernelNodeGetParams_v2", needs=INIT)
def kernel_node_get_params(handle: int | None, out: int | None) -> None:
    """The pointers stay good until the node's parameters are asked for again, or it is destroyed."""
    put_struct(out, kernel_params(*work_in(handle, Launch)))


@entry("cuGraphKernelNodeSetParams_v2", needs=INIT)
def kernel_node_set_params(handle: int | None, params: int | None) -> None:
    node, work = work_in(handle, Launch)
    node.work = launch_of(struct(CUDA_KERNEL_NODE_PARAMS_v2, params), work.shape)


@entry("cuGraphMemcpyNodeGetParams", needs=INIT)
def memcpy_node_get_params(handle: int | None, out: int | None) -> None:
    put_struct(out, work_in(handle, Copy)[1].params())


@entry("cuGraphMemcpyNodeSetParams", needs=INIT)
def memcpy_node_set_params(handle: int | None, params: int | None) -> None:
    work_in(handle, Copy)[0].work = copy_of(copy_struct(CUDA_MEMCPY3D, params))


@entry("cuGraphMemsetNodeGetParams", needs=INIT)
def memset_node_get_params(handle: int | None, out: int | None) -> None:
    put_struct(out, work_in(handle, Fill)[1].params())


@entry("cuGraphMemsetNodeSetParams", needs=INIT)
def memset_node_set_params(handle: int | None, params: int | None) -> None:
    work_in(handle, Fill)[0].work = fill_of(copy_struct(CUDA_MEMSET_NODE_PARAMS_v1, params))


@entry("cuGraphHostNodeGetParams", needs=INIT)
def host_node_get_params(handle: int | None, out: int | None) -> None:
    work = work_in(handle, Host)[1]
    put_struct(out, CUDA_HOST_NODE_PARAMS_v1(work.function, work.data))


@entry("cuGraphHostNodeSetParams", needs=INIT)
def host_node_set_params(handle: int | None, params: int | None) -> None:
    work_in(handle, Host)[0].work = _host(struct(CUDA_HOST_NODE_PARAMS_v1, params))


@entry("cuGraphChildGraphNodeGetGraph", needs=INIT)
def child_graph_node_get_graph(handle: int | None, out: int | None) -> None:
    put_u64(out, work_in(handle, Child)[1].graph.handle)


@entry("cuGraphEventRecordNodeGetEvent", needs=INIT)
def event_record_node_get_event(handle: int | None, out: int | None) -> None:
    put_u64(out, work_in(handle, Record)[1].event.handle)


@entry("cuGraphEventRecordNodeSetEvent", needs=INIT)
def event_record_node_set_event(handle: int | None, event: int | None) -> None:
    work_in(handle, Record)[0].work = Record(_event(event))


@entry("cuGraphEventWaitNodeGetEvent", needs=INIT)
def event_wait_node_get_event(handle: int | None, out: int | None) -> None:
    put_u64(out, work_in(handle, Wait)[1].event.handle)


@entry("cuGraphEventWaitNodeSetEvent", needs=INIT)
def event_wait_node_set_event(handle: int | None, event: int | None) -> None:
    work_in(handle, Wait)[0].work = Wait(_event(event))


@entry("cuGraphMemAllocNodeGetParams", needs=INIT)
def mem_alloc_node_get_params(handle: int | None, out: int | None) -> None:
    memory = work_in(handle, Alloc)[1].memory
    params = CUDA_MEM_ALLOC_NODE_PARAMS_v1(bytesize=memory.size, dptr=memory.address)
    params.poolProps.allocType, params.poolProps.location.type = 1, 1
    put_struct(out, params)


@entry("cuGraphMemFreeNodeGetParams", needs=INIT)
def mem_free_node_get_params(handle: int | None, out: int | None) -> None:
    put_u64(out, work_in(handle, Free)[1].address)


@entry("cuGraphNodeSetParams", needs=INIT)
def node_set_params(handle: int | None, params: int | None) -> None:
    """Generic; the node keeps its type."""
    node, generic = node_of(handle), struct(CUgraphNodeParams, params)
    if generic.type != node.work.kind or generic.type in (4, 10, 11):
        raise invalid_value(f"a node of type {node.work.kind} cannot get parameters of type {generic.type}")
    node.work = launch_of(generic.kernel, node.work.shape) if isinstance(node.work, Launch) else work_of(generic)


# --- attributes of kernel nodes ---------------------------------------------------------------------------------------

_HINTS = frozenset((1, 5, 6, 8, 9, 10, 11, 13, 14, 16))


@entry("cuGraphKernelNodeGetAttribute", needs=INIT)
def kernel_node_get_attribute(handle: int | None, attribute: int, out: int | None) -> None:
    node, work = work_in(handle, Launch)
    value = CUlaunchAttributeValue()
    if attribute == CUlaunchAttributeID.CLUSTER_DIMENSION:
        value.clusterDim.x, value.clusterDim.y, value.clusterDim.z = work.shape.cluster
    elif attribute == CUlaunchAttributeID.COOPERATIVE:
        value.cooperative = int(work.shape.cooperative)
    elif attribute in node.attributes:
        value = CUlaunchAttributeValue.from_buffer_copy(node.attributes[attribute])
    elif attribute not in _HINTS:
        raise invalid_value(f"attribute {attribute} is no kernel node attribute")
    put_struct(out, value)


@entry("cuGraphKernelNodeSetAttribute", needs=INIT)
def kernel_node_set_attribute(handle: int | None, attribute: int, value: int | None) -> None:
    node, work = work_in(handle, Launch)
    wanted, shape = copy_struct(CUlaunchAttributeValue, value), work.shape
    if attribute == CUlaunchAttributeID.CLUSTER_DIMENSION:
        shape = shape._replace(cluster=(wanted.clusterDim.x, wanted.clusterDim.y, wanted.clusterDim.z))
    elif attribute == CUlaunchAttributeID.COOPERATIVE:
        shape = shape._replace(cooperative=wanted.cooperative != 0)
    elif attribute in _HINTS:
        node.attributes[attribute] = bytes(wanted)
        return
    else:
        raise invalid_value(f"attribute {attribute} is no kernel node attribute")
    check(work.function, shape)
    node.work = Launch(work.function, shape, work.arguments)


@entry("cuGraphKernelNodeCopyAttributes", needs=INIT)
def kernel_node_copy_attributes(target: int | None, source: int | None) -> None:
    (to, work), (origin, model) = work_in(target, Launch), work_in(source, Launch)
    shape = work.shape._replace(cluster=model.shape.cluster, cooperative=model.shape.cooperative)
    check(work.function, shape)
    to.work = Launch(work.function, shape, work.arguments)
    to.attributes = dict(origin.attributes)
