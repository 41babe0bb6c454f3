"""Each pass by example: a program, the pass, what it makes of it."""

from __future__ import annotations

import pytest

import ptxgen as px
from ptxgen import passes
from ptxgen.errors import PassError
from ptxgen.passes.arithmetic import evaluate
from ptxgen.passes.division import signed_magic, unsigned_magic

HEADER = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 .ptr .global .align 16 p, .param .u64 q) {
.reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .f32 %f<9>; .reg .f64 %e<4>;
ld.param.u64 %d0, [p]; mov.u32 %r0, %tid.x;
"""


def after(body: str, *names: str, **options) -> str:
    """The statements behind the first two, after the passes; new registers are written %x0, %x1, ..."""
    module = passes.run(px.parse(f"{HEADER}{body} ret; }}"), names, **options)
    lines = [line.strip() for line in str(module).split("{", 1)[1].splitlines()]
    head = (".reg", "ld.param.u64 %d0,", "mov.u32 %r0, %tid.x;", "ret;", "}")
    return " ".join(line for line in lines if line and not line.startswith(head)).replace("%x0_", "%x")


COUNT = "add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 9; @%p1 bra L;"

CASES = [
    # constants
    ("constants", "mov.u32 %r1, 5; add.u32 %r2, %r1, 2;", "mov.u32 %r1, 5; mov.b32 %r2, 7;"),
    ("constants", "mov.b32 %r1, %r0; add.u32 %r2, %r1, 2;", "mov.b32 %r1, %r0; add.u32 %r2, %r0, 2;"),
    ("constants", "mov.b32 %r1, %r0; mov.u32 %r0, %ctaid.x; add.u32 %r2, %r1, 2;", None),
    ("constants", "mov.u32 %r1, 5; @%p1 mov.u32 %r1, 6; add.u32 %r2, %r1, 2;", None),
    ("constants", "setp.eq.u32 %p1, 1, 1; @!%p1 add.u32 %r2, %r0, 2;", "mov.pred %p1, 1;"),
    ("constants", "mov.u32 %r1, 1065353216; mov.b32 %f1, %r1;", "mov.u32 %r1, 1065353216; mov.b32 %f1, 1065353216;"),
    ("constants", "mov.b32 %r1, 1; add.f32 %f1, %f0, %r1;", None),  # bits, not a number
    ("constants", "xor.b32 %r1, %r0, %r0;", "mov.b32 %r1, 0;"),
    ("constants", "div.u32 %r1, 5, 0;", None),
    ("constants", "shl.b16 %h1, %h0, 65536;", None),  # a count has 32 bits
    ("constants", "shr.u16 %h1, %h0, 0;", "mov.b16 %h1, %h0;"),
    # common
    ("common", "add.u32 %r1, %r0, 1; add.u32 %r2, 1, %r0;", "add.u32 %r1, %r0, 1; mov.b32 %r2, %r1;"),
    ("common", "add.u32 %r1, %r0, 1; mov.u32 %r0, 3; add.u32 %r2, %r0, 1;", None),
    ("common", "sub.u32 %r1, %r0, 1; sub.u32 %r2, 1, %r0;", None),
    ("common", "@%p1 add.u32 %r1, %r0, 1; add.u32 %r2, %r0, 1;", None),
    ("common", "mov.u32 %r1, %clock; mov.u32 %r2, %clock;", None),
    ("common", "ld.global.u32 %r1, [%d0]; ld.global.u32 %r2, [%d0];", None),
    ("common", "mov.u32 %r1, %tid.x;", "mov.b32 %r1, %r0;"),  # the head reads it into %r0
    ("common", "@%p1 bra L; add.u32 %r1, %r0, 1; L: add.u32 %r2, %r0, 1;", None),
    # mad
    ("mad", "mul.lo.u32 %r1, %r0, 7; add.u32 %r2, %r1, %r3;", "mad.lo.u32 %r2, %r0, 7, %r3;"),
    ("mad", "mul.wide.u32 %d1, %r0, 4; add.s64 %d2, %d0, %d1;", "mad.wide.u32 %d2, %r0, 4, %d0;"),
    ("mad", "mul.lo.u32 %r1, %r0, 7; mov.u32 %r0, 1; add.u32 %r2, %r1, %r3;", None),
    ("mad", "mul.lo.u32 %r1, %r0, 7; add.u32 %r2, %r1, %r1;", None),
    # shifts
    ("shifts", "mul.lo.s32 %r1, %r0, 8;", "shl.b32 %r1, %r0, 3;"),
    ("shifts", "@%p1 mul.lo.u32 %r1, %r0, 5;", "shl.b32 %x0, %r0, 2; @%p1 add.u32 %r1, %x0, %r0;"),
    ("shifts", "mul.lo.u32 %r1, 7, %r0;", "shl.b32 %x0, %r0, 3; sub.u32 %r1, %x0, %r0;"),
    ("shifts", "mul.lo.u32 %r1, %r0, 11;", None),
    # division
    ("division", "div.u32 %r1, %r0, 8;", "shr.u32 %r1, %r0, 3;"),
    ("division", "rem.u32 %r1, %r0, 8;", "and.b32 %r1, %r0, 7;"),
    ("division", "div.u32 %r1, %r0, 3;", "mul.hi.u32 %x0, %r0, 2863311531; shr.u32 %r1, %x0, 1;"),
    ("division", "div.s32 %r1, %r0, 3;",
     "mul.hi.s32 %x0, %r0, 1431655766; shr.s32 %x1, %r0, 31; sub.s32 %r1, %x0, %x1;"),
    ("division", "div.s64 %d1, %d2, -3;",
     "mul.hi.s64 %x0, %d2, 6148914691236517206; shr.s64 %x1, %d2, 63; sub.s64 %d1, %x1, %x0;"),
    ("division", "@%p1 div.s32 %r1, %r0, -1; @%p1 rem.s32 %r2, %r0, 1;", "@%p1 neg.s32 %r1, %r0; @%p1 mov.b32 %r2, 0;"),
    ("division", "rem.s32 %r1, %r0, -4;",  # it has the sign of the dividend
     "shr.s32 %x0, %r0, 31; shr.u32 %x1, %x0, 30; add.s32 %x2, %r0, %x1; shr.s32 %x3, %x2, 2; shl.b32 %x4, %x3, 2; "
     "sub.s32 %r1, %r0, %x4;"),
    ("division", "div.u32 %r1, %r0, 0;", None),
    ("division", "div.f32 %f1, %f0, 0f40400000;".replace("div.", "div.rn."), None),
    # fma
    ("fma", "mul.f32 %f1, %f2, %f3; add.f32 %f4, %f1, %f5;", "fma.rn.f32 %f4, %f2, %f3, %f5;"),
    ("fma", "mul.f32 %f1, %f2, %f3; sub.f32 %f4, %f1, 0f3F800000;", "fma.rn.f32 %f4, %f2, %f3, 0fBF800000;"),
    ("fma", "mul.f32 %f1, %f2, %f3; mov.f32 %f2, %f5; add.f32 %f4, %f1, %f5;", None),  # killed in between
    ("fma", "@%p1 mul.f32 %f1, %f2, %f3; add.f32 %f4, %f1, %f5;", None),  # the product may come from elsewhere
    ("fma", "mul.ftz.f32 %f1, %f2, %f3; add.f32 %f4, %f1, %f5;", None),
    ("fma", "mul.rz.f32 %f1, %f2, %f3; add.rn.f32 %f4, %f1, %f5;", None),
    ("fma", "mul.f32 %f1, %f2, %f3; add.f32 %f4, %f1, %f1;", None),
    # offsets
    ("offsets", "add.s64 %d1, %d0, 8; ld.global.u32 %r1, [%d1+4];", "add.s64 %d1, %d0, 8; ld.global.u32 %r1, [%d0+12];"),
    ("offsets", "add.s64 %d1, %d0, 8; mov.u64 %d0, 0; ld.global.u32 %r1, [%d1];", None),
    ("offsets", "add.s64 %d1, %d0, 16777216; ld.global.u32 %r1, [%d1];", None),
    ("offsets", "@%p1 add.s64 %d1, %d0, 8; ld.global.u32 %r1, [%d1];", None),
    # vectors: p is aligned to 16 bytes
    ("vectors", "ld.global.f32 %f1, [%d0+8]; ld.global.f32 %f2, [%d0+12];", "ld.global.v2.f32 {%f1, %f2}, [%d0+8];"),
    ("vectors", "st.global.u32 [%d0+4], %r1; st.global.u32 [%d0], %r2;", "st.global.v2.u32 [%d0], {%r2, %r1};"),
    ("vectors", "ld.global.f32 %f1, [%d0]; ld.global.f32 %f2, [%d0+4]; ld.global.f32 %f3, [%d0+8]; ld.global.f32 %f4, [%d0+12];",
     "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%d0];"),
    ("vectors", "ld.global.u8 %r1, [%d0]; ld.global.u8 %r2, [%d0+1]; ld.global.u8 %r3, [%d0+2]; ld.global.u8 %r4, [%d0+3];",
     "ld.global.v4.u8 {%r1, %r2, %r3, %r4}, [%d0];"),  # each lane is extended, as each load was
    ("vectors", "st.global.u16 [%d0], %r1; st.global.u16 [%d0+2], %r2;", "st.global.v2.u16 [%d0], {%r1, %r2};"),
    ("vectors", "ld.global.f32 %f1, [%d0+4]; ld.global.f32 %f2, [%d0+8];", None),  # not aligned
    ("vectors", "ld.param.u64 %d1, [q]; ld.global.f32 %f1, [%d1]; ld.global.f32 %f2, [%d1+4];", None),  # not known to be
    ("vectors", "ld.global.f32 %f1, [%d0]; st.global.f32 [%d1], %f3; ld.global.f32 %f2, [%d0+4];", None),  # may alias
    ("vectors", "ld.global.f32 %f1, [%d0]; mov.f32 %f3, %f2; ld.global.f32 %f2, [%d0+4];", None),  # %f2 is read before
    ("vectors", "st.global.f32 [%d0], %f1; mov.f32 %f1, %f2; st.global.f32 [%d0+4], %f1;", None),
    ("vectors", "st.global.f32 [%d0], %f1; ld.global.f32 %f2, [%d1]; st.global.f32 [%d0+4], %f3;", None),
    ("vectors", "ld.global.f32 %f1, [%d0]; bar.sync 0; ld.global.f32 %f2, [%d0+4];", None),
    ("vectors", "ld.global.u64 %d0, [%d0]; ld.global.u64 %d1, [%d0+8];", None),
    ("vectors", "ld.global.u64 %d1, [%d0]; ld.global.u64 %d0, [%d0+8]; ld.global.u64 %d2, [%d0+16];", None),
    # predication
    ("predication", "@%p1 bra L; st.global.u32 [%d0], %r0; L: mov.u32 %r1, 1;",
     "@!%p1 st.global.u32 [%d0], %r0; L: mov.u32 %r1, 1;"),
    ("predication", "@!%p1 bra L; add.u32 %r1, %r3, 1; L: st.global.u32 [%d0], %r1;",
     "@%p1 add.u32 %r1, %r3, 1; L: st.global.u32 [%d0], %r1;"),
    ("predication", "@%p1 bra L; add.u32 %r1, %r3, 1; st.global.u32 [%d0], %r1; L: mov.u32 %r2, 1;",  # nobody needs %r1
     "add.u32 %r1, %r3, 1; @!%p1 st.global.u32 [%d0], %r1; L: mov.u32 %r2, 1;"),
    ("predication", "@%p1 bra L; red.global.add.u32 [%d0], 1; L: mov.u32 %r2, 1;",
     "@!%p1 red.global.add.u32 [%d0], 1; L: mov.u32 %r2, 1;"),
    ("predication", "@%p1 bra L; ld.global.u32 %r1, [%d0]; L: st.global.u32 [%d0], %r1;",
     "@!%p1 ld.global.u32 %r1, [%d0]; L: st.global.u32 [%d0], %r1;"),
    ("predication", "@%p1 bra L; ld.global.u32 %r1, [%d0]; st.global.u32 [%d0+4], %r1; L: mov.u32 %r2, 1;", None),
    ("predication", "@%p1 bra L; membar.gl; L: mov.u32 %r2, 1;", None),
    ("predication", "@%p1 bra L; setp.eq.u32 %p1, %r0, 1; add.u32 %r1, %r1, 1; L: mov.u32 %r2, 1;", None),
    ("predication", "@%p1 bra L; bar.sync 0; L: mov.u32 %r2, 1;", None),
    # hoist: %r3 counts
    ("hoist", f"L: add.u32 %r1, %r4, 1; st.global.u32 [%d0], %r1; {COUNT}",
     f"add.u32 %r1, %r4, 1; L: st.global.u32 [%d0], %r1; {COUNT}"),
    ("hoist", f"L: add.u32 %r1, %r4, 1; xor.b32 %r2, %r1, 7; st.global.u32 [%d0], %r2; {COUNT}",
     f"add.u32 %r1, %r4, 1; xor.b32 %r2, %r1, 7; L: st.global.u32 [%d0], %r2; {COUNT}"),
    ("hoist", f"@%p2 bra E; L: div.u32 %r1, %r4, 7; st.global.u32 [%d0], %r1; {COUNT} E: mov.u32 %r5, 1;",  # behind the branch
     f"@%p2 bra E; div.u32 %r1, %r4, 7; L: st.global.u32 [%d0], %r1; {COUNT} E: mov.u32 %r5, 1;"),
    ("hoist", f"M: mov.u32 %r3, 0; L: add.u32 %r1, %r4, 1; st.global.u32 [%d0], %r1; {COUNT} @%p2 bra M;",  # out of both loops
     f"add.u32 %r1, %r4, 1; M: mov.u32 %r3, 0; L: st.global.u32 [%d0], %r1; {COUNT} @%p2 bra M;"),
    ("hoist", f"L: add.u32 %r1, %r3, 1; st.global.u32 [%d0], %r1; {COUNT}", None),  # not the same
    ("hoist", f"L: div.u32 %r1, %r4, %r5; st.global.u32 [%d0], %r1; {COUNT}", None),  # by zero perhaps, where it did not run
    ("hoist", f"L: mov.u32 %r1, 5; st.global.u32 [%d0], %r1; {COUNT}", None),  # costs nothing
    ("hoist", f"L: mov.u32 %r1, %clock; st.global.u32 [%d0], %r1; {COUNT}", None),
    ("hoist", f"L: ld.global.u32 %r1, [%d0+4]; st.global.u32 [%d0], %r1; {COUNT}", None),
    ("hoist", f"L: @%p2 add.u32 %r1, %r4, 1; st.global.u32 [%d0], %r1; {COUNT}", None),
    ("hoist", f"L: st.global.u32 [%d0], %r1; add.u32 %r1, %r4, 1; {COUNT}", None),  # the first round reads what was there
    ("hoist", f"mov.u32 %r1, 2; L: st.global.u32 [%d0], %r1; add.u32 %r1, %r4, 1; {COUNT}", None),
    ("hoist", f"L: @%p2 bra M; add.u32 %r1, %r4, 1; M: st.global.u32 [%d0], %r1; {COUNT}", None),  # perhaps never written
    ("hoist", f"L: {{ .reg .u32 %t; add.u32 %t, %r4, 1; st.global.u32 [%d0], %t; }} {COUNT}", None),  # %t is declared inside
    # read_only: parameter p is marked in these
    ("read_only", "ld.global.f32 %f1, [%d0+4];", "ld.global.nc.f32 %f1, [%d0+4];"),
    ("read_only", "mul.wide.u32 %d1, %r0, 4; add.s64 %d2, %d0, %d1; ld.global.v2.f32 {%f1, %f2}, [%d2];",
     "mul.wide.u32 %d1, %r0, 4; add.s64 %d2, %d0, %d1; ld.global.nc.v2.f32 {%f1, %f2}, [%d2];"),
    ("read_only", "ld.global.f32 %f1, [%d0]; st.global.f32 [%d0+4], %f1;", None),  # written after all
    ("read_only", "ld.param.u64 %d1, [q]; ld.global.f32 %f1, [%d1];", None),
    ("read_only", "@%p1 mov.u64 %d0, %d1; ld.global.f32 %f1, [%d0];", None),  # perhaps another pointer
    ("read_only", "ld.volatile.global.f32 %f1, [%d0];", None),
    # schedule: loads come early, what they hide behind them
    ("schedule", "add.u32 %r3, %r0, 1; ld.global.u32 %r1, [%d0]; add.u32 %r2, %r1, 1;",
     "ld.global.u32 %r1, [%d0]; add.u32 %r3, %r0, 1; add.u32 %r2, %r1, 1;"),
    ("schedule", "st.global.u32 [%d0], %r3; ld.global.u32 %r1, [%d0+4];",  # not the same word
     "ld.global.u32 %r1, [%d0+4]; st.global.u32 [%d0], %r3;"),
    ("schedule", "st.shared.u32 [%r3], %r3; ld.global.u32 %r1, [%d2];", "ld.global.u32 %r1, [%d2]; st.shared.u32 [%r3], %r3;"),
    ("schedule", "st.global.u32 [%d1], %r3; ld.global.nc.u32 %r1, [%d2];",
     "ld.global.nc.u32 %r1, [%d2]; st.global.u32 [%d1], %r3;"),
    ("schedule", "bar.sync 0; add.u32 %r3, %r0, 1; ld.global.u32 %r1, [%d0]; bar.sync 0;",
     "bar.sync 0; ld.global.u32 %r1, [%d0]; add.u32 %r3, %r0, 1; bar.sync 0;"),
    ("schedule", "add.u32 %r3, %r4, 1; shfl.sync.up.b32 %r1, %r5, 1, 0, 0xFFFFFFFF;",
     "shfl.sync.up.b32 %r1, %r5, 1, 0, 4294967295; add.u32 %r3, %r4, 1;"),
    ("schedule", "st.global.u32 [%d2], %r3; ld.global.u32 %r1, [%d1];", None),  # may be the same
    ("schedule", "st.global.u32 [%d2], %r3; ld.u32 %r1, [%d1];", None),  # a generic address
    ("schedule", "st.global.u32 [%d0+2], %r3; ld.global.u32 %r1, [%d0+4];", None),  # overlap
    ("schedule", "st.global.u32 [%d1], %r3; add.s64 %d1, %d1, 8; ld.global.u32 %r1, [%d1+-4];", None),  # %d1 is another
    ("schedule", "red.shared.add.u32 [%r3], %r3; ld.global.u32 %r1, [%d2];", None),
    ("schedule", "ld.volatile.global.u32 %r1, [%d1]; ld.global.u32 %r2, [%d2];", None),
    ("schedule", "add.u32 %r3, %r4, 1; bar.sync 0; ld.global.u32 %r1, [%d2];", None),
    ("schedule", "add.u32 %r3, %r4, 1; mov.u32 %r5, %clock; ld.global.u32 %r1, [%d2];", None),
    ("schedule", "add.u32 %r3, %r1, 1; ld.global.u32 %r1, [%d2];", None),  # read before it is written
    ("schedule", "add.u32 %r1, %r4, 1; ld.global.u32 %r1, [%d2];", None),  # written in this order
    ("schedule", "@%p1 add.u32 %r1, %r4, 1; @!%p1 ld.global.u32 %r1, [%d2];", None),
    ("schedule", "setp.eq.u32 %p1, %r4, 1; @%p1 ld.global.u32 %r1, [%d0];", None),  # the guard
    ("schedule", "st.global.u32 [%d0], %r3; shfl.sync.up.b32 %r1, %r5, 1, 0, 0xFFFFFFFF;", None),
    ("schedule", "add.u32 %r3, %r4, 1; { .reg .u32 %t; ld.global.u32 %t, [%d2]; }", None),  # %t is declared there
    ("schedule", "add.u32 %r3, %r4, 1; L: ld.global.u32 %r1, [%d2];", None),
    ("schedule", "add.cc.u32 %r1, %r4, 1; addc.u32 %r2, %r4, 0; add.cc.u32 %r3, %r4, 1; addc.u32 %r5, %r0, 0;", None),
    # dead
    ("dead", "add.u32 %r1, %r0, 1; st.global.u32 [%d0], %r0;", "st.global.u32 [%d0], %r0;"),
    ("dead", "ld.volatile.global.u32 %r1, [%d0];", "ld.volatile.global.u32 %r1, [%d0];"),
    ("dead", "mov.u32 %r1, 1; mov.u32 %r1, 2; st.global.u32 [%d0], %r1;", "mov.u32 %r1, 2; st.global.u32 [%d0], %r1;"),
    ("dead", "bra L; st.global.u32 [%d0], %r0; L: st.global.u32 [%d0], 1;", "L: st.global.u32 [%d0], 1;"),
    ("dead", "@%p1 bra A; @!%p1 bra B; A: bra L; B: bra L; L: st.global.u32 [%d0], 1;",
     "@%p1 bra A; @!%p1 bra B; A: B: L: st.global.u32 [%d0], 1;"),
    ("dead", "atom.global.add.u32 %r1, [%d0], %r0;", None),
]  # fmt: skip


@pytest.mark.parametrize("name, body, expected", CASES)
def test_a_pass(name, body, expected):
    same = after(body)
    assert after(body, name, read_only=["p"]) == (same if expected is None else expected)


def test_what_only_feeds_itself_around_a_loop_is_dead():
    body = "mov.u32 %r1, 0; L: add.u32 %r1, %r1, 1; add.u32 %r0, %r0, 1; setp.lt.u32 %p1, %r0, 9; @%p1 bra L;"
    assert "%r1" not in after(body, "dead")


def test_carries_are_never_shared_nor_dropped():
    body = "add.cc.u32 %r1, %r0, 1; addc.u32 %r2, %r0, 1; st.global.u32 [%d0], %r2;"
    assert after(body, "common", "dead") == after(body)


@pytest.mark.parametrize("bits", [16, 32, 64])
@pytest.mark.parametrize("divisor", [3, 5, 7, 9, 10, 11, 13, 25, 125, 331, 625, 641, 1000, 9929, 32767])
def test_magic_numbers_divide_at_every_edge(bits, divisor):
    top, half = 1 << bits, 1 << (bits - 1)
    near = {k * divisor + e for k in (0, 1, 2, half // divisor, top // divisor - 1, top // divisor) for e in (-1, 0, 1)}
    magic = unsigned_magic(divisor, bits)
    for n in {n % top for n in near | {top - 1, half, half - 1}}:
        full = magic.multiplier + (top if magic.adds else 0)
        assert n * full >> (bits + magic.shift) == n // divisor
    magic = signed_magic(divisor, bits)
    for n in {s * n for n in near for s in (1, -1) if -half <= s * n < half} | {-half, half - 1}:
        quotient = (n * magic.multiplier >> (bits + magic.shift)) + (n < 0)
        assert quotient == evaluate(f"div.s{bits}", [n, divisor])
    assert magic.shift >= 0


def test_statistics_count_instructions_and_changes():
    steps: list[passes.PassStep] = []
    module = px.parse(f"{HEADER} add.u32 %r1, %r0, 1; ret; }}")
    passes.run(module, ["dead", "fma"], statistics=steps)
    assert steps == [passes.PassStep("dead", 4, 1, 3), passes.PassStep("fma", 1, 1, 0)]


REMARKS = [
    ("vectors", "ld.param.u64 %d1, [q]; ld.global.f32 %f1, [%d1]; ld.global.f32 %f2, [%d1+4];",
     "vectors: ld.global.f32 in k not joined with the next 4 bytes: the address is known to be a multiple of 1, not of 8"),
    ("read_only", "ld.global.f32 %f1, [%d0]; st.global.f32 [%d0+4], %f1;",
     "read_only: st.global.f32 in k writes through p, which was named read-only"),
    ("fma", "mul.f32 %f1, %f2, %f3; mov.f32 %f2, %f5; add.f32 %f4, %f1, %f5;",
     "fma: add.f32 in k not fused with its product: %f2, which the product reads, is overwritten in between"),
    ("fma", "@%p1 mul.f32 %f1, %f2, %f3; add.f32 %f4, %f1, %f5;", "the product is guarded"),
    ("fma", "mul.f32 %f1, %f2, %f3; add.f32 %f4, %f1, %f1;", "the product has other uses"),
    ("fma", "mul.f32 %f1, %f2, %f3; L: add.f32 %f4, %f1, %f5;", "the product is in another block"),
    ("fma", "mul.f32 %f1, %f2, %f3; mul.f32 %f1, %f2, %f3; add.f32 %f4, %f1, %f5;", "written in several places"),
    ("fma", "mul.rz.f32 %f1, %f2, %f3; add.rn.f32 %f4, %f1, %f5;", "mul.rz.f32 and add.rn.f32 differ in how they round"),
]  # fmt: skip


@pytest.mark.parametrize("name, body, expected", REMARKS)
def test_a_remark_says_why_not(name, body, expected):
    remarks: list[passes.Remark] = []
    passes.run(px.parse(f"{HEADER}\n{body} ret; }}", name="k.ptx"), [name, name], read_only=["p"], remarks=remarks)
    (remark,) = remarks  # said once, although the pass ran twice
    assert str(remark).startswith("k.ptx:")
    assert expected in str(remark)


def test_a_value_stays_in_a_loop_that_has_no_register_left():
    registers = " ".join(f"add.u32 %a{i}, %r0, {i};" for i in range(30))
    uses = " ".join(f"add.u32 %a{i}, %a{i}, %a{i + 1};" for i in range(29))
    body = (
        f".reg .b32 %a<30>; {registers} L: {uses} mul.lo.u32 %r1, %r4, 3; st.global.u32 [%d0], %r1; {COUNT} "
        "st.global.u32 [%d0], %a0;"
    )
    remarks: list[passes.Remark] = []
    module = px.parse(f"{HEADER}{body} ret; }}")
    assert str(passes.run(module, ["hoist"], remarks=remarks)) == str(module)
    assert "stays in its loop: 3" in str(remarks[0])


def test_unknown_names_say_what_there_is():
    module = px.parse(f"{HEADER} ret; }}")
    with pytest.raises(PassError, match=r"no pass 'lop'; there are constants, common(.|\n)*ptxgen opt --list"):
        passes.run(module, ["lop"])
    with pytest.raises(PassError, match=r"no pass 'hoists'(.|\n)*did you mean 'hoist'"):
        passes.run(module, ["hoists"])
    with pytest.raises(ValueError, match=r"passes='dead' is one name(.|\n)*\['dead'\]"):
        passes.run(module, "dead")
    with pytest.raises(PassError, match=r"no kernel has a parameter 'z'; there are k\.p, k\.q, p, q"):
        passes.run(module, read_only=["z"])
    with pytest.raises(px.VerifyError):
        passes.run(px.parse(f"{HEADER} add.f32 %r1, %r1, %d0; ret; }}"))


def test_every_pass_says_in_a_line_what_it_does():
    assert all((function.__doc__ or "").strip().endswith(".") for function in passes.PASSES.values())
    assert set(passes.DEFAULT) <= set(passes.PASSES)
    assert "fma" not in passes.DEFAULT


def test_what_an_accumulator_starts_from_is_alive():
    registers = ", ".join(f"%f{i}" for i in range(4))
    module = px.parse(f""".version 8.0
        .target sm_90a
        .address_size 64
        .visible .entry k() {{
            .reg .f32 %f<4>; .reg .b64 %d<3>;
            mov.f32 %f0, 0f00000000; mov.f32 %f1, %f0; mov.f32 %f2, %f0; mov.f32 %f3, %f0;
            mov.u64 %d0, 0; mov.u64 %d1, 0;
            wgmma.fence.sync.aligned;
            wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {{{registers}}}, %d0, %d1, 1, 1, 1, 0, 0;
            wgmma.commit_group.sync.aligned;
            wgmma.wait_group.sync.aligned 0;
            ret;
        }}""")
    assert str(passes.run(module, ["dead"])) == str(module)
