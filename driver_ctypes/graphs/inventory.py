"""What is in a graph: its nodes and edges, read back from the driver, with what is recorded here because the driver does not
report all of it.

A walk of children and bodies is written as a generator (`walked`): it yields the same generator for each of them, is sent
what that one returned, and returns its own result. A moved child may have a child, and so on for hundreds of levels.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Generator, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from driver_ctypes.abi import structs
from driver_ctypes.errors import CudaError
from driver_ctypes.graphs.host import ADDRESS, host_function_of
from driver_ctypes.graphs.kernels import loaded_function, read_attributes
from driver_ctypes.typing import NamedTuple

if TYPE_CHECKING:
    from driver_ctypes.modules.module import Function
    from driver_ctypes.session.session import Session


EDGES: dict[str, tuple[int, int]] = {"ended": (0, 0), "triggered": (1, 1), "started": (2, 1)}
"""What of a node is waited for -> (from_port, type) of the edge (CUgraphEdgeData)."""


class Record(NamedTuple):
    """What a graph records about a node that was added here; the driver does not report all of it."""

    kind: str
    label: str | None = None
    form: str = ""
    """Of a conditional node: ``if``, ``while`` or ``switch``."""
    inner: tuple[int, ...] = ()
    """The CUgraphs of its bodies, or of its child."""
    pointer: int = 0
    nbytes: int = 0


_T = TypeVar("_T")
Walk = Generator[Any, Any, _T]


def walked(walk: Walk[_T]) -> _T:
    """What *walk* returns."""
    stack: list[Walk[Any]] = [walk]
    result: Any = None
    while stack:
        try:
            inner = stack[-1].send(result)
        except StopIteration as end:
            stack.pop()
            result = end.value
        else:
            stack.append(inner)
            result = None
    found: _T = result
    return found


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

_WHEN = {data: when for when, data in EDGES.items()} | {(2, 0): "started"}
_OPERATIONS = {1: "wait", 2: "write", 3: "flush", 4: "wait", 5: "write", 6: "barrier"}  # CUstreamBatchMemOpType


class GraphNode(NamedTuple):
    """One node as it is now. Fields that its kind does not have are None, empty or 0."""

    kind: str
    """One of `KINDS`' values."""
    handle: int
    name: str | None = None
    """The kernel's name; of a host node the function's."""
    grid: tuple[int, int, int] | None = None
    block: tuple[int, int, int] | None = None
    shared: int = 0
    """Bytes of dynamic shared memory."""
    cluster: tuple[int, int, int] | None = None
    cooperative: bool = False
    arguments: tuple[tuple[str, Any], ...] | None = None
    """(name, value) of each kernel argument; None where the signature is not known."""
    details: Mapping[str, Any] = {}
    """The other kinds' parameters: ``dst``, ``src``, ``bytes``, ``value``, ``pointer``, ``event``, ``graph``, ..."""
    children: tuple[GraphNode, ...] = ()
    """The nodes of a child graph."""
    label: str | None = None
    """The user's own name."""
    attributes: Mapping[str, Any] = {}
    """A kernel node's attributes that are not at their default: ``priority``, ``domain``, ``carveout``, ..."""
    dependencies: tuple[tuple[int, str], ...] = ()
    """(handle, what of it is waited for: ``ended``, ``triggered``, ``started``) of the nodes that come first."""
    bodies: tuple[tuple[GraphNode, ...], ...] = ()
    """The nodes of each body of a conditional node."""

    def describe(self) -> str:
        """The node in a few words: label, kind, kernel and arguments."""
        label = f"{self.label!r}: " if self.label else ""
        if self.kind == "kernel":
            arguments = (
                "?" if self.arguments is None else ", ".join([f"{name}={value}" for name, value in self.arguments])
            )
            return f"{label}kernel {self.name or hex(self.handle)}({arguments}) {self.grid} x {self.block}"
        details = ", ".join([f"{key}={_shown(key, value)}" for key, value in self.details.items()])
        return f"{label}{self.kind}{f' {self.name}' if self.name else ''}({details})"


_HEXADECIMAL = ("dst", "src", "pointer", "event", "graph", "function", "user_data", "address")


def _shown(key: str, value: Any) -> str:
    return hex(value) if key in _HEXADECIMAL and isinstance(value, int) else str(value)


class GraphEdge(NamedTuple):
    """*target* waits for *source*: until it has ``ended``, or of a kernel until its CTAs have ``triggered`` or
    ``started``.
    """

    source: int
    target: int
    when: str = "ended"

    @property
    def programmatic(self) -> bool:
        """Whether the target may start before the source has ended."""
        return self.when != "ended"


def node_handles(context: Session, graph: int) -> tuple[int, ...]:
    """Every node of a CUgraph, in the driver's order."""
    count = ctypes.c_size_t()
    context.call("cuGraphGetNodes", graph, None, ctypes.byref(count))
    handles = (ctypes.c_void_p * count.value)()
    if count.value:
        context.call("cuGraphGetNodes", graph, handles, ctypes.byref(count))
    return tuple([handle or 0 for handle in handles])


