"""Making the driver's executable of a graph, and which node is in the way where it cannot be made."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from driver_ctypes.abi import structs

if TYPE_CHECKING:
    from driver_ctypes.graphs.base import GraphBase

# CUgraphInstantiateResult
_RESULTS = {
    1: "an error without further explanation",
    2: "the structure is invalid, such as a cycle",
    3: "a node's operation is not supported",
    4: "the nodes belong to several contexts",
    5: "a conditional handle is not used by any conditional node",
}


def create_executable(graph: GraphBase, flags: int, upload: Any) -> int:
    """The CUgraphExec of *graph*. Raises CudaError that names the node which is in the way."""
    context, handle = graph.context, ctypes.c_void_p()
    if not context.driver.has("cuGraphInstantiateWithParams"):
        context.call("cuGraphInstantiateWithFlags", ctypes.byref(handle), graph.handle, flags)
        return handle.value or 0
    symbol = "cuGraphInstantiateWithParams"
    params = structs.CUDA_GRAPH_INSTANTIATE_PARAMS(flags=flags)
    if upload is not None:
        params.flags, params.hUploadStream = flags | 2, context.stream_from(upload).handle or None
    code = context.try_call(symbol, ctypes.byref(handle), graph.handle, ctypes.byref(params))
    if code:
        where = [graph.describe(params.hErrNode_out)] if params.hErrNode_out else []
        why = [_RESULTS.get(params.result_out, f"result {params.result_out}")] if params.result_out else []
        raise context.error(symbol, code, (None, graph.handle), ": ".join([*where, *why]))
    return handle.value or 0
