"""Short branches as guards: what is skipped by a branch over a few plain instructions is guarded instead.

What only computes a value that nobody needs behind the skipped part runs without a guard: it can do no harm, and a guarded write
would keep what was in its register alive. So no register lives longer than before, and a part that loads into one that nobody
needs behind it is left alone.
"""

from __future__ import annotations

from ptxgen.dataflow.graph.cfg import BasicBlock
from ptxgen.ir import Instruction, Not, Register
from ptxgen.isa.forms import opcodes_with
from ptxgen.passes.editing import Edit
from ptxgen.passes.pressure import Alive

__all__ = ["predicate_short"]

_LONGEST = 4
_FENCES = frozenset({"barrier", "control", "converged"})
_GUARDED = opcodes_with("load", "store", "atomic")


def predicate_short(edit: Edit) -> None:
    """Turns a branch over at most four unguarded instructions into guards of these."""
    body, flow = edit.body, edit.body.flow
    alive: Alive | None = None
    for block in flow.blocks:
        skipped = _skipped(edit, block)
        if skipped is None:
            continue
        alive = alive or Alive(edit)
        last = block.end - 1
        guard = body.instructions[last].pred
        predicate = guard.operand if isinstance(guard, Not) else guard
        number = edit.number(predicate, last) if isinstance(predicate, Register) else None
        if number is None or edit.is_changed(last):
            continue
        positions = range(skipped.start, skipped.end)
        kept = alive.at_start(skipped.index + 1)
        how = [_how(edit, position, number, kept) for position in positions]
        if None in how:
            continue
        assert isinstance(predicate, Register)
        opposite = predicate if isinstance(guard, Not) else Not(predicate)
        edit.delete(last)
        for position, guarded in zip(positions, how):
            if guarded:
                old = body.instructions[position]
                edit.replace(position, Instruction(old.op, old.operands, opposite))


def _skipped(edit: Edit, block: BasicBlock) -> BasicBlock | None:
    """The block that the guarded branch at the end of this one jumps over, if it is short and nothing else leads there."""
    flow = edit.body.flow
    if block.start == block.end or block.leaves or edit.body.instructions[block.end - 1].opcode != "bra":
        return None
    if edit.body.instructions[block.end - 1].pred is None or block.successors != [block.index + 1, block.index + 2]:
        return None
    skipped = flow.blocks[block.index + 1]
    if skipped.predecessors != [block.index] or skipped.successors != [block.index + 2] or skipped.leaves:
        return None
    return skipped if 0 < skipped.end - skipped.start <= _LONGEST else None


def _how(edit: Edit, position: int, guard: int, kept: int) -> bool | None:
    """May the instruction run whatever the guard says? Then with it (True) or without (False); None where neither is right."""
    body, form = edit.body, edit.body.forms[position]
    instruction = body.instructions[position]
    if form is None or instruction.pred is not None or form.form.effects & _FENCES or guard in body.writes[position]:
        return None
    if ".cc" in instruction.op or edit.names(guard, position) is None:
        return None
    needed = any(kept >> register & 1 for register in body.writes[position])
    if edit.computes(position):
        return needed
    if form.form.opcode not in _GUARDED or "async" in instruction.op:
        return None
    return True if needed or not body.writes[position] else None
