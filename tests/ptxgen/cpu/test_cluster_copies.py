"""What completes on the mbarriers of other CTAs of a cluster: arrivals, st.async, copies between CTAs, multicast copies."""

from __future__ import annotations

import struct
from itertools import product
from random import Random

import pytest

import driver_ctypes as dc
from ptxgen.cpu import KernelFault, LaunchOptions
from tests.ptxgen.cpu.machine import run
from tests.ptxgen.cpu.on_device import run_on

COMPLETES = "mbarrier::complete_tx::bytes"
SYNC = "\tbarrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;\n"
WORDS = list(range(5000, 5256))
DATA = struct.pack("<256I", *WORDS)

READY = f"""
	.shared .align 128 .b32 tile[256]; .shared .align 8 .b64 bar[2];
	mov.u32 %r1, tile; mov.u32 %r2, bar; mad.lo.u32 %r3, %t, 4, %r1; setp.eq.u32 %p9, %t, 0;
	mov.u32 %r4, %cluster_ctarank; mov.u32 %r5, %cluster_nctarank; add.u32 %r6, %r4, 1; rem.u32 %r6, %r6, %r5;
	mov.u32 %r7, 0;
FILL:	mad.lo.u32 %r8, %r7, 128, %r3; st.shared.u32 [%r8], 3; add.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, 8; @%p1 bra FILL;
	@%p9 mbarrier.init.shared::cta.b64 [bar], 1; @%p9 mbarrier.init.shared::cta.b64 [bar+8], 64;
	fence.mbarrier_init.release.cluster; fence.proxy.async;
	{SYNC}"""
NEXT = """
	mapa.shared::cluster.u32 %r10, %r3, %r6; mapa.shared::cluster.u32 %r11, %r1, %r6; mapa.shared::cluster.u32 %r12, %r2, %r6;
"""
EXPECT = "\t@%p9 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], {};\n"
WAIT = "\nW{0}:	mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p8, [bar+{0}], 0; @!%p8 bra W{0};\n"
OUT = "\tld.shared.u32 %r13, [%r3]; st.global.u32 [%o], %r13;\n" + SYNC
CLUSTER = {2: {"cluster": (2, 1, 1)}, 4: {"cluster": (4, 1, 1)}, 16: {"cluster": (16, 1, 1)}}


@pytest.mark.parametrize("space, place", [(".shared::cluster", "%r12+8"), ("", "%d1+8")])
@pytest.mark.parametrize("how", ["arrive.release.cluster", "arrive_drop.release.cluster"])
def test_arrivals(device_name, space, place, how):
    """Two CTAs arrive at the mbarrier of rank 0, each of 32 threads once; rank 0 waits."""
    body = (
        READY
        + f"""
	st.global.u32 [%o], %t; setp.ne.u32 %p2, %r4, 0;
	mapa.shared::cluster.u32 %r12, %r2, 0; cvta.shared.u64 %d1, bar; mapa.u64 %d1, %d1, 0;
	mbarrier.{how}{space}.b64 _, [{place}];
	@%p2 bra END;
	{WAIT.format(8)}
	add.u32 %r13, %t, 100; st.global.u32 [%o], %r13;
END:	{SYNC}"""
    )
    found = run_on(device_name, body, words=64, grid=2, sm="90", options=CLUSTER[2])
    assert found == [*range(100, 132), *range(32)]


def test_counts_and_bytes_from_afar(device_name):
    """An arrival with a count, expect_tx and complete_tx, at the next CTA's mbarrier."""
    body = (
        READY
        + NEXT
        + f"""
	@%p9 mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [%r12], 64;
	{SYNC}
	@%p9 mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r12], 60;
	@%p9 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r12+8], 64;
	@%p9 mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%r12], 4;
	{WAIT.format(8)}
	mbarrier.test_wait.parity.shared::cta.b64 %p2, [bar], 0; selp.u32 %r13, 1, 0, %p2;
	{SYNC}
	@%p9 mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r12], 8;
	{WAIT.format(0)}
	add.u32 %r13, %r13, 4; st.global.u32 [%o], %r13;
	{SYNC}"""
    )
    assert run_on(device_name, body, words=64, grid=2, sm="90", options=CLUSTER[2]) == [4] * 64


