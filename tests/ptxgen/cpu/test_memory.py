"""State spaces, loads and stores, address arithmetic, and the checks on every access (manual 5.1, 6.4, 9.7.9)."""

from __future__ import annotations

import struct

import pytest

import driver_ctypes as dc
import ptxgen as px
from ptxgen.cpu import KernelFault, LaunchOptions
from ptxgen.errors import UnsupportedError
from tests.ptxgen.cpu.machine import BASE, FAST, arena, load, run

TIERS = pytest.mark.parametrize("options", [BASE, FAST], ids=["base", "fast"])
SAMPLE = bytes(range(0x80, 0xA0)) + struct.pack("<fd", 1.5, -2.25)


@pytest.mark.parametrize(
    "type,expected",
    [
        ("u8", 0x80), ("s8", 0xFFFFFFFFFFFFFF80), ("b8", 0x80), ("u16", 0x8180), ("s16", 0xFFFFFFFFFFFF8180),
        ("u32", 0x83828180), ("s32", 0xFFFFFFFF83828180), ("b64", 0x8786858483828180),
    ],
)  # fmt: skip
def test_a_load_into_a_wider_register_extends(type, expected):
    result = run(f"\tld.global.{type} %d1, [%in];\n\tst.global.u64 [%out], %d1;", words=2, block=(1, 1, 1), data=SAMPLE)
    assert result.u64 == [expected]


def test_a_store_from_a_wider_register_truncates():
    body = """
	mov.u64 %d1, 0x1122334455667788;
	st.global.u8 [%out], %d1; st.global.b16 [%out+2], %d1; st.global.s32 [%out+4], %d1; st.global.f64 [%out+8], %g1;"""
    assert run(body, words=4, block=(1, 1, 1)).u32[:2] == [0x77880088, 0x55667788]


@TIERS
@pytest.mark.parametrize("space", ["global", "shared", "local", ""])
def test_vectors_go_through_every_space(space, options):
    """Written as four words, read as two halves of eight bytes; generic addresses lead to shared memory here."""
    where = {"global": "%d3", "shared": "%d2", "local": "%d2", "": "%d4"}[space]
    symbol = "box" if space == "local" else "s"
    dot = f".{space}" if space else ""
    body = f"""
	.shared .align 16 .b8 s[1024]; .local .align 16 .b8 box[32];
	mov.u64 %d2, {symbol};
	mul.wide.u32 %d1, %t, 16;
	mad.wide.u32 %d3, %t, 16, %in;
	{"add.u64 %d2, %d2, %d1;" if space in ("shared", "") else ""}
	cvta.shared.u64 %d4, %d2;
	add.u32 %r1, %t, 100; mov.u32 %r2, 7;
	st{dot}.v4.b32 [{where}], {{%t, %r1, %r2, %t}};
	ld{dot}.v2.b64 {{%d5, %d6}}, [{where}];
	add.u64 %d5, %d5, %d6;
	mad.wide.u32 %d7, %t, 8, %out;
	st.global.u64 [%d7], %d5;"""
    result = run(body, words=64, data=bytes(512), options=options)
    assert result.u64 == [((t + 100) << 32 | t) + (t << 32 | 7) for t in range(32)]


def test_local_memory_is_private():
    """Generic addresses of local variables differ between threads and lead back to the same bytes."""
    body = """
	.local .align 4 .b8 box[64];
	mov.u64 %d1, box; cvta.local.u64 %d2, %d1;
	st.u32 [%d2+12], %t;
	cvta.to.local.u64 %d3, %d2;
	bar.warp.sync -1;
	ld.local.u32 %r1, [box+12]; ld.local.u32 %r2, [%d3+12];
	isspacep.local %p1, %d2; isspacep.global %p2, %d2; isspacep.shared %p3, %d2;
	selp.u32 %r3, 1000, 0, %p1; @%p2 add.u32 %r3, %r3, 1; @%p3 add.u32 %r3, %r3, 1;
	add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3;
	st.global.u32 [%o], %r1;"""
    assert run(body).u32 == [1000 + 2 * t for t in range(32)]


