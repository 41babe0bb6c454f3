"""Shared memory of a cluster (manual 5.1.6): addresses, loads, stores and atomics, over clusters of up to 16 CTAs."""

from __future__ import annotations

import random
import struct

import pytest

from ptxgen.cpu import KernelFault, LaunchOptions
from tests.ptxgen.cpu.machine import BASE, FAST, run
from tests.ptxgen.cpu.on_device import run_on

SYNC = "\tbarrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;\n"
SIZES = (2, 4, 8, 16)


def clusters(size: int) -> dict[str, object]:
    return {"cluster": (size, 1, 1)}


def test_special_registers(device_name):
    """Clusters of 2 x 1 x 3 in a grid of 4 x 2 x 6."""
    names = (
        "cluster_ctarank cluster_nctarank clusterid.x clusterid.y clusterid.z cluster_ctaid.x cluster_ctaid.y".split()
    )
    names += "cluster_ctaid.z nclusterid.x nclusterid.y nclusterid.z cluster_nctaid.z".split()
    body = """
	mov.u32 %r1, %ctaid.z; mad.lo.u32 %r1, %r1, 2, 0; mov.u32 %r2, %ctaid.y; add.u32 %r1, %r1, %r2;
	mov.u32 %r2, %ctaid.x; mad.lo.u32 %r1, %r1, 4, %r2; mad.wide.u32 %d1, %r1, 48, %out;
"""
    body += "".join(f"\tmov.u32 %r3, %{name}; st.global.u32 [%d1+{4 * i}], %r3;\n" for i, name in enumerate(names))
    found = run_on(device_name, body, words=48 * 12, block=1, grid=(4, 2, 6), sm="90", options={"cluster": (2, 1, 3)})
    expected = []
    for z in range(6):
        for y in range(2):
            for x in range(4):
                expected += [z % 3 * 2 + x % 2, 6, x // 2, y, z // 3, x % 2, 0, z % 3, 2, 2, 2, 3]
    assert found == expected


@pytest.mark.parametrize(
    "size, form", [*((size, "shared::cluster") for size in SIZES), (2, "generic"), (16, "generic")]
)
def test_every_cta_reads_the_next_one(device_name, size, form):
    """Two clusters; the neighbour's word, whose address comes from mapa."""
    address, load = {
        "shared::cluster": ("mapa.shared::cluster.u32 %r4, %r3, %r2;", "ld.shared::cluster.u32 %r5, [%r4];"),
        "generic": (
            "cvta.shared.u64 %d1, tile; mad.wide.u32 %d1, %t, 4, %d1; mapa.u64 %d2, %d1, %r2;",
            "ld.u32 %r5, [%d2];",
        ),
    }[form]
    body = f"""
	.shared .u32 tile[64];
	mov.u32 %r1, tile; mad.lo.u32 %r3, %t, 4, %r1; st.shared.u32 [%r3], %w;
	mov.u32 %r2, %cluster_ctarank; add.u32 %r2, %r2, 1; rem.u32 %r2, %r2, {size};
	{SYNC}{address} {load} {SYNC}
	st.global.u32 [%o], %r5;"""
    found = run_on(device_name, body, words=128 * size, block=64, grid=2 * size, sm="90", options=clusters(size))
    base = (c // size * size + (c + 1) % size for c in range(2 * size))
    assert found == [64 * c + t for c in base for t in range(64)]


@pytest.mark.parametrize("size", SIZES)
def test_row_sums(device_name, size):
    """A cluster takes a row: sums in each CTA, then over the cluster, then the row less its sum."""
    body = f"""
	.shared .u32 sums[1];
	setp.eq.u32 %p1, %t, 0; @%p1 st.shared.u32 [sums], 0; bar.sync 0;
	mad.wide.u32 %d1, %w, 4, %in; ld.global.u32 %r1, [%d1];
	atom.shared.add.u32 %r2, [sums], %r1;
	{SYNC}
	mov.u32 %r3, 0; mov.u32 %r4, 0; mov.u32 %r5, sums;
NEXT:	mapa.shared::cluster.u32 %r6, %r5, %r4; ld.shared::cluster.u32 %r7, [%r6]; add.u32 %r3, %r3, %r7;
	add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, {size}; @%p2 bra NEXT;
	sub.u32 %r1, %r1, %r3; st.global.u32 [%o], %r1;
	{SYNC}"""
    values = [random.Random(size).getrandbits(32) for _ in range(3 * size * 64)]
    found = run_on(
        device_name, body, words=len(values), block=64, grid=3 * size, sm="90", options=clusters(size),
        data=struct.pack(f"<{len(values)}I", *values),
    )  # fmt: skip
    rows = [values[i : i + size * 64] for i in range(0, len(values), size * 64)]
    assert found == [(x - sum(row)) & 0xFFFFFFFF for row in rows for x in row]


@pytest.mark.parametrize(
    "add", ["red.shared::cluster.add.u32 [%r6], 1;", "atom.relaxed.cluster.add.u32 %r7, [%d3], 1;"]
)
def test_a_histogram_over_the_cluster(device_name, add):
    """Bin b lies in CTA b % 4, at its word b / 4."""
    body = f"""
	.shared .u32 bins[64];
	mov.u32 %r1, bins; mad.lo.u32 %r2, %t, 4, %r1; st.shared.u32 [%r2], 0;
	mad.wide.u32 %d1, %w, 4, %in; ld.global.u32 %r3, [%d1];
	{SYNC}
	shr.u32 %r4, %r3, 2; mad.lo.u32 %r4, %r4, 4, %r1; and.b32 %r5, %r3, 3; mapa.shared::cluster.u32 %r6, %r4, %r5;
	cvt.u64.u32 %d2, %r4; cvta.shared.u64 %d2, %d2; mapa.u64 %d3, %d2, %r5;
	{add}
	{SYNC}
	ld.shared.u32 %r8, [%r2]; st.global.u32 [%o], %r8;"""
    values = [random.Random(5).randrange(256) for _ in range(256)]
    found = run_on(
        device_name, body, words=256, block=64, grid=4, sm="90", options=clusters(4), data=struct.pack("<256I", *values)
    )
    assert found == [values.count(slot * 4 + rank) for rank in range(4) for slot in range(64)]


def test_atomics_give_what_was_there(device_name):
    """Each thread on a word of its own in the other CTA."""
    body = f"""
	.shared .align 16 .b64 tile[128];
	mov.u32 %r1, tile; mad.lo.u32 %r2, %t, 16, %r1; add.u32 %r3, %t, 40; st.shared.v4.u32 [%r2], {{%r3, %t, 7, 0}};
	mov.u32 %r4, %cluster_ctarank; xor.b32 %r4, %r4, 1; mapa.shared::cluster.u32 %r5, %r2, %r4;
	{SYNC}
	atom.acq_rel.cluster.shared::cluster.cas.b32 %r6, [%r5], 41, 99;
	atom.shared::cluster.exch.b32 %r7, [%r5+4], 1000;
	atom.shared::cluster.max.s32 %r8, [%r5+8], %t;
	mov.f32 %f1, 0f40200000; atom.shared::cluster.add.f32 %f2, [%r5+12], %f1;
	{SYNC}
	ld.shared.v4.u32 {{%r9, %r10, %r11, %r12}}, [%r2]; mad.wide.u32 %d1, %w, 32, %out;
	st.global.v4.u32 [%d1], {{%r6, %r7, %r8, %r12}}; st.global.v4.u32 [%d1+16], {{%r9, %r10, %r11, %t}};"""
    found = run_on(device_name, body, words=512, block=32, grid=2, sm="90", options=clusters(2))
    half = struct.unpack("<I", struct.pack("<f", 2.5))[0]
    rows = [[40 + t, t, 7, half, 99 if t == 1 else 40 + t, 1000, max(7, t), t] for t in range(32)]
    assert found == [x for row in rows * 2 for x in row]


def test_vectors_and_small_types(device_name):
    """Stores of several sizes into the other CTA."""
    body = f"""
	.shared .align 16 .b8 tile[1024];
	mov.u32 %r1, tile; mad.lo.u32 %r2, %t, 32, %r1; mov.u32 %r4, %cluster_ctarank; xor.b32 %r4, %r4, 1;
	mapa.shared::cluster.u32 %r5, %r2, %r4; cvt.u16.u32 %h1, %t; mov.u32 %r6, 77; cvt.u64.u32 %d3, %t; shl.b64 %d3, %d3, 33;
	st.shared.v4.u32 [%r2], {{0, 0, 0, 0}}; st.shared.v4.u32 [%r2+16], {{0, 0, 0, 0}};
	{SYNC}
	st.shared::cluster.v4.u32 [%r5], {{%t, %r6, %r4, %t}};
	st.shared::cluster.u8 [%r5+16], %h1; st.shared::cluster.b16 [%r5+18], %h1;
	st.release.cluster.shared::cluster.u64 [%r5+24], %d3;
	{SYNC}
	ld.shared.v4.u32 {{%r8, %r9, %r10, %r11}}, [%r2]; ld.shared.v4.u32 {{%r12, %r13, %r14, %r15}}, [%r2+16];
	mad.wide.u32 %d1, %w, 32, %out;
	st.global.v4.u32 [%d1], {{%r8, %r9, %r10, %r11}}; st.global.v4.u32 [%d1+16], {{%r12, %r13, %r14, %r15}};"""
    found = run_on(device_name, body, words=512, block=32, grid=2, sm="90", options=clusters(2))
    assert found == [x for rank in range(2) for t in range(32) for x in (t, 77, rank, t, t | t << 16, 0, 0, 2 * t)]


def test_what_addresses_say(device_name):
    """getctarank, isspacep and cvta of an own address and of the other CTA's, in both kinds of address."""
    body = """
	.shared .align 8 .u32 tile[8];
	mov.u32 %r1, %cluster_ctarank; xor.b32 %r2, %r1, 1; mov.u32 %r9, 0;
	mapa.shared::cluster.u32 %r3, tile, %r2; mapa.shared::cluster.u32 %r4, tile, %r1; mov.u32 %r5, tile;
	getctarank.shared::cluster.u32 %r6, %r3; getctarank.shared::cluster.u32 %r7, %r4;
	cvta.shared.u64 %d1, tile; mapa.u64 %d2, %d1, %r2; getctarank.u64 %r8, %d2;
	isspacep.shared::cluster %p1, %d2; isspacep.shared::cta %p2, %d2; isspacep.shared::cta %p3, %d1; isspacep.global %p4, %d2;
	cvt.u64.u32 %d3, %r3; cvta.shared::cluster.u64 %d3, %d3; setp.eq.u64 %p5, %d3, %d2;
	cvta.to.shared::cluster.u64 %d4, %d2; cvt.u32.u64 %r10, %d4; setp.eq.u32 %p6, %r10, %r3;
	setp.eq.u32 %p7, %r4, %r5;
	mad.wide.u32 %d5, %r1, 48, %out;
	st.global.v2.u32 [%d5], {%r6, %r7}; st.global.u32 [%d5+8], %r8;
"""
    body += "".join(f"\tselp.u32 %r11, 1, 0, %p{i}; st.global.u32 [%d5+{8 + 4 * i}], %r11;\n" for i in range(1, 8))
    found = run_on(device_name, body, words=24, block=1, grid=2, sm="90", options=clusters(2))
    assert found == [
        1, 0, 1, 1, 0, 1, 0, 1, 1, 1, 0, 0,
        0, 1, 0, 1, 0, 1, 0, 1, 1, 1, 0, 0,
    ]  # fmt: skip


@pytest.mark.cpu_only
@pytest.mark.parametrize("options", [BASE, FAST], ids=["base", "fast"])
def test_dynamic_shared_memory_in_both_tiers(options):
    """Each CTA fills the dynamic memory of the next one, whose words lie behind static ones."""
    body = f"""
	.shared .u32 fixed[3];
	mov.u32 %r1, %cluster_ctarank; add.u32 %r2, %r1, 1; rem.u32 %r2, %r2, 3; mov.u32 %r3, dynamic;
	mad.lo.u32 %r3, %t, 4, %r3; mapa.shared::cluster.u32 %r4, %r3, %r2;
	{SYNC}
	st.shared::cluster.u32 [%r4], %w;
	{SYNC}
	ld.shared.u32 %r5, [%r3]; st.global.u32 [%o], %r5;"""
    found = run(
        body, words=96, grid=(3, 1, 1), cluster=(3, 1, 1), before=".extern .shared .align 16 .b8 dynamic[];\n",
        shared=128, options=options,
    )  # fmt: skip
    assert found.u32 == [*range(64, 96), *range(64)]


@pytest.mark.cpu_only
@pytest.mark.parametrize("most", [None, 4, 7])
def test_clusters_that_wait_for_each_other(most):
    """Cluster i waits until cluster i + 1 has added to a counter in global memory: all of them become resident, as wholes."""
    body = f"""
	mov.u32 %r1, %clusterid.x; mov.u32 %r2, %nclusterid.x; sub.u32 %r2, %r2, %r1; sub.u32 %r2, %r2, 1;
LOOK:	ld.acquire.gpu.global.u32 %r3, [%out]; setp.lt.u32 %p1, %r3, %r2; @%p1 bra LOOK;
	{SYNC}
	mov.u32 %r4, %cluster_ctarank; setp.eq.u32 %p2, %r4, 1; setp.eq.u32 %p3, %t, 5; and.pred %p2, %p2, %p3;
	@%p2 red.release.gpu.global.add.u32 [%out], 1;"""
    count = 40 if most is None else most // 2
    options = LaunchOptions(tier="base", max_resident=most)
    found = run(body, grid=(2 * count, 1, 1), cluster=(2, 1, 1), options=options)
    assert found.u32[0] == count


@pytest.mark.cpu_only
@pytest.mark.parametrize("most", [1, 2, 3, 1000])
def test_clusters_take_each_others_records(most):
    """More clusters than are resident, whose CTAs end at different times."""
    body = f"""
	.shared .u32 seen[1];
	mov.u32 %r1, %cluster_ctarank; mov.u32 %r5, seen; setp.eq.u32 %p1, %t, 0; @%p1 st.shared.u32 [seen], 0;
	{SYNC}
	mapa.shared::cluster.u32 %r6, %r5, 0; atom.shared::cluster.add.u32 %r7, [%r6], 1;
	{SYNC}
	setp.ne.u32 %p2, %r1, 0; @%p2 exit;
	mov.u32 %r8, 0;
LOOP:	add.u32 %r8, %r8, 1; setp.lt.u32 %p3, %r8, 50; @%p3 bra LOOP;
	ld.shared.u32 %r9, [seen]; st.global.u32 [%o], %r9;"""
    options = LaunchOptions(tier="base", max_resident=most)
    found = run(body, words=32 * 60, grid=(60, 1, 1), cluster=(3, 1, 1), options=options)
    assert found.u32 == [96 if cta % 3 == 0 else 0 for cta in range(60) for _ in range(32)]


REMOTE = f"""
	.shared .align 16 .u32 tile[4];
	mov.u32 %r1, %cluster_ctarank; xor.b32 %r2, %r1, 1; mov.u32 %r3, tile; mapa.shared::cluster.u32 %r4, %r3, %r2;
	mapa.shared::cluster.u32 %r5, %r3, 5; cvta.shared.u64 %d1, tile; mapa.u64 %d2, %d1, %r2; mapa.u64 %d3, %d1, 5;
	setp.eq.u32 %p1, %r1, 1; setp.eq.u32 %p2, %r1, 0;
	{SYNC}
"""


@pytest.mark.cpu_only
@pytest.mark.parametrize(
    "access, kind, said",
    [
        ("@%p1 ld.shared::cluster.u32 %r6, [%r4+16];", "illegal address",
         "ld reads 4 bytes at 0x10 of the shared memory of CTA 0 of the cluster, which has 16 bytes"),
        ("@%p2 st.shared::cluster.v2.u32 [%r4+4], {%t, %t};", "misaligned address",
         "0x4 of the shared memory of CTA 1 of the cluster, which is not a multiple of 8"),
        ("ld.shared::cluster.u32 %r6, [%r5];", "cluster rank", "the shared memory of CTA 5 of the cluster, which has 2 CTAs"),
        ("@%p1 st.shared.u32 [%r4], %t;", "illegal address",
         "0x0 of the shared memory of CTA 0 of the cluster: that of other CTAs is reached as .shared::cluster"),
        ("@%p2 st.shared.u32 [%r4], %t;", "illegal address", "CTA 1 of the cluster: that of other CTAs"),
        ("ld.u32 %r6, [%d3];", "cluster rank", "the shared memory of CTA 5 of the cluster, which has 2 CTAs"),
        ("ld.u32 %r6, [%d2+1012];", "illegal address", "generic"),
        ("mapa.u64 %d4, %out, 1;", "illegal address", "is in the shared memory of no CTA of the cluster"),
        ("@%p1 exit; add.u32 %r6, %r6, 1; bar.sync 0; ld.shared::cluster.u32 %r6, [%r4];", "cluster exited",
         "the shared memory of CTA 1 of the cluster, whose threads have exited: a barrier.cluster"),
        ("@%p1 exit; bar.sync 0; bar.sync 0; atom.add.u32 %r6, [%d2], 1;", "cluster exited", "CTA 1 of the cluster"),
        ("@%p2 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r4];", "mbarrier invalid",
         "no mbarrier at 0x0 of shared memory of CTA 1 of the cluster: none was initialised there before a barrier.cluster"),
        ("@%p2 mbarrier.arrive.release.cluster.b64 _, [%d2];", "mbarrier invalid", "of CTA 1 of the cluster"),
        ("mbarrier.arrive.release.cluster.b64 _, [%out];", "mbarrier invalid", "an mbarrier lies in the CTA's shared memory"),
    ],
)  # fmt: skip
def test_mistakes(access, kind, said):
    with pytest.raises(KernelFault) as caught:
        run(REMOTE + access + "\n" + SYNC, grid=(2, 1, 1), cluster=(2, 1, 1))
    assert caught.value.kind == kind
    assert said in str(caught.value) or said == caught.value.space


@pytest.mark.cpu_only
def test_launches_that_cannot_be():
    with pytest.raises(ValueError, match=r"clusters of \(2, 1, 1\) CTAs do not divide a grid of \(3, 1, 1\)"):
        run("", grid=(3, 1, 1), cluster=(2, 1, 1))
    with pytest.raises(ValueError, match="17 CTAs in a cluster: at most 16"):
        run("", grid=(17, 1, 1), cluster=(17, 1, 1))
