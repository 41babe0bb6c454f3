#!/usr/bin/env python3
"""Collectives over the GPUs of one host, and a tensor-parallel matrix product, beside torch.distributed in processes of its own.

    tools/bench/collectives.py [--json] [--tiny] [--device cuda|cpu] [--bytes N...] [--rows M]

Ours has all the devices in this process; torch has a process for each, on the same devices, right after. Times are of the
slowest device: CUDA events around batches of calls, the median of rounds. The bus bandwidth of an all-reduce over p ranks is
2 (p - 1) / p of its bytes by its time (nccl-tests, PERFORMANCE.md). The product is (m, k) x (k, n) with its depth over the ranks;
the floor is the longer of product and all-reduce alone, what is a sum of them has no overlap. On the CPU device figures mean
nothing.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

import ptxgen as px
from ptxgen import bf16, f32
from ptxgen.distributed import Group, group, matmul_all_reduce
from tools.bench._command import command, print_json

ROUNDS, BATCH = 9, 10


def timed(ranks: Group, run: Callable[[], Any], rounds: int, batch: int) -> float:
    """Milliseconds of a call, on the slowest device."""
    for _ in range(3):
        run()
    found = []
    for _ in range(rounds):
        events = [(place.event(), place.event()) for place in ranks.devices]
        for place in ranks.devices:
            place.synchronize()
        for place, (begin, _) in zip(ranks.devices, events):
            begin.record(place.current_stream)
        for _ in range(batch):
            run()
        for place, (_, end) in zip(ranks.devices, events):
            end.record(place.current_stream)
        for place in ranks.devices:
            place.synchronize()
        found.append(max(end.elapsed_ms(begin) for begin, end in events) / batch)
    return median(found)


def by_torch(**given: Any) -> dict[str, float]:
    """torch's times; none where torch or its NCCL is not there."""
    peer = Path(__file__).with_name("_collectives_torch.py")
    done = subprocess.run([sys.executable, str(peer), json.dumps(given)], capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"torch: {done.stderr.strip()[-300:]}", file=sys.stderr)
        return {}
    found: dict[str, float] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def rows_of(
    ranks: Group, sizes: list[int], shape: tuple[int, int, int], rounds: int, batch: int
) -> list[dict[str, Any]]:
    """All of it, checked first."""
    size = ranks.size
    times: dict[str, float] = {}
    for nbytes in sizes:
        arrays = [place.full(nbytes // 4, rank + 1, f32) for rank, place in zip(ranks.ranks, ranks.devices)]
        (first, *_) = ranks.all_reduce(arrays)
        assert first[:16].numpy().tolist() == [size * (size + 1) / 2] * 16, "the reduction is wrong"
        zeros = [place.zeros(nbytes // 4, f32) for place in ranks.devices]
        times[f"all_reduce {nbytes}"] = timed(ranks, partial(ranks.all_reduce, zeros, out=zeros), rounds, batch)
    m, k, n = shape
    rng = np.random.default_rng(1)
    a = [place.array(rng.integers(-2, 3, (m, k // size)).astype(np.float32), bf16) for place in ranks.devices]
    b = [place.array(rng.integers(-2, 3, (k // size, n)).astype(np.float32), bf16) for place in ranks.devices]
    out = [place.empty((m, n), bf16) for place in ranks.devices]
    matmul_all_reduce(ranks, a, b, out=out)
    expected = sum(x[:4].numpy() @ y.numpy() for x, y in zip(a, b))
    assert np.allclose(out[-1][:4].numpy(), expected, rtol=1e-2, atol=2), "the product is wrong"

    def products() -> None:
        for place, x, y, z in zip(ranks.devices, a, b, out):
            with place.context.current():
                px.ops.matmul(x, y, out=z)

    times["product alone"] = timed(ranks, products, rounds, batch)
    times["reduction alone"] = timed(ranks, lambda: ranks.all_reduce(out, out=out), rounds, batch)
    for parts in (1, 2, 4, 8):
        run = partial(matmul_all_reduce, ranks, a, b, parts=parts, out=out)
        times[f"product, {parts} parts"] = timed(ranks, run, rounds, batch)
    return _rows(times, sizes, shape, size)


def _rows(times: dict[str, float], sizes: list[int], shape: tuple[int, int, int], size: int) -> list[dict[str, Any]]:
    theirs: dict[str, float] = {}
    if px.devices()[0].kind == "cuda" and sizes[0] > 4096:
        theirs = by_torch(size=size, sizes=sizes, shape=shape, rounds=ROUNDS, batch=BATCH)
    rows = []
    for name, ours in times.items():
        peer = theirs.get("product" if name.startswith("product,") else name)
        floor = max(times["product alone"], times["reduction alone"]) if name.startswith("product,") else None
        kind, _, nbytes = name.partition(" ")
        bus = (
            f", {2 * (size - 1) / size * int(nbytes) / ours / 1e6:.0f} GB/s on the bus" if kind == "all_reduce" else ""
        )
        rows.append({
            "name": f"{name}{bus}", "unit": "ms", "ours": ours, "peers": {} if peer is None else {"torch": peer},
            "ratio": None if peer is None else peer / ours, "floor": floor,
        })  # fmt: skip
    return rows


def main() -> None:
    parser = command(__doc__, device="cuda")
    parser.add_argument("--bytes", nargs="+", type=int, default=[1 << 20, 1 << 24, 1 << 28], help="of an all-reduce")
    parser.add_argument("--rows", type=int, default=8192, help="m, k and n of the product")
    options = parser.parse_args()
    tiny = options.tiny
    sizes, shape = ([64], (128, 32, 32)) if tiny else (options.bytes, (options.rows,) * 3)
    places = ["cpu:0", "cpu:sm_80"] if options.device == "cpu" else None
    with group(places) as ranks:
        rows = rows_of(ranks, sizes, shape, 1 if tiny else ROUNDS, 1 if tiny else BATCH)
    if options.json:
        print_json(rows)
        return
    for row in rows:
        beside = "  ".join(f"{peer} {value:.4f}" for peer, value in row["peers"].items())
        ratio = f"  {row['ratio']:.3f}x" if row["ratio"] else ""
        floor = f"  floor {row['floor']:.4f}" if row["floor"] else ""
        print(f"{row['name']:56} {row['ours']:.4f} ms{floor}  {beside}{ratio}", flush=True)


if __name__ == "__main__":
    main()
