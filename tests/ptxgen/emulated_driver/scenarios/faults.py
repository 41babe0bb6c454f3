"""Faults and the log."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import byref, c_char, c_int, c_size_t, c_uint32, c_uint64, c_void_p
from typing import Any

from tests.ptxgen.emulated_driver.scenarios.base import (
    PTX,
    SCENARIOS,
    Cu,
    Note,
    scenario,
)


def fault(name: bytes, *args: Any) -> Callable[[Cu, Note], None]:
    def body(cu: Cu, note: Note) -> None:
        context = cu.start()
        module, stream, event, p, graph = cu.load(), cu.stream(), cu.event(), cu.alloc(64), c_void_p()
        function, spare = cu.function(module, name), cu.function(module, b"empty")
        values = [arg(p) for arg in args]
        word, pointer, number, size, flags = c_uint64(), c_void_p(), c_int(), c_size_t(), c_uint32()
        cu.cuGraphCreate(byref(graph), 0)
        node, executable = c_void_p(), c_void_p()
        cu.cuGraphAddEmptyNode(byref(node), graph, None, 0)
        cu.cuGraphInstantiateWithFlags(byref(executable), graph, 0)
        note("launch", cu.launch(function, *values, stream=stream))
        note("synchronize", cu.cuStreamSynchronize(stream))
        note("again", cu.cuStreamSynchronize(stream))
        note("context", cu.cuCtxSynchronize())
        note("launch after", cu.launch(spare))
        note("alloc", cu.cuMemAlloc_v2(byref(word), 4))
        note("copy", cu.cuMemcpyDtoH_v2((c_char * 4)(), p, 4))
        note("memset async", cu.cuMemsetD8Async(p, 0, 4, stream))
        note("query", [cu.cuStreamQuery(stream), cu.cuStreamQuery(None)])
        note("event", [cu.cuEventQuery(event), cu.cuEventRecord(event, stream), cu.cuEventSynchronize(event)])
        note("create", [cu.cuStreamCreate(byref(pointer), 0), cu.cuEventCreate(byref(pointer), 0)])
        note(
            "module",
            [cu.cuModuleLoadData(byref(pointer), PTX), cu.cuModuleGetFunction(byref(pointer), module, b"empty")],
        )
        note("info", [cu.cuMemGetInfo_v2(byref(size), byref(size)), cu.cuFuncGetAttribute(byref(number), 0, spare)])
        note("pointer", cu.cuPointerGetAttribute(byref(number), 2, p))
        note("graph", [cu.cuGraphCreate(byref(pointer), 0), cu.cuGraphLaunch(executable, stream)])
        note("capture", cu.cuStreamBeginCapture_v2(stream, 1))
        note("host", [cu.cuMemHostAlloc(byref(pointer), 64, 0)])
        note(
            "current",
            [cu.cuCtxGetCurrent(byref(pointer)), cu.cuCtxGetDevice(byref(number)), cu.cuCtxSetCurrent(context)],
        )
        note("attribute", cu.cuDeviceGetAttribute(byref(number), 1, 0))
        note("limit", cu.cuCtxGetLimit(byref(size), 0))
        note("priority", cu.cuStreamGetPriority(stream, byref(number)))
        note(
            "destroy",
            [
                cu.cuGraphExecDestroy(executable),
                cu.cuGraphDestroy(graph),
                cu.cuEventDestroy_v2(event),
                cu.cuStreamDestroy_v2(stream),
            ],
        )
        note("free", cu.cuMemFree_v2(p))
        note("unload", cu.cuModuleUnload(module))
        note("state", [cu.cuDevicePrimaryCtxGetState(0, byref(flags), byref(number)), number.value])
        note("retain", cu.cuDevicePrimaryCtxRetain(byref(pointer), 0))
        note("release", [cu.cuDevicePrimaryCtxRelease_v2(0), cu.cuDevicePrimaryCtxRelease_v2(0)])
        note("state after", [cu.cuDevicePrimaryCtxGetState(0, byref(flags), byref(number)), number.value])
        note("retain after", cu.cuDevicePrimaryCtxRetain(byref(pointer), 0))
        note("current after", cu.cuCtxSetCurrent(pointer))
        note("alloc after", cu.cuMemAlloc_v2(byref(word), 4))
        note("reset", cu.cuDevicePrimaryCtxReset_v2(0))
        note("retain last", cu.cuDevicePrimaryCtxRetain(byref(pointer), 0))
        note("current last", cu.cuCtxSetCurrent(pointer))
        note("alloc last", cu.cuMemAlloc_v2(byref(word), 4))

    return body


SCENARIOS["fault_address"] = fault(b"store", lambda p: c_uint64(0x10000), lambda p: c_uint32(1))


SCENARIOS["fault_misaligned"] = fault(b"store", lambda p: c_uint64(p + 1), lambda p: c_uint32(1))


SCENARIOS["fault_trap"] = fault(b"stop")


@scenario
def logs(cu: Cu, note: Note) -> None:
    cu.start()
    iterator, buffer, size = c_uint32(), (c_char * 65536)(), c_size_t(65536)
    note("current", cu.cuLogsCurrent(byref(iterator), 0))
    note("current null", cu.cuLogsCurrent(None, 0))
    note("current flags", cu.cuLogsCurrent(byref(iterator), 1))
    note("empty", [cu.cuLogsDumpToMemory(byref(iterator), buffer, byref(size), 0), size.value, len(buffer.value)])
    cu.cuMemFree_v2(0x1234)
    module = cu.load()
    cu.launch(cu.function(module, b"empty"), block=(2000, 1, 1))
    for room in (65536, 40, 2):
        size.value = room
        buffer = (c_char * 65536)()
        copy = c_uint32(iterator.value)
        code = cu.cuLogsDumpToMemory(byref(copy), buffer, byref(size), 0)
        note(f"dump {room}", [code, size.value - len(buffer.value), (copy.value - iterator.value) > 0])
        if room == 65536:
            note(
                "lines",
                [line.partition("[CUDA]")[2] for line in buffer.value.decode().splitlines() if "Returning" in line],
            )
            again = c_size_t(65536)
            note("dump again", [cu.cuLogsDumpToMemory(byref(copy), buffer, byref(again), 0), again.value])
    size.value = 65536
    note("dump all", cu.cuLogsDumpToMemory(None, buffer, byref(size), 0))
    note(
        "null",
        [
            cu.cuLogsDumpToMemory(byref(iterator), None, byref(size), 0),
            cu.cuLogsDumpToMemory(byref(iterator), buffer, None, 0),
        ],
    )


@scenario
def log_of_fault(cu: Cu, note: Note) -> None:
    cu.start()
    iterator, buffer, size = c_uint32(), (c_char * 65536)(), c_size_t(65536)
    cu.cuLogsCurrent(byref(iterator), 0)
    note("launch", cu.launch(cu.function(cu.load(), b"store"), c_uint64(0x10000), c_uint32(1)))
    note("synchronize", cu.cuCtxSynchronize())
    note("dump", cu.cuLogsDumpToMemory(byref(iterator), buffer, byref(size), 0))
    note("line", buffer.value.decode().splitlines()[-1].partition("[CUDA]")[2])
