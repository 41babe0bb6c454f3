"""Declarations that must agree: judged as the assembler judges them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

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
    """ptxas looks at no function that no kernel calls; nvJitLink, which keeps them for other modules, does."""
    illegal("PTX305", program("", before), partial(assembler, tool="nvjitlink"))


def test_constants_over_64_kib(assembler: Callable[..., Any]) -> None:
    illegal("PTX427", program("", ".const .align 4 .b8 c[40000];\n.const .align 4 .b8 d[40000];"), assembler)
    legal(program("", ".const .align 4 .b8 c[65536];"), assembler)


def test_parameters_outside_of_functions(assembler: Callable[..., Any]) -> None:
    illegal("PTX106", program("", ".param .b32 p;"), assembler)
