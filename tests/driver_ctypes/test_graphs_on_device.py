"""Graphs on a real driver: the emulated one, or with ``--device cuda`` NVIDIA's.

The first part is what other systems promise of their graphs (CapturedCudaGraph, CudaGraph, CudaGraphExec); the rest is
what goes beyond.
"""

from __future__ import annotations

import gc
import re
import threading
import time
from itertools import pairwise

import pytest

import driver_ctypes as dc
from tests.driver_ctypes.graph_kit import (
    COUNTDOWN,
    COUNTDOWN_SIGNATURE,
    PTX,
    SIGNATURES,
    filled,
    open_driver,
    words,
)


@pytest.fixture(scope="module")
def context(device_name):
    return open_driver(device_name).device(0).primary_context()


@pytest.fixture(scope="module")
def module(context):
    return context.load(PTX, signatures=SIGNATURES)


@pytest.fixture
def put(module):
    return module.function("put")


@pytest.fixture
def bump(module):
    return module.function("bump")


@pytest.fixture
def stream(context):
    with context.stream() as stream:
        yield stream


@pytest.fixture(autouse=True)
def nothing_leaks(context, module):
    gc.collect()
    before = context.live_handles()
    yield
    gc.collect()
    after = context.live_handles()
    after.pop("stream", None)  # the fixture's own
    before.pop("stream", None)
    assert after == before


# --- what the reference systems promise -------------------------------------------------------------------------------


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


# --- graphs built by hand ---------------------------------------------------------------------------------------------


def test_a_graph_of_every_simple_kind(context, put, bump, stream):
    x, host, back = filled(context, [0] * 16), bytearray(b"\1\0\0\0" * 4), bytearray(16)
    called, event, before = [], context.event(), context.event()
    before.record(stream)
    child = context.graph()
    child.kernel(bump, 1, 1, x, 0, 100, label="in the child")
    graph = context.graph()
    start = graph.empty(label="start")
    fill = graph.memset(x, 5, 4, 4, after=start)
    up = graph.memcpy(x.pointer + 16, host, after=start, label="up")
    kernel = graph.kernel(put, 1, 1, x, 8, 42, after=[fill, up], label="answer")
    inside = graph.child(child, after=kernel)
    memory = graph.alloc(64, after=inside)
    use = graph.kernel(put, 1, 1, memory, 3, 7, after=memory, label="use")
    out = graph.memcpy(x.pointer + 40, memory.pointer + 12, 4, after=use)
    graph.free(memory, after=out)
    words_written = graph.batch(
        [dc.write_value(x.pointer + 36, 6), dc.wait_value(x.pointer + 36, 6, "==")], after=inside
    )
    call = graph.host(lambda: called.append(len(called)), after=words_written)
    down = graph.memcpy(back, x.pointer + 32, 16, after=[call, out], label="down")
    graph.record(event, after=down)
    graph.wait(before)
    kinds = sorted([node.kind for node in graph.nodes()])
    assert kinds == sorted(
        ["empty", "memset", "memcpy", "kernel", "graph", "mem_alloc", "kernel", "memcpy", "mem_free", "batch_mem_op",
         "host", "memcpy", "event_record", "wait_event"]
    )  # fmt: skip
    execution = graph.instantiate()
    execution.launch(stream)
    stream.synchronize()
    assert words(context, x, 16) == [105, 5, 5, 5, 1, 1, 1, 1, 42, 6, 7, 0, 0, 0, 0, 0]
    assert memoryview(back).cast("I").tolist() == [42, 6, 7, 0]
    assert called == [0]
    assert event.query()
    for handle in (execution, graph, child):
        handle.close()


