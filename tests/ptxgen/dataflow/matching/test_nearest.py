"""The legal instruction that a finding offers in place of an illegal one."""

from __future__ import annotations

import pytest

from ptxgen.dataflow.matching.nearest import nearest_form, nearest_instruction
from ptxgen.isa.examples import covering_names
from ptxgen.isa.forms import all_forms, resolve
from ptxgen.text import parse
from ptxgen.verifier import verify


@pytest.mark.parametrize(
    "wrong, right",
    [
        ("ld.globl.u32", "ld.global.u32"),  # misspelt
        ("st.globl.v4.f32", "st.global.v4.f32"),
        ("ld.globl", "ld.global.s32"),  # and incomplete
        ("st.shred", "st.shared.s32"),
        ("fma.f32", "fma.rn.f32"),  # missing
        ("cvt.u32.f32", "cvt.rzi.u32.f32"),
        ("mul.u32", "mul.lo.u32"),
        ("elect", "elect.sync"),
        ("mma.sync.m16n8k16.row.col.f32.bf16.bf16.f32", "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"),
        ("ldmatrix.x4.shared.b16", "ldmatrix.sync.aligned.m8n8.x4.shared.b16"),
        ("wgmma.wait_group", "wgmma.wait_group.sync.aligned"),
        ("and.u32", "and.b32"),  # another type
        ("min.b32", "min.u32"),
        ("atom.cas.u32", "atom.cas.b32"),
        ("mbarrier.init.u32", "mbarrier.init.b64"),
        ("add.rn.u32", "add.u32"),  # too many
        ("cvt.rn.f16.f32.sat", "cvt.rn.sat.f16.f32"),  # in another order
        ("add.f32.rn", "add.rn.f32"),
        ("ld.v4.global.f32", "ld.global.v4.f32"),
        ("ld.global.v3.f32", "ld.global.v2.f32"),
        ("mma.sync.aligned.m16n8k15.row.col.f32.bf16.bf16.f32", "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"),
        ("ad.u32", "add.u32"),  # another opcode
        ("mull.lo.u32", "mul.lo.u32"),
        ("load.global.u32", "ld.global.u32"),
        ("wgmm.fence.sync.aligned", "wgmma.fence.sync.aligned"),
    ],
)
def test_what_is_offered(wrong: str, right: str) -> None:
    assert nearest_instruction(wrong) == right


def test_nothing_is_offered_for_what_is_like_nothing() -> None:
    assert nearest_instruction("xyzzy.u32") is None


@pytest.mark.parametrize(
    "instruction, right",
    [
        ("add %rd1, %rd1, %rd1;", "add.u64"),
        ("add %f1, %f1, %f1;", "add.f32"),
        ("selp %f1, %f1, %f1, %p1;", "selp.f32"),
        ("ld.global %rd1, [%rd1];", "ld.global.b64"),
        ("shl.u64 %rd1, %rd1, %r1;", "shl.b64"),
    ],
)
def test_the_operands_decide_where_several_would_do(instruction: str, right: str) -> None:
    text = (
        ".version 8.0\n.target sm_90\n.address_size 64\n.entry k()\n{\n.reg .pred %p<3>; .reg .b32 %r<3>; "
        f".reg .b64 %rd<3>; .reg .f32 %f<3>;\n{instruction}\nret;\n}}\n"
    )
    (finding,) = verify(parse(text))
    assert (finding.code, finding.hint) == ("PTX201", right)


def test_every_offer_is_legal_and_every_form_is_found_again() -> None:
    """Of a sample of the table: a name without one of its modifiers leads to a legal name."""
    names = [covering_names(form)[0] for form in all_forms()][::60]
    for name in names:
        words = name.split(".")
        for drop in range(1, len(words)):
            near = nearest_form(".".join(words[:drop] + words[drop + 1 :]))
            assert near is not None
            assert resolve(near), near
