"""Branches to what comes next, idle loops (PTX604, PTX613)."""

from __future__ import annotations

import pytest

from ptxgen.text import parse
from ptxgen.verifier import verify
from tests.ptxgen.verifier.style.programs import count, messages, program


def test_a_branch_to_what_comes_next() -> None:
    body = "LOOP: add.u32 %r4, %r1, 1; bra LOOP_END; LOOP_END:"
    (finding,) = [f for f in verify(parse(program(body)), style=True) if f.code == "PTX604"]
    assert finding.message == "a branch to LOOP_END, where control goes anyway"
    assert finding.hint == "bra LOOP, if this was to be a loop; else delete it"
    assert count("PTX604", "setp.eq.u32 %p1, %r1, 0; @%p1 bra X; X:") == 1
    assert count("PTX604", "setp.eq.u32 %p1, %r1, 0; @%p1 bra X; mov.u32 %r2, 1; X:") == 0


IDLE = "this loop does nothing that is used behind it"


@pytest.mark.parametrize(
    "body, expected",
    [
        ("mov.u32 %r4, 0; L: add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 9; @%p1 bra L;", [IDLE]),
        ("L: bra L;", ["this loop does nothing, and never ends"]),
        ("mov.u32 %r4, 0; L: add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 9; @%p1 bra L; st.global.u32 [%rd1], %r4;", []),
        ("L: ld.volatile.global.u32 %r4, [%rd1]; setp.eq.u32 %p1, %r4, 0; @%p1 bra L;", []),
        ("mov.u64 %rd3, 0; L: mov.u64 %rd4, %clock64; setp.lt.u64 %p1, %rd4, 999; @%p1 bra L;", []),
        ("mov.u32 %r4, 0; L: nanosleep.u32 20; add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 9; @%p1 bra L;", []),
    ],
)  # fmt: skip
def test_idle_loops(body: str, expected: list[str]) -> None:
    assert messages("PTX613", body) == expected
