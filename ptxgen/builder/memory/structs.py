"""Structures passed by value: one class says the layout to the kernel and packs the bytes on the host.

class Camera(px.Struct):
    scale: f32
    seed: u32 = 7                      # with a default
    eye: px.vec[f32, 4]                # in the kernel a vector, on the host its four numbers
    pixels: px.ptr[f32]

Camera(scale=1.5, eye=(0, 0, 1, 1), pixels=x)   # on the host: an argument for `camera: Camera`; inside, camera.scale is a value

A launch takes a Camera where a Camera is wanted and nothing else but `bytes` of its size. Its fields are checked as parameters
are: ranges, and of arrays their elements, alignment, device, and that they are open.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, ClassVar, TypeGuard

from driver_ctypes.arguments.parameter import Parameter, as_pointer
from driver_ctypes.arguments.signature import bf16_bits
from driver_ctypes.errors import ArgumentError, ArgumentRangeError, ArgumentTypeError, ClosedError
from driver_ctypes.interop.arrays import foreign_ordinal, is_foreign
from driver_ctypes.typing import NamedTuple
from ptxgen.builder.core.source import build_error
from ptxgen.builder.memory.packing import alignment_of, check_in_memory
from ptxgen.builder.memory.pointers import global_pointer, ptr
from ptxgen.builder.values.scalars import Value
from ptxgen.builder.values.vectors import vec
from ptxgen.errors import BuildError
from ptxgen.ir import Address, Symbol

if TYPE_CHECKING:
    from driver_ctypes.contexts.context import Context
    from ptxgen.builder.core.function_builder import FunctionBuilder

__all__ = ["Field", "Struct", "StructLayout"]

_CODES = {
    "u8": "B", "s8": "b", "b8": "B", "u16": "H", "s16": "h", "b16": "H", "u32": "I", "s32": "i", "b32": "I",
    "u64": "Q", "s64": "q", "b64": "Q", "f16": "e", "f32": "f", "f64": "d", "bf16": "H",
    "e4m3": "B", "e5m2": "B", "f16x2": "I",
}  # fmt: skip
"""Type -> what the struct module calls it. fp8 and pairs of halves are given as their bits, as parameters are."""


class Field(NamedTuple):
    """A field: a scalar type, a `ptr`, a `vec` or another `Struct`, `offset` bytes from the structure's start."""

    name: str
    type: Any
    offset: int


class StructLayout(NamedTuple):
    """Fields in order at their natural alignment, as C lays them out; size and align in bytes. A vector's is its size."""

    fields: tuple[Field, ...]
    size: int
    align: int


