"""Misaligned addresses and offsets outside a variable: warnings where they are certain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from ptxgen.text import parse
from ptxgen.verifier import verify
from tests import ptx

if TYPE_CHECKING:
    from collections.abc import Callable


def program(body: str) -> str:
    return ptx.kernel(
        body,
        ".param .u64 .ptr .global .align 16 p, .param .u64 q, .param .align 4 .b8 t[8]",
        registers=".reg .b32 %r<6>; .reg .b64 %rd<8>; .reg .f32 %f<6>; .reg .f64 %fd<4>;\n"
        "ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [q]; cvta.to.global.u64 %rd3, %rd1; mov.u32 %r1, %tid.x;",
        before=".shared .align 16 .b8 s[64]; .shared .b8 bytes[64]; .extern .shared .align 8 .b8 dyn[];",
    )


V4 = "v4.f32 {%f1, %f2, %f3, %f4}"


@pytest.mark.parametrize(
    "code, body",
    [
        ("PTX425", f"ld.shared.{V4}, [s+8];"),
        ("PTX425", "ld.shared.f32 %f1, [s+2];"),
        ("PTX425", "ld.shared.f32 %f1, [bytes];"),  # aligned to 1
        ("PTX425", f"ld.shared.{V4}, [dyn];"),  # aligned to 8
        ("PTX425", f"mov.u32 %r2, s; add.u32 %r3, %r2, 8; ld.shared.{V4}, [%r3];"),
        ("PTX425", f"ld.global.{V4}, [%rd3+4];"),
        ("PTX425", f"mul.wide.u32 %rd4, %r1, 16; add.s64 %rd5, %rd3, %rd4; ld.global.{V4}, [%rd5+24];"),
        ("PTX425", f"shl.b32 %r2, %r1, 4; cvt.u64.u32 %rd4, %r2; add.s64 %rd5, %rd4, %rd3; ld.global.{V4}, [%rd5+8];"),
        ("PTX425", f"mad.wide.u32 %rd4, %r1, 32, %rd3; ld.global.{V4}, [%rd4+4];"),
        ("PTX425", f"and.b64 %rd4, %rd2, -64; ld.global.{V4}, [%rd4+8];"),
        ("PTX425", "ld.param.u32 %r2, [q+2];"),
        ("PTX425", "ld.param.u64 %rd4, [t];"),
        ("PTX425", "atom.shared.add.u32 %r2, [s+2], 1;"),
        ("PTX426", "ld.shared.f32 %f1, [s+64];"),
        ("PTX426", "st.shared.f32 [s+-4], 0f00000000;"),
        ("PTX426", "ld.param.u64 %rd4, [q+8];"),
        ("PTX426", f"mov.u32 %r2, s; add.u32 %r3, %r2, 64; ld.shared.{V4}, [%r3];"),
    ],
)
def test_findings(code: str, body: str, assembler: Callable[..., Any]) -> None:
    assert [(f.code, f.severity) for f in verify(parse(program(body)))] == [(code, "warning")]
    assert assembler(program(body)).cubin


@pytest.mark.parametrize(
    "body",
    [
        f"ld.shared.{V4}, [s+48];",
        "ld.shared.f64 %fd1, [dyn+800];",  # its size comes with the launch
        "ld.shared.u8 %r2, [bytes+3];",
        f"ld.global.{V4}, [%rd2+4];",  # nothing is promised for q
        f"mul.wide.u32 %rd4, %r1, 4; add.s64 %rd5, %rd3, %rd4; ld.global.{V4}, [%rd5];",  # it depends on %tid.x
        f"add.s64 %rd4, %rd3, 8; add.s64 %rd5, %rd4, %rd2; ld.global.{V4}, [%rd5];",
        f"mov.u64 %rd4, %rd3; L: ld.global.{V4}, [%rd4]; add.s64 %rd4, %rd4, 8; bra L;",
        "ld.global.f32 %f1, [%rd3+4];",
        "ld.param.v2.u32 {%r2, %r3}, [q];",
    ],
)
def test_silent(body: str) -> None:
    assert verify(parse(program(body))) == []


def test_the_finding_says_what_is_promised() -> None:
    (finding,) = verify(parse(program(f"ld.shared.{V4}, [dyn];")))
    assert finding.message == "ld.shared.v4.f32 of 16 bytes at dyn, which is aligned to 8"
    assert finding.expected == ".align 16 for dyn"
