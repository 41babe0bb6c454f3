"""Whole pipelines: tiles come by cp.async or by tensor copies, ldmatrix and mma use them up, several stages in flight."""

from __future__ import annotations

import numpy as np
import pytest

import driver_ctypes as dc
import ptxgen as px
from ptxgen import b32, b64, bf16, f32

SIDE, DEPTH, STAGES = 64, 64, 2
"""Rows of a tile, elements of a row (128 bytes), tiles in flight."""
TILE = SIDE * DEPTH * 2


def place(row, chunk):
    """Byte offset of 16 bytes of a tile, with the swizzle of 128 bytes."""
    return row * 128 + ((chunk ^ (row & 7)) << 4)


def multiply(k, left, right, sums):
    """sums += left right^T, 16 rows a warp, from tiles at shared addresses."""
    row = k.tid.x // 32 * 16 + k.lane % 16
    for step in range(DEPTH // 16):
        a = tuple(k.var(b32) for _ in range(4))
        k.ptx.ldmatrix.sync.aligned.m8n8.x4.shared.b16(a, [left + place(row, step * 2 + k.lane // 16), 0])
        for n, d in enumerate(sums):
            b = tuple(k.var(b32) for _ in range(2))
            at = place(n * 8 + k.lane % 8, step * 2 + k.lane // 8 % 2)
            k.ptx.ldmatrix.sync.aligned.m8n8.x2.shared.b16(b, [right + at, 0])
            k.ptx.mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32(d, a, b, d)


def write_out(k, sums, c):
    for n, d in enumerate(sums):
        for i, value in enumerate(d):
            row = k.tid.x // 32 * 16 + k.lane // 4 + i // 2 * 8
            c[row * SIDE + n * 8 + k.lane % 4 * 2 + i % 2] = value


def accumulators(k):
    return [tuple(k.var(f32, 0) for _ in range(4)) for _ in range(SIDE // 8)]


def waits(k, object, parity):
    """A loop around try_wait."""

    def not_yet():
        done = k.var(px.pred)
        k.ptx.mbarrier.try_wait.parity.shared__cta.b64(done, object, parity)
        return ~done

    with k.while_(not_yet):
        pass


@px.kernel(threads=128)
def by_threads(k: px.Builder, a: px.ptr[bf16], b: px.ptr[bf16], c: px.ptr[f32], *, tiles: int):
    """cp.async, a group for each tile."""
    left, right = (k.shared(bf16, (STAGES, SIDE, DEPTH), align=1024) for _ in range(2))
    sums = accumulators(k)

    def fetch(tile, stage):
        for source, to in ((a, left), (b, right)):
            for i in range(SIDE * 8 // 128):
                index = i * 128 + k.tid.x
                row, chunk = index // 8, index % 8
                from_ = source.at(row * (tiles * DEPTH) + tile * DEPTH + chunk * 8)
                k.ptx.cp.async_.cg.shared.global_([to.address + stage * TILE + place(row, chunk), 0], from_, 16)

    for stage in range(STAGES):
        fetch(stage, stage)
        k.copy_commit()
    with k.range(tiles) as tile:
        k.copy_wait(STAGES - 1)
        k.barrier()
        offset = tile % STAGES * TILE
        multiply(k, left.address + offset, right.address + offset, sums)
        k.barrier()
        with k.if_(tile + STAGES < tiles):
            fetch(tile + STAGES, tile % STAGES)
        k.copy_commit()
    write_out(k, sums, c)


@px.kernel(threads=160)
def by_a_producer(k: px.Builder, a: px.TensorMap, b: px.TensorMap, c: px.ptr[f32], *, tiles: int):
    """Tensor copies by one thread of the last warp; a full and an empty mbarrier for each stage."""
    left, right = (k.shared(bf16, (STAGES, SIDE, DEPTH), align=1024) for _ in range(2))
    full, empty = k.shared(b64, STAGES), k.shared(b64, STAGES)
    with k.if_(k.tid.x == 0):
        for stage in range(STAGES):
            k.ptx.mbarrier.init.shared__cta.b64(full.at(stage), 1)
            k.ptx.mbarrier.init.shared__cta.b64(empty.at(stage), 128)
        k.ptx.fence.mbarrier_init.release.cluster()
    k.barrier()
    with k.if_else(k.tid.x >= 128) as (producer, consumers):
        with producer, k.if_(k.tid.x == 128), k.range(tiles) as tile:
            stage = tile % STAGES
            waits(k, empty.at(stage), tile // STAGES % 2 ^ 1)
            k.ptx.mbarrier.arrive.expect_tx.shared__cta.b64(px.sink, full.at(stage), 2 * TILE)
            load = k.ptx["cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"]
            for map_, to in ((a, left), (b, right)):
                load([to.address + stage * TILE, 0], [map_, (tile * DEPTH, 0)], full.at(stage))
        with consumers:
            sums = accumulators(k)
            with k.range(tiles) as tile:
                stage = tile % STAGES
                waits(k, full.at(stage), tile // STAGES % 2)
                multiply(k, left.address + stage * TILE, right.address + stage * TILE, sums)
                k.ptx.mbarrier.arrive.shared__cta.b64(px.sink, empty.at(stage))
            write_out(k, sums, c)


@pytest.fixture
def dev(device_name):
    return px.device(device_name)


def operands(dev, tiles):
    """Two matrices of small integers, which bf16 has exactly, and their product."""
    rng = np.random.default_rng(tiles)
    x, y = (rng.integers(-8, 9, (SIDE, tiles * DEPTH)).astype(np.float32) for _ in range(2))
    a, b = (dev.array((m.view(np.uint32) >> 16).astype(np.uint16)).view(bf16) for m in (x, y))
    return a, b, x @ y.T


@pytest.mark.parametrize("tiles", [2, 5])
def test_copies_of_all_threads(dev, tiles):
    a, b, expected = operands(dev, tiles)
    c = dev.zeros((SIDE, SIDE), f32)
    by_threads[1, 128](a, b, c, tiles=tiles)
    assert (c.numpy() == expected).all()


@pytest.mark.parametrize("tiles", [1, 2, 5])
def test_tensor_copies_of_one_thread(dev, tiles):
    if dev.handle.compute_capability < (9, 0):
        pytest.skip("no tensor copies before sm_90")
    a, b, expected = operands(dev, tiles)
    c = dev.zeros((SIDE, SIDE), f32)
    maps = [dc.tensor_map(m, "bf16", shape=(tiles * DEPTH, SIDE), box=(DEPTH, SIDE), swizzle="128B") for m in (a, b)]
    by_a_producer[1, 160](*maps, c, tiles=tiles)
    assert (c.numpy() == expected).all()
