"""Softmax, norms, cross entropy and functions of elements on arrays: odd forms, special numbers, gradients, graphs, refusals."""

from __future__ import annotations

import numpy as np
import pytest

import ptxgen as px
from ptxgen import bf16, e4m3, f16, f32, s8, s32
from ptxgen.kernels.rows import rows as kernels
from ptxgen.ops import (  # fmt: skip
    argmax,
    block_matmul,
    cast,
    cross_entropy,
    cross_entropy_backward,
    elementwise,
    geglu,
    gelu,
    gelu_backward,
    layer_norm,
    layer_norm_backward,
    log_softmax,
    log_softmax_backward,
    rms_norm,
    rms_norm_backward,
    sample,
    silu,
    silu_backward,
    softmax,
    softmax_backward,
    swiglu,
    swiglu_backward,
)


def soft(x):
    shifted = np.exp(x - x.max(axis=-1, keepdims=True))
    return shifted / shifted.sum(axis=-1, keepdims=True)


def drawn(*shape):
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize("columns", [1, 8, 33, 1025, 20000])
@pytest.mark.parametrize("element", [f32, bf16])
def test_rows_of_any_length(dev, columns, element):
    x = dev.array(drawn(2, columns), element)
    exact = soft(x.numpy().astype(np.float64))
    close = 1e-5 if element is f32 else 1e-2
    assert np.allclose(softmax(x).numpy(), exact, rtol=close, atol=1e-8)
    assert np.allclose(log_softmax(x).numpy(), np.log(exact), rtol=close, atol=1e-5)


def test_a_row_that_no_cluster_holds_is_read_twice(dev):
    layout = kernels.choose("softmax", 300_001, 1)
    assert layout.reread
    x = drawn(1, 132_001)
    assert "reread=True" in softmax(dev.array(x), explain=True)
    assert np.allclose(softmax(dev.array(x)).numpy(), soft(x.astype(np.float64)), rtol=1e-4, atol=1e-9)


def test_long_rows_of_two_bytes_an_element_are_copied_ahead(dev):
    x = dev.array(drawn(3, 65544), bf16)
    assert np.allclose(softmax(x).numpy(), soft(x.numpy().astype(np.float64)), rtol=1e-2, atol=1e-8)


def test_of_many_numbers_a_thread_keeps_no_terms(dev):
    x, y = dev.array(drawn(3, 2048), bf16), dev.zeros((3, 2048), bf16)
    layout = kernels.Layout(32, 64, 8, whole=True)
    kernels.plan("softmax", 3, 2048, {"x": (x, 2048), "y": (y, 2048)}, element=bf16, layout=layout).launch()
    assert np.allclose(y.numpy(), soft(x.numpy().astype(np.float64)), rtol=1e-2, atol=1e-8)
    assert kernels.choose("softmax", 131_072, 8, size=2) == layout._replace(lanes=256, cluster=8)


