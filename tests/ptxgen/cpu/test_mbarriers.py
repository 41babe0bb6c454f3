"""mbarriers (manual 9.7.13.15): phases, counts and states, and waits that cannot end."""

from __future__ import annotations

import struct

import pytest

from ptxgen.cpu import KernelFault
from tests.ptxgen.cpu.machine import BASE, FAST, run
from tests.ptxgen.cpu.on_device import run_on

INIT = """
	.shared .align 8 .b64 bar[4];
	.shared .align 16 .b32 tile[256];
	mov.u32 %r1, bar; setp.eq.u32 %p9, %t, 0;
	@%p9 mbarrier.init.shared.b64 [bar], {count};
	bar.sync 0;
"""
STORE = "\tst.global.u32 [%o], %r2;"


def single(device_name, lines: str, *, words: int = 1, **options) -> list[int]:
    """What one thread stores with the mbarrier to itself; `lines` store word i of the result with `out i, register;`."""
    body = "\n".join(lines.splitlines())
    for i in range(words):
        body = body.replace(f"out {i},", f"st.global.u32 [%out+{4 * i}],")
    return run_on(device_name, INIT.format(count=options.pop("count", 1)) + body, words=words, block=1, **options)


def wait(phase: str, *, label: str = "WAIT", op: str = "try_wait.parity", object: str = "bar") -> str:
    return f"{label}: mbarrier.{op}.shared.b64 %p8, [{object}], {phase};\n\t@!%p8 bra {label};\n"


@pytest.mark.parametrize(
    "op, phase",
    [
        ("test_wait", "%d1"), ("test_wait.parity", "%r7"), ("try_wait", "%d1"), ("try_wait.parity", "%r7"),
        ("try_wait", "%d1, 1000"), ("try_wait.parity", "%r7, %r7"),
    ],
)  # fmt: skip
def test_all_threads_meet(device_name, op, phase):
    """Thread t reads what thread n - 1 - t wrote, as behind a bar.sync; six rounds."""
    body = (
        INIT.format(count=128)
        + f"""
	mov.u32 %r2, tile; mad.lo.u32 %r3, %t, 4, %r2; sub.u32 %r4, 127, %t; mad.lo.u32 %r4, %r4, 4, %r2;
	mov.u32 %r5, %t; mov.u32 %r6, 0;
NEXT:
	and.b32 %r7, %r6, 1; shl.b32 %r8, %r7, 9;
	add.u32 %r9, %r3, %r8; st.shared.u32 [%r9], %r5;
	mbarrier.arrive.shared.b64 %d1, [bar];
	{wait(phase, op=op)}
	add.u32 %r9, %r4, %r8; ld.shared.u32 %r5, [%r9]; add.u32 %r5, %r5, 1;
	add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, 6; @%p1 bra NEXT;
	st.global.u32 [%o], %r5;"""
    )
    assert run_on(device_name, body, words=128, block=128, sm="90") == [t + 6 for t in range(128)]


@pytest.mark.cpu_only
@pytest.mark.parametrize("options", [BASE, FAST], ids=["base", "fast"])
def test_both_tiers(options):
    body = INIT.format(count=64) + "\tmbarrier.arrive.shared.b64 %d1, [bar];\n" + wait("%d1", op="test_wait")
    assert run(body + "\tst.global.u32 [%o], %t;", words=64, block=(64, 1, 1), options=options).u32 == list(range(64))


def test_phases_and_parities(device_name):
    """Parity 1 is that of the phase before the first, which counts as complete; then 0, and 1 again."""
    found = single(
        device_name,
        """
	mbarrier.test_wait.parity.shared.b64 %p1, [bar], 1; selp.u32 %r2, 1, 0, %p1; out 0, %r2;
	mbarrier.test_wait.parity.shared.b64 %p1, [bar], 0; selp.u32 %r2, 1, 0, %p1; out 1, %r2;
	mbarrier.arrive.shared.b64 %d1, [bar];
	mbarrier.test_wait.parity.shared.b64 %p1, [bar], 0; selp.u32 %r2, 1, 0, %p1; out 2, %r2;
	mbarrier.test_wait.parity.shared.b64 %p1, [bar], 1; selp.u32 %r2, 1, 0, %p1; out 3, %r2;
	mbarrier.test_wait.shared.b64 %p1, [bar], %d1; selp.u32 %r2, 1, 0, %p1; out 4, %r2;
	mbarrier.arrive.shared.b64 %d2, [bar];
	mbarrier.test_wait.parity.shared.b64 %p1, [bar], 1; selp.u32 %r2, 1, 0, %p1; out 5, %r2;
	mbarrier.test_wait.shared.b64 %p1, [bar], %d2; selp.u32 %r2, 1, 0, %p1; out 6, %r2;
	""",
        words=7,
    )
    assert found == [1, 0, 1, 0, 1, 1, 1]


