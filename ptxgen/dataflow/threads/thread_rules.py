"""What integer instructions make of the numbers of threads: one function an opcode, or family, and `_RULES` to name it in."""

from __future__ import annotations

import operator
from functools import cache

from driver_ctypes.typing import TYPE_CHECKING, NamedTuple
from ptxgen.dataflow.threads.thread_integers import LARGEST_STEP, ThreadArithmetic, ThreadIntegers, power_of_two
from ptxgen.dataflow.threads.uniformity import WARP_SIZE
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["RuleInputs", "rule_of"]


class RuleInputs(NamedTuple):
    """An instruction to follow: the threads' arithmetic, where it stands, its name, what its sources are."""

    arithmetic: ThreadArithmetic
    position: int
    op: str
    inputs: list[ThreadIntegers]

    def leaf(self, step: int = 1) -> ThreadIntegers:
        """The result as a leaf of its own."""
        return self.arithmetic.leaf(("at", self.position), step)

    def with_base(self, of: ThreadIntegers, step: int, parts: tuple[int, ...]) -> ThreadIntegers:
        """A result whose base is computed from that of an input."""
        return self.arithmetic.leaf(("at", self.position), step, parts) if of.base else self.arithmetic.exact(parts)


def _copy(step: RuleInputs) -> ThreadIntegers | None:
    """mov, and conversions that keep the number; a narrower one only of what is known."""
    (source,) = step.inputs
    words = step.op.split(".")
    if words[0] == "cvt" and TYPES[words[-2]].bits < TYPES[words[-1]].bits:
        return step.arithmetic.exact(_all_as(step, source.parts, words[-2])) if source.exact else None
    return source


def _add(step: RuleInputs) -> ThreadIntegers | None:
    return step.arithmetic.sum(step.inputs[0], step.inputs[1])


def _subtract(step: RuleInputs) -> ThreadIntegers | None:
    return step.arithmetic.sum(step.inputs[0], step.inputs[1], -1)


def _negate(step: RuleInputs) -> ThreadIntegers | None:
    return step.arithmetic.times(step.inputs[0], -1)


def _multiply(step: RuleInputs) -> ThreadIntegers | None:
    one, other = step.inputs[:2]
    if one.constant is None and other.constant is None:
        if one.uniform and other.uniform:
            return step.leaf(power_of_two(one.parts[0], one.step) * power_of_two(other.parts[0], other.step))
        if one.exact and other.exact:
            return step.arithmetic.exact(step.arithmetic.each(operator.mul, one.parts, other.parts))
        return None
    return (
        step.arithmetic.times(one, other.parts[0])
        if other.constant is not None
        else step.arithmetic.times(other, one.parts[0])
    )


def _multiply_add(step: RuleInputs) -> ThreadIntegers | None:
    product = _multiply(step)
    return None if product is None else step.arithmetic.sum(product, step.inputs[2])


def _shift_left(step: RuleInputs) -> ThreadIntegers | None:
    amount = step.inputs[1].constant
    return step.arithmetic.times(step.inputs[0], 1 << amount) if amount is not None and 0 <= amount < 64 else None


def _shift_right(step: RuleInputs) -> ThreadIntegers | None:
    source, amount = step.inputs[0], step.inputs[1].constant
    if amount is None or not 0 <= amount < 64:
        return None
    if source.exact:
        return step.arithmetic.exact(
            tuple([p >> amount for p in _all_as(step, source.parts, step.op.rpartition(".")[2])])
        )
    if source.step >> amount == 0 or min(source.parts) < 0:
        return None
    return step.with_base(source, source.step >> amount, tuple([part >> amount for part in source.parts]))