@pytest.mark.parametrize("size", [2, 4, 16])
@pytest.mark.parametrize("form", [".shared::cluster", ""])
def test_stores_into_the_next_cta(device_name, size, form):
    """st.async by every thread, to an address of either kind."""
    at = ("[%r10]", "[%r12]") if form else ("[%d1]", "[%d2]")
    body = (
        READY
        + NEXT
        + f"""
	cvta.shared.u64 %d1, tile; mad.wide.u32 %d1, %t, 4, %d1; mapa.u64 %d1, %d1, %r6;
	cvta.shared.u64 %d2, bar; mapa.u64 %d2, %d2, %r6;
	{EXPECT.format(128)}
	st.async{form}.{COMPLETES}.u32 {at[0]}, %w, {at[1]};
	{WAIT.format(0)}{OUT}"""
    )
    found = run_on(device_name, body, words=32 * size, grid=size, sm="90", version="8.1", options=CLUSTER[size])
    assert found == [(c - 1) % size * 32 + t for c in range(size) for t in range(32)]


def test_reductions_into_the_first_cta(device_name):
    """red.async of four CTAs, 128 threads, into one word."""
    body = (
        READY
        + f"""
	mapa.shared::cluster.u32 %r10, %r1, 0; mapa.shared::cluster.u32 %r11, %r2, 0; setp.ne.u32 %p2, %r4, 0;
	@!%p2 bra FIRST;
	red.async.relaxed.cluster.shared::cluster.{COMPLETES}.add.u32 [%r10], %w, [%r11];
	bra END;
FIRST:
	{EXPECT.format(96 * 4)}
	{WAIT.format(0)}
	ld.shared.u32 %r13, [tile]; st.global.u32 [%o], %r13;
END:	{SYNC}"""
    )
    found = run_on(device_name, body, words=128, grid=4, sm="90", version="8.1", options=CLUSTER[4])
    assert found == [3 + sum(range(32, 128))] * 32 + [0] * 96


@pytest.mark.parametrize("operation", ["copy", "add"])
def test_runs_into_the_next_cta(device_name, operation):
    """cp.async.bulk and cp.reduce.async.bulk from shared memory to that of another CTA."""
    name = "cp.async.bulk" if operation == "copy" else "cp.reduce.async.bulk"
    body = (
        READY
        + NEXT
        + f"""
	st.shared.u32 [%r3+512], %w; fence.proxy.async.shared::cta; bar.sync 0;
	{EXPECT.format(128)}
	add.u32 %r14, %r1, 512;
	@%p9 {name}.shared::cluster.shared::cta.{COMPLETES}{".add.u32" if operation == "add" else ""} [%r11], [%r14], 128, [%r12];
	{WAIT.format(0)}{OUT}"""
    )
    found = run_on(device_name, body, words=128, grid=4, sm="90", options=CLUSTER[4])
    extra = 3 if operation == "add" else 0
    assert found == [(c - 1) % 4 * 32 + t + extra for c in range(4) for t in range(32)]


@pytest.mark.parametrize("mapped", [True, False], ids=["mapa", "plain"])
def test_multicast(device_name, mapped):
    """Each of four CTAs sends a quarter of the tile to all; in kernels that use mapa beside it, and in others."""
    body = (
        READY
        + (NEXT if mapped else "")
        + f"""
	{EXPECT.format(512)}
	mov.u16 %h1, 15; mad.lo.u32 %r14, %r4, 128, %r1; mad.wide.u32 %d1, %r4, 128, %in;
	@%p9 cp.async.bulk.shared::cluster.global.{COMPLETES}.multicast::cluster [%r14], [%d1], 128, [%r2], %h1;
	{WAIT.format(0)}
	mov.u32 %r7, 0;
MORE:	mad.lo.u32 %r8, %r7, 128, %r3; ld.shared.u32 %r13, [%r8]; mad.lo.u32 %r15, %r4, 4, %r7; mad.lo.u32 %r15, %r15, 32, %t;
	mad.wide.u32 %d2, %r15, 4, %out; st.global.u32 [%d2], %r13;
	add.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, 4; @%p1 bra MORE;
	{SYNC}"""
    )
    found = run_on(device_name, body, words=512, grid=4, data=DATA, sm="90", options=CLUSTER[4])
    assert found == WORDS[:128] * 4


