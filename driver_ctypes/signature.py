"""A kernel's parameters as data, and Python values turned into their bytes.

Every argument is checked before anything reaches the driver: number, type, range. Integers come by ``__index__`` (numpy
integers have it), floats by ``__float__``, pointers as described at `as_pointer`, by-value structures as bytes.
"""

from __future__ import annotations

import ctypes
import math
import struct
from typing import TYPE_CHECKING, Any, NamedTuple

from driver_ctypes.errors import (
    ArgumentCountError,
    ArgumentError,
    ArgumentRangeError,
    ArgumentTypeError,
    ClosedError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from driver_ctypes.context import Context

# kind -> (code of the struct module, bytes). bf16 goes as its bit pattern. `bytes` and `opaque` have any size.
_KINDS: dict[str, tuple[str, int]] = {
    "u8": ("B", 1),
    "s8": ("b", 1),
    "u16": ("H", 2),
    "s16": ("h", 2),
    "u32": ("I", 4),
    "s32": ("i", 4),
    "u64": ("Q", 8),
    "s64": ("q", 8),
    "f16": ("e", 2),
    "bf16": ("H", 2),
    "f32": ("f", 4),
    "f64": ("d", 8),
    "pointer": ("Q", 8),
}
_SIZED = ("bytes", "opaque")
_INTEGERS = ("u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64")


class _Fields(NamedTuple):
    name: str
    kind: str
    size: int
    align: int


class Parameter(_Fields):
    """One parameter: *kind* is u8 s8 u16 s16 u32 s32 u64 s64 f16 bf16 f32 f64 pointer, or bytes (a structure or array).

    ``opaque`` is a parameter of which only the size is known, because the driver was asked. *size* and *align* are
    bytes; numbers and pointers have their own.
    """

    __slots__ = ()

    def __new__(cls, name: str, kind: str, size: int = 0, align: int = 0) -> Parameter:
        """Raises ArgumentError for an unknown kind, a size that contradicts it, or an align that is no power of two."""
        known = _KINDS.get(kind)
        if known is None and kind not in _SIZED:
            raise ArgumentError(
                f"parameter {name!r} has unknown kind {kind!r}",
                name=name,
                hint=f"use one of {', '.join([*_KINDS, *_SIZED])}",
            )
        natural = known[1] if known else 0
        if natural and size not in (0, natural):
            raise ArgumentError(f"parameter {name!r}: a {kind} has {natural} bytes, not {size}", name=name)
        size = size or natural
        if size <= 0:
            raise ArgumentError(f"parameter {name!r}: {kind} needs a size", name=name)
        align = align or natural or 1
        if align <= 0 or align & (align - 1):
            raise ArgumentError(f"parameter {name!r}: alignment {align} is no power of two", name=name)
        return super().__new__(cls, name, kind, size, align)

    @property
    def code(self) -> str:
        """The parameter in the struct module's language."""
        return _KINDS[self.kind][0] if self.kind in _KINDS else f"{self.size}s"


class Signature:
    """A kernel's parameters in order, and where each lies in a packed argument buffer."""

    __slots__ = ("offsets", "packing", "params", "size")

    def __init__(self, params: Iterable[Parameter]) -> None:
        self.params = tuple(params)
        offsets, codes, end = [], ["<"], 0
        for param in self.params:
            start = -(-end // param.align) * param.align
            codes.append(f"{start - end}x{param.code}" if start > end else param.code)
            offsets.append(start)
            end = start + param.size
        self.offsets = tuple(offsets)
        self.size = end
        self.packing = struct.Struct("".join(codes))

    def __eq__(self, other: object) -> bool:
        return self.params == other.params if isinstance(other, Signature) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.params)

    def __str__(self) -> str:
        return "(" + ", ".join([f"{p.name}: {p.kind}{p.size if p.kind in _SIZED else ''}" for p in self.params]) + ")"

    def __repr__(self) -> str:
        return f"Signature{self}"

    def convert(self, args: Sequence[Any], context: Context, kernel: str = "kernel") -> list[Any]:
        """What `packing` takes for *args*.

        Raises ArgumentCountError, ArgumentTypeError, ArgumentRangeError, each naming the parameter; ArgumentError for a
        buffer of another context; ClosedError for a closed one.
        """
        if len(args) != len(self.params):
            raise self.miscounted(len(args), kernel)
        return [
            _convert(arg, param, index, context, kernel) for index, (arg, param) in enumerate(zip(args, self.params))
        ]

    def miscounted(self, found: int, kernel: str) -> ArgumentCountError:
        """The error for *found* arguments."""
        missing = ", ".join([p.name for p in self.params[found:]])
        return ArgumentCountError(
            f"{kernel}{self} takes {len(self.params)} argument(s), {found} were given",
            hint=f"also pass {missing}" if missing else f"leave out the last {found - len(self.params)}",
        )

    def read(self, pointers: int) -> tuple[tuple[str, Any], ...]:
        """(name, value) of each argument behind a ``kernelParams`` array at address *pointers*."""
        if not self.params:
            return ()
        addresses = (ctypes.c_void_p * len(self.params)).from_address(pointers)
        return tuple(
            [
                (param.name, _decode(param, ctypes.string_at(address, param.size) if address else b"\0" * param.size))
                for param, address in zip(self.params, addresses)
            ]
        )


def signature_from_sizes(sizes: Iterable[int]) -> Signature:
    """The signature of a kernel of which the driver tells only the sizes."""
    return Signature([Parameter(f"param_{i}", "opaque", size, min(size & -size, 16)) for i, size in enumerate(sizes)])


def converter(param: Parameter, index: int, context: Context, kernel: str) -> Callable[[Any], Any] | None:
    """What turns an argument into something `Signature.packing` takes; None where it takes the argument itself."""
    if param.kind == "bf16":
        return bf16_bits
    if param.kind == "pointer":

        def pointer(value: Any) -> Any:
            if type(value) is int:
                return value
            try:
                if value.context is context:
                    return value.pointer
            except AttributeError:  # no buffer of this package
                pass
            return _convert(value, param, index, context, kernel)

        return pointer
    if param.kind in _SIZED:
        return lambda value: _convert(value, param, index, context, kernel)
    return None


# --- one argument -----------------------------------------------------------------------------------------------------


def _convert(value: Any, param: Parameter, index: int, context: Context, kernel: str) -> Any:
    where = f"{kernel}: argument {index + 1} ({param.name}: {param.kind})"
    try:
        if param.kind == "pointer":
            value = as_pointer(value, context)
        elif param.kind == "bf16":
            value = bf16_bits(value)
        elif param.kind == "bytes":
            value = _as_bytes(value, param.size)
        elif param.kind == "opaque":
            value = _as_opaque(value, param.size, context)
        struct.pack("<" + param.code, value)
    except ArgumentError as error:
        raise type(error)(f"{where}: {error.args[0]}", index=index, name=param.name, hint=error.hint) from None
    except ClosedError as error:
        raise ClosedError(f"{where}: {error.args[0]}", hint=error.hint) from None
    except (struct.error, OverflowError):
        raise _unpackable(value, param, index, where) from None
    except TypeError:
        raise _mistyped(value, param, index, where) from None
    return value


def _unpackable(value: Any, param: Parameter, index: int, where: str) -> ArgumentError:
    """The error for a value that ``struct.pack`` refused: it is of the wrong type, or too large."""
    if param.kind in _INTEGERS or param.kind == "pointer":
        if not hasattr(type(value), "__index__"):
            return _mistyped(value, param, index, where)
        bits = 8 * param.size
        low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if param.kind[0] == "s" else (0, (1 << bits) - 1)
        return ArgumentRangeError(
            f"{where}: {value!r} is outside {low} to {high}", index=index, name=param.name, hint="use a wider parameter"
        )
    if not hasattr(type(value), "__float__") and not hasattr(type(value), "__index__"):
        return _mistyped(value, param, index, where)
    return ArgumentRangeError(
        f"{where}: {value!r} is too large for {param.kind}",
        index=index,
        name=param.name,
        hint="pass float('inf') where an infinity is meant",
    )


def _mistyped(value: Any, param: Parameter, index: int, where: str) -> ArgumentTypeError:
    if param.kind in _INTEGERS:
        expected, hint = "an integer", "convert it with int()" if hasattr(type(value), "__float__") else None
    elif param.kind == "pointer":
        expected, hint = "a device pointer", "pass a Buffer, a device array, or an address as int"
    else:
        expected, hint = "a number", "convert it with float()"
    return ArgumentTypeError(
        f"{where}: expected {expected}, found {type(value).__name__} {value!r:.60}",
        index=index,
        name=param.name,
        hint=hint,
    )


def as_pointer(value: Any, context: Context) -> int:
    """The device address that *value* stands for.

    An int is taken as it is. An object with an int ``pointer`` and a ``context`` (`Buffer`, a device array) must belong
    to *context*. ``__cuda_array_interface__`` is read where the driver takes foreign memory. Everything else is an
    ArgumentTypeError; host arrays are told to be copied first.
    """
    if type(value) is int:
        return value
    owner = getattr(value, "context", None)
    pointer = getattr(value, "pointer", None)
    if owner is not None and isinstance(pointer, int):
        if owner is not context:
            raise ArgumentError(
                f"the {type(value).__name__} lives on {owner!r}, the kernel on {context!r}",
                hint="copy it to the kernel's device first",
            )
        return pointer
    interface = getattr(value, "__cuda_array_interface__", None)
    if interface is not None:
        if not context.driver.foreign_pointers:
            raise ArgumentTypeError(
                f"{type(value).__name__} is another library's CUDA memory, out of reach of {context.driver!r}",
                hint="copy it into a buffer of this device (through host memory)",
            )
        return int(interface["data"][0] or 0)
    if _is_host_memory(value):
        raise ArgumentTypeError(
            f"{type(value).__name__} is host memory, which a kernel cannot reach",
            hint="copy it to the device first (context.alloc and copy_to_device, or dev.array), and pass that",
        )
    if isinstance(value, bool) or not hasattr(type(value), "__index__"):
        hint = "pass 0 for a null pointer" if value is None else "pass a Buffer, a device array, or an address as int"
        raise ArgumentTypeError(f"expected a device pointer, found {type(value).__name__} {value!r:.60}", hint=hint)
    return int(value.__index__())


def _is_host_memory(value: Any) -> bool:
    """Whether *value* is an array or buffer of host memory; numpy's integer scalars are numbers, not memory."""
    if hasattr(value, "__dlpack__"):
        return True
    if hasattr(type(value), "__index__"):
        return False
    try:
        memoryview(value).release()
    except TypeError:
        return False
    return True


def _as_bytes(value: Any, size: int) -> bytes:
    """The bytes of a buffer-like object (bytes, a ctypes structure, a numpy record) of exactly *size* bytes."""
    try:
        view = memoryview(value)
    except TypeError:
        raise ArgumentTypeError(
            f"expected {size} bytes, found {type(value).__name__}",
            hint="pass bytes, a ctypes.Structure or a numpy record",
        ) from None
    with view:
        if view.nbytes != size:
            raise ArgumentTypeError(
                f"expected exactly {size} bytes, found {view.nbytes}", hint="check the structure's layout"
            )
        return view.tobytes()


def _as_opaque(value: Any, size: int, context: Context) -> bytes:
    """The bytes of an argument whose parameter's type is not known: an integer or pointer that fits, or exact bytes."""
    if isinstance(value, float):
        raise ArgumentTypeError(
            f"the kernel's signature is not known, so a float cannot be told from an integer of {size} bytes",
            hint="load the module with signatures={...}, or pass ctypes.c_float or c_double",
        )
    if size == 8 and (_is_device_memory(value) or hasattr(value, "__dlpack__")):
        value = as_pointer(value, context)
    if hasattr(type(value), "__index__") and size in (1, 2, 4, 8):
        number = int(value.__index__())
        if not -(1 << 8 * size - 1) <= number < 1 << 8 * size:
            raise ArgumentRangeError(f"{number} does not fit {size} bytes")
        return (number % (1 << 8 * size)).to_bytes(size, "little")
    return _as_bytes(value, size)


def _is_device_memory(value: Any) -> bool:
    return hasattr(value, "pointer") or hasattr(value, "__cuda_array_interface__")


def bf16_bits(value: Any) -> int:
    """The bit pattern of the bf16 nearest to *value*, ties to even; the value is rounded once, from double precision.

    bf16 has 8 exponent bits (as f32) and 7 fraction bits. Raises TypeError for no number, OverflowError beyond the
    largest finite bf16.
    """
    if isinstance(value, str):
        raise TypeError("not a number")
    number = float(value)
    sign = 0x8000 if math.copysign(1.0, number) < 0 else 0
    if math.isnan(number):
        return sign | 0x7FC0
    if math.isinf(number):
        return sign | 0x7F80
    exponent = max(math.frexp(number)[1] - 1, -126)  # of the leading bit; subnormals share the smallest normal's
    fraction = round(math.ldexp(abs(number), 7 - exponent))  # exact scaling, then ties to even
    bits = fraction if fraction < 0x80 else (exponent + 127 << 7) + fraction - 0x80
    if bits >= 0x7F80:
        raise OverflowError("too large for bf16")
    return sign | bits


def _decode(param: Parameter, data: bytes) -> Any:
    """An argument's value from its bytes."""
    if param.kind in _SIZED:
        return data
    if param.kind == "bf16":
        return struct.unpack("<f", b"\0\0" + data)[0]
    return struct.unpack("<" + param.code, data)[0]
