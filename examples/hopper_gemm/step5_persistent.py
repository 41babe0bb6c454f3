#!/usr/bin/env python3
"""Step 5: as many CTAs as fit at once compute all tiles, larger ones; a tile is stored while the next one is loaded."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import ptxgen as px
from driver_ctypes import CUdevice_attribute
from examples.hopper_gemm.problem import ceil_div, check
from ptxgen import bf16, u32
from ptxgen.host import device_of

BM, BN, BK, STAGES, PIECE = 128, 256, 64, 4, 64


# the kernel
@px.kernel
def gemm(k: px.Builder, m: u32, n: u32, depth: u32, a: px.TensorMap, b: px.TensorMap, c: px.TensorMap) -> None:
    """C (m, n) = A (m, depth) B (n, depth)^T in bf16, sums in f32."""
    left, right = k.tile(bf16, (BM, BK), stages=STAGES), k.tile(bf16, (BN, BK), stages=STAGES)
    result = k.tile(bf16, (64, PIECE), stages=2)  # C leaves in pieces: shared memory is for stages
    pipe = k.pipeline(STAGES, consumers=8)
    stored = k.named_barrier(128, 2)
    tiles = k.persistent_tiles((m + BM - 1) // BM, (n + BN - 1) // BN)  # in an order that shares what they read in L2
    steps = (depth + BK - 1) // BK
    with k.roles(load=(1, 40), multiply=(2, 232)) as (load, multiply):
        with load, k.if_(k.tid.x == 0):
            for row, column in tiles:
                for stage in pipe.produce(steps):
                    a.load(left[stage.index], (stage.step * BK, row * BM), stage.barrier)
                    b.load(right[stage.index], (stage.step * BK, column * BN), stage.barrier)
        with multiply as group:
            one, sums = k.tid.x % 128 == 0, k.sums(64, BN)
            for row, column in tiles:
                for stage in pipe.consume(steps, in_flight=1):
                    rows = left[stage.index].part(group * 64, rows=64)
                    sums.add_product(rows, right[stage.index], keep=stage.step > 0)
                for start in range(0, BN, PIECE):
                    with k.if_(one):
                        k.bulk_wait(0)  # the last store has read the tile
                    stored[group].sync()
                    sums.cut(start, PIECE).to(bf16).store(result[group])
                    k.publish_shared()
                    stored[group].sync()
                    with k.if_(one):
                        c.store(result[group], (column * BN + start, row * BM + group * 64))
                        k.bulk_commit()
            with k.if_(one):
                k.bulk_wait(0)


# the launch
def multiply(a: Any, b: Any, c: Any) -> None:
    """At most a CTA for each multiprocessor, and for each tile of C."""
    (m, depth), n = a.shape, b.shape[0]
    processors = device_of((a,)).handle.attribute(CUdevice_attribute.MULTIPROCESSOR_COUNT)
    gemm[min(processors, ceil_div(m, BM) * ceil_div(n, BN)), 384](m, n, depth, a, b, c)


if __name__ == "__main__":
    check(multiply)
