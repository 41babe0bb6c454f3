"""The common operands of instructions, read and remembered by their text, without tokens.

An operand is one of

    name   12   -12   0x1F   0f3F800000   [name]   [name+12]   [name, {name, ...}]   !name   name|name   {name, 12, ...}

and what is none is Uncommon: the general parser reads it.
"""

from __future__ import annotations

import re

from driver_ctypes.typing import TYPE_CHECKING, NamedTuple
from ptxgen.ir import Address, Immediate, Not, Pair, Register, Symbol, Vector
from ptxgen.text.lexer import BLANKS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ptxgen.ir import Operand
    from ptxgen.isa.types import ScalarType

__all__ = ["DIGITS", "LONGEST_INDEX", "NAME", "NUMBER", "CommonOperands", "Family", "Uncommon"]

NAME = r"(?:[A-Za-z%$_][\w$]+|[A-Za-z])"
"""A name without dots."""

NUMBER = r"(?:0|[1-9]\d{0,17})"

_NAMED = re.compile(rf"{NAME}(?:\.\w+)*", re.ASCII)
_INTEGER = re.compile(rf"-?{NUMBER}|[1-9]\d{{18}}", re.ASCII)
_BITS = re.compile(r"0[fF]([0-9a-fA-F]{8})|0[dD]([0-9a-fA-F]{16})|0[xX]([0-9a-fA-F]{1,16})")
_ADDRESS = re.compile(rf"\[({NAME})(?:\+(-?{NUMBER}))?(?:,[ \t]*(\{{[^{{}}]*\}}))?\]", re.ASCII)
_PAIR = re.compile(rf"({NAME}|_)\|({NAME}|_)", re.ASCII)
_VECTOR = re.compile(r"\{[ \t]*[\w$%.]+(?:[ \t]*,[ \t]*[\w$%.]+)*[ \t]*\}", re.ASCII)
_LISTED = re.compile(r"(?:(\{[^{}]*\}|\[[^]{}]*\{[^{}]*\}\])[ \t]*|([^,{}]*))(?:(,)[ \t]*|\Z)")

DIGITS = "0123456789"

LONGEST_INDEX = 10
"""The digits of 2**32, the largest count of a family."""


class Family(NamedTuple):
    """`.reg .type prefix<count>;`, the depth of its scope, and what the same prefix means in the scopes around."""

    type: ScalarType
    lanes: int
    size: int
    level: int
    outer: Family | None


class Uncommon(Exception):
    """An operand, or a list of them, that is for the general parser."""


class CommonOperands(dict[str, "Operand"]):
    """By their text, the operands that a scope has seen; one that is missing is made, or Uncommon is raised."""

    __slots__ = ("_families", "_known", "_resolve")

    def __init__(
        self, known: Mapping[str, Operand], families: Mapping[str, Family], resolve: Callable[[str], Operand | None]
    ) -> None:
        self._known = known
        self._families = families
        self._resolve = resolve

    def __missing__(self, text: str) -> Operand:
        prefix = text.rstrip(DIGITS)
        family = self._families.get(prefix)
        if family is not None and text not in self._known:  # the usual one, as the scope itself would find it
            index = text[len(prefix) :]
            if 0 < len(index) <= LONGEST_INDEX and index[0] != "0" and int(index) < family.size:
                register = self[text] = Register(text, family.type, family.lanes)
                return register
        operand = self[text] = self._made(text)
        return operand

    def _made(self, text: str) -> Operand:
        if _NAMED.fullmatch(text) or text == "_":
            return self._named(text)
        if text[:1] == "[":
            return self._address(text)
        if _INTEGER.fullmatch(text) and int(text) < 2**63:
            return Immediate(int(text))
        bits = _BITS.fullmatch(text)
        if bits:
            return Immediate(int(bits[bits.lastindex or 0], 16), ("f32", "f64", "int")[(bits.lastindex or 0) - 1])
        if text[:1] == "{" and _VECTOR.fullmatch(text):
            return Vector(tuple([self[each.strip(BLANKS)] for each in text[1:-1].split(",")]))
        if text[:1] == "!" and _NAMED.fullmatch(text, 1):
            return Not(self._named(text[1:]))
        pair = _PAIR.fullmatch(text)
        if pair:
            return Pair(self._named(pair[1]), self._named(pair[2]))
        raise Uncommon

    def _named(self, name: str) -> Operand:
        found = self._known.get(name) or self._resolve(name)
        if found is not None:
            return found
        if "." in name or name == "WARP_SZ":
            raise Uncommon
        return Symbol(name)

    def _address(self, text: str) -> Address:
        match = _ADDRESS.fullmatch(text)
        if match is None:
            raise Uncommon
        base, offset = self[match[1]], match[2]
        if not isinstance(base, (Register, Symbol)):
            raise Uncommon
        coordinates: tuple[Operand, ...] = ()
        if match[3] is not None:
            vector = self[match[3]]
            assert isinstance(vector, Vector)
            coordinates = vector.elements
        if offset is None:
            return Address(base, 0, coordinates)
        return Address(base, int(offset), coordinates, zero=not int(offset))

    def of(self, text: str) -> tuple[Operand, ...]:
        """A list of operands, of which some are vectors, or whose commas have no blank or several behind them."""
        found: list[Operand] = []
        at = 0
        while True:
            match = _LISTED.match(text, at)
            if match is None:
                raise Uncommon
            found.append(self[(match[1] or match[2]).rstrip(BLANKS)])
            if match[3] is None:
                return tuple(found)
            at = match.end()
