"""The later kinds of graph nodes: conditional, memory operations, semaphores, allocations, children; and typed edges.

To record again, from the repository's root, on a machine with a GPU:

    python -m tests.ptxgen.emulated_driver.scenarios record tests/ptxgen/cpu/data/h200_graphs.json \
        conditional_handles conditional_nodes ...   (the keys of LATER)
"""

from __future__ import annotations

import ctypes
from ctypes import byref, c_int, c_size_t, c_uint8, c_uint32, c_uint64, c_void_p
from typing import Any

from driver_ctypes.abi import structs
from tests.ptxgen.emulated_driver.scenarios.base import LATER, Bench, Cu, Note, kernel_params, later_scenario, out

__all__ = ["LATER"]

IF, WHILE, SWITCH = 0, 1, 2


def new_graph(cu: Cu) -> int:
    return int(cu.get(c_void_p, "cuGraphCreate", 0))


def nodes_of(cu: Cu, graph: int) -> list[int]:
    count = c_size_t()
    assert cu.cuGraphGetNodes(graph, None, byref(count)) == 0
    many = (c_void_p * max(count.value, 1))()
    if count.value:
        assert cu.cuGraphGetNodes(graph, many, byref(count)) == 0
    return [many[i] or 0 for i in range(count.value)]


def needs(*nodes: int) -> tuple[Any, int]:
    return (c_void_p * max(len(nodes), 1))(*nodes), len(nodes)


def fill(b: Bench, value: int, slot: int) -> Any:
    """Memset node parameters: one word of the bench's memory."""
    return (c_uint64 * 5)(b.p + 4 * slot, 0, value | (4 << 32), 1, 1)


def add_fill(b: Bench, graph: int, value: int, slot: int, *after: int) -> int:
    node = c_void_p()
    assert b.cu.cuGraphAddMemsetNode(byref(node), graph, *needs(*after), fill(b, value, slot), b.context) == 0
    return node.value or 0


def add_kernel(b: Bench, graph: int, *after: int) -> int:
    node = c_void_p()
    assert b.cu.cuGraphAddKernelNode_v2(byref(node), graph, *needs(*after), kernel_params(b.empty, None)) == 0
    return node.value or 0


def handle(cu: Cu, graph: int, context: int, default: int = 0, flags: int = 0) -> int:
    return int(cu.get(c_uint64, "cuGraphConditionalHandleCreate", graph, context, default, flags))


def conditional(cu: Cu, graph: int, condition: int, kind: int, size: int, context: int, *after: int) -> tuple[Any, ...]:
    """(code, node, body graphs)"""
    params = structs.CUgraphNodeParams(type=13)
    params.conditional.handle, params.conditional.type, params.conditional.size = condition, kind, size
    params.conditional.ctx = context
    node = c_void_p()
    code = cu.cuGraphAddNode_v2(byref(node), graph, needs(*after)[0], None, len(after), byref(params))
    bodies = (c_void_p * size).from_address(params.conditional.phGraph_out)[:] if code == 0 else []
    return code, node.value, bodies


def zero(b: Bench) -> None:
    """All of the memory; and that is done before anything else is queued."""
    assert b.cu.cuMemsetD8_v2(b.p, 0, 256) == 0
    assert b.cu.cuCtxSynchronize() == 0


def execute(b: Bench, graph: int, times: int = 1) -> list[Any]:
    """[instantiation, launch, synchronization, the first words of memory, which was zero]"""
    cu, executable = b.cu, c_void_p()
    zero(b)
    code = cu.cuGraphInstantiateWithFlags(byref(executable), graph, 0)
    if code:
        return [code]
    codes = [[cu.cuGraphLaunch(executable, b.stream), cu.cuStreamSynchronize(b.stream)] for _ in range(times)]
    done = [code, codes[-1], cu.words(b.p, 6)]
    cu.cuGraphExecDestroy(executable)
    return done


@later_scenario
def conditional_handles(cu: Cu, note: Note) -> None:
    b = Bench(cu, 1)
    graph, other, made = new_graph(cu), new_graph(cu), c_uint64()
    create = cu.cuGraphConditionalHandleCreate
    note("null", [create(None, graph, b.context, 0, 0), create(byref(made), None, b.context, 0, 0)])
    note("no context", create(byref(made), graph, None, 0, 0))
    note("flags", [create(byref(made), graph, b.context, 1, 1), create(byref(made), graph, b.context, 1, 2)])
    condition = handle(cu, graph, b.context)
    add = lambda *args: conditional(cu, *args, b.context)[0]
    note("handle null", add(graph, 0, IF, 1))
    note("handle of another graph", add(other, condition, IF, 1))
    note("if sizes", [add(graph, handle(cu, graph, b.context), IF, size) for size in (0, 1, 2, 3)])
    note("while sizes", [add(graph, handle(cu, graph, b.context), WHILE, size) for size in (0, 1, 2)])
    note("switch sizes", [add(graph, handle(cu, graph, b.context), SWITCH, size) for size in (0, 1, 2, 9)])
    note("kind 3", add(graph, handle(cu, graph, b.context), 3, 1))
    note("used", add(graph, condition, IF, 1))
    note("used twice", add(graph, condition, IF, 1))
    unused = new_graph(cu)
    handle(cu, unused, b.context)
    params = (c_uint64 * 4)(0, 0, 0, 99)
    note("unused", [cu.cuGraphInstantiateWithParams(out(c_void_p), unused, params), params[3] & 0xFFFFFFFF])


