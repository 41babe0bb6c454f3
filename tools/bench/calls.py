#!/usr/bin/env python3
"""Host time of a call of an operation, beside the same driver calls in C and PyTorch's call.

    tools/bench/calls.py [--json] [--tiny] [--part host|gpu] [--device cuda|cpu] [--rows 1000 100000]

Microseconds from the call to its return. "Sort" and other names with a capital are objects, the rest are functions, whose results
are new arrays unless the row says `out`; they are given arrays of ours, or PyTorch's tensors where it is there. The floor is a
loop of machine code that makes the driver calls of the same launches, where these are known beforehand: kernels, fills and
copies, not those for results' memory.

`gpu`: on a device, the median of rounds of calls between which it is waited for, so that its queue never fills up; of calls that
wait for the device themselves (unique, groupby, join, select), with the waiting. Of "probed and finished" and "replayed and
finished" the times are those from the call to the finished work of the device.

`host`: at a libcuda that does nothing (dummy/libcuda.c, built with the system's compiler), the least of rounds: what is left is
our own time. Kernels do nothing there, so what waits for a size finds none.

Without --part, all that this machine can run.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

import driver_ctypes
import ptxgen as px
from ptxgen import bf16, f32, ops, u8, u32, u64
from ptxgen.ops.launches import seen_launches
from tools.bench._command import command, print_json
from tools.bench._driver_calls import driver_calls
from tools.bench._timer import Timer
from tools.bench.dummy import rows_at_dummy_library

Work = dict[str, Callable[[], Any]]
Loops = dict[str, Callable[[int], None]]

AT_ONCE = 16
"""Calls between two synchronisations: what the queue of a GPU takes without making the host wait."""


def microseconds(device: px.Device, runs: Loops, rounds: int, of: Callable[[list[float]], float]) -> dict[str, float]:
    """Of one call of each, in interleaved rounds."""
    samples: dict[str, list[float]] = {name: [] for name in runs}
    for round_ in range(rounds + 3):
        for name, run in runs.items():
            device.synchronize()
            begin = time.perf_counter()
            run(AT_ONCE)
            if round_ >= 3:
                samples[name].append((time.perf_counter() - begin) / AT_ONCE * 1e6)
    return {name: of(each) for name, each in samples.items()}


def loop_of(run: Callable[[], Any]) -> Callable[[int], None]:
    """What makes so many calls."""

    def loop(times: int) -> None:
        for _ in range(times):
            run()

    return loop


class Bench:
    """n rows on a device, and what was measured with them."""

    def __init__(self, timer: Timer, n: int, rounds: int, of: Callable[[list[float]], float]) -> None:
        self.device, self.torch, self.n, self.rounds, self.of = timer.device, timer.torch, n, rounds, of
        rng = np.random.default_rng(n)
        self.keys = rng.permutation(n).astype(np.uint32)
        self.few = (self.keys % 100).astype(np.uint32)
        self.rows: list[dict[str, Any]] = []

    def row(
        self, name: str, ours: Callable[[], Any], theirs: Work | None = None, *, waits: bool = False, size: str | None = None,
        floor: bool = True,
    ) -> None:  # fmt: skip
        """Measure one call; `waits`: it ends with the device's work; `floor`: the memory that it launches into stays, as long as
        its result does."""
        ours()
        with seen_launches() as launches:
            result = ours()
        runs = {each: loop_of(run) for each, run in {"ours": ours, **(theirs or {})}.items()}
        if floor and driver_ctypes.launcher().kind == "native":
            runs["floor"] = driver_calls(launches, waits=waits)
        times = microseconds(self.device, runs, self.rounds, self.of)
        del result
        mine, least = times.pop("ours"), times.pop("floor", None)
        ratio = min(times.values()) / mine if times else None
        self.rows.append(
            {"name": f"{name} {size or self.n}", "unit": "us", "ours": mine, "peers": times, "ratio": ratio, "floor": least}
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
        self.row("Scan", lambda: scan(x, y))
        self.row("Reduce", lambda: total(x, one))
        self.row("Histogram", lambda: bins(mask))
        self.row("Histogram.even", lambda: even(x))
        self.row("Select", lambda: select(mask, y))
        self.row("Sort", lambda: sort(x, y))
        self.row("ArgSort", lambda: order(x, y))
        table = ops.HashTable(dev, x)
        join = ops.Join(table, x, n)
        self.row("HashTable.build", lambda: table.build(x))
        self.row("Join", lambda: join(x))

        def probed() -> None:
            join(x)
            dev.synchronize()

        self.row("Join, probed and finished", probed, waits=True)
        if self.of is median:  # the dummy library records no graphs
            with dev.capture() as graph:
                join(x)
            replay = graph.bind()

            def replayed() -> None:
                replay()
                dev.synchronize()

            self.row("Join, replayed and finished", replayed)
            self.graph("Scan", lambda: scan(x, y), x)
            self.graph("Sort", lambda: sort(x, y), x)
            self.graph("Join", lambda: join(x), x)
        by, sums = ops.GroupBy(dev, x), dev.empty(n, u64)

        def grouped() -> None:
            by(x)
            by.sum(x, sums)

        self.row("GroupBy and sum", grouped)
        for each in (scan, total, bins, even, select, sort, order, join, table, by):
            each.close()

    def graph(self, name: str, run: Callable[[], Any], x: Any) -> None:
        """Calls as a prepared graph, whose input is set before each replay: from the call to its return."""
        with self.device.capture() as graph:
            run()
        works = graph.definition.nodes()
        sets = [
            graph.bind_update(work, parameter)
            for work in works if work.kind == "kernel"
            for parameter, value in dict(work.arguments or ()).items() if value == x.pointer
        ]  # fmt: skip
        replay = graph.bind()

        def replayed() -> None:
            for each in sets:
                each(x)
            replay()

        self.row(f"{name}, input set and replayed", replayed, floor=False)
        graph.close()

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
        self.row("select", lambda: ops.select(few), beside(lambda t: t.nonzero(few)), floor=False)
        self.row("unique", lambda: ops.unique(few), beside(lambda t: t.unique(few)), floor=False)
        self.row(
            "unique and counts", lambda: ops.unique(few, return_counts=True),
            beside(lambda t: t.unique(few, return_counts=True)), floor=False,
        )  # fmt: skip
        self.row(
            "histogram of all", lambda: ops.histogram(x), beside(lambda t: t.histc(x.float(), 10)), floor=False
        )  # fmt: skip
        self.row("groupby and sum", lambda: ops.groupby(few).sum(x), floor=False)
        self.row("groupby with sum", lambda: ops.groupby(few, {"total": ("sum", x)}), floor=False)
        self.row("join", lambda: ops.join(x, x), floor=False)
        ops.empty_cache()

    def products(self) -> None:
        """Small products, whose tiles are loaded by tensor maps."""
        a, b, c = (self.device.zeros((256, 256), bf16) for _ in range(3))
        self.row("matmul, out", lambda: ops.matmul(a, b, c), size="256x256x256")
        self.row("matmul", lambda: ops.matmul(a, b), size="256x256x256")

    def matrices(self) -> None:
        """Functions of small matrices, with new results and without."""
        dev = self.device
        x, y, weight = dev.zeros((64, 1024), f32), dev.zeros((64, 1024), f32), dev.zeros(1024, f32)
        self.row("softmax, out", lambda: ops.softmax(x, y), size="64x1024")
        self.row("softmax", lambda: ops.softmax(x), size="64x1024")
        self.row("rms_norm, out", lambda: ops.rms_norm(x, weight, y), size="64x1024")
        self.row("gelu, out", lambda: ops.gelu(x, y), size="64x1024")
        self.row("layer_norm", lambda: ops.layer_norm(x, weight, weight), size="64x1024")
        self.row("topk", lambda: ops.topk(x, 8), size="64x1024")


def measured(
    timer: Timer, sizes: list[int], rounds: int, of: Callable[[list[float]], float], tiny: bool
) -> list[dict[str, Any]]:
    """Every row; with `tiny` those of matrices are left to the host's part."""
    benches = [Bench(timer, n, rounds, of) for n in sizes]
    if not tiny:
        benches[0].matrices()
        benches[0].products()
    for bench in benches:
        bench.objects()
        bench.functions()
    return [row for bench in benches for row in bench.rows]


