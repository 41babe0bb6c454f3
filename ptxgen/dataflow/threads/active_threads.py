"""Which threads of a CTA come to an instruction, as far as conditions on their numbers decide."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.dataflow.lazy import lazy
from ptxgen.dataflow.threads.thread_integers import both, without
from ptxgen.dataflow.threads.thread_values import counted_threads
from ptxgen.dataflow.threads.uniformity import Level, Uniformity

if TYPE_CHECKING:
    from ptxgen.dataflow.bodies.body import Body
    from ptxgen.dataflow.graph.loops import Loop
    from ptxgen.dataflow.threads.thread_integers import Threads
    from ptxgen.dataflow.threads.thread_values import ThreadValues

__all__ = ["ActiveThreads", "active_threads"]


class ActiveThreads:
    """The threads of a body that run its instructions.

    Conditions that are the same in the whole CTA are taken to hold, where they are not known. The values of the threads are
    those of one iteration of each of the loops `within`. How often they come is not asked.
    """

    def __init__(self, body: Body, threads: ThreadValues, within: tuple[Loop, ...] = ()) -> None:
        self.body = body
        self.threads = threads
        self.within = within
        self._known: dict[int, Threads | None] = {}
        self._by_block: dict[int, Threads | None] = {}

    def beyond(self, position: int, other: int) -> Threads | None:
        """As `at`, of the threads for which everything holds that decides both the instruction and the one at *other*."""
        flow = self.body.flow
        index, there = (flow.block_at(each).index for each in (position, other))
        come, run = self._choosing(index, flow.controllers[index] & ~flow.controllers[there]), self._run(position)
        return None if come is None or run is None else both(come, run)

    @lazy
    def _repeated(self) -> frozenset[int]:
        """The branches that control may come to again."""
        return frozenset(self.body.flow.branches_of(self.body.flow.repeated))

    def at(self, position: int) -> Threads | None:
        """The threads that come to the instruction there and run it; None where that is not known."""
        if position not in self._known:
            index = self.body.flow.block_at(position).index
            if index not in self._by_block:
                self._by_block[index] = self._come_to(index)
            come, run = self._by_block[index], self._run(position)
            self._known[position] = None if come is None or run is None else both(come, run)
        return self._known[position]

    def _come_to(self, index: int) -> Threads | None:
        """The threads that come to a block."""
        return self._choosing(index, self.body.flow.controllers[index])

    def _choosing(self, index: int, choices: int) -> Threads | None:
        """The threads that make these choices on the way to a block."""
        body, active = self.body, self.threads.everyone
        branches: dict[int, set[int]] = {}
        for branch, successor in body.flow.chosen(choices):
            branches.setdefault(branch, set()).add(successor)
        for branch, successors in branches.items():
            if self._goes_round(branch, index):
                continue
            uniform = body.analysis(Uniformity).branch(branch) <= Level.CTA
            last = body.flow.blocks[branch].end - 1
            many = uniform and branch in self._repeated and not any(branch in loop.blocks for loop in self.within)
            followed = body.instructions[last].pred is not None and not many
            goes = self.threads.holds(last) if followed else None
            if goes is None and uniform:
                continue
            if goes is None:
                return None
            falls, jumps = branch + 1 in successors, bool(successors - {branch + 1})
            if not jumps:
                active = without(active, goes)
            elif not falls:
                active = both(active, goes)
        return active

    def _goes_round(self, branch: int, index: int) -> bool:
        """Does a branch decide no more than whether threads come to a block once more?"""
        flow = self.body.flow
        if flow.dominates(index, branch):  # whoever comes to the branch has been there
            return True
        return not flow.dominates(branch, index) and any(
            branch in loop.blocks and not loop.blocks.issuperset(flow.blocks[branch].successors) for loop in self.within
        )

    def _run(self, position: int) -> Threads | None:
        """The threads whose guard of the instruction holds."""
        guard = self.body.guard(position)
        holds = self.threads.holds(position)
        if holds is None and guard and self.body.analysis(Uniformity).register(guard[0], position) <= Level.CTA:
            return self.threads.everyone
        return holds


def active_threads(body: Body, count: int) -> ActiveThreads:
    """Which of the first `count` threads of a CTA run the instructions of a body, found out once for all who ask."""
    known = body.analysis(_ByCount).known
    if count not in known:
        known[count] = ActiveThreads(body, counted_threads(body, count))
    return known[count]


class _ByCount:
    def __init__(self, body: Body) -> None:
        self.known: dict[int, ActiveThreads] = {}
