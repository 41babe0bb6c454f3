"""Several workers run the CTAs of one launch: the same results, the same faults, and an end to everything."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
import threading
import time

import pytest

import ptxgen as px
from ptxgen.cpu import KernelFault, LaunchOptions, request, team
from ptxgen.cpu.cores import cores
from ptxgen.cpu.workers import Crew, crew
from ptxgen.emulated_driver.errors.refusal import Refusal
from ptxgen.emulated_driver.state.machine import _workers
from ptxgen.golden.plugin import _share_cores
from tests.ptxgen.cpu.machine import arena, load, run

pytestmark = pytest.mark.cpu_only

ONE, THREE = LaunchOptions(tier="base"), LaunchOptions(tier="base", workers=3)

WORK = """
	mov.u32 %r1, %w; mov.u32 %r2, 0;
L:	mad.lo.u32 %r1, %r1, 1664525, 1013904223; add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 100; @%p1 bra L;
	st.global.u32 [%o], %r1;"""


@pytest.fixture(autouse=True)
def shares_soon(monkeypatch):
    """A launch that is short has several workers, too."""
    monkeypatch.setattr(request, "FIRST_TICK", 1)
    monkeypatch.setattr(team, "FIRST_TICK", 0)


def test_one_and_several_workers_give_the_same():
    alone, shared = (run(WORK, grid=(40, 1, 1), words=40 * 32, options=options) for options in (ONE, THREE))
    assert alone.data == shared.data
    assert alone.stats.instructions == shared.stats.instructions
    assert (alone.stats.workers, shared.stats.workers) == (1, 3)


def test_every_cta_runs_once():
    for grid in ((2, 1, 1), (3, 1, 1), (7, 5, 3), (1000, 1, 1)):
        body = "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.y; mov.u32 %r3, %ctaid.z; mov.u32 %r4, %nctaid.x;"
        body += "mov.u32 %r5, %nctaid.y; mad.lo.u32 %r6, %r3, %r5, %r2; mad.lo.u32 %r6, %r6, %r4, %r1;"
        body += "mad.wide.u32 %d1, %r6, 4, %out; red.global.add.u32 [%d1], 1;"
        words = grid[0] * grid[1] * grid[2]
        assert run(body, grid=grid, block=(1, 1, 1), words=words, options=THREE).u32 == [1] * words


def test_a_short_launch_stays_on_its_thread(monkeypatch):
    monkeypatch.undo()
    monkeypatch.setattr(crew, "hire", None)  # it would be called
    assert run(WORK, grid=(4, 1, 1), words=128, options=THREE).stats.workers == 1


def test_atomics_of_all_workers_add_up():
    body = """
	mov.u32 %r2, 0;
L:	atom.global.add.u32 %r3, [%out], 1; red.global.add.f32 [%out+4], 0f3F800000; red.global.max.u32 [%out+8], %r3;
	atom.global.cas.b32 %r4, [%out+12], %r2, %r2;
	add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 20; @%p1 bra L;"""
    result = run(body, grid=(60, 1, 1), options=THREE)
    assert result.u32[0] == 60 * 32 * 20
    assert result.f32[1] == 60 * 32 * 20
    assert result.u32[2] == 60 * 32 * 20 - 1


CHAIN = """
	setp.ne.u32 %p1, %t, 0; @%p1 bra W;
	mov.u32 %r1, %ctaid.x; mul.wide.u32 %d1, %r1, 4; add.u64 %d1, %d1, %out;
	mov.u32 %r3, 1;
	setp.eq.u32 %p2, %r1, 0; @%p2 bra S;
L:	ld.acquire.gpu.global.u32 %r2, [%d1+-4]; setp.eq.u32 %p3, %r2, 0; @%p3 bra L;
	add.u32 %r3, %r2, 1;
S:	st.release.gpu.global.u32 [%d1], %r3;
W:	bar.sync 0;"""


@pytest.mark.parametrize("ctas", [2, 60, 700])
def test_each_cta_may_wait_for_the_one_before(ctas):
    """As decoupled look-back does."""
    assert run(CHAIN, grid=(ctas, 1, 1), block=(64, 1, 1), words=ctas, options=THREE).u32 == list(range(1, ctas + 1))


@pytest.mark.parametrize("cluster", [None, (2, 1, 1)])
def test_a_cooperative_grid_meets(cluster):
    """Every CTA waits for all of them, three times."""
    body = """
	mov.u32 %r5, 0;
