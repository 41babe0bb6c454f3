"""Code that control cannot reach, missing ends, conditions that are always the same: warnings, all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from ptxgen.text import parse
from ptxgen.verifier import verify
from tests import ptx

if TYPE_CHECKING:
    from collections.abc import Callable


def program(body: str, end: str = "ret;") -> str:
    registers = ".reg .b32 %r<4>; .reg .f32 %f<3>; .reg .pred %p<3>;\nld.param.u32 %r1, [n]; setp.eq.u32 %p1, %r1, 3;"
    return ptx.kernel(body, ".param .u32 n", registers=registers, end=end)


def codes(text: str) -> list[str]:
    return [finding.code for finding in verify(parse(text))]


@pytest.mark.parametrize(
    "code, body",
    [
        ("PTX310", "bra END; add.u32 %r1, %r1, 1; END:"),
        ("PTX310", "ret; LATER: add.u32 %r1, %r1, 1;"),
        ("PTX310", "bra END; A: add.u32 %r1, %r1, 1; @%p1 bra A; add.u32 %r1, %r1, 2; END:"),  # one finding a stretch
        ("PTX312", "setp.ge.u32 %p1, %r1, 0;"),
        ("PTX312", "setp.hs.u32 %p1, %r1, 0;"),
        ("PTX312", "setp.eq.s32 %p1, %r1, %r1;"),
    ],
)
def test_findings(code: str, body: str, assembler: Callable[..., Any]) -> None:
    text = program(body)
    assert codes(text) == [code]
    assert assembler(text).cubin


@pytest.mark.parametrize("end", ["", "@%p1 ret;", "@!%p1 bra END; ret; END:"])
def test_control_runs_past_the_end(end: str, assembler: Callable[..., Any]) -> None:
    text = program("", end)
    assert codes(text) == ["PTX311"]
    assert assembler(text).cubin


@pytest.mark.parametrize(
    "body",
    [
        "trap; exit;",  # compilers leave such behind what does not come back
        "@%p1 bra A; ret; A:",
        "AGAIN: bra AGAIN;",
        "setp.lt.s32 %p1, %r1, 0;",
        "setp.le.u32 %p1, %r1, 0;",
        "setp.ne.b32 %p1, 1, 0;",  # a constant predicate
        "setp.lt.u32 %p1, %r1, 0;",  # a loop of no rounds
        "mov.f32 %f1, 0f00000000; setp.ne.f32 %p1, %f1, %f1;",  # this is how one asks for NaN
        "setp.ge.and.u32 %p1, %r1, 0, %p1;",
    ],
)
def test_silent(body: str) -> None:
    assert codes(program(body)) == []


def test_an_empty_kernel_is_one() -> None:
    assert codes(".version 8.0\n.target sm_90\n.address_size 64\n.entry k() { }\n") == []


def test_what_is_never_true_is_a_finding_of_style() -> None:
    text = program("setp.lt.u32 %p1, %r1, 0; @%p1 ret;")
    assert codes(text) == []
    assert "PTX312" in [finding.code for finding in verify(parse(text), style=True)]
