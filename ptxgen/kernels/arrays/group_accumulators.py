"""What is kept of a group of rows, and how values become that and results become of it: see group_cache.py.

Shared memory has compare-and-swap of 64 bits but no addition, so a sum of integers is two words, with a carry from the lower one.
The smallest and largest of floats are those of integers in their order; NaN is before or behind all of them, and so counts only
where there is nothing else.
"""

from __future__ import annotations

from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple
from ptxgen.builder import f32, f64, s32, s64, u32, u64

if TYPE_CHECKING:
    from ptxgen.builder import Builder
    from ptxgen.builder.values import Value

__all__ = ["Accumulator", "accumulated", "accumulator_of", "result_of", "value_of", "word_of"]


class Accumulator(NamedTuple):
    """What is kept of a group: the "sum", "min" or "max" of a column of values as `element`, or the "count" of rows. `nonzero`:
    of a value, whether it is not 0."""

    op: str
    column: int
    element: type[Value]
    nonzero: bool = False

    @property
    def halves(self) -> bool:
        """Is it kept as two words?"""
        return self.op == "sum" and self.element is not f64

    @property
    def nothing(self) -> int:
        """The accumulator of no row."""
        isa = self.element.isa
        if self.op not in ("min", "max"):
            return 0
        low = -(1 << isa.bits - 1) if isa.is_signed else 0
        return low + (1 << isa.bits) - 1 if self.op == "min" else low


def accumulator_of(op: str, column: int, element: type[Value]) -> Accumulator:
    """Of a column of a type, by "sum", "min", "max", "any", "all", "count", or "mean": its sum, in f64 where the sum of integers
    might not fit into 64 bits."""
    isa = element.isa
    if op == "count":
        return Accumulator("count", -1, u32)
    if op in ("any", "all"):
        return Accumulator("max" if op == "any" else "min", column, u32, nonzero=True)
    if op in ("sum", "mean"):
        real = isa.is_float or (op == "mean" and isa.bits == 64)
        return Accumulator("sum", column, f64 if real else s64 if isa.is_signed else u64)
    signed = isa.is_signed or isa.is_float
    return Accumulator(op, column, (s64 if signed else u64) if isa.bits == 64 else s32 if signed else u32)


def accumulated(k: Builder, how: Accumulator, value: Any) -> Any:
    """A value as what its accumulator adds up or compares."""
    if how.nonzero:
        return k.select(value != 0, k.const(u32, 1), 0)
    if how.op == "sum" or not value.isa.is_float:
        return value.to(how.element) if type(value) is not how.element else value
    real = value if value.isa.bits >= 32 else value.to(f32)
    return k.select(k.is_nan(real), k.const(how.element, how.nothing), _ordered(real.bits(how.element)))


def result_of(k: Builder, how: Accumulator, found: Any, element: type[Value]) -> Any:
    """An accumulator as a number of the type of a result."""
    if how.op in ("min", "max") and element.isa.is_float:
        real = _ordered(found).bits(f64 if found.isa.bits == 64 else f32)
        return real if real.isa is element.isa else real.to(element)
    return found if type(found) is element else found.to(element)


def _ordered(bits: Any) -> Any:
    """Bits of a float as an integer in the same order, and back."""
    return bits ^ ((bits >> bits.isa.bits - 1) & ((1 << bits.isa.bits - 1) - 1))


def word_of(how: Accumulator, value: Any) -> Any:
    """An accumulator as 64 bits."""
    return value.bits(u64) if how.element.isa.bits == 64 else value.bits(u32).to(u64)


def value_of(how: Accumulator, word: Any) -> Any:
    """And back."""
    isa = how.element.isa
    narrow = word if isa.bits == 64 else word.to(u32)
    return narrow if isa.kind == "u" else narrow.bits(how.element)
