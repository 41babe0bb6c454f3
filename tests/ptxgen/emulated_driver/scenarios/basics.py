"""Errors, initialisation, devices, contexts."""

from __future__ import annotations

import ctypes
from ctypes import byref, c_char, c_int, c_size_t, c_uint32, c_uint64, c_void_p

from tests.ptxgen.emulated_driver.scenarios.base import (
    PTX,
    Bench,
    Cu,
    Note,
    out,
    scenario,
)


@scenario
def error_texts(cu: Cu, note: Note) -> None:
    for code in range(1000):
        name, text = c_void_p(), c_void_p()
        first, second = cu.cuGetErrorName(code, byref(name)), cu.cuGetErrorString(code, byref(text))
        if first == 0:
            note(str(code), [ctypes.string_at(name.value).decode(), ctypes.string_at(text.value).decode()])
        else:
            assert (first, second) == (1, 1)
    unknown = c_void_p(5)
    note("unknown", [cu.cuGetErrorName(12345, byref(unknown)), unknown.value])


@scenario
def before_init(cu: Cu, note: Note) -> None:
    number, pointer, size = c_int(), c_void_p(), c_size_t()
    note("version null", cu.cuDriverGetVersion(None))
    note("version", [cu.cuDriverGetVersion(byref(number)), number.value])
    note("count", cu.cuDeviceGetCount(byref(number)))
    note("device", cu.cuDeviceGet(byref(number), 0))
    note("current", cu.cuCtxGetCurrent(byref(pointer)))
    note("set current null", cu.cuCtxSetCurrent(None))
    note("alloc", cu.cuMemAlloc_v2(byref(pointer), 4))
    note("retain", cu.cuDevicePrimaryCtxRetain(byref(pointer), 0))
    note("synchronize", cu.cuCtxSynchronize())
    note("memory", cu.cuMemGetInfo_v2(byref(size), byref(size)))
    note("stream", cu.cuStreamCreate(byref(pointer), 0))
    note("launch null", cu.cuLaunchKernel(None, 1, 1, 1, 1, 1, 1, 0, None, None, None))
    note("init flags", cu.cuInit(1))
    note("init", cu.cuInit(0))
    note("init again", cu.cuInit(0))


@scenario
def devices(cu: Cu, note: Note) -> None:
    cu.cuInit(0)
    number, name = c_int(), (c_char * 256)()
    note("count null", cu.cuDeviceGetCount(None))
    note("get null", cu.cuDeviceGet(None, 0))
    note("get -1", cu.cuDeviceGet(byref(number), -1))
    note("get 99", cu.cuDeviceGet(byref(number), 99))
    note("name null", cu.cuDeviceGetName(None, 10, 0))
    note("name length 4", [cu.cuDeviceGetName(name, 4, 0), len(name.value)])
    note("name wrong device", cu.cuDeviceGetName(name, 256, 99))
    note("attribute null", cu.cuDeviceGetAttribute(None, 1, 0))
    note("attribute 0", cu.cuDeviceGetAttribute(byref(number), 0, 0))
    note("attribute 100000", cu.cuDeviceGetAttribute(byref(number), 100000, 0))
    note("attribute wrong device", cu.cuDeviceGetAttribute(byref(number), 1, 99))
    note("total null", cu.cuDeviceTotalMem_v2(None, 0))
    note("uuid null", cu.cuDeviceGetUuid_v2(None, 0))
    note("peer self", [cu.cuDeviceCanAccessPeer(byref(number), 0, 0), number.value])
    bus = (c_char * 32)()
    note("pci", [cu.cuDeviceGetPCIBusId(bus, 32, 0), len(bus.value)])
    note("pci back", [cu.cuDeviceGetByPCIBusId(byref(number), bus.value), number.value])
    note("pci unknown", cu.cuDeviceGetByPCIBusId(byref(number), b"0000:7f:1f.0"))
    note("pci text", cu.cuDeviceGetByPCIBusId(byref(number), b"hello"))
    values = {}
    for attribute in range(1, 160):
        code = cu.cuDeviceGetAttribute(byref(number), attribute, 0)
        values[str(attribute)] = number.value if code == 0 else f"error {code}"
    note("attributes", values)


