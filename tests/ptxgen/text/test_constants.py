"""Literals and constant expressions; the values are those that ptxas 13.0 puts into a cubin."""

from __future__ import annotations

import pytest

from ptxgen import ir
from ptxgen.text import parse

MASK = 2**64 - 1


def constant(text: str, type: str = "b64") -> ir.Immediate:
    variable = parse(f".version 8.0 .target sm_80 .global .{type} x = {text};").variables[0]
    assert isinstance(variable.init, ir.Immediate)
    return variable.init


@pytest.mark.parametrize(
    "text, value",
    [
        ("0", 0), ("12", 12), ("0x1F", 31), ("0XfF", 255), ("0b101", 5), ("0B11U", 3), ("017", 15), ("12U", 12),
        ("0xffU", 255), ("-5", -5), ("- 5", -5), ("+5", 5), ("--5", 5), ("18446744073709551615", MASK),
        ("-9223372036854775808", -(2**63)), ("WARP_SZ", 32), ("WARP_SZ*2", 64), ("-WARP_SZ>>1", -16),
    ],
)  # fmt: skip
def test_integer(text: str, value: int) -> None:
    assert constant(text) == ir.Immediate(value)


@pytest.mark.parametrize(
    "text, kind, bits",
    [
        ("1.5", "f64", 0x3FF8000000000000), ("-1.5", "f64", 0xBFF8000000000000), (".5", "f64", 0x3FE0000000000000),
        ("5.", "f64", 0x4014000000000000), ("1e3", "f64", 0x408F400000000000), ("1.e-3", "f64", 0x3F50624DD2F1A9FC),
        ("-0.0", "f64", 1 << 63), ("0f3F800000", "f32", 0x3F800000), ("0F7fc00001", "f32", 0x7FC00001),
        ("0d3FF0000000000000", "f64", 0x3FF0000000000000), ("0DFFF8000000000001", "f64", 0xFFF8000000000001),
        ("1.5*2.0", "f64", 0x4008000000000000), ("1.0-3.0", "f64", 0xC000000000000000),
        ("+1.5", "f64", 0x3FF8000000000000), ("3.0/2.0", "f64", 0x3FF8000000000000),
    ],
)  # fmt: skip
def test_float(text: str, kind: str, bits: int) -> None:
    assert constant(text, "f64") == ir.Immediate(bits, kind)


@pytest.mark.parametrize(
    "text, value",
    [
        ("1+2*3", 7), ("(1+2)*3", 9), ("~0", MASK), ("!5", 0), ("!0", 1), ("-1>>1", -1), ("-1U>>1", MASK >> 1),
        ("(.u64)-1>>1", MASK >> 1), ("(.s64)(-1U)>>1", -1), ("-7/2", -3), ("-7 % (3)", -1), ("7U/-2", 0),
        ("-7/2U", 0x7FFFFFFFFFFFFFFC), ("-1<1", 1), ("-1<1U", 0), ("1<<63", -(2**63)), ("1<<63>>63", -1),
        ("8U>>1", 4), ("(-8&-1)>>1", -4), ("(-8|0)>>1", -4), ("(-8^0)>>1", -4), ("(~7)>>1", 0x7FFFFFFFFFFFFFFC),
        ("1?2:3", 2), ("0?2:3", 3), ("1?-8:3U", -8), ("9223372036854775807+1", -(2**63)),
        ("9223372036854775808>>1", 2**62), ("1&&2", 1), ("1||0", 1), ("0||0", 0), ("1==1", 1), ("1!=1", 0),
        ("5&3", 1), ("5|3", 7), ("5^3", 6), ("1<<64", 1), ("1<<65", 2), ("1<<-1", -(2**63)), ("-1>>100", -1),
        ("2+3==5&&1", 1), ("1|2==2", 1), ("1<2==1", 1), ("1&3==3", 1), ("0xF0 & 0xCC | 0xAA", 0xEA),
        ("-9223372036854775808/-1", 0), ("5 % (3)", 2), ("1.5<2.0", 1), ("1.0==1.0", 1), ("0?1:0?2:3", 3),
    ],
)  # fmt: skip
def test_expression(text: str, value: int) -> None:
    assert constant(text) == ir.Immediate(value)


def test_an_expression_is_an_operand_wherever_a_number_is() -> None:
    text = "lop3.b32 %r1, %r1, 1<2 ? 3 : 4, (0xF0 & 0xCC) | 0xAA, !0;"
    kernel = parse(".version 8.0 .target sm_80 .entry k { .reg .b32 %r1;" + text + "}").function("k")
    assert [o.value for o in next(kernel.instructions()).operands[2:] if isinstance(o, ir.Immediate)] == [3, 0xEA, 1]
