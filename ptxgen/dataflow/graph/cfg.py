"""The control-flow graph of a function: basic blocks in text order, the edges between them, dominators and post-dominators.

A guarded `bra`, `brx`, `ret`, `exit` or `trap` ends its block and lets control fall through as well; every other guarded
instruction stays in the middle of its block. Nothing here looks at operands except for the targets of branches.
"""

from __future__ import annotations

from itertools import pairwise

from driver_ctypes.typing import TYPE_CHECKING
from ptxgen.dataflow.graph.algorithms import (
    TreeIntervals,
    bits,
    immediate_dominators,
    members,
    reachable_from,
    reverse_postorder,
)
from ptxgen.dataflow.lazy import lazy
from ptxgen.ir.operands import Symbol
from ptxgen.ir.program import Block, BranchTargets, Function, Instruction, Label
from ptxgen.isa.forms import opcodes_with

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["BasicBlock", "ControlFlow"]

_LEAVES = frozenset(opcode + mode for opcode in opcodes_with("ends") for mode in ("", ".uni"))
_ENDS = _LEAVES | {opcode + mode for opcode in opcodes_with("branch") for mode in ("", ".uni", ".idx", ".idx.uni")}


class BasicBlock:
    """Instructions that run one after the other: those at positions `start` to `end - 1` of their function.

    `successors` and `predecessors` are indices of blocks, the fall-through successor first. `leaves`: a thread may leave the
    function at its end.
    """

    __slots__ = ("end", "index", "labels", "leaves", "predecessors", "start", "successors")

    def __init__(self, index: int, start: int) -> None:
        self.index: int = index
        self.start: int = start
        self.end: int = start
        self.labels: list[str] = []
        self.successors: list[int] = []
        self.predecessors: list[int] = []
        self.leaves: bool = False

    def __repr__(self) -> str:
        return f"<block {self.index} {self.labels} instructions {self.start}:{self.end} -> {self.successors}>"


