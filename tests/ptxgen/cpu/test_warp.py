"""Operations among lanes (manual 9.7.9.6, 9.7.13.8 to 9.7.13.13)."""

from __future__ import annotations

import pytest

from ptxgen.cpu import KernelFault
from tests.ptxgen.cpu.machine import BASE, FAST, run

TIERS = pytest.mark.parametrize("options", [BASE, FAST], ids=["base", "fast"])


def shuffled(mode, lane, b, c):
    """(source lane, predicate) as the manual computes them."""
    segment, clamp, offset = c >> 8 & 31, c & 31, b & 31
    last = lane & segment | clamp & ~segment & 31
    first = lane & segment
    j = {"up": lane - offset, "down": lane + offset, "bfly": lane ^ offset, "idx": first | offset & ~segment & 31}[mode]
    valid = j >= last if mode == "up" else j <= last
    return (j if valid else lane), valid


@TIERS
@pytest.mark.parametrize("mode", ["up", "down", "bfly", "idx"])
@pytest.mark.parametrize("b,c", [(1, 31), (3, 0), (16, 0x1C1F), (5, 0x1807), (37, 0x101F), (0, 0)])
def test_shfl(mode, b, c, options):
    result = run(
        f"""
	mul.lo.u32 %r1, %t, 7;
	shfl.sync.{mode}.b32 %r2|%p1, %r1, {b}, {c}, 0xffffffff;
	selp.u32 %r3, 1000, 0, %p1;
	add.u32 %r2, %r2, %r3;
	st.global.u32 [%o], %r2;""",
        options=options,
    )
    expected = [shuffled(mode, lane, b, c) for lane in range(32)]
    assert result.u32 == [7 * source + 1000 * valid for source, valid in expected]


@TIERS
def test_shfl_in_place_with_offsets_of_each_lane(options):
    result = run(
        "\txor.b32 %r1, %t, 21;\n\tshfl.sync.idx.b32 %t, %t, %r1, 31, -1;\n\tst.global.u32 [%o], %t;", options=options
    )
    assert result.u32 == [lane ^ 21 for lane in range(32)]


@TIERS
def test_partial_masks_under_divergence(options):
    """Each half of the warp shuffles by itself, at its own instruction."""
    result = run(
        """
	setp.lt.u32 %p1, %t, 16; @%p1 bra LOW;
	shfl.sync.down.b32 %r1, %t, 1, 31, 0xffff0000;
	bra END;
LOW:	shfl.sync.bfly.b32 %r1, %t, 1, 31, 0x0000ffff;
END:	st.global.u32 [%o], %r1;""",
        options=options,
    )
    assert result.u32 == [t ^ 1 if t < 16 else min(t + 1, 31) for t in range(32)]


@TIERS
def test_groups_with_their_own_masks_meet_at_one_instruction(options):
    result = run(
        """
	shr.u32 %r1, %t, 3; shl.b32 %r1, %r1, 3;
	mov.u32 %r2, 0xff; shl.b32 %r2, %r2, %r1;
	redux.sync.add.u32 %r3, %t, %r2;
	st.global.u32 [%o], %r3;""",
        options=options,
    )
    assert result.u32 == [sum(range(t & ~7, (t & ~7) + 8)) for t in range(32)]


def test_lanes_that_have_exited_are_not_waited_for():
    result = run(
        """
	setp.ge.u32 %p1, %t, 20; @%p1 exit;
	setp.ge.u32 %p2, %t, 0;
	vote.sync.ballot.b32 %r1, %p2, 0xffffffff;
	st.global.u32 [%o], %r1;"""
    )
    assert result.u32 == [0xFFFFF] * 20 + [0] * 12


VOTES = [("lt", 32, 1, 1, 1), ("lt", 0, 0, 0, 1), ("lt", 5, 0, 1, 0)]


@TIERS
@pytest.mark.parametrize("compare,limit,all_,any_,uni", VOTES)
def test_vote(compare, limit, all_, any_, uni, options):
    result = run(
        f"""
	setp.{compare}.u32 %p1, %t, {limit};
	vote.sync.all.pred %p2, %p1, -1; vote.sync.any.pred %p3, %p1, -1; vote.sync.uni.pred %p4, %p1, -1;
	vote.sync.all.pred %p5, !%p1, -1;
	selp.u32 %r1, 1, 0, %p2; selp.u32 %r2, 2, 0, %p3; selp.u32 %r3, 4, 0, %p4; selp.u32 %r4, 8, 0, %p5;
	or.b32 %r1, %r1, %r2; or.b32 %r1, %r1, %r3; or.b32 %r1, %r1, %r4;
	st.global.u32 [%o], %r1;""",
        options=options,
    )
    assert result.u32 == [all_ + 2 * any_ + 4 * uni + 8 * (limit == 0)] * 32


@TIERS
def test_match(options):
    result = run(
        """
	and.b32 %r1, %t, 3; cvt.u64.u32 %d1, %r1; shl.b64 %d1, %d1, 40;
	match.any.sync.b32 %r2, %r1, -1;
	match.any.sync.b64 %r3, %d1, -1;
	setp.eq.u32 %p1, %r2, %r3;
	match.all.sync.b32 %r4|%p2, %r1, -1;
	match.all.sync.b32 %r5|%p3, 5, -1;
	@!%p1 mov.u32 %r2, 0; @%p2 mov.u32 %r2, 1; @!%p3 mov.u32 %r2, 2;
	add.u32 %r2, %r2, %r4; and.b32 %r2, %r2, %r5;
	st.global.u32 [%o], %r2;""",
        options=options,
    )
    assert result.u32 == [0x11111111 << (t & 3) for t in range(32)]


