"""What LLVM is given and what it makes of it: no call leaves generated code but for the run-time library's functions."""

from __future__ import annotations

import struct

import pytest

from ptxgen.cpu import compile_module
from ptxgen.cpu.jit import Tier, object_code
from ptxgen.cpu.lower import registry
from ptxgen.cpu.rt.asynchronous import ASYNC
from ptxgen.cpu.rt.library import CORE, SYNC, library_text
from ptxgen.isa.examples import every_name
from ptxgen.isa.forms import forms_of
from ptxgen.text import parse
from tests.ptxgen.cpu.machine import HEADER, arena, run

TIERS = pytest.mark.parametrize("tier", [Tier.BASE, Tier.FAST])

# Every helper of rt/ and every intrinsic is behind one of these.
INSTRUCTIONS = """
add.rz.f32 %f1, %f1, %f2; sub.rm.f64 %g1, %g1, %g2; mul.rp.f32 %f1, %f1, %f2; fma.rz.f64 %g1, %g1, %g2, %g2;
fma.rn.f32 %f1, %f1, %f2, %f2; div.rp.f32 %f1, %f1, %f2; sqrt.rm.f64 %g1, %g2; rcp.rz.f32 %f1, %f1; sqrt.rn.f32 %f1, %f1;
sin.approx.f32 %f1, %f1; cos.approx.f32 %f1, %f1; ex2.approx.f32 %f1, %f1; lg2.approx.f32 %f1, %f1; tanh.approx.f32 %f1, %f1;
rsqrt.approx.f32 %f1, %f1; rcp.approx.ftz.f64 %g1, %g1; rsqrt.approx.ftz.f64 %g1, %g1; div.full.f32 %f1, %f1, %f2;
fma.rn.f16x2 %r1, %r1, %r2, %r2; fma.rn.bf16 %h1, %h1, %h2, %h2; tanh.approx.bf16x2 %r1, %r1; ex2.approx.f16 %h1, %h1;
cvt.rn.f16.f64 %h1, %g1; cvt.rp.f32.u64 %f1, %d1; cvt.rm.f64.s64 %g1, %d1; cvt.rz.bf16.u64 %h1, %d1; cvt.rn.f32.f64 %f1, %g1;
cvt.rni.u64.f64 %d1, %g1; cvt.rpi.s8.f16 %r1, %h1; cvt.rmi.f64.f64 %g1, %g1; cvt.rzi.f16.f16 %h1, %h1; cvt.rni.f32.f32 %f1, %f1;
cvt.rn.satfinite.e4m3x2.f32 %h1, %f1, %f2; cvt.rn.f16x2.e5m2x2 %r1, %h1; cvt.rz.ue8m0x2.f32 %h1, %f1, %f2;
cvt.rna.tf32.f32 %r1, %f1; cvt.rn.bf16x2.ue8m0x2 %r1, %h1; cvt.rp.f32.f64 %f1, %g1;
div.s64 %d1, %d1, %d2; rem.u16 %h1, %h1, %h2; mul.hi.u64 %d1, %d1, %d2; mad.hi.s64 %d1, %d1, %d2, %d2; popc.b64 %r1, %d1;
bfind.s64 %r1, %d1; clz.b32 %r1, %r1; brev.b64 %d1, %d1; fns.b32 %r1, %r1, %r2, %r3; prmt.b32 %r1, %r1, %r2, %r3;
addc.cc.u64 %d1, %d1, %d2; shf.l.clamp.b32 %r1, %r1, %r2, %r3; min.s16x2 %r1, %r1, %r2; abs.s64 %d1, %d1;
atom.global.add.f32 %f1, [%d3], %f1; atom.global.add.f64 %g1, [%d3], %g1; atom.global.add.noftz.f16x2 %r1, [%d3], %r1;
atom.global.cas.b128 %q, [%d3], %q, %q; atom.global.inc.u32 %r1, [%d3], %r1; atom.global.cas.b16 %h1, [%d3], %h1, %h2;
atom.global.min.s64 %d1, [%d3], %d1; red.global.add.noftz.bf16 [%d3], %h1; atom.shared.exch.b64 %d1, [%d3], %d1;
ld.v4.f32 {%f1, %f2, %f3, %f4}, [%d3]; ld.acquire.sys.global.u64 %d1, [%d3]; st.release.gpu.b32 [%d3], %r1;
shfl.sync.idx.b32 %r1|%p1, %r1, %r2, %r3, %r2; vote.sync.ballot.b32 %r1, %p1, %r2; match.all.sync.b64 %r1|%p1, %d1, %r2;
redux.sync.min.s32 %r1, %r1, %r2; redux.sync.max.NaN.f32 %f1, %f1, %r2; elect.sync %r1|%p1, %r2; activemask.b32 %r1;
bar.red.and.pred %p1, %r1, %r2, %p1; barrier.sync %r1; bar.arrive 1, 64; bar.warp.sync %r2; fence.sc.sys; mov.u64 %d1, %clock64;
cp.async.ca.shared.global [%r1], [%d3], 8, %r2; cp.async.cg.shared.global [%r1], [%d3], 16, %p1; cp.async.commit_group;
cp.async.wait_group 1; cp.async.wait_all; cp.async.mbarrier.arrive.shared.b64 [%r1]; mbarrier.init.shared.b64 [%r1], 4;
mbarrier.arrive.expect_tx.shared.b64 %d1, [%r1], %r2; mbarrier.arrive_drop.noComplete.b64 %d1, [%d3], %r2;
mbarrier.complete_tx.shared.b64 [%r1], %r2; mbarrier.pending_count.b64 %r2, %d1; mbarrier.inval.shared.b64 [%r1];
mbarrier.try_wait.parity.shared.b64 %p1, [%r1], %r2, %r3; mbarrier.test_wait.shared.b64 %p1, [%r1], %d1;
cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r1], [%d3], %r2, [%r3]; cp.async.bulk.commit_group;
cp.async.bulk.global.shared::cta.bulk_group [%d3], [%r1], %r2; cp.async.bulk.wait_group.read 0;
cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%r1], [%d3, {%r1, %r2}], [%r3];
cp.async.bulk.tensor.4d.shared::cta.global.im2col.mbarrier::complete_tx::bytes [%r1], [%d3, {%r1, %r2, 0, 0}], [%r3], {%h1, %h2};
cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%d3, {%r1}], [%r2];
cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group [%d3, {%r1, %r2}], [%r2];
cp.reduce.async.bulk.global.shared::cta.bulk_group.min.bf16 [%d3], [%r1], %r2; cp.async.bulk.prefetch.L2.global [%d3], %r2;
cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.inc.u32 [%r1], [%r2], 16, [%r3];
st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.f64 [%r1], {%g1, %g2}, [%r2];
red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [%r1], %d1, [%r2];
add.rm.f32.f16 %f1, %h1, %f2; fma.rn.f32.bf16 %f1, %h1, %h2, %f2; cvt.rs.satfinite.e4m3x4.f32 %r1, {%f1, %f2, %f1, %f2}, %r2;
st.bulk.shared::cta [%r1], %d1, 0; cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%d3], [%r1], %r2, %h1;
cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes [%r1], [%d3, {%r1, %r2, 0, 1, 2}], [%r3];
clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%r1], [%r2];
clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p1, %q; multimem.ld_reduce.add.e4m3x4 %r1, [%d3];
mapa.shared::cluster.u32 %r1, %r2, 0; getctarank.u64 %r1, %d3; barrier.cluster.arrive.aligned; barrier.cluster.wait.acquire;
tcgen05.alloc.cta_group::1.sync.aligned.b32 [%d3], 32; tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r1, 32;
tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned; tcgen05.wait::ld.sync.aligned; tcgen05.fence::after_thread_sync;
tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%r1], %h1;
fence.proxy.async; fence.proxy.async.global; fence.mbarrier_init.release.cluster; fence.proxy.tensormap::generic.release.gpu;
"""


