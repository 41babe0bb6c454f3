"""cp.async.bulk, its completion on mbarriers and in groups (manual 9.7.9.25.4), and a cluster of one CTA."""

from __future__ import annotations

import struct

import pytest

from ptxgen.cpu import KernelFault
from tests.ptxgen.cpu.machine import BASE, FAST, run
from tests.ptxgen.cpu.on_device import run_on

WORDS = list(range(7000, 7256))
DATA = struct.pack("<256I", *WORDS)
COMPLETES = "mbarrier::complete_tx::bytes"

READY = """
	.shared .align 128 .b32 tile[256];
	.shared .align 8 .b64 bar[2];
	mov.u32 %r1, tile; mad.lo.u32 %r2, %t, 4, %r1;
	setp.eq.u32 %p9, %t, 0;
	mov.u32 %r9, 7; st.shared.u32 [%r2], %r9;
	@%p9 mbarrier.init.shared::cta.b64 [bar], 1;
	@%p9 mbarrier.init.shared::cta.b64 [bar+8], 1;
	fence.mbarrier_init.release.cluster; fence.proxy.async;
	bar.sync 0;
"""
WAIT = """
WAIT{i}: mbarrier.try_wait.parity.shared::cta.b64 %p8, [bar+{at}], {parity};
	@!%p8 bra WAIT{i};
"""
READ = "\tld.shared.u32 %r3, [%r2]; st.global.u32 [%o], %r3;\n"


def waits(parity: int = 0, *, i: int = 0, at: int = 0) -> str:
    return WAIT.format(i=i, at=at, parity=parity)


@pytest.mark.parametrize("space, version", [("shared::cluster", "8.0"), ("shared::cta", "8.6")])
def test_a_tile_comes(device_name, space, version):
    body = (
        READY
        + f"""
	@%p9 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 1024;
	@%p9 cp.async.bulk.{space}.global.{COMPLETES} [%r1], [%in], 1024, [bar];
	{waits()}{READ}"""
    )
    assert run_on(device_name, body, words=256, block=256, data=DATA, sm="90", version=version) == WORDS


@pytest.mark.cpu_only
@pytest.mark.parametrize("options", [BASE, FAST], ids=["base", "fast"])
def test_both_tiers(options):
    body = (
        READY
        + f"""
	@%p9 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 128;
	@%p9 cp.async.bulk.shared::cta.global.{COMPLETES} [%r1], [%in], 128, [bar];
	{waits()}{READ}"""
    )
    assert run(body, data=DATA, options=options).u32 == WORDS[:32]


@pytest.mark.parametrize("first", ["expect", "copy"])
def test_several_copies_and_registers_for_sizes(device_name, first):
    """Three copies of one phase: 64, 192 and no bytes; expecting them first or later."""
    expect = "\t@%p9 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 256;"
    copies = f"""
	mov.u32 %r4, 64; mov.u32 %r5, 192; mov.u32 %r6, 0; add.u32 %r7, %r1, 64; add.u64 %d1, %in, 64;
	@%p9 cp.async.bulk.shared::cluster.global.{COMPLETES} [%r1], [%d1], %r4, [bar];
	@%p9 cp.async.bulk.shared::cluster.global.{COMPLETES} [%r7], [%d1+64], %r5, [bar];
	@%p9 cp.async.bulk.shared::cluster.global.{COMPLETES} [%r7], [%d1], %r6, [bar];"""
    body = READY + (expect + copies if first == "expect" else copies + "\n" + expect) + waits() + READ
    assert run_on(device_name, body, words=64, block=64, data=DATA, sm="90") == WORDS[16:80]


