"""Code that runs several lanes at once does what code that runs one after the other does."""

from __future__ import annotations

import random
import re
import struct

import pytest

from ptxgen.cpu import KernelFault
from ptxgen.cpu.lower.kernel_text import lower_kernel
from ptxgen.cpu.normalize.statements import flatten
from ptxgen.text import parse
from tests.ptxgen.cpu.machine import BASE, FAST, HEADER, arena, check, entry, load, run

RNG = random.Random(5)
DATA = RNG.randbytes(1 << 13)
SHARED = ".shared .align 16 .b8 s[8192];"
PATTERNS = {
    "consecutive": lambda t: t,
    "consecutive but for two": lambda t: t ^ (t == 9) ^ (t == 22),
    "backward": lambda t: 60 - t,
    "the same": lambda t: 5,
    "one row, then another": lambda t: 40 if t < 16 else 7,
    "rows of 16": lambda t: t % 16 + t // 16 * 50,
    "apart": lambda t: 5 * t,
    "scattered": lambda t: (t * t + 3) % 128,
    "the last elements": lambda t: 508 + t % 4,
}
LOADS = {
    "u8 %h1": "cvt.u32.u16 %r3, %h1;",
    "s16 %r3": "",
    "u32 %r3": "",
    "f32 %f1": "mov.b32 %r3, %f1;",
    "b64 %d2": "cvt.u32.u64 %r3, %d2; shr.u64 %d2, %d2, 40; cvt.u32.u64 %r4, %d2; xor.b32 %r3, %r3, %r4;",
    "v2.u8 {%h1, %h2}": "mov.b32 %r3, {%h1, %h2};",
    "v4.u16 {%h1, %h2, %h3, %h4}": "mov.b32 %r3, {%h1, %h2}; mov.b32 %r4, {%h3, %h4}; mad.lo.u32 %r3, %r4, 3, %r3;",
    "v2.f32 {%f1, %f2}": "mov.b32 %r3, %f2; mov.b32 %r4, %f1; mad.lo.u32 %r3, %r3, 5, %r4;",
    "v4.b32 {%r3, %r4, %r5, %r6}": "mad.lo.u32 %r3, %r4, 3, %r3; mad.lo.u32 %r3, %r5, 7, %r3; mad.lo.u32 %r3, %r6, 11, %r3;",
    "v2.b64 {%d2, %d3}": "xor.b64 %d2, %d2, %d3; mov.b64 {%r3, %r4}, %d2; mad.lo.u32 %r3, %r4, 3, %r3;",
}
SIZES = {"u8": 1, "s16": 2, "u32": 4, "f32": 4, "b64": 8, "u16": 2, "b32": 4}


def size_of(access: str) -> int:
    """Bytes of an element such as "v4.b32 {...}"."""
    type = access.split()[0]
    return SIZES[type.rpartition(".")[2]] * (int(type[1]) if type.startswith("v") else 1)


def same(body: str, **more) -> bytes:
    """What both tiers leave."""
    found = [run(body, options=options, **more) for options in (BASE, FAST)]
    assert found[0] == found[1]._replace(stats=found[0].stats)
    assert found[0].stats.instructions == found[1].stats.instructions
    return found[1].data


def loads(space: str) -> str:
    """Each access of LOADS at the lane's index, from %in, and of the same bytes in shared memory."""
    lines = [
        """mov.u32 %r0, %t; mov.u32 %r9, 0;
FILL:	mad.wide.u32 %d1, %r0, 4, %in; ld.global.u32 %r3, [%d1]; mul.lo.u32 %r1, %r0, 4; mov.u32 %r2, s; add.u32 %r2, %r2, %r1;
	st.shared.u32 [%r2], %r3; add.u32 %r0, %r0, 32; setp.lt.u32 %p0, %r0, 2048; @%p0 bra FILL;
	bar.warp.sync 0xFFFFFFFF; ld.global.u32 %r1, [%o]; mov.u32 %r8, s;"""
    ]
    for access, fold in LOADS.items():
        to, base = ("%d1", "wide.u32 %d1, %r1, {}, %in") if space == "global" else ("%r7", "lo.u32 %r7, %r1, {}, %r8")
        lines.append(
            f"mad.{base.format(size_of(access))}; ld.{space}.{access}, [{to}]; {fold} mad.lo.u32 %r9, %r9, 31, %r3;"
        )
    return SHARED + "\n\t".join([*lines, "st.global.u32 [%o], %r9;"])


