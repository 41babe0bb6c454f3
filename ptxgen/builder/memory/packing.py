"""How the elements of a vector lie in the registers of one memory access: eight travel as four pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder.values.vectors import vec
from ptxgen.ir import Immediate, Register, Vector
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from ptxgen.builder.core.function_builder import FunctionBuilder
    from ptxgen.builder.values.scalars import Value

__all__ = ["fill_registers", "join", "packing", "split"]


def fill_registers(k: FunctionBuilder, element: Any, registers: tuple[Register, ...], value: Any) -> None:
    """Let the registers of a load of an element hold an operand in every lane."""
    if issubclass(element, vec) and len(registers) != element.lanes and value != Immediate(0):
        if isinstance(value, Immediate):
            k.emit("mov.b16", single := k.register(TYPES["b16"]), value)
            value = single
        value = join(k, element.element, value, value)
    for register in registers:
        k.emit(f"mov.{register.type.name}", register, value)


def packing(scalar: type[Value], lanes: int) -> tuple[str, int]:
    """(register type name, count) that one vector access moves: eight elements travel as four pairs."""
    return (scalar.isa.name, lanes) if lanes <= 4 else (f"b{2 * scalar.isa.bits}", lanes // 2)


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
