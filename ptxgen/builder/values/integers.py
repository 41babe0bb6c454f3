"""Integer arithmetic that is defined for every operand: total division, saturation, distance, rotation, bit counts.

`+`, `-`, `*` and `<<` wrap, as the hardware does. What PTX leaves open (a division by zero, the least number over -1: manual
9.7.1.8 and 9.7.1.9) has a stated result here, and no instruction is given an operand for which it has none. 8-bit types are
computed in 32 bits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, overload

from ptxgen.builder.core.source import build_error
from ptxgen.builder.values import arithmetic, conversions
from ptxgen.builder.values.scalars import SCALARS, UNSIGNED, Float, Integer, Value, s8, s16, s32, s64, u8, u16, u32, u64
from ptxgen.ir import Immediate, Register, Vector
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from ptxgen.builder.core.function_builder import FunctionBuilder
    from ptxgen.errors import BuildError

__all__ = [
    "abs_diff",
    "add_sat",
    "brev",
    "clz",
    "ctz",
    "mul_sat",
    "mul_wide",
    "mulhi",
    "popc",
    "rotl",
    "rotr",
    "sub_sat",
    "total_div",
    "total_rem",
]

I = TypeVar("I", bound=Integer)  # noqa: E741
F = TypeVar("F", bound=Float)
V = TypeVar("V", bound=Value)


def _pair(what: str, a: I | int, b: I | int) -> tuple[I, I]:
    """Two integers of one type; one of them may be a Python number."""
    first = a if isinstance(a, Value) else b
    if not isinstance(first, Integer):
        raise _no_integers(what, a, b)
    return arithmetic.coerce(first, a, what), arithmetic.coerce(first, b, what)


def _no_integers(what: str, *operands: object) -> BuildError:
    value = next((each for each in operands if isinstance(each, Value)), None)
    found = " and ".join(map(repr, operands)) if value is None else f".{value.isa.name}"
    return build_error("PTX220", f"{what} of {found}", expected="an integer value", hint="k.const(u32, 1), x.to(u32)")


def _width(what: str, x: object) -> int:
    """The bits of an integer, or of untyped bits; BuildError for anything else."""
    if not isinstance(x, Value) or x.isa.kind not in "usb" or x.isa.bits > 64:
        found = f".{x.isa.name}" if isinstance(x, Value) else repr(x)
        raise build_error("PTX220", f"{what} of {found}", expected="an integer", hint="x.bits(u32) of a float's bits")
    return x.isa.bits


def _unsigned(a: Value) -> Integer:
    """The same bits as an unsigned integer; no instruction."""
    return conversions.bitcast(a, UNSIGNED[a.isa.bits])


def _wide(a: Integer, signed: bool) -> Integer:
    """An integer of 8 or 16 bits in 32."""
    return conversions.convert(a, s32 if signed else u32)


def _largest(type_: type[Value]) -> int:
    bits: int = type_.isa.bits - type_.isa.is_signed
    return (1 << bits) - 1


# ---- division --------------------------------------------------------------------------------------------------------


def total_div(k: FunctionBuilder, a: I | int, b: I | int) -> I:
    """a // b toward zero, for every a and b.

    By zero it is all ones for unsigned types and 0 for signed ones; the least number over -1 is itself. By a constant it
    costs what `//` costs. Else it is 3 instructions more for unsigned types, 5 for signed ones.
    """
    return _total(k, "div", a, b)


def total_rem(k: FunctionBuilder, a: I | int, b: I | int) -> I:
    """a % b, with the sign of a, for every a and b; by zero it is 0, as is that of the least number by -1.

    By a constant it costs what `%` costs. Else it is 1 instruction more for unsigned types, 3 for signed ones.
    """
    return _total(k, "rem", a, b)


def _total(k: FunctionBuilder, op: str, a: I | int, b: I | int) -> I:
    a, b = _pair("a division", a, b)
    type_ = type(a)
    if isinstance(b.operand, Immediate):
        return _by_constant(k, op, a, b.operand.value)
    if a.isa.bits == 8:
        signed = a.isa.is_signed
        return conversions.convert(_total(k, op, _wide(a, signed), _wide(b, signed)), type_)
    if not a.isa.is_signed:
        quotient = arithmetic.binary(op, a, arithmetic.maximum(k, b, 1))  # by 1 where b is 0: the remainder is right
        if op == "rem":
            return quotient
        return arithmetic.select(k, arithmetic.compare("eq", b, 0), _largest(type_), quotient)
    odd = _unsigned(b) + 1 <= 1  # b is -1 or 0
    quotient = arithmetic.binary(op, a, arithmetic.select(k, odd, 1, b))
    return quotient if op == "rem" else arithmetic.select(k, odd, a * b, quotient)


def _by_constant(k: FunctionBuilder, op: str, a: I, divisor: int) -> I:
    if divisor == 0:
        return arithmetic.constant(k, type(a), _largest(type(a)) if op == "div" and not a.isa.is_signed else 0)
    if divisor == -1:
        return arithmetic.unary("neg", a) if op == "div" else arithmetic.constant(k, type(a), 0)
    return arithmetic.binary(op, a, divisor)


# ---- saturation ------------------------------------------------------------------------------------------------------


def add_sat(k: FunctionBuilder, a: I | int, b: I | int) -> I:
    """a + b, or the nearest number that the type holds. One instruction for s32, two or three for u32 and u64."""
    return _saturating(k, "add", a, b)


def sub_sat(k: FunctionBuilder, a: I | int, b: I | int) -> I:
    """a - b, or the nearest number that the type holds. One instruction for s32, two for u32 and u64."""
    return _saturating(k, "sub", a, b)


def mul_sat(k: FunctionBuilder, a: I | int, b: I | int) -> I:
    """a * b, or the nearest number that the type holds."""
    return _saturating(k, "mul", a, b)


def _saturating(k: FunctionBuilder, op: str, a: I | int, b: I | int) -> I:
    a, b = _pair(f"a saturating {op}", a, b)
    isa = a.isa
    if isa.bits < 32:  # the result fits 32 bits, signed ones but for a product of 16 unsigned bits
        signed = isa.is_signed or op != "mul"
        return arithmetic.binary(op, _wide(a, signed), _wide(b, signed)).to(type(a), "sat")
    if op == "mul":
        return _product(k, a, b)
    if isa.name == "s32":
        return k.emit1(type(a), f"{op}.sat.s32", k.use(a), k.use(b))
    if isa.is_signed:
        return _clamped(k, op, a, b)
    if op == "sub":
        return arithmetic.maximum(k, a, b) - b
    if isinstance(a.operand, Immediate):
        a, b = b, a
    room = _largest(type(a)) - b.operand.value if isinstance(b.operand, Immediate) else ~b
    return arithmetic.minimum(k, a, room) + b


def _clamped(k: FunctionBuilder, op: str, a: I, b: I) -> I:
    """64 signed bits: the sum overflowed where it has another sign than both terms, a - b where a has another than both."""
    wrapped = arithmetic.binary(op, a, b)
    over = ((a ^ wrapped) & ((b ^ wrapped) if op == "add" else (a ^ b))) < 0
    return arithmetic.select(k, over, (a >> 63) ^ _largest(type(a)), wrapped)


def _product(k: FunctionBuilder, a: I, b: I) -> I:
    if a.isa.name == "s32":
        return conversions.convert(mul_wide(k, a, b), type(a), ("sat",))
    low, high = a * b, mulhi(k, a, b)
    if not a.isa.is_signed:
        return arithmetic.select(k, arithmetic.compare("eq", high, 0), low, _largest(type(a)))
    return arithmetic.select(k, high == low >> 63, low, ((a ^ b) >> 63) ^ _largest(type(a)))


# ---- distance, rotation ----------------------------------------------------------------------------------------------


@overload
def abs_diff(k: FunctionBuilder, a: s8, b: s8 | int) -> u8: ...
@overload
def abs_diff(k: FunctionBuilder, a: s16, b: s16 | int) -> u16: ...
@overload
def abs_diff(k: FunctionBuilder, a: s32, b: s32 | int) -> u32: ...
@overload
def abs_diff(k: FunctionBuilder, a: s64, b: s64 | int) -> u64: ...
@overload
def abs_diff(k: FunctionBuilder, a: I, b: I | int) -> I: ...
@overload
def abs_diff(k: FunctionBuilder, a: F, b: F | float) -> F: ...
def abs_diff(k: FunctionBuilder, a: Any, b: Any) -> Any:
    """|a - b|. Of integers it is unsigned and exact, of floats that of the rounded difference."""
    if isinstance(a, Float):
        return arithmetic.unary("abs", arithmetic.binary("sub", a, b))
    a, b = _pair("a distance", a, b)
    result = UNSIGNED[a.isa.bits]
    if a.isa.bits == 8:
        a, b = _wide(a, True), _wide(b, True)
        return conversions.convert(k.emit1(u32, "sad.s32", k.use(a), k.use(b), Immediate(0)), result)
    return k.emit1(result, f"sad.{a.isa.name}", k.use(a), k.use(b), Immediate(0))


def rotl(k: FunctionBuilder, x: I, count: Integer | int) -> I:
    """The bits of x moved up by `count` modulo its width, those that leave coming in below."""
    return _rotated(k, "l", x, count)


def rotr(k: FunctionBuilder, x: I, count: Integer | int) -> I:
    """The bits of x moved down by `count` modulo its width, those that leave coming in above."""
    return _rotated(k, "r", x, count)


def _rotated(k: FunctionBuilder, way: str, x: V, count: Value | int) -> V:
    bits = _width("a rotation", x)
    if isinstance(count, Value) and (count.isa.bits != 32 or not isinstance(count, Integer)):
        raise build_error("PTX220", f"a rotation by a .{count.isa.name}", expected="a 32-bit integer", hint=".to(u32)")
    by = count % bits if isinstance(count, int) else _unsigned(count)
    if isinstance(by, int) and by == 0:
        return arithmetic.snapshot(x)
    if bits == 32:
        amount = Immediate(by) if isinstance(by, int) else k.use(by)
        return k.emit1(type(x), f"shf.{way}.wrap.b32", k.use(x), k.use(x), amount)
    word = _unsigned(x)
    if bits == 64 and isinstance(by, int):
        return _rotated_halves(k, x, by if way == "l" else 64 - by)
    if not isinstance(by, int):
        by = by & (bits - 1)
    if bits == 64:  # a shift by 64 gives 0
        there, back = ("shl", "shr") if way == "l" else ("shr", "shl")
        one = arithmetic.shift(there, word, by)
        turned = one | arithmetic.shift(back, word, 64 - by)
    else:
        twice = conversions.convert(word, u32) * ((1 << bits) + 1)  # the pattern, and again above it
        moved = (twice << by) >> bits if way == "l" else twice >> by
        turned = conversions.convert(moved, UNSIGNED[bits])
    return conversions.bitcast(turned, type(x))


def _rotated_halves(k: FunctionBuilder, x: V, by: int) -> V:
    """64 bits moved up by a constant, as two funnel shifts."""
    low, high = k.register(TYPES["b32"]), k.register(TYPES["b32"])
    k.emit("mov.b64", Vector((low, high)), k.use(x))
    if by & 32:
        low, high = high, low
    if by & 31:
        turned: list[Register] = []
        for below, above in ((high, low), (low, high)):
            turned.append(k.register(TYPES["b32"]))
            k.emit("shf.l.wrap.b32", turned[-1], below, above, Immediate(by & 31))
        low, high = turned
    return k.emit1(type(x), "mov.b64", Vector((low, high)))


# ---- products and bits -----------------------------------------------------------------------------------------------


def mulhi(k: FunctionBuilder, a: I, b: I | int) -> I:
    """The upper half of the product."""
    x, y = _pair("mulhi", a, b)
    if x.isa.bits == 8:
        signed = x.isa.is_signed
        return conversions.convert(_wide(x, signed) * _wide(y, signed) >> 8, type(x))
    return k.emit1(type(x), f"mul.hi.{x.isa.name}", k.use(x), k.use(y))


def mul_wide(k: FunctionBuilder, a: I, b: I | int) -> Any:
    """The whole product, twice as wide."""
    wide = SCALARS.get(f"{a.isa.kind}{a.isa.bits * 2}")
    if wide is None or a.isa.bits not in (16, 32):
        raise build_error("PTX220", f"no wide product of .{a.isa.name}", expected="16- or 32-bit integers")
    return k.emit1(wide, f"mul.wide.{a.isa.name}", k.use(a), k.use(arithmetic.coerce(a, b, "mul_wide")))


def _word(op: str, x: Value) -> tuple[Value, int]:
    """x in 32 bits, or 64 where it has as many, zeros above it; and how many these zeros are."""
    bits = _width(op, x)
    return (x, 0) if bits >= 32 else (conversions.convert(_unsigned(x), u32), 32 - bits)


def popc(k: FunctionBuilder, x: Value) -> u32:
    """How many bits are set."""
    word, _ = _word("popc", x)
    return k.emit1(u32, f"popc.b{word.isa.bits}", k.use(word))


def clz(k: FunctionBuilder, x: Value) -> u32:
    """How many leading zeros; the width for 0."""
    word, above = _word("clz", x)
    return k.emit1(u32, f"clz.b{word.isa.bits}", k.use(word)) - above


def ctz(k: FunctionBuilder, x: Value) -> u32:
    """How many trailing zeros; the width for 0."""
    word, above = _word("ctz", x)
    if above:
        word = arithmetic.binary("or", word, 1 << (32 - above))
    return clz(k, k.emit1(type(word), f"brev.b{word.isa.bits}", k.use(word)))


def brev(k: FunctionBuilder, x: I) -> I:
    """The bits in reverse order."""
    word, above = _word("brev", x)
    if not above:
        return k.emit1(type(x), f"brev.b{word.isa.bits}", k.use(x))
    turned = k.emit1(u32, "brev.b32", k.use(word))
    return conversions.bitcast(conversions.convert(turned >> above, UNSIGNED[x.isa.bits]), type(x))
