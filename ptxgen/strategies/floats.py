"""IEEE 754 by definition: a number is a fraction, an operation is exact, and one rounding follows.

Slow, short, and independent of what the CPU device does. Values are bit patterns; every NaN is the canonical one, because PTX
leaves payloads open (manual 9.7.3). It is an oracle: mpmath and gmpy2 have neither binary16 nor a flush of subnormals, and the
definition itself is the shortest thing to trust.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

__all__ = [
    "F32",
    "F64",
    "FloatFormat",
    "decode",
    "encode",
    "fma",
    "is_nan",
    "maximum",
    "minimum",
    "product",
    "quotient",
    "root",
    "total",
]


class FloatFormat(NamedTuple):
    """A binary format by its field widths."""

    exponent: int
    mantissa: int

    @property
    def sign(self) -> int:
        return 1 << (self.exponent + self.mantissa)

    @property
    def infinity(self) -> int:
        return ((1 << self.exponent) - 1) << self.mantissa

    @property
    def nan(self) -> int:
        """The canonical NaN of PTX: all ones but the sign."""
        return self.sign - 1

    @property
    def lowest(self) -> int:
        """The exponent of the smallest subnormal."""
        return 2 - (1 << (self.exponent - 1)) - self.mantissa


F32, F64 = FloatFormat(8, 23), FloatFormat(11, 52)


def is_nan(f: FloatFormat, bits: int) -> bool:
    return bits & ~f.sign > f.infinity


def _is_infinite(f: FloatFormat, bits: int) -> bool:
    return bits & ~f.sign == f.infinity


def _negative(f: FloatFormat, bits: int) -> bool:
    return bool(bits & f.sign)


def decode(f: FloatFormat, bits: int) -> Fraction:
    """The number that a finite pattern stands for."""
    exponent, fraction = (bits & ~f.sign) >> f.mantissa, bits & ((1 << f.mantissa) - 1)
    if exponent:
        fraction |= 1 << f.mantissa
    scale = f.lowest + max(exponent, 1) - 1
    number = Fraction(fraction) * Fraction(2) ** scale
    return -number if _negative(f, bits) else number


def encode(f: FloatFormat, number: Fraction, mode: str = "rn", *, negative_zero: bool = False) -> int:
    """The pattern of a number, rounded: rn to nearest even, rz toward zero, rm down, rp up. The sign of a zero is given."""
    if not number:
        return f.sign if negative_zero else 0
    negative, magnitude = number < 0, abs(number)
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    if Fraction(2) ** exponent > magnitude:
        exponent -= 1
    unit = max(exponent - f.mantissa, f.lowest)
    scaled = magnitude / Fraction(2) ** unit
    whole = scaled.numerator // scaled.denominator
    if _rounds_up(whole, scaled - whole, mode, negative):
        whole += 1
    # A whole of mantissa + 1 bits carries into the exponent by itself: patterns are ordered as their numbers are.
    pattern = whole if unit == f.lowest else whole + ((unit - f.lowest) << f.mantissa)
    if pattern >= f.infinity:
        away = mode == "rn" or mode == ("rm" if negative else "rp")
        pattern = f.infinity if away else f.infinity - 1
    return pattern | (f.sign if negative else 0)


def _rounds_up(whole: int, rest: Fraction, mode: str, negative: bool) -> bool:
    if not rest:
        return False
    if mode == "rn":
        return rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole & 1 == 1)
    return mode == ("rm" if negative else "rp")


def total(f: FloatFormat, a: int, b: int, mode: str = "rn") -> int:
    """a + b."""
    return fma(f, a, encode(f, Fraction(1)), b, mode)


def fma(f: FloatFormat, a: int, b: int, c: int, mode: str = "rn") -> int:
    """a * b + c with one rounding."""
    if any(is_nan(f, x) for x in (a, b, c)):
        return f.nan
    negative = _negative(f, a) != _negative(f, b)
    if _is_infinite(f, a) or _is_infinite(f, b):
        if not a & ~f.sign or not b & ~f.sign or (_is_infinite(f, c) and _negative(f, c) != negative):
            return f.nan
        return f.infinity | (f.sign if negative else 0)
    if _is_infinite(f, c):
        return c
    product, addend = decode(f, a) * decode(f, b), decode(f, c)
    # An exact zero is negative where both terms are, or where terms cancel and rounding is down (IEEE 754, 6.3).
    both_zero = not product and not addend
    same_sign = negative == _negative(f, c)
    zero = negative if both_zero and same_sign else mode == "rm"
    return encode(f, product + addend, mode, negative_zero=zero)


def product(f: FloatFormat, a: int, b: int, mode: str = "rn") -> int:
    """a * b."""
    if is_nan(f, a) or is_nan(f, b):
        return f.nan
    sign = (a ^ b) & f.sign
    if not a & ~f.sign or not b & ~f.sign:
        return f.nan if _is_infinite(f, a) or _is_infinite(f, b) else sign
    if _is_infinite(f, a) or _is_infinite(f, b):
        return f.infinity | sign
    return encode(f, decode(f, a) * decode(f, b), mode)


def quotient(f: FloatFormat, a: int, b: int, mode: str = "rn") -> int:
    """a / b."""
    if is_nan(f, a) or is_nan(f, b):
        return f.nan
    sign = (a ^ b) & f.sign
    if _is_infinite(f, a):
        return f.nan if _is_infinite(f, b) else f.infinity | sign
    if _is_infinite(f, b):
        return sign
    if not b & ~f.sign:
        return f.infinity | sign if a & ~f.sign else f.nan
    return encode(f, decode(f, a) / decode(f, b), mode, negative_zero=bool(sign))


def root(f: FloatFormat, a: int, mode: str = "rn") -> int:
    """The square root."""
    if is_nan(f, a) or (_negative(f, a) and a & ~f.sign):
        return f.nan
    if not a & ~f.sign or _is_infinite(f, a):
        return a
    # An integer root with many more bits than are kept, and its last bit set when it is not exact, rounds as the root does.
    number, shift = decode(f, a), 4 * f.mantissa + 2 * abs(f.lowest)
    shift += shift & 1
    scaled = number * 2**shift
    whole = scaled.numerator // scaled.denominator
    floor = math.isqrt(whole)
    exact = floor * floor == scaled
    return encode(f, Fraction(2 * floor + (not exact), 2) / 2 ** (shift // 2), mode)


def minimum(f: FloatFormat, a: int, b: int) -> int:
    """The smaller; a NaN yields the other operand, and -0 is less than +0."""
    if is_nan(f, a) or is_nan(f, b):
        return f.nan if is_nan(f, a) and is_nan(f, b) else b if is_nan(f, a) else a
    return min(a, b, key=lambda bits: _order(f, bits))


def maximum(f: FloatFormat, a: int, b: int) -> int:
    """The larger; a NaN yields the other operand, and -0 is less than +0."""
    if is_nan(f, a) or is_nan(f, b):
        return f.nan if is_nan(f, a) and is_nan(f, b) else b if is_nan(f, a) else a
    return max(a, b, key=lambda bits: _order(f, bits))


def _order(f: FloatFormat, bits: int) -> int:
    return -(bits & ~f.sign) - 1 if _negative(f, bits) else bits
