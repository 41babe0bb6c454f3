"""What is proved to be equal although the instructions differ, and what must not be."""

from __future__ import annotations

from pathlib import Path

import pytest

from ptxgen.compare.proof import Proof, prove
from ptxgen.compare.values import graph_of
from ptxgen.dataflow.bodies.walk import body_of
from ptxgen.passes import run
from ptxgen.text import parse
from tests.ptx import kernel

PARAMETERS = ".param .u32 n, .param .u64 x, .param .u64 y"
GOLDEN = Path(__file__).resolve().parents[3] / "golden"
REGISTERS = ".reg .pred %p<5>; .reg .b32 %r<19>; .reg .b64 %rd<19>; .reg .f32 %f<9>; .shared .b32 sm[64];"
HEAD = "ld.param.u32 %r1, [n]; ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y]; mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x;\n"
FLOATS = "cvt.rn.f32.u32 %f2, %r1; cvt.rn.f32.u32 %f3, %r2; cvt.rn.f32.u32 %f4, %r3;\n"
STORE = "st.global.b32 [%rd2], %r9;"


def proof(old: str, new: str) -> Proof:
    modules = [parse(kernel(HEAD + FLOATS + body, PARAMETERS, registers=REGISTERS)) for body in (old, new)]
    return prove(*(graph_of(body_of(module, "k"), {}) for module in modules))


@pytest.mark.parametrize(
    "old, new",
    [
        ("add.u32 %r4, %r1, %r2; add.u32 %r9, %r4, %r3;", "add.s32 %r4, %r2, %r3; add.s32 %r9, %r1, %r4;"),
        ("mad.lo.u32 %r9, %r1, %r2, %r3;", "mul.lo.s32 %r4, %r2, %r1; add.u32 %r9, %r3, %r4;"),
        ("mul.lo.u32 %r9, %r1, 8;", "shl.b32 %r9, %r1, 3;"),
        ("sub.u32 %r4, %r1, %r2; mul.lo.u32 %r9, %r4, 3;", "mul.lo.u32 %r4, %r1, 3; mad.lo.u32 %r9, %r2, -3, %r4;"),
        ("not.b32 %r9, %r1;", "sub.s32 %r9, -1, %r1;"),
        ("div.u32 %r9, %r1, 16; add.u32 %r9, %r9, 1;", "shr.u32 %r4, %r1, 4; sub.u32 %r9, %r4, -1;"),
        ("rem.u32 %r9, %r1, 32;", "and.b32 %r9, %r1, 31;"),
        ("and.b32 %r4, %r1, %r2; and.b32 %r9, %r4, 255;", "and.b32 %r4, %r1, 255; and.b32 %r9, %r2, %r4;"),
        ("setp.lt.u32 %p1, %r1, 5; selp.b32 %r9, %r2, %r3, %p1;", "setp.gt.u32 %p1, %r1, 4; selp.b32 %r9, %r3, %r2, %p1;"),
        ("setp.ge.s32 %p1, %r1, %r2; selp.b32 %r9, 1, 0, %p1;", "setp.gt.s32 %p1, %r2, %r1; selp.b32 %r9, 0, 1, %p1;"),
        ("sub.u32 %r4, %r1, %r2; setp.eq.u32 %p1, %r4, 0; selp.b32 %r9, 7, 0, %p1;",
         "setp.ne.u32 %p1, %r2, %r1; selp.b32 %r9, 0, 7, %p1;"),
        ("setp.eq.u32 %p1, %r1, 0; selp.b32 %r9, %r2, %r3, %p1;",
         "setp.eq.u32 %p1, %r1, 0; mov.u32 %r9, %r3; @%p1 mov.u32 %r9, %r2;"),
        ("mul.wide.u32 %rd3, %r1, 4; add.u64 %rd4, %rd1, %rd3; ld.global.b32 %r9, [%rd4+8];",
         "cvt.u64.u32 %rd3, %r1; shl.b64 %rd3, %rd3, 2; add.s64 %rd4, %rd1, %rd3; ld.global.b32 %r9, [%rd4+8];"),
        ("cvt.u64.u32 %rd3, %r1; add.u64 %rd3, %rd3, %rd1; cvt.u32.u64 %r9, %rd3;",
         "cvt.u32.u64 %r4, %rd1; add.u32 %r9, %r4, %r1;"),
        ("ld.global.b32 %r4, [%rd1]; ld.global.b32 %r5, [%rd1]; add.u32 %r9, %r4, %r5;",
         "ld.global.b32 %r4, [%rd1]; shl.b32 %r9, %r4, 1;"),
        ("fma.rn.f32 %f1, %f2, %f3, %f4; mov.b32 %r9, %f1;", "fma.rn.f32 %f1, %f3, %f2, %f4; mov.b32 %r9, %f1;"),
    ],
)  # fmt: skip
def test_one_value(old: str, new: str) -> None:
    assert proof(old + STORE, new + STORE) == Proof(2)


