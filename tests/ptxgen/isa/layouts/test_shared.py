"""Swizzles, tiles in shared memory, and the descriptors of them."""

from __future__ import annotations

import re
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ptxgen.isa.layouts import SWIZZLES, LayoutError, SharedTile, Tcgen05Descriptor, WgmmaDescriptor, bank_conflicts
from ptxgen.isa.layouts.swizzle import find_swizzle

# The manual's tables (5.5.7): which 16-byte chunk stands at each place of a 128-byte line, line after line.
PATTERNS = {
    "none": ["01234567", "01234567"],
    "32B": ["01234567", "10325476"],
    "64B": ["01234567", "10325476", "23016745", "32107654"],
    "128B": ["01234567", "10325476", "23016745", "32107654", "45670123", "54761032", "67452301", "76543210"],
    "128B_ATOM_32B": ["01234567", "23016745", "45670123", "67452301"],
    "128B_ATOM_64B": ["01234567", "45670123"],
}


@pytest.mark.parametrize("name", PATTERNS)
def test_swizzles_by_the_manual_s_tables(name: str) -> None:
    swizzle = SWIZZLES[name]
    for line, row in enumerate(PATTERNS[name] * 2):
        for place, chunk in enumerate(row):
            assert swizzle.apply(line * 128 + int(chunk) * 16) == line * 128 + place * 16


def test_the_flip_exchanges_halves_of_16_bytes_in_odd_lines() -> None:
    flip, plain = SWIZZLES["128B_ATOM_32B_FLIP_8B"], SWIZZLES["128B_ATOM_32B"]
    assert [flip.apply(a) == plain.apply(a) for a in (0, 8, 256)] == [True] * 3
    assert flip.apply(128) == plain.apply(128) + 8


@given(st.sampled_from(list(SWIZZLES)), st.integers(0, 1 << 17))
def test_a_swizzle_is_its_own_inverse_and_repeats(name: str, address: int) -> None:
    swizzle = SWIZZLES[name]
    assert swizzle.apply(swizzle.apply(address)) == address
    assert swizzle.apply(address + swizzle.pattern) == swizzle.apply(address) + swizzle.pattern


def test_base_offsets() -> None:
    """9.7.15.5.1.2.2: 0 where the pattern starts at a multiple of its length, else (start >> 7) & 7."""
    assert [find_swizzle(n).pattern for n in (32, 64, 128)] == [256, 512, 1024]
    assert SWIZZLES["128B"].base_offset(4096) == 0
    assert SWIZZLES["128B"].base_offset(4096 + 384) == 3


def test_a_column_of_a_tile_without_and_with_a_swizzle() -> None:
    """Eight lanes read 16 bytes each below one another, as ldmatrix does: 128-byte rows put all of them into four banks."""
    tile = SharedTile(64, 64, "bf16", swizzle="128B")
    assert bank_conflicts([tile.plain_offset(row, 0) for row in range(8)], 16) == 7
    assert bank_conflicts([tile.offset(row, 0) for row in range(8)], 16) == 0


@pytest.mark.parametrize(
    "addresses, size, expected",
    [
        ([4 * lane for lane in range(32)], 4, 0),
        ([0] * 32, 4, 0),  # one word for all is a broadcast
        ([128 * lane for lane in range(32)], 4, 31),
        ([8 * lane for lane in range(32)], 4, 1),
        ([16 * lane for lane in range(32)], 16, 0),  # quarter warps
        ([2 * lane for lane in range(32)], 2, 0),
    ],
)
def test_bank_conflicts(addresses: list[int], size: int, expected: int) -> None:
    assert bank_conflicts(addresses, size) == expected


TILES = [
    SharedTile(64, 64, type_, major, swizzle)
    for type_, major, swizzle in product(("bf16", "e4m3", "tf32"), ("K", "MN"), ("none", "32B", "64B", "128B"))
    if not (type_ == "e4m3" and swizzle == "128B")
] + [SharedTile(128, 128, "s8"), SharedTile(64, 32, "tf32", "MN", "128B_ATOM_32B"), SharedTile(8, 1024, "b1")]


@pytest.mark.parametrize("tile", TILES, ids=lambda t: f"{t.type}-{t.major}-{t.swizzle}")
def test_a_tile_covers_its_bytes_once_and_leads_back(tile: SharedTile) -> None:
    seen: set[int] = set()
    step = 8 if tile.type == "b1" else 1
    for row, column in product(range(tile.rows), range(0, tile.columns, step)):
        offset = tile.offset(row, column)
        assert tile.element(offset) == (row, column)
        seen.add(offset)
    assert len(seen) == tile.rows * tile.columns // step
    assert max(seen) < tile.bytes


@pytest.mark.parametrize(
    "tile, leading, stride, column",
    [
        # CuTe's canonical layouts, in bytes (9.7.15.5.1.2.1.1): ((8,m),(T,2k)) K-major, ((T,w,m),(8,k)) MN-major
        (SharedTile(64, 64, "bf16", "K", "128B"), 16, 1024, 16),
        (SharedTile(64, 64, "bf16", "K", "32B"), 16, 256, 16),
        (SharedTile(64, 64, "bf16", "K", "none"), 1024, 128, 16),
        (SharedTile(64, 64, "bf16", "MN", "128B"), 8192, 1024, 16),
        (SharedTile(128, 64, "bf16", "MN", "64B"), 4096, 512, 16),
        (SharedTile(64, 64, "bf16", "MN", "none"), 128, 1024, 16),
    ],
    ids=lambda x: f"{x.major}-{x.swizzle}" if isinstance(x, SharedTile) else None,
)
def test_descriptors_address_every_element_of_every_step(
    tile: SharedTile, leading: int, stride: int, column: int
) -> None:
    """What hardware does with start, leading and stride reaches the bytes where the tile has the elements."""
    assert (tile.leading, tile.stride) == (leading, stride)
    base = 2048 * 3
    for step in range(0, tile.columns, column):
        found = tile.wgmma(base, 0, step)
        assert WgmmaDescriptor.decode(found.encode()) == found
        for row, k in product(range(0, tile.rows, 3), range(column)):
            assert read_by_hardware(found, tile, row, k) == base + tile.offset(row, step + k)


