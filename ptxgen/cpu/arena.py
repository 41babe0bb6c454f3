"""The CPU device's memory: one reserved range of addresses, and the allocations in it.

Device addresses are host addresses inside the range. It is reserved without being backed by memory, at a hint that makes
addresses the same in every run, and freed blocks are given back to the system.
"""

from __future__ import annotations

import bisect
import ctypes
import struct

from driver_ctypes.primitives import Lock
from driver_ctypes.typing import TYPE_CHECKING
from ptxgen.cpu import address_ranges
from ptxgen.cpu.address_ranges import GRANULE, HUGE, PAGE, Region, give_back
from ptxgen.cpu.heap import HEAP_BYTES, DeviceHeap
from ptxgen.cpu.sanitizer.shadow import ShadowMemory

if TYPE_CHECKING:
    from ptxgen.cpu.multicast import MulticastTable
    from ptxgen.cpu.sanitizer.history import History
    from ptxgen.cpu.textures import TextureTable

__all__ = ["AllocationTable", "Arena"]

GAP = 256
"""Bytes at least between two blocks, which are in neither: an access past the end of one is a fault, not the next one's data."""
READ_ONLY = 1 << 63
"""Flag in an entry of the allocation table: device code may only read the block."""


_PAIR = struct.Struct("QQ")
"""An entry of the allocation table: base, bytes | flags."""


class AllocationTable:
    """An unchanging picture of the blocks, sorted by address, as pairs (base, bytes | flags) that generated code searches."""

    __slots__ = ("_kept", "address", "count", "pairs")

    def __init__(self, pairs: bytes) -> None:
        self.pairs = memoryview(pairs).cast("Q")
        self._kept = ctypes.c_char_p(pairs)
        self.address: int = ctypes.cast(self._kept, ctypes.c_void_p).value or 0
        self.count = len(pairs) // _PAIR.size


def _merge(parts: list[bytes]) -> AllocationTable:
    """One table of several, whose blocks do not overlap."""
    return AllocationTable(
        b"".join([_PAIR.pack(*pair) for pair in sorted(p for part in parts for p in _PAIR.iter_unpack(part))])
    )


def _in_units(pairs: bytes | bytearray, unit: int) -> bytes:
    """A copy, with sizes that are multiples of `unit`, a power of two."""
    if unit == 1:
        return bytes(pairs)
    up = unit - 1
    return b"".join([_PAIR.pack(base, (size + up) & ~up & (1 << 64) - 1) for base, size in _PAIR.iter_unpack(pairs)])


