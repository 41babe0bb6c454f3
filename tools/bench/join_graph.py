#!/usr/bin/env python3
"""The probe of a hash join as a captured graph beside plain launches, and the operations around it beside PyTorch.

    tools/bench/join_graph.py [--json] [--tiny] [--most 7] [--device cpu]

Each probe has other input than the one before: four arrays of u32 keys in turn, one match a row, on a table that stays.
Times are wall clock from the call to the finished result on the device (a synchronisation), medians of rounds in which the
ways alternate:

  direct   ptxgen.ops.Join: a fill and a kernel, launched one by one
  graph    the captured graph with the new input, launched
  resized  the same where each input also has another number of rows, so that the kernel is updated
  replay   the graph launched as it is: what a caller pays who writes new input into the same array

The bound is that of ptxgen/kernels/joins/hash_probe.py, at the speed of a device copy of this run.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

import ptxgen as px
from ptxgen import f64, u32
from ptxgen.ops import Closure, Dedup, GroupBy, HashTable, Join, RowSets
from ptxgen.ops.joins.join_graph import JoinGraphs
from tools.bench._command import command, print_json

INPUTS = 4
SECONDS = 1.0  # for the rounds of a probe
PROBE_BYTES = 4 + 8 + 2 * 32
"""Of a probe row: its key, a pair, a bucket's bounds and an entry."""


def alternate(runs: dict[str, Callable[[int], Any]], seconds: float) -> dict[str, float]:
    """Median microseconds of each, called with the number of its input."""
    samples: dict[str, list[float]] = {name: [] for name in runs}
    ends = time.perf_counter() + seconds
    round_ = 0
    while round_ < 8 or (time.perf_counter() < ends and round_ < 400):
        for name, run in runs.items():
            begin = time.perf_counter()
            run(round_ % INPUTS)
            samples[name].append((time.perf_counter() - begin) * 1e6)
        round_ += 1
    return {name: median(each[3:]) for name, each in samples.items()}


