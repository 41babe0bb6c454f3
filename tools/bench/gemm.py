#!/usr/bin/env python3
"""Products of matrices beside cuBLAS, by torch: bf16 on the shapes of peers' tables, fp8, tf32, int8 and batches.

Both are graphs of the same number of launches, replayed in turn; medians of the rounds, random data. The floor is the time of the
operations at the datasheet's peak, or of the bytes at a device copy's bandwidth, whichever is longer.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

import ptxgen as px
from ptxgen.builder import bf16, e4m3, f32, s8
from ptxgen.ops import matmul
from tools.bench._peers import compare, floor
from tools.bench._timer import Timer

SHAPES = (
    (512, 512, 512), (1024, 1024, 1024), (2048, 2048, 2048), (4096, 4096, 4096), (6144, 6144, 6144), (8192, 8192, 8192),
    (16384, 16384, 16384), (16, 4096, 4096), (64, 4096, 14336), (128, 14336, 4096), (256, 8192, 28672), (4096, 14336, 4096),
    (4096, 4096, 14336), (8192, 8192, 1024), (2048, 128256, 4096), (4096, 4096, 512), (3000, 5000, 2000),
)  # fmt: skip
"""(m, n, depth) of the bf16 table."""


class Work(NamedTuple):
    """One product: `batch` matrices of elements of a type; `exact`: of f32 without rounding to tf32."""

    m: int
    n: int
    depth: int
    element: Any = bf16
    batch: int = 1
    exact: bool = False

    @property
    def name(self) -> str:
        batch = f"{self.batch} x " if self.batch > 1 else ""
        if self.exact:
            return f"f32 exact: {self.m}x{self.n}x{self.depth}"
        return f"{self.element.isa.name}{' batches' if batch else ''}: {batch}{self.m}x{self.n}x{self.depth}"

    @property
    def operations(self) -> float:
        return 2.0 * self.batch * self.m * self.n * self.depth

    @property
    def floor(self) -> float:
        size: int = self.element.isa.bytes
        moved = self.batch * (size * self.depth * (self.m + self.n) + 2 * self.m * self.n)
        if self.exact:  # six products of bf16
            return floor(6 * self.operations, "bf16", moved)
        return floor(self.operations, self.element.isa.name, moved)


WORK = (
    *(Work(*shape) for shape in SHAPES),
    *(Work(n, n, n, e4m3) for n in (4096, 8192)), Work(4096, 14336, 4096, e4m3),
    *(Work(n, n, n, f32) for n in (4096, 8192)), *(Work(n, n, n, f32, exact=True) for n in (1024, 2048, 4096, 8192)),
    *(Work(n, n, n, s8) for n in (4096, 8192)),
    Work(2048, 2048, 128, bf16, 64), Work(512, 512, 512, bf16, 64), Work(1024, 128, 1024, bf16, 32),
    Work(128, 128, 4096, bf16, 16),
)  # fmt: skip


def on_gpu(work: Work, timer: Timer) -> dict[str, float]:
    """Microseconds of ours and of torch's."""
    torch, device = timer.torch, timer.device
    a, b, expected, theirs = _operands(torch, work)
    out = torch.empty_like(expected)
    matmul(a, b, out, exact=work.exact)
    torch.cuda.synchronize()
    scale = expected.float().abs().max().item()
    limit = 1e-4 if work.exact else 1e-2
    assert (out.float() - expected.float()).abs().max().item() <= limit * scale, f"{work.name} is wrong"
    launches = max(1, min(20, int(2e12 / work.operations) + 1))
    their_graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(their_graph):
        for _ in range(launches):
            theirs()
    with device.capture() as graph:
        for _ in range(launches):
            matmul(a, b, out, exact=work.exact)
    times = timer.times({"ours": graph.launch, "torch (cuBLAS)": their_graph.replay})
    return {name: 1e3 * each / launches for name, each in times.items()}


def _operands(torch: Any, work: Work) -> tuple[Any, Any, Any, Any]:
    """(a, b, what torch computes, a call that computes it again)."""
    lead = (work.batch,) if work.batch > 1 else ()
    shapes = (*lead, work.m, work.depth), (*lead, work.n, work.depth)
    if work.element is s8:
        x, y = (torch.randint(-128, 128, shape, device="cuda", dtype=torch.int8) for shape in shapes)
        return x, y.mT, torch._int_mm(x, y.mT), lambda: torch._int_mm(x, y.mT)
    x, y = (torch.randn(shape, device="cuda") for shape in shapes)
    if work.element is f32:
        torch.backends.cuda.matmul.allow_tf32 = not work.exact
        out = torch.empty(work.m, work.n, device="cuda")
        return x, y.mT, torch.matmul(x, y.mT), lambda: torch.matmul(x, y.mT, out=out)
    if work.element is e4m3:
        x, y = x.to(torch.float8_e4m3fn), y.to(torch.float8_e4m3fn)
        one = torch.ones((), device="cuda")

        def product() -> Any:
            return torch._scaled_mm(x, y.mT, one, one, out_dtype=torch.bfloat16, use_fast_accum=True)

        return x, y.mT, product(), product
    x, y = x.bfloat16(), y.bfloat16()
    result = torch.matmul(x, y.mT)
    return x, y.mT, result, lambda: torch.matmul(x, y.mT, out=result)


def on_cpu(work: Work) -> float:
    """Microseconds of one launch on the CPU device, checked against numpy."""
    device = px.device("cpu")
    rng = np.random.default_rng(0)
    x, y = (
        rng.integers(-4, 5, (work.batch, *shape)).astype(np.float32)
        for shape in ((work.m, work.depth), (work.depth, work.n))
    )
    kind = np.int8 if work.element is s8 else np.float32
    a, b = (device.array(each.astype(kind), work.element) for each in (x, y))
    started = time.perf_counter()
    found = matmul(a, b, exact=work.exact).numpy()
    taken = time.perf_counter() - started
    assert np.array_equal(found.astype(np.float32), x @ y), f"{work.name} is wrong"
    return 1e6 * taken


if __name__ == "__main__":
    tiny = (Work(72, 40, 64), Work(40, 16, 64, bf16, 2), Work(72, 40, 64, f32, exact=True))
    compare(__doc__, WORK, tiny, on_gpu=on_gpu, on_cpu=on_cpu)
