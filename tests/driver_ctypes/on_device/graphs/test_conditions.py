"""Conditional nodes: while, if and switch, set by kernels and from memory."""

from __future__ import annotations

import pytest

import driver_ctypes as dc
from tests.driver_ctypes.kit import COUNTDOWN, COUNTDOWN_SIGNATURE, filled, words


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
