"""Graphs, their nodes, and updates."""

from __future__ import annotations

import ctypes
import time
from ctypes import byref, c_char, c_int, c_size_t, c_uint32, c_uint64, c_void_p

from tests.ptxgen.emulated_driver.scenarios.base import (
    Bench,
    Cu,
    Note,
    kernel_params,
    out,
    scenario,
)


@scenario
def graphs(cu: Cu, note: Note) -> None:
    b = Bench(cu, 1)
    graph, count, kind = cu.get(c_void_p, "cuGraphCreate", 0), c_size_t(), c_int()
    note("create null", cu.cuGraphCreate(None, 0))
    note("create flags", cu.cuGraphCreate(out(c_void_p), 1))

    def empty_node(*dependencies: int) -> list[int]:
        node, needs = c_void_p(), (c_void_p * max(len(dependencies), 1))(*dependencies)
        return [cu.cuGraphAddEmptyNode(byref(node), graph, needs, len(dependencies)), node.value or 0]

    first = empty_node()[1]
    second = empty_node(first)[1]
    third = empty_node(first, second)[1]
    note("duplicate dependency", empty_node(first, first)[0])
    note("null dependency", cu.cuGraphAddEmptyNode(out(c_void_p), graph, None, 1))
    note("foreign dependency", empty_node(b.node or 0)[0])
    many = (c_void_p * 8)()
    note("count", [cu.cuGraphGetNodes(graph, None, byref(count)), count.value])
    count.value = 2
    note(
        "some",
        [cu.cuGraphGetNodes(graph, many, byref(count)), count.value, many[0] == first, many[1] == second, many[2]],
    )
    count.value = 8
    note("more", [cu.cuGraphGetNodes(graph, many, byref(count)), count.value, many[3]])
    note("count null", cu.cuGraphGetNodes(graph, many, None))
    note("roots", [cu.cuGraphGetRootNodes(graph, None, byref(count)), count.value])
    note("edges", [cu.cuGraphGetEdges(graph, None, None, byref(count)), count.value])
    left, right = (c_void_p * 8)(), (c_void_p * 8)()
    count.value = 8
    cu.cuGraphGetEdges(graph, left, right, byref(count))
    order = {first: 1, second: 2, third: 3}
    note("edge order", [[order[left[i] or 0], order[right[i] or 0]] for i in range(count.value)])
    note("dependencies", [cu.cuGraphNodeGetDependencies(third, None, byref(count)), count.value])
    note("dependents", [cu.cuGraphNodeGetDependentNodes_v2(first, None, None, byref(count)), count.value])
    note("kind", [cu.cuGraphNodeGetType(first, byref(kind)), kind.value])
    pair = lambda x, y: (byref(c_void_p(x)), byref(c_void_p(y)), 1)
    note("add edge twice", cu.cuGraphAddDependencies(graph, *pair(first, second)))
    note("add cycle", cu.cuGraphAddDependencies(graph, *pair(third, first)))
    note("add self", cu.cuGraphAddDependencies(graph, *pair(third, third)))
    note("instantiate", cu.cuGraphInstantiateWithFlags(out(c_void_p), graph, 0))
    note("remove edge", cu.cuGraphRemoveDependencies(graph, *pair(first, third)))
    note("remove edge twice", cu.cuGraphRemoveDependencies(graph, *pair(first, third)))
    note(
        "destroy node",
        [cu.cuGraphDestroyNode(second), cu.cuGraphGetEdges(graph, None, None, byref(count)), count.value],
    )
    clone = c_void_p()
    note("clone", [cu.cuGraphClone(byref(clone), graph), cu.cuGraphGetNodes(clone, None, byref(count)), count.value])
    found = c_void_p()
    note(
        "find in clone",
        [cu.cuGraphNodeFindInClone(byref(found), first, clone), bool(found.value), found.value == first],
    )
    note("find in other", cu.cuGraphNodeFindInClone(byref(found), first, graph))
    note("instantiate flags", cu.cuGraphInstantiateWithFlags(out(c_void_p), graph, 64))
    note("instantiate null", cu.cuGraphInstantiateWithFlags(None, graph, 0))
    note("destroy", [cu.cuGraphDestroy(clone), cu.cuGraphDestroy(graph), cu.cuGraphDestroy(None)])
    note("executable null", [cu.cuGraphLaunch(None, b.stream), cu.cuGraphExecDestroy(None)])