@pytest.mark.parametrize("space", ["global", "shared"])
def test_loads(space):
    kernel, memory = load(entry("test", loads(space))).kernels["test"], arena()
    out, source = memory.allocate(128), memory.allocate(len(DATA))
    memory.view(source, len(DATA))[:] = DATA
    for pattern in PATTERNS.values():
        found = []
        for options in (BASE, FAST):
            memory.view(out, 128)[:] = struct.pack("<32I", *map(pattern, range(32)))
            kernel.launch((1, 1, 1), (32, 1, 1), struct.pack("<QQ", out, source), options=options)
            found.append(bytes(memory.view(out, 128)))
        assert found[0] == found[1]
        assert any(found[0])
    memory.free(out)
    memory.free(source)


STORES = (
    "u8 %h1", "u16 %h1", "f32 %f1", "b64 %d3", "v2.u16 {%h1, %h2}", "v2.b32 {%r3, %t}", "v4.f32 {%f1, %f1, %f1, %f1}",
    "v2.b64 {%d2, %d3}",
)  # fmt: skip


@pytest.mark.parametrize(
    "space,place",
    [("global", "sub.u32 %r1, 31, %t;"), ("shared", "xor.b32 %r1, %t, 9;"), ("shared", "mov.u32 %r1, %t;")],
)
def test_stores(space, place):
    base = "%in" if space == "global" else "%d5"
    lines = [
        f"""{place} mov.u32 %r2, s; cvt.u64.u32 %d5, %r2; mad.lo.u32 %r3, %t, 77, 5; mov.u32 %r4, %t;
	cvt.rn.f32.u32 %f1, %r3; cvt.u64.u32 %d2, %r3; shl.b64 %d3, %d2, 35; cvt.u16.u32 %h1, %r3; mov.u16 %h2, 3;
ZERO:	mul.lo.u32 %r5, %r4, 4; add.u32 %r5, %r5, %r2; st.shared.u32 [%r5], 0; add.u32 %r4, %r4, 32;
	setp.lt.u32 %p0, %r4, 2048; @%p0 bra ZERO;
	bar.warp.sync 0xFFFFFFFF; mov.u32 %r4, %t;"""
    ]
    at = 0
    for access in STORES:
        type, values = access.split(" ", 1)
        lines.append(f"mad.wide.u32 %d1, %r1, {size_of(access)}, {base}; st.{space}.{type} [%d1+{at}], {values};")
        at += 32 * size_of(access)
    lines.append(f"""bar.warp.sync 0xFFFFFFFF;
READ:	mad.wide.u32 %d1, %r4, 4, {base}; ld.{space}.u32 %r5, [%d1]; mad.wide.u32 %d1, %r4, 4, %out; st.global.u32 [%d1], %r5;
	add.u32 %r4, %r4, 32; setp.lt.u32 %p0, %r4, 512; @%p0 bra READ;""")
    assert any(same(SHARED + "\n\t".join(lines), words=512, data=bytes(1 << 12)))


def test_lanes_that_differ():
    """Arms within arms, loops of as many rounds as the lane has, guarded instructions, exits on the way, half a warp."""
    body = """
	mov.u32 %r9, %t; and.b32 %r1, %t, 7; mov.u32 %r2, 0;
LOOP:	setp.lt.u32 %p1, %r2, %r1; @!%p1 bra OUT;
	and.b32 %r3, %r2, 1; setp.eq.u32 %p2, %r3, 0; @%p2 bra EVEN;
	mad.wide.u32 %d1, %r9, 4, %in; setp.lt.u32 %p3, %t, 40; @%p3 ld.global.u32 %r4, [%in+64]; @!%p3 mov.u32 %r4, %t;
	setp.gt.u32 %p4, %t, 20; @%p4 bra MORE; add.u32 %r9, %r9, %r4; bra MET;
MORE:	mul.lo.u32 %r9, %r9, 3;
MET:	bra NEXT;
EVEN:	mad.wide.u32 %d1, %t, 4, %in; ld.global.u32 %r5, [%d1]; xor.b32 %r9, %r9, %r5;
NEXT:	add.u32 %r2, %r2, 1; bra LOOP;
OUT:	setp.eq.u32 %p5, %t, 33; @%p5 ret;
	st.global.u32 [%o], %r9;"""
    same(body, words=128, block=(50, 1, 1), grid=(2, 1, 1), data=DATA)


