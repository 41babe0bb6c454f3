#!/usr/bin/env python3
"""The k largest of rows, and samples of the likely elements, beside PyTorch; the floor is one reading at a copy's speed.

Medians of rounds in which all take turns, normal random numbers, 2^26 elements an array (f32) or 2^27 (bf16), or the few rows
that are named. `torch.topk` gives values and places in order, as ours does. A sample of torch is what its users write: topk, or
sort and cumsum, then softmax and multinomial. The floor is the time of the bytes of x at the rate of a copy's bytes.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

import ptxgen as px
from ptxgen import ops
from ptxgen.builder import bf16, f32, s64
from ptxgen.kernels.rows.nucleus import kept
from ptxgen.kernels.rows.topk import order_of
from tools.bench._peers import compare
from tools.bench._timer import Timer


class Work:
    """One row of the table. `floor` is known when it has been measured; p is 0 where it is a top-k, else a sample's."""

    operations = 0.0

    def __init__(self, element: Any, rows: int, columns: int, k: int, p: float = 0.0) -> None:
        self.element, self.rows, self.columns, self.k, self.p = element, rows, columns, k, p
        self.floor = 0.0

    @property
    def name(self) -> str:
        what = f"sample top_k={self.k or 'all'} top_p={self.p:g}" if self.p else f"k={self.k}"
        return f"{'sample' if self.p else 'topk'} {self.element.isa.name}: {self.rows}x{self.columns} {what}"


def works() -> list[Work]:
    found = []
    for element in (f32, bf16):
        count = 2**28 // element.isa.bytes
        for columns in (4096, 16384, 65536, 262144):
            found += [Work(element, count // columns, columns, k) for k in (1, 8, 64, 256, 2048)]
        found += [Work(element, rows, columns, k) for rows, columns in ((1, 262144), (8, 131072)) for k in (50, 2048)]
    for rows in (1, 8, 128):
        found += [Work(f32, rows, 131072, k, p) for k, p in ((0, 0.9), (50, 1.0), (50, 0.9))]
    return found


TINY = [Work(f32, 3, 1000, 8), Work(bf16, 2, 5000, 300), Work(f32, 1, 20000, 4), Work(f32, 4, 300, 20, 0.9)]
SEED = 7


def run(work: Work, x: Any, values: Any, places: Any) -> None:
    """Ours."""
    if work.p:
        ops.sample(x, SEED, places, top_k=work.k or None, top_p=work.p)
    else:
        ops.topk(x, work.k, values, places)


def _sampled(torch: Any, work: Work, x: Any) -> Any:
    """What users of torch write."""
    if work.k:
        values, places = torch.topk(x, work.k)
    else:
        values, places = torch.sort(x, descending=True)
    shares = torch.softmax(values, -1)
    if work.p < 1:
        shares = shares * (shares.cumsum(-1) - shares < work.p)
    return places.gather(-1, torch.multinomial(shares, 1))


def on_gpu(work: Work, timer: Timer) -> dict[str, float]:
    """Microseconds of ours and of torch's; sets the floor."""
    dev, torch = timer.device, timer.torch
    shape, results = (work.rows, work.columns), (work.rows, work.k)
    short = (work.rows,) if work.p else results
    runs: dict[str, Any] = {}
    if torch is None:
        noise = np.random.default_rng(0).standard_normal(shape[0] * shape[1], dtype=np.float32)
        x: Any = dev.array(noise.reshape(shape), work.element)
        values: Any = None if work.p else dev.empty(results, work.element)
        places: Any = dev.empty(short, s64)
    else:
        torch.manual_seed(0)
        kind = {"f32": torch.float32, "bf16": torch.bfloat16}[work.element.isa.name]
        x = torch.randn(shape, device="cuda", dtype=kind)
        values = None if work.p else torch.empty(results, device="cuda", dtype=kind)
        places = torch.empty(short, device="cuda", dtype=torch.int64)
        run(work, x, values, places)
        if work.p:
            runs["torch"] = lambda: _sampled(torch, work, x)
        else:
            assert torch.equal(values, torch.topk(x, work.k).values), f"{work.name} is wrong"
            assert torch.equal(values, x.gather(-1, places)), f"{work.name} has other places"
            runs["torch"] = lambda: torch.topk(x, work.k)
    moved = work.rows * work.columns * work.element.isa.bytes
    source, target = (dev.empty(2**28, px.u8) for _ in range(2))
    runs["ours"] = lambda: run(work, x, values, places)
    runs["copy"] = lambda: dev.context.copy(target.pointer, source.pointer, source.nbytes, stream=dev.current_stream)
    times = {name: 1e3 * each for name, each in timer.times(runs).items()}
    work.floor = times.pop("copy") * moved / (2 * source.nbytes)
    return times


def on_cpu(work: Work) -> float:
    """Microseconds of one launch on the CPU device, checked against numpy."""
    dev = px.device("cpu")
    x = dev.array(np.random.default_rng(0).standard_normal((work.rows, work.columns), dtype=np.float32), work.element)
    values = dev.empty((work.rows, work.k), work.element)
    places = dev.empty((work.rows,) if work.p else (work.rows, work.k), s64)
    began = time.perf_counter()
    run(work, x, values, places)
    found = places.numpy()
    taken = time.perf_counter() - began
    if work.p:
        assert kept(x.numpy(), 1.0, work.k, work.p)[np.arange(work.rows), found].all(), f"{work.name} is wrong"
    else:
        assert np.array_equal(found, order_of(x.numpy(), work.k)), f"{work.name} is wrong"
    return 1e6 * taken


if __name__ == "__main__":
    compare(__doc__, works(), TINY, on_gpu=on_gpu, on_cpu=on_cpu)