@scenario
def contexts(cu: Cu, note: Note) -> None:
    cu.cuInit(0)
    context, other, number, flags = c_void_p(), c_void_p(), c_int(), c_uint32()
    size, word = c_size_t(), c_uint64()

    def state() -> list[int]:
        code = cu.cuDevicePrimaryCtxGetState(0, byref(flags), byref(number))
        return [code, flags.value, number.value]

    note("state at first", state())
    note("current at first", [cu.cuCtxGetCurrent(byref(context)), context.value])
    note("pop empty", cu.cuCtxPopCurrent_v2(byref(context)))
    note("device of none", cu.cuCtxGetDevice(byref(number)))
    note("synchronize none", cu.cuCtxSynchronize())
    note("alloc none", cu.cuMemAlloc_v2(byref(word), 4))
    note("stream none", cu.cuStreamCreate(byref(other), 0))
    note("module none", cu.cuModuleLoadData(byref(other), PTX))
    note("event none", cu.cuEventCreate(byref(other), 0))
    note("launch none", cu.cuLaunchKernel(None, 1, 1, 1, 1, 1, 1, 0, None, None, None))
    note("free none", cu.cuMemFree_v2(0))
    note("limit none", cu.cuCtxGetLimit(byref(size), 0))
    note("release unretained", cu.cuDevicePrimaryCtxRelease_v2(0))
    note("retain null", cu.cuDevicePrimaryCtxRetain(None, 0))
    note("retain wrong device", cu.cuDevicePrimaryCtxRetain(byref(context), 99))
    note("set flags", cu.cuDevicePrimaryCtxSetFlags_v2(0, 4))
    note("set wrong flags", cu.cuDevicePrimaryCtxSetFlags_v2(0, 3))
    note("state with flags", state())
    note("retain", cu.cuDevicePrimaryCtxRetain(byref(context), 0))
    note("retain twice is one", [cu.cuDevicePrimaryCtxRetain(byref(other), 0), other.value == context.value])
    note("state retained", state())
    note("not current yet", [cu.cuCtxGetCurrent(byref(other)), other.value])
    note("push", cu.cuCtxPushCurrent_v2(context))
    note("push null", cu.cuCtxPushCurrent_v2(None))
    note("device", [cu.cuCtxGetDevice(byref(number)), number.value])
    note("flags", [cu.cuCtxGetFlags(byref(flags)), flags.value])
    note("api version", [cu.cuCtxGetApiVersion(context, byref(flags)), flags.value])
    note("id null", cu.cuCtxGetId(context, None))
    note("id", cu.cuCtxGetId(context, byref(word)))
    note("priorities", [cu.cuCtxGetStreamPriorityRange(byref(number), byref(flags)), number.value, flags.value])
    note("priorities null", cu.cuCtxGetStreamPriorityRange(None, None))
    for limit in range(12):
        note(f"limit {limit}", [cu.cuCtxGetLimit(byref(size), limit), size.value])
    note("set stack", [cu.cuCtxSetLimit(0, 2048), cu.cuCtxGetLimit(byref(size), 0), size.value])
    note("set heap", [cu.cuCtxSetLimit(2, 1 << 24), cu.cuCtxGetLimit(byref(size), 2), size.value])
    note("set limit 77", cu.cuCtxSetLimit(77, 1))
    note("cache config", [cu.cuCtxGetCacheConfig(byref(number)), number.value])
    note("reset L2", cu.cuCtxResetPersistingL2Cache())
    second = c_void_p()
    note("create", cu.cuCtxCreate_v2(byref(second), 0, 0))
    note("create makes current", [cu.cuCtxGetCurrent(byref(other)), other.value == second.value])
    note("create null", cu.cuCtxCreate_v2(None, 0, 0))
    note("create wrong flags", cu.cuCtxCreate_v2(byref(other), 0x10000, 0))
    pointer = cu.alloc(1024)
    note("pop", [cu.cuCtxPopCurrent_v2(byref(other)), other.value == second.value])
    note("below", [cu.cuCtxGetCurrent(byref(other)), other.value == context.value])
    note("use another context's memory", cu.cuMemsetD8_v2(pointer, 1, 1024))
    note("free another context's memory", cu.cuMemFree_v2(pointer))
    cu.cuCtxPushCurrent_v2(second)
    note("destroy current", cu.cuCtxDestroy_v2(second))
    note("after destroying", [cu.cuCtxGetCurrent(byref(other)), other.value == context.value])
    note("destroy null", cu.cuCtxDestroy_v2(None))
    note("destroy primary", cu.cuCtxDestroy_v2(context))
    note("set null", cu.cuCtxSetCurrent(None))
    note("current after null", [cu.cuCtxGetCurrent(byref(other)), other.value])
    cu.cuCtxSetCurrent(context)
    note("current null", cu.cuCtxGetCurrent(None))
    note("device null", cu.cuCtxGetDevice(None))
    pointer = cu.alloc(64)
    note("release 1", [cu.cuDevicePrimaryCtxRelease_v2(0), state()])
    note("release 2", [cu.cuDevicePrimaryCtxRelease_v2(0), state()])
    note("alloc after release", cu.cuMemAlloc_v2(byref(word), 4))
    note("synchronize after release", cu.cuCtxSynchronize())
    note("current after release", [cu.cuCtxGetCurrent(byref(other)), other.value == context.value])
    note("device after release", cu.cuCtxGetDevice(byref(number)))
    note("release 3", cu.cuDevicePrimaryCtxRelease_v2(0))
    note("retain anew", cu.cuDevicePrimaryCtxRetain(byref(other), 0))
    note("same handle", other.value == context.value)
    note("alloc anew", cu.cuMemAlloc_v2(byref(word), 4))
    note("memory of before", cu.cuMemsetD8_v2(pointer, 1, 64))
    note("reset", [cu.cuDevicePrimaryCtxReset_v2(0), state()])
    note("alloc after reset", cu.cuMemAlloc_v2(byref(word), 4))
    note("release after reset", cu.cuDevicePrimaryCtxRelease_v2(0))
    note("retain after reset", [cu.cuDevicePrimaryCtxRetain(byref(other), 0), other.value == context.value])
    cu.cuCtxSetCurrent(other)
    note("alloc at last", cu.cuMemAlloc_v2(byref(word), 4))


