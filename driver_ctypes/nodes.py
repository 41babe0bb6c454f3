"""What is in a graph: its nodes and edges, read back from the driver."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from driver_ctypes.abi import structs
from driver_ctypes.errors import CudaError

if TYPE_CHECKING:
    from driver_ctypes.context import Context

# CUgraphNodeType -> kind. Newer drivers may have more.
KINDS: dict[int, str] = {
    0: "kernel",
    1: "memcpy",
    2: "memset",
    3: "host",
    4: "graph",
    5: "empty",
    6: "wait_event",
    7: "event_record",
    8: "semaphore_signal",
    9: "semaphore_wait",
    10: "mem_alloc",
    11: "mem_free",
    12: "batch_mem_op",
    13: "conditional",
    14: "memcpy_batch",
    17: "external_engine",
    18: "fabric_copy_batch",
}

_COOPERATIVE = 2  # CUlaunchAttributeID
_CLUSTER_DIMENSION = 4


class GraphNode(NamedTuple):
    """One node. What its kind does not have is None, empty or 0."""

    kind: str
    """One of `KINDS`' values."""
    handle: int
    name: str | None = None
    """The kernel's name."""
    grid: tuple[int, int, int] | None = None
    block: tuple[int, int, int] | None = None
    shared: int = 0
    """Bytes of dynamic shared memory."""
    cluster: tuple[int, int, int] | None = None
    cooperative: bool = False
    arguments: tuple[tuple[str, Any], ...] | None = None
    """(name, value) of each kernel argument; None where the signature is not known."""
    details: Mapping[str, int] = {}
    """The other kinds' parameters: ``dst``, ``src``, ``bytes``, ``value``, ``pointer``, ``event``, ``graph``, ..."""
    children: tuple[GraphNode, ...] = ()
    """The nodes of a child graph."""


class GraphEdge(NamedTuple):
    """*target* waits for *source*; a programmatic edge lets it start before *source* has ended."""

    source: int
    target: int
    programmatic: bool = False


def read_nodes(context: Context, graph: int) -> tuple[GraphNode, ...]:
    """Every node of a CUgraph, in the driver's order."""
    count = ctypes.c_size_t()
    context.call("cuGraphGetNodes", graph, None, ctypes.byref(count))
    handles = (ctypes.c_void_p * count.value)()
    if count.value:
        context.call("cuGraphGetNodes", graph, handles, ctypes.byref(count))
    return tuple([_read_node(context, handle or 0) for handle in handles])


def read_edges(context: Context, graph: int) -> tuple[GraphEdge, ...]:
    """Every edge of a CUgraph. Before CUDA 12.3 the driver cannot tell programmatic edges."""
    with_data = context.driver.has("cuGraphGetEdges_v2")
    symbol = "cuGraphGetEdges_v2" if with_data else "cuGraphGetEdges"
    count = ctypes.c_size_t()
    context.call(symbol, graph, None, None, *[None] * with_data, ctypes.byref(count))
    sources, targets = (ctypes.c_void_p * count.value)(), (ctypes.c_void_p * count.value)()
    data = (structs.CUgraphEdgeData * count.value)()
    if count.value:
        context.call(symbol, graph, sources, targets, *[data] * with_data, ctypes.byref(count))
    return tuple([GraphEdge(s or 0, t or 0, d.type == 1) for s, t, d in zip(sources, targets, data)])


def _read_node(context: Context, node: int) -> GraphNode:
    number = ctypes.c_int()
    context.call("cuGraphNodeGetType", node, ctypes.byref(number))
    kind = KINDS.get(number.value, f"type_{number.value}")
    if kind == "kernel":
        return _read_kernel(context, node)
    if kind in _READERS:
        symbol, made_of, details = _READERS[kind]
        value = made_of()
        context.call(symbol, node, ctypes.byref(value))
        found = details(value)
        children = read_nodes(context, found["graph"]) if kind == "graph" else ()
        return GraphNode(kind, node, details=found, children=children)
    return GraphNode(kind, node)


