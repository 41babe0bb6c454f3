"""Literals and constant expressions (manual 4.5 and 4.6).

An expression is folded while it is read: integers are 64 bits wide, .s64 unless they do not fit, have a `U` suffix, or
come out of `~` or the cast `(.u64)`; an operation on both kinds is unsigned; shift counts are taken modulo 64. Floating
literals without `0f`/`0d` are .f64. Where the manual leaves a choice, this is what ptxas 13.0 does.
"""

from __future__ import annotations

import math
import operator
import re

from driver_ctypes.typing import TYPE_CHECKING, NamedTuple
from ptxgen.ir import Immediate, float_immediate
from ptxgen.text.bounds import DIGITS, PARENTHESES, check_bound
from ptxgen.text.cursor import Unexpected, describe

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from ptxgen.text.cursor import Cursor

    Value: TypeAlias = "IntegerConstant | float"

__all__ = ["ENDS", "OPERATORS", "WARP_SZ", "constant", "expression", "integer"]

WARP_SZ = 32
"""The predefined constant (manual 4.5.3)."""

_MASK = (1 << 64) - 1
_INTEGER = re.compile(r"(?:(0[xX][0-9a-fA-F]+)|(0[bB][01]+)|(0[0-7]*)|([1-9][0-9]*))(U?)", re.ASCII)
_DECIMAL = re.compile(r"(?:\d+\.\d*|\.\d+)(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+", re.ASCII)
_BITS = re.compile(r"0[fF][0-9a-fA-F]{8}|0[dD][0-9a-fA-F]{16}", re.ASCII)


class IntegerConstant(NamedTuple):
    """A folded integer: `value` is in the range of its kind."""

    value: int
    unsigned: bool


def _wrap(value: int, unsigned: bool) -> IntegerConstant:
    value &= _MASK
    return IntegerConstant(value if unsigned or value < 1 << 63 else value - (1 << 64), unsigned)


def literal(c: Cursor, index: int) -> Immediate:
    """The immediate that the number at token `index` stands for; Unexpected when it is malformed."""
    text = c.texts[index]
    if _BITS.fullmatch(text):
        return Immediate(int(text[2:], 16), "f32" if text[1] in "fF" else "f64")
    value = _number(c, index)
    return Immediate(value.value) if isinstance(value, IntegerConstant) else float_immediate(value, "f64")


def _number(c: Cursor, index: int) -> Value:
    text = c.texts[index]
    check_bound(c, len(text), DIGITS, "characters of a number", at=index)
    match = _INTEGER.fullmatch(text)
    if match is not None:
        hexadecimal, binary, octal, decimal, suffix = match.groups()
        if hexadecimal:
            value = int(hexadecimal, 16)
        else:
            value = int(binary, 2) if binary else int(octal, 8) if octal else int(decimal)
        if value > _MASK:
            raise c.unexpected("at most 64 bits", at=index, code="PTX101", message=f"{text} does not fit 64 bits")
        return IntegerConstant(value, bool(suffix) or value >= 1 << 63)
    if _DECIMAL.fullmatch(text):
        number = float(text)
        if math.isinf(number):
            raise c.unexpected(
                "a number in the range of .f64", at=index, code="PTX101", message=f"{text} does not fit .f64",
                hint="infinity is 0d7FF0000000000000 or 0f7F800000",
            )  # fmt: skip
        return number
    raise malformed(c, index)


def malformed(c: Cursor, index: int) -> Unexpected:
    """What to raise for a token that starts like a number and is none."""
    text = c.texts[index]
    expected, hint = "a number such as 12, 0x1F, 0b101, 017, 12U, 1.5, 0f3F800000 or 0d3FF0000000000000", None
    lead = text[:2].lower()
    if _BITS.fullmatch(text):
        expected, hint = "integers and decimal floating constants in an expression", "negate or add its bits yourself"
        return c.unexpected(expected, at=index, code="PTX108", message=f"{text} inside an expression", hint=hint)
    if lead in ("0f", "0d"):
        expected = "8 hexadecimal digits after 0f" if lead == "0f" else "16 hexadecimal digits after 0d"
    elif text[:-1].isdigit() and text[-1] in "uflL":
        hint = f"write {text[:-1]}U" if text[-1] == "u" else f"write {text[:-1]}"
    elif re.fullmatch(r"[\d.]+[fF]", text):
        hint = f"write {text[:-1]}"
    elif text.isdigit():
        hint = "a leading 0 makes a number octal"
    return c.unexpected(expected, at=index, code="PTX101", message=f"malformed number {text}", hint=hint)


def integer(c: Cursor, what: str) -> int:
    """Step over one unsigned integer literal, or WARP_SZ: where the grammar has no room for an expression."""
    text = c.texts[c.i]
    if text == "WARP_SZ":
        c.i += 1
        return WARP_SZ
    if not text[0].isdigit():
        raise c.unexpected(what)
    value = literal(c, c.i)
    if value.kind != "int":
        raise c.unexpected(what)
    c.i += 1
    return value.value


# Expressions: precedence as in C (manual 4.6.2).

_LEVEL: dict[str, int] = {
    "||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, ">": 7, "<=": 7, ">=": 7, "<<": 8, ">>": 8,
    "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
}  # fmt: skip

_COMPARE: dict[str, Callable[[float, float], bool]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge,
}  # fmt: skip

_ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "&": operator.and_, "|": operator.or_, "^": operator.xor,
}  # fmt: skip


ENDS = frozenset((",", ";", "]", "}", ")"))
"""What may follow a complete operand."""

