"""Objects that an executable graph no longer uses, but launches under way may: kept until they have ended."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from driver_ctypes.errors import ClosedError
from driver_ctypes.graphs.owners import delicate, let_go
from driver_ctypes.streams.event import create_event
from driver_ctypes.streams.hostcalls import synchronize

if TYPE_CHECKING:
    from driver_ctypes.session.session import Session
    from driver_ctypes.streams.event import Event
    from driver_ctypes.streams.stream import StreamBase


class Superseded:
    """A queue of owners in the order in which they were replaced, each behind an event of the launches before."""

    def __init__(self, context: Session) -> None:
        self._context = context
        self._waiting: deque[tuple[Event | None, tuple[dict[int, Any], ...]]] = deque()

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def add(self, held: tuple[dict[int, Any], ...], last: StreamBase | None) -> None:
        """Let go of device memory at once, since freeing it waits for the device; of host memory and functions when the
        launches under way have ended, the last of which is on stream *last* (None: there was none).
        """
        careful = any(delicate(owner) for owners in held for owner in owners.values())
        if not careful or last is None:
            for owners in held:
                let_go(owners)
            return
        try:
            event = create_event(self._context, timing=False, blocking=False).record(last)
        except ClosedError:  # the stream is closed: everything on the device is waited for
            synchronize(self._context)
            event = None
        self._waiting.append((event, held))
        self._prune()

    def _prune(self) -> None:
        """Release what no launch uses."""
        while self._waiting and not self._context.captures:
            event, held = self._waiting[0]
            if event is not None and not event.query():
                return
            self._waiting.popleft()
            if event is not None:
                event.close()
            for owners in held:
                let_go(owners)

    def clear(self) -> None:
        """Let go of everything: no launch is under way."""
        while self._waiting:
            for owners in self._waiting.popleft()[1]:
                let_go(owners)
