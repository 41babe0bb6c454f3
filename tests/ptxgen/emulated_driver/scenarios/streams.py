"""Streams, host functions, events."""

from __future__ import annotations

import ctypes
from ctypes import byref, c_float, c_int, c_uint32, c_uint64, c_void_p
from typing import Any

from tests.ptxgen.emulated_driver.scenarios.base import (
    Cu,
    Note,
    out,
    scenario,
)


@scenario
def streams(cu: Cu, note: Note) -> None:
    context = cu.start()
    pointer, number, word = c_void_p(), c_int(), c_uint64()
    note("create null", cu.cuStreamCreate(None, 0))
    note("create flags", cu.cuStreamCreate(byref(pointer), 2))
    stream = cu.stream(1)
    note("flags", [cu.cuStreamGetFlags(stream, byref(number)), number.value])
    note("flags of null", [cu.cuStreamGetFlags(None, byref(number)), number.value])
    note("flags of per-thread", [cu.cuStreamGetFlags(2, byref(number)), number.value])
    note("priority", [cu.cuStreamGetPriority(stream, byref(number)), number.value])
    note("context", [cu.cuStreamGetCtx(stream, byref(pointer)), pointer.value == context])
    note("context of null", [cu.cuStreamGetCtx(None, byref(pointer)), pointer.value == context])
    note("id", cu.cuStreamGetId(stream, byref(word)))
    note("id of legacy", [cu.cuStreamGetId(None, byref(word)), cu.cuStreamGetId(1, byref(word))])
    note("device", [cu.cuStreamGetDevice(stream, byref(number)), number.value])
    for priority in (-99, -5, -1, 0, 1):
        made = c_void_p()
        code = cu.cuStreamCreateWithPriority(byref(made), 0, priority)
        note(f"priority {priority}", [code, cu.cuStreamGetPriority(made, byref(number)), number.value])
    note("query", [cu.cuStreamQuery(stream), cu.cuStreamQuery(None), cu.cuStreamQuery(1), cu.cuStreamQuery(2)])
    note("synchronize", [cu.cuStreamSynchronize(stream), cu.cuStreamSynchronize(None), cu.cuStreamSynchronize(2)])
    note(
        "out null",
        [cu.cuStreamGetFlags(stream, None), cu.cuStreamGetPriority(stream, None), cu.cuStreamGetCtx(stream, None)],
    )
    note("destroy", cu.cuStreamDestroy_v2(stream))
    note("destroy null", cu.cuStreamDestroy_v2(None))
    note("destroy legacy", cu.cuStreamDestroy_v2(1))
    note("destroy per-thread", cu.cuStreamDestroy_v2(2))
    ran: list[int] = []
    host = ctypes.CFUNCTYPE(None, c_void_p)(lambda data: ran.append(cu.cuStreamQuery(None)))
    fresh = cu.stream()
    note("host function", [cu.cuLaunchHostFunc(fresh, host, 5), cu.cuStreamSynchronize(fresh), ran])
    note("host function null", cu.cuLaunchHostFunc(fresh, None, 5))
    seen: list[Any] = []
    callback = ctypes.CFUNCTYPE(None, c_void_p, c_int, c_void_p)(
        lambda s, code, data: seen.append([s == fresh, code, data])
    )
    note("callback", [cu.cuStreamAddCallback(fresh, callback, 7, 0), cu.cuStreamSynchronize(fresh), seen])
    note("callback flags", cu.cuStreamAddCallback(fresh, callback, 7, 1))


