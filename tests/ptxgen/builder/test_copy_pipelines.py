"""Pipelines that asynchronous copies fill: all threads together, a role of its own, beside copies of tensor maps."""

from __future__ import annotations

import numpy as np
import pytest

import ptxgen as px
from ptxgen import bf16, f32, u32


def integers(*shape, seed=0):
    return np.random.default_rng(seed).integers(-4, 5, shape).astype(np.float32)


def copy_rows(k, tile, source, line, depth, first, threads):
    """64 x 64 elements from column `line` on to a tile, zeros behind `depth`; by `threads` threads from number `first` on."""
    for piece in k.range(k.tid.x - first, 64 * 8, threads):
        row, column = piece // 8, line + piece % 8 * 8
        left = depth - k.min(depth, column)
        k.copy_async(tile.at(row, piece % 8 * 8), source.at(row * depth).at(column), 16, count=left)


@px.kernel(threads=64)
def together(k: px.Builder, depth: u32, a: px.ptr[bf16], b: px.ptr[bf16], c: px.ptr[f32], *, stages: int):
    """C = A B^T of 64 x 64, all threads copying and multiplying."""
    tile_a, tile_b = k.tile(bf16, (64, 64), stages=stages), k.tile(bf16, (64, 64), stages=stages)
    pipe, total = k.copy_pipeline(stages), k.warp_sums(32, 64, bf16)
    first = k.tid.x // 32 * 32
    left, right = total.left(tile_a, first), total.right(tile_b, 0)

    def fill(step, index):
        copy_rows(k, tile_a[index], a, step * 64, depth, 0, 64)
        copy_rows(k, tile_b[index], b, step * 64, depth, 0, 64)

    for stage in pipe.stream((depth + 63) // 64, fill):
        total.add_product(left[stage.index], right[stage.index])
    total.map(lambda value, row, column: c.store(row * 64 + column, value), first)


@px.kernel
def roles(k: px.Builder, depth: u32, a: px.ptr[bf16], b: px.ptr[bf16], c: px.ptr[f32], *, stages: int = 2):
    """The same by a warpgroup that copies, and one that multiplies by mma.sync; two rounds go on in the ring."""
    tile_a, tile_b = k.tile(bf16, (64, 64), stages=stages), k.tile(bf16, (64, 64), stages=stages)
    pipe, total = k.pipeline(stages, consumers=4, copies=128), k.warp_sums(16, 64, bf16)
    steps = (depth + 63) // 64
    with k.roles(load=1, multiply=1) as (load, multiply):
        with load:
            for _ in range(2):
                for stage in pipe.produce(steps):
                    copy_rows(k, tile_a[stage.index], a, stage.step * 64, depth, 0, 128)
                    copy_rows(k, tile_b[stage.index], b, stage.step * 64, depth, 0, 128)
        with multiply:
            first = (k.tid.x - 128) // 32 * 16
            left, right = total.left(tile_a, first), total.right(tile_b, 0)
            for _ in range(2):
                for stage in pipe.consume(steps):
                    total.add_product(left[stage.index], right[stage.index])
            total.map(lambda value, row, column: c.store(row * 64 + column, value * 0.5), first)


@px.kernel
def both(
    k: px.Builder, depth: u32, a: px.TensorMap, b: px.ptr[bf16], c: px.ptr[f32], *, stages: int = 3, in_flight: int = 1
):
    """The same by wgmma: A by a tensor map, B by asynchronous copies, on one barrier."""
    tile_a, tile_b = k.tile(bf16, (64, 64), stages=stages), k.tile(bf16, (64, 64), stages=stages)
    pipe = k.pipeline(stages, consumers=4, copies=128)
    steps = (depth + 63) // 64
    with k.roles(load=1, multiply=1) as (load, multiply):
        with load:
            for stage in pipe.produce(steps):
                with k.if_(k.tid.x == 0):
                    a.load(tile_a[stage.index], (stage.step * 64, 0), stage.barrier)
                copy_rows(k, tile_b[stage.index], b, stage.step * 64, depth, 0, 128)
        with multiply:
            sums = k.sums(64, 64)
            for stage in pipe.consume(steps, in_flight=in_flight):
                sums.add_product(tile_a[stage.index], tile_b[stage.index])
            sums.map(lambda value, row, column: c.store(row * 64 + column, value))


def check(dev, kernel, threads, depth, **options):
    x, y = integers(64, depth), integers(64, depth, seed=1)
    c = dev.full((64, 64), 7, f32)
    kernel[1, threads](depth, dev.array(x, bf16), dev.array(y, bf16), c, **options)
    assert np.array_equal(c.numpy(), x @ y.T)


@pytest.mark.parametrize("depth, stages", [(8, 2), (200, 2), (328, 3), (128, 4)])
def test_all_threads_copy_and_multiply(dev, depth, stages):
    check(dev, together, 64, depth, stages=stages)


@pytest.mark.parametrize("depth, stages", [(8, 1), (200, 2), (328, 3)])
def test_a_role_copies(dev, depth, stages):
    check(dev, roles, 256, depth, stages=stages)


@pytest.mark.parametrize("depth, in_flight", [(8, 0), (200, 1), (328, 1)])
def test_tensor_maps_and_copies_fill_one_stage(dev, depth, in_flight):
    if dev.target != "sm_90a":
        pytest.skip("tensor copies and wgmma are instructions of sm_90a")
    check(dev, both, 256, depth, in_flight=in_flight)


def test_older_targets_wait_without_being_suspended(dev):
    """sm_80 has mbarriers, but neither try_wait nor tensor copies."""
    text = str(roles.module(target="sm_80"))
    assert "mbarrier.test_wait.parity" in text
    assert "cp.async.mbarrier.arrive.noinc" in text
    x, y = integers(64, 136), integers(64, 136, seed=1)
    c = dev.full((64, 64), 7, f32)
    loaded = dev.load(roles.module(target="sm_80"))["roles"]
    loaded.launch(1, 256, (136, dev.array(x, bf16), dev.array(y, bf16), c))
    assert np.array_equal(c.numpy(), x @ y.T)


@pytest.mark.parametrize("make, said", [
    (lambda k: k.copy_pipeline(1), r"a pipeline of 1 stages(.|\n)*2 or more"),
    (lambda k: k.pipeline(2, consumers=4, copies=0), r"a pipeline that 0 threads fill"),
    (lambda k: k.pipeline(2, consumers=4, copies=32), r"asynchronous copies on sm_75(.|\n)*k.copy_pipeline"),
])  # fmt: skip
def test_what_cannot_be_is_said_while_building(make, said):
    @px.kernel
    def kernel(k: px.Builder):
        make(k)

    with pytest.raises(px.BuildError, match=said):
        kernel.module(target="sm_75")


def test_they_assemble(assembles):
    assembles([together.using(stages=3), roles], targets=["sm_80", "sm_90a"])
    assembles([both], targets=["sm_90a"])