@pytest.mark.parametrize("swizzle", ["none", "128B"])
def test_tensor_multicast(device_name, swizzle):
    """A box of 8 rows of 32 words, whose rows lie in another order of chunks with a swizzle: to CTAs 0 and 2 of four."""
    body = (
        READY
        + f"""
	{EXPECT.format(1024)}
	mov.u16 %h1, 5; setp.eq.u32 %p2, %r4, 3; and.pred %p2, %p2, %p9; mov.b64 %d3, m0; cvta.param.u64 %d3, %d3;
	and.b32 %r14, %r4, 1;
	@%p2 cp.async.bulk.tensor.2d.shared::cluster.global.tile.{COMPLETES}.multicast::cluster [%r1], [%d3, {{0, 0}}], [%r2], %h1;
	setp.eq.u32 %p3, %r14, 1; @%p3 bra SHOW;
	{WAIT.format(0)}
SHOW:	mov.u32 %r7, 0;
MORE:	mad.lo.u32 %r8, %r7, 128, %r3; ld.shared.u32 %r13, [%r8]; mad.lo.u32 %r15, %r4, 8, %r7; mad.lo.u32 %r15, %r15, 32, %t;
	mad.wide.u32 %d2, %r15, 4, %out; st.global.u32 [%d2], %r13;
	add.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, 8; @%p1 bra MORE;
	{SYNC}"""
    )
    found = run_on(
        device_name, body, words=1024, grid=4, data=DATA, sm="90", options=CLUSTER[4], count=1,
        maps=lambda given: [dc.tensor_map(given, "u32", shape=(32, 8), box=(32, 8), swizzle=swizzle)],
    )  # fmt: skip
    chunks = [WORDS[i : i + 4] for i in range(0, 256, 4)]
    order = [row * 8 + (chunk ^ row if swizzle != "none" else chunk) for row in range(8) for chunk in range(8)]
    came = [x for i in order for x in chunks[i]]
    assert found == came + [3] * 256 + came + [3] * 256


@pytest.mark.cpu_only
@pytest.mark.parametrize("multicast", [False, True])
def test_tensor_copies_that_one_cta_of_a_pair_counts(multicast):
    """Four CTAs, each with two rows of its own that the even CTA of its pair waits for; or CTA 1 sends two rows to all, and the
    odd ones count what comes to their pair."""
    copy = f"cp.async.bulk.tensor.2d.shared::cluster.global.tile.{COMPLETES}"
    if multicast:
        ask = "setp.eq.u32 %p2, %r4, 1; and.pred %p2, %p2, %p9; mov.u32 %r14, 0; mov.u16 %h1, 15;\n"
        ask += f"@%p2 {copy}.multicast::cluster.cta_group::2 [%r1], [%d3, {{0, %r14}}], [%r2], %h1;"
    else:
        ask = "shl.b32 %r14, %r4, 1; and.b32 %r2, %r2, 0xFEFFFFFF;\n"
        ask += f"@%p9 {copy}.cta_group::2 [%r1], [%d3, {{0, %r14}}], [%r2];"
    body = (
        READY
        + f"""
	mov.b64 %d3, m0; cvta.param.u64 %d3, %d3; and.b32 %r15, %r4, 1; setp.eq.u32 %p3, %r15, {int(multicast)};
	@%p3 bra COUNTS;
	bra ASK;
COUNTS:	{EXPECT.format(512)}
ASK:	{ask}
	@!%p3 bra MET;
	{WAIT.format(0)}
MET:	{SYNC}
	ld.shared.u32 %r13, [%r3]; mad.lo.u32 %r15, %r4, 64, %t; mad.wide.u32 %d2, %r15, 4, %out; st.global.u32 [%d2], %r13;
	ld.shared.u32 %r13, [%r3+128]; st.global.u32 [%d2+128], %r13;
	{SYNC}"""
    )
    found = run_on(
        "cpu:sm_100a", body, words=256, grid=4, data=DATA, sm="100a", version="8.6", options=CLUSTER[4], count=1,
        maps=lambda given: [dc.tensor_map(given, "u32", shape=(32, 8), box=(32, 2))],
    )  # fmt: skip
    assert found == (WORDS[:64] * 4 if multicast else WORDS)


LATE = {"late": LaunchOptions(tier="base"), "early": LaunchOptions(tier="base", copies="early")}


@pytest.mark.cpu_only
@pytest.mark.parametrize("copies", LATE)
def test_a_multicast_that_one_cta_waits_for(copies):
    """The other reads without a wait, and as late as may be finds what was there."""
    body = (
        READY
        + f"""
	{EXPECT.format(128)}
	mov.u16 %h1, 3; setp.eq.u32 %p2, %r4, 0; and.pred %p3, %p2, %p9;
	@%p3 cp.async.bulk.shared::cluster.global.{COMPLETES}.multicast::cluster [%r1], [%in], 128, [%r2], %h1;
	{SYNC}
	@!%p2 bra SHOW;
	{WAIT.format(0)}
SHOW:	{OUT.replace(SYNC, "")}
	{WAIT.format(0).replace("W0", "V0")}{SYNC}"""
    )
    found = run(body, words=64, grid=(2, 1, 1), cluster=(2, 1, 1), data=DATA, options=LATE[copies]).u32
    assert found == WORDS[:32] + (WORDS[:32] if copies == "early" else [3] * 32)


