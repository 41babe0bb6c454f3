"""Operators and conversions on values, lowered to the instructions of the target at hand."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from ptxgen.build import values
from ptxgen.build.numbers import plain
from ptxgen.build.source import build_error
from ptxgen.ir import Immediate, Not, Register, float_immediate
from ptxgen.isa.types import TYPES, ScalarType

if TYPE_CHECKING:
    from ptxgen.build.builder import Builder
    from ptxgen.build.values import Value, pred
    from ptxgen.ir import Operand

__all__ = [
    "assign",
    "binary",
    "bitcast",
    "coerce",
    "compare",
    "constant",
    "convert",
    "fma",
    "inverse",
    "isa_of",
    "maximum",
    "minimum",
    "select",
    "shift",
    "snapshot",
    "unary",
]

V = TypeVar("V", bound="Value")
F = TypeVar("F", bound="Value")

_BITWISE = frozenset({"and", "or", "xor", "not"})
_LANE_WISE = frozenset({"add", "sub", "mul", "div", "rem", "and", "or", "xor"})
"""Operations of two that vectors have."""


def isa_of(type: Any) -> ScalarType:
    """The type of a type class; BuildError for what is none, such as a type's name or one of Python's types."""
    try:
        found: ScalarType = type.isa
    except AttributeError:
        name = type if isinstance(type, str) else _OF_PYTHON.get(getattr(type, "__name__", ""), "f32")
        hint = f"{name} itself: from ptxgen import {name}" if name in TYPES else "u32, f32, ..., from ptxgen"
        raise build_error("PTX220", f"{type!r} is no type of the device", hint=hint) from None
    return found


_OF_PYTHON = {
    "int": "s32", "bool": "pred", "float64": "f64", "float16": "f16", "int32": "s32", "uint32": "u32", "int64": "s64",
    "uint64": "u64", "int16": "s16", "uint16": "u16", "int8": "s8", "uint8": "u8",
}  # fmt: skip


def constant(k: Builder, type: type[V], value: int | float) -> V:
    """A constant of a type; BuildError when the type cannot hold it."""
    isa = isa_of(type)
    value = plain(value)
    if isa.kind == "p":
        return k.emit1(type, "setp.ne.b32", Immediate(int(bool(value))), Immediate(0))
    if isa.is_float:
        if isa.name in ("f32", "f64"):
            return type(k, float_immediate(float(value), isa.name), k.scope)
        return convert(constant(k, values.f32, value), type)
    if isinstance(value, float) and not value.is_integer():
        raise build_error(
            "PTX221", f"{value} is no .{isa.name} constant", hint="a value of a floating type, or round it first"
        )
    number = int(value)
    low, high = _range(isa)
    if not low <= number <= high:
        raise build_error("PTX221", f"{number} does not fit in .{isa.name}", expected=f"{low} to {high}")
    return type(k, Immediate(number), k.scope)


@cache
def _range(isa: ScalarType) -> tuple[int, int]:
    """The integers that a type holds; untyped bits may be written either way."""
    half = 1 << (isa.bits - 1)
    return (0 if isa.kind == "u" else -half, half - 1 if isa.is_signed else 2 * half - 1)


def coerce(a: V, other: object, what: str) -> V:
    """`other` as a value of a's type: itself, or a Python number as a constant."""
    cls = type(a)
    if type(other) is cls:
        return other
    if isinstance(other, (int, float)):
        if isinstance(other, float) and not a.isa.is_float:
            raise build_error(
                "PTX220", f"{what} of .{a.isa.name} and the float {other}", hint=f"x.to(f32), or {int(other)}"
            )
        return constant(a.builder, cls, other)
    number = plain(other)
    if number is not other:
        return coerce(a, number, what)
    found = getattr(getattr(other, "isa", None), "name", None)
    kind = f".{found}" if found else type(other).__name__
    hint = f"convert one: .to({a.isa.name})"
    if hasattr(type(other), "lanes"):
        hint = "the vector to the left: v + x" if what in _LANE_WISE else "lane by lane: x and v[0], x and v[1], ..."
    raise build_error("PTX220", f"{what} of .{a.isa.name} and {kind}", hint=hint)


