"""What every operation asks of what it is given. Each check says what it expected, what it found and what to do."""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING, Any

from driver_ctypes.errors import ArgumentTypeError
from ptxgen.builder import f16, f32, f64, s8, s16, s32, s64, u8, u16, u32, u64
from ptxgen.builder.core.numbers import plain, shown
from ptxgen.errors import BuildError
from ptxgen.host import Array, Device
from ptxgen.host.formats import pack_numbers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ptxgen.builder.values import Value
    from ptxgen.isa.types import ScalarType

__all__ = [
    "check_all_apart", "check_apart", "check_apart_or_same", "check_array", "check_bits", "check_column",
    "check_columns", "check_count", "check_device", "check_element", "check_number", "check_result", "check_room",
    "check_rows", "check_same_types", "shared_memory_of", "value_type",
]  # fmt: skip

COLUMN_BYTES = (1, 2, 4, 8)

MOST_ROWS = (1 << 32) - (1 << 20)
"""Rows that a kernel numbers in 32 bits: the last step of a grid, of fewer than 2^20 threads, does not go past 2^32."""

_TYPES: dict[Any, type[Value]] = {kind.isa: kind for kind in (u8, s8, u16, s16, f16, u32, s32, f32, u64, s64, f64)}


def check_device(device: Any) -> Device:
    """A device, as `px.device()` gives one."""
    if not isinstance(device, Device):
        raise BuildError(f"{device!r} is not a device", hint="px.device(), px.device('cuda'), px.device('cpu')")
    return device


def check_count(name: str, count: Any, *, most: int | None = None, least: int = 0) -> int:
    """A number of things. BuildError when it is not an integer, or out of bounds."""
    try:
        found = index(count)
    except TypeError:
        raise BuildError(f"{name} is {count!r}, expected an integer") from None
    if found < least or (most is not None and found > most):
        raise BuildError(f"{name} is {shown(found)}", hint=f"{least} or more" if most is None else f"{least} to {most}")
    return found


def shared_memory_of(device: Device) -> int:
    """Bytes of shared memory that a CTA may ask for."""
    return int(device.handle.attribute(97))  # CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN


def check_room(most: int, what: str, nbytes: int, device: Device) -> None:
    """BuildError when arrays of `most` rows, of `nbytes` together, cannot be in the device's memory whatever else is freed."""
    room = device.context.device.total_memory
    if nbytes > room:
        raise BuildError(
            f"most is {shown(most)}: {what} take {shown(-(-nbytes >> 30))} GiB, {device.name} has {room >> 30}",
            hint=f"at most {most * room // nbytes}",
        )


def check_element(
    what: str, element: Any, *, bits: tuple[int, ...] = (32, 64), kinds: str = "usf", also: tuple[type[Value], ...] = ()
) -> type[Value]:
    """A type of numbers of so many bits (`kinds`: u unsigned, s signed, f floats), or one of those that are there also.
    BuildError for any other."""
    known = [kind for kind in _TYPES.values() if kind.isa.bits in bits and kind.isa.kind in kinds]
    found: dict[Any, type[Value]] = {each.isa: each for each in (*also, *known)}
    isa = getattr(element, "isa", None)
    kind = found.get(isa)
    if kind is not None and kind is element:
        return kind
    name = f".{isa.name}" if isa is not None and _TYPES.get(isa) in (None, element) else repr(element)
    *names, last = [each.name for each in found]
    raise BuildError(f"no {what} of {name}", hint=f"{', '.join(names)} or {last}")


def check_array(
    name: str, array: Any, element: type[Value], *, device: Device | None = None, least: int = 0, most: int | None = None,
) -> int:  # fmt: skip
    """The number of elements of an array argument. BuildError when it is none, or when its device, its type, its form or its
    size is not what is needed."""
    if not isinstance(array, Array):
        raise BuildError(
            f"{name} is {type(array).__name__}, not a device array", hint="dev.array(...) or dev.empty(...)"
        )
    if array.type is not element.isa:
        raise BuildError(f"{name} is an array of .{array.type.name}, expected .{element.isa.name}")
    _check_place(name, array, device)
    size = array.size
    if size < least:
        raise BuildError(f"{name} has {size} elements, expected at least {least}")
    if most is not None and size > most:
        raise BuildError(f"{name} has {size} elements, this operation was made for at most {most}")
    return size


def check_rows(name: str, array: Any, element: type[Value], *, device: Device | None = None) -> int:
    """The number of elements of an array whose places are numbered in 32 bits. BuildError as of `check_array`."""
    return check_array(name, array, element, device=device, most=MOST_ROWS)


