"""Operands in spellings that compilers write."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from ptxgen.check import verify
from ptxgen.errors import AssembleError
from ptxgen.text import parse

if TYPE_CHECKING:
    from collections.abc import Callable


def program(body: str) -> str:
    return (
        ".version 8.0\n.target sm_80\n.address_size 64\n.entry k(.param .u64 a)\n"
        "{\n.reg .pred %p<3>; .reg .b32 %r<4>; .reg .b64 %rd<3>; .reg .f32 %f<3>;\nld.param.u64 %rd1, [a];\n"
        f"mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0;\n{body}\nret;\n}}\n"
    )


@pytest.mark.parametrize(
    "body",
    [
        "ld.global.b32 {%r2}, [%rd1]; st.global.b32 [%rd1+4], {%r2};",
        "mov.u32 %r2, 0; @%p1 ld.global.L1::evict_last.b32 {%r2}, [%rd1]; st.global.v2.b32 [%rd1+8], {%r1, %r2};",
        "ld.global.f32 {%f1}, [%rd1]; st.global.f32 [%rd1], {%f1};",
    ],
)
def test_a_scalar_in_a_list_of_one(body: str, assembler: Callable[..., Any]) -> None:
    assert verify(parse(program(body))) == []
    assert assembler(program(body)).cubin


@pytest.mark.parametrize(
    "body, severity",
    [
        ("ld.global.b64 {%r2}, [%rd1];", "error"),
        ("atom.global.add.u32 {%r2}, [%rd1], 1;", "error"),
        ("ld.global.b32 {5}, [%rd1];", "error"),
    ],
)
def test_a_list_of_one_that_is_wrong(body: str, severity: str) -> None:
    assert [(f.code, f.severity) for f in verify(parse(program(body)))] == [("PTX204", severity)]


HALVES = (
    ".version 9.4\n.target {target}\n.address_size 64\n.entry k(.param .u64 a)\n{{\n"
    ".reg .f16x2 %h<12>; .reg .b32 %r<12>; .reg .u32 %u<4>; .reg .b16 %s<2>; .reg .b8 %c; .reg .f32 %f<8>; .reg .b64 %rd<3>;\n"
    "ld.param.u64 %rd1, [a];\n{body}\nret;\n}}\n"
)
A, B = "{%h0, %h1, %h2, %h3}", "{%h4, %h5}"
SUMS = "{%f0, %f1, %f2, %f3}"
EIGHT = "{%h0, %h1, %h2, %h3, %h4, %h5, %h6, %h7}"


@pytest.mark.parametrize(
    "target, body",
    [
        ("sm_90a", "cvt.rn.f16x2.f32 %h1, %f1, %f2;"),
        ("sm_90a", "cvt.rn.f16x2.e4m3x2 %h1, %s1; cvt.rn.satfinite.e4m3x2.f16x2 %s1, %h1;"),
        ("sm_100a", "cvt.rn.f16x2.e2m1x2 %h1, %c; cvt.rs.f16x2.f32 %h1, %f1, %f2, %r1;"),
        ("sm_90a", f"mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16 {A}, {B}, {B}, {A};"),
        ("sm_90a", f"mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16 {{%r0, %h1, %r2, %h3}}, {{%h4, %r5}}, {B}, {A};"),
        ("sm_90a", f"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {SUMS}, {A}, {B}, {SUMS};"),
        ("sm_100a", f"mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e4m3.f16 {B}, {{%r0, %r1, %r2, %r3}}, {{%r4, %r5}}, {B};"),
        ("sm_90a", f"wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {B}, {A}, %rd1, 1, 1, 1, 0;"),
        ("sm_90a", f"wmma.load.a.sync.aligned.row.m16n16k16.f16 {EIGHT}, [%rd1];"),
        ("sm_90a", f"wmma.mma.sync.aligned.row.col.m16n16k16.f16.f16 {A}, {EIGHT}, {EIGHT}, {A};"),
        ("sm_90a", f"wmma.store.d.sync.aligned.row.m16n16k16.f16 [%rd1], {A};"),
        ("sm_90a", "multimem.ld_reduce.global.add.f16x2 %h1, [%rd1]; multimem.red.global.add.f16x2 [%rd1], %h1;"),
        ("sm_90a", f"atom.global.add.noftz.v2.f16x2 {B}, [%rd1], {B};"),
    ],
)  # fmt: skip
def test_registers_of_two_halves(target: str, body: str, assembler: Callable[..., Any]) -> None:
    text = HALVES.format(target=target, body=body)
    assert not [finding for finding in verify(parse(text)) if finding.is_error or finding.code.startswith("PTX2")]
    assert assembler(text).cubin


@pytest.mark.parametrize(
    "body",
    [
        "cvt.rn.bf16x2.f32 %h1, %f1, %f2;",
        "cvt.rn.f16x2.f32 %u1, %f1, %f2;",
        "cvt.rn.f16x2.f32 %f3, %f1, %f2;",
        f"mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {SUMS}, {B}, {{%h1}}, {SUMS};",
        f"mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16 {{%u0, %u1, %u2, %u3}}, {B}, {B}, {A};",
    ],
)
def test_registers_of_two_halves_where_none_may_stand(body: str, assembler: Callable[..., Any]) -> None:
    text = HALVES.format(target="sm_90a", body=body)
    assert "PTX203" in [finding.code for finding in verify(parse(text)) if finding.is_error]
    with pytest.raises(AssembleError):
        assembler(text)
