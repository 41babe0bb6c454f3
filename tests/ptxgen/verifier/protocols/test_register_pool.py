"""setmaxnreg: what the warpgroups of a CTA hold in the end is at most what it started with."""

from __future__ import annotations

import pytest

from ptxgen.text import parse
from ptxgen.verifier import verify

TID = "mov.u32 %r1, %tid.x;\n"
GROUP = TID + "shr.u32 %r2, %r1, 7;\n"
SHUFFLED = GROUP + "shfl.sync.idx.b32 %r2, %r2, 0, 31, -1;\n"


def found(body: str, head: str = ".reqntid 384 .maxnreg 168") -> list[str]:
    text = (
        f".version 8.0\n.target sm_90a\n.address_size 64\n.entry k(.param .u64 a)\n{head}\n{{\n"
        f".reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>;\n{body}\nret;\n}}\n"
    )
    return [finding.message for finding in verify(parse(text)) if finding.code == "PTX574"]


def specialised(load: int, compute: int, number: str = GROUP, first: str = "setp.eq.u32 %p1, %r2, 0;") -> str:
    """A warpgroup that loads, and others that compute."""
    return (
        f"{number}{first}\n@%p1 bra LOAD;\nsetmaxnreg.inc.sync.aligned.u32 {compute};\nret;\n"
        f"LOAD: setmaxnreg.dec.sync.aligned.u32 {load};"
    )


@pytest.mark.parametrize("number", [GROUP, SHUFFLED])
def test_the_sum_over_three_warpgroups(number: str) -> None:
    assert found(specialised(40, 232, number)) == []
    assert found(specialised(40, 240, number)) == [
        "the warpgroups of this kernel end with 40 + 240 + 240 registers a thread, and the CTA starts with 3 * 168: "
        "an .inc waits for ever"
    ]


@pytest.mark.parametrize(
    "head, load, compute, fine",
    [
        (".reqntid 256 .maxnreg 128", 40, 216, True),
        (".reqntid 256 .maxnreg 128", 40, 224, False),
        (".reqntid 256 .minnctapersm 1", 24, 232, True),  # 255 registers, in units of 8
        (".reqntid 384 .minnctapersm 1", 40, 232, True),  # 168
        (".maxntid 384 .minnctapersm 1", 40, 240, False),
        (".reqntid 512 .maxnreg 128", 56, 152, True),
        (".reqntid 512 .maxnreg 128", 56, 160, False),
    ],
)
def test_what_the_directives_give(head: str, load: int, compute: int, fine: bool) -> None:
    assert (found(specialised(load, compute), head) == []) is fine


def test_conditions_on_the_thread() -> None:
    below = "setp.lt.u32 %p1, %r1, 128;"
    assert found(specialised(40, 240, TID, below))
    assert found(specialised(40, 232, TID, below)) == []
    two = "setp.lt.u32 %p1, %r1, 256;"  # two warpgroups load, one computes
    assert found(specialised(128, 248, TID, two)) == []
    assert found(specialised(136, 248, TID, two))


def test_the_last_count_of_a_warpgroup_is_what_it_ends_with() -> None:
    body = specialised(40, 232) + "\nsetmaxnreg.inc.sync.aligned.u32 48;"
    assert found(body)
    assert found(specialised(40, 232).replace("240", "232") + "\nsetmaxnreg.inc.sync.aligned.u32 40;") == []


@pytest.mark.parametrize(
    "body",
    [
        "ld.param.u64 %rd1, [a]; setp.eq.u64 %p1, %rd1, 0;\n" + specialised(40, 240, "", ""),  # who loads is not known
        GROUP + "setp.eq.u32 %p1, %r2, 0;\n@!%p1 bra END;\nsetmaxnreg.inc.sync.aligned.u32 168;\nEND:",
    ],
)
def test_silent(body: str) -> None:
    assert found(body) == []


def test_a_kernel_whose_warpgroups_all_ask_for_more() -> None:
    assert found("setmaxnreg.inc.sync.aligned.u32 176;")
    assert found("setmaxnreg.inc.sync.aligned.u32 168;") == []


def test_without_a_size_nothing_is_known() -> None:
    assert found("setmaxnreg.inc.sync.aligned.u32 176;", ".maxnreg 168") == []
