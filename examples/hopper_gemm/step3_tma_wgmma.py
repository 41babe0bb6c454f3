#!/usr/bin/env python3
"""Step 3: the tensor memory accelerator brings the tiles, and a warpgroup multiplies them with wgmma."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import ptxgen as px
from examples.hopper_gemm.problem import ceil_div, check
from ptxgen import bf16, u32

BM, BN, BK = 64, 128, 64
"""The tile of C that a CTA computes, and how much of the depth it has in shared memory at a time."""


# the kernel
@px.kernel(threads=128)
def gemm(k: px.Builder, m: u32, n: u32, depth: u32, a: px.TensorMap, b: px.TensorMap, c: px.ptr[bf16]) -> None:
    """C (m, n) = A (m, depth) B (n, depth)^T in bf16, sums in f32."""
    left, right = k.tile(bf16, (BM, BK)), k.tile(bf16, (BN, BK))
    full = k.mbarrier(1)
    k.start_barriers()
    row, column = k.ctaid.y * BM, k.ctaid.x * BN
    sums = k.sums(BM, BN)
    for step in k.range((depth + BK - 1) // BK):
        with k.if_(k.tid.x == 0), full.transaction():
            a.load(left, (step * BK, row), full)
            b.load(right, (step * BK, column), full)
        full.wait(step % 2)
        sums.add_product(left, right, keep=step > 0)
        k.wgmma_wait(0)
        k.barrier()  # all have read the tiles
    sums.map(lambda value, i, j: store(k, c, row + i, column + j, m, n, value.to(bf16)), 0)


def store(k: px.Builder, c: Any, i: Any, j: Any, m: Any, n: Any, value: Any) -> None:
    """One element of C, if it is one."""
    with k.if_((i < m) & (j < n)):
        c[i * n + j] = value


# the launch
def multiply(a: Any, b: Any, c: Any) -> None:
    """A CTA for each tile of C."""
    (m, depth), n = a.shape, b.shape[0]
    gemm[(ceil_div(n, BN), ceil_div(m, BM)), 128](m, n, depth, a, b, c)


if __name__ == "__main__":
    check(multiply)
