"""What a table is made from: the steps of a query before it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Union

from ptxgen.kernels.queries.expressions import renumbered

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ptxgen.host import Device
    from ptxgen.ops.queries.expressions import Expr

__all__ = ["Base", "Filtered", "Joined", "Node", "Renewal", "conjuncts", "pushed", "tables_of"]


class Base(NamedTuple):
    """A table of arrays; `number` is its own."""

    number: int
    rows: int
    device: Device


class Filtered(NamedTuple):
    """The rows where a condition holds."""

    source: Node
    condition: Expr


class Joined(NamedTuple):
    """Rows of two tables with equal keys; `how` "inner", or "semi" and "anti": the rows of the left table that have a match, or
    none."""

    left: Node
    right: Node
    left_keys: tuple[Expr, ...]
    right_keys: tuple[Expr, ...]
    how: str


Node = Union["Base", "Filtered", "Joined"]


def tables_of(node: Node) -> list[Base]:
    """The tables whose columns there are."""
    if isinstance(node, Base):
        return [node]
    if isinstance(node, Filtered):
        return tables_of(node.source)
    return tables_of(node.left) + (tables_of(node.right) if node.how == "inner" else [])


class Renewal:
    """Nodes and expressions over tables with other numbers: `tables`, from the old ones. `numbers` has more for their columns."""

    def __init__(self, tables: Mapping[int, int], numbers: Iterator[int]) -> None:
        self._tables, self._numbers = tables, numbers
        self._columns: dict[int, int] = {}

    def node(self, node: Node) -> Node:
        """The same rows."""
        if isinstance(node, Base):
            return node._replace(number=self._tables.get(node.number, node.number))
        if isinstance(node, Filtered):
            return Filtered(self.node(node.source), self.expression(node.condition))
        keys = [tuple([self.expression(each) for each in side]) for side in (node.left_keys, node.right_keys)]
        return Joined(self.node(node.left), self.node(node.right), keys[0], keys[1], node.how)

    def expression(self, expr: Expr) -> Expr:
        """The same values."""
        for number in expr.columns:
            if number not in self._columns:
                self._columns[number] = next(self._numbers)
        columns = {
            self._columns[number]: base._replace(table=self._tables.get(base.table, base.table))
            for number, base in expr.columns.items()
        }
        return type(expr)(renumbered(expr.tree, self._columns), columns, expr.stored)


def conjuncts(condition: Expr) -> list[Expr]:
    """The conditions that all have to hold."""
    if condition.tree.op != "and":
        return [condition]
    return [part for tree in condition.tree.inputs for part in conjuncts(condition.of(tree))]


def pushed(node: Node) -> Node:
    """The same rows, with each condition as early as it can be tested: fewer rows are joined."""
    if isinstance(node, Base):
        return node
    if isinstance(node, Joined):
        return node._replace(left=pushed(node.left), right=pushed(node.right))
    source = node.source
    if isinstance(source, Filtered):
        return pushed(Filtered(source.source, source.condition & node.condition))
    if isinstance(source, Base):
        return node
    left, right, rest = source.left, source.right, []
    sides = [{base.number for base in tables_of(each)} for each in (left, right)]
    for part in conjuncts(node.condition):
        needs = {base.table for base in part.columns.values()}
        if needs <= sides[0]:
            left = Filtered(left, part)
        elif source.how == "inner" and needs <= sides[1]:
            right = Filtered(right, part)
        else:
            rest.append(part)
    return _filtered(source._replace(left=pushed(left), right=pushed(right)), rest)


def _filtered(node: Node, conditions: Sequence[Expr]) -> Node:
    if not conditions:
        return node
    whole = conditions[0]
    for each in conditions[1:]:
        whole = whole & each
    return Filtered(node, whole)
