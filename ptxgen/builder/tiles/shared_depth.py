"""Schedules whose CTAs share the steps of a tile, and how the tile's sums come together.

Each CTA that has a part of a tile writes its sums to a workspace and counts itself; the last one to come adds all parts, in the
order of their steps: the same sums in every launch, and nobody waits for a CTA that may not have started.
"""

from __future__ import annotations

from contextlib import contextmanager

from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple
from ptxgen.builder.control import structured
from ptxgen.builder.core.source import build_error
from ptxgen.builder.memory import arrays, atomics
from ptxgen.builder.memory.pointers import ptr
from ptxgen.builder.threads import warp
from ptxgen.builder.tiles.schedule import Schedule, Tile
from ptxgen.builder.values import arithmetic
from ptxgen.builder.values.scalars import u32
from ptxgen.ir import Vector

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ptxgen.builder.core.function_builder import FunctionBuilder
    from ptxgen.builder.tiles.barriers import NamedBarrier
    from ptxgen.builder.tiles.fragments import Fragment
    from ptxgen.builder.tiles.tile_order import TileOrder

__all__ = ["SplitTiles", "StreamTiles", "split_k_tiles", "stream_k_tiles"]

_QUAD = 4
"""Sums that one access moves."""


class _Parts(NamedTuple):
    """The parts of a tile: the `ctas` CTAs that have one, and where their sums lie in the workspace."""

    tile: u32
    ctas: u32
    mine: u32
    slot: Callable[[u32], Any]


class _PartOfTile(Tile):
    """A tile of whose steps this CTA has some."""

    __slots__ = ("_parts", "_schedule")

    def __init__(self, place: tuple[u32, ...], steps: tuple[Any, Any], schedule: _SharedDepth, parts: _Parts) -> None:
        super().__init__(place, steps)
        self._schedule = schedule
        self._parts = parts

    @contextmanager
    def whole(self, sums: Fragment, *, among: NamedBarrier | None = None, first: int = 0) -> Iterator[None]:
        with self._schedule.exchange(self._parts, sums, among, first):
            yield


class _SharedDepth(Schedule):
    """What both have: the workspace, a counter for each tile, and the word that tells a CTA whether it was the last."""

    __slots__ = ("_counters", "_last", "_workspace")

    def __init__(
        self, k: FunctionBuilder, rows: u32, columns: u32, workspace: Any, counters: Any, steps: Any, **how: Any
    ) -> None:
        super().__init__(k, rows, columns, steps=steps, **how)
        for what, place, element in (("workspace", workspace, None), ("counters", counters, u32)):
            kind = getattr(getattr(place, "element", None), "isa", None)
            fits = place.element is element if element and kind is not None else kind is not None and kind.bits == 32
            if not isinstance(place, ptr) or place.space not in ("", "global") or not fits:
                expected = "a pointer to u32 in global memory" if element else "a pointer to the sums' type"
                raise build_error("PTX220", f"the {what} {place!r:.60}", expected=expected)
        self._workspace = workspace
        self._counters = counters
        self._last = arrays.shared(k, u32, 1).pointer

    @contextmanager
    def exchange(self, parts: _Parts, sums: Fragment, among: NamedBarrier | None, first: int) -> Iterator[None]:
        """The body runs in the CTA that is the last of a tile's parts to come here, with the sums of all."""
        k = self.builder
        values = sums.values
        if len(values) % _QUAD or not all(value.mutable for value in values):
            raise build_error(
                "PTX220", f"{sums!r:.60} added up", expected="the sums that products are added to: k.sums, k.warp_sums"
            )
        if type(values[0]) is not self._workspace.element:
            raise build_error(
                "PTX220",
                f"sums of .{values[0].isa.name} in a workspace of .{self._workspace.element.isa.name}",
                expected="a workspace of the sums' type",
            )
        number = k.read_special(u32, "%tid.x")
        thread = number - first if first else number
        threads = k.read_special(u32, "%ntid.x") if among is None else among.threads
        last = arithmetic.variable(k, u32, 1)
        with structured.if_(k, parts.ctas > 1):
            self._move(sums, parts.mine, thread, threads, self._store)
            atomics.fence(k)
            _sync(k, among)
            with structured.if_(k, thread == 0):
                counted = atomics.atomic_add(k, self._counters, parts.tile, 1, order="acq_rel")
                come = counted == parts.ctas - 1
                with structured.if_(k, come):
                    atomics.atomic_exch(k, self._counters, parts.tile, 0)  # for the next launch
                self._last.store(0, arithmetic.select(k, come, arithmetic.constant(k, u32, 1), 0))
            _sync(k, among)
            last.set(self._last.load(0))
            with structured.if_(k, last != 0):
                atomics.fence(k)
                for value in values:
                    value.set(0)
                for part in structured.range_(k, parts.ctas):
                    self._move(sums, parts.slot(part), thread, threads, self._add)
        with structured.if_(k, last != 0):
            yield

    def _move(
        self, sums: Fragment, slot: u32, thread: u32, threads: Any, move: Callable[[Any, list[Any]], None]
    ) -> None:
        """Each four sums of this thread to or from a slot of the workspace; threads lie beside each other."""
        quads = len(sums.values) // _QUAD
        start = slot * (threads * quads) + thread
        vectors = self._workspace.vectors(_QUAD)
        for quad in range(quads):
            place = vectors.element_address(start + threads * quad)
            move(place, list(sums.values[quad * _QUAD :][:_QUAD]))

    def _store(self, place: Any, values: list[Any]) -> None:
        k, memory = self.builder, self._workspace.element.memory
        k.emit(f"st.global.v4.{memory}", place, Vector(tuple(k.use(value) for value in values)))

    def _add(self, place: Any, values: list[Any]) -> None:
        k, kind = self.builder, self._workspace.element
        registers = tuple(k.register(kind.storage) for _ in values)
        k.emit(f"ld.global.v4.{kind.memory}", Vector(registers), place)
        for value, register in zip(values, registers):
            value += kind(k, register, k.scope)

    def _part(self, order: TileOrder, first: Any, last: Any, parts: _Parts) -> Tile:
        return _PartOfTile(order.place(parts.tile), (first, last), self, parts)