def test_the_inventory_says_everything(context, put, stream):
    x, graph = context.alloc(64), context.graph()
    first = graph.memset(x, 0, 16, 4, label="clear")
    second = graph.kernel(put, (2, 2), (32, 2), x, 1, 2, shared=256, priority=-3, domain=1, after=first, label="mine")
    clear, mine = graph.nodes()
    assert (clear.label, clear.kind, clear.details["bytes" if "bytes" in clear.details else "width"]) == (
        "clear",
        "memset",
        16,
    )
    assert (mine.label, mine.name, mine.grid, mine.block, mine.shared) == ("mine", "put", (2, 2, 1), (32, 2, 1), 256)
    assert mine.arguments == (("x", x.pointer), ("slot", 1), ("value", 2))
    assert mine.attributes == {"priority": -3, "domain": 1}
    assert mine.dependencies == ((first.handle, "ended"),)
    assert mine.describe() == f"'mine': kernel put(x={x.pointer}, slot=1, value=2) (2, 2, 1) x (32, 2, 1)"
    assert graph.edges() == (dc.GraphEdge(first.handle, second.handle),)
    assert graph.read("mine").handle == second.handle
    graph.close()


def test_clusters_and_cooperative_launches_are_nodes(context, put, stream):
    if context.device.compute_capability < (9, 0):
        pytest.skip("clusters came with compute capability 9.0")
    x, graph = filled(context, [0] * 4), context.graph()
    one = graph.kernel(put, 4, 1, x, 0, 1, cluster=2)
    graph.kernel(put, 4, 1, x, 1, 2, cooperative=True, after=one)
    two, three = graph.nodes()
    assert (two.cluster, two.cooperative, three.cluster, three.cooperative) == ((2, 1, 1), False, None, True)
    graph.instantiate().launch(stream)
    assert words(context, x, 2) == [1, 2]
    with pytest.raises(dc.LaunchConfigError, match="does not divide"):
        graph.kernel(put, 3, 1, x, 0, 1, cluster=2)
    graph.close()


def test_edges_between_kernels_have_types(context, put, bump, stream):
    if context.device.compute_capability < (9, 0):
        pytest.skip("programmatic launches came with compute capability 9.0")
    x, graph = filled(context, [0] * 4), context.graph()
    a = graph.kernel(put, 1, 1, x, 0, 1)
    b = graph.kernel(put, 1, 1, x, 1, 2, after=a.triggered())
    c = graph.kernel(put, 1, 1, x, 2, 3, after=[dc.Dependency(b, "started")])
    d = graph.kernel(bump, 1, 1, x, 0, 10, after=[a, c])
    assert [edge.when for edge in graph.edges()].count("ended") == 2
    assert {(a.handle, b.handle, "triggered"), (b.handle, c.handle, "started")} <= {tuple(e) for e in graph.edges()}
    assert [edge.programmatic for edge in graph.edges() if edge.target == d.handle] == [False, False]
    graph.instantiate().launch(stream)
    assert words(context, x, 3) == [11, 2, 3]
    fill = graph.memset(x, 0, 1)
    with pytest.raises(dc.CudaError):
        graph.kernel(put, 1, 1, x, 0, 1, after=dc.Dependency(fill, "triggered"))
    assert len(graph) == 5, "a node whose edge is refused is taken out again"
    with pytest.raises(dc.ArgumentError, match="no dependency 'later'"):
        graph.empty(after=dc.Dependency(a, "later"))
    graph.close()


def test_an_edge_that_cannot_be_is_named(context):
    with context.graph() as graph:
        first = graph.empty(label="first")
        second = graph.empty(after=first, label="second")
        with pytest.raises(dc.CudaError, match="the edge from <empty node first> to <empty node second>"):
            graph.add_edge(first, second)
        graph.add_edge(second, first)
        with pytest.raises(dc.CudaError, match="the structure is invalid, such as a cycle"):
            graph.instantiate()


def test_edges_are_added_and_removed(context, put, stream):
    x, graph = context.alloc(16), context.graph()
    a, b = graph.kernel(put, 1, 1, x, 0, 1), graph.kernel(put, 1, 1, x, 0, 2)
    graph.add_edge(a, b)
    assert len(graph.edges()) == 1
    graph.remove_edge(a, b)
    assert graph.edges() == ()
    graph.add_edge(a, b)
    graph.add_edge(b, a)
    with pytest.raises(dc.CudaError, match="kernel node put: the structure is invalid, such as a cycle"):
        graph.instantiate()
    graph.close()


