"""Caches in memory: bounded by entries and bytes, counted, and trimmed to what was used most.

`functools.lru_cache` bounds entries alone, and neither it nor cachetools counts evictions or trims by use, which the backend's
telemetry and its memory limits need.
"""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.runtime.code.disk import TunedStore

__all__ = ["CacheSnapshot", "CountedCache", "TunedWorkgroups", "ValidationCache"]

V = TypeVar("V")


class CacheSnapshot(NamedTuple):
    """Statistics of a cache since it was made, and what it holds now. `access_total` are all uses of what it holds."""

    hits: int
    misses: int
    evictions: int
    entries: int
    bytes: int
    access_total: int


class CacheEntry(Generic[V]):
    """A value with its size, and how often it was asked for since it came."""

    __slots__ = ("accesses", "nbytes", "value")

    def __init__(self, value: V, nbytes: int) -> None:
        self.value, self.nbytes, self.accesses = value, nbytes, 0


class CountedCache(Generic[V]):
    """Values by key. Past `most` entries, or `most_bytes` bytes, it keeps the `retained` that were asked for most.

    Of two that were requested equally often, the one used last stays; entries that were never requested again are evicted
    first, except the newest. `closed(value)` is called for each evicted value.
    """

    def __init__(
        self, most: int, retained: int, most_bytes: int | None = None, closed: Callable[[V], None] | None = None
    ) -> None:
        self.most, self.retained, self.most_bytes = most, retained, most_bytes
        self._closed = closed
        self._entries: OrderedDict[str, CacheEntry[V]] = OrderedDict()  # least recently used first
        self._hits = self._misses = self._evictions = self._bytes = 0
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, key: str) -> bool:
        return key in self._entries

    def get(self, key: str) -> V | None:
        """The value, or None."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                self._misses += 1
                return None
            self._hits += 1
            entry.accesses += 1
            self._entries.move_to_end(key)
            return entry.value

    def put(self, key: str, value: V, nbytes: int = 0) -> V:
        """Keep *value*, and return what is kept: the first that came, where two threads made one."""
        with self._lock:
            known = self._entries.get(key)
            if known is None:
                self._entries[key] = CacheEntry(value, nbytes)
                self._bytes += nbytes
                gone = self._trim(key) if self._is_full() else []
                kept = value
            else:
                kept = known.value
                gone = [] if kept is value else [value]
        self._close(gone)
        return kept

    def drop(self, key: str) -> None:
        """Forget a value."""
        with self._lock:
            entry = self._entries.pop(key, None)
            self._bytes -= entry.nbytes if entry is not None else 0
        self._close([entry.value] if entry is not None else [])

    def _is_full(self) -> bool:
        return len(self._entries) > self.most or (self.most_bytes is not None and self._bytes > self.most_bytes)

    def _trim(self, newest: str) -> list[V]:
        ranked = [(entry.accesses, age, key) for age, (key, entry) in enumerate(self._entries.items())]
        ranked = sorted([row for row in ranked if row[0] and row[2] != newest], reverse=True)
        kept, total = {newest}, self._entries[newest].nbytes
        for _, _, key in ranked[: self.retained - 1]:
            nbytes = self._entries[key].nbytes
            if self.most_bytes is None or total + nbytes <= self.most_bytes:
                kept.add(key)
                total += nbytes
        gone = [key for key in self._entries if key not in kept]
        self._evictions += len(gone)
        self._bytes = total
        return [self._entries.pop(key).value for key in gone]

    def _close(self, gone: list[V]) -> None:
        if self._closed is not None:
            for value in gone:
                self._closed(value)

    def clear(self) -> None:
        """Drop everything; the counts stay."""
        with self._lock:
            gone = [entry.value for entry in self._entries.values()]
            self._entries.clear()
            self._bytes = 0
        self._close(gone)

    def values(self) -> list[V]:
        """What it holds."""
        with self._lock:
            return [entry.value for entry in self._entries.values()]

    def snapshot(self) -> CacheSnapshot:
        """The counts now."""
        with self._lock:
            total = sum(entry.accesses for entry in self._entries.values())
            return CacheSnapshot(self._hits, self._misses, self._evictions, len(self._entries), self._bytes, total)


class ValidationCache:
    """Programs that were found valid; emptied as a whole when it is full."""

    def __init__(self, most: int = 8192) -> None:
        self.most = most
        self._known: set[object] = set()
        self._lock = threading.Lock()
        self.hits = self.misses = 0

    def __len__(self) -> int:
        return len(self._known)

    def check(self, key: object, validate: Callable[[], None]) -> None:
        """Call *validate* unless it went well before for this key. Its exception is passed on, and not cached."""
        with self._lock:
            if key in self._known:
                self.hits += 1
                return
            self.misses += 1
        validate()
        with self._lock:
            if len(self._known) >= self.most:
                self._known.clear()
            self._known.add(key)

    def clear(self) -> None:
        """Forget all."""
        with self._lock:
            self._known.clear()


class TunedWorkgroups:
    """The CTA sizes that measuring chose (`ptxgen.runtime.dispatch.tuning`), by key, in memory and on disk."""

    def __init__(self, disk: TunedStore | None) -> None:
        self._known: dict[str, int] = {}
        self._disk = disk

    def get(self, key: str) -> int | None:
        """Threads of a CTA, or None."""
        found = self._known.get(key)
        if found is None and self._disk is not None:
            entry = self._disk.get(key)
            if entry is not None:
                found = self._known[key] = json.loads(entry.image)["workgroup"]
        return found

    def put(self, key: str, threads: int, times: dict[int, float]) -> None:
        """Remember a winner, with the nanoseconds of all."""
        self._known[key] = threads
        if self._disk is not None:
            self._disk.put(key, json.dumps({"workgroup": threads, "ns": times}).encode())

    def clear(self) -> None:
        """Forget what is in memory."""
        self._known.clear()
