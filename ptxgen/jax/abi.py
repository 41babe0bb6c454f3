"""The structures of XLA's foreign function interface (``xla/ffi/api/c_api.h``), as far as handlers read them.

Everything here is in the interface since version 0.1, the oldest that XLA still takes: that is what our handlers report, so that
one handler serves every jaxlib that `ptxgen.jax` supports. Fields that came later are not read.
"""

from __future__ import annotations

import ctypes
import math
from typing import TYPE_CHECKING, Any, NamedTuple

from driver_ctypes.arguments.parameter import same_bits
from ptxgen.isa.types import TYPES, ScalarType

if TYPE_CHECKING:
    from driver_ctypes.interop.elements import ElementType

VERSION = (0, 1)
"""(major, minor) that handlers report."""

METADATA_EXTENSION = 1
COMMAND_BUFFER_COMPATIBLE = 1
"""A trait: XLA may capture the handler's launches once, and replay them as a CUDA graph."""

INITIALIZE, EXECUTE = 2, 3
"""XLA_FFI_ExecutionStage."""

INVALID_ARGUMENT, RESOURCE_EXHAUSTED, FAILED_PRECONDITION, UNIMPLEMENTED, INTERNAL = 3, 8, 9, 12, 13
"""XLA_FFI_Error_Code."""

_DATA_TYPES = {
    1: "u8", 2: "s8", 3: "s16", 4: "s32", 5: "s64", 6: "u8", 7: "u16", 8: "u32", 9: "u64", 10: "f16", 11: "f32", 12: "f64",
    16: "bf16", 19: "e5m2", 20: "e4m3",
}  # fmt: skip
"""XLA_FFI_DataType -> PTX. Booleans (1) are bytes."""


def data_types_like(element: ElementType) -> tuple[int, ...]:
    """The XLA_FFI_DataTypes whose buffers may stand where a kernel points to such elements."""
    return tuple(number for number, name in _DATA_TYPES.items() if same_bits(TYPES[name], element))


NUMBERS: dict[int, Any] = {
    1: ctypes.c_bool, 2: ctypes.c_int8, 3: ctypes.c_int16, 4: ctypes.c_int32, 5: ctypes.c_int64, 6: ctypes.c_uint8,
    7: ctypes.c_uint16, 8: ctypes.c_uint32, 9: ctypes.c_uint64, 11: ctypes.c_float, 12: ctypes.c_double,
}  # fmt: skip
"""XLA_FFI_DataType -> how an attribute of it is read."""

ARRAY, SCALAR, STRING = 1, 3, 4
"""XLA_FFI_AttrType."""

_Base = (("struct_size", ctypes.c_size_t), ("extension_start", ctypes.c_void_p))


class Buffer(ctypes.Structure):
    """XLA_FFI_Buffer: row-major elements."""

    _fields_ = (
        *_Base,
        ("dtype", ctypes.c_int),
        ("data", ctypes.c_void_p),
        ("rank", ctypes.c_int64),
        ("dims", ctypes.POINTER(ctypes.c_int64)),
    )

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.dims[: self.rank])

    @property
    def nbytes(self) -> int:
        """What its elements take, packed; 0 where PTX does not have their type."""
        found = self.type
        return 0 if found is None else math.prod(self.shape) * found.bits // 8

    @property
    def type(self) -> ScalarType | None:
        """The type of its elements; None for one that PTX does not have."""
        name = _DATA_TYPES.get(self.dtype)
        return None if name is None else TYPES[name]


class Buffers(ctypes.Structure):
    """XLA_FFI_Args and XLA_FFI_Rets."""

    _fields_ = (
        *_Base,
        ("size", ctypes.c_int64),
        ("types", ctypes.c_void_p),
        ("items", ctypes.POINTER(ctypes.POINTER(Buffer))),
    )

    def __iter__(self) -> Any:
        return (self.items[index].contents for index in range(self.size))


class ByteSpan(ctypes.Structure):
    _fields_ = (("data", ctypes.c_void_p), ("size", ctypes.c_size_t))

    def text(self) -> str:
        return ctypes.string_at(self.data, self.size).decode() if self.size else ""


class Scalar(ctypes.Structure):
    """XLA_FFI_Scalar."""

    _fields_ = (("dtype", ctypes.c_int), ("value", ctypes.c_void_p))

    def number(self) -> bool | int | float:
        found: bool | int | float = NUMBERS[self.dtype].from_address(self.value).value
        return found


