#!/usr/bin/env python3
"""Attention beside cuDNN, by torch: forward, causal or not, bf16, random data.

Launches in turn, medians of the rounds. The floor is the time of the two products at the datasheet's peak.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import geometric_mean
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

import ptxgen as px
from ptxgen.builder import bf16
from ptxgen.ops import attention
from tools.bench._command import command, print_json
from tools.bench._replays import timed

PEAK = 989e12
"""bf16 operations a second of the tensor cores, dense (NVIDIA H200 datasheet)."""


class Work(NamedTuple):
    """One problem: as many keys as queries."""

    batch: int
    heads: int
    length: int
    d: int
    causal: bool

    @property
    def name(self) -> str:
        return f"{self.batch}x{self.heads}x{self.length}x{self.d}{' causal' * self.causal}"

    @property
    def operations(self) -> float:
        return 4 * self.batch * self.heads * self.length**2 * self.d * (0.5 if self.causal else 1)


WORK = tuple(
    Work(*shape, causal)
    for shape in ((4, 16, 4096, 128), (2, 16, 8192, 128), (1, 16, 16384, 128), (4, 32, 4096, 64), (8, 16, 2048, 128))
    for causal in (False, True)
)


def on_gpu(work: Work, rounds: int) -> dict[str, Any]:
    """Microseconds of ours and of cuDNN's."""
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel

    shape = work.batch, work.heads, work.length, work.d
    q, k, v = (torch.randn(shape, device="cuda").bfloat16() for _ in range(3))
    out = torch.empty_like(q)

    def theirs() -> Any:
        with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
            return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=work.causal)

    expected = theirs()
    attention(q, k, v, out, causal=work.causal)
    torch.cuda.synchronize()
    assert (out.float() - expected.float()).abs().max().item() < 2e-2, f"{work.name} is wrong"
    launches = 4

    def repeated(run: Callable[[], Any]) -> Callable[[], None]:
        def runs() -> None:
            for _ in range(launches):
                run()

        return runs

    ours = repeated(lambda: attention(q, k, v, out, causal=work.causal))
    times = timed({"ours": ours, "cuDNN": repeated(theirs)}, rounds)
    return {name: each / launches for name, each in times.items()}


def on_cpu(work: Work) -> dict[str, Any]:
    """Microseconds of one launch on the CPU device, checked against numpy."""
    device = px.device("cpu")
    rng = np.random.default_rng(0)
    shape = work.batch, work.heads, work.length, work.d
    q, k, v = (device.array(rng.standard_normal(shape).astype(np.float32), bf16) for _ in range(3))
    started = time.perf_counter()
    found = attention(q, k, v, causal=work.causal).numpy().astype(np.float64)
    taken = time.perf_counter() - started
    x, y, z = (each.numpy().astype(np.float64) for each in (q, k, v))
    scores = x @ y.swapaxes(2, 3) / math.sqrt(work.d)
    if work.causal:
        scores = np.where(np.tril(np.ones((work.length, work.length), bool)), scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    assert np.abs(found - weights @ z / weights.sum(-1, keepdims=True)).max() < 3e-2, f"{work.name} is wrong"
    return {"ours": 1e6 * taken}


def main() -> None:
    parser = command(__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    given = parser.parse_args()
    on = given.device or px.device().kind
    rows = []
    for work in (Work(1, 1, 70, 64, False), Work(1, 1, 70, 64, True)) if given.tiny else WORK:
        times = on_gpu(work, 1 if given.tiny else given.rounds) if on == "cuda" else on_cpu(work)
        ours = times.pop("ours")
        ratio = min(times.values()) / ours if times else None
        floor = 1e6 * work.operations / PEAK
        rows.append({"name": work.name, "unit": "us", "ours": ours, "peers": times, "ratio": ratio, "floor": floor})
        if not given.json:
            peer = f"cuDNN {work.operations / min(times.values()) / 1e6:4.0f}, {ratio:.3f}" if ratio else ""
            print(f"{work.name:26s} ours {work.operations / ours / 1e6:4.0f} TFLOP/s {peer}", flush=True)
    if given.json:
        print_json(rows)
    elif on == "cuda":
        ratios = [row["ratio"] for row in rows]
        print(f"geometric mean {geometric_mean(ratios):.3f}, least {min(ratios):.3f}")


if __name__ == "__main__":
    main()
