"""tcgen05.mma of every kind against sums in float64."""

from __future__ import annotations

import numpy as np
import pytest

from ptxgen.cpu import KernelFault, LaunchOptions
from ptxgen.isa.layouts import InstructionDescriptor, SharedTile
from tests.ptxgen.cpu.tcgen05_products import Product, check, image
from tests.ptxgen.cpu.tensor_memory import run

PRODUCTS = {
    "f16": Product("f16", 128, 32, "f16"),
    "f16 sums": Product("f16", 128, 16, "f16", d="f16"),
    "layout F": Product("f16", 64, 24, "f16"),
    "layout F, upper lanes": Product("f16", 64, 16, "f16", upper=True),
    "columns outside, rows along": Product("f16", 128, 64, "f16", major_a="MN", major_b="MN"),
    "no swizzle, MN": Product("f16", 128, 16, "f16", swizzle="none", major_a="MN", major_b="MN"),
    "tf32": Product("tf32", 128, 16, "tf32", swizzle="32B"),
    "tf32, MN": Product("tf32", 128, 32, "tf32", swizzle="128B_ATOM_32B", major_b="MN", major_a="MN"),
    "A in tensor memory": Product("f16", 128, 16, "f16", in_tensor_memory=True),
    "A in tensor memory, layout F": Product("f16", 64, 16, "f16", in_tensor_memory=True, upper=True),
    "scale of D": Product("f16", 128, 16, "f16", operands=", 0"),
    "s8": Product("i8", 128, 24, "s8", d="s32"),
    "u8, MN": Product("i8", 64, 16, "u8", "s8", d="s32", major_a="MN", swizzle="64B"),
    "e4m3": Product("f8f6f4", 128, 16, "e4m3", "e5m2"),
    "e2m3 and e2m1": Product("f8f6f4", 128, 16, "e2m3", "e2m1", d="f16"),
    "e3m2": Product("f8f6f4", 64, 16, "e3m2", swizzle="none"),
    "e2m1 in tensor memory": Product("f8f6f4", 128, 16, "e2m1", "e3m2", in_tensor_memory=True),
    "e2m3 in tensor memory": Product("f8f6f4", 64, 16, "e2m3", in_tensor_memory=True),
    ".ws, layout D": Product("f16", 128, 64, "bf16", ws=True),
    ".ws, layout E": Product("tf32", 64, 64, "tf32", ws=True, swizzle="32B"),
    ".ws, layout G": Product("f8f6f4", 32, 128, "e4m3", ws=True),
    "pair, layout A": Product("f16", 256, 32, "bf16", group=2),
    "pair, layout B": Product("f16", 128, 32, "f16", group=2),
    "pair, s8": Product("i8", 256, 32, "s8", d="s32", group=2),
    "pair, A in tensor memory": Product("f16", 256, 16, "f16", group=2, in_tensor_memory=True),
    "mxf8f6f4": Product("mxf8f6f4", 128, 32, "e4m3", "e2m3", vector=1, words=".block_scale"),
    "mxf4": Product("mxf4", 128, 32, "e2m1", vector=2, words=".block_scale.block32"),
    "mxf4nvf4": Product("mxf4nvf4", 128, 32, "e2m1", vector=4, words=".block_scale.scale_vec::4X"),
    "mxf4nvf4, ue8m0": Product(
        "mxf4nvf4", 128, 32, "e2m1", vector=2, words=".block_scale.scale_vec::2X", options=(("scale_type", "ue8m0"),)
    ),
    "pair, mxf8f6f4, layout B": Product("mxf8f6f4", 128, 64, "e5m2", group=2, vector=1, words=".block_scale"),
    "sparse f16": Product("f16", 128, 16, "f16", sparse=True),
    "sparse tf32": Product("tf32", 128, 16, "tf32", sparse=True, swizzle="64B"),
    "sparse e4m3": Product("f8f6f4", 128, 16, "e4m3", sparse=True),
    "sparse mxf8f6f4": Product("mxf8f6f4", 128, 32, "e4m3", sparse=True, vector=1, words=".block_scale"),
    "sparse mxf4": Product("mxf4", 128, 32, "e2m1", sparse=True, vector=2, words=".block_scale"),
    "sparse mxf4nvf4": Product("mxf4nvf4", 128, 32, "e2m1", sparse=True, vector=4, words=".block_scale.scale_vec::4X"),
    "sparse pair": Product("f16", 256, 32, "f16", sparse=True, group=2),
    "sparse .ws": Product("f16", 128, 64, "f16", sparse=True, ws=True),
}


@pytest.mark.parametrize("product", PRODUCTS.values(), ids=PRODUCTS)
def test_sums(product):
    check(product)


def ones(instructions: str, rows: int, n: int, *, memory: np.ndarray | None = None, **fields: int) -> np.ndarray:
    """D of A and B of ones with 16 elements along K, f16; in A row i begins with i, in B column j with 1 + j."""
    a, b = (SharedTile(count, 16, "f16", "K", "none") for count in (rows, n + 8))
    x, y = np.ones((rows, 16), np.float16), np.ones((n + 8, 16), np.float16)
    x[:, 0], y[:, 0] = np.arange(rows), 1 + np.arange(n + 8)
    images = [image(one.view(np.uint16), tile, 16) for one, tile in ((x, a), (y, b))]
    idesc = InstructionDescriptor("f16", rows, n, "f16", **fields).encode()
    head = f"""cvt.u64.u32 %d1, %space; shr.u64 %d1, %d1, 4; add.u64 %d2, %d1, {a.tcgen05(0).encode()};
	add.u64 %d3, %d1, {b.tcgen05(a.bytes).encode()}; mov.b32 %r5, {idesc};
	mov.b32 %r6, 0; mov.b32 %r7, 0xffff0000;"""
    memory = np.zeros((128, 64), np.uint32) if memory is None else memory
    return run(head + instructions, memory, b"".join(images)).view(np.float32)


