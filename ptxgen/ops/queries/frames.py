"""Which rows of which tables a query goes over: found on the device by filters and joins, as row numbers.

A `Frame` has for each table the row numbers through which its columns are read; nothing else of a table is copied. Where frames
are made for a graph, their sizes are bounds that an earlier run showed to be enough, and how many rows there are says the device:
`limit` of the frame itself, and `checks` for what it was made from. What is behind a limit holds row numbers of earlier rounds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ptxgen.builder import pred, s64, u8, u32
from ptxgen.kernels.plan import common_alignment
from ptxgen.kernels.queries import project
from ptxgen.kernels.queries.expressions import Expression, columns_of, renumbered
from ptxgen.kernels.queries.reading import ALIKE, DIRECT, Source, tiling_of
from ptxgen.ops.arguments import value_type
from ptxgen.ops.arrays.gather import gather
from ptxgen.ops.arrays.select import Select
from ptxgen.ops.joins.join import HashTable, Join, SemiJoin
from ptxgen.ops.joins.join_key import capacity_class
from ptxgen.ops.queries.expressions import as_expr
from ptxgen.ops.queries.nodes import Base, Filtered
from ptxgen.ops.scratch import read_number

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ptxgen.builder.values import Value
    from ptxgen.host import Array, Device
    from ptxgen.ops.queries.expressions import BaseColumn, Expr
    from ptxgen.ops.queries.nodes import Joined, Node

__all__ = ["Bound", "Count", "Frame", "Selected", "Steps", "bind"]


class Frame(NamedTuple):
    """At most `rows` rows, `limit[0]` of them where that is given. `vias`: by table, the row numbers, None where the rows are the
    table's own. `checks`: row numbers (None: the row's own) that must be below a limit, or else the row is none."""

    device: Device
    rows: int
    limit: Array | None
    vias: dict[int, Array | None]
    checks: tuple[tuple[Array, Array], ...] = ()


class Count(NamedTuple):
    """How many rows a step found, on the device, and for how many there is room."""

    total: Array
    room: int

    def read(self) -> int:
        """How many; waits for it."""
        return read_number(self.total)


class Bound(NamedTuple):
    """Expressions over a frame as a kernel takes them: arguments, what they are, and the trees with their numbers."""

    arrays: list[Array]
    sources: tuple[Source, ...]
    trees: list[Expression | None]
    valid: Expression | None
    """The frame's checks as a condition."""


def bind(frame: Frame, expressions: Sequence[Expr | None]) -> Bound:
    """The columns that the expressions read, through the frame's row numbers."""
    arrays: list[Array] = []
    sources: list[Source] = []

    def argument(array: Array, via: int = DIRECT) -> int:
        for place, (known, source) in enumerate(zip(arrays, sources)):
            if known is array and source.via == via:
                return place
        arrays.append(array)
        sources.append(Source(value_type("a column", array), via))
        return len(arrays) - 1

    bases: dict[int, BaseColumn] = {}
    for each in expressions:
        bases |= each.columns if each is not None else {}
    numbers: dict[int, int] = {}
    for number in columns_of([None if each is None else each.tree for each in expressions]):
        via = frame.vias[bases[number].table]
        numbers[number] = argument(bases[number].array, DIRECT if via is None else argument(via))
    valid: Expression | None = None
    for rows, limit in frame.checks:
        pair = [Expression("column", u32, (), argument(rows)), Expression("column", u32, (), argument(limit, ALIKE))]
        inside = Expression("lt", pred, tuple(pair))
        valid = inside if valid is None else Expression("and", pred, (valid, inside))
    trees = [None if each is None else renumbered(each.tree, numbers) for each in expressions]
    return Bound(arrays, tuple(sources), trees, valid)


