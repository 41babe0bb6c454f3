"""Reading and setting the parameters of graph nodes."""

from __future__ import annotations

import ctypes
from typing import TypeVar

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
from ptxgen.emulated_driver.errors.refusal import Refusal, invalid_value
from ptxgen.emulated_driver.graphs.node_work import Child, Conditional
from ptxgen.emulated_driver.graphs.nodes import copy_of, host_of, launch_of, work_of
from ptxgen.emulated_driver.interop.semaphores import SemaphoreSignal, SemaphoreWait, SemaphoreWork, semaphore_node
from ptxgen.emulated_driver.launch.kernels import Launch
from ptxgen.emulated_driver.memory.copies import Copy, Fill, fill_of
from ptxgen.emulated_driver.memory.graph_memory import Alloc, Free
from ptxgen.emulated_driver.memory.memops import MemoryOperations, batch_of
from ptxgen.emulated_driver.pointers import copy_struct, put_struct, put_u64, struct
from ptxgen.emulated_driver.state.graph import Node, NodeWork, nodes
from ptxgen.emulated_driver.streams.events import EventRecord, Wait, events
from ptxgen.emulated_driver.streams.stream import Host

_FIXED = (
    enums.CUgraphNodeType.GRAPH,
    enums.CUgraphNodeType.MEM_ALLOC,
    enums.CUgraphNodeType.MEM_FREE,
)  # keep their parameters
W = TypeVar("W", bound=NodeWork)


def work_in(handle: int | None, kind: type[W]) -> tuple[Node, W]:
    node = nodes.named(handle)
    if not isinstance(node.work, kind):
        raise invalid_value(f"the node's type is {node.work.kind}, not {kind.kind}")
    return node, node.work


class KernelArguments:
    """A kernel node's arguments where a caller may read them: the parameter block, and the array of pointers into
    it.
    """

    def __init__(self, work: Launch) -> None:
        self.bytes = ctypes.create_string_buffer(work.arguments, max(len(work.arguments), 1))
        base = ctypes.addressof(self.bytes)
        offsets = [offset for _name, offset, _size in work.function.kernel.parameters]
        self.slots = (ctypes.c_uint64 * max(len(offsets), 1))(*[base + offset for offset in offsets])


def kernel_params(node: Node, work: Launch) -> CUDA_KERNEL_NODE_PARAMS_v2:
    node.kept_alive = block = KernelArguments(work)
    (gx, gy, gz), (bx, by, bz) = work.shape.grid, work.shape.block
    slots = ctypes.addressof(block.slots) if work.function.parameters.count else None
    return CUDA_KERNEL_NODE_PARAMS_v2(work.function.handle, gx, gy, gz, bx, by, bz, work.shape.shared, slots)


@entry("cuGraphKernelNodeGetParams_v2", needs=INIT)
def kernel_node_get_params(handle: int | None, out: int | None) -> None:
    """The pointers stay good until the node's parameters are asked for again, or it is destroyed."""
    put_struct(out, kernel_params(*work_in(handle, Launch)))


@entry("cuGraphKernelNodeSetParams_v2", needs=INIT)
def kernel_node_set_params(handle: int | None, params: int | None) -> None:
    node, work = work_in(handle, Launch)
    node.work = launch_of(struct(CUDA_KERNEL_NODE_PARAMS_v2, params), work.shape)


@entry("cuGraphKernelNodeGetParams", needs=INIT)
def kernel_node_get_params_v1(handle: int | None, out: int | None) -> None:
    newer = kernel_params(*work_in(handle, Launch))
    put_struct(out, CUDA_KERNEL_NODE_PARAMS_v1.from_buffer_copy(newer))  # the newer one begins with the older


@entry("cuGraphKernelNodeSetParams", needs=INIT)
def kernel_node_set_params_v1(handle: int | None, params: int | None) -> None:
    node, work = work_in(handle, Launch)
    node.work = launch_of(struct(CUDA_KERNEL_NODE_PARAMS_v1, params), work.shape)


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
    work_in(handle, Host)[0].work = host_of(struct(CUDA_HOST_NODE_PARAMS_v1, params))


