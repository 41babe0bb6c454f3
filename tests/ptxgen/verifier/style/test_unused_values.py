"""Values that nothing reads are a finding of style."""

from __future__ import annotations

import pytest

from ptxgen.text import parse
from ptxgen.verifier import verify


def found(body: str, *, style: bool = True) -> list[str]:
    text = (
        ".version 8.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 a)\n"
        f"{{\n.reg .b32 %r<5>; .reg .b64 %rd<3>; .reg .pred %p<3>;\nld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x;\n{body}\n"
        "st.global.u32 [%rd1], %r1;\nret;\n}\n"
    )
    return [finding.message for finding in verify(parse(text), style=style) if finding.code == "PTX601"]


def test_a_value_that_nothing_reads() -> None:
    assert found("add.u32 %r2, %r1, 1;") == ["nothing reads the value of add.u32 in %r2"]
    assert found("setp.eq.u32 %p1, %r1, 1;") == ["nothing reads the answer of setp.eq.u32 in %p1"]
    assert found("ld.global.u32 %r2, [%rd1];") == ["nothing reads the value of ld.global.u32 in %r2"]
    assert found("add.u32 %r2, %r1, 1;", style=False) == []


def test_an_accumulator_that_only_its_own_additions_read() -> None:
    only = "but the instruction that makes its next value"
    assert found("mov.u32 %r2, 0;\nLOOP: add.u32 %r2, %r2, %r1; setp.lt.u32 %p1, %r1, 5;\n@%p1 bra LOOP;") == [
        f"nothing reads the value of mov.u32 in %r2 {only}",
        f"nothing reads the value of add.u32 in %r2 {only}",
    ]
    zeros = "mov.b32 %r2, 0; mov.b32 %r3, 0;"
    mma = "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r2, %r3}, {%r1}, {%r1}, {%r2, %r3};"
    assert found(f"{zeros} {mma}")[-1] == (
        f"nothing reads the value of mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 in %r2, %r3 {only}"
    )
    assert found(f"{zeros} {mma} mov.b32 %r1, %r3;") == []


@pytest.mark.parametrize(
    "body",
    [
        "atom.global.add.u32 %r2, [%rd1], 1;",  # it is there for its effect
        "shfl.sync.idx.b32 %r2|%p1, %r1, 0, 31, -1;",
        "setp.eq.u32 %p1|%p2, %r1, 1; @%p2 ret;",  # one of two is read
        "add.u32 %r1, %r1, 1;",
    ],
)
def test_silent(body: str) -> None:
    assert found(body) == []
