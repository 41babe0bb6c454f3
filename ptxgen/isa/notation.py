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
    reads / writes / orders / converged / barrier / control     its effects (`EFFECTS` says what each means)
    pure / commutes / copy / load / store / atomic / warp / ...     its traits, by which the verifier, the passes and the executor
                                           know what kind of instruction it is (`TRAITS` says what each means)
    lets finite absent                     what assemblers let pass against the manual, which is a warning: a modifier or a set
                                           that may be missing (absent), a modifier too many (extra), an operand of that name
                                           that may be a `vector` of any length that is long enough, of one (`single`) or a
                                           `scalar`, a register of any kind of that width (`bits`) or a `wider` one,
                                           `mixed` elements, the `sink` or have `sinks` in it, a `constant`, a `float`ing
                                           one, `negated`; as a line: for the whole section

Clauses on a `section` line hold for all its rows: `section 9.7.13.10 ; warp`. A line `every pure` holds for all rows behind it.

Syntax is the manual's: `.x` is a set where one has that name, else the modifier itself; `{.x}` may be left out; a set whose
values have several parts writes them with a dot inside: `.kind = b8x16.b6x16_p32`. Operands:

    d p q d2       written; every other name is read
    d_             written, and the sink `_` may stand there (in a vector of destinations it always may)
    a              a register or an immediate of the instruction's type, the last modifier that is one
    a:u32  a:atype  a:wide     of that type; of the type that the set's choice names; twice the instruction's width
    a:u32+         the register may be wider than the type (manual 9.4.1)
    a:b64!         a register of that very type only
    a:b32!&        of that very type, or of .f16x2: a pair of halves
    a:b32~         neither a float register nor a float constant
    a:u32^         a register only
    a:u32%         also a special register
    {d*2:b32=}     no sink among them; where they are read: a register among them, not constants alone
    #a<0..15>      an immediate only, with its range, or <4|8|16> its values; a<0..15> the range of an immediate where a
                   register may stand too; <24..256/8> multiples of 8; <0..15>! says that assemblers refuse what is outside
                   it (else they let it pass), <32..1024/32><../32>! that they refuse what is outside the second
    a.asel:u32     a register with a selector of the set `.asel`, or without (video instructions); -a may be negated there
    [a]            an address in the space that the modifiers name (generic when none does)
    [a@shared]  [a@dst]  [a@generic]             in that space; in the one that the set's choice names; in none
    [a:b32]        in a register of that type (tensor memory); [a:b32+] or a wider one, [a:b32!] untyped
    [a, {c*dim:s32}]  [a, {i:u32, c*3:f32}]      with coordinates; [a{, b}, {c*2:f32}] with or without a sampler before them,
                   [a, b, {c*2:f32}] with one
    [e:b32, o:b64]  [a, g:b64, {z*2:b16}, h:b16, {c*2:s32}]      with parts that have types of their own behind the base, a
                   handle of the fabric where none has braces; [a{.over, g:b64}, {c*2:s32}] with one that a modifier brings
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
from collections.abc import Collection, Sequence
from functools import cache

from driver_ctypes.typing import NamedTuple
from ptxgen.isa.spaces import ADDRESSABLE, WINDOW
from ptxgen.isa.types import TYPES, ScalarType

__all__ = ["ALWAYS", "EFFECTS", "TRAITS", "Availability", "Chapter", "Form", "OperandSpec", "Segment", "parse_chapter"]

EFFECTS = {
    "reads": "reads memory",
    "writes": "writes memory",
    "orders": "orders memory accesses",
    "converged": "all lanes of the warp execute it together",
    "barrier": "threads wait for each other",
    "control": "changes the flow of control",
}
"""What a row does beside computing its results."""

