#!/usr/bin/env python3
"""Products of e4m3 with factors for blocks, beside PyTorch's products of e4m3 with factors for rows and in bf16.

All are graphs of the same number of launches, replayed in turn; medians of the rounds, random data. torch._scaled_mm and
torch._scaled_grouped_mm are timed with a factor for each row and column, which is less work than one for each block;
where this torch has none of them, a product in bf16 is what remains. The floor is the time of the operations at the
datasheet's peak, or of the bytes at a device copy's bandwidth, whichever is longer.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

import ptxgen as px
from ptxgen.builder import e4m3
from ptxgen.ops import scaled_matmul, transposed
from tools.bench._peers import compare, floor
from tools.bench._timer import Timer


class Work(NamedTuple):
    """m rows, in `groups` groups of as many where that is not 0."""

    m: int
    n: int
    depth: int
    groups: int = 0

    @property
    def name(self) -> str:
        return f"{f'grouped: {self.groups} groups, ' if self.groups else 'dense: '}{self.m}x{self.n}x{self.depth}"

    @property
    def operations(self) -> float:
        return 2.0 * self.m * self.n * self.depth

    @property
    def floor(self) -> float:
        moved = self.depth * (self.m + max(1, self.groups) * self.n) + 2 * self.m * self.n
        return floor(self.operations, "e4m3", moved)


WORK = (
    Work(4096, 4096, 7168), Work(4096, 7168, 2048), Work(4096, 24576, 1536), Work(128, 7168, 16384), Work(8192, 4096, 7168, 8),
    Work(8192, 7168, 2048, 32), Work(1024, 4096, 7168, 32),
)  # fmt: skip
"""Shapes of DeepGEMM's tables."""


def on_gpu(work: Work, timer: Timer) -> dict[str, float]:
    """Microseconds of ours and of the peers."""
    torch, device = timer.torch, timer.device
    torch.manual_seed(0)
    lead = (work.groups,) if work.groups else ()
    deep, across = -(-work.depth // 128), -(-work.n // 128)
    x, y = (torch.randn(*shape, work.depth, device="cuda") for shape in ((work.m,), (*lead, work.n)))
    a, b = (each.to(torch.float8_e4m3fn) for each in (x, y))
    scale_a, scale_b = (torch.rand(*shape, device="cuda") + 0.5 for shape in ((work.m, deep), (*lead, deep, across)))
    ends = torch.arange(1, work.groups + 1, device="cuda", dtype=torch.int32) * (work.m // max(1, work.groups))
    rows = ends if work.groups else None
    out = torch.zeros(work.m, work.n, device="cuda", dtype=torch.bfloat16)

    def ours() -> None:
        scaled_matmul(a, b.mT, scale_a, scale_b, out, rows=rows)

    ours()
    left = a.float() * scale_a.repeat_interleave(128, -1)[:, : work.depth]
    factors = scale_b.repeat_interleave(128, -1).repeat_interleave(128, -2)[..., : work.depth, : work.n]
    right = b.float().mT * factors
    if work.groups:
        each = work.m // work.groups
        expected = torch.cat([left[g * each :][:each] @ right[g] for g in range(work.groups)])
    else:
        expected = left @ right
    error = (out.float() - expected).abs().max().item()
    assert error <= 2e-2 * expected.abs().max().item(), f"{work.name} is wrong"
    launches = max(1, min(20, int(2e12 / work.operations) + 1))
    with device.capture() as graph:
        for _ in range(launches):
            ours()
    runs: dict[str, Callable[[], Any]] = {"ours": graph.launch}
    for name, run in _peers(torch, work, a, b, rows).items():
        try:
            run()
        except (RuntimeError, NotImplementedError):  # not in this build of torch
            continue
        torch.cuda.synchronize()
        captured = torch.cuda.CUDAGraph()
        with torch.cuda.graph(captured):
            for _ in range(launches):
                run()
        runs[name] = captured.replay
    return {name: 1e3 * each / launches for name, each in timer.times(runs).items()}


def _peers(torch: Any, work: Work, a: Any, b: Any, rows: Any) -> dict[str, Callable[[], Any]]:
    """What PyTorch has for these, by name."""
    x, y = a.bfloat16(), b.bfloat16()
    ones = torch.ones(work.m, device="cuda"), torch.ones(b.shape[:-1], device="cuda")
    found: dict[str, Callable[[], Any]] = {}
    if work.groups:
        if hasattr(torch, "_grouped_mm"):
            found["torch._grouped_mm, bf16"] = lambda: torch._grouped_mm(x, y.mT, rows)
        if hasattr(torch, "_scaled_grouped_mm"):
            found["torch._scaled_grouped_mm, rows"] = lambda: torch._scaled_grouped_mm(
                a, b.mT, *ones, offs=rows, out_dtype=torch.bfloat16, use_fast_accum=False
            )
        return found
    found["cuBLAS, bf16"] = lambda: x @ y.mT
    found["torch._scaled_mm, rows"] = lambda: torch._scaled_mm(
        a, b.mT, ones[0][:, None], ones[1][None, :], out_dtype=torch.bfloat16, use_fast_accum=False
    )
    return found


def on_cpu(work: Work) -> float:
    """Microseconds of one launch on the CPU device, checked against numpy."""
    device = px.device("cpu")
    rng = np.random.default_rng(0)
    lead = (work.groups,) if work.groups else ()
    deep, across = -(-work.depth // 128), -(-work.n // 128)
    x, y = (rng.integers(-1, 2, (*shape, work.depth)).astype(np.float32) for shape in ((work.m,), (*lead, work.n)))
    factors = [device.array(np.full(shape, 2, np.float32)) for shape in ((work.m, deep), (*lead, deep, across))]
    each = work.m // max(1, work.groups)
    rows = device.array(np.arange(each, work.m + 1, each, dtype=np.int32)) if work.groups else None
    started = time.perf_counter()
    found = scaled_matmul(device.array(x, e4m3), transposed(device.array(y, e4m3)), *factors, rows=rows).numpy()
    took = time.perf_counter() - started
    parts = [x[g * each :][:each] @ y[g].T for g in range(work.groups)] if work.groups else [x @ y.T]
    assert np.array_equal(found, 4 * np.concatenate(parts)), f"{work.name} is wrong"
    return 1e6 * took


if __name__ == "__main__":
    compare(__doc__, WORK, (Work(40, 16, 32), Work(6, 16, 32, 2)), on_gpu=on_gpu, on_cpu=on_cpu)
