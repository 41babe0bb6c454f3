"""mbarriers whose life ends: behind a barrier that other threads have come to, or too early."""

from __future__ import annotations

import pytest

from ptxgen.text import parse
from ptxgen.verifier import verify

HEAD = """.version 8.0
.target sm_90a
.address_size 64
.shared .align 8 .b64 bar; .shared .align 8 .b64 bars[2]; .shared .align 4 .b32 flag;
.entry k(.param .u64 a, .param .u32 n)
{head}
{{
.reg .pred %p<12>; .reg .b32 %r<20>; .reg .b64 %rd<4>;
ld.param.u64 %rd1, [a]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; setp.eq.u32 %p1, %r2, 0; setp.lt.u32 %p2, %r2, 32;
mov.u32 %r3, 0;
@!%p1 bra READY;
mbarrier.init.shared::cta.b64 [bar], {count}; mbarrier.init.shared::cta.b64 [bars], 1; mbarrier.init.shared::cta.b64 [bars+8], 1;
READY: bar.sync 0;
{body}
ret;
}}
"""
ARRIVE = "mbarrier.arrive.shared::cta.b64 _, [bar];\n"
WAIT = "{}: mbarrier.try_wait.parity.shared::cta.b64 %p3, [{}], 0;\n@!%p3 bra {};\n"
DONE = WAIT.format("DONE", "bar", "DONE")
OTHER = WAIT.format("OTHER", "bars", "OTHER")
END = "@%p1 mbarrier.inval.shared::cta.b64 [bar];\n"
ANEW = "@%p1 mbarrier.init.shared::cta.b64 [bar], 64;\nbar.sync 0;\n"


def found(body: str, head: str = ".reqntid 64", count: int = 64) -> list[str]:
    text = HEAD.format(head=head, body=body, count=count)
    findings = verify(parse(text))
    return [finding.message for finding in findings if finding.code == "PTX535"]


ROLES = "@!%p2 bra REST;\n" + ARRIVE + "bra JOIN;\nREST:\n" + DONE + "JOIN:\n"


@pytest.mark.parametrize("head", [".reqntid 64", ""])
@pytest.mark.parametrize(
    "body, what, use",
    [
        (ARRIVE + DONE + END, "invalidated", "mbarrier.arrive"),
        ("@%p1 " + ARRIVE + DONE + END, "invalidated", "mbarrier.try_wait"),
        (ARRIVE + DONE + "@!%p1 bra OVER;\n" + END.replace("@%p1 ", "") + "OVER:\n", "invalidated", "mbarrier.arrive"),
        (ARRIVE + DONE + END + ANEW, "invalidated", "mbarrier.arrive"),
        (ARRIVE + DONE + ANEW, "initialised anew", "mbarrier.arrive"),
        (ROLES + END, "invalidated", "mbarrier.try_wait"),  # thread 0 has another role
        ("mov.u32 %r4, 0;\nTURN:\n" + ARRIVE + DONE + "add.u32 %r4, %r4, 1; setp.lt.u32 %p4, %r4, %r1;\n@%p4 bra TURN;\n" + END,
         "invalidated", "mbarrier.arrive"),
    ],
)  # fmt: skip
def test_others_may_still_use_it(body: str, what: str, use: str, head: str) -> None:
    (message,) = found(body, head)
    assert message.startswith(f"bar is {what} while other threads may still use it: {use}")


@pytest.mark.parametrize("head", [".reqntid 64", ""])
@pytest.mark.parametrize(
    "body",
    [
        ARRIVE + DONE + "bar.sync 0;\n" + END,
        ROLES + "bar.sync 0;\n" + END,
        ARRIVE + DONE + "bar.sync 1, 64;\n" + END,
        ARRIVE + DONE + "barrier.cluster.arrive; barrier.cluster.wait;\n" + END,
        ARRIVE + DONE + "bar.sync 0;\n" + END + ANEW,
        ARRIVE + DONE + "bar.sync 0;\n" + ANEW,  # PTX534 says what is wrong with it
        # others arrive on another object behind their last use
        ARRIVE + DONE + "mbarrier.arrive.shared::cta.b64 _, [bars];\n" + OTHER + END,
        ARRIVE + DONE + "W: ld.acquire.cta.shared.u32 %r5, [flag]; setp.eq.u32 %p5, %r5, 0;\n@%p5 bra W;\n" + END,
        "@%p1 " + ARRIVE + "@!%p1 bra OVER;\n" + DONE + END.replace("@%p1 ", "") + "OVER:\n",  # one thread alone
        "@!%p2 bra OVER;\n" + ARRIVE + DONE + END + "OVER:\n",  # its own warp
        ARRIVE + DONE + "@%p1 mbarrier.inval.shared::cta.b64 [bars];\n",  # another object
        "mad.wide.u32 %rd2, %r2, 4, %rd1; ld.global.u32 %r6, [%rd2]; setp.eq.u32 %p7, %r6, 3;\n@!%p7 bra OVER;\n"
        + ARRIVE + "OVER:\n" + END,  # who knows which threads
    ],
)  # fmt: skip
def test_they_have_come_to_a_barrier(body: str, head: str) -> None:
    assert found(body, head) == []


def test_of_one_warp_nothing_is_said() -> None:
    assert found(ARRIVE + DONE + END, ".reqntid 32", 32) == []
    assert found(ARRIVE + DONE + END, ".maxntid 32", 32) == []
