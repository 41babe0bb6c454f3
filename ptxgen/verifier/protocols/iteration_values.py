"""What operands are in each iteration of a loop: the stage of a ring and the parity of its phase, followed from the entry.

Where the text decides it: counters that start from constants and wrap at constants, in any of the ways that are written. A loop
whose iterations differ by conditions that are not known gives no answer.
"""

from __future__ import annotations

from driver_ctypes.typing import TYPE_CHECKING, NamedTuple
from ptxgen.dataflow.graph.algorithms import members
from ptxgen.dataflow.graph.regions import Region
from ptxgen.dataflow.values.constant_rules import Value
from ptxgen.dataflow.values.recipes import followed
from ptxgen.ir import Address, Register

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ptxgen.dataflow.graph.loops import Loop
    from ptxgen.dataflow.values.evaluation import Evaluation
    from ptxgen.ir import Operand
    from ptxgen.verifier.protocols.view import View

__all__ = ["IterationValues", "first_values", "iteration_values"]

_MOST_ITERATIONS = 64
_MOST_STATES = 2_000


class IterationValues(NamedTuple):
    """The operands' values iteration by iteration. `complete`: no other values come later.

    Those from iteration `repeats_from` on repeat; -1 where the iterations end.
    """

    values: tuple[tuple[Value, ...], ...]
    complete: bool
    repeats_from: int = -1

    @property
    def repeated(self) -> tuple[tuple[Value, ...], ...]:
        """The iterations, and those that repeat once more."""
        return self.values + (self.values[self.repeats_from :] if self.repeats_from >= 0 else ())

    @property
    def ring(self) -> bool:
        """Do the values repeat from the first iteration on, over more than one value and over each once?"""
        period = len(self.values) - max(self.repeats_from, 0)
        distinct = len(set(self.values)) == period > 1
        return self.complete and distinct and self.values[period:] == self.values[: len(self.values) - period]


def first_values(
    view: View, operands: tuple[Operand, ...], position: int, branch_blocks: tuple[int, ...] = ()
) -> set[tuple[Value, ...]] | None:
    """What the operands of an instruction may be when control first comes to it; None where there are too many paths.

    The branches that end the blocks `branch_blocks` are followed, where what they ask is known.
    """
    walk = _OperandWalk(view, operands, position, _guards(view, branch_blocks))
    found = walk.to(walk.block)
    return None if found is None else {values for state in found for values in walk.at_position(state)}


def iteration_values(
    view: View,
    operands: tuple[Operand, ...],
    position: int,
    loop: Loop | None,
    branch_blocks: tuple[int, ...] = (),
    *,
    of_some: bool = False,
) -> IterationValues | None:
    """What the operands of an instruction are each time, where it stands in that loop (or in none); None if not known.

    Where the values never come back to those of an earlier iteration, the loop's own end is followed, too. The branches that
    end the blocks `branch_blocks` are always followed. `of_some`: an iteration without the instruction is taken for that of a
    thread which never executes it; the other threads execute it in each iteration.
    """
    if loop is None:
        once = first_values(view, operands, position, branch_blocks)
        return IterationValues(tuple(once), True) if once is not None and len(once) == 1 else None

    def following(*others: int) -> _OperandWalk:
        return _OperandWalk(view, operands, position, [*_guards(view, branch_blocks), *others], of_some=of_some)

    first = following()
    deciding = first.deciding(loop)
    walk = following(*deciding) if deciding else first
    found = _around(view, walk, loop)
    if found is not None and (found.complete or deciding):
        return found
    alone = _OperandWalk(view, operands, position) if branch_blocks else first
    if found is None:
        choosing = alone.choosing(loop)
        second = following(*choosing) if choosing else walk
        if second.evaluation is walk.evaluation or (
            walk.to(loop.head, alone=True) is None and not second.is_led_to(loop.head)
        ):
            return None  # to follow more makes no one start of several
        return _around(view, second, loop)
    second = following(*alone.ending(loop))
    ending = _around(view, second, loop) if _is_alone(view, loop, second.evaluation) else None
    return ending if ending is not None and ending.complete else found


