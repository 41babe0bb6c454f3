"""Joins whose probe side is a graph: captured once for a class of sizes, then updated and launched.

A probe takes three kernels and two fills. What they are depends on the shape of the keys and, through buffers and grids, on
sizes; sizes are rounded up to classes, so that joins of a query that runs again and again find their graph. On a hit, the
graph's kernels are found by their names, and those arguments that differ are updated by theirs.

Packing keys and building tables are not in the graph: they belong to whoever owns the columns.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from ptxgen.errors import BuildError
from ptxgen.kernels.plan import ceil_div
from ptxgen.ops.join import HashTable, Join, Pairs, columns_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.device import Array, Device, Graph
    from ptxgen.kernels.plan import Plan

__all__ = [
    "AUTO_OUTPUT_CAP", "NODE_LAYOUT_VERSION", "CsmGraphKey", "JoinGraphs", "ScanTopology", "Statistics",
    "graph_capacity_class_u32", "scan_topology_u32",
]  # fmt: skip

NODE_LAYOUT_VERSION = 1
"""Which kernels a graph has; another number never meets a graph of this one."""

AUTO_OUTPUT_CAP = 1_000_000
"""Pairs up to which a join that says nothing about its output gets room for every pair that there can be."""

STAGED = 64 << 20
"""Bytes of keys that are copied into a graph's memory, so that other keys are no other arguments: 30 us at 4.3 TB/s."""

SCAN_BLOCK = 256
U32_MAX = (1 << 32) - 1


def graph_capacity_class_u32(n: int) -> int:
    """The smallest power of two that is n or more: 1 for 0, and 2^32-1 beyond 2^31."""
    if not 0 <= n <= U32_MAX:
        raise BuildError(f"a capacity of {n}", hint=f"0 to {U32_MAX}")
    return min(1 << max(0, n - 1).bit_length(), U32_MAX)


class ScanTopology(NamedTuple):
    """The scan of n counts in blocks of 256: how many kernels it takes where each level is a launch, and the sums of each
    level. Two capacities of one topology have scans of one form."""

    block: int
    kernel_node_count: int
    scratch_block_counts: tuple[int, ...]


def scan_topology_u32(n: int) -> ScanTopology:
    """One kernel up to 256 counts, none for none; each level above adds two, one that sums and one that adds."""
    nodes, levels = int(n > 0), []
    while n > SCAN_BLOCK:
        n = ceil_div(n, SCAN_BLOCK)
        levels.append(n)
        nodes += 2
    return ScanTopology(SCAN_BLOCK, nodes, tuple(levels))


class CsmGraphKey(NamedTuple):
    """What two joins have in common that can share a graph (count, scan, materialise)."""

    join_kind: Literal["Inner", "IndexedInner"]
    key_arity: int
    key_bytes: int
    probe_capacity_class: int
    output_capacity_class: int
    scan_topology: ScanTopology
    node_layout_version: int = NODE_LAYOUT_VERSION

    @classmethod
    def inner(cls, arity: int, key_bytes: int, probe_capacity: int, output_capacity: int) -> CsmGraphKey:
        """The key of a join that builds its table. BuildError for more than 255 columns."""
        return cls._of("Inner", arity, key_bytes, probe_capacity, output_capacity)

    @classmethod
    def indexed_inner(cls, arity: int, key_bytes: int, probe_capacity: int, output_capacity: int) -> CsmGraphKey:
        """The key of a join on a table that is there already."""
        return cls._of("IndexedInner", arity, key_bytes, probe_capacity, output_capacity)

    @classmethod
    def _of(cls, kind: Any, arity: int, key_bytes: int, probe_capacity: int, output_capacity: int) -> CsmGraphKey:
        if arity > 255:
            raise BuildError(
                f"CSM CUDA Graph key arity {arity} exceeds u8::MAX", hint="join by at most 255 columns at a time"
            )
        classes = (graph_capacity_class_u32(probe_capacity), graph_capacity_class_u32(output_capacity))
        return cls(kind, arity, key_bytes, *classes, scan_topology_u32(probe_capacity))


