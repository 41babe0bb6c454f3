"""Integers and predicates along one path through a body: constants are computed, what is not known stands for itself.

For questions that data flow over all paths at once cannot answer: is scale-d false the first time round, which stage of a ring
does each iteration of a loop name. A caller says which registers matter; only what they depend on is followed.
"""

from __future__ import annotations

import operator
from bisect import bisect_left
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from ptxgen.dataflow.graph.algorithms import bits
from ptxgen.dataflow.lazy import lazy
from ptxgen.ir import Address, Immediate, Not, Register, Special, Symbol, Variable
from ptxgen.isa.forms import opcodes_with

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ptxgen.dataflow.bodies.body import Body
    from ptxgen.ir import Instruction, Operand

__all__ = ["Evaluation", "Frozen", "Pointer", "Value", "Values"]


class Pointer(NamedTuple):
    """An address: so many bytes behind the start of a variable."""

    symbol: str
    offset: int


Value = int | bool | Pointer | tuple[object, ...]
"""A constant (bool for a predicate), an address, or a term for what is not known; equal terms are equal values."""

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
    sources: tuple[tuple[int, Value, Operand], ...] | None
    """The number of a register, and its value before the first write; or -1, and what a constant is; or -2, for an operand
    that has registers in it. None where the result does not follow from them."""
    written: tuple[tuple[int, int], ...]
    """(place, register) of what it writes and is followed."""


class Evaluation:
    """What some registers of a body hold along its paths."""

    def __init__(self, body: Body, registers: Iterable[int]) -> None:
        self.body = body
        self.tracked: set[int] = set()
        self._positions: dict[int, list[int]] = {}
        self._recipes: dict[int, list[_Recipe]] = {}
        self._after: dict[tuple[int, Frozen], list[tuple[int, Frozen]]] = {}
        self._alive: dict[int, frozenset[int]] = {}
        self._follow(list(registers))

    def _follow(self, work: list[int]) -> None:
        """Everything that the registers depend on."""
        body, positions = self.body, set[int]()
        definitions, reads = body.chains.definitions, body.reads
        while work:
            register = work.pop()
            if register in self.tracked:
                continue
            self.tracked.add(register)
            for where in definitions.get(register, ()):
                positions.add(where)
                if _is_computed(body.instructions[where]):
                    work += reads[where]
                elif body.instructions[where].pred is not None:
                    work.append(reads[where][0])
        for where in sorted(positions):
            self._positions.setdefault(body.flow.block_at(where).index, []).append(where)

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
        found = bits(self._positions)
        for guard, blocks in self.body.branching.items():
            if guard in self.tracked:
                found |= blocks
        return found

    # -- paths -----------------------------------------------------------------------------------------------------

    def through(self, block: int, values: Values, start: int = 0, end: int = 1 << 60) -> list[Values]:
        """The values behind a block's instructions from `start` up to `end`: one outcome, or more where guards are not known."""
        positions = self._positions.get(block)
        if positions is None:
            return [values]
        first = bisect_left(positions, start) if start else 0
        last = bisect_left(positions, end) if end <= positions[-1] else len(positions)
        if first >= last:
            return [values]
        recipes = self._recipes.get(block)
        if recipes is None:
            recipes = self._recipes[block] = [self._recipe(position) for position in positions]
        found, paths = [], [(dict(values), first)]
        while paths:
            current, place = paths.pop()
            for index in range(place, last):
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
        if isinstance(operand, Not):
            inner = self.value(operand.operand, position, values)
            return (not inner) if isinstance(inner, bool) else ("not", inner)
        if isinstance(operand, Immediate):
            return operand.value if operand.kind == "int" else ("bits", operand)
        if isinstance(operand, Register):
            number = self.body.number(operand, position)
            return values.get(number, ("start", number)) if number is not None else ("name", operand)
        if isinstance(operand, Special):
            return ("special", operand.name)
        if isinstance(operand, Symbol):
            known = self.body.scopes[position].find(operand.name)
            return Pointer(operand.name, operand.offset) if isinstance(known, Variable) else ("operand", operand)
        if isinstance(operand, Address) and not operand.coordinates:
            base = self.value(operand.base, position, values)
            return _sum(base, operand.offset) or ("offset", base, operand.offset)
        return ("operand", position, operand)

    def _recipe(self, position: int) -> _Recipe:
        body, instruction = self.body, self.body.instructions[position]
        sources: list[tuple[int, Value, Operand]] | None = None
        if _is_computed(instruction):
            sources = []
            for operand in instruction.operands[1:]:
                number = body.number(operand, position) if isinstance(operand, Register) else None
                if number is not None:
                    sources.append((number, ("start", number), operand))
                elif isinstance(operand, (Not, Address)):
                    sources.append((-2, 0, operand))
                else:
                    sources.append((-1, self.value(operand, position, {}), operand))
        written = tuple([each for each in enumerate(body.writes[position]) if each[1] in self.tracked])
        return _Recipe(
            position, body.guard(position), instruction.op, None if sources is None else tuple(sources), written
        )

    def _execute(self, recipe: _Recipe, values: Values) -> None:
        position, _, op, sources, written = recipe
        made: Value = ("at", position)
        if sources is not None:
            inputs = [
                values.get(source, known)
                if source >= 0
                else known
                if source == -1
                else self.value(operand, position, values)
                for source, known, operand in sources
            ]
            result = _compute(op, inputs)
            made = result if result is not None else _term(op, inputs, position)
        for place, register in written:
            if place == 0:
                values[register] = made
            elif sources is None:
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


