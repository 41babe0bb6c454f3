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
from statistics import geometric_mean
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

import ptxgen as px
from ptxgen.builder import bf16
from ptxgen.ops import grouped_matmul
from tools.bench._command import command, print_json
from tools.bench._replays import timed
from tools.bench.gemm import COPY, PEAK


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
        kind = f" of {self.room} (masked)" if self.room else ""
        return f"{self.groups} groups{kind}, {self.rows} rows{' uneven' * self.uneven}, {self.n}x{self.depth}"

    def counts(self) -> np.ndarray[Any, Any]:
        """Rows of each group."""
        if not self.uneven:
            return np.full(self.groups, self.rows // self.groups)
        rng = np.random.default_rng(0)
        found = rng.multinomial(self.rows, rng.dirichlet(np.ones(self.groups)))
        return np.minimum(found, self.room) if self.room else found

    def floor(self) -> float:
        """Microseconds, in bf16."""
        counts = self.counts()
        rows, busy = int(counts.sum()), int((counts > 0).sum())
        moved = 2.0 * (rows * (self.depth + self.n) + busy * self.n * self.depth)
        return 1e6 * max(2 * rows * self.n * self.depth / PEAK["bf16"], moved / COPY)


WORK = (
    Work(8, 4096, 4096, 7168), Work(8, 4096, 4096, 7168, True), Work(8, 8192, 14336, 4096, True),
    Work(32, 8192, 4096, 2048, True), Work(64, 8192, 2816, 2048, True), Work(8, 512, 14336, 4096, True),
    Work(32, 1024, 4096, 7168, True, 128), Work(8, 2048, 4096, 7168, True, 1024),
)  # fmt: skip


def on_gpu(work: Work, rounds: int) -> dict[str, Any]:
    """Microseconds of ours and of the peers."""
    import torch

    device = px.device("cuda")
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
    launches = max(1, min(20, int(5e11 / (2 * counts.sum() * work.n * work.depth)) + 1))
    runs = {}
    with device.capture() as graph:
        for _ in range(launches):
            grouped_matmul(a, b, rows, out)

    def ours() -> None:
        with device.use(torch.cuda.current_stream()):
            graph.launch()

    runs["ours"] = ours
    for name, run in peers.items():
        captured = torch.cuda.CUDAGraph()
        with torch.cuda.graph(captured):
            for _ in range(launches):
                run()
        runs[name] = captured.replay
    return {name: each / launches for name, each in timed(runs, rounds).items()}


def on_cpu(work: Work) -> dict[str, Any]:
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
    return {"ours": 1e6 * took}


def main() -> None:
    parser = command(__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only", help="rows whose name has this text")
    given = parser.parse_args()
    on = given.device or px.device().kind
    tiny = (Work(3, 140, 40, 64, True), Work(2, 70, 16, 64, True, 40))
    rows = []
    for work in tiny if given.tiny else WORK:
        if given.only and given.only not in work.name:
            continue
        times = on_gpu(work, 1 if given.tiny else given.rounds) if on == "cuda" else on_cpu(work)
        ours = times.pop("ours")
        ratio = min(times.values()) / ours if times else None
        floor = work.floor()
        rows.append({"name": work.name, "unit": "us", "ours": ours, "peers": times, "ratio": ratio, "floor": floor})
        if not given.json:
            peers = "  ".join(f"{name} {each:.2f}" for name, each in times.items())
            best = f"  {peers}, {ratio:.3f}" if ratio else ""
            print(f"{work.name:60s} ours {ours:10.2f} us, floor {floor:10.2f}{best}", flush=True)
    if given.json:
        print_json(rows)
    elif ratios := [row["ratio"] for row in rows if row["ratio"]]:
        print(f"{len(ratios)} shapes: geometric mean {geometric_mean(ratios):.3f}, least {min(ratios):.3f}")


if __name__ == "__main__":
    main()