@pytest.mark.cpu_only
@pytest.mark.parametrize("copies", LATE)
def test_stores_are_late_too(copies):
    """Whoever reads before the wait finds what was there."""
    store = f"\tst.async.shared::cluster.{COMPLETES}.u32 [%r10], %t, [%r12];\n"
    body = READY + NEXT + EXPECT.format(128) + store + SYNC + OUT + WAIT.format(0) + SYNC
    found = run(body, words=64, grid=(2, 1, 1), cluster=(2, 1, 1), options=LATE[copies]).u32
    assert found == ([*range(32)] * 2 if copies == "early" else [3] * 64)


MULTICAST = f"cp.async.bulk.shared::cluster.global.{COMPLETES}.multicast::cluster"


@pytest.mark.cpu_only
@pytest.mark.parametrize(
    "copy, kind, said",
    [
        (f"mov.u16 %h1, 6; @%p2 {MULTICAST} [%r1], [%in], 64, [%r2], %h1;", "cluster rank",
         "the shared memory of CTA 2 of the cluster, which has 2 CTAs"),
        (f"mov.u16 %h1, 3; @%p2 {MULTICAST} [%r1+1024], [%in], 64, [%r2], %h1;", "illegal address",
         "at 0x400 of the shared memory of CTA 0 of the cluster, which has 1040 bytes"),
        (f"mov.u16 %h1, 2; @%p2 {MULTICAST} [%r1], [%in], 64, [%r1], %h1;", "mbarrier invalid",
         "no mbarrier at 0x0 of shared memory of CTA 1 of the cluster"),
        (f"@%p2 st.async.shared::cluster.{COMPLETES}.u32 [%r10], %t, [%r2];", "cluster rank",
         "a copy into CTA 1 of the cluster that completes on an mbarrier of CTA 0: both lie in the same CTA's"),
        (f"@%p2 st.async.{COMPLETES}.u32 [%out], %t, [%out];", "illegal address", "generic"),
        (f"@%p2 st.async.shared::cluster.{COMPLETES}.v2.u32 [%r10+4], {{%t, %t}}, [%r12];", "misaligned address",
         "0x4 of the shared memory of CTA 1 of the cluster"),
        ("setp.ne.u32 %p3, %r4, 0; @%p3 exit; bar.sync 0; bar.sync 0; "
         f"st.async.shared::cluster.{COMPLETES}.u32 [%r10], %t, [%r12];",
         "cluster exited", "the shared memory of CTA 1 of the cluster, whose threads have exited"),
        (f"setp.ne.u32 %p3, %r4, 0; @%p3 bra L; st.async.shared::cluster.{COMPLETES}.u32 [%r10], %t, [%r12];\nL:\n{SYNC}\n"
         "@%p3 exit; mov.u32 %r15, 0;\nR: add.u32 %r15, %r15, 1; setp.lt.u32 %p4, %r15, 99; @%p4 bra R;",
         "cluster exited", "the shared memory of CTA 1 of the cluster, whose threads have exited"),
        ("@%p2 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r12], 2;", "mbarrier overfull", "1 that are pending"),
        ("@!%p2 mbarrier.try_wait.parity.b64 %p3, [%d1], 0;", "mbarrier invalid",
         "0x400 of shared memory of CTA 0 of the cluster, and mbarrier.try_wait takes those of the CTA's own"),
    ],
)  # fmt: skip
def test_mistakes(copy, kind, said):
    here = "\tcvta.shared.u64 %d1, bar; mapa.u64 %d1, %d1, %r6; setp.eq.u32 %p2, %r4, 0;\n"
    with pytest.raises(KernelFault) as caught:
        run(READY + NEXT + here + copy + SYNC, grid=(2, 1, 1), cluster=(2, 1, 1), data=DATA)
    assert caught.value.kind == kind
    assert said in str(caught.value) or said == caught.value.space


