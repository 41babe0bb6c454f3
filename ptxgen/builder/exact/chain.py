"""Exact control: one call, one instruction, modifiers in the manual's order.

    k.ptx.mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32(d, a, b, c)
    k.ptx["ld.shared::cta.v4.f32"]((x, y, z, w), tile.at(0))     # in brackets also modifiers as assemblers let them stand

Python's lexis: a trailing underscore is dropped (`global_`, `and_`), `__` stands for `::` (`shared__cta`), a leading
underscore before a digit is dropped (`_2d`). What may be an operand is told in exact_operands.py; `pred=p` guards the
instruction. A type where a result stands makes a new value, which the call returns; several as a tuple, in their order:

    x, y = k.ptx.ld.global_.v2.f32((f32, f32), p)

A type checker knows every chain from chains.pyi, which tools/make_stubs.py writes.

The first call with operands of certain classes is checked in full and leaves a plan: how to turn operands of these classes into
those of the ir. Later calls, in any kernel for that target, follow the plan.
"""

from __future__ import annotations

import itertools
import keyword
from typing import TYPE_CHECKING, Any

from ptxgen.builder.core.source import build_error
from ptxgen.builder.exact.operands import is_elsewhere, planned_step, spelling, to_operand
from ptxgen.builder.memory.pointers import ptr
from ptxgen.builder.values.scalars import Value
from ptxgen.builder.values.vectors import vec
from ptxgen.dataflow.matching.nearest import nearest_instruction
from ptxgen.dataflow.matching.operands import assign, match
from ptxgen.errors import BuildError
from ptxgen.ir import Sink
from ptxgen.isa.forms import Resolved, opcodes, resolve, resolve_loosely
from ptxgen.isa.spelling import begin, following
from ptxgen.verifier.instruction.forms import mismatch_code, unknown_form

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.builder.core.function_builder import FunctionBuilder
    from ptxgen.builder.exact.operands import Step
    from ptxgen.builder.values.scalars import pred as Predicate
    from ptxgen.dataflow.matching.operands import Match
    from ptxgen.ir import Not, Operand
    from ptxgen.isa.forms import OperandType

__all__ = ["InstructionChain", "attribute", "sink", "word_of"]

sink: Sink = Sink()
"""The destination `_`: a result that nobody wants."""

Plans = dict[tuple[Any, ...], tuple["Step", ...]]
_plans: dict[tuple[str, str], Plans] = {}
"""(instruction, target) -> classes of operands -> how each becomes an operand of the ir."""


def attribute(word: str) -> str:
    """A word of an instruction's name as Python spells it: `global_`, `shared__cta`, `_2d`, `sp__2_4`."""
    name = word.replace("::", "__").replace(":", "_")
    name = f"_{name}" if name[0].isdigit() else name
    return f"{name}_" if keyword.iskeyword(name) else name


def word_of(name: str) -> str:
    """The word that an attribute stands for."""
    if name.startswith("_") and name[1:2].isdigit():
        name = name[1:]
    word = name.rstrip("_").replace("__", "::")
    return word.replace("_", ":") if word.startswith("sp::") and word[4:5].isdigit() else word