def copy_bytes_per_us(device: px.Device, nbytes: int) -> float:
    """Bytes read and written by a device copy in a microsecond."""
    x, y = device.empty(nbytes // 4, u32), device.empty(nbytes // 4, u32)

    def copy(_: int) -> None:
        y.copy_from(x)
        device.synchronize()

    return 2 * nbytes / alternate({"copy": copy}, 0.2 * SECONDS)["copy"]


def probe_row(device: px.Device, n: int, speed: float) -> dict[str, Any]:
    """n probe rows on a table of n rows."""
    rng = np.random.default_rng(n)
    build = device.array(rng.permutation(n).astype(np.uint32))
    probes = [device.array(rng.permutation(n).astype(np.uint32)) for _ in range(INPUTS)]
    table = HashTable(device, build)
    join = Join(table, probes[0], n)
    graphs = JoinGraphs(device, enabled=True)
    for probe in probes:
        pairs = graphs.indexed(table, probe, n)
        assert pairs.total == n, "the join is wrong"
        assert np.array_equal(probe.numpy()[pairs.left.numpy()], build.numpy()[pairs.right.numpy()]), (
            "the join is wrong"
        )
    ((_, captured),) = graphs._graphs.items()

    def direct(number: int) -> None:
        join(probes[number])
        device.synchronize()

    def graph(number: int) -> None:
        captured.update(table, [probes[number]])
        captured.launch()
        device.synchronize()

    def resized(number: int) -> None:
        captured.update(table, [probes[number][: n - 1 - number]])
        captured.launch()
        device.synchronize()

    replay_only = captured._graph.bind()

    def replay(_: int) -> None:
        replay_only()
        device.synchronize()

    resizing = alternate({"resized": resized}, 0.3 * SECONDS)
    times = {**alternate({"direct": direct, "graph": graph, "replay": replay}, SECONDS), **resizing}
    graphs.close()
    join.close()
    table.close()
    return {
        "name": f"probe u32 {n}", "unit": "us", "ours": times["graph"],
        "peers": {name: times[name] for name in ("direct", "replay", "resized")},
        "ratio": times["direct"] / times["graph"], "floor": PROBE_BYTES * n / speed,
    }  # fmt: skip


def operation_rows(device: px.Device, n: int) -> list[dict[str, Any]]:
    """Dedup, group-by and union of n random u32 (n/8 different), beside PyTorch where it is installed."""
    rng = np.random.default_rng(1)
    keys, others = (rng.integers(0, max(1, n // 8), n).astype(np.uint32) for _ in range(2))
    values = rng.standard_normal(n).astype(np.float32)
    on_keys, on_others, on_values = device.array(keys), device.array(others), device.array(values)
    sums = device.empty(n, f64)
    dedup, by, sets = Dedup(device, on_keys), GroupBy(device, on_keys), RowSets(device, on_keys, 2 * n)

    def grouped() -> None:
        by(on_keys)
        by.sum(on_values, sums)

    ways: dict[str, tuple[Callable[[], Any], dict[str, Callable[[], Any]]]] = {
        "dedup": (lambda: dedup(on_keys), {}),
        "group-by sum": (grouped, {}),
        "union": (lambda: sets.union(on_keys, on_others), {}),
    }
    try:
        import torch
    except ImportError:
        pass
    else:
        if device.kind == "cuda":
            left, right, summed = (
                torch.from_numpy(x).cuda() for x in (keys.view(np.int32), others.view(np.int32), values)
            )

            def torch_grouped() -> None:
                different, inverse = torch.unique(left, return_inverse=True)
                torch.zeros(len(different), dtype=torch.float64, device="cuda").index_add_(0, inverse, summed.double())

            ways["dedup"][1]["torch"] = lambda: torch.unique(left)
            ways["group-by sum"][1]["torch"] = torch_grouped
            ways["union"][1]["torch"] = lambda: torch.unique(torch.cat((left, right)))
    rows = []
    for name, (ours, peers) in ways.items():
        runs: dict[str, Callable[[int], Any]] = {}
        for who, run in {"ours": ours, **peers}.items():
            runs[who] = partial(_finished, device, run, torch_too=who != "ours")
        times = alternate(runs, 0.5 * SECONDS)
        best = min((times[peer] for peer in peers), default=0.0)
        rows.append({
            "name": f"{name} {n}", "unit": "us", "ours": times["ours"], "peers": {peer: times[peer] for peer in peers},
            "ratio": best / times["ours"], "floor": 0.0,
        })  # fmt: skip
    assert np.array_equal(keys[dedup.rows().numpy()], np.unique(keys)), "dedup is wrong"
    assert np.array_equal(sets.rows()[0].numpy(), np.union1d(keys, others)), "the union is wrong"
    expected = np.bincount(keys, weights=values.astype(np.float64))[np.unique(keys)]
    assert np.allclose(sums[: by.count()].numpy(), expected, atol=1e-9), "the sums are wrong"
    return rows


def _finished(device: px.Device, run: Callable[[], Any], _: int, *, torch_too: bool) -> None:
    """Run to the end."""
    run()
    device.synchronize()
    if torch_too:
        import torch

        torch.cuda.synchronize()


def closure_row(device: px.Device, paths: int, length: int) -> dict[str, Any]:
    """Disjoint paths: length*(length+1)/2 pairs each, length+1 rounds."""
    steps = np.arange(length, dtype=np.uint32)
    firsts = (np.arange(paths, dtype=np.uint32) * (length + 1))[:, None]
    sources, targets = (device.array((firsts + steps + d).reshape(-1).astype(np.uint32)) for d in (0, 1))
    total = paths * length * (length + 1) // 2
    closure = Closure(device, paths * length, total)

    def run(_: int) -> None:
        closure(sources, targets)
        device.synchronize()

    time_ = alternate({"ours": run}, 0.5 * SECONDS)["ours"]
    reached = closure.pairs()
    assert (reached.left.size, reached.rounds) == (total, length + 1), "the closure is wrong"
    pairs = np.stack([reached.left.numpy(), reached.right.numpy()])
    assert len(np.unique((pairs[0].astype(np.uint64) << np.uint64(32)) | pairs[1])) == total, "a pair is there twice"
    assert ((pairs[1] > pairs[0]) & (pairs[0] // (length + 1) == pairs[1] // (length + 1))).all(), "a pair is wrong"
    return {
        "name": f"closure of {paths} paths of {length}, {total} pairs", "unit": "us", "ours": time_, "peers": {},
        "ratio": 0.0, "floor": 0.0,
    }  # fmt: skip


def main() -> None:
    arguments = command(__doc__)
    arguments.add_argument("--most", type=int, default=7, help="the largest size is 10 to this power")
    options = arguments.parse_args()
    if options.tiny:
        global SECONDS
        SECONDS, options.most = 0.0, 3
    device = px.device(options.device)
    speed = copy_bytes_per_us(device, 1 << (29 if options.most >= 7 else 20))
    rows = [probe_row(device, 10**power, speed) for power in range(3, options.most + 1)]
    rows += operation_rows(device, 10**options.most)
    rows += [
        closure_row(device, 10 ** max(0, options.most - 4), 100),
        closure_row(device, 10 ** max(0, options.most - 2), 10),
    ]
    if options.json:
        print_json(rows)
        return
    print(f"{device.name}, device copy {speed / 1e6:.2f} TB/s")
    for row in rows:
        peers = ", ".join(f"{name} {value:.1f}" for name, value in row["peers"].items())
        ratio = f"{row['ratio']:.2f}x" if row["ratio"] else ""
        print(f"{row['name']:<45} {row['ours']:>10.1f} {row['unit']}  {ratio:>7}  floor {row['floor']:.1f}  {peers}")


if __name__ == "__main__":
    main()
