"""Which tile has which number: rows in groups, or a Hilbert curve."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder.control import structured
from ptxgen.builder.core.source import build_error
from ptxgen.builder.values import arithmetic, conversions
from ptxgen.builder.values.scalars import s32, u32

if TYPE_CHECKING:
    from ptxgen.builder.core.function_builder import FunctionBuilder
    from ptxgen.builder.tiles.clusters import TileCluster

__all__ = ["ORDERS", "TileOrder", "check_order", "hilbert"]

ORDERS = ("grouped", "hilbert")


class TileOrder:
    """Numbers 0 to `count` - 1 of `rows` by `columns` tiles, of `batch` matrices one after the other.

    "grouped": in groups of `group` rows, column by column within a group, so that CTAs that work at the same time read the same
    rows and columns from L2. "hilbert": along a curve, neighbours one after the other in both directions. In a cluster a number
    is that of a block of tiles, and each CTA has its own of it.
    """

    __slots__ = ("_columns", "_each", "_in_group", "_rows", "batch", "builder", "cluster", "count", "group", "order")

    def __init__(
        self, k: FunctionBuilder, rows: u32, columns: u32, order: str, group: u32 | int, cluster: TileCluster | None, batch: Any
    ) -> None:  # fmt: skip
        if cluster is not None:  # the clusters share out blocks of tiles
            rows, columns = (
                (rows + cluster.rows - 1) // cluster.rows,
                (columns + cluster.columns - 1) // cluster.columns,
            )
        self.builder: FunctionBuilder = k
        self.cluster: TileCluster | None = cluster
        self.batch: Any = batch
        self.order: str = order
        self.group: u32 | int = group
        self._rows, self._columns = rows, columns
        self._each = rows * columns
        self.count: u32 = self._each if batch is None else self._each * batch
        self._in_group = columns * group if order == "grouped" else None

    def place(self, number: u32) -> tuple[u32, ...]:
        """(row, column) of a tile, and which matrix it is of where there is a batch."""
        of_batch = None if self.batch is None else number // self._each
        within = number if of_batch is None else number - of_batch * self._each
        row, column = self._within(within)
        if self.cluster is not None:
            row, column = (
                row * self.cluster.rows + self.cluster.row,
                column * self.cluster.columns + self.cluster.column,
            )
        return (row, column) if of_batch is None else (row, column, of_batch)

    def _within(self, number: u32) -> tuple[u32, u32]:
        if self._in_group is None:
            return hilbert(self.builder, number, self._rows, self._columns)
        if isinstance(self.group, int) and self.group == 1:
            return number // self._columns, number % self._columns
        first = number // self._in_group * self.group
        height = arithmetic.minimum(self.builder, self._rows - first, self.group)
        rest = number % self._in_group
        return first + rest % height, rest // height


Vector = tuple[Any, Any]
"""Along columns, along rows: one of the two is 0, except in a corner's place."""


def hilbert(k: FunctionBuilder, number: u32, rows: u32, columns: u32) -> tuple[u32, u32]:
    """(row, column) of a place on a curve through `rows` by `columns` tiles, any numbers of them.

    The curve of a rectangle starts in a corner and ends in the next one along `a`, its longer side at first; `b` is the other
    side. A long rectangle is two, one behind the other; others are three: up, along, and down again. Each round goes into the
    part that has the number, until one tile is left across.
    """

    def known(value: Any) -> Any:
        return arithmetic.variable(k, s32, value)

    wide = columns >= rows
    width, height = (conversions.convert(each, s32) for each in (columns, rows))
    rest = known(conversions.convert(number, s32))
    x, y = known(0), known(0)
    ax, by = known(arithmetic.select(k, wide, width, 0)), known(arithmetic.select(k, wide, height, 0))
    bx, ay = known(arithmetic.select(k, wide, 0, width)), known(arithmetic.select(k, wide, 0, height))

    def become(origin: Vector, a: Vector, b: Vector, passed: Any) -> None:
        found = [arithmetic.snapshot(each) for each in (*a, *b)]
        x.set(x + origin[0])
        y.set(y + origin[1])
        for variable, value in zip((ax, ay, bx, by), found):
            variable.set(value)
        rest.set(rest - passed)

    def open_() -> Any:
        return (_length(k, (ax, ay)) > 1) & (_length(k, (bx, by)) > 1)

    with structured.while_(k, open_):
        a, b = (ax, ay), (bx, by)
        w, h = _length(k, a), _length(k, b)
        with structured.if_else(k, w * 2 > h * 3) as (then, otherwise):
            with then:
                half = _half(k, a, w)
                size = _length(k, half) * h
                with structured.if_else(k, rest < size) as (near, far):
                    with near:
                        become((0, 0), half, b, 0)
                    with far:
                        become(half, _minus(a, half), b, size)
            with otherwise:
                half, side = (a[0] >> 1, a[1] >> 1), _half(k, b, h)
                up = _length(k, half) * _length(k, side)
                beyond = _minus(b, side)
                along = up + w * _length(k, beyond)
                with structured.if_else(k, rest < up) as (near, far):
                    with near:
                        become((0, 0), side, half, 0)
                    with far, structured.if_else(k, rest < along) as (middle, end):
                        with middle:
                            become(side, a, beyond, up)
                        with end:
                            corner = [p - _sign(k, p) + q - _sign(k, r) for p, q, r in zip(a, side, b)]
                            back = [-each for each in _minus(a, half)]
                            become((corner[0], corner[1]), (-side[0], -side[1]), (back[0], back[1]), along)
    one_high = _length(k, (bx, by)) == 1
    along_x, along_y = (arithmetic.select(k, one_high, p, q) for p, q in ((ax, bx), (ay, by)))
    column, row = x + _sign(k, along_x) * rest, y + _sign(k, along_y) * rest
    return conversions.convert(row, u32), conversions.convert(column, u32)


def _length(k: FunctionBuilder, side: Vector) -> Any:
    total = side[0] + side[1]
    return arithmetic.maximum(k, total, -total)


def _sign(k: FunctionBuilder, part: Any) -> Any:
    return arithmetic.minimum(k, arithmetic.maximum(k, part, -1), 1)


def _minus(a: Vector, b: Vector) -> Vector:
    return a[0] - b[0], a[1] - b[1]


def _half(k: FunctionBuilder, side: Vector, length: Any) -> Vector:
    """Half of a side, an even number of tiles where there are more than two: an odd one would end across from its corner."""
    half = side[0] >> 1, side[1] >> 1
    odd = (_length(k, half) & 1 == 1) & (length > 2)
    one = [arithmetic.select(k, odd, _sign(k, each), 0) for each in side]
    return half[0] + one[0], half[1] + one[1]


def check_order(order: str, group: u32 | int) -> None:
    """BuildError for an order that there is not."""
    if order not in ORDERS:
        raise build_error("PTX201", f"tiles in the order {order!r:.40}", expected=" or ".join(map(repr, ORDERS)))
    if isinstance(group, int) and group < 1:
        raise build_error("PTX221", f"groups of {group} rows", expected="1 or more")
