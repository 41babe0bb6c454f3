"""Numbers and counts of barriers: warnings. Immediates that assemblers refuse are the table's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from ptxgen.check import verify
from ptxgen.errors import AssembleError
from ptxgen.text import parse
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
        "bar.arrive %r2, 64;",
        "bar.arrive 1, 64; bar.sync 1;",
        "bar.warp.sync 33;",
        "bar.sync 1, 1024;",
    ],
)
def test_silent(body: str) -> None:
    assert verify(parse(program(body))) == []
