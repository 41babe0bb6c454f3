"""What graphs keep alive and let go of; memory that is a graph's own."""

from __future__ import annotations

import gc
from functools import partial

import pytest

import driver_ctypes as dc
from tests.driver_ctypes.kit import PTX, SIGNATURES, filled, words


def test_the_graph_owns_its_buffers_and_code(context, stream):
    x = filled(context, [1])
    function = context.load(PTX, signatures=SIGNATURES).function("add")
    with stream.capture() as capture:
        function.launch(1, 32, x, 1, 1, stream=stream)
    execution = capture.graph.instantiate()
    address = x.pointer
    x.close()
    function.module.close()
    del x, function, capture
    gc.collect()
    context.synchronize()
    for _ in range(3):
        execution.launch(stream)
    stream.synchronize()
    assert words(context, address, 1) == [4]
    execution.close()


def test_a_graph_keeps_what_its_nodes_use(context, stream):
    x, graph = filled(context, [0]), context.graph()
    function = context.load(PTX, signatures=SIGNATURES).function("put")
    event, source = context.event(), bytearray(b"\7\0\0\0")
    written = graph.kernel(function, 1, 1, x, 0, 1)
    graph.record(event, after=graph.memcpy(x, source, after=written))
    execution = graph.instantiate()
    address = x.pointer
    x.close()
    event.close()
    function.module.close()
    with pytest.raises(BufferError):
        source.append(1)  # host memory is held in place
    del x, function, event, written
    gc.collect()
    graph.close()
    execution.launch(stream)
    assert words(context, address, 1) == [7]
    execution.close()
    source.append(1)


def test_host_functions_replaced_while_they_may_run(context, stream):
    seen, graph = [], context.graph()
    graph.host(lambda: seen.append(0), label="call")
    execution = graph.instantiate()
    for number in range(1, 50):
        execution.launch(stream)
        execution.update("call", function=lambda number=number: seen.append(number))
    execution.launch(stream)
    execution.close()
    assert seen == list(range(50)), "closing waits for the calls under way"
    graph.close()


WAYS = {
    "bound": lambda execution, stream: execution.bind(stream),
    "bound to the default stream": lambda execution, stream: execution.bind(None),
    "on a stream": lambda execution, stream: partial(execution.launch, stream),
    "on the default stream": lambda execution, stream: execution.launch,
    "by handle": lambda execution, stream: partial(execution.launch, stream.handle),
}


@pytest.mark.parametrize("way", WAYS)
def test_launches_again_are_quick_and_checked(context, put, bump, stream, way):
    x = filled(context, [0])
    with stream.capture() as capture:
        bump.launch(1, 1, x, 0, 1, stream=stream)
    execution = capture.graph.instantiate()
    launch = WAYS[way](execution, stream)
    for _ in range(10):
        launch()
    execution.update("bump", by=5)
    launch()
    assert words(context, x, 1) == [15]
    with stream.capture() as two:
        bump.launch(1, 1, x, 0, 1, stream=stream)
        bump.launch(1, 1, x, 0, 1, stream=stream)
    assert execution.update_from(two.graph) is False
    launch()
    assert words(context, x, 1) == [17]
    execution.close()
    with pytest.raises(dc.ClosedError):
        launch()


@pytest.mark.parametrize("way", WAYS)
def test_launches_go_to_their_own_context_and_into_no_capture(context, bump, stream, way):
    x = filled(context, [0])
    with stream.capture() as capture:
        bump.launch(1, 1, x, 0, 1, stream=stream)
    own = context.device.create_context()
    with capture.graph.instantiate() as execution:
        launch = WAYS[way](execution, stream)
        for _ in range(3):
            launch()
        context.driver.call("cuCtxSetCurrent", own.handle)
        for _ in range(3):
            launch()
        context.driver.call("cuCtxSetCurrent", context.handle)
        launch()
        assert words(context, x, 1) == [7]
        if "default" not in way:  # which no capture takes
            with pytest.raises(dc.CaptureError), stream.capture():
                launch()
            assert words(context, x, 1) == [7]
            launch()
            assert words(context, x, 1) == [8]
    own.close()


def test_launches_on_several_streams_end_before_what_they_use(context, stream):
    graph = context.graph()
    graph.memcpy(bytearray(4), filled(context, [3]))  # host memory: closing waits
    execution = graph.instantiate()
    with context.stream() as other:
        bound = execution.bind(stream)
        for _ in range(3):
            bound()
            execution.launch(other)
        bound()
        execution.close()
        assert stream.query()
        assert other.query()
    graph.close()


def test_memory_of_a_graph_is_used_counted_and_freed(context, put, stream):
    x, graph = filled(context, [0]), context.graph()
    memory = graph.alloc(4 << 20, label="scratch")
    node = graph.kernel(put, 1, 1, memory, 0, 77, after=memory)
    graph.memcpy(x, memory, 4, after=node)
    dc.reset_graph_memory_high(context.device)
    execution = graph.instantiate()
    execution.launch(stream)
    stream.synchronize()
    assert words(context, x, 1) == [77]
    used = dc.graph_memory(context.device)
    assert used.used >= 4 << 20
    assert used.used_high >= used.used
    with pytest.raises(dc.CudaError):
        execution.launch(stream)  # what the first launch allocated is still there
    context.call("cuMemFree_v2", memory.pointer)
    execution.launch(stream)
    stream.synchronize()
    context.call("cuMemFree_v2", memory.pointer)
    execution.close()
    with graph.instantiate(auto_free=True) as freeing:
        assert freeing.flags == 1
        for _ in range(3):
            freeing.launch(stream)
        stream.synchronize()
    with pytest.raises(dc.NotSupportedError):
        graph.remove(memory)
    graph.close()
    dc.trim_graph_memory(context.device)


def test_a_graph_with_memory_becomes_a_child_by_moving(context, put, stream):
    x, outer, inner = filled(context, [0]), context.graph(), context.graph()
    memory = inner.alloc(1024)
    node = inner.kernel(put, 1, 1, memory, 0, 5, after=memory, label="inside")
    copied = inner.memcpy(x, memory, 4, after=node)
    inner.free(memory, after=copied)
    with pytest.raises(dc.NotSupportedError):
        outer.child(inner)
    child = outer.child(inner, move=True, label="moved")
    assert inner.closed
    assert [one.kind for one in child.child.nodes()] == ["mem_alloc", "kernel", "memcpy", "mem_free"]
    outer.instantiate().launch(stream)
    assert words(context, x, 1) == [5]
    assert outer.read("inside").name == "put"
    outer.close()