def undefined_symbols(elf: bytes) -> set[str]:
    """Names that an ELF64 object needs from elsewhere."""
    (offset,) = struct.unpack_from("<Q", elf, 0x28)
    size, count = struct.unpack_from("<HH", elf, 0x3A)
    sections = [struct.unpack_from("<IIQQQQIIQQ", elf, offset + i * size) for i in range(count)]
    found = set()
    for kind, start, length, link in ((s[1], s[4], s[5], s[6]) for s in sections):
        if kind != 2:  # the symbol table
            continue
        names = sections[link][4]
        for at in range(start, start + length, 24):
            name, _, _, section = struct.unpack_from("<IBBH", elf, at)
            if section == 0 and name:
                end = elf.index(b"\0", names + name)
                found.add(elf[names + name : end].decode())
    return found - {"_GLOBAL_OFFSET_TABLE_"}


def kernel_text() -> str:
    source = f"""{HEADER}
.visible .entry k(.param .u64 p)
{{
	.reg .b32 %r<5>; .reg .b64 %d<5>; .reg .f32 %f<5>; .reg .f64 %g<5>; .reg .b16 %h<5>; .reg .pred %p<5>; .reg .b128 %q;
	ld.param.u64 %d3, [p];
	{INSTRUCTIONS}
}}
"""
    return compile_module(parse(source, "all.ptx"), arena()).kernels["k"].code.text


