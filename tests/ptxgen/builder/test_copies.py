"""Asynchronous copies to shared memory, and what stands for them on older targets."""

from __future__ import annotations

import numpy as np
import pytest

import ptxgen as px
from ptxgen import f32, u32


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


@pytest.mark.parametrize(
    "mistake, complaint",
    [
        (lambda k, x, tile: k.copy_async(tile, x, 12), r"an asynchronous copy of 12 bytes(.|\n)*4, 8 or 16"),
        (lambda k, x, tile: k.copy_async(x, tile), r"a pointer to global memory(.|\n)*to a shared one"),
        (lambda k, x, tile: k.copy_async(tile.at(1), x, 16), r"offset 4 is not a multiple of"),
        (lambda k, x, tile: k.copy_async(tile, x[0], 4), r"an asynchronous copy with <value"),
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