def test_where_generic_addresses_lead():
    body = """
	.shared .b32 s;
	mov.u64 %d1, s; cvta.shared.u64 %d2, %d1;
	mov.u64 %d3, table; cvta.const.u64 %d3, %d3;
	isspacep.shared %p1, %d2; isspacep.global %p2, %out; isspacep.const %p3, %d3; isspacep.shared %p4, %out;
	isspacep.global %p5, %d2; isspacep.const %p6, %out;
	selp.u32 %r1, 1, 0, %p1; @%p2 or.b32 %r1, %r1, 2; @%p3 or.b32 %r1, %r1, 4; @%p4 or.b32 %r1, %r1, 8;
	@%p5 or.b32 %r1, %r1, 16; @%p6 or.b32 %r1, %r1, 32;
	st.global.u32 [%o], %r1;"""
    assert run(body, before=".const .b32 table[4];").u32 == [7] * 32


@TIERS
def test_static_and_dynamic_shared_memory(options):
    """Dynamic shared memory follows the static variables, at its own alignment."""
    body = """
	.shared .b8 first[5];
	mov.u32 %r1, first; mov.u32 %r2, tail;
	mad.lo.u32 %r3, %t, 4, %r2;
	st.shared.u32 [%r3], %t;
	bar.sync 0;
	xor.b32 %r4, %r3, 4;
	ld.shared.u32 %r5, [%r4];
	mov.u32 %r6, %dynamic_smem_size; mov.u32 %r7, %total_smem_size;
	mad.lo.u32 %r5, %r6, 1000, %r5; mad.lo.u32 %r5, %r2, 1000000, %r5; mad.lo.u32 %r5, %r7, 100000000, %r5;
	st.global.u32 [%o], %r5;"""
    result = run(body, before=".extern .shared .align 16 .b8 tail[];", shared=128, options=options)
    assert result.u32 == [(144 * 100000000 + 16 * 1000000 + 128 * 1000 + (t ^ 1)) % (1 << 32) for t in range(32)]


def test_module_variables():
    source = """
.global .align 8 .u32 counter = 5;
.const .f32 halves[3] = {0f3F000000, 0f3FC00000, 0f40200000};
.global .u64 pointer = generic(counter);
.global .b16 wide[2][2] = {{1, 2}, {3, 4}};
.visible .entry k()
{
	.reg .u64 %d<3>; .reg .u32 %r<4>; .reg .f32 %f; .reg .pred %p;
	ld.global.u64 %d1, [pointer];
	ld.u32 %r1, [%d1];
	ld.const.f32 %f, [halves+8];
	cvt.rni.u32.f32 %r2, %f;
	ld.global.u16 %r3, [wide+6];
	add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3;
	st.global.u32 [counter], %r1;
}
"""
    program = load(source)
    address, nbytes = program.globals["counter"]
    assert nbytes == 4
    for expected in (5 + 2 + 4, 11 + 6):
        program.kernels["k"].launch((1, 1, 1), (1, 1, 1), b"")
        assert struct.unpack("<I", arena().view(address, 4))[0] == expected
    assert list(program.globals) == ["counter", "halves", "pointer", "wide"]
    before = arena().in_use
    program.close()
    assert before - arena().in_use == 4 + 12 + 8 + 8


def test_kernel_parameters_of_every_size():
    source = """
.visible .entry k(.param .u8 a, .param .align 8 .b8 s[24], .param .f64 x, .param .u64 out)
{
	.reg .u64 %d<4>; .reg .u32 %r<6>; .reg .f64 %g;
	ld.param.u64 %d1, [out];
	ld.param.u8 %r1, [a];
	ld.param.v2.u32 {%r2, %r3}, [s+8];
	mov.b64 %d2, s; add.u64 %d2, %d2, 20; ld.param.u32 %r4, [%d2];
	mov.b64 %d3, s; cvta.param.u64 %d3, %d3; ld.u32 %r5, [%d3];
	ld.param.f64 %g, [x];
	st.global.v4.u32 [%d1], {%r1, %r2, %r3, %r4};
	st.global.u32 [%d1+16], %r5;
	st.global.f64 [%d1+24], %g;
}
"""
    program = load(source)
    kernel = program.kernels["k"]
    assert kernel.parameters == (("a", 0, 1), ("s", 8, 24), ("x", 32, 8), ("out", 40, 8))
    assert kernel.parameter_bytes == 48
    out = arena().allocate(32)
    kernel.launch((1, 1, 1), (1, 1, 1), struct.pack("<B7x6IdQ", 200, 1, 2, 3, 4, 5, 6, 2.5, out))
    assert struct.unpack("<5I4xd", arena().view(out, 32)) == (200, 3, 4, 6, 1, 2.5)
    arena().free(out)
    program.close()


