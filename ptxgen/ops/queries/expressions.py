"""What users write: expressions over columns, which compute nothing until a query runs.

Arithmetic of integers is exact while it fits 64 bits: + - * // % of integers give s64, or u64 where both are unsigned and the
operation is no subtraction; beyond 64 bits it wraps. `/` gives f64, or f32 of f32s. An integer with a float is computed in f64; a
Python number takes the type of the other side. Comparisons are exact between all integer types. Columns of 8 and 16 bits count
as 32 bits wide, f16 as f32.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from ptxgen.builder import f16, f32, f64, pred, s32, s64, u8, u32, u64
from ptxgen.builder.core.numbers import plain
from ptxgen.errors import BuildError
from ptxgen.kernels.queries.expressions import Expression, columns_of
from ptxgen.ops.arguments import check_element

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import NoReturn

    from ptxgen.builder.values import Value
    from ptxgen.host import Array

__all__ = ["Aggregate", "BaseColumn", "Expr", "alike", "as_expr", "canonical", "column", "where"]


class BaseColumn(NamedTuple):
    """A column of a table that a caller made: its array, the number of the table, and its name there."""

    array: Array
    table: int
    name: str


class Aggregate:
    """An aggregate of an expression's values; `value` is None where rows are counted."""

    __slots__ = ("op", "value")

    def __init__(self, op: str, value: Expr | None) -> None:
        self.op, self.value = op, value

    def __repr__(self) -> str:
        return f"<{self.op} of {self.value if self.value is not None else 'rows'}>"


