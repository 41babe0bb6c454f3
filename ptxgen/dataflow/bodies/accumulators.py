"""Registers that one instruction both reads and writes: the accumulators of wgmma.mma_async (manual 9.7.15.5.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.ir import Immediate

if TYPE_CHECKING:
    from ptxgen.dataflow.bodies.body import Body

__all__ = ["note_accumulators"]


def note_accumulators(body: Body) -> None:
    """Add the accumulators of each wgmma.mma_async to what it reads, except for those whose scale-d is the constant false."""
    for position in body.at.get("wgmma", ()):
        form = body.forms[position]
        if form is None or not body.writes[position]:
            continue
        for spec, operand in zip(form.form.operands, body.instructions[position].operands):
            if spec.name == "scale_d" and not (isinstance(operand, Immediate) and operand.value == 0):
                body.reads[position] = body.reads[position] + body.writes[position]
                body.accumulators[position] = operand
