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
    return {finding.code for finding in verify(parse(text))} & {"PTX587", "PTX588"}


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