@TIERS
@pytest.mark.parametrize(
    "access",
    [
        "ld.volatile.global.u32", "ld.relaxed.gpu.global.u32", "ld.acquire.sys.global.u32", "ld.global.nc.u32",
        "ld.global.ca.u32", "ld.global.cg.u32", "ld.global.L1::no_allocate.u32", "ld.global.nc.L1::evict_last.L2::128B.u32",
        "ld.weak.global.u32", "ldu.global.u32", "ld.mmio.relaxed.sys.global.u32", "ld.global.L2::256B.u32",
        "ld.global.u32.proxy::readonly", "ld.u32.proxy::readonly", "ld.global.nc.u32.proxy::readonly",
    ],
)  # fmt: skip
def test_qualifiers_of_loads_change_no_values(access, options):
    body = f"\tmad.wide.u32 %d1, %t, 4, %in;\n\t{access} %r1, [%d1];\n\tst.global.u32 [%o], %r1;"
    assert run(body, data=struct.pack("<32I", *range(0, 64, 2)), options=options).u32 == list(range(0, 64, 2))


@pytest.mark.parametrize(
    "access",
    [
        "st.volatile.global.u32", "st.relaxed.cta.global.u32", "st.release.gpu.global.u32", "st.global.wb.u32",
        "st.global.cs.u32", "st.weak.global.u32", "st.global.L1::evict_first.u32", "st.async.release.gpu.global.u32",
        "st.async.mmio.release.sys.b32",
    ],
)  # fmt: skip
def test_qualifiers_of_stores_change_no_values(access):
    assert run(f"\t{access} [%o], %t;").u32 == list(range(32))


def test_hints_change_nothing():
    body = """
	createpolicy.fractional.L2::evict_last.b64 %d1, 0f3F800000;
	prefetch.global.L2 [%in]; prefetch.local.L1 [%d5]; prefetchu.L1 [%in]; prefetch.global.L1::32B.valid_addr [%in];
	membar.gl; fence.acq_rel.gpu; fence.sc.sys; fence.proxy.alias; nanosleep.u32 100;
	griddepcontrol.wait; griddepcontrol.launch_dependents;
	ld.global.L2::cache_hint.u32 %r1, [%in], %d1;
	st.global.L2::cache_hint.u32 [%o], %r1, %d1;"""
    assert run(body, data=(3).to_bytes(4, "little")).u32 == [3] * 32


def test_packing_and_unpacking():
    body = """
	mov.b64 %d1, {%t, 5}; mov.b64 {%r1, %r2}, %d1;
	mov.b32 {%h1, %h2}, 0x00030002; mov.b32 %r3, {%h2, %h1};
	add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3;
	mov.b64 {_, %r4}, %d1; add.u32 %r1, %r1, %r4;
	st.global.u32 [%o], %r1;"""
    assert run(body).u32 == [t + 5 + 0x20003 + 5 for t in range(32)]


def test_128_bits():
    body = """
	.reg .b128 %q;
	ld.global.b128 %q, [%in]; mov.b128 {%d1, %d2}, %q; xor.b64 %d1, %d1, %d2; mov.b128 %q, {%d2, %d1};
	st.global.b128 [%out], %q;"""
    a, b = 0x1122334455667788, 0x99AABBCCDDEEFF00
    assert run(body, words=4, block=(1, 1, 1), data=struct.pack("<QQ", a, b)).u64 == [b, a ^ b]


# -- faults -----------------------------------------------------------------------------------------------------------


def fault(body, **options):
    with pytest.raises(KernelFault) as caught:
        run(body, **options)
    return caught.value


