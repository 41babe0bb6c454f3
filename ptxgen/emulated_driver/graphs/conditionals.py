"""Conditions: the values that conditional nodes look at, and that kernels set.

A condition's handle is the address of its value in the device's memory. So `cudaGraphSetConditional`, which the JIT
links into every module that declares it (see `runtime`), is a store.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from ptxgen.emulated_driver.graphs.graph import Graph, graph_of
from ptxgen.emulated_driver.graphs.node_work import Conditional
from ptxgen.emulated_driver.memory.allocation import Allocation
from ptxgen.emulated_driver.pointers import need, put_u64
from ptxgen.emulated_driver.refusal import CUresult, Refusal, invalid_value
from ptxgen.emulated_driver.state import Context, contexts
from ptxgen.emulated_driver.table import INIT, entry

if TYPE_CHECKING:
    from driver_ctypes.abi.structs import CUDA_CONDITIONAL_NODE_PARAMS

ASSIGN_DEFAULT = 1  # CU_GRAPH_COND_ASSIGN_DEFAULT
IF, WHILE, SWITCH = 0, 1, 2


class Condition:
    """A 32-bit value of a graph. Shared by the graph and its executables."""

    def __init__(self, context: Context, graph: Graph, default: int, assign: bool) -> None:
        self.graph = graph
        self.default = default
        self.assign = assign
        self.used = False  # by a conditional node
        self._memory = Allocation(context, 4, "")
        self._users = 1
        self.handle = self._memory.base
        self.value = default if assign else 0
        conditions[self.handle] = self

    @property
    def value(self) -> int:
        return ctypes.c_uint32.from_address(self.handle).value

    @value.setter
    def value(self, value: int) -> None:
        ctypes.c_uint32.from_address(self.handle).value = value

    def begin(self) -> None:
        """A launch of the graph begins."""
        if self.assign:
            self.value = self.default

    def retain(self) -> None:
        self._users += 1

    def release(self) -> None:
        self._users -= 1
        if not self._users:
            conditions.pop(self.handle, None)
            if not self._memory.released:  # its context may be gone
                self._memory.release()


conditions: dict[int, Condition] = {}


@entry("cuGraphConditionalHandleCreate", needs=INIT)
def conditional_handle_create(
    out: int | None, handle: int | None, context: int | None, default: int, flags: int
) -> None:
    need(out)
    graph = graph_of(handle)
    if flags not in (0, ASSIGN_DEFAULT):
        raise invalid_value(f"flags {flags}: 0, or 1 to assign the default value when the graph is launched")
    if not context:
        raise Refusal(CUresult.ERROR_INVALID_CONTEXT, "a condition needs a context")
    condition = Condition(contexts.get(context).check(), graph, default, bool(flags))
    graph.conditions.append(condition)
    put_u64(out, condition.handle)


def conditional_of(params: CUDA_CONDITIONAL_NODE_PARAMS, graph: Graph) -> Conditional:
    """The work of a conditional node's parameters; where its bodies are is written back into them."""
    condition = conditions.get(params.handle)
    if condition is None or condition.graph not in graph.around():
        raise invalid_value(f"{params.handle:#x} is no conditional handle of this graph")
    if condition.used:
        raise invalid_value("another conditional node uses the handle")
    most = {IF: 2, WHILE: 1}.get(params.type, 1 << 16)
    if params.type not in (IF, WHILE, SWITCH) or not 0 < params.size <= most:
        raise invalid_value(f"a conditional node of type {params.type} with {params.size} bodies")
    condition.used = True
    work = Conditional(condition, params.type, [Graph(owned=True, outer=graph) for _ in range(params.size)])
    work.told = bodies = (ctypes.c_uint64 * params.size)(*[body.handle for body in work.bodies])
    params.phGraph_out = ctypes.addressof(bodies)
    return work