@pytest.mark.cpu_only
@pytest.mark.parametrize("seed", range(8))
def test_random_traffic(seed):
    """Each thread adds to a random word of a random CTA, at once and by red.async, and sends its number to a word of its own in
    another CTA; for shapes of clusters, sizes of blocks and schedules as they come."""
    random = Random(seed)
    cluster = random.choice([(2, 1, 1), (1, 3, 1), (2, 2, 2), (4, 1, 2), (1, 1, 5), (16, 1, 1)])
    grid = tuple(extent * random.randint(1, 2) for extent in cluster)
    block, size, ctas = (
        random.choice([1, 32, 40, 96]),
        cluster[0] * cluster[1] * cluster[2],
        grid[0] * grid[1] * grid[2],
    )
    shift = random.randrange(size)
    options = LaunchOptions(
        tier=random.choice(["base", "fast"]), budget=random.choice([1, 3, 64]), copies=random.choice(["late", "early"]),
        max_resident=random.choice([None, 1, 2 * size]),
    )  # fmt: skip
    body = f"""
	.shared .align 8 .b64 bar; .shared .u32 sums[8]; .shared .u32 sent[96];
	mov.u32 %r1, %ctaid.z; mov.u32 %r2, %nctaid.y; mov.u32 %r3, %ctaid.y; mad.lo.u32 %r1, %r1, %r2, %r3;
	mov.u32 %r2, %nctaid.x; mov.u32 %r3, %ctaid.x; mad.lo.u32 %r1, %r1, %r2, %r3; mad.lo.u32 %w, %r1, {block}, %t;
	mad.wide.u32 %d1, %w, 16, %in; ld.global.v4.u32 {{%r4, %r5, %r6, %r7}}, [%d1]; mov.u32 %r8, sums; mov.u32 %r9, bar;
	setp.eq.u32 %p1, %t, 0; @!%p1 bra READY;
	mbarrier.init.shared.b64 [bar], 1; st.shared.u32 [sums], 0; st.shared.u32 [sums+4], 0; st.shared.u32 [sums+8], 0;
	st.shared.u32 [sums+12], 0; st.shared.u32 [sums+16], 0; st.shared.u32 [sums+20], 0; st.shared.u32 [sums+24], 0;
	st.shared.u32 [sums+28], 0; mbarrier.arrive.expect_tx.shared.b64 _, [bar], {8 * block};
READY:	{SYNC}
	mad.lo.u32 %r10, %r5, 4, %r8; mapa.shared::cluster.u32 %r11, %r10, %r4; red.shared::cluster.add.u32 [%r11], %r7;
	mov.u32 %r12, %cluster_ctarank; add.u32 %r12, %r12, {shift}; rem.u32 %r12, %r12, {size};
	mad.lo.u32 %r13, %r6, 4, %r8; mapa.shared::cluster.u32 %r13, %r13, %r12; mapa.shared::cluster.u32 %r14, %r9, %r12;
	red.async.relaxed.cluster.shared::cluster.{COMPLETES}.add.u32 [%r13], %r7, [%r14];
	mov.u32 %r15, sent; mad.lo.u32 %r15, %t, 4, %r15; mapa.shared::cluster.u32 %r16, %r15, %r12;
	st.async.shared::cluster.{COMPLETES}.u32 [%r16], %w, [%r14];
W:	mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p2, [bar], 0; @!%p2 bra W;
	{SYNC}
	ld.shared.u32 %r17, [%r15]; and.b32 %r18, %t, 7; mad.lo.u32 %r18, %r18, 4, %r8; ld.shared.u32 %r19, [%r18];
	mad.wide.u32 %d2, %w, 8, %out; st.global.v2.u32 [%d2], {{%r17, %r19}};"""
    rows = [
        [random.randrange(size), random.randrange(8), random.randrange(8), random.randrange(99)]
        for _ in range(ctas * block)
    ]
    data = struct.pack(f"<{4 * len(rows)}I", *(x for row in rows for x in row))
    found = run(
        body, words=2 * len(rows), block=(block, 1, 1), grid=grid, cluster=cluster, data=data, options=options
    ).u32

    def at(x: int, y: int, z: int) -> int:
        return (z * grid[1] + y) * grid[0] + x

    members: dict[int, list[int]] = {}  # of the cluster that a CTA belongs to, by rank
    ranks: dict[int, int] = {}
    for z, y, x in product(*(range(extent) for extent in reversed(grid))):
        first = [i // extent * extent for i, extent in zip((x, y, z), cluster)]
        inner = product(*(range(extent) for extent in reversed(cluster)))
        members[at(x, y, z)] = [at(first[0] + i, first[1] + j, first[2] + k) for k, j, i in inner]
        ranks[at(x, y, z)] = members[at(x, y, z)].index(at(x, y, z))
    sums, sent = {cta: [0] * 8 for cta in members}, {cta: [0] * block for cta in members}
    for number, (rank, slot, other, value) in enumerate(rows):
        cta, thread = divmod(number, block)
        target = members[cta][(ranks[cta] + shift) % size]
        sums[members[cta][rank]][slot] += value
        sums[target][other] += value
        sent[target][thread] = number
    assert found == [x for cta in range(ctas) for t in range(block) for x in (sent[cta][t], sums[cta][t & 7])]