@scenario
def host_functions(cu: Cu, note: Note) -> None:
    """What a host function may call."""
    cu.start()
    seen: list[Any] = []

    def body(data: int | None) -> None:
        text, number = c_void_p(), c_int()
        seen.extend((cu.cuGetErrorName(1, byref(text)), cu.cuDriverGetVersion(byref(number))))
        seen.extend((cu.cuDeviceGetCount(byref(number)), cu.cuDeviceGetAttribute(byref(number), 1, 0)))
        seen.extend((cu.cuCtxGetCurrent(byref(text)), cu.cuCtxSetCurrent(None)))
        seen.extend((cu.cuMemAlloc_v2(out(), 4), cu.cuMemFree_v2(0), cu.cuEventCreate(out(c_void_p), 0)))

    function = ctypes.CFUNCTYPE(None, c_void_p)(body)
    cu.cuLaunchHostFunc(None, function, None)
    cu.cuCtxSynchronize()
    note("answers", seen)


@scenario
def events(cu: Cu, note: Note) -> None:
    cu.start()
    stream, ms, pointer = cu.stream(), c_float(), c_void_p()
    note("create null", cu.cuEventCreate(None, 0))
    note("create flags 8", cu.cuEventCreate(byref(pointer), 8))
    note("create interprocess", cu.cuEventCreate(byref(pointer), 4))
    note("create interprocess untimed", cu.cuEventCreate(byref(pointer), 6))
    a, b, untimed = cu.event(), cu.event(1), cu.event(2)
    note("query unrecorded", cu.cuEventQuery(a))
    note("synchronize unrecorded", cu.cuEventSynchronize(a))
    note("wait unrecorded", cu.cuStreamWaitEvent(stream, a, 0))
    note("elapsed unrecorded", cu.cuEventElapsedTime_v2(byref(ms), a, b))
    note("record", [cu.cuEventRecord(a, stream), cu.cuEventRecord(b, stream), cu.cuEventSynchronize(b)])
    note("query", [cu.cuEventQuery(a), cu.cuEventQuery(b)])
    note("elapsed", [cu.cuEventElapsedTime_v2(byref(ms), a, b), ms.value >= 0])
    note("elapsed backwards", [cu.cuEventElapsedTime_v2(byref(ms), b, a), ms.value <= 0])
    note("elapsed null", cu.cuEventElapsedTime_v2(None, a, b))
    cu.cuEventRecord(untimed, stream)
    cu.cuEventSynchronize(untimed)
    note("elapsed untimed", cu.cuEventElapsedTime_v2(byref(ms), a, untimed))
    note("record null stream", [cu.cuEventRecord(a, None), cu.cuEventRecord(a, 1), cu.cuEventRecord(a, 2)])
    note("record null event", cu.cuEventRecord(None, stream))
    note("wait", [cu.cuStreamWaitEvent(stream, a, 0), cu.cuStreamWaitEvent(None, a, 0)])
    note("wait flags 2", cu.cuStreamWaitEvent(stream, a, 2))
    note("wait null", cu.cuStreamWaitEvent(stream, None, 0))
    note("record external", cu.cuEventRecordWithFlags(a, stream, 1))
    note("record flags 2", cu.cuEventRecordWithFlags(a, stream, 2))
    note("query null", cu.cuEventQuery(None))
    note("destroy null", cu.cuEventDestroy_v2(None))
    note("destroy", [cu.cuEventDestroy_v2(a), cu.cuEventDestroy_v2(b)])


@scenario
def stale_event(cu: Cu, note: Note) -> None:
    cu.start()
    event = cu.event()
    cu.cuEventDestroy_v2(event)
    note("query", cu.cuEventQuery(event))
    note("record", cu.cuEventRecord(event, None))
    note("destroy", cu.cuEventDestroy_v2(event))


@scenario
def stream_attributes(cu: Cu, note: Note) -> None:
    cu.start()
    stream, other, value = cu.stream(), cu.stream(), (c_uint32 * 16)()
    for key in range(18):
        value[:] = [7] * 16
        note(f"get {key}", [cu.cuStreamGetAttribute(stream, key, value), list(value)[:3]])
    for key in range(18):
        note(f"set {key}", cu.cuStreamSetAttribute(stream, key, (c_uint32 * 16)(1)))
    note("copy", cu.cuStreamCopyAttributes(other, stream))
    note("copied", [cu.cuStreamGetAttribute(other, 3, value), value[0]])