TRAITS = {
    "pure": "computes its results from its operands and does nothing else (but .cc writes the carry flag)",
    "commutes": "its two sources may be exchanged",
    "copy": "its result is its source, perhaps converted to another type or address window",
    "shift": "shifts its first source by the second",
    "division": "divides its first source by the second; integers may not be divided by zero",
    "carry": "reads the carry flag, which no operand names",
    "load": "each thread reads memory at its own address, into registers",
    "store": "each thread writes registers to memory at its own address",
    "atomic": "each thread reads and writes memory at its own address in one step",
    "hint": "advises the caches, and changes no value",
    "warp": "the lanes that a mask names exchange values",
    "repeatable": "not pure, for it involves other lanes, but gives the same result from the same operands",
    "matrix": "part of a matrix product: the lanes of a warp, or several warps, hold fragments of one matrix",
    "rows": "each lane gives the address of a row of 16 bytes of a matrix (manual 9.7.14.5.15)",
    "image": "takes the handle of a texture, a sampler or a surface",
    "stack": "moves or saves the top of the thread's stack",
    "protocol": "one step of several that belong together: asynchronous work and the wait for it, mbarriers, arrivals at "
    "barriers, tensor memory and tensor maps, numbers of registers, dependent grids, the stack",
    "fence": "orders memory accesses and does nothing else",
    "branch": "goes on at a label",
    "ends": "the function ends: nothing behind it is executed",
    "trap": "stops the thread, for a debugger or for good",
    "acts": "has an effect that no other word says: on time, on a debugger, on caches, or what the called function does",
}
"""What kind of instruction a row is. Code asks for these instead of naming opcodes: `form.traits`, `isa.forms.opcodes_with`."""

_LETS = frozenset("absent extra vector single scalar bits wider mixed sink sinks constant float negated".split())


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
    `longest` is the number of dotted parts of the longest modifier; `absent`: assemblers let it be missing.
    """

    name: str
    choices: dict[str, tuple[Availability, ...]]
    optional: bool
    counts: dict[str, int]
    longest: int = 1
    absent: bool = False


class OperandSpec(NamedTuple):
    """One operand of a form. `kind`: value, address, vector, label, symbol, call, immediate, sink.

    `elements` are those of a vector or the coordinates of an address; `lanes` is a number or the set that chooses it;
    `when` is the set or modifier that brings the operand with it; `selector` the set of a video instruction's selectors;
    `space` that of an address which does not take the instruction's; `sampler`: one may stand before the coordinates, or
    has to (`needs_sampler`); `inside`: what else stands between the base of an address and its coordinates;
    `values` are the only immediates that are legal; `register_only`: none is; `exact`: a register of that very type,
    or (`halves`) of .f16x2; `floatless`: no float; `special`: a special register may stand there; `lets` is what
    assemblers let pass; `hard`: (low, high, step) of the constants that they take; `register_among`: not constants alone
    in this vector.
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
    values: Sequence[int] = ()
    when: str = ""
    selector: str = ""
    selectors: tuple[str, ...] = ()
    space: str = ""
    sampler: bool = False
    needs_sampler: bool = False
    inside: tuple[OperandSpec, ...] = ()
    register_only: bool = False
    sink: bool = False
    exact: bool = False
    halves: bool = False
    floatless: bool = False
    special: bool = False
    lets: frozenset[str] = frozenset()
    hard: tuple[int, int, int] | None = None
    register_among: bool = False


Rule = tuple[frozenset[str], frozenset[str]]


class Form:
    """One row: a syntax form of an instruction."""

    __slots__ = (
        "effects", "extra", "opcode", "operands", "rules", "section", "segments", "since", "syntax", "traits", "until",
    )  # fmt: skip

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
        extra: frozenset[str] = frozenset(),
        traits: frozenset[str] = frozenset(),
    ) -> None:
        self.opcode: str = opcode
        self.syntax: str = syntax
        self.segments: tuple[Segment, ...] = segments
        self.operands: tuple[OperandSpec, ...] = operands
        self.since: tuple[Availability, ...] = since
        self.effects: frozenset[str] = effects
        self.section: str = section
        self.rules: tuple[Rule, ...] = rules
        self.until: Availability | None = until
        self.extra: frozenset[str] = extra
        self.traits: frozenset[str] = traits

    def __repr__(self) -> str:
        return f"<{self.syntax}>"

    def bind(self, modifiers: list[str]) -> dict[str, str] | None:
        """The set name -> modifier assignment that spells these modifiers; None when the form cannot spell them."""
        found = _bind(self.segments, 0, modifiers, 0)
        return None if found is None or self.forbids(found.values()) else found

    def bind_loosely(self, modifiers: list[str]) -> dict[str, str] | None:
        """As `bind`, the way assemblers read: modifiers in another order, twice, too many or missing where they let that pass.

        The words of the instruction's own name (`mbarrier.init`, `mul.wide`) keep their places, and types, state spaces,
        layouts and eviction priorities their order among themselves.
        """
        fixed = _name_length(self.opcode, modifiers)
        name, words = modifiers[:fixed], modifiers[:fixed]
        extra = self.extra
        for word in modifiers[fixed:]:
            if word in extra:
                extra = frozenset()  # one too many is let pass, two are not
            elif not (word in words and word in _REPEATABLE):
                words.append(word)
        for split in range(len(self.segments) + 1):
            head = _bind(self.segments[:split], 0, name, 0)
            loose = None if head is None else _bind_any(list(self.segments[split:]), words[fixed:])
            if head is None or loose is None:
                continue
            found = {**head, **loose}
            spelt = [part for s in self.segments if s.name in found for part in found[s.name].split(".")]
            if _name_length(self.opcode, spelt) == fixed:
                return None if self.forbids(found.values()) else found
        return None

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


