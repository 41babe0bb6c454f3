"""Arrivals and bytes: as many as mbarrier.init counts, as many as the copies bring."""

from __future__ import annotations

import pytest

from ptxgen.text import parse
from ptxgen.verifier import verify


def found(body: str, head: str = ".reqntid 128") -> list[tuple[str, str]]:
    text = (
        ".version 8.0\n.target sm_90a\n.address_size 64\n"
        ".shared .align 128 .b8 tile[4096]; .shared .align 8 .b64 bar; .shared .align 8 .b64 bars[2];\n"
        f".entry k(.param .u64 a, .param .u32 n)\n{head}\n{{\n"
        ".reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %rd<4>; .reg .f32 %f<4>;\n"
        "ld.param.u64 %rd1, [a]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; setp.eq.u32 %p1, %r2, 0; mov.u32 %r3, 0;\n"
        f"{body}\nret;\n}}\n"
    )
    return [(f.code, f.message) for f in verify(parse(text)) if f.code in ("PTX529", "PTX538")]


def init(count: int, where: str = "bar") -> str:
    return f"@%p1 mbarrier.init.shared::cta.b64 [{where}], {count};\n@%p1 fence.mbarrier_init.release.cluster;\nbar.sync 0;\n"


WAIT = "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p4, [bar], %r3;\n@!%p4 bra WAIT;\n"
ARRIVE = "mbarrier.arrive.shared::cta.b64 _, [bar];\n"


def copies(*sizes: int, guard: str = "@%p1") -> str:
    return "".join(
        f"{guard} cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile+{1024 * n}], [%rd1], {size}, [bar];\n"
        for n, size in enumerate(sizes)
    )


def expect(size: object, guard: str = "@%p1") -> str:
    return f"{guard} mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], {size};\n"


@pytest.mark.parametrize(
    "body",
    [
        expect(1024) + copies(1024),
        expect(3072) + copies(1024, 1024, 1024),
        copies(1024) + expect(1024),
        expect(512) + expect(512).replace("arrive.", "").replace(" _,", "") + copies(1024),
        expect("%r1") + copies(1024),  # who knows
        "setp.eq.u32 %p2, %r1, 3;\n" + expect(2048) + copies(1024) + copies(1024, guard="@%p2"),  # perhaps not both
    ],
)
def test_bytes_that_add_up(body: str) -> None:
    assert found(init(1) + body + WAIT) == []


def test_bytes_that_do_not() -> None:
    assert found(init(1) + expect(512) + copies(1024) + WAIT) == [
        ("PTX529", "bar expects 512 bytes a phase, and the copies bring 1024: the phase ends before they have arrived")
    ]
    assert found(init(1) + expect(4096) + copies(1024, 1024) + WAIT) == [
        ("PTX529", "bar expects 4096 bytes a phase, and the copies bring 2048: the phase never completes")
    ]


CHOICE = "ld.global.u32 %r4, [%rd1]; setp.eq.u32 %p2, %r4, 0;\n"
WARP = "shr.u32 %r4, %r2, 5; setp.eq.u32 %p2, %r4, 0;\n"
LOOP = "LOOP:\n{}xor.b32 %r3, %r3, 1; add.u32 %r5, %r5, 1; setp.lt.u32 %p5, %r5, %r1;\n@%p5 bra LOOP;\n"


@pytest.mark.parametrize(
    "count, body",
    [
        (128, ARRIVE + WAIT),
        (1, "@%p1 " + ARRIVE + WAIT),
        (32, WARP + "@%p2 " + ARRIVE + WAIT),
        (96, WARP + "@!%p2 " + ARRIVE + WAIT),
        (64, "@%p1 mbarrier.arrive.shared::cta.b64 _, [bar], 64;\n" + WAIT),
        (256, ARRIVE + ARRIVE + WAIT),
        (128, "mov.u32 %r5, 0;\n" + LOOP.format(ARRIVE + WAIT)),
        # an elected thread of each warp
        (4, "elect.sync _|%p2, -1;\n@%p2 " + ARRIVE + WAIT),
        # four iterations a phase
        (
            4,
            "mov.u32 %r5, 0;\nLOOP: @%p1 "
            + ARRIVE
            + "add.u32 %r5, %r5, 1; setp.lt.u32 %p5, %r5, 4;\n@%p5 bra LOOP;\n"
            + WAIT,
        ),
        # two phases
        (128, ARRIVE + WAIT + ARRIVE + WAIT.replace("WAIT", "MORE").replace("%r3", "1")),
        # a condition that nothing is known about
        (
            64,
            "mad.wide.u32 %rd2, %r2, 4, %rd1; ld.global.u32 %r4, [%rd2]; setp.eq.u32 %p2, %r4, 0;\n@%p2 "
            + ARRIVE
            + WAIT,
        ),
    ],
)
def test_arrivals_that_add_up(count: int, body: str) -> None:
    assert found(init(count) + body) == []


