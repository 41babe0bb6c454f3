#!/usr/bin/env python3
"""The launches of a hash join one by one: what each takes on the device.

    tools/bench/join_stages.py [--json] [--tiny] [--device cuda|cpu] [--rows 10000000] [--type u32] [--rounds 15]

n keys on each side, one match each, as tools/bench/arrays.py has them. Times are CUDA events' around each launch and fill,
the median of rounds; a sleeping kernel goes ahead of them, so that no launch waits for the host. The last two lines are their
sum, and the time of the whole from its first launch to its last.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any, TypeVar
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

import ptxgen as px
from ptxgen.host import Array
from ptxgen.kernels.plan import KernelPlan
from ptxgen.ops import HashTable, Join
from tools.bench._command import command, print_json
from tools.bench._head_start import head_start

R = TypeVar("R")

AHEAD = 4_000_000
"""Clocks that the GPU sleeps while the host launches: 2 ms."""


class Recorder:
    """Puts events around every launch and fill."""

    def __init__(self, device: px.Device) -> None:
        self.device = device
        self.spans: list[tuple[str, Any, Any]] = []
        self._launch, self._fill = KernelPlan.launch, Array.fill

    def _around(self, name: str, run: Callable[[], R]) -> R:
        begin, end = self.device.event(), self.device.event()
        begin.record(self.device.current_stream)
        found = run()
        end.record(self.device.current_stream)
        self.spans.append((name, begin, end))
        return found

    def __enter__(self) -> Recorder:
        def launch(plan: KernelPlan, **options: Any) -> None:
            self._around(plan.kernel.__name__, lambda: self._launch(plan, **options))

        def fill(array: Array, value: float) -> Array:
            filled: Array = self._around(f"fill {array.nbytes / 1e6:.1f} MB", lambda: self._fill(array, value))
            return filled

        self._patches: list[Any] = [
            mock.patch.object(KernelPlan, "launch", launch),
            mock.patch.object(Array, "fill", fill),
        ]
        for patch in self._patches:
            patch.start()
        return self

    def __exit__(self, *_: object) -> None:
        for patch in self._patches:
            patch.stop()


def stages(device: px.Device, n: int, kind: str, rounds: int) -> list[tuple[str, float]]:
    """The microseconds of each stage of one size, their sum, and those of the whole."""
    rng = np.random.default_rng(3)
    build, probe = (rng.permutation(n).astype(kind) for _ in range(2))
    on_build, on_probe = device.array(build), device.array(probe)
    table = HashTable(device, on_build)
    join = Join(table, on_probe, n)

    def whole() -> None:
        for plan in (*table.plans(on_build), *join.plans(on_probe, table)):
            plan.launch()

    join(on_probe)
    pairs = join.pairs()
    assert pairs.total == n, "the join is wrong"
    assert np.array_equal(probe[pairs.left.numpy()], build[pairs.right.numpy()]), "the join is wrong"
    ahead = head_start(device)
    times: list[list[float]] = []
    names: list[str] = []
    for _ in range(rounds):
        with Recorder(device) as recorder:
            ahead(AHEAD)
            whole()
        device.synchronize()
        names = [name for name, _, _ in recorder.spans]
        first, last = recorder.spans[0][1], recorder.spans[-1][2]
        times.append([end.elapsed_ms(begin) for _, begin, end in recorder.spans] + [last.elapsed_ms(first)])
    found = [median(each) * 1e3 for each in zip(*times)]
    return [*zip(names, found), ("sum", sum(found[:-1])), ("whole", found[-1])]


def main() -> None:
    parser = command(__doc__, device="cuda")
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000_000])
    parser.add_argument("--type", default="u32", choices=("u32", "u64"))
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    if options.tiny:
        options.rows, options.rounds = [500], 1
    device = px.device(options.device)
    rows: list[dict[str, Any]] = []
    for n in options.rows:
        found = stages(device, n, {"u32": "uint32", "u64": "uint64"}[options.type], options.rounds)
        for number, (stage, time) in enumerate(found, 1):
            name = f"join of {n} {options.type}, {number}: {stage}"
            rows.append({"name": name, "unit": "us", "ours": time, "peers": {}, "ratio": None, "floor": None})
        if not options.json:
            print(f"{n} {options.type} keys on each side, {device.name}")
            for stage, time in found:
                print(f"  {stage:24} {time:8.1f} us", flush=True)
    if options.json:
        print_json(rows)


if __name__ == "__main__":
    main()