def read_nodes(context: Session, graph: int, known: Mapping[int, Record] | None = None) -> tuple[GraphNode, ...]:
    """Every node of a CUgraph, with its dependencies. *known* are the nodes that this process has names for."""
    return walked(_reading_nodes(context, graph, known or {}))


def _reading_nodes(context: Session, graph: int, known: Mapping[int, Record]) -> Walk[tuple[GraphNode, ...]]:
    before: dict[int, list[tuple[int, str]]] = {}
    for edge in read_edges(context, graph):
        before.setdefault(edge.target, []).append((edge.source, edge.when))
    nodes: list[GraphNode] = []
    for handle in node_handles(context, graph):
        node: GraphNode = yield _reading_node(context, handle, known)
        nodes.append(node._replace(dependencies=tuple(before.get(handle, ()))))
    return tuple(nodes)


def read_edges(context: Session, graph: int) -> tuple[GraphEdge, ...]:
    """Every edge of a CUgraph. Before CUDA 12.3 the driver cannot report programmatic edges."""
    with_data = context.driver.has("cuGraphGetEdges_v2")
    symbol = "cuGraphGetEdges_v2" if with_data else "cuGraphGetEdges"
    count = ctypes.c_size_t()
    context.call(symbol, graph, None, None, *[None] * with_data, ctypes.byref(count))
    sources, targets = (ctypes.c_void_p * count.value)(), (ctypes.c_void_p * count.value)()
    data = (structs.CUgraphEdgeData * count.value)()
    if count.value:
        context.call(symbol, graph, sources, targets, *[data] * with_data, ctypes.byref(count))
    return tuple(
        [
            GraphEdge(source or 0, target or 0, _WHEN.get((edge.from_port, edge.type), "triggered"))
            for source, target, edge in zip(sources, targets, data)
        ]
    )


def named_nodes(context: Session, graph: int, known: Mapping[int, Record]) -> Iterator[tuple[int, str, str | None]]:
    """(handle, kind, name) of every kernel and host node of a CUgraph, and of those inside its nodes: as little reading as
    that takes.
    """
    number = ctypes.c_int()
    graphs = [graph]
    while graphs:
        for handle in node_handles(context, graphs.pop()):
            context.call("cuGraphNodeGetType", handle, ctypes.byref(number))
            kind = KINDS.get(number.value, "")
            if kind == "kernel":
                yield handle, kind, _kernel_params(context, handle)[1]
            elif kind == "host":
                yield handle, kind, read_node(context, handle, {}).name
            elif handle in known:
                graphs += known[handle].inner
            elif kind == "graph":
                child = ctypes.c_void_p()
                context.call("cuGraphChildGraphNodeGetGraph", handle, ctypes.byref(child))
                graphs.append(child.value or 0)


def read_node(context: Session, handle: int, known: Mapping[int, Record]) -> GraphNode:
    """One node, without its dependencies."""
    return walked(_reading_node(context, handle, known))


def _reading_node(context: Session, handle: int, known: Mapping[int, Record]) -> Walk[GraphNode]:
    number = ctypes.c_int()
    context.call("cuGraphNodeGetType", handle, ctypes.byref(number))
    kind = KINDS.get(number.value, f"type_{number.value}")
    record = known.get(handle)
    label = record.label if record is not None else None
    if kind == "kernel":
        return _read_kernel(context, handle)._replace(label=label)
    if record is not None and record.form:
        bodies: list[tuple[GraphNode, ...]] = []
        for body in record.inner:
            bodies.append((yield _reading_nodes(context, body, known)))
        details = {"form": record.form, "bodies": len(bodies)}
        return GraphNode(kind, handle, details=details, bodies=tuple(bodies), label=label)
    if kind not in _READERS:
        return GraphNode(kind, handle, label=label)
    symbol, made_of, contents = _READERS[kind]
    if not context.driver.has(symbol):
        return GraphNode(kind, handle, label=label)
    value = made_of()
    context.call(symbol, handle, ctypes.byref(value))
    found = contents(value)
    children: tuple[GraphNode, ...] = (yield _reading_nodes(context, found["graph"], known)) if kind == "graph" else ()
    return GraphNode(kind, handle, name=_host_name(kind, found), details=found, children=children, label=label)


def _host_name(kind: str, details: dict[str, Any]) -> str | None:
    function = host_function_of(details["user_data"]) if kind == "host" and details["function"] == ADDRESS else None
    return function.name if function is not None else None


