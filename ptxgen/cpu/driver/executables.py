"""Executable graphs: instantiating, launching, and updating one node or all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driver_ctypes.abi.enums import CUgraphExecUpdateResult, CUgraphInstantiateResult
from driver_ctypes.abi.structs import (
    CUDA_GRAPH_INSTANTIATE_PARAMS,
    CUDA_MEMCPY3D,
    CUDA_HOST_NODE_PARAMS_v1,
    CUDA_KERNEL_NODE_PARAMS_v2,
    CUDA_MEMSET_NODE_PARAMS_v1,
    CUgraphExecUpdateResultInfo,
    CUgraphNodeParams,
)
from ptxgen.cpu.driver.copies import Copy, Fill, fill_of
from ptxgen.cpu.driver.events import Record, Wait, events
from ptxgen.cpu.driver.graph import Cycle, Executable, Graph, Node, Step, executables
from ptxgen.cpu.driver.launch import Launch
from ptxgen.cpu.driver.nodes import copy_of, graph_of, launch_of, node_of, work_of
from ptxgen.cpu.driver.pointers import need, put_bytes, put_i32, put_struct, put_u32, put_u64, struct
from ptxgen.cpu.driver.refusal import CUresult, Refusal, invalid_value
from ptxgen.cpu.driver.state import Context, machine
from ptxgen.cpu.driver.streams import Host, Stream, Work, stream_of
from ptxgen.cpu.driver.table import INIT, entry
from ptxgen.cpu.driver.works import Alloc, Child, ChildSteps, Free

if TYPE_CHECKING:
    from collections.abc import Callable

Outcome = CUgraphExecUpdateResult
_FLAGS = 1 | 2 | 8  # auto-free on launch, upload, node priorities
_CAN_BE_SWITCHED = (0, 1, 2)  # kernel, memcpy, memset


def executable_of(handle: int | None) -> Executable:
    found = executables.find(handle)
    if found is None:
        raise invalid_value(f"{handle or 0:#x} is no live executable graph")
    return found


# --- instantiating ----------------------------------------------------------------------------------------------------


def _instantiate(out: int | None, handle: int | None, flags: int) -> None:
    need(out)
    graph = graph_of(handle)
    if flags & ~_FLAGS:
        raise invalid_value(f"instantiation flags {flags:#x}: 1, 2 and 8 are offered")
    if graph.under_capture:
        for capture in machine.captures:
            if capture.graph is graph:
                capture.refuse("the graph is being captured")
    put_u64(out, Executable(graph, flags).handle)


@entry("cuGraphInstantiateWithFlags", needs=INIT, unsafe=True)
def instantiate_with_flags(out: int | None, graph: int | None, flags: int) -> None:
    _instantiate(out, graph, flags)


@entry("cuGraphInstantiateWithParams", needs=INIT, unsafe=True)
def instantiate_with_params(out: int | None, graph: int | None, params: int | None) -> None:
    wanted = struct(CUDA_GRAPH_INSTANTIATE_PARAMS, params)
    wanted.hErrNode_out = None
    try:
        _instantiate(out, graph, wanted.flags)
    except Refusal as refusal:
        if isinstance(refusal, Cycle):
            wanted.hErrNode_out = refusal.node.handle
        wanted.result_out = CUgraphInstantiateResult.INVALID_STRUCTURE
        raise
    wanted.result_out = CUgraphInstantiateResult.SUCCESS


@entry("cuGraphInstantiate_v2", needs=INIT, unsafe=True)
def instantiate_v2(out: int | None, graph: int | None, node: int | None, log: int | None, room: int) -> None:
    """The log stays empty, as with the real driver; cuLogsDumpToMemory has the reason."""
    if node:
        put_u64(node, 0)
    if log and room:
        put_bytes(log, b"\0")
    try:
        _instantiate(out, graph, 0)
    except Cycle as cycle:
        if node:
            put_u64(node, cycle.node.handle)
        raise


@entry("cuGraphExecDestroy", needs=INIT, unsafe=True)
def exec_destroy(handle: int | None) -> None:
    executable = executable_of(handle)
    executable.close()


@entry("cuGraphExecGetFlags", needs=INIT)
def exec_get_flags(handle: int | None, out: int | None) -> None:
    put_u64(out, executable_of(handle).flags)


# --- launching --------------------------------------------------------------------------------------------------------


class Replay(Work):
    """All of an executable graph, as one piece of a stream's work."""

    __slots__ = ("executable",)
    kind = 4

    def __init__(self, executable: Executable) -> None:
        self.executable = executable

    def run(self, stream: Stream) -> None:
        self.executable.run(stream)


