"""The clock: one candidate's microseconds on the device, between events, with a cold cache.

The work is captured in a graph, so that the host's time for a launch is not in it. A candidate with one launch runs behind a
write over more bytes than the L2 cache holds; that write also keeps the device busy while the host queues events and launch.
One with several launches, each with buffers of its own, runs them in turn. `cache="warm"` runs the launches again and again
as they are.
"""

from __future__ import annotations

import math
from contextlib import ExitStack
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

from ptxgen.tuning.errors import TuneError

if TYPE_CHECKING:
    from collections.abc import Callable

    from driver_ctypes.contexts.context import Stream
    from ptxgen.host import Device
    from ptxgen.kernels.space import Config, Shape

__all__ = ["DeviceTimer", "Work", "sets_of"]

_L2_BYTES = 38
"""CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE."""

_CPU_FLUSH = 1 << 20
"""Bytes written before a launch on the CPU device, whose attributes are those of a GPU: the processor's own cache is shared
with everything else, and no figure there is about a kernel."""

_BATCH_US = 500.0
_MOST_PASSES = 32
_SHORT_US = 2000.0
_SAMPLES = 3
"""Samples of a short launch in one round; a longer one is measured once."""


class Work(NamedTuple):
    """What is timed: a configuration on a shape. Each of the launches does the work once, with its own buffers."""

    config: Config
    shape: Shape
    launches: tuple[Callable[[], Any], ...]


def sets_of(device: Device, nbytes: int) -> int:
    """How many sets of buffers of so many bytes are more than the L2 cache holds; at most 64. One where they are on the CPU
    device."""
    if device.kind == "cpu":
        return 1
    return max(1, min(64, math.ceil(2 * device.handle.attribute(_L2_BYTES) / max(1, nbytes))))


class _Captured(NamedTuple):
    run: Callable[[], Any]
    launches: int
    """Of one run."""


class DeviceTimer:
    """Times work on one stream. Graphs, events and the buffer that is written live until it is closed."""

    def __init__(self, device: Device, stream: Stream, cache: str = "cold") -> None:
        self.device, self.stream, self.cache = device, stream, cache
        self._owned = ExitStack()
        self._captured: dict[int, tuple[Work, _Captured]] = {}
        self._start, self._end = device.event(), device.event()
        self._owned.callback(self._start.close)
        self._owned.callback(self._end.close)
        self._flushed = self._flush_buffer() if cache == "cold" else None

    def _flush_buffer(self) -> Any:
        size = _CPU_FLUSH if self.device.kind == "cpu" else 2 * self.device.handle.attribute(_L2_BYTES)
        buffer = self.device.context.alloc(size)
        self._owned.callback(buffer.close)
        return buffer

    def __call__(self, work: Work) -> float:
        """Microseconds of one launch, now."""
        known = self._captured.get(id(work))
        if known is None:
            known = self._captured[id(work)] = work, self._capture(work)
        run = known[1]
        found = [self._sample(run, cold=len(work.launches) == 1)]
        while len(found) < _SAMPLES and found[0] * run.launches < _SHORT_US:
            found.append(self._sample(run, cold=len(work.launches) == 1))
        return median(found)

    def _capture(self, work: Work) -> _Captured:
        """The graph that is timed, after a run that is not. It has as many launches as take half a millisecond where caches need
        not be cold, or the launches' own buffers see to that."""
        once = self._graph(work, 1)
        once.run()
        if self.cache == "cold" and len(work.launches) == 1:
            return once
        taken = self._sample(once, cold=False) * once.launches
        return self._graph(work, max(1, min(_MOST_PASSES, int(_BATCH_US / max(taken, 1.0)))))

    def _graph(self, work: Work, passes: int) -> _Captured:
        with self.stream.capture() as capture:
            for _ in range(passes):
                for launch in work.launches:
                    launch()
        graph = self._owned.enter_context(_Closing(capture.graph)).handle
        if not len(graph):
            raise TuneError(
                f"{work.config} launches nothing on the stream that is timed",
                hint="launch on the device's current stream; what make(device, shape) binds without a stream is bound to it",
            )
        executable = self._owned.enter_context(_Closing(graph.instantiate())).handle
        return _Captured(executable.bind(self.stream), passes * len(work.launches))

    def _sample(self, run: _Captured, *, cold: bool) -> float:
        if cold and self._flushed is not None:
            self.device.context.memset(self._flushed, 0, self._flushed.nbytes, stream=self.stream)
        self._start.record(self.stream)
        run.run()
        self._end.record(self.stream)
        self._end.synchronize()
        return 1e3 * self._end.elapsed_ms(self._start) / run.launches

    def close(self) -> None:
        """Free everything."""
        self._captured.clear()
        self._owned.close()


class _Closing:
    """Closes a handle at the end of a block."""

    def __init__(self, handle: Any) -> None:
        self.handle = handle

    def __enter__(self) -> _Closing:
        return self

    def __exit__(self, *_: object) -> None:
        self.handle.close()
