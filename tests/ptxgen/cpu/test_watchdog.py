"""How many CTAs are resident, and the end of a launch that makes no progress."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
import threading
import time

import pytest

import ptxgen as px
from ptxgen import u32
from ptxgen.cpu import KernelFault, LaunchOptions
from tests.ptxgen.cpu.machine import arena, load, run

pytestmark = pytest.mark.cpu_only

SPIN = "L:\tld.volatile.global.u32 %r1, [%out];\n\tsetp.eq.u32 %p1, %r1, 0;\n\t@%p1 bra L;"


@px.kernel
def meets(k: px.Builder, count: px.ptr[u32], seen: px.ptr[u32]):
    """Every CTA waits for all CTAs of the grid."""
    with k.if_(k.tid.x == 0):
        k.atomic_add(count, 0, 1)
        with k.while_(lambda: count.load(0, "volatile") < k.nctaid.x):
            pass
    k.barrier()
    seen[k.ctaid.x] = 1


@pytest.mark.parametrize("grid, block", [(265, 32), (1000, 32), (264, 1024)])
def test_as_many_ctas_are_resident_as_occupancy_says(grid, block):
    dev = px.device("cpu")
    count, seen = dev.zeros(1, u32), dev.zeros(grid, u32)
    meets[grid, block](count, seen)
    assert seen.numpy().sum() == grid


def test_a_loop_without_progress_is_ended_and_told():
    with pytest.raises(KernelFault, match=r"nothing has changed for 0\.2 s") as caught:
        run(SPIN, options=LaunchOptions(watchdog=0.2))
    fault = caught.value
    assert fault.kind == "no progress"
    assert fault.waiting[0].instruction.op == "ld.volatile.global.u32"
    assert "it loops on 4 bytes at 0x" in fault.waiting[0].note
    assert ", where 0x0 is" in fault.waiting[0].note


def test_a_grid_that_cannot_all_be_resident_is_told():
    body = """
	atom.global.add.u32 %r2, [%out], 1;
L:	ld.volatile.global.u32 %r1, [%out]; setp.lt.u32 %p1, %r1, 64; @%p1 bra L;"""
    with pytest.raises(KernelFault, match=r"CTAs have not started: 4 are resident, as many as may be"):
        run(body, grid=(64, 1, 1), block=(1, 1, 1), options=LaunchOptions(watchdog=0.2, max_resident=4))


def test_work_is_progress():
    """A loop that counts, and threads that wait for it, run as long as they take."""
    body = """
	mov.u32 %r2, %tid.x; setp.ne.u32 %p1, %r2, 0; @%p1 bra W;
	mov.u32 %r3, 0;
C:	add.u32 %r3, %r3, 1; mul.lo.u32 %r4, %r3, %r3; xor.b32 %r5, %r5, %r4;
	setp.lt.u32 %p1, %r3, 4000000; @%p1 bra C;
	st.volatile.global.u32 [%out], 7; bra D;
W:	ld.volatile.global.u32 %r1, [%out]; setp.eq.u32 %p1, %r1, 0; @%p1 bra W;
D:"""
    began = time.perf_counter()
    run(body, words=64, block=(64, 1, 1), options=LaunchOptions(watchdog=0.02))
    assert time.perf_counter() - began > 0.04  # else the test says nothing


def test_the_host_may_end_the_loop():
    program = load(
        ".visible .entry k(.param .u64 p) { .reg .u64 %d; .reg .u32 %r; .reg .pred %q; ld.param.u64 %d, [p];"
        " L: ld.volatile.global.u32 %r, [%d]; setp.eq.u32 %q, %r, 0; @%q bra L; }"
    )
    flag = arena().allocate(4)
    timer = threading.Timer(0.4, lambda: arena().raw(flag, 4).__setitem__(slice(0, 4), struct.pack("<I", 1)))
    timer.start()
    program.kernels["k"].launch((1, 1, 1), (1, 1, 1), struct.pack("<Q", flag), options=LaunchOptions(watchdog=5.0))
    timer.join()


def test_the_device_states_the_limits():
    dev = px.device("cpu")
    assert (dev.watchdog, dev.time_limit) == (30.0, None)
    try:
        dev.watchdog, dev.time_limit = 5.0, 60
        assert (dev.watchdog, dev.time_limit) == (5.0, 60)
        with pytest.raises(ValueError, match="watchdog is a positive number of seconds, or None for no limit, not -1"):
            dev.watchdog = -1
    finally:
        dev.watchdog, dev.time_limit = 30.0, None


def python(code: str, **settings: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **settings, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)


HANGS = """
import ptxgen as px
dev = px.device("cpu")
kernel = dev.load('''
.version 8.0
.target sm_90
.address_size 64
.visible .entry hangs(.param .u64 p) { .reg .u64 %d; .reg .u32 %r; .reg .pred %q; ld.param.u64 %d, [p];
L:  ld.volatile.global.u32 %r, [%d];
    setp.eq.u32 %q, %r, 0;
    @%q bra L; }
''')["hangs"]
kernel.launch(1, 1, (dev.zeros(1, px.u32),))
dev.synchronize()
"""


def test_the_environment_states_the_limits():
    ran = python(HANGS, PTXGEN_CPU_WATCHDOG="0.2")
    assert ran.returncode == 1
    assert "CUDA_ERROR_LAUNCH_TIMEOUT" in ran.stderr
    assert "threads loop, and nothing has changed for 0.2 s" in ran.stderr
    assert "ld.volatile.global.u32" in ran.stderr
    ran = python(HANGS, PTXGEN_CPU_WATCHDOG="0", PTXGEN_CPU_TIME_LIMIT="0.3")
    assert "the launch was stopped after 0.3 s" in ran.stderr
    ran = python(HANGS, PTXGEN_CPU_WATCHDOG="soon")
    assert "PTXGEN_CPU_WATCHDOG is 'soon', not a number of seconds, or 0 for no limit" in ran.stderr
