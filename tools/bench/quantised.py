#!/usr/bin/env python3
"""Weights in GGML's blocks, nf4, int4 and e4m3 times 1 to 8 activations, beside PyTorch's product of bf16; the floor is a sum.

The weights of each row rotate through 1 GiB or more, so that no cache holds them, and are said to be constant; medians of rounds
in which all take turns, random blocks. nf4 has a scale of f32 for 64 elements, int4 one of bf16 for 128, e4m3 one of f32 for a
row. The floor is the time that ptxgen's sum of f32 takes in the same run to read as many bytes.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

import ptxgen as px
from ptxgen.builder import bf16, f32, u8
from ptxgen.kernels.matrices.ggml import FORMATS, random_blocks
from ptxgen.kernels.matrices.quantised import about_format
from ptxgen.kernels.matrices.scaled_codes import CODES, Scaled, decoded, drawn
from ptxgen.ops import Reduce, block_matmul
from tools.bench._peers import compare
from tools.bench._timer import Timer


class Shape(NamedTuple):
    rows: int
    columns: int


SCALED = {"nf4": Scaled(64), "int4": Scaled(128, bf16), "e4m3": Scaled(0)}


DRAWN = 1024
"""Rows that are drawn; a matrix repeats them."""


class Weights(NamedTuple):
    """The rows drawn: u8 of (rows, bytes), the scales of codes, and the numbers that they stand for."""

    blocks: Any
    scales: Any
    numbers: Any


class Work:
    """One row of the table. `floor` is known when it has been measured."""

    operations = 0.0

    def __init__(self, format: str, shape: Shape, batch: int) -> None:
        self.format, self.shape, self.batch = format, shape, batch
        self.floor = 0.0

    @property
    def name(self) -> str:
        return f"{self.format}: {self.batch} x {self.shape.columns} by {self.shape.rows}"

    @property
    def bytes(self) -> int:
        """Of the weights."""
        about, (rows, columns) = about_format(self.format), self.shape
        scaled = SCALED.get(self.format)
        scales = 0 if scaled is None else int(np.prod(scaled.extents(rows, columns))) * scaled.element.isa.bytes
        return rows * columns // about.elements * about.bytes + scales

    def drawn(self, rng: np.random.Generator) -> Weights:
        """Random ones."""
        rows, columns = min(self.shape.rows, DRAWN), self.shape.columns
        if self.format in FORMATS:
            about = FORMATS[self.format]
            blocks = random_blocks(rng, about, rows * columns // about.elements)
            return Weights(blocks.reshape(rows, -1), None, about.decode(blocks).reshape(rows, columns))
        scaled = SCALED[self.format]
        codes, scales, _ = drawn(rng, self.format, rows, columns, scaled)
        return Weights(codes, scales, decoded(self.format, codes, scaled, scales))

    def on(self, dev: px.Device, weights: Weights) -> tuple[px.Array, px.Array | None]:
        """Blocks and scales, on a device."""
        scaled, times = SCALED.get(self.format), self.shape.rows // len(weights.blocks)
        scales = None if scaled is None else dev.array(np.tile(weights.scales, (times, 1)), scaled.element)
        return dev.array(np.tile(weights.blocks, (times, 1))), scales


SHAPES = (Shape(4096, 4096), Shape(14336, 4096), Shape(4096, 14336), Shape(28672, 8192))
WORK = (
    *(Work(format, shape, 1) for format in (*FORMATS, *CODES) for shape in SHAPES),
    *(Work(format, SHAPES[1], batch) for format in (*FORMATS, *CODES) for batch in (2, 4, 8)),
)
TINY = tuple(
    Work(format, Shape(40, 512), batch)
    for format, batch in (("q4_0", 1), ("q8_0", 8), ("q6_k", 2), ("nf4", 1), ("int4", 2))
)


def on_gpu(work: Work, timer: Timer) -> dict[str, float]:
    """Microseconds of ours and of torch's; sets the floor."""
    dev, torch = timer.device, timer.torch
    rng = np.random.default_rng(0)
    rows, columns = work.shape
    sets = max(1, -(-(1 << 30) // work.bytes))
    made = work.drawn(rng)
    first, scales = work.on(dev, made)
    weights = [(first, scales)]
    for _ in range(sets - 1):
        other = dev.empty(first.shape, u8).copy_from(first)
        weights.append((other, None if scales is None else dev.empty(scales.shape, scales.type).copy_from(scales)))
    x = dev.array(rng.standard_normal((work.batch, columns)).astype(np.float32), bf16)
    out = dev.empty((work.batch, rows), bf16)
    block_matmul(x, first, work.format, out, scales=scales)
    sample = rng.integers(0, rows, 16)
    exact = made.numbers[sample % len(made.numbers)].astype(np.float64)
    found, expected = out.numpy()[:, sample], x.numpy().astype(np.float64) @ exact.T
    assert np.abs(found - expected).max() <= 1e-2 * max(1.0, np.abs(expected).max()), f"{work.name} is wrong"
    with dev.capture() as graph:
        for each, its in weights:
            block_matmul(x, each, work.format, out, scales=its, constant=True)
    read = dev.empty(sets * work.bytes // 4, f32)
    read.fill(0)
    total, summed = dev.zeros(1, f32), Reduce(dev, f32)
    runs: dict[str, Any] = {"ours": graph.launch, "sum": lambda: summed(read, total)}
    if torch is not None:
        torch.manual_seed(0)
        count = max(1, -(-(1 << 30) // (2 * rows * columns)))
        dense = [torch.randn(rows, columns, device="cuda", dtype=torch.bfloat16) for _ in range(count)]
        activations = torch.randn(work.batch, columns, device="cuda", dtype=torch.bfloat16)
        there = torch.empty(work.batch, rows, device="cuda", dtype=torch.bfloat16)
        theirs = torch.cuda.CUDAGraph()
        torch.matmul(activations, dense[0].mT, out=there)
        with torch.cuda.graph(theirs):
            for each in dense:
                torch.matmul(activations, each.mT, out=there)
        runs["torch (bf16 weights)"] = theirs.replay
    times = timer.times(runs)
    work.floor = 1e3 * times.pop("sum") / sets
    found_times = {"ours": 1e3 * times["ours"] / sets}
    if torch is not None:
        found_times["torch (bf16 weights)"] = 1e3 * times["torch (bf16 weights)"] / count
    summed.close()
    return found_times


def on_cpu(work: Work) -> float:
    """Microseconds of one launch on the CPU device, checked against numpy."""
    dev, rng = px.device("cpu"), np.random.default_rng(0)
    rows, columns = work.shape
    made = work.drawn(rng)
    x = dev.array(rng.standard_normal((work.batch, columns)).astype(np.float32), bf16)
    w, scales = work.on(dev, made)
    out = dev.empty((work.batch, rows), f32)
    began = time.perf_counter()
    found = block_matmul(x, w, work.format, out, scales=scales).numpy()
    taken = time.perf_counter() - began
    expected = x.numpy().astype(np.float64) @ made.numbers.astype(np.float64).T
    most = 1e-2 if work.format == "nf4" else 1e-4  # the values of nf4 are rounded to bf16
    assert np.abs(found - expected).max() <= most * np.abs(expected).max(), f"{work.name} is wrong"
    return 1e6 * taken


if __name__ == "__main__":
    compare(__doc__, WORK, TINY, on_gpu=on_gpu, on_cpu=on_cpu)