def _check_place(name: str, array: Array, device: Device | None) -> None:
    if device is not None and array.device is not device:
        raise BuildError(
            f"{name}: an array on {array.device.name}, this operation works on {device.name}",
            hint="copy it there: dev.array(x.numpy())",
        )
    if len(array.shape) != 1:
        raise BuildError(f"{name} has the shape {array.shape}, expected one dimension", hint="x.reshape(-1)")


def check_apart(name: str, out: Array, other: str, array: Array) -> None:
    """BuildError where the memory that is written overlaps memory that is read: who is first would depend on timing."""
    if array._here < out._here + out.nbytes and out._here < array._here + array.nbytes:
        raise BuildError(f"{name} and {other} share memory", hint="another array for the result")


def check_all_apart(written: Mapping[str, Array], read: Mapping[str, Array]) -> None:
    """The same for several arrays of each; what is written must not overlap what else is written either."""
    earlier = dict(read)
    for name, out in written.items():
        for other, array in earlier.items():
            check_apart(name, out, other, array)
        earlier[name] = out


def check_apart_or_same(name: str, out: Array, other: str, array: Array) -> None:
    """The same where each element is read before its own place is written: the very same memory will do."""
    if out._here != array._here or out.type.bytes != array.type.bytes:
        check_apart(name, out, other, array)


def check_column(name: str, column: Any, *, device: Device | None = None) -> Array:
    """An array of 1-, 2-, 4- or 8-byte elements. BuildError for anything else."""
    if not isinstance(column, Array) or column.type.bytes not in COLUMN_BYTES:
        raise BuildError(f"{name} is {column!r}", hint="a device array of 1-, 2-, 4- or 8-byte elements")
    _check_place(name, column, device)
    return column


def check_columns(what: str, columns: Any, *, device: Device | None = None) -> list[Array]:
    """The columns of a table or a key: one array or a list of several of equal length. BuildError for anything else."""
    arrays: list[Any] = list(columns) if isinstance(columns, (list, tuple)) else [columns]
    if not arrays:
        raise BuildError(f"{what} without columns")
    for number, column in enumerate(arrays):
        name = f"column {number} of {what}"
        check_column(name, column, device=device)
        if column.size != arrays[0].size:
            raise BuildError(f"{name} has {column.size} rows, column 0 has {arrays[0].size}")
    return arrays


def check_result(name: str, out: Any, column: Array, rows: int) -> None:
    """BuildError unless `out` can take so many elements of a column, and is memory of its own."""
    check_column(name, out, device=column.device)
    if out.type is not column.type:
        raise BuildError(f"{name} is an array of .{out.type.name}, the column one of .{column.type.name}")
    if out.size < rows:
        raise BuildError(f"{name} has {out.size} elements, expected at least {rows}")
    check_apart(name, out, "the column", column)


def check_same_types(what: str, columns: list[Array], types: tuple[Any, ...]) -> None:
    """BuildError unless the columns have these types."""
    found = tuple(column.type for column in columns)
    if found != types:
        actual, expected = (", ".join(f".{kind.name}" for kind in each) for each in (found, types))
        raise BuildError(
            f"{what} has columns of {actual}, expected {expected}", hint="array.view(...) for the same bits"
        )


def check_number(name: str, value: Any, isa: ScalarType) -> int | float:
    """A number that an element can have, as Python's own: an integer for integers, in range. NumPy's numbers will do."""
    number = plain(value)
    if not isinstance(number, (int, float)):
        raise BuildError(f"{name} is {value!r}, expected a number for .{isa.name}")
    if isa.is_float:
        try:
            pack_numbers([number], isa)
        except ArgumentTypeError:
            raise BuildError(
                f"{name} is {shown(number)}, too large for .{isa.name}", hint="math.inf, if infinity is meant"
            ) from None
        return number
    if isinstance(number, float):
        raise BuildError(f"{name} is {number!r}, expected an integer for .{isa.name}", hint="int(...)")
    low = -(1 << (isa.bits - 1)) if isa.is_signed else 0
    high = low + (1 << isa.bits) - 1
    if not low <= number <= high:
        raise BuildError(f"{name} is {shown(number)}, which .{isa.name} cannot be", hint=f"{low} to {high}")
    return number


def check_bits(name: str, value: Any, isa: ScalarType) -> int:
    """The bits of a number that an element can have."""
    return int.from_bytes(pack_numbers([check_number(name, value, isa)], isa), "little")


def value_type(name: str, array: Any) -> type[Value]:
    """The builder's type of a device array's elements. BuildError where columns of a table cannot have it."""
    found = _TYPES.get(array.type) if isinstance(array, Array) else None
    if found is None:
        raise BuildError(f"{name} is {array!r}", hint="a device array of integers of 8 to 64 bits, f16, f32 or f64")
    return found
