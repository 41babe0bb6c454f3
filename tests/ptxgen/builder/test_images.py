"""Tensor maps of images: the columns of im2col against numpy, a convolution by wgmma; rows gathered by tensor maps."""

from __future__ import annotations

import numpy as np
import pytest

import driver_ctypes as dc
import ptxgen as px
from driver_ctypes import ArgumentError
from driver_ctypes.errors import ArgumentRangeError
from ptxgen import bf16, f16, f32, s32, u32


@pytest.fixture(autouse=True)
def hopper(dev):
    if dev.target != "sm_90a":
        pytest.skip("tensor copies and wgmma are instructions of sm_90a")


def numbers(*shape, seed=0):
    return np.random.default_rng(seed).integers(-4, 5, shape).astype(np.float32)


@px.kernel
def convolution(
    k: px.Builder, images: u32, height: u32, width: u32, channels: u32, filters: u32, x: px.TensorMap, f: px.TensorMap,
    y: px.ptr[f32], *, size: tuple = (3, 3), pad: int = 1, step: int = 1, deep: int = 64, stages: int = 3,
):  # fmt: skip
    """Y (images, P, Q, filters) of X (images, height, width, channels) and F (size[0] * size[1], filters, channels)."""
    bm, bn = 64, 32
    swizzle = f"{deep * 2}B"
    tile_x = k.tile(bf16, (bm, deep), stages=stages, swizzle=swizzle)
    tile_f = k.tile(bf16, (bn, deep), stages=stages, swizzle=swizzle)
    places = x.im2col(lower=(-pad, -pad), upper=(pad - size[1] + 1, pad - size[0] + 1), steps=(step, step))
    p, q = ((extent + 2 * pad - taps) // step + 1 for extent, taps in zip((height, width), size))
    blocks, rows = (channels + deep - 1) // deep, images * p * q
    pipe = k.pipeline(stages, consumers=4)
    tiles = k.persistent_tiles((rows + bm - 1) // bm, (filters + bn - 1) // bn)
    with k.roles(load=1, multiply=1) as (load, multiply):
        with load, k.if_(k.tid.x == 0):
            for row, column in tiles:
                image, within = row * bm // (p * q), row * bm % (p * q)
                w, h = within % q * step - pad, within // q * step - pad
                for stage in pipe.produce(blocks * size[0] * size[1]):
                    tap, channel = stage.step // blocks, stage.step % blocks * deep
                    taps = (tap % size[1], tap // size[1])
                    places.load(tile_x[stage.index], (channel, w, h, image), stage.barrier, taps)
                    f.load(tile_f[stage.index], (channel, column * bn, tap), stage.barrier)
        with multiply:
            sums = k.sums(bm, bn)
            for row, column in tiles:
                for stage in pipe.consume(blocks * size[0] * size[1], in_flight=1):
                    sums.add_product(tile_x[stage.index], tile_f[stage.index], keep=stage.step > 0)

                def write(value, i, j):
                    with k.if_((i < rows) & (j < filters)):
                        y[i * filters + j] = value

                sums.map(write, row * bm, column * bn)


def convolved(x, f, size, pad, step):
    """By numpy: f is (taps, filters, channels)."""
    padded = np.pad(x, ((0, 0), (pad, pad), (pad, pad), (0, 0)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, size, (1, 2))[:, ::step, ::step]
    return np.einsum("npqcrs,rskc->npqk", windows, f.reshape(*size, *f.shape[1:]))


@pytest.mark.parametrize("shape, filters, options", [
    ((2, 7, 6, 64), 32, {}),
    ((1, 9, 8, 24), 40, {"deep": 16}),
    ((3, 5, 11, 16), 8, {"deep": 16, "step": 2, "pad": 0}),
    ((2, 4, 9, 32), 33, {"deep": 32, "size": (1, 5), "pad": 2}),
    ((1, 8, 8, 16), 8, {"deep": 16, "size": (2, 3), "pad": 1, "step": 3}),
])  # fmt: skip
def test_a_convolution(dev, shape, filters, options):
    size, pad, step = options.get("size", (3, 3)), options.get("pad", 1), options.get("step", 1)
    x, f = numbers(*shape), numbers(size[0] * size[1], filters, shape[3], seed=1)
    expected = convolved(x, f, size, pad, step)
    y = dev.full(expected.shape, 99, f32)
    convolution[2, 256](*shape, filters, dev.array(x, bf16), dev.array(f, bf16), y, **options)
    assert np.array_equal(y.numpy(), expected)


@px.kernel(threads=32)
def columns(k: px.Builder, x: px.TensorMap, y: px.TensorMap, w: s32, dx: u32):
    """Sixteen places of one row of images to another tensor's pixels, and once more added."""
    tile, loaded = k.tile(f16, (16, 64)), k.mbarrier()
    k.start_barriers()
    source, target = x.im2col(lower=[-1], upper=[1]), y.im2col(lower=[0], upper=[0])
    with k.if_(k.tid.x == 0):
        source.prefetch(tile, (0, w, 0))
        with loaded.transaction():
            source.load(tile, (0, w, 0), loaded, [dx])
        loaded.wait(0)
        target.store(tile, (0, 0, 0))
        k.bulk_commit()
        k.bulk_wait(0, read=False)
        target.reduce("add", tile, (0, 0, 0))
        k.bulk_commit()
        k.bulk_wait(0)


def test_columns_go_on_from_image_to_image(dev):
    """The box of one dimension is of 10 + 2 places, from -1 on; one image alone is a batch of one."""
    x, y = numbers(2, 10, 64), dev.zeros((2, 8, 64), f16)
    columns[1, 32](dev.array(x, f16), y, 3, 1)
    padded = np.pad(x, ((0, 0), (1, 2), (0, 0)))
    places = [(0, w) for w in range(3, 11)] + [(1, w) for w in range(-1, 7)]
    expected = np.stack([padded[n, w + 1 + 1] for n, w in places]).reshape(2, 8, 64)
    assert np.array_equal(y.numpy(), 2 * expected)
    one = dev.array(x[0], f16)
    assert columns.bind(1, 32, device=dev)(one, dev.zeros((16, 64), f16), 0, 0) is None


def test_a_map_of_a_driver_call_is_checked(dev):
    x, y = dev.zeros((2, 10, 64), f16), dev.zeros((2, 8, 64), f16)
    right = dc.tensor_map_im2col(x, "f16", (64, 10, 2), [-1], [1], 64, 16, swizzle="128B")
    columns[1, 32](right, y, 0, 0)
    for wrong in (
        dc.tensor_map_im2col(x, "f16", (64, 10, 2), [0], [1], 64, 16, swizzle="128B"),
        dc.tensor_map(x, "f16", (64, 10, 2), (64, 16, 1), swizzle="128B"),
    ):
        with pytest.raises(ArgumentError, match=r"the kernel takes 16 pixels of 64 .f16, corners \(-1,\) and \(1,\)"):
            columns[1, 32](wrong, y, 0, 0)
    with pytest.raises(ArgumentError, match=r"4 dimensions(.|\n)*its dimensions are images, W, channels"):
        columns[1, 32](dev.zeros((2, 3, 10, 64), f16), y, 0, 0)
    with pytest.raises(ArgumentRangeError, match="multiple of 16"):
        columns[1, 32](dev.zeros((2, 10, 63), f16), y, 0, 0)


def test_a_map_of_boxes_is_not_one_of_columns(dev):
    @px.kernel(threads=32)
    def boxes(k: px.Builder, x: px.TensorMap):
        tile, loaded = k.tile(f16, (16, 64)), k.mbarrier()
        k.start_barriers()
        with k.if_(k.tid.x == 0), loaded.transaction():
            x.load(tile, (0, 0, 0), loaded)
        loaded.wait(0)

    x = dev.zeros((2, 10, 64), f16)
    with pytest.raises(ArgumentError, match=r"im2col(.|\n)*the kernel takes boxes of 64x16x1"):
        boxes[1, 32](dc.tensor_map_im2col(x, "f16", (64, 10, 2), [-1], [1], 64, 16, swizzle="128B"))


def load(k, x, lower=(0, 0), upper=(0, 0), steps=None, place=(0, 0, 0, 0), offsets=None, rows=16):
    loaded = k.mbarrier()
    x.im2col(lower, upper, steps).load(k.tile(f16, (rows, 64)), place, loaded, offsets)


@pytest.mark.parametrize("make, said", [
    (lambda k, x: load(k, x, lower=(0,)), r"im2col of corners \(0,\) and \(0, 0\)"),
    (lambda k, x: load(k, x, (0,) * 4, (0,) * 4), r"im2col of corners(.|\n)*1 to 3 numbers"),
    (lambda k, x: load(k, x, lower=(-129, 0)), r"a corner of -129(.|\n)*-128 to 127"),
    (lambda k, x: load(k, x, steps=(1, 9)), r"a step of 9(.|\n)*1 to 8"),
    (lambda k, x: load(k, x, place=(0, 0, 0)), r"the place \(0, 0, 0\)(.|\n)*4 coordinates"),
    (lambda k, x: load(k, x, offsets=(0,)), r"the offsets \(0,\)(.|\n)*2: one a spatial dimension"),
    (lambda k, x: load(k, x, offsets=(0, 256)), r"the offset 256(.|\n)*0 to 255"),
    (lambda k, x: load(k, x, rows=1032), r"columns of im2col in <tile of 1032x64 f16>(.|\n)*at most 1024"),
    (lambda k, x: (load(k, x), load(k, x, lower=(-1, 0))), r"is a tensor map of 16 pixels(.|\n)*takes 16 pixels"),
    (lambda k, x: x.im2col((0,), (0,)).reduce("sub", k.tile(f16, (8, 64)), (0, 0, 0)), r"a reduction 'sub'"),
    (lambda k, x: x.gather(k.tile(f16, (4, 64)), 0, [0] * 4, k.mbarrier()), r"on sm_90a(.|\n)*sm_100 or later"),
])  # fmt: skip
def test_what_cannot_be_is_said_while_building(make, said):
    @px.kernel
    def kernel(k: px.Builder, x: px.TensorMap):
        make(k, x)

    with pytest.raises(px.BuildError, match=said):
        kernel.module(target="sm_90a")


@px.kernel(threads=32)
def rearranged(k: px.Builder, x: px.TensorMap, y: px.TensorMap, indices: px.ptr[s32]):
    """Eight rows of 128 columns from anywhere to anywhere."""
    tile, loaded = k.tile(f16, (8, 128)), k.mbarrier()
    k.start_barriers()
    with k.if_(k.tid.x == 0):
        with loaded.transaction():
            x.gather(tile, 64, [indices[i] for i in range(8)], loaded)
        loaded.wait(0)
        y.scatter(tile, 0, [indices[8 + i] for i in range(8)])
        k.bulk_commit()
        k.bulk_wait(0)


@pytest.mark.parametrize("make, said", [
    (lambda k, x: x.gather(k.tile(f16, (8, 64)), 0, [0] * 4, k.mbarrier()), r"4 rows for <tile of 8x64 f16>(.|\n)*8 of them"),
    (lambda k, x: x.scatter(k.tile(f16, (64, 8), major="MN"), 0, [0] * 64), r"rows gathered to(.|\n)*a K-major tile"),
])  # fmt: skip
def test_rows_that_cannot_be_gathered(make, said):
    @px.kernel
    def kernel(k: px.Builder, x: px.TensorMap):
        make(k, x)

    with pytest.raises(px.BuildError, match=said):
        kernel.module(target="sm_100a")


def test_they_assemble(assembles):
    assembles([convolution, columns], targets=["sm_90a"])
    assembles([columns, rearranged], targets=["sm_100a"])
    text = str(rearranged.module(target="sm_100a"))
    assert text.count("tile::gather4") == text.count("tile::scatter4") == 4
