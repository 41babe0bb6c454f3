"""Which tile of the result a CTA computes next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder.control import structured
from ptxgen.builder.core.source import build_error
from ptxgen.builder.values import arithmetic
from ptxgen.builder.values.scalars import u32

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ptxgen.builder.core.function_builder import FunctionBuilder
    from ptxgen.builder.tiles.clusters import TileCluster

__all__ = ["launch_dependents", "persistent_tiles", "wait_for_dependencies"]


def persistent_tiles(
    k: FunctionBuilder,
    rows: u32,
    columns: u32,
    *,
    group: int = 8,
    cluster: TileCluster | None = None,
    batch: Any = None,
    turn: tuple[Any, int] | None = None,
) -> Iterator[tuple[u32, ...]]:
    """(row, column) of each tile of this CTA, of `rows` by `columns` tiles that all CTAs of the grid share out.

    They go in groups of `group` rows, column by column within a group, so that CTAs that work at the same time read the same
    rows and columns from L2. With `batch` matrices the third number says which; one matrix comes after the other.
    `turn=(which, of)` yields those that one of several warpgroups computes, where they take the CTA's tiles in turn.
    """
    if group < 1:
        raise build_error("PTX221", f"groups of {group} rows", expected="1 or more")
    start = k.read_special(u32, "%ctaid.x")
    step = k.read_special(u32, "%nctaid.x")
    if cluster is not None and cluster.size == 1:
        cluster = None
    if cluster is not None:  # the clusters share out blocks of tiles
        start, step = start // cluster.size, step // cluster.size
        rows, columns = (rows + cluster.rows - 1) // cluster.rows, (columns + cluster.columns - 1) // cluster.columns
    if turn is not None:
        start, step = start + step * turn[0], step * turn[1]
    each = rows * columns
    count = each if batch is None else each * batch
    in_group = columns * group
    for tile in structured.range_(k, start, count, step):
        of_batch = None if batch is None else tile // each
        within = tile if of_batch is None else tile - of_batch * each
        if group == 1:
            found = (within // columns, within % columns)
        else:
            first = within // in_group * group
            height = arithmetic.minimum(k, rows - first, group)
            rest = within % in_group
            found = (first + rest % height, rest // height)
        if cluster is not None:
            found = (found[0] * cluster.rows + cluster.row, found[1] * cluster.columns + cluster.column)
        yield found if of_batch is None else (*found, of_batch)


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
