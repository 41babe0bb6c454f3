"""`with dev.capture() as graph:` records a CUDA graph of what the body launches and copies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from driver_ctypes import CaptureError

if TYPE_CHECKING:
    import driver_ctypes
    from ptxgen.device.machine import Device

__all__ = ["Graph"]


class Graph:
    """A captured graph: `launch()` replays it. Arrays and kernels used in the body stay alive with it.

    When the body raises, the capture is ended, nothing is kept, and the exception goes on.
    """

    def __init__(self, device: Device, mode: str) -> None:
        self.device = device
        self._mode = mode
        self._graph: driver_ctypes.Graph | None = None
        self._exec: driver_ctypes.GraphExec | None = None
        self._entered: Any = None

    def __enter__(self) -> Graph:
        stream = self.device.context.stream()
        capture = stream.capture(self._mode)
        capture.__enter__()
        current = self.device.use(stream)
        current.__enter__()
        self._entered = (stream, capture, current)
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        stream, capture, current = self._entered
        self._entered = None
        current.__exit__(None, None, None)
        try:
            capture.__exit__(kind, error, trace)
            if error is None:
                self._graph = capture.graph
                self._exec = self._graph.instantiate()
        finally:
            stream.close()

    def _captured(self) -> tuple[driver_ctypes.Graph, driver_ctypes.GraphExec]:
        if self._graph is None or self._exec is None:
            raise CaptureError(
                "this graph holds nothing: its body has not ended, or it raised", hint="launch it after the with block"
            )
        return self._graph, self._exec

    def launch(self, stream: Any = None) -> None:
        """Replay on a stream (default: the device's current one)."""
        self._captured()[1].launch(self.device.current_stream if stream is None else stream)

    def nodes(self) -> tuple[Any, ...]:
        """What is in the graph: kind, kernel, grid, block, argument names and values of every node."""
        return self._captured()[0].nodes()

    def __len__(self) -> int:
        return len(self.nodes())

    def close(self) -> None:
        """Free the graph now."""
        for handle in (self._exec, self._graph):
            if handle is not None:
                handle.close()
        self._exec = self._graph = None
