"""Special registers: where a thread is, and what time it is."""

from __future__ import annotations

import numpy as np
import pytest

import ptxgen as px
from ptxgen import u32, u64


@px.kernel
def places(k: px.Builder, z: px.ptr[u32]):
    x, y, w = k.global_id.x, k.global_id.y, k.global_id.z
    place = x + y * k.grid_size.x + w * k.grid_size.x * k.grid_size.y
    values = [
        k.tid.x, k.tid.y, k.tid.z, k.ntid.x, k.ntid.y, k.ntid.z, k.ctaid.x, k.ctaid.y, k.ctaid.z,
        k.nctaid.x, k.nctaid.y, k.nctaid.z, x, y, w, k.grid_size.x, k.grid_size.y, k.grid_size.z,
    ]  # fmt: skip
    for i, value in enumerate(values):
        z[place * len(values) + i] = value


def test_threads_know_where_they_are(run):
    grid, block = (2, 3, 2), (4, 2, 2)
    size = [g * b for g, b in zip(grid, block)]
    (z,) = run(places, np.zeros(int(np.prod(size)) * 18, np.uint32), grid=grid, block=block)
    rows = z.reshape(size[2], size[1], size[0], 18)
    for w, y, x in np.ndindex(*size[::-1]):
        tid = [x % 4, y % 2, w % 2]
        cta = [x // 4, y // 2, w // 2]
        assert rows[w, y, x].tolist() == [*tid, *block, *cta, *grid, x, y, w, *size]


@px.kernel
def lanes(k: px.Builder, z: px.ptr[u32]):
    i = k.tid.x
    z[i] = k.lane
    z[i + 64] = k.special("%warpid")
    z[i + 128] = k.special("%lanemask_lt")
    z[i + 192] = k.special("%nwarpid")


def test_lanes_and_warps(run):
    (z,) = run(lanes, np.zeros(256, np.uint32), block=64)
    lane = np.arange(64) % 32
    assert z[:64].tolist() == lane.tolist()
    assert z[128:192].tolist() == ((1 << lane) - 1).tolist()
    assert len(set(z[64:96].tolist())) == len(set(z[96:128].tolist())) == 1
    assert z[192] >= 2


@px.kernel
def clocks(k: px.Builder, z: px.ptr[u64]):
    z[0] = k.clock
    total = k.var(u64, 0)
    for i in k.range(1000, type=u64):
        total += i * i
    z[2] = total
    z[1] = k.clock


def test_the_clock_is_read_each_time(run):
    assert str(clocks.module()).count("%clock64") == 2
    (z,) = run(clocks, np.zeros(3, np.uint64), block=1)
    assert z[1] >= z[0] > 0


@px.kernel
def often(k: px.Builder, z: px.ptr[u32]):
    with k.if_(k.tid.x < 4):
        z[k.tid.x] = k.tid.x + k.tid.x
    z[k.tid.x] = k.global_id.x + k.global_id.x


def test_what_does_not_change_is_read_once():
    assert str(often.module()).count("%tid.x") == 1


@px.kernel
def first_inside(k: px.Builder, n: u32, z: px.ptr[u32]):
    with k.if_(n > 5):
        z[0] = k.tid.y
    z[1] = k.tid.y


def test_what_was_read_in_a_body_is_read_again_after_it(run):
    (z,) = run(first_inside, 9, np.ones(2, np.uint32), block=(1, 1))
    assert z.tolist() == [0, 0]
    assert str(first_inside.module(strict=True)).count("%tid.y") == 2


def test_an_unknown_one():
    @px.kernel
    def asks(k: px.Builder, z: px.ptr[u32]):
        z[0] = k.special("%tide.x")

    with pytest.raises(px.BuildError, match=r"unknown special register %tide.x(.|\n)*a full name such as %tid.x"):
        asks.module()


def test_these_kernels_assemble(assembles):
    assembles(globals())
