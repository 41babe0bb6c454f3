"""The instructions that drawn programs use, each with what it computes, in Python.

All are exact: integers, and floating point with one IEEE rounding. Values are bit patterns; a predicate is 0 or 1. Where the
manual leaves a case open (a division by zero, a NaN's payload, a NaN turned into an integer), `program.py` writes code around
the instruction that keeps it out.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

from ptxgen.strategies import floats
from ptxgen.strategies.floats import F32, F64, FloatFormat

__all__ = ["BITS", "OPERATIONS", "REDUCTIONS", "DrawnOperation", "canonical"]

BITS = {"pred": 1, "b16": 16, "b32": 32, "b64": 64, "f32": 32, "f64": 64}
"""Kind of variable -> bits of its pattern."""

FORMATS: dict[str, FloatFormat] = {"f32": F32, "f64": F64}


class DrawnOperation(NamedTuple):
    """`result` and `operands` are kinds of variables; `apply` maps patterns to a pattern.

    An operand may also be "#n", a constant of n bits; "byte", a word of which only the low 8 bits are given to the instruction
    (64-bit bit fields look at all of a position on hardware, and at 8 bits by the manual, 9.7.1.19); or "shift", a word. Their
    constants are small: ptxas 13.0 folds bit fields beyond the register against the manual.

    `divides`: its last operand is a divisor, which must not be zero (and positive, for signed types).
    """

    result: str
    operands: tuple[str, ...]
    apply: Callable[..., int]
    divides: bool = False


def canonical(kind: str, bits: int) -> int:
    """The pattern, with the canonical NaN for every NaN."""
    f = FORMATS.get(kind)
    return f.nan if f is not None and floats.is_nan(f, bits) else bits


def _signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> (bits - 1) else value


def _clamped(value: int, low: int, high: int) -> int:
    return max(low, min(high, value))


def _integers() -> dict[str, DrawnOperation]:
    found: dict[str, DrawnOperation] = {}
    for bits in (16, 32, 64):
        kind = f"b{bits}"
        for sign in "us":
            found |= _arithmetic(sign, bits, kind)
        found |= _logic(bits, kind)
        for sign in "us":
            found[f"shr.{sign}{bits}"] = DrawnOperation(kind, (kind, "shift"), _right(sign, bits))
    for bits in (32, 64):
        kind = f"b{bits}"
        found[f"popc.b{bits}"] = DrawnOperation("b32", (kind,), lambda a: a.bit_count())
        found[f"clz.b{bits}"] = DrawnOperation("b32", (kind,), lambda a, n=bits: n - a.bit_length())
        found[f"brev.b{bits}"] = DrawnOperation(kind, (kind,), lambda a, n=bits: int(f"{a:0{n}b}"[::-1], 2))
        found[f"bfi.b{bits}"] = DrawnOperation(kind, (kind, kind, "byte", "byte"), _insert(bits))
        for sign in "us":
            found[f"bfe.{sign}{bits}"] = DrawnOperation(kind, (kind, "byte", "byte"), _extract(sign, bits))
            found[f"bfind.{sign}{bits}"] = DrawnOperation("b32", (kind,), _find(sign, bits))
    return {name: operation for name, operation in found.items() if name not in _LEFT_OUT}


_LEFT_OUT = frozenset({"shl.b16", "shr.u16", "shr.s16", "abs.s16", "abs.s32", "abs.s64"})
"""What ptxas 13.0 makes of these is not what the manual says: a constant count of 65,536 and more is cut to 16 bits, a count that
`cnot` made is lost, and the absolute value of the least number is taken for a positive one where it is compared."""


def _arithmetic(sign: str, bits: int, kind: str) -> dict[str, DrawnOperation]:
    read: Callable[[int], int] = (lambda a: _signed(a, bits)) if sign == "s" else (lambda a: a)
    two, type_ = (kind, kind), f"{sign}{bits}"
    found = {
        f"add.{type_}": DrawnOperation(kind, two, lambda a, b: a + b),
        f"sub.{type_}": DrawnOperation(kind, two, lambda a, b: a - b),
        f"mul.lo.{type_}": DrawnOperation(kind, two, lambda a, b: a * b),
        f"mul.hi.{type_}": DrawnOperation(kind, two, lambda a, b: read(a) * read(b) >> bits),
        f"mad.lo.{type_}": DrawnOperation(kind, (kind,) * 3, lambda a, b, c: a * b + c),
        f"sad.{type_}": DrawnOperation(kind, (kind,) * 3, lambda a, b, c: abs(read(a) - read(b)) + c),
        f"min.{type_}": DrawnOperation(kind, two, lambda a, b: min(a, b, key=read)),
        f"max.{type_}": DrawnOperation(kind, two, lambda a, b: max(a, b, key=read)),
        f"div.{type_}": DrawnOperation(kind, two, lambda a, b: _quotient(read(a), read(b)), divides=True),
        f"rem.{type_}": DrawnOperation(
            kind, two, lambda a, b: read(a) - read(b) * _quotient(read(a), read(b)), divides=True
        ),
    }
    if bits < 64:
        wide = f"b{2 * bits}"
        found[f"mul.wide.{type_}"] = DrawnOperation(wide, two, lambda a, b: read(a) * read(b))
        found[f"mad.wide.{type_}"] = DrawnOperation(wide, (*two, wide), lambda a, b, c: read(a) * read(b) + c)
    if sign == "s":
        found[f"abs.{type_}"] = DrawnOperation(kind, (kind,), lambda a: abs(read(a)))
        found[f"neg.{type_}"] = DrawnOperation(kind, (kind,), lambda a: -a)
    for name, compare in _COMPARE.items():
        found[f"setp.{name}.{type_}"] = DrawnOperation("pred", two, lambda a, b, c=compare: int(c(read(a), read(b))))
    return found


def _quotient(a: int, b: int) -> int:
    """Truncated toward zero (manual 9.7.1.8)."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


