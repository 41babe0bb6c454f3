"""Operands in spellings that compilers write."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from ptxgen.errors import AssembleError
from ptxgen.text import parse
from ptxgen.verifier import verify

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
    ".version 9.0\n.target {target}\n.address_size 64\n.entry k(.param .u64 a)\n{{\n"
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


VECTORS = (
    ".version 8.0\n.target sm_80\n.address_size 64\n.entry k(.param .u64 a)\n{{\n"
    ".reg .v4 .u16 %v; .reg .v2 .u32 %w; .reg .v4 .f32 %q<3>; .reg .u16 %s<5>; .reg .b32 %r<3>; \n"
    ".reg .f32 %f<3>; .reg .b64 %rd<3>; .reg .pred %p;\nld.param.u64 %rd1, [a];\n{body}\nret;\n}}\n"
)


@pytest.mark.parametrize(
    "body",
    [
        "mov.v4.u16 %v, {1, 2, 3, 4}; mov.u16 %s1, %v.x; st.global.u16 [%rd1], %s1;",
        "ld.global.v4.f32 %q1, [%rd1]; mov.v4.f32 %q2, %q1; st.global.v4.f32 [%rd1], %q2;",
        "mov.u16 %v.x, 1; mov.u16 %v.y, 2; add.u16 %v.z, %v.x, %v.y; mov.u16 %v.w, %v.z; st.global.v4.u16 [%rd1], %v;",
        "ld.global.v2.u32 %w, [%rd1]; setp.eq.u32 %p, %w.x, 0; @%p mov.u32 %w.y, 1; st.global.v2.u32 [%rd1], %w;",
        "ld.global.u32 %w.x, [%rd1]; ld.global.u32 %w.y, [%rd1+4]; mov.v2.u32 {%r1, %r2}, %w; st.global.u32 [%rd1], %r1;",
        "ld.global.v4.f32 %q1, [%rd1]; mov.f32 %q1.r, 0f00000000; add.f32 %q1.a, %q1.b, %q1.g; st.global.v4.f32 [%rd1], %q1;",
    ],
)
def test_vector_registers(body: str, assembler: Callable[..., Any]) -> None:
    assert verify(parse(VECTORS.format(body=body))) == []
    assert assembler(VECTORS.format(body=body)).cubin


@pytest.mark.parametrize(
    "body, code",
    [
        ("mov.v4.f16 {%s1, %s2, %s3, %s4}, {%s1, %s2, %s3, %s4};", "PTX201"),
        ("mov.v2.u32 %w, %v;", "PTX204"),
        ("mov.v4.f32 %q1, %v;", "PTX203"),
        ("mov.u16 %s1.x, 1;", "PTX204"),  # of no vector
        ("mov.u16 %v.b0, 1;", "PTX204"),
        ("mov.u32 %v.x, 1;", "PTX203"),
        ("shfl.sync.bfly.b32 %w.x|%p, %r1, 1, 31, -1;", "PTX204"),
    ],
)
def test_vector_registers_that_are_none(body: str, code: str, assembler: Callable[..., Any]) -> None:
    assert code in [finding.code for finding in verify(parse(VECTORS.format(body=body))) if finding.is_error]
    with pytest.raises(AssembleError):
        assembler(VECTORS.format(body=body))


def test_a_vector_that_nothing_has_written() -> None:
    text = VECTORS.format(body="add.u32 %r1, %w.x, 1; mov.u32 %w.y, %r1; st.global.v2.u32 [%rd1], %w;")
    assert [finding.code for finding in verify(parse(text))] == ["PTX303"]


def test_a_register_and_a_constant_reads_the_register() -> None:
    body = "mov.u64 %rd2, %rd1+8; mov.u32 %r1, %r2+4; st.global.u32 [%rd2], %r1;"
    assert [finding.code for finding in verify(parse(VECTORS.format(body=body)))] == ["PTX204", "PTX204", "PTX303"]
    found = verify(parse(VECTORS.format(body="mov.u32 %r2, 0; " + body)), style=True)
    assert {finding.code: finding.is_error for finding in found} == {"PTX204": False}
