"""Carries that nothing has made (manual 9.7.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.dataflow.graph.solver import solve
from ptxgen.isa.forms import opcodes_with

if TYPE_CHECKING:
    from ptxgen.verifier.program.checked_body import CheckedBody

__all__ = ["check_carries"]

_CARRIED = opcodes_with("carry")


def check_carries(body: CheckedBody) -> None:
    """PTX303: addc, subc and madc where some path brings no carry: none of the instructions with .cc is on it."""
    readers = [position for opcode in _CARRIED for position in body.at.get(opcode, ())]
    if not readers:
        return
    makers = [position for position, instruction in enumerate(body.instructions) if ".cc" in instruction.op]
    flow = body.flow
    making = {flow.block_at(position).index for position in makers}
    made = solve(flow, lambda index, known: known or index in making, lambda one, other: one and other, False)
    for position in sorted(readers):
        block = flow.block_at(position)
        before = any(block.start <= maker < position for maker in makers)
        if not before and made[block.index] is False:
            op = body.instructions[position].op
            body.report(
                "PTX303",
                f"{op} reads a carry that nothing has made" + (" on some path" if makers else ""),
                position,
                expected="add.cc, sub.cc or mad.cc before it",
                hint=f"{op[:3]}.cc{op[4:].replace('.cc', '')} for the lower half",
            )
            return
