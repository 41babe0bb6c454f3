"""What PTX says, in exact Python: numbers as fractions, formats as tables, roundings by definition.

Written from the manual and from IEEE 754, not from the executor; slow and simple on purpose.
"""

from __future__ import annotations

import math
import random
from fractions import Fraction
from typing import NamedTuple


class Format(NamedTuple):
    exponent: int
    mantissa: int
    has_infinity: bool = True
    has_nan: bool = True
    nan: int = 0  # canonical pattern

    @property
    def bits(self) -> int:
        return 1 + self.exponent + self.mantissa

    @property
    def bias(self) -> int:
        return (1 << (self.exponent - 1)) - 1

    @property
    def infinity(self) -> int:
        return ((1 << self.exponent) - 1) << self.mantissa

    @property
    def largest(self) -> int:
        """Pattern of the largest number."""
        if self.has_infinity:
            return self.infinity - 1
        top = (1 << (self.exponent + self.mantissa)) - 1
        return top - 1 if self.has_nan else top


FORMATS = {
    "f64": Format(11, 52, nan=0x7FFFFFFFFFFFFFFF),
    "f32": Format(8, 23, nan=0x7FFFFFFF),
    "f32 without bounds": Format(11, 23),  # the precision of f32, the exponents of f64
    "f16": Format(5, 10, nan=0x7FFF),
    "bf16": Format(8, 7, nan=0x7FFF),
    "tf32": Format(8, 10, nan=0x3FFFF),
    "e4m3": Format(4, 3, has_infinity=False, nan=0x7F),
    "e5m2": Format(5, 2, nan=0x7F),
    "e2m3": Format(2, 3, has_infinity=False, has_nan=False),
    "e3m2": Format(3, 2, has_infinity=False, has_nan=False),
    "e2m1": Format(2, 1, has_infinity=False, has_nan=False),
}

NAN, INF = "nan", "inf"


class Special(NamedTuple):
    """An infinity or a NaN; or a zero, whose sign a fraction cannot hold."""

    kind: str
    negative: bool = False


Number = Fraction | Special


def decode(pattern: int, name: str) -> Number:
    f = FORMATS[name]
    negative = bool(pattern >> (f.bits - 1) & 1)
    exponent = pattern >> f.mantissa & ((1 << f.exponent) - 1)
    fraction = pattern & ((1 << f.mantissa) - 1)
    magnitude = pattern & ((1 << (f.bits - 1)) - 1)
    if f.has_infinity and magnitude >= f.infinity:
        return Special(INF, negative) if magnitude == f.infinity else Special(NAN)
    if not f.has_infinity and f.has_nan and magnitude > f.largest:
        return Special(NAN)
    if magnitude == 0:
        return Special("zero", negative)
    if exponent == 0:
        value = Fraction(fraction) * Fraction(2) ** (1 - f.bias - f.mantissa)
    else:
        value = Fraction(fraction | 1 << f.mantissa) * Fraction(2) ** (exponent - f.bias - f.mantissa)
    return -value if negative else value


def is_negative(x: Number) -> bool:
    return x.negative if isinstance(x, Special) else x < 0


def exact(x: Number) -> Fraction:
    """The value of a finite number."""
    assert not isinstance(x, Special) or x.kind == "zero", x
    return Fraction(0) if isinstance(x, Special) else x


def floor_log2(x: Fraction) -> int:
    e = x.numerator.bit_length() - x.denominator.bit_length()
    return e if Fraction(2) ** e <= x else e - 1


def round_fraction(x: Fraction, rounding: str, negative: bool) -> int:
    """A magnitude to an integer; `negative` matters to rm and rp."""
    whole, rest = divmod(x, 1)
    up = {
        "rn": rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole % 2 == 1),
        "rna": rest >= Fraction(1, 2),
        "rz": False,
        "rm": negative and rest > 0,
        "rp": not negative and rest > 0,
    }[rounding]
    return int(whole) + up


