"""barrier.cluster in code that a branch may skip: all threads of a cluster go one way, which the text alone does not say."""

from __future__ import annotations

from ptxgen.text import parse
from ptxgen.verifier import verify

MEET = "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;"


def codes(body: str) -> list[str]:
    text = (
        ".version 8.6\n.target sm_90\n.address_size 64\n.entry k(.param .u32 n)\n.reqnctapercluster 2\n"
        "{\n.reg .pred %p; .reg .b32 %r<3>;\nld.param.u32 %r1, [n];\nsetp.eq.u32 %p, %r1, 0;\n" + body + "\n}\n"
    )
    return [finding.code for finding in verify(parse(text))]


def test_an_arrival_and_its_wait_that_are_skipped_together():
    assert codes(f"{MEET}\n@%p bra $done;\n{MEET}\n$done: ret;") == []


def test_in_a_loop_that_may_run_no_time():
    again = "sub.u32 %r1, %r1, 1; setp.eq.u32 %p, %r1, 0;"
    assert codes(f"{MEET}\n@%p bra $done;\n$again: {MEET}\n{again}\n@!%p bra $again;\n$done: ret;") == []


def test_a_wait_alone_is_still_found():
    assert codes(f"{MEET}\n@%p bra $done;\nbarrier.cluster.wait.aligned;\n$done: ret;") == ["PTX581"]
    assert "PTX581" in codes("barrier.cluster.wait.aligned;\nret;")
