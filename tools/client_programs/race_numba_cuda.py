"""numba-cuda: a kernel with a race, which `ptxgen exec --sanitize racecheck` tells with this file's line."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numba import cuda, float32

warnings.filterwarnings("ignore")  # that a grid is small

BLOCK = 64


@cuda.jit(lineinfo=True)
def reverse(x: Any) -> None:
    part = cuda.shared.array(BLOCK, float32)
    lane = cuda.threadIdx.x
    part[lane] = x[lane]  # no cuda.syncthreads() follows
    x[lane] = part[BLOCK - 1 - lane]  # race


x = cuda.to_device(np.arange(BLOCK, dtype=np.float32))
reverse[1, BLOCK](x)
cuda.synchronize()
print("ran")
