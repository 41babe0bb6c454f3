"""racecheck over what the host has streams and graphs do: copies and fills beside kernels, and nodes without a path between them;
on the CPU device alone."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import ptxgen as px
from ptxgen import u32

pytestmark = pytest.mark.cpu_only


@px.kernel
def write(k: px.Builder, x: px.ptr[u32]):
    x[k.tid.x] = k.tid.x + 1


@px.kernel
def read(k: px.Builder, x: px.ptr[u32], y: px.ptr[u32]):
    y[k.tid.x] = 2 * x[k.tid.x]


class Bench:
    """Two arrays, and work with the first of them."""

    def __init__(self, dev, context):
        self.context = context
        self.x, self.y = dev.zeros(64, u32), dev.zeros(64, u32)
        self.there = context.alloc(256)
        self.host = np.zeros(64, np.uint32)
        dev.synchronize()

    def write(self, stream):
        write.bind(1, 64, stream=stream)(self.x)

    def read(self, stream):
        read.bind(1, 64, stream=stream)(self.x, self.y)

    def memset(self, stream):
        self.context.memset(self.x.pointer, 7, 256, stream=stream)

    def copy_in(self, stream):
        self.context.copy(self.x.pointer, self.there, 256, stream=stream)

    def copy_out(self, stream):
        self.context.copy(self.there, self.x.pointer, 256, stream=stream)


@pytest.fixture(scope="module")
def dev():
    return px.device("cpu")


@pytest.fixture
def bench(dev):
    return Bench(dev, dev.handle.primary_context())


RACES = {
    ("memset", "read"): ("read after write", "read"),
    ("memset", "write"): ("write after write", "write"),
    ("read", "memset"): ("write after read", "read"),
    ("write", "copy_out"): ("read after write", "write"),
    ("copy_in", "read"): ("read after write", "read"),
    ("read", "copy_in"): ("write after read", "read"),
    ("copy_out", "memset"): ("write after read", ""),
    ("read", "copy_out"): None,
    ("copy_out", "copy_out"): ("write after write", ""),  # of where they copy to
}


@pytest.mark.parametrize("first, second", RACES)
def test_work_of_two_streams(bench, first, second):
    with bench.context.stream() as one, bench.context.stream() as other:
        with px.sanitize("racecheck", strict=False) as watch:
            getattr(bench, first)(one)
            getattr(bench, second)(other)
        with px.sanitize("racecheck"):
            getattr(bench, first)(one)
            other.wait(one.record())
            getattr(bench, second)(other)
    expected = RACES[first, second]
    found = [(finding.kind, finding.kernel) for finding in watch.findings]
    assert found == ([expected] if expected else [])


def test_both_calls_are_named_with_the_users_lines(bench):
    lines, begin = inspect.getsourcelines(Bench)
    of = {
        name: begin + next(i for i, line in enumerate(lines) if f"def {name}(" in line) + 1
        for name in ("memset", "read")
    }
    with (
        bench.context.stream() as one,
        bench.context.stream() as other,
        px.sanitize("racecheck", strict=False) as watch,
    ):
        bench.memset(one)
        bench.read(other)
    (finding,) = watch.findings
    assert finding.earlier.instruction == "memset of 256 bytes"
    assert finding.earlier.call.places[0].line == of["memset"]
    assert finding.access.call.what == "launch of read"
    assert finding.access.call.places[0].line == of["read"]
    assert "the host's call wrote: memset of 256 bytes" in str(finding)
    assert "memset of 256 bytes that this one may run beside" in finding.what


def test_a_fill_of_the_default_stream_is_not_waited_for_by_other_threads_of_work(bench):
    with bench.context.stream(non_blocking=True) as free, bench.context.stream(non_blocking=False) as blocking:
        with px.sanitize("racecheck"):
            bench.memset(None)
            bench.read(blocking)  # the legacy stream comes before those that block
            bench.context.synchronize()
        with px.sanitize("racecheck", strict=False) as watch:
            bench.memset(None)
            bench.read(free)
    assert [finding.kind for finding in watch.findings] == ["read after write"]


def test_a_copy_to_the_host_is_waited_for(bench):
    with bench.context.stream() as one, bench.context.stream() as other, px.sanitize("racecheck"):
        bench.write(one)
        bench.context.copy_to_host(bench.host, bench.x.pointer, 256, stream=one)
        bench.memset(other)


def test_a_host_function_knows_what_stands_before_it(bench):
    with bench.context.stream() as one, bench.context.stream() as other, px.sanitize("racecheck"):
        bench.write(one)
        one.call(lambda: None)
        bench.read(other)


@pytest.mark.parametrize("joined", [True, False])
def test_captured_branches(bench, joined):
    context = bench.context
    with context.stream() as one, context.stream() as other, px.sanitize("racecheck", strict=False) as watch:
        with one.capture() as capture:
            other.wait(one.record())
            bench.memset(one)
            if joined:
                other.wait(one.record())
            bench.read(other)
            one.wait(other.record())
        executable = capture.graph.instantiate()
        executable.launch(one)
        executable.launch(one)  # launches of one graph come after each other
        bench.read(one)
    if joined:
        assert watch.findings == ()
        return
    (finding,) = watch.findings
    assert (finding.kind, finding.kernel) == ("read after write", "read")
    assert finding.earlier.call.node.endswith("of a graph")
    assert finding.access.call.node.endswith("of a graph")
    assert finding.earlier.call.node != finding.access.call.node
    assert "an edge" in finding.hint


@pytest.mark.parametrize("waits, found", [("both", []), ("free", ["allocation"]), ("use", ["free"])])
def test_memory_of_one_stream_that_another_one_uses(dev, waits, found):
    context, out = dev.handle.primary_context(), dev.zeros(64, u32)
    dev.synchronize()
    with context.stream() as one, context.stream() as other, px.sanitize("racecheck", strict=False) as watch:
        memory = context.alloc_async(256, one)
        if waits != "free":
            other.wait(one.record())
        read.bind(1, 64, stream=other)(memory, out)
        if waits != "use":
            one.wait(other.record())
        memory.close(one)
    assert len(watch.findings) == len(found)
    for finding, what in zip(watch.findings, found):
        assert f"stream-ordered {what} of 256 bytes" in str(finding)