@later_scenario
def conditional_nodes(cu: Cu, note: Note) -> None:
    b = Bench(cu, 1)

    def run(kind: int, size: int, default: int, flags: int = 1, times: int = 1) -> list[Any]:
        graph = new_graph(cu)
        _code, _node, bodies = conditional(
            cu, graph, handle(cu, graph, b.context, default, flags), kind, size, b.context
        )
        for index, body in enumerate(bodies):
            add_fill(b, body, index + 1, index)
        return execute(b, graph, times)

    note("if 1", run(IF, 1, 1))
    note("if 0", run(IF, 1, 0))
    note("if 7", run(IF, 1, 7))
    note("if twice", run(IF, 1, 1, 1, 2))
    note("if else 1", run(IF, 2, 1))
    note("if else 0", run(IF, 2, 0))
    note("while 0", run(WHILE, 1, 0))
    note("switch", [run(SWITCH, 3, case) for case in (0, 1, 2, 3)])
    graph = new_graph(cu)
    _code, node, (body,) = conditional(cu, graph, handle(cu, graph, b.context, 1, 1), IF, 1, b.context)
    kind = c_int()
    note("type", [cu.cuGraphNodeGetType(node, byref(kind)), kind.value])
    note("destroy body", cu.cuGraphDestroy(body))
    note("body nodes", len(nodes_of(cu, body)))
    inner = handle(cu, graph, b.context, 1, 1)
    code, _inner_node, inner_bodies = conditional(cu, body, inner, IF, 1, b.context)
    note("nested", code)
    if code == 0:
        add_fill(b, inner_bodies[0], 5, 2)
    own = c_uint64()
    note("handle of a body", cu.cuGraphConditionalHandleCreate(byref(own), body, b.context, 1, 1))
    first = add_fill(b, body, 3, 0)
    host = ctypes.CFUNCTYPE(None, c_void_p)(lambda data: None)
    words = (c_uint64 * 2)(ctypes.cast(host, c_void_p).value or 0, 33)
    note("event in body", cu.cuGraphAddEventRecordNode(out(c_void_p), body, None, 0, b.timed))
    note("empty in body", cu.cuGraphAddEmptyNode(out(c_void_p), body, *needs(first)))
    note("child in body", cu.cuGraphAddChildGraphNode(out(c_void_p), body, *needs(first), b.graph))
    memory = (c_uint64 * 15)()
    memory[0], memory[1], memory[13] = 1, 1, 4096
    note("alloc in body", cu.cuGraphAddMemAllocNode(out(c_void_p), body, None, 0, memory))

    def body_with(add: Any) -> list[Any]:
        """[code, result, is a node named] of instantiating a graph whose conditional body has one node."""
        outer = new_graph(cu)
        _code, _node, (inside,) = conditional(cu, outer, handle(cu, outer, b.context, 1, 1), IF, 1, b.context)
        assert add(inside) == 0
        params = (c_uint64 * 4)(0, 0, 0, 99)
        return [
            cu.cuGraphInstantiateWithParams(out(c_void_p), outer, params), params[3] & 0xFFFFFFFF, params[2] != 0,
        ]  # fmt: skip

    writes = batch(op(WRITE32, b.p, 5))
    operations = structs.CUDA_BATCH_MEM_OP_NODE_PARAMS_v2(b.context, 1, ctypes.addressof(writes), 0)
    note("made with", {
        "kernel": body_with(lambda g: cu.cuGraphAddKernelNode_v2(out(c_void_p), g, None, 0, kernel_params(b.empty, None))),
        "record": body_with(lambda g: cu.cuGraphAddEventRecordNode(out(c_void_p), g, None, 0, b.timed)),
        "wait": body_with(lambda g: cu.cuGraphAddEventWaitNode(out(c_void_p), g, None, 0, b.recorded)),
        "empty": body_with(lambda g: cu.cuGraphAddEmptyNode(out(c_void_p), g, None, 0)),
        "child": body_with(lambda g: cu.cuGraphAddChildGraphNode(out(c_void_p), g, None, 0, b.graph)),
        "alloc": body_with(lambda g: cu.cuGraphAddMemAllocNode(out(c_void_p), g, None, 0, memory)),
        "operations": body_with(lambda g: cu.cuGraphAddBatchMemOpNode(out(c_void_p), g, None, 0, byref(operations))),
    })  # fmt: skip
    lonely = new_graph(cu)
    _code, _node, (bad,) = conditional(cu, lonely, handle(cu, lonely, b.context, 1, 1), IF, 1, b.context)
    note("host in body", cu.cuGraphAddHostNode(out(c_void_p), bad, None, 0, words))
    params = (c_uint64 * 4)(0, 0, 0, 99)
    note("host in body made", [
        cu.cuGraphInstantiateWithParams(out(c_void_p), lonely, params), params[3] & 0xFFFFFFFF, params[2] != 0,
    ])  # fmt: skip


