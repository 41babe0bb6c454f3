"""The transformer of examples/decode_step.py, against the same model in float64."""

from __future__ import annotations

import numpy as np
import pytest

import ptxgen as px
from examples.decode_step import EPS, Config, Decoder, angles, random_weights
from ptxgen import bf16
from ptxgen.kernels.cases import rounded

CONFIG = Config(page_size=8)


@pytest.fixture
def dev(device_name):
    device = px.device(device_name)
    if device.target != "sm_90a":
        pytest.skip("attention_decode needs sm_90a")
    return device


def norm(x, weight):
    return x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + EPS) * weight


def turned(x, cos, sin):
    a, b = np.split(x, 2, axis=-1)
    return np.concatenate([a * cos - b * sin, a * sin + b * cos], axis=-1)


def exact_logits(config, w, tokens):
    """(tokens, vocabulary) of a sequence, all at once."""
    n, h, kv, d = len(tokens), config.heads, config.kv_heads, config.d
    cos, sin = (each[:, None].astype(np.float64) for each in angles(config, n))
    x = w["embedding"][tokens]
    unseen = np.triu(np.ones((n, n), bool), 1)
    for layer in range(config.layers):
        qkv = (norm(x, w[f"{layer}.norm"]) @ w[f"{layer}.qkv"].T).reshape(n, h + 2 * kv, d)
        q, keys, values = turned(qkv[:, :h], cos, sin), turned(qkv[:, h : h + kv], cos, sin), qkv[:, h + kv :]
        keys, values = (np.repeat(each, config.group, axis=1) for each in (keys, values))
        scores = np.where(unseen, -np.inf, np.einsum("qhd,khd->hqk", q, keys) / np.sqrt(d))
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        weights /= weights.sum(axis=-1, keepdims=True)
        x = x + np.einsum("hqk,khd->qhd", weights, values).reshape(n, -1) @ w[f"{layer}.out"].T
        y = norm(x, w[f"{layer}.mlp_norm"])
        gate, up = np.split(y @ w[f"{layer}.gate_up"].T, 2, axis=1)
        x = x + (gate / (1 + np.exp(-gate)) * up) @ w[f"{layer}.down"].T
    return norm(x, w["norm"]) @ w["logits"].T


def test_a_graph_writes_the_tokens_of_the_model_in_float64(dev):
    """Over the end of a page; each token is the best one, or within the rounding of bf16 of it."""
    drawn = {name: rounded(each, bf16) for name, each in random_weights(CONFIG).items()}
    decoder = Decoder(dev, CONFIG, {name: dev.array(each, bf16) for name, each in drawn.items()}, batch=3, room=11)
    graph = decoder.capture()
    decoder.begin([5, 0, 77])
    found = []
    for _ in range(11):
        graph.launch()
        found.append(decoder.logits.numpy())
    history, last = decoder.history.numpy(), decoder.tokens.numpy()
    assert history[:, 0].tolist() == [5, 0, 77]
    assert decoder.lengths.numpy().tolist() == [11] * 3
    wide = {name: each.astype(np.float64) for name, each in drawn.items()}
    for sequence, tokens in enumerate(history):
        exact = exact_logits(CONFIG, wide, tokens)
        error = np.abs(np.stack(found)[:, sequence] - exact).max()
        assert error < 0.012 * np.abs(exact).max(), "roundings to bf16, of 2^-9 each, add up: three times one"
        chosen = [*tokens[1:], last[sequence]]
        assert (exact[np.arange(11), chosen] >= exact.max(axis=1) - 2 * error).all()
    graph.launch()  # no room is left: nothing is written behind the pages
    assert decoder.lengths.numpy().tolist() == [11] * 3
    assert np.array_equal(decoder.history.numpy(), history)


def test_a_page_table_in_any_order_gives_the_same_bits(dev):
    weights = {name: dev.array(each, bf16) for name, each in random_weights(CONFIG, seed=1).items()}
    written = []
    for order in ([0, 1, 2, 3], [3, 1, 0, 2]):
        decoder = Decoder(dev, CONFIG, weights, batch=2, room=10)
        decoder.table.copy_from(np.array(order, np.int32).reshape(2, 2))
        decoder.begin([1, 2])
        for _ in range(10):
            decoder.step()
        written.append(decoder.logits.numpy(bits=True))
    assert np.array_equal(*written)