@pytest.mark.parametrize("nbytes", [256, 512, 4096, 100])
def test_one_element_past_an_allocation_is_not_the_next_one(nbytes):
    """Allocations of a multiple of 256 bytes lie apart too; the error names both."""
    device = px.device("cpu")
    first, second = device.zeros(nbytes, px.u8), device.zeros(nbytes, px.u8)
    low = min((first, second), key=lambda array: array._address)
    head = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 x)"
    text = f"{head} {{ .reg .b64 %rd; ld.param.u64 %rd, [x]; st.global.u8 [%rd+{nbytes}], 1; ret; }}"
    device.load(text)["k"].launch(1, 1, (low,))
    with pytest.raises(dc.IllegalAddressError, match=rf"nearest has {nbytes} bytes .* 0 bytes past its end.*next has"):
        device.synchronize()
    device.reset()


@pytest.mark.parametrize(
    "access",
    [
        "ld.param.b32 %r1, [q+4];",
        "ld.param.b32 %r1, [q+-4];",
        "st.param.b32 [p+8], %r1;",
        "ld.param.b64 %d1, [q];",
        "ld.param.v2.b32 {%r1, %r2}, [q];",
    ],
)
def test_the_parameters_of_a_call_have_ends(access):
    function = ".func (.param .b32 r) f(.param .align 8 .b8 a[8]) { st.param.b32 [r], 7; ret; }"
    body = f"""
	{{ .param .align 8 .b8 p[8]; .param .b32 q;
	st.param.b32 [p], 5; st.param.b32 [p+4], 6; call (q), f, (p); {access} ld.param.b32 %r1, [q]; }}"""
    with pytest.raises(KernelFault, match=r"goes beyond the [48] bytes of the call's parameter") as caught:
        run(body, before=function)
    assert caught.value.kind == "illegal address"


@TIERS
def test_one_element_too_far(options):
    """Bounds are those of the allocation, to the byte."""
    error = fault("\tst.global.u32 [%o], %t;", words=31, options=options)
    assert (error.kind, error.kernel, error.cta, error.thread) == ("illegal address", "test", (0, 0, 0), (31, 0, 0))
    assert (error.size, error.space, error.instruction.op) == (4, "global", "st.global.u32")
    text = str(error)
    assert "the nearest has 124 bytes at" in text
    assert "this is 0 bytes past its end" in text
    assert "test.ptx:" in text
    assert "kernel test, CTA (0, 0, 0), thread (31, 0, 0)" in text


@pytest.mark.parametrize(
    "body,kind,size",
    [
        ("\tld.global.u32 %r1, [%in+2];", "misaligned address", 4),
        ("\tld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%in+8];", "misaligned address", 16),
        ("\tmov.u64 %d1, 0;\n\tld.u32 %r1, [%d1];", "illegal address", 4),
        ("\tmov.u64 %d1, 0xfffffffffffffff0;\n\tld.global.u64 %d2, [%d1];", "illegal address", 8),
        ("\tmov.u64 %d1, 0x7fffffffffff0000;\n\tatom.global.add.u32 %r1, [%d1], 1;", "illegal address", 4),
        ("\t.shared .b32 s[4];\n\tmov.u32 %r1, s;\n\tst.shared.u32 [%r1+16], %r1;", "illegal address", 4),
        ("\t.shared .b32 s[4];\n\tmov.u32 %r1, s;\n\tst.shared.u32 [%r1+-4], %r1;", "illegal address", 4),
        ("\t.shared .b32 s[4];\n\tld.shared.u32 %r1, [s+1];", "misaligned address", 4),
        ("\t.shared .b32 s[4];\n\tld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [s+4];", "misaligned address", 16),
        ("\t.local .b32 v[4];\n\tmov.u64 %d1, v;\n\tld.local.u64 %d2, [%d1+16];", "illegal address", 8),
        ("\tld.param.u32 %r1, [out+16];", "illegal address", 4),
        ("\tmov.b64 %d1, out;\n\tcvta.param.u64 %d1, %d1;\n\tst.u32 [%d1], %r1;", "read-only address", 4),
        ("\tmov.u64 %d1, c;\n\tst.global.u32 [%d1], %r1;", "read-only address", 4),
        ("\tst.global.u32 [c], %r1;", "read-only address", 4),
    ],
)
@TIERS
def test_bad_accesses(body, kind, size, options):
    error = fault(body, before=".const .b32 c[4];", data=bytes(64), options=options)
    assert (error.kind, error.size) == (kind, size)


