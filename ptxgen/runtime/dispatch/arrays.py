"""A dispatch on arrays in device memory, without a copy: px arrays, and those of the frameworks on the GPU.

It is queued where launches of px kernels are: on the device's current stream, or on that of the first framework's array, ordered
with all streams involved. So `dev.capture()` records it too.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from driver_ctypes.errors import ArgumentError, ArgumentTypeError
from driver_ctypes.interop.arrays import foreign_ordinal, is_foreign
from driver_ctypes.streams.stream import order
from ptxgen.builder.values.vectors import vec
from ptxgen.host.arrays import Array
from ptxgen.host.exchange import borrow
from ptxgen.host.formats import as_scalar_type
from ptxgen.isa.types import TYPES
from ptxgen.runtime.errors import DispatchError, InvalidProgramError, translated

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ptxgen.host import Device
    from ptxgen.runtime.dispatch.formats import HostFormat
    from ptxgen.runtime.dispatch.session import Session
    from ptxgen.runtime.dispatch.shapes import DispatchShape
    from ptxgen.runtime.programs.bindings import Binding

__all__ = ["ArrayDispatch", "device_array", "device_arrays", "new_array", "on_device"]

_host_types: set[type] = {bytes, bytearray, memoryview}
"""Types whose data is on the host, whatever it is."""


def on_device(data: Any) -> bool:
    """Whether *data* is an array in a device's memory, ours or a framework's."""
    kind = type(data)
    if kind in _host_types:
        return False
    if isinstance(data, Array):
        return True
    if kind.__module__ == "numpy":
        _host_types.add(kind)
        return False
    return is_foreign(data) and foreign_ordinal(data) is not None


def device_array(backend: Session, name: str, data: Any) -> Array:
    """*data* as an array of the backend's device over the same memory. InvalidProgramError for host data, and for memory that
    the device cannot use as it is."""
    if isinstance(data, Array):
        if data.device is not backend.device:
            raise InvalidProgramError(
                f"{name} is on {data.device.name}, the backend on {backend.name}",
                fix="copy it: dev.array(data.numpy())",
            )
        if data._life.context is None:
            raise InvalidProgramError(f"{name}: {data!r} is closed", fix="keep it open while it is used")
        return data
    try:
        found = borrow(backend.device, data)
    except (ArgumentTypeError, ArgumentError) as error:
        raise InvalidProgramError(f"{name}: {error.args[0]}", fix=error.hint or "copy it to the device") from error
    if found is None:
        raise InvalidProgramError(
            f"{name} is {type(data).__name__}, which is not in the device's memory",
            fix="dev.array(data) copies it there; or pass host data only",
        )
    return found


def device_arrays(backend: Session, formats: Sequence[HostFormat], values: Sequence[Any]) -> list[Array]:
    """The arrays of a dispatch, checked. InvalidProgramError where their number, a type, or the memory of one does not fit."""
    if len(values) != len(formats):
        raise InvalidProgramError(
            f"{len(values)} arrays for {len(formats)} bindings",
            fix=f"pass {', '.join(f.binding.name for f in formats) or 'none'}",
        )
    return [f.array(device_array(backend, f.name, data)) for f, data in zip(formats, values)]


def new_array(device: Device, binding: Binding, count: int, models: Sequence[Array]) -> Array:
    """An output of zeros on the device, in the shape of the first of *models* that has as many elements."""
    element = binding.type.element
    lanes = element.lanes if issubclass(element, vec) else 0
    scalar = element.element.isa if lanes else element.isa
    try:
        type_ = as_scalar_type(scalar)
    except ArgumentTypeError:  # packed ones come as their bits
        type_ = TYPES[f"u{scalar.bits}"]
    extents: tuple[int, ...] = (count, lanes) if lanes else (count,)
    if not lanes:
        extents = next((model.shape for model in models if model.size == count), extents)
    return device.zeros(extents, type_)


class ArrayDispatch:
    """Inputs and outputs of one dispatch, checked. *values* are the caller's own objects, which the launch takes,
    because their streams matter; `arrays` are the same as arrays."""

    def __init__(self, backend: Session, formats: Sequence[HostFormat], values: Sequence[Any]) -> None:
        self._backend = backend
        self._values = list(values)
        self.arrays = device_arrays(backend, formats, values)

    @property
    def lengths(self) -> tuple[int, ...]:
        """Bytes of each input."""
        return tuple([array.nbytes for array in self.arrays])

    def queue(self, shape: DispatchShape, outputs: Sequence[Any] | None, like: Sequence[Any] | None) -> list[Any]:
        """Launch, and return the outputs: those that were passed, or new ones, in the shapes of *like* where there are any."""
        backend, device = self._backend, self._backend.device
        home = device.current_stream
        recorded = home.capturing
        if recorded and (outputs is None or not shape.stateless):
            raise DispatchError(
                f"a dispatch of {shape.name} inside dev.capture() "
                + ("without out" if outputs is None else "that has state, waits for the grid, or is in parts"),
                fix="pass out=[...]" if outputs is None else "dispatch it outside",
            )
        memory: dict[int, Any] = {b.number: data for b, data in zip(shape.inputs, self._values)}
        found = {b.number: array for b, array in zip(shape.inputs, self.arrays)}
        made = [b for b in shape.outputs if b.role == "output"]
        with translated(f"dispatching {shape.name}", backend.name):
            if outputs is None:
                memory |= self._all_made(shape, made, found, like)
            else:
                memory |= self._taken(shape, made, outputs)
            if not shape.empty:
                arguments = shape.arguments_of(memory)
                with _beside_resident(shape, home.handle), shape.ordered(home):
                    for _ in range(shape.plan.fixpoint_iterations):
                        self._launch(shape, arguments)
        if not recorded:
            with backend.telemetry.lock:
                shape.tally.launches += 1
        return [memory[b.number] for b in shape.outputs]

    def _launch(self, shape: DispatchShape, arguments: tuple[Any, ...]) -> None:
        launch, stream = shape.plan.launch, self._backend.device.chosen_stream
        for function in shape.loaded.functions:
            function.launch(
                launch.grid, launch.workgroup, *arguments, stream=stream, cooperative=shape.plan.cooperative
            )

    def _all_made(
        self, shape: DispatchShape, made: Sequence[Binding], found: dict[int, Array], like: Sequence[Any] | None
    ) -> dict[int, Any]:
        if like is None:
            return {b.number: self._made(shape, b, found) for b in made}
        if len(like) != len(made):
            raise InvalidProgramError(
                f"like= names {len(like)} arrays for {len(made)} outputs of program {shape.name}",
                fix=f"name one for each of {', '.join(b.name for b in made) or 'none'}",
            )
        return {b.number: self._made(shape, b, found).reshape(*model.shape) for b, model in zip(made, like)}

    def _made(self, shape: DispatchShape, binding: Binding, found: dict[int, Array]) -> Array:
        """A new output of zeros, in the shape of the input that it is like."""
        named = [found[b.number] for b in shape.inputs if b.name == binding.like]
        models = named if binding.like is not None else [] if binding.elements else list(found.values())
        return new_array(self._backend.device, binding, shape.plan.bindings.counts[binding.number], models)

    def _taken(self, shape: DispatchShape, made: Sequence[Binding], outputs: Sequence[Any]) -> dict[int, Any]:
        if len(outputs) != len(made):
            raise InvalidProgramError(
                f"program {shape.name} gives {len(made)} outputs, {len(outputs)} arrays were passed",
                fix=f"pass {', '.join(b.name for b in made) or 'none'}; an inout array is passed as an input",
            )
        formats = {b.number: f for b, f in zip(shape.outputs, shape.gives)}
        for binding, data in zip(made, outputs):
            name, size = f"output {binding.name}", shape.layout.sizes[binding.number]
            array = formats[binding.number].array(device_array(self._backend, name, data))
            if array.nbytes != size:
                raise InvalidProgramError(
                    f"program {shape.name}: {name!r} has {size} bytes, the array {array.nbytes}",
                    fix=f"pass an array of {size} bytes",
                )
        return {binding.number: data for binding, data in zip(made, outputs)}


def _beside_resident(shape: DispatchShape, stream: int) -> AbstractContextManager[None]:
    """For the body, what is queued comes in order with dispatches on resident buffers where both use one scratch memory."""
    return nullcontext() if shape.scratch is None else _in_order(shape, stream)


@contextmanager
def _in_order(shape: DispatchShape, stream: int) -> Iterator[None]:
    tickets, context = shape.backend.tickets, shape.backend.context
    with tickets.lock:
        order(context, first=tickets.stream.handle, then=stream)
        yield
        order(context, first=stream, then=tickets.stream.handle)
