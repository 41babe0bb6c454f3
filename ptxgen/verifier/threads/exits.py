"""Threads that leave the kernel while others still meet at a barrier (manual 9.7.13.1).

A barrier waits for the threads that have not left, so this is not a deadlock. But what those that left would have brought (their
part of a tile, their turn of a reduction) is missing from then on, and in a loop the CTA dwindles from iteration to iteration.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.dataflow.threads.branches import Branches
from ptxgen.dataflow.threads.uniformity import Level, Uniformity
from ptxgen.isa.forms import opcodes_with
from ptxgen.verifier.threads.divergence import Divergence, all_agree, explain, has_count, is_handed_out

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ptxgen.verifier.program.checked_body import CheckedBody

__all__ = ["check_exits"]


def check_exits(body: CheckedBody) -> None:
    """PTX508: some threads leave a loop that has a barrier, and the kernel; PTX603 (style): they leave before a barrier."""
    positions = [
        p for name in sorted(opcodes_with("barrier")) for p in body.at.get(name, ()) if _is_for_the_cta(body, p)
    ]
    if not positions or body.analysis(Uniformity).one_warp:
        return
    settled = 0 if body.context.style else _outside_of_loops(body)
    for position in positions:
        for branch in _exits(body, position, settled):
            in_loop = _share_a_loop(body, branch, position)
            if not in_loop and not body.context.style:
                continue
            settled |= body.analysis(Branches).of_branch[branch]
            end = body.flow.blocks[branch].end - 1
            register = next(n for n in body.reads[end] if body.analysis(Uniformity).register(n, end) > Level.CTA)
            if is_handed_out(body, register, end):
                continue
            why = explain(body, Divergence(branch, register, end))
            op = body.instructions[position].op
            where = f"the loop of this {op}" if in_loop else f"the kernel before this {op}"
            body.report(
                "PTX508" if in_loop else "PTX603",
                f"some threads leave {where}, and the others go on without them: {why}",
                position,
                expected="all threads of the CTA up to the last barrier",
                hint="let them run the loop with nothing to do: guard the loads and stores, not the barrier",
            )


def _is_for_the_cta(body: CheckedBody, position: int) -> bool:
    """Is it a barrier of all threads of the CTA at which threads wait?"""
    words = body.instructions[position].op.split(".")
    if {"warp", "cluster", "arrive"} & set(words):
        return False
    return body.forms[position] is not None and not has_count(body.instructions[position])


def _outside_of_loops(body: CheckedBody) -> int:
    """The choices of branches that are in no loop."""
    looping = frozenset[int]().union(*(loop.blocks for loop in body.loops))
    found = 0
    for branch, choices in body.analysis(Branches).of_branch.items():
        if branch not in looping:
            found |= choices
    return found


def _exits(body: CheckedBody, position: int, settled: int) -> Iterator[int]:
    """The branches before a barrier where threads of a CTA diverge, and those that do not come to it do nothing but leave.

    Choices in `settled` are passed over.
    """
    flow, branches = body.flow, body.analysis(Branches)
    target = flow.block_at(position).index
    if target not in flow.reachable:
        return
    for branch in flow.branches_of(branches.apart(flow.controllers[target] & branches.deserted & ~settled, Level.CTA)):
        sides = branches.sides_without(branch, target)
        exits_at_once = all(side >= 0 and branches.leaves_at_once(side) for side in sides)
        if exits_at_once and (sides or branches.leaves(branch)) and not all_agree(body, branch):
            yield branch


def _share_a_loop(body: CheckedBody, branch: int, position: int) -> bool:
    """Does a loop have both the branch and the barrier in it?"""
    target = body.flow.block_at(position).index
    return any(loop.blocks.issuperset((branch, target)) for loop in body.loops)
