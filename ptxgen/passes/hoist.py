"""Loop-invariant code: what computes the same in every round is computed once, before the loop.

Only instructions that do nothing but compute, from operands that nothing in the loop writes, into a register with this one
definition, which every use sees. They may then run although the loop's body would not have come to them: it makes no difference
except for a division, whose divisor must therefore be a constant. Constants and copies stay, as they cost nothing where they are.

A value that is kept over a loop takes a register there; it moves only while no more are alive in the loop than before anywhere in
the function, or than cost nothing (pressure.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ptxgen.dataflow.graph.loops import natural_loops
from ptxgen.ir import Immediate, Special
from ptxgen.isa.forms import opcodes_with
from ptxgen.passes.pressure import Pressure

if TYPE_CHECKING:
    from ptxgen.dataflow.graph.loops import Loop
    from ptxgen.passes.editing import Edit

__all__ = ["hoist"]

_BRANCHES = opcodes_with("branch")
_DIVISIONS = opcodes_with("division")


def hoist(edit: Edit) -> None:
    """Computes what is the same in every round of a loop once, before it, where there is a register for it."""
    flow = edit.body.flow
    places = [(loop, place) for loop in natural_loops(flow) if (place := _place(edit, loop)) is not None]
    if not places:
        return
    work = _Hoisting(edit, places[::-1])
    for index in flow.order:
        for position in range(flow.blocks[index].start, flow.blocks[index].end):
            work.consider(position, index)
    work.apply()


class _Place(NamedTuple):
    """Right before or behind the instruction at a position, which is the last of the block."""

    block: int
    position: int
    behind: bool


def _place(edit: Edit, loop: Loop) -> _Place | None:
    """Where control passes once on its way into a loop: the end of the one block that leads to its head from outside.

    None where there are several such blocks, or where that one may lead elsewhere and text has no place between them.
    """
    flow = edit.body.flow
    outside = [
        index for index in flow.blocks[loop.head].predecessors if index not in loop.blocks and index in flow.reachable
    ]
    if len(outside) != 1:
        return None
    block = flow.blocks[outside[0]]
    last = block.end - 1
    if last < block.start:
        return None
    follows = block.index + 1 == loop.head and flow.blocks[loop.head].start == block.end
    if edit.body.instructions[last].opcode not in _BRANCHES:
        return _Place(block.index, last, True) if follows else None
    if follows and edit.body.instructions[last].pred is not None and len(block.successors) == 2:
        return _Place(block.index, last, True)  # behind a branch around the loop
    return _Place(block.index, last, False) if block.successors == [loop.head] and not block.leaves else None


class _Hoisting:
    """What moves where. `loops` are the outer ones first."""

    def __init__(self, edit: Edit, loops: list[tuple[Loop, _Place]]) -> None:
        self.edit = edit
        self.loops = loops
        self.pressure = Pressure(edit)
        self.home: dict[int, int] = {}
        """Position of what moves -> the block that it will be in."""
        self.moved: dict[_Place, list[int]] = {}
        self.alive = [list(each) for each in self.pressure.by_block]
        """Words and predicates alive in each block, with what was kept for its loop."""

    def consider(self, position: int, block: int) -> None:
        """Moves an instruction before the outermost loop in which it is the same in every round, if it may."""
        if not any(block in loop.blocks for loop, _ in self.loops) or not self._may_move(position, block):
            return
        for loop, place in self.loops:
            if block in loop.blocks and self._is_invariant(position, loop) and self._is_visible(position, place):
                if self._make_room(position, loop):
                    self.home[position] = place.block
                    self.moved.setdefault(place, []).append(position)
                else:
                    most = max(self.alive[index][0] for index in loop.blocks)
                    self.edit.remark(
                        position, f"stays in its loop: {most} words of {self.pressure.limit} are alive there"
                    )
                return

    def _may_move(self, position: int, block: int) -> bool:
        edit, body = self.edit, self.edit.body
        instruction, to = body.instructions[position], edit.destination(position)
        if to is None or instruction.pred is not None or not edit.computes(position):
            return False
        if instruction.opcode == "mov" and type(instruction.operands[1]) is not Special:
            return False
        if instruction.opcode in _DIVISIONS and not _divides(instruction.operands[2]):
            return False
        if len(body.chains.definitions[to]) != 1 or any(edit.pinned >> r & 1 for r in body.reads[position]):
            return False
        return all(self._sees(position, block, use) for use in body.chains.uses.get(to, ()))

    def _sees(self, position: int, block: int, use: int) -> bool:
        """Does every path to the use come past the definition?"""
        flow = self.edit.body.flow
        there = flow.block_at(use).index
        if there not in flow.reachable:
            return True
        return use > position if there == block else flow.dominates(block, there)

    def _is_invariant(self, position: int, loop: Loop) -> bool:
        body = self.edit.body
        for register in body.reads[position]:
            for definition in body.chains.definitions.get(register, ()):
                home = self.home.get(definition)
                if (body.flow.block_at(definition).index if home is None else home) in loop.blocks:
                    return False
        return True

    def _is_visible(self, position: int, place: _Place) -> bool:
        """Do its registers mean the same at the place?"""
        edit, body = self.edit, self.edit.body
        named = (*body.reads[position], *body.writes[position])
        return all(edit.names(register, place.position) == body.registers[register] for register in named)

    def _make_room(self, position: int, loop: Loop) -> bool:
        pressure = self.pressure
        weight = pressure.weights[self.edit.body.writes[position][0]]
        kind, limit = (0, pressure.limit) if weight else (1, pressure.predicates)
        more = weight or 1
        if any(self.alive[block][kind] + more > limit for block in loop.blocks):
            return False
        for block in loop.blocks:
            self.alive[block][kind] += more
        return True

    def apply(self) -> None:
        """Asks for the changes."""
        instructions = self.edit.body.instructions
        for position in self.home:
            self.edit.delete(position)
        for place, positions in self.moved.items():
            stays = () if place.position in self.home else (instructions[place.position],)
            moved = tuple(instructions[position] for position in positions)
            self.edit.replace(place.position, *(stays + moved if place.behind else moved + stays))


def _divides(operand: object) -> bool:
    """Is it a constant that is not zero?"""
    return isinstance(operand, Immediate) and operand.value != 0
