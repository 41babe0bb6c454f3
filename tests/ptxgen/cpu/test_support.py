"""What `form_support` says of forms is what the device does with them."""

from __future__ import annotations

from collections import Counter

import pytest

from ptxgen.cpu.program import compile_relocatable
from ptxgen.cpu.support import STATES, form_support
from ptxgen.errors import UnsupportedError
from ptxgen.isa import describe
from ptxgen.isa.forms import all_forms, forms_of, resolve
from ptxgen.text import parse


def state(name: str) -> str:
    return form_support(resolve(name)[0].form).state


@pytest.mark.parametrize(
    "name, expected",
    [
        ("add.u32", "exact"), ("fma.rn.f32", "exact"), ("rcp.rn.f32", "exact"), ("bra", "exact"), ("call", "exact"),
        ("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", "exact"), ("wgmma.fence.sync.aligned", "exact"),
        ("rcp.approx.f32", "bounded"), ("div.full.f32", "bounded"), ("tanh.approx.f32", "bounded"),
        ("tcgen05.mma.cta_group::1.kind::f16", "modelled"), ("add.rn.f32x2", "exact"),
        ("tex.1d.v4.f32.f32", "refused"), ("multimem.red.add.u32", "refused"),
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
        try:
            compile_relocatable(parse(describe.example(form)))
            runs = True
        except UnsupportedError:
            runs = False
        if runs is (said == "refused"):
            wrong.append(form.syntax)
    assert wrong == []
    assert states.keys() == STATES.keys()
