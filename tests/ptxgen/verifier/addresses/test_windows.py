"""Addresses in registers that belong to another state space than the access: a warning, if it is sure."""

from __future__ import annotations

import pytest

from ptxgen.text import parse
from ptxgen.verifier import verify
from tests import ptx

HEAD = ".reg .b32 %r<9>; .reg .b64 %rd<9>; .shared .b32 s[8]; .local .b32 l[8];\nld.param.u64 %rd1, [x]; mov.u32 %r1, %tid.x;\n"


def messages(body: str) -> list[str]:
    text = ptx.kernel(
        body, ".param .u64 x", registers=HEAD, before=".global .b32 g[8]; .const .b32 c[8];", target="sm_90"
    )
    return [finding.message for finding in verify(parse(text)) if finding.code == "PTX207"]


WRONG = {
    "mov.u64 %rd2, s; ld.global.u32 %r2, [%rd2];": "ld.global.u32 works on .global addresses, this is the .shared one of s",
    "mov.u64 %rd2, s; ld.u32 %r2, [%rd2];": "ld.u32 works on generic addresses, this is the .shared one of s",
    "mov.u64 %rd2, s; cvta.shared.u64 %rd3, %rd2; ld.shared.u32 %r2, [%rd3];": (
        "ld.shared.u32 works on .shared addresses, this is the generic one of s"
    ),
    "cvta.shared.u64 %rd3, s; add.s64 %rd4, %rd3, 4; atom.global.add.u32 %r2, [%rd4], 1;": (
        "atom.global.add.u32 works on .global addresses, this is the generic one of s"
    ),
    "mov.u32 %r3, s; cvt.u64.u32 %rd2, %r3; mad.wide.u32 %rd3, %r1, 4, %rd2; st.global.u32 [%rd3], %r1;": (
        "st.global.u32 works on .global addresses, this is the .shared one of s"
    ),
    "mov.u64 %rd2, g; ld.shared.u32 %r2, [%rd2];": "ld.shared.u32 works on .shared addresses, this is the .global one of g",
    "mov.u64 %rd2, c; ld.global.u32 %r2, [%rd2];": "ld.global.u32 works on .global addresses, this is the .const one of c",
    "mov.u64 %rd2, l; st.u32 [%rd2], %r1;": "st.u32 works on generic addresses, this is the .local one of l",
}


@pytest.mark.parametrize("body, message", WRONG.items())
def test_another_space(body: str, message: str) -> None:
    assert messages(body) == [message]


@pytest.mark.parametrize(
    "body",
    [
        "mov.u64 %rd2, s; ld.shared.u32 %r2, [%rd2];",
        "mov.u32 %r3, s; ld.shared::cluster.u32 %r2, [%r3];",
        "cvta.shared.u64 %rd3, s; ld.u32 %r2, [%rd3];",
        "cvta.shared.u64 %rd3, s; cvta.to.shared.u64 %rd4, %rd3; ld.shared.u32 %r2, [%rd4];",
        "mov.u64 %rd2, g; ld.u32 %r2, [%rd2]; ld.global.u32 %r2, [%rd2];",  # one address, both ways
        "cvta.global.u64 %rd2, g; ld.global.u32 %r2, [%rd2];",
        "ld.global.u32 %r2, [%rd1]; ld.shared.u32 %r2, [%rd1];",  # a parameter may be anything
        "cvta.to.shared.u64 %rd2, %rd1; ld.shared.u32 %r2, [%rd2];",
        "mov.u64 %rd2, s; mov.u64 %rd3, g; sub.s64 %rd4, %rd3, %rd2; ld.global.u32 %r2, [%rd4];",  # of both
        "mov.u64 %rd2, s; setp.eq.u32 %p, %r1, 0; @%p mov.u64 %rd2, g; ld.global.u32 %r2, [%rd2];".replace("%p", "p"),
    ],
)
def test_silent(body: str) -> None:
    declared = ".reg .pred p;\n" if " p," in body else ""
    assert messages(declared + body) == []
