"""Short programs for a CUDA driver, each of which writes down what the driver answered.

The same programs run on a GPU's driver and on the emulated one. `data/driver_h200.json` has the answers of an H200 with driver 580
(CUDA 13.0); `test_driver_conformance.py` compares the emulated driver's with them. To record again, on a machine with a GPU:

    python tests/ptxgen/cpu/driver_scenarios.py record tests/ptxgen/cpu/data/driver_h200.json

Each program gets a fresh process there: some poison their context, and a driver that crashes is an answer too.
"""

from __future__ import annotations

import ctypes
import json
import subprocess
import sys
from collections.abc import Callable
from ctypes import byref, c_char, c_float, c_int, c_size_t, c_uint32, c_uint64, c_void_p
from typing import Any

PTX = b"""
.version 8.0
.target sm_90
.address_size 64

.visible .global .align 4 .b32 answer = 42;
.visible .const .align 8 .b8 table[64];

.visible .entry empty()
{
    ret;
}

.visible .entry store(.param .u64 p, .param .u32 value)
{
    .reg .b32 %r<6>;
    .reg .b64 %d<4>;
    ld.param.u64 %d1, [p];
    ld.param.u32 %r1, [value];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.u32 %r5, %r2, %r3, %r4;
    mul.wide.u32 %d2, %r5, 4;
    add.u64 %d3, %d1, %d2;
    st.global.u32 [%d3], %r1;
    ret;
}

.visible .entry increment(.param .u64 p)
{
    .reg .b32 %r<6>;
    .reg .b64 %d<4>;
    ld.param.u64 %d1, [p];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.u32 %r5, %r2, %r3, %r4;
    mul.wide.u32 %d2, %r5, 4;
    add.u64 %d3, %d1, %d2;
    ld.global.u32 %r1, [%d3];
    add.u32 %r1, %r1, 1;
    st.global.u32 [%d3], %r1;
    ret;
}

.visible .entry stop()
{
    trap;
    ret;
}

.visible .entry bounded() .maxntid 64, 1, 1
{
    ret;
}

.visible .entry required() .reqntid 32, 2, 1
{
    ret;
}

.visible .entry clustered() .explicitcluster .reqnctapercluster 2, 1, 1
{
    ret;
}

.visible .entry shared_kib()
{
    .shared .align 4 .b8 tile[1024];
    .reg .b32 %r<3>;
    mov.u32 %r1, %tid.x;
    st.shared.u32 [tile], %r1;
    ld.shared.u32 %r2, [tile];
    ret;
}

.visible .entry mixed(.param .u8 a, .param .u64 b, .param .u16 c, .param .f64 d, .param .align 4 .b8 e[12], .param .u32 f)
{
    ret;
}
"""

CONFIG = ctypes.c_uint32 * 14  # CUlaunchConfig: 56 bytes; words 8..9 stream, 10..11 attributes, 12 their count


class Cu:
    """A driver's functions as attributes: `cu.cuCtxSynchronize()` returns the result code."""

    def __init__(self, lookup: Callable[[str], int]) -> None:
        self._lookup = lookup

    def __getattr__(self, symbol: str) -> Any:
        from driver_ctypes.abi.functions import prototype

        address = self._lookup(symbol)
        if not address:
            raise AttributeError(f"this driver has no {symbol}")
        function = prototype(symbol)(address)
        setattr(self, symbol, function)
        return function

    def get(self, ctype: Any, symbol: str, *args: Any) -> Any:
        """The value of a function's first (out) argument; AssertionError with the code when it fails."""
        out = ctype()
        code = getattr(self, symbol)(byref(out), *args)
        assert code == 0, f"{symbol} answered {code}"
        return out.value

    def start(self) -> int:
        """cuInit, and device 0's primary context made current."""
        assert self.cuInit(0) == 0
        context = self.get(c_void_p, "cuDevicePrimaryCtxRetain", 0)
        assert self.cuCtxSetCurrent(context) == 0
        return int(context)

    def load(self, ptx: bytes = PTX) -> int:
        return int(self.get(c_void_p, "cuModuleLoadData", ptx))

    def function(self, module: int, name: bytes) -> int:
        return int(self.get(c_void_p, "cuModuleGetFunction", module, name))

    def alloc(self, nbytes: int) -> int:
        return int(self.get(c_uint64, "cuMemAlloc_v2", nbytes))

    def stream(self, flags: int = 0) -> int:
        return int(self.get(c_void_p, "cuStreamCreate", flags))

    def event(self, flags: int = 0) -> int:
        return int(self.get(c_void_p, "cuEventCreate", flags))

    def launch(
        self, function: int, *args: Any, grid: tuple[int, int, int] = (1, 1, 1), block: tuple[int, int, int] = (1, 1, 1),
        shared: int = 0, stream: int = 0,
    ) -> int:  # fmt: skip
        slots = (c_void_p * max(len(args), 1))(*[ctypes.addressof(a) for a in args])
        return int(self.cuLaunchKernel(function, *grid, *block, shared, stream, slots, None))

    def words(self, pointer: int, count: int) -> list[int]:
        host = (c_uint32 * count)()
        assert self.cuMemcpyDtoH_v2(host, pointer, 4 * count) == 0
        return list(host)

    def capturing(self, stream: int) -> int:
        return int(self.get_last(c_int, self.cuStreamIsCapturing, stream))

    @staticmethod
    def get_last(ctype: Any, function: Any, *args: Any) -> Any:
        """The value of a function's last (out) argument, or minus its code."""
        out = ctype()
        code = function(*args, byref(out))
        return out.value if code == 0 else -code

    def end_capture(self, stream: int) -> tuple[int, int]:
        graph = c_void_p()
        code = self.cuStreamEndCapture(stream, byref(graph))
        return code, graph.value or 0


Note = Callable[[str, Any], None]
SCENARIOS: dict[str, Callable[[Cu, Note], None]] = {}


def scenario(function: Callable[[Cu, Note], None]) -> Callable[[Cu, Note], None]:
    SCENARIOS[function.__name__] = function
    return function


# --- errors, initialisation, devices ----------------------------------------------------------------------------------


@scenario
def error_texts(cu: Cu, note: Note) -> None:
    for code in range(1000):
        name, text = c_void_p(), c_void_p()
        first, second = cu.cuGetErrorName(code, byref(name)), cu.cuGetErrorString(code, byref(text))
        if first == 0:
            note(str(code), [ctypes.string_at(name.value).decode(), ctypes.string_at(text.value).decode()])
        else:
            assert (first, second) == (1, 1)
    note("null", [cu.cuGetErrorName(0, None), cu.cuGetErrorString(0, None)])
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
    note("name length 0", cu.cuDeviceGetName(name, 0, 0))
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


# --- contexts ---------------------------------------------------------------------------------------------------------


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


# --- memory -----------------------------------------------------------------------------------------------------------


@scenario
def memory(cu: Cu, note: Note) -> None:
    context = cu.start()
    word, size, base, pointer, number = c_uint64(), c_size_t(), c_uint64(), c_void_p(), c_int()
    note("alloc 0", cu.cuMemAlloc_v2(byref(word), 0))
    note("alloc null", cu.cuMemAlloc_v2(None, 4))
    note("alloc huge", cu.cuMemAlloc_v2(byref(word), 1 << 50))
    note("info null", cu.cuMemGetInfo_v2(None, None))
    note("free 0", cu.cuMemFree_v2(0))
    note("free wild", cu.cuMemFree_v2(0x1234))
    p, q = cu.alloc(1000), cu.alloc(1)
    note("alignment", [p % 256, q % 256])
    note("free inside", cu.cuMemFree_v2(p + 256))
    note("range", [cu.cuMemGetAddressRange_v2(byref(base), byref(size), p + 10), base.value == p, size.value])
    note("range null", cu.cuMemGetAddressRange_v2(None, None, p))
    note("range base only", cu.cuMemGetAddressRange_v2(byref(base), None, p))
    note("range wild", cu.cuMemGetAddressRange_v2(byref(base), byref(size), 0x1234))
    note("pitch", [cu.cuMemAllocPitch_v2(byref(word), byref(size), 1000, 3, 4), size.value, cu.cuMemFree_v2(word)])
    note("pitch element 3", cu.cuMemAllocPitch_v2(byref(word), byref(size), 1000, 3, 3))
    note("pitch height 0", cu.cuMemAllocPitch_v2(byref(word), byref(size), 1000, 0, 4))
    note("free", cu.cuMemFree_v2(q))
    note("free twice", cu.cuMemFree_v2(q))

    note("host alloc", cu.cuMemHostAlloc(byref(pointer), 4096, 0))
    note("host alloc 0", cu.cuMemHostAlloc(byref(word), 0, 0))
    note("host alloc flags", cu.cuMemHostAlloc(byref(word), 16, 64))
    note("host device pointer", [cu.cuMemHostGetDevicePointer_v2(byref(word), pointer, 0), word.value == pointer.value])
    note("host device pointer flags", cu.cuMemHostGetDevicePointer_v2(byref(word), pointer, 1))
    note("host flags", [cu.cuMemHostGetFlags(byref(number), pointer), number.value])
    note("host flags of device", cu.cuMemHostGetFlags(byref(number), p))
    note("free host as device", cu.cuMemFree_v2(pointer.value))
    host = pointer.value or 0

    def attribute(which: int, address: int, ctype: Any = c_uint64) -> Any:
        out = ctype()
        code = cu.cuPointerGetAttribute(byref(out), which, address)
        return [code, out.value if code == 0 else None]

    note("attribute context", [attribute(1, p, c_void_p)[1] == context, attribute(1, host, c_void_p)[1] == context])
    note("attribute kind", [attribute(2, p, c_uint32), attribute(2, p + 999, c_uint32), attribute(2, host, c_uint32)])
    note("attribute device pointer", [attribute(3, p)[1] == p, attribute(3, host)[1] == host])
    note("attribute host pointer", [attribute(4, p)[0], attribute(4, host)[1] == host])
    note("attribute sync", [attribute(6, p, c_uint32), attribute(6, host, c_uint32)])
    note("attribute managed", [attribute(8, p, c_uint32), attribute(8, host, c_uint32)])
    note("attribute ordinal", [attribute(9, p, c_int), attribute(9, host, c_int)])
    note("attribute range", [attribute(11, p + 5)[1] == p, attribute(12, p + 5)[1], attribute(12, host)])
    note("attribute mapped", [attribute(13, p, c_uint32), attribute(13, host, c_uint32)])
    note("attribute pool", [attribute(17, p)])
    note("attribute 99", attribute(99, p))
    note("attribute wild", [attribute(which, 0x1234)[0] for which in (1, 2, 3, 4, 7, 8, 9, 11, 12, 13)])
    note("attribute null out", cu.cuPointerGetAttribute(None, 2, p))
    kinds, values, kind, ordinal = (c_int * 2)(2, 9), (c_void_p * 2)(), c_uint32(9), c_int(9)
    values[0], values[1] = ctypes.addressof(kind), ctypes.addressof(ordinal)
    note("attributes", [cu.cuPointerGetAttributes(2, kinds, values, p), kind.value, ordinal.value])
    note("attributes wild", [cu.cuPointerGetAttributes(2, kinds, values, 0x1234), kind.value, ordinal.value])
    note("attributes 0", cu.cuPointerGetAttributes(0, kinds, values, p))
    note("free host", cu.cuMemFreeHost(pointer))
    note("free host twice", cu.cuMemFreeHost(pointer))
    note("free host wild", cu.cuMemFreeHost(0x1234))
    note("free host null", cu.cuMemFreeHost(None))
    note("free host device", cu.cuMemFreeHost(p))
    buffer = (c_char * 65536)()
    address = (ctypes.addressof(buffer) + 4095) & ~4095
    note("register", cu.cuMemHostRegister_v2(address, 8192, 0))
    note("register twice", cu.cuMemHostRegister_v2(address, 8192, 0))
    note("register 0", cu.cuMemHostRegister_v2(address + 16384, 0, 0))
    note("register null", cu.cuMemHostRegister_v2(None, 4096, 0))
    note("registered kind", attribute(2, address, c_uint32))
    note("registered device pointer", [cu.cuMemHostGetDevicePointer_v2(byref(word), address, 0), word.value == address])
    note("registered free host", cu.cuMemFreeHost(address))
    note("unregister inside", cu.cuMemHostUnregister(address + 64))
    note("unregister", cu.cuMemHostUnregister(address))
    note("unregister twice", cu.cuMemHostUnregister(address))
    note("unregister null", cu.cuMemHostUnregister(None))
    note("managed", [cu.cuMemAllocManaged(byref(word), 256, 1), attribute(8, word.value, c_uint32), cu.cuMemFree_v2(word)])
    note("managed flags", cu.cuMemAllocManaged(byref(word), 256, 0))


