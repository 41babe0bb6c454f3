"""The notation of the table's rows, and what a row becomes.

A chapter is a text. A line of it is one of

    # comment
    section 9.7.1.1                        the manual's section of the rows that follow
    .rnd = rn rz rm rp                     a set of modifiers; a value may say where it exists: cluster(7.8 sm_90), and how
                                           many registers it stands for: v4*4, m64n8k16*4
    where hopper = 8.0 sm_90a              a name for an availability: `since hopper`, `x2(hopper)`
    add{.rnd}{.ftz}.f32   d, a, b          a row: syntax, operands, and clauses after semicolons

and a row's clauses are

    type = u16 u32                         a set for this row only
    since 7.8 sm_90 or 8.1 sm_89           where the form exists; "sm_90a" this architecture only, "sm_100f" its family
    until 6.3 sm_70                        the last PTX version that has it on that target and newer ones
    never ftz sat with f64 f16             none of the first modifiers together with one of the second; a set's name stands
                                           for all that is in it
    reads / writes / orders / converged / barrier / control     its effects

Syntax is the manual's: `.x` is a set where one has that name, else the modifier itself; `{.x}` may be left out; a set whose
values have several parts writes them with a dot inside: `.kind = b8x16.b6x16_p32`. Operands:

    d p q          written when the name starts with d, p or q; every other name is read
    d_             written, and the sink `_` may stand there (in a vector of destinations it always may)
    a              a register or an immediate of the instruction's type, the last modifier that is one
    a:u32  a:atype  a:wide     of that type; of the type that the set's choice names; twice the instruction's width
    a:u32+         the register may be wider than the type (manual 9.4.1)
    a:b64!         a register of that very type only
    #a<0..15>      an immediate only, with its range, or <4|8|16> its values; a<0..15> the range of an immediate where a
                   register may stand too; <0..15>! says that an assembler refuses what is outside it (others let it pass)
    a.asel:u32     a register with a selector of the set `.asel`, or without (video instructions); -a may be negated there
    [a]            an address in the space that the modifiers name (generic when none does)
    [a@shared]  [a@dst]  [a@generic]             in that space; in the one that the set's choice names; in none
    [a:b32]        in a register of that type (tensor memory)
    [a, {c*dim:s32}]  [a, {i:u32, c*3:f32}]      with coordinates; [a{, b}, {c*2:f32}] with or without a sampler before them
    {a*4:b32}      a vector of four, {a*num:b32} as many as the modifier of the set `.num` stands for, {a*num-2:b32} two less,
                   {a:s32, b:f32} of two types
    d*vec          as many as the `.vec` modifier says; unbraced when that is one
    {, b}  {!}c  d{|p:pred}  d|p:pred      optional; may be negated; an optional and a required second result
    {.hint, b:b64}                         an operand that is there exactly when the modifier of that set or name is
    _              the sink and nothing else
    :label :symbol :call       what is not a register: `symbol` also takes the address of a variable
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ptxgen.isa.spaces import ADDRESSABLE, WINDOW
from ptxgen.isa.types import TYPES, ScalarType

__all__ = ["ALWAYS", "Availability", "Chapter", "Form", "OperandSpec", "Segment", "parse_chapter"]

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
_ALWAYS = (ALWAYS,)


class Segment(NamedTuple):
    """One modifier position: the modifiers that may stand there and where each exists.

    `counts` says for how many registers a modifier stands, where the table says so or the modifier's own name does (v4).
    `longest` is the number of dotted parts of the longest modifier.
    """

    name: str
    choices: dict[str, tuple[Availability, ...]]
    optional: bool
    counts: dict[str, int]
    longest: int = 1


class OperandSpec(NamedTuple):
    """One operand of a form. `kind`: value, address, vector, label, symbol, call, immediate, sink.

    `elements` are those of a vector or the coordinates of an address; `lanes` is a number or the set that chooses it;
    `when` is the set or modifier that brings the operand with it; `selector` the set of a video instruction's selectors;
    `space` that of an address which does not take the instruction's; `sampler`: one may stand before the coordinates;
    `values` are the only immediates that are legal.
    """

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
    values: tuple[int, ...] = ()
    when: str = ""
    selector: str = ""
    selectors: tuple[str, ...] = ()
    space: str = ""
    sampler: bool = False
    register_only: bool = False
    sink: bool = False


Rule = tuple[frozenset[str], frozenset[str]]


class Form:
    """One row: a syntax form of an instruction."""

    __slots__ = ("effects", "opcode", "operands", "rules", "section", "segments", "since", "syntax", "until")

    def __init__(
        self,
        opcode: str,
        syntax: str,
        segments: tuple[Segment, ...],
        operands: tuple[OperandSpec, ...],
        since: tuple[Availability, ...],
        effects: frozenset[str],
        section: str,
        rules: tuple[Rule, ...] = (),
        until: Availability | None = None,
    ) -> None:
        self.opcode = opcode
        self.syntax = syntax
        self.segments = segments
        self.operands = operands
        self.since = since
        self.effects = effects
        self.section = section
        self.rules = rules
        self.until = until

    def __repr__(self) -> str:
        return f"<{self.syntax}>"

    def bind(self, modifiers: list[str]) -> dict[str, str] | None:
        """The set name -> modifier assignment that spells these modifiers; None when the form cannot spell them."""
        found = _bind(self.segments, 0, modifiers, 0)
        return None if found is None or self.forbids(found.values()) else found

    def bind_in_any_order(self, modifiers: list[str]) -> dict[str, str] | None:
        """As `bind`, with the modifiers in another order, which assemblers take.

        They keep the words that belong to the instruction's own name (`mbarrier.init`, `mul.wide`) and the order of
        types and of state spaces among themselves.
        """
        fixed = self._name_length()
        head, rest = list(self.segments[:fixed]), list(self.segments[fixed:])
        for length in range(fixed + 1):
            found = _bind(tuple(head), 0, modifiers[:length], 0)
            if found is None:
                continue
            loose = _bind_any(rest, modifiers[length:])
            if loose is not None and not self.forbids([*found.values(), *loose.values()]):
                return {**found, **loose}
        return None

    def _name_length(self) -> int:
        """How many leading segments are part of the instruction's name and stay where they are."""
        first = self.segments[0].choices if self.segments else {}
        if _WIDTHS.issuperset(first):
            return 1
        if self.opcode in ("bar", "barrier"):
            return 2
        count = 0
        for segment in self.segments:
            literal = len(segment.choices) == 1 and not segment.optional
            if not literal or segment.name in _NOT_NAME or segment.name in TYPES:
                break
            count += 1
        return count

    def forbids(self, chosen: object) -> bool:
        """Does a `never` clause exclude these modifiers together?"""
        if not self.rules:
            return False
        names = frozenset(chosen)  # type: ignore[call-overload]
        return any(names & first and names & second for first, second in self.rules)

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
    for length in range(segment.longest, 0, -1):
        word = modifiers[j] if length == 1 and j < len(modifiers) else ".".join(modifiers[j : j + length])
        if word in segment.choices:
            rest = _bind(segments, i + 1, modifiers, j + word.count(".") + 1)
            if rest is not None:
                rest[segment.name] = word
                return rest
    return _bind(segments, i + 1, modifiers, j) if segment.optional else None


