"""The functions of matrix instructions as machine code: what they call, how they are named."""

from __future__ import annotations

import pytest

from ptxgen.cpu.jit import Tier, object_code
from ptxgen.cpu.rt.matrix.functions import function_name, library_text
from tests.ptxgen.cpu.test_generated_code import undefined_symbols

OPS = [
    "ldmatrix.sync.aligned.m8n8.x4.trans.b16", "stmatrix.sync.aligned.m16n8.x4.trans.b8",
    "movmatrix.sync.aligned.m8n8.trans.b16", "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
    "mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e5m2.f16", "mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16",
    "mma.sync.aligned.m16n8k16.row.col.rp.f64.f64.f64.f64", "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc",
    "mma.sp.sync.aligned.m16n8k128.row.col.satfinite.s32.s4.u4.s32", "wmma.load.a.sync.aligned.row.m8n8k32.s4",
    "wmma.mma.sync.aligned.row.col.m8n32k16.f16.f32", "wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e5m2",
    "tcgen05.mma.sp.cta_group::2.kind::mxf4nvf4.block16", "tcgen05.cp.cta_group::1.4x256b.b8x16.b6x16_p32",
]  # fmt: skip


@pytest.mark.parametrize("op", OPS)
def test_they_call_nothing(op):
    text = library_text(function_name(op))
    assert text == library_text(function_name(op))
    assert undefined_symbols(object_code(text, Tier.FAST)) == set()


@pytest.mark.parametrize(
    "triple,cpu", [("x86_64-unknown-linux-gnu", "x86-64"), ("aarch64-unknown-linux-gnu", "generic")]
)
@pytest.mark.parametrize("op", OPS)
def test_other_processors_need_only_the_c_library_of_mathematics(op, triple, cpu):
    import llvmlite.binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    machine = llvm.Target.from_triple(triple).create_target_machine(cpu=cpu, features="", opt=1, reloc="pic")
    module = llvm.parse_assembly(library_text(function_name(op)))
    module.triple = triple
    assert undefined_symbols(machine.emit_object(module)) <= {"fma", "fmaf", "trunc"}


def test_names_leave_out_what_makes_no_difference():
    assert function_name("ldmatrix.sync.aligned.m8n8.x4.shared::cta.b16") == function_name(
        "ldmatrix.sync.aligned.m8n8.x4.b16"
    )
    sparse = "sync.aligned.m16n8k32.row.col.f32.f16.f16.f32"
    assert function_name(f"mma.sp::ordered_metadata.{sparse}", 1) == function_name(f"mma.sp.{sparse}", 1)
    assert function_name(f"mma.sp.{sparse}", 1) != function_name(f"mma.sp.{sparse}")
