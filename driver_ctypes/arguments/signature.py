"""A kernel's parameters in order, their offsets in a packed argument buffer, and the conversion of Python values to it; and back.

Every argument is checked before anything reaches the driver: number, type, range. Integers are converted by ``__index__``
(numpy integers have it), floats by ``__float__``, pointers by `as_pointer`; by-value structures are bytes.
"""

from __future__ import annotations

import ctypes
import struct

from driver_ctypes.arguments.parameter import (
    INTEGERS,
    MAYBE_POINTER,
    SIZED,
    Parameter,
    as_pointer,
    is_device_memory,
    takes_arrays,
)
from driver_ctypes.errors import ArgumentCountError, ArgumentError, ArgumentRangeError, ArgumentTypeError, ClosedError
from driver_ctypes.interop.arrays import ForeignArgument, is_foreign
from driver_ctypes.typing import TYPE_CHECKING, Any
from driver_ctypes.validate import instance

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from driver_ctypes.session.session import Session


def converter(param: Parameter, index: int, context: Session, kernel: str) -> Callable[[Any], Any] | None:
    """What turns an argument into something `Signature.packing` takes; None where it takes the argument itself."""
    if param.kind == "bf16":
        return bf16_bits
    if param.kind == "pointer":
        return _pointer_converter(param, index, context, kernel)
    if (param.size, param.kind) == MAYBE_POINTER:

        def perhaps_pointer(value: Any) -> Any:
            if type(value) is not int and is_foreign(value) and context.driver.foreign_pointers:
                raise ForeignArgument
            return convert_argument(value, param, index, context, kernel)

        return perhaps_pointer
    if takes_arrays(param):

        def made_of_array(value: Any) -> Any:
            if is_foreign(value) and context.driver.foreign_pointers:
                raise ForeignArgument
            return convert_argument(value, param, index, context, kernel)

        return made_of_array
    if param.kind in SIZED:
        return lambda value: convert_argument(value, param, index, context, kernel)
    return None


def _pointer_converter(param: Parameter, index: int, context: Session, kernel: str) -> Callable[[Any], Any]:
    """Addresses and this package's own memory at once; everything else by `convert_argument`."""
    free, element, misaligned = param.element is None and param.aligned == 1, param.element, param.aligned - 1

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
        if free or (element is not None and getattr(value, "type", None) is element and not address & misaligned):
            return address
        try:
            param.check_pointee(value, address)
        except ArgumentError:
            return convert_argument(value, param, index, context, kernel)  # says it with the argument's place
        return address

    return pointer


def located(error: ArgumentError, param: Parameter, index: int, kernel: str) -> ArgumentError:
    """*error*, with the argument that it is about."""
    message = f"{_place(param, index, kernel)}: {error.args[0]}"
    return type(error)(message, index=index, name=param.name, hint=error.hint)


def _place(param: Parameter, index: int, kernel: str) -> str:
    kind = param.kind if param.structure is None else param.structure.__name__
    return f"{kernel}: argument {index + 1} ({param.name}: {kind})"


