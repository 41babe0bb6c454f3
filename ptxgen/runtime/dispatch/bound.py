"""A dispatch on resident buffers that is bound once: each call is one launch, or one replay of many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from driver_ctypes.errors import CudaError, LaunchConfigError
from ptxgen.runtime.dispatch.replay import add_kernels
from ptxgen.runtime.errors import BackendError, InvalidProgramError, translated, translation
from ptxgen.runtime.memory.leases import elapsed_ns

if TYPE_CHECKING:
    from collections.abc import Callable

    from driver_ctypes.graphs.definition import Graph
    from driver_ctypes.graphs.executable import GraphExec
    from ptxgen.runtime.dispatch.shapes import DispatchShape
    from ptxgen.runtime.memory.buffers import ResidentBuffer

__all__ = ["BoundDispatch", "ResidentLaunch"]


class ResidentLaunch:
    """A shape with resident buffers, checked once. `generation` is the store's: a later one means to check again."""

    __slots__ = (
        "arguments",
        "buffers",
        "captures",
        "generation",
        "plain",
        "shape",
        "shared",
        "store",
        "tally",
        "tickets",
    )

    def __init__(self, shape: DispatchShape, buffers: tuple[ResidentBuffer, ...], generation: int) -> None:
        self.shape, self.buffers, self.generation = shape, buffers, generation
        self.arguments = shape.resident_arguments(buffers)
        backend = shape.backend
        self.store, self.tickets, self.tally = backend.resident, backend.tickets, shape.tally
        self.captures = (
            backend.context.captures
        )  # those under way: one look, where a thread's own stream would take five
        self.shared = tuple([buffer for buffer in buffers if buffer.shared])
        simple = shape.simple and not self.shared and not backend.sync_before_launch
        self.plain: Callable[..., None] | None = shape.launchers(backend.tickets.stream)[0] if simple else None

    def __call__(self) -> bool:
        """Queue it on the backend's stream; False where its shape was dropped meanwhile."""
        if self.captures:
            self.shape.backend.refuse_capture(f"a dispatch of {self.shape.name} on resident buffers")
        tickets, tally = self.tickets, self.tally
        with tickets.lock:
            if tally.over:  # the shape is gone
                return False
            if tickets.unordered:
                self.store.order_uploads()
            try:
                plain = self.plain
                if plain is not None:
                    plain(*self.arguments)
                else:
                    shape = self.shape
                    if shape.backend.sync_before_launch:
                        tickets.synchronize()
                    self.follow()
                    shape.enqueue(tickets.stream, self.arguments)
                    self.lead()
            except (CudaError, LaunchConfigError) as error:
                raise translation(error, f"dispatching {self.shape.name}", self.shape.backend.name) from error
            tickets.issued = ticket = tickets.issued + 1
            for buffer in self.buffers:
                buffer.used = ticket
            tally.launches += 1
        return True

    def follow(self) -> None:
        """What is queued from now on comes after what the device's current stream does with arrays that lie in the buffers.
        InvalidProgramError where one of them was closed."""
        if self.shared:
            for buffer in self.shared:
                _ = buffer.memory.pointer
            self.store.follow()

    def lead(self) -> None:
        """And what that stream does from now on after it."""
        if self.shared:
            self.store.lead()


class BoundDispatch:
    """Made by `CompiledPipeline.bind`: call it to queue the dispatch. Its buffers cannot be freed until it is closed."""

    def __init__(self, launch: ResidentLaunch) -> None:
        self.closed = False
        self._launch = launch
        self._graphs: dict[int, tuple[Graph, GraphExec, Callable[[], None]]] = {}
        launch.shape.hold()
        launch.shape.backend.hold(self, self._graphs)
        for buffer in launch.buffers:
            buffer.in_flight += 1

    def _check_open(self) -> None:
        if self.closed:
            raise BackendError(f"this dispatch of {self._launch.shape.name} is closed", fix="bind it anew")

    def __call__(self) -> None:
        """Queue one dispatch on the backend's stream."""
        if self.closed:
            self._check_open()
        self._launch()

    def timed(self) -> int | None:
        """Queue one and wait; nanoseconds on the device, None if it does not report them."""
        self._check_open()
        backend = self._launch.shape.backend
        shelf, stream = backend.resources.timing_events, backend.tickets.stream
        with shelf.lease() as start, shelf.lease() as end:
            start.record(stream)
            self._launch()
            end.record(stream)
            backend.synchronize()
            found = elapsed_ns(start, end)
        backend.telemetry.add(
            timed_dispatches=1, timed_device_ns_total=found or 0, timed_device_measurements=int(found is not None),
            timed_dispatches_missing_device_time=int(found is None),
        )  # fmt: skip
        backend.telemetry.highest("timed_device_ns_max", found or 0)
        return found

    def batch(self, rounds: int) -> None:
        """Queue *rounds* dispatches, one after the other on the same buffers, by one replay of a graph."""
        self._check_open()
        if rounds < 1:
            raise InvalidProgramError(f"a batch of {rounds} dispatches", fix="pass 1 or more")
        shape = self._launch.shape
        backend = shape.backend
        backend.refuse_capture(f"a batch of {shape.name}")
        with backend.tickets.lock, translated(f"replaying {shape.name}", backend.name):
            if rounds not in self._graphs:
                self._graphs[rounds] = self._record(rounds)
            if backend.tickets.unordered:
                backend.resident.order_uploads()
            self._launch.follow()
            with shape.ordered(backend.tickets.stream):
                self._graphs[rounds][2]()
            self._launch.lead()
            backend.tickets.issued += 1
            for buffer in self._launch.buffers:
                buffer.used = backend.tickets.issued
        counts = shape.launches("graph_kernel_launches")
        backend.telemetry.add(graph_launches=1, **{name: rounds * each for name, each in counts.items()})

    def _record(self, rounds: int) -> tuple[Graph, GraphExec, Callable[[], None]]:
        backend = self._launch.shape.backend
        graph = backend.context.graph()
        node: Any = ()
        for _ in range(rounds):
            node = add_kernels(graph, self._launch.shape, self._launch.arguments, node)
        executable = graph.instantiate(upload=backend.tickets.stream)
        return graph, executable, executable.bind(backend.tickets.stream)

    def close(self) -> None:
        """Wait for what was queued, and let its buffers go."""
        if self.closed:
            return
        self.closed = True
        self._launch.shape.backend.tickets.synchronize()
        for graph, executable, _ in self._graphs.values():
            executable.close()
            graph.close()
        self._graphs.clear()
        for buffer in self._launch.buffers:
            buffer.in_flight -= 1
        self._launch.shape.backend.let_go(self)
        self._launch.shape.let_go()

    def is_ready(self) -> bool:
        """Whether all queued work is done."""
        tickets = self._launch.shape.backend.tickets
        return tickets.passed(max(buffer.used for buffer in self._launch.buffers))

    def __del__(self) -> None:
        if not self.closed:
            self._launch.shape.backend.abandon(self)

    def __enter__(self) -> BoundDispatch:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