class Struct:
    """Base of structures; fields are annotations with ptxgen types."""

    _layout: ClassVar[StructLayout | None] = None
    _defaults: ClassVar[dict[str, Any]] = {}
    _values: dict[str, Any]
    _place: tuple[FunctionBuilder, str, int] | None

    def __init_subclass__(cls) -> None:
        # A default that stayed in the class would be found instead of the field, in kernels too.
        import inspect

        own = {name: cls.__dict__[name] for name in inspect.get_annotations(cls) if name in cls.__dict__}
        cls._defaults = {**cls._defaults, **own}
        for name in own:
            delattr(cls, name)

    @classmethod
    def layout(cls) -> StructLayout:
        """Where each field lies. BuildError for a field whose type has no place in a structure."""
        if "_layout" in cls.__dict__ and cls._layout is not None:
            return cls._layout
        fields = []
        offset, align = 0, 1
        for name, type_ in _annotations(cls).items():
            if hasattr(Struct, name) or name.startswith("_"):
                raise BuildError(f"{cls.__name__}: no field can be called {name!r}", hint="another name")
            size, natural = _extent(cls, name, type_)
            offset = -(-offset // natural) * natural
            fields.append(Field(name, type_, offset))
            offset += size
            align = max(align, natural)
        if not fields:
            raise BuildError(f"{cls.__name__} has no fields", hint="class P(px.Struct): scale: f32")
        cls._layout = StructLayout(tuple(fields), -(-offset // align) * align, align)
        return cls._layout

    def __init__(self, **values: Any) -> None:
        names = [field.name for field in self.layout().fields]
        values = {**self._defaults, **values}
        missing = [name for name in names if name not in values]
        extra = [name for name in values if name not in names]
        if missing or extra:
            problems = [f"no value for {', '.join(missing)}"] * bool(missing) + [f"no field {', '.join(extra)}"] * bool(
                extra
            )
            raise BuildError(f"{type(self).__name__}: {'; '.join(problems)}", hint=f"its fields are {', '.join(names)}")
        self._values = values
        self._place = None

    def __repr__(self) -> str:
        if self._place is not None:
            return f"<{type(self).__name__} {self._place[1]}>"
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self._values.items())})"

    @classmethod
    def in_kernel(cls, k: FunctionBuilder, parameter: str, offset: int = 0) -> Struct:
        """The structure as a kernel sees it: reading a field loads it from the parameter, `offset` bytes further."""
        found = object.__new__(cls)
        found._values = {}
        found._place = (k, parameter, offset)
        return found

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if self._place is None:
            if name in self._values:
                return self._values[name]
            raise AttributeError(f"{type(self).__name__} has no field {name!r}")
        k, parameter, start = self._place
        field = next((f for f in self.layout().fields if f.name == name), None)
        if field is None:
            names = ", ".join(f.name for f in self.layout().fields)
            raise build_error("PTX301", f"{type(self).__name__} has no field {name!r}", hint=f"its fields are {names}")
        offset = start + field.offset
        if issubclass(field.type, Struct):
            return field.type.in_kernel(k, parameter, offset)
        return k.once((parameter, offset), _load, k, parameter, field.type, offset)

    def __setattr__(self, name: str, value: Any) -> None:
        """On the host a field may be given another value; in a kernel it is a constant."""
        if name.startswith("_"):
            object.__setattr__(self, name, value)
        elif self._place is not None:
            raise build_error(
                "PTX326",
                f"{type(self).__name__}.{name} is assigned, but a parameter is read only",
                expected="a variable for what changes",
                hint=f"{name} = k.var(type, {self._place[1]}.{name})",
            )
        elif name in self._values:
            self._values[name] = value
        else:
            names = ", ".join(f.name for f in self.layout().fields)
            raise BuildError(f"{type(self).__name__} has no field {name!r}", hint=f"its fields are {names}")

    # Host

    @property
    def _arrays(self) -> tuple[Any, ...]:
        """The memory behind its pointers, which a graph keeps, and which says the device of a launch."""
        if self._place is not None:
            return ()
        found: list[Any] = []
        for field in self.layout().fields:
            value = self._values[field.name]
            if isinstance(value, Struct):
                found += value._arrays
            elif issubclass(field.type, ptr):
                found.append(value)
        return tuple(found)

    @classmethod
    def packed(cls, value: Any, context: Context) -> bytes:
        """The bytes of an argument for a parameter of this class, on a context. ArgumentTypeError for another
        structure or none, and the errors of `pack`."""
        if not cls._is(value):
            names = ", ".join(f"{field.name}=..." for field in cls.layout().fields)
            raise ArgumentTypeError(
                f"expected {_described(cls)}, found {_found(value)}", hint=f"pass {cls.__name__}({names})"
            )
        return value.pack(context)

    @classmethod
    def _is(cls, value: object) -> TypeGuard[Struct]:
        """One of this class, or of one that has its name and fields: the same, defined anew."""
        if type(value) is cls:
            return True
        return (
            isinstance(value, Struct)
            and (isinstance(value, cls) or type(value).__qualname__ == cls.__qualname__)
            and value.layout() == cls.layout()
        )

    def pack(self, context: Context | None = None) -> bytes:
        """The structure's bytes, little-endian, padding zero.

        Raises ArgumentTypeError and ArgumentRangeError, naming the field, for a value of another type than the field's, for an
        array of other elements or of another *context*, ClosedError for a closed one.
        """
        out = bytearray(self.layout().size)
        self._pack_into(out, 0, context, type(self).__name__)
        return bytes(out)

    def _pack_into(self, out: bytearray, start: int, context: Context | None, name: str) -> None:
        for field in self.layout().fields:
            value, place, full = self._values[field.name], start + field.offset, f"{name}.{field.name}"
            if issubclass(field.type, Struct):
                if not field.type._is(value):
                    raise ArgumentTypeError(f"{full}: expected {_described(field.type)}, found {_found(value)}")
                value._pack_into(out, place, context, full)
            elif issubclass(field.type, ptr):
                struct.pack_into("<Q", out, place, _address(field.type, value, context, full))
            elif issubclass(field.type, vec):
                scalar, lanes = field.type.element.isa, field.type.lanes
                if not hasattr(type(value), "__len__") or isinstance(value, (str, bytes)) or len(value) != lanes:
                    raise ArgumentTypeError(f"{full}: expected {lanes} numbers, found {value!r:.60}")
                for lane, part in enumerate(value):
                    _number(out, place + lane * scalar.bytes, scalar.name, part, f"{full}[{lane}]")
            else:
                _number(out, place, field.type.isa.name, value, full)