@later_scenario
def conditional_graphs(cu: Cu, note: Note) -> None:
    """What else is done with graphs that have conditional nodes."""
    b = Bench(cu, 1)

    def build(value: int, default: int = 1) -> tuple[int, int, int]:
        graph = new_graph(cu)
        _code, node, (body,) = conditional(cu, graph, handle(cu, graph, b.context, default, 1), IF, 1, b.context)
        add_fill(b, body, value, 0)
        return graph, node, body

    graph, node, body = build(4)
    first, second = c_void_p(), c_void_p()
    note("made", cu.cuGraphInstantiateWithFlags(byref(first), graph, 0))
    note("made twice", cu.cuGraphInstantiateWithFlags(byref(second), graph, 0))
    note("destroyed", [cu.cuGraphExecDestroy(first), cu.cuGraphInstantiateWithFlags(byref(first), graph, 0)])
    clone = c_void_p()
    note("clone", cu.cuGraphClone(byref(clone), graph))
    note("as child", cu.cuGraphAddChildGraphNode(out(c_void_p), new_graph(cu), None, 0, graph))
    note("switch off", cu.cuGraphNodeSetEnabled(first, node, 0))
    inner = nodes_of(cu, body)[0]
    note("set in body", cu.cuGraphExecMemsetNodeSetParams(first, inner, fill(b, 9, 1), b.context))
    zero(b)
    note("run", [cu.cuGraphLaunch(first, b.stream), cu.cuStreamSynchronize(b.stream), cu.words(b.p, 3)])
    info = (c_uint64 * 3)()
    update = lambda graph: [cu.cuGraphExecUpdate_v2(first, graph, info), info[0] & 0xFFFFFFFF]
    note("update same", update(build(6)[0]))
    zero(b)
    note("run updated", [cu.cuGraphLaunch(first, b.stream), cu.cuStreamSynchronize(b.stream), cu.words(b.p, 3)])
    note("update default", update(build(7, 0)[0]))
    zero(b)
    note("run default", [cu.cuGraphLaunch(first, b.stream), cu.cuStreamSynchronize(b.stream), cu.words(b.p, 3)])
    third = build(6)
    add_fill(b, third[2], 1, 2)
    note("update body", update(third[0]))
    captured, _node, target = build(1)
    begin = cu.cuStreamBeginCaptureToGraph
    note("capture to body", begin(b.stream, target, None, None, 0, 1))
    note(
        "captured",
        [cu.cuMemsetD32Async(b.p + 8, 3, 1, b.stream), cu.end_capture(b.stream)[0], len(nodes_of(cu, target))],
    )
    note("run captured", execute(b, captured))
    note("destroy node", [cu.cuGraphDestroyNode(node), len(nodes_of(cu, graph))])
    params = structs.CUgraphNodeParams(type=13)
    note("set params", cu.cuGraphNodeSetParams(_node, byref(params)))
    note("destroy", [cu.cuGraphExecDestroy(first), cu.cuGraphDestroy(graph), cu.cuGraphDestroy(captured)])


def edge(from_port: int = 0, to_port: int = 0, kind: int = 0, reserved: int = 0) -> Any:
    data = (c_uint8 * 8)(from_port, to_port, kind, reserved)
    return data


@later_scenario
def typed_edges(cu: Cu, note: Note) -> None:
    b = Bench(cu, 1)
    pair = lambda x, y: (byref(c_void_p(x)), byref(c_void_p(y)))

    def between(first: Any, second: Any, *data: int) -> int:
        graph = new_graph(cu)
        one, two = first(graph), second(graph)
        return int(cu.cuGraphAddDependencies_v2(graph, *pair(one, two), edge(*data), 1))

    kernel = lambda graph: add_kernel(b, graph)
    memset = lambda graph: add_fill(b, graph, 1, 0)

    def empty(graph: int) -> int:
        node = c_void_p()
        cu.cuGraphAddEmptyNode(byref(node), graph, None, 0)
        return node.value or 0

    for name, data in {
        "plain": (), "programmatic": (1, 0, 1), "launch order": (2, 0, 1), "port without type": (1, 0, 0),
        "launch order without type": (2, 0, 0), "type without port": (0, 0, 1), "port 3": (3, 0, 0), "to port": (0, 1, 0),
        "to port programmatic": (1, 1, 1), "type 2": (0, 0, 2), "reserved": (0, 0, 0, 1),
    }.items():  # fmt: skip
        note(f"kernels {name}", between(kernel, kernel, *data))
    note("kernel to memset", between(kernel, memset, 1, 0, 1))
    note("memset to kernel", between(memset, kernel, 1, 0, 1))
    note("kernel to empty", between(kernel, empty, 1, 0, 1))
    note("memsets plain", between(memset, memset))

    graph = new_graph(cu)
    one, two, three = add_kernel(b, graph), add_kernel(b, graph), add_kernel(b, graph)
    note("add", cu.cuGraphAddDependencies_v2(graph, *pair(one, two), edge(1, 0, 1), 1))
    note("add again", cu.cuGraphAddDependencies_v2(graph, *pair(one, two), edge(1, 0, 1), 1))
    note("add plain beside", cu.cuGraphAddDependencies_v2(graph, *pair(one, two), edge(), 1))
    count, sources, targets, data = c_size_t(8), (c_void_p * 8)(), (c_void_p * 8)(), (c_uint8 * 64)()
    note("edges", [cu.cuGraphGetEdges_v2(graph, sources, targets, data, byref(count)), count.value, list(data)[:16]])
    count.value = 8
    note("edges old", cu.cuGraphGetEdges(graph, sources, targets, byref(count)))
    note("edges old count", [cu.cuGraphGetEdges(graph, None, None, byref(count)), count.value])
    count.value = 8
    note("edges without data", cu.cuGraphGetEdges_v2(graph, sources, targets, None, byref(count)))
    count.value = 8
    note("dependencies", [cu.cuGraphNodeGetDependencies_v2(two, sources, data, byref(count)), count.value, data[0]])
    count.value = 8
    note("dependencies old", cu.cuGraphNodeGetDependencies(two, sources, byref(count)))
    count.value = 8
    note("dependents", [cu.cuGraphNodeGetDependentNodes_v2(one, sources, data, byref(count)), count.value, data[0]])
    note("remove as plain", cu.cuGraphRemoveDependencies_v2(graph, *pair(one, two), edge(), 1))
    note("remove old", cu.cuGraphRemoveDependencies(graph, *pair(one, two), 1))
    note("remove", cu.cuGraphRemoveDependencies_v2(graph, *pair(one, two), edge(1, 0, 1), 1))
    node = c_void_p()
    params = structs.CUgraphNodeParams(type=0)
    params.kernel.func = b.empty
    for name in ("gridDimX", "gridDimY", "gridDimZ", "blockDimX", "blockDimY", "blockDimZ"):
        setattr(params.kernel, name, 1)
    note("add node", cu.cuGraphAddNode_v2(byref(node), graph, (c_void_p * 1)(three), edge(1, 0, 1), 1, byref(params)))
    clone = c_void_p()
    note("clone", cu.cuGraphClone(byref(clone), graph))
    count.value = 8
    note("edges of the clone", [cu.cuGraphGetEdges_v2(clone, sources, targets, data, byref(count)), list(data)[:3]])
    note("run", execute(b, graph)[:2])
    plain = new_graph(cu)
    chain = [add_kernel(b, plain) for _ in range(4)]
    cu.cuGraphAddDependencies(plain, *pair(chain[2], chain[3]), 1)
    executable, info = cu.get(c_void_p, "cuGraphInstantiateWithFlags", graph, 0), (c_uint64 * 3)()
    note("update", [cu.cuGraphExecUpdate_v2(executable, plain, info), info[0] & 0xFFFFFFFF])


