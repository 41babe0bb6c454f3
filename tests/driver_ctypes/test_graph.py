"""Graphs: what is in them, and their executable form."""

import ctypes
import threading

import pytest

import driver_ctypes as dc
from driver_ctypes.abi import structs
from tests.driver_ctypes.fake import Node


@pytest.fixture
def empty(stream):
    with stream.capture() as capture:
        pass
    return capture.graph


def add(fake, graph, kind, params=None, **more):
    node = Node(kind, params, **more)
    fake.graphs[graph.handle].append(node)
    return node


def test_a_kernel_node_names_kernel_configuration_and_arguments(context, module, saxpy, stream):
    x, y = context.alloc(64), context.alloc(64)
    with stream.capture() as capture:
        saxpy.launch((4, 2), (32, 2), 16, 0.5, x, y, shared=128, cluster=(2, 1), cooperative=True, stream=stream)
        module.function("mixed").launch(1, 1, 1, -2, 3, 1.5, 2.0, 0.1, bytes(24), stream=stream)
        module.function("empty").launch(1, 1, stream=stream)
    one, two, three = capture.graph.nodes()
    assert (one.kind, one.name, one.grid, one.block, one.shared) == ("kernel", "saxpy", (4, 2, 1), (32, 2, 1), 128)
    assert (one.cluster, one.cooperative) == ((2, 1, 1), True)
    assert one.arguments == (("n", 16), ("a", 0.5), ("x", x.pointer), ("y", y.pointer))
    assert dict(two.arguments) == {"a": 1, "b": -2, "c": 3, "d": 1.5, "e": 2.0, "f": 0.1, "g": bytes(24)}
    assert (two.cluster, two.cooperative, two.shared) == (None, False, 0)
    assert (three.name, three.arguments) == ("empty", ())


def test_a_kernel_of_another_library_has_its_name_only(fake, context, module, empty):
    handle = fake.modules[module.handle]["saxpy"]
    add(fake, empty, 0, structs.CUDA_KERNEL_NODE_PARAMS_v2(handle, 1, 1, 1, 32, 1, 1, 0))
    (node,) = empty.nodes()
    assert (node.name, node.arguments) == ("saxpy", None)
    fake.lacks.add("cuFuncGetName")
    context.driver.functions.clear()
    assert empty.nodes()[0].name is None


def test_the_other_kinds(fake, context, stream, empty):
    event = context.event()
    copy = structs.CUDA_MEMCPY3D(dstDevice=0x1000, srcHost=0x2000, WidthInBytes=64, Height=2, Depth=1)
    add(fake, empty, 1, copy)
    add(fake, empty, 2, structs.CUDA_MEMSET_NODE_PARAMS_v1(0x1000, 0, 7, 4, 16, 1))
    add(fake, empty, 3, structs.CUDA_HOST_NODE_PARAMS_v1(0x3000, 0x4000))
    with stream.capture() as inner:
        pass
    add(fake, inner.graph, 5)
    add(fake, empty, 4, ctypes.c_void_p(inner.graph.handle))
    add(fake, empty, 5)
    add(fake, empty, 6, ctypes.c_void_p(event.handle))
    add(fake, empty, 7, ctypes.c_void_p(event.handle))
    add(fake, empty, 8)
    add(fake, empty, 9)
    add(fake, empty, 10, structs.CUDA_MEM_ALLOC_NODE_PARAMS_v1(bytesize=256, dptr=0x5000))
    add(fake, empty, 11, ctypes.c_uint64(0x5000))
    add(fake, empty, 12)
    add(fake, empty, 13)
    add(fake, empty, 99)
    nodes = empty.nodes()
    assert [(node.kind, dict(node.details)) for node in nodes] == [
        ("memcpy", {"dst": 0x1000, "src": 0x2000, "bytes": 128}),
        ("memset", {"dst": 0x1000, "value": 7, "element_size": 4, "width": 16, "height": 1, "pitch": 0}),
        ("host", {"function": 0x3000, "user_data": 0x4000}),
        ("graph", {"graph": inner.graph.handle}),
        ("empty", {}),
        ("wait_event", {"event": event.handle}),
        ("event_record", {"event": event.handle}),
        ("semaphore_signal", {}),
        ("semaphore_wait", {}),
        ("mem_alloc", {"pointer": 0x5000, "bytes": 256}),
        ("mem_free", {"pointer": 0x5000}),
        ("batch_mem_op", {}),
        ("conditional", {}),
        ("type_99", {}),
    ]
    assert [child.kind for child in nodes[3].children] == ["empty"]


