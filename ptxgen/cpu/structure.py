"""Fewer and longer blocks: straight lines joined, branches that soon meet again turned into choices inside a block, tests at the
head of a loop repeated at its end.

Lanes cross a block boundary through memory, one loop over the lanes for each block; inside a block, a branch is a branch.
Threads are independent (sm_70 and newer), so a lane may run through an `if` before the next lane begins.
"""

from __future__ import annotations

from ptxgen.cpu.blocks import READS, WRITES, Choice, FlatBlock, Step
from ptxgen.cpu.flat import Op
from ptxgen.dataflow.graph.algorithms import strongly_connected_components

__all__ = ["simplify"]

DEEPEST = 32
"""How far choices nest; the branches of longer chains stay between blocks."""
LONGEST_TEST = 8
"""Operations of a loop's test that are repeated."""


def simplify(entry: FlatBlock, *, whole: bool = False) -> None:
    """Joins and folds what can be, from the inside out. `whole`: branches that need not be taken stay, as steps."""
    blocks = _reachable(entry)
    predecessors: dict[FlatBlock, int] = {entry: 1}
    for block in blocks:
        _straighten(block, whole=whole)
        for successor in block.successors:
            predecessors[successor] = predecessors.get(successor, 0) + 1
    _shorten(blocks, entry, predecessors, whole=whole)
    if whole:
        return
    cycles = _cycles(entry)
    if sum(_rotate(block, predecessors, cycles) for block in _reachable(entry)):
        _shorten(_reachable(entry), entry, predecessors, whole=whole)


def _shorten(blocks: list[FlatBlock], entry: FlatBlock, predecessors: dict[FlatBlock, int], *, whole: bool) -> None:
    """Joins and folds until nothing is left to."""
    changed = True
    while changed:
        changed = False
        for block in blocks:
            while predecessors[block] and (_join(block, predecessors) or _fold(block, predecessors, whole=whole)):
                changed = True
        if changed:
            blocks = _reachable(entry)


def _reachable(entry: FlatBlock) -> list[FlatBlock]:
    seen = {entry}
    found = [entry]
    for block in found:
        for successor in block.successors:
            if successor not in seen:
                seen.add(successor)
                found.append(successor)
    return found


def _cycles(entry: FlatBlock) -> dict[FlatBlock, int]:
    """A number for each block, the same for those that reach each other."""
    components = strongly_connected_components([entry], lambda block: block.successors)
    return {block: number for number, component in enumerate(components) for block in component}


def _straighten(block: FlatBlock, *, whole: bool) -> None:
    """A branch that is always taken is not a branch."""
    t = block.terminator
    if t is not None and t.opcode == "bra" and t.guard is None:
        if whole:
            block.ops.append(t)
        block.following = block.targets[0]
        block.targets = []
        block.terminator = None


def _exchange(one: FlatBlock, other: FlatBlock) -> bool:
    """Would they read and write shared memory as one block?"""
    return one.exchange | other.exchange == READS | WRITES


def _join(block: FlatBlock, predecessors: dict[FlatBlock, int]) -> bool:
    """Appends the only successor of a block to it, when nothing else leads there."""
    after = block.following
    if block.sync is not None or block.terminator is not None or after is None or after is block:
        return False
    if after.sync is not None or predecessors[after] != 1 or _exchange(block, after):
        return False
    block.ops += after.ops
    block.exchange |= after.exchange
    block.terminator, block.targets, block.following = after.terminator, after.targets, after.following
    predecessors[after] = 0
    return True


def _fold(block: FlatBlock, predecessors: dict[FlatBlock, int], *, whole: bool) -> bool:
    """Turns a guarded branch whose paths meet again, at once or after one block each, into a choice."""
    t, following = block.terminator, block.following
    if t is None or t.opcode != "bra" or following is None:
        return False
    target = block.targets[0]

    def is_arm(arm: FlatBlock) -> bool:
        plain = arm.sync is None and arm.terminator is None and arm.following is not None
        return plain and arm is not block and predecessors[arm] == 1 and not _exchange(block, arm)

    then: list[Step] = []
    otherwise: list[Step] = []
    arms: list[FlatBlock] = []
    if target is following:
        meeting = target
    elif is_arm(following) and following.following is target:
        otherwise, meeting, arms = following.ops, target, [following]
    elif is_arm(target) and target.following is following:
        then, meeting, arms = target.ops, following, [target]
    elif is_arm(target) and is_arm(following) and target.following is following.following:
        assert target.following is not None
        then, otherwise, meeting, arms = target.ops, following.ops, target.following, [target, following]
    else:
        return False
    if then or otherwise or whole:
        choice = Choice(t, then, otherwise)
        if choice.depth > DEEPEST:
            return False
        block.ops.append(choice)
    for arm in arms:
        predecessors[arm] = 0
        block.exchange |= arm.exchange
    predecessors[meeting] -= 1
    block.terminator, block.targets, block.following = None, [], meeting
    return True


def _rotate(block: FlatBlock, predecessors: dict[FlatBlock, int], cycles: dict[FlatBlock, int]) -> bool:
    """Ends the last block of a loop with the test that its head is, so that lanes go round in one block and not in two.

    `cycles` is that of before the first rotation: one takes no way from block to block but those that end at a head.
    """
    head = block.following
    if block.terminator is not None or block.sync is not None or head is None or head is block:
        return False
    t = head.terminator
    plain = head.sync is None and all(isinstance(step, Op) for step in head.ops) and len(head.ops) <= LONGEST_TEST
    if not plain or t is None or t.opcode != "bra" or head.following is None or cycles[block] != cycles[head]:
        return False
    if _exchange(block, head):
        return False
    block.ops += head.ops
    block.exchange |= head.exchange
    block.terminator, block.targets, block.following = t, list(head.targets), head.following
    predecessors[head] -= 1
    for successor in block.successors:
        predecessors[successor] += 1
    return True