def unary(op: str, a: V) -> V:
    """neg, abs and not."""
    k = a.builder
    name = a.isa.name
    if op == "not":
        if a.isa.kind == "p":
            if a.mutable:
                return k.emit1(type(a), "not.pred", k.use(a))
            return type(a)(k, inverse(k.truth(a)), k.scope)  # guards, votes and setp take a negation for nothing
        if a.isa.bits == 8:
            return binary("xor", a, -1 if a.isa.is_signed else 0xFF)
        return k.emit1(type(a), f"not.b{a.isa.bits}", k.use(a))
    if a.isa.kind in "ub" and op == "neg":
        return binary("sub", a, 0, swap=True)
    if a.isa.kind in "ub":
        return snapshot(a)
    if name == "s8":
        return convert(unary(op, convert(a, values.s32)), type(a))
    if name == "bf16" and k.target.sm < 80:
        word = bitcast(a, values.u16)
        return bitcast(word ^ 0x8000 if op == "neg" else word & 0x7FFF, type(a))
    return k.emit1(type(a), f"{op}.{name}", k.use(a))


def inverse(guard: Register | Not) -> Register | Not:
    """The negation of a predicate's operand."""
    if not isinstance(guard, Not):
        return Not(guard)
    assert isinstance(guard.operand, Register)
    return guard.operand


def snapshot(a: V) -> V:
    """The value as it is now: of a variable, which may change, a copy."""
    return a.builder.emit1(type(a), f"mov.{a.storage.name}", a.builder.use(a)) if a.mutable else a


def _plain(k: Builder, operand: Operand) -> Operand:
    """A predicate's operand without a negation, which logic on predicates does not take."""
    if not isinstance(operand, Not):
        return operand
    return k.emit1(values.pred, "not.pred", operand.operand).operand


def binary(op: str, a: V, other: object, *, swap: bool = False, into: V | None = None) -> V:
    """add sub mul div rem and or xor min max of two values of one type; Python numbers become constants."""
    k = a.builder
    if into is not None and not into.mutable:
        into = None
    if type(other) is int and not swap and a.isa.is_integer:
        reduced = _strength(op, a, other, into)
        if reduced is not None:
            return reduced
    elif type(other) is not type(a):
        number = plain(other)
        if number is not other:
            return binary(op, a, number, swap=swap, into=into)
    b = coerce(a, other, op)
    if swap:
        a, b = b, a
    name, how = _instruction(op, a.isa, k.target.sm)
    if how is None:
        return k.emit1(type(a), name, k.use(a), k.use(b), into=into)
    return how(op, a, b, into)


def _finish(value: V, into: V | None) -> V:
    if into is None:
        return value
    assign(into, value)
    return into


def _strength(op: str, a: V, number: int, into: V | None) -> V | None:
    """What needs no instruction, or a cheaper one: a+0, a*1, a*2^n; and for unsigned a//2^n, a%2^n."""
    power = number > 0 and number & (number - 1) == 0
    if (op in ("add", "sub", "or", "xor") and number == 0) or (op in ("mul", "div") and number == 1):
        return snapshot(a) if into is None else a if into is a else _finish(a, into)
    if op == "mul" and power:
        return shift("shl", a, number.bit_length() - 1, into=into)
    if op == "div" and power and a.isa.kind == "u":
        return shift("shr", a, number.bit_length() - 1, into=into)
    if op == "rem" and power and a.isa.kind == "u":
        return binary("and", a, number - 1, into=into)
    return None


class _Way(Protocol):
    """How an operation of two is done where no instruction does it."""

    def __call__(self, op: str, a: V, b: V, into: V | None) -> V: ...