class Expr:
    """An expression: `tree` over columns by number, and `columns`, what the numbers mean. `stored` is the type of a column of its
    values; so many `bits` of a value can differ."""

    __slots__ = ("bits", "columns", "stored", "tree")

    def __init__(self, tree: Expression, columns: Mapping[int, BaseColumn], stored: type[Value] | None = None) -> None:
        self.tree, self.columns = tree, dict(columns)
        self.stored = stored or tree.type
        kind = tree.type if tree.type.isa.is_float else self.stored
        self.bits = 1 if tree.type is pred else kind.isa.bits

    @property
    def type(self) -> type[Value]:
        """The type of its values."""
        return self.tree.type

    @property
    def is_condition(self) -> bool:
        """Whether it is true or false."""
        return self.tree.type is pred

    def of(self, tree: Expression) -> Expr:
        """A part of it."""
        return Expr(tree, {number: self.columns[number] for number in columns_of([tree])})

    def __repr__(self) -> str:
        return f"<expression of .{self.stored.isa.name}: {self._text(self.tree)}>"

    def _text(self, tree: Expression) -> str:
        if tree.op == "column":
            return self.columns[int(tree.value)].name
        if tree.op == "literal":
            return str(tree.value)
        return f"{tree.op}({', '.join(map(self._text, tree.inputs))})"

    def __bool__(self) -> NoReturn:
        raise BuildError("an expression has no truth value before a query runs", hint="& | ~ in place of and, or, not")

    def __iter__(self) -> NoReturn:
        raise BuildError("an expression has no elements before a query runs", hint="table.select(...) gives arrays")

    __hash__ = object.__hash__

    def number(self) -> Expr:
        """A condition as a u8, 0 or 1; what is a number as it is."""
        return self.cast(u8) if self.is_condition else self

    # --- arithmetic ---------------------------------------------------------------------------------------------------

    def __add__(self, other: Any) -> Expr:
        return _arithmetic("add", self, other)

    def __radd__(self, other: Any) -> Expr:
        return _arithmetic("add", other, self)

    def __sub__(self, other: Any) -> Expr:
        return _arithmetic("sub", self, other)

    def __rsub__(self, other: Any) -> Expr:
        return _arithmetic("sub", other, self)

    def __mul__(self, other: Any) -> Expr:
        return _arithmetic("mul", self, other)

    def __rmul__(self, other: Any) -> Expr:
        return _arithmetic("mul", other, self)

    def __truediv__(self, other: Any) -> Expr:
        return _arithmetic("truediv", self, other)

    def __rtruediv__(self, other: Any) -> Expr:
        return _arithmetic("truediv", other, self)

    def __floordiv__(self, other: Any) -> Expr:
        return _arithmetic("floordiv", self, other)

    def __rfloordiv__(self, other: Any) -> Expr:
        return _arithmetic("floordiv", other, self)

    def __mod__(self, other: Any) -> Expr:
        return _arithmetic("mod", self, other)

    def __rmod__(self, other: Any) -> Expr:
        return _arithmetic("mod", other, self)

    def __neg__(self) -> Expr:
        return _unary("neg", self)

    def abs(self) -> Expr:
        """The value without its sign."""
        return _unary("abs", self)

    # --- conditions ---------------------------------------------------------------------------------------------------

    def __eq__(self, other: object) -> Expr:  # type: ignore[override]
        return _compare("eq", self, other)

    def __ne__(self, other: object) -> Expr:  # type: ignore[override]
        return _compare("ne", self, other)

    def __lt__(self, other: Any) -> Expr:
        return _compare("lt", self, other)

    def __le__(self, other: Any) -> Expr:
        return _compare("le", self, other)

    def __gt__(self, other: Any) -> Expr:
        return _compare("gt", self, other)

    def __ge__(self, other: Any) -> Expr:
        return _compare("ge", self, other)

    def __and__(self, other: Any) -> Expr:
        return _logic("and", self, other)

    def __rand__(self, other: Any) -> Expr:
        return _logic("and", other, self)

    def __or__(self, other: Any) -> Expr:
        return _logic("or", self, other)

    def __ror__(self, other: Any) -> Expr:
        return _logic("or", other, self)

    def __xor__(self, other: Any) -> Expr:
        return _logic("xor", self, other)

    def __rxor__(self, other: Any) -> Expr:
        return _logic("xor", other, self)

    def __invert__(self) -> Expr:
        if not self.is_condition:
            raise BuildError(f"~ of {self!r}", hint="~ is for conditions: x ^ -1 inverts the bits of an integer")
        return _made("not", pred, self)

    def between(self, low: Any, high: Any) -> Expr:
        """low <= value <= high."""
        return _logic("and", self >= low, self <= high)

    def isin(self, values: Iterable[Any]) -> Expr:
        """Whether the value is one of these."""
        found: Expr | None = None
        if not hasattr(values, "__iter__"):
            raise BuildError(f"isin of {values!r:.60}", hint="x.isin([1, 2])")
        for value in values:
            found = self == value if found is None else found | (self == value)
        return as_expr(False) if found is None else found

    def is_nan(self) -> Expr:
        """Whether a float is NaN; integers never are."""
        return _made("isnan", pred, self) if self.type.isa.is_float else as_expr(False)

    def cast(self, type: Any) -> Expr:
        """The value as another type. Integers wrap; floats are truncated, and what does not fit becomes the nearest integer."""
        wanted = check_element("cast", type, bits=(8, 16, 32, 64), also=(f32,))
        compute = _compute_type(wanted)
        made = _cast(self, compute)
        if wanted.isa.bits < 32 and self.type.isa.is_float and not wanted.isa.is_float:
            least = -(1 << (wanted.isa.bits - 1)) if wanted.isa.is_signed else 0
            most = least + (1 << wanted.isa.bits) - 1
            made = _made("max", compute, _made("min", compute, made, _literal(most, compute)), _literal(least, compute))
        elif wanted.isa.bits < 32 and not wanted.isa.is_float:
            unit = 1 << wanted.isa.bits
            low = _made("bitand", compute, made, _literal(unit - 1, compute))
            if wanted.isa.is_signed:
                high = _made("ge", pred, low, _literal(unit // 2, compute))
                low = _made("where", compute, high, _made("sub", compute, low, _literal(unit, compute)), low)
            made = low
        return Expr(made.tree, made.columns, wanted)

    # --- aggregates ---------------------------------------------------------------------------------------------------

    def sum(self) -> Aggregate:
        """The sum: s64 or u64 of integers, which wraps, f64 of floats, u64 of conditions."""
        return Aggregate("sum", self)

    def mean(self) -> Aggregate:
        """The sum divided by how many there are, in f64; NaN of nothing."""
        return Aggregate("mean", self)

    def min(self) -> Aggregate:
        """The smallest value; of a number and NaN the number. Of nothing NaN, or the largest value of the type."""
        return Aggregate("min", self)

    def max(self) -> Aggregate:
        """The largest value; of a number and NaN the number. Of nothing NaN, or the smallest value of the type."""
        return Aggregate("max", self)

    def count(self) -> Aggregate:
        """How many rows there are, u32: there are no nulls. `condition.sum()` counts where one holds."""
        return Aggregate("count", None)


def column(number: int, base: BaseColumn, kind: type[Value]) -> Expr:
    """A column by itself, of its compute type."""
    leaf = Expression("column", kind, (), number)
    compute = _compute_type(kind)
    return Expr(leaf if compute is kind else Expression("cast", compute, (leaf,)), {number: base}, kind)


def as_expr(value: Any) -> Expr:
    """An expression, or a Python number as one."""
    if isinstance(value, Expr):
        return value
    if isinstance(value, Aggregate):
        raise BuildError(
            f"the aggregate {value.op} inside an expression", hint="compute with the results of the query, or join them"
        )
    number = plain(value)
    if isinstance(number, bool) or str(getattr(value, "dtype", "")) == "bool":
        return Expr(Expression("literal", pred, (), bool(number)), {})
    if isinstance(number, int):
        for kind in (s32, s64, u64):
            if _fits(number, kind):
                return _literal(number, kind)
        raise BuildError(f"{number} does not fit 64 bits")
    if isinstance(number, float):
        return _literal(number, f64)
    raise BuildError(f"{value!r} in an expression", hint="a column, an expression or a number")


def where(condition: Any, then: Any, otherwise: Any) -> Expr:
    """`then` in the rows where the condition holds, else `otherwise`; nested, a case with several conditions."""
    chosen = as_expr(condition)
    if not chosen.is_condition:
        raise BuildError(f"where of {chosen!r}, which is no condition", hint="x != 0")
    a, b = as_expr(then), as_expr(otherwise)
    kind = pred if a.is_condition and b.is_condition else _common(a, b)
    return (
        _made("where", kind, chosen, _cast(a, kind), _cast(b, kind))
        if kind is not pred
        else (chosen & a) | (~chosen & b)
    )


def canonical(value: Expr, equal: str) -> Expr:
    """A key as it is compared: as it is where `equal` is "bits", floats with one zero and one NaN where it is "numbers"."""
    if equal not in ("bits", "numbers"):
        raise BuildError(f"equal={equal!r}", hint='"bits" or "numbers"')
    return value if equal == "bits" or not value.type.isa.is_float else where(value.is_nan(), math.nan, value + 0.0)


def alike(a: Expr, b: Expr) -> tuple[Expr, Expr]:
    """Two keys as one type, in which their bits are equal where they are."""
    if a.stored is b.stored:
        return a, b
    kind = _common(a, b)
    return _cast(_number(a), kind), _cast(_number(b), kind)


# --- types ------------------------------------------------------------------------------------------------------------


def _compute_type(kind: type[Value]) -> type[Value]:
    if kind is f16:
        return f32
    if kind.isa.is_float or kind.isa.bits >= 32:
        return kind
    return s32 if kind.isa.is_signed else u32


def _fits(number: int, kind: type[Value]) -> bool:
    bits, signed = kind.isa.bits, kind.isa.is_signed
    low = -(1 << (bits - 1)) if signed else 0
    return low <= number < low + (1 << bits)


def _literal(number: float, kind: type[Value]) -> Expr:
    return Expr(Expression("literal", kind, (), number), {})


def _is_literal(value: Expr) -> bool:
    return value.tree.op == "literal"


def _made(op: str, kind: type[Value], *inputs: Expr) -> Expr:
    columns: dict[int, BaseColumn] = {}
    for each in inputs:
        columns |= each.columns
    return Expr(Expression(op, kind, tuple([each.tree for each in inputs])), columns)


def _cast(value: Expr, kind: type[Value]) -> Expr:
    if value.type is kind:
        return value
    if _is_literal(value) and kind is not pred:
        number = value.tree.value
        if kind.isa.is_float:
            return _literal(float(number), kind)
        if not value.type.isa.is_float:
            return _literal(_wrapped(int(number), kind), kind)
    return _made("cast", kind, value)


def _wrapped(number: int, kind: type[Value]) -> int:
    bits = kind.isa.bits
    number &= (1 << bits) - 1
    return number - (1 << bits) if kind.isa.is_signed and number >> (bits - 1) else number


def _number(value: Expr) -> Expr:
    """A condition as 0 or 1."""
    return _cast(value, u32) if value.is_condition else value


def _common(a: Expr, b: Expr) -> type[Value]:
    """The type that holds both: a Python number takes the type of the other where it fits."""
    a, b = _number(a), _number(b)
    for one, other in ((a, b), (b, a)):
        if _is_literal(one) and not _is_literal(other):
            if other.type.isa.is_float:
                return other.type
            if not one.type.isa.is_float and _fits(int(one.tree.value), other.type):
                return other.type
    kinds = {a.type, b.type}
    if len(kinds) == 1:
        return a.type
    if any(kind.isa.is_float for kind in kinds):
        return f64
    return s64 if any(kind.isa.is_signed for kind in kinds) else u64


def _arithmetic(op: str, left: Any, right: Any) -> Expr:
    a, b = _number(as_expr(left)), _number(as_expr(right))
    kind = _common(a, b)
    if not kind.isa.is_float:
        if op == "truediv":
            kind = f64
        else:
            unsigned = not any(each.type.isa.is_signed and not _natural(each) for each in (a, b))
            kind = u64 if unsigned and op != "sub" else s64
    elif op in ("floordiv", "mod"):
        sign = "//" if op == "floordiv" else "%"
        raise BuildError(f"{sign} of floats", hint="(a / b).cast(px.s64), or integers")
    return _made(op, kind, _cast(a, kind), _cast(b, kind))


def _natural(value: Expr) -> bool:
    """Whether it is a Python number that is not negative: it takes the sign of the other side."""
    return _is_literal(value) and value.tree.value >= 0


def _unary(op: str, value: Expr) -> Expr:
    number = _number(value)
    kind = number.type if number.type.isa.is_float else s64
    if op == "abs" and not (number.type.isa.is_float or number.type.isa.is_signed):
        return number
    return _made(op, kind, _cast(number, kind))


def _compare(op: str, left: Expr, right: Any) -> Expr:
    b = as_expr(right)
    if left.is_condition and b.is_condition and op in ("eq", "ne"):
        different: Expr = _logic("xor", left, b)
        return different if op == "ne" else _made("not", pred, different)
    left, b = _number(left), _number(b)
    if u64 in (left.type, b.type) and s64 is _common(left, b):
        return _compare_signs(op, left, b)
    kind = _common(left, b)
    known = None if kind.isa.is_float else _known(op, _cast(left, kind).tree, _cast(b, kind).tree, kind)
    return _made(op, pred, _cast(left, kind), _cast(b, kind)) if known is None else as_expr(known)


def _known(op: str, a: Expression, b: Expression, kind: type[Value]) -> bool | None:
    """What a comparison of integers is in every row, where that is known: a verifier would wonder about it."""
    if a == b:
        return op in ("eq", "le", "ge")
    if a.op == "literal" and b.op != "literal":
        return _known(_TURNED[op], b, a, kind)
    if b.op != "literal" or a.op == "literal":
        return None
    low = -(1 << (kind.isa.bits - 1)) if kind.isa.is_signed else 0
    if b.value == low and op in ("lt", "ge"):
        return op == "ge"
    return op == "le" if b.value == low + (1 << kind.isa.bits) - 1 and op in ("gt", "le") else None


_TURNED = {"eq": "eq", "ne": "ne", "lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}


def _compare_signs(op: str, a: Expr, b: Expr) -> Expr:
    """A signed and an unsigned integer of 64 bits: what is negative is smaller than all that is unsigned."""
    if a.type is u64:
        return _compare_signs(_TURNED[op], b, a)
    negative = _made("lt", pred, a, _literal(0, a.type))
    whole = _made(op, pred, _cast(_cast(a, s64), u64), b)
    return negative | whole if op in ("ne", "lt", "le") else ~negative & whole


def _logic(op: str, left: Any, right: Any) -> Expr:
    a, b = as_expr(left), as_expr(right)
    if a.is_condition and b.is_condition:
        return _made({"xor": "bitxor"}.get(op, op), pred, a, b)
    if a.is_condition or b.is_condition or any(each.type.isa.is_float for each in (a, b)):
        raise BuildError(
            f"{op} of {a!r} and {b!r}", hint="& | ^ take two conditions or two integers; put comparisons in parentheses"
        )
    kind = _common(a, b)
    return _made(f"bit{op}", kind, _cast(a, kind), _cast(b, kind))