def _read_kernel(context: Context, node: int) -> GraphNode:
    params = structs.CUDA_KERNEL_NODE_PARAMS_v2()
    context.call("cuGraphKernelNodeGetParams_v2", node, ctypes.byref(params))
    function = context._names.get(params.func or 0)
    arguments = None
    if (
        function is not None
        and function.signature is not None
        and (params.kernelParams or not function.signature.params)
    ):
        arguments = function.signature.read(params.kernelParams or 0)
    dims = _attribute(context, node, _CLUSTER_DIMENSION)
    cluster = dims.clusterDim if dims is not None else None
    cooperative = _attribute(context, node, _COOPERATIVE)
    return GraphNode(
        "kernel",
        node,
        name=function.name if function is not None else _kernel_name(context, params),
        grid=(params.gridDimX, params.gridDimY, params.gridDimZ),
        block=(params.blockDimX, params.blockDimY, params.blockDimZ),
        shared=params.sharedMemBytes,
        cluster=(cluster.x, cluster.y, cluster.z) if cluster is not None and cluster.x else None,
        cooperative=cooperative is not None and bool(cooperative.cooperative),
        arguments=arguments,
    )


def _kernel_name(context: Context, params: structs.CUDA_KERNEL_NODE_PARAMS_v2) -> str | None:
    """The name of a kernel that this package did not load; before CUDA 12.3 nobody knows it."""
    symbol, handle = ("cuFuncGetName", params.func) if params.func else ("cuKernelGetName", params.kern)
    if not handle or not context.driver.has(symbol):
        return None
    name = ctypes.c_char_p()
    context.call(symbol, ctypes.byref(name), handle)
    return (name.value or b"").decode(errors="replace")


def _attribute(context: Context, node: int, attribute: int) -> structs.CUlaunchAttributeValue | None:
    """A kernel node's attribute; None where the driver or the device does not have it."""
    if not context.driver.has("cuGraphKernelNodeGetAttribute"):
        return None
    value = structs.CUlaunchAttributeValue()
    code = context._try("cuGraphKernelNodeGetAttribute", node, attribute, ctypes.byref(value))
    if code:
        context.driver.new_log()
        return None
    return value


def _memcpy(copy: Any) -> dict[str, int]:
    return {
        "dst": (copy.dstDevice or copy.dstHost or copy.dstArray or 0),
        "src": (copy.srcDevice or copy.srcHost or copy.srcArray or 0),
        "bytes": copy.WidthInBytes * max(copy.Height, 1) * max(copy.Depth, 1),
    }


def _memset(params: Any) -> dict[str, int]:
    return {
        "dst": params.dst,
        "value": params.value,
        "element_size": params.elementSize,
        "width": params.width,
        "height": params.height,
        "pitch": params.pitch,
    }


def _scalar(name: str) -> Callable[[Any], dict[str, int]]:
    return lambda value: {name: value.value or 0}


# kind -> (getter, what it fills, its contents by name). The others' parameters cannot be read before CUDA 13.2.
_READERS: dict[str, tuple[str, Any, Callable[[Any], dict[str, int]]]] = {
    "memcpy": ("cuGraphMemcpyNodeGetParams", structs.CUDA_MEMCPY3D, _memcpy),
    "memset": ("cuGraphMemsetNodeGetParams", structs.CUDA_MEMSET_NODE_PARAMS_v1, _memset),
    "host": (
        "cuGraphHostNodeGetParams",
        structs.CUDA_HOST_NODE_PARAMS_v1,
        lambda p: {"function": p.fn or 0, "user_data": p.userData or 0},
    ),
    "graph": ("cuGraphChildGraphNodeGetGraph", ctypes.c_void_p, _scalar("graph")),
    "wait_event": ("cuGraphEventWaitNodeGetEvent", ctypes.c_void_p, _scalar("event")),
    "event_record": ("cuGraphEventRecordNodeGetEvent", ctypes.c_void_p, _scalar("event")),
    "mem_alloc": (
        "cuGraphMemAllocNodeGetParams",
        structs.CUDA_MEM_ALLOC_NODE_PARAMS_v1,
        lambda p: {"pointer": p.dptr, "bytes": p.bytesize},
    ),
    "mem_free": ("cuGraphMemFreeNodeGetParams", ctypes.c_uint64, _scalar("pointer")),
}


def describe_node(context: Context, node: int) -> str:
    """A node in words, for an error about it."""
    if not node:
        return "unknown node"
    try:
        found = _read_node(context, node)
    except CudaError as error:
        return f"node {node:#x} ({error.name})"
    return f"{found.kind} node {found.name or hex(node)}"
