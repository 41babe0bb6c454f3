"""What registers hold when control first comes to a block, where that is one thing on whatever way it comes.

It follows from the writes that reach the block, without walking any path: most of what loops start with is set right before them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.dataflow.values.recipes import Recipes, start_of, term_of, value_of

if TYPE_CHECKING:
    from ptxgen.dataflow.bodies.body import Body
    from ptxgen.dataflow.values.constant_rules import Value

__all__ = ["FirstValues"]

_DEPTH = 100
"""Instructions that a value follows from, one from the other; for more, paths are walked."""


class FirstValues:
    """Those of one body. A branch is taken to go either way: who knows better must not ask."""

    def __init__(self, body: Body) -> None:
        self.body = body
        self._ways: dict[int, _Ways] = {}

    def at(self, register: int, block: int) -> list[Value] | None:
        """Its values at the block's start, each for some way there; None where only the ways tell."""
        ways = self._ways.get(block)
        if ways is None:
            ways = self._ways[block] = _Ways(self.body, block)
        return ways.at(register, block)


class _Ways:
    """The ways to one block up to the first time that it is reached: no edge out of what it dominates is on them."""

    def __init__(self, body: Body, target: int) -> None:
        self.body, self.target = body, target
        self._recipes = body.analysis(Recipes)
        self._made: dict[tuple[int, int], Value | None] = {}
        self._found: dict[tuple[int, int], list[Value] | None] = {}

    def at(self, register: int, block: int, depth: int = 0) -> list[Value] | None:
        """The values at the start of a block that is on all ways; None where one follows from itself."""
        key = register, block
        if key not in self._found:
            self._found[key] = None  # on the way
            self._found[key] = self._at(register, block, depth)
        return self._found[key]

    def _at(self, register: int, block: int, depth: int) -> list[Value] | None:
        flow, merges = self.body.flow, self.body.merges
        if register not in merges.definitions:
            return [start_of(register)]
        found: dict[Value, None] = {}
        work, seen = [block], {block}
        while work:  # through merges of what merged before
            at = work.pop()
            if at == 0:
                found[start_of(register)] = None
            for before in flow.blocks[at].predecessors:
                if before not in flow.reachable or flow.dominates(self.target, before):
                    continue
                written = merges.behind(register, before)
                if written is not None and written < 0:
                    if -1 - written not in seen:
                        seen.add(-1 - written)
                        work.append(-1 - written)
                    continue
                value = self._behind(register, written, depth)
                if value is None:
                    return None
                found[value] = None
        return list(found)

    def _behind(self, register: int, written: int | None, depth: int) -> Value | None:
        """What a write, by its position, or the merge at a block's start, leaves in a register; None for more than one value."""
        if written is None:
            return start_of(register)
        if depth > _DEPTH:
            return None
        if written < 0:
            values = self.at(register, -1 - written, depth + 1)
            return values[0] if values and len(values) == 1 else None
        key = register, written
        if key not in self._made:
            self._made[key] = None  # on the way
            self._made[key] = self._make(register, written, depth)
        return self._made[key]

    def _make(self, register: int, position: int, depth: int) -> Value | None:
        recipe, merges = self._recipes.at(position), self.body.merges
        place = recipe.written.index(register)
        if recipe.guard is not None:
            return None
        if recipe.rule is None:
            return ("at", position, place) if place else ("at", position)
        held: dict[int, Value] = {}
        for source in dict.fromkeys(self.body.reads[position]):
            written = merges.before(source, position) if source in merges.definitions else None
            value = self._behind(source, written, depth + 1)
            if value is None:
                return None
            held[source] = value
        inputs = [held[source] if source >= 0 else constant for source, constant in recipe.sources]
        for index, operand in recipe.others:
            inputs[index] = value_of(self.body, operand, position, held.__getitem__)
        made = recipe.rule(inputs)
        if made is None:
            made = term_of(recipe.op, inputs, position)
        if place:  # the second result of setp is the opposite of the first
            return (not made) if isinstance(made, bool) else ("not", made)
        return made
