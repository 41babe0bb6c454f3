"""Promises of directives that no multiprocessor keeps; local memory; values alive at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from ptxgen.check import verify
from ptxgen.check.instruction.walk import body_of
from ptxgen.check.style.register_pressure import live_registers
from ptxgen.text import parse

if TYPE_CHECKING:
    from collections.abc import Callable


def program(head: str, body: str = "", target: str = "sm_90a") -> str:
    return (
        f".version 8.0\n.target {target}\n.address_size 64\n.visible .entry k(.param .u64 a)\n{head}\n"
        f"{{\n.reg .b32 %r<900>; .reg .b64 %rd<9>; .reg .pred %p<3>;\n{body}\nret;\n}}\n"
    )


@pytest.mark.parametrize(
    "head, target, expected",
    [
        (".maxntid 1024\n.maxnreg 128", "sm_90a", ".maxnreg 64 or less"),
        (".reqntid 512\n.maxnreg 160", "sm_90a", ".maxnreg 128 or less"),
        (".maxntid 256\n.maxnreg 128\n.minnctapersm 3", "sm_90a", ".minnctapersm 2"),
        (".maxntid 1024\n.minnctapersm 3", "sm_90a", ".minnctapersm 2"),
        (".maxntid 1024\n.minnctapersm 2", "sm_89", ".minnctapersm 1"),
    ],
)
def test_more_than_a_multiprocessor_has(head: str, target: str, expected: str, assembler: Callable[..., Any]) -> None:
    text = program(head, target=target)
    (finding,) = verify(parse(text))
    assert (finding.code, finding.severity, finding.expected) == ("PTX428", "warning", expected)
    assert assembler(text).cubin


@pytest.mark.parametrize(
    "head",
    [
        "",
        ".maxntid 1024\n.maxnreg 64",
        ".reqntid 256\n.maxnreg 128\n.minnctapersm 2",
        ".maxnreg 255",
        ".maxntid 1024\n.minnctapersm 2",
    ],
)
def test_what_fits(head: str) -> None:
    assert verify(parse(program(head))) == []


def test_local_memory(assembler: Callable[..., Any]) -> None:
    text = program("", ".local .align 4 .b8 l[600000];\nmov.u64 %rd1, l;")
    assert [(f.code, f.severity) for f in verify(parse(text))] == [("PTX429", "warning")]
    assert assembler(text).cubin
    assert verify(parse(text.replace("600000", "500000"))) == []


def alive(body: str) -> int:
    module = parse(program("", body))
    return live_registers(body_of(module, "k"))[0]


def test_values_alive_at_once() -> None:
    assert alive("") == 0
    assert (
        alive("mov.u32 %r1, 1; mov.u32 %r2, 2; add.u32 %r3, %r1, %r2; st.global.u32 [%rd1], %r3;") == 4
    )  # %rd1 counts twice
    assert alive("mov.u32 %r1, 1; L: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 9; @%p1 bra L;") == 1


def test_what_does_not_fit_into_registers_is_a_finding_of_style() -> None:
    body = "".join(f"ld.param.u32 %r{i}, [a];" for i in range(1, 300)) + "mov.u32 %r300, 0;"
    body += (
        "".join(f"add.u32 %r300, %r300, %r{i};" for i in range(1, 300))
        + "ld.param.u64 %rd1, [a]; st.global.u32 [%rd1], %r300;"
    )
    assert verify(parse(program("", body))) == []
    (finding,) = verify(parse(program("", body)), style=True)
    assert finding.code == "PTX602"
    assert "values of 300 registers are alive" in finding.message
