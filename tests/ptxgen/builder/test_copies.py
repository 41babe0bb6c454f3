"""Asynchronous copies to shared memory, and what stands for them on older targets."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import pytest

import ptxgen as px
from ptxgen import f16, f32, u8, u32

E = TypeVar("E")


@px.kernel
def reversed_tile(k: px.Builder, x: px.read_only[u32], z: px.ptr[u32], *, size: int, groups: int | None = None):
    tile = k.shared(u32, 64, align=16)
    words = size // 4
    with k.if_(k.tid.x < 64 // words):
        k.copy_async(tile.pointer.at(k.tid.x * words), x.at(k.tid.x * words), size)
        k.copy_commit()
        k.copy_wait(groups)
    k.barrier()
    z[k.tid.x] = tile[63 - k.tid.x]


@pytest.mark.parametrize("target", ["sm_75", "sm_80"])
@pytest.mark.parametrize("size, groups", [(4, None), (8, 0), (16, 0)])
def test_a_tile_is_copied(run, size, groups, target):
    x = np.arange(64, dtype=np.uint32) * 3
    _, z = run(reversed_tile, x, x * 0, block=64, target=target, size=size, groups=groups)
    assert z.tolist() == x[::-1].tolist()


def test_what_it_becomes():
    new, old = (str(reversed_tile.module(size=16, target=target)) for target in ("sm_80", "sm_75"))
    assert "cp.async.cg.shared.global" in new
    assert "cp.async.commit_group;\n\tcp.async.wait_all;" in new
    assert "ld.global.nc.v4.u32" in old
    assert "st.shared.v4.u32" in old
    assert "cp.async" not in old
    assert all(".ptr .global .align 16 x" in text for text in (new, old))


@px.kernel
def counted(k: px.Builder, x: px.ptr[E], z: px.ptr[E], *, element: type[E], size: int):
    """Thread i copies its part of x, of which the first i elements count."""
    lanes = size // element.isa.bytes
    tile = k.shared(element, 32 * lanes, align=16)
    place = tile.pointer.at(k.tid.x * lanes)
    k.copy_async(place, x.at(k.tid.x * lanes), size, count=k.tid.x)
    k.copy_wait()
    for lane in range(lanes):
        z[k.tid.x * lanes + lane] = place[lane]


@pytest.mark.parametrize("target", ["sm_75", "sm_80"])
@pytest.mark.parametrize("element, size", [(u8, 16), (f16, 16), (u32, 16), (u32, 4), (u8, 4), (f16, 8)])
def test_elements_behind_the_count_are_zeros(run, element, size, target):
    lanes = size // element.isa.bytes
    x = np.arange(1, 32 * lanes + 1).astype(f"{'f' if element is f16 else 'u'}{element.isa.bytes}")
    _, z = run(counted, x, x * 0 + 7, target=target, element=element, size=size)
    taken = np.arange(lanes) < np.arange(32)[:, None]
    assert np.array_equal(z.reshape(32, lanes), np.where(taken, x.reshape(32, lanes), 0))


def test_elements_behind_the_count_are_not_touched(run):
    """The array ends inside the last copy."""
    x = np.arange(1, 128, dtype=np.uint32)
    z = np.zeros(128, np.uint32)
    for target in ("sm_75", "sm_80"):
        _, found = run(cut, x, z, target=target)
        assert found.tolist() == [*x.tolist(), 0]


@px.kernel
def cut(k: px.Builder, x: px.ptr[u32], z: px.ptr[u32]):
    tile = k.shared(u32, 128, align=16)
    place = tile.pointer.at(k.tid.x * 4)
    k.copy_async(place, x.at(k.tid.x * 4), 16, count=127 - k.tid.x * 4)
    k.copy_wait()
    for lane in range(4):
        z[k.tid.x * 4 + lane] = place[lane]


@pytest.mark.parametrize(
    "mistake, complaint",
    [
        (lambda k, x, tile: k.copy_async(tile, x, 12), r"an asynchronous copy of 12 bytes(.|\n)*4, 8 or 16"),
        (lambda k, x, tile: k.copy_async(x, tile), r"a pointer to global memory(.|\n)*to a shared one"),
        (lambda k, x, tile: k.copy_async(tile.at(1), x, 16), r"offset 4 is not a multiple of"),
        (lambda k, x, tile: k.copy_async(tile, x[0], 4), r"an asynchronous copy with <value"),
        (lambda k, x, tile: k.copy_async(tile, x, 16, count=3), r"a copy of 3 elements(.|\n)*a u32"),
        (
            lambda k, x, tile: k.copy_async(tile, x.vectors(4), 16, count=k.tid.x),
            r"elements of 16 bytes counted in a copy of 16(.|\n)*scalars that fill it",
        ),
        (lambda k, x, tile: k.copy_wait(-1), r"all but -1 groups"),
    ],
)
def test_mistakes(mistake, complaint):
    @px.kernel
    def wrong(k: px.Builder, x: px.ptr[f32]):
        mistake(k, x, k.shared(f32, 8, align=16))

    with pytest.raises(px.BuildError, match=complaint):
        wrong.module()


def test_these_kernels_assemble(assembles):
    assembles([reversed_tile.using(size=size) for size in (4, 8, 16)])
    assembles([counted.using(element=element, size=16) for element in (u8, f16, u32)], ("sm_75", "sm_80"))
