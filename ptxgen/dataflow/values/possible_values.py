"""What a register may hold, on whatever path: a few constants and addresses, or nothing that is known.

Counters that wrap at a constant (the stages of a ring) have few values, though a loop makes them again and again: the states in
which control comes to each block are found for the counter and the conditions that ask for it. What is computed from counters
is computed from each of their values, as if they were independent.
"""

from __future__ import annotations

from itertools import product
from math import prod
from typing import TYPE_CHECKING

from ptxgen.dataflow.graph.algorithms import members
from ptxgen.dataflow.graph.regions import Region
from ptxgen.dataflow.values.constant_rules import Value
from ptxgen.dataflow.values.evaluation import Evaluation
from ptxgen.dataflow.values.recipes import Recipes, followed, value_of
from ptxgen.ir import Address, Register

if TYPE_CHECKING:
    from ptxgen.dataflow.bodies.body import Body
    from ptxgen.ir import Operand

__all__ = ["PossibleValues"]

Values = frozenset[Value]

_MOST = 64
"""Values of a register, and states of a counter: what has more is not known."""
_MOST_VISITS = 2_000
"""Of blocks, in search of a counter's states."""
_DEPTH = 40
"""So many instructions may lie between an operand and the counters that it is made of."""


class PossibleValues:
    """The values of a body's registers where they are read."""

    def __init__(self, body: Body) -> None:
        self.body = body
        self._known: dict[tuple[int, int], Values | None] = {}
        """By register and which of its values is read (graph/merges.py)."""
        self._states: dict[int, tuple[Evaluation, dict[int, int]] | None] = {}

    def of(self, operand: Operand, position: int) -> Values | None:
        """What an operand of the instruction there may be; of an address, the address. None where that is not known."""
        base = operand.base if isinstance(operand, Address) else operand
        if not isinstance(base, Register):
            return frozenset((value_of(self.body, operand, position, _unknown),))
        number = self.body.number(base, position)
        held = None if number is None else self._of_register(number, position)
        if held is None or base is operand:
            return held
        return frozenset([value_of(self.body, operand, position, lambda _, value=value: value) for value in held])  # type: ignore[misc]

    def _of_register(self, number: int, position: int, depth: int = 0) -> Values | None:
        where = self.body.merges.at(number, position)
        if where is None or depth > _DEPTH:
            return None
        key = number, where
        if key not in self._known:
            self._known[key] = None  # as long as it is looked for
            self._known[key] = self._merged(number, -1 - where) if where < 0 else self._written(number, where, depth)
        return self._known[key]

    def _written(self, number: int, position: int, depth: int) -> Values | None:
        """What the instruction there puts into a register."""
        recipe = self.body.analysis(Recipes).at(position)
        if recipe.rule is None or recipe.guard is not None or recipe.others or recipe.written != (number,):
            return None
        inputs: list[Values] = []
        for register, constant in recipe.sources:
            values = frozenset((constant,)) if register < 0 else self._of_register(register, position, depth + 1)
            if not values or prod(map(len, (*inputs, values))) > _MOST:
                return None
            inputs.append(values)
        made = {recipe.rule(chosen) for chosen in product(*inputs)}
        return None if None in made else frozenset(made)  # type: ignore[arg-type]

    # -- counters --------------------------------------------------------------------------------------------------

    def _merged(self, number: int, block: int) -> Values | None:
        """What a register holds at the start of a block where several of its values meet."""
        if number not in self._states:
            self._states[number] = self._reached(number)
        found = self._states[number]
        if found is None:
            return None
        evaluation, blocks = found
        place = evaluation.places[number]
        return frozenset([evaluation.states[state][place] for state, at in blocks.items() if at >> block & 1])

    def _reached(self, number: int) -> tuple[Evaluation, dict[int, int]] | None:
        """By state of a counter, the blocks, as bits, at whose start it may be so; None where there are too many states."""
        evaluation = Evaluation(self.body, [number, *self._deciding(followed(self.body, (number,)))])
        region = Region(self.body.flow, -1, evaluation.changing)
        first = region.behind(0)[0]
        found = {0: first}
        work = [(index, 0) for index in members(first & region.stops)]
        visits = 0
        while work:
            visits += 1
            for to, after in evaluation.after(*work.pop()):
                come = region.behind(to)[0]
                new = come & ~found.get(after, 0)
                if new:
                    found[after] = found.get(after, 0) | come
                    work += [(stop, after) for stop in members(new & region.stops)]
            if len(found) > _MOST or visits > _MOST_VISITS:
                return None
        return evaluation, found

    def _deciding(self, counter: frozenset[int]) -> list[int]:
        """The predicates made from a counter that decide, within an iteration, whether it is written."""
        body, flow = self.body, self.body.flow
        found: dict[int, None] = {}
        for block in sorted({flow.block_at(p).index for r in counter for p in body.chains.definitions.get(r, ())}):
            loop = next((loop for loop in body.loops if block in loop.blocks), None)
            if loop is not None:
                for branch in flow.branches_of(flow.controllers[block]):
                    guard = body.guard(flow.blocks[branch].end - 1)
                    stays = branch in loop.blocks and loop.blocks.issuperset(flow.successors[branch])
                    if stays and guard is not None and not counter.isdisjoint(followed(body, (guard[0],))):
                        found[guard[0]] = None
        return list(found)


def _unknown(register: int) -> Value:
    return "start", register
