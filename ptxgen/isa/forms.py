"""The table, loaded: from an instruction's dotted name to the forms that spell it.

Chapters are parsed when an opcode of theirs is first asked for; answers are remembered by name.
"""

from __future__ import annotations

import importlib
from functools import cache, lru_cache
from typing import NamedTuple

from ptxgen.isa.notation import ALWAYS, Availability, Form, OperandSpec, parse_chapter
from ptxgen.isa.types import TYPES, ScalarType

__all__ = ["CHAPTERS", "OperandType", "Resolved", "all_forms", "forms_of", "opcodes", "resolve"]

CHAPTERS: dict[str, str] = {
    "integer": "add sub mul mad mul24 mad24 sad div rem abs neg min max popc clz bfind fns brev bfe bfi bmsk szext dp4a dp2a",
    "extended": "addc subc madc",
    "floating": "testp copysign fma rcp sqrt rsqrt sin cos lg2 ex2 tanh",
    "comparison": "set setp selp slct",
    "logic": "and or xor not cnot lop3 shf shl shr prmt",
    "movement": "mov shfl ld ldu st prefetch prefetchu applypriority discard createpolicy isspacep cvta cvt mapa getctarank "
    "cp ldmatrix stmatrix movmatrix",
    "control": "bra brx call ret exit",
    "synchronization": "bar barrier membar fence atom red vote match activemask redux elect griddepcontrol mbarrier",
    "matrix": "mma wgmma",
    "miscellaneous": "trap brkpt nanosleep pmevent setmaxnreg",
}
"""Chapter file in table/ -> the opcodes whose rows it holds. An opcode with rows in two chapters is in the first."""

_CHAPTER_OF: dict[str, str] = {opcode: chapter for chapter, names in CHAPTERS.items() for opcode in names.split()}


class OperandType(NamedTuple):
    """An operand of a resolved form: its row's spec with the type and the number of lanes worked out."""

    spec: OperandSpec
    type: ScalarType | None
    lanes: int


class Resolved(NamedTuple):
    """A form with its modifiers chosen. `since`: one of the inner availabilities of every entry must hold."""

    form: Form
    bindings: dict[str, str]
    type: ScalarType | None
    operands: tuple[OperandType, ...]
    since: tuple[tuple[Availability, ...], ...]


@cache
def _chapter(name: str) -> dict[str, list[Form]]:
    module = importlib.import_module(f"ptxgen.isa.table.{name}")
    by_opcode: dict[str, list[Form]] = {}
    for form in parse_chapter(module.ROWS):
        by_opcode.setdefault(form.opcode, []).append(form)
    return by_opcode


def opcodes() -> tuple[str, ...]:
    """Every opcode of the table, in the manual's order."""
    return tuple(_CHAPTER_OF)


def forms_of(opcode: str) -> tuple[Form, ...]:
    """The rows of an opcode, in the table's order; () when there is no such instruction."""
    chapter = _CHAPTER_OF.get(opcode)
    return tuple(_chapter(chapter).get(opcode, ())) if chapter else ()


def all_forms() -> tuple[Form, ...]:
    """Every row of the table, in the manual's order."""
    return tuple(form for opcode in _CHAPTER_OF for form in forms_of(opcode))


def _operand_type(form: Form, spec: OperandSpec, bindings: dict[str, str], own: ScalarType | None) -> OperandType:
    wanted = spec.type
    type_: ScalarType | None
    if wanted == "type":
        type_ = own
    elif wanted == "wide" and own is not None:
        type_ = TYPES[f"{own.kind}{own.bits * 2}"]
    elif wanted in bindings:
        type_ = TYPES.get(bindings[wanted])
    else:
        type_ = TYPES.get(wanted)
    lanes = 1
    if spec.lanes:
        lanes = int(spec.lanes) if spec.lanes.isdigit() else int(bindings.get(spec.lanes, "v1").lstrip("vx"))
    return OperandType(spec, type_, lanes)


@lru_cache(maxsize=4096)
def resolve(op: str) -> tuple[Resolved, ...]:
    """Every form that an instruction name such as "ld.global.v4.f32" spells; () when it is none of the table's."""
    opcode, *modifiers = op.split(".")
    found = []
    for form in forms_of(opcode):
        bindings = form.bind(modifiers)
        if bindings is None:
            continue
        own = form.type_of(bindings)
        operands = tuple(_operand_type(form, spec, bindings, own) for spec in form.operands)
        conditions = [form.since] + [s.choices[bindings[s.name]] for s in form.segments if s.name in bindings]
        since = tuple(c for c in conditions if c != (ALWAYS,))
        found.append(Resolved(form, bindings, own, operands, since))
    return tuple(found)
