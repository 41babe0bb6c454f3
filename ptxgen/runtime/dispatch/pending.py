"""A dispatch that is under way: its stream and its memory, until the result is taken."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple

from driver_ctypes.errors import Error
from ptxgen.runtime.errors import DispatchError, translated
from ptxgen.runtime.memory.leases import elapsed_ns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from driver_ctypes.memory.buffer import Buffer
    from driver_ctypes.memory.host import PinnedBuffer
    from driver_ctypes.streams.stream import Event
    from ptxgen.runtime.dispatch.shapes import DispatchShape

__all__ = ["PendingDispatch", "TimedResult"]


class TimedResult(NamedTuple):
    """Outputs with times in nanoseconds. `device_ns` is from before the copy to the device to after the copy back; None where
    the device does not report them."""

    outputs: list[Any]
    wall_ns: int
    device_ns: int | None
    enqueue_ns: int
    wait_ns: int


class PendingDispatch:
    """Made by `CompiledPipeline.dispatch(inputs, wait=False)`. Take the result, or close it; one that is dropped is taken
    back by the backend when it is done."""

    _open = False

    def __init__(
        self, shape: DispatchShape, inputs: Sequence[Any], like: Sequence[Any] | None = None, *, timed: bool = False
    ) -> None:
        """*shape* was held for it."""
        self.shape, backend = shape, shape.backend
        self._begun = time.perf_counter_ns()
        layout = shape.layout
        self._slab: Buffer | None = None
        self._staging: PinnedBuffer | None = None
        self._events: tuple[Event, Event] | None = None
        try:
            with translated(f"dispatching {shape.name}", backend.name):
                self._stream = backend.resources.streams.acquire()
        except BaseException:
            shape.let_go()
            raise
        self._open = True
        try:
            with translated(f"dispatching {shape.name}", backend.name):
                views = shape.input_views(inputs)
                self._forms = shape.forms_for(inputs, like)
                self._slab = backend.take(layout.nbytes)
                self._staging = backend.pinned_pool.acquire(layout.staged)
                if timed:
                    shelf = backend.resources.timing_events
                    self._events = shelf.acquire(), shelf.acquire()
                backend.hold(self, self._stream, self._slab, self._staging, self._events)
                if self._staging is not None:
                    shape.fill(self._staging.view, views)
                self._enqueue()
        except BaseException:
            self.close()
            raise
        self._enqueued = time.perf_counter_ns()
        with backend.telemetry.lock:
            shape.host_tally.launches += 1
        if timed:
            backend.telemetry.add(timed_dispatches=1)

    def _enqueue(self) -> None:
        shape, stream, layout = self.shape, self._stream, self.shape.layout
        context = shape.backend.context
        if self._events is not None:
            self._events[0].record(stream)
        slab = self._slab.pointer if self._slab is not None else 0
        host = self._staging.address if self._staging is not None else 0
        if layout.uploaded:
            context.copy_to_device(slab, host, layout.uploaded, stream=stream)
        if layout.staged > layout.zeroed:
            context.memset(slab + layout.zeroed, 0, (layout.staged - layout.zeroed) // 4, width=4, stream=stream)
        shape.enqueue(stream, shape.arguments(slab))
        if layout.staged > layout.returned:
            source, size = slab + layout.returned, layout.staged - layout.returned
            context.copy_to_host(host + layout.returned, source, size, stream=stream)
        if self._events is not None:
            self._events[1].record(stream)

    def is_ready(self) -> bool:
        """Whether the result can be taken without waiting."""
        return not self._open or self._stream.query()

    def _wait(self) -> memoryview:
        if not self._open:
            raise DispatchError("this dispatch's result was taken already", fix="keep what await_result gave")
        with translated(f"waiting for {self.shape.name}", self.shape.backend.name):
            self._stream.synchronize()
        return self._staging.view if self._staging is not None else memoryview(b"")

    def await_result(self) -> list[Any]:
        """Wait, and take the outputs in the order of their bindings. Faults of the kernel surface here."""
        try:
            return self.shape.read(self._wait(), self._forms)
        finally:
            self.close()

    def await_result_into(self, outputs: Sequence[Any]) -> None:
        """The same into writable buffers."""
        try:
            views = self.shape.output_views(outputs)
            self.shape.read_into(self._wait(), views)
        finally:
            self.close()

    def await_timed_result(self) -> TimedResult:
        """The same with times, of a dispatch that was begun with `timed=True`."""
        waiting = time.perf_counter_ns()
        try:
            outputs = self.shape.read(self._wait(), self._forms)
            now = time.perf_counter_ns()
            device = elapsed_ns(*self._events) if self._events is not None else None
        finally:
            self.close()
        wall, wait, enqueue = now - self._begun, now - waiting, self._enqueued - self._begun
        telemetry = self.shape.backend.telemetry
        telemetry.add(
            timed_wall_ns_total=wall, timed_wait_ns_total=wait, timed_enqueue_ns_total=enqueue,
            timed_device_ns_total=device or 0, timed_device_measurements=int(device is not None),
            timed_dispatches_missing_device_time=int(device is None),
        )  # fmt: skip
        telemetry.highest("timed_device_ns_max", device or 0)
        return TimedResult(outputs, wall, device, enqueue, wait)

    def close(self) -> None:
        """Wait for it, and give everything back. A resource that cannot be proven idle is never lent again."""
        if not self._open:
            return
        self._open = False
        backend = self.shape.backend
        try:
            self._stream.synchronize()
        except Error:  # the context is lost: what belongs to the dispatch is freed with it
            backend.device_pool.discard(self._slab)
            backend.pinned_pool.discard(self._staging)
        else:
            backend.device_pool.release(self._slab)
            backend.pinned_pool.release(self._staging)
        backend.resources.streams.release(self._stream)
        for event in self._events or ():
            backend.resources.timing_events.release(event)
        backend.let_go(self)
        self.shape.let_go()

    def __enter__(self) -> PendingDispatch:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if self._open:
            self.shape.backend.abandon(self)
