"""Virtual memory management: reserved addresses, physical memory, mappings, access, export."""

from __future__ import annotations

import os
from ctypes import byref, c_int, c_size_t, c_uint32, c_uint64
from typing import Any

from tests.ptxgen.emulated_driver.scenarios.base import Cu, Note, scenario


def prop(kind: int = 1, handles: int = 0, location: int = 1, device: int = 0) -> Any:
    """CUmemAllocationProp as words of four bytes."""
    return (c_uint32 * 8)(kind, handles, location, device)


def access(flags: int = 3, location: int = 1, device: int = 0) -> Any:
    """CUmemAccessDesc as words of four bytes."""
    return (c_uint32 * 3)(location, device, flags)


@scenario
def virtual(cu: Cu, note: Note) -> None:
    cu.start()
    size, word, number, flags = c_size_t(), c_uint64(), c_uint64(), c_uint64()

    def granularity(option: int, *properties: int) -> list[int]:
        return [cu.cuMemGetAllocationGranularity(byref(size), prop(*properties), option), size.value]

    note("granularity", [granularity(0), granularity(1)])
    note("granularity option 2", granularity(2)[0])
    note("granularity kind 0", granularity(0, 0)[0])
    note("granularity device 99", granularity(0, 1, 0, 1, 99)[0])
    note("granularity null", [cu.cuMemGetAllocationGranularity(None, prop(), 0),
                              cu.cuMemGetAllocationGranularity(byref(size), None, 0)])  # fmt: skip
    unit = granularity(0)[1]
    note("reserve", cu.cuMemAddressReserve(byref(word), 4 * unit, 0, 0, 0))
    base = word.value
    note("aligned", base % unit)
    note("reserve 0", cu.cuMemAddressReserve(byref(number), 0, 0, 0, 0))
    note("reserve odd", cu.cuMemAddressReserve(byref(number), unit + 1, 0, 0, 0))
    note("reserve page", cu.cuMemAddressReserve(byref(number), 4096, 0, 0, 0))
    note("reserve alignment 3", cu.cuMemAddressReserve(byref(number), unit, 3, 0, 0))
    note("reserve flags", cu.cuMemAddressReserve(byref(number), unit, 0, 0, 1))
    note("reserve null", cu.cuMemAddressReserve(None, unit, 0, 0, 0))
    note("reserve aligned", [cu.cuMemAddressReserve(byref(number), unit, 16 * unit, 0, 0), number.value % (16 * unit),
                             cu.cuMemAddressFree(number, unit)])  # fmt: skip
    code = cu.cuMemAddressReserve(byref(number), unit, 0, base, 0)
    note("reserve taken hint", [code, number.value == base, cu.cuMemAddressFree(number, unit)])
    note("create", cu.cuMemCreate(byref(word), 2 * unit, prop(), 0))
    handle = word.value
    note("create 0", cu.cuMemCreate(byref(word), 0, prop(), 0))
    note("create odd", cu.cuMemCreate(byref(word), unit + 4096, prop(), 0))
    note("create flags", cu.cuMemCreate(byref(word), unit, prop(), 1))
    note("create kind 0", cu.cuMemCreate(byref(word), unit, prop(0), 0))
    note("create device 99", cu.cuMemCreate(byref(word), unit, prop(1, 0, 1, 99), 0))
    note("create huge", cu.cuMemCreate(byref(word), 1 << 50, prop(), 0))
    note("create null", [cu.cuMemCreate(None, unit, prop(), 0), cu.cuMemCreate(byref(word), unit, None, 0)])
    note("properties", [cu.cuMemGetAllocationPropertiesFromHandle(found := prop(0), handle), list(found)])
    note("properties of wrong", cu.cuMemGetAllocationPropertiesFromHandle(found, handle + 12345))
    note("use reserved", cu.cuMemsetD8_v2(base, 1, 16))
    note("map odd size", cu.cuMemMap(base, 4096, 0, handle, 0))
    note("map too much", cu.cuMemMap(base, 4 * unit, 0, handle, 0))
    note("map odd address", cu.cuMemMap(base + 4096, unit, 0, handle, 0))
    note("map offset", cu.cuMemMap(base, unit, 4096, handle, 0))
    note("map real offset", [cu.cuMemMap(base, unit, unit, handle, 0), cu.cuMemUnmap(base, unit)])
    note("map flags", cu.cuMemMap(base, 2 * unit, 0, handle, 1))
    note("map outside", cu.cuMemMap(0x1000000, 2 * unit, 0, handle, 0))
    note("map wrong handle", cu.cuMemMap(base, 2 * unit, 0, handle + 12345, 0))
    note("map", cu.cuMemMap(base, 2 * unit, 0, handle, 0))
    note("map over", cu.cuMemMap(base, 2 * unit, 0, handle, 0))
    note("no access yet", cu.cuMemGetAccess(byref(flags), access(), base))
    note("its access", flags.value)
    note("use without access", cu.cuMemsetD8_v2(base, 1, 16))
    note("set access too long", cu.cuMemSetAccess(base, 4 * unit, access(), 1))
    note("set access flags 2", cu.cuMemSetAccess(base, 2 * unit, access(2), 1))
    note("set access device 99", cu.cuMemSetAccess(base, 2 * unit, access(3, 1, 99), 1))
    note("set access 0", cu.cuMemSetAccess(base, 2 * unit, access(), 0))
    note("set access null", cu.cuMemSetAccess(base, 2 * unit, None, 1))
    note("set access", [cu.cuMemSetAccess(base, 2 * unit, access(), 1),
                        cu.cuMemGetAccess(byref(flags), access(), base), flags.value])  # fmt: skip
    note("use", [cu.cuMemsetD32_v2(base, 7, unit // 2), cu.words(base + 2 * unit - 4, 1)])
    note("use beyond", cu.cuMemsetD8_v2(base + unit, 1, unit + 1))
    second = cu.get(c_uint64, "cuMemCreate", 2 * unit, prop(), 0)
    note("map second", [cu.cuMemMap(base + 2 * unit, 2 * unit, 0, second, 0),
                        cu.cuMemSetAccess(base + 2 * unit, 2 * unit, access(), 1)])  # fmt: skip
    note("use across", [cu.cuMemsetD32_v2(base, 9, unit), cu.words(base + 4 * unit - 4, 1), cu.words(base + unit, 1)])
    found_base, found_size = c_uint64(), c_size_t()
    note("range", [cu.cuMemGetAddressRange_v2(byref(found_base), byref(found_size), base + 2 * unit + 5),
                   found_base.value - base, found_size.value])  # fmt: skip

    def attribute(which: int, address: int, ctype: Any = c_uint64) -> Any:
        place = ctype()
        code = cu.cuPointerGetAttribute(byref(place), which, address)
        return [code, place.value if code == 0 else None]

    note("attribute kind", [attribute(2, base, c_uint32), attribute(9, base, c_int), attribute(13, base, c_uint32)])
    note("attribute range", [attribute(11, base + 2 * unit + 5)[1] - base, attribute(12, base)])
    note("attribute mapping", [attribute(18, base), attribute(19, base + 2 * unit + 5)[1] - base])
    note("attribute access", attribute(16, base, c_uint32))
    note("retain", [cu.cuMemRetainAllocationHandle(byref(word), base), word.value == handle, cu.cuMemRelease(word)])
    note("retain plain", cu.cuMemRetainAllocationHandle(byref(word), cu.alloc(256)))
    note("free mapped", cu.cuMemFree_v2(base))
    note("address free mapped", cu.cuMemAddressFree(base, 4 * unit))
    note("release while mapped", [cu.cuMemRelease(handle), cu.words(base, 1)])
    note("release twice", cu.cuMemRelease(handle))
    note("read only", [cu.cuMemSetAccess(base, 2 * unit, access(1), 1),
                       cu.cuMemGetAccess(byref(flags), access(), base), flags.value])  # fmt: skip
    note("read only read", cu.words(base, 1))
    note("take access", [cu.cuMemSetAccess(base, 2 * unit, access(0), 1),
                         cu.cuMemGetAccess(byref(flags), access(), base), flags.value])  # fmt: skip
    note("unmap half", cu.cuMemUnmap(base, unit))
    note("unmap both", cu.cuMemUnmap(base, 4 * unit))
    note("unmap again", cu.cuMemUnmap(base, 4 * unit))
    note("use unmapped", cu.cuMemsetD8_v2(base, 1, 16))
    note("release second", cu.cuMemRelease(second))
    note("address free part", cu.cuMemAddressFree(base, unit))
    note("address free", cu.cuMemAddressFree(base, 4 * unit))
    note("address free twice", cu.cuMemAddressFree(base, 4 * unit))


@scenario
def virtual_aliases(cu: Cu, note: Note) -> None:
    """One piece of memory at two addresses, and through a file descriptor."""
    cu.start()
    word, fd, number = c_uint64(), c_int(-1), c_uint64()
    size = c_size_t()
    cu.cuMemGetAllocationGranularity(byref(size), prop(), 0)
    unit = size.value
    handle = cu.get(c_uint64, "cuMemCreate", unit, prop(1, 1), 0)
    cu.cuMemAddressReserve(byref(word), 4 * unit, 0, 0, 0)
    base = word.value
    note("map twice", [cu.cuMemMap(base + i * unit, unit, 0, handle, 0) for i in (0, 1)])
    note("access", cu.cuMemSetAccess(base, 2 * unit, access(), 1))
    note("same memory", [cu.cuMemsetD32_v2(base, 11, 4), cu.words(base + unit, 2)])
    note("export", [cu.cuMemExportToShareableHandle(byref(fd), handle, 1, 0), fd.value >= 0])
    note("export flags", cu.cuMemExportToShareableHandle(byref(c_int()), handle, 1, 1))
    note("export kind 2", cu.cuMemExportToShareableHandle(byref(c_int()), handle, 2, 0))
    private = cu.get(c_uint64, "cuMemCreate", unit, prop(), 0)
    note("export private", cu.cuMemExportToShareableHandle(byref(c_int()), private, 1, 0))
    code = cu.cuMemImportFromShareableHandle(byref(number), fd.value, 1)
    note("import", code)
    note("import wrong", cu.cuMemImportFromShareableHandle(byref(c_uint64()), os.open("/dev/null", os.O_RDONLY), 1))
    note("map imported", [cu.cuMemMap(base + 2 * unit, unit, 0, number, 0),
                          cu.cuMemSetAccess(base + 2 * unit, unit, access(), 1), cu.words(base + 2 * unit, 1)])  # fmt: skip
    note("unmap", cu.cuMemUnmap(base, 3 * unit))
    note("release", [cu.cuMemRelease(handle), cu.cuMemRelease(number), cu.cuMemRelease(private)])
    note("address free", cu.cuMemAddressFree(base, 4 * unit))