@later_scenario
def captured_edges(cu: Cu, note: Note) -> None:
    """A launch that may begin before the one before it has ended, in a capture."""
    b = Bench(cu, 1)
    config, attribute = structs.CUlaunchConfig(1, 1, 1, 32, 1, 1, 0), structs.CUlaunchAttribute()
    attribute.id, attribute.value.programmaticStreamSerializationAllowed = 6, 1
    config.hStream, config.attrs, config.numAttrs = b.stream, ctypes.addressof(attribute), 1
    launch = lambda: cu.cuLaunchKernelEx(byref(config), b.empty, None, None)
    cu.cuStreamBeginCapture_v2(b.stream, 1)
    note("launches", [launch(), launch()])
    status, id_, graph, nodes, number = c_int(), c_uint64(), c_void_p(), c_void_p(), c_size_t()
    info = [byref(thing) for thing in (status, id_, graph, nodes)]
    note("info", [cu.cuStreamGetCaptureInfo_v2(b.stream, *info, byref(number)), number.value])
    edges = c_void_p()
    note("info 3", [cu.cuStreamGetCaptureInfo_v3(b.stream, *info, byref(edges), byref(number)), number.value])
    note("memset after", cu.cuMemsetD32Async(b.p, 1, 1, b.stream))
    code, made = cu.end_capture(b.stream)
    note("end", code)
    count, sources, targets, data = c_size_t(8), (c_void_p * 8)(), (c_void_p * 8)(), (c_uint8 * 64)()
    cu.cuGraphGetEdges_v2(made, sources, targets, data, byref(count))
    note("edges", [count.value, list(data)[: 8 * count.value]])
    value = (c_uint32 * 16)()
    note("attribute", [cu.cuGraphKernelNodeGetAttribute(nodes_of(cu, made)[1], 6, value), value[0]])
    cu.cuStreamBeginCapture_v2(b.stream, 1)
    launch()
    cu.cuStreamGetCaptureInfo_v3(b.stream, *info, byref(edges), byref(number))
    tail = (c_void_p * 1)(c_uint64.from_address(nodes.value or 0).value)
    note("set typed", cu.cuStreamUpdateCaptureDependencies_v2(b.stream, tail, edge(1, 0, 1), 1, 1))
    note("info typed", cu.cuStreamGetCaptureInfo_v2(b.stream, *info, byref(number)))
    note("info typed 3", [
        cu.cuStreamGetCaptureInfo_v3(b.stream, *info, byref(edges), byref(number)),
        list((c_uint8 * 3).from_address(edges.value or 0)),
    ])  # fmt: skip
    note("kernel after typed", cu.launch(b.empty, stream=b.stream))
    code, made = cu.end_capture(b.stream)
    count.value = 8
    cu.cuGraphGetEdges_v2(made, sources, targets, data, byref(count))
    note("typed", [code, count.value, list(data)[:3]])


def op(kind: int, address: int = 0, value: int = 0, flags: int = 0) -> Any:
    """CUstreamBatchMemOpParams as six words."""
    return (c_uint64 * 6)(kind, address, value, flags, 0, 0)


def batch(*ops: Any) -> Any:
    return (c_uint64 * (6 * max(len(ops), 1)))(*[word for one in ops for word in one])


WAIT32, WRITE32, WAIT64, WRITE64, FLUSH, BARRIER = 1, 2, 4, 5, 3, 6


