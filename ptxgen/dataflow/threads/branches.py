"""Where threads diverge in a body: the sides of its branches, and which branches they judge differently."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.dataflow.calls.call import call_parts
from ptxgen.dataflow.lazy import lazy
from ptxgen.dataflow.threads.uniformity import Uniformity
from ptxgen.ir import Function, Symbol
from ptxgen.isa.forms import opcodes_with

if TYPE_CHECKING:
    from ptxgen.dataflow.bodies.body import Body
    from ptxgen.dataflow.threads.uniformity import Level

__all__ = ["Branches"]

_STEPS = opcodes_with("branch", "ends") - {"brx"}


class Branches:
    """The branches of a body; choices are bits, as in `ControlFlow.choices`. Everything is worked out once, when asked for."""

    def __init__(self, body: Body) -> None:
        self.body = body
        self.flow = body.flow
        self._leaving: dict[int, bool] = {}
        self._regions: dict[tuple[int, int], frozenset[int]] = {}
        self._asked: dict[Level, int] = {}
        self._apart: dict[Level, int] = {}

    def apart(self, choices: int, above: Level) -> int:
        """Those of the choices whose branch threads agree on no further than `above`."""
        new = choices & ~self._asked.get(above, 0)
        if new:
            found = self._apart.get(above, 0)
            for branch in self.flow.branches_of(new):
                if self.body.analysis(Uniformity).branch(branch) > above:
                    found |= self.of_branch[branch]
            self._apart[above] = found
            self._asked[above] = self._asked.get(above, 0) | new
        return choices & self._apart.get(above, 0)

    @lazy
    def of_branch(self) -> dict[int, int]:
        """The choices of each branch."""
        found: dict[int, int] = {}
        for bit, (branch, _) in enumerate(self.flow.choices):
            found[branch] = found.get(branch, 0) | 1 << bit
        return found

    @lazy
    def abandoning(self) -> int:
        """The choices of branches of which all sides but one leave the function at once (`if (i >= n) return`), or end all."""
        found = 0
        for branch, choices in self.of_branch.items():
            block = self.flow.blocks[branch]
            staying = [side for side in block.successors if not self.leaves_at_once(side) and side not in self.fatal]
            if len(staying) < 2 and len(block.successors) + self.leaves(branch) > 1:
                found |= choices
        return found

    @lazy
    def fatal(self) -> frozenset[int]:
        """The blocks from which every path ends the whole grid, as a failed assertion does: trap, calls that never return."""
        blocks = self.flow.blocks
        found = {block.index for block in blocks if self._is_fatal(block.start, block.end)}
        more = bool(found)
        while more:
            more = False
            for index in reversed(self.flow.order):
                block = blocks[index]
                if index not in found and not block.leaves and block.successors and found.issuperset(block.successors):
                    found.add(index)
                    more = True
        return frozenset(found)

    def _is_fatal(self, start: int, end: int) -> bool:
        """Does a block end in a trap, or call what never returns?"""
        last = self.body.instructions[end - 1] if end > start else None
        if last is not None and last.pred is None and last.opcode == "trap":
            return True
        return any(start <= position < end for position in self._never_returning)

    @lazy
    def _never_returning(self) -> list[int]:
        """The positions of calls without a guard of functions that are declared so."""
        found = []
        for position in self.body.at.get("call", ()):
            instruction = self.body.instructions[position]
            callee = call_parts(instruction).callee
            known = self.body.names.find(callee.name) if isinstance(callee, Symbol) else None
            if instruction.pred is None and isinstance(known, Function) and known.directive("noreturn") is not None:
                found.append(position)
        return found

    @lazy
    def deserted(self) -> int:
        """The choices of branches at which some threads leave the function at once, or on a side that does nothing else."""
        found = 0
        for branch, choices in self.of_branch.items():
            block = self.flow.blocks[branch]
            out = self.leaves(branch) and self.body.instructions[block.end - 1].opcode != "trap"
            if out or any(self.leaves_at_once(side) for side in block.successors if side not in self.fatal):
                found |= choices
        return found

    def leaves(self, branch: int) -> bool:
        """Is the branch that ends a block itself an exit, `@p ret`?"""
        block = self.flow.blocks[branch]
        return block.leaves and self.body.instructions[block.end - 1].opcode != "bra"

    def leaves_at_once(self, block: int) -> bool:
        """Does control, from the start of a block, leave the function without doing anything else?"""
        trail: list[int] = []
        known = self._leaving
        answer = False
        while block >= 0 and block not in trail:
            if block in known:
                answer = known[block]
                break
            trail.append(block)
            found = self.flow.blocks[block]
            instructions = self.body.instructions[found.start : found.end]
            if len(trail) > _LONGEST or any(i.opcode not in _STEPS or i.pred is not None for i in instructions):
                break
            if found.leaves:
                answer = True
                break
            block = found.successors[0] if found.successors else -1
        for each in trail:
            known[each] = answer
        return answer

    def sides_without(self, branch: int, target: int) -> list[int]:
        """The edges from a branch that controls a block and that do not come there without passing the branch again.

        [-1] where all come there: the branch matters for what they do in between.
        """
        sides = self.flow.blocks[branch].successors
        staying = [side for side in sides if not self.leaves_at_once(side)]
        if len(staying) < 2:  # that one comes there, as the branch controls the block
            found = [side for side in sides if side not in staying]
        else:
            found = [side for side in sides if side not in staying or target not in self.region(side, branch)]
        return found if found or self.leaves(branch) else [-1]

    def region(self, side: int, branch: int) -> frozenset[int]:
        """The blocks that can be reached from a side of a branch up to where the paths from the branch meet again."""
        key = side, branch
        region = self._regions.get(key)
        if region is None:
            meeting = self.flow.post_dominators[branch]
            blocks = self.flow.blocks
            seen, work = {side}, [side]
            while work:
                index = work.pop()
                if index not in (branch, meeting):
                    for successor in blocks[index].successors:
                        if successor not in seen:
                            seen.add(successor)
                            work.append(successor)
            region = self._regions[key] = frozenset(seen)
        return region


_LONGEST = 64
"""So many blocks of jumps alone are followed."""
