"""Streams, and how work runs in them: at once, in the calling thread, one piece after the other.

What a stream runs is a `NodeWork`, which a node of a graph holds too: a capture only puts it aside.
"""

from __future__ import annotations

import ctypes

from driver_ctypes.abi import enums
from driver_ctypes.abi.constants import CU_STREAM_LEGACY, CU_STREAM_PER_THREAD
from driver_ctypes.primitives import get_ident
from driver_ctypes.typing import Any
from ptxgen.emulated_driver import numbers
from ptxgen.emulated_driver.calls.capture_rules import refuse_implicit, refuse_unsafe
from ptxgen.emulated_driver.calls.registry import INIT, entry
from ptxgen.emulated_driver.errors.refusal import Refusal, invalid_handle, invalid_value
from ptxgen.emulated_driver.pointers import need, put_bytes, put_i32, put_u32, put_u64, struct
from ptxgen.emulated_driver.state.context import Context, Stream, streams
from ptxgen.emulated_driver.state.epoch import changed
from ptxgen.emulated_driver.state.graph import ExecutionContext, NodeWork
from ptxgen.emulated_driver.state.machine import machine
from ptxgen.emulated_driver.state.order import host_waited, running, stream_destroyed
from ptxgen.emulated_driver.state.thread import thread

LEGACY, PER_THREAD = CU_STREAM_LEGACY, CU_STREAM_PER_THREAD
LEAST_PRIORITY, GREATEST_PRIORITY = 0, -5
A = numbers.CUlaunchAttributeID
_ATTRIBUTES: dict[int, int] = {  # of a stream -> bytes of its value
    A.ACCESS_POLICY_WINDOW: 32,
    A.SYNCHRONIZATION_POLICY: 4,
    A.PRIORITY: 4,
    A.MEM_SYNC_DOMAIN_MAP: 2,
    A.MEM_SYNC_DOMAIN: 4,
}
_DEFAULTS: dict[int, int] = {A.SYNCHRONIZATION_POLICY: -1, A.MEM_SYNC_DOMAIN_MAP: 0x100}


def enqueue(stream: Stream, work: NodeWork) -> None:
    if stream.capture is not None:
        stream.capture.add(stream, work)
    else:
        stream.do(work)


def legacy(context: Context) -> Stream:
    """The legacy default stream. Using it while a blocking stream of the context captures breaks that capture."""
    if context.captures:
        refuse_implicit(context)
    return context.legacy


def per_thread(context: Context) -> Stream:
    key = get_ident()
    found = context.per_thread.get(key)
    if found is None:
        found = context.per_thread.setdefault(key, Stream(context, handle=PER_THREAD))
    return found


def stream_of(context: Context, handle: int | None) -> Stream:
    """The stream a caller names, fit for work."""
    if handle == LEGACY or (not handle and not thread.own_stream):
        return legacy(context) if context.captures else context.legacy
    if not handle or handle == PER_THREAD:
        return per_thread(context)
    stream = streams.get(handle)
    if stream.context is not context:
        stream.context.check()
    return stream


# --- making and asking ------------------------------------------------------------------------------------------------


@entry("cuStreamCreate")
def stream_create(context: Context, out: int | None, flags: int) -> None:
    stream_create_with_priority(context, out, flags, 0)


@entry("cuStreamCreateWithPriority")
def stream_create_with_priority(context: Context, out: int | None, flags: int, priority: int) -> None:
    """Priorities outside the range are taken to its nearer end."""
    need(out)
    if flags not in (numbers.CUstream_flags.DEFAULT, numbers.CUstream_flags.NON_BLOCKING):
        raise invalid_value(f"stream flags {flags}: 0 or 1 (non-blocking)")
    stream = Stream(context, flags, min(max(priority, GREATEST_PRIORITY), LEAST_PRIORITY))
    stream.green = thread.green
    put_u64(out, stream.handle)


@entry("cuStreamDestroy_v2", needs=INIT)
def stream_destroy(handle: int | None) -> None:
    """Also a capturing stream may be destroyed; its capture is lost."""
    if not handle or handle in (LEGACY, PER_THREAD):
        raise invalid_handle("stream that can be destroyed", handle)
    streams.get(handle).context.check()
    stream = streams.remove(handle)
    stream.context.disown(handle)
    stream_destroyed(stream)
    if stream.capture is not None:
        stream.capture.stream_destroyed(stream)


@entry("cuCtxGetStreamPriorityRange")
def ctx_get_stream_priority_range(context: Context, least: int | None, greatest: int | None) -> None:
    if least:
        put_i32(least, LEAST_PRIORITY)
    if greatest:
        put_i32(greatest, GREATEST_PRIORITY)


def _known(context: Context, handle: int | None) -> Stream:
    """The stream a caller asks about; asking does not count as using the legacy stream."""
    asked_legacy = handle == LEGACY or (not handle and not thread.own_stream)
    return context.legacy if asked_legacy else stream_of(context, handle)


