"""Patterns of operands, in PTX notation with wildcards.

    *            anything                      $a     anything but a negated operand; the name stands for it from then on
    #  #a        a constant                    ...    at the end of a list: whatever else there is
    %tid.*       a name; * and ? are wild      4  -1  0x1f  1.0  0f3F800000     that number
    [$p]  [$p+16]  [$p, {$x, $y}]  [*]         an address; what is not written is not compared: [$p+0] has no offset
    {$a, ...}  ($a)  $p|$q  !$p  -$a  _        as in PTX

A pattern is a function of an operand and of a list, to which it adds (name, operand) for each name that it binds.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Sequence

from driver_ctypes.typing import NamedTuple
from ptxgen.errors import PtxError
from ptxgen.ir import Address, Arguments, Immediate, Negated, Not, Operand, Pair, Sink, Vector, float_immediate
from ptxgen.text.printer import format_operand

__all__ = ["Bound", "ListPattern", "OperandPattern", "PatternError", "list_pattern", "operand_pattern", "split"]

Bound = list[tuple[str, Operand]]
OperandPattern = Callable[[Operand, Bound], bool]

_NAME = re.compile(r"\$[a-z][a-z0-9_]*")  # labels of compilers begin with $L, so that names are of small letters
_NUMBER = re.compile(r"-?(?:0[fd][0-9a-fA-F]+|\d\w*(?:\.\d*)?(?:[eE][+-]?\d+)?)")
_OFFSET = re.compile(r"(.*?)\s*([+-])\s*(\*|\w+)")
_BRACKETS = {"[": "]", "{": "}", "(": ")"}
_REST = "..."


class PatternError(PtxError, ValueError):
    """A pattern of instructions that cannot be read."""


def split(text: str, separator: str) -> list[str]:
    """The parts between separators that stand in no brackets. PatternError where brackets do not match."""
    parts, open_, start = [], list[str](), 0
    for at, sign in enumerate(text):
        if sign in _BRACKETS:
            open_.append(_BRACKETS[sign])
        elif sign in _BRACKETS.values():
            if not open_ or open_.pop() != sign:
                raise PatternError(f"{sign!r} closes nothing in {text!r}")
        elif sign == separator and not open_:
            parts.append(text[start:at].strip())
            start = at + 1
    if open_:
        raise PatternError(f"{open_[-1]!r} is missing in {text!r}")
    return [*parts, text[start:].strip()]


class ListPattern(NamedTuple):
    """Of operands between commas; `rest`: others may follow."""

    patterns: tuple[OperandPattern, ...]
    rest: bool

    def fits(self, operands: Sequence[Operand]) -> bool:
        """May these be so many?"""
        return len(operands) >= len(self.patterns) if self.rest else len(operands) == len(self.patterns)

    def __call__(self, operands: Sequence[Operand], bound: Bound) -> bool:
        return self.fits(operands) and all(pattern(each, bound) for pattern, each in zip(self.patterns, operands))


def list_pattern(text: str) -> ListPattern:
    """PatternError where the text is no list of operands."""
    parts = split(text, ",") if text else []
    rest = parts[-1:] == [_REST]
    return ListPattern(tuple(operand_pattern(part) for part in (parts[:-1] if rest else parts)), rest)


def operand_pattern(text: str) -> OperandPattern:
    """Of one operand. PatternError where the text is no pattern."""
    if not text:
        raise PatternError("an operand is missing")
    if text == "*":
        return lambda operand, bound: True
    if text == "_":
        return lambda operand, bound: isinstance(operand, Sink)
    if len(halves := split(text, "|")) == 2:
        return _pair(*halves)
    if text[0] in _BRACKETS and text[-1] == _BRACKETS[text[0]]:
        return {"[": _address, "{": _vector, "(": _arguments}[text[0]](text[1:-1].strip())
    if text[0] == "!":
        return _inside(Not, text[1:])
    if text[0] == "-" and text[1:2] == "$":
        return _inside(Negated, text[1:])
    if text[0] == "#":
        return _constant(text[1:])
    if _NUMBER.fullmatch(text):
        return _number(text)
    if text == _REST or re.search(r"[\s\[\]{}(),;!@#]", text):
        raise PatternError(f"{text!r} is no operand")
    return _bind(text) if _NAME.fullmatch(text) else _named(text)


def _bind(name: str) -> OperandPattern:
    def matches(operand: Operand, bound: Bound) -> bool:
        bound.append((name, operand))
        return not isinstance(operand, (Not, Negated))

    return matches


def _named(name: str) -> OperandPattern:
    wild = re.compile(fnmatch.translate(name))
    return lambda operand, bound: wild.match(format_operand(operand)) is not None


def _constant(name: str) -> OperandPattern:
    if name and not _NAME.fullmatch(f"${name}"):
        raise PatternError(f"#{name} is no constant", hint="# for any, #a for one with a name")

    def matches(operand: Operand, bound: Bound) -> bool:
        if name:
            bound.append((f"${name}", operand))
        return isinstance(operand, Immediate)

    return matches


def _number(text: str) -> OperandPattern:
    try:
        if text[:2] in ("0f", "0d"):
            return _real(Immediate(int(text[2:], 16), f"f{32 if text[1] == 'f' else 64}"))
        if re.fullmatch(r"-?\w+", text) and not re.fullmatch(r"-?\d+[eE]\d+", text):
            whole = Immediate(_integer(text))
            return lambda operand, bound: operand == whole
        return _real(float_immediate(float(text), "f64"))
    except ValueError:
        raise PatternError(f"{text!r} is no number") from None


def _real(number: Immediate) -> OperandPattern:
    """A floating constant of this value: 2.0 is 0f40000000 and 0d4000000000000000, 0.1 the nearest number of each format."""
    value = number.as_float()
    single = float_immediate(value, "f32")

    def matches(operand: Operand, bound: Bound) -> bool:
        if not isinstance(operand, Immediate) or operand.kind == "int":
            return False
        return operand in (number, single) or operand.as_float() == value

    return matches


def _integer(text: str) -> int:
    digits = text.rstrip("uU")
    return int(re.sub(r"^(-?)0(?=\d)", r"\g<1>0o", digits), 0)  # as in C, a 0 in front means octal (manual 4.5.1)


def _address(text: str) -> OperandPattern:
    base_text, *more = split(text, ",")
    offset_text = _OFFSET.fullmatch(base_text)
    base = operand_pattern(offset_text[1] if offset_text else base_text)
    offset = None
    if offset_text and offset_text[3] != "*":
        try:
            offset = int(offset_text[2] + "1") * _integer(offset_text[3])
        except ValueError:
            raise PatternError(f"{offset_text[3]!r} is no offset") from None
    # The one list of [map, {x, y}] is the coordinates themselves; of more parts each stands for itself.
    alone = len(more) == 1 and more[0][:1] == "{"
    coordinates = list_pattern(more[0][1:-1] if alone else ", ".join(more)) if more else None

    def matches(operand: Operand, bound: Bound) -> bool:
        return (
            isinstance(operand, Address)
            and (offset is None or operand.offset == offset)
            and base(operand.base, bound)
            and (coordinates is None or coordinates(operand.coordinates, bound))
        )

    return matches


def _vector(text: str) -> OperandPattern:
    elements = list_pattern(text)
    return lambda operand, bound: isinstance(operand, Vector) and elements(operand.elements, bound)


def _arguments(text: str) -> OperandPattern:
    elements = list_pattern(text)
    return lambda operand, bound: isinstance(operand, Arguments) and elements(operand.elements, bound)


def _pair(first: str, second: str) -> OperandPattern:
    one, other = operand_pattern(first), operand_pattern(second)
    return lambda operand, bound: (
        isinstance(operand, Pair) and one(operand.first, bound) and other(operand.second, bound)
    )


def _inside(kind: type[Not] | type[Negated], text: str) -> OperandPattern:
    inner = operand_pattern(text)
    return lambda operand, bound: isinstance(operand, kind) and inner(operand.operand, bound)