@TIERS
def test_kernels_call_nothing_but_the_library(tier):
    assert undefined_symbols(object_code(kernel_text(), tier)) <= {*CORE, *SYNC, *ASYNC}


@TIERS
def test_the_library_calls_nothing_else(tier):
    assert undefined_symbols(object_code(library_text(CORE), tier)) == {"sched_yield"}
    assert undefined_symbols(object_code(library_text(SYNC), tier)) <= {"fault"}
    assert undefined_symbols(object_code(library_text(ASYNC), tier)) <= {"fault", "claim"}


def test_text_is_the_same_every_time():
    assert kernel_text() == kernel_text()
    assert library_text(CORE) == library_text(CORE)


@pytest.mark.parametrize(
    "triple,cpu", [("x86_64-unknown-linux-gnu", "x86-64"), ("aarch64-unknown-linux-gnu", "generic")]
)
def test_other_processors_need_only_the_c_library_of_mathematics(triple, cpu):
    """What a processor lacks, libm has; never compiler-rt, which is not there."""
    import llvmlite.binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    machine = llvm.Target.from_triple(triple).create_target_machine(cpu=cpu, features="", opt=0, reloc="pic")
    module = llvm.parse_assembly(kernel_text())
    module.triple = triple
    libm = {"fma", "fmaf", "rint", "trunc", "truncf", "floor", "floorf", "ceil", "ceilf", "roundeven", "roundevenf"}
    wide = {"__atomic_compare_exchange_16"}  # .b128 on x86-64 without cmpxchg16b; JIT code has the host's features
    assert undefined_symbols(machine.emit_object(module)) - {*CORE, *SYNC, *ASYNC} <= libm | wide


def test_what_nothing_lowers_is_not_found():
    assert registry.find("add.u32") is not None
    for op in (
        "add.f99",
        "add.sat.u32",
        "frobnicate.b32",
        "cvt.rn.u8.f16.f32",
        "shfl.idx.b32",
        "tcgen05.fence::before",
    ):
        assert registry.find(op) is None


LATER = ("exclusive", "spcompress", "lut", "ti16")
"""Words of what came with PTX 9.4, for sm_107."""


def test_every_instruction_of_tensor_memory_has_one_lowering():
    names = {name for form in forms_of("tcgen05") for name in every_name(form)}
    found = {name for name in names if not any(word in name for word in LATER)}
    assert len(found) > 1000
    registry.find("tcgen05.wait::ld.sync.aligned"), registry.find("tcgen05.shift.cta_group::1.down")
    claims = {name: sum(entry.match(name) is not None for entry in registry._by_opcode["tcgen05"]) for name in found}
    assert set(claims.values()) == {1}


@pytest.mark.parametrize("op", sorted({text.split()[0] for text in INSTRUCTIONS.split(";") if text.split()}))
def test_every_instruction_has_one_lowering(op):
    """Two claims on one syntax would hide a mistake."""
    registry.find(op)
    assert len([entry for entry in registry._by_opcode[op.partition(".")[0]] if entry.match(op)]) == 1


def test_helpers_that_differ_in_which_constant_is_true_are_two_functions():
    """.relu and .satfinite of one conversion in one kernel."""
    body = """
	mov.f32 %f1, 0fC77FF000; mov.f32 %f2, 0f47FFF000;
	cvt.rn.relu.f16x2.f32 %r1, %f1, %f2;
	cvt.rn.satfinite.f16x2.f32 %r2, %f1, %f2;
	st.global.u32 [%out], %r1; st.global.u32 [%out+4], %r2;"""
    assert run(body).u32[:2] == [0x00007C00, 0xFBFF7BFF]
