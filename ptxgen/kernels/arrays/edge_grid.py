"""A grid over the edges of bins, in a CTA's shared memory: where in them the search for an element's bin begins, and mostly ends.

A number's *cell* grows with the number, and takes a few instructions: "linear" cells have equal widths, and "logarithmic" ones
equally many floating-point values. A cell's word says how many edges lie in the cells below, all of which are below the number,
and how many lie in its own; only these are compared with. So a search by halving of log2(bins) steps becomes one access and,
where there is an edge in the cell, mostly one step. Any edges give the right bins, evenly distributed ones the quickest.
"""

from __future__ import annotations

import struct

from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple
from ptxgen.builder import f32, s32, s64, u32, u64
from ptxgen.kernels.blocks.counters import THREADS, clear, scan

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ptxgen.builder import Builder
    from ptxgen.builder.values import Value

__all__ = ["CELLS", "NO_CELLS", "Cells", "build_grid", "cells_of", "search_in_grid"]

CELLS = 4096
HALF = 16
"""A cell's word: edges in the cells below it in the upper half, those of its own in the lower."""
MOST_EDGES = (1 << HALF) - 1


class Cells(NamedTuple):
    """How cells are computed: `kind` "linear", (x - low) * scale, or "logarithmic", the values between low and x, >> shift; "":
    there is no grid."""

    kind: str = ""
    low: float = 0.0
    scale: float = 0.0
    shift: int = 0


NO_CELLS = Cells()


def cells_of(edges: Sequence[float], real: type[Value]) -> Cells:
    """The kind of cells for which numbers that are distributed as the edges are take the fewest steps. `real`: the type that
    cells are computed in."""
    finite = [float(each) for each in edges if abs(each) != float("inf")]
    if len(finite) < 2 or finite[0] == finite[-1] or len(edges) > MOST_EDGES:
        return NO_CELLS
    low, high = finite[0], finite[-1]
    scale = min(CELLS / (high - low), 3e38)
    keys = [_key_of(each, real) for each in finite]
    shift = max(0, (keys[-1] - keys[0]).bit_length() - (CELLS.bit_length() - 1))
    linear = [int(min((each - low) * scale, CELLS - 1)) for each in finite]
    logarithmic = [(key - keys[0]) >> shift for key in keys]
    kind = "logarithmic" if _crowding(logarithmic) < _crowding(linear) else "linear"
    return Cells(kind, low, scale, shift)


def _key_of(number: float, real: type[Value]) -> int:
    """What `_cell` makes of a number: values in order."""
    form, bits = ("<f", 32) if real is f32 else ("<d", 64)
    most = 3.4028234663852886e38
    (found,) = struct.unpack("<I" if bits == 32 else "<Q", struct.pack(form, max(-most, min(most, number)) + 0.0))
    sign = 1 << bits - 1
    return int(~found & (1 << bits) - 1 if found & sign else found | sign)


def _crowding(cells: Sequence[int]) -> int:
    """The sum over the edges of how many lie in an edge's cell."""
    counts: dict[int, int] = {}
    for cell in cells:
        counts[cell] = counts.get(cell, 0) + 1
    return sum(count * count for count in counts.values())


def _cell(k: Builder, kind: str, number: Any, low: Any, scale: Any, shift: Any) -> Any:
    """The cell of a number; those below and above all cells are in the first and last, and so is NaN."""
    if kind == "linear":
        return k.min(((number - low) * scale).to(u32), CELLS - 1)
    key, least = (_key(each) for each in (number, low))
    above = k.select(key > least, (key - least) >> shift, k.const(type(key), 0))
    return k.min(above, CELLS - 1).to(u32)


def _key(number: Any) -> Any:
    """A float as an unsigned integer in the same order; -0.0 as 0.0."""
    signed, unsigned = (s32, u32) if number.isa.bits == 32 else (s64, u64)
    bits, top = (number + 0.0).bits(signed), number.isa.bits - 1
    return (bits ^ ((bits >> top) | -(1 << top))).bits(unsigned)


def build_grid(
    k: Builder, cells: Any, kind: str, bins: Any, bounds: Callable[[Any], Any], real: type[Value], how: tuple[Any, Any, Any]
) -> Callable[[Any], Any]:  # fmt: skip
    """Fill the CELLS words of a grid over the lower edges of the bins, with a barrier behind; `how` is (low, scale, shift). The
    function gives the word of an element's cell. A CTA of THREADS threads."""
    clear(k, cells, CELLS)
    for i in k.range(k.tid.x, bins, THREADS):
        k.reduce_add(cells, _cell(k, kind, bounds(i).to(real), *how), 1)
    k.barrier()
    counts = [cells[k.tid.x + i * THREADS] for i in range(CELLS // THREADS)]
    k.barrier()
    scan(k, cells, CELLS)
    for i, count in enumerate(counts):
        at = k.tid.x + i * THREADS
        cells[at] = (cells[at] << HALF) | count
    k.barrier()
    return lambda element: cells[_cell(k, kind, element.to(real), *how)]


def search_in_grid(k: Builder, words: Sequence[Any], values: Sequence[Any], bounds: Callable[[Any], Any]) -> list[Any]:
    """How many lower edges are at or below each value, whose cells have these words: by halving, all at a time."""
    found = [k.var(u32, word >> HALF) for word in words]
    lengths = [k.var(u32, word & MOST_EDGES) for word in words]

    def some_left() -> Any:
        left = lengths[0]
        for length in lengths[1:]:
            left = left | length
        return left != 0

    with k.while_(some_left):
        middles = [place + (length >> 1) for place, length in zip(found, lengths)]
        edges = [k.var(type(value), value) for value in values]
        for edge, middle, length in zip(edges, middles, lengths):
            with k.pred(length != 0):
                edge.set(bounds(middle))
        for place, length, middle, edge, value in zip(found, lengths, middles, edges, values):
            half = length >> 1
            reached = (length != 0) & (value >= edge)
            length.set(k.select(reached, length - half - 1, half))
            with k.pred(reached):
                place.set(middle + 1)
    return found
