"""Executable graphs: instantiating, launching, and updating one node."""

from __future__ import annotations

from driver_ctypes.abi import enums
from driver_ctypes.abi.structs import (
    CUDA_GRAPH_INSTANTIATE_PARAMS,
    CUDA_MEMCPY3D,
    CUDA_BATCH_MEM_OP_NODE_PARAMS_v2,
    CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v1,
    CUDA_HOST_NODE_PARAMS_v1,
    CUDA_KERNEL_NODE_PARAMS_v1,
    CUDA_KERNEL_NODE_PARAMS_v2,
    CUDA_MEMSET_NODE_PARAMS_v1,
    CUgraphNodeParams,
)
from ptxgen.emulated_driver.calls.registry import INIT, entry
from ptxgen.emulated_driver.errors.refusal import Refusal, invalid_value
from ptxgen.emulated_driver.graphs.execution import ChildSteps, Executable, Step, executables
from ptxgen.emulated_driver.graphs.nodes import copy_of, launch_of, work_of
from ptxgen.emulated_driver.graphs.updates import plan_update
from ptxgen.emulated_driver.interop.semaphores import SemaphoreSignal, SemaphoreWait, SemaphoreWork, semaphore_node
from ptxgen.emulated_driver.launch.kernels import Launch
from ptxgen.emulated_driver.memory.copies import Copy, Fill, fill_of
from ptxgen.emulated_driver.memory.memops import MemoryOperations, batch_of
from ptxgen.emulated_driver.pointers import need, put_bytes, put_u32, put_u64, struct
from ptxgen.emulated_driver.state.context import Context, Stream
from ptxgen.emulated_driver.state.graph import ExecutionContext, NodeWork, Uninstantiable, graph_of, nodes
from ptxgen.emulated_driver.state.machine import machine
from ptxgen.emulated_driver.streams.events import EventRecord, Wait, events
from ptxgen.emulated_driver.streams.stream import Host, stream_of

Flag = enums.CUgraphInstantiate_flags
Kind = enums.CUgraphNodeType
_FLAGS = int(Flag.AUTO_FREE_ON_LAUNCH | Flag.UPLOAD | Flag.DEVICE_LAUNCH | Flag.USE_NODE_PRIORITY)
_REPORTED = int(Flag.AUTO_FREE_ON_LAUNCH | Flag.DEVICE_LAUNCH)  # what cuGraphExecGetFlags tells
_SWITCHABLE = (Kind.KERNEL, Kind.MEMCPY, Kind.MEMSET)  # nodes that can be disabled
_UPDATABLE = (
    Kind.KERNEL, Kind.MEMCPY, Kind.MEMSET, Kind.HOST, Kind.WAIT_EVENT, Kind.EVENT_RECORD, Kind.EXT_SEMAS_SIGNAL,
    Kind.EXT_SEMAS_WAIT, Kind.BATCH_MEM_OP,
)  # fmt: skip


# --- instantiating ----------------------------------------------------------------------------------------------------


def _instantiate(out: int | None, handle: int | None, flags: int) -> None:
    need(out)
    graph = graph_of(handle)
    if flags & ~_FLAGS or flags & _REPORTED == _REPORTED:
        raise invalid_value(f"instantiation flags {flags:#x}: 1, 2, 4 and 8, and not 1 with 4")
    if flags & Flag.DEVICE_LAUNCH and not graph.nodes:
        raise invalid_value("a graph that the device launches has nodes")
    if graph.under_capture:
        for capture in machine.captures:
            if capture.graph is graph:
                capture.refuse("the graph is being captured")
    put_u64(out, Executable(graph, flags).handle)


@entry("cuGraphInstantiateWithFlags", needs=INIT, unsafe=True)
def instantiate_with_flags(out: int | None, graph: int | None, flags: int) -> None:
    if flags & Flag.UPLOAD:
        raise invalid_value("to upload, a stream is needed: cuGraphInstantiateWithParams")
    _instantiate(out, graph, flags)


