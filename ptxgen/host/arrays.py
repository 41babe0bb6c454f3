"""Arrays in device memory: shape, strides, type and device."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

from driver_ctypes.errors import ArgumentError, ArgumentTypeError
from driver_ctypes.interop.elements import FILL_OR_DATA, is_masked
from ptxgen.host import exchange
from ptxgen.host.formats import (
    ENCODED,
    as_integers,
    as_scalar_type,
    decode,
    encode,
    numpy_module,
    numpy_name,
    pack_numbers,
    scalar_of_numpy,
)
from ptxgen.host.sanitizing import surface

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from driver_ctypes.contexts.context import Context
    from driver_ctypes.lifetime import Life
    from driver_ctypes.memory.caching import FreeList
    from ptxgen.host.machine import Device
    from ptxgen.isa.types import ScalarType

__all__ = ["Array", "NewArrays", "array_from", "empty"]


class Memory(Protocol):
    """What an array lies in: a driver buffer, or a module's variable."""

    @property
    def pointer(self) -> int: ...

    @property
    def context(self) -> Any:  # the Context of the device
        ...

    def close(self) -> None: ...

    _life: Life
    """Shared with every array that lies in it; see `driver_ctypes.lifetime.Life`."""


_SHOWN = 1 << 26
"""Bytes of the largest array of which a notebook shows values."""


