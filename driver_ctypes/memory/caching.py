"""Device memory that is kept when nobody uses it any more, and given out again: what results of many small calls lie in. To
allocate and free takes the driver some microseconds, to take a block from a free list a fraction of one.

Each stream has free lists of blocks, one for each size class. A block is used by work of its stream first, so that later work
of the same stream may have it at once. Work of *other* streams is waited for: where there are any, a freed block stays `pending`
until events behind all that was queued there meanwhile have happened (`_StreamBlocks.settle`). Where that does not suffice, a
block is freed as any other memory, by cuMemFree, which waits for the device's work:

* its address was handed out (`Buffer.pointer`, DLPack, ``__cuda_array_interface__``), so that anybody may use it on any stream;
* a graph has used it, and may run whenever it likes;
* another library's stream was used on the context, or another device reaches its memory: then nothing is kept any more.

While a graph is recorded, and while an account of memory is open, memory is allocated plainly. A finalizer, which runs at any
moment of any thread, does one append to a list; what moves blocks from list to list is one call of a function in C, which
neither another thread nor a signal's handler interrupts.
"""

from __future__ import annotations

import ctypes
import os
import sys
from itertools import repeat

from driver_ctypes.errors import CudaError
from driver_ctypes.lifetime import ACCOUNTS, Life, Process
from driver_ctypes.memory.buffer import Buffer, allocate, demand, size_of
from driver_ctypes.primitives import RLock
from driver_ctypes.results import FATAL_CODES
from driver_ctypes.streams.stream import running_captures
from driver_ctypes.typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from driver_ctypes.session.session import Session

ENVIRONMENT_VARIABLE = "PTXGEN_MEMORY_CACHE"
"""0: nothing is kept; 1: memory is kept on emulated devices too, and under a sanitizer."""

_SMALLEST = 512
_LARGEST = 64 << 20
"""Bytes of the largest block that is kept, and of all idle blocks of a free list; less on a device of less than 64 GiB."""
_SHARE = 1024
"""A free list keeps at most the device's memory divided by this."""
_MANY = 4096
"""Idle blocks of a free list."""
_NO_TIMING = 2  # CU_EVENT_DISABLE_TIMING
_NOT_READY = 600


class AllocatorStatistics(NamedTuple):
    """What a `CachingAllocator` did and has: `hits` are allocations served by a kept block, `misses` those that the driver
    served; idle blocks are those that nobody uses."""

    hits: int
    misses: int
    idle_blocks: int
    idle_nbytes: int


class CachedBuffer(Buffer):
    """Memory of a free list. Closing it, or dropping the last reference, gives the block back; nothing is waited for."""

    __slots__ = ()
    escaped = False
    """Whether others may use it without our knowing: then it is freed and not kept."""

    if TYPE_CHECKING:
        _blocks: FreeList

    @property
    def pointer(self) -> int:
        """The device address. Raises ClosedError after close(). Whoever has it may use the memory on any stream."""
        self.escaped = True
        if self._closed or self.context.closed:
            self.check_open()
        return self._address

    def graph_retain(self) -> None:
        """One graph, or another library, more uses it."""
        self.escaped = True
        super().graph_retain()

    def _release(self) -> None:
        handle, self._handle = self._handle, 0
        if handle:
            self._give_back(handle)

    def __del__(self, _process: type[Process] = Process) -> None:  # a default outlives the module's names
        handle = self._handle
        if handle and not _process.closing:
            self._give_back(handle)

    def _give_back(self, handle: int) -> None:
        if self.escaped:
            self.context.defer(self.kind, self._destroy, handle)
        else:
            self._blocks.give(handle)


_new = object.__new__


