"""`with dev.capture() as graph:` records a CUDA graph of what the body launches and copies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from driver_ctypes.errors import CaptureError, ClosedError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager

    import driver_ctypes
    from driver_ctypes.contexts.context import Stream
    from driver_ctypes.graphs.capture import Capture, Mode
    from driver_ctypes.graphs.inventory import GraphNode
    from ptxgen.host.machine import Device

__all__ = ["Graph"]


class Graph:
    """A captured graph: `launch()` replays it. Arrays and kernels used in the body stay alive with it.

    When the body raises, the capture is ended, nothing is kept, and the exception goes on. `definition` and `executable`
    are the graph and its executable form in `driver_ctypes`, with all that those can do.
    """

    def __init__(self, device: Device, mode: Mode) -> None:
        self.device = device
        self._mode = mode
        self._graph: driver_ctypes.Graph | None = None
        self._exec: driver_ctypes.GraphExec | None = None
        self._entered: tuple[Stream, Capture, AbstractContextManager[Stream]] | None = None
        self._closed = False

    def __repr__(self) -> str:
        if self._closed:
            state = "closed"
        elif self._graph is None:
            state = "being captured" if self._entered is not None else "not captured"
        else:
            state = repr(self._exec)
        return f"<graph on {self.device.name}: {state}>"

    def __enter__(self) -> Graph:
        if self._graph is not None or self._closed or self._entered is not None:
            state = "closed" if self._closed else "captured already" if self._graph is not None else "being captured"
            raise CaptureError(
                f"this graph is {state}, and `with` records one",
                hint="dev.capture() makes another graph; graph.update_from(other) takes over its arguments",
            )
        stream = self.device.context.stream()
        capture = stream.capture(self._mode)
        try:
            capture.__enter__()
        except BaseException:
            stream.close()
            raise
        current = self.device.use(stream)
        current.__enter__()
        self._entered = (stream, capture, current)
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        assert self._entered is not None
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

    # --- in the body --------------------------------------------------------------------------------------------------

    def named(self, label: str) -> AbstractContextManager[None]:
        """`with graph.named("scale"):` in the captured body names the nodes that are added; one gets the name itself, several
        get "scale.0", "scale.1", and so on."""
        return self._capturing().named(label)

    def fork(self, *streams: Stream) -> AbstractContextManager[tuple[Stream, ...]]:
        """`with graph.fork(side):` lets other streams take part; they are joined again at the end of its body."""
        return self._capturing().fork(*streams)

    def _capturing(self) -> Capture:
        if self._entered is None:
            raise CaptureError("the body of this capture has ended", hint="name and fork inside the with block")
        return self._entered[1]

    # --- afterwards ---------------------------------------------------------------------------------------------------

    def _captured(self) -> tuple[driver_ctypes.Graph, driver_ctypes.GraphExec]:
        if self._closed:
            raise ClosedError("this graph is closed", hint="capture it anew, and close it after its last launch")
        if self._graph is None or self._exec is None:
            raise CaptureError(
                "this graph holds nothing: its body has not ended, or it raised", hint="launch it after the with block"
            )
        return self._graph, self._exec

    @property
    def definition(self) -> driver_ctypes.Graph:
        """The graph as it was captured, or taken over whole: it can be cloned, edited, added to other graphs as a child."""
        return self._captured()[0]

    @property
    def executable(self) -> driver_ctypes.GraphExec:
        """What is launched and updated."""
        return self._captured()[1]

    def launch(self, stream: Any = None) -> None:
        """Replay on a stream (default: the device's current one)."""
        self._captured()[1].launch(self.device.current_stream if stream is None else stream)

    def bind(self, stream: Any = None) -> Callable[[], None]:
        """A callable that replays on one stream: the quickest way."""
        return self._captured()[1].bind(self.device.current_stream if stream is None else stream)

    def nodes(self) -> tuple[GraphNode, ...]:
        """What is in the graph: kind, name, kernel, grid, block, argument names and values, dependencies of every node."""
        return self._captured()[1].nodes()

    def update(self, node: GraphNode | str, arguments: Mapping[str, Any] | None = None, /, **changes: Any) -> None:
        """Change a node for later launches, named by its label or its kernel: `graph.update("saxpy", a=2.0, x=other)`. Also
        `grid`, `block` and `shared`, and what copies and fills have (`dst`, `src`, `value`, `count`)."""
        self._captured()[1].update(node, arguments, **changes)

    def bind_update(self, node: GraphNode | str, *names: str) -> Callable[..., None]:
        """A callable that changes the named arguments of a kernel node again and again, given their values: the quickest way.
        `grid`, `block` and `shared` are names too."""
        return self._captured()[1].bind_update(node, *names)

    def update_from(self, other: Graph, policy: str = "reinstantiate") -> bool:
        """Take over every argument of another captured graph of the same form; False where the form differed and the graph
        was made anew (`policy="raise"`: GraphUpdateError says which node differs and why)."""
        mine, executable = self._captured()
        theirs = other.definition.clone()  # of our own: the other graph may be closed, or change
        same = True
        try:
            same = executable.update_from(theirs, policy)
        finally:
            if same:
                theirs.close()  # now, or once the executable does without
        if not same:
            self._graph = theirs
            mine.close()
        return same

    def enable(self, node: GraphNode | str, enabled: bool = True) -> None:
        """Switch a kernel, copy or fill on, or off."""
        self._captured()[1].enable(node, enabled)

    def dot(self, name: str = "graph") -> str:
        """The graph in the DOT language, with kernels' names and arguments."""
        return self._captured()[1].dot(name)

    def svg(self) -> str:
        """The graph as a drawing."""
        return self._captured()[1].svg()

    def _repr_svg_(self) -> str | None:
        """How notebooks show it."""
        return self.svg() if self._graph is not None else None

    def __len__(self) -> int:
        return len(self._captured()[0])

    def close(self) -> None:
        """Free the graph now."""
        for handle in (self._exec, self._graph):
            if handle is not None:
                handle.close()
        self._exec = self._graph = None
        self._closed = True
