"""The caller's memory: out-pointers, arrays and strings, read and written by address.

Addresses come as ctypes gives them to callbacks: an int, or None for NULL. A null out-pointer is refused with
INVALID_VALUE; every other wrong pointer is the caller's crash, as with the real driver.
"""

from __future__ import annotations

import ctypes
import os
import struct as structs

from driver_ctypes.typing import TYPE_CHECKING, Any, TypeVar, cast
from ptxgen.emulated_driver.errors.refusal import invalid_value

if TYPE_CHECKING:
    from collections.abc import Sequence

T = TypeVar("T")  # a ctypes structure

HIGHEST = 1 << 48
"""Where addresses end."""
MEMORY = memoryview((ctypes.c_ubyte * HIGHEST).from_address(0)).cast("B")
"""All of this process's addresses: with it, `struct` reads and writes memory several times quicker than ctypes makes objects."""

_u8, _u32, _i32 = structs.Struct("<B"), structs.Struct("<I"), structs.Struct("<i")
_u64, _f32 = structs.Struct("<Q"), structs.Struct("<f")


def need(*addresses: int | None) -> None:
    """Refuses the call if any of these is null."""
    if not all(addresses):
        raise invalid_value("a pointer that must not be null is null")


def put_u64(address: int | None, value: int) -> None:
    """Also for sizes, device pointers and handles."""
    if not address:
        raise invalid_value("the pointer for the result is null")
    _u64.pack_into(MEMORY, address, value & 0xFFFF_FFFF_FFFF_FFFF)


def put_u32(address: int | None, value: int) -> None:
    if not address:
        raise invalid_value("the pointer for the result is null")
    _u32.pack_into(MEMORY, address, value & 0xFFFF_FFFF)


def put_i32(address: int | None, value: int) -> None:
    """Also for enums and devices."""
    if not address:
        raise invalid_value("the pointer for the result is null")
    _u32.pack_into(MEMORY, address, value & 0xFFFF_FFFF)


def put_u8(address: int | None, value: int) -> None:
    if not address:
        raise invalid_value("the pointer for the result is null")
    _u8.pack_into(MEMORY, address, value & 0xFF)


def put_f32(address: int | None, value: float) -> None:
    if not address:
        raise invalid_value("the pointer for the result is null")
    _f32.pack_into(MEMORY, address, value)


def get_u64(address: int) -> int:
    return int(_u64.unpack_from(MEMORY, address)[0])


def get_u32(address: int) -> int:
    return int(_u32.unpack_from(MEMORY, address)[0])


def get_i32(address: int) -> int:
    return int(_i32.unpack_from(MEMORY, address)[0])


def move(to: int, origin: int, nbytes: int) -> None:
    """Copies bytes, which may overlap."""
    MEMORY[to : to + nbytes] = MEMORY[origin : origin + nbytes]


_PIECE = 1 << 16


def bytes_at(address: int, nbytes: int) -> bytes:
    """What a caller says that there is, which may be wrong: fewer bytes where memory ends before."""
    try:
        memory = os.open("/proc/self/mem", os.O_RDONLY)
    except OSError:  # not on this system: the caller's word
        return ctypes.string_at(address, nbytes)
    try:
        parts, left = [], nbytes
        while left > 0:
            part = os.pread(memory, min(left, 1 << 30), address + nbytes - left)
            if not part:
                break
            parts.append(part)
            left -= len(part)
    except (OSError, OverflowError):
        pass
    finally:
        os.close(memory)
    return b"".join(parts)


def given_bytes(address: int, nbytes: int) -> bytes:
    """Bytes that a caller says there are; refused where memory ends before."""
    data = bytes_at(address, nbytes)
    if len(data) < nbytes:
        raise invalid_value(f"{nbytes} bytes at {address:#x}: {len(data)} can be read")
    return data


def text_at(address: int) -> bytes:
    """A text that ends at its NUL, or where memory ends."""
    parts: list[bytes] = []
    while True:
        part = bytes_at(address, _PIECE)
        text, end, _ = part.partition(b"\0")
        parts.append(text)
        if end or len(part) < _PIECE:
            return b"".join(parts)
        address += _PIECE


_FEW, _MOST = 1 << 10, 1 << 24
"""Elements of arrays that are taken at the caller's word, and that nobody has."""


def _array(code: str, nbytes: int, address: int | None, count: int) -> list[int]:
    if not count:
        return []
    if not address:
        raise invalid_value("the array is null, its length is not")
    if count <= _FEW:
        return list(structs.unpack_from(f"<{count}{code}", MEMORY, address))
    if count > _MOST:
        raise invalid_value(f"an array of {count} elements: {_MOST} at most")
    return list(structs.unpack(f"<{count}{code}", given_bytes(address, count * nbytes)))


def u64_array(address: int | None, count: int) -> list[int]:
    """`count` handles, pointers or sizes."""
    return _array("Q", 8, address, count)


def i32_array(address: int | None, count: int) -> list[int]:
    return _array("i", 4, address, count)


def struct(kind: type[T], address: int | None) -> T:
    """The caller's structure itself, not a copy."""
    if not address:
        raise invalid_value(f"the pointer to {kind.__name__} is null")
    return cast("T", cast("Any", kind).from_address(address))


def copy_struct(kind: type[T], address: int | None) -> T:
    """A copy of the caller's structure."""
    return cast("T", cast("Any", kind).from_buffer_copy(struct(kind, address)))


def put_struct(address: int | None, value: Any) -> None:
    if not address:
        raise invalid_value("the pointer for the result is null")
    ctypes.memmove(address, ctypes.addressof(value), ctypes.sizeof(value))


def put_bytes(address: int | None, data: bytes) -> None:
    if not address:
        raise invalid_value("the pointer for the result is null")
    ctypes.memmove(address, data, len(data))


def put_text(address: int | None, room: int, text: bytes) -> None:
    """As much of the text as fits, always ended by NUL."""
    if not address or room <= 0:
        raise invalid_value("there is no room for the text")
    kept = text[: room - 1] + b"\0"
    ctypes.memmove(address, kept, len(kept))


def put_list(array: int | None, count: int | None, values: Sequence[int]) -> None:
    """The convention of the graph queries: with no array only the count is reported; else as many as fit, and 0 in what
    is left over.
    """
    if not array:
        put_u64(count, len(values))
        return
    need(count)
    assert count is not None
    room = get_u64(count)
    for index in range(room):
        _u64.pack_into(MEMORY, array + 8 * index, values[index] if index < len(values) else 0)
    _u64.pack_into(MEMORY, count, min(room, len(values)))


class Texts:
    """Strings the caller may keep a pointer to for ever, such as names."""

    def __init__(self) -> None:
        self._kept: dict[str, Any] = {}

    def address(self, text: str) -> int:
        buffer = self._kept.get(text)
        if buffer is None:
            buffer = self._kept.setdefault(text, ctypes.create_string_buffer(text.encode()))
        return ctypes.addressof(buffer)


texts = Texts()
