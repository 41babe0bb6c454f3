"""Operands in spellings that compilers write."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from ptxgen.check import verify
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
