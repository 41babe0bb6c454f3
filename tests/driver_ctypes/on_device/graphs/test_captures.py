"""Captures: forked, joined and nested streams, what cannot be captured, and who broke it."""

from __future__ import annotations

import re
import threading
import time

import pytest

import driver_ctypes as dc
from tests.driver_ctypes.kit import filled, words


def test_what_a_capture_adds_is_named(context, put, bump, stream):
    x = filled(context, [0] * 4)
    with stream.capture() as capture:
        with capture.named("first"):
            put.launch(1, 1, x, 0, 1, stream=stream)
        with capture.named("rest"):
            put.launch(1, 1, x, 1, 2, stream=stream)
            bump.launch(1, 1, x, 2, 3, stream=stream)
    assert [node.label for node in capture.graph.nodes()] == ["first", "rest.0", "rest.1"]
    execution = capture.graph.instantiate()
    execution.update("rest.0", value=20)
    execution.launch(stream)
    assert words(context, x, 3) == [1, 20, 3]


def test_names_inside_names_stay(context, put, stream):
    with stream.capture() as capture, capture.named("step"):
        put.launch(1, 1, 0, 0, 1, stream=stream)
        with capture.named("copy"):
            put.launch(1, 1, 0, 1, 2, stream=stream)
        put.launch(1, 1, 0, 0, 3, stream=stream)
        with capture.named("several"):
            put.launch(1, 1, 0, 1, 4, stream=stream)
            put.launch(1, 1, 0, 1, 5, stream=stream)
    with capture.graph as graph:
        assert [node.label for node in graph.nodes()] == ["step.0", "copy", "step.1", "several.0", "several.1"]


@pytest.mark.parametrize("first, second", [(1, 1), (2, 2), (1, 2), (2, 1)])
def test_each_label_is_there_once(context, put, stream, first, second):
    with pytest.raises(dc.ArgumentError, match="has the label 'step' already"), stream.capture() as capture:
        for count in (first, second):
            with capture.named("step"):
                for _ in range(count):
                    put.launch(1, 1, 0, 0, 1, stream=stream)
    with context.graph() as graph:
        graph.empty(label="step.1")
        with pytest.raises(dc.ArgumentError, match=r"has the label 'step\.1' already"):
            with stream.capture(into=graph) as capture, capture.named("step"):
                put.launch(1, 1, 0, 0, 1, stream=stream)
                put.launch(1, 1, 0, 0, 1, stream=stream)
    stream.synchronize()


def test_a_label_is_text(context, put, stream):
    with pytest.raises(dc.ArgumentTypeError, match="a label is text, not int 5"), stream.capture() as capture:
        with capture.named(5):
            put.launch(1, 1, 0, 0, 1, stream=stream)


def test_a_captured_body_that_raises(context, module, stream):
    x = filled(context, [1])
    with pytest.raises(ZeroDivisionError), stream.capture():
        module.function("add").launch(1, 32, x, 1, 1, stream=stream)
        raise ZeroDivisionError
    stream.synchronize()
    module.function("add").launch(1, 32, x, 1, 1, stream=stream)
    with stream.capture() as capture:
        module.function("add").launch(1, 32, x, 1, 1, stream=stream)
    capture.graph.instantiate().launch(stream)
    stream.synchronize()
    assert words(context, x, 1) == [3]


@pytest.mark.parametrize(
    "forbidden, symbol",
    [
        (lambda context, stream: stream.synchronize(), "cuStreamSynchronize"),
        (lambda context, stream: context.synchronize(), "cuCtxSynchronize"),
        (lambda context, stream: context.alloc(16), "cuMemAlloc_v2"),
    ],
    ids=["stream.synchronize", "context.synchronize", "alloc"],
)
def test_what_cannot_be_captured(context, module, stream, forbidden, symbol):
    with pytest.raises(dc.CaptureError, match=symbol), stream.capture():
        forbidden(context, stream)
    with (
        pytest.raises(dc.CaptureError, match=f"first call that failed inside the capture was {symbol}"),
        stream.capture(),
        pytest.raises(dc.CaptureError),
    ):
        forbidden(context, stream)
    stream.synchronize()
    with stream.capture() as capture:
        module.function("nothing").launch(1, 1, stream=stream)
    assert len(capture.graph.nodes()) == 1


