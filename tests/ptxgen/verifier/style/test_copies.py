"""Needless copies (PTX615)."""

from __future__ import annotations

import pytest

from tests.ptxgen.verifier.style.programs import messages


@pytest.mark.parametrize(
    "body, expected",
    [
        ("mov.u32 %r4, %r1; st.global.u32 [%rd1], %r4;", ["%r4 is %r1, and stays it"]),
        ("mov.u32 %r4, %r1; add.u32 %r4, %r4, 1; st.global.u32 [%rd1], %r4;", []),  # a beginning
        ("mov.u32 %r5, 1; mov.u32 %r4, %r5; mov.u32 %r5, 2; st.global.v2.u32 [%rd1], {%r4, %r5};", []),  # the old value
        ("setp.eq.u32 %p1, %r1, 0; @%p1 mov.u32 %r4, %r1; @%p1 st.global.u32 [%rd1], %r4;", []),
        ("mov.b32 %r4, %f1; st.global.u32 [%rd1], %r4;", []),  # as bits
        ("mov.u32 %r4, %ctaid.y; st.global.u32 [%rd1], %r4;", []),
    ],
)
def test_copies(body: str, expected: list[str]) -> None:
    assert messages("PTX615", body) == expected