def _outside_capture(context: Context, handle: int | None) -> Stream:
    stream = stream_of(context, handle)
    if stream.capture is not None:
        stream.capture.refuse("an executable graph cannot be captured: add its graph as a child node")
    return stream


@entry("cuGraphLaunch")
def graph_launch(context: Context, handle: int | None, stream: int | None) -> None:
    executable = executable_of(handle)
    where = _outside_capture(context, stream)
    executable.check()
    where.do(Replay(executable))


@entry("cuGraphUpload")
def graph_upload(context: Context, handle: int | None, stream: int | None) -> None:
    """There is nothing to send ahead."""
    executable_of(handle)
    _outside_capture(context, stream)


# --- updating one node ------------------------------------------------------------------------------------------------


def _step(handle: int | None, node: int | None, kind: type[Work]) -> Step:
    """The executable's step of a node of the graph it was made from."""
    step = executable_of(handle).steps.get(node_of(node).handle)
    if step is None:
        raise invalid_value("the node is not in the graph that the executable was made from")
    if not isinstance(step.work, kind):
        raise invalid_value(f"the node's type is {step.work.kind}, not {kind.kind}")
    return step


@entry("cuGraphExecKernelNodeSetParams_v2", needs=INIT)
def exec_kernel_node_set_params(handle: int | None, node: int | None, params: int | None) -> None:
    step = _step(handle, node, Launch)
    assert isinstance(step.work, Launch)
    step.work = launch_of(struct(CUDA_KERNEL_NODE_PARAMS_v2, params), step.work.shape)


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
    outcome, _node = _update(step.work.steps, graph_of(child))
    if outcome != Outcome.SUCCESS:
        raise invalid_value("the child graph has another structure")


@entry("cuGraphExecEventRecordNodeSetEvent", needs=INIT)
def exec_event_record_node_set_event(handle: int | None, node: int | None, event: int | None) -> None:
    _step(handle, node, Record).work = Record(events.get(event))


@entry("cuGraphExecEventWaitNodeSetEvent", needs=INIT)
def exec_event_wait_node_set_event(handle: int | None, node: int | None, event: int | None) -> None:
    _step(handle, node, Wait).work = Wait(events.get(event))


@entry("cuGraphExecNodeSetParams", needs=INIT)
def exec_node_set_params(handle: int | None, node: int | None, params: int | None) -> None:
    generic = struct(CUgraphNodeParams, params)
    step = _step(handle, node, Work)
    if generic.type != step.work.kind or generic.type not in (0, 1, 2, 3, 6, 7):
        raise invalid_value(f"a node of type {step.work.kind} cannot be updated with parameters of type {generic.type}")
    step.work = launch_of(generic.kernel, step.work.shape) if isinstance(step.work, Launch) else work_of(generic)


@entry("cuGraphNodeSetEnabled", needs=INIT)
def node_set_enabled(handle: int | None, node: int | None, enabled: int) -> None:
    step = _step(handle, node, Work)
    if step.work.kind not in _CAN_BE_SWITCHED:
        raise invalid_value("only kernel, memcpy and memset nodes can be switched off")
    step.enabled = enabled != 0


