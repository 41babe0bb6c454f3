"""The types of array elements, as frameworks, DLPack and numpy's notation call them; and numpy's masked arrays."""

from __future__ import annotations

import sys

from driver_ctypes.primitives import cache
from driver_ctypes.typing import Any, NamedTuple, Protocol

FILL_OR_DATA = "array.filled(value) with a value for the masked elements, or array.data with what lies under the mask"
"""What to do instead."""


def is_masked(kind: type) -> bool:
    """Whether objects of this class are masked arrays of numpy, which is not imported for it."""
    core = sys.modules.get("numpy.ma.core") or sys.modules.get("numpy.ma")
    masked = getattr(core, "MaskedArray", None)  # not there while another thread imports it: then nothing is one yet
    return masked is not None and issubclass(kind, masked)


class ElementType(Protocol):
    """The type of an array's elements. *kind* is u or s (integers), f (floating point), or b (untyped bits)."""

    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def bits(self) -> int: ...
    def __hash__(self) -> int: ...


class Element(NamedTuple):
    """A type of array elements, where the array belongs to a framework."""

    name: str
    kind: str
    bits: int


# numpy's, PyTorch's and JAX's names -> the names that PTX has
_NAMES = {
    "bool": Element("u8", "u", 8), "half": Element("f16", "f", 16), "float16": Element("f16", "f", 16),
    "bfloat16": Element("bf16", "f", 16), "float": Element("f32", "f", 32), "float32": Element("f32", "f", 32),
    "double": Element("f64", "f", 64), "float64": Element("f64", "f", 64), "complex32": Element("complex32", "c", 32),
    "complex64": Element("complex64", "c", 64),
    "complex128": Element("complex128", "c", 128), "float8_e4m3fn": Element("e4m3", "f", 8),
    "float8_e5m2": Element("e5m2", "f", 8),
    "float8_e8m0fnu": Element("u8", "u", 8), "float4_e2m1fn_x2": Element("u8", "u", 8),  # as their bits
    **{f"{long}{bits}": Element(f"{short}{bits}", short, bits)
       for long, short in (("int", "s"), ("uint", "u")) for bits in (8, 16, 32, 64)},
}  # fmt: skip

# DLDataTypeCode (dlpack.h): int, uint, float, bfloat, complex, bool, and the fp8 formats that PTX has
_CODES = {0: "s", 1: "u", 2: "f", 4: "bf", 5: "complex", 6: "u", 10: "e4m3", 12: "e5m2"}
_TYPESTR = {"i": "s", "u": "u", "f": "f", "b": "u", "c": "complex"}

_elements: dict[Any, Element | None] = {}  # by dtype; libraries have few of them


def element_named(name: str) -> Element | None:
    """The element type that a framework calls *name*."""
    return _NAMES.get(name)


@cache
def element_of_dtype(code: int, bits: int) -> Element | None:
    """The element type of a DLDataType; None for one that PTX does not have."""
    stem = _CODES.get(code)
    if stem is None:
        return None
    if stem in ("e4m3", "e5m2"):
        return Element(stem, "f", bits)
    return Element(f"{stem}{bits}", {"bf": "f", "complex": "c"}.get(stem, stem), bits)


@cache
def element_of_typestr(typestr: str) -> Element | None:
    """The element type of numpy's ``<f4`` notation, which bf16 and fp8 do not have. No device has big-endian numbers."""
    stem = _TYPESTR.get(typestr[1:2])
    if stem is None or not typestr[2:].isdigit():
        return None
    bits = 8 * int(typestr[2:])
    if typestr[0] == ">":
        return Element(typestr, "foreign", bits)
    return Element(f"{stem}{bits}", "c" if stem == "complex" else stem, bits)


def foreign_element(value: Any) -> ElementType | None:
    """What the elements of another library's array are, if it can be determined without accessing the memory."""
    dtype = getattr(value, "dtype", None)
    try:
        return _elements[dtype]
    except KeyError:
        found = _elements[dtype] = element_named(str(getattr(dtype, "name", dtype)).rpartition(".")[2])
        return found
    except TypeError:  # no library's type, since it cannot be hashed
        return None