_WIDTHS = frozenset({"hi", "lo", "wide"})
_NOT_NAME = frozenset(
    {
        "sync",
        "aligned",
        "sat",
        "cc",
        "ca",
        "cg",
        "cluster",
        "mbarrier_init",
        "global",
        "shared",
        "rn",
        "relaxed",
        "approx",
        "noftz",
        "v2",
        "v4",
        "volatile",
        "mmio",
    }
    | {"2d", "3d", "a1d", "a2d", "cube", "acube", "all", "any", "tile", "acquire", "release", "tensormap::generic"}
)
_SPACES = frozenset({*ADDRESSABLE, *WINDOW})


def _ordered_kind(word: str) -> str:
    """What modifiers keep their order among themselves: types, spaces, layouts, eviction priorities; "" for the rest."""
    if word in TYPES:
        return "type"
    if word in _SPACES:
        return "space"
    return "layout" if word in ("row", "col") else "priority" if word.startswith("L2::evict") else ""


def _bind_any(segments: list[Segment], modifiers: list[str]) -> dict[str, str] | None:
    """Each modifier to one segment; types among themselves, and spaces, in the order of the segments."""
    if not segments:
        return None if modifiers else {}
    segment = segments[0]
    passed: set[str] = set()
    for i, word in enumerate(modifiers):
        kind = _ordered_kind(word)
        if word in segment.choices and not (kind and kind in passed):
            found = _bind_any(segments[1:], [*modifiers[:i], *modifiers[i + 1 :]])
            if found is not None:
                return {segment.name: word, **found}
        passed.add(kind)
    return _bind_any(segments[1:], modifiers) if segment.optional else None


class _Set(NamedTuple):
    choices: dict[str, tuple[Availability, ...]]
    counts: dict[str, int]


Sets = dict[str, _Set]
Places = dict[str, tuple[Availability, ...]]