_NAMES = frozenset(
    """
    applypriority.async.bulk applypriority.async.bulk.tensor bar.arrive bar.cta bar.cta.arrive bar.cta.red bar.red
    bar.warp barrier.arrive barrier.cluster.arrive barrier.cluster.wait barrier.cta barrier.cta.arrive barrier.cta.red
    barrier.red brx.idx clmad.hi clmad.lo clusterlaunchcontrol.query_cancel clusterlaunchcontrol.try_cancel.async
    cp.async cp.async.bulk cp.async.bulk.commit_group cp.async.bulk.prefetch cp.async.bulk.prefetch.tensor
    cp.async.bulk.tensor cp.async.bulk.wait_group cp.async.commit_group cp.async.mbarrier.arrive cp.async.wait_all
    cp.async.wait_group cp.reduce.async.bulk cp.reduce.async.bulk.tensor createpolicy.cvt createpolicy.fractional
    createpolicy.range cvt.pack cvta.to div.full dp2a.hi dp2a.lo fabric.submit fabric.submit.commit_group
    fabric.try_atom.async fabric.try_get.async fabric.try_pullred.async fabric.try_put.async fabric.try_red.async
    fabric.wait fence.proxy mad.hi mad.lo mad.wide mad24.hi mad24.lo madc.hi madc.lo mbarrier.arrive
    mbarrier.arrive.expect_tx mbarrier.arrive_drop mbarrier.arrive_drop.expect_tx mbarrier.check_layout
    mbarrier.complete_tx mbarrier.expect_tx mbarrier.init mbarrier.inval mbarrier.pending_count mbarrier.test_wait
    mbarrier.test_wait.parity mbarrier.try_wait mbarrier.try_wait.parity membar.proxy mul.hi mul.lo mul.wide mul24.hi
    mul24.lo multimem.cp.async.bulk multimem.cp.reduce.async.bulk multimem.ld_reduce multimem.red multimem.red.async
    multimem.st multimem.st.async pmevent.mask red.async setmaxnreg.dec setmaxnreg.inc shf.l shf.r st.async st.bulk
    suld.b sured.b sured.p sust.b sust.p tcgen05.alloc tcgen05.commit tcgen05.cp tcgen05.dealloc tcgen05.fence
    tcgen05.ld tcgen05.ld.red tcgen05.ld.red.spcompress tcgen05.ld.spcompress tcgen05.mma tcgen05.mma.ws
    tcgen05.relinquish_alloc_permit tcgen05.shift tcgen05.st tcgen05.wait::ld tcgen05.wait::st tensormap.cp_fenceproxy
    tensormap.query.alloc_class_large tensormap.replace tex.base tex.grad tex.level trace.mark txq.level
    wgmma.commit_group wgmma.fence wgmma.mma_async wgmma.wait_group wmma.load.a wmma.load.b wmma.load.c wmma.mma
    wmma.store.d
    """.split()
)
"""Instructions whose name has several words: the assembler reads what follows as modifiers."""


def _name_length(opcode: str, modifiers: list[str]) -> int:
    """How many leading modifiers belong to the instruction's name."""
    name, longest = opcode, 0
    for count, word in enumerate(modifiers, 1):
        name = f"{name}.{word}"
        if name in _NAMES:
            longest = count
    return longest


_REPEATABLE = frozenset({"NaN", "approx", "cc", "relu", "sat", "satfinite", "shiftamt", "sync", "uni"})
"""Modifiers that assemblers take twice."""

_SPACES = frozenset({*ADDRESSABLE, *WINDOW})


