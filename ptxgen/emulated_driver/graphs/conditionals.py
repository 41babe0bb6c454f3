"""Conditional handles and nodes: cuGraphConditionalHandleCreate, and the work of a conditional node."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from driver_ctypes.abi import enums
from driver_ctypes.abi.constants import CU_GRAPH_COND_ASSIGN_DEFAULT
from ptxgen.emulated_driver.calls.registry import INIT, entry
from ptxgen.emulated_driver.errors.refusal import Refusal, invalid_value
from ptxgen.emulated_driver.graphs.conditions import Condition, conditions
from ptxgen.emulated_driver.graphs.node_work import Conditional
from ptxgen.emulated_driver.pointers import need, put_u64
from ptxgen.emulated_driver.state.context import contexts
from ptxgen.emulated_driver.state.graph import Graph, graph_of

if TYPE_CHECKING:
    from driver_ctypes.abi.structs import CUDA_CONDITIONAL_NODE_PARAMS

Type = enums.CUgraphConditionalNodeType


@entry("cuGraphConditionalHandleCreate", needs=INIT)
def conditional_handle_create(
    out: int | None, handle: int | None, context: int | None, default: int, flags: int
) -> None:
    need(out)
    graph = graph_of(handle)
    if flags not in (0, CU_GRAPH_COND_ASSIGN_DEFAULT):
        raise invalid_value(f"flags {flags}: 0, or 1 to assign the default value when the graph is launched")
    if not context:
        raise Refusal(enums.CUresult.ERROR_INVALID_CONTEXT, "a condition needs a context")
    condition = Condition(contexts.get(context).check(), graph, default, bool(flags))
    graph.conditions.append(condition)
    put_u64(out, condition.handle)


def conditional_of(params: CUDA_CONDITIONAL_NODE_PARAMS, graph: Graph) -> Conditional:
    """The work of a conditional node's parameters; where its bodies are is written back into them."""
    condition = conditions.get(params.handle)
    if condition is None or condition.graph not in graph.around():
        raise invalid_value(f"{params.handle:#x} is not a conditional handle of this graph")
    if condition.used:
        raise invalid_value("another conditional node uses the handle")
    most = {Type.IF: 2, Type.WHILE: 1}.get(params.type, 1 << 16)
    if params.type not in set(Type) or not 0 < params.size <= most:
        raise invalid_value(f"a conditional node of type {params.type} with {params.size} bodies")
    condition.used = True
    work = Conditional(condition, params.type, [Graph(owned=True, outer=graph) for _ in range(params.size)])
    work.kept_alive = bodies = (ctypes.c_uint64 * params.size)(*[body.handle for body in work.bodies])
    params.phGraph_out = ctypes.addressof(bodies)
    return work
