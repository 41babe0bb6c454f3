"""The values that a number of a case is drawn from: `128`, `1..4096`, `32,64,256`, `(n+255)//256`."""

from __future__ import annotations

import ast
import operator
import random
import re
from typing import TYPE_CHECKING, NamedTuple, Protocol

from driver_ctypes.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

__all__ = ["Choice", "Domain", "Expression", "Number", "Range", "SpecificationError", "domain", "expression"]

Number = int | float

_USUAL = 300
"""What the first case has where nothing else is known: several warps and CTAs, the last ones in part."""


class SpecificationError(ArgumentError):
    """A text that does not say what a hunt shall try."""


class Domain(Protocol):
    """Values of one number of a case."""

    def usual(self) -> Number:
        """That of the first case."""

    def draw(self, rng: random.Random) -> Number:
        """One of them, the edges more often than others."""

    def simpler(self, value: Number) -> Iterator[Number]:
        """Values that make a smaller case, the simplest first."""


class Choice(NamedTuple):
    """A few values; the first is the simplest."""

    values: tuple[Number, ...]
    first: int = 0

    def usual(self) -> Number:
        return self.values[self.first]

    def draw(self, rng: random.Random) -> Number:
        return rng.choice(self.values)

    def simpler(self, value: Number) -> Iterator[Number]:
        if value in self.values:
            yield from self.values[: self.values.index(value)]


class Range(NamedTuple):
    """All numbers from `low` to `high`, both included; whole ones if both are."""

    low: Number
    high: Number

    @property
    def whole(self) -> bool:
        return isinstance(self.low, int) and isinstance(self.high, int)

    def usual(self) -> Number:
        return min(max(_USUAL if self.whole else 1.0, self.low), self.high)

    def draw(self, rng: random.Random) -> Number:
        edges = self._edges()
        if rng.random() < 0.6:
            return rng.choice(edges)
        return rng.randint(int(self.low), int(self.high)) if self.whole else rng.uniform(self.low, self.high)

    def _edges(self) -> list[Number]:
        """Both ends, and what lies around the powers of two, where warps and tiles end."""
        if not self.whole:
            inner: list[Number] = [x for x in (-1.0, 0.0, 0.5, 1.0) if self.low <= x <= self.high]
            return [self.low, self.high, *inner]
        around = [power + by for power in (1 << n for n in range(17)) for by in (-1, 0, 1)]
        return sorted({self.low, self.high, *(n for n in around if self.low <= n <= self.high)})

    def simpler(self, value: Number) -> Iterator[Number]:
        """The low end, then halfway to it, a quarter, ... and one less."""
        if not self.whole:
            yield from (x for x in (1.0, self.low) if self.low <= x <= self.high and x != value)
            return
        step = int(value) - int(self.low)
        while step > 0:
            yield int(value) - step
            step //= 2


class Expression(NamedTuple):
    """Arithmetic of whole numbers over the names of other numbers: `(n+255)//256`."""

    text: str
    names: tuple[str, ...]

    def value(self, numbers: Mapping[str, Number]) -> int:
        """Its value. Raises SpecificationError for a name that no argument has, and for a division by zero."""
        return _value(ast.parse(self.text, mode="eval").body, numbers, self.text)


_OPERATORS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod,
}  # fmt: skip


def expression(text: str) -> Expression:
    """Raises SpecificationError for what is none."""
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        tree = None
    names = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name)] if tree is not None else []
    found = Expression(text, tuple(dict.fromkeys(names)))
    if tree is None or len(text) > 200 or not all(_is_arithmetic(node) for node in ast.walk(tree)):
        raise SpecificationError(
            f"{text!r} is no value",
            hint="a number, 1..4096, 32,64,256, or arithmetic such as (n+255)//256 with + - * // %",
        )
    return found


def _is_arithmetic(node: ast.AST) -> bool:
    if isinstance(node, ast.BinOp):
        return type(node.op) in _OPERATORS
    if isinstance(node, ast.Constant):
        return type(node.value) is int
    return isinstance(node, (ast.Name, ast.expr_context, ast.operator))


def _value(node: ast.expr, numbers: Mapping[str, Number], text: str) -> int:
    if isinstance(node, ast.BinOp):
        left, right = _value(node.left, numbers, text), _value(node.right, numbers, text)
        if right == 0 and isinstance(node.op, (ast.FloorDiv, ast.Mod)):
            raise SpecificationError(f"{text!r} divides by zero")
        return _OPERATORS[type(node.op)](left, right)
    if isinstance(node, ast.Name):
        found = numbers.get(node.id)
        if not isinstance(found, int):
            known = ", ".join(sorted(name for name, value in numbers.items() if isinstance(value, int))) or "none"
            raise SpecificationError(
                f"{text!r}: no whole number is named {node.id!r}", hint=f"the named ones are: {known}"
            )
        return found
    assert isinstance(node, ast.Constant)
    assert isinstance(node.value, int)
    return node.value


def domain(text: str) -> Domain | None:
    """A number, a range or a list of numbers; None for anything else, such as an expression."""
    low, dots, high = text.partition("..")
    if dots:
        ends = _number(low), _number(high)
        if ends[0] is None or ends[1] is None or ends[0] > ends[1]:
            raise SpecificationError(f"{text!r} is not a range such as 1..4096 or 0.0..1.0")
        return Range(ends[0], ends[1])
    values = [_number(each) for each in text.split(",")]
    known = tuple(value for value in values if value is not None)
    return Choice(known) if len(known) == len(values) else None


def _number(text: str) -> Number | None:
    if re.fullmatch(r"\s*-?(0x[0-9a-fA-F]+|\d+)\s*", text):
        return int(text, 0) if "x" in text else int(text)
    try:
        return float(text)
    except ValueError:
        return None