def _ordered_kind(word: str) -> str:
    """What modifiers keep their order among themselves: types, spaces, operations, layouts, priorities; "" for the rest."""
    if word in TYPES:
        return "type"
    if word in _SPACES:
        return "space"
    if word in ("and", "or", "xor", "popc"):
        return "operation"
    return "layout" if word in ("row", "col") else "priority" if word.startswith("L2::evict") else ""


def _bind_any(segments: list[Segment], modifiers: list[str]) -> dict[str, str] | None:
    """Each modifier to one segment; types among themselves, and spaces, in the order of the segments."""
    if not segments:
        return None if modifiers else {}
    segment = segments[0]
    for word in segment.choices if segment.longest > 1 else ():
        parts = word.split(".")
        others = [other for other in modifiers if other not in parts]
        if [other for other in modifiers if other in parts] == parts:
            found = _bind_any(segments[1:], others)
            if found is not None:
                return {segment.name: word, **found}
    passed: set[str] = set()
    for i, word in enumerate(modifiers):
        kind = _ordered_kind(word)
        if word in segment.choices and not (kind and kind in passed):
            found = _bind_any(segments[1:], [*modifiers[:i], *modifiers[i + 1 :]])
            if found is not None:
                return {segment.name: word, **found}
        passed.add(kind)
    return _bind_any(segments[1:], modifiers) if segment.optional or segment.absent else None


class _Set:
    """A set of modifiers, read when a row of it first is: a chapter has many, and a program needs few."""

    __slots__ = ("_places", "_read", "_text")

    def __init__(self, text: str, places: NamedAvailabilities) -> None:
        self._text = text
        self._places = places
        self._read: tuple[dict[str, tuple[Availability, ...]], dict[str, int], int] | None = None

    def read(self) -> tuple[dict[str, tuple[Availability, ...]], dict[str, int], int]:
        """(modifiers and where each exists, numbers of registers, parts of the longest modifier), as `Segment` has them."""
        if self._read is None:
            self._read = _parse_set(self._text, self._places)
        return self._read


Sets = dict[str, _Set]
NamedAvailabilities = dict[str, tuple[Availability, ...]]

_SEGMENT = re.compile(r"(\{)?\.([\w:]+)(\})?")
_VALUE = re.compile(r"([\w:.]+)(?:\*(\d+))?(?:\(([^)]*)\))?")
_VECTOR_MODIFIER = re.compile(r"[vx](\d+)|(\d)d")
_OPERAND = re.compile(
    r"(?P<imm>\#)?(?P<name>\w+)(?:\.(?P<selector>\w+))?(?:\*(?P<lanes>\w+(?:-\d)?))?(?::(?P<type>\w+))?(?P<marks>(?:[+~^%=]|!&?)*)"
    r"(?P<limits>(?:<[-\d.|/]+>)*)(?P<strict>!)?$"
)
_WRITTEN = re.compile(r"[dpq]\d?_?")
_LIMITS = re.compile(r"<(?:(-?\d*)\.\.(-?\d*)(?:/(\d+))?|(-?\d+(?:\|-?\d+)*))>")
_ANY = 2**63
_ADDRESS = re.compile(r"(?P<name>\w+)(?:@(?P<space>\w+(?:::\w+)*))?(?::(?P<type>\w+)(?P<marks>[+!]*))?$")
_KINDS = frozenset({"label", "symbol", "call"})


def parse_since(text: str, places: NamedAvailabilities | None = None) -> tuple[Availability, ...]:
    """ "7.8 sm_90 or 8.1 sm_89" -> availabilities; the target may be left out; a name of `places` stands for its own."""
    found: list[Availability] = []
    for part in text.split(" or "):
        part = part.strip()
        if places and part in places:
            found += places[part]
            continue
        found.append(_availability(part))
    return tuple(found)


@cache
def _availability(text: str) -> Availability:
    version, _, target = text.partition(" ")
    major, _, minor = version.partition(".")
    match = re.fullmatch(r"sm_(\d+)([af]?)", target.strip() or "sm_10")
    if match is None:
        raise ValueError(f"bad availability {text!r}")
    return Availability((int(major), int(minor)), int(match[1]), match[2])


