"""Graphs built by hand: every kind of node, typed edges, the inventory, and what is refused."""

from __future__ import annotations

import gc
import os
from functools import partial
from itertools import pairwise

import pytest

import driver_ctypes as dc
from tests.driver_ctypes.kit import PTX, SIGNATURES, filled, words


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


def test_the_inventory_of_a_graph(context, module, stream):
    x = context.alloc(4096)
    with stream.capture() as capture:
        context.memset(x, 3, 1024, 4, stream=stream)
        module.function("add").launch((2, 2), 128, x, 1024, 7, stream=stream)
        module.function("nothing").launch(1, 1, stream=stream)
        context.copy(x.pointer + 2048, x, 2048, stream=stream)
    fill, add, nothing, copy = sorted(capture.graph.nodes(), key=lambda n: ["memset", "kernel", "memcpy"].index(n.kind))
    if add.name == "nothing":
        add, nothing = nothing, add
    assert (fill.details["dst"], fill.details["value"], fill.details["width"]) == (x.pointer, 3, 1024)
    assert (add.kind, add.name, add.grid, add.block) == ("kernel", "add", (2, 2, 1), (128, 1, 1))
    assert add.arguments == (("x", x.pointer), ("n", 1024), ("k", 7))
    assert (nothing.name, nothing.arguments) == ("nothing", ())
    assert (copy.details["dst"], copy.details["src"], copy.details["bytes"]) == (x.pointer + 2048, x.pointer, 2048)
    handles = [fill.handle, add.handle, nothing.handle, copy.handle]
    assert {(e.source, e.target) for e in capture.graph.edges()} == set(pairwise(handles))


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
    with pytest.raises(dc.ArgumentTypeError, match="is not a node"):
        two.empty(after="start")
    kernel = one.kernel(put, 1, 1, 0, 0, 1, label="put")
    for wrong in (kernel, kernel.read()):
        for act in (
            two.remove,
            two.read,
            partial(two.update, value=2),
            partial(two.set_attributes, priority=0),
        ):
            with pytest.raises(dc.ArgumentError, match="is in another graph"):
                act(wrong)
    with two.instantiate() as execution, pytest.raises(dc.ArgumentError, match="is in another graph"):
        execution.update(kernel, value=2)
    assert dict(one.read(kernel).arguments)["value"] == 1
    with pytest.raises(dc.ArgumentError, match="is in another graph"):
        two.add_edge(two.empty(), kernel)
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
    event = context.event()

    def run():
        execution.launch(stream)
        event.record(stream).synchronize()  # which tells nothing

    for hear in (partial(execution.launch, stream), execution.check, stream.synchronize, context.synchronize):
        run()
        with pytest.raises(dc.HostFunctionError, match=r"raised ZeroDivisionError: .*division") as caught:
            hear()
        assert isinstance(caught.value.__cause__, ZeroDivisionError)
        execution.check()  # once is enough
        context.synchronize()
    with context.stream() as other:
        run()
        other.synchronize()  # not of its work
        with pytest.raises(dc.HostFunctionError):
            stream.synchronize()
    run()
    stream.call(stream.synchronize)  # a function hears nothing of functions
    with pytest.raises(dc.HostFunctionError, match=r"host function .*lambda"):
        stream.synchronize()
    assert graph.nodes()[0].name.endswith("<lambda>")
    execution.launch(stream)
    with pytest.raises(dc.HostFunctionError):
        execution.close()
    assert execution.closed
    execution.close()
    context.synchronize()
    graph.close()


def test_the_body_s_exception_comes_first(context, stream):
    graph = context.graph()
    graph.host(lambda: 1 // 0)
    with pytest.raises(KeyError), graph.instantiate() as execution:
        execution.launch(stream)
        raise KeyError
    graph.close()
    del graph, execution
    gc.collect()
    with pytest.raises(dc.HostFunctionError, match="ZeroDivisionError"):
        context.synchronize()
    context.synchronize()


@pytest.mark.parametrize("form", ["child", "clone"])
def test_labels_of_what_is_copied_come_along(context, put, stream, form):
    """However deep."""
    x, inner = filled(context, [0] * 4), context.graph()
    graphs = [inner]
    inner.kernel(put, 1, 1, x, 0, 1, label="put")
    inner.kernel(put, 1, 1, x, 1, 1)
    for depth in range(3):
        outer = context.graph()
        outer.child(graphs[-1], label=f"child {depth}")
        graphs.append(outer)
    top = graphs[-1].clone() if form == "clone" else graphs[-1]
    with top.instantiate() as execution:
        execution.update("put", value=5)
        execution.launch(stream)
        assert words(context, x, 2) == [5, 1]
        for depth in range(3):
            assert top.find(f"child {depth}").kind == "graph"
    middle = top.find("child 1")
    found = top.find("put")
    middle.remove()
    with pytest.raises(dc.ClosedError, match="was removed"):
        found.read()
    for graph in {top, *graphs}:
        graph.close()


def test_kernels_of_another_context_are_known_too(context, put):
    own = context.device.create_context()
    try:
        theirs = own.load(PTX, signatures=SIGNATURES).function("put")
        graph, x = context.graph(), own.alloc(16)
        node = graph.kernel(theirs, 1, 1, x, 2, 3, label="theirs")
        graph.kernel(put, 1, 1, 0, 4, 5)
        expected = [(("x", x.pointer), ("slot", 2), ("value", 3)), (("x", 0), ("slot", 4), ("value", 5))]
        assert [one.arguments for one in graph.nodes()] == expected
        graph.update(node, value=7)
        assert dict(node.read().arguments)["value"] == 7
        graph.close()
    finally:
        own.close()


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


@pytest.mark.cpu_only
def test_external_semaphores_are_signalled_and_waited_for(context, stream):
    import mmap

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