class InstructionChain:
    """An instruction's name as far as it has been spelled; calling it appends the instruction.

    What an attribute leads to is made once and kept in the instance's dictionary.
    """

    __slots__ = ("__dict__", "_as_read", "_builder", "_known", "_op")

    def __init__(self, builder: FunctionBuilder, op: str = "", as_read: bool = False) -> None:
        self._builder = builder
        self._op = op
        self._as_read = as_read  # a name that assemblers read, though the manual spells it otherwise, is one as well
        self._known: Plans | None = None

    def __getattr__(self, name: str) -> InstructionChain:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        chain = self.__dict__[name] = InstructionChain(self._builder, self._with(word_of(name)))
        return chain

    def __getitem__(self, name: str) -> InstructionChain:
        if not isinstance(name, str):
            raise build_error("PTX200", f"{name!r:.60} is no instruction's name", hint='k.ptx["ld.global.f32"]')
        return InstructionChain(self._builder, self._with(name), as_read=True)

    def _with(self, words: str) -> str:
        return f"{self._op}.{words}" if self._op else words

    def __dir__(self) -> list[str]:
        """The words that may follow here, for completion."""
        if not self._op:
            return [attribute(name) for name in opcodes()]
        opcode, *words = self._op.split(".")
        state = begin(opcode)
        for word in words:
            state = following(state).get(word, ())
        return [attribute(word) for word in following(state)]

    def __repr__(self) -> str:
        return f"<instruction {self._op}>"

    def __call__(self, *operands: Any, pred: Predicate | Not | None = None) -> Any:
        k = self._builder
        guard = None if pred is None else _guard(k, pred)
        plans = self._known
        if plans is None:
            plans = self._known = _plans.setdefault((self._op, k.target.name), {})
        classes = tuple(
            [v.__class__ if v.__class__ is not tuple else tuple([part.__class__ for part in v]) for v in operands]
        )
        if classes in plans:
            found = []
            for step, value in zip(plans[classes], operands):
                operand = step(k, value)
                if operand is None:
                    break
                found.append(operand)
            else:
                instruction = k.emit(self._op, *found)
                if guard is not None:
                    instruction.pred = guard
                return None
        if any(each is type or (each.__class__ is tuple and type in each) for each in classes):
            return self._making(operands, pred)
        instruction = k.emit(self._op, *_checked_operands(k, self, operands, classes, plans))
        if guard is not None:
            instruction.pred = guard
        return None

    def _making(self, operands: tuple[Any, ...], pred: Predicate | Not | None) -> Any:
        """The call with new variables where types stand; they are values when it is done."""
        k = self._builder
        made: list[Value] = []

        def new(operand: Any) -> Any:
            if operand.__class__ is tuple:
                return tuple([new(part) for part in operand])
            if not isinstance(operand, type):
                return operand
            if not issubclass(operand, Value) or issubclass(operand, ptr):
                raise build_error(
                    "PTX220", f"{operand!r} as the result of {self._op}", expected="a scalar type such as u32"
                )
            made.append(operand(k, k.register(operand.storage), k.scope, mutable=True))
            return made[-1]

        self(*[new(each) for each in operands], pred=pred)
        for each in made:
            each.mutable = False
        return made[0] if len(made) == 1 else tuple(made)


def _guard(k: FunctionBuilder, pred: Predicate | Not) -> Any:
    if k.guard is not None:
        raise build_error("PTX328", "pred= inside k.pred", hint="k.pred(a & b)")
    return k.truth(pred)


def _checked_operands(
    k: FunctionBuilder, chain: InstructionChain, operands: tuple[Any, ...], classes: tuple[Any, ...], plans: Plans
) -> tuple[Operand, ...]:
    """The operands of the ir, after every check; leaves a plan for operands of these classes, if one can be made."""
    op = chain._op
    candidates = resolve(op) or (resolve_loosely(op) if chain._as_read else ())
    if not candidates:
        code, message = unknown_form(op)
        raise build_error(code, message, hint=nearest_instruction(op))
    form, converted, found = _fit(k, op, candidates, operands)
    if found.mismatch is not None:
        problem = found.mismatch
        raise build_error(
            mismatch_code(problem.reason),
            f"{op} operand {problem.position + 1} is {problem.found}"
            if problem.position >= 0
            else f"{op} has {problem.found}",
            expected=problem.expected,
            hint=f"{op}({spelling(found.resolved or form)})",
        )
    assert found.resolved is not None
    _check_available(k, op, found.resolved)
    entries = assign(found.resolved.operands, len(operands)) or ()
    _check_written(found.resolved, entries, operands)
    _check_kinds(op, entries, operands)
    _check_spaces(op, entries, operands)
    steps = [planned_step(entry, value, ready) for entry, value, ready in zip(entries, operands, converted)]
    if None not in steps and _is_only_choice(found.resolved, len(operands)):
        plans[classes] = tuple(step for step in steps if step is not None)
    return converted


