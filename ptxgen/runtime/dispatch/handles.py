"""Dispatches on resident buffers, on the backend's stream."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.runtime.dispatch.bound import BoundDispatch, ResidentLaunch
from ptxgen.runtime.dispatch.forms import input_form
from ptxgen.runtime.dispatch.tuning import from_buffers
from ptxgen.runtime.errors import InvalidProgramError
from ptxgen.runtime.memory.buffers import ResidentBuffer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.runtime.dispatch.pipeline import CompiledPipeline
    from ptxgen.runtime.dispatch.shapes import DispatchShape
    from ptxgen.runtime.programs.bindings import Binding

__all__ = ["HandleDispatches", "in_order"]

_KEPT = 256
"""Lists of handles of a pipeline that were checked, and need no further check."""


def in_order(
    whose: str, bindings: Sequence[Binding], inputs: Sequence[ResidentBuffer], out: Sequence[ResidentBuffer]
) -> tuple[ResidentBuffer, ...]:
    """The handles of a dispatch in the order of the bindings. InvalidProgramError where their number does not fit."""
    takes = [b.name for b in bindings if b.takes_input]
    gives = [b.name for b in bindings if not b.takes_input]
    if (len(inputs), len(out)) != (len(takes), len(gives)):
        raise InvalidProgramError(
            f"{whose} expected {len(takes) + len(gives)} resident buffer handle(s) but received {len(inputs) + len(out)}",
            fix=f"pass [{', '.join(takes)}]" + (f", [{', '.join(gives)}]" if gives else ""),
        )
    remaining = iter(inputs), iter(out)
    return tuple([next(remaining[not binding.takes_input]) for binding in bindings])


class HandleDispatches:
    """Those of one pipeline. A list of handles that was dispatched before costs one look and the launch."""

    def __init__(self, pipeline: CompiledPipeline) -> None:
        self._pipeline = pipeline
        self._launches: dict[tuple[ResidentBuffer | None, ...], ResidentLaunch] = {}

    def queue(self, inputs: Sequence[ResidentBuffer], out: Sequence[ResidentBuffer]) -> None:
        """Queue a dispatch. Outputs are not zeroed first: they are the caller's."""
        launch = self.known(inputs, out) or self.prepare(inputs, out)
        while not launch():
            launch = self.prepare(inputs, out)

    def known(self, inputs: Sequence[ResidentBuffer], out: Sequence[ResidentBuffer]) -> ResidentLaunch | None:
        """The launch of a dispatch on these buffers, where they were checked before and none was freed since."""
        try:
            launch = self._launches.get((*inputs, None, *out))
        except TypeError:  # one is no handle: the checks say so
            return None
        return launch if launch is not None and launch.generation == launch.store.generation else None

    def queue_rows(self, rows: Sequence[tuple[Sequence[ResidentBuffer], Sequence[ResidentBuffer]]]) -> None:
        """Queue a dispatch on each row of buffers, in order. All rows are checked before the first is queued."""
        for launch, row in [(self.prepare(*row), row) for row in rows]:
            if not launch():  # its shape was dropped for those of later rows
                self.queue(*row)

    def bind(self, inputs: Sequence[ResidentBuffer], out: Sequence[ResidentBuffer]) -> BoundDispatch:
        """A dispatch that makes no further checks."""
        return BoundDispatch(self.prepare(inputs, out))

    def to_new(self, inputs: Sequence[Any], like: Sequence[Any] | None) -> list[ResidentBuffer]:
        """Queue a dispatch, and return its outputs as new resident buffers, zeroed before it. Inputs are resident buffers, or
        host data (`PTXGEN_RESIDENT_BORROWED_FALLBACK=0`: refused), which is copied into buffers that live as long as the
        dispatch; for an inout binding the buffer itself is what is returned.
        """
        pipeline = self._pipeline
        backend, program = pipeline.backend, pipeline.program
        pipeline.check_number(inputs)
        takes = [b for b in program.handles if b.takes_input]
        borrowed = [data for data in inputs if not isinstance(data, ResidentBuffer)]
        if borrowed and not backend.takes_borrowed:
            raise InvalidProgramError(
                f"{len(borrowed)} inputs of program {program.name} are host data",
                fix="upload them, or unset PTXGEN_RESIDENT_BORROWED_FALLBACK",
            )
        made: list[ResidentBuffer] = []  # freed here until the dispatch is queued
        try:
            buffers: dict[int, ResidentBuffer] = {}
            for binding, format_, data in zip(takes, pipeline.takes, inputs):
                if not isinstance(data, ResidentBuffer):
                    form = input_form(binding, data)
                    data = backend.upload_resident(format_.bytes_of(data))
                    data.form = form
                    made.append(data)
                buffers[binding.number] = data
            with pipeline.lock:
                shape = pipeline.shape(tuple([buffers[b.number].byte_len for b in takes]))
                forms = dict(zip(shape.outputs, shape.forms([buffers[b.number].form for b in takes], like)))
            for binding in program.handles:
                if binding.number not in buffers:
                    buffer = backend.allocate_resident(shape.layout.sizes[binding.number])
                    buffer.form = forms[binding]
                    buffers[binding.number] = buffer
                    made.append(buffer)
                    backend.resident.zero(buffer)
            given = [buffers[b.number] for b in takes]
            self.queue(given, [buffers[b.number] for b in program.handles if not b.takes_input])
        except BaseException:
            backend.synchronize()
            for buffer in made:
                backend.resident.free(buffer)
            raise
        outputs = [buffers[b.number] for b in program.handles if b.gives_output]
        backend.resident.free_later([buffer for buffer in made if buffer not in outputs])
        backend.telemetry.add(resident_borrowed_fallback_dispatches=int(bool(borrowed)))
        return outputs

    def prepare(self, inputs: Sequence[ResidentBuffer], out: Sequence[ResidentBuffer]) -> ResidentLaunch:
        """The launch of a dispatch on these buffers, checked."""
        pipeline = self._pipeline
        pipeline.check_open()
        wanted = pipeline.program.handles
        handles = in_order("CUDA resident dispatch", wanted, inputs, out)
        store = pipeline.backend.resident
        generation = store.generation
        buffers = tuple([store.view(handle) for handle in handles])
        brought = [b for binding, b in zip(wanted, buffers) if binding.takes_input]
        fill = from_buffers(brought) if pipeline.tuner.measures else None
        shape = pipeline.shape(tuple([buffer.byte_len for buffer in brought]), fill)
        for binding, buffer in zip(wanted, buffers):
            needed = shape.layout.sizes[binding.number]
            if buffer.byte_len < needed:
                raise InvalidProgramError(
                    f"program {pipeline.program.name}: {binding.role} {binding.name!r} needs {needed} bytes, "
                    f"{buffer!r} is smaller",
                    fix=f"allocate {needed} bytes",
                )
        launch, key = ResidentLaunch(shape, buffers, generation), (*inputs, None, *out)
        with pipeline.lock:
            if len(self._launches) >= _KEPT:
                self._launches.clear()
            self._launches[key] = launch
        return launch

    def drop(self, shape: DispatchShape) -> None:
        """Forget the launches of a shape."""
        for handles in [key for key, launch in self._launches.items() if launch.shape is shape]:
            del self._launches[handles]

    def clear(self) -> None:
        """Forget all."""
        self._launches.clear()
