"""Rings of mbarriers: which stage each iteration of a loop names, with which parity, and whether the first phase completes."""

from __future__ import annotations

import pytest

from ptxgen.text import parse
from ptxgen.verifier import verify

HEAD = """
.version 8.0
.target sm_90
.address_size 64
.shared .align 128 .b8 tiles[16384];
.shared .align 8 .b64 full[4];
.shared .align 8 .b64 empty[4];
.visible .entry ring(.param .u64 x, .param .u64 out, .param .u32 n)
.reqntid 64, 1, 1
{
.reg .pred %p<20>; .reg .b32 %r<40>; .reg .b64 %rd<8>; .reg .f32 %f<4>;
ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [out]; ld.param.u32 %r1, [n];
mov.u32 %r2, %tid.x; mov.u32 %r3, full; mov.u32 %r4, empty; mov.u32 %r5, tiles;
setp.ne.u32 %p1, %r2, 0;
@%p1 bra READY;
mov.u32 %r6, 0;
"""
EACH = """
INIT:
shl.b32 %r7, %r6, 3; add.u32 %r8, %r3, %r7; add.u32 %r9, %r4, %r7;
mbarrier.init.shared::cta.b64 [%r8], 1;
mbarrier.init.shared::cta.b64 [%r9], 1;
add.u32 %r6, %r6, 1; setp.lt.u32 %p2, %r6, STAGES;
@%p2 bra INIT;
fence.mbarrier_init.release.cluster;
"""
ALL = "".join(f"mbarrier.init.shared::cta.b64 [{name}+{8 * n}], 1;\n" for n in range(4) for name in ("full", "empty"))
PRODUCE = """
READY:
bar.sync 0;
mov.u32 %r10, 0; mov.u32 %r11, 0; mov.u32 %r12, 0; mov.u64 %rd3, %rd1;
setp.ge.u32 %p3, %r2, 32;
@%p3 bra CONSUME;
setp.ne.u32 %p4, %r2, 0;
@%p4 bra DONE;
PRODUCE:
shl.b32 %r13, %r10, 3; add.u32 %r14, %r3, %r13; add.u32 %r15, %r4, %r13; shl.b32 %r16, %r10, 12; add.u32 %r17, %r5, %r16;
xor.b32 %r18, %r11, 1;
WAIT_EMPTY:
mbarrier.try_wait.parity.shared::cta.b64 %p5, [%r15], %r18;
@!%p5 bra WAIT_EMPTY;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r14], 4096;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r17], [%rd3], 4096, [%r14];
NEXT_TO_FILL
add.u64 %rd3, %rd3, 4096; add.u32 %r12, %r12, 1; setp.lt.u32 %p7, %r12, %r1;
@%p7 bra PRODUCE;
bra DONE;
"""
CONSUME = """
CONSUME:
and.b32 %r20, %r2, 31; shl.b32 %r21, %r20, 2; mov.f32 %f1, 0f00000000; setp.eq.u32 %p8, %r20, 0;
LOOP:
shl.b32 %r23, %r10, 3; add.u32 %r24, %r3, %r23; add.u32 %r25, %r4, %r23; shl.b32 %r26, %r10, 12;
WAIT_FULL:
mbarrier.try_wait.parity.shared::cta.b64 %p9, [%r24], %r11;
@!%p9 bra WAIT_FULL;
add.u32 %r27, %r5, %r26; add.u32 %r28, %r27, %r21; ld.shared.f32 %f2, [%r28]; add.f32 %f1, %f1, %f2;
bar.warp.sync -1;
@%p8 mbarrier.arrive.shared::cta.b64 _, [%r25];
NEXT_TO_EMPTY
add.u32 %r12, %r12, 1; setp.lt.u32 %p11, %r12, %r1;
@%p11 bra LOOP;
mul.wide.u32 %rd4, %r20, 4; add.u64 %rd5, %rd2, %rd4; st.global.f32 [%rd5], %f1;
DONE:
ret;
}
"""

COMPARED = "add.u32 %r10, %r10, 1; setp.eq.u32 %p6, %r10, {n};\n@%p6 mov.u32 %r10, 0;\n@%p6 xor.b32 %r11, %r11, 1;"
SELECTED = (
    "add.u32 %r10, %r10, 1; setp.eq.u32 %p6, %r10, {n}; selp.b32 %r10, 0, %r10, %p6; selp.u32 %r30, 1, 0, %p6;"
    " xor.b32 %r11, %r11, %r30;"
)
BRANCHED = (
    "add.u32 %r10, %r10, 1; setp.lt.u32 %p6, %r10, {n};\n@%p6 bra {label};\n"
    "mov.u32 %r10, 0; xor.b32 %r11, %r11, 1;\n{label}:"
)
COUNTED = "add.u32 %r31, %r12, 1; rem.u32 %r10, %r31, {n}; div.u32 %r30, %r31, {n}; and.b32 %r11, %r30, 1;"
MASKED = "add.u32 %r31, %r12, 1; and.b32 %r10, %r31, 3; shr.u32 %r30, %r31, 2; and.b32 %r11, %r30, 1;"


