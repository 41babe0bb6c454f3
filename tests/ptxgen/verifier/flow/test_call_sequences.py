"""The .param variables of calls, in the order of the text: judged as the assembler judges them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from ptxgen.errors import AssembleError
from tests.ptxgen.verifier.instruction.programs import found, illegal, legal, program

if TYPE_CHECKING:
    from collections.abc import Callable


F = ".func (.param .b32 o) f(.param .b32 i) { st.param.b32 [o], 0; ret; }\n"


VARIABLES = ".param .b32 q; .param .b32 rv;"


@pytest.mark.parametrize(
    "body",
    [
        "st.param.b32 [q], %r1; call (rv), f, (q); ld.param.b32 %r1, [rv];",
        "st.param.b32 [q], %r1; @%p1 bra X; X: call (rv), f, (q); @%p1 bra Y; Y: ld.param.b32 %r1, [rv];",
        "st.param.b32 [q], %r1; @%p1 call (rv), f, (q);",
        "st.param.b32 [q], %r1; call (_), f, (q);",
        "st.param::func.b32 [q], %r1; call (rv), f, (q); ld.param::func.b32 %r1, [rv];",
    ],
)
def test_sequences(body: str, assembler: Callable[..., Any]) -> None:
    legal(program(f"{{ {VARIABLES} {body} }}", F), assembler)


@pytest.mark.parametrize(
    "code, body",
    [
        ("PTX308", "st.param.b32 [q], %r1; ld.param.b32 %r1, [rv]; call (rv), f, (q);"),
        ("PTX308", "st.param.b32 [q], %r1; call (rv), f, (q); ld.param.b32 %r1, [q];"),
        ("PTX308", "st.param.b32 [q], %r1; call (rv), f, (q); @%p1 ld.param.b32 %r1, [rv];"),
        ("PTX308", "@%p1 st.param.b32 [q], %r1; call (rv), f, (q);"),
        ("PTX308", "st.param.b32 [q], %r1; mov.b64 %rd1, q; call (rv), f, (q);"),
    ],
)
def test_sequences_out_of_order(code: str, body: str, assembler: Callable[..., Any]) -> None:
    illegal(code, program(f"{{ {VARIABLES} {body} }}", F), assembler)


@pytest.mark.parametrize(
    "body",
    [
        "st.param.b32 [q], %r1; call (rv), f, (q); ld.param::entry.b32 %r1, [rv];",
        "ld.param::func.u64 %rd1, [a];",
        "ld.param::func.u32 %r1, [%rd1];",
    ],
)
def test_the_other_space_of_parameters(body: str, assembler: Callable[..., Any]) -> None:
    text = program(f"{{ {VARIABLES} {body} }}", F)
    assert found(text) == ["error PTX207"]
    version = assembler(program("", F)).version
    if tuple(map(int, version.split("."))) >= (13, 5):  # older ones accept what the manual forbids here
        with pytest.raises(AssembleError):
            assembler(text)


def test_an_argument_without_a_value_is_a_warning(assembler: Callable[..., Any]) -> None:
    text = program("{ .param .b32 q; .param .b32 rv; call (rv), f, (q); }", F)
    assert found(text) == ["warning PTX309"]
    assert assembler(text).cubin