@cache
def _instruction(op: str, isa: ScalarType, sm: int) -> tuple[str, _Way | None]:
    """The instruction for a type on a target, or what to do where there is none."""
    if isa.kind == "p":
        return "", _on_predicates
    if isa.bits == 8:
        return "", _through_32_bits
    if op in _BITWISE:
        return f"{op}.b{isa.bits}", None
    if not isa.is_float:
        return f"mul.lo.{isa.name}" if op == "mul" else f"{op}.{isa.name}", None
    if isa.name in ("f32", "f64"):
        return f"{op}.{isa.name}" if op in ("min", "max") else f"{op}.rn.{isa.name}", None
    if op == "div" or (sm < 80 and (isa.name == "bf16" or (isa.name == "f16" and op in ("min", "max")))):
        return "", _through_f32
    if op in ("min", "max"):
        return f"{op}.{isa.name}", None
    return (f"{op}.rn.{isa.name}", None) if isa.name != "bf16" or sm >= 90 else ("", _bf16_by_fma)


def _on_predicates(op: str, a: V, b: V, into: V | None) -> V:
    k = a.builder
    return k.emit1(type(a), f"{op}.pred", _plain(k, k.use(a)), _plain(k, k.use(b)), into=into)


def _through_32_bits(op: str, a: V, b: V, into: V | None) -> V:
    wide = values.s32 if a.isa.is_signed else values.u32
    return _finish(convert(binary(op, convert(a, wide), convert(b, wide)), type(a)), into)


def _through_f32(op: str, a: V, b: V, into: V | None) -> V:
    return _finish(convert(binary(op, convert(a, values.f32), convert(b, values.f32)), type(a)), into)


def _bf16_by_fma(op: str, a: V, b: V, into: V | None) -> V:
    """sm_80 has only fma for bf16: a+b = a*1+b, a-b = b*-1+a, a*b = a*b+(-0); each rounds once."""
    k = a.builder
    x, y = k.use(a), k.use(b)
    one, minus_one, minus_zero = (k.half_constant(bits) for bits in (0x3F80, 0xBF80, 0x8000))
    operands = {"add": (x, one, y), "sub": (y, minus_one, x), "mul": (x, y, minus_zero)}[op]
    return k.emit1(type(a), "fma.rn.bf16", *operands, into=into)


def shift(op: str, a: V, amount: object, *, into: V | None = None) -> V:
    """shl, or shr (arithmetic for signed types), by a 32-bit amount."""
    k = a.builder
    if into is not None and not into.mutable:
        into = None
    amount = plain(amount)
    if isinstance(amount, int):
        if amount < 0:
            raise build_error("PTX221", f"a shift by {amount}", expected="0 or more")
        count: Operand = Immediate(amount)
    else:
        if not isinstance(amount, values.Value) or amount.isa.bits != 32 or amount.isa.is_float:
            raise build_error("PTX220", "a shift amount is a 32-bit integer", hint="amount.to(u32)")
        count = k.use(amount)
    if a.isa.bits == 8:
        wide = values.s32 if a.isa.is_signed else values.u32
        return _finish(convert(shift(op, convert(a, wide), amount), type(a)), into)
    name = f"shl.b{a.isa.bits}" if op == "shl" else f"shr.{a.isa.name}"
    return k.emit1(type(a), name, k.use(a), count, into=into)


def compare(op: str, a: Value, other: object) -> pred:
    """A comparison; the predicate must be used, or the builder says so at the end."""
    k = a.builder
    b = coerce(a, other, op)
    isa = a.isa
    if isinstance(a, values.pred):
        different = binary("xor", a, b)
        return unary("not", different) if op == "eq" else different
    if isa.bits == 8 or (isa.name == "bf16" and k.target.sm < 90):
        wide = values.f32 if isa.is_float else values.s32 if isa.is_signed else values.u32
        return compare(op, convert(a, wide), convert(b, wide))
    name = f"b{isa.bits}" if isa.kind == "b" else isa.name
    op = "neu" if op == "ne" and isa.is_float else op  # NaN differs from everything, as in IEEE 754 and in Python
    found = k.emit1(values.pred, f"setp.{op}.{name}", k.use(a), k.use(b))
    k.watch(found)
    return found


