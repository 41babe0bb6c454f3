"""Pairs: two elements in one register of twice their size, as packed instructions and wide accesses take them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder.values.conversions import convert
from ptxgen.builder.values.scalars import Value, b16, b32, f32
from ptxgen.ir import Immediate, Register, Vector
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.builder.core.function_builder import FunctionBuilder

__all__ = ["convert_pairs", "join", "split"]

_PACKED = {"bf16": ("cvt.rn.bf16x2.f32", 80), "f16": ("cvt.rn.f16x2.f32", 80)} | {
    name: (f"cvt.rn.satfinite.{name}x2.f32", 0) for name in ("e4m3", "e5m2")
}
"""Conversions of two binary32 by one instruction, and the oldest target that has each where `convert` has another way."""


def convert_pairs(lanes: Sequence[Value], type: type[Value]) -> tuple[Value, ...] | None:
    """Lanes in a narrow floating type, two a register, each as `convert` gives it; None where no instruction packs them."""
    source, (name, oldest) = lanes[0].isa, _PACKED.get(type.isa.name, ("", 0))
    k = lanes[0].builder
    if not name or source is type.isa or k.target.sm < oldest:
        return None
    if not (source.is_float if type.isa.bits == 8 else source.name == "f32"):
        return None  # another source rounds once, on its own
    wide = [lane if isinstance(lane, f32) else convert(lane, f32) for lane in lanes]
    pair = b32 if type.isa.bits == 16 else b16
    return tuple(k.emit1(pair, name, k.use(high), k.use(low)) for low, high in zip(wide[::2], wide[1::2]))


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
