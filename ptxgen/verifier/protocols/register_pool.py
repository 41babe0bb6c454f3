"""The registers of a CTA, which setmaxnreg moves between its warpgroups (manual 9.7.19.5).

A CTA starts with so many a thread. `.dec` gives some to its pool, `.inc` waits until the pool has enough. What the warpgroups
hold in the end cannot be more than what there was in the beginning: else some `.inc` waits for ever.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.dataflow.graph.algorithms import reachable_from
from ptxgen.dataflow.threads.thread_values import counted_threads
from ptxgen.verifier.protocols.warpgroups import WARPGROUP, register_bound, register_count

if TYPE_CHECKING:
    from ptxgen.dataflow.graph.cfg import BasicBlock
    from ptxgen.dataflow.threads.thread_values import ThreadValues
    from ptxgen.verifier.program.checked_body import CheckedBody
    from ptxgen.verifier.protocols.view import View

__all__ = ["check_register_pool"]

_UNIT = 8
"""Registers of a thread come in multiples of this."""

_MOST_STATES = 4_000


def check_register_pool(view: View) -> None:
    """Report register counts of which the sum over the warpgroups is more than the CTA has."""
    increased = [p for p in view.at("setmaxnreg") if ".inc." in view.op(p)]
    if not increased or not view.whole or view.threads is None:
        return
    threads = counted_threads(view.body, view.threads)
    if not threads.indices.extents or view.threads > view.body.context.target.max_threads:
        return
    first = -(-register_bound(view) // _UNIT) * _UNIT
    groups = [range(start, min(start + WARPGROUP, view.threads)) for start in range(0, view.threads, WARPGROUP)]
    ends = [_least_at_the_end(view, threads, group, first) for group in groups]
    if None in ends:
        return
    held = [end for end in ends if end is not None]
    total = sum(count * len(group) for count, group in zip(held, groups))
    if total > first * view.threads:
        position = max(increased, key=lambda p: (register_count(view, p) or 0, -p))
        view.body.report(
            "PTX574",
            f"the warpgroups of this kernel end with {' + '.join(map(str, held))} registers a thread, and the CTA starts with "
            f"{len(groups)} * {first}: an .inc waits for ever",
            position,
            expected=f"counts of which the sum is at most {len(groups) * first}",
            hint="a smaller .dec for the warpgroups that load, or a smaller .inc",
        )


def _least_at_the_end(view: View, threads: ThreadValues, group: range, first: int) -> int | None:
    """The fewest registers a thread that a warpgroup may have where it ends; None where that is not known.

    Branches whose answer for its threads is known are followed on that edge alone. Behind the last setmaxnreg none is asked.
    """
    body, flow = view.body, view.body.flow
    moves: dict[int, list[int]] = {}
    for position in view.at("setmaxnreg"):
        moves.setdefault(flow.block_at(position).index, []).append(position)
    before = [block.predecessors for block in flow.blocks]
    moving = reachable_from(moves, before.__getitem__)
    ending = reachable_from([b.index for b in flow.blocks if b.leaves or not b.successors], before.__getitem__)
    work, seen, ends = [(0, first)], {(0, first)}, set[int]()
    while work:
        index, count = work.pop()
        if index not in moving:
            if index in ending:
                ends.add(count)
            continue
        for position in moves.get(index, ()):
            stated = register_count(view, position)
            if stated is None or body.instructions[position].pred is not None:
                return None
            count = stated
        block = flow.blocks[index]
        if block.leaves or not block.successors:
            ends.add(count)
        for successor in _sides(body, threads, group, block):
            if (successor, count) not in seen:
                seen.add((successor, count))
                work.append((successor, count))
        if len(seen) > _MOST_STATES:
            return None
    return min(ends, default=None)


def _sides(body: CheckedBody, threads: ThreadValues, group: range, block: BasicBlock) -> list[int]:
    """Where the threads of a warpgroup may go from a block."""
    edges, last = block.successors, block.end - 1
    if len(edges) != 2 or body.instructions[last].opcode != "bra":
        return edges
    goes = threads.holds(last)
    going = 0 if goes is None else goes[group.start : group.stop].count(1)
    if goes is None or 0 < going < len(group):
        return edges
    return [edges[1] if going else edges[0]]
