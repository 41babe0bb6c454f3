"""Memory that is kept for reuse, in classes of powers of two bytes, within a budget.

A release that passes the budget makes room first by closing what was not used for the longest time, of whichever class.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar

from ptxgen.runtime.errors import InvalidProgramError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["DEVICE_BUDGET", "PINNED_BUDGET", "PoolStatistics", "SizeClassPool", "size_class"]

DEVICE_BUDGET = 256 << 20
"""Bytes of device memory that are kept for reuse."""

PINNED_BUDGET = 128 << 20
"""Bytes of page-locked host memory that are kept for reuse."""

MOST_OF_A_CLASS = 1024


class PoolBlock(Protocol):
    def close(self) -> None: ...


B = TypeVar("B", bound=PoolBlock)


class PoolStatistics(NamedTuple):
    """Bytes and counts of one pool. `allocated_bytes` are those kept and those lent out."""

    hits: int
    misses: int
    evictions: int
    cached_bytes: int
    allocated_bytes: int


def size_class(nbytes: int) -> int:
    """The power of two that holds *nbytes* bytes. InvalidProgramError for a negative number."""
    if nbytes < 0:
        raise InvalidProgramError(f"an allocation of {nbytes} bytes", fix="pass a size of 0 or more")
    return 1 << max(nbytes - 1, 0).bit_length()


def slots(bucket: int, budget: int) -> int:
    """How many blocks of a class are kept: what the budget holds, at least one and at most 1,024."""
    return min(max(1, budget // bucket), MOST_OF_A_CLASS)


class SizeClassPool(Generic[B]):
    """Blocks that `allocate(bytes)` makes; returned blocks are reused."""

    def __init__(self, allocate: Callable[[int], B], budget: int) -> None:
        self.budget = budget
        self._allocate = allocate
        self._idle: OrderedDict[int, tuple[int, B]] = OrderedDict()  # by ticket, least recently released first
        self._classes: dict[int, list[int]] = {}  # class -> tickets, the last released last
        self._lent: dict[int, tuple[int, B]] = {}  # by id of the block
        self._ticket = 0
        self._hits = self._misses = self._evictions = self._cached = self._allocated = 0
        self._lock = threading.Lock()

    def acquire(self, nbytes: int) -> B | None:
        """A block of at least *nbytes* bytes; None for none."""
        bucket = size_class(nbytes)
        if not nbytes:
            return None
        with self._lock:
            tickets = self._classes.get(bucket)
            if tickets:
                _, block = self._idle.pop(tickets.pop())
                self._cached -= bucket
                self._hits += 1
                self._lent[id(block)] = bucket, block
                return block
            self._misses += 1
        block = self._allocate(bucket)
        with self._lock:
            self._allocated += bucket
            self._lent[id(block)] = bucket, block
        return block

    def release(self, block: B | None) -> None:
        """Return a block. The caller ensures that nothing uses it."""
        if block is None:
            return
        gone: list[B] = []
        with self._lock:
            bucket, _ = self._lent.pop(id(block))
            tickets = self._classes.setdefault(bucket, [])
            if bucket > self.budget or len(tickets) >= slots(bucket, self.budget):
                gone.append(block)
                self._allocated -= bucket
            else:
                while self._cached + bucket > self.budget:
                    gone.append(self._evict())
                self._ticket += 1
                self._idle[self._ticket] = bucket, block
                tickets.append(self._ticket)
                self._cached += bucket
        for each in gone:
            each.close()

    def discard(self, block: B | None) -> None:
        """Close a block instead of keeping it."""
        if block is None:
            return
        with self._lock:
            bucket, _ = self._lent.pop(id(block))
            self._allocated -= bucket
        block.close()

    def _evict(self) -> B:
        ticket, (bucket, block) = self._idle.popitem(last=False)
        self._classes[bucket].remove(ticket)
        self._cached -= bucket
        self._allocated -= bucket
        self._evictions += 1
        return block

    @contextmanager
    def lease(self, nbytes: int) -> Iterator[B | None]:
        """A block for the body, which ends when nothing uses it."""
        block = self.acquire(nbytes)
        try:
            yield block
        finally:
            self.release(block)

    def clear(self) -> int:
        """Close what is kept, and return how many bytes that were."""
        with self._lock:
            gone = [block for _, block in self._idle.values()]
            freed, self._cached = self._cached, 0
            self._allocated -= freed
            self._idle.clear()
            self._classes.clear()
        for block in gone:
            block.close()
        return freed

    def statistics(self) -> PoolStatistics:
        """Since it was made."""
        with self._lock:
            return PoolStatistics(self._hits, self._misses, self._evictions, self._cached, self._allocated)

    def __repr__(self) -> str:
        found: Any = self.statistics()
        return f"<pool {found}>"
