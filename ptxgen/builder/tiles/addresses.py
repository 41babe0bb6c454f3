"""Values that hold addresses, as the operands of instructions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.ir import Address, Register

if TYPE_CHECKING:
    from ptxgen.builder.core.function_builder import FunctionBuilder
    from ptxgen.builder.values.scalars import Integer
    from ptxgen.ir import Operand

__all__ = ["address_at"]


def address_at(k: FunctionBuilder, value: Integer, offset: int = 0, coordinates: tuple[Operand, ...] = ()) -> Address:
    """`[value + offset]`; of a tensor map `[value, {coordinates}]`."""
    base = k.use(value)
    assert isinstance(base, Register)
    return Address(base, offset, coordinates)
