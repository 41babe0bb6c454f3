"""Element types on the host: what numpy calls them, and the ones that numpy does not know, converted here.

bf16 is the upper half of a binary32. The fp8 formats are those of PTX (manual 5.2.3): e4m3 has no infinity and one NaN
pattern a sign (0x7f); e5m2 follows IEEE 754. Both convert to nearest even and saturate, as cvt.rn.satfinite does.
ml_dtypes has these types too, but does not saturate, and numpy is the only extra that arrays should need.
"""

from __future__ import annotations

import math
import struct
from functools import cache
from typing import TYPE_CHECKING, Any

from driver_ctypes.errors import ArgumentTypeError
from ptxgen.isa.types import TYPES, ScalarType

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

__all__ = [
    "as_integers",
    "as_scalar_type",
    "decode",
    "dlpack_type",
    "encode",
    "fp8_values",
    "numpy_module",
    "numpy_name",
    "scalar_of_dlpack",
    "scalar_of_numpy",
]

_NUMPY = {
    "u8": "uint8", "s8": "int8", "u16": "uint16", "s16": "int16", "u32": "uint32", "s32": "int32", "u64": "uint64",
    "s64": "int64", "f16": "float16", "f32": "float32", "f64": "float64", "b8": "uint8", "b16": "uint16", "b32": "uint32",
    "b64": "uint64", "f16x2": "uint32", "bf16": "uint16", "e4m3": "uint8", "e5m2": "uint8",
}  # fmt: skip
_FROM_NUMPY = {name: scalar for scalar, name in _NUMPY.items() if scalar[0] in "usf" and scalar != "f16x2"}
_STRUCT = {
    "uint8": "B", "int8": "b", "uint16": "H", "int16": "h", "uint32": "I", "int32": "i", "uint64": "Q", "int64": "q",
    "float16": "e", "float32": "f", "float64": "d",
}  # fmt: skip

ENCODED = frozenset({"bf16", "e4m3", "e5m2"})
"""Types that numpy does not know: host values are float32, device values their bits."""


def numpy_module() -> Any:
    """numpy, or an ImportError that says how to get it."""
    try:
        import numpy
    except ImportError:
        raise ImportError("this needs numpy, the extra `numpy` of ptxgen: pip install numpy") from None
    return numpy


def numpy_name(type: ScalarType) -> str:
    """The numpy dtype that holds the type's bits."""
    return _NUMPY[type.name]


def scalar_of_numpy(name: str) -> ScalarType:
    """The PTX type of a numpy dtype name; ArgumentTypeError for a dtype that has none."""
    if name == "bool":
        return TYPES["u8"]
    found = _FROM_NUMPY.get(name)
    if found is None:
        raise ArgumentTypeError(
            f"no device type for numpy's {name}", hint=f"convert it to one of {', '.join(_FROM_NUMPY)}"
        )
    return TYPES[found]


def dlpack_type(type: ScalarType) -> tuple[int, int]:
    """(DLDataTypeCode, bits) of dlpack.h."""
    return _DLPACK.get(type.name) or ({"s": 0, "f": 2}.get(type.kind, 1), type.bits)


def scalar_of_dlpack(code: int, bits: int) -> ScalarType:
    """The PTX type of a DLDataType; ArgumentTypeError for one that has none (complex numbers, sub-byte types)."""
    for name, known in _DLPACK.items():
        if known == (code, bits):
            return TYPES[name]
    name = f"{ {0: 's', 1: 'u', 2: 'f', 6: 'u'}.get(code, '?') }{bits}"
    if name not in _NUMPY:
        raise ArgumentTypeError(
            f"no device type for DLPack's type code {code} of {bits} bits", hint="view its bits as integers first"
        )
    return TYPES[name]


_DLPACK = {"bf16": (4, 16), "e4m3": (10, 8), "e5m2": (12, 8)}  # kDLBfloat, kDLFloat8_e4m3fn, kDLFloat8_e5m2


def as_scalar_type(type: Any) -> ScalarType:
    """A ScalarType from one, from a ptxgen type class, from a PTX name ("f32"), or from a numpy dtype."""
    found = getattr(type, "isa", type)
    if isinstance(found, str):
        found = TYPES.get(found, found)
    if isinstance(found, ScalarType):
        if found.name in _NUMPY:
            return found
        raise ArgumentTypeError(f"arrays of .{found.name} cannot be made", hint=f"one of {', '.join(_NUMPY)}")
    name = getattr(found, "__name__", None) or getattr(found, "name", None) or str(found)
    if name != "bool" and name not in _FROM_NUMPY:
        raise ArgumentTypeError(
            f"{name:.60} is no type of an array's elements",
            hint=f'px.f32, "f32" or numpy.float32; there are {", ".join(_NUMPY)}',
        )
    return scalar_of_numpy(name)


@cache
def fp8_values(exponent_bits: int) -> tuple[float, ...]:
    """The 256 values of e4m3 (4) or e5m2 (5)."""
    mantissa_bits = 7 - exponent_bits
    bias = (1 << (exponent_bits - 1)) - 1
    found = []
    for pattern in range(256):
        exponent = (pattern >> mantissa_bits) & ((1 << exponent_bits) - 1)
        mantissa = pattern & ((1 << mantissa_bits) - 1)
        if exponent == 0:
            value = math.ldexp(mantissa, 1 - bias - mantissa_bits)
        else:
            value = math.ldexp(mantissa | (1 << mantissa_bits), exponent - bias - mantissa_bits)
        if exponent_bits == 5 and exponent == 31:
            value = math.inf if mantissa == 0 else math.nan
        if exponent_bits == 4 and pattern & 0x7F == 0x7F:
            value = math.nan
        found.append(-value if pattern & 0x80 else value)
    return tuple(found)


