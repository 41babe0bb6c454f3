#!/usr/bin/env python3
"""A transformer's decode step (examples/decode_step.py) beside PyTorch's: eager, and compiled with CUDA graphs.

    tools/bench/decode_step.py [--json] [--tiny] [--device cuda|cpu] [--only TEXT...] [--rounds N]

Models have the sizes of Llama 3.2 1B and Llama 3.1 8B, with random weights of bf16, which both share; 1 to 8 sequences have
1,024 keys each.
A row is the time of one step, which gives each sequence a token, by events around a launch of the graph, in interleaved
rounds; PyTorch's logits are compared with ours on the first tokens. Then its step attends to all of its cache without a mask,
which lets it take its fastest attention. The floor is the time in which a sum of f32 reads as many bytes as the step must: all
weights but the embedding's, and the keys and values.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

import ptxgen as px
from examples.decode_step import EPS, Config, Decoder, angles
from ptxgen import bf16, f32
from ptxgen.ops import Reduce
from tools.bench._command import command, print_json
from tools.bench._timer import Timer

ROUNDS = 15
PROMPT = 4
"""Tokens on which PyTorch's logits are compared with ours."""
CAPTURED = 4
"""Calls after which PyTorch has compiled the step, captured it, and launches the graph alone."""
DRAWN = 4_000_037
"""Random numbers that are drawn; weights repeat them, their rows at other places each time."""
MOST = 4 << 30
"""Bytes that the sum reads; its time is taken in proportion."""


class Work(NamedTuple):
    """A row: `batch` sequences of `context` keys."""

    model: str
    config: Config
    batch: int
    context: int = 1024

    @property
    def name(self) -> str:
        return f"{self.model}: {self.batch} sequence{'s' * (self.batch > 1)} of {self.context} keys"

    @property
    def bytes(self) -> int:
        """That a step must read."""
        weights = sum(int(np.prod(shape)) for name, shape in self.config.shapes().items() if name != "embedding")
        keys = self.config.layers * self.batch * self.context * self.config.kv_heads * self.config.d
        return 2 * (weights + 2 * keys)


ONE = Config(16, 2048, kv_heads=8, group=4, d=64, inner=8192, vocabulary=128_256, page_size=64)
EIGHT = Config(32, 4096, kv_heads=8, group=4, d=128, inner=14_336, vocabulary=128_256, page_size=64)
WORK = tuple(Work(model, config, batch) for model, config in (("1B", ONE), ("8B", EIGHT)) for batch in (1, 2, 4, 8))
TINY = (Work("tiny", Config(), 2, context=20),)


def made_weights(dev: px.Device, config: Config) -> dict[str, px.Array]:
    """Norms of 1; rows of matrices of length 1, embeddings of length sqrt(hidden)."""
    drawn = np.random.default_rng(0).standard_normal(DRAWN, dtype=np.float32)
    sources: dict[float, px.Array] = {}
    found = {}
    for name, shape in config.shapes().items():
        array = found[name] = dev.empty(shape, bf16)
        if len(shape) == 1:
            array.fill(1)
            continue
        scale = 1.0 if name == "embedding" else shape[1] ** -0.5
        if scale not in sources:
            sources[scale] = dev.array(drawn * np.float32(scale), bf16)
        repeat(array, sources[scale])
    return found


def repeat(array: px.Array, source: px.Array) -> None:
    """Fill an array with the numbers of another one, again and again."""
    flat = array.reshape(-1)
    for first in range(0, flat.size, source.size):
        part = flat[first : first + source.size]
        part.copy_from(source[: part.size])


def peer_of(torch: Any, work: Work, weights: dict[str, Any]) -> Any:
    """The step in PyTorch: a module whose `tokens` (batch) and `position` (1) are buffers, with as many keys as the context."""
    config, batch, room = work.config, work.batch, work.context
    functional = torch.nn.functional
    heads, kv, d = config.heads, config.kv_heads, config.d
    device = weights["embedding"].device

    class Step(torch.nn.Module):  # type: ignore[misc]  # torch is untyped
        def __init__(self) -> None:
            super().__init__()
            self.masked = True
            for name, each in weights.items():
                self.register_buffer(name.replace(".", "_"), each)
            for layer in range(config.layers):
                for part in ("keys", "values"):
                    shape = (batch, kv, room, d)
                    self.register_buffer(f"{layer}_{part}", torch.randn(shape, dtype=torch.bfloat16, device=device))
            for name, each in zip(("cos", "sin"), angles(config, room)):
                self.register_buffer(name, torch.as_tensor(each, device=device))
            self.register_buffer("tokens", torch.zeros(batch, dtype=torch.int64, device=device))
            self.register_buffer("position", torch.zeros(1, dtype=torch.int64, device=device))

        def normed(self, x: Any, name: str) -> Any:
            return functional.rms_norm(x, (config.hidden,), getattr(self, name), EPS)

        def turned(self, x: Any) -> Any:
            cos, sin = self.cos[self.position], self.sin[self.position]
            a, b = x.float().chunk(2, dim=-1)
            return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1).to(x.dtype)

        def forward(self) -> Any:
            mask = (torch.arange(room, device=device) <= self.position)[None, None, None] if self.masked else None
            x = functional.embedding(self.tokens, self.embedding)
            for layer in range(config.layers):
                keys, values = getattr(self, f"{layer}_keys"), getattr(self, f"{layer}_values")
                qkv = functional.linear(self.normed(x, f"{layer}_norm"), getattr(self, f"{layer}_qkv"))
                q, k, v = qkv.view(batch, heads + 2 * kv, d).split([heads, kv, kv], dim=1)
                keys.index_copy_(2, self.position, self.turned(k).unsqueeze(2))
                values.index_copy_(2, self.position, v.unsqueeze(2))
                attended = functional.scaled_dot_product_attention(
                    self.turned(q).unsqueeze(2), keys, values, attn_mask=mask, enable_gqa=config.group > 1
                )
                x = x + functional.linear(attended.reshape(batch, -1), getattr(self, f"{layer}_out"))
                both = functional.linear(self.normed(x, f"{layer}_mlp_norm"), getattr(self, f"{layer}_gate_up"))
                gate, up = both.chunk(2, dim=-1)
                x = x + functional.linear(functional.silu(gate) * up, getattr(self, f"{layer}_down"))
            logits = functional.linear(self.normed(x, "norm"), self.logits)
            self.tokens.copy_(logits.argmax(dim=-1))
            return logits

    return Step()