@scenario
def graph_nodes(cu: Cu, note: Note) -> None:
    b = Bench(cu, 1)
    graph, node, count = cu.get(c_void_p, "cuGraphCreate", 0), c_void_p(), c_size_t()
    params = kernel_params(b.increment, b.slots)
    note("kernel", cu.cuGraphAddKernelNode_v2(byref(node), graph, None, 0, params))
    kernel = node.value
    note("kernel null", cu.cuGraphAddKernelNode_v2(byref(node), graph, None, 0, None))
    note("kernel without function", cu.cuGraphAddKernelNode_v2(byref(node), graph, None, 0, kernel_params(0, b.slots)))
    note(
        "kernel without slots",
        cu.cuGraphAddKernelNode_v2(byref(node), graph, None, 0, kernel_params(b.increment, None)),
    )
    note(
        "kernel wrong block",
        cu.cuGraphAddKernelNode_v2(byref(node), graph, None, 0, kernel_params(b.increment, b.slots, 1, 2000)),
    )
    note(
        "kernel no grid",
        cu.cuGraphAddKernelNode_v2(byref(node), graph, None, 0, kernel_params(b.increment, b.slots, 0)),
    )
    # the node has its own copy of the arguments
    b.value.value = 1
    got = (c_uint64 * 9)()
    note(
        "kernel params",
        [
            cu.cuGraphKernelNodeGetParams_v2(kernel, got),
            got[0] == b.increment,
            list((c_uint32 * 7).from_buffer(got, 8)),
        ],
    )
    slot = c_uint64.from_address(got[5]).value
    note("kernel argument", c_uint64.from_address(slot).value == b.p)
    note("kernel extra", got[6])
    before = (c_void_p * 1)(kernel)
    memset = (c_uint64 * 5)(b.p, 0, 1 | (4 << 32), 4, 1)
    note("memset", cu.cuGraphAddMemsetNode(byref(node), graph, before, 1, memset, b.context))
    setter = node.value
    memset[2] = 1 | (3 << 32)
    note("memset element 3", cu.cuGraphAddMemsetNode(byref(node), graph, before, 1, memset, b.context))
    memset[2] = 1 | (4 << 32)
    memset[0] = 0x1234
    note("memset wild", cu.cuGraphAddMemsetNode(byref(node), graph, before, 1, memset, b.context))
    copy = (c_uint64 * 25)()
    copy[4], copy[6], copy[15], copy[17] = 2, b.p, 2, b.p + 128  # device to device
    copy[22], copy[23], copy[24] = 16, 1, 1
    needs = (c_void_p * 1)(setter)
    note("memcpy", cu.cuGraphAddMemcpyNode(byref(node), graph, needs, 1, copy, b.context))
    copier = node.value
    copy[6] = 0x1234
    note("memcpy wild", cu.cuGraphAddMemcpyNode(byref(node), graph, needs, 1, copy, b.context))
    ran: list[int] = []
    host = ctypes.CFUNCTYPE(None, c_void_p)(lambda data: ran.append(int(data or 0)))
    words = (c_uint64 * 2)(ctypes.cast(host, c_void_p).value or 0, 33)
    note("host", cu.cuGraphAddHostNode(byref(node), graph, (c_void_p * 1)(copier), 1, words))
    hosted = node.value
    note("host null", cu.cuGraphAddHostNode(byref(node), graph, None, 0, (c_uint64 * 2)(0, 1)))
    note("event record", cu.cuGraphAddEventRecordNode(byref(node), graph, (c_void_p * 1)(hosted), 1, b.timed))
    note("event wait", cu.cuGraphAddEventWaitNode(byref(node), graph, None, 0, b.recorded))
    note("event null", cu.cuGraphAddEventWaitNode(byref(node), graph, None, 0, None))
    note("child", cu.cuGraphAddChildGraphNode(byref(node), graph, None, 0, b.graph))
    child = node.value
    inner = c_void_p()
    note(
        "child graph",
        [cu.cuGraphChildGraphNodeGetGraph(child, byref(inner)), bool(inner.value), inner.value == b.graph],
    )
    note("child null", cu.cuGraphAddChildGraphNode(byref(node), graph, None, 0, None))
    generic = (c_uint64 * 32)()
    generic[0] = 5
    note("generic empty", cu.cuGraphAddNode_v2(byref(node), graph, None, None, 0, generic))
    generic[0], generic[2] = 0, 0
    for index in range(9):
        generic[2 + index] = params[index]
    b.value.value = b.p
    note("generic kernel", cu.cuGraphAddNode_v2(byref(node), graph, (c_void_p * 1)(copier), None, 1, generic))
    generic[31] = 7
    note("generic reserved", cu.cuGraphAddNode_v2(byref(node), graph, None, None, 0, generic))
    generic[31] = 0
    generic[0] = 77
    note("generic type 77", cu.cuGraphAddNode_v2(byref(node), graph, None, None, 0, generic))
    kinds, many, kind = [], (c_void_p * 32)(), c_int()
    count.value = 32
    cu.cuGraphGetNodes(graph, many, byref(count))
    for index in range(count.value):
        cu.cuGraphNodeGetType(many[index], byref(kind))
        kinds.append(kind.value)
    note("kinds", kinds)
    note("wrong kind", [cu.cuGraphKernelNodeGetParams_v2(setter, got), cu.cuGraphMemsetNodeGetParams(kernel, memset),
                        cu.cuGraphChildGraphNodeGetGraph(kernel, byref(inner))])  # fmt: skip
    back = (c_uint64 * 5)()
    note("memset params", [cu.cuGraphMemsetNodeGetParams(setter, back), back[0] == b.p, list(back)[1:]])
    whole = (c_uint64 * 25)()
    note("memcpy params", [cu.cuGraphMemcpyNodeGetParams(copier, whole), whole[17] == b.p + 128, list(whole)[22:]])
    pair = (c_uint64 * 2)()
    note("host params", [cu.cuGraphHostNodeGetParams(hosted, pair), list(pair) == list(words)])
    out = c_void_p()
    note("event of node", [cu.cuGraphEventRecordNodeGetEvent(many[4], byref(out)), out.value == b.timed])
    cu.cuMemsetD8_v2(b.p, 0, 256)
    executable = cu.get(c_void_p, "cuGraphInstantiateWithFlags", graph, 0)
    note("run", [cu.cuGraphLaunch(executable, b.stream), cu.cuStreamSynchronize(b.stream), ran])
    note("memory", [cu.words(b.p, 6), cu.words(b.p + 128, 4)])
    note("upload", cu.cuGraphUpload(executable, b.stream))
    flags = c_uint64()
    note("flags", [cu.cuGraphExecGetFlags(executable, byref(flags)), flags.value])
    # updates
    other = cu.alloc(256)
    cu.cuMemsetD8_v2(other, 0, 256)
    b.value.value = other
    note(
        "set exec kernel",
        cu.cuGraphExecKernelNodeSetParams_v2(executable, kernel, kernel_params(b.increment, b.slots)),
    )
    note(
        "set exec kernel wrong",
        cu.cuGraphExecKernelNodeSetParams_v2(executable, setter, kernel_params(b.increment, b.slots)),
    )
    note(
        "set exec other kernel", cu.cuGraphExecKernelNodeSetParams_v2(executable, kernel, kernel_params(b.empty, None))
    )
    note(
        "set exec kernel back",
        cu.cuGraphExecKernelNodeSetParams_v2(executable, kernel, kernel_params(b.increment, b.slots)),
    )
    note("run updated", [cu.cuGraphLaunch(executable, b.stream), cu.cuStreamSynchronize(b.stream), cu.words(other, 2)])
    enabled = c_uint32()
    note(
        "disable",
        [
            cu.cuGraphNodeSetEnabled(executable, kernel, 0),
            cu.cuGraphNodeGetEnabled(executable, kernel, byref(enabled)),
            enabled.value,
        ],
    )
    note("disable host", cu.cuGraphNodeSetEnabled(executable, hosted, 0))
    note("run disabled", [cu.cuGraphLaunch(executable, b.stream), cu.cuStreamSynchronize(b.stream), cu.words(other, 2)])
    info = (c_uint64 * 3)()
    note("update same", [cu.cuGraphExecUpdate_v2(executable, graph, info), info[0] & 0xFFFFFFFF, info[1]])
    note("update different", [cu.cuGraphExecUpdate_v2(executable, b.graph, info), info[0] & 0xFFFFFFFF])
    cu.cuGraphKernelNodeSetParams_v2(kernel, kernel_params(b.empty, None))
    note("update function", [cu.cuGraphExecUpdate_v2(executable, graph, info), info[0] & 0xFFFFFFFF])
    value = (c_uint32 * 16)()
    note("attribute priority", [cu.cuGraphKernelNodeGetAttribute(kernel, 8, value), value[0]])
    value[:] = [2, 1, 1] + [0] * 13
    note(
        "attribute cluster",
        [
            cu.cuGraphKernelNodeSetAttribute(kernel, 4, value),
            cu.cuGraphKernelNodeGetAttribute(kernel, 4, value),
            value[0],
        ],
    )
    note("attribute unknown", cu.cuGraphKernelNodeSetAttribute(kernel, 99, value))
    note("attribute of memset", cu.cuGraphKernelNodeGetAttribute(setter, 8, value))
    note(
        "destroy",
        [
            cu.cuGraphDestroy(graph),
            cu.cuGraphLaunch(executable, b.stream),
            cu.cuStreamSynchronize(b.stream),
            cu.cuGraphExecDestroy(executable),
        ],
    )
    parameters = (c_uint64 * 4)(0, 0, 0, 99)
    made = c_void_p()
    note("with params", [cu.cuGraphInstantiateWithParams(byref(made), b.graph, parameters), parameters[3] & 0xFFFFFFFF])
    note(
        "empty graph",
        [
            cu.cuGraphInstantiateWithFlags(byref(made), cu.get(c_void_p, "cuGraphCreate", 0), 0),
            cu.cuGraphLaunch(made, b.stream),
        ],
    )


