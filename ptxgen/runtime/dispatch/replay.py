"""A dispatch as a graph: the copy to the device, the zeros, the launches and the copy back, replayed by one call.

Inputs are written into the page-locked memory that the graph copies from, so they may change from replay to replay. A second
graph, without the copy, replays on the inputs that are on the device already.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from driver_ctypes.errors import CudaError, LaunchConfigError
from ptxgen.runtime.errors import BackendError, InvalidProgramError, PoisonedLockError, translated, translation

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from driver_ctypes.graphs.definition import Graph
    from driver_ctypes.graphs.executable import GraphExec
    from driver_ctypes.memory.buffer import Buffer
    from driver_ctypes.memory.host import PinnedBuffer
    from ptxgen.runtime.dispatch.forms import Forms
    from ptxgen.runtime.dispatch.shapes import DispatchShape

__all__ = ["GraphReplay", "add_kernels"]

PATIENCE = 60.0  # seconds for which one dispatch may keep others out of a replay


def add_kernels(graph: Graph, shape: DispatchShape, arguments: tuple[int, ...], after: Any) -> Any:
    """The launches of one dispatch as nodes; returns the last."""
    launch, node = shape.plan.launch, after
    if shape.empty:
        return node
    for _ in range(shape.plan.fixpoint_iterations):
        for function in shape.loaded.functions:
            node = graph.kernel(
                function, launch.grid, launch.workgroup, *arguments, after=node, cooperative=shape.plan.cooperative
            )
    return node


class GraphReplay:
    """`replay(inputs)` gives the outputs. It holds its memory and its stream until it is closed."""

    def __init__(self, shape: DispatchShape) -> None:
        self.shape, backend, layout = shape, shape.backend, shape.layout
        self._lock = threading.Lock()
        self._slab: Buffer | None = None
        self._staging: PinnedBuffer | None = None
        counts = shape.launches("graph_kernel_launches") | {"graph_launches": 1}
        self._tallies = [backend.telemetry.tally(counts | shape.copies(uploaded=up)) for up in (False, True)]
        self._graphs: list[tuple[Graph, GraphExec]] = []
        self._again: Callable[[], None] | None = None
        self._loaded = False  # whether inputs are on the device
        self._forms: Forms = ()  # those of the outputs of the last inputs
        with translated(f"recording {shape.name}", backend.name):
            self._stream = backend.resources.streams.acquire()
        shape.hold()
        self._view: memoryview | None = memoryview(bytearray())  # None once it is closed
        try:
            with translated(f"recording {shape.name}", backend.name):
                self._slab = backend.take(layout.nbytes)
                self._staging = backend.pinned_pool.acquire(layout.staged)
                backend.hold(self, self._stream, self._slab, self._staging, self._graphs)
                if self._staging is not None:
                    self._view = self._staging.view
                self._launch = self._build(with_upload=True)
        except BaseException:
            self.close()
            raise

    @property
    def closed(self) -> bool:
        """Whether it can no longer be used."""
        return self._view is None

    def _build(self, *, with_upload: bool) -> Callable[[], None]:
        shape, layout, context = self.shape, self.shape.layout, self.shape.backend.context
        slab = self._slab.pointer if self._slab is not None else 0
        graph = context.graph()
        ready = []
        if with_upload and layout.uploaded and self._staging is not None:
            ready.append(graph.memcpy(slab, self._staging, layout.uploaded))
        if layout.staged > layout.zeroed:
            ready.append(graph.memset(slab + layout.zeroed, 0, (layout.staged - layout.zeroed) // 4, 4))
        last = add_kernels(graph, shape, shape.arguments(slab), ready)
        if layout.staged > layout.returned and self._view is not None:
            graph.memcpy(self._view[layout.returned : layout.staged], slab + layout.returned, after=last)
        executable = graph.instantiate(upload=self._stream)
        self._graphs.append((graph, executable))
        return executable.bind(self._stream)

    # --- replaying ----------------------------------------------------------------------------------------------------

    def try_begin(self, inputs: Sequence[Any], like: Sequence[Any] | None = None) -> bool:
        """Queue a replay unless somebody else's is under way, or it was closed meanwhile; `finish` must follow."""
        if not self._lock.acquire(blocking=False):
            return False
        if self._view is None:
            self._lock.release()
            return False
        self._begin(inputs, like)
        return True

    def _acquire(self) -> None:
        if not self._lock.acquire(timeout=PATIENCE):
            raise PoisonedLockError(
                f"a replay of {self.shape.name} has been under way for {PATIENCE:.0f} s",
                fix="find the thread that began it and did not finish it, or record a graph for each thread",
            )

    def _begin(self, inputs: Sequence[Any] | None, like: Sequence[Any] | None = None) -> None:
        """The caller holds the lock; it is released if this raises."""
        try:
            if self._view is None:
                raise BackendError(f"this replay of {self.shape.name} is closed", fix="record it anew")
            if inputs is not None:
                self._check_number(inputs)
                views = self.shape.input_views(inputs)
                self._forms = self.shape.forms_for(inputs, like)
                self.shape.fill(self._view, views)
            launch = self._launch if inputs is not None else self._resident_launch()
            with self.shape.ordered(self._stream):
                launch()
        except BaseException as error:
            self._lock.release()
            if isinstance(error, (CudaError, LaunchConfigError)):
                raise translation(error, f"replaying {self.shape.name}", self.shape.backend.name) from error
            raise
        self._loaded = True
        tally = self._tallies[inputs is not None]
        with self.shape.backend.telemetry.lock:
            tally.launches += 1

    def _check_number(self, inputs: Sequence[Any]) -> None:
        if len(inputs) != len(self.shape.inputs):
            raise InvalidProgramError(
                f"program {self.shape.name} takes {len(self.shape.inputs)} inputs but received {len(inputs)}",
                fix=f"pass {', '.join(b.name for b in self.shape.inputs) or 'none'}",
            )

    def _resident_launch(self) -> Callable[[], None]:
        if any(binding.role == "inout" for binding in self.shape.inputs):
            raise InvalidProgramError(f"program {self.shape.name} changes its inputs", fix="pass them with each replay")
        if not self._loaded:
            raise InvalidProgramError(
                f"no inputs of {self.shape.name} are on the device yet", fix="replay with inputs first"
            )
        if self._again is None:
            self._again = self._build(with_upload=False)
        return self._again

    def _wait(self) -> memoryview:
        try:
            self._stream.synchronize()
        except (CudaError, LaunchConfigError) as error:
            raise translation(error, f"waiting for {self.shape.name}", self.shape.backend.name) from error
        return self._view if self._view is not None else memoryview(b"")

    def is_ready(self) -> bool:
        """Whether no replay is under way: nobody has begun one, and the last one is done."""
        return not self._lock.locked() and self._stream.query()

    def finish(self) -> list[Any]:
        """Wait for what was begun; its outputs."""
        try:
            return self.shape.read(self._wait(), self._forms)
        finally:
            self._lock.release()

    def finish_into(self, outputs: Sequence[Any]) -> None:
        """The same, with the outputs in writable buffers."""
        try:
            try:
                views = self.shape.output_views(outputs)
            except InvalidProgramError:
                self._wait()  # what was begun ends before the next replay begins
                raise
            self.shape.read_into(self._wait(), views)
        finally:
            self._lock.release()

    def __call__(self, inputs: Sequence[Any]) -> list[Any]:
        """Replay with these inputs, and wait; the outputs in the order of their bindings."""
        self._acquire()
        self._begin(inputs)
        return self.finish()

    def into(self, inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
        """The same into writable buffers."""
        self._acquire()
        self._begin(inputs)
        self.finish_into(outputs)

    def again(self) -> list[Any]:
        """Replay on the inputs of the last time, which are on the device. InvalidProgramError where the program changes them."""
        self._acquire()
        self._begin(None)
        return self.finish()

    def close(self) -> None:
        """Wait for it, and give everything back. PoisonedLockError where another thread does not finish its replay."""
        self._acquire()
        try:
            if self._view is not None:
                self._give_back()
        finally:
            self._lock.release()

    def retire(self) -> None:
        """The same without waiting for another thread's replay: then the backend does it later."""
        if not self._lock.acquire(blocking=False):
            self.shape.backend.abandon(self)
            return
        try:
            if self._view is not None:
                self._give_back()
        finally:
            self._lock.release()

    def _give_back(self) -> None:
        backend = self.shape.backend
        with translated(f"closing {self.shape.name}", backend.name):
            self._stream.synchronize()
        self._view = self._again = None
        for tally in self._tallies:
            tally.over = True
        for graph, executable in self._graphs:
            executable.close()
            graph.close()
        self._graphs.clear()
        backend.device_pool.release(self._slab)
        backend.pinned_pool.release(self._staging)
        backend.resources.streams.release(self._stream)
        backend.let_go(self)
        self.shape.let_go()

    def __del__(self) -> None:
        if getattr(self, "_view", None) is not None:
            self._lock = threading.Lock()  # the thread that held it is gone too
            self.shape.backend.abandon(self)

    def __enter__(self) -> GraphReplay:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
