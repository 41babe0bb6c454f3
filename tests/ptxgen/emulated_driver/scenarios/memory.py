"""Memory, copies, pools."""

from __future__ import annotations

import ctypes
from ctypes import byref, c_char, c_int, c_size_t, c_uint32, c_uint64, c_void_p
from typing import Any

from tests.ptxgen.emulated_driver.scenarios.base import (
    Cu,
    Note,
    scenario,
)


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
    note(
        "managed",
        [cu.cuMemAllocManaged(byref(word), 256, 1), attribute(8, word.value, c_uint32), cu.cuMemFree_v2(word)],
    )
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
    note(
        "2d offset",
        [cu.cuMemcpy2D_v2(two(**source, **target, sx=4, sy=1, dx=8, dy=2, width=8, height=1)), cu.words(p + 128, 4)],
    )
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
    note(
        "3d heights 0",
        cu.cuMemcpy3D_v2(three(**{**source, "sheight": 0}, **{**target, "dheight": 0}, width=16, height=2, depth=3)),
    )
    note(
        "3d heights 0, depth 1",
        cu.cuMemcpy3D_v2(three(**{**source, "sheight": 0}, **{**target, "dheight": 0}, width=16, height=2, depth=1)),
    )
    note("3d depth 0", cu.cuMemcpy3D_v2(three(**source, **target, width=16, height=2, depth=0)))
    note("3d reserved", cu.cuMemcpy3D_v2(three(**source, **target, width=16, height=2, depth=1, r0=1)))
    context = cu.get(c_void_p, "cuCtxGetCurrent")
    note(
        "peer", [cu.cuMemcpyPeer(q, context, p, context, 64), cu.cuMemcpyPeerAsync(q, context, p, context, 64, stream)]
    )


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
