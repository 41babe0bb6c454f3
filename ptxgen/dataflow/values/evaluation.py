"""Integers and predicates along one path through a body: constants are computed, what is not known stands for itself.

For questions that data flow over all paths at once cannot answer: is scale-d false the first time round, which stage of a ring
does each iteration of a loop name. A caller says which registers matter; only what they depend on is followed.
"""

from __future__ import annotations

from driver_ctypes.typing import TYPE_CHECKING, NamedTuple
from ptxgen.dataflow.bodies.alive import LiveBlocks
from ptxgen.dataflow.graph.algorithms import bits, members
from ptxgen.dataflow.lazy import lazy
from ptxgen.dataflow.values.constant_rules import Pointer, Rule, Value, rule_of, sum_of
from ptxgen.ir import Address, Immediate, Not, Register, Special, Symbol, Variable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ptxgen.dataflow.bodies.body import Body
    from ptxgen.ir import Instruction, Operand

__all__ = ["Evaluation", "Frozen", "Values", "followed"]


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
    sources: tuple[tuple[int, Value], ...]
    """The number of a register, and its value before the first write; or -1, and what a constant is."""
    others: tuple[tuple[int, Operand], ...]
    """(index in `sources`, operand) of those that have registers in them."""
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
        operands = () if rule is None else instruction.operands[1:]
        others = tuple([(i, o) for i, o in enumerate(operands) if isinstance(o, (Not, Address))])
        sources = tuple([self._source(operand, position) for operand in operands])
        written = tuple(enumerate(body.writes[position]))
        return _Recipe(position, body.guard(position), instruction.op, rule, sources, others, written)

    def _source(self, operand: Operand, position: int) -> tuple[int, Value]:
        number = self.body.number(operand, position) if isinstance(operand, Register) else None
        if number is not None:
            return number, ("start", number)
        return -1, value_of(self.body, operand, position, {})


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
        """The blocks that control may come to from one, and the values there, for those at its start: of what is read later."""
        found = self._after.get((block, state))
        if found is None:
            if not self.changing >> block & 1:
                return [(to, state) for to in self.body.flow.blocks[block].successors]
            found = self._after[block, state] = []
            for values in self.through(block, dict(state)):
                for to, known in self.onward(block, values):
                    alive = self.alive(to)
                    found.append((to, frozenset([each for each in known.items() if each[0] in alive])))
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
        recipes = self._by_block.get(block, [])
        if recipes and (start > recipes[0].position or end <= recipes[-1].position):
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
        decided = self._decided.get(block)
        if decided is None:
            return [(successor, values) for successor in self.body.flow.blocks[block].successors]
        predicate, edges = decided
        known = values.get(predicate)
        if isinstance(known, bool):
            return [(successor, values) for successor, holds in edges if holds is known]
        return [(successor, {**values, predicate: holds}) for successor, holds in edges]

    @lazy
    def _decided(self) -> dict[int, tuple[int, list[tuple[int, bool]]]]:
        """By block that ends in a branch on a predicate which is followed: the predicate, and what it is on each edge."""
        body, made = self.body, {}
        for guard, blocks in body.branching.items():
            for block in members(blocks) if guard in self.tracked else ():
                found = body.flow.blocks[block]
                own = body.guard(found.end - 1)
                if own is not None and len(found.successors) + found.leaves > 1:
                    edges = [(to, own[1] if to != block + 1 else not own[1]) for to in found.successors]
                    made[block] = guard, edges
        return made

    def alive(self, block: int) -> frozenset[int]:
        """The registers followed whose values at a block's start somebody may still read."""
        if block not in self._alive:
            liveness = self.body.analysis(LiveBlocks)
            self._alive[block] = frozenset(r for r in self.tracked if liveness.blocks(r) >> block & 1)
        return self._alive[block]

    # -- values ----------------------------------------------------------------------------------------------------

    def value(self, operand: Operand, position: int, values: Values) -> Value:
        """What an operand of the instruction at that position is; of an address, the address."""
        return value_of(self.body, operand, position, values)

    def _execute(self, recipe: _Recipe, values: Values) -> None:
        position, _, op, rule, sources, others, written = recipe
        made: Value = ("at", position)
        if rule is not None:
            inputs = [values.get(source, known) for source, known in sources]
            for index, operand in others:
                inputs[index] = value_of(self.body, operand, position, values)
            result = rule(inputs)
            made = result if result is not None else _term(op, inputs, position)
        for place, register in written:
            if place == 0:
                values[register] = made
            elif rule is None:
                values[register] = ("at", position, place)
            else:  # the second result of setp is the opposite of the first
                values[register] = (not made) if isinstance(made, bool) else ("not", made)


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
