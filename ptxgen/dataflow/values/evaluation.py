"""Integers and predicates along one path through a body: constants are computed, what is not known stands for itself.

For questions that data flow over all paths at once cannot answer: is scale-d false the first time round, which stage of a ring
does each iteration of a loop name. A caller says which registers matter; only what they depend on is followed.
"""

from __future__ import annotations

from driver_ctypes.typing import TYPE_CHECKING, NamedTuple
from ptxgen.dataflow.bodies.alive import LiveBlocks
from ptxgen.dataflow.graph.algorithms import bits, members
from ptxgen.dataflow.lazy import lazy
from ptxgen.dataflow.values.constant_rules import Rule, Value
from ptxgen.dataflow.values.recipes import Recipe, Recipes, followed, start_of, term_of, value_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ptxgen.dataflow.bodies.body import Body
    from ptxgen.ir import Operand

__all__ = ["Evaluation", "Values"]


Values = list[Value]
"""Of the registers that an evaluation follows, in their places."""


class _Step(NamedTuple):
    """A recipe with registers as places in the values; -1 for what has none."""

    guard: int
    unless: bool
    """The value of the guard with which it does not run."""
    rule: Rule | None
    sources: list[tuple[int, Value]]
    first: int
    """Of what it writes."""
    rest: list[tuple[int, int]]
    """(which of its results, place) of the others."""
    recipe: Recipe