def _low_bits(step: RuleInputs, source: ThreadIntegers, mask: int) -> ThreadIntegers | None:
    """source & mask, for the masks of the low bits and those that clear them."""
    if source.exact:
        return step.arithmetic.exact(tuple([part & mask for part in source.parts]))
    if 0 <= mask < source.step and mask & (mask + 1) == 0:
        return step.arithmetic.exact(tuple([part & mask for part in source.parts]))
    cleared = ~mask & (LARGEST_STEP - 1)
    if mask < 0 and cleared < source.step and cleared & (cleared + 1) == 0:
        return ThreadIntegers(source.base, tuple([part & mask for part in source.parts]), source.step)
    return None


def _and(step: RuleInputs) -> ThreadIntegers | None:
    one, other = step.inputs
    type_ = step.op.rpartition(".")[2]
    if one.constant is not None:
        one, other = other, one
    if other.constant is not None and type_ != "pred":
        return _low_bits(step, one, _as(other.constant, f"s{TYPES[type_].bits}"))
    return _bitwise(step)


def _bitwise(step: RuleInputs) -> ThreadIntegers | None:
    """or, xor and and; beside a base only of bits below it."""
    one, other = step.inputs
    function = _BITS[step.op.partition(".")[0]]
    if one.exact and other.exact:
        return step.arithmetic.exact(step.arithmetic.each(function, one.parts, other.parts))
    if other.base:
        one, other = other, one
    inside = all(0 <= part < one.step for part in (*one.parts, *other.parts))
    if other.base or not inside or function is operator.and_:
        return None
    return ThreadIntegers(one.base, tuple([function(a, b) for a, b in zip(one.parts, other.parts)]), one.step)


def _remainder(step: RuleInputs) -> ThreadIntegers | None:
    source, divisor = step.inputs[0], step.inputs[1].constant
    if not divisor or divisor < 0 or min(source.parts) < 0:
        return None
    if source.exact:
        return step.arithmetic.exact(tuple([part % divisor for part in source.parts]))
    return _low_bits(step, source, divisor - 1) if divisor & (divisor - 1) == 0 else None


