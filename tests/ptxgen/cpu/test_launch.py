"""Launches: shapes, special registers, tiers, several threads at once, limits (manual 2.2, chapter 10)."""

from __future__ import annotations

import signal
import struct
import threading

import pytest

from ptxgen.cpu import KernelFault, LaunchOptions
from tests.ptxgen.cpu.machine import BASE, FAST, arena, load, run


@pytest.mark.parametrize("block", [(1, 1, 1), (33, 1, 1), (8, 4, 2), (5, 7, 3), (1024, 1, 1), (2, 2, 256)])
@pytest.mark.parametrize("grid", [(1, 1, 1), (3, 2, 2)])
def test_every_thread_knows_where_it_is(grid, block):
    """The linear index of the thread in the grid, from its coordinates; and that of its lane and warp."""
    body = """
	mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %tid.z;
	mov.u32 %r4, %ntid.x; mov.u32 %r5, %ntid.y; mov.u32 %r6, %ntid.z;
	mad.lo.u32 %r2, %r3, %r5, %r2; mad.lo.u32 %r1, %r2, %r4, %r1;
	mov.u32 %r7, %laneid; mov.u32 %r8, %warpid; mad.lo.u32 %r8, %r8, 32, %r7;
	setp.ne.u32 %p1, %r8, %r1; @%p1 trap;
	mul.lo.u32 %r4, %r4, %r5; mul.lo.u32 %r4, %r4, %r6;
	mov.u32 %r9, %ctaid.x; mov.u32 %r10, %ctaid.y; mov.u32 %r11, %ctaid.z;
	mov.u32 %r12, %nctaid.x; mov.u32 %r13, %nctaid.y;
	mad.lo.u32 %r10, %r11, %r13, %r10; mad.lo.u32 %r9, %r10, %r12, %r9;
	mad.lo.u32 %r1, %r9, %r4, %r1;
	mad.wide.u32 %d1, %r1, 4, %out;
	st.global.u32 [%d1], %r1;"""
    total = grid[0] * grid[1] * grid[2] * block[0] * block[1] * block[2]
    assert run(body, words=total, grid=grid, block=block).u32 == list(range(total))


def test_lane_masks():
    body = """
	mov.u32 %r1, %lanemask_eq; mov.u32 %r2, %lanemask_lt; mov.u32 %r3, %lanemask_le;
	mov.u32 %r4, %lanemask_gt; mov.u32 %r5, %lanemask_ge;
	add.u32 %r6, %r1, %r2; sub.u32 %r6, %r6, %r3; add.u32 %r7, %r1, %r4; sub.u32 %r7, %r7, %r5;
	add.u32 %r2, %r2, %r5; add.u32 %r2, %r2, %r6; add.u32 %r2, %r2, %r7; add.u32 %r2, %r2, 1; add.u32 %r1, %r1, %r2;
	st.global.u32 [%o], %r1;"""
    assert run(body).u32 == [1 << t for t in range(32)]