class Array:
    """An array in a device's memory. `shape` in elements, `strides` in bytes; `pointer` is its address on the device,
    `buffer` the memory it lies in.

    Views (`x[2:5]`, `x.reshape(...)`) share memory with their array and keep it alive.
    """

    __slots__ = (
        "__weakref__",
        "_address",
        "_life",
        "_offset",
        "_place",
        "buffer",
        "device",
        "shape",
        "strides",
        "type",
    )

    def __init__(
        self, device: Device, buffer: Memory, type: ScalarType, shape: tuple[int, ...], offset: int = 0,
        begin: int | None = None,
    ) -> None:  # fmt: skip
        """`begin` is the address of the memory for whom does not want to ask for it: who asks may keep it
        (`driver_ctypes.memory.caching`)."""
        self.device: Device = device
        self.buffer: Memory = buffer
        self.type: ScalarType = type
        self.shape: tuple[int, ...] = shape
        self._offset = offset
        self._address = (
            buffer.pointer if begin is None else begin
        ) + offset  # with _life and type, what a native launcher reads
        self._life = buffer._life
        self._place = (self._address, shape, type, device)  # what tells it from other arrays
        self.strides: tuple[int, ...] = strides_of(shape, type)

    def __repr__(self) -> str:
        return f"<array {self.shape} .{self.type.name} on {self.device.name}>"

    def _repr_html_(self) -> str:
        """With values as numpy shortens them, where numpy is here, the memory is open and a copy of it is small."""
        from importlib.util import find_spec

        from ptxgen.markup import box, listing

        if find_spec("numpy") is None or self._life.context is None or self.nbytes > _SHOWN:
            return box(repr(self))
        import numpy

        return box(repr(self), listing(numpy.array2string(self.numpy(), threshold=64, max_line_width=100)))

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("an array without dimensions has no length")
        return self.shape[0]

    @property
    def size(self) -> int:
        """Elements."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        return self.size * self.type.bytes

    @property
    def pointer(self) -> int:
        """The address on the device. ClosedError after close()."""
        return self.buffer.pointer + self._offset

    @property
    def _here(self) -> int:
        """The same for uses that end with the call, or are queued on a stream of this context."""
        if self._life.context is None or self.buffer.context.closed:
            return self.pointer
        return self._address

    @property
    def context(self) -> Context:
        """The driver context that owns the memory."""
        context: Context = self.buffer.context
        return context

    @property
    def alignment(self) -> int:
        """The largest power of two, up to 256, that divides the address."""
        return min(256, self._here & -self._here or 256)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """Version 3 of the protocol, for the frameworks on the GPU. Types that numpy does not know appear as their bits; DLPack
        knows them."""
        if self.device.kind != "cuda":
            raise AttributeError("an array of the CPU device is not in GPU memory")
        dtype = {"f": "f", "s": "i"}.get(self.type.kind, "u") if self.type.name not in ENCODED else "u"
        stream = self.device.current_stream.handle
        return {
            "shape": self.shape,
            "typestr": f"{'|' if self.type.bytes == 1 else '<'}{dtype}{self.type.bytes}",
            "data": (self.pointer if self.size else 0, False),
            "version": 3,
            "strides": None,
            "stream": stream or 1,
        }

    def __dlpack_device__(self) -> tuple[int, int]:
        """(DLDeviceType, ordinal): CUDA memory. BufferError on the CPU device, whose memory is its own arena."""
        return exchange.device_of(self)

    def __dlpack__(
        self, *, stream: int | None = None, max_version: Any = None, dl_device: Any = None, copy: bool | None = None
    ) -> Any:
        """A DLPack capsule of this memory, ready for work on the receiver's `stream` (1, or none, is the default one; -1 asks
        for no order). The memory lives as long as the receiver uses it, also after `close()`."""
        return exchange.give(self, stream, max_version, dl_device, copy)

    def close(self) -> None:
        """Free the memory now. The memory of a view belongs to the whole array."""
        self.buffer.close()

    def __enter__(self) -> Array:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Host and device

    def bytes(self) -> bytearray:
        """The contents, after all earlier work of the current stream."""
        out = bytearray(self.nbytes)
        if out:
            stream = self.device.current_stream
            self.context.copy_to_host(out, self._here, self.nbytes, stream=stream)
            stream.synchronize()
            if self.device.kind == "cpu":
                surface()
        return out

    def numpy(self, *, bits: bool = False) -> Any:
        """A copy on the host. bf16 and fp8 come as float32 values (exact), or with `bits` as their bit patterns."""
        np = numpy_module()
        raw = np.frombuffer(self.bytes(), dtype=numpy_name(self.type)).reshape(self.shape)
        return decode(raw, self.type) if self.type.name in ENCODED and not bits else raw

    def item(self) -> int | float:
        """The one element, as a Python number."""
        if self.size != 1:
            raise ArgumentError(f"item() of {self!r}, which has {self.size} elements", hint="x[i].item(), or x.numpy()")
        found: int | float = self.numpy().item()
        return found

    def copy_from(self, data: Any) -> Array:
        """Overwrite the contents with host data of the same shape, or with another array of this device."""
        if isinstance(data, Array):
            if data.nbytes != self.nbytes or data.type is not self.type:
                raise ArgumentTypeError(f"{data!r} does not fit into {self!r}")
            if self.nbytes:
                self.context.copy(self._here, data._here, self.nbytes, stream=self.device.current_stream)
            return self
        host, shape, _ = host_bytes(data, self.type)
        if shape != self.shape:
            raise ArgumentTypeError(f"data of shape {shape} into an array of shape {self.shape}")
        if self.nbytes:
            stream = self.device.current_stream
            self.context.copy_to_device(self._here, host, self.nbytes, stream=stream)
            if not stream.capturing:
                stream.synchronize()  # the host data may be gone after this call
        return self

    def fill(self, value: float) -> Array:
        """Set every element (a copy from the host unless the pattern repeats every 1, 2 or 4 bytes)."""
        element = pack_numbers([value], self.type)
        width = next((w for w in (1, 2, 4) if element == element[:w] * (len(element) // w)), 0)
        if not self.nbytes:
            return self
        if width:
            pattern = int.from_bytes(element[:width], "little")
            stream = self.device.current_stream
            self.context.memset(self._here, pattern, self.nbytes // width, width=width, stream=stream)
            return self
        self.context.copy_to_device(self._here, bytes(element) * self.size, self.nbytes)
        return self

    # Views

    def _part(self, type: ScalarType, shape: tuple[int, ...], offset: int) -> Array:
        return Array(self.device, self.buffer, type, shape, offset, self._here - self._offset)

    def reshape(self, *shape: int) -> Array:
        """The same memory under another shape; one extent may be -1."""
        wanted = shape
        if -1 in wanted:
            rest = math.prod(n for n in wanted if n != -1)
            wanted = tuple(self.size // max(rest, 1) if n == -1 else n for n in wanted)
        if math.prod(wanted) != self.size:
            raise ArgumentError(f"{self.size} elements do not make the shape {wanted}")
        return self._part(self.type, wanted, self._offset)

    def view(self, type: Any) -> Array:
        """The same bytes as another type; the last extent changes with the element size."""
        new = as_scalar_type(type)
        if not self.shape or (self.shape[-1] * self.type.bytes) % new.bytes:
            raise ArgumentError(f"{self!r} cannot be viewed as .{new.name}")
        shape = (*self.shape[:-1], self.shape[-1] * self.type.bytes // new.bytes)
        return self._part(new, shape, self._offset)

    def __getitem__(self, index: int | slice) -> Array:
        """A contiguous part along the first axis: `x[3]`, `x[2:5]`. ArgumentTypeError for any other index."""
        if not self.shape:
            raise IndexError("an array without dimensions cannot be indexed; x.item() is its element")
        extent, step = self.shape[0], self.strides[0]
        if isinstance(index, slice):
            try:
                start, stop, stride = index.indices(extent)
            except (TypeError, ValueError):
                raise _no_index(index) from None
            if stride != 1:
                raise ArgumentError("a view is contiguous: its step is 1", hint="x.numpy()[...], a copy on the host")
            shape = (max(0, stop - start), *self.shape[1:])
            return self._part(self.type, shape, self._offset + start * step)
        try:
            index = operator.index(index)
        except TypeError:
            raise _no_index(index) from None
        position = index + extent if index < 0 else index
        if not 0 <= position < extent:
            raise IndexError(f"index {index} outside an axis of {extent}")
        return self._part(self.type, self.shape[1:], self._offset + position * step)

    # What host arrays can do and this cannot

    def __setitem__(self, index: object, value: object) -> NoReturn:
        raise ArgumentTypeError(
            "an array in device memory takes no elements one by one", hint="x[2:5].copy_from(data), or x[3].fill(value)"
        )

    def __iter__(self) -> Iterator[Array]:
        """The parts along the first axis, the rows of a matrix. Single elements are not fetched one by one."""
        if len(self.shape) < 2:
            raise ArgumentTypeError(
                "the elements of an array in device memory are not iterated over", hint="x.numpy(), a copy on the host"
            )
        return (self[i] for i in range(self.shape[0]))

    def __array__(self, dtype: Any = None, copy: Any = None) -> NoReturn:
        raise ArgumentTypeError("the array lies in device memory, which numpy cannot see", hint="x.numpy(), a copy")


def _no_index(index: object) -> ArgumentTypeError:
    found = "..." if index is ... else repr(index)
    return ArgumentTypeError(
        f"an array in device memory has no part [{found if len(found) < 60 else type(index).__name__}]",
        hint="an integer or a contiguous slice: x[3], x[2:5], x[1][2]; x.numpy()[...] for the rest",
    )


def strides_of(shape: tuple[int, ...], type: ScalarType) -> tuple[int, ...]:
    """Bytes from element to element along each axis, without gaps."""
    strides = [type.bytes] * len(shape)
    for axis in reversed(range(len(shape) - 1)):
        strides[axis] = strides[axis + 1] * shape[axis + 1]
    return tuple(strides)


def empty(device: Device, shape: int | Sequence[int], type: Any) -> Array:
    """An array that is not initialised."""
    scalar = as_scalar_type(type)
    try:
        extents = tuple(map(operator.index, shape if isinstance(shape, Iterable) else (shape,)))
    except TypeError:
        raise ArgumentTypeError(f"a shape of {shape!r}", hint="an integer, or a tuple of integers") from None
    if any(n < 0 for n in extents):
        raise ArgumentError(f"a shape of {extents}", hint="extents are 0 or more")
    buffer = device.context.alloc(max(1, math.prod(extents) * scalar.bytes))
    return Array(device, buffer, scalar, extents)


class NewArrays:
    """Makes arrays of one form for work that is queued on a CUstream from then on, in memory that is kept for the next one when
    an array is closed or dropped (`driver_ctypes.Context.alloc_cached`)."""

    __slots__ = ("_blocks", "_device", "_nbytes", "_shape", "_stream", "_strides", "_type")

    def __init__(self, device: Device, shape: tuple[int, ...], type: ScalarType, stream: int) -> None:
        self._device, self._shape, self._type, self._stream = device, shape, type, stream
        self._strides = strides_of(shape, type)
        self._nbytes = max(1, math.prod(shape) * type.bytes)
        self._blocks: FreeList | None = None

    def __call__(self) -> Array:
        """A new array, not initialised."""
        device, shape, type, blocks = self._device, self._shape, self._type, self._blocks
        context = device.context
        if blocks is None or blocks.context is not context or blocks.most < 0:
            blocks = self._blocks = context.allocator.list_for(self._nbytes, self._stream)
        buffer = context.alloc(self._nbytes) if blocks is None else blocks.take(self._nbytes)
        made = _new(Array)  # half the time of a call
        made.device, made.buffer, made.type, made.shape, made.strides = device, buffer, type, shape, self._strides
        made._offset, made._life = 0, buffer._life
        made._address = address = buffer._address
        made._place = (address, shape, type, device)
        return made


_new = object.__new__


def array_from(device: Device, data: Any, type: Any = None) -> Array:
    """A new array with a copy of host data (a numpy array, anything with the buffer protocol, or nested lists of numbers), or of
    a GPU array of this device, ours or a framework's."""
    scalar = None if type is None else as_scalar_type(type)
    source = data if isinstance(data, Array) and data.device is device else exchange.borrow(device, data)
    if source is not None:
        if scalar is not None and scalar is not source.type:
            raise ArgumentTypeError(
                f"an array of .{source.type.name} is copied as it is, not as .{scalar.name}",
                hint="convert it with its framework, or view its bytes: array.view(...)",
            )
        return empty(device, source.shape, source.type).copy_from(source)
    host, shape, found = host_bytes(data, scalar)
    array = empty(device, shape, found)
    if array.nbytes:
        stream = device.current_stream
        array.context.copy_to_device(array._here, host, array.nbytes, stream=stream)
        if not stream.capturing:
            stream.synchronize()
    return array


