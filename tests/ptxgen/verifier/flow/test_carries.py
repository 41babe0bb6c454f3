"""Carries that nothing has made."""

from __future__ import annotations

import pytest

from tests.ptxgen.verifier.flow.test_constant_operands import found

SOME = "addc.u32 reads a carry that nothing has made on some path"


@pytest.mark.parametrize(
    "body, said",
    [
        ("addc.u32 %r3, %r1, 1;", ["addc.u32 reads a carry that nothing has made"]),
        ("@%p1 bra A; add.cc.u32 %r2, %r1, 1; A: addc.u32 %r3, %r1, 1;", [SOME]),
        ("add.cc.u32 %r2, %r1, 1; addc.u32 %r3, %r1, 1;", []),
        ("sub.cc.u32 %r2, %r1, 1; subc.cc.u32 %r3, %r1, 0; subc.u32 %r4, %r1, 0;", []),
        ("mad.lo.cc.u32 %r2, %r1, %r1, 1; madc.hi.u32 %r3, %r1, %r1, 0;", []),
        ("add.cc.u32 %r2, %r1, 1; @%p1 bra A; mov.u32 %r5, 1; A: addc.u32 %r3, %r1, 1;", []),
    ],
)  # fmt: skip
def test_carries(body: str, said: list[str]) -> None:
    assert [message for _, message in found(body)] == said
