"""Captured work keeps what it uses, by whichever name its stream goes; executables keep what their launches use."""

from __future__ import annotations

import array
import gc

import pytest

import driver_ctypes as dc
from tests.driver_ctypes.kit import PTX, SIGNATURES, filled, words


class Foreign:
    """Another library's stream."""

    def __init__(self, stream):
        self.stream = stream

    def __cuda_stream__(self):
        return 0, self.stream.handle


NAMES = {
    "the stream": lambda context, stream: stream,
    "its number": lambda context, stream: stream.handle,
    "another object": lambda context, stream: context.stream_from(stream.handle),
    "the protocol": lambda context, stream: Foreign(stream),
}


@pytest.fixture(params=NAMES)
def name(context, stream, request):
    """The stream, as the test's work names it."""
    return NAMES[request.param](context, stream)


def test_a_launch_keeps_its_memory(context, bump, stream, name):
    x = filled(context, [0] * 4)
    with stream.capture() as capture:
        bump.launch(1, 1, x, 0, 1, stream=name)
    address = x.pointer
    x.close()
    assert x in capture.graph.owners
    with capture.graph.instantiate() as execution:
        execution.launch(stream)
        assert words(context, address, 1) == [1]
    capture.graph.close()


def test_so_does_a_bound_launcher(context, bump, stream, name):
    x = filled(context, [0] * 4)
    launch = bump.bind(1, 1, stream=name)
    for _ in range(3):  # quick by now
        launch(x, 1, 1)
    with stream.capture() as capture:
        launch(x, 0, 1)
    launch(x, 1, 1)
    address = x.pointer
    x.close()
    assert x in capture.graph.owners
    with capture.graph.instantiate() as execution:
        execution.launch(stream)
        assert words(context, address, 2) == [1, 4]
    capture.graph.close()


def test_a_capture_begun_by_another_object(context, bump, stream):
    x, y = filled(context, [0] * 4), filled(context, [0] * 4)
    launch = bump.bind(1, 1, stream=stream)
    launch(y, 0, 1)
    other = context.stream_from(stream.handle)
    with other.capture() as capture:
        assert stream.capturing
        bump.launch(1, 1, x, 0, 1, stream=stream)
        launch(y, 0, 1)
    assert not stream.capturing
    assert {x, y} <= set(capture.graph.owners)
    capture.graph.close()


def test_a_stream_that_joins_by_its_number(context, bump, stream, name):
    """Neither the join nor the launch names the side stream by its object."""
    x, side = filled(context, [0] * 4), context.stream()
    launch = bump.bind(1, 1, stream=side)
    launch(x, 0, 1)
    with stream.capture() as capture:
        event = context.event(timing=False).record(name)
        context.call("cuStreamWaitEvent", side.handle, event.handle, 0)
        assert side.capturing
        launch(x, 0, 1)
        back = context.event(timing=False).record(side.handle)
        context.call("cuStreamWaitEvent", stream.handle, back.handle, 0)
    assert x in capture.graph.owners
    assert not side.capturing
    capture.graph.close()


def test_other_work_keeps_its_operands(context, stream, name):
    x, y, seen = filled(context, [0] * 4), filled(context, [5] * 4), []
    host = array.array("I", [7] * 4)
    with stream.capture() as capture:
        context.memset(x, 1, 1, 4, stream=name)
        context.copy(x.pointer + 4, y, 4, stream=name)
        context.copy_region(x.pointer + 8, host, 4, stream=name)
        context.copy_to_device(x.pointer + 12, host, 4, stream=name)
        context.stream_from(name).call(lambda: seen.append(1))
        context.stream_from(name).memory_operations(dc.write_value(y, 6))
    assert {x, y} <= set(capture.graph.owners)
    addresses = x.pointer, y.pointer
    x.close()
    y.close()
    with pytest.raises(BufferError):
        host.extend(range(1000))  # it stays where it is
    with capture.graph.instantiate() as execution:
        capture.graph.close()
        execution.launch(stream)
        assert (words(context, addresses[0], 4), words(context, addresses[1], 1)) == ([1, 5, 7, 7], [6])
    assert seen == [1]
    host.extend(range(1000))


@pytest.mark.parametrize("copy", ["copy_to_device", "copy_region"])
@pytest.mark.parametrize(
    "make",
    [bytes, bytearray, memoryview, lambda data: array.array("B", data)],
    ids=["bytes", "bytearray", "view", "array"],
)
def test_host_memory_that_nobody_else_keeps(context, stream, copy, make):
    size = 1 << 12
    x = context.alloc(size)
    with stream.capture() as capture:
        if copy == "copy_to_device":
            context.copy_to_device(x, make(bytes([9]) * size), stream=stream)
        else:
            context.copy_region(x, make(bytes([9]) * size), size, stream=stream)
    others = [bytes([number]) * size for number in range(1, 9)]  # what would lie in its place
    with capture.graph.instantiate() as execution:
        capture.graph.close()
        execution.launch(stream)
        assert set(words(context, x, size, "B")) == {9}
    del others