_COMPARE: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}


def _logic(bits: int, kind: str) -> dict[str, DrawnOperation]:
    two = (kind, kind)
    return {
        f"and.b{bits}": DrawnOperation(kind, two, lambda a, b: a & b),
        f"or.b{bits}": DrawnOperation(kind, two, lambda a, b: a | b),
        f"xor.b{bits}": DrawnOperation(kind, two, lambda a, b: a ^ b),
        f"not.b{bits}": DrawnOperation(kind, (kind,), lambda a: ~a),
        f"cnot.b{bits}": DrawnOperation(kind, (kind,), lambda a: int(a == 0)),
        f"shl.b{bits}": DrawnOperation(kind, (kind, "shift"), lambda a, b: a << min(b, bits)),
        f"selp.b{bits}": DrawnOperation(kind, (*two, "pred"), lambda a, b, p: a if p else b),
    }


def _right(sign: str, bits: int) -> Callable[[int, int], int]:
    return lambda a, b: (_signed(a, bits) if sign == "s" else a) >> min(b, bits)


def _extract(sign: str, bits: int) -> Callable[[int, int, int], int]:
    """bfe (manual 9.7.1.19): position and length are bytes; bits beyond the top are the sign's."""

    def apply(a: int, position: int, length: int) -> int:
        top = a >> min(position + length - 1, bits - 1) & 1 if sign == "s" and length else 0
        wide = a | (((1 << 512) - (1 << bits)) if top and position + length > bits else 0)
        field = wide >> position & ((1 << length) - 1)
        return field | (~((1 << length) - 1) if top else 0)

    return apply


def _insert(bits: int) -> Callable[[int, int, int, int], int]:
    def apply(a: int, b: int, position: int, length: int) -> int:
        mask = ((1 << length) - 1) << position & ((1 << bits) - 1)
        return (b & ~mask) | (a << position & mask)

    return apply


def _find(sign: str, bits: int) -> Callable[[int], int]:
    def apply(a: int) -> int:
        if sign == "s" and a >> (bits - 1):
            a = ~a & ((1 << bits) - 1)
        return a.bit_length() - 1

    return apply


