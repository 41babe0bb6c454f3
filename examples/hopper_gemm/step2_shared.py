#!/usr/bin/env python3
"""Step 2: a CTA brings tiles of A and B to shared memory, where each element is read 64 times instead of once."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import ptxgen as px
from examples.hopper_gemm.problem import ceil_div, check
from ptxgen import bf16, f32, u32

BLOCK, BK = 64, 16
"""Rows and columns of C for a CTA of 16 x 16 threads, 4 x 4 for each; columns of A and B at a time."""


# the kernel
@px.kernel
def gemm(k: px.Builder, m: u32, n: u32, depth: u32, a: px.ptr[bf16], b: px.ptr[bf16], c: px.ptr[bf16]) -> None:
    """C (m, n) = A (m, depth) B (n, depth)^T in bf16, sums in f32."""
    left, right = k.shared(f32, (BK, BLOCK + 1)), k.shared(f32, (BK, BLOCK + 1))  # one more: no bank conflicts
    thread = k.tid.y * 16 + k.tid.x
    row, column = k.ctaid.y * BLOCK, k.ctaid.x * BLOCK
    sums = [[k.var(f32, 0) for _ in range(4)] for _ in range(4)]
    for step in k.range(0, depth, BK):
        for i in k.range(thread, BLOCK * BK, 256, unroll=True):
            down, across = i // BK, i % BK
            for tile, matrix, first, rows in ((left, a, row, m), (right, b, column, n)):
                value = k.var(f32, 0)
                with k.if_((first + down < rows) & (step + across < depth)):
                    value.set(matrix[(first + down) * depth + step + across].to(f32))
                tile[across, down] = value
        k.barrier()
        for i in range(BK):
            xs = [left[i, k.tid.y + 16 * r] for r in range(4)]
            ys = [right[i, k.tid.x + 16 * s] for s in range(4)]
            for r, x in enumerate(xs):
                for s, y in enumerate(ys):
                    sums[r][s].set(k.fma(x, y, sums[r][s]))
        k.barrier()
    for r in range(4):
        for s in range(4):
            i, j = row + k.tid.y + 16 * r, column + k.tid.x + 16 * s
            with k.if_((i < m) & (j < n)):
                c[i * n + j] = sums[r][s].to(bf16)


# the launch
def multiply(a: Any, b: Any, c: Any) -> None:
    """A CTA for each 64 x 64 elements of C."""
    (m, depth), n = a.shape, b.shape[0]
    gemm[(ceil_div(n, BLOCK), ceil_div(m, BLOCK)), (16, 16)](m, n, depth, a, b, c)


if __name__ == "__main__":
    check(multiply)
