"""A stream as users hold it: what the room ``streams`` has, and its capture into a graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from driver_ctypes.streams.stream import StreamBase

if TYPE_CHECKING:
    from driver_ctypes.graphs.capture import Capture, Mode
    from driver_ctypes.graphs.definition import Graph


class Stream(StreamBase):
    """A stream, made by `Context.stream`; or one that another library owns."""

    def capture(
        self,
        mode: Mode = "thread_local",
        *,
        into: Graph | None = None,
        after: Any = None,
        exclusive: bool = False,
        wait: float = 0.0,
    ) -> Capture:
        """``with stream.capture() as capture:`` records the body's work instead of running it; see `Capture`."""
        from driver_ctypes.graphs.capture import Capture

        return Capture(self, mode, into=into, after=after, exclusive=exclusive, wait=wait)
