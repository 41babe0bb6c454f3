"""st.async and red.async (manual 9.7.9.12 and 9.7.13.7) in a cluster of one CTA."""

from __future__ import annotations

import pytest

from ptxgen.cpu import KernelFault
from tests.ptxgen.cpu.machine import run
from tests.ptxgen.cpu.on_device import run_on

COMPLETES = "mbarrier::complete_tx::bytes"
READY = """
	.shared .align 16 .b32 tile[256]; .shared .align 8 .b64 bar;
	mov.u32 %r1, tile; mad.lo.u32 %r2, %t, 16, %r1; mapa.shared::cluster.u32 %r2, %r2, 0;
	mov.u32 %r3, bar; mapa.shared::cluster.u32 %r3, %r3, 0; setp.eq.u32 %p9, %t, 0;
	st.shared.v4.u32 [%r2], {5, 5, 5, 5};
	@%p9 mbarrier.init.shared.b64 [bar], 1;
	@%p9 fence.mbarrier_init.release.cluster;
	bar.sync 0;
	add.u32 %r4, %t, 100; cvt.u64.u32 %d1, %r4; shl.b64 %d1, %d1, 20;
"""
ONE_CTA = {"cluster": (1, 1, 1)}
WAIT = """
W: mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0;
	@!%p1 bra W;
"""
OUT = """
	ld.shared.v4.u32 {%r5, %r6, %r7, %r8}, [%r2];
	mad.wide.u32 %d2, %t, 16, %out; st.global.v4.u32 [%d2], {%r5, %r6, %r7, %r8};
"""
EXPECT = "\t@%p9 mbarrier.arrive.expect_tx.shared.b64 _, [bar], {bytes};\n"


@pytest.mark.parametrize(
    "type, value, size, row",
    [
        ("b32", "%r4", 4, lambda t: [t + 100, 5, 5, 5]),
        ("v4.u32", "{%r4, %t, %r4, 9}", 16, lambda t: [t + 100, t, t + 100, 9]),
        ("u64", "%d1", 8, lambda t: [(t + 100) << 20 & 0xFFFFFFFF, (t + 100) >> 12, 5, 5]),
        ("v2.s64", "{%d1, 3}", 16, lambda t: [(t + 100) << 20 & 0xFFFFFFFF, (t + 100) >> 12, 3, 0]),
    ],
)
def test_stores(device_name, type, value, size, row):
    body = (
        READY
        + EXPECT.format(bytes=32 * size)
        + f"""
	st.async.shared::cluster.{COMPLETES}.{type} [%r2], {value}, [%r3];
	{WAIT}{OUT}"""
    )
    assert run_on(device_name, body, words=128, sm="90", version="8.1", options=ONE_CTA) == [
        x for t in range(32) for x in row(t)
    ]


@pytest.mark.parametrize(
    "operation, value, result",
    [
        ("add.u32", "%t", lambda: 5 + sum(range(32))),
        ("min.s32", "%r4", lambda: 5),
        ("max.u32", "%r4", lambda: 131),
        ("xor.b32", "%t", lambda: 5),
        ("or.b32", "%t", lambda: 31),
        ("inc.u32", "100", lambda: 37),
        ("dec.u32", "3", lambda: 0),
    ],
)
def test_reductions(device_name, operation, value, result):
    """All threads into one word."""
    body = (
        READY
        + EXPECT.format(bytes=128)
        + f"""
	red.async.relaxed.cluster.shared::cluster.{COMPLETES}.{operation} [%r1], {value}, [%r3];
	{WAIT}
	ld.shared.u32 %r5, [tile]; st.global.u32 [%o], %r5;"""
    )
    assert run_on(device_name, body, sm="90", version="8.1", options=ONE_CTA) == [result()] * 32


@pytest.mark.cpu_only
def test_they_come_late():
    body = READY + EXPECT.format(bytes=128) + f"\tst.async.shared::cluster.{COMPLETES}.b32 [%r2], %t, [%r3];\n{OUT}"
    assert run(body, words=128, cluster=(1, 1, 1)).u32 == [5] * 128


@pytest.mark.cpu_only
@pytest.mark.parametrize(
    "store, kind",
    [
        ("[%r2+4], {%t, %t}, [%r3]", "misaligned address"),
        ("[%r2+4096], {%t, %t}, [%r3]", "illegal address"),
        ("[%r2], {%t, %t}, [%r2]", "mbarrier invalid"),
    ],
)
def test_mistakes(store, kind):
    with pytest.raises(KernelFault) as caught:
        run(READY + f"\tst.async.shared::cluster.{COMPLETES}.v2.b32 {store};", block=(1, 1, 1), cluster=(1, 1, 1))
    assert caught.value.kind == kind


@pytest.mark.cpu_only
@pytest.mark.parametrize("operation", ["st.async.shared::cluster", "red.async.relaxed.cluster.shared::cluster"])
def test_without_a_cluster(operation):
    """An illegal instruction on an H200 too."""
    add = ".add" if operation.startswith("red") else ""
    with pytest.raises(KernelFault, match=r"launch it with cluster=\(1, 1, 1\)") as caught:
        run(READY + f"\t{operation}.{COMPLETES}{add}.u32 [%r2], %t, [%r3];")
    assert caught.value.kind == "no cluster"
