"""The heap that kernels take memory from, with malloc and free: one block of the arena, kept from launch to launch."""

from __future__ import annotations

import bisect
import ctypes

from driver_ctypes.primitives import Lock

__all__ = ["HEAP_BYTES", "UNIT", "DeviceHeap"]

HEAP_BYTES = 8 << 20
"""Of a device whose CU_LIMIT_MALLOC_HEAP_SIZE nobody has set."""
UNIT = 16
"""What malloc gives begins at a multiple of it, in bytes."""

_MALLOC = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_uint64)
_FREE = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_uint64)


class DeviceHeap:
    """First-fit allocation in `nbytes` bytes from `base` on. `malloc` and `free` are addresses of functions that generated code
    calls."""

    def __init__(self, base: int, nbytes: int) -> None:
        self.base = base
        self._holes = [(self.base, self.base + nbytes // UNIT * UNIT)]  # sorted
        self._live: dict[int, int] = {}  # address -> where the memory ends
        self._lock = Lock()
        self._functions = _MALLOC(self.take), _FREE(self.give)
        self.malloc, self.free = (ctypes.cast(f, ctypes.c_void_p).value or 0 for f in self._functions)

    def take(self, nbytes: int) -> int:
        """The address of that many bytes; 0 where there is no room for them, as malloc has it."""
        need = -(-max(nbytes, 1) // UNIT) * UNIT
        with self._lock:
            for index, (low, high) in enumerate(self._holes):
                if low + need <= high:
                    self._holes[index : index + 1] = [(low + need, high)] if low + need < high else []
                    self._live[low] = low + need
                    return low
        return 0

    def give(self, address: int) -> int:
        """Frees it; 0 is freed to no effect. 0 as the answer where there is nothing to free, else 1."""
        with self._lock:
            high = self._live.pop(address, 0)
            if not high:
                return int(address == 0)
            low, index = address, bisect.bisect(self._holes, (address, high))
            if index < len(self._holes) and self._holes[index][0] == high:
                high = self._holes.pop(index)[1]
            if index and self._holes[index - 1][1] == low:
                low = self._holes.pop(index - 1)[0]
                index -= 1
            self._holes.insert(index, (low, high))
            return 1
