"""Scopes and windows where CTAs of a cluster use each other's shared memory and mbarriers."""

from __future__ import annotations

import pytest

from ptxgen.text import parse
from ptxgen.verifier import verify

SYNC = "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;"
SETUP = f"@%p1 mbarrier.init.shared::cta.b64 [bar], 2; fence.mbarrier_init.release.cluster; {SYNC}"


def codes(body: str) -> set[str]:
    text = (
        ".version 8.6\n.target sm_90a\n.address_size 64\n.shared .align 8 .b64 bar, other; .shared .b32 s;\n"
        ".entry k()\n.reqntid 32\n.reqnctapercluster 2\n{\n.reg .pred %p<3>; .reg .b32 %r<5>;\n"
        "mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0;\n"
        "mapa.shared::cluster.u32 %r2, bar, 1; mapa.shared::cluster.u32 %r3, s, 1;\n"
        f"{SETUP}\n{body}\n{SYNC}\nret;\n}}\n"
    )
    return {finding.code for finding in verify(parse(text))} & {"PTX584", "PTX587", "PTX588", "PTX589"}


def handed_over(release: str, acquire: str, waits_for: str = "bar") -> str:
    return (
        f"@%p1 mbarrier.arrive{release}.shared::cluster.b64 _, [%r2];\n"
        f"WAIT: mbarrier.try_wait.parity{acquire}.shared::cta.b64 %p2, [{waits_for}], 0; @!%p2 bra WAIT;"
    )


@pytest.mark.parametrize(
    "release, acquire, found",
    [
        (".release.cluster", ".acquire.cluster", set()),
        ("", "", set()),
        (".release.cta", ".acquire.cluster", {"PTX588"}),
        (".release.cluster", ".acquire.cta", {"PTX588"}),
    ],
)
def test_both_sides_have_the_cluster_in_their_scope(release: str, acquire: str, found: set[str]) -> None:
    assert codes(handed_over(release, acquire)) == found


def test_a_wait_for_the_own_cta_may_keep_to_it() -> None:
    assert codes(handed_over(".release.cluster", ".acquire.cta", "other")) == set()


@pytest.mark.parametrize(
    "access, found",
    [
        ("st.shared::cluster.u32 [%r3], %r1;", set()),
        ("st.shared.u32 [s], %r1;", set()),
        ("st.shared.u32 [%r3], %r1;", {"PTX587"}),
        ("ld.shared::cta.u32 %r4, [%r3];", {"PTX587"}),
        ("red.shared.add.u32 [%r3+0], %r1;", {"PTX587"}),
    ],
)
def test_addresses_of_other_ctas_are_of_the_clusters_window(access: str, found: set[str]) -> None:
    assert codes(access) == found


@pytest.mark.parametrize(
    "between, arrival, found",
    [
        ("", "relaxed", {"PTX584"}),
        ("", "release", set()),
        ("fence.acq_rel.cluster;", "relaxed", set()),
        ("@%p1 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r2];", "relaxed", set()),
    ],
)
def test_a_relaxed_arrival_does_not_hand_over_what_was_stored_in_another_cta(
    between: str, arrival: str, found: set[str]
) -> None:
    barrier = f"barrier.cluster.arrive.{arrival}.aligned; barrier.cluster.wait.aligned;"
    assert codes(f"st.shared::cluster.u32 [%r3], %r1; {between} {barrier} ld.shared.u32 %r4, [s];") == found


def test_a_relaxed_arrival_is_enough_behind_loads_and_asynchronous_stores() -> None:
    barrier = "barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.aligned;"
    store = "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r3], %r1, [%r2];"
    for access in ("ld.shared::cluster.u32 %r4, [%r3];", store):
        assert codes(f"{access} {barrier}") == set()


WAIT = "WAIT: mbarrier.try_wait.parity{acquire}.shared::cta.b64 %p2, [bar], 0; @!%p2 bra WAIT;"
ALONE = (
    ".version 8.6\n.target sm_90a\n.address_size 64\n.shared .align 8 .b64 bar;\n.entry k()\n.reqntid 32\n{\n"
    ".reg .pred %p<3>; .reg .b32 %r<5>;\nmov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0;\n"
    "@%p1 mbarrier.init.shared::cta.b64 [bar], 32; bar.sync 0;\n"
)


@pytest.mark.parametrize(
    "release, acquire, found",
    [
        ("", "", 0),
        (".release.cta", ".acquire.cta", 0),
        (".relaxed.cluster", ".relaxed.cluster", 0),
        (".release.cluster", ".acquire.cta", 1),
        ("", ".acquire.cluster", 1),
        (".release.cluster", ".acquire.cluster", 2),
    ],
)
def test_the_scope_of_the_cluster_within_a_cta_is_dear(release: str, acquire: str, found: int) -> None:
    text = f"{ALONE}mbarrier.arrive{release}.shared::cta.b64 _, [bar];\n{WAIT.format(acquire=acquire)}\nret;\n}}\n"
    assert [each.code for each in verify(parse(text))] == ["PTX589"] * found


def test_a_wait_for_another_cta_needs_it_and_an_arrival_within_does_not() -> None:
    others = "@%p1 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r2];\n"
    wait = WAIT.format(acquire=".acquire.cluster")
    assert codes(others + wait) == set()
    own = "@%p1 mbarrier.arrive.release.cluster.shared::cta.b64 _, [bar];\n"
    assert codes(others + own + wait) == {"PTX589"}
