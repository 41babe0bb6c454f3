"""Primary contexts with their count, contexts of one's own, the stack of each thread, limits.

The handle of a device's primary context stays the same for the life of the process; while nobody retains it, work in
it answers 709.
"""

from __future__ import annotations

from driver_ctypes.abi import enums, numbers
from ptxgen.emulated_driver.calls.registry import INIT, entry
from ptxgen.emulated_driver.errors.refusal import Refusal, invalid_value
from ptxgen.emulated_driver.pointers import i32_array, need, put_i32, put_u32, put_u64
from ptxgen.emulated_driver.state.context import Context, contexts, primary_of
from ptxgen.emulated_driver.state.epoch import changed
from ptxgen.emulated_driver.state.green import green_of
from ptxgen.emulated_driver.state.machine import machine
from ptxgen.emulated_driver.state.order import host_waited_for_all
from ptxgen.emulated_driver.state.thread import thread

Flag = numbers.CUctx_flags
Limit = numbers.CUlimit
_SCHEDULING = (Flag.SCHED_AUTO, Flag.SCHED_SPIN, Flag.SCHED_YIELD, Flag.SCHED_BLOCKING_SYNC)
_SCHED_MASK = Flag.SCHED_MASK
_FLAGS = Flag.FLAGS_MASK
MAP_HOST = Flag.MAP_HOST
API_VERSION = 3020  # what cuCtxGetApiVersion answers on driver 580
_FIXED = (Limit.SHMEM_SIZE, Limit.CIG_ENABLED)
_SETTABLE: dict[int, tuple[int, int]] = {  # limit -> (maximum, unit), as recorded on an H200
    Limit.STACK_SIZE: (523712, 16),
    Limit.MAX_L2_FETCH_GRANULARITY: (128, 1),
}
_UNSUPPORTED = (Limit.DEV_RUNTIME_SYNC_DEPTH, Limit.CIG_SHMEM_FALLBACK_ENABLED)  # on compute capability 9.0


def _check_flags(flags: int) -> None:
    if flags & ~_FLAGS or flags & _SCHED_MASK not in _SCHEDULING:
        raise invalid_value(f"context flags {flags:#x}: one way of scheduling (0, 1, 2, 4) and 8, 16, 32, 64, 128")


# --- primary contexts -------------------------------------------------------------------------------------------------


@entry("cuDevicePrimaryCtxRetain", needs=INIT)
def primary_retain(out: int | None, ordinal: int) -> None:
    device = machine.device(ordinal)
    need(out)
    with device.lock:
        if not primary_of(device).alive:
            primary_of(device).revive(device.primary_flags | MAP_HOST)
        device.retained += 1
    put_u64(out, primary_of(device).handle)


@entry("cuDevicePrimaryCtxRelease_v2", needs=INIT)
def primary_release(ordinal: int) -> None:
    device = machine.device(ordinal)
    with device.lock:
        if not device.retained:
            raise Refusal(
                enums.CUresult.ERROR_INVALID_CONTEXT, f"the primary context of device {ordinal} is not retained"
            )
        device.retained -= 1
        if not device.retained and primary_of(device).alive:
            primary_of(device).close()
            device.primary_flags = 0


@entry("cuDevicePrimaryCtxReset_v2", needs=INIT)
def primary_reset(ordinal: int) -> None:
    """Everything in the context goes, whoever retains it; retaining it anew gives a working one, also after a fault."""
    device = machine.device(ordinal)
    with device.lock:
        if primary_of(device).alive:
            primary_of(device).close()
        device.primary_flags = 0


@entry("cuDevicePrimaryCtxSetFlags_v2", needs=INIT)
def primary_set_flags(ordinal: int, flags: int) -> None:
    device = machine.device(ordinal)
    _check_flags(flags)
    with device.lock:
        device.primary_flags = flags
        if primary_of(device).alive:
            primary_of(device).flags = flags | MAP_HOST


@entry("cuDevicePrimaryCtxGetState", needs=INIT)
def primary_get_state(ordinal: int, flags: int | None, active: int | None) -> None:
    device = machine.device(ordinal)
    put_u32(flags, device.primary_flags)
    put_i32(active, int(primary_of(device).alive))


# --- contexts of one's own --------------------------------------------------------------------------------------------


def _create(out: int | None, flags: int, ordinal: int) -> None:
    need(out)
    device = machine.device(ordinal)
    _check_flags(flags)
    context = Context(device, flags)
    thread.push(context)
    put_u64(out, context.handle)


@entry("cuCtxCreate_v2", needs=INIT)
def create_v2(out: int | None, flags: int, ordinal: int) -> None:
    _create(out, flags, ordinal)


@entry("cuCtxCreate_v3", needs=INIT)
def create_v3(out: int | None, affinities: int | None, number: int, flags: int, ordinal: int) -> None:
    if number:
        raise Refusal(enums.CUresult.ERROR_UNSUPPORTED_EXEC_AFFINITY)
    _create(out, flags, ordinal)


@entry("cuCtxCreate_v4", needs=INIT)
def create_v4(out: int | None, params: int | None, flags: int, ordinal: int) -> None:
    if params and any(i32_array(params, 6)):
        raise Refusal(enums.CUresult.ERROR_UNSUPPORTED_EXEC_AFFINITY)
    _create(out, flags, ordinal)


@entry("cuCtxDestroy_v2", needs=INIT)
def destroy(handle: int | None) -> None:
    """Also pops it, if it is current in this thread."""
    if not handle:
        raise invalid_value("the context is null")
    context = contexts.find(handle)
    if context is None or context.primary:
        raise Refusal(enums.CUresult.ERROR_INVALID_CONTEXT, f"{handle:#x} is not a context that can be destroyed")
    contexts.remove(handle)
    changed()
    if thread.stack and thread.stack[-1] is context:
        thread.pop()
    context.close()


