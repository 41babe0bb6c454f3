"""Shared memory that goes from thread to thread without a barrier: a warning that names two threads, if it is sure."""

from __future__ import annotations

import pytest

from ptxgen.check import verify
from ptxgen.text import parse

SETUP = """mov.u32 %r1, %tid.x; ld.param.u32 %r2, [n]; mov.u32 %r3, s; shl.b32 %r4, %r1, 2;
add.u32 %r5, %r3, %r4;                          // s[tid]
xor.b32 %r6, %r4, 4; add.u32 %r6, %r3, %r6;     // s[tid ^ 1]
xor.b32 %r7, %r4, 128; add.u32 %r7, %r3, %r7;   // s[tid ^ 32]
setp.lt.u32 %p1, %r1, 32;
setp.lt.u32 %p2, %r2, 5;
"""


def findings(body: str, head: str = "") -> list[str]:
    text = (
        ".version 8.0\n.target sm_90\n.address_size 64\n.func f() { ret; }\n"
        f".entry k(.param .u32 n, .param .u64 out)\n{head}\n"
        "{\n.reg .pred %p<9>; .reg .b32 %r<40>; .reg .b64 %rd<9>; .shared .align 16 .b8 s[4096]; .shared .b32 t[32];\n"
        f"{SETUP}{body}\nret;\n}}\n"
    )
    return [finding.message for finding in verify(parse(text)) if finding.code == "PTX507"]


RACES = {
    "st.shared.u32 [%r5], %r1; ld.shared.u32 %r8, [%r6];": "s: thread 0 reads what thread 1 wrote",
    "st.shared.u32 [%r5], %r1; ld.shared.u32 %r8, [s];": "s: thread 1 reads what thread 0 wrote",
    "@%p1 st.shared.u32 [%r5], %r1; ld.shared.u32 %r8, [%r7];": "s: thread 32 reads what thread 0 wrote",
    "ld.shared.u32 %r8, [%r6]; st.shared.u32 [%r5], %r1;": "s: thread 0 overwrites what thread 1 read",
    "atom.shared.add.u32 %r8, [%r5], 1; ld.shared.u32 %r8, [%r6];": "s: thread 0 reads what thread 1 wrote",
    "st.shared.v4.u32 [%r5], {%r1, %r1, %r1, %r1}; bar.sync 0; ld.shared.v4.u32 {%r8, %r9, %r10, %r11}, [%r5]; "
    "st.shared.u32 [%r6], %r1;": "s: thread 0 overwrites what thread 1 read",
    # the barrier is passed on one of two ways
    "st.shared.u32 [%r5], %r1; @%p2 bra X; bar.sync 0; mov.u32 %r9, 1; X: "
    "ld.shared.u32 %r8, [%r6]; st.global.u32 [%rd1], %r9;": "",
    # the barrier behind the loads is missing: the next round's stores come too early
    "L: st.shared.u32 [%r5], %r1; bar.sync 0; ld.shared.u32 %r8, [%r6]; add.u32 %r2, %r2, 1; "
    "setp.lt.u32 %p3, %r2, 9; @%p3 bra L;": (
        "s: thread 0 overwrites what thread 1 read"
    ),
    # only one warp runs it, and its lanes still need a barrier
    "@!%p1 bra X; st.shared.u32 [%r5], %r1; ld.shared.u32 %r8, [%r6]; X:": "s: thread 0 reads what thread 1 wrote",
    # a shuffle keeps a warp's lanes together, not other warps
    "st.shared.u32 [%r5], %r1; shfl.sync.idx.b32 %r9, %r1, 0, 31, -1; ld.shared.u32 %r8, [%r7];": (
        "s: thread 0 reads what thread 32 wrote"
    ),
}  # fmt: skip


@pytest.mark.parametrize("body, expected", RACES.items())
def test_a_race(body: str, expected: str) -> None:
    found = findings(body)
    if expected:
        (message,) = found
        assert message.startswith(expected)
    else:  # a wait that a condition skips is believed to happen where nothing is known of the condition
        assert found == []


