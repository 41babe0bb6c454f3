"""Instructions on integers and predicates as evaluations run them again and again, and what their operands are."""

from __future__ import annotations

from driver_ctypes.typing import TYPE_CHECKING, NamedTuple
from ptxgen.dataflow.values.constant_rules import Pointer, Rule, Value, rule_of, sum_of
from ptxgen.ir import Address, Immediate, Not, Register, Special, Symbol, Variable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ptxgen.dataflow.bodies.body import Body
    from ptxgen.ir import Instruction, Operand

__all__ = ["Recipe", "Recipes", "followed", "start_of", "term_of", "value_of"]

_MOST_PARTS = 6
"""Terms with more parts than this are cut to one that says where they were made."""


class Recipe(NamedTuple):
    """An instruction as it is run."""

    position: int
    guard: tuple[int, bool] | None
    op: str
    rule: Rule | None
    """None where the result does not follow from what it reads."""
    sources: tuple[tuple[int, Value], ...]
    """The number of a register and its value before the first write; or -1, and what a constant is."""
    others: tuple[tuple[int, Operand], ...]
    """(index in `sources`, operand) of those that have registers in them."""
    written: tuple[int, ...]
    """The registers that it writes."""


class Recipes:
    """The instructions of a body."""

    def __init__(self, body: Body) -> None:
        self.body = body
        self._known: dict[int, Recipe] = {}
        self._origins: dict[int, tuple[int, ...]] = {}

    def at(self, position: int) -> Recipe:
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

    def _make(self, position: int) -> Recipe:
        body, instruction = self.body, self.body.instructions[position]
        rule = _rule(instruction)
        operands = () if rule is None else instruction.operands[1:]
        others = tuple([(i, o) for i, o in enumerate(operands) if isinstance(o, (Not, Address))])
        sources = tuple([self._source(operand, position) for operand in operands])
        return Recipe(
            position, body.guard(position), instruction.op, rule, sources, others, tuple(body.writes[position])
        )

    def _source(self, operand: Operand, position: int) -> tuple[int, Value]:
        number = self.body.number(operand, position) if isinstance(operand, Register) else None
        if number is not None:
            return number, start_of(number)
        return -1, value_of(self.body, operand, position, start_of)


def start_of(register: int) -> Value:
    """What a register holds before the first write."""
    return "start", register


def value_of(body: Body, operand: Operand, position: int, held: Callable[[int], Value]) -> Value:
    """What an operand of the instruction at that position is, for what registers hold; of an address, the address."""
    if isinstance(operand, Not):
        inner = value_of(body, operand.operand, position, held)
        return (not inner) if isinstance(inner, bool) else ("not", inner)
    if isinstance(operand, Immediate):
        return operand.value if operand.kind == "int" else ("bits", operand)
    if isinstance(operand, Register):
        number = body.number(operand, position)
        return held(number) if number is not None else ("name", operand)
    if isinstance(operand, Special):
        return ("special", operand.name)
    if isinstance(operand, Symbol):
        known = body.scopes[position].find(operand.name)
        return Pointer(operand.name, operand.offset) if isinstance(known, Variable) else ("operand", operand)
    if isinstance(operand, Address) and not operand.coordinates:
        base = value_of(body, operand.base, position, held)
        return sum_of(base, operand.offset) or ("offset", base, operand.offset)
    return ("operand", position, operand)


def followed(body: Body, registers: Iterable[int]) -> frozenset[int]:
    """The registers and all that they follow from."""
    origins = body.analysis(Recipes).origins
    found, work = set[int](), list(registers)
    while work:
        register = work.pop()
        if register not in found:
            found.add(register)
            work += origins(register)
    return frozenset(found)


def term_of(op: str, inputs: list[Value], position: int) -> Value:
    """What an instruction makes of what is not known."""
    term = (op, *inputs)
    return ("at", position) if _parts(term) > _MOST_PARTS else term


def _parts(value: object) -> int:
    return sum(map(_parts, value)) if type(value) is tuple else 1


def _rule(instruction: Instruction) -> Rule | None:
    """How the result follows from what an instruction reads, where that is known here."""
    rule = rule_of(instruction.op)
    if rule is None:
        return None
    if instruction.op[:5] == "setp.":
        return rule if len(instruction.operands) == 3 else None
    return rule if isinstance(instruction.operands[0], Register) else None