def read_by_hardware(descriptor: WgmmaDescriptor, tile: SharedTile, row: int, k: int) -> int:
    """The canonical layout's address of an element of one step, from the descriptor alone."""
    t, swizzle = 128 // tile.bits, find_swizzle(descriptor.swizzle)
    wide = swizzle.span // 16
    if tile.major == "K":
        offset = row % 8 * 16 * wide + row // 8 * descriptor.stride + k % t * tile.bits // 8
        offset += k // t * (descriptor.leading if wide == 1 else 16)
    else:
        within, outer = row % (t * wide), row // (t * wide)
        along, across = (
            (descriptor.stride, descriptor.leading) if wide == 1 else (descriptor.leading, descriptor.stride)
        )
        offset = within * tile.bits // 8 + outer * along + k % 8 * 16 * wide + k // 8 * across
    return swizzle.apply(descriptor.address + offset)


def test_tiles_that_have_no_such_layout() -> None:
    for arguments, message in (
        ((64, 60, "bf16"), "columns in multiples of 64 .128 bytes., rows of 8"),
        ((60, 64, "bf16"), "columns in multiples of 64"),
        ((64, 64, "bf16", "row"), "cannot be 'row'-major"),
        ((64, 64, "bf16", "K", "128B_ATOM_64B"), "do not read swizzle"),
        ((64, 64, "bf16", "MN", "128B_ATOM_32B"), "MN-major 32-bit types only"),
        ((64, 64, "e2m1", "MN"), 'major="K"'),
        ((64, 64, "bf16", "K", "96B"), "no swizzle '96B'"),
    ):
        with pytest.raises(LayoutError) as error:
            SharedTile(*arguments)  # type: ignore[arg-type]
        assert re.search(message, str(error.value)), (arguments, str(error.value))


def test_descriptors_that_cannot_be() -> None:
    tile = SharedTile(64, 64, "bf16")
    with pytest.raises(LayoutError, match="align it to 1024 bytes"):
        tile.wgmma(512)
    with pytest.raises(LayoutError, match="no descriptor starts at row 4"):
        tile.wgmma(0, 4)
    with pytest.raises(LayoutError, match="wgmma reads tf32 K-major only"):
        SharedTile(64, 64, "tf32", "MN").wgmma(0)
    with pytest.raises(LayoutError, match="32-byte atoms only"):
        SharedTile(64, 64, "tf32", "MN").tcgen05(0)


# ---- the 64 bits ------------------------------------------------------------------------------------------------------------


def test_known_descriptors() -> None:
    assert WgmmaDescriptor(0x400, 16, 1024, "128B").encode() == 1 << 62 | 64 << 32 | 1 << 16 | 0x40
    assert Tcgen05Descriptor(0x400, 16, 1024, "128B").encode() == 2 << 61 | 1 << 46 | 64 << 32 | 1 << 16 | 0x40
    assert Tcgen05Descriptor(0, 256, 512, "128B_ATOM_32B").encode() >> 61 == 1


@given(
    st.integers(0, (1 << 14) - 1),
    st.integers(0, (1 << 14) - 1),
    st.integers(0, (1 << 14) - 1),
    st.integers(0, 7),
    st.data(),
)
def test_descriptors_come_back(address: int, leading: int, stride: int, base: int, data: st.DataObject) -> None:
    for kind, names in (
        (WgmmaDescriptor, ("none", "128B", "64B", "32B")),
        (Tcgen05Descriptor, ("none", "128B", "128B_ATOM_32B")),
    ):
        swizzle = data.draw(st.sampled_from(names))
        made = kind(address * 16, leading * 16, stride * 16, swizzle, base if swizzle != "none" else 0)
        assert kind.decode(made.encode()) == made


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: WgmmaDescriptor(8).encode(), "the start address is 8 bytes"),
        (lambda: WgmmaDescriptor(1 << 18).encode(), "a multiple of 16 from 0 to 262128"),
        (lambda: WgmmaDescriptor(0, 16, 24).encode(), "the stride dimension byte offset is 24"),
        (lambda: WgmmaDescriptor(0, swizzle="128B_ATOM_32B").encode(), "wgmma has no swizzle"),
        (lambda: WgmmaDescriptor(0, base_offset=1).encode(), "a base offset without a swizzle"),
        (lambda: WgmmaDescriptor(0, swizzle="128B", base_offset=8).encode(), "a base offset of 8"),
        (lambda: WgmmaDescriptor.decode(1 << 15), "is not a wgmma descriptor: bits 0x8000 must be 0"),
        (lambda: Tcgen05Descriptor.decode(0), "bits 46 to 48 are 0b000, not 0b001"),
        (lambda: Tcgen05Descriptor.decode(3 << 61 | 1 << 46), "swizzle field 3"),
        (lambda: Tcgen05Descriptor(0, absolute=True).encode(), 'needs swizzle="128B"'),
    ],
)
def test_what_a_descriptor_cannot_hold(make: object, message: str) -> None:
    assert callable(make)
    with pytest.raises(LayoutError) as error:
        make()
    assert message in str(error.value)
