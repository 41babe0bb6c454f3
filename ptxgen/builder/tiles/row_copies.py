"""Copies of rows that lie anywhere in a matrix: four of them an instruction, through its tensor map (manual 9.7.9.27)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder.core.source import build_error
from ptxgen.builder.tiles.addresses import own_shared
from ptxgen.builder.tiles.tensor_copies import address_in, coordinate, further
from ptxgen.builder.tiles.tensor_types import TensorType

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ptxgen.builder.tiles.barriers import MemoryBarrier
    from ptxgen.builder.tiles.device_tile import DeviceTile
    from ptxgen.builder.tiles.tensor_types import Tensor
    from ptxgen.ir import Address, Operand

__all__ = ["gather", "scatter"]

_ROWS = 4
"""Rows that one copy moves."""

_FIRST = 100
"""The first target that has it."""


def gather(tensor: Tensor, tile: DeviceTile, column: Any, rows: Sequence[Any], barrier: MemoryBarrier) -> None:
    """Copy rows of a matrix to a tile, from a column on: `rows` says which, one 32-bit number for each row of the tile.

    `barrier` counts the bytes; rows outside of the matrix arrive as zeros. One thread executes it. sm_100 and later.
    """
    barrier.expect(tile.bytes)
    for place, where in _fours(tensor, tile, column, rows):
        space = own_shared(tensor.builder)
        name = f"cp.async.bulk.tensor.2d.{space}.global.tile::gather4.mbarrier::complete_tx::bytes"
        tensor.builder.emit(name, place, address_in(tensor, where), barrier.operand())


def scatter(tensor: Tensor, tile: DeviceTile, column: Any, rows: Sequence[Any]) -> None:
    """Copy a tile's rows to rows of a matrix, as `store` does those that lie together. sm_100 and later."""
    for place, where in _fours(tensor, tile, column, rows):
        name = "cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group"
        tensor.builder.emit(name, address_in(tensor, where), place)


def _fours(
    tensor: Tensor, tile: DeviceTile, column: Any, rows: Sequence[Any]
) -> Iterator[tuple[Address, tuple[Operand, ...]]]:
    """(address in shared memory, column and rows) of each copy."""
    k = tensor.builder
    if k.target.sm < _FIRST:
        raise build_error(
            "PTX220", f"rows gathered by a tensor map on {k.target}", expected="sm_100 or later",
            hint="k.copy_async of each row, and k.pipeline(..., copies=threads)",
        )  # fmt: skip
    if tile.layout.major != "K" or tile.rows % _ROWS:
        raise build_error("PTX221", f"rows gathered to {tile!r}", expected="a K-major tile of rows in fours")
    if len(rows) != tile.rows:
        raise build_error("PTX202", f"{len(rows)} rows for {tile!r}", expected=f"{tile.rows} of them")
    width = min(tile.layout.per_line, tile.columns)
    tensor.moves(TensorType(tile.element.isa, (width, 1), tile.layout.swizzle))
    for x in range(0, tile.columns, width):
        for y in range(0, tile.rows, _ROWS):
            where = (further(column, x), *rows[y : y + _ROWS])
            yield tile.operand(tile.layout.plain_offset(y, x)), tuple(coordinate(k, each) for each in where)
