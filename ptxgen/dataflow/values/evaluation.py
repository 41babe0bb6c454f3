"""Integers and predicates along one path through a body: constants are computed, what is not known stands for itself.

For questions that data flow over all paths at once cannot answer: is scale-d false the first time round, which stage of a ring
does each iteration of a loop name. A caller says which registers matter; only what they depend on is followed.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, NamedTuple

from ptxgen.dataflow.graph.algorithms import bits
from ptxgen.dataflow.lazy import lazy
from ptxgen.dataflow.values.constant_rules import Pointer, Rule, Value, rule_of, sum_of
from ptxgen.ir import Address, Immediate, Not, Register, Special, Symbol, Variable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ptxgen.dataflow.bodies.body import Body
    from ptxgen.ir import Instruction, Operand

__all__ = ["Evaluation", "Frozen", "Pointer", "Value", "Values", "followed"]


Values = dict[int, Value]
"""By register. What is not there has the value from before the first write."""

Frozen = frozenset[tuple[int, Value]]
"""Values, to be compared and kept."""

_MOST_PARTS = 6
"""Terms with more parts than this are cut to one that says where they were made."""


class _Recipe(NamedTuple):
    """An instruction as it is run again and again."""

    position: int
    guard: tuple[int, bool] | None
    op: str
    rule: Rule | None
    """None where the result does not follow from what it reads."""
    sources: tuple[tuple[int, Value, Operand], ...]
    """The number of a register, and its value before the first write; or -1, and what a constant is; or -2, for an operand
    that has registers in it."""
    written: tuple[tuple[int, int], ...]
    """(place, register) of what it writes."""


class _Recipes:
    """The instructions of a body as every evaluation of it runs them."""

    def __init__(self, body: Body) -> None:
        self.body = body
        self._known: dict[int, _Recipe] = {}
        self._origins: dict[int, tuple[int, ...]] = {}

    def at(self, position: int) -> _Recipe:
        """The instruction there."""
        found = self._known.get(position)
        if found is None:
            found = self._known[position] = self._make(position)
        return found

    def origins(self, register: int) -> tuple[int, ...]:
        """The registers that what is written into one follows from."""
        found = self._origins.get(register)
        if found is None:
            body, numbers = self.body, dict[int, None]()
            for where in body.chains.definitions.get(register, ()):
                if _rule(body.instructions[where]) is not None:
                    numbers.update(dict.fromkeys(body.reads[where]))
                elif body.instructions[where].pred is not None:
                    numbers[body.reads[where][0]] = None
            found = self._origins[register] = tuple(numbers)
        return found

    def _make(self, position: int) -> _Recipe:
        body, instruction = self.body, self.body.instructions[position]
        rule = _rule(instruction)
        sources = () if rule is None else tuple([self._source(o, position) for o in instruction.operands[1:]])
        return _Recipe(
            position, body.guard(position), instruction.op, rule, sources, tuple(enumerate(body.writes[position]))
        )

    def _source(self, operand: Operand, position: int) -> tuple[int, Value, Operand]:
        number = self.body.number(operand, position) if isinstance(operand, Register) else None
        if number is not None:
            return number, ("start", number), operand
        if isinstance(operand, (Not, Address)):
            return -2, 0, operand
        return -1, value_of(self.body, operand, position, {}), operand


def value_of(body: Body, operand: Operand, position: int, values: Values) -> Value:
    """What an operand of the instruction at that position is; of an address, the address."""
    if isinstance(operand, Not):
        inner = value_of(body, operand.operand, position, values)
        return (not inner) if isinstance(inner, bool) else ("not", inner)
    if isinstance(operand, Immediate):
        return operand.value if operand.kind == "int" else ("bits", operand)
    if isinstance(operand, Register):
        number = body.number(operand, position)
        return values.get(number, ("start", number)) if number is not None else ("name", operand)
    if isinstance(operand, Special):
        return ("special", operand.name)
    if isinstance(operand, Symbol):
        known = body.scopes[position].find(operand.name)
        return Pointer(operand.name, operand.offset) if isinstance(known, Variable) else ("operand", operand)
    if isinstance(operand, Address) and not operand.coordinates:
        base = value_of(body, operand.base, position, values)
        return sum_of(base, operand.offset) or ("offset", base, operand.offset)
    return ("operand", position, operand)


class Evaluation:
    """What some registers of a body hold along its paths."""

    def __init__(self, body: Body, registers: Iterable[int]) -> None:
        self.body = body
        self._recipes: _Recipes = body.analysis(_Recipes)
        self.tracked: frozenset[int] = followed(body, registers)
        self._after: dict[tuple[int, Frozen], list[tuple[int, Frozen]]] = {}
        self._alive: dict[int, frozenset[int]] = {}

    @lazy
    def _by_block(self) -> dict[int, list[_Recipe]]:
        """The instructions that write what is followed, by block."""
        definitions, tracked, at = self.body.chains.definitions, self.tracked, self._recipes.at
        found: dict[int, list[_Recipe]] = {}
        for position in sorted({where for register in tracked for where in definitions.get(register, ())}):
            recipe = at(position)
            if len(recipe.written) > 1:
                recipe = recipe._replace(written=tuple([each for each in recipe.written if each[1] in tracked]))
            found.setdefault(self.body.flow.block_at(position).index, []).append(recipe)
        return found

    def after(self, block: int, state: Frozen) -> list[tuple[int, Frozen]]:
        """The blocks that control may come to from one, and the values there, for those at its start."""
        if not self.changing >> block & 1:
            return [(to, state) for to in self.body.flow.blocks[block].successors]
        found = self._after.get((block, state))
        if found is None:
            found = self._after[block, state] = []
            for values in self.through(block, dict(state)):
                behind = frozenset(values.items())
                for to, known in self.onward(block, values):
                    found.append((to, behind if known is values else frozenset(known.items())))
        return found

    @lazy
    def changing(self) -> int:
        """The blocks, as bits, that write a register that is followed, or branch on one."""
        found = bits(self._by_block)
        for guard, blocks in self.body.branching.items():
            if guard in self.tracked:
                found |= blocks
        return found

    # -- paths -----------------------------------------------------------------------------------------------------

    def through(self, block: int, values: Values, start: int = 0, end: int = 1 << 60) -> list[Values]:
        """The values behind a block's instructions from `start` up to `end`: one outcome, or more where guards are not known."""
        recipes = self._by_block.get(block)
        if recipes is None:
            return [values]
        if start > recipes[0].position or end <= recipes[-1].position:
            recipes = [recipe for recipe in recipes if start <= recipe.position < end]
            if not recipes:
                return [values]
        found, paths = [], [(dict(values), 0)]
        while paths:
            current, place = paths.pop()
            for index in range(place, len(recipes)):
                recipe = recipes[index]
                guard = recipe.guard
                if guard is not None:
                    holds = current.get(guard[0])
                    if holds is (not guard[1]):
                        continue
                    if not isinstance(holds, bool):
                        paths.append(({**current, guard[0]: not guard[1]}, index + 1))
                        current[guard[0]] = guard[1]
                self._execute(recipe, current)
            found.append(current)
        return found

    def onward(self, block: int, values: Values) -> list[tuple[int, Values]]:
        """The edges out of a block that its branch does not rule out, with what it says of its predicate."""
        found = self.body.flow.blocks[block]
        guard = self.body.guard(found.end - 1) if found.end > found.start else None
        if guard is None or guard[0] not in self.tracked or len(found.successors) + found.leaves < 2:
            return [(successor, values) for successor in found.successors]
        known = values.get(guard[0])
        edges = []
        for successor in found.successors:
            holds = guard[1] if successor != block + 1 else not guard[1]
            if known is not (not holds):
                edges.append((successor, values if known is holds else {**values, guard[0]: holds}))
        return edges

    def alive(self, block: int) -> frozenset[int]:
        """The registers followed whose values at a block's start somebody may still read."""
        if block not in self._alive:
            liveness = self.body.analysis(_Liveness)
            self._alive[block] = frozenset(r for r in self.tracked if liveness.blocks(r) >> block & 1)
        return self._alive[block]

    # -- values ----------------------------------------------------------------------------------------------------

    def value(self, operand: Operand, position: int, values: Values) -> Value:
        """What an operand of the instruction at that position is; of an address, the address."""
        return value_of(self.body, operand, position, values)

    def _execute(self, recipe: _Recipe, values: Values) -> None:
        position, _, op, rule, sources, written = recipe
        made: Value = ("at", position)
        if rule is not None:
            inputs = [
                values.get(source, known)
                if source >= 0
                else known
                if source == -1
                else value_of(self.body, operand, position, values)
                for source, known, operand in sources
            ]
            result = rule(inputs)
            made = result if result is not None else _term(op, inputs, position)
        for place, register in written:
            if place == 0:
                values[register] = made
            elif rule is None:
                values[register] = ("at", position, place)
            else:  # the second result of setp is the opposite of the first
                values[register] = (not made) if isinstance(made, bool) else ("not", made)