R:	bar.sync 0;
	setp.ne.u32 %p1, %t, 0; @%p1 bra W;
	mov.u32 %r1, %nctaid.x; add.u32 %r6, %r5, 1; mul.lo.u32 %r6, %r6, %r1;
	atom.acq_rel.gpu.global.add.u32 %r2, [%out], 1;
L:	ld.acquire.gpu.global.u32 %r3, [%out]; setp.lt.u32 %p2, %r3, %r6; @%p2 bra L;
W:	bar.sync 0;
	add.u32 %r5, %r5, 1; setp.lt.u32 %p3, %r5, 3; @%p3 bra R;"""
    for ctas in (2, 4, 20):
        result = run(body, grid=(ctas, 1, 1), block=(64, 1, 1), cluster=cluster, cooperative=True, options=THREE)
        assert result.u32[0] == 3 * ctas
        assert result.stats.workers == min(3, ctas // (2 if cluster else 1))


def test_a_frame_that_was_dealt_out_is_whole_again():
    program = load(
        ".visible .entry k(.param .u64 p) { .reg .u64 %d; .reg .u32 %r<3>; .reg .pred %q; ld.param.u64 %d, [p];"
        " mov.u32 %r2, %nctaid.x; red.global.add.u32 [%d], 1;"
        " L: ld.volatile.global.u32 %r1, [%d]; setp.lt.u32 %q, %r1, %r2; @%q bra L; }"
    )
    count = arena().allocate(4)
    for _ in range(4):
        for options in (THREE, ONE):
            arena().raw(count, 4)[:] = bytes(4)
            program.kernels["k"].launch(
                (6, 1, 1), (1, 1, 1), struct.pack("<Q", count), cooperative=True, options=options
            )
            assert struct.unpack("<I", arena().raw(count, 4)) == (6,)
    program.close()
    arena().free(count)


def test_clusters_stay_together():
    body = """
	.shared .align 4 .u32 s[32];
	mov.u32 %r1, %cluster_ctarank; mov.u32 %r2, s; shl.b32 %r3, %t, 2; add.u32 %r2, %r2, %r3; st.shared.u32 [%r2], %w;
	barrier.cluster.arrive; barrier.cluster.wait;
	xor.b32 %r1, %r1, 1; mapa.shared::cluster.u32 %r4, %r2, %r1; ld.shared::cluster.u32 %r5, [%r4];
	barrier.cluster.arrive; barrier.cluster.wait;
	st.global.u32 [%o], %r5;"""
    result = run(body, grid=(60, 1, 1), cluster=(2, 1, 1), words=60 * 32, options=THREE)
    assert result.u32 == [(cta ^ 1) * 32 + lane for cta in range(60) for lane in range(32)]


PAIRS = """
	mov.u32 %r1, %ctaid.x; and.b32 %r2, %r1, 1; mov.u32 %r3, 0;
	setp.ne.u32 %p1, %r2, 0; @%p1 bra R;
W:	add.u32 %r3, %r3, 1; {write}
	setp.lt.u32 %p2, %r3, 1500; @%p2 bra W;
	bra E;
R:	{read}
	setp.ne.{type} %p3, {one}, {other}; @%p3 red.global.add.u32 [%out+64], 1;
	add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, 1500; @%p2 bra R;
E:"""


@pytest.mark.parametrize(
    "type, one, other, write, read",
    [
        ("u64", "%d2", "%d3", "cvt.u64.u32 %d1, %r3; st.relaxed.gpu.global.v2.u64 [%out], {%d1, %d1};",
         "ld.relaxed.gpu.global.v2.u64 {%d2, %d3}, [%out];"),
        ("u32", "%r4", "%r7", "st.release.gpu.global.v4.u32 [%out], {%r3, %r3, %r3, %r3};",
         "ld.acquire.gpu.global.v4.u32 {%r4, %r5, %r6, %r7}, [%out];"),
        ("u32", "%r4", "%r5", "st.global.cg.v2.u32 [%out], {%r3, %r3};", "ld.global.cg.v2.u32 {%r4, %r5}, [%out];"),
        ("u32", "%r4", "%r5", "st.volatile.global.v2.u32 [%out], {%r3, %r3};", "ld.volatile.global.v2.u32 {%r4, %r5}, [%out];"),
    ],
    ids=["relaxed 16", "acquire 16", "cg 8", "volatile 8"],
)  # fmt: skip
@pytest.mark.parametrize("tier", ["base", "fast"])
def test_a_vector_is_written_and_read_at_once(type, one, other, write, read, tier):
    """As on GPUs: CUB keeps a tile's sum and its state in one."""
    body = PAIRS.format(type=type, one=one, other=other, write=write, read=read)
    result = run(body, grid=(6, 1, 1), block=(1, 1, 1), options=LaunchOptions(tier=tier, workers=3))
    assert result.u32[16] == 0


