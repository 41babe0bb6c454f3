"""Ranges of this process's addresses: reserved, backed by files or by nothing yet, given back to the system; and which parts of
one are taken.
"""

from __future__ import annotations

import bisect
import ctypes
import mmap
import os

from driver_ctypes.primitives import cache
from driver_ctypes.typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "GRANULE", "HUGE", "PAGE", "Region", "give_back", "map_file", "map_nothing", "prefer_huge", "release", "reserve",
    "resident_pages",
]  # fmt: skip

GRANULE = 256
"""Every block starts at a multiple of this, as cuMemAlloc promises."""
HUGE = 1 << 21
"""Bytes of a huge page."""
PAGE = mmap.PAGESIZE

_HINT = 0x2_0000_0000_00
"""Where ranges are asked for; far from what loaders and heaps use on x86-64 and AArch64 Linux."""
_PROT = mmap.PROT_READ | mmap.PROT_WRITE
_MAP_FIXED = 0x10
_MAP_FIXED_NOREPLACE = 0x100000
_MAP_NORESERVE = 0x4000
_NOTHING = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _MAP_NORESERVE
_MADV_DONTNEED = 4
_MADV_HUGEPAGE = 14


@cache
def _libc() -> ctypes.CDLL:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
    libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    libc.mincore.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p]
    return libc


def reserve(size: int) -> int:
    """The address of that many bytes, not backed by memory; the same in every run where it is free. Raises MemoryError."""
    failed = ctypes.c_void_p(-1).value
    for attempt in range(8):  # several ranges may live at once
        hint = _HINT + attempt * (1 << 40)
        found = _libc().mmap(hint, size, _PROT, _NOTHING | _MAP_FIXED_NOREPLACE, -1, 0)
        if found != failed and found == hint:
            return int(found)
        if found != failed:  # an old kernel took the address for a hint
            release(found, size)
    found = _libc().mmap(None, size, _PROT, _NOTHING, -1, 0)
    if found == failed:
        raise MemoryError(
            f"the system does not reserve {size} bytes of address space for the CPU device: state less memory in "
            "PTXGEN_CPU_MEMORY, or raise the process's limit (ulimit -v)"
        )
    return int(found)


_unmap = _libc().munmap


def release(base: int, size: int, unmap: Callable[[int, int], int] = _unmap) -> None:
    """A reserved range is no longer this process's. It needs nothing of this file, which may be gone when the process ends."""
    unmap(base, size)


def map_nothing(address: int, nbytes: int) -> None:
    """Whole pages show zeros of their own from now on. Raises MemoryError."""
    _map(address, nbytes, _NOTHING, -1, 0)


def map_file(address: int, nbytes: int, descriptor: int, offset: int) -> None:
    """Whole pages show a file's contents from now on, shared with every other mapping of it. Raises MemoryError."""
    _map(address, nbytes, mmap.MAP_SHARED, descriptor, offset)


def _map(address: int, nbytes: int, flags: int, descriptor: int, offset: int) -> None:
    size = -(-nbytes // PAGE) * PAGE
    if _libc().mmap(address, size, _PROT, flags | _MAP_FIXED, descriptor, offset) != address:
        raise MemoryError(f"the system does not map {size} bytes at {address:#x}: {os.strerror(ctypes.get_errno())}")


def give_back(low: int, high: int) -> None:
    """Whole pages of a range go back to the system, and are zero when they are touched again."""
    low, high = -(-low // PAGE) * PAGE, high // PAGE * PAGE
    if high > low:
        _libc().madvise(low, high - low, _MADV_DONTNEED)


def prefer_huge(low: int, high: int) -> None:
    """Huge pages of a range, for fewer misses of the translation cache; the system may decline."""
    low = -(-low // HUGE) * HUGE
    _libc().madvise(low, high // HUGE * HUGE - low, _MADV_HUGEPAGE)


def resident_pages(base: int, nbytes: int) -> list[tuple[int, int]]:
    """(address, bytes) of the parts of a range that the system backs with memory; the others were never touched, or are not
    in memory now."""
    low = base // PAGE * PAGE
    count = -(-(base + nbytes - low) // PAGE)
    flags = (ctypes.c_ubyte * count)()
    if not nbytes or _libc().mincore(low, count * PAGE, flags):
        return [(base, nbytes)] if nbytes else []
    here = bytes(flags).translate(_LOWEST_BIT)
    found, at = [], here.find(1)
    while at >= 0:
        end = here.find(0, at)
        end = count if end < 0 else end
        start = max(low + at * PAGE, base)
        found.append((start, min(low + end * PAGE, base + nbytes) - start))
        at = here.find(1, end)
    return found


_LOWEST_BIT = bytes(byte & 1 for byte in range(256))


class Region:
    """First-fit allocation over one range of addresses; blocks and holes are sorted by address."""

    def __init__(self, start: int, end: int) -> None:
        self.start = start
        self.end = end
        self.holes: list[tuple[int, int]] = [(start, end)]
        self.spans: dict[int, int] = {}  # start of a block -> end of the range it takes

    def take(self, nbytes: int, align: int) -> int | None:
        unit = PAGE if align >= PAGE else GRANULE  # a block that begins a page shares none
        need = -(-nbytes // unit) * unit or unit
        for index, (low, high) in enumerate(self.holes):
            base = -(-low // align) * align
            end = base + need
            if end <= high:
                if low == base and end < high:
                    self.holes[index] = end, high
                else:
                    self.holes[index : index + 1] = [part for part in ((low, base), (end, high)) if part[0] < part[1]]
                self.spans[base] = end
                return base
        return None

    def give(self, base: int) -> tuple[int, int]:
        """Frees a block; the range that it took."""
        holes, end = self.holes, self.spans.pop(base)
        index = bisect.bisect(holes, (base, end))
        first = last = index
        low, high = base, end
        if index < len(holes) and holes[index][0] == end:
            high, last = holes[index][1], index + 1
        if index and holes[index - 1][1] == base:
            low, first = holes[index - 1][0], index - 1
        holes[first:last] = [(low, high)]
        return base, end
