"""Clusters of one CTA (manual 9.7.13.3, 9.7.9.23, 9.7.9.24): the barrier, and own addresses in shared::cluster."""

from __future__ import annotations

import pytest

from ptxgen.cpu import KernelFault
from tests.ptxgen.cpu.machine import run
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


@pytest.mark.cpu_only
def test_clusters_of_several_ctas():
    with pytest.raises(KernelFault, match="a barrier of 2 CTAs of a cluster") as caught:
        run("\tbarrier.cluster.arrive;\n\tbarrier.cluster.wait;", grid=(2, 1, 1), cluster=(2, 1, 1))
    assert caught.value.kind == "cluster size"
    body = "\tmov.u32 %r1, %cluster_ctarank; mapa.shared::cluster.u32 %r2, %t, %r1;\n\tst.global.u32 [%o], %r2;"
    assert run(body, words=64, grid=(2, 1, 1), cluster=(2, 1, 1)).u32 == [*range(32), *range(32)]
    with pytest.raises(KernelFault, match="the shared memory of CTA 1 of the cluster"):
        run("\tmapa.shared::cluster.u32 %r2, %t, 1;", grid=(2, 1, 1), cluster=(2, 1, 1))