def select(k: Builder, condition: pred, a: V | int | float, b: V | int | float) -> V:
    """`a` where the condition holds, else `b`; one of them must be a value. Of vectors, lane by lane; of pointers, one."""
    a, b = plain(a), plain(b)
    first = b if isinstance(a, (int, float)) else a
    several = getattr(type(first), "selected", None)
    if several is not None:  # pointers and vectors, which this file does not know
        one: V = several(k, condition, a, b)
        return one
    if isinstance(first, (int, float)):
        raise build_error("PTX220", "select of two Python numbers has no type", hint="k.const(u32, 1)")
    x, y = coerce(first, a, "select"), coerce(first, b, "select")
    if x.isa.kind == "p":
        where, elsewhere = binary("and", x, condition, swap=True), binary("and", y, ~condition, swap=True)
        return binary("or", where, elsewhere)
    guard = k.truth(condition)
    if isinstance(guard, Not):
        guard, x, y = inverse(guard), y, x
    return k.emit1(type(x), f"selp.{x.storage.name}", k.use(x), k.use(y), guard)


def fma(
    k: Builder, a: V | int | float, b: V | int | float, c: V | int | float, *, rounding: str = "rn", ftz: bool = False
) -> V:
    """a*b + c with one rounding; for integers the low half of the product plus c.

    bf16 before sm_80 goes through f32, which rounds twice: at most 1 bf16 ulp from the exact result's rounding.
    """
    a, b, c = plain(a), plain(b), plain(c)
    x = a
    if isinstance(x, (int, float)):
        x = c if isinstance(b, (int, float)) else b
    if isinstance(x, (int, float)):
        raise build_error("PTX220", "fma of three Python numbers has no type", hint="k.const(f32, 1)")
    u, v, w = k.use(coerce(x, a, "fma")), k.use(coerce(x, b, "fma")), k.use(coerce(x, c, "fma"))
    isa = x.isa
    if not isa.is_float:
        return k.emit1(type(x), f"mad.lo.{isa.name}", u, v, w)
    if isa.name == "bf16" and k.target.sm < 80:
        f, g, h = (convert(coerce(x, part, "fma"), values.f32) for part in (a, b, c))
        return convert(fma(k, f, g, h), type(x))
    return k.emit1(type(x), f"fma.{rounding}{'.ftz' * ftz}.{isa.name}", u, v, w)


def minimum(k: Builder, a: V, b: V | int | float) -> V:
    """The smaller; of a number and NaN, the number."""
    return binary("min", a, b)


def maximum(k: Builder, a: V, b: V | int | float) -> V:
    """The larger; of a number and NaN, the number."""
    return binary("max", a, b)


def assign(target: Value, value: object) -> None:
    """Write a variable."""
    k = target.builder
    if not target.mutable:
        raise build_error("PTX326", "only a variable can be set", hint="x = k.var(f32, 0), then x.set(...)")
    value = plain(value)
    if isinstance(value, (int, float)) and target.isa.kind == "p":
        k.emit("mov.pred", k.use(target), Immediate(int(bool(value))))
        return
    source = k.use(coerce(target, value, "set"))
    if isinstance(source, Not):
        k.emit("not.pred", k.use(target), source.operand)
    else:
        k.emit(f"mov.{target.storage.name}", k.use(target), source)


def bitcast(a: Value, type: type[V]) -> V:
    """The bits of a value under another type of the same size."""
    k = a.builder
    _no_pointer(a, type)
    if isa_of(type).bits != a.isa.bits or "p" in (type.isa.kind, a.isa.kind):
        raise build_error(
            "PTX220", f"the bits of .{a.isa.name} as .{type.isa.name}", expected="two types of equal size"
        )
    operand = k.use(a)
    if isinstance(operand, Register) and operand.type is type.storage and not a.mutable:
        return type(k, operand, a.scope)
    return k.emit1(type, f"mov.b{max(16, a.isa.bits)}", operand)


