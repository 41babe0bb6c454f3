"""Executable graphs: steps that run in order, each with work of its own."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING

from driver_ctypes.abi import enums
from ptxgen.emulated_driver.errors.refusal import Refusal
from ptxgen.emulated_driver.graphs.node_work import Child, Conditional
from ptxgen.emulated_driver.memory.graph_memory import Alloc
from ptxgen.emulated_driver.state.callers import is_watched
from ptxgen.emulated_driver.state.graph import ExecutionContext, Graph, NodeWork
from ptxgen.emulated_driver.state.handles import Handles
from ptxgen.emulated_driver.state.order import Branches, running

if TYPE_CHECKING:
    from ptxgen.emulated_driver.state.edges import Edge
    from ptxgen.errors import Location

_AUTO_FREE = int(enums.CUgraphInstantiate_flags.AUTO_FREE_ON_LAUNCH)
_DEVICE_LAUNCH = int(enums.CUgraphInstantiate_flags.DEVICE_LAUNCH)


class Step:
    """A node of an executable graph: work of its own, which may be updated and switched off. `handle` is the node's of
    the graph that the executable was made from.
    """

    __slots__ = ("enabled", "handle", "made", "needs", "work")

    def __init__(self, handle: int, work: NodeWork, made: tuple[Location, ...] = ()) -> None:
        self.handle = handle
        self.made = made
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
            graph.check_instantiable(on_device=bool(flags & _DEVICE_LAUNCH))
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
            step = self.steps[node.handle] = Step(node.handle, own(node.work), node.made)
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

    def run(self, context: ExecutionContext) -> None:
        for condition in self.conditions:
            condition.begin()
        branches = None
        if is_watched() and running.stream is not None:
            branches = Branches([[other for other, _ in step.needs] for step in self.steps.values()])
        for index, step in enumerate(self.steps.values()):
            if step.enabled and not context.fault:
                with nullcontext() if branches is None else branches.node(index, step.made):
                    step.work.run(context)

    def check(self) -> None:
        """Refuses a launch that cannot run; memory that an earlier launch left is in the way, unless it is freed."""
        for step in self.steps.values():
            if step.enabled:
                step.work.check()
            if isinstance(step.work, Alloc) and step.work.memory.live and not self.flags & _AUTO_FREE:
                raise Refusal(
                    enums.CUresult.ERROR_INVALID_VALUE,
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


def own(work: NodeWork) -> NodeWork:
    """A node's work as an executable has it: its inner graphs are executable too, its memory is kept."""
    if isinstance(work, Child):
        return ChildSteps(Executable(work.graph, inner=True))
    if isinstance(work, Conditional):
        work.condition.retain()
        return ConditionalSteps(work, [Executable(body, inner=True) for body in work.bodies])
    if isinstance(work, Alloc):
        work.memory.retain()
    return work


def disown(work: NodeWork) -> None:
    """The end of what `own` gave."""
    if isinstance(work, ChildSteps):
        work.steps.close()
    elif isinstance(work, ConditionalSteps):
        work.condition.release()
        for body in work.bodies:
            body.close()
    elif isinstance(work, Alloc):
        work.memory.release()


class ChildSteps(NodeWork):
    """A child graph in an executable."""

    __slots__ = ("steps",)
    kind = enums.CUgraphNodeType.GRAPH

    def __init__(self, steps: Executable) -> None:
        self.steps = steps

    def check(self) -> None:
        self.steps.check()

    def run(self, context: ExecutionContext) -> None:
        self.steps.run(context)


class ConditionalSteps(NodeWork):
    """A conditional node in an executable."""

    __slots__ = ("bodies", "condition", "type")
    kind = enums.CUgraphNodeType.CONDITIONAL

    def __init__(self, work: Conditional, bodies: list[Executable]) -> None:
        self.condition = work.condition
        self.type = work.type
        self.bodies = bodies

    def check(self) -> None:
        for body in self.bodies:
            body.check()

    def run(self, context: ExecutionContext) -> None:
        """IF runs its first body for a value other than 0, else its second if there is one; WHILE its body as long as
        the value is not 0; SWITCH the body of the value's number, if there is one.
        """
        if self.type == enums.CUgraphConditionalNodeType.WHILE:
            while self.condition.value and not context.fault:
                self.bodies[0].run(context)
            return
        value = self.condition.value
        chosen = value if self.type == enums.CUgraphConditionalNodeType.SWITCH else int(not value)
        if chosen < len(self.bodies):
            self.bodies[chosen].run(context)


executables: Handles[Executable] = Handles("executable graph")
