"""The caches of a native launcher's pointer parameters: what kinds of arguments its machine code reads by itself.

The slow path has just launched with these arguments, so they are good. Where machine code could have read them (memory
with the slots that `Life` describes, a tensor whose type has a C exchange table), it can do so from now on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from driver_ctypes.interop.arrays import is_foreign
from driver_ctypes.interop.exchange import exchange_table, exchanged_dtype
from driver_ctypes.trampoline.layout import slot_offset

if TYPE_CHECKING:
    from driver_ctypes.arguments.parameter import Parameter
    from driver_ctypes.launch.plan import Plan

_ANY_DTYPE, _EVERY_BIT = 0, 0xFFFF_FFFF


def fill_caches(plan: Plan, args: tuple[Any, ...]) -> bool:
    """Fill the caches for arguments of these types and elements. Returns whether machine code can read all of them."""
    known = True
    for index in plan.signature.pointers:
        value = args[index]
        if type(value) is not int:
            if hasattr(value, "_life"):
                _cache_memory(plan, index, plan.state.caches[index], value)
            elif is_foreign(value):
                known &= _cache_tensor(plan, index, plan.state.caches[index], value)
    return known


def _cache_memory(plan: Plan, index: int, cache: Any, value: Any) -> None:
    param: Parameter = plan.signature.params[index]
    element = getattr(value, "type", None) if param.element is not None else None
    address, life = slot_offset(value, "_address"), slot_offset(value, "_life")
    where = slot_offset(value, "type") if element is not None else 0
    if not (address and life) or (element is not None and not where):
        return
    cache.type = None  # whoever launches in between takes the slow path
    plan.cached[index] = (type(value), element)
    cache.exchange = None
    cache.address, cache.life, cache.element = address, life, where
    cache.wanted = id(element)
    cache.type = id(type(value))


def _cache_tensor(plan: Plan, index: int, cache: Any, value: Any) -> bool:
    table = exchange_table(type(value))
    dtype = None if table is None else exchanged_dtype(value, table[0])
    if table is None or dtype is None:
        return False
    cache.type = None
    plan.cached[index] = type(value)
    cache.exchange, cache.work_stream = table
    cache.dtype = dtype
    cache.dtype_mask = _EVERY_BIT if plan.signature.params[index].element is not None else _ANY_DTYPE
    cache.type = id(type(value))
    return True