@TIERS
def test_memory_that_is_read_beside_a_store_is_not_written(options):
    """The two are checked together; what the load of one thread may touch, the store of the next may not."""
    memory = arena()
    written, constant = memory.allocate(256), memory.allocate(1 << 16, read_only=True)
    program = load(
        ".visible .entry k(.param .u64 p, .param .u64 q) { .reg .u64 %d<3>; .reg .u32 %t, %r; .reg .pred %p;"
        " ld.param.u64 %d0, [p]; ld.param.u64 %d1, [q]; mov.u32 %t, %tid.x; setp.ne.u32 %p, %t, 0;"
        f" selp.b64 %d2, %d1, %d0, %p; st.global.u32 [%d2], %t; ld.global.u32 %r, [%d2+{constant - written}]; }}"
    )
    with pytest.raises(KernelFault, match="in memory that kernels may only read") as caught:
        program.kernels["k"].launch((1, 1, 1), (2, 1, 1), struct.pack("<QQ", written, constant), options=options)
    assert caught.value.thread == (1, 0, 0)
    program.close()
    memory.free(written)
    memory.free(constant)


def test_shared_memory_may_be_touched_in_whole_units():
    """Of 128 bytes, as a GPU lets pass; %total_smem_size says as much (manual 10)."""
    body = "\t.shared .b32 s;\n\tmov.u32 %r2, s;\n\tmad.lo.u32 %r2, %t, 4, %r2;\n\tst.shared.u32 [%r2], %t;\n"
    assert fault(body, options=LaunchOptions()).kind == "illegal address"
    last = body + "\tmov.u32 %r3, %total_smem_size;\n\tst.global.u32 [%out], %r3;"
    assert run(last, block=(32, 1, 1), words=1, options=LaunchOptions(bounds="units")).u32 == [128]
    assert fault(body, block=(33, 1, 1), options=LaunchOptions(bounds="units")).kind == "illegal address"
    with pytest.raises(ValueError, match='bounds is "exact" or "units", not \'loose\''):
        LaunchOptions(bounds="loose")


def test_the_system_s_shared_memory_is_none_of_the_kernel_s():
    """Cooperative groups synchronise tiles of several warps there."""
    body = """
	.shared .align 4 .b8 own[100];
	mov.u32 %r1, own; st.shared.u32 [%r1], 5; mov.u32 %r2, %reserved_smem_offset_1; st.shared.u32 [%r2], 7;
	ld.shared.u32 %r1, [%r1];
	mov.u32 %r3, %reserved_smem_offset_begin; mov.u32 %r4, %reserved_smem_offset_end; mov.u32 %r5, %reserved_smem_offset_cap;
	st.global.v4.u32 [%out], {%r1, %r3, %r4, %r5}; mov.u32 %r6, %total_smem_size; st.global.v2.u32 [%out+16], {%r2, %r6};"""
    own, begin, end, cap, offset, total = run(body, block=(1, 1, 1), words=6).u32
    assert (own, end - begin, cap) == (5, 1024, 1024)
    assert 100 <= total <= begin <= offset < end


def test_freed_memory_is_no_longer_there():
    memory = arena()
    block = memory.allocate(64)
    program = load(".visible .entry k(.param .u64 p) { .reg .u64 %d; ld.param.u64 %d, [p]; st.global.u64 [%d], %d; }")
    kernel = program.kernels["k"]
    kernel.launch((1, 1, 1), (1, 1, 1), struct.pack("<Q", block))
    memory.free(block)
    with pytest.raises(KernelFault, match="outside every allocation"):
        kernel.launch((1, 1, 1), (1, 1, 1), struct.pack("<Q", block))
    program.close()


