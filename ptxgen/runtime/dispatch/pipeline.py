"""A compiled program: dispatch it with host data, with resident buffers, in batches, and as replayed graphs."""

from __future__ import annotations

import threading
from collections import OrderedDict
from math import prod
from typing import TYPE_CHECKING, Any, Literal, overload
from weakref import WeakSet

from ptxgen.runtime import keys
from ptxgen.runtime.dispatch.arrays import ArrayDispatch, on_device
from ptxgen.runtime.dispatch.formats import HostFormat
from ptxgen.runtime.dispatch.forms import extent_bytes
from ptxgen.runtime.dispatch.graphs import lanes_for
from ptxgen.runtime.dispatch.handles import HandleDispatches, in_order
from ptxgen.runtime.dispatch.host import HostDispatches
from ptxgen.runtime.dispatch.replay import GraphReplay
from ptxgen.runtime.dispatch.shapes import DispatchShape
from ptxgen.runtime.dispatch.state import PipelineState
from ptxgen.runtime.dispatch.tuning import WorkgroupTuner
from ptxgen.runtime.errors import BackendError, CooperativeResidencyError, InvalidProgramError, ValidationError
from ptxgen.runtime.memory.buffers import ResidentBuffer
from ptxgen.runtime.programs.plans import DispatchConfig, DispatchPlan, check_reach, plan_dispatch
from ptxgen.runtime.programs.splitting import SplitError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.runtime.code.compiler import Loaded, ProgramSource
    from ptxgen.runtime.dispatch.bound import BoundDispatch
    from ptxgen.runtime.dispatch.pending import PendingDispatch, TimedResult
    from ptxgen.runtime.dispatch.session import Session
    from ptxgen.runtime.dispatch.tuning import Fill
    from ptxgen.runtime.programs.program import Program
    from ptxgen.runtime.trace import CompileStage

__all__ = ["CompiledPipeline"]

MOST_SHAPES = 32
"""Shapes that a pipeline keeps; the least recently used one is evicted."""