# --- what is current --------------------------------------------------------------------------------------------------


def _named(handle: int | None) -> Context:
    found = contexts.find(handle)
    if found is None:
        raise Refusal(enums.CUresult.ERROR_INVALID_CONTEXT, f"{handle or 0:#x} is not a live context")
    return found


@entry("cuCtxPushCurrent_v2", needs=INIT)
def push_current(handle: int | None) -> None:
    if not handle:
        raise invalid_value("the context is null")
    thread.push(_named(handle), green_of(handle))


@entry("cuCtxPopCurrent_v2", needs=INIT)
def pop_current(out: int | None) -> None:
    if not thread.stack:
        raise Refusal(enums.CUresult.ERROR_INVALID_CONTEXT, "no context is current in this thread")
    handle = thread.pop()
    if out:
        put_u64(out, handle)


@entry("cuCtxSetCurrent", needs=INIT)
def set_current(handle: int | None) -> None:
    """Replaces the top of the stack; NULL pops it."""
    context = _named(handle) if handle else None
    if thread.handle == (handle or 0):
        return
    if thread.stack:
        thread.pop()
    if context is not None:
        thread.push(context, green_of(handle))


@entry("cuCtxGetCurrent", needs=INIT)
def get_current(out: int | None) -> None:
    put_u64(out, thread.handle)


def _top() -> Context:
    """The current context, whatever its state."""
    if not thread.stack:
        raise Refusal(enums.CUresult.ERROR_INVALID_CONTEXT, "no context is current in this thread")
    return thread.stack[-1]


@entry("cuCtxGetDevice", needs=INIT)
def get_device(out: int | None) -> None:
    put_i32(out, _top().device.ordinal)


@entry("cuCtxGetDevice_v2", needs=INIT)
def get_device_v2(out: int | None, handle: int | None) -> None:
    put_i32(out, (_named(handle) if handle else _top()).device.ordinal)


@entry("cuCtxGetFlags")
def get_flags(context: Context, out: int | None) -> None:
    put_u32(out, context.flags)


@entry("cuCtxSetFlags")
def set_flags(context: Context, flags: int) -> None:
    _check_flags(flags)
    context.flags = flags | MAP_HOST


@entry("cuCtxGetId", needs=INIT)
def get_id(handle: int | None, out: int | None) -> None:
    put_u64(out, (_named(handle) if handle else _top()).id)


@entry("cuCtxGetApiVersion", needs=INIT)
def get_api_version(handle: int | None, out: int | None) -> None:
    if handle:
        _named(handle)
    put_u32(out, API_VERSION)


# --- waiting, limits --------------------------------------------------------------------------------------------------


def _synchronize(context: Context) -> None:
    """All work has run; a stream that captures has not, so waiting for it breaks its capture."""
    for capture in context.captures:
        capture.invalidate("the context was synchronised")
    if context.captures:
        raise Refusal(enums.CUresult.ERROR_STREAM_CAPTURE_UNSUPPORTED, "a stream of the context is capturing")
    for stream in context.running():  # other threads' work
        with stream.lock:
            pass
    host_waited_for_all(context)
    context.check()


@entry("cuCtxSynchronize")
def synchronize(context: Context) -> None:
    _synchronize(context)


@entry("cuCtxSynchronize_v2", needs=INIT)
def synchronize_v2(handle: int | None) -> None:
    _synchronize((_named(handle) if handle else _top()).check())


@entry("cuCtxGetLimit")
def get_limit(context: Context, out: int | None, limit: int) -> None:
    put_u64(out, context.limits[_limit(context, limit)])


@entry("cuCtxSetLimit", unsafe=True)
def set_limit(context: Context, limit: int, value: int) -> None:
    """Kept and reported, rounded as an H200 does it. Stacks and the heap of malloc are as large as the limits say, at least."""
    number = _limit(context, limit)
    if limit in _FIXED:
        raise Refusal(enums.CUresult.ERROR_NOT_PERMITTED, f"limit {limit} cannot be set")
    most, unit = _SETTABLE.get(limit, (1 << 63, 1))
    if limit == Limit.PERSISTING_L2_CACHE_SIZE:
        product = context.device.product
        most, unit = product.l2_persisting, product.l2 // 16
    if value > most:
        raise invalid_value(f"limit {limit} is {most} at most, not {value}")
    context.limits[number] = -(-value // unit) * unit
    if limit == Limit.STACK_SIZE:
        context.device.arena.stack_bytes = context.limits[number]
    elif limit == Limit.MALLOC_HEAP_SIZE:
        context.device.arena.heap_bytes = context.limits[number]


def _limit(context: Context, limit: int) -> int:
    if limit in _UNSUPPORTED:
        raise Refusal(enums.CUresult.ERROR_UNSUPPORTED_LIMIT, f"limit {limit} is not supported")
    if limit not in context.limits:
        raise invalid_value(f"limit {limit} is unknown")
    return limit


@entry("cuCtxGetCacheConfig")
def get_cache_config(context: Context, out: int | None) -> None:
    put_i32(out, context.cache_config)


@entry("cuCtxSetCacheConfig")
def set_cache_config(context: Context, config: int) -> None:
    from driver_ctypes.abi.enums import CUfunc_cache

    if config not in set(CUfunc_cache):
        raise invalid_value(f"cache configuration {config}: 0 to 3")
    context.cache_config = config


@entry("cuCtxResetPersistingL2Cache")
def reset_persisting_l2_cache(context: Context) -> None:
    """There is no such cache."""
