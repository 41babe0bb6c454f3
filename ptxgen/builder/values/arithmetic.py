"""Operators on values, lowered to the instructions of the target at hand."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from ptxgen.builder.core.numbers import plain, shown
from ptxgen.builder.core.source import build_error
from ptxgen.builder.values import conversions
from ptxgen.builder.values.scalars import Value, f32, pred, s32, u16, u32
from ptxgen.ir import Immediate, Not, Register, float_immediate
from ptxgen.isa.types import TYPES, ScalarType

if TYPE_CHECKING:
    from ptxgen.builder.core.function_builder import FunctionBuilder
    from ptxgen.ir import Operand

__all__ = [
    "assign",
    "binary",
    "coerce",
    "compare",
    "constant",
    "fma",
    "inverse",
    "isa_of",
    "maximum",
    "minimum",
    "select",
    "shift",
    "snapshot",
    "unary",
    "variable",
]

V = TypeVar("V", bound="Value")
F = TypeVar("F", bound="Value")

_BITWISE = frozenset({"and", "or", "xor", "not"})


def isa_of(type: Any) -> ScalarType:
    """The type of a type class; BuildError for anything else, such as a type's name or one of Python's types."""
    try:
        found: ScalarType = type.isa
    except AttributeError:
        name = type if isinstance(type, str) else _OF_PYTHON.get(getattr(type, "__name__", ""), "f32")
        hint = f"{name} itself: from ptxgen import {name}" if name in TYPES else "u32, f32, ..., from ptxgen"
        raise build_error("PTX220", f"{type!r} is not a type of the device", hint=hint) from None
    return found


_OF_PYTHON = {
    "int": "s32", "bool": "pred", "float64": "f64", "float16": "f16", "int32": "s32", "uint32": "u32", "int64": "s64",
    "uint64": "u64", "int16": "s16", "uint16": "u16", "int8": "s8", "uint8": "u8",
}  # fmt: skip


def constant(k: FunctionBuilder, type: type[V], value: int | float) -> V:
    """A constant of a type, where the type of a plain Python number is not clear from its use. BuildError when the type
    cannot hold it."""
    isa = isa_of(type)
    value = plain(value)
    if isa.kind == "p":
        return k.emit1(type, "setp.ne.b32", Immediate(int(bool(value))), Immediate(0))
    if isa.is_float and isa.name not in ("f32", "f64"):
        return conversions.convert(constant(k, f32, value), type)
    # Zeros of both signs are equal, and would be one key; other objects may have an __eq__ of any kind
    repeats = value.__class__ is int or (value.__class__ is float and value != 0)
    return type(k, _known_literal(isa, value) if repeats else _literal(isa, value), k.scope)


def _literal(isa: ScalarType, value: int | float) -> Immediate:
    """A number as an instruction has it. BuildError when the type cannot hold it."""
    if isa.is_float:
        return float_immediate(_as_float(value, isa), isa.name)
    if isinstance(value, float) and not value.is_integer():
        raise build_error(
            "PTX221", f"{value} is no .{isa.name} constant", hint="a value of a floating type, or round it first"
        )
    number = int(value)
    low, high = _range(isa)
    if not low <= number <= high:
        raise build_error("PTX221", f"{shown(number)} does not fit in .{isa.name}", expected=f"{low} to {high}")
    return Immediate(number)


_known_literal = lru_cache(1024, typed=True)(_literal)


def variable(k: FunctionBuilder, type: type[V], value: V | int | float | None = None) -> V:
    """A variable: a register that may be written again with `+=`, `set` or an exact instruction. No value: unwritten."""
    if hasattr(type, "stride"):  # a pointer, which stands above this file
        hint = "an index that changes, x[i]"
        raise build_error("PTX220", f"a variable of {type.__name__}", expected="a type of numbers", hint=hint)
    isa_of(type)
    made = type(k, k.register(type.storage), k.scope, mutable=True)
    if value is not None:
        assign(made, value)
    return made


def _as_float(value: int | float, isa: ScalarType) -> float:
    """A number as a float; BuildError for an integer beyond every float."""
    try:
        return float(value)
    except OverflowError:
        hint = "math.inf, if infinity is meant"
        raise build_error("PTX221", f"{shown(value)} does not fit in .{isa.name}", hint=hint) from None


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
        hint = "lane by lane: x and v[0], x and v[1], ..."
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
        return conversions.convert(unary(op, conversions.convert(a, s32)), type(a))
    if name == "bf16" and k.target.sm < 80:
        word = conversions.bitcast(a, u16)
        return conversions.bitcast(word ^ 0x8000 if op == "neg" else word & 0x7FFF, type(a))
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


def _plain(k: FunctionBuilder, operand: Operand) -> Operand:
    """A predicate's operand without a negation, which logic on predicates does not take."""
    if not isinstance(operand, Not):
        return operand
    return k.emit1(pred, "not.pred", operand.operand).operand


