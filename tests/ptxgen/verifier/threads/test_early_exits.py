"""Threads that leave before a barrier (PTX603)."""

from __future__ import annotations

import pytest

from tests.ptxgen.verifier.style.programs import count, messages


def test_threads_that_leave_before_a_barrier() -> None:
    (message,) = messages("PTX603", "setp.ge.u32 %p1, %r2, %r1; @%p1 ret; bar.sync 0;")
    assert message.startswith("some threads leave the kernel before this bar.sync")
    assert message.endswith("depends on %tid.x")


@pytest.mark.parametrize(
    "body, head",
    [
        ("setp.ge.u32 %p1, %r3, %r1; @%p1 ret; bar.sync 0;", ""),  # the whole CTA
        ("bar.sync 0; setp.ge.u32 %p1, %r2, %r1; @%p1 ret;", ""),
        ("setp.ge.u32 %p1, %r2, %r1; @%p1 ret; bar.sync 1, 64;", ""),  # its threads are counted
        ("setp.ge.u32 %p1, %r2, %r1; @%p1 ret; bar.sync 0;", ".reqntid 32"),
        (
            "shr.u32 %r4, %r2, 8; add.u32 %r4, %r4, %r3; setp.ge.u32 %p1, %r4, %r1; @%p1 ret; bar.sync 0;",
            ".maxntid 256",
        ),
    ],
)
def test_threads_that_leave_in_order(body: str, head: str) -> None:
    assert count("PTX603", body, head) == 0
