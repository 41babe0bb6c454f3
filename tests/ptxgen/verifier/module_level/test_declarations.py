"""Declarations that must agree: judged as the assembler judges them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

import ptxgen as px
from tests.ptxgen.verifier.instruction.programs import illegal, legal, program

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize(
    "before",
    [
        ".func f(.param .b32 x);\n.func f(.param .b32 y) { ret; }",
        ".visible .func f(.param .b32 x);\n.func f(.param .b32 y) { ret; }",
        ".func f(.reg .b16 i, .reg .f16 j, .param .b8 k, .param .u8 l[2]) { ret; }",
    ],
)
def test_declarations(before: str, assembler: Callable[..., Any]) -> None:
    legal(program("", before), assembler)


@pytest.mark.parametrize(
    "before",
    [
        ".func f();\n.func f(.param .b32 x) { ret; }",
        ".func f(.param .b32 x);\n.func f(.param .u32 x) { ret; }",
        ".func f(.param .b32 x);\n.func f(.reg .b32 x) { ret; }",
        ".func f(.param .align 8 .b8 x[8]);\n.func f(.param .align 4 .b8 x[8]) { ret; }",
        ".func (.param .b32 r) f();\n.func f() { ret; }",
        ".entry f();\n.func f() { ret; }",
        ".func f(.reg .u16 i) { ret; }",
        ".func f(.reg .pred i) { ret; }",
        ".func f(.param .u16 i) { ret; }",
        ".func (.param .s8 o) f() { st.param.s8 [o], 0; ret; }",
    ],
)
def test_declarations_that_do_not_agree(before: str, assembler: Callable[..., Any]) -> None:
    judging = partial(assembler, tool="nvjitlink")  # ptxas drops functions that nothing calls before it judges them
    illegal("PTX305", program("", before), judging)


def test_predicates_are_passed_where_there_is_no_abi() -> None:
    """The manual of .func takes any base type in registers, and tells of an ABI from PTX 2.0 on; under it ptxas 13.0 and
    nvJitLink 13.5 refuse predicates and small integers. PTX 1.x may have them, and a module in which a function has several
    results: "disabling ABI", ptxas says."""
    text = (
        ".version {}\n.target {}\n.func (.reg .pred q) f(.reg .pred p) {{ not.pred q, p; ret; }}\n"
        ".entry k() {{ .reg .pred p; setp.eq.u32 p, 1, 1; call (p), f, (p); ret; }}\n"
    )
    assert px.verify(px.parse(text.format("1.4", "sm_13"))) == []
    for version, target in (("2.0", "sm_20"), ("6.3", "sm_75")):
        found = px.verify(px.parse(text.format(version, target)))
        assert {finding.code for finding in found if finding.is_error} == {"PTX305"}
        several = text + ".func (.reg .u32 a, .reg .u16 b) g() {{ mov.u32 a, 1; mov.u16 b, 2; ret; }}\n"
        assert px.verify(px.parse(several.format(version, target))) == []


def test_constants_over_64_kib(assembler: Callable[..., Any]) -> None:
    illegal("PTX427", program("", ".const .align 4 .b8 c[40000];\n.const .align 4 .b8 d[40000];"), assembler)
    legal(program("", ".const .align 4 .b8 c[65536];"), assembler)


def test_parameters_outside_of_functions(assembler: Callable[..., Any]) -> None:
    illegal("PTX106", program("", ".param .b32 p;"), assembler)
