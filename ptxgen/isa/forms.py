"""The table, loaded: from an instruction's dotted name to the forms that spell it.

Chapters are parsed when an opcode of theirs is first asked for; answers are remembered by name. Which chapter that is, `index`
knows, with the size of each chapter's file: a file of another size, and one that the index does not have, is read at once, so
that a new row works before tools/index_isa.py has written the index again.
"""

from __future__ import annotations

import importlib
import os
from functools import cache, lru_cache

from driver_ctypes.typing import NamedTuple
from ptxgen.isa import table
from ptxgen.isa.index import INDEX, NEWEST
from ptxgen.isa.notation import ALWAYS, EFFECTS, TRAITS, Availability, Chapter, Form, OperandSpec
from ptxgen.isa.spaces import ADDRESSABLE, WINDOW
from ptxgen.isa.types import TYPES, ScalarType

__all__ = [
    "OperandType", "Resolved", "all_forms", "chapters", "forms_of", "newest_version", "opcodes", "opcodes_with", "resolve",
    "resolve_loosely", "traits",
]  # fmt: skip


@cache
def _chapter(name: str) -> Chapter:
    return Chapter(importlib.import_module(f"{table.__name__}.{name}").ROWS)


@cache
def _words() -> dict[str, dict[str, frozenset[str]]]:
    """Chapter -> opcode -> what its rows say of themselves: from the index where that is of the file as it stands, else read."""
    sizes, stale = _files(), _stale()
    found = {
        name: {opcode: frozenset(words.split()) for opcode, words in stated.items()}
        for name, (_, stated) in INDEX.items()
        if name in sizes or not sizes
    }
    return found | {name: _chapter(name).words() for name in stale}


@cache
def _stale() -> tuple[str, ...]:
    """The chapters that the index does not have as they stand."""
    return tuple([name for name, size in _files().items() if name not in INDEX or INDEX[name][0] != size])


def newest_version(opcode: str) -> tuple[int, int] | None:
    """A PTX version with which every form of an opcode exists on some target; None where that is not known without reading its
    rows."""
    return None if _stale() else NEWEST.get(opcode)


@cache
def _files() -> dict[str, int]:
    """The chapters that stand in table/, with the sizes of their files; none where the package is in an archive."""
    try:
        entries = sorted((e.name, e.stat().st_size) for folder in table.__path__ for e in os.scandir(folder))
    except OSError:
        return {}
    return {name[:-3]: size for name, size in entries if name.endswith(".py") and not name.startswith("_")}


@cache
def _chapters_of() -> dict[str, tuple[str, ...]]:
    """Opcode -> the chapters with rows of it."""
    found: dict[str, tuple[str, ...]] = {}
    for chapter, opcodes_ in _words().items():
        for opcode in opcodes_:
            found[opcode] = (*found.get(opcode, ()), chapter)
    return found


def chapters() -> dict[str, tuple[str, ...]]:
    """Chapter file in table/ -> the opcodes whose rows it holds; an opcode may have rows in several."""
    return {chapter: tuple(words) for chapter, words in _words().items()}


@cache
def opcodes_with(*words: str) -> frozenset[str]:
    """The opcodes of which a row has one of these effects or traits (`notation.EFFECTS`, `notation.TRAITS`).

    No chapter is read for it. ValueError for a word that the notation does not have.
    """
    unknown = set(words) - EFFECTS.keys() - TRAITS.keys()
    if unknown:
        raise ValueError(f"neither an effect nor a trait: {' '.join(sorted(unknown))}")
    return frozenset(o for of in _words().values() for o, stated in of.items() if not stated.isdisjoint(words))


class OperandType(NamedTuple):
    """An operand of a resolved form: its row's spec with the type and the number of lanes worked out.

    `parts` are the elements of a vector or the coordinates of an address, one each; `space` is the state space of an
    address ("" for generic), `inside` what stands between its base and its coordinates.
    """

    spec: OperandSpec
    type: ScalarType | None
    lanes: int
    parts: tuple[OperandType, ...] = ()
    space: str = ""
    inside: tuple[OperandType, ...] = ()


class Resolved(NamedTuple):
    """A form with its modifiers chosen. `since`: one of the inner availabilities of every entry must hold."""

    form: Form
    bindings: dict[str, str]
    type: ScalarType | None
    operands: tuple[OperandType, ...]
    since: tuple[tuple[Availability, ...], ...]

    @property
    def name(self) -> str:
        """The instruction's name with its modifiers in the manual's order."""
        chosen = (self.bindings.get(segment.name) for segment in self.form.segments)
        return ".".join([self.form.opcode, *(word for word in chosen if word)])


@cache
def opcodes() -> tuple[str, ...]:
    """Every opcode of the table, in the manual's order."""
    return tuple(_chapters_of())


