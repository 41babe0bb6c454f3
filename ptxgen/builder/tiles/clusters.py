"""The CTAs of a cluster as a grid of tiles, whose rows and columns share what they load."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.builder.core.source import build_error
from ptxgen.builder.tiles.barriers import sync_cluster
from ptxgen.builder.values import arithmetic
from ptxgen.builder.values.scalars import u16, u32
from ptxgen.ir import Directive

if TYPE_CHECKING:
    from ptxgen.builder.core.function_builder import FunctionBuilder

__all__ = ["CtaGroup", "TileCluster", "tile_cluster"]

PORTABLE = 8
"""CTAs that a cluster may have on every target (manual 11.4.6; more where the driver is asked)."""


class CtaGroup:
    """CTAs of a cluster that load the same tile: how many (`size`), which of them this one is, and their bits."""

    __slots__ = ("index", "mask", "size")

    def __init__(self, size: int, index: u32, mask: u16) -> None:
        self.size: int = size
        self.index: u32 = index
        self.mask: u16 = mask


class TileCluster:
    """`rows` by `columns` tiles, whose depth `depth` CTAs share: this CTA has tile (`row`, `column`) and `part` of its depth.

    `in_row` are the CTAs that have the row's tile of A with this one, `in_column` those with the column's tile of B.
    """

    __slots__ = ("builder", "column", "columns", "depth", "in_column", "in_row", "part", "row", "rows", "size", "tiles")

    def __init__(self, k: FunctionBuilder, rows: int, columns: int, depth: int) -> None:
        self.builder: FunctionBuilder = k
        self.rows: int = rows
        self.columns: int = columns
        self.depth: int = depth
        self.tiles: int = rows * columns
        self.size: int = self.tiles * depth
        zero = arithmetic.constant(k, u32, 0)
        rank = k.read_special(u32, "%cluster_ctarank") if self.size > 1 else zero
        self.part: u32 = rank // self.tiles if depth > 1 else zero
        if self.tiles == 1:
            self.row = self.column = zero
            self.in_row = self.in_column = CtaGroup(1, zero, arithmetic.constant(k, u16, 1))
            return
        within = rank % self.tiles
        self.row = within // columns
        self.column = within % columns
        first = self.part * self.tiles if depth > 1 else 0
        one = arithmetic.constant(k, u32, (1 << columns) - 1)
        across = arithmetic.constant(k, u32, sum(1 << row * columns for row in range(rows)))
        self.in_row = CtaGroup(columns, self.column, (one << self.row * columns + first).to(u16))
        self.in_column = CtaGroup(rows, self.row, (across << self.column + first).to(u16))

    @property
    def peers(self) -> int:
        """CTAs that load the same tiles: those of the row and of the column, itself once."""
        return self.rows + self.columns - 1

    def sync(self) -> None:
        """Wait for all threads of the cluster; every thread executes it. Nothing where the cluster is one CTA."""
        if self.size > 1:
            sync_cluster(self.builder)

    def rank(self, peer: u32) -> u32:
        """The rank in the cluster of peer 0 to peers - 1: first those of the row, then the others of the column."""
        k = self.builder
        first = self.part * self.tiles
        in_row = self.row * self.columns + peer + first
        if self.rows == 1:
            return in_row
        other = peer - self.columns
        row = arithmetic.select(k, other < self.row, other, other + 1)
        return arithmetic.select(k, peer < self.columns, in_row, row * self.columns + self.column + first)

    def rank_of_part(self, part: int) -> u32:
        """The rank of the CTA that has another part of the same tile's depth."""
        return self.row * self.columns + self.column + part * self.tiles


def tile_cluster(k: FunctionBuilder, rows: int, columns: int, depth: int = 1) -> TileCluster:
    """The clusters of this kernel have `rows` x `columns` tiles, whose depth `depth` CTAs share: along x first those of a
    row, then the rows, then the parts."""
    size = rows * columns * depth
    if min(rows, columns, depth) < 1 or size > PORTABLE:
        raise build_error("PTX221", f"a cluster of {rows}x{columns}x{depth} CTAs", expected=f"1 to {PORTABLE} CTAs")
    if size > 1:
        k.directives.append(Directive("reqnctapercluster", (size, 1, 1)))
    return TileCluster(k, rows, columns, depth)