@entry("cuGraphInstantiateWithParams", needs=INIT, unsafe=True)
def instantiate_with_params(out: int | None, graph: int | None, params: int | None) -> None:
    wanted = struct(CUDA_GRAPH_INSTANTIATE_PARAMS, params)
    wanted.hErrNode_out = None
    try:
        _instantiate(out, graph, wanted.flags)
    except Refusal as refusal:
        wanted.result_out = enums.CUgraphInstantiateResult.ERROR
        if isinstance(refusal, Uninstantiable):
            wanted.hErrNode_out = refusal.node.handle if refusal.node else None
            wanted.result_out = refusal.result
        raise
    wanted.result_out = enums.CUgraphInstantiateResult.SUCCESS


@entry("cuGraphInstantiate_v2", needs=INIT, unsafe=True)
def instantiate_v2(out: int | None, graph: int | None, node: int | None, log: int | None, room: int) -> None:
    """The log stays empty, as with the real driver; cuLogsDumpToMemory has the reason."""
    if node:
        put_u64(node, 0)
    if log and room:
        put_bytes(log, b"\0")
    try:
        _instantiate(out, graph, 0)
    except Uninstantiable as refusal:
        if node and refusal.node:
            put_u64(node, refusal.node.handle)
        raise


@entry("cuGraphExecDestroy", needs=INIT, unsafe=True)
def exec_destroy(handle: int | None) -> None:
    executable = executables.named(handle)
    executable.close()


@entry("cuGraphExecGetFlags", needs=INIT)
def exec_get_flags(handle: int | None, out: int | None) -> None:
    put_u64(out, executables.named(handle).flags & _REPORTED)


# --- launching --------------------------------------------------------------------------------------------------------


class Replay(NodeWork):
    """All of an executable graph, as one piece of a stream's work."""

    __slots__ = ("executable",)
    kind = enums.CUgraphNodeType.GRAPH

    def __init__(self, executable: Executable) -> None:
        self.executable = executable

    def run(self, context: ExecutionContext) -> None:
        self.executable.run(context)


def _outside_capture(context: Context, handle: int | None) -> Stream:
    stream = stream_of(context, handle)
    if stream.capture is not None:
        stream.capture.refuse("an executable graph cannot be captured: add its graph as a child node")
    return stream


@entry("cuGraphLaunch")
def graph_launch(context: Context, handle: int | None, stream: int | None) -> None:
    executable = executables.named(handle)
    where = _outside_capture(context, stream)
    executable.check()
    where.do(Replay(executable))


@entry("cuGraphUpload")
def graph_upload(context: Context, handle: int | None, stream: int | None) -> None:
    """There is nothing to send ahead."""
    executables.named(handle)
    _outside_capture(context, stream)


# --- updating one node ------------------------------------------------------------------------------------------------


def _step(handle: int | None, node: int | None, kind: type[NodeWork]) -> Step:
    """The executable's step of a node of the graph it was made from."""
    step = executables.named(handle).find(nodes.named(node).handle)
    if step is None:
        raise invalid_value("the node is not in the graph that the executable was made from")
    if not isinstance(step.work, kind):
        raise invalid_value(f"the node's type is {step.work.kind}, not {kind.kind}")
    return step


@entry("cuGraphExecKernelNodeSetParams_v2", needs=INIT)
def exec_kernel_node_set_params(handle: int | None, node: int | None, params: int | None) -> None:
    _set_kernel_params(_step(handle, node, Launch), struct(CUDA_KERNEL_NODE_PARAMS_v2, params))


@entry("cuGraphExecKernelNodeSetParams", needs=INIT)
def exec_kernel_node_set_params_v1(handle: int | None, node: int | None, params: int | None) -> None:
    _set_kernel_params(_step(handle, node, Launch), struct(CUDA_KERNEL_NODE_PARAMS_v1, params))


def _set_kernel_params(step: Step, params: CUDA_KERNEL_NODE_PARAMS_v1 | CUDA_KERNEL_NODE_PARAMS_v2) -> None:
    assert isinstance(step.work, Launch)
    step.work = launch_of(params, step.work.shape)


