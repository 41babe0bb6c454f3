"""What a captured graph says of itself after its executable has changed, and how long other graphs are needed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ptxgen as px
from driver_ctypes import ArgumentTypeError, CaptureError, GraphUpdateError


@px.kernel
def scale(k: px.Builder, a: px.f32, x: px.ptr[px.f32]) -> None:
    x[k.tid.x] = x[k.tid.x] * a


def scaling(dev: px.Device, x: px.Array, *factors: float) -> Any:
    with dev.capture() as graph:
        for a in factors:
            scale[1, 4](a, x)
    return graph


def factors(graph: Any) -> list[float]:
    return [dict(node.arguments)["a"] for node in graph.nodes()]


def test_an_updated_argument_is_shown(dev: px.Device) -> None:
    x = dev.full(4, 1, px.f32)
    graph = scaling(dev, x, 2.0)
    graph.update("scale", a=3.0)
    assert factors(graph) == [3.0]
    assert "a = 3.0" in graph.dot()
    assert "a = 3.0" in graph.svg()
    assert len(graph.definition.nodes()) == 1
    graph.close()


def test_arguments_taken_over_outlive_the_other_graph(dev: px.Device) -> None:
    x = dev.full(4, 1, px.f32)
    graph, other = scaling(dev, x, 2.0, 3.0), scaling(dev, x, 5.0, 7.0)
    assert graph.update_from(other)
    other.close()
    assert factors(graph) == [5.0, 7.0]
    graph.launch()
    np.testing.assert_array_equal(x.numpy(), np.full(4, 35))
    first, second = graph.nodes()
    graph.update(second, a=1.0)
    assert factors(graph) == [5.0, 1.0]
    assert second.dependencies
    assert second.dependencies[0][0] == first.handle
    graph.launch()
    np.testing.assert_array_equal(x.numpy(), np.full(4, 175))
    graph.close()


def test_a_form_taken_over_is_the_graph_s_own(dev: px.Device) -> None:
    x = dev.full(4, 1, px.f32)
    graph, other = scaling(dev, x, 2.0), scaling(dev, x, 5.0, 7.0)
    with pytest.raises(GraphUpdateError):
        graph.update_from(other, policy="raise")
    assert factors(graph) == [2.0]
    assert not graph.update_from(other)
    other.close()
    assert len(graph) == 2
    assert factors(graph) == [5.0, 7.0]
    assert "a = 7.0" in graph.dot()
    graph.update(graph.nodes()[0], a=2.0)
    graph.launch()
    np.testing.assert_array_equal(x.numpy(), np.full(4, 14))
    assert len(graph.definition.nodes()) == 2
    graph.close()


def test_an_executable_needs_no_open_graph(dev: px.Device) -> None:
    x = dev.full(4, 1, px.f32)
    graph = scaling(dev, x, 2.0)
    executable = graph.executable
    graph.definition.close()
    executable.update("scale", a=4.0)
    assert dict(executable.read("scale").arguments)["a"] == 4.0
    executable.launch()
    dev.synchronize()
    np.testing.assert_array_equal(x.numpy(), np.full(4, 4))
    graph.close()


def test_a_graph_is_recorded_once(dev: px.Device) -> None:
    x = dev.full(4, 1, px.f32)
    graph = scaling(dev, x, 2.0)
    with pytest.raises(CaptureError, match="captured already"), graph:
        pass
    graph.launch()
    np.testing.assert_array_equal(x.numpy(), np.full(4, 2))
    graph.close()
    with pytest.raises(CaptureError, match="closed"), graph:
        pass
    with dev.capture() as outer, pytest.raises(CaptureError, match="being captured"), outer:
        pass
    outer.close()


def test_a_node_takes_a_loaded_kernel(dev: px.Device) -> None:
    x = dev.full(4, 1, px.f32)
    graph = scaling(dev, x, 2.0)
    with pytest.raises(ArgumentTypeError, match="takes a loaded kernel, not 'scale'"):
        graph.update("scale", function=scale)
    with dev.context.graph() as built:
        with pytest.raises(ArgumentTypeError, match="takes a loaded kernel"):
            built.kernel(scale, 1, 4, 1.0, x)
        built.kernel(scale.on(dev).function, 1, 4, 1.0, x)
        assert len(built) == 1
    graph.update("scale", function=scale.on(dev).function, a=5.0, x=x)
    graph.launch()
    np.testing.assert_array_equal(x.numpy(), np.full(4, 5))
    graph.close()