@scenario
def two_contexts(cu: Cu, note: Note) -> None:
    """Objects of one context used while another is current."""
    b = Bench(cu, 1)
    other = c_void_p()
    cu.cuCtxCreate_v2(byref(other), 0, 0)
    note(
        "stream",
        [
            cu.cuStreamSynchronize(b.stream),
            cu.cuStreamQuery(b.stream),
            cu.cuStreamGetFlags(b.stream, byref(c_uint32())),
        ],
    )
    note("launch", [cu.launch(b.empty, stream=b.stream), cu.launch(b.empty)])
    note("memory", [cu.cuMemsetD8Async(b.p, 0, 4, b.stream), cu.cuMemsetD8_v2(b.p, 0, 4)])
    note(
        "event",
        [
            cu.cuEventRecord(b.event, b.stream),
            cu.cuEventRecord(b.event, None),
            cu.cuEventSynchronize(b.event),
            cu.cuEventQuery(b.event),
        ],
    )
    mine = cu.stream()
    note("wait across", [cu.cuStreamWaitEvent(mine, b.event, 0), cu.cuEventRecord(b.event, mine)])
    note("launch across", cu.launch(b.empty, stream=mine))
    note(
        "module",
        [cu.cuModuleGetFunction(out(c_void_p), b.module, b"store"), cu.cuFuncGetAttribute(out(c_int), 0, b.empty)],
    )
    note("graph", [cu.cuGraphLaunch(b.executable, b.stream), cu.cuGraphLaunch(b.executable, mine)])
    note(
        "capture",
        [
            cu.cuStreamBeginCapture_v2(b.stream, 1),
            cu.capturing(b.stream),
            cu.cuCtxSynchronize(),
            cu.end_capture(b.stream)[0],
        ],
    )
    note(
        "destroy",
        [
            cu.cuStreamDestroy_v2(b.stream),
            cu.cuEventDestroy_v2(b.event),
            cu.cuMemFree_v2(b.p),
            cu.cuModuleUnload(b.module),
        ],
    )
    # a destroyed context below the current one
    cu.cuCtxPushCurrent_v2(b.context)
    note("destroy below", cu.cuCtxDestroy_v2(other))
    cu.cuCtxPopCurrent_v2(byref(c_void_p()))
    found = c_void_p()
    note(
        "destroyed is current",
        [
            cu.cuCtxGetCurrent(byref(found)),
            found.value == other.value,
            cu.cuMemAlloc_v2(out(), 4),
            cu.cuCtxSynchronize(),
            cu.cuCtxGetDevice(byref(c_int())),
        ],
    )
    note(
        "pop destroyed",
        [cu.cuCtxPopCurrent_v2(byref(found)), cu.cuCtxGetCurrent(byref(found)), found.value == b.context],
    )
    note("flags while active", [cu.cuDevicePrimaryCtxSetFlags_v2(0, 2), cu.cuCtxGetFlags(byref(c_uint32()))])


@scenario
def proc_address(cu: Cu, note: Note) -> None:
    """cuGetProcAddress: which names and versions have a function."""
    cu.cuInit(0)
    place, status = c_void_p(), c_int()
    get = cu.cuGetProcAddress_v2
    for name, version in (
        (b"cuMemAlloc", 3020), (b"cuMemAlloc", 2000), (b"cuMemAlloc", 13000), (b"cuCtxSynchronize", 2000),
        (b"cuCtxSynchronize", 13000),
        (b"cuGraphAddKernelNode", 10000), (b"cuGraphAddKernelNode", 12000), (b"cuLaunchKernelEx", 11050),
        (b"cuLaunchKernelEx", 11060),
        (b"cuNothing", 13000), (b"cuMemAlloc_v2", 13000), (b"cuFuncGetParamCount", 13020), (b"cuLogsCurrent", 12090),
    ):  # fmt: skip
        code = get(name, byref(place), version, 0, byref(status))
        note(f"{name.decode()} {version}", [code, bool(place.value), status.value])
    note("no status", [get(b"cuInit", byref(place), 13000, 0, None), get(b"cuNothing", byref(place), 13000, 0, None)])
