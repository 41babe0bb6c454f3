"""What registers hold along one way: constants, addresses, and terms for the rest."""

from __future__ import annotations

import pytest

from ptxgen.dataflow.bodies.walk import body_of
from ptxgen.dataflow.values.constant_rules import Pointer, Value, rule_of
from ptxgen.dataflow.values.evaluation import Evaluation
from ptxgen.text import parse


def value(lines: str, register: str = "%r2") -> Value:
    """The value of a register behind these lines, in one block."""
    module = parse(
        ".version 8.0\n.target sm_90a\n.address_size 64\n.shared .b64 ring[4];\n.entry k(.param .u32 n)\n{\n"
        f".reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<4>;\nld.param.u32 %r1, [n];\n{lines}\nret;\n}}\n"
    )
    body = body_of(module, "k")
    number = [r.name for r in body.registers].index(register)
    evaluation = Evaluation(body, [number])
    (values,) = evaluation.through(0, evaluation.start)
    return evaluation.held(number, values)


@pytest.mark.parametrize(
    "lines, expected",
    [
        ("mov.u32 %r2, 7;", 7),
        ("mov.u32 %r3, -1; add.u32 %r2, %r3, 3;", 2),
        ("mov.s32 %r3, -7; div.s32 %r2, %r3, 2;", -3),
        ("mov.s32 %r3, -7; rem.s32 %r2, %r3, 4;", -3),
        ("mov.u32 %r3, 6; shr.u32 %r4, %r3, 2; and.b32 %r2, %r4, 1;", 1),
        ("mov.u32 %r3, 3; mad.lo.u32 %r2, %r3, 4, %r3;", 15),
        ("mov.u32 %r3, 0xffffffff; mul.wide.u32 %rd1, %r3, 2; cvt.u32.u64 %r2, %rd1;", 0xFFFFFFFE),
        ("mov.u32 %r3, ring; add.u32 %r2, %r3, 8;", Pointer("ring", 8)),
        ("mov.u64 %rd1, ring; cvt.u32.u64 %r3, %rd1; sub.u32 %r2, %r3, 8;", Pointer("ring", -8)),
        ("setp.eq.u32 %p1, %r1, %r1; selp.b32 %r2, 4, 5, %p1;", 4),
        ("setp.lt.u32 %p1|%p2, 3, 2; selp.b32 %r2, 4, 5, %p2;", 4),
        ("mov.pred %p1, 1; not.pred %p2, %p1; and.pred %p3, %p2, %p1; selp.b32 %r2, 1, 0, %p3;", 0),
        ("mov.u32 %r2, 3; mov.pred %p1, 0; @%p1 mov.u32 %r2, 4;", 3),
        ("and.b32 %r2, %r1, 0;", 0),
        ("mov.u32 %r3, 0; div.u32 %r4, %r1, %r3; mov.u32 %r2, 1;", 1),
    ],
)
def test_constants(lines: str, expected: Value) -> None:
    assert value(lines) == expected


def test_equal_terms_are_equal_values() -> None:
    assert value("add.u32 %r3, %r1, 1; add.u32 %r4, %r1, 1; setp.eq.u32 %p1, %r3, %r4; selp.b32 %r2, 1, 0, %p1;") == 1


def test_what_is_not_known_is_a_term() -> None:
    assert isinstance(value("add.u32 %r2, %r1, 1;"), tuple)
    assert isinstance(value("div.u32 %r2, 1, 0;"), tuple)


def test_a_guard_that_is_not_known_makes_two_outcomes() -> None:
    module = parse(
        ".version 8.0\n.target sm_90a\n.address_size 64\n.entry k(.param .u32 n)\n{\n.reg .pred %p; .reg .b32 %r<4>;\n"
        "ld.param.u32 %r1, [n]; setp.eq.u32 %p, %r1, 0; mov.u32 %r2, 1; @%p mov.u32 %r2, 2; @!%p mov.u32 %r2, 3;\nret;\n}\n"
    )
    body = body_of(module, "k")
    number = [r.name for r in body.registers].index("%r2")
    evaluation = Evaluation(body, [number])
    outcomes = evaluation.through(0, evaluation.start)
    assert sorted(evaluation.held(number, outcome) for outcome in outcomes) == [2, 3]  # type: ignore[type-var]


@pytest.mark.parametrize("op", ["add", "add.lo", "cvt.lo.u32", "mad.pred", "setp.u32", "fma.rn.f32", "mov.b33"])
def test_names_that_no_integer_instruction_has_are_not_followed(op: str) -> None:
    assert rule_of(op) is None
