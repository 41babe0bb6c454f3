"""Arrays of any library as an operation sees them: address, extents, element, device, and the stream that they bring."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from driver_ctypes.arguments.parameter import element_of
from driver_ctypes.interop.arrays import extents_of, reader_of, same_stream
from driver_ctypes.streams.stream import running_captures
from ptxgen.builder import SCALARS, f32
from ptxgen.errors import BuildError
from ptxgen.host import Array, Device, device
from ptxgen.host.arrays import NewArrays
from ptxgen.isa.targets import find_target

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.builder.values import Value
    from ptxgen.isa.types import ScalarType

__all__ = [
    "ALIGNED",
    "FP8",
    "Operand",
    "address_of",
    "as_map",
    "check_apart",
    "check_target",
    "empty_like",
    "maker_of",
    "read",
    "read_dense",
    "same_device",
    "stream_of",
    "transposed",
]

FP8 = 89
"""The target with the first conversions of fp8, for `check_target`."""
ALIGNED = 16
"""Bytes that addresses and strides of a tensor map are multiples of."""


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

    def overlaps(self, other: Operand) -> bool:
        """Whether some bytes may be of both: not where they lie apart, or beside each other in the rows of one array."""
        if 0 in self.shape or 0 in other.shape:
            return False
        (begin, end), (first, last) = self._extent(), other._extent()
        if not (begin < last and first < end):
            return False
        pitches = {abs(stride) for stride in (*self.strides, *other.strides)} - {0}
        return not any(self._beside(other, pitch) for pitch in pitches)

    def places(self) -> tuple[Any, ...]:
        """Equal for arrays that have the same element at the same places."""
        steps = [(extent, stride) for extent, stride in zip(self.shape, self.strides) if extent > 1]
        return self.address, self.element, *steps

    def _extent(self, pitch: int = 0) -> tuple[int, int]:
        """(the first byte, the one behind the last), steps by multiples of a pitch left out."""
        steps = [
            (extent - 1) * stride for extent, stride in zip(self.shape, self.strides) if not pitch or stride % pitch
        ]
        low, high = (sum(choose(step, 0) for step in steps) for choose in (min, max))
        return self.address + low, self.address + high + self.element.isa.bytes

    def _beside(self, other: Operand, pitch: int) -> bool:
        """Whether in memory cut into rows of that pitch each has columns of its own."""
        (begin, end), (first, last) = self._extent(pitch), other._extent(pitch)
        between = (first - begin) % pitch
        return end - begin <= between and between + last - first <= pitch

    def reshape(self, *shape: int) -> Operand:
        """The same with the last two dimensions as one, of this shape. BuildError where they do not lie together."""
        if self.shape[-1] * self.element.isa.bytes != self.strides[-2] and self.shape[-2] > 1:
            raise BuildError(
                f"an array of {self.shape} with strides of {self.strides} bytes taken as {shape}",
                hint="the last two dimensions without gaps",
            )
        return self._replace(shape=shape, strides=(*self.strides[:-2], self.strides[-1]))

    @property
    def contiguous(self) -> bool:
        """Whether all elements are beside each other, in order; of none they are."""
        if 0 in self.shape:
            return True
        expected = self.element.isa.bytes
        for extent, stride in zip(reversed(self.shape), reversed(self.strides)):
            if extent > 1 and stride != expected:
                return False
            expected *= extent
        return True

    @property
    def mappable(self) -> bool:
        """Whether a tensor map takes it: rows of whole 16 bytes whose elements are beside each other, and everything else at
        multiples of 16 bytes."""
        size, inner = self.element.isa.bytes, self.shape[-1]
        together = (inner == 1 or self.strides[-1] == size) and inner * size % ALIGNED == 0
        steps = [stride for extent, stride in zip(self.shape[:-1], self.strides[:-1]) if extent > 1]
        return together and self.address % ALIGNED == 0 and all(step > 0 and step % ALIGNED == 0 for step in steps)


class Transposed:
    """An array with its last two dimensions exchanged; `array` is the one that was given."""

    __slots__ = ("array",)

    def __init__(self, array: Any) -> None:
        self.array = array

    def __repr__(self) -> str:
        return f"transposed({self.array!r})"


def transposed(array: Any) -> Any:
    """An array for `matmul` and `grouped_matmul` whose last two dimensions are exchanged: nothing is moved. Arrays of ours lie
    without gaps; those of frameworks have views of their own (`x.mT`), which do the same."""
    return array.array if isinstance(array, Transposed) else Transposed(array)


def read(name: str, array: Any, stream: int = 0) -> Operand:
    """An array of ours, PyTorch's, CuPy's, JAX's or any other in device memory, ready for work on a stream where its library
    does not say its own; an operand is what it is. BuildError for what is none."""
    if isinstance(array, Operand):
        return array
    if isinstance(array, Transposed):
        whole = read(name, array.array, stream)
        if len(whole.shape) < 2:
            raise BuildError(f"{name} is an array of {whole.shape}, transposed", hint="two dimensions or more")
        return whole.transposed()
    if isinstance(array, Array):
        return Operand(array._here, array.shape, array.strides, _element(name, array.type), array.device, None)
    reader = reader_of(array)
    found = reader(array, stream) if reader is not None else None
    if found is None:
        raise BuildError(
            f"{name} is {type(array).__name__}, not an array in device memory",
            hint="dev.array(...), or an array of a framework on its GPU",
        )
    shape, strides = extents_of(array, found)
    place = device(f"cuda:{found.ordinal or 0}")
    return Operand(
        found.address,
        shape,
        strides,
        _element(name, found.element or element_of(array)),
        place,
        found.stream,
        found.keep,
    )


def read_dense(name: str, array: Any, shape: tuple[int, ...], **beside: Operand) -> Operand:
    """An array of f32 of a shape, on the device of others. BuildError for another shape, type, device, or gaps."""
    found = read(name, array)
    same_device(**beside, **{name: found})
    if found.shape != shape or found.element is not f32 or not found.contiguous:
        raise BuildError(
            f"{name} is .{found.element.isa.name} of {found.shape} with strides of {found.strides} bytes",
            hint=f".f32 of {shape}, without gaps",
        )
    return found


def _element(name: str, type_: Any) -> type[Value]:
    found = SCALARS.get(getattr(type_, "name", ""))
    if found is None:
        raise BuildError(f"{name} has elements of {type_!r}", hint="a type of ptxgen's: bf16, f16, f32, ...")
    return found


def as_map(name: str, operand: Operand) -> tuple[Operand, str]:
    """An operand of a product as (rows, depth) or (depth, rows), whichever lies together in memory, and which ("K" or "MN"); the
    result, "out", as (rows, depth). BuildError where a tensor map takes neither."""
    size = operand.element.isa.bytes
    for view, major in ((operand, "K"), (operand.transposed(), "MN")):
        if view.mappable and (major == "K" or (size == 2 and name != "out")):
            return view, major
    raise BuildError(
        f"{name} of shape {operand.shape} has strides of {operand.strides} bytes at {operand.address:#x}",
        hint=f"rows of whole {ALIGNED} bytes that begin at multiples of them; of elements of other than 2 bytes, along the depth",
    )


def same_device(**operands: Operand) -> None:
    """BuildError where they are on several devices."""
    first, *others = operands.items()
    for name, operand in others:
        if operand.device is not first[1].device:
            raise BuildError(
                f"{first[0]} is on {first[1].device.name}, {name} on {operand.device.name}", hint="copy one over"
            )


def check_target(what: str, place: Device, least: int) -> None:
    """BuildError on a device of a target before sm_`least`."""
    if find_target(place.target).sm < least:
        raise BuildError(f"{what} on {place.target}", hint=f"a device from sm_{least} on")


def check_apart(out: Operand, inputs: dict[str, Operand], *, name: str = "out", in_place: bool = False) -> None:
    """BuildError where the result overlaps an array that is read: which is first would depend on timing. `in_place`: it may
    have the very places of one."""
    for other, each in inputs.items():
        if each.overlaps(out) and not (in_place and each.places() == out.places()):
            raise BuildError(
                f"{name} of shape {out.shape} at {out.address:#x} overlaps {other} of shape {each.shape} at {each.address:#x}",
                hint="memory of its own" + (", or the same array" if in_place else ""),
            )


def empty_like(array: Any, place: Device, shape: tuple[int, ...], element: type[Value]) -> Any:
    """A new array of a shape, of the library of another one: PyTorch's and CuPy's own, else one of ours. Making it is no part of
    a graph that is being recorded."""
    with place.context.beside_captures() if running_captures else nullcontext():
        return _empty_like(array, place, shape, element)


def _empty_like(array: Any, place: Device, shape: tuple[int, ...], element: type[Value]) -> Any:
    home = type(array).__module__.partition(".")[0]
    if home == "torch":
        import torch

        return torch.empty(shape, dtype=getattr(torch, _TORCH[element.isa.name]), device=array.device)
    if home == "cupy" and element.isa.name in _CUPY:
        import cupy

        return cupy.empty(shape, dtype=_CUPY[element.isa.name])
    if running_captures:
        return place.empty(shape, element)
    return NewArrays(place, shape, element.isa, place.current_stream.handle)()


def maker_of(made: Any, stream: int | None) -> Callable[[], Any]:
    """What makes further arrays like one of `empty_like`, for work on a CUstream."""
    if isinstance(made, Array):
        return NewArrays(made.device, made.shape, made.type, stream or 0)
    home = type(made).__module__.partition(".")[0]
    if home == "torch":
        return partial(sys.modules["torch"].empty, made.shape, dtype=made.dtype, device=made.device)
    return partial(sys.modules[home].empty, made.shape, dtype=made.dtype)


def address_of(made: Any) -> int:
    """Where an array of `empty_like` begins."""
    if isinstance(made, Array):
        return made._here
    address: int = made.data_ptr() if hasattr(made, "data_ptr") else made.data.ptr
    return address


_TORCH = {
    "bf16": "bfloat16", "f16": "float16", "f32": "float32", "f64": "float64", "s32": "int32", "s8": "int8",
    "s16": "int16", "s64": "int64", "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64",
    "e4m3": "float8_e4m3fn", "e5m2": "float8_e5m2",
}  # fmt: skip
_CUPY = {
    "f16": "float16", "f32": "float32", "f64": "float64", "s8": "int8", "s16": "int16", "s32": "int32", "s64": "int64",
    "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64",
}  # fmt: skip


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
    found = next(iter(streams), None)
    if found and same_stream(found):  # on which memory of ours may be used
        place.context.share_memory()
    return found