class Statistics(NamedTuple):
    """`captures` of new graphs, `launches` of graphs, `hits` (launches of a graph that was there), and `fallbacks` (joins by
    plain launches)."""

    captures: int = 0
    launches: int = 0
    hits: int = 0
    fallbacks: int = 0


class _Captured:
    """A probe as a graph, and the memory that it works in: a `Join` with room for a whole class.

    Each kernel's node is found by its name, once: reading the names of a graph's nodes takes longer than updating them. An
    update costs some 40 us, more than copying the keys into memory of the graph does, up to STAGED bytes.
    """

    def __init__(self, join: Join, columns: Sequence[Array]) -> None:
        self.join = join
        keys = join.keys
        self._staged = None
        if keys.direct and keys.most * keys.sizes[0] <= STAGED:
            self._staged = join.device.empty(keys.most, columns[0].type)
        taken = keys.take(self._stage(columns))
        self._shape = self._shape_of(*taken)
        plans = join.plans_for(*taken)
        self._graph: Graph = join.device.capture()
        with self._graph:
            join.launch(plans)
        definition = self._graph.definition
        self._nodes = [definition.find(plan.kernel.__name__) for plan in plans]
        self._names = [[name for name, _ in node.read().arguments or ()] for node in self._nodes]
        self._last = [_values(plan) for plan in plans]

    def update(self, table: HashTable, columns: Sequence[Array]) -> None:
        """Make it the probe of these columns in this table: what differs is updated, by argument name."""
        self.join.table = table
        taken = self.join.keys.take(self._stage(columns))
        shape = self._shape_of(*taken)
        if shape == self._shape:
            return
        self._shape = shape
        executable = self._graph.executable
        for number, plan in enumerate(self.join.plans_for(*taken)):
            values, old = _values(plan), self._last[number]
            rows = zip(self._names[number], plan.arguments, values[1:], old[1:])
            changes = {name: argument for name, argument, now, before in rows if now != before}
            if values[0] != old[0]:
                executable.update(self._nodes[number], changes, grid=plan.grid)
            elif changes:
                executable.update(self._nodes[number], changes)
            self._last[number] = values

    def _stage(self, columns: Sequence[Array]) -> Sequence[Array]:
        """The keys in memory of the graph, where they have a place there."""
        if self._staged is None:
            return columns
        (column,) = columns
        return [self._staged.view(column.type)[: column.size].copy_from(column)]

    def _shape_of(self, rows: int, tags: Array, packed: Array | None) -> tuple[int, ...]:
        """What the arguments depend on. Numbers, for arrays may be closed by the time that they are compared."""
        table = self.join.table
        arrays = (tags, table.starts, table.entries, table.packed)
        return (rows, table.mask, *(array.pointer for array in arrays))

    def launch(self) -> None:
        self._graph.launch()

    def close(self) -> None:
        self._graph.close()
        self.join.close()
        if self._staged is not None:
            self._staged.close()


def _values(plan: Plan) -> tuple[int, ...]:
    """The grid and every argument, as numbers."""
    return (plan.grid, *(getattr(argument, "pointer", argument) for argument in plan.arguments))


