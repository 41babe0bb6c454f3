"""Memory that machine code runs from: written first, executable afterwards, never both."""

from __future__ import annotations

import ctypes
import mmap
import os

from driver_ctypes.primitives import cache

__all__ = ["CodeMemory"]


@cache
def _libc() -> ctypes.CDLL:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    return libc


class CodeMemory:
    """Whole pages with these bytes, at `address`, as long as the object lives. OSError where the system allows no such."""

    __slots__ = ("_pages", "address")

    def __init__(self, nbytes: int) -> None:
        self._pages = mmap.mmap(-1, max(nbytes, 1), prot=mmap.PROT_READ | mmap.PROT_WRITE)
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self._pages))

    def seal(self, data: bytes | bytearray) -> None:
        """Writes the bytes; from now on they can be executed and not changed."""
        self._pages[: len(data)] = data
        size = -(-len(self._pages) // mmap.PAGESIZE) * mmap.PAGESIZE
        if _libc().mprotect(self.address, size, mmap.PROT_READ | mmap.PROT_EXEC):
            code = ctypes.get_errno()
            raise OSError(code, f"the system does not let this process run code that it makes: {os.strerror(code)}")
