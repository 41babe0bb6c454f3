#!/usr/bin/env python3
"""Products with a matrix of two zeros in each four, beside cuBLAS's dense ones and torch's semi-structured ones (cuSPARSELt).

Graphs of the same number of launches, replayed in turn; medians of the rounds, random data. The floor is the time of half of the
operations at the datasheet's dense peak, or of the bytes at a device copy's bandwidth, whichever is longer.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

import ptxgen as px
from ptxgen.builder import bf16, e4m3
from ptxgen.ops import compress, sparse_matmul, transposed
from tools.bench._peers import compare, floor
from tools.bench._timer import Timer


class Work(NamedTuple):
    """A dense (n, depth) by the transposed sparse (m, depth)."""

    m: int
    n: int
    depth: int
    element: Any = bf16

    @property
    def name(self) -> str:
        return f"{self.element.isa.name}: {self.n} x {self.m} over {self.depth}"

    @property
    def operations(self) -> float:
        return 2.0 * self.m * self.n * self.depth

    @property
    def floor(self) -> float:
        size: int = self.element.isa.bytes
        moved = size * self.depth * (0.5625 * self.m + self.n) + 2 * self.m * self.n
        return floor(self.operations / 2, self.element.isa.name, moved)


SHAPES = ((4096, 4096, 4096), (8192, 8192, 8192), (14336, 4096, 4096), (4096, 4096, 14336))
WORK = (*(Work(*shape) for shape in SHAPES), *(Work(*shape, e4m3) for shape in SHAPES[:2]))


def on_gpu(work: Work, timer: Timer) -> dict[str, float]:
    """Microseconds of ours and of torch's."""
    torch, device = timer.torch, timer.device
    kind = torch.bfloat16 if work.element is bf16 else torch.float8_e4m3fn
    weights = torch.randn(work.m, work.depth, device="cuda").view(-1, 4)
    weights.scatter_(1, weights.abs().topk(2, 1, largest=False).indices, 0)
    w = weights.view(work.m, work.depth).to(kind)
    x = torch.randn(work.n, work.depth, device="cuda").to(kind)
    packed = compress(w)
    out = torch.empty(work.n, work.m, device="cuda", dtype=torch.bfloat16)
    sparse_matmul(x, transposed(packed), out)
    expected = x.float() @ w.float().T
    scale = expected.abs().max().item()
    assert (out.float() - expected).abs().max().item() <= 1e-2 * scale, f"{work.name} is wrong"
    launches = max(1, min(20, int(2e12 / work.operations) + 1))
    calls = {"torch (cuBLAS, dense)": _dense(torch, x, w)}
    semi = _semi_structured(torch, x, w)
    if semi is not None:
        calls["torch (cuSPARSELt)"] = semi
    runs = {}
    with device.capture() as graph:
        for _ in range(launches):
            sparse_matmul(x, transposed(packed), out)
    runs["ours"] = graph.launch
    graphs = []
    for name, call in calls.items():
        call()
        torch.cuda.synchronize()
        theirs = torch.cuda.CUDAGraph()
        with torch.cuda.graph(theirs):
            for _ in range(launches):
                call()
        graphs.append(theirs)
        runs[name] = theirs.replay
    return {name: 1e3 * each / launches for name, each in timer.times(runs).items()}


def _dense(torch: Any, x: Any, w: Any) -> Any:
    if x.dtype is torch.bfloat16:
        return lambda: torch.matmul(x, w.T)
    one = torch.ones((), device="cuda")
    return lambda: torch._scaled_mm(x, w.T, one, one, out_dtype=torch.bfloat16, use_fast_accum=True)


def _semi_structured(torch: Any, x: Any, w: Any) -> Any:
    """A call of torch's sparse product; None where this torch has none for the type."""
    try:
        from torch.sparse import to_sparse_semi_structured

        packed = to_sparse_semi_structured(w)
        torch.nn.functional.linear(x, packed)
    except (ImportError, RuntimeError, NotImplementedError, AssertionError, ValueError):
        return None
    return lambda: torch.nn.functional.linear(x, packed)


def on_cpu(work: Work) -> float:
    """Microseconds of one launch on the CPU device, checked against numpy."""
    device = px.device("cpu")
    rng = np.random.default_rng(0)
    w, x = (rng.integers(-4, 5, (rows, work.depth)).astype(np.float32) for rows in (work.m, work.n))
    w.reshape(-1, 4)[:, 1::2] = 0
    packed = compress(device.array(w, work.element))
    started = time.perf_counter()
    found = sparse_matmul(device.array(x, work.element), transposed(packed)).numpy()
    taken = time.perf_counter() - started
    assert np.array_equal(found, device.array(x @ w.T, bf16).numpy()), f"{work.name} is wrong"
    return 1e6 * taken


if __name__ == "__main__":
    compare(__doc__, WORK, (Work(72, 40, 64),), on_gpu=on_gpu, on_cpu=on_cpu)
