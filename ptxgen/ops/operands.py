"""Arrays of any library as an operation sees them: address, extents, element, device, and the stream that they bring."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from driver_ctypes.arguments.pointers import element_of
from driver_ctypes.interop.arrays import reader_of
from driver_ctypes.interop.extents import extents_of
from driver_ctypes.streams.capturing import capture_of, running_captures
from ptxgen.builder import SCALARS
from ptxgen.errors import BuildError
from ptxgen.host import Array, Device, device

if TYPE_CHECKING:
    from collections.abc import Callable

    from driver_ctypes.contexts.context import Context
    from ptxgen.builder.values import Value
    from ptxgen.isa.types import ScalarType
    from ptxgen.kernels.plan import KernelPlan

__all__ = [
    "Operand", "PreparedLaunch", "empty_like", "known_as", "prepare", "read", "retain", "same_device", "stream_of",
]  # fmt: skip


class Operand(NamedTuple):
    """An array: `shape` in elements, `strides` in bytes. `stream` is a framework's current one (a CUstream), None for memory of
    ours; `keep` must live until the work is queued."""

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    element: type[Value]
    device: Device
    stream: int | None
    keep: Any = None

    @property
    def type(self) -> ScalarType:
        """The type of its elements, as arrays of ours say it."""
        return self.element.isa

    def transposed(self) -> Operand:
        """The same with the last two dimensions exchanged."""
        shape, strides = self.shape, self.strides
        return self._replace(
            shape=(*shape[:-2], shape[-1], shape[-2]), strides=(*strides[:-2], strides[-1], strides[-2])
        )

    def batched(self, dimensions: int) -> Operand:
        """The same with leading extents of 1, so that it has so many dimensions."""
        missing = dimensions - len(self.shape)
        return self._replace(shape=(1,) * missing + self.shape, strides=(0,) * missing + self.strides)


def read(name: str, array: Any) -> Operand:
    """An array of ours, PyTorch's, CuPy's, JAX's or any other in device memory. BuildError for what is none."""
    if isinstance(array, Array):
        return Operand(array.pointer, array.shape, array.strides, _element(name, array.type), array.device, None)
    reader = reader_of(array)
    found = reader(array, 0) if reader is not None else None
    if found is None:
        raise BuildError(
            f"{name} is {type(array).__name__}, not an array in device memory",
            hint="dev.array(...), or an array of a framework on its GPU",
        )
    shape, strides = extents_of(array, found)
    place = device(f"cuda:{found.ordinal or 0}")
    return Operand(found.address, shape, strides, _element(name, element_of(array)), place, found.stream, found.keep)


def _element(name: str, type_: Any) -> type[Value]:
    found = SCALARS.get(getattr(type_, "name", ""))
    if found is None:
        raise BuildError(f"{name} has elements of {type_!r}", hint="a type of ptxgen's: bf16, f16, f32, ...")
    return found


def same_device(**operands: Operand) -> Device:
    """The device that all are on. BuildError where they are on several."""
    first, *others = operands.items()
    for name, operand in others:
        if operand.device is not first[1].device:
            raise BuildError(
                f"{first[0]} is on {first[1].device.name}, {name} on {operand.device.name}", hint="copy one over"
            )
    return first[1].device


def empty_like(array: Any, place: Device, shape: tuple[int, ...], element: type[Value]) -> Any:
    """A new array of a shape, of the library of another one: PyTorch's and CuPy's own, else one of ours."""
    home = type(array).__module__.partition(".")[0]
    if home == "torch":
        import torch

        return torch.empty(shape, dtype=getattr(torch, _TORCH[element.isa.name]), device=array.device)
    if home == "cupy" and element.isa.name in _CUPY:
        import cupy

        return cupy.empty(shape, dtype=_CUPY[element.isa.name])
    return place.empty(shape, element)


_TORCH = {
    "bf16": "bfloat16", "f16": "float16", "f32": "float32", "f64": "float64", "s32": "int32", "s8": "int8",
    "e4m3": "float8_e4m3fn", "e5m2": "float8_e5m2",
}  # fmt: skip
_CUPY = {"f16": "float16", "f32": "float32", "f64": "float64", "s32": "int32", "s8": "int8"}


def known_as(*arrays: Any) -> Any:
    """A key of arrays and of the stream that work on them goes to, quickly: equal for arrays at the same place of the same form.
    None for arrays of libraries that are read slowly."""
    found: list[Any] = []
    for array in arrays:
        kind = type(array)
        if kind is Array:
            found += (array.pointer, array.shape, array.strides, array.type, array.device)
        elif hasattr(kind, "data_ptr") and array.is_cuda:
            found += (array.data_ptr(), array.shape, array.stride(), array.dtype, array.get_device())
        else:
            return None
    place = found[4]
    if type(place) is int:
        place = _gpus.get(place) or _gpus.setdefault(place, device(f"cuda:{place}"))
        if place.chosen.stream is None:
            stream = sys.modules["torch"]._C._cuda_getCurrentRawStream(found[4])
            return (*found, stream)
    chosen = place.chosen_stream
    return (*found, None if chosen is None else chosen.handle)


_gpus: dict[int, Device] = {}


def retain(place: Device, stream: int, *arrays: Any) -> None:
    """Where the stream is being captured, the graph keeps the arrays."""
    if running_captures:
        capture = capture_of(place.context, stream)
        if capture is not None:
            capture.retain(*arrays)


class PreparedLaunch(NamedTuple):
    """A launch with everything checked and made: call `launcher(*arguments)`."""

    launcher: Callable[..., None]
    arguments: tuple[Any, ...]
    place: Device
    stream: int | None
    context: Context
    """That of the device when it was made: after a reset there is another one."""


def stream_of(place: Device, *operands: Operand) -> int | None:
    """The stream that work on these goes to: the one chosen on the device, else that of the first framework's array; None for the
    default one. BuildError where frameworks use several: which work is first would depend on timing."""
    chosen = place.chosen_stream
    if chosen is not None:
        return chosen.handle
    streams = dict.fromkeys(operand.stream for operand in operands if operand.stream is not None)
    if len(streams) > 1:
        raise BuildError(
            f"the arrays' frameworks use {len(streams)} streams", hint="with dev.use(stream): ..., which orders them"
        )
    return next(iter(streams), None)


def prepare(plan: KernelPlan, place: Device, stream: int | None) -> PreparedLaunch:
    """A plan whose arguments are `Operand`s: their addresses, and the tensor maps of those that the kernel takes so."""
    handle = plan.kernel.on(place)
    signature = handle.function.signature
    assert signature is not None
    arguments = []
    for parameter, argument in zip(signature.params, plan.arguments):
        if not isinstance(argument, Operand):
            arguments.append(argument)
        elif parameter.structure is None:
            arguments.append(argument.address)
        else:
            made: Any = parameter.structure
            arguments.append(made.over(argument.address, argument, place.context))
    launcher = handle.bind(plan.grid, plan.block, shared=plan.shared, stream=stream, **plan.attributes)
    return PreparedLaunch(launcher, tuple(arguments), place, stream, place.context)
