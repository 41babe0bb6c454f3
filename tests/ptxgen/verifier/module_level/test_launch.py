"""Promises of directives that no multiprocessor keeps; local memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from ptxgen.text import parse
from ptxgen.verifier import verify
from tests import ptx

if TYPE_CHECKING:
    from collections.abc import Callable


def program(head: str, body: str = "", target: str = "sm_90a") -> str:
    registers = ".reg .b32 %r<900>; .reg .b64 %rd<9>; .reg .pred %p<3>;"
    return ptx.kernel(body, ".param .u64 a", registers=registers, directives=head, target=target)


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
