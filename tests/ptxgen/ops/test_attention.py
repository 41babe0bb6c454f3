"""`attention`: shapes, shared heads, views, and what it refuses. The kernel's own cases are in the catalogue."""

from __future__ import annotations

import math

import numpy as np
import pytest

import ptxgen as px
from ptxgen import bf16, f16, f32
from ptxgen.kernels.attention.attention import Kind
from ptxgen.kernels.attention.attention import reference as numbers
from ptxgen.ops import attention


@pytest.fixture
def dev(device_name):
    device = px.device(device_name)
    if device.target != "sm_90a":
        pytest.skip("the kernel needs sm_90a")
    return device


def reference(q, k, v, causal, scale=None, window=None):
    k, v = (np.repeat(x, q.shape[1] // k.shape[1], 1).astype(np.float64) for x in (k, v))
    scores = q.astype(np.float64) @ k.swapaxes(2, 3) * (scale or 1 / math.sqrt(q.shape[3]))
    if causal:
        seen = np.tril(np.ones(scores.shape[2:], bool), scores.shape[3] - scores.shape[2])
        if window is not None:
            seen &= ~np.tril(np.ones(scores.shape[2:], bool), scores.shape[3] - scores.shape[2] - window - 1)
        scores = np.where(seen, scores, -np.inf)
    with np.errstate(invalid="ignore"):
        weights = np.nan_to_num(np.exp(scores - scores.max(-1, keepdims=True)))
    return weights @ v / np.maximum(weights.sum(-1, keepdims=True), 1e-300)


@pytest.mark.parametrize(
    "queries, keys, causal",
    [(1, 1, False), (1, 70, True), (65, 64, False), (130, 130, True), (70, 40, True), (64, 257, False)],
)
def test_lengths_and_shared_heads(dev, queries, keys, causal):
    rng = np.random.default_rng(queries)
    q = dev.array(rng.standard_normal((2, 4, queries, 64)).astype(np.float32), f16)
    k, v = (dev.array(rng.standard_normal((2, 2, keys, 64)).astype(np.float32), f16) for _ in range(2))
    found = attention(q, k, v, causal=causal).numpy()
    assert np.abs(found - reference(q.numpy(), k.numpy(), v.numpy(), causal)).max() < 4e-3


def test_a_scale_and_a_nan(dev):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((1, 1, 70, 64)).astype(np.float32)
    q, k, v = (dev.array(x, bf16) for _ in range(3))
    found = attention(q, k, v, scale=0.5).numpy()
    assert np.abs(found - reference(q.numpy(), k.numpy(), v.numpy(), False, 0.5)).max() < 2e-2
    x[0, 0, 3, 5] = np.nan
    found = attention(dev.array(x, bf16), k, v).numpy()
    assert np.isnan(found[0, 0, 3]).all()
    assert np.isfinite(np.delete(found[0, 0], 3, 0)).all()


@pytest.mark.parametrize("step", [-40.0, 2.0, 40.0])
def test_scores_that_rise_and_fall_from_block_to_block(dev, step):
    """Rows whose reference moves beside rows whose does not: each has the bits that it has alone."""
    rng = np.random.default_rng(3)
    q, k, v = (rng.standard_normal((1, 1, 300, 64)).astype(np.float32) / 4 for _ in range(3))
    q[..., 0], k[0, 0, :, 0] = np.arange(300) % 2, step * (np.arange(300) // 64)
    arrays = [dev.array(each, bf16) for each in (q, k, v)]
    found = attention(*arrays, scale=1.0).numpy()
    x, y, z = (each.numpy() for each in arrays)
    assert np.abs(found - reference(x, y, z, False, 1.0)).max() < 1e-2
    x = x.copy()
    x[0, 0, 1::2] = 0
    alone = attention(dev.array(x, bf16), *arrays[1:], scale=1.0).numpy()
    assert np.array_equal(alone[0, 0, ::2], found[0, 0, ::2])


def test_windows_and_what_lies_before_them(dev):
    """Keys that no query of a tile sees are not loaded: their NaNs are not seen. 192 keys are a block."""
    for queries, keys in ((140, 600), (1, 400), (70, 40), (128, 228)):
        rng = np.random.default_rng(queries)
        q = rng.standard_normal((1, 2, queries, 64)).astype(np.float32)
        k, v = (rng.standard_normal((1, 1, keys, 64)).astype(np.float32) for _ in range(2))
        loaded = max(0, keys - queries - 100) // 192 * 192
        expected = reference(q, k, v, True, window=100)
        k[:, :, :loaded] = v[:, :, :loaded] = np.nan
        found = attention(*(dev.array(each, f16) for each in (q, k, v)), causal=True, window=100).numpy()
        assert np.abs(found - expected).max() < 4e-3


def test_logarithms_of_the_sums(dev):
    rng = np.random.default_rng(3)
    q = dev.array(rng.standard_normal((2, 2, 70, 64)).astype(np.float32), f16)
    k = dev.array(rng.standard_normal((2, 1, 40, 64)).astype(np.float32), f16)
    logs, out = dev.full((2, 2, 70), 7, f32), dev.zeros((2, 2, 70, 64), f16)
    attention(q, k, k, out, log_sums=logs, causal=True)
    _, expected, _ = numbers(q.numpy(), k.numpy(), k.numpy(), Kind(64, f16, True, shared_heads=2))
    assert np.allclose(logs.numpy(), expected, atol=2e-3)
    assert np.isneginf(logs.numpy()[:, :, :30]).all()
    assert np.array_equal(out.numpy(), attention(q, k, k, causal=True).numpy())
    for wrong in (dev.zeros((2, 2, 71), f32), dev.zeros((2, 2, 70), f16)):
        with pytest.raises(px.BuildError, match=r"log_sums is (.|\n)*\.f32 of \(2, 2, 70\)"):
            attention(q, k, k, log_sums=wrong)


def test_explain_launches_nothing(dev):
    q = dev.zeros((1, 2, 70, 128), bf16)
    out = dev.full((1, 2, 70, 128), 7, bf16)
    assert ("attention_hopper" if dev.target == "sm_90a" else "attention_mma") in attention(q, q, q, out, explain=True)
    assert (out.numpy() == 7).all()


def test_it_is_captured(dev):
    rng = np.random.default_rng(1)
    q = dev.array(rng.standard_normal((1, 2, 70, 64)).astype(np.float32), bf16)
    out = dev.zeros((1, 2, 70, 64), bf16)
    attention(q, q, q, out, causal=True)
    expected = out.numpy()
    with dev.capture() as graph:
        attention(q, q, q, out, causal=True)
    out.fill(0)
    graph.launch()
    dev.synchronize()
    assert np.array_equal(out.numpy(), expected)


@pytest.mark.parametrize(
    "shapes, element, options, said",
    [
        (((1, 2, 8, 60),) * 3, bf16, {}, r"attention of heads of 60 elements|strides"),
        (((1, 2, 8, 80),) * 3, bf16, {}, r"attention of heads of 80 elements(.|\n)*64, 96, 128, 256"),
        (((1, 2, 8, 64), (1, 3, 8, 64), (1, 3, 8, 64)), bf16, {}, r"the heads a divisor of 2"),
        (((1, 2, 8, 64), (1, 2, 8, 64), (1, 2, 9, 64)), bf16, {}, r"values \(1, 2, 9, 64\)"),
        (((2, 8, 64),) * 3, bf16, {}, r"q has the shape \(2, 8, 64\)"),
        (((1, 2, 8, 64),) * 3, f32, {}, r"q has elements of .f32"),
        (((1, 2, 8, 64),) * 3, bf16, {"scale": -1.0}, r"scale=-1.0"),
        (((1, 2, 8, 64), (1, 2, 0, 64), (1, 2, 0, 64)), bf16, {}, r"none of them 0"),
        (((1, 2, 8, 64),) * 3, bf16, {"window": 3}, r"a window of 3 keys, causal=False(.|\n)*causal=True"),
        (((1, 2, 8, 64),) * 3, bf16, {"window": -1, "causal": True}, r"window is -1"),
        (((1, 2, 8, 64),) * 3, bf16, {"softcap": float("nan")}, r"softcap=nan"),
    ],
)
def test_what_has_no_kernel_is_refused(dev, shapes, element, options, said):
    with pytest.raises(px.BuildError, match=said):
        attention(*(dev.zeros(shape, element) for shape in shapes), **options)


def test_arrays_of_torch_in_either_order_of_dimensions(dev):
    torch = pytest.importorskip("torch")
    if dev.kind != "cuda":
        pytest.skip("PyTorch's arrays on its GPU")
    torch.manual_seed(0)
    q, k, v = (torch.randn(2, 200, 4, 128, device="cuda").bfloat16().transpose(1, 2) for _ in range(3))
    for causal in (False, True):
        expected = torch.nn.functional.scaled_dot_product_attention(q.float(), k.float(), v.float(), is_causal=causal)
        assert torch.allclose(attention(q, k, v, causal=causal).float(), expected, atol=2e-2)