class JoinGraphs:
    """`graphs.inner(build, probe)` and `graphs.indexed(table, probe)`: joins by captured graphs, which are kept by their key.

    `most_pairs` is how many pairs there is room for; without it, every pair that there can be, as long as those are at most
    AUTO_OUTPUT_CAP. Beyond that, and with PTXGEN_JOIN_GRAPHS=0 in the environment (or `enabled=False`), the join falls back
    to plain launches, with exactly as much room as its count says. The `keep` graphs that were used last are kept.

    A call waits for its result. The pairs lie in memory of the graph, which the next join of the same key writes again. A
    `JoinGraphs` belongs to one thread at a time.
    """

    def __init__(self, device: Device, *, enabled: bool | None = None, keep: int = 32) -> None:
        self.device, self.keep = device, keep
        self.enabled = os.environ.get("PTXGEN_JOIN_GRAPHS", "1") != "0" if enabled is None else enabled
        self.statistics = Statistics()
        self._graphs: OrderedDict[tuple[CsmGraphKey, tuple[int, ...]], _Captured] = OrderedDict()
        self._tables: OrderedDict[tuple[tuple[int, ...], int], HashTable] = OrderedDict()
        self._plain: list[Any] = []

    def inner(
        self, build: Array | Sequence[Array], probe: Array | Sequence[Array], most_pairs: int | None = None
    ) -> Pairs:
        """The pairs of equal keys; the build side's table is made first, in memory that is kept for its class."""
        columns = columns_of(build)
        rows = graph_capacity_class_u32(columns[0].size)
        sizes = tuple(column.type.bytes for column in columns)
        table = self._tables.get((sizes, rows))
        if table is None:
            table = HashTable(self.device, columns, most=rows)
            self._remember(self._tables, (sizes, rows), table)
        else:
            self._tables.move_to_end((sizes, rows))
            table.build(columns)
        return self._join("Inner", table, columns[0].size, columns_of(probe), most_pairs)

    def indexed(self, table: HashTable, probe: Array | Sequence[Array], most_pairs: int | None = None) -> Pairs:
        """The same with a table that is there already."""
        return self._join("IndexedInner", table, table.keys.most, columns_of(probe), most_pairs)

    def _join(self, kind: str, table: HashTable, rows: int, probe: list[Array], most_pairs: int | None) -> Pairs:
        most = probe[0].size * rows if most_pairs is None else most_pairs
        if not self.enabled or (most_pairs is None and most > AUTO_OUTPUT_CAP):
            return self._fall_back(table, probe, most_pairs)
        make = CsmGraphKey.inner if kind == "Inner" else CsmGraphKey.indexed_inner
        sizes = tuple(column.type.bytes for column in probe)
        probe_class = graph_capacity_class_u32(probe[0].size)
        key = make(len(probe), sum(sizes), probe_class, most)
        captured = self._graphs.get((key, sizes))
        if captured is None:
            captured = _Captured(Join(table, probe, key.output_capacity_class, most=probe_class), probe)
            self._remember(self._graphs, (key, sizes), captured)
            self._count(captures=1)
        else:
            self._graphs.move_to_end((key, sizes))
            if sizes != table.keys.sizes:
                raise BuildError(f"probe keys of columns of {sizes} bytes on a table of {table.keys.sizes}")
            captured.update(table, probe)
            self._count(hits=1)
        captured.launch()
        self._count(launches=1)
        return _cut(captured.join.pairs(), most)

    def _fall_back(self, table: HashTable, probe: list[Array], most_pairs: int | None) -> Pairs:
        """By plain launches; where nothing is said about the output, the matches are counted first."""
        self._count(fallbacks=1)
        self._forget()
        if most_pairs is None:
            with Join(table, probe, 0) as counting:
                counting.count(probe)
                most_pairs = counting.pairs().total
        join = Join(table, probe, most_pairs)
        self._plain.append(join)
        join(probe)
        return join.pairs()

    def _count(self, **more: int) -> None:
        self.statistics = Statistics(*(old + more.get(f, 0) for f, old in zip(Statistics._fields, self.statistics)))

    def _remember(self, where: OrderedDict[Any, Any], key: Any, value: Any) -> None:
        where[key] = value
        while len(where) > self.keep:
            where.popitem(last=False)[1].close()

    def _forget(self) -> None:
        """Free what the last fallback left."""
        while self._plain:
            self._plain.pop().close()

    def close(self) -> None:
        """Free graphs and tables, and the pairs that they gave."""
        self._forget()
        for where in (self._graphs, self._tables):
            for each in where.values():
                each.close()
            where.clear()

    def __enter__(self) -> JoinGraphs:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _cut(pairs: Pairs, most: int) -> Pairs:
    """No more than were asked for: the class may have room for more."""
    return Pairs(pairs.left[:most], pairs.right[:most], pairs.total)
