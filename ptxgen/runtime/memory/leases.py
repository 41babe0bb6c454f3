"""Streams and events that dispatches borrow and give back.

A resource that may still be in flight is never lent again: a lease that ends while its stream has work, or its event has not
happened, puts the resource aside ("leaked" until the backend is cleaned up, which waits for the device first).
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from contextlib import contextmanager
from typing import TYPE_CHECKING, Generic, NamedTuple, Protocol, TypeVar

from driver_ctypes.errors import ArgumentError, Error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from driver_ctypes.contexts.context import Context, Stream
    from driver_ctypes.streams.stream import Event

__all__ = ["LaunchResources", "ResourceCounts", "elapsed_ns"]

log = logging.getLogger("ptxgen.runtime")

CAPACITY = 128
"""Resources of each kind that are kept for reuse."""


class Resource(Protocol):
    def query(self) -> bool: ...

    def close(self) -> None: ...


R = TypeVar("R", bound=Resource)


class ResourceCounts(NamedTuple):
    """How many of each are kept for reuse, and how many of all were put aside because their end could not be proven."""

    streams: int
    events: int
    timing_events: int
    leaked: int


class Shelf(Generic[R]):
    """Resources of one kind."""

    def __init__(self, kind: str, make: Callable[[], R], capacity: int) -> None:
        self.kind, self.capacity = kind, capacity
        self._make = make
        self._idle: deque[R] = deque()
        self._aside: list[R] = []
        self._lock = threading.Lock()

    def acquire(self) -> R:
        """One that is idle, or a new one."""
        with self._lock:
            if self._idle:
                return self._idle.pop()
        return self._make()

    def release(self, resource: R) -> None:
        """Take it back: keep it, close it where there are enough, or put it aside where it may be in flight."""
        try:
            done = resource.query()
        except Error as error:
            done, why = False, str(error)
        else:
            why = "it has not finished"
        if not done:
            log.error("a %s is not reused: %s", self.kind, why)
            with self._lock:
                self._aside.append(resource)
            return
        with self._lock:
            if len(self._idle) < self.capacity:
                self._idle.append(resource)
                return
        resource.close()

    @contextmanager
    def lease(self) -> Iterator[R]:
        """One for the body."""
        resource = self.acquire()
        try:
            yield resource
        finally:
            self.release(resource)

    def __len__(self) -> int:
        return len(self._idle)

    @property
    def aside(self) -> int:
        """How many were put aside."""
        return len(self._aside)

    def clear(self) -> None:
        """Close all. The caller has waited for the device."""
        with self._lock:
            gone = [*self._idle, *self._aside]
            self._idle.clear()
            self._aside.clear()
        for resource in gone:
            resource.close()


class LaunchResources:
    """The streams, completion events (without timing) and timing events of one context."""

    def __init__(self, context: Context, capacity: int = CAPACITY) -> None:
        self.streams: Shelf[Stream] = Shelf("stream", context.stream, capacity)
        self.events: Shelf[Event] = Shelf("completion event", lambda: context.event(timing=False), capacity)
        self.timing_events: Shelf[Event] = Shelf("timing event", lambda: context.event(timing=True), capacity)

    @property
    def capacity(self) -> int:
        """How many of each are kept."""
        return self.streams.capacity

    @capacity.setter
    def capacity(self, capacity: int) -> None:
        for shelf in (self.streams, self.events, self.timing_events):
            shelf.capacity = capacity

    def counts(self) -> ResourceCounts:
        """What is kept now."""
        shelves = (self.streams, self.events, self.timing_events)
        kept = [len(shelf) for shelf in shelves]
        return ResourceCounts(kept[0], kept[1], kept[2], sum(shelf.aside for shelf in shelves))

    def clear(self) -> None:
        """Close all. The caller has waited for the device."""
        for shelf in (self.events, self.timing_events):
            shelf.clear()
        self.streams.clear()


def elapsed_ns(start: Event, end: Event) -> int | None:
    """Nanoseconds between two events that have happened; None where the driver has no time for them."""
    try:
        return round(end.elapsed_ms(start) * 1e6)
    except ArgumentError:
        return None
