#!/usr/bin/env python3
"""Products of a mixture of experts beside PyTorch's grouped product, and beside a product of each group's rows by cuBLAS.

Both are graphs of the same number of launches, replayed in turn; medians of the rounds, random data. The loop over the groups
knows their sizes when it is captured, ours and torch._grouped_mm read them on the device. The floor is the time of the
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
from ptxgen.builder import bf16
from ptxgen.ops import grouped_matmul
from tools.bench._peers import compare, floor
from tools.bench._timer import Timer


class Work(NamedTuple):
    """`rows` rows in `groups` groups, as many in each or, `uneven`, as a random router has them; `room` rows a group: masked."""

    groups: int
    rows: int
    n: int
    depth: int
    uneven: bool = False
    room: int = 0

    @property
    def name(self) -> str:
        kind = f"masked: {self.groups} groups of {self.room}" if self.room else f"grouped: {self.groups} groups"
        return f"{kind}, {self.rows} rows{' uneven' * self.uneven}, {self.n}x{self.depth}"

    def counts(self) -> np.ndarray[Any, Any]:
        """Rows of each group."""
        if not self.uneven:
            return np.full(self.groups, self.rows // self.groups)
        rng = np.random.default_rng(0)
        found = rng.multinomial(self.rows, rng.dirichlet(np.ones(self.groups)))
        return np.minimum(found, self.room) if self.room else found

    @property
    def operations(self) -> float:
        return 2.0 * int(self.counts().sum()) * self.n * self.depth

    @property
    def floor(self) -> float:
        counts = self.counts()
        rows, busy = int(counts.sum()), int((counts > 0).sum())
        moved = 2.0 * (rows * (self.depth + self.n) + busy * self.n * self.depth)
        return floor(self.operations, "bf16", moved)


WORK = (
    Work(8, 4096, 4096, 7168), Work(8, 4096, 4096, 7168, True), Work(8, 8192, 14336, 4096, True),
    Work(32, 8192, 4096, 2048, True), Work(64, 8192, 2816, 2048, True), Work(8, 512, 14336, 4096, True),
    Work(32, 1024, 4096, 7168, True, 128), Work(8, 2048, 4096, 7168, True, 1024),
)  # fmt: skip


def on_gpu(work: Work, timer: Timer) -> dict[str, float]:
    """Microseconds of ours and of the peers."""
    torch, device = timer.torch, timer.device
    counts = work.counts()
    ends = np.cumsum(counts)
    torch.manual_seed(0)
    shape = (work.groups, work.room) if work.room else (work.rows,)
    a = torch.randn(*shape, work.depth, device="cuda").bfloat16()
    b = torch.randn(work.groups, work.n, work.depth, device="cuda").bfloat16().mT
    rows = torch.tensor(counts if work.room else ends, dtype=torch.int32, device="cuda")
    out, theirs = (torch.zeros(*shape, work.n, device="cuda", dtype=torch.bfloat16) for _ in range(2))

    def loop() -> None:
        for g, (last, count) in enumerate(zip(ends, counts)):
            if count:
                its = (g, slice(0, count)) if work.room else (slice(last - count, last),)
                torch.matmul(a[its], b[g], out=theirs[its])

    loop()
    grouped_matmul(a, b, rows, out)
    torch.cuda.synchronize()
    error = (out.float() - theirs.float()).abs().max().item()
    assert error <= 1e-2 * theirs.float().abs().max().item(), f"{work.name} is wrong"
    peers = {"cuBLAS, a loop": loop}
    if not work.room and hasattr(torch, "_grouped_mm"):
        peers["torch._grouped_mm"] = lambda: torch._grouped_mm(a, b, rows)
    launches = max(1, min(20, int(5e11 / work.operations) + 1))
    with device.capture() as graph:
        for _ in range(launches):
            grouped_matmul(a, b, rows, out)
    runs = {"ours": graph.launch}
    for name, run in peers.items():
        captured = torch.cuda.CUDAGraph()
        with torch.cuda.graph(captured):
            for _ in range(launches):
                run()
        runs[name] = captured.replay
    return {name: 1e3 * each / launches for name, each in timer.times(runs).items()}


def on_cpu(work: Work) -> float:
    """Microseconds of one launch on the CPU device, checked against numpy."""
    device = px.device("cpu")
    rng = np.random.default_rng(0)
    counts = work.counts()
    shape = (work.groups, work.room) if work.room else (work.rows,)
    x, y = (
        rng.integers(-2, 3, each).astype(np.float32)
        for each in ((*shape, work.depth), (work.groups, work.depth, work.n))
    )
    rows = device.array((counts if work.room else np.cumsum(counts)).astype(np.int32))
    a, b = device.array(x, bf16), device.array(y, bf16)
    started = time.perf_counter()
    found = grouped_matmul(a, b, rows).numpy()
    took = time.perf_counter() - started
    for g, (last, count) in enumerate(zip(np.cumsum(counts), counts)):
        its = (g, slice(0, count)) if work.room else (slice(last - count, last),)
        assert np.array_equal(found[its], x[its] @ y[g]), f"{work.name} is wrong"
    return 1e6 * took


if __name__ == "__main__":
    compare(__doc__, WORK, (Work(3, 140, 40, 64, True), Work(2, 70, 16, 64, True, 40)), on_gpu=on_gpu, on_cpu=on_cpu)
