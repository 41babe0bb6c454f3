"""Kernels with one mistake each, for the hunter's tests."""

from __future__ import annotations

HEADER = ".version 8.0\n.target sm_80\n.address_size 64\n"


def scaled(guard: str = "@%p1 bra DONE;", block: str = "") -> str:
    """out[i] = 2 * x[i] for i < n; without the guard, for every thread."""
    return f"""{HEADER}
.visible .entry scaled(.param .u32 n, .param .u64 x, .param .u64 out)
{block}
{{
	.reg .pred %p<2>; .reg .b32 %r<6>; .reg .b64 %d<6>; .reg .f32 %f<3>;
	ld.param.u32 %r1, [n]; ld.param.u64 %d1, [x]; ld.param.u64 %d2, [out];
	mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x;
	mad.lo.u32 %r5, %r3, %r4, %r2;
	setp.ge.u32 %p1, %r5, %r1;
	{guard}
	mul.wide.u32 %d3, %r5, 4; add.u64 %d4, %d1, %d3; add.u64 %d5, %d2, %d3;
	ld.global.f32 %f1, [%d4];
	add.f32 %f2, %f1, %f1;
	st.global.f32 [%d5], %f2;
DONE:
	ret;
}}
"""


def shared(body: str, threads: int = 64) -> str:
    """A kernel of one CTA with 64 words of shared memory: %t is the thread, %own the address of its word, %out where its result
    goes."""
    return f"""{HEADER}
.visible .entry shared(.param .u64 out)
.reqntid {threads}, 1, 1
{{
	.reg .pred %p<4>; .reg .b32 %r<9>, %t, %own, %bytes; .reg .b64 %d<4>, %out;
	.shared .align 16 .b8 box[{4 * threads}];
	mov.u32 %t, %tid.x; shl.b32 %bytes, %t, 2; mov.u32 %r0, box; add.u32 %own, %r0, %bytes;
	ld.param.u64 %d1, [out]; mul.wide.u32 %d2, %t, 4; add.u64 %out, %d1, %d2;
{body}
	ret;
}}
"""


RACE = shared("""
	st.shared.u32 [%own], %t;
	xor.b32 %r1, %bytes, 128; add.u32 %r2, %r0, %r1;
	ld.shared.u32 %r3, [%r2];
	st.global.u32 [%out], %r3;""")
ORDERED = RACE.replace("xor.b32 %r1", "bar.sync 0; xor.b32 %r1")
UNWRITTEN = shared("""
	setp.lt.u32 %p1, %t, 32; @%p1 st.shared.u32 [%own], %t; bar.sync 0;
	ld.shared.u32 %r3, [%own];
	st.global.u32 [%out], %r3;""")
UNWRITTEN_UNUSED = UNWRITTEN.replace("st.global", "@%p1 st.global")
DEADLOCK = shared("""
	setp.lt.u32 %p1, %t, 32; @%p1 bra FIRST; bar.sync 1, 64; bra.uni REST;
FIRST:	bar.sync 2, 64;
REST:	st.global.u32 [%out], %t;""")
SPINS = shared("""
	mov.u32 %r1, 0; st.volatile.shared.u32 [%own], %r1;
AGAIN:	ld.volatile.shared.u32 %r2, [%own]; setp.eq.u32 %p1, %r2, 0; @%p1 bra AGAIN;
	st.global.u32 [%out], %r2;""")
LATE = f"""{HEADER}
.visible .entry late(.param .u64 x, .param .u64 out)
.reqntid 32, 1, 1
{{
	.reg .b32 %r<5>; .reg .b64 %d<7>;
	.shared .align 16 .b8 box[512];
	ld.param.u64 %d1, [x]; ld.param.u64 %d2, [out];
	mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, box; add.u32 %r3, %r3, %r2;
	mul.wide.u32 %d3, %r1, 4; add.u64 %d4, %d1, %d3; add.u64 %d5, %d2, %d3;
	cp.async.ca.shared.global [%r3], [%d4], 4;
	ld.shared.u32 %r4, [%r3];
	st.global.u32 [%d5], %r4;
	cp.async.wait_all;
	ret;
}}
"""
FIRST_COME = shared("""
	atom.global.add.u32 %r1, [%d1], 1;
	st.shared.u32 [%own], %r1;
	ld.shared.u32 %r2, [%own]; st.global.u32 [%out+256], %r2;""")

WAITS_FOR_THE_GRID = f"""{HEADER}
.visible .entry both(.param .u64 out)
.reqntid 32, 1, 1
{{
	.reg .pred %p<5>; .reg .b32 %r<12>; .reg .b64 %d<9>;
	// this_grid().sync(), as nvcc writes it: all CTAs of a cooperative launch, in the workspace of the grid
	ld.param.u64 %d1, [out]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %nctaid.x; mov.u32 %r3, %tid.x;
	mad.lo.u32 %r4, %r1, 32, %r3; mul.wide.u32 %d2, %r4, 4; add.u64 %d3, %d1, %d2; st.global.u32 [%d3], %r4;
	mov.u32 %r5, %envreg2; mov.u32 %r6, %envreg1; mov.b64 %d4, {{%r5, %r6}};
	setp.ne.u64 %p1, %d4, 0; @%p1 bra WORKSPACE; trap;
WORKSPACE:
	add.u64 %d4, %d4, 4;
	bar.sync 0;
	setp.ne.u32 %p2, %r3, 0; @%p2 bra WAITED;
	sub.u32 %r7, -2147483647, %r2; setp.eq.u32 %p3, %r1, 0; selp.b32 %r8, %r7, 1, %p3;
	atom.add.release.gpu.global.u32 %r9, [%d4], %r8;
AGAIN:
	ld.acquire.gpu.global.u32 %r10, [%d4]; xor.b32 %r10, %r10, %r9; setp.ge.s32 %p4, %r10, 0; @%p4 bra AGAIN;
WAITED:
	bar.sync 0;
	xor.b32 %r11, %r4, 32; mul.wide.u32 %d5, %r11, 4; add.u64 %d6, %d1, %d5; ld.global.u32 %r11, [%d6];
	ret;
}}
"""

MAPPED = """.version 8.0\n.target sm_90a\n.address_size 64
.visible .entry mapped(.param .align 64 .b8 map[128], .param .u64 out)
.reqntid 32, 1, 1
{
	.reg .pred %p<3>; .reg .b32 %r<5>; .reg .b64 %d<6>;
	.shared .align 128 .b8 box[128]; .shared .align 8 .b64 bar;
	mov.u32 %r1, %tid.x; mov.b64 %d1, map; cvta.param.u64 %d1, %d1; ld.param.u64 %d2, [out];
	setp.ne.u32 %p1, %r1, 0; @%p1 bra READY;
	mbarrier.init.shared.b64 [bar], 1; fence.mbarrier_init.release.cluster; fence.proxy.async.shared::cta;
	mbarrier.arrive.expect_tx.shared.b64 _, [bar], 128;
	cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [box], [%d1, {0, 0}], [bar];
READY:
	bar.sync 0;
	WAIT
	shl.b32 %r2, %r1, 2; mov.u32 %r3, box; add.u32 %r2, %r2, %r3; ld.shared.u32 %r4, [%r2];
	mul.wide.u32 %d3, %r1, 4; add.u64 %d4, %d2, %d3; st.global.u32 [%d4], %r4;
	ret;
}
"""
MAPPED_AND_WAITED = MAPPED.replace(
    "\tWAIT\n", "AGAIN: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra AGAIN;\n"
)
MAPPED = MAPPED.replace("\tWAIT\n", "")
