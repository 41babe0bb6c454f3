"""Constants and variables of any type, vectors among them: `k.const` and `k.var`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, cast

from ptxgen.builder.core.numbers import plain
from ptxgen.builder.core.source import build_error
from ptxgen.builder.values import arithmetic
from ptxgen.builder.values.pairs import pair_type
from ptxgen.builder.values.scalars import Value
from ptxgen.builder.values.vectors import vec

if TYPE_CHECKING:
    from ptxgen.builder.core.function_builder import FunctionBuilder

__all__ = ["constant", "variable", "vector"]

T = TypeVar("T", bound="Value | vec")


def constant(k: FunctionBuilder, type: type[T], value: int | float) -> T:
    """A constant of a type, where the type of a plain Python number is not clear from its use; of a vector, in every lane.
    BuildError when the type cannot hold it."""
    kind: Any = type
    if not hasattr(kind, "lanes"):
        single: T = arithmetic.constant(k, kind, value)
        return single
    several: T = kind([arithmetic.constant(k, kind.element, value)] * kind.lanes)
    return several


def variable(k: FunctionBuilder, type: type[T], value: T | int | float | None = None) -> T:
    """A variable: registers that may be written again with `+=`, `set` or an exact instruction. No value: unwritten.
    That of a vector of f16 or bf16 has two lanes a register, as their arithmetic has."""
    kind, initial = cast("tuple[Any, Any]", (type, value))
    if not hasattr(kind, "lanes"):
        single: T = arithmetic.variable(k, kind, initial)
        return single
    isa, lanes = kind.element.isa, kind.lanes
    if isa.is_float and isa.bits == 16 and not lanes % 2:
        pair = pair_type(kind.element)
        several = kind((), pairs=tuple(arithmetic.variable(k, pair) for _ in range(lanes // 2)))
    else:
        several = kind([arithmetic.variable(k, kind.element) for _ in range(lanes)])
    if initial is not None:
        several.set(initial)
    made: T = several
    return made


def vector(k: FunctionBuilder, *lanes: Any) -> vec:
    """A vector of 2 to 16 values of one type; numbers beside a value become constants of its type."""
    found = next((type(lane) for lane in lanes if isinstance(lane, Value)), None)
    if found is None:
        raise build_error(
            "PTX220", f"a vector of {lanes!r:.60}", expected="values of a type", hint="k.const(px.vec[f32, 4], 0)"
        )
    kind = vec.__class_getitem__((found, len(lanes)))
    lanes = tuple(map(plain, lanes))
    return kind([arithmetic.constant(k, found, each) if isinstance(each, (int, float)) else each for each in lanes])
