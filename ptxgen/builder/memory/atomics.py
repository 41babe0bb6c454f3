"""Atomics (manual 9.7.13.5), and the fence that orders what stands around them. Relaxed, at GPU scope, unless stated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder.core.source import build_error
from ptxgen.builder.memory.arrays import DeviceArray
from ptxgen.builder.memory.bounded import Bounded
from ptxgen.builder.memory.pointers import E, ptr
from ptxgen.builder.values.vectors import vec
from ptxgen.ir import Address

if TYPE_CHECKING:
    from ptxgen.builder.core.function_builder import FunctionBuilder
    from ptxgen.builder.values.scalars import Value
    from ptxgen.ir import Operand

__all__ = [
    "OPERATIONS",
    "atomic",
    "atomic_add",
    "atomic_and",
    "atomic_cas",
    "atomic_dec",
    "atomic_exch",
    "atomic_inc",
    "atomic_max",
    "atomic_min",
    "atomic_or",
    "atomic_xor",
    "fence",
    "reduce_add",
    "reduce_max",
    "reduce_min",
]

OPERATIONS = dict.fromkeys(("add", "min", "max", "and", "or", "xor", "exch", "inc", "dec"), 1) | {"cas": 2}
"""Name -> how many operands it has beside the address."""

Place = ptr[E] | DeviceArray[E] | Bounded[E]
"""What an atomic takes together with an index."""


def _place(where: Place[E], index: Any) -> ptr[E]:
    if isinstance(where, DeviceArray):
        return where.at(*index) if isinstance(index, tuple) else where.at(index)
    if isinstance(where, ptr):
        return where.at(index)
    raise build_error("PTX220", f"an atomic works on a pointer or an array, not on {where!r}")


def _prepared(
    k: FunctionBuilder,
    kind: str,
    op: str,
    where: Place[E],
    index: Any,
    operands: tuple[Any, ...],
    scope: str,
    order: str,
) -> tuple[type[Any], str, tuple[Operand, ...]]:
    """(element, name of the instruction, its address and operands) of an atomic."""
    pointer = _place(where, index)
    pointer.check_writable(f"an atomic {op}")
    element = pointer.element
    if issubclass(element, vec) or element.isa.bits < 16:
        raise build_error("PTX220", f"no atomic {op} on {element.__name__}", expected="a 32- or 64-bit type")
    values = [k.use(pointer._fitting(element, value)) for value in operands]
    name, suffix = op, element.isa.name
    if op in ("and", "or", "xor", "exch", "cas"):
        suffix = f"b{element.isa.bits}"
    elif op == "add" and suffix == "s64":
        suffix = "u64"
    elif op == "add" and suffix in ("f16", "bf16", "f16x2"):
        name = "add.noftz"
    ordering = [order, scope] if order else []
    space = [pointer.space] if pointer.space else []
    parts = [kind, *ordering, *space, name, suffix]
    return element, ".".join(parts), (Address(pointer.base(k), pointer.offset), *values)


def atomic(
    k: FunctionBuilder,
    op: str,
    where: Place[E],
    index: Any,
    operands: tuple[Any, ...],
    scope: str,
    order: str,
    *,
    into: Value | None = None,
) -> E:
    """One of OPERATIONS; gives the old value."""
    old: E
    if isinstance(where, Bounded):
        old = where.atomic(
            index, lambda at, into: atomic(k, op, at, 0, operands, scope, order, into=into), returns=True
        )
    else:
        element, name, prepared = _prepared(k, "atom", op, where, index, operands, scope, order)
        old = k.emit1(element, name, *prepared, into=into)
    return old


def _reduce(k: FunctionBuilder, op: str, where: Place[E], index: Any, value: Any, scope: str, order: str) -> None:
    """An atomic whose old value nobody wants."""
    if isinstance(where, Bounded):
        where.atomic(index, lambda at, _: _reduce(k, op, at, 0, value, scope, order), returns=False)
        return
    _, name, prepared = _prepared(k, "red", op, where, index, (value,), scope, order)
    k.emit(name, *prepared)


def atomic_add(
    k: FunctionBuilder, where: Place[E], index: Any, value: Any, *, scope: str = "gpu", order: str = ""
) -> E:
    """Add and return the old value. `order` ("relaxed", "acquire", "release", "acq_rel") and `scope` go together."""
    return atomic(k, "add", where, index, (value,), scope, order)


def atomic_min(
    k: FunctionBuilder, where: Place[E], index: Any, value: Any, *, scope: str = "gpu", order: str = ""
) -> E:
    """Store the smaller and return the old value."""
    return atomic(k, "min", where, index, (value,), scope, order)


def atomic_max(
    k: FunctionBuilder, where: Place[E], index: Any, value: Any, *, scope: str = "gpu", order: str = ""
) -> E:
    """Store the larger and return the old value."""
    return atomic(k, "max", where, index, (value,), scope, order)


def atomic_and(
    k: FunctionBuilder, where: Place[E], index: Any, value: Any, *, scope: str = "gpu", order: str = ""
) -> E:
    """Bitwise and; returns the old value."""
    return atomic(k, "and", where, index, (value,), scope, order)


def atomic_or(k: FunctionBuilder, where: Place[E], index: Any, value: Any, *, scope: str = "gpu", order: str = "") -> E:
    """Bitwise or; returns the old value."""
    return atomic(k, "or", where, index, (value,), scope, order)


def atomic_xor(
    k: FunctionBuilder, where: Place[E], index: Any, value: Any, *, scope: str = "gpu", order: str = ""
) -> E:
    """Bitwise exclusive or; returns the old value."""
    return atomic(k, "xor", where, index, (value,), scope, order)


def atomic_exch(
    k: FunctionBuilder, where: Place[E], index: Any, value: Any, *, scope: str = "gpu", order: str = ""
) -> E:
    """Exchange; returns the old value."""
    return atomic(k, "exch", where, index, (value,), scope, order)


def atomic_cas(
    k: FunctionBuilder, where: Place[E], index: Any, compare: Any, value: Any, *, scope: str = "gpu", order: str = ""
) -> E:
    """Store `value` where the old one equals `compare`; returns the old value."""
    return atomic(k, "cas", where, index, (compare, value), scope, order)


def atomic_inc(
    k: FunctionBuilder, where: Place[E], index: Any, bound: Any, *, scope: str = "gpu", order: str = ""
) -> E:
    """old >= bound ? 0 : old+1, on u32; returns the old value."""
    return atomic(k, "inc", where, index, (bound,), scope, order)


def atomic_dec(
    k: FunctionBuilder, where: Place[E], index: Any, bound: Any, *, scope: str = "gpu", order: str = ""
) -> E:
    """old == 0 or old > bound ? bound : old-1, on u32; returns the old value."""
    return atomic(k, "dec", where, index, (bound,), scope, order)


def reduce_add(
    k: FunctionBuilder, where: Place[E], index: Any, value: Any, *, scope: str = "gpu", order: str = ""
) -> None:
    """Atomic add whose old value nobody wants (`red`)."""
    _reduce(k, "add", where, index, value, scope, order)


def reduce_min(
    k: FunctionBuilder, where: Place[E], index: Any, value: Any, *, scope: str = "gpu", order: str = ""
) -> None:
    """Atomic min whose old value nobody wants (`red`)."""
    _reduce(k, "min", where, index, value, scope, order)


def reduce_max(
    k: FunctionBuilder, where: Place[E], index: Any, value: Any, *, scope: str = "gpu", order: str = ""
) -> None:
    """Atomic max whose old value nobody wants (`red`)."""
    _reduce(k, "max", where, index, value, scope, order)


def fence(k: FunctionBuilder, scope: str = "gpu", order: str = "acq_rel") -> None:
    """Order this thread's memory accesses for others in `scope` ("cta", "cluster", "gpu", "sys")."""
    k.emit(f"fence.{order}.{scope}")
