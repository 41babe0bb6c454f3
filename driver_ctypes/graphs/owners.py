"""What a graph keeps alive: objects, each under the node that uses it, and retained where they own a driver handle; and
those that an executable no longer uses, but launches under way may.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from driver_ctypes.errors import ClosedError
from driver_ctypes.memory.copies import HostMemory
from driver_ctypes.streams.hostcalls import synchronize
from driver_ctypes.streams.stream import create_event

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driver_ctypes.session.session import Session
    from driver_ctypes.streams.stream import Event, StreamBase


CAPTURED = None
"""The key of what captured work uses: no node of its own is known for it."""
GIVEN_UP = 0
"""The key, in an executable, of what its graph keeps no longer."""


class HeldHost:
    """Host memory that a node reads or writes: its buffer stays exported, so that it is neither moved nor freed."""

    def __init__(self, source: Any, *, writable: bool) -> None:
        self.owner = source
        self._memory: HostMemory | None = None
        self._memory = HostMemory(source, writable=writable)
        self.address: int = self._memory.address
        self.nbytes: int | None = self._memory.nbytes

    def __del__(self) -> None:
        if self._memory is not None:
            self._memory.__exit__()


class Owners:
    """Objects by key, a node's handle. An object with ``graph_retain`` is retained by the graph for as long as it is held."""

    def __init__(self) -> None:
        self._held: dict[Any, dict[int, Any]] = {}

    def __iter__(self) -> Iterator[Any]:
        """Each object once."""
        return iter({id(thing): thing for held in self._held.values() for thing in held.values()}.values())

    def __len__(self) -> int:
        return len(list(iter(self)))

    def add(self, key: Any, *owners: Any) -> None:
        """Hold *owners* too. An array that is a view of a `Buffer` says so by an attribute ``buffer``, a structure names the
        arrays that its fields point to by ``_arrays``; numbers, text and None own nothing.
        """
        held = self._held.setdefault(key, {})
        for owner in (each for value in owners for each in (value, *getattr(value, "_arrays", ()))):
            for kept in (owner, getattr(owner, "buffer", None)):
                if kept is None or isinstance(kept, (int, float, str)) or id(kept) in held:
                    continue
                held[id(kept)] = kept
                if hasattr(kept, "graph_retain"):
                    kept.graph_retain()

    def holds(self, key: Any, owner: Any) -> bool:
        """Whether *owner* is what *key* holds already, or owns nothing where *key* holds nothing."""
        held = self._held.get(key)
        if not held:
            return isinstance(owner, (int, float))
        inside = getattr(owner, "_arrays", ())  # others, perhaps, than when it was held
        return id(owner) in held and all(isinstance(one, int) or id(one) in held for one in inside)

    def replace(self, key: Any, *owners: Any) -> dict[int, Any]:
        """Hold *owners* instead of what *key* held, which is returned for `let_go`."""
        before = self._held.pop(key, {})
        self.add(key, *owners)
        return before

    def take_of(self, node: int) -> list[dict[int, Any]]:
        """What a node holds, which the caller releases: under its handle, and under (handle, part) for what was changed
        later.
        """
        keys = [key for key in self._held if key == node or (isinstance(key, tuple) and key[0] == node)]
        return [self._held.pop(key) for key in keys]

    def adopt(self, other: Owners) -> None:
        """Hold everything that *other* holds too."""
        self.add(CAPTURED, *other)

    def take(self) -> list[dict[int, Any]]:
        """Everything that is held, which the caller releases."""
        held, self._held = self._held, {}
        return list(held.values())

    def clear(self) -> None:
        """Let go of everything."""
        for owners in self.take():
            let_go(owners)


def let_go(owners: dict[int, Any]) -> None:
    """Release what was held."""
    for owner in owners.values():
        if hasattr(owner, "graph_release"):
            owner.graph_release()
    owners.clear()


def delicate(owner: Any) -> bool:
    """Whether it must outlive the launches that are under way: freeing it does not wait for the device, as freeing
    device memory does.
    """
    from driver_ctypes.graphs.host import HostFunction

    inside = getattr(owner, "_owners", None)  # of a graph
    if isinstance(inside, Owners):
        return any(delicate(one) for one in inside)
    return isinstance(owner, (HeldHost, HostFunction))


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
