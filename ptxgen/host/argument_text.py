"""A launch's arguments, as they are written on a command line, in reports and by programs that ask for a launch."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from driver_ctypes.errors import ArgumentError
from ptxgen.host.formats import ENCODED, as_scalar_type, numpy_name
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

    from driver_ctypes.memory.tensormap import Swizzle, TensorMap
    from ptxgen.host.machine import Device
    from ptxgen.isa.types import ScalarType

__all__ = ["FORMS", "MAKERS", "SWIZZLES", "ArgumentTextError", "argument", "array_text", "extents", "map_text"]

FORMS = """\
  10  -3  0x1f  2.0  1e-3     a number
  x.npy                       a copy of the array in the file
  x.npy:bf16                  the same, converted to a PTX type
  zeros:f32:1024              a new array; also ones, arange (0, 1, 2, ...), random (in [0, 1), of integers from 0 to 255)
  zeros:f32:64x32             and edges (zeros, infinities, the largest and smallest numbers); the extents are separated by x
  random:f32:1024:7           drawn from a seed, 0 where none is stated
  map:bf16:256x128:64x32      a tensor map (CUtensorMap) over a new random array: extents of the tensor, then of the box, both
  map:f16:64x64:64x8:128B:7   innermost first; and the swizzle (none, 32B, 64B, 128B), and a seed
  bytes:00ff10                a structure that is passed by value"""


SWIZZLES: dict[str, Swizzle] = {"": "none", "none": "none", "32B": "32B", "64B": "64B", "128B": "128B"}
"""Of a tensor map, as it is written."""

MOST_ELEMENTS = 1 << 28
"""Of a new array: its values are made on the host."""


class ArgumentTextError(ArgumentError):
    """A text that is no argument of a kernel."""


def _has_fractions(type: ScalarType) -> bool:
    """Are its values fractions on the host? Those of packed types are words."""
    return type.name in ENCODED or numpy_name(type).startswith("float")


def _random(np: Any, type: ScalarType, size: int, seed: int) -> Any:
    draw = np.random.default_rng(seed)
    return draw.random(size) if _has_fractions(type) else draw.integers(0, min(256, 1 << (type.bits - 1)), size)


def _edges(np: Any, type: ScalarType, size: int, seed: int) -> Any:
    if _has_fractions(type):
        found = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-40, 65504.0, -65504.0], np.float32)
    else:
        limits = np.iinfo(numpy_name(type))
        found = np.array([0, 1, limits.max, limits.min, limits.max // 2 + 1, 255 & limits.max], numpy_name(type))
    return np.resize(np.roll(found, seed), size)


MAKERS: dict[str, Callable[[Any, ScalarType, int, int], Any]] = {
    "zeros": lambda np, type, size, seed: np.zeros(size),
    "ones": lambda np, type, size, seed: np.ones(size),
    "arange": lambda np, type, size, seed: np.arange(size),
    "random": _random,
    "edges": _edges,
}
"""What new arrays are filled with: (numpy, type, number of elements, seed) -> their values."""


def argument(text: str, device: Device) -> Any:
    """A number, the bytes of a structure, or an array on the device. Raises ArgumentTextError for what is none of them."""
    for convert in (lambda t: int(t, 0), float):
        try:
            return convert(text)
        except ValueError:
            continue
    kind, _, rest = text.partition(":")
    if kind in MAKERS:
        return _made(kind, rest, text, device)
    if kind == "map":
        return _tensor_map(rest, text, device)
    if kind == "bytes":
        return _bytes(rest, text)
    path, colon, type_ = text.rpartition(":")
    if not (colon and type_ in TYPES):
        path, type_ = text, ""
    if Path(path).suffix != ".npy":
        raise ArgumentTextError(f"{text!r} is not an argument of a kernel; it can be\n{FORMS}")
    return device.array(_read(path), type_ or None)


def array_text(maker: str, type: str, extent: tuple[int, ...], seed: int = 0) -> str:
    """How a new array is written."""
    return f"{maker}:{type}:{'x'.join(map(str, extent))}" + (f":{seed}" if seed else "")


def _made(maker: str, rest: str, text: str, device: Device) -> Any:
    type_, _, shape = rest.partition(":")
    shape, colon, seed = shape.partition(":")
    extent = extents(shape)
    if type_ not in TYPES or extent is None or (colon and not seed.isdecimal()):
        raise ArgumentTextError(f"{text!r} is not like {maker}:f32:1024, {maker}:f32:64x32 or {maker}:f32:1024:7")
    size = 1
    for n in extent:
        size *= n
    if size > MOST_ELEMENTS:
        raise ArgumentTextError(
            f"{text!r} is an array of {size} elements", hint=f"at most {MOST_ELEMENTS}, or a file: x.npy"
        )
    values = MAKERS[maker](_numpy(), as_scalar_type(type_), size, int(seed or 0))
    return device.array(values.reshape(extent), type_)


def map_text(type: str, extent: tuple[int, ...], box: tuple[int, ...], swizzle: str, seed: int = 0) -> str:
    """How a tensor map is written."""
    shapes = ":".join("x".join(map(str, each)) for each in (extent, box))
    return f"map:{type}:{shapes}:{swizzle}" + (f":{seed}" if seed else "")


def _tensor_map(rest: str, text: str, device: Device) -> TensorMap:
    from driver_ctypes.memory.tensormap import tensor_map

    type_, _, rest = rest.partition(":")
    shape, _, rest = rest.partition(":")
    box, _, rest = rest.partition(":")
    swizzle, _, seed = rest.partition(":")
    extent, boxes = extents(shape), extents(box)
    if (
        type_ not in TYPES
        or extent is None
        or boxes is None
        or swizzle not in SWIZZLES
        or not (seed or "0").isdecimal()
    ):
        raise ArgumentTextError(f"{text!r} is not like map:bf16:256x128:64x32 or map:f16:64x64:64x8:128B:7")
    outermost_first = tuple(reversed(extent))
    memory = _made("random", f"{type_}:{'x'.join(map(str, outermost_first))}:{seed or 0}", text, device)
    element: Any = type_
    return tensor_map(memory, element, extent, boxes, swizzle=SWIZZLES[swizzle])


def _bytes(digits: str, text: str) -> bytes:
    try:
        return bytes.fromhex(digits)
    except ValueError:
        raise ArgumentTextError(f"{text!r} is not like bytes:00ff10: two hexadecimal digits a byte") from None


def _read(path: str) -> np.ndarray[Any, Any]:
    try:
        loaded = _numpy().load(path, allow_pickle=False)
    except (OSError, ValueError) as error:
        raise ArgumentTextError(f"{path} cannot be read: {error}") from None
    if not hasattr(loaded, "dtype"):
        raise ArgumentTextError(f"{path} holds several arrays")
    array: np.ndarray[Any, Any] = loaded
    return array


def _numpy() -> Any:
    if find_spec("numpy") is None:
        raise ArgumentTextError("arrays need numpy, which this Python does not have: pip install numpy")
    import numpy

    return numpy


def extents(text: str) -> tuple[int, ...] | None:
    """ "64x32" or "64,32" -> (64, 32); None for anything else."""
    parts = text.replace(",", "x").split("x")
    return tuple(int(part) for part in parts) if all(part.isdecimal() for part in parts) else None
