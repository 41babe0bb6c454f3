#!/usr/bin/env python3
"""Gradients of attention beside cuDNN's, by torch: causal or not, bf16, random data.

Launches in turn, medians of the rounds. Both have the results of their own forward. Operations are counted as five products, of
which the floor is the time at the datasheet's peak; ours makes seven, in two kernels without atomics. Packed sequences, whose
lengths our kernels read on the device, are all of one length here, so that cuDNN can take them as a batch.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

import ptxgen as px
from ptxgen.builder import bf16, f32
from ptxgen.kernels.attention.attention import Kind
from ptxgen.kernels.attention.attention_backward import reference
from ptxgen.ops import attention, attention_backward, attention_packed_backward
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

    @property
    def name(self) -> str:
        table = "packed" if self.packed else "backward"
        return f"{table}: {self.batch}x{self.heads}x{self.length}x{self.d}{' causal' * self.causal}"

    @property
    def operations(self) -> float:
        return 10.0 * self.batch * self.heads * self.length**2 * self.d * (0.5 if self.causal else 1)

    @property
    def floor(self) -> float:
        return floor(self.operations, "bf16")


WORK = tuple(
    Work(*shape, causal)
    for shape in ((4, 16, 4096, 128), (2, 16, 8192, 128), (8, 16, 2048, 128), (4, 32, 4096, 64), (4, 16, 4096, 96))
    for causal in (False, True)
) + (Work(4, 16, 4096, 128, False, True), Work(8, 16, 2048, 128, True, True))


def on_gpu(work: Work, timer: Timer) -> dict[str, float]:
    """Microseconds of ours and of cuDNN's."""
    from torch.nn.attention import SDPBackend, sdpa_kernel

    torch = timer.torch
    shape = work.batch, work.heads, work.length, work.d
    q, k, v, slope = (torch.randn(shape, device="cuda").bfloat16() for _ in range(4))
    leaves = [each.clone().requires_grad_() for each in (q, k, v)]
    with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
        result = torch.nn.functional.scaled_dot_product_attention(*leaves, is_causal=work.causal)
    out, log_sums = torch.empty_like(q), torch.empty(shape[:3], device="cuda")
    attention(q, k, v, out, log_sums=log_sums, causal=work.causal)
    found: list[Any] = [torch.empty_like(q) for _ in range(3)]

    def theirs() -> Any:
        return torch.autograd.grad(result, leaves, slope, retain_graph=True)

    def ours() -> None:
        attention_backward(slope, q, k, v, out, log_sums, *found, causal=work.causal)

    if work.packed:
        five = [each.transpose(1, 2).reshape(-1, work.heads, work.d) for each in (slope, q, k, v, out)]
        sums = log_sums.transpose(0, 1).reshape(work.heads, -1).contiguous()
        starts = torch.arange(work.batch + 1, device="cuda", dtype=torch.int32) * work.length
        rows = [torch.empty_like(five[0]) for _ in range(3)]
        found = [each.view(work.batch, work.length, work.heads, work.d).transpose(1, 2) for each in rows]
        given = (*five, sums, starts, starts, *rows)
        stated: Any = {"longest": work.length, "longest_keys": work.length, "causal": work.causal}

        def ours() -> None:
            attention_packed_backward(*given, **stated)

    ours()
    for ours_, expected in zip(found, theirs()):
        off = (ours_.float() - expected.float()).abs().max().item()
        assert off < 2e-2 * max(1.0, expected.float().abs().max().item()), f"{work.name} is wrong by {off}"
    times = timer.times({"ours": ours, "cuDNN": theirs})
    return {name: 1e3 * each for name, each in times.items()}


def on_cpu(work: Work) -> float:
    """Microseconds of one call on the CPU device, checked against numpy."""
    device = px.device("cpu")
    rng = np.random.default_rng(0)
    shape = work.batch, work.heads, work.length, work.d
    q, k, v, slope = (device.array(rng.standard_normal(shape).astype(np.float32), bf16) for _ in range(4))
    log_sums = device.zeros(shape[:3], f32)
    out = attention(q, k, v, log_sums=log_sums, causal=work.causal)
    started = time.perf_counter()
    if work.packed:  # one sequence of one head: the same elements
        a, b, c, d, e = (
            device.array(each.numpy().reshape(work.length, 1, work.d), bf16) for each in (slope, q, k, v, out)
        )
        starts, sums = device.array(np.array([0, work.length], np.int32)), log_sums.reshape(1, work.length)
        made = attention_packed_backward(a, b, c, d, e, sums, starts, starts, causal=work.causal)
    else:
        made = attention_backward(slope, q, k, v, out, log_sums, causal=work.causal)
    found = [each.numpy().reshape(shape) for each in made]
    taken = time.perf_counter() - started
    x, y, z, o, d_o = (each.numpy() for each in (q, k, v, out, slope))
    expected = reference(x, y, z, o, d_o, Kind(work.d, causal=work.causal))
    for name, each in zip(("d_q", "d_k", "d_v"), found):
        assert (np.abs(each - expected[name]) <= 2 * expected["limits"][name] + 1e-2).all(), f"{work.name} is wrong"
    return 1e6 * taken


if __name__ == "__main__":
    tiny = (Work(1, 1, 70, 64, False), Work(1, 1, 70, 64, True, True))
    compare(__doc__, WORK, tiny, on_gpu=on_gpu, on_cpu=on_cpu)
