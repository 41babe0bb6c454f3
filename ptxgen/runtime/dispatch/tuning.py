"""Open workgroups of one pipeline: by the model, or, where that is asked for, by measuring on the device.

Measuring runs the program on copies of a dispatch's own inputs, in transient memory; nothing that a caller sees is touched,
and as only programs whose results cannot depend on their workgroup leave it open (`workgroups.check_open`), the winner changes
no result. It is remembered for the program's PTX, the device with its driver, and the power of two that holds the element count,
in memory and on disk.
"""

from __future__ import annotations

import time
from contextlib import ExitStack
from functools import partial
from statistics import median
from typing import TYPE_CHECKING, Any

from ptxgen.runtime.dispatch.replay import add_kernels
from ptxgen.runtime.dispatch.state import PipelineState
from ptxgen.runtime.errors import CooperativeResidencyError
from ptxgen.runtime.keys import digest
from ptxgen.runtime.memory.leases import elapsed_ns
from ptxgen.runtime.programs.plans import plan_dispatch
from ptxgen.runtime.programs.workgroups import SIZES, candidates, choose

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from driver_ctypes.contexts.context import Stream
    from ptxgen.runtime.dispatch.pipeline import CompiledPipeline
    from ptxgen.runtime.dispatch.shapes import DispatchShape
    from ptxgen.runtime.memory.buffers import ResidentBuffer

    Fill = Callable[[DispatchShape, int, Stream], None]

__all__ = ["WorkgroupTuner", "from_buffers", "from_host"]

ROUNDS = 5
"""Times that each size is measured, after one run that is not; the median counts."""

_LONG_NS = 200_000
_MOST_AT_ONCE = 32
"""Short dispatches are measured several at a time, up to so many, or so long together at the size that is the fastest in the
first round: the host takes 5 us on an H200 from the first event to the launch, in which a dispatch of 256 elements could run
four times."""

_CLEAR = 0.97
"""The measured best replaces the model's choice where it takes less than this part of its time."""


def from_host(inputs: Sequence[Any]) -> Fill:
    """What copies host data into a slab as a dispatch would."""

    def fill(shape: DispatchShape, slab: int, stream: Stream) -> None:
        staging = bytearray(shape.layout.staged)
        shape.fill(memoryview(staging), shape.input_views(inputs))
        if shape.layout.uploaded:
            shape.backend.context.copy_to_device(slab, staging, shape.layout.uploaded, stream=stream)
            stream.synchronize()

    return fill


def from_buffers(buffers: Sequence[ResidentBuffer]) -> Fill:
    """What copies the resident buffers of a dispatch's inputs into a slab, after everything that was dispatched on them."""

    def fill(shape: DispatchShape, slab: int, stream: Stream) -> None:
        backend, layout = shape.backend, shape.layout
        if any(buffer.shared for buffer in buffers):
            backend.resident.follow()
        backend.resident.synchronize_uploads()
        backend.tickets.synchronize()
        for binding, buffer in zip(shape.inputs, buffers):
            target, size = slab + layout.offsets[binding.number], layout.sizes[binding.number]
            backend.context.copy(target, buffer.memory.pointer, size, stream=stream)

    return fill


def _fixed(size: int, _elements: int) -> int:
    return size