def test_captures_of_two_contexts(context, stream):
    """What is launched in one context is none of the other one's capture."""
    other = context.device.create_context()
    try:
        x, elsewhere = context.alloc(16), other.alloc(16)
        theirs = other.stream()
        with stream.capture() as capture:
            context.memset(x, 1, 4, 4, stream=stream)
            assert not theirs.capturing
        with theirs.capture() as second:
            assert not stream.capturing
            other.memset(elsewhere, 1, 4, 4, stream=theirs)
        assert (capture.graph.owners, second.graph.owners) == ((x,), (elsewhere,))
        capture.graph.close()
    finally:
        other.close()


# --- executables ------------------------------------------------------------------------------------------------------


def test_an_executable_keeps_what_a_removed_node_used(context, stream):
    x, graph, seen = filled(context, [0] * 4), context.graph(), []
    module = context.load(PTX, signatures=SIGNATURES)
    nodes = [
        graph.kernel(module.function("bump"), 1, 1, x, 0, 1),
        graph.memcpy(x.pointer + 4, bytes([7, 0, 0, 0])),
        graph.host(lambda: seen.append(1)),
    ]
    with graph.instantiate() as execution:
        for node in nodes:
            node.remove()
        address = x.pointer
        x.close()
        module.close()
        del x, module, nodes, node
        gc.collect()
        others = [filled(context, [0] * 4) for _ in range(4)]  # where it may have been
        execution.launch(stream)
        assert words(context, address, 2) == [1, 7]
        assert seen == [1]
    for other in others:
        assert words(context, other, 4) == [0] * 4
        other.close()
    graph.close()


def test_it_keeps_what_a_changed_node_used(context, bump, stream):
    """Each executable has the parameters of its day."""
    graph, buffers = context.graph(), [filled(context, [0]) for _ in range(3)]
    node, executions = graph.kernel(bump, 1, 1, buffers[0], 0, 1), []
    for buffer in buffers:
        graph.update(node, x=buffer)
        executions.append(graph.instantiate())
    addresses = [buffer.pointer for buffer in buffers]
    for buffer in buffers:
        buffer.close()
    graph.remove(node)
    for address, execution in zip(addresses, executions):
        execution.launch(stream)
        assert words(context, address, 1) == [1]
        execution.close()
    graph.close()


@pytest.mark.parametrize("policy", ["taken over", "made anew"])
def test_it_keeps_what_another_graph_brought(context, bump, stream, policy):
    x, graph, other = filled(context, [0]), context.graph(), context.graph()
    graph.kernel(bump, 1, 1, 0, 0, 1)
    if policy == "made anew":
        graph.empty()
    node = other.kernel(bump, 1, 1, x, 0, 1)
    with graph.instantiate() as execution:
        assert execution.update_from(other) == (policy == "taken over")
        node.remove()
        address = x.pointer
        x.close()
        execution.launch(stream)
        assert words(context, address, 1) == [1]
    graph.close()
    other.close()


def test_what_no_executable_uses_is_let_go(context, bump):
    x, y, graph = filled(context, [0]), filled(context, [0]), context.graph()
    node = graph.kernel(bump, 1, 1, x, 0, 1)
    before = context.live_handles()["buffer"]
    execution = graph.instantiate()
    execution.update(node, x=y)
    graph.remove(node)
    x.close()
    y.close()
    assert context.live_handles()["buffer"] == before
    execution.close()
    assert context.live_handles().get("buffer", 0) == before - 2
    graph.close()


@pytest.mark.parametrize("from_another", [False, True])
def test_its_updates_begin_with_what_it_has(context, bump, stream, from_another):
    """Not with what its graph was changed to meanwhile."""
    x, y, first, second = filled(context, [0] * 4), filled(context, [0] * 4), context.graph(), context.graph()
    for graph in (first, second):
        graph.kernel(bump, 1, 1, x, 0, 1, label="bump")
        graph.memset(x.pointer + 4, 2, 1, 4, label="fill")
    with first.instantiate() as execution:
        source = first
        if from_another:
            assert execution.update_from(second)
            source = second
        source.update("bump", x=y)
        source.update("fill", dst=y.pointer + 4)
        execution.update("bump", by=5)
        execution.update("fill", value=7)
        assert dict(execution.read("bump").arguments)["x"] == x.pointer
        execution.launch(stream)
        assert (words(context, x, 2), words(context, y, 2)) == ([5, 7], [0, 0])
    first.close()
    second.close()
    x.close()
    y.close()


def test_it_keeps_what_a_graph_used_that_a_capture_broke(context, bump, stream):
    x, graph = filled(context, [0]), context.graph()
    graph.kernel(bump, 1, 1, x, 0, 1)
    with graph.instantiate() as execution:
        with pytest.raises(dc.CaptureError), stream.capture(into=graph):
            with pytest.raises(dc.CaptureError):
                context.alloc(16)
        assert graph.closed
        address = x.pointer
        x.close()
        others = [filled(context, [0]) for _ in range(4)]
        execution.launch(stream)
        assert words(context, address, 1) == [1]
        assert [words(context, other, 1) for other in others] == [[0]] * 4
    assert "graph" not in context.live_handles()


def test_a_closed_executable_keeps_nothing(context, bump):
    x, graph = filled(context, [0]), context.graph()
    node = graph.kernel(bump, 1, 1, x, 0, 1)
    execution = graph.instantiate()
    execution.close()
    buffers = context.live_handles()["buffer"]
    node.remove()
    x.close()
    assert context.live_handles().get("buffer", 0) == buffers - 1
    graph.close()
    assert execution.closed