def encode(x: Number, name: str, rounding: str = "rn", *, satfinite: bool = False, zero_sign: bool = False) -> int:
    """The pattern of a number, rounded. `zero_sign` is the sign of an exact zero that is given as a fraction."""
    f = FORMATS[name]
    if isinstance(x, Special):
        if x.kind == NAN:
            return f.nan if f.has_nan else f.largest
        sign = int(x.negative) << (f.bits - 1)
        if x.kind == "zero":
            return sign
        return sign | (f.infinity if f.has_infinity and not satfinite else f.largest)
    if x == 0:
        return int(zero_sign) << (f.bits - 1)
    negative = x < 0
    sign = int(negative) << (f.bits - 1)
    magnitude = abs(x)
    exponent = max(floor_log2(magnitude), 1 - f.bias)
    unit = Fraction(2) ** (exponent - f.mantissa)
    significand = round_fraction(magnitude / unit, rounding, negative)
    pattern = ((exponent + f.bias - 1) << f.mantissa) + significand  # the implicit bit adds one to the exponent
    if pattern > f.largest:
        to_infinity = {"rn": True, "rna": True, "rz": False, "rm": negative, "rp": not negative}[rounding]
        pattern = f.infinity if f.has_infinity and to_infinity and not satfinite else f.largest
    return sign | pattern


def flushed(pattern: int, name: str) -> int:
    """.ftz of a pattern."""
    f = FORMATS[name]
    return pattern & 1 << (f.bits - 1) if not pattern >> f.mantissa & ((1 << f.exponent) - 1) else pattern


def infinite(x: Number) -> bool:
    return isinstance(x, Special) and x.kind == INF


def nan(x: Number) -> bool:
    return isinstance(x, Special) and x.kind == NAN


def zero(x: Number) -> bool:
    return isinstance(x, Special) and x.kind == "zero"


def multiply(x: Number, y: Number) -> Number:
    sign = is_negative(x) != is_negative(y)
    if nan(x) or nan(y) or (infinite(x) and zero(y)) or (zero(x) and infinite(y)):
        return Special(NAN)
    if infinite(x) or infinite(y):
        return Special(INF, sign)
    if zero(x) or zero(y):
        return Special("zero", sign)
    return exact(x) * exact(y)


def add(x: Number, y: Number, rounding: str) -> Number:
    if nan(x) or nan(y) or (infinite(x) and infinite(y) and is_negative(x) != is_negative(y)):
        return Special(NAN)
    if infinite(x):
        return x
    if infinite(y):
        return y
    total = exact(x) + exact(y)
    if total:
        return total
    same = is_negative(x) == is_negative(y)
    return Special("zero", is_negative(x) if same else rounding == "rm")


def divide(x: Number, y: Number) -> Number:
    sign = is_negative(x) != is_negative(y)
    if nan(x) or nan(y) or (infinite(x) and infinite(y)) or (zero(x) and zero(y)):
        return Special(NAN)
    if infinite(x) or zero(y):
        return Special(INF, sign)
    if zero(x) or infinite(y):
        return Special("zero", sign)
    return exact(x) / exact(y)


def square_root(x: Number) -> Number:
    """A fraction that rounds like the root: exact, or with 200 bits and a sticky one."""
    if zero(x) or nan(x):
        return x
    if is_negative(x):
        return Special(NAN)
    if infinite(x):
        return x
    value = exact(x)
    scale = 1200
    n = (value.numerator << 2 * scale) // value.denominator
    root = math.isqrt(n)
    precise = Fraction(root, 1 << scale)
    return precise if precise * precise == value else precise + Fraction(1, 1 << (scale + 2))


PRECEDENCE = {"add": (1, 0), "sub": (1, 0), "mul": (1, 0), "div": (0, 1), "fma": (1, 2, 0), "sqrt": (0,), "rcp": (0,)}
"""Whose NaN an f64 operation passes on, when several operands are NaN (as an H200 does)."""


def operate(op: str, type: str, rounding: str, *patterns: int, ftz: bool = False, sat: bool = False) -> int:
    """add sub mul div fma sqrt rcp on bit patterns."""
    if ftz:
        patterns = tuple(flushed(p, type) for p in patterns)
    values = [decode(p, type) for p in patterns]
    if op == "add":
        result = add(values[0], values[1], rounding)
    elif op == "sub":
        result = add(values[0], negate(values[1]), rounding)
    elif op == "mul":
        result = multiply(values[0], values[1])
    elif op == "div":
        result = divide(values[0], values[1])
    elif op == "rcp":
        result = divide(Fraction(1), values[0])
    elif op == "sqrt":
        result = square_root(values[0])
    else:
        result = add(multiply(values[0], values[1]), values[2], rounding)
    if type == "f64" and nan(result):
        return passed_on([patterns[i] for i in PRECEDENCE[op]])
    pattern = encode(result, type, rounding)
    if ftz and is_tiny(result, type, rounding):
        pattern &= 1 << (FORMATS[type].bits - 1)
    return saturate(pattern, type) if sat else pattern


