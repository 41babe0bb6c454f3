"""Atomic operations in every space (manual 9.7.13.5, 9.7.13.6)."""

from __future__ import annotations

import struct

import pytest

from tests.ptxgen.cpu.machine import BASE, FAST, run
from tests.ptxgen.cpu.oracle import decode, encode, flushed, nan, operate, passed_on, rows, signed

TIERS = pytest.mark.parametrize("options", [BASE, FAST], ids=["base", "fast"])


def inc(old, b):
    return 0 if old >= b else old + 1


def dec(old, b):
    return b if old == 0 or old > b else old - 1


OPERATIONS = {
    "and": (lambda old, b: old & b, "b32 b64"),
    "or": (lambda old, b: old | b, "b32 b64"),
    "xor": (lambda old, b: old ^ b, "b32 b64"),
    "exch": (lambda old, b: b, "b32 b64"),
    "add": (lambda old, b: old + b, "u32 s32 u64"),
    "inc": (inc, "u32"),
    "dec": (dec, "u32"),
    "min": (min, "u32 s32 u64 s64"),
    "max": (max, "u32 s32 u64 s64"),
}
FORMS = [(op, type) for op, (_, types) in OPERATIONS.items() for type in types.split()]


@TIERS
@pytest.mark.parametrize("space", ["global", "shared", ""])
@pytest.mark.parametrize("op,type", FORMS)
def test_integers(op, type, space, options):
    """Each thread on a place of its own: the old value, and what is left."""
    bits = int(type[1:])
    width = bits // 8
    cases = rows([f"b{bits}", f"b{bits}"], 64)
    dot = f".{space}" if space else ""
    where = "%d2" if space == "shared" else "%d3"
    body = f"""
	.shared .align 8 .b8 s[512];
	.reg .b{bits} %a, %b, %old;
	mad.wide.u32 %d1, %t, {2 * width}, %in;
	ld.global.b{bits} %a, [%d1]; ld.global.b{bits} %b, [%d1+{width}];
	mov.u64 %d2, s; mad.wide.u32 %d2, %t, {width}, %d2;
	mov.u64 %d3, %d2; cvta.shared.u64 %d3, %d3;
	mad.wide.u32 %d4, %t, {2 * width}, %out;
	{"mov.u64 %d3, %d4;" if space == "global" else ""}
	st{dot}.b{bits} [{where}], %a;
	atom{dot}.{op}.{type} %old, [{where}], %b;
	ld{dot}.b{bits} %a, [{where}];
	st.global.b{bits} [%d4], %a;
	st.global.b{bits} [%d4+{width}], %old;"""
    code = "Q" if bits == 64 else "I"
    data = b"".join(struct.pack(f"<{code}{code}", *case) for case in cases)
    found = run(body, words=32 * width, block=(64, 1, 1), data=data, options=options).unpack(code)

    def value(pattern):
        return signed(pattern, bits) if type[0] == "s" else pattern

    for i, (old, b) in enumerate(cases):
        expected = OPERATIONS[op][0](value(old), value(b)) & ((1 << bits) - 1)
        assert (found[2 * i], found[2 * i + 1]) == (expected, old), (op, type, hex(old), hex(b))


@TIERS
def test_every_thread_counts(options):
    body = """
	.shared .u32 s;
	setp.eq.u32 %p1, %t, 0; mov.u32 %r1, 0; @%p1 st.shared.u32 [s], %r1;
	bar.sync 0;
	red.shared.add.u32 [s], 2;
	red.global.add.u32 [%out], 1;
	atom.global.max.s32 %r2, [%out+4], %t;
	red.relaxed.gpu.global.or.b32 [%out+8], %t;
	bar.sync 0;
	ld.shared.u32 %r3, [s];
	@%p1 red.global.add.u32 [%out+12], %r3;"""
    assert run(body, words=4, block=(256, 1, 1), grid=(5, 1, 1), options=options).u32 == [1280, 255, 255, 2560]


@TIERS
@pytest.mark.parametrize("bits", [16, 32, 64, 128])
@pytest.mark.parametrize("space", ["global", "shared"])
def test_compare_and_swap(bits, space, options):
    """Only the first thread finds 0 there; the others get what it left."""
    take = (
        "mov.b128 %v, {%d1, %d1}; mov.b128 %z, {%d2, %d2};"
        if bits == 128
        else f"cvt.u{bits}.u64 %v, %d1; cvt.u{bits}.u64 %z, %d2;"
    )
    show = "mov.b128 {%d3, %d4}, %old;" if bits == 128 else f"cvt.u64.u{bits} %d3, %old;"
    where = "%d5" if space == "shared" else "%out"
    body = f"""
	.shared .align 16 .b8 s[16];
	.reg .b{bits} %v, %z, %old;
	mov.u64 %d2, 0; mov.u64 %d5, s;
	st.{space}.v2.u64 [{where}], {{%d2, %d2}};
	bar.sync 0;
	cvt.u64.u32 %d1, %t; add.u64 %d1, %d1, 5;
	{take}
	atom.{space}.cas.b{bits} %old, [{where}], %z, %v;
	{show}
	mad.wide.u32 %d6, %t, 8, %out;
	st.global.u64 [%d6+16], %d3;"""
    found = run(body, words=4 + 64, options=options).u64
    assert found[2:] == [0] + [5] * 31


