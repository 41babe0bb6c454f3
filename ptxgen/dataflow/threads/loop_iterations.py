"""The iterations of a loop whose counters are known at its start: what each thread computes in one iteration after the other.

So `for (s = 64; s > 0; s >>= 1)` is known as s = 64, 32, ..., though s itself is not one number, and
`for (i = tid; i < 1024; i += 128)` as tid, tid + 128, ...
"""

from __future__ import annotations

from itertools import chain
from operator import not_
from typing import TYPE_CHECKING

from ptxgen.dataflow.bodies.alive import LiveBlocks
from ptxgen.dataflow.threads.thread_integers import both
from ptxgen.dataflow.threads.thread_values import LoopIteration

if TYPE_CHECKING:
    from ptxgen.dataflow.bodies.body import Body
    from ptxgen.dataflow.graph.loops import Loop
    from ptxgen.dataflow.threads.thread_integers import ThreadIntegers, Threads
    from ptxgen.dataflow.threads.thread_values import ThreadValues
    from ptxgen.dataflow.threads.uniformity import Value

__all__ = ["exiting_blocks", "first_iterations", "two_iterations"]


def first_iterations(threads: ThreadValues, loop: Loop, most: int) -> list[LoopIteration]:
    """The iterations from the first on, as far as they are certain and no more than `most`; [] where no counter is known."""
    key = loop.head, most
    if key not in threads.iterations:
        threads.iterations[key] = _first_iterations(threads, loop, most)
    return threads.iterations[key]


def _first_iterations(threads: ThreadValues, loop: Loop, most: int) -> list[LoopIteration]:
    """What nobody reads in the next iteration counts nothing; but while it can be followed, iterations are told apart."""
    found = _followed(threads, loop, most, _counters(threads, loop))
    if len(found) < most and (not found or any(_coming(found[-1], loop))):
        found = _followed(threads, loop, most, _counters(threads, loop, dead=True))
    return found


def _followed(
    threads: ThreadValues, loop: Loop, most: int, counters: dict[Value, tuple[ThreadIntegers, Value]]
) -> list[LoopIteration]:
    found: list[LoopIteration] = []
    current = {value: start for value, (start, _) in counters.items()}
    enters = threads.everyone
    while current and any(enters) and len(found) < most:
        one = threads.where(current)
        found.append(LoopIteration(one, enters))
        enters = _coming(found[-1], loop)
        known = {value: one.of_value(again) for value, (_, again) in counters.items() if value in current}
        current = {value: integers for value, integers in known.items() if integers is not None}
    return found


def _coming(iteration: LoopIteration, loop: Loop) -> Threads:
    """Which threads go on from an iteration into the next."""
    threads, enters = iteration
    for index in exiting_blocks(threads.body, loop):
        stays = _stays(threads, loop, index)
        if stays is None:
            return bytes(len(enters))
        enters = both(enters, stays)
    return enters


def two_iterations(threads: ThreadValues, loop: Loop, until: int) -> tuple[ThreadValues, ThreadValues] | None:
    """The values of the first two iterations; None where it is not certain that the second comes to block `until`."""
    iterations = first_iterations(threads, loop, 2)
    if len(iterations) < 2 or not all(iterations[1].enters):
        return None
    flow, (one, other) = threads.body.flow, iterations
    before = [i for i in exiting_blocks(threads.body, loop) if i != until and flow.dominates(i, until)]
    return (one.threads, other.threads) if all(all(_stays(other.threads, loop, i) or b"\0") for i in before) else None


def exiting_blocks(body: Body, loop: Loop) -> list[int]:
    """The blocks of a loop by which it can be left."""
    return [index for index in loop.blocks if not loop.blocks.issuperset(body.flow.blocks[index].successors)]


def _counters(threads: ThreadValues, loop: Loop, *, dead: bool = False) -> dict[Value, tuple[ThreadIntegers, Value]]:
    """By value that merges at a loop's head, what it is at first, and the value that the next iteration takes for it.

    With `dead`, of registers whose value nobody reads there, too.
    """
    body, alive = threads.body, threads.body.analysis(LiveBlocks).at(loop.head)
    found: dict[Value, tuple[ThreadIntegers, Value]] = {}
    if len(loop.latches) != 1:
        return found
    blocks = [body.flow.blocks[index] for index in sorted(loop.blocks)]
    writes = (body.writes[position] for block in blocks for position in range(block.start, block.end))
    for register in dict.fromkeys(chain.from_iterable(writes)):
        if not dead and not alive >> register & 1:
            continue
        forwards, around = body.merges.merged(register, loop.head)
        start = threads.of_value((register, forwards[0])) if len(forwards) == len(around) == 1 else None
        if start is not None:
            found[register, -1 - loop.head] = start, (register, around[0])
    return found


def _stays(threads: ThreadValues, loop: Loop, index: int) -> Threads | None:
    """Which threads stay in the loop at the branch that ends a block of it; None where that is not known."""
    body = threads.body
    block = body.flow.blocks[index]
    holds = threads.holds(block.end - 1)
    if holds is None or body.instructions[block.end - 1].opcode != "bra" or len(block.successors) != 2:
        return None
    return bytes(map(not_, holds)) if index + 1 in loop.blocks else holds
