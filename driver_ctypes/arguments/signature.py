"""A kernel's parameters as data, and Python values turned into their bytes.

Every argument is checked before anything reaches the driver: number, type, range. Integers come by ``__index__`` (numpy
integers have it), floats by ``__float__``, pointers as described at `as_pointer`, by-value structures as bytes.
"""

from __future__ import annotations

import ctypes
import math
import struct
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from driver_ctypes.errors import (
    ArgumentCountError,
    ArgumentError,
    ArgumentRangeError,
    ArgumentTypeError,
    ClosedError,
)
from driver_ctypes.interop.arrays import ForeignArgument, foreign_address, is_foreign
from driver_ctypes.interop.elements import foreign_element

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from driver_ctypes.contexts.context import Context

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
_MAYBE = (8, "opaque")  # of the size of a pointer
_INTEGERS = ("u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64")


class ElementType(Protocol):
    """The type of an array's elements. *kind* is u or s (integers), f (floating point), or b (untyped bits)."""

    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def bits(self) -> int: ...
    def __hash__(self) -> int: ...


def same_bits(given: ElementType, element: ElementType) -> bool:
    """Whether an array of *given* may stand where a kernel points to *element*: the same type, integers of one size
    whatever their sign, or untyped bits of the same size.
    """
    if given is element:
        return True
    if given.bits != element.bits:
        return False
    integers = given.kind in ("u", "s") and element.kind in ("u", "s")
    return integers or "b" in (given.kind, element.kind) or given.name == element.name


class _Fields(NamedTuple):
    name: str
    kind: str
    size: int
    align: int
    element: ElementType | None
    aligned: int


class Parameter(_Fields):
    """One parameter: *kind* is u8 s8 u16 s16 u32 s32 u64 s64 f16 bf16 f32 f64 pointer, or bytes (a structure or array).

    ``opaque`` is a parameter of which only the size is known, because the driver was asked. *size* and *align* are
    bytes; numbers and pointers have their own.

    A pointer may say what it points to: arrays of other elements than *element* are refused, and so is every address
    that is no multiple of *aligned* bytes.
    """

    __slots__ = ()

    def __new__(
        cls,
        name: str,
        kind: str,
        size: int = 0,
        align: int = 0,
        element: ElementType | None = None,
        aligned: int = 1,
    ) -> Parameter:
        """Raises ArgumentError for an unknown kind, a size that contradicts it, an align that is no power of two, or
        an element or alignment of something that is no pointer.
        """
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
        if aligned <= 0 or aligned & (aligned - 1):
            raise ArgumentError(f"parameter {name!r}: an address aligned to {aligned} is no power of two", name=name)
        if kind != "pointer" and (element is not None or aligned != 1):
            raise ArgumentError(f"parameter {name!r}: a {kind} points to nothing", name=name, hint="kind='pointer'")
        return super().__new__(cls, name, kind, size, align, element, aligned)

    def check_pointee(self, value: Any, address: int) -> None:
        """Raise ArgumentTypeError where *value* is an array of other elements, ArgumentError where *address* is not
        aligned as the kernel's accesses need it. Plain addresses have no elements.
        """
        if self.element is not None and type(value) is not int:
            given = element_of(value)
            if given is not None and not same_bits(given, self.element):
                raise ArgumentTypeError(
                    f"{self.name} points to .{self.element.name} elements, the array has .{given.name}",
                    hint=f"make it an array of {self.element.name}, or view its bytes as that: array.view(...)",
                )
        if address & (self.aligned - 1):
            raise ArgumentError(
                f"{self.name} is at {address:#x}, its vector accesses need {self.aligned}-byte alignment",
                hint="pass a whole array, or a part that begins at a multiple of that",
            )

    @property
    def code(self) -> str:
        """The parameter in the struct module's language."""
        return _KINDS[self.kind][0] if self.kind in _KINDS else f"{self.size}s"