def _annotations(cls: type[Struct]) -> dict[str, Any]:
    """The fields' types, those of the bases first."""
    import inspect

    hints: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        if issubclass(base, Struct) and base is not Struct:
            try:
                hints |= inspect.get_annotations(base, eval_str=True)
            except NameError as unknown:
                raise BuildError(
                    f"{base.__name__}: an annotation cannot be resolved: {unknown}",
                    hint="name it at the module's top level, or leave out `from __future__ import annotations`",
                ) from None
    return hints


def _extent(cls: type[Struct], name: str, type_: Any) -> tuple[int, int]:
    """(bytes, alignment) of a field."""
    if isinstance(type_, type):
        if issubclass(type_, Struct):
            return type_.layout().size, type_.layout().align
        if issubclass(type_, vec):
            check_in_memory(type_)
            size = type_.lanes * type_.element.isa.bytes
            return size, alignment_of(size, "param")
        if issubclass(type_, Value) and (issubclass(type_, ptr) or type_.isa.name in _CODES):
            return type_.isa.bytes, type_.isa.bytes
    said = type_.__name__ if isinstance(type_, type) else repr(type_)
    raise BuildError(
        f"{cls.__name__}.{name}: {said} is not a field type",
        hint="a scalar type such as u32, px.vec[f32, 4], px.ptr[f32] or another px.Struct; of an array, a field for each "
        "element, or memory behind a px.ptr",
    )


def _load(k: FunctionBuilder, parameter: str, type_: Any, offset: int) -> Any:
    """A field's value, from the parameter."""
    if issubclass(type_, vec):
        return ptr[type_](k, Symbol(parameter), k.scope, space="param", offset=offset).load()
    address = Address(Symbol(parameter), offset)
    if issubclass(type_, ptr):
        return global_pointer(k, type_, address)
    return k.emit1(type_, f"ld.param.{type_.memory}", address)


# ---- the bytes of a field --------------------------------------------------------------------------------------------


def _described(cls: type[Struct]) -> str:
    return f"{cls.__name__} ({', '.join(f'{f.name}: {f.type.__name__}' for f in cls.layout().fields)})"


def _found(value: Any) -> str:
    return _described(type(value)) if isinstance(value, Struct) else f"{type(value).__name__} {value!r:.60}"


_LARGEST_ELEMENT = 8  # bytes; the alignment of wider ones is what vector accesses need


def _address(type_: Any, value: Any, context: Context | None, full: str) -> int:
    """The address of an argument for a pointer."""
    element = type_.element.element if issubclass(type_.element, vec) else type_.element
    parameter = Parameter(
        full, "pointer", element=element.isa, aligned=type_.aligned if type_.aligned > _LARGEST_ELEMENT else 1
    )
    if type(value) is not int and is_foreign(value) and foreign_ordinal(value) is not None:
        raise ArgumentTypeError(
            f"{full}: a {type(value).__name__} of another library brings a stream that a structure does not say",
            hint="dev.asarray(x) is an array of ours over the same memory, ordered after its library's work",
        )
    where = context or getattr(value, "context", None)
    if where is None and (hasattr(value, "__dlpack__") or not hasattr(type(value), "__index__")):
        raise ArgumentTypeError(
            f"{full}: expected a device pointer, found {type(value).__name__} {value!r:.60}",
            hint="pass a Buffer, a device array, or an address as int",
        )
    try:
        address = as_pointer(value, where)  # type: ignore[arg-type]
    except ClosedError as closed:
        raise ClosedError(f"{full}: {closed.args[0]}", hint=closed.hint) from None
    except ArgumentError as wrong:
        raise type(wrong)(f"{full}: {wrong.args[0]}", hint=wrong.hint) from None
    if not 0 <= address < 1 << 64:
        raise ArgumentRangeError(f"{full}: {address} is not an address")
    parameter.check_pointee(value, address)
    return address


def _number(out: bytearray, place: int, type_: str, value: Any, full: str) -> None:
    """One number into its place."""
    code = _CODES[type_]
    whole = code not in "efd" and type_ != "bf16"
    wanted = "__index__" if whole else "__float__"
    if not hasattr(type(value), wanted) and not hasattr(type(value), "__index__"):
        raise ArgumentTypeError(
            f"{full}: expected {'an integer' if whole else 'a number'}, found {type(value).__name__} {value!r:.60}",
            hint=("int(...)" if whole else "float(...)") if hasattr(type(value), "__float__") else None,
        )
    try:
        struct.pack_into("<" + code, out, place, bf16_bits(value) if type_ == "bf16" else value)
    except (struct.error, OverflowError, TypeError, ValueError):
        raise ArgumentRangeError(
            f"{full}: {value!r:.60} does not fit in .{type_}", hint="a wider type for the field"
        ) from None
