"""The barrier of a cluster (manual 9.7.13.3), of one CTA and of several."""

from __future__ import annotations

import pytest

from ptxgen.cpu import KernelFault
from tests.ptxgen.cpu.machine import BASE, run
from tests.ptxgen.cpu.on_device import run_on


@pytest.mark.parametrize(
    "arrive, wait",
    [("", ""), (".aligned", ".aligned"), (".release.aligned", ".acquire.aligned"), (".relaxed", ".acquire")],
)
def test_values_cross_the_barrier(device_name, arrive, wait):
    """Five rounds; between arrival and wait a thread does other things."""
    body = f"""
	.shared .u32 s[256];
	mov.u32 %r1, s; mad.lo.u32 %r2, %t, 4, %r1; sub.u32 %r3, 127, %t; mad.lo.u32 %r3, %r3, 4, %r1;
	mov.u32 %r4, %t; mov.u32 %r5, 0; mov.u32 %r6, 0;
NEXT:
	add.u32 %r7, %r2, %r6; st.shared.u32 [%r7], %r4; membar.cta;
	barrier.cluster.arrive{arrive};
	add.u32 %r8, %r3, %r6; xor.b32 %r6, %r6, 512;
	barrier.cluster.wait{wait};
	ld.shared.u32 %r4, [%r8]; add.u32 %r4, %r4, 1;
	add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 5; @%p1 bra NEXT;
	st.global.u32 [%o], %r4;"""
    found = run_on(device_name, body, words=256, block=128, grid=2, sm="90")
    assert found == [127 - t + 5 for t in range(128)] * 2


def test_threads_that_have_exited_do_not_count(device_name):
    """A quarter leaves at once, a quarter after it has arrived."""
    body = """
	setp.lt.u32 %p1, %t, 32; @%p1 exit;
	barrier.cluster.arrive;
	setp.lt.u32 %p1, %t, 64; @%p1 exit;
	barrier.cluster.wait;
	barrier.cluster.arrive;
	barrier.cluster.wait;
	st.global.u32 [%o], %t;"""
    assert run_on(device_name, body, words=128, block=128, sm="90") == [0] * 64 + list(range(64, 128))


def test_lanes_arrive_as_they_come(device_name):
    body = """
	setp.lt.u32 %p1, %t, 9; @%p1 bra A;
	barrier.cluster.arrive;
	bra E;
A:	barrier.cluster.arrive;
E:	barrier.cluster.wait;
	st.global.u32 [%o], %t;"""
    assert run_on(device_name, body, sm="90") == list(range(32))


@pytest.mark.parametrize("cluster", [None, (1, 1, 1)])
def test_is_it_one(device_name, cluster):
    """A cluster of one CTA is explicit where the launch asks for it."""
    body = "\tmov.pred %p1, %is_explicit_cluster; selp.u32 %r1, 1, 0, %p1; st.global.u32 [%o], %r1;"
    options = {"cluster": cluster} if cluster else {}
    assert run_on(device_name, body, sm="90", options=options) == [int(cluster is not None)] * 32


@pytest.mark.cpu_only
def test_a_thread_that_never_arrives():
    body = "\tsetp.eq.u32 %p1, %t, 3; @%p1 bra A;\n\tbarrier.cluster.arrive;\n\tbarrier.cluster.wait;\nA:\tbar.sync 0;"
    with pytest.raises(KernelFault) as caught:
        run(body)
    assert caught.value.kind == "divergent barrier"
    assert {w.lanes for w in caught.value.waiting} == {8, 0xFFFFFFF7}


