"""When products of wgmma are done: late, when somebody waits for them; early, when they are issued; or either, as drawn.

A program that waits for what it uses has the same bits in every mode; mistakes show in the late one, which is the default.
"""

from __future__ import annotations

import numpy as np
import pytest

import ptxgen as px
from ptxgen import bf16, f32
from ptxgen.cpu import KernelFault, LaunchOptions
from ptxgen.isa.layouts import WgmmaDescriptor
from tests.ptxgen.cpu.machine import run
from tests.ptxgen.cpu.sanitized import watch

MODES = ("late", "early", *(f"random:{seed}" for seed in range(6)))
LATE, EARLY = (LaunchOptions(copies=mode) for mode in ("late", "early"))
BLOCK = (128, 1, 1)

BEGIN = f"""
	.shared .align 128 .b8 s[512];
	mov.u32 %r1, s; mad.lo.u32 %r1, %t, 4, %r1;
	mov.b32 %r2, 0x01010101; st.shared.b32 [%r1], %r2;
	mov.b32 %r3, 100; mov.b32 %r4, 200; mov.b32 %r5, 300; mov.b32 %r6, 400;
	mov.u64 %d1, {WgmmaDescriptor(0, 128, 128).encode()};
	bar.sync 0;
	wgmma.fence.sync.aligned;"""
"""Ones in 512 bytes of shared memory, to which %r1 points; 100, 200, 300 and 400 in the accumulators."""
ISSUE = "wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8 {%r3, %r4, %r5, %r6}, {%r2, %r2, %r2, %r2}, %d1, 1;"
"""Each accumulator is 32 more."""
COMMIT, WAIT = "wgmma.commit_group.sync.aligned;", "wgmma.wait_group.sync.aligned 0;"
STORE = "mad.wide.u32 %d1, %t, 16, %out; st.global.v4.b32 [%d1], {%r3, %r4, %r5, %r6};"
SHUFFLE = "shfl.sync.idx.b32 %r10, %r3, 0, 31, -1;"
TWOS = """mov.u32 %r8, s; mov.b32 %r7, 0x02020202; setp.ge.u32 %p2, %t, 64; @%p2 st.shared.b32 [%r1], %r7; bar.sync 0;
	add.u32 %r8, %r8, 256;"""
"""In the 256 bytes behind B, to which %r8 points."""
LOAD = "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%r8];"


def first(*parts: str, copies: str = "late", waits: str = "stated") -> list[int]:
    """What the first accumulators of the threads are, each value once."""
    options = LaunchOptions(copies=copies, waits=waits)
    found = run("\n".join([BEGIN, *parts]), words=4 * 128, block=BLOCK, options=options)
    return sorted(set(found.s32[::4]))


@pytest.mark.parametrize("copies", MODES)
def test_what_is_waited_for_is_the_same_in_every_mode(copies: str) -> None:
    assert first(ISSUE, ISSUE, COMMIT, WAIT, STORE, copies=copies) == [164]


@pytest.mark.parametrize(
    "parts, late, early, injected",
    [
        pytest.param((ISSUE, COMMIT, STORE), 100, 132, 132, id="an accumulator read in flight"),
        pytest.param(
            (ISSUE, COMMIT, SHUFFLE, STORE.replace("%r3,", "%r10,")), 100, 132, 132,
            id="an accumulator read in flight by an instruction of the warp",
        ),
        pytest.param((ISSUE, WAIT, STORE), 100, 132, 132, id="a product of no group"),
        pytest.param((ISSUE, COMMIT, ISSUE, COMMIT, WAIT.replace("0;", "1;"), STORE), 132, 164, 164, id="a later group"),
        pytest.param((ISSUE, COMMIT, "mov.b32 %r3, 0;", WAIT, STORE), 32, 0, 0, id="an accumulator written in flight"),
        pytest.param(
            (ISSUE, COMMIT, "mov.b32 %r2, 0x02020202;", ISSUE, COMMIT, WAIT, STORE), 228, 196, 196, id="A written in flight",
        ),
        pytest.param(
            (TWOS, ISSUE, COMMIT, LOAD, ISSUE, COMMIT, WAIT, STORE), 228, 196, 196, id="A loaded in flight by ldmatrix",
        ),
        pytest.param(
            (ISSUE, COMMIT, "bar.sync 0; mov.b32 %r7, 0; st.shared.b32 [%r1], %r7; bar.sync 0;", WAIT, STORE), 100, 132, 100,
            id="shared memory written in flight",
        ),
    ],
)  # fmt: skip
def test_mistakes_show_when_it_is_late(parts: tuple[str, ...], late: int, early: int, injected: int) -> None:
    """Those with registers do not where waits are injected, as assemblers do it."""
    found = [first(*parts), first(*parts, copies="early"), first(*parts, waits="injected")]
    assert found == [[late], [early], [injected]]


