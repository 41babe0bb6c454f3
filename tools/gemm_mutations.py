#!/usr/bin/env python3
"""A warp-specialised Hopper GEMM with one mistake at a time: what do the verifier and the CPU device under the sanitizer say?

    tools/gemm_mutations.py             each mutation, with who has found it and the first words of the report
    tools/gemm_mutations.py parity swizzle    those with one of these words in their names

A mutation is a row of MUTATIONS: its name, what is replaced by what, and words that a report must have. It prints those that
nobody finds, or whose report lacks the words, and then exits with 1. The kernel itself must have no findings.
"""

from __future__ import annotations

import re
import sys
import time
from pathlib import Path
from typing import Literal, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402

import driver_ctypes as dc  # noqa: E402
import ptxgen as px  # noqa: E402
from ptxgen.errors import Error  # noqa: E402

M, N, DEPTH = 128, 32, 640
SHARED = 3 * 10240

KERNEL = r"""
.version 8.0
.target sm_90a
.address_size 64
.extern .shared .align 1024 .b8 ring[];
.visible .entry gemm(.param .align 64 .b8 a[128], .param .align 64 .b8 b[128], .param .align 64 .b8 c[128])
.reqntid 160, 1, 1
{
	.reg .pred %p<12>; .reg .b32 %r<50>; .reg .b64 %rd<24>; .reg .f32 %f<8>;
	.shared .align 8 .b64 full[3];
	.shared .align 8 .b64 empty[3];
	.shared .align 128 .b8 tile[4096];
	mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.y;
	mov.b64 %rd1, a; cvta.param.u64 %rd1, %rd1;
	mov.b64 %rd2, b; cvta.param.u64 %rd2, %rd2;
	mov.b64 %rd3, c; cvta.param.u64 %rd3, %rd3;
	mov.u32 %r3, full; mov.u32 %r4, empty; mov.u32 %r5, ring; mov.u32 %r6, tile;
	setp.ne.u32 %p1, %r0, 0;
	@%p1 bra READY;
	mbarrier.init.shared::cta.b64 [full], 1;
	mbarrier.init.shared::cta.b64 [full+8], 1;
	mbarrier.init.shared::cta.b64 [full+16], 1;
	mbarrier.init.shared::cta.b64 [empty], 4;
	mbarrier.init.shared::cta.b64 [empty+8], 4;
	mbarrier.init.shared::cta.b64 [empty+16], 4;
	fence.mbarrier_init.release.cluster;
READY:
	bar.sync 0;
	shr.u32 %r7, %r0, 5; and.b32 %r8, %r0, 31;
	shfl.sync.idx.b32 %r7, %r7, 0, 31, -1;
	mov.b32 %r10, 0; mov.b32 %r11, 0; mov.b32 %r12, 0;
	setp.ne.u32 %p2, %r7, 4;
	@%p2 bra CONSUMER;
	setp.ne.u32 %p3, %r8, 0;
	@%p3 bra END;
	shl.b32 %r13, %r2, 6; shl.b32 %r14, %r1, 4;
LOAD:
	mad.lo.u32 %r15, %r11, 8, %r4; xor.b32 %r16, %r12, 1;
FREE:
	mbarrier.try_wait.parity.shared::cta.b64 %p4, [%r15], %r16;
	@!%p4 bra FREE;
	mad.lo.u32 %r17, %r11, 8, %r3;
	mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r17], 10240;
	mad.lo.u32 %r18, %r11, 10240, %r5; shl.b32 %r19, %r10, 6;
	cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r18], [%rd1, {%r19, %r13}], [%r17];
	add.u32 %r20, %r18, 8192;
	cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r20], [%rd2, {%r19, %r14}], [%r17];
	add.u32 %r11, %r11, 1; setp.ne.u32 %p5, %r11, 3;
	@%p5 bra LOADED;
	mov.b32 %r11, 0; xor.b32 %r12, %r12, 1;
LOADED:
	add.u32 %r10, %r10, 1; setp.lt.u32 %p6, %r10, 10;
	@%p6 bra LOAD;
	bra END;
CONSUMER:
	mov.f32 %f0, 0f00000000; mov.f32 %f1, 0f00000000; mov.f32 %f2, 0f00000000; mov.f32 %f3, 0f00000000;
	mov.f32 %f4, 0f00000000; mov.f32 %f5, 0f00000000; mov.f32 %f6, 0f00000000; mov.f32 %f7, 0f00000000;
	mov.b32 %r21, %r4; setp.eq.u32 %p7, %r8, 0;
MULTIPLY:
	mad.lo.u32 %r22, %r11, 8, %r3;
WAIT:
	mbarrier.try_wait.parity.shared::cta.b64 %p4, [%r22], %r12;
	@!%p4 bra WAIT;
	mad.lo.u32 %r23, %r11, 10240, %r5; add.u32 %r24, %r23, 8192;
	shr.u32 %r25, %r23, 4; cvt.u64.u32 %rd4, %r25; or.b64 %rd5, %rd4, 0x4000004000010000;
	shr.u32 %r26, %r24, 4; cvt.u64.u32 %rd6, %r26; or.b64 %rd7, %rd6, 0x4000004000010000;
	add.u64 %rd8, %rd5, 2; add.u64 %rd9, %rd7, 2;
	add.u64 %rd10, %rd5, 4; add.u64 %rd11, %rd7, 4;
	add.u64 %rd12, %rd5, 6; add.u64 %rd13, %rd7, 6;
	setp.ne.u32 %p8, %r10, 0;
	wgmma.fence.sync.aligned;
	wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, %rd5, %rd7, %p8, 1, 1, 0, 0;
	wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, %rd8, %rd9, 1, 1, 1, 0, 0;
	wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, %rd10, %rd11, 1, 1, 1, 0, 0;
	wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, %rd12, %rd13, 1, 1, 1, 0, 0;
	wgmma.commit_group.sync.aligned;
	setp.ne.and.u32 %p9, %r10, 0, %p7;
	wgmma.wait_group.sync.aligned 1;
	@%p9 mbarrier.arrive.shared::cta.b64 _, [%r21];
	mad.lo.u32 %r21, %r11, 8, %r4;
	add.u32 %r11, %r11, 1; setp.ne.u32 %p5, %r11, 3;
	@%p5 bra NEXT;
	mov.b32 %r11, 0; xor.b32 %r12, %r12, 1;
NEXT:
	add.u32 %r10, %r10, 1; setp.lt.u32 %p6, %r10, 10;
	@%p6 bra MULTIPLY;
	wgmma.wait_group.sync.aligned 0;
	shr.u32 %r30, %r8, 2; shl.b32 %r31, %r7, 4; add.u32 %r30, %r30, %r31;
	and.b32 %r32, %r8, 3; shl.b32 %r32, %r32, 3;
	mad.lo.u32 %r33, %r30, 64, %r32; add.u32 %r33, %r33, %r6;
	st.shared.v2.f32 [%r33], {%f0, %f1};
	st.shared.v2.f32 [%r33+512], {%f2, %f3};
	st.shared.v2.f32 [%r33+32], {%f4, %f5};
	st.shared.v2.f32 [%r33+544], {%f6, %f7};
	fence.proxy.async.shared::cta;
	bar.sync 1, 128;
	setp.ne.u32 %p10, %r0, 0;
	@%p10 bra END;
	shl.b32 %r34, %r1, 4; shl.b32 %r35, %r2, 6;
	cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd3, {%r34, %r35}], [%r6];
	cp.async.bulk.commit_group;
	cp.async.bulk.wait_group 0;
END:
	ret;
}
"""