def _quotient(step: RuleInputs) -> ThreadIntegers | None:
    source, divisor = step.inputs[0], step.inputs[1].constant
    if not divisor or divisor < 0 or min(source.parts) < 0:
        return None
    if source.exact:
        return step.arithmetic.exact(tuple([part // divisor for part in source.parts]))
    if divisor & (divisor - 1) or divisor > source.step:
        return None
    return step.with_base(source, source.step // divisor, tuple([part // divisor for part in source.parts]))


def _field(step: RuleInputs) -> ThreadIntegers | None:
    """bfe: `length` bits from `start` on."""
    source, start, length = step.inputs[0], step.inputs[1].constant, step.inputs[2].constant
    if start is None or length is None or ".s" in step.op or not 0 <= start < 64 or not 0 <= length < 64:
        return None
    type_ = step.op.rpartition(".")[2]
    if source.exact:
        mask = (1 << length) - 1
        return step.arithmetic.exact(tuple([p >> start & mask for p in _all_as(step, source.parts, type_)]))
    if min(source.parts) < 0 or 1 << start + length > source.step:
        return None
    return step.arithmetic.exact(tuple([part >> start & (1 << length) - 1 for part in source.parts]))


def _extreme(step: RuleInputs) -> ThreadIntegers | None:
    one, other = step.inputs
    if not one.exact or not other.exact:
        return None
    words = step.op.split(".")
    choose = min if words[0] == "min" else max
    parts = [_all_as(step, integers.parts, words[-1]) for integers in step.inputs]
    return step.arithmetic.exact(step.arithmetic.each(choose, *parts))


def _select(step: RuleInputs) -> ThreadIntegers | None:
    yes, no, which = step.inputs
    if not which.exact:
        return yes if yes == no else None
    if all(which.parts):
        return yes
    if not any(which.parts):
        return no
    if yes.base != no.base:
        return None
    parts = tuple([a if w else b for a, b, w in zip(yes.parts, no.parts, which.parts)])
    return ThreadIntegers(yes.base, parts, yes.step)


def _compare(step: RuleInputs) -> ThreadIntegers | None:
    """setp of two values whose common base cancels, as it does where nothing overflows."""
    words = step.op.split(".")
    relation = _RELATIONS.get(words[1])
    if relation is None or len(step.inputs) != 2:
        return None
    one, other = step.inputs
    if one.base != other.base:  # `tid + i < tid + n` is `i < n`
        apart = step.arithmetic.sum(one, other, -1)
        return step.leaf() if apart.uniform else None
    parts = [_all_as(step, s.parts, words[-1]) if one.exact else s.parts for s in step.inputs]
    return step.arithmetic.exact(step.arithmetic.each(relation, *parts))


def _invert(step: RuleInputs) -> ThreadIntegers | None:
    (source,) = step.inputs
    if not source.exact:
        return None
    predicate = step.op.endswith(".pred")
    return step.arithmetic.exact(tuple([int(not part) if predicate else ~part for part in source.parts]))


def _shuffled(step: RuleInputs) -> ThreadIntegers | None:
    """One lane's value in all lanes of its warp: how the number of a warp is made the same for the compiler's eyes, too."""
    source = step.inputs[0]
    lane, clamp = (step.inputs[index].constant for index in (1, 2))
    if ".idx." not in step.op or lane is None or not 0 <= lane < WARP_SIZE or clamp != WARP_SIZE - 1:
        return None
    if step.arithmetic.is_same(source.parts):
        return source
    parts: list[int] = []
    for first in range(0, len(source.parts), WARP_SIZE):
        warp = source.parts[first : first + WARP_SIZE]
        parts += [warp[min(lane, len(warp) - 1)]] * len(warp)
    return ThreadIntegers(source.base, tuple(parts), source.step)


_BITS: dict[str, Callable[[int, int], int]] = {"and": operator.and_, "or": operator.or_, "xor": operator.xor}


_RELATIONS: dict[str, Callable[[int, int], bool]] = {
    "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge,
    "lo": operator.lt, "ls": operator.le, "hi": operator.gt, "hs": operator.ge,
}  # fmt: skip


_RULES: dict[str, Callable[[RuleInputs], ThreadIntegers | None]] = {
    "mov": _copy, "cvt": _copy, "cvta": _copy, "add": _add, "sub": _subtract, "neg": _negate, "mul": _multiply,
    "mad": _multiply_add, "shl": _shift_left, "shr": _shift_right, "and": _and, "or": _bitwise, "xor": _bitwise,
    "rem": _remainder, "div": _quotient, "bfe": _field, "min": _extreme, "max": _extreme, "selp": _select, "setp": _compare,
    "not": _invert, "shfl": _shuffled,
}  # fmt: skip


@cache
def rule_of(op: str) -> Callable[[RuleInputs], ThreadIntegers | None] | None:
    """How an instruction of that name is followed; None for what is not: other opcodes, floats, halves of products, carries."""
    words = op.split(".")
    types = [TYPES[word] for word in words if word in TYPES]
    rule = _RULES.get(words[0])
    if rule is None or (not types and words[0] != "cvta"):
        return None
    if any(t.kind not in "usbp" or t.lanes > 1 for t in types) or {"hi", "cc", "sat"} & set(words):
        return None
    return rule


def _all_as(step: RuleInputs, parts: tuple[int, ...], type_: str) -> tuple[int, ...]:
    """The numbers that registers of the type hold; most often they are those already."""
    if step.arithmetic.is_same(parts):
        return step.arithmetic.same(_as(parts[0], type_))
    if type_ != "pred":
        bits = TYPES[type_].bits
        low, high = (-1 << bits - 1, 1 << bits - 1) if type_[0] == "s" else (0, 1 << bits)
        if low <= min(parts) and max(parts) < high:
            return parts
    return tuple([_as(part, type_) for part in parts])


def _as(value: int, type_: str) -> int:
    """The number that a register of the type holds."""
    if type_ == "pred":
        return int(bool(value))
    bits = TYPES[type_].bits
    value &= (1 << bits) - 1
    return value - (1 << bits) if type_[0] == "s" and value >> (bits - 1) else value
