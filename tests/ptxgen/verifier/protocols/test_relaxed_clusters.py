"""barrier.cluster.arrive.relaxed: accesses to other CTAs before it that nothing orders with what these do behind the barrier."""

from __future__ import annotations

import pytest

from ptxgen.text import parse
from ptxgen.verifier import verify

RELEASE, RELAXED = "barrier.cluster.arrive.release.aligned;", "barrier.cluster.arrive.relaxed.aligned;"
WAIT, FENCE = "barrier.cluster.wait.acquire.aligned;", "fence.acq_rel.cluster;"
LOAD, USE = "ld.shared::cluster.u32 %r3, [%r2];", "st.global.u32 [%rd1], %r3;"
PUSH, READ, WRITE = "st.shared::cluster.u32 [%r2], %r1;", "ld.shared.u32 %r4, [s];", "st.shared.u32 [s], %r1;"
ADD = "atom.shared::cluster.add.u32 %r3, [%r2], 1;"
REDUCE = "red.shared::cluster.add.u32 [%r2], 1;"


def codes(*body: str) -> list[str]:
    lines = "\n".join(body)
    text = (
        ".version 8.6\n.target sm_90\n.address_size 64\n.shared .b32 s, other;\n.entry k(.param .u64 out)\n.reqnctapercluster 2\n"
        "{\n.reg .b32 %r<6>; .reg .b64 %rd<2>;\nld.param.u64 %rd1, [out]; mov.u32 %r1, %cluster_ctarank;\n"
        f"mapa.shared::cluster.u32 %r2, s, 1;\n{RELEASE} {WAIT}\n{lines}\nret;\n}}\n"
    )
    return [finding.code for finding in verify(parse(text)) if finding.code == "PTX584"]


@pytest.mark.parametrize(
    "before",
    [(LOAD,), (PUSH,), (REDUCE,), (ADD,), (PUSH, LOAD, USE)],
    ids=["load", "store", "red", "atom", "store of two"],
)
def test_an_access_that_may_not_be_performed_when_the_other_cta_ends(before: tuple[str, ...]) -> None:
    assert codes(*before, RELAXED, WAIT) == ["PTX584"]
    assert codes(*before, RELAXED, USE, WAIT) == ["PTX584"]
    assert codes(*before, RELEASE, WAIT) == []
    assert codes(*before, FENCE, RELAXED, WAIT) == []


@pytest.mark.parametrize("before", [LOAD, ADD])
def test_a_result_that_was_read_has_been_performed(before: str) -> None:
    assert codes(before, USE, RELAXED, WAIT) == []


@pytest.mark.parametrize("before, behind", [(PUSH, READ), (REDUCE, READ), (LOAD, WRITE), (PUSH, WRITE)])
def test_what_the_other_cta_does_behind_the_barrier(before: str, behind: str) -> None:
    assert codes(before, RELAXED, WAIT, behind, RELEASE, WAIT) == ["PTX584"]
    assert codes(before, RELEASE, WAIT, behind, RELEASE, WAIT) == []
    assert codes(before, RELAXED, WAIT, RELEASE, WAIT, behind) == []


@pytest.mark.parametrize("before, behind", [(LOAD, READ), (PUSH, "ld.shared.u32 %r4, [other];")])
def test_accesses_that_need_no_order(before: str, behind: str) -> None:
    assert codes(before, RELAXED, WAIT, behind, RELEASE, WAIT) == []


def test_an_arrival_on_an_mbarrier_orders_them() -> None:
    told = "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r5];"
    assert codes(".shared .align 8 .b64 bar; mapa.shared::cluster.u32 %r5, bar, 1;", PUSH, told, RELAXED, WAIT) == []