@later_scenario
def stream_values(cu: Cu, note: Note) -> None:
    b = Bench(cu, 1)
    zero(b)
    write, wait = cu.cuStreamWriteValue32_v2, cu.cuStreamWaitValue32_v2
    note("write", [write(b.stream, b.p, 7, 0), cu.cuStreamSynchronize(b.stream), cu.words(b.p, 2)])
    note(
        "write 64", [cu.cuStreamWriteValue64_v2(b.stream, b.p + 8, (3 << 32) + 4, 0), cu.cuStreamSynchronize(b.stream)]
    )
    note("written 64", cu.words(b.p + 8, 2))
    note("write flags", [write(b.stream, b.p, 7, 1), write(b.stream, b.p, 7, 2), write(b.stream, b.p, 7, 4)])
    note("write wild", write(b.stream, 0x1234, 7, 0))
    note("write null", write(b.stream, 0, 7, 0))
    note("write odd", write(b.stream, b.p + 2, 7, 0))
    note("write 64 odd", cu.cuStreamWriteValue64_v2(b.stream, b.p + 4, 7, 0))
    note("wait geq", [wait(b.stream, b.p, 7, 0), wait(b.stream, b.p, 6, 0), cu.cuStreamSynchronize(b.stream)])
    note("wait eq", [wait(b.stream, b.p, 7, 1), cu.cuStreamSynchronize(b.stream)])
    note("wait and", [wait(b.stream, b.p, 2, 2), cu.cuStreamSynchronize(b.stream)])
    note("wait nor", [wait(b.stream, b.p, 8, 3), cu.cuStreamSynchronize(b.stream)])
    note("wait wrapped", [wait(b.stream, b.p, 0xFFFFFFFF, 0), cu.cuStreamSynchronize(b.stream)])
    note("wait flags", [wait(b.stream, b.p, 7, 4), wait(b.stream, b.p, 7, 0x40000000)])
    note("wait odd", wait(b.stream, b.p + 1, 7, 0))
    note("wait wild", wait(b.stream, 0x1234, 7, 0))
    note(
        "pinned",
        [write(b.stream, b.pinned, 9, 0), cu.cuStreamSynchronize(b.stream), c_uint32.from_address(b.pinned).value],
    )
    many = cu.cuStreamBatchMemOp_v2
    ops = batch(op(WRITE32, b.p, 1), op(WAIT32, b.p, 1, 1), op(WRITE64, b.p + 8, 2), op(WAIT64, b.p + 8, 2))
    note("batch", [many(b.stream, 4, ops, 0), cu.cuStreamSynchronize(b.stream), cu.words(b.p, 4)])
    note("batch none", many(b.stream, 0, ops, 0))
    note("batch flags", many(b.stream, 4, ops, 1))
    note("batch kind", [many(b.stream, 1, batch(op(kind)), 0) for kind in (0, 7, 99)])
    note("batch flush", many(b.stream, 1, batch(op(FLUSH)), 0))
    note("batch barrier", [many(b.stream, 1, batch(op(BARRIER | flags << 32)), 0) for flags in (0, 1, 2)])
    note("null stream", [write(None, b.p, 5, 0), cu.cuCtxSynchronize(), cu.words(b.p, 1)])
    cu.cuStreamBeginCapture_v2(b.stream, 1)
    note("captured", [write(b.stream, b.p, 3, 0), wait(b.stream, b.p, 3, 1), many(b.stream, 4, ops, 0)])
    code, graph = cu.end_capture(b.stream)
    kinds, kind = [], c_int()
    for node in nodes_of(cu, graph) if not code else []:
        cu.cuGraphNodeGetType(node, byref(kind))
        kinds.append(kind.value)
    note("captured kinds", [code, kinds])


@later_scenario
def memory_operations(cu: Cu, note: Note) -> None:
    """Batch memory operation nodes."""
    b = Bench(cu, 1)
    graph, node = new_graph(cu), c_void_p()

    def params(ops: Any, count: int, flags: int = 0, context: int = b.context) -> Any:
        return structs.CUDA_BATCH_MEM_OP_NODE_PARAMS_v2(context, count, ctypes.addressof(ops) if ops else None, flags)

    add = lambda made: cu.cuGraphAddBatchMemOpNode(byref(node), graph, None, 0, byref(made))
    ops = batch(op(WRITE32, b.p, 5), op(WAIT32, b.p, 5), op(WRITE64, b.p + 8, 6))
    note("none", [add(params(ops, 0)), add(params(None, 1))])
    note("flags", add(params(ops, 3, 1)))
    note("no context", add(params(ops, 3, 0, 0)))
    note("wild", add(params(batch(op(WRITE32, 0x1234, 5)), 1)))
    note("kind", add(params(batch(op(99)), 1)))
    note("barrier", add(params(batch(op(BARRIER)), 1)))
    graph = new_graph(cu)
    note("add", cu.cuGraphAddBatchMemOpNode(byref(node), graph, None, 0, byref(params(ops, 3))))
    got = structs.CUDA_BATCH_MEM_OP_NODE_PARAMS_v2()
    note("get", [cu.cuGraphBatchMemOpNodeGetParams(node, byref(got)), got.count, got.flags, got.ctx == b.context])
    told = (c_uint64 * 18).from_address(got.paramArray or 0)
    note("got", [told[0], told[1] == b.p, told[2], told[6], told[12], told[14]])
    note("run", execute(b, graph))
    other = batch(op(WRITE32, b.p + 4, 8))
    note("set", cu.cuGraphBatchMemOpNodeSetParams(node, byref(params(other, 1))))
    note("run set", execute(b, graph))
    executable = cu.get(c_void_p, "cuGraphInstantiateWithFlags", graph, 0)
    third = batch(op(WRITE32, b.p + 8, 9))
    note("set exec", cu.cuGraphExecBatchMemOpNodeSetParams(executable, node, byref(params(third, 1))))
    zero(b)
    note("run exec", [cu.cuGraphLaunch(executable, b.stream), cu.cuStreamSynchronize(b.stream), cu.words(b.p, 4)])
    note("switch off", cu.cuGraphNodeSetEnabled(executable, node, 0))
    generic = structs.CUgraphNodeParams(type=12)
    generic.memOp.ctx, generic.memOp.count, generic.memOp.paramArray = b.context, 1, ctypes.addressof(third)
    note("generic", cu.cuGraphAddNode_v2(byref(node), graph, None, None, 0, byref(generic)))
    note("generic exec", cu.cuGraphExecNodeSetParams(executable, nodes_of(cu, graph)[0], byref(generic)))


