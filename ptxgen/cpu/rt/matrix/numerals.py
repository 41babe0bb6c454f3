"""Elements of A, B, C and D in vectors: their bits as numbers in f32 beside their exponents, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ptxgen.cpu.rt.formats import FORMATS
from ptxgen.cpu.rt.matrix.floats import SMALL

if TYPE_CHECKING:
    from ptxgen.cpu.rt.matrix.vectors import LlvmVector

__all__ = ["NONE", "Numerals", "f16_bits", "is_narrow", "numerals", "widened", "widened_f16"]

NONE = -4096
"""The exponent of zero: less than every other, also when one is added to it."""

_MANTISSA, _SIGN, _MAGNITUDE = (1 << 23) - 1, -(1 << 31), (1 << 31) - 1


class Numerals(NamedTuple):
    """Numbers with their exponents, i32. `special`, i1: which are infinite or NaN."""

    values: LlvmVector
    """f32: of narrow types the numbers, of others their significands, below 2; infinities and NaN are there as they are."""
    exponents: LlvmVector
    special: LlvmVector


def is_narrow(type: str) -> bool:
    """Are all products of a type within the range of f32?"""
    return type == "f16" or type in SMALL


def numerals(bits: LlvmVector, type: str, least: int) -> Numerals:
    """Of elements in the low bits of i32s, with nothing above them; of bf16 and tf32 in the high bits, tf32 with anything in the
    bits that it does not have."""
    if is_narrow(type):
        value = widened(bits, type)
        field = value.bitcast("i32") >> 23 & 0xFF
        exponent = (field - 127).intrinsic("smax", least)
        exponent = field.compare("eq", 0).select(exponent.alike(NONE), exponent)
        return Numerals(value, exponent, field.compare("eq", 0xFF))
    if type == "tf32":
        bits = bits & -(1 << 13)
    field, mantissa = bits >> 23 & 0xFF, bits & _MANTISSA
    one = (mantissa | 0x3F800000).bitcast("float")
    subnormal, special = field.compare("eq", 0), field.compare("eq", 0xFF)
    magnitude = subnormal.select(one - 1.0, one).bitcast("i32")
    value = special.select(bits, magnitude | bits & _SIGN)
    exponent = field.intrinsic("smax", 1) - 127
    zero = magnitude.compare("eq", 0)
    return Numerals(value.bitcast("float"), zero.select(exponent.alike(NONE), exponent), special)


def widened(bits: LlvmVector, type: str) -> LlvmVector:
    """The numbers as f32, of the same bits as `numerals` has them."""
    if type == "tf32":
        bits = bits & -(1 << 13)
    elif type == "e4m3":
        rest = bits & 0x7F
        number = (rest << 20).bitcast("float") * 2.0**120
        magnitude = rest.compare("eq", 0x7F).select(bits.alike(_MAGNITUDE), number.bitcast("i32"))
        bits = magnitude | (bits & 0x80) << 24
    elif type in SMALL and type != "e5m2":
        bits = _contained(bits, type)
    elif type != "bf16":
        bits = widened_f16(bits << 8 if type == "e5m2" else bits)
    return bits.bitcast("float")


def _contained(bits: LlvmVector, type: str) -> LlvmVector:
    """The bits of f32s from those of 6 or 4 in a byte: the low ones, or for e2m1 those in the middle (manual 9.7.14.5.14)."""
    form = FORMATS[type]
    if type == "e2m1":
        bits = bits >> 2
    sign = 1 << form.bits - 1
    number = ((bits & sign - 1) << 23 - form.mantissa).bitcast("float") * 2.0 ** (127 - form.bias)
    return number.bitcast("i32") | (bits & sign) << 32 - form.bits


def widened_f16(bits: LlvmVector) -> LlvmVector:
    """The bits of f32s from those of f16s, with nothing above them."""
    rest = bits & 0x7FFF
    number = ((rest << 13).bitcast("float") * 2.0**112).bitcast("i32")
    magnitude = rest.compare("ugt", 0x7BFF).select(rest << 13 | 0x7F800000, number)
    return magnitude | (bits & 0x8000) << 16


def f16_bits(x: LlvmVector) -> LlvmVector:
    """The bits, in i32s, of the nearest f16s of f32s; every NaN becomes the canonical one."""
    bits = x.bitcast("i32")
    magnitude = bits & _MAGNITUDE
    near = magnitude + (magnitude >> 13 & 1) + 0xFFF - (112 << 23) >> 13
    half = 0.5  # its last place, as that of every f32 from there to 1, is that of f16's subnormals
    tiny = (magnitude.bitcast("float") + half).bitcast("i32") - 0x3F000000
    found = magnitude.compare("ult", 113 << 23).select(tiny, near)
    found = magnitude.compare("ugt", 0x477FEFFF).select(found.alike(0x7C00), found)  # from 65520 on
    found = found | bits >> 16 & 0x8000
    return magnitude.compare("ugt", 0x7F800000).select(found.alike(0x7FFF), found)
