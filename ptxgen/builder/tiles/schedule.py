"""Which tile of the result a CTA computes next.

Every schedule is iterated: `for row, column in k.persistent_tiles(rows, columns)`. What it gives is a `Tile`, whose range of
steps and whose `whole` are the same in all of them, so that a kernel changes its schedule in one line. It may be iterated in
each role of a kernel. `tile_queue.py` has the schedules that CTAs ask for their next tile, `shared_depth.py` those that share
a tile's steps.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ptxgen.builder.control import structured
from ptxgen.builder.core.source import build_error
from ptxgen.builder.tiles.tile_order import TileOrder, check_order
from ptxgen.builder.values.scalars import u32

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ptxgen.builder.core.function_builder import FunctionBuilder
    from ptxgen.builder.tiles.barriers import NamedBarrier
    from ptxgen.builder.tiles.clusters import TileCluster
    from ptxgen.builder.tiles.fragments import Fragment

__all__ = [
    "PersistentTiles", "PlainTiles", "Schedule", "Tile", "launch_dependents", "persistent_tiles", "plain_tiles",
    "wait_for_dependencies",
]  # fmt: skip


class Tile:
    """A tile of this CTA: `row, column = tile`, with a batch `row, column, matrix = tile`.

    Its sums are of the steps `first` to `last` - 1 along the depth (`steps=` of the schedule), and `with tile.whole(sums):` is
    where they are of all steps.
    """

    __slots__ = ("_place", "_steps")

    def __init__(self, place: tuple[u32, ...], steps: tuple[Any, Any] | None) -> None:
        self._place = place
        self._steps = steps

    def __iter__(self) -> Iterator[u32]:
        return iter(self._place)

    @property
    def row(self) -> u32:
        return self._place[0]

    @property
    def column(self) -> u32:
        return self._place[1]

    @property
    def matrix(self) -> u32:
        """Which matrix of the batch. BuildError where the schedule has none."""
        if len(self._place) < 3:
            raise build_error("PTX202", "the matrix of a tile without a batch", hint="batch= of the schedule")
        return self._place[2]

    @property
    def first(self) -> Any:
        """The first step of this CTA."""
        return self._range()[0]

    @property
    def last(self) -> Any:
        """One behind its last step."""
        return self._range()[1]

    def _range(self) -> tuple[Any, Any]:
        if self._steps is None:
            raise build_error("PTX202", "the steps of a tile, which the schedule does not know", hint="steps= of it")
        return self._steps

    @contextmanager
    def whole(self, sums: Fragment, *, among: NamedBarrier | None = None, first: int = 0) -> Iterator[None]:
        """The body runs in the CTA that has the sums of all steps: here in each, elsewhere (`k.stream_k_tiles`) in the last one.

        All threads that have sums execute it: those of the CTA, or the threads of the barrier `among` from number `first` on.
        """
        yield


class Schedule(ABC):
    """Tiles that the CTAs of a grid share out; iterate it where they are computed."""

    __slots__ = ("_asked", "_steps", "builder", "cluster")

    def __init__(
        self, k: FunctionBuilder, rows: u32, columns: u32, *, group: u32 | int, order: str, batch: Any,
        cluster: TileCluster | None = None, steps: Any = None,
    ) -> None:  # fmt: skip
        check_order(order, group)
        self.builder: FunctionBuilder = k
        self.cluster: TileCluster | None = cluster if cluster is not None and cluster.size > 1 else None
        self._asked = (rows, columns, order, group, self.cluster, batch)
        self._steps = steps

    def _order(self) -> TileOrder:
        """The order of the tiles, computed where it is asked for."""
        return TileOrder(self.builder, *self._asked)

    def _tile(self, order: TileOrder, number: u32) -> Tile:
        return Tile(order.place(number), None if self._steps is None else (0, self._steps))

    def _first(self) -> u32:
        """The number of the first tile of this CTA (of its cluster)."""
        first = self.builder.read_special(u32, "%ctaid.x")
        return first // self.cluster.size if self.cluster is not None else first

    @abstractmethod
    def __iter__(self) -> Iterator[Tile]:
        """The tiles of this CTA."""


class PersistentTiles(Schedule):
    """As many CTAs as fit at once, each with every so manieth tile; of those, with a `turn`, one of several warpgroups."""

    __slots__ = ("_turn",)

    def __init__(
        self, k: FunctionBuilder, rows: u32, columns: u32, *, turn: tuple[Any, int] | None = None, **how: Any
    ) -> None:
        super().__init__(k, rows, columns, **how)
        self._turn = turn

    def __iter__(self) -> Iterator[Tile]:
        k, cluster = self.builder, self.cluster
        start = k.read_special(u32, "%ctaid.x")
        step = k.read_special(u32, "%nctaid.x")
        if cluster is not None:
            start, step = start // cluster.size, step // cluster.size
        if self._turn is not None:
            start, step = start + step * self._turn[0], step * self._turn[1]
        order = self._order()
        for number in structured.range_(k, start, order.count, step):
            yield self._tile(order, number)


class PlainTiles(Schedule):
    """A CTA for each tile."""

    __slots__ = ()

    def __iter__(self) -> Iterator[Tile]:
        number, order = self._first(), self._order()
        with structured.if_(self.builder, number < order.count):
            yield self._tile(order, number)


def persistent_tiles(
    k: FunctionBuilder, rows: u32, columns: u32, *, group: u32 | int = 8, order: str = "grouped",
    cluster: TileCluster | None = None, batch: Any = None, steps: Any = None, turn: tuple[Any, int] | None = None,
) -> PersistentTiles:  # fmt: skip
    """(row, column) of each tile of this CTA, of `rows` by `columns` tiles that all CTAs of the grid share out.

    They go in groups of `group` rows, column by column within a group, so that CTAs that work at the same time read the same
    rows and columns from L2; or with `order="hilbert"` along a Hilbert curve, of any numbers of rows and columns. With `batch`
    matrices the third number says which; one matrix comes after the other. `turn=(which, of)` yields those that one of several
    warpgroups computes, where they take the CTA's tiles in turn.
    """
    return PersistentTiles(
        k, rows, columns, group=group, order=order, batch=batch, cluster=cluster, steps=steps, turn=turn
    )


def plain_tiles(
    k: FunctionBuilder, rows: u32, columns: u32, *, group: int = 8, order: str = "grouped",
    cluster: TileCluster | None = None, batch: Any = None, steps: Any = None,
) -> PlainTiles:  # fmt: skip
    """The one tile of this CTA, in the order of `k.persistent_tiles`: a launch has as many CTAs as there are tiles."""
    return PlainTiles(k, rows, columns, group=group, order=order, batch=batch, cluster=cluster, steps=steps)


def launch_dependents(k: FunctionBuilder) -> None:
    """The next kernel of the stream may begin, where its launch says `programmatic`; it then waits by `wait_for_dependencies`
    (manual 9.7.13.13). Nothing on targets before sm_90."""
    if k.target.sm >= _DEPENDENT:
        k.emit("griddepcontrol.launch_dependents")


def wait_for_dependencies(k: FunctionBuilder) -> None:
    """Wait for the kernels before this one, and for what they wrote: before the first access to memory that they may use."""
    if k.target.sm >= _DEPENDENT:
        k.emit("griddepcontrol.wait")


_DEPENDENT = 90
"""The first target with griddepcontrol."""
