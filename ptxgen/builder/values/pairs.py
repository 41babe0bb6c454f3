"""Pairs: two elements in one register of twice their size, as packed instructions and wide accesses take them."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from ptxgen.builder.values.arithmetic import constant
from ptxgen.builder.values.conversions import convert
from ptxgen.builder.values.scalars import Value, b16, b32, e4m3, e5m2, f16, f32
from ptxgen.ir import Immediate, Register, Vector
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.builder.core.function_builder import FunctionBuilder
    from ptxgen.builder.values.scalars import Number
    from ptxgen.isa.types import ScalarType

__all__ = [
    "combine_pairs",
    "convert_pairs",
    "join",
    "joined",
    "narrow",
    "pair_of_number",
    "pair_type",
    "pairs_instruction",
    "split",
]

_PACKED = {"bf16": ("cvt.rn.bf16x2.f32", 80), "f16": ("cvt.rn.f16x2.f32", 80)} | {
    name: (f"cvt.rn.satfinite.{name}x2.f32", 0) for name in ("e4m3", "e5m2")
}
"""Conversions of two binary32 by one instruction, and the oldest target that has each where `convert` has another way."""

_FMA = "fma.rn.bf16x2"

_ARITHMETIC = {
    "f16": dict.fromkeys(("add", "sub", "mul", "fma"), ("{}.rn.f16x2", 53))
    | dict.fromkeys(("neg", "abs"), ("{}.f16x2", 53))
    | dict.fromkeys(("min", "max"), ("{}.f16x2", 80)),
    "bf16": dict.fromkeys(("add", "sub", "mul"), ("{}.rn.bf16x2", 90))
    | {"fma": (_FMA, 80)}
    | dict.fromkeys(("neg", "abs", "min", "max"), ("{}.bf16x2", 80)),
    "u16": dict.fromkeys(("add", "min", "max"), ("{}.u16x2", 90)),
    "s16": dict.fromkeys(("add", "min", "max"), ("{}.s16x2", 90)),
}
"""Instructions on pairs and the oldest target of each (manual 9.7.1, 9.7.4)."""

_BITS = frozenset({"and", "or", "xor", "not"})


def pair_type(element: type[Value]) -> type[Value]:
    """The type of a register with two elements."""
    return b32 if element.isa.bits == 16 else b16


@cache
def pairs_instruction(op: str, isa: ScalarType, sm: int) -> str | None:
    """The instruction that does an operation on pairs of a type on a target; None where there is none."""
    if op in _BITS:
        return f"{op}.b32" if isa.bits == 16 and not isa.is_float else None
    name, oldest = _ARITHMETIC.get(isa.name, {}).get(op, ("", 0))
    if isa.name == "bf16" and op in _BY_FMA and 80 <= sm < oldest:
        return _FMA
    return name.format(op) if name and sm >= oldest else None


def combine_pairs(
    k: FunctionBuilder, op: str, element: type[Value], *operands: Sequence[Value], into: Sequence[Value] = ()
) -> tuple[Value, ...]:
    """An operation that `pairs_instruction` knows on operands of pairs; `into` are variables that take the result."""
    name = pairs_instruction(op, element.isa, k.target.sm)
    assert name is not None
    pair, results = pair_type(element), into or (None,) * len(operands[0])
    one = _BY_FMA.get(op) if name.startswith("fma") else None
    made = []
    for result, *parts in zip(results, *operands):
        used = [k.use(each) for each in parts]
        if one is not None:
            bits, order = one
            used.append(k.once(("pair", bits), _pair_constant, k, bits))
            used = [used[place] for place in order]
        made.append(k.emit1(pair, name, *used, into=result))
    return tuple(made)


_BY_FMA = {"add": (0x3F803F80, (0, 2, 1)), "sub": (0xBF80BF80, (1, 2, 0)), "mul": (0x80008000, (0, 1, 2))}
"""bf16 before sm_90 by fma: a+b = a*1+b, a-b = b*-1+a, a*b = a*b+(-0): the constant, and the places of (a, b, constant)."""


def _pair_constant(k: FunctionBuilder, bits: int) -> Register:
    register = k.register(TYPES["b32"])
    k.emit("mov.b32", register, Immediate(bits))
    return register


def narrow(lanes: Sequence[Value], type: type[Value]) -> tuple[Value, ...] | None:
    """Lanes in a narrow floating type, two a register, each as `convert` gives it; None where no instruction packs them."""
    source, (name, oldest) = lanes[0].isa, _PACKED.get(type.isa.name, ("", 0))
    k = lanes[0].builder
    if not name or source is type.isa or k.target.sm < oldest or len(lanes) % 2:
        return None
    if not (source.is_float if type.isa.bits == 8 else source.name == "f32"):
        return None  # another source rounds once, on its own
    wide = [lane if isinstance(lane, f32) else convert(lane, f32) for lane in lanes]
    pair = pair_type(type)
    return tuple(k.emit1(pair, name, k.use(high), k.use(low)) for low, high in zip(wide[::2], wide[1::2]))


def convert_pairs(source: type[Value], pairs: Sequence[Value], type: type[Value]) -> tuple[Value, ...] | None:
    """Pairs of one narrow type as pairs of another, by one instruction each; None where there is none."""
    small = (e4m3, e5m2)
    if source in small and type is f16:
        name = f"cvt.rn.f16x2.{source.isa.name}x2"
    elif source is f16 and type in small:
        name = f"cvt.rn.satfinite.{type.isa.name}x2.f16x2"
    else:
        return None
    return tuple(each.builder.emit1(pair_type(type), name, each.builder.use(each)) for each in pairs)


def split(k: FunctionBuilder, scalar: type[Value], pair: Register) -> tuple[Register, Register]:
    """The two elements in a register of twice their size."""
    low, high = k.register(scalar.storage), k.register(scalar.storage)
    if scalar.isa.bits == 16:
        k.emit("mov.b32", Vector((low, high)), pair)
    else:
        sign = "s" if scalar.isa.is_signed else "u"
        k.emit(f"cvt.{sign}16.{sign}8", low, pair)
        k.emit(f"shr.{sign}16", high, pair, Immediate(8))
    return low, high


def join(k: FunctionBuilder, scalar: type[Value], low: Any, high: Any) -> Register:
    """Two elements in a register of twice their size."""
    pair = k.register(TYPES[f"b{2 * scalar.isa.bits}"])
    if scalar.isa.bits == 16:
        k.emit("mov.b32", pair, Vector((low, high)))
    else:
        below, above = k.register(TYPES["b16"]), k.register(TYPES["b16"])
        k.emit("and.b16", below, low, Immediate(0xFF))
        k.emit("shl.b16", above, high, Immediate(8))
        k.emit("or.b16", pair, below, above)
    return pair


def joined(k: FunctionBuilder, low: Value, high: Value) -> Value:
    """Two values of 8 or 16 bits in one register; the same ones are joined once a scope."""
    first, second = k.use(low), k.use(high)
    if low.mutable or high.mutable or not (isinstance(first, Register) and isinstance(second, Register)):
        register = join(k, type(low), first, second)
    else:
        register = k.once(("joined", first.name, second.name), join, k, type(low), first, second)
    return pair_type(type(low))(k, register, k.scope)


def pair_of_number(k: FunctionBuilder, element: type[Value], number: Number) -> Value:
    """A number in both halves of a register."""
    value = constant(k, element, number)
    return pair_type(element)(k, join(k, element, k.use(value), k.use(value)), k.scope)