@TIERS
@pytest.mark.parametrize("type", ["f32", "f64"])
@pytest.mark.parametrize("space", ["global", "shared"])
def test_float_sums(type, space, options):
    """atom.add.f32 on global memory flushes subnormals, on shared memory it does not."""
    bits = int(type[1:])
    width = bits // 8
    cases = rows([type, type], 128)
    where = "%d2" if space == "shared" else "%d4"
    body = f"""
	.shared .align 8 .b8 s[1024];
	.reg .{type} %a, %b, %old;
	mad.wide.u32 %d1, %t, {2 * width}, %in;
	ld.global.{type} %a, [%d1]; ld.global.{type} %b, [%d1+{width}];
	mov.u64 %d2, s; mad.wide.u32 %d2, %t, {width}, %d2;
	mad.wide.u32 %d4, %t, {width}, %out;
	st.{space}.{type} [{where}], %a;
	atom.{space}.add.{type} %old, [{where}], %b;
	ld.{space}.{type} %a, [{where}];
	st.global.{type} [%d4], %a;"""
    code = "Q" if bits == 64 else "I"
    data = b"".join(struct.pack(f"<{code}{code}", *case) for case in cases)
    found = run(body, words=32 * width, block=(128, 1, 1), data=data, options=options).unpack(code)

    def expected(a, b):
        if type == "f64" and any(nan(decode(p, type)) for p in (a, b)):  # memory passes NaNs on as they are
            if space == "global":
                return b if nan(decode(b, type)) else a
            return passed_on([a, b])
        return operate("add", type, "rn", a, b, ftz=type == "f32" and space == "global")

    assert found == [expected(*case) for case in cases]


@TIERS
@pytest.mark.parametrize("type", ["f16", "bf16", "f16x2", "bf16x2"])
@pytest.mark.parametrize("space", ["global", "shared"])
def test_half_sums(type, space, options):
    element = type.partition("x")[0]
    bits = 32 if "x2" in type else 16
    cases = rows(["b32", "b32"], 128)
    where = "%d2" if space == "shared" else "%o"
    body = f"""
	.shared .align 8 .b8 s[512];
	.reg .b{bits} %a, %old; .reg .b32 %x, %y;
	mad.wide.u32 %d1, %t, 8, %in;
	ld.global.v2.b32 {{%x, %y}}, [%d1];
	mov.u64 %d2, s; mad.wide.u32 %d2, %t, 4, %d2;
	st.{space}.b32 [{where}], %x;
	{"cvt.u16.u32 %a, %y;" if bits == 16 else "mov.b32 %a, %y;"}
	atom.{space}.add.noftz.{type} %old, [{where}], %a;
	ld.{space}.b32 %x, [{where}];
	st.global.b32 [%o], %x;"""
    found = run(
        body, words=128, block=(128, 1, 1), data=b"".join(struct.pack("<II", *c) for c in cases), options=options
    ).u32

    def expected(x, y):
        low = operate("add", element, "rn", x & 0xFFFF, y & 0xFFFF)
        high = operate("add", element, "rn", x >> 16, y >> 16) if bits == 32 else x >> 16
        return low | high << 16

    assert found == [expected(*case) for case in cases]


def test_vector_sums():
    body = """
	mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f40000000; mov.f32 %f3, 0f40400000; mov.f32 %f4, 0f40800000;
	red.global.add.v4.f32 [%out], {%f1, %f2, %f3, %f4};"""
    assert run(body, words=4).f32 == [32.0, 64.0, 96.0, 128.0]


def test_vector_extremes():
    body = """
	cvt.rn.f16.u32 %h1, %t; neg.f16 %h2, %h1;
	atom.global.max.noftz.v2.f16 {%h3, %h4}, [%out], {%h1, %h2};"""
    found = run(body, words=1).u32[0]
    assert found == encode(decode(0x4FC0, "f16"), "f16")  # 31 below, 0 above
    assert flushed(found & 0xFFFF, "f16") == 0x4FC0


def test_hints_and_orders_are_accepted():
    body = """
	createpolicy.fractional.L2::evict_first.b64 %d1;
	atom.acq_rel.gpu.global.add.L2::cache_hint.u32 %r1, [%out], 1, %d1;
	red.release.sys.global.add.u32 [%out], 1;
	red.async.release.gpu.global.add.u32 [%out], 1; red.async.mmio.release.sys.max.u32 [%out], 1;
	atom.relaxed.cta.shared::cta.exch.b32 %r1, [s], %t;
	atom.acquire.cluster.add.u32 _, [%out], 1;"""
    assert run(body, words=1, before=".shared .b32 s;").u32 == [128]
