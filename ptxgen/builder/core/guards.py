"""Guards over several instructions: those that have effects keep the guard, arithmetic does without.

A register that is written under a guard keeps its old value where the guard fails. It is therefore alive before the write,
around a whole loop if there is one, and an assembler must give it a place there. What only computes a new value is the same for
every thread that goes on to use it, guarded or not.
"""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ptxgen.ir import Instruction, Register
from ptxgen.isa.forms import resolve, traits

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ptxgen.builder.core.function_builder import FunctionBuilder
    from ptxgen.ir import Not

__all__ = ["guarded", "unguarded"]


@contextmanager
def unguarded(k: FunctionBuilder) -> Iterator[None]:
    """What is computed here is computed in every thread: under a guard that does not hold a predicate would be undefined."""
    guard, k.guard = k.guard, None
    try:
        yield
    finally:
        k.guard = guard


@contextmanager
def guarded(k: FunctionBuilder, guard: Register | Not) -> Iterator[None]:
    """What has effects here has them only where the guard holds. An outer guard must be part of this one."""
    outer, k.guard = k.guard, guard
    start, made = len(k.statements), k.registers_made()
    try:
        yield
    finally:
        k.guard = outer
    if outer is None:  # else the end of the outer one does it, which knows what else is written under a guard
        body = [each for each in k.statements[start:] if isinstance(each, Instruction)]
        _drop_needless(body, made)


def _drop_needless(body: list[Instruction], made: Mapping[str, int]) -> None:
    """Take the guard from what only computes new values, in registers that are written once, from what every thread has."""
    written = [_written(each) for each in body]
    times = Counter(name for names in written for name in names)
    conditional: set[str] = set()
    for each, names in zip(body, written):
        if each.pred is None:
            continue
        if (
            _only_computes(each.op)
            and all(times[name] == 1 and _is_new(name, made) for name in names)
            and conditional.isdisjoint(_named(each.operands))
        ):
            each.pred = None
        else:
            conditional |= names


def _only_computes(op: str) -> bool:
    said = traits(op)
    return "pure" in said and "carry" not in said


def _is_new(name: str, made: Mapping[str, int]) -> bool:
    """Was the register made in the body?"""
    prefix = name.rstrip("0123456789")
    number = name[len(prefix) :]
    return number.isdecimal() and int(number) > made.get(prefix, 0)


def _written(instruction: Instruction) -> set[str]:
    """The registers that an instruction may write; all that it names where no form tells."""
    forms = resolve(instruction.op)
    if not forms or instruction.opcode == "call":
        return set(_named(instruction.operands))
    count = max(sum(spec.written for spec in each.form.operands) for each in forms)
    return set(_named(instruction.operands[:count]))


def _named(operands: Iterable[object]) -> Iterator[str]:
    """The names of the registers in some operands."""
    for operand in operands:
        if isinstance(operand, Register):
            yield operand.name
            continue
        for field in ("base", "operand", "first", "second"):
            if hasattr(operand, field):
                yield from _named((getattr(operand, field),))
        yield from _named(getattr(operand, "elements", ()))
        yield from _named(getattr(operand, "coordinates", ()))
