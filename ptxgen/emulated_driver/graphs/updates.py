"""Whole-graph update: an executable takes over every parameter of a graph of the same form.

Nothing changes before all of it was found possible. Nodes are paired in the order in which they run; each step keeps
the handle of the node it was made from, which is what names it in the per-node updates.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from driver_ctypes.abi import enums
from driver_ctypes.abi.structs import CUgraphExecUpdateResultInfo
from ptxgen.emulated_driver.calls.registry import INIT, entry
from ptxgen.emulated_driver.errors.refusal import Refusal
from ptxgen.emulated_driver.graphs.execution import ChildSteps, ConditionalSteps, Executable, Step, executables
from ptxgen.emulated_driver.graphs.node_work import Child, Conditional
from ptxgen.emulated_driver.launch.kernels import Launch
from ptxgen.emulated_driver.memory.graph_memory import Alloc, Free
from ptxgen.emulated_driver.pointers import need, put_i32, put_struct, put_u64
from ptxgen.emulated_driver.state.graph import Graph, Node, graph_of

if TYPE_CHECKING:
    from collections.abc import Callable

Outcome = enums.CUgraphExecUpdateResult


class UpdatePlan:
    """What an update would do; or why it cannot be, and for which node of the new graph."""

    def __init__(self) -> None:
        self.outcome = Outcome.SUCCESS
        self.node: Node | None = None
        self._changes: list[Callable[[], None]] = []

    @property
    def refused(self) -> bool:
        return self.outcome != Outcome.SUCCESS

    def refuse(self, outcome: Outcome, node: Node | None) -> None:
        self.outcome, self.node = outcome, node

    def will(self, change: Callable[[], None]) -> None:
        self._changes.append(change)

    def apply(self) -> None:
        for change in self._changes:
            change()


def plan_update(executable: Executable, graph: Graph) -> UpdatePlan:
    plan = UpdatePlan()
    _pair(executable, graph, plan)
    return plan


def _pair(executable: Executable, graph: Graph, plan: UpdatePlan) -> None:
    ordered, steps = graph.order(), list(executable.steps.values())
    position = {node: index for index, node in enumerate(ordered)}
    if len(ordered) != len(steps):
        return plan.refuse(Outcome.ERROR_TOPOLOGY_CHANGED, None)
    for node, step in zip(ordered, steps):
        if node.work.kind != step.work.kind:
            return plan.refuse(Outcome.ERROR_NODE_TYPE_CHANGED, node)
        if sorted((position[other], data) for other, data in node.needs.items()) != step.needs:
            return plan.refuse(Outcome.ERROR_TOPOLOGY_CHANGED, node)
        _change(step, node, plan)
        if plan.refused:
            return None
    plan.will(lambda: _adopt_conditions(executable, graph))
    return None


def _change(step: Step, node: Node, plan: UpdatePlan) -> None:
    old, new = step.work, node.work
    if isinstance(old, ChildSteps) and isinstance(new, Child):
        _pair(old.steps, new.graph, plan)
    elif isinstance(old, ConditionalSteps) and isinstance(new, Conditional):
        _change_conditional(old, new, node, plan)
    elif isinstance(old, (Alloc, Free)):
        if old is not new:
            plan.refuse(Outcome.ERROR_NOT_SUPPORTED, node)
    else:
        if isinstance(old, Launch) and isinstance(new, Launch):
            if old.function.module.context is not new.function.module.context:
                return plan.refuse(Outcome.ERROR_UNSUPPORTED_FUNCTION_CHANGE, node)
            if old.shape.cooperative != new.shape.cooperative:
                return plan.refuse(Outcome.ERROR_ATTRIBUTES_CHANGED, node)
        plan.will(lambda: setattr(step, "work", new))
    return None


def _change_conditional(old: ConditionalSteps, new: Conditional, node: Node, plan: UpdatePlan) -> None:
    if old.type != new.type or len(old.bodies) != len(new.bodies):
        return plan.refuse(Outcome.ERROR_PARAMETERS_CHANGED, node)
    for body, graph in zip(old.bodies, new.bodies):
        if not plan.refused:
            _pair(body, graph, plan)
    plan.will(lambda: _watch(old, new))
    return None


def _watch(steps: ConditionalSteps, new: Conditional) -> None:
    """The new graph's kernels set the new graph's condition."""
    new.condition.retain()
    steps.condition.release()
    steps.condition = new.condition


def _adopt_conditions(executable: Executable, graph: Graph) -> None:
    """Default values are those of the new graph."""
    adopted = list(graph.conditions)
    for condition in adopted:
        condition.retain()
    for condition in executable.conditions:
        condition.release()
    executable.conditions = adopted


def _update(handle: int | None, graph: int | None) -> UpdatePlan:
    plan = plan_update(executables.named(handle), graph_of(graph))
    if not plan.refused:
        plan.apply()
    return plan


def _refuse(plan: UpdatePlan) -> None:
    if plan.refused:
        text = plan.outcome.name.lower().replace("_", " ")
        raise Refusal(enums.CUresult.ERROR_GRAPH_EXEC_UPDATE_FAILURE, text)


@entry("cuGraphExecUpdate_v2", needs=INIT)
def exec_update_v2(handle: int | None, graph: int | None, info: int | None) -> None:
    need(info)
    plan = _update(handle, graph)
    put_struct(info, CUgraphExecUpdateResultInfo(plan.outcome, plan.node.handle if plan.node else None, None))
    _refuse(plan)


@entry("cuGraphExecUpdate", needs=INIT)
def exec_update(handle: int | None, graph: int | None, node_out: int | None, result: int | None) -> None:
    plan = _update(handle, graph)
    put_u64(node_out, plan.node.handle if plan.node else 0)
    put_i32(result, plan.outcome)
    _refuse(plan)
