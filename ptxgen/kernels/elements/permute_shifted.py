"""y = x transposed where rows begin anywhere: vectors of 16 bytes, shifted into place in registers. The rest of `permute.py`.

Shapes: x[rows, columns] -> y[columns, rows], elements of 1, 2, 4 or 8 bytes, rows of both at any multiple of the element's size.
What is read reaches up to 31 bytes beyond a row: whoever calls leaves out an array's last row, for `transpose_elements`.

Copies beside the threads (cp.async, from sm_80 on) bring all aligned vectors of a tile's rows into shared memory, so that a
whole tile is in flight; a thread takes the two that its 16 bytes of a row lie in, and these by a funnel shift. The squares are
turned as in `transpose_squares` and take the place of what was copied; the tile has the rows before it too, so that each row of
y is written in whole sectors of 32 bytes that begin up to 31 bytes before the tile's own rows. Elements are written one by one
only where y's rows begin and end.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ptxgen.builder import Builder, b32, kernel, ptr, u32, u64
from ptxgen.builder.values import Value
from ptxgen.kernels.cases import EXACT, Case, HostArray, Variant, integers
from ptxgen.kernels.elements.permute import BITS, SQUARE, UNSIGNED, outer_places, turned_square
from ptxgen.kernels.plan import KernelPlan, ceil_div, using

if TYPE_CHECKING:
    import numpy as np

__all__ = ["VARIANTS", "plan", "transpose_shifted"]

T = TypeVar("T", bound=Value)
E = TypeVar("E", bound=Value)


HIGH = 16
"""Squares of a tile's column: of a row of y 256 bytes are written at a time."""
BEFORE = 2
"""Squares before a tile's rows: a sector of y's memory."""


def _across(size: int) -> int:
    """Squares of a tile's row: those of bytes need much room."""
    return 8 if size == 1 else 16


def _threads(size: int, **_: Any) -> int:
    """Those of a tile's squares, and of the rows of squares before it."""
    return _across(size) * (HIGH + BEFORE)


