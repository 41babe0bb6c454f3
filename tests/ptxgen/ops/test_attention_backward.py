"""`attention_backward`: lengths, shared heads, graphs, and what it refuses. More of its cases are in the catalogue."""

from __future__ import annotations

import numpy as np
import pytest

import ptxgen as px
from ptxgen import bf16, f16, f32
from ptxgen.kernels.attention.attention import Kind
from ptxgen.kernels.attention.attention_backward import reference
from ptxgen.ops import attention, attention_backward


@pytest.fixture
def dev(device_name):
    device = px.device(device_name)
    if device.target != "sm_90a":
        pytest.skip("the kernels need sm_90a")
    return device


def problem(dev, heads, kv_heads, queries, keys, d, **options):
    """(d_out, q, k, v, out, log_sums)"""
    rng = np.random.default_rng(queries)
    shapes = [(1, heads, queries, d)] * 2 + [(1, kv_heads, keys, d)] * 2
    d_out, q, k, v = (dev.array(rng.standard_normal(shape).astype(np.float32), f16) for shape in shapes)
    logs = dev.zeros(q.shape[:3], f32)
    return d_out, q, k, v, attention(q, k, v, log_sums=logs, **options), logs


@pytest.mark.parametrize(
    "heads, kv_heads, queries, keys, d, causal",
    [(2, 1, 65, 130, 64, False), (2, 2, 1, 70, 64, False), (1, 1, 70, 40, 96, True)],
)
def test_lengths_and_shared_heads(dev, heads, kv_heads, queries, keys, d, causal):
    given = problem(dev, heads, kv_heads, queries, keys, d, causal=causal)
    found = attention_backward(*given, causal=causal)
    d_out, q, k, v, out, _ = (each.numpy() for each in given)
    expected = reference(q, k, v, out, d_out, Kind(d, f16, causal, heads // kv_heads))
    for name, each in zip(("d_q", "d_k", "d_v"), found):
        # forward's logarithms and O are rounded too
        assert (np.abs(each.numpy() - expected[name]) <= 2 * expected["limits"][name] + 2e-3).all(), name


@pytest.mark.parametrize(
    "queries, keys, d, window, softcap",
    [(70, 330, 64, 100, 0.0), (150, 40, 64, 3, 2.0), (65, 130, 96, 2**31 - 2**17, 0.5), (30, 70, 128, 0, 0.0)],
)
def test_windows_and_bounds(dev, queries, keys, d, window, softcap):
    options = {"causal": True, "window": window, "softcap": softcap}
    given = problem(dev, 2, 1, queries, keys, d, **options)
    found = attention_backward(*given, **options)
    d_out, q, k, v, out, _ = (each.numpy() for each in given)
    expected = reference(q, k, v, out, d_out, Kind(d, f16, True, 2, window, softcap))
    for name, each in zip(("d_q", "d_k", "d_v"), found):
        assert (np.abs(each.numpy() - expected[name]) <= 2 * expected["limits"][name] + 2e-3).all(), name


def test_keys_outside_all_windows_are_not_loaded(dev):
    options = {"causal": True, "window": 50}
    d_out, q, k, v, out, logs = problem(dev, 1, 1, 70, 400, 64, **options)
    clean = [each.numpy() for each in attention_backward(d_out, q, k, v, out, logs, **options)]
    assert not clean[1][:, :, :280].any()  # the first query sees keys from 280 on
    for each in (k, v):
        each[0][0][:256].fill(np.nan)  # two blocks before them
    found = [each.numpy() for each in attention_backward(d_out, q, k, v, out, logs, **options)]
    assert all(np.array_equal(each, before) for each, before in zip(found, clean))


def test_queries_whose_windows_have_none_of_the_keys_are_not_loaded(dev):
    options = {"causal": True, "window": 50}
    d_out, q, k, v, out, logs = problem(dev, 1, 1, 260, 260, 64, **options)
    clean = [each.numpy() for each in attention_backward(d_out, q, k, v, out, logs, **options)]
    d_out[0][0][192:].fill(np.nan)
    found = [each.numpy() for each in attention_backward(d_out, q, k, v, out, logs, **options)]
    assert np.array_equal(found[0][:, :, :192], clean[0][:, :, :192])
    for each, before in zip(found[1:], clean[1:]):  # the last query that sees a key of the first 128 is 177
        assert np.array_equal(each[:, :, :128], before[:, :, :128])


def test_gradients_of_bounded_scores_are_those_of_differences(dev):
    d_out, q, k, v, out, logs = problem(dev, 1, 1, 20, 30, 64, scale=0.2, softcap=1.5)
    found = attention_backward(d_out, q, k, v, out, logs, scale=0.2, softcap=1.5)
    assert_differences(d_out, (q, k, v), found, lambda scores: 1.5 * np.tanh(0.2 * scores / 1.5))


def test_gradients_are_those_of_differences(dev):
    d_out, q, k, v, out, logs = problem(dev, 1, 1, 20, 30, 64, scale=0.2)
    found = attention_backward(d_out, q, k, v, out, logs, scale=0.2)
    assert_differences(d_out, (q, k, v), found, lambda scores: 0.2 * scores)


def assert_differences(d_out, given, found, weighed):
    """Of the sum of `out` times `d_out`, along a direction in all three; `weighed` makes logarithms of weights of products."""
    rng, arrays = np.random.default_rng(9), [each.numpy().astype(np.float64) for each in given]
    ways = [rng.standard_normal(each.shape) for each in arrays]

    def loss(step):
        x, y, z = (each + step * way for each, way in zip(arrays, ways))
        weights = np.exp(weighed(x @ y.swapaxes(2, 3)))
        return (weights @ z / weights.sum(-1, keepdims=True) * d_out.numpy()).sum()

    along = (loss(1e-4) - loss(-1e-4)) / 2e-4
    assert abs(sum((each.numpy() * way).sum() for each, way in zip(found, ways)) - along) < 2e-2 * abs(along) + 0.2


def test_into_given_arrays_and_in_a_graph(dev):
    given = problem(dev, 2, 1, 70, 70, 64)
    results = [dev.full(given[index].shape, 7, f16) for index in (1, 2, 3)]
    assert all(a is b for a, b in zip(attention_backward(*given, *results), results))
    expected = [each.numpy() for each in results]
    with dev.capture() as graph:
        attention_backward(*given, *results)
    for each in results:
        each.fill(7)
    graph.launch()
    dev.synchronize()
    assert all(np.array_equal(each.numpy(), before) for each, before in zip(results, expected))
    attention_backward(*given, *results)
    assert all(np.array_equal(each.numpy(), before) for each, before in zip(results, expected))
    said = attention_backward(*given, explain=True)
    assert "attention_backward_queries" in said
    assert "attention_backward_keys" in said


@pytest.mark.parametrize(
    "change, said",
    [
        ({"q": ((1, 2, 8), bf16)}, r"q has the shape \(1, 2, 8\)"),
        ({"v": ((1, 1, 9, 64), f16)}, "v has elements of .f16"),
        ({"v": ((1, 1, 8, 64), bf16)}, r"v has the shape (.|\n)*\(1, 1, 9, 64\)"),
        ({"d_out": ((1, 2, 9, 64), bf16)}, r"d_out has the shape (.|\n)*\(1, 2, 8, 64\)"),
        ({"log_sums": ((1, 2, 9), f32)}, r"log_sums has the shape (.|\n)*\(1, 2, 8\)"),
        ({"log_sums": ((1, 2, 8), f16)}, r"log_sums is \.f16"),
        ({"k": ((1, 3, 9, 64), bf16), "v": ((1, 3, 9, 64), bf16)}, "2 heads of q share 3 of k"),
    ],
)
def test_what_it_refuses(dev, change, said):
    given = {
        "d_out": ((1, 2, 8, 64), bf16), "q": ((1, 2, 8, 64), bf16), "k": ((1, 1, 9, 64), bf16), "v": ((1, 1, 9, 64), bf16),
        "out": ((1, 2, 8, 64), bf16), "log_sums": ((1, 2, 8), f32), **change,
    }  # fmt: skip
    with pytest.raises(px.BuildError, match=said):
        attention_backward(**{name: dev.zeros(*each) for name, each in given.items()})


def test_it_refuses_other_heads_and_memory_in_use(dev):
    x, logs = dev.zeros((1, 1, 8, 256), bf16), dev.zeros((1, 1, 8), f32)
    with pytest.raises(px.BuildError, match=r"heads of 256 elements(.|\n)*64, 96, 128"):
        attention_backward(x, x, x, x, x, logs)
    x = dev.zeros((1, 1, 8, 64), bf16)
    with pytest.raises(px.BuildError, match=r"d_q of shape .* overlaps d_out"):
        attention_backward(x, x, x, x, x, logs, x)
    for said, options in {
        "scale=0": {"scale": 0},
        r"a window of 3 keys, causal=False(.|\n)*causal=True": {"window": 3},
        "window is -1": {"window": -1, "causal": True},
        "softcap=inf": {"softcap": float("inf")},
    }.items():
        with pytest.raises(px.BuildError, match=said):
            attention_backward(x, x, x, x, x, logs, **options)
