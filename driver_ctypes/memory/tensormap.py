"""Tensor maps: how the tensor memory accelerator finds the boxes of a tensor (PTX manual 5.5, CUDA 12.0, sm_90).

    map = dc.tensor_map(buffer, "f16", shape=(4096, 512), box=(64, 32), swizzle="128B")
    function.launch(grid, block, map, ...)        # a .param .align 64 .b8 name[128], by value

Extents are innermost dimension first, as the driver and PTX count them. The driver answers "invalid value" to every
mistake; here each rule has its own message, checked before the driver is called. Rules: CUDA driver API, "Tensor Map
Object Management"; the limit of a box's bytes was found on an H200.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Literal

from driver_ctypes.abi.launch_structs import CUtensorMap
from driver_ctypes.arguments.parameter import as_pointer
from driver_ctypes.errors import ArgumentRangeError, ArgumentTypeError, NotSupportedError
from driver_ctypes.interop.arrays import foreign_ordinal, is_foreign
from driver_ctypes.lifetime import opened_drivers
from driver_ctypes.typing import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    ElementName = Literal[
        "u8", "u16", "u32", "s32", "u64", "s64", "f16", "f32", "f64", "bf16", "f32_ftz", "tf32", "tf32_ftz",
        "b4x16", "b4x16_p64", "b6x16_p32",
    ]  # fmt: skip
    Swizzle = Literal["none", "32B", "64B", "128B", "128B_ATOM_32B", "128B_ATOM_32B_FLIP_8B", "128B_ATOM_64B"]
    Interleave = Literal["none", "16B", "32B"]
    Promotion = Literal["none", "64B", "128B", "256B"]

    from driver_ctypes.session.session import Session


class _Element(NamedTuple):
    code: int  # CUtensorMapDataType
    bits: int
    is_float: bool = False


ELEMENTS: dict[str, _Element] = {
    "u8": _Element(0, 8), "u16": _Element(1, 16), "u32": _Element(2, 32), "s32": _Element(3, 32),
    "u64": _Element(4, 64), "s64": _Element(5, 64), "f16": _Element(6, 16, True), "f32": _Element(7, 32, True),
    "f64": _Element(8, 64, True), "bf16": _Element(9, 16, True), "f32_ftz": _Element(10, 32, True),
    "tf32": _Element(11, 32, True), "tf32_ftz": _Element(12, 32, True), "b4x16": _Element(13, 4),
    "b4x16_p64": _Element(14, 4), "b6x16_p32": _Element(15, 6),
}  # fmt: skip
"""Element types by PTX name; the last three (sm_100) are packed, and padded when they are copied (manual 5.5.1.1)."""

_SWIZZLES = {  # name -> (CUtensorMapSwizzle, widest inner extent in bytes)
    "none": (0, 1 << 40), "32B": (1, 32), "64B": (2, 64), "128B": (3, 128), "128B_ATOM_32B": (4, 128),
    "128B_ATOM_32B_FLIP_8B": (5, 128), "128B_ATOM_64B": (6, 128),
}  # fmt: skip
_INTERLEAVES = {"none": 0, "16B": 1, "32B": 2}
_SLICES = {"16B": 16, "32B": 32}  # bytes of a slice of channels
_PROMOTIONS = {"none": 0, "64B": 1, "128B": 2, "256B": 3}
_PADDED = ("b4x16_p64", "b6x16_p32")
_CORNER_BITS = {3: 16, 4: 8, 5: 5}  # by rank
_LARGEST_BOX = 228 << 10  # bytes in shared memory, as found on an H200
_ALIGNMENT = 64  # of the place that the driver writes to
_BLACKWELL = (10, 0)


class TensorMapError(ArgumentRangeError):
    """A tensor map that cannot be. ``name`` is the argument, ``expected`` what it must be, ``found`` what it was."""

    def __init__(self, name: str, found: Any, expected: str, *, hint: str | None = None) -> None:
        super().__init__(f"tensor map: {name} is {found}; it must be {expected}", name=name, hint=hint)
        self.found = found
        self.expected = expected


class TensorMap(CUtensorMap):
    """128 bytes that only the driver understands; `tensor_map` makes one. It is passed by value as a kernel parameter of
    128 bytes, aligned to 64 (``__grid_constant__ const CUtensorMap``), as long as its memory is open. A graph with it as an
    argument keeps that memory.
    """

    memory: Any = None
    """What it was made of: kept, but not kept open."""
    shape: tuple[int, ...] = ()
    """The tensor's extents in elements, innermost first."""
    element = ""
    """The name of its elements' type."""
    box: tuple[int, ...] = ()
    """What one copy moves, innermost extent first; empty for im2col."""
    columns: tuple[Any, ...] = ()
    """Of im2col: channels and pixels of one copy, the corners of the box, and the steps from pixel to pixel."""
    swizzle = "none"
    """Where a copy puts bytes in shared memory."""
    _context: Session | None = None
    _apart = 16

    def replace_address(self, memory: Any) -> None:
        """Let it mean other memory of the same shape. Raises TensorMapError for an address that is not aligned."""
        context = self._context
        if context is None:
            raise ArgumentTypeError("an empty tensor map has no address to replace", hint="make it with tensor_map")
        address = as_pointer(memory, context)
        _need(address != 0, "address", "null", "memory")
        _need(address % self._apart == 0, "address", hex(address), f"a multiple of {self._apart}")
        with _AlignedPlace(self) as place:
            context.call("cuTensorMapReplaceAddress", place, address)
        self.memory = memory

    @property
    def _arrays(self) -> tuple[Any, ...]:
        """What a graph keeps beside it."""
        return (self.memory,)

    def check_open(self) -> None:
        """Raises ClosedError where its memory is closed."""
        getattr(self.memory, "pointer", None)

    def __bytes__(self) -> bytes:
        return ctypes.string_at(ctypes.addressof(self), ctypes.sizeof(self))

    def __repr__(self) -> str:
        return f"<TensorMap of {self.shape} over {self.memory!r}>" if self.shape else "<TensorMap, empty>"