def test_a_ring_of_two_stages(device_name):
    """Six tiles of 128 bytes through two stages; the phases of each flip."""
    body = (
        READY
        + f"""
	mov.u32 %r3, 0; mov.u32 %r4, 0; mov.u64 %d1, %in;
	@!%p9 bra NEXT;
	mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 128;
	cp.async.bulk.shared::cluster.global.{COMPLETES} [%r1], [%d1], 128, [bar];
	mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar+8], 128;
	cp.async.bulk.shared::cluster.global.{COMPLETES} [%r1+128], [%d1+128], 128, [bar+8];
NEXT:
	and.b32 %r5, %r3, 1; shr.u32 %r6, %r3, 1; and.b32 %r6, %r6, 1;
	mov.u32 %r7, bar; mad.lo.u32 %r7, %r5, 8, %r7;
WAIT:
	mbarrier.try_wait.parity.shared::cta.b64 %p8, [%r7], %r6; @!%p8 bra WAIT;
	mad.lo.u32 %r8, %r5, 128, %r2; ld.shared.u32 %r9, [%r8]; mad.lo.u32 %r4, %r4, 3, %r9;
	bar.sync 0;
	setp.lt.u32 %p1, %r3, 4; and.pred %p1, %p1, %p9;
	add.u32 %r3, %r3, 1; add.u32 %r10, %r3, 1; mul.wide.u32 %d2, %r10, 128; add.u64 %d2, %d2, %in;
	mad.lo.u32 %r8, %r5, 128, %r1;
	@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r7], 128;
	@%p1 cp.async.bulk.shared::cluster.global.{COMPLETES} [%r8], [%d2], 128, [%r7];
	setp.lt.u32 %p1, %r3, 6; @%p1 bra NEXT;
	st.global.u32 [%o], %r4;"""
    )
    sums = [0] * 32
    for tile in range(6):
        sums = [(3 * s + WORDS[32 * tile + t]) & 0xFFFFFFFF for t, s in enumerate(sums)]
    assert run_on(device_name, body, data=DATA, sm="90") == sums


@pytest.mark.parametrize("wait", ["wait_group 0", "wait_group.read 0"])
def test_a_tile_goes(device_name, wait):
    body = (
        READY
        + f"""
	add.u32 %r3, %t, 100; st.shared.u32 [%r2], %r3;
	fence.proxy.async.shared::cta;
	bar.sync 0;
	@%p9 cp.async.bulk.global.shared::cta.bulk_group [%out], [%r1], 128;
	@%p9 cp.async.bulk.global.shared::cta.bulk_group [%out+128], [tile+128], 112;
	@%p9 cp.async.bulk.commit_group;
	@%p9 cp.async.bulk.{wait};"""
    )
    expected = [*range(100, 160), 0, 0, 0, 0]
    assert run_on(device_name, body, words=64, block=64, sm="90") == expected


@pytest.mark.cpu_only
@pytest.mark.parametrize("mask", [0xFFFF, 0x00F0, 0x8001, 0])
def test_bytes_of_a_mask_go(mask):
    """As the manual says (9.7.9.25.4.1); no device of sm_100 was at hand."""
    body = (
        READY
        + f"""
	fence.proxy.async.shared::cta;
	bar.sync 0;
	mov.b16 %h1, {mask};
	@%p9 cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%out], [%r1], 48, %h1;
	@%p9 cp.async.bulk.commit_group;
	@%p9 cp.async.bulk.wait_group 0;"""
    )
    sent = struct.pack("<16I", *[7] * 12, *[0] * 4)
    expected = bytes(byte if mask >> i % 16 & 1 else 0 for i, byte in enumerate(sent))
    assert run(body, words=16, block=(64, 1, 1)).data == expected


@pytest.mark.cpu_only
@pytest.mark.parametrize("space, address", [(".shared::cta", "%r1"), (".weak", "%d1")])
def test_zeros_are_stored(space, address):
    body = (
        READY
        + f"""
	cvta.shared.u64 %d1, tile; mov.u64 %d2, 24;
	bar.sync 0;
	@%p9 st.bulk{space} [{address}+8], %d2, 0;
	bar.sync 0;{READ}"""
    )
    assert run(body, block=(32, 1, 1)).u32 == [7] * 2 + [0] * 6 + [7] * 24


@pytest.mark.parametrize("how", [{"options": {"cluster": (1, 1, 1)}}, {"directives": ".reqnctapercluster 1"}])
def test_from_shared_to_shared_memory(device_name, how):
    """In a cluster, be it of one CTA, that the launch or the program asks for."""
    body = (
        READY
        + f"""
	st.shared.u32 [%r2], %t;
	fence.proxy.async.shared::cta;
	bar.sync 0;
	mapa.shared::cluster.u32 %r4, %r1, 0; mov.u32 %r5, bar; mapa.shared::cluster.u32 %r5, %r5, 0;
	@%p9 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 128;
	@%p9 cp.async.bulk.shared::cluster.shared::cta.{COMPLETES} [%r4+512], [%r1], 128, [%r5];
	{waits()}
	ld.shared.u32 %r3, [%r2+512]; st.global.u32 [%o], %r3;"""
    )
    assert run_on(device_name, body, sm="90", **how) == list(range(32))


def test_multicast_and_hints_in_a_cluster_of_one(device_name):
    body = (
        READY
        + f"""
	createpolicy.fractional.L2::evict_first.b64 %d1, 1.0; mov.u16 %h1, 1;
	cp.async.bulk.prefetch.L2.global.L2::cache_hint [%in], 256, %d1;
	@%p9 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 128;
	@%p9 cp.async.bulk.shared::cluster.global.{COMPLETES}.multicast::cluster.L2::cache_hint [%r1], [%in], 128, [bar], %h1, %d1;
	{waits()}{READ}"""
    )
    assert run_on(device_name, body, data=DATA, sm="90") == WORDS[:32]