@scenario
def copies(cu: Cu, note: Note) -> None:
    cu.start()
    host, p, q = (c_uint32 * 64)(*range(64)), cu.alloc(256), cu.alloc(256)
    wild = 0x1234
    note("to device", cu.cuMemcpyHtoD_v2(p, host, 256))
    note("between", [cu.cuMemcpyDtoD_v2(q, p, 256), cu.words(q, 64)[63]])
    note("too long to device", cu.cuMemcpyHtoD_v2(p, host, 257))
    note("too long from inside", cu.cuMemcpyHtoD_v2(p + 128, host, 200))
    note("0 bytes", [cu.cuMemcpyHtoD_v2(p, host, 0), cu.cuMemcpyHtoD_v2(wild, host, 0), cu.cuMemcpyHtoD_v2(0, None, 0)])
    note("wild to device", cu.cuMemcpyHtoD_v2(wild, host, 16))
    note("wild from device", cu.cuMemcpyDtoH_v2(host, wild, 16))
    note("wild between", [cu.cuMemcpyDtoD_v2(wild, p, 16), cu.cuMemcpyDtoD_v2(p, wild, 16)])
    note("null host", [cu.cuMemcpyHtoD_v2(p, None, 16), cu.cuMemcpyDtoH_v2(None, p, 16)])
    note("null device", [cu.cuMemcpyHtoD_v2(0, host, 16), cu.cuMemcpyDtoH_v2(host, 0, 16)])
    note("device as host", [cu.cuMemcpyHtoD_v2(p, q, 16), cu.cuMemcpyDtoH_v2(q, p, 16)])
    note("host as device", [cu.cuMemcpyHtoD_v2(ctypes.addressof(host), host, 16)])
    note("host as device source", [cu.cuMemcpyDtoH_v2(host, ctypes.addressof(host), 16)])
    back = (c_uint32 * 64)()
    note("unified", [cu.cuMemcpy(q, ctypes.addressof(host), 256), cu.cuMemcpy(ctypes.addressof(back), q, 256), back[9]])
    note("unified host to host", [cu.cuMemcpy(ctypes.addressof(back), ctypes.addressof(host), 8)])
    stream = cu.stream()
    note("async", [cu.cuMemcpyHtoDAsync_v2(p, host, 256, stream), cu.cuMemcpyDtoHAsync_v2(back, p, 256, stream)])
    note("async wild", [cu.cuMemcpyHtoDAsync_v2(wild, host, 16, stream), cu.cuMemcpyDtoDAsync_v2(p, wild, 16, stream)])
    note("async too long", cu.cuMemcpyHtoDAsync_v2(p, host, 300, stream))
    note("async 0", cu.cuMemcpyHtoDAsync_v2(wild, host, 0, stream))
    note("overlap", cu.cuMemcpyDtoD_v2(p + 4, p, 128))
    note("set 8", [cu.cuMemsetD8_v2(p, 7, 256), cu.words(p, 1)])
    note("set 16", [cu.cuMemsetD16_v2(p, 0x102, 128), cu.words(p, 1)])
    note("set 32", [cu.cuMemsetD32_v2(p, 5, 64), cu.words(p, 64)[63]])
    note("set value is cut", [cu.cuMemsetD8_v2(p, 0xFF, 4), cu.words(p, 1)])
    note("set 16 misaligned", cu.cuMemsetD16_v2(p + 1, 1, 1))
    note("set 32 misaligned", cu.cuMemsetD32_v2(p + 2, 1, 1))
    note("set too long", [cu.cuMemsetD8_v2(p, 1, 257), cu.cuMemsetD32_v2(p, 1, 65), cu.cuMemsetD32_v2(p + 252, 1, 2)])
    note("set 0", [cu.cuMemsetD32_v2(p, 1, 0), cu.cuMemsetD32_v2(wild, 1, 0)])
    note("set wild", [cu.cuMemsetD32_v2(wild, 1, 1), cu.cuMemsetD8Async(wild, 1, 1, stream)])
    note("set null", cu.cuMemsetD8_v2(0, 1, 1))
    note("set async", [cu.cuMemsetD32Async(p, 9, 64, stream), cu.cuStreamSynchronize(stream), cu.words(p, 1)])
    note("set host", cu.cuMemsetD8_v2(ctypes.addressof(host), 1, 4))
    note("set 2d", [cu.cuMemsetD2D8Async(p, 64, 3, 8, 4, stream), cu.cuStreamSynchronize(stream), cu.words(p + 64, 3)])
    note("set 2d pitch small", cu.cuMemsetD2D8Async(p, 4, 3, 8, 4, stream))
    note("set 2d 0", cu.cuMemsetD2D32Async(p, 64, 3, 0, 4, stream))

    # CUDA_MEMCPY2D as sixteen words of eight bytes
    def two(**fields: int) -> Any:
        names = "sx sy stype shost sdev sarr spitch dx dy dtype dhost ddev darr dpitch width height".split()
        return (c_uint64 * 16)(*[fields.get(name, 0) for name in names])

    source = {"stype": 1, "shost": ctypes.addressof(host), "spitch": 32}
    target = {"dtype": 2, "ddev": p, "dpitch": 64}
    cu.cuMemsetD8_v2(p, 0, 256)
    note("2d", [cu.cuMemcpy2D_v2(two(**source, **target, width=32, height=4)), cu.words(p + 64, 9)])
    note("2d offset", [cu.cuMemcpy2D_v2(two(**source, **target, sx=4, sy=1, dx=8, dy=2, width=8, height=1)), cu.words(p + 128, 4)])
    note("2d pitch small", cu.cuMemcpy2D_v2(two(**source, **{**target, "dpitch": 16}, width=32, height=4)))
    note("2d pitch 0", cu.cuMemcpy2D_v2(two(**source, **{**target, "dpitch": 0}, width=32, height=4)))
    note("2d beyond", cu.cuMemcpy2D_v2(two(**source, **target, width=32, height=5)))
    note("2d width 0", cu.cuMemcpy2D_v2(two(**source, **target, width=0, height=4)))
    note("2d type 9", cu.cuMemcpy2D_v2(two(**{**source, "stype": 9}, **target, width=32, height=4)))
    note("2d wild", cu.cuMemcpy2D_v2(two(**source, **{**target, "ddev": wild}, width=32, height=4)))
    note("2d null", cu.cuMemcpy2D_v2(None))
    unified = {"stype": 4, "sdev": ctypes.addressof(host), "spitch": 32}
    note("2d unified", cu.cuMemcpy2DAsync_v2(two(**unified, **{**target, "dtype": 4}, width=32, height=4), stream))

    def three(**fields: int) -> Any:
        names = (
            "sx sy sz slod stype shost sdev sarr r0 spitch sheight dx dy dz dlod dtype dhost ddev darr r1 dpitch dheight "
            "width height depth"
        ).split()
        return (c_uint64 * 25)(*[fields.get(name, 0) for name in names])

    source, target = {**source, "spitch": 16, "sheight": 2}, {**target, "dpitch": 16, "dheight": 4}
    cu.cuMemsetD8_v2(p, 0, 256)
    note("3d", [cu.cuMemcpy3D_v2(three(**source, **target, width=16, height=2, depth=3)), cu.words(p, 40)])
    note("3d height small", cu.cuMemcpy3D_v2(three(**source, **{**target, "dheight": 1}, width=16, height=2, depth=3)))
    note("3d heights 0", cu.cuMemcpy3D_v2(three(**{**source, "sheight": 0}, **{**target, "dheight": 0}, width=16, height=2, depth=3)))
    note("3d heights 0, depth 1", cu.cuMemcpy3D_v2(three(**{**source, "sheight": 0}, **{**target, "dheight": 0}, width=16, height=2, depth=1)))
    note("3d depth 0", cu.cuMemcpy3D_v2(three(**source, **target, width=16, height=2, depth=0)))
    note("3d reserved", cu.cuMemcpy3D_v2(three(**source, **target, width=16, height=2, depth=1, r0=1)))
    context = cu.get(c_void_p, "cuCtxGetCurrent")
    note("peer", [cu.cuMemcpyPeer(q, context, p, context, 64), cu.cuMemcpyPeerAsync(q, context, p, context, 64, stream)])


