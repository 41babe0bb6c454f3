"""Where a program has instructions that fit a pattern.

A name of a pattern stands for a register, and for a value: where an instruction of the pattern writes it and a later one reads
it, the written value must be able to get there, on whatever path, round loops too.
"""

from __future__ import annotations

from bisect import bisect_right

from driver_ctypes.typing import TYPE_CHECKING, NamedTuple
from ptxgen.dataflow.bodies.places import Places
from ptxgen.dataflow.bodies.walk import bodies_of
from ptxgen.dataflow.lazy import lazy
from ptxgen.dataflow.patterns.notation import read_pattern
from ptxgen.dataflow.patterns.operands import PatternError
from ptxgen.ir import Operand, Register
from ptxgen.isa.forms import opcodes_with
from ptxgen.isa.notation import EFFECTS, TRAITS
from ptxgen.isa.spaces import ADDRESSABLE, WINDOW
from ptxgen.text.printer import format_instruction, format_operand
from ptxgen.text.validate import as_module

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ptxgen.dataflow.bodies.body import Body
    from ptxgen.dataflow.patterns.notation import Step
    from ptxgen.dataflow.patterns.operands import Bound
    from ptxgen.errors import Location
    from ptxgen.ir import Function, Instruction, Module
    from ptxgen.text.validate import Buildable

__all__ = ["EFFECT_WORDS", "SPACE_WORDS", "PatternMatch", "grep"]

EFFECT_WORDS = {"memory": ("reads", "writes"), **{effect: (effect,) for effect in EFFECTS}}
"""The effects that may be asked for, each with the table's words for it."""

SPACE_WORDS = ("generic", *sorted(ADDRESSABLE | WINDOW.keys()))
"""The state spaces that may be asked for."""


class PatternMatch(NamedTuple):
    """The instructions that fit, one for each of the pattern. `bindings`: what its names stand for, as PTX has it.

    `places` are, for each instruction, where it comes from: the line of Python, or of PTX and of a template, and the line that
    `.loc` names.
    """

    function: str
    instructions: tuple[Instruction, ...]
    places: tuple[tuple[Location, ...], ...]
    bindings: dict[str, str]

    @property
    def texts(self) -> tuple[str, ...]:
        """The instructions as PTX."""
        return tuple(format_instruction(each) for each in self.instructions)


def grep(
    module: Module | Buildable | str,
    pattern: str = "*",
    *,
    effect: str | None = None,
    kind: str | None = None,
    space: str | None = None,
) -> Iterator[PatternMatch]:
    """The places where a module, a kernel or PTX text has a pattern (`ptxgen.dataflow.patterns.notation`), in text order.

    Every instruction of it must have the `effect` ("memory", "writes", "barrier", ...), be of the `kind` ("load", "atomic",
    "matrix", ...: the traits of the table), and access the state `space`, where these are given. PatternError for a pattern
    that cannot be read, and for words that there are not; PtxError for what is not a program.
    """
    steps = read_pattern(pattern)
    for word, known in ((effect, EFFECT_WORDS), (kind, TRAITS), (space, SPACE_WORDS)):
        if word is not None and word not in known:
            raise PatternError(f"{word!r} is none of {', '.join(known)}")
    return _matches(as_module(module, "grep"), steps, _Filter(effect, kind, space))


def _matches(module: Module, steps: Sequence[Step], filter_: _Filter) -> Iterator[PatternMatch]:
    def has_names(function: Function) -> bool:
        missing = list(steps)
        for instruction in function.instructions():
            missing = [step for step in missing if not step.name.fullmatch(instruction.op)]
            if not missing:
                return True
        return False

    for body in bodies_of(module, has_names):
        places = Places(module, body.function)
        for positions, values in _Search(body, steps, filter_).matches():
            found = tuple(body.instructions[position] for position in positions)
            bindings = {name: format_operand(value.operand) for name, value in values.items()}
            yield PatternMatch(body.function.name, found, tuple(places.of(each) for each in found), bindings)


class _Filter(NamedTuple):
    """What the table must say of an instruction."""

    effect: str | None
    kind: str | None
    space: str | None

    def takes(self, body: Body, position: int) -> bool:
        form, opcode = body.forms[position], body.instructions[position].opcode
        for words, stated in (
            (EFFECT_WORDS[self.effect] if self.effect else (), form.form.effects if form else ()),
            ((self.kind,) if self.kind else (), form.form.traits if form else ()),
        ):  # an illegal instruction is no form: its opcode says what it was to be
            if words and not (any(word in stated for word in words) if form else opcode in opcodes_with(*words)):
                return False
        if self.space is None:
            return True
        spaces = [each.space or "generic" for each in form.operands if each.spec.kind == "address"] if form else ()
        return any(self.space in (space, WINDOW.get(space)) for space in spaces)


class _Value(NamedTuple):
    """What a name stands for, with the numbers of the registers in it. `at` is where it was written, or read first, by an
    instruction of the pattern."""

    operand: Operand
    registers: tuple[int, ...]
    written: bool
    at: int


Values = dict[str, _Value]