class _AlignedPlace:
    """An aligned copy of a map for the driver to write to, copied back in the end: ctypes does not align."""

    def __init__(self, target: TensorMap) -> None:
        self._target = target
        self._room = ctypes.create_string_buffer(ctypes.sizeof(target) + _ALIGNMENT)
        self._address = -(-ctypes.addressof(self._room) // _ALIGNMENT) * _ALIGNMENT

    def __enter__(self) -> int:
        ctypes.memmove(self._address, ctypes.addressof(self._target), ctypes.sizeof(self._target))
        return self._address

    def __exit__(self, kind: Any, *_: object) -> None:
        if kind is None:
            ctypes.memmove(ctypes.addressof(self._target), self._address, ctypes.sizeof(self._target))


def _need(holds: bool, name: str, found: Any, expected: str, hint: str | None = None) -> None:
    if not holds:
        raise TensorMapError(name, found, expected, hint=hint)


def _named(table: Any, name: str, value: Any) -> Any:
    if value not in table:
        raise TensorMapError(name, repr(value), f"one of {', '.join(table)}")
    return table[value]


class _Checked:
    """The arguments of both modes, checked one by one."""

    def __init__(
        self, context: Session, memory: Any, element: str, shape: Sequence[int], strides: Sequence[int] | None,
        element_strides: Sequence[int] | None, interleave: str, swizzle: str, promotion: str, nan_fill: bool,
        im2col: bool,
    ) -> None:  # fmt: skip
        self.element = _named(ELEMENTS, "element", element)
        self.name, self.interleave, self.swizzle = element, interleave, swizzle
        self.modes = (
            _named(_INTERLEAVES, "interleave", interleave), _named(_SWIZZLES, "swizzle", swizzle)[0],
            _named(_PROMOTIONS, "promotion", promotion), int(nan_fill),
        )  # fmt: skip
        self.shape, self.rank = tuple(shape), len(shape)
        lowest = 3 if im2col else 1
        _need(lowest <= self.rank <= 5, "shape", f"of rank {self.rank}", f"of rank {lowest} to 5")
        self._check_device(context)
        self.apart = 32 if interleave == "32B" or element in _PADDED else 16
        self.address = as_pointer(memory, context)
        why = "" if self.apart == 16 else " with interleave 32B, and for padded elements"
        _need(self.address % self.apart == 0, "address", hex(self.address), f"a multiple of {self.apart}{why}")
        self._check_shape()
        self.strides = self._checked_strides(strides, why)
        self.steps = tuple(element_strides) if element_strides is not None else (1,) * self.rank
        _need(len(self.steps) == self.rank, "element_strides", f"{len(self.steps)} numbers", str(self.rank))
        for axis, step in enumerate(self.steps):
            _need(1 <= step <= 8, f"element_strides[{axis}]", step, "1 to 8")
        self._check_modes(nan_fill)
        self._check_fits(memory)

    def _check_device(self, context: Session) -> None:
        if context.device.compute_capability < _BLACKWELL:
            packed, atoms = self.name.startswith(("b4", "b6")), "ATOM" in self.swizzle
            if packed or atoms:
                what = f"element {self.name}" if packed else f"swizzle {self.swizzle}"
                raise NotSupportedError(
                    f"tensor map: {what} needs compute capability 10.0; {context.device!r} has "
                    f"{'.'.join(map(str, context.device.compute_capability))}",
                    code=801, name="CUDA_ERROR_NOT_SUPPORTED",
                )  # fmt: skip

    def _check_shape(self) -> None:
        for axis, extent in enumerate(self.shape):
            _need(1 <= extent <= 1 << 32, f"shape[{axis}]", extent, "1 to 2**32")
        if self.name in _PADDED:
            _need(self.shape[0] % 128 == 0, "shape[0]", self.shape[0], f"a multiple of 128 for {self.name}")
        elif self.name == "b4x16":
            _need(self.shape[0] % 2 == 0, "shape[0]", self.shape[0], "even for b4x16")

    def _checked_strides(self, strides: Sequence[int] | None, why: str) -> tuple[int, ...]:
        """Bytes from element to element of each dimension but the first; by default those of memory without gaps."""
        if strides is None:
            made, apart = [], self.shape[0] * self.element.bits // 8
            for extent in self.shape[1:]:
                made.append(apart)
                apart *= extent
            strides = made
        _need(
            len(strides) == self.rank - 1, "strides", f"{len(strides)} numbers",
            f"{self.rank - 1}: bytes, one a dimension but the first",
        )  # fmt: skip
        for axis, stride in enumerate(strides):
            _need(
                stride % self.apart == 0, f"strides[{axis}]", stride, f"a multiple of {self.apart}{why}",
                hint="pad the rows: the accelerator reads 16 bytes at a time",
            )  # fmt: skip
            _need(0 <= stride < 1 << 40, f"strides[{axis}]", stride, "less than 2**40")
        return tuple(strides)

    def _check_modes(self, nan_fill: bool) -> None:
        if self.interleave != "none":
            _need(self.rank >= 3, "shape", f"of rank {self.rank}", f"of rank 3 to 5 with interleave {self.interleave}")
        if self.interleave == "32B":
            _need(self.swizzle == "32B", "swizzle", self.swizzle, "32B with interleave 32B")
        if nan_fill:
            _need(self.element.is_float, "nan_fill", f"set for {self.name}", "unset for what is not a float")

    def _check_fits(self, memory: Any) -> None:
        have = getattr(memory, "nbytes", None)
        if not isinstance(have, int):
            return
        slice_ = _SLICES.get(self.interleave)
        last = self.shape[0] * self.element.bits // 8 if slice_ is None else self.shape[0] * slice_
        last += sum((extent - 1) * stride for extent, stride in zip(self.shape[1:], self.strides))
        _need(
            last <= have, "shape", f"of {last} bytes", f"of {have} bytes at most, which the {type(memory).__name__} has"
        )

    def inner(self, name: str, elements: int, outer: int) -> None:
        """The innermost extent in shared memory, and how much all of a copy takes there."""
        bits = 8 if self.name in _PADDED else self.element.bits
        size = elements * bits // 8
        said = f"{elements} ({size} bytes)"
        if self.name in _PADDED:
            _need(elements == 128, name, elements, f"128 for {self.name}")
        _need(elements * bits % 128 == 0, name, said, "a multiple of 16 bytes")
        span = _SWIZZLES[self.swizzle][1]
        if self.interleave == "none":
            _need(
                size <= span, name, said, f"at most {span} bytes with swizzle {self.swizzle}",
                hint="use narrower boxes, several beside each other, or a wider swizzle",
            )  # fmt: skip
        total = -(-elements // self.steps[0]) * bits // 8 * outer
        _need(total <= _LARGEST_BOX, "box", f"of {total} bytes", f"of {_LARGEST_BOX} bytes at most")

    def head(self) -> tuple[tuple[Any, ...], Any]:
        """The first arguments of the driver's function, and the array of element strides."""
        wide = ctypes.c_uint64 * 5
        first = (self.element.code, self.rank, self.address, wide(*self.shape), wide(*self.strides))
        return first, (ctypes.c_uint32 * 5)(*self.steps)


def tensor_map(
    memory: Any, element: ElementName, shape: Sequence[int], box: Sequence[int], *, strides: Sequence[int] | None = None,
    element_strides: Sequence[int] | None = None, interleave: Interleave = "none", swizzle: Swizzle = "none",
    promotion: Promotion = "none", nan_fill: bool = False, context: Session | None = None,
) -> TensorMap:  # fmt: skip
    """A tensor map of boxes ("tiled" mode).

    *memory* is a `Buffer` or device array, another library's too (or an address, with *context*); *element* one of
    `ELEMENTS`; *shape* and *box* count elements, innermost first; *strides* are bytes, of all dimensions but the first
    (default: without gaps). *element_strides* takes every n-th element of a dimension; *promotion* fetches more into L2;
    *nan_fill* fills what lies outside the tensor with a NaN instead of zeros. With *interleave* (channels in slices of 16 or 32
    bytes, NC/8HWC8 for halves) dimensions are W, (H, (D,)) slices, N: those of W are counted in slices, and a copy brings one
    slice of each pixel, whatever box[-2] is (as an H200 does). Raises TensorMapError, which names the argument and the rule.
    """
    context = _context_of(memory, context)
    checked = _Checked(
        context, memory, element, shape, strides, element_strides, interleave, swizzle, promotion, nan_fill, False
    )
    extents = tuple(box)
    _need(len(extents) == checked.rank, "box", f"{len(extents)} numbers", str(checked.rank))
    outer = 1
    for axis, (extent, step) in enumerate(zip(extents, checked.steps)):
        _need(1 <= extent <= 256, f"box[{axis}]", extent, "1 to 256")
        outer *= -(-extent // step) if axis else 1
    checked.inner("box[0]", extents[0], outer)
    head, steps = checked.head()
    made = _encode(context, memory, checked, "cuTensorMapEncodeTiled", *head, (ctypes.c_uint32 * 5)(*extents), steps)
    made.box = extents
    return made


def tensor_map_im2col(
    memory: Any, element: ElementName, shape: Sequence[int], lower: Sequence[int], upper: Sequence[int], channels: int,
    pixels: int, *, strides: Sequence[int] | None = None, element_strides: Sequence[int] | None = None,
    interleave: Interleave = "none", swizzle: Swizzle = "none", promotion: Promotion = "none", nan_fill: bool = False,
    context: Session | None = None,
) -> TensorMap:  # fmt: skip
    """A tensor map for convolutions (manual 5.5.4): *shape* is C, W, (H, (D,)) N; *lower* and *upper* are the corners of
    the box in the space of W, H, D; one copy brings *channels* of each of *pixels* pixels.
    """
    context = _context_of(memory, context)
    checked = _Checked(
        context, memory, element, shape, strides, element_strides, interleave, swizzle, promotion, nan_fill, True
    )
    rank, edge = checked.rank, 1 << _CORNER_BITS[checked.rank] - 1
    for name, corner in (("lower", lower), ("upper", upper)):
        _need(len(corner) == rank - 2, name, f"{len(corner)} numbers", f"{rank - 2}: one a spatial dimension")
        for axis, one in enumerate(corner):
            _need(-edge <= one < edge, f"{name}[{axis}]", one, f"{-edge} to {edge - 1} at rank {rank}")
    for axis, (low, high, extent) in enumerate(zip(lower, upper, checked.shape[1:-1])):
        _need(
            low < extent + high, f"upper[{axis}]", high, f"such that the box of {extent} - {low} + {high} is not empty"
        )
    _need(1 <= channels <= 256, "channels", channels, "1 to 256")
    _need(1 <= pixels <= 1024, "pixels", pixels, "1 to 1024")
    checked.inner("channels", channels, pixels)
    head, steps = checked.head()
    corners = (ctypes.c_int * 3)(*lower), (ctypes.c_int * 3)(*upper)
    made = _encode(context, memory, checked, "cuTensorMapEncodeIm2col", *head, *corners, channels, pixels, steps)
    made.columns = (channels, pixels, tuple(lower), tuple(upper), checked.steps[1:-1])
    return made


def _context_of(memory: Any, context: Session | None) -> Session:
    found = context if context is not None else getattr(memory, "context", None)
    if found is None and is_foreign(memory):
        found = _context_of_library(memory)
    if found is None:
        raise ArgumentTypeError(
            f"{type(memory).__name__} does not say which context's memory it is", hint="pass a Buffer, or context="
        )
    return found


def _context_of_library(array: Any) -> Session | None:
    """The primary context, which all libraries use, of the GPU that another library's array is on; None for host memory."""
    ordinal = foreign_ordinal(array)
    if ordinal is None:
        return None
    for driver in opened_drivers():
        opened: Any = driver
        if opened.name == "cuda" and not opened.dead:
            context: Session = opened.device(ordinal).primary_context()
            return context
    raise ArgumentTypeError(
        f"the {type(array).__name__} is on CUDA device {ordinal}, and no driver is open here",
        hint='driver_ctypes.driver("cuda") opens it; or pass context=',
    )


def _encode(context: Session, memory: Any, checked: _Checked, symbol: str, *args: Any) -> TensorMap:
    made = TensorMap()
    with _AlignedPlace(made) as place:
        context.call(symbol, place, *args, *checked.modes)
    made.memory, made._context, made._apart = memory, context, checked.apart
    made.shape, made.element, made.swizzle = checked.shape, checked.name, checked.swizzle
    return made