@scenario
def pools(cu: Cu, note: Note) -> None:
    cu.start()
    word, pool, stream, number = c_uint64(), c_void_p(), cu.stream(), c_uint64()
    note("default", [cu.cuDeviceGetDefaultMemPool(byref(pool), 0), bool(pool.value)])
    default = pool.value
    note("current is default", [cu.cuDeviceGetMemPool(byref(pool), 0), pool.value == default])
    note("alloc", cu.cuMemAllocAsync(byref(word), 100, stream))
    p = word.value
    note("alloc 0", [cu.cuMemAllocAsync(byref(word), 0, stream), bool(word.value)])
    note("alloc null", cu.cuMemAllocAsync(None, 8, stream))
    note("alloc huge", cu.cuMemAllocAsync(byref(word), 1 << 50, stream))
    note("use", [cu.cuMemsetD8Async(p, 1, 100, stream), cu.cuStreamSynchronize(stream)])
    used = [(cu.cuMemPoolGetAttribute(default, attribute, byref(number)), number.value) for attribute in (1, 2, 3, 4)]
    note("attributes", used)
    note("used", [cu.cuMemPoolGetAttribute(default, 7, byref(number)), number.value >= 100])
    out = c_void_p()
    note("pool of pointer", [cu.cuPointerGetAttribute(byref(out), 17, p), out.value == default])
    note("free", cu.cuMemFreeAsync(p, stream))
    note("free twice", cu.cuMemFreeAsync(p, stream))
    note("free null", cu.cuMemFreeAsync(0, stream))
    note("free wild", cu.cuMemFreeAsync(0x1234, stream))
    note("synchronize", cu.cuStreamSynchronize(stream))
    q = cu.alloc(64)
    note("free async of plain", cu.cuMemFreeAsync(q, stream))
    cu.cuMemAllocAsync(byref(word), 100, stream)
    note("plain free of async", cu.cuMemFree_v2(word))
    note("trim", cu.cuMemPoolTrimTo(default, 0))
    note("destroy default", cu.cuMemPoolDestroy(default))
    note("threshold", [cu.cuMemPoolSetAttribute(default, 4, byref(c_uint64(1 << 20))),
                       cu.cuMemPoolGetAttribute(default, 4, byref(number)), number.value])  # fmt: skip
    note("set used high", [cu.cuMemPoolSetAttribute(default, 8, byref(c_uint64(1))),
                           cu.cuMemPoolSetAttribute(default, 8, byref(c_uint64(0)))])  # fmt: skip
    note("set reserved current", cu.cuMemPoolSetAttribute(default, 5, byref(c_uint64(0))))
    properties = (c_uint32 * 22)(1, 0, 1, 0)  # pinned, no handle, on device 0
    note("create", cu.cuMemPoolCreate(byref(pool), properties))
    note("create null", [cu.cuMemPoolCreate(None, properties), cu.cuMemPoolCreate(byref(out), None)])
    note("create device 99", cu.cuMemPoolCreate(byref(out), (c_uint32 * 22)(1, 0, 1, 99)))
    note("alloc from", cu.cuMemAllocFromPoolAsync(byref(word), 256, pool, stream))
    note("pool of that", [cu.cuPointerGetAttribute(byref(out), 17, word.value), out.value == pool.value])
    note("free from", cu.cuMemFreeAsync(word, stream))
    note("set current", [cu.cuDeviceSetMemPool(0, pool), cu.cuDeviceGetMemPool(byref(out), 0), out.value == pool.value])
    note("destroy", cu.cuMemPoolDestroy(pool))
    note("current after destroy", [cu.cuDeviceGetMemPool(byref(out), 0), out.value == default])
    note("alloc on null stream", [cu.cuMemAllocAsync(byref(word), 100, None), cu.cuMemFreeAsync(word, None)])
    access, location = c_int(), (c_uint32 * 2)(1, 0)
    note("access", [cu.cuMemPoolGetAccess(byref(access), default, location), access.value])


# --- streams and events -----------------------------------------------------------------------------------------------


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
    note("out null", [cu.cuStreamGetFlags(stream, None), cu.cuStreamGetPriority(stream, None), cu.cuStreamGetCtx(stream, None)])
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
    callback = ctypes.CFUNCTYPE(None, c_void_p, c_int, c_void_p)(lambda s, code, data: seen.append([s == fresh, code, data]))
    note("callback", [cu.cuStreamAddCallback(fresh, callback, 7, 0), cu.cuStreamSynchronize(fresh), seen])
    note("callback flags", cu.cuStreamAddCallback(fresh, callback, 7, 1))


@scenario
def stale_stream(cu: Cu, note: Note) -> None:
    cu.start()
    stream = cu.stream()
    cu.cuStreamDestroy_v2(stream)
    note("query", cu.cuStreamQuery(stream))
    note("synchronize", cu.cuStreamSynchronize(stream))
    note("destroy", cu.cuStreamDestroy_v2(stream))


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


# --- modules, functions, the JIT --------------------------------------------------------------------------------------


@scenario
def modules(cu: Cu, note: Note) -> None:
    cu.start()
    pointer, number, word, size, size2 = c_void_p(), c_int(), c_uint64(), c_size_t(), c_size_t()
    note("load null", [cu.cuModuleLoadData(None, PTX), cu.cuModuleLoadData(byref(pointer), None)])
    note("load garbage", cu.cuModuleLoadData(byref(pointer), b"hello"))
    note("load empty", cu.cuModuleLoadData(byref(pointer), b""))
    note("load file", cu.cuModuleLoad(byref(pointer), b"/does/not/exist.ptx"))
    note("load file null", cu.cuModuleLoad(byref(pointer), None))
    module = cu.load()
    note("function null", [cu.cuModuleGetFunction(None, module, b"empty"), cu.cuModuleGetFunction(byref(pointer), module, None)])
    note("function unknown", cu.cuModuleGetFunction(byref(pointer), module, b"nothing"))
    note("function empty name", cu.cuModuleGetFunction(byref(pointer), module, b""))
    note("function of null module", cu.cuModuleGetFunction(byref(pointer), None, b"empty"))
    note("function count", [cu.cuModuleGetFunctionCount(byref(number), module), number.value])
    functions = (c_void_p * 9)()
    note("enumerate", [cu.cuModuleEnumerateFunctions(functions, 9, module), sum(1 for f in functions if f)])
    names = []
    for function in functions:
        text = c_void_p()
        names.append(ctypes.string_at(text.value).decode() if cu.cuFuncGetName(byref(text), function) == 0 else "?")
    note("names sorted", sorted(names))
    note("global", [cu.cuModuleGetGlobal_v2(byref(word), byref(size), module, b"answer"), size.value, cu.words(word.value, 1)])
    note("global constant", [cu.cuModuleGetGlobal_v2(byref(word), byref(size), module, b"table"), size.value])
    note("global unknown", cu.cuModuleGetGlobal_v2(byref(word), byref(size), module, b"nothing"))
    note("global size only", [cu.cuModuleGetGlobal_v2(None, byref(size), module, b"answer"), size.value])
    note("global nothing asked", cu.cuModuleGetGlobal_v2(None, None, module, b"answer"))
    note("global range", [cu.cuModuleGetGlobal_v2(byref(word), byref(size), module, b"answer"),
                          cu.cuMemGetAddressRange_v2(byref(c_uint64()), byref(size), word.value)])  # fmt: skip
    note("global free", cu.cuMemFree_v2(word.value))
    note("global write", [cu.cuMemsetD32_v2(word.value, 9, 1), cu.words(word.value, 1)])
    store, empty = cu.function(module, b"store"), cu.function(module, b"empty")
    mixed = cu.function(module, b"mixed")
    note("same function", cu.function(module, b"store") == store)

    def attribute(function: int, which: int) -> Any:
        code = cu.cuFuncGetAttribute(byref(number), which, function)
        return number.value if code == 0 else f"error {code}"

    for which in (0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 99):
        note(f"attribute {which}", attribute(empty, which))
    note("registers are few", 1 <= attribute(store, 4) <= 32)
    for name in (b"bounded", b"required", b"clustered", b"shared_kib"):
        note(f"attributes of {name.decode()}", [attribute(cu.function(module, name), which) for which in (0, 1, 8, 10, 11, 12, 13)])
    note("attribute null", [cu.cuFuncGetAttribute(None, 0, empty), cu.cuFuncGetAttribute(byref(number), 0, None)])
    for which, value in ((8, 0), (8, 49152), (8, 100000), (8, 232448), (8, 232449), (8, -1), (9, 50), (9, -1), (9, -2), (9, 101),
                         (0, 32), (1, 4), (11, 2), (12, 1), (13, 1), (14, 1), (14, 2), (15, 1), (15, 9), (99, 1)):  # fmt: skip
        note(f"set {which} to {value}", [cu.cuFuncSetAttribute(empty, which, value), attribute(empty, which)])
    shared = cu.function(module, b"shared_kib")
    note("set dynamic beside static", [cu.cuFuncSetAttribute(shared, 8, 232448), cu.cuFuncSetAttribute(shared, 8, 231424)])
    note("cache config", [cu.cuFuncSetCacheConfig(empty, 1), cu.cuFuncSetCacheConfig(empty, 9)])
    note("module of function", [cu.cuFuncGetModule(byref(pointer), store), pointer.value == module])
    for index in range(7):
        note(f"parameter {index}", [cu.cuFuncGetParamInfo(mixed, index, byref(size), byref(size2)), size.value, size2.value])
    note("parameter offset only", cu.cuFuncGetParamInfo(mixed, 1, byref(size), None))
    note("parameter null", cu.cuFuncGetParamInfo(mixed, 1, None, None))
    note("parameter of empty", cu.cuFuncGetParamInfo(empty, 0, byref(size), byref(size2)))
    note("loaded", [cu.cuFuncIsLoaded(byref(number), store), cu.cuFuncLoad(store), cu.cuFuncIsLoaded(byref(number), store), number.value])
    note("loading mode", cu.cuModuleGetLoadingMode(byref(number)))
    note("unload", cu.cuModuleUnload(module))
    note("unload null", cu.cuModuleUnload(None))


@scenario
def libraries(cu: Cu, note: Note) -> None:
    cu.start()
    library, kernel, pointer, number, size, word = c_void_p(), c_void_p(), c_void_p(), c_int(), c_size_t(), c_uint64()
    load = cu.cuLibraryLoadData
    note("load", load(byref(library), PTX, None, None, 0, None, None, 0))
    note("load garbage", load(byref(pointer), b"hello", None, None, 0, None, None, 0))
    note("load null", [load(None, PTX, None, None, 0, None, None, 0), load(byref(pointer), None, None, None, 0, None, None, 0)])
    note("kernel", cu.cuLibraryGetKernel(byref(kernel), library, b"increment"))
    note("kernel unknown", cu.cuLibraryGetKernel(byref(pointer), library, b"nothing"))
    note("count", [cu.cuLibraryGetKernelCount(byref(number), library), number.value])
    many = (c_void_p * 9)()
    note("enumerate", [cu.cuLibraryEnumerateKernels(many, 9, library), kernel.value in list(many)])
    note("global", [cu.cuLibraryGetGlobal(byref(word), byref(size), library, b"answer"), size.value])
    note("global unknown", cu.cuLibraryGetGlobal(byref(word), byref(size), library, b"nothing"))
    function = c_void_p()
    note("function", cu.cuKernelGetFunction(byref(function), kernel))
    note("library of kernel", [cu.cuKernelGetLibrary(byref(pointer), kernel), pointer.value == library.value])
    note("attribute", [cu.cuKernelGetAttribute(byref(number), 0, kernel, 0), number.value])
    note("attribute wrong device", cu.cuKernelGetAttribute(byref(number), 0, kernel, 99))
    note("set attribute", [cu.cuKernelSetAttribute(8, 65536, kernel, 0), cu.cuFuncGetAttribute(byref(number), 8, function), number.value])
    note("set too much", cu.cuKernelSetAttribute(8, 999999, kernel, 0))
    text = c_void_p()
    note("name", [cu.cuKernelGetName(byref(text), kernel), ctypes.string_at(text.value or 0).decode()])
    offset = c_size_t()
    note("parameter 0", [cu.cuKernelGetParamInfo(kernel, 0, byref(offset), byref(size)), offset.value, size.value])
    note("parameter 1", cu.cuKernelGetParamInfo(kernel, 1, byref(offset), byref(size)))
    p = cu.alloc(256)
    cu.cuMemsetD8_v2(p, 0, 256)
    note("launch kernel", [cu.launch(kernel.value or 0, c_uint64(p), block=(64, 1, 1)), cu.words(p, 2)])
    note("launch function", [cu.launch(function.value or 0, c_uint64(p), block=(64, 1, 1)), cu.words(p, 2)])
    note("module", [cu.cuLibraryGetModule(byref(pointer), library), bool(pointer.value)])
    note("unload", cu.cuLibraryUnload(library))
    note("unload null", cu.cuLibraryUnload(None))


