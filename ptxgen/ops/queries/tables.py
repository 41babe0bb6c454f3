"""Tables of device columns, and the queries over them."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, Literal

from ptxgen.errors import BuildError
from ptxgen.host import Array, device
from ptxgen.ops.arguments import MOST_ROWS, check_column, value_type
from ptxgen.ops.queries.expressions import Aggregate, BaseColumn, Expr, alike, as_expr, canonical, column
from ptxgen.ops.queries.nodes import Base, Filtered, Joined, Renewal, tables_of
from ptxgen.ops.queries.query import Query

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ptxgen.host import Device
    from ptxgen.ops.queries.nodes import Node

__all__ = ["GroupedTable", "Table", "table"]

Equal = Literal["bits", "numbers"]

_numbers = itertools.count()


def table(columns: Mapping[str, Any] | None = None, /, *, on: Device | None = None, **more: Any) -> Table:
    """A table of columns of equal length, by name: arrays of ours, of PyTorch, CuPy, Numba or JAX on the GPU, which are read
    where they lie, or numpy arrays, which are copied to the device (`on`, by default that of the first array, or the default
    one).

    Elements are integers of 8 to 64 bits, bool, f16, f32 or f64. BuildError for anything else. Nothing is computed before a query
    runs:

        t = px.ops.table(price=price, discount=discount, quantity=quantity)
        q = t.filter(t.quantity < 24).aggregate(revenue=(t.price * t.discount).sum())
        q()["revenue"]
    """
    given = {**(columns or {}), **more}
    if not given:
        raise BuildError("a table without columns", hint="px.ops.table(price=array, ...)")
    place = on or next((array.device for array in given.values() if isinstance(array, Array)), None) or device()
    number, made, rows = next(_numbers), {}, None
    for name, data in given.items():
        array = check_column(f"column {name!r}", place.asarray(data), device=place)
        kind = value_type(f"column {name!r}", array)
        rows = array.size if rows is None else rows
        if array.size != rows:
            raise BuildError(f"column {name!r} has {array.size} rows, {next(iter(given))!r} has {rows}")
        made[name] = column(next(_numbers), BaseColumn(array, number, name), kind)
    if (rows or 0) > MOST_ROWS:
        raise BuildError(f"a table of {rows} rows", hint=f"at most {MOST_ROWS}")
    return Table(Base(number, rows or 0, place), made)


class Table:
    """Columns, by name as attributes or `t["name"]`, and the rows that they have. Methods make further tables and queries."""

    def __init__(self, node: Node, columns: Mapping[str, Expr]) -> None:
        self._node, self._columns = node, dict(columns)

    @property
    def columns(self) -> list[str]:
        """The names of its columns."""
        return list(self._columns)

    def __repr__(self) -> str:
        return f"<table of {', '.join(self._columns)}>"

    def __getitem__(self, name: str) -> Expr:
        found = self._columns.get(name)
        if found is None:
            raise BuildError(f"the table has no column {name!r}", hint=f"it has {', '.join(self._columns)}")
        return found

    def __getattr__(self, name: str) -> Expr:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self[name]
        except BuildError as error:
            raise AttributeError(str(error)) from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._columns]

    # --- further tables -----------------------------------------------------------------------------------------------

    def filter(self, *conditions: Any) -> Table:
        """The rows where all conditions hold."""
        node = self._node
        for each in conditions:
            condition = self._checked(as_expr(each))
            if not condition.is_condition:
                raise BuildError(f"a filter by {condition!r}, which is no condition", hint="x != 0")
            node = Filtered(node, condition)
        return Table(node, self._columns)

    def with_columns(self, **columns: Any) -> Table:
        """The table with further columns, or others in place of those of the same name."""
        return Table(self._node, self._columns | {name: self._checked(as_expr(each)) for name, each in columns.items()})

    def join(
        self, other: Table, on: str | Sequence[str] | None = None, *, left_on: Any = None, right_on: Any = None,
        how: str = "inner", equal: Equal = "bits", suffix: str | None = None,
    ) -> Table:  # fmt: skip
        """The rows of both tables whose keys are equal, in no certain order: `on` names columns of both, `left_on` and `right_on`
        columns or expressions of each. Both may be the same table. A column of the other table whose name there is already is
        left out if it is a key, and otherwise has the `suffix` behind its name; without one it is an error. `how="semi"`: the
        rows of this table that have a match; "anti": those that have none. `equal`: how floats are compared, as bits or as
        numbers (0.0 is -0.0, NaN is NaN)."""
        if how not in ("inner", "semi", "anti"):
            raise BuildError(f"how={how!r}", hint='"inner", "semi" or "anti"; there are no nulls for outer joins')
        given: Any = other
        if not isinstance(given, Table):
            raise BuildError(f"a join with {given!r:.60}", hint="a table: px.ops.table(...)")
        both = {base.number for base in tables_of(self._node)} & {base.number for base in tables_of(other._node)}
        if both:
            other = other._apart(both)
        names = _listed(on)
        left = tuple([self._key(each, equal) for each in (names or _listed(left_on))])
        right = tuple([other._key(each, equal) for each in (names or _listed(right_on))])
        if not left or len(left) != len(right) or bool(names) == (left_on is not None or right_on is not None):
            raise BuildError(
                f"a join of {len(left)} with {len(right)} keys", hint="on=..., or left_on=... and right_on=..., of equal length"
            )  # fmt: skip
        pairs = [alike(*each) for each in zip(left, right)]
        node = Joined(self._node, other._node, tuple(a for a, _ in pairs), tuple(b for _, b in pairs), how)
        if how != "inner":
            return Table(node, self._columns)
        keys = set(names) | {each for each in _listed(right_on) if isinstance(each, str)}
        clash = {name for name in other._columns if name in self._columns and name not in keys}
        taken = [name for name in sorted(clash) if suffix is None or name + suffix in self._columns]
        if taken:
            raise BuildError(f"both tables have a column {taken[0]!r}", hint='suffix="_other"')
        added = {f"{name}{suffix}" if name in clash else name: each for name, each in other._columns.items()}
        return Table(node, self._columns | {name: each for name, each in added.items() if name not in self._columns})

    def _apart(self, numbers: set[int]) -> Table:
        """The same, whose tables with these numbers have others: it can be joined with them."""
        tables = {number: next(_numbers) for number in sorted(numbers)}
        renewed = Renewal(tables, _numbers)
        return Table(renewed.node(self._node), {name: renewed.expression(each) for name, each in self._columns.items()})

    def groupby(self, *keys: str | Expr, ordered: bool = True, equal: Equal = "bits", **named: Any) -> GroupedTable:
        """Groups of rows with equal keys: names of columns, or `name=expression`. With `ordered`, groups come in the order of
        their keys; without, in any order, which is faster where they are many. `equal`: whether float keys are equal as bits or
        as numbers (0.0 is -0.0, NaN is NaN)."""
        found = {
            each: self._columns[each] if each in self._columns else self[each] for each in keys if isinstance(each, str)
        }
        others = [each for each in keys if not isinstance(each, str)]
        for each in others:
            name = next((name for name, known in self._columns.items() if known is each), None)
            if name is None:
                raise BuildError(f"a group key {each!r} without a name", hint="t.groupby(name=expression)")
            found[name] = each
        found |= {name: self._checked(as_expr(each)) for name, each in named.items()}
        if not found:
            raise BuildError("groups without a key", hint="t.aggregate(...) aggregates all rows")
        return GroupedTable(self, {name: canonical(each, equal) for name, each in found.items()}, ordered=ordered)

    # --- queries ------------------------------------------------------------------------------------------------------

    def aggregate(self, **aggregates: Aggregate) -> Query:
        """A query for aggregates of all rows, all in one pass: `total=t.price.sum(), rows=t.price.count()`."""
        return Query(self._node, {}, self._aggregates(aggregates))

    def select(self, *names: str, **columns: Any) -> Query:
        """A query for the values of columns and expressions in each row, in the order of the rows where there is no join."""
        found = {name: self[name] for name in names} | {name: as_expr(each) for name, each in columns.items()}
        chosen = found or self._columns
        return Query(self._node, {name: self._checked(each) for name, each in chosen.items()}, None)

    def count(self) -> Aggregate:
        """How many rows there are, as an aggregate."""
        return Aggregate("count", None)

    def _aggregates(self, aggregates: Mapping[str, Any]) -> dict[str, Aggregate]:
        if not aggregates:
            raise BuildError("a query for no aggregates", hint="total=t.price.sum()")
        for name, each in aggregates.items():
            if not isinstance(each, Aggregate):
                raise BuildError(
                    f"{name}={each!r} is no aggregate", hint="x.sum(), .mean(), .min(), .max() or .count()"
                )
            if each.value is not None:
                self._checked(each.value)
        return dict(aggregates)

    def _checked(self, value: Expr) -> Expr:
        """BuildError for an expression over a table that this one is not made from."""
        known = {base.number for base in tables_of(self._node)}
        if any(base.table not in known for base in value.columns.values()):
            raise BuildError(
                f"{value!r} has columns of a table that this query does not read", hint="join that table first"
            )
        return value

    def _key(self, key: Any, equal: Equal) -> Expr:
        found = self[key] if isinstance(key, str) else self._checked(as_expr(key))
        return canonical(found, equal)


class GroupedTable:
    """Groups of a table's rows, made by `Table.groupby`."""

    def __init__(self, source: Table, keys: Mapping[str, Expr], *, ordered: bool) -> None:
        self._source, self._keys, self._ordered = source, dict(keys), ordered

    def aggregate(self, **aggregates: Aggregate) -> Query:
        """A query for each group's keys and aggregates, all in one pass."""
        clash = [name for name in aggregates if name in self._keys]
        if clash:
            raise BuildError(f"{clash[0]!r} is a key and an aggregate", hint="another name for the aggregate")
        found = self._source._aggregates(aggregates)
        return Query(self._source._node, self._keys, found, ordered=self._ordered)


def _listed(names: Any) -> list[Any]:
    return [] if names is None else list(names) if isinstance(names, (list, tuple)) else [names]