class Arena:
    """A range of `size` bytes of virtual memory that device blocks are allocated from. Safe to use from several threads.

    The last sixteenth of the range is for the executor's own use (shared-memory windows, local memory, machine state), so
    that every address a kernel can see lies in the range.

    Raises MemoryError when the system does not give the range.
    """

    _release = staticmethod(address_ranges.release)

    def __init__(self, size: int = 1 << 36) -> None:
        self.size = size
        self._mapped = address_ranges.reserve(size)
        self.base = self._mapped
        self._shadow = ShadowMemory(self.base, size)
        windows = self.base + size - max(size // 16, GRANULE) // GRANULE * GRANULE
        self._blocks = Region(self.base, windows)
        self._windows = Region(windows, self.base + size)
        self._lock = Lock()
        self._heap_lock = Lock()
        self._pairs = bytearray()  # as `_PAIR` has them, sorted by base
        self._bases: list[int] = []
        self._table: AllocationTable | None = None
        self.known_table: AllocationTable | None = None
        """What `table` would return, where nothing has changed since it was asked; None where it must be asked."""
        self._guests: dict[int, int] = {}  # base -> bytes | flags of memory that is not a block here
        self._peers: list[Arena] = []
        self._merged: tuple[list[AllocationTable], AllocationTable] | None = None
        self.stack_bytes, self.heap_bytes = 1024, HEAP_BYTES
        """Of a thread's stack, and of the heap that kernels take memory from, as a context's limits say them."""
        self._heap: DeviceHeap | None = None
        self._textures: TextureTable | None = None
        self._multicast: MulticastTable | None = None
        self.quarantine = 0
        self._unit = 1
        self._history: History | None = None
        self._held: dict[int, int] = {}  # freed blocks that are not used again yet, the oldest first
        self._held_bytes = 0
        self.in_use = 0
        """Bytes that callers asked for and have not freed."""

    @property
    def windows(self) -> tuple[int, int]:
        """(address, bytes) of the part of the range that is the executor's own."""
        return self._windows.start, self._windows.end - self._windows.start

    @property
    def history(self) -> History:
        """Of launches that racecheck has watched."""
        from ptxgen.cpu.sanitizer.history import History

        with self._lock:
            if self._history is None:
                self._history = History(self)
            return self._history

    def shadow(self, start: int, nbytes: int, scale: float) -> int:
        """The address of `scale` bytes for each of `nbytes` from `start` on, zero at first: the same whenever it is asked for.
        They are reserved, not backed, and go with the arena. Raises MemoryError."""
        with self._lock:
            self._check_open()
            return self._shadow.reserve(start, nbytes, scale)

    def shadow_bias(self, scale: float) -> int:
        """What leads from `scale` times an address of the arena to its shadow, in 64 bits."""
        return (self.shadow(self.base, self.size, scale) - int(scale * self.base)) & (1 << 64) - 1

    @property
    def written(self) -> int | None:
        """What leads from an address to the byte that says whether it was written; None where writes are not tracked."""
        return self._shadow.written

    def track_writes(self) -> int:
        """From now on it is known which bytes of blocks were written; all that is there counts as written. What leads from an
        address to its byte, 1 where it was, in 64 bits. Raises MemoryError."""
        with self._lock:
            self._check_open()
            self._shadow.track()
            for base, nbytes in (*_PAIR.iter_unpack(self._pairs), *self._guests.items()):
                self._shadow.note(base, nbytes & ~READ_ONLY)
            return (self._shadow.written or 0) & (1 << 64) - 1

    def note_written(self, address: int, nbytes: int) -> None:
        """The host has written these bytes, which may lie elsewhere."""
        if self._shadow.written is not None:
            self._shadow.note(address, nbytes)

    def forget_accesses(self) -> None:
        """Nobody has touched any memory, for racecheck."""
        from ptxgen.cpu.sanitizer.state_layout import HEADS

        with self._lock:
            self._shadow.forget(self.base, self.size, HEADS)

    def close(self) -> None:
        """Gives the whole range back; every address in it becomes invalid."""
        with self._lock:
            self._shadow.close()
            if self._mapped:
                self._release(self._mapped, self.size)
                self._mapped = 0
                self.known_table = None

    @property
    def is_open(self) -> bool:
        return self._mapped != 0

    def _check_open(self) -> None:
        if not self._mapped:
            raise ValueError("the arena is closed")

    def __del__(self) -> None:
        if getattr(self, "_mapped", 0):
            self._shadow.close()
            self._release(self._mapped, self.size)
            self._mapped = 0

    # -- device blocks ------------------------------------------------------------------------------------------------

    def allocate(self, nbytes: int, align: int = GRANULE, *, read_only: bool = False) -> int:
        """The address of a new block of `nbytes` bytes, at a multiple of `align` (at least 256, a power of two).

        `read_only` blocks may be read but not written by kernels. Raises MemoryError when no hole is large enough.
        """
        if nbytes < 0:
            raise ValueError(f"cannot allocate {nbytes} bytes")
        with self._lock:
            self._check_open()
            align = align if align > GRANULE else GRANULE
            base = self._blocks.take(nbytes + GAP, align)
            if base is None and self._held:
                self._let_go(0)
                base = self._blocks.take(nbytes + GAP, align)
            if base is None:
                raise MemoryError(
                    f"the CPU device has no room for {nbytes} bytes: {self.in_use} of {self.size} bytes are in use"
                )
            index = bisect.bisect(self._bases, base)
            self._bases.insert(index, base)
            at = index * _PAIR.size
            self._pairs[at:at] = _PAIR.pack(base, nbytes | READ_ONLY if read_only else nbytes)
            self._table = self.known_table = None
            self.in_use += nbytes
            if self._shadow.kept:
                from ptxgen.cpu.sanitizer.state_layout import ACCESSES, HEADS

                self._shadow.note(base, nbytes, written=False)
                self._shadow.forget(base, -(-nbytes // GRANULE) * GRANULE, HEADS)
                if nbytes >= HUGE:  # what lies behind the heads is of no account; its pages go
                    self._shadow.forget(base, nbytes, ACCESSES)
        if nbytes >= 2 * HUGE:
            address_ranges.prefer_huge(base, base + nbytes)
        return base

    def heap(self) -> DeviceHeap:
        """The heap of malloc, made when it is first asked for. Raises MemoryError."""
        with self._heap_lock:
            if self._heap is None:
                self._heap = DeviceHeap(self.allocate(self.heap_bytes), self.heap_bytes)
            return self._heap

    def multicast(self) -> MulticastTable:
        """The multicast ranges, whose table is made when it is first asked for. Raises MemoryError."""
        with self._heap_lock:
            if self._multicast is None:
                from ptxgen.cpu.multicast import MOST_RANGES, MulticastRange, MulticastTable

                self._multicast = MulticastTable(self.open_window(ctypes.sizeof(MulticastRange) * MOST_RANGES))
            return self._multicast

    def textures(self) -> TextureTable:
        """The handles of textures and surfaces, made when they are first asked for. Raises MemoryError."""
        with self._heap_lock:
            if self._textures is None:
                from ptxgen.cpu.textures import TextureTable

                self._textures = TextureTable(self)
            return self._textures

    def free(self, address: int) -> None:
        """Gives a block back. Raises ValueError when `address` is not the start of one."""
        with self._lock:
            self._check_open()
            index = bisect.bisect_left(self._bases, address)
            if index == len(self._bases) or self._bases[index] != address:
                raise ValueError(f"0x{address:x} is not the start of a live allocation")
            nbytes = self._bytes_of(index)
            self.in_use -= nbytes
            del self._bases[index]
            del self._pairs[index * _PAIR.size : (index + 1) * _PAIR.size]
            self._table = self.known_table = None
            if self.quarantine:
                give_back(address, self._blocks.spans[address])
                self._held[address] = nbytes
                self._held_bytes += nbytes
                self._let_go(self.quarantine)
            else:
                give_back(*self._blocks.give(address))

    def keep_freed(self, most: int) -> None:
        """From now on the addresses of freed blocks are not used again until so many bytes of later ones were freed, or there is
        no room without them; 0 for at once, as at first."""
        with self._lock:
            self.quarantine = most
            if self._mapped:
                self._let_go(most)

    def _let_go(self, most: int) -> None:
        """The oldest freed blocks beyond `most` bytes may be used again."""
        while self._held and self._held_bytes > most:
            address = next(iter(self._held))
            self._held_bytes -= self._held.pop(address)
            self._blocks.give(address)

    def freed_block(self, address: int) -> tuple[int, int] | None:
        """(base, bytes) of the block that lay there, where its addresses are kept; see `keep_freed`."""
        with self._lock:
            return next(((base, n) for base, n in self._held.items() if base <= address < base + n), None)

    def block_of(self, address: int) -> tuple[int, int] | None:
        """(base, bytes) of the block that `address` lies in."""
        with self._lock:
            index = bisect.bisect(self._bases, address) - 1
            if index < 0:
                return None
            base, nbytes = self._bases[index], self._bytes_of(index)
            return (base, nbytes) if address < base + nbytes or address == base else None

    def neighbours(self, address: int) -> tuple[tuple[int, int] | None, tuple[int, int] | None]:
        """(base, bytes) of the last block that begins at or before `address`, and of the first that begins after it; granted
        memory counts as a block."""
        with self._lock:
            granted = sorted(self._guests)
            bases = sorted([*self._bases, *granted]) if granted else self._bases
            index = bisect.bisect(bases, address)
            before, after = (self._entry(bases[i]) if 0 <= i < len(bases) else None for i in (index - 1, index))
        return before, after

    def _entry(self, base: int) -> tuple[int, int]:
        """(base, bytes) of a block or of granted memory."""
        index = bisect.bisect_left(self._bases, base)
        own = index < len(self._bases) and self._bases[index] == base
        return base, self._bytes_of(index) if own else self._guests[base] & ~READ_ONLY

    def _bytes_of(self, index: int) -> int:
        """Of a block."""
        nbytes: int = _PAIR.unpack_from(self._pairs, index * _PAIR.size)[1]
        return nbytes & ~READ_ONLY

    def contains(self, address: int, nbytes: int) -> bool:
        """Do `nbytes` bytes at `address` lie in one live block?"""
        block = self.block_of(address)
        return block is not None and nbytes >= 0 and address + nbytes <= block[0] + block[1]

    def view(self, address: int, nbytes: int) -> memoryview:
        """The bytes at `address`, writable. Raises ValueError unless they lie in one live block of an open arena."""
        self._check_open()
        if not self.contains(address, nbytes):
            raise ValueError(f"{nbytes} bytes at 0x{address:x} do not lie in a live allocation")
        return self.raw(address, nbytes)

    @staticmethod
    def raw(address: int, nbytes: int) -> memoryview:
        """Memory by its address, unchecked."""
        if nbytes == 0:
            return memoryview(bytearray())
        return memoryview((ctypes.c_char * nbytes).from_address(address)).cast("B")

    def table(self) -> AllocationTable:
        """What kernels may touch now, for generated code to search; the same object until something changes."""
        own = self._own_table()
        peers = self._peers
        if not peers:
            return own
        tables = [own, *[peer._own_table() for peer in peers if peer.is_open]]
        merged = self._merged
        if merged is None or any(a is not b for a, b in zip(merged[0], tables)) or len(merged[0]) != len(tables):
            self._merged = merged = tables, _merge([bytes(table.pairs) for table in tables])
        return merged[1]

    def _own_table(self) -> AllocationTable:
        with self._lock:
            self._check_open()
            if self._table is None:
                guests = b"".join([_PAIR.pack(*pair) for pair in sorted(self._guests.items())])
                own = _in_units(self._pairs, self._unit)
                self._table = _merge([own, guests]) if guests else AllocationTable(own)
            self.known_table = None if self._peers else self._table
            return self._table

    def round_up(self, unit: int) -> None:
        """From now on kernels may touch whole units of that many bytes of each block, at most 512; 1 for its own bytes, as at
        first. What lies beyond them up to the next block is nobody's."""
        with self._lock:
            if unit != self._unit:
                self._unit = unit
                self._table = self.known_table = None

    # -- memory that is not allocated here ----------------------------------------------------------------------------

    def grant(self, base: int, nbytes: int, *, read_only: bool = False) -> None:
        """Kernels of this arena may touch these bytes too, which lie in a reserved range or in another arena."""
        with self._lock:
            self._guests[base] = nbytes | (READ_ONLY if read_only else 0)
            self._table = self.known_table = None
            self._shadow.note(base, nbytes)

    def revoke(self, base: int) -> None:
        """Takes a grant back; nothing where there is none."""
        with self._lock:
            if self._guests.pop(base, None) is not None:
                self._table = self.known_table = None

    def set_peers(self, peers: list[Arena]) -> None:
        """Kernels of this arena may touch every block of these."""
        with self._lock:
            self._peers = peers
            self._merged = self.known_table = None

    def reserve(self, nbytes: int, align: int = PAGE) -> int:
        """Whole pages of addresses that are not a block: kernels may not touch them. Raises MemoryError."""
        with self._lock:
            self._check_open()
            base = self._blocks.take(nbytes, max(align, PAGE))
        if base is None:
            raise MemoryError(f"the CPU device has no {nbytes} bytes of addresses left")
        return base

    def release(self, base: int) -> None:
        """Gives reserved addresses back; what was mapped there is gone."""
        with self._lock:
            if self._mapped:
                low, high = self._blocks.give(base)
                address_ranges.map_nothing(low, high - low)

    def map_file(self, address: int, nbytes: int, descriptor: int, offset: int = 0) -> None:
        """Whole pages show a file's contents from now on, shared with every other mapping of it."""
        self.note_written(address, nbytes)
        address_ranges.map_file(address, nbytes, descriptor, offset)

    def unmap_file(self, address: int, nbytes: int) -> None:
        """Whole pages show zeros of their own again."""
        if self._mapped:
            address_ranges.map_nothing(address, nbytes)

    # -- the executor's own memory ------------------------------------------------------------------------------------

    def open_window(self, nbytes: int, align: int = GRANULE) -> int:
        """Memory of the executor inside the range: zero-filled, not a block, not counted. Raises MemoryError."""
        with self._lock:
            self._check_open()
            base = self._windows.take(nbytes, max(align, GRANULE))
        if base is None:
            raise MemoryError(f"the CPU device has no room for {nbytes} bytes of execution state")
        return base

    def close_window(self, address: int) -> None:
        """Gives a window back; its memory will be zero when it is used again. Nothing, once the arena is closed."""
        with self._lock:
            if not self._mapped:
                return
            low, high = self._windows.give(address)
            give_back(low, high)
            ctypes.memset(low, 0, min(-low % PAGE, high - low))  # what shares a page with a neighbour
            tail = max(high // PAGE * PAGE, low)
            ctypes.memset(tail, 0, high - tail)
