"""Values that hold addresses, as the operands of instructions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.ir import Address, Register

if TYPE_CHECKING:
    from ptxgen.builder.core.function_builder import FunctionBuilder
    from ptxgen.builder.values.scalars import Integer
    from ptxgen.ir import Operand

__all__ = ["address_at", "own_shared"]


def address_at(k: FunctionBuilder, value: Integer, offset: int = 0, coordinates: tuple[Operand, ...] = ()) -> Address:
    """`[value + offset]`; of a tensor map `[value, {coordinates}]`."""
    base = k.use(value)
    assert isinstance(base, Register)
    return Address(base, offset, coordinates)


def own_shared(k: FunctionBuilder) -> str:
    """The state space of this CTA's shared memory as the destination of an asynchronous copy. Where the assembler cannot know
    that `shared::cluster` means this CTA, it looks at each address, and calls a function for others: on sm_120, which has the
    other name from its first version on (manual 9.7.9.27.1.2)."""
    return "shared::cta" if k.target.family >= _FAMILY else "shared::cluster"


_FAMILY = 12