@kernel(max_threads=_threads)
def transpose_shifted(
    k: Builder, rows: u32, columns: u32, x: ptr[E], x_step: u64, y: ptr[E], y_step: u64, *outer: T,
    element: type[E], size: int, types: tuple[type[T], ...] = (),
) -> None:  # fmt: skip
    """A tile's rows of y begin at the multiples of 32 bytes before its rows of x."""
    side, high, wide = SQUARE // size, HIGH, _across(size)
    across = (columns + (wide * side - 1)) // (wide * side)
    number = k.ctaid.x // across
    column0 = (k.ctaid.x - number * across) * (wide * side)
    tiles = (rows + (high * side + BEFORE * side - 1)) // (high * side)
    rest = number // tiles
    row0 = (number - rest * tiles) * (high * side)
    x0, y0 = outer_places(k, rest, outer, len(types) // 3)
    pitch, copied = high + BEFORE, wide + 1
    most = max(wide * (side * pitch + 1) + 2, pitch * side * copied)
    shared = k.shared(b32, most * 4, align=SQUARE, name="tile").vectors(4)

    line, lane = k.tid.x // wide, k.tid.x % wide
    row, column = (
        row0 + line * side - BEFORE * side,
        column0 + lane * side,
    )  # of the first square below 0, and then not below `rows`
    needed = column < columns + side  # the first square behind the row's end ends the last one's vectors
    last = (lane == wide - 1) & (column < columns)
    offsets = []
    for i in range(side):
        safe = k.select(row + i < rows, row + i, k.const(u32, 0))
        place = x.at(x0 + safe.to(u64) * x_step + column.to(u64)).address
        offsets.append(place.to(u32))
        to = shared.at((line * side + i) * copied + lane).address
        begin = place - (place & (SQUARE - 1))
        k.ptx["cp.async.cg.shared.global"]([to, 0], [begin, 0], SQUARE, pred=needed)
        k.ptx["cp.async.cg.shared.global"]([to, SQUARE], [begin, SQUARE], SQUARE, pred=last)
    k.copy_wait()
    k.barrier()
    words = []
    own = k.select(needed, lane, 0)  # who has no square reads one that somebody copied
    places = (own, k.select(column < columns, lane + 1, own))
    for i, offset in enumerate(offsets):
        pair = [shared[(line * side + i) * copied + place] for place in places]
        words.append(_shifted(k, [*_four(pair[0]), *_four(pair[1])], offset, size))
    k.barrier()
    at = lane * (side * pitch + 1) + line
    for i, column_words in enumerate(turned_square(k, words, size)):
        shared[at + i * pitch] = k.vec(*column_words)
    k.barrier()

    with k.if_(k.tid.x < wide * high):
        line, lane = k.tid.x // high, k.tid.x % high
        for found in k.range(line, wide * side, wide):
            with k.if_(column0 + found < columns):
                target = y.at(y0 + (column0 + found).to(u64) * y_step)
                before = target.address.to(u32) % (BEFORE * SQUARE)
                begins = BEFORE * SQUARE - before
                source = found * pitch + found // side + lane + begins // SQUARE
                one, other = shared[source], shared[source + 1]
                values = _shifted(k, [*_four(one), *_four(other)], begins, size)
                _store(k, target, row0 + lane * side - before // size, rows, values, size, element)


def _store(k: Builder, target: Any, start: u32, rows: u32, values: list[Any], size: int, element: Any) -> None:
    """These elements of a row of y from `start` on, which may be below 0, before `rows`."""
    side = SQUARE // size
    with k.if_else((start < rows) & (start + side <= rows)) as (whole, cut):
        with whole:
            k.ptx["st.global.v4.b32"]([target.at(start.to(u64)).address, 0], tuple(values))
        with cut:
            for i in range(side):
                with k.if_(start + i < rows):
                    target[(start + i).to(u64)] = _element(k, values, i, size, element)


def _four(vector: Any) -> list[Any]:
    return [vector[i] for i in range(4)]


def _shifted(k: Builder, words: list[Any], offset: Any, size: int) -> list[Any]:
    """The four words that begin offset % 16 bytes into these eight."""
    if size < 8:
        odd = (offset & 4) != 0
        far = (offset & 8) != 0
        found = [k.select(far, words[i + 2], words[i]) for i in range(6)]
        found = [k.select(odd, found[i + 1], found[i]) for i in range(5)]
    else:
        far = (offset & 8) != 0
        found = [k.select(far, words[i + 2], words[i]) for i in range(4)]
    if size >= 4:
        return found[:4]
    bits = (offset & 3) * 8
    made = []
    for i in range(4):
        word = k.var(b32)
        k.ptx.shf.r.wrap.b32(word, found[i], found[i + 1], bits)
        made.append(word)
    return made


def _element(k: Builder, words: list[Any], i: int, size: int, element: Any) -> Any:
    """Element i of 16 bytes."""
    if size == 8:
        low, high = words[2 * i].bits(u32).to(u64), words[2 * i + 1].bits(u32).to(u64)
        return (low | high << 32).bits(element)
    word = words[i * size // 4].bits(u32)
    if size == 4:
        return word.bits(element)
    whole = word >> (8 * (i * size % 4))
    return whole.to(UNSIGNED[size]).bits(element)


def plan(
    rows: int,
    columns: int,
    x: Any,
    x_step: int,
    y: Any,
    y_step: int,
    outer: tuple[tuple[int, int, int], ...],
    *,
    size: int,
) -> KernelPlan:
    """The rows of each matrix but the last one's last: see above."""
    launch = using(transpose_shifted, element=BITS[size], size=size, types=(u64,) * (3 * len(outer)))
    side = SQUARE // size
    grid = ceil_div(columns, _across(size) * side) * ceil_div(rows + BEFORE * side, HIGH * side)
    for extent, _, _ in outer:
        grid *= extent
    more = (each for dim in outer for each in dim)
    return KernelPlan(launch, max(1, grid), _threads(size), (rows, columns, x, x_step, y, y_step, *more))


def _case(shape: tuple[int, int], rng: np.random.Generator, *, size: int) -> Case:
    """The last row stays as it was."""
    import numpy as np

    rows, columns = shape
    element = UNSIGNED[size]
    x = integers(rng, (rows + 1, columns), element, 0, (1 << 8 * size) - 1)
    expected = np.zeros((columns, rows + 1), x.values.dtype)
    expected[:, :rows] = x.values[:rows].T
    bits = BITS[size]
    return Case(
        arrays={"x": x, "y": HostArray(np.zeros_like(expected), element)},
        plan=lambda on: plan(rows, columns, on["x"].view(bits), columns, on["y"].view(bits), rows + 1, (), size=size),
        expected={"y": expected},
        tolerance=EXACT,
    )


def _variant(size: int) -> Variant:
    e = SQUARE // size
    return Variant(
        "permute_shifted",
        f"b{8 * size}",
        using(transpose_shifted, element=BITS[size], size=size, types=()),
        partial(_case, size=size),
        absent={"sm_75": "cp.async came with sm_80"},
        sizes=((1, 37), (2 * e + 1, 16 * e + 5), (17 * e + 3, 33)),
    )


VARIANTS = tuple(_variant(size) for size in (1, 2, 4, 8))