def _around(view: View, walk: _OperandWalk, loop: Loop) -> IterationValues | None:
    """The iterations of a loop until they repeat, or end."""
    starts = walk.to(loop.head, alone=True)
    if starts is None or len(starts) != 1:
        return None
    state = next(iter(starts))
    iterations: list[tuple[Value, ...]] = []
    known: dict[int, int] = {}
    while len(iterations) < _MOST_ITERATIONS:
        if state in known:
            return IterationValues(tuple(iterations), _is_alone(view, loop, walk.evaluation), known[state])
        known[state] = len(iterations)
        ends = walk.iteration(loop, state)
        if ends is None or _differ(ends):
            return None
        if not ends:
            return IterationValues(tuple(iterations), False)
        after, seen = next(((a, s) for a, s in ends if a is not None), next(iter(ends)))
        if seen is not None:
            iterations.append(seen)
        if after is None:  # the loop certainly ends here
            return IterationValues(tuple(iterations), _is_alone(view, loop, walk.evaluation))
        state = after
    return IterationValues(tuple(iterations), False)


End = tuple[int | None, tuple[Value, ...] | None]
"""The state at the head of a loop's next iteration, None where the loop is surely left; and what the operands were."""


def _differ(ends: set[End]) -> bool:
    """Does an iteration end in more ways than one?"""
    return len({seen for _, seen in ends}) > 1 or len({after for after, _ in ends if after is not None}) > 1


def _is_alone(view: View, loop: Loop, evaluation: Evaluation) -> bool:
    """Is there no loop around this one that changes what it starts with?"""
    definitions = view.body.chains.definitions
    for outer in view.body.loops:
        if outer.blocks > loop.blocks:
            for register in evaluation.tracked:
                for where in definitions.get(register, ()):
                    if view.body.flow.block_at(where).index in outer.blocks - loop.blocks:
                        return False
    return True


def _guards(view: View, blocks: Iterable[int]) -> list[int]:
    """The predicates of the branches that end these blocks."""
    ends = [view.body.flow.blocks[index].end - 1 for index in blocks if _is_filled(view, index)]
    return [guard[0] for guard in map(view.body.guard, ends) if guard is not None]


def _is_filled(view: View, index: int) -> bool:
    block = view.body.flow.blocks[index]
    return block.end > block.start


