"""Fills of rows, registered and managed memory, attributes of pointers and contexts, values in streams."""

from __future__ import annotations

import ctypes
from ctypes import byref, c_char, c_int, c_size_t, c_uint32, c_uint64, c_void_p
from typing import Any

from tests.ptxgen.emulated_driver.scenarios.base import Cu, Note, scenario


@scenario
def fills(cu: Cu, note: Note) -> None:
    cu.start()
    p, stream = cu.alloc(4096), cu.stream()
    cu.cuMemsetD8_v2(p, 0, 4096)
    note("8", [cu.cuMemsetD2D8_v2(p, 64, 7, 4, 3), cu.words(p + 64, 2)])
    note("16", [cu.cuMemsetD2D16_v2(p, 64, 0x1234, 2, 3), cu.words(p + 64, 2)])
    note("32", [cu.cuMemsetD2D32_v2(p, 64, 0x12345678, 2, 3), cu.words(p + 128, 3)])
    note("async", [cu.cuMemsetD2D32Async(p, 64, 9, 2, 3, stream), cu.cuStreamSynchronize(stream), cu.words(p + 128, 3)])
    note("width 0", cu.cuMemsetD2D8_v2(p, 64, 7, 0, 3))
    note("height 0", cu.cuMemsetD2D8_v2(p, 64, 7, 4, 0))
    note("pitch small", cu.cuMemsetD2D8_v2(p, 2, 7, 4, 3))
    note("pitch odd", cu.cuMemsetD2D32_v2(p, 66, 7, 4, 3))
    note("pitch small, one row", cu.cuMemsetD2D8_v2(p, 2, 7, 4, 1))
    note("address odd", [cu.cuMemsetD2D16_v2(p + 1, 64, 7, 4, 3), cu.cuMemsetD2D32_v2(p + 2, 64, 7, 4, 3)])
    note("beyond", cu.cuMemsetD2D8_v2(p, 1024, 7, 1025 - 1, 5))
    note("last row ends", cu.cuMemsetD2D8_v2(p, 1024, 7, 1024, 4))
    note("wild", cu.cuMemsetD2D8_v2(0x1234, 64, 7, 4, 3))
    word = c_uint64()
    note("get range of part", [cu.cuMemGetAddressRange_v2(byref(word), None, p + 4095), word.value == p])


@scenario
def registered(cu: Cu, note: Note) -> None:
    cu.start()
    buffer = (c_char * (1 << 16))()
    address = (ctypes.addressof(buffer) + 4095) & ~4095
    number = c_uint32()
    for flags in (0, 1, 2, 3, 8, 16, 32):
        code = cu.cuMemHostRegister_v2(address, 8192, flags)
        note(f"flags {flags}", [code, cu.cuMemHostUnregister(address) if code == 0 else None])
    note("odd address", [cu.cuMemHostRegister_v2(address + 100, 1000, 0), cu.cuMemHostUnregister(address + 100)])
    cu.cuMemHostRegister_v2(address, 8192, 2)
    note("flags of", [cu.cuMemHostGetFlags(byref(number), address), number.value])
    note("overlapping", cu.cuMemHostRegister_v2(address + 4096, 8192, 0))
    p = cu.alloc(8192)
    stream = cu.stream()
    note("copy", [cu.cuMemcpyHtoDAsync_v2(p, address, 8192, stream), cu.cuStreamSynchronize(stream)])
    note("copy beyond", cu.cuMemcpyHtoDAsync_v2(p, address + 4096, 4097, stream))
    note("register device memory", cu.cuMemHostRegister_v2(p, 4096, 0))
    note("unregister", cu.cuMemHostUnregister(address))
    for flags in range(9):
        code = cu.cuMemHostAlloc(byref(word := c_void_p()), 4096, flags)
        told = cu.cuMemHostGetFlags(byref(number), word) if code == 0 else None
        note(f"host alloc {flags}", [code, told, number.value if code == 0 else None])
    note("set sync", [cu.cuPointerSetAttribute(byref(c_uint32(1)), 6, p),
                      cu.cuPointerGetAttribute(byref(number), 6, p), number.value])  # fmt: skip
    note("set kind", cu.cuPointerSetAttribute(byref(number), 2, p))
    note("set wild", cu.cuPointerSetAttribute(byref(number), 6, 0x1234))
    note("set null", cu.cuPointerSetAttribute(None, 6, p))
    note("advise plain", cu.cuMemRangeGetAttribute(byref(number), 4, 1, p, 4096))

    def attribute(which: int) -> Any:
        place = c_uint64()
        code = cu.cuPointerGetAttribute(byref(place), which, p)
        return [code, place.value & 0xFFFFFFFF if code == 0 else None]

    note("attributes", {str(which): attribute(which) for which in (10, 14, 15, 16, 17, 21)})