def test_each_lane_counts_for_itself():
    """What is done once for several lanes, where all have the same operands, must not be an atomic, nor a look at the clock."""
    body = """
	red.global.add.u32 [%out], 1; atom.global.add.u32 %r1, [%out+4], 2; mov.u32 %r2, %clock; mov.u32 %r3, %clock;
	setp.gt.u32 %p1, %r3, %r2; @%p1 red.global.add.u32 [%out+8], 1;
	ld.volatile.global.u32 %r4, [%out]; st.global.u32 [%out+12], %t;"""
    assert list(struct.unpack("<4I", same(body, words=4, block=(40, 1, 1)))) == [40, 80, 40, 39]


@pytest.mark.parametrize(
    "access,kind",
    [
        ("mad.wide.u32 %d1, %t, 4, %in; ld.global.u32 %r1, [%d1];", "illegal address"),
        ("mad.wide.u32 %d1, %t, 2, %in; ld.global.u32 %r1, [%d1];", "misaligned address"),
        ("mad.wide.u32 %d1, %t, 3, %in; add.u64 %d1, %d1, 10; st.global.u16 [%d1], %h1;", "misaligned address"),
        ("mul.wide.u32 %d1, %t, 4; mov.u64 %d2, c; add.u64 %d1, %d1, %d2; st.global.u32 [%d1], %r1;", "read-only"),
        ("mul.lo.u32 %r1, %t, 8; ld.shared.b64 %d1, [%r1]; ld.shared.b64 %d1, [%r1+8];", "illegal address"),
        ("mul.lo.u32 %r1, %t, 4; st.shared.v2.b32 [%r1], {%t, %t};", "misaligned address"),
        ("mul.wide.u32 %d1, %t, 4; add.u64 %d1, %d1, 0x100000000; ld.shared.u32 %r1, [%d1];", "illegal address"),
    ],
)
def test_faults_are_the_same(access, kind):
    told = []
    for options in (BASE, FAST):
        with pytest.raises(KernelFault, match=kind) as caught:
            run(
                f".shared .align 8 .b8 s[160]; setp.lt.u32 %p1, %t, 3; @%p1 bra OK;{access}\nOK:",
                data=bytes(100),
                before=".const .align 4 .b8 c[256];",
                options=options,
            )
        told.append(str(caught.value).splitlines()[0])
    assert told[0] == told[1]


