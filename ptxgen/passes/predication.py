"""Short branches as guards: what is skipped by a branch over a few plain instructions is guarded instead."""

from __future__ import annotations

from ptxgen.ir import Instruction, Not, Register
from ptxgen.passes.editing import Edit

__all__ = ["predicate_short"]

_LONGEST = 4
_FENCES = frozenset({"orders", "barrier", "control", "converged"})


def predicate_short(edit: Edit) -> None:
    """Turns a branch over at most four unguarded instructions into guards of these."""
    body, flow = edit.body, edit.body.flow
    for block in flow.blocks:
        last = block.end - 1
        if block.start == block.end or block.leaves or body.instructions[last].opcode != "bra":
            continue
        guard = body.instructions[last].pred
        skipped = flow.blocks[block.index + 1] if block.index + 1 < len(flow.blocks) else None
        if guard is None or skipped is None or block.successors != [block.index + 1, block.index + 2]:
            continue
        if skipped.predecessors != [block.index] or skipped.successors != [block.index + 2] or skipped.leaves:
            continue
        predicate = guard.operand if isinstance(guard, Not) else guard
        number = edit.number(predicate, last) if isinstance(predicate, Register) else None
        positions = range(skipped.start, skipped.end)
        if number is None or not 0 < len(positions) <= _LONGEST or edit.is_changed(last):
            continue
        if all(_may_guard(edit, position, number) for position in positions):
            assert isinstance(predicate, Register)
            opposite = predicate if isinstance(guard, Not) else Not(predicate)
            edit.delete(last)
            for position in positions:
                old = body.instructions[position]
                edit.replace(position, Instruction(old.op, old.operands, opposite))


def _may_guard(edit: Edit, position: int, guard: int) -> bool:
    body, form = edit.body, edit.body.forms[position]
    if form is None or body.instructions[position].pred is not None or form.form.opcode == "call":
        return False
    if form.form.effects & _FENCES or guard in body.writes[position] or ".cc" in body.instructions[position].op:
        return False
    plain = form.form.opcode in ("ld", "st", "atom", "red") and "async" not in body.instructions[position].op
    return (plain or edit.computes(position)) and edit.names(guard, position) is not None
