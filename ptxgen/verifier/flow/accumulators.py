"""Accumulators of wgmma.mma_async that are read before anything has written them (manual 9.7.15.5.2).

`D = A*B + D` reads D unless `scale-d` is false, which is how the first product of a chain sets its accumulators. That predicate
is often computed (`k != 0` in a loop over k), so whether accumulators that nothing has written are read is decided by walking
the paths that lead there with what the predicate depends on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.dataflow.values.evaluation import Evaluation, Values
from ptxgen.ir import Immediate, Not, Register

if TYPE_CHECKING:
    from ptxgen.verifier.program.checked_body import CheckedBody

__all__ = ["is_read_unwritten"]

_MOST_STATES = 2_000
"""How many states are tried before the search gives up, in silence."""


def is_read_unwritten(body: CheckedBody, register: int, position: int) -> bool:
    """Does a path lead to the instruction there on which nothing writes this accumulator and scale-d is not certainly false?"""
    scale = body.accumulators[position]
    predicate = scale.operand if isinstance(scale, Not) else scale
    number = body.number(predicate, position) if isinstance(predicate, Register) else None
    evaluation = Evaluation(body, () if number is None else (number,))
    writes = body.chains.definitions.get(register, ())

    def read(block: int, values: Values) -> tuple[bool, list[Values]]:
        """Is the accumulator read in a block, and the values at its end if it is not written there?"""
        first = body.flow.blocks[block]
        end = next((where for where in writes if first.start <= where < first.end), None)
        if first.start <= position < first.end and (end is None or position <= end):
            for before in evaluation.through(block, values, first.start, position):
                if isinstance(scale, Immediate) or evaluation.value(scale, position, before) is not False:
                    return True, []
        return False, [] if end is not None else evaluation.through(block, values)

    start: tuple[int, Values] = (0, list(evaluation.start))
    work, seen = [start], {(0, evaluation.start)}
    while work and len(seen) < _MOST_STATES:
        block, values = work.pop()
        found, ends = read(block, values)
        if found:
            return True
        for end in ends:
            for successor, known in evaluation.onward(block, end):
                state = successor, tuple(known)
                if state not in seen:
                    seen.add(state)
                    work.append((successor, known))
    return False