@scenario
def graph_updates(cu: Cu, note: Note) -> None:
    """Whole-graph updates: what passes, and what is said when not."""
    b = Bench(cu, 1)
    info = (c_uint64 * 3)()

    def graph(*kinds: str, chain: bool = True) -> int:
        made = int(cu.get(c_void_p, "cuGraphCreate", 0))
        last: int | None = None
        for kind in kinds:
            node, needs, number = c_void_p(), (c_void_p * 1)(last), int(chain and last is not None)
            memset = (c_uint64 * 5)(b.p, 0, 1 | (4 << 32), 4, 1)
            if kind == "kernel":
                code = cu.cuGraphAddKernelNode_v2(byref(node), made, needs, number, kernel_params(b.empty, None))
            elif kind == "big":
                code = cu.cuGraphAddKernelNode_v2(
                    byref(node), made, needs, number, kernel_params(b.empty, None, 7, 128)
                )
            elif kind == "increment":
                code = cu.cuGraphAddKernelNode_v2(byref(node), made, needs, number, kernel_params(b.increment, b.slots))
            elif kind == "memset":
                code = cu.cuGraphAddMemsetNode(byref(node), made, needs, number, memset, b.context)
            elif kind == "wide":
                memset[3] = 8
                code = cu.cuGraphAddMemsetNode(byref(node), made, needs, number, memset, b.context)
            elif kind == "child":
                code = cu.cuGraphAddChildGraphNode(byref(node), made, needs, number, b.graph)
            else:
                code = cu.cuGraphAddEmptyNode(byref(node), made, needs, number)
            assert code == 0, kind
            last = node.value
        return made

    def update(old: int, new: int) -> list[int]:
        executable = cu.get(c_void_p, "cuGraphInstantiateWithFlags", old, 0)
        info[0] = info[1] = info[2] = 0
        code = cu.cuGraphExecUpdate_v2(executable, new, info)
        return [
            code,
            info[0] & 0xFFFFFFFF,
            int(info[1] != 0),
            int(info[2] != 0),
            cu.cuGraphLaunch(executable, b.stream),
        ]

    note("same", update(graph("kernel", "memset"), graph("kernel", "memset")))
    note("grid", update(graph("kernel"), graph("big")))
    note("function", update(graph("kernel"), graph("increment")))
    note("kind", update(graph("kernel", "memset"), graph("kernel", "kernel")))
    note("order", update(graph("kernel", "memset"), graph("memset", "kernel")))
    note("more", update(graph("kernel"), graph("kernel", "kernel")))
    note("fewer", update(graph("kernel", "kernel"), graph("kernel")))
    note("edge", update(graph("kernel", "kernel"), graph("kernel", "kernel", chain=False)))
    note("memset width", update(graph("memset"), graph("wide")))
    note("child", update(graph("child", "kernel"), graph("child", "kernel")))
    note(
        "null",
        [cu.cuGraphExecUpdate_v2(None, graph("kernel"), info), cu.cuGraphExecUpdate_v2(b.executable, None, info)],
    )
    old = graph("kernel", "memset")
    executable = cu.get(c_void_p, "cuGraphInstantiateWithFlags", old, 0)
    nodes, number = (c_void_p * 2)(), c_size_t(2)
    cu.cuGraphGetNodes(old, nodes, byref(number))
    memset = (c_uint64 * 5)(b.p, 0, 9 | (4 << 32), 2, 1)
    note("set memset", cu.cuGraphExecMemsetNodeSetParams(executable, nodes[1], memset, b.context))
    cu.cuGraphLaunch(executable, b.stream)
    cu.cuStreamSynchronize(b.stream)
    note("set memset runs", cu.words(b.p, 3))
    note(
        "set memset wild",
        cu.cuGraphExecMemsetNodeSetParams(
            executable, nodes[1], (c_uint64 * 5)(0x1234, 0, 9 | (4 << 32), 2, 1), b.context
        ),
    )
    note(
        "node of another graph", cu.cuGraphExecKernelNodeSetParams_v2(executable, b.node, kernel_params(b.empty, None))
    )
    cu.cuGraphDestroyNode(nodes[1])
    note("launch without node", [cu.cuGraphLaunch(executable, b.stream), cu.cuStreamSynchronize(b.stream)])
    cu.cuGraphDestroy(old)
    note("launch without graph", [cu.cuGraphLaunch(executable, b.stream), cu.cuStreamSynchronize(b.stream)])
    made = cu.get(c_void_p, "cuGraphCreate", 0)
    log = (c_char * 512)()
    cycle = graph("kernel", "kernel")
    cu.cuGraphGetNodes(cycle, nodes, byref(number))
    cu.cuGraphAddDependencies(cycle, byref(c_void_p(nodes[1])), byref(c_void_p(nodes[0])), 1)
    params = (c_uint64 * 4)(0, 0, 0, 99)
    made2 = c_void_p()
    note(
        "cycle", [cu.cuGraphInstantiateWithParams(byref(made2), cycle, params), params[3] & 0xFFFFFFFF, params[2] != 0]
    )
    note("cycle v2", [cu.cuGraphInstantiate_v2(byref(made2), cycle, None, log, 512), len(log.value) > 0])
    memory = (c_uint64 * 15)()
    memory[0], memory[1] = 1, 1  # pinned, on device 0
    memory[13] = 4096
    note("alloc node", [cu.cuGraphAddMemAllocNode(byref(made2), made, None, 0, memory), memory[14] != 0])
    fill = (c_uint64 * 5)(memory[14], 0, 9 | (4 << 32), 2, 1)
    node, needs = c_void_p(), (c_void_p * 1)(made2.value)
    note("use of alloc node", cu.cuGraphAddMemsetNode(byref(node), made, needs, 1, fill, b.context))
    needs[0] = node.value
    note("free node", cu.cuGraphAddMemFreeNode(byref(node), made, needs, 1, memory[14]))
    note("free node twice", cu.cuGraphAddMemFreeNode(byref(node), made, needs, 1, memory[14]))
    note("free node of plain", cu.cuGraphAddMemFreeNode(byref(node), made, needs, 1, b.p))
    executable = cu.get(c_void_p, "cuGraphInstantiateWithFlags", made, 0)
    note("second executable", cu.cuGraphInstantiateWithFlags(byref(made2), made, 0))
    note("clone with memory", cu.cuGraphClone(byref(made2), made))
    note(
        "run memory",
        [
            cu.cuGraphLaunch(executable, b.stream),
            cu.cuGraphLaunch(executable, b.stream),
            cu.cuStreamSynchronize(b.stream),
        ],
    )
    kind = c_uint32()
    note("pointer of graph", [cu.cuPointerGetAttribute(byref(kind), 2, memory[14]), cu.cuMemFree_v2(memory[14])])


