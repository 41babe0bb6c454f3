"""Shadow memory: so many bytes for each byte of a range of addresses, reserved and not backed; and which bytes were written."""

from __future__ import annotations

import ctypes
import mmap

__all__ = ["ShadowMemory"]

_MAP_NORESERVE = 0x4000
_LARGE = 1 << 20
"""Bytes from which on pages are given back, and not filled with zeros."""


class ShadowMemory:
    """Of an arena's range. `written` leads from an address to the byte that says whether it was written; None where that is not
    tracked. The caller sees to it that one thread at a time is in here."""

    __slots__ = ("_base", "_maps", "_size", "written")

    def __init__(self, base: int, size: int) -> None:
        self._base = base
        self._size = size
        self._maps: dict[tuple[int, float], mmap.mmap] = {}
        self.written: int | None = None

    def reserve(self, start: int, nbytes: int, scale: float) -> int:
        """The address of `scale` bytes for each of `nbytes` from `start` on, zero at first: the same whenever it is asked for.
        Raises MemoryError."""
        found = self._maps.get((start, scale))
        if found is None:
            size = int(scale * nbytes)
            flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _MAP_NORESERVE
            try:
                found = mmap.mmap(-1, size, flags)
            except (OSError, OverflowError):
                raise MemoryError(
                    f"the system does not reserve {size} bytes of address space for the sanitizer: state less memory "
                    "in PTXGEN_CPU_MEMORY, or raise the process's limit (ulimit -v)"
                ) from None
            self._maps[start, scale] = found
        return ctypes.addressof(ctypes.c_char.from_buffer(found))

    @property
    def kept(self) -> bool:
        """Is there any?"""
        return bool(self._maps)

    def track(self) -> None:
        """From now on `note` keeps what was written."""
        self.written = self.reserve(self._base, self._size, 1) - self._base

    def note(self, address: int, nbytes: int, *, written: bool = True) -> None:
        """These bytes were written, or are new; nothing where that is not tracked, or for memory outside the range."""
        if self.written is None or not self._base <= address < self._base + self._size:
            return
        low, high = address - self._base, address - self._base + nbytes
        if written:
            ctypes.memset(self.written + address, 1, nbytes)
        else:
            self._clear(1, low, high)

    def forget(self, address: int, nbytes: int, scale: float) -> None:
        """Zeros in the shadow of the whole range that has so many bytes for each byte, for a part of the range; nothing where
        there is no such shadow."""
        if (self._base, scale) in self._maps and self._base <= address < self._base + self._size:
            self._clear(scale, int((address - self._base) * scale), int((address - self._base + nbytes) * scale))

    def _clear(self, scale: float, low: int, high: int) -> None:
        shadow = self._maps[self._base, scale]
        start = ctypes.addressof(ctypes.c_char.from_buffer(shadow))
        if high - low < _LARGE:
            ctypes.memset(start + low, 0, high - low)
            return
        first, last = -(-low // mmap.PAGESIZE) * mmap.PAGESIZE, high // mmap.PAGESIZE * mmap.PAGESIZE
        shadow.madvise(mmap.MADV_DONTNEED, first, last - first)
        if hasattr(mmap, "MADV_HUGEPAGE"):  # fewer misses of the translation cache
            try:
                shadow.madvise(mmap.MADV_HUGEPAGE, first, last - first)
            except OSError:
                pass  # a system without them
        ctypes.memset(start + low, 0, first - low)
        ctypes.memset(start + last, 0, high - last)

    def close(self) -> None:
        """Gives all of it back."""
        self.written = None
        for each in self._maps.values():
            each.close()
        self._maps.clear()