_COPIES = opcodes_with("copy")
_OPCODES = frozenset("mov setp add sub mul mad shl shr and or xor not min max rem div selp cvt cvta".split())
_TYPES = frozenset({"pred", *(f"{kind}{bits}" for kind in "bus" for bits in (8, 16, 32, 64))})
_BITS = {f"{kind}{bits}": bits for kind in "bus" for bits in (8, 16, 32, 64, 128)}
_WORDS = _TYPES | {"lo", "wide", "to", "shared", "shared::cta", "global"}


def _is_computed(instruction: Instruction) -> bool:
    """Does its result follow from what it reads, in a way that is known here?"""
    if not _is_known(instruction.op):
        return False
    return (
        len(instruction.operands) == 3
        if instruction.op[:5] == "setp."
        else isinstance(instruction.operands[0], Register)
    )


@cache
def _is_known(op: str) -> bool:
    opcode, *words = op.split(".")
    return opcode in _OPCODES and _WORDS.issuperset(words[1 if opcode == "setp" else 0 :])


def _term(op: str, inputs: list[Value], position: int) -> Value:
    term = (op, *inputs)
    return ("at", position) if _parts(term) > _MOST_PARTS else term


def _parts(value: object) -> int:
    return sum(map(_parts, value)) if type(value) is tuple else 1


def _sum(left: Value, right: Value, sign: int = 1) -> Value | None:
    """A sum of two numbers, or of an address and one."""
    if isinstance(left, int) and isinstance(right, int):
        return left + sign * right
    if isinstance(left, Pointer) and isinstance(right, int):
        return Pointer(left.symbol, left.offset + sign * right)
    if isinstance(right, Pointer) and isinstance(left, int) and sign > 0:
        return Pointer(right.symbol, right.offset + left)
    return None


_RELATIONS: dict[str, Callable[[int, int], bool]] = {
    "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge,
    "lo": operator.lt, "ls": operator.le, "hi": operator.gt, "hs": operator.ge,
}  # fmt: skip
_OF_EQUALS = {"eq": True, "ne": False, "lt": False, "le": True, "gt": False, "ge": True}


def _quotient(left: int, right: int) -> int:
    """Towards zero, as div does."""
    whole = abs(left) // abs(right)
    return whole if (left < 0) is (right < 0) else -whole


_ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "and": operator.and_, "or": operator.or_, "xor": operator.xor, "mul": operator.mul, "min": min, "max": max,
    "shl": lambda a, b: a << b if 0 <= b < 64 else 0, "shr": lambda a, b: a >> b if 0 <= b < 64 else 0,
    "div": _quotient, "rem": lambda a, b: a - b * _quotient(a, b),
}  # fmt: skip


@cache
def _split(op: str) -> tuple[str, tuple[str, ...]]:
    opcode, *words = op.split(".")
    return opcode, tuple(words)


def _compute(op: str, inputs: list[Value]) -> Value | None:
    """The result where it is certain; None otherwise."""
    opcode, words = _split(op)
    type_ = words[-1]
    if opcode in _COPIES:
        return _copied(opcode, words, inputs[0])
    if opcode == "setp":
        left, right = inputs
        if isinstance(left, int) and isinstance(right, int):
            return _RELATIONS[words[0]](_wrap(left, type_), _wrap(right, type_))
        return _OF_EQUALS.get(words[0]) if left == right else None
    if opcode == "selp":
        chooser = inputs[2]
        if isinstance(chooser, bool):
            return inputs[0] if chooser else inputs[1]
        return inputs[0] if inputs[0] == inputs[1] else None
    if type_ == "pred":
        return _logic(opcode, inputs)
    if opcode == "not":
        return _wrap(~inputs[0], type_) if isinstance(inputs[0], int) else None
    if opcode == "mad":
        product = _compute(".".join(["mul", *words]), inputs[:2])
        return None if product is None else _fitted(_sum(product, inputs[2]), words)
    if opcode in ("add", "sub"):
        return _fitted(_sum(inputs[0], inputs[1], 1 if opcode == "add" else -1), words)
    return _calculated(opcode, words, inputs)


def _calculated(opcode: str, words: tuple[str, ...], inputs: list[Value]) -> Value | None:
    left, right = inputs
    if opcode == "and" and 0 in (left, right):
        return 0
    if not isinstance(left, int) or not isinstance(right, int) or (opcode in ("div", "rem") and right == 0):
        return None
    type_ = words[-1]
    if opcode != "shl":
        left = _wrap(left, type_)
        right = right if opcode == "shr" else _wrap(right, type_)
    return _fitted(_ARITHMETIC[opcode](left, right), words)


def _fitted(value: Value | None, words: tuple[str, ...]) -> Value | None:
    """As the register holds it; of mul.wide and mad.wide twice as wide."""
    if not isinstance(value, int):
        return value
    type_ = words[-1]
    return _wrap(value, f"{type_[0]}{2 * int(type_[1:])}" if "wide" in words else type_)


def _copied(opcode: str, words: tuple[str, ...], source: Value) -> Value | None:
    if isinstance(source, Pointer):
        return source
    if opcode == "mov":
        return bool(source) if words[-1] == "pred" and isinstance(source, int) else source
    if opcode == "cvt" and isinstance(source, int):
        return _wrap(_wrap(source, words[-1]), words[0])
    return None


def _logic(opcode: str, inputs: list[Value]) -> Value | None:
    inputs = [bool(value) if isinstance(value, int) else value for value in inputs]
    if opcode == "not":
        return (not inputs[0]) if isinstance(inputs[0], bool) else None
    left, right = inputs
    if isinstance(left, bool) and isinstance(right, bool):
        return bool(_ARITHMETIC[opcode](left, right))
    absorbing = opcode == "or"  # the value that settles the result alone: true for or, false for and
    if opcode != "xor" and (left is absorbing or right is absorbing):
        return absorbing
    return None


def _wrap(value: int, type_: str) -> int:
    """The number that a register of the type holds."""
    bits = _BITS[type_]
    value &= (1 << bits) - 1
    return value - (1 << bits) if type_[0] == "s" and value >> (bits - 1) else value