@pytest.mark.parametrize(
    "count, body, message",
    [
        (1, ARRIVE + WAIT, "bar counts 1 a phase, and there are 128 arrivals: phases complete too early"),
        (128, "@%p1 " + ARRIVE + WAIT, "bar counts 128 a phase, and there is 1 arrival: it never completes"),
        (128, WARP + "@!%p2 " + ARRIVE + WAIT, "bar counts 128 a phase, and there are 96 arrivals: it never completes"),
        # a condition that is the same for all threads, in the forms of a guard and of a branch
        (
            64,
            CHOICE + "@%p2 " + ARRIVE + WAIT,
            "bar counts 64 a phase, and there are 128 arrivals: phases complete too early",
        ),
        (
            64,
            CHOICE + "@!%p2 bra OVER;\n" + ARRIVE + WAIT + "OVER:\n",
            "bar counts 64 a phase, and there are 128 arrivals: phases complete too early",
        ),
        (
            1,
            "mov.u32 %r5, 0;\n" + LOOP.format(ARRIVE + WAIT),
            "bar counts 1 a phase, and there are 128 arrivals: phases complete too early",
        ),
    ],
)
def test_arrivals_that_do_not(count: int, body: str, message: str) -> None:
    assert found(init(count) + body) == [("PTX538", message)]


BRANCH = "@!%p1 bra OVER;\n{}OVER:\n"
FLIPPING = "mov.u32 %r5, 0;\n" + LOOP


@pytest.mark.parametrize(
    "count, body",
    [
        (1, BRANCH.format(ARRIVE) + WAIT),
        (127, BRANCH.replace("@!", "@").format(ARRIVE) + WAIT),
        (1, FLIPPING.format(BRANCH.format(ARRIVE) + WAIT)),
        (32, FLIPPING.format(WARP + BRANCH.replace("%p1", "%p2").format(ARRIVE) + WAIT)),
        # one of several ways
        (
            64,
            "shr.u32 %r4, %r2, 6;\nTS: .branchtargets A, B;\nbrx.idx %r4, TS;\nA:\n" + ARRIVE + "bra B;\nB:\n" + WAIT,
        ),
        (
            128,
            "mov.u32 %r4, %ctaid.x;\nTS: .branchtargets A, B;\nbrx.idx %r4, TS;\nA:\n" + ARRIVE + "bra B;\nB:\n" + WAIT,
        ),
        # in some iterations alone
        (2, FLIPPING.format("and.b32 %r4, %r5, 1; setp.eq.u32 %p1, %r4, 0;\n" + BRANCH.format(ARRIVE) + WAIT)),
        # of another thread each iteration
        (2, FLIPPING.format("setp.eq.u32 %p1, %r2, %r5;\n" + BRANCH.format(ARRIVE) + WAIT)),
    ],
)
def test_arrivals_behind_a_branch_that_add_up(count: int, body: str) -> None:
    assert found(init(count) + body) == []


@pytest.mark.parametrize(
    "count, body, message",
    [
        (2, BRANCH.format(ARRIVE) + WAIT, "bar counts 2 a phase, and there is 1 arrival: it never completes"),
        (
            2,
            FLIPPING.format(BRANCH.format(ARRIVE) + WAIT),
            "bar counts 2 a phase, and there is 1 arrival: it never completes",
        ),
        (
            1,
            FLIPPING.format(WARP + BRANCH.replace("%p1", "%p2").format(ARRIVE) + WAIT),
            "bar counts 1 a phase, and there are 32 arrivals: phases complete too early",
        ),
    ],
)
def test_arrivals_behind_a_branch_that_do_not(count: int, body: str, message: str) -> None:
    assert found(init(count) + body) == [("PTX538", message)]


EACH_OTHER = (  # two warpgroups that take turns: each waits for its own and arrives on the other's
    "shr.u32 %r4, %r2, 6; shl.b32 %r5, %r4, 3; mov.u32 %r6, bars; add.u32 %r7, %r6, %r5; xor.b32 %r5, %r5, 8;\n"
    "add.u32 %r5, %r6, %r5; xor.b32 %r3, %r4, 1;\n"
    "AGAIN:\nWAIT: mbarrier.try_wait.parity.shared::cta.b64 %p4, [%r7], %r3;\n@!%p4 bra WAIT;\n"
    "mbarrier.arrive.shared::cta.b64 _, [%r5];\nxor.b32 %r3, %r3, 1; add.u32 %r8, %r8, 1; setp.lt.u32 %p5, %r8, %r1;\n"
    "@%p5 bra AGAIN;\n"
)


@pytest.mark.parametrize(
    "count, message", [(64, None), (128, "bars[...] counts 128 a phase, and there are 64 arrivals")]
)
def test_threads_that_name_different_objects(count: int, message: str | None) -> None:
    both = init(count, "bars") + f"@%p1 mbarrier.init.shared::cta.b64 [bars+8], {count};\nbar.sync 0;\n"
    expected = [("PTX538", f"{message}: it never completes")] if message else []
    assert found(both + "mov.u32 %r8, 0;\n" + EACH_OTHER) == expected


def test_without_an_exact_size_nothing_is_known() -> None:
    assert found(init(1) + ARRIVE + WAIT, ".maxntid 128") == []
