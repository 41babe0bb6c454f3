"""`scaled_matmul`: factors by blocks, batches, groups, strided factors, graphs, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

import ptxgen as px
from ptxgen import bf16, e4m3, f32
from ptxgen.ops import scaled_matmul, transposed


@pytest.fixture
def dev(device_name):
    device = px.device(device_name)
    if device.target != "sm_90a":
        pytest.skip("the kernel needs sm_90a")
    return device


def whole(seed, *shape):
    """Numbers whose products every type holds exactly."""
    return np.random.default_rng(seed).integers(-1, 2, shape).astype(np.float32)


def powers(seed, *shape):
    return np.exp2(np.random.default_rng(seed).integers(-1, 2, shape)).astype(np.float32)


def product(x, y, of_x, of_y):
    """In float32, exact for these numbers: x (.., m, depth), y (.., n, depth), of_y (.., depth / 128, n / 128)."""
    m, n, depth = x.shape[-2], y.shape[-2], x.shape[-1]
    left = x * np.repeat(of_x, 128, -1)[..., :depth]
    right = y.swapaxes(-1, -2) * np.repeat(np.repeat(of_y, 128, -2), 128, -1)[..., :depth, :n]
    assert left.shape[-2] == m
    return left @ right


def given(dev, x, y, of_x, of_y):
    return dev.array(x, e4m3), transposed(dev.array(y, e4m3)), dev.array(of_x), dev.array(of_y)


@pytest.mark.parametrize("lead", [(), (2,)])
def test_blocks_of_factors(dev, lead):
    x, y = whole(0, *lead, 70, 144), whole(1, *lead, 136, 144)
    of_x, of_y = powers(2, *lead, 70, 2), powers(3, *lead, 2, 2)
    found = scaled_matmul(*given(dev, x, y, of_x, of_y))
    assert found.type is bf16.isa
    assert np.array_equal(found.numpy(), dev.array(product(x, y, of_x, of_y), bf16).numpy())


def test_two_ctas_share_a_depth_where_tiles_are_few(dev):
    x, y = whole(0, 3, 2192), whole(1, 136, 2192)
    of_x, of_y = powers(2, 3, 18), powers(3, 18, 2)
    arrays = given(dev, x, y, of_x, of_y)
    assert "split=2" in scaled_matmul(*arrays, explain=True)
    assert np.array_equal(scaled_matmul(*arrays).numpy(), dev.array(product(x, y, of_x, of_y), bf16).numpy())


def test_factors_with_other_strides(dev):
    x, y, of_x, of_y = whole(0, 6, 144), whole(1, 136, 144), powers(2, 6, 2), powers(3, 2, 2)
    a, b, _, _ = given(dev, x, y, of_x, of_y)
    turned = [transposed(dev.array(np.ascontiguousarray(each.T))) for each in (of_x, of_y)]
    assert np.array_equal(scaled_matmul(a, b, *turned).numpy(), scaled_matmul(*given(dev, x, y, of_x, of_y)).numpy())


def test_a_graph_serves_groups_that_change_and_none_beyond_the_rows(dev):
    x, y = whole(4, 40, 144), whole(5, 3, 16, 144)
    of_x, of_y = powers(6, 40, 2), powers(7, 3, 2, 1)
    rows, store = dev.array(np.zeros(3, np.int32)), dev.full((50, 16), 7, bf16)
    arrays, out = given(dev, x, y, of_x, of_y), store[:40]
    with dev.capture() as graph:
        scaled_matmul(*arrays, out, rows=rows)
    for ends in ((5, 5, 38), (0, 39, 140)):
        rows.copy_from(np.array(ends, np.int32))
        store.fill(7)
        graph.launch()
        dev.synchronize()
        expected = np.full((50, 16), 7, np.float32)
        for g, (first, last) in enumerate(zip((0, *ends), np.minimum(ends, 40))):
            expected[first:last] = product(x[first:last], y[g], of_x[first:last], of_y[g])
        assert np.array_equal(store.numpy(), dev.array(expected, bf16).numpy())


def test_groups_with_room(dev):
    x, y = whole(8, 2, 20, 16), whole(9, 2, 8, 16)
    of_x, of_y = powers(10, 2, 20, 1), powers(11, 2, 1, 1)
    out, counts = dev.full((2, 20, 8), 7, bf16), (3, 20)
    scaled_matmul(*given(dev, x, y, of_x, of_y), out, rows=dev.array(np.array(counts, np.int32)))
    expected = np.full((2, 20, 8), 7, np.float32)
    for g, count in enumerate(counts):
        expected[g, :count] = product(x[g, :count], y[g], of_x[g, :count], of_y[g])
    assert np.array_equal(out.numpy(), expected)


@pytest.mark.parametrize(
    "change, said",
    [
        ({"a": (4, 144)}, r"scaled_matmul of \(4, 144\) and \(16, 8\)"),
        ({"scale_a": (4, 2)}, r"scale_a is .f32 of shape \(4, 2\)(.|\n)*\(4, 1\)"),
        ({"scale_b": (8, 1)}, r"scale_b is .f32 of shape \(8, 1\)(.|\n)*\(1, 1\)"),
        ({"out": (4, 9)}, r"out is .bf16 of shape \(4, 9\)"),
        ({"a": (4, 0), "b": (8, 0)}, "a depth of 1 or more"),
    ],
)
def test_what_it_refuses(dev, change, said):
    shapes = {"a": (4, 16), "b": (8, 16), "scale_a": (4, 1), "scale_b": (1, 1), "out": (4, 8), **change}
    types = {"a": e4m3, "b": e4m3, "scale_a": f32, "scale_b": f32, "out": bf16}
    arrays = {name: dev.zeros(shape, types[name]) for name, shape in shapes.items()}
    arrays["b"] = transposed(arrays["b"])
    with pytest.raises(px.BuildError, match=said):
        scaled_matmul(*arrays.values())


def test_b_has_its_depth_together_and_all_have_their_types(dev):
    a, of_a, scale = dev.zeros((4, 16), e4m3), dev.zeros((4, 1), f32), dev.zeros((1, 1), f32)
    with pytest.raises(px.BuildError, match=r"b of shape \(16, 16\) has strides"):
        scaled_matmul(a, dev.zeros((16, 16), e4m3), of_a, scale)
    with pytest.raises(px.BuildError, match=r"a is .bf16(.|\n)*.e4m3"):
        scaled_matmul(dev.zeros((4, 16), bf16), dev.zeros((16, 16), e4m3), of_a, scale)