def _parse_set(
    text: str, places: NamedAvailabilities
) -> tuple[dict[str, tuple[Availability, ...]], dict[str, int], int]:
    choices: dict[str, tuple[Availability, ...]] = {}
    counts: dict[str, int] = {}
    for m in _VALUE.finditer(text):
        name = m[1]
        choices[name] = parse_since(m[3], places) if m[3] else _ALWAYS
        if m[2]:
            counts[name] = int(m[2])
        elif own := _VECTOR_MODIFIER.fullmatch(name):
            counts[name] = int(own[1] or own[2])
    return choices, counts, max([name.count(".") for name in choices]) + 1


@cache
def _itself(modifier: str) -> _Set:
    """The set of one modifier alone, for a place where a row names it."""
    return _Set(modifier, {})


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


@cache
def _parse_operand(text: str, optional: bool, when: str) -> OperandSpec:
    text = text.strip()
    negatable = text.startswith(("!", "-"))
    text = text.lstrip("!-")
    if "|?" in text or ("|" in text and "<" not in text):
        first, _, second = text.partition("|")
        spec = _parse_operand(first, optional, when)
        other = _parse_operand(second.lstrip("?"), False, "")
        return spec._replace(second=other, second_optional=second.startswith("?"))
    if text == "_":
        return OperandSpec("_", "sink", written=True, optional=optional, when=when)
    if text.startswith("["):
        return _parse_address(text)._replace(optional=optional, when=when)
    if text.startswith("{"):
        elements = tuple(_parse_element(part) for part in _split(text[1:-1]))
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
    limits, values, hard = _parse_limits(match["limits"])
    return OperandSpec(
        match["name"].rstrip("_"),
        kind,
        type="type" if match["type"] in _KINDS else match["type"] or "type",
        written=_WRITTEN.fullmatch(match["name"]) is not None and kind == "value",
        optional=optional,
        negatable=negatable,
        wider="+" in match["marks"],
        lanes=match["lanes"] or "",
        range=limits,
        strict=bool(match["strict"]) and hard is None,
        values=values,
        when=when,
        selector=match["selector"] or "",
        register_only="!" in match["marks"] or "^" in match["marks"],
        sink=match["name"].endswith("_"),
        exact="!" in match["marks"],
        halves="&" in match["marks"],
        floatless="~" in match["marks"],
        special="%" in match["marks"],
        hard=hard,
    )


def _parse_limits(text: str) -> tuple[tuple[int, int] | None, Sequence[int], tuple[int, int, int] | None]:
    """ "<0..15>", "<4|8|16>", "<24..256/8>" -> (range, values, the assembler's own (low, high, step) where a second says it)."""
    found = _LIMITS.findall(text)
    own = found[1] if len(found) > 1 else None
    hard = (int(own[0] or -_ANY), int(own[1] or _ANY), int(own[2] or 1)) if own else None
    if not found:
        return None, (), hard
    low, high, step, values = found[0]
    if values:
        return None, tuple(int(value) for value in values.split("|")), hard
    if step:
        return None, range(int(low), int(high) + 1, int(step)), hard
    return (int(low), int(high)), (), hard


def _parse_element(text: str) -> OperandSpec:
    """An element of a vector in braces: the sink may stand there, and constants alone, unless `=` says otherwise."""
    operand, marked = _parse_operand(text, False, ""), "=" in text
    return operand._replace(sink=not marked, register_among=marked and not operand.written)


def _parse_address(text: str) -> OperandSpec:
    inner = text[1:-1].replace("{, b}", "")
    base, *rest = _split(inner)
    match = _ADDRESS.match(base)
    if match is None:
        raise ValueError(f"bad address {text!r}")
    elements: tuple[OperandSpec, ...] = ()
    if rest and rest[-1].startswith("{"):
        elements = tuple(_parse_operand(part, False, "") for part in _split(rest.pop()[1:-1]))
    own = any(":" in part for part in rest)
    return OperandSpec(
        match["name"],
        "address",
        type=match["type"] or "",
        elements=elements,
        wider="+" in (match["marks"] or ""),
        exact="!" in (match["marks"] or ""),
        space=match["space"] or "",
        sampler=len(inner) + 2 < len(text) or (bool(rest) and not own),
        needs_sampler=bool(rest) and not own,
        inside=tuple(_parse_part(part) for part in rest) if own else (),
    )


def _parse_part(text: str) -> OperandSpec:
    """A part of an address; after `?when?` one that is there with a modifier only."""
    _, when, text = text.split("?", 2) if text.startswith("?") else ("", "", text)
    return _parse_operand(text, False, when)


