"""Joins whose probe side is a graph: captured once for a class of sizes, then updated and launched.

A probe takes a kernel, which counts, places and writes, and a fill. What they are depends on the shape of the keys and, through
buffers and grids, on sizes; sizes are rounded up to classes, so that joins of a query that runs again and again find their
graph. On a hit, the arguments and the grid of the graph's kernel are updated where they differ.

Packing keys and building tables are not in the graph: they belong to whoever owns the columns.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, NamedTuple

from ptxgen.errors import BuildError
from ptxgen.kernels.plan import KernelPlan
from ptxgen.ops.arguments import check_columns, check_count, check_device, check_same_types
from ptxgen.ops.borrowing import takes_any_array
from ptxgen.ops.joins.join import HashTable, Join
from ptxgen.ops.joins.join_key import JoinGraphKey, capacity_class
from ptxgen.ops.joins.pairs import MOST_PAIRS, Pairs
from ptxgen.ops.launches import launch_all
from ptxgen.runtime.environment import flag

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.host import Array, Device, Graph
    from ptxgen.ops.joins.keys import ReadKeys
    from ptxgen.ops.launches import Plans

__all__ = ["AUTO_OUTPUT_CAP", "JoinGraphs", "Statistics"]

AUTO_OUTPUT_CAP = 1_000_000
"""Pairs up to which a join that says nothing about its output gets room for every pair that there can be, unless
PTXGEN_JOIN_GRAPHS_AUTO_OUTPUT_CAP says another number."""

STAGED = 64 << 20
"""Bytes of keys that are copied into a graph's memory, so that other keys leave the arguments as they are: 30 us at 4.3 TB/s."""


class Statistics(NamedTuple):
    """`captures` of new graphs, `launches` of graphs, `hits` (launches of a graph that was there), and `fallbacks` (joins by
    plain launches)."""

    captures: int = 0
    launches: int = 0
    hits: int = 0
    fallbacks: int = 0


class _Captured:
    """A probe as a graph, and the memory that it works in: a `Join` with room for a whole class.

    A kernel's node is found by its name, once, and its grid and arguments are bound. What is copied into memory of the
    graph, up to STAGED bytes, needs no update at all.
    """

    def __init__(self, join: Join, columns: Sequence[Array]) -> None:
        self.join = join
        keys = join.keys
        self._staged = None
        if keys.direct and keys.most * keys.sizes[0] <= STAGED:
            self._staged = join.device.empty(keys.most, columns[0].type)
        taken = self._read(columns)
        self._shape = self._shape_of(taken)
        plans = join.plans_for(taken)
        self._graph: Graph = join.device.capture()
        with self._graph:
            launch_all(plans)
        nodes = [self._graph.definition.find(plan.kernel.__name__).read() for plan in _kernels(plans)]
        self._updates = [self._graph.bind_update(node, "grid", *dict(node.arguments or ())) for node in nodes]

    def update(self, table: HashTable, columns: Sequence[Array]) -> None:
        """Make it the probe of these columns in this table, where that is another one."""
        self.join.table = table
        taken = self._read(columns)
        shape = self._shape_of(taken)
        if shape == self._shape:
            return
        self._shape = shape
        for update, plan in zip(self._updates, _kernels(self.join.plans_for(taken))):
            update(plan.grid, *plan.arguments)

    def _read(self, columns: Sequence[Array]) -> ReadKeys:
        """The keys, packed outside of the graph."""
        keys, packing = self.join.keys.read(self._stage(columns))
        launch_all(packing)
        return keys

    def _stage(self, columns: Sequence[Array]) -> Sequence[Array]:
        """The keys in memory of the graph, where they have a place there."""
        if self._staged is None:
            return columns
        (column,) = columns
        return [self._staged.view(column.type)[: column.size].copy_from(column)]

    def _shape_of(self, keys: ReadKeys) -> tuple[int, ...]:
        """What the arguments depend on. Numbers, for arrays may be closed by the time that they are compared."""
        table = self.join.table
        arrays = (keys.tags, table.starts, table.entries, table.packed)
        return (keys.rows, table.mask, *(array.pointer for array in arrays))

    def launch(self) -> None:
        self._graph.launch()

    def close(self) -> None:
        self._graph.close()
        self.join.close()
        if self._staged is not None:
            self._staged.close()


