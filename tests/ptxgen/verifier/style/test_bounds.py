"""No bound on the thread's index (PTX606)."""

from __future__ import annotations

import pytest

from tests.ptxgen.verifier.style.programs import count, messages

INDEX = "mad.lo.u32 %r4, %r3, 128, %r2; mul.wide.u32 %rd2, %r4, 4; add.s64 %rd2, %rd2, %rd1;"


def test_an_index_that_nothing_bounds() -> None:
    (message,) = messages("PTX606", f"{INDEX} ld.global.u32 %r5, [%rd2]; st.global.u32 [%rd2], %r5;")
    assert message == "the address of ld.global.u32 is made of %ctaid and %tid, and nothing bounds the thread's number"


@pytest.mark.parametrize(
    "body",
    [
        f"{INDEX} setp.ge.u32 %p1, %r4, %r1; @%p1 ret; st.global.u32 [%rd2], %r2;",
        f"{INDEX} setp.lt.u32 %p1, %r4, %r1; @%p1 st.global.u32 [%rd2], %r2;",
        f"{INDEX} setp.ge.u32 %p1, %r3, %r1; @%p1 ret; st.global.u32 [%rd2], %r2;",  # of whole CTAs
        "mad.lo.u32 %r4, %r3, 128, %r2; min.u32 %r4, %r4, %r1; mul.wide.u32 %rd2, %r4, 4; add.s64 %rd2, %rd2, %rd1; "
        "st.global.u32 [%rd2], %r2;",
        "mul.wide.u32 %rd2, %r2, 4; add.s64 %rd2, %rd2, %rd1; st.global.u32 [%rd2], %r2;",  # of the CTA alone
    ],
)
def test_an_index_that_something_bounds(body: str) -> None:
    assert count("PTX606", body) == 0
