#!/usr/bin/env python3
"""Transposes and other orders of dimensions beside PyTorch; the floor is a copy of the same run.

Medians of rounds in which all take turns, random bits, arrays that no cache holds. The floor is the time of a device copy of as
many bytes, measured in the same rounds.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

import ptxgen as px
from ptxgen.builder import u8, u16, u32, u64
from ptxgen.ops import permute
from tools.bench._peers import compare
from tools.bench._timer import Timer

_TYPES: dict[int, Any] = {1: u8, 2: u16, 4: u32, 8: u64}


class Work:
    """One row of the table. `floor` is known when it has been measured."""

    operations = 0.0

    def __init__(
        self, size: int, shape: tuple[int, ...], axes: tuple[int, ...] = (1, 0), kind: str = "transpose"
    ) -> None:
        self.size, self.shape, self.axes, self.kind = size, shape, axes, kind
        self.floor = 0.0

    @property
    def name(self) -> str:
        order = f" to {''.join(map(str, self.axes))}" if self.kind == "permute" else ""
        return f"{self.kind}: {8 * self.size} bit {'x'.join(map(str, self.shape))}{order}"


WORK = (
    Work(1, (32768, 16384)), Work(2, (16384, 16384)), Work(4, (16384, 16384)), Work(8, (16384, 8192)), Work(4, (1 << 20, 64)),
    Work(2, (64, 1 << 21)), Work(1, (16383, 16381), kind="odd"), Work(2, (16383, 16381), kind="odd"),
    Work(4, (16383, 16381), kind="odd"), Work(2, (16, 4096, 32, 128), (0, 2, 1, 3), "permute"),
    Work(2, (16, 4096, 32, 128), (0, 2, 3, 1), "permute"), Work(4, (64, 256, 56, 56), (0, 2, 3, 1), "permute"),
    Work(2, (64, 56, 56, 256), (0, 3, 1, 2), "permute"),
)  # fmt: skip
TINY = (
    Work(1, (512, 300)), Work(2, (136, 72)), Work(4, (36, 100)), Work(8, (32, 6)), Work(2, (37, 51), kind="odd"),
    Work(4, (3, 5, 7), (2, 0, 1), "permute"), Work(2, (2, 8, 3, 16), (0, 2, 1, 3), "permute"),
)  # fmt: skip


def on_gpu(work: Work, timer: Timer) -> dict[str, float]:
    """Microseconds of ours and of torch's; sets the floor."""
    dev, torch = timer.device, timer.torch
    runs: dict[str, Any] = {}
    shape = tuple(work.shape[axis] for axis in work.axes)
    bits = np.random.default_rng(0).integers(0, 256, 1 << 22, dtype=np.uint8)
    count = int(np.prod(work.shape)) * work.size
    if torch is None:
        x, out = dev.empty(work.shape, _TYPES[work.size]), dev.empty(shape, _TYPES[work.size])
        block = dev.array(bits)
        for start in range(0, count, block.nbytes):
            size = min(block.nbytes, count - start)
            dev.context.copy(x.pointer + start, block.pointer, size, stream=dev.current_stream)
        permute(x, work.axes, out)
        dev.synchronize()
    else:
        kind = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[work.size]
        x = torch.randint(0, 256, (count,), device="cuda", dtype=torch.uint8).view(kind).view(work.shape)
        out = torch.empty(shape, device="cuda", dtype=kind)
        permute(x, work.axes, out)
        assert torch.equal(out, x.permute(work.axes)), f"{work.name} is wrong"
        runs["torch"] = lambda: x.permute(work.axes).contiguous()
    source, target = (dev.empty(count, u8) for _ in range(2))
    runs["ours"] = lambda: permute(x, work.axes, out)
    runs["copy"] = lambda: dev.context.copy(target.pointer, source.pointer, count, stream=dev.current_stream)
    times = {name: 1e3 * each for name, each in timer.times(runs).items()}
    work.floor = times.pop("copy")
    return times


def on_cpu(work: Work) -> float:
    """Microseconds of one launch on the CPU device, checked against numpy."""
    dev = px.device("cpu")
    kind = f"uint{8 * work.size}"
    values = np.random.default_rng(0).integers(0, 1 << 8 * work.size, work.shape, dtype=kind)
    x = dev.array(values)
    began = time.perf_counter()
    found = permute(x, work.axes).numpy()
    taken = time.perf_counter() - began
    assert np.array_equal(found, values.transpose(work.axes)), f"{work.name} is wrong"
    return 1e6 * taken


if __name__ == "__main__":
    compare(__doc__, WORK, TINY, on_gpu=on_gpu, on_cpu=on_cpu)