class WorkgroupTuner:
    """Chooses the open workgroups of one pipeline."""

    def __init__(self, pipeline: CompiledPipeline) -> None:
        self._pipeline = pipeline
        config = pipeline.config
        wanted = config.tune if config.tune is not None else pipeline.backend.autotunes
        self.measures = wanted and pipeline.program.workgroup is None and config.threads is None
        """Whether sizes are measured."""

    def resident(self, threads: int) -> int:
        """CTAs of so many threads that are resident on a multiprocessor; 0 where the kernel has no CTAs of that size."""
        pipeline = self._pipeline
        function = pipeline.loaded().functions[0]
        if threads > function.attribute(0):  # MAX_THREADS_PER_BLOCK
            return 0
        found = pipeline.backend.compiler.resident_blocks(function, threads)
        return pipeline.backend.capabilities.max_threads_per_sm // threads if found is None else found

    def key(self, elements: int) -> str:
        """The key of a winner."""
        backend, program = self._pipeline.backend, self._pipeline.program
        caps = backend.capabilities
        device = (caps.name, caps.compute_capability, caps.multi_processor_count, backend.context.driver.version)
        return digest(
            "ptxgen-tuned.v2", self._pipeline.ptx, program.interface, elements.bit_length(), backend.target, *device
        )

    def choose(self, elements: int) -> int:
        """The result of an earlier measurement for this many elements; else the model's choice."""
        known = self._known(elements) if self.measures else None
        return known or choose(self._pipeline.backend.capabilities, elements, self.resident)

    def _known(self, elements: int) -> int | None:
        pipeline = self._pipeline
        return pipeline.backend.tuned.get(self.key(elements))

    def measure(self, lengths: tuple[int, ...], fill: Fill) -> None:
        """See that a winner for inputs of these lengths is known. *fill* brings such inputs to the device."""
        pipeline = self._pipeline
        elements = pipeline.plan_of(lengths).launch.element_count
        if not elements or self._known(elements) is not None:
            return
        modelled = choose(pipeline.backend.capabilities, elements, self.resident)
        with ExitStack() as stack:
            shapes = self._shapes(lengths, stack)
            times = self._time(shapes, fill) if len(shapes) > 1 else dict.fromkeys(shapes, 0.0)
        best = min(times, key=lambda size: (times[size], SIZES.index(size)), default=modelled)
        winner = best if modelled not in times or times[best] < _CLEAR * times[modelled] else modelled
        pipeline.backend.tuned.put(self.key(elements), winner, times)

    def _shapes(self, lengths: tuple[int, ...], stack: ExitStack) -> dict[int, DispatchShape]:
        """A shape for each size that fits, with state of their own."""
        pipeline = self._pipeline
        backend, program = pipeline.backend, pipeline.program
        state = None
        if program.state:
            state = PipelineState(backend, program.name, program.state)
            stack.callback(state.close)
        shapes = {}
        for size in candidates(backend.capabilities, self.resident):
            plan = plan_dispatch(program, pipeline.config, backend.capabilities, lengths, partial(_fixed, size))
            try:
                shapes[size] = pipeline.make_shape(plan, state)
            except CooperativeResidencyError:
                continue  # such a grid cannot be launched whole
            stack.callback(shapes[size].let_go)
        return shapes

    def _time(self, shapes: dict[int, DispatchShape], fill: Fill) -> dict[int, float]:
        """Median nanoseconds of a dispatch's launches, by size. Every round runs every size: a slow moment slows them all."""
        backend = self._pipeline.backend
        resources = backend.resources
        found: dict[int, list[float]] = {size: [] for size in shapes}
        layout = next(iter(shapes.values())).layout
        with (
            resources.streams.lease() as stream,
            resources.timing_events.lease() as start,
            resources.timing_events.lease() as end,
            backend.device_pool.lease(layout.nbytes) as slab,
            ExitStack() as graphs,
        ):
            address = slab.pointer if slab is not None else 0
            runs = {size: _once(shape, address, stream) for size, shape in shapes.items()}
            times = 1  # that a run dispatches
            for round_ in range(1 + ROUNDS):
                for size, shape in shapes.items():
                    fill(shape, address, stream)
                    if layout.staged > layout.zeroed:
                        zeroed = layout.staged - layout.zeroed
                        backend.context.memset(address + layout.zeroed, 0, zeroed, stream=stream)
                    stream.synchronize()
                    began = time.perf_counter_ns()
                    start.record(stream)
                    runs[size]()
                    end.record(stream)
                    stream.synchronize()
                    measured = elapsed_ns(start, end)
                    found[size].append((time.perf_counter_ns() - began if measured is None else measured) / times)
                    launches = times * shape.plan.fixpoint_iterations * len(shape.loaded.functions)
                    backend.telemetry.add(tuning_launches=launches)
                if round_ == 0:
                    times = self._at_once(min(each.pop() for each in found.values()))
                    if times > 1:
                        runs = {n: _several(shape, address, stream, times, graphs) for n, shape in shapes.items()}
        return {size: median(times) for size, times in found.items()}

    def _at_once(self, nanoseconds: float) -> int:
        """Dispatches to measure at a time where the quickest takes so long: one, where the second would find other data."""
        if any(binding.role in ("inout", "persistent") for binding in self._pipeline.program.bindings):
            return 1
        return max(1, min(_MOST_AT_ONCE, int(_LONG_NS // max(1, nanoseconds))))


def _once(shape: DispatchShape, slab: int, stream: Stream) -> Callable[[], None]:
    """What queues one dispatch."""
    return lambda: shape.enqueue(stream, shape.arguments(slab))


def _several(shape: DispatchShape, slab: int, stream: Stream, times: int, graphs: ExitStack) -> Callable[[], None]:
    """A function that queues *times* of them, one after the other, in one call."""
    graph = shape.backend.context.graph()
    graphs.callback(graph.close)
    node: Any = ()
    for _ in range(times):
        node = add_kernels(graph, shape, shape.arguments(slab), node)
    executable = graph.instantiate(upload=stream)
    graphs.callback(executable.close)
    launch = executable.bind(stream)

    def run() -> None:
        with shape.ordered(stream):
            launch()

    return run
