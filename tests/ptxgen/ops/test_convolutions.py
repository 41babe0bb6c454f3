"""Causal depthwise convolutions on arrays: odd forms, special numbers, graphs, refusals."""

from __future__ import annotations

import numpy as np
import pytest

import ptxgen as px
from ptxgen import bf16, f16, f32
from ptxgen.ops import conv1d_depthwise


def convolved(x, weight, bias):
    taps = weight.shape[1]
    wide = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (taps - 1, 0)))
    terms = [weight[:, j, None].astype(np.float64) * wide[..., j : j + x.shape[2]] for j in range(taps)]
    return sum(terms) + bias.astype(np.float64)[:, None]


@pytest.mark.parametrize(
    "shape, taps, element",
    [
        ((2, 3, 16), 4, f32), ((1, 5, 33), 4, bf16), ((2, 2, 1), 3, f16), ((2, 4, 1000), 9, bf16), ((3, 1, 24), 1, f32),
        ((1, 2, 40), 32, f32), ((2, 0, 8), 4, f32), ((2, 3, 4104), 4, f16), ((4, 2, 8), 1, bf16),
    ],
)  # fmt: skip
def test_any_length_and_number_of_taps(dev, shape, taps, element):
    rng = np.random.default_rng(taps)
    x, weight, bias = (
        dev.array(rng.standard_normal(s).astype(np.float32), element) for s in (shape, (shape[1], taps), shape[1])
    )
    exact = convolved(x.numpy(), weight.numpy(), bias.numpy())
    close = {f32: 1e-5, bf16: 2e-2, f16: 4e-3}[element]
    assert np.allclose(conv1d_depthwise(x, weight, bias).numpy(), exact, rtol=close, atol=close)
    smooth = conv1d_depthwise(x, weight, bias, silu=True).numpy()
    assert np.allclose(smooth, exact / (1 + np.exp(-exact)), rtol=close, atol=close)
    plain = exact - bias.numpy().astype(np.float64)[:, None]
    assert np.allclose(conv1d_depthwise(x, weight).numpy(), plain, rtol=close, atol=close)


def test_what_is_ahead_is_zeros_and_nan_goes_on(dev):
    x = np.ones((1, 2, 8), np.float32)
    x[0, 0, 3] = np.nan
    found = conv1d_depthwise(dev.array(x), dev.array(np.ones((2, 4), np.float32))).numpy()[0]
    assert found[1].tolist() == [1, 2, 3, 4, 4, 4, 4, 4]
    assert np.isnan(found[0]).tolist() == [False] * 3 + [True] * 4 + [False]


def test_a_graph(dev):
    x, weight = dev.array(np.arange(16, dtype=np.float32).reshape(1, 2, 8)), dev.array(np.float32([[1, 2], [3, 4]]))
    out = dev.zeros((1, 2, 8), f32)
    for _ in range(2):
        assert conv1d_depthwise(x, weight, None, out) is out
    with dev.capture() as graph:
        conv1d_depthwise(x, weight, None, out)
    out.fill(0)
    graph.launch()
    dev.synchronize()
    assert np.array_equal(out.numpy(), convolved(x.numpy(), weight.numpy(), np.zeros(2)))
    assert "taps" in conv1d_depthwise(x, weight, explain=True)


def test_what_is_refused(dev):
    x, weight = dev.zeros((2, 3, 8), f32), dev.zeros((3, 4), f32)
    with pytest.raises(px.BuildError, match=r"conv1d_depthwise of .f32 of \(3, 8\)"):
        conv1d_depthwise(x[0], weight)
    with pytest.raises(px.BuildError, match=r"weight is an array of \(3, 33\)(.|\n)*1 to 32 taps"):
        conv1d_depthwise(x, dev.zeros((3, 33), f32))
    with pytest.raises(px.BuildError, match=r"weight is .f32 of \(2, 4\)(.|\n)*\(3, 4\)"):
        conv1d_depthwise(x, weight[:2])
    with pytest.raises(px.BuildError, match=r"bias is .bf16 of \(3,\)"):
        conv1d_depthwise(x, weight, dev.zeros(3, bf16))
    with pytest.raises(px.BuildError, match="overlaps x"):
        conv1d_depthwise(x, weight, None, x)