def _kernel_params(context: Session, node: int) -> tuple[Any, str | None, Function | None]:
    """(the driver's structure, the kernel's name, the kernel where this package has loaded it)."""
    params = structs.CUDA_KERNEL_NODE_PARAMS_v2()
    context.call("cuGraphKernelNodeGetParams_v2", node, ctypes.byref(params))
    function = loaded_function(context, params.func or 0)
    return params, function.name if function is not None else _kernel_name(context, params), function


def _read_kernel(context: Session, node: int) -> GraphNode:
    params, name, function = _kernel_params(context, node)
    arguments = None
    if (
        function is not None
        and function.signature is not None
        and (params.kernelParams or not function.signature.params)
    ):
        arguments = function.signature.read(params.kernelParams or 0)
    attributes = read_attributes(context, node)
    return GraphNode(
        "kernel",
        node,
        name=name,
        grid=(params.gridDimX, params.gridDimY, params.gridDimZ),
        block=(params.blockDimX, params.blockDimY, params.blockDimZ),
        shared=params.sharedMemBytes,
        cluster=attributes.pop("cluster", None),
        cooperative=attributes.pop("cooperative", False),
        arguments=arguments,
        attributes=attributes,
    )


def _kernel_name(context: Session, params: structs.CUDA_KERNEL_NODE_PARAMS_v2) -> str | None:
    """The name of a kernel that this package did not load; unknown before CUDA 12.3."""
    symbol, handle = ("cuFuncGetName", params.func) if params.func else ("cuKernelGetName", params.kern)
    if not handle or not context.driver.has(symbol):
        return None
    name = ctypes.c_char_p()
    context.call(symbol, ctypes.byref(name), handle)
    return (name.value or b"").decode(errors="replace")


def _memcpy(copy: Any) -> dict[str, Any]:
    return {
        "dst": (copy.dstDevice or copy.dstHost or copy.dstArray or 0),
        "src": (copy.srcDevice or copy.srcHost or copy.srcArray or 0),
        "bytes": copy.WidthInBytes * max(copy.Height, 1) * max(copy.Depth, 1),
    }


def _memset(params: Any) -> dict[str, Any]:
    return {
        "dst": params.dst,
        "value": params.value,
        "element_size": params.elementSize,
        "width": params.width,
        "height": params.height,
        "pitch": params.pitch,
    }


def _batch(params: Any) -> dict[str, Any]:
    """Each operation as (what, address, value)."""
    operations = []
    if params.count:
        for operation in (structs.CUstreamBatchMemOpParams * params.count).from_address(params.paramArray):
            wide = operation.operation in (4, 5)
            value = operation.waitValue.value64 if wide else operation.waitValue.value
            operations.append((_OPERATIONS.get(operation.operation, "?"), operation.waitValue.address, value))
    return {"operations": tuple(operations)}


def _fences(kind: Any) -> Callable[[Any], dict[str, Any]]:
    def read(params: Any) -> dict[str, Any]:
        number = params.numExtSems
        handles = (ctypes.c_void_p * number).from_address(params.extSemArray) if number else ()
        values = (kind * number).from_address(params.paramsArray) if number else ()
        return {"fences": tuple([(h or 0, v.params.fence.value) for h, v in zip(handles, values)])}

    return read


def _scalar(name: str) -> Callable[[Any], dict[str, Any]]:
    return lambda value: {name: value.value or 0}


# kind -> (getter, what it fills, its contents by name). The others' parameters cannot be read before CUDA 13.2.
_READERS: dict[str, tuple[str, Any, Callable[[Any], dict[str, Any]]]] = {
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
    "semaphore_signal": (
        "cuGraphExternalSemaphoresSignalNodeGetParams",
        structs.CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v1,
        _fences(structs.CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS),
    ),
    "semaphore_wait": (
        "cuGraphExternalSemaphoresWaitNodeGetParams",
        structs.CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v1,
        _fences(structs.CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS),
    ),
    "mem_alloc": (
        "cuGraphMemAllocNodeGetParams",
        structs.CUDA_MEM_ALLOC_NODE_PARAMS_v1,
        lambda p: {"pointer": p.dptr, "bytes": p.bytesize},
    ),
    "mem_free": ("cuGraphMemFreeNodeGetParams", ctypes.c_uint64, _scalar("pointer")),
    "batch_mem_op": ("cuGraphBatchMemOpNodeGetParams", structs.CUDA_BATCH_MEM_OP_NODE_PARAMS_v2, _batch),
}


def details_of(kind: str, params: Any) -> Mapping[str, Any]:
    """A driver's structure as `GraphNode.details`."""
    details: Mapping[str, Any] = _READERS[kind][2](params)
    return details


def describe_node(context: Session, node: int, known: Mapping[int, Record] | None = None) -> str:
    """A node in words, for an error about it."""
    if not node:
        return "unknown node"
    try:
        found = read_node(context, node, known or {})
    except CudaError as error:
        return f"node {node:#x} ({error.name})"
    label = f" ({found.label!r})" if found.label else ""
    return f"{found.kind} node {found.name or hex(node)}{label}"
