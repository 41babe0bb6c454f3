"""What `form_support` says of forms is what the device does with them."""

from __future__ import annotations

from collections import Counter

import pytest

import ptxgen as px
from ptxgen.cpu.program import compile_relocatable
from ptxgen.cpu.refusals import Survey
from ptxgen.cpu.support import STATES, coverage, form_support, launch_support, name_support
from ptxgen.errors import UnsupportedError
from ptxgen.isa import describe
from ptxgen.isa.forms import all_forms, forms_of, resolve
from ptxgen.isa.targets import find_target
from ptxgen.text import parse


def state(name: str) -> str:
    return form_support(resolve(name)[0].form).state


@pytest.mark.parametrize(
    "name, expected",
    [
        ("add.u32", "exact"), ("fma.rn.f32", "exact"), ("rcp.rn.f32", "exact"), ("bra", "exact"), ("call", "exact"),
        ("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", "exact"), ("wgmma.fence.sync.aligned", "exact"),
        ("rcp.approx.f32", "bounded"), ("div.full.f32", "bounded"), ("tanh.approx.f32", "bounded"),
        ("tcgen05.mma.cta_group::1.kind::f16", "modelled"), ("st.async.release.gpu.b32", "modelled"),
        ("add.rn.f32x2", "exact"),
        ("tex.1d.v4.f32.f32", "bounded"), ("multimem.red.add.u32", "exact"), ("suld.b.2d.b32.trap", "exact"),
        ("vadd4.u32.u32.u32.sat", "exact"), ("alloca.u64", "exact"), ("tensormap.replace.tile.rank.b1024.b32", "exact"),
    ],
)  # fmt: skip
def test_states(name: str, expected: str) -> None:
    assert state(name) == expected


def test_a_form_may_run_but_for_some_of_its_names() -> None:
    """`kind::ti16` came with sm_107; `bra.uni` has no lowering, and runs."""
    mixed = next(form for form in forms_of("tcgen05") if form_support(form).refused)
    assert all("ti16" in name for name in form_support(mixed).refused)
    assert form_support(forms_of("bra")[0]).refused == ()


def test_an_example_of_each_form_is_refused_exactly_where_that_is_said() -> None:
    wrong = []
    states: Counter[str] = Counter()
    for form in all_forms():
        said = form_support(form).state
        states[said] += 1
        example = describe.example(form)
        if not example:  # of PTX before 3.2 alone: no target of today has it
            continue
        module = parse(example)
        try:
            compile_relocatable(module)
            runs = True
        except UnsupportedError:
            runs = False
        if runs is (said == "refused"):
            wrong.append(form.syntax)
        if not runs and any(map(Survey(module).surely_runs, module.entries)):
            wrong.append(f"{form.syntax}: the load would not tell")
    assert wrong == []
    assert states.keys() == STATES.keys()


def test_notes_say_how_near_and_why():
    assert form_support(resolve("rcp.approx.f32")[0].form).note.startswith("1 ulp")
    assert name_support("ex2.approx.f32").state == "bounded"
    assert name_support("add.u32") == ("exact", (), "")
    refused = next(each for each in map(form_support, all_forms()) if each.state == "refused")
    assert refused.note
    with pytest.raises(ValueError, match="no instruction of the table"):
        name_support("add.u7")


def test_a_launch_tells_what_it_used():
    with px.profile() as counts:
        dev = px.device("cpu")
        module = dev.load(px.parse(ROOTS))
        out = dev.zeros(32, px.f32)
        module["roots"].launch(1, 32, (out,))
    said = launch_support(counts.launches[0])
    assert said["bounded"] == {"sqrt.approx.f32": "relative error 2**-23"}
    assert "st.global.f32" in said["exact"]
    assert "rcp.approx.f32" not in said["bounded"], "nothing has executed it"


ROOTS = """.version 8.0
.target sm_90
.address_size 64
.visible .entry roots(.param .u64 out)
{
	.reg .b64 %d; .reg .b32 %r; .reg .f32 %f; .reg .pred %p;
	ld.param.u64 %d, [out]; mov.u32 %r, %tid.x; cvt.rn.f32.u32 %f, %r; sqrt.approx.f32 %f, %f;
	setp.gt.u32 %p, %r, 1000;
	@!%p bra STORE;
	rcp.approx.f32 %f, %f;
STORE:
	mad.wide.u32 %d, %r, 4, %d; st.global.f32 [%d], %f;
	ret;
}
"""


def test_coverage_counts_names():
    found = coverage(find_target("sm_100a"), only=("vadd4", "bra", "mma", "wgmma"))
    assert (found.opcodes, found.whole, found.part) == (3, 2, 1), "sm_100a has no wgmma"
    assert found.names - found.run == sum(found.missing.values()) == found.missing["mma"]
