"""The diagnostic codes of the threads of a warp or a CTA together: see `ptxgen.codes`. The comments above the rows are written by tools/index_codes.py."""

from __future__ import annotations

from ptxgen.codes.code import Code

__all__ = ["CODES"]

CODES = (
    # divergence.py: _check_aligned
    Code(
        "PTX501",
        "only some lanes of a warp come to an .aligned instruction",
        "bar.sync, mma, wgmma, ldmatrix, setmaxnreg, ... under a branch, a loop or a guard on which lanes of one warp differ",
        "move it out of the branch, or branch on what is the same in the warp (tid / 32, a vote, shfl.sync.idx from one lane)",
        ptx="mov.u32 %r1, %laneid;\nsetp.lt.u32 %p1, %r1, 7;\n@%p1 bar.sync 0;\nst.shared.u32 [s], %r1;",
        before=".shared .b32 s;",
        severity="warning",
    ),
    # divergence.py: _check_barrier
    Code(
        "PTX502",
        "only some threads of a CTA come to a barrier without a thread count",
        "a barrier that waits for the whole CTA, under a branch on which its threads differ; the others never come",
        "move it out of the branch, or give it a number of its own and the count of the threads that come: bar.sync 1, 64",
        ptx="mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 64;\n@%p1 bar.sync 0;\nst.shared.u32 [s], %r1;",
        before=".shared .b32 s;",
        severity="warning",
    ),
    # barriers.py: _check_count
    Code(
        "PTX504",
        "a barrier's thread count is not a multiple of the warp size",
        "a register that is only ever set to a constant gives the count of bar.sync, bar.arrive or bar.red, and that is 0 or no "
        "multiple of 32 (immediates are PTX205); or a bar.arrive counts no threads, which is an error",
        "round it up to whole warps, and let whole warps come",
        ptx="mov.u32 %r3, 33;\nbar.sync 1, %r3;",
        severity="error or warning",
    ),
    # barriers.py: _check_number, _check_count
    Code(
        "PTX505",
        "a barrier that does not exist or counts more threads than there are",
        "a number over 15, or a count over the CTA's size (.reqntid, .maxntid, else 1024): nobody ever passes it",
        "barriers are numbered 0 to 15; count the threads that come",
        head=".reqntid 128",
        ptx="bar.sync 1, 256;",
        severity="warning",
    ),
    # barriers.py: _check_partners
    Code(
        "PTX506",
        "nobody waits at the barrier at which threads arrive",
        "a bar.arrive whose number and count no bar.sync or bar.red of the kernel has",
        "the same number and the same count on both sides",
        ptx="bar.arrive 1, 64;\nbar.sync 1, 128;",
        severity="warning",
    ),
    # ptxgen/kernels/arrays/group_cache.py: group_cache
    # ptxgen/kernels/arrays/group_spread.py: group_spread
    # races.py: _Races._report, _Races._report_one
    Code(
        "PTX507",
        "shared memory goes from thread to thread without a barrier",
        "one thread stores, another loads the same bytes (or stores where another has loaded), and a path between the two has no barrier; "
        "the same of atomics and plain accesses, and of two stores of different values",
        "bar.sync between the two accesses; in a loop also before the next iteration's stores",
        before=".shared .align 4 .b32 s[64];",
        ptx="mov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, 2;\nmov.u32 %r3, s;\nadd.u32 %r2, %r2, %r3;\nst.shared.u32 [%r2], %r1;\n"
        "ld.shared.u32 %r1, [s+4];",
        severity="warning",
    ),
    # exits.py: check_exits
    Code(
        "PTX508",
        "threads leave a loop with a barrier in it",
        "a condition that differs between the threads of a CTA ends the kernel for some, while the others meet at the loop's barrier",
        "let every thread run as many iterations; guard the loads and stores, not the barrier",
        ptx="mov.u32 %r1, %tid.x;\nL: setp.gt.u32 %p1, %r1, 99;\n@%p1 ret;\nbar.sync 0;\nadd.u32 %r1, %r1, 32;\nbra L;",
        severity="warning",
    ),
    # barrier_counts.py: _compare, _report_shared
    Code(
        "PTX509",
        "a barrier that counts other threads than come",
        "with .reqntid, conditions on the thread's number say which warps come to the barriers of a number, and their threads are not "
        "as many as the barrier counts: they wait for ever, or groups meet that nobody meant; the same of two groups that use one number "
        "and that no other barrier puts in an order",
        "the number of the threads that come, bar.arrive of those that do not wait among them; a number for each group",
        head=".reqntid 128",
        ptx="mov.u32 %r1, %tid.x;\nsetp.ge.u32 %p1, %r1, 64;\n@%p1 bra REST;\nbar.sync 1, 96;\nREST: st.global.u32 [%rd1], %r1;",
        severity="warning",
    ),
    # exits.py: check_exits
    Code(
        "PTX603",
        "threads leave before a barrier",
        "some threads of the CTA have returned when the others come to a barrier: legal, but what they would have brought is missing; "
        "found with style=True",
        "let every thread come to the last barrier; guard the loads and stores instead",
        ptx="mov.u32 %r1, %tid.x;\nsetp.gt.u32 %p1, %r1, 99;\n@%p1 ret;\nbar.sync 0;",
        severity="warning",
    ),
)