BAD_PTX = {
    "missing semicolon": "{\n  .reg .f32 %f<2>;\n  add.f32 %f1, %f0\n  ret;\n}",
    "two errors": "{\n  .reg .f32 %f<2>;\n  .reg .u32 %r<2>;\n  add.f32 %f1, %f0, %r1;\n  bra NOWHERE;\n  ret;\n}",
}
HEAD = ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 a)\n"


@scenario
def jit(cu: Cu, note: Note) -> None:
    cu.start()

    def load(text: str, room: int = 4096, library: bool = False) -> list[Any]:
        info, error, module = (c_char * 8192)(), (c_char * 8192)(), c_void_p()
        info.value = error.value = b"untouched"
        options = (c_int * 5)(3, 4, 5, 6, 2)
        values = (c_void_p * 5)(ctypes.addressof(info), room, ctypes.addressof(error), room, 0)
        if library:
            code = cu.cuLibraryLoadData(byref(module), text.encode(), options, values, 5, None, None, 0)
        else:
            code = cu.cuModuleLoadDataEx(byref(module), text.encode(), 5, options, values)
        return [code, values[1] or 0, values[3] or 0, info.raw[: room + 1], error.raw[: room + 1]]

    for library in (False, True):
        where = "library" if library else "module"
        for name, body in BAD_PTX.items():
            code, n_info, n_error, _info, error = load(HEAD + body, library=library)
            text = error.split(b"\0")[0].decode()
            note(f"{where}: {name}", [code, text])
            note(f"{where}: {name}: size", [n_info, n_error - len(text)])
        code, n_info, n_error, info, error = load(HEAD + "{\n  ret;\n}", library=library)
        note(f"{where}: good", [code, n_error, error.split(b"\0")[0].decode(), info.split(b"\0")[0].decode()[:24]])
        note(f"{where}: good: size", n_info - len(info.split(b"\0")[0]))
    full = load(HEAD + BAD_PTX["two errors"])[4].split(b"\0")[0]
    for room in (0, 1, 10, 40, len(full) - 1, len(full), len(full) + 1):
        code, _n, n_error, _i, error = load(HEAD + BAD_PTX["two errors"], room)
        text = error.split(b"\0")[0]
        note(f"room {room - len(full) if room > 40 else room}", [code, n_error - len(full), full.startswith(text), len(text) - len(full)])
    note("newer version", load(".version 9.9\n" + HEAD.split("\n", 1)[1] + "{\n  ret;\n}")[0])
    note("newer target", load(HEAD.replace("8.0", "8.6").replace("90a", "100a") + "{\n ret;\n}")[0])
    note("plain target of older", load(HEAD.replace("90a", "75") + "{\n ret;\n}")[0])
    note("a target of another", load(HEAD.replace("8.0", "8.7").replace("90a", "103a") + "{\n ret;\n}")[0])
    module = c_void_p()
    note("null options", cu.cuModuleLoadDataEx(byref(module), PTX, 0, None, None))
    note("null options, one", cu.cuModuleLoadDataEx(byref(module), PTX, 1, None, None))
    note("unknown option", cu.cuModuleLoadDataEx(byref(module), PTX, 1, (c_int * 1)(999), (c_void_p * 1)(1)))
    note("level 4", cu.cuModuleLoadDataEx(byref(module), PTX, 1, (c_int * 1)(7), (c_void_p * 1)(4)))
    note("level 9", cu.cuModuleLoadDataEx(byref(module), PTX, 1, (c_int * 1)(7), (c_void_p * 1)(9)))
    note("unresolved extern", load(HEAD.replace(".visible .entry", ".extern .func f();\n.visible .entry") + "{\n call f, ();\n ret;\n}")[0])


# --- launches ---------------------------------------------------------------------------------------------------------


@scenario
def launches(cu: Cu, note: Note) -> None:
    cu.start()
    module = cu.load()
    empty, store, mixed = (cu.function(module, n) for n in (b"empty", b"store", b"mixed"))
    p = cu.alloc(4096)
    grids = [(0, 1, 1), (1, 0, 1), (1, 65535, 1), (1, 65536, 1), (1, 1, 65535), (1, 1, 65536), (0x7FFFFFFF, 1, 1), (0x80000000, 1, 1)]
    blocks = [(0, 1, 1), (1024, 1, 1), (1025, 1, 1), (1, 1024, 1), (1, 1025, 1), (1, 1, 64), (1, 1, 65), (32, 32, 1), (32, 33, 1)]
    for grid in grids:
        if grid[0] != 0x7FFFFFFF:
            note(f"grid {grid}", cu.launch(empty, grid=grid))
    for block in blocks:
        note(f"block {block}", cu.launch(empty, block=block))
    for shared in (0, 49152, 49153, 232448, 232449):
        note(f"shared {shared}", cu.launch(empty, shared=shared))
    cu.cuFuncSetAttribute(empty, 8, 100000)
    for shared in (100000, 100001):
        note(f"shared {shared} of 100000", cu.launch(empty, shared=shared))
    kib = cu.function(module, b"shared_kib")
    for shared in (48128, 48129):
        note(f"shared {shared} beside 1024", cu.launch(kib, shared=shared))
    note("bounded 64", cu.launch(cu.function(module, b"bounded"), block=(64, 1, 1)))
    note("bounded 65", cu.launch(cu.function(module, b"bounded"), block=(65, 1, 1)))
    note("bounded 8x8", cu.launch(cu.function(module, b"bounded"), block=(8, 8, 1)))
    note("required 32x2", cu.launch(cu.function(module, b"required"), block=(32, 2, 1)))
    note("required 64", cu.launch(cu.function(module, b"required"), block=(64, 1, 1)))
    note("required 32", cu.launch(cu.function(module, b"required"), block=(32, 1, 1)))
    note("clustered 2", cu.launch(cu.function(module, b"clustered"), grid=(2, 1, 1)))
    note("clustered 3", cu.launch(cu.function(module, b"clustered"), grid=(3, 1, 1)))
    note("null function", cu.cuLaunchKernel(None, 1, 1, 1, 1, 1, 1, 0, None, None, None))
    note("parameters missing", cu.cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, None, None, None))
    note("parameters unneeded", cu.cuLaunchKernel(empty, 1, 1, 1, 1, 1, 1, 0, None, (c_void_p * 1)(), None))
    data = (c_uint64 * 2)(p, 77)
    size = c_size_t(12)
    extra = (c_void_p * 5)(1, ctypes.addressof(data), 2, ctypes.addressof(size), 0)
    slots = (c_void_p * 2)(ctypes.addressof(data), ctypes.addressof(data) + 8)
    note("extra", [cu.cuLaunchKernel(store, 1, 1, 1, 4, 1, 1, 0, None, None, extra), cu.words(p, 1)])
    note("both", cu.cuLaunchKernel(store, 1, 1, 1, 4, 1, 1, 0, None, slots, extra))
    size.value = 8
    note("extra too short", cu.cuLaunchKernel(store, 1, 1, 1, 4, 1, 1, 0, None, None, extra))
    size.value = 16
    note("extra too long", cu.cuLaunchKernel(store, 1, 1, 1, 4, 1, 1, 0, None, None, extra))
    size.value = 12
    unknown = (c_void_p * 7)(1, ctypes.addressof(data), 2, ctypes.addressof(size), 9, 9, 0)
    note("extra unknown key", cu.cuLaunchKernel(store, 1, 1, 1, 4, 1, 1, 0, None, None, unknown))
    half = (c_void_p * 3)(1, ctypes.addressof(data), 0)
    note("extra without size", cu.cuLaunchKernel(store, 1, 1, 1, 4, 1, 1, 0, None, None, half))
    note("slots", [cu.cuLaunchKernel(store, 2, 1, 1, 4, 1, 1, 0, None, slots, None), cu.words(p, 8)])
    note("mixed", cu.launch(mixed, c_uint64(1), c_uint64(1), c_uint64(1), c_uint64(1), (c_uint64 * 2)(), c_uint64(1)))

    def ex(function: int, grid: tuple[int, int, int] = (4, 1, 1), *attributes: tuple[int, ...], count: int | None = None) -> int:
        entries = (c_uint32 * (18 * max(len(attributes), 1)))()
        for index, (key, *values) in enumerate(attributes):
            entries[18 * index] = key
            entries[18 * index + 2 : 18 * index + 2 + len(values)] = values
        address = ctypes.addressof(entries)
        config = CONFIG(*grid, 1, 1, 1, 0, 0, 0, 0, address & 0xFFFFFFFF, address >> 32, len(attributes) if count is None else count, 0)
        return int(cu.cuLaunchKernelEx(config, function, None, None))

    note("ex", ex(empty))
    note("ex null", cu.cuLaunchKernelEx(None, empty, None, None))
    for cluster in ((1, 1, 1), (2, 1, 1), (3, 1, 1), (4, 1, 1), (0, 1, 1), (2, 2, 1)):
        note(f"cluster {cluster} of 4", ex(empty, (4, 1, 1), (4, *cluster)))
    for width in (8, 9, 16, 17):
        note(f"cluster {width}", ex(empty, (width, 1, 1), (4, width, 1, 1)))
    cu.cuFuncSetAttribute(empty, 14, 1)
    for width in (16, 17, 32):
        note(f"cluster {width} not portable", ex(empty, (width, 1, 1), (4, width, 1, 1)))
    note("cluster of clustered", [ex(cu.function(module, b"clustered"), (4, 1, 1), (4, 2, 1, 1)),
                                  ex(cu.function(module, b"clustered"), (4, 1, 1), (4, 4, 1, 1))])  # fmt: skip
    note("attribute ignored", ex(empty, (1, 1, 1), (0, 0)))
    note("attribute unknown", ex(empty, (1, 1, 1), (99, 1)))
    note("attribute cooperative", ex(empty, (1, 1, 1), (2, 1)))
    note("attribute serialization", ex(empty, (1, 1, 1), (6, 1)))
    note("attribute priority", [ex(empty, (1, 1, 1), (8, 0)), ex(empty, (1, 1, 1), (8, 99))])
    note("attribute carveout", ex(empty, (1, 1, 1), (14, 50)))
    note("cooperative", cu.cuLaunchCooperativeKernel(empty, 132, 1, 1, 64, 1, 1, 0, None, None))
    note("cooperative most", cu.cuLaunchCooperativeKernel(empty, 132 * 2, 1, 1, 1024, 1, 1, 0, None, None))
    note("cooperative too large", cu.cuLaunchCooperativeKernel(empty, 132 * 2 + 1, 1, 1, 1024, 1, 1, 0, None, None))
    note("synchronize", cu.cuCtxSynchronize())


