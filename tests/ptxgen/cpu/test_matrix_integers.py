"""Integer mma, whose sums are exact, and what is common to all mma: operands and lanes."""

from __future__ import annotations

from time import perf_counter

import numpy as np
import pytest

import ptxgen as px
from ptxgen.cpu import KernelFault, LaunchOptions
from ptxgen.errors import UnsupportedError
from ptxgen.isa.layouts import layout
from tests.ptxgen.cpu.machine import BASE, FAST, load, run
from tests.ptxgen.cpu.matrix_kernels import Array, mma

TIERS = pytest.mark.parametrize("options", [BASE, FAST], ids=["base", "fast"])
LOWEST, HIGHEST = -(1 << 31), (1 << 31) - 1


def full(random: np.random.Generator, type: str, shape: tuple[int, ...]) -> Array:
    """Numbers of the whole range, the largest ones often."""
    bits = int(type[1:])
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if type[0] == "s" else (0, (1 << bits) - 1)
    found = random.integers(low, high + 1, shape)
    return np.where(random.random(shape) < 0.3, random.choice([low, high], shape), found)


def wrapped(sums: Array) -> Array:
    return (sums - LOWEST & 0xFFFFFFFF) + LOWEST


def signed(bits: Array) -> Array:
    return bits.astype(np.uint32).view(np.int32).astype(np.int64)


FORMS = [
    ("m8n8k16", "s8", "s8"), ("m16n8k16", "u8", "s8"), ("m16n8k32", "s8", "u8"), ("m16n8k32", "u8", "u8"),
    ("m8n8k32", "u4", "s4"), ("m16n8k32", "s4", "s4"), ("m16n8k64", "s4", "u4"), ("m16n8k64", "u4", "u4"),
]  # fmt: skip


@pytest.mark.parametrize("saturates", [False, True], ids=["wrap", "satfinite"])
@pytest.mark.parametrize("shape,left,right", FORMS)
def test_sums_are_exact(device_name: str, shape: str, left: str, right: str, saturates: bool) -> None:
    """The sum of the products is exact; adding C wraps, or is clamped once."""
    name = f"mma.sync.aligned.{shape}.row.col{'.satfinite' * saturates}.s32.{left}.{right}.s32"
    of = layout(name)
    random = np.random.default_rng(3)
    a, b = full(random, left, (8, *of.a.shape)), full(random, right, (8, *of.b.shape))
    c = random.choice([LOWEST, LOWEST + 5000, -1, 0, HIGHEST - 5000, HIGHEST], (8, *of.c.shape))
    found = signed(mma(px.device(device_name), name, of, a, b, c))
    np.testing.assert_array_equal(found, np.clip(a @ b + c, LOWEST, HIGHEST) if saturates else wrapped(a @ b + c))


@pytest.mark.parametrize("shape", ["m8n8k128", "m16n8k128", "m16n8k256"])
@pytest.mark.parametrize("do", ["and", "xor"])
def test_bits(device_name: str, shape: str, do: str) -> None:
    name = f"mma.sync.aligned.{shape}.row.col.s32.b1.b1.s32.{do}.popc"
    of = layout(name)
    random = np.random.default_rng(4)
    a, b = random.integers(0, 2, (4, *of.a.shape)), random.integers(0, 2, (4, *of.b.shape))
    c = random.choice([LOWEST, -5, HIGHEST], (4, *of.c.shape))
    left, right = a[..., :, None, :], np.swapaxes(b, -1, -2)[..., None, :, :]
    joined = left & right if do == "and" else left ^ right
    found = signed(mma(px.device(device_name), name, of, a, b, c))
    np.testing.assert_array_equal(found, wrapped(joined.sum(-1) + c))


SPARSE = [("m16n8k32", "s8", "u8"), ("m16n8k64", "u8", "s8"), ("m16n8k64", "s4", "s4"), ("m16n8k128", "u4", "s4")]


