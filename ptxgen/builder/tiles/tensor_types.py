"""What a tensor map is of: elements, box and swizzle; and the maps that launches make of arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Protocol, cast

from driver_ctypes.abi.structs import CUtensorMap
from driver_ctypes.arguments.parameter import as_pointer, element_of, same_bits
from driver_ctypes.errors import ArgumentError, ArgumentRangeError, ArgumentTypeError
from driver_ctypes.interop.arrays import extents_of
from driver_ctypes.memory.tensormap import ELEMENTS, TensorMapError, tensor_map, tensor_map_im2col
from driver_ctypes.memory.tensormap import TensorMap as DriverTensorMap
from driver_ctypes.typing import NamedTuple
from ptxgen.errors import AnnotationError
from ptxgen.isa.layouts.mixed_radix import LayoutError
from ptxgen.isa.layouts.swizzle import SWIZZLES, find_swizzle
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from driver_ctypes.interop.arrays import Foreign
    from driver_ctypes.session.session import Session
    from ptxgen.builder.core.function_builder import FunctionBuilder
    from ptxgen.builder.values.scalars import u64
    from ptxgen.isa.types import ScalarType

__all__ = ["ImageType", "Tensor", "TensorArgument", "TensorType", "UnstatedTensor"]

_BITS = {"e4m3": "u8", "e5m2": "u8", "s8": "u8", "b8": "u8", "s16": "u16", "b16": "u16", "b32": "u32", "b64": "u64"}
"""Types that a tensor map moves as others of their size."""

_MANY = 4096
"""Maps kept; a program with more of them makes them anew."""

_maps: dict[Any, bytes] = {}


PROMOTION: Literal["128B"] = "128B"
"""Bytes that L2 fetches at once: of 256, rows of 192 bytes were read at 75 instead of 92 % of a copy's bandwidth (H200)."""


class TensorType(NamedTuple):
    """Boxes of `box` elements of a type, innermost extent first, in shared memory with a swizzle."""

    type: ScalarType
    box: tuple[int, ...]
    swizzle: str = "none"

    @classmethod
    def of(cls, element: Any, box: Any = None, swizzle: str | int = "none") -> TensorType:
        """From `[bf16, (64, 128), "128B"]`, or 128 for the swizzle's bytes. AnnotationError for what is none."""
        isa = getattr(element, "isa", element)
        if getattr(isa, "name", None) not in TYPES or _element_name(isa) not in ELEMENTS:
            raise AnnotationError(f"TensorMap[...] of {element!r}", hint='TensorMap[bf16, (64, 128), "128B"]')
        if (
            not isinstance(box, tuple)
            or not 1 <= len(box) <= 5
            or any(type(n) is not int or not 1 <= n <= 256 for n in box)
        ):
            raise AnnotationError(
                f"TensorMap[...] with the box {box!r}", hint="up to 5 extents of 1 to 256 elements, innermost first"
            )
        try:
            name = find_swizzle(swizzle).name
        except LayoutError:
            raise AnnotationError(
                f"TensorMap[...] with swizzle {swizzle!r}", hint=f"one of {', '.join(SWIZZLES)}"
            ) from None
        return cls(isa, box, name)

    def __str__(self) -> str:
        return f"boxes of {'x'.join(map(str, self.box))} .{self.type.name}{_shown(self.swizzle)}"

    @property
    def extents(self) -> str:
        """What an array's extents are measured against."""
        return f"the box is {self.box}, innermost extent first"

    @property
    def rank(self) -> int:
        return len(self.box)

    def lacks(self, missing: int) -> bool:
        """May an array lack so many leading dimensions? One matrix, where a batch of them may be."""
        return self.box[self.rank - missing :] == (1,) * missing

    def map_of(self, address: int, shape: tuple[int, ...], strides: list[int], context: Session) -> DriverTensorMap:
        """The map of a tensor, innermost extent first. TensorMapError for what no map can describe."""
        return tensor_map(
            address, cast("Any", _element_name(self.type)), shape, self.box, strides=strides,
            swizzle=cast("Any", self.swizzle), promotion=PROMOTION, context=context,
        )  # fmt: skip

    def is_of(self, made: DriverTensorMap) -> bool:
        """Does a map move the same?"""
        return (made.element, made.box, made.swizzle) == (_element_name(self.type), self.box, self.swizzle)


class ImageType(NamedTuple):
    """`pixels` pixels of `channels` channels each, of a tensor of C, W (, H (, D)), N: the columns of im2col (manual 5.5.4).

    `lower` and `upper` are how far the places of a filter reach beyond the image's first and last pixel, W first; `steps` are
    from place to place.
    """

    type: ScalarType
    channels: int
    pixels: int
    lower: tuple[int, ...]
    upper: tuple[int, ...]
    steps: tuple[int, ...]
    swizzle: str = "none"

    def __str__(self) -> str:
        corners = f"corners {self.lower} and {self.upper}, steps {self.steps}"
        return f"{self.pixels} pixels of {self.channels} .{self.type.name}, {corners}{_shown(self.swizzle)}"

    @property
    def extents(self) -> str:
        return f"its dimensions are images, {', '.join('DHW'[-len(self.lower) :])}, channels"

    @property
    def rank(self) -> int:
        return len(self.lower) + 2

    def lacks(self, missing: int) -> bool:
        """One image may stand for a batch of one."""
        return missing == 1

    def map_of(self, address: int, shape: tuple[int, ...], strides: list[int], context: Session) -> DriverTensorMap:
        """As that of a `TensorType`."""
        return tensor_map_im2col(
            address, cast("Any", _element_name(self.type)), shape, self.lower, self.upper, self.channels, self.pixels,
            strides=strides, element_strides=(1, *self.steps, 1), swizzle=cast("Any", self.swizzle), promotion=PROMOTION,
            context=context,
        )  # fmt: skip

    def is_of(self, made: DriverTensorMap) -> bool:
        """Does a map move the same?"""
        mine = (self.channels, self.pixels, self.lower, self.upper, self.steps)
        return (made.element, made.columns, made.swizzle) == (_element_name(self.type), mine, self.swizzle)