class _OperandWalk:
    """The values of some operands of one instruction along the paths to it."""

    def __init__(
        self,
        view: View,
        operands: tuple[Operand, ...],
        position: int,
        others: Iterable[int] = (),
        *,
        of_some: bool = False,
    ) -> None:
        self.view, self.operands, self.position, self.of_some = view, operands, position, of_some
        self.flow = view.body.flow
        self.block = self.flow.block_at(position).index
        self.here = view.evaluation([*self._registers(), *others])
        """What is followed in the block of the instruction; `evaluation` follows what comes there from outside."""
        from_outside = [register for register in self.here.tracked if not self._is_made_here(register)]
        self.evaluation = view.evaluation([*from_outside, *others])
        self._handed = [(place, self.here.places[register]) for register, place in self.evaluation.places.items()]
        """Places of what comes from outside: in the values of `evaluation`, and of `here`."""

    def _is_made_here(self, register: int) -> bool:
        """Is a register for the block of the instruction alone: always written there before it is read, and read nowhere else?"""
        chains, block = self.view.body.chains, self.flow.blocks[self.block]
        written, read = chains.definitions.get(register, ()), chains.uses.get(register, ())
        if not written or self.view.body.instructions[written[0]].pred is not None:
            return False
        ends = block.start <= written[0] and written[-1] < block.end
        return ends and all(written[0] < position < block.end for position in read)

    def _registers(self) -> list[int]:
        bases = [operand.base if isinstance(operand, Address) else operand for operand in self.operands]
        found = [self.view.body.number(base, self.position) for base in bases if isinstance(base, Register)]
        return [number for number in found if number is not None]

    def ending(self, loop: Loop) -> list[int]:
        """The predicates of the branches by which a loop is left."""
        exiting = [
            index for index in sorted(loop.blocks) if not loop.blocks.issuperset(self.flow.blocks[index].successors)
        ]
        return _guards(self.view, exiting)

    def choosing(self, loop: Loop) -> list[int]:
        """The predicates of the branches in a loop that decide whether what is followed is written."""
        definitions = self.view.body.chains.definitions
        written = {
            self.flow.block_at(p).index for register in self.evaluation.tracked for p in definitions.get(register, ())
        }
        choices = 0
        for index in written & loop.blocks:
            choices |= self.flow.controllers[index]
        within = [
            index
            for index in self.flow.branches_of(choices)
            if loop.blocks.issuperset(self.flow.blocks[index].successors)
        ]
        return _guards(self.view, [index for index in within if index in loop.blocks])

    def deciding(self, loop: Loop) -> list[int]:
        """Those of them that follow from what is followed: a counter wraps where it has come to its end."""
        body, tracked = self.view.body, self.evaluation.tracked
        return [p for p in self.choosing(loop) if p not in tracked and not tracked.isdisjoint(followed(body, (p,)))]

    def at_position(self, state: int) -> list[tuple[Value, ...]]:
        """The operands' values where the instruction runs, for the state at the start of its block."""
        start, guard = self.flow.blocks[self.block].start, self.view.body.guard(self.position)
        outside, before = self.evaluation.states[state], list(self.here.start)
        for place, here in self._handed:
            before[here] = outside[place]
        return [
            tuple([self.here.value(operand, self.position, values) for operand in self.operands])
            for values in self.here.through(self.block, before, start, self.position)
            if guard is None or self.here.held(guard[0], values) is not (not guard[1])
        ]

    def to(self, target: int, *, alone: bool = False) -> set[int] | None:
        """The states at the start of a block when control first comes there; None where there are too many paths.

        `alone`: None as soon as there are two.
        """
        key, known = (self.evaluation, target, alone), self.view.first_states
        if key not in known:
            known[key] = self._to(target, alone)
        return known[key]

    def is_led_to(self, target: int) -> bool:
        """May a branch before a block be known to go one way: does one ask for what is followed?"""
        leading = self.flow.leading(target)
        return any(leading >> index & 1 and not self.flow.dominates(target, index) for index in self.evaluation.decided)

    def _to(self, target: int, alone: bool) -> set[int] | None:
        evaluation = self.evaluation
        if target == 0:
            return {0}
        region = self._region(self.flow.leading(target), evaluation.changing | 1 << target)
        work, seen, found, states = [(0, 0)], {0: 1}, set[int](), 1
        while work:
            index, state = work.pop()
            for to, after in evaluation.after(index, state) if region.stops >> index & 1 else ((index, state),):
                new = region.behind(to)[0] & ~seen.get(after, 0)
                if not new:
                    continue
                seen[after] = seen.get(after, 0) | new
                states += new.bit_count()
                if new >> target & 1:
                    found.add(evaluation.reduced(evaluation.states[after], target) if alone else after)
                    if alone and len(found) > 1:
                        return None
                work += [(stop, after) for stop in members(new & region.stops & ~(1 << target))]
            if states > _MOST_STATES:
                return None
        return found

    def _region(self, within: int, stops: int) -> Region:
        key = within, stops
        region = self.view.regions.get(key)
        if region is None:
            region = self.view.regions[key] = Region(self.flow, within, stops)
        return region

    def iteration(self, loop: Loop, state: int) -> set[End] | None:
        """The ends of one iteration. None where there are too many paths, or where it is seen to have different ones."""
        evaluation = self.evaluation
        region = self._region(self.view.loops.inside(loop), evaluation.changing | 1 << self.block)
        start: tuple[int, int, tuple[Value, ...] | None] = (loop.head, state, None)
        work, states = [start], 1
        visited: dict[tuple[int, tuple[Value, ...] | None], int] = {}
        ends, left = set[End](), set[tuple[Value, ...] | None]()
        met = set[tuple[Value, ...] | None]()
        while work:
            index, before, seen = work.pop()
            if index == self.block:
                here = set(self.at_position(before))
                met |= here
                if seen is not None:
                    here.add(seen)
                if len(here) > 1:
                    return None
                seen = next(iter(here), None)
            for to, after in evaluation.after(index, before):
                inside, outside = region.behind(to)
                if outside >> loop.head & 1:
                    ends.add((evaluation.reduced(evaluation.states[after], loop.head), seen))
                    if len(ends) > 1 and _differ(self._of_those_that_come(ends)):
                        return None
                if outside & ~(1 << loop.head):
                    left.add(seen)
                new = inside & ~visited.get((after, seen), 0)
                if new:
                    visited[after, seen] = visited.get((after, seen), 0) | new
                    states += new.bit_count()
                    work += [(stop, after, seen) for stop in members(new & region.stops)]
            if states > _MOST_STATES:
                return None
        if not met <= left.union(seen for _, seen in ends):
            return None  # an iteration in which it runs does not end
        return self._of_those_that_come(ends or {(None, seen) for seen in left})

    def _of_those_that_come(self, ends: set[End]) -> set[End]:
        """With `of_some`, the ends for threads that execute the instruction, where there are any."""
        return ({end for end in ends if end[1] is not None} or ends) if self.of_some else ends
