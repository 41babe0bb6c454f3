"""A context's methods for memory; each imports the file that does the work."""

from __future__ import annotations

import ctypes

from driver_ctypes.memory import buffer
from driver_ctypes.session.session import Session
from driver_ctypes.typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from driver_ctypes.memory.arrays import Region
    from driver_ctypes.memory.buffer import Buffer
    from driver_ctypes.memory.caching import CachingAllocator
    from driver_ctypes.memory.host import ManagedBuffer, PinnedBuffer, RegisteredMemory
    from driver_ctypes.memory.pools import AsyncBuffer, MemoryPool
    from driver_ctypes.memory.words import Words


class MemoryCalls(Session):
    """The part of a `Context` that allocates, copies and fills."""

    words: Words | None = None  # where numbers are read to

    # --- allocation ---------------------------------------------------------------------------------------------------

    def alloc(self, nbytes: int) -> Buffer:
        """*nbytes* bytes of device memory, aligned to 256 bytes at least.

        If memory is exhausted, what garbage collection and pools keep is freed, and the allocation is tried once more.
        Raises OutOfMemoryError, which says what holds the device's memory.
        """
        return buffer.allocate(self, nbytes)

    def alloc_async(self, nbytes: int, stream: Any = None, pool: MemoryPool | None = None) -> AsyncBuffer:
        """Stream-ordered device memory from *pool* (the device's current one): usable by work queued on *stream* from now on,
        and by other streams that wait for it. Raises CaptureError where the stream captures.
        """
        from driver_ctypes.memory.pools import allocate_async

        return allocate_async(self, nbytes, stream, pool)

    @property
    def allocator(self) -> CachingAllocator:
        """The blocks of device memory that this context keeps and gives out again; see `CachingAllocator`."""
        if self.block_cache is None:
            from driver_ctypes.memory.caching import CachingAllocator

            self.block_cache = CachingAllocator(self)
        found: Any = self.block_cache
        made: CachingAllocator = found
        return made

    def alloc_cached(self, nbytes: int, stream: Any = None) -> Buffer:
        """*nbytes* bytes for work queued on *stream* (None: the default one) from now on. Closed, or without references, the
        memory is kept for the next such call, at once and without waiting: work of other streams of this context may use it,
        and it is not given to others before that is done. Raises OutOfMemoryError as `alloc`.
        """
        return self.allocator.alloc(nbytes, self.stream_from(stream).handle)

    def trim(self) -> None:
        """Give back to the device what is kept and not used: idle memory of `alloc_cached`, and what pools and graphs keep.
        Waits for the context's work.
        """
        buffer.reclaim(self)

    def alloc_pitched(self, width: int, height: int, element: int = 4) -> Buffer:
        """*height* rows of *width* bytes, aligned for the device; `Buffer.pitch` is the bytes from row to row.
        *element* is the largest access in bytes: 4, 8 or 16.
        """
        return buffer.allocate_pitched(self, width, height, element)

    def alloc_pinned(
        self, nbytes: int, *, portable: bool = True, mapped: bool = False, write_combined: bool = False
    ) -> PinnedBuffer:
        """*nbytes* bytes of page-locked host memory, which asynchronous copies need to be asynchronous.

        *portable*: page-locked for every context. *mapped*: kernels reach it at `PinnedBuffer.device_pointer`.
        *write_combined*: faster over the bus, very slow for the host to read.
        """
        from driver_ctypes.memory.host import allocate_pinned

        return allocate_pinned(self, nbytes, portable, mapped, write_combined)

    def alloc_managed(self, nbytes: int, *, host: bool = False) -> ManagedBuffer:
        """Managed memory, which migrates between host and device. With *host* only the host uses it, until it is attached
        to a stream. Raises NotSupportedError where the device has none.
        """
        from driver_ctypes.memory.host import allocate_managed

        return allocate_managed(self, nbytes, host)

    def register(self, source: Any, *, mapped: bool = False, read_only: bool = False) -> RegisteredMemory:
        """Page-lock existing host memory (an object with a buffer, which stays exported), until it is closed.

        Raises CudaError where part of it is registered already.
        """
        from driver_ctypes.memory.host import register

        return register(self, source, mapped, read_only)

    def memory_info(self) -> tuple[int, int]:
        """(free, total) bytes of device memory."""
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        self.call("cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(total))
        return free.value, total.value

    # --- copies and fills ---------------------------------------------------------------------------------------------

    def copy_to_device(self, dst: Any, src: Any, nbytes: int | None = None, stream: Any = None) -> None:
        """Copy host memory (a buffer, or an address with *nbytes*) to device memory; see `copies.copy_to_device`."""
        from driver_ctypes.memory import copies

        copies.copy_to_device(self, dst, src, nbytes, stream)

    def copy_to_host(self, dst: Any, src: Any, nbytes: int | None = None, stream: Any = None) -> None:
        """Copy device memory to host memory (a writable buffer, or an address with *nbytes*)."""
        from driver_ctypes.memory import copies

        copies.copy_to_host(self, dst, src, nbytes, stream)

    def read_number(self, pointer: int, nbytes: int, stream: Any) -> int:
        """The unsigned number of up to 8 bytes at a device address, when the work queued so far on *stream*, a `Stream`, is
        done; waits for it."""
        self.check()
        words = self.words
        if words is None:
            from driver_ctypes.memory.words import Words

            words = self.words = Words(self)
        return words.read(pointer, nbytes, stream)

    def copy(self, dst: Any, src: Any, nbytes: int, stream: Any = None) -> None:
        """Copy device memory to device memory."""
        from driver_ctypes.memory import copies

        copies.copy_on_device(self, dst, src, nbytes, stream)

    def copy_region(
        self, dst: Region | Any, src: Region | Any, width: int, height: int = 1, depth: int = 1, stream: Any = None
    ) -> None:
        """Copy *depth* slices of *height* rows of *width* bytes. Each side is a `Region` (memory with its pitches), or
        memory without gaps; host memory and device memory both.
        """
        from driver_ctypes.memory.arrays import copy_region

        copy_region(self, dst, src, (width, height, depth), stream)

    def memset(self, dst: Any, value: int, count: int, width: int = 1, stream: Any = None) -> None:
        """Set *count* elements of *width* (1, 2 or 4) bytes to *value*."""
        from driver_ctypes.memory import copies

        copies.memset(self, dst, value, count, width, stream)

    def memset_rows(
        self, dst: Any, value: int, count: int, rows: int, pitch: int, width: int = 1, stream: Any = None
    ) -> None:
        """The same in *rows* rows that begin *pitch* bytes apart."""
        from driver_ctypes.memory import copies

        copies.memset_rows(self, dst, value, count, rows, pitch, width, stream)

    # --- peers --------------------------------------------------------------------------------------------------------

    def enable_peers(self, peers: Iterable[Session]) -> None:
        """Let kernels of this context reach the memory of *peers*, contexts of other devices; see `peer.enable_peer`."""
        from driver_ctypes.memory.peer import enable_peer

        for peer in peers:
            enable_peer(self, peer)