def convert_argument(value: Any, param: Parameter, index: int, context: Session, kernel: str) -> Any:
    """*value* as ``struct`` packs it for argument *index* of a kernel. Raises the errors of `Signature.convert`."""
    where = _place(param, index, kernel)
    try:
        if param.kind == "pointer":
            array, value = value, as_pointer(value, context)
            param.check_pointee(array, value)
        elif param.kind == "bf16":
            value = bf16_bits(value)
        elif param.kind == "bytes":
            _check_memory_behind(value)
            if param.structure is not None and type(value) is not bytes:
                value = param.structure.packed(value, context)
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
    if param.kind in INTEGERS or param.kind == "pointer":
        if not hasattr(type(value), "__index__"):
            return _mistyped(value, param, index, where)
        bits = 8 * param.size
        low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if param.kind[0] == "s" else (0, (1 << bits) - 1)
        if value < 0:
            hint = "an address is not negative" if param.kind == "pointer" else f"pass its bits: value & {high:#x}"
            hint = hint if low == 0 else "use a wider parameter"
        else:
            hint = "use a wider parameter" if bits < 64 else "no parameter is wider: pass it in parts, or in memory"
        return ArgumentRangeError(
            f"{where}: {value!r} is outside {low} to {high}", index=index, name=param.name, hint=hint
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
    if param.kind in INTEGERS:
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


def _check_memory_behind(value: Any) -> None:
    """Raises ClosedError for a structure whose memory is closed: a tensor map."""
    check = getattr(value, "check_open", None)
    if check is not None:
        check()


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


def _as_opaque(value: Any, size: int, context: Session) -> bytes:
    """The bytes of an argument whose parameter's type is not known: an integer or pointer that fits, or exact bytes."""
    _check_memory_behind(value)
    if isinstance(value, float):
        raise ArgumentTypeError(
            f"the kernel's signature is not known, so a float cannot be distinguished from an integer of {size} bytes",
            hint="load the module with signatures={...}, or pass ctypes.c_float or c_double",
        )
    if size == 8 and (is_device_memory(value) or hasattr(value, "__dlpack__")):
        value = as_pointer(value, context)
    if hasattr(type(value), "__index__") and size in (1, 2, 4, 8):
        number = int(value.__index__())
        if not -(1 << 8 * size - 1) <= number < 1 << 8 * size:
            raise ArgumentRangeError(f"{number} does not fit {size} bytes")
        return (number % (1 << 8 * size)).to_bytes(size, "little")
    return _as_bytes(value, size)


def bf16_bits(value: Any) -> int:
    """The bit pattern of the bf16 nearest to *value*, ties to even; the value is rounded once, from double precision.

    bf16 has 8 exponent bits (as f32) and 7 fraction bits. Raises TypeError for no number, OverflowError beyond the
    largest finite bf16.
    """
    if isinstance(value, (str, bytes, bytearray)):  # float() would read them
        raise TypeError("not a number")
    import math

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


def decode(param: Parameter, data: bytes) -> Any:
    """An argument's value from its bytes."""
    if param.kind in SIZED:
        return data
    if param.kind == "bf16":
        return struct.unpack("<f", b"\0\0" + data)[0]
    return struct.unpack("<" + param.code, data)[0]


class Signature:
    """A kernel's parameters in order, and their offsets in a packed argument buffer."""

    __slots__ = ("arrays", "offsets", "packing", "params", "pointers", "size")

    def __init__(self, params: Iterable[Parameter]) -> None:
        hint = 'Signature([Parameter("n", "u32"), Parameter("x", "pointer")])'
        self.params: tuple[Parameter, ...] = tuple(
            [instance(param, Parameter, "a signature", hint) for param in params]
        )
        names = [param.name for param in self.params]
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise ArgumentError(
                f"two parameters are called {twice!r}", name=twice, hint="arguments are identified by name"
            )
        offsets, codes, end = [], ["<"], 0
        for param in self.params:
            start = -(-end // param.align) * param.align
            codes.append(f"{start - end}x{param.code}" if start > end else param.code)
            offsets.append(start)
            end = start + param.size
        self.offsets: tuple[int, ...] = tuple(offsets)
        self.size: int = end
        self.packing: struct.Struct = struct.Struct("".join(codes))
        self.pointers: tuple[int, ...] = tuple(
            [i for i, p in enumerate(self.params) if p.kind == "pointer" or (p.size, p.kind) == MAYBE_POINTER]
        )
        """Positions of the parameters that take an array's address: pointers, and opaque values that may be one."""
        self.arrays: tuple[int, ...] = tuple(
            [i for i, p in enumerate(self.params) if i in self.pointers or takes_arrays(p)]
        )
        """Positions of all that take an array: those, and tensor maps that a launch makes of arrays."""

    def __eq__(self, other: object) -> bool:
        return self.params == other.params if isinstance(other, Signature) else NotImplemented

    def __reduce__(self) -> tuple[Any, ...]:  # a `struct.Struct` is not pickled
        return Signature, (self.params,)

    def __hash__(self) -> int:
        return hash(self.params)

    def __str__(self) -> str:
        return "(" + ", ".join([f"{param.name}: {_shown(param)}" for param in self.params]) + ")"

    def __repr__(self) -> str:
        return f"Signature{self}"

    def convert(self, args: Sequence[Any], context: Session, kernel: str = "kernel") -> list[Any]:
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
                (param.name, decode(param, ctypes.string_at(address, param.size) if address else b"\0" * param.size))
                for param, address in zip(self.params, addresses)
            ]
        )


def _shown(param: Parameter) -> str:
    if param.structure is not None:
        return param.structure.__name__
    return f"{param.kind}{param.size if param.kind in SIZED else ''}"


def signature_from_sizes(sizes: Iterable[int]) -> Signature:
    """The signature of a kernel of which the driver reports only the sizes."""
    return Signature([Parameter(f"param_{i}", "opaque", size, min(size & -size, 16)) for i, size in enumerate(sizes)])
