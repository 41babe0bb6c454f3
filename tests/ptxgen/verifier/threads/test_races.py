"""Shared memory that goes from thread to thread without a barrier: a warning that names two threads, if it is sure."""

from __future__ import annotations

import pytest

from ptxgen.text import parse
from ptxgen.verifier import verify

SETUP = """mov.u32 %r1, %tid.x; ld.param.u32 %r2, [n]; mov.u32 %r3, s; shl.b32 %r4, %r1, 2;
add.u32 %r5, %r3, %r4;                          // s[tid]
xor.b32 %r6, %r4, 4; add.u32 %r6, %r3, %r6;     // s[tid ^ 1]
xor.b32 %r7, %r4, 128; add.u32 %r7, %r3, %r7;   // s[tid ^ 32]
setp.lt.u32 %p1, %r1, 32;
setp.lt.u32 %p2, %r2, 5;
"""


def findings(body: str, head: str = "") -> list[str]:
    text = (
        ".version 8.0\n.target sm_90\n.address_size 64\n.func f() { ret; }\n.func g() { bar.sync 0; ret; }\n"
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
    "atom.shared.add.u32 %r8, [%r5], 1; ld.shared.u32 %r8, [%r6];": "s: thread 0 reads what thread 1 changed",
    "st.shared.u32 [%r5], %r1; call f; ld.shared.u32 %r8, [%r6];": "s: thread 0 reads what thread 1 wrote",
    "st.shared.v4.u32 [%r5], {%r1, %r1, %r1, %r1}; bar.sync 0; ld.shared.v4.u32 {%r8, %r9, %r10, %r11}, [%r5]; "
    "st.shared.u32 [%r6], %r1;": "s: thread 0 overwrites what thread 1 read",
    # the barrier is passed on one of two ways
    "st.shared.u32 [%r5], %r1; @%p2 bra X; bar.sync 0; mov.u32 %r9, 1; X: "
    "ld.shared.u32 %r8, [%r6]; st.global.u32 [%rd1], %r9;": "",
    # the barrier behind the loads is missing: the next iteration's stores come too early
    "L: st.shared.u32 [%r5], %r1; bar.sync 0; ld.shared.u32 %r8, [%r6]; add.u32 %r2, %r2, 1; "
    "setp.lt.u32 %p3, %r2, 9; @%p3 bra L;": (
        "s: thread 0 overwrites what thread 1 read"
    ),
    # only one warp runs it, and its lanes still need a barrier
    "@!%p1 bra X; st.shared.u32 [%r5], %r1; ld.shared.u32 %r8, [%r6]; X:": "s: thread 0 reads what thread 1 wrote",
    # a shuffle or a vote orders no accesses of the lanes that execute it together
    "st.shared.u32 [%r5], %r1; shfl.sync.idx.b32 %r9, %r1, 0, 31, -1; ld.shared.u32 %r8, [%r6];": (
        "s: thread 0 reads what thread 1 wrote"
    ),
    "st.shared.u32 [%r5], %r1; vote.sync.any.pred %p3, %p1, -1; ld.shared.u32 %r8, [%r6];": (
        "s: thread 0 reads what thread 1 wrote"
    ),
    # a scan of four totals by shuffles, whose lanes 4 to 31 have read what the first four overwrite
    "and.b32 %r10, %r4, 12; add.u32 %r11, %r3, %r10; @!%p1 bra X; ld.shared.u32 %r8, [%r11]; "
    "shfl.sync.up.b32 %r9, %r8, 1, 7168, -1; setp.lt.u32 %p3, %r1, 4; @%p3 st.shared.u32 [%r5], %r9; X:": (
        "s: thread 0 overwrites what thread 4 read"
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
    "st.shared.u32 [%r5], %r1; call g; ld.shared.u32 %r8, [%r6];",
    "st.shared.u32 [%r5], %r1; ld.shared.u32 %r8, [t];",  # another variable
    "st.shared.u32 [%r5], %r1; ld.shared.u32 %r8, [%r5+1024];",  # beyond what 64 threads write
    "st.shared.u32 [%r5], %r1; mad.lo.u32 %r9, %r2, 4, %r6; ld.shared.u32 %r8, [%r9];",  # another stage, perhaps
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
        "s: thread 0 reads what thread 32 wrote (st.shared.u32 at <ptx>:16:1), with no barrier between"
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
        (TREE.format(start=64, sync="", last=63), None),  # there is no second iteration
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


INDEX = (  # r32 is a place in s that the data choose
    "ld.param.u64 %rd1, [out]; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2; ld.global.u32 %r30, [%rd3];"
    "and.b32 %r30, %r30, 255; shl.b32 %r31, %r30, 2; add.u32 %r32, %r3, %r31; setp.eq.u32 %p4, %r1, 0;"
)
COUNT = "atom.shared.add.u32 %r8, [%r32], 1;"


@pytest.mark.parametrize(
    "body, expected",
    [
        (COUNT + "ld.shared.u32 %r9, [%r5];", "s: a thread reads what another changed"),
        ("red.shared.add.u32 [%r32], 1; ld.shared.u32 %r9, [%r5];", "s: a thread reads what another changed"),
        ("st.shared.u32 [%r5], 0;" + COUNT, "s: a thread changes what another wrote"),
        ("st.shared.u32 [%r5], 0; setp.lt.u32 %p5, %r30, %r2; @%p5 " + COUNT, "s: a thread changes what another wrote"),
        (COUNT + "st.shared.u32 [%r5], 0;", "s: a thread overwrites what another changed"),
        ("@%p4 st.shared.u32 [t], 0; red.shared.add.u32 [t], %r1;", "t: thread 1 changes what thread 0 wrote"),
        ("st.shared.u32 [t], 0; red.shared.add.u32 [t], %r1;", "t: thread 1 changes what thread 0 wrote"),
        ("red.shared.add.u32 [t], %r1; ld.shared.u32 %r8, [t];", "t: thread 1 reads what thread 0 changed"),
        ("red.shared.add.u32 [t], %r1; @%p4 ld.shared.u32 %r8, [t];", "t: thread 0 reads what thread 1 changed"),
        ("red.shared.add.u32 [t], %r1; @%p4 st.shared.u32 [t], 0;", "t: thread 0 overwrites what thread 1 changed"),
    ],
)
def test_atomics_and_plain_accesses(body: str, expected: str) -> None:
    (message,) = findings(INDEX + body)
    assert message.startswith(expected)


@pytest.mark.parametrize(
    "body",
    [
        "st.shared.u32 [%r5], 0; bar.sync 0;" + COUNT + "bar.sync 0; ld.shared.u32 %r9, [%r5];",
        "st.shared.u32 [%r5], 0; bar.warp.sync -1;" + COUNT,  # perhaps each warp has its own
        COUNT + "ld.shared.u32 %r9, [t];",
        "atom.shared.add.u32 %r8, [%r32+2048], 1; ld.shared.u32 %r9, [%r5];",  # another array of the same memory
        COUNT + "ld.volatile.shared.u32 %r9, [%r5];",
        "@%p4 st.shared.u32 [%r32], 0; @%p4 " + COUNT,  # one thread alone
        "st.shared.u32 [%r5], 0; red.shared.add.u32 [%r5], 3; ld.shared.u32 %r8, [%r5];",  # each its own
        # a look before the atomic, which judges anew
        "ld.shared.u32 %r8, [%r32]; setp.gt.u32 %p5, %r1, %r8; @%p5 atom.shared.max.u32 %r9, [%r32], %r1;",
        "ld.shared.u32 %r8, [%r32]; C: mov.u32 %r9, %r8; add.u32 %r10, %r9, 1;"
        "atom.shared.cas.b32 %r8, [%r32], %r9, %r10; setp.ne.u32 %p5, %r8, %r9; @%p5 bra C;",
        # the last to come knows that it is
        "atom.shared.inc.u32 %r8, [t], 63; setp.eq.u32 %p5, %r8, 63; @%p5 st.shared.u32 [t], 0;",
        "red.shared.add.u32 [s], %r1; atom.shared.inc.u32 %r8, [t], 63; setp.ne.u32 %p5, %r8, 63; @%p5 bra X;"
        "ld.shared.u32 %r9, [s]; X:",
    ],
)
def test_atomics_that_are_alone_or_ordered(body: str) -> None:
    assert findings(INDEX + body) == []


def filled(
    stored: str, label: str = "L", start: str = "%r1", step: int = 128, end: object = 1024, bar: str = ""
) -> str:
    """A loop over the words `start`, `start` + `step`, ... of s, the one at r21."""
    return (
        f"mov.u32 %r20, {start}; {label}: shl.b32 %r22, %r20, 2; add.u32 %r21, %r3, %r22; {stored} {bar}"
        f"add.u32 %r20, %r20, {step}; setp.lt.u32 %p3, %r20, {end}; @%p3 bra {label};"
    )


WORD, LOAD = "st.shared.u32 [%r21], %r20;", "ld.shared.u32 %r8, [%r21];"
BACKWARDS = "mov.u32 %r23, 1023; sub.u32 %r23, %r23, %r1; shl.b32 %r23, %r23, 2; add.u32 %r24, %r3, %r23;"


@pytest.mark.parametrize(
    "body, expected",
    [
        (filled(WORD) + "ld.shared.u32 %r8, [%r6];", "s: thread 0 reads what thread 1 wrote"),
        (filled(WORD) + BACKWARDS + "ld.shared.u32 %r8, [%r24];", "s: thread 0 reads what thread 127 wrote"),  # its last round
        (filled(WORD) + filled(LOAD, "M", start="0", step=1), "s: thread 1 reads what thread 0 wrote"),
        (filled(WORD, end="%r2") + "ld.shared.u32 %r8, [%r6];", "s: thread 0 reads what thread 1 wrote"),  # one round is sure
        ("st.shared.u32 [%r5], %r1;" + filled(LOAD, "M", start="0", step=1), "s: thread 1 reads what thread 0 wrote"),
        (filled("st.shared.u32 [%r21], 0;") + INDEX + COUNT, "s: a thread changes what another wrote"),
        (filled("ld.shared.u32 %r8, [%r21];") + "st.shared.u32 [%r6], %r8;", "s: thread 0 overwrites what thread 1 read"),
        # two loops, one in the other
        ("mov.u32 %r28, 0; O: " + filled(WORD, end=512) + "add.u32 %r28, %r28, 1; setp.lt.u32 %p5, %r28, 2; @%p5 bra O;"
         "ld.shared.u32 %r8, [%r6];", "s: thread 0 reads what thread 1 wrote"),
    ],
)  # fmt: skip
def test_what_loops_fill(body: str, expected: str) -> None:
    (message,) = findings(body, ".reqntid 128")
    assert message.startswith(expected)


@pytest.mark.parametrize(
    "body",
    [
        filled(WORD) + "bar.sync 0; ld.shared.u32 %r8, [%r6];",
        filled(WORD) + filled(LOAD, "M"),  # each thread its own
        filled(WORD, bar="bar.sync 0;") + "ld.shared.u32 %r8, [%r6];",  # behind the last round's barrier perhaps
        filled("st.shared.u32 [%r21+2048], %r20;", end=512) + "ld.shared.u32 %r8, [%r6];",  # beyond
        filled(WORD, start="128") + "ld.shared.u32 %r8, [%r6];",  # the same
        filled(WORD, step="%r2") + BACKWARDS + "ld.shared.u32 %r8, [%r24];",  # who knows how far
        filled(WORD, end=512) + BACKWARDS + "ld.shared.u32 %r8, [%r24];",  # not as far
        "setp.lt.u32 %p5, %r1, 64; @!%p5 bra X;" + filled(WORD, end=64) + "X: @%p5 ld.shared.u32 %r8, [%r5];",
    ],
)
def test_what_loops_fill_for_themselves(body: str) -> None:
    assert findings(body, ".reqntid 128") == []


FIRST = "setp.eq.u32 %p3, %r1, 0; setp.eq.u32 %p4, %r1, 40; ld.param.u64 %rd1, [out]; ld.global.u32 %r30, [%rd1];"


@pytest.mark.parametrize(
    "body, expected",
    [
        ("@%p3 st.shared.u32 [t], 1; @%p4 st.shared.u32 [t], 2;", "t: thread 40 overwrites what thread 0 wrote"),
        ("st.shared.u32 [%r5], 0; st.shared.u32 [%r6], %r30;", "s: thread 0 overwrites what thread 1 wrote"),
        ("st.shared.u32 [t], 0; @%p3 st.shared.u32 [t], %r30;", "t: thread 0 overwrites what thread 1 wrote"),
        ("st.shared.u32 [t], %r1;", "t: threads 0 and 1 store different values to one place"),
        (
            "mov.u32 %r20, t; add.u32 %r21, %r1, 5; @%p1 st.shared.u32 [%r20+4], %r21;",
            "t: threads 0 and 1 store different",
        ),
    ],
)
def test_stores_of_different_values(body: str, expected: str) -> None:
    (message,) = findings(FIRST + body)
    assert message.startswith(expected)


@pytest.mark.parametrize(
    "body",
    [
        "@%p3 st.shared.u32 [t], 1; @%p4 st.shared.u32 [t], 1;",
        "@%p3 st.shared.u32 [t], 1; bar.sync 0; @%p4 st.shared.u32 [t], 2;",
        "@%p3 st.shared.u32 [t], 1; @%p3 st.shared.u32 [t], 2;",
        "@%p3 st.shared.u32 [t], %r1;",
        "st.shared.u32 [t], %r30;",  # one value
        "st.shared.u32 [t], 0; st.shared.u32 [t], 1;",  # the last store of all is of 1, whoever makes it
        "st.shared.u32 [%r5], %r30; st.shared.u32 [%r6], %r30;",  # the same, perhaps: neighbours that overlap
        "mad.wide.u32 %rd2, %r1, 4, %rd1; ld.global.u32 %r31, [%rd2]; setp.eq.u32 %p5, %r31, 7; @%p5 st.shared.u32 [t], %r1;",
        "volatile: st.volatile.shared.u32 [t], %r1;",
    ],
)
def test_stores_of_one_value_or_one_thread(body: str) -> None:
    assert findings(FIRST + body) == []


CALLED = """.version 8.0
.target sm_90
.address_size 64
.shared .align 4 .b32 s[64];
.func put(.reg .b32 place, .reg .b32 value) {{ st.shared.u32 [place], value; {sync} ret; }}
.func (.reg .b32 found) get(.reg .b32 place) {{ ld.shared.u32 found, [place]; ret; }}
.entry k(.param .u64 out)
.reqntid 64
{{
.reg .b32 %r<9>; .reg .b64 %rd<3>;
ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, s; shl.b32 %r3, %r1, 2; add.u32 %r4, %r2, %r3;
xor.b32 %r5, %r3, 4; add.u32 %r5, %r5, %r2;
call put, (%r4, %r1);
{between}
call (%r6), get, ({read});
st.global.u32 [%rd1], %r6;
ret;
}}
"""


@pytest.mark.parametrize(
    "sync, between, read, races",
    [
        ("", "", "%r5", True),
        ("", "bar.sync 0;", "%r5", False),
        ("bar.sync 0;", "", "%r5", False),
        ("", "", "%r4", False),
    ],
)
def test_device_functions(sync: str, between: str, read: str, races: bool) -> None:
    text = CALLED.format(sync=sync, between=between, read=read)
    found = [finding.message for finding in verify(parse(text)) if finding.code == "PTX507"]
    said = "s: thread 0 reads what thread 1 wrote (st.shared.u32 at <ptx>:5:47), with no barrier between (called by k)"
    assert found == ([said] if races else [])