class Steps:
    """The steps that find a frame's rows. With `rooms`, how many rows each step has room for, nothing is read back, and
    `launch()` does all of it again; without, each step is run at once, and the next one is made for what it found."""

    def __init__(self, device: Device, rooms: Sequence[int] | None = None) -> None:
        self.device, self._rooms = device, rooms
        self.counts: list[Count] = []
        self._launches: list[Callable[[], None]] = []
        self._made: list[Any] = []
        self._none = self._array(1, u32)

    def launch(self) -> None:
        """Queue all steps on the current stream."""
        for launch in self._launches:
            launch()

    def close(self) -> None:
        """Free what the steps hold."""
        for each in self._made:
            each.close()

    def _keep(self, *made: Any) -> Any:
        self._made += made
        return made[0]

    def _add(self, launch: Callable[[], None]) -> None:
        self._launches.append(launch)
        if self._rooms is None:
            launch()

    def _room(self, most: int) -> int:
        """For how many rows the next step has room: at most so many, where that is known."""
        if self._rooms is None:
            return most
        return min(most, capacity_class(self._rooms[len(self.counts)]))

    def _array(self, n: int, kind: type[Value]) -> Array:
        made = self.device.zeros(n, kind)
        self._keep(made)
        return made

    # --- frames -------------------------------------------------------------------------------------------------------

    def frame(self, node: Node) -> Frame:
        """The rows of a node."""
        if isinstance(node, Base):
            return Frame(self.device, node.rows, None, {node.number: None})
        if isinstance(node, Filtered):
            return self._filtered(self.frame(node.source), node.condition)
        return self._joined(node)

    def columns(self, frame: Frame, expressions: Sequence[Expr], fills: Sequence[int] | None = None) -> list[Array]:
        """The values of expressions in the frame's rows, as arrays; a column that lies so is itself. With *fills*, rows that are
        none have these."""
        found: list[Array | None] = [None if fills else self._lying(frame, each) for each in expressions]
        open_ = [each for each, array in zip(expressions, found) if array is None]
        made = [self._array(frame.rows, project.stored(each.stored)) for each in open_]
        if open_:
            self._project(frame, open_, made, fills)
        remaining = iter(made)
        return [array if array is not None else next(remaining) for array in found]

    def _lying(self, frame: Frame, each: Expr) -> Array | None:
        tree = each.tree.inputs[0] if each.tree.op == "cast" else each.tree
        if tree.op != "column" or tree.type is not each.stored:
            return None
        base = each.columns[int(tree.value)]
        return base.array if frame.vias[base.table] is None else None

    def _project(
        self, frame: Frame, expressions: Sequence[Expr], outputs: list[Array], fills: Sequence[int] | None
    ) -> None:  # fmt: skip
        bound, limit = bind(frame, expressions), frame.limit if fills is not None else None
        plan = project.plan(
            frame.rows, self._none if limit is None else limit, bound.arrays, outputs, sources=bound.sources,
            expressions=tuple([tree for tree in bound.trees if tree is not None]),
            kinds=tuple([project.stored(each.stored) for each in expressions]),
            tiling=tiling_of(bound.sources, common_alignment(*bound.arrays)),
            valid=None if fills is None else bound.valid, fills=tuple(fills or ()), counted=limit is not None,
        )  # fmt: skip
        self._add(plan.launch)

    def _filtered(self, frame: Frame, condition: Expr) -> Frame:
        (mask,) = self.columns(frame, [condition], [0])
        select, rows = self._keep(Select(self.device, u8, frame.rows)), self._array(frame.rows, u32)
        self._add(lambda: select(mask, rows))
        return self._chosen(frame, rows, select.total, frame.rows)

    def _chosen(self, frame: Frame, rows: Array, total: Array, most: int) -> Frame:
        """The rows of a frame with these numbers, of which there are `total`."""
        count = Count(total, self._room(most))
        if self._rooms is None:
            count = count._replace(room=count.read())
        self.counts.append(count)
        room = count.room
        rows, limit = rows[:room], None if self._rooms is None else total.view(u32)[:1]
        vias: dict[int, Array | None] = {}
        for table, via in frame.vias.items():
            vias[table] = self._through(via, rows)
        return Frame(self.device, room, limit, vias, self._checks(frame, rows))

    def _through(self, via: Array | None, rows: Array) -> Array:
        """Row numbers of row numbers."""
        if via is None:
            return rows
        found = self._array(rows.size, u32)
        self._add(lambda: gather(rows, via, found))
        return found

    def _checks(self, frame: Frame, rows: Array) -> tuple[tuple[Array, Array], ...]:
        own = () if frame.limit is None else ((rows, frame.limit),)
        return (*own, *((self._through(each, rows), limit) for each, limit in frame.checks))

    # --- joins --------------------------------------------------------------------------------------------------------

    def _joined(self, node: Joined) -> Frame:
        left, right = self.frame(node.left), self.frame(node.right)
        keys = self._keys(left, right, node)
        if node.how != "inner":
            return self._semi(left, keys, anti=node.how == "anti")
        # the smaller side is built, the larger one probes
        sides = (left, right) if left.rows >= right.rows else (right, left)
        probe_keys, build_keys = keys if sides[0] is left else keys[::-1]
        table = self._keep(HashTable(self.device, build_keys))
        room = self._rooms[len(self.counts)] if self._rooms is not None else max(left.rows, right.rows)
        join = self._keep(Join(table, probe_keys, capacity_class(room)))
        for side in (join.left, join.right):
            side.fill(0)

        def launch() -> None:
            table.build(build_keys)
            join(probe_keys)

        self._add(launch)
        if self._rooms is None:
            join.pairs(grow=True)
        probed = self._chosen(sides[0], join.left, join.total, join.capacity)
        self.counts.pop()
        built = self._chosen(sides[1], join.right, join.total, join.capacity)
        return built._replace(vias=probed.vias | built.vias, checks=(*probed.checks, *built.checks))

    def _keys(self, left: Frame, right: Frame, node: Joined) -> tuple[list[Array], list[Array]]:
        """The keys of both sides. In a graph, rows that are none must not have a key of the other side."""
        sides = (left, node.left_keys), (right, node.right_keys)
        if all(frame.limit is None and not frame.checks for frame in (left, right)):
            a, b = [self.columns(*side) for side in sides]
            return a, b
        (one, *others), marked = node.left_keys, []
        wide = not others and not one.type.isa.is_float and one.stored.isa.bits <= 32
        for number, (frame, keys) in enumerate(sides):
            found = [keys[0].cast(s64)] if wide else [*keys, as_expr(0).cast(u8)]
            fills = [project.SPREAD + (number << 40)] if wide else [*([0] * len(keys)), 1 + number]
            marked.append(self.columns(frame, found, fills))
        return marked[0], marked[1]

    def _semi(self, left: Frame, keys: tuple[list[Array], list[Array]], *, anti: bool) -> Frame:
        table = self._keep(HashTable(self.device, keys[1]))
        semi = self._keep(SemiJoin(table, keys[0], anti=anti))
        semi.out.fill(0)

        def launch() -> None:
            table.build(keys[1])
            semi(keys[0])

        self._add(launch)
        return self._chosen(left, semi.out, semi.total, left.rows)


class Selected:
    """The values of expressions in a frame's rows, by name. The steps compute them: nothing is left to launch."""

    def __init__(self, steps: Steps, frame: Frame, columns: Mapping[str, Expr]) -> None:
        self._frame = frame
        self._arrays = dict(zip(columns, steps.columns(frame, list(columns.values()))))

    def launch(self) -> None:
        """As the other last steps of a query."""

    def results(self) -> dict[str, Array]:
        """Copies of the values; waits for the number of rows, where it is the device that knows it."""
        limit, rows = self._frame.limit, self._frame.rows
        if limit is not None:
            rows = int.from_bytes(limit.bytes(), "little")
        return {
            name: array.device.empty(rows, array.type).copy_from(array[:rows]) for name, array in self._arrays.items()
        }

    def close(self) -> None:
        """The steps free their memory."""
