"""One statement alone, as editors read it."""

from __future__ import annotations

import pytest

from ptxgen.ir import Register
from ptxgen.isa.types import TYPES
from ptxgen.text.printer import format_instruction
from ptxgen.text.single import single_instruction, tokens_of

REGISTERS = [Register("%f1", TYPES["f32"]), Register("%p", TYPES["pred"])]


def test_tokens_without_comments() -> None:
    assert tokens_of("add.f32 // a\n %f1, /* b */ x") == [(0, "add.f32"), (14, "%f1"), (17, ","), (27, "x")]
    assert tokens_of("") == []


def test_an_instruction_knows_the_registers_that_are_declared() -> None:
    found = single_instruction("@!%p st.global.f32 [x+4], %f1", REGISTERS, ["x"])
    assert found is not None
    assert format_instruction(found) == "@!%p st.global.f32 [x+4], %f1;"
    assert found.operands[1] == REGISTERS[0]


@pytest.mark.parametrize(
    "text", ["", "@", "add.f32 %f1,", ".reg .b32 a", "{", "add.f32 %f1 %f1", "mov.u32 a, " + "(" * 5000]
)
def test_what_is_unfinished_is_none(text: str) -> None:
    assert single_instruction(text, REGISTERS, []) is None
