"""Registers that are not written on every way: a finding only where a way that does not contradict itself leads to the read."""

from __future__ import annotations

import pytest

from ptxgen.text import parse
from ptxgen.verifier import verify


def found(body: str) -> list[str]:
    text = (
        ".version 8.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 a, .param .u32 n)\n"
        "{\n.reg .pred %p<90>; .reg .b32 %r<90>; .reg .b64 %rd<2>;\nld.param.u64 %rd1, [a]; ld.param.u32 %r1, [n];\n"
        f"{body}\nret;\n}}\n"
    )
    return [finding.message for finding in verify(parse(text)) if finding.code == "PTX303"]


SET = "setp.eq.u32 %p1, %r1, 0;"
USE = "st.global.u32 [%rd1], %r2;"
MAYBE = ["%r2 may be read before it is written"]


@pytest.mark.parametrize(
    "body",
    [
        f"{SET} @%p1 bra A; mov.u32 %r2, 1; A: @%p1 bra B; {USE} B:",
        f"{SET} @%p1 mov.u32 %r2, 1; @%p1 {USE}",
        f"{SET} @!%p1 bra A; mov.u32 %r2, 1; A: @%p1 {USE}",
        f"{SET} @!%p1 bra A; mov.u32 %r2, 1; A: @%p1 bra B; bra C; B: {USE} C:",
        # the same inside a loop, with the predicate made anew each time
        f"mov.u32 %r5, 0; L: setp.eq.u32 %p1, %r5, 3; @!%p1 bra A; mov.u32 %r2, 1; A: @!%p1 bra B; {USE} B:"
        " add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, %r1; @%p2 bra L;",
        # nested conditions
        f"{SET} setp.eq.u32 %p2, %r1, 1; @%p1 bra A; @%p2 bra A; mov.u32 %r2, 1; A: @%p1 bra B; @%p2 bra B; {USE} B:",
        f"{SET} @%p1 ret; mov.u32 %r2, 1; A: {USE}",
    ],
)
def test_ways_that_contradict_themselves_are_none(body: str) -> None:
    assert found(body) == []


@pytest.mark.parametrize(
    "body",
    [
        f"{SET} @%p1 bra A; mov.u32 %r2, 1; A: {USE}",
        f"{SET} @%p1 bra A; mov.u32 %r2, 1; A: @!%p1 bra B; {USE} B:",
        f"{SET} @%p1 bra A; mov.u32 %r2, 1; A: setp.eq.u32 %p1, %r1, 4; @%p1 bra B; {USE} B:",  # another predicate by then
        f"{SET} @!%p1 bra A; mov.u32 %r2, 1; A: @!%p1 {USE}",
        # it is left over from the round before
        f"mov.u32 %r5, 0; L: @%p1 bra A; mov.u32 %r2, 1; A: setp.eq.u32 %p1, %r5, 3; @%p1 bra B; {USE} B: bra L;".replace(
            "L: @%p1", "setp.eq.u32 %p2, %r1, 1; L: @%p2"
        ),
    ],
)
def test_ways_that_lead_to_the_read(body: str) -> None:
    assert found(body) == MAYBE


def test_many_conditions_are_judged_quickly() -> None:
    """Each of 80 registers is written and used under its own condition: 2**80 ways, of which one thing at a time matters."""
    written = "".join(
        f"setp.eq.u32 %p{n}, %r1, {n}; @!%p{n} bra A{n}; add.u32 %r{n}, %r1, 1; A{n}:\n" for n in range(2, 82)
    )
    used = "".join(f"@!%p{n} bra B{n}; st.global.u32 [%rd1], %r{n}; B{n}:\n" for n in range(2, 82))
    assert found(written + used) == []
    assert found(written + used.replace("@!%p40", "@%p40")) == ["%r40 may be read before it is written"]
