"""racecheck: which accesses of shared memory nothing orders (manual 8, 9.7.13), and which are ordered."""

from __future__ import annotations

import pytest

from tests.ptxgen.cpu.sanitized import watch

WRITTEN = """
	.shared .align 16 .b8 tile[2048];
	mov.u32 %r1, tile; shl.b32 %r2, %t, 2; add.u32 %r3, %r1, %r2;
	xor.b32 %r4, %r2, {apart}; add.u32 %r4, %r4, %r1;
	st.shared.u32 [%r3], %t; // A
	{between}
	ld.shared.u32 %r5, [%r4]; // B
	{after}
	st.global.u32 [%o], %r5;"""
"""Each thread writes its word and reads its neighbour's; `apart` is how far that lies, in bytes."""

NEIGHBOUR, OTHER_WARP = 4, 128


def written(between: str = "", apart: int = OTHER_WARP, after: str = "") -> str:
    return WRITTEN.format(between=between, apart=apart, after=after)


RACES = {
    "no barrier among the lanes of a warp": (written(apart=NEIGHBOUR), {"AB"}),
    "no barrier among warps": (written(), {"AB"}),
    "a barrier of the warp alone, for two warps": (written("bar.warp.sync 0xffffffff;"), {"AB"}),
    "a fence alone": (written("fence.acq_rel.cta;"), {"AB"}),
    "a vote is no barrier for memory": (written("vote.sync.any.pred %p1, %p2, 0xffffffff;", NEIGHBOUR), {"AB"}),
    "a barrier of one warp": (
        """
	.shared .align 16 .b8 tile[2048];
	mov.u32 %r1, tile; shl.b32 %r2, %t, 2; add.u32 %r3, %r1, %r2; xor.b32 %r4, %r3, 128;
	shr.u32 %r6, %t, 5; add.u32 %r6, %r6, 1;
	st.shared.u32 [%r3], %t; // A
	barrier.sync %r6, 32;
	ld.shared.u32 %r5, [%r4]; // B
	st.global.u32 [%o], %r5;""",
        {"AB"},
    ),
    "the buffer is written again before all have read": (
        written("bar.sync 0;", after="add.u32 %r6, %t, 1; st.shared.u32 [%r3], %r6; // C"), {"BC"},
    ),
    "one of several words that lanes share": (
        """
	.shared .align 16 .b8 tile[2048];
	mov.u32 %r1, tile; shr.u32 %r2, %t, 4; mad.lo.u32 %r2, %r2, 64, %r1;
	ld.shared.u32 %r3, [%r2]; ld.shared.u32 %r4, [%r2+4];
	ld.shared.u32 %r5, [%r2+8]; // A
	ld.shared.u32 %r6, [%r2+12]; ld.shared.u32 %r7, [%r2+16];
	add.u32 %r3, %r3, %r4; add.u32 %r3, %r3, %r5; add.u32 %r3, %r3, %r6; add.u32 %r3, %r3, %r7;
	bar.warp.sync 0xffffffff;
	setp.eq.u32 %p1, %t, 40; @%p1 st.shared.u32 [tile+8], %t; // B
	st.global.u32 [%o], %r3;""",
        {"AB"},
    ),
    "two threads write one word": (
        """
	.shared .align 4 .b32 total;
	st.shared.u32 [total], %t; // A
	bar.sync 0; ld.shared.u32 %r5, [total]; st.global.u32 [%o], %r5;""",
        {"AA"},
    ),
    "an atomic sum that is read too soon": (
        """
	.shared .align 4 .b32 total;
	setp.eq.u32 %p1, %t, 0; @%p1 st.shared.u32 [total], 0; bar.sync 0;
	red.shared.add.u32 [total], %t; // A
	ld.shared.u32 %r5, [total]; // B
	st.global.u32 [%o], %r5;""",
        {"AB"},
    ),
    "a counter that is no atomic": (
        """
	.shared .align 4 .b32 total;
	setp.eq.u32 %p1, %t, 0; @%p1 st.shared.u32 [total], 0; bar.sync 0;
	ld.shared.u32 %r5, [total]; // A
	add.u32 %r5, %r5, 1;
	st.shared.u32 [total], %r5; // B
	bar.sync 0; st.global.u32 [%o], %r5;""",
        {"AB"},  # all store the same
    ),
    "bytes of one word": (
        """
	.shared .align 4 .b8 tile[256];
	mov.u32 %r1, tile; add.u32 %r3, %r1, %t; xor.b32 %r4, %r3, 1; cvt.u16.u32 %h1, %t;
	st.shared.u8 [%r3], %h1; // A
	ld.shared.u8 %h2, [%r4]; // B
	cvt.u32.u16 %r5, %h2; st.global.u32 [%o], %r5;""",
        {"AB"},
    ),
    "through a generic address": (
        """
	.shared .align 4 .b8 tile[2048];
	mov.u64 %d1, tile; cvta.shared.u64 %d1, %d1; mul.wide.u32 %d2, %t, 4; add.u64 %d3, %d1, %d2; xor.b64 %d4, %d3, 128;
	st.u32 [%d3], %t; // A
	ld.u32 %r5, [%d4]; // B
	st.global.u32 [%o], %r5;""",
        {"AB"},
    ),
    "a copy that only its own thread waits for": (
        """
	.shared .align 16 .b8 tile[2048];
	mov.u32 %r1, tile; shl.b32 %r2, %t, 2; add.u32 %r3, %r1, %r2; xor.b32 %r4, %r3, 128;
	mul.wide.u32 %d1, %t, 4; add.u64 %d1, %in, %d1;
	cp.async.ca.shared.global [%r3], [%d1], 4; // A
	cp.async.wait_all;
	ld.shared.u32 %r5, [%r4]; // B
	st.global.u32 [%o], %r5;""",
        {"AB"},
    ),
    "an mbarrier that nobody waits for": (
        """
	.shared .align 16 .b8 tile[2048]; .shared .align 8 .b64 full;
	setp.eq.u32 %p1, %t, 0; @%p1 mbarrier.init.shared.b64 [full], 64; bar.sync 0;
	mov.u32 %r1, tile; shl.b32 %r2, %t, 2; add.u32 %r3, %r1, %r2; xor.b32 %r4, %r3, 128;
	st.shared.u32 [%r3], %t; // A
	mbarrier.arrive.shared.b64 %d1, [full];
	ld.shared.u32 %r5, [%r4]; // B
	st.global.u32 [%o], %r5;""",
        {"AB"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("tier", ["base", "fast"])
@pytest.mark.parametrize("name", RACES)
def test_a_race_is_found_with_both_lines(name, tier):
    body, pairs = RACES[name]
    found = watch(body, "racecheck", block=(64, 1, 1), words=64, data=bytes(256), tier=tier)
    assert {"".join(sorted(map(str, ends))) for _, *ends in found.told} == pairs
    for each in found.findings:
        assert each.tool == "racecheck"
        assert each.space == "shared"
        assert each.access.thread != each.earlier.thread


def test_a_report_tells_all_that_is_known():
    found = watch(written(), "racecheck", block=(64, 1, 1), words=64)
    (finding,) = found.findings
    assert (finding.variable, finding.size, finding.kernel) == ("tile", 4, "test")
    assert str(finding).splitlines()[1:] == [
        "  kernel test",
        "  CTA (0, 0, 0), thread (32, 0, 0) writes: st.shared.u32 [%r3], %t;",
        "    test.ptx:20:2  st.shared.u32 [%r3], %t; // A",
        "  CTA (0, 0, 0), thread (0, 0, 0) read: ld.shared.u32 %r5, [%r4];",
        "    test.ptx:22:2  ld.shared.u32 %r5, [%r4]; // B",
        f"  Fix: {finding.hint}",
    ]


MBARRIER = """
	.shared .align 16 .b8 tile[2048]; .shared .align 8 .b64 full;
	setp.eq.u32 %p1, %t, 0; @%p1 mbarrier.init.shared.b64 [full], 64; bar.sync 0;
	mov.u32 %r1, tile; shl.b32 %r2, %t, 2; add.u32 %r3, %r1, %r2; xor.b32 %r4, %r3, 128;
	st.shared.u32 [%r3], %t;
	mbarrier.arrive.shared.b64 %d1, [full];
again:
	mbarrier.try_wait.shared.b64 %p2, [full], %d1; @!%p2 bra again;
	ld.shared.u32 %r5, [%r4]; st.global.u32 [%o], %r5;"""

BULK = """
	.shared .align 16 .b8 tile[2048]; .shared .align 8 .b64 full;
	setp.eq.u32 %p1, %t, 0; @%p1 mbarrier.init.shared.b64 [full], 1; bar.sync 0;
	@!%p1 bra again;
	mbarrier.arrive.expect_tx.shared.b64 _, [full], 256;
	cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [tile], [%in], 256, [full];
again:
	mbarrier.try_wait.parity.shared.b64 %p2, [full], 0; @!%p2 bra again;
	mov.u32 %r1, tile; shl.b32 %r2, %t, 2; add.u32 %r3, %r1, %r2; ld.shared.u32 %r5, [%r3];
	bar.sync 0; st.shared.u32 [%r3], %r5; st.global.u32 [%o], %r5;"""

CORRECT = {
    "a barrier among warps": written("bar.sync 0;"),
    "a barrier with a count": written("bar.sync 1, 64;"),
    "a reduction barrier": written("bar.red.popc.u32 %r6, 0, %p1;"),
    "a barrier of the warp for its lanes": written("bar.warp.sync 0xffffffff;", NEIGHBOUR),
    "two barriers around the use": written("bar.sync 0;", after="bar.sync 0; st.shared.u32 [%r3], %r5;"),
    "an mbarrier": MBARRIER,
    "a bulk copy": BULK,
    "atomics": """
	.shared .align 4 .b32 total;
	setp.eq.u32 %p1, %t, 0; @%p1 st.shared.u32 [total], 0; bar.sync 0;
	red.shared.add.u32 [total], %t; bar.sync 0; ld.shared.u32 %r5, [total]; st.global.u32 [%o], %r5;""",
    "the same value by all": """
	.shared .align 4 .b32 total;
	st.shared.u32 [total], 7; bar.sync 0; ld.shared.u32 %r5, [total]; st.global.u32 [%o], %r5;""",
    "bytes of one word, each thread its own": """
	.shared .align 4 .b8 tile[256];
	mov.u32 %r1, tile; add.u32 %r3, %r1, %t; cvt.u16.u32 %h1, %t;
	st.shared.u8 [%r3], %h1; ld.shared.u8 %h2, [%r3]; cvt.u32.u16 %r5, %h2; st.global.u32 [%o], %r5;""",
    "bytes of masked copies, each thread its own": """
	.shared .align 16 .b8 tile[64];
	mov.u32 %r1, tile; mov.b16 %h1, 0x00ff; setp.eq.u32 %p1, %t, 0; setp.eq.u32 %p2, %t, 32; @%p2 mov.b16 %h1, 0xff00;
	setp.lt.u32 %p3, %t, 16; mad.lo.u32 %r2, %t, 4, %r1; @%p3 st.shared.u32 [%r2], %t;
	fence.proxy.async.shared::cta; bar.sync 0; or.pred %p1, %p1, %p2;
	@%p1 cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%out], [tile], 48, %h1;
	@%p1 cp.async.bulk.commit_group; @%p1 cp.async.bulk.wait_group 0;""",
    "producer and consumer with bar.arrive": """
	.shared .align 16 .b8 tile[2048];
	mov.u32 %r1, tile; and.b32 %r2, %t, 31; shl.b32 %r2, %r2, 2; add.u32 %r3, %r1, %r2;
	setp.lt.u32 %p1, %t, 32; @!%p1 bra consume;
	st.shared.u32 [%r3], %t; bar.arrive 1, 64; bra done;
consume:
	bar.sync 1, 64; ld.shared.u32 %r5, [%r3]; st.global.u32 [%o], %r5;
done:""",
    "a lock": """
	.shared .align 4 .b32 lock; .shared .align 4 .b32 total;
	setp.eq.u32 %p1, %t, 0; @%p1 st.shared.u32 [lock], 0; @%p1 st.shared.u32 [total], 0; bar.sync 0;
spin:
	atom.shared.cas.b32 %r6, [lock], 0, 1; setp.ne.u32 %p2, %r6, 0; @%p2 bra spin;
	fence.acq_rel.cta;
	ld.shared.u32 %r5, [total]; add.u32 %r5, %r5, 1; st.shared.u32 [total], %r5;
	fence.acq_rel.cta; atom.shared.exch.b32 %r6, [lock], 0;
	st.global.u32 [%o], %r5;""",
    "a flag with an order": """
	.shared .align 4 .b32 flag; .shared .align 4 .b32 box;
	setp.eq.u32 %p1, %t, 0; @%p1 st.shared.u32 [flag], 0; bar.sync 0;
	setp.ne.u32 %p2, %t, 40; @%p2 bra reader;
	st.shared.u32 [box], 5; st.release.cta.shared.u32 [flag], 1; bra done;
reader:
	@!%p1 bra done;
wait:
	ld.acquire.cta.shared.u32 %r6, [flag]; setp.eq.u32 %p3, %r6, 0; @%p3 bra wait;
	ld.shared.u32 %r5, [box]; st.global.u32 [%o], %r5;
done:""",
}


@pytest.mark.parametrize("tier", ["base", "fast"])
@pytest.mark.parametrize("name", CORRECT)
def test_what_is_ordered_is_not_told(name, tier):
    assert watch(CORRECT[name], "racecheck", block=(64, 1, 1), words=64, data=bytes(256), tier=tier).findings == ()


CLUSTER = """
	.shared .align 4 .b32 box;
	mov.u32 %r1, %cluster_ctarank; xor.b32 %r2, %r1, 1; mov.u32 %r3, box; mapa.shared::cluster.u32 %r4, %r3, %r2;
	setp.eq.u32 %p1, %t, 0;
	@%p1 st.shared.u32 [box], %w; // A
	{between}
	@%p1 ld.shared::cluster.u32 %r5, [%r4]; // B
	barrier.cluster.arrive; barrier.cluster.wait;
	st.global.u32 [%o], %r5;"""


@pytest.mark.parametrize(
    "between, pairs",
    [
        ("", {"AB"}),
        ("bar.sync 0;", {"AB"}),
        ("barrier.cluster.arrive.relaxed; barrier.cluster.wait;", {"AB"}),
        ("barrier.cluster.arrive; barrier.cluster.wait;", set()),
        ("fence.acq_rel.cluster; barrier.cluster.arrive.relaxed; barrier.cluster.wait;", set()),
    ],
)
def test_shared_memory_of_another_cta_of_the_cluster(between, pairs):
    found = watch(CLUSTER.format(between=between), "racecheck", words=64, grid=(2, 1, 1), cluster=(2, 1, 1))
    assert {"".join(sorted(map(str, ends))) for _, *ends in found.told} == pairs
    for finding in found.findings:
        assert {finding.access.cta, finding.earlier.cta} == {(0, 0, 0), (1, 0, 0)}


HANDED_OVER = """
	.shared .align 4 .b32 box; .shared .align 8 .b64 bar;
	mov.u32 %r1, %cluster_ctarank; setp.eq.u32 %p1, %t, 0; setp.eq.and.u32 %p2, %r1, 0, %p1; setp.eq.and.u32 %p3, %r1, 1, %p1;
	@%p1 mbarrier.init.shared::cta.b64 [bar], 1;
	fence.mbarrier_init.release.cluster; barrier.cluster.arrive; barrier.cluster.wait;
	mov.u32 %r3, box; mapa.shared::cluster.u32 %r4, %r3, 1; mov.u32 %r3, bar; mapa.shared::cluster.u32 %r5, %r3, 1;
	@%p2 st.shared::cluster.u32 [%r4], %w; // A
	{before}
	@%p2 mbarrier.arrive{release}.shared::cluster.b64 _, [%r5];
	@!%p3 bra END;
WAIT:	mbarrier.try_wait.parity{acquire}.shared::cta.b64 %p4, [bar], 0; @!%p4 bra WAIT;
	ld.shared.u32 %r6, [box]; // B
	st.global.u32 [%o], %r6;
END:	barrier.cluster.arrive; barrier.cluster.wait;"""


@pytest.mark.parametrize(
    "release, acquire, before, pairs",
    [
        (".release.cluster", ".acquire.cluster", "", set()),
        ("", "", "", {"AB"}),
        (".release.cta", ".acquire.cluster", "", {"AB"}),
        (".release.cluster", "", "", {"AB"}),
        ("", ".acquire.cluster", "fence.acq_rel.cluster;", set()),  # what orders is not sure
        ("", ".acquire.cluster", "fence.proxy.async;", {"AB"}),
    ],
)
def test_an_arrival_without_a_scope_is_for_its_own_cta(release, acquire, before, pairs):
    """Manual 9.7.13.15.13: the scope is .cta where none stands."""
    body = HANDED_OVER.format(release=release, acquire=acquire, before=before)
    found = watch(body, "racecheck", words=64, grid=(2, 1, 1), cluster=(2, 1, 1))
    assert {"".join(sorted(map(str, ends))) for _, *ends in found.told} == pairs
    assert all(".release.cluster" in finding.hint for finding in found.findings)


COUNTED = """
	.shared .align 4 .b32 box;
	setp.eq.u32 %p1, %t, 0; @%p1 st.shared.u32 [box], 0;
	barrier.cluster.arrive; barrier.cluster.wait;
	mov.u32 %r3, box; mapa.shared::cluster.u32 %r4, %r3, 0;
	red{scope}.shared::cluster.add.u32 [%r4], %t; // A
	barrier.cluster.arrive; barrier.cluster.wait;
	st.global.u32 [%o], %t;"""


@pytest.mark.parametrize("scope, pairs", [("", set()), (".relaxed.cluster", set()), (".relaxed.cta", {"AA"})])
def test_atomics_of_the_scope_of_a_cta_race_with_those_of_another(scope, pairs):
    found = watch(COUNTED.format(scope=scope), "racecheck", words=64, grid=(2, 1, 1), cluster=(2, 1, 1))
    assert {"".join(map(str, ends)) for _, *ends in found.told} == pairs
    alone = watch(COUNTED.format(scope=scope), "racecheck", words=64, grid=(2, 1, 1), cluster=(1, 1, 1))
    assert alone.findings == ()


@pytest.mark.parametrize("wait", ["", ".acquire.cta", ".acquire.cluster"])
def test_a_copy_that_completes_tells_all_who_wait(wait):
    """Manual 9.7.9.25.4.1: complete-tx releases to the cluster, whatever the scope of who waits for their own CTA's object."""
    body = f"""
	.shared .align 16 .b8 box[128]; .shared .align 8 .b64 bar;
	mov.u32 %r1, %cluster_ctarank; setp.eq.u32 %p1, %t, 0; setp.eq.and.u32 %p2, %r1, 0, %p1;
	mov.u32 %r2, box; mov.u32 %r3, bar; mapa.shared::cluster.u32 %r4, %r2, 1; mapa.shared::cluster.u32 %r5, %r3, 1;
	@%p1 mbarrier.init.shared::cta.b64 [bar], 1; @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 128;
	fence.mbarrier_init.release.cluster; barrier.cluster.arrive; barrier.cluster.wait;
	@%p2 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r4], [%in], 128, [%r5];
	setp.eq.u32 %p3, %r1, 0; @%p3 bra END;
WAIT:	mbarrier.try_wait.parity{wait}.shared::cta.b64 %p4, [bar], 0; @!%p4 bra WAIT;
	shl.b32 %r6, %t, 2; add.u32 %r6, %r6, %r2; ld.shared.u32 %r7, [%r6];
	st.global.u32 [%o], %r7;
END:	barrier.cluster.arrive; barrier.cluster.wait;"""
    assert watch(body, "racecheck", words=64, data=bytes(128), grid=(2, 1, 1), cluster=(2, 1, 1)).findings == ()


def test_the_next_cta_begins_anew():
    body = """
	.shared .align 4 .b32 box;
	setp.eq.u32 %p1, %t, %w; mov.u32 %r6, %ctaid.x; setp.eq.u32 %p1, %t, %r6;
	@%p1 st.shared.u32 [box], %t; st.global.u32 [%o], %t;"""
    assert watch(body, "racecheck", words=256, grid=(8, 1, 1)).findings == ()


def test_shared_cta_is_shared_memory():
    body = """.shared .b32 one[1];
	mov.u32 %r1, one; st.shared::cta.u32 [%r1], %t;"""
    assert [each.kind for each in watch(body, "racecheck", block=(64, 1, 1)).findings] == ["write after write"]