@later_scenario
def semaphores(cu: Cu, note: Note) -> None:
    """External semaphores: what is refused without one."""
    cu.start()
    desc, made = structs.CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC(type=1), c_void_p()
    desc.handle.fd = -1
    note("import bad file", cu.cuImportExternalSemaphore(byref(made), byref(desc)) != 0)
    desc.type = 77
    note("import type 77", cu.cuImportExternalSemaphore(byref(made), byref(desc)))
    note("destroy null", cu.cuDestroyExternalSemaphore(None))
    graph, params = new_graph(cu), structs.CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v1()
    node = c_void_p()
    note("signal none", cu.cuGraphAddExternalSemaphoresSignalNode(byref(node), graph, None, 0, byref(params)))
    note("wait none", cu.cuGraphAddExternalSemaphoresWaitNode(byref(node), graph, None, 0, byref(params)))
    note("nodes", len(nodes_of(cu, graph)))


@later_scenario
def graph_memory(cu: Cu, note: Note) -> None:
    b = Bench(cu, 1)
    value = c_uint64(99)

    def attributes() -> list[Any]:
        told = []
        for number in range(4):
            told.append([cu.cuDeviceGetGraphMemAttribute(0, number, byref(value)), value.value])
        return told

    note("at first", attributes())
    note("attribute 4", cu.cuDeviceGetGraphMemAttribute(0, 4, byref(value)))
    note("attribute null", cu.cuDeviceGetGraphMemAttribute(0, 0, None))
    note("device 9", cu.cuDeviceGetGraphMemAttribute(9, 0, byref(value)))
    value.value = 0
    note("set", [cu.cuDeviceSetGraphMemAttribute(0, number, byref(value)) for number in range(5)])
    value.value = 5
    note("set 5", cu.cuDeviceSetGraphMemAttribute(0, 1, byref(value)))
    note("trim", [cu.cuDeviceGraphMemTrim(0), cu.cuDeviceGraphMemTrim(9)])

    def alloc(graph: int, nbytes: int) -> tuple[int, int, int]:
        params, node = (c_uint64 * 15)(), c_void_p()
        params[0], params[1], params[13] = 1, 1, nbytes
        code = cu.cuGraphAddMemAllocNode(byref(node), graph, None, 0, params)
        return code, node.value or 0, params[14]

    graph = new_graph(cu)
    note("alloc 0", alloc(graph, 0)[0])
    code, node, pointer = alloc(graph, 4 << 20)
    note("alloc", code)
    unfreed = cu.get(c_void_p, "cuGraphInstantiateWithFlags", graph, 0)
    note("launch", [cu.cuGraphLaunch(unfreed, b.stream), cu.cuStreamSynchronize(b.stream)])
    used = c_uint64()
    cu.cuDeviceGetGraphMemAttribute(0, 0, byref(used))
    note("used", used.value >= 4 << 20)
    note("launch again", cu.cuGraphLaunch(unfreed, b.stream))
    note("use outside", [cu.cuMemsetD32_v2(pointer, 7, 4), cu.words(pointer, 2)])
    note("free outside", cu.cuMemFree_v2(pointer))
    note("free outside twice", cu.cuMemFree_v2(pointer))
    note("launch after free", [cu.cuGraphLaunch(unfreed, b.stream), cu.cuStreamSynchronize(b.stream)])
    note("free async", [cu.cuMemFreeAsync(pointer, b.stream), cu.cuStreamSynchronize(b.stream)])
    note("update", cu.cuGraphExecUpdate_v2(unfreed, graph, (c_uint64 * 3)()))
    note("destroy alloc node", cu.cuGraphDestroyNode(node))
    automatic = new_graph(cu)
    alloc(automatic, 1 << 20)
    freed = cu.get(c_void_p, "cuGraphInstantiateWithFlags", automatic, 1)
    note("auto free", [cu.cuGraphLaunch(freed, b.stream), cu.cuGraphLaunch(freed, b.stream), cu.cuCtxSynchronize()])
    note("in child", cu.cuGraphAddChildGraphNode(out(c_void_p), new_graph(cu), None, 0, automatic))
    generic = structs.CUgraphNodeParams(type=4)
    inner = new_graph(cu)
    alloc(inner, 1 << 20)
    generic.graph.graph, generic.graph.ownership = inner, 1
    outer, moved = new_graph(cu), c_void_p()
    note("moved child", cu.cuGraphAddNode_v2(byref(moved), outer, None, None, 0, byref(generic)))
    theirs = c_void_p()
    cu.cuGraphChildGraphNodeGetGraph(moved, byref(theirs))
    note("moved graph", theirs.value == inner)
    note("moved run", execute(b, outer)[:2])
    generic.graph.graph, generic.graph.ownership = new_graph(cu), 7
    note("ownership 7", cu.cuGraphAddNode_v2(byref(moved), outer, None, None, 0, byref(generic)))