def at_dummy_library(rounds: int, tiny: bool) -> list[dict[str, Any]]:
    """In a process that finds the dummy library in the driver's place."""
    timer = Timer(px.device("cuda"), 1, frameworks=False)  # which would use what the library does not have
    if tiny:
        bench = Bench(timer, 300, rounds, min)
        bench.matrices()
        found = bench.rows
    else:
        found = measured(timer, [1000, 100_000], rounds, min, tiny)
    return [{**row, "name": f"host: {row['name']}"} for row in found]


def main() -> None:
    parser = command(__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[1000, 4096, 100_000])
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--part", choices=("host", "gpu"))
    parser.add_argument("--at-dummy-library", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.tiny:
        options.rows, options.rounds = [300], 1
    if options.at_dummy_library:
        print(json.dumps(at_dummy_library(options.rounds, options.tiny)), flush=True)
        os._exit(0)  # the dummy library was never meant to be torn down
    rows: list[dict[str, Any]] = []
    if options.part != "gpu":
        rows += rows_at_dummy_library(__file__, options.rounds, options.tiny, DUMMYCUDA_ANY_KERNEL="1")
    if options.part != "host":
        try:
            device = px.device(options.device or "cuda")
        except driver_ctypes.Error as error:
            print(f"no GPU: {error.args[0]}", file=sys.stderr)
        else:
            rows += measured(Timer(device, 1), options.rows, options.rounds, median, options.tiny)
    if options.json:
        print_json(rows)
        return
    for row in rows:
        floor = "" if row["floor"] is None else f"  floor {row['floor']:6.2f}"
        peers = "".join(f"  {name} {value:7.2f}" for name, value in row["peers"].items())
        print(f"{row['name']:36} {row['ours']:8.2f} us{floor}{peers}", flush=True)


if __name__ == "__main__":
    main()
