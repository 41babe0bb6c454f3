"""Capturing a stream: it always ends, its owners live on, and what broke it is named."""

import ctypes
import gc
import threading

import pytest

import driver_ctypes as dc
from tests.driver_ctypes.conftest import PTX, SIGNATURES


def test_captured_work_does_not_run_and_its_graph_does(fake, context, saxpy, stream):
    x, y = context.alloc(64), context.alloc(64)
    with stream.capture() as capture:
        assert stream.capturing
        for n in range(20):
            saxpy.launch(2, 32, n, 0.5, x, y, stream=stream)
    assert not stream.capturing
    assert fake.launches == []
    execution = capture.graph.instantiate()
    for _ in range(100):
        execution.launch(stream)
    assert len(fake.launches) == 2000
    assert [launch.args[0][0] for launch in fake.launches[-20:]] == list(range(20))


def test_the_mode_is_thread_local_unless_asked_otherwise(fake, context, stream):
    modes = []
    begin = fake.cuStreamBeginCapture_v2
    fake.cuStreamBeginCapture_v2 = lambda stream, mode: modes.append(mode) or begin(stream, mode)
    for mode in ("thread_local", "global", "relaxed"):
        with stream.capture(mode):
            pass
    with stream.capture():
        pass
    assert modes == [1, 0, 2, 1]
    with pytest.raises(dc.CaptureError, match="no capture mode 'local'"):
        stream.capture("local")


def test_a_body_that_raises_leaves_stream_and_device_usable(fake, context, saxpy, stream):
    x = context.alloc(64)
    capture = stream.capture()
    with pytest.raises(ZeroDivisionError), capture:
        saxpy.launch(1, 32, 1, 1.0, x, x, stream=stream)
        raise ZeroDivisionError
    assert not stream.capturing
    assert fake.capturing == fake.graphs == {}
    with pytest.raises(dc.CaptureError, match="nothing was captured"):
        capture.graph
    stream.synchronize()
    saxpy.launch(1, 32, 1, 1.0, x, x, stream=stream)
    x.close()
    assert fake.memory == {}
    with stream.capture():
        pass


def test_a_launch_that_fails_inside_the_body(fake, context, saxpy, stream):
    fake.fail("cuLaunchKernelEx", 701)
    with pytest.raises(dc.LaunchError), stream.capture():
        saxpy.launch(1, 32, 1, 1.0, 0, 0, stream=stream)
    stream.synchronize()


@pytest.mark.parametrize(
    "forbidden, symbol",
    [
        (lambda context, stream: stream.synchronize(), "cuStreamSynchronize"),
        (lambda context, stream: context.synchronize(), "cuCtxSynchronize"),
        (lambda context, stream: context.alloc(4), "cuMemAlloc_v2"),
        (lambda context, stream: stream.query(), "cuStreamQuery"),
    ],
)
def test_what_cannot_be_captured_raises_and_breaks_the_capture(fake, context, stream, forbidden, symbol):
    with pytest.raises(dc.CaptureError, match=symbol) as caught, stream.capture():
        forbidden(context, stream)
    assert caught.value.code == 900
    with (
        pytest.raises(
            dc.CaptureError, match=f"the first call that failed inside the capture was {symbol}: .*900"
        ) as caught,
        stream.capture(),
        pytest.raises(dc.CaptureError),
    ):
        forbidden(context, stream)
    assert caught.value.code == 901
    stream.synchronize()
    assert fake.graphs == fake.capturing == {}


def test_a_capture_broken_by_somebody_else(fake, stream):
    with pytest.raises(dc.CaptureError, match="no call of this package failed"), stream.capture():
        fake.broken |= fake.origins


def test_captures_that_cannot_begin(context, stream):
    with (
        pytest.raises(dc.CaptureError, match="the default stream cannot be captured"),
        context.default_stream.capture(),
    ):
        pass
    with stream.capture():
        with pytest.raises(dc.CaptureError, match="is captured already"), stream.capture():
            pass
    with pytest.raises(dc.CaptureError, match="is captured already"):
        with stream.capture() as capture, capture:
            pass
    closed = context.stream()
    closed.close()
    with pytest.raises(dc.ClosedError), closed.capture():
        pass


def test_the_graph_is_there_after_the_body(stream):
    capture = stream.capture()
    with pytest.raises(dc.CaptureError, match="nothing was captured"):
        capture.graph
    with capture, pytest.raises(dc.CaptureError, match="still runs"):
        capture.graph
    assert capture.graph.nodes() == ()


def test_a_wrong_thread_is_named(fake, context, stream):
    fake.fail("cuStreamEndCapture", 908)
    with pytest.raises(dc.CaptureError, match="ended on another thread than it began on"), stream.capture():
        pass


def test_bound_launchers_are_captured_and_run_again_afterwards(fake, context, saxpy, stream):
    x = context.alloc(16)
    launcher = saxpy.bind(1, 32, stream=stream)
    launcher(1, 1.0, x, x)
    with stream.capture() as capture:
        for n in range(5):
            launcher(n, 1.0, x, x)
    launcher(2, 1.0, x, x)
    assert len(fake.launches) == 2
    assert len(capture.graph.nodes()) == 5
    assert x in capture.graph.owners