def forms_of(opcode: str) -> tuple[Form, ...]:
    """The rows of an opcode, in the table's order; () when there is no such instruction."""
    return tuple(form for chapter in _chapters_of().get(opcode, ()) for form in _chapter(chapter).rows(opcode))


def all_forms() -> tuple[Form, ...]:
    """Every row of the table, in the manual's order."""
    return tuple(form for opcode in _chapters_of() for form in forms_of(opcode))


def _lanes(form: Form, spec: OperandSpec, bindings: dict[str, str]) -> int:
    """How many registers the operand has: a number, or what the chosen modifier stands for; 1 where it was left out."""
    if spec.lanes.isdigit():
        return int(spec.lanes)
    name, _, less = spec.lanes.partition("-")
    chosen = bindings.get(name)
    if chosen is None:
        return 1
    return next(segment.counts[chosen] for segment in form.segments if segment.name == name) - int(less or 0)


def _type(name: str, bindings: dict[str, str], own: ScalarType | None) -> ScalarType | None:
    if name == "type":
        return own
    if name == "wide" and own is not None:
        return TYPES[f"{own.kind}{own.bits * 2}"]
    return TYPES.get(bindings.get(name, name))


def _space(form: Form, spec: OperandSpec, bindings: dict[str, str]) -> str:
    """The space that an address lies in: its own, else the one that the form's modifiers name; "" for generic."""
    if spec.space:
        chosen = bindings.get(spec.space, spec.space)
        return "" if chosen == "generic" or chosen == "" else chosen
    for segment in form.segments:
        chosen = bindings.get(segment.name, "")
        if WINDOW.get(chosen, chosen) in ADDRESSABLE:
            return chosen
    return ""


def _operand_type(form: Form, spec: OperandSpec, bindings: dict[str, str], own: ScalarType | None) -> OperandType:
    lanes = _lanes(form, spec, bindings) if spec.lanes else 1
    if spec.kind == "value":
        return OperandType(spec, _type(spec.type, bindings, own), lanes)
    parts: list[OperandType] = []
    for element in spec.elements:
        part = _operand_type(form, element._replace(lanes=""), bindings, own)
        count = lanes if spec.kind == "vector" else _lanes(form, element, bindings) if element.lanes else 1
        parts += [part] * count
    type_ = TYPES.get(spec.type) if spec.kind == "address" else _type(spec.type, bindings, own)
    if spec.kind == "vector":
        return OperandType(spec, parts[0].type, len(parts), tuple(parts))
    space = _space(form, spec, bindings) if spec.kind == "address" else ""
    inside = tuple(_operand_type(form, part, bindings, own) for part in spec.inside if _is_there(part, bindings))
    return OperandType(spec, type_, lanes, tuple(parts), space, inside)


def _is_there(spec: OperandSpec, bindings: dict[str, str]) -> bool:
    """Is the operand there with these modifiers? Some come with one of them only."""
    return not spec.when or any(n == spec.when or c == spec.when for n, c in bindings.items())


def _resolved(form: Form, bindings: dict[str, str]) -> Resolved:
    own = form.type_of(bindings)
    operands = tuple(_operand_type(form, spec, bindings, own) for spec in form.operands if _is_there(spec, bindings))
    conditions = [form.since] + [s.choices[bindings[s.name]] for s in form.segments if s.name in bindings]
    return Resolved(form, bindings, own, operands, tuple(c for c in conditions if c != (ALWAYS,)))


@lru_cache(maxsize=4096)
def resolve(op: str) -> tuple[Resolved, ...]:
    """Every form that an instruction name such as "ld.global.v4.f32" spells; () when it is none of the table's."""
    opcode, *modifiers = op.split(".")
    forms = (form for name in _chapters_of().get(opcode, ()) for form in _chapter(name).spelling(opcode, modifiers))
    bound = ((form, form.bind(modifiers)) for form in forms)
    return tuple(_resolved(form, bindings) for form, bindings in bound if bindings is not None)


_MOST_MODIFIERS = 64
"""No name of the table has so many; a longer one is not tried in every order."""


@lru_cache(maxsize=1024)
def resolve_loosely(op: str) -> tuple[Resolved, ...]:
    """Every form that the name spells the way assemblers read it (`Form.bind_loosely`)."""
    opcode, *modifiers = op.split(".")
    if len(modifiers) > _MOST_MODIFIERS:
        return ()
    bound = ((form, form.bind_loosely(modifiers)) for form in forms_of(opcode))
    return tuple(_resolved(form, bindings) for form, bindings in bound if bindings is not None)


@lru_cache(maxsize=4096)
def traits(op: str) -> frozenset[str]:
    """The traits of the forms that a whole name spells; for those who have no form at hand."""
    return frozenset().union(*(each.form.traits for each in resolve(op)))
