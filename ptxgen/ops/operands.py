"""Arrays of any library as an operation sees them: address, extents, element, device, and the stream that they bring."""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import ref

from driver_ctypes.arguments.pointers import element_of
from driver_ctypes.interop.arrays import reader_of
from driver_ctypes.interop.extents import extents_of
from driver_ctypes.streams.capturing import capture_of, running_captures
from ptxgen.builder import SCALARS
from ptxgen.errors import BuildError
from ptxgen.host import Array, Device, device

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from driver_ctypes.contexts.context import Context
    from ptxgen.builder.values import Value
    from ptxgen.isa.types import ScalarType
    from ptxgen.kernels.plan import KernelPlan

__all__ = [
    "ALIGNED",
    "Fill",
    "LaunchCache",
    "Operand",
    "Plans",
    "PreparedLaunch",
    "as_map",
    "check_apart",
    "empty_like",
    "explained",
    "prepare",
    "prepare_chain",
    "read",
    "same_device",
    "seen_launches",
    "stream_of",
    "transposed",
]

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
        """Whether all elements are beside each other, in order."""
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
        return Operand(array.pointer, array.shape, array.strides, _element(name, array.type), array.device, None)
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
    "s16": "int16", "s64": "int64", "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64",
    "e4m3": "float8_e4m3fn", "e5m2": "float8_e5m2",
}  # fmt: skip
_CUPY = {
    "f16": "float16", "f32": "float32", "f64": "float64", "s8": "int8", "s16": "int16", "s32": "int32", "s64": "int64",
    "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64",
}  # fmt: skip


class PreparedLaunch(NamedTuple):
    """A launch with everything checked and made."""

    launcher: Callable[..., None]
    arguments: tuple[Any, ...]
    place: Device
    stream: int | None
    context: Context
    """That of the device when it was made: after a reset there is another one."""
    scratch: tuple[Any, ...] = ()
    """Arrays of ours that it works with: it keeps them."""
    then: tuple[PreparedLaunch, ...] = ()
    """What is launched behind it."""
    operands: tuple[tuple[int, Operand, Any], ...] = ()
    """(which argument, the array that it is the address of, what makes its tensor map where it is that of one)."""
    plan: KernelPlan | Fill | None = None
    """What it was made of, without the arguments."""

    def run(self, *arrays: Any) -> None:
        """Launch it; where the stream is being captured, the graph keeps the arrays."""
        if _seen.launches is not None:
            _seen.launches.append(self)
        self.launcher(*self.arguments)
        for each in self.then:
            each.launcher(*each.arguments)
        if running_captures:
            capture = capture_of(self.place.context, self.stream or 0)
            if capture is not None:
                capture.retain(*arrays, *self.scratch)

    @property
    def usable(self) -> bool:
        """Whether nothing that it works with is closed."""
        if self.context.closed:
            return False
        return all(each is None or each._life.context is not None for each in self.scratch)


class Fill(NamedTuple):
    """Zeros into all of an array of ours: it may stand among the plans of a chain."""

    array: Array

    @property
    def explained(self) -> str:
        """What it does."""
        return f"zeros into {self.array.nbytes} bytes"

    def launch(self) -> None:
        """On the current stream."""
        self.array.fill(0)

    def prepared(self, place: Device, stream: int | None) -> PreparedLaunch:
        """It as a launch of `prepare`: one call of the driver whose arguments are made."""
        context, symbol = place.context, "cuMemsetD8Async"
        given = (self.array.pointer, 0, self.array.nbytes, stream or 0)
        types: tuple[Any, ...] = (ctypes.c_void_p, ctypes.c_ubyte, ctypes.c_size_t, ctypes.c_void_p)
        call = partial(context.driver.untyped(symbol), *(make(each) for make, each in zip(types, given)))

        def fill() -> None:
            if context.poisoned is not None:
                context.check()
            code = context.run(call)
            if code:
                raise context.error(symbol, code, given)

        return PreparedLaunch(fill, (), place, stream, context, plan=self)


class _Seen(threading.local):
    """Where the launches of this thread are noted; None where nobody asked."""

    launches: list[PreparedLaunch] | None = None


_seen = _Seen()


@contextmanager
def seen_launches() -> Iterator[list[PreparedLaunch]]:
    """What operations of this thread launch in the body, in its order."""
    before, _seen.launches = _seen.launches, []
    try:
        yield _seen.launches
    finally:
        _seen.launches = before


