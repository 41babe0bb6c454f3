"""wgmma.mma_async reads its accumulators unless scale-d is false; mma reads its own through c."""

from __future__ import annotations

import pytest

from ptxgen.text import parse
from ptxgen.verifier import verify

_MMA = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {{%f0, %f1, %f2, %f3}}, %rd1, %rd2, {scale}, 1, 1, 0, 0;"


def kernel(body: str) -> str:
    """The lines in a kernel; FENCE, MMA(scale) and WAIT stand for the instructions around one product."""
    body = body.replace("FENCE", "wgmma.fence.sync.aligned;")
    body = body.replace("WAIT", "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;")
    while "MMA(" in body:
        before, _, rest = body.partition("MMA(")
        scale, _, after = rest.partition(")")
        body = before + _MMA.format(scale=scale) + after
    return (
        ".version 8.0\n.target sm_90a\n.address_size 64\n"
        ".entry k(.param .u64 a, .param .u64 b, .param .u64 out, .param .u32 n)\n.reqntid 128, 1, 1\n{\n"
        ".reg .pred %p<6>; .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .f32 %f<8>;\n"
        "ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u64 %rd3, [out]; ld.param.u32 %r1, [n];\n"
        f"{body}\nst.global.v4.f32 [%rd3], {{%f0, %f1, %f2, %f3}};\nret;\n}}\n"
    )


def found(body: str) -> list[str]:
    return [finding.message for finding in verify(parse(kernel(body))) if finding.code == "PTX303"]


def loop(before: str, scale: str, after: str = "", compute: str = "") -> str:
    return (
        f"{before}\nmov.u32 %r2, 0;\nLOOP:\n{compute}\nFENCE MMA({scale}) WAIT {after}\n"
        "add.u32 %r2, %r2, 1; setp.lt.u32 %p5, %r2, %r1;\n@%p5 bra LOOP;"
    )


ADDED = ["%f0, %f1, %f2, %f3 are added to before they are written"]
ZEROS = "mov.f32 %f0, 0f00000000; mov.f32 %f1, %f0; mov.f32 %f2, %f0; mov.f32 %f3, %f0;"


@pytest.mark.parametrize(
    "body",
    [
        "FENCE MMA(0) WAIT",
        f"{ZEROS} FENCE MMA(1) WAIT",
        "FENCE MMA(0) MMA(1) WAIT",  # the first sets what the second adds to
        "setp.ne.u32 %p1, 0, 0; FENCE MMA(%p1) WAIT",
        "mov.pred %p1, 0; FENCE MMA(%p1) WAIT",
        "mov.pred %p1, 1; not.pred %p2, %p1; FENCE MMA(%p2) WAIT",
        "mov.u32 %r2, 0; setp.ne.b32 %p1, %r2, 0; FENCE MMA(%p1) WAIT",
        "setp.ne.u32 %p1, %r1, %r1; FENCE MMA(%p1) WAIT",
        "setp.eq.u32 %p1|%p2, %r1, %r1; FENCE MMA(%p2) WAIT",
        loop("", "%p1", compute="setp.ne.u32 %p1, %r2, 0;"),  # false in the first turn
        loop("mov.pred %p1, 0;", "%p1", after="mov.pred %p1, 1;"),
        loop("mov.u32 %r3, 0;", "%p1", compute="setp.ne.b32 %p1, %r3, 0;", after="mov.u32 %r3, 1;"),
        loop("mov.u32 %r3, %r1;", "%p1", compute="setp.ne.b32 %p1, %r3, %r1;", after="add.u32 %r3, %r3, 1;"),
        "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra SKIP;\nFENCE MMA(%p1) WAIT\nbra END;\nSKIP:\n" + ZEROS + "\nEND:",
    ],
)  # fmt: skip
def test_scale_d_that_is_false_where_nothing_is_there_yet(body: str) -> None:
    assert found(body) == []


@pytest.mark.parametrize(
    "body",
    [
        "FENCE MMA(1) WAIT",
        "setp.ne.u32 %p1, %r1, 0; FENCE MMA(%p1) WAIT",  # who knows
        "setp.eq.u32 %p1, 0, 0; FENCE MMA(%p1) WAIT",
        "mov.pred %p1, 0; not.pred %p2, %p1; FENCE MMA(%p2) WAIT",
        loop("", "1"),
        loop("", "%p1", compute="setp.eq.u32 %p1, %r2, 0;"),  # the wrong way round
        loop("mov.pred %p1, 1;", "%p1"),
        "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra SKIP;\nbra END;\nSKIP:\nFENCE MMA(%p1) WAIT\nbra DONE;\nEND:\n" + ZEROS + "\nDONE:",
    ],
)  # fmt: skip
def test_scale_d_that_may_be_true(body: str) -> None:
    assert found(body) == ADDED


def test_accumulators_that_one_way_leaves_unwritten() -> None:
    body = f"setp.ne.u32 %p1, %r1, 0;\n@%p1 bra ADD;\n{ZEROS}\nADD:\nFENCE MMA(1) WAIT"
    assert found(body) == ADDED


def test_a_long_list_of_accumulators_is_cut() -> None:
    registers = ", ".join(f"%acc{n}" for n in range(128))
    mma = f"wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {{{registers}}}, %rd1, %rd2, 1, 1, 1, 0, 0;"
    assert found(f".reg .f32 %acc<128>;\nFENCE {mma} WAIT {ZEROS}") == [
        "%acc0, ..., %acc127 (128 registers) are added to before they are written"
    ]


def test_the_finding_says_what_is_needed() -> None:
    (finding,) = [f for f in verify(parse(kernel("FENCE MMA(1) WAIT"))) if f.code == "PTX303"]
    assert "scale-d false in the first" in str(finding.expected)


def test_mma_reads_what_it_is_given_as_c() -> None:
    mma = "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f0,%f1,%f2,%f3}, {%r1,%r1,%r1,%r1}, {%r1,%r1}, {%f0,%f1,%f2,%f3};"
    assert found(mma) == ["%f0, %f1, %f2, %f3 may be read before they are written"]
    assert found(f"{ZEROS} {mma}") == []
