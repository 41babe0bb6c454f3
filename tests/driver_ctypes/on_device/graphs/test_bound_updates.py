"""`GraphExec.bind_update`: arguments of a kernel node, changed again and again."""

from __future__ import annotations

import gc
import threading

import pytest

import driver_ctypes as dc
from tests.driver_ctypes.kit import filled, words


@pytest.fixture
def execution(context, module, stream, x):
    """put(x, slot=0, value=1) as "first", then bump(x, slot=0, by=1)."""
    with stream.capture() as capture:
        with capture.named("first"):
            module.function("put").launch(1, 1, x, 0, 1, stream=stream)
        module.function("bump").launch(1, 1, x, 0, 1, stream=stream)
    with capture.graph as graph, graph.instantiate() as execution:
        yield execution


def run(execution, stream, x):
    execution.launch(stream)
    return words(execution.context, x, 8)


def test_arguments_change_in_the_order_of_their_names(context, execution, stream, x):
    place = execution.bind_update("first", "value", "slot")
    by = execution.bind_update("bump", "by")
    for number in range(1, 5):
        place(10 * number, number)
        by(number)
        assert run(execution, stream, x)[number] == 10 * number
    assert words(context, x, 1) == [1 + 2 + 3 + 4]
    assert dict(execution.read("first").arguments) == {"x": x.pointer, "slot": 4, "value": 40}
    assert "value, slot" in place.__doc__


def test_the_node_may_be_given_itself(execution, stream, x):
    execution.bind_update(execution.graph.find("first"), "value")(7)
    execution.bind_update(execution.graph.nodes()[1], "by")(3)
    assert run(execution, stream, x)[0] == 10


def test_memory_is_kept_and_let_go(context, execution, stream, x):
    move = execution.bind_update("first", "x")
    other = filled(context, [0] * 8)
    move(other)
    other.close()
    buffers = context.live_handles()["buffer"]
    execution.launch(stream)
    stream.synchronize()
    move(x)
    gc.collect()
    assert context.live_handles()["buffer"] == buffers - 1
    move(x.pointer)
    assert run(execution, stream, x)[0] == 2


def test_grid_block_and_shared_are_named_like_arguments(context, module, stream):
    ones = filled(context, [0] * 64, "f")
    with stream.capture() as capture:
        module.function("add_one").launch(1, 1, ones, 64, stream=stream)
    with capture.graph.instantiate() as execution:
        resize = execution.bind_update("add_one", "grid", "n", "block")
        resize(2, 60, (32, 1, 1))
        execution.launch(stream)
        assert words(context, ones, 64, "f") == [1.0] * 60 + [0.0] * 4
        assert execution.read("add_one").grid == (2, 1, 1)
        with pytest.raises(dc.LaunchConfigError):
            resize(0, 60, 32)
        with pytest.raises(dc.LaunchConfigError):
            resize(2, 60, 1 << 20)
        execution.launch(stream)
        assert words(context, ones, 64, "f") == [2.0] * 60 + [0.0] * 4


def test_a_kernel_without_parameters_has_its_grid(context, module, stream):
    with stream.capture() as capture:
        module.function("nothing").launch(1, 1, stream=stream)
    with capture.graph.instantiate() as execution:
        execution.bind_update("nothing", "grid")(5)
        assert execution.read("nothing").grid == (5, 1, 1)


