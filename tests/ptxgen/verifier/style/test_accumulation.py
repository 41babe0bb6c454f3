"""Sums that each iteration begins anew (PTX605)."""

from __future__ import annotations

import pytest

from tests.ptxgen.verifier.style.programs import count, messages

LOOP = "mov.u32 %r9, 0; L: {} add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, %r1; @%p1 bra L; {}"


@pytest.mark.parametrize(
    "zero, step, behind",
    [
        ("mov.f32 %f2, 0f00000000;", "add.f32 %f3, %f2, %f1;", "st.global.f32 [%rd1], %f3;"),
        ("mov.f32 %f2, 0f00000000;", "fma.rn.f32 %f3, %f1, %f1, %f2;", "st.global.f32 [%rd1], %f3;"),
        ("mov.f32 %f2, 0f3F800000;", "mul.f32 %f3, %f1, %f2;", "st.global.f32 [%rd1], %f3;"),
        ("mov.u32 %r5, 0;", "mad.lo.u32 %r6, %r9, %r9, %r5;", "st.global.u32 [%rd1], %r6;"),
        ("mov.b32 %r5, 0;", "or.b32 %r6, %r5, %r9;", "st.global.u32 [%rd1], %r6;"),
    ],
)
def test_a_sum_that_each_round_begins_anew(zero: str, step: str, behind: str) -> None:
    (message,) = messages("PTX605", zero + LOOP.format(step, behind))
    assert message.endswith(
        "begins %f3 anew: behind the loop it has what the last iteration brought".replace("%f3", message.split()[3])
    )


@pytest.mark.parametrize(
    "zero, step, behind",
    [
        ("mov.f32 %f2, 0f00000000;", "add.f32 %f2, %f2, %f1;", "st.global.f32 [%rd1], %f2;"),  # as it should be
        ("mov.f32 %f2, 0f00000000;", "add.f32 %f3, %f2, %f1; mov.f32 %f2, %f3;", "st.global.f32 [%rd1], %f2;"),
        ("mov.f32 %f2, 0f40000000;", "add.f32 %f3, %f2, %f1;", "st.global.f32 [%rd1], %f3;"),  # an offset
        ("mov.f32 %f2, 0f00000000;", "add.f32 %f3, %f2, %f1; st.global.f32 [%rd1], %f3;", ""),  # used in each round
        ("mov.u32 %r5, 0;", "mul.lo.u32 %r6, %r9, %r5;", "st.global.u32 [%rd1], %r6;"),
    ],
)
def test_a_sum_that_goes_on(zero: str, step: str, behind: str) -> None:
    assert count("PTX605", zero + LOOP.format(step, behind)) == 0
