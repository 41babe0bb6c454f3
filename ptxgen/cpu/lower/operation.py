"""One operation for the lane in hand, by the lowering of its form."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu.lower.registry import find
from ptxgen.cpu.unsupported import unsupported

if TYPE_CHECKING:
    from ptxgen.cpu.flat import Op
    from ptxgen.cpu.lower.context import LoweringContext

__all__ = ["lower_operation"]


def lower_operation(k: LoweringContext, op: Op) -> None:
    """Writes one operation for the lane in hand."""
    found = find(op.op)
    assert found is not None
    lowering, form = found
    k.op = op
    if lowering.raw:
        lowering.function(k, form, op)
        return
    sources = op.operands[1:]
    types = lowering.source_types(form, len(sources))
    if len(types) != len(sources):
        raise unsupported(f"{op.op} with {len(op.operands)} operands", op.origin.source)
    result = lowering.function(k, form, *(k.read(s, t) for s, t in zip(sources, types)))
    k.set(op.operands[0], result, lowering.result_type(form))