OPERATORS = frozenset((*_LEVEL, "?"))
"""What makes an expression of a constant before it."""


def constant(c: Cursor) -> Immediate:
    """A literal, `-literal`, or an expression; a literal alone is remembered by its text."""
    texts, i = c.texts, c.i
    text = texts[i]
    seen = c.scope.known.get(text)
    if isinstance(seen, Immediate) and texts[i + 1] not in OPERATORS:
        c.i = i + 1
        return seen
    if text[0].isdigit() or (text[0] == "." and text[1:2].isdigit()):
        if texts[i + 1] in OPERATORS:
            return expression(c)
        value = literal(c, i)
        c.scope.known[text] = value
        c.i = i + 1
        return value
    if text == "-" and texts[i + 2] in ENDS and texts[i + 1][0].isdigit():
        value = literal(c, i + 1)
        c.i = i + 2
        if value.kind == "int":
            return Immediate(-value.value)
        if texts[i + 1][1:2] in ("f", "F", "d", "D"):
            raise malformed(c, i + 1)
        return Immediate(value.value ^ (1 << 63), "f64")
    if text in ("-", "+", "~", "!", "(", "WARP_SZ"):
        return expression(c)
    raise c.unexpected("an operand: register, constant, name, [address], {vector} or _")


def expression(c: Cursor) -> Immediate:
    """Read the constant expression that starts at the current token and fold it."""
    value = _ternary(c, 0)
    if isinstance(value, IntegerConstant):
        return Immediate(value.value)
    return float_immediate(value, "f64")


def _ternary(c: Cursor, depth: int) -> Value:
    start = c.i
    check_bound(c, depth, PARENTHESES, "levels")
    condition = _binary(c, 1, depth)
    if c.texts[c.i] != "?":
        return condition
    chosen = _whole(c, condition, start)
    c.i += 1
    at = c.i
    first = _whole(c, _ternary(c, depth + 1), at)
    c.expect(":", "the first branch of '?'")
    at = c.i
    second = _whole(c, _ternary(c, depth + 1), at)
    result = first if chosen.value else second
    return result


def _binary(c: Cursor, lowest: int, depth: int) -> Value:
    start = c.i
    left = _unary(c, depth)
    while True:
        sign = c.texts[c.i]
        level = _LEVEL.get(sign, 0)
        if level < lowest or not level:
            return left
        c.i += 1
        left = _apply(c, sign, left, _binary(c, level + 1, depth), start)


def _apply(c: Cursor, sign: str, left: Value, right: Value, at: int) -> Value:
    if isinstance(left, float) and isinstance(right, float):
        if sign in _COMPARE:
            return IntegerConstant(int(_COMPARE[sign](left, right)), False)
        if sign == "/":
            _check_divisor(c, right, at)
        if sign in "+-*/":
            function = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}[sign]
            return float(function(left, right))
    a, b = _whole(c, left, at, sign), _whole(c, right, at, sign)
    unsigned = a.unsigned or b.unsigned
    if sign in ("&&", "||"):
        return IntegerConstant(int(bool(a.value and b.value) if sign == "&&" else bool(a.value or b.value)), False)
    if sign in ("<<", ">>"):
        count = b.value & 63
        return _wrap(a.value << count if sign == "<<" else a.value >> count, a.unsigned)
    x, y = (a.value & _MASK, b.value & _MASK) if unsigned else (a.value, b.value)
    if sign in _COMPARE:
        return IntegerConstant(int(_COMPARE[sign](x, y)), False)
    if sign in "/%":
        _check_divisor(c, y, at)
        quotient = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)  # towards zero, as in C
        return _wrap(quotient if sign == "/" else x - quotient * y, unsigned)
    return _wrap(_ARITHMETIC[sign](x, y), unsigned)


def _unary(c: Cursor, depth: int) -> Value:
    text, at = c.texts[c.i], c.i
    check_bound(c, depth, PARENTHESES, "levels")
    c.i += 1
    if text in ("-", "+"):
        value = _unary(c, depth + 1)
        if text == "+":
            return value
        return -value if isinstance(value, float) else _wrap(-value.value, value.unsigned)
    if text == "~":
        return _wrap(~_whole(c, _unary(c, depth + 1), at).value, True)
    if text == "!":
        return IntegerConstant(int(not _whole(c, _unary(c, depth + 1), at).value), False)
    if text == "(":
        cast = c.texts[c.i]
        if cast[0] == ".":
            if cast not in (".s64", ".u64"):
                raise c.unexpected("a cast to .s64 or .u64", code="PTX108", message=f"no cast to {cast}")
            c.i += 1
            c.expect(")")
            return _wrap(_whole(c, _unary(c, depth + 1), at).value, cast == ".u64")
        inner = _ternary(c, depth + 1)
        c.expect(")")
        return inner
    if text == "WARP_SZ":
        return IntegerConstant(WARP_SZ, False)
    if text[0].isdigit() or (text[0] == "." and text[1:2].isdigit()):
        return _number(c, at)
    raise c.unexpected("a constant", at=at, message=f"{describe(text)} in a constant expression")


def _whole(c: Cursor, value: Value, at: int, sign: str = "") -> IntegerConstant:
    if isinstance(value, IntegerConstant):
        return value
    what = f"both sides of {sign!r} of one kind, integer or floating" if sign else "an integer"
    raise c.unexpected(what, at=at, code="PTX108", message="a floating constant where an integer is needed")


def _check_divisor(c: Cursor, value: float, at: int) -> None:
    if value == 0:
        raise c.unexpected("a divisor that is not 0", at=at, code="PTX108", message="constant expression divides by 0")
