"""Does a feasible path lead from a function's entry to an instruction on which a register is not written?

Dataflow answers that over all edges of the graph. Here, for the few registers that it leaves in doubt, paths that contradict
themselves are left out: one that takes a branch on a predicate one way and, before that is written again, the other way on
another branch. Only predicates with one definition are followed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.dataflow.lazy import lazy
from ptxgen.isa.forms import opcodes_with

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ptxgen.dataflow.bodies.body import Body

__all__ = ["FeasiblePaths"]

_ENDS = opcodes_with("branch", "ends") - {"brx"}

Guard = tuple[int, bool]
"""A predicate, and whether it is true."""

_MOST_STATES = 2_000
"""How many states the search for one register tries before it gives up, in silence."""

_MOST_IN_ALL = 20_000
"""How many it tries in one body."""


class FeasiblePaths:
    """The paths through one body."""

    def __init__(self, body: Body) -> None:
        self.body = body
        self.flow = body.flow
        self._left = _MOST_IN_ALL

    def lead_unwritten(self, register: int, position: int) -> bool:
        """Is there a path to the instruction there on which nothing writes the register?"""
        definitions = self.body.chains.definitions.get(register, ())
        writing = frozenset([self.flow.block_at(where).index for where in definitions])
        return self._backwards(writing, position) and self._forwards(writing, position)

    @lazy
    def _guards(self) -> list[Guard | None]:
        """By block, the guard of the branch that ends it, where its predicate has one definition."""
        body, definitions = self.body, self.body.chains.definitions
        found: list[Guard | None] = []
        for block in self.flow.blocks:
            guard = body.guard(block.end - 1) if block.end > block.start else None
            known = guard is not None and len(definitions.get(guard[0], ())) == 1
            ends = known and body.instructions[block.end - 1].opcode in _ENDS
            found.append(guard if ends and len(block.successors) + block.leaves > 1 else None)
        return found

    @lazy
    def _made(self) -> dict[int, list[int]]:
        """By block, the predicates followed that are written there."""
        found: dict[int, list[int]] = {}
        for predicate in {guard[0] for guard in self._guards if guard is not None}:
            found.setdefault(self._maker(predicate), []).append(predicate)
        return found

    def _maker(self, predicate: int) -> int:
        return self.flow.block_at(self.body.chains.definitions[predicate][0]).index

    def _fact(self, index: int, successor: int) -> Guard | None:
        """What an edge says of the guard of its branch."""
        guard = self._guards[index]
        if guard is None:
            return None
        return (guard[0], not guard[1]) if successor == index + 1 else guard

    # -- backwards: with what surely holds at the end --------------------------------------------------------------

    def _backwards(self, writing: frozenset[int], position: int) -> bool:
        """Is there a path back to the entry that what holds at the instruction does not rule out?"""
        flow = self.flow
        start = flow.block_at(position).index
        work = [(start, self._holding(start, position))]
        seen = set(work)
        while work:
            index, facts = work.pop()
            if index == 0:
                return True
            for before in flow.blocks[index].predecessors:
                fact = self._fact(before, index)
                if before in writing or before not in flow.reachable:
                    continue
                if fact is not None and (fact[0], not fact[1]) in facts:
                    continue
                made = self._made.get(before)
                left = facts if not facts or made is None else frozenset(f for f in facts if f[0] not in made)
                if (before, left) not in seen:
                    seen.add((before, left))
                    work.append((before, left))
        return False

    def _holding(self, index: int, position: int) -> frozenset[Guard]:
        """What surely holds where a block starts: the guards of branches above it, and that of the instruction itself."""
        flow, found = self.flow, set()
        own = self.body.guard(position)
        if own is not None and own[0] in self._followed and self._maker(own[0]) != index:
            found.add(own)
        for branch, side in flow.chosen(flow.certain(index)):
            fact = self._fact(branch, side)
            if fact is not None and flow.dominates(branch, index) and flow.dominates(self._maker(fact[0]), branch):
                found.add(fact)
        return frozenset(found)

    @lazy
    def _followed(self) -> frozenset[int]:
        return frozenset(guard[0] for guard in self._guards if guard is not None)

    # -- forwards: with what each path has found out ----------------------------------------------------------------

    def _forwards(self, writing: frozenset[int], position: int) -> bool:
        target = self.flow.block_at(position).index
        own = self.body.guard(position)
        work: list[tuple[int, frozenset[Guard]]] = [(0, frozenset())]
        seen = set(work)
        limit = min(_MOST_STATES, self._left)
        while work and len(seen) < limit:
            index, facts = work.pop()
            made = self._made.get(index)
            if made is not None and facts:
                facts = frozenset(fact for fact in facts if fact[0] not in made)
            if index == target and (own is None or (own[0], not own[1]) not in facts):
                self._left -= len(seen)
                return True
            if index in writing:
                continue
            for successor, fact in self._onward(index):
                if fact is None:
                    state = successor, facts
                elif (fact[0], not fact[1]) in facts:
                    continue
                else:
                    state = successor, facts | {fact}
                if state not in seen:
                    seen.add(state)
                    work.append(state)
        self._left -= len(seen)
        return False

    def _onward(self, index: int) -> Iterator[tuple[int, Guard | None]]:
        for successor in self.flow.blocks[index].successors:
            yield successor, self._fact(index, successor)
