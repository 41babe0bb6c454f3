"""The table, loaded: from an instruction's dotted name to the forms that spell it.

Chapters are parsed when an opcode of theirs is first asked for; answers are remembered by name.
"""

from __future__ import annotations

import importlib
from functools import cache, lru_cache
from typing import NamedTuple

from ptxgen.isa.notation import ALWAYS, Availability, Chapter, Form, OperandSpec
from ptxgen.isa.spaces import ADDRESSABLE, WINDOW
from ptxgen.isa.types import TYPES, ScalarType

__all__ = ["CHAPTERS", "OperandType", "Resolved", "all_forms", "forms_of", "opcodes", "resolve", "resolve_loosely"]

CHAPTERS: dict[str, str] = {
    "integer": "add sub mul mad mul24 mad24 sad div rem abs neg min max popc clz bfind fns brev bfe bfi bmsk szext dp4a dp2a "
    "clmad",
    "extended": "addc subc madc",
    "floating": "testp copysign fma rcp sqrt rsqrt sin cos lg2 ex2 tanh",
    "comparison": "set setp selp slct",
    "logic": "and or xor not cnot lop3 shf shl shr prmt",
    "movement": "mov shfl ld ldu st prefetch prefetchu applypriority discard createpolicy isspacep cvta cvt mapa getctarank "
    "cp ldmatrix stmatrix movmatrix",
    "fabric": "fabric",
    "sparse": "spcompress spdecompress",
    "bulk": "multimem tensormap st red cp applypriority",
    "control": "bra brx call ret exit",
    "synchronization": "bar barrier membar fence atom red vote match activemask redux elect griddepcontrol mbarrier "
    "clusterlaunchcontrol",
    "wmma": "wmma",
    "matrix": "mma",
    "wgmma": "wgmma",
    "tcgen05": "tcgen05",
    "tcgen05_mma": "tcgen05",
    "texture": "tex tld4 txq istypep",
    "surface": "suld sust sured suq",
    "stack": "stacksave stackrestore alloca",
    "video": "vadd vsub vabsdiff vmin vmax vshl vshr vmad vset vadd2 vsub2 vavrg2 vabsdiff2 vmin2 vmax2"
    " vset2 vadd4 vsub4 vavrg4 vabsdiff4 vmin4 vmax4 vset4",
    "miscellaneous": "trap brkpt nanosleep pmevent setmaxnreg trace",
}
"""Chapter file in table/ -> the opcodes whose rows it holds; an opcode may have rows in several."""

_CHAPTERS_OF: dict[str, tuple[str, ...]] = {}
for _chapter_name, _names in CHAPTERS.items():
    for _opcode in _names.split():
        _CHAPTERS_OF[_opcode] = (*_CHAPTERS_OF.get(_opcode, ()), _chapter_name)


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
def _chapter(name: str) -> Chapter:
    return Chapter(importlib.import_module(f"ptxgen.isa.table.{name}").ROWS)


def opcodes() -> tuple[str, ...]:
    """Every opcode of the table, in the manual's order."""
    return tuple(_CHAPTERS_OF)


def forms_of(opcode: str) -> tuple[Form, ...]:
    """The rows of an opcode, in the table's order; () when there is no such instruction."""
    return tuple(form for chapter in _CHAPTERS_OF.get(opcode, ()) for form in _chapter(chapter).rows(opcode))


def all_forms() -> tuple[Form, ...]:
    """Every row of the table, in the manual's order."""
    return tuple(form for opcode in _CHAPTERS_OF for form in forms_of(opcode))


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
    bound = ((form, form.bind(modifiers)) for form in forms_of(opcode))
    return tuple(_resolved(form, bindings) for form, bindings in bound if bindings is not None)


@lru_cache(maxsize=1024)
def resolve_loosely(op: str) -> tuple[Resolved, ...]:
    """Every form that the name spells the way assemblers read it (`Form.bind_loosely`)."""
    opcode, *modifiers = op.split(".")
    bound = ((form, form.bind_loosely(modifiers)) for form in forms_of(opcode))
    return tuple(_resolved(form, bindings) for form, bindings in bound if bindings is not None)
