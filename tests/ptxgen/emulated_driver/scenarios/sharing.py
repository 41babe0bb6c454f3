"""Sharing within one process: IPC handles, pools for export, peers, access."""

from __future__ import annotations

from ctypes import byref, c_int, c_uint32, c_uint64, c_void_p
from typing import Any

from driver_ctypes.abi.structs import CUipcEventHandle, CUipcMemHandle, CUmemPoolPtrExportData
from tests.ptxgen.emulated_driver.scenarios.base import Cu, Note, scenario


@scenario
def ipc(cu: Cu, note: Note) -> None:
    context = cu.start()
    p, pinned = cu.alloc(1 << 21), cu.get(c_void_p, "cuMemHostAlloc", 4096, 0)
    handle, word, event_handle, event = CUipcMemHandle(), c_uint64(), CUipcEventHandle(), c_void_p()
    note("handle", cu.cuIpcGetMemHandle(byref(handle), p))
    note("handle of inside", cu.cuIpcGetMemHandle(byref(CUipcMemHandle()), p + 4096))
    note("handle of wild", cu.cuIpcGetMemHandle(byref(CUipcMemHandle()), 0x1234))
    note("handle of pinned", cu.cuIpcGetMemHandle(byref(CUipcMemHandle()), pinned))
    note("handle null", cu.cuIpcGetMemHandle(None, p))
    note("open own", cu.cuIpcOpenMemHandle_v2(byref(word), handle, 1))
    note("open flags 0", cu.cuIpcOpenMemHandle_v2(byref(word), handle, 0))
    note("open zeros", cu.cuIpcOpenMemHandle_v2(byref(word), CUipcMemHandle(), 1))
    note("open null", cu.cuIpcOpenMemHandle_v2(None, handle, 1))
    note("close own", cu.cuIpcCloseMemHandle(p))
    note("close wild", cu.cuIpcCloseMemHandle(0x1234))
    plain, shared = cu.event(), cu.event(6)
    note("event handle of plain", cu.cuIpcGetEventHandle(byref(event_handle), plain))
    note("event handle", cu.cuIpcGetEventHandle(byref(event_handle), shared))
    note("event handle null", [cu.cuIpcGetEventHandle(None, shared), cu.cuIpcGetEventHandle(byref(event_handle), None)])
    note("open own event", cu.cuIpcOpenEventHandle(byref(event), event_handle))
    note("open event zeros", cu.cuIpcOpenEventHandle(byref(event), CUipcEventHandle()))
    note("interprocess with timing", cu.cuEventCreate(byref(event), 4))
    note("time of interprocess", cu.cuEventElapsedTime_v2(byref(c_uint32()), shared, shared))
    assert context


@scenario
def shared_pools(cu: Cu, note: Note) -> None:
    cu.start()
    pool, other, stream, word, fd = c_void_p(), c_void_p(), cu.stream(), c_uint64(), c_int(-1)

    def properties(handles: int = 0, limit: int = 0, kind: int = 1, location: int = 1, device: int = 0) -> Any:
        words = (c_uint32 * 22)(kind, handles, location, device)
        words[6], words[7] = limit & 0xFFFFFFFF, limit >> 32
        return words

    note("create for export", cu.cuMemPoolCreate(byref(pool), properties(1)))
    note("create handles 2", cu.cuMemPoolCreate(byref(other), properties(2)))
    note("create handles 64", cu.cuMemPoolCreate(byref(other), properties(64)))
    note("create kind 0", cu.cuMemPoolCreate(byref(other), properties(kind=0)))
    note("create location 0", cu.cuMemPoolCreate(byref(other), properties(location=0)))
    note("export", [cu.cuMemPoolExportToShareableHandle(byref(fd), pool, 1, 0), fd.value >= 0])
    note("export flags", cu.cuMemPoolExportToShareableHandle(byref(c_int()), pool, 1, 1))
    note("export kind 2", cu.cuMemPoolExportToShareableHandle(byref(c_int()), pool, 2, 0))
    note("export null", cu.cuMemPoolExportToShareableHandle(None, pool, 1, 0))
    default = cu.get(c_void_p, "cuDeviceGetDefaultMemPool", 0)
    note("export default", cu.cuMemPoolExportToShareableHandle(byref(c_int()), default, 1, 0))
    note("alloc", [cu.cuMemAllocFromPoolAsync(byref(word), 1 << 20, pool, stream), cu.cuStreamSynchronize(stream)])
    p, data = word.value, CUmemPoolPtrExportData()
    note("export pointer", cu.cuMemPoolExportPointer(byref(data), p))
    note("export inside", cu.cuMemPoolExportPointer(byref(CUmemPoolPtrExportData()), p + 512))
    note("export wild", cu.cuMemPoolExportPointer(byref(CUmemPoolPtrExportData()), 0x1234))
    note("export plain", cu.cuMemPoolExportPointer(byref(CUmemPoolPtrExportData()), cu.alloc(256)))
    note("import", [cu.cuMemPoolImportFromShareableHandle(byref(other), fd.value, 1, 0), bool(other.value)])
    note("import flags", cu.cuMemPoolImportFromShareableHandle(byref(c_void_p()), fd.value, 1, 1))
    note("import wrong", cu.cuMemPoolImportFromShareableHandle(byref(c_void_p()), 999, 1, 0))
    note("alloc from imported", cu.cuMemAllocFromPoolAsync(byref(word), 256, other, stream))
    note("import pointer", [cu.cuMemPoolImportPointer(byref(word), other, byref(data)), word.value != p])
    note("import pointer wrong pool", cu.cuMemPoolImportPointer(byref(c_uint64()), default, byref(data)))
    note("use", [cu.cuMemsetD32_v2(p, 5, 4), cu.words(word.value, 1)])
    note("free imported", cu.cuMemFreeAsync(word, stream))
    note("free", cu.cuMemFreeAsync(p, stream))
    note("synchronize", cu.cuStreamSynchronize(stream))
    note("destroy imported", cu.cuMemPoolDestroy(other))
    note("destroy", cu.cuMemPoolDestroy(pool))
    note("use destroyed", cu.cuMemPoolTrimTo(pool, 0))


