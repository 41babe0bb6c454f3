"""The legal instruction nearest to one that is none: what a finding offers.

The modifiers of an illegal name are laid along the segments of each form of its opcode: what fits stays, a misspelt one is put
right, a missing one filled in, one too many dropped. The cheapest way that gives a name of the table wins; where the operands
are known, one that takes them is preferred.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from itertools import islice, product

from driver_ctypes.typing import TYPE_CHECKING, NamedTuple
from ptxgen.dataflow.matching.operands import match
from ptxgen.ir import Register
from ptxgen.isa.forms import forms_of, opcodes, resolve, resolve_loosely
from ptxgen.isa.suggestions import similar_names
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ptxgen.ir import Operand
    from ptxgen.isa.notation import Form, Segment

__all__ = ["nearest_form", "nearest_instruction"]

_MISSPELT, _MISSING, _EXTRA, _RETYPED, _OTHER = 0.6, 0.9, 1.0, 1.3, 1.8
"""The cost of correcting a modifier, adding one, dropping one, and replacing a type or a modifier by one that is not like it:
the last is more than correcting one (0.2 for the distance) and adding another."""

_USUAL = {name: place for place, name in enumerate(("lo", "rn", "rzi", "sync", "s32", "u32", "f32", "b32", "global"))}
"""What is filled in first where there is a choice."""

_UNFIT, _LOOSE = 0.9, 0.2
"""The cost of a form that does not take the operands, or whose type is narrower than a register."""

_LONGEST = 200
"""The longest name of the table has half as many characters."""

_LOOKED_AT = 10
"""Forms of an opcode that are laid along, those first whose vocabulary is nearest."""

_TRIED = 32
"""Names of one form that are tried, where several modifiers could be filled in."""


class _Laid(NamedTuple):
    """A form along the words: what it costs, and for each segment what may stand there ("" for nothing)."""

    cost: float
    choices: tuple[tuple[str, ...], ...]


def nearest_instruction(op: str, operands: tuple[Operand, ...] = ()) -> str | None:
    """The legal instruction nearest to a name that is none, whether its opcode is known or not; None for a very long one."""
    if len(op) > _LONGEST:
        return None
    return nearest_form(op, operands) if op.partition(".")[0] in opcodes() else _nearest_opcode(op)


@lru_cache(4096)
def nearest_form(op: str, operands: tuple[Operand, ...] = ()) -> str | None:
    """The name of a legal instruction near an illegal one; None where its opcode has no form at all. What ended with an old
    version of PTX is not offered."""
    opcode, *words = op.split(".")
    for found in resolve_loosely(op):  # in another order, or twice
        if _lasts(found.name):
            return found.name
    best: tuple[float, str] | None = None
    for form in _likeliest(opcode, words):
        laid = _lay(form.segments, tuple(words))
        if best is not None and laid.cost >= best[0]:
            continue
        for name in _names(opcode, laid):
            cost = laid.cost + (_misfit(name, operands) if operands else 0.0)
            if best is None or cost < best[0]:
                best = cost, name
    return None if best is None else best[1]


def _lasts(name: str) -> bool:
    """Is it an instruction of today?"""
    return any(found.form.until is None for found in resolve(name))


def _nearest_opcode(op: str) -> str | None:
    """An instruction with an opcode near an unknown one, with its modifiers where those are legal."""
    opcode, _, rest = op.partition(".")
    found = similar_names(opcode, opcodes(), 5)
    if not found:
        return None
    found.sort(key=lambda name: not resolve(f"{name}.{rest}" if rest else name))
    whole = f"{found[0]}.{rest}" if rest else found[0]
    return whole if resolve(whole) else found[0]


def _likeliest(opcode: str, words: list[str]) -> list[Form]:
    """The forms whose modifiers have most in common with the words."""

    def distance(form: Form) -> float:
        known, needed = _vocabulary(form)
        unknown = sum(word not in known for word in words)
        return unknown + 0.9 * sum(words_of.isdisjoint(words) for words_of in needed)

    return sorted((form for form in forms_of(opcode) if form.until is None), key=distance)[:_LOOKED_AT]


@cache
def _vocabulary(form: Form) -> tuple[frozenset[str], tuple[frozenset[str], ...]]:
    """All single words of a form's modifiers, and those of each segment that must be there."""
    words = [frozenset(word for choice in segment.choices for word in choice.split(".")) for segment in form.segments]
    needed = tuple(own for own, segment in zip(words, form.segments) if not segment.optional)
    return frozenset[str]().union(*words), needed


