"""Hopper GEMMs whose tiles come by multicast over clusters of 2 and 4 CTAs: TMA, a ring of mbarriers over the cluster, wgmma."""

from __future__ import annotations

import numpy as np
import pytest

import driver_ctypes as dc
import ptxgen as px
from ptxgen import b64, bf16, f32, u32, u64
from ptxgen.isa.layouts import SharedTile

TILE, STAGES = 64, 2
BYTES = TILE * TILE * 2
OPERAND = SharedTile(TILE, TILE, "bf16", major="K", swizzle="128B")
LOAD = "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster"


def gemm(down: int, across: int) -> px.Kernel:
    """C = A @ B^T in tiles of 64 x 64, one a CTA, over clusters of `across` x `down` of them along x and y. The CTAs of a row
    have the same tile of A, each loads a part of it and sends that to all; likewise the CTAs of a column with B."""

    @px.kernel(threads=160, cluster=(across, down, 1))
    def tiled(k: px.Builder, n: u32, steps: u32, a: px.TensorMap, b: px.TensorMap, c: px.ptr[f32]):
        memory = k.dynamic_shared(bf16, align=1024)
        full, empty = k.shared(b64, STAGES), k.shared(b64, STAGES)
        base, warp = memory.address, k.shfl_idx(k.tid.x // 32, 0)
        x, y = k.special("%cluster_ctaid.x"), k.special("%cluster_ctaid.y")
        with k.if_(k.tid.x == 0):
            for stage in range(STAGES):
                k.ptx.mbarrier.init.shared__cta.b64(full.at(stage), 1)
                k.ptx.mbarrier.init.shared__cta.b64(empty.at(stage), down + across - 1)  # who sends here is heard once
            k.ptx.fence.mbarrier_init.release.cluster()
        k.ptx.barrier.cluster.arrive.release.aligned()
        k.ptx.barrier.cluster.wait.acquire.aligned()

        def wait(barrier, parity):
            def pending():
                done = k.var(px.pred)
                k.ptx.mbarrier.try_wait.parity.acquire.cluster.shared__cta.b64(done, barrier, parity)
                return ~done

            with k.while_(pending):
                pass

        with k.if_else(warp == 4) as (producer, consumer):
            with producer, k.if_(k.lane == 0):
                row_mask = k.const(u32, (1 << across) - 1) << (y * across)
                column_mask = k.const(u32, sum(1 << i * across for i in range(down))) << x
                for step in k.range(steps):
                    stage, parity = step % STAGES, step // STAGES % 2
                    wait(empty.at(stage), parity ^ 1)
                    k.ptx.mbarrier.arrive.expect_tx.shared__cta.b64(px.sink, full.at(stage), 2 * BYTES)
                    at, part_a, part_b = base + stage * (2 * BYTES), TILE // across, TILE // down
                    rows, columns = k.ctaid.y * TILE + x * part_a, k.ctaid.x * TILE + y * part_b
                    k.ptx[LOAD](
                        [at + x * (part_a * 128), 0], [a, (step * TILE, rows)], full.at(stage), row_mask.to(px.u16)
                    )
                    k.ptx[LOAD](
                        [at + BYTES + y * (part_b * 128), 0],
                        [b, (step * TILE, columns)],
                        full.at(stage),
                        column_mask.to(px.u16),
                    )
            with consumer:
                sums = tuple(k.var(f32, 0) for _ in range(32))
                for step in k.range(steps):
                    stage = step % STAGES
                    wait(full.at(stage), step // STAGES % 2)
                    left = ((base + stage * (2 * BYTES)) & 0x3FFFF) >> 4
                    k.ptx.wgmma.fence.sync.aligned()
                    for inner in range(0, TILE, 16):
                        descriptors = (
                            left.to(u64) + OPERAND.wgmma(0, column=inner).encode()
                            for left in (left, left + BYTES // 16)
                        )
                        k.ptx.wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16(sums, *descriptors, 1, 1, 1, 0, 0)
                    k.ptx.wgmma.commit_group.sync.aligned()
                    k.ptx.wgmma.wait_group.sync.aligned(0)
                    k.ptx.bar.sync(1, 128)
                    other = k.tid.x  # thread i tells CTA i, where that one sends here
                    same_row, same_column = other // across == y, other % across == x
                    with k.if_((other < down * across) & (same_row | same_column)):
                        there = k.var(u32)
                        k.ptx.mapa.shared__cluster.u32(there, empty.at(stage), other)
                        k.ptx.mbarrier.arrive.release.cluster.shared__cluster.b64(px.sink, [there, 0])
                row = k.ctaid.y * TILE + warp * 16 + k.lane // 4
                column = k.ctaid.x * TILE + k.lane % 4 * 2
                for i, value in enumerate(sums):
                    c[(row + i // 2 % 2 * 8) * n + column + i // 4 * 8 + i % 2] = value
        k.ptx.barrier.cluster.arrive.relaxed.aligned()
        k.ptx.barrier.cluster.wait.acquire.aligned()

    return tiled


@pytest.mark.parametrize("down, across", [(2, 1), (2, 2)])
def test_multicast(device_name, down, across):
    device = px.device(device_name)
    if device.kind == "cuda" and device.handle.compute_capability[0] != 9:
        pytest.skip("wgmma is Hopper's")
    m, n, depth = 2 * down * TILE, across * TILE, 5 * TILE
    random = np.random.default_rng(3)
    x, y = (random.integers(-4, 5, (rows, depth)).astype(np.float32) for rows in (m, n))
    a, b, c = device.array(x, bf16), device.array(y, bf16), device.zeros((m, n), f32)
    maps = [
        dc.tensor_map(array, "bf16", shape=(depth, rows), box=(TILE, TILE // parts), swizzle="128B")
        for array, rows, parts in ((a, m, across), (b, n, down))
    ]
    gemm(down, across)[(across, 2 * down), 160](n, depth // TILE, *maps, c, shared=STAGES * 2 * BYTES)
    assert np.array_equal(c.numpy(), x @ y.T)
