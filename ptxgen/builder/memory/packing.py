"""How the elements of a vector lie in the registers of one memory access: eight travel as four pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder.values.pairs import join
from ptxgen.builder.values.vectors import vec
from ptxgen.ir import Immediate, Register
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from ptxgen.builder.core.function_builder import FunctionBuilder
    from ptxgen.builder.values.scalars import Value

__all__ = ["fill_registers", "packing"]


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