@pytest.mark.parametrize("waits", ["stated", "injected"])
@pytest.mark.parametrize("touch", [STORE, SHUFFLE, LOAD, "add.s32 %r3, %r3, 1;", "ld.shared.b32 %r2, [%r1];"])
def test_asynccheck_names_who_touches_registers_in_flight(touch: str, waits: str) -> None:
    body = "\n".join([BEGIN, TWOS, f"{ISSUE} // B", COMMIT, f"{touch} // A", WAIT])
    assert watch(body, "asynccheck", waits=waits, words=4 * 128, block=BLOCK).told == [("register in flight", "A", "B")]


def test_asynccheck_names_who_writes_metadata_in_flight() -> None:
    sparse = ISSUE.replace("async.", "async.sp.").replace("k32", "k64").replace("%d1", "%d1, %r9, 0")
    body = "\n".join([BEGIN, "mov.b32 %r9, 0x44444444;", f"{sparse} // B", COMMIT, "add.u32 %r9, %r9, %t; // A", WAIT])
    assert watch(body, "asynccheck", block=BLOCK).told == [("register in flight", "A", "B")]


def test_asynccheck_names_a_product_whose_a_is_an_accumulator_in_flight() -> None:
    chained = ISSUE.replace("{%r3, %r4, %r5, %r6}", "{%r10, %r11, %r12, %r13}").replace("%r2,", "%r3,", 1)
    body = "\n".join([BEGIN, f"{ISSUE} // B", COMMIT, f"{chained} // A", COMMIT, WAIT])
    assert watch(body, "asynccheck", block=BLOCK).told == [("register in flight", "A", "B")]


def test_other_waits_are_refused() -> None:
    with pytest.raises(ValueError, match='waits is "stated" or "injected", not \'none\''):
        LaunchOptions(waits="none")


def test_drawn_times_show_mistakes_too_and_a_seed_is_a_schedule() -> None:
    parts = (ISSUE, COMMIT, STORE)
    found = {seed: first(*parts, copies=f"random:{seed}") for seed in range(12)}
    assert {100, 132} <= {value for values in found.values() for value in values}
    assert found == {seed: first(*parts, copies=f"random:{seed}") for seed in range(12)}


@pytest.mark.parametrize("copies", MODES)
def test_registers_that_are_renamed_in_flight(copies: str) -> None:
    """As compilers do it around statements of inline assembly."""
    moved = "mov.b32 %r10, %r3; mov.b32 %r11, %r4; mov.b32 %r12, %r5; mov.b32 %r13, %r6;"
    store = "mad.wide.u32 %d1, %t, 16, %out; st.global.v4.b32 [%d1], {%r10, %r11, %r12, %r13};"
    assert first(ISSUE, COMMIT, moved, WAIT, store, copies=copies) == [132]


@pytest.mark.parametrize("copies", MODES)
def test_more_under_way_than_there_is_room_for(copies: str) -> None:
    assert first(*70 * [ISSUE], COMMIT, WAIT, STORE, copies=copies) == [100 + 70 * 32]


def test_the_one_that_waits_first_waits_for_the_warpgroup() -> None:
    """Warp 0 waits, and then clears what the others' quarters read; they come later."""
    late = """setp.lt.u32 %p2, %t, 32; @%p2 bra GO; mov.u32 %r9, 0;
	AGAIN: add.u32 %r9, %r9, 1; setp.lt.u32 %p3, %r9, 9999; @%p3 bra AGAIN;
	GO:"""
    clear = "setp.ge.u32 %p2, %t, 32; @%p2 bra OUT; mov.b32 %r7, 0; st.shared.b32 [%r1], %r7;\nOUT:"
    for copies in MODES:
        assert first(late, ISSUE, COMMIT, WAIT, clear, STORE, copies=copies) == [132], copies