class Signature:
    """A kernel's parameters in order, and where each lies in a packed argument buffer."""

    __slots__ = ("offsets", "packing", "params", "pointers", "size")

    def __init__(self, params: Iterable[Parameter]) -> None:
        self.params = tuple(params)
        names = [param.name for param in self.params]
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise ArgumentError(f"two parameters are called {twice!r}", name=twice, hint="arguments are known by name")
        offsets, codes, end = [], ["<"], 0
        for param in self.params:
            start = -(-end // param.align) * param.align
            codes.append(f"{start - end}x{param.code}" if start > end else param.code)
            offsets.append(start)
            end = start + param.size
        self.offsets = tuple(offsets)
        self.size = end
        self.packing = struct.Struct("".join(codes))
        self.pointers = tuple(
            [i for i, p in enumerate(self.params) if p.kind == "pointer" or (p.size, p.kind) == _MAYBE]
        )
        """Positions of the parameters that take an array: pointers, and what may be one."""

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
            convert_argument(arg, param, index, context, kernel)
            for index, (arg, param) in enumerate(zip(args, self.params))
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
        return _pointer_converter(param, index, context, kernel)
    if (param.size, param.kind) == _MAYBE:

        def perhaps_pointer(value: Any) -> Any:
            if type(value) is not int and is_foreign(value) and context.driver.foreign_pointers:
                raise ForeignArgument
            return convert_argument(value, param, index, context, kernel)

        return perhaps_pointer
    if param.kind in _SIZED:
        return lambda value: convert_argument(value, param, index, context, kernel)
    return None


def _pointer_converter(param: Parameter, index: int, context: Context, kernel: str) -> Callable[[Any], Any]:
    """Addresses and this package's own memory at once; everything else the careful way."""
    free = param.element is None and param.aligned == 1

    def pointer(value: Any) -> Any:
        if type(value) is int:
            address = value
        else:
            try:
                own = value._life.context is context
                address = value._address
            except AttributeError:  # no memory of this package
                own = False
            if not own:
                if is_foreign(value) and context.driver.foreign_pointers:
                    raise ForeignArgument
                return convert_argument(value, param, index, context, kernel)
        if free:
            return address
        try:
            param.check_pointee(value, address)
        except ArgumentError:
            return convert_argument(value, param, index, context, kernel)  # says it with the argument's place
        return address

    return pointer


# --- one argument -----------------------------------------------------------------------------------------------------


def located(error: ArgumentError, param: Parameter, index: int, kernel: str) -> ArgumentError:
    """*error*, with the argument that it is about."""
    message = f"{_place(param, index, kernel)}: {error.args[0]}"
    return type(error)(message, index=index, name=param.name, hint=error.hint)


def _place(param: Parameter, index: int, kernel: str) -> str:
    return f"{kernel}: argument {index + 1} ({param.name}: {param.kind})"


def convert_argument(value: Any, param: Parameter, index: int, context: Context, kernel: str) -> Any:
    """*value* as ``struct`` packs it for argument *index* of a kernel. Raises the errors of `Signature.convert`."""
    where = _place(param, index, kernel)
    try:
        if param.kind == "pointer":
            given, value = value, as_pointer(value, context)
            param.check_pointee(given, value)
        elif param.kind == "bf16":
            value = bf16_bits(value)
        elif param.kind == "bytes":
            value = _as_bytes(value, param.size)
        elif param.kind == "opaque":
            value = _as_opaque(value, param.size, context)
        struct.pack("<" + param.code, value)
    except ArgumentError as error:
        raise located(error, param, index, kernel) from None
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

    An int is taken as it is. An object with an int ``pointer`` and a ``context`` (`Buffer`, a device array), or with
    a ``device_pointer`` (page-locked host memory that is mapped), must belong
    to *context*, or to one whose memory it reaches (`Context.enable_peers`). Arrays of the frameworks are read
    where the driver takes foreign memory (see `interop.arrays`). Everything else is an ArgumentTypeError; host arrays are told
    to be copied first.
    """
    if type(value) is int:
        return value
    owner = getattr(value, "context", None)
    pointer = getattr(value, "pointer", None)
    if pointer is None and hasattr(type(value), "device_pointer"):  # host memory that kernels may reach
        pointer = value.device_pointer
    if owner is not None and isinstance(pointer, int):
        if owner is not context and owner not in context._peers:
            raise ArgumentError(
                f"the {type(value).__name__} lives on {owner!r}, and is used on {context!r}",
                hint="copy it over (driver_ctypes.copy_peer), let the one reach the other's memory (context.enable_peers), "
                "or pass its .pointer where that memory was given access",
            )
        return pointer
    address = foreign_address(value, context)
    if address is not None:
        return address
    if _is_host_memory(value):
        raise ArgumentTypeError(
            f"{type(value).__name__} is host memory, which a kernel cannot reach",
            hint="copy it to the device first (context.alloc and copy_to_device, or dev.array), and pass that",
        )
    if isinstance(value, bool) or not hasattr(type(value), "__index__"):
        hint = "pass 0 for a null pointer" if value is None else "pass a Buffer, a device array, or an address as int"
        raise ArgumentTypeError(f"expected a device pointer, found {type(value).__name__} {value!r:.60}", hint=hint)
    return int(value.__index__())


def element_of(value: Any) -> ElementType | None:
    """The type of an array's elements: its own attribute ``type``, or what the framework says; None for no array."""
    given = getattr(value, "type", None)
    if hasattr(given, "bits") and hasattr(given, "kind"):
        return given
    return foreign_element(value)


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
    pack = getattr(value, "pack", None)
    if pack is not None and hasattr(type(value), "layout"):
        value = pack()  # a structure that lays itself out
    try:
        view = memoryview(value)
    except TypeError:
        raise ArgumentTypeError(
            f"expected {size} bytes, found {type(value).__name__}",
            hint="pass bytes, a structure with pack(), a ctypes.Structure or a numpy record",
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
    return hasattr(value, "pointer") or is_foreign(value)


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
