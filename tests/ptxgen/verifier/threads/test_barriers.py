"""Numbers and counts of barriers: warnings. Immediates that assemblers refuse are the table's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from ptxgen.errors import AssembleError
from ptxgen.text import parse
from ptxgen.verifier import verify
from tests import ptx

if TYPE_CHECKING:
    from collections.abc import Callable


def program(body: str, head: str = "") -> str:
    return ptx.kernel(body, registers=".reg .b32 %r<4>; .reg .pred %p<3>;\nmov.u32 %r2, %ntid.x;", directives=head)


@pytest.mark.parametrize(
    "code, body, head",
    [
        ("warning PTX504", "mov.u32 %r1, 33; bar.sync 1, %r1;", ""),
        ("warning PTX504", "mov.u32 %r1, 0; bar.arrive 1, %r1;", ""),
        ("warning PTX504", "setp.eq.u32 %p1, %r2, 1; mov.u32 %r1, 50; bar.red.popc.u32 %r3, 0, %r1, %p1;", ""),
        ("warning PTX505", "mov.u32 %r1, 2048; bar.sync 1, %r1;", ""),
        ("warning PTX505", "bar.sync 1, 256;", ".reqntid 128"),
        ("warning PTX505", "bar.sync 1, 256;", ".maxntid 64, 2"),
        ("warning PTX505", "mov.u32 %r1, 16; bar.sync %r1;", ""),
        ("warning PTX506", "bar.arrive 1, 64;", ""),
        ("warning PTX506", "bar.arrive 1, 64; bar.sync 1, 128;", ""),
        ("warning PTX506", "bar.arrive 1, 64; bar.sync 2, 64;", ""),
    ],
)
def test_findings(code: str, body: str, head: str, assembler: Callable[..., Any]) -> None:
    text = program(body, head)
    assert [f"{finding.severity} {finding.code}" for finding in verify(parse(text))] == [code]
    assert assembler(text).cubin


def test_arriving_for_nobody_is_an_error(assembler: Callable[..., Any]) -> None:
    text = program("bar.arrive 1, 0;")
    assert "PTX504" in [finding.code for finding in verify(parse(text)) if finding.is_error]
    with pytest.raises(AssembleError):
        assembler(text)


@pytest.mark.parametrize(
    "body",
    [
        "bar.sync 0;",
        "bar.sync 1, 128;",
        "bar.sync 1, %r2;",
        "bar.arrive 1, 64; bar.sync 1, 64;",
        "bar.arrive 1, 64; bar.sync 1, %r2;",  # who knows
        "bar.arrive 1, 64; bar.sync %r2, 96;",
        "bar.arrive 1, 64; bar.sync 1, %r2; bar.sync 2, 64;",
        "bar.arrive %r2, 64;",
        "bar.arrive 1, 64; bar.sync 1;",
        "bar.warp.sync 33;",
        "bar.sync 1, 1024;",
    ],
)
def test_silent(body: str) -> None:
    assert verify(parse(program(body))) == []


def test_the_count_of_another_barrier_does_not_matter() -> None:
    assert [
        finding.code for finding in verify(parse(program("bar.arrive 1, 64; bar.sync 2, %r2; bar.sync 1, 128;")))
    ] == ["PTX506"]


COME = """.version 8.0
.target sm_90a
.address_size 64
.func meet() {{ bar.sync 1, 64; ret; }}
.func keep() {{ ret; }}
.entry k(.param .u64 out, .param .u32 n)
{head}
{{
.reg .b32 %r<9>; .reg .b64 %rd<3>; .reg .pred %p<9>;
ld.param.u64 %rd1, [out]; ld.param.u32 %r2, [n]; mov.u32 %r1, %tid.x; shr.u32 %r3, %r1, 5;
setp.lt.u32 %p1, %r1, 64; setp.lt.u32 %p2, %r1, 32; setp.eq.u32 %p3, %r2, 5; setp.lt.u32 %p4, %r1, %r2;
{body}
st.global.u32 [%rd1], %r1;
ret;
}}
"""


def counted(body: str, head: str = ".reqntid 128") -> list[str]:
    found = verify(parse(COME.format(body=body, head=head)))
    return [finding.message for finding in found if finding.code == "PTX509"]


FEW = "counts 96 threads, and 64 come: it waits for ever"
HALF = "@!%p1 bra X; {} X:"
HALVES = "@%p1 bra A; {} bra B; A: {} B:"


@pytest.mark.parametrize(
    "body, said",
    [
        (HALF.format("bar.sync 1, 96;"), "bar.sync 1 " + FEW),
        ("bar.sync 1, 96;", "bar.sync 1 counts 96 threads, and 128 come: which of them meet is not said"),
        ("bar.sync 1, 64;", "bar.sync 1 counts 64 threads, and 128 come: which of them meet is not said"),
        ("mov.u32 %r4, 96; bar.sync 1, %r4;", "bar.sync 1 counts 96 threads, and 128 come: which of them meet is not said"),
        (HALF.format("bar.red.popc.u32 %r4, 1, 96, %p3;"), "bar.red.popc.u32 1 " + FEW),
        ("@%p1 barrier.sync 1, 128;", "barrier.sync 1 counts 128 threads, and 64 come: it waits for ever"),
        # those that arrive and those that wait
        (
            HALVES.format("bar.sync 1, 96;", "@%p2 bar.arrive 1, 96; bar.sync 2, 32;"),
            "bar.sync 2 counts 32 threads, and 64 come: which of them meet is not said",
        ),
        (
            HALVES.format("bar.sync 1, 128;", "@%p2 bar.arrive 1, 128;"),
            "bar.sync 1 counts 128 threads, and 96 come, at 2 places: it waits for ever",
        ),
        (
            HALVES.format("bar.sync 1, 96;", "bar.arrive 1, 96;"),
            "bar.sync 1 counts 96 threads, and 128 come, at 2 places: which of them meet is not said",
        ),
        # a number for each half
        (
            "shr.u32 %r4, %r1, 6; add.u32 %r4, %r4, 1; bar.sync %r4, 128;",
            "bar.sync 1 counts 128 threads, and 64 come: it waits for ever",
        ),
        # the same threads twice
        (HALF.format("bar.sync 1, 96; bar.sync 1, 96;"), "bar.sync 1 " + FEW.replace("come", "come, at 2 places")),
        # in each iteration of a loop
        (
            HALF.format("L: bar.sync 1, 96; add.u32 %r2, %r2, 1; setp.lt.u32 %p5, %r2, 9; @%p5 bra L;"),
            "bar.sync 1 " + FEW,
        ),
        ("@%p1 call keep; " + HALF.format("bar.sync 1, 96;"), "bar.sync 1 " + FEW),
        ("call meet;", "bar.sync 1 counts 64 threads, and 128 come: which of them meet is not said (called by k)"),
    ],
)  # fmt: skip
def test_other_threads_come_than_are_counted(body: str, said: str) -> None:
    assert said in counted(body)


@pytest.mark.parametrize(
    "body, head",
    [
        (HALF.format("bar.sync 1, 64;"), ".reqntid 128"),
        ("bar.sync 1, 128;", ".reqntid 128"),
        ("bar.sync 1;", ".reqntid 128"),
        (HALF.format("call meet;"), ".reqntid 128"),
        (HALVES.format("bar.sync 1, 96;", "@%p2 bar.arrive 1, 96;"), ".reqntid 128"),
        (HALVES.format("bar.sync 1, 128;", "bar.arrive 1, 128;"), ".reqntid 128"),
        (HALVES.format("bar.sync 1, 64;", "bar.sync 2, 64;"), ".reqntid 128"),
        (HALF.format("bar.sync 1, 64; bar.sync 1, 64;"), ".reqntid 128"),
        ("shr.u32 %r4, %r1, 6; add.u32 %r4, %r4, 1; bar.sync %r4, 64;", ".reqntid 128"),
        ("bar.sync 1, 64;", ""),
        ("bar.sync 1, 64;", ".maxntid 128"),
        ("bar.sync 1, %r2;", ".reqntid 128"),  # who knows
        ("bar.sync %r2, 64;", ".reqntid 128"),
        ("@%p4 bra X; bar.sync 1, 64; X:", ".reqntid 128"),
        ("@%p1 bra X; ret; X: bar.sync 1, 128;", ".reqntid 128"),  # threads that have left
        ("bar.sync 1, 96; bar.sync 1, 32;", ".reqntid 128"),  # two counts
    ],
)
def test_as_many_come_as_are_counted(body: str, head: str) -> None:
    assert counted(body, head) == []


@pytest.mark.parametrize(
    "body, said",
    [
        (HALVES.format("bar.sync 1, 64;", "bar.sync 1, 64;"), 1),
        (
            "bar.sync 0; " + HALVES.format("bar.sync 1, 64;", "bar.sync 1, 64;"),
            1,
        ),  # what is before both puts them in no order
        ("bar.sync 1, 64; bar.sync 1, 64;", 1),
        (HALVES.format("bar.sync 2, 64; bar.sync 1, 64;", "bar.sync 1, 64; bar.sync 3, 64;"), 1),
        (HALVES.format("bar.sync 1, 64; bar.sync 0;", "bar.sync 0; bar.sync 1, 64;"), 0),  # one half behind the other
        ("@%p1 bra A; bar.sync 1, 64; A: bar.sync 0; @!%p1 bra B; bar.sync 1, 64; B:", 0),
        (HALVES.format("bar.sync 1, 64; bar.arrive 2, 128;", "bar.sync 2, 128; bar.sync 1, 64;"), 0),
        (HALVES.format("bar.sync 1, 64;", "bar.sync 2, 64;"), 0),
    ],
)
def test_groups_that_share_a_number(body: str, said: int) -> None:
    found = counted(body)
    assert len(found) == said, found
    assert all("128 come in no certain order" in each and "of whichever group they are" in each for each in found)