def encode(values: np.ndarray[Any, Any], type: ScalarType) -> Any:
    """float values -> the type's bit patterns."""
    np = numpy_module()
    floats = np.ascontiguousarray(values, dtype=np.float32)
    if type.name == "bf16":
        bits = floats.view(np.uint32)
        rounded = ((bits.astype(np.uint64) + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
        return np.where(np.isnan(floats), np.uint16(0x7FFF), rounded).astype(np.uint16)
    return _encode_fp8(floats, 4 if type.name == "e4m3" else 5)


def _encode_fp8(floats: Any, exponent_bits: int) -> Any:
    np = numpy_module()
    table = np.array(fp8_values(exponent_bits)[:128], dtype=np.float64)
    finite = int(np.isfinite(table).sum())
    magnitudes = table[:finite]
    size = np.minimum(np.abs(floats.astype(np.float64)), magnitudes[-1])
    above = np.clip(np.searchsorted(magnitudes, size), 1, finite - 1)
    below = above - 1
    low, high = magnitudes[below], magnitudes[above]
    up = (size - low > high - size) | ((size - low == high - size) & (above % 2 == 0))
    patterns = np.where(up, above, below).astype(np.uint8)
    patterns = np.where(np.isnan(floats), 0x7F, patterns)
    return (patterns | (np.signbit(floats) & ~np.isnan(floats)).astype(np.uint8) * 0x80).astype(np.uint8)


def decode(bits: np.ndarray[Any, Any], type: ScalarType) -> Any:
    """The type's bit patterns -> float32 values, exactly."""
    np = numpy_module()
    if type.name == "bf16":
        return np.left_shift(bits.astype(np.uint32), np.uint32(16)).view(
            np.float32
        )  # numpy 1: a single `x << 16` is int64
    table = np.array(fp8_values(4 if type.name == "e4m3" else 5), dtype=np.float32)
    return table[bits]


def as_integers(host: Any, type: ScalarType) -> Any:
    """A numpy array as one of the integer type's dtype. ArgumentTypeError where a value is outside the type's range, or is no
    whole number: nothing wraps, nothing is cut. Untyped bits may be written either way, signed or unsigned."""
    np = numpy_module()
    wanted = np.dtype(numpy_name(type))
    if host.size and not np.can_cast(host.dtype, wanted, "safe"):
        if host.dtype.kind == "f" and not (np.isfinite(host) & (host == np.trunc(host))).all():
            raise ArgumentTypeError(
                f"the values do not fit in .{type.name}: they are not all whole numbers",
                hint=f"np.rint(data) rounds; data.astype(np.{wanted}) cuts",
            )
        limits = np.iinfo(wanted)
        low = -(1 << (type.bits - 1)) if type.kind == "b" else int(limits.min)
        least, most = int(host.min()), int(host.max())
        if least < low or most > limits.max:
            outside = least if least < low else most
            raise ArgumentTypeError(
                f"the values do not fit in .{type.name}: {outside} is outside {low} to {limits.max}",
                hint=f"data.astype(np.{wanted}) wraps them, if that is meant",
            )
        if host.dtype.kind == "f" and least < 0 and type.kind == "b":
            host = host.astype(np.int64)
    return host.astype(wanted, copy=False)


def pack_numbers(values: Sequence[Any], type: ScalarType) -> bytes:
    """A flat list of Python numbers as the type's bytes, without numpy; the encoded types need numpy, but for zeros."""
    code = "f" if type.name in ENCODED else _STRUCT[_NUMPY[type.name]]
    try:
        packed = struct.pack(f"<{len(values)}{code}", *values)
    except (struct.error, OverflowError):
        raise ArgumentTypeError(f"the values do not fit in .{type.name}: {_first_misfit(values, type, code)}") from None
    if type.name in ENCODED:
        if not any(packed):  # zeros, with which arrays begin, wait for no import
            return bytes(len(values) * type.bytes)
        return bytes(encode(numpy_module().frombuffer(packed, "float32"), type).tobytes())
    return packed


def unpack_numbers(raw: bytes, type: ScalarType) -> tuple[Any, ...]:
    """The Python numbers of such bytes, of a type that numpy knows."""
    return struct.unpack(f"<{len(raw) // type.bytes}{_STRUCT[_NUMPY[type.name]]}", raw)


def _first_misfit(values: Sequence[Any], type: ScalarType, code: str) -> str:
    """Which of the numbers struct refused, and why."""
    for value in values:
        try:
            struct.pack(f"<{code}", value)
        except (struct.error, OverflowError):
            if not hasattr(value, "__float__"):
                return f"{value!r:.60} is no number"
            if code in "efd":
                return f"{value!r:.60} is too large"
            if not hasattr(value, "__index__"):
                return f"{value!r:.60} is no whole number"
            low = -(1 << (type.bits - 1)) if code.islower() else 0
            return f"{value!r:.60} is outside {low} to {low + (1 << type.bits) - 1}"
    return "they are no numbers"
