"""Threads that leave a loop with a barrier in it, and the kernel with it: the CTA dwindles from round to round."""

from __future__ import annotations

import pytest

from ptxgen.text import parse
from ptxgen.verifier import verify

SETUP = (
    ".reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .shared .b32 s;\n"
    "mov.u32 %r1, %tid.x; ld.param.u32 %r2, [n]; mov.u32 %r3, 0; mov.u32 %r4, %ctaid.x;\n"
)


def messages(body: str, head: str = "") -> list[str]:
    text = (
        f".version 8.0\n.target sm_90\n.address_size 64\n.entry k(.param .u32 n)\n{head}\n{{\n{SETUP}{body}\nret;\n}}\n"
    )
    return [finding.message.partition(":")[0] for finding in verify(parse(text)) if finding.code == "PTX508"]


SAYS = ["some threads leave the loop of this bar.sync, and the others go on without them"]
COUNT = "add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, %r2;"


@pytest.mark.parametrize(
    "body",
    [
        f"setp.ge.u32 %p1, %r1, %r2; L: @%p1 ret; bar.sync 0; {COUNT} @%p2 bra L;",
        f"L: setp.ge.u32 %p1, %r1, %r3; @%p1 bra END; bar.sync 0; {COUNT} @%p2 bra L; END:",
        "L: bar.sync 0; add.u32 %r1, %r1, 64; setp.lt.u32 %p2, %r1, %r2; @%p2 bra L;",  # each goes round as often as it has work
        "L: barrier.sync 0; add.u32 %r1, %r1, 64; setp.lt.u32 %p2, %r1, %r2; @%p2 bra L;",
    ],
)
def test_threads_leave(body: str) -> None:
    assert messages(body) == [says.replace("bar.sync", "barrier.sync") if "barrier" in body else says for says in SAYS]


@pytest.mark.parametrize(
    "body, head",
    [
        (f"L: bar.sync 0; {COUNT} @%p2 bra L;", ""),  # all go round as often
        (f"setp.ge.u32 %p1, %r4, %r2; L: @%p1 ret; bar.sync 0; {COUNT} @%p2 bra L;", ""),  # the CTA leaves
        (f"setp.ge.u32 %p1, %r1, %r2; @%p1 ret; L: bar.sync 0; {COUNT} @%p2 bra L;", ""),  # before the loop
        (f"setp.ge.u32 %p1, %r1, %r2; L: @%p1 ret; bar.sync 0; {COUNT} @%p2 bra L;", ".maxntid 32"),
        (f"setp.ge.u32 %p1, %r1, %r2; L: @%p1 ret; bar.sync 1, 64; {COUNT} @%p2 bra L;", ""),
        (
            f"bar.sync 0; ld.shared.u32 %r5, [s]; setp.ge.u32 %p1, %r5, %r2; L: @%p1 ret; bar.sync 0; {COUNT} @%p2 bra L;",
            "",
        ),
        ("L: bar.warp.sync -1; add.u32 %r1, %r1, 64; setp.lt.u32 %p2, %r1, %r2; @%p2 bra L;", ""),
    ],
)
def test_silent(body: str, head: str) -> None:
    assert messages(body, head) == []
