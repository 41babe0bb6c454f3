"""Host data as the bytes of a binding, with checks of its type, so that nothing is read as another type."""

from __future__ import annotations

import struct
from functools import cache
from typing import TYPE_CHECKING, Any

from driver_ctypes.interop.elements import is_masked
from ptxgen.builder.values.vectors import vec
from ptxgen.isa.types import TYPES
from ptxgen.runtime.errors import InvalidProgramError
from ptxgen.runtime.memory.buffers import as_bytes

if TYPE_CHECKING:
    from ptxgen.host import Array
    from ptxgen.isa.types import ScalarType
    from ptxgen.runtime.programs.bindings import Binding

__all__ = ["HostFormat"]

_RAW = ("B", "b", "c")
_NATIVE = "bBhHiIlLqQnNefd?"
_INTEGERS = frozenset("bBhHiIlLqQnN")
_FLOATS = frozenset("efdg")
_COMPLEX = {"Zf": "f32", "Zd": "f64"}  # a pair of them
_ML = {  # what numpy calls the formats that it has from the package ml_dtypes
    "bf16": "bfloat16", "e4m3": "float8_e4m3fn", "e5m2": "float8_e5m2", "ue8m0": "float8_e8m0fnu",
    "e2m3": "float6_e2m3fn", "e3m2": "float6_e3m2fn", "e2m1": "float4_e2m1fn",
}  # fmt: skip


_LETTERS = {"f16": "e", "f32": "f", "f64": "d", "u8": "B", "u16": "H", "u32": "I", "u64": "Q"}
"""Types of arrays in device memory as the buffer formats of equal memory."""

_plain: set[type] = {bytes, bytearray, memoryview}
"""Types that were looked at: their memory is all there is of them."""
_MOST_KINDS = 64


class HostFormat:
    """What a binding takes: `bytes_of` is called for each dispatch, so that what fits costs one look into a set."""

    __slots__ = ("_fits", "_side", "binding")

    def __init__(self, binding: Binding, *, output: bool = False) -> None:
        self.binding = binding
        self._side = "output" if output else "input"
        self._fits = _fitting(binding.type)

    def bytes_of(self, data: Any) -> memoryview:
        """The bytes of an array of the binding's type, of plain bytes, or of integers of its size that differ in sign only.

        InvalidProgramError for another type, for what has no contiguous memory, and for a masked array, whose mask would be
        lost.
        """
        if type(data) not in _plain:
            self._check_kind(type(data))
        try:
            view = memoryview(data)
        except (TypeError, ValueError):  # numpy has no buffer format for the types of ml_dtypes
            return as_bytes(self._viewed(data))
        format_ = view.format
        if format_ not in self._fits and not _agrees(format_, view.itemsize, *_element(self.binding.type)):
            raise self._refusal(data, _name(data, view))
        return view if format_ == "B" and view.ndim == 1 else as_bytes(view)

    def writable(self, data: Any, nbytes: int) -> memoryview:
        """The bytes of a buffer that an output goes to. InvalidProgramError for another length, and for one that cannot be
        written."""
        host = self.bytes_of(data)
        if host.nbytes != nbytes or host.readonly:
            raise InvalidProgramError(
                f"output {self.binding.name!r} has {nbytes} bytes; the buffer has {host.nbytes}"
                f"{', read-only' if host.readonly else ''}",
                fix=f"pass a writable buffer of {nbytes} bytes",
            )
        return host

    @property
    def name(self) -> str:
        """What errors call it."""
        return f"{self._side} {self.binding.name}"

    def array(self, array: Array) -> Array:
        """The same array in device memory, of a type that `bytes_of` takes on the host. InvalidProgramError for another one, and
        for an address that vectors of the binding's type cannot have."""
        wanted, lanes = _element(self.binding.type)
        type_ = array.type
        letter = _LETTERS.get(type_.name if type_.is_float else f"u{type_.bits}")
        same = type_.name in (wanted.name, wanted.element)
        if not same and not (letter and _agrees(letter, type_.bytes, wanted, lanes)):
            raise InvalidProgramError(
                f"{self.name} is an array of {type_.name}, binding {self.binding.name} is {wanted.name}",
                fix="convert it, or pass its .view(px.u8) for raw bytes",
            )
        aligned = self.binding.size & -self.binding.size
        if array.size and array.pointer % aligned:
            raise InvalidProgramError(
                f"{self.name} begins at an address that {aligned} does not divide, as {self.binding.type.__name__} needs",
                fix="pass a copy: dev.array(view)",
            )
        return array

    def _check_kind(self, kind: type) -> None:
        if is_masked(kind):
            raise InvalidProgramError(
                f"{self._side} {self.binding.name} is a masked array, whose mask no program sees",
                fix="pass .filled(value), or .data",
            )
        if len(_plain) < _MOST_KINDS:
            _plain.add(kind)

    def _viewed(self, data: Any) -> Any:
        """The array's own view as bytes; what is not an array as it is."""
        name = getattr(getattr(data, "dtype", None), "name", None)
        if name is None or not hasattr(data, "view") or not data.flags.c_contiguous:
            return data
        if name != _ML.get(_element(self.binding.type)[0].element):
            raise self._refusal(data, name)
        return data.reshape(-1).view("u1")

    def _refusal(self, data: Any, type_: str) -> InvalidProgramError:
        wanted, name = _element(self.binding.type)[0], self.binding.name
        numpy_name = _numpy_name(wanted)
        if not hasattr(data, "dtype"):
            fix = f'pass {numpy_name or "raw"} data, or memoryview(data).cast("B") for raw bytes'
        elif self._side == "output":
            fix = f"pass an array of {numpy_name or 'np.uint8'}, or its .view(np.uint8) for raw bytes"
        else:
            fix = (f".astype({numpy_name}), or " if numpy_name else "") + ".view(np.uint8) for raw bytes"
        return InvalidProgramError(f"{self._side} {name} is {type_}, binding {name} is {wanted.name}", fix=fix)


