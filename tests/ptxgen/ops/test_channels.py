"""Group norm on arrays: odd forms, gradients, special numbers, graphs, refusals."""

from __future__ import annotations

import numpy as np
import pytest

import ptxgen as px
from ptxgen import bf16, f16, f32
from ptxgen.ops import group_norm, group_norm_backward


def normalised(x, groups, eps=1e-5):
    """(x without its groups' means and deviations, means, scales), in float64."""
    rows = x.astype(np.float64).reshape(len(x), groups, np.prod(x.shape[1:]) // groups)
    mean = rows.mean(axis=2, keepdims=True)
    scale = 1 / np.sqrt(rows.var(axis=2, keepdims=True) + eps)
    return ((rows - mean) * scale).reshape(x.shape), mean[..., 0], scale[..., 0]


SHAPES = [
    ((2, 6, 5, 7), 3),
    ((3, 8), 2),
    ((1, 4, 64), 4),
    ((2, 2, 3, 4, 5), 1),
    ((2, 4, 16, 40), 2),
    ((2, 8, 16, 16), 2),
    ((0, 4, 3), 2),
]


@pytest.mark.parametrize("shape, groups", SHAPES)
@pytest.mark.parametrize("element", [f32, bf16])
def test_group_norm_and_its_gradients(dev, shape, groups, element):
    rng = np.random.default_rng(sum(shape))
    x, g, weight, bias = (
        dev.array(rng.standard_normal(s).astype(np.float32), element) for s in (shape, shape, shape[1], shape[1])
    )
    mean, scale = (dev.empty((shape[0], groups), f32) for _ in range(2))
    y = group_norm(x, groups, weight, bias, mean=mean, scale=scale)
    wide, slope, w, b = (each.numpy().astype(np.float64) for each in (x, g, weight, bias))
    w, b = (each.reshape(-1, *[1] * (len(shape) - 2)) for each in (w, b))
    plain, means, scales = normalised(wide, groups)
    close = {"rtol": 2e-2, "atol": 2e-2} if element is bf16 else {"rtol": 1e-4, "atol": 1e-4}
    assert np.allclose(y.numpy(), plain * w + b, **close)
    assert np.allclose(mean.numpy(), means, atol=1e-5)
    assert np.allclose(scale.numpy(), scales, rtol=1e-5)

    d_x, d_weight, d_bias = group_norm_backward(g, x, groups, weight, mean, scale)
    rows = (shape[0], groups, np.prod(shape[1:]) // groups)
    weighed, flat = (slope * w).reshape(rows), plain.reshape(rows)
    exact = weighed - weighed.mean(axis=2, keepdims=True) - flat * (weighed * flat).mean(axis=2, keepdims=True)
    assert np.allclose(d_x.numpy(), (exact * scales[..., None]).reshape(shape), **close)
    others = (0, *range(2, len(shape)))
    assert np.allclose(d_weight.numpy(), (slope * plain).sum(axis=others), rtol=1e-3, atol=1e-3)
    assert np.allclose(d_bias.numpy(), slope.sum(axis=others), rtol=1e-4, atol=1e-4)


def test_a_group_that_no_cluster_holds_is_read_twice(dev):
    x = dev.array(np.random.default_rng(0).standard_normal((1, 2, 66_001)).astype(np.float32))
    mean, scale, weight = dev.empty((1, 1), f32), dev.empty((1, 1), f32), dev.array(np.float32([2, -1]))
    assert "reread=True" in group_norm(x, 1, weight, explain=True)
    y = group_norm(x, 1, weight, mean=mean, scale=scale)
    plain, _, scales = normalised(x.numpy(), 1)
    weighed = np.float64([2, -1])[None, :, None] * plain
    assert np.allclose(y.numpy(), weighed, atol=1e-4)
    d_x, d_weight, _ = group_norm_backward(x, x, 1, weight, mean, scale)
    slope = np.float64([2, -1])[None, :, None] * x.numpy()
    exact = (slope - slope.mean() - plain * (slope * plain).mean()) * scales[0, 0]
    assert np.allclose(d_x.numpy(), exact, atol=1e-3)
    assert np.allclose(d_weight.numpy(), (x.numpy() * plain).sum(axis=(0, 2)), rtol=1e-3)


def test_without_weights_in_place_and_the_same_bits(dev):
    x = np.random.default_rng(1).standard_normal((3, 4, 9)).astype(np.float32)
    on = dev.array(x, f16)
    mean, scale, weight = dev.empty((3, 2), f32), dev.empty((3, 2), f32), dev.array(np.ones(4, np.float32), f16)
    plain = normalised(on.numpy(), 2)[0]
    sums = [group_norm_backward(on, on, 2, weight, *_kept(dev, on, 2))[1].numpy().tobytes() for _ in range(2)]
    assert sums[0] == sums[1]
    assert group_norm_backward(on, on, 2, None, *_kept(dev, on, 2)).shape == (3, 4, 9)
    assert group_norm(on, 2, None, None, on, mean=mean, scale=scale) is on
    assert np.allclose(on.numpy(), plain, atol=2e-3)


def _kept(dev, x, groups):
    mean, scale = (dev.empty((x.shape[0], groups), f32) for _ in range(2))
    group_norm(x, groups, mean=mean, scale=scale)
    return mean, scale


def test_nan_stays_in_its_group(dev):
    x = np.ones((2, 4, 3), np.float32)
    x[0, 1, 2], x[1, 3, 0] = np.nan, np.inf
    found = np.isnan(group_norm(dev.array(x), 2).numpy()).all(axis=2)
    assert found.tolist() == [[True, True, False, False], [False, False, True, True]]


def test_a_graph_of_both(dev):
    x, out = (
        dev.array(np.random.default_rng(2).standard_normal((2, 4, 8)).astype(np.float32)),
        dev.zeros((2, 4, 8), f32),
    )
    weight, d_weight, d_bias = dev.array(np.float32([1, 2, 3, 4])), dev.zeros(4, f32), dev.zeros(4, f32)
    mean, scale = dev.zeros((2, 2), f32), dev.zeros((2, 2), f32)
    with dev.capture() as graph:
        group_norm(x, 2, weight, None, out, mean=mean, scale=scale)
        group_norm_backward(out, x, 2, weight, mean, scale, out, d_weight, d_bias)
    graph.launch()
    dev.synchronize()
    plain = normalised(x.numpy(), 2)[0]
    assert np.allclose(d_bias.numpy(), (plain * np.arange(1, 5)[:, None]).sum(axis=(0, 2)), atol=1e-4)


def test_what_is_refused(dev):
    x = dev.zeros((2, 6, 4), f32)
    with pytest.raises(px.BuildError, match=r"4 groups of 6 channels(.|\n)*a divisor"):
        group_norm(x, 4)
    with pytest.raises(px.BuildError, match="groups is 0"):
        group_norm(x, 0)
    with pytest.raises(px.BuildError, match="mean without scale"):
        group_norm(x, 2, mean=dev.zeros((2, 2), f32))
    with pytest.raises(px.BuildError, match=r"weight is .f32 of \(4,\)(.|\n)*\(6,\), without gaps"):
        group_norm(x, 2, dev.zeros(4, f32))
    with pytest.raises(px.BuildError, match=r"group_norm of .f32 of \(6,\)"):
        group_norm(dev.zeros(6, f32), 2)
    with pytest.raises(px.BuildError, match=r"group_norm of .f32 of \(2, 6, 0\)"):
        group_norm(dev.zeros((2, 6, 0), f32), 2)
    rows = dev.zeros((5, 4), f32)
    with pytest.raises(px.BuildError, match=r"out of shape \(4, 4\) .* overlaps x"):
        group_norm(rows[:4], 2, out=rows[1:])
    with pytest.raises(px.BuildError, match=r"overlaps weight"):
        group_norm(rows, 4, rows[0], out=rows)
    with pytest.raises(px.BuildError, match="without weight"):
        group_norm_backward(x, x, 2, None, *_kept(dev, x, 2), d_weight=dev.zeros(6, f32))