@TIERS
@pytest.mark.parametrize(
    "operation,expected",
    [
        ("add.u32", sum(range(-16, 16))), ("min.s32", -16), ("max.s32", 15), ("min.u32", 0), ("max.u32", -1),
        ("and.b32", 0), ("or.b32", -1), ("xor.b32", 0),
    ],
)  # fmt: skip
def test_redux(operation, expected, options):
    result = run(
        f"\tsub.s32 %r1, %t, 16;\n\tredux.sync.{operation} %r2, %r1, -1;\n\tst.global.u32 [%o], %r2;", options=options
    )
    assert result.u32 == [expected & 0xFFFFFFFF] * 32


def test_redux_of_floats():
    body = """
	cvt.rn.f32.u32 %f1, %t; sub.f32 %f1, %f1, 0f41A40000;
	redux.sync.min.abs.f32 %f2, %f1, -1;
	st.global.f32 [%o], %f2;"""
    assert run(body).f32 == [0.5] * 32


@TIERS
def test_elect_and_activemask(options):
    result = run(
        """
	setp.lt.u32 %p1, %t, 8; @%p1 exit;
	elect.sync %r1|%p2, 0xffffff00;
	selp.u32 %r2, 100, 0, %p2;
	add.u32 %r1, %r1, %r2;
	st.global.u32 [%o], %r1;""",
        options=options,
    )
    assert result.u32 == [0] * 8 + [108] + [8] * 23


def test_activemask_sees_who_is_here():
    result = run("\tsetp.lt.u32 %p1, %t, 5;\n\t@%p1 activemask.b32 %r1;\n\t@%p1 st.global.u32 [%o], %r1;")
    assert result.u32 == [31] * 5 + [0] * 27


def test_a_lane_outside_its_own_mask():
    with pytest.raises(KernelFault, match="not in its own member mask 0x0000000f") as caught:
        run("\tshfl.sync.idx.b32 %r1, %t, 0, 31, 15;")
    assert (caught.value.kind, caught.value.thread) == ("member mask", (4, 0, 0))


def test_a_lane_outside_its_own_mask_beside_those_inside():
    """The mask comes from memory, the same for all: the lanes that it names must not take the others along."""
    with pytest.raises(KernelFault, match="not in its own member mask 0x0000000f") as caught:
        run("\tsub.u32 %r2, %t, %t;\n\tor.b32 %r2, %r2, 15;\n\tbar.warp.sync %r2;")
    assert caught.value.thread == (4, 0, 0)


def test_a_mask_that_names_lanes_which_wait_elsewhere():
    body = "\tsetp.lt.u32 %p1, %t, 8;\n\t@%p1 bra A;\n\tbar.warp.sync -1;\n\tbra B;\nA:\tbar.warp.sync 255;\n\tbar.sync 1;\nB:"
    with pytest.raises(KernelFault, match="wait for lanes that will not come") as caught:
        run(body)
    assert caught.value.kind == "deadlock"
    assert sorted(w.lanes for w in caught.value.waiting) == [0xFF, 0xFFFFFF00]
    assert "lanes 8-31: bar.warp.sync -1;" in str(caught.value)


@pytest.mark.parametrize("space", [".shared", ""])
def test_volatile_accesses_of_a_warp_stay_together(space):
    """Code from before sm_70 sums over a warp so, without `bar.warp.sync`; GPUs still do as it means (sdk samples of scans)."""
    steps = "".join(
        f"ld.volatile{space}.u32 %r2, [%d1]; ld.volatile{space}.u32 %r3, [%d1+-{4 * d}]; add.u32 %r2, %r2, %r3;"
        f"st.volatile{space}.u32 [%d1], %r2;\n"
        for d in (1, 2, 4, 8, 16)
    )
    address = "" if space else "cvta.shared.u64 %d1, %d1;"
    result = run(
        f"""
	.shared .align 4 .b8 sums[256];
	mov.u64 %d1, sums; {address} mad.wide.u32 %d1, %t, 4, %d1;
	st.volatile{space}.u32 [%d1], 0;
	add.u64 %d1, %d1, 128;
	st.volatile{space}.u32 [%d1], %t;
	{steps}
	ld.volatile{space}.u32 %r2, [%d1];
	st.global.u32 [%o], %r2;"""
    )
    assert result.u32 == [t * (t + 1) // 2 for t in range(32)]


OLDER = ".version 6.0\n.target sm_60\n.address_size 64\n"


@TIERS
def test_before_masks_those_that_are_here_are_meant(options):
    """`shfl` and `vote` of older targets, of all lanes and of some."""
    body = """
	shfl.down.b32 %r1|%p1, %t, 1, 31;
	setp.gt.u32 %p2, %t, 3;
	vote.ballot.b32 %r2, %p2;
	@!%p2 bra AWAY;
	shfl.idx.b32 %r1, %r1, 5, 31;
	vote.all.pred %p3, %p2;
	vote.ballot.b32 %r2, 1;
	@!%p3 mov.u32 %r1, 99;
AWAY:
	xor.b32 %r1, %r1, %r2;
	st.global.u32 [%o], %r1;"""
    some = 0xFFFFFFF0
    assert run(body, before=OLDER, options=options).u32 == [(t + 1 if t < 4 else 6) ^ some for t in range(32)]


@pytest.mark.parametrize("space", ["", ".global"])
def test_lanes_of_an_older_target_keep_step(space):
    """What all lanes count in one word, each lane of a warp counts once: so GCC's code for OpenMP keeps its stacks."""
    count = f"ld{space}.u32 %r1, [%out]; add.u32 %r1, %r1, 1; st{space}.u32 [%out], %r1;\n"
    result = run(2 * count + "ld.global.u32 %r1, [%out]; bar.sync 0; st.global.u32 [%o], %r1;", before=OLDER)
    assert result.u32 == [2] * 32