def test_pending_counts(device_name):
    """The state that an arrival gives counts that arrival as pending."""
    found = single(
        device_name,
        """
	mbarrier.arrive.shared.b64 %d1, [bar]; mbarrier.pending_count.b64 %r2, %d1; out 0, %r2;
	mbarrier.arrive.noComplete.shared.b64 %d1, [bar], 3; mbarrier.pending_count.b64 %r2, %d1; out 1, %r2;
	mbarrier.arrive.shared.b64 %d1, [bar], 5; mbarrier.pending_count.b64 %r2, %d1; out 2, %r2;
	mbarrier.arrive_drop.shared.b64 %d1, [bar]; mbarrier.pending_count.b64 %r2, %d1; out 3, %r2;
	mbarrier.arrive.shared.b64 %d1, [bar]; mbarrier.pending_count.b64 %r2, %d1; out 4, %r2;
	""",
        words=5,
        count=10,
        sm="90",
    )
    assert found == [10, 9, 6, 1, 9]


def test_dropped_arrivals_count_in_no_later_phase(device_name):
    """Of 96 threads 32 arrive once and leave; the others go on among themselves."""
    body = (
        INIT.format(count=96)
        + f"""
	setp.lt.u32 %p1, %t, 64; @%p1 bra STAY;
	mbarrier.arrive_drop.shared.b64 %d1, [bar];
	exit;
STAY:
	mov.u32 %r2, 0;
NEXT:
	mbarrier.arrive.shared.b64 %d1, [bar];
	{wait("%d1", op="test_wait")}
	add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 3; @%p1 bra NEXT;
	{STORE}"""
    )
    assert run_on(device_name, body, words=96, block=96) == [3] * 64 + [0] * 32


@pytest.mark.parametrize("order", ["expect first", "complete first"])
def test_bytes_count_too(device_name, order):
    """A phase with transactions is complete when all arrivals and all bytes have come, in whatever order."""
    expect, complete = (
        "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], 48;",
        "mbarrier.complete_tx.shared::cta.b64 [bar], 48;",
    )
    first, second = (expect, complete) if order == "expect first" else (complete, expect)
    found = single(
        device_name,
        f"""
	{first}
	mbarrier.arrive.shared.b64 %d1, [bar];
	mbarrier.test_wait.parity.shared.b64 %p1, [bar], 0; selp.u32 %r2, 1, 0, %p1; out 0, %r2;
	{second}
	mbarrier.test_wait.parity.shared.b64 %p1, [bar], 0; selp.u32 %r2, 1, 0, %p1; out 1, %r2;
	mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 %d1, [bar], 16;
	mbarrier.test_wait.shared.b64 %p1, [bar], %d1; selp.u32 %r2, 1, 0, %p1; out 2, %r2;
	mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [bar], 16;
	mbarrier.test_wait.acquire.cta.shared.b64 %p1, [bar], %d1; selp.u32 %r2, 1, 0, %p1; out 3, %r2;
	""",
        words=4,
        sm="90",
        version="8.6",
    )  # fmt: skip
    assert found == [0, 1, 0, 1]


def test_generic_addresses_and_another_mbarrier_in_its_place(device_name):
    found = single(
        device_name,
        """
	mov.u64 %d3, bar; cvta.shared.u64 %d3, %d3;
	mbarrier.arrive.b64 %d1, [%d3]; mbarrier.pending_count.b64 %r2, %d1; out 0, %r2;
	mbarrier.inval.b64 [%d3];
	mbarrier.init.b64 [%d3], 7;
	mbarrier.arrive.b64 _, [%d3];
	mbarrier.arrive.b64 %d1, [%d3]; mbarrier.pending_count.b64 %r2, %d1; out 1, %r2;
	mbarrier.inval.b64 [%d3];
	st.shared.u32 [bar], 5; ld.shared.u32 %r2, [bar]; out 2, %r2;
	""",
        words=3,
    )
    assert found == [1, 6, 5]


