"""What every operation asks of the arrays it is given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.errors import BuildError

if TYPE_CHECKING:
    from ptxgen.build.values import Value

__all__ = ["check_array"]


def check_array(name: str, array: Any, element: type[Value], *, least: int = 0, most: int | None = None) -> int:
    """The number of elements of an array argument. BuildError when it is none, or its type or size is not what is needed."""
    kind = getattr(array, "type", None)
    size = getattr(array, "size", None)
    if kind is None or not isinstance(size, int):
        raise BuildError(
            f"{name} is {type(array).__name__}, not a device array", hint="dev.array(...) or dev.empty(...)"
        )
    if kind is not element.isa:
        raise BuildError(f"{name} is an array of .{kind.name}, expected .{element.isa.name}")
    if size < least:
        raise BuildError(f"{name} has {size} elements, expected at least {least}")
    if most is not None and size > most:
        raise BuildError(f"{name} has {size} elements, this operation was made for at most {most}")
    return size