def peers_of(torch: Any, work: Work, decoder: Decoder) -> dict[str, Callable[[], Any]]:
    """PyTorch's steps, compared with ours on the first tokens. AssertionError where they differ."""
    weights = {name: torch.from_dlpack(each) for name, each in decoder.weights.items()}
    with torch.inference_mode():
        peer = peer_of(torch, work, weights)
        decoder.begin(np.arange(work.batch))
        for position in range(PROMPT):
            peer.tokens.copy_(torch.as_tensor(decoder.tokens.numpy()))
            peer.position.fill_(position)
            theirs = peer().float()
            decoder.step()
            ours = torch.as_tensor(decoder.logits.numpy(), device=theirs.device)
            error = ((ours - theirs).norm() / theirs.norm()).item()
            assert error < 0.05, f"{work.name}: logits differ by {error:.3f} of their size"
        peer.masked = False
        peer.position.fill_(work.context - 1)
    compiled = torch.compile(peer, mode="reduce-overhead", fullgraph=True)

    def run(step: Callable[[], Any]) -> None:
        with torch.inference_mode():
            step()

    for _ in range(CAPTURED):
        run(compiled)
    return {"torch eager": lambda: run(peer), "torch.compile": lambda: run(compiled)}


def row(timer: Timer, work: Work, weights: dict[str, px.Array]) -> dict[str, Any]:
    """Microseconds of a step."""
    dev = timer.device
    room = work.context + timer.rounds + 16
    decoder = Decoder(dev, work.config, weights, work.batch, room)
    source = dev.array(np.random.default_rng(1).standard_normal(min(DRAWN, 1 << 20), dtype=np.float32), bf16)
    graph = decoder.capture()
    peers: dict[str, Callable[[], Any]] = {} if timer.torch is None else peers_of(timer.torch, work, decoder)
    check_graph(decoder, graph)
    for each in (part for pair in decoder.pages for part in pair):
        repeat(each, source)
    decoder.lengths.fill(work.context)
    if dev.kind == "cpu":
        began = perf_counter()
        graph.launch()
        dev.synchronize()
        times = {"ours": 1e6 * (perf_counter() - began)}
        floor = None
    else:
        size = min(work.bytes, MOST) // 4
        read, total = dev.empty(size, f32).fill(0), dev.zeros(1, f32)
        with Reduce(dev, f32) as summed:
            found = timer.times({"ours": graph.launch, **peers, "sum": lambda: summed(read, total)})
        floor = 1e3 * found.pop("sum") * work.bytes / (4 * size)
        times = {name: 1e3 * each for name, each in found.items()}
    ours = times.pop("ours")
    ratio = min(times.values()) / ours if times else None
    return {"name": work.name, "unit": "us", "ours": ours, "peers": times, "ratio": ratio, "floor": floor}


def forget(torch: Any) -> None:
    """Free what PyTorch compiled and keeps of a step."""
    if torch is not None:
        torch.compiler.reset()
        gc.collect()
        torch.cuda.empty_cache()


def check_graph(decoder: Decoder, graph: Any) -> None:
    """A launch of the graph gives what its kernels give one by one. AssertionError where it does not."""
    logits = []
    for run in (decoder.step, graph.launch):
        decoder.begin(np.arange(decoder.batch))
        run()
        logits.append(decoder.logits.numpy(bits=True))
    assert np.array_equal(*logits), "the graph's logits are not those of its kernels"


def main() -> None:
    parser = command(__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--only", nargs="+", default=[""], help="rows whose name has one of these texts")
    given = parser.parse_args()
    timer = Timer(px.device(given.device) if given.device else px.device(), 1 if given.tiny else given.rounds)
    rows: list[dict[str, Any]] = []
    weights: dict[str, px.Array] = {}
    of: Config | None = None
    for work in TINY if given.tiny else WORK:
        if not any(text in work.name for text in given.only):
            continue
        if of is not work.config:
            weights, of = {}, work.config  # there may be no room for two models
            weights = made_weights(timer.device, work.config)
        found = row(timer, work, weights)
        forget(timer.torch)
        rows.append(found)
        if not given.json:
            floor = found["floor"]
            told = {"ours": found["ours"], **found["peers"], **({} if floor is None else {"floor": floor})}
            speeds = "  ".join(f"{name} {1e6 * work.batch / each:.0f}" for name, each in told.items())
            ratio = "" if found["ratio"] is None else f"{found['ratio']:.3f}"
            print(f"{work.name:36} tokens/s: {speeds}  {ratio}", flush=True)
    if given.json:
        print_json(rows)


if __name__ == "__main__":
    main()