_SEGMENT = re.compile(r"(\{)?\.([\w:]+)(\})?")
_VALUE = re.compile(r"([\w:.]+)(?:\*(\d+))?(?:\(([^)]*)\))?")
_VECTOR_MODIFIER = re.compile(r"[vx](\d+)|(\d)d")
_OPERAND = re.compile(
    r"(?P<imm>\#)?(?P<name>\w+)(?:\.(?P<selector>\w+))?(?:\*(?P<lanes>\w+(?:-\d)?))?(?::(?P<type>\w+)(?P<wider>\+)?(?P<only>!)?)?"
    r"(?:<(?:(?P<lo>-?\d+)\.\.(?P<hi>-?\d+)|(?P<values>-?\d+(?:\|-?\d+)*))>(?P<hard>!)?)?$"
)
_ADDRESS = re.compile(r"(?P<name>\w+)(?:@(?P<space>[\w:]+))?(?::(?P<type>\w+))?$")
_KINDS = frozenset({"label", "symbol", "call"})


def parse_since(text: str, places: Places | None = None) -> tuple[Availability, ...]:
    """ "7.8 sm_90 or 8.1 sm_89" -> availabilities; the target may be left out; a name of `places` stands for its own."""
    found: list[Availability] = []
    for part in text.split(" or "):
        part = part.strip()
        if places and part in places:
            found += places[part]
            continue
        version, _, target = part.partition(" ")
        major, _, minor = version.partition(".")
        match = re.fullmatch(r"sm_(\d+)([af]?)", target.strip() or "sm_10")
        if match is None:
            raise ValueError(f"bad availability {text!r}")
        found.append(Availability((int(major), int(minor)), int(match[1]), match[2]))
    return tuple(found)


def _parse_set(text: str, places: Places) -> _Set:
    choices: dict[str, tuple[Availability, ...]] = {}
    counts: dict[str, int] = {}
    for m in _VALUE.finditer(text):
        name = m[1]
        choices[name] = parse_since(m[3], places) if m[3] else _ALWAYS
        if m[2]:
            counts[name] = int(m[2])
        elif own := _VECTOR_MODIFIER.fullmatch(name):
            counts[name] = int(own[1] or own[2])
    return _Set(choices, counts)


# ---- operands --------------------------------------------------------------------------------------------------------


def _split(text: str) -> list[str]:
    """At commas outside of brackets."""
    parts, depth, start = [], 0, 0
    for i, sign in enumerate(text):
        if sign in "[{(":
            depth += 1
        elif sign in "]})":
            depth -= 1
        elif sign == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    parts.append(text[start:])
    return [part.strip() for part in parts if part.strip()]


def _parse_operand(text: str, optional: bool, when: str, sets: Sets) -> OperandSpec:
    text = text.strip()
    negatable = text.startswith(("!", "-"))
    text = text.lstrip("!-")
    if "|?" in text or ("|" in text and "<" not in text):
        first, _, second = text.partition("|")
        spec = _parse_operand(first, optional, when, sets)
        other = _parse_operand(second.lstrip("?"), False, "", sets)
        return spec._replace(second=other, second_optional=second.startswith("?"))
    if text == "_":
        return OperandSpec("_", "sink", written=True, optional=optional, when=when)
    if text.startswith("["):
        return _parse_address(text, sets)._replace(optional=optional, when=when)
    if text.startswith("{"):
        elements = tuple(_parse_operand(part, False, "", sets)._replace(sink=True) for part in _split(text[1:-1]))
        lanes = elements[0].lanes
        if len(elements) == 1 and lanes:
            elements = (elements[0]._replace(lanes=""),) * (int(lanes) if lanes.isdigit() else 1)
        return OperandSpec(
            elements[0].name,
            "vector",
            written=elements[0].written,
            optional=optional,
            lanes="" if lanes.isdigit() else lanes,
            elements=elements,
            when=when,
        )
    match = _OPERAND.match(text)
    if match is None:
        raise ValueError(f"bad operand {text!r}")
    kind = match["type"] if match["type"] in _KINDS else "immediate" if match["imm"] else "value"
    selector = match["selector"] or ""
    return OperandSpec(
        match["name"].rstrip("_"),
        kind,
        type="type" if match["type"] in _KINDS else match["type"] or "type",
        written=match["name"][0] in "dpq" and kind == "value",
        optional=optional,
        negatable=negatable,
        wider=bool(match["wider"]),
        lanes=match["lanes"] or "",
        range=(int(match["lo"]), int(match["hi"])) if match["lo"] else None,
        strict=bool(match["hard"]),
        values=tuple(int(v) for v in match["values"].split("|")) if match["values"] else (),
        when=when,
        selector=selector,
        selectors=tuple(sets[selector].choices) if selector else (),
        register_only=bool(match["only"]),
        sink=match["name"].endswith("_"),
    )


def _parse_address(text: str, sets: Sets) -> OperandSpec:
    inner = text[1:-1].replace("{, b}", "")
    base, *rest = _split(inner)
    match = _ADDRESS.match(base)
    if match is None:
        raise ValueError(f"bad address {text!r}")
    elements: tuple[OperandSpec, ...] = ()
    if rest:
        elements = tuple(_parse_operand(part, False, "", sets) for part in _split(rest[-1].strip()[1:-1]))
    return OperandSpec(
        match["name"],
        "address",
        type=match["type"] or "",
        elements=elements,
        space=match["space"] or "",
        sampler=len(inner) + 2 < len(text),
    )


