"""The notation of the table's rows, and what a row becomes.

A chapter is a text. A line of it is one of

    # comment
    section 9.7.1.1                        the manual's section of the rows that follow
    .rnd = rn rz rm rp                     a set of modifiers; a value may say where it exists: cluster(7.8 sm_90)
    add{.rnd}{.ftz}.f32   d, a, b          a row: syntax, operands, and clauses after semicolons

and a row's clauses are

    type = u16 u32                         a set for this row only
    since 7.8 sm_90 or 8.1 sm_89           where the form exists; "sm_90a" this architecture only, "sm_100f" its family
    reads / writes / orders / converged / barrier / control     its effects

Syntax is the manual's: `.x` is a set where one has that name, else the modifier itself; `{.x}` may be left out. Operands:

    d p q          written when the name starts with d, p or q; every other name is read
    a              a register or an immediate of the instruction's type, the last modifier that is one
    a:u32  a:atype  a:wide     of that type; of the type that the set's choice names; twice the instruction's width
    a:u32+         the register may be wider than the type (manual 9.4.1)
    #a<0..15>      an immediate only, with its range; a<0..15> the range of an immediate where a register may stand too;
                   <0..15>! says that an assembler refuses what is outside it (others let it pass)
    [a]            an address in the space that the modifiers name (generic when none does)
    {a*4:b32}      a vector of four; d*vec as many as the `.vec` modifier says (one, unbraced, without it)
    {, b}  {!}c  d{|p:pred}  d|p:pred      optional; may be negated; an optional and a required second result
    :label :symbol :call       what is not a register: `symbol` also takes the address of a variable
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ptxgen.isa.types import TYPES, ScalarType

__all__ = ["Availability", "Form", "OperandSpec", "Segment", "parse_chapter"]

EFFECTS = frozenset({"reads", "writes", "orders", "converged", "barrier", "control"})


class Availability(NamedTuple):
    """Exists from PTX `version` on, on targets that provide `sm_<sm><suffix>`."""

    version: tuple[int, int]
    sm: int
    suffix: str = ""

    def __str__(self) -> str:
        return f"PTX {self.version[0]}.{self.version[1]} and sm_{self.sm}{self.suffix}" + (
            "" if self.suffix else " or newer"
        )


ALWAYS = Availability((1, 0), 10)


class Segment(NamedTuple):
    """One modifier position: the modifiers that may stand there and where each exists."""

    name: str
    choices: dict[str, tuple[Availability, ...]]
    optional: bool


class OperandSpec(NamedTuple):
    """One operand of a form. `kind`: value, address, vector, label, symbol, call, immediate."""

    name: str
    kind: str
    type: str = "type"
    written: bool = False
    optional: bool = False
    negatable: bool = False
    wider: bool = False
    lanes: str = ""
    range: tuple[int, int] | None = None
    strict: bool = False
    second: OperandSpec | None = None
    second_optional: bool = False
    elements: tuple[OperandSpec, ...] = ()


class Form:
    """One row: a syntax form of an instruction."""

    __slots__ = ("effects", "opcode", "operands", "section", "segments", "since", "syntax")

    def __init__(
        self,
        opcode: str,
        syntax: str,
        segments: tuple[Segment, ...],
        operands: tuple[OperandSpec, ...],
        since: tuple[Availability, ...],
        effects: frozenset[str],
        section: str,
    ) -> None:
        self.opcode = opcode
        self.syntax = syntax
        self.segments = segments
        self.operands = operands
        self.since = since
        self.effects = effects
        self.section = section

    def __repr__(self) -> str:
        return f"<{self.syntax}>"

    def bind(self, modifiers: list[str]) -> dict[str, str] | None:
        """The set name -> modifier assignment that spells these modifiers; None when the form cannot spell them."""
        return _bind(self.segments, 0, modifiers, 0)

    def type_of(self, bindings: dict[str, str]) -> ScalarType | None:
        """The instruction's type: the last bound modifier that names one."""
        found = None
        for segment in self.segments:
            chosen = bindings.get(segment.name)
            if chosen in TYPES:
                found = TYPES[chosen]
        return found


def _bind(segments: tuple[Segment, ...], i: int, modifiers: list[str], j: int) -> dict[str, str] | None:
    if i == len(segments):
        return {} if j == len(modifiers) else None
    segment = segments[i]
    if j < len(modifiers) and modifiers[j] in segment.choices:
        rest = _bind(segments, i + 1, modifiers, j + 1)
        if rest is not None:
            rest[segment.name] = modifiers[j]
            return rest
    return _bind(segments, i + 1, modifiers, j) if segment.optional else None


Sets = dict[str, dict[str, tuple[Availability, ...]]]