@entry("cuGraphExecMemcpyNodeSetParams", needs=INIT)
def exec_memcpy_node_set_params(handle: int | None, node: int | None, params: int | None, ctx: int | None) -> None:
    _step(handle, node, Copy).work = copy_of(struct(CUDA_MEMCPY3D, params))


@entry("cuGraphExecMemsetNodeSetParams", needs=INIT)
def exec_memset_node_set_params(handle: int | None, node: int | None, params: int | None, ctx: int | None) -> None:
    _step(handle, node, Fill).work = fill_of(struct(CUDA_MEMSET_NODE_PARAMS_v1, params))


@entry("cuGraphExecHostNodeSetParams", needs=INIT)
def exec_host_node_set_params(handle: int | None, node: int | None, params: int | None) -> None:
    wanted = struct(CUDA_HOST_NODE_PARAMS_v1, params)
    _step(handle, node, Host).work = Host(wanted.fn, wanted.userData)


@entry("cuGraphExecChildGraphNodeSetParams", needs=INIT)
def exec_child_graph_node_set_params(handle: int | None, node: int | None, child: int | None) -> None:
    step = _step(handle, node, ChildSteps)
    assert isinstance(step.work, ChildSteps)
    plan = plan_update(step.work.steps, graph_of(child))
    if plan.refused:
        raise invalid_value("the child graph has another structure")
    plan.apply()


@entry("cuGraphExecEventRecordNodeSetEvent", needs=INIT)
def exec_event_record_node_set_event(handle: int | None, node: int | None, event: int | None) -> None:
    _step(handle, node, EventRecord).work = EventRecord(events.get(event))


@entry("cuGraphExecEventWaitNodeSetEvent", needs=INIT)
def exec_event_wait_node_set_event(handle: int | None, node: int | None, event: int | None) -> None:
    _step(handle, node, Wait).work = Wait(events.get(event))


@entry("cuGraphExecBatchMemOpNodeSetParams", needs=INIT)
def exec_batch_mem_op_node_set_params(handle: int | None, node: int | None, params: int | None) -> None:
    _step(handle, node, MemoryOperations).work = batch_of(struct(CUDA_BATCH_MEM_OP_NODE_PARAMS_v2, params))


def _set_fences(handle: int | None, node: int | None, params: int | None, kind: type[SemaphoreWork]) -> None:
    _step(handle, node, kind).work = semaphore_node(kind, struct(CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v1, params))


@entry("cuGraphExecExternalSemaphoresSignalNodeSetParams", needs=INIT)
def exec_signal_node_set_params(handle: int | None, node: int | None, params: int | None) -> None:
    _set_fences(handle, node, params, SemaphoreSignal)


@entry("cuGraphExecExternalSemaphoresWaitNodeSetParams", needs=INIT)
def exec_await_node_set_params(handle: int | None, node: int | None, params: int | None) -> None:
    _set_fences(handle, node, params, SemaphoreWait)


@entry("cuGraphExecNodeSetParams", needs=INIT)
def exec_node_set_params(handle: int | None, node: int | None, params: int | None) -> None:
    generic = struct(CUgraphNodeParams, params)
    step = _step(handle, node, NodeWork)
    if generic.type != step.work.kind or generic.type not in _UPDATABLE:
        raise invalid_value(f"a node of type {step.work.kind} cannot be updated with parameters of type {generic.type}")
    step.work = launch_of(generic.kernel, step.work.shape) if isinstance(step.work, Launch) else work_of(generic)


@entry("cuGraphNodeSetEnabled", needs=INIT)
def node_set_enabled(handle: int | None, node: int | None, enabled: int) -> None:
    step = _step(handle, node, NodeWork)
    if step.work.kind not in _SWITCHABLE:
        raise invalid_value("only kernel, memcpy and memset nodes can be switched off")
    step.enabled = enabled != 0


@entry("cuGraphNodeGetEnabled", needs=INIT)
def node_get_enabled(handle: int | None, node: int | None, out: int | None) -> None:
    put_u32(out, int(_step(handle, node, NodeWork).enabled))