def test_a_ring_of_stages(device_name):
    """Warp 1 fills two stages in turn, warp 0 empties them: full[i] and empty[i] with parities."""
    body = """
	.shared .align 8 .b64 full[2]; .shared .align 8 .b64 empty[2]; .shared .b32 tile[64];
	setp.ne.u32 %p9, %t, 0; @%p9 bra READY;
	mbarrier.init.shared.b64 [full], 32; mbarrier.init.shared.b64 [full+8], 32;
	mbarrier.init.shared.b64 [empty], 32; mbarrier.init.shared.b64 [empty+8], 32;
READY:
	bar.sync 0;
	mov.u32 %r1, full; mov.u32 %r2, empty; mov.u32 %r3, tile; and.b32 %r4, %t, 31; mad.lo.u32 %r3, %r4, 4, %r3;
	mov.u32 %r5, 0; mov.u32 %r6, 0;
	setp.ge.u32 %p1, %t, 32; @%p1 bra PRODUCE;
CONSUME:
	and.b32 %r7, %r5, 1; shr.u32 %r8, %r5, 1; and.b32 %r8, %r8, 1;
	mad.lo.u32 %r9, %r7, 8, %r1; mad.lo.u32 %r10, %r7, 8, %r2; mad.lo.u32 %r11, %r7, 128, %r3;
C:	mbarrier.try_wait.parity.shared.b64 %p2, [%r9], %r8; @!%p2 bra C;
	ld.shared.u32 %r12, [%r11]; mad.lo.u32 %r6, %r6, 3, %r12;
	mbarrier.arrive.shared.b64 _, [%r10];
	add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 9; @%p1 bra CONSUME;
	st.global.u32 [%o], %r6;
	exit;
PRODUCE:
	and.b32 %r7, %r5, 1; shr.u32 %r8, %r5, 1; and.b32 %r8, %r8, 1; xor.b32 %r8, %r8, 1;
	mad.lo.u32 %r9, %r7, 8, %r1; mad.lo.u32 %r10, %r7, 8, %r2; mad.lo.u32 %r11, %r7, 128, %r3;
P:	mbarrier.try_wait.parity.shared.b64 %p2, [%r10], %r8; @!%p2 bra P;
	add.u32 %r12, %r5, %r4; st.shared.u32 [%r11], %r12;
	mbarrier.arrive.release.cta.shared.b64 _, [%r9];
	add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 9; @%p1 bra PRODUCE;"""
    sums = [0] * 32
    for i in range(9):
        sums = [(3 * s + i + t) & 0xFFFFFFFF for t, s in enumerate(sums)]
    assert run_on(device_name, body, words=64, block=64, sm="90") == sums + [0] * 32


def test_who_only_looks_may_go_on(device_name):
    """Thread 0 looks at a phase that its own arrival will complete: a look does not stop it for good.

    What it stores next depends on the answer. Where nothing does, a GPU arrives while it looks, and the answer is yes."""
    body = (
        INIT.format(count=2)
        + """
	@%p9 st.shared.u32 [tile], 0; bar.sync 0;
	setp.eq.u32 %p1, %t, 32; @%p1 bra OTHER;
	setp.ne.u32 %p1, %t, 0; @%p1 exit;
	mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0;
	mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0;
	mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0;
	selp.u32 %r2, 1, 0, %p2;
	add.u32 %r3, %r2, 1; st.volatile.shared.u32 [tile], %r3;
	mbarrier.arrive.shared.b64 %d1, [bar];
	bra MEET;
OTHER:
	ld.volatile.shared.u32 %r3, [tile]; setp.eq.u32 %p3, %r3, 0; @%p3 bra OTHER;
	mbarrier.arrive.shared.b64 %d1, [bar];
	mov.u32 %r2, 5;
MEET:
"""
        + wait("%d1", op="try_wait")
        + STORE
    )
    found = run_on(device_name, body, words=64, block=64, sm="90")
    assert (found[0], found[32]) == (0, 5)


# -- cp.async.mbarrier.arrive --------------------------------------------------------------------------------------------

DATA = struct.pack("<256I", *range(500, 756))


