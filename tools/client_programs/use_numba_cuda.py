"""numba-cuda: arrays, shared memory with barriers, atomics, a device function in CUDA C++."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numba import cuda, float32

warnings.filterwarnings("ignore")  # that a grid is small

BLOCK = 128
twice = cuda.declare_device(
    "twice",
    "float32(float32)",
    link=cuda.CUSource('extern "C" __device__ int twice(float* r, float x) { *r = 2 * x; return 0; }'),
)


@cuda.jit
def add(x: Any, y: Any, out: Any) -> None:
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i] + twice(y[i])


@cuda.jit
def total(x: Any, out: Any) -> None:
    part = cuda.shared.array(BLOCK, float32)
    i, lane = cuda.grid(1), cuda.threadIdx.x
    part[lane] = x[i] if i < x.size else 0
    step = BLOCK // 2
    while step:
        cuda.syncthreads()
        if lane < step:
            part[lane] += part[lane + step]
        step //= 2
    if lane == 0:
        cuda.atomic.add(out, 0, part[0])


def main() -> None:
    x, y = np.arange(1000, dtype=np.float32), np.ones(1000, np.float32)
    out, grid = np.zeros_like(x), (1000 + BLOCK - 1) // BLOCK
    add[grid, BLOCK](x, y, out)
    assert (out == x + 2).all()
    found = cuda.to_device(np.zeros(1, np.float32))
    total[grid, BLOCK](cuda.to_device(x), found)
    assert found.copy_to_host()[0] == x.sum()
    print("right")


main()
