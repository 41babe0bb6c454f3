"""What an epilogue reads beside the sums: arrays and numbers that a launch passes, and what the function sees of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder import Builder, f32, ptr, s32, s64, u32
from ptxgen.errors import BuildError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ptxgen.builder.values import Value

__all__ = ["EpilogueArray", "applied", "passed"]


class EpilogueArray:
    """An array that an epilogue reads: `bias[column]`, `c[row, column]`; of three dimensions, that of the tile's matrix.

    Places behind its ends, which a tile has where it reaches beyond C, give the last element. Floats come as f32.
    """

    __slots__ = ("_builder", "_extents", "_pointer", "_strides")

    def __init__(self, k: Builder, pointer: ptr[Any], strides: tuple[s64, ...], extents: tuple[u32, ...]) -> None:
        self._builder, self._pointer, self._strides, self._extents = k, pointer, strides, extents

    def __getitem__(self, places: Any) -> Any:
        k, places = self._builder, places if isinstance(places, tuple) else (places,)
        if len(places) != len(self._extents):
            raise BuildError(
                f"an epilogue's array of {len(self._extents)} dimensions at {len(places)} places",
                hint="x[column] of one dimension, x[row, column] of two, and of the matrices of three",
            )
        offset: Any = 0
        for place, extent, stride in zip(places, self._extents, self._strides):
            offset = k.min(k.const(u32, 0) + place, extent - 1).to(s64) * stride + offset
        found = self._pointer[offset]
        return found.to(f32) if found.isa.is_float else found


def applied(k: Builder, epilogue: Callable[..., Any], arguments: tuple[Any, ...], matrix: u32) -> Callable[..., Any]:
    """`function(value, row, column)` of an epilogue and the kernel's parameters that `passed` described."""
    seen: list[Any] = []
    rest = list(arguments)
    while rest:
        first = rest.pop(0)
        if not isinstance(first, ptr):
            seen.append(first)
            continue
        rank = next((index for index, each in enumerate(rest) if not isinstance(each, s64)), len(rest))
        strides, inner = rest[:rank], min(rank, 2)
        extents = rest[rank : rank + inner]
        del rest[: rank + inner]
        if rank == 3:
            first, strides = first.at(matrix.to(s64) * strides[0]), strides[1:]
        seen.append(EpilogueArray(k, first, tuple(strides), tuple(extents)))

    def finished(value: Any, row: Any, column: Any) -> Any:
        found = epilogue(k, value, row, column, *seen)
        if found is None:
            raise BuildError("the epilogue returns nothing", hint="return what takes the sum's place")
        return found

    return finished


def passed(arguments: Sequence[Any]) -> tuple[tuple[type[Value], ...], tuple[Any, ...]]:
    """(types, values) of the kernel's parameters for numbers, and arrays with `shape`, `strides` in bytes and `element`.

    An array is its pointer, its strides in elements, and the extents of its last two dimensions. BuildError for what is neither.
    """
    types: list[type[Value]] = []
    values: list[Any] = []
    for index, each in enumerate(arguments):
        if isinstance(each, (int, float)) and not isinstance(each, bool):
            types.append(f32 if isinstance(each, float) else s32)
            values.append(each)
            continue
        element: Any = each.element
        shape, size = each.shape, element.isa.bytes
        if not 1 <= len(shape) <= 3 or 0 in shape or any(stride % size for stride in each.strides):
            raise BuildError(
                f"argument {index} of an epilogue has the shape {shape} and strides of {each.strides} bytes",
                hint="one to three dimensions, none of them 0, at multiples of its elements' size",
            )
        types += [ptr[element], *[s64] * len(shape), *[u32] * min(len(shape), 2)]
        values += [each, *(stride // size for stride in each.strides), *shape[-2:]]
    return tuple(types), tuple(values)