class JoinGraphs:
    """`graphs.inner(build, probe)` and `graphs.indexed(table, probe)`: joins by captured graphs, which are kept by their key.

    `most_pairs` is how many pairs there is room for; without it, every pair that there can be, as long as those are at most
    `auto_output_cap` (PTXGEN_JOIN_GRAPHS_AUTO_OUTPUT_CAP in the environment, else AUTO_OUTPUT_CAP). Beyond that, and with
    PTXGEN_JOIN_GRAPHS=0 (or `enabled=False`), the join falls back to plain launches, with exactly as much room as its count
    says. The `keep` graphs that were used last are kept.

    A call waits for its result. The pairs lie in memory of the graph, which the next join of the same key writes again. A
    `JoinGraphs` belongs to one thread at a time.
    """

    def __init__(
        self, device: Device, *, enabled: bool | None = None, auto_output_cap: int | None = None, keep: int = 32
    ) -> None:
        self.device, self.keep = check_device(device), check_count("keep", keep, least=1)
        self.enabled = _enabled_by_environment() if enabled is None else enabled
        cap = _cap_by_environment() if auto_output_cap is None else auto_output_cap
        self.auto_output_cap = check_count("auto_output_cap", cap, most=MOST_PAIRS)
        self.statistics = Statistics()
        self._graphs: OrderedDict[tuple[JoinGraphKey, tuple[Any, ...]], _Captured] = OrderedDict()
        self._tables: OrderedDict[tuple[tuple[Any, ...], int], HashTable] = OrderedDict()
        self._plain: Join | None = None
        self._closed = False

    @takes_any_array
    def inner(
        self, build: Array | Sequence[Array], probe: Array | Sequence[Array], most_pairs: int | None = None
    ) -> Pairs:
        """The pairs of equal keys; the build side's table is made first, in memory that is kept for its class."""
        columns, asking = self._sides(build, probe)
        rows = capacity_class(columns[0].size)
        types = tuple(column.type for column in columns)
        check_same_types("a probe key", asking, types)
        table = self._tables.get((types, rows))
        if table is None:
            table = HashTable(self.device, columns, most=rows)
            self._remember(self._tables, (types, rows), table)
        else:
            self._tables.move_to_end((types, rows))
            table.build(columns)
        return self._join("Inner", table, columns[0].size, asking, most_pairs)

    @takes_any_array
    def indexed(self, table: HashTable, probe: Array | Sequence[Array], most_pairs: int | None = None) -> Pairs:
        """The same with a table that is there already."""
        if not isinstance(table, HashTable):
            raise BuildError(
                f"{table!r} is not a HashTable", hint="graphs.inner(...) takes the columns of the build side"
            )
        (asking,) = self._sides(probe)
        check_same_types("a probe key", asking, table.keys.types)
        return self._join("IndexedInner", table, table.keys.most, asking, most_pairs)

    def _sides(self, *sides: Any) -> list[list[Array]]:
        if self._closed:
            raise BuildError("these join graphs are closed", hint="keep their `with` block running while they are used")
        return [check_columns("a key", side, device=self.device) for side in sides]

    def _join(self, kind: Any, table: HashTable, rows: int, probe: list[Array], most_pairs: int | None) -> Pairs:
        if most_pairs is not None:
            most_pairs = check_count("most_pairs", most_pairs, most=MOST_PAIRS)
        most = probe[0].size * rows if most_pairs is None else most_pairs
        if not self.enabled or (most_pairs is None and most > self.auto_output_cap):
            return self._fall_back(table, probe, most_pairs)
        form = (*table.keys.types, table.runs is not None)
        probe_class = capacity_class(probe[0].size)
        key = JoinGraphKey.of(kind, len(probe), sum(table.keys.sizes), probe_class, most)
        captured = self._graphs.get((key, form))
        if captured is None:
            captured = _Captured(Join(table, probe, key.output_capacity_class, most=probe_class), probe)
            self._remember(self._graphs, (key, form), captured)
            self._count(captures=1)
        else:
            self._graphs.move_to_end((key, form))
            captured.update(table, probe)
            self._count(hits=1)
        captured.launch()
        self._count(launches=1)
        return _cut(captured.join.pairs(), most)

    def _fall_back(self, table: HashTable, probe: list[Array], most_pairs: int | None) -> Pairs:
        """By plain launches; where nothing is said about the output, the matches are counted before there is room for them."""
        self._count(fallbacks=1)
        self._forget()
        join = self._plain = Join(table, probe, most_pairs or 0)
        join(probe)
        return join.pairs(grow=most_pairs is None)

    def _count(self, **more: int) -> None:
        self.statistics = Statistics(*(old + more.get(f, 0) for f, old in zip(Statistics._fields, self.statistics)))

    def _remember(self, where: OrderedDict[Any, Any], key: Any, value: Any) -> None:
        where[key] = value
        while len(where) > self.keep:
            where.popitem(last=False)[1].close()

    def _forget(self) -> None:
        """Free what the last fallback left."""
        if self._plain is not None:
            self._plain.close()
            self._plain = None

    def close(self) -> None:
        """Free graphs and tables, and the pairs that they gave."""
        self._closed = True
        self._forget()
        for where in (self._graphs, self._tables):
            for each in where.values():
                each.close()
            where.clear()

    def __enter__(self) -> JoinGraphs:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _kernels(plans: Plans) -> list[KernelPlan]:
    return [plan for plan in plans if isinstance(plan, KernelPlan)]


def _cut(pairs: Pairs, most: int) -> Pairs:
    """No more than were asked for: the class may have room for more."""
    return Pairs(pairs.left[:most], pairs.right[:most], pairs.total)


def _enabled_by_environment() -> bool:
    return flag("PTXGEN_JOIN_GRAPHS", True)


def _cap_by_environment() -> int:
    text = os.environ.get("PTXGEN_JOIN_GRAPHS_AUTO_OUTPUT_CAP")
    if text is None:
        return AUTO_OUTPUT_CAP
    try:
        return int(text)
    except ValueError:
        raise BuildError(f"PTXGEN_JOIN_GRAPHS_AUTO_OUTPUT_CAP is {text!r}", hint="a number of pairs") from None
