"""Registers that some lane has not written when it reads them."""

from __future__ import annotations

import pytest

from ptxgen.text import parse
from ptxgen.verifier import verify


def messages(body: str) -> list[str]:
    text = (
        ".version 8.0\n.target sm_80\n.address_size 64\n.entry k(.param .u64 a)\n"
        "{\n.reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<4>;\nld.param.u64 %rd1, [a]; mov.u32 %r1, %laneid;\n"
        f"setp.ne.u32 %p1, %r1, 0;\n{body}\nst.global.u32 [%rd1], %r3;\nret;\n}}\n"
    )
    return [finding.message for finding in verify(parse(text)) if finding.code == "PTX303"]


ONE = "@%p1 bra A; atom.global.add.u32 %r2, [%rd1], 32; A:"


@pytest.mark.parametrize(
    "body, said",
    [
        (f"{ONE} shfl.sync.idx.b32 %r3, %r2, 0, 31, -1;", []),  # lane 0 has it, and all take it from there
        ("@!%p1 mov.u32 %r2, 5; shfl.sync.idx.b32 %r3|%p2, %r2, 0, 31, -1;", []),
        (f"{ONE} shfl.sync.bfly.b32 %r3, %r2, 1, 31, -1;", ["%r2 may be read before it is written"]),
        (f"{ONE} shfl.sync.idx.b32 %r3, %r1, %r2, 31, -1;", ["%r2 may be read before it is written"]),
        (f"{ONE} shfl.sync.idx.b32 %r3, %r2, 0, 31, -1; add.u32 %r3, %r3, %r2;", ["%r2 may be read before it is written"]),
        ("shfl.sync.idx.b32 %r3, %r2, 0, 31, -1;", ["%r2 is read but never written"]),
    ],
)  # fmt: skip
def test_a_lane_may_hand_on_what_it_alone_has(body: str, said: list[str]) -> None:
    assert messages(body) == said
