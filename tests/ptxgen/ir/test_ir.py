"""The ir: values that compare, functions that iterate, sources that resolve late."""

from __future__ import annotations

import sys

import pytest

from ptxgen.errors import Location
from ptxgen.ir import (
    Address,
    Block,
    Function,
    Immediate,
    Instruction,
    Module,
    Register,
    Symbol,
    Variable,
    float_immediate,
    resolve,
)
from ptxgen.isa.types import TYPES

U32, PRED = TYPES["u32"], TYPES["pred"]


def test_equality_is_by_fields_and_ignores_sources() -> None:
    a = Instruction("mov.u32", (Register("%r1", U32), Immediate(1)), source=Location("ptx", "a.ptx", 3))
    b = Instruction("mov.u32", (Register("%r1", U32), Immediate(1)))
    assert a == b
    assert hash(a) == hash(b)
    assert a != Instruction("mov.u32", (Register("%r1", U32), Immediate(2)))
    assert Register("%r1", U32) != Register("%r1", TYPES["s32"])
    assert Address(Symbol("x"), 4) != Address(Symbol("x"))


@pytest.mark.parametrize(
    "value, kind, bits",
    [
        (1.0, "f32", 0x3F800000),
        (-0.0, "f32", 0x80000000),
        (1e300, "f32", 0x7F800000),
        (-1e300, "f32", 0xFF800000),
        (float("inf"), "f64", 0x7FF0000000000000),
        (0.1, "f64", 0x3FB999999999999A),
    ],
)
def test_floating_immediates_are_bits(value: float, kind: str, bits: int) -> None:
    assert float_immediate(value, kind) == Immediate(bits, kind)


def test_nan_equals_itself_as_bits() -> None:
    assert float_immediate(float("nan"), "f32") == float_immediate(float("nan"), "f32")


def test_a_python_source_resolves_to_its_line() -> None:
    frame = sys._getframe()
    line = frame.f_lineno + 1
    source = (frame.f_code, sys._getframe().f_lasti)
    (place,) = resolve(source)
    assert (place.file, place.line) == (__file__, line)
    assert "source = " in place.excerpt()


def test_instructions_of_nested_scopes_come_in_text_order() -> None:
    body = Block([Instruction("ret"), Block([Instruction("exit"), Block([Instruction("trap")])]), Instruction("brkpt")])
    function = Function("f", is_entry=True, body=body)
    assert [i.op for i in function.instructions()] == ["ret", "exit", "trap", "brkpt"]


def test_sizes_and_alignments_of_variables() -> None:
    assert Variable("shared", TYPES["f32"], "a", shape=(4, 33)).size == 528
    assert Variable("param", TYPES["b8"], "a", shape=(12,), align=8).alignment == 8
    assert Variable("const", U32, "a", vector=4).alignment == 16
    assert Variable("const", U32, "a", shape=(None,), init=(Immediate(1), Immediate(2))).size == 8
    assert Variable("shared", U32, "a", shape=(None,), linkage="extern").size == 0


def test_a_module_finds_its_functions() -> None:
    declared, defined = Function("f", is_entry=False), Function("f", is_entry=False, body=Block())
    module = Module((8, 0), "sm_90", [declared, defined, Function("k", is_entry=True, body=Block())])
    assert module.function("f") is defined
    assert [f.name for f in module.entries] == ["k"]
    with pytest.raises(KeyError, match="it has f, f, k"):
        module.function("g")