def test_rows_on_their_way_fit_into_the_shared_memory_that_there_is():
    for op in ("softmax", "layer_norm", "rms_norm", "softmax_backward", "layer_norm_backward"):
        for size, residual in ((4, False), (2, False), (2, True)):
            for room in (200 << 10, 90 << 10):
                found = kernels.choose(op, 65536, 16 // size, size=size, room=room, residual=residual)
                arrays = 1 + (residual or op.endswith("backward"))
                assert found.stages * found.ctas * arrays * found.lanes * found.items * size <= room
    assert kernels.choose("layer_norm_backward", 65536, 8, size=2).stages == 6


@pytest.mark.parametrize("shape", [(5,), (2, 3, 7), (0, 4), (1, 1, 1)])
def test_any_rank(dev, shape):
    x = drawn(*shape)
    assert np.allclose(softmax(dev.array(x)).numpy(), soft(x) if x.size else x, rtol=1e-5)


def test_infinities_and_nan(dev):
    inf, nan = np.inf, np.nan
    x = np.array([[0, -inf, 0, -inf], [-inf] * 4, [inf, 0, 0, 0], [nan, 0, 0, 0], [1e30, 0, 0, -1e30]], np.float32)
    expected = np.array([[0.5, 0, 0.5, 0], [nan] * 4, [nan] * 4, [nan] * 4, [1, 0, 0, 0]], np.float32)
    assert np.array_equal(softmax(dev.array(x)).numpy(), expected, equal_nan=True)
    assert np.isnan(layer_norm(dev.array(x[2:4])).numpy()).all()
    assert np.array_equal(rms_norm(dev.array(np.zeros((2, 8), np.float32))).numpy(), np.zeros((2, 8)))


def test_in_place_and_rows_at_a_distance(dev):
    x = drawn(6, 64)
    whole = dev.array(x)
    assert softmax(whole, whole) is whole
    assert np.allclose(whole.numpy(), soft(x), rtol=1e-5)


@pytest.mark.parametrize("columns, element", [(24, f32), (1000, bf16), (7, f16)])
def test_layer_norm_and_its_gradients(dev, columns, element):
    rng = np.random.default_rng(1)
    x, weight, bias, g = (
        dev.array(rng.standard_normal(s).astype(np.float32), element)
        for s in ((5, columns), columns, columns, (5, columns))
    )
    mean, scale = dev.empty(5, f32), dev.empty(5, f32)
    y = layer_norm(x, weight, bias, mean=mean, scale=scale)
    wide, w, b, slope = (each.numpy().astype(np.float64) for each in (x, weight, bias, g))
    factor = 1 / np.sqrt(wide.var(axis=1, keepdims=True) + 1e-5)
    plain = (wide - wide.mean(axis=1, keepdims=True)) * factor
    close = {"rtol": 2e-2, "atol": 2e-2} if element is bf16 else {"rtol": 5e-3, "atol": 5e-3}
    assert np.allclose(y.numpy(), plain * w + b, **close)
    d_x, d_w, d_b = layer_norm_backward(g, x, weight, mean, scale)
    weighed = slope * w
    exact = factor * (
        weighed - weighed.mean(axis=1, keepdims=True) - plain * (weighed * plain).mean(axis=1, keepdims=True)
    )
    assert np.allclose(d_x.numpy(), exact, **close)
    assert np.allclose(d_w.numpy(), (slope * plain).sum(axis=0), rtol=1e-3, atol=1e-3)
    assert np.allclose(d_b.numpy(), slope.sum(axis=0), rtol=1e-4, atol=1e-4)
    again = [dev.empty(each.shape, f32) for each in (d_w, d_b)]
    out = dev.empty(x.shape, element)
    for _ in range(2):
        layer_norm_backward(g, x, weight, mean, scale, out, *again)
    assert again[0].numpy().tobytes() == d_w.numpy().tobytes()


def test_rms_norm_of_a_sum_and_its_gradients(dev):
    x, r, weight, g = (dev.array(drawn(*s)) for s in ((3, 96), (3, 96), (96,), (3, 96)))
    stored, scale = dev.empty((3, 96), f32), dev.empty(3, f32)
    y = rms_norm(x, weight, residual=r, stored=stored, scale=scale)
    z = x.numpy().astype(np.float64) + r.numpy()
    factor = 1 / np.sqrt((z * z).mean(axis=1, keepdims=True) + 1e-6)
    assert np.allclose(stored.numpy(), z)
    assert np.allclose(y.numpy(), z * factor * weight.numpy(), rtol=1e-5, atol=1e-6)
    d_x, d_w = rms_norm_backward(g, stored, weight, scale)
    weighed = g.numpy().astype(np.float64) * weight.numpy()
    exact = factor * (weighed - z * factor * (weighed * z * factor).mean(axis=1, keepdims=True))
    assert np.allclose(d_x.numpy(), exact, rtol=1e-4, atol=1e-5)
    assert np.allclose(d_w.numpy(), (g.numpy() * z * factor).sum(axis=0), rtol=1e-4, atol=1e-4)
    assert np.allclose(rms_norm_backward(g, stored, None, scale).numpy().shape, (3, 96))


def test_a_norm_s_gradients_of_a_row_that_sixteen_ctas_share(dev):
    x, g, scale = dev.array(drawn(1, 65_540)), dev.array(drawn(1, 65_540)), dev.array(np.full(1, 0.5, np.float32))
    weight = dev.array(drawn(65_540))
    assert "cluster=16" in rms_norm_backward(g, x, weight, scale, explain=True)
    d_x, d_w = rms_norm_backward(g, x, weight, scale)
    weighed, plain = g.numpy().astype(np.float64) * weight.numpy(), x.numpy().astype(np.float64) / 2
    assert np.allclose(d_x.numpy(), (weighed - plain * (weighed * plain).mean()) / 2, rtol=1e-4, atol=1e-4)
    assert np.allclose(d_w.numpy(), (g.numpy() * plain)[0], rtol=1e-5, atol=1e-6)


def test_gradients_are_those_of_differences(dev):
    """Of the sum of g * f(x), in one direction at a time."""
    x, g, targets = drawn(2, 9).astype(np.float64), drawn(2, 9), np.array([4, -100], np.int64)

    def slope(function):
        found = np.zeros_like(x)
        for place in np.ndindex(x.shape):
            step = np.zeros_like(x)
            step[place] = 1e-5
            found[place] = (function(x + step) - function(x - step)) / 2e-5
        return found

    on, by = dev.array(x.astype(np.float32)), dev.array(g)
    assert np.allclose(softmax_backward(softmax(on), by).numpy(), slope(lambda x: (g * soft(x)).sum()), atol=1e-5)
    logs = log_softmax_backward(log_softmax(on), by).numpy()
    assert np.allclose(logs, slope(lambda x: (g * np.log(soft(x))).sum()), atol=1e-5)
    sums = dev.empty(2, f32)
    losses = cross_entropy(on, dev.array(targets), logs=sums).numpy()
    assert np.allclose(losses, [-np.log(soft(x)[0, 4]), 0], rtol=1e-5)
    ones = dev.array(np.float32([2, 2]))
    found = cross_entropy_backward(ones, on, dev.array(targets.astype(np.int32)), sums).numpy()
    assert np.allclose(found, slope(lambda x: -2 * np.log(soft(x)[0, 4])), atol=1e-5)


@pytest.mark.parametrize("columns", [1, 7, 2048, 4100])
def test_argmax(dev, columns):
    x = drawn(3, columns)
    x[1] = np.nan
    values = dev.empty(3, f32)
    found = argmax(dev.array(x), values=values)
    assert found.numpy().tolist() == [x[0].argmax(), 0, x[2].argmax()]
    assert np.array_equal(values.numpy(), x.max(axis=1), equal_nan=True)
    with pytest.raises(px.BuildError, match=r"argmax of \.f32 of \(2, 0\)"):
        argmax(dev.zeros((2, 0), f32))


def test_samples_are_as_often_as_they_are_likely(dev):
    logits = np.log(np.float32([0.5, 0.3, 0.15, 0.05, 0]) + np.float32(1e-38))
    logits[4] = -np.inf
    x = dev.array(np.tile(logits, (4000, 1)))
    found = sample(x, 7, offset=3).numpy()
    assert np.abs(np.bincount(found, minlength=5) / 4000 - [0.5, 0.3, 0.15, 0.05, 0]).max() < 0.03
    assert np.array_equal(found, sample(x, 7, offset=3).numpy())
    assert not np.array_equal(found, sample(x, 7, offset=4).numpy())
    assert (sample(x, 7, temperature=0.02).numpy() == 0).all()
    with pytest.raises(px.BuildError, match="temperature=0"):
        sample(x, 7, temperature=0)


def test_functions_of_elements(dev):
    x, y, g = drawn(3, 37), drawn(37, 3).T.copy(), drawn(3, 37) + 1
    a, b, c = (dev.array(each) for each in (x, y, g))
    s = 1 / (1 + np.exp(-x.astype(np.float64)))
    assert np.allclose(silu(a).numpy(), x * s, rtol=1e-5)
    assert np.allclose(swiglu(a, b).numpy(), x * s * y, rtol=1e-5, atol=1e-7)
    d_a, d_b = swiglu_backward(c, a, b)
    assert np.allclose(d_a.numpy(), g * y * (s + x * s * (1 - s)), rtol=1e-4, atol=1e-6)
    assert np.allclose(d_b.numpy(), g * x * s, rtol=1e-5, atol=1e-7)
    assert np.allclose(silu_backward(c, a).numpy(), g * (s + x * s * (1 - s)), rtol=1e-4, atol=1e-6)
    near = (gelu(dev.array(x + np.float32(1e-2))).numpy() - gelu(dev.array(x - np.float32(1e-2))).numpy()) / 2e-2
    assert np.allclose(gelu_backward(c, a).numpy(), g * near, atol=2e-3)
    assert np.allclose(geglu(a, b).numpy(), gelu(a).numpy() * y, rtol=1e-5, atol=1e-7)
    assert np.array_equal(elementwise("add", a, b, out=a).numpy(), x + y)


@pytest.mark.parametrize("element", [bf16, f16, e4m3, s8])
def test_casts(dev, element):
    x = np.float32([0.0, -0.0, 1.4, 2.5, -3.5, 1000.0, -1000.0, 0.001])
    expected = (
        np.clip(np.rint(x), -128, 127)
        if element is s8
        else dev.array(np.clip(x, -448, 448) if element is e4m3 else x, element).numpy()
    )
    assert np.array_equal(cast(dev.array(x), element).numpy(), expected)
    assert np.array_equal(cast(cast(dev.array(x), element), f32).numpy(), expected.astype(np.float32))


def test_a_graph_has_what_was_captured(dev):
    x, out = dev.array(drawn(4, 40)), dev.zeros((4, 40), f32)
    softmax(x, out)
    with dev.capture() as graph:
        softmax(x, out)
        elementwise("add", out, out, out=out)
    out.fill(0)
    graph.launch()
    dev.synchronize()
    assert np.allclose(out.numpy(), 2 * soft(drawn(4, 40)), rtol=1e-5)


def test_what_is_refused(dev):
    x, half = dev.zeros((4, 8), f32), dev.zeros((4, 8), bf16)
    with pytest.raises(px.BuildError, match=r"out is .bf16 of \(4, 8\)(.|\n)*.f32 of \(4, 8\), as x"):
        softmax(x, half)
    with pytest.raises(px.BuildError, match=r"overlaps x"):
        softmax(x[:3], x[1:])
    with pytest.raises(px.BuildError, match=r"softmax of .s32(.|\n)*f32, bf16, f16"):
        softmax(dev.zeros((2, 2), s32))
    with pytest.raises(px.BuildError, match=r"weight is .f32 of \(7,\)(.|\n)*\(8,\), without gaps"):
        layer_norm(x, dev.zeros(7, f32))
    with pytest.raises(px.BuildError, match="mean without scale"):
        layer_norm(x, mean=dev.zeros(4, f32))
    with pytest.raises(px.BuildError, match="targets is"):
        cross_entropy(x, dev.zeros(4, f32))
    with pytest.raises(px.BuildError, match="no elementwise operation 'pow'"):
        elementwise("pow", x)
    with pytest.raises(px.BuildError, match=r"y is .bf16 of \(4, 8\)"):
        swiglu(x, half)
    with pytest.raises(px.BuildError, match="elementwise cast to u32"):
        cast(x, px.u32)
    with pytest.raises(px.BuildError, match="rows of 140000 elements"):
        kernels.choose("layer_norm_backward", 140_000, 1)
    with pytest.raises(px.BuildError, match="no format 'q3_k'"):
        block_matmul(half, dev.zeros((2, 18), px.u8), "q3_k")