def test_own_addresses_in_the_cluster(device_name):
    """mapa of the own rank, loads, stores and atomics through it, and the rank of an address."""
    body = (
        READY
        + """
	mov.u32 %r4, %cluster_ctarank; mapa.shared::cluster.u32 %r5, %r2, %r4;
	mov.u64 %d1, tile; cvta.shared.u64 %d1, %d1; mad.wide.u32 %d1, %t, 4, %d1; mapa.u64 %d2, %d1, %r4;
	st.shared::cluster.u32 [%r5], %t;
	ld.u32 %r6, [%d2]; add.u32 %r6, %r6, 1; st.u32 [%d2], %r6;
	atom.relaxed.cluster.shared::cluster.add.u32 %r7, [%r5], 10;
	getctarank.shared::cluster.u32 %r8, %r5; getctarank.u64 %r9, %d2; add.u32 %r8, %r8, %r9;
	ld.shared::cluster.u32 %r6, [%r5]; mad.lo.u32 %r6, %r8, 1000, %r6; st.global.u32 [%o], %r6;"""
    )
    assert run_on(device_name, body, sm="90") == [t + 11 for t in range(32)]


# -- what a GPU may do either way ----------------------------------------------------------------------------------------


@pytest.mark.cpu_only
@pytest.mark.parametrize(
    "wait",
    ["", "mbarrier.try_wait.parity.shared::cta.b64 %p8, [bar], 0;", waits(1), waits(1, at=8)],
    ids=["none", "no loop", "the phase before", "another one"],
)
def test_who_does_not_wait_reads_what_was_there(wait):
    body = (
        READY
        + f"""
	@%p9 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 128;
	@%p9 cp.async.bulk.shared::cta.global.{COMPLETES} [%r1], [%in], 128, [bar];
	{wait}{READ}"""
    )
    assert run(body, data=DATA).u32 == [7] * 32


@pytest.mark.cpu_only
def test_a_phase_that_expects_too_little_ends_before_its_copies():
    """Two copies, the bytes of one expected."""
    body = (
        READY
        + f"""
	@%p9 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 64;
	@%p9 cp.async.bulk.shared::cta.global.{COMPLETES} [%r1], [%in], 64, [bar];
	@%p9 cp.async.bulk.shared::cta.global.{COMPLETES} [%r1+64], [%in+64], 64, [bar];
	{waits()}{READ}"""
    )
    assert run(body, data=DATA).u32 == WORDS[:16] + [7] * 16


@pytest.mark.cpu_only
@pytest.mark.parametrize("wait, sees", [("wait_group.read 0", 7), ("wait_group.read 1", 5)])
def test_a_source_is_read_late(wait, sees):
    """Who writes the source again before its group is waited for copies what was written."""
    body = (
        READY
        + f"""
	fence.proxy.async.shared::cta;
	bar.sync 0;
	@%p9 cp.async.bulk.global.shared::cta.bulk_group [%out], [%r1], 128;
	@%p9 cp.async.bulk.commit_group;
	@%p9 cp.async.bulk.{wait};
	bar.sync 0;
	mov.u32 %r3, 5; st.shared.u32 [%r2], %r3;"""
    )
    assert run(body).u32 == [sees] * 32


@pytest.mark.cpu_only
def test_more_copies_than_the_ring_holds():
    """200 copies of 16 bytes in one phase, by one thread."""
    body = (
        READY
        + f"""
	@!%p9 bra MEET;
	mov.u32 %r3, 0; mov.u64 %d1, %in; mov.u32 %r4, %r1;
	mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 3200;
NEXT:
	cp.async.bulk.shared::cta.global.{COMPLETES} [%r4], [%d1], 16, [bar];
	add.u32 %r3, %r3, 1; and.b32 %r5, %r3, 63; mad.lo.u32 %r4, %r5, 16, %r1; mad.wide.u32 %d1, %r5, 16, %in;
	setp.lt.u32 %p1, %r3, 200; @%p1 bra NEXT;
MEET:{waits()}{READ}"""
    )
    assert run(body, words=256, block=(256, 1, 1), data=DATA).u32 == WORDS