_OPTIONAL = re.compile(r"\{(?:\.([\w:]+))?,\s*((?:[^{}]|\{[^{}]*\})*)\}")


@cache
def _parse_operands(text: str) -> tuple[OperandSpec, ...]:
    text = re.sub(r"\{\|([^}]*)\}", r"|?\1", text.replace("{!}", "!").replace("{-}", "-"))
    text = _OPTIONAL.sub(lambda m: m[0] if m[0] == "{, b}" else f", ?{m[1] or ''}?{m[2]}", text)
    specs = []
    for part in _split(text):
        when, optional = "", False
        if part.startswith("?"):
            _, when, part = part.split("?", 2)
            optional = not when
        specs.append(_parse_operand(part, optional, when))
    return tuple(specs)


# ---- rows ------------------------------------------------------------------------------------------------------------


def _parse_row(line: str, sets: Sets, places: NamedAvailabilities, section: str) -> Form:
    head, *clauses = (part.strip() for part in line.split(";"))
    section, *common = (part.strip() for part in section.split(";"))
    clauses += common
    scope = sets
    since: tuple[Availability, ...] = _ALWAYS
    until: Availability | None = None
    effects, traits = set(), set()
    rules: list[Rule] = []
    lets: dict[str, set[str]] = {}
    for clause in clauses:
        if "=" in clause:
            name, _, values = clause.partition("=")
            scope = {**scope, name.strip(): _Set(values, places)}
        elif clause.startswith("since "):
            since = parse_since(clause[6:], places)
        elif clause.startswith("until "):
            (until,) = parse_since(clause[6:])
        elif clause.startswith("never "):
            first, _, second = clause[6:].partition(" with ")
            rules.append((_modifiers(first, scope), _modifiers(second, scope)))
        elif clause.startswith("lets "):
            *names, what = clause[5:].split()
            if what not in _LETS:
                raise ValueError(f"bad clause {clause!r} in {line!r}")
            lets.setdefault(what, set()).update(names)
        elif clause in EFFECTS:
            effects.add(clause)
        elif clause in TRAITS:
            traits.add(clause)
        elif clause:
            raise ValueError(f"bad clause {clause!r} in {line!r}")
    syntax, _, operands = head.partition(" ")
    opcode = re.split(r"[.{]", syntax, maxsplit=1)[0]
    segments = []
    for match in _SEGMENT.finditer(syntax):
        name = match[2]
        choices, counts, longest = (scope.get(name) or _itself(name)).read()
        absent = name in lets.get("absent", ())
        segments.append(Segment(name, choices, match[1] is not None, counts, longest, absent))
    specs = _parse_operands(operands)
    if lets:
        specs = tuple([_with_lets(spec, lets) for spec in specs])
    if any(spec.selector for spec in specs):
        specs = tuple([s._replace(selectors=tuple(scope[s.selector].read()[0])) if s.selector else s for s in specs])
    extra = _modifiers(" ".join(sorted(lets.get("extra", ()))), scope)
    extra -= {choice for segment in segments for choice in segment.choices}
    return Form(
        opcode, syntax, tuple(segments), specs, since, frozenset(effects), section, tuple(rules), until, extra,
        frozenset(traits),
    )  # fmt: skip


def _with_lets(spec: OperandSpec, lets: dict[str, set[str]]) -> OperandSpec:
    """The operand with what its row lets pass for its name."""
    found = frozenset([what for what, names in lets.items() if spec.name in names])
    if not (found or spec.elements or spec.inside):
        return spec
    elements = tuple([_with_lets(element, lets) for element in spec.elements])
    inside = tuple([_with_lets(part, lets) for part in spec.inside])
    return spec._replace(lets=found, elements=elements, inside=inside)


def _modifiers(text: str, sets: Sets) -> frozenset[str]:
    """The modifiers named, those of a set for a set's name."""
    return frozenset(choice for name in text.split() for choice in (sets[name].read()[0] if name in sets else (name,)))


