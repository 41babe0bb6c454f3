"""An activation of x + bias: odd forms, gradients, special numbers, graphs, refusals."""

from __future__ import annotations

import numpy as np
import pytest

import ptxgen as px
from ptxgen import bf16, f16, f32, ops


def _sigmoid(t):
    return 1 / (1 + np.exp(-t))


def _gelu(t):
    return t * _sigmoid(1.5957691216057308 * (t + 0.044715 * t**3))


FUNCTIONS = {"gelu": _gelu, "silu": lambda t: t * _sigmoid(t), "relu": lambda t: np.maximum(t, 0)}
CLOSE = {f32: 1e-5, bf16: 2e-2, f16: 3e-3}


@pytest.mark.parametrize("shape", [(5, 8), (3, 2, 1), (70, 37), (9,), (2, 1030), (0, 4), (300, 6)])
@pytest.mark.parametrize("op, element", [("gelu", f32), ("silu", bf16), ("relu", f16)])
def test_forward_and_backward(dev, op, element, shape):
    rng = np.random.default_rng(sum(shape))
    x, g, b = (dev.array(rng.standard_normal(s).astype(np.float32), element) for s in (shape, shape, shape[-1]))
    t = x.numpy().astype(np.float64) + b.numpy()
    f, close = FUNCTIONS[op], CLOSE[element]
    assert np.allclose(getattr(ops, f"bias_{op}")(x, b).numpy(), f(t), rtol=close, atol=close)
    d_x, d_bias = getattr(ops, f"bias_{op}_backward")(g, x, b)
    slope = (t > 0) if op == "relu" else (f(t + 1e-5) - f(t - 1e-5)) / 2e-5
    exact = g.numpy().astype(np.float64) * slope
    assert np.allclose(d_x.numpy(), exact, rtol=close, atol=max(close, 1e-4))
    rows = exact.reshape(-1, shape[-1])
    assert np.allclose(d_bias.numpy(), rows.sum(axis=0), rtol=1e-3, atol=1e-3 * np.sqrt(len(rows) + 1))


def test_in_place_with_the_same_bits_and_in_a_graph(dev):
    rng = np.random.default_rng(4)
    x, g, b = (rng.standard_normal(s).astype(np.float32) for s in ((1000, 24), (1000, 24), 24))
    bias, d_bias = dev.array(b), dev.zeros(24, f32)
    sums = []
    for _ in range(2):
        gradient = dev.array(g)
        assert ops.bias_silu_backward(gradient, dev.array(x), bias, gradient, d_bias)[0] is gradient
        sums.append(d_bias.numpy().tobytes())
    assert sums[0] == sums[1]
    on, out = dev.array(x), dev.zeros((1000, 24), f32)
    with dev.capture() as graph:
        ops.bias_relu(on, bias, out)
        ops.bias_relu_backward(out, on, bias, out, d_bias)
    graph.launch()
    dev.synchronize()
    assert np.allclose(d_bias.numpy(), np.maximum(x + b, 0).sum(axis=0), rtol=1e-4)


def test_special_numbers(dev):
    inf, nan = np.inf, np.nan
    x, zero = dev.array(np.float32([[nan, inf, -inf, -0.0]])), dev.zeros(4, f32)
    assert np.array_equal(ops.bias_relu(x, zero).numpy(), [[nan, inf, 0, 0]], equal_nan=True)
    ones = dev.array(np.ones((1, 4), np.float32))
    assert np.array_equal(ops.bias_relu_backward(ones, x, zero)[0].numpy(), [[1, 1, 0, 0]])
    assert np.isnan(ops.bias_gelu(x, zero).numpy()[0, 0])


def test_what_is_refused(dev):
    x = dev.zeros((4, 8), f32)
    with pytest.raises(px.BuildError, match=r"bias is .f32 of \(4,\)(.|\n)*.f32 of \(8,\)"):
        ops.bias_gelu(x, dev.zeros(4, f32))
    with pytest.raises(px.BuildError, match=r"bias is .bf16"):
        ops.bias_gelu(x, dev.zeros(8, bf16))
    with pytest.raises(px.BuildError, match=r"out of shape .* overlaps bias"):
        ops.bias_silu(x, x[0], x)
    with pytest.raises(px.BuildError, match=r"bias and relu of \.s32"):
        ops.bias_relu(dev.zeros((4, 8), px.s32), dev.zeros(8, px.s32))
    with pytest.raises(px.BuildError, match=r"d_bias is .f32 of \(7,\)"):
        ops.bias_gelu_backward(x, x, dev.zeros(8, f32), d_bias=dev.zeros(7, f32))
    assert "op='gelu'" in ops.bias_gelu(x, dev.zeros(8, f32), explain=True)