def test_copies_and_fills_are_nodes(context, stream):
    x = context.alloc(64)
    with stream.capture() as capture:
        context.copy_to_device(x, bytes(64), stream=stream)
        context.memset(x, 7, 16, 4, stream=stream)
    copy, fill = capture.graph.nodes()
    assert (copy.kind, copy.details["dst"], copy.details["bytes"]) == ("memcpy", x.pointer, 64)
    assert (fill.kind, fill.details["value"], fill.details["element_size"]) == ("memset", 7, 4)


def test_edges(saxpy, stream):
    with stream.capture() as capture:
        for n in range(3):
            saxpy.launch(1, 1, n, 1.0, 0, 0, stream=stream)
    a, b, c = (node.handle for node in capture.graph.nodes())
    assert capture.graph.edges() == (dc.GraphEdge(a, b), dc.GraphEdge(b, c))


def test_a_graph_without_nodes(empty):
    assert empty.nodes() == ()
    assert empty.edges() == ()


def test_an_executable_graph(fake, context, saxpy, stream):
    with stream.capture() as capture:
        saxpy.launch(1, 32, 1, 1.0, 0, 0, stream=stream)
    with capture.graph.instantiate() as execution:
        execution.upload(stream)
        execution.launch(stream)
        execution.launch()
        assert [launch.stream for launch in fake.launches] == [stream.handle, 0]
    with pytest.raises(dc.ClosedError, match="graph exec is closed"):
        execution.launch(stream)
    assert (len(fake.execs), len(fake.graphs)) == (0, 1)
    assert execution.graph is capture.graph


def test_an_exec_keeps_its_graph_for_updates(fake, empty):
    execution = empty.instantiate()
    empty.close()
    assert len(fake.graphs) == 1
    execution.launch()
    execution.close()
    assert fake.graphs == {}


def test_an_instantiation_that_fails_names_the_node(fake, empty):
    add(fake, empty, 13)
    with pytest.raises(dc.CudaError, match=r"conditional node 0x[0-9a-f]+: a node's operation is not supported"):
        empty.instantiate()


def test_an_old_driver_instantiates_too(fake, context, empty):
    fake.lacks.add("cuGraphInstantiateWithParams")
    context.driver.functions.clear()
    empty.instantiate().launch()
    assert fake.counts["cuGraphInstantiateWithFlags"] == 1


def test_flags_reach_the_driver(fake, empty):
    seen = []
    instantiate = fake.cuGraphInstantiateWithParams

    def spy(out, graph, params):
        seen.append(structs.CUDA_GRAPH_INSTANTIATE_PARAMS.from_address(params).flags)
        return instantiate(out, graph, params)

    fake.cuGraphInstantiateWithParams = spy
    empty.instantiate()
    empty.instantiate(auto_free=True, use_node_priority=True)
    assert seen == [0, 1 | 8]


def test_a_fault_in_a_graph_is_said_to_be_one(fake, context, stream, empty):
    execution = empty.instantiate()
    execution.launch(stream)
    fake.sticky = 700
    with pytest.raises(dc.IllegalAddressError, match="last launch on this context: graph 0x"):
        stream.synchronize()


def test_threads_share_an_exec(fake, context, saxpy, stream):
    with stream.capture() as capture:
        saxpy.launch(1, 32, 1, 1.0, 0, 0, stream=stream)
    execution = capture.graph.instantiate()
    inside, most = [0], [0]
    launch = fake.cuGraphLaunch

    def spy(handle, stream):
        inside[0] += 1
        most[0] = max(most[0], inside[0])
        code = launch(handle, stream)
        inside[0] -= 1
        return code

    fake.cuGraphLaunch = spy
    threads = [threading.Thread(target=lambda: [execution.launch(stream) for _ in range(200)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(fake.launches) == 800
    assert most == [1], "the driver does not synchronise graph objects"
