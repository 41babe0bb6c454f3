"""A launcher of machine code over a plan, and the caches of its pointer parameters: what kinds of arguments its machine code
reads by itself.

The slow path has just launched with these arguments, so they are good. Where machine code could have read them (memory
with the slots that `Life` describes, a tensor whose type has a C exchange table), it can do so from now on. CuPy's arrays
have no table, and all that `place` finds out about each of them costs several times the launch: `CupyReader` keeps it for
the next array of the same type, element type and device.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable

from driver_ctypes.interop import dlpack
from driver_ctypes.interop.arrays import is_foreign, read_cupy, reader_of, same_stream
from driver_ctypes.interop.dlpack import exchange_table, exchanged_dtype
from driver_ctypes.launch.sending import Slot, place
from driver_ctypes.trampoline.layout import slot_offset
from driver_ctypes.typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from driver_ctypes.arguments.parameter import Parameter
    from driver_ctypes.arguments.signature import Signature
    from driver_ctypes.launch.plan import Launcher, Plan
    from driver_ctypes.trampoline.code import Shape


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


CupyReader = Callable[[tuple[Any, ...]], "list[Any] | None"]
"""The arguments with addresses in the place of CuPy's arrays; None where anything is not as it was."""


def reader_like(plan: Plan, args: tuple[Any, ...]) -> CupyReader | None:
    """How to read arguments like these, which were launched on the plan's own stream; None where another library has a part."""
    signature, rows = plan.signature, []
    for index in signature.pointers:
        value = args[index]
        if type(value) is int or not is_foreign(value):
            continue
        if reader_of(value) is not read_cupy:
            return None
        rows.append((index, type(value), value.dtype, signature.params[index].aligned - 1))
    count, ordinal = len(args), plan.function.context.device.ordinal
    home = same_stream(plan.stream.handle)
    current_stream = sys.modules["cupy"].cuda.get_current_stream

    def read(args: tuple[Any, ...]) -> list[Any] | None:
        if len(args) != count or same_stream(current_stream().ptr) != home:
            return None
        values = list(args)
        for index, kind, dtype, misaligned in rows:
            value = args[index]
            if type(value) is not kind or value.dtype is not dtype:
                return None
            memory = value.data
            address = memory.ptr
            if memory.device_id != ordinal or address & misaligned:
                return None
            values[index] = address
        return values

    return read if rows else None


def shapes_of(signature: Signature) -> list[Shape]:
    """The parameters as machine code sees them."""
    return [(param.kind, param.size) for param in signature.params]


def native_launcher(plan: Plan, quick: Launcher) -> Launcher:
    """A callable of machine code over the plan; what it does not take goes to *quick*, whose exceptions it raises."""
    from driver_ctypes.trampoline.code import native_callable, new_state

    function, context, signature = plan.function, plan.function.context, plan.signature
    shapes = shapes_of(signature)
    state = plan.state = new_state(shapes)
    slot = Slot(function, signature)  # its attributes and their array
    slot.configure(plan.config, plan.stream.handle)
    state.config = slot.config
    plan.cached[-1] = slot
    raw = context.driver.raw
    state.launch = ctypes.cast(raw("cuLaunchKernelEx"), ctypes.c_void_p).value
    state.ask_context = ctypes.cast(raw("cuCtxGetCurrent"), ctypes.c_void_p).value
    state.function, state.context_handle, state.context = function.handle, context.handle, id(context)
    state.last, state.serial = ctypes.addressof(context.launches.serial), plan.number
    state.stream, state.follows = same_stream(plan.stream.handle), plan.follows
    state.dl_device = dlpack.CUDA | context.device.ordinal << 32
    for index in signature.pointers:
        state.caches[index].misaligned = signature.params[index].aligned - 1

    def slow(code: int, *args: Any) -> None:
        if code:
            plan.failed(code, args)
            return
        if plan.cupy_reader is not None and not plan.guard:
            values = plan.cupy_reader(args)
            if values is not None:
                quick(*values)
                return
        if plan.frameworks and not plan.guard:
            placed = place(function, signature, plan.stream, plan.follows, args)
            if placed is not None and placed.stream == plan.stream.handle and not placed.others:
                quick(*placed.args)
                plan.frameworks = not fill_caches(plan, args)
                plan.cupy_reader = reader_like(plan, args)
                return
        quick(*args)
        plan.frameworks = not fill_caches(plan, args)

    return native_callable(state, shapes, function.name, str(plan), slow)
