"""y = x transposed where rows begin anywhere: vectors of 16 bytes, shifted into place in registers. The rest of `permute.py`.

Shapes: x[rows, columns] -> y[columns, rows], elements of 1, 2, 4 or 8 bytes, rows of both at any multiple of the element's size.
What is read reaches up to 31 bytes beyond a row, so that each matrix's last row is copied element by element.

Floor: each element is read once and written once, as in `permute.py`. Copies beside the threads (cp.async, from sm_80 on) bring
all aligned vectors of a tile's rows into shared memory, so that a whole tile is in flight; a thread takes the two that its 16
bytes of a row lie in, and these by a funnel shift. Of elements of 8 bytes, of which a thread has two rows, it loads one and
has the other of the next lane. The squares are turned as in `transpose_squares` and take the place of what was copied; the tile
has the rows before it too, so that each row of y is written in whole sectors of 32 bytes that begin up to 31 bytes before the
tile's own rows. Elements are written one by one only where y's rows begin and end.
"""

from __future__ import annotations

import math
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
PITCH = HIGH + BEFORE
LANES = {1: 16, 2: 16, 4: 32, 8: 16}
"""By bytes of an element, threads that have a row of squares."""


def _threads(size: int, **_: Any) -> int:
    """Those of a tile's squares, and of the rows of squares before it."""
    return LANES[size] * PITCH


def _across(size: int) -> int:
    """Squares of a tile's row: where lanes have the next one's vectors, the last lane has no square."""
    return LANES[size] - (size == 8)


def _room(size: int) -> int:
    """Vectors of shared memory for a tile: its rows as they are copied, then its columns."""
    side, lanes = SQUARE // size, LANES[size]
    return max(lanes * (side * PITCH + 1) + 2, PITCH * side * (lanes + 1) * (size < 8))


@kernel(max_threads=_threads)
def transpose_shifted(
    k: Builder, rows: u32, columns: u32, tiles: u32, x: ptr[E], x_step: u64, y: ptr[E], y_step: u64, *outer: T,
    element: type[E], size: int, types: tuple[type[T], ...] = (),
) -> None:  # fmt: skip
    """A CTA a tile, of `tiles` in all matrices; those behind them copy the matrices' last rows."""
    matrices = _Matrices(k, (rows, columns), (x, x_step), (y, y_step), outer, size)
    slot = k.dynamic_shared(b32, _room(size) * 4, align=SQUARE).vectors(4)
    with k.if_else(k.ctaid.x < tiles) as (own, behind):
        with own:
            matrices.turn(k.ctaid.x, slot, element)
        with behind:
            matrices.copy_last_rows((k.ctaid.x - tiles) * k.ntid.x + k.tid.x, tiles)