class FreeList:
    """Blocks of one size class and stream that nobody uses: `free` ones, and `pending` ones, which other streams may work with
    still; events of the stream's blocks stand behind the first `fenced` of these. A freed block goes to the list `back`."""

    __slots__ = ("back", "context", "fenced", "free", "hits", "most", "of_stream", "pending", "size")

    def __init__(self, of_stream: _StreamBlocks, size: int, most: int) -> None:
        self.context, self.of_stream, self.size, self.most = of_stream.context, of_stream, size, most
        self.free: list[int] = []
        self.pending: list[int] = []
        self.back: list[int] = self.free if of_stream.alone else self.pending
        self.fenced = 0
        self.hits = 0

    def take(self, nbytes: int) -> Buffer:
        """Memory of *nbytes* bytes, at most the list's size, for work queued on its stream from now on."""
        if ACCOUNTS or running_captures:
            return allocate(self.context, nbytes)
        try:
            address = self.free.pop()
        except IndexError:
            return self._taken_anew(nbytes)
        self.hits += 1
        return self._buffer(address, nbytes)

    def _buffer(self, address: int, nbytes: int) -> CachedBuffer:
        buffer = _new(CachedBuffer)  # calls of three constructors would take longer than all else
        buffer._blocks = self
        buffer._handle = buffer._address = address
        buffer.context = context = self.context
        buffer._life = life = _new(Life)
        life.context = context
        buffer.nbytes = nbytes
        return buffer

    def _taken_anew(self, nbytes: int) -> Buffer:
        """The same where no block is free."""
        if self.most < 0:
            return allocate(self.context, nbytes)
        if self.pending:
            self.of_stream.settle()
            if self.free:
                return self.take(nbytes)
        address = ctypes.c_uint64()
        demand(self.context, self.size, "cuMemAlloc_v2", ctypes.byref(address), self.size)
        self.context.adopt(CachedBuffer.kind, CachedBuffer._destroy, address.value, self.size)
        self.of_stream.allocator.misses += 1
        return self._buffer(address.value, nbytes)

    def give(self, address: int) -> None:
        """Keep a block that nobody uses any more; what would be too many is freed by the next call. Finalizers call it."""
        back = self.back
        if len(back) < self.most:
            back.append(address)
        else:
            self.context.defer(CachedBuffer.kind, CachedBuffer._destroy, address)

    def end_fence(self) -> None:
        """The first `fenced` blocks that were pending are free."""
        count, self.fenced = self.fenced, 0
        self.free.extend(map(self.pending.pop, repeat(0, count)))

    def idle(self) -> int:
        """How many blocks nobody uses."""
        return len(self.free) + len(self.pending)

    def drop(self) -> list[int]:
        """All of these, which are not kept here any more."""
        self.fenced = 0
        found: list[int] = []
        for blocks in (self.free, self.pending):
            found.extend(map(blocks.pop, repeat(0, len(blocks))))
        return found


class _StreamBlocks:
    """The blocks of a stream, by size class. `alone`: no other stream has work that could use them. A fence is an event behind
    what is queued on each other stream; when all have happened, the blocks that were pending when it began are free."""

    def __init__(self, allocator: CachingAllocator, stream: int) -> None:
        self.allocator, self.context, self.stream = allocator, allocator.context, stream
        self.lists: dict[int, FreeList] = {}
        self.alone = False
        self._events: list[int] = []  # of the fence
        self._fenced = False

    def settle(self) -> None:
        """Let pending blocks be free whose time has come, and begin the next fence. Waits for nothing."""
        lock = self.allocator.settling
        if not lock.acquire(False):  # another thread is at it
            return
        try:
            with self.context.beside_captures():
                previous = self.context.enter()
                try:
                    self._settle()
                finally:
                    if previous:
                        self.context.leave(previous)
        finally:
            lock.release()

    def _settle(self) -> None:
        if running_captures:  # which an event must not be recorded into
            return
        if self._fenced and self._end_fence() is False:
            return
        self._begin_fence()
        self._end_fence()

    def _begin_fence(self) -> None:
        allocator = self.allocator
        self._events.clear()
        others = allocator.others(self.stream)
        for blocks in list(self.lists.values()):
            blocks.fenced = len(blocks.pending)
        for other in others:
            if allocator.has_stream(other):
                self._events.append(allocator.event_behind(other))
        self._fenced = True  # last: an exception before lets the next call begin anew
        self.set_alone(not others and bool(allocator.happened([])))

    def _end_fence(self) -> bool | None:
        """Whether it has come to its end; None where it never will."""
        done = self.allocator.happened(self._events)
        if done is not False:
            self._fenced = False
        for blocks in list(self.lists.values()) if done else ():
            blocks.end_fence()
        return done

    def set_alone(self, alone: bool) -> None:
        """Whether no other stream has work that could use the blocks."""
        self.alone = alone
        for blocks in list(self.lists.values()):
            blocks.back = blocks.free if alone else blocks.pending


