"""Tensor memory: what loads, stores, copies and shifts move, who owns its columns, and what is a mistake.

Products are in test_tcgen05_mma.py.
"""

from __future__ import annotations

import numpy as np
import pytest

from ptxgen.cpu import KernelFault, LaunchOptions
from ptxgen.isa.layouts import InstructionDescriptor, SharedTile, layout
from tests.ptxgen.cpu.machine import run as run_warp
from tests.ptxgen.cpu.tcgen05_products import image
from tests.ptxgen.cpu.tensor_memory import run

WORDS = np.arange(128 * 32, dtype=np.uint32).reshape(128, 32)
ALLOC = """.shared .b32 where;
	tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [where], 64; ld.shared.u32 %r1, [where];
"""
FREE = "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r1, 64;"
EMPTY = "%r2, %r3, %r4, %r5"


def vector(names: str, count: int) -> str:
    return "{" + ", ".join(f"%{names}{i}" for i in range(count)) + "}"


SHAPES = [
    "32x32b.x8",
    "16x64b.x4",
    "16x128b.x4",
    "16x256b.x2",
    "16x32bx2.x4",
    "32x32b.x4+16b",
    "16x256b.x1+16b",
    "16x32bx2.x2+16b",
]


@pytest.mark.parametrize("shape", SHAPES)
def test_loads_and_stores_have_their_layouts(shape):
    words, _, packed = shape.partition("+")
    load_name = f"tcgen05.ld.sync.aligned.{words}{'.pack::16b' if packed else ''}.b32"
    store_name = f"tcgen05.st.sync.aligned.{words}{'.unpack::16b' if packed else ''}.b32"
    of = layout(store_name).r
    half = ", 16" if "x2." in words else ""
    body = ALLOC + f".reg .b32 %a<{of.registers}>, %b<{of.registers}>, %c<32>;\n"
    body += "".join(f"mad.lo.u32 %a{i}, %t, 0x10001, {i << 24 | i << 8};" for i in range(of.registers))
    body += f"mov.b32 %c0, -1; {'; '.join(f'mov.b32 %c{i}, -1' for i in range(1, 32))};\n"
    body += f"tcgen05.st.sync.aligned.32x32b.x32.b32 [%r1], {vector('c', 32)};\n"
    body += f"{store_name} [%r1]{half}, {vector('a', of.registers)}; tcgen05.wait::st.sync.aligned;\n"
    body += f"tcgen05.ld.sync.aligned.32x32b.x32.b32 {vector('c', 32)}, [%r1];\n"
    body += f"{load_name} {vector('b', of.registers)}, [%r1]{half}; tcgen05.wait::ld.sync.aligned;\n"
    body += f"mad.wide.u32 %o, %t, {4 * (32 + of.registers)}, %out;\n"
    body += "".join(f"st.global.u32 [%o+{4 * i}], %c{i};" for i in range(32))
    body += "".join(f"st.global.u32 [%o+{128 + 4 * i}], %b{i};" for i in range(of.registers)) + FREE
    found = np.array(run_warp(body, words=32 * (32 + of.registers)).u32, np.uint32).reshape(32, -1)
    given = np.arange(32)[:, None] * 0x10001 + np.arange(of.registers) * 0x1000100
    np.testing.assert_array_equal(found[:, 32:], given)
    expected = np.full((32, 32), 0xFFFFFFFF, np.uint32)
    columns = of.shape[1]
    for place, element in of:
        column = element.column + (16 - columns // 2) * (half != "" and element.column >= columns // 2)
        mask = 0xFFFF if packed else 0xFFFFFFFF
        expected[element.row, column] = int(given[place[0], place[1]]) >> 16 * place[2] & mask
    np.testing.assert_array_equal(found[:, :32], expected)


@pytest.mark.parametrize("operation,expected", [
    ("min.u32", 1), ("max.u32", 0xC0800000), ("min.s32", 0xC0800000), ("max.s32", 0x7FC00000), ("min.f32", 0xC0800000),
    ("max.f32", 0x40000000), ("max.abs.f32", 0x40800000), ("min.NaN.f32", 0x7FFFFFFF),
])  # fmt: skip
def test_loads_that_reduce(operation, expected):
    """Of 2.0, -4.0, NaN and 1e-45."""
    body = (
        ALLOC
        + f"""
	mov.b32 %r2, 0x40000000; mov.b32 %r3, 0xC0800000; mov.b32 %r4, 0x7FC00000; mov.b32 %r5, 1;
	tcgen05.st.sync.aligned.32x32b.x4.b32 [%r1], {{{EMPTY}}};
	tcgen05.ld.red.sync.aligned.32x32b.x4.{operation} {{{EMPTY}}}, %r6, [%r1];
	tcgen05.wait::ld.sync.aligned;
	st.global.b32 [%o], %r6;
	{FREE}"""
    )
    assert run_warp(body).u32 == [expected] * 32


COPIES = {
    "128x256b": [(32 * i, 32 * i) for i in range(4)],
    "128x128b": [(32 * i, 32 * i) for i in range(4)],
    "64x128b.warpx2::02_13": [(0, 0), (64, 0), (32, 32), (96, 32)],
    "64x128b.warpx2::01_23": [(0, 0), (32, 0), (64, 32), (96, 32)],
    "32x128b.warpx4": [(0, 0), (32, 0), (64, 0), (96, 0)],
}


@pytest.mark.parametrize("form", COPIES)
def test_copies_from_shared_memory(form):
    rows, bits = (int(n) for n in form.split(".")[0].removesuffix("b").split("x"))
    tile = SharedTile(max(rows, 8), bits // 32, "f32", "K", "none")
    source = np.arange(rows * bits // 32).reshape(rows, -1) + 7
    after = run(
        f"cvt.u64.u32 %d1, %space; shr.u64 %d1, %d1, 4; add.u64 %d1, %d1, {tile.tcgen05(0).encode()};\n"
        f"tcgen05.cp.cta_group::1.{form} [%t+3], %d1;",
        WORDS, image(source, tile, 32),
    )  # fmt: skip
    expected = WORDS.copy()
    for lanes, first in COPIES[form]:
        expected[lanes : lanes + 32, 3 : 3 + bits // 32] = source[first : first + 32]
    np.testing.assert_array_equal(after, expected)


def test_copies_of_single_rows():
    """One to each quarter of the lanes."""
    tile = SharedTile(8, 8, "f32", "K", "none")
    source = np.arange(64).reshape(8, 8)
    descriptor = f"cvt.u64.u32 %d1, %space; shr.u64 %d1, %d1, 4; add.u64 %d1, %d1, {tile.tcgen05(0).encode()};\n"
    after = run(descriptor + f"tcgen05.cp.cta_group::1.4x256b [%t+{31 << 16}], %d1;", WORDS, image(source, tile, 32))
    expected = WORDS.copy()
    expected[31::32, :8] = source[:4]
    np.testing.assert_array_equal(after, expected)


@pytest.mark.parametrize("format,size,shift", [("b6x16_p32", 6, 1), ("b4x16_p64", 4, 2)])
def test_copies_that_give_each_element_a_byte(format, size, shift):
    tile = SharedTile(128, 16, "s8", "K", "none")
    source = np.random.default_rng(1).integers(0, 1 << size, (128, 16))
    descriptor = f"cvt.u64.u32 %d1, %space; shr.u64 %d1, %d1, 4; add.u64 %d1, %d1, {tile.tcgen05(0).encode()};\n"
    after = run(
        descriptor + f"tcgen05.cp.cta_group::1.128x128b.b8x16.{format} [%t], %d1;", WORDS, image(source, tile, size)
    )
    np.testing.assert_array_equal(after[:, :4].copy().view(np.uint8), source << shift)


def test_rows_are_shifted():
    after = run("tcgen05.shift.cta_group::1.down [%t+8];", WORDS)
    expected = WORDS.copy()
    kept = np.arange(128) % 32 != 31
    expected[kept, 8:16] = np.roll(WORDS, -1, 0)[kept, 8:16]
    np.testing.assert_array_equal(after, expected)


# -- who owns which columns --------------------------------------------------------------------------------------------


def test_allocations_wait_for_columns():
    """Four warps of 256 columns each; half of them wait for a dealloc."""
    body = """
	.shared .b32 where[4];
	shr.u32 %r2, %t, 5; shl.b32 %r2, %r2, 2; mov.u32 %r3, where; add.u32 %r3, %r3, %r2;
	tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r3], 256;
	ld.shared.u32 %r1, [%r3];
	st.global.u32 [%o], %r1;
	tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r1, 256;
	tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;
"""
    relinquished_early = pytest.raises(KernelFault, match=r"allocates after tcgen05\.relinquish_alloc_permit")
    with relinquished_early:
        run_warp(body, words=128, block=(128, 1, 1))
    found = run_warp(body.replace("tcgen05.relinquish", "// "), words=128, block=(128, 1, 1)).u32
    assert set(found) <= {0, 256}


MISTAKES = {
    "size": (ALLOC.replace("64;", "48;"), "48 columns: tensor memory is allocated in powers of two from 32 to 512"),
    "leak": (ALLOC, "columns 0 to 31, 32 to 63 of its tensor memory are still allocated"),
    "twice": (ALLOC + FREE + FREE, "no allocation of 64 columns begins at 0x00000000"),
    "other size": (ALLOC + FREE.replace("64", "32"), "no allocation of 32 columns begins at 0x00000000"),
    "not allocated": (
        ALLOC + "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r2}, [%r1+64]; tcgen05.wait::ld.sync.aligned;" + FREE,
        "from column 64 on tensor memory is not allocated",
    ),
    "after dealloc": (
        ALLOC + FREE + "tcgen05.st.sync.aligned.32x32b.x1.b32 [%r1], {%r2}; tcgen05.wait::st.sync.aligned;",
        "from column 0 on tensor memory is not allocated",
    ),
    "lanes of others": (
        ALLOC
        + f"tcgen05.ld.sync.aligned.32x32b.x1.b32 {{%r2}}, [%r1+{32 << 16}]; tcgen05.wait::ld.sync.aligned;"
        + FREE,
        "lane 32, column 0: a warp loads and stores the 32 lanes",
    ),
    "beyond": (
        ALLOC + "tcgen05.st.sync.aligned.32x32b.x4.b32 [%r1+0xfffe], {%r2, %r3, %r4, %r5};" + FREE,
        "from column 65534 on tensor memory is not allocated",
    ),
}


@pytest.mark.parametrize("body,text", MISTAKES.values(), ids=MISTAKES)
def test_mistakes_of_a_warp(body, text):
    with pytest.raises(KernelFault, match=text.replace("(", r"\(").replace(".", r"\.")):
        run_warp(body)


GOOD = InstructionDescriptor("f16", 128, 16, "f16").encode()
TILE = SharedTile(128, 16, "f16", "K", "none").tcgen05(0).encode()
WRONG = {
    "M": (GOOD + (1 << 24), TILE, "%t", "M = 144"),
    "N": (GOOD | 33 << 17, TILE, "%t", "N = 280"),
    "type": (GOOD | 5 << 7, TILE, "%t", "atype is 5"),
    "sparse": (GOOD | 4, TILE, "%t", "sparse=True, which tcgen05.mma.sp takes"),
    "reserved": (GOOD | 1 << 29, TILE, "%t", "reserved bits 0x20000000 are set"),
    "version": (GOOD, TILE ^ 1 << 46, "%t", "is not a matrix descriptor that the CPU device runs"),
    "swizzle": (GOOD, TILE | 3 << 61, "%t", "bits 61 to 63 are 0, 1, 2, 4 or 6"),
    "outside": (GOOD, TILE + 0x2000, "%t", "leads to 0x2.* of shared memory, which has"),
    "columns": (GOOD, TILE, "%t+0xfff8", "from column 65528 on tensor memory is not allocated"),
    "lane": (GOOD, TILE, "%t+0x80000", "lane 8, column 0: .* begins at lane 0"),
}


def test_a_and_d_begin_at_one_lane():
    idesc = InstructionDescriptor("f16", 64, 16, "f16").encode()
    instructions = f"""cvt.u64.u32 %d1, %space; shr.u64 %d1, %d1, 4; add.u64 %d1, %d1, {TILE}; mov.b32 %r5, {idesc};
	tcgen05.mma.cta_group::1.kind::f16 [%t+{16 << 16}], [%t+16], %d1, %r5, %no;"""
    with pytest.raises(KernelFault, match=r"lane 0, column 16: .* at 0 or 16 as D does"):
        run(instructions, WORDS, bytes(4096))


@pytest.mark.parametrize("copies", ["late", "early"])
@pytest.mark.parametrize("idesc,descriptor,place,text", WRONG.values(), ids=WRONG)
def test_mistakes_of_a_product(idesc, descriptor, place, text, copies):
    instructions = f"""cvt.u64.u32 %d1, %space; shr.u64 %d1, %d1, 4; add.u64 %d1, %d1, {descriptor}; mov.b32 %r5, {idesc};
	tcgen05.mma.cta_group::1.kind::f16 [{place}], %d1, %d1, %r5, %no;"""
    with pytest.raises(KernelFault, match=text) as caught:
        run(instructions, WORDS, bytes(4096), options=LaunchOptions(tier="base", copies=copies))
    assert "tcgen05.mma" in str(caught.value)


def test_a_product_that_nobody_waits_for_is_done_at_the_exit():
    """By then its columns are free: what forgets to wait is told so."""
    body = (
        ALLOC
        + f"""
	.shared .align 1024 .b8 space[4096];
	setp.ne.u32 %p1, %t, 0; mov.u32 %r2, space; cvt.u64.u32 %d1, %r2; shr.u64 %d1, %d1, 4; add.u64 %d1, %d1, {TILE};
	mov.b32 %r3, {GOOD};
	@!%p1 tcgen05.mma.cta_group::1.kind::f16 [%r1], %d1, %d1, %r3, %p1;
	{FREE}"""
    )
    with pytest.raises(KernelFault, match="from column 0 on tensor memory is not allocated"):
        run_warp(body)
    run_warp(body, options=LaunchOptions(tier="base", copies="early"))


@pytest.mark.parametrize("address", ["cvt.u64.u32 %d1, %r2;", "cvta.shared.u64 %d1, bar;"])
def test_a_commit_without_a_space(address):
    """Generic, or a shared address in 64 bits, as Triton writes it."""
    body = ALLOC + f"""
	.shared .align 8 .b64 bar;
	setp.eq.u32 %p1, %t, 0; mov.u32 %r2, bar; {address}
	@%p1 mbarrier.init.shared.b64 [bar], 1;
	bar.warp.sync -1;
	@%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [%d1];
WAIT:	mbarrier.try_wait.parity.shared.b64 %p3, [bar], 0; @!%p3 bra WAIT;
	st.global.u32 [%o], 7;
	{FREE}"""  # fmt: skip
    assert run_warp(body).u32 == [7] * 32


@pytest.mark.parametrize("copies,expected", [("late", 5), ("early", 0)])
def test_who_does_not_wait_for_a_product_reads_what_was_there(copies, expected):
    """A product of zeros takes the place of fives; the thread that asked for it loads at once."""
    fives = "{" + ", ".join(["%r4"] * 16) + "}"
    body = (
        ALLOC
        + f"""
	.shared .align 1024 .b8 space[4096]; .shared .align 8 .b64 bar; .reg .b32 %v<16>;
	setp.eq.u32 %p1, %t, 0; mov.u32 %r2, space; mov.b32 %r3, {GOOD}; mov.b32 %r4, 5; mov.b32 %r5, 0; setp.ne.u32 %p2, %t, %t;
	cvt.u64.u32 %d1, %r2; shr.u64 %d1, %d1, 4; add.u64 %d1, %d1, {TILE}; mad.lo.u32 %r6, %t, 128, %r2;
	{" ".join(f"st.shared.u32 [%r6+{4 * i}], %r5;" for i in range(32))}
	@%p1 mbarrier.init.shared.b64 [bar], 1;
	fence.proxy.async.shared::cta; bar.warp.sync -1;
	tcgen05.st.sync.aligned.32x32b.x16.b32 [%r1], {fives}; tcgen05.wait::st.sync.aligned;
	@%p1 tcgen05.mma.cta_group::1.kind::f16 [%r1], %d1, %d1, %r3, %p2;
	@%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar];
	tcgen05.ld.sync.aligned.32x32b.x16.b32 {vector("v", 16)}, [%r1]; tcgen05.wait::ld.sync.aligned;
	st.global.u32 [%o], %v3;
WAIT:	mbarrier.try_wait.parity.shared.b64 %p3, [bar], 0; @!%p3 bra WAIT;
	tcgen05.ld.sync.aligned.32x32b.x16.b32 {vector("v", 16)}, [%r1]; tcgen05.wait::ld.sync.aligned;
	st.global.u32 [%o+128], %v3;
	{FREE}"""
    )
    found = run_warp(body, words=64, options=LaunchOptions(tier="base", copies=copies)).u32
    assert found == [expected] * 32 + [0] * 32


def test_a_pair_needs_a_cluster_of_pairs():
    body = (
        ALLOC
        + f"""
	setp.eq.u32 %p1, %t, 0;
	@%p1 tcgen05.shift.cta_group::1.down [%r1];
	{FREE}"""
    ).replace("cta_group::1", "cta_group::2")
    with pytest.raises(KernelFault, match=r"no cluster: \.cta_group::2 takes a cluster with an even number of CTAs"):
        run_warp(body)
