"""Edges of bins as numbers that a kernel compares elements with: the result of comparing with the edges themselves, exactly."""

from __future__ import annotations

import math
import struct
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from ptxgen.builder import f16, f32
from ptxgen.builder.core.numbers import plain
from ptxgen.errors import BuildError
from ptxgen.host.formats import pack_numbers
from ptxgen.kernels.arrays.binning import real_of, wide_of
from ptxgen.kernels.arrays.edge_grid import NO_CELLS, Cells, cells_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ptxgen.builder.values import Value

__all__ = ["Bins", "between", "even", "evenly"]


class Bins(NamedTuple):
    """Bins of a kernel: `way` is "even" or "ranges", `compared` are the edges in the kernel's type, `closed` says whether the
    last bin has its upper edge, `behind` them lie an even bin's first edge and bins a unit, `cells` are those of ranges."""

    way: str
    compared: tuple[float, ...]
    closed: bool
    behind: tuple[float, ...] = ()
    cells: Cells = NO_CELLS

    @property
    def bins(self) -> int:
        """How many there are."""
        return len(self.compared) - 1

    @property
    def kernel(self) -> dict[str, Any]:
        """What the kernel is built for; it reads all else."""
        return {"way": self.way, "closed": self.closed, "cells": self.cells}

    def packed(self, element: type[Value]) -> bytes:
        """The edges, and what is behind them, as the kernel reads them for elements of a type."""
        parts = ((self.compared, wide_of(element)), (self.behind, real_of(element)))
        return b"".join([pack_numbers(list(numbers), kind.isa) for numbers, kind in parts])


def evenly(element: type[Value], bins: int, low: float, high: float) -> list[float]:
    """The edges of bins of equal width, as `numpy.linspace` has them: in the type of f16 and f32 elements, else as doubles. Where
    both ends are one number, half a unit to each side of it."""
    low, high = (_number(name, each) for name, each in (("low", low), ("high", high)))
    if low == high:
        low, high = low - 0.5, high + 0.5
    width = high - low
    if not (math.isfinite(width) and width >= 0):
        raise BuildError(f"{bins} bins from {low!r} to {high!r}", hint="two finite numbers, the smaller one first")
    found = [low + i * (width / bins) for i in range(bins)] + [high]
    form = "<e" if element is f16 else "<f" if element is f32 else "<d"
    try:
        return [struct.unpack(form, struct.pack(form, each))[0] for each in found]
    except OverflowError:
        raise BuildError(
            f"{bins} bins from {low!r} to {high!r}", hint=f"numbers that .{element.isa.name} has"
        ) from None


def even(element: type[Value], edges: list[float], *, closed: bool) -> Bins:
    """Bins of equal width, between the edges that `evenly` gives."""
    bins = len(edges) - 1
    width = edges[-1] - edges[0]
    return Bins("even", *_compared(element, edges, closed), (float(edges[0]), bins / width if width else 0.0))


def between(element: type[Value], edges: Iterable[Any], *, closed: bool) -> Bins:
    """Bins between ascending edges: two equal ones have an empty bin between them. BuildError for others."""
    given = [_number(f"edge {number}", each) for number, each in enumerate(edges)]
    if len(given) < 2:
        raise BuildError(f"{len(given)} edges", hint="two or more")
    for number, (before, after) in enumerate(pairwise(given)):
        if not before <= after:
            raise BuildError(f"edge {number + 1} is {after!r}, behind {before!r}", hint="ascending edges")
    found = Bins("ranges", *_compared(element, given, closed))
    return found._replace(cells=cells_of(found.compared, real_of(element)))


def _compared(element: type[Value], edges: list[float], closed: bool) -> tuple[tuple[float, ...], bool]:
    """Ascending edges in the kernel's type, and whether the last bin has its upper edge."""
    return (_of_floats if element.isa.is_float else _of_integers)(element, edges, closed)


def _number(name: str, value: Any) -> float:
    number = plain(value)
    if not isinstance(number, (int, float)) or number != number:
        raise BuildError(f"{name} is {value!r}", hint="a number")
    return number


def _of_floats(element: type[Value], edges: list[float], closed: bool) -> tuple[tuple[float, ...], bool]:
    """x >= e is x >= the next number of the type from e upwards, and x <= e is x <= the next one downwards."""
    if element.isa.bits == 64:
        return tuple(map(float, edges)), closed
    last = _beside(edges[-1], up=not closed)
    return (*(_beside(each, up=True) for each in edges[:-1]), last), closed


def _beside(edge: float, *, up: bool) -> float:
    """The f32 nearest to a number that is not below it, or not above."""
    if math.isinf(edge):
        return float(edge)
    most = (2 - 2.0**-23) * 2.0**127
    if abs(edge) > most:
        beyond = (edge > 0) == up
        return math.copysign(math.inf if beyond else most, edge)
    found: float = struct.unpack("<f", struct.pack("<f", edge))[0]
    if found == edge or (found > edge) == up:
        return found
    if found == 0:
        return 2.0**-149 if up else -(2.0**-149)
    step = 1 if (found > 0) == up else -1
    bits = struct.unpack("<I", struct.pack("<f", found))[0] + step
    return float(struct.unpack("<f", struct.pack("<I", bits))[0])


def _of_integers(element: type[Value], edges: list[float], closed: bool) -> tuple[tuple[int, ...], bool]:
    """The same of integers; what lies beyond the type's ends is beside them, and where there is no room beside them, the last
    bin has the end itself."""
    isa = element.isa
    low = -(1 << isa.bits - 1) if isa.is_signed else 0
    high = low + (1 << isa.bits) - 1
    room = int(wide_of(element) is not element)

    def rounded(edge: float, *, up: bool) -> int:
        if math.isinf(edge):
            return high + 1 if edge > 0 else low
        return math.ceil(edge) if up else math.floor(edge)

    found = [rounded(each, up=True) for each in edges[:-1]]
    last = rounded(edges[-1], up=not closed)
    if not room:
        if last > high:
            last, closed = high, True
        if max(found) > high or last < low:
            raise BuildError(
                f"edges from {edges[0]!r} to {edges[-1]!r} for .{isa.name}", hint=f"edges from {low} to {high}"
            )
    ends = (low - room, high + room)
    return tuple([min(max(each, ends[0]), ends[1]) for each in (*found, last)]), closed
