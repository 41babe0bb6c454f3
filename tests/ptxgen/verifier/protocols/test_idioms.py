"""What a verifier must not say: idioms that look unusual, are right, and stay silent. A name, and the body of a kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from ptxgen.text import parse
from ptxgen.verifier import verify

if TYPE_CHECKING:
    from collections.abc import Callable

BEFORE = (
    ".shared .align 128 .b8 tile[16384];\n.shared .align 8 .b64 bar;\n.shared .align 8 .b64 bars[4];\n"
    ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
)
REGISTERS = (
    ".reg .pred %p<8>, %q; .reg .b32 %r<16>, %t, %n, %i, %s, %ph; .reg .b64 %rd<8>, %a; .reg .f32 %f<8>;\n"
    "ld.param.u64 %a, [a];\nld.param.u32 %n, [n];\nmov.u32 %t, %tid.x;\nmov.u32 %s, tile;\n"
)
INIT = (
    "setp.ne.u32 %p0, %t, 0;\n@%p0 bra READY;\nmbarrier.init.shared::cta.b64 [bar], 1;\n"
    "fence.mbarrier_init.release.cluster;\nREADY: bar.sync 0;\n"
)
COPY = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%a], 4096, [bar];\n"
EXPECT = "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 4096;\n"
WAIT = "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %q, [bar], 0;\n@!%q bra WAIT;\n"
MMA = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %a, %a, 1, 1, 1, 0, 0;\n"

IDIOMS = {
    "wait_all needs no commit": """
        shl.b32 %r1, %t, 4; add.u32 %r2, %s, %r1;
        cp.async.cg.shared.global [%r2], [%a], 16; cp.async.wait_all; bar.sync 0;
        ld.shared.f32 %f0, [tile]; st.global.f32 [%a], %f0;
    """,
    "a copy under a condition, the commit for all": """
        setp.lt.u32 %p1, %t, %n; shl.b32 %r1, %t, 4; add.u32 %r2, %s, %r1;
        @%p1 cp.async.cg.shared.global [%r2], [%a], 16; cp.async.commit_group; cp.async.wait_group 0; bar.sync 0;
        ld.shared.f32 %f0, [tile]; st.global.f32 [%a], %f0;
    """,
    "issue, commit and wait under the same condition, asked anew each time": """
        setp.lt.u32 %p1, %t, 64; @!%p1 bra L1; shl.b32 %r1, %t, 4; add.u32 %r2, %s, %r1;
        cp.async.cg.shared.global [%r2], [%a], 16; cp.async.commit_group;
        L1: setp.ge.u32 %p2, %t, 64; @%p2 bra L2; cp.async.wait_group 0; L2: bar.sync 0;
        ld.shared.f32 %f0, [tile]; st.global.f32 [%a], %f0;
    """,
    "two stages, of which each index is scaled with its stage": """
        mad.lo.u32 %r1, %t, 4, %s; cp.async.ca.shared.global [%r1], [%a], 4; cp.async.commit_group;
        add.u32 %r2, %t, 128; mad.lo.u32 %r3, %r2, 4, %s; cp.async.ca.shared.global [%r3], [%a], 4; cp.async.commit_group;
        cp.async.wait_group 1; bar.sync 0; ld.shared.f32 %f0, [%r1]; cp.async.wait_group 0; bar.sync 0;
        ld.shared.f32 %f1, [%r3]; add.f32 %f0, %f0, %f1; st.global.f32 [%a], %f0;
    """,
    "memory that was filled and read before holds other data now": """
        shl.b32 %r1, %t, 4; add.u32 %r2, %s, %r1;
        st.shared.f32 [%r2+8192], %f7; bar.sync 0;
        cp.async.cg.shared.global [%r2], [%a], 16; cp.async.commit_group; ld.shared.f32 %f0, [tile+8192];
        cp.async.wait_group 0; bar.sync 0; ld.shared.f32 %f1, [tile]; add.f32 %f0, %f0, %f1; st.global.f32 [%a], %f0;
    """,
    "one thread expects, another copies": INIT + """
        setp.eq.u32 %p1, %t, 0; setp.eq.u32 %p2, %t, 32;
        @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 4096; bar.sync 0;
        """ + "@%p2 " + COPY + WAIT + "ld.shared.f32 %f0, [tile]; st.global.f32 [%a], %f0;",
    "the copy first, the bytes after it": INIT + "@%p0 bra WAIT;" + COPY + EXPECT + WAIT + """
        ld.shared.f32 %f0, [tile]; st.global.f32 [%a], %f0;
    """,
    "one warp waits and tells the others by a barrier": INIT + "@%p0 bra REST;" + EXPECT + COPY + """
        REST: setp.ge.u32 %p1, %t, 32; @%p1 bra OTHERS;
        """ + WAIT + """
        bar.arrive 1, 128; bra END; OTHERS: bar.sync 1, 128; ld.shared.f32 %f0, [tile]; st.global.f32 [%a], %f0; END:
    """,
    "barriers are initialised in a loop": """
        setp.ne.u32 %p0, %t, 0; @%p0 bra READY; mov.u32 %i, 0; mov.u32 %r1, bars;
        NEXT: mbarrier.init.shared::cta.b64 [%r1], 128; add.u32 %r1, %r1, 8; add.u32 %i, %i, 1;
        setp.lt.u32 %p1, %i, 4; @%p1 bra NEXT; fence.mbarrier_init.release.cluster; READY: bar.sync 0;
        mbarrier.arrive.shared::cta.b64 %rd1, [bars+16];
        WAIT: mbarrier.try_wait.shared::cta.b64 %q, [bars+16], %rd1; @!%q bra WAIT;
    """,
    "a barrier object is used anew behind its inval": """
        setp.ne.u32 %p0, %t, 0; @%p0 bra A; mbarrier.init.shared::cta.b64 [bar], 128; A: bar.sync 0;
        mbarrier.arrive.shared::cta.b64 %rd1, [bar]; WAIT: mbarrier.test_wait.shared::cta.b64 %q, [bar], %rd1; @!%q bra WAIT;
        bar.sync 0; @%p0 bra B; mbarrier.inval.shared::cta.b64 [bar]; mbarrier.init.shared::cta.b64 [bar], 64; B: bar.sync 0;
        mbarrier.arrive.noComplete.shared::cta.b64 %rd1, [bar], 1;
        mbarrier.arrive.shared::cta.b64 %rd1, [bar]; AGAIN: mbarrier.test_wait.shared::cta.b64 %q, [bar], %rd1; @!%q bra AGAIN;
    """,
    "a look at the barrier first, a wait only where it is needed": INIT + "@%p0 bra PEEK;" + EXPECT + COPY + """
        PEEK: mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], 0; @%p1 bra GO;
        """ + WAIT + "GO: ld.shared.f32 %f0, [tile]; st.global.f32 [%a], %f0;",
    "both parities in one iteration": INIT + """
        mov.u32 %i, 0;
        LOOP: @!%p0 mbarrier.arrive.shared::cta.b64 _, [bar];
        W0: mbarrier.try_wait.parity.shared::cta.b64 %q, [bar], 0; @!%q bra W0;
        @!%p0 mbarrier.arrive.shared::cta.b64 _, [bar];
        W1: mbarrier.try_wait.parity.shared::cta.b64 %q, [bar], 1; @!%q bra W1;
        add.u32 %i, %i, 1; setp.lt.u32 %p1, %i, %n; @%p1 bra LOOP;
    """,
    "the phase is computed from the iteration": INIT + """
        mov.u32 %i, 0;
        LOOP: @!%p0 mbarrier.arrive.shared::cta.b64 _, [bar]; and.b32 %ph, %i, 1;
        WAIT: mbarrier.try_wait.parity.shared::cta.b64 %q, [bar], %ph; @!%q bra WAIT;
        add.u32 %i, %i, 1; setp.lt.u32 %p1, %i, %n; @%p1 bra LOOP;
    """,
    "waited for in the first iteration only": INIT + "@%p0 bra BODY;" + EXPECT + COPY + """
        BODY: mov.u32 %i, 0; mov.f32 %f1, 0f00000000;
        LOOP: setp.ne.u32 %p1, %i, 0; @%p1 bra GO;
        """ + WAIT + """
        GO: ld.shared.f32 %f0, [tile]; add.f32 %f1, %f1, %f0; add.u32 %i, %i, 1; setp.lt.u32 %p2, %i, %n; @%p2 bra LOOP;
        st.global.f32 [%a], %f1;
    """,
    "an inner loop of copies under one expectation": INIT + "@%p0 bra WAIT;" + EXPECT + """
        mov.u32 %i, 0; mov.u32 %r1, tile;
        NEXT: cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%a], 1024, [bar]; add.u32 %r1, %r1, 1024;
        add.u64 %a, %a, 1024; add.u32 %i, %i, 1; setp.lt.u32 %p1, %i, 4; @%p1 bra NEXT;
        """ + WAIT + "ld.shared.f32 %f0, [tile]; st.global.f32 [%a], %f0;",
    "a bulk store may be waited for by its own thread at the end": """
        st.shared.u32 [tile], %n; fence.proxy.async; bar.sync 0; setp.ne.u32 %p0, %t, 0; @%p0 exit;
        cp.async.bulk.global.shared::cta.bulk_group [%a], [tile], 16; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
    """,
    "two staging buffers at constant offsets, one wait at the end": """
        setp.ne.u32 %p0, %t, 0; shl.b32 %r1, %t, 2; add.u32 %r2, %s, %r1;
        st.shared.u32 [%r2], %t; fence.proxy.async; bar.sync 0;
        @!%p0 cp.async.bulk.global.shared::cta.bulk_group [%a], [tile], 4096; @!%p0 cp.async.bulk.commit_group;
        st.shared.u32 [%r2+4096], %t; fence.proxy.async; bar.sync 0;
        @!%p0 cp.async.bulk.global.shared::cta.bulk_group [%a+4096], [tile+4096], 4096; @!%p0 cp.async.bulk.commit_group;
        @!%p0 cp.async.bulk.wait_group.read 0;
    """,
    "from the third iteration on a buffer is waited for": """
        setp.ne.u32 %p0, %t, 0; shl.b32 %r1, %t, 2; mov.u32 %i, 0;
        LOOP: setp.lt.u32 %p1, %i, 2; @%p1 bra FREE; @!%p0 cp.async.bulk.wait_group.read 1;
        FREE: bar.sync 0; and.b32 %r3, %i, 1; shl.b32 %r3, %r3, 12; add.u32 %r4, %s, %r3; add.u32 %r5, %r4, %r1;
        st.shared.u32 [%r5], %t; fence.proxy.async; bar.sync 0;
        @!%p0 cp.async.bulk.global.shared::cta.bulk_group [%a], [%r4], 4096; @!%p0 cp.async.bulk.commit_group;
        add.u32 %i, %i, 1; setp.lt.u32 %p2, %i, %n; @%p2 bra LOOP; @!%p0 cp.async.bulk.wait_group.read 0;
    """,
    "generic writes to one region, a bulk copy out of another": INIT + "@%p0 bra WAIT;" + EXPECT + COPY + WAIT + """
        shl.b32 %r1, %t, 2; add.u32 %r2, %s, %r1; st.shared.u32 [%r2+8192], %t; bar.sync 0;
        @%p0 bra END; cp.async.bulk.global.shared::cta.bulk_group [%a], [tile], 4096; cp.async.bulk.commit_group;
        cp.async.bulk.wait_group 0; END:
    """,
    "one fence for accumulators that nothing else touches": "wgmma.fence.sync.aligned; mov.u32 %i, 0;\nLOOP:" + MMA + """
        wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 1;
        add.u32 %i, %i, 1; setp.lt.u32 %p1, %i, %n; @%p1 bra LOOP; wgmma.wait_group.sync.aligned 0; st.global.f32 [%a], %f0;
    """,
    "two sets of accumulators in flight, the older one read": "wgmma.fence.sync.aligned;" + MMA + """
        wgmma.commit_group.sync.aligned;
        wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f4, %f5, %f6, %f7}, %a, %a, 0, 1, 1, 0, 0;
        wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 1; st.global.f32 [%a], %f0;
        wgmma.wait_group.sync.aligned 0; st.global.f32 [%a], %f4;
    """,
    "printf in the middle": """
        shl.b32 %r1, %t, 4; add.u32 %r2, %s, %r1; cp.async.cg.shared.global [%r2], [%a], 16; cp.async.commit_group;
        { .param .b64 f; .param .b64 v; .param .b32 o; st.param.b64 [f], %a; st.param.b64 [v], %a; call (o), vprintf, (f, v); }
        cp.async.wait_group 0; bar.sync 0; ld.shared.f32 %f0, [tile]; st.global.f32 [%a], %f0;
    """,
    "roles of a cluster meet in barriers of their own text": """
        barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned; setp.lt.u32 %p1, %t, 64; @%p1 bra ONE;
        barrier.cluster.arrive; barrier.cluster.wait; bra END; ONE: barrier.cluster.arrive; barrier.cluster.wait; END:
    """,
    "a remote access that an mbarrier of the other CTA follows": INIT + """
        barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned; mapa.shared::cluster.u32 %r1, tile, 1;
        mapa.shared::cluster.u32 %r2, bar, 1; ld.shared::cluster.f32 %f0, [%r1]; st.global.f32 [%a], %f0;
        @!%p0 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r2];
        WAIT: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %q, [bar], 0; @!%q bra WAIT;
    """,
}  # fmt: skip


def program(body: str, head: str = ".reqntid 128", version: str = "8.0", target: str = "sm_90a") -> str:
    return (
        f".version {version}\n.target {target}\n.address_size 64\n{BEFORE}"
        f".visible .entry k(.param .u64 a, .param .u32 n)\n{head}\n{{\n{REGISTERS}{body}\nret;\n}}\n"
    )


@pytest.mark.parametrize("name", IDIOMS)
def test_it_is_silent(name: str) -> None:
    findings = verify(parse(program(IDIOMS[name])))
    assert [finding for finding in findings if finding.code != "PTX303"] == []


def test_they_assemble(assembler: Callable[..., Any]) -> None:
    for name, body in IDIOMS.items():
        if "vprintf" not in body:  # which only a linker finds
            assert assembler(program(body)).cubin, name


def test_device_functions_are_not_judged_alone() -> None:
    """The wait may be in the caller, the commit in the callee."""
    function = (
        ".func f(.param .b64 p) { .reg .b64 %a; ld.param.b64 %a, [p];\n"
        "cp.async.cg.shared.global [tile], [%a], 16; ret; }\n"
    )
    caller = "{ .param .b64 p; st.param.b64 [p], %a; call f, (p); } cp.async.commit_group; cp.async.wait_group 0; bar.sync 0;"
    text = program(caller).replace(".visible .entry", function + ".visible .entry")
    assert verify(parse(text)) == []