@later_scenario
def capture_into_graphs(cu: Cu, note: Note) -> None:
    b = Bench(cu, 1)
    begin = cu.cuStreamBeginCaptureToGraph
    graph = new_graph(cu)
    first = add_fill(b, graph, 1, 0)
    note("null graph", begin(b.stream, None, None, None, 0, 1))
    note("foreign dependency", begin(b.stream, graph, (c_void_p * 1)(b.node), None, 1, 1))
    note("begin", begin(b.stream, graph, (c_void_p * 1)(first), None, 1, 1))
    note("same graph twice", begin(b.free, graph, None, None, 0, 1))
    note("capturing", [cu.capturing(b.stream), cu.capturing(b.free)])
    note("add beside", cu.cuGraphAddEmptyNode(out(c_void_p), graph, None, 0))
    note("destroy beside", cu.cuGraphDestroy(graph))
    note("work", cu.cuMemsetD32Async(b.p + 4, 2, 1, b.stream))
    code, made = cu.end_capture(b.stream)
    note("end", [code, made == graph, len(nodes_of(cu, graph)) if not code else 0])
    count = c_size_t()
    note("edges", [cu.cuGraphGetEdges(graph, None, None, byref(count)), count.value] if not code else [])
    note("run", execute(b, graph) if not code else [])
    broken = new_graph(cu)
    add_fill(b, broken, 1, 0)
    note("begin to break", begin(b.stream, broken, None, None, 0, 1))
    note("break", cu.cuStreamSynchronize(b.stream))
    note("end broken", cu.end_capture(b.stream)[0])


@later_scenario
def update_pairs(cu: Cu, note: Note) -> None:
    """After an executable took over another graph, whose nodes name its places?"""
    b = Bench(cu, 1)

    def build(value: int) -> tuple[int, int, int]:
        graph = new_graph(cu)
        one = add_fill(b, graph, value, 0)
        return graph, one, add_fill(b, graph, value, 1, one)

    old, new = build(1), build(2)
    executable, info = cu.get(c_void_p, "cuGraphInstantiateWithFlags", old[0], 0), (c_uint64 * 3)()
    note("update", [cu.cuGraphExecUpdate_v2(executable, new[0], info), info[0] & 0xFFFFFFFF])
    setting = cu.cuGraphExecMemsetNodeSetParams
    note("set by old", setting(executable, old[1], fill(b, 3, 0), b.context))
    note("set by new", setting(executable, new[2], fill(b, 4, 1), b.context))
    run = lambda: [cu.cuGraphLaunch(executable, b.stream), cu.cuStreamSynchronize(b.stream), cu.words(b.p, 3)]
    zero(b)
    note("run", run())
    clone, found = c_void_p(), c_void_p()
    cu.cuGraphClone(byref(clone), old[0])
    cu.cuGraphNodeFindInClone(byref(found), old[1], clone)
    note("set by clone", setting(executable, found, fill(b, 5, 0), b.context))
    third = new_graph(cu)  # the same shape, made in the other order
    two, one = add_fill(b, third, 7, 1), add_fill(b, third, 6, 0)
    cu.cuGraphAddDependencies(third, byref(c_void_p(one)), byref(c_void_p(two)), 1)
    note("update reordered", [cu.cuGraphExecUpdate_v2(executable, third, info), info[0] & 0xFFFFFFFF])
    zero(b)
    note("run reordered", run())
    kernel = new_graph(cu)
    add_kernel(b, kernel, add_fill(b, kernel, 6, 0))
    note("update kind", [cu.cuGraphExecUpdate_v2(executable, kernel, info), info[0] & 0xFFFFFFFF])
    node, origin = info[1], info[2]
    note("named", [node in nodes_of(cu, kernel), origin in nodes_of(cu, kernel), origin == 0])
    note("run unchanged", run())
    cu.cuGraphDestroyNode(old[2])
    note("set by old of changed graph", setting(executable, old[1], fill(b, 8, 0), b.context))
    cu.cuGraphDestroy(new[0])
    note("launch", run())


