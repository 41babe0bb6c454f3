"""Dispatches that share memory, one after the other on the device, on whatever streams they run."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driver_ctypes.contexts.context import Stream
    from driver_ctypes.streams.stream import Event
    from ptxgen.runtime.memory.leases import LaunchResources

__all__ = ["StreamOrder"]


class StreamOrder:
    """Work in program order across streams: each body waits on the device for the event that the one before it recorded. The host
    waits only in `wait`."""

    def __init__(self, resources: LaunchResources) -> None:
        self._resources = resources
        self._event: Event = resources.events.acquire()
        self.lock = threading.RLock()

    @contextmanager
    def after_earlier(self, stream: Stream) -> Iterator[None]:
        """What the body queues on *stream* comes after the work of all earlier bodies."""
        with self.lock:
            stream.wait(self._event)
            yield
            self._event.record(stream)

    def wait(self) -> None:
        """Wait for the work of all bodies so far."""
        self._event.synchronize()

    def close(self) -> None:
        """Give the event back."""
        self._resources.events.release(self._event)