@scenario
def occupancy(cu: Cu, note: Note) -> None:
    cu.start()
    module = cu.load()
    empty, kib, bounded = (cu.function(module, name) for name in (b"empty", b"shared_kib", b"bounded"))
    number, grid, size = c_int(), c_int(), c_size_t()
    blocks = cu.cuOccupancyMaxActiveBlocksPerMultiprocessor
    for block, shared in ((0, 0), (1, 0), (32, 0), (64, 0), (96, 0), (128, 0), (1000, 0), (1024, 0), (1025, 0), (128, 1024),
                          (128, 20000), (128, 49152), (128, 49153), (-1, 0)):  # fmt: skip
        note(f"blocks {block} {shared}", [blocks(byref(number), empty, block, shared), number.value])
    note("blocks beside static", [blocks(byref(number), kib, 64, 0), number.value, blocks(byref(number), kib, 64, 4096), number.value])
    note("blocks bounded", [blocks(byref(number), bounded, 64, 0), number.value, blocks(byref(number), bounded, 128, 0), number.value])
    note("blocks null", blocks(None, empty, 32, 0))
    potential = cu.cuOccupancyMaxPotentialBlockSize
    note("potential", [potential(byref(grid), byref(number), empty, None, 0, 0), grid.value, number.value])
    note("potential limit", [potential(byref(grid), byref(number), empty, None, 0, 100), grid.value, number.value])
    note("potential bounded", [potential(byref(grid), byref(number), bounded, None, 0, 0), grid.value, number.value])
    note("potential shared", [potential(byref(grid), byref(number), empty, None, 40000, 0), grid.value, number.value])
    available = cu.cuOccupancyAvailableDynamicSMemPerBlock
    for count, block in ((1, 128), (2, 128), (4, 128), (32, 32)):
        note(f"available {count} {block}", [available(byref(size), empty, count, block), size.value])
    note("available static", [available(byref(size), kib, 2, 128), size.value])
    entries = (c_uint32 * 18)()
    entries[0], entries[2], entries[3], entries[4] = 4, 2, 1, 1
    address = ctypes.addressof(entries)
    config = CONFIG(64, 1, 1, 128, 1, 1, 0, 0, 0, 0, address & 0xFFFFFFFF, address >> 32, 1, 0)
    note("clusters", [cu.cuOccupancyMaxActiveClusters(byref(number), empty, config), number.value > 0])
    note("cluster size", [cu.cuOccupancyMaxPotentialClusterSize(byref(number), empty, config), number.value])


# --- faults and logs --------------------------------------------------------------------------------------------------


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
        note("module", [cu.cuModuleLoadData(byref(pointer), PTX), cu.cuModuleGetFunction(byref(pointer), module, b"empty")])
        note("info", [cu.cuMemGetInfo_v2(byref(size), byref(size)), cu.cuFuncGetAttribute(byref(number), 0, spare)])
        note("pointer", cu.cuPointerGetAttribute(byref(number), 2, p))
        note("graph", [cu.cuGraphCreate(byref(pointer), 0), cu.cuGraphLaunch(executable, stream)])
        note("capture", cu.cuStreamBeginCapture_v2(stream, 1))
        note("host", [cu.cuMemHostAlloc(byref(pointer), 64, 0)])
        note("current", [cu.cuCtxGetCurrent(byref(pointer)), cu.cuCtxGetDevice(byref(number)), cu.cuCtxSetCurrent(context)])
        note("attribute", cu.cuDeviceGetAttribute(byref(number), 1, 0))
        note("limit", cu.cuCtxGetLimit(byref(size), 0))
        note("priority", cu.cuStreamGetPriority(stream, byref(number)))
        note("destroy", [cu.cuGraphExecDestroy(executable), cu.cuGraphDestroy(graph), cu.cuEventDestroy_v2(event), cu.cuStreamDestroy_v2(stream)])
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
        copy = c_uint32(iterator.value)
        code = cu.cuLogsDumpToMemory(byref(copy), buffer, byref(size), 0)
        note(f"dump {room}", [code, size.value - len(buffer.value), copy.value - iterator.value])
        if room == 65536:
            note("text", buffer.value.decode(errors="replace"))
            again = c_size_t(65536)
            note("dump again", [cu.cuLogsDumpToMemory(byref(copy), buffer, byref(again), 0), again.value])
    size.value = 65536
    note("dump all", cu.cuLogsDumpToMemory(None, buffer, byref(size), 0))
    note("null", [cu.cuLogsDumpToMemory(byref(iterator), None, byref(size), 0), cu.cuLogsDumpToMemory(byref(iterator), buffer, None, 0)])


@scenario
def log_of_fault(cu: Cu, note: Note) -> None:
    cu.start()
    iterator, buffer, size = c_uint32(), (c_char * 65536)(), c_size_t(65536)
    cu.cuLogsCurrent(byref(iterator), 0)
    note("launch", cu.launch(cu.function(cu.load(), b"store"), c_uint64(0x10000), c_uint32(1)))
    note("synchronize", cu.cuCtxSynchronize())
    note("dump", cu.cuLogsDumpToMemory(byref(iterator), buffer, byref(size), 0))
    note("text", buffer.value.decode(errors="replace"))


# --- capture ----------------------------------------------------------------------------------------------------------


class Bench:
    """What the capture programs work on: made before the capture begins."""

    def __init__(self, cu: Cu, flags: int) -> None:
        self.cu = cu
        self.context = cu.start()
        self.module = cu.load()
        self.empty = cu.function(self.module, b"empty")
        self.increment = cu.function(self.module, b"increment")
        self.stream, self.other, self.free = cu.stream(flags), cu.stream(0), cu.stream(1)
        self.p = cu.alloc(256)
        self.host = (c_uint32 * 64)()
        self.pinned = cu.get(c_void_p, "cuMemHostAlloc", 256, 0)
        self.event, self.recorded, self.timed = cu.event(), cu.event(), cu.event()
        for event in (self.recorded, self.timed):
            cu.cuEventRecord(event, self.other)
        cu.cuCtxSynchronize()
        self.graph = cu.get(c_void_p, "cuGraphCreate", 0)
        node = c_void_p()
        cu.cuGraphAddEmptyNode(byref(node), self.graph, None, 0)
        self.node = node.value
        self.executable = cu.get(c_void_p, "cuGraphInstantiateWithFlags", self.graph, 0)
        self.executable2 = cu.get(c_void_p, "cuGraphInstantiateWithFlags", self.graph, 0)
        self.library = c_void_p()
        cu.cuLibraryLoadData(byref(self.library), PTX, None, None, 0, None, None, 0)
        cu.cuMemcpyHtoD_v2(self.p, self.host, 256)
        cu.cuCtxSynchronize()
        self.slots = (c_void_p * 1)()
        self.value = c_uint64(self.p)
        self.slots[0] = ctypes.addressof(self.value)
        self.host_function = ctypes.CFUNCTYPE(None, c_void_p)(lambda data: None)
        self.callback = ctypes.CFUNCTYPE(None, c_void_p, c_int, c_void_p)(lambda s, code, data: None)


def _out(ctype: Any = c_uint64) -> Any:
    return byref(ctype())


def _then(*codes: int) -> list[int]:
    return list(codes)


