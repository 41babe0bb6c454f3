"""Dead code: what control cannot reach, and what computes values that nothing needs.

An instruction is needed when it does more than compute or load, or when a needed one reads what it writes. So a sum that only
feeds itself around a loop goes too. Of those that are left, a write goes that is overwritten before anybody reads it.
"""

from __future__ import annotations

from ptxgen.dataflow.graph.solver import liveness
from ptxgen.passes.editing import Edit

__all__ = ["drop_dead"]


def drop_dead(edit: Edit) -> None:
    """Drops unreachable instructions and those whose results nothing needs."""
    body, flow = edit.body, edit.body.flow
    for block in flow.blocks:
        if block.index not in flow.reachable:
            for position in range(block.start, block.end):
                edit.delete(position)
    _drop_jumps(edit)
    _drop_unneeded(edit)
    reads = [_reads(edit, position) for position in range(len(body.instructions))]
    alive_behind = liveness(flow, reads, body.writes)
    for block in flow.blocks:
        alive = alive_behind[block.index] | edit.pinned
        for position in range(block.end - 1, block.start - 1, -1):
            if edit.is_changed(position):
                continue
            written = body.writes[position]
            if written and edit.may_drop(position) and not any(alive >> register & 1 for register in written):
                edit.delete(position)
                continue
            if body.instructions[position].pred is None:
                for register in written:
                    alive &= ~(1 << register) | edit.pinned
            for register in reads[position]:
                alive |= 1 << register


def _drop_unneeded(edit: Edit) -> None:
    """Marks what is needed, from what has effects backwards through all definitions; the rest goes."""
    body = edit.body
    definitions = body.chains.definitions
    droppable = [bool(body.writes[p]) and edit.may_drop(p) for p in range(len(body.instructions))]
    work = [p for p, can_go in enumerate(droppable) if not can_go and not edit.is_changed(p)]
    needed = set(work)
    registers = [number for number in range(len(body.registers)) if edit.pinned >> number & 1]
    asked = set(registers)
    while work or registers:
        while registers:
            for position in definitions.get(registers.pop(), ()):
                if position not in needed and not edit.is_changed(position):
                    needed.add(position)
                    work.append(position)
        if work:
            for register in _reads(edit, work.pop()):
                if register not in asked:
                    asked.add(register)
                    registers.append(register)
    for position, can_go in enumerate(droppable):
        if can_go and position not in needed and not edit.is_changed(position):
            edit.delete(position)


def _reads(edit: Edit, position: int) -> list[int]:
    """What an instruction reads, unless it is gone."""
    return [] if edit.is_changed(position) else edit.body.reads[position]


def _drop_jumps(edit: Edit) -> None:
    """A branch to the place behind it is none; nor is one over what is unreachable, or over nothing but such branches."""
    flow = edit.body.flow
    nothing = {block.index for block in flow.blocks if block.index not in flow.reachable or block.start == block.end}
    for index in sorted(flow.order, reverse=True):  # what goes behind a branch may leave it nothing to jump over
        block = flow.blocks[index]
        if index in nothing or edit.body.instructions[block.end - 1].opcode != "bra" or block.leaves:
            continue
        over = range(index + 1, block.successors[0]) if len(block.successors) == 1 else None
        if over is not None and block.successors[0] > index and all(each in nothing for each in over):
            edit.delete(block.end - 1)
            if block.start == block.end - 1:
                nothing.add(index)