@pytest.mark.parametrize(
    "names, values, error, text",
    [
        (("z",), (1,), dc.ArgumentError, r"no parameter 'z'(.|\n)*it has: x, slot, value; beside them"),
        ((), (), dc.ArgumentError, "each named once"),
        (("slot", "slot"), (1, 2), dc.ArgumentError, "each named once"),
        (("slot",), (1, 2), dc.ArgumentCountError, r"takes 1 value\(s\), 2 were given"),
        (("slot",), (-1,), dc.ArgumentRangeError, r"put: argument 2 \(slot: u32\)"),
        (("slot",), ("one",), dc.ArgumentTypeError, r"put: argument 2 \(slot: u32\): expected an integer"),
        (("x",), (bytearray(8),), dc.ArgumentTypeError, r"put: argument 1 \(x: pointer\): .*host memory"),
        (("x",), (None,), dc.ArgumentTypeError, "pass 0 for a null pointer"),
    ],
)
def test_mistakes_are_named_and_change_nothing(execution, stream, x, names, values, error, text):
    with pytest.raises(error, match=text):
        execution.bind_update("first", *names)(*values)
    assert run(execution, stream, x)[0] == 2


def test_only_kernels_have_bound_updates(context, x):
    with context.graph() as graph:
        graph.memset(x, 0, 4, 4, label="clear")
        with (
            graph.instantiate() as execution,
            pytest.raises(dc.ArgumentError, match="memset node has no bound updates"),
        ):
            execution.bind_update("clear", "value")


def test_it_follows_other_changes_of_the_node(context, module, execution, stream, x):
    value, slot = execution.bind_update("first", "value"), execution.bind_update("first", "slot")
    value(5)
    execution.update("first", slot=1)
    value(6)
    assert run(execution, stream, x)[1] == 6
    slot(2)
    assert run(execution, stream, x)[2] == 6
    put = module.function("put")
    with stream.capture() as again, again.named("first"):
        put.launch(1, 1, x, 3, 7, stream=stream)
    with again.graph:
        assert execution.update_from(again.graph) is False  # made anew: it has one node now
        value(8)
        assert run(execution, stream, x)[3] == 8


def test_it_goes_on_from_a_whole_update(module, execution, stream, x):
    value = execution.bind_update("first", "value")
    value(5)
    with stream.capture() as again:
        module.function("put").launch(1, 1, x, 4, 7, stream=stream)
        module.function("bump").launch(1, 1, x, 4, 1, stream=stream)
    with again.graph:
        assert execution.update_from(again.graph) is True
        assert run(execution, stream, x)[4] == 8
        value(20)
        assert run(execution, stream, x)[4] == 21


def test_closed_things_are_refused(context, execution, x):
    value = execution.bind_update("first", "value")
    with context.alloc(8) as closed:
        move = execution.bind_update("first", "x")
    with pytest.raises(dc.ClosedError):
        move(closed)
    execution.close()
    with pytest.raises(dc.ClosedError):
        value(1)


def test_threads_share_it_with_launches_and_updates(context, module, stream):
    """Every launch sees one whole update: both words of a pair come from the same one."""
    x = filled(context, [0] * 8)
    with stream.capture() as capture:
        module.function("bump").launch(1, 1, x, 0, 0, stream=stream)
    with capture.graph.instantiate() as execution:
        launch, change = execution.bind(stream), execution.bind_update("bump", "slot", "by")
        failures = []

        def work(index):
            try:
                for _ in range(200):
                    change(index, 0)
                    launch()
                    execution.update("bump", by=0)
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=work, args=(index,)) for index in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failures == []
        change(5, 9)
        launch()
        assert words(context, x, 8) == [0, 0, 0, 0, 0, 9, 0, 0]


@pytest.mark.cpu_only
def test_a_driver_that_refuses_leaves_the_node_as_it_was(execution, stream, x):
    from ptxgen.emulated_driver import inject

    value = execution.bind_update("first", "value", "grid")
    value(5, 1)
    with (
        inject("cuGraphExecKernelNodeSetParams_v2", 1, 304),
        pytest.raises(dc.CudaError, match=r"SetParams_v2 failed(.|\n)*updating kernel node put \('first'\)"),
    ):
        value(6, 2)
    assert dict(execution.read("first").arguments)["value"] == 5
    assert execution.read("first").grid == (1, 1, 1)
    execution.bind_update("first", "slot")(1)
    assert run(execution, stream, x)[1] == 5
