#!/usr/bin/env python3
"""Host time of a call of an operation on arrays, beside its driver calls alone and PyTorch's call.

    tools/bench/calls.py [--json] [--tiny] [--device cuda|cpu] [--rows 1000 100000]

Microseconds from the call to its return, the median of rounds of calls between which the device is waited for, so that its queue
never fills up; of calls that wait for the device themselves (unique, groupby, join, select), with the waiting. "Sort" and other
names with a capital are objects, the rest are functions, whose results are new arrays unless the row says `out`. The floor is
the same driver calls by launchers that were bound beforehand, which take 0.1 us more than C (tools/bench/launch.py); of
"probed and finished" and "replayed and finished" the times are those from the call to the finished work of the device.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

import ptxgen as px
from ptxgen import ops, u8, u32, u64
from tools.bench._command import command, print_json
from tools.bench._timer import Timer

Work = dict[str, Callable[[], Any]]

AT_ONCE = 16
"""Calls between two synchronisations: what the queue of a GPU takes without making the host wait."""


def microseconds(device: px.Device, runs: Work, rounds: int, *, finished: bool = False) -> dict[str, float]:
    """Of one call of each, in interleaved rounds."""
    samples: dict[str, list[float]] = {name: [] for name in runs}
    calls = 1 if finished else AT_ONCE
    for round_ in range(rounds + 3):
        for name, run in runs.items():
            device.synchronize()
            begin = time.perf_counter()
            for _ in range(calls):
                run()
            if finished:
                device.synchronize()
            if round_ >= 3:
                samples[name].append((time.perf_counter() - begin) / calls * 1e6)
    return {name: median(each) for name, each in samples.items()}


def bound(operation: Any) -> Callable[[], None] | None:
    """What an object launched last, by its launchers alone; None for one that prepares nothing."""
    last = getattr(getattr(operation, "launches", None), "last", None)
    if last is None:
        return None
    chain = [(each.launcher, each.arguments) for each in (last, *last.then)]

    def launch() -> None:
        for launcher, arguments in chain:
            launcher(*arguments)

    return launch


class Bench:
    """n rows on a device, and what was measured with them."""

    def __init__(self, timer: Timer, n: int, rounds: int) -> None:
        self.device, self.torch, self.n, self.rounds = timer.device, timer.torch, n, rounds
        rng = np.random.default_rng(n)
        self.keys = rng.permutation(n).astype(np.uint32)
        self.few = (self.keys % 100).astype(np.uint32)
        self.rows: list[dict[str, Any]] = []

    def row(
        self, name: str, ours: Callable[[], Any], theirs: Work | None = None, *, operation: Any = None, finished: bool = False
    ) -> None:  # fmt: skip
        """Measure one call."""
        ours()
        runs: Work = {"ours": ours, **(theirs or {})}
        floor = bound(operation)
        if floor is not None:
            runs["floor"] = floor
        times = microseconds(self.device, runs, self.rounds, finished=finished)
        mine, least = times.pop("ours"), times.pop("floor", None)
        ratio = min(times.values()) / mine if times else None
        self.rows.append(
            {"name": f"{name} {self.n}", "unit": "us", "ours": mine, "peers": times, "ratio": ratio, "floor": least}
        )  # fmt: skip

    def objects(self) -> None:
        """Calls of objects that were made beforehand."""
        dev, n = self.device, self.n
        x, y, one, mask = (
            dev.array(self.keys),
            dev.empty(n, u32),
            dev.empty(1, u32),
            dev.array(self.few.astype(np.uint8)),
        )
        scan, total, bins = ops.Scan(dev, u32, n), ops.Reduce(dev, u32), ops.Histogram(dev, u8, 256)
        even, select = ops.Histogram.even(dev, u32, 10, 0, n), ops.Select(dev, u8, n)
        sort, order = ops.Sort(dev, u32, n), ops.ArgSort(dev, x)
        self.row("Scan", lambda: scan(x, y), operation=scan)
        self.row("Reduce", lambda: total(x, one), operation=total)
        self.row("Histogram", lambda: bins(mask), operation=bins)
        self.row("Histogram.even", lambda: even(x), operation=even)
        self.row("Select", lambda: select(mask, y), operation=select)
        self.row("Sort", lambda: sort(x, y), operation=sort)
        self.row("ArgSort", lambda: order(x, y), operation=order)
        table = ops.HashTable(dev, x)
        join = ops.Join(table, x, n)
        self.row("HashTable.build", lambda: table.build(x), operation=table)
        self.row("Join", lambda: join(x), operation=join)
        self.row("Join, probed and finished", lambda: join(x), finished=True)
        with dev.capture() as graph:
            join(x)
        replay = graph.bind()
        self.row("Join, replayed and finished", replay, finished=True)
        by, sums = ops.GroupBy(dev, x), dev.empty(n, u64)

        def grouped() -> None:
            by(x)
            by.sum(x, sums)

        self.row("GroupBy and sum", grouped)
        for each in (scan, total, bins, even, select, sort, order, join, table, by):
            each.close()

    def _given(self) -> tuple[Any, Any, Any]:
        """Keys all different, few different ones, and memory for a result."""
        torch = self.torch
        if torch is None:
            return self.device.array(self.keys), self.device.array(self.few), self.device.empty(self.n, u32)
        x, few = (torch.from_numpy(each.view(np.int32)).cuda() for each in (self.keys, self.few))
        return x, few, torch.empty_like(x)

    def functions(self) -> None:
        """Functions, on tensors of PyTorch where it is here, else on arrays of ours."""
        torch, x, few, out = self.torch, *self._given()

        def beside(work: Callable[[Any], Any]) -> Work:
            return {} if torch is None else {"torch": lambda: work(torch)}

        self.row("cumsum, out", lambda: ops.cumsum(x, out), beside(lambda t: t.cumsum(x, 0, dtype=t.int32, out=out)))
        self.row("cumsum", lambda: ops.cumsum(x), beside(lambda t: t.cumsum(x, 0, dtype=t.int32)))
        self.row("reduce", lambda: ops.reduce(x), beside(lambda t: t.sum(x, dtype=t.int32)))
        self.row("sort", lambda: ops.sort(x), beside(lambda t: t.sort(x)))
        self.row("argsort", lambda: ops.argsort(x), beside(lambda t: t.argsort(x)))
        self.row(
            "histogram", lambda: ops.histogram(x, 10, (0, self.n)), beside(lambda t: t.histc(x.float(), 10, 0, self.n))
        )
        self.row("isin", lambda: ops.isin(x, few), beside(lambda t: t.isin(x, few)))
        self.row("select", lambda: ops.select(few), beside(lambda t: t.nonzero(few)))
        self.row("unique", lambda: ops.unique(few), beside(lambda t: t.unique(few)))
        self.row("groupby and sum", lambda: ops.groupby(few).sum(x))
        self.row("join", lambda: ops.join(x, x))
        ops.empty_cache()


def main() -> None:
    parser = command(__doc__, device="cuda")
    parser.add_argument("--rows", type=int, nargs="+", default=[1000, 4096, 100_000])
    options = parser.parse_args()
    rounds = 60
    if options.tiny:
        options.rows, rounds = [300], 1
    timer = Timer(px.device(options.device), 1)
    rows: list[dict[str, Any]] = []
    for n in options.rows:
        bench = Bench(timer, n, rounds)
        bench.objects()
        bench.functions()
        rows += bench.rows
    if options.json:
        print_json(rows)
        return
    for row in rows:
        floor = "" if row["floor"] is None else f"  floor {row['floor']:6.2f}"
        peers = "".join(f"  {name} {value:7.2f}" for name, value in row["peers"].items())
        print(f"{row['name']:36} {row['ours']:8.2f} us{floor}{peers}", flush=True)


if __name__ == "__main__":
    main()
