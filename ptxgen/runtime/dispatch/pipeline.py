"""A compiled program: dispatch it with host data, with resident buffers, in batches, and as replayed graphs."""

from __future__ import annotations

import threading
from collections import OrderedDict
from math import prod
from typing import TYPE_CHECKING, Any, overload
from weakref import WeakSet

from ptxgen.runtime import keys
from ptxgen.runtime.dispatch.arrays import ArrayDispatch
from ptxgen.runtime.dispatch.bound import BoundDispatch, ResidentLaunch
from ptxgen.runtime.dispatch.formats import HostFormat
from ptxgen.runtime.dispatch.graphs import GraphShelf, lanes_for
from ptxgen.runtime.dispatch.outputs import OutputCache
from ptxgen.runtime.dispatch.pending import PendingDispatch
from ptxgen.runtime.dispatch.replay import GraphReplay
from ptxgen.runtime.dispatch.shapes import DispatchShape
from ptxgen.runtime.dispatch.state import PipelineState
from ptxgen.runtime.dispatch.tuning import WorkgroupTuner, from_buffers, from_host
from ptxgen.runtime.errors import BackendError, CooperativeResidencyError, InvalidProgramError, ValidationError
from ptxgen.runtime.memory.buffers import ResidentBuffer
from ptxgen.runtime.programs.plans import DispatchConfig, DispatchPlan, check_reach, plan_dispatch
from ptxgen.runtime.programs.splitting import SplitError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.runtime.code.compiler import Loaded, ProgramSource
    from ptxgen.runtime.dispatch.session import Session
    from ptxgen.runtime.dispatch.tuning import Fill
    from ptxgen.runtime.programs.program import Program
    from ptxgen.runtime.trace import CompileStage

__all__ = ["CompiledPipeline"]

MOST_SHAPES = 32
"""Shapes that a pipeline keeps; the least recently used one is evicted."""

_RESIDENT_KEPT = 256


