"""Stages given back while wgmma reads them: one group in flight, and the stage of which iteration is said to be free."""

from __future__ import annotations

from pathlib import Path

import pytest

from ptxgen.text import parse
from ptxgen.verifier import verify

KERNEL = (Path(__file__).parent / "kernels" / "tma_wgmma_specialised.ptx").read_text("utf-8")
GIVES_BACK = "@%p11 mbarrier.arrive.shared::cta.b64 _, [%r40]; // drop: PTX538\n"
WAITS = "wgmma.wait_group.sync.aligned 1; // drop: PTX547"
THIS_STAGE = "add.u32 %r42, %r41, %r31;\n\t@%p11 mbarrier.arrive.shared::cta.b64 _, [%r42];\n"
STAGES = 4


def findings(*changes: tuple[str, str]) -> list[str]:
    text = KERNEL
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return [f"{each.code} {each.message}" for each in verify(parse(text))]


def too_early(whose: str, groups: str, wait: int) -> list[str]:
    line = f"wgmma.wait_group.sync.aligned at <ptx>:{wait}:2"
    says = (
        f"the stage of {whose} is given back while wgmma.mma_async may still read it: {line} leaves {groups} in flight"
    )
    return [f"PTX547 {says}"]


WAIT_LINE = KERNEL[: KERNEL.index(WAITS)].count("\n") + 1


def test_the_stage_of_this_iteration() -> None:
    assert findings((GIVES_BACK, THIS_STAGE)) == too_early("this iteration", "1 group", WAIT_LINE)


def test_it_may_be_given_back_where_nothing_is_in_flight() -> None:
    changes = (GIVES_BACK, THIS_STAGE), (WAITS, "wgmma.wait_group.sync.aligned 0;")
    assert findings(*changes) == []


def test_a_wait_that_leaves_one_group_too_many() -> None:
    assert findings((WAITS, "wgmma.wait_group.sync.aligned 2;")) == too_early(
        "1 iteration before", "2 groups", WAIT_LINE
    )


@pytest.mark.parametrize("wait, silent", [(1, True), (2, True), (3, False)])
def test_the_stage_of_two_iterations_before(wait: int, silent: bool) -> None:
    """%r40 is the stage of the iteration before, %r43 of the one before that."""
    found = findings(
        ("add.u32 %r40, %r41, %r31;", "mov.u32 %r43, %r40;\n\tadd.u32 %r40, %r41, %r31;"),
        ("mov.u32 %r40, %r41;", "mov.u32 %r40, %r41;\n\tmov.u32 %r43, %r41;"),
        ("[%r40]; // drop: PTX538", "[%r43];"),
        ("setp.eq.u32 %p9, %r4, 0;", "setp.lt.u32 %p9, %r4, 2;"),
        (WAITS, f"wgmma.wait_group.sync.aligned {wait};"),
    )
    assert (found == []) == silent, found
    if not silent:
        assert found == too_early("2 iterations before", "3 groups", WAIT_LINE + 1)


@pytest.mark.parametrize("release", [GIVES_BACK, THIS_STAGE])
def test_a_stage_from_the_number_of_the_iteration(release: str) -> None:
    """No counter that wraps: the stage is the lowest bits of the iteration's number, or of the one before."""
    text = release.replace("[%r40]; // drop: PTX538", "[%r42];")
    if release is GIVES_BACK:
        text = "sub.u32 %r42, %r4, 1;\n\tand.b32 %r42, %r42, 3;\n\tmad.lo.u32 %r42, %r42, 8, %r41;\n\t" + text
    found = findings(
        (GIVES_BACK, text),
        ("CONSUME:\n\tshl.b32 %r31, %r5, 3;", "CONSUME:\n\tand.b32 %r44, %r4, 3;\n\tshl.b32 %r31, %r44, 3;"),
    )
    assert (found == []) == (release is GIVES_BACK), found


def test_without_a_stage_that_comes_again_nothing_is_said() -> None:
    """The addresses of an iteration without end fit every distance."""
    found = findings((GIVES_BACK, THIS_STAGE), ("selp.b32 %r5, 0, %r5, %p10;", ""))
    assert "PTX547" not in "".join(found)