class Chapter:
    """A chapter's text, split into lines; a row is parsed when it is first asked for."""

    __slots__ = ("_every_set", "_fixed", "_lines", "_parsed", "_places", "_sets", "_sets_with")

    def __init__(self, text: str) -> None:
        self._sets: Sets = {}
        self._places: NamedAvailabilities = {}
        self._lines: dict[str, list[tuple[str, str, Sets]]] = {}
        self._parsed: dict[tuple[str, int], Form] = {}
        self._fixed: dict[tuple[str, int], frozenset[str]] = {}
        self._every_set: list[tuple[str, str]] = []  # (its name with the dot, its text), each that the chapter states
        self._sets_with: dict[str, list[str]] = {}  # by modifier, the names of those whose text has it
        section, every, sets = "", "", self._sets
        for line in text.split("\n"):
            line = line.strip()
            if not line or line[0] == "#":
                continue
            if line.startswith("section "):
                section = line[8:].strip() + every
            elif line.startswith("every "):
                every = f"{every};{line[6:]}"
            elif line.startswith("lets "):
                section = f"{section};{line}"
            elif line.startswith("where "):
                name, _, place = line[6:].partition("=")
                self._places[name.strip()] = parse_since(place, self._places)
            elif line[0] == ".":
                name, _, values = line[1:].partition("=")
                self._every_set.append((f".{name.strip()}", values))
                sets = {**sets, name.strip(): _Set(values, self._places)}  # rows before keep what they saw
            else:
                opcode = _OPCODE.match(line)
                if opcode is None:
                    raise ValueError(f"bad row {line!r}")
                self._lines.setdefault(opcode[0], []).append((line, section, sets))

    @property
    def opcodes(self) -> tuple[str, ...]:
        """The opcodes of the chapter, in its order."""
        return tuple(self._lines)

    def words(self) -> dict[str, frozenset[str]]:
        """Opcode -> the effects and traits of its rows."""
        known = EFFECTS.keys() | TRAITS.keys()
        clauses = {
            opcode: {clause.strip() for line, section, _ in lines for clause in f"{line};{section}".split(";")}
            for opcode, lines in self._lines.items()
        }
        return {opcode: frozenset(stated & known) for opcode, stated in clauses.items()}

    def rows(self, opcode: str) -> tuple[Form, ...]:
        """The rows of one opcode, in order; ValueError names a line that is not in the notation."""
        return tuple([self._row(opcode, place) for place in range(len(self._lines.get(opcode, ())))])

    def spelling(self, opcode: str, modifiers: Collection[str]) -> list[Form]:
        """Those of the rows that may spell these modifiers: the others name one that is not among them, or not one of them."""
        return [
            self._row(opcode, place)
            for place, (line, section, _) in enumerate(self._lines.get(opcode, ()))
            if self._may_have(line, section, modifiers) and self._fixed_of(opcode, place).issubset(modifiers)
        ]

    def _fixed_of(self, opcode: str, place: int) -> frozenset[str]:
        found = self._fixed.get((opcode, place))
        if found is None:
            found = self._fixed[opcode, place] = _fixed_modifiers(*self._lines[opcode][place])
        return found

    def _may_have(self, line: str, section: str, modifiers: Collection[str]) -> bool:
        """Does the text of a row, or that of a set which it names, have each of these modifiers in it?"""
        for modifier in modifiers:
            if modifier in line or modifier in section:
                continue
            named = self._sets_with.get(modifier)
            if named is None:
                named = self._sets_with[modifier] = [name for name, values in self._every_set if modifier in values]
            for name in named:
                if name in line:
                    break
            else:
                return False
        return True

    def _row(self, opcode: str, place: int) -> Form:
        found = self._parsed.get((opcode, place))
        if found is None:
            line, section, sets = self._lines[opcode][place]
            found = self._parsed[opcode, place] = _parse_row(line, sets, self._places, section)
        return found


def _fixed_modifiers(line: str, section: str, sets: Sets) -> frozenset[str]:
    """The modifiers that whatever a row spells has, as far as its text shows without being parsed."""
    head, _, clauses = f"{line};{section}".partition(";")
    if "absent" in clauses:
        return frozenset()
    own = [clause.partition("=")[0].strip() for clause in clauses.split(";")] if "=" in clauses else ()
    found = _SEGMENT.findall(head.partition(" ")[0])
    return frozenset([name for brace, name, _ in found if not brace and name not in own and name not in sets])


_OPCODE = re.compile(r"[a-z]\w*")


def parse_chapter(text: str) -> list[Form]:
    """The rows of a chapter's text, those of an opcode together; ValueError names a line that is not in the notation."""
    chapter = Chapter(text)
    return [form for opcode in chapter.opcodes for form in chapter.rows(opcode)]