CAPTURED_CALLS: dict[str, Callable[[Cu, Bench], Any]] = {
    "nothing": lambda cu, b: 0,
    "launch": lambda cu, b: cu.launch(b.empty, stream=b.stream),
    "launch on legacy": lambda cu, b: cu.launch(b.empty),
    "launch on legacy by name": lambda cu, b: cu.launch(b.empty, stream=1),
    "launch on per-thread": lambda cu, b: cu.launch(b.empty, stream=2),
    "launch on other": lambda cu, b: cu.launch(b.empty, stream=b.other),
    "launch on non-blocking": lambda cu, b: cu.launch(b.empty, stream=b.free),
    "launch of wrong block": lambda cu, b: cu.launch(b.empty, block=(2000, 1, 1), stream=b.stream),
    "context synchronize": lambda cu, b: cu.cuCtxSynchronize(),
    "stream synchronize": lambda cu, b: cu.cuStreamSynchronize(b.stream),
    "stream synchronize other": lambda cu, b: cu.cuStreamSynchronize(b.other),
    "stream synchronize legacy": lambda cu, b: cu.cuStreamSynchronize(None),
    "stream synchronize per-thread": lambda cu, b: cu.cuStreamSynchronize(2),
    "stream query": lambda cu, b: cu.cuStreamQuery(b.stream),
    "stream query other": lambda cu, b: cu.cuStreamQuery(b.other),
    "stream query legacy": lambda cu, b: cu.cuStreamQuery(None),
    "copy to device": lambda cu, b: cu.cuMemcpyHtoD_v2(b.p, b.host, 16),
    "copy to host": lambda cu, b: cu.cuMemcpyDtoH_v2(b.host, b.p, 16),
    "copy on device": lambda cu, b: cu.cuMemcpyDtoD_v2(b.p + 128, b.p, 16),
    "copy to device async": lambda cu, b: cu.cuMemcpyHtoDAsync_v2(b.p, b.pinned, 16, b.stream),
    "copy to device async pageable": lambda cu, b: cu.cuMemcpyHtoDAsync_v2(b.p, b.host, 16, b.stream),
    "copy to host async pageable": lambda cu, b: cu.cuMemcpyDtoHAsync_v2(b.host, b.p, 16, b.stream),
    "copy on device async": lambda cu, b: cu.cuMemcpyDtoDAsync_v2(b.p + 128, b.p, 16, b.stream),
    "copy async wild": lambda cu, b: cu.cuMemcpyDtoDAsync_v2(b.p, 0x1234, 16, b.stream),
    "copy async legacy": lambda cu, b: cu.cuMemcpyDtoDAsync_v2(b.p + 128, b.p, 16, None),
    "copy async 0": lambda cu, b: cu.cuMemcpyDtoDAsync_v2(b.p + 128, b.p, 0, b.stream),
    "memset": lambda cu, b: cu.cuMemsetD8_v2(b.p, 0, 16),
    "memset async": lambda cu, b: cu.cuMemsetD8Async(b.p, 0, 16, b.stream),
    "memset async legacy": lambda cu, b: cu.cuMemsetD8Async(b.p, 0, 16, None),
    "alloc": lambda cu, b: cu.cuMemAlloc_v2(_out(), 16),
    "alloc pitch": lambda cu, b: cu.cuMemAllocPitch_v2(_out(), _out(c_size_t), 16, 4, 4),
    "free": lambda cu, b: cu.cuMemFree_v2(b.p),
    "alloc host": lambda cu, b: cu.cuMemHostAlloc(_out(c_void_p), 16, 0),
    "free host": lambda cu, b: cu.cuMemFreeHost(b.pinned),
    "register": lambda cu, b: cu.cuMemHostRegister_v2(b.host, 256, 0),
    "managed": lambda cu, b: cu.cuMemAllocManaged(_out(), 16, 1),
    "alloc async": lambda cu, b: cu.cuMemAllocAsync(_out(), 16, b.stream),
    "alloc async other": lambda cu, b: cu.cuMemAllocAsync(_out(), 16, b.other),
    "alloc async legacy": lambda cu, b: cu.cuMemAllocAsync(_out(), 16, None),
    "free async of plain": lambda cu, b: cu.cuMemFreeAsync(b.p, b.stream),
    "memory info": lambda cu, b: cu.cuMemGetInfo_v2(_out(c_size_t), _out(c_size_t)),
    "pointer attribute": lambda cu, b: cu.cuPointerGetAttribute(_out(), 2, b.p),
    "address range": lambda cu, b: cu.cuMemGetAddressRange_v2(_out(), _out(c_size_t), b.p),
    "event create": lambda cu, b: cu.cuEventCreate(_out(c_void_p), 0),
    "event destroy": lambda cu, b: cu.cuEventDestroy_v2(b.recorded),
    "event query": lambda cu, b: cu.cuEventQuery(b.recorded),
    "event synchronize": lambda cu, b: cu.cuEventSynchronize(b.recorded),
    "event elapsed": lambda cu, b: cu.cuEventElapsedTime_v2(_out(c_float), b.recorded, b.timed),
    "event record": lambda cu, b: cu.cuEventRecord(b.event, b.stream),
    "event record other": lambda cu, b: cu.cuEventRecord(b.event, b.other),
    "event record legacy": lambda cu, b: cu.cuEventRecord(b.event, None),
    "event record external": lambda cu, b: cu.cuEventRecordWithFlags(b.event, b.stream, 1),
    "captured event query": lambda cu, b: _then(cu.cuEventRecord(b.event, b.stream), cu.cuEventQuery(b.event)),
    "captured event synchronize": lambda cu, b: _then(cu.cuEventRecord(b.event, b.stream), cu.cuEventSynchronize(b.event)),
    "captured event elapsed": lambda cu, b: _then(
        cu.cuEventRecord(b.event, b.stream), cu.cuEventElapsedTime_v2(_out(c_float), b.recorded, b.event)
    ),
    "captured event destroy": lambda cu, b: _then(cu.cuEventRecord(b.event, b.stream), cu.cuEventDestroy_v2(b.event)),
    "wait uncaptured": lambda cu, b: cu.cuStreamWaitEvent(b.stream, b.recorded, 0),
    "wait unrecorded": lambda cu, b: cu.cuStreamWaitEvent(b.stream, b.event, 0),
    "wait external": lambda cu, b: cu.cuStreamWaitEvent(b.stream, b.recorded, 1),
    "fork": lambda cu, b: _then(cu.cuEventRecord(b.event, b.stream), cu.cuStreamWaitEvent(b.other, b.event, 0), cu.capturing(b.other)),
    "fork and launch": lambda cu, b: _then(
        cu.cuEventRecord(b.event, b.stream), cu.cuStreamWaitEvent(b.other, b.event, 0), cu.launch(b.empty, stream=b.other)
    ),
    "fork and join": lambda cu, b: _then(
        cu.launch(b.empty, stream=b.stream),
        cu.cuEventRecord(b.event, b.stream), cu.cuStreamWaitEvent(b.other, b.event, 0), cu.launch(b.empty, stream=b.other),
        cu.cuEventRecord(b.timed, b.other), cu.cuStreamWaitEvent(b.stream, b.timed, 0),
    ),
    "fork and end there": lambda cu, b: _then(
        cu.cuEventRecord(b.event, b.stream), cu.cuStreamWaitEvent(b.other, b.event, 0), cu.end_capture(b.other)[0]
    ),
    "fork to non-blocking": lambda cu, b: _then(cu.cuEventRecord(b.event, b.stream), cu.cuStreamWaitEvent(b.free, b.event, 0)),
    "fork to legacy": lambda cu, b: _then(cu.cuEventRecord(b.event, b.stream), cu.cuStreamWaitEvent(None, b.event, 0)),
    "stream create": lambda cu, b: cu.cuStreamCreate(_out(c_void_p), 0),
    "stream destroy": lambda cu, b: cu.cuStreamDestroy_v2(b.stream),
    "stream destroy other": lambda cu, b: cu.cuStreamDestroy_v2(b.other),
    "stream flags": lambda cu, b: cu.cuStreamGetFlags(b.stream, _out(c_uint32)),
    "stream priority": lambda cu, b: cu.cuStreamGetPriority(b.stream, _out(c_int)),
    "stream context": lambda cu, b: cu.cuStreamGetCtx(b.stream, _out(c_void_p)),
    "module load": lambda cu, b: cu.cuModuleLoadData(_out(c_void_p), PTX),
    "module unload": lambda cu, b: cu.cuModuleUnload(b.module),
    "module function": lambda cu, b: cu.cuModuleGetFunction(_out(c_void_p), b.module, b"store"),
    "module global": lambda cu, b: cu.cuModuleGetGlobal_v2(_out(), _out(c_size_t), b.module, b"answer"),
    "library load": lambda cu, b: cu.cuLibraryLoadData(_out(c_void_p), PTX, None, None, 0, None, None, 0),
    "library kernel": lambda cu, b: cu.cuLibraryGetKernel(_out(c_void_p), b.library, b"store"),
    "function attribute": lambda cu, b: cu.cuFuncGetAttribute(_out(c_int), 0, b.empty),
    "function set attribute": lambda cu, b: cu.cuFuncSetAttribute(b.empty, 8, 60000),
    "function parameter": lambda cu, b: cu.cuFuncGetParamInfo(b.increment, 0, _out(c_size_t), _out(c_size_t)),
    "occupancy": lambda cu, b: cu.cuOccupancyMaxActiveBlocksPerMultiprocessor(_out(c_int), b.empty, 128, 0),
    "context limit": lambda cu, b: cu.cuCtxGetLimit(_out(c_size_t), 0),
    "context set limit": lambda cu, b: cu.cuCtxSetLimit(0, 4096),
    "context create": lambda cu, b: cu.cuCtxCreate_v2(_out(c_void_p), 0, 0),
    "context reset": lambda cu, b: cu.cuDevicePrimaryCtxReset_v2(0),
    "retain and release": lambda cu, b: _then(cu.cuDevicePrimaryCtxRetain(_out(c_void_p), 0), cu.cuDevicePrimaryCtxRelease_v2(0)),
    "begin again": lambda cu, b: cu.cuStreamBeginCapture_v2(b.stream, 1),
    "begin on legacy": lambda cu, b: cu.cuStreamBeginCapture_v2(None, 1),
    "end on other": lambda cu, b: cu.end_capture(b.other)[0],
    "end null": lambda cu, b: cu.cuStreamEndCapture(b.stream, None),
    "graph create": lambda cu, b: cu.cuGraphCreate(_out(c_void_p), 0),
    "graph instantiate": lambda cu, b: cu.cuGraphInstantiateWithFlags(_out(c_void_p), b.graph, 0),
    "graph launch": lambda cu, b: cu.cuGraphLaunch(b.executable, b.stream),
    "graph launch other": lambda cu, b: cu.cuGraphLaunch(b.executable, b.other),
    "graph upload": lambda cu, b: cu.cuGraphUpload(b.executable, b.stream),
    "graph executable destroy": lambda cu, b: cu.cuGraphExecDestroy(b.executable2),
    "host function": lambda cu, b: cu.cuLaunchHostFunc(b.stream, b.host_function, None),
    "callback": lambda cu, b: cu.cuStreamAddCallback(b.stream, b.callback, None, 0),
    "stream attribute": lambda cu, b: cu.cuStreamSetAttribute(b.stream, 3, (c_uint32 * 16)(1)),
    "pool trim": lambda cu, b: cu.cuMemPoolTrimTo(cu.get(c_void_p, "cuDeviceGetDefaultMemPool", 0), 0),
    "profiler": lambda cu, b: cu.cuProfilerStart(),
    "current": lambda cu, b: _then(cu.cuCtxGetCurrent(_out(c_void_p)), cu.cuCtxSetCurrent(b.context)),
    "cooperative": lambda cu, b: cu.cuLaunchCooperativeKernel(b.empty, 1, 1, 1, 1, 1, 1, 0, b.stream, None),
    "query exchange relaxed": lambda cu, b: _then(
        cu.cuThreadExchangeStreamCaptureMode(byref(c_int(2))), cu.cuEventQuery(b.recorded), cu.cuMemAlloc_v2(_out(), 16),
        cu.cuThreadExchangeStreamCaptureMode(byref(c_int(0))),
    ),
}  # fmt: skip


def capture_of(mode: int, flags: int) -> Callable[[Cu, Note], None]:
    def body(cu: Cu, note: Note) -> None:
        for name, call in CAPTURED_CALLS.items():
            bench = Bench(cu, flags)
            assert cu.cuStreamBeginCapture_v2(bench.stream, mode) == 0, name
            answer = call(cu, bench)
            if name in ("stream destroy", "context reset"):
                note(name, [answer])
                cu.cuDevicePrimaryCtxReset_v2(0)
                continue
            status = cu.capturing(bench.stream)
            code, graph = cu.end_capture(bench.stream)
            nodes = c_size_t()
            if graph:
                cu.cuGraphGetNodes(graph, None, byref(nodes))
            note(name, [answer, status, code, nodes.value])
            cu.cuDevicePrimaryCtxReset_v2(0)

    return body


for _mode, _name in enumerate(("global", "thread_local", "relaxed")):
    SCENARIOS[f"capture_{_name}"] = capture_of(_mode, 0)
    SCENARIOS[f"capture_{_name}_non_blocking"] = capture_of(_mode, 1)


@scenario
def capture_elsewhere(cu: Cu, note: Note) -> None:
    """What another thread may do while a capture is on."""
    import threading

    for mode in (0, 1, 2):
        for mine in (0, 1, 2):
            bench = Bench(cu, 1)

            def elsewhere(bench: Bench = bench, mine: int = mine) -> None:
                cu.cuCtxSetCurrent(bench.context)
                cu.cuThreadExchangeStreamCaptureMode(byref(c_int(mine)))
                answers.append(
                    [
                        cu.cuMemAlloc_v2(_out(), 16), cu.cuEventQuery(bench.recorded), cu.cuStreamSynchronize(bench.other),
                        cu.launch(bench.empty, stream=bench.other), cu.launch(bench.empty, stream=bench.stream),
                        cu.cuMemcpyHtoD_v2(bench.p, bench.host, 16), cu.cuCtxSynchronize(), cu.end_capture(bench.stream)[0],
                    ]
                )  # fmt: skip

            answers: list[Any] = []
            cu.cuStreamBeginCapture_v2(bench.stream, mode)
            thread = threading.Thread(target=elsewhere)
            thread.start()
            thread.join()
            note(f"capture {mode}, thread {mine}", [answers[0], cu.capturing(bench.stream), cu.end_capture(bench.stream)[0]])
            cu.cuDevicePrimaryCtxReset_v2(0)


