"""Results that nothing has written."""

from __future__ import annotations

import pytest

from tests.ptxgen.verifier.flow.test_constant_operands import found


@pytest.mark.parametrize(
    "function, said",
    [
        (".func (.reg .b32 o) f() { ret; }", ["f returns without a value in its result o"]),
        (".func (.param .b32 o) f() { ret; }", ["f returns without a value in its result o"]),
        (".func (.reg .b32 o) f() { mov.b32 o, 1; ret; }", []),
        (".func (.param .b32 o) f() { st.param.b32 [o], 1; ret; }", []),
        (".func (.param .align 8 .b8 o[16]) f() { st.param.b32 [o+4], 1; ret; }", []),
        (".func (.reg .b32 o) f() { trap; }", []),  # it never returns
        (".func f() { ret; }", []),
    ],
)
def test_results(function: str, said: list[str]) -> None:
    assert [message for _, message in found("", f"{function}\n")] == said