PRODUCT = np.arange(128)[:, None] * (1.0 + np.arange(16)) + 15
MMA = "tcgen05.mma.cta_group::1.kind::f16 [%t], %d2, %d3, %r5"


def test_output_lanes_are_left_out():
    found = ones(MMA + ", {%r6, %r7, %r6, %r6}, %no;", 128, 16)
    expected = PRODUCT.copy()
    expected[48:64] = 0
    np.testing.assert_array_equal(found[:, :16], expected)


def test_d_is_scaled():
    before = np.full((128, 64), 24.0, np.float32).view(np.uint32)
    found = ones(MMA + ", %yes, 3;", 128, 16, memory=before)
    np.testing.assert_array_equal(found[:, :16], PRODUCT + 3)


def test_operands_are_negated():
    np.testing.assert_array_equal(ones(MMA + ", %no;", 128, 16, negate_a=True)[:, :16], -PRODUCT)
    np.testing.assert_array_equal(ones(MMA + ", %no;", 128, 16, negate_a=True, negate_b=True)[:, :16], PRODUCT)


def test_rows_of_a_are_shifted_behind_the_product():
    """Of A in tensor memory, packed f16; the last row of each 32 stays."""
    memory = np.zeros((128, 64), np.uint32)
    rows = np.arange(128)
    memory[:, 32:40] = (rows.astype(np.float16).view(np.uint16).astype(np.uint32) * 0x10001)[:, None]
    name = "tcgen05.mma.cta_group::1.kind::f16{} [%t{}], [%t+32], %d3, %r5, %no;\n"
    found = ones(name.format(".ashift", "") + name.format("", "+16"), 128, 16, memory=memory)
    np.testing.assert_array_equal(found[:, :16], rows[:, None] * (16.0 + np.arange(16)))
    after = np.where(rows % 32 == 31, rows, rows + 1)
    np.testing.assert_array_equal(found[:, 16:32], after[:, None] * (16.0 + np.arange(16)))


SPANS = 1 << 39 | 2 << 40 | 3 << 48
ZEROS = {
    128: (SPANS, 0, ["0000111"]),
    64: (SPANS | 1 << 32, 0, ["1110000", "0000111"]),
    32: (SPANS | 0b0011 << 32 | 1 << 8 | 2 << 16 | 1 << 24 | 2 << 56, 2, ["1110000", "1100001", "0011100", "0001110"]),
}
"""The manual's examples 2 to 4 of 9.7.16.4.3: M -> the mask, by how many columns B is moved, how each segment's columns begin."""


def test_rows_are_shifted_where_all_lanes_are_used():
    with pytest.raises(KernelFault, match=r"\.ashift takes M = 128"):
        ones("tcgen05.mma.cta_group::1.kind::f16.ashift [%t], [%t+32], %d3, %r5, %no;", 64, 16)


@pytest.mark.parametrize("m", ZEROS)
def test_columns_are_taken_as_zero_or_moved(m):
    mask, moved, begins = ZEROS[m]
    found = ones(f"tcgen05.mma.ws.cta_group::1.kind::f16 [%t], %d2, %d3, %r5, %no, {mask};", m, 64, max_shift=8)
    width = 64 // len(begins)
    zero = np.array([(begin * width)[:width][i] == "1" for begin in begins for i in range(width)])
    expected = np.arange(m)[:, None] * (1.0 + moved + np.arange(64)) + 15
    expected[:, zero] = 0
    segments = [found[m * i : m * (i + 1), :width] for i in range(len(begins))]
    np.testing.assert_array_equal(np.hstack(segments), expected)


def test_a_move_beyond_what_the_descriptor_says():
    with pytest.raises(KernelFault, match="moves B by more than 0 columns"):
        ones(f"tcgen05.mma.ws.cta_group::1.kind::f16 [%t], %d2, %d3, %r5, %no, {1 << 56};", 64, 64)


def test_infinities_and_nan():
    """Of an A whose first element is infinite and a B whose first is 0 or -1."""
    memory = np.zeros((128, 64), np.uint32)
    memory[:, 32] = 0x7C00  # infinity, and 0 beside it
    found = ones(
        "tcgen05.mma.cta_group::1.kind::f16 [%t], [%t+32], %d3, %r5, %no;", 128, 16, memory=memory, negate_b=True
    )
    assert np.isneginf(found[:, :16]).all()
    memory[:, 33] = 0x7E00
    found = ones("tcgen05.mma.cta_group::1.kind::f16 [%t], [%t+32], %d3, %r5, %no;", 128, 16, memory=memory)
    assert (found[:, :16].view(np.uint32) == 0x7FFFFFFF).all()


@pytest.mark.parametrize("copies", ["late", "early"])
def test_done_late_or_early(copies):
    check(PRODUCTS["f16"], options=LaunchOptions(tier="base", copies=copies))
