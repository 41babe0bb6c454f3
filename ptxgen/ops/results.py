"""New arrays for the results of functions, of the library that their arguments are of."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from ptxgen.builder import SCALARS, s32, u32
from ptxgen.host import Array
from ptxgen.host.exchange import Borrowed
from ptxgen.ops.operands import address_of, empty_like

if TYPE_CHECKING:
    from ptxgen.builder.values import Value
    from ptxgen.host import Device

_SPARE = 1 << 16
"""Bytes behind a result that may stay with it."""

__all__ = ["Results", "as_mask"]


class Results:
    """New arrays of the library of `like`, and copies into them. `graph` is the one that is being recorded."""

    def __init__(self, like: Any, device: Device, graph: Any = None) -> None:
        self.like, self.device, self._graph = like, device, graph

    def result(self, n: int, element: type[Value]) -> tuple[Any, Array]:
        """(a new array of n elements of the caller's library, the same as one of ours)."""
        return self.result_of((n,), element)

    def result_of(self, shape: tuple[int, ...], element: type[Value]) -> tuple[Any, Array]:
        """The same of a shape."""
        if self._graph is None:
            made = empty_like(self.like, self.device, shape, element)
        else:
            with self.device.context.beside_captures():
                made = empty_like(self.like, self.device, shape, element)
        return made, self.ours(made, shape, element)

    def ours(self, made: Any, shape: tuple[int, ...], element: type[Value]) -> Array:
        """A result, which was made without gaps, as an array of ours."""
        if isinstance(made, Array):
            return made
        return Array(self.device, Borrowed(self.device.context, address_of(made), made), element.isa, shape)

    @property
    def number(self) -> type[Value]:
        """The type of results that number rows: u32, which PyTorch does not index with, and there s32 of the same bits."""
        return s32 if type(self.like).__module__.partition(".")[0] == "torch" else u32

    def numbers(self, n: int) -> tuple[Any, Array]:
        """The same as `result` for row numbers, whose array of ours is of u32."""
        made, ours = self.result(n, self.number)
        return made, ours.view(u32)

    def cut(self, made: Any, count: int) -> Any:
        """The first elements of a result: a view of it, or a copy where that keeps much memory for little."""
        n = made.shape[0]
        if count == n:
            return made
        spare = (n - count) * _bytes_of(made)
        if spare <= max(_SPARE, count * _bytes_of(made)):
            return made.resize_(count) if hasattr(made, "resize_") else made[:count]
        part = made[:count]
        return self.copied(part) if isinstance(part, Array) else part.clone() if hasattr(part, "clone") else part.copy()

    def copied(self, array: Array) -> Any:
        """A copy of memory that others will use, as a result."""
        made, ours = self.result(array.size, SCALARS[array.type.name])
        self._copy(ours, array)
        return made

    def copied_numbers(self, array: Array) -> Any:
        """The same of row numbers."""
        made, ours = self.numbers(array.size)
        self._copy(ours, array)
        return made

    def _copy(self, into: Array, array: Array) -> None:
        into.copy_from(array)


def as_mask(made: Any) -> Any:
    """A result of u8 that is 0 or 1, as its library's truth values where it has such."""
    home = type(made).__module__.partition(".")[0]
    return made.view(sys.modules["torch"].bool) if home == "torch" else made.view("?") if home == "cupy" else made


def _bytes_of(array: Any) -> int:
    """Of an element."""
    return array.type.bytes if isinstance(array, Array) else int(array.dtype.itemsize)
