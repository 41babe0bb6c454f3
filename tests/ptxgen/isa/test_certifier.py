"""A seeded sample of what `tools/certify_isa.py` asks: multiplied-out names, and instructions with one thing wrong."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest

from ptxgen.dataflow.matching.operands import match
from ptxgen.isa.forms import resolve, resolve_loosely
from tools.certify.known import explain
from tools.certify.mutations import MUTATIONS, mutants, split_operands
from tools.certify.ours import our_verdicts
from tools.certify.run import certify
from tools.certify.verdicts import CRASH, Place, Tool

if TYPE_CHECKING:
    pass


def test_a_sample_of_the_names_and_of_the_mutants(tool: Tool) -> None:
    names = certify(tool, 0.01, 0, 5, elsewhere=0)
    assert names.unexplained == []
    result = certify(tool, 0.0, 2000, 5, only=("ret",))
    assert result.mutants == 2000
    assert len(result.unexplained) < 20, "\n".join(result.unexplained)


def test_mutants_are_the_same_for_a_seed_and_of_every_kind(tool: Tool) -> None:
    first = [(name, q.text, q.place) for name, q in mutants(tool, 300, Random(1))]
    assert first == [(name, q.text, q.place) for name, q in mutants(tool, 300, Random(1))]
    assert {name for name, _, _ in first} == set(MUTATIONS)


def test_both_judges_tell_right_from_wrong(tool: Tool) -> None:
    place = Place((8, 0), "sm_90")
    lines = [
        "add.u32 %r1, %r2, %r3;",
        "add.u32 %r1, %r2;",
        "add.u32 %r1 %r2;",
        "wgmma.fence.sync.aligned;",
        "popc.b32 %r1, %r2;",
    ]
    expected = [True, False, False, False, True]
    assert [answer is None for answer in tool.verdicts(lines, place)] == expected
    assert [answer is None for answer in our_verdicts(lines, place)] == expected


def test_differences_are_explained_or_not() -> None:
    assert explain("add.u32 %r1, %r2;", "Arguments mismatch") is None
    assert explain("anything;", CRASH) is not None


@pytest.mark.parametrize(
    "found, canonical",
    [
        ("ld.relaxed.global.gpu.u32", "ld.relaxed.gpu.global.u32"),
        ("add.f32.ftz.rn", "add.rn.ftz.f32"),
        ("atom.add.global.u32", "atom.global.add.u32"),
        ("cvt.f32.s32.rn", "cvt.rn.f32.s32"),
        ("vote.any.sync.pred", "vote.sync.any.pred"),
    ],
)
def test_modifiers_in_another_order_are_understood(found: str, canonical: str) -> None:
    assert resolve(found) == ()
    assert resolve_loosely(found)[0].name == canonical


@pytest.mark.parametrize("op", ["mul.u32.wide", "cvt.rn.s32.f32", "mbarrier.b64.init", "bar.sync.cta", "add.add.u32"])
def test_orders_that_mean_something_else_are_not(op: str) -> None:
    assert resolve_loosely(op) == ()


def test_another_order_is_a_warning() -> None:
    found = match("membar.gl", ())
    assert found.warning is None
    loose = match("fence.gpu.sc", ())
    assert loose.mismatch is None
    assert loose.warning is not None
    assert (loose.warning.reason, loose.warning.expected) == ("order", "fence.sc.gpu")


def test_operands_are_split_outside_brackets() -> None:
    assert split_operands("{a, b}|p, [c, {d, e}], f") == ["{a, b}|p", "[c, {d, e}]", "f"]
    assert split_operands("") == []
