#!/usr/bin/env python3
"""Step 4: one warpgroup loads ahead into a ring of stages, while two others multiply what has come."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import ptxgen as px
from examples.hopper_gemm.problem import ceil_div, check
from ptxgen import bf16, u32

BM, BN, BK, STAGES = 128, 128, 64, 4


# the kernel
@px.kernel
def gemm(k: px.Builder, m: u32, n: u32, depth: u32, a: px.TensorMap, b: px.TensorMap, c: px.TensorMap) -> None:
    """C (m, n) = A (m, depth) B (n, depth)^T in bf16, sums in f32."""
    left, right = k.tile(bf16, (BM, BK), stages=STAGES), k.tile(bf16, (BN, BK), stages=STAGES)
    result = k.tile(bf16, (64, BN), stages=2)
    pipe = k.pipeline(STAGES, consumers=8)  # 8 warps use what one thread loads
    stored = k.named_barrier(128, 2)
    row, column = k.ctaid.y * BM, k.ctaid.x * BN
    steps = (depth + BK - 1) // BK
    with k.roles(load=(1, 40), multiply=(2, 232)) as (load, multiply):
        with load, k.if_(k.tid.x == 0):
            for stage in pipe.produce(steps):
                a.load(left[stage.index], (stage.step * BK, row), stage.barrier)
                b.load(right[stage.index], (stage.step * BK, column), stage.barrier)
        with multiply as group:
            sums = k.sums(64, BN)
            for stage in pipe.consume(steps, in_flight=1):
                sums.add_product(left[stage.index].part(group * 64, rows=64), right[stage.index], keep=stage.step > 0)
            sums.to(bf16).store(result[group])
            k.publish_shared()
            stored[group].sync()
            with k.if_(k.tid.x % 128 == 0):
                c.store(result[group], (column, row + group * 64))
                k.bulk_commit()
                k.bulk_wait(0)


# the launch
def multiply(a: Any, b: Any, c: Any) -> None:
    """A CTA for each tile of C."""
    (m, depth), n = a.shape, b.shape[0]
    gemm[(ceil_div(n, BN), ceil_div(m, BM)), 384](m, n, depth, a, b, c)


if __name__ == "__main__":
    check(multiply)
