"""Captured graphs of a device: named, inspected, updated, forked, drawn."""

from __future__ import annotations

import numpy as np
import pytest

import driver_ctypes as dc
import ptxgen as px
from ptxgen import f32, u32


@px.kernel
def scale(k: px.Builder, n: u32, a: f32, x: px.ptr[f32]) -> None:
    i = k.global_id.x
    with k.if_(i < n):
        x[i] = x[i] * a


@px.kernel
def add(k: px.Builder, n: u32, a: f32, x: px.ptr[f32]) -> None:
    i = k.global_id.x
    with k.if_(i < n):
        x[i] = x[i] + a


def test_arguments_are_changed_by_kernel_and_name(dev: px.Device) -> None:
    x, y = dev.full(64, 1, f32), dev.full(64, 10, f32)
    with dev.capture() as graph:
        scale[1, 64](64, 2.0, x)
        add[1, 64](64, 1.0, x)
    graph.launch()
    graph.update("scale", a=10.0)
    graph.launch()
    np.testing.assert_array_equal(x.numpy(), 31)
    graph.update("scale", x=y)
    graph.update("add", {"a": -5.0}, x=y)
    graph.bind()()
    np.testing.assert_array_equal(y.numpy(), 95)
    assert dict(graph.executable.read("add").arguments or ())["a"] == -5.0
    graph.close()


def test_nodes_are_named_in_the_body_and_found(dev: px.Device) -> None:
    x = dev.full(64, 1, f32)
    with dev.capture() as graph:
        with graph.named("double"):
            scale[1, 64](64, 2.0, x)
        with graph.named("triple"):
            scale[1, 64](64, 3.0, x)
    assert [node.label for node in graph.nodes()] == ["double", "triple"]
    graph.enable("double", False)
    graph.launch()
    np.testing.assert_array_equal(x.numpy(), 3)
    with pytest.raises(dc.ArgumentError, match="2 nodes are called 'scale'"):
        graph.update("scale", a=1.0)
    with pytest.raises(dc.CaptureError, match="has ended"):
        graph.named("late")
    graph.close()


def test_side_streams_take_part(dev: px.Device) -> None:
    x, y = dev.full(64, 1, f32), dev.full(64, 2, f32)
    with dev.stream() as side:
        with dev.capture() as graph, graph.fork(side):
            scale[1, 64](64, 3.0, x)
            with dev.use(side):
                scale[1, 64](64, 3.0, y)
        graph.launch()
        assert (x.numpy()[0], y.numpy()[0]) == (3, 6)
    graph.close()


def test_a_graph_takes_over_another_captures_arguments(dev: px.Device) -> None:
    """The way of a decoding loop: the same launches are captured with other arguments, the executable is kept."""
    x, last = dev.full(64, 1, f32), None
    for step in range(1, 5):
        with dev.capture() as graph:
            scale[1, 64](64, float(step), x)
        if last is None:
            last = graph
        else:
            assert last.update_from(graph)
            graph.close()
        last.launch()
    np.testing.assert_array_equal(x.numpy(), 24)
    with dev.capture() as longer:
        scale[1, 64](64, 2.0, x)
        add[1, 64](64, 1.0, x)
    with pytest.raises(dc.GraphUpdateError, match="topology changed"):
        last.update_from(longer, policy="raise")
    assert not last.update_from(longer)
    last.launch()
    np.testing.assert_array_equal(x.numpy(), 49)
    last.close()
    longer.close()


def test_a_graph_becomes_a_node_of_another(dev: px.Device) -> None:
    x = dev.full(64, 1, f32)
    with dev.capture() as inner:
        scale[1, 64](64, 5.0, x)
    outer = dev.context.graph()
    first = outer.child(inner.definition, label="first")
    outer.child(inner.definition, after=first, label="second")
    with outer.instantiate() as execution:
        execution.launch(dev.current_stream)
        np.testing.assert_array_equal(x.numpy(), 25)
    outer.close()
    inner.close()


def test_pictures(dev: px.Device) -> None:
    x = dev.full(64, 1, f32)
    with dev.capture() as graph:
        assert graph._repr_svg_() is None
        scale[2, 32](64, 2.5, x)
    assert "scale\\n2 x 32\\nn = 64\\na = 2.5" in graph.dot()
    assert "a = 2.5" in graph.svg()
    assert graph._repr_svg_() == graph.svg()
    graph.close()


def test_a_capture_that_cannot_begin_leaves_no_stream(dev: px.Device) -> None:
    before = dev.context.live_handles()
    with pytest.raises(dc.CaptureError, match="no capture mode"), dev.capture("local"):
        pass
    assert dev.context.live_handles() == before


def test_a_node_is_named_by_label_or_kernel(dev: px.Device) -> None:
    x = dev.full(64, 1, f32)
    with dev.capture() as graph:
        scale[1, 64](64, 2.0, x)
    for wrong in (0, 3.5, None):
        with pytest.raises(
            dc.ArgumentTypeError, match=rf"named by label or kernel, not by {wrong}\n.*there are: scale"
        ):
            graph.update(wrong, a=3.0)  # type: ignore[arg-type]
    with pytest.raises(dc.ArgumentTypeError, match=r"not by Kernel\n.*pass 'scale'"):
        graph.update(scale, a=3.0)  # type: ignore[arg-type]
    with pytest.raises(dc.ArgumentTypeError, match="named by label or kernel"):
        graph.bind_update(scale, "a")  # type: ignore[arg-type]
    graph.executable.update(graph.definition.find(graph.nodes()[0].handle), a=3.0)
    graph.launch()
    np.testing.assert_array_equal(x.numpy(), 3)


@pytest.mark.parametrize("what", ["grid", "block"])
def test_an_update_to_no_blocks_or_threads_is_the_launchs_own_error(dev: px.Device, what: str) -> None:
    x = dev.full(64, 1, f32)
    with dev.capture() as graph:
        scale[1, 64](64, 2.0, x)
    with pytest.raises(dc.LaunchConfigError, match=f"kernel 'scale': {what}=0 is not one to three positive integers"):
        graph.update("scale", **{what: 0})
    graph.launch()
    np.testing.assert_array_equal(x.numpy(), 2)


def test_a_closed_graph_says_that_it_is_closed(dev: px.Device) -> None:
    x = dev.full(64, 1, f32)
    with dev.capture() as graph:
        scale[1, 64](64, 2.0, x)
        with pytest.raises(dc.CaptureError, match="its body has not ended"):
            graph.launch()
    graph.close()
    for use in (graph.launch, graph.nodes, graph.bind):
        with pytest.raises(dc.ClosedError, match="this graph is closed"):
            use()