def test_captures_that_cannot_begin(context, stream):
    with pytest.raises(dc.CaptureError), context.default_stream.capture():
        pass
    with stream.capture(), pytest.raises(dc.CaptureError), stream.capture():
        pass
    stream.synchronize()


def test_streams_join_a_capture(context, module, stream):
    x = filled(context, [0, 0])
    side = context.stream()
    add = module.function("add")
    with stream.capture() as capture:
        add.launch(1, 32, x, 2, 1, stream=stream)
        side.wait(stream.record())
        add.launch(1, 32, x.pointer + 4, 1, 10, stream=side)
        add.launch(1, 32, x, 1, 100, stream=stream)
        stream.wait(side.record())
        add.launch(1, 32, x, 2, 1, stream=stream)
    assert len(capture.graph.nodes()) == 4
    assert len(capture.graph.edges()) == 4
    capture.graph.instantiate().launch(stream)
    stream.synchronize()
    assert words(context, x, 2) == [102, 12]


def test_streams_fork_and_join(context, put, stream):
    x, sides = filled(context, [0] * 4), [context.stream() for _ in range(2)]
    with stream.capture() as capture:
        put.launch(1, 1, x, 0, 1, stream=stream)
        with capture.fork(*sides):
            for slot, side in enumerate(sides, 1):
                put.launch(1, 1, x, slot, slot + 1, stream=side)
        put.launch(1, 1, x, 3, 4, stream=stream)
    first, *middle, last = capture.graph.nodes()
    assert {node.dependencies for node in middle} == {((first.handle, "ended"),)}
    assert {source for source, _when in last.dependencies} >= {node.handle for node in middle}
    capture.graph.instantiate().launch(stream)
    assert words(context, x, 4) == [1, 2, 3, 4]


def test_an_unjoined_stream_breaks_the_capture(context, module, stream):
    side = context.stream()
    with pytest.raises(dc.CaptureError), stream.capture():
        side.wait(stream.record())
        module.function("nothing").launch(1, 1, stream=side)
    stream.synchronize()
    side.synchronize()


def test_an_unjoined_stream_is_named_with_its_place(context, put, stream):
    side = context.stream()
    with pytest.raises(
        dc.CaptureError,
        match=rf"not waited for.*{re.escape(repr(side))}.*{__name__.rpartition('.')[2]}.*in test_an_unjoined",
    ):
        with stream.capture():
            side.wait(stream.record())
            put.launch(1, 1, 0, 0, 1, stream=side)
    stream.synchronize()
    side.synchronize()


def test_an_unjoined_fork_is_named_with_its_line(context, put, stream):
    side = context.stream()
    with pytest.raises(
        dc.CaptureError,
        match=rf"not waited for.*{re.escape(repr(side))} \(joined at .*test_captures.py:\d+, in test_an_un",
    ):
        with stream.capture() as capture:
            fork = capture.fork(side)
            fork.__enter__()  # and never left
            put.launch(1, 1, 0, 0, 1, stream=side)
    stream.synchronize()
    side.synchronize()


def test_a_synchronization_of_another_thread_that_breaks_a_capture(context, put, stream):
    """CUDA refuses to wait for a context of which a stream captures, and breaks the capture."""
    refused = []

    def wait():
        try:
            context.synchronize()
        except dc.CaptureError as error:
            refused.append(error)

    thread = threading.Thread(target=wait, name="the other one")
    with pytest.raises(dc.CaptureError) as caught, stream.capture():
        put.launch(1, 1, 0, 0, 1, stream=stream)
        thread.start()
        thread.join()
    assert len(refused) == 1
    assert re.search(
        r"the first call that failed beside the capture was cuCtxSynchronize: .*test_captures.py:\d+, in wait, on thread "
        "'the other one'",
        str(caught.value),
    )
    stream.synchronize()


def test_a_broken_capture_names_the_call_and_its_line(context, stream):
    with pytest.raises(dc.CaptureError) as caught, stream.capture():
        try:
            context.alloc(64)
        except dc.CaptureError:
            pass
    assert re.search(
        r"the first call that failed inside the capture was cuMemAlloc_v2: .*\(900\), "
        r"at .*test_captures\.py:\d+, in test_a_broken",
        str(caught.value),
    )
    assert re.search(r"the capture began at .*test_captures\.py:\d+", str(caught.value))
    stream.synchronize()
    with stream.capture() as again:
        pass
    assert again.graph.nodes() == ()