class _Liveness:
    """Where registers are alive, one register at a time, when somebody asks for it."""

    def __init__(self, body: Body) -> None:
        self.body = body
        self._blocks: dict[int, int] = {}

    def blocks(self, register: int) -> int:
        """The blocks, as bits, at whose start a register has a value that somebody may still read."""
        found = self._blocks.get(register)
        if found is None:
            found = self._blocks[register] = self._find(register)
        return found

    def _find(self, register: int) -> int:
        flow, chains, instructions = self.body.flow, self.body.chains, self.body.instructions
        kills: dict[int, int] = {}
        for position in chains.definitions.get(register, ()):
            if instructions[position].pred is None:
                kills.setdefault(flow.block_at(position).index, position)
        work = []
        for position in chains.uses.get(register, ()):
            index = flow.block_at(position).index
            if position <= kills.get(index, position) and not self._is_made_for(register, position):
                work.append(index)  # the instruction that writes it first may read it as well
        found = 0
        while work:
            index = work.pop()
            if not found >> index & 1:
                found |= 1 << index
                work += [before for before in flow.blocks[index].predecessors if before not in kills]
        return found

    def _is_made_for(self, register: int, position: int) -> bool:
        """Has the block of a guarded read written the register under the same guard (`@p mov r, ...; @p add s, r, ...`)?"""
        body = self.body
        guard = body.guard(position)
        definitions = body.chains.definitions.get(register, ())
        before = bisect_left(definitions, position) - 1
        if guard is None or before < 0:
            return False
        written = definitions[before]
        if written < body.flow.block_at(position).start or body.guard(written) != guard:
            return False
        asked = body.chains.definitions.get(guard[0], ())
        return bisect_left(asked, written) == bisect_left(asked, position)  # the guard itself is not written in between


def followed(body: Body, registers: Iterable[int]) -> frozenset[int]:
    """The registers and all that they follow from."""
    origins = body.analysis(_Recipes).origins
    found, work = set[int](), list(registers)
    while work:
        register = work.pop()
        if register not in found:
            found.add(register)
            work += origins(register)
    return frozenset(found)


def _rule(instruction: Instruction) -> Rule | None:
    """How the result follows from what an instruction reads, where that is known here."""
    rule = rule_of(instruction.op)
    if rule is None:
        return None
    if instruction.op[:5] == "setp.":
        return rule if len(instruction.operands) == 3 else None
    return rule if isinstance(instruction.operands[0], Register) else None


def _term(op: str, inputs: list[Value], position: int) -> Value:
    term = (op, *inputs)
    return ("at", position) if _parts(term) > _MOST_PARTS else term


def _parts(value: object) -> int:
    return sum(map(_parts, value)) if type(value) is tuple else 1
