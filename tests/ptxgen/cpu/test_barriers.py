"""CTA barriers (manual 9.7.13.1): counting threads, named barriers, reductions, and what cannot complete."""

from __future__ import annotations

import pytest

from ptxgen.cpu import KernelFault
from tests.ptxgen.cpu.machine import BASE, FAST, run

TIERS = pytest.mark.parametrize("options", [BASE, FAST], ids=["base", "fast"])


@TIERS
def test_values_cross_a_barrier(options):
    """Thread t reads what thread 255 - t wrote."""
    result = run(
        """
	.shared .u32 s[256];
	mov.u32 %r1, s; mad.lo.u32 %r2, %t, 4, %r1;
	st.shared.u32 [%r2], %t;
	bar.sync 0;
	sub.u32 %r3, 255, %t; mad.lo.u32 %r4, %r3, 4, %r1;
	ld.shared.u32 %r5, [%r4];
	st.global.u32 [%o], %r5;""",
        words=256,
        block=(256, 1, 1),
        options=options,
    )
    assert result.u32 == [255 - t for t in range(256)]


@TIERS
def test_a_loop_of_barriers(options):
    """A prefix sum by doubling: 7 rounds with two barriers each, ctas one after the other."""
    result = run(
        """
	.shared .u32 s[128];
	mov.u32 %r1, s; mad.lo.u32 %r2, %t, 4, %r1; mov.u32 %r3, 1; mov.u32 %r4, 1;
	st.shared.u32 [%r2], %r3;
L:	bar.sync 0;
	setp.lt.u32 %p1, %t, %r4; mov.u32 %r5, 0;
	shl.b32 %r6, %r4, 2; sub.u32 %r6, %r2, %r6;
	@!%p1 ld.shared.u32 %r5, [%r6];
	bar.sync 0;
	add.u32 %r3, %r3, %r5;
	st.shared.u32 [%r2], %r3;
	shl.b32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, 128; @%p2 bra L;
	st.global.u32 [%o], %r3;""",
        words=384,
        block=(128, 1, 1),
        grid=(3, 1, 1),
        options=options,
    )
    assert result.u32 == list(range(1, 129)) * 3


@pytest.mark.parametrize("operation,expected", [("popc.u32", 40), ("and.pred", 0), ("or.pred", 1)])
@TIERS
def test_reductions(operation, expected, options):
    take = "" if operation.startswith("popc") else "\n\tselp.u32 %r1, 1, 0, %p2;"
    target = "%r1" if operation.startswith("popc") else "%p2"
    body = f"\tsetp.lt.u32 %p1, %t, 40;\n\tbar.red.{operation} {target}, 3, %p1;{take}\n\tst.global.u32 [%o], %r1;"
    assert run(body, words=96, block=(96, 1, 1), options=options).u32 == [expected] * 96


def test_a_reduction_with_a_negated_predicate_and_a_count():
    body = "\tsetp.lt.u32 %p1, %t, 40;\n\tbarrier.cta.red.popc.u32 %r1, 2, 96, !%p1;\n\tst.global.u32 [%o], %r1;"
    assert run(body, words=96, block=(96, 1, 1)).u32 == [56] * 96


def test_producers_arrive_and_do_not_wait():
    """Warp 1 fills, warp 0 waits at barrier 1 for both; warp 1 then waits at barrier 2."""
    body = """
	.shared .u32 box;
	setp.ge.u32 %p1, %t, 32; @%p1 bra PRODUCE;
	bar.sync 1, 64;
	ld.shared.u32 %r1, [box]; st.global.u32 [%o], %r1;
	bar.arrive 2, 64;
	bra END;
PRODUCE:
	mov.u32 %r2, 41; st.shared.u32 [box], %r2;
	bar.arrive 1, 64;
	bar.sync 2, 64;
	st.global.u32 [%o], %r2;
END:"""
    assert run(body, words=64, block=(64, 1, 1)).u32 == [41] * 64


def test_the_number_of_a_barrier_may_be_a_register():
    """Each half of the CTA has a barrier of its own."""
    body = """
	.shared .u32 s[2];
	shr.u32 %r1, %t, 6; mov.u32 %r2, 64; mov.u32 %r3, s; mad.lo.u32 %r3, %r1, 4, %r3;
	atom.shared.add.u32 %r4, [%r3], 1;
	add.u32 %r5, %r1, 4;
	barrier.sync %r5, %r2;
	ld.shared.u32 %r4, [%r3];
	st.global.u32 [%o], %r4;"""
    zeroed = "\t.shared .u32 z;\n\tmov.u32 %r1, s;\n\tst.shared.v2.u32 [s], {0, 0};\n\tbar.sync 0;\n"
    body = body.replace("\t.shared .u32 s[2];\n", "\t.shared .align 8 .u32 s[2];\n" + zeroed)
    assert run(body, words=128, block=(128, 1, 1)).u32 == [64] * 128


def test_threads_that_have_exited_do_not_count():
    body = "\tsetp.lt.u32 %p1, %t, 50;\n\t@%p1 exit;\n\tbar.sync 0;\n\tst.global.u32 [%o], %t;"
    assert run(body, words=128, block=(128, 1, 1)).u32 == [0] * 50 + list(range(50, 128))


def test_threads_may_exit_while_others_wait():
    body = "\tsetp.lt.u32 %p1, %t, 64;\n\t@%p1 bra WAIT;\n\texit;\nWAIT:\tbar.sync 0;\n\tst.global.u32 [%o], %t;"
    assert run(body, words=128, block=(128, 1, 1)).u32 == list(range(64)) + [0] * 64


def test_unaligned_barriers_take_lanes_as_they_come():
    body = """
	setp.lt.u32 %p1, %t, 9; @%p1 bra A;
	barrier.sync 0;
	bra E;
A:	barrier.sync 0;
E:	st.global.u32 [%o], %t;"""
    assert run(body).u32 == list(range(32))


def fault(body, **options):
    with pytest.raises(KernelFault) as caught:
        run(body, **options)
    return caught.value


def test_a_divergent_barrier():
    error = fault("\tsetp.eq.u32 %p1, %t, 3;\n\t@%p1 bra A;\n\tbar.sync 0;\n\tbra B;\nA:\tbar.sync 1;\nB:")
    assert error.kind == "divergent barrier"
    assert [(w.warp, w.lanes) for w in error.waiting] == [(0, 0xFFFFFFF7), (0, 8)]
    assert "lanes 0-2, 4-31: bar.sync 0;" in str(error)


def test_a_barrier_for_more_threads_than_there_are():
    error = fault("\tbar.sync 0, 128;", block=(64, 1, 1))
    assert error.kind == "deadlock"
    assert "too few threads" in str(error)


def test_a_barrier_inside_one_branch_of_a_warp():
    error = fault("\tsetp.lt.u32 %p1, %t, 4;\n\t@%p1 bar.sync 0;\n\tbar.sync 0;")
    assert error.kind == "divergent barrier"


@pytest.mark.parametrize(
    "body,kind",
    [
        ("\tmov.u32 %r1, 16;\n\tbarrier.sync %r1;", "barrier index"),
        ("\tmov.u32 %r1, 33;\n\tbarrier.sync 0, %r1;", "barrier count"),
        ("\tand.b32 %r1, %t, 32;\n\tsub.u32 %r1, 64, %r1;\n\tbarrier.sync 0, %r1;", "barrier overfull"),
    ],
)
def test_impossible_barriers(body, kind):
    assert fault(body, block=(64, 1, 1)).kind == kind