def test_a_node_is_removed_with_what_it_kept(context, put, stream):
    x, graph = context.alloc(16), context.graph()
    node = graph.kernel(put, 1, 1, x, 0, 1, label="one")
    assert x in graph.owners
    x.close()
    graph.remove("one")
    assert x not in graph.owners
    assert (len(graph), graph.owners) == (0, ())
    for use in (node.read, node.remove, lambda: graph.empty(after=node), lambda: graph.update(node, value=1)):
        with pytest.raises(dc.ClosedError, match="was removed"):  # a driver would read what is not there any more
            use()
    outer = graph.if_(graph.condition(default=1))
    body, inner = outer.body, outer.body.kernel(put, 1, 1, 0, 0, 1)
    outer.remove()
    for use in (body.nodes, body.empty, inner.read):
        with pytest.raises(dc.ClosedError, match="removed"):
            use()
    graph.close()


def test_a_clone_has_its_own_nodes_and_the_same_names(context, put, stream):
    x, graph = filled(context, [0, 0]), context.graph()
    graph.kernel(put, 1, 1, x, 0, 1, label="mine")
    copy = graph.clone()
    graph.update("mine", value=2)
    assert copy.read("mine").arguments[2] == ("value", 1)
    assert copy.find("mine") != graph.find("mine")
    graph.close()
    copy.instantiate().launch(stream)
    assert words(context, x, 1) == [1]
    copy.close()


def test_names_are_found_and_never_positions(context, put, bump):
    x, graph = context.alloc(16), context.graph()
    graph.kernel(put, 1, 1, x, 0, 1, label="a")
    graph.kernel(put, 1, 1, x, 0, 2, label="b")
    graph.kernel(bump, 1, 1, x, 0, 3)
    assert graph.find("bump").read().arguments[2] == ("by", 3)
    with pytest.raises(dc.ArgumentError, match=r"2 nodes are called 'put'.*\n.*give each a label"):
        graph.find("put")
    with pytest.raises(dc.ArgumentError, match=r"no node of this graph is called 'c'.*\n.*it has: a, b, bump"):
        graph.find("c")
    with pytest.raises(dc.ArgumentError, match="has the label 'a' already"):
        graph.empty(label="a")
    graph.close()


def test_nodes_of_other_graphs_are_refused(context, put):
    one, two = context.graph(), context.graph()
    node = one.empty()
    with pytest.raises(dc.ArgumentError, match="is in another graph"):
        two.empty(after=node)
    with pytest.raises(dc.ArgumentTypeError, match="is no node"):
        two.empty(after="start")
    one.close()
    two.close()


@pytest.mark.parametrize(
    "add, error",
    [
        (lambda g, f, x: g.kernel(f, 1, 1, x, 0), dc.ArgumentCountError),
        (lambda g, f, x: g.kernel(f, 1, 1, x, 0, -1), dc.ArgumentRangeError),
        (lambda g, f, x: g.kernel(f, 1, 1, "x", 0, 1), dc.ArgumentTypeError),
        (lambda g, f, x: g.kernel(f, 0, 1, x, 0, 1), dc.LaunchConfigError),
        (lambda g, f, x: g.kernel(f, 1, 2048, x, 0, 1), dc.LaunchConfigError),
        (lambda g, f, x: g.kernel(f, 1, 1, x, 0, 1, colour=3), dc.LaunchConfigError),
        (lambda g, f, x: g.memset(x, 0, 99, 4), dc.ArgumentRangeError),
        (lambda g, f, x: g.memset(x, 1 << 33, 1, 4), dc.ArgumentRangeError),
        (lambda g, f, x: g.memcpy(x, bytes(99)), dc.ArgumentRangeError),
        (lambda g, f, x: g.memcpy(bytes(4), x), dc.ArgumentError),
        (lambda g, f, x: g.host(3), dc.ArgumentTypeError),
        (lambda g, f, x: g.batch([]), dc.ArgumentTypeError),
        (lambda g, f, x: g.batch([dc.write_value(x.pointer + 2, 1)]), dc.ArgumentRangeError),
        (lambda g, f, x: g.free(12345), dc.CudaError),
        (lambda g, f, x: g.memset(0, 0, 1, 4), dc.ArgumentRangeError),
        (lambda g, f, x: g.memcpy(x, 0, 4), dc.ArgumentRangeError),
        (lambda g, f, x: g.alloc(0), dc.ArgumentRangeError),
        (lambda g, f, x: g.alloc(-4), dc.ArgumentRangeError),
        (lambda g, f, x: g.alloc("much"), dc.ArgumentTypeError),
        (lambda g, f, x: g.record(3), dc.ArgumentTypeError),
        (lambda g, f, x: g.wait(None), dc.ArgumentTypeError),
        (lambda g, f, x: g.child(3), dc.ArgumentTypeError),
        (lambda g, f, x: g.if_(3), dc.ArgumentTypeError),
        (lambda g, f, x: g.switch(g.condition(default=0), 0), dc.ArgumentRangeError),
        (lambda g, f, x: g.empty(label=5), dc.ArgumentTypeError),
    ],
)
def test_bad_nodes_are_refused_and_leave_the_graph_as_it_was(context, put, add, error):
    x, graph = context.alloc(64), context.graph()
    graph.empty()
    with pytest.raises(error):
        add(graph, put, x)
    assert len(graph) == 1
    graph.close()


