"""Expressions over a thread, and values of every type."""

from __future__ import annotations

import math

import pytest

import ptxgen as px
from ptxgen.debugger.expressions import Expression
from ptxgen.debugger.values import bits_of, find_type, text_of, value_of

pytestmark = pytest.mark.cpu_only


NAMES = {"%r1": 7, "%f1": 1.5, "%p1": True, "n": 10, "%tid.x": 3, "%unwritten": None, "$x": 2}


class Scope:
    """A thread without a launch."""

    def lookup(self, name):
        return NAMES[name]

    def raw(self, name):
        return 0x3F800000

    def read(self, space, address, type, count=1):
        return [address + i for i in range(count)]


@pytest.mark.parametrize(
    "text, value",
    [
        ("%r1 + 4 * 2", 15),
        ("%r1 % 4", 3),
        ("%r1 == 7 and not %p1", False),
        ("1 < %tid.x <= 3", True),
        ("n if %p1 else 0", 10),
        ("~%r1 & 0xf", 8),
        ("-%f1 / 3", -0.5),
        ("shared.u32[%r1 + 1]", 8),
        ("global.f32[0:16]", [0, 1, 2, 3]),
        ("f32(%r1)", 1.0),
        ("s8(255)", -1),
        ("$x << 3", 16),
        ("%unwritten is None", True),
    ],
)
def test_values(text, value):
    assert Expression(text).evaluate(Scope()) == value


@pytest.mark.parametrize(
    "text, message",
    [
        ("1 +", "no expression"),
        ("open(1)", "a type is called"),
        ("n.real", "Attribute"),
        ("[n for n in n]", "ListComp"),
        ("lambda: 1", "Lambda"),
        ("'a' * 1000000000", "expressions have numbers"),
        ("9 ** 9 ** 9", "Pow"),
        ("shared[0]", "a space, a type and an address"),
        ("shared.q7[0]", "no type 'q7'"),
        ("shared.f32[%f1]", "a whole number"),
        ("shared.f32[0:99999999]", "elements"),
        ("1 << 100000", "a shift"),
        ("n // 0", "by zero"),
        ("%unwritten + 1", "NoneType"),
        ("(" * 300 + "1" + ")" * 300, "no expression"),
    ],
)
def test_what_is_none_is_told(text, message):
    with pytest.raises(px.DebugError, match=message):
        Expression(text).evaluate(Scope())


def test_a_condition_on_what_is_not_written_does_not_hold():
    assert not Expression("%unwritten > 3").holds(Scope())


@pytest.mark.parametrize(
    "bits, type, value",
    [
        (0xFFFFFFFF, "s32", -1),
        (0xFFFFFFFF, "u32", 0xFFFFFFFF),
        (0x3FC00000, "f32", 1.5),
        (0x3E00, "f16", 1.5),
        (0x3FC0, "bf16", 1.5),
        (0x3E003C00, "f16x2", (1.0, 1.5)),
        (0x3FF8000000000000, "f64", 1.5),
        (0x38, "e4m3", 1.0),
        (1, "pred", True),
    ],
)
def test_bits_and_values(bits, type, value):
    kind = find_type(type)
    assert value_of(bits, kind) == value
    if kind.lanes == 1 and type != "e4m3":
        assert bits_of(value, kind) == bits


def test_values_as_text():
    assert text_of(0.1, find_type("f64")) == "0.1"
    assert text_of(value_of(0x3DCCCCCD, find_type("f32")), find_type("f32")) == "0.100000001"
    assert text_of(math.nan) == "nan"
    assert text_of(0x20000000000, find_type("b64")) == "0x20000000000"
    assert text_of(None) == "-"
    assert text_of((1.0, False)) == "(1, false)"