@pytest.mark.parametrize("form, count", [(".noinc.shared", 64), (".noinc.shared::cta", 64), (".shared", 1)])
def test_copies_arrive_when_they_are_done(device_name, form, count):
    """With .noinc the arrival is one of those expected; without it, it comes on top, and another must be counted."""
    own = "" if count == 64 else "bar.sync 0;\n\t@%p9 mbarrier.arrive.shared.b64 _, [bar];"
    body = (
        INIT.format(count=count)
        + f"""
	mov.u32 %r2, tile; mad.lo.u32 %r2, %t, 4, %r2; mad.wide.u32 %d2, %t, 4, %in;
	cp.async.ca.shared.global [%r2], [%d2], 4;
	cp.async.mbarrier.arrive{form}.b64 [bar];
	{own}
	{wait("0", op="test_wait.parity")}
	sub.u32 %r2, 63, %t; mov.u32 %r3, tile; mad.lo.u32 %r2, %r2, 4, %r3; ld.shared.u32 %r2, [%r2];
	{STORE}"""
    )
    assert run_on(device_name, body, words=64, block=64, data=DATA) == list(range(563, 499, -1))


def test_copies_of_a_thread_that_leaves(device_name):
    body = (
        INIT.format(count=32)
        + f"""
	setp.lt.u32 %p1, %t, 32; @%p1 bra READ;
	mov.u32 %r2, tile; mad.lo.u32 %r2, %t, 4, %r2; mad.wide.u32 %d2, %t, 4, %in;
	cp.async.ca.shared.global [%r2], [%d2], 4;
	cp.async.mbarrier.arrive.noinc.shared.b64 [bar];
	exit;
READ:
	{wait("0", op="test_wait.parity")}
	mov.u32 %r2, tile; mad.lo.u32 %r2, %t, 4, %r2; ld.shared.u32 %r2, [%r2+128];
	{STORE}"""
    )
    assert run_on(device_name, body, words=64, block=64, data=DATA) == [*range(532, 564), *[0] * 32]


# -- what a GPU may do either way ----------------------------------------------------------------------------------------


@pytest.mark.cpu_only
@pytest.mark.parametrize("op", ["test_wait", "try_wait"])
def test_a_wait_without_a_loop_does_not_wait(op):
    body = (
        INIT.format(count=1)
        + f"""
	@!%p9 bra READ;
	mov.u32 %r2, tile; cp.async.cg.shared.global [%r2], [%in], 16;
	cp.async.mbarrier.arrive.noinc.shared.b64 [bar];
READ:
	mbarrier.{op}.parity.shared.b64 %p1, [bar], 0;
	ld.shared.u32 %r2, [tile];
	{STORE}"""
    )
    assert run(body, data=DATA, words=32).u32 == [0xFFFFFFFF] * 32


# -- mistakes ------------------------------------------------------------------------------------------------------------


def fault(body: str, *, count: int = 1, block: int = 1, **options) -> KernelFault:
    with pytest.raises(KernelFault) as caught:
        run(INIT.format(count=count) + body, block=(block, 1, 1), **options)
    return caught.value


@pytest.mark.cpu_only
@pytest.mark.parametrize(
    "body, kind, said",
    [
        ("mbarrier.arrive.shared.b64 _, [bar+8];", "mbarrier invalid", "no mbarrier at 0x8 of shared memory"),
        ("mbarrier.test_wait.parity.shared.b64 %p1, [bar+8], 0;", "mbarrier invalid", "none was initialised there"),
        ("mbarrier.inval.shared.b64 [bar]; mbarrier.arrive.shared.b64 _, [bar];", "mbarrier invalid", "or it was invalidated"),
        ("mbarrier.inval.shared.b64 [bar+16];", "mbarrier invalid", "at 0x10"),
        ("mbarrier.expect_tx.shared.b64 [bar+8], 16;", "mbarrier invalid", "at 0x8"),
        ("cp.async.mbarrier.arrive.noinc.shared.b64 [bar+8];", "mbarrier invalid", "at 0x8"),
        ("cp.async.mbarrier.arrive.shared.b64 [bar+8];", "mbarrier invalid", "at 0x8"),
        ("mbarrier.arrive.b64 _, [%out];", "mbarrier invalid", "lies in the CTA's shared memory, and 0x"),
        ("mbarrier.arrive.shared.b64 _, [bar+4];", "misaligned address", "mbarrier updates 8 bytes at 0x4"),
        ("mbarrier.init.shared.b64 [bar+2048], 1;", "illegal address", "of .shared memory, which has 1056 bytes"),
        ("mov.u32 %r2, 0; mbarrier.init.shared.b64 [bar+8], %r2;", "mbarrier count", "0 arrivals"),
        ("mov.u32 %r2, 1048576; mbarrier.init.shared.b64 [bar+8], %r2;", "mbarrier count", "takes 1 to 1048575"),
        ("mov.u32 %r2, 0; mbarrier.arrive.shared.b64 _, [bar], %r2;", "mbarrier count", "0 arrivals"),
        ("mbarrier.arrive.shared.b64 _, [bar], 2;", "mbarrier overfull", "more arrivals than the 1 that are pending"),
        ("mbarrier.arrive_drop.shared.b64 _, [bar], 2;", "mbarrier overfull", "more arrivals"),
        ("mbarrier.arrive.noComplete.shared.b64 %d1, [bar], 1;", "mbarrier completes", ".noComplete"),
        (
            "mov.u32 %r2, 1048575; mbarrier.expect_tx.shared.b64 [bar], %r2; mbarrier.expect_tx.shared.b64 [bar], 1;",
            "mbarrier tx-count", "a tx-count of 1048576",
        ),
        ("mov.u32 %r2, 1048576; mbarrier.complete_tx.shared.b64 [bar], %r2;", "mbarrier tx-count", "of -1048576"),
    ],
)  # fmt: skip
def test_mistakes(body, kind, said):
    error = fault(f"\t{body}")
    assert error.kind == kind
    assert said in str(error)
    assert "test.ptx:" in str(error)


