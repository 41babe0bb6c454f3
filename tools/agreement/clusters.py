"""Kernels over clusters: what CTAs read, add and send in each other's shared memory; GEMMs that share tiles or their depth."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

import ptxgen as px
from ptxgen.kernels.matrices.gemm import Tiling, plan

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["clusters"]

Array = np.ndarray[Any, Any]
SIZES = (2, 4, 8)
THREADS = 64
READS, WRITES = 3, 6
"""Words that a thread draws, and that it leaves."""
_SYNC = "barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;"
_COMPLETES = "mbarrier::complete_tx::bytes"


def exchange(size: int) -> str:
    """A module whose CTAs are in clusters of that size. Each thread loads a word of a drawn thread, adds to, and takes the
    greatest of, words of drawn threads; sends a word to the same thread of the next CTA, by st.async; adds to one there by
    red.async; and each CTA sends 16 bytes of its operands to all."""
    words = THREADS * size
    return f""".version 8.1
.target sm_90
.address_size 64
.visible .entry exchange(.param .u64 in, .param .u64 out) .explicitcluster .reqnctapercluster {size}
{{
	.reg .b32 %r<32>; .reg .b64 %in, %out, %d<4>; .reg .b16 %h; .reg .pred %p, %first;
	.shared .align 16 .b32 own[{THREADS}], most[{THREADS}], sums[{THREADS}], sent[{THREADS}], added[{THREADS}], all[{4 * size}];
	.shared .align 8 .b64 bar;
	ld.param.u64 %in, [in]; ld.param.u64 %out, [out];
	mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r3, %r2, {THREADS}, %r1;
	mul.lo.u32 %r4, %r3, {4 * READS}; cvt.u64.u32 %d1, %r4; add.u64 %in, %in, %d1;
	mul.lo.u32 %r4, %r3, {4 * WRITES}; cvt.u64.u32 %d1, %r4; add.u64 %out, %out, %d1;
	ld.global.u32 %r5, [%in]; ld.global.u32 %r6, [%in+4]; ld.global.u32 %r7, [%in+8];
	setp.eq.u32 %first, %r1, 0;
	mov.u32 %r8, %cluster_ctarank; add.u32 %r9, %r8, 1; rem.u32 %r9, %r9, {size};
	shl.b32 %r10, %r1, 2;
	mov.u32 %r11, own; add.u32 %r11, %r11, %r10; st.shared.u32 [%r11], %r5;
	mov.u32 %r12, most; add.u32 %r12, %r12, %r10; st.shared.u32 [%r12], %r6;
	mov.u32 %r13, sums; add.u32 %r13, %r13, %r10; st.shared.u32 [%r13], %r7;
	mov.u32 %r14, added; add.u32 %r14, %r14, %r10; st.shared.u32 [%r14], %r5;
	@%first mbarrier.init.shared::cta.b64 [bar], 1;
	fence.mbarrier_init.release.cluster; fence.proxy.async;
	{_SYNC}
	@%first mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], {8 * THREADS + 16 * size};
	rem.u32 %r15, %r6, {words}; rem.u32 %r16, %r7, {words};
	div.u32 %r17, %r15, {THREADS}; rem.u32 %r18, %r15, {THREADS}; shl.b32 %r18, %r18, 2;
	div.u32 %r19, %r16, {THREADS}; rem.u32 %r20, %r16, {THREADS}; shl.b32 %r20, %r20, 2;
	mov.u32 %r21, own; add.u32 %r21, %r21, %r18; mapa.shared::cluster.u32 %r21, %r21, %r17; ld.shared::cluster.u32 %r22, [%r21];
	mov.u32 %r21, most; add.u32 %r21, %r21, %r20; mapa.shared::cluster.u32 %r21, %r21, %r19;
	red.shared::cluster.max.s32 [%r21], %r5;
	mov.u32 %r21, sums; add.u32 %r21, %r21, %r18; cvt.u64.u32 %d2, %r21; cvta.shared.u64 %d2, %d2; mapa.u64 %d2, %d2, %r17;
	atom.add.u32 %r23, [%d2], %r6;
	mov.u32 %r24, bar; mapa.shared::cluster.u32 %r24, %r24, %r9;
	mov.u32 %r21, sent; add.u32 %r21, %r21, %r10; mapa.shared::cluster.u32 %r21, %r21, %r9;
	st.async.shared::cluster.{_COMPLETES}.b32 [%r21], %r7, [%r24];
	mov.u32 %r21, added; xor.b32 %r25, %r10, 124; add.u32 %r21, %r21, %r25; mapa.shared::cluster.u32 %r21, %r21, %r9;
	red.async.relaxed.cluster.shared::cluster.{_COMPLETES}.add.u32 [%r21], %r6, [%r24];
	mov.u32 %r21, all; mad.lo.u32 %r21, %r8, 16, %r21; mov.u32 %r24, bar; cvt.u16.u32 %h, {(1 << size) - 1};
	mul.lo.u32 %r26, %r2, {4 * READS * THREADS}; cvt.u64.u32 %d3, %r26; ld.param.u64 %d1, [in]; add.u64 %d3, %d3, %d1;
	@%first cp.async.bulk.shared::cluster.global.{_COMPLETES}.multicast::cluster [%r21], [%d3], 16, [%r24], %h;
WAIT:
	mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p, [bar], 0; @!%p bra WAIT;
	{_SYNC}
	ld.shared.u32 %r12, [%r12]; ld.shared.u32 %r13, [%r13]; ld.shared.u32 %r14, [%r14];
	mov.u32 %r21, sent; add.u32 %r21, %r21, %r10; ld.shared.u32 %r15, [%r21];
	rem.u32 %r16, %r1, {4 * size}; mov.u32 %r21, all; mad.lo.u32 %r21, %r16, 4, %r21; ld.shared.u32 %r16, [%r21];
	st.global.u32 [%out], %r22; st.global.u32 [%out+4], %r12; st.global.u32 [%out+8], %r13; st.global.u32 [%out+12], %r14;
	st.global.u32 [%out+16], %r15; st.global.u32 [%out+20], %r16;
	{_SYNC}
	ret;
}}
"""


def _exchange(size: int, given: Array, device: px.Device) -> dict[str, Array]:
    out = np.zeros((len(given), WRITES), np.uint32)
    context = device.context
    with (
        context.load(exchange(size)) as module,
        context.alloc(given.nbytes) as source,
        context.alloc(out.nbytes) as target,
    ):
        context.copy_to_device(source, given)
        module.function("exchange").launch(len(given) // THREADS, THREADS, source, target)
        context.copy_to_host(out, target)
    return {f"exchange over {size} CTAs": out.reshape(-1, size * THREADS * WRITES)}


TILINGS = {
    "multicast to 2 columns": Tiling(128, 128, 64, 2, multicast=(1, 2)),
    "multicast to 2 rows": Tiling(128, 128, 64, 2, multicast=(2, 1)),
    "multicast to 2 x 2": Tiling(128, 128, 64, 2, multicast=(2, 2)),
    "depth over 2 CTAs": Tiling(64, 128, 64, 1, split=2),
    "depth over 4 CTAs": Tiling(64, 64, 64, 1, split=4),
}
"""GEMMs over clusters, by what their CTAs share."""
DEPTH, COLUMNS = 512, 512


def _gemm(name: str, element: type[Any], x: Array, y: Array, device: px.Device) -> dict[str, Array]:
    tiling = TILINGS[name]
    (rows, depth), columns = x.shape, len(y)
    a, b, c = device.array(x, element), device.array(y, element), device.zeros((rows, columns), px.f32)
    plan(a, b, c, m=rows, n=columns, depth=depth, element=element, result=px.f32, tiling=tiling).launch()
    across = c.numpy().view(np.uint32).reshape(rows // 64, 64, columns // tiling.bn, tiling.bn)
    return {f"{element.isa.name} GEMM, {name}": across.swapaxes(1, 2).reshape(-1, 64 * tiling.bn)}


def clusters(samples: int, only: str) -> Iterator[Callable[[px.Device], dict[str, Array]]]:
    """A sample is a cluster of an exchange; of a GEMM the product of 64 rows by a tile's columns over 16 of the depth."""
    random = np.random.default_rng(7)
    for size in SIZES:
        for first in range(0, samples, 4096):
            if only in f"exchange over {size} CTAs":
                count = min(4096, samples - first) * size * THREADS
                yield partial(_exchange, size, random.integers(0, 1 << 32, (count, READS), np.uint32))
    for name, tiling in TILINGS.items():
        for element in (px.bf16, px.f16):
            if only not in f"{element.isa.name} GEMM, {name}":
                continue
            each = 2048 // 64 * (COLUMNS // tiling.bn) * (DEPTH // 16)
            for _ in range(-(-samples // each)):
                x, y = (random.standard_normal((rows, DEPTH)).astype(np.float32) for rows in (2048, COLUMNS))
                yield partial(_gemm, name, element, x, y)
