"""What integer instructions make of constants, addresses and terms for what is not known: a function an instruction's name."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import cache

from driver_ctypes.typing import NamedTuple
from ptxgen.isa.forms import opcodes_with

__all__ = ["Pointer", "Rule", "Value", "rule_of", "sum_of"]


class Pointer(NamedTuple):
    """An address: so many bytes behind the start of a variable."""

    symbol: str
    offset: int


Value = int | bool | Pointer | tuple[object, ...]
"""A constant (bool for a predicate), an address, or a term for what is not known; equal terms are equal values."""

Rule = Callable[[Sequence[Value]], "Value | None"]
"""From the values of an instruction's sources, in their order, to its result where that is certain; None otherwise."""


_COPIES = opcodes_with("copy")
_OPCODES = frozenset("mov setp add sub mul mad shl shr and or xor not min max rem div selp cvt cvta".split())
_TYPES = frozenset({"pred", *(f"{kind}{bits}" for kind in "bus" for bits in (8, 16, 32, 64))})
_BITS = {f"{kind}{bits}": bits for kind in "bus" for bits in (8, 16, 32, 64, 128)}
_WORDS = _TYPES | {"lo", "wide", "to", "shared", "shared::cta", "global"}


@cache
def rule_of(op: str) -> Rule | None:
    """How an instruction of that name is computed; None for one that is not followed."""
    opcode, *words = op.split(".")
    if opcode not in _OPCODES or not _WORDS.issuperset(words[1 if opcode == "setp" else 0 :]):
        return None
    try:
        return _rule(opcode, words)
    except LookupError:  # no legal name, which other checks report
        return None


def _rule(opcode: str, words: list[str]) -> Rule:
    if opcode in _COPIES:
        return _copy(opcode, words)
    if opcode == "setp":
        return _comparison(words)
    if opcode == "selp":
        return _selected
    if words[-1] == "pred":
        return _logic(opcode)
    fit = _fitting(words)
    if opcode == "not":
        return lambda inputs: fit(~inputs[0]) if isinstance(inputs[0], int) else None
    if opcode in ("add", "sub", "mad"):
        return _sums(-1 if opcode == "sub" else 1, fit, _arithmetic("mul", words) if opcode == "mad" else None)
    return _arithmetic(opcode, words)


def sum_of(left: Value, right: Value, sign: int = 1) -> Value | None:
    """A sum of two numbers, or of an address and one."""
    if isinstance(left, int) and isinstance(right, int):
        return left + sign * right
    if isinstance(left, Pointer) and isinstance(right, int):
        return Pointer(left.symbol, left.offset + sign * right)
    if isinstance(right, Pointer) and isinstance(left, int) and sign > 0:
        return Pointer(right.symbol, right.offset + left)
    return None


@cache
def _wrapping(type_: str) -> Callable[[int], int]:
    """To the number that a register of the type holds."""
    bits = _BITS[type_]
    mask, half = (1 << bits) - 1, 1 << (bits - 1)
    if type_[0] == "s":
        return lambda value: (value + half & mask) - half
    return lambda value: value & mask


def _fitting(words: Sequence[str]) -> Callable[[int], int]:
    """To what the instruction's result holds; of mul.wide and mad.wide twice as wide."""
    type_ = words[-1]
    return _wrapping(f"{type_[0]}{2 * int(type_[1:])}" if "wide" in words else type_)


def _copy(opcode: str, words: Sequence[str]) -> Rule:
    if opcode == "mov":
        if words[-1] != "pred":
            return lambda inputs: inputs[0]
        return lambda inputs: bool(inputs[0]) if isinstance(inputs[0], int) else inputs[0]
    if opcode == "cvt":
        read, made = _wrapping(words[-1]), _wrapping(words[0])

        def convert(inputs: Sequence[Value]) -> Value | None:
            source = inputs[0]
            return made(read(source)) if isinstance(source, int) else source if isinstance(source, Pointer) else None

        return convert
    return lambda inputs: inputs[0] if isinstance(inputs[0], Pointer) else None


_RELATIONS: dict[str, Callable[[int, int], bool]] = {
    "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge,
    "lo": operator.lt, "ls": operator.le, "hi": operator.gt, "hs": operator.ge,
}  # fmt: skip
_OF_EQUALS = {"eq": True, "ne": False, "lt": False, "le": True, "gt": False, "ge": True}


def _comparison(words: Sequence[str]) -> Rule:
    relation, wrap, of_equals = _RELATIONS[words[0]], _wrapping(words[-1]), _OF_EQUALS.get(words[0])

    def compare(inputs: Sequence[Value]) -> Value | None:
        left, right = inputs
        if isinstance(left, int) and isinstance(right, int):
            return relation(wrap(left), wrap(right))
        return of_equals if left == right else None

    return compare


def _selected(inputs: Sequence[Value]) -> Value | None:
    yes, no, chooser = inputs
    if isinstance(chooser, bool):
        return yes if chooser else no
    return yes if yes == no else None


def _sums(sign: int, fit: Callable[[int], int], multiply: Rule | None = None) -> Rule:
    """A sum of two; with `multiply`, of the product of the first two and the third."""

    def add(inputs: Sequence[Value]) -> Value | None:
        left, right = (inputs[0], inputs[1]) if multiply is None else (multiply(inputs[:2]), inputs[2])
        found = None if left is None else sum_of(left, right, sign)
        return fit(found) if isinstance(found, int) else found

    return add


def _quotient(left: int, right: int) -> int:
    """Towards zero, as div does."""
    whole = abs(left) // abs(right)
    return whole if (left < 0) is (right < 0) else -whole


_ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "and": operator.and_, "or": operator.or_, "xor": operator.xor, "mul": operator.mul, "min": min, "max": max,
    "shl": lambda a, b: a << b if 0 <= b < 64 else 0, "shr": lambda a, b: a >> b if 0 <= b < 64 else 0,
    "div": _quotient, "rem": lambda a, b: a - b * _quotient(a, b),
}  # fmt: skip


def _arithmetic(opcode: str, words: Sequence[str]) -> Rule:
    function, fit, read = _ARITHMETIC[opcode], _fitting(words), _wrapping(words[-1])
    masks, divides, shifts = opcode == "and", opcode in ("div", "rem"), opcode in ("shl", "shr")

    def calculate(inputs: Sequence[Value]) -> Value | None:
        left, right = inputs
        if masks and 0 in (left, right):
            return 0
        if not isinstance(left, int) or not isinstance(right, int) or (divides and right == 0):
            return None
        if opcode != "shl":
            left = read(left)
        return fit(function(left, right if shifts else read(right)))

    return calculate


def _logic(opcode: str) -> Rule:
    if opcode == "not":
        return lambda inputs: (not inputs[0]) if isinstance(inputs[0], int) else None
    function, absorbing = _ARITHMETIC[opcode], opcode == "or"
    """`absorbing` settles the result alone: true for or, false for and."""

    def combine(inputs: Sequence[Value]) -> Value | None:
        left, right = [bool(value) if isinstance(value, int) else value for value in inputs]
        if isinstance(left, bool) and isinstance(right, bool):
            return bool(function(left, right))
        return absorbing if opcode != "xor" and (left is absorbing or right is absorbing) else None

    return combine