class Boxes(NamedTuple):
    """How the host describes the matrices: boxes and swizzle of A and B, the box of C."""

    a: tuple[int, int] = (64, 64)
    b: tuple[int, int] = (64, 16)
    c: tuple[int, int] = (16, 64)
    swizzle: Literal["64B", "128B"] = "128B"


class Report(NamedTuple):
    """What the verifier said, what the CPU device and the sanitizer said, and whether the result is right."""

    verifier: str
    executor: str
    right: bool


def judged(source: str, boxes: Boxes = Boxes()) -> Report:  # noqa: B008  (immutable)
    """What is said of the kernel."""
    try:
        module = px.parse(source, name="gemm.ptx")
    except Error as error:
        return Report(str(error), "", False)
    said = "\n".join(str(finding) for finding in px.verify(module))
    return Report(said, *_run(source, boxes))


def _run(source: str, boxes: Boxes) -> tuple[str, bool]:
    """(faults and findings, is the result right?)"""
    dev = px.device("cpu")
    random = np.random.default_rng(1)
    x, y = (random.integers(-4, 5, (rows, DEPTH)).astype(np.float32) for rows in (M, N))
    told, right = [], False
    with px.sanitize(strict=False) as watch:
        try:
            a, b, c = dev.array(x, px.bf16), dev.array(y, px.bf16), dev.zeros((M, N), px.f32)
            maps = [
                dc.tensor_map(a, "bf16", shape=(DEPTH, M), box=boxes.a, swizzle=boxes.swizzle),
                dc.tensor_map(b, "bf16", shape=(DEPTH, N), box=boxes.b, swizzle=boxes.swizzle),
                dc.tensor_map(c, "f32", shape=(N, M), box=boxes.c),
            ]
            dev.load(source)["gemm"].launch((N // 16, M // 64), (160,), tuple(maps), shared=SHARED)
            right = bool(np.array_equal(c.numpy(), x @ y.T))
        except Error as error:
            dev.reset()
            told.append(str(error))
    return "\n".join([*(str(found) for found in watch.findings if found.kind != "leak"), *told]), right


class Mutation(NamedTuple):
    """`old` becomes `new` in the kernel and `then` is changed likewise, or the host describes the matrices with `boxes`. One of the
    reports must have `words`, a regular expression."""

    name: str
    old: str
    new: str
    words: str
    boxes: Boxes = Boxes()
    then: tuple[str, str] = ("", "")


_FULL_WAIT = "try_wait.parity.shared::cta.b64 %p4, [%r22], %r12;"
_FIRST = "wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, %rd5, %rd7, %p8, 1, 1, 0, 0;"
_RELEASE = "@%p9 mbarrier.arrive.shared::cta.b64 _, [%r21];"
_A = "tile.mbarrier::complete_tx::bytes [%r18], [%rd1, {%r19, %r13}], [%r17];"
_STORE = "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd3, {%r34, %r35}], [%r6];"

MUTATIONS = (
    Mutation("phase: consumers wait for the other parity", _FULL_WAIT, _FULL_WAIT.replace("%r12", "%r41"), "parity", then=("WAIT:\n", "	xor.b32 %r41, %r12, 1;\nWAIT:\n")),
    Mutation("phase: the producer begins with the parity of a filled ring", "xor.b32 %r16, %r12, 1;", "mov.b32 %r16, %r12;", "empty|mbarrier"),
    Mutation("phase: the producer's does not turn", "mov.b32 %r11, 0; xor.b32 %r12, %r12, 1;\nLOADED", "mov.b32 %r11, 0;\nLOADED", "parity|mbarrier"),
    Mutation("phase: the consumers' does not turn", "mov.b32 %r11, 0; xor.b32 %r12, %r12, 1;\nNEXT", "mov.b32 %r11, 0;\nNEXT", "parity|mbarrier"),
    Mutation("phase: the ring turns one stage late", "add.u32 %r11, %r11, 1; setp.ne.u32 %p5, %r11, 3;\n	@%p5 bra LOADED;", "add.u32 %r11, %r11, 1; setp.ne.u32 %p5, %r11, 4;\n	@%p5 bra LOADED;", "mbarrier"),
    Mutation("wait: consumers do not wait for a full stage", "WAIT:\n	mbarrier." + _FULL_WAIT + "\n	@!%p4 bra WAIT;", "WAIT:", "wait"),
    Mutation("wait: consumers look once", _FULL_WAIT + "\n	@!%p4 bra WAIT;", _FULL_WAIT, "wait|loop"),
    Mutation("wait: the producer does not wait for a free stage", "FREE:\n	mbarrier.try_wait.parity.shared::cta.b64 %p4, [%r15], %r16;\n	@!%p4 bra FREE;", "FREE:", "wait|release"),
    Mutation("wait: wait_group leaves two", "wgmma.wait_group.sync.aligned 1;", "wgmma.wait_group.sync.aligned 2;", "wait_group"),
    Mutation("wait: accumulators are stored before the last wait", "wgmma.wait_group.sync.aligned 0;", "", "wait_group"),
    Mutation("wait: the last wait leaves one", "wgmma.wait_group.sync.aligned 0;", "wgmma.wait_group.sync.aligned 1;", "wait_group"),
    Mutation("wait: the stage just issued is released", "setp.ne.and.u32 %p9, %r10, 0, %p7;\n	wgmma.wait_group.sync.aligned 1;\n	" + _RELEASE + "\n	mad.lo.u32 %r21, %r11, 8, %r4;", "mad.lo.u32 %r21, %r11, 8, %r4;\n	wgmma.wait_group.sync.aligned 1;\n	@%p7 mbarrier.arrive.shared::cta.b64 _, [%r21];", "wait_group|release"),
    Mutation("wait: the store of C is not waited for", "cp.async.bulk.wait_group 0;", "", "wait_group"),
    Mutation("commit: products are in no group", "wgmma.commit_group.sync.aligned;", "", "commit_group"),
    Mutation("commit: before the products", "	wgmma.commit_group.sync.aligned;\n", "", "commit_group", then=("wgmma.fence.sync.aligned;\n", "wgmma.fence.sync.aligned;\n	wgmma.commit_group.sync.aligned;\n")),
    Mutation("commit: the store of C is in no group", "cp.async.bulk.commit_group;", "", "commit_group"),
    Mutation("fence: wgmma.fence is missing", "	wgmma.fence.sync.aligned;\n", "", "wgmma.fence"),
    Mutation("fence: the store of C sees no proxy fence", "fence.proxy.async.shared::cta;", "", "fence.proxy.async"),
    Mutation("fence: the proxy fence is behind the barrier, by one thread of another warp", "fence.proxy.async.shared::cta;\n	bar.sync 1, 128;", "bar.sync 1, 128;\n	setp.eq.u32 %p11, %r0, 64;\n	@%p11 fence.proxy.async.shared::cta;", "fence.proxy.async"),
    Mutation("fence: nothing makes the mbarriers known", "	fence.mbarrier_init.release.cluster;\nREADY:\n	bar.sync 0;", "READY:", "barrier|mbarrier"),
    Mutation("fence: C is stored without a barrier", "bar.sync 1, 128;", "", "barrier"),
    Mutation("count: expect_tx has A alone", "[%r17], 10240;", "[%r17], 8192;", "expect_tx|bytes"),
    Mutation("count: expect_tx has too much", "[%r17], 10240;", "[%r17], 10256;", "expect_tx|bytes"),
    Mutation("count: a full stage expects two arrivals", "mbarrier.init.shared::cta.b64 [full], 1;", "mbarrier.init.shared::cta.b64 [full], 2;", "arrivals"),
    Mutation("count: a free stage expects five arrivals", "mbarrier.init.shared::cta.b64 [empty], 4;", "mbarrier.init.shared::cta.b64 [empty], 5;", "arrivals"),
    Mutation("count: a free stage expects one arrival of four", "mbarrier.init.shared::cta.b64 [empty], 4;", "mbarrier.init.shared::cta.b64 [empty], 1;", "arrival|release"),
    Mutation("count: every thread releases", "setp.eq.u32 %p7, %r8, 0;", "setp.ge.u32 %p7, %r8, 0;", "arriv"),
    Mutation("count: the barrier is for 160 threads", "bar.sync 1, 128;", "bar.sync 1, 160;", "barrier"),
    Mutation("count: one mbarrier is not initialised", "	mbarrier.init.shared::cta.b64 [empty+16], 4;\n", "", "mbarrier"),
    Mutation("swizzle: the descriptor of A has that of 64 bytes", "or.b64 %rd5, %rd4, 0x4000004000010000;", "or.b64 %rd5, %rd4, 0x8000004000010000;", "swizzle"),
    Mutation("swizzle: the map has that of 64 bytes", "", "", "swizzle|box", Boxes(swizzle="64B")),
    Mutation("swizzle: the descriptor of B steps over 512 bytes", "or.b64 %rd7, %rd6, 0x4000004000010000;", "or.b64 %rd7, %rd6, 0x4000002000010000;", "stride|descriptor"),
    Mutation("box: B has eight rows", "", "", "box|bytes|expect_tx", Boxes(b=(64, 8))),
    Mutation("box: A has 32 rows", "", "", "box|bytes|expect_tx", Boxes(a=(64, 32))),
    Mutation("box: C has 128 rows", "", "", "box|tile|shared", Boxes(c=(16, 128))),
    Mutation("coordinates: those of A are swapped", "[%rd1, {%r19, %r13}]", "[%rd1, {%r13, %r19}]", "coordinate|box|tensor"),
    Mutation("coordinates: every CTA stores the first tile of C", "[%rd3, {%r34, %r35}]", "[%rd3, {%r40, %r40}]", "another thread wrote|defined"),
    Mutation("coordinates: B is loaded into A", "add.u32 %r20, %r18, 8192;", "add.u32 %r20, %r18, 0;", "under way|wrote"),
    Mutation("registers: two accumulators are one", "%f6, %f7}, %rd5", "%f6, %f6}, %rd5", "register|twice|accumul"),
    Mutation("registers: an accumulator is read between products", "wgmma.commit_group.sync.aligned;", "add.f32 %f0, %f0, %f1;\n	wgmma.commit_group.sync.aligned;", "wait_group"),
)  # fmt: skip


def mutated(mutation: Mutation) -> str:
    """The kernel with the mistake."""
    source = KERNEL
    for old, new in ((mutation.old, mutation.new), mutation.then):
        assert old in source, mutation.name
        source = source.replace(old, new, 1) if old else source
    return source


def main(words: list[str]) -> int:
    began, bad = time.perf_counter(), 0
    clean = judged(KERNEL)
    assert clean == Report("", "", True), clean
    for mutation in MUTATIONS:
        if words and not any(word in mutation.name for word in words):
            continue
        report = judged(mutated(mutation), mutation.boxes)
        told = [text for text in (report.verifier, report.executor) if text]
        good = any(re.search(mutation.words, text) for text in told)
        bad += not good
        state = "" if good else "OTHER WORDS: " if told else "NOT FOUND: "
        print(f"{state}{mutation.name} (the result is {'right' if report.right else 'wrong'})")
        for by, text in zip(("verifier", "CPU device"), report):
            print(f"    {by}: {str(text).splitlines()[0] if text else '-'}", flush=True)
    print(f"{bad} of {len(MUTATIONS)} not found, {time.perf_counter() - began:.0f} s")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
