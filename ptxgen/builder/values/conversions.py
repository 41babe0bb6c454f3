"""A value in another type, what it is worth there (`x.to(f16)`) or its bits (`x.bits(u32)`), on the target at hand."""

from __future__ import annotations

from typing import Any, TypeVar

from ptxgen.builder.core.source import build_error
from ptxgen.builder.values import arithmetic
from ptxgen.builder.values.scalars import Value, b32, f16, f32, pred, u16, u32
from ptxgen.ir import Immediate, Register, float_immediate
from ptxgen.isa.types import ScalarType

__all__ = ["bitcast", "convert"]

V = TypeVar("V", bound="Value")


def bitcast(a: Value, type: type[V]) -> V:
    """The bits of a value under another type of the same size."""
    k = a.builder
    _no_pointer(a, type)
    if arithmetic.isa_of(type).bits != a.isa.bits or "p" in (type.isa.kind, a.isa.kind):
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
    source, target = a.isa, arithmetic.isa_of(type)
    if isinstance(a, type) and not modifiers:
        return arithmetic.snapshot(a)
    _no_pointer(a, type)
    if isinstance(a.operand, Immediate) and source.name in ("f32", "f64") and target.name in ("f32", "f64"):
        return type(k, float_immediate(a.operand.as_float(), target.name), k.scope)
    if target.kind == "p":
        return arithmetic.compare("ne", a, 0)  # type: ignore[return-value]  # V is pred
    if isinstance(a, pred):
        if target.is_float and target.name not in ("f32", "f64"):
            return convert(convert(a, f32), type)
        one, zero = arithmetic.constant(k, type, 1), arithmetic.constant(k, type, 0)
        return arithmetic.select(k, a, one, zero)
    if "b" in (source.kind, target.kind):
        return _convert_bits(a, type)
    special = _narrow_float(a, type)
    if special is not None:
        return special
    if source.is_integer and target.is_integer and not modifiers:
        if source.bits == target.bits:
            return bitcast(a, type)
        if isinstance(a.operand, Immediate):
            return arithmetic.constant(
                k, type, a.operand.value & ((1 << target.bits) - 1) if target.kind == "u" else a.operand.value
            )
    name = ".".join(["cvt", *(modifiers or _rounding(source, target)), target.name, source.name])
    return k.emit1(type, name, k.use(a))


def _no_pointer(a: Value, type: Any) -> None:
    """BuildError where a number should become a pointer: its type does not say which memory it points to."""
    if hasattr(type, "stride"):
        pointer = f"k.pointer(x, {type.element.__name__}"
        hint = f"{pointer}), or with a space: {pointer}, 'shared')"
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
    if source in ("e4m3", "e5m2"):
        pair = k.emit1(b32, f"cvt.rn.f16x2.{source}x2", k.use(a))
        half = convert(convert(bitcast(pair, u32), u16), u16)
        return convert(bitcast(half, f16), type)
    if target in ("e4m3", "e5m2"):
        zero = arithmetic.constant(k, f32, 0.0)
        return k.emit1(type, f"cvt.rn.satfinite.{target}x2.f32", k.use(zero), k.use(convert(a, f32)))
    if source == "bf16":
        if target == "f32":  # a bf16 is the upper half of a binary32
            if k.target.sm >= 90:
                return k.emit1(type, "cvt.f32.bf16", k.use(a))
            wide = k.emit1(u32, "cvt.u32.u16", k.use(a))
            return bitcast(arithmetic.shift("shl", wide, 16), type)
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
    word = bitcast(a, u32)
    rounded = (word + 0x7FFF + ((word >> 16) & 1)) >> 16
    chosen = arithmetic.select(k, arithmetic.compare("eq", a, a), rounded, arithmetic.constant(k, u32, 0x7FFF))
    return bitcast(convert(chosen, u16), type)
