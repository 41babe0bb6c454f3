"""Updates of executables: one argument by name, nodes of every kind, switches, and whole graphs."""

from __future__ import annotations

import gc
import threading
from functools import partial

import pytest

import driver_ctypes as dc
from tests.driver_ctypes.kit import filled, words


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


@pytest.mark.parametrize("mixed", [False, True], ids=["bound", "bound and by name"])
def test_threads_launch_and_update_one_executable(context, bump, stream, mixed):
    x = filled(context, [0] * 2)
    with stream.capture() as capture:
        bump.launch(1, 1, x, 0, 1, stream=stream)
    execution = capture.graph.instantiate()
    launch = execution.bind(stream)
    ways = [launch, partial(execution.launch, stream) if mixed else launch]
    threads = [threading.Thread(target=lambda way=ways[i % 2]: [way() for _ in range(100)]) for i in range(4)]
    threads.append(threading.Thread(target=lambda: [execution.update("bump", by=1) for _ in range(100)]))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert words(context, x, 1) == [400]
