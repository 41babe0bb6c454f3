#!/usr/bin/env python3
"""Step 1: each thread computes one element of C from a row of A and a row of B, which it reads from global memory."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import ptxgen as px
from examples.hopper_gemm.problem import ceil_div, check
from ptxgen import bf16, f32, u32


# the kernel
@px.kernel
def gemm(k: px.Builder, m: u32, n: u32, depth: u32, a: px.ptr[bf16], b: px.ptr[bf16], c: px.ptr[bf16]) -> None:
    """C (m, n) = A (m, depth) B (n, depth)^T in bf16, sums in f32."""
    row, column = k.global_id.y, k.global_id.x
    with k.if_((row < m) & (column < n)):
        total = k.var(f32, 0)
        for i in k.range(depth):
            total.set(k.fma(a[row * depth + i].to(f32), b[column * depth + i].to(f32), total))
        c[row * n + column] = total.to(bf16)


# the launch
def multiply(a: Any, b: Any, c: Any) -> None:
    """A CTA for each 32 x 8 elements of C."""
    (m, depth), n = a.shape, b.shape[0]
    gemm[(ceil_div(n, 32), ceil_div(m, 8)), (32, 8)](m, n, depth, a, b, c)


if __name__ == "__main__":
    check(multiply)
