#!/usr/bin/env python3
"""A small transformer that writes tokens, one captured graph a step: every kernel is of the library, or in this file.

    examples/decode_step.py [--tokens N] [--sequences N] [--device cpu|cuda]

The model is that of Llama: RMS norm, attention with shared heads of keys and rotary positions, a SwiGLU MLP. Its weights are
random, from a seed. Keys and values lie in pages. A step reads each sequence's last token on the device and leaves the next one
there, so that the graph is launched again and again without the host seeing a token.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

import ptxgen as px
from ptxgen import bf16, s32, s64, u32
from ptxgen.ops import argmax, attention_decode, block_matmul, cache_append, embedding, rms_norm

BASE, EPS = 10_000.0, 1e-6
"""Of the rotary angles, and of the norms."""


class Config(NamedTuple):
    """The model's sizes. A head has `d` elements, `group` heads of queries share one of keys and values."""

    layers: int = 2
    hidden: int = 128
    kv_heads: int = 1
    group: int = 2
    d: int = 64
    inner: int = 256
    vocabulary: int = 96
    page_size: int = 16

    @property
    def heads(self) -> int:
        return self.kv_heads * self.group

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The weights: matrices as (outputs, inputs)."""
        wide = (self.heads + 2 * self.kv_heads) * self.d
        found: dict[str, tuple[int, ...]] = {"embedding": (self.vocabulary, self.hidden)}
        for layer in range(self.layers):
            found |= {
                f"{layer}.norm": (self.hidden,), f"{layer}.qkv": (wide, self.hidden),
                f"{layer}.out": (self.hidden, self.heads * self.d), f"{layer}.mlp_norm": (self.hidden,),
                f"{layer}.gate_up": (2 * self.inner, self.hidden), f"{layer}.down": (self.hidden, self.inner),
            }  # fmt: skip
        return found | {"norm": (self.hidden,), "logits": (self.vocabulary, self.hidden)}


def random_weights(config: Config, seed: int = 0) -> dict[str, Any]:
    """f32 of numpy: norms about 1, rows of matrices of length 1, embeddings of length sqrt(hidden)."""
    rng = np.random.default_rng(seed)
    found = {}
    for name, shape in config.shapes().items():
        drawn = rng.standard_normal(shape, dtype=np.float32)
        norm = len(shape) == 1
        found[name] = 1 + drawn / 8 if norm else drawn if name == "embedding" else drawn / np.float32(shape[1]) ** 0.5
    return found


def angles(config: Config, positions: int) -> tuple[Any, Any]:
    """Cosines and sines of the rotary embedding, f32 of (positions, d/2)."""
    turns = np.arange(positions)[:, None] * BASE ** (-np.arange(0, config.d, 2) / config.d)
    return np.cos(turns).astype(np.float32), np.sin(turns).astype(np.float32)


@px.kernel(max_threads=64)
def begin_step(
    k: px.Builder, batch: u32, room: u32, tokens: px.ptr[s64], lengths: px.ptr[s32], history: px.ptr[s64]
) -> None:
    """Note each sequence's last token, and count it among its keys."""
    sequence = k.global_id.x
    with k.if_(sequence < batch):
        length = lengths[sequence]
        with k.if_(length.bits(u32) < room):
            history[sequence * room + length.bits(u32)] = tokens[sequence]
            lengths[sequence] = length + 1


def times(x: Any, weights: Any, out: Any, glu: str | None = None) -> None:
    """x times the transposed weights, which no kernel writes: they are on their way before the kernel ahead has ended."""
    block_matmul(x, weights, "bf16", out, glu=glu, constant=True)