@scenario
def user_objects(cu: Cu, note: Note) -> None:
    b = Bench(cu, 1)
    gone: list[int] = []
    destroy = ctypes.CFUNCTYPE(None, c_void_p)(lambda thing: gone.append(int(thing or 0)))
    first, second = c_void_p(), c_void_p()
    note(
        "create",
        [
            cu.cuUserObjectCreate(byref(first), 11, destroy, 1, 1),
            cu.cuUserObjectCreate(byref(second), 22, destroy, 3, 1),
        ],
    )
    note("create flags 0", cu.cuUserObjectCreate(byref(c_void_p()), 11, destroy, 1, 0))
    note("create count 0", cu.cuUserObjectCreate(byref(c_void_p()), 11, destroy, 0, 1))
    note(
        "create null",
        [cu.cuUserObjectCreate(None, 11, destroy, 1, 1), cu.cuUserObjectCreate(byref(c_void_p()), 11, None, 1, 1)],
    )
    note("retain", [cu.cuUserObjectRetain(first, 2), cu.cuUserObjectRelease(first, 2), gone])
    note("graph", [cu.cuGraphRetainUserObject(b.graph, first, 1, 1), cu.cuGraphRetainUserObject(b.graph, second, 1, 0)])
    note("graph release", [cu.cuGraphReleaseUserObject(b.graph, second, 1), cu.cuUserObjectRelease(second, 3)])
    executable = cu.get(c_void_p, "cuGraphInstantiateWithFlags", b.graph, 0)
    note("graph destroyed", cu.cuGraphDestroy(b.graph))
    note("still there", cu.cuGraphLaunch(executable, b.stream))
    cu.cuStreamSynchronize(b.stream)
    note("executable destroyed", cu.cuGraphExecDestroy(executable))
    cu.cuCtxSynchronize()
    time.sleep(0.2)  # a thread of the driver calls the functions
    note("gone", sorted(gone))


@scenario
def graph_drawing(cu: Cu, note: Note) -> None:
    b = Bench(cu, 1)
    note("nowhere", cu.cuGraphDebugDotPrint(b.graph, b"/nowhere/at/all.dot", 0))
    note("null", [cu.cuGraphDebugDotPrint(b.graph, None, 0), cu.cuGraphDebugDotPrint(None, b"/dev/null", 0)])
    note("somewhere", cu.cuGraphDebugDotPrint(b.graph, b"/dev/null", 0))
