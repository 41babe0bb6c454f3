#!/usr/bin/env python3
"""Products of matrices beside cuBLAS, by torch: bf16 on the shapes of peers' tables, fp8, tf32, int8 and batches.

Both are graphs of the same number of launches, replayed in turn; medians of the rounds, random data. The floor is the time of the
operations at the datasheet's peak, or of the bytes at a device copy's bandwidth, whichever is longer.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from statistics import geometric_mean
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

import ptxgen as px
from ptxgen.builder import bf16, e4m3, f32, s8
from ptxgen.ops import matmul
from tools.bench._command import command, print_json
from tools.bench._replays import timed

PEAK = {"bf16": 989e12, "e4m3": 1979e12, "f32": 495e12, "s8": 1979e12}
"""Operations a second of the tensor cores, dense (NVIDIA H200 datasheet)."""

COPY = 4.2e12
"""Bytes a second of a device copy on an H200 (`primitives.py`)."""

SHAPES = (
    (512, 512, 512), (1024, 1024, 1024), (2048, 2048, 2048), (4096, 4096, 4096), (6144, 6144, 6144), (8192, 8192, 8192),
    (16384, 16384, 16384), (16, 4096, 4096), (64, 4096, 14336), (128, 14336, 4096), (256, 8192, 28672), (4096, 14336, 4096),
    (4096, 4096, 14336), (8192, 8192, 1024), (2048, 128256, 4096), (4096, 4096, 512), (3000, 5000, 2000),
)  # fmt: skip
"""(m, n, depth) of the bf16 table."""


class Work(NamedTuple):
    """One product: `batch` matrices of elements of a type."""

    m: int
    n: int
    depth: int
    element: Any = bf16
    batch: int = 1

    @property
    def name(self) -> str:
        batch = f"{self.batch} x " if self.batch > 1 else ""
        return f"{self.element.isa.name} {batch}{self.m}x{self.n}x{self.depth}"

    @property
    def floor(self) -> float:
        """Microseconds."""
        size: int = self.element.isa.bytes
        moved: float = self.batch * (size * self.depth * (self.m + self.n) + 2 * self.m * self.n)
        return 1e6 * max(2 * self.batch * self.m * self.n * self.depth / PEAK[self.element.isa.name], moved / COPY)


WORK = (
    *(Work(*shape) for shape in SHAPES),
    *(Work(n, n, n, e4m3) for n in (4096, 8192)), Work(4096, 14336, 4096, e4m3),
    *(Work(n, n, n, f32) for n in (4096, 8192)), *(Work(n, n, n, s8) for n in (4096, 8192)),
    Work(2048, 2048, 128, bf16, 64), Work(512, 512, 512, bf16, 64), Work(1024, 128, 1024, bf16, 32),
    Work(128, 128, 4096, bf16, 16),
)  # fmt: skip


def on_gpu(work: Work, rounds: int) -> dict[str, Any]:
    """Microseconds of ours and of torch's."""
    import torch

    device = px.device("cuda")
    a, b, expected, theirs = _operands(torch, work)
    out = torch.empty_like(expected)
    matmul(a, b, out)
    torch.cuda.synchronize()
    scale = expected.float().abs().max().item()
    assert (out.float() - expected.float()).abs().max().item() <= 1e-2 * scale, f"{work.name} is wrong"
    launches = max(1, min(20, int(2e12 / (2 * work.m * work.n * work.depth * work.batch)) + 1))
    their_graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(their_graph):
        for _ in range(launches):
            theirs()
    with device.capture() as graph:
        for _ in range(launches):
            matmul(a, b, out)

    def ours() -> None:
        with device.use(torch.cuda.current_stream()):
            graph.launch()

    runs = {"ours": ours, "torch (cuBLAS)": their_graph.replay}
    return {name: each / launches for name, each in timed(runs, rounds).items()}


def _operands(torch: Any, work: Work) -> tuple[Any, Any, Any, Any]:
    """(a, b, what torch computes, a call that computes it again)."""
    lead = (work.batch,) if work.batch > 1 else ()
    shapes = (*lead, work.m, work.depth), (*lead, work.n, work.depth)
    if work.element is s8:
        x, y = (torch.randint(-128, 128, shape, device="cuda", dtype=torch.int8) for shape in shapes)
        return x, y.mT, torch._int_mm(x, y.mT), lambda: torch._int_mm(x, y.mT)
    x, y = (torch.randn(shape, device="cuda") for shape in shapes)
    if work.element is f32:
        torch.backends.cuda.matmul.allow_tf32 = True
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


def on_cpu(work: Work) -> dict[str, Any]:
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
    found = matmul(a, b).numpy()
    assert np.array_equal(found.astype(np.float32), x @ y), f"{work.name} is wrong"
    return {"ours": 1e6 * (time.perf_counter() - started)}


def main() -> None:
    parser = command(__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only", help="rows whose name has this text")
    given = parser.parse_args()
    on = given.device or px.device().kind
    tiny = (Work(72, 40, 64), Work(40, 16, 64, bf16, 2))
    rows = []
    for work in tiny if given.tiny else WORK:
        if given.only and given.only not in work.name:
            continue
        times = on_gpu(work, 1 if given.tiny else given.rounds) if on == "cuda" else on_cpu(work)
        ours = times.pop("ours")
        ratio = min(times.values()) / ours if times else None
        rows.append(
            {"name": work.name, "unit": "us", "ours": ours, "peers": times, "ratio": ratio, "floor": work.floor}
        )
        if not given.json:
            peer = f"cuBLAS {min(times.values()):10.2f}, {ratio:.3f}" if ratio else ""
            print(f"{work.name:32s} ours {ours:10.2f} us, floor {work.floor:10.2f}  {peer}", flush=True)
    if given.json:
        print_json(rows)
    else:
        found = [
            row["ratio"]
            for row in rows
            if row["ratio"] and row["name"].startswith("bf16 ") and " x " not in row["name"]
        ]
        if found:
            print(f"bf16, {len(found)} shapes: geometric mean {geometric_mean(found):.3f}, least {min(found):.3f}")


if __name__ == "__main__":
    main()