def _shown(swizzle: str) -> str:
    return f", swizzle {swizzle}" if swizzle != "none" else ""


class Tensor(Protocol):
    """What copies of tiles ask of a tensor map in a kernel."""

    @property
    def builder(self) -> FunctionBuilder: ...
    @property
    def address(self) -> u64: ...
    def moves(self, needed: TensorType | ImageType) -> None: ...


class TensorArgument:
    """An argument that is a tensor map of boxes of a kind, or an array of which the launch makes it: what
    `driver_ctypes.arguments.parameter.ArrayStructure` asks for."""

    __slots__ = ("tensor",)

    def __init__(self, tensor: TensorType | ImageType) -> None:
        self.tensor: TensorType | ImageType = tensor

    @property
    def __name__(self) -> str:
        return f"TensorMap of {self.tensor}"

    def __eq__(self, other: object) -> bool:
        return self.tensor == other.tensor if isinstance(other, TensorArgument) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.tensor)

    def packed(self, value: Any, context: Session) -> bytes:
        """The 128 bytes for a launch: of a tensor map, or of an array in the context's memory.

        ArgumentTypeError for anything else and for other elements, ArgumentError for a map of other boxes, an array of
        another rank or whose rows have gaps between elements; ArgumentRangeError for what no map can describe.
        """
        if isinstance(value, CUtensorMap):
            return self._checked(value, context)
        return self.over(as_pointer(value, context), value, context)

    def over(self, address: int, array: Any, context: Session, found: Foreign | None = None) -> bytes:
        """The same of an array at an address; `found` is what its library says of it."""
        shape, strides = extents_of(array, found)
        key = (self.tensor, address, shape, strides, id(context), context.handle)
        known = _maps.get(key)
        if known is None:
            if len(_maps) >= _MANY:
                _maps.clear()
            known = _maps[key] = self._made(address, array, shape, strides, context, found)
        return known

    def _made(
        self,
        address: int,
        array: Any,
        shape: tuple[int, ...],
        strides: tuple[int, ...],
        context: Session,
        found: Foreign | None,
    ) -> bytes:
        element = found.element if found is not None else element_of(array)
        if element is not None and not same_bits(element, self.tensor.type):
            raise ArgumentTypeError(
                f"a tensor map of .{self.tensor.type.name}, the array has .{element.name}",
                hint=f"make it an array of {self.tensor.type.name}",
            )
        rank = self.tensor.rank
        missing = rank - len(shape)
        if missing > 0 and self.tensor.lacks(missing):
            shape, strides = (1,) * missing + shape, (0,) * missing + strides
        if len(shape) != rank:
            raise ArgumentError(
                f"an array of {len(shape)} dimensions {shape}, the tensor map has {rank}",
                hint=f"reshape it: {self.tensor.extents}",
            )
        size = self.tensor.type.bytes
        if shape and shape[-1] > 1 and strides[-1] != size:
            raise ArgumentError(
                f"the array's innermost elements are {strides[-1]} bytes apart, and a tensor map has them together ({size})",
                hint="a contiguous copy, or its transposed view where the kernel takes that",
            )
        apart = [size * shape[-1] if shape else size]
        for extent, stride in zip(reversed(shape[:-1]), reversed(strides[:-1])):
            apart[-1] = stride if extent > 1 else -(-apart[-1] // 16) * 16  # of one row the stride says nothing
            apart.append(apart[-1] * extent)
        try:
            made = self.tensor.map_of(address, shape[::-1], apart[:-1], context)
        except TensorMapError as wrong:  # the launch says which argument it is
            raise ArgumentRangeError(str(wrong.args[0]), hint=wrong.hint) from None
        return bytes(made)

    def _checked(self, value: CUtensorMap, context: Session) -> bytes:
        made = _bytes_of(value, context)
        if isinstance(value, DriverTensorMap) and value.shape and not self.tensor.is_of(value):
            boxes = f"boxes of {'x'.join(map(str, value.box))}" if value.box else f"im2col {value.columns} of"
            raise ArgumentError(
                f"a tensor map of {boxes} {value.element}, swizzle {value.swizzle}",
                hint=f"the kernel takes {self.tensor}; pass the array itself, and the launch makes the map",
            )
        return made


class UnstatedTensor:
    """A tensor map of which the kernel does not say what its copies move: `driver_ctypes.tensor_map` makes it."""

    @property
    def __name__(self) -> str:
        return "TensorMap"

    def packed(self, value: Any, context: Session) -> bytes:
        """Its bytes. ArgumentTypeError for anything but a tensor map, ArgumentError and ClosedError where its memory is
        another context's or closed."""
        if not isinstance(value, CUtensorMap):
            raise ArgumentTypeError(
                f"expected a tensor map, found {type(value).__name__} {value!r:.60}",
                hint='pass driver_ctypes.tensor_map(array, "f16", shape, box), or state the parameter\'s boxes: '
                'px.TensorMap[f16, (64, 128), "128B"] takes an array',
            )
        return _bytes_of(value, context)


def _bytes_of(made: CUtensorMap, context: Session) -> bytes:
    """A map's 128 bytes. ArgumentError and ClosedError where its memory is another context's or closed."""
    memory = getattr(made, "memory", None)
    if memory is not None:
        as_pointer(memory, context)
    return bytes(made)


def _element_name(type_: ScalarType) -> str:
    return _BITS.get(type_.name, type_.name)
