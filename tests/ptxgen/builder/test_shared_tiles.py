"""Places in a shared-memory tile that are known on the device only: the same as for Python's integers."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import ptxgen as px
from ptxgen import bf16, f32, ptr, s8, s32, u32, u64
from ptxgen.isa.layouts import LayoutError, SharedTile

TILES = [
    SharedTile(16, 128, "bf16"),
    SharedTile(8, 64, "bf16"),
    SharedTile(24, 256, "e2m1", "K", "64B"),
    SharedTile(16, 24, "tf32", "K", "32B"),
    SharedTile(8, 256, "b1", "K", "none"),
    SharedTile(128, 16, "bf16", "MN"),
    SharedTile(32, 8, "bf16", "MN", "none"),
    SharedTile(64, 8, "tf32", "MN", "128B_ATOM_32B"),
]


@px.kernel
def offsets(k: px.Builder, out: ptr[u32], *, tile: SharedTile, integer: Any) -> None:
    place = k.ctaid.x * k.ntid.x + k.tid.x
    row, column = (place // tile.columns).to(integer), (place % tile.columns).to(integer)
    out[place] = tile.offset(row, column).to(u32)


@pytest.mark.parametrize("tile", TILES, ids=lambda t: f"{t.type}-{t.major}-{t.swizzle}")
@pytest.mark.parametrize("integer", [u32, s32, u64])
def test_every_element(device_name: str, tile: SharedTile, integer: Any) -> None:
    count = tile.rows * tile.columns
    out = px.device(device_name).zeros(count, u32)
    offsets.using(tile=tile, integer=integer)[count // 64, 64](out)
    expected = [tile.offset(row, column) for row, column in product(range(tile.rows), range(tile.columns))]
    assert (out.numpy() == np.array(expected)).all()


@px.kernel
def further(k: px.Builder, out: ptr[u32], *, element: Any, major: str, swizzle: str) -> None:
    tile = k.tile(element, (64, 64), stages=2, major=major, swizzle=swizzle)
    first = tile.offset_of(k.tid.x % 8, k.tid.x // 8 % 4)
    for number, (row, column) in enumerate(product((0, 8, 40), (0, 4, 48))):
        place = tile[1].beyond(first, row, column)
        out[number * 32 + k.tid.x] = place.address - tile[1].at(k.tid.x % 8 + row, k.tid.x // 8 % 4 + column).address


@pytest.mark.parametrize(
    "element, major, swizzle",
    [(bf16, "K", "128B"), (bf16, "K", "32B"), (bf16, "MN", "64B"), (f32, "MN", "128B_ATOM_32B"), (s8, "K", "none")],
)
def test_places_beyond_one_that_is_known(device_name: str, element: Any, major: str, swizzle: str) -> None:
    """Whatever the swizzle, the same as the place itself."""
    out = px.device(device_name).zeros(9 * 32, u32)
    further.using(element=element, major=major, swizzle=swizzle)[1, 32](out)
    assert not out.numpy().any()


def test_what_is_known_is_not_computed() -> None:
    """A tile of one block: a shift, an addition, and three instructions of the swizzle."""

    @px.kernel
    def kernel(k: px.Builder, out: ptr[u32]) -> None:
        out[k.tid.x] = SharedTile(64, 64, "bf16").offset(k.tid.x, 8)

    lines = [line.split()[0] for line in str(kernel.module(target="sm_90a")).splitlines() if line.startswith("\t")]
    assert lines[lines.index("mov.u32") + 1 : -3] == ["shl.b32", "add.u32", "and.b32", "shr.u32", "xor.b32"]


def test_what_is_known_is_checked() -> None:
    @px.kernel
    def kernel(k: px.Builder, out: ptr[u32]) -> None:
        out[k.tid.x] = SharedTile(64, 64, "bf16").offset(k.tid.x, 64)

    with pytest.raises(LayoutError, match="no column 64 in a tile of 64x64"):
        kernel.module(target="sm_90a")
