"""How a wait for an mbarrier ends: the branch that its result decides, whatever the result is copied or turned into first.

`@!%p bra WAIT;` behind `try_wait %p` reads the result itself; compilers and builders put `not.pred`, `selp` and `setp` in
between, or branch in the block behind. So the value is followed, not the register.
"""

from __future__ import annotations

from bisect import bisect_left

from driver_ctypes.typing import TYPE_CHECKING, NamedTuple
from ptxgen.dataflow.values.evaluation import Evaluation

if TYPE_CHECKING:
    from ptxgen.dataflow.graph.loops import Loop
    from ptxgen.dataflow.values.evaluation import Values
    from ptxgen.verifier.protocols.view import View

__all__ = ["WaitOutcome", "every_iteration", "first_waits", "outcome"]

_MOST_BLOCKS = 4
"""So many blocks may lie between a wait and the branch that looks at it."""


class WaitOutcome(NamedTuple):
    """Blocks: the one that ends in the branch on the result; where it leads when the phase is complete; where when pending."""

    branch_block: int
    completed: int
    pending: int


def outcome(view: View, position: int) -> WaitOutcome | None:
    """What the result of the test_wait or try_wait there decides; None where no branch close behind it depends on it alone."""
    body, flow = view.body, view.body.flow
    written = body.writes[position]
    if not written or body.instructions[position].pred is not None:
        return None
    block = flow.block_at(position)
    between = [(block.index, position + 1)]
    while len(block.successors) == 1 and not block.leaves and len(between) <= _MOST_BLOCKS:
        block = flow.blocks[block.successors[0]]
        if block.index == between[0][0]:
            return None
        between.append((block.index, block.start))
    last = block.end - 1
    guard = body.guard(last) if block.end > block.start else None
    if guard is None or body.instructions[last].opcode != "bra" or len(block.successors) != 2:
        return None
    holds = _holds_when_complete(view, written[0], guard[0], between, last)
    if holds is None:
        return None
    taken, falls = block.successors[1], block.successors[0]
    return WaitOutcome(block.index, taken, falls) if holds is guard[1] else WaitOutcome(block.index, falls, taken)


def _holds_when_complete(view: View, result: int, guard: int, between: list[tuple[int, int]], end: int) -> bool | None:
    """Is the guard's register true where the phase is complete? None where it is not the result or its opposite."""
    if guard == result and not _rewritten(view, result, between, end):
        return True
    evaluation = Evaluation(view.body, [guard])
    truths = []
    for complete in (True, False):
        paths: list[Values] = [list(evaluation.start)]
        if result in evaluation.places:
            paths[0][evaluation.places[result]] = complete
        for index, start in between:
            paths = [after for values in paths for after in evaluation.through(index, values, start)]
        found = {evaluation.held(guard, values) for values in paths}
        truths.append(found.pop() if len(found) == 1 else None)
    first, second = truths
    return first if isinstance(first, bool) and isinstance(second, bool) and first is not second else None


def _rewritten(view: View, register: int, between: list[tuple[int, int]], end: int) -> bool:
    ends = [*(view.body.flow.blocks[index].end for index, _ in between[:-1]), end]
    where = view.body.chains.definitions.get(register, ())
    return any(
        bisect_left(where, start) < bisect_left(where, stop) for (_, start), stop in zip(between, ends, strict=True)
    )


def every_iteration(view: View, loop: Loop, position: int, branch_block: int) -> bool:
    """Does each iteration of a loop come to the wait there?

    Where the branch stands before the wait (`while (!done)`), it does if each iteration sets the result to false first.
    """
    flow, loops = view.body.flow, view.loops
    block = flow.block_at(position).index
    if loops.every_iteration(loop, block):
        return True
    if block == branch_block or not loops.every_iteration(loop, branch_block):
        return False
    pending = _said_to_be_pending(view, position) or ()
    return bool(pending) and all(
        loops.every_iteration(loop, flow.block_at(p).index) and flow.dominates(flow.block_at(p).index, branch_block)
        for p in pending
    )


def first_waits(view: View, position: int, branch_block: int) -> bool:
    """Does whoever comes past the branch on the result for the first time come there from a wait that has completed?

    Where the branch stands before the wait, the result has been set to false, and is set to nothing else.
    """
    flow = view.body.flow
    block = flow.block_at(position).index
    if flow.dominates(block, branch_block):
        return True
    return any(flow.dominates(flow.block_at(p).index, branch_block) for p in _said_to_be_pending(view, position) or ())


def _said_to_be_pending(view: View, position: int) -> list[int] | None:
    """Where the result of a wait is set to false; None where anything else is put into it."""
    body = view.body
    others = [p for p in body.chains.definitions[body.writes[position][0]] if p != position]
    pending = all(
        view.op(p) == "mov.pred"
        and view.values.constant(body.instructions[p].operands[1], p) == 0
        and body.instructions[p].pred is None
        for p in others
    )
    return others if pending else None