@scenario
def capture_details(cu: Cu, note: Note) -> None:
    b = Bench(cu, 1)
    status, ident, graph, nodes, count = c_int(), c_uint64(), c_void_p(), c_void_p(), c_size_t()
    edges = c_void_p()
    note("begin on legacy", [cu.cuStreamBeginCapture_v2(None, 0), cu.cuStreamBeginCapture_v2(1, 0)])
    note("begin on per-thread", [cu.cuStreamBeginCapture_v2(2, 0), cu.capturing(2), cu.end_capture(2)[0]])
    note("begin mode 3", cu.cuStreamBeginCapture_v2(b.stream, 3))
    note("end without", cu.end_capture(b.stream)[0])
    note("is capturing legacy", [cu.cuStreamIsCapturing(None, byref(status)), status.value])
    note("is capturing null", cu.cuStreamIsCapturing(b.stream, None))
    info = lambda s: [  # noqa: E731
        cu.cuStreamGetCaptureInfo_v2(s, byref(status), byref(ident), byref(graph), byref(nodes), byref(count)), status.value,
    ]  # fmt: skip
    note("info without", info(b.stream))
    note("info legacy", info(None))
    cu.cuStreamBeginCapture_v2(b.stream, 1)
    note("info", [*info(b.stream), ident.value > 0, bool(graph.value), count.value])
    note("info legacy while", info(None))
    cu.launch(b.empty, stream=b.stream)
    note("info after launch", [*info(b.stream), count.value])
    note("info v3", [cu.cuStreamGetCaptureInfo_v3(b.stream, byref(status), byref(ident), None, None, byref(edges), byref(count)), count.value])
    note("info v3 without edges", cu.cuStreamGetCaptureInfo_v3(b.stream, byref(status), None, None, None, None, None))
    inside = graph.value
    node = c_void_p()
    note("add node to it", cu.cuGraphAddEmptyNode(byref(node), inside, None, 0))
    note("update set", [cu.cuStreamUpdateCaptureDependencies(b.stream, byref(node), 1, 1), *info(b.stream), count.value])
    cu.launch(b.empty, stream=b.stream)
    note("update add", [cu.cuStreamUpdateCaptureDependencies(b.stream, byref(node), 1, 0), *info(b.stream), count.value])
    note("instantiate it", cu.cuGraphInstantiateWithFlags(_out(c_void_p), inside, 0))
    note("destroy it", cu.cuGraphDestroy(inside))
    code, made = cu.end_capture(b.stream)
    note("end", [code, made == inside])
    note("nodes", [cu.cuGraphGetNodes(made, None, byref(count)), count.value])
    note("roots", [cu.cuGraphGetRootNodes(made, None, byref(count)), count.value])
    note("edges", [cu.cuGraphGetEdges(made, None, None, byref(count)), count.value])
    # arguments are copied while capturing; the graph runs later
    cu.cuMemsetD8_v2(b.p, 0, 256)
    cu.cuStreamBeginCapture_v2(b.stream, 0)
    for _ in range(3):
        cu.cuLaunchKernel(b.increment, 1, 1, 1, 64, 1, 1, 0, b.stream, b.slots, None)
    b.value.value = 0
    code, made = cu.end_capture(b.stream)
    note("not run yet", cu.words(b.p, 1))
    executable = cu.get(c_void_p, "cuGraphInstantiateWithFlags", made, 0)
    note("run", [[cu.cuGraphLaunch(executable, b.stream) for _ in range(5)], cu.cuStreamSynchronize(b.stream), cu.words(b.p, 2)])
    # two captures at once, joined wrongly
    cu.cuStreamBeginCapture_v2(b.stream, 0)
    cu.cuStreamBeginCapture_v2(b.free, 0)
    note("merge", [cu.cuEventRecord(b.event, b.stream), cu.cuStreamWaitEvent(b.free, b.event, 0)])
    note("merge ends", [cu.end_capture(b.stream)[0], cu.end_capture(b.free)[0]])
    # an event of an ended capture
    cu.cuStreamBeginCapture_v2(b.stream, 0)
    cu.cuEventRecord(b.event, b.stream)
    cu.end_capture(b.stream)
    note("event after its capture", [cu.cuEventQuery(b.event), cu.cuStreamWaitEvent(b.other, b.event, 0), cu.capturing(b.other),
                                     cu.cuEventSynchronize(b.event), cu.cuEventElapsedTime_v2(_out(c_float), b.recorded, b.event)])  # fmt: skip
    # destroyed stream of a fork; a fork that begins with nothing captured
    cu.cuStreamBeginCapture_v2(b.stream, 0)
    cu.cuEventRecord(b.event, b.stream)
    cu.cuStreamWaitEvent(b.free, b.event, 0)
    note("empty fork unjoined", cu.end_capture(b.stream)[0])
    note("fork stream after", cu.capturing(b.free))
    cu.cuStreamBeginCapture_v2(b.stream, 0)
    note("memory nodes", [cu.cuMemAllocAsync(byref(ident), 64, b.stream), cu.cuMemsetD8Async(ident, 1, 64, b.stream), cu.cuMemFreeAsync(ident, b.stream)])
    code, made = cu.end_capture(b.stream)
    many, kind = (c_void_p * 8)(), c_int()
    count.value = 8
    cu.cuGraphGetNodes(made, many, byref(count))
    kinds = []
    for index in range(count.value):
        cu.cuGraphNodeGetType(many[index], byref(kind))
        kinds.append(kind.value)
    note("memory node kinds", [code, kinds])
    note("memory node run", [cu.cuGraphLaunch(cu.get(c_void_p, "cuGraphInstantiateWithFlags", made, 0), b.stream), cu.cuStreamSynchronize(b.stream)])


# --- graphs -----------------------------------------------------------------------------------------------------------


@scenario
def graphs(cu: Cu, note: Note) -> None:
    b = Bench(cu, 1)
    graph, count, kind = cu.get(c_void_p, "cuGraphCreate", 0), c_size_t(), c_int()
    note("create null", cu.cuGraphCreate(None, 0))
    note("create flags", cu.cuGraphCreate(_out(c_void_p), 1))

    def empty_node(*dependencies: int) -> list[int]:
        node, needs = c_void_p(), (c_void_p * max(len(dependencies), 1))(*dependencies)
        return [cu.cuGraphAddEmptyNode(byref(node), graph, needs, len(dependencies)), node.value or 0]

    first = empty_node()[1]
    second = empty_node(first)[1]
    third = empty_node(first, second)[1]
    note("duplicate dependency", empty_node(first, first)[0])
    note("null dependency", cu.cuGraphAddEmptyNode(_out(c_void_p), graph, None, 1))
    note("foreign dependency", empty_node(b.node or 0)[0])
    many = (c_void_p * 8)()
    note("count", [cu.cuGraphGetNodes(graph, None, byref(count)), count.value])
    count.value = 2
    note("some", [cu.cuGraphGetNodes(graph, many, byref(count)), count.value, many[0] == first, many[1] == second, many[2]])
    count.value = 8
    note("more", [cu.cuGraphGetNodes(graph, many, byref(count)), count.value, many[3]])
    note("count null", cu.cuGraphGetNodes(graph, many, None))
    note("roots", [cu.cuGraphGetRootNodes(graph, None, byref(count)), count.value])
    note("edges", [cu.cuGraphGetEdges(graph, None, None, byref(count)), count.value])
    left, right = (c_void_p * 8)(), (c_void_p * 8)()
    count.value = 8
    cu.cuGraphGetEdges(graph, left, right, byref(count))
    order = {first: 1, second: 2, third: 3}
    note("edge order", [[order[left[i] or 0], order[right[i] or 0]] for i in range(count.value)])
    note("dependencies", [cu.cuGraphNodeGetDependencies(third, None, byref(count)), count.value])
    note("dependents", [cu.cuGraphNodeGetDependentNodes_v2(first, None, None, byref(count)), count.value])
    note("kind", [cu.cuGraphNodeGetType(first, byref(kind)), kind.value])
    pair = lambda x, y: (byref(c_void_p(x)), byref(c_void_p(y)), 1)  # noqa: E731
    note("add edge twice", cu.cuGraphAddDependencies(graph, *pair(first, second)))
    note("add cycle", cu.cuGraphAddDependencies(graph, *pair(third, first)))
    note("add self", cu.cuGraphAddDependencies(graph, *pair(third, third)))
    note("instantiate", cu.cuGraphInstantiateWithFlags(_out(c_void_p), graph, 0))
    note("remove edge", cu.cuGraphRemoveDependencies(graph, *pair(first, third)))
    note("remove edge twice", cu.cuGraphRemoveDependencies(graph, *pair(first, third)))
    note("destroy node", [cu.cuGraphDestroyNode(second), cu.cuGraphGetEdges(graph, None, None, byref(count)), count.value])
    clone = c_void_p()
    note("clone", [cu.cuGraphClone(byref(clone), graph), cu.cuGraphGetNodes(clone, None, byref(count)), count.value])
    found = c_void_p()
    note("find in clone", [cu.cuGraphNodeFindInClone(byref(found), first, clone), bool(found.value), found.value == first])
    note("find in other", cu.cuGraphNodeFindInClone(byref(found), first, graph))
    note("instantiate flags", cu.cuGraphInstantiateWithFlags(_out(c_void_p), graph, 64))
    note("instantiate null", cu.cuGraphInstantiateWithFlags(None, graph, 0))
    note("destroy", [cu.cuGraphDestroy(clone), cu.cuGraphDestroy(graph), cu.cuGraphDestroy(None)])
    note("executable null", [cu.cuGraphLaunch(None, b.stream), cu.cuGraphExecDestroy(None)])


def _kernel_params(function: int, slots: Any, grid: int = 1, block: int = 64) -> Any:
    """CUDA_KERNEL_NODE_PARAMS_v2 as nine words of eight bytes."""
    words = (c_uint64 * 9)()
    words[0] = function
    (c_uint32 * 7).from_buffer(words, 8)[:] = [grid, 1, 1, block, 1, 1, 0]
    words[5] = ctypes.addressof(slots) if slots is not None else 0
    return words