def convert(a: Value, type: type[V], modifiers: tuple[str, ...] = ()) -> V:
    """The value in another type. Integers truncate or extend; see Value.to for rounding."""
    k = a.builder
    source, target = a.isa, isa_of(type)
    if isinstance(a, type) and not modifiers:
        return snapshot(a)
    _no_pointer(a, type)
    if isinstance(a.operand, Immediate) and source.name in ("f32", "f64") and target.name in ("f32", "f64"):
        return type(k, float_immediate(a.operand.as_float(), target.name), k.scope)
    if target.kind == "p":
        return compare("ne", a, 0)  # type: ignore[return-value]  # V is pred
    if isinstance(a, values.pred):
        if target.is_float and target.name not in ("f32", "f64"):
            return convert(convert(a, values.f32), type)
        one, zero = constant(k, type, 1), constant(k, type, 0)
        return select(k, a, one, zero)
    if "b" in (source.kind, target.kind):
        return _convert_bits(a, type)
    special = _narrow_float(a, type)
    if special is not None:
        return special
    name = ".".join(["cvt", *(modifiers or _rounding(source, target)), target.name, source.name])
    if source.is_integer and target.is_integer and not modifiers:
        if source.bits == target.bits:
            return bitcast(a, type)
        if isinstance(a.operand, Immediate):
            return constant(
                k, type, a.operand.value & ((1 << target.bits) - 1) if target.kind == "u" else a.operand.value
            )
    return k.emit1(type, name, k.use(a))


def _no_pointer(a: Value, type: Any) -> None:
    """BuildError where a number should become a pointer: its type does not say which memory it points to."""
    if hasattr(type, "stride"):
        hint = (
            f"k.pointer(x, {type.element.__name__}), or with a space: k.pointer(x, {type.element.__name__}, 'shared')"
        )
        raise build_error("PTX220", f"a .{a.isa.name} value as a {type.__name__}", hint=hint)


def _convert_bits(a: Value, type: type[V]) -> V:
    k = a.builder
    if a.isa.bits == type.isa.bits:
        return bitcast(a, type)
    if a.isa.is_float or type.isa.is_float:
        raise build_error(
            "PTX220",
            f".{a.isa.name} to .{type.isa.name}: untyped bits have no numeric value",
            hint="x.bits(type) first",
        )
    return k.emit1(type, f"cvt.u{type.isa.bits}.u{a.isa.bits}", k.use(a))


def _rounding(source: ScalarType, target: ScalarType) -> tuple[str, ...]:
    """The modifier that cvt needs: nearest even to a float that may lose bits, toward zero to an integer."""
    if source.is_float and target.is_integer:
        return ("rzi",)
    if source.is_integer and target.is_float:
        return ("rn",)
    if source.is_float and target.is_float and (target.bits < source.bits or target.name == "bf16"):
        return ("rn",)
    return ()


def _narrow_float(a: Value, type: type[V]) -> V | None:
    """Conversions of bf16 and fp8 that the target has no single instruction for."""
    k = a.builder
    source, target = a.isa.name, type.isa.name
    f32 = values.f32
    if source in ("e4m3", "e5m2"):
        pair = k.emit1(values.b32, f"cvt.rn.f16x2.{source}x2", k.use(a))
        half = convert(convert(bitcast(pair, values.u32), values.u16), values.u16)
        return convert(bitcast(half, values.f16), type)
    if target in ("e4m3", "e5m2"):
        zero = constant(k, f32, 0.0)
        return k.emit1(type, f"cvt.rn.satfinite.{target}x2.f32", k.use(zero), k.use(convert(a, f32)))
    if source == "bf16":
        if target == "f32":  # a bf16 is the upper half of a binary32
            if k.target.sm >= 90:
                return k.emit1(type, "cvt.f32.bf16", k.use(a))
            wide = k.emit1(values.u32, "cvt.u32.u16", k.use(a))
            return bitcast(shift("shl", wide, 16), type)
        if k.target.sm < 90 or target == "f16" or type.isa.bits == 8:
            return convert(convert(a, f32), type)
    if target == "bf16":
        if source == "f32":
            return None if k.target.sm >= 80 else _round_to_bf16(a, type)
        if k.target.sm < 90 or a.isa.bits == 8:
            return convert(convert(a, f32), type)
    return None


def _round_to_bf16(a: Value, type: type[V]) -> V:
    """f32 to bf16 to nearest even in integers, for targets older than sm_80: add 0x7fff plus the lowest kept bit."""
    k = a.builder
    word = bitcast(a, values.u32)
    rounded = (word + 0x7FFF + ((word >> 16) & 1)) >> 16
    chosen = select(k, compare("eq", a, a), rounded, constant(k, values.u32, 0x7FFF))
    return bitcast(convert(chosen, values.u16), type)