@entry("cuGraphChildGraphNodeGetGraph", needs=INIT)
def child_graph_node_get_graph(handle: int | None, out: int | None) -> None:
    put_u64(out, work_in(handle, Child)[1].graph.handle)


@entry("cuGraphEventRecordNodeGetEvent", needs=INIT)
def event_record_node_get_event(handle: int | None, out: int | None) -> None:
    put_u64(out, work_in(handle, EventRecord)[1].event.handle)


@entry("cuGraphEventRecordNodeSetEvent", needs=INIT)
def event_record_node_set_event(handle: int | None, event: int | None) -> None:
    work_in(handle, EventRecord)[0].work = EventRecord(events.named(event))


@entry("cuGraphEventWaitNodeGetEvent", needs=INIT)
def event_wait_node_get_event(handle: int | None, out: int | None) -> None:
    put_u64(out, work_in(handle, Wait)[1].event.handle)


@entry("cuGraphEventWaitNodeSetEvent", needs=INIT)
def event_wait_node_set_event(handle: int | None, event: int | None) -> None:
    work_in(handle, Wait)[0].work = Wait(events.named(event))


@entry("cuGraphMemAllocNodeGetParams", needs=INIT)
def mem_alloc_node_get_params(handle: int | None, out: int | None) -> None:
    memory = work_in(handle, Alloc)[1].memory
    params = CUDA_MEM_ALLOC_NODE_PARAMS_v1(bytesize=memory.size, dptr=memory.address)
    params.poolProps.allocType = enums.CUmemAllocationType.PINNED
    params.poolProps.location.type = enums.CUmemLocationType.DEVICE
    put_struct(out, params)


@entry("cuGraphMemFreeNodeGetParams", needs=INIT)
def mem_free_node_get_params(handle: int | None, out: int | None) -> None:
    put_u64(out, work_in(handle, Free)[1].address)


@entry("cuGraphBatchMemOpNodeGetParams", needs=INIT)
def batch_mem_op_node_get_params(handle: int | None, out: int | None) -> None:
    put_struct(out, work_in(handle, MemoryOperations)[1].params())


@entry("cuGraphBatchMemOpNodeSetParams", needs=INIT)
def batch_mem_op_node_set_params(handle: int | None, params: int | None) -> None:
    work_in(handle, MemoryOperations)[0].work = batch_of(struct(CUDA_BATCH_MEM_OP_NODE_PARAMS_v2, params))


def _register_semaphores() -> None:
    """Signals and waits have the same parameters."""

    def both(word: str, kind: type[SemaphoreWork]) -> None:
        @entry(f"cuGraphExternalSemaphores{word}NodeGetParams", needs=INIT)
        def get_params(handle: int | None, out: int | None) -> None:
            put_struct(out, work_in(handle, kind)[1].params())

        @entry(f"cuGraphExternalSemaphores{word}NodeSetParams", needs=INIT)
        def set_params(handle: int | None, params: int | None) -> None:
            work_in(handle, kind)[0].work = semaphore_node(kind, struct(CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v1, params))

    both("Signal", SemaphoreSignal)
    both("Wait", SemaphoreWait)


_register_semaphores()


@entry("cuGraphNodeSetParams", needs=INIT)
def node_set_params(handle: int | None, params: int | None) -> None:
    """Generic; the node keeps its type."""
    node, generic = nodes.named(handle), struct(CUgraphNodeParams, params)
    if isinstance(node.work, Conditional):
        raise Refusal(enums.CUresult.ERROR_NOT_SUPPORTED, "a conditional node keeps its parameters")
    if generic.type != node.work.kind or generic.type in _FIXED:
        raise invalid_value(f"a node of type {node.work.kind} cannot get parameters of type {generic.type}")
    node.work = launch_of(generic.kernel, node.work.shape) if isinstance(node.work, Launch) else work_of(generic)