@scenario
def graph_nodes(cu: Cu, note: Note) -> None:
    b = Bench(cu, 1)
    graph, node, count = cu.get(c_void_p, "cuGraphCreate", 0), c_void_p(), c_size_t()
    params = _kernel_params(b.increment, b.slots)
    note("kernel", cu.cuGraphAddKernelNode_v2(byref(node), graph, None, 0, params))
    kernel = node.value
    note("kernel null", cu.cuGraphAddKernelNode_v2(byref(node), graph, None, 0, None))
    note("kernel without function", cu.cuGraphAddKernelNode_v2(byref(node), graph, None, 0, _kernel_params(0, b.slots)))
    note("kernel without slots", cu.cuGraphAddKernelNode_v2(byref(node), graph, None, 0, _kernel_params(b.increment, None)))
    note("kernel wrong block", cu.cuGraphAddKernelNode_v2(byref(node), graph, None, 0, _kernel_params(b.increment, b.slots, 1, 2000)))
    note("kernel no grid", cu.cuGraphAddKernelNode_v2(byref(node), graph, None, 0, _kernel_params(b.increment, b.slots, 0)))
    # the node has its own copy of the arguments
    b.value.value = 1
    got = (c_uint64 * 9)()
    note("kernel params", [cu.cuGraphKernelNodeGetParams_v2(kernel, got), got[0] == b.increment, list((c_uint32 * 7).from_buffer(got, 8))])
    slot = c_uint64.from_address(got[5]).value
    note("kernel argument", c_uint64.from_address(slot).value == b.p)
    note("kernel extra", got[6])
    before = (c_void_p * 1)(kernel)
    memset = (c_uint64 * 5)(b.p, 0, 1 | (4 << 32), 4, 1)
    note("memset", cu.cuGraphAddMemsetNode(byref(node), graph, before, 1, memset, b.context))
    setter = node.value
    memset[2] = 1 | (3 << 32)
    note("memset element 3", cu.cuGraphAddMemsetNode(byref(node), graph, before, 1, memset, b.context))
    memset[2] = 1 | (4 << 32)
    memset[0] = 0x1234
    note("memset wild", cu.cuGraphAddMemsetNode(byref(node), graph, before, 1, memset, b.context))
    copy = (c_uint64 * 25)()
    copy[4], copy[6], copy[15], copy[17] = 2, b.p, 2, b.p + 128  # device to device
    copy[22], copy[23], copy[24] = 16, 1, 1
    needs = (c_void_p * 1)(setter)
    note("memcpy", cu.cuGraphAddMemcpyNode(byref(node), graph, needs, 1, copy, b.context))
    copier = node.value
    copy[6] = 0x1234
    note("memcpy wild", cu.cuGraphAddMemcpyNode(byref(node), graph, needs, 1, copy, b.context))
    ran: list[int] = []
    host = ctypes.CFUNCTYPE(None, c_void_p)(lambda data: ran.append(int(data or 0)))
    words = (c_uint64 * 2)(ctypes.cast(host, c_void_p).value or 0, 33)
    note("host", cu.cuGraphAddHostNode(byref(node), graph, (c_void_p * 1)(copier), 1, words))
    hosted = node.value
    note("host null", cu.cuGraphAddHostNode(byref(node), graph, None, 0, (c_uint64 * 2)(0, 1)))
    note("event record", cu.cuGraphAddEventRecordNode(byref(node), graph, (c_void_p * 1)(hosted), 1, b.timed))
    note("event wait", cu.cuGraphAddEventWaitNode(byref(node), graph, None, 0, b.recorded))
    note("event null", cu.cuGraphAddEventWaitNode(byref(node), graph, None, 0, None))
    note("child", cu.cuGraphAddChildGraphNode(byref(node), graph, None, 0, b.graph))
    child = node.value
    inner = c_void_p()
    note("child graph", [cu.cuGraphChildGraphNodeGetGraph(child, byref(inner)), bool(inner.value), inner.value == b.graph])
    note("child null", cu.cuGraphAddChildGraphNode(byref(node), graph, None, 0, None))
    generic = (c_uint64 * 32)()
    generic[0] = 5
    note("generic empty", cu.cuGraphAddNode_v2(byref(node), graph, None, None, 0, generic))
    generic[0], generic[2] = 0, 0
    for index in range(9):
        generic[2 + index] = params[index]
    b.value.value = b.p
    note("generic kernel", cu.cuGraphAddNode_v2(byref(node), graph, (c_void_p * 1)(kernel), None, 1, generic))
    generic[31] = 7
    note("generic reserved", cu.cuGraphAddNode_v2(byref(node), graph, None, None, 0, generic))
    generic[31] = 0
    generic[0] = 77
    note("generic type 77", cu.cuGraphAddNode_v2(byref(node), graph, None, None, 0, generic))
    kinds, many, kind = [], (c_void_p * 32)(), c_int()
    count.value = 32
    cu.cuGraphGetNodes(graph, many, byref(count))
    for index in range(count.value):
        cu.cuGraphNodeGetType(many[index], byref(kind))
        kinds.append(kind.value)
    note("kinds", kinds)
    note("wrong kind", [cu.cuGraphKernelNodeGetParams_v2(setter, got), cu.cuGraphMemsetNodeGetParams(kernel, memset),
                        cu.cuGraphChildGraphNodeGetGraph(kernel, byref(inner))])  # fmt: skip
    back = (c_uint64 * 5)()
    note("memset params", [cu.cuGraphMemsetNodeGetParams(setter, back), back[0] == b.p, list(back)[1:]])
    whole = (c_uint64 * 25)()
    note("memcpy params", [cu.cuGraphMemcpyNodeGetParams(copier, whole), whole[17] == b.p + 128, list(whole)[22:]])
    pair = (c_uint64 * 2)()
    note("host params", [cu.cuGraphHostNodeGetParams(hosted, pair), list(pair) == list(words)])
    out = c_void_p()
    note("event of node", [cu.cuGraphEventRecordNodeGetEvent(many[4], byref(out)), out.value == b.timed])
    cu.cuMemsetD8_v2(b.p, 0, 256)
    executable = cu.get(c_void_p, "cuGraphInstantiateWithFlags", graph, 0)
    note("run", [cu.cuGraphLaunch(executable, b.stream), cu.cuStreamSynchronize(b.stream), ran])
    note("memory", [cu.words(b.p, 6), cu.words(b.p + 128, 4)])
    note("upload", cu.cuGraphUpload(executable, b.stream))
    flags = c_uint64()
    note("flags", [cu.cuGraphExecGetFlags(executable, byref(flags)), flags.value])
    # updates
    other = cu.alloc(256)
    cu.cuMemsetD8_v2(other, 0, 256)
    b.value.value = other
    note("set exec kernel", cu.cuGraphExecKernelNodeSetParams_v2(executable, kernel, _kernel_params(b.increment, b.slots)))
    note("set exec kernel wrong", cu.cuGraphExecKernelNodeSetParams_v2(executable, setter, _kernel_params(b.increment, b.slots)))
    note("set exec other kernel", cu.cuGraphExecKernelNodeSetParams_v2(executable, kernel, _kernel_params(b.empty, None)))
    note("set exec kernel back", cu.cuGraphExecKernelNodeSetParams_v2(executable, kernel, _kernel_params(b.increment, b.slots)))
    note("run updated", [cu.cuGraphLaunch(executable, b.stream), cu.cuStreamSynchronize(b.stream), cu.words(other, 2)])
    enabled = c_uint32()
    note("disable", [cu.cuGraphNodeSetEnabled(executable, kernel, 0), cu.cuGraphNodeGetEnabled(executable, kernel, byref(enabled)), enabled.value])
    note("disable host", cu.cuGraphNodeSetEnabled(executable, hosted, 0))
    note("run disabled", [cu.cuGraphLaunch(executable, b.stream), cu.cuStreamSynchronize(b.stream), cu.words(other, 2)])
    info = (c_uint64 * 3)()
    note("update same", [cu.cuGraphExecUpdate_v2(executable, graph, info), info[0] & 0xFFFFFFFF, info[1]])
    note("update different", [cu.cuGraphExecUpdate_v2(executable, b.graph, info), info[0] & 0xFFFFFFFF])
    cu.cuGraphKernelNodeSetParams_v2(kernel, _kernel_params(b.empty, None))
    note("update function", [cu.cuGraphExecUpdate_v2(executable, graph, info), info[0] & 0xFFFFFFFF])
    value = (c_uint32 * 16)()
    note("attribute priority", [cu.cuGraphKernelNodeGetAttribute(kernel, 8, value), value[0]])
    value[:] = [2, 1, 1] + [0] * 13
    note("attribute cluster", [cu.cuGraphKernelNodeSetAttribute(kernel, 4, value), cu.cuGraphKernelNodeGetAttribute(kernel, 4, value), value[0]])
    note("attribute unknown", cu.cuGraphKernelNodeSetAttribute(kernel, 99, value))
    note("attribute of memset", cu.cuGraphKernelNodeGetAttribute(setter, 8, value))
    note("destroy", [cu.cuGraphDestroy(graph), cu.cuGraphLaunch(executable, b.stream), cu.cuStreamSynchronize(b.stream), cu.cuGraphExecDestroy(executable)])
    parameters = (c_uint64 * 4)(0, 0, 0, 99)
    made = c_void_p()
    note("with params", [cu.cuGraphInstantiateWithParams(byref(made), b.graph, parameters), parameters[3] & 0xFFFFFFFF])
    note("empty graph", [cu.cuGraphInstantiateWithFlags(byref(made), cu.get(c_void_p, "cuGraphCreate", 0), 0), cu.cuGraphLaunch(made, b.stream)])


# --- running and recording --------------------------------------------------------------------------------------------


def run(name: str, lookup: Callable[[str], int]) -> dict[str, Any]:
    """The answers of one program, as JSON would give them back."""
    answers: dict[str, Any] = {}

    def note(label: str, value: Any) -> None:
        assert label not in answers, f"{name}: two answers are called {label!r}"
        answers[label] = value

    SCENARIOS[name](Cu(lookup), note)
    result: dict[str, Any] = json.loads(json.dumps(answers))
    return result


def libcuda() -> Callable[[str], int]:
    library = ctypes.CDLL("libcuda.so.1")

    def lookup(symbol: str) -> int:
        return ctypes.cast(getattr(library, symbol), c_void_p).value or 0

    return lookup


def _one(name: str) -> None:
    SCENARIOS[name](Cu(libcuda()), lambda label, value: print(json.dumps([label, value]), flush=True))


def record(path: str) -> None:
    from concurrent.futures import ThreadPoolExecutor

    def one(name: str) -> tuple[str, dict[str, Any]]:
        done = subprocess.run(
            ["timeout", "150", sys.executable, __file__, "one", name], capture_output=True, text=True, check=False
        )
        answers = dict(json.loads(line) for line in done.stdout.splitlines())
        if done.returncode:
            answers["ended"] = [done.returncode, done.stderr[-1500:]]
        print(f"{name}: {len(answers)} answers, exit {done.returncode} {done.stderr[-300:]}", flush=True)
        return name, answers

    with ThreadPoolExecutor(8) as pool:
        everything = dict(pool.map(one, SCENARIOS))
    with open(path, "w") as file:
        json.dump(everything, file, indent=1)


if __name__ == "__main__":
    sys.path.insert(0, __file__.rsplit("/tests/", 1)[0])
    {"record": record, "one": _one}[sys.argv[1]](sys.argv[2])