class Decoder:
    """A model with memory for up to 16 sequences of at most `room` tokens each; `weights` are arrays of bf16 of any library.

    `tokens` (batch) are the last ones, `lengths` count the tokens before them, `history` (batch, room) has these.
    """

    def __init__(self, dev: px.Device, config: Config, weights: Mapping[str, Any], batch: int, room: int) -> None:
        pages = -(-room // config.page_size)
        heads, rows = config.heads, (pages * batch, config.page_size, config.kv_heads, config.d)
        self.dev, self.config, self.weights, self.batch, self.room = dev, config, weights, batch, room
        self.tokens, self.lengths = dev.zeros(batch, s64), dev.zeros(batch, s32)
        self.history = dev.zeros((batch, room), s64)
        self.table = dev.array(np.arange(pages * batch, dtype=np.int32).reshape(pages, batch).T.copy())
        self.pages = [(dev.zeros(rows, bf16), dev.zeros(rows, bf16)) for _ in range(config.layers)]
        self.angles = tuple(dev.array(each) for each in angles(config, pages * config.page_size))
        self.x, self.normed, self.branch = (dev.empty((batch, config.hidden), bf16) for _ in range(3))
        self.qkv = dev.empty((batch, 1, heads + 2 * config.kv_heads, config.d), bf16)
        self.q, self.attended = (dev.empty((batch, 1, heads, config.d), bf16) for _ in range(2))
        self.inner = dev.empty((batch, config.inner), bf16)
        self.logits = dev.empty((batch, config.vocabulary), bf16)

    def step(self) -> None:
        """From the last token of each sequence the next one, on the current stream."""
        w, batch = self.weights, self.batch
        begin_step[-(-batch // 64), 64](batch, self.room, self.tokens, self.lengths, self.history)
        embedding(w["embedding"], self.tokens, self.x)
        rms_norm(self.x, w["0.norm"], self.normed, eps=EPS)
        for layer in range(self.config.layers):
            self._attend(layer)
            self._add_and_norm(w[f"{layer}.mlp_norm"])
            times(self.normed, w[f"{layer}.gate_up"], self.inner, glu="silu")
            times(self.inner, w[f"{layer}.down"], self.branch)
            self._add_and_norm(w[f"{layer + 1}.norm"] if layer + 1 < self.config.layers else w["norm"])
        times(self.normed, w["logits"], self.logits)
        argmax(self.logits, self.tokens)

    def _attend(self, layer: int) -> None:
        w, (keys, values) = self.weights, self.pages[layer]
        times(self.normed, w[f"{layer}.qkv"], self.qkv.reshape(self.batch, -1))
        cos, sin = self.angles
        cache_append(self.qkv, keys, values, self.table, self.lengths, cos, sin, self.q)
        attention_decode(self.q, keys, values, self.table, self.lengths, self.attended)
        times(self.attended.reshape(self.batch, -1), w[f"{layer}.out"], self.branch)

    def _add_and_norm(self, weight: Any) -> None:
        """x += branch, and its norm."""
        rms_norm(self.branch, weight, self.normed, residual=self.x, stored=self.x, eps=EPS)

    def capture(self) -> Any:
        """The step as a graph. It has run once before, so that every kernel is loaded: begin sequences behind it."""
        self.step()
        with self.dev.capture() as graph:
            self.step()
        return graph

    def begin(self, tokens: Any) -> None:
        """Sequences of one token each."""
        self.tokens.copy_from(np.asarray(tokens, np.int64))
        self.lengths.fill(0)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--tokens", type=int, default=12, help="of each sequence")
    parser.add_argument("--sequences", type=int, default=2)
    parser.add_argument("--device", choices=("cpu", "cuda"), default=None)
    given = parser.parse_args()
    dev, config = px.device(given.device) if given.device else px.device(), Config()
    weights = {name: dev.array(each, bf16) for name, each in random_weights(config).items()}
    decoder = Decoder(dev, config, weights, given.sequences, given.tokens)
    graph = decoder.capture()
    decoder.begin(np.arange(given.sequences) % config.vocabulary)
    for _ in range(given.tokens):
        graph.launch()
    for sequence in decoder.history.numpy():
        print(*sequence)


if __name__ == "__main__":
    main()