class CachingAllocator:
    """The blocks of a context, of all its streams; `Context.allocator` is it."""

    def __init__(self, context: Session) -> None:
        self.context = context
        self.misses = 0
        self.settling = RLock()  # a signal's handler may close a stream in the middle of it
        """Held while events are recorded and asked for: no stream is destroyed meanwhile."""
        self.spare: list[int] = []
        """Events for the next fences. They are the allocator's own, and no handles of the program."""
        total = ctypes.c_size_t()
        context.call("cuDeviceTotalMem_v2", ctypes.byref(total), context.device.handle)
        self._most = min(_LARGEST, total.value // _SHARE)
        self._off = context.memory_is_shared
        self._enabled = _kept_by_default(context)
        self._streams = set(context.live("stream"))
        self._tails: list[int] = []  # events behind the last work of streams that are gone
        self._of: dict[int, _StreamBlocks] = {}
        self._lists: dict[tuple[int, int], FreeList] = {}  # by stream and size

    @property
    def enabled(self) -> bool:
        """Whether memory is kept: on a GPU unless `PTXGEN_MEMORY_CACHE` is 0 or NVIDIA's Compute Sanitizer watches, which would
        not see uses of memory that is idle. Other libraries' streams, and other devices that reach the memory, end it."""
        return self._enabled and not self._off

    @enabled.setter
    def enabled(self, enabled: bool) -> None:
        self._enabled = enabled
        if not enabled:
            self._end(list(self._lists))

    def list_for(self, nbytes: int, stream: int) -> FreeList | None:
        """Where memory of so many bytes for work of a CUstream is; None where none is kept."""
        if not self._enabled or self._off or nbytes > self._most:
            return None
        key = stream, _class_of(nbytes)
        found = self._lists.get(key)
        if found is None and self.has_stream(stream):
            with self.settling:  # one for all threads
                found = self._lists.get(key) or self._new_list(*key)
        return found

    def _new_list(self, stream: int, size: int) -> FreeList:
        of_stream = self._of.get(stream)
        if of_stream is None:
            of_stream = self._of[stream] = _StreamBlocks(self, stream)
            of_stream.settle()
        most = min(_MANY, self._most // size)
        made = of_stream.lists[size] = self._lists[stream, size] = FreeList(of_stream, size, most)
        return made

    def alloc(self, nbytes: int, stream: int = 0) -> Buffer:
        """Memory for work that is queued on a CUstream from now on, kept when nobody uses it any more."""
        found = self.list_for(size_of(nbytes), stream)
        return allocate(self.context, nbytes) if found is None else found.take(nbytes)

    def statistics(self) -> AllocatorStatistics:
        """What it did and has."""
        hits = sum(each.hits for each in list(self._lists.values()))
        return AllocatorStatistics(hits, self.misses, self.idle(), self.idle_nbytes())

    def idle(self) -> int:
        """How many blocks nobody uses."""
        return sum(each.idle() for each in list(self._lists.values()))

    def idle_nbytes(self) -> int:
        """Bytes of these."""
        return sum(each.idle() * each.size for each in list(self._lists.values()))

    # --- giving up ----------------------------------------------------------------------------------------------------

    def trim(self) -> None:
        """Free the idle blocks, which waits for the device's work."""
        for blocks in list(self._lists.values()):
            with self.settling:
                idle = blocks.drop()
            for address in idle:
                self.context.destroy(CachedBuffer.kind, CachedBuffer._destroy, address)

    def turn_off(self) -> None:
        """Keep nothing any more: somebody whom nobody sees may use the memory. The next call frees what is idle."""
        if not self._off:
            self._off = True
            self._end(list(self._lists))

    def _end(self, keys: list[tuple[int, int]]) -> None:
        for key in keys:
            with self.settling:
                blocks = self._lists.pop(key, None)
                if blocks is None:
                    continue
                blocks.most = -1
                idle = blocks.drop()
            for address in idle:
                self.context.defer(CachedBuffer.kind, CachedBuffer._destroy, address)

    def end(self) -> None:
        """The context ends, which frees the blocks with all else that it has."""
        self._off = True
        for blocks in self._lists.values():
            blocks.most = -1
            blocks.drop()
        self._lists.clear()

    # --- streams ------------------------------------------------------------------------------------------------------

    def note_stream(self, handle: int) -> None:
        """The context has a stream more."""
        self._streams.add(handle)
        for blocks in list(self._of.values()):
            blocks.set_alone(False)

    def note_end_of_stream(self, handle: int) -> None:
        """A stream is about to be destroyed: the work that is queued there goes on."""
        if handle not in self._streams:
            return
        with self.settling:
            self._streams.discard(handle)
            if self._lists:
                try:
                    self._tails.append(self.event_behind(handle))
                except CudaError:
                    self.turn_off()
            if self._of.pop(handle, None) is not None:
                self._end([key for key in self._lists if key[0] == handle])

    def has_stream(self, handle: int) -> bool:
        """Whether it is the default stream, or one that is not destroyed."""
        return not handle or handle in self._streams

    def others(self, stream: int) -> list[int]:
        """The streams beside one."""
        return sorted(({0} if stream else set()) | self._streams - {stream})

    def event_behind(self, stream: int) -> int:
        """An event behind what is queued on a stream."""
        context = self.context
        functions = context.functions
        try:
            event = self.spare.pop()
        except IndexError:
            made = ctypes.c_void_p()
            code = functions["cuEventCreate"](ctypes.byref(made), _NO_TIMING)
            if code:
                raise context.error("cuEventCreate", code) from None
            event = made.value or 0
            context.own.append(("cuEventDestroy_v2", event))
        code = functions["cuEventRecord"](event, stream)
        if code:
            raise context.error("cuEventRecord", code, (event, stream))
        return event

    def happened(self, events: list[int]) -> bool | None:
        """Whether these have happened, and the work of streams that are gone is over; None where one never will: another thread
        has begun to capture its stream just before."""
        for waited in (self._tails, events):
            while waited:
                code = self.context.functions["cuEventQuery"](waited[-1])
                if not code:
                    self.spare.append(waited.pop())
                    continue
                self.context.driver.new_log()
                if code == _NOT_READY or code in FATAL_CODES:
                    return False
                waited.pop()
                if waited is self._tails:
                    self.turn_off()
                return None
        return True


def _class_of(nbytes: int) -> int:
    """The size of the blocks that memory of so many bytes takes: four of them between powers of two."""
    if nbytes <= _SMALLEST:
        return _SMALLEST
    step = 1 << ((nbytes - 1).bit_length() - 3)
    return (nbytes + step - 1) // step * step


def _kept_by_default(context: Session) -> bool:
    chosen = os.environ.get(ENVIRONMENT_VARIABLE)
    if chosen is not None:
        return chosen != "0"
    return context.driver.foreign_pointers and not _watched()


def _watched() -> bool:
    """Whether NVIDIA's Compute Sanitizer is in this process."""
    if not sys.platform.startswith("linux"):
        return False
    with open("/proc/self/maps", "rb") as maps:
        return b"libsanitizer-" in maps.read()