FINE = [
    "st.shared.u32 [%r5], %r1; bar.sync 0; ld.shared.u32 %r8, [%r6];",
    "st.shared.u32 [%r5], %r1; bar.warp.sync -1; ld.shared.u32 %r8, [%r6];",
    "st.shared.u32 [%r5], %r1; ld.shared.u32 %r8, [%r5];",  # its own
    "st.volatile.shared.u32 [%r5], %r1; ld.volatile.shared.u32 %r8, [%r6];",
    "st.shared.u32 [%r5], %r1; fence.acq_rel.cta; ld.shared.u32 %r8, [%r6];",
    "st.shared.u32 [%r5], %r1; call f; ld.shared.u32 %r8, [%r6];",
    "st.shared.u32 [%r5], %r1; ld.shared.u32 %r8, [t];",  # another variable
    "st.shared.u32 [%r5], %r1; ld.shared.u32 %r8, [%r5+1024];",  # beyond what 64 threads write
    "st.shared.u32 [%r5], %r1; mad.lo.u32 %r9, %r2, 4, %r6; ld.shared.u32 %r8, [%r9];",  # another stage, perhaps
    "st.shared.u32 [%r5], %r1; shfl.sync.idx.b32 %r9, %r1, 0, 31, -1; ld.shared.u32 %r8, [%r6];",
    "st.shared.u32 [s], %r2; ld.shared.u32 %r8, [s];",  # all write the same, and have written it themselves
    "@%p1 st.shared.u32 [%r5], %r1; @!%p1 ld.shared.u32 %r8, [%r5];",  # one half of the threads each
    "@%p2 bra X; st.shared.u32 [%r5], %r1; X: @!%p2 bra Y; ld.shared.u32 %r8, [%r6]; Y:",  # never both
    "ld.shared.u32 %r8, [s]; setp.eq.u32 %p3, %r1, 0; @%p3 st.shared.u32 [%r5], %r8;",  # what lay there
    "ld.shared.u32 %r8, [%r6]; ld.shared.u32 %r8, [%r5];",
    "L: st.shared.u32 [%r5], %r1; bar.sync 0; ld.shared.u32 %r8, [%r6]; bar.sync 0; setp.lt.u32 %p3, %r8, 9; @%p3 bra L;",
]


@pytest.mark.parametrize("body", FINE)
def test_none(body: str) -> None:
    assert findings(body) == []


def test_the_size_of_the_cta_counts() -> None:
    across = "st.shared.u32 [%r5], %r1; ld.shared.u32 %r8, [%r7];"
    assert findings(across, ".reqntid 32") == []  # there is no thread 32
    assert findings(across, ".reqntid 96") == [
        "s: thread 0 reads what thread 32 wrote (st.shared.u32 at <ptx>:15:1), with no barrier between"
    ]


def test_each_variable_is_told_once() -> None:
    body = "st.shared.u32 [%r5], %r1; ld.shared.u32 %r8, [%r6]; ld.shared.u32 %r8, [%r7]; st.shared.u32 [%r5], %r8;"
    assert len(findings(body)) == 1