_OPTIONAL = re.compile(r"\{(?:\.([\w:]+))?,\s*((?:[^{}]|\{[^{}]*\})*)\}")


def _parse_operands(text: str, sets: Sets) -> tuple[OperandSpec, ...]:
    text = re.sub(r"\{\|([^}]*)\}", r"|?\1", text.replace("{!}", "!").replace("{-}", "-"))
    text = _OPTIONAL.sub(lambda m: m[0] if m[0] == "{, b}" else f", ?{m[1] or ''}?{m[2]}", text)
    specs = []
    for part in _split(text):
        when, optional = "", False
        if part.startswith("?"):
            _, when, part = part.split("?", 2)
            optional = not when
        specs.append(_parse_operand(part, optional, when, sets))
    return tuple(specs)


# ---- rows ------------------------------------------------------------------------------------------------------------


def _parse_row(line: str, sets: Sets, places: Places, section: str) -> Form:
    head, *clauses = (part.strip() for part in line.split(";"))
    scope = dict(sets)
    since: tuple[Availability, ...] = _ALWAYS
    until: Availability | None = None
    effects = set()
    rules: list[Rule] = []
    for clause in clauses:
        if "=" in clause:
            name, _, values = clause.partition("=")
            scope[name.strip()] = _parse_set(values, places)
        elif clause.startswith("since "):
            since = parse_since(clause[6:], places)
        elif clause.startswith("until "):
            (until,) = parse_since(clause[6:])
        elif clause.startswith("never "):
            first, _, second = clause[6:].partition(" with ")
            rules.append((_modifiers(first, scope), _modifiers(second, scope)))
        elif clause in EFFECTS:
            effects.add(clause)
        elif clause:
            raise ValueError(f"bad clause {clause!r} in {line!r}")
    syntax, _, operands = head.partition(" ")
    opcode = re.split(r"[.{]", syntax, maxsplit=1)[0]
    segments = []
    for match in _SEGMENT.finditer(syntax):
        name = match[2]
        known = scope.get(name) or _parse_set(name, places)
        longest = max(choice.count(".") for choice in known.choices) + 1
        segments.append(Segment(name, known.choices, match[1] is not None, known.counts, longest))
    return Form(
        opcode, syntax, tuple(segments), _parse_operands(operands, scope), since, frozenset(effects), section,
        tuple(rules), until,
    )  # fmt: skip


def _modifiers(text: str, sets: Sets) -> frozenset[str]:
    """The modifiers named, those of a set for a set's name."""
    return frozenset(choice for name in text.split() for choice in (sets[name].choices if name in sets else (name,)))


class Chapter:
    """A chapter's text, split into lines; the rows of an opcode are parsed when they are first asked for."""

    __slots__ = ("_lines", "_places", "_rows", "_sets")

    def __init__(self, text: str) -> None:
        self._sets: Sets = {}
        self._places: Places = {}
        self._lines: dict[str, list[tuple[str, str, Sets]]] = {}
        self._rows: dict[str, tuple[Form, ...]] = {}
        section, sets = "", self._sets
        for line in text.split("\n"):
            line = line.strip()
            if not line or line[0] == "#":
                continue
            if line.startswith("section "):
                section = line[8:].strip()
            elif line.startswith("where "):
                name, _, place = line[6:].partition("=")
                self._places[name.strip()] = parse_since(place, self._places)
            elif line[0] == ".":
                name, _, values = line[1:].partition("=")
                sets = {**sets, name.strip(): _parse_set(values, self._places)}  # rows before keep what they saw
            else:
                opcode = _OPCODE.match(line)
                if opcode is None:
                    raise ValueError(f"bad row {line!r}")
                self._lines.setdefault(opcode[0], []).append((line, section, sets))

    @property
    def opcodes(self) -> tuple[str, ...]:
        """The opcodes of the chapter, in its order."""
        return tuple(self._lines)

    def rows(self, opcode: str) -> tuple[Form, ...]:
        """The rows of one opcode, in order; ValueError names a line that is not in the notation."""
        found = self._rows.get(opcode)
        if found is None:
            lines = self._lines.get(opcode, ())
            found = tuple(_parse_row(line, sets, self._places, section) for line, section, sets in lines)
            self._rows[opcode] = found
        return found


_OPCODE = re.compile(r"[a-z]\w*")


def parse_chapter(text: str) -> list[Form]:
    """The rows of a chapter's text, those of an opcode together; ValueError names a line that is not in the notation."""
    chapter = Chapter(text)
    return [form for opcode in chapter.opcodes for form in chapter.rows(opcode)]