class CompiledPipeline:
    """Made by `Backend.compile`. Inputs and outputs are in the order of the bindings, without the shared and the persistent
    ones."""

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
        self.takes = tuple(HostFormat(binding) for binding in program.handles if binding.takes_input)
        self._changes = any(binding.role == "inout" for binding in program.handles)
        self._shapes: OrderedDict[tuple[int, ...], DispatchShape] = OrderedDict()
        self.tuner = WorkgroupTuner(self)
        self._host = HostDispatches(self)
        self._handles = HandleDispatches(self)
        self._known = self._handles.launches
        self._recorded: WeakSet[GraphReplay] = WeakSet()
        self._bound: WeakSet[BoundDispatch] = WeakSet()
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

    def plan(self, extents: Sequence[Any]) -> DispatchPlan:
        """What a dispatch of inputs of these extents would do: each a number of elements, a shape, or an array of that shape."""
        return self.plan_of(self._lengths_of(extents))

    def _lengths_of(self, extents: Sequence[Any]) -> tuple[int, ...]:
        self.check_number(extents)
        return tuple([extent_bytes(takes.binding, extent) for takes, extent in zip(self.takes, extents)])

    def lengths(self, inputs: Sequence[Any]) -> tuple[int, ...]:
        """Bytes of each input. InvalidProgramError where their number, or the type of one, is not that of its binding."""
        if len(inputs) != len(self.takes):
            self.check_number(inputs)
        return tuple([takes.bytes_of(data).nbytes for takes, data in zip(self.takes, inputs)])

    def check_number(self, inputs: Sequence[Any]) -> None:
        """InvalidProgramError where there are not as many inputs as bindings that take one."""
        if len(inputs) != len(self.takes):
            raise InvalidProgramError(
                f"program {self.program.name} takes {len(self.takes)} inputs but received {len(inputs)}",
                fix=f"pass {', '.join(takes.binding.name for takes in self.takes) or 'none'}",
            )

    def plan_of(self, input_lengths: Sequence[int]) -> DispatchPlan:
        """The same for lengths in bytes."""
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
                shape = self.make_shape(self.plan_of(lengths), self.state if self.program.state else None)
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
        self._host.graphs.drop(lengths)
        self._handles.drop(shape)
        self._end(shape)

    def _end(self, shape: DispatchShape) -> None:
        """Let go of a shape when the resident dispatches of it are done; none is queued meanwhile."""
        tickets = self.backend.tickets
        with tickets.lock:
            tickets.synchronize()
            shape.let_go()

    def refuse_capture(self) -> None:
        """DispatchError where this thread is recording a graph."""
        if self.backend.context.captures:
            self.backend.refuse_capture(f"a dispatch of {self.program.name}")

    # --- dispatches ---------------------------------------------------------------------------------------------------

    @overload
    def dispatch(
        self,
        inputs: Sequence[Any],
        out: Sequence[Any] | None = None,
        *,
        like: Sequence[Any] | None = None,
        wait: Literal[True] | None = None,
        timed: Literal[False] = False,
        resident: bool = False,
        batch: Literal[False] = False,
    ) -> list[Any]: ...

    @overload
    def dispatch(
        self, inputs: Sequence[Any], *, like: Sequence[Any] | None = None, wait: Literal[False], timed: bool = False
    ) -> PendingDispatch: ...

    @overload
    def dispatch(
        self,
        inputs: Sequence[Any],
        *,
        like: Sequence[Any] | None = None,
        wait: Literal[True] | None = None,
        timed: Literal[True],
    ) -> TimedResult: ...

    @overload
    def dispatch(
        self, inputs: Sequence[Sequence[Any]], out: Sequence[Sequence[Any]] | None = None, *, batch: Literal[True]
    ) -> list[list[Any]]: ...

    def dispatch(
        self,
        inputs: Sequence[Any],
        out: Sequence[Any] | None = None,
        *,
        like: Sequence[Any] | None = None,
        wait: bool | None = None,
        timed: bool = False,
        resident: bool = False,
        batch: bool = False,
    ) -> Any:
        """Run the program, and return its outputs in the order of the bindings. Where the inputs lie says how:

        *Host data* is copied to the device, and the outputs come back: as numpy arrays in the type and shape of the inputs
        that they are like, or as bytes where all inputs are bytes. From the second dispatch of a shape on it is one replay of a
        graph where that pays (`ptxgen.runtime.dispatch.graphs`).

        *Arrays on the device*, ours and those of PyTorch, CuPy, Numba and JAX, are used where they lie. The dispatch is queued
        on the device's current stream, ordered with frameworks' streams, as a kernel launch is; `dev.capture()` records it
        where *out* is passed. An inout array is changed in place, and is the object that was passed. The other outputs are new
        px arrays of zeros.

        *Resident buffers* are used where they lie. The dispatch is queued on the backend's stream: `Backend.synchronize`, or a
        download, waits for it. Outputs are new resident buffers of zeros.

        | option | |
        |---|---|
        | *out* | where the outputs go, of the kind of the inputs; on the device without inouts, and not zeroed first |
        | *like* | arrays whose type and shape the outputs get |
        | *wait* | False: a `PendingDispatch` at once, of host data; True: waits for a dispatch on the device too |
        | *timed* | a `TimedResult`, of host data; `bind(inputs, out).timed()` times one on resident buffers |
        | *resident* | the outputs stay on the device as resident buffers, those of host data too |
        | *batch* | inputs and *out* are lists of those of several dispatches, which run side by side where that pays |

        Raises InvalidProgramError for inputs or options that do not fit, DeviceMemoryError, DispatchError, DeviceLostError.
        """
        if out is not None and type(inputs) is list and inputs and type(inputs[0]) is ResidentBuffer:
            key = (*inputs, None, *out)
            try:  # what was dispatched before costs no more than this
                known = self._known[key]
            except (KeyError, TypeError):
                pass
            else:
                if known.generation == known.store.generation and not (batch or timed or wait) and known():
                    return self._given(inputs, out) if self._changes else out
        if batch:
            alone = (like, wait, timed, resident) == (None, None, False, False)
            return self._dispatch_batch(inputs, out, alone=alone)
        where = self._where(inputs, out)
        if where == "host" and not resident:
            self.refuse_capture()
            if wait is False or timed:
                return self._begin(inputs, out, like, wait, timed)
            if out is not None:
                return self._host.into(inputs, out)
            cache = self._host.outputs
            return self._host.run(inputs, like) if cache is None else self._host.remembered(inputs, like, cache)
        if wait is False or timed:
            option = "timed=True" if timed else "wait=False"
            raise InvalidProgramError(
                f"{option} for a dispatch of {self.program.name} whose outputs stay on the device",
                fix="bind(inputs, out).timed() times it" if timed else "leave it out: such a dispatch is only queued",
            )
        if where == "arrays":
            made = self._on_arrays(inputs, out, like)
            if wait:
                self.backend.device.current_stream.synchronize()
            return made
        made = self._on_handles(inputs, out, like)
        if wait:
            self.backend.synchronize()
        return made

    def _where(self, inputs: Sequence[Any], out: Sequence[Any] | None) -> str:
        """Where a dispatch's data lies: on the "host", in "arrays" on the device, or in "handles" to resident buffers."""
        try:
            given = [*inputs] if inputs or out is None else [*out]
        except (TypeError, ValueError):  # ValueError: an array of numpy has no truth
            raise InvalidProgramError(
                f"program {self.program.name} takes a list of inputs, not {type(inputs).__name__}", fix="pass [x, ...]"
            ) from None
        found = "host"
        for data in given:
            if type(data) is ResidentBuffer:
                found = "handles" if found == "host" else found
            elif on_device(data):
                found = "arrays"
        return found

    def _begin(self, inputs: Sequence[Any], out: Any, like: Any, wait: bool | None, timed: bool) -> Any:
        if out is not None:
            raise InvalidProgramError(
                f"out= of a dispatch of {self.program.name} that is timed or not waited for",
                fix="take its outputs with await_result_into(out)",
            )
        self.backend.sweep()
        pending = self._host.begin(inputs, like, timed=timed)
        return pending if wait is False else pending.await_timed_result()

    def _on_arrays(self, inputs: Sequence[Any], out: Sequence[Any] | None, like: Sequence[Any] | None) -> list[Any]:
        self.check_open()
        self.check_number(inputs)
        queued = ArrayDispatch(self.backend, self.takes, inputs)
        if queued.lengths not in self._shapes:
            self.backend.refuse_capture(f"the first dispatch of {self.program.name} on arrays of these lengths")
        with self.lock:
            shape = self.shape(queued.lengths).hold()
        try:
            return queued.queue(shape, out, like)
        finally:
            shape.let_go()

    def _on_handles(self, inputs: Sequence[Any], out: Sequence[Any] | None, like: Sequence[Any] | None) -> list[Any]:
        if out is None:
            self.refuse_capture()
            return self._handles.to_new(inputs, like)
        self._handles.queue(inputs, out)
        return self._given(inputs, out)

    def _given(self, inputs: Sequence[Any], out: Sequence[Any]) -> list[Any]:
        """The buffers of a dispatch's outputs: inouts among the inputs, and *out*."""
        if self._changes:
            return [
                handle
                for b, handle in zip(self.program.handles, in_order("", self.program.handles, inputs, out))
                if b.gives_output
            ]
        return list(out)

    def _dispatch_batch(self, rows: Sequence[Any], outs: Sequence[Any] | None, *, alone: bool) -> list[list[Any]]:
        if not alone or (outs is not None and len(outs) != len(rows)):
            raise InvalidProgramError(
                f"a batch of {len(rows)} dispatches of {self.program.name}"
                + (f" with {len(outs)} lists of outputs" if alone and outs is not None else " with another option"),
                fix="pass batch=True with inputs, and a list of outputs for each of them or none",
            )
        with self.backend.range(f"batch {self.program.name}"):
            if outs is None and all(self._where(row, None) == "host" for row in rows):
                self.refuse_capture()
                return self._host.graphs.run_batch(rows)
            pairs = [(row, None if outs is None else outs[place]) for place, row in enumerate(rows)]
            if outs is not None and all(self._where(*pair) == "handles" for pair in pairs):
                self._handles.queue_rows(list(zip(rows, outs)))
                return [self._given(row, out) for row, out in zip(rows, outs)]
            return [self.dispatch(row, out) for row, out in pairs]

    def run(self, inputs: Sequence[Any]) -> list[Any]:
        """A dispatch of host data that is never answered from outputs of before (`DispatchConfig.cache_outputs`)."""
        return self._host.run(inputs)

    def lanes_for(self, batches: int, slab: int) -> int:
        """How many dispatches of a batch run side by side where a dispatch takes so many bytes; see `graphs.lanes_for`."""
        caps = self.backend.capabilities
        return lanes_for(batches, slab, caps.multi_processor_count, caps.total_memory)

    def record(self, extents: Sequence[Any]) -> GraphReplay:
        """A graph of a dispatch of host data, of the caller's own: it is not used by `dispatch`. *extents*: the elements of each
        input, as a number or a shape, or arrays of those shapes."""
        self.refuse_capture()
        lengths = self._lengths_of(extents)
        with self.lock:
            replay = GraphReplay(self.shape(lengths))
            self._recorded.add(replay)
        return replay

    def bind(self, inputs: Sequence[ResidentBuffer], out: Sequence[ResidentBuffer] = ()) -> BoundDispatch:
        """A dispatch on resident buffers that is bound once: calls make no further checks, and the buffers cannot be freed until
        it is closed."""
        with self.lock:
            bound = self._handles.bind(inputs, out)
            self._bound.add(bound)
        return bound

    # --- its end ------------------------------------------------------------------------------------------------------

    def release(self) -> None:
        """Free what dispatches left: recorded graphs, bound dispatches, parameter words, state. The pipeline stays
        usable; its state is zeros again."""
        with self.lock:
            held = self._host.graphs.take_all()
            shapes = list(self._shapes.values())
            state, self._state = self._state, None
            self._handles.clear()
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
