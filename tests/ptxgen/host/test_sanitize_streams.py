"""racecheck over launches: which of them streams, events and waiting host calls order; on the CPU device alone."""

from __future__ import annotations

import pytest

import ptxgen as px
from ptxgen import u32

pytestmark = pytest.mark.cpu_only


@px.kernel
def fill(k: px.Builder, x: px.ptr[u32]):
    x[k.tid.x] = k.tid.x + 1


@px.kernel
def double(k: px.Builder, x: px.ptr[u32], y: px.ptr[u32]):
    y[k.tid.x] = 2 * x[k.tid.x]


@pytest.fixture(scope="module")
def dev():
    return px.device("cpu")


def event(context, first, second):
    mark = context.event()
    mark.record(first)
    second.wait(mark)


BETWEEN = {
    "nothing": lambda context, first, second: None,
    "an event": event,
    "an event of before": lambda context, first, second: event(context, second, second),
    "the host waits for the stream": lambda context, first, second: first.synchronize(),
    "the host waits for the other stream": lambda context, first, second: second.synchronize(),
    "the host waits for all": lambda context, first, second: context.synchronize(),
    "the stream is destroyed": lambda context, first, second: first.close(),
    "the stream is destroyed, and the host waits for all": lambda context, first, second: (
        first.close(),
        context.synchronize(),
    ),
}
ORDERED = {"an event", "the host waits for the stream", "the host waits for all",
           "the stream is destroyed, and the host waits for all"}  # fmt: skip


@pytest.mark.parametrize("name", BETWEEN)
def test_launches_of_two_streams(dev, name):
    context = dev.handle.primary_context()
    x, y = dev.zeros(64, u32), dev.zeros(64, u32)
    with context.stream() as first, context.stream() as second:
        with px.sanitize("racecheck", strict=False) as watch:
            fill.bind(1, 64, stream=first)(x)
            BETWEEN[name](context, first, second)
            double.bind(1, 64, stream=second)(x, y)
    if name in ORDERED:
        assert watch.findings == ()
        return
    (finding,) = watch.findings
    assert (finding.kind, finding.kernel, finding.earlier.kernel) == ("read after write", "double", "fill")
    assert finding.earlier.places[0].line == fill.function.__code__.co_firstlineno + 2
    assert "an event" in finding.hint


def test_launches_of_one_stream_are_ordered(dev):
    x, y = dev.zeros(64, u32), dev.zeros(64, u32)
    with px.sanitize("racecheck"):
        for _ in range(3):
            fill[1, 64](x)
            double[1, 64](x, y)


def test_what_was_launched_before_the_tool_was_on_counts_as_ordered(dev):
    context = dev.handle.primary_context()
    x, y = dev.zeros(64, u32), dev.zeros(64, u32)
    with context.stream() as first, context.stream() as second:
        with px.sanitize("racecheck"):
            fill.bind(1, 64, stream=first)(x)
        with px.sanitize("racecheck"):
            double.bind(1, 64, stream=second)(x, y)