@pytest.mark.parametrize("size", [2, 3, 16])
@pytest.mark.parametrize("aligned", ["", ".aligned"])
def test_values_cross_the_barrier_of_several_ctas(device_name, size, aligned):
    """Five rounds over a ring of CTAs, each of which passes what it has got on; its warps come one after the other."""
    body = f"""
	.shared .u32 s[128];
	mov.u32 %r1, %cluster_ctarank; add.u32 %r1, %r1, 1; rem.u32 %r1, %r1, {size};
	mov.u32 %r2, s; mad.lo.u32 %r2, %t, 4, %r2; mapa.shared::cluster.u32 %r3, %r2, %r1; mov.u32 %r4, %w; mov.u32 %r5, 0;
NEXT:
	barrier.cluster.arrive{aligned}; shr.u32 %r7, %t, 3;
SPIN:	sub.u32 %r7, %r7, 1; setp.gt.s32 %p2, %r7, 0; @%p2 bra SPIN;
	bar.warp.sync -1; barrier.cluster.wait{aligned};
	st.shared::cluster.u32 [%r3], %r4;
	barrier.cluster.arrive{aligned}; barrier.cluster.wait{aligned};
	ld.shared.u32 %r4, [%r2]; add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 5; @%p1 bra NEXT;
	st.global.u32 [%o], %r4;"""
    found = run_on(
        device_name, body, words=128 * size, block=64, grid=2 * size, sm="90", options={"cluster": (size, 1, 1)}
    )
    origin = (c // size * size + (c % size - 5) % size for c in range(2 * size))
    assert found == [64 * c + t for c in origin for t in range(64)]


def test_ctas_that_have_exited_do_not_count(device_name):
    """One CTA of three exits at once, another after its arrival."""
    body = """
	mov.u32 %r1, %cluster_ctarank; setp.eq.u32 %p1, %r1, 1; @%p1 exit;
	barrier.cluster.arrive;
	setp.eq.u32 %p2, %r1, 0; @%p2 exit;
	barrier.cluster.wait; barrier.cluster.arrive; barrier.cluster.wait;
	st.global.u32 [%o], %t;"""
    found = run_on(device_name, body, words=96, grid=3, sm="90", options={"cluster": (3, 1, 1)})
    assert found == [0] * 64 + list(range(32))


@pytest.mark.cpu_only
def test_a_cta_that_never_arrives():
    """The other waits; who does not arrive waits for an mbarrier."""
    body = """
	.shared .align 8 .b64 bar; mov.u32 %r1, %cluster_ctarank; setp.eq.u32 %p1, %r1, 0; @%p1 bra A;
	mbarrier.init.shared.b64 [bar], 33;
W:	mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra W;
A:	barrier.cluster.arrive; barrier.cluster.wait;"""
    with pytest.raises(KernelFault) as caught:
        run(body, grid=(2, 1, 1), cluster=(2, 1, 1))
    assert caught.value.kind == "deadlock"
    assert [(w.cta, w.rank, w.instruction.opcode) for w in caught.value.waiting] == [
        ((0, 0, 0), 0, "barrier"),
        ((1, 0, 0), 1, "mbarrier"),
    ]
    assert "CTA (1, 0, 0), rank 1 of its cluster, warp 0" in str(caught.value)


@pytest.mark.cpu_only
def test_a_cta_that_waits_at_another_barrier():
    body = """
	mov.u32 %r1, %cluster_ctarank; setp.eq.u32 %p1, %r1, 0; setp.eq.u32 %p2, %t, 7; and.pred %p1, %p1, %p2;
	@%p1 bra B;
	barrier.cluster.arrive; barrier.cluster.wait; bra E;
B:	bar.sync 1, 64;
E:"""
    with pytest.raises(KernelFault, match="wait at different barriers") as caught:
        run(body, grid=(2, 1, 1), cluster=(2, 1, 1))
    assert caught.value.kind == "divergent barrier"
    assert {w.rank for w in caught.value.waiting} == {0, 1}


@pytest.mark.cpu_only
def test_a_loop_around_another_ctas_memory():
    """The watchdog names the CTA whose word is looked at."""
    body = """
	.shared .u32 flag[2]; st.shared.u32 [flag], 9; st.shared.u32 [flag+4], 9; mov.u32 %r1, %cluster_ctarank; xor.b32 %r2, %r1, 1;
	mapa.shared::cluster.u32 %r3, flag, %r2; barrier.cluster.arrive; barrier.cluster.wait;
W:	ld.relaxed.cluster.shared::cluster.u32 %r4, [%r3+4]; setp.eq.u32 %p1, %r4, 9; @%p1 bra W;"""
    with pytest.raises(KernelFault) as caught:
        run(body, grid=(2, 1, 1), cluster=(2, 1, 1), options=BASE.replaced(watchdog=0.1))
    assert caught.value.kind == "no progress"
    assert "it loops on 4 bytes at 0x4 (shared::cluster of CTA 1 of the cluster), where 0x9 is" in str(caught.value)
    assert "CTA (1, 0, 0), rank 1 of its cluster" in str(caught.value)