class CompiledPipeline:
    """Made by `Backend.compile`. Inputs and outputs are in the order of the bindings; handles are those of all bindings but
    the shared and the persistent ones."""

    stages: tuple[CompileStage, ...] = ()
    """What compiling it took."""

    def __init__(self, backend: Session, program: Program, config: DispatchConfig, source: ProgramSource) -> None:
        if config.cache_outputs and program.state:
            raise InvalidProgramError(
                f"program {program.name} keeps state: equal inputs need not give equal outputs",
                fix="leave cache_outputs out",
            )
        self.backend, self.program, self.config = backend, program, config
        (self.ptx, self._reach), self.source_key = source.built, source.key
        self.module_key = backend.compiler.module_key(self.ptx)
        self.lock = threading.RLock()
        self.closed = False
        self._takes = tuple(HostFormat(binding) for binding in program.handles if binding.takes_input)
        self._shapes: OrderedDict[tuple[int, ...], DispatchShape] = OrderedDict()
        self._graphs = GraphShelf(self)
        self.tuner = WorkgroupTuner(self)
        self._resident: dict[tuple[ResidentBuffer, ...], ResidentLaunch] = {}
        self._recorded: WeakSet[GraphReplay] = WeakSet()
        self._bound: WeakSet[BoundDispatch] = WeakSet()
        self._outputs = OutputCache() if config.cache_outputs else None
        self._state: PipelineState | None = None
        self.loaded()

    @property
    def id(self) -> str:
        """What it is: the kind of its device, "cuda" or "cpu", and the digest of its PTX, its module, and its launch as far as
        that is fixed."""
        config = self.config
        workgroup = config.threads or self.program.workgroup
        digest = keys.digest(
            "ptxgen-pipeline.v1", self.source_key, self.module_key, config.element_count, workgroup, config.ctas
        )
        return f"{self.backend.device.kind}:{digest}"

    def __repr__(self) -> str:
        return f"<pipeline {self.program.name} on {self.backend.name}{', closed' if self.closed else ''}>"

    def loaded(self) -> Loaded:
        """The kernel on the device; loaded anew after a `Backend.cleanup`."""
        pointers = len(self.program.pointers) + 1
        return self.backend.compiler.load(self.ptx, (self.program.name,), pointers, self.module_key)

    def check_open(self) -> None:
        """Raises BackendError once it, or its backend, was closed."""
        if self.closed:
            raise BackendError(f"{self!r}", fix="compile the program again")
        self.backend.check_open()

    @property
    def state(self) -> PipelineState:
        """The memory of its persistent bindings: `read`, `write` and `reset` by name. InvalidProgramError where it has none."""
        if not self.program.state:
            raise InvalidProgramError(
                f"program {self.program.name} keeps no state", fix="annotate a parameter with persistent(count)"
            )
        with self.lock:
            self.check_open()
            if self._state is None:
                self._state = PipelineState(self.backend, self.program.name, self.program.state)
            return self._state

    # --- plans and shapes ---------------------------------------------------------------------------------------------

    def plan(self, input_lengths: Sequence[int]) -> DispatchPlan:
        """What a dispatch of inputs of these lengths in bytes would do."""
        chosen = self.tuner.choose
        found = plan_dispatch(self.program, self.config, self.backend.capabilities, input_lengths, chosen)
        check_reach(self.program, found, self._reach)
        return found

    def shape(self, lengths: tuple[int, ...], fill: Fill | None = None) -> DispatchShape:
        """The shape of inputs of these lengths in bytes. *fill* brings such inputs, for measuring where that is wanted."""
        shape = self._shapes.get(lengths)
        if shape is not None:
            self._shapes.move_to_end(lengths)
            return shape
        with self.lock:
            shape = self._shapes.get(lengths)
            if shape is None:
                self.check_open()
                if fill is not None:
                    self.tuner.measure(lengths, fill)
                shape = self.make_shape(self.plan(lengths), self.state if self.program.state else None)
                self._shapes[lengths] = shape
                while len(self._shapes) > MOST_SHAPES:
                    self._drop(next(iter(self._shapes)))
            return shape

    def make_shape(self, plan: DispatchPlan, state: PipelineState | None) -> DispatchShape:
        """A shape of the caller's own: whole, or in parts where the program waits for a grid that is not resident at once.
        ValidationError, CooperativeResidencyError where the plan cannot be launched."""
        name, loaded, asked = self.program.name, self.loaded(), self.config.split
        waits = loaded.barrier is not None
        if asked and not waits:
            raise InvalidProgramError(
                f"program {name} has no grid barrier to be split at", fix="leave split out of its configuration"
            )
        if waits and asked:
            return self._make_parts(plan, state)
        if waits and not plan.cooperative:
            raise ValidationError(
                f"program {name} waits for the whole grid", fix="compile it with DispatchConfig(cooperative=True)"
            )
        ctas = prod(plan.launch.grid)
        if plan.cooperative and ctas > (most := self._resident_ctas(loaded, plan)):
            if not waits or asked is False:
                raise CooperativeResidencyError(name, ctas, most, "split=False" if waits else "")
            try:
                return self._make_parts(plan, state)
            except ValidationError as error:
                raise CooperativeResidencyError(name, ctas, most, str(error.__cause__)) from error
        return DispatchShape(self.backend, name, plan, loaded, state=state)

    def _make_parts(self, plan: DispatchPlan, state: PipelineState | None) -> DispatchShape:
        """A shape whose kernels are launched one after the other. ValidationError where the program cannot be cut."""
        name = self.program.name
        try:
            parts, nbytes = self.backend.compiler.load_parts(self.program, self.ptx)
        except SplitError as error:
            raise ValidationError(
                f"program {name} cannot be cut at its grid barriers: {error}",
                fix="change what it says, or launch it whole: DispatchConfig(cooperative=True) without split",
            ) from error
        launched = plan._replace(cooperative=False)
        return DispatchShape(self.backend, name, launched, parts, state=state, scratch=nbytes * plan.launch.threads)

    def _resident_ctas(self, loaded: Loaded, plan: DispatchPlan) -> int:
        """CTAs of a cooperative grid that the device holds at once."""
        blocks = self.backend.compiler.resident_blocks(loaded.functions[0], prod(plan.launch.workgroup))
        return (blocks or 0) * self.backend.capabilities.multi_processor_count

    def _drop(self, lengths: tuple[int, ...]) -> None:
        """Forget a shape. Its users keep it alive."""
        shape = self._shapes.pop(lengths)
        self._graphs.drop(lengths)
        for handles in [key for key, launch in self._resident.items() if launch.shape is shape]:
            del self._resident[handles]
        self._end(shape)

    def _end(self, shape: DispatchShape) -> None:
        """Let go of a shape when the resident dispatches of it are done; none is queued meanwhile."""
        tickets = self.backend.tickets
        with tickets.lock:
            tickets.synchronize()
            shape.let_go()

    def _refuse_capture(self) -> None:
        if self.backend.context.captures:
            self.backend.refuse_capture(f"a dispatch of {self.program.name}")

    # --- host data ----------------------------------------------------------------------------------------------------

    def lengths(self, inputs: Sequence[Any]) -> tuple[int, ...]:
        """Bytes of each input. InvalidProgramError where their number, or the type of one, is not that of its binding."""
        try:
            number = len(inputs)
        except TypeError:
            raise InvalidProgramError(
                f"program {self.program.name} takes a list of inputs, not {type(inputs).__name__}", fix="pass [x, ...]"
            ) from None
        if number != len(self._takes):
            self._refuse_number(inputs)
        return tuple([takes.bytes_of(data).nbytes for takes, data in zip(self._takes, inputs)])

    def _refuse_number(self, inputs: Sequence[Any]) -> None:
        takes = [binding for binding in self.program.handles if binding.takes_input]
        raise InvalidProgramError(
            f"program {self.program.name} takes {len(takes)} inputs but received {len(inputs)}",
            fix=f"pass {', '.join(b.name for b in takes) or 'none'}",
        )

    @overload
    def dispatch(self, inputs: Sequence[Any]) -> list[bytes]: ...

    @overload
    def dispatch(self, inputs: Sequence[Any], outputs: Sequence[Any]) -> None: ...

    def dispatch(self, inputs: Sequence[Any], outputs: Sequence[Any] | None = None) -> list[bytes] | None:
        """Copy the inputs, run, and return the outputs, or write them into *outputs*: writable buffers of their lengths. From the
        second dispatch of a shape on it is one replay of a graph where that pays (`ptxgen.runtime.dispatch.graphs`), or where
        `DispatchConfig(graph=True)`; never with `graph=False`.

        Raises InvalidProgramError for inputs that do not fit, DeviceMemoryError, DispatchError, DeviceLostError.
        """
        if outputs is not None:
            self._dispatch_into(inputs, outputs)
            return None
        if self._outputs is None:
            return self.run(inputs)
        self.lengths(inputs)  # equal bytes of another type are another input
        key = self._outputs.key(inputs)
        found = self._outputs.get(key)
        if found is not None:
            self.backend.telemetry.add(graph_materialized_cache_hits=1)
            return found
        made = self.run(inputs)
        self._outputs.put(key, made)
        return made

    def run(self, inputs: Sequence[Any]) -> list[bytes]:
        """A dispatch that is never answered from outputs of before (`DispatchConfig.cache_outputs`)."""
        if self.backend.marked:
            with self.backend.range(f"dispatch {self.program.name}"):
                return self._run(inputs)
        return self._run(inputs)

    def _run(self, inputs: Sequence[Any]) -> list[bytes]:
        self._refuse_capture()
        lengths = self.lengths(inputs)
        replay = self._graphs.replay(lengths, inputs) if self._graphs.wanted else None
        if replay is not None and replay.try_begin(inputs):
            return replay.finish()
        return self._begin(lengths, inputs).await_result()

    def _begin(self, lengths: tuple[int, ...], inputs: Sequence[Any], *, timed: bool = False) -> PendingDispatch:
        with self.lock:
            shape = self.shape(lengths, from_host(inputs) if self.tuner.measures else None).hold()
        return PendingDispatch(shape, inputs, timed=timed)

    def _dispatch_into(self, inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
        self._refuse_capture()
        lengths = self.lengths(inputs)
        replay = self._graphs.replay(lengths, inputs) if self._graphs.wanted else None
        if replay is not None and replay.try_begin(inputs):
            replay.finish_into(outputs)
        else:
            self._begin(lengths, inputs).await_result_into(outputs)

    def dispatch_async(self, inputs: Sequence[Any], *, timed: bool = False) -> PendingDispatch:
        """Begin, on a stream of its own; the result is taken later. With *timed*, `await_timed_result` returns the times
        on both clocks."""
        self._refuse_capture()
        self.backend.sweep()
        return self._begin(self.lengths(inputs), inputs, timed=timed)

    def record(self, input_lengths: Sequence[int]) -> GraphReplay:
        """A graph of a dispatch of inputs of these lengths in bytes, of the caller's own: it is not used by `dispatch`."""
        self._refuse_capture()
        with self.lock:
            replay = GraphReplay(self.shape(tuple(input_lengths)))
            self._recorded.add(replay)
        return replay

    def lanes_for(self, batches: int, slab: int) -> int:
        """How many dispatches of a batch run side by side where a dispatch takes so many bytes; see `graphs.lanes_for`."""
        caps = self.backend.capabilities
        return lanes_for(batches, slab, caps.multi_processor_count, caps.total_memory)

    def dispatch_batch(self, batch: Sequence[Sequence[Any]]) -> list[list[bytes]]:
        """Dispatch each of *batch*, several side by side where they are of one shape and that pays; the outputs of each, in
        order."""
        self._refuse_capture()
        with self.backend.range(f"batch {self.program.name}"):
            return self._graphs.run_batch(batch)

    # --- arrays in device memory --------------------------------------------------------------------------------------

    def dispatch_arrays(self, inputs: Sequence[Any], outputs: Sequence[Any] | None = None) -> list[Any]:
        """Queue a dispatch on arrays in device memory, without a copy: px arrays, and those of PyTorch, CuPy, Numba or JAX.
        It is queued on the device's current stream, ordered with frameworks' streams, as a kernel launch does;
        `dev.capture()` records it where *outputs* are passed.

        Returns the outputs in the order of the bindings. An inout array is changed in place, and is the object that was
        passed. The others are *outputs*, which are not zeroed first; without them, new px arrays of zeros, in the
        shape of the input that they are like. Raises InvalidProgramError for host data, another type, device or length.
        """
        self.check_open()
        if len(inputs) != len(self._takes):
            self._refuse_number(inputs)
        queued = ArrayDispatch(self.backend, self._takes, inputs)
        if queued.lengths not in self._shapes:
            self.backend.refuse_capture(f"the first dispatch of {self.program.name} on arrays of these lengths")
        with self.lock:
            shape = self.shape(queued.lengths).hold()
        try:
            return queued.queue(shape, outputs)
        finally:
            shape.let_go()

    # --- resident buffers ---------------------------------------------------------------------------------------------

    def dispatch_resident(self, handles: Sequence[ResidentBuffer]) -> None:
        """Queue a dispatch on resident buffers, on the backend's stream: `Backend.synchronize`, or a download, waits for it.
        Outputs are not zeroed first: they are the caller's.

        Raises InvalidProgramError where the number of handles, an owner or a length does not fit.
        """
        try:  # quicker than get
            launch = self._resident[tuple(handles)]
        except KeyError:
            launch = self._prepare_resident(tuple(handles))
        if launch.generation != launch.store.generation:
            launch = self._prepare_resident(tuple(handles))
        while not launch():
            launch = self._prepare_resident(tuple(handles))

    def dispatch_resident_batch(self, rows: Sequence[Sequence[ResidentBuffer]]) -> None:
        """Queue a dispatch on each row of buffers, in order. All rows are checked before the first is queued."""
        for launch in [self._prepare_resident(tuple(row)) for row in rows]:
            if not launch():  # its shape was dropped for those of later rows
                self.dispatch_resident(launch.buffers)

    def bind(self, handles: Sequence[ResidentBuffer]) -> BoundDispatch:
        """The same bound once: calls make no further checks, and the buffers cannot be freed until it is closed."""
        with self.lock:
            bound = BoundDispatch(self._prepare_resident(tuple(handles)))
            self._bound.add(bound)
        return bound

    def dispatch_to_resident(self, inputs: Sequence[Any]) -> list[ResidentBuffer]:
        """Queue a dispatch, and return its outputs as new resident buffers, zeroed before it. Inputs are resident buffers, or
        host data (`PTXGEN_RESIDENT_BORROWED_FALLBACK=0`: refused), which is copied into buffers that live as long as the
        dispatch; for an inout binding the buffer itself is what is returned.
        """
        self._refuse_capture()
        backend, program = self.backend, self.program
        takes = [b for b in program.handles if b.takes_input]
        if len(inputs) != len(takes):
            self._refuse_number(inputs)
        borrowed = [data for data in inputs if not isinstance(data, ResidentBuffer)]
        if borrowed and not backend.takes_borrowed:
            raise InvalidProgramError(
                f"{len(borrowed)} inputs of program {program.name} are host data",
                fix="upload them, or unset PTXGEN_RESIDENT_BORROWED_FALLBACK",
            )
        made: list[ResidentBuffer] = []  # freed here until the dispatch is queued
        try:
            buffers: dict[int, ResidentBuffer] = {}
            for binding, format_, data in zip(takes, self._takes, inputs):
                if not isinstance(data, ResidentBuffer):
                    data = backend.upload_resident(format_.bytes_of(data))
                    made.append(data)
                buffers[binding.number] = data
            with self.lock:
                sizes = self.shape(tuple([buffers[b.number].byte_len for b in takes])).layout.sizes
            for binding in program.handles:
                if binding.number not in buffers:
                    buffers[binding.number] = backend.allocate_resident(sizes[binding.number])
                    made.append(buffers[binding.number])
                    backend.resident.zero(buffers[binding.number])
            self.dispatch_resident([buffers[b.number] for b in program.handles])
        except BaseException:
            backend.synchronize()
            for buffer in made:
                backend.resident.free(buffer)
            raise
        outputs = [buffers[b.number] for b in program.handles if b.gives_output]
        backend.resident.free_later([buffer for buffer in made if buffer not in outputs])
        backend.telemetry.add(resident_borrowed_fallback_dispatches=int(bool(borrowed)))
        return outputs

    def _prepare_resident(self, handles: tuple[ResidentBuffer, ...]) -> ResidentLaunch:
        self.check_open()
        wanted = self.program.handles
        if len(handles) != len(wanted):
            raise InvalidProgramError(
                f"CUDA resident dispatch expected {len(wanted)} resident buffer handle(s) but received {len(handles)}",
                fix=f"pass one for each of {', '.join(b.name for b in wanted)}",
            )
        store = self.backend.resident
        generation = store.generation
        buffers = tuple([store.view(handle) for handle in handles])
        inputs = [b for binding, b in zip(wanted, buffers) if binding.takes_input]
        fill = from_buffers(inputs) if self.tuner.measures else None
        shape = self.shape(tuple([buffer.byte_len for buffer in inputs]), fill)
        for binding, buffer in zip(wanted, buffers):
            needed = shape.layout.sizes[binding.number]
            if buffer.byte_len < needed:
                raise InvalidProgramError(
                    f"program {self.program.name}: {binding.role} {binding.name!r} needs {needed} bytes, {buffer!r} is smaller",
                    fix=f"allocate {needed} bytes",
                )
        launch = ResidentLaunch(shape, buffers, generation)
        with self.lock:
            if len(self._resident) >= _RESIDENT_KEPT:
                self._resident.clear()
            self._resident[handles] = launch
        return launch

    # --- its end ------------------------------------------------------------------------------------------------------

    def release(self) -> None:
        """Free what dispatches left: recorded graphs, bound dispatches, parameter words, state. The pipeline stays
        usable; its state is zeros again."""
        with self.lock:
            held = self._graphs.take_all()
            shapes = list(self._shapes.values())
            state, self._state = self._state, None
            self._resident.clear()
            self._shapes.clear()
        for bound in list(self._bound):
            bound.close()
        for replay in (*self._recorded, *held):
            replay.close()
        for shape in shapes:
            self._end(shape)
        if state is not None:
            state.stream_order.wait()
            state.close()

    def close(self) -> None:
        """`release`, for good."""
        if not self.closed:
            self.release()
            self.closed = True

    def __enter__(self) -> CompiledPipeline:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