def _lay(segments: Sequence[Segment], words: tuple[str, ...]) -> _Laid:
    """The cheapest way to lay the words along the segments."""
    best: list[_Laid] = [_Laid(_EXTRA * (len(words) - place), ()) for place in range(len(words) + 1)]
    for segment in reversed(segments):
        behind, best = best, []
        for place in range(len(words), -1, -1):
            best.append(min(_ways(segment, words, place, behind, best), key=lambda laid: laid.cost))
        best.reverse()
    return best[0]


def _ways(
    segment: Segment, words: tuple[str, ...], place: int, behind: list[_Laid], further: list[_Laid]
) -> Iterator[_Laid]:
    """What may be done at a segment with the words from `place` on; `further` are the results for fewer words."""
    rest = behind[place]
    if segment.optional:
        yield _Laid(rest.cost, (("",), *rest.choices))
    else:
        usual = sorted(segment.choices, key=lambda choice: _USUAL.get(choice, len(_USUAL)))
        yield _Laid(rest.cost + _MISSING, (tuple(usual), *rest.choices))
    if place == len(words):
        return
    for length in range(1, min(segment.longest, len(words) - place) + 1):
        spelt = ".".join(words[place : place + length])
        if spelt in segment.choices:
            rest = behind[place + length]
            yield _Laid(rest.cost, ((spelt,), *rest.choices))
    rest = behind[place + 1]
    cost, right = _put_right(words[place], segment)
    if right:
        yield _Laid(rest.cost + cost, (right, *rest.choices))
    dropped = further[-1]
    yield _Laid(dropped.cost + _EXTRA, dropped.choices)


@lru_cache(8192)
def _most_similar(word: str, choices: tuple[str, ...]) -> tuple[float, tuple[str, ...]]:
    """(distance of the most similar choice, from 0 to 1; the most similar choices)."""
    from difflib import SequenceMatcher  # only a mistake needs it

    longer = [c for c in choices if c.startswith(f"{word}::") or (len(word) > 2 and c.startswith(word))]
    found = tuple(longer or similar_names(word, choices, 4, cutoff=0.65))
    return (1 - SequenceMatcher(None, word, found[0]).ratio() if found else 1.0), found


def _put_right(word: str, segment: Segment) -> tuple[float, tuple[str, ...]]:
    """(cost, modifiers of the segment that a word may have been meant for)."""
    choices = tuple(segment.choices)
    if word in TYPES:
        bits = TYPES[word].bits
        alike = [c for c in choices if c in TYPES and TYPES[c].bits == bits]
        return (_RETYPED, tuple(alike)) if alike else (_OTHER, tuple(c for c in choices if c in TYPES))
    if re.fullmatch(r"[vx]\d+", word):
        return _MISSPELT, tuple(c for c in choices if re.fullmatch(rf"{word[0]}\d+", c))
    distance, meant = _most_similar(word, choices)
    if meant:
        return _MISSPELT + 0.2 * distance, meant
    return _OTHER, () if segment.optional else tuple(sorted(choices, key=lambda choice: choice[0] != word[:1]))


def _names(opcode: str, laid: _Laid) -> Iterator[str]:
    """The names of the table that the choices spell, the first of each segment first."""
    for chosen in islice(product(*laid.choices), _TRIED):
        name = ".".join([opcode, *(word for word in chosen if word)])
        if resolve(name):
            yield name


def _misfit(name: str, operands: tuple[Operand, ...]) -> float:
    """The cost of a form that does not take the operands, or takes registers wider than it needs."""
    found = match(name, operands)
    if found.resolved is None or found.mismatch is not None:
        return _UNFIT
    first, type_ = operands[0], found.resolved.type
    return _LOOSE if isinstance(first, Register) and type_ is not None and first.type.bits > type_.bits else 0.0