@cache
def _element(pointer: Any) -> tuple[ScalarType, int]:
    """(the type of one element of a binding, how many of them a vector has)."""
    element = pointer.element
    return (element.element.isa, element.lanes) if issubclass(element, vec) else (element.isa, 1)


@cache
def _fitting(pointer: Any) -> frozenset[str]:
    """The formats of native arrays that fit: a look into it is all that a dispatch does."""
    wanted, lanes = _element(pointer)
    return frozenset(each for each in _NATIVE if _agrees(each, struct.calcsize(each), wanted, lanes))


def _agrees(format_: str, itemsize: int, wanted: ScalarType, lanes: int) -> bool:
    """Whether memory of a buffer format is what a type's memory is."""
    if format_ in _RAW:
        return True
    letter = format_.lstrip("@=<")
    if letter in _COMPLEX:
        return (wanted.name, lanes) == (_COMPLEX[letter], 2)
    element = TYPES[wanted.element]
    if letter in _FLOATS:
        bits = 8 * itemsize
        same = element.name in (f"f{bits}", f"tf{bits}")
        return same or (wanted.kind == "b" and wanted.bits == bits)
    if letter == "?":
        return wanted.bytes == 1 and not wanted.is_float
    if letter not in _INTEGERS:
        return False
    if wanted.kind in "usb" and itemsize in (wanted.bytes, element.bytes):
        return True
    # floats that Python's buffers have no letter for, and packed ones, are held in integers of their size
    lettered = element.name in ("f16", "f32", "f64")
    packed = wanted.lanes > 1 and itemsize == wanted.bytes
    return wanted.is_float and (packed or (not lettered and itemsize == element.bytes))


def _name(data: Any, view: memoryview) -> str:
    """What the data says it is of: numpy's name of its type, or one made from the buffer's format."""
    dtype = getattr(data, "dtype", None)
    letter = view.format.lstrip("@=<>!")
    if dtype is not None:
        name = str(getattr(dtype, "name", dtype))
        return f"{name} of the other byte order" if view.format[0] in ">!" else name
    kind = "float" if letter in _FLOATS else "int" if letter in "bhilqn" else "uint" if letter in _INTEGERS else ""
    return f"{kind}{8 * view.itemsize}" if kind else f"of format {view.format!r}"


def _numpy_name(wanted: ScalarType) -> str:
    """How Python names a type: np.float32, ml_dtypes.bfloat16; "" where nothing has it."""
    if wanted.lanes == 1 and wanted.element in _ML:
        return f"ml_dtypes.{_ML[wanted.element]}"
    kind = {"f": "float", "s": "int", "u": "uint", "b": "uint"}.get(wanted.kind, "")
    return f"np.{kind}{wanted.bits}" if wanted.lanes == 1 and kind and wanted.bits in (8, 16, 32, 64) else ""