@later_scenario
def instantiate_flags(cu: Cu, note: Note) -> None:
    b = Bench(cu, 1)
    flags = c_uint64()
    host = ctypes.CFUNCTYPE(None, c_void_p)(lambda data: None)
    words = (c_uint64 * 2)(ctypes.cast(host, c_void_p).value or 0, 33)

    def make(graph: int, number: int, stream: int = 0) -> list[Any]:
        params, made = (c_uint64 * 4)(number, stream, 0, 99), c_void_p()
        code = cu.cuGraphInstantiateWithParams(byref(made), graph, params)
        told = [code, params[3] & 0xFFFFFFFF, params[2] != 0]
        if code == 0:
            cu.cuGraphExecGetFlags(made, byref(flags))
            told += [flags.value, cu.cuGraphLaunch(made, b.stream), cu.cuStreamSynchronize(b.stream)]
        return told

    kernels, mixed, copies = new_graph(cu), new_graph(cu), new_graph(cu)
    add_kernel(b, kernels)
    add_kernel(b, mixed)
    cu.cuGraphAddHostNode(out(c_void_p), mixed, None, 0, words)
    add_fill(b, copies, 1, 0)
    for number in (0, 1, 2, 4, 8, 3, 5, 6, 9, 12, 13, 16):
        note(f"flags {number}", make(kernels, number, b.stream if number & 2 else 0))
    note("upload without stream", make(kernels, 2))
    note("device launch with host", make(mixed, 4))
    note("device launch with memset", make(copies, 4))
    note("device launch empty", make(new_graph(cu), 4))
    note("with flags 2", cu.cuGraphInstantiateWithFlags(out(c_void_p), kernels, 2))
    note("with flags 4", cu.cuGraphInstantiateWithFlags(out(c_void_p), kernels, 4))


@later_scenario
def node_attributes(cu: Cu, note: Note) -> None:
    b = Bench(cu, 1)
    graph = new_graph(cu)
    node, other = add_kernel(b, graph), add_kernel(b, graph)
    value = (c_uint32 * 16)()
    setting, getting = cu.cuGraphKernelNodeSetAttribute, cu.cuGraphKernelNodeGetAttribute

    def tried(number: int, *words: int) -> list[Any]:
        value[:] = [*words, *[0] * (16 - len(words))]
        code = setting(node, number, value)
        value[:] = [0] * 16
        return [code, getting(node, number, value), list(value)[:3]]

    note("defaults", {str(number): [getting(node, number, value), list(value)[:2]] for number in range(1, 17)})
    note("cooperative", tried(2, 1))
    note("cooperative off", tried(2, 0))
    note("cluster of 3", tried(4, 3, 1, 1))
    note("cluster 0", tried(4, 0, 0, 0))
    note("policy", [tried(5, policy) for policy in (0, 1, 2, 9)])
    note("programmatic", tried(6, 1))
    note("priority", [tried(8, priority) for priority in (0, 0xFFFFFFFD, 0xFFFFFF00, 7)])
    note("domain map", [tried(9, word) for word in (0x0100, 0x0001, 0x0900)])
    note("domain", [tried(10, domain) for domain in (0, 1, 2)])
    note("preferred cluster", tried(11, 1, 1, 1))
    note("carveout", [tried(14, percent) for percent in (0, 50, 100, 101, 0xFFFFFFFF)])
    note("copy", [cu.cuGraphKernelNodeCopyAttributes(other, node), getting(other, 14, value), value[0]])
    value[:] = [1] + [0] * 15
    note("updatable", [setting(node, 13, value), getting(node, 13, value), value[0]])
    note("copy updatable", cu.cuGraphKernelNodeCopyAttributes(other, node))
    note("copy to memset", cu.cuGraphKernelNodeCopyAttributes(add_fill(b, graph, 1, 0), node))

    def update(number: int, word: int) -> list[Any]:
        """Instantiated with the attribute at its default, updated from a graph that has it set."""
        before, after, info = new_graph(cu), new_graph(cu), (c_uint64 * 3)()
        add_kernel(b, before)
        value[:] = [word] + [0] * 15
        setting(add_kernel(b, after), number, value)
        executable = cu.get(c_void_p, "cuGraphInstantiateWithFlags", before, 0)
        return [cu.cuGraphExecUpdate_v2(executable, after, info), info[0] & 0xFFFFFFFF]

    note("update cooperative", update(2, 1))
    note("update priority", update(8, 0xFFFFFFFD))
    note("update domain", update(10, 1))
    note("update carveout", update(14, 50))


@later_scenario
def per_thread_twins(cu: Cu, note: Note) -> None:
    """The functions for which a null stream is the thread's own."""
    from driver_ctypes.abi.functions import prototype

    b = Bench(cu, 0)

    def twin(symbol: str, name: bytes, version: int) -> Any:
        place, found = c_void_p(), c_int()
        code = cu.cuGetProcAddress_v2(name, byref(place), version, 2, byref(found))
        assert (code, found.value) == (0, 0), f"{symbol}: {code}, {found.value}"
        return prototype(symbol)(place.value)

    begin = twin("cuStreamBeginCapture_v2", b"cuStreamBeginCapture", 10010)
    end = twin("cuStreamEndCapture", b"cuStreamEndCapture", 10000)
    fill_async = twin("cuMemsetD32Async", b"cuMemsetD32Async", 7000)
    launch = twin("cuLaunchKernel", b"cuLaunchKernel", 7000)
    note("legacy", cu.cuStreamBeginCapture_v2(None, 1))
    note("begin", begin(None, 1))
    note("work", [fill_async(b.p, 5, 1, None), launch(b.empty, 1, 1, 1, 1, 1, 1, 0, None, None, None)])
    graph = c_void_p()
    note("end", [end(None, byref(graph)), len(nodes_of(cu, graph.value or 0))])
    executable = cu.get(c_void_p, "cuGraphInstantiateWithFlags", graph, 0)
    replay, wait = (
        twin("cuGraphLaunch", b"cuGraphLaunch", 10000),
        twin("cuStreamSynchronize", b"cuStreamSynchronize", 7000),
    )
    note("launch", [replay(executable, None), wait(None), cu.words(b.p, 1)])