@scenario
def pool_limits(cu: Cu, note: Note) -> None:
    cu.start()
    pool, stream, number = c_void_p(), cu.stream(), c_uint64()
    mib = 1 << 20
    words = (c_uint32 * 22)(1, 0, 1, 0)
    words[6] = 64 * mib
    note("create", cu.cuMemPoolCreate(byref(pool), words))
    first, second, third = c_uint64(), c_uint64(), c_uint64()
    note("alloc", cu.cuMemAllocFromPoolAsync(byref(first), 40 * mib, pool, stream))
    note("alloc over the limit", cu.cuMemAllocFromPoolAsync(byref(second), 40 * mib, pool, stream))

    def told(attribute: int) -> Any:
        code = cu.cuMemPoolGetAttribute(pool, attribute, byref(number))
        return number.value if code == 0 else -code

    note("used", [told(7), told(8)])
    note("reserved", [told(5) >= 40 * mib, told(6) >= 40 * mib])
    note("unknown attribute", [told(0), told(9), told(99)])
    note("threshold 0", told(4))
    cu.cuMemPoolSetAttribute(pool, 4, byref(c_uint64(1 << 62)))
    note("free", [cu.cuMemFreeAsync(first, stream), cu.cuStreamSynchronize(stream)])
    note("kept", [told(7), told(5) >= 40 * mib])
    note("same again", [cu.cuMemAllocFromPoolAsync(byref(third), 40 * mib, pool, stream), third.value == first.value])
    note("free again", [cu.cuMemFreeAsync(third, stream), cu.cuStreamSynchronize(stream)])
    note("trim to half", [cu.cuMemPoolTrimTo(pool, 32 * mib), told(5) <= 40 * mib])
    note("trim", [cu.cuMemPoolTrimTo(pool, 0), told(5)])
    note("high after", [told(8), cu.cuMemPoolSetAttribute(pool, 8, byref(c_uint64(0))), told(8)])
    note("reserved high", [told(6) >= 40 * mib, cu.cuMemPoolSetAttribute(pool, 6, byref(c_uint64(0))), told(6)])
    note("reuse off", [cu.cuMemPoolSetAttribute(pool, 1, byref(c_int(0))), told(1) & 0xFFFFFFFF])
    note("set unknown", cu.cuMemPoolSetAttribute(pool, 99, byref(c_uint64(0))))
    flags, own = c_int(), (c_uint32 * 3)(1, 0, 0)
    note("own access", [cu.cuMemPoolGetAccess(byref(flags), pool, (c_uint32 * 2)(1, 0)), flags.value])
    note("take own access", cu.cuMemPoolSetAccess(pool, own, 1))
    note("give own access", cu.cuMemPoolSetAccess(pool, (c_uint32 * 3)(1, 0, 3), 1))
    note("access of device 99", [cu.cuMemPoolSetAccess(pool, (c_uint32 * 3)(1, 99, 3), 1),
                                 cu.cuMemPoolGetAccess(byref(flags), pool, (c_uint32 * 2)(1, 99))])  # fmt: skip
    note("access flags 2", cu.cuMemPoolSetAccess(pool, (c_uint32 * 3)(1, 0, 2), 1))
    cu.cuMemAllocFromPoolAsync(byref(first), mib, pool, stream)
    note("destroy with memory", cu.cuMemPoolDestroy(pool))
    note("use memory of destroyed", [cu.cuMemsetD8Async(first, 1, mib, stream), cu.cuStreamSynchronize(stream)])
    note("free memory of destroyed", [cu.cuMemFreeAsync(first, stream), cu.cuStreamSynchronize(stream)])


@scenario
def peers(cu: Cu, note: Note) -> None:
    """On one device: what is refused."""
    context = cu.start()
    number = c_int()
    note("can access self", [cu.cuDeviceCanAccessPeer(byref(number), 0, 0), number.value])
    note("can access 99", cu.cuDeviceCanAccessPeer(byref(number), 0, 99))
    note("can access null", cu.cuDeviceCanAccessPeer(None, 0, 0))
    note("attribute self", cu.cuDeviceGetP2PAttribute(byref(number), 2, 0, 0))
    note("attribute 99", cu.cuDeviceGetP2PAttribute(byref(number), 99, 0, 0))
    note("enable self", cu.cuCtxEnablePeerAccess(context, 0))
    note("enable null", cu.cuCtxEnablePeerAccess(None, 0))
    note("enable flags", cu.cuCtxEnablePeerAccess(context, 1))
    other = c_void_p()
    cu.cuCtxCreate_v2(byref(other), 0, 0)
    note("enable of the same device", cu.cuCtxEnablePeerAccess(context, 0))
    note("disable of the same device", cu.cuCtxDisablePeerAccess(context))
    note("disable self", cu.cuCtxDisablePeerAccess(other))
    note("copy between", cu.cuMemcpyPeer(cu.alloc(64), other, cu.alloc(64), other, 64))