@pytest.mark.parametrize("shape,left,right", SPARSE)
def test_sparse_sums(device_name: str, shape: str, left: str, right: str) -> None:
    name = f"mma.sp.sync.aligned.{shape}.row.col.satfinite.s32.{left}.{right}.s32"
    of = layout(name)
    random = np.random.default_rng(6)
    a, b = full(random, left, (4, *of.a.shape)), full(random, right, (4, *of.b.shape))
    c = random.choice([LOWEST, 0, HIGHEST], (4, *of.c.shape))
    pairs = np.array([(i, j) for j in range(4) for i in range(j)])
    fields = of.metadata.shape[1]
    metadata = pairs[random.integers(0, 6, (4, 16, fields // 2))].reshape(4, 16, fields)
    together = 2 if "4" in left else 1  # 4-bit elements are kept in pairs
    first = (metadata + np.arange(fields) // 2 * 4) * together
    where = (first[..., None] + np.arange(together)).reshape(a.shape)
    dense = np.zeros((4, 16, of.b.shape[0]), np.int64)
    np.put_along_axis(dense, where, a, -1)
    found = signed(mma(px.device(device_name), name, of, a, b, c, metadata, selector=0))
    np.testing.assert_array_equal(found, np.clip(dense @ b + c, LOWEST, HIGHEST))


# ---- the executor alone ----------------------------------------------------------------------------------------------------

MMA = "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32"
ONES = "mov.b32 %r1, 0x01010101;"
STORE = "mad.wide.u32 %d1, %t, 8, %out; st.global.v2.b32 [%d1], {%r3, %r4};"


@TIERS
def test_operands_that_are_constants_or_the_same_in_every_lane(options):
    result = run(
        f"\t{ONES} mov.u32 %r5, 7;\n\t{MMA} {{%r3, %r4}}, {{%r1}}, {{%r1}}, {{%r5, -20}};\n\t{STORE}",
        words=64,
        options=options,
    )
    assert result.s32 == [16 + 7, 16 - 20] * 32


@TIERS
def test_the_result_may_replace_an_operand(options):
    """D in the registers of A and C: all is read before anything is written."""
    result = run(
        f"\t{ONES} mov.u32 %r3, %t; mov.u32 %r4, %t;\n\t{MMA} {{%r3, %r4}}, {{%r1}}, {{%r1}}, {{%r4, %r3}};\n\t{STORE}",
        words=64,
        options=options,
    )
    assert result.s32 == [16 + t for t in range(32) for _ in range(2)]


@TIERS
def test_a_result_that_nobody_wants(options):
    result = run(
        f"\t{ONES} mov.u32 %r4, 9;\n\t{MMA} {{%r3, _}}, {{%r1}}, {{%r1}}, {{%r4, %r4}};\n\t{STORE}",
        words=64,
        options=options,
    )
    assert result.s32 == [25, 9] * 32


@TIERS
def test_in_a_loop_of_several_warps(options):
    """Registers live from one round to the next in the warp's record, and each warp has its own."""
    result = run(
        f"""
	shr.u32 %r1, %t, 5; mul.lo.u32 %r1, %r1, 0x01010101; mov.u32 %r2, 0x01010101;
	mov.u32 %r3, 0; mov.u32 %r4, 0; mov.u32 %r5, 0;
AGAIN:	{MMA} {{%r3, %r4}}, {{%r1}}, {{%r2}}, {{%r3, %r4}};
	add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 5; @%p1 bra AGAIN;
	{STORE}""",
        words=256,
        block=(128, 1, 1),
        options=options,
    )
    assert result.s32 == [5 * 16 * (t // 64) for t in range(256)]


def test_a_time_limit_is_seen_in_time():
    """Though these instructions take a hundred times as long as others, of which so many are done between two looks."""
    began = perf_counter()
    with pytest.raises(KernelFault, match="timeout"):
        run(
            f"""
	{ONES} mov.u32 %r5, 0;
AGAIN:	mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32
		{{%f0, %f1, %f2, %f3}}, {{%r1, %r1, %r1, %r1}}, {{%r1, %r1}}, {{%f0, %f1, %f2, %f3}};
	add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 10000000; @%p1 bra AGAIN;""",
            options=LaunchOptions(tier="fast", time_limit=0.7),
        )
    assert perf_counter() - began < 3


def test_a_warp_that_diverges_at_an_mma():
    with pytest.raises(KernelFault) as caught:
        run(
            f"\t{ONES} setp.lt.u32 %p1, %t, 20;\n\t@%p1 {MMA} {{%r3, %r4}}, {{%r1}}, {{%r1}}, {{%r1, %r1}};\n\t{STORE}",
            words=64,
        )
    assert caught.value.kind == "deadlock"
    assert [(w.warp, w.lanes) for w in caught.value.waiting] == [(0, 0xFFFFF)]


def test_a_warp_of_fewer_threads():
    with pytest.raises(KernelFault, match="deadlock"):
        run(f"\t{ONES}\n\t{MMA} {{%r3, %r4}}, {{%r1}}, {{%r1}}, {{%r1, %r1}};", block=(16, 1, 1))


@pytest.mark.parametrize(
    "instruction",
    [
        "mma.sync.aligned.m8n8k32.row.col.s32.u4.u4.s32.xor.popc {%r1, %r2}, {%r3}, {%r4}, {%r1, %r1};",
        f"{MMA} {{%r1, %r2}}, {{%r3}}, {{%r4}}, {{%r1}};",  # what the verifier refuses before
        f"{MMA} {{%r1, %d2}}, {{%r3}}, {{%r4}}, {{%r1, %r1}};",
    ],
)
def test_what_does_not_run_is_refused_by_name(instruction):
    with pytest.raises(UnsupportedError, match=f"error PTX490: the CPU device does not run {instruction.split()[0]}"):
        load(
            ".version 8.8\n.target sm_120a\n.address_size 64\n"
            f".entry k() {{ .reg .b32 %r<5>; .reg .b64 %d<3>; .reg .f32 %f<5>;\n{instruction} ret; }}"
        )