def _check_spaces(op: str, entries: Sequence[OperandType], operands: tuple[Any, ...]) -> None:
    """No assembler sees where a register points to; the builder knows it of its pointers."""
    for entry, value in zip(entries, operands):
        if entry.spec.kind == "address" and is_elsewhere(value, entry.space):
            pointer = value[0] if isinstance(value, list) else value
            raise build_error(
                "PTX207",
                f"{op} works on .{entry.space}, and operand {entry.spec.name} is a pointer to .{pointer.space}",
                hint="an array of k.shared or k.tile" if entry.space.startswith("shared") else f".{pointer.space}",
            )


def _fit(
    k: FunctionBuilder, op: str, candidates: tuple[Resolved, ...], operands: tuple[Any, ...]
) -> tuple[Resolved, tuple[Operand, ...], Match]:
    """The first form that takes the operands, as they are to be read for it; else the first with as many operands."""
    first: tuple[Resolved, tuple[Operand, ...], Match] | None = None
    error: BuildError | None = None
    for form in sorted(candidates, key=lambda c: assign(c.operands, len(operands)) is None):
        try:
            converted = _converted(k, form, operands)
        except BuildError as caught:
            error = error or caught
            continue
        found = match(op, converted)
        if found.mismatch is None:
            return form, converted, found
        first = first or (form, converted, found)
    if first is None or error is not None:
        assert error is not None
        raise error
    return first


def _is_only_choice(form: Resolved, count: int) -> bool:
    """Can this many operands be assigned to the form's in one way only?"""
    optional = sum(entry.spec.optional for entry in form.operands)
    return count in (len(form.operands) - optional, len(form.operands))


def _converted(k: FunctionBuilder, form: Resolved, operands: tuple[Any, ...]) -> tuple[Operand, ...]:
    entries: Any = assign(form.operands, len(operands)) or itertools.repeat(None)
    if form.operands and form.operands[0].spec.kind == "call":
        entries = itertools.repeat(form.operands[0])
    return tuple(to_operand(k, entry, value) for entry, value in zip(entries, operands))


def _check_available(k: FunctionBuilder, op: str, form: Resolved) -> None:
    for choices in form.since:
        if not any(k.target.provides(c.sm, c.suffix) for c in choices):
            needed = " or ".join(f"sm_{c.sm}{c.suffix}" for c in choices)
            raise build_error(
                "PTX412",
                f"{op} needs target {needed}, this module is for {k.target.name}",
                expected=" or ".join(map(str, choices)),
                hint=f'target="sm_{choices[0].sm}{choices[0].suffix}"',
            )


def _check_written(form: Resolved, entries: list[OperandType] | tuple[()], operands: tuple[Any, ...]) -> None:
    """A value is single-assignment: only a variable may be a destination."""
    for entry, operand in zip(entries, operands):
        if not entry.spec.written and not (entry.spec.kind == "vector" and entry.spec.elements[0].written):
            continue
        for part in operand if isinstance(operand, (tuple, vec)) else (operand,):
            if isinstance(part, Value) and not part.mutable:
                raise build_error(
                    "PTX326",
                    f"{part!r} is written by {form.form.opcode}, but a value is assigned only once",
                    expected="a variable",
                    hint=f"d = k.var({part.isa.name})",
                )


def _check_kinds(op: str, entries: list[OperandType] | tuple[()], operands: tuple[Any, ...]) -> None:
    """Integers live in untyped registers, which the verifier lets stand for floats; the value's own type says more."""
    for entry, operand in zip(entries, operands):
        wanted = entry.type
        if wanted is None or entry.spec.kind != "value" or wanted.lanes > 1:
            continue
        for part in operand if isinstance(operand, (tuple, vec)) else (operand,):
            if not isinstance(part, Value) or isinstance(part, ptr):
                continue
            if (wanted.is_float and part.isa.is_integer) or (wanted.is_integer and part.isa.is_float):
                raise build_error(
                    "PTX203",
                    f"{part!r} is passed to {op} where a .{wanted.name} is read or written",
                    hint=f"x.to({wanted.name}) converts, x.bits(b{part.isa.bits}) says that its bits are meant",
                )