def _sync(k: FunctionBuilder, among: NamedBarrier | None) -> None:
    if among is None:
        warp.barrier(k)
    else:
        among.sync()


class StreamTiles(_SharedDepth):
    """Every CTA has an equal share of all steps of all tiles, one behind the other."""

    __slots__ = ()

    def __iter__(self) -> Iterator[Tile]:
        k = self.builder
        order = self._order()
        steps = arithmetic.maximum(k, arithmetic.variable(k, u32, self._steps), 1)  # a tile without depth has zeros
        worker, workers = k.read_special(u32, "%ctaid.x"), k.read_special(u32, "%nctaid.x")
        total = order.count * steps
        share = total // workers
        longer = total - share * workers  # the first CTAs have a step more
        position = arithmetic.variable(k, u32, worker * share + arithmetic.minimum(k, worker, longer))
        end = position + share + arithmetic.select(k, worker < longer, arithmetic.constant(k, u32, 1), 0)

        def worker_of(step: u32) -> Any:
            border = longer * (share + 1)
            behind = longer + (step - border) // arithmetic.maximum(k, share, 1)
            return arithmetic.select(k, step < border, step // (share + 1), behind)

        with structured.while_(k, lambda: position < end):
            tile = position // steps
            start = tile * steps
            first, last = position - start, arithmetic.minimum(k, end - start, steps)
            begins = worker_of(start)
            count = worker_of(start + steps - 1) - begins + 1

            def slot(part: u32, begins: u32 = begins) -> Any:  # two for each CTA: of a tile it ends, of one it begins
                return (begins + part) * 2 + arithmetic.select(k, part == 0, arithmetic.constant(k, u32, 1), 0)

            parts = _Parts(tile, count, slot(worker - begins), slot)
            yield self._part(order, first, arithmetic.minimum(k, last, self._steps), parts)
            position.set(start + steps)


class SplitTiles(_SharedDepth):
    """`parts` CTAs for each tile, with equal shares of its steps."""

    __slots__ = ("_count",)

    def __init__(self, k: FunctionBuilder, *places: Any, parts: Any, **how: Any) -> None:
        super().__init__(k, *places, **how)
        self._count = parts

    def __iter__(self) -> Iterator[Tile]:
        k = self.builder
        order = self._order()
        parts = arithmetic.variable(k, u32, self._count)
        cta = k.read_special(u32, "%ctaid.x")
        tile = cta // parts
        mine = cta - tile * parts
        with structured.if_(k, tile < order.count):
            steps = arithmetic.variable(k, u32, self._steps)
            first, last = mine * steps // parts, (mine + 1) * steps // parts
            yield self._part(order, first, last, _Parts(tile, parts, cta, lambda part: tile * parts + part))


def stream_k_tiles(
    k: FunctionBuilder, rows: u32, columns: u32, steps: Any, workspace: ptr[Any], counters: ptr[u32], *, group: int = 8,
    order: str = "grouped", batch: Any = None,
) -> StreamTiles:  # fmt: skip
    """Tiles of `steps` steps along the depth; each CTA has an equal share of all steps, `tile.first` to `tile.last` of a tile.

    `with tile.whole(sums):` is where a tile's sums come together. `workspace` has room for 2 tiles of sums for each CTA of the
    grid, 16-byte aligned; `counters` is a u32 for each tile, 0 before the first launch, and each launch leaves them 0. All
    steps of all tiles are below 2^32.
    """
    return StreamTiles(k, rows, columns, workspace, counters, steps, group=group, order=order, batch=batch)


def split_k_tiles(
    k: FunctionBuilder, rows: u32, columns: u32, steps: Any, workspace: ptr[Any], counters: ptr[u32], *, parts: Any,
    group: int = 8, order: str = "grouped", batch: Any = None,
) -> SplitTiles:  # fmt: skip
    """As `k.stream_k_tiles`, but `parts` CTAs share each tile: a launch has `parts` times as many CTAs as there are tiles, and
    `workspace` has room for a tile of sums for each of them. `steps` times `parts` is below 2^32."""
    if isinstance(parts, int) and parts < 1:
        raise build_error("PTX221", f"{parts} parts of a tile", expected="1 or more")
    return SplitTiles(k, rows, columns, workspace, counters, steps, parts=parts, group=group, order=order, batch=batch)
