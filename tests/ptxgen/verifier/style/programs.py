"""Kernels for the findings of style (6xx): legal, perhaps meant, and never found unless style is asked for."""

from __future__ import annotations

from ptxgen.text import parse
from ptxgen.verifier import verify
from tests import ptx

REGISTERS = (
    ".reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %rd<9>; .reg .f32 %f<9>; .shared .align 16 .b8 s[4096];\n"
    "ld.param.u64 %rd1, [x]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; mov.f32 %f1, 0f3F800000;\n"
)


def program(body: str, head: str = "") -> str:
    used = f"{body}\nst.global.u32 [%rd1], %r2;"
    return ptx.kernel(used, ".param .u64 x, .param .u32 n", registers=REGISTERS, directives=head, target="sm_90")


def messages(code: str, body: str, head: str = "") -> list[str]:
    """The findings with that code; without style there must be none."""
    module = parse(program(body, head))
    assert [finding for finding in verify(module) if finding.code == code] == []
    return [finding.message for finding in verify(module, style=True) if finding.code == code]


def count(code: str, body: str, head: str = "") -> int:
    return len(messages(code, body, head))
