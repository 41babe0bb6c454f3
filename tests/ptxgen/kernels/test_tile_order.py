"""`tile_order`: each tile is taken once, and each CTA has as much to do as the others."""

from __future__ import annotations

import numpy as np
import pytest

import ptxgen as px
from ptxgen import u32
from ptxgen.kernels.attention.tile_order import heads_beside, tiles_in_turn


@pytest.fixture(scope="module")
def dev(device_name):
    return px.device(device_name)


@px.kernel
def takers(k: px.Builder, heads: u32, tiles: u32, group: u32, taken: px.ptr[u32], *, causal: bool):
    """taken[head, place] is the number of the CTA that takes the tile, plus 2^16 for each time."""
    for head, place in tiles_in_turn(k, heads, tiles, group, causal):
        k.atomic_add(taken, head * tiles + place, k.ctaid.x + (1 << 16))


@pytest.mark.parametrize("heads, tiles", [(64, 32), (128, 16), (16, 128), (40, 43), (33, 32)])
def test_tiles_of_all_lengths_are_shared_out_evenly(dev, heads, tiles):
    processors = 132
    taken = dev.zeros((heads, tiles), u32)
    takers.using(causal=True)[processors, 1](heads, tiles, heads_beside(128, heads, tiles, causal=True), taken)
    assert (taken.numpy() >> 16 == 1).all()
    blocks = np.broadcast_to(tiles - np.arange(tiles) + 1.5, (heads, tiles))  # and what a tile has beside its blocks
    work = np.bincount((taken.numpy() & 0xFFFF).ravel(), blocks.ravel(), processors)
    assert work.max() < 1.1 * max(work.mean(), blocks.max())


def test_tiles_of_one_length(dev):
    taken = dev.zeros((5, 7), u32)
    takers.using(causal=False)[4, 1](5, 7, heads_beside(64, 5, 7, causal=False), taken)
    assert (taken.numpy() >> 16 == 1).all()


def test_heads_beside_each_other():
    assert [heads_beside(128, heads, 16, causal=True) for heads in (1, 2, 16, 40, 64, 128)] == [1, 1, 8, 10, 16, 16]
    assert [heads_beside(128, heads, 32, causal=True) for heads in (1, 16, 40, 64)] == [1, 8, 7, 8]
    assert [heads_beside(d, 40, 32, causal=False) for d in (64, 128)] == [16, 1]
