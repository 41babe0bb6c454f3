"""Rewritten arithmetic and memory accesses against the original, on the device: what drawn programs seldom have."""

from __future__ import annotations

import pytest

import ptxgen as px
from ptxgen import passes

np = pytest.importorskip("numpy")

DIVISORS = (1, 2, 3, 5, 7, 8, 10, 25, 331, 641, 1000, 16384, 32767)
NEGATIVE = (-1, -2, -3, -7, -8, -10, -25, -1000, -16384, -32767)
FACTORS = (0, 1, 2, 3, 5, 7, 9, 31, 33, 4096, 11)
HEADER = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 .ptr .global .align 16 x, .param .u64 .ptr .global .align 16 y) {
"""


@pytest.fixture(scope="module")
def dev(device_name):
    return px.device(device_name)


def run(dev, module: px.Module, data, size: int) -> bytes:
    x, y = dev.array(data), dev.zeros(size, px.u8)
    dev.load(module)["k"].launch(1, len(data), (x, y))
    return y.numpy().tobytes()


def divisors(type_: str) -> tuple[int, ...]:
    """Small ones, and those next to the type's ends."""
    half = 1 << (int(type_[1:]) - 1)
    if type_.startswith("s"):
        return (*DIVISORS, *NEGATIVE, half - 1, 1 - half, -half)
    return (*DIVISORS, half - 1, half, half + 1, 2 * half - 1)


def arithmetic(type_: str) -> tuple[str, int]:
    """A kernel that divides and multiplies each input by every constant; how many results a thread stores."""
    bits = int(type_[1:])
    cases = [f"{op}.{type_} %v1, %v0, {c};" for op in ("div", "rem") for c in divisors(type_)]
    cases += [f"mul.lo.{type_} %v1, %v0, {c};" for c in FACTORS]
    cases += [f"mul.lo.{type_} %v1, %v0, 11; add.{type_} %v1, %v1, %v0;"]
    size = bits // 8
    body = f"""{HEADER} .reg .b{bits} %v<2>; .reg .b32 %r<2>; .reg .b64 %d<5>;
    ld.param.u64 %d0, [x]; ld.param.u64 %d1, [y]; mov.u32 %r0, %tid.x;
    mad.wide.u32 %d2, %r0, {size}, %d0; ld.global.b{bits} %v0, [%d2];
    mad.wide.u32 %d3, %r0, {size * len(cases)}, %d1;
    """
    for number, case in enumerate(cases):
        body += f"{case} add.s64 %d4, %d3, {number * size}; st.global.b{bits} [%d4], %v1;\n"
    return body + "ret; }", len(cases)


@pytest.mark.parametrize("type_", ["u16", "u32", "u64", "s16", "s32", "s64"])
def test_divisions_and_products_by_constants(dev, type_):
    bits = int(type_[1:])
    text, count = arithmetic(type_)
    half, top = 1 << (bits - 1), 1 << bits
    edges = {k * d + e for d in DIVISORS for k in (0, 1, half // d, (top - 1) // d) for e in (-1, 0, 1)} | {
        half + 1,
        half + 2,
    }
    values = sorted({v % top for e in edges for v in (e, -e)} | {half, half - 1, top - 1})[:1024]
    data = np.array(values, dtype=f"u{bits // 8}")
    before = px.parse(text)
    after = passes.run(before)
    assert "div." not in str(after)
    assert "rem." not in str(after)
    size = len(values) * count * bits // 8
    assert run(dev, after, data, size) == run(dev, before, data, size)


def test_vectors_offsets_and_guards(dev):
    text = f"""{HEADER} .reg .pred %p; .reg .b32 %r<6>; .reg .b64 %d<6>;
    ld.param.u64 %d0, [x]; ld.param.u64 %d1, [y]; mov.u32 %r0, %tid.x;
    mul.wide.u32 %d2, %r0, 16; add.s64 %d3, %d1, %d2; add.s64 %d4, %d3, 8;
    ld.global.u32 %r1, [%d0]; ld.global.u32 %r2, [%d0+4]; ld.global.u32 %r3, [%d0+8]; ld.global.u32 %r4, [%d0+12];
    setp.lt.u32 %p, %r0, 5;
    @%p bra L;
    xor.b32 %r1, %r1, %r0;
    L: st.global.u32 [%d3], %r1; st.global.u32 [%d3+4], %r2; st.global.u32 [%d4+4], %r3; st.global.u32 [%d4], %r4;
    ret; }}"""
    before = px.parse(text)
    after = passes.run(before, read_only=["x"])
    assert "ld.global.nc.v4.u32" in str(after)
    assert "st.global.v4.u32 [%d3], {%r1, %r2, %r4, %r3}" in str(after)
    assert "bra" not in str(after)
    data = np.arange(32, dtype=np.uint32) * 7 + 1
    assert run(dev, after, data, 512) == run(dev, before, data, 512)


@pytest.mark.parametrize("type_", ["u8", "s8", "u16", "s16"])
def test_narrow_words_are_joined_lane_by_lane(dev, type_):
    size = int(type_[1:]) // 8
    loads = " ".join(f"ld.global.{type_} %r{lane}, [%d2+{lane * size}];" for lane in range(4))
    stores = " ".join(f"st.global.u32 [%d3+{4 * lane}], %r{lane};" for lane in range(4))
    narrow = " ".join(f"st.global.{type_} [%d4+{lane * size}], %r{3 - lane};" for lane in range(4))
    text = f"""{HEADER} .reg .b32 %r<6>; .reg .b64 %d<6>;
    ld.param.u64 %d0, [x]; ld.param.u64 %d1, [y]; mov.u32 %r5, %tid.x;
    mad.wide.u32 %d2, %r5, {4 * size}, %d0; mad.wide.u32 %d3, %r5, 32, %d1; add.s64 %d4, %d3, 16;
    {loads} {stores} {narrow} ret; }}"""
    before = px.parse(text)
    after = passes.run(before)
    assert f"ld.global.v4.{type_}" in str(after)
    assert f"st.global.v4.{type_}" in str(after)
    data = np.random.default_rng(0).integers(0, 256, 8 * 4 * size).astype(np.uint8).view(f"u{size}")
    threads = 8
    x = dev.array(data)
    found = []
    for module in (before, after):
        y = dev.zeros(32 * threads, px.u8)
        dev.load(module)["k"].launch(1, threads, (x, y))
        found.append(y.numpy().tobytes())
    assert found[0] == found[1]
