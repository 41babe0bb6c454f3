#!/usr/bin/env python3
"""The steps of the tutorial's GEMM (examples/hopper_gemm) beside cuBLAS, by torch: C = A Bᵀ in bf16, 4,096 cubed.

Each is a graph of launches, replayed in turn; medians of the rounds, random data. The floor is the time of the operations at the
datasheet's peak of bf16.
"""

from __future__ import annotations

import importlib
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import ptxgen as px
from examples.hopper_gemm.problem import difference
from tools.bench._peers import compare, floor
from tools.bench._timer import Timer

STEPS = {
    "step1_loops": "1, a thread an element",
    "step2_shared": "2, tiles in shared memory",
    "step3_tma_wgmma": "3, TMA and wgmma",
    "step4_pipeline": "4, a pipeline and roles",
    "step5_persistent": "5, persistent CTAs",
}
"""The files of examples/hopper_gemm, and what is new in each."""


class Work(NamedTuple):
    """A step, and its sizes."""

    step: str
    m: int = 4096
    n: int = 4096
    depth: int = 4096

    @property
    def name(self) -> str:
        return STEPS[self.step]

    @property
    def operations(self) -> float:
        return 2.0 * self.m * self.n * self.depth

    @property
    def floor(self) -> float:
        return floor(self.operations, "bf16", 2.0 * (self.m * self.depth + self.n * self.depth + self.m * self.n))

    def multiply(self, a: Any, b: Any, c: Any) -> None:
        """The step's launch."""
        importlib.import_module(f"examples.hopper_gemm.{self.step}").multiply(a, b, c)


def on_gpu(work: Work, timer: Timer) -> dict[str, float]:
    """Microseconds of the step and of cuBLAS."""
    torch, device = timer.torch, timer.device
    a, b = (torch.randn(rows, work.depth, device="cuda", dtype=torch.bfloat16) for rows in (work.m, work.n))
    expected, c = torch.matmul(a, b.mT), torch.empty(work.m, work.n, device="cuda", dtype=torch.bfloat16)
    work.multiply(a, b, c)
    torch.cuda.synchronize()
    scale = expected.float().abs().max().item()
    assert (c.float() - expected.float()).abs().max().item() <= 1e-2 * scale, f"{work.name} is wrong"
    their_graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(their_graph):
        torch.matmul(a, b.mT, out=expected)
    with device.capture() as graph:
        work.multiply(a, b, c)
    times = timer.times({"ours": graph.launch, "torch (cuBLAS)": their_graph.replay})
    return {name: 1e3 * each for name, each in times.items()}


def on_cpu(work: Work) -> float:
    """Microseconds of one launch on the CPU device, checked against numpy."""
    began = time.perf_counter()
    found = difference(work.multiply, px.device("cpu"), (work.m, work.n, work.depth))
    assert found == 0, f"{work.name} is wrong by {found}"
    return 1e6 * (time.perf_counter() - began)


if __name__ == "__main__":
    tiny = [Work(step, 72, 40, 64) for step in STEPS]
    compare(__doc__, [Work(step) for step in STEPS], tiny, on_gpu=on_gpu, on_cpu=on_cpu)