def test_rows_are_copied_and_filled(context, stream):
    x, graph = filled(context, [0] * 16), context.graph()
    rows = bytearray(range(1, 9))
    fill = graph.memset(x, 9, 1, 4, rows=4, pitch=16)
    graph.memcpy(x.pointer + 8, rows, 4, rows=2, dst_pitch=16, src_pitch=4, after=fill)
    graph.instantiate().launch(stream)
    assert words(context, x, 16) == [9, 0, 0x04030201, 0, 9, 0, 0x08070605, 0, 9, 0, 0, 0, 9, 0, 0, 0]
    graph.close()


def test_host_functions_that_raise_are_heard_of(context, stream):
    graph = context.graph()
    graph.host(lambda: 1 // 0, label="divide")
    execution = graph.instantiate()
    execution.launch(stream)
    stream.synchronize()
    with pytest.raises(dc.HostFunctionError, match=r"raised ZeroDivisionError: .*division") as caught:
        execution.launch(stream)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    execution.launch(stream)
    stream.synchronize()
    assert graph.nodes()[0].name.endswith("<lambda>")
    with pytest.raises(dc.HostFunctionError):
        execution.check()
    execution.close()
    graph.close()


# --- updates ----------------------------------------------------------------------------------------------------------


def test_one_argument_of_one_kernel_is_changed_by_name(context, put, bump, stream):
    x, y = filled(context, [0] * 4), filled(context, [0] * 4)
    with stream.capture() as capture:
        put.launch(1, 1, x, 0, 10, stream=stream)
        bump.launch(1, 1, x, 0, 1, stream=stream)
    execution = capture.graph.instantiate()
    for by in (2, 3):
        execution.update("bump", by=by)
        execution.launch(stream)
    assert words(context, x, 1) == [13]
    execution.update("put", x=y)
    execution.update("bump", {"x": y}, grid=1, block=1)
    execution.launch(stream)
    assert words(context, y, 1) == [13]
    with pytest.raises(dc.ArgumentError, match=r"kernel 'put' has no parameter 'z'\n.*it has: x, slot, value"):
        execution.update("put", z=1)
    with pytest.raises(dc.ArgumentRangeError, match=r"argument 2 \(slot"):
        execution.update("put", slot=-1)
    with pytest.raises(dc.ArgumentError, match="nothing to change"):
        execution.update("put")


def test_another_kernel_takes_a_nodes_place(context, put, bump, stream):
    x = filled(context, [5])
    with stream.capture() as capture:
        put.launch(1, 1, x, 0, 10, stream=stream)
    execution = capture.graph.instantiate()
    with pytest.raises(dc.ArgumentCountError, match="x, slot, by not given"):
        execution.update("put", function=bump)
    execution.update("put", function=bump, x=x, slot=0, by=2)
    execution.launch(stream)
    assert words(context, x, 1) == [7]
    assert execution.read("put").name == "bump"


def test_the_other_kinds_are_updated_too(context, stream):
    x, called = filled(context, [1, 2, 3, 4]), []
    before, after = context.event(), context.event()
    graph = context.graph()
    copy = graph.memcpy(x, x.pointer + 8, 4, label="copy")
    host = graph.host(lambda: called.append("old"), after=copy, label="call")
    record = graph.record(before, after=host, label="record")
    graph.batch([dc.write_value(x.pointer + 4, 70)], after=record, label="batch")
    execution = graph.instantiate()
    execution.update("copy", src=x.pointer + 12)
    execution.update("call", function=lambda: called.append("new"))
    execution.update("record", event=after)
    execution.update("batch", operations=[dc.write_value(x.pointer + 4, 80)])
    execution.launch(stream)
    assert words(context, x, 2) == [4, 80]
    assert called == ["new"]
    for node, wrong in (("copy", {"value": 3}), ("call", {}), ("record", {"stream": 1})):
        with pytest.raises(dc.ArgumentError):
            execution.update(node, **wrong)
    execution.close()
    graph.close()


def test_nodes_are_switched_off_and_on(context, put, bump, stream):
    x = filled(context, [0])
    with stream.capture() as capture:
        put.launch(1, 1, x, 0, 10, stream=stream)
        bump.launch(1, 1, x, 0, 1, stream=stream)
    execution = capture.graph.instantiate()
    execution.disable("put")
    assert (execution.enabled("put"), execution.enabled("bump")) == (False, True)
    for _ in range(3):
        execution.launch(stream)
    assert words(context, x, 1) == [3]
    execution.enable("put")
    execution.launch(stream)
    assert words(context, x, 1) == [11]
    graph = context.graph()
    graph.empty(label="e")
    with pytest.raises(dc.ArgumentError, match="cannot be switched off"):
        graph.instantiate().disable("e")
    graph.close()


def test_a_whole_update_names_the_node_and_why(context, put, stream):
    x = context.alloc(64)

    def graph(second):
        made = context.graph()
        first = made.memset(x, 1, 4)
        second(made, first)
        return made

    old = graph(lambda g, first: g.kernel(put, 1, 1, x, 0, 1, after=first, label="write"))
    new = graph(lambda g, first: g.memset(x, 2, 4, after=first, label="clear"))
    execution = old.instantiate()
    with pytest.raises(
        dc.GraphUpdateError, match=r"a node has another kind: the new graph's memset node 0x\w+ \('clear'\)"
    ) as caught:
        execution.update_from(new, policy="raise")
    assert (caught.value.result, caught.value.node) == (3, new.find("clear").handle)
    with pytest.raises(dc.ArgumentError, match="no policy 'maybe'"):
        execution.update_from(new, policy="maybe")
    for made in (execution, old, new):
        made.close()


def test_after_a_whole_update_single_nodes_go_on_from_it(context, put, stream):
    x = filled(context, [0] * 4)

    def graph(value):
        made = context.graph()
        first = made.kernel(put, 1, 1, x, 0, value, label="first")
        made.kernel(put, 1, 1, x, 1, value, after=first, label="second")
        return made

    one, two = graph(1), graph(2)
    execution = one.instantiate()
    execution.update("first", value=50)
    assert execution.update_from(two)
    assert execution.read("first").arguments[2] == ("value", 2), "the update of the node is forgotten"
    execution.update("second", slot=2)
    execution.launch(stream)
    assert words(context, x, 3) == [2, 0, 2]
    two.close()
    execution.launch(stream)
    stream.synchronize()
    execution.close()
    one.close()


def test_graphs_in_another_order_cannot_be_told_apart(context, put, stream):
    x, one, two = context.alloc(64), context.graph(), context.graph()
    a = one.kernel(put, 1, 1, x, 0, 1, label="a")
    one.memset(x, 0, 4, after=a, label="b")
    late = two.memset(x, 0, 4)
    early = two.kernel(put, 1, 1, x, 0, 5)
    two.add_edge(early, late)
    execution = one.instantiate()
    assert execution.update_from(two)
    with pytest.raises(dc.ArgumentError, match="made in another order"):
        execution.update("a", value=3)
    execution.close()
    one.close()
    two.close()


# --- conditions -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def countdown(context):
    try:
        loaded = dc.load_with_device_runtime(context, COUNTDOWN, signatures={"countdown": COUNTDOWN_SIGNATURE})
    except dc.NotAvailableError as error:
        pytest.skip(f"no device runtime: {error}")
    return loaded.function("countdown")


def test_a_while_node_runs_until_a_kernel_says_so(context, countdown, bump, stream):
    x = filled(context, [5, 0])
    graph = context.graph()
    condition = graph.condition(default=1)
    loop = graph.while_(condition, label="loop")
    first = loop.body.kernel(countdown, 1, 1, condition, x)
    loop.body.kernel(bump, 1, 1, x, 1, 1, after=first)
    execution = graph.instantiate()
    execution.launch(stream)
    assert words(context, x, 2) == [0, 5]
    context.copy_to_device(x, bytes([3, 0, 0, 0]))
    execution.launch(stream)
    assert words(context, x, 2) == [0, 8]
    (node,) = graph.nodes()
    assert (node.kind, node.label, dict(node.details)) == ("conditional", "loop", {"form": "while", "bodies": 1})
    assert [inner.name for inner in node.bodies[0]] == ["countdown", "bump"]
    execution.update("bump", by=10)
    context.copy_to_device(x, bytes([2, 0, 0, 0]))
    execution.launch(stream)
    assert words(context, x, 2) == [0, 28]
    execution.close()
    graph.close()


def test_a_condition_is_set_from_a_word_that_any_kernel_wrote(context, countdown, put, bump, stream):
    x = filled(context, [0, 0])
    graph = context.graph()
    condition = graph.condition()
    write = graph.kernel(put, 1, 1, x, 0, 1, label="decide")
    chosen = graph.if_(condition, otherwise=True, after=condition.set_from(x, after=write))
    chosen.body.kernel(put, 1, 1, x, 1, 11)
    chosen.otherwise.kernel(put, 1, 1, x, 1, 22)
    execution = graph.instantiate()
    for value, expected in ((1, 11), (0, 22), (7, 11)):
        execution.update("decide", value=value)
        execution.launch(stream)
        assert words(context, x, 2) == [value, expected]
    execution.close()
    graph.close()


@pytest.mark.parametrize(
    "default, expected", [(0, [1, 0, 0]), (1, [0, 1, 0]), (2, [0, 0, 1]), (3, [0, 0, 0])], ids=lambda v: str(v)
)
def test_a_switch_runs_the_case_of_its_value(context, put, stream, default, expected):
    x, graph = filled(context, [0, 0, 0]), context.graph()
    node = graph.switch(graph.condition(default=default), 3)
    for case, body in enumerate(node.bodies):
        body.kernel(put, 1, 1, x, case, 1)
    graph.instantiate().launch(stream)
    assert words(context, x, 3) == expected
    graph.close()


def test_defaults_can_be_changed_by_a_whole_update(context, put, stream):
    x = filled(context, [0])

    def graph(default):
        made = context.graph()
        made.if_(made.condition(default)).body.kernel(put, 1, 1, x, 0, 9)
        return made

    off, on = graph(0), graph(1)
    execution = off.instantiate()
    execution.launch(stream)
    assert words(context, x, 1) == [0]
    assert execution.update_from(on)
    execution.launch(stream)
    assert words(context, x, 1) == [9]
    for made in (execution, off, on):
        made.close()


def test_bodies_nest_and_are_captured_into(context, put, stream):
    x, graph = filled(context, [0, 0]), context.graph()
    outer = graph.if_(graph.condition(default=1))
    inner = outer.body.if_(graph.condition(default=1))
    with stream.capture(into=inner.body) as capture:
        put.launch(1, 1, x, 0, 3, stream=stream)
        context.memset(x.pointer + 4, 4, 1, 4, stream=stream)
    assert capture.graph is inner.body
    graph.instantiate().launch(stream)
    assert words(context, x, 2) == [3, 4]
    graph.close()


def test_conditions_that_cannot_be(context, put, stream):
    graph, other = context.graph(), context.graph()
    condition = graph.condition(default=1)
    with pytest.raises(dc.CudaError):
        other.if_(condition)
    graph.if_(condition)
    with pytest.raises(dc.CudaError):
        graph.while_(condition)
    with pytest.raises(dc.ArgumentRangeError):
        graph.condition(default=1 << 32)
    with pytest.raises(dc.ArgumentError, match="has no else body"):
        graph.if_(graph.condition(default=1)).otherwise
    with pytest.raises(dc.NotSupportedError):
        graph.clone()
    other.condition(default=0)
    with pytest.raises(dc.CudaError, match="a conditional handle is not used"):
        other.instantiate()
    first = graph.instantiate()
    with pytest.raises(dc.NotSupportedError):
        graph.instantiate()
    for made in (first, graph, other):
        made.close()


def test_the_setter_is_missing_with_its_remedy(context, monkeypatch, tmp_path):
    from driver_ctypes.graphs import conditional

    monkeypatch.setenv(conditional.ENVIRONMENT_VARIABLE, str(tmp_path / "libcudadevrt.a"))
    with pytest.raises(dc.NotAvailableError, match="pip install nvidia-cuda-runtime") as caught:
        dc.device_runtime()
    assert str(tmp_path) in str(caught.value)


# --- memory -----------------------------------------------------------------------------------------------------------


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


# --- captures ---------------------------------------------------------------------------------------------------------


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


def test_a_label_is_text(context, put, stream):
    with pytest.raises(dc.ArgumentTypeError, match="a label is text, not int 5"), stream.capture() as capture:
        with capture.named(5):
            put.launch(1, 1, 0, 0, 1, stream=stream)


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


def test_a_broken_capture_names_the_call_and_its_line(context, stream):
    with pytest.raises(dc.CaptureError) as caught, stream.capture():
        try:
            context.alloc(64)
        except dc.CaptureError:
            pass
    assert re.search(
        r"the first call that failed inside the capture was cuMemAlloc_v2: .*\(900\), "
        r"at .*test_graphs_on_device\.py:\d+, in test_a_broken",
        str(caught.value),
    )
    assert re.search(r"the capture began at .*test_graphs_on_device\.py:\d+", str(caught.value))
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


# --- lifetimes --------------------------------------------------------------------------------------------------------


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


def test_an_update_keeps_the_new_and_lets_go_of_the_old(context, put, stream):
    x, y = filled(context, [0]), filled(context, [0])
    with stream.capture() as capture:
        put.launch(1, 1, x, 0, 1, stream=stream)
    execution = capture.graph.instantiate()
    first = filled(context, [0])
    execution.update("put", x=first)
    execution.launch(stream)
    first.close()
    buffers = context.live_handles()["buffer"]
    execution.update("put", x=y)
    gc.collect()
    assert context.live_handles()["buffer"] == buffers - 1, "what no launch will use again is freed"
    y.close()
    execution.launch(stream)
    stream.synchronize()
    execution.close()


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


def test_bound_launches_are_quick_and_checked(context, put, bump, stream):
    x = filled(context, [0])
    with stream.capture() as capture:
        bump.launch(1, 1, x, 0, 1, stream=stream)
    execution = capture.graph.instantiate()
    launch = execution.bind(stream)
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


def test_threads_launch_and_update_one_executable(context, bump, stream):
    x = filled(context, [0] * 2)
    with stream.capture() as capture:
        bump.launch(1, 1, x, 0, 1, stream=stream)
    execution = capture.graph.instantiate()
    launch = execution.bind(stream)
    threads = [threading.Thread(target=lambda: [launch() for _ in range(100)]) for _ in range(4)]
    threads.append(threading.Thread(target=lambda: [execution.update("bump", by=1) for _ in range(100)]))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert words(context, x, 1) == [400]


# --- pictures ---------------------------------------------------------------------------------------------------------


def test_drawings_show_kernels_arguments_and_bodies(context, put, tmp_path):
    x, graph = context.alloc(64), context.graph()
    first = graph.kernel(put, 1, 32, x, 0, 11, label="first")
    node = graph.if_(graph.condition(default=1), after=first, label="maybe")
    node.body.memset(x, 3, 4)
    dot, svg = graph.dot(), graph.svg()
    assert dot.startswith('digraph "graph" {')
    assert f"first: put\\n1 x 32\\nx = {x.pointer:#x}\\nslot = 0\\nvalue = 11" in dot
    assert "n0 -> n1;" in dot
    assert "subgraph cluster_n1_0" in dot
    assert svg.startswith("<svg")
    assert "value = 11" in svg
    assert svg.count("<rect") == 3
    assert svg.count("<path d") - 1 == 1  # one edge beside the arrow's head
    path = tmp_path / "graph.dot"
    graph.debug_dot(str(path))
    assert path.read_text().startswith("digraph")
    graph.close()


def test_layers_of_a_drawing(context, put):
    x, graph = context.alloc(64), context.graph()
    a = graph.empty(label="a")
    b, c = graph.empty(after=a, label="b"), graph.empty(after=a, label="c")
    graph.empty(after=[b, c], label="d")
    tops = [float(y) for y in re.findall(r'<rect x="[\d.]+" y="([\d.]+)"', graph.svg())]
    assert tops[1] == tops[2]
    assert all(upper < lower for upper, lower in pairwise([tops[0], tops[1], tops[3]]))
    graph.close()
    del x


# --- the rest ---------------------------------------------------------------------------------------------------------


def test_executables_that_kernels_may_launch(context, put, stream):
    graph = context.graph()
    first = graph.kernel(put, 1, 1, 0, 0, 1)
    with graph.instantiate(device_launch=True, upload=stream) as execution:
        assert execution.flags == 4
    graph.host(int, after=first, label="call")
    with pytest.raises(dc.CudaError, match=r"host node int \('call'\): a node's operation is not supported"):
        graph.instantiate(device_launch=True)
    graph.close()


def test_attributes_are_set_and_read(context, put):
    graph = context.graph()
    node = graph.kernel(put, 1, 1, 0, 0, 1, label="put", carveout=50)
    node.set_attributes(priority=-2, domain=1, domain_map=(1, 0), cooperative=True)
    found = graph.read("put")
    assert found.attributes == {"priority": -2, "domain": 1, "domain_map": (1, 0), "carveout": 50}
    assert found.cooperative
    with pytest.raises(dc.LaunchConfigError, match="kernel nodes have no attribute 'colour'"):
        node.set_attributes(colour=1)
    with pytest.raises(dc.LaunchConfigError, match="carveout=101 is not a whole number from 0 to 100"):
        node.set_attributes(carveout=101)
    graph.close()


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


@pytest.mark.cpu_only
def test_external_semaphores_are_signalled_and_waited_for(context, stream):
    import mmap
    import os

    descriptor = os.memfd_create("counter")
    os.ftruncate(descriptor, 8)
    view = mmap.mmap(descriptor, 8)
    with dc.import_semaphore(context, descriptor) as semaphore:
        semaphore.signal(3, stream)
        semaphore.wait(3, stream)
        assert int.from_bytes(view[:], "little") == 3
        graph = context.graph()
        first = graph.signal((semaphore, 5), label="signal")
        graph.wait_for((semaphore, 4), after=first)
        assert [(node.kind, node.details["fences"]) for node in graph.nodes()] == [
            ("semaphore_signal", ((semaphore.handle, 5),)),
            ("semaphore_wait", ((semaphore.handle, 4),)),
        ]
        execution = graph.instantiate()
        execution.update("signal", fences=[(semaphore, 8)])
        execution.launch(stream)
        assert int.from_bytes(view[:], "little") == 8
        semaphore.close()
        execution.launch(stream)  # the graph keeps it
        execution.close()
        graph.close()
    with pytest.raises(dc.ArgumentError, match="no kind of semaphore 'fence'"):
        dc.import_semaphore(context, 0, "fence")
    with pytest.raises(dc.CudaError):
        dc.import_semaphore(context, 987654)
    view.close()
