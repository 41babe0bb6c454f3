#!/usr/bin/env python3
"""The GEMM of sm_120, by tensor copies and mma.sync, beside the one by cp.async with as much shared memory; on sm_120 cuBLAS too.

Medians of launches in turn, random data of bf16. Both kernels run on any target from sm_90 on. "one CTA" is cp.async as sm_120
has room for it, one CTA of 96 KB a multiprocessor; "as many as fit" is what a larger multiprocessor makes of it. The floor is
that of the datasheet's peak of an H200, which mma.sync does not reach there.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

import ptxgen as px
from driver_ctypes.abi.enums import CUdevice_attribute
from ptxgen.builder import bf16
from ptxgen.isa.targets import find_target
from ptxgen.kernels.matrices import gemm_mma, gemm_tma
from tools.bench._peers import compare, floor
from tools.bench._timer import Timer

SHARED = 99 << 10
"""Bytes of shared memory that a CTA of sm_120 may have."""

WHOLE = 120 << 10
"""Bytes of which a multiprocessor of an H200 has room for one CTA's alone."""


class Work(NamedTuple):
    """A (m, depth) by B (n, depth) transposed."""

    m: int
    n: int
    depth: int

    @property
    def name(self) -> str:
        return f"bf16: {self.m} x {self.n} over {self.depth}"

    @property
    def operations(self) -> float:
        return 2.0 * self.m * self.n * self.depth

    @property
    def floor(self) -> float:
        return floor(self.operations, "bf16", 2 * (self.m * self.depth + self.n * self.depth + self.m * self.n))


WORK = (*(Work(n, n, n) for n in (1024, 2048, 4096, 8192)), Work(512, 4096, 4096), Work(64, 4096, 4096))


def on_gpu(work: Work, timer: Timer) -> dict[str, float]:
    """Microseconds of each, checked against each other."""
    device, (m, n, depth) = timer.device, work
    processors = device.handle.attribute(CUdevice_attribute.MULTIPROCESSOR_COUNT)
    rng = np.random.default_rng(0)
    x, y = (rng.standard_normal((rows, depth), dtype=np.float32) for rows in (m, n))
    a, b, c, d = device.array(x, bf16), device.array(y, bf16), device.empty((m, n), bf16), device.empty((m, n), bf16)
    ours = gemm_tma.plan(a, b, c, m=m, n=n, depth=depth, processors=processors)
    copies = gemm_mma.plan(m, n, depth, a, b, d, shared=SHARED, processors=processors)
    plans = {"ours": ours, "cp.async, as many as fit": copies}
    if device.handle.attribute(CUdevice_attribute.MAX_SHARED_MEMORY_PER_BLOCK_OPTIN) > WHOLE:
        plans["cp.async, one CTA"] = copies._replace(shared=WHOLE)
    runs: dict[str, Any] = {name: plan.bind(device) for name, plan in plans.items()}
    for run in runs.values():
        run()
    if not np.allclose(c.numpy(), d.numpy(), rtol=2**-7, atol=1e-3 * depth**0.5):
        raise AssertionError(f"{work.name} is wrong")
    if timer.torch is not None and find_target(device.target).family == 12:
        left, right, out = (timer.torch.from_dlpack(each) for each in (a, b, d))
        runs["torch (cuBLAS)"] = lambda: timer.torch.matmul(left, right.T, out=out)
    return {name: 1e3 * each for name, each in timer.times(runs).items()}


def on_cpu(work: Work) -> float:
    """Microseconds of one launch on the CPU device, checked against numpy."""
    device, (m, n, depth) = px.device("cpu:sm_120"), work
    rng = np.random.default_rng(0)
    x, y = (rng.integers(-4, 5, (rows, depth)).astype(np.float32) for rows in (m, n))
    c = device.empty((m, n), bf16)
    run = gemm_tma.plan(device.array(x, bf16), device.array(y, bf16), c, m=m, n=n, depth=depth)
    started = time.perf_counter()
    run.launch()
    device.synchronize()
    taken = time.perf_counter() - started
    assert np.array_equal(c.numpy(), device.array(x @ y.T, bf16).numpy()), f"{work.name} is wrong"
    return 1e6 * taken


if __name__ == "__main__":
    compare(__doc__, WORK, (Work(72, 40, 64),), on_gpu=on_gpu, on_cpu=on_cpu)