def host_bytes(data: Any, type: ScalarType | None) -> tuple[Any, tuple[int, ...], ScalarType]:
    """(contiguous bytes, shape, type) of host data, converted to `type` when one is asked for."""
    if isinstance(data, (list, tuple, int, float)):
        return _from_lists(data, type)
    if is_masked(data.__class__):
        raise ArgumentTypeError("an array on a device has no mask, and the data is a masked array", hint=FILL_OR_DATA)
    np = numpy_module()
    data, own = exchange.host_array(data)
    host = np.asarray(data)
    if own is not None:  # bit patterns
        if type is None or type is own or (type.kind == "b" and type.bits == own.bits):
            return host.reshape(-1).view(np.uint8), tuple(host.shape), type or own
        host = decode(host, own)
    if host.dtype == object:
        raise ArgumentTypeError(
            "the data has no numeric type", hint="a numpy array, or lists of numbers of equal length"
        )
    if type is not None and host.dtype.kind not in "biuf":
        raise ArgumentTypeError(f"data of {host.dtype} is not converted to .{type.name}", hint="data.astype(...) first")
    if not host.dtype.isnative:  # a device is little-endian, as the hosts of GPUs are
        host = host.astype(host.dtype.newbyteorder("="))
    if type is None:
        type = scalar_of_numpy(host.dtype.name)
        host = host.astype(np.uint8) if host.dtype == bool else host
    elif type.name in ENCODED:
        raw = host.dtype == np.dtype(numpy_name(type))  # already bit patterns
        host = host if raw else encode(host, type).reshape(host.shape)
    else:
        integral = np.dtype(numpy_name(type)).kind in "iu"
        host = as_integers(host, type) if integral else host.astype(numpy_name(type), copy=False)
    contiguous = np.ascontiguousarray(host)
    return contiguous.reshape(-1).view(np.uint8), tuple(host.shape), type


