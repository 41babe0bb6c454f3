"""Calls, direct and indirect: judged as the assembler judges them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.ptxgen.verifier.instruction.programs import illegal, legal, program

if TYPE_CHECKING:
    from collections.abc import Callable


def passing(formal: str, actual: str) -> str:
    """A call of `f(formal)` with a .param variable declared as `actual`, or with a register or constant."""
    declared = actual.startswith(".param")
    name = actual.split()[-1].partition("[")[0] if declared else actual
    value = {"4": "st.param.b32 [q], %r1;", "8": "st.param.b64 [q], %rd1;"}["8" if "64" in actual else "4"]
    body = f"{{ {actual + ';' + value if declared else ''} call f, ({name}); }}"
    return program(body, f".func f({formal}) {{ ret; }}")


@pytest.mark.parametrize(
    "formal, actual",
    [
        (".param .b32 i", ".param .f32 q"),
        (".param .u32 i", ".param .b32 q"),
        (".param .b32 i", "%r1"),
        (".param .b32 i", "%f1"),
        (".param .b32 i", "5"),
        (".param .f32 i", "0f3F800000"),
        (".param .align 8 .b8 i[24]", ".param .b64 q[3]"),
        (".reg .u32 i", "%r1"),
        (".reg .b32 i", "%f1"),
        (".reg .u32 i", "5"),
        (".reg .u32 i", ".param .b32 q"),
    ],
)
def test_arguments_that_fit(formal: str, actual: str, assembler: Callable[..., Any]) -> None:
    legal(passing(formal, actual), assembler)


@pytest.mark.parametrize(
    "formal, actual",
    [
        (".param .b32 i", ".param .b64 q"),
        (".param .b32 i", ".param .align 4 .b8 q[4]"),
        (".param .b64 i", ".param .align 8 .b8 q[8]"),
        (".param .align 8 .b8 i[24]", ".param .align 16 .b8 q[24]"),
        (".param .align 8 .b8 i[24]", ".param .align 8 .b8 q[32]"),
        (".param .b32 i", "%rd1"),
        (".param .b16 i", "%r1"),
        (".param .f32 i", "5"),
        (".param .align 4 .b8 i[4]", "5"),
        (".reg .u32 i", "%f1"),
        (".reg .f32 i", "5"),
        (".param .u64 i", "a"),  # a parameter of the kernel itself
    ],
)
def test_arguments_that_do_not(formal: str, actual: str, assembler: Callable[..., Any]) -> None:
    illegal("PTX306", passing(formal, actual), assembler)


def test_a_result_is_not_read(assembler: Callable[..., Any]) -> None:
    text = program("", ".func (.param .b32 o) f() { .reg .b32 %t; ld.param.b32 %t, [o]; ret; }")
    illegal("PTX308", text, assembler)


G = ".func f(.param .b32 i) { ret; }\n"


@pytest.mark.parametrize(
    "body",
    [
        "mov.u64 %rd1, f; P: .callprototype _ (.param .b32 _); call %rd1, (5), P;",
        "mov.u64 %rd1, f; T: .calltargets f; call %rd1, (5), T;",
    ],
)
def test_indirect_calls(body: str, assembler: Callable[..., Any]) -> None:
    legal(program(body, G), assembler)


@pytest.mark.parametrize(
    "body",
    [
        "mov.u64 %rd1, f; call %rd1, (5);",
        "mov.u64 %rd1, f; P: .callprototype _ (); call %rd1, (5), P;",
        "mov.u64 %rd1, f; T: .calltargets f; call %rd1, T;",
        "mov.u64 %rd1, f; T: .calltargets a; call %rd1, (5), T;",
        "P: .callprototype _ (.param .b32 _); call f, (5), P;",
        "call k;",
    ],
)
def test_indirect_calls_that_do_not_fit(body: str, assembler: Callable[..., Any]) -> None:
    illegal("PTX306", program(body, G), assembler)
