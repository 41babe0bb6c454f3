"""Which words may follow the ones that are written: the rows of an opcode as an automaton over the words between the dots.

Completion and the type stubs walk it. A state is the set of places in rows that the words so far lead to; what was chosen is
remembered only where a later rule or an operand depends on it, so that few states stand for many names.
"""

from __future__ import annotations

from functools import cache

from driver_ctypes.typing import TYPE_CHECKING, NamedTuple
from ptxgen.isa.forms import forms_of
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from ptxgen.isa.notation import Form, OperandSpec

__all__ = ["RowPosition", "State", "begin", "following", "is_complete"]


class RowPosition(NamedTuple):
    """A position in a row: the segment that comes next, words of a modifier of several parts that are still owed, and the
    modifiers chosen before that something later depends on."""

    form: Form
    segment: int
    owed: tuple[str, ...]
    chosen: tuple[tuple[str, str], ...]


State = tuple[RowPosition, ...]


def begin(opcode: str) -> State:
    """Before the first modifier; () when there is no such opcode."""
    return tuple(RowPosition(form, 0, (), ()) for form in forms_of(opcode))


def following(state: State) -> dict[str, State]:
    """Each word that may come next, in the table's order, and where it leads."""
    found: dict[str, list[RowPosition]] = {}
    for place in state:
        for word, there in _steps(place):
            found.setdefault(word, []).append(there)
    return {word: tuple(dict.fromkeys(places)) for word, places in found.items()}


def is_complete(state: State) -> bool:
    """May the name end here?"""
    return any(not p.owed and all(s.optional for s in p.form.segments[p.segment :]) for p in state)


def _steps(place: RowPosition) -> list[tuple[str, RowPosition]]:
    form, start, owed, chosen = place
    if owed:
        return [(owed[0], RowPosition(form, start, owed[1:], chosen))]
    sets, ruled = _remembered(form)
    found = []
    for index in range(start, len(form.segments)):
        segment = form.segments[index]
        for choice in segment.choices:
            here = chosen
            if segment.name in sets or choice in sets or choice in ruled:
                here = (*chosen, (segment.name, choice))
                if choice in ruled and form.forbids(modifier for _, modifier in here):
                    continue
            word, *owed_now = choice.split(".")
            found.append((word, RowPosition(form, index + 1, tuple(owed_now), here)))
        if not segment.optional:
            break
    return found


@cache
def _remembered(form: Form) -> tuple[frozenset[str], frozenset[str]]:
    """(sets and modifiers on whose choice an operand depends, modifiers that a rule names)."""
    names: set[str] = set()
    for spec in form.operands:
        names |= _named_by(spec)
    if names & {"type", "wide"}:
        names |= {segment.name for segment in form.segments if not TYPES.keys().isdisjoint(segment.choices)}
    ruled = frozenset(modifier for rule in form.rules for side in rule for modifier in side)
    return frozenset(names), ruled


def _named_by(spec: OperandSpec) -> set[str]:
    """Sets and modifiers that an operand's type, length, space or presence may depend on."""
    names = {spec.type, spec.when, spec.space, spec.lanes.partition("-")[0]}
    for part in (*spec.elements, *((spec.second,) if spec.second else ())):
        names |= _named_by(part)
    return names - {""}
