"""The first two rounds of a loop whose counters are constants: what each thread computes in the one and in the other.

So `for (s = 64; s > 0; s >>= 1)` is known as s = 64 and s = 32, though s itself is not one number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.check.threads.thread_values import ThreadValues

if TYPE_CHECKING:
    from ptxgen.check.program.body import Body
    from ptxgen.check.threads.uniformity import Value
    from ptxgen.ir.loops import Loop

__all__ = ["two_rounds"]


def two_rounds(threads: ThreadValues, loop: Loop, until: int) -> tuple[ThreadValues, ThreadValues] | None:
    """The values of the first round and of the second; None where it is not certain that the second comes to block `until`."""
    body = threads.body
    if len(loop.latches) != 1:
        return None
    first: dict[Value, int] = {}
    again: dict[Value, Value] = {}
    for register, positions in body.merges.definitions.items():
        if not any(body.flow.block_at(position).index in loop.blocks for position in positions):
            continue
        forwards, around = body.merges.merged(register, loop.head)
        start = _constant(threads, (register, forwards[0])) if len(forwards) == len(around) == 1 else None
        if start is not None:
            first[register, -1 - loop.head] = start
            again[register, -1 - loop.head] = (register, around[0])
    if not first:
        return None
    one = threads.where(first)
    second = {value: number for value, made in again.items() if (number := _constant(one, made)) is not None}
    other = threads.where(second)
    leaving = [index for index in loop.blocks if not loop.blocks.issuperset(body.flow.blocks[index].successors)]
    sure = all(_stays(body, one, loop, index) for index in leaving) and all(
        _stays(body, other, loop, index) for index in leaving if index != until and body.flow.dominates(index, until)
    )
    return (one, other) if sure else None


def _constant(threads: ThreadValues, value: Value) -> int | None:
    found = threads.of_value(value)
    return None if found is None else found.constant


def _stays(body: Body, threads: ThreadValues, loop: Loop, index: int) -> bool:
    """Do all threads stay in the loop at the branch that ends a block of it?"""
    block = body.flow.blocks[index]
    holds = threads.holds(block.end - 1)
    if holds is None or body.instructions[block.end - 1].opcode != "bra" or len(block.successors) != 2:
        return False
    falls = index + 1 in loop.blocks
    return not any(holds) if falls else all(holds)
