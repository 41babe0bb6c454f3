"""Constants as operands: a sample of tools.certify.constants against the assembler, and what the rows say of them."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest

from ptxgen import verify
from ptxgen.isa.describe import operands
from ptxgen.isa.forms import forms_of
from tools.certify.constants import certify_constants, constants

if TYPE_CHECKING:
    from tools.certify.verdicts import Tool


def test_a_sample_is_judged_as_the_assembler_judges_it(tool: Tool) -> None:
    outcome = certify_constants(tool, sample=(Random(11), 1500))
    assert outcome.asked == 1500
    assert not outcome.unexplained, "\n".join(outcome.unexplained)
    assert outcome.taken > 500
    assert outcome.refused > 500


@pytest.mark.parametrize("opcode", ["bar", "mma", "wgmma", "tcgen05", "tensormap", "tex", "red"])
def test_what_is_read_is_asked_about(tool: Tool, opcode: str) -> None:
    asked = [constant for _, constant in zip(range(500), constants(tool, (opcode,)))]
    assert {constant.form.opcode for constant in asked} == {opcode}
    assert all(constant.operand not in ("d", "p", "q", "d2") for constant in asked)


def test_multiples_are_described_shortly() -> None:
    form = next(form for form in forms_of("cp") if "bulk{.plain}.cluster.global.bytes" in form.syntax)
    size = next(text for text in operands(form) if text.name == "size")
    assert size.range == "a multiple of 16 from 0 to 1048560"


def body(line: str) -> str:
    return f"""
    .version 8.8
    .target sm_120a
    .address_size 64
    .entry e() {{
        .reg .b32 %r<20>;
        .reg .f32 %f<9>;
        .reg .b16 %h<5>;
        .reg .b64 %a<3>;
        {line}
        ret;
    }}
    """


REFUSED = {
    "mma.sync.aligned.m16n8k16.row.col.s32.u8.u8.s32 {%r1, %r2, %r3, %r4}, {0, 0}, {%r5}, {%r6, %r7, %r8, %r9};": "PTX204",
    "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2}, {0}, {%f5, %f6, %f7, %f8};": "PTX204",
    "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r1], {0, 0};": "PTX204",
    "red.global.add.noftz.v2.bf16 [%a1], {0, %h1};": "PTX204",
    "mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.f32.e2m1.e2m1.f32.ue8m0 {%f1, %f2, %f3, %f4}, "
    "{%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f5, %f6, %f7, %f8}, %r7, {1, %h2}, %r8, {%h3, %h4};": "PTX205",
    "mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.f32.e2m1.e2m1.f32.ue8m0 {%f1, %f2, %f3, %f4}, "
    "{%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f5, %f6, %f7, %f8}, %r7, {2, 2}, %r8, {%h3, %h4};": "PTX205",
    "st.global.v2.b64 [%a1], {0f3F800000, 0f3F800000};": "PTX204",
}
TAKEN = (
    "mma.sync.aligned.m16n8k16.row.col.s32.u8.u8.s32 {%r1, %r2, %r3, %r4}, {0, %r1}, {%r5}, {0, 0, 0, 0};",
    "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r1], {0, %r2};",
    "red.global.add.noftz.v2.f16 [%a1], {0, %h1};",
    "mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.f32.e2m1.e2m1.f32.ue8m0 {%f1, %f2, %f3, %f4}, "
    "{%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f5, %f6, %f7, %f8}, %r7, {2, 1}, %r8, {0, 3};",
    "st.global.v2.b64 [%a1], {0, 0};",
    "st.global.v2.f64 [%a1], {0f3F800000, 0d3FF0000000000000};",
)


@pytest.mark.parametrize("line", REFUSED)
def test_constants_that_are_refused(line: str) -> None:
    assert REFUSED[line] in {found.code for found in verify(body(line)) if found.severity == "error"}


@pytest.mark.parametrize("line", TAKEN)
def test_constants_that_are_taken(line: str) -> None:
    assert not {found.code for found in verify(body(line)) if found.severity == "error"}


def test_a_sleep_is_a_millisecond_at_most() -> None:
    (found,) = verify(body("nanosleep.u32 1000001;"))
    assert (found.code, found.severity) == ("PTX205", "warning")
    assert found.expected == "a constant from 0 to 1000000"
    assert not verify(body("nanosleep.u32 1000000;"))
