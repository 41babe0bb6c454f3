"""What other systems promise of their graphs (CapturedCudaGraph, CudaGraph, CudaGraphExec): capture, replay, update."""

from __future__ import annotations

import pytest

import driver_ctypes as dc
from tests.driver_ctypes.kit import filled, words


def test_100_replays_of_add_one_from_1_give_101(context, module, stream):
    x = filled(context, [1.0] * 64, "f")
    with stream.capture() as capture:
        module.function("add_one").launch(1, 64, x, 64, stream=stream)
    assert words(context, x, 64, "f") == [1.0] * 64, "capturing does not execute"
    execution = capture.graph.instantiate()
    for _ in range(100):
        execution.launch(stream)
    stream.synchronize()
    assert words(context, x, 64, "f") == [101.0] * 64


def test_a_graph_of_20_launches_replays_100_times(context, module, stream):
    x = filled(context, range(256))
    launcher = module.function("add").bind(1, 256, stream=stream)
    with stream.capture() as capture:
        for k in range(20):
            launcher(x, 256, k)
    assert words(context, x, 2) == [0, 1]
    execution = capture.graph.instantiate()
    execution.upload(stream)
    for _ in range(100):
        execution.launch(stream)
    stream.synchronize()
    assert words(context, x, 256) == [i + 100 * 190 for i in range(256)]


def test_an_empty_capture_replays(context, stream):
    with stream.capture() as capture:
        pass
    execution = capture.graph.instantiate()
    for _ in range(10):
        execution.launch(stream)
    stream.synchronize()
    assert (len(capture.graph), capture.graph.nodes()) == (0, ())


def test_an_empty_graph_instantiates(context, stream):
    for _ in range(10):
        with context.graph() as graph, graph.instantiate() as execution:
            execution.launch(stream)
            stream.synchronize()


@pytest.mark.parametrize("mode", ["global", "thread_local", "relaxed"])
def test_every_mode_captures(context, put, stream, mode):
    x = filled(context, [0])
    with stream.capture(mode) as capture:
        put.launch(1, 1, x, 0, 7, stream=stream)
    capture.graph.instantiate().launch(stream)
    assert words(context, x, 1) == [7]


def test_each_step_is_captured_anew_and_the_executable_updated(context, put, stream):
    """One executable, and a capture for each step: its arguments change, its form does not."""
    x = filled(context, [0] * 8)
    execution = None
    for step in range(8):
        with stream.capture() as capture:
            put.launch(1, 1, x, step, step * step, stream=stream)
        if execution is None:
            execution = capture.graph.instantiate()
        else:
            assert execution.update_from(capture.graph)
        execution.launch(stream)
    stream.synchronize()
    assert words(context, x, 8) == [step * step for step in range(8)]


def test_a_changed_topology_is_found_and_the_executable_made_anew(context, put, stream):
    x = filled(context, [0, 0])
    graphs = []
    for count in (1, 2):
        with stream.capture() as capture:
            for slot in range(count):
                put.launch(1, 1, x, slot, 5, stream=stream)
        graphs.append(capture.graph)
    execution = graphs[0].instantiate()
    assert execution.update_from(graphs[1]) is False
    execution.launch(stream)
    assert words(context, x, 2) == [5, 5]
    assert execution.graph is graphs[1]
    with pytest.raises(dc.GraphUpdateError, match=r"topology changed.*2 nodes before, 1 now") as caught:
        execution.update_from(graphs[0], policy="raise")
    assert caught.value.result == 2
    execution.launch(stream)
    stream.synchronize()


def test_kernel_parameters_are_read_and_set(context, module, put, stream):
    x = filled(context, [0, 0])
    with stream.capture() as capture:
        put.launch(1, 1, x, 0, 1, stream=stream)
    (node,) = capture.graph.nodes()
    assert (node.name, node.arguments) == ("put", (("x", x.pointer), ("slot", 0), ("value", 1)))
    execution = capture.graph.instantiate()
    execution.update(node, slot=1, value=9)
    assert execution.read("put").arguments == (("x", x.pointer), ("slot", 1), ("value", 9))
    assert capture.graph.nodes()[0].arguments == node.arguments, "the graph itself is as it was"
    execution.launch(stream)
    assert words(context, x, 2) == [0, 9]


def test_memset_parameters_are_read_and_set(context, stream):
    x = filled(context, [0] * 4)
    with stream.capture() as capture:
        context.memset(x, 3, 2, 4, stream=stream)
    (node,) = capture.graph.nodes()
    assert {"value": 3, "width": 2, "element_size": 4, "dst": x.pointer}.items() <= node.details.items()
    execution = capture.graph.instantiate()
    execution.update(node, value=8)
    execution.update(node, dst=x.pointer + 8)
    assert (execution.read(node).details["value"], execution.read(node).details["dst"]) == (8, x.pointer + 8)
    execution.launch(stream)
    assert words(context, x, 4) == [0, 0, 8, 8]


def test_executables_that_kernels_may_launch(context, put, stream):
    graph = context.graph()
    first = graph.kernel(put, 1, 1, 0, 0, 1)
    with graph.instantiate(device_launch=True, upload=stream) as execution:
        assert execution.flags == 4
    graph.host(int, after=first, label="call")
    with pytest.raises(dc.CudaError, match=r"host node int \('call'\): a node's operation is not supported"):
        graph.instantiate(device_launch=True)
    graph.close()
