"""What the rooms below ``graphs`` need of a running stream capture: enough to keep what it uses, and to end it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable
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