def _words() -> dict[str, DrawnOperation]:
    """Operations of 32-bit words, and between sizes."""
    found = {
        "lop3.b32": DrawnOperation("b32", ("b32", "b32", "b32", "#8"), _lop3),
        "prmt.b32": DrawnOperation("b32", ("b32", "b32", "b32"), _prmt),
        "add.sat.s32": DrawnOperation("b32", ("b32", "b32"), lambda a, b: _saturated(_signed(a, 32) + _signed(b, 32))),
        "sub.sat.s32": DrawnOperation("b32", ("b32", "b32"), lambda a, b: _saturated(_signed(a, 32) - _signed(b, 32))),
        "mul24.lo.u32": DrawnOperation("b32", ("b32", "b32"), lambda a, b: (a & 0xFFFFFF) * (b & 0xFFFFFF)),
        "bmsk.clamp.b32": DrawnOperation("b32", ("b32", "b32"), _mask_clamp),
        "bmsk.wrap.b32": DrawnOperation("b32", ("b32", "b32"), lambda a, b: ((1 << (b & 31)) - 1) << (a & 31)),
        "dp4a.u32.u32": DrawnOperation("b32", ("b32",) * 3, _dot(8, "u", "u")),
        "dp4a.s32.u32": DrawnOperation("b32", ("b32",) * 3, _dot(8, "s", "u")),
        "dp4a.s32.s32": DrawnOperation("b32", ("b32",) * 3, _dot(8, "s", "s")),
        "cvt.u16.u32": DrawnOperation("b16", ("b32",), lambda a: a),
        "cvt.u32.u16": DrawnOperation("b32", ("b16",), lambda a: a),
        "cvt.s32.s16": DrawnOperation("b32", ("b16",), lambda a: _signed(a, 16)),
        "cvt.s32.s8": DrawnOperation("b32", ("b32",), lambda a: _signed(a & 0xFF, 8)),
        "cvt.u32.u64": DrawnOperation("b32", ("b64",), lambda a: a),
        "cvt.u64.u32": DrawnOperation("b64", ("b32",), lambda a: a),
        "cvt.s64.s32": DrawnOperation("b64", ("b32",), lambda a: _signed(a, 32)),
        "cvt.sat.s16.s32": DrawnOperation("b16", ("b32",), lambda a: _clamped(_signed(a, 32), -(1 << 15), (1 << 15) - 1)),
        "cvt.sat.u16.s32": DrawnOperation("b16", ("b32",), lambda a: _clamped(_signed(a, 32), 0, (1 << 16) - 1)),
        "cvt.sat.s32.u64": DrawnOperation("b32", ("b64",), lambda a: min(a, (1 << 31) - 1)),
        "and.pred": DrawnOperation("pred", ("pred", "pred"), lambda a, b: a & b),
        "or.pred": DrawnOperation("pred", ("pred", "pred"), lambda a, b: a | b),
        "xor.pred": DrawnOperation("pred", ("pred", "pred"), lambda a, b: a ^ b),
        "not.pred": DrawnOperation("pred", ("pred",), lambda a: 1 - a),
        "slct.b32.s32": DrawnOperation("b32", ("b32",) * 3, lambda a, b, c: b if c >> 31 else a),
        "set.lt.u32.u32": DrawnOperation("b32", ("b32", "b32"), lambda a, b: -int(a < b)),
        "setp.lt.and.u32": DrawnOperation("pred", ("b32", "b32", "pred"), lambda a, b, p: int(a < b) & p),
        "setp.gt.xor.s64": DrawnOperation(
            "pred", ("b64", "b64", "pred"), lambda a, b, p: int(_signed(a, 64) > _signed(b, 64)) ^ p),
    }  # fmt: skip
    for way in "lr":
        for mode in ("clamp", "wrap"):
            found[f"shf.{way}.{mode}.b32"] = DrawnOperation("b32", ("b32",) * 3, _funnel(way, mode))
    return found


def _saturated(value: int) -> int:
    return _clamped(value, -(1 << 31), (1 << 31) - 1)


def _lop3(a: int, b: int, c: int, table: int) -> int:
    found = 0
    for bit in range(32):
        row = (a >> bit & 1) << 2 | (b >> bit & 1) << 1 | (c >> bit & 1)
        found |= (table >> row & 1) << bit
    return found


def _prmt(a: int, b: int, selector: int) -> int:
    found = 0
    for place in range(4):
        choice = selector >> 4 * place & 15
        byte = (a | b << 32) >> 8 * (choice & 7) & 0xFF
        if choice & 8:
            byte = 0xFF if byte >> 7 else 0
        found |= byte << 8 * place
    return found


def _mask_clamp(a: int, b: int) -> int:
    return ((1 << min(b, 32)) - 1) << min(a, 32)