def test_work_is_captured_into_an_existing_graph(context, put, stream):
    x, graph = filled(context, [0] * 4), context.graph()
    first = graph.kernel(put, 1, 1, x, 0, 1, label="by hand")
    with stream.capture(into=graph, after=first) as capture:
        put.launch(1, 1, x, 1, 2, stream=stream)
        with pytest.raises(dc.CaptureError, match="is being captured into it"):
            graph.instantiate()
    assert capture.graph is graph
    assert [node.dependencies for node in graph.nodes()] == [(), ((first.handle, "ended"),)]
    with pytest.raises(ZeroDivisionError), stream.capture(into=graph, after=first):
        put.launch(1, 1, x, 2, 3, stream=stream)
        raise ZeroDivisionError
    assert len(graph) == 2, "a body that raises leaves the graph as it was"
    graph.instantiate().launch(stream)
    assert words(context, x, 3) == [1, 2, 0]
    graph.close()


def test_a_capture_that_breaks_takes_the_graph_away(context, put, stream):
    graph = context.graph()
    graph.empty()
    with pytest.raises(dc.CaptureError), stream.capture(into=graph):
        with pytest.raises(dc.CaptureError):
            stream.synchronize()
    assert graph.closed
    with pytest.raises(dc.ClosedError):
        graph.nodes()
    graph.close()
    stream.synchronize()


def test_two_captures_that_would_collide(context, put, stream):
    """A global capture, or an exclusive one, has its context alone; who waits gets it."""
    entered, leave, seen = threading.Event(), threading.Event(), []

    def hold():
        with context.stream() as own, own.capture(exclusive=True):
            entered.set()
            leave.wait(10)

    def wait():
        with context.stream() as own, own.capture(wait=10):
            seen.append("captured")

    holder = threading.Thread(target=hold, name="holder")
    holder.start()
    entered.wait(10)
    with pytest.raises(
        dc.CaptureError, match=r"thread 'holder' is capturing <Stream.*, since .*in hold; the other one needs"
    ):
        with stream.capture():
            pass
    with pytest.raises(dc.CaptureError, match="the other one needs the context alone"):
        with stream.capture("global", wait=0.01):
            pass
    waiting = threading.Thread(target=wait)
    waiting.start()
    time.sleep(0.05)
    assert seen == []
    leave.set()
    for thread in (holder, waiting):
        thread.join(10)
    assert seen == ["captured"]
    with stream.capture("global") as capture:
        pass
    assert len(capture.graph) == 0


def test_captures_nest_in_one_thread_on_two_streams(context, put, stream):
    x, other = filled(context, [0, 0]), context.stream()
    with stream.capture() as outer:
        put.launch(1, 1, x, 0, 1, stream=stream)
        with other.capture() as inner:
            put.launch(1, 1, x, 1, 2, stream=other)
    assert (len(outer.graph), len(inner.graph)) == (1, 1)
    with pytest.raises(dc.CaptureError, match="this capture needs the context alone"), stream.capture():
        with other.capture(exclusive=True, wait=5):
            pass
    stream.synchronize()


def test_an_abandoned_capture_ends_with_its_stream(context, put):
    abandoned = context.stream()
    capture = abandoned.capture(exclusive=True)
    capture.__enter__()
    put.launch(1, 1, 0, 0, 1, stream=abandoned)
    with context.stream() as other:
        with pytest.raises(dc.CaptureError, match="in test_an_abandoned"), other.capture():
            pass
        abandoned.close()
        with other.capture() as good:
            pass
        assert len(good.graph) == 0
    assert not capture.active


def test_a_collection_leaves_the_thread_s_capture_mode(python):
    """Freeing what garbage collection left exchanges the mode; where putting it back fails once, it is put back again."""
    program = """
import gc
from ptxgen.emulated_driver import inject
context = driver.device(0).primary_context()
stream, buffer = context.stream(), context.alloc(16)
del buffer
gc.collect()
with inject("cuThreadExchangeStreamCaptureMode", 2, 304):
    context.collect()
try:
    with stream.capture(): context.alloc(16)
except dc.CaptureError as error: print("cuMemAlloc_v2" in str(error))
"""
    assert python(program) == "True"