@entry("cuGraphNodeGetEnabled", needs=INIT)
def node_get_enabled(handle: int | None, node: int | None, out: int | None) -> None:
    put_u32(out, int(_step(handle, node, Work).enabled))


# --- updating all -----------------------------------------------------------------------------------------------------


def _update(executable: Executable, graph: Graph) -> tuple[Outcome, Node | None]:
    """Takes over every parameter of a graph of the same form; what differs, and where, when the form is another."""
    ordered = graph.order()
    position = {node: index for index, node in enumerate(ordered)}
    steps = list(executable.steps.values())
    if len(ordered) != len(steps):
        return Outcome.ERROR_TOPOLOGY_CHANGED, None
    changes: list[Callable[[], None]] = []
    for node, step in zip(ordered, steps):
        if node.work.kind != step.work.kind:
            return Outcome.ERROR_NODE_TYPE_CHANGED, node
        if sorted(position[other] for other in node.needs) != step.needs:
            return Outcome.ERROR_TOPOLOGY_CHANGED, node
        outcome = _change(step, node, changes)
        if outcome != Outcome.SUCCESS:
            return outcome, node
    for change in changes:
        change()
    executable.steps = {node.handle: step for node, step in zip(ordered, steps)}
    for node, step in zip(ordered, steps):
        step.handle = node.handle
    return Outcome.SUCCESS, None


def _change(step: Step, node: Node, changes: list[Callable[[], None]]) -> Outcome:
    old, new = step.work, node.work
    if isinstance(old, ChildSteps) and isinstance(new, Child):
        inner, graph = old.steps, new.graph
        changes.append(lambda: _take(inner, graph))
        return _same_form(inner, graph)
    if isinstance(old, (Alloc, Free)):
        return Outcome.SUCCESS if old is new else Outcome.ERROR_NOT_SUPPORTED
    if isinstance(old, Launch) and isinstance(new, Launch):
        if old.function.module.context is not new.function.module.context:
            return Outcome.ERROR_UNSUPPORTED_FUNCTION_CHANGE
        if old.shape.cooperative != new.shape.cooperative:
            return Outcome.ERROR_ATTRIBUTES_CHANGED
    changes.append(lambda: setattr(step, "work", new))
    return Outcome.SUCCESS


def _take(executable: Executable, graph: Graph) -> None:
    outcome, _node = _update(executable, graph)
    if outcome != Outcome.SUCCESS:
        raise invalid_value("a child graph has another structure")


def _same_form(executable: Executable, graph: Graph) -> Outcome:
    ordered, steps = graph.order(), list(executable.steps.values())
    same = [node.work.kind for node in ordered] == [step.work.kind for step in steps]
    return Outcome.SUCCESS if same else Outcome.ERROR_TOPOLOGY_CHANGED


@entry("cuGraphExecUpdate_v2", needs=INIT)
def exec_update_v2(handle: int | None, graph: int | None, info: int | None) -> None:
    need(info)
    outcome, node = _update(executable_of(handle), graph_of(graph))
    put_struct(info, CUgraphExecUpdateResultInfo(outcome, node.handle if node else None, None))
    if outcome != Outcome.SUCCESS:
        raise Refusal(CUresult.ERROR_GRAPH_EXEC_UPDATE_FAILURE, f"{outcome.name.lower().replace('_', ' ')}")


@entry("cuGraphExecUpdate", needs=INIT)
def exec_update(handle: int | None, graph: int | None, node_out: int | None, result: int | None) -> None:
    outcome, node = _update(executable_of(handle), graph_of(graph))
    put_u64(node_out, node.handle if node else 0)
    put_i32(result, outcome)
    if outcome != Outcome.SUCCESS:
        raise Refusal(CUresult.ERROR_GRAPH_EXEC_UPDATE_FAILURE, f"{outcome.name.lower().replace('_', ' ')}")