def program(fill: str = COMPARED, empty: str = COMPARED, init: str = EACH, stages: int = 4, wraps: int = 4) -> str:
    text = (
        HEAD + init.replace("STAGES", str(stages)) + ("" if "fence" in init else "fence.mbarrier_init.release.cluster;")
    )
    text += PRODUCE.replace("NEXT_TO_FILL", fill.format(n=stages, label="FILLED"))
    return text + CONSUME.replace("NEXT_TO_EMPTY", empty.format(n=wraps, label="EMPTIED"))


def found(text: str) -> list[tuple[str, str]]:
    return [(finding.code, finding.message) for finding in verify(parse(text))]


@pytest.mark.parametrize("init", [EACH, ALL], ids=["loop", "unrolled"])
@pytest.mark.parametrize("step", [COMPARED, SELECTED, BRANCHED, COUNTED, MASKED])
def test_the_ways_to_count_stages_and_phases(step: str, init: str) -> None:
    assert found(program(step, step, init)) == []


def test_it_assembles(assembler) -> None:  # type: ignore[no-untyped-def]
    assert assembler(program()).cubin


@pytest.mark.parametrize("stages", [1, 2, 3])
def test_shorter_rings(stages: int) -> None:
    assert found(program(stages=stages, wraps=stages)) == []


def test_a_parity_that_flips_in_each_turn() -> None:
    wrong = COMPARED.replace("@%p6 xor", "xor")
    assert found(program(wrong)) == [
        ("PTX536", "iteration 5 of the loop waits for parity 1 of empty, as iteration 1 did")
    ]
    assert found(program(COMPARED, wrong)) == [
        ("PTX536", "iteration 5 of the loop waits for parity 0 of full, as iteration 1 did")
    ]


def test_a_parity_that_flips_at_another_stage() -> None:
    wrong = COMPARED.replace("@%p6 xor", "setp.eq.u32 %p12, %r10, 1;\n@%p12 xor")
    assert found(program(wrong)) == []  # from stage 1 on, every time: each stage sees it flip
    wrong = "and.b32 %r30, %r12, 1; setp.eq.u32 %p12, %r30, 0; " + COMPARED.replace("@%p6 xor", "@%p12 xor")
    assert [code for code, _ in found(program(wrong))] == ["PTX536"]


def test_a_ring_that_wraps_where_the_other_side_does_not() -> None:
    assert found(program(wraps=3)) == [
        ("PTX538", "nothing ever arrives on empty+24, for which iteration 4 of the loop waits")
    ]
    text = program(stages=3, wraps=4).replace("setp.lt.u32 %p2, %r6, 3", "setp.lt.u32 %p2, %r6, 4")
    assert found(text) == [("PTX538", "nothing ever arrives on full+24, for which iteration 4 of the loop waits")]


def test_an_index_that_leaves_the_ring() -> None:
    text = program(wraps=5)
    assert ("PTX530", "full+32 is used as an mbarrier in iteration 5 of the loop, and nothing initialises it") in found(
        text
    )
    assert {code for code, _ in found(text)} == {"PTX530"}


def test_a_stage_that_is_not_initialised() -> None:
    text = program(init=ALL.replace("mbarrier.init.shared::cta.b64 [full+16], 1;\n", ""))
    assert ("PTX530", "full+16 is used as an mbarrier in iteration 3 of the loop, and nothing initialises it") in found(
        text
    )


def test_the_first_wait_of_the_side_that_fills() -> None:
    text = program().replace("xor.b32 %r18, %r11, 1;", "mov.b32 %r18, %r11;")
    (finding,) = found(text)
    assert finding[0] == "PTX539"
    assert finding[1].startswith(
        "every thread waits: this is for the first phase of empty[...] (parity 0), and so do all that"
    )


def test_the_first_wait_of_the_side_that_empties() -> None:
    text = program().replace("[%r24], %r11", "[%r24], %r13")
    text = text.replace("LOOP:\nshl.b32 %r23", "LOOP:\nxor.b32 %r13, %r11, 1; shl.b32 %r23")
    (finding,) = found(text)
    assert finding[0] == "PTX531"
    assert "the first is for parity 1 of full[...]" in finding[1]
    tried = text.replace("WAIT_FULL:\n", "{} bra OVER;\nWAIT_FULL:\n", 1).replace(
        "add.u32 %r27, %r5", "OVER:\nadd.u32 %r27, %r5"
    )
    first = "mbarrier.try_wait.parity.shared::cta.b64 %p9, [%r24], %r13;\n@%p9"
    assert [code for code, _ in found(tried.replace("{} bra OVER", f"{first} bra OVER"))] == ["PTX531"]