def test_the_graph_owns_what_its_work_uses(fake, context, stream):
    x = context.alloc(64)
    function = context.load(PTX, signatures=SIGNATURES).function("saxpy")
    source = bytearray(64)
    with stream.capture() as capture:
        context.copy_to_device(x, source, stream=stream)
        function.launch(1, 32, 16, 1.0, x, x, stream=stream)
    address = x.pointer
    del x, function, source
    gc.collect()
    context.synchronize()
    assert address in fake.memory
    assert len(fake.modules) == 1
    execution = capture.graph.instantiate()
    execution.launch(stream)
    del execution, capture
    gc.collect()
    context.synchronize()
    assert fake.live() == {"streams": 1}


@pytest.mark.parametrize("bound", [True, False], ids=["bind", "launch"])
def test_close_of_what_a_graph_uses_waits_for_the_graph(fake, context, module, saxpy, stream, bound):
    x = context.alloc(64)
    launch = saxpy.bind(1, 32, stream=stream) if bound else lambda *args: saxpy.launch(1, 32, *args, stream=stream)
    launch(1, 1.0, x, x)
    with stream.capture() as capture:
        launch(1, 1.0, x, x)
    graph = capture.graph
    execution = graph.instantiate()
    x.close()
    module.close()
    graph.close()
    with pytest.raises(dc.ClosedError):
        x.pointer
    with pytest.raises(dc.ClosedError):
        graph.nodes()
    assert (len(fake.memory), len(fake.modules), len(fake.graphs)) == (1, 1, 1)
    execution.launch(stream)
    execution.close()
    assert fake.live() == {"streams": 1}


def test_close_inside_the_body_waits_for_its_end(fake, context, saxpy, stream):
    x, other = context.alloc(64), context.alloc(8)
    with stream.capture() as capture:
        saxpy.launch(1, 32, 1, 1.0, x, x, stream=stream)
        x.close()
        other.close()
        assert fake.counts["cuMemFree_v2"] == 0
    context.synchronize()
    assert len(fake.memory) == 1, "other is freed, x is the graph's"
    capture.graph.close()
    assert fake.memory == {}


def test_garbage_inside_the_body_is_freed_after_it(fake, context, stream):
    with stream.capture():
        fake.capture_mode.value = 2
        context.alloc(64)
        fake.capture_mode.value = 1
        gc.collect()
        context.memory_info()
        assert fake.counts["cuMemFree_v2"] == 0
    context.synchronize()
    assert fake.memory == {}


def test_a_free_breaks_no_capture_of_another_library(fake, context, stream):
    """torch captures on this thread; what we collect meanwhile is freed in relaxed mode."""
    buffer = context.alloc(64)
    foreign = context.stream()
    fake.cuStreamBeginCapture_v2(foreign.handle, 1)
    del buffer
    gc.collect()
    context.memory_info()
    assert fake.memory == {}
    assert fake.broken == set()
    assert getattr(fake.capture_mode, "value", 0) == 0
    graph = ctypes.c_void_p()
    assert fake.cuStreamEndCapture(foreign.handle, ctypes.addressof(graph)) in (0, None)


def test_another_stream_joins_by_an_event(fake, context, saxpy, stream):
    side, x = context.stream(), context.alloc(16)
    launcher = saxpy.bind(1, 32, stream=side)
    launcher(0, 1.0, 0, 0)
    with stream.capture() as capture:
        saxpy.launch(1, 32, 1, 1.0, 0, 0, stream=stream)
        side.wait(stream.record())
        assert side.capturing
        launcher(2, 1.0, x, x)
        stream.wait(side.record())
    assert not side.capturing
    assert len(capture.graph.nodes()) == 2
    assert x in capture.graph.owners
    launcher(3, 1.0, x, x)
    assert len(fake.launches) == 2


def test_an_event_recorded_in_a_capture_does_not_keep_it(fake, context, stream):
    event = context.event()
    with stream.capture() as capture:
        event.record(stream)
    del capture
    gc.collect()
    context.synchronize()
    assert fake.graphs == {}
    event.record(stream)
    context.stream().wait(event)


def test_a_fault_inside_the_body(fake, context, stream):
    with pytest.raises(dc.IllegalAddressError), stream.capture():
        fake.sticky = 700
        stream.synchronize()
    with pytest.raises(dc.ContextLostError):
        stream.synchronize()


def test_a_view_of_a_buffer_keeps_the_buffer(fake, context, saxpy, stream):
    class View:
        def __init__(self, buffer):
            self.buffer, self.context, self.pointer = buffer, buffer.context, buffer.pointer + 8

    x = context.alloc(64)
    with stream.capture() as capture:
        saxpy.launch(1, 32, 1, 1.0, View(x), 0, stream=stream)
    x.close()
    assert len(fake.memory) == 1
    capture.graph.close()
    assert fake.memory == {}


def test_two_threads_capture_their_own_streams(fake, context, saxpy):
    results, start = {}, threading.Barrier(2)

    def work(number):
        stream = context.stream()
        start.wait()
        with stream.capture() as capture:
            for _ in range(50):
                saxpy.launch(1, 32, number, 1.0, 0, 0, stream=stream)
        results[number] = capture.graph

    threads = [threading.Thread(target=work, args=(number,)) for number in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, graph in results.items():
        assert {node.arguments[0] for node in graph.nodes()} == {("n", number)}
        assert len(graph.nodes()) == 50


def test_closing_the_stream_in_the_body_ends_the_capture(fake, context):
    stream = context.stream()
    with stream.capture() as capture:
        stream.close()
    assert fake.capturing == fake.streams == fake.graphs == {}
    with pytest.raises(dc.CaptureError):
        capture.graph