@pytest.mark.parametrize(
    "old, new",
    [
        ("shr.u32 %r9, %r1, 3;", "shr.s32 %r9, %r1, 3;"),
        ("div.s32 %r9, %r1, 16;", "shr.s32 %r9, %r1, 4;"),
        ("setp.lt.u32 %p1, %r1, %r2; selp.b32 %r9, 1, 0, %p1;", "setp.lt.s32 %p1, %r1, %r2; selp.b32 %r9, 1, 0, %p1;"),
        ("setp.lt.u32 %p1, %r1, 5; selp.b32 %r9, 1, 0, %p1;", "setp.le.u32 %p1, %r1, 5; selp.b32 %r9, 1, 0, %p1;"),
        ("mul.wide.u32 %rd3, %r1, %r2; shr.u64 %rd3, %rd3, 32; cvt.u32.u64 %r9, %rd3;",
         "mul.lo.u32 %r4, %r1, %r2; cvt.u64.u32 %rd3, %r4; shr.u64 %rd3, %rd3, 32; cvt.u32.u64 %r9, %rd3;"),
        ("add.f32 %f1, %f2, %f3; add.f32 %f1, %f1, %f4; mov.b32 %r9, %f1;",
         "add.f32 %f1, %f3, %f4; add.f32 %f1, %f2, %f1; mov.b32 %r9, %f1;"),
        ("add.sat.s32 %r9, %r1, %r2;", "add.s32 %r9, %r1, %r2;"),
        ("ld.shared.b32 %r9, [sm]; bar.sync 0;", "bar.sync 0; ld.shared.b32 %r9, [sm];"),
        ("ld.global.b32 %r9, [%rd1]; st.global.b32 [%rd2+8], %r1;", "st.global.b32 [%rd2+8], %r1; ld.global.b32 %r9, [%rd1];"),
        ("st.global.b32 [%rd1], %r1; st.global.b32 [%rd2], %r2; mov.u32 %r9, 0;",
         "st.global.b32 [%rd2], %r2; st.global.b32 [%rd1], %r1; mov.u32 %r9, 0;"),
        ("ld.volatile.global.b32 %r9, [%rd1]; ld.volatile.global.b32 %r9, [%rd1];", "ld.volatile.global.b32 %r9, [%rd1];"),
        ("mov.u32 %r9, %clock; mov.u32 %r4, %clock; sub.u32 %r9, %r4, %r9;", "mov.u32 %r9, 0;"),
        ("add.cc.u32 %r4, %r1, %r2; addc.u32 %r9, 0, 0;", "add.u32 %r4, %r1, %r2; addc.u32 %r9, 0, 0;"),
        ("@%p1 mov.u32 %r9, %r1;", "mov.u32 %r9, %r1;"),
        ("setp.eq.u32 %p1, %r1, 0; @%p1 st.global.b32 [%rd1], %r1; mov.u32 %r9, 0;",
         "setp.eq.u32 %p1, %r1, 0; @!%p1 st.global.b32 [%rd1], %r1; mov.u32 %r9, 0;"),
    ],
)  # fmt: skip
def test_not_one_value(old: str, new: str) -> None:
    assert proof(old + STORE, new + STORE).what


LOOP = """mov.u32 %r4, 0; mov.u32 %r5, 0; mov.u32 %r6, 1;
$L: {body} add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, %r1; @%p1 bra $L; {behind}"""


def test_a_loop_with_its_condition_the_other_way_round() -> None:
    old = LOOP.format(body="mad.lo.u32 %r5, %r4, 4, %r5;", behind="mov.u32 %r9, %r5;" + STORE)
    new = """mov.u32 %r7, 0; mov.u32 %r8, 0; bra.uni $M;
    $E: st.global.b32 [%rd2], %r8; ret;
    $M: shl.b32 %r10, %r7, 2; add.u32 %r8, %r10, %r8; add.u32 %r7, %r7, 1; setp.ge.u32 %p2, %r7, %r1; @%p2 bra $E; bra.uni $M;"""
    assert proof(old, new) == Proof(2)


def test_two_variables_of_a_loop_are_not_one_another() -> None:
    body = "add.u32 %r5, %r5, %r4; mul.lo.u32 %r6, %r6, 3;"
    old, new = (LOOP.format(body=body, behind=f"mov.u32 %r9, {name};" + STORE) for name in ("%r5", "%r6"))
    assert proof(old, old) == Proof(2)
    assert proof(old, new).what


def test_a_load_of_an_earlier_round_is_another_one() -> None:
    body = "{first} st.global.b32 [%rd1], %r4; {second}"
    load = "ld.global.b32 %r5, [%rd1];"
    old, new = (
        LOOP.format(body=body.format(first=first, second=second), behind="mov.u32 %r9, %r5;" + STORE)
        for first, second in ((load, ""), ("", load))
    )
    assert proof(old, new).what


def test_it_says_what_is_not_known() -> None:
    found = proof(
        "st.global.b32 [%rd1], %r1; mov.u32 %r9, 1;" + STORE, "st.global.b32 [%rd1], %r1; mov.u32 %r9, 2;" + STORE
    )
    assert (found.proved, found.what) == (1, "they are not known to do the same")
    assert found.old is not None
    assert found.new is not None
    assert found.old.op == "st.global.b32"


def test_passes_on_a_kernel_of_the_library() -> None:
    """The passes share, fold and hoist; what they leave is proved to be what was there."""
    module = parse(next(GOLDEN.glob("saxpy/f32*.ptx")).read_text())
    changed = run(module)
    (name,) = [entry.name for entry in module.entries]
    assert str(changed) != str(module)
    assert prove(*(graph_of(body_of(each, name), {}) for each in (module, changed))).what == ""
