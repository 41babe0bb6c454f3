"""Barriers and converged instructions where threads have diverged: a warning, if it is sure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from ptxgen.text import parse
from ptxgen.verifier import verify

if TYPE_CHECKING:
    from collections.abc import Callable

REGISTERS = ".reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>;\n.shared .b32 s;\n"
SETUP = """mov.u32 %r1, %tid.x; ld.param.u32 %r2, [n]; mov.u32 %r3, %laneid;
setp.lt.u32 %p1, %r1, %r2;   // differs in a warp
setp.lt.u32 %p2, %r1, 64;    // differs in the CTA
setp.lt.u32 %p3, 3, %r2;     // the same everywhere
"""
AFTER = "st.shared.u32 [s], %r2;"


def program(body: str, head: str = "") -> str:
    return (
        f".version 8.0\n.target sm_90a\n.address_size 64\n.entry k(.param .u32 n)\n{head}\n"
        f"{{\n{REGISTERS}{SETUP}{body}\nret;\n}}\n"
    )


def codes(body: str, head: str = "") -> list[str]:
    """What is found of divergence; the protocols of wgmma and setmaxnreg have their own tests."""
    return [finding.code for finding in verify(parse(program(body, head))) if finding.code < "PTX510"]


def inside(predicate: str, instruction: str, after: str = AFTER) -> str:
    return f"@!{predicate} bra END; {instruction} END: {after}"


LANES = {  # instruction: what they say in a branch that differs in a warp
    "bar.sync 0;": "PTX501",
    "bar.sync 1, 64;": "PTX501",
    "bar.arrive 1, %r2;": "PTX501",
    "barrier.sync.aligned 0;": "PTX501",
    "barrier.sync 0;": "PTX502",
    "barrier.sync 1, 64;": None,
    "bar.red.popc.u32 %r4, 0, %p3;": "PTX501",
    "shfl.sync.idx.b32 %r4, %r1, 0, 31, -1;": "PTX503",
    "shfl.sync.idx.b32 %r4, %r1, 0, 31, 0xFFFFFFFF;": "PTX503",
    "shfl.sync.idx.b32 %r4, %r1, 0, 31, 0xFFFF;": None,
    "activemask.b32 %r5; shfl.sync.idx.b32 %r4, %r1, 0, 31, %r5;": None,
    "mov.b32 %r5, -1; vote.sync.ballot.b32 %r4, %p3, %r5;": "PTX503",
    "bar.warp.sync -1;": "PTX503",
    "setmaxnreg.dec.sync.aligned.u32 24;": "PTX501",
    "wgmma.fence.sync.aligned;": "PTX501",
}


@pytest.mark.parametrize("instruction, code", LANES.items())
def test_where_lanes_part_ways(instruction: str, code: str | None, assembler: Callable[..., Any]) -> None:
    body = inside("%p1", instruction)
    assert codes(body) == ([code] if code else [])
    assert assembler(program(body)).cubin  # a warning: assemblers take it
    assert codes(inside("%p3", instruction)) == []


@pytest.mark.parametrize(
    "instruction, code",
    [
        ("bar.sync 0;", "PTX502"),
        ("barrier.sync 0;", "PTX502"),
        ("bar.sync 1, 64;", None),
        ("bar.arrive 1, %r2;", None),
        ("shfl.sync.idx.b32 %r4, %r1, 0, 31, -1;", None),
        ("wgmma.fence.sync.aligned;", None),
    ],
)
def test_where_warps_part_ways(instruction: str, code: str | None) -> None:
    assert codes(inside("%p2", instruction)) == ([code] if code else [])


@pytest.mark.parametrize(
    "code, body",
    [
        ("PTX501", "@%p1 bar.sync 0;"),
        ("PTX503", "@%p1 shfl.sync.idx.b32 %r4, %r1, 0, 31, -1;"),
        ("PTX502", "@%p2 bar.sync 0;"),
        # a loop that some lanes leave before others
        ("PTX501", f"AGAIN: bar.sync 0; add.u32 %r3, %r3, 1; setp.lt.u32 %p4, %r3, 40; @%p4 bra AGAIN; {AFTER}"),
        # nested: the outer branch is at fault
        ("PTX501", f"@!%p1 bra END; @!%p3 bra END; bar.sync 0; END: {AFTER}"),
    ],
)
def test_guards_loops_and_nesting(code: str, body: str) -> None:
    assert codes(body) == [code]


@pytest.mark.parametrize(
    "body",
    [
        "@!%p1 ret; bar.sync 0; st.shared.u32 [s], %r2;",  # who has left is not waited for
        "@!%p1 exit; shfl.sync.idx.b32 %r4, %r1, 0, 31, -1;",
        "@%p1 bra GO; ret; GO: bar.sync 0; st.shared.u32 [s], %r2;",
        inside("%p1", "bar.sync 0;", after=""),  # the same, the other way round
        "@%p2 bra THEN; bar.sync 0; bra END; THEN: bar.sync 0; END: st.shared.u32 [s], %r2;",  # each part has its own
        "bar.sync 0; @!%p1 bra END; st.shared.u32 [s], %r2; END: bar.sync 0;",
        "mov.u32 %r4, 0; AGAIN: bar.sync 0; add.u32 %r4, %r4, 1; setp.lt.u32 %p4, %r4, %r2; @%p4 bra AGAIN;",
        f"shr.u32 %r4, %r1, 5; setp.eq.u32 %p4, %r4, 0; @!%p4 bra END; shfl.sync.idx.b32 %r4, %r1, 0, 31, -1; END: {AFTER}",
    ],
)
def test_silent(body: str) -> None:
    assert codes(body) == []


def test_a_cta_of_one_warp_is_its_warp() -> None:
    assert codes(inside("%p2", "bar.sync 0;"), head=".reqntid 32") == []


def test_the_finding_names_the_branch_and_its_reason() -> None:
    body = program("\n@!%p1 bra END;\nbar.sync 0;\nEND:\n" + AFTER)
    (finding,) = verify(parse(body, name="k.ptx"))
    assert finding.message == "only some lanes of a warp come to bar.sync: the branch at k.ptx:14:1 depends on %tid.x"
    assert finding.locations[0].line == 15
    assert finding.severity == "warning"


ASSERTED = (
    "mov.u32 %r4, 0; L: setp.gt.u32 %p1, %r1, 999; {fails} bar.sync 0; add.u32 %r4, %r4, 1;"
    "setp.lt.u32 %p2, %r4, 9; @%p2 bra L;"
)


@pytest.mark.parametrize(
    "fails",
    [
        "@%p1 trap;",
        "@!%p1 bra OK; trap; OK:",
        "@!%p1 bra OK; mov.u32 %r5, 1; st.global.u32 [%rd1], %r5; trap; OK:",
        "@!%p1 bra OK; call.uni fail; OK:",
        "@!%p1 bra OK; setp.eq.u32 %p3, %r1, 2000; @%p3 bra ONE; st.global.u32 [%rd1], %r1; trap; ONE: call.uni fail; OK:",
    ],
)
def test_a_failed_assertion_parts_no_threads(fails: str) -> None:
    """It ends the whole grid."""
    text = (
        ".version 8.0\n.target sm_90\n.address_size 64\n.extern .func fail() .noreturn;\n.entry k(.param .u64 out)\n{\n"
        ".reg .pred %p<5>; .reg .b32 %r<9>; .reg .b64 %rd<3>; ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x;\n"
        f"{ASSERTED.format(fails=fails)}\nst.global.u32 [%rd1], %r4; ret;\n}}\n"
    )
    assert verify(parse(text)) == []
    for fatal in ("trap", "call.uni fail"):
        text = text.replace(fatal, "ret")
    assert {finding.code for finding in verify(parse(text))} & {"PTX501", "PTX502", "PTX508"}


@pytest.mark.parametrize(
    "condition, found",
    [
        ("and.b32 %r4, %r1, 127; setp.lt.u32 %p4, %r4, 32;", []),
        ("rem.u32 %r4, %r1, 128; setp.lt.u32 %p4, %r4, 32;", []),
        ("bfe.u32 %r4, %r1, 0, 7; setp.gt.u32 %p4, %r4, 31;", []),
        ("and.b32 %r4, %r1, 127; setp.lt.u32 %p4, %r4, 33;", ["PTX503"]),
        ("and.b32 %r4, %r1, 120; setp.lt.u32 %p4, %r4, 32;", ["PTX503"]),
    ],
)
def test_low_bits_of_a_thread_number_keep_to_warps(condition: str, found: list[str]) -> None:
    """What compilers make of "the first warp of this warpgroup"."""
    shuffle = "shfl.sync.idx.b32 %r5, %r2, 0, 31, -1;"
    assert codes(f"{condition} @!%p4 bra END; {shuffle} END: {AFTER}") == found


LOOP = "mov.u32 %r4, %r1; {} L: bar.sync 0; add.u32 %r4, %r4, 128; setp.lt.u32 %p4, %r4, %r5; @%p4 bra L;"


@pytest.mark.parametrize(
    "bound, found",
    [
        ("add.u32 %r5, %r1, %r2;", []),
        ("add.u32 %r5, %r1, 1024;", []),
        ("mad.lo.u32 %r5, %r1, 2, %r2;", ["PTX508"]),
        ("mov.u32 %r5, %r2;", ["PTX508"]),
    ],
)
def test_a_loop_of_as_many_iterations_for_every_thread(bound: str, found: list[str]) -> None:
    assert codes(LOOP.format(bound)) == found


DISPATCH = """@%p2 bra WORK; shr.u32 %r4, %r1, 5; mov.u32 %r5, s; add.u32 %r5, %r5, %r4;
NEXT: barrier.sync 1; ld.{}.u8 %r6, [%r5]; setp.eq.u32 %p4, %r6, 0; @%p4 bra CASE; setp.eq.u32 %p5, %r6, 1; @%p5 bra DONE;
st.shared.b32 [s], %r6; bra NEXT;
CASE: barrier.sync 1; barrier.sync 1; bra NEXT;
WORK: barrier.sync 1; barrier.sync 1; barrier.sync 1;
DONE: st.shared.b32 [s], %r2;"""


def test_a_dispatcher_of_specialised_warps() -> None:
    """What a warp does is read from shared memory, where other warps wrote it; read from elsewhere, nobody saw to it."""
    assert codes(DISPATCH.format("shared")) == []
    elsewhere = DISPATCH.replace("[%r5]", "[%rd1]").replace("NEXT: b", "cvt.u64.u32 %rd1, %r5; NEXT: b")
    assert set(codes(elsewhere.format("global"))) & {"PTX502", "PTX508"}