def binary(op: str, a: V, other: object, *, swap: bool = False, into: V | None = None) -> V:
    """add sub mul div rem and or xor min max of two values of one type; Python numbers become constants."""
    k = a.builder
    if into is not None and not into.mutable:
        into = None
    cls, given = type(a), type(other)
    if given is cls:
        b: V = other  # type: ignore[assignment]
    else:
        if given is int and not swap and a.isa.is_integer:
            reduced = _strength(op, a, other, into)  # type: ignore[arg-type]
            if reduced is not None:
                return reduced
        elif given is not float:
            number = plain(other)
            if number is not other:
                return binary(op, a, number, swap=swap, into=into)
            if into is None and hasattr(given, "combined"):  # a vector, which stands above this file
                return other.combined(op, a, swapped=not swap)  # type: ignore[no-any-return]
        b = coerce(a, other, op)
    if swap:
        a, b = b, a
    name, how = _instruction(op, a.isa, k.target.sm)
    if how is None:
        return k.emit1(cls, name, k.use(a), k.use(b), into=into)
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
    return _through(s32 if a.isa.is_signed else u32, op, a, b, into)


def _through_f32(op: str, a: V, b: V, into: V | None) -> V:
    return _through(f32, op, a, b, into)


def _through(wide: type[Value], op: str, a: V, b: V, into: V | None) -> V:
    found = binary(op, conversions.convert(a, wide), conversions.convert(b, wide))
    return _finish(conversions.convert(found, type(a)), into)


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
        if not isinstance(amount, Value) or amount.isa.bits != 32 or amount.isa.is_float:
            raise build_error("PTX220", "a shift amount is a 32-bit integer", hint="amount.to(u32)")
        count = k.use(amount)
    if a.isa.bits == 8:
        wide = s32 if a.isa.is_signed else u32
        return _finish(conversions.convert(shift(op, conversions.convert(a, wide), amount), type(a)), into)
    name = f"shl.b{a.isa.bits}" if op == "shl" else f"shr.{a.isa.name}"
    return k.emit1(type(a), name, k.use(a), count, into=into)


def compare(op: str, a: Value, other: object) -> pred:
    """A comparison; the predicate must be used, or the builder says so at the end."""
    k = a.builder
    b = coerce(a, other, op)
    isa = a.isa
    if isinstance(a, pred):
        different = binary("xor", a, b)
        return unary("not", different) if op == "eq" else different
    if isa.bits == 8 or (isa.name == "bf16" and k.target.sm < 90):
        wide = f32 if isa.is_float else s32 if isa.is_signed else u32
        return compare(op, conversions.convert(a, wide), conversions.convert(b, wide))
    name = f"b{isa.bits}" if isa.kind == "b" else isa.name
    op = "neu" if op == "ne" and isa.is_float else op  # NaN differs from everything, as in IEEE 754 and in Python
    found = k.emit1(pred, f"setp.{op}.{name}", k.use(a), k.use(b))
    k.expect_use(found)
    return found


def select(k: FunctionBuilder, condition: pred, a: V | int | float, b: V | int | float) -> V:
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
    k: FunctionBuilder,
    a: V | int | float,
    b: V | int | float,
    c: V | int | float,
    *,
    rounding: str = "rn",
    ftz: bool = False,
) -> V:
    """a*b + c with one rounding; for integers the low half of the product plus c.

    bf16 before sm_80 goes through f32, which rounds twice: at most 1 bf16 ulp from the exact result's rounding. Of vectors, lane
    by lane.
    """
    a, b, c = plain(a), plain(b), plain(c)
    for each in (a, b, c):
        several = getattr(type(each), "fused", None)
        if several is not None:
            return several(k, (a, b, c), rounding, ftz)  # type: ignore[no-any-return]
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
        f, g, h = (conversions.convert(coerce(x, part, "fma"), f32) for part in (a, b, c))
        return conversions.convert(fma(k, f, g, h), type(x))
    return k.emit1(type(x), f"fma.{rounding}{'.ftz' * ftz}.{isa.name}", u, v, w)


def minimum(k: FunctionBuilder, a: V, b: V | int | float) -> V:
    """The smaller; of a number and NaN, the number. Of vectors, lane by lane."""
    if hasattr(a, "combined"):
        return a.combined("min", b)  # type: ignore[no-any-return]
    return binary("min", a, b)


def maximum(k: FunctionBuilder, a: V, b: V | int | float) -> V:
    """The larger; of a number and NaN, the number. Of vectors, lane by lane."""
    if hasattr(a, "combined"):
        return a.combined("max", b)  # type: ignore[no-any-return]
    return binary("max", a, b)


def assign(target: Value, value: object) -> None:
    """Write a variable."""
    k = target.builder
    if not target.mutable:
        raise build_error("PTX326", "only a variable can be set", hint="x = k.var(f32, 0), then x.set(...)")
    if target.isa.kind == "p":
        value = plain(value)
        if isinstance(value, (int, float)):
            k.emit("mov.pred", k.use(target), Immediate(int(bool(value))))
            return
    source = k.use(coerce(target, value, "set"))
    if isinstance(source, Not):
        k.emit("not.pred", k.use(target), source.operand)
    else:
        k.emit(f"mov.{target.storage.name}", k.use(target), source)