class _Search:
    """Of one body: matches by going from each instruction of the pattern to the next."""

    def __init__(self, body: Body, steps: Sequence[Step], filter_: _Filter) -> None:
        self.body = body
        self.steps = steps
        self._filter = filter_
        self._behind: dict[int, set[int]] = {}
        """By block, those that control can reach from it."""
        self._named = [
            [at for at, each in enumerate(body.instructions) if step.name.fullmatch(each.op)] for step in steps
        ]

    def matches(self) -> Iterator[tuple[list[int], Values]]:
        for position in self._named[0]:
            values = self._bind(self.steps[0], position, {}, -1)
            if values is not None:
                yield from self._extended([position], values)

    def _extended(self, found: list[int], values: Values) -> Iterator[tuple[list[int], Values]]:
        if len(found) == len(self.steps):
            yield found, values
            return
        step = self.steps[len(found)]
        linked = [values[name] for name in sorted(step.names) if name in values]
        for position in self._candidates(len(found), linked, found[-1]):
            grown = None if position in found else self._bind(step, position, values, found[-1])
            if grown is not None:
                yield from self._extended([*found, position], grown)
                if not linked:
                    return

    def _candidates(self, step: int, linked: Sequence[_Value], last: int) -> Sequence[int]:
        """The positions that may be the next of a match: those that mention what is known, else what stands below."""
        named = self._named[step]
        if not linked:
            return named[bisect_right(named, last) :]
        known, name = linked[0], self.steps[step].name
        if known.registers:
            first, chains = known.registers[0], self.body.chains
            near = sorted({*chains.uses.get(first, ()), *chains.definitions.get(first, ())})
        else:
            near = self._mentions.get(format_operand(known.operand), [])
        return [position for position in near if name.fullmatch(self.body.instructions[position].op)]

    @lazy
    def _mentions(self) -> dict[str, list[int]]:
        """By the text of an operand, or of a part of one, that is no register: where it stands."""
        found: dict[str, list[int]] = {}
        for position, instruction in enumerate(self.body.instructions):
            parts = (part for operand in instruction.operands for part in _parts(operand))
            texts = [format_operand(part) for part in parts if not isinstance(part, Register)]
            for text in dict.fromkeys(texts):
                found.setdefault(text, []).append(position)
        return found

    def _bind(self, step: Step, position: int, values: Values, last: int) -> Values | None:
        """The values of all names when this instruction is taken too; None where it does not fit."""
        operands = self._named_operands(step, position)
        if operands is None or not self._filter.takes(self.body, position):
            return None
        grown, flows = dict(values), False
        for name, operand, written in operands:  # what is read comes first
            registers, known = self._registers(operand, position), grown.get(name)
            if known is not None:
                if known.registers != registers or known.operand != operand:
                    return None
                if not written and not self._same_value(known, position):
                    return None
                flows |= known.written and not written and bool(registers)
            if known is None or written:
                grown[name] = _Value(operand, registers, written, position)
        return grown if flows or position > last else None

    def _named_operands(self, step: Step, position: int) -> list[tuple[str, Operand, bool]] | None:
        """(name, operand, is it written) of an instruction that looks like the pattern; None for another one."""
        instruction = self.body.instructions[position]
        read: Bound = []
        written: Bound = []
        if step.guard is not None and (instruction.pred is None or not step.guard(instruction.pred, read)):
            return None
        if step.operands is not None:
            if not step.operands.fits(instruction.operands):
                return None
            destinations = self._destinations(position)
            for at, (pattern, operand) in enumerate(zip(step.operands.patterns, instruction.operands)):
                if not pattern(operand, written if at < destinations else read):
                    return None
        return [(*pair, False) for pair in read] + [(*pair, True) for pair in written]

    def _same_value(self, known: _Value, position: int) -> bool:
        """May the registers hold here what they held there?"""
        if not known.written and known.at == position:
            return True
        reaching = self.body.chains.reaching
        for register in known.registers:
            here = reaching(register, position)
            if known.written:  # the only write of a register reaches everything, as far as `reaching` knows
                if known.at not in here or not self._leads(known.at, position):
                    return False
            elif here != reaching(register, known.at):
                return False
        return True

    def _leads(self, first: int, then: int) -> bool:
        """Is there a path from one instruction to the other?"""
        flow = self.body.flow
        start, end = flow.block_at(first).index, flow.block_at(then).index
        if start == end and first < then:
            return True
        behind = self._behind.get(start)
        if behind is None:
            behind = self._behind[start] = set()
            work = list(flow.blocks[start].successors)
            while work:
                block = work.pop()
                if block not in behind:
                    behind.add(block)
                    work += flow.blocks[block].successors
        return end in behind

    def _registers(self, operand: Operand, position: int) -> tuple[int, ...]:
        named = (self.body.number(part, position) for part in _parts(operand) if isinstance(part, Register))
        return tuple(number for number in named if number is not None)

    def _destinations(self, position: int) -> int:
        """How many operands the instruction writes; they stand first."""
        form = self.body.forms[position]
        if form is None or form.form.opcode == "call":
            return int(bool(self.body.writes[position]))
        return next((n for n, spec in enumerate(form.form.operands) if not spec.written), len(form.form.operands))


def _parts(operand: Operand) -> Iterator[Operand]:
    """An operand, and what it consists of."""
    yield operand
    for field in operand._fields:
        inner = getattr(operand, field)
        for part in inner if isinstance(inner, tuple) else (inner,):
            if isinstance(part, Operand):
                yield from _parts(part)