# --- what goes wrong --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("faulty", [0, 29, 59])
def test_a_fault_names_the_same_thread(faulty):
    body = f"{WORK}\n	setp.ne.u32 %p2, %w, {faulty * 32 + 7}; @%p2 bra E; mov.u64 %d9, 16; st.global.u32 [%d9], %r1;\nE:"
    told = []
    for options in (ONE, THREE):
        with pytest.raises(KernelFault) as caught:
            run(body, grid=(60, 1, 1), words=60 * 32, options=options)
        told.append(str(caught.value))
    assert told[0] == told[1]
    assert f"CTA ({faulty}, 0, 0), thread (7, 0, 0)" in told[0]


def test_a_deadlock_is_told_when_all_others_have_ended():
    body = """
	mov.u32 %r1, %ctaid.x; rem.u32 %r1, %r1, 20; setp.ne.u32 %p1, %r1, 3; @%p1 bra E;
	setp.ge.u32 %p2, %t, 32; @%p2 bra B;
	bar.sync 1, 64; bra E;
B:	bar.sync 2, 64;
E:	red.global.add.u32 [%out], 1;"""
    told = []
    for options in (ONE, THREE):
        with pytest.raises(KernelFault, match="divergent barrier") as caught:
            run(body, grid=(60, 1, 1), block=(64, 1, 1), options=options)
        told.append(str(caught.value))
    assert told[0] == told[1]
    assert [told[0].count(f"waiting: CTA ({cta}, 0, 0)") for cta in (3, 23, 43)] == [2, 2, 2]


SPIN = "L:\tld.volatile.global.u32 %r1, [%out];\n\tsetp.eq.u32 %p1, %r1, 0;\n\t@%p1 bra L;"


def test_a_loop_without_progress_is_ended():
    with pytest.raises(KernelFault, match=r"nothing has changed for 0\.2 s") as caught:
        run(SPIN, grid=(6, 1, 1), options=LaunchOptions(watchdog=0.2, workers=3))
    assert "it loops on 4 bytes at 0x" in caught.value.waiting[0].note
    assert "so do 5 other warps" in caught.value.waiting[0].note


def test_a_grid_that_cannot_all_be_resident_is_told():
    body = """
	atom.global.add.u32 %r2, [%out], 1;
L:	ld.volatile.global.u32 %r1, [%out]; setp.lt.u32 %p1, %r1, 64; @%p1 bra L;"""
    with pytest.raises(KernelFault, match=r"60 CTAs have not started: 4 are resident, as many as may be"):
        run(body, grid=(64, 1, 1), block=(1, 1, 1), options=LaunchOptions(watchdog=0.2, max_resident=4, workers=3))


def test_a_time_limit_ends_all_workers():
    began = time.perf_counter()
    with pytest.raises(KernelFault, match=r"stopped after 0\.1 s; 0 of 6 CTAs were done"):
        run(SPIN, grid=(6, 1, 1), options=LaunchOptions(time_limit=0.1, workers=3))
    assert time.perf_counter() - began < 5


def test_the_host_may_end_the_loop_and_the_work_goes_on():
    """After a while in which nothing moves."""
    program = load(
        ".visible .entry k(.param .u64 p) { .reg .u64 %d; .reg .u32 %r; .reg .pred %q; ld.param.u64 %d, [p];"
        " L: ld.volatile.global.u32 %r, [%d]; setp.eq.u32 %q, %r, 0; @%q bra L; red.global.add.u32 [%d+4], 1; }"
    )
    flag = arena().allocate(8)
    arena().raw(flag, 8)[:] = bytes(8)
    timer = threading.Timer(0.3, lambda: arena().raw(flag, 4).__setitem__(slice(0, 4), struct.pack("<I", 1)))
    timer.start()
    options = LaunchOptions(watchdog=1.0, workers=3)
    program.kernels["k"].launch((300, 1, 1), (1, 1, 1), struct.pack("<Q", flag), options=options)
    timer.join()
    assert struct.unpack("<I", arena().raw(flag + 4, 4)) == (300,)
    program.close()
    arena().free(flag)


# --- the process ------------------------------------------------------------------------------------------------------


