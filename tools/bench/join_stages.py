#!/usr/bin/env python3
"""The launches of a hash join one by one: what each takes, on a GPU.

    tools/bench/join_stages.py [--rows 10000000] [--type u32] [--rounds 15]

n keys on each side, one match each, as tools/bench/primitives.py has them. Times are CUDA events' around each launch and fill,
the median of rounds; a sleeping kernel goes ahead of them, so that no launch waits for the host. The last two lines are their
sum, and the time of the whole from its first launch to its last.
"""

from __future__ import annotations

import argparse
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

R = TypeVar("R")

AHEAD = 4_000_000
"""Clocks that the GPU sleeps while the host launches: 2 ms."""


class Recorder:
    """Puts events around every launch and fill."""

    def __init__(self) -> None:
        self.spans: list[tuple[str, Any, Any]] = []
        self._launch, self._fill = KernelPlan.launch, Array.fill

    def _around(self, name: str, run: Callable[[], R]) -> R:
        import torch

        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        found = run()
        end.record()
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


def stages(device: px.Device, n: int, kind: str, rounds: int) -> None:
    """Print the table of one size."""
    import torch

    rng = np.random.default_rng(3)
    build, probe = (rng.permutation(n).astype(kind) for _ in range(2))
    on_build, on_probe = device.array(build), device.array(probe)
    table = HashTable(device, on_build)
    join = Join(table, on_probe, n)

    def whole() -> None:
        table.build(on_build)
        join(on_probe)

    whole()
    pairs = join.pairs()
    assert pairs.total == n, "the join is wrong"
    assert np.array_equal(probe[pairs.left.numpy()], build[pairs.right.numpy()]), "the join is wrong"
    times: list[list[float]] = []
    names: list[str] = []
    for _ in range(rounds):
        with Recorder() as recorder:
            torch.cuda._sleep(AHEAD)
            whole()
        torch.cuda.synchronize()
        names = [name for name, _, _ in recorder.spans]
        first, last = recorder.spans[0][1], recorder.spans[-1][2]
        times.append([begin.elapsed_time(end) for _, begin, end in recorder.spans] + [first.elapsed_time(last)])
    found = [median(each) * 1e3 for each in zip(*times)]
    print(f"{n} {kind} keys on each side, {torch.cuda.get_device_name()}")
    for name, time in zip(names, found):
        print(f"  {name:24} {time:8.1f} us")
    print(f"  {'sum':24} {sum(found[:-1]):8.1f} us\n  {'whole':24} {found[-1]:8.1f} us", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000_000])
    parser.add_argument("--type", default="u32", choices=("u32", "u64"))
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    for n in options.rows:
        stages(px.device("cuda"), n, {"u32": "uint32", "u64": "uint64"}[options.type], options.rounds)


if __name__ == "__main__":
    main()