@pytest.mark.parametrize("step", [COMPARED, SELECTED, BRANCHED])
@pytest.mark.parametrize("more, end", [(2, "it never completes"), (-16, "phases complete too early"), (0, None)])
def test_as_many_arrive_on_a_stage_as_it_counts(step: str, more: int, end: str | None) -> None:
    """All threads of the warp that empties arrive; `empty` counts 32 except for what is asked."""
    text = program(step, step, ALL).replace("@%p8 mbarrier.arrive", "mbarrier.arrive")
    for stage in range(4):
        text = text.replace(f"[empty+{8 * stage}], 1;", f"[empty+{8 * stage}], {32 + more};")
    expected = f"empty[...] counts {32 + more} a phase, and there are 32 arrivals: {end}"
    assert found(text) == ([("PTX538", expected)] if end else [])


def test_stages_that_are_given_back_before_the_loop_may_be_awaited() -> None:
    """Then parity 0 is right for the side that fills, too."""
    text = program().replace("xor.b32 %r18, %r11, 1;", "mov.b32 %r18, %r11;")
    given = "".join(f"@%p8 mbarrier.arrive.shared::cta.b64 _, [empty+{8 * n}];\n" for n in range(4))
    assert found(text.replace("\nLOOP:\n", f"\n{given}LOOP:\n")) == []


ONE = """
mbarrier.init.shared::cta.b64 [full], 1; mbarrier.init.shared::cta.b64 [empty], 1;
fence.mbarrier_init.release.cluster;
READY:
bar.sync 0;
{body}
ret;
}}
"""
WAIT = "{name}: mbarrier.try_wait.parity.shared::cta.b64 %p9, [{bar}], {parity};\n@!%p9 bra {name};\n"
ARRIVE = "mbarrier.arrive.shared::cta.b64 _, [{bar}];\n"


@pytest.mark.parametrize(
    "body, code",
    [
        (WAIT.format(name="W", bar="full", parity=0) + ARRIVE.format(bar="full"), ["PTX539"]),
        (ARRIVE.format(bar="full") + WAIT.format(name="W", bar="full", parity=0), []),
        (WAIT.format(name="W", bar="full", parity=1) + ARRIVE.format(bar="full"), []),
        # a condition: others may arrive first
        (
            "setp.lt.u32 %p5, %r2, 32;\n@%p5 bra A;\n"
            + WAIT.format(name="W", bar="full", parity=0)
            + "A:\n"
            + ARRIVE.format(bar="full"),
            [],
        ),
        (
            "setp.lt.u32 %p5, %r2, 32;\n@%p5 bra A;\n"
            + WAIT.format(name="W", bar="full", parity=0)
            + ARRIVE.format(bar="empty")
            + "bra END;\nA:\n"
            + WAIT.format(name="V", bar="empty", parity=0)
            + ARRIVE.format(bar="full")
            + "END:",
            ["PTX539"],
        ),
        (
            "setp.lt.u32 %p5, %r2, 32;\n@%p5 bra A;\n"
            + WAIT.format(name="W", bar="full", parity=0)
            + ARRIVE.format(bar="empty")
            + "bra END;\nA:\n"
            + ARRIVE.format(bar="full")
            + WAIT.format(name="V", bar="empty", parity=0)
            + "END:",
            [],
        ),
        # the parity comes from the host
        (WAIT.format(name="W", bar="full", parity="%r1") + ARRIVE.format(bar="full"), []),
    ],
)
def test_first_phases(body: str, code: list[str]) -> None:
    text = (HEAD + ONE.format(body=body)).replace(".reqntid 64, 1, 1", "")  # how many arrive is another matter
    assert [finding[0] for finding in found(text)] == code


COPIED = """
mbarrier.init.shared::cta.b64 [full], 1; fence.mbarrier_init.release.cluster;
READY:
bar.sync 0;
mov.u32 %r10, PHASE; mov.u32 %r12, 0;
AGAIN:
@!%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], 4096;
@!%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tiles], [%rd1], 4096, [full];
WAIT_FULL:
mbarrier.try_wait.parity.shared::cta.b64 %p9, [full], %r10;
@!%p9 bra WAIT_FULL;
ld.shared.f32 %f2, [tiles]; st.global.f32 [%rd2], %f2;
bar.sync 0;
xor.b32 %r10, %r10, 1; add.u32 %r12, %r12, 1; setp.lt.u32 %p11, %r12, %r1;
@%p11 bra AGAIN;
ret;
}
"""


def test_a_wait_for_what_a_new_mbarrier_has_completed() -> None:
    assert found(HEAD + COPIED.replace("PHASE", "0")) == []
    ((code, message),) = found(HEAD + COPIED.replace("PHASE", "1"))
    assert code == "PTX531"
    assert message.startswith("this wait is over at once: the first is for parity 1 of full")


def test_a_wait_before_the_first_copy_may_be_for_the_phase_before() -> None:
    """Whoever copies waits first until what was copied before has come: the first time there is nothing."""
    waiting = "WAIT_OLD: mbarrier.try_wait.parity.shared::cta.b64 %p8, [full], %r13;\n@!%p8 bra WAIT_OLD;\n"
    text = COPIED.replace("PHASE", "0").replace("AGAIN:\n", "AGAIN:\nxor.b32 %r13, %r10, 1;\n" + waiting)
    assert found(HEAD + text) == []
