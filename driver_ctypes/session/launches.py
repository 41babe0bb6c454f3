"""The bound launches of a session: they launch without checks, so they are stopped before what they use is freed. And what
the rooms below ``graphs`` need of a running stream capture.
"""

from __future__ import annotations

import ctypes
import time
from weakref import WeakSet

from driver_ctypes.typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from threading import Thread


class ActiveCapture(Protocol):
    """A stream capture between its begin and its end; `driver_ctypes.Capture` is one."""

    stream: Any
    """The stream that it was begun on."""
    identity: int
    """The driver's number of the capture sequence."""
    mode: Any
    exclusive: bool
    """Whether no other one may run on the context meanwhile."""
    thread: Thread
    """Which has begun it."""
    place: str
    """Where in the program."""

    def retain(self, *owners: Any) -> None:
        """Keep what captured work uses alive for as long as the graph lives."""

    def retain_host(self, source: Any, *, writable: bool) -> None:
        """The same for host memory, which stays exported."""

    def host_function(self, stream: Any, function: Callable[[], Any]) -> None:
        """Capture a call of a Python function on *stream*."""

    def joined(self, stream: Any) -> None:
        """*stream* was drawn into the capture."""

    def note_failure(self, symbol: str, code: int) -> None:
        """A call has failed, which may have broken the capture."""

    def abort(self) -> None:
        """End it without a graph."""


_PATIENCE = 1.0  # seconds: a call from a function that the driver calls, which closes the context, does not end before


def wait_while(busy: Callable[[], bool]) -> None:
    """Wait until something is over, for `_PATIENCE` seconds at the most."""
    until = time.monotonic() + _PATIENCE
    while busy() and time.monotonic() < until:
        time.sleep(0)


class BoundLaunch(Protocol):
    """A launch that was checked once and is quick from then on: of a kernel, or of a graph."""

    number: int
    """No other bound launch of the process has it."""
    stream: Any
    function: Any
    """What it launches; its ``module`` is None if that is not a kernel of a module."""

    @property
    def launched(self) -> object:
        """Its str() is part of a fault's message."""

    @property
    def under_way(self) -> int: ...

    def revoke(self) -> None: ...

    def end(self) -> None: ...


class BoundLaunches:
    """All of them, and which launch was the last, for the message of a fault."""

    def __init__(self) -> None:
        self._all: WeakSet[BoundLaunch] = WeakSet()
        self.last: object = None
        """What was launched last, unless `serial` names a bound launch; its str() is part of a fault's message."""
        self.serial: ctypes.c_uint64 = ctypes.c_uint64()
        """The number of the bound launch whose machine code launched last, or 0."""

    def __iter__(self) -> Iterator[BoundLaunch]:
        return iter(list(self._all))

    def add(self, launch: BoundLaunch) -> None:
        """Keep *launch* in mind as long as somebody holds it."""
        self._all.add(launch)

    @property
    def last_launch(self) -> object:
        """What was launched last. Machine code only leaves its launch's number."""
        number = self.serial.value
        launched = [launch.launched for launch in self if launch.number == number] if number else []
        return launched[0] if launched else self.last

    @last_launch.setter
    def last_launch(self, launched: object) -> None:
        self.last = launched
        self.serial.value = 0

    def revoke(self, stream: Any = None, module: Any = None) -> None:
        """Send the next launch of each (on that stream, of that module) through all checks."""
        for launch in self._of(stream, module):
            launch.revoke()

    def end(self, stream: Any = None, module: Any = None) -> None:
        """No further one (on that stream, of that module) begins, and those of other threads that have begun are
        over: the driver must not lose what they use.
        """
        ended = self._of(stream, module)
        for launch in ended:
            launch.end()
        wait_while(lambda: any(launch.under_way for launch in ended))

    def _of(self, stream: Any, module: Any) -> list[BoundLaunch]:
        return [
            launch
            for launch in self
            if (stream is None or launch.stream is stream) and (module is None or launch.function.module is module)
        ]