class NumberArray(ctypes.Structure):
    """XLA_FFI_Array."""

    _fields_ = (("dtype", ctypes.c_int), ("size", ctypes.c_size_t), ("data", ctypes.c_void_p))

    def numbers(self) -> tuple[int | float, ...]:
        return tuple((NUMBERS[self.dtype] * self.size).from_address(self.data)) if self.size else ()


_READERS: dict[int, Any] = {
    ARRAY: lambda at: NumberArray.from_address(at).numbers(),
    SCALAR: lambda at: Scalar.from_address(at).number(),
    STRING: lambda at: ByteSpan.from_address(at).text(),
}


class Attributes(ctypes.Structure):
    """XLA_FFI_Attrs."""

    _fields_ = (
        *_Base,
        ("size", ctypes.c_int64),
        ("types", ctypes.POINTER(ctypes.c_int)),
        ("names", ctypes.POINTER(ctypes.POINTER(ByteSpan))),
        ("items", ctypes.POINTER(ctypes.c_void_p)),
    )

    def values(self) -> dict[str, Any]:
        """Numbers, tuples of numbers and strings, by name."""
        return {
            self.names[index].contents.text(): _READERS[self.types[index]](self.items[index])
            for index in range(self.size)
        }


class ApiVersion(ctypes.Structure):
    _fields_ = (*_Base, ("major", ctypes.c_int), ("minor", ctypes.c_int))


class Api(ctypes.Structure):
    """XLA_FFI_Api, up to the last function that handlers call."""

    _fields_ = (
        *_Base,
        ("version", ApiVersion),
        ("internal", ctypes.c_void_p),
        ("error_create", ctypes.c_void_p),
        ("error_message", ctypes.c_void_p),
        ("error_destroy", ctypes.c_void_p),
        ("handler_register", ctypes.c_void_p),
        ("stream_get", ctypes.c_void_p),
    )


class CallFrame(ctypes.Structure):
    """XLA_FFI_CallFrame."""

    _fields_ = (
        *_Base,
        ("api", ctypes.POINTER(Api)),
        ("context", ctypes.c_void_p),
        ("stage", ctypes.c_int),
        ("arguments", Buffers),
        ("results", Buffers),
        ("attributes", Attributes),
    )


class Extension(ctypes.Structure):
    """XLA_FFI_Extension_Base, and the field that XLA_FFI_Metadata_Extension adds."""

    _fields_ = (
        ("struct_size", ctypes.c_size_t),
        ("type", ctypes.c_int),
        ("next", ctypes.c_void_p),
        ("metadata", ctypes.c_void_p),
    )


class Metadata(ctypes.Structure):
    """XLA_FFI_Metadata."""

    _fields_ = (("struct_size", ctypes.c_size_t), ("version", ApiVersion), ("traits", ctypes.c_uint32))


class ErrorCreate(ctypes.Structure):
    """XLA_FFI_Error_Create_Args."""

    _fields_ = (*_Base, ("message", ctypes.c_char_p), ("code", ctypes.c_int))


class StreamGet(ctypes.Structure):
    """XLA_FFI_Stream_Get_Args."""

    _fields_ = (*_Base, ("context", ctypes.c_void_p), ("stream", ctypes.c_void_p))


class Call(NamedTuple):
    """A call frame, read."""

    operands: tuple[Buffer, ...]
    results: tuple[Buffer, ...]
    attributes: dict[str, Any]


def read_call(frame: CallFrame) -> Call:
    return Call(tuple(frame.arguments), tuple(frame.results), frame.attributes.values())


_CREATE = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(ErrorCreate))
_GET = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(StreamGet))


def new_error(frame: CallFrame, code: int, message: str) -> int:
    """The address of an XLA_FFI_Error, which XLA owns."""
    create = _CREATE(frame.api.contents.error_create)
    stated = ErrorCreate(STRUCT_SIZES[ErrorCreate], None, message.encode(), code)
    made: int = create(ctypes.byref(stated))
    return made


def stream_of(frame: CallFrame) -> int:
    """The CUstream that the call's work belongs to. RuntimeError where XLA has none."""
    asked = StreamGet(STRUCT_SIZES[StreamGet], None, frame.context, None)
    if _GET(frame.api.contents.stream_get)(ctypes.byref(asked)):
        raise RuntimeError("XLA has no stream for this call")
    return asked.stream or 0


def _struct_size(structure: Any) -> int:
    """XLA_FFI_STRUCT_SIZE: up to the end of the last field, without padding."""
    name = structure._fields_[-1][0]
    last = getattr(structure, name)
    return int(last.offset + last.size)


STRUCT_SIZES: dict[Any, int] = {each: _struct_size(each) for each in (ErrorCreate, StreamGet)}