@pytest.mark.parametrize(
    "op,python", [("div", lambda a, b: a // b if b else -1), ("rem", lambda a, b: a % b if b else -1)]
)
def test_quotients(op, python):
    edges = [0, 1, 2, 3, 7, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF]
    cases = [(a, b) for a in edges for b in edges]
    for _ in range(60):  # next to a multiple of the divisor
        b = RNG.randrange(1, 1 << RNG.randrange(1, 33))
        cases.append(((RNG.randrange(0, (1 << 32) // b) * b - RNG.randrange(2)) & 0xFFFFFFFF, b))
    check(f"{op}.u32 %d, %a, %b;", "u32", ["u32", "u32"], lambda a, b: python(a, b) & 0xFFFFFFFF, cases, options=FAST)

    def signed(a: int, b: int) -> int:
        a, b = (v - (v >> 31 << 32) for v in (a, b))
        if not b:
            return 0xFFFFFFFF
        whole = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        return (whole if op == "div" else a - whole * b) & 0xFFFFFFFF

    check(f"{op}.s32 %d, %a, %b;", "s32", ["s32", "s32"], signed, cases, options=FAST)


COMPUTING = """
add.sat.s32 %r1, %r2, %r3; mad.hi.u32 %r1, %r2, %r3, %r4; mul.wide.s32 %d1, %r2, %r3; sad.s32 %r1, %r2, %r3, %r4;
clz.b32 %r1, %r2; bfe.s32 %r1, %r2, %r3, %r4; shl.b32 %r1, %r2, %r3; shr.s64 %d1, %d2, %r3; prmt.b32 %r1, %r2, %r3, %r4;
lop3.b32 %r1, %r2, %r3, %r4, 0x2d; dp4a.s32.u32 %r1, %r2, %r3, %r4; fma.rn.ftz.f32 %f1, %f2, %f3, %f4; mul.rz.f32 %f1, %f2, %f3;
div.rn.f32 %f1, %f2, %f3; max.NaN.f32 %f1, %f2, %f3; fma.rn.f64 %g1, %g2, %g3, %g4; ex2.approx.f32 %f1, %f2;
add.bf16x2 %r1, %r2, %r3; cvt.rn.satfinite.e4m3x2.f32 %h1, %f2, %f3; cvt.rni.s32.f32 %r1, %f2; cvt.rn.f64.s64 %g1, %d2;
setp.lt.and.f32 %p1|%p2, %f2, %f3, %p3; selp.b64 %d1, %d2, %d3, %p3; mov.b64 {%r1, %r5}, %d2;
"""
FOLDS = {
    "r": "mov.u32 %r7, %r1;", "f": "mov.b32 %r7, %f1;", "h": "cvt.u32.u16 %r7, %h1;",
    "d": "mov.b64 {%r7, %r8}, %d1; xor.b32 %r7, %r7, %r8;", "g": "mov.b64 {%r7, %r8}, %g1; xor.b32 %r7, %r7, %r8;",
}  # fmt: skip


def computing() -> str:
    """Each instruction in a block of its own, on bits that differ from lane to lane, special values among them."""
    lines = [
        """
	mad.wide.u32 %d4, %t, 64, %in; mov.u32 %r9, 0; setp.lt.u32 %p3, %t, 11; mov.u32 %r5, 0;
	ld.global.v4.u32 {%r2, %r3, %r4, %r1}, [%d4]; ld.global.v2.b64 {%d2, %d3}, [%d4+16];
	ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%d4+32];
	ld.global.v2.f64 {%g2, %g3}, [%d4+48]; mov.f64 %g4, %g2; mov.b32 {%h2, %h3}, %r2;
	mov.b64 %d1, 0; mov.u16 %h1, 0; mov.b64 %g1, %d1;"""
    ]
    for instruction in filter(None, (text.strip() for text in COMPUTING.split(";"))):
        lines.append(f"{instruction}; bar.warp.sync 0xFFFFFFFF;")
        into = next(iter(re.findall(r"%([rdfgh])\d", instruction)))
        lines.append(f"{FOLDS[into]} mad.lo.u32 %r9, %r9, 31, %r7;")
    return "\n".join([*lines, "st.global.u32 [%o], %r9;"])


def test_computing():
    special = [0, 0x80000000, 0x7F800000, 0xFF800000, 0x7FC12345, 1, 0x00800000, 0x3F800000, 31, 0x7FF00000]
    words = [RNG.choice([RNG.getrandbits(32), RNG.choice(special)]) for _ in range(16 * 32)]
    assert any(same(computing(), data=struct.pack("<512I", *words)))


@pytest.mark.parametrize(
    "instruction",
    [
        "st.bulk.shared::cta [%r1], 64, 0",
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r1], %t, [%r2]",
        "st.volatile.global.u32 [%d1], %t",
        "ld.relaxed.gpu.global.u32 %r1, [%d1]",
    ],
)
def test_what_is_no_plain_access_is_done_lane_by_lane(instruction):
    body = f"add.u32 %r1, %t, 4; add.u32 %r2, %t, 5; {instruction};"
    source = parse(f"{HEADER}{entry('k', body)}", "k.ptx")
    assert "<16 x i32>" not in lower_kernel(flatten(source, source.entries[0], {}), {}, lanes=16).text


def test_tiers_share_their_memory():
    """A launch may go on in other code: registers, masks and slots lie where they lay."""
    source = parse(f"{HEADER}{entry('k', computing())}", "k.ptx")
    one, several = (lower_kernel(flatten(source, source.entries[0], {}), {}, lanes=lanes) for lanes in (0, 16))
    assert (one.slot_bytes, one.warp_bytes, one.waits, one.places) == (
        several.slot_bytes,
        several.warp_bytes,
        several.waits,
        several.places,
    )
    assert "<16 x double>" in several.text