@pytest.mark.cpu_only
def test_the_cta_before_leaves_no_mbarrier():
    """CTA 1 runs in the memory of CTA 0 and forgets to initialise."""
    body = """
	.shared .align 8 .b64 bar;
	mov.u32 %r1, %ctaid.x; setp.eq.u32 %p1, %r1, 0;
	@%p1 mbarrier.init.shared.b64 [bar], 1;
	mbarrier.arrive.shared.b64 _, [bar];"""
    with pytest.raises(KernelFault, match="no mbarrier at 0x0") as caught:
        run(body, grid=(2, 1, 1), block=(1, 1, 1))
    assert caught.value.cta == (1, 0, 0)


@pytest.mark.cpu_only
def test_an_arrival_of_copies_where_no_mbarrier_is_any_more():
    """It is the arrival's own instruction that is to blame, though it comes late."""
    error = fault("\tcp.async.mbarrier.arrive.noinc.shared.b64 [bar];\n\tmbarrier.inval.shared.b64 [bar];")
    assert error.kind == "mbarrier invalid"
    assert error.instruction is not None
    assert error.instruction.op == "cp.async.mbarrier.arrive.noinc.shared.b64"


@pytest.mark.cpu_only
@pytest.mark.parametrize("op", ["test_wait", "try_wait"])
def test_a_phase_that_nothing_completes(op):
    error = fault(f"\tmbarrier.arrive.expect_tx.shared.b64 %d1, [bar], 512;\n{wait('%d1', op=op)}", count=129, block=64)
    assert error.kind == "deadlock"
    assert "a phase of an mbarrier that nothing will complete" in str(error)
    assert [(w.warp, w.lanes) for w in error.waiting] == [(0, 0xFFFFFFFF), (1, 0xFFFFFFFF)]
    assert (
        "the mbarrier at 0x0 of shared memory has 65 arrivals pending, tx-count 32768, in a phase of parity 0; "
        "the next expects 129" in str(error)
    )
    assert f"mbarrier.{op}.shared.b64 %p8, [bar], %d1; at test.ptx:" in str(error)


@pytest.mark.cpu_only
def test_some_wait_for_an_mbarrier_and_some_at_a_barrier():
    error = fault(f"\tsetp.eq.u32 %p1, %t, 3; @%p1 bra A;\n\tbarrier.sync 1;\nA:{wait('0')}", block=32)
    assert error.kind == "deadlock"
    assert "others at barriers" in str(error)
    assert {w.lanes for w in error.waiting} == {8, 0xFFFFFFF7}


@pytest.mark.cpu_only
def test_a_deadlock_in_a_grid_of_more_ctas_than_may_be_in_flight():
    """Every CTA that there is room for is started before they are given up."""
    with pytest.raises(KernelFault) as caught:
        run(INIT.format(count=2) + wait("0"), grid=(600, 1, 1), block=(1, 1, 1), words=600)
    assert caught.value.kind == "deadlock"
    with pytest.raises(KernelFault) as caught:
        run("\tbar.sync 0, 64;", grid=(600, 1, 1), words=19200)
    assert caught.value.kind == "deadlock"