def test_after_a_fault_the_kernel_runs_again():
    program = load(
        ".visible .entry k(.param .u64 p) { .reg .u64 %d; .reg .u32 %t; mov.u32 %t, %tid.x; bar.sync 0;"
        " ld.param.u64 %d, [p]; mad.wide.u32 %d, %t, 4, %d; st.global.u32 [%d], %t; bar.sync 0; }"
    )
    memory = arena()
    small, large = memory.allocate(400), memory.allocate(512)
    kernel = program.kernels["k"]
    with pytest.raises(KernelFault):
        kernel.launch((1, 1, 1), (128, 1, 1), struct.pack("<Q", small))
    kernel.launch((1, 1, 1), (128, 1, 1), struct.pack("<Q", large))
    assert struct.unpack("<128I", memory.view(large, 512)) == tuple(range(128))
    for block in (small, large):
        memory.free(block)
    program.close()


@pytest.mark.parametrize("op,kind", [("trap", "trap"), ("brkpt", "breakpoint")])
def test_traps(op, kind):
    error = fault(f"\tsetp.eq.u32 %p1, %t, 70;\n\t@%p1 {op};", block=(128, 1, 1))
    assert (error.kind, error.thread) == (kind, (70, 0, 0))


def test_assertions():
    """The call that assert() becomes in C++."""
    before = """
.extern .func __assertfail(.param .b64 message, .param .b64 file, .param .b32 line, .param .b64 function, .param .b64 size);
.global .align 1 .b8 text[6] = {120, 32, 62, 32, 48, 0};"""
    body = """
	setp.ne.u32 %p1, %t, 9; @%p1 bra FINE;
	{
		.param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;
		mov.u64 %d1, text; cvta.global.u64 %d1, %d1;
		st.param.b64 [a], %d1; st.param.b64 [b], %d1; st.param.b32 [c], 7; st.param.b64 [d], %d1; st.param.b64 [e], 1;
		call __assertfail, (a, b, c, d, e);
	}
FINE:"""
    error = fault(body, before=before)
    assert (error.kind, error.thread) == ("assert", (9, 0, 0))
    assert "the kernel asserts 'x > 0'" in str(error)


@pytest.mark.parametrize(
    "instruction,what",
    [
        ("st.const.u32 [%d1], %r1;", "a store to .const memory"),
        ("st.param.u32 [out], %r1;", "a store to .param memory"),
    ],
)
def test_other_memory_is_refused(instruction, what):
    with pytest.raises(UnsupportedError, match=what):
        run(f"\t{instruction}")


@pytest.mark.parametrize(
    "body, expected",
    [
        ("st.u32 [s+4], 5; bar.sync 0; ld.b32 %r1, [s+4];", 5),
        ("st.v2.u32 [l+8], {3, %t}; ld.v2.b32 {%r1, %r2}, [l+8];", 3),
        ("st.volatile.u32 [s], 3; ld.acquire.cta.u32 %r1, [s];", 3),
        ("atom.add.u32 %r2, [s], 2; bar.sync 0; red.add.u32 [s], 1; bar.sync 0; ld.shared.u32 %r1, [s];", 96),
        ("st.shared.u32 [s], 1; bar.sync 0; atom.cas.b32 %r2, [s], 1, 7; bar.sync 0; ld.shared.u32 %r1, [s];", 7),
        ("@%p1 mbarrier.init.b64 [s], 32; bar.sync 0; mbarrier.arrive.b64 %d1, [s]; mov.u32 %r1, 1;", 1),
        ("ld.b32 %r1, [g+4];", 8),
        (
            "wmma.load.c.sync.aligned.row.m16n16k16.f32 {%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7}, [s]; mov.b32 %r1, %f0;",
            0,
        ),
    ],
)
def test_a_variable_says_its_state_space(body, expected):
    """As assemblers take it (nvJitLink 13.5): no state space in the instruction, a variable in the address."""
    before = ".shared .align 32 .b32 s[256]; .global .b32 g[2] = {7, 8};"
    start = "\t.local .align 8 .b32 l[4]; setp.eq.u32 %p1, %t, 0;\n\t"
    assert run(f"{start}{body} st.global.u32 [%o], %r1;", before=before).u32 == [expected] * 32
