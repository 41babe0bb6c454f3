"""Expressions over the columns of a row: small typed trees, and the code that computes them in registers.

An `Expression` is a value, so that a kernel is generated once for equal ones. `type` is the type of its value: a number's, or
`pred` for conditions. Inputs are already of the types that the operation takes (ptxgen.ops.queries converts them).

Integers divide and leave remainders as in Python, rounded down, and a division by 0 is 0, as numpy's is. Floats become integers
by truncation; what does not fit becomes the nearest value, NaN becomes 0 (manual 9.7.9.22, cvt).
"""

from __future__ import annotations

from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple
from ptxgen.builder import pred, u32
from ptxgen.kernels.arrays.select import holds

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ptxgen.builder import Builder
    from ptxgen.builder.values import Value

__all__ = ["OPERATIONS", "Expression", "code_of", "columns_of", "renumbered"]


class Expression(NamedTuple):
    """`op` is "column" (whose number is `value`), "literal" (`value`), "cast", or a name of `OPERATIONS`."""

    op: str
    type: type[Value]
    inputs: tuple[Expression, ...] = ()
    value: int | float | bool = 0


def _divided(k: Builder, a: Any, b: Any) -> tuple[Any, Any]:
    """(quotient, remainder) rounded down; both 0 where b is 0."""
    kind = type(a)
    zero = b == 0
    safe = k.select(zero, k.const(kind, 1), b)
    if a.isa.is_signed:
        safe = k.select(b == -1, k.const(kind, 1), safe)  # the least number divided by -1 does not fit
    quotient = a // safe
    rest = a - quotient * safe
    if a.isa.is_signed:
        down = (rest != 0) & ((rest ^ safe) < 0)
        quotient = k.select(down, quotient - 1, quotient)
        rest = k.select(down, rest + safe, rest)
        quotient = k.select(b == -1, -a, quotient)
    return k.select(zero, k.const(kind, 0), quotient), k.select(zero, k.const(kind, 0), rest)


def _comparison(op: str) -> Callable[[Builder, Any, Any], Any]:
    return lambda k, a, b: holds(op, a, b)


OPERATIONS: dict[str, Callable[..., Any]] = {
    "add": lambda k, a, b: a + b,
    "sub": lambda k, a, b: a - b,
    "mul": lambda k, a, b: a * b,
    "truediv": lambda k, a, b: k.div(a, b),
    "floordiv": lambda k, a, b: _divided(k, a, b)[0],
    "mod": lambda k, a, b: _divided(k, a, b)[1],
    "neg": lambda k, a: -a,
    "abs": lambda k, a: k.abs(a),
    "min": lambda k, a, b: k.min(a, b),
    "max": lambda k, a, b: k.max(a, b),
    "bitand": lambda k, a, b: a & b,
    "bitor": lambda k, a, b: a | b,
    "bitxor": lambda k, a, b: a ^ b,
    "and": lambda k, a, b: a & b,
    "or": lambda k, a, b: a | b,
    "not": lambda k, a: ~a,
    **{op: _comparison(op) for op in ("eq", "ne", "lt", "le", "gt", "ge")},
    "isnan": lambda k, a: k.is_nan(a),
    "where": lambda k, condition, a, b: k.select(condition, a, b),
}
"""Code by the operation's name: of the builder and the inputs' values."""


def code_of(k: Builder, expressions: Sequence[Expression | None], columns: Sequence[Any]) -> list[Any]:
    """The values of expressions in the row whose columns have these values; what occurs twice is computed once. None is None."""
    known: dict[Expression, Any] = {}

    def value(each: Expression) -> Any:
        if each.op == "column":
            return columns[int(each.value)]
        if each.op == "literal" and each.type is not pred:
            return k.const(each.type, each.value)
        found = known.get(each)
        if found is None:
            found = known[each] = _compute(k, each, [value(part) for part in each.inputs])
        return found

    return [None if each is None else value(each) for each in expressions]


def _compute(k: Builder, each: Expression, inputs: list[Any]) -> Any:
    if each.op == "literal":
        return k.const(u32, int(each.value)) != 0
    if each.op != "cast":
        return OPERATIONS[each.op](k, *inputs)
    (x,) = inputs
    source = each.inputs[0].type
    if source is pred:
        number = k.select(x, k.const(u32, 1), 0)
        return number if each.type is u32 else number.to(each.type)
    if each.type is pred:
        return x != 0
    return x if source is each.type else x.to(each.type)


def columns_of(expressions: Sequence[Expression | None]) -> list[int]:
    """The numbers of the columns that the expressions read, in the order of first sight."""
    found: dict[int, None] = {}
    stack = [each for each in reversed(expressions) if each is not None]
    while stack:
        each = stack.pop()
        if each.op == "column":
            found.setdefault(int(each.value))
        stack += reversed(each.inputs)
    return list(found)


def renumbered(expression: Expression, numbers: dict[int, int]) -> Expression:
    """The same with other numbers of its columns."""
    if expression.op == "column":
        return expression._replace(value=numbers[int(expression.value)])
    if not expression.inputs:
        return expression
    return expression._replace(inputs=tuple([renumbered(each, numbers) for each in expression.inputs]))