_SEGMENT = re.compile(r"(\{)?\.([\w:]+)(\})?")
_VALUE = re.compile(r"([\w:]+)(?:\(([^)]*)\))?")
_OPERAND = re.compile(
    r"(?P<imm>\#)?(?P<name>\w+)(?:\*(?P<lanes>\w+))?(?::(?P<type>\w+)(?P<wider>\+)?)?(?:<(?P<lo>-?\d+)\.\.(?P<hi>-?\d+)>(?P<hard>!)?)?$"
)
_KINDS = frozenset({"label", "symbol", "call"})


def parse_since(text: str) -> tuple[Availability, ...]:
    """ "7.8 sm_90 or 8.1 sm_89" -> availabilities; the target may be left out."""
    found = []
    for part in text.split(" or "):
        version, _, target = part.strip().partition(" ")
        major, _, minor = version.partition(".")
        match = re.fullmatch(r"sm_(\d+)([af]?)", target.strip() or "sm_10")
        if match is None:
            raise ValueError(f"bad availability {text!r}")
        found.append(Availability((int(major), int(minor)), int(match[1]), match[2]))
    return tuple(found)


def _parse_set(text: str) -> dict[str, tuple[Availability, ...]]:
    return {m[1]: parse_since(m[2]) if m[2] else (ALWAYS,) for m in _VALUE.finditer(text)}


def _parse_operand(text: str, optional: bool) -> OperandSpec:
    text = text.strip()
    negatable = text.startswith("!")
    text = text.lstrip("!")
    if "|" in text:
        first, _, second = text.partition("|")
        spec = _parse_operand(first, optional)
        return spec._replace(second=_parse_operand(second.lstrip("?"), False), second_optional=second.startswith("?"))
    if text.startswith("["):
        inner = text[1:-1]
        return OperandSpec(inner, "address", written=False, optional=optional)
    if text.startswith("{"):
        elements = tuple(_parse_operand(part, False) for part in text[1:-1].split(","))
        if len(elements) == 1 and elements[0].lanes.isdigit():
            elements = tuple(elements[0]._replace(lanes="") for _ in range(int(elements[0].lanes)))
        return OperandSpec(
            elements[0].name, "vector", written=elements[0].written, elements=elements, optional=optional
        )
    match = _OPERAND.match(text)
    if match is None:
        raise ValueError(f"bad operand {text!r}")
    kind = match["type"] if match["type"] in _KINDS else "immediate" if match["imm"] else "value"
    return OperandSpec(
        match["name"],
        kind,
        type="type" if match["type"] in _KINDS else match["type"] or "type",
        written=match["name"][0] in "dpq" and kind == "value",
        optional=optional,
        negatable=negatable,
        wider=bool(match["wider"]),
        lanes=match["lanes"] or "",
        range=(int(match["lo"]), int(match["hi"])) if match["lo"] else None,
        strict=bool(match["hard"]),
    )


def _parse_operands(text: str) -> tuple[OperandSpec, ...]:
    text = re.sub(r"\{\|([^}]*)\}", r"|?\1", text.replace("{!}", "!"))
    text = re.sub(r"\{,\s*([^}]*)\}", r", ?\1", text)
    specs = []
    for part in re.split(r",(?![^{\[]*[}\]])", text):
        part = part.strip()
        if part:
            specs.append(_parse_operand(part.lstrip("?"), part.startswith("?")))
    return tuple(specs)


def _parse_row(line: str, sets: Sets, section: str) -> Form:
    head, *clauses = (part.strip() for part in line.split(";"))
    local: Sets = {}
    since: tuple[Availability, ...] = (ALWAYS,)
    effects = set()
    for clause in clauses:
        if "=" in clause:
            name, _, values = clause.partition("=")
            local[name.strip()] = _parse_set(values)
        elif clause.startswith("since "):
            since = parse_since(clause[6:])
        elif clause in EFFECTS:
            effects.add(clause)
        elif clause:
            raise ValueError(f"bad clause {clause!r} in {line!r}")
    syntax, _, operands = head.partition(" ")
    opcode = re.split(r"[.{]", syntax, maxsplit=1)[0]
    segments = []
    for match in _SEGMENT.finditer(syntax):
        name = match[2]
        choices = local.get(name) or sets.get(name) or {name: (ALWAYS,)}
        segments.append(Segment(name, choices, match[1] is not None))
    return Form(opcode, syntax, tuple(segments), _parse_operands(operands), since, frozenset(effects), section)


def parse_chapter(text: str) -> list[Form]:
    """The rows of a chapter's text, in order; ValueError names a line that is not in the notation."""
    sets: Sets = {}
    section = ""
    forms = []
    for line in text.split("\n"):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        if line.startswith("section "):
            section = line[8:].strip()
        elif line.startswith("."):
            name, _, values = line[1:].partition("=")
            sets[name.strip()] = _parse_set(values)
        else:
            forms.append(_parse_row(line, sets, section))
    return forms
