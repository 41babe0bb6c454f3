"""Are two programs equal: proved, told apart by an input, or not known."""

from __future__ import annotations

import json

import pytest

from ptxgen.compare import Equivalence, equivalent
from ptxgen.compare.arguments import fields_of
from ptxgen.dataflow.bodies.walk import body_of
from ptxgen.text import parse
from tests.ptx import kernel

pytestmark = pytest.mark.cpu_only

PARAMETERS = ".param .u32 n, .param .f32 a, .param .u64 x, .param .u64 y"
REGISTERS = ".reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;"
HEAD = """
ld.param.u32 %r1, [n]; ld.param.f32 %f1, [a]; ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y];
mov.u32 %r2, %tid.x; setp.ge.u32 %p1, %r2, %r1; @%p1 ret;
mul.wide.u32 %rd3, %r2, 4; add.u64 %rd4, %rd1, %rd3; add.u64 %rd5, %rd2, %rd3; ld.global.f32 %f2, [%rd4];
"""


def judged(old: str, new: str, head: str = HEAD, tries: int = 4) -> Equivalence:
    modules = [parse(kernel(head + body, PARAMETERS, registers=REGISTERS)) for body in (old, new)]
    return equivalent(*modules, tries=tries)


def test_equal_as_it_stands() -> None:
    assert judged("st.global.f32 [%rd5], %f2;", "mov.f32 %f8, %f2; st.global.f32 [%rd5], %f8;").verdict == "equal"


def test_equal_after_passes() -> None:
    old = "add.f32 %f3, %f2, %f1; add.f32 %f4, %f2, %f1; mul.f32 %f5, %f3, %f4; st.global.f32 [%rd5], %f5;"
    new = "add.f32 %f3, %f2, %f1; mul.f32 %f5, %f3, %f3; st.global.f32 [%rd5], %f5;"
    found = judged(old, new)
    assert (found.verdict, "passes" in found.reason) == ("equal", True)


def test_an_input_tells_them_apart() -> None:
    found = judged(
        "mul.f32 %f3, %f2, %f1; st.global.f32 [%rd5], %f3;", "add.f32 %f3, %f2, %f1; st.global.f32 [%rd5], %f3;"
    )
    assert (found.verdict, found.kernel) == ("different", "k")
    assert found.reason.startswith("y[")
    assert [line.split(" = ")[0] for line in found.inputs[1:5]] == ["n", "a", "x", "y"]
    assert json.loads(json.dumps(found.to_dict()))["verdict"] == "different"


def test_a_bound_that_is_gone() -> None:
    unbounded = HEAD.replace("setp.ge.u32 %p1, %r2, %r1; @%p1 ret;", "")
    store = "st.global.f32 [%rd5], %f2;"
    bounded, free = (parse(kernel(head + store, PARAMETERS, registers=REGISTERS)) for head in (HEAD, unbounded))
    assert equivalent(bounded, free, tries=6).verdict == "different"


def test_nothing_tells_them_apart() -> None:
    """x + x is 2 * x, which no pass says."""
    found = judged(
        "add.f32 %f3, %f2, %f2; st.global.f32 [%rd5], %f3;", "mul.f32 %f3, %f2, 2.0; st.global.f32 [%rd5], %f3;"
    )
    assert (found.verdict, found.tried) == ("unknown", 4)
    assert "4 of 4 inputs" in str(found)


def test_an_input_that_the_old_program_does_not_take_tells_nothing() -> None:
    wild = "ld.global.u64 %rd6, [%rd4]; st.global.f32 [%rd6], %f2;"
    found = judged(wild, wild.replace("%f2;", "%f1;"), HEAD, 2)
    assert (found.verdict, found.tried) == ("unknown", 0)
    assert "illegal address" in found.reason or "misaligned" in found.reason


def test_other_parameters() -> None:
    one, other = (parse(kernel("bar.sync 0;", given)) for given in (".param .u32 n", ".param .u64 n"))
    assert equivalent(one, other).verdict == "different"


def test_directives_are_for_the_assembler() -> None:
    one, other = (parse(kernel("bar.sync 0;", directives=given)) for given in ("", ".maxnreg 32"))
    assert equivalent(one, other).verdict == "equal"


def test_what_each_parameter_is() -> None:
    text = kernel(HEAD + "st.global.f32 [%rd5], %f2;", PARAMETERS, registers=REGISTERS)
    fields = fields_of(body_of(parse(text), "k"))
    assert [(f.name, f.offset, f.type.name, f.pointer) for f in fields] == [
        ("n", 0, "u32", False),
        ("a", 4, "f32", False),
        ("x", 8, "f32", True),
        ("y", 16, "f32", True),
    ]


def test_pointers_within_a_structure() -> None:
    text = kernel(
        "ld.param.v2.u64 {%rd1, %rd2}, [s+8]; ld.global.u32 %r1, [%rd1]; st.global.u16 [%rd2], %r1;",
        ".param .align 8 .b8 s[24]",
        registers=REGISTERS,
    )
    fields = fields_of(body_of(parse(text), "k"))
    assert [(f.name, f.offset, f.type.name, f.pointer) for f in fields] == [
        ("s+8", 8, "u32", True),
        ("s+16", 16, "u16", True),
    ]