def test_launches_of_several_threads_share_the_workers():
    failed = []

    def many() -> None:
        for _ in range(10):
            if run(WORK, grid=(12, 1, 1), words=12 * 32, options=THREE).data != expected:
                failed.append(1)

    expected = run(WORK, grid=(12, 1, 1), words=12 * 32, options=ONE).data
    threads = [threading.Thread(target=many) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    assert crew._hired == 0


def test_the_crew_hires_no_more_than_the_limit_and_its_threads_end(monkeypatch):
    monkeypatch.setattr("ptxgen.cpu.workers._PATIENCE", 0.01)
    made = Crew()
    assert [made.hire(3, 4), made.hire(3, 4), made.hire(1, 4)] == [3, 1, 0]
    done = threading.Semaphore(0)
    for _ in range(4):
        made.do(done.release)
    for _ in range(4):
        assert done.acquire(timeout=10)
    made.dismiss(4)
    deadline = time.monotonic() + 10
    while made._threads and time.monotonic() < deadline:
        time.sleep(0.01)
    assert made._threads == 0


def test_the_cores_are_those_that_the_process_may_use():
    assert 1 <= cores() <= (os.cpu_count() or 1)


def python(code: str, **settings: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **settings, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False, timeout=60
    )


LONG = """
import os, signal, sys, threading, time
import ptxgen as px
from ptxgen import u32
from ptxgen.cpu.workers import crew
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background process begins without
@px.kernel
def work(k: px.Builder, out: px.ptr[u32], rounds: u32):
    total = k.var(u32, 0)
    with k.range(rounds) as i:
        total += i * i
    out[k.global_id.x] = total
dev = px.device("cpu")
out = dev.zeros(64 * 64, u32)
def at_work():
    while not crew._hired:
        time.sleep(0.01)
    time.sleep(0.05)
"""


def test_an_interrupt_ends_a_launch_on_several_workers():
    code = """
def interrupt():
    at_work()
    while signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # Python loses one that comes while it imports
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(1)
threading.Thread(target=interrupt).start()
try:
    work[64, 64](out, 1 << 30)
    print("not interrupted")
except KeyboardInterrupt:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
work[64, 64](out, 10)
print(out.numpy()[:2])
"""
    assert python(LONG + code, PTXGEN_CPU_WORKERS="3").stdout == "[285 285]\n"


def test_a_process_may_end_while_workers_are_at_work():
    code = """
threading.Thread(target=lambda: work[64, 64](out, 1 << 30), daemon=True).start()
at_work()
print("ends")
"""
    ran = python(LONG + code, PTXGEN_CPU_WORKERS="3")
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "ends\n", "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_child_of_a_process_with_workers_has_its_own():
    code = """
import struct, warnings
warnings.simplefilter("ignore")
from ptxgen.cpu import LaunchOptions, request, team
from tests.ptxgen.cpu.test_workers import THREE, WORK
from tests.ptxgen.cpu.machine import run
request.FIRST_TICK, team.FIRST_TICK = 1, 0
def workers():
    return run(WORK, grid=(40, 1, 1), words=40 * 32, options=THREE).stats.workers
assert workers() == 3
child = os.fork()
if not child:
    signal.alarm(20)
    os._exit(workers())
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3
print(workers())
"""
    ran = python("import os, signal" + code)
    assert ran.stdout == "3\n", ran.stderr


def test_the_device_states_its_workers():
    dev = px.device("cpu")
    before = dev.workers
    try:
        dev.workers = 2
        assert dev.workers == 2
        with pytest.raises(ValueError, match="workers is at least 1, not 0"):
            dev.workers = 0
    finally:
        dev.workers = before


def test_the_environment_states_the_workers(monkeypatch):
    for text, workers in (("5", 5), ("", cores())):
        monkeypatch.setenv("PTXGEN_CPU_WORKERS", text)
        assert _workers() == workers
    monkeypatch.setenv("PTXGEN_CPU_WORKERS", "all")
    with pytest.raises(Refusal, match="PTXGEN_CPU_WORKERS is 'all', not a number of threads from 1 to 1024"):
        _workers()


@pytest.mark.parametrize(
    "processes, said, workers", [("2", None, "3"), ("16", None, "1"), ("2", "5", "5"), (None, None, None)]
)
def test_processes_of_pytest_xdist_share_the_cores_out(monkeypatch, processes, said, workers):
    stated = {"PYTEST_XDIST_WORKER_COUNT": processes, "PTXGEN_CPU_WORKERS": said}
    environment = {name: value for name, value in stated.items() if value is not None}
    monkeypatch.setattr(os, "environ", environment)
    monkeypatch.setattr("ptxgen.cpu.cores.cores", lambda: 7)
    _share_cores()
    assert environment.get("PTXGEN_CPU_WORKERS") == workers
