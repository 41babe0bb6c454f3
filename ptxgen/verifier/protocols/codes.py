"""The diagnostic codes of what is asynchronous: see `ptxgen.codes`. The comments above the rows are written by tools/index_codes.py."""

from __future__ import annotations

from ptxgen.codes.code import Code

__all__ = ["CODES"]

CODES = (
    # async_copy.py: _Copies._report
    Code(
        "PTX510",
        "a wait for cp.async groups that are not there",
        "cp.async.wait_group where no path has committed as many groups as it leaves pending, or none at all",
        "cp.async.commit_group behind the copies; the N of the wait is the number of groups that may stay in flight",
        ptx="cp.async.wait_group 0;",
        severity="warning",
    ),
    # async_copy.py: _Copies._report
    Code(
        "PTX511",
        "a cp.async outside any group",
        "a path from the copy to the end has no commit_group, wait_all or mbarrier.arrive: no wait covers the copy",
        "cp.async.commit_group behind the copies of a stage, on every path",
        before=".shared .align 16 .b8 s[256];",
        ptx="cp.async.ca.shared.global [s], [%rd1], 16;",
        severity="warning",
    ),
    # async_copy.py: _Copies._report_unwaited
    Code(
        "PTX512",
        "cp.async groups that nothing waits for",
        "groups are committed, and the kernel has no wait_group, wait_all or mbarrier.arrive",
        "cp.async.wait_group before the data is used",
        before=".shared .align 16 .b8 s[256];",
        ptx="cp.async.ca.shared.global [s], [%rd1], 16;\ncp.async.commit_group;",
        severity="warning",
    ),
    # async_copy.py: _Copies._report_early
    Code(
        "PTX513",
        "shared memory read before cp.async has filled it",
        "no wait, or one that leaves the group of the copy pending, stands between the copy and the read",
        "cp.async.wait_group N with N less than the groups committed behind the copy, then a barrier",
        before=".shared .align 16 .b8 s[256];",
        ptx="cp.async.ca.shared.global [s], [%rd1], 16;\ncp.async.commit_group;\nld.shared.f32 %f2, [s];",
        severity="warning",
    ),
    # async_copy.py: _Copies._report
    Code(
        "PTX514",
        "other threads' copies read without a barrier",
        "cp.async.wait_group waits for the copies of the thread itself; what others have copied is there behind a barrier",
        "bar.sync between the wait and the read",
        before=".shared .align 16 .b8 s[2048];",
        ptx="mov.u32 %r1, %tid.x;\nshl.b32 %r1, %r1, 4;\nmov.u32 %r2, s;\nadd.u32 %r1, %r1, %r2;\n"
        "cp.async.ca.shared.global [%r1], [%rd1], 16;\ncp.async.commit_group;\ncp.async.wait_group 0;\nld.shared.f32 %f2, [%r2+64];",
        severity="warning",
    ),
    # bulk_groups.py: _Groups._report
    Code(
        "PTX520",
        "a wait for bulk groups that are not there",
        "cp.async.bulk.wait_group where no path has committed a group",
        "cp.async.bulk.commit_group behind the copies, in the thread that issues them",
        ptx="cp.async.bulk.wait_group 0;",
        severity="warning",
    ),
    # bulk_groups.py: _Groups._report
    Code(
        "PTX521",
        "a bulk copy outside any group",
        "a path from a copy out of shared memory to the end has no cp.async.bulk.commit_group",
        "cp.async.bulk.commit_group, then wait_group.read before the source is written again or the CTA ends",
        before=".shared .align 16 .b8 s[256];",
        ptx="cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 256;",
        severity="warning",
    ),
    # bulk_groups.py: _Groups._report
    Code(
        "PTX522",
        "the source of a bulk copy is overwritten",
        "shared memory is written while a bulk copy that the thread has issued may still read it",
        "cp.async.bulk.wait_group.read in the issuing thread, then a barrier, then the write",
        before=".shared .align 16 .b8 s[256];",
        ptx="cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 256;\ncp.async.bulk.commit_group;\nst.shared.u32 [s], %r1;\n"
        "cp.async.bulk.wait_group 0;",
        severity="warning",
    ),
    # bulk_groups.py: _Groups._report, _Groups._check_waiting
    Code(
        "PTX523",
        "the kernel may end while a bulk copy reads its shared memory",
        "a group is committed, and a path to the end does not wait for it, or threads wait that have not issued its copies",
        "cp.async.bulk.wait_group.read 0 before the exit",
        before=".shared .align 16 .b8 s[256];",
        ptx="cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 256;\ncp.async.bulk.commit_group;",
        severity="warning",
    ),
    # bulk_copies.py: _check_reads
    Code(
        "PTX524",
        "shared memory read before a bulk copy has filled it",
        "no wait for the mbarrier on which the copy completes stands before the read",
        "a loop around mbarrier.try_wait before the data is read",
        before=".shared .align 16 .b8 s[256]; .shared .align 8 .b64 bar;",
        ptx="mbarrier.init.shared::cta.b64 [bar], 1;\nfence.mbarrier_init.release.cluster;\nbar.sync 0;\n"
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 256;\n"
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd1], 256, [bar];\nld.shared.f32 %f2, [s];",
        severity="warning",
    ),
    # bulk_copies.py: _report_unexpected
    Code(
        "PTX525",
        "bytes of a bulk copy that nothing expects",
        "the mbarrier of the copy is never told how many bytes will come, so that its phase may end before they do",
        "mbarrier.arrive.expect_tx with the bytes of all copies of the phase",
        before=".shared .align 16 .b8 s[256]; .shared .align 8 .b64 bar;",
        ptx="mbarrier.init.shared::cta.b64 [bar], 1;\nfence.mbarrier_init.release.cluster;\nbar.sync 0;\n"
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd1], 256, [bar];\n"
        "mbarrier.arrive.shared::cta.b64 _, [bar];\nWAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], 0;\n@!%p2 bra WAIT;",
        severity="warning",
    ),
    # bulk_copies.py: _check_awaited
    Code(
        "PTX526",
        "an mbarrier with copies that nobody waits for",
        "bulk copies complete on the mbarrier, and no try_wait or test_wait is on it",
        "a loop around mbarrier.try_wait before the data is used",
        before=".shared .align 16 .b8 s[256]; .shared .align 8 .b64 bar;",
        ptx="mbarrier.init.shared::cta.b64 [bar], 1;\nfence.mbarrier_init.release.cluster;\nbar.sync 0;\n"
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 256;\n"
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd1], 256, [bar];",
        severity="warning",
    ),
    # constants.py: _check_alignment
    Code(
        "PTX527",
        "a buffer of an asynchronous copy is misaligned",
        "bulk copies need 16 bytes of alignment in shared memory, tensor copies 128, cp.async its size",
        ".align on the variable, and offsets that keep it",
        before=".shared .align 8 .b8 s[256];",
        ptx="cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 256;",
        severity="warning",
    ),
    # constants.py: _check_multicast
    Code(
        "PTX528",
        "multicast to CTAs that the cluster does not have",
        "the mask of a multicast copy is 0, or names ranks beyond .reqnctapercluster",
        "one bit for each CTA of the cluster that is to receive the data",
        before=".shared .align 16 .b8 s[256]; .shared .align 8 .b64 bar;",
        head=".reqnctapercluster 2",
        ptx="mov.b16 %h1, 5;\n"
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [s], [%rd1], 256, [bar], %h1;",
        severity="warning",
    ),
    # arrivals.py: _check_bytes
    Code(
        "PTX529",
        "bytes expected that are not those of the copies",
        "expect_tx says another number of bytes than the copies that complete on the mbarrier bring: its phase ends too early, or never",
        "the sum of the bytes of the copies",
        before=".shared .align 8 .b64 bar; .shared .align 16 .b8 s[256];",
        ptx="mbarrier.init.shared::cta.b64 [bar], 1;\nfence.mbarrier_init.release.cluster;\nbar.sync 0;\n"
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 128;\n"
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd1], 256, [bar];\n"
        "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], 0;\n@!%p2 bra WAIT;",
        severity="warning",
    ),
    # mbarrier.py: _check_initialised
    # rings.py: _check_stages
    Code(
        "PTX530",
        "an mbarrier that nothing initialises",
        "the object is used, and no mbarrier.init of the kernel is on it",
        "mbarrier.init by one thread, then a fence and a barrier",
        before=".shared .align 8 .b64 bar;",
        ptx="mbarrier.arrive.shared::cta.b64 _, [bar];",
        severity="warning",
    ),
    # mbarrier.py: _check_wait, _report_once
    # rings.py: _check_start
    Code(
        "PTX531",
        "a wait for an mbarrier that does not wait",
        "the predicate of test_wait or try_wait is not looked at, nothing repeats the wait, or its loop runs the wrong way round",
        "WAIT: mbarrier.try_wait.parity... p, [bar], phase; @!p bra WAIT;",
        before=".shared .align 8 .b64 bar;",
        ptx="mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], 0;",
        severity="warning",
    ),
    # mbarrier.py: _report_published
    Code(
        "PTX532",
        "an mbarrier used before all threads know it",
        "no barrier stands between the mbarrier.init of one thread and the use by another",
        "bar.sync, or barrier.cluster, behind the initialisation",
        before=".shared .align 8 .b64 bar;",
        ptx="@%p1 mbarrier.init.shared::cta.b64 [bar], 1;\nmbarrier.arrive.shared::cta.b64 _, [bar];",
        severity="warning",
    ),
    # mbarrier.py: _report_published
    Code(
        "PTX533",
        "a copy uses an mbarrier that the async proxy does not know",
        "no fence stands between mbarrier.init and a bulk copy that completes on it",
        "fence.mbarrier_init.release.cluster (or fence.proxy.async) in the thread that initialises",
        before=".shared .align 16 .b8 s[256]; .shared .align 8 .b64 bar;",
        ptx="mbarrier.init.shared::cta.b64 [bar], 1;\nbar.sync 0;\n"
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 256;\n"
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd1], 256, [bar];\n"
        "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], 0;\n@!%p2 bra WAIT;",
        severity="warning",
    ),
    # mbarrier.py: _report_published
    Code(
        "PTX534",
        "an mbarrier initialised twice",
        "mbarrier.init on memory that holds a valid mbarrier is undefined",
        "mbarrier.inval in between",
        before=".shared .align 8 .b64 bar;",
        ptx="mbarrier.init.shared::cta.b64 [bar], 1;\nmbarrier.init.shared::cta.b64 [bar], 2;",
        severity="warning",
    ),
    # lifetimes.py: _report
    # mbarrier.py: _report_published
    Code(
        "PTX535",
        "an mbarrier used behind its inval, or perhaps at the same time",
        "after mbarrier.inval the memory is not an mbarrier any more; one thread invalidates it, or initialises it anew, and no barrier "
        "stands between that and what other threads still do with it",
        "mbarrier.inval behind the last use and a barrier, or mbarrier.init again",
        before=".shared .align 8 .b64 bar;",
        ptx="mbarrier.init.shared::cta.b64 [bar], 1;\nbar.sync 0;\nmbarrier.inval.shared::cta.b64 [bar];\n"
        "mbarrier.arrive.shared::cta.b64 _, [bar];",
        severity="warning",
    ),
    # mbarrier.py: _check_parity
    # rings.py: _check_parities_of_iterations
    Code(
        "PTX536",
        "a parity that never flips",
        "every iteration of a loop waits for the same parity of the same mbarrier: every second phase goes by unseen",
        "xor.b32 phase, phase, 1 each time the same object is waited for again",
        before=".shared .align 8 .b64 bar;",
        ptx="LOOP:\nmbarrier.arrive.shared::cta.b64 _, [bar];\n"
        "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], 0;\n@!%p2 bra WAIT;\n"
        "add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p3, %r1, 9;\n@%p3 bra LOOP;",
        severity="warning",
    ),
    # mbarrier.py: _check_objects
    Code(
        "PTX537",
        "an mbarrier object of the wrong size or alignment",
        "an mbarrier is 8 bytes of shared memory, aligned to 8",
        ".shared .align 8 .b64",
        before=".shared .align 4 .b32 bar[2];",
        ptx="mbarrier.init.shared::cta.b64 [bar], 1;",
        severity="warning",
    ),
    # arrivals.py: _check_count
    # mbarrier.py: _check_arrivals
    # rings.py: _check_stages
    Code(
        "PTX538",
        "an mbarrier on which not as many arrive as it counts",
        "threads wait for the mbarrier, and nothing of the kernel arrives on it, or another number of threads than mbarrier.init says",
        "mbarrier.arrive, arrive.expect_tx, cp.async.mbarrier.arrive or tcgen05.commit, as often as mbarrier.init counts",
        before=".shared .align 8 .b64 bar;",
        ptx="mbarrier.init.shared::cta.b64 [bar], 1;\nbar.sync 0;\n"
        "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], 0;\n@!%p2 bra WAIT;",
        severity="warning",
    ),
    # rings.py: _check_circles
    Code(
        "PTX539",
        "first phases that wait for each other",
        "a thread waits for the first phase of an mbarrier (parity 0) before it does what others wait for before they arrive on it; "
        "typically the side that fills a ring, whose stages are free in the beginning",
        "parity 1 for the first wait: the phase before the first counts as complete",
        before=".shared .align 8 .b64 bar;",
        ptx="mbarrier.init.shared::cta.b64 [bar], 1;\nbar.sync 0;\n"
        "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], 0;\n@!%p2 bra WAIT;\n"
        "mbarrier.arrive.shared::cta.b64 _, [bar];",
        severity="warning",
    ),
    # wgmma.py: _Wgmma._report
    Code(
        "PTX540",
        "wgmma without its fence",
        "no wgmma.fence stands between the last access to the registers of wgmma.mma_async and itself, or none at all before it",
        "wgmma.fence.sync.aligned before the first mma_async, and whenever its registers were touched in between",
        head=".reqntid 128",
        ptx=".reg .f32 %d<4>;\nwgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0, %d1, %d2, %d3}, %rd1, %rd1, 0, 1, 1, 0, 0;\n"
        "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;",
        severity="warning",
    ),
    # wgmma.py: _Wgmma._report_early
    Code(
        "PTX541",
        "a register used while wgmma owns it",
        "accumulators are read or written, or fragments or metadata of A written, before a wait_group covers the wgmma.mma_async",
        "wgmma.commit_group, then wgmma.wait_group 0, then the access",
        head=".reqntid 128",
        ptx=".reg .f32 %d<4>;\nwgmma.fence.sync.aligned;\n"
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0, %d1, %d2, %d3}, %rd1, %rd1, 0, 1, 1, 0, 0;\n"
        "wgmma.commit_group.sync.aligned;\nadd.f32 %d0, %d0, %d0;\nwgmma.wait_group.sync.aligned 0;",
        severity="warning",
    ),
    # wgmma.py: _Wgmma._report
    Code(
        "PTX542",
        "wgmma outside any group",
        "a path from wgmma.mma_async to the end has no wgmma.commit_group: no wait covers it",
        "wgmma.commit_group behind the last mma_async of a stage",
        head=".reqntid 128",
        ptx=".reg .f32 %d<4>;\nwgmma.fence.sync.aligned;\n"
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0, %d1, %d2, %d3}, %rd1, %rd1, 0, 1, 1, 0, 0;\n"
        "wgmma.wait_group.sync.aligned 0;",
        severity="warning",
    ),
    # wgmma.py: _Wgmma._report
    Code(
        "PTX543",
        "wgmma groups that nothing waits for",
        "a path to the end leaves committed groups pending",
        "wgmma.wait_group 0 before the results are used",
        head=".reqntid 128",
        ptx=".reg .f32 %d<4>;\nwgmma.fence.sync.aligned;\n"
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0, %d1, %d2, %d3}, %rd1, %rd1, 0, 1, 1, 0, 0;\n"
        "wgmma.commit_group.sync.aligned;",
        severity="warning",
    ),
    # wgmma.py: _Wgmma._report
    Code(
        "PTX544",
        "a wait for wgmma groups that are not there",
        "wgmma.wait_group where no path has committed a group",
        "wgmma.commit_group behind the mma_async, before the wait",
        head=".reqntid 128",
        ptx="wgmma.wait_group.sync.aligned 0;",
        severity="warning",
    ),
    # wgmma.py: _Wgmma._report
    Code(
        "PTX545",
        "wgmma of two shapes on the same accumulators without a fence",
        "only mma_async of one shape and type are ordered by themselves on the same accumulators",
        "wgmma.fence between them",
        head=".reqntid 128",
        ptx=".reg .b32 %d<4>;\nwgmma.fence.sync.aligned;\n"
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0, %d1, %d2, %d3}, %rd1, %rd1, 0, 1, 1, 0, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%d0, %d1, %d2, %d3}, %rd1, %rd1, 1, 1, 1;\n"
        "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;",
        severity="warning",
    ),
    # stage_release.py: _report
    # wgmma.py: _Wgmma._report
    Code(
        "PTX547",
        "a buffer given back while wgmma reads it",
        "the arrival that lets a producer refill the buffer stands before the wait for the wgmma group that reads it, or gives back "
        "the stage of a group that wgmma.wait_group N leaves in flight",
        "wgmma.wait_group 1, then the arrival for the stage of the iteration before; or wait_group 0, then the arrival",
        head=".reqntid 256",
        before=".shared .align 128 .b8 s[2048]; .shared .align 8 .b64 full; .shared .align 8 .b64 empty;",
        ptx=".reg .f32 %d<4>;\n.reg .b32 %desc;\n@!%p1 bra READY;\nmbarrier.init.shared::cta.b64 [full], 1;\n"
        "mbarrier.init.shared::cta.b64 [empty], 128;\nfence.mbarrier_init.release.cluster;\nREADY: bar.sync 0;\nmov.u32 %r2, %tid.x;\n"
        "setp.ge.u32 %p2, %r2, 128;\n@%p2 bra CONSUMER;\n@!%p1 bra END;\n"
        "EMPTY: mbarrier.try_wait.parity.shared::cta.b64 %p3, [empty], 1;\n@!%p3 bra EMPTY;\n"
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], 2048;\n"
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd1], 2048, [full];\nbra END;\nCONSUMER:\n"
        "FULL: mbarrier.try_wait.parity.shared::cta.b64 %p3, [full], 0;\n@!%p3 bra FULL;\n"
        "mov.u32 %desc, s;\nshr.u32 %desc, %desc, 4;\ncvt.u64.u32 %rd2, %desc;\nwgmma.fence.sync.aligned;\n"
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0, %d1, %d2, %d3}, %rd2, %rd2, 0, 1, 1, 0, 0;\n"
        "wgmma.commit_group.sync.aligned;\nmbarrier.arrive.shared::cta.b64 _, [empty];\nwgmma.wait_group.sync.aligned 0;\nEND:",
        severity="warning",
    ),
    # stage_reuse.py: _report
    Code(
        "PTX548",
        "a stage filled again while others may still read it",
        "a loop copies into the stages of a ring, comes back to the first of them, and nothing in it waits for the threads that read: "
        "a fast producer overwrites what slow consumers have not seen",
        "an mbarrier a stage on which the readers arrive, and a wait for it (parity 1 the first time) before the copy; "
        "or a barrier between the reads and the next copy",
        head=".reqntid 64",
        before=".shared .align 128 .b8 s[1024]; .shared .align 8 .b64 full;",
        ptx="mov.u32 %r2, %tid.x;\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 mbarrier.init.shared::cta.b64 [full], 1;\n"
        "@%p1 fence.mbarrier_init.release.cluster;\nbar.sync 0;\nmov.u32 %r1, 0;\nmov.u32 %r3, 0;\n"
        "NEXT: @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], 1024;\n"
        "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd1], 1024, [full];\n"
        "FULL: mbarrier.try_wait.parity.shared::cta.b64 %p3, [full], %r3;\n@!%p3 bra FULL;\n"
        "ld.shared.f32 %f1, [s];\nst.global.f32 [%rd1], %f1;\n"
        "xor.b32 %r3, %r3, 1;\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p2, %r1, 9;\n@%p2 bra NEXT;",
        severity="warning",
    ),
    # tcgen05.py: _report_flying
    Code(
        "PTX550",
        "a register used before tcgen05.ld has filled it",
        "tcgen05.ld is asynchronous: its registers arrive with tcgen05.wait::ld",
        "tcgen05.wait::ld.sync.aligned between the load and the first use",
        header="8.6 sm_100a",
        ptx="tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r2}, [%r1];\nadd.u32 %r2, %r2, 1;\ntcgen05.wait::ld.sync.aligned;",
        severity="warning",
    ),
    # tcgen05.py: _report_flying
    Code(
        "PTX551",
        "tensor memory relied on before tcgen05.st has completed",
        "tcgen05.st is asynchronous: what follows it, in this thread or another, sees the data behind tcgen05.wait::st",
        "tcgen05.wait::st.sync.aligned behind the stores",
        header="8.6 sm_100a",
        ptx="tcgen05.st.sync.aligned.32x32b.x1.b32 [%r1], {%r2};\ntcgen05.fence::before_thread_sync;\nbar.sync 0;\n"
        "tcgen05.fence::after_thread_sync;",
        severity="warning",
    ),
    # tcgen05.py: _check_commits
    Code(
        "PTX552",
        "tcgen05.mma or cp that no commit follows",
        "the completion of these instructions is learnt from the mbarrier of a tcgen05.commit in the same thread",
        "tcgen05.commit behind them, and a wait for its mbarrier",
        header="8.6 sm_100a",
        ptx="tcgen05.cp.cta_group::1.128x256b [%r1], %rd1;",
        severity="warning",
    ),
    # tcgen05.py: _check_fences
    Code(
        "PTX553",
        "a tcgen05 fence without its counterpart",
        "fence::before_thread_sync of one thread and fence::after_thread_sync of another order their tcgen05 instructions together",
        "the other fence, on the other side of the barrier",
        header="8.6 sm_100a",
        ptx="tcgen05.fence::before_thread_sync;\nbar.sync 0;",
        severity="warning",
    ),
    # tcgen05.py: _check_allocation
    Code(
        "PTX554",
        "tensor memory that is not given back",
        "a path from tcgen05.alloc to the end has no tcgen05.dealloc",
        "tcgen05.dealloc before the kernel ends, whatever the path",
        header="8.6 sm_100a",
        before=".shared .align 4 .b32 where;",
        ptx="tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [where], 32;",
        severity="warning",
    ),
    # tcgen05.py: _check_allocation
    Code(
        "PTX555",
        "tcgen05.alloc behind relinquish_alloc_permit",
        "the CTA has given up the right to allocate",
        "relinquish_alloc_permit behind the last allocation",
        header="8.6 sm_100a",
        before=".shared .align 4 .b32 where;",
        ptx="tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n"
        "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [where], 32;\nld.shared.b32 %r1, [where];\n"
        "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r1, 32;",
        severity="warning",
    ),
    # tcgen05.py: _check_allocation, _check_sizes
    Code(
        "PTX556",
        "sizes of tensor memory that do not fit together",
        "dealloc of another number of columns than was allocated, or an allocation larger than one before it",
        "give back what was allocated; allocate in falling order of size",
        header="8.6 sm_100a",
        before=".shared .align 4 .b32 where;",
        ptx="tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [where], 64;\nld.shared.b32 %r1, [where];\n"
        "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r1, 32;",
        severity="warning",
    ),
    # tcgen05.py: _check_warps
    Code(
        "PTX557",
        "warps that allocate tensor memory into one place",
        "several warps come to a tcgen05.alloc, each allocates, and all write the address to the same place: all but one are lost",
        "one warp that allocates for the CTA, and gives back",
        header="8.6 sm_100a",
        head=".reqntid 128",
        before=".shared .align 4 .b32 where;",
        ptx="tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [where], 32;\nbar.sync 0;\nld.shared.b32 %r1, [where];\n"
        "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r1, 32;",
        severity="warning",
    ),
    # tcgen05.py: _check_groups
    Code(
        "PTX559",
        "two values of .cta_group in one kernel",
        "all tcgen05 instructions of a kernel work on one CTA, or all on a pair",
        "the same .cta_group everywhere",
        header="8.6 sm_100a",
        before=".shared .align 4 .b32 where;",
        ptx="tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [where], 32;\nld.shared.b32 %r1, [where];\n"
        "tcgen05.dealloc.cta_group::2.sync.aligned.b32 %r1, 32;",
    ),
    # proxies.py: _Proxies._report_unmet, _Proxies._report
    Code(
        "PTX560",
        "the async proxy reads what the generic proxy has written, without a fence",
        "st.shared before a bulk copy out of shared memory, wgmma or tcgen05 reads it; a barrier alone does not order the two, "
        "and a fence behind the barrier comes too late for what other threads have written",
        "fence.proxy.async in the writing threads, then the barrier",
        before=".shared .align 16 .b8 s[256];",
        ptx="st.shared.u32 [s], %r1;\nbar.sync 0;\ncp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 256;\n"
        "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;",
        severity="warning",
    ),
    # proxies.py: check_tensor_maps
    Code(
        "PTX562",
        "a changed tensor map used without its fences",
        "tensor copies read maps through a proxy of their own; tensormap.replace writes through the generic one",
        "fence.proxy.tensormap::generic.release behind the change, .acquire on the map before the copy",
        before=".global .align 128 .b8 map[128]; .shared .align 128 .b8 s[256];",
        ptx="mov.u64 %rd2, map;\ncvta.global.u64 %rd2, %rd2;\ntensormap.replace.tile.global_address.b1024.b64 [%rd2], %rd1;\n"
        "cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%rd2, {%r1}], [s];\ncp.async.bulk.commit_group;\n"
        "cp.async.bulk.wait_group 0;",
        header="8.3 sm_90a",
        severity="warning",
    ),
    # proxies.py: check_tensor_maps
    Code(
        "PTX563",
        "a tensor map changed in shared memory and never published",
        "copies take their maps from global memory; a map that tensormap.replace has changed in shared memory must be copied there",
        "tensormap.cp_fenceproxy behind the last tensormap.replace",
        before=".shared .align 128 .b8 map[128];",
        ptx="tensormap.replace.tile.global_address.shared::cta.b1024.b64 [map], %rd1;",
        header="8.3 sm_90a",
        severity="warning",
    ),
    # aliases.py: check_multimem
    Code(
        "PTX564",
        "a multimem address used by ld, st, atom or red",
        "a multimem address stands for one location on each of several devices; only multimem instructions may use it",
        "the unicast address of the device's own memory; it is an alias: fence.proxy.alias between accesses by the one and the other",
        ptx="ld.param.u64 %rd2, [a];\nmultimem.red.release.sys.global.add.u32 [%rd2], 1;\n"
        "ld.acquire.sys.global.u32 %r1, [%rd2];\nst.global.u32 [x], %r1;",
        before=".global .u32 x;",
        header="8.1 sm_90",
        severity="warning",
    ),
    # aliases.py: check_noncoherent
    Code(
        "PTX565",
        "ld.global.nc of what the thread has stored",
        "the cache of .nc is not coherent: it is for memory that nothing writes while the kernel runs",
        "ld.global without .nc",
        ptx="st.global.u32 [%rd1], %r1;\nld.global.nc.u32 %r2, [%rd1];\nst.global.u32 [%rd1+4], %r2;",
        severity="warning",
    ),
    # warpgroups.py: check_register_counts
    Code(
        "PTX570",
        "setmaxnreg in a kernel without a register count",
        "setmaxnreg moves registers between warps whose number at launch must be known; without it, it may have no effect",
        ".maxnreg, or .reqntid (or .maxntid) with .minnctapersm",
        ptx="setmaxnreg.dec.sync.aligned.u32 40;",
        severity="warning",
    ),
    # warpgroups.py: check_warpgroups
    Code(
        "PTX571",
        "a warpgroup's instruction under a condition of single warps",
        "wgmma and setmaxnreg need all four warps of a warpgroup; the condition is the same for fewer threads than that",
        "a condition on %tid.x / 128",
        head=".reqntid 128",
        ptx="mov.u32 %r1, %tid.x;\nshr.u32 %r2, %r1, 5;\nsetp.ne.u32 %p2, %r2, 0;\n@%p2 bra END;\nsetmaxnreg.dec.sync.aligned.u32 40;\nEND:",
        severity="warning",
    ),
    # warpgroups.py: _check_over
    Code(
        "PTX572",
        "setmaxnreg.dec to more registers than a thread has",
        "assemblers refuse a .dec to a count that is above the registers of the kernel and above every .inc",
        "a smaller count, or .inc",
        head=".maxnreg 168",
        ptx="setmaxnreg.dec.sync.aligned.u32 200;",
    ),
    # warpgroups.py: _check_direction
    Code(
        "PTX573",
        "setmaxnreg in the wrong direction",
        ".dec takes a count that is not above the present one, .inc one that is not below; anything else is undefined",
        "the other direction, or another count",
        head=".maxnreg 168",
        ptx="setmaxnreg.dec.sync.aligned.u32 40;\nsetmaxnreg.dec.sync.aligned.u32 64;",
        severity="warning",
    ),
    # register_pool.py: check_register_pool
    Code(
        "PTX574",
        "warpgroups that ask for more registers than the CTA has",
        "setmaxnreg moves registers between the warps of a CTA; when those that its warpgroups end with add up to more than it was "
        "launched with, some .inc waits for ever",
        "counts of which the sum over the warpgroups is at most that of the launch: 40 + 232 + 232 = 3 * 168",
        head=".reqntid 256 .maxnreg 128",
        ptx="mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p2, %r1, 128;\n@%p2 bra LOAD;\nsetmaxnreg.inc.sync.aligned.u32 240;\nret;\n"
        "LOAD: setmaxnreg.dec.sync.aligned.u32 40;",
        severity="warning",
    ),
    # clusters.py: _Clusters._report
    Code(
        "PTX580",
        "barrier.cluster.arrive without its wait",
        "a thread arrives twice, or ends, without barrier.cluster.wait in between",
        "arrive and wait in turn; the last wait before the exit",
        ptx="barrier.cluster.arrive.aligned;",
        severity="warning",
    ),
    # clusters.py: _Clusters._report
    Code(
        "PTX581",
        "barrier.cluster.wait without an arrival",
        "a thread waits that has not arrived",
        "barrier.cluster.arrive before it",
        ptx="barrier.cluster.wait.aligned;",
        severity="warning",
    ),
    # clusters.py: _Clusters._report
    Code(
        "PTX582",
        "another CTA's shared memory used before a barrier.cluster",
        "the CTAs of a cluster start at different times: until a barrier.cluster completes, the other may not run yet",
        "barrier.cluster.arrive and .wait before the first access",
        before=".shared .align 4 .b32 s;",
        ptx="mapa.shared::cluster.u32 %r1, s, 1;\nld.shared::cluster.u32 %r2, [%r1];\n"
        "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;",
        severity="warning",
    ),
    # clusters.py: _Clusters._report
    Code(
        "PTX583",
        "another CTA may end before its shared memory is used",
        "a path from an access to the exit has no barrier.cluster: the memory ends with its CTA",
        "barrier.cluster.arrive and .wait between the last access and the exit",
        before=".shared .align 4 .b32 s;",
        ptx="barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\nmapa.shared::cluster.u32 %r1, s, 1;\n"
        "ld.shared::cluster.u32 %r2, [%r1];",
        severity="warning",
    ),
    # clusters.py: _Clusters._report, _Clusters._report_unordered
    Code(
        "PTX584",
        "barrier.cluster.arrive.relaxed behind accesses that others rely on",
        "a relaxed arrival orders nothing: stores, mbarrier.init, and accesses to another CTA's memory that are not performed yet, "
        "need a fence, or the arrival .release",
        "fence.mbarrier_init.release.cluster, fence.acq_rel.cluster, or barrier.cluster.arrive.release",
        before=".shared .align 8 .b64 bar;",
        ptx="mbarrier.init.shared::cta.b64 [bar], 1;\nbarrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;",
        severity="warning",
    ),
    # clusters.py: _check_ranks
    Code(
        "PTX585",
        "a rank that the cluster does not have",
        "mapa names a CTA beyond .reqnctapercluster",
        "a rank below the cluster's size",
        before=".shared .align 4 .b32 s;",
        head=".reqnctapercluster 2",
        ptx="mapa.shared::cluster.u32 %r1, s, 2;",
        severity="warning",
    ),
    # clusters.py: check_dependent_grids
    Code(
        "PTX586",
        "global memory written before griddepcontrol.wait",
        "until the wait completes, the grid before this one may still read or write what is stored",
        "griddepcontrol.wait before the first access to what other grids use",
        ptx="st.global.u32 [%rd1], %r1;\ngriddepcontrol.wait;",
        severity="warning",
    ),
    # cluster_scopes.py: _check_windows
    Code(
        "PTX587",
        "another CTA's address with the window of the own CTA",
        "mapa gives an address in .shared::cluster; ld, st and atomics of .shared or .shared::cta are for the own CTA's part of it",
        "ld.shared::cluster, st.shared::cluster",
        before=".shared .align 4 .b32 s;",
        ptx="barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\nmapa.shared::cluster.u32 %r1, s, 1;\n"
        "st.shared.u32 [%r1], 5;\nbarrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;",
        severity="warning",
    ),
    # cluster_scopes.py: _report_scope
    Code(
        "PTX588",
        "an arrival or wait across CTAs of the scope .cta",
        "the scope of a release and of its acquire must have both CTAs in it: with .cta on either side, data is not handed over",
        ".release.cluster at the arrival on another CTA's mbarrier, .acquire.cluster at the wait there",
        before=".shared .align 8 .b64 bar;",
        ptx="mapa.shared::cluster.u32 %r1, bar, 1;\nmbarrier.arrive.release.cta.shared::cluster.b64 _, [%r1];",
        severity="warning",
    ),
    # cluster_scopes.py: _report_needless
    Code(
        "PTX589",
        "the scope .cluster where .cta is enough",
        "threads of the own CTA alone wait for its mbarriers: an arrival or a wait of the scope .cluster orders nothing more and costs "
        "a memory barrier, or an invalidation of the L1 cache",
        ".release.cta and .acquire.cta, or neither; .cluster for the mbarriers of other CTAs, and to wait for their arrivals",
        before=".shared .align 8 .b64 bar;",
        ptx="mbarrier.arrive.release.cluster.shared::cta.b64 _, [bar];",
        severity="warning",
    ),
)
