#!/usr/bin/env python3
"""Attention beside cuDNN, by torch: forward, causal or not, bf16 and e4m3, random data.

Launches in turn, medians of the rounds. The floor is the time of the two products at the datasheet's peak. Packed sequences,
whose lengths our kernel reads on the device, are all of one length here, so that cuDNN can take them as a batch. Those of e4m3,
which torch has not, are beside cuDNN's of bf16; turning V is counted.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

import ptxgen as px
from ptxgen.builder import bf16, e4m3
from ptxgen.ops import attention, attention_packed
from tools.bench._peers import compare, floor
from tools.bench._timer import Timer


class Work(NamedTuple):
    """One problem: as many keys as queries."""

    batch: int
    heads: int
    length: int
    d: int
    causal: bool
    packed: bool = False
    narrow: bool = False

    @property
    def name(self) -> str:
        table = "e4m3" if self.narrow else "packed" if self.packed else "forward"
        return f"{table}: {self.batch}x{self.heads}x{self.length}x{self.d}{' causal' * self.causal}"

    @property
    def operations(self) -> float:
        return 4.0 * self.batch * self.heads * self.length**2 * self.d * (0.5 if self.causal else 1)

    @property
    def floor(self) -> float:
        return floor(self.operations, "e4m3" if self.narrow else "bf16")


WORK = tuple(
    Work(*shape, causal)
    for shape in ((4, 16, 4096, 128), (2, 16, 8192, 128), (1, 16, 16384, 128), (4, 32, 4096, 64), (8, 16, 2048, 128))
    for causal in (False, True)
) + (Work(4, 16, 4096, 128, False, True), Work(8, 16, 2048, 128, True, True))
WORK += tuple(each._replace(narrow=True) for each in WORK if not each.packed)


def on_gpu(work: Work, timer: Timer) -> dict[str, float]:
    """Microseconds of ours and of cuDNN's."""
    from torch.nn.attention import SDPBackend, sdpa_kernel

    torch = timer.torch
    shape = work.batch, work.heads, work.length, work.d
    q, k, v = (torch.randn(shape, device="cuda").bfloat16() for _ in range(3))
    x, y, z = (each.to(torch.float8_e4m3fn) if work.narrow else each for each in (q, k, v))
    if work.narrow:
        q, k, v = (each.bfloat16() for each in (x, y, z))
    out = torch.empty_like(q)

    def theirs() -> Any:
        with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
            return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=work.causal)

    expected = theirs()

    def ours() -> None:
        attention(x, y, z, out, causal=work.causal)

    if work.packed:
        x, y, z = (each.transpose(1, 2).reshape(-1, work.heads, work.d) for each in (q, k, v))
        starts = torch.arange(work.batch + 1, device="cuda", dtype=torch.int32) * work.length
        result = torch.empty_like(x)
        out = result.view(work.batch, work.length, work.heads, work.d).transpose(1, 2)

        def ours() -> None:
            attention_packed(x, y, z, starts, starts, result, longest=work.length, causal=work.causal)

    ours()
    torch.cuda.synchronize()
    allowed = 0.3 if work.narrow else 2e-2  # a causal query that sees few keys has their weights' 3 bits of mantissa
    assert (out.float() - expected.float()).abs().max().item() < allowed, f"{work.name} is wrong"
    launches = 4

    def repeated(run: Callable[[], Any]) -> Callable[[], None]:
        def runs() -> None:
            for _ in range(launches):
                run()

        return runs

    times = timer.times({"ours": repeated(ours), "cuDNN": repeated(theirs)})
    return {name: 1e3 * each / launches for name, each in times.items()}


def on_cpu(work: Work) -> float:
    """Microseconds of one launch on the CPU device, checked against numpy."""
    device = px.device("cpu")
    rng = np.random.default_rng(0)
    shape = work.batch, work.heads, work.length, work.d
    element = e4m3 if work.narrow else bf16
    q, k, v = (device.array(rng.standard_normal(shape).astype(np.float32), element) for _ in range(3))
    started = time.perf_counter()
    if work.packed:  # one sequence of one head: the same elements
        x, y, z = (device.array(each.numpy().reshape(work.length, 1, work.d), bf16) for each in (q, k, v))
        starts = device.array(np.array([0, work.length], np.int32))
        found = attention_packed(x, y, z, starts, starts, causal=work.causal).numpy().astype(np.float64).reshape(shape)
    else:
        found = attention(q, k, v, causal=work.causal).numpy().astype(np.float64)
    taken = time.perf_counter() - started
    x, y, z = (each.numpy().astype(np.float64) for each in (q, k, v))
    scores = x @ y.swapaxes(2, 3) / math.sqrt(work.d)
    if work.causal:
        scores = np.where(np.tril(np.ones((work.length, work.length), bool)), scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    assert np.abs(found - weights @ z / weights.sum(-1, keepdims=True)).max() < (0.3 if work.narrow else 3e-2), (
        f"{work.name} is wrong"
    )
    return 1e6 * taken


if __name__ == "__main__":
    tiny = (
        Work(1, 1, 70, 64, False),
        Work(1, 1, 70, 64, True),
        Work(1, 1, 70, 64, True, True),
        Work(1, 1, 70, 64, False, narrow=True),
    )
    compare(__doc__, WORK, tiny, on_gpu=on_gpu, on_cpu=on_cpu)