def test_a_warp_that_does_not_issue_it() -> None:
    skip = "setp.ge.u32 %p1, %t, 96; @%p1 bra WAITS;"
    with pytest.raises(KernelFault, match="products that other warps of their warpgroup do not issue") as caught:
        first(skip, ISSUE, COMMIT, WAIT, STORE, "WAITS: bar.sync 0;")
    assert caught.value.kind == "deadlock"
    assert {w.warp for w in caught.value.waiting} == {0, 1, 2, 3}


def test_a_warp_that_has_exited_is_not_waited_for() -> None:
    """A GPU stops here or not; what the others compute is theirs."""
    assert first("setp.ge.u32 %p1, %t, 96; @%p1 bra GONE;", ISSUE, COMMIT, WAIT, STORE, "GONE:") == [0, 132]


def test_a_fault_of_a_product_that_nobody_waits_for() -> None:
    outside = f"mov.u64 %d1, {WgmmaDescriptor(256, 256, 128).encode()};"
    for copies in ("late", "early"):
        with pytest.raises(KernelFault, match=r"wgmma reads 16 bytes at 0x200 of \.shared memory"):
            first(outside, ISSUE, COMMIT, copies=copies)


# -- a GEMM by warps with roles ----------------------------------------------------------------------------------------

STAGES, SIDE, DEPTH = 3, 64, 12


def gemm(arrivals: int, behind: int, ahead: int = 0) -> px.Kernel:
    """A thread fills stages, a warpgroup multiplies, with one group in flight; `arrivals` threads of it give back the stage
    of the step `behind` steps before. Its first warp is so many naps ahead of the others."""

    @px.kernel(threads=256)
    def kernel(k: px.Builder, a: px.TensorMap, b: px.TensorMap, d: px.ptr[f32]) -> None:
        tile_a, tile_b = (k.tile(bf16, (SIDE, SIDE), stages=STAGES) for _ in range(2))
        full, empty = k.mbarrier(1, STAGES), k.mbarrier(arrivals, STAGES)
        with k.roles(load=1, multiply=1) as (load, multiply):
            with load, k.if_(k.tid.x == 0):
                for step in range(DEPTH):
                    stage, turn = step % STAGES, step // STAGES
                    if turn:
                        empty[stage].wait((turn - 1) % 2)
                    filled = full[stage]
                    with filled.transaction():
                        a.load(tile_a[stage], (step * SIDE, 0), filled)
                        b.load(tile_b[stage], (step * SIDE, 0), filled)
            with multiply:
                sums = k.sums(SIDE, SIDE)
                if ahead:
                    with k.if_(k.tid.x % 128 >= 32), k.range(ahead):
                        k.ptx.nanosleep.u32(100)
                for step in range(DEPTH):
                    stage = step % STAGES
                    full[stage].wait(step // STAGES % 2)
                    sums.add_product(tile_a[stage], tile_b[stage], keep=step > 0)
                    k.wgmma_wait(1)
                    if step >= behind:
                        with k.if_(k.tid.x % 128 < arrivals):
                            empty[(step - behind) % STAGES].arrive()
                k.wgmma_wait(0)
                sums.map(lambda value, i, j: d.store(i * SIDE + j, value))

    return kernel


def product(kernel: px.Kernel, copies: str) -> bool:
    """Is it that of numpy?"""
    dev = px.device("cpu")
    before, dev.copies = dev.copies, copies
    try:
        x, y = np.random.default_rng(0).integers(-8, 9, (2, SIDE, DEPTH * SIDE)).astype(np.float32)
        d = dev.zeros((SIDE, SIDE), f32)
        kernel[1, 256](dev.array(x, bf16), dev.array(y, bf16), d)
        return np.array_equal(d.numpy(), x @ y.T)
    finally:
        dev.copies = before


@pytest.mark.cpu_only
@pytest.mark.parametrize("arrivals", [1, 128])
def test_a_gemm_whose_consumers_arrive_once_a_warpgroup(arrivals: int) -> None:
    kernel = gemm(arrivals, behind=1, ahead=200)
    assert [copies for copies in MODES if not product(kernel, copies)] == []


@pytest.mark.cpu_only
def test_a_gemm_that_gives_back_the_stage_just_issued() -> None:
    kernel = gemm(128, behind=0)
    assert (product(kernel, "late"), product(kernel, "early")) == (False, True)