def test_clusters_have_coordinates():
    body = """
	mov.u32 %r1, %cluster_ctarank; mov.u32 %r2, %cluster_nctarank; mov.u32 %r3, %clusterid.x; mov.u32 %r4, %nclusterid.x;
	mov.u32 %r5, %cluster_ctaid.y; mov.u32 %r6, %cluster_nctaid.x;
	mad.lo.u32 %r1, %r2, 10, %r1; mad.lo.u32 %r1, %r3, 100, %r1; mad.lo.u32 %r1, %r4, 1000, %r1;
	mad.lo.u32 %r1, %r5, 10000, %r1; mad.lo.u32 %r1, %r6, 100000, %r1;
	mov.u32 %r7, %ctaid.y; mov.u32 %r8, %nctaid.x; mov.u32 %r9, %ctaid.x; mad.lo.u32 %r7, %r7, %r8, %r9;
	mad.wide.u32 %d1, %r7, 4, %out; st.global.u32 [%d1], %r1;"""
    found = run(body, words=8, grid=(4, 2, 1), block=(1, 1, 1), cluster=(2, 2, 1)).u32

    def expected(x, y):
        return (x % 2 + 2 * (y % 2)) + 40 + 100 * (x // 2) + 2000 + 10000 * (y % 2) + 200000

    assert found == [expected(x, y) for y in range(2) for x in range(4)]


def test_clocks_advance():
    body = """
	mov.u64 %d1, %clock64; mov.u32 %r1, %clock; mov.u64 %d2, %globaltimer; mov.u64 %d3, %clock64;
	setp.lt.u64 %p1, %d1, %d3; setp.lt.and.u64 %p1, %d1, %d2, %p1;
	selp.u32 %r2, 1, 0, %p1; st.global.u32 [%o], %r2;"""
    assert run(body).u32 == [1] * 32


def test_launches_are_counted_and_told_apart():
    body = "\tmov.u64 %d1, %gridid;\n\tst.global.u64 [%out], %d1;"
    first, second = (run(body, words=2, block=(1, 1, 1)).u64[0] for _ in range(2))
    assert second > first


# -- tiers ------------------------------------------------------------------------------------------------------------

LONG = """
	mov.u32 %r1, 0; mov.u32 %r2, %t;
L:	mad.lo.u32 %r2, %r2, 1664525, 1013904223; add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 65536; @%p1 bra L;
	st.global.u32 [%o], %r2;"""


def test_a_long_launch_goes_on_in_better_code():
    """It begins in unoptimised code, and its warps continue in the middle of their loops in optimised code."""
    found = run(LONG, words=512, block=(256, 1, 1), grid=(2, 1, 1), options=LaunchOptions())
    assert found.stats.tier == "fast"
    assert found.stats.instructions > 512 * 4 * 65536

    def steps(x):
        for _ in range(65536):
            x = (x * 1664525 + 1013904223) & 0xFFFFFFFF
        return x

    assert found.u32[:3] == [steps(t) for t in range(3)]
    assert found.data == run(LONG, words=512, block=(256, 1, 1), grid=(2, 1, 1), options=FAST).data


def test_a_short_launch_stays_in_the_code_that_was_ready_first():
    stats = run("\tst.global.u32 [%o], %t;", options=LaunchOptions()).stats
    assert stats.tier == "base"
    assert 32 * 8 < stats.instructions < 32 * 16


@pytest.mark.parametrize("budget", [1, 2, 7, 1024])
def test_results_do_not_depend_on_the_schedule(budget):
    body = """
	.shared .u32 s[128];
	mov.u32 %r1, s; mad.lo.u32 %r1, %t, 4, %r1; mov.u32 %r2, 0; mov.u32 %r3, %t;
L:	st.shared.u32 [%r1], %r3;
	bar.sync 0;
	xor.b32 %r4, %r2, 1; shl.b32 %r4, %r4, 2; and.b32 %r4, %r4, 508;
	mov.u32 %r5, s; add.u32 %r5, %r5, %r4; ld.shared.u32 %r6, [%r5];
	bar.sync 0;
	add.u32 %r3, %r3, %r6; add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 20; @%p1 bra L;
	st.global.u32 [%o], %r3;"""
    found = run(body, words=128, block=(128, 1, 1), options=LaunchOptions(budget=budget))
    assert found.u32 == run(body, words=128, block=(128, 1, 1), options=BASE).u32


# -- many at once -----------------------------------------------------------------------------------------------------


def test_several_threads_launch_one_kernel():
    program = load(
        ".visible .entry k(.param .u64 out, .param .u32 a) { .reg .u64 %d; .reg .u32 %r<4>; .shared .u32 s[64];"
        " ld.param.u64 %d, [out]; ld.param.u32 %r0, [a]; mov.u32 %r1, %tid.x; mov.u32 %r2, s; mad.lo.u32 %r2, %r1, 4, %r2;"
        " st.shared.u32 [%r2], %r0; bar.sync 0; ld.shared.u32 %r3, [%r2]; mad.wide.u32 %d, %r1, 4, %d;"
        " red.global.add.u32 [%d], %r3; }"
    )
    kernel, memory = program.kernels["k"], arena()
    wrong: list[int] = []

    def work(number):
        out = memory.allocate(256)
        view = memory.view(out, 256)
        for i in range(300):
            view[:] = bytes(256)
            kernel.launch((2, 1, 1), (64, 1, 1), struct.pack("<QI", out, number * 1000 + i))
            if struct.unpack("<64I", view) != (2 * (number * 1000 + i),) * 64:
                wrong.append(number)
        memory.free(out)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    program.close()


def test_atomics_of_several_launches_add_up():
    program = load(
        ".visible .entry k(.param .u64 out) { .reg .u64 %d; .reg .f32 %f; ld.param.u64 %d, [out]; mov.f32 %f, 0f3F800000;"
        " red.global.add.f32 [%d], %f; red.global.add.u32 [%d+4], 1; }"
    )
    kernel, memory = program.kernels["k"], arena()
    out = memory.allocate(8)
    memory.view(out, 8)[:] = bytes(8)
    arguments = struct.pack("<Q", out)
    threads = [
        threading.Thread(target=lambda: [kernel.launch((16, 1, 1), (128, 1, 1), arguments) for _ in range(20)])
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert struct.unpack("<fI", memory.view(out, 8)) == (163840.0, 163840)
    memory.free(out)
    program.close()


def test_a_cooperative_grid_synchronises():
    """Every CTA waits for all others at a counter in global memory."""
    body = """
	setp.ne.u32 %p1, %t, 0; @%p1 bra WAIT;
	atom.global.add.u32 %r1, [%out], 1;
WAIT:	ld.volatile.global.u32 %r2, [%out]; setp.lt.u32 %p2, %r2, 40; @%p2 bra WAIT;
	red.global.add.u32 [%out+4], %r2;"""
    assert run(body, words=2, grid=(40, 1, 1), block=(64, 1, 1), cooperative=True).u32 == [40, 40 * 40 * 64]


# -- limits -----------------------------------------------------------------------------------------------------------


def test_impossible_launches():
    program = load(
        ".visible .entry k(.param .u32 a) .maxntid 64, 2, 1 { ret; }\n.visible .entry j() .reqntid 32 { ret; }"
    )
    kernel = program.kernels["k"]
    assert (kernel.max_threads, program.kernels["j"].max_threads) == (128, 32)
    with pytest.raises(ValueError, match="takes 4 bytes of parameters, not 8"):
        kernel.launch((1, 1, 1), (1, 1, 1), bytes(8))
    with pytest.raises(ValueError, match="a block of 129 threads: kernel k takes at most 128"):
        kernel.launch((1, 1, 1), (129, 1, 1), bytes(4))
    with pytest.raises(ValueError, match="three positive numbers of CTAs"):
        kernel.launch((1, 0, 1), (1, 1, 1), bytes(4))
    with pytest.raises(ValueError, match="three positive numbers of threads"):
        kernel.launch((1, 1, 1), (1, 0, 1), bytes(4))
    kernel.launch((1, 1, 1), (128, 1, 1), bytes(4))
    program.close()
    with pytest.raises(ValueError, match="kernel k cannot be launched: its program is closed"):
        kernel.launch((1, 1, 1), (1, 1, 1), bytes(4))


def test_a_time_limit():
    body = "L:\tld.volatile.global.u32 %r1, [%out];\n\tsetp.eq.u32 %p1, %r1, 0;\n\t@%p1 bra L;"
    with pytest.raises(KernelFault, match=r"stopped after 0.05 s; 0 of 1 CTAs were done") as caught:
        run(body, options=LaunchOptions(time_limit=0.05))
    assert caught.value.kind == "timeout"


def test_a_launch_can_be_interrupted():
    """A signal is heard within milliseconds, and the kernel runs again afterwards."""
    program = load(
        ".visible .entry k(.param .u64 p) { .reg .u64 %d; .reg .u32 %r; .reg .pred %q; ld.param.u64 %d, [p];"
        " L: ld.volatile.global.u32 %r, [%d]; setp.eq.u32 %q, %r, 0; @%q bra L; }"
    )
    kernel, flag = program.kernels["k"], arena().allocate(4)
    arena().view(flag, 4)[:] = b"\0\0\0\0"  # memory is as its last owner left it
    arguments = struct.pack("<Q", flag)

    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.02)
        with pytest.raises(KeyboardInterrupt):
            kernel.launch((1, 1, 1), (32, 1, 1), arguments)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    arena().view(flag, 4)[:] = b"\1\0\0\0"
    kernel.launch((1, 1, 1), (32, 1, 1), arguments)
    program.close()
    arena().free(flag)


def test_an_endless_loop_that_does_nothing_is_a_deadlock():
    with pytest.raises(KernelFault, match="deadlock"):
        run("L:\tbra L;")


def test_what_a_kernel_says_of_itself():
    program = load(
        ".visible .entry k() { .shared .b8 s[100]; .local .b8 l[20]; .reg .b32 %a; mov.u32 %a, s; mov.u32 %a, l; ret; }"
    )
    kernel = program.kernels["k"]
    assert (kernel.name, kernel.static_shared, kernel.local_bytes, kernel.max_threads) == ("k", 100, 20, 1024)
    assert 16 <= kernel.registers <= 255
    program.close()


# -- residency and the watchdog ---------------------------------------------------------------------------------------

MEETING = """
	setp.ne.u32 %p1, %t, 0; @%p1 bra DONE;
	atom.global.add.u32 %r1, [%out], 1;
	mov.u32 %r3, %nctaid.x;
WAIT:	ld.volatile.global.u32 %r2, [%out]; setp.lt.u32 %p2, %r2, %r3; @%p2 bra WAIT;
DONE:	bar.sync 0;"""
QUICK = LaunchOptions(tier="base", watchdog=0.2, time_limit=60)


@pytest.mark.parametrize("ctas, threads", [(265, 32), (4224, 32), (264, 1024)])
def test_as_many_ctas_meet_as_the_device_holds(ctas, threads):
    assert run(MEETING, words=1, grid=(ctas, 1, 1), block=(threads, 1, 1)).u32 == [ctas]


def test_ctas_that_meet_around_a_barrier_start_too():
    """Every round of the loop ends a barrier, so that the warps never only loop."""
    body = """
	setp.ne.u32 %p1, %t, 0; @%p1 bra WAIT;
	atom.global.add.u32 %r1, [%out], 1;
WAIT:	bar.sync 0; ld.volatile.global.u32 %r2, [%out]; setp.lt.u32 %p2, %r2, 3; @%p2 bra WAIT;"""
    assert run(body, words=1, grid=(3, 1, 1), block=(64, 1, 1), options=QUICK).u32 == [3]


def test_a_kernel_without_progress_is_ended_and_says_who_waits_for_what():
    body = MEETING.replace("%r2, %r3;", "%r2, 9;")
    with pytest.raises(KernelFault, match=r"threads loop, and nothing has changed for 0.2 s") as caught:
        run(body, words=1, grid=(2, 1, 1), block=(64, 1, 1), options=QUICK)
    fault = caught.value
    assert fault.kind == "no progress"
    first, *others = fault.waiting
    assert (first.warp, first.lanes, first.instruction.op) == (0, 1, "ld.volatile.global.u32")
    assert "(global), where 0x2 is; so do 1 other warps" in first.note
    assert {(w.warp, w.lanes, w.instruction.opcode) for w in others} == {(0, 0xFFFFFFFE, "bar"), (1, 0xFFFFFFFF, "bar")}


def test_lanes_that_loop_on_shared_memory_or_on_nothing_are_found():
    for body, note in (
        (".shared .u32 s[4]; mul.lo.u32 %r1, %t, 0; L: ld.volatile.shared.u32 %r2, [%r1+4];"
         " setp.eq.u32 %p1, %r2, 0; @%p1 bra L;",
         "it loops on 4 bytes at 0x4 (shared), where 0x0 is"),
        ("L: mul.lo.u32 %r1, %t, 2; bra L;", "it loops"),
    ):  # fmt: skip
        with pytest.raises(KernelFault) as caught:
            run(body, options=QUICK)
        assert [w.note for w in caught.value.waiting] == [note]


def test_kernels_that_make_progress_live_on():
    """In memory alone, in a register alone, or by the clock: each runs far longer than the watchdog waits."""
    sharp = LaunchOptions(tier="base", watchdog=0.02, time_limit=60)
    for body in (
        "L: red.global.add.u32 [%out], 1; ld.volatile.global.u32 %r1, [%out]; setp.lt.u32 %p1, %r1, 1500000; @%p1 bra L;",
        "mov.u32 %r1, 0; L: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 1500000; @%p1 bra L;",
        "mov.u64 %d1, %clock64; L: mov.u64 %d2, %clock64; sub.u64 %d2, %d2, %d1; setp.lt.u64 %p1, %d2, 8000000; @%p1 bra L;",
    ):
        run(body, block=(1, 1, 1), options=sharp)