@pytest.mark.cpu_only
def test_a_thread_may_leave_with_copies_under_way():
    """Warp 1 issues and exits; in CTAs that follow the ring is empty again."""
    body = (
        READY
        + f"""
	setp.lt.u32 %p1, %t, 32; @%p1 bra WAIT0;
	setp.ne.u32 %p1, %t, 33; @%p1 exit;
	mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 128;
	cp.async.bulk.shared::cta.global.{COMPLETES} [%r1], [%in], 128, [bar];
	exit;
	{waits()}{READ}"""
    )
    assert run(body, words=192, block=(64, 1, 1), grid=(3, 1, 1), data=DATA).u32 == (WORDS[:32] + [0] * 32) * 3


# -- mistakes ------------------------------------------------------------------------------------------------------------

LOAD, STORE = f"cp.async.bulk.shared::cluster.global.{COMPLETES}", "cp.async.bulk.global.shared::cta.bulk_group"
INSIDE = f"cp.async.bulk.shared::cluster.shared::cta.{COMPLETES}"


@pytest.mark.cpu_only
@pytest.mark.parametrize(
    "copy, kind, space, said",
    [
        (f"{LOAD} [%r1+8], [%in], 64, [bar];", "misaligned address", "shared", "0x8, which is not a multiple of 16"),
        (f"{LOAD} [%r1], [%in+8], 64, [bar];", "misaligned address", "global", "not a multiple of 16"),
        (f"{LOAD} [%r1], [%in], %r9, [bar];", "copy size", "", "24 bytes: bulk copies are of multiples of 16"),
        (f"{LOAD} [%r1], [%in+512], 528, [bar];", "illegal address", "global", "cp.async reads 528 bytes at 0x"),
        (f"{LOAD} [%r1+512], [%in], 544, [bar];", "illegal address", "shared", "0x200 of .shared memory, which has 1040 bytes"),
        (f"{LOAD} [%r1], [%d9], 64, [bar];", "illegal address", "global", "at 0x0"),
        (f"{LOAD} [%r1], [%in], 64, [bar+4];", "misaligned address", "shared", "cp.async writes 8 bytes at 0x404"),
        (f"{LOAD} [%r1], [%in], 64, [tile+16];", "mbarrier invalid", "", "no mbarrier at 0x10"),
        (f"{STORE} [%in+1016], [%r1], 16;", "misaligned address", "global", "cp.async writes"),
        (f"{STORE} [%in+1024], [%r1], 16;", "illegal address", "global", "writes 16 bytes"),
        (f"{STORE} [%in], [%r1+1040], 16;", "illegal address", "shared", "reads 16 bytes at 0x410"),
        (f"{LOAD}.multicast::cluster [%r1], [%in], 64, [bar], 3;", "cluster rank", "", "CTA 1 of the cluster, which has 1 CTA\n"),
        (f"{INSIDE} [%r1+512], [%r1], 64, [bar];", "no cluster", "", "or declare .reqnctapercluster 1"),
        (f"{INSIDE} [%r1+512], [%r1], 0, [bar];", "no cluster", "", "launched without one"),
        ("st.bulk.shared::cta [%r1], %r10, 0;", "copy size", "", "12 bytes: bulk stores are of multiples of 8"),
        ("st.bulk [%in], 64, 0;", "illegal address", "shared", "st writes 64 bytes"),
        ("st.bulk.shared::cta [%r1+1032], 16, 0;", "illegal address", "shared", "st writes 16 bytes at 0x408"),
        ("cp.async.bulk.prefetch.L2.global [%in+8], 64;", "misaligned address", "global", "not a multiple of 16"),
        ("mapa.shared::cluster.u32 %r3, %r1, 1; ld.shared::cluster.u32 %r4, [%r3];", "cluster rank", "", "memory of CTA 1"),
    ],
)  # fmt: skip
def test_mistakes(copy, kind, space, said):
    body = READY + f"\tmov.u32 %r9, 24; mov.u32 %r10, 12; mov.u64 %d9, 0;\n\t{copy}"
    with pytest.raises(KernelFault) as caught:
        run(body, block=(1, 1, 1), data=DATA)
    error = caught.value
    assert (error.kind, error.space) == (kind, space)
    assert said in str(error)
    assert "test.ptx:" in str(error)


@pytest.mark.cpu_only
def test_bytes_that_never_come():
    body = (
        READY
        + f"""
	@%p9 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 1024;
	@%p9 {LOAD} [%r1], [%in], 512, [bar];
	{waits()}{READ}"""
    )
    with pytest.raises(KernelFault) as caught:
        run(body, data=DATA)
    assert caught.value.kind == "deadlock"
    assert "the mbarrier at 0x400 of shared memory has 0 arrivals pending, tx-count 512" in str(caught.value)