OWN = "mov.u32 %r20, s; shl.b32 %r21, %r1, 2; add.u32 %r22, %r20, %r21; st.shared.u32 [%r22], %r1; bar.sync 0;"
TREE = (
    "mov.u32 %r23, {start}; LOOP: setp.ge.u32 %p1, %r1, %r23; @%p1 bra SKIP;"
    "shl.b32 %r24, %r23, 2; add.u32 %r25, %r22, %r24; ld.shared.u32 %r26, [%r25]; ld.shared.u32 %r27, [%r22];"
    "add.u32 %r26, %r26, %r27; st.shared.u32 [%r22], %r26;"
    "SKIP: {sync} shr.u32 %r23, %r23, 1; setp.gt.u32 %p2, %r23, {last}; @%p2 bra LOOP;"
)
BUFFERS = (
    "mov.u32 %r23, 0; mov.u32 %r28, 0; LOOP: shl.b32 %r24, %r23, 9; add.u32 %r25, %r22, %r24; st.shared.u32 [%r25], %r28;"
    "bar.sync 0; xor.b32 %r29, %r21, 256; add.u32 %r26, %r20, %r29; add.u32 %r26, %r26, %r24; ld.shared.u32 %r27, [%r26];"
    "{step}"
    "add.u32 %r28, %r28, 1; setp.lt.u32 %p2, %r28, 8; @%p2 bra LOOP;"
)
SCAN = (
    "mov.u32 %r23, 1; LOOP: setp.lt.u32 %p1, %r1, %r23; mov.u32 %r26, 0; @%p1 bra SKIP;"
    "shl.b32 %r24, %r23, 2; sub.u32 %r25, %r22, %r24; ld.shared.u32 %r26, [%r25];"
    "SKIP: {before} ld.shared.u32 %r27, [%r22]; add.u32 %r27, %r27, %r26; st.shared.u32 [%r22], %r27;"
    "{behind} shl.b32 %r23, %r23, 1; setp.lt.u32 %p2, %r23, 128; @%p2 bra LOOP;"
)


@pytest.mark.parametrize(
    "body, met",
    [
        (SCAN.format(before="bar.sync 0;", behind="bar.sync 0;"), None),
        (SCAN.format(before="", behind="bar.sync 0;"), (0, 1)),  # in the same round
        (SCAN.format(before="bar.sync 0;", behind=""), (0, 2)),
        (TREE.format(start=64, sync="", last=0), (0, 32)),
        (TREE.format(start=64, sync="bar.sync 0;", last=0), None),
        (TREE.format(start=16, sync="bar.warp.sync -1;", last=0), None),  # within one warp
        (TREE.format(start=64, sync="fence.acq_rel.cta;", last=0), None),  # whatever orders memory is believed
        (TREE.format(start=64, sync="", last=63), None),  # there is no second round
        (TREE.format(start="%ctaid.x", sync="", last=0), None),  # who knows
        (BUFFERS.format(step="xor.b32 %r23, %r23, 1;"), None),  # two buffers in turn
        (BUFFERS.format(step=""), (0, 64)),  # one alone
    ],
)
def test_one_round_of_a_loop_and_the_next(body: str, met: tuple[int, int] | None) -> None:
    found = findings(OWN + body, ".reqntid 128")
    assert [f"thread {met[0]} " in each and f"thread {met[1]} " in each for each in found] == ([True] if met else []), (
        found
    )


ACROSS = "st.shared.u32 [%r5], %r1; bar.warp.sync -1; ld.shared.u32 %r8, [%r7];"
WITHIN = "st.shared.u32 [%r5], %r1; bar.warp.sync -1; ld.shared.u32 %r8, [%r6];"


def test_a_barrier_of_warps_orders_nothing_between_warps() -> None:
    (message,) = findings(ACROSS, ".reqntid 64")
    assert message.startswith("s: thread 0 reads what thread 32 wrote")
    (message,) = findings(ACROSS.replace("%r7", "s"), ".reqntid 128")
    assert message.startswith("s: thread 32 reads what thread 0 wrote")


@pytest.mark.parametrize(
    "body, head",
    [
        (WITHIN, ".reqntid 64"),
        (ACROSS.replace("%r7", "s"), ".reqntid 32"),
        # who knows how many warps there are
        (ACROSS.replace("%r7", "s"), ""),
        (ACROSS.replace("%r7", "s"), ".maxntid 64"),
        (ACROSS.replace("ld.", "bar.sync 0; ld."), ".reqntid 64"),
        # the first warp alone
        ("@!%p1 bra X; " + ACROSS.replace("%r7", "s") + " X:", ".reqntid 64"),
        # each warp has its own 128 bytes
        ("and.b32 %r9, %r4, 0xffffff80; add.u32 %r9, %r9, %r3; " + ACROSS.replace("%r7", "%r9"), ".reqntid 128"),
    ],
)
def test_a_barrier_of_warps_is_enough_within_one(body: str, head: str) -> None:
    assert findings(body, head) == []