class ControlFlow:
    """The graph of a function with a body. A branch to an unknown label has no edge.

    `instructions` are all of the function's, in text order: an instruction's *position* is its index there. `blocks[0]` is
    the entry. `exit` is the index of a block that is not there, which every exit of the function leads to.
    """

    def __init__(self, function: Function) -> None:
        self.instructions: list[Instruction] = []
        self.blocks: list[BasicBlock] = [BasicBlock(0, 0)]
        self._falling = -1
        self._branches: list[tuple[int, Instruction, _Labels]] = []
        if function.body is not None:
            self._split(function.body, _Labels(None))
        self.blocks[-1].end = len(self.instructions)
        self._connect()
        self.exit: int = len(self.blocks)
        self._leading: dict[int, int] = {}
        self._branches_of: dict[int, list[int]] = {}

    def _split(self, body: Block, labels: _Labels) -> None:
        """Cuts at labels and behind what ends a block. Names of labels and of tables are those of their `{}`."""
        instructions, blocks = self.instructions, self.blocks
        for statement in body.statements:
            kind = type(statement)
            if kind is Instruction:
                instructions.append(statement)  # type: ignore[arg-type]
                if statement.op in _ENDS:  # type: ignore[union-attr]
                    self._branches.append((len(blocks) - 1, statement, labels))  # type: ignore[arg-type]
                    blocks[-1].end = len(instructions)
                    blocks.append(BasicBlock(len(blocks), len(instructions)))
            elif isinstance(statement, Label):
                current = blocks[-1]
                if current.start != len(instructions):
                    current.end = len(instructions)
                    current = BasicBlock(len(blocks), len(instructions))
                    blocks.append(current)
                current.labels.append(statement.name)
                labels.blocks[statement.name] = current.index
            elif isinstance(statement, Block):
                self._split(statement, _Labels(labels))
            elif isinstance(statement, BranchTargets):
                labels.tables[statement.name] = statement.labels

    def _connect(self) -> None:
        blocks = self.blocks
        last = blocks[-1]
        if last.start == last.end and not last.labels and len(blocks) > 1:  # nothing behind the last branch
            blocks.pop()
        ends = {index: (instruction, labels) for index, instruction, labels in self._branches}
        for block in blocks:
            index = block.index
            instruction, labels = ends.get(index, (None, None))
            if instruction is None or instruction.pred is not None:
                if index + 1 < len(blocks):
                    block.successors.append(index + 1)
                else:
                    block.leaves = True
                    self._falling = index
            if instruction is None or labels is None:
                continue
            if instruction.op in _LEAVES:
                block.leaves = True
                continue
            for target in labels.targets(instruction):
                if target not in block.successors:
                    block.successors.append(target)
        for block in blocks:
            for successor in block.successors:
                blocks[successor].predecessors.append(block.index)
        self._branches.clear()

    @lazy
    def block_at(self) -> Callable[[int], BasicBlock]:
        """The block that an instruction is in, by its position. Everybody asks: the look into a list is the function itself."""
        found: list[BasicBlock] = []
        for block in self.blocks:
            found += [block] * (block.end - block.start)
        return [*found, self.blocks[-1]].__getitem__

    def behind(self, index: int) -> int:
        """The blocks, as bits, to whose start control may come from the end of one."""
        return self._behind[index]

    @lazy
    def _behind(self) -> list[int]:
        found = [0] * len(self.blocks)
        order = [*reversed(self.order), *(b.index for b in reversed(self.blocks) if b.index not in self.reachable)]
        changed = True
        while changed:
            changed = False
            for index in order:
                known = found[index]
                for successor in self.blocks[index].successors:
                    known |= found[successor] | 1 << successor
                if known != found[index]:
                    found[index], changed = known, True
        return found

    def leading(self, index: int) -> int:
        """The blocks, as bits, from which control may come to one, itself among them."""
        known = self._leading.get(index)
        if known is None:
            known = self._leading[index] = bits(reachable_from((index,), lambda block: self.blocks[block].predecessors))
        return known

    @lazy
    def successors(self) -> list[list[int]]:
        """Those of each block."""
        return [block.successors for block in self.blocks]

    @lazy
    def order(self) -> list[int]:
        """The blocks that control can reach, in reverse postorder: except for loops, each behind all that lead to it."""
        return reverse_postorder(0, self.successors)

    @lazy
    def rank(self) -> dict[int, int]:
        """The place of each reachable block in `order`. An edge to a block of no higher rank goes round a loop."""
        return {index: place for place, index in enumerate(self.order)}

    @lazy
    def reachable(self) -> frozenset[int]:
        """The blocks that control can reach."""
        return frozenset(self.order)

    @property
    def falls_off(self) -> bool:
        """May control run past the last instruction?"""
        return self._falling in self.reachable

    @lazy
    def ends(self) -> tuple[int, ...]:
        """The reachable blocks at which control may leave; a loop that never ends counts as left at its last block."""
        ends = [index for index in self.order if self.blocks[index].leaves or not self.blocks[index].successors]
        leading = set(ends)
        work = list(ends)
        backwards = reversed(self.order)
        while True:
            while work:
                for before in self.blocks[work.pop()].predecessors:
                    if before not in leading:
                        leading.add(before)
                        work.append(before)
            endless = next((index for index in backwards if index not in leading), None)
            if endless is None:
                return tuple(ends)
            ends.append(endless)
            leading.add(endless)
            work.append(endless)

    @lazy
    def dominators(self) -> list[int]:
        """The immediate dominator of each block; its own index for the entry, -1 for what control cannot reach."""
        return immediate_dominators(self.order, [block.predecessors for block in self.blocks])

    @lazy
    def post_dominators(self) -> list[int]:
        """The immediate post-dominator of each block, `exit` where the paths from it meet nowhere before the end.

        The entry for `exit` is itself; blocks that control cannot reach have -1.
        """
        edges = [list(block.successors) for block in self.blocks]
        edges.append([])
        for index in self.ends:
            edges[index].append(self.exit)
        back: list[list[int]] = [[] for _ in edges]
        for index in self.order:
            for successor in edges[index]:
                back[successor].append(index)
        return immediate_dominators(reverse_postorder(self.exit, back), edges)

    def dominates(self, first: int, second: int) -> bool:
        """Does every path from the entry to block `second` go through block `first`? True when they are the same."""
        return self._dominated.above(first, second)

    @lazy
    def _dominated(self) -> TreeIntervals:
        return TreeIntervals(self.dominators)

    def post_dominates(self, first: int, second: int) -> bool:
        """Does every path from block `second` to the end go through block `first`? True when they are the same."""
        return self._post_dominated.above(first, second)

    @lazy
    def _post_dominated(self) -> TreeIntervals:
        return TreeIntervals(self.post_dominators)

    @lazy
    def frontiers(self) -> list[list[int]]:
        """The dominance frontier of each block: where paths that it does not dominate join those through it."""
        found: list[list[int]] = [[] for _ in self.blocks]
        above, last = self.dominators, [-1] * len(self.blocks)
        for index in self.order:
            before = self.blocks[index].predecessors
            if len(before) + (index == 0) < 2:
                continue
            stop = -1 if index == 0 else above[index]
            for runner in before:
                while above[runner] >= 0 and runner != stop and last[runner] != index:
                    last[runner] = index
                    found[runner].append(index)
                    if runner == 0:
                        break
                    runner = above[runner]
        return found

    @lazy
    def choices(self) -> list[tuple[int, int]]:
        """Every edge out of a block that has several, (block, successor), by the block's index."""
        return [
            (block.index, successor)
            for block in self.blocks
            if len(block.successors) + block.leaves > 1
            for successor in block.successors
        ]

    @lazy
    def controllers(self) -> list[int]:
        """For each block, the choices that decide whether it runs (its control dependences), transitively closed.

        As bits: bit n is `choices[n]`, an edge on which the block is certain to run while without it it is not. A branch of a
        loop is among its own controllers.
        """
        direct: list[dict[int, int]] = [{} for _ in self.blocks]
        up, reachable = self.post_dominators, self.reachable
        for bit, (index, runner) in enumerate(self.choices):
            if index in reachable:
                while runner not in (up[index], self.exit):
                    direct[runner][bit] = index
                    runner = up[runner]
        closed = [0] * len(self.blocks)
        again = True
        while again:
            again = False
            for index in self.order:
                bits = closed[index]
                for bit, branch in direct[index].items():
                    bits |= 1 << bit | closed[branch]
                if bits != closed[index]:
                    closed[index] = bits
                    again = True
        return closed

    @lazy
    def repeated(self) -> int:
        """The choices that decide over themselves, as bits: those of loops."""
        found = 0
        for bit, (branch, _) in enumerate(self.choices):
            found |= self.controllers[branch] & 1 << bit
        return found

    def certain(self, block: int) -> int:
        """The choices every thread in a block has made: its controllers except for branches of which several edges lead there."""
        bits = self.controllers[block]
        several = bits & bits >> 1 & self._neighbours
        bits &= ~(several | several << 1)
        for choices in self._wide:
            among = bits & choices
            if among & among - 1:
                bits &= ~choices
        return bits

    @lazy
    def _neighbours(self) -> int:
        """The choices, as bits, of which the next is the other edge of the same branch."""
        found = 0
        for bit, (one, other) in enumerate(pairwise(self.choices)):
            if one[0] == other[0]:
                found |= 1 << bit
        return found

    @lazy
    def _wide(self) -> list[int]:
        """The choices of each branch with more than two edges."""
        found: dict[int, int] = {}
        for bit, (branch, _) in enumerate(self.choices):
            found[branch] = found.get(branch, 0) | 1 << bit
        return [choices for branch, choices in found.items() if len(self.blocks[branch].successors) > 2]

    def chosen(self, choices: int) -> list[tuple[int, int]]:
        """The choices that these bits stand for, by the branch's index."""
        return [self.choices[bit] for bit in members(choices)]

    def branches_of(self, choices: int) -> list[int]:
        """The blocks that end with the branches that these choices belong to, in order."""
        known = self._branches_of.get(choices)
        if known is None:
            known = self._branches_of[choices] = list(dict.fromkeys([branch for branch, _ in self.chosen(choices)]))
        return known


class _Labels:
    """The labels and branch tables of one `{}`; `parent` is the scope around it."""

    __slots__ = ("blocks", "parent", "tables")

    def __init__(self, parent: _Labels | None) -> None:
        self.parent = parent
        self.blocks: dict[str, int] = {}
        self.tables: dict[str, tuple[str, ...]] = {}

    def targets(self, branch: Instruction) -> list[int]:
        """The blocks that a branch names, in its order."""
        operand = branch.operands[-1] if branch.operands else None
        if not isinstance(operand, Symbol):
            return []
        if branch.op.startswith("brx"):
            scope: _Labels | None = self
            while scope is not None and operand.name not in scope.tables:
                scope = scope.parent
            names = scope.tables[operand.name] if scope is not None else ()
        else:
            names = (operand.name,)
        found = [self._block(name) for name in names]
        return [index for index in found if index is not None]

    def _block(self, name: str) -> int | None:
        scope: _Labels | None = self
        while scope is not None:
            if name in scope.blocks:
                return scope.blocks[name]
            scope = scope.parent
        return None