def _from_numpy_parts(data: Any, type: ScalarType | None) -> tuple[Any, tuple[int, ...], ScalarType]:
    """Of lists that hold numpy's numbers or arrays."""
    np = numpy_module()
    try:
        return host_bytes(np.asarray(data), type)
    except ValueError:  # numpy's, for parts of different shapes
        raise ArgumentTypeError("an array is made of numbers, in parts of equal length") from None


def _from_lists(data: Any, type: ScalarType | None) -> tuple[bytes, tuple[int, ...], ScalarType]:
    shape: list[int] = []
    flat = [data]
    above: set[int] = set()
    while flat and isinstance(flat[0], (list, tuple)):
        lists = set(map(id, flat))
        if not above.isdisjoint(lists):  # of an array, a list lies at one depth only
            raise ArgumentTypeError("a list that contains itself makes no array")
        above |= lists
        lengths = {len(part) if isinstance(part, (list, tuple)) else -1 for part in flat}
        if len(lengths) != 1 or -1 in lengths:
            raise ArgumentTypeError("nested lists of different lengths make no array")
        shape.append(len(flat[0]))
        flat = [item for part in flat for item in part]
    if any(not isinstance(item, (int, float)) for item in flat):
        return _from_numpy_parts(data, type)
    if type is None:
        type = as_scalar_type("f32" if any(isinstance(item, float) for item in flat) else "s32")
    return pack_numbers(flat, type), tuple(shape), type