class _Matrices:
    """What a thread does with a tile of them. A tile's rows of y begin at the multiples of 32 bytes before its rows of x."""

    def __init__(
        self,
        k: Builder,
        shape: tuple[u32, u32],
        x: tuple[Any, u64],
        y: tuple[Any, u64],
        outer: tuple[Any, ...],
        size: int,
    ) -> None:
        self.k, self.outer, self.size = k, outer, size
        self.rows, self.columns = shape[0] - 1, shape[1]  # the last row is none of a tile's
        self.x, self.x_step = x
        self.y, self.y_step = y
        self.side, self.lanes, self.across = SQUARE // size, LANES[size], _across(size)
        self.line, self.lane = k.tid.x // self.lanes, k.tid.x % self.lanes
        self.wide = (self.columns + (self.across * self.side - 1)) // (self.across * self.side)
        self.down = (self.rows + (PITCH * self.side - 1)) // (HIGH * self.side)

    def copy_last_rows(self, place: u32, tiles: u32) -> None:
        """Each matrix's last row: the element of that number."""
        k, matrices = self.k, tiles // (self.wide * self.down)
        with k.if_(place < self.columns * matrices):
            matrix = place // self.columns
            column, row = (place - matrix * self.columns).to(u64), self.rows.to(u64)
            x0, y0 = outer_places(k, matrix, self.outer, len(self.outer) // 3)
            self.y[y0 + column * self.y_step + row] = self.x[x0 + row * self.x_step + column]

    def _corner(self, number: u32) -> tuple[u32, u32, u64, u64]:
        """Of the tile of that number: (first row, first column, where x's and y's matrices begin)."""
        above = number // self.wide
        column = (number - above * self.wide) * (self.across * self.side)
        matrix = above // self.down
        row = (above - matrix * self.down) * (HIGH * self.side)
        return row, column, *outer_places(self.k, matrix, self.outer, len(self.outer) // 3)

    def turn(self, number: u32, slot: Any, element: Any) -> None:
        """The tile of that number, through shared memory."""
        k, side = self.k, self.side
        row, column, x0, y0 = self._corner(number)
        square = self._next_lanes if self.size == 8 else self._copied
        words = square(slot, row + self.line * side - BEFORE * side, column + self.lane * side, x0)
        at = self.lane * (side * PITCH + 1) + self.line
        for i, column_words in enumerate(turned_square(k, words, self.size)):
            slot[at + i * PITCH] = k.vec(*column_words)
        k.barrier()
        with k.if_(k.tid.x < self.lanes * HIGH):
            line, lane = k.tid.x // HIGH, k.tid.x % HIGH
            for found in k.range(line, self.across * side, self.lanes):
                with k.if_(column + found < self.columns):
                    target = self.y.at(y0 + (column + found).to(u64) * self.y_step)
                    early = target.address.to(u32) % (BEFORE * SQUARE)
                    begins = BEFORE * SQUARE - early
                    source = found * PITCH + found // side + lane + begins // SQUARE
                    values = _shifted(k, [*_four(slot[source]), *_four(slot[source + 1])], begins, self.size)
                    self._store(target, row + lane * side - early // self.size, values, element)

    def _places(self, row: u32, column: u32, x0: u64) -> list[Any]:
        """Where the rows of this thread's square begin. Those above the matrix, whose numbers wrap, and below it are row 0."""
        rows = [self.k.select(row + i < self.rows, row + i, self.k.const(u32, 0)) for i in range(self.side)]
        return [self.x.at(x0 + each.to(u64) * self.x_step + column.to(u64)).address for each in rows]

    def _copied(self, slot: Any, row: u32, column: u32, x0: u64) -> list[list[Any]]:
        """The rows of this thread's square, by copies of all vectors that the tile lies in."""
        k = self.k
        needed = column < self.columns + self.side  # the first square behind the row's end ends the last one's vectors
        last = (self.lane == self.lanes - 1) & (column < self.columns)
        own = k.select(needed, self.lane, 0)  # who has no square reads what somebody copied
        next_one = k.select(column < self.columns, self.lane + 1, own)
        places = self._places(row, column, x0)
        lines = [slot.at((self.line * self.side + i) * (self.lanes + 1)) for i in range(self.side)]
        for place, line in zip(places, lines):
            begin, to = place - (place & (SQUARE - 1)), line.at(self.lane).address
            k.ptx["cp.async.cg.shared.global"]([to, 0], [begin, 0], SQUARE, pred=needed)
            k.ptx["cp.async.cg.shared.global"]([to, SQUARE], [begin, SQUARE], SQUARE, pred=last)
        k.copy_wait()
        k.barrier()
        words = [
            _shifted(k, [*_four(line[own]), *_four(line[next_one])], place.to(u32), self.size)
            for place, line in zip(places, lines)
        ]
        k.barrier()
        return words

    def _next_lanes(self, slot: Any, row: u32, column: u32, x0: u64) -> list[list[Any]]:
        """The same of few rows: the vectors that they begin in, and those of the next lane."""
        k, needed, loaded = self.k, column < self.columns + self.side, []
        for place in self._places(row, column, x0):
            words = [k.var(b32, 0) for _ in range(4)]
            k.ptx["ld.global.v4.b32"](tuple(words), [place - (place & (SQUARE - 1)), 0], pred=needed)
            loaded.append((words, place.to(u32)))
        return [
            _shifted(k, [*words, *(k.shfl_down(word, 1) for word in words)], offset, self.size)
            for words, offset in loaded
        ]

    def _store(self, target: Any, start: u32, values: list[Any], element: Any) -> None:
        """These elements of a row of y from `start` on, which may be below 0, before `rows`."""
        k, rows, side = self.k, self.rows, self.side
        with k.if_else((start < rows) & (start + side <= rows)) as (whole, cut):
            with whole:
                k.ptx["st.global.v4.b32"]([target.at(start.to(u64)).address, 0], tuple(values))
            with cut:
                for i in range(side):
                    with k.if_(start + i < rows):
                        target[(start + i).to(u64)] = _element(k, values, i, self.size, element)


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
    """`outer` as of `Form`: extent, x's stride, y's stride."""
    launch = using(transpose_shifted, element=BITS[size], size=size, types=(u64,) * (3 * len(outer)))
    side, threads = SQUARE // size, _threads(size)
    matrices = math.prod(dim[0] for dim in outer)
    tiles = matrices * ceil_div(columns, _across(size) * side) * ceil_div(rows - 1 + BEFORE * side, HIGH * side)
    more = (each for dim in outer for each in dim)
    grid = tiles + ceil_div(columns * matrices, threads)
    return KernelPlan(launch, grid, threads, (rows, columns, tiles, x, x_step, y, y_step, *more), _room(size) * SQUARE)


def _case(shape: tuple[int, int], rng: np.random.Generator, *, size: int) -> Case:
    import numpy as np

    rows, columns = shape
    element = UNSIGNED[size]
    x = integers(rng, shape, element, 0, (1 << 8 * size) - 1)
    expected = np.ascontiguousarray(x.values.T)
    bits = BITS[size]
    return Case(
        arrays={"x": x, "y": HostArray(np.zeros_like(expected), element)},
        plan=lambda on: plan(rows, columns, on["x"].view(bits), columns, on["y"].view(bits), rows, (), size=size),
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
        sizes=((2, 37), (2 * e + 2, 16 * e + 5), (17 * e + 4, 33)),
    )


VARIANTS = tuple(_variant(size) for size in (1, 2, 4, 8))