@entry("cuStreamGetPriority")
def stream_get_priority(context: Context, handle: int | None, out: int | None) -> None:
    put_i32(out, stream_of(context, handle).priority)


@entry("cuStreamGetFlags")
def stream_get_flags(context: Context, handle: int | None, out: int | None) -> None:
    """The one query that a capturing stream refuses, and that breaks its capture."""
    stream = stream_of(context, handle)
    if stream.capture is not None:
        stream.capture.refuse("cuStreamGetFlags asks about a capturing stream")
    put_u32(out, stream.flags)


@entry("cuStreamGetCtx")
def stream_get_ctx(context: Context, handle: int | None, out: int | None) -> None:
    put_u64(out, _known(context, handle).context.handle)


@entry("cuStreamGetDevice")
def stream_get_device(context: Context, handle: int | None, out: int | None) -> None:
    put_i32(out, _known(context, handle).context.device.ordinal)


@entry("cuStreamGetId")
def stream_get_id(context: Context, handle: int | None, out: int | None) -> None:
    put_u64(out, _known(context, handle).id)


@entry("cuStreamGetAttribute")
def stream_get_attribute(context: Context, handle: int | None, attribute: int, out: int | None) -> None:
    stream = _known(context, handle)
    if attribute not in _ATTRIBUTES:
        raise invalid_value(f"attribute {attribute} is not a stream attribute")
    default = stream.priority if attribute == A.PRIORITY else _DEFAULTS.get(attribute, 0)
    value = stream.attributes.get(attribute) or default.to_bytes(64, "little", signed=True)
    put_bytes(out, value[: _ATTRIBUTES[attribute]])


@entry("cuStreamSetAttribute")
def stream_set_attribute(context: Context, handle: int | None, attribute: int, value: int | None) -> None:
    from driver_ctypes.abi.structs import CUlaunchAttributeValue

    stream = _known(context, handle)
    if attribute not in _ATTRIBUTES:
        raise invalid_value(f"attribute {attribute} is not a stream attribute")
    wanted = struct(CUlaunchAttributeValue, value)
    if attribute == A.PRIORITY:
        stream.priority = min(max(wanted.priority, GREATEST_PRIORITY), LEAST_PRIORITY)
    else:
        stream.attributes[attribute] = bytes(wanted)


@entry("cuStreamCopyAttributes")
def stream_copy_attributes(context: Context, target: int | None, source: int | None) -> None:
    to, origin = _known(context, target), _known(context, source)
    to.attributes = dict(origin.attributes)
    to.priority = origin.priority


# --- waiting ----------------------------------------------------------------------------------------------------------


def settle(context: Context, handle: int | None) -> None:
    """What synchronizing and querying a stream do: all work has run, so only rules are left, and an earlier fault."""
    stream = stream_of(context, handle)
    if stream.capture is not None:
        stream.capture.refuse("the stream is capturing: its work has not run, so there is nothing to wait for")
    if machine.captures:
        refuse_unsafe()
    with stream.lock:  # another thread's work in this stream
        pass
    host_waited(stream)
    stream.context.check()


@entry("cuStreamSynchronize")
def stream_synchronize(context: Context, handle: int | None) -> None:
    settle(context, handle)


@entry("cuStreamQuery")
def stream_query(context: Context, handle: int | None) -> None:
    """NOT_READY while another thread's work is running in the stream."""
    busy = stream_of(context, handle).lock.locked()
    if busy:
        raise Refusal(enums.CUresult.ERROR_NOT_READY)
    settle(context, handle)


# --- host functions ---------------------------------------------------------------------------------------------------

_HOST_FUNCTION = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)


class Host(NodeWork):
    """A call of the caller's C function. It may not call the driver."""

    __slots__ = ("data", "function")
    kind = numbers.CUgraphNodeType.HOST

    def __init__(self, function: int | None, data: int | None) -> None:
        if not function:
            raise invalid_value("the host function is null")
        self.function = function
        self.data = data

    def run(self, context: ExecutionContext) -> None:
        if running.stream is not None:
            host_waited(running.stream)  # the host knows now that what stands before is over
        call_host(_HOST_FUNCTION(self.function), self.data)


def call_host(function: Any, *args: Any) -> None:
    thread.in_host_function = True
    changed()
    try:
        function(*args)
    finally:
        thread.in_host_function = False


@entry("cuLaunchHostFunc")
def launch_host_func(context: Context, handle: int | None, function: int | None, data: int | None) -> None:
    enqueue(stream_of(context, handle), Host(function, data))


@entry("cuStreamAddCallback")
def stream_add_callback(
    context: Context, handle: int | None, callback: int | None, data: int | None, flags: int
) -> None:
    if flags or not callback:
        raise invalid_value("flags must be 0 and the callback not null")
    stream = stream_of(context, handle)
    if stream.capture is not None:
        stream.capture.refuse("callbacks cannot be captured: cuLaunchHostFunc can")
    call_host(_CALLBACK(callback), handle, 0, data)