def passed_on(patterns: list[int]) -> int:
    """The NaN that an f64 operation gives: the first operand that is one, made quiet; without one, that of invalid operations."""
    found = [p | 1 << 51 for p in patterns if nan(decode(p, "f64"))]
    return found[0] if found else 0xFFF8000000000000


def is_tiny(x: Number, type: str, rounding: str) -> bool:
    """Does .ftz flush this result? It looks after rounding as if exponents had no bound (as an H200 does)."""
    if isinstance(x, Special):
        return False
    if type == "f16":  # to the nearest: half of the last place below 2^-14 away from it
        return abs(exact(x)) < Fraction(2) ** -14 - Fraction(2) ** -26
    rounded = decode(encode(x, "f32 without bounds", rounding), "f32 without bounds")
    return not infinite(rounded) and abs(exact(rounded)) < Fraction(2) ** -126


def negate(x: Number) -> Number:
    if isinstance(x, Special):
        return Special(x.kind, not x.negative)
    return -x


def saturate(pattern: int, type: str) -> int:
    """.sat: [0, 1], NaN to +0."""
    x = decode(pattern, type)
    if nan(x) or is_negative(x) or zero(x):
        return 0
    one = encode(Fraction(1), type)
    return one if infinite(x) or exact(x) > 1 else pattern


# -- integers ---------------------------------------------------------------------------------------------------------


def signed(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def number(value: int, type: str) -> int:
    """The integer that a pattern stands for in a type such as u16, s32."""
    bits = int(type[1:])
    return signed(value, bits) if type[0] == "s" else value & ((1 << bits) - 1)


def wrap(value: int, bits: int) -> int:
    return value & ((1 << bits) - 1)


def clamp(value: int, type: str) -> int:
    bits = int(type[1:])
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if type[0] == "s" else (0, (1 << bits) - 1)
    return min(max(value, low), high)


# -- operands ---------------------------------------------------------------------------------------------------------


def patterns(type: str, count: int, seed: int) -> list[int]:
    """Bit patterns of a type: its special values first, then random ones of every magnitude."""
    rng = random.Random(f"{type} {seed}")
    if type in FORMATS:
        f = FORMATS[type]
        edges = {0, 1, 2, f.largest, f.largest - 1, 1 << f.mantissa, (1 << f.mantissa) - 1}
        if f.has_infinity:
            edges |= {f.infinity, f.infinity + 1, f.infinity | 1 << (f.mantissa - 1), f.nan}
        one = f.bias << f.mantissa
        edges |= {one, one + 1, one - 1, one + (1 << f.mantissa), one | 1 << (f.mantissa - 1)}
        found = sorted(edges | {e | 1 << (f.bits - 1) for e in edges})
        rng.shuffle(found)
        while len(found) < count:
            exponent = rng.choice((rng.randrange(1 << f.exponent), f.bias + rng.randrange(-4, 5)))
            sparse = rng.getrandbits(f.mantissa) & rng.choice(
                (-1, -1 << (f.mantissa // 2), rng.getrandbits(f.mantissa))
            )
            mantissa = sparse & ((1 << f.mantissa) - 1)
            found.append(rng.getrandbits(1) << (f.bits - 1) | (exponent % (1 << f.exponent)) << f.mantissa | mantissa)
        return found[:count]
    if type == "pred":
        return [rng.getrandbits(1) for _ in range(count)]
    bits = int("".join(c for c in type.partition("x")[0] if c.isdigit())) * (2 if "x2" in type else 1)
    top = (1 << bits) - 1
    edges = {0, 1, 2, 3, top, top - 1, top >> 1, (top >> 1) + 1, bits, bits - 1, bits + 1, 31, 32, 33, 63, 64}
    found = sorted(e & top for e in edges)
    rng.shuffle(found)
    while len(found) < count:
        found.append(rng.getrandbits(bits) >> rng.randrange(bits))
    return found[:count]


def rows(types: list[str], count: int = 384, seed: int = 0) -> list[tuple[int, ...]]:
    """Operand rows: columns of `patterns`, each shuffled differently so that specials meet each other and plain numbers."""
    rng = random.Random(repr((types, seed)))
    columns = []
    for i, type in enumerate(types):
        values = patterns(type, min(count, 256), seed + i)
        column = [rng.choice(values[:48]) if rng.random() < 0.4 else rng.choice(values) for _ in range(count)]
        columns.append(column)
    return list(zip(*columns))