@scenario
def words(cu: Cu, note: Note) -> None:
    """Values written and waited for in a stream."""
    cu.start()
    p, stream = cu.alloc(64), cu.stream()
    cu.cuMemsetD8_v2(p, 0, 64)
    note("write", [cu.cuStreamWriteValue32_v2(stream, p, 5, 0), cu.cuStreamWriteValue64_v2(stream, p + 8, 1 << 40, 0)])
    for flags in (0, 1, 2):
        note(f"wait {flags}", cu.cuStreamWaitValue32_v2(stream, p, 5 if flags < 2 else 4, flags))
    note("wait nor", cu.cuStreamWaitValue32_v2(stream, p, 5, 3))
    note("wait 64", cu.cuStreamWaitValue64_v2(stream, p + 8, 1 << 40, 1))
    note("synchronize", [cu.cuStreamSynchronize(stream), cu.words(p, 4)])
    note("odd", [cu.cuStreamWriteValue32_v2(stream, p + 2, 5, 0), cu.cuStreamWriteValue64_v2(stream, p + 4, 5, 0)])
    note("wild", [cu.cuStreamWriteValue32_v2(stream, 0x1234, 5, 0), cu.cuStreamWaitValue32_v2(stream, 0x1234, 0, 0)])
    note("null", cu.cuStreamWriteValue32_v2(stream, 0, 5, 0))
    note("flags", [cu.cuStreamWriteValue32_v2(stream, p, 5, 1), cu.cuStreamWriteValue32_v2(stream, p, 5, 2),
                   cu.cuStreamWaitValue32_v2(stream, p, 0, 4)])  # fmt: skip
    note("on the null stream", cu.cuStreamWriteValue32_v2(None, p, 6, 0))
    note("synchronize at last", cu.cuCtxSynchronize())


@scenario
def context_settings(cu: Cu, note: Note) -> None:
    cu.start()
    size, number, word = c_size_t(), c_int(), c_uint64()
    for config in range(5):
        code = cu.cuCtxSetCacheConfig(config)
        note(f"cache config {config}", [code, cu.cuCtxGetCacheConfig(byref(number)), number.value])
    for limit, value in ((0, 0), (0, 4096), (0, 4100), (0, 1 << 20), (1, 1 << 22), (2, 1 << 25), (4, 4096), (5, 128),
                         (5, 32), (5, 500), (6, 1 << 20), (6, 1 << 30), (7, 1024), (8, 1), (3, 4)):  # fmt: skip
        code = cu.cuCtxSetLimit(limit, value)
        note(f"limit {limit} to {value}", [code, cu.cuCtxGetLimit(byref(size), limit), size.value])
    note("context 1", cu.cuCtxGetId(None, byref(word)))
    for flags in (1, 2, 4, 8, 16, 128, 3, 256):
        note(f"flags {flags}", [cu.cuCtxSetFlags(flags), cu.cuCtxGetFlags(byref(number)), number.value])
    for flags in (0, 1, 2, 4, 8, 16, 3):
        made = c_void_p()
        code = cu.cuCtxCreate_v2(byref(made), flags, 0)
        told = [cu.cuCtxGetFlags(byref(number)), number.value] if code == 0 else None
        note(f"create with {flags}", [code, told, cu.cuCtxDestroy_v2(made) if code == 0 else None])
    note("profiler", [cu.cuProfilerStart(), cu.cuProfilerStop(), cu.cuProfilerStop()])
    info = [c_size_t(), c_size_t()]
    cu.cuMemGetInfo_v2(byref(info[0]), byref(info[1]))
    total = cu.get(c_size_t, "cuDeviceTotalMem_v2", 0)
    note("total", info[1].value == total)
