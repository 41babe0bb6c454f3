"""`attention` of e4m3: factors, views, and results that are exact. The kernels' own cases are in the catalogue."""

from __future__ import annotations

import numpy as np
import pytest

import ptxgen as px
from ptxgen import bf16, e4m3, f16, f32
from ptxgen.kernels.attention.attention import Kind, reference
from ptxgen.ops import attention


@pytest.fixture
def dev(device_name):
    device = px.device(device_name)
    if device.target != "sm_90a":
        pytest.skip("the kernel needs sm_90a")
    return device


@pytest.mark.parametrize("d, keys", [(64, 300), (96, 33), (128, 130), (256, 200)])
def test_each_query_finds_its_key(dev, d, keys):
    """All of a query's weight is on one key, so that the result is that key's V, bit for bit: no key is in another's place."""
    rng = np.random.default_rng(d)
    shape = (2, 1, keys, d)
    k = np.where(rng.random(shape) < 0.5, -1.0, 1.0).astype(np.float32)
    v = dev.array(rng.standard_normal(shape).astype(np.float32), e4m3)
    wanted = rng.permutation(keys)[:70]
    q = np.repeat(k[:, :, wanted], 3, 1)
    found = attention(dev.array(q, e4m3), dev.array(k, e4m3), v, scale=8.0)
    assert found.type.name == "bf16"
    assert np.array_equal(found.numpy(), np.repeat(v.numpy()[:, :, wanted], 3, 1))


def test_equal_weights_give_the_mean(dev):
    v = np.zeros((1, 1, 256, 64), np.float32)
    v[0, 0, :, 0] = np.arange(256) % 8
    zeros = dev.zeros((1, 1, 64, 64), e4m3)
    found = attention(zeros, dev.zeros(v.shape, e4m3), dev.array(v, e4m3), dev.zeros(zeros.shape, f16)).numpy()
    assert (found[..., 0] == 3.5).all()
    assert not found[..., 1:].any()


@pytest.mark.parametrize("options", [{"causal": True, "window": 40}, {"softcap": 3.0}])
def test_factors_as_numbers_and_for_each_head(dev, options):
    rng = np.random.default_rng(1)
    q, k, v = (
        dev.array(rng.standard_normal((2, heads, n, 64)).astype(np.float32), e4m3)
        for heads, n in ((4, 70), (2, 140), (2, 140))
    )
    kind = Kind(64, e4m3, options.get("causal", False), 2, options.get("window"), options.get("softcap", 0.0))
    logs = dev.zeros((2, 4, 70), f32)
    found = attention(q, k, v, scales=(2, 1.5, 0.25), log_sums=logs, **options)
    expected, sums, limit = reference(q.numpy() * 2.0, k.numpy() * 1.5, v.numpy() * 0.25, kind)
    assert (np.abs(found.numpy() - expected) <= limit).all()
    assert np.allclose(logs.numpy(), sums, atol=1e-2)
    each = [np.full((2, 2), factor, np.float32) for factor in (2, 1.5, 0.25)]
    same = attention(q, k, v, scales=[dev.array(factor) for factor in each], **options)
    assert np.array_equal(same.numpy(), found.numpy())
    each[2][1] *= 2
    other = attention(q, k, v, scales=[dev.array(factor) for factor in each], **options).numpy()
    assert np.array_equal(other[0], found.numpy()[0])
    assert np.array_equal(other[1], 2 * found.numpy()[1])


def test_it_is_captured_with_its_scratch_memory(dev):
    rng = np.random.default_rng(1)
    q = dev.array(rng.standard_normal((1, 2, 70, 64)).astype(np.float32), e4m3)
    out = dev.zeros((1, 2, 70, 64), bf16)
    attention(q, q, q, out)
    expected = out.numpy()
    with dev.capture() as graph:
        attention(q, q, q, out)
    out.fill(0)
    attention(dev.zeros((1, 2, 300, 64), e4m3), dev.zeros((1, 2, 300, 64), e4m3), dev.zeros((1, 2, 300, 64), e4m3))
    graph.launch()
    dev.synchronize()
    assert np.array_equal(out.numpy(), expected)


def test_explain_names_both_kernels(dev):
    q = dev.zeros((1, 2, 70, 128), e4m3)
    said = attention(q, q, q, explain=True)
    assert "values_by_columns" in said
    assert "attention_fp8" in said


@pytest.mark.parametrize(
    "element, out, scales, said",
    [
        (bf16, bf16, (1.0, 1.0, 1.0), r"scales for q of \.bf16(.|\n)*e4m3"),
        (e4m3, e4m3, None, r"out has elements of \.e4m3(.|\n)*a result of bf16 or f16"),
        (e4m3, bf16, (1.0, 2.0), r"scales=\(1\.0, 2\.0\)(.|\n)*three numbers, or three arrays"),
        (e4m3, bf16, 3.0, r"three numbers, or three arrays"),
        (e4m3, bf16, (1.0, -1.0, 1.0), r"positive numbers"),
        (e4m3, bf16, (1.0, float("nan"), 1.0), r"positive numbers"),
        (e4m3, bf16, "arrays", r"the scale of k is \.f32 of \(2, 1\)(.|\n)*\.f32 of \(1, 2\)"),
    ],
)
def test_what_has_no_kernel_is_refused(dev, element, out, scales, said):
    if scales == "arrays":
        scales = [dev.zeros((1, 2), f32), dev.zeros((2, 1), f32), dev.zeros((1, 2), f32)]
    q = dev.zeros((1, 2, 8, 64), element)
    with pytest.raises(px.BuildError, match=said):
        attention(q, q, q, dev.zeros((1, 2, 8, 64), out), scales=scales)
