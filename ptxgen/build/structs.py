"""Structures passed by value: one class says the layout to the kernel and packs the bytes on the host.

class Camera(px.Struct):
    scale: f32
    seed: u32

Camera(scale=1.5, seed=7)      # on the host: an argument for a parameter `camera: Camera`; inside, camera.scale is a value
"""

from __future__ import annotations

import inspect
import struct
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from ptxgen.build.pointers import ptr
from ptxgen.build.source import build_error
from ptxgen.build.values import Value
from ptxgen.errors import BuildError
from ptxgen.ir import Address, Symbol

if TYPE_CHECKING:
    from ptxgen.build.builder import Builder

__all__ = ["Field", "Struct", "StructLayout"]

_FORMATS = {
    "u8": "B", "s8": "b", "b8": "B", "u16": "H", "s16": "h", "b16": "H", "u32": "I", "s32": "i", "b32": "I",
    "u64": "Q", "s64": "q", "b64": "Q", "f16": "e", "f32": "f", "f64": "d",
}  # fmt: skip


class Field(NamedTuple):
    name: str
    type: type[Value]
    offset: int


class StructLayout(NamedTuple):
    """Fields in order at their natural alignment, as C lays them out; size and align in bytes."""

    fields: tuple[Field, ...]
    size: int
    align: int


class Struct:
    """Base of structures; fields are annotations with ptxgen types."""

    _layout: ClassVar[StructLayout | None] = None
    _values: dict[str, Any]
    _place: tuple[Builder, str] | None

    @classmethod
    def layout(cls) -> StructLayout:
        """Where each field lies. BuildError for a field whose type has no place in a structure."""
        if "_layout" in cls.__dict__ and cls._layout is not None:
            return cls._layout
        hints: dict[str, Any] = {}
        for base in reversed(cls.__mro__):
            if issubclass(base, Struct) and base is not Struct:
                hints |= inspect.get_annotations(base, eval_str=True)
        fields = []
        offset, align = 0, 1
        for name, type_ in hints.items():
            if not (isinstance(type_, type) and issubclass(type_, Value)) or type_.isa.kind == "p":
                raise BuildError(
                    f"{cls.__name__}.{name}: {type_!r} is no field type", hint="u32, f32, px.ptr[f32], ..."
                )
            size = type_.isa.bytes
            offset = -(-offset // size) * size
            fields.append(Field(name, type_, offset))
            offset += size
            align = max(align, size)
        if not fields:
            raise BuildError(f"{cls.__name__} has no fields", hint="class P(px.Struct): scale: f32")
        cls._layout = StructLayout(tuple(fields), -(-offset // align) * align, align)
        return cls._layout

    def __init__(self, **values: Any) -> None:
        names = [field.name for field in self.layout().fields]
        missing = [name for name in names if name not in values]
        extra = [name for name in values if name not in names]
        if missing or extra:
            problems = [f"no value for {', '.join(missing)}"] * bool(missing) + [f"no field {', '.join(extra)}"] * bool(
                extra
            )
            raise BuildError(f"{type(self).__name__}: {'; '.join(problems)}", hint=f"its fields are {', '.join(names)}")
        self._values = dict(values)
        self._place = None

    @classmethod
    def in_kernel(cls, k: Builder, parameter: str) -> Struct:
        """The structure as a kernel sees it: reading a field loads it from the parameter."""
        found = object.__new__(cls)
        found._values = {}
        found._place = (k, parameter)
        return found

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if self._place is None:
            if name in self._values:
                return self._values[name]
            raise AttributeError(f"{type(self).__name__} has no field {name!r}")
        k, parameter = self._place
        field = next((f for f in self.layout().fields if f.name == name), None)
        if field is None:
            names = ", ".join(f.name for f in self.layout().fields)
            raise build_error("PTX301", f"{type(self).__name__} has no field {name!r}", hint=f"its fields are {names}")
        key = (parameter, name)
        known = k.find_cached(key)
        if known is None:
            known = self._load(k, parameter, field)
            k.scope.cache[key] = known
        return known

    @staticmethod
    def _load(k: Builder, parameter: str, field: Field) -> Any:
        address = Address(Symbol(parameter), field.offset)
        if issubclass(field.type, ptr):
            from ptxgen.build.functions import global_pointer

            return global_pointer(k, field.type, address)
        return k.emit1(field.type, f"ld.param.{field.type.memory}", address)

    def pack(self) -> bytes:
        """The structure's bytes, little-endian, padding zero."""
        layout = self.layout()
        out = bytearray(layout.size)
        for field in layout.fields:
            value = self._values[field.name]
            try:
                if issubclass(field.type, ptr):
                    struct.pack_into("<Q", out, field.offset, int(getattr(value, "pointer", value)))
                else:
                    struct.pack_into("<" + _FORMATS[field.type.isa.name], out, field.offset, value)
            except (struct.error, TypeError, OverflowError) as wrong:
                raise BuildError(
                    f"{type(self).__name__}.{field.name}: {value!r} does not fit in .{field.type.isa.name} ({wrong})"
                ) from None
        return bytes(out)