class LaunchCache:
    """Launches that a program asks for again and again: by their arrays, what else they were asked for with, and the stream."""

    __slots__ = ("_launches",)
    most = 4096

    def __init__(self) -> None:
        self._launches: dict[Any, PreparedLaunch] = {}

    def find(self, options: Any, *arrays: Any) -> tuple[Any, PreparedLaunch | None]:
        """(a key for `keep`, the launch that was kept for arrays at the same places of the same form). The key is None where
        an array is of a library that is read slowly; an array may be None, which stays out of it."""
        if arrays[0] is None:
            return None, None
        found = [options]
        number = None  # of the GPU whose current stream in PyTorch is followed
        for array in arrays:
            kind = type(array)
            if kind is Transposed:
                turned, array = True, array.array
                kind = type(array)
            else:
                turned = False
            if kind is Array:
                found += (array.pointer, array.shape, array.strides, array.type, array.device)
            elif array is None:
                found.append(None)
            elif hasattr(kind, "data_ptr") and array.is_cuda:
                number = array.get_device()
                found += (array.data_ptr(), array.shape, array.stride(), array.dtype, number)
            else:
                return None, None
            if turned:
                found.append("transposed")
        place = found[5]  # of the first array
        if type(place) is int:
            place = _gpus.get(place) or _gpus.setdefault(place, device(f"cuda:{place}"))
        if place.chosen.stream is not None:
            chosen = place.chosen_stream
            stream = None if chosen is None else chosen.handle
            if chosen is not None and chosen.owned:  # another stream may have its handle when it is closed
                found.append(ref(chosen))
        else:
            stream = None if number is None else sys.modules["torch"]._C._cuda_getCurrentRawStream(number)
        found.append(stream)
        key = tuple(found)
        try:
            known = self._launches.get(key)
        except TypeError:  # an option that is a list, which planning refuses
            return None, None
        return key, known if known is not None and known.usable else None

    def clear(self) -> None:
        """Forget all of them."""
        self._launches.clear()

    def keep(self, key: Any, launch: PreparedLaunch) -> None:
        """For the next `find` of the same; nothing where the key is None."""
        if key is not None:
            if len(self._launches) >= self.most:
                self._launches.clear()
            self._launches[key] = launch


_gpus: dict[int, Device] = {}

Plans = Sequence["KernelPlan | Fill"]
"""What is launched one behind the other."""


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


def prepare(
    plan: KernelPlan | Fill, place: Device, stream: int | None, scratch: tuple[Any, ...] = ()
) -> PreparedLaunch:
    """A plan whose arguments are `Operand`s, arrays of ours and numbers: addresses, and tensor maps of those that the kernel
    takes so. Of the arrays it keeps `scratch` alone."""
    if isinstance(plan, Fill):
        return plan.prepared(place, stream)
    handle = plan.kernel.on(place)
    signature = handle.function.signature
    assert signature is not None
    arguments: list[Any] = []
    operands = []
    for index, (parameter, argument) in enumerate(zip(signature.params, plan.arguments)):
        if isinstance(argument, Array):
            arguments.append(argument.pointer)
        elif not isinstance(argument, Operand):
            arguments.append(argument)
        else:
            made: Any = parameter.structure
            operands.append((index, argument, made))
            arguments.append(argument.address if made is None else made.over(argument.address, argument, place.context))
    key = (handle, plan.grid, plan.block, plan.shared, stream, plan.cooperative, plan.programmatic)
    launcher = _launchers.get(key)
    if launcher is None:
        if len(_launchers) >= LaunchCache.most:
            _launchers.clear()
        launcher = handle.bind(plan.grid, plan.block, shared=plan.shared, stream=stream, **plan.attributes)
        _launchers[key] = launcher
    made_of = plan._replace(arguments=())  # which would keep the caller's arrays
    return PreparedLaunch(
        launcher, tuple(arguments), place, stream, place.context, scratch, operands=tuple(operands), plan=made_of
    )


_launchers: dict[Any, Callable[..., None]] = {}
"""By all that a launch has beside its arguments: to make one takes 0.1 ms."""


def prepare_chain(plans: Plans, place: Device, stream: int | None, scratch: tuple[Any, ...] = ()) -> PreparedLaunch:
    """Plans that are launched one after the other, as one launch that holds their `scratch`."""
    first, *behind = (prepare(plan, place, stream) for plan in plans)
    return first._replace(then=tuple(behind), scratch=scratch)


def explained(plans: Plans) -> str:
    """What `explain=True` says of several launches."""
    return ", then ".join(plan.explained for plan in plans)