def _dot(bits: int, first: str, second: str) -> Callable[[int, int, int], int]:
    def part(value: int, index: int, sign: str) -> int:
        found = value >> bits * index & ((1 << bits) - 1)
        return _signed(found, bits) if sign == "s" else found

    return lambda a, b, c: c + sum(part(a, i, first) * part(b, i, second) for i in range(32 // bits))


def _funnel(way: str, mode: str) -> Callable[[int, int, int], int]:
    def apply(low: int, high: int, count: int) -> int:
        by = min(count, 32) if mode == "clamp" else count & 31
        both = high << 32 | low
        return both << by >> 32 if way == "l" else both >> by

    return apply


def _floating() -> dict[str, DrawnOperation]:
    found: dict[str, DrawnOperation] = {}
    for kind, f in FORMATS.items():
        two, three = (kind, kind), (kind, kind, kind)
        for mode in ("rn", "rz", "rm", "rp"):
            found[f"add.{mode}.{kind}"] = DrawnOperation(kind, two, _with(floats.total, f, mode))
            found[f"mul.{mode}.{kind}"] = DrawnOperation(kind, two, _with(floats.product, f, mode))
            found[f"fma.{mode}.{kind}"] = DrawnOperation(kind, three, _with(floats.fma, f, mode))
            found[f"div.{mode}.{kind}"] = DrawnOperation(kind, two, _with(floats.quotient, f, mode))
            found[f"sqrt.{mode}.{kind}"] = DrawnOperation(kind, (kind,), _with(floats.root, f, mode))
        one = floats.encode(f, Fraction(1))
        found[f"sub.rn.{kind}"] = DrawnOperation(kind, two, lambda a, b, f=f: floats.total(f, a, b ^ f.sign))
        found[f"rcp.rn.{kind}"] = DrawnOperation(kind, (kind,), lambda a, f=f, one=one: floats.quotient(f, one, a))
        found[f"min.{kind}"] = DrawnOperation(kind, two, _with(floats.minimum, f))
        found[f"max.{kind}"] = DrawnOperation(kind, two, _with(floats.maximum, f))
        found[f"neg.{kind}"] = DrawnOperation(kind, (kind,), lambda a, f=f: a ^ f.sign)
        found[f"abs.{kind}"] = DrawnOperation(kind, (kind,), lambda a, f=f: a & ~f.sign)
        found[f"selp.{kind}"] = DrawnOperation(kind, (*two, "pred"), lambda a, b, p: a if p else b)
        for name, compare in _COMPARE.items():
            for unordered in ("", "u"):
                found[f"setp.{name}{unordered}.{kind}"] = DrawnOperation("pred", two, _ordered(f, compare, unordered))
        found[f"testp.finite.{kind}"] = DrawnOperation("pred", (kind,), lambda a, f=f: int(a & ~f.sign < f.infinity))
        for bits in (32, 64):
            for sign in "us":
                found[f"cvt.rn.{kind}.{sign}{bits}"] = DrawnOperation(kind, (f"b{bits}",), _from_integer(f, sign, bits))
                found[f"cvt.rzi.{sign}{bits}.{kind}"] = DrawnOperation(f"b{bits}", (kind,), _to_integer(f, sign, bits))
    found["cvt.f64.f32"] = DrawnOperation("f64", ("f32",), lambda a: _convert(F32, F64, a))
    found["cvt.rn.f32.f64"] = DrawnOperation("f32", ("f64",), lambda a: _convert(F64, F32, a))
    return found


def _with(function: Callable[..., int], f: FloatFormat, *mode: str) -> Callable[..., int]:
    return lambda *patterns: function(f, *patterns, *mode)


def _ordered(f: FloatFormat, compare: Callable[[int, int], bool], unordered: str) -> Callable[[int, int], int]:
    def apply(a: int, b: int) -> int:
        if floats.is_nan(f, a) or floats.is_nan(f, b):
            return int(bool(unordered))
        return int(compare(_position(f, a), _position(f, b)))

    return apply


def _position(f: FloatFormat, bits: int) -> int:
    """Numbers in order, both zeros at one place."""
    return -(bits & ~f.sign) if bits & f.sign else bits


def _from_integer(f: FloatFormat, sign: str, bits: int) -> Callable[[int], int]:
    return lambda a: floats.encode(f, Fraction(_signed(a, bits) if sign == "s" else a))


def _to_integer(f: FloatFormat, sign: str, bits: int) -> Callable[[int], int]:
    """Toward zero, clamped to the type's range (manual 9.7.9.21); NaNs are kept out."""
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if sign == "s" else (0, (1 << bits) - 1)

    def apply(a: int) -> int:
        if floats.is_nan(f, a):
            return 0
        if a & ~f.sign == f.infinity:
            return low if a & f.sign else high
        return _clamped(int(floats.decode(f, a)), low, high)

    return apply


def _convert(source: FloatFormat, to: FloatFormat, bits: int) -> int:
    negative = bool(bits & source.sign)
    if floats.is_nan(source, bits):
        return to.nan
    if bits & ~source.sign == source.infinity:
        return to.infinity | (to.sign if negative else 0)
    return floats.encode(to, floats.decode(source, bits), negative_zero=negative)


OPERATIONS: dict[str, DrawnOperation] = {**_integers(), **_words(), **_floating()}
"""Instruction -> what it is. Results are cut to the bits of their kind."""

REDUCTIONS: dict[str, tuple[int, Callable[[int, int], int]]] = {
    "add.u32": (0, lambda a, b: (a + b) & 0xFFFFFFFF),
    "min.u32": (0xFFFFFFFF, min),
    "max.u32": (0, max),
    "and.b32": (0xFFFFFFFF, lambda a, b: a & b),
    "or.b32": (0, lambda a, b: a | b),
    "xor.b32": (0, lambda a, b: a ^ b),
}
"""Commutative atomic operation -> (where it starts, what it does): the order of threads does not show."""