class Evaluation:
    """What some registers of a body hold along its paths. Values at starts of blocks are numbered: equal numbers, equal ones."""

    def __init__(self, body: Body, registers: Iterable[int]) -> None:
        self.body = body
        self.tracked: frozenset[int] = followed(body, registers)
        self.places: dict[int, int] = {register: place for place, register in enumerate(sorted(self.tracked))}
        """By register, where its value stands in the values."""
        self.start: tuple[Value, ...] = tuple([start_of(register) for register in self.places])
        """The values before the first write."""
        self.states: list[tuple[Value, ...]] = [self.start]
        """The values of each number."""
        self._numbers: dict[tuple[Value, ...], int] = {self.start: 0}
        self._after: dict[tuple[int, int], list[tuple[int, int]]] = {}
        self._alive: dict[int, list[bool] | None] = {}

    @lazy
    def _by_block(self) -> dict[int, list[_Step]]:
        """The instructions that write what is followed, by block."""
        definitions, at = self.body.chains.definitions, self.body.analysis(Recipes).at
        found: dict[int, list[_Step]] = {}
        for position in sorted({where for register in self.places for where in definitions.get(register, ())}):
            found.setdefault(self.body.flow.block_at(position).index, []).append(self._step(at(position)))
        return found

    def _step(self, recipe: Recipe) -> _Step:
        places, guard, written = self.places, recipe.guard, recipe.written
        sources = [(places.get(register, -1), constant) for register, constant in recipe.sources]
        rest: list[tuple[int, int]] = []
        if len(written) > 1:
            rest = [(which, places[register]) for which, register in enumerate(written) if which and register in places]
        first = places.get(written[0], -1)
        if guard is None:
            return _Step(-1, False, recipe.rule, sources, first, rest, recipe)
        return _Step(places[guard[0]], not guard[1], recipe.rule, sources, first, rest, recipe)

    # -- states ----------------------------------------------------------------------------------------------------

    def number(self, values: tuple[Value, ...]) -> int:
        """The number of these values."""
        found = self._numbers.get(values)
        if found is None:
            found = self._numbers[values] = len(self.states)
            self.states.append(values)
        return found

    def reduced(self, values: Values | tuple[Value, ...], block: int) -> int:
        """The number of values at a block's start: of what somebody may still read there."""
        alive = self._living(block)
        if alive is None:
            return self.number(tuple(values))
        return self.number(tuple([v if living else s for v, living, s in zip(values, alive, self.start)]))

    def _living(self, block: int) -> list[bool] | None:
        """By place, whether somebody may still read the value at a block's start; None where that is so of all."""
        if block not in self._alive:
            living = self.body.analysis(LiveBlocks).at(block)
            alive = [living >> register & 1 > 0 for register in self.places]
            self._alive[block] = None if all(alive) else alive
        return self._alive[block]

    def after(self, block: int, state: int) -> list[tuple[int, int]]:
        """The blocks that control may come to from one, and the values there, for those at its start: of what is read later.

        They are in text order, so that a search which takes the last first leaves a loop before it goes round.
        """
        found = self._after.get((block, state))
        if found is None:
            if not self.changing >> block & 1:
                return [(to, state) for to in self.body.flow.blocks[block].successors]
            found = self._after[block, state] = sorted([
                (to, self.reduced(known, to))
                for values in self.through(block, self.states[state])
                for to, known in self.onward(block, values)
            ])  # fmt: skip
        return found

    @lazy
    def changing(self) -> int:
        """The blocks, as bits, that write a register that is followed, or branch on one."""
        found = bits(self._by_block)
        for guard, blocks in self.body.branching.items():
            if guard in self.places:
                found |= blocks
        return found

    # -- paths -----------------------------------------------------------------------------------------------------

    def through(
        self, block: int, values: Values | tuple[Value, ...], start: int = 0, end: int = 1 << 60
    ) -> list[Values]:
        """The values behind a block's instructions from `start` up to `end`: one outcome, or more where guards are not known."""
        steps = self._by_block.get(block, [])
        if steps and (start > steps[0].recipe.position or end <= steps[-1].recipe.position):
            steps = [step for step in steps if start <= step.recipe.position < end]
        found: list[Values] = []
        paths = [(list(values), 0)]
        while paths:
            current, index = paths.pop()
            for guard, unless, rule, sources, first, rest, recipe in steps[index:] if index else steps:
                index += 1
                if guard >= 0:
                    holds = current[guard]
                    if holds is unless:
                        continue
                    if not isinstance(holds, bool):
                        current[guard] = unless
                        paths.append((current.copy(), index))
                        current[guard] = not unless
                if rule is None:
                    made: Value = ("at", recipe.position)
                else:
                    inputs = [current[place] if place >= 0 else constant for place, constant in sources]
                    for place, operand in recipe.others:
                        inputs[place] = self.value(operand, recipe.position, current)
                    result = rule(inputs)
                    made = result if result is not None else term_of(recipe.op, inputs, recipe.position)
                if first >= 0:
                    current[first] = made
                for which, place in rest:
                    if rule is None:
                        current[place] = ("at", recipe.position, which)
                    else:  # the second result of setp is the opposite of the first
                        current[place] = (not made) if isinstance(made, bool) else ("not", made)
            found.append(current)
        return found

    def onward(self, block: int, values: Values) -> list[tuple[int, Values]]:
        """The edges out of a block that its branch does not rule out, with what it says of its predicate."""
        decided = self.decided.get(block)
        if decided is None:
            return [(successor, values) for successor in self.body.flow.blocks[block].successors]
        place, edges = decided
        known = values[place]
        if isinstance(known, bool):
            return [(successor, values) for successor, holds in edges if holds is known]
        found = []
        for successor, holds in edges:
            said = values.copy()
            said[place] = holds
            found.append((successor, said))
        return found

    @lazy
    def decided(self) -> dict[int, tuple[int, list[tuple[int, bool]]]]:
        """By block that ends in a branch on a predicate which is followed: its place, and what it is on each edge."""
        body, made = self.body, {}
        for guard, blocks in body.branching.items():
            for block in members(blocks) if guard in self.places else ():
                found = body.flow.blocks[block]
                own = body.guard(found.end - 1)
                if own is not None and len(found.successors) + found.leaves > 1:
                    edges = [(to, own[1] if to != block + 1 else not own[1]) for to in found.successors]
                    made[block] = self.places[guard], edges
        return made

    # -- values ----------------------------------------------------------------------------------------------------

    def value(self, operand: Operand, position: int, values: Values) -> Value:
        """What an operand of the instruction at that position is; of an address, the address."""
        return value_of(self.body, operand, position, lambda register: self.held(register, values))

    def held(self, register: int, values: Values) -> Value:
        """What a register holds; one that is not followed, what it held at first."""
        place = self.places.get(register)
        return start_of(register) if place is None else values[place]
